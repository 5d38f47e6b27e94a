# How nested values are decoded and written, however deep they are and however deep the caller's stack already is; and
# of which kind a value is. Does not depend on what the values mean.
#
# C does the work while Python's stack lasts: it is several times as fast. If the stack does not last, because the value
# is deep or because the caller is already near the recursion limit, the work is done again with a stack of our own.
# Model output must never raise `RecursionError` in the caller.
"""Nested values, without recursion."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

__all__ = [
    "DepthError",
    "decoded",
    "decoded_deep",
    "decoded_with_repeats",
    "has_halves",
    "json_text",
    "kinds_met",
    "kinds_of_value",
    "same_value",
    "unfolded",
    "unique",
    "whole_characters",
    "without_halves",
]

Pairs = list[tuple[str, Any]]

_between = re.compile(r"[ \t\n\r,:]*").match
has_halves = re.compile("[\ud800-\udfff]|\\\\u[dD][89a-fA-F]").search
"""Finds half of a surrogate pair, raw or written as an escape."""
_raw_surrogate = re.compile("[\ud800-\udfff]")
# A pair or another escape is matched first, so the last alternative really matches half a pair.
_escape = re.compile(
    r"(?s:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(?!u[dD][89a-fA-F][0-9a-fA-F]{2}).)"
    r"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


class DepthError(ValueError):
    """A value is nested deeper than a limit allows."""


def whole_characters(text: str) -> str:
    """The text with U+FFFD for each lone surrogate. Two halves of a pair become their character."""
    if text.isascii() or not has_halves(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def without_halves(text: str) -> str:
    """The JSON text with U+FFFD for each lone surrogate, raw or written as an escape."""
    if (text.isascii() and "\\u" not in text) or not has_halves(text):  # the search takes longer than to decode it
        return text
    # Raw halves become escapes first: they may be next to escaped ones.
    text = _raw_surrogate.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return _escape.sub(lambda found: "\\ufffd" if found["half"] else found[0], text)


def decoded(text: str, build: Callable[[Pairs], Any]) -> Any:
    """The value of one JSON text that is known to be whole. Lone surrogates become U+FFFD, in keys too.

    Args:
        text: the JSON text. Strings may contain raw control characters.
        build: makes an object of its keys and values. It may be called again for the same objects.
    """
    text = without_halves(text)
    try:
        return _decoder(build).decode(text)
    except RecursionError:
        return decoded_deep(text, build)


def decoded_with_repeats(text: str) -> tuple[Any, str | None]:
    """As `decoded`, with a key that some object has twice (the last value is used), or None."""
    try:
        return decoded(text, unique), None
    except _RepeatedKeyError:
        pass
    twice: list[str] = []

    def build(pairs: Pairs) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            twice.extend(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        return found

    value = decoded(text, build)
    return value, twice[0] if twice else None


class _RepeatedKeyError(ValueError):
    """An object has a key twice. A slower search finds out which one."""


def unique(pairs: Pairs) -> dict[str, Any]:
    """The object with these keys and values.

    Raises:
        ValueError: it has a key twice.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RepeatedKeyError
    return found


@lru_cache(maxsize=2)  # making one takes longer than reading the arguments of a small call
def _decoder(build: Callable[[Pairs], Any]) -> json.JSONDecoder:
    return json.JSONDecoder(strict=False, object_pairs_hook=build)


def decoded_deep(text: str, build: Callable[[Pairs], Any]) -> Any:
    """As `decoded`, without Python's stack, of a text without half pairs: its items are collected on one of its own."""
    scalar = json.JSONDecoder(strict=False).raw_decode
    stack: list[list[Any]] = [[]]
    pos = 0
    while True:
        pos = _between(text, pos).end()  # type: ignore[union-attr]  # the pattern matches the empty string
        if pos == len(text):
            return stack[0][0]
        char = text[pos]
        if char in "{[":
            stack.append([])
        elif char in "}]":
            items = stack.pop()
            stack[-1].append(items if char == "]" else build(list(zip(items[::2], items[1::2], strict=True))))
        else:
            value, pos = scalar(text, pos)
            stack[-1].append(value)
            continue
        pos += 1


def json_text(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    """The value as JSON text, as this library writes it.

    Args:
        value: the value.
        default: makes a JSON value of any other value, as in `json.dumps`.

    Raises:
        TypeError: the value is not JSON, and there is no `default`.
        ValueError: the value is NaN or infinite, or contains itself.
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=default)
    except RecursionError:
        _check_ends(value)
        return unfolded(value, lambda each: _json_parts(each, default))


def _check_ends(value: Any) -> None:
    # C checks this too, if its stack lasts.
    todo: list[tuple[bool, Any]] = [(True, value)]
    path: set[int] = set()
    while todo:
        enters, each = todo.pop()
        if not enters:
            path.discard(id(each))
        elif isinstance(each, dict | list | tuple):
            if id(each) in path:
                raise ValueError("a value that contains itself is not JSON: remove the cycle")
            path.add(id(each))
            todo.append((False, each))
            todo += [(True, inner) for inner in (each.values() if isinstance(each, dict) else each)]


def _json_parts(value: Any, default: Callable[[Any], Any] | None) -> str | list[Any]:
    if isinstance(value, dict):
        keyed = ((key if isinstance(key, str) else json.dumps(key), each) for key, each in value.items())
        return listed("{", ((f"{encode_basestring(key)}: ", each) for key, each in keyed), "}")
    if isinstance(value, list | tuple):
        return listed("[", (("", each) for each in value), "]")
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=default)


def listed(opener: str, items: Iterable[tuple[str, Any]], closer: str, comma: str = ", ") -> list[Any]:
    """The parts of a container, for `unfolded`. Each item is the text before a value, and the value."""
    found: list[Any] = []
    for before, value in items:
        found += [f"{comma if found else opener}{before}", value]
    return [*found, closer] if found else [opener + closer]


def unfolded(value: Any, parts: Callable[[Any], str | list[Any]]) -> str:
    """The text of a nested value.

    Args:
        value: the value.
        parts: gives the text of a value, or a list of texts and values in turn, with a text first and last.
    """
    out: list[str] = []
    todo: list[tuple[bool, Any]] = [(False, value)]  # whether it is text, and the item; the next one is on top
    while todo:
        is_text, each = todo.pop()
        found = each if is_text else parts(each)
        if isinstance(found, str):
            out.append(found)
        else:
            todo.extend((place % 2 == 0, found[place]) for place in range(len(found) - 1, -1, -1))
    return "".join(out)


# -- what a value is ---------------------------------------------------------------------------------------------------

_KINDS: tuple[tuple[Any, tuple[str, ...]], ...] = (  # bool before int, because it is an int
    *((str, ("string",)), (bool, ("boolean",)), (int, ("integer", "number")), (float, ("number",))),
    *((Mapping, ("object",)), (list | tuple, ("array",)), (type(None), ("null",))),
)


def kinds_of_value(value: Any) -> tuple[str, ...]:
    """The kinds that the value is of, the narrowest first; () if JSON has no such value."""
    return next((kinds for of, kinds in _KINDS if isinstance(value, of)), ())


def kinds_met(value: Any) -> frozenset[str]:
    """The kinds of which JSON schema says that the value is one: a float without a fraction is an integer, too."""
    is_whole = isinstance(value, float) and value.is_integer()
    return frozenset((*kinds_of_value(value), "integer") if is_whole else kinds_of_value(value))


def same_value(one: Any, other: Any) -> bool:
    """Whether two values are the same: 1 is 1.0, but True is not 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
