# The policy of the fallback: which formats get a second try at text that did not yield a call. Does not depend on how
# anything is read, or on what is done with the text if no format can read it (calls.py).
#
# The name of a format, or of a model, says how the model should write, but now and then it writes as another family
# does. So text that the named format could not read is read once more by its fallback formats: the other formats whose
# calls begin in the same way. If the named format has read a call of an unknown tool, the fallback formats are tried
# before it is accepted, for known tools; if they find nothing either, the named format reads the text again, and its
# call is accepted. The same where the named format has read only a marker around calls, such as the header of a
# message, with which calls of other formats begin.
#
#     OWN ── no call ──────────▶ FALLBACK ── no call ──▶ it is text
#      ├──── an unknown tool ──▶ DOUBTED ─── no call ──▶ ONLY
#      └──── only a marker ────▶ FRAMED ──── no call ──▶ ONLY
#
# With `auto`, the formats that the first call has ruled out are the fallback formats of those that are left.
#
# Each reading begins at the first character, and each reader tries once. So the work is linear, and the result is the
# same for every chunking.
"""The fallback: which other formats may read what did not yield a call."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from toolglean.engine.modes import CONTENT

if TYPE_CHECKING:
    from toolglean.engine.reasons import Reason
    from toolglean.formats.compile import Program
    from toolglean.formats.fallback_formats import FallbackFormats
    from toolglean.formats.nfa import StateSet

__all__ = ["DOUBTED", "FALLBACK", "FRAMED", "ONLY", "OWN", "Fallback", "Role", "SecondTry"]


class Role(Enum):
    """Whose reading it is, and what happens to the text if it is not a call."""

    ONLY = "the format's own: it is text"
    OWN = "the format's own: fallback formats read it again"
    FALLBACK = "that of fallback formats: it is text"
    DOUBTED = "that of fallback formats, because the tool was unknown: the format reads it again"
    FRAMED = "that of fallback formats, because the format has only a marker there: the format reads it again"


ONLY, OWN, FALLBACK, DOUBTED, FRAMED = Role
_FOREIGN = frozenset({FALLBACK, DOUBTED, FRAMED})


class Fallback(NamedTuple):
    """Which format reads, and which others may. Never changed.

    Attributes:
        role: whose reading it is.
        fallback formats: the formats that may read what the named one does not; None if only the named one is used.
        from_start: whether the text begins at the start of the turn, without a marker. in_line: whether there is text
            before it on its line. problem: from an earlier reading: the reason of the `Problem` that is reported if the
            text is not a call. awaits: from there, too: what then closes the arguments that could not be read; None for
            no arguments.
    """

    role: Role = ONLY
    fallback_formats: FallbackFormats | None = None
    from_start: bool = False
    in_line: bool = False
    problem: Reason | None = None
    awaits: tuple[str, ...] | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether fallback formats read: the numbers of their formats are not those of the turn."""
        return self.role in _FOREIGN

    def after_call(self) -> Fallback:
        """The same after a call: what follows is read once, because a call without a marker may follow."""
        if self.problem is None and (self.role is ONLY or self.role is FALLBACK):
            return self
        return Fallback(FALLBACK if self.is_foreign else ONLY, in_line=self.in_line)

    def of_all(self, program: Program, last: str, opener: int, problem: Reason | None) -> SecondTry | None:
        """What reads a text again of which the formats that the turn may still be in have made no call: all formats of
        the program. None if nothing can: see `second_try`.
        """
        if self.role is not ONLY or self.from_start:
            return None
        fallback = self._replace(role=FALLBACK, problem=problem)
        return SecondTry(program, program.channel(CONTENT, ()).states_after(last), opener, fallback)

    def second_try(
        self, text: str, channel: int, last: str, problem: Reason | None, role: Role = FALLBACK
    ) -> SecondTry | None:
        """What reads that text again; None if nothing can.

        Args:
            text: what was read so far, from the opener on.
            channel: the channel that it is in.
            last: the text before it.
            problem: the reason of the `Problem` that is reported if it is not a call.
            role: that of other formats, if they read it.
        """
        fallback_formats = self.fallback_formats
        if fallback_formats is None or self.role is ONLY or self.role is FALLBACK:
            return None
        if self.role is not OWN:
            found: tuple[Program, int] | None = fallback_formats.own, fallback_formats.own_opener(text, channel)
            role = ONLY
        else:
            found = fallback_formats.again_at_start(text) if self.from_start else fallback_formats.at_opener(text)
            channel = CONTENT
        if found is None:
            return None
        (program, opener), fallback = found, self._replace(role=role, problem=problem)
        if self.from_start:
            return SecondTry(program, program.bare_start(()), 0, fallback)
        return SecondTry(program, program.channel(channel, ()).states_after(last), opener, fallback)


class SecondTry(NamedTuple):
    """What reads a text again.

    Attributes:
        program, states: the formats, and where they begin.
        opener: how many characters at the beginning are their marker, which is not read a third time.
        fallback: which formats may read it then.
    """

    program: Program
    states: StateSet
    opener: int
    fallback: Fallback
