# What Meta's models write, and those of others that were trained from them.
"""Llama 3 and 4, pythonic calls, Functionary, Firefunction, Nemotron; Muse."""

from __future__ import annotations

from toolglean.formats.spec import Format

LLAMA_ENDS = ("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>", "<|eom|>")
HEADER = ("<|start_header_id|>assistant<|end_header_id|>",)
THINK = ("<think>\n", "\n</think>")

ATEM_BLOCK = '<atem:function_calls>\n<atem:invoke name="{name}">\n{parameters}</atem:invoke>\n</atem:function_calls>'
ATEM_OBJECT = (
    '<atem:function_calls>\n<atem:invoke name="{name}">\n<atem:parameter>{arguments}</atem:parameter>\n</atem:invoke>\n'
    "</atem:function_calls>"
)

FORMATS = (
    Format(
        "llama3-json",
        call="{call}",
        # Its own template writes the second one for tools that it was trained with, and the model the third.
        also=(
            "<|python_tag|>{call}",
            *("<|python_tag|>{name}.call({keywords})", "<|python_tag|>{name}({keywords})"),
        ),
        separator="; ",
        keys=("name", "parameters"),
        drop=(*LLAMA_ENDS, *HEADER),
        aliases=("llama", "llama3", "llama4-json", "llama-3", "llama-3.1"),
        models=(
            "*-skywork-reward-llama-3.1",
            *("llama-3", "llama-3.1", "llama-3.2", "llama-3.3", "llama-4-json", "llama-1b", "llama-3b", "llama-8b"),
            *("l3", "l3.1", "l3.2", "l3.3", "arcee-supernova", "deephat", "krikri", "nemotron-70b"),
        ),
        source="chat templates of meta-llama/Llama-3.1-8B-Instruct and Llama-3.2-3B-Instruct",
    ),
    # Llama 4's own template writes the content between the first two markers, and JSON after them.
    Format(
        "llama4",
        call="<|python_start|><|python_end|>{call}",
        also=("<|python_end|>{call}", "<|python_start|>{call}<|python_end|>"),
        keys=("name", "parameters"),
        drop=(*LLAMA_ENDS, "<|python_start|>", "<|begin_of_text|>", "<|header_start|>assistant<|header_end|>"),
        models=("llama-4",),
        aliases=("llama4-pystart-json",),
        source="chat template of meta-llama/Llama-4-Scout-17B-16E-Instruct",
    ),
    Format(
        "llama4-pythonic",
        section=("<|python_start|>[", "]<|python_end|>"),
        sections=(("[", "]"),),
        call="{name}({keywords})",
        separator=", ",
        drop=(*LLAMA_ENDS, "<|python_start|>"),
        source="vLLM 0.33, parser llama4_pythonic",
    ),
    Format(
        "pythonic",
        section=("[", "]"),
        sections=(("<|python_start|>[", "]<|python_end|>"),),
        call="{name}({keywords})",
        separator=", ",
        drop=(*LLAMA_ENDS, "<|python_start|>", *HEADER, "<end_of_turn>"),
        aliases=("pythonic-bare", "gemma3-pythonic"),
        models=("*-toolace", "*-watt-tool", "gemma-3", "*-pythonic"),
        source="vLLM 0.33, parser pythonic; chat template of Team-ACE/ToolACE-8B",
    ),
    # The prompt ends with the first `<|recipient|>`: pass it as `prompt`.
    Format(
        "functionary-v2",
        call="<|recipient|>{name}\n<|content|>{arguments}",
        also=("{name}\n<|content|>{arguments}",),
        drop=("<|from|>assistant", "<|recipient|>all\n<|content|>", "<|stop|>"),
        models=("functionary-v2", "functionary-small-v2", "functionary-medium-v2", "functionary-7b-v2"),
        source="chat template of meetkai/functionary-medium-v2.2",
    ),
    Format(
        "functionary-v3.1",
        call="<function={name}>{arguments}</function>",
        also=(
            "<|python_tag|>{call}",
            # What Llama 3 writes in its place.
            *(f"<function={{name}}{sign}{{arguments}}</function>" for sign in ("", "=", ",", " ", "[]")),
            *("<function={name}({arguments})</function>", "<function={name}>({arguments})</function>"),
            "<function={name}/>",
        ),
        without_special_tokens=("{name}{arguments}</function>",),
        drop=(*LLAMA_ENDS, *HEADER),
        aliases=("functionary-v31",),
        models=("functionary-v3.1", "functionary-small-v3.1", "functionary-medium-v3.1", "kanana-1.5"),
        source="chat template of meetkai/functionary-medium-v3.1",
    ),
    # The prompt ends with the first `>>>`: pass it as `prompt`, or the turn's first line is the name.
    Format(
        "functionary-v3.2",
        call=">>>{name}\n{arguments}",
        also=("{name}\n{arguments}",),
        drop=(*LLAMA_ENDS, ">>>all\n"),
        aliases=("functionary-v32", "functionary"),
        models=("functionary",),
        source="chat template of meetkai/functionary-medium-v3.2",
    ),
    Format(
        "firefunction",
        call="functools{calls}",
        drop=(*LLAMA_ENDS, *HEADER),
        aliases=("firefunction-v2",),
        models=("*-firefunction",),
        source="chat template of fireworks-ai/llama-3-firefunction-v2",
    ),
    Format(
        "nemotron",
        call="<TOOLCALL>{calls}</TOOLCALL>",
        reasoning=THINK,
        drop=(
            *("<SPECIAL_12>", "<SPECIAL_11>Assistant\n", "<extra_id_1>Assistant\n"),
            *("<|im_end|>", "<|im_start|>assistant", *LLAMA_ENDS),
        ),
        aliases=(
            *("nemotron-nano-v2", "nemotron-toolcall", "nemotron-deci", "nemotron-json", "nemotron-v2"),
            *("nemotron-h", "llama-nemotron", "llama-nemotron-json"),
        ),
        models=("*-nemotron-nano", "*-nemotron-super", "*-nemotron-ultra", "*-nemotron-h-8b", "*-nemotron-h-47b"),
        source="chat template of nvidia/NVIDIA-Nemotron-Nano-9B-v2",
    ),
    Format(
        "nemotron-mini",
        call="<toolcall> {call} </toolcall>",
        separator=" ",
        models=("*-nemotron-mini", "*-nemo-minitron"),
        source="Ollama's template of nvidia/Nemotron-Mini-4B-Instruct",
    ),
    # The turn is messages; the header of the first one is in the prompt. `to=self` reasons, `to=user` speaks.
    Format(
        "muse",
        call=" to={name}<|message|>" + ATEM_BLOCK,
        also=(
            "<|start|>assistant to={name}<|message|>" + ATEM_BLOCK,
            "<|start|>assistant to={name}<|message|>" + ATEM_OBJECT,
            " to={name}<|message|>" + ATEM_OBJECT,
            *("<|start|>assistant<|message|>" + ATEM_BLOCK, "<|message|>" + ATEM_BLOCK, ATEM_BLOCK, ATEM_OBJECT),
            ATEM_BLOCK.partition("\n")[2],  # another call of the block
        ),
        separator="<|eom|>",
        parameter='<atem:parameter name="{key}">{value}</atem:parameter>\n',
        reasoning=(" to=self<|message|>", "<|eom|>"),
        reasonings=(
            ("<|start|>assistant to=self<|message|>", "<|eom|>"),
            ("<|start|>assistant<|message|>", "<|eom|>"),
            ("<|message|>", "<|eom|>"),
            (" to=developer<|message|>", "<|eom|>"),
        ),
        content_markers=(
            "<|start|>assistant",
            *("<|start|>assistant to=user<|message|>", " to=user<|message|>"),
            *("<|start|>assistant to=commentary<|message|>", " to=commentary<|message|>"),
        ),
        user_only_markers=("<|start|>assistant to=user<|message|>", " to=user<|message|>"),
        drop=("<|eom|>", "<|eot|>"),
        aliases=("glimmer", "muse-glimmer", "musespark1x", "muse-spark", "onyx"),
        models=("muse", "glimmer"),
        source="chat template muse-glimmer in llama.cpp; vLLM 0.33, parser muse",
    ),
)
