# How docs/reference/carried.json is made, from which docs/make_formats.py takes what each format can carry: run
# `python -m docs.make_carried`, some two minutes, after a format was added or changed.
"""Writes which values each format of the library can carry."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from toolglean import Tool, render
from toolglean.formats import library
from toolglean.formats.spec import Format
from toolglean.kit.testing.carrying import uncarried
from toolglean.sources.templates.infer.probes import Message

FILE = Path(__file__).parent / "reference" / "carried.json"


def carried(declared: Format) -> list[tuple[str, str]]:
    """Where a text cannot be, and the shortest one that was found, for each kind of value that has one."""

    def write(message: Message, tools: tuple[Tool, ...]) -> tuple[str, str]:
        calls = [(each.name, each.arguments) for each in message.calls]
        return render(declared, calls, tools=list(tools)), ""

    shortest: dict[str, str] = {}
    for each in uncarried(write, declared):
        if each.kind not in shortest or len(each.text) < len(shortest[each.kind]):
            shortest[each.kind] = each.text
    return list(shortest.items())


def main() -> int:
    """Write the file."""
    found = {each.name: carried(each) for each in library.formats()}
    FILE.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
