# Finds what is wrong with each part of a declaration by itself. Does not depend on how it is compiled; compile.py finds
# what is wrong only if all patterns are put together.
"""Checks of a declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import pairwise
from typing import Any

from toolglean.errors import FormatError
from toolglean.formats.declaration import Declaration
from toolglean.formats.parameters import has_bare_key
from toolglean.formats.words import Literal, Pairs, Quoted, Slot, Space, Token, Tree, ends_line, tokens_of
from toolglean.scan.names import ARGUMENT_KEYS, BESIDE_KEYS, NAME_KEYS

__all__ = ["check"]

CALL_SLOTS = frozenset({"name", "id", "index", "server", "call", "calls", "arguments", "parameters", "keywords", "ws"})
PARAMETER_SLOTS = frozenset({"key", "value", "json", "type", "ws"})
WORDS = frozenset({"name", "id", "index", "server", "key", "type"})


def check(declared: Declaration) -> None:
    """Refuse a wrong declaration.

    Raises:
        FormatError: the message names the slot or the marker.
    """
    if not declared.name:
        raise FormatError("a format needs a name")
    reason = next(filter(None, _reasons(declared)), "")
    if reason:
        raise FormatError(f"format {declared.name!r}: {reason}")


def _reasons(declared: Declaration) -> Iterator[str]:
    # What is wrong, or "". A later check relies on those before it.
    yield _fields(declared)
    for pattern in declared.spellings or ("",):
        yield _unknown(pattern, CALL_SLOTS, "call") or _call(declared, pattern)
    if declared.parameters and not any("{parameters}" in each for each in declared.spellings):
        yield f"no call pattern has {{parameters}}, so the parameter pattern {declared.parameters[0]!r} stands nowhere"
    for pattern in declared.parameters:
        yield _unknown(pattern, PARAMETER_SLOTS, "parameter") or _parameter(pattern)
    for checked in (_markers, _codec, _id, _json_keys, _types, _escapes, _respelt):
        yield checked(declared)
    for pattern in (*declared.spellings, *declared.parameters):
        yield _neighbours(pattern) or _twice(pattern)
    for checked in (_first_slots, _ends, _bare_keys):
        yield checked(declared)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(_is_text, value))


def _is_pair(value: Any) -> bool:
    return _is_texts(value) and len(value) == 2


def _is_pairs(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(_is_pair, value))


_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {  # by the type of the field
    "str": (_is_text, "text"),
    "tuple[str, ...]": (_is_texts, "a tuple of texts"),
    "tuple[str, str]": (_is_pair, "a tuple of two texts"),
    "tuple[tuple[str, str], ...]": (_is_pairs, "a tuple of tuples of two texts"),
    "str | tuple[str, ...]": (lambda value: _is_text(value) or _is_texts(value), "text, or a tuple of texts"),
}
_FIELDS = tuple((each.name, *_KINDS[str(each.type)]) for each in fields(Declaration) if str(each.type) in _KINDS)


def _fields(declared: Declaration) -> str:
    for name, is_right, kind in _FIELDS:
        value = getattr(declared, name)
        if not is_right(value):
            return f"{name} must be {kind}, not {value!r}"
    return ""


def _unknown(pattern: str, allowed: frozenset[str], what: str) -> str:
    wrong = [slot for slot in _slots(pattern) if slot not in allowed]
    return f"unknown field {{{wrong[0]}}} in the {what} pattern {pattern!r}" if wrong else ""


def _call(declared: Declaration, pattern: str) -> str:
    slots = _slots(pattern)
    named = "name" in slots or any(isinstance(token, Literal) and token.name for token in tokens_of(pattern))
    whole = {"call", "calls"} & set(slots)
    if "parameters" in slots and not declared.parameters:
        return f"{{parameters}} needs a parameter pattern: {pattern!r}"
    if not (whole or named) or len(whole) > 1:
        return f"a call pattern needs {{name}}, or one of {{call}} and {{calls}}: {pattern!r}"
    arguments = {"arguments", "parameters", "keywords"} & set(slots)
    if len(arguments) > 1 or (whole and arguments):
        return f"the arguments appear twice in the pattern {pattern!r}"
    if beside := whole and set(slots) - {"name", "ws"} - whole:
        written = '{"name": "{name}", "arguments": {arguments}}'
        return f"{{{min(beside)}}} cannot be beside a whole object in {pattern!r}: write the object out, as {written}"
    if "keywords" in slots and "{keywords})" not in pattern:
        return f"{{keywords}} needs a closing parenthesis after it: {pattern!r}"
    return ""


def _parameter(pattern: str) -> str:
    slots = _slots(pattern)
    if "key" not in slots or len({"value", "json"} & set(slots)) != 1:
        return f"a parameter pattern needs {{key}} and {{value}}: {pattern!r} ({{json}} may stand for {{value}})"
    first = tokens_of(pattern.strip())[0]
    if isinstance(first, Slot) and first.name != "key":
        return f"a parameter pattern needs a marker before its first field, unless that is {{key}}: {pattern!r}"
    if isinstance(first, Slot) and (slots.index("key") or slots[1] not in {"value", "json"}):
        return f"in a parameter pattern that begins with {{key}}, the value must come next: {pattern!r}"
    return ""


def _slots(pattern: str) -> list[str]:
    return [token.name for token in tokens_of(pattern) if isinstance(token, Slot)]


def _markers(declared: Declaration) -> str:
    if not set(declared.user_only_markers) <= set(declared.content_markers):
        return "each marker of user_only_markers must be in content_markers too"
    if any(not marker.strip() for marker in (*declared.drop, *declared.content_markers)):
        return "a marker of drop or content_markers is empty"
    if any(not marker.strip() for marker in declared.end_markers):
        return "a marker of end_markers is empty"
    if any(not key for key in declared.wrappers):
        return "a key of wrappers is empty"
    for opener, closer in declared.all_reasonings:
        if not opener.strip() or not closer.strip():
            return f"a marker of reasoning is empty: {(opener, closer)!r}"
    texts = [closer for _, closer in declared.all_sections] + [declared.separator, declared.parameter_separator]
    return next((f"a section or marker must not have fields: {text!r}" for text in texts if _slots(text)), "")


def _respelt(declared: Declaration) -> str:
    if declared.respelt and declared.respelt[0] not in declared.call:
        return f"respelt: {declared.respelt[0]!r} is not in the call pattern {declared.call!r}"
    return "" if all(each.strip() for each in declared.respelt) else "a text of respelt is empty"


def _codec(declared: Declaration) -> str:
    codec = declared.arguments
    if isinstance(codec, Quoted) and not codec.quote.strip():
        return f"the quote marker is empty: {codec.quote!r}"
    if isinstance(codec, Pairs):
        before, between, after = codec.around
        if "{key}" not in codec.pattern or "{value}" not in codec.pattern or not between:
            return f"a pair needs {{key}}, a sign, and {{value}}: {codec.pattern!r}"
        if not (after.strip() or codec.separator or before.strip()):
            return f"nothing shows where a pair ends: {codec!r}"
    if isinstance(codec, Tree) and codec.prefix and not codec.prefix.strip():
        return f"the prefix of tags is white space: {codec.prefix!r}"
    return ""


def _id(declared: Declaration) -> str:
    for slot in _slots(declared.id):
        if slot not in {"name", "index"}:
            return f"an id is made of {{name}} and {{index}}, not of {{{slot}}}: {declared.id!r}"
        if not any(slot in _slots(pattern) for pattern in declared.calls):
            return f"the id {declared.id!r} needs {{{slot}}}, which no call has"
    return ""


def _json_keys(declared: Declaration) -> str:
    name, arguments = declared.keys
    if not name or not arguments or name == arguments:
        return f"keys {declared.keys!r} are not the key of the name and that of the arguments"
    for key, taken, of in ((name, ARGUMENT_KEYS, "arguments"), (arguments, NAME_KEYS, "a name")):
        if key in taken or key in BESIDE_KEYS:
            return f"keys {declared.keys!r}: under {key!r}, {of if key in taken else 'an id or a type'} is expected"
    return ""


def _types(declared: Declaration) -> str:
    string = declared.types.get("string")
    others = [word for kind, word in declared.types.items() if kind != "string"]
    return (
        f"types: {string!r} is the word for strings and for other types"
        if string is not None and string in others
        else ""
    )


def _escapes(declared: Declaration) -> str:
    pairs: tuple[tuple[str, ...], ...] = declared.escapes
    for each in pairs:
        if len(each) != 2 or len(each[0]) != 1 or not each[1].strip():
            return f"escapes: {each!r} is not a pair of a character and its escape"
    return ""


def _neighbours(pattern: str) -> str:
    # White space is optional, so it does not show where a word ends; but a key may end with its line.
    written = tokens_of(pattern.strip())
    if any(ends_line(written, place) for place in range(len(written))):
        return ""
    tokens: list[Token] = [token for token in written if not isinstance(token, Space)]
    for token, following in pairwise(tokens):
        if not (isinstance(token, Slot) and isinstance(following, Slot)) or token.name not in WORDS:
            continue
        if following.name not in {"arguments", "parameters"} and not _parted(pattern, token, following):
            return f"nothing shows where {{{token.name}}} ends: a marker must follow it in {pattern!r}"
    return ""


def _parted(pattern: str, key: Token, value: Token) -> bool:
    # A key without white space in it ends at the white space before JSON, and a number at that before a name.
    tokens = tokens_of(pattern)
    spaced = any(each[0] == key and isinstance(each[1], Space) for each in pairwise(tokens))
    return (key, value) in {(Slot("key"), Slot("json")), (Slot("index"), Slot("name"))} and spaced


def _twice(pattern: str) -> str:
    slots = _slots(pattern)
    for slot in ("call", "calls", "value", "json"):
        if slots.count(slot) > 1:
            return f"{{{slot}}} appears twice in {pattern!r}"
    if sum(slots.count(slot) for slot in ("arguments", "parameters", "keywords")) > 1:
        return f"the arguments appear twice in the pattern {pattern!r}"
    return ""


def _first_slots(declared: Declaration) -> str:
    for pattern in declared.spellings:
        tokens = tokens_of(pattern.strip())
        if tokens and isinstance(tokens[0], Slot) and tokens[0].name not in {"name", "call", "calls"}:
            return f"{{{tokens[0].name}}} could be anything, so a marker must come before it: {pattern!r}"
    return ""


def _ends(declared: Declaration) -> str:
    if not isinstance(declared.arguments, Tree | Pairs):
        return ""
    for pattern in declared.spellings:
        tokens = tokens_of(pattern)
        if declared.section[1].strip() and isinstance(declared.arguments, Pairs):
            continue
        place = next((n for n, token in enumerate(tokens) if token == Slot("arguments")), -1)
        if place >= 0 and not any(isinstance(token, Literal) for token in tokens[place:]):
            return f"nothing shows where {{arguments}} end: {pattern!r}"
    return ""


def _bare_keys(declared: Declaration) -> str:
    # A parameter that begins with its key, right after a name, would be one word with it.
    if any(map(has_bare_key, declared.parameters)):
        for pattern in declared.spellings:
            if (Slot("name"), Slot("parameters")) in pairwise(tokens_of(pattern)):
                return f"nothing shows where {{name}} ends: a marker or white space must follow it in {pattern!r}"
    return ""
