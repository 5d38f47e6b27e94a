# How parameters that are written as text become one JSON object, piece by piece. Does not depend on how they are
# written.
#
# A parameter that is a string in the tool's schema, or is not in it, is passed on as it arrives; one of another type
# when it is complete, because only then can it be typed. If the format writes the type itself, that type is used.
"""From parameters to JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolglean.scan.coerce import NO, coerce_within, from_text, is_text, kinds_of, properties, unquoted
from toolglean.scan.json import decode
from toolglean.scan.nested import DepthError, json_text
from toolglean.scan.plain import Plain, Rope, grown, joined
from toolglean.scan.python import literal_text
from toolglean.scan.reader import begins_cdata, is_broken_cdata, of_cdata, quoted_text, string_text
from toolglean.scan.tokens import object_text, value_text

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.scan.text import Finder
    from toolglean.tools import Tool

__all__ = ["Parameters", "pass_value"]


class Parameters(Plain):
    """The parameters of one call.

    Attributes:
        key: the key of the parameter that is being read.
        lead: what is still expected of the white space before the value; `passed`: what was read of it.
        paired: whether that white space was there, or the pattern has it only after the value.
        trims: whether the white space after the value is removed: it is markup, with or without that before the value.
        streams: whether the value is passed on as it arrives.
        untyped: the text of a value that stayed text although the schema has another type, or None.
        refused: the text of a value that is not JSON, although the format says that it is not text.
        python: the text of a value that is a Python literal, but should be JSON.
        repeated: a key that an object in the value has twice, or "": the last value is used.
        has_crlf: whether the line break before the value is two characters: then so is the one after it.
        is_section: whether the value is a CDATA section; None as long as that is open.
        has_lines: whether the value has a line break.
        has_text: whether any value was not in JSON.
        too_deep: whether a value was nested deeper than `max_depth` allows; the parameters are one container.
    """

    __slots__ = (
        "_coerce", "_max_depth", "_properties", "_root", "_schema", "_type", "_types", "_value", "_wrapped",
        "_wrappers", "_written", "has_crlf", "has_lines", "has_text", "is_section", "key", "lead", "paired",
        "passed", "python", "refused", "repeated", "streams", "too_deep", "trims", "untyped",
    )  # fmt: skip

    ropes = frozenset({"_value"})

    def __init__(
        self,
        tool: Tool | None,
        types: Mapping[str, str],
        max_depth: int,
        *,
        coerce: bool,
        wrappers: tuple[str, ...] = (),
    ) -> None:
        self._root: Mapping[str, Any] = tool.parameters if tool is not None else {}
        self._properties = properties(self._root)
        self._types, self._coerce, self._max_depth = types, coerce, max_depth
        self.key = self._type = ""
        self._schema: Any = None
        self._value: Rope = ()
        self._wrappers = wrappers if self._root else ()  # keys under which all arguments may be written
        # The first value, which may be all arguments; and the same as a parameter.
        self._wrapped: tuple[str, str] | None = None
        self._written = 0  # how many parameters have begun
        self.lead = self.passed = self.python = self.repeated = ""
        self.streams, self.paired, self.too_deep, self.has_lines, self.has_text = True, False, False, False, False
        self.trims = self.has_crlf = False
        self.is_section: bool | None = None
        self.refused: str | None = None
        self.untyped: str | None = None

    def word(self, kind: str, word: str) -> None:
        """The parameter's key, or the type that the format writes."""
        if kind == "key":
            self.key, self._type = word, ""
        else:
            self._type = word

    def begin_json(self) -> str:
        """A value begins that is JSON, and is passed on as it is written. Returns JSON text."""
        flushed, self._written = self._unwrapped(), self._written + 1
        return f"{flushed}{'{' if self._written == 1 else ', '}{string_text(self.key)}: "

    def begin_value(self, lead: str, trail: str) -> str:
        """The value begins; `lead` and `trail` are the white space that may be around it. Returns JSON text."""
        self.lead, self.passed, self.has_lines, self.python = lead, "", False, ""
        self.trims, self.has_crlf = not lead, False
        self.paired = bool(trail) and not lead
        flushed = self._unwrapped()
        self._schema = self._properties.get(self.key)
        if self._type and self._types:
            self.streams = self._type == self._types.get("string", "string")
        else:
            self.streams = not self._coerce or is_text(self._schema, self._root)
        self._written += 1
        self.has_text, self.is_section = True, None
        if self._may_wrap():
            self.streams = False
            return ""  # decided when the call ends, or another parameter begins
        before = "{" if self._written == 1 else ", "
        return f"{flushed}{before}{string_text(self.key)}: {chr(34) if self.streams else ''}"

    def read_lead(self, text: str, i: int) -> tuple[int, str | None]:
        """Read the white space before the value. Returns its end, and the part that belongs to the value after all;
        None as long as nothing shows that it does.
        """
        while i < len(text) and self.lead:
            if text[i] == "\r" and self.lead[0] == "\n" and not self.passed:
                self.has_crlf = True
            elif text[i] != self.lead[0]:
                self.lead, passed, self.trims, self.has_crlf = "", self.passed, True, False
                return i, passed
            else:
                self.lead = self.lead[1:]
                self.paired = self.trims = not self.lead
            self.passed += text[i]
            i += 1
        return i, None

    def as_before(self, trail: str) -> str:
        """The white space to remove after the value: none, or the pattern's, with the line breaks before the value."""
        return "" if not self.trims else trail.replace("\n", "\r\n") if self.has_crlf else trail

    def text(self, text: str) -> str:
        """A piece of the value's text. Returns JSON text; "" if it must wait."""
        self.has_lines = self.has_lines or "\n" in text
        if self.streams and self.is_section is False:
            return quoted_text(text)
        if self.streams and self.is_section is None:
            return self._begun(text)
        self._value = grown(self._value, text)
        return ""

    @property
    def passes(self) -> bool:
        """Whether the value's text is passed on as it arrives."""
        return self.streams and not self.lead and self.is_section is False

    def _begun(self, text: str) -> str:
        # The beginning of a value: if it is a CDATA section, its inside is the value, which is kept until it is whole.
        begun = joined(self._value) + text
        self.is_section, self._value = begins_cdata(begun) if begun else None, ()
        if self.is_section is False:
            return quoted_text(begun)
        self._value = grown((), begun)
        return ""

    def last_char(self, written: str) -> str:
        """The last character of the value so far; "" if it has none. `written`: how the arguments end so far."""
        if not self.streams or self._value:
            return self._value[1][-1:] if self._value else ""
        if written.endswith(': "'):  # a quote of the value itself would be escaped
            return ""
        return "\n" if written[-2:] in {"\\n", "\\r", "\\t"} else written[-1:]

    def end_value(self, *, repair: bool) -> str:
        """The value is complete. Returns JSON text; "" if the value is too deep, or does not fit its type.

        `repair`: whether a Python literal may stand in for JSON.
        """
        text, self._value = joined(self._value), ()
        if is_broken_cdata(text):
            self.refused = text
            return ""
        text = of_cdata(text)
        if self.streams:
            return quoted_text(text) + '"'
        as_text = self._may_wrap() and self._type == self._types.get("string")
        try:
            value = text if as_text else self._typed(text, repair=repair)
            written = "" if value is NO else json_text(value)
        except DepthError:
            self.too_deep = True
            return ""
        if value is NO:
            self.refused = text
            return ""
        self.repeated = _repeated_key(text) if isinstance(value, dict | list) else ""
        kinds = kinds_of(self._schema, self._root) if value is text and self._coerce else ()
        self.untyped = text if kinds and "string" not in kinds else None
        if not self._may_wrap():
            return written
        self._wrapped = text, f"{{{string_text(self.key)}: {written}"
        return ""

    def end(self) -> str:
        """There are no more parameters."""
        if self._wrapped is None:
            return "}" if self._written else ""
        found, _ = object_text(self._wrapped[0], self._max_depth)
        if found is not None and decode(found)[0].keys() <= self._properties.keys():
            return found
        return self._unwrapped() + "}"

    def _unwrapped(self) -> str:
        # The first value was not a wrapper: it is an ordinary parameter.
        held, self._wrapped = self._wrapped, None
        return "" if held is None else held[1]

    def _may_wrap(self) -> bool:
        return self._written == 1 and self.key in self._wrappers and self._schema is None

    def _may_be_text(self, text: str) -> bool:
        # The format says that the value is not text: then it may be text only if the schema says so, and it is not
        # broken JSON.
        return self._coerce and "string" in kinds_of(self._schema, self._root) and text.lstrip()[:1] not in _BEGIN_JSON

    def _typed(self, text: str, *, repair: bool) -> Any:
        if self._type and self._types:
            found = from_text(value_text, text, self._max_depth - 1)
            if found is not NO:
                return found
            if self._type in self._types.values() and not self._may_be_text(text):
                self.python = text if repair else ""
                return from_text(literal_text, text, self._max_depth - 1) if repair else NO
        if not self._coerce:
            return text
        found = coerce_within(text, self._schema, self._root, self._max_depth - 1)
        return unquoted(text, self._schema, self._root, self._max_depth - 1) if found is text else found


def pass_value(turn: Turn, finder: Finder, text: str) -> tuple[str, bool] | None:
    """Pass on the text of a value, up to what an exact finder finds: see `Payload.passed`."""
    hit = finder.search(text)
    if hit is not None and not hit.lastindex:
        return None
    place = len(text) if hit is None else hit.start()
    turn.hold(text, place)
    return quoted_text(text[:place]), place < len(text)


_BEGIN_JSON = frozenset({"{", "[", '"', ""})


def _repeated_key(text: str) -> str:
    # The decoded value has each key once. A Python literal is not examined: its repair is reported anyway.
    try:
        return decode(text.strip())[1] or ""
    except ValueError:
        return ""
