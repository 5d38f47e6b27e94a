# What Moonshot's Kimi models write.
"""Kimi K2, K3."""

from __future__ import annotations

from toolglean.formats.spec import Format

BEGIN, ARGUMENTS, END = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"
K3_CALL = '<|open|>call tool="{name}" index="{index}"<|sep|>'
K3_JSON = '<|open|>json type="object"<|sep|>{arguments}<|close|>json<|sep|>'  # where the template was given JSON

FORMATS = (
    # The id is made of name and number; some models leave out `functions.`, others the number.
    Format(
        "kimi-k2",
        section=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        sections=(("<|tool_call_section_begin|>", "<|tool_call_section_end|>"),),
        call=BEGIN + "functions.{name}:{index}" + ARGUMENTS + "{arguments}" + END,
        also=(
            BEGIN + "{ws}functions.{name}:{index}" + ARGUMENTS + "{arguments}" + END,
            BEGIN + "{ws}{name}:{index}" + ARGUMENTS + "{arguments}" + END,
            BEGIN + "functions.{name}" + ARGUMENTS + "{arguments}" + END,
            BEGIN + "{ws}{name}" + ARGUMENTS + "{arguments}" + END,
            BEGIN + "functions.{name}:{index}{arguments}" + END,
            BEGIN + "{call}" + END,
        ),
        without_special_tokens=(
            "functions.{name}:{index}" + ARGUMENTS + "{arguments}" + END,
            "functions.{name}:{index}{arguments}",
            "{name}:{index}" + ARGUMENTS + "{arguments}" + END,
        ),
        id="functions.{name}:{index}",
        reasoning=("<think>", "</think>"),
        reasonings=(("◁think▷", "◁/think▷"),),
        drop=("<|im_end|>", "[EOS]", "<|im_assistant|>assistant<|im_middle|>"),
        aliases=("kimi", "kimi-k25", "kimi-k2.5", "kimi-thinking"),
        models=("kimi-k2", "kimi-k2.5", "kimi-vl", "kimi-linear", "llada-2.2"),
        source="chat template of moonshotai/Kimi-K2-Instruct",
    ),
    # What is left where a server takes the first tokens out: after other text too.
    Format(
        "kimi-k2-stripped",
        call="functions.{name}:{index}" + ARGUMENTS + "{arguments}" + END,
        without_special_tokens=("functions.{name}:{index}{arguments}",),
        id="functions.{name}:{index}",
        registered_only=True,
        source="issue threads",
    ),
    Format(
        "kimi-k3",
        section=("<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),
        call=K3_CALL + "{parameters}<|close|>call<|sep|>",
        also=(K3_CALL + K3_JSON + "<|close|>call<|sep|>",),
        parameter='<|open|>argument key="{key}" type="{type}"<|sep|>{value}<|close|>argument<|sep|>',
        reasoning=("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
        reasonings=(("<|open|>think<|sep|>", "<|close|>think<|open|>response<|sep|>"),),  # one is lost now and then
        content_markers=("<|open|>response<|sep|>", "<|open|> response <|sep|>"),
        drop=(
            *("<|close|>response<|sep|>", "<|close|> response <|sep|>"),
            *("<|close|>message<|sep|>", "<|end_of_msg|>"),
        ),
        types={
            "string": "string",
            "number": "number",
            "boolean": "boolean",
            "null": "null",
            "array": "array",
            "*": "object",
        },
        escapes=(("&", "&amp;"), ('"', "&quot;")),  # of attributes alone: the text of an argument is literal
        models=("kimi-k3",),
        source="chat template of moonshotai/Kimi-K3",
    ),
)
