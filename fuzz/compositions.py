# Invariant: a call that stands in code, a quotation, data, a result, reasoning, a mention, another role's message or a
# value never runs, whatever stands before and after it; and what runs has exactly the arguments that were written.
#
# A turn is composed of one to six pieces (composition_pieces.py). Each call has an amount of its own, so that the
# oracle only has to add up what each piece allows. It shares no code with the parser. Of calls that do not run it knows
# less: those of the named format that stand alone behind whole quotations must (`due`); the others are counted.
"""`python -m fuzz.compositions [--count N] [--seed N] [--format NAME]`: quotations and calls in a row."""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, takewhile
from typing import Any

from fuzz.composition_pieces import PIECES, Call, Piece, joined, piece
from fuzz.context_calls import TOOLS
from fuzz.runner import Found, Fuzzer, raised
from fuzz.turns import every_format
from tests.support.chunkings import account
from toolglean import CallEnd, Event, Markup, Parser, ParserOptions, join
from toolglean.formats.registry import all_formats, find_format

__all__ = ["FUZZER", "allowed", "compose"]

MOST = 6
CUTS = 2  # random cuts of each text, besides whole and by characters

# -- the oracle --------------------------------------------------------------------------------------------------------


def allowed(pieces: Sequence[Piece]) -> list[Call]:
    """The calls that may run.

    What a piece allows by itself; what it allows only if there is nothing but calls before it and behind it, if that
    is so; what it allows only if no text follows in the turn; and after the header of another role only what has a
    header of its own.
    """
    found: list[Call] = []
    is_over, calls_only = False, True
    for place, each in enumerate(pieces):
        following = pieces[place + 1 :]
        is_over = is_over or each.ends_turn
        calls_only = calls_only and each.calls_only
        alone = calls_only and all(later.calls_only for later in following[:1])
        last = not announced(pieces, place) and all(
            later.calls_only or later.kind == "undeclared" for later in following
        )
        if not is_over or each.has_header:
            found += [*each.runs, *(each.runs_alone if alone else ()), *(each.runs_last if last else ())]
    return found


SURE = frozenset(("call", "quotation", "result", "comment", "element", "fence", "tildes", "JSON", "escaped", "value"))
"""Pieces that are whole, and behind which a call is one."""


def due(name: str, pieces: Sequence[Piece]) -> list[Call]:
    """The calls that must run: those of the format that is read, with a marker, on a line of their own, with nothing
    before them but such calls and quotations that are whole.
    """
    declared = find_format(name)
    if declared is None or declared.at_turn_end or declared.registered_only:
        return []  # or where no text shares its line
    found: list[Call] = []
    kinds: set[str] = set()
    last = ""
    for each in takewhile(_is_sure, pieces):
        kinds.add(each.kind)
        is_joined, last = last.endswith(";") and not each.before, each.text  # `&gt;` does as a semicolon does
        if {"call", "result"} <= kinds:
            break  # a made-up result: what follows goes on with it
        alone = not each.before or (each.before.startswith("\n") and each.before.isspace())
        if (
            each.kind == "call"
            and each.format == name
            and each.text.startswith(("<", "[TOOL", "]<]"))
            and alone
            and not is_joined
        ):
            found += each.runs
    return found


def _is_sure(each: Piece) -> bool:
    # A value that quotes an opener of its own family makes the call doubtful, and what follows it.
    text = each.text
    openers = _tag_begins(text.partition("note")[0])
    return each.kind in SURE and not (each.kind == "value" and any(text.count(tag) > 1 for tag in openers))


_tag_begins = re.compile(r"<[^\s>=]+").findall


def announced(pieces: Sequence[Piece], place: int) -> bool:
    """Whether what stands before that piece announces it: then it is an example of what was said."""
    before = pieces[place].before if place else ""
    before = before if before.strip() else (pieces[place - 1].text + before if place else "")
    return before.rstrip().endswith((":", "?"))


def _breach(name: str, pieces: Sequence[Piece], ran: Sequence[Call]) -> str:
    # What is wrong with the calls that ran; "" if nothing is.
    may = allowed(pieces)
    for call in ran:
        if call not in may:
            written = any(call in each.written for each in pieces)
            kinds = {each.kind for each in pieces if call in each.written}
            return f"{', '.join(sorted(kinds)) or 'a call'} that must not run" if written else "other arguments"
        may.remove(call)
    missed = [call for call in due(name, pieces) if call not in ran]
    return "a call that must run" if missed else ""


# -- reading -----------------------------------------------------------------------------------------------------------


def compose(name: str, seed: int) -> list[Piece]:
    """The pieces of the case of that number."""
    rng = random.Random(f"compositions {name} {seed}")
    own = name if name != "auto" and rng.random() < 0.8 else rng.choice(all_formats()).name
    mixed = rng.random() < 0.3
    known = [each for each in PIECES if name != "escaped-markup" or each != "escaped"]  # there it is a call
    kinds = [rng.choice(known) for _ in range(rng.randint(1, MOST))]
    pieces: list[Piece] = []
    for number, kind in enumerate(kinds):
        format_name = rng.choice(all_formats()).name if mixed else own
        pieces.append(piece(rng, kind, format_name, 1001 + number, first=not number))
    return fitted(pieces)


def fitted(pieces: Sequence[Piece]) -> list[Piece]:
    """The same pieces, none of them in the quotation or the call that was before it."""
    found: list[Piece] = []
    for each in pieces:
        last = found[-1].kind if found else ""
        before = each.before
        if last in {"quotation", "cut"} and "\n" not in before:
            before = "\n"
        if found and found[-1].text.endswith(("```", "~~~")) and before[:1] != "\n":
            before = f"\n{before}"  # a fence does not close on a line with text
        if last == "cut" and (each.kind == "JSON" or each.text.startswith("{")):
            before = "\n\nSo:\n\n"  # it would be that call's arguments
        found.append(replace(each, before=before))
    return found


def _events(name: str, chunks: Iterable[str]) -> list[Event]:
    parser = Parser(TOOLS, format=name, options=ParserOptions(markup=True))
    return [event for chunk in chunks for event in parser.feed(chunk)] + parser.finish()


def _cut(rng: random.Random, text: str) -> list[str]:
    places = sorted({0, len(text), *(rng.randrange(len(text)) for _ in range(rng.randint(1, 12)))})
    return [text[begin:end] for begin, end in pairwise(places)]


def _ran(events: Iterable[Event]) -> list[Call]:
    ended = [event.call for event in events if isinstance(event, CallEnd)]
    return [(call.name, _stripped(call.arguments)) for call in ended if call.status == "ok"]


def _lost(pieces: Sequence[Piece], events: Iterable[Event]) -> str:
    # Which text became markup; "" if none did.
    markup = [event.text for event in events if isinstance(event, Markup)]
    texts = [each.text for each in pieces if each.kind == "text" and any(map(str.isalpha, each.text))]
    return next((text for text in texts for each in markup if text in each), "")


def _stripped(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    # A format may keep the line breaks around a value of another one.
    return {key: value.strip() if isinstance(value, str) else value for key, value in arguments.items()}


@dataclass(frozen=True)
class Broken(Found):
    """A breach, and the pieces."""

    pieces: tuple[Piece, ...] = ()

    def __str__(self) -> str:
        return f"{super().__str__()}  {' | '.join(each.kind for each in self.pieces)}\n"


def look(name: str, seed: int) -> Broken | Counter[str]:
    """Try the case of that number."""
    return _found(name, compose(name, seed), seed)


def _found(name: str, pieces: Sequence[Piece], seed: int) -> Broken | Counter[str]:
    text = joined(pieces)
    rng = random.Random(f"cuts {seed} {len(text)}")
    try:
        whole = _events(name, [text])
        fault, detail = _breach(name, pieces, _ran(whole)), str(_ran(whole))
        readings = [_events(name, text), *(_events(name, _cut(rng, text)) for _ in range(CUTS))]
        if not fault and any(join(each) != join(whole) for each in readings):
            fault, detail = "differs by cuts", f"{join(whole)}\n{next(each for each in map(join, readings))}"
        if not fault and (text_lost := _lost(pieces, whole)):
            fault, detail = "text that is markup", text_lost
        account(whole, text)
    except AssertionError as error:
        fault, detail = "lost", str(error)
    except Exception as error:  # noqa: BLE001  # that none is raised is a law
        fault, detail = raised(error)
    if fault:
        return Broken(name, "compositions", fault, text, detail, tuple(pieces))
    runs = len(_ran(whole))
    return Counter({"cases": 1, "calls that ran": runs, "that could have": len(allowed(pieces)) - runs})


def smaller(found: Broken) -> Broken:
    """The same with fewer pieces."""
    for place in reversed(range(len(found.pieces))):
        fewer = fitted(found.pieces[:place] + found.pieces[place + 1 :])
        again = _found(found.name, fewer, 0) if fewer else Counter()
        if isinstance(again, Broken) and again.key == found.key:
            return smaller(again)
    return found


names = partial(every_format, 50)
FUZZER: Fuzzer[Broken] = Fuzzer("compositions", "Calls and quotations in a row.", "turns", names, look, smaller)


if __name__ == "__main__":
    sys.exit(FUZZER.main())
