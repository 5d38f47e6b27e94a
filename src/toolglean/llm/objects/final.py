# What this file knows: how a complete JSON text becomes a validated object, and where in the text each fault is.
# Does not depend on where the text comes from, or on what is done with the object.
#
# pydantic validates the JSON itself, because some types accept only JSON's form (a date as a string). It describes a
# place by keys and indexes; the tree that was built while the text arrived has their positions.
"""The end of an object: the model, or an error with the text and the position."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from toolglean.conversation import coerce_arguments
from toolglean.llm.errors import IncompleteObjectError, InvalidObjectError, MalformedObjectError, ObjectError
from toolglean.llm.objects.tree import Builder, List, Node, Object
from toolglean.scan.nested import without_halves

__all__ = ["invalid_object", "object_of", "read_object", "valid_object", "validated"]

M = TypeVar("M", bound=BaseModel)

SHOWN = 60
"""How many characters of the text an error message shows."""


def read_object(text: str) -> Builder:
    """The tree of a text that should be one JSON object, which may have white space around it."""
    builder = Builder()
    builder.feed_all(text, 0)
    return builder


def object_of(model: type[M], text: str) -> M:
    """The object of that class in the JSON text.

    Raises:
        IncompleteObjectError, MalformedObjectError, InvalidObjectError: there is none; each has the text and the
            position.
    """
    return validated(model, read_object(text))


def validated(model: type[M], builder: Builder, *, index: int = 0, partial: Any = None, cut: bool = False) -> M:
    """The object that the builder has read; `cut`: the call around it never ended.

    Raises:
        The errors of `object_of`, with this `index` and `partial`.
    """
    error = _unreadable(model, builder, index, partial, cut=cut)
    if error is not None:
        raise error
    try:
        return valid_object(model, without_halves(builder.json))  # as in the arguments of a call
    except ValidationError as cause:
        raise _invalid(f"{model.__name__} is not valid", builder, cause, index, partial) from cause


def valid_object(model: type[M], text: str) -> M:
    """The object in the JSON text: unchanged, or else with strings converted to the types of the class.

    Models write `"7"`, or a list as a string, where the class does not allow a string.

    Raises:
        ValidationError: neither is valid; this is pydantic's error for the unchanged text.
    """
    try:
        return model.model_validate_json(text)
    except ValidationError as cause:
        given = json.loads(text)
        fitting = coerce_arguments(given, model.model_json_schema()) if isinstance(given, dict) else given
        if fitting == given:
            raise
        try:
            return model.model_validate_json(json.dumps(fitting))
        except ValidationError:
            raise cause from None


def _unreadable(model: type[BaseModel], builder: Builder, index: int, partial: Any, *, cut: bool) -> ObjectError | None:
    if builder.done and not builder.fault and not cut:
        return None
    text = builder.text
    if not builder.fault:
        message = f"{model.__name__} is cut off after {len(text)} characters: {_tail(text)}"
        return IncompleteObjectError(message, text=text, index=index, partial=partial)
    place = builder.place
    message = f"the arguments of {model.__name__!r} are not valid JSON (character {place})"
    message = f"{message}: {builder.fault}: {_around(text, place)}"
    return MalformedObjectError(
        message, text=text, span=(place, min(place + 1, len(text))), index=index, partial=partial
    )


def invalid_object(title: str, text: str, cause: ValidationError) -> InvalidObjectError:
    """The error for an invalid JSON object, with the text and the position of each of pydantic's entries."""
    return _invalid(title, read_object(text), cause, 0, None)


def _invalid(message: str, builder: Builder, cause: ValidationError, index: int, partial: Any) -> InvalidObjectError:
    text = builder.text
    entries = cause.errors(include_url=False, include_context=False)
    spans = [_span(builder.root, entry["loc"], len(text)) for entry in entries]
    lines = [
        f"{'.'.join(map(str, entry['loc'])) or 'the object'}: {entry['msg']} (characters {span[0]} to {span[1]})"
        for entry, span in zip(entries, spans, strict=True)
    ]
    return InvalidObjectError(
        f"{message}: {'; '.join(lines)}",
        validation_error=cause,
        spans=spans,
        text=text,
        span=spans[0] if spans else None,
        index=index,
        partial=partial,
    )


def _span(node: Node | None, loc: tuple[int | str, ...], length: int) -> tuple[int, int]:
    # A step that is neither a key nor an index (a member of a union, a validator) has no position.
    for step in loc:
        if isinstance(node, Object) and isinstance(step, str):
            node = node.items.get(step, node)
        elif isinstance(node, List) and isinstance(step, int) and 0 <= step < len(node.items):
            node = node.items[step]
    return (0, length) if node is None else (node.start, node.end)


def _tail(text: str) -> str:
    return repr(text) if len(text) <= SHOWN else "…" + repr(text[-SHOWN:])


def _around(text: str, place: int) -> str:
    begin = max(0, place - SHOWN // 2)
    return repr(text[begin : begin + SHOWN])
