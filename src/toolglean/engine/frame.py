# What this file knows: what is remembered of a container of JSON that may be a call, or may hold one.
# What it must not know: how JSON is read, and when a call begins.
"""An open container of the JSON around calls."""

from __future__ import annotations

from toolglean.values.keys import ARGUMENT_KEYS, BESIDE_KEYS, NAME_KEYS

__all__ = ["AS_NULL", "AS_OBJECT", "AS_STRING", "MISSING", "WRONG", "Frame"]

# What a frame's arguments are, when they came before the name.
MISSING = 0
AS_OBJECT = 1
AS_STRING = 2
AS_NULL = 3
WRONG = 4

MOST_NOTED = 8  # keys that are remembered


class Frame:
    """One open container of the envelope.

    Attributes:
        kind: `{` or `[`.
        key: the key whose value is being read.
        keys: how many keys were read.
        name: the value of its name key, or of another key that may hold a tool's name.
        id: the value of its id key.
        held: what its arguments are: MISSING, or how they were written.
        arguments: their text, where they came before the name, or stand under a tool's name; `start` is its place.
        lone: the tool whose name is the only key so far.
        called: whether a call was opened from this object.
        repeated: the last name or arguments key that came a second time, and its place.
        soft: whether the name stands under a key that may hold anything.
        room: how deep arguments may be that are written as a string.
        others: keys that are no name, no arguments and not in `beside`; of many, the first ones.
        beside: keys that may be beside a name without being arguments.
        other: the one of `others` whose object is in `arguments`, because no other arguments came before it.
    """

    __slots__ = (
        "arguments",
        "beside",
        "called",
        "held",
        "id",
        "key",
        "keys",
        "kind",
        "lone",
        "name",
        "other",
        "others",
        "repeated",
        "room",
        "soft",
        "start",
    )

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.key = ""
        self.keys = 0
        self.name: str | None = None
        self.id: str | None = None
        self.held = MISSING
        self.arguments = ""
        self.start = 0
        self.lone = ""
        self.called = False
        self.repeated: tuple[str, int] | None = None
        self.room = 0
        self.soft = False
        self.others: tuple[str, ...] = ()
        self.beside: tuple[str, ...] = ()
        self.other = ""

    @property
    def lacks_only_arguments(self) -> bool:
        """Whether an object under another key is all that is beside the name."""
        return bool(self.other) and self.held == MISSING and self.others == (self.other,)

    def forget_key(self) -> None:
        """The last key was not meant."""
        self.keys -= 1

    def note(self, key: str, *, is_container: bool = False) -> None:
        """A value came that is neither the name nor the arguments."""
        if key in ARGUMENT_KEYS or (key in NAME_KEYS and not is_container):  # that one came twice is told
            return
        if key in BESIDE_KEYS and not is_container:
            self.beside = (*self.beside, key)[:MOST_NOTED]
        else:
            self.others = (*self.others, key)[:MOST_NOTED]

    def copy(self) -> Frame:
        """The same frame."""
        twin = Frame(self.kind)
        twin.key, twin.keys, twin.name, twin.id = self.key, self.keys, self.name, self.id
        twin.held, twin.arguments, twin.start, twin.room = self.held, self.arguments, self.start, self.room
        twin.lone, twin.called, twin.repeated, twin.soft = self.lone, self.called, self.repeated, self.soft
        twin.others, twin.beside, twin.other = self.others, self.beside, self.other
        return twin
