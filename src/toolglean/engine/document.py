# What this file knows: how JSON that no marker opened is read until it is clear whether it is calls or data.
# Does not depend on the turn: the rule is in data.py, and what becomes of the JSON is up to envelope.py.
#
# Only containers that may be calls, or hold them, are looked into. What else is there is refused at once, so that data
# is content as soon as it shows. Arguments are kept until they are whole, for the rule asks for their keys. While
# nothing is refused, nothing is certain before the last bracket: a later key may show that it is data.
"""JSON without a marker: calls, or data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglean.scan.json import (
    CLOSE,
    END,
    FAIL,
    KEY,
    NEED,
    OPEN,
    STRING,
    JsonScanner,
    decode,
    object_text,
)
from toolglean.scan.rope import Rope, flat, grown, joined
from toolglean.values import data
from toolglean.values.keys import (
    ARGUMENT_KEYS,
    BESIDE_KEYS,
    HOLDER_KEYS,
    KNOWN_NAME_KEYS,
    NAME_KEYS,
    THOUGHT_KEYS,
)

if TYPE_CHECKING:
    from toolglean.engine.names import Names

__all__ = ["CALLS", "DATA", "OPEN_STILL", "Document"]

OPEN_STILL = 0  # more text is needed to tell
CALLS = 1  # calls, and nothing else
DATA = 2

PROSE = frozenset(".:!?'\"(-+*/%=_&#–—…")
"""What goes on with a sentence behind JSON."""

MOST_HELD = 6  # containers around a call: `{"tool_calls": [{"function": {`

# Whose value is being kept.
NOBODY = 0
OF_ARGUMENTS = 1
OF_OTHER = 2


class Thing:
    """A container that may be a call, or hold calls.

    Attributes:
        kind: `{` or `[`.
        key: the key whose value is being read.
        keys: how many keys were read.
        name: the name of the call; `sure`: whether no arguments need to be beside it to make it one.
        arguments: the arguments, under one of their names; `other`: an object under another key.
        noted: whether a key came that may only be beside arguments, or beside calls.
        calls: how many calls it holds.
        is_unknown: whether its name is no tool's. Beside calls of tools, such a call is content.
    """

    __slots__ = ("arguments", "calls", "is_unknown", "key", "keys", "kind", "name", "noted", "other", "sure")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.key = ""
        self.keys = self.calls = 0
        self.name = ""
        self.sure = self.noted = self.is_unknown = False
        self.arguments: dict[str, Any] | None = None
        self.other: dict[str, Any] | None = None

    def copy(self) -> Thing:
        """The same. Arguments are never changed."""
        twin = Thing(self.kind)
        for slot in Thing.__slots__:
            setattr(twin, slot, getattr(self, slot))
        return twin


class Document:
    """One JSON value without a marker.

    Args:
        start: its place in the turn.
        alone: whether text on the line of its last bracket shows that it is part of a sentence.

    Attributes:
        start: its place in the turn.
        verdict: OPEN_STILL, CALLS or DATA.
        reason: of DATA: why what named a tool is no call; "" where none was named.
        name: the tool that was named last at the place of a call.
        is_long: whether it may be as long as a call.
        written: the name that was written last there, a tool's or not.
    """

    __slots__ = (
        "_alone",
        "_depth",
        "_keeps",
        "_parted",
        "_things",
        "_token",
        "_value",
        "is_long",
        "name",
        "reason",
        "start",
        "verdict",
        "written",
    )

    def __init__(self, start: int, *, alone: bool = True) -> None:
        self.start = start
        self._alone = alone
        self._parted = False  # whether a comma or the like came after the last bracket
        self.verdict = OPEN_STILL
        self.reason = self.name = self.written = ""
        self.is_long = False
        self._things: list[Thing] = []
        self._keeps = NOBODY
        self._depth = 0  # of the value that is kept
        self._value: Rope = ()
        self._token: Rope = ()

    def copy(self) -> Document:
        """The same place."""
        twin = Document(self.start, alone=self._alone)
        twin.verdict, twin.reason, twin._keeps = self.verdict, self.reason, self._keeps
        twin.is_long, twin.name, twin.written = self.is_long, self.name, self.written
        twin._things = [each.copy() for each in self._things]
        twin._parted = self._parted
        twin._depth, twin._value, twin._token = self._depth, self._value, self._token
        return twin

    def __getstate__(self) -> dict[str, Any]:
        state = {slot: getattr(self, slot) for slot in self.__slots__}
        return state | {"_value": flat(self._value), "_token": flat(self._token)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for slot, value in state.items():
            setattr(self, slot, value)

    @property
    def is_plausible(self) -> bool:
        """Whether a tool was named at the place of a call, and nothing was refused."""
        return self.verdict != DATA and bool(self.name)

    @property
    def has_arguments(self) -> bool:
        """Whether arguments of a call have begun."""
        return self._keeps == OF_ARGUMENTS or any(each.arguments is not None for each in self._things)

    def begin(self, bracket: str) -> None:
        """The first bracket has been read."""
        self._things = [Thing(bracket)]

    def read(self, scanner: JsonScanner, names: Names, text: str, i: int) -> int:
        """Read on, up to the verdict, a refused character, another limit or the end; returns the place reached."""
        while i < len(text) and not self.verdict:
            if scanner.state == END:
                return self._read_line(text, i)
            i = self._read_kept(scanner, names, text, i) if self._keeps else self._read_token(scanner, names, text, i)
            if scanner.token == FAIL:
                break
            if not self.is_long and (self.name or self._keeps == OF_ARGUMENTS):
                self.is_long = True  # another limit is in force: the machine looks at it before the text goes on
                break
        return i

    def _read_line(self, text: str, i: int) -> int:
        # The rest of the last bracket's line: calls are not part of a sentence.
        while i < len(text):
            char = text[i]
            if char in ",;" and not self._parted:
                self._parted = True
            elif char == "\n" or not char.isspace():
                prose = char not in "{[\n" if self._parted else char.isalnum() or char in PROSE
                self.verdict, self.reason = (DATA, data.IN_TEXT) if prose else (CALLS, "")
                return i
            i += 1
        return i

    def _read_kept(self, scanner: JsonScanner, names: Names, text: str, i: int) -> int:
        j = scanner.skim(text, i, self._depth)
        self._value = grown(self._value, scanner.written(text, i, j))
        if scanner.token == CLOSE:
            thing, value = self._things[-1], decode(joined(self._value))[0]
            if self._keeps == OF_ARGUMENTS:
                thing.arguments = value
            else:
                thing.other = value
            self._keeps, self._value = NOBODY, ()
            if thing.arguments is not None and data.is_definition(thing.arguments, names.schema(thing.name)):
                self._refuse(data.DEFINITION)
        return j

    def _read_token(self, scanner: JsonScanner, names: Names, text: str, i: int) -> int:
        j = scanner.step(text, i)
        scanner.fixes.clear()
        token = scanner.token
        if token == NEED:
            self._token = grown(self._token, text[i:j])
            return j
        if token == FAIL:
            if text[j] == "{":  # as some templates write lists of calls
                scanner.forgive_comma()
            return j
        if token == CLOSE:
            self._close(names)
            if scanner.state == END and not self.verdict and not self._alone:
                self.verdict = CALLS
        elif token == OPEN:
            self._open(scanner, names)
        else:
            raw = joined(self._token) + text[i:j]
            self._scalar(names, token, raw, scanner.max_depth - len(scanner.stack))
        self._token = ()
        return j

    # -- tokens --------------------------------------------------------------------------------------------------------

    def _scalar(self, names: Names, token: int, raw: str, room: int) -> None:
        thing = self._things[-1]
        if token == KEY:
            thing.key = _string(raw)
            thing.keys += 1
            if thing.key == "description" and thing.name:
                self._refuse(data.DEFINITION)
        elif thing.kind == "[":
            self._refuse()
        elif token == STRING:
            self._string(names, thing, _string(raw), room)
        elif raw.endswith("null"):
            if thing.key in ARGUMENT_KEYS and thing.arguments is None:
                thing.arguments = {}
            elif thing.key in NAME_KEYS:
                self._refuse()
        elif thing.key not in BESIDE_KEYS:
            self._refuse(data.NO_OBJECT if thing.key in ARGUMENT_KEYS else data.BESIDE)

    def _string(self, names: Names, thing: Thing, value: str, room: int) -> None:
        key = thing.key
        if key in NAME_KEYS and not thing.sure:
            thing.name, thing.sure, thing.is_unknown = value, True, not names.takes(value, bare=True)
            self.written = value
            if not thing.is_unknown:
                self.name = value
            elif names.tools is None or not value:
                self._refuse()
        elif key in KNOWN_NAME_KEYS and not thing.name and names.resolve(value) is not None:
            thing.name = self.name = self.written = value
        elif key in ARGUMENT_KEYS and thing.arguments is None:
            found = "{}" if value.strip() in {"", "null"} else object_text(value, room)[0]
            if found is None:
                self._refuse(data.NO_OBJECT)
            else:
                thing.arguments = decode(found)[0]
        elif key in THOUGHT_KEYS:
            thing.noted = True
        elif key not in BESIDE_KEYS and key not in NAME_KEYS and key not in ARGUMENT_KEYS:
            self._refuse(data.BESIDE)

    def _open(self, scanner: JsonScanner, names: Names) -> None:
        thing, bracket = self._things[-1], scanner.stack[-1]
        key = thing.key if thing.kind == "{" else ""
        if key in ARGUMENT_KEYS and bracket == "{" and thing.arguments is None:
            self._keep(OF_ARGUMENTS, scanner)
        elif key in ARGUMENT_KEYS:
            self._refuse(data.NO_OBJECT)
        elif key and thing.sure and thing.other is None and bracket == "{" and key not in HOLDER_KEYS:
            if names.schema(thing.name) is None:
                self._refuse(data.BESIDE)
            else:
                self._keep(OF_OTHER, scanner)
        elif (key in HOLDER_KEYS or (thing.kind == "[" and bracket == "{")) and len(self._things) < MOST_HELD:
            self._things.append(Thing(bracket))
        else:
            self._refuse(data.BESIDE)

    def _keep(self, keeps: int, scanner: JsonScanner) -> None:
        self._keeps, self._depth, self._value = keeps, len(scanner.stack) - 1, ((), "{")

    def _close(self, names: Names) -> None:
        thing = self._things.pop()
        reason = self._fault(thing, names)
        if reason is not None:
            self._refuse(reason)
        elif self._things:
            self._things[-1].calls += not thing.is_unknown
        elif thing.is_unknown:
            self._refuse()

    def _fault(self, thing: Thing, names: Names) -> str | None:
        # Why it is neither a call nor holds calls; None: it is, or does.
        if thing.calls or not thing.name:
            holds = thing.calls and not thing.name and thing.arguments is None and thing.other is None
            return None if holds else data.BESIDE
        schema = names.schema(thing.name)
        if thing.arguments is not None:
            fault = data.BESIDE if thing.other is not None else data.fault_of_arguments(thing.arguments, schema)
        elif thing.other is not None:
            fault = data.BESIDE if thing.noted else data.fault_of_lone_object(thing.other, schema)
        else:
            fault = data.fault_without_arguments(thing.keys, schema) if thing.sure else data.NO_ARGUMENTS
        return fault or None

    def _refuse(self, reason: str = "") -> None:
        self.verdict = DATA
        self.reason = (reason or data.BESIDE) if self.name else ""


def _string(raw: str) -> str:
    text = raw[raw.index('"') :]
    found: str = decode(text)[0]
    return found
