# What this file knows: how the text of a JSON token, or of a whole value, is collected while it arrives.
# Does not depend on what it is for.
"""JSON, with the text of its tokens."""

from __future__ import annotations

from toolglean.scan.json import CLOSE, FAIL, NEED, STATES, JsonScanner, decode
from toolglean.scan.plain import Rope, grown, joined

__all__ = ["JsonTokens", "object_text", "token_text"]


class JsonTokens(JsonScanner):
    """A scanner that collects the text of a token, or of a value, until it is whole.

    Attributes:
        value_depth: how many containers are open around the value.
    """

    __slots__ = ("_text", "value_depth")

    ropes = frozenset({"_text"})

    def __init__(self, max_depth: int = 256) -> None:
        super().__init__(max_depth)
        self._text: Rope = ()
        self.value_depth = 0

    def read_token(self, text: str, pos: int) -> tuple[int, str]:
        """Read one token: see `step`. Returns the position reached, and the token's text; "" while it is not whole."""
        self.token, begin, size = NEED, pos, len(text)
        while pos < size and not self.token:  # as `step`, without its call
            pos = STATES[self.state](self, text, pos)
        if self.fixes:
            self.fixes.clear()
        token, found = self.token, text[begin:pos]
        if token is NEED:
            self._text = grown(self._text, found)
            return pos, ""
        if token is FAIL:
            return pos, ""
        if self._text:
            found, self._text = joined(self._text) + found, ()
        return pos, found

    def begin_value(self, *, collect: bool = True) -> None:
        """A value follows whose bracket was read last. `collect`: whether its text is needed."""
        self.value_depth, self._text = len(self.stack) - 1, ((), self.stack[-1]) if collect else ()

    def read_value(self, text: str, pos: int) -> int:
        """Read on in that value: see `skim`."""
        end = self.skim(text, pos, self.value_depth)
        self._text = grown(self._text, self.written(text, pos, end))
        return end

    def read_in_value(self, text: str, pos: int) -> int:
        """Read one token of that value: see `step`."""
        end = self.step(text, pos)
        self._text = grown(self._text, self.written(text, pos, end))
        return end

    def shorten_value(self, chars: str) -> None:
        """Leave out these characters at the end of what was read of that value."""
        self._text = ((), joined(self._text).rstrip(chars))

    def value(self) -> str:
        """The text of that value, so far as it was read, which is not needed any more."""
        found, self._text = joined(self._text), ()
        return found


def object_text(text: str, max_depth: int) -> tuple[str | None, str]:
    """The text of the JSON object of which `text` consists, apart from white space around it.

    Returns:
        The object's text and ""; or None, and what is wrong: "depth" where the depth limit was passed.
    """
    scanner = JsonScanner(max_depth)
    begin = len(text) - len(text.lstrip(" \t\r\n"))
    if text[begin : begin + 1] != "{":
        return None, "an object was expected"
    end = scanner.skim(text, begin, 0)
    if scanner.token is not CLOSE or text[end:].strip(" \t\r\n"):
        return None, scanner.fault or "one whole object was expected"
    return scanner.written(text, begin, end), ""


def token_text(raw: str) -> str:
    """The text of a key or a string, of the token that `JsonTokens.read_token` returned."""
    text = raw[raw.index('"') + 1 : -1]
    if text.isascii() and "\\" not in text:  # nearly always: names, keys and ids are plain
        return text
    found: str = decode(f'"{text}"')[0]
    return found
