# What this file knows: how JSON text, cut anywhere, becomes a tree whose every past state stays readable.
# Does not depend on any model class or event, or on what the values are used for.
#
# The scanner reads each character once, and a token changes one node. No text is read again.
#
# Time is the number of the feed. A node has the times when it began and when it was closed; a string has the time of
# each of its pieces; and a value under a duplicate key has its predecessor. Nodes only grow. So "the tree at time t" is
# the tree and a number: a snapshot costs nothing, and no later feed changes it.
#
# Incomplete characters are never shown: a cut escape (`\`, `\u00`), or the first half of a surrogate pair, is held back
# until it is complete.
"""Trees that are built from pieces of JSON."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from toolglean.events import Problem
from toolglean.scan.json import END, ESCAPE, IN_KEY, IN_NUMBER, IN_STRING, LITERAL, NAMED, JsonScanner, decode, escaped
from toolglean.scan.scanner import CLOSE, FAIL, KEY, NEED, OPEN, SCALAR, STRING

__all__ = ["OPEN_ENDED", "Builder", "List", "Node", "Object", "Scalar", "Text"]

OPEN_ENDED = -1
"""The end, and the closing time, of a value that is still being written."""

_lead = re.compile(r"[ \t\n\r,:]*").match
_space = re.compile(r"[ \t\n\r]*").match
_STRINGS = frozenset({IN_KEY, IN_STRING, ESCAPE})


class Node:
    """A value, complete or still being written.

    Attributes:
        start, end: its position in the text, in characters; `end` is `OPEN_ENDED` while it is being written.
        born, closed: the time of its first character, and the time when it was known to be complete.
        previous: the earlier value under the same key, or None.
    """

    __slots__ = ("born", "closed", "end", "previous", "start")

    def __init__(self, start: int, born: int) -> None:
        self.start = start
        self.born = born
        self.end = self.closed = OPEN_ENDED
        self.previous: Node | None = None

    def whole(self, time: int) -> bool:
        """Whether it was known to be complete at that time."""
        return 0 <= self.closed <= time

    def close(self, end: int, time: int) -> None:
        """Set its end."""
        self.end, self.closed = end, time


class Object(Node):
    """An object: the newest value of each key, in the order in which the keys were first written.

    Attributes:
        items: these values.
        births: the times at which the keys were first written.
        values: all values, in the order in which they were written.
    """

    __slots__ = ("births", "items", "values")

    def __init__(self, start: int, born: int) -> None:
        super().__init__(start, born)
        self.items: dict[str, Node] = {}
        self.births: list[int] = []
        self.values: list[Node] = []

    def add(self, key: str, node: Node) -> bool:
        """Begin a value, and return whether its key is new."""
        node.previous = self.items.get(key)
        self.items[key] = node
        self.values.append(node)
        if node.previous is None:
            self.births.append(node.born)
        return node.previous is None

    def at(self, key: str, time: int) -> Node | None:
        """The value of the key at that time."""
        node = self.items.get(key)
        while node is not None and node.born > time:
            node = node.previous
        return node


class List(Node):
    """A list."""

    __slots__ = ("items",)

    def __init__(self, start: int, born: int) -> None:
        super().__init__(start, born)
        self.items: list[Node] = []


class Text(Node):
    """A string."""

    __slots__ = ("_cached", "_count", "_held", "pieces", "times")

    def __init__(self, start: int, born: int) -> None:
        super().__init__(start, born)
        self.pieces: list[str] = []
        self.times: list[int] = []
        self._held = ""  # the raw text of an incomplete character
        self._cached = ""  # the first `_count` pieces, joined, so that reading at each step joins only the new ones
        self._count = 0

    def add(self, raw: str, time: int, *, cut: bool, last: bool) -> None:
        """Add a piece of raw text; `cut`: it ends inside an escape; `last`: the closing quote follows."""
        raw = self._held + raw
        ready = len(raw) if last else _ready(raw, cut=cut)
        self._held = raw[ready:]
        if ready:
            self.pieces.append(_decoded(raw[:ready]))
            self.times.append(time)

    def text(self, time: int) -> str:
        """The text at that time."""
        if self.times and self.times[-1] <= time:
            if self._count < len(self.pieces):
                self._cached += "".join(self.pieces[self._count :])
                self._count = len(self.pieces)
            return self._cached
        return "".join(piece for piece, born in zip(self.pieces, self.times, strict=True) if born <= time)


class Scalar(Node):
    """A number, true, false or null. `value` is set once it is complete: 19 may be the beginning of 1975."""

    __slots__ = ("pieces", "value")

    def __init__(self, start: int, born: int) -> None:
        super().__init__(start, born)
        self.pieces: list[str] = []
        self.value: Any = None


Container: TypeAlias = Object | List


class Builder:
    """Builds one object from JSON text.

    Attributes:
        root: the object; None until its `{` has been read.
        fault: why the text is not a JSON object; "" as long as it may be one.
        place: the position of the fault, in characters of the text.
        done: whether the object is complete.
        length: how many characters have been read.
        problems: duplicate keys, with their positions; the last value is used.
    """

    def __init__(self) -> None:
        self.root: Object | None = None
        self.fault = ""
        self.place = 0
        self.done = False
        self.length = 0
        self.problems: list[Problem] = []
        self._scanner = JsonScanner()
        self._stack: list[Container] = []
        self._leaf: Text | Scalar | None = None  # the string or scalar that is being written; it may be a key
        self._in_key = False
        self._keyed = False  # whether any key is complete
        self._key = ""
        self._key_start = 0
        self._raw: list[str] = []
        self._clean: list[str] = []  # the same, with raw control characters escaped

    @property
    def begun(self) -> bool:
        """Whether there is anything to show: a value under a first key, or an empty object."""
        return self.done or (self.root is not None and bool(self.root.items))

    @property
    def certain(self) -> bool:
        """Whether this is certainly an object, even if it breaks: it has a first key and a colon, or is empty."""
        return self.begun or (self._keyed and self._scanner.state != NAMED)

    @property
    def text(self) -> str:
        """The text that was read, unchanged."""
        return "".join(self._raw)

    @property
    def json(self) -> str:
        """The same as JSON that every reader accepts: raw control characters are escaped."""
        return "".join(self._clean)

    def feed(self, text: str, time: int, begin: int = 0) -> int:
        """Read the text from `begin` on; after a fault, only keep it for the error message.

        Returns:
            The position after the object, the position of the fault, or the end of the text.
        """
        pos, end, base = begin, len(text), self.length - begin
        if self.fault:
            pos = end
        while pos < end and not self.fault and not self.done:
            pos = self._token(text, pos, base, time)
        self._keep(text, begin, pos)
        return pos

    def feed_all(self, text: str, time: int) -> None:
        """Read the text if only white space may follow the object."""
        pos = self.feed(text, time)
        if self.done and not self.fault:
            end = _space(text, pos).end()  # type: ignore[union-attr]  # the pattern matches the empty string
            self._keep(text, pos, end)
            pos = end
        if pos < len(text):
            self.refuse("the end was expected")
            self.feed(text, time, pos)

    def refuse(self, fault: str) -> None:
        """Set a fault that the caller has found, at the end of the text so far."""
        if not self.fault:
            self.fault, self.place = fault, self.length

    def _keep(self, text: str, begin: int, end: int) -> None:
        piece = text[begin:end]
        fixes = self._scanner.fixes
        self._raw.append(piece)
        self._clean.append(escaped(text, begin, end, fixes) if fixes else piece)
        self.length += end - begin
        fixes.clear()

    def _token(self, text: str, pos: int, base: int, time: int) -> int:
        scanner = self._scanner
        begin = pos if self._leaf is not None else _lead(text, pos).end()  # type: ignore[union-attr]
        if self.root is None and not self._is_object(text, pos, begin, base):
            return min(begin, len(text))
        pos = scanner.step(text, pos)
        token = scanner.token
        if token == FAIL:
            if pos > begin and scanner.state in _LEAVES:  # text before the fault is kept, wherever the chunk begins
                self._piece(text, begin, pos, base, time)
            self.fault, self.place = scanner.fault, base + pos
        elif token == NEED:
            if self._leaf is not None or scanner.state in _LEAVES:
                self._piece(text, begin, pos, base, time)
        elif token == OPEN:
            self._push(Object(base + pos - 1, time) if text[pos - 1] == "{" else List(base + pos - 1, time))
        elif token == CLOSE:
            self._stack.pop().close(base + pos, time)
            self.done = scanner.state == END
        else:
            self._last_piece(text, begin, pos, base, time, token)
        return pos

    def _is_object(self, text: str, pos: int, begin: int, base: int) -> bool:
        # The scanner would accept any value.
        first = _space(text, pos).end()  # type: ignore[union-attr]
        if first < len(text) and text[first] != "{":
            self.fault, self.place = "an object was expected", base + first
        return begin < len(text) and not self.fault

    def _push(self, node: Container) -> None:
        self._place(node)
        if self.root is None and isinstance(node, Object):
            self.root = node
        self._stack.append(node)

    def _place(self, node: Node) -> None:
        if not self._stack:
            return
        inner = self._stack[-1]
        if isinstance(inner, List):
            inner.items.append(node)
            return
        if not inner.add(self._key, node):
            self.problems.append(Problem("duplicate-key", "duplicate key", self._key, self._key_start))

    def _begin(self, text: str, begin: int, base: int, time: int) -> Text | Scalar:
        quoted = text[begin] == '"'
        leaf = Text(base + begin, time) if quoted else Scalar(base + begin, time)
        self._in_key = quoted and self._reads_key()
        self._leaf = leaf
        if self._in_key:
            self._key_start = base + begin
        else:
            self._place(leaf)
        return leaf

    def _reads_key(self) -> bool:
        scanner = self._scanner
        state = scanner.string_state if scanner.state == ESCAPE else scanner.state
        return scanner.token == KEY or (scanner.token in {NEED, FAIL} and state == IN_KEY)

    def _piece(self, text: str, begin: int, end: int, base: int, time: int, *, last: bool = False) -> Text | Scalar:
        leaf = self._leaf
        if leaf is None:
            leaf = self._begin(text, begin, base, time)
            begin += isinstance(leaf, Text)
        if isinstance(leaf, Text):
            leaf.add(text[begin:end], time, cut=self._scanner.state == ESCAPE, last=last)
        else:
            leaf.pieces.append(text[begin:end])
        return leaf

    def _last_piece(self, text: str, begin: int, pos: int, base: int, time: int, token: int) -> None:
        leaf = self._piece(text, begin, pos - (token in {KEY, STRING}), base, time, last=True)
        self._leaf = None
        leaf.close(base + pos, time)
        if isinstance(leaf, Scalar):
            leaf.value = decode("".join(leaf.pieces))[0]
        elif self._in_key:
            self._key, self._keyed = leaf.text(time), True


_LEAVES = _STRINGS | {IN_NUMBER, LITERAL}


def _ready(raw: str, *, cut: bool) -> int:
    # How much of the raw text consists of complete characters.
    end = raw.rfind("\\") if cut else len(raw)
    if _first_half(raw, end):
        return end - 6
    return end - 1 if "\ud800" <= raw[end - 1 : end] <= "\udbff" else end


def _first_half(raw: str, end: int) -> bool:
    # Whether an escape such as `\ud83d`, whose backslash is not itself escaped, ends at `end`.
    last = raw[max(0, end - 6) : end]
    if not _high(last):
        return False
    before = raw[: end - 6]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0


_high = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}").fullmatch
_plain = re.compile("[^\\\\\ud800-\udfff]*").fullmatch


def _decoded(raw: str) -> str:
    return raw if _plain(raw) else str(decode(f'"{raw}"')[0])


assert SCALAR not in {KEY, STRING}  # `_last_piece` skips the closing quote of these two only
