# Invariant: a parser that may leave its machine, and follow a call as its format declares it, gives what a parser gives
# whose machine reads all of it. What exactly must be the same, and how that is compared: tests/support/straight.py.
#
# Turns are made by every format and then broken (straight_turns.py), or come from fixtures, streams and models, some of
# them spoilt. They are read with all options, cut in all ways, copied on the way (straight_cases.py).
#
# A law proves nothing of a way that no turn took. So the report counts turns that were at least in part on the straight
# way, the calls that were followed to their end, and how often a parser got off.
"""`python -m fuzz.straight [--count N] [--seed N] [--format NAME] [--shared]`: the straight way beside the machine."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from fuzz.mutation import mutant
from fuzz.runner import Found, Fuzzer, raised
from fuzz.shrink import shrunk
from fuzz.straight_cases import RESPONSE, Reader, declared_of, reader, script
from fuzz.straight_turns import turn
from fuzz.turns import all_markers, fixture_turns, rendered_turns, shared_turns, stream_turns
from tests.support.own_formats import OWN_FORMATS
from tests.support.shared import FIXTURES, SHARED, rows
from tests.support.straight import CUT, SIGNS, Watched, play, scripted
from tests.support.wild import FILES
from toolglean import ToolSet
from toolglean.engine.straight.courses import courses_of
from toolglean.formats.registry import all_formats, get_format

__all__ = ["FUZZER", "Broken", "look", "main", "straight_formats", "tried"]

GIVEN = 0.2  # of the turns were not made for this law
SPOILT = 0.3  # of those
SHORT = 48  # a turn up to this length is cut at every place, some of the time
MADE, FORMATS = "made", 100_000
TEMPLATE, TEMPLATES = "template", ("good.jinja", "section.jinja", "tagged.jinja", "tagged.gotmpl", "list.gotmpl")
NO_TOOLS = ToolSet(["f", "g", "get_weather", "a.b", "h"])


@dataclass(frozen=True)
class Broken(Found):
    """A breach, and what reads the script that shows it."""

    reader: Reader
    script: str

    def __str__(self) -> str:
        shown = "".join(f"⟨{SIGNS[char]}⟩" if char in SIGNS and char != CUT else char for char in self.script)
        return f"{super().__str__()}  {self.reader}\n  chunks {shown.split(CUT)!r}\n"


# -- the turns ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _given(name: str, *, shared: bool) -> Sequence[tuple[str, str]]:
    # Turns that there are, each with the tools with which it must be read; "" for any.
    if name.startswith(RESPONSE):
        found = json.loads((FIXTURES / "response_templates.json").read_text(encoding="utf-8"))
        return [(case["text"], "") for case in found[int(name[len(RESPONSE) :])]["cases"]]
    declared = declared_of(name)
    formats = all_formats() if declared is None else (declared,)
    texts = [text for each in formats for text in (*rendered_turns(each), *fixture_turns().get(each.name, ()))]
    if shared:
        texts += [text for each in formats for text in shared_turns().get(each.name, ())]
    if declared is not None:
        return [(text, "") for text in texts] or [("f", "")]
    texts += stream_turns()
    if shared:
        texts += [row["text"] for row in rows(SHARED / "vectors/recorded.jsonl.gz")]
        texts += ["".join(row["tokens"]) for row in rows(SHARED / "streams/token_streams.jsonl.gz")]
    return [*((text, "") for text in texts), *_wild()]


def _wild() -> Iterator[tuple[str, str]]:
    for file in FILES:
        for number, row in enumerate(rows(FIXTURES / file)):
            yield row["text"], f"{file}#{number}"


def names() -> list[str]:
    """What reads the turns: every format, with a straight way or `auto` more often; response templates."""
    count = len(json.loads((FIXTURES / "response_templates.json").read_text(encoding="utf-8")))
    every = [each.name for each in (*all_formats(), *OWN_FORMATS)]
    own = [MADE] * 120 + [TEMPLATE] * 5
    return [*every, *own, *straight_formats() * 8, *["auto"] * 30, *(f"{RESPONSE}{number}" for number in range(count))]


@lru_cache(maxsize=1)
def straight_formats() -> tuple[str, ...]:
    """The formats of the library whose calls may be followed without the machine."""
    return tuple(each.name for each in all_formats() if courses_of((each,), ""))


def _of_auto() -> Sequence[str]:
    return (*straight_formats() * 3, *(each.name for each in all_formats()))


def case(name: str, seed: int, *, shared: bool = False) -> tuple[Reader, list[str]]:
    """The case of that number: what reads it, and the scripts."""
    rng = random.Random(f"straight {name} {seed}")
    if name in {MADE, TEMPLATE}:
        name += f":{rng.randrange(FORMATS)}" if name == MADE else f":{rng.choice(TEMPLATES)}"
    declared = declared_of(name)
    if rng.random() < GIVEN or (declared is not None and not declared.is_declared):
        text, tools = rng.choice(_given(name, shared=shared))
        if rng.random() < SPOILT:
            text = mutant(rng, (text,), (declared.markers if declared else ()) or all_markers())
    else:
        text, tools = turn(rng, declared or get_format(rng.choice(_of_auto())), NO_TOOLS), ""
    made, text = reader(rng, name, "".join(char for char in text if char not in SIGNS), tools)
    if len(text) <= SHORT and rng.random() < 0.2:
        return made, [scripted((text[:cut], text[cut:])) for cut in range(len(text) + 1)]
    return made, [script(rng, text)]


# -- the law -----------------------------------------------------------------------------------------------------------


def tried(made: Reader, script: str) -> Broken | Counter[str]:
    """Play the script: a breach of the law, or how it was read."""
    try:
        found = play(made.parser, script)
    except Exception as error:  # noqa: BLE001  # that none is raised is a law
        return _broken(made, script, "no exception", *raised(error))
    if found is not None:
        return _broken(made, script, found.law, found.what, found.detail)
    tally = Watched.tally
    return Counter(
        {
            "turns": 1,
            "boarded": int(tally["chunks"] > 0),
            "chunks on the straight way": tally["chunks"],
            "calls followed to their end": tally["calls"],
            "got off": tally["off"],
        }
    )


def _broken(made: Reader, script: str, law: str, what: str, detail: str) -> Broken:
    return Broken(made.format, law, what, "".join(each for each in script if each not in SIGNS), detail, made, script)


def look(name: str, seed: int, *, shared: bool = False) -> Broken | Counter[str]:
    """Try the case of that number."""
    made, scripts = case(name, seed, shared=shared)
    ways: Counter[str] = Counter()
    for each in scripts:
        found = tried(made, each)
        if isinstance(found, Broken):
            return found
        ways += found
    return ways


def smaller(found: Broken) -> Broken:
    """A smaller script that breaks the same law, and fewer options."""
    least = found

    def again(made: Reader, script: str) -> Broken | None:
        other = tried(made, script)
        return other if isinstance(other, Broken) and other.law == found.law else None

    for plain in ({"limits": ()}, {"others": ()}, {"prompt": ""}, {"tools": "typed"}, {"start": ""}, {"options": ()}):
        changed: dict[str, Any] = plain
        least = again(replace(least.reader, **changed), least.script) or least
    for option in least.reader.options:
        fewer = tuple(each for each in least.reader.options if each != option)
        least = again(replace(least.reader, options=fewer), least.script) or least
    text = "".join(each for each in least.script if each not in SIGNS)
    for chunks in ([text], list(text)):
        least = again(least.reader, scripted(chunks)) or least
    kept = least.reader
    return again(kept, shrunk(least.script, lambda script: again(kept, script) is not None, seconds=20)) or least


FUZZER: Fuzzer[Broken] = Fuzzer(
    "straight", "A parser that may leave its machine, beside one that may not.", "turns", names, look, smaller
)


def _shared(parser: argparse.ArgumentParser) -> argparse.Action:
    return parser.add_argument("--shared", action="store_true", help="also the turns of ../shared, where it is at hand")


def main() -> int:
    """Run, and report where the two differ."""
    return FUZZER.main(_shared)


if __name__ == "__main__":
    sys.exit(main())
