# Which arguments a tool is called with: values by the types of its schema, and whether they may be meant. Does not
# depend on how keys and values are separated.
#
# Raw text is typed as in coerce.py. What all values of a call have in common belongs to the spelling, not to them: a
# blank at their begin, or at both ends, and quotes around all that are text.
#
# A call that could be run, and yet is not one, is documentation: a value that names a type, that is in the brackets of
# a placeholder, or that repeats its key. One of these is enough to refuse the call.
"""Arguments that fit a tool's schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolglean.scan.by_schema.found import Schema
from toolglean.scan.by_schema.literals import plain_string_at
from toolglean.scan.by_schema.validate import fits
from toolglean.scan.by_schema.words import IDS, NUMBERS, PLACEHOLDERS, TYPES, introduces_call
from toolglean.scan.coerce import coerce_text, resolved
from toolglean.scan.data import is_definition
from toolglean.scan.reader import is_broken_cdata, of_cdata

__all__ = ["Pair", "arguments_of", "has_quotes", "is_call", "is_id", "names_call", "without_ids"]


def is_id(key: str, value: Any, tool: Schema | None = None) -> bool:
    """Whether a pair that the tool does not declare may be next to a call without being an argument: an id, a number,
    or a type that says that it is a call.
    """
    if (tool is not None and key in tool.properties) or isinstance(value, bool | list | dict):
        return False
    plain = "".join(char for char in key if char.isalnum()).casefold()
    if plain in TYPES:
        return introduces_call(str(value))
    if plain in NUMBERS:
        return any(map(str.isdigit, str(value)))
    return plain in IDS or plain.isdigit() or key.casefold().endswith(("_id", "-id"))


@dataclass(frozen=True, slots=True)
class Pair:
    """A key, and what is written as its value.

    Attributes:
        key: the key.
        text: the value's text.
        is_exact: whether the text is exactly the value: it was decoded.
    """

    key: str
    text: str
    is_exact: bool = False


def arguments_of(tool: Schema, pairs: Iterable[Pair]) -> dict[str, Any] | None:
    """The typed values, or None if these are not the arguments of a call."""
    found: dict[str, Any] = {}
    pairs = _without_spacing([_without_section(pair) for pair in pairs])
    for pair in pairs:
        if pair.key in found or pair.key not in tool.properties:
            return None
        if not pair.is_exact and (is_broken_cdata(pair.text) or _ends_astray(pair.text)):
            return None
        found[pair.key] = coerce_text(pair.text, tool.properties[pair.key], tool.root)
    unquoted = _without_quotes({pair.key: pair.text for pair in pairs if not pair.is_exact}, found)
    return unquoted if unquoted is not None and is_call(tool, unquoted) else None


def _ends_astray(text: str) -> bool:
    # Whether the text ends with a closing tag that it has not opened: then it is not the end of the value.
    before, sign, tag = text.rstrip().rpartition("</")
    name = tag.removesuffix(">")
    return bool(sign) and name != tag and name.isidentifier() and f"<{name}" not in before


def _without_section(pair: Pair) -> Pair:
    text = pair.text if pair.is_exact else of_cdata(pair.text)
    return pair if text == pair.text else Pair(pair.key, text, is_exact=True)


def _without_spacing(pairs: list[Pair]) -> list[Pair]:
    # One blank, that is: code that is indented may begin with more.
    raw = [pair.text for pair in pairs if not pair.is_exact]
    lead = bool(raw) and all(text[:1] == " " and text[1:2] != " " for text in raw)
    tail = lead and all(len(text) > 1 and text[-1] == " " and text[-2] != " " for text in raw)
    if not lead:
        return pairs
    return [pair if pair.is_exact else Pair(pair.key, pair.text[1 : -1 if tail else None]) for pair in pairs]


def _without_quotes(raw: Mapping[str, str], values: dict[str, Any]) -> dict[str, Any] | None:
    texts = {key: text.strip() for key, text in raw.items() if isinstance(values[key], str)}
    if not texts or not all(has_quotes(text) for text in texts.values()):
        return values
    decoded = {key: plain_string_at(text, 0) for key, text in texts.items()}
    if any(each is None or each[0] != len(texts[key]) for key, each in decoded.items()):
        return None  # quotes, but not of one literal
    return values | {key: each[1] for key, each in decoded.items() if each is not None}


def has_quotes(text: str) -> bool:
    """Whether the text begins and ends with the same quote."""
    return len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]


def without_ids(tool: Schema, values: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """The values without those that may be next to a call, and the call's id."""
    ids = {key: each for key, each in values.items() if is_id(key, each, tool) and each is not None}
    rest = {key: each for key, each in values.items() if key not in ids}
    name = next((each for key, each in ids.items() if names_call(key) and isinstance(each, str)), None)
    return rest, name


def names_call(key: str) -> bool:
    """Whether that key has the call's id."""
    return key.casefold().endswith(("id", "ref"))


def is_call(tool: Schema, arguments: Mapping[str, Any]) -> bool:
    """Whether a call of the tool may have those arguments."""
    return (
        bool(arguments)
        and arguments.keys() <= tool.properties.keys()
        and not is_definition(arguments, tool.root)
        and fits(arguments, tool.root, tool.root)
        and not any(_is_placeholder(key, value, tool) for key, value in arguments.items())
    )


_type_word = re.compile(
    r"(?:str|string|int|integer|float|number|double|bool|boolean|object|array|dict|list)\s*"
    r"(?:\||\(|\[|\?|,? ?(?:optional|required)\b|\Z)"
).match
_in_brackets = re.compile(
    r"<\w[\w .:,'-]{0,60}>|\$?\{{1,3}[\w .:,'/|-]{0,60}\}{1,3}|\$[A-Za-z_]{1,40}|%[A-Za-z_]{1,40}%"
).fullmatch


def _is_placeholder(key: str, value: Any, tool: Schema) -> bool:
    if isinstance(value, list):
        return any(_is_placeholder(key, each, tool) for each in value)
    if isinstance(value, dict):
        return any(_is_placeholder(str(name), each, tool) for name, each in value.items())
    if not isinstance(value, str) or _is_listed(value, tool.properties.get(key), tool):
        return False
    word = value.strip()
    low = word.casefold()
    return (
        low in PLACEHOLDERS
        or low == key.casefold()
        or low.startswith(("your_", "your-", "<your", "[your"))
        or low in {f"[{key.casefold()}]", f"({key.casefold()})", f"the {key.casefold()}"}
        or bool(_type_word(low) or _in_brackets(word))
    )


def _is_listed(value: str, schema: Any, tool: Schema) -> bool:
    own = resolved(schema, tool.root)
    members = own.get("enum")
    return (isinstance(members, list) and value in members) or own.get("const") == value
