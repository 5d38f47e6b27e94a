# What is kept until the end of a call that cannot be read as written, and the questions of the repairer to a payload.
# Does not depend on what is tried (candidates.py, repairer.py), or on how the questions are answered
# (matcher/payload.py).
"""A call that may have to be repaired."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from toolglean.scan.plain import Plain, Rope, grown, joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolglean.engine.attempt import Attempt
    from toolglean.engine.reasons import Reason
    from toolglean.scan.text import Finder

__all__ = ["OFF", "ON", "TRIAL", "Fault", "Kind", "Put", "Refusal", "Repairable", "Suspended"]


class Repair(IntEnum):
    """Whether a turn repairs calls."""

    OFF = 0
    ON = 1
    TRIAL = 2
    """The turn is a copy that reads what may have been meant: what is certain at once is inserted as it reads."""


OFF, ON, TRIAL = Repair


class Kind(IntEnum):
    """What cannot be read as written."""

    CHARACTER = 0
    """A character of the open call's arguments."""
    REGION = 1
    """A character of what is not a call yet."""
    QUOTES = 2
    """A value that may lack its quote markers."""
    UNCLOSED = 3
    """A text value that may lack its closing marker."""


class Refusal(NamedTuple):
    """What is known about the place where a character was refused.

    Attributes:
        char: the character.
        due: what JSON requires in its place: "first key", "key", "colon", "escape", or "" for anything else.
        inner: whether that is inside a value of the arguments.
        last: the last token, if it is not in the arguments: a comma or a key of the call itself with its quotes, before
            which a reader can go back; or a value that was refused as a whole.
        marker: the marker before a value, if that is expected.
    """

    char: str
    due: str = ""
    last: str = ""
    inner: bool = False
    marker: str = ""


class Put(NamedTuple):
    """What is inserted where a call cannot be read as written.

    Attributes:
        text: the text to insert.
        skip: how many characters it replaces.
        back: whether it also replaces the last token.
        final: whether it is a marker that must be the last of its call.
    """

    text: str
    skip: int = 0
    back: bool = False
    final: bool = False


class Fault(NamedTuple):
    """Where a call cannot be read as written.

    Attributes:
        kind: what cannot be read.
        reason: of the `Problem` that is reported if it cannot be repaired; None if there is none.
        text: the text for a `Problem`; place: its place.
        name, put: the repair, and what it inserts, if that is clear at once; otherwise the end of the call decides.
    """

    kind: Kind
    reason: Reason | None
    text: str
    place: int
    name: str = ""
    put: Put | None = None


class Suspended(Plain):
    """What is kept until the end of the call shows what was meant.

    Attributes:
        fault: what cannot be read as written.
        attempt: the turn from just before the fault; None in a trial, which is undone as a whole.
        trial: the copy that reads on with what is inserted, if that is clear at once.
    """

    __slots__ = ("_edge", "_is_past", "_raw", "attempt", "fault", "trial")
    ropes = frozenset({"_raw"})
    owned = ("trial",)

    def __init__(self, fault: Fault, attempt: Attempt | None) -> None:
        self.fault = fault
        self.attempt = attempt
        self.trial: Any = None  # of repairer.py, which is above
        self._raw: Rope = ()
        self._edge = ""  # the end of the text, where a marker may begin
        self._is_past = False  # whether the call may have ended there

    @property
    def before(self) -> Any:
        """The turn from just before the fault."""
        assert self.attempt is not None
        return self.attempt.before

    @property
    def raw(self) -> str:
        """The text from the fault on."""
        return joined(self._raw)

    def keep(self, piece: str) -> None:
        """More of the text was read."""
        self._raw = grown(self._raw, piece)

    def find(self, finder: Finder, piece: str, start: int) -> tuple[int, str, int]:
        """Read on, in a piece that begins at the place `start`, up to what the finder finds.

        Returns:
            The place of what was found, or of what may be its beginning; what was found, or ""; and how much of the
            piece was read.
        """
        near, waited = self._edge + piece, len(self._edge)
        place, found = finder.find(near, 0)
        taken = max(place + len(found) - waited, 0) if found else len(piece)
        self.keep(piece[:taken])
        self._edge = near[place:]
        return start - waited + place, found, taken

    def opens_call(self, payload: Repairable, piece: str, start: int) -> bool:
        """Read on, in a piece that begins at that place: whether another call begins before that one may have ended."""
        taken = 0
        if not self._is_past:
            _, found, taken = self.find(payload.end_finder(), piece, start)
            self._is_past = found != ""
            if found and not payload.is_closer(found):
                self.keep(piece[taken:])
                return True
        self.keep(piece[taken:])
        return False

    def begin_trial(self, trial: Any) -> None:
        """Let that copy read on."""
        self.trial = trial


class Repairable:
    """What is read after a tag. The defaults are for payloads that cannot be repaired."""

    __slots__ = ()

    def refusal(self, turn: Any, char: str) -> Refusal:
        """What is known about the place where that character has just been refused."""
        return Refusal(char)

    def repaired_with(self, put: Put) -> Self | None:
        """A copy that is before the refused character, or the last token, and reads what is inserted there."""
        return None

    def before_refusal(self) -> Self | None:
        """A copy that is before the character just refused; None if that is not possible."""
        return None

    def brackets(self) -> str:
        """What closes the containers of the arguments, and those around them, innermost first."""
        return ""

    def is_whole(self) -> bool:
        """Whether the arguments have closed, and only the containers around them are open."""
        return False

    def quoting(self) -> tuple[str, tuple[str, ...]]:
        """The marker around strings, and the parameters in the schema."""
        return "", ()

    def heads(self) -> tuple[str, ...]:
        """With what a parameter begins, in lower case: see formats/parameters.py."""
        return ()

    def end_finder(self) -> Finder:
        """Finds what ends the call: its closers, and what opens the next."""
        raise NotImplementedError

    def is_closer(self, found: str) -> bool:
        """Whether that is one of its closers."""
        raise NotImplementedError

    def is_markup(self, text: str) -> bool:
        """Whether the text is nothing but what closes calls and sections."""
        raise NotImplementedError

    def goes_on(self, before: str, after: str, is_name: Callable[[str], bool], *, at_end: bool) -> bool | None:
        """Whether what follows a call's closer can only follow a call; None: more text is needed.

        Args:
            before: the text up to where the call ended, its closer included.
            after: the text from there on.
            is_name: whether a call of that name is accepted.
            at_end: whether the turn ends there.
        """
        raise NotImplementedError

    def refuse(self, turn: Any) -> None:
        """What was read is not a call."""
        raise NotImplementedError

    def take_as_written(self, place: int, *, doubtful: bool) -> None:
        """Nothing can be repaired at that place. `doubtful`: the call as written must not run."""
        raise NotImplementedError
