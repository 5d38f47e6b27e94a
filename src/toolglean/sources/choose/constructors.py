# What the named constructors of `Format` return: one source each, through the same precedence as a parser's arguments.
# Does not depend on what a parser does with the format.
"""Formats from models' names, templates and tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from toolglean.errors import FormatError, UsageError, shown
from toolglean.sources.choose.arguments import check_sources
from toolglean.sources.choose.precedence import Given, choose

if TYPE_CHECKING:
    from toolglean.formats.spec import Format

__all__ = ["chosen", "from_turns", "to_response_template"]

_EXPECTED = {
    "model": "a model's name",
    "template": "a chat template's text, or a path object of its file",
    "tokenizer_config": "a path, or the contents as a dict",
    "response_template": "the template as a dict",
    "tag": "the marker that starts a call",
}


def chosen(argument: str, given: Mapping[str, Any]) -> Format:
    """The format that one argument shows.

    Args:
        argument: its name.
        given: it and those that belong to it: see `Given`.
    """
    value = given[argument]
    if value is None or (argument == "response_template" and not value):
        raise UsageError(f"{argument}={shown(value)} does not say how the model writes: pass {_EXPECTED[argument]}")
    check_sources(**given)
    formats = choose(Given(**given)).formats
    assert formats is not None
    return formats[0]


def from_turns(
    turns: Iterable[str], tools: Iterable[Any], name: str, answers: Iterable[Iterable[Any]] | None
) -> Format:
    """See `Format.from_turns`."""
    from toolglean.sources.traces import learn  # noqa: PLC0415  # few programs learn

    return learn(turns, tools, name=name, answers=answers).format


def to_response_template(declared: Format, start_anchor: str | None, main_only: bool) -> dict[str, Any]:  # noqa: FBT001
    """See `Format.to_response_template`: the template that expresses most of the format."""
    from toolglean.sources.response.export import export  # noqa: PLC0415  # few programs write one

    try:
        return export(declared, start_anchor=start_anchor or "")
    except FormatError:
        if not main_only:
            raise
        return export(declared, start_anchor=start_anchor or "", main_only=True)
