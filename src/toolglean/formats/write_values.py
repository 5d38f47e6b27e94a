# Writes arguments in each dialect: JSON, Python keywords, quoted objects, tags, text. Does not depend on patterns and
# markers; callers pass what a tool's schema says about a parameter.
#
# JSON and Python show the type of a value themselves, so whatever is written is read back. In the other dialects the
# reader asks the schema, and there are markers in the text: there a value is written in each way that the dialect has,
# and the first one that the dialect's own reader reads as that value is used. If there is none, the result is `None`.
"""Values, as text."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from toolglean.formats.spec import Pairs, Quoted, Tree
from toolglean.scan.coerce import coerce_text, is_text, properties
from toolglean.scan.json import decode
from toolglean.scan.nested import json_text, kinds_of_value, listed, same_value, unfolded
from toolglean.scan.quoted import QuotedReader
from toolglean.scan.reader import Reader
from toolglean.scan.scanner import DONE, MAX_DIGITS
from toolglean.scan.tree import TreeReader

__all__ = [
    "json_text",
    "keywords_text",
    "marked",
    "misfit",
    "pairs_text",
    "python_text",
    "quoted_item",
    "same",
    "text_of",
    "tree_item",
    "type_word",
]

MAX_DEPTH = 250  # a parser's default limit is 256, and formats put lists and objects around the arguments

_plain_key = re.compile(r"[^\W\d][\w.-]*").fullmatch
_bare_key = re.compile(r"[^\s:{}\[\](),\"'<](?:[^:{}\[\](),\"'\s]|[ ](?=\S))*").fullmatch
_half_character = re.compile("[\ud800-\udfff]").search


def same(left: Any, right: Any, equal: Callable[[Any, Any], bool] = same_value) -> bool:
    """Whether two JSON values are equal; true is not 1, but 1.0 is. `equal`: the same of two that hold no others."""
    todo = [(left, right)]
    while todo:
        one, other = todo.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            todo += [(one[key], other[key]) for key in one]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            todo += zip(one, other, strict=True)
        elif not equal(one, other):
            return False
    return True


def misfit(value: Any) -> str:
    """Why the value cannot be written and read back as JSON; "" if it can."""
    todo: list[tuple[Any, int]] = [(value, 0)]  # and how many containers are around it
    while todo:
        each, depth = todo.pop()
        reason = f"it is nested deeper than {MAX_DEPTH}" if depth > MAX_DEPTH else _misfit(each)
        if reason:
            return reason
        inner: Any = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        todo += [(item, depth + 1) for item in reversed(inner)]
    return ""


def _misfit(value: Any) -> str:
    # What is wrong with the value, apart from what it contains.
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return "half of a surrogate pair is not a character" if _half_character(value) else ""
    if isinstance(value, int):
        return f"an integer of more than {MAX_DIGITS} digits" if abs(value) >= 10**MAX_DIGITS else ""
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{value!r} is not JSON"
    if isinstance(value, list):
        return ""
    if isinstance(value, dict):
        wrong = next((key for key in value if not isinstance(key, str)), None)
        return (
            f"the key {wrong!r} is not a string" if wrong is not None else next(filter(None, map(_misfit, value)), "")
        )
    return f"{type(value).__name__} is not a JSON type"


# -- Python keywords ---------------------------------------------------------------------------------------------------


def keywords_text(arguments: Mapping[str, Any]) -> str:
    """The arguments as Python keywords; as one positional dict if a key is not a name."""
    if all(_plain_key(key) and len(key) <= 256 and not keyword.iskeyword(key) for key in arguments):
        return ", ".join(f"{key}={python_text(value)}" for key, value in arguments.items())
    return python_text(dict(arguments))


def python_text(value: Any) -> str:
    """The value as Python writes it."""
    try:
        return repr(value)
    except RecursionError:
        return unfolded(value, _python_parts)


def _python_parts(value: Any) -> str | list[Any]:
    if isinstance(value, dict):
        return listed("{", ((f"{key!r}: ", each) for key, each in value.items()), "}")
    return listed("[", (("", each) for each in value), "]") if isinstance(value, list) else repr(value)


# -- text --------------------------------------------------------------------------------------------------------------


def type_word(value: Any, types: Mapping[str, str]) -> str:
    """The word that a format writes for the type of the value."""
    kinds = kinds_of_value(value)
    found = next((types[name] for name in kinds if name in types), None)
    return found if found is not None else types.get("*", kinds[-1])


def text_of(value: Any, word: str, types: Mapping[str, str], schema: Any, root: Any) -> str | None:
    """The value as the text of a parameter: a string as it is, others as JSON.

    Args:
        value: the value.
        word: the type that the format writes next to it; "" if it writes none.
        types: the format's words for types.
        schema: what the tool's schema says about the parameter; None if nothing is known.
        root: the schema in which `$ref` is resolved.

    Returns:
        The text; None if it would be read as another value.
    """
    text = value if isinstance(value, str) else json_text(value)
    if word and types:
        is_string = word == types.get("string", "string")
        return text if is_string == isinstance(value, str) else None
    found = text if is_text(schema, root) else coerce_text(text, schema, root)
    return text if same(found, value) else None


# -- quoted objects and nested tags ------------------------------------------------------------------------------------


def quoted_item(key: str, value: Any, codec: Quoted, root: Any) -> str | None:
    """`key:value` of an object in the quoted dialect; None if it cannot be written."""
    known = properties(root) if root else {}
    written_key = _quoted_key(key, codec.quote)
    for text in _quoted_values(value, codec):
        item = f"{written_key}:{text}"
        reader = QuotedReader(codec.quote, all_quoted=codec.all, properties=known, root=root)
        if _reads(reader, f"{{{item}}}", {key: value}):
            return item
    return None


def _quoted_key(key: str, quote: str) -> str:
    if _bare_key(key) and len(key) <= 256 and key[0] != quote[0]:
        return key
    return marked(key, quote)


def marked(text: str, quote: str) -> str:
    """The text between quote markers, if there is none in the text; else as a JSON string."""
    return f"{quote}{text}{quote}" if (text + quote).find(quote) == len(text) else json_text(text)


def _quoted_values(value: Any, codec: Quoted) -> Iterator[str]:
    if codec.all and not isinstance(value, str | list | dict):
        yield marked(json_text(value), codec.quote)
    yield unfolded(value, lambda each: _quoted_parts(each, codec.quote))
    if isinstance(value, str):
        yield json_text(value)


def _quoted_parts(value: Any, quote: str) -> str | list[Any]:
    if isinstance(value, str):
        return marked(value, quote)
    if isinstance(value, list):
        return listed("[", (("", each) for each in value), "]", ",")
    if isinstance(value, dict):
        return listed("{", ((f"{_quoted_key(key, quote)}:", each) for key, each in value.items()), "}", ",")
    return json_text(value)


def tree_item(key: str, value: Any, codec: Tree, root: Any, *, named_tag: bool) -> str | None:
    """The element of one parameter; None if it cannot be written. `named_tag`: see `TreeReader`."""
    known = properties(root) if root else {}
    for edge in ("", "\n"):  # the line breaks at the edges of a text are the tags'
        text = unfolded({key: value}, partial(_element_parts, prefix=codec.prefix, edge=edge))
        reader = TreeReader(codec.prefix, known, root=root, named_tag=named_tag)
        if _reads(reader, f"{text}{codec.prefix}</", {key: value}):
            return text
    return None


def _element_parts(value: Any, prefix: str, edge: str) -> str | list[Any]:
    if not isinstance(value, dict | list):
        return f"{edge}{value}{edge}" if isinstance(value, str) else json_text(value)
    before, parts = "", []
    for key, each in value.items() if isinstance(value, dict) else (("item", each) for each in value):
        parts += [f"{before}{prefix}<{key}>", each]
        before = f"{prefix}</{key}>"
    return [*parts, before]


def pairs_text(arguments: Mapping[str, Any], codec: Pairs, root: Any, ends: tuple[str, ...]) -> tuple[str, str | None]:
    """The arguments as pairs, and a key whose value cannot be written (None if all can).

    Args:
        arguments: the arguments.
        codec: how pairs are written.
        root: the tool's schema.
        ends: what may follow them in the format.
    """
    items: list[str] = []
    for key, value in arguments.items():
        texts = [codec.written(key, text) for text in _pair_values(value, codec)]
        found = next((text for text in texts if _pairs_read(text, {key: value}, codec, root, ends)), None)
        if found is None:
            return "", key
        items.append(found)
    text = codec.separator.join(items)
    return text, None if _pairs_read(text, dict(arguments), codec, root, ends) else next(iter(arguments), None)


def _pair_values(value: Any, codec: Pairs) -> Iterator[str]:
    if isinstance(value, str) and not codec.quoted:
        yield value
    yield json_text(value)


def _pairs_read(text: str, wanted: dict[str, Any], codec: Pairs, root: Any, ends: tuple[str, ...]) -> bool:
    from toolglean.scan.pairs import PairPattern, PairsReader  # noqa: PLC0415  # imported only if the dialect is needed

    pattern = PairPattern(*codec.around, codec.separator, codec.quoted)
    reader = PairsReader(pattern, properties(root) if root else {}, root=root, ends=ends)
    return _reads(reader, text + ("\n" if pattern.by_lines else " ") + (ends[0] if ends else ""), wanted)


def _reads(reader: Reader, text: str, wanted: dict[str, Any]) -> bool:
    """Whether the reader reads exactly that text as exactly that value."""
    place, found, status = reader.read(text, 0)
    return status == DONE and place == len(text) and same(decode(found)[0], wanted)
