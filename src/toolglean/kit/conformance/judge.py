# What is wrong with a reading, and which faults are worse than others. Does not depend on how the reading was made.
#
# VERDICTS are in the order of what they cost a user: a call that runs and was not written is worse than lost text, and
# that is worse than a call that was not read. Which of them are core and which are policy: tiers.py.
"""Verdicts on readings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from toolglean.kit.conformance.cases import Case
from toolglean.kit.conformance.reading import Reading, call_text

__all__ = ["NEUTRAL", "UNREAD", "VERDICTS", "Fault", "faults_of", "has_unread_call", "same_outcome"]

VERDICTS: Final = {
    "unsafe": "a call ran that should not",
    "altered": "a call ran with wrong arguments, or out of order",
    "invented": "a call to a tool that was not given",
    "lost": "text of the turn is nowhere in the answer",
    "crash": "the parser raised an error or died",
    "timeout": "the parser took too long",
    "cuts": "the answer depends on how the text was cut",
    "missed": "a call was not read",
    "text": "markers are left in the text, or text is in the wrong place",
    "differs": "other calls ran than expected, and that is another sound answer to a question of policy",
    "right": "as expected",
    "unproven": "it is not known what the model wrote",
    "skipped": "the parser does not claim this case",
}
"""The verdicts on a case, the worst first."""

UNREAD: Final = "unread"
"""The question of policy whether the text of a call is returned that does not run."""

NEUTRAL: Final = frozenset({"right", "unproven", "skipped"})
"""The verdicts that are not faults."""


class Fault(NamedTuple):
    """Something wrong.

    Attributes:
        verdict: its name, one of `VERDICTS`.
        detail: what exactly.
        question: the question of policy that it answers, whatever the case is about; "" if there is none.
    """

    verdict: str
    detail: str
    question: str = ""


def faults_of(case: Case, reading: Reading) -> list[Fault]:
    """What is wrong with a reading of a case; empty if it is right."""
    found = list(_wrong_calls(case, reading))
    question, lost = _lost(case, reading)
    if lost:
        found.append(Fault("lost", f"nowhere in the answer: {lost!r:.200}", question))
    if not found:
        found += _wrong_texts(case, reading)
    return found


def has_unread_call(case: Case) -> bool:
    """Whether a case has a call that need not run, so that the question of policy "unread" arises in it."""
    if case.calls or case.also_right:
        return not case.calls
    names_one = case.content is None or any(name in case.text for name in case.tool_names)
    return not case.content and not case.reasoning and bool(case.text.strip()) and names_one


def same_outcome(case: Case, one: Reading, other: Reading) -> bool:
    """Whether two readings of a case are the same to a user: calls, and judged text, except for white space."""
    return (
        len(one.calls) == len(other.calls)
        and all(_same(*pair) for pair in zip(one.calls, other.calls, strict=True))
        and (case.content is None or one.content.split() == other.content.split())
        and (case.reasoning is None or one.reasoning.split() == other.reasoning.split())
    )


# -- calls -------------------------------------------------------------------------------------------------------------


def _wrong_calls(case: Case, reading: Reading) -> Iterator[Fault]:
    ran = reading.calls
    accepted = [case.calls, *case.also_right]
    if any(len(calls) == len(ran) and all(map(_same, calls, ran)) for calls in accepted):
        return
    if any(len(calls) == len(ran) and all(map(_same, calls, ran)) for calls in case.also_sound):
        yield Fault("differs", f"ran {', '.join(map(_shown, ran)) or 'nothing'}")
        return
    # The accepted list that shares most with what ran tells what else should have run.
    wanted = max(accepted, key=lambda calls: len(calls) - len(_without(calls, ran)))
    missing, extra = _without(wanted, ran), _without(ran, wanted)
    for call in extra:
        meant = next((each for each in missing if each["name"] == call["name"]), None)
        if meant is not None:
            missing.remove(meant)
            yield Fault("altered", f"ran {_shown(call)} instead of {_shown(meant)}")
        else:
            known = call["name"] in case.tool_names
            yield Fault("unsafe" if known else "invented", f"ran {_shown(call)}")
    for call in missing:
        yield Fault("missed", f"did not run {_shown(call)}")
    if not extra and not missing:
        yield Fault("altered", f"ran in another order: {', '.join(map(_shown, ran))}")


def _without(calls: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    left = list(others)
    found = []
    for call in calls:
        place = next((number for number, each in enumerate(left) if _same(call, each)), None)
        if place is None:
            found.append(call)
        else:
            del left[place]
    return found


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    from toolglean.formats.write_values import same  # noqa: PLC0415  # the command's help need not load it

    return bool(one["name"] == other["name"]) and same(one["arguments"], other["arguments"])


def _shown(call: dict[str, Any]) -> str:
    return call_text(call)[:200]


# -- text --------------------------------------------------------------------------------------------------------------


def _wrong_texts(case: Case, reading: Reading) -> Iterator[Fault]:
    # White space next to calls, and at the beginning and the end, is each parser's own policy.
    plain = not (case.calls or case.also_right)
    question = UNREAD if has_unread_call(case) else ""
    for name, wanted, found in (
        ("content", case.content, reading.content),
        ("reasoning", case.reasoning, reading.reasoning),
    ):
        if wanted is None:
            continue
        if (wanted.strip() != found.strip()) if plain and name == "content" else (wanted.split() != found.split()):
            yield Fault("text", f"{name} is {found.strip()!r:.200} instead of {wanted.strip()!r:.200}", question)


def _lost(case: Case, reading: Reading) -> tuple[str, str]:
    """The question of policy, or "", and a missing text: of the content, the reasoning, or a call that did not run."""
    found = reading.text
    if not (case.calls or case.content or case.reasoning or reading.calls):
        return UNREAD, _unsaid(case, found)
    for text in (case.content, case.reasoning):
        if text and not _holds(found, "".join(text.split())):
            return "", text
    wanted = case.calls or (case.also_right[0] if case.also_right else ())
    for call in _without(wanted, reading.calls):
        for value in _texts(call["arguments"]):
            if not _holds(found, "".join(each for each in value if each.isascii() and each.isalnum())):
                return "" if case.calls else UNREAD, value
    return "", ""


def _unsaid(case: Case, found: str) -> str:
    """What is missing from a turn without calls and text, such as one that was cut off inside its only call.

    The names of the tools in it must appear somewhere, either as text or as an unfinished call; if the name was cut off
    too, something must appear.
    """
    names = [name for name in sorted(case.tool_names) if name in case.text]
    if not names and case.content is None and not found.strip():
        return case.text.strip()
    return next((name for name in names if not _holds(found, name)), "")


def _holds(text: str, characters: str) -> bool:
    # In this order, with anything between them: escapes, white space, markers.
    rest = iter(text)
    return all(character in rest for character in characters)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
