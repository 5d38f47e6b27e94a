# What is read if a template shows the frame of its turns, but not how its calls are written: any format, with what ends
# a turn, the reasoning and the tag of the template; and the tag, as patterns. Does not depend on how a template is
# read, or on the formats that are tried before the tag. Imported only by those with such a template.
"""The frame of a template, as a format."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from functools import lru_cache

from toolglean.engine.tag import Tag
from toolglean.errors import FormatError
from toolglean.formats.compile import compiled
from toolglean.formats.origin import AnyFormat, Origin
from toolglean.formats.patterns import is_bare
from toolglean.formats.spec import Format

__all__ = ["any_format", "tag_format"]

LONGEST_MARKER = 64

_log = logging.getLogger(__name__)
_slot = re.compile(r"\{[a-z_]+\}").search


@lru_cache(maxsize=64)
def any_format(template: str, error: Exception) -> Format | None:
    """Any format, with what the template shows of its turns. Always the same object: plans are found by identity.

    Logs that no format can be read from the template: nothing else shows that it did not help.

    Args:
        template: which one: "the template", say.
        error: why no format can be read from it.

    Returns:
        None if it shows no calls.
    """
    from toolglean.sources.templates.infer.result import NoFormatError  # noqa: PLC0415
    from toolglean.sources.templates.markers import GENERIC  # noqa: PLC0415

    frame = error if isinstance(error, NoFormatError) else NoFormatError(str(error))
    if frame.tag == GENERIC and not frame.writes_calls:
        return None
    reads = AnyFormat() if frame.tag == GENERIC else AnyFormat(frame.tag, frame.closer or None)
    drop = tuple(dict.fromkeys(filter(_is_marker, (*frame.drop, *frame.content_markers))))
    reasoning = frame.reasoning if all(map(_is_marker, filter(None, frame.reasoning))) else ("", "")
    reason = getattr(error, "reason", str(error))
    found = Format(
        reads.name,
        call="",
        reasoning=reasoning,
        drop=drop,
        source="what a chat template writes around calls",
        reads=reads,
        origin=Origin(
            f"{template} shows what is around calls, but no format can be read from it, so it is detected",
            losses=(reason,),
            starts_reasoning=frame.starts_reasoning,
            prompt_marks=frame.marks,
        ),
    )
    try:
        compiled((found,))
    except FormatError:  # what is around calls is not what a format can express, either
        found = replace(found, reasoning=("", ""), drop=())
    why = reason.removeprefix("no format can be read from the template: ")
    _log.warning("no format can be read from %s, so the format is detected from the turn: %s", template, why)
    return found


def _is_marker(text: str) -> bool:
    # A template that prints its messages as Python shows quotes and probes, which are not markers.
    return len(text) <= LONGEST_MARKER and not any(sign in text for sign in ("zqx", "': ", "'}", '": '))


def tag_format(frame: Format) -> Format | None:
    """The format of calls in JSON after the tag, and of a name before the JSON; None if there is no usable tag."""
    reads = frame.reads
    assert isinstance(reads, AnyFormat)
    tag = reads.tag.rstrip("{[ \t\r\n")
    if not tag or is_bare(tag) or _slot(tag):
        return None
    closer = Tag.of(tag, reads.closer).closer
    closer = "" if _slot(closer) else closer
    calls = (f"{tag}{{call}}{closer}", f"{tag}{{name}}{{arguments}}{closer}")
    found = replace(frame, call=calls[0], also=calls[1:], registered_only=True, reads=None, drop=(), reasoning=("", ""))
    try:
        compiled((found,))
    except FormatError:
        return None
    return found
