# What this file knows: the cases in which we answer otherwise than another project, and why.
# What it must not know: any text of a case.
"""Explained disagreements: tables of `case id = reason`, one file for each origin."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


@functools.cache
def explained() -> dict[str, str]:
    """The reason for each case."""
    found: dict[str, str] = {}
    for path in sorted(HERE.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        for reason, ids in table.items():
            found.update(dict.fromkeys(ids["cases"], ids.get("because", reason)))
    return found
