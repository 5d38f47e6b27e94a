# What the makes write that have one family or two.
"""Apertus, dots, ERNIE, GigaChat, Hunyuan A13B, Inkling, InternLM, Jamba, LFM2, MiniCPM, Olmo, Phi, PLaMo, and more."""

from __future__ import annotations

from toolglean.formats.spec import Format, JsonOrText, PythonDict

THINK = ("<think>", "</think>")
LINE_THINK = ("<think>\n", "\n</think>")
CHATML = ("<|im_end|>", "<|endoftext|>", "<|im_start|>assistant")
"""What ends a turn in ChatML, and the header of the model's own message: the turn continues after it."""
CODER_CALL = "<function={name}>\n{parameters}</function>"

PLAMO_CALL = (
    "<|plamo:begin_tool_request:plamo|>"
    "<|plamo:begin_tool_name:plamo|>{name}<|plamo:end_tool_name:plamo|>"
    "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{arguments}<|plamo:end_tool_arguments:plamo|>"
    "<|plamo:end_tool_request:plamo|>"
)

FORMATS = (
    Format(
        "apertus",
        section=("<|tools_prefix|>{ws}[", "]{ws}<|tools_suffix|>"),
        call='{"{name}": {arguments}}',
        separator=", ",
        reasoning=("<|inner_prefix|>", "<|inner_suffix|>"),
        calls_in_reasoning=True,  # the template writes calls and their results between the prefix and the suffix
        drop=("<|assistant_end|>", "<|assistant_start|>"),
        aliases=("apertus2509",),
        models=("apertus",),
        source="chat template of swiss-ai/Apertus-8B-Instruct-2509",
    ),
    Format(
        "dots",
        section=("<dots_function_call>\n", "\n</dots_function_call>"),
        call='<invoke name="{name}">\n{parameters}</invoke>',
        also=("{call}",),
        separator="\n",
        parameter='<parameter name="{key}">{value}</parameter>\n',
        reasoning=THINK,
        drop=("<|endofassistant|>",),
        aliases=("dots3",),
        models=("dots",),
        source="vLLM 0.33, parser dots; SGLang 0.5.23, detector dots",
    ),
    Format(
        "ernie-4.5",
        call="<tool_call>\n{call}\n</tool_call>",
        separator="\n",
        reasoning=LINE_THINK,
        content_markers=("<response>",),
        drop=("</response>", "<|end_of_sentence|>", "</s>"),
        aliases=("ernie45",),
        models=("ernie-4.5",),
        source="vLLM 0.33, parser ernie45 (baidu/ERNIE-4.5-21B-A3B-Thinking)",
    ),
    # The first line names the tool; what follows is JSON, or the text of its only parameter.
    Format(
        "cwm",
        call="<tool: function>\n{name} {arguments}\n</tool>",
        separator="\n",
        arguments=JsonOrText(),
        reasoning=THINK,
        drop=("<|eot_id|>", "<|end_of_text|>"),
        models=("cwm",),
        source="vLLM (branch), parser cwm (facebook/cwm)",
    ),
    Format(
        "gigachat-3",
        call="<|message_sep|>\n\nfunction call<|role_sep|>\n{call}",
        also=("<|function_call|>{call}",),
        drop=("<|message_sep|>", "</s>"),
        aliases=("gigachat3",),
        models=("gigachat3",),
        source="chat template of ai-sage/GigaChat3-10B-A1.8B",
    ),
    Format(
        "gigachat-3.1",
        call="<|function_call|>{call}",
        also=("<|message_sep|>\n\nfunction call<|role_sep|>\n{call}",),
        drop=("<|message_sep|>", "</s>"),
        aliases=("gigachat31",),
        models=("gigachat3.1",),
        source="chat template of ai-sage/GigaChat3.1-10B-A1.8B",
    ),
    # SGLang's name for a later one: DSML with letters of its own.
    Format(
        "gigachat-3.5",
        section=("<｜GCML｜tool_calls>\n", "\n</｜GCML｜tool_calls>"),
        call='<｜GCML｜invoke name="{name}">\n{parameters}</｜GCML｜invoke>',
        separator="\n",
        parameter=(
            '<｜GCML｜parameter name="{key}" string="{type}">{value}</｜GCML｜parameter>\n',
            '<｜GCML｜parameter name="{key}">{value}</｜GCML｜parameter>\n',
        ),
        types={"string": "true", "*": "false"},
        reasoning=THINK,
        drop=("<|message_sep|>",),
        aliases=("gigachat35",),
        models=("gigachat3.5",),
        source="SGLang 0.5.23, detector gigachat35",
    ),
    Format(
        "hunyuan-a13b",
        call="<tool_calls>{calls}</tool_calls>",
        separator="\n",
        reasoning=LINE_THINK,
        content_markers=("<answer>",),
        drop=("</answer>", "<|eos|>", "<|endoftext|>"),
        models=("hunyuan-a13b",),
        source="chat template of tencent/Hunyuan-A13B-Instruct",
    ),
    Format(
        "hunyuan-dense",
        section=("<tool_calls>", "</tool_calls>"),
        call="<tool_call>{name}\n```json\n{arguments}\n```</tool_call>",
        separator="\n",
        reasoning=LINE_THINK,
        content_markers=("<answer>",),
        drop=("</answer>", "<|eos|>", "<|endoftext|>"),
        aliases=("hunyuan-hermes",),
        models=("hunyuan-0.5b", "hunyuan-1.8b", "hunyuan-4b", "hunyuan-7b", "hy-embodied"),
        source="chat template of tencent/Hunyuan-7B-Instruct; ms-swift 4.6, agent template hunyuan_hermes",
    ),
    # A message to a tool: its header names no tool, and its text is a list. The prompt ends with the role.
    Format(
        "hyperclovax-think",
        call="<|im_start|>assistant -> tool/function_call\n{calls}<|im_end|>",
        without_special_tokens=("-> tool/function_call\n{calls}<|im_end|>",),
        reasoning=("/think\n", "<|im_end|>\n"),
        drop=("<|im_end|>", "<|im_start|>assistant", "<|endofturn|>", "<|stop|>"),
        aliases=("hyperclovax-seed-think-14b", "hyperclovax", "hcx"),
        models=("hyperclovax-think", "hyperclovax-seed-think"),
        source="vLLM (branch), parsers hyperclovax and hyperclovax_seed_think_14b",
    ),
    Format(
        "inkling",
        call="<|content_invoke_tool_json|>{call}<|end_message|>",
        also=("<|message_model|>{name}<|content_invoke_tool_json|>{call}<|end_message|>",),
        without_special_tokens=(
            "{name}<|content_invoke_tool_json|>{call}<|end_message|>",
        ),  # the prompt ends with the marker
        separator="<|message_model|>",
        keys=("name", "args"),
        reasoning=("<|content_thinking|>", "<|end_message|>"),
        content_markers=("<|content_text|>",),
        drop=(*("<|message_model|>", "<|end_message|>", "<|content_model_end_sampling|>", "<|content_tool_error|>"),),
        models=("inkling",),
        source="vLLM 0.33, parser inkling",
    ),
    Format(
        "internlm",
        call="<|action_start|><|plugin|>\n{call}<|action_end|>",
        keys=("name", "parameters"),
        reasoning=THINK,
        drop=CHATML,
        aliases=("interns1", "internlm2", "internlm2.5"),
        models=("internlm2", "internlm3", "intern-s1"),
        source="chat template of internlm/internlm2_5-7b-chat",
    ),
    Format(
        "jamba",
        call="<tool_calls>{calls}</tool_calls>",
        reasoning=THINK,
        drop=("<|eom|>", "<|endoftext|>"),
        aliases=("tool-calls-list",),
        models=("jamba",),
        source="chat template of ai21labs/AI21-Jamba-Large-1.6",
    ),
    # LFM2 also writes JSON into its section, and calls without it (Ollama, model/parsers/lfm2.go).
    Format(
        "lfm2",
        section=("<|tool_call_start|>{ws}[", "]{ws}<|tool_call_end|>"),
        sections=(("<|tool_call_start|>", "<|tool_call_end|>"), ("[", "]")),
        call="{name}({keywords})",
        also=("{call}",),
        separator=", ",
        reasoning=THINK,
        drop=CHATML,
        aliases=("lfm2-thinking", "lfm2.5"),
        models=("lfm2", "lfm2.5"),
        source="chat template of LiquidAI/LFM2-8B-A1B",
    ),
    Format(
        "minicpm-3",
        section=("<|tool_call_start|>\n```python\n", "\n```\n<|tool_call_end|>"),
        call="{name}({keywords})",
        separator="\n",
        reasoning=("<|thought_start|>\n", "\n<|thought_end|>"),
        drop=CHATML,
        aliases=("minicpm3",),
        models=("minicpm3", "minicpm4-mcp"),
        source="chat template of openbmb/MiniCPM3-4B",
    ),
    Format(
        "minicpm-5",
        call='<function name="{name}">{parameters}</function>',
        also=(
            '<function name="{name}">{arguments}</function>',
            '<function name="{name}"><arguments>{parameters}</arguments></function>',  # MiniCPM4
        ),
        wrappers=("arguments", "input"),
        separator="\n",
        parameter=('<param name="{key}">{value}</param>', '<param name="{key}"><![CDATA[{value}]]></param>'),
        reasoning=LINE_THINK,
        drop=CHATML,
        aliases=("minicpm5", "minicpm4-xml"),
        models=("ai9stars/g9v3", "minicpm5", "minicpm4", "minicpm-sala"),
        source="chat template of openbmb/MiniCPM5-1B",
    ),
    Format(
        "olmo-3",
        section=("<function_calls>\n", "\n</function_calls>"),
        call="{name}({keywords})",
        separator="\n",
        reasoning=THINK,
        drop=CHATML,
        aliases=("olmo3", "olmo3-think"),
        models=("olmo-3", "olmo-hybrid", "olmo-32b"),
        source="vLLM 0.33, parser olmo3 (allenai/Olmo-3-7B-Instruct)",
    ),
    # Three sources describe three spellings; all of them are read.
    Format(
        "pangu-embedded",
        call="[unused11]{calls}[unused12]",
        reasoning=("[unused16]", "[unused17]"),
        drop=("[unused10]",),
        aliases=("openpangu", "openpangu-v2"),
        models=("pangu-embedded", "openpangu"),
        source="vLLM (branch), parser pangu_embedded",
    ),
    Format(
        "phi-4-mini",
        call="<|tool_call|>{calls}<|/tool_call|>",
        also=("functools{calls}",),
        reasoning=THINK,
        drop=("<|end|>", "<|endoftext|>", "<|assistant|>"),
        aliases=("phi4", "phi4-mini", "phi4-mini-json"),
        models=("phi-4-mini", "phi-4-multimodal"),
        source="model card of microsoft/Phi-4-mini-instruct; vLLM 0.33, parser phi4_mini_json",
    ),
    Format(
        "plamo-3",
        section=("<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|>"),
        call=PLAMO_CALL,
        reasoning=("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
        drop=("<|plamo:tag|>", "<|plamo:eos|>", "<|plamo:bos|>"),
        aliases=("plamo3",),
        models=("plamo-3",),
        source="vLLM 0.33, parser plamo3",
    ),
    Format(
        "rwkv",
        call="**Tool Call:**\n```json\n{call}\n```",
        separator="\n",
        reasoning=THINK,
        at_line_start=True,
        models=("rwkv-7",),
        source="vLLM (branch), parser rwkv",
    ),
    # Objects as Python writes them. Servers take the marker out.
    Format(
        "sarashina",
        section=("<|tool_calls|>{ws}[", "]"),
        sections=(("[", "]"), ("<|tool_calls|>{ws}[", "]{ws}<|/tool_calls|>")),
        call="{'name': '{name}', 'arguments': {arguments}}",
        also=("{call}",),
        separator=", ",
        arguments=PythonDict(),
        drop=("</s>",),
        aliases=("sarashina2",),
        models=("sarashina",),
        source="SGLang 0.5.23, gateway, parser sarashina",
    ),
    Format(
        "solar",
        section=("<|tool_calls|>", "<|calls|>"),
        call="<|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>{arguments}<|tool_call:end|>",
        reasoning=("<|think|>", "<|end|>"),
        reasonings=(("<|think|>", "<|/think|>"),),  # as prompts for other models have it
        content_markers=("<|content|>",),
        drop=("<|begin|>assistant", "<|end|>", "<|flush|>"),
        aliases=("solar-open",),
        models=("solar-open", "solar-pro-3"),
        source="chat template of upstage/Solar-Open-100B",
    ),
    Format(
        "solar-open2",
        call="<|tool_call:start|>{name}\n{parameters}<|tool_call:end|>",
        separator="\n",
        parameter="<|tool_arg:start|>{key}<|tool_arg:value|>{value}<|tool_arg:end|>\n",
        reasoning=("<|think:start|>", "<|think:end|>"),
        drop=("<|im:end|>",),
        models=("solar-open2",),
        source="vLLM (branch), parser solar_open2",
    ),
    Format(
        "step-3",
        section=("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"),
        call=(
            '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{name}">{parameters}</steptml:invoke>'
            "<｜tool_call_end｜>"
        ),
        also=(
            '<｜tool_call_begin｜><steptml:invoke name="{name}">{parameters}</steptml:invoke><｜tool_call_end｜>',
            '<steptml:invoke name="{name}">{parameters}</steptml:invoke>',
        ),
        separator="\n",
        parameter='<steptml:parameter name="{key}">{value}</steptml:parameter>',
        reasoning=THINK,
        drop=("<｜end▁of▁sentence｜>", "<|EOT|>"),
        aliases=("step3", "step3v"),
        models=("step-3",),
        source="vLLM 0.33, parser step3 (stepfun-ai/step3)",
    ),
    Format(
        "step-audio-2",
        call="<tool_call>function\n{name}\n{arguments}</tool_call>",
        also=(
            "<tool_call>\n{call}\n</tool_call>",  # the template of Step-Audio-2-mini
            "<|CALL_START|>function\n{name}\n{arguments}<|CALL_END|>",  # that of Step-Audio-R1.1
        ),
        separator="\n",
        reasoning=LINE_THINK,
        drop=("<|EOT|>", *CHATML),
        models=("step-audio-2", "step-audio-r1.1"),
        source="vLLM (branch), parser step_audio_2",
    ),
    Format(
        "step-3.5",
        call="<tool_call>\n" + CODER_CALL + "\n</tool_call>",
        also=(CODER_CALL + "\n</tool_call>", "<tool_call>\n{call}\n</tool_call>"),
        separator="\n",
        parameter="<parameter={key}>\n{value}\n</parameter>\n",
        reasoning=LINE_THINK,
        drop=(*CHATML, "<|EOT|>"),
        aliases=("step3p5", "step5", "step-5"),
        models=("step-3.5", "step-3.7", "step-5", "stepfun-3.5"),
        source="chat template of stepfun-ai/Step-3.5-Flash",
    ),
)
