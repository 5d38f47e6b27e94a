# How the text of a JSON token, or of a whole value, is collected while it arrives. Does not depend on its purpose.
"""JSON, with the text of its tokens and values."""

from __future__ import annotations

from toolglean.scan.json import STATES, VALUE, JsonScanner, decode
from toolglean.scan.plain import grown, joined
from toolglean.scan.scanner import FAIL, NEED
from toolglean.scan.text import space

__all__ = ["JsonTokens", "object_text", "token_text", "value_text"]

WHITE_SPACE = " \t\r\n"


class JsonTokens(JsonScanner):
    """A scanner that collects the text of a token, or of a value, until it is whole (`take_collected`).

    Attributes:
        value_depth: how many containers are open around the value.
    """

    __slots__ = ("value_depth",)

    def __init__(self, max_depth: int = 256) -> None:
        super().__init__(max_depth)
        self.value_depth = 0

    def read_token(self, text: str, pos: int) -> tuple[int, str]:
        """Read one token: see `step`. Returns the position reached, and the token's text; "" while it is not whole."""
        self.token, begin, size = NEED, pos, len(text)
        while pos < size and not self.token:  # as `advance`, without its call
            state = self.state
            if state <= VALUE and text[pos] <= " " and (pos := space(text, pos).end()) == size:
                break
            pos = STATES[state](self, text, pos)
        if self.fixes:
            self.fixes.clear()
        token, found = self.token, text[begin:pos]
        if token is NEED or token is FAIL:  # a repair may go on there
            self.collected = grown(self.collected, found)
            return pos, ""
        return pos, self.take_collected() + found if self.collected else found

    def begin_value(self, *, collect: bool = True) -> None:
        """A value begins with the bracket that was read last. `collect`: whether its text is needed."""
        self.value_depth, self.collected = len(self.stack) - 1, ((), self.stack[-1]) if collect else ()

    def read_value(self, text: str, pos: int) -> int:
        """Read on in that value: see `skim`."""
        end = self.skim(text, pos, self.value_depth)
        piece = self.written(text, pos, end) if self.fixes else text[pos:end]
        self.collected = grown(self.collected, piece)
        return end

    def read_in_value(self, text: str, pos: int) -> int:
        """Read one token of that value: see `step`."""
        end = self.step(text, pos)
        self.collect(self.written(text, pos, end))
        return end

    def shorten_value(self, chars: str) -> None:
        """Drop these characters at the end of what was read of that value."""
        self.collected = ((), joined(self.collected).rstrip(chars))


def value_text(text: str, max_depth: int = 256) -> tuple[str | None, str]:
    """The text of the JSON value of which `text` consists, apart from white space around it.

    Returns:
        The value's text and "", or None and what was expected ("depth" if the depth limit was passed).
    """
    scanner = JsonScanner(max_depth)
    text = text.strip(WHITE_SPACE) + " "  # a number ends only with the character after it
    end = scanner.skim(text, 0, 0)
    if scanner.token in {NEED, FAIL} or text[end:].strip(WHITE_SPACE):
        return None, scanner.fault or "one whole JSON value was expected"
    return scanner.written(text, 0, end), ""


def object_text(text: str, max_depth: int) -> tuple[str | None, str]:
    """As `value_text`, for an object."""
    if not text.lstrip(WHITE_SPACE).startswith("{"):
        return None, "an object was expected"
    return value_text(text, max_depth)


def token_text(raw: str) -> str:
    """The text of a key or a string, from the token that `JsonTokens.read_token` returned."""
    text = raw[raw.index('"') + 1 : -1]
    if text.isascii() and "\\" not in text:  # nearly always: names, keys and ids are plain
        return text
    found: str = decode(f'"{text}"')[0]
    return found
