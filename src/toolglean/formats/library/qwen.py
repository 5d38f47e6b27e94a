# What this file knows: what the Qwen and Hermes families write.
"""Qwen, Hermes."""

from __future__ import annotations

from toolglean.formats.spec import Format

THINK = ("<think>\n", "\n</think>")
TURN_ENDS = ("<|im_end|>", "<|endoftext|>")
CODER_CALL = "<function={name}>\n{parameters}</function>"

FORMATS = (
    Format(
        "hermes",
        call="<tool_call>\n{call}\n</tool_call>",
        separator="\n",
        reasoning=THINK,
        drop=TURN_ENDS,
        aliases=("qwen3_json", "qwen", "qwen25", "qwen3"),
        models=("qwen2.5*", "qwen3*", "*hermes*"),
    ),
    Format(
        "qwen3-coder",
        call="<tool_call>\n" + CODER_CALL + "\n</tool_call>",
        also=(CODER_CALL,),
        separator="\n",
        parameter="<parameter={key}>\n{value}\n</parameter>\n",
        reasoning=THINK,
        drop=TURN_ENDS,
        aliases=("qwen3_xml",),
        models=("qwen3-coder*", "qwen3.5*"),
    ),
)
