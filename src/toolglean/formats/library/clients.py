# What clients ask models to write if they do not rely on the model's own format; and the formats
# of xLAM and NexusRaven, which write no other.
"""xLAM, NexusRaven, calls in the style of clients."""

from __future__ import annotations

from toolglean.formats.spec import Format, Tree

LLAMA_QWEN_ENDS = ("<|eot_id|>", "<|im_end|>", "<|EOT|>", "<|endoftext|>", "<|im_start|>assistant")

FORMATS = (
    Format(
        "xlam",
        call="{calls}",
        also=("```json\n{calls}\n```", "<tool_call>{calls}</tool_call>", "[TOOL_CALLS]{calls}"),
        reasoning=("<think>", "</think>"),
        drop=LLAMA_QWEN_ENDS,
        aliases=("json-array", "bare-json-list", "json"),
        models=("*-xlam", "hammer", "hammer2"),
        source="chat templates of Salesforce/Llama-xLAM-2-8b-fc-r; vLLM 0.33, parser xlam",
    ),
    Format(
        "xlam-object",
        section=('{"tool_calls": ', "}"),
        call="{calls}",
        drop=(*LLAMA_QWEN_ENDS, "<|EOT|>\n### Response:"),
        aliases=("xlam-toolcalls-obj",),
        models=("*-xlam-1b", "*-xlam-7b"),
        source="Ollama's template of Salesforce/xLAM-7b-r",
    ),
    # Calls as Python statements, without a list around them: only at the start of the turn.
    Format(
        "raven",
        call="{name}({keywords})",
        also=("Call: {name}({keywords})",),
        separator="; ",
        drop=("<bot_end>",),
        aliases=("nexusraven",),
        models=("nexusraven",),
        source="model card of Nexusflow/NexusRaven-V2-13B",
    ),
    # The tag is the tool's name, its child tags are the parameters (Roo, Cline and their kin).
    Format(
        "tool-tags",
        call="<{name}>\n{arguments}</{name}>",
        separator="\n",
        arguments=Tree(""),
        registered_only=True,
        aliases=("xml-tools", "roo", "cline"),
        source="https://github.com/cline/cline (system prompt, tool use formatting)",
    ),
    # What clients of MCP servers ask for (Cline, Roo, MiroThinker).
    Format(
        "mcp-tags",
        call=(
            "<use_mcp_tool>\n<server_name>{server}</server_name>\n<tool_name>{name}</tool_name>\n<arguments>\n"
            "{arguments}\n</arguments>\n</use_mcp_tool>"
        ),
        also=("<tool_call>\n{call}\n</tool_call>",),  # the template of MiroThinker, without that prompt
        separator="\n",
        reasoning=("<think>", "</think>"),
        aliases=("use-mcp-tool", "mirothinker"),
        models=("mirothinker",),
        source="https://github.com/cline/cline (system prompt, use_mcp_tool); MiroThinker's prompt",
    ),
    # Line by line: the key ends with its line, the value with the one before END_ARG.
    Format(
        "continue",
        call="```tool\nTOOL_NAME: {name}\n{parameters}```",
        separator="\n",
        parameter="BEGIN_ARG: {key}\n{value}\nEND_ARG\n",
        registered_only=True,
        aliases=("continue-dev",),
        source="https://github.com/continuedev/continue (system message tools)",
    ),
    Format(
        "gptme",
        call="@{name}({id}): {arguments}",
        separator="\n",
        registered_only=True,
        at_line_start=True,
        source="https://github.com/gptme/gptme (tool calls in text)",
    ),
    # What LM Studio asks of models whose own format it does not know.
    Format(
        "lm-studio",
        call="[TOOL_REQUEST]{call}[END_TOOL_REQUEST]",
        separator="\n",
        source="https://lmstudio.ai/docs/developer/openai-compat/tools (default tool use); issue threads",
    ),
    # Anthropic's block as JSON, which MCP's clients use as their neutral form; models put it into fences.
    Format(
        "json-input",
        call="{call}",
        also=("```json\n{call}\n```", "<tool_use>{call}</tool_use>"),
        separator="\n",
        keys=("name", "input"),
        registered_only=True,
        aliases=("tool-use-json", "neutral"),
        source="https://docs.anthropic.com/en/docs/build-with-claude/tool-use (the tool_use block)",
    ),
)
