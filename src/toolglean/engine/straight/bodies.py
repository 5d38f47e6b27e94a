# The arguments of a call that is followed: as one JSON object, or as parameters in tags. Does not know what is around
# them (follower.py).
#
# A body returns what it has read as deltas, exactly as the machine would put them: a comma at the end waits for what
# follows, and so does a line break that may belong to the closer of a value.
"""The arguments of a call that is followed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolglean.engine.parameters import Parameters
from toolglean.engine.straight.flat import CLOSED, MAX_NESTING, read_flat, whole
from toolglean.scan.json import COMMA, IN_STRINGS, OBJECT, JsonScanner
from toolglean.scan.plain import Plain
from toolglean.scan.scanner import CLOSE, FAIL

if TYPE_CHECKING:
    from toolglean.engine.straight.standing import Standing
    from toolglean.engine.straight.steps import Course, Step
    from toolglean.engine.turn import Turn
    from toolglean.scan.reader import Search

__all__ = ["ASTRAY", "JsonBody", "TaggedBody", "decoded"]

ASTRAY = -1
"""The text is not as declared, or needs a closer look."""

_not_plain = re.compile(r'["\\\x00-\x1f]').search
_not_plain_value = re.compile('[<&"\\\\\x00-\x1f\ud800-\udfff]').search
_escaped = re.compile(r"&(?:\Z|l(?:\Z|t(?:\Z|;(?:\Z|/))))", re.IGNORECASE).search  # a closer in another spelling

MOST_SPACE = 200  # after a comma that waits

Pieces = list[tuple[str, int, int]]
"""Pieces of the arguments, each with its place, and the place after what it was made of."""


def decoded(text: str) -> dict[str, Any] | None:
    """The arguments; None if they need a closer look."""
    found = whole(text, 0, MAX_NESTING)
    return found[0] if found is not None and found[1] == len(text) else None


class JsonBody(Plain):
    """One JSON object, whose opening brace was read.

    Args:
        schema: of the tool's parameters: a value that is written as a string although they allow none is left to the
            machine; {} if it is not.

    Attributes:
        told: the pieces of it that were returned.
        value: the object, if it has closed and was decoded on the way.
        closed: whether it has closed.
    """

    __slots__ = ("_lag", "_lag_start", "_scan", "_schema", "_state", "closed", "told", "value")
    owned = ("_scan", "told")

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self.told: list[str] = []
        self.value: dict[str, Any] | None = None
        self.closed = False
        self._state = OBJECT
        self._scan: JsonScanner | None = None  # where the state alone does not say enough: in a container, in a number
        self._lag, self._lag_start = "", 0

    @property
    def plain(self) -> Search | None:
        """Inside a string: finds what does not pass as it is."""
        return _not_plain if self._state in IN_STRINGS and not self._lag else None

    def begin(self, text: str, i: int, told: Pieces, base: int) -> int:
        """The brace is right before `i`. Returns how far the object was read."""
        found = whole(text, i - 1, MAX_NESTING) if text.find("}", i) >= 0 else None
        if found is None:
            end = self._read(text, i)
            piece, at = "{" + text[i:end], base + i - 1
        else:
            self.value, end = found
            if self._schema and any(type(each) is str and self._names(key) for key, each in found[0].items()):
                return ASTRAY
            self.closed = True
            piece, at = text[i - 1 : end], base + i - 1
        return self._tell(piece, at, told, end)

    def read(self, text: str, i: int, told: Pieces, base: int) -> int:
        """Read on. Returns how far."""
        end = self._read(text, i)
        return self._tell(text[i:end], base + i, told, end)

    def _read(self, text: str, i: int) -> int:
        scan = self._scan
        if scan is None or scan.stack == "{":
            found = read_flat(self._state, text, i)
            if found is not None:
                self._state, end = found
                self.closed = self._state == CLOSED
                return end
        if scan is None:
            scan = self._scan = JsonScanner(MAX_NESTING)
            scan.step("{", 0)
        if scan.stack == "{":
            scan.resume(self._state)
        end = scan.skim(text, i, 0)
        if scan.token is FAIL or scan.fixes:
            return ASTRAY
        self._state, self.closed = scan.state, scan.token is CLOSE
        return end

    @property
    def _after_comma(self) -> bool:
        scan = self._scan
        return self._state == COMMA or (scan is not None and scan.stack != "{" and scan.after_comma)

    def _names(self, key: str) -> bool:
        from toolglean.scan.coerce import takes_no_string  # noqa: PLC0415  # not every user's tools have a schema

        return takes_no_string(self._schema, key)

    def _opens_quoted(self, piece: str) -> bool:
        # Whether a value begins in it, or before it, that may have to be kept until it is whole.
        from toolglean.engine import quoted_values as values  # noqa: PLC0415

        told, size = self.told, values.MOST_KEY
        opened = values.opens_quoted(self._schema, piece, lambda: "".join(told[-size:])[-size:])
        return next(opened, None) is not None

    def _tell(self, piece: str, at: int, told: Pieces, end: int) -> int:
        if end < 0:
            return ASTRAY
        if self._lag:
            piece, at, self._lag = self._lag + piece, self._lag_start, ""
        if self._schema and self.value is None and '"' in piece and self._opens_quoted(piece):
            return ASTRAY
        if not self.closed and self._after_comma:
            comma = piece.rfind(",")
            if len(piece) - comma > MOST_SPACE:
                return ASTRAY
            piece, self._lag, self._lag_start = piece[:comma], piece[comma:], at + comma
        if piece:
            self.told.append(piece)
            told.append((piece, at, at + len(piece)))
        return end


class TaggedBody(Plain):
    """Parameters, each between tags.

    Attributes:
        told: the pieces of the arguments that were returned.
        parameters: makes JSON of them.
        in_value: whether a value has begun.
    """

    __slots__ = ("_before", "_held", "_holds_breaks", "_rest", "_start", "in_value", "parameters", "told")
    owned = ("parameters", "told")

    def __init__(self, parameters: Parameters, rest: str, *, holds_breaks: bool) -> None:
        self.parameters, self._rest = parameters, rest.casefold()
        self._holds_breaks = holds_breaks
        self._before = 0  # pieces that were returned before the value
        self.told: list[str] = []
        self.in_value = False
        self._held = ""  # a line break that may be the one before the closer
        self._start = -1  # of the value's text

    def read(self, step: Step, text: str, i: int, told: Pieces, base: int) -> int:
        """Read the text of a value, up to its closer. Returns how far; see `at_closer`."""
        parameters = self.parameters
        if not self.in_value:
            if not step.lead and text[i] == "<":  # another spelling of the opener may go on
                return ASTRAY
            self.in_value, self._start, self._before = True, -1, len(self.told)
            self._tell(parameters.begin_value(step.lead, step.trail), base + i, told)
        if parameters.lead:
            i, passed = parameters.read_lead(text, i)
            if passed is not None or parameters.has_crlf:
                return ASTRAY
        place = text.find("<", i)
        end = len(text) if place < 0 else place
        piece, at = self._held + text[i:end], base + i - len(self._held)
        self._held = ""
        ends_line = piece[-1:] == "\n"
        if _escaped(piece) is not None or (ends_line and not step.trail and place >= 0 and self._holds_breaks):
            return ASTRAY
        holds = step.trail or (self._holds_breaks and not (parameters.has_lines or "\n" in piece[:-1]))
        if ends_line and holds:
            piece, self._held = piece[:-1], "\n"
        if piece:
            if self._start < 0:
                self._start = at
            begun = self._start if parameters.is_section is None else at  # what has waited comes with it
            self._tell(parameters.text(piece), begun, told, at + len(piece) - begun)
        return end

    @property
    def plain(self) -> Search | None:
        """In a value that is passed on as it comes: finds what does not pass as it is."""
        parameters = self.parameters
        passes = self.in_value and parameters.passes and not self._held
        return _not_plain_value if passes else None

    def at_closer(self, step: Step) -> bool:
        """Whether the closer may follow; then the line break before it was read."""
        found, self._held = self._held == step.trail, ""
        return found

    def end_value(self, place: int, told: Pieces, *, repair: bool) -> bool:
        """The value has ended, and its closer begins at that place. False: it needs a closer look."""
        parameters = self.parameters
        at = place if parameters.streams or self._start < 0 else self._start
        written = parameters.end_value(repair=repair)
        self.in_value = False
        if parameters.too_deep or parameters.refused is not None or parameters.python or parameters.repeated:
            return False
        if parameters.untyped is not None:  # it may have a marker
            return False
        if self._rest in "".join((*self.told[self._before :], written)).casefold():  # it may be damaged
            return False
        self._tell(written, at, told)
        return True

    def end(self, place: int, told: Pieces) -> None:
        """There are no more parameters."""
        self._tell(self.parameters.end(), place, told)

    def _tell(self, text: str, at: int, told: Pieces, chars: int = 0) -> None:
        if text:
            self.told.append(text)
            told.append((text, at, at + chars))


def tagged_body(turn: Turn, name: str, course: Course, standing: Standing | None) -> TaggedBody:
    """The body of a call of that tool."""
    types, coerce = course.format.types, turn.rules.coerce
    parameters = Parameters(turn.names.tool(name), types, turn.limits.depth, coerce=coerce)
    return TaggedBody(parameters, course.rest, holds_breaks=standing is not None and standing.holds_breaks)
