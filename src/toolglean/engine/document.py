# Reads JSON that no marker opened until it is clear whether it is calls or data. Does not depend on the turn: the rule
# is in scan/data.py, and envelope.py decides what is done with the JSON.
#
# Only containers that may be calls, or contain them, are examined. Anything else is refused at once, so that data is
# content as soon as it is recognised. Arguments are kept until they are complete, because the rule needs their keys. As
# long as nothing is refused, nothing is certain before the last bracket: a later key may show that it is data.
"""JSON without a marker: calls, or data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from toolglean.scan import data
from toolglean.scan.json import END, decode
from toolglean.scan.names import (
    ARGUMENT_KEYS,
    BESIDE_KEYS,
    HOLDER_KEYS,
    KNOWN_HOLDER_KEYS,
    KNOWN_NAME_KEYS,
    NAME_KEYS,
    THOUGHT_KEYS,
)
from toolglean.scan.plain import Plain
from toolglean.scan.scanner import CLOSE, FAIL, KEY, NEED, OPEN, STRING
from toolglean.scan.tokens import object_text, token_text

if TYPE_CHECKING:
    from toolglean.engine.names import Names
    from toolglean.scan.scanner import Token
    from toolglean.scan.tokens import JsonTokens

__all__ = ["CALLS", "DATA", "Document"]


class Verdict(Enum):
    """What JSON without a marker is."""

    CALLS = auto()  # and nothing else
    DATA = auto()


CALLS, DATA = Verdict

_FOLLOWERS = "```", "~~~", "</", "[/", "<|", "<｜"  # the end of a fence, and how the markers of most families begin
_is_whole_tag = re.compile(r"[<\[✿◁].+[>\]=\[✿:▷]").fullmatch
_SKIPS = frozenset({"", "{", "["})  # after which white space says nothing
_may_be_json = re.compile(r"\{[\"{}]?|\[[{[\]]?").fullmatch
_COHERES = frozenset({"", "tool_name"})  # Cohere's models write the id of a call like that next to this key
_THOUGHTS = THOUGHT_KEYS - {"role", "content"}  # of a message, these say more
_BESIDE_CALLS = BESIDE_KEYS | THOUGHT_KEYS | NAME_KEYS | ARGUMENT_KEYS
MOST_OPEN = 6  # containers around a call: `{"tool_calls": [{"function": {`


@lru_cache(maxsize=1)
def markers_after_json() -> tuple[str, ...]:
    """The markers of any family that may follow JSON on its line: words alone are prose there."""
    from toolglean.formats.registry import all_formats  # noqa: PLC0415  # few turns are JSON and a marker

    found = {marker.strip().lstrip("]}") for each in all_formats() for marker in each.markers}
    return (*_FOLLOWERS, *sorted(filter(_is_whole_tag, found)))


class Thing(NamedTuple):
    """A container that may be a call, or contain calls. A list has no keys. Never changed.

    Attributes:
        key: the key whose value is being read.
        keys: how many keys were read.
        name: the name of the call; `name_key`: the key that it is under.
        arguments: the arguments.
        answers: whether it has the id of a call, as the answer to that call has it.
        is_anothers: whether its type or its role is not that of a call.
        calls: how many calls it contains.
        is_unknown: whether its name is not a tool's. Beside calls of tools, such a call is content.
        is_text: whether it is what was thought of a call beside it.
        has_holder: whether the key that it is under has many uses: then its arguments must be there.
    """

    key: str = ""
    keys: int = 0
    name: str = ""
    name_key: str = ""
    arguments: dict[str, Any] | None = None
    answers: bool = False
    is_anothers: bool = False
    calls: int = 0
    is_unknown: bool = False
    is_text: bool = False
    has_holder: bool = False

    def fault(self, names: Names) -> str | None:
        """Why it neither is a call nor contains calls; None if it does."""
        if self.calls or not self.name:
            contains = self.calls and not self.name and self.arguments is None
            return None if contains else data.BESIDE
        schema = names.schema(self.name)
        if self.arguments is not None:
            fault = data.fault_of_arguments(self.arguments, schema)
        else:
            fault = data.fault_without_arguments(self.keys, schema) if self.sure else data.NO_ARGUMENTS
        return fault or None

    @property
    def sure(self) -> bool:
        """Whether it may be a call whose name has no arguments next to it."""
        return self.name_key in NAME_KEYS and not self.has_holder

    @property
    def is_of_another(self) -> bool:
        """Whether it is no call of the assistant, and contains none."""
        return self.is_anothers or (self.answers and self.name_key not in _COHERES)


class Document(Plain):
    """One JSON value without a marker.

    Args:
        alone: whether text on the line of its last bracket shows that it is part of a sentence.
        renamed: see `Envelope`.
        ends: markers that may follow it, other than those of the library's formats.

    Attributes:
        start: its place in the turn.
        verdict: what it is; None while more text is needed to tell.
        reason: for DATA: why what named a tool is not a call; "" if no tool was named.
        name: the last tool that was named where a call may be.
        written: the last name that was written there, a tool's or not.
    """

    __slots__ = (
        "_alone", "_ends", "_keeps", "_parted", "_renamed", "_rest", "_things", "name", "reason", "start", "verdict",
        "written",
    )  # fmt: skip
    owned = ("_things",)

    def __init__(
        self, *, alone: bool = True, renamed: Mapping[str, str] | None = None, ends: tuple[str, ...] = ()
    ) -> None:
        self.start = 0
        self._alone, self._renamed, self._ends = alone, renamed or {}, ends
        self._rest = ""  # what follows on the line of its last bracket, except for white space and brackets
        self._parted = False  # whether a comma or the like came after the last bracket
        self.verdict: Verdict | None = None
        self.reason = self.name = self.written = ""
        self._things: list[Thing] = []
        self._keeps = False  # whether arguments are being kept until they are complete

    @property
    def is_plausible(self) -> bool:
        """Whether a tool was named where a call may be, and nothing was refused."""
        return self.verdict is not DATA and bool(self.name)

    @property
    def has_arguments(self) -> bool:
        """Whether arguments of a call have begun."""
        return self._keeps or any(each.arguments is not None for each in self._things)

    @property
    def is_long(self) -> bool:
        """Whether it may be as long as a call."""
        return bool(self.name) or self._keeps

    def begin(self, start: int) -> None:
        """The first bracket has been read, at that place of the turn."""
        self.start, self._things = start, [Thing()]

    def read(self, scanner: JsonTokens, names: Names, text: str, i: int) -> int:
        """Read on, up to the verdict, a refused character, a change of the limit, or the end. Returns the place
        reached.
        """
        was_long = self.is_long
        while i < len(text) and self.verdict is None:
            if scanner.state == END:
                return self._read_line(text, i)
            i = self._read_kept(scanner, names, text, i) if self._keeps else self._read_token(scanner, names, text, i)
            if scanner.token is FAIL:
                if any(each.is_text for each in self._things):  # else what breaks it might be read as a call
                    self._refuse()
                break
            if not was_long and self.is_long:
                break  # another limit is in force: the machine checks it before reading on
        return i

    def _read_line(self, text: str, i: int) -> int:
        # The rest of the last bracket's line: calls are not part of a sentence.
        while i < len(text):
            char = text[i]
            if not self._rest and char in ",;" and not self._parted:
                self._parted = True
            elif char == "\n" and not self._rest:
                self.verdict = CALLS
                return i
            elif not (char.isspace() and self._rest in _SKIPS) and (self._rest or char not in "]}"):
                follows = self._may_follow(self._rest + char)
                if follows is not None:
                    self.verdict, self.reason = (CALLS, "") if follows else (DATA, data.IN_TEXT)
                    return i
                self._rest += char
            i += 1
        return i

    def _may_follow(self, rest: str) -> bool | None:
        # Whether that may follow calls on their line; None while more text is needed to tell.
        found = _may_be_json(rest)
        if found is not None and len(rest) > 1:
            return True
        if self._parted:
            return None if found is not None else False
        markers = markers_after_json() + self._ends
        if any(map(rest.startswith, markers)):
            return True
        return None if found is not None or any(each.startswith(rest) for each in markers) else False

    def _read_kept(self, scanner: JsonTokens, names: Names, text: str, i: int) -> int:
        j = scanner.read_value(text, i)
        if scanner.token is CLOSE:
            arguments, self._keeps = decode(scanner.take_collected())[0], False
            thing = self._note(arguments=arguments)
            if data.is_definition(arguments, names.schema(thing.name)):
                self._refuse(data.DEFINITION)
        return j

    def _read_token(self, scanner: JsonTokens, names: Names, text: str, i: int) -> int:
        j, raw = scanner.read_token(text, i)
        token = scanner.token
        if token is CLOSE:
            self._close(names)
            if scanner.state == END and self.verdict is None and not self._alone:
                self.verdict = CALLS
        elif token is OPEN:
            self._open(scanner)
        elif token is FAIL:
            if text[j] == "{":  # some templates write lists of calls without commas
                scanner.forgive_comma()
        elif token is not NEED:
            self._scalar(names, token, raw, scanner.max_depth - len(scanner.stack))
        return j

    # -- tokens --------------------------------------------------------------------------------------------------------

    def _scalar(self, names: Names, token: Token, raw: str, room: int) -> None:
        thing = self._things[-1]
        if thing.is_text:
            return
        if token is KEY:
            key = token_text(raw)
            thing = self._note(key=self._renamed.get(key, key), keys=thing.keys + 1)
            if thing.key == "description" and thing.name:
                self._refuse(data.DEFINITION)
        elif not thing.keys:
            self._refuse()
        elif token is STRING:
            self._string(names, thing, token_text(raw), room)
        elif raw.endswith("null"):
            if thing.key in ARGUMENT_KEYS and thing.arguments is None:
                self._note(arguments={})
            elif thing.key in NAME_KEYS:
                self._refuse()
        elif thing.key not in BESIDE_KEYS or thing.key == "type":
            self._refuse(data.NO_OBJECT if thing.key in ARGUMENT_KEYS else data.BESIDE)

    def _string(self, names: Names, thing: Thing, value: str, room: int) -> None:
        key = thing.key
        if key in NAME_KEYS and not thing.sure:
            thing = self._note(name=value, name_key=key, is_unknown=not names.accepts(value, bare=True))
            self.written = value
            if not thing.is_unknown:
                self.name = value
            elif names.tools is None or not value:
                self._refuse()
        elif key in KNOWN_NAME_KEYS and not thing.name and names.resolve(value) is not None:
            self._note(name=value, name_key=key, is_unknown=False)
            self.name = self.written = value
        elif key in ARGUMENT_KEYS and thing.arguments is None:
            found = "{}" if value.strip() in {"", "null"} else object_text(value, room)[0]
            if found is None:
                self._refuse(data.NO_OBJECT)
            else:
                self._note(arguments=decode(found)[0])
        elif key not in _BESIDE_CALLS:
            self.written = value if names.known(value) else self.written
            self._refuse(data.BESIDE)
        else:
            thing = self._note(answers=thing.answers or key == "tool_call_id")
            self._note(is_anothers=thing.is_anothers or data.is_anothers(key, value))
        if self.name and any(each.is_of_another for each in self._things):
            self._refuse(data.ANOTHERS)

    def _open(self, scanner: JsonTokens) -> None:
        thing, bracket = self._things[-1], scanner.stack[-1]
        key = thing.key
        if key in ARGUMENT_KEYS and bracket == "{" and thing.arguments is None:
            self._keeps = True
            scanner.begin_value()
        elif key in ARGUMENT_KEYS:
            self._refuse(data.NO_OBJECT)
        elif thing.is_text or (key in _THOUGHTS and len(self._things) < MOST_OPEN):
            self._things.append(Thing(is_text=True))
        elif (key in HOLDER_KEYS or (not thing.keys and bracket == "{")) and len(self._things) < MOST_OPEN:
            self._things.append(Thing(has_holder=key in KNOWN_HOLDER_KEYS))
        else:
            self.written = self.written if thing.name else key  # `{"f": {…}}` names the tool f
            self._refuse(data.BESIDE)

    def _close(self, names: Names) -> None:
        thing = self._things.pop()
        if thing.is_text:
            return
        reason = thing.fault(names)
        if reason is not None:
            self._refuse(reason)
        elif self._things:
            self._note(calls=self._things[-1].calls + (not thing.is_unknown))
        elif thing.is_unknown:
            self._refuse()

    def _note(self, **found: Any) -> Thing:
        # Note that of the innermost container.
        self._things[-1] = thing = self._things[-1]._replace(**found)
        return thing

    def _refuse(self, reason: str = "") -> None:
        self.verdict = DATA
        self.reason = (reason or data.BESIDE) if self.name else ""
