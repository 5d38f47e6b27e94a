# Tables of tests name the arguments of a parser in one flat row: this is how they become the arguments of today.
# Does not depend on any test.
"""Arguments of a parser, from a flat row."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from toolglean import Format, ParserOptions

__all__ = ["faced"]

WORDS = tuple(each.name for each in fields(ParserOptions))


def faced(**row: Any) -> dict[str, Any]:
    """The row with its options as one `options=`, and its tag or response template as `format=`."""
    own = {name: row.pop(name) for name in WORDS if name in row}
    if "tag" in row:
        row["format"] = Format.from_tag(row.pop("tag"), closer=row.pop("closer", None))
    if "response_template" in row:
        row["format"] = Format.from_response_template(row.pop("response_template"))
    if "variables" in row or "tokenizer_config" in row:
        more = {name: row.pop(name) for name in ("variables", "untrusted") if name in row}
        if "tokenizer_config" in row:
            row["format"] = Format.from_tokenizer_config(row.pop("tokenizer_config"), **more)
        else:
            row["format"] = Format.from_template(row.pop("template"), **more)
    return {**row, "options": ParserOptions(**own)} if own else row
