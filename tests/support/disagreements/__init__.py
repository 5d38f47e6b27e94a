# The cases in which we answer otherwise than another project, and why.
# Does not depend on any text of a case.
"""Explained disagreements, as tables.

- `wire.toml`: rows of vectors/wire, by reason.
- `lossy.toml`: chat templates that lose what they write, with the cases in which they do.
- `ollama.toml`: rows of vectors/ollama/parsers_tests.jsonl, by reason; and what is right for those of defects.jsonl.
"""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def table(name: str) -> dict[str, Any]:
    """The table of that name."""
    return tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))


@functools.cache
def explained(name: str = "wire") -> dict[str, str]:
    """The reason for each case, by its id, `origin:number`."""
    return {
        f"{origin}:{number}": reason
        for reason, row in table(name).items()
        for origin, numbers in row.items()
        if origin != "because"
        for number in numbers
    }
