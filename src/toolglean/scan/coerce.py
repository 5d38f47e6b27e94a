# Which value a text means, by the JSON schema of a tool's parameter. Does not depend on how calls are written. Only
# formats whose values are untyped text need it.
#
# First the schema gives a list of kinds, in the order in which it names them. `$ref` is followed within the root
# schema; `type` lists, `anyOf` and `oneOf` are read in order; of `allOf`, the first member that names a kind is used;
# `nullable` adds null. Then the kinds are tried, and the first one that applies gives the value:
#
#   what the schema allows      which text becomes such a value (white space around it is ignored)
#   anything                    the text itself, whatever it looks like
#   null                        null; also None if no string is allowed. Tried first, wherever the schema names it
#   then, in the schema's order:
#   string                      the text itself, even if it looks like a number, true or null; white space is kept
#   integer                     7, -7, +7, 007; 3.0 and 1e3, which are whole. Exact, up to 4,300 digits
#   number                      as an integer, otherwise a finite float: never NaN, never infinity
#   boolean                     true and false, upper or lower case: True, FALSE. Not 1, not yes
#   object, array               JSON, then a Python literal, then JSON with its quotes escaped, of that kind. If a
#                               string is allowed too, these come first: such text was hardly meant as a string
#   enum, const without a type  the string that equals the text, otherwise the member that equals the text as JSON
#
# An enum next to a type prefers the kind whose value is one of its members, and refuses nothing: validating values is
# the tool's job. If no kind applies, the value is the text.
"""Values from text, by JSON schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolglean.scan.json import decode
from toolglean.scan.nested import DepthError, json_text, same_value
from toolglean.scan.python import literal_text
from toolglean.scan.scanner import MAX_DIGITS, is_finite
from toolglean.scan.tokens import value_text

__all__ = [
    "NO", "TYPE_WORDS", "coerce_text", "coerce_within", "from_text", "is_text", "json_text", "kinds_of", "known",
    "looked_up", "properties", "resolved", "takes_no_string", "unquoted", "within",
]  # fmt: skip

Schema = Mapping[str, Any] | None
Read = Callable[[str, int], tuple[str | None, str]]
"""Returns the JSON text of a value, or None and what was expected: `value_text`, `literal_text`."""

MAX_HOPS = 32  # of $refs in a row: a schema may refer to itself
MAX_SCHEMAS = 256  # in one schema, by anyOf and the like
MAX_DEPTH = 256
MAX_POWER = 308  # a number with a larger power of ten is too large for a float

# The names of kinds in schemas: JSON schema's own, and those that people write instead.
TYPE_WORDS = {
    "string": "string", "str": "string", "text": "string", "varchar": "string", "char": "string",
    "integer": "integer", "int": "integer", "long": "integer", "int32": "integer", "int64": "integer",
    "number": "number", "float": "number", "double": "number",
    "boolean": "boolean", "bool": "boolean",
    "object": "object", "dict": "object", "dictionary": "object", "map": "object",
    "array": "array", "list": "array", "tuple": "array", "set": "array",
    "null": "null", "none": "null",
}  # fmt: skip
_CONTAINERS = frozenset({"object", "array"})
_YIELDING = _CONTAINERS | {"string", "null"}  # kinds that `is_text` has already handled, or a string with an enum
_BRACKETS = frozenset("{[(")
_OBJECT_WORDS = frozenset({"properties", "additionalProperties", "patternProperties", "required"})
_ARRAY_WORDS = frozenset({"items", "prefixItems"})

_integer = re.compile(r"[+-]?[0-9]+").fullmatch
# In each of these, no two parts can match the same digits: otherwise a text that almost matches takes quadratic time.
_decimal = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,4}))?").fullmatch
_float = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?").fullmatch


class _No:
    """The result of a kind that does not apply."""


NO = _No()


def coerce_text(text: str, schema: Schema, root: Schema = None) -> Any:
    """The value that the text means.

    Args:
        text: what the model wrote.
        schema: the JSON schema of the parameter; None if it is not known.
        root: the schema in which `$ref` is looked up.

    Returns:
        A JSON value; the text itself if the schema asks for a string, names no kind, or does not fit the text.
    """
    try:
        return coerce_within(text, schema, root, MAX_DEPTH)
    except DepthError:
        return text


def coerce_within(text: str, schema: Schema, root: Schema, max_depth: int) -> Any:
    """As `coerce_text`, for objects and lists that are at most `max_depth` containers deep.

    Raises:
        DepthError: the value is nested deeper.
    """
    choices = _choices(schema, root)
    kinds = {kind for kind, _ in choices}
    if "null" in kinds and (text.strip() == "null" or (text.strip() == "None" and "string" not in kinds)):
        return None
    if "string" in kinds and text.lstrip()[:1] not in _BRACKETS:
        choices = [each for each in choices if each[0] not in _CONTAINERS]
    elif "string" in kinds:
        choices.sort(key=lambda each: each[0] not in _CONTAINERS)
    found = [(_value_of(text, kind, members, max_depth), members) for kind, members in choices]
    for value, members in found:
        if value is not NO and (not members or any(same_value(value, each) for each in members)):
            return value
    return next((value for value, _ in found if value is not NO), text)


def unquoted(text: str, schema: Schema, root: Schema, max_depth: int) -> Any:
    """The value that a JSON string in the text means where no string is allowed: `"[1, 2]"`, `"7"`; else the text."""
    if kinds_of(schema, root) & {"string", ENUM} or text.lstrip()[:1] != '"':
        return text
    inner = from_text(value_text, text, max_depth)
    found = coerce_within(inner, schema, root, max_depth) if isinstance(inner, str) else inner
    return text if found is inner else found


def is_text(schema: Schema, root: Schema = None, start: str = "") -> bool:
    """Whether every text that begins with `start` is its own value, so that it may be emitted while it arrives.

    This is so if the schema is not known, or if a string comes before all other kinds. If null, an object or a list is
    allowed too, `start` must already differ from those.
    """
    choices = _choices(schema, root)
    kinds = {kind for kind, _ in choices}
    begun = start.lstrip()
    if "null" in kinds and any(word.startswith(begun.rstrip()) for word in ("null", "None")):
        return False
    if kinds & _CONTAINERS and (not begun or begun[0] in _BRACKETS):
        return False
    for kind, members in choices:
        if kind == "string" and not members:
            return True
        if kind not in _YIELDING and not (kind == ENUM and all(isinstance(each, str) for each in members)):
            return False
    return not kinds & _CONTAINERS or "string" in kinds


def known(schema: Schema, root: Schema = None) -> bool:
    """Whether the schema names a kind for the value."""
    return bool(_choices(schema, root))


def properties(parameters: Schema, root: Schema = None) -> Mapping[str, Any]:
    """The schema of each parameter by its name, including those under `$ref`, `allOf`, `anyOf` and `oneOf`."""
    root = parameters if root is None else root
    own = {name: each[name] for each in map(_own, _branches(parameters, root, ("allOf",))) for name in each}
    found: dict[str, list[Any]] = {}
    for each in map(_own, _branches(parameters, root, ("anyOf", "oneOf", "allOf"))):
        for name in each.keys() - own.keys():
            found.setdefault(name, []).append(each[name])
    any_text: dict[str, Any] = {name: {} for name, each in found.items() if not all(known(one, root) for one in each)}
    return {name: {"anyOf": each} for name, each in found.items()} | any_text | own


def _own(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    own = schema.get("properties")
    return own if isinstance(own, Mapping) else {}


def kinds_of(schema: Schema, root: Schema = None) -> frozenset[str]:
    """The kinds that the schema allows, by their names in JSON schema. Empty if the schema names none."""
    return frozenset(kind for kind, _ in _choices(schema, root))


def takes_no_string(parameters: Mapping[str, Any], key: str) -> bool:
    """Whether the schema of a tool's parameters has that one, and a string is certainly wrong there."""
    schema = _own(parameters).get(key)
    if type(schema) is dict and schema.get("type") == "string":  # mostly
        return False
    kinds = kinds_of(properties(parameters).get(key), parameters)
    return bool(kinds) and not kinds & {"string", ENUM}


def within(schema: Schema, name: str, root: Schema = None) -> Any:
    """The schema of the value under that name in such an object, or of the items of such a list (`item`)."""
    for each in _branches(schema, root, ("anyOf", "oneOf", "allOf")):
        if name in _own(each):
            return _own(each)[name]
        other = each.get("items" if name == "item" and "items" in each else "additionalProperties")
        if isinstance(other, Mapping):
            return other
    return None


def resolved(schema: Any, root: Schema = None) -> Mapping[str, Any]:
    """The schema to which `$ref` leads; {} if it leads nowhere, or does not lead to a schema."""
    for _ in range(MAX_HOPS):
        if not isinstance(schema, Mapping):
            return {}
        place = schema.get("$ref")
        if not isinstance(place, str):
            return schema
        schema = looked_up(place, root)
    return {}


def looked_up(place: str, root: Schema) -> Any:
    """What is at the place of a `$ref` in the root schema; None if nothing is there, or it is not in this schema."""
    found: Any = root if place.startswith("#") else None
    for step in place.split("/")[1:]:
        if isinstance(found, list):
            found = {str(number): each for number, each in enumerate(found)}
        found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found


def _branches(schema: Any, root: Schema, words: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    # The schemas that this one contains under those words, each once (a schema may contain itself), and then itself.
    seen: set[int] = set()
    todo = [(schema, False)]  # whether its members have been visited; the next one is on top
    while todo:
        each, is_after = todo.pop()
        if is_after:
            yield each
            continue
        each = resolved(each, root)
        if id(each) in seen or len(seen) >= MAX_SCHEMAS:
            continue
        seen.add(id(each))
        todo.append((each, True))
        todo += [(member, False) for word in reversed(words) for member in reversed(_listed(each, word))]


def _listed(schema: Mapping[str, Any], word: str) -> list[Any]:
    members = schema.get(word)
    return members if isinstance(members, list) else []


# -- the kinds ---------------------------------------------------------------------------------------------------------


Choice = tuple[str, tuple[Any, ...]]  # a kind, and the members of the enum next to it

ENUM = "enum"  # the kind of an enum without a type


def _choices(schema: Any, root: Schema) -> list[Choice]:
    found: list[Choice] = []
    seen: set[int] = set()
    open_ = [] if schema is None else [_chosen(resolved(schema, root), found, seen)]
    while open_:
        for inner in open_[-1]:
            open_.append(_chosen(resolved(inner, root), found, seen))
            break
        else:
            open_.pop()
    return found


def _chosen(schema: Mapping[str, Any], found: list[Choice], seen: set[int]) -> Iterator[Any]:
    # Adds the choices of a schema to what was found. It yields the schemas in it, each to be read before it goes on.
    if id(schema) in seen or len(seen) >= MAX_SCHEMAS:
        return
    seen.add(id(schema))
    before, members = len(found), _members(schema)
    kinds = _named(schema)
    found += [(kind, members) for kind in kinds]
    if members and not kinds:
        found.append((ENUM, members))
    if len(found) == before:
        yield from (each for word in ("anyOf", "oneOf") for each in _listed(schema, word))
        for number, each in enumerate(_listed(schema, "allOf")):
            if number == 0 or len(found) == before:  # the first of these that names a kind is used
                yield each
    if schema.get("nullable") is True and len(found) > before:
        found.append(("null", ()))


def _members(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    members = schema.get("enum")
    if isinstance(members, list):
        return tuple(members)
    return (schema["const"],) if "const" in schema else ()


def _named(schema: Mapping[str, Any]) -> list[str]:
    kind = schema.get("type")
    if kind is not None:
        each = kind if isinstance(kind, list) else [kind]
        return [TYPE_WORDS[name.lower()] for name in each if isinstance(name, str) and name.lower() in TYPE_WORDS]
    if schema.keys() & _OBJECT_WORDS:
        return ["object"]
    return ["array"] if schema.keys() & _ARRAY_WORDS else []


# -- the values --------------------------------------------------------------------------------------------------------


def _value_of(text: str, kind: str, members: tuple[Any, ...], max_depth: int) -> Any:
    if kind in _CONTAINERS:
        return _container(text, dict if kind == "object" else list, max_depth)
    return _enum(text, members) if kind == ENUM else _VALUES[kind](text)


def _enum(text: str, members: tuple[Any, ...]) -> Any:
    if text in members:
        return text
    try:
        found = from_text(value_text, text, MAX_DEPTH)
    except DepthError:
        return NO
    if isinstance(found, str | _No):  # `"low"` is not low: otherwise no enum of strings could be emitted at once
        return NO
    return next((each for each in members if same_value(found, each)), NO)


def _integer_of(text: str) -> Any:
    # Not through a float: 1e23 is exact.
    text = text.strip()
    parts = _decimal(text) if len(text) <= MAX_DIGITS else None
    if not parts:
        return NO
    sign, whole, fraction, power = parts.groups(default="")
    shift = int(power or "0") - len(fraction)
    digits = (whole + fraction).lstrip("0")
    if not whole + fraction or shift > MAX_POWER:
        return NO
    if shift < 0:
        digits, left = digits[:shift], digits[shift:]
        if left.strip("0"):
            return NO
    elif digits:
        digits += "0" * shift
    return int(sign + (digits or "0")) if len(sign.strip("+") + digits) <= MAX_DIGITS else NO


def _number_of(text: str) -> Any:
    text = text.strip()
    if _integer(text):
        return _integer_of(text)
    return float(text) if len(text) <= MAX_DIGITS and _float(text) and is_finite(text) else NO


def _boolean(text: str) -> Any:
    return {"true": True, "false": False}.get(text.strip().lower(), NO)


def _container(text: str, kind: type, max_depth: int) -> Any:
    return next((found for read in _READERS if isinstance(found := from_text(read, text, max_depth), kind)), NO)


def from_text(read: Read, text: str, max_depth: int) -> Any:
    """The value of the text as `read` has it; NO if it has none.

    Raises:
        DepthError: it is nested deeper than `max_depth` containers.
    """
    found, fault = read(text, max_depth)
    if fault == "depth":
        raise DepthError(f"nested deeper than {max_depth} containers: {text[:80]!r}")
    return NO if found is None else decode(found)[0]


def _escaped_text(text: str, max_depth: int) -> tuple[str | None, str]:
    found, fault = value_text(f'"{text}"', max_depth) if '\\"' in text else (None, "")
    return value_text(decode(found)[0], max_depth) if found else (None, fault)


_VALUES: dict[str, Callable[[str], Any]] = {
    "string": str, "integer": _integer_of, "number": _number_of, "boolean": _boolean,
    "null": lambda _: NO,  # it was tried first
}  # fmt: skip
_READERS: tuple[Read, ...] = (value_text, literal_text, _escaped_text)
