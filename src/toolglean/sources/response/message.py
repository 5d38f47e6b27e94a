# How a turn becomes the dict that transformers' `parse_response` returns. Does not depend on how regions are found: it
# watches the plan that finds them.
#
# It differs from transformers where this library has decided differently (docs/explanation/response-templates.md):
# nothing that a model writes raises; a region that cannot be read, or was cut off, is text of the sink; text before and
# after a call is kept (for a sink that does not repeat, transformers keeps the last piece); a closer within a JSON
# string is text.
"""Messages in the shape of transformers."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from toolglean.engine.machine import Machine
from toolglean.sources.response.fields import CLOSE, Note
from toolglean.sources.response.plan import ResponsePlan, prompt_of, response_plan
from toolglean.sources.response.spec import Field, Role
from toolglean.sources.response.values import NOTHING, coerced, content_value, region_value
from toolglean.tools import ToolLike, ToolSet

__all__ = ["message"]


def message(
    template: Mapping[str, Any], text: str, prefix: str = "", tools: Iterable[ToolLike] | ToolSet | None = None
) -> dict[str, Any]:
    """The message of a turn, in the shape of transformers' `tokenizer.parse_response`.

    Args:
        template: a response template, version 1.
        text: the turn.
        prefix: the prompt; the part of the message that it contains, after the last anchor, is read with the turn.
        tools: if given, text values of arguments are typed by the tool's JSON schema.

    Returns:
        The template's defaults, and each field that the turn contains.

    Raises:
        FormatError: the template is wrong; the message names the field.
        UsageError: a pattern needs the extra [regex].
        ToolError: an entry of `tools` is not a tool.
    """
    plan = response_plan(template)
    known = tools if isinstance(tools, ToolSet) else ToolSet(tools or ())
    whole = (prompt_of(template, prefix) if prefix else "") + text
    notes: list[Note] = []
    watched = plan.watched(notes.append)
    machine = Machine(watched, None)
    machine.feed(whole)
    machine.finish()
    return _message(plan, notes, whole, known)


def _message(plan: ResponsePlan, notes: list[Note], text: str, tools: ToolSet) -> dict[str, Any]:
    found: dict[str, Any] = dict(copy.deepcopy(plan.template.defaults))
    pieces: list[str] = []
    place = 0
    for note in _joined(notes, len(text)):
        if note.mark.number >= 0:
            field = plan.fields[note.mark.number]
            value = region_value(field, text[note.body : note.body_end], note.mark.captures)
            if value is NOTHING:
                continue
            _put(found, field, _with_types(value, tools) if field.role is Role.CALLS else value)
        pieces.append(text[place : note.start])
        place = note.end
    pieces.append(text[place:])
    if plan.template.sink is not None:
        _put_sink(found, plan.template.sink, pieces)
    defaults = plan.template.defaults
    return {key: value for key, value in found.items() if key in defaults or not _is_empty(value)}


def _joined(notes: list[Note], end: int) -> Iterator[Note]:
    # A region of text is reported when it opens and when it closes; without a closer it extends to the end.
    for note, after in pairwise([*notes, None]):
        assert note is not None
        if after is not None and after.mark.number == CLOSE:
            yield replace(note, body_end=after.start, end=after.end)
        elif note.mark.number != CLOSE:
            yield note if note.end >= 0 else replace(note, body_end=end, end=end)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def _put(found: dict[str, Any], field: Field, value: Any) -> None:
    before = found.get(field.name)
    if field.join is not None:
        found[field.name] = value if before is None else before + field.join + value
    elif field.repeats:
        found.setdefault(field.name, []).append(value)
    else:
        found[field.name] = [*before, *value] if field.each and isinstance(before, list) else value


def _put_sink(found: dict[str, Any], sink: Field, pieces: list[str]) -> None:
    parts = [each for each in pieces if each.strip()]
    for part in parts if sink.repeats else ["".join(parts)] * bool(parts):
        value = content_value(sink.content, part, sink.args)
        if value is not NOTHING:
            _put(found, sink, value)


def _with_types(value: Any, tools: ToolSet) -> Any:
    if isinstance(value, list):
        return [_with_types(each, tools) for each in value]
    function = value.get("function") if isinstance(value, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    tool = tools.get(function["name"]) if isinstance(function, dict) and isinstance(function.get("name"), str) else None
    if tool is not None and isinstance(arguments, dict):
        function["arguments"] = coerced(arguments, tool)  # type: ignore[index]  # a dict: it has a name
    return value
