# What this file knows: JSON Schema (draft 2020-12, as far as tools use it): which shapes a value may have.
# What it must not know: how any dialect writes a value.
#
# A schema becomes a list of shapes: a value has one of them. `$ref` is followed within the tool's parameters, `allOf`
# is merged, `anyOf`, `oneOf` and lists of types are spread out. What a grammar cannot say is left out, and reported to
# `Losses`: the shape then allows more than the schema. What only shortens the way is not reported: an object that lists
# its properties has no others, unless the schema says so.
"""The shapes that a JSON schema allows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolglean.grammar.fits import fits
from toolglean.grammar.merge import NEVER, merged

__all__ = ["Losses", "Objects", "Schemas", "Shape"]

KINDS = ("object", "array", "string", "integer", "number", "boolean", "null")
MAX_WAYS = 256
MAX_DEPTH = 16  # of references and unions, one behind the other

_WORDS = {
    "string": ("minLength", "maxLength", "pattern"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "array": ("items", "prefixItems", "minItems", "maxItems"),
    "object": ("properties", "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties"),
}
_UNSAID = {
    **dict.fromkeys(("not", "if", "dependentRequired", "dependentSchemas", "dependencies"), ""),
    **dict.fromkeys(("unevaluatedItems", "contains", "uniqueItems"), "array"),
    **dict.fromkeys(("patternProperties", "unevaluatedProperties"), "object"),
    "multipleOf": "number",
}
"""What no grammar of ours says, and the kind of value of which it speaks."""


@dataclass(slots=True)
class Losses:
    """Where the grammar differs from the schemas: texts that begin with the path in the tools.

    Attributes:
        loosened: what the schemas ask and the grammar does not hold.
        tightened: what the schemas allow and the grammar does not.
    """

    loosened: dict[str, None] = field(default_factory=dict)
    tightened: dict[str, None] = field(default_factory=dict)

    def add(self, path: str, reason: str) -> None:
        """The grammar allows more."""
        self.loosened[f"{path}: {reason}"] = None

    def tighten(self, path: str, reason: str) -> None:
        """The grammar allows less."""
        self.tightened[f"{path}: {reason}"] = None


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape of a value.

    Attributes:
        kind: a type of JSON, or "literal".
        schema: what the schema says of it, merged, without references.
        values: the values themselves, of a literal.
        path: where the schema stands, for messages.
    """

    kind: str
    schema: Mapping[str, Any]
    path: str
    values: tuple[Any, ...] = ()

    @property
    def key(self) -> str:
        """Equal for shapes that allow the same."""
        return json.dumps([self.kind, self.schema, self.values], sort_keys=True, default=str)


@dataclass(frozen=True, slots=True)
class Objects:
    """The members of an object: of each its name, its schema and whether it must be there; and others."""

    members: tuple[tuple[str, Any, bool], ...]
    others: Any  # the schema of any further member; NEVER: there are none
    least: int = 0
    most: int | None = None
    names: Any = True


class Schemas:
    """The shapes of one tool's parameters.

    Args:
        root: the schema in which `$ref` is looked up.
        losses: where to report what is left out.
    """

    def __init__(self, root: Any, losses: Losses) -> None:
        self.root = root
        self.losses = losses

    def shapes(self, schema: Any, path: str) -> list[Shape]:
        """The shapes that the schema allows; none where nothing meets it."""
        found: dict[str, Shape] = {}
        for each in self._ways(schema, path, 0):
            for shape in self._spread(each, path):
                found.setdefault(shape.key, shape)
        return list(found.values())[:MAX_WAYS]

    # -- one schema without references, unions and merges --------------------------------------------------------------

    def _ways(self, schema: Any, path: str, depth: int) -> Iterator[Mapping[str, Any]]:
        if schema is True or schema is None:
            schema = {}
        if schema is NEVER or not isinstance(schema, Mapping):
            return
        if depth > MAX_DEPTH:
            self.losses.add(path, "it refers to itself without end")
            return
        whole = self._flat(schema, path, depth)
        if whole is NEVER:
            return
        word = next((each for each in ("anyOf", "oneOf") if isinstance(whole.get(each), Sequence)), None)
        if word is None:
            yield whole
            return
        base = {key: value for key, value in whole.items() if key not in {word, "discriminator"}}
        branches = [each for branch in whole[word] for each in self._ways(branch, path, depth + 1)]
        if word == "oneOf" and not _apart(branches):
            self.losses.add(
                f"{path}.oneOf", "its branches overlap, and a grammar cannot ask that only one of them fits"
            )
        for branch in branches:
            both = self._merged(base, branch, path)
            if both is not NEVER:
                yield from self._ways(both, path, depth + 1)

    def _flat(self, schema: Mapping[str, Any], path: str, depth: int) -> Any:
        # Without `$ref` and `allOf`, and what we do not say.
        found: Any = {
            key: value for key, value in schema.items() if key not in {"$ref", "allOf", "$defs", "definitions"}
        }
        parts = [self._looked_up(schema["$ref"], path)] if isinstance(schema.get("$ref"), str) else []
        parts += schema["allOf"] if isinstance(schema.get("allOf"), Sequence) else []
        for part in parts:
            if depth > MAX_DEPTH:
                self.losses.add(path, "it refers to itself without end")
                return {}
            inner: Any = {} if part is True else NEVER if part is False else self._flat(part, path, depth + 1)
            found = NEVER if inner is NEVER else self._merged(found, inner, path)
            if found is NEVER:
                return NEVER
        return found

    def _merged(self, one: Mapping[str, Any], other: Mapping[str, Any], path: str) -> Any:
        return merged(one, other, lambda word: self.losses.add(f"{path}.{word}", "said twice, and only one is held"))

    def _looked_up(self, place: str, path: str) -> Any:
        found: Any = self.root
        for escaped in place.split("/")[1:]:
            step = escaped.replace("~1", "/").replace("~0", "~")
            if isinstance(found, Mapping):
                found = found.get(step)
            else:
                found = (
                    found[int(step)] if isinstance(found, list) and step.isdigit() and int(step) < len(found) else None
                )
        if not place.startswith("#") or not isinstance(found, Mapping | bool):
            self.losses.add(f"{path}.$ref", f"{place!r} leads to no schema in these parameters")
            return True
        return found

    # -- shapes --------------------------------------------------------------------------------------------------------

    def _spread(self, schema: Mapping[str, Any], path: str) -> Iterator[Shape]:
        members = schema.get("enum") if isinstance(schema.get("enum"), Sequence) else None
        if "const" in schema:
            members = [schema["const"]]
        if members is not None:
            values = tuple(each for each in members if fits(each, schema, self._looked))
            self._report(schema, path, "")
            if values:
                yield Shape("literal", {}, path, values)
            return
        kinds = self._kinds(schema)
        for kind in kinds:
            own = "number" if kind == "integer" else kind
            self._report(schema, path, own)
            words = _WORDS.get(own, ())
            yield Shape(kind, {word: schema[word] for word in words if word in schema}, path)

    def _looked(self, place: str) -> Any:
        return self._looked_up(place, "")

    def _kinds(self, schema: Mapping[str, Any]) -> list[str]:
        kind = schema.get("type")
        named = [each for each in (kind if isinstance(kind, list) else [kind]) if each in KINDS]
        if not named and kind is None and "additionalProperties" not in schema and "properties" not in schema:
            named = [each for each in KINDS if each != "integer"]
        elif not named and kind is None:
            named = ["object"]
        if "number" in named:
            named = [each for each in named if each != "integer"]
        if schema.get("nullable") is True and "null" not in named:
            named.append("null")
        return named

    def _report(self, schema: Mapping[str, Any], path: str, kind: str) -> None:
        for word, own in _UNSAID.items():
            idle = (word == "multipleOf" and schema.get(word) == 1) or (word == "uniqueItems" and not schema.get(word))
            if word in schema and not idle and (not own or own == kind or not kind):
                self.losses.add(f"{path}.{word}", "a grammar cannot say it")
        if kind == "object" and schema.get("properties"):
            for word in ("minProperties", "maxProperties", "propertyNames"):
                if word in schema:
                    self.losses.add(f"{path}.{word}", "it is held only where no properties are listed")

    # -- objects -------------------------------------------------------------------------------------------------------

    def members(self, shape: Shape) -> Objects | None:
        """The members of an object of this shape; None where nothing meets it."""
        given = shape.schema.get("properties")
        listed = dict(given) if isinstance(given, Mapping) else {}
        required = [each for each in shape.schema.get("required") or () if isinstance(each, str)]
        others = shape.schema.get("additionalProperties", NEVER if isinstance(given, Mapping) else True)
        for name in required:
            listed.setdefault(name, others)
        found = []
        for name, schema in listed.items():
            if schema is NEVER or (schema is not True and not self.shapes(schema, f"{shape.path}.properties.{name}")):
                if name in required:
                    return None
                continue
            found.append((name, schema, name in required))
        if others is not NEVER and others is not True and not self.shapes(others, f"{shape.path}.additionalProperties"):
            others = NEVER
        bounds = {} if found else shape.schema
        return Objects(
            tuple(found),
            others,
            bounds.get("minProperties", 0),
            bounds.get("maxProperties"),
            bounds.get("propertyNames", True),
        )


def _apart(branches: Sequence[Mapping[str, Any]]) -> bool:
    # Whether no value meets two of them: other types, other values, or another value of one required member.
    return all(_two_apart(one, other) for at, one in enumerate(branches) for other in branches[:at])


def _two_apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    kinds = [_types(each) for each in (one, other)]
    if not kinds[0] & kinds[1]:
        return True
    values = [_values(each) for each in (one, other)]
    if values[0] is not None and values[1] is not None and not any(each in values[1] for each in values[0]):
        return True
    shared = set(one.get("required") or ()) & set(other.get("required") or ())
    both = [each.get("properties") or {} for each in (one, other)]
    return kinds[0] == kinds[1] == {"object"} and any(
        isinstance(both[0].get(name), Mapping)
        and isinstance(both[1].get(name), Mapping)
        and _two_apart(both[0][name], both[1][name])
        for name in shared
    )


def _types(schema: Mapping[str, Any]) -> set[str]:
    kind = schema.get("type")
    values = _values(schema)
    if kind is None and values is not None:
        words = {bool: "boolean", str: "string", int: "number", float: "number", dict: "object", list: "array"}
        return {words.get(type(each), "null") for each in values}
    found = set(kind if isinstance(kind, list) else [kind]) if kind is not None else set(KINDS)
    found = {"number" if each == "integer" else each for each in found}
    return found | ({"null"} if schema.get("nullable") is True else set())


def _values(schema: Mapping[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    found = schema.get("enum")
    return list(found) if isinstance(found, Sequence) and not isinstance(found, str) else None
