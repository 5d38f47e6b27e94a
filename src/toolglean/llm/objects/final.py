# What this file knows: how whole JSON text becomes a validated object, and where in the text each fault stands.
# What it must not know: how the text came, and what becomes of the object.
#
# pydantic validates the JSON itself, because some types are strict only there (a date from a string). Its entries name
# a place as keys and indexes; the tree that was built while the text arrived knows where these stand.
"""The end of an object: the model, or an error with the text and the place."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from toolglean.conversation import coerce_arguments
from toolglean.llm.errors import IncompleteObjectError, InvalidObjectError, MalformedObjectError, ObjectError
from toolglean.llm.objects.tree import Builder, List, Node, Object
from toolglean.scan.json import decode

__all__ = ["invalid_object", "object_of", "read_object", "valid_object", "validated"]

M = TypeVar("M", bound=BaseModel)

SHOWN = 60
"""Characters of the text in a message."""

_half = re.compile("[\ud800-\udfff]|\\\\u[dD][89a-fA-F]").search


def read_object(text: str) -> Builder:
    """The tree of a text that should be one JSON object, with white space around it."""
    builder = Builder()
    builder.feed_all(text, 0)
    return builder


def object_of(model: type[M], text: str) -> M:
    """The object of that class that the JSON text says.

    Raises:
        IncompleteObjectError, MalformedObjectError, InvalidObjectError: it says none; each has the text and the place.
    """
    return validated(model, read_object(text))


def validated(model: type[M], builder: Builder, *, index: int = 0, partial: Any = None, cut: bool = False) -> M:
    """The object that the builder has read; `cut`: the call around it never ended.

    Raises:
        As `object_of`; `index` and `partial` go into the error.
    """
    error = _unreadable(model, builder, index, partial, cut=cut)
    if error is not None:
        raise error
    try:
        return valid_object(model, _sound(builder.json))
    except ValidationError as cause:
        raise _invalid(f"{model.__name__} is not valid", builder, cause, index, partial) from cause


def valid_object(model: type[M], text: str) -> M:
    """The object that JSON text says: as it stands, or else with texts made what the class asks for in their place.

    Models write `"7"`, or a list as text, where the class allows no text.

    Raises:
        ValidationError: neither is valid; what pydantic says of the text as it stands.
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


def invalid_object(title: str, text: str, cause: ValidationError, *, index: int = 0) -> InvalidObjectError:
    """The error of a JSON object that is not valid: with the text, and the place of each of pydantic's entries."""
    return _invalid(title, read_object(text), cause, index, None)


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
    # What names no key and no item names a member of a union, or a step of a validator: it has no place of its own.
    for step in loc:
        if isinstance(node, Object) and isinstance(step, str):
            node = node.items.get(step, node)
        elif isinstance(node, List) and isinstance(step, int) and 0 <= step < len(node.items):
            node = node.items[step]
    return (0, length) if node is None else (node.start, node.end)


def _sound(text: str) -> str:
    # Halves of a surrogate pair, which no UTF-8 can hold, become U+FFFD, as in the arguments of a call.
    return json.dumps(decode(text)[0], ensure_ascii=False) if _half(text) else text


def _tail(text: str) -> str:
    return repr(text) if len(text) <= SHOWN else "…" + repr(text[-SHOWN:])


def _around(text: str, place: int) -> str:
    begin = max(0, place - SHOWN // 2)
    return repr(text[begin : begin + SHOWN])
