# The three states (rules 1 to 4), when a call is taken, and what it consumes (rules 8 and 9); `__init__.py` lists the
# rules. Does not depend on how names, brackets and JSON are read.
#
# Two ideas keep it linear. The buffer is a rope, joined when a call needs it as one text. And rule 5a, which
# forbids searching the buffer while it ends with the beginning of a name, is checked against its last few characters,
# once for each `add`: a beginning that is not there before a call is taken is not there after it either.
#
# So the buffer has two parts. `_scanned` was read by the current scan (for a name or, once there is a name, for an
# object); `_unscanned` was not, because rule 5a forbade it. A name that was found stays the right one (see names.py),
# and so does the object: an object without readable arguments blocks the parser for good, and is never looked at again.
"""Ollama's `tools.Parser`."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

from toolglean.errors import ToolError, UsageError, shown
from toolglean.ollama.arguments import ObjectScan, arguments_in
from toolglean.ollama.names import names_of
from toolglean.ollama.scan import Balance
from toolglean.scan.plain import Plain, Rope, grown, joined
from toolglean.tools import ToolLike, as_tool

__all__ = ["Added", "Call", "Parser", "State", "content", "done", "find_tag", "parse_tag"]

LAYOUT: Final = 2
"""Version of the pickled state."""

BRACKET_TAGS: Final = ("{", "[")
"""The tags of rules 3, 10 and 11: the payload begins with the tag itself."""

WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
"""Rule 3: the characters that Go trims. `str.strip` also removes U+001C to U+001F."""


class State(enum.IntEnum):
    """What the parser is doing. The names are Ollama's."""

    LookingForTag = 0
    ToolCalling = 1
    Done = 2


@dataclass(slots=True)
class Call:
    """One tool call.

    Attributes:
        name: the tool's name.
        arguments: the arguments. All numbers are floats, as in Go.
        index: the position among the calls of the parser, from 0.
    """

    name: str
    arguments: dict[str, Any]
    index: int


class Added(NamedTuple):
    """The result of one `add`.

    Attributes:
        content: text for the user.
        calls: the calls that are complete.
    """

    content: str
    calls: list[Call]


class Parser(Plain):
    """Ollama's tool parser: the same answers, chunk for chunk, including its defects.

    Args:
        tools: names, `Tool` objects or tool dicts. A name may be empty, and may occur twice.
        tag: the text that the model writes before a call. An empty tag is found at once.

    Raises:
        ToolError: a tool has none of the accepted shapes; the message shows it.
        UsageError: the tag is not a string.

    Model output never raises. `fork`, `copy.copy` and `pickle` copy the parser at any point.
    """

    __slots__ = (
        "_balance",
        "_calls",
        "_names",
        "_objects",
        "_scanned",
        "_state",
        "_tail",
        "_tool",
        "_tools",
        "_unscanned",
        "_wedged",
        "tag",
    )
    owned = ("_balance", "_objects")
    ropes = frozenset({"_scanned", "_unscanned"})

    def __init__(self, tools: Iterable[ToolLike], tag: str) -> None:
        if not isinstance(tag, str):
            raise UsageError(f"tag={shown(tag)} is not text: pass the text that begins a call, such as '<tool_call>'")
        self.tag = tag
        self._tools = _names(tools)
        self._names = names_of(self._tools)
        self._state = State.LookingForTag
        self._calls = 0
        self._scanned: Rope = ()
        self._unscanned: Rope = ()  # while looking for the tag: the text that is held back
        self._tail = ""  # the end of the buffer, long enough to tell whether a name begins there (rule 5a)
        self._tool: str | None = None
        self._wedged = False
        self._objects = ObjectScan()
        self._balance = _balance(tag)

    @classmethod
    def from_template(cls, tools: Iterable[ToolLike], template: str) -> Parser:
        """A parser for the tag that a Go chat template writes before a call, as Ollama finds it.

        Args:
            tools: as for `Parser`.
            template: the text of the template.

        Raises:
            TemplateError: the template cannot be read; the message shows the place.
            ToolError: a tool cannot be understood.
            UsageError: the template is not text: the tools come first.
        """
        if not isinstance(template, str):
            raise UsageError(f"template={shown(template)} is not the text of a template: pass the tools first")
        return cls(tools, parse_tag(template))

    @property
    def state(self) -> State:
        """What the parser is doing."""
        return self._state

    @property
    def buffer(self) -> str:
        """The text that is held back; each access joins it."""
        return joined(self._scanned) + joined(self._unscanned)

    def content(self) -> str:
        """The text that is left for the user when the stream is over: see the function `content`."""
        return content(self.tag, self.buffer, self._calls)

    def add(self, s: str) -> Added:
        """Read the next chunk.

        Args:
            s: text of any length, possibly empty.

        Returns:
            (content, calls): the text that is certain to be for the user, and the calls that were completed.

        Raises:
            UsageError: `s` is not text. Decode bytes first, with an incremental decoder.
        """
        if not isinstance(s, str):
            raise UsageError(f"s={shown(s)} is not text: pass text (decode bytes first, with an incremental decoder)")
        if self._state is State.Done:
            return Added(s, [])
        text = ""
        if self._state is State.LookingForTag:
            text, from_tag = self._look_for_tag(s)
            if from_tag is None:
                return Added(text, [])
            s = from_tag
        calls = self._take_calls(s)
        if self._is_done(s, calls):
            self._state = State.Done
            text = self.buffer
            self._scanned = self._unscanned = ()
        return Added(text, calls)

    def _look_for_tag(self, s: str) -> tuple[str, str | None]:
        """Rules 2 and 3. Returns the content, and the text from the tag on, once there is one."""
        buffer = joined(self._unscanned) + s  # the text that was held back is shorter than the tag
        at, found = find_tag(buffer, self.tag)
        text, rest = (buffer, "") if at == -1 else (buffer[:at], buffer[at:])
        if self.tag in BRACKET_TAGS and text.strip(WHITE_SPACE):
            self._state = State.Done
            self._unscanned = grown((), rest)
            return buffer, None
        if not found:
            self._unscanned = grown((), rest) if rest else ()
            return text, None
        self._state = State.ToolCalling
        self._unscanned = ()
        return text, rest

    def _take_calls(self, s: str) -> list[Call]:
        """Rules 4 to 9: take the calls that `s` completes."""
        self._unscanned = grown(self._unscanned, s)
        calls: list[Call] = []
        if self._names is None or self._wedged:
            return calls
        reach = self._names.reach
        self._tail = (self._tail + s[-reach:])[-reach:] if reach else ""
        if self._names.begins_in(self._tail):
            return calls
        text, self._unscanned = joined(self._unscanned), ()
        begin = 0  # where the buffer begins in `text`, once a call was taken
        end = 0  # the end of the tool's name, if it is in `text`
        while True:
            if self._tool is None:
                name = self._names.search(text, begin)
                if name is None:
                    break
                self._tool, end = name[0], name.end()
                self._objects = ObjectScan()
                if self._scanned:  # the object is sought from the buffer's start
                    before, self._scanned = joined(self._scanned), ()
                    text = before + text
                    end += len(before)
            found, brace = self._objects.find(text, begin)
            if found is None:
                break
            arguments = arguments_in(found, self._tool)
            if arguments is None:
                self._wedged = True
                break
            calls.append(Call(self._tool, arguments, self._calls))
            self._calls += 1
            self._tool = None
            self._scanned = ()
            begin = max(end, brace)
            end = 0
        self._scanned = grown(self._scanned, text[begin:])
        return calls

    def _is_done(self, s: str, calls: list[Call]) -> bool:
        """Rule 10. After a call, the count restarts with the text that the call left in the buffer."""
        if self._balance is None:
            return False
        if calls:
            self._balance = _balance(self.tag)
            s = self.buffer
        return self._balance is not None and self._balance.reached(s)

    def fork(self) -> Self:
        """Copy the parser. The two then continue independently."""
        return self.copy()

    def __getstate__(self) -> tuple[int, dict[str, Any]]:  # type: ignore[override]
        return LAYOUT, super().__getstate__()

    def __setstate__(self, state: tuple[Any, ...]) -> None:  # type: ignore[override]
        layout, plain = state[:2]
        if layout != LAYOUT:
            raise UsageError(
                f"this parser was pickled by another version of toolglean (layout {layout}, not {LAYOUT}): make a new "
                "parser"
            )
        super().__setstate__(plain)

    def __repr__(self) -> str:
        return f"Parser({list(self._tools)}, {self.tag!r}): {self._state.name}, {self._calls} calls"


def parse_tag(template: str) -> str:
    """The tag that a Go chat template writes before a call, as Ollama finds it; `{` if it writes none.

    Raises:
        TemplateError: the template cannot be read; the message shows the place.
    """
    # Rule 13.
    from toolglean.sources.templates.tag import parse_tag as tag_of  # noqa: PLC0415 - a tag does not need the template parser

    return tag_of(template)


def find_tag(buffer: str, tag: str) -> tuple[int, bool]:
    """Where the tag is in the buffer, or could begin at its end.

    Args:
        buffer: the text.
        tag: the tag.

    Returns:
        (position, True) of the tag; (position, False) of what may become one at the end of the buffer; or (-1, False).
    """
    at = buffer.find(tag)  # rule 2
    if at != -1:
        return at, True
    at = len(buffer) - len(tag)
    while (at := buffer.find(tag[0], max(0, at + 1))) != -1:
        if tag.startswith(buffer[at:]):
            return at, False
    return -1, False


def done(tag: str, buffer: str) -> bool:
    """Whether the payload after a tag `{` or `[` is over. Always False for other tags.

    Args:
        tag: the tag.
        buffer: the text that the parser holds back.
    """
    balance = _balance(tag)  # rule 10
    return balance is not None and balance.reached(buffer)


def content(tag: str, buffer: str, calls: int) -> str:
    """The part of the buffer that is text for the user: all of it for a tag `{` or `[` without calls, else nothing.

    Args:
        tag: the tag.
        buffer: the text that the parser holds back.
        calls: how many calls it has returned.
    """
    # Rule 11.
    return buffer if calls == 0 and tag in BRACKET_TAGS else ""


def _balance(tag: str) -> Balance | None:
    return Balance(tag) if tag in BRACKET_TAGS else None


def _names(tools: Iterable[ToolLike]) -> tuple[str, ...]:
    if isinstance(tools, str | Mapping) or not isinstance(tools, Iterable):
        raise ToolError(
            f"tools={shown(tools)} is not a list of tools: pass a list of names, Tools, tool dicts or functions"
        )
    return tuple(each if isinstance(each, str) else as_tool(each).name for each in tools)
