# From what the turns show to declarations: a few for each shape and frame. Does not depend on whether one
# of them is right (proof.py).
"""Declarations that may explain the turns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from toolglean.errors import FormatError
from toolglean.formats.patterns import is_marker
from toolglean.formats.spec import Format, Literal, Pairs, tokens_of
from toolglean.sources.traces.bodies import Shape
from toolglean.sources.traces.frames import Frame
from toolglean.sources.traces.texts import markers_in

__all__ = ["declarations", "size_of"]


def declarations(name: str, shape: Shape, frame: Frame) -> Iterator[Format]:
    """The declarations of that shape and frame.

    Raises:
        FormatError: none can be written; the message says why.
    """
    if frame.head is None:
        raise FormatError("the text between the name and the arguments differs from call to call")
    if frame.separator is None:
        raise FormatError("the text between two calls differs from turn to turn")
    if frame.closer.strip() in {'"', "'"}:
        raise FormatError("only a quote shows where a call ends: it needs a closing marker")
    opener = frame.opener.strip()
    if any(each.isalnum() for each in opener) and re.search(re.escape(opener) + r"(?!\w)", frame.closer):
        raise FormatError("the text after a call has the opener of another one in it")
    closer, parameter = frame.closer, shape.fields.get("parameter", "")
    if parameter[-1:].isspace():  # the white space before the closer is the parameter's
        closer = closer.lstrip()
    body = shape.slot if shape.slot in {"{call}", "{calls}"} else "{name}" + frame.head + shape.slot
    call = (frame.opener + body + closer).strip()
    words: dict[str, Any] = {
        **shape.fields,
        "section": frame.section,
        "separator": frame.separator or ("\n" if not frame.several else ""),
        "reasoning": frame.talk.reasoning,
        "content_markers": tuple(filter(None, (frame.talk.content[0].strip(),))),
        "drop": tuple(dict.fromkeys(filter(None, (frame.talk.content[1].strip(), frame.talk.end, *frame.extra)))),
        "registered_only": frame.named,
    }
    if (listed := _listed(frame, body)) is not None:
        yield _made(name, listed, words | {"section": ("", ""), "separator": ""})
    yield _made(name, call, words | _care(call, frame))
    lead, marker, rest = frame.opener.partition(next(iter(markers_in(frame.opener)), "\n"))
    if "{id}" in lead and marker.strip():  # words that count the calls may be content: `Step 2: <use>`
        call = (marker + rest + body + closer).strip()
        yield _made(name, call, words | _care(call, frame))


def _listed(frame: Frame, body: str) -> str | None:
    # {calls} reads a JSON list, brackets included.
    before, after = frame.section
    opener, closer = frame.opener, frame.closer
    if body != "{call}":
        return None
    if not opener.strip() and not closer.strip() and before.rstrip().endswith("[") and after.lstrip().startswith("]"):
        return (
            before.rstrip()[:-1] + "{calls}" + after.lstrip()[1:] if frame.separator == ", " or frame.several else None
        )
    if not frame.several and opener.rstrip().endswith("[") and closer.lstrip().startswith("]"):
        return opener.rstrip()[:-1] + "{calls}" + closer.lstrip()[1:]
    return None


def _care(call: str, frame: Frame) -> dict[str, Any]:
    # A call that begins with a word begins a line, and counts only with a tool's name.
    first = next((token.text for token in tokens_of(frame.section[0] or call) if isinstance(token, Literal)), "")
    if first[:1].isalnum():
        return {"at_line_start": True, "registered_only": True}
    return {} if is_marker(first) else {"registered_only": True}


def _made(name: str, call: str, words: dict[str, Any]) -> Format:
    return Format(name, call=call, **words)


def size_of(declared: Format) -> tuple[int, int]:
    """How long a declaration is: its fields, then its characters. Pairs are the last resort: no grammar has them."""
    given = [getattr(declared, each.name) for each in fields(declared) if each.name not in {"name", "source", "origin"}]
    said = [value for value in given if value not in ("", (), ("", ""), False, None, {})]
    return len(said) + 2 * isinstance(declared.arguments, Pairs), sum(len(str(value)) for value in said)
