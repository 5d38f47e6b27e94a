# Invariant, for any text and any knowledge of which of its characters special tokens wrote:
#
#   one answer      the same events for every chunking of text and knowledge, with copies on the way
#   nothing lost    every character is in exactly one of content, reasoning, a call's span, or markup
#   no exception    whatever a model writes
#   no trace        no character that hides a marker is in any event
#   not known       if nothing is known, the events are those without knowledge
#   only doubt      if all is spelled out, no call is read that is not read without knowledge
#
# The texts are the mutants of fuzz.mutants. Their tokens are made up: most markers are one token, some are spelled out,
# of some it is not known, and now and then the knowledge is nonsense.
"""`python -m fuzz.special [--count N] [--seed N] [--format NAME]`: what is known of special tokens, and the laws."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fuzz import mutants
from fuzz.laws import WAYS, Subject, first_difference
from fuzz.runner import Found, Fuzzer, raised
from fuzz.shrink import smallest
from fuzz.turns import all_markers
from tests.support.chunkings import account
from tests.support.own_formats import own_format
from toolglean import CallEnd, Event, Parser, join
from toolglean.formats.registry import find_format

__all__ = ["FUZZER", "Case", "broken", "known_by_tokens"]

Kinds = bytes
"""For each character: 0 if it is not known, 1 if an ordinary token wrote it, 2 if a special one did."""

HIDING = re.compile("[\ufdd0-\ufdef]")
RANDOM_CUTS = 3
LONG, LONGEST, SOME = 600, 2500, 0.05  # characters of most texts, and of some of them


@dataclass(frozen=True)
class Case:
    """A text and what is known of it.

    Attributes:
        subject: what reads it.
        text: the text.
        kinds: what is known of each character.
        atomic: the markers that are one token; None if that is not known.
    """

    subject: Subject
    text: str
    kinds: Kinds
    atomic: tuple[str, ...] | None

    def parser(self) -> Parser:
        """A new parser."""
        made = self.subject.parser()
        made._know(None if self.atomic is None or self.subject.quoted == "call" else _frozen(self.atomic))
        return made


@lru_cache(maxsize=4096)
def _frozen(atomic: tuple[str, ...]) -> frozenset[str]:
    return frozenset(atomic)


def special_of(kinds: Kinds) -> bool | list[tuple[int, int]] | None:
    """What `Parser.feed` takes, of a chunk of which all is known, or nothing."""
    if not kinds or kinds[0] == 0:
        return None
    if kinds.count(2) == len(kinds):
        return True
    return [found.span() for found in re.finditer(b"\2+", kinds)] or False


def _pieces(text: str, kinds: Kinds) -> list[tuple[str, Kinds]]:
    # Within a piece, all is known, or nothing.
    runs = [found.span() for found in re.finditer(b"\0+|[\1\2]+", kinds)]
    return [(text[begin:end], kinds[begin:end]) for begin, end in runs]


def _feed(parser: Parser, text: str, kinds: Kinds) -> list[Event]:
    events: list[Event] = []
    for piece, known in _pieces(text, kinds):
        events += parser.feed(piece, special_of(known))
    return events


def _events(case: Case, cuts: Sequence[int], *, copies: bool = False) -> list[Event]:
    parser, events = case.parser(), list[Event]()
    for at, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(case.text)], strict=True)):
        if copies:
            twin = WAYS[at % len(WAYS)](parser)
            parser.feed('}"]<x', special=at % 2 == 0)
            parser = twin
        events += _feed(parser, case.text[begin:end], case.kinds[begin:end])
    return join(events + parser.finish())


def broken(case: Case, seed: int = 0, *, brief: bool = False) -> tuple[str, str, str] | None:
    """The law that is broken, how, and details; or None. `brief`: copies at random cuts only, and of these one set."""
    rng, size = random.Random(seed), len(case.text)
    try:
        whole = _events(case, [])
        at_random = [sorted(rng.choices(range(size + 1), k=4)) for _ in range(1 if brief else RANDOM_CUTS)]
        for number, cuts in enumerate(([*range(1, size)], *at_random)):
            for copies in (number > 0,) if brief else (False, True) if seed % 4 == 0 else (False,):
                found = _events(case, cuts, copies=copies)
                if found != whole:
                    return "one answer", first_difference(whole, found), _lines(whole, found)
        plain = case.subject.parser()
        by_text = join(plain.feed(case.text) + plain.finish())
        unknown = _events(Case(case.subject, case.text, bytes(size), case.atomic), [])
    except Exception as error:  # noqa: BLE001  # that none is raised is a law
        return "no exception", *raised(error)
    if unknown != by_text:
        return "not known", first_difference(by_text, unknown), _lines(by_text, unknown)
    if any(HIDING.search(text) for each in whole for text in _texts(each)):
        return "no trace", "a hidden marker", _lines(whole, [])
    calls, before = _calls(whole), _calls(by_text)
    counted = any(name == "calls" for name, _ in case.subject.limits)  # one that is doubted leaves room for another
    spelled = case.kinds.count(1) == size and _markers(case.subject.name).issubset(case.atomic or ())
    if spelled and not counted and not calls <= before:
        return "only doubt", "another call", _lines(by_text, whole)
    try:
        account(whole, case.text)
    except AssertionError as error:
        return "nothing lost", str(error).partition("\n")[0][:60], _lines(whole, [])
    return None


def _texts(event: Event) -> list[str]:
    # All text of an event, as it is: `repr` would escape a hidden character.
    if isinstance(event, CallEnd):
        call = event.call
        arguments = json.dumps(call.arguments, ensure_ascii=False) if call.status == "ok" else ""
        return [call.id, call.name, call.arguments_text, arguments, *call.repairs]
    values = (getattr(event, name) for name in ("text", "reason", "name", "id") if hasattr(event, name))
    return [value for value in values if isinstance(value, str)]


def _calls(events: list[Event]) -> set[tuple[str, str, tuple[int, int]]]:
    ended = [each.call for each in events if isinstance(each, CallEnd) and each.call.status == "ok"]
    return {(each.name, json.dumps(each.arguments), each.span) for each in ended}


def _lines(whole: list[Event], found: list[Event]) -> str:
    return "\n".join(["  one:", *(f"    {each}" for each in whole), "  other:", *(f"    {each}" for each in found)])


# -- made-up tokens ----------------------------------------------------------------------------------------------------


def known_by_tokens(rng: random.Random, text: str, atomic: Sequence[str]) -> Kinds:
    """What is known of each character, if these markers are one token, or are spelled out."""
    kinds = bytearray(b"\1" * len(text))
    spelled = rng.choice((0.0, 0.1, 0.5, 1.0))
    expression = "|".join(map(re.escape, sorted(atomic, key=len, reverse=True)))
    for found in re.finditer(expression, text) if expression else ():
        begin, end = found.span()
        if rng.random() >= spelled:
            kinds[begin:end] = b"\2" * (end - begin)
        if rng.random() < 0.05:
            kinds[begin:end] = bytes(end - begin)
    if rng.random() < 0.1:  # nonsense
        for _ in range(rng.randint(1, 4)):
            begin = rng.randint(0, len(text))
            end = min(len(text), begin + rng.randint(1, 12))
            kinds[begin:end] = bytes([rng.randint(0, 2)]) * (end - begin)
    if rng.random() < 0.1:  # known from some place on, or up to it
        place = rng.randint(0, len(text))
        half = slice(0, place) if rng.random() < 0.5 else slice(place, len(text))
        kinds[half] = bytes(len(kinds[half]))
    return bytes(kinds)


@lru_cache(maxsize=512)
def _markers(name: str) -> frozenset[str]:
    declared = own_format(name) or find_format(name)
    markers = declared.markers if declared is not None and declared.markers else all_markers()
    return frozenset(
        part for each in markers for part in (each, *re.findall(r"<[^<>]*>|\[[A-Z_/]+\]", each)) if part.strip()
    )


def made(name: str, seed: int) -> Case:
    """The case of that number: the mutant of fuzz.mutants with that number, and tokens."""
    subject, text = mutants.case(name, seed, shared=False)
    rng = random.Random(f"special {name} {seed}")
    text = HIDING.sub("\ufffd", text)[: LONGEST if rng.random() < SOME else LONG]
    share = rng.choice((0.8, 1.0))
    atomic = tuple(each for each in sorted(_markers(name)) if rng.random() < share)  # as its seed says, in any process
    kinds = known_by_tokens(rng, text, atomic)
    return Case(subject, text, kinds, None if rng.random() < 0.15 else atomic)


@dataclass(frozen=True)
class Broken(Found):
    """A breach, and its case."""

    case: Case

    def __str__(self) -> str:
        return f"{super().__str__()}  {self.case}\n"


def _tried(case: Case, seed: int) -> Broken | None:
    found = broken(case, seed)
    return found and Broken(case.subject.name, found[0], found[1], case.text, found[2], case)


def look(name: str, seed: int) -> Broken | str:
    """Read the case of that number."""
    case = made(name, seed)
    return _tried(case, seed) or ("with tokens" if case.atomic is not None else "with spans alone")


def smaller(found: Broken) -> Broken:
    """The same with less text."""
    case = found.case

    def less(text: str) -> Broken | None:
        # What is known goes with the text: of each marker as it was, or as the first like it.
        kinds = _carried(case, text)
        return None if kinds is None else _tried(Case(case.subject, text, kinds, case.atomic), 0)

    return smallest(found, less, tries=300, seconds=15, words=True)


def _carried(case: Case, text: str) -> Kinds | None:
    # The knowledge of what is left of a text from which something was taken out.
    kinds, i = bytearray(), 0
    for char in text:
        while i < len(case.text) and case.text[i] != char:
            i += 1
        if i == len(case.text):
            return None
        kinds.append(case.kinds[i])
        i += 1
    return bytes(kinds)


FUZZER: Fuzzer[Broken] = Fuzzer(
    "special", "Laws of what is known of special tokens.", "texts", mutants.names, look, smaller
)


if __name__ == "__main__":
    sys.exit(FUZZER.main())
