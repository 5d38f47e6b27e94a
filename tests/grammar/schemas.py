# Random schemas of tools, and random values that meet them. Does not depend on grammars and formats.
"""Random schemas, and values for them."""

from __future__ import annotations

import random
import string
from typing import Any

KEYS = ("a", "city_name", "n1", "opts", "tags", "x", "unit")
LETTERS = "ab \"'\\\n{}<>[]é,:=`&;/東🙂0-"
PATTERNS = {"^[a-z]{2,4}$": "abc", "^\\d{4}-\\d\\d$": "2026-11", "^(low|high)!?$": "high", "[0-9]+$": "1"}


def schema(rng: random.Random, depth: int = 3) -> dict[str, Any]:
    """A schema, nested at most so deep."""
    flat = (
        "string", "string", "integer", "number", "boolean", "enum", "nullable", "bounded", "length", "pattern",
        "const",
    )  # fmt: skip
    kinds = flat if depth <= 1 else (*flat, "array", "object", "map", "union", "ref", "all", "tuple")
    found: dict[str, Any] = _KINDS[rng.choice(kinds)](rng, depth)
    return found


def parameters(rng: random.Random, depth: int = 3) -> dict[str, Any]:
    """The parameters of a tool."""
    found = _object(rng, depth, most=4)
    found["$defs"] = {
        "Node": {
            "type": "object",
            "properties": {
                "label": {"type": "string"},
                "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
            },
            "required": ["label"],
            "additionalProperties": False,
        },
        "Color": {"type": "string", "enum": ["red", "dark blue", "a-b"]},
    }
    return found


def _object(rng: random.Random, depth: int, most: int = 3) -> dict[str, Any]:
    keys = rng.sample(KEYS, rng.randint(0 if depth > 2 else 1, most))
    found = {
        "type": "object",
        "properties": {key: schema(rng, depth - 1) for key in keys},
        "required": [key for key in keys if rng.random() < 0.5],
    }
    return found if rng.random() < 0.3 else {**found, "additionalProperties": False}


def _bounded(rng: random.Random, depth: int) -> dict[str, Any]:
    del depth
    kind = rng.choice(("integer", "number"))
    low = rng.choice((-1000, -7, 0, 1, 99)) if kind == "integer" else rng.choice((-2.5, 0, 0.25, 10))
    found: dict[str, Any] = {"type": kind, rng.choice(("minimum", "exclusiveMinimum")): low}
    if rng.random() < 0.6:
        found[rng.choice(("maximum", "exclusiveMaximum"))] = low + rng.choice(
            (2, 5, 1234) if kind == "integer" else (0.75, 3.5, 1000)
        )
    return found


def _length(rng: random.Random, depth: int) -> dict[str, Any]:
    del depth
    least = rng.randint(0, 3)
    return {"type": "string", "minLength": least, "maxLength": least + rng.choice((0, 2, 9))}


def _array(rng: random.Random, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "array", "items": schema(rng, depth - 1)}
    if rng.random() < 0.4:
        found["minItems"] = rng.randint(0, 2)
        found["maxItems"] = found["minItems"] + rng.randint(0, 2)
    return found


def _union(rng: random.Random, depth: int) -> dict[str, Any]:
    first = schema(rng, depth - 1)
    kinds = {"string": "integer", "integer": "string", "object": "null", "array": "string", "boolean": "number"}
    return {"anyOf": [first, {"type": kinds.get(str(first.get("type")), "null")}]}


_KINDS: dict[str, Any] = {
    "string": lambda rng, depth: {"type": "string"},
    "integer": lambda rng, depth: {"type": "integer"},
    "number": lambda rng, depth: {"type": "number"},
    "boolean": lambda rng, depth: {"type": "boolean"},
    "enum": lambda rng, depth: rng.choice(
        ({"enum": ["red", "dark blue", "a-b"]}, {"type": "integer", "enum": [1, 12, 5]}, {"enum": ["on", 1, None]})
    ),
    "const": lambda rng, depth: {"const": rng.choice(("fixed", 7, True))},
    "nullable": lambda rng, depth: {"type": [rng.choice(("integer", "string", "boolean")), "null"]},
    "bounded": _bounded,
    "length": _length,
    "pattern": lambda rng, depth: {"type": "string", "pattern": rng.choice(tuple(PATTERNS))},
    "array": _array,
    "object": _object,
    "map": lambda rng, depth: {"type": "object", "additionalProperties": schema(rng, depth - 1)},
    "union": _union,
    "ref": lambda rng, depth: {"$ref": rng.choice(("#/$defs/Node", "#/$defs/Color"))},
    "all": lambda rng, depth: {"allOf": [{"$ref": "#/$defs/Color"}], "description": "a color"},
    "tuple": lambda rng, depth: {"type": "array", "prefixItems": [schema(rng, 1), schema(rng, 1)], "items": False, "minItems": 2},
}  # fmt: skip


def value(rng: random.Random, given: Any, root: dict[str, Any], depth: int = 0) -> Any:
    """A value that meets the schema."""
    if "$ref" in given:
        return value(rng, root["$defs"][given["$ref"].rpartition("/")[2]], root, depth)
    if "allOf" in given:
        return value(rng, given["allOf"][0], root, depth)
    if "anyOf" in given:
        return value(rng, rng.choice(given["anyOf"]) if depth < 4 else given["anyOf"][-1], root, depth)
    if "enum" in given or "const" in given:
        return rng.choice(given.get("enum", [given.get("const")]))
    kind = given["type"] if isinstance(given["type"], str) else rng.choice(given["type"])
    if kind == "string":
        return _text(rng, given)
    if kind in {"integer", "number"}:
        return _number(rng, given, kind)
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "array" and "prefixItems" in given:
        return [value(rng, each, root, depth + 1) for each in given["prefixItems"]]
    if kind == "array":
        count = rng.randint(given.get("minItems", 0), given.get("maxItems", 3))
        return [value(rng, given["items"], root, depth + 1) for _ in range(count)]
    if kind == "object" and "properties" not in given:
        return {
            rng.choice(string.ascii_letters) + "k": value(rng, given["additionalProperties"], root, depth + 1)
            for _ in range(rng.randint(0, 2))
        }
    if kind == "object":
        return {
            key: value(rng, each, root, depth + 1)
            for key, each in given["properties"].items()
            if key in given["required"] or rng.random() < 0.6
        }
    return None


def _text(rng: random.Random, given: dict[str, Any]) -> str:
    if "pattern" in given:
        return PATTERNS[given["pattern"]]
    size = rng.randint(given.get("minLength", 0), given.get("maxLength", 9))
    return "".join(rng.choice(LETTERS) for _ in range(size))


def _number(rng: random.Random, given: dict[str, Any], kind: str) -> float:
    low, over = given.get("minimum", given.get("exclusiveMinimum")), "exclusiveMinimum" in given
    high, under = given.get("maximum", given.get("exclusiveMaximum")), "exclusiveMaximum" in given
    if low is None:
        return rng.randint(-999, 999) if kind == "integer" else rng.choice((0.5, -2.25, 3.0, 10, 1e-9, 1.5e300))
    step = 1 if kind == "integer" else 0.125
    values = [low + step * (number + over) for number in range(40)]
    fit = [each for each in values if high is None or each < high or (each == high and not under)]
    found: float = rng.choice(fit)
    return found
