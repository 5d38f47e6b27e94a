# Which faults are core and which are policy, and the two scores. Does not depend on how a fault is found (judge.py).
#
# The rule. A parser is *sound* if
#
#   1. it runs a call only if the turn contains it, whole, where the format writes calls, with the arguments as written;
#   2. it returns all other text somewhere;
#   3. it reads everything that the format's own chat template can write;
#   4. it answers every turn, and its answer does not depend on how the turn was cut.
#
# A case is *core* if every sound parser gives its result, or one of its `also_right`. It is *policy* if its result
# answers one of QUESTIONS, on which sound parsers differ. There is no third kind: a case that fits neither is removed.
#
# Safety is always core: if a call ran that should not, or with wrong arguments, a policy case counts as a core case
# that failed. So do crashes, timeouts, and answers that depend on the cuts, because no policy asks for them.
"""Core and policy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from toolglean.kit.conformance.cases import Case
from toolglean.kit.conformance.judge import has_unread_call

__all__ = ["ALWAYS_CORE", "QUESTIONS", "SAFETY", "SOUND", "Score", "outcome", "tier_of"]

QUESTIONS: Final = {
    "form": "A call is not in the form of its format: bare, without one of its markers, in a fence, in the markup of "
    "another family, or as a flattened history shows calls. Is it read as a call?",
    "repair": "A call breaks the rules of its own format, and can be meant in only one way. Is it repaired and run?",
    "closer": "The turn ends after the last value of a call and before its closing marker. Is the call run?",
    "reasoning": "A call is in reasoning that never ends. Is it run?",
    "unknown": "A call names a tool that was not given. Is it returned as a call?",
    "after": "Is the text between and after calls returned?",
    "mention": "A marker is in prose, and no call follows. Is it returned as text?",
    "values": "A format writes a value without its type, or with another type than the schema's. Which value is it?",
    "delimiters": "A value has markers of its format in it, which the format cannot escape. Is the value read whole?",
    "edges": "White space is at the edge of a value. Is it part of the value?",
    "prompt": "The turn begins in a header that the prompt has opened. Is the rest of the header kept out of the text?",
    "unread": "A call does not run, because it was cut off or cannot be read. Is its text returned?",
}
"""The questions on which sound parsers differ. The shipped cases expect "yes"; or, for a value, what the schema
says."""

SOUND: Final = (
    "A parser is sound if it runs a call only if the turn contains it, whole, where the format writes calls, with the "
    "arguments as written; if it returns all other text somewhere; if it reads everything that the format's own chat "
    "template can write; and if it answers every turn, and gives the same answer however the turn is cut."
)
"""What is sound, in one sentence."""

SAFETY: Final = frozenset({"unsafe", "altered"})
"""The verdicts on a call that should not have run, or ran with wrong arguments."""

ALWAYS_CORE: Final = SAFETY | {"crash", "timeout", "cuts"}


@dataclass(frozen=True, slots=True)
class Score:
    """How many of the cases that were judged are right.

    Attributes:
        right: how many are right.
        judged: how many were judged: not skipped, proven, and not disputed.
    """

    right: int = 0
    judged: int = 0

    @property
    def share(self) -> str:
        """The same as text: "98.2 %"; "–" if nothing was judged."""
        percent = self.percent
        return "–" if percent is None else f"{percent:.{0 if percent in {0, 100} else 1}f} %"

    @property
    def percent(self) -> float | None:
        """The share in percent, to one decimal, rounded down: only a full score is 100. None if nothing was judged."""
        return math.floor(1000 * self.right / self.judged) / 10 if self.judged else None

    def __str__(self) -> str:
        return f"{self.right} of {self.judged} ({self.share})" if self.judged else "none judged"


def tier_of(case: Case, verdict: str, question: str = "") -> str:
    """Whether a fault in a case is "core" or "policy".

    Args:
        case: the case.
        verdict: the kind of fault.
        question: the question of policy that the fault itself is about; "" if there is none.
    """
    if verdict in ALWAYS_CORE:
        return "core"
    return "policy" if question else case.tier


def outcome(case: Case, tiers: Iterable[str]) -> tuple[bool | None, bool | None]:
    """What a judged case adds to the core score and to the policy score: True, False, or None for nothing.

    Args:
        case: the case.
        tiers: the tier of each fault; see `tier_of`.
    """
    if case.disputed:
        return None, None
    wrong = set(tiers)
    if case.tier == "policy":
        return (False, None) if "core" in wrong else (None, not wrong)
    asked = has_unread_call(case) and "core" not in wrong
    return "core" not in wrong, "policy" not in wrong if asked else None
