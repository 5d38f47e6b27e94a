# What this file knows: how the names of formats get from the declarations into engines/names.py.
"""`python -m tests.support.engine_names`: writes the names of the library's formats into engines/names.py."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from toolglean.formats.library import formats

PATH = Path(__file__).parents[2] / "src" / "toolglean" / "engines" / "names.py"

_list = re.compile(r'(?<=FORMATS: tuple\[str, \.\.\.\] = tuple\(\n    """\n).*?(?=    """\.split)', re.DOTALL)


def library_names() -> tuple[str, ...]:
    """The names of the formats of the library, in the order in which `auto` prefers them."""
    return tuple(declared.name for declared in formats())


def rewritten(source: str) -> str:
    """The source of engines/names.py with the names as they are declared."""
    lines = textwrap.wrap(
        " ".join(library_names()), 114, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )
    return _list.sub("\n".join(lines) + "\n", source)


if __name__ == "__main__":
    PATH.write_text(rewritten(PATH.read_text(encoding="utf-8")), encoding="utf-8")
