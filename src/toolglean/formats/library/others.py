# What this file knows: what the makes write that have one family or two.
"""Apertus, dots, ERNIE, GigaChat, Hunyuan A13B, Inkling, InternLM, Jamba, LFM2, MiniCPM, Olmo, Phi, PLaMo, and more."""

from __future__ import annotations

from toolglean.formats.spec import Format

THINK = ("<think>", "</think>")
LINE_THINK = ("<think>\n", "\n</think>")
CHATML_ENDS = ("<|im_end|>", "<|endoftext|>")
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
        drop=("<|assistant_end|>",),
        aliases=("apertus2509",),
        models=("apertus*",),
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
        models=("dots*", "*dots.llm*"),
        source="vLLM 0.33, parser dots; SGLang 0.5.23, detector dots",
    ),
    Format(
        "ernie-4.5",
        call="<tool_call>\n{call}\n</tool_call>",
        separator="\n",
        reasoning=LINE_THINK,
        speaks=("<response>",),
        drop=("</response>", "<|end_of_sentence|>", "</s>"),
        aliases=("ernie45",),
        models=("ernie-4.5-*", "ernie4.5-*"),
        source="vLLM 0.33, parser ernie45 (baidu/ERNIE-4.5-21B-A3B-Thinking)",
    ),
    Format(
        "gigachat-3",
        call="<|message_sep|>\n\nfunction call<|role_sep|>\n{call}",
        also=("<|function_call|>{call}",),
        drop=("<|message_sep|>", "</s>"),
        aliases=("gigachat3",),
        models=("gigachat3-*", "gigachat-3-*", "gigachat3"),
        source="chat template of ai-sage/GigaChat3-10B-A1.8B",
    ),
    Format(
        "gigachat-3.1",
        call="<|function_call|>{call}",
        also=("<|message_sep|>\n\nfunction call<|role_sep|>\n{call}",),
        drop=("<|message_sep|>", "</s>"),
        aliases=("gigachat31",),
        models=("gigachat3.1-*", "gigachat-3.1-*"),
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
        models=("gigachat3.5-*", "gigachat-3.5-*"),
        source="SGLang 0.5.23, detector gigachat35",
    ),
    Format(
        "hunyuan-a13b",
        call="<tool_calls>{calls}</tool_calls>",
        reasoning=LINE_THINK,
        speaks=("<answer>",),
        drop=("</answer>", "<|eos|>", "<|endoftext|>"),
        models=("hunyuan-a13b*", "hunyuan-*b-*"),
        source="chat template of tencent/Hunyuan-A13B-Instruct",
    ),
    Format(
        "inkling",
        call="<|content_invoke_tool_json|>{call}<|end_message|>",
        also=("<|message_model|>{name}<|content_invoke_tool_json|>{call}<|end_message|>",),
        separator="<|message_model|>",
        keys=("name", "args"),
        reasoning=("<|content_thinking|>", "<|end_message|>"),
        speaks=("<|content_text|>",),
        drop=(*("<|message_model|>", "<|end_message|>", "<|content_model_end_sampling|>", "<|content_tool_error|>"),),
        models=("inkling*",),
        source="vLLM 0.33, parser inkling",
    ),
    Format(
        "internlm",
        call="<|action_start|><|plugin|>\n{call}<|action_end|>",
        keys=("name", "parameters"),
        reasoning=THINK,
        drop=CHATML_ENDS,
        aliases=("interns1", "internlm2", "internlm2.5"),
        models=("internlm*", "intern-s1*"),
        source="chat template of internlm/internlm2_5-7b-chat",
    ),
    Format(
        "jamba",
        call="<tool_calls>{calls}</tool_calls>",
        reasoning=THINK,
        drop=("<|eom|>", "<|endoftext|>"),
        aliases=("tool-calls-list",),
        models=("*jamba*",),
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
        drop=CHATML_ENDS,
        aliases=("lfm2-thinking", "lfm2.5"),
        models=("lfm2*",),
        source="chat template of LiquidAI/LFM2-8B-A1B",
    ),
    Format(
        "minicpm-3",
        section=("<|tool_call_start|>\n```python\n", "\n```\n<|tool_call_end|>"),
        call="{name}({keywords})",
        separator="\n",
        reasoning=("<|thought_start|>\n", "\n<|thought_end|>"),
        drop=CHATML_ENDS,
        aliases=("minicpm3",),
        models=("minicpm3*", "minicpm-3*"),
        source="chat template of openbmb/MiniCPM3-4B",
    ),
    Format(
        "minicpm-5",
        call='<function name="{name}">{parameters}</function>',
        also=('<function name="{name}">{arguments}</function>',),
        separator="\n",
        parameter=('<param name="{key}">{value}</param>', '<param name="{key}"><![CDATA[{value}]]></param>'),
        reasoning=LINE_THINK,
        drop=CHATML_ENDS,
        aliases=("minicpm5",),
        models=("minicpm5*", "minicpm-5*"),
        source="chat template of openbmb/MiniCPM5-1B",
    ),
    Format(
        "olmo-3",
        section=("<function_calls>\n", "\n</function_calls>"),
        call="{name}({keywords})",
        separator="\n",
        reasoning=THINK,
        drop=CHATML_ENDS,
        aliases=("olmo3", "olmo3-think"),
        models=("olmo-3*", "olmo3*"),
        source="vLLM 0.33, parser olmo3 (allenai/Olmo-3-7B-Instruct)",
    ),
    # Three sources say three things (WIRE_FORMATS, C); all of them are read.
    Format(
        "phi-4-mini",
        call="<|tool_call|>{calls}<|/tool_call|>",
        also=("functools{calls}",),
        reasoning=THINK,
        drop=("<|end|>", "<|endoftext|>", "<|assistant|>"),
        aliases=("phi4", "phi4-mini", "phi4-mini-json"),
        models=("phi-4*", "phi4*"),
        source="model card of microsoft/Phi-4-mini-instruct; vLLM 0.33, parser phi4_mini_json",
    ),
    Format(
        "plamo-3",
        section=("<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|>"),
        call=PLAMO_CALL,
        reasoning=("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
        drop=("<|plamo:tag|>", "<|plamo:eos|>", "<|plamo:bos|>"),
        aliases=("plamo3",),
        models=("plamo-3*",),
        source="vLLM 0.33, parser plamo3",
    ),
    Format(
        "solar",
        section=("<|tool_calls|>", "<|calls|>"),
        call="<|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>{arguments}<|tool_call:end|>",
        reasoning=("<|think|>", "<|end|>"),
        speaks=("<|content|>",),
        drop=("<|begin|>assistant", "<|end|>", "<|flush|>"),
        aliases=("solar-open",),
        models=("solar-open*", "solar-pro-3*"),
        source="chat template of upstage/Solar-Open-100B",
    ),
    Format(
        "step-3",
        section=("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"),
        call=(
            '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{name}">{parameters}</steptml:invoke>'
            "<｜tool_call_end｜>"
        ),
        separator="\n",
        parameter='<steptml:parameter name="{key}">{value}</steptml:parameter>',
        reasoning=THINK,
        drop=("<｜end▁of▁sentence｜>", "<|EOT|>"),
        aliases=("step3",),
        models=("step-3*", "step3*"),
        source="vLLM 0.33, parser step3 (stepfun-ai/step3)",
    ),
    Format(
        "step-3.5",
        call="<tool_call>\n" + CODER_CALL + "\n</tool_call>",
        also=(CODER_CALL + "\n</tool_call>",),
        separator="\n",
        parameter="<parameter={key}>\n{value}\n</parameter>\n",
        reasoning=LINE_THINK,
        drop=(*CHATML_ENDS, "<|EOT|>"),
        aliases=("step3p5", "step5", "step-5"),
        models=("step-3.5-*", "step-3.7-*", "step-5*", "stepfun3.5-*"),
        source="chat template of stepfun-ai/Step-3.5-Flash",
    ),
)
