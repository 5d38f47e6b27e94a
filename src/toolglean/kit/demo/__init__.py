# What this room knows: the token streams that are shipped, to be shown, measured and tested.
# What it must not know: how they are parsed.
#
# Each record of streams.jsonl is one turn: what the chat template `template` (of kind `template_kind`) wrote for the
# case `case`, cut by the tokenizer `tokenizer`; made for this project. `left_out` is what stood before and after: the
# end of the prompt, and the marker that ends the turn, at which a server stops. `reasoning`, `content` and `calls` are
# what went into the template: the truth.
"""Token streams of real chat templates, cut by real tokenizers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["Stream", "load_streams", "load_tools"]


@dataclass(frozen=True, slots=True)
class Stream:
    """One turn of a model.

    Attributes:
        name: the name of its format, and what it is called in `toolglean demo --stream NAME`.
        about: what there is to see.
        template: the chat template that wrote the turn.
        template_kind: "jinja" or "go".
        wire_format: what the template's format is called in the collection from which the stream was taken.
        tokenizer: what cut the turn.
        case: the case that was rendered.
        left_out: what the template wrote before and after the turn.
        reasoning: the reasoning that the template was given, "" where it left it out.
        content: the content that the template was given; the turn may have white space after it.
        calls: the calls that the template was given: name and arguments of each.
        tokens: the turn, token by token.
    """

    name: str
    about: str
    template: str
    template_kind: str
    wire_format: str
    tokenizer: str
    case: str
    left_out: tuple[str, str]
    reasoning: str
    content: str
    calls: tuple[dict[str, Any], ...]
    tokens: tuple[str, ...]


@cache
def load_streams() -> tuple[Stream, ...]:
    """The shipped streams; the one to be shown first comes first."""
    text = files(__name__).joinpath("streams.jsonl").read_text(encoding="utf-8")
    # Split at "\n" alone: a token may hold any other line break.
    return tuple(_stream(json.loads(line)) for line in text.split("\n") if line)


def _stream(record: dict[str, Any]) -> Stream:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    return Stream(**fields)


def load_tools() -> list[dict[str, Any]]:
    """The tools that the templates were given."""
    found: list[dict[str, Any]] = json.loads(files(__name__).joinpath("tools.json").read_text(encoding="utf-8"))
    return found
