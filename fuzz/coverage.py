# Invariant: no text breaks a law of laws.py. What is tried next depends on what the code did: atheris (libFuzzer)
# changes texts so that lines are reached that none has reached before. What is worth keeping is in fuzz/corpus.jsonl.
#
#   python -m fuzz.coverage --seconds 600 --folder F     then
#   python -m fuzz.coverage --keep F                     for the shortest of the cases that reached something new
"""`python -m fuzz.coverage [--seconds N]`: texts that reach new lines of the code, and what breaks. Needs atheris."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["toolglean"]):  # so that it sees which lines were reached
    from fuzz import cases

__all__ = ["main"]


def main() -> int:
    """Run; what breaks a law ends the run with its traceback, and with libFuzzer's own exit code."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.coverage", description="Texts that lead where none has led.")
    parser.add_argument("--seconds", type=int, default=600, help="how long (default: 600)")
    parser.add_argument("--folder", type=Path, help="where the cases are gathered (default: thrown away)")
    parser.add_argument(
        "--merge", type=Path, metavar="FROM", help="instead: copy what reaches something new to the folder"
    )
    parser.add_argument("--keep", type=Path, metavar="FROM", help="instead: write the cases of a folder to the corpus")
    options = parser.parse_args()
    if options.keep:
        print(f"{cases.keep(options.keep)} cases kept")
        return 0
    with tempfile.TemporaryDirectory() as place:
        folder = options.folder or Path(place) / "cases"
        folder.mkdir(parents=True, exist_ok=True)
        words = Path(place) / "words"
        words.write_text(cases.dictionary(), encoding="ascii")
        given = [f"-max_len={cases.LONGEST}", f"-dict={words}", "-timeout=0", f"-artifact_prefix={place}/"]
        for number, data in enumerate(cases.seeds()):
            (folder / f"seed{number}").write_bytes(data[: cases.LONGEST])
        given += [f"-max_total_time={options.seconds}", "-reload=0", str(folder)]
        atheris.Setup([sys.argv[0], *given], cases.one)
        atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
