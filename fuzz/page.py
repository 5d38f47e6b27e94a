# Whether the engine and the reference (tests/page/reference.py) agree on where in a text a call stands; whether a
# closed context changes how what follows it is read; and whether it matters how the text is cut. Does not depend on
# what the table of contexts says. `--format page` compares the page (engine/page) itself with the reference, for every
# character of a text, whole and cut. What is known to be wrong (tests/page/known.py) is counted, and is not a breach.
"""`python -m fuzz.page [--count N] [--seed N] [--format NAME]`: is a call where the reference says that it is?"""

from __future__ import annotations

import random
import sys

from fuzz.runner import Found, Fuzzer
from fuzz.shrink import smallest
from tests.page.compare import AUTO, FORMATS, begins_broken, differs, differs_by_characters, engine_says, turn_of
from tests.page.contexts import CALL
from tests.page.known import explained
from tests.page.paged import paged
from tests.page.reference import read, says
from tests.page.texts import composed, text_of

__all__ = ["FUZZER", "PAGE", "compared", "smaller"]

LAW = "reference"
COMPOSITION = "composition"
CUTS = "cuts"
PAGE = "page"
"""The name under which the page itself is asked."""
SHORT = 60
"""Characters of a text that is cut at every place."""
OF_COMPOSITION = 3
"""One in so many cases is of the law of composition."""
OF_CUTS = 8
"""One in so many of the others is read by characters, too."""


def look(name: str, seed: int) -> Found | str:
    """Try the case of that number."""
    if name == PAGE:
        return _paged(seed)
    written = name if name != AUTO else random.Random(f"format {seed}").choice(FORMATS)
    if seed % OF_COMPOSITION == 0:
        return _composed(seed, written, name)
    text = text_of(seed)
    if seed % OF_CUTS == 1 and differs_by_characters(text, written, name):
        return Found(name, CUTS, "differs", turn_of(text, written), f"  {written}")
    return compared(text, written, name)


def _paged(seed: int) -> Found | str:
    text, rng = text_of(seed) if seed % OF_COMPOSITION else composed(seed)[1], random.Random(f"cuts {seed}")
    right, size = read(text), len(text)
    ways = [(), range(1, size), *(sorted(rng.choices(range(1, size + 1), k=rng.randint(1, 8))) for _ in range(2))]
    ways += [(cut,) for cut in range(1, size)] if size <= SHORT else []
    for cuts in ways:
        found = paged(text, cuts)
        if found != right:
            place = next(i for i in range(size) if found[i] != right[i])
            return Found(
                PAGE, LAW, "differs", text, f"  cut at {[*cuts]}: {found[place]} at {place}, not {right[place]}"
            )
    return "paged"


def _composed(seed: int, written: str, name: str) -> Found | str:
    alone, text = composed(seed)
    found = {each: engine_says(each, written, name) for each in (alone, text)}
    if found[alone] == found[text]:
        return "composed"
    known = next((why for each, ran in found.items() if (why := explained(each, written, ran))), "")
    if known or begins_broken(text):
        return f"known: {known}" if known else "either"
    what = f"alone {found[alone]}, composed {found[text]}"
    return Found(name, COMPOSITION, what, turn_of(text, written), f"  alone {turn_of(alone, written)!r}")


def compared(text: str, written: str, reads: str) -> Found | str:
    """Compare the engine with the reference on that text: what is found, or how the case came out."""
    found = differs(text, written, reads)
    if not found:
        return says(text)
    known = explained(text, written, found)
    if known:
        return f"known: {known}"
    where = read(text)[text.index(CALL)]
    what = f"{found} in {where.context.value}"
    return Found(reads, LAW, what, text, f"  the call is {written}'s, since {where.since}")


def smaller(found: Found) -> Found:
    """A smaller text of the same kind."""
    if found.law != LAW or found.name == PAGE:
        return found
    written = found.detail.split("'s")[0].rsplit(" ", 1)[1]

    def again(text: str) -> Found | str:
        return compared(text, written, found.name) if text.count(CALL) == 1 else ""

    return smallest(found, again, tries=500, seconds=10)


def names() -> list[str]:
    """What reads the cases: each format by its name, and `auto` as often as all of them; and the page."""
    return [*FORMATS, *[AUTO] * len(FORMATS), PAGE]


FUZZER: Fuzzer[Found] = Fuzzer("page", "Where in a text a call stands.", "texts", names, look, smaller, count=20_000)


if __name__ == "__main__":
    sys.exit(FUZZER.main())
