# Texts about tool calls that contain none (prose, code, documents), and the calls that are read from them.
#
# A call of a given tool that is written out plainly, in the middle of an answer and not in code, is a call: no parser
# can tell whether the model meant it. Such texts are not made here. If tools are given, a call of any other name is a
# false alarm too. Without tools, the name in an example cannot be distinguished from a tool's: these are counted
# separately.
#
# Hard texts (`--hard`) are documents that show whole calls, quoted in every way. There some alarms are to be expected.
"""`python -m fuzz.alarms [--count N] [--seed S] [--hard]`: false alarms, by kind of text and by way of reading."""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fuzz.alarm_code import CALLS, CODE, FENCES
from fuzz.alarm_files import ending
from fuzz.alarm_hard import HARD_KINDS, MOST_HARD, hard
from fuzz.alarm_markers import MARKERS, TOOLS, markers_of
from fuzz.alarm_markers import sentence as words
from fuzz.alarm_pages import PAGES
from fuzz.alarm_places import AFTER, LEADS, PLACES, sentence
from fuzz.alarm_spellings import slots
from fuzz.alarm_tools import About, about
from toolglean import CallEnd, Parser
from toolglean.formats.registry import all_formats
from toolglean.formats.spec import Format

__all__ = ["GIVEN", "KINDS", "WAYS", "Text", "alarms", "hard_texts", "main", "texts"]


@dataclass(frozen=True)
class Text:
    """A turn without a call.

    Attributes:
        kind: what it is.
        text: the turn.
        tools: the tools that are given, with their schemas.
        declared: the format that is named where one is, and that the text may be about.
    """

    kind: str
    text: str
    tools: tuple[dict[str, Any], ...]
    declared: Format

    @property
    def names(self) -> list[str]:
        """The names of the tools."""
        return [tool["name"] for tool in self.tools]


WAYS: dict[str, Callable[[Text], Parser]] = {
    "auto": lambda text: Parser(text.tools),
    "auto, names": lambda text: Parser(text.names),
    "auto, no tools": lambda _: Parser(),
    "format": lambda text: Parser(text.tools, format=text.declared),
}
GIVEN = ("auto", "auto, names", "format")
"""The ways in which tools are given: any call is a breach there, whether its tool is known or not."""
FENCED = "a fence that closes the turn"
CUT = "our own files, cut"
SLOT = re.compile("«([a-z ]+)»")


def _filled(rng: random.Random, template: str, on: About) -> str:
    values = slots(on)
    return SLOT.sub(lambda slot: sentence(rng, on) if slot[1] == "s" else values[slot[1]], template)


def _page(rng: random.Random, kind: str, on: About) -> str:
    before = rng.choice(("", "", sentence(rng, on) + "\n\n", rng.choice(LEADS) + "\n\n"))
    after = rng.choice(("", "", "\n" + rng.choice(AFTER)))
    return before + _filled(rng, rng.choice(PAGES[kind]), on) + after


def _code(rng: random.Random, language: str, on: About) -> str:
    text = _filled(rng, rng.choice(CODE[language]), on)
    before = rng.choice((sentence(rng, on), rng.choice(LEADS)))
    if rng.random() < 0.3:
        return rng.choice(("", before + "\n\n")) + text
    after = rng.choice(("", "\n", "\n\n" + rng.choice(AFTER)))
    return f"{before}\n\n```{rng.choice(FENCES[language])}\n{text}\n```{after}"


def _fenced(rng: random.Random, on: About) -> str:
    word = rng.choice(tuple(CALLS))
    text = _filled(rng, f"```{word}\n{rng.choice(CALLS[word])}\n```", on)
    return f"{rng.choice((sentence(rng, on), rng.choice(LEADS)))}{rng.choice((chr(10), chr(10) * 2))}{text}"


def _about_tools(rng: random.Random, kind: str, on: About) -> str:
    # A text about given tools, with the schemas that it fits.
    if kind in PLACES:
        return PLACES[kind](rng, on)
    if kind in PAGES:
        return _page(rng, kind, on)
    return _fenced(rng, on) if kind == FENCED else _code(rng, kind, on)


def _about_markers(rng: random.Random, kind: str, declared: Format) -> str:
    text = MARKERS[kind](rng, declared)
    before = words(rng) + rng.choice((" ", "\n", "\n\n")) if rng.random() < 0.9 or kind != "our own documents" else ""
    return before + text + rng.choice(("", "\n", "\n\n" + words(rng), " " + words(rng)))


KINDS = (*MARKERS, *PLACES, *PAGES, *CODE, FENCED, CUT)
"""The kinds of texts, in the order in which they are made."""


def hard_texts(count: int, seed: int) -> Iterator[Text]:
    """So many texts that are made to look like calls, of each kind equally many."""
    formats = all_formats()
    for number in range(count):
        rng = random.Random(f"hard {seed} {number}")
        kind, declared, on = HARD_KINDS[number % len(HARD_KINDS)], rng.choice(formats), about(rng)
        yield Text(kind, hard(rng, kind, on, declared), on.tools, declared)


def texts(count: int, seed: int) -> Iterator[Text]:
    """So many texts, of each kind equally many."""
    formats = [each for each in all_formats() if markers_of(each)]
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        kind = KINDS[number % len(KINDS)]
        declared = rng.choice(formats)
        if kind in MARKERS:
            yield Text(kind, _about_markers(rng, kind, declared), TOOLS, declared)
        elif kind == CUT:
            yield Text(kind, *ending(rng), declared)
        else:
            on = about(rng)
            yield Text(kind, _about_tools(rng, kind, on), on.tools, declared)


def alarms(text: Text, way: str, chunks: Iterable[str] = ()) -> list[str]:
    """The names of the calls that would run, read in that way: whole, or in these chunks."""
    parser = WAYS[way](text)
    events = [event for chunk in chunks or (text.text,) for event in parser.feed(chunk)] + parser.finish()
    return [event.call.name for event in events if isinstance(event, CallEnd) and event.call.status == "ok"]


def _counts(made_texts: Iterable[Text], show: int) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    # How many texts there are of each kind, and by kind and column, in how many of them calls were found.
    made: Counter[str] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for text in made_texts:
        made[text.kind] += 1
        for way in WAYS:
            names = alarms(text, way)
            known = any(name in text.names for name in names)
            found[text.kind, f"{way}: known"] += known
            found[text.kind, f"{way}: unknown"] += bool(names) and not known
            if names and way in GIVEN and show:
                show -= 1
                sys.stdout.write(f"{text.kind}, {way}, {text.declared.name}: {names}\n    {text.text!r}\n")
    return made, found


def _print(made: Counter[str], found: Counter[tuple[str, str]], ways: Iterable[str]) -> int:
    # The table for some ways of reading. Returns the sum of all that was found.
    columns = [f"{way}: {tool}" for way in ways for tool in ("known", "unknown")]
    sys.stdout.write(f"{'kind':34}{'texts':>7}" + "".join(f"{column:>24}" for column in columns) + "\n")
    for kind, count in made.items():
        sys.stdout.write(f"{kind:34}{count:>7}" + "".join(f"{found[kind, column]:>24}" for column in columns) + "\n")
    sums = [sum(found[kind, column] for kind in made) for column in columns]
    sys.stdout.write(f"{'sum':34}{sum(made.values()):>7}" + "".join(f"{each:>24}" for each in sums) + "\n")
    return sum(sums)


def main() -> int:
    """Print the tables. Returns 1 if calls were found where tools were given (in hard texts: more than a few)."""
    options = argparse.ArgumentParser(prog="python -m fuzz.alarms", description=__doc__)
    options.add_argument("--count", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--show", type=int, default=0, help="so many breaches with their texts")
    options.add_argument("--hard", action="store_true", help="documents that show whole calls")
    chosen = options.parse_args()
    family = hard_texts if chosen.hard else texts
    made, found = _counts(family(chosen.count, chosen.seed), chosen.show)
    sys.stdout.write("tools given: texts with a call, of a known or only of an unknown tool\n")
    breaches = _print(made, found, GIVEN)
    sys.stdout.write("\nno tools given (not a breach): texts with a call of one of those names, or only of others\n")
    _print(made, found, [way for way in WAYS if way not in GIVEN])
    sys.stdout.write(f"\nseed {chosen.seed}: {breaches} breaches\n")
    return 1 if breaches > (MOST_HARD * chosen.count * len(GIVEN) if chosen.hard else 0) else 0


if __name__ == "__main__":
    sys.exit(main())
