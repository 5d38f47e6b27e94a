# Invariant: no `ok` call of a prefix is taken back or changed by the whole turn.
#
# The turn is read to its end. Before that, at many places, the turn is ended there for a copy of the parser, and
# the calls are compared that are `ok` by then:
#
#   returned     by `feed`, before the end: each is a call of the whole turn, the same in everything. No exception.
#   at the end   by `finish`, on the copy: each is a call of the whole turn, at the same place, with the same name and
#                arguments, unless `excuse` says why the end of the stream made it one.
#
# What the end of the stream may make a call, because the rules say so, and what must become of it in the whole turn:
#
#   draft        a call in the reasoning is one if the turn ends there: in the whole turn it is reasoning
#   quotation    a backtick that nothing closes does not quote: in the whole turn it is closed, and the call content
#   closed       a JSON payload that closed is a complete call, also without its closer: in the whole turn, what follows
#                shows that the call is wrong, as text after the arguments does, or text beside a call without a marker.
#                It is malformed, or content
#   repair       a closer is missing, and the call's own closer ends the text: in the whole turn the missing one
#                follows, and the other was a part of the value. `ToolCall.repairs` says that the call was not whole
#   limit        a limit is passed by what follows
#   undeclared   a call in a spelling that no format declares counts only where it ends the turn: in the whole turn,
#                text follows, and it is content. No marker says that it was meant for a call, so nothing is reported
#
# Each of the others must be reported: a `Problem` at or after the call's opener, or one whose text the call is in (of
# several calls that are one draft, one problem tells), or the call itself, which is not `ok`. A call that was whole,
# and that the whole turn has with other arguments, is never excused.
"""`python -m fuzz.prefixes [--count N] [--seed N] [--format NAME]`: calls that the rest of the turn takes back."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass

from fuzz import mutants
from fuzz.laws import Subject
from fuzz.reading import calls_of, labels, problems_of
from fuzz.runner import Found, Fuzzer, judged
from fuzz.shrink import smallest
from toolglean import Event, ToolCall

__all__ = ["FUZZER", "excuse", "verdict"]

PLACES = 24  # prefixes of a text
SHORT = 300  # while a text is made smaller, texts up to this length have every prefix
NEAR = '}])>"`\n'  # after these a call may be complete


def verdict(subject: Subject, text: str, places: list[int]) -> tuple[str, str] | None:
    """What the whole turn takes back or changes of the calls of its prefixes, and details for people; or None."""
    parser = subject.parser()
    events: list[Event] = []
    prefixes: list[tuple[int, list[Event]]] = []
    before = 0
    for place in places:
        events += parser.feed(text[before:place])
        prefixes.append((place, parser.fork().finish()))
        before = place
    events += parser.feed(text[before:]) + parser.finish()
    whole = {_place(call): call for call in calls_of(events)}
    for place, last in prefixes:
        undeclared = {each.start for each in problems_of(last) if each.code == "undeclared-spelling"}
        for call in calls_of(subject.parser().feed(text[:place])):
            if call.status == "ok" and whole.get(_place(call)) != call:
                return "handed out, and another one later", _detail(place, call, whole.get(_place(call)))
        for call in calls_of(last):
            later = whole.get(_place(call))
            if later is None and call.span[0] in undeclared:
                continue
            if call.status == "ok" and (what := excuse(call, later, events, len(text))):
                return what, _detail(place, call, later)
    return None


def _place(call: ToolCall) -> int:
    # Where it is; calls that the prompt alone has written are all at the same place of the turn.
    return call.span[0] if call.span[1] else -1 - call.index


def excuse(call: ToolCall, later: ToolCall | None, events: list[Event], size: int) -> str:
    """What is wrong if that call ran because the stream ended there; nothing if that is excused.

    Args:
        call: the call at the end of the prefix.
        later: the call at the same place of the whole turn, if there is one.
        events: those of the whole turn.
        size: how many characters the whole turn has.
    """
    if later is not None and later.status == "ok":
        same = later.name == call.name and json.dumps(later.arguments) == json.dumps(call.arguments)
        return "" if same or call.repairs else "at the end of a prefix, and changed later"
    if later is not None:
        return ""
    kind, problems = labels(events, size)[call.span[0]], problems_of(events)
    # The problem of a list that turned out to be data is at its bracket, before its calls.
    place = call.span[0]
    told = any(place <= each.start + max(len(each.text) - 1, 0) or each.code == "not-a-call" for each in problems)
    if kind == "k":
        return "" if told else "at the end of a prefix, and a part of another call later"
    if kind == "r":
        told = told or any(each.code in {"call-in-reasoning", "unopened-reasoning"} for each in problems)
        return "" if told else "at the end of a prefix, and reasoning later, which nothing tells"
    return "" if told else "at the end of a prefix, and text later, which nothing tells"


def _detail(place: int, call: ToolCall, later: ToolCall | None) -> str:
    return f"  after {place} characters: {call!r}\n  in the whole turn: {later!r}"


def _places(rng: random.Random, text: str) -> list[int]:
    near = [place + 1 for place, char in enumerate(text) if char in NEAR]
    found = rng.sample(near, min(len(near), PLACES)) + [rng.randint(0, len(text)) for _ in range(PLACES // 4)]
    return sorted({place for place in found if place < len(text)})


@dataclass(frozen=True)
class Broken(Found):
    """A breach of this law, and what reads the text."""

    subject: Subject

    def __str__(self) -> str:
        return f"{super().__str__()}  {self.subject}\n"


def _tried(subject: Subject, text: str, places: list[int]) -> Broken | None:
    law, found = judged("no call is taken back", verdict, subject, text, places)
    return found and Broken(subject.name, law, found[0], text, found[1], subject)


def look(name: str, seed: int) -> Broken | str:
    """Read the prefixes of the mutant of that number: the same texts that fuzz.mutants has."""
    subject, text = mutants.case(name, seed, shared=False)
    return _tried(subject, text, _places(random.Random(seed), text)) or "nothing taken back"


def smaller(found: Broken) -> Broken:
    """The same with less text."""

    def less(text: str) -> Broken | None:
        places = list(range(1, len(text))) if len(text) < 300 else _places(random.Random(1), text)
        return _tried(found.subject, text, places)

    return smallest(found, less, tries=500, seconds=20, words=True)


FUZZER: Fuzzer[Broken] = Fuzzer(
    "prefixes", "Calls that the rest of the turn takes back.", "texts", mutants.names, look, smaller
)


if __name__ == "__main__":
    sys.exit(FUZZER.main())
