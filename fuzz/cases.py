# How the bytes that a coverage-guided fuzzer changes are turned into a text and what reads it; and the corpus, which
# contains such cases. The default tests read the corpus without that fuzzer. Does not depend on how the fuzzer works
# (coverage.py), or which laws there are (laws.py).
"""Cases as bytes, and those that were kept."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from fuzz.laws import Subject, broken, can_reason
from fuzz.mutants import TAGS
from fuzz.turns import all_markers, fixture_turns, stream_turns
from toolglean.formats.registry import all_formats

__all__ = ["CORPUS", "LONGEST", "case", "corpus", "dictionary", "keep", "one", "seeds", "written"]

CORPUS = Path(__file__).parent / "corpus.jsonl"
KEPT = 300  # cases: the shortest of those that reach something of their own
LONGEST = 400
TOOLSETS = ("many", "none", "numbers", "one", "spaced", "typed")  # never changed: the bytes of the corpus count them
NAMES = ("auto", *(each.name for each in all_formats()), *(f"tag:{tag}" for tag in TAGS))
LIMITS: tuple[tuple[tuple[str, int], ...], ...] = (
    (),
    (),
    (),
    (("call_chars", 40),),
    (("depth", 2),),
    (("calls", 1),),
    (("held", 8),),
    (("call_chars", 120), ("depth", 3), ("calls", 2), ("held", 20)),
)


def case(data: bytes) -> tuple[Subject, str]:
    """What the bytes mean: the first four choose what reads the text, the others are the text."""
    head = data[:4].ljust(4, b"\0")
    names = sorted(NAMES[1:])
    name = "auto" if head[0] >= len(names) else names[head[0]]
    return (
        Subject(
            name,
            TOOLSETS[head[1] % len(TOOLSETS)],
            known=bool(head[2] & 1),
            limits=LIMITS[head[2] >> 1 & 7],
            reasons=bool(head[2] & 16) and can_reason(name),
            drafts=("", "call", "text", "")[head[2] >> 5 & 3],
            quoted=("", "call")[head[2] >> 7],
            repair=head[3] % 4 > 0,
        ),
        _text(data[4:]),
    )


def _text(data: bytes) -> str:
    # Halves of surrogate pairs are worth trying; any other bytes that are not UTF-8 are not text.
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def corpus() -> list[bytes]:
    """The cases that were kept."""
    lines = CORPUS.read_text(encoding="utf-8").splitlines() if CORPUS.is_file() else []
    return [written(json.loads(line)) for line in lines]


def written(row: dict[str, Any]) -> bytes:
    """The bytes of a row: `head` in hexadecimal digits, and the text."""
    return bytes.fromhex(str(row["head"])) + str(row["text"]).encode("utf-8", "surrogatepass")


def _row(data: bytes) -> dict[str, str]:
    return {"head": data[:4].ljust(4, b"\0").hex(), "text": _text(data[4:])}


def seeds() -> list[bytes]:
    """What it begins with: the corpus, and the turns of the fixtures, each read by its own format and by `auto`."""
    names = sorted(NAMES[1:])
    turns = [(names.index(name), turn) for name, found in fixture_turns().items() for turn in found if name in names]
    turns += [(255, turn) for _, turn in turns] + [(255, turn) for turn in stream_turns()]
    return [*corpus(), *(bytes([number, 3, 0, 1]) + turn.encode() for number, turn in turns)]


def one(data: bytes) -> None:
    """Try one case.

    Raises:
        AssertionError: a law was broken; the message gives the law, and the case as a row of the corpus.
    """
    subject, text = case(data)
    breach = broken(subject, text, seed=zlib.crc32(data))
    if breach is not None:
        raise AssertionError(f"{breach.law}: {breach.what}\n{subject}\n{breach.detail}\n{json.dumps(_row(data))}")


def keep(folder: Path) -> int:
    """Write the shortest cases of a folder to the corpus, and return how many."""
    found = sorted((path.read_bytes() for path in folder.iterdir()), key=lambda data: (len(data), data))
    rows = [_row(data) for data in found if written(_row(data)) == data.ljust(4, b"\0")][:KEPT]
    CORPUS.write_text("".join(f"{json.dumps(row, ensure_ascii=True)}\n" for row in rows), encoding="utf-8")
    return len(rows)


def dictionary() -> str:
    """The markers of all formats, as libFuzzer reads a dictionary."""
    return "".join(f'"{_escaped(each)}"\n' for each in all_markers() if each)


def _escaped(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())
