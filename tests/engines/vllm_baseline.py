# What vLLM's tests said with toolglean's parsers in place of its own, and which failures are
# accepted, each with its reason (vllm_baseline.tsv).
# Does not depend on how they were run.
#
#   python vllm_baseline.py OURS.json [OWN.json]    compares, and prints the table; 1 if a test fails that is not accepted
"""Results of vLLM's own tests against the list of accepted failures."""

from __future__ import annotations

import collections
import json
import sys
from pathlib import Path

BASELINE = Path(__file__).with_suffix(".tsv")
"""One row for each accepted failure: the letter of its reason, and the test. The reasons stand at its head."""

FAILED = {"failed", "error"}


def accepted() -> tuple[dict[str, str], dict[str, str]]:
    """The reasons by their letter, and the letter of each accepted failure."""
    reasons: dict[str, str] = {}
    tests: dict[str, str] = {}
    for line in BASELINE.read_text(encoding="utf-8").splitlines():
        letter, _, rest = line.partition("\t")
        if letter.startswith("#"):
            if rest:
                reasons[letter[1:].strip()] = rest
        elif rest:
            tests[json.loads(rest)] = letter
    return reasons, tests


def rows(results: dict[str, str], folder: str) -> collections.Counter[str]:
    """How the tests of that folder ended."""
    return collections.Counter(said for test, said in results.items() if test.startswith(f"tests/{folder}/"))


def main() -> int:
    """Compare."""
    sides = dict(
        zip(("toolglean", "vLLM"), (json.loads(Path(each).read_text()) for each in sys.argv[1:]), strict=False)
    )
    ours = sides["toolglean"]
    reasons, known = accepted()
    print(
        "| tests | parsers | passed | failed | errors | passed where vLLM expects to fail |\n|---|---|---|---|---|---|"
    )
    for folder in ("tool_parsers", "reasoning"):
        for side, results in sides.items():
            said = rows(results, folder)
            cells = (said["passed"], said["failed"], said["error"], said["better"])
            print(f"| {folder} | {side} | " + " | ".join(map(str, cells)) + " |")
    counts = collections.Counter(known[test] for test in known if ours.get(test) in FAILED)
    for letter, count in counts.most_common():
        print(f"{count:4} accepted: {reasons[letter]}")
    for test in sorted(test for test in known if ours.get(test, "passed") not in FAILED):
        state = "passes" if test in ours else "is not there"
        print(f"     {test} {state}: take its row out of {BASELINE.name}")
    new = sorted(test for test, said in ours.items() if said in FAILED and test not in known)
    for test in new:
        print(f"     {test} FAILS, and is not accepted")
    return 1 if new or not ours else 0


if __name__ == "__main__":
    sys.exit(main())
