# What Qwen's models, Hermes, and the makes write that took over their formats.
"""Hermes, Qwen, MiMo, Seed-OSS, LongCat, Apriel."""

from __future__ import annotations

from toolglean.formats.spec import Format

THINK = ("<think>\n", "\n</think>")
CHATML = ("<|im_end|>", "<|endoftext|>", "<|im_start|>assistant")
"""What ends a turn in ChatML, and the header of the model's own message: the turn continues after it."""

CODER_CALL = "<function={name}>\n{parameters}</function>"
CODER_PARAMETER = "<parameter={key}>\n{value}\n</parameter>\n"

FORMATS = (
    # Hermes 2 writes `arguments` first; Ollama's older templates put all calls into one wrapper. {call} reads both.
    # Hermes 2 Theta writes the marker of a turn for that of a call.
    Format(
        "hermes",
        call="<tool_call>\n{call}\n</tool_call>",
        also=("<|im_start|>\n{call}\n<|im_start|>",),
        separator="\n",
        reasoning=THINK,
        drop=(*CHATML, "<|eot_id|>", "[|endofturn|]"),
        aliases=(
            *("qwen", "qwen25", "qwen2.5", "qwen3", "qwen3-json", "trinity", "exaone4", "qwen3-thinking"),
            *("qwen3-vl-instruct", "qwen3-vl-thinking", "holo2", "hermes-2-pro", "hermes3", "qwen2d5"),
            *("qwen3-next", "qwen-qwq", "json-tools", "tng", "tng-r1t2", "kolibri1", "exaone-moe", "k-exaone"),
        ),
        models=(
            *("*-hermes", "*-deephermes", "llama-3-groq", "qwen2.5", "qwen2", "qwen3", "qwq", "rnj", "bielik"),
            *("reka", "kat", "holo2", "exaone-4", "k-exaone", "baichuan-m2", "smollm3", "mimo-vl", "trinity"),
            *("afm-4.5b", "xiyansql", "cogito", "smallthinker", "ling-1t", "ling-2", "ling-flash", "ling-mini"),
            *("ring-1t", "ring-2", "ring-flash", "ring-mini", "a.x-4.0", "kanana-2", "jan-v1", "jan-v2"),
            *(
                "jan-v3",
                "jan-nano",
                "menlo/lucy",
                "lucy-128k",
                "tongyi-deepresearch",
                "r1t2",
                "deepseek-r1t2",
                "intern-s1-pro",
            ),
            *("*-nemotron-orchestrator", "*-nemotron-cascade", "*-arch-function", "jamba-reasoning", "falcon-h1"),
        ),
        source="chat templates of NousResearch/Hermes-2-Pro-Llama-3-8B, Qwen/Qwen2.5-7B-Instruct and Qwen/Qwen3-0.6B",
    ),
    # Models forget the wrapper, or its opener alone, and fall back to the JSON of Qwen3; templates that are given JSON
    # write it between the tags of the function.
    Format(
        "qwen3-coder",
        call="<tool_call>\n" + CODER_CALL + "\n</tool_call>",
        also=(
            CODER_CALL + "\n</tool_call>",
            *("<function={name}/>", "<tool_call>\n<function={name}/>\n</tool_call>"),
            "<tool_call>\n<function={name}>\n{arguments}\n</function>\n</tool_call>",
            "<tool_call>\n{call}\n</tool_call>",
        ),
        separator="\n",
        parameter=CODER_PARAMETER,
        reasoning=THINK,
        drop=CHATML,
        aliases=(
            *("qwen3-xml", "qwen3.5", "ornith", "nanbeige", "minicpmv", "nemotron-3", "nemotron-v3"),
            *("nemotron-3-nano", "nemotron-3.5-nano", "granite-thinking-parser", "qwen-coder", "qwen-xml"),
            *("interns2-preview", "nemotron-nano", "nano-v3", "berrylm", "iquest-coder"),
        ),
        models=(
            *("qwen3-coder", "qwen3.5", "qwen3.6", "qwen3.7", "qwen3.8", "ornith", "nanbeige4", "minicpm-v-4.5"),
            *("minicpm-v4.5", "intern-s2", "iquest-coder", "intellect-3", "granite-4.2"),
            *("*-nemotron-3", "*-nemotron-3.5", "*-nemotron-nano-3", "*-nemotron-cascade-2"),
        ),
        source="chat templates of Qwen/Qwen3-Coder-30B-A3B-Instruct, Qwen/Qwen3.5-4B, nvidia/Nemotron-3-Nano-30B-A3B",
    ),
    # One line, and values verbatim: a line break next to a value belongs to it.
    Format(
        "mimo",
        call="<tool_call>{ws}<function={name}>{parameters}</function>{ws}</tool_call>",
        also=("<function={name}>{parameters}</function>{ws}</tool_call>",),
        separator="\n",
        parameter="<parameter={key}>{value}</parameter>",
        reasoning=("<think>", "</think>"),
        drop=CHATML,
        aliases=("xiaomi-mimo",),
        models=("mimo-v2",),
        source="vLLM 0.33, parser mimo; SGLang 0.5.23, detector mimo (XiaomiMiMo/MiMo-V2-Flash)",
    ),
    # The template writes values without line breaks, the models with them.
    Format(
        "seed-oss",
        call="<seed:tool_call>\n" + CODER_CALL + "\n</seed:tool_call>",
        also=(CODER_CALL + "\n</seed:tool_call>",),
        separator="\n",
        parameter=CODER_PARAMETER,
        reasoning=("<seed:think>", "</seed:think>"),
        drop=("<seed:eos>",),
        models=("seed-oss",),
        source="chat template of ByteDance-Seed/Seed-OSS-36B-Instruct",
    ),
    Format(
        "longcat",
        call="<longcat_tool_call>\n{call}\n</longcat_tool_call>",
        also=("<longcat_tool_call>{ws}{name}\n{parameters}</longcat_tool_call>",),
        separator="\n",
        parameter=(
            "<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>{value}</longcat_arg_value>\n",
            "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n",
        ),
        reasoning=("<longcat_think>\n", "\n</longcat_think>"),
        drop=("</longcat_s>",),
        models=("longcat",),
        source="vLLM 0.33, parser longcat (meituan-longcat/LongCat-Flash-Chat)",
    ),
    # Reasoning has no opener of its own that is certain: the prompt ends with "Here are my reasoning steps:\n".
    Format(
        "apriel",
        call="<tool_calls>{calls}</tool_calls>",
        reasoning=("Here are my reasoning steps:\n", "\n[BEGIN FINAL RESPONSE]\n"),
        reasonings=(("<thinking>", "</thinking>"),),
        drop=("[END FINAL RESPONSE]", "<|begin_assistant|>", "<|end|>"),
        aliases=("apriel-1.5",),
        models=("apriel", "*-apriel-nemotron"),
        source="chat templates of ServiceNow-AI/Apriel-1.5-15b-Thinker and Apriel-1.6-15b-Thinker",
    ),
)
