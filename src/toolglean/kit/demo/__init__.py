# The token streams that ship with the package, for demonstrations, measurements and tests. Does not depend on how they
# are parsed.
#
# Each record of streams.jsonl is one turn, made for this project: the chat template `template` (of kind
# `template_kind`) wrote it for the case `case`, and the tokenizer `tokenizer` cut it. `left_out` is the text before and
# after it: the end of the prompt, and the marker that ends the turn, at which a server stops. `reasoning`, `content`
# and `calls` were given to the template, so they are the expected result.
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
        name: the name of its format, and its name in `toolglean demo NAME`.
        about: what it shows.
        template: the chat template that wrote the turn.
        template_kind: "jinja" or "go".
        wire_format: the name of the template's format in the collection from which the stream was taken.
        tokenizer: the tokenizer that cut the turn.
        case: the case that was rendered.
        left_out: what the template wrote before and after the turn.
        reasoning: the reasoning that the template was given; "" if the template leaves it out.
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
    """The shipped streams; the first one is the one that is shown by default."""
    text = files(__name__).joinpath("streams.jsonl").read_text(encoding="utf-8")
    # Split only at "\n": a token may contain any other line break.
    return tuple(_stream(json.loads(line)) for line in text.split("\n") if line)


def _stream(record: dict[str, Any]) -> Stream:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    return Stream(**fields)


def load_tools() -> list[dict[str, Any]]:
    """The tools that the templates were given."""
    found: list[dict[str, Any]] = json.loads(files(__name__).joinpath("tools.json").read_text(encoding="utf-8"))
    return found
