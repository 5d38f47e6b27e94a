# How docs/reference/conformance-results.md is made from the results beside it: run `python -m docs.make_conformance`.
# Does not depend on which targets there are.
#
# The results are files of `toolglean conformance --target NAME --output docs/reference/conformance-results/NAME.json`.
"""Writes the page of results."""

from __future__ import annotations

from pathlib import Path

from toolglean.kit.conformance import read_results
from toolglean.kit.conformance.page import as_markdown

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "conformance-results.md"
RESULTS = PAGE.with_suffix("")
CASES = "../../src/toolglean/kit/conformance/cases"

HEAD = """\
# Conformance results

<!-- Made by `python -m docs.make_conformance` from the files in docs/reference/conformance-results: do not edit. -->

How the parsers of several projects read the cases of the [conformance kit](conformance.md). toolglean is one of
them, and its authors wrote the cases; anyone can [dispute one](../how-to/conformance.md#dispute-a-case).

Read the scores with this in mind: toolglean was developed with most of these cases, and the other parsers were not.
Some cases became policy after the authors had seen that most parsers answer them differently. A whole turn in one
chunk, and chunks cut at random, are rare on a server: the column "pieces" is closer to what users see. The adapters
are in `src/toolglean/kit/conformance/targets/`, so anyone can repeat a row: `toolglean conformance --target NAME`.
The files from which this page was made: {files}.

To see the answers as well, or to add a row of your own, run `toolglean conformance FILE.json … --page page.html`.

"""


def page() -> str:
    """The text of the page."""
    paths = sorted(RESULTS.glob("*.json"))
    files = ", ".join(f"[{path.stem}]({RESULTS.name}/{path.name})" for path in paths)
    return HEAD.format(files=files) + as_markdown([read_results(path) for path in paths], link=case_file)


def case_file(name: str) -> str:
    """The file that has the case of that id."""
    return f"{CASES}/{name.partition('/')[0]}.jsonl"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len(list(RESULTS.glob('*.json')))} results")
