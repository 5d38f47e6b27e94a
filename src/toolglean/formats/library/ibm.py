# What IBM's Granite models write.
"""Granite 3, Granite 20B function calling, Granite 4, Python."""

from __future__ import annotations

from toolglean.formats.spec import Format

THINK = ("<think>", "</think>")
PHRASES = ("Here is my thought process:", "Here is my response:")  # Granite 3.2 marks its reasoning with phrases
CODER_CALL = "<function={name}>\n{parameters}</function>"  # later checkpoints write it
ENDS = ("<|end_of_text|>", "<|endoftext|>", "<|start_of_role|>assistant<|end_of_role|>")

FORMATS = (
    Format(
        "granite-3",
        call="<|tool_call|>{calls}",
        also=(
            *("<tool_call>{calls}", "<tool_call>{calls}</tool_call>", "<|tool_call|>\n{call}\n<|tool_call_end|>"),
            "<tool_call>\n" + CODER_CALL + "\n</tool_call>",
        ),
        parameter="<parameter={key}>\n{value}\n</parameter>\n",
        reasoning=THINK,
        reasonings=(PHRASES, ("Here's my thought process:", "Here's my response:")),
        drop=(*ENDS, "<response>", "</response>"),
        aliases=("granite", "granite3"),
        models=("granite-3", "grug-67b", "monostich-2"),
        source="chat template of ibm-granite/granite-3.3-2b-instruct; vLLM 0.33, parser granite",
    ),
    Format(
        "granite-20b-fc",
        call="<function_call> {call}",
        also=("<function_call>{call}</function_call>",),
        separator="\n",
        drop=ENDS,
        aliases=("granite-fc",),
        models=("granite-20b-functioncalling", "granite-20b-code"),
        source="vLLM 0.33, parser granite-20b-fc (ibm-granite/granite-20b-functioncalling)",
    ),
    Format(
        "granite-pythonic",
        call="{name}({keywords})",
        separator="\n",
        drop=ENDS,
        source="vLLM (branch), parser granite_pythonic",
    ),
    Format(
        "granite-4",
        call="<tool_call>\n{call}\n</tool_call>",
        separator="\n",
        reasoning=THINK,
        drop=ENDS,
        aliases=("granite4",),
        models=("granite-4", "granite-*-4", "granite-350m", "*-granite-speech-4.1-*-plus"),
        source="chat template of ibm-granite/granite-4.0-tiny",
    ),
)
