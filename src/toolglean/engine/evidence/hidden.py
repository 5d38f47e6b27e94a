# How a marker is hidden from all readers of text, and shown again in events. Does not know which markers are hidden.
#
# A marker that is not to be read as one is given to the machine with other characters in place of its brackets. Then no
# format, no tag, no repair and no second reading can take it for a marker, whatever they look for. The characters are
# those that Unicode reserves for such use inside a program ("noncharacters"): they appear in no text that is meant for
# anybody else. If a model writes one all the same, it becomes U+FFFD. Length and places stay the same.
"""Hiding markers."""

from __future__ import annotations

import re
from dataclasses import replace

from toolglean.events import CallEnd, CallStart, Event, ToolCall
from toolglean.scan.json import decode

__all__ = ["can_hide", "cleaned", "hidden", "shown"]

RESERVED = tuple(map(chr, range(0xFDD0, 0xFDF0)))
BRACKETS = "<>[]{}()|｜/"
"""What is replaced. A marker contains at least one of these; in JSON, they need no escape."""

_find = re.compile(f"[{RESERVED[0]}-{RESERVED[-1]}]").search
_written = {ord(each): "\ufffd" for each in RESERVED}
_hiding = {ord(char): other for char, other in zip(BRACKETS, RESERVED, strict=False)}
_showing = {ord(other): char for char, other in zip(BRACKETS, RESERVED, strict=False)}


def can_hide(marker: str) -> bool:
    """Whether a marker contains any of the characters that are replaced."""
    return any(each in marker for each in BRACKETS)


def hidden(marker: str) -> str:
    """The marker as no reader knows it; it is as long."""
    return marker.translate(_hiding)


def cleaned(text: str) -> str:
    """Text of the model, without the characters that hide markers."""
    return text.translate(_written) if _find(text) else text


def shown(events: list[Event]) -> list[Event]:
    """The events, with markers as the model wrote them."""
    return [_event(event) for event in events]


def _event(event: Event) -> Event:
    if isinstance(event, CallEnd):
        return CallEnd(event.index, _call(event.call), event.start)
    if isinstance(event, CallStart):
        return CallStart(event.index, event.id and _text(event.id), _text(event.name), event.known, event.start)
    return replace(event, text=_text(event.text)) if _find(event.text) else event


def _text(text: str) -> str:
    return text.translate(_showing) if _find(text) else text


def _call(call: ToolCall) -> ToolCall:
    if not _find(call.arguments_text) and not _find(call.name) and not _find(call.id):
        return call
    text = _text(call.arguments_text)
    # Decoded again: a reserved character that the model has written as an escape hides nothing.
    arguments = decode(text)[0] if call.status == "ok" else None
    return ToolCall(
        _text(call.id),
        call.index,
        _text(call.name),
        call.known,
        arguments,
        text,
        call.span,
        call.status,
        call.repairs,
    )
