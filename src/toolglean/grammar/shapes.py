# JSON Schema (draft 2020-12, as far as tools use it): which shapes a value may have. Does not depend on how a dialect
# writes a value.
#
# A schema becomes a list of shapes, and every value has one of them. `$ref` is followed within the tool's parameters,
# `allOf` is merged, and `anyOf`, `oneOf` and lists of types are spread out. Anything that a grammar cannot express is
# left out and reported to `Notes`: the shape then allows more than the schema. One restriction is not reported: an
# object that lists its properties has no others, unless the schema says so.
"""The shapes that a JSON schema allows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toolglean.grammar.keywords import SUPPORTED, closed, kinds_of, modern, unsupported_in
from toolglean.grammar.members import Members
from toolglean.grammar.merge import NEVER, all_disjoint, merged, values_of
from toolglean.grammar.patterns import pattern
from toolglean.scan.coerce import looked_up
from toolglean.scan.schema_faults import is_valid, matches

__all__ = ["Notes", "Schemas", "Shape", "counts"]

MAX_WAYS = 256
MOST_TRIED = 4096  # alternatives that may turn out to be the same
LEFT_OUT = frozenset({"$ref", "allOf", "$defs", "definitions"})
FLOAT_BITS = 1023
MOST_COUNTED = 100  # members of an object that counts them: it needs a rule for each combination of member and count
MAX_DEPTH = 16  # of references and unions within each other


@dataclass(slots=True)
class Notes:
    """The differences between the grammar and the schemas: texts that begin with the path in the tools.

    Attributes:
        unsupported: what the schemas require, but the grammar does not enforce.
        narrowed: what the schemas allow, but the grammar does not.
    """

    unsupported: dict[str, None] = field(default_factory=dict)
    narrowed: dict[str, None] = field(default_factory=dict)

    def add_unsupported(self, path: str, reason: str) -> None:
        """Report that the grammar allows more than the schema at that path."""
        self.unsupported[f"{path}: {reason}"] = None

    def add_narrowed(self, path: str, reason: str) -> None:
        """Report that the grammar allows less than the schema at that path."""
        self.narrowed[f"{path}: {reason}"] = None


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape of a value.

    Attributes:
        kind: a JSON type, or "literal".
        schema: the keywords of the schema for that type, merged, without references.
        values: for a literal: the values themselves.
        path: the path of the schema, for messages.
    """

    kind: str
    schema: Mapping[str, Any]
    path: str
    values: tuple[Any, ...] = ()

    @property
    def key(self) -> str:
        """A key that is equal for shapes that allow the same values."""
        return json.dumps([self.kind, self.schema, self.values], sort_keys=True, default=str)


def counts(schema: Mapping[str, Any], what: str) -> tuple[int, int | None]:
    """The least and the most of the "Length", "Items" or "Properties" of a value; None: any number."""
    least, most = schema.get(f"min{what}", 0), schema.get(f"max{what}")
    return int(least), None if most is None else int(most)


def _is_too_large(value: Any) -> bool:
    # Readers refuse such a number.
    return isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > FLOAT_BITS


class Schemas:
    """The shapes of one tool's parameters.

    Args:
        root: the schema in which `$ref` is looked up.
        notes: collects what is left out.
    """

    def __init__(self, root: Any, notes: Notes) -> None:
        self.root = root
        self.notes = notes

    def shapes(self, schema: Any, path: str) -> list[Shape]:
        """The shapes that the schema allows; empty if nothing meets it."""
        found: dict[str, Shape] = {}
        for count, each in enumerate(self._ways(schema, path, 0)):
            for shape in self._spread(each, path):
                found.setdefault(shape.key, shape)
            if len(found) > MAX_WAYS or count > MOST_TRIED:
                self.notes.add_narrowed(path, f"the grammar contains only the first {MAX_WAYS} of its alternatives")
                break
        return list(found.values())[:MAX_WAYS]

    # -- one schema without references, unions and merges --------------------------------------------------------------

    def _ways(self, schema: Any, path: str, depth: int) -> Iterator[Mapping[str, Any]]:
        if schema is True or schema is None:
            schema = {}
        if schema is NEVER or not isinstance(schema, Mapping):
            return
        if self._is_too_deep(path, depth):
            return
        whole = self._flat(schema, path, depth)
        if whole is NEVER:
            return
        keyword = next((each for each in ("anyOf", "oneOf") if isinstance(whole.get(each), Sequence)), None)
        if keyword is None:
            yield closed(whole)
            return
        base = {key: value for key, value in whole.items() if key not in {keyword, "discriminator"}}
        branches = [each for branch in whole[keyword] for each in self._ways(branch, path, depth + 1)]
        if keyword == "oneOf" and not all_disjoint(branches):
            self.notes.add_unsupported(
                f"{path}.oneOf", "its branches overlap, and a grammar cannot require that only one of them matches"
            )
        for branch in branches:
            both = self._merged(base, branch, path)
            if both is not NEVER:
                yield from self._ways(both, path, depth + 1)

    def _is_too_deep(self, path: str, depth: int) -> bool:
        if depth > MAX_DEPTH:
            self.notes.add_unsupported(
                path, "it refers to itself endlessly, or its references and unions are nested too deeply"
            )
        return depth > MAX_DEPTH

    def _flat(self, schema: Mapping[str, Any], path: str, depth: int) -> Any:
        # The schema without `$ref`, `allOf`, and keywords that are not needed.
        found: Any = modern(
            {
                key: value
                for key, value in schema.items()
                if key not in LEFT_OUT and (value is not None or key == "const")
            }
        )
        parts = [self._looked_up(schema["$ref"], path)] if isinstance(schema.get("$ref"), str) else []
        parts += schema["allOf"] if isinstance(schema.get("allOf"), Sequence) else []
        for part in parts:
            if self._is_too_deep(path, depth):
                return {}
            inner: Any = {} if part is True else NEVER if part is False else self._part(part, path, depth + 1)
            found = NEVER if inner is NEVER else self._merged(found, inner, path)
            if found is NEVER:
                return NEVER
        return found

    def _part(self, schema: Mapping[str, Any], path: str, depth: int) -> Any:
        # In a part without a union, `unevaluated…` applies to what the part itself leaves over.
        found = self._flat(schema, path, depth)
        return found if found is NEVER or "anyOf" in found or "oneOf" in found else closed(found)

    def _merged(self, one: Mapping[str, Any], other: Mapping[str, Any], path: str) -> Any:
        def report(keyword: str) -> None:
            self.notes.add_unsupported(f"{path}.{keyword}", "it is given twice, and only the first one is used")

        return merged(one, other, report)

    def _looked_up(self, place: str, path: str) -> Any:
        found = looked_up(place, self.root)
        if not isinstance(found, Mapping | bool):
            self.notes.add_unsupported(f"{path}.$ref", f"{place!r} does not lead to a schema in these parameters")
            return True
        return found

    # -- shapes --------------------------------------------------------------------------------------------------------

    def _spread(self, schema: Mapping[str, Any], path: str) -> Iterator[Shape]:
        members = values_of(schema)
        if members is not None:
            rest = {keyword: setting for keyword, setting in schema.items() if keyword not in {"enum", "const"}}
            if "const" in schema:
                rest |= {"enum": schema["enum"]} if "enum" in schema else {}
            values = tuple(each for each in members if self._is_valid(each, rest))
            if any(map(_is_too_large, values)):
                self.notes.add_narrowed(f"{path}.enum", "a number that does not fit a float is left out")
                values = tuple(each for each in values if not _is_too_large(each))
            self._report(schema, path, "literal")
            if values:
                yield Shape("literal", {}, path, values)
            return
        for kind in kinds_of(schema):
            self._report(schema, path, kind)
            keywords = SUPPORTED.get("number" if kind == "integer" else kind, ())
            yield Shape(kind, {keyword: schema[keyword] for keyword in keywords if keyword in schema}, path)

    def _is_valid(self, value: Any, schema: Any) -> bool:
        return is_valid(value, schema, lambda place: self._looked_up(place, ""))

    def _report(self, schema: Mapping[str, Any], path: str, kind: str) -> None:
        for keyword in unsupported_in(schema, kind):
            self.notes.add_unsupported(f"{path}.{keyword}", "a grammar cannot express this keyword")

    # -- objects -------------------------------------------------------------------------------------------------------

    def members(self, shape: Shape) -> Members | None:
        """The members of an object of this shape; None if nothing meets it."""
        schema, path = shape.schema, shape.path
        given, names = schema.get("properties"), schema.get("propertyNames", True)
        listed = dict(given) if isinstance(given, Mapping) else {}
        required = [each for each in schema.get("required") or () if isinstance(each, str)]
        others = schema.get("additionalProperties", NEVER if isinstance(given, Mapping) else True)
        patterns = schema.get("patternProperties")
        if isinstance(patterns, Mapping) and patterns:
            others, names = self._of_patterns(shape, patterns, [*listed, *required])
        for name in required:
            listed.setdefault(name, others if names is True or self._is_valid(name, names) else NEVER)
        found = []
        for name, inner in listed.items():
            if self._is_met(inner, f"{path}.properties.{name}") and (patterns or self._is_valid(name, names)):
                found.append((name, inner, name in required))
            elif name in required:
                return None
        others = others if self._is_met(others, f"{path}.additionalProperties") else NEVER
        if names is not True and found and others is not NEVER and not patterns:
            self.notes.add_unsupported(
                f"{path}.propertyNames", "if there are properties, only their own names are checked"
            )
            names = True
        named_by = "patternProperties" if patterns else "propertyNames"
        members = Members(tuple(found), others, *counts(schema, "Properties"), names, named_by)
        if len(found) > MOST_COUNTED:
            members = self.uncounted(members, path, f"a grammar can count at most {MOST_COUNTED} members")
        return None if members.is_impossible else members

    def uncounted(self, members: Members, path: str, reason: str) -> Members:
        """The members, of which there may be any number. If they must be counted, `reason` tells why they are not."""
        if members.is_counted:
            keyword = "minProperties" if members.least else "maxProperties"
            self.notes.add_unsupported(f"{path}.{keyword}", reason)
        return replace(members, least=0, most=None)

    def _is_met(self, schema: Any, path: str) -> bool:
        # Whether any value meets the schema.
        return schema is True or (schema is not NEVER and bool(self.shapes(schema, path)))

    def _of_patterns(self, shape: Shape, patterns: Mapping[str, Any], listed: list[str]) -> tuple[Any, Any]:
        # The schema of further members, and of their names. Patterns list all members, as properties do: unless the
        # schema mentions others, there are none.
        others = shape.schema.get("additionalProperties", NEVER)
        same = len({json.dumps(each, sort_keys=True, default=str) for each in patterns.values()}) == 1
        sayable = all(pattern(each) is not None for each in patterns)
        matched = sayable and any(matches(each, name) for each in patterns for name in listed)
        if same and sayable and not matched and others is NEVER and "propertyNames" not in shape.schema:
            return next(iter(patterns.values())), {"type": "string", "pattern": "|".join(patterns)}
        self.notes.add_unsupported(
            f"{shape.path}.patternProperties",
            "a grammar supports only patterns that have the same schema, match no listed name, and leave no other "
            "members",
        )
        return others if others is not NEVER or listed else True, True
