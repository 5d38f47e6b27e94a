# Whether a value that a model wrote is valid under a JSON schema. Does not depend on calls, or on how values are
# written; schema_faults.py says what the words of a schema mean.
#
# Only what is certain refuses a value: a word of the schema that is unknown or malformed is ignored, and a schema that
# names nothing accepts anything. So each schema is reduced to what is certain of it. Departures from JSON schema:
# - `type` may be one of the words that people write instead (`str`, `int`: see coerce.py)
# - `oneOf` is read as `anyOf`: that is what people mean by it
# - `additionalProperties` and the like are ignored: other keys are the caller's business
# - `pattern` is tried only if it is short and cannot backtrack: no quantifier after a group, and at most one that is
#   open. Schemas may come from strangers, and values from a model
# - `multipleOf` counts only if it is a whole number: of fractions, the remainder is rarely exact
# - `nullable` and a `$ref` with words next to it are accepted, as in OpenAPI
"""Values against JSON schemas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from toolglean.scan.coerce import TYPE_WORDS, resolved
from toolglean.scan.schema_faults import DEEPEST, is_valid

__all__ = ["fits"]

MAX_STEPS = 4000  # schemas that are tried for one value: a schema may refer to itself twice
MAX_PATTERN = 120  # characters

_NEVER: Mapping[str, Any] = {"enum": ()}
_SETTINGS: dict[str, Any] = {
    "$ref": str,
    **dict.fromkeys(("enum", "allOf", "anyOf", "prefixItems"), list),
    **dict.fromkeys(("const", "items"), object),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), int | float),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), int | float),
    "multipleOf": int,
    "properties": Mapping,
}
"""The words that count, with what their settings must be."""

_many = re.compile(r"\\.|\[\^?\]?[^\]]*\]|([*+]|\{\d*,\d*\})").finditer


def fits(value: Any, schema: Any, root: Mapping[str, Any] | None = None) -> bool:
    """Whether the value is valid under the schema.

    Args:
        value: a JSON value.
        schema: the schema; one that is not an object accepts anything, except False.
        root: the schema in which `$ref` is looked up.
    """
    return is_valid(value, schema, lambda place: resolved({"$ref": place}, root), _Certain())


def _counts(word: str, setting: Any) -> bool:
    kind = _SETTINGS.get(word)
    return kind is object or (kind is not None and isinstance(setting, kind) and not isinstance(setting, bool))


class _Certain:
    # What is certain of the schemas that one value is tried with. If the steps are used up, nothing fits any more.
    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = MAX_STEPS

    def __call__(self, schema: Mapping[str, Any], depth: int) -> Mapping[str, Any]:
        self.steps -= 1
        if depth >= DEEPEST or self.steps < 0:
            return _NEVER
        found = {word: setting for word, setting in schema.items() if _counts(word, setting)}
        words = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type")]
        kinds = [TYPE_WORDS.get(word.lower()) for word in words if isinstance(word, str)]
        if len(kinds) == len(words) and None not in kinds:
            found["type"] = kinds
        if found.get("multipleOf", 1) <= 0:
            del found["multipleOf"]
        if isinstance(schema.get("pattern"), str) and _is_quick(schema["pattern"]):
            found["pattern"] = schema["pattern"]
        if isinstance(schema.get("required"), list | tuple):
            found["required"] = [key for key in schema["required"] if isinstance(key, str)]
        if isinstance(schema.get("oneOf"), list):
            found["allOf"] = [*found.get("allOf", ()), {"anyOf": schema["oneOf"]}]
        if schema.get("nullable") is True:
            reference = {word: found.pop(word) for word in ("$ref",) if word in found}
            return {"anyOf": [{"type": "null"}, found], **reference}
        return found


@lru_cache(maxsize=64)
def _is_quick(pattern: str) -> bool:
    # Whether it takes no more than linear time to search for it.
    if len(pattern) > MAX_PATTERN or "(?" in pattern.replace("(?:", "(") or re.search(r"\)\s*[*+{]|\\\d", pattern):
        return False
    return sum(found[1] is not None for found in _many(pattern)) < 2
