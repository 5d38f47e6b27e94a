# What prompts, histories and agents' frameworks make models write, whatever the family.
#
# All of it is also what people write about tools: a known tool's name makes it a call, and nothing else does.
"""Tags of prompts, brackets of histories, ReAct, fences, escaped markup."""

from __future__ import annotations

from toolglean.formats.spec import Format

# With these keys in this order: the definition of a tool, which has `parameters`, is not a call.
OBJECT = '{ "name": "{name}", "arguments": {arguments} }'
TAG = """<function name="{name}" arguments='{arguments}'/>"""
LEADS = ("Calling tool:", "Tool Use:", "Tool use:", "Tool Call:", "Tool call:", "tool_call:", "Called tool:")

FORMATS = (
    Format(
        "prompt-tags",
        call=f"<tools>\n{OBJECT}\n</tools>",
        also=(
            *(f"<tool>{OBJECT}</tool>", "<tool>{name}</tool>\n{arguments}"),
            *(f"<toolcall><tool>{OBJECT}</tool></toolcall>", "<toolcall><tool>{name}</tool>{arguments}</toolcall>"),
            "<tool_call>\n<function>{name}</function>\n{arguments}\n</tool_call>",
            *("<function>{name}</function>\n{arguments}", "<functioncall {call}>"),
            "<functioncall>{call}</functioncall>",
            *("<tools>\n" + TAG + "\n</tools>", TAG),
        ),
        separator="\n",
        registered_only=True,
        source="issue threads of many models",
    ),
    Format(
        "bracket-calls",
        call="[Calling tool: {name}({arguments})]",
        also=(
            *(f"[{lead} {{name}}({{arguments}})]" for lead in LEADS[1:]),
            *(f"[{lead} {{name}}({{keywords}})]" for lead in LEADS),
        ),
        separator="\n",
        registered_only=True,
        source="issue threads: histories that frameworks write as text",
    ),
    Format(
        "bracket-records",
        call="[Tool Call] name={name} id={id} args={arguments}",
        also=("[Tool Call: {name} (ID: {id})]\nArguments: {arguments}",),
        separator="\n",
        registered_only=True,
        at_line_start=True,
        at_turn_end=True,
        source="issue threads: histories that frameworks write as text",
    ),
    # A made-up result ends the turn's calls.
    Format(
        "react",
        call="Action: {name}\nAction Input: {arguments}",
        also=(
            "Action:\n{call}",
            "Action:\n```json\n{call}\n```",
            "Action:\n```\n{call}\n```",
            *(f"Action: {{name}}\nAction Input: ```{word}\n{{arguments}}\n```" for word in ("json", "")),
            *("**Action:** {name}\n**Action Input:** {arguments}", "**Action**: {name}\n**Action Input**: {arguments}"),
        ),
        separator="\n",
        registered_only=True,
        at_line_start=True,
        end_markers=("Observation:", "observation:", "**Observation"),
        aliases=("react-en", "react-zh", "react-grpo", "toolbench"),
        source="Yao et al., ReAct (arXiv 2210.03629); the prompts of LangChain and LlamaIndex",
    ),
    # The prompt of Qwen's agents. What the model writes after the arguments is a made-up result.
    Format(
        "qwen-agent",
        call="✿FUNCTION✿: {name}\n✿ARGS✿: {arguments}",
        separator="\n",
        end_markers=("✿RESULT✿",),
        drop=("✿RETURN✿:",),
        aliases=("qwen-en", "qwen-zh", "qwen-en-parallel", "qwen-zh-parallel"),
        source="https://github.com/QwenLM/Qwen-Agent (qwen_fncall_prompt); ms-swift 4.6, agent template qwen_en",
    ),
    # Agents that see a screen: one action at the end of what they think.
    Format(
        "ui-tars",
        call="Action: {name}({keywords})",
        separator="\n\n",
        registered_only=True,
        at_line_start=True,
        at_turn_end=True,
        drop=("<|im_end|>", "<|im_start|>assistant"),
        models=("ui-tars",),
        source="https://github.com/bytedance/UI-TARS (prompts)",
    ),
    # Hermes's tag around Python.
    Format(
        "tool-call-pythonic",
        call="<tool_call>{name}({keywords})</tool_call>",
        separator="\n",
        reasoning=("<think>", "</think>"),
        registered_only=True,
        aliases=("k2-v3",),
        source="issue threads: fine-tunes of many models, K2-V3",
    ),
    # A line that announces OpenAI's objects.
    Format(
        "localai",
        call="Function call:\n{calls}",
        separator="\n",
        registered_only=True,
        at_line_start=True,
        source="LocalAI, the prompt for models without tools of their own",
    ),
    Format(
        "react-call",
        call="Action: {name}({arguments})",
        also=("Action: {name} ({arguments})",),
        separator="\n",
        registered_only=True,
        at_line_start=True,
        end_markers=("Observation:", "observation:"),
        source="issue threads of agents' frameworks",
    ),
    Format(
        "tool-call-fence",
        call="```tool_call\n{call}\n```",
        also=(
            "```tool_calls\n{calls}\n```",
            "```tool\n{call}\n```",
            "```function_call\n{call}\n```",
            *("```\n{calls}\n```", "```json\n{calls}\n```"),
        ),
        separator="\n",
        registered_only=True,
        source="issue threads of many models",
    ),
    # Escaped text is text to read, not a call. So this format is read only if it is named, because a server escapes the
    # turns. Values are not unescaped: nobody knows whether the model wrote `&lt;` itself.
    Format(
        "escaped-markup",
        call="&lt;tool_call&gt;\n{call}\n&lt;/tool_call&gt;",
        also=(
            "&lt;tool_call&gt;\n&lt;function={name}&gt;\n{parameters}&lt;/function&gt;\n&lt;/tool_call&gt;",
            "&lt;function={name}&gt;\n{parameters}&lt;/function&gt;\n&lt;/tool_call&gt;",
        ),
        separator="\n",
        parameter="&lt;parameter={key}&gt;\n{value}\n&lt;/parameter&gt;\n",
        registered_only=True,
        by_name_only=True,
        source="issue threads: servers and front ends that escape a model's text for HTML",
    ),
)
