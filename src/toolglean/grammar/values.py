# How a schema's shapes become nodes, in a dialect that nests (JSON, Python, the quoted one). Does not depend on how the
# dialect writes anything, or on where the value appears.
"""Values by schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from toolglean.errors import UsageError
from toolglean.grammar.dialects import Dialect
from toolglean.grammar.members import Members
from toolglean.grammar.merge import NEVER
from toolglean.grammar.nodes import EMPTY, Node, Rules, Terminal, alt, opt, repeat, seq
from toolglean.grammar.numbers import are_supported, number
from toolglean.grammar.shapes import Schemas, Shape, counts

__all__ = ["Values"]

ANNOTATIONS = frozenset({"title", "description", "default", "examples", "deprecated", "$comment", "format", "$defs"})
CONSTANTS = {"boolean": (True, False), "null": (None,)}


class Values:
    """Values of one tool's schemas, in one dialect."""

    def __init__(self, dialect: Dialect, schemas: Schemas, rules: Rules) -> None:
        self.dialect, self.schemas, self.rules = dialect, schemas, rules

    def value(self, schema: Any, path: str) -> Node:
        """A value that meets the schema.

        Raises:
            UsageError: no value does.
        """
        if schema is True or (isinstance(schema, Mapping) and not schema.keys() - ANNOTATIONS):
            return self.anything()
        key = (self.dialect.name, id(self.schemas), json.dumps(schema, sort_keys=True, default=str))
        return self.rules.ref(key, lambda: self._value(schema, path))

    def _value(self, schema: Any, path: str) -> Node:
        ways = [way for shape in self.schemas.shapes(schema, path) for way in self.shape(shape)]
        if not ways:
            raise UsageError(f"{path}: no value satisfies this schema: correct it, or leave the tool out")
        return alt(*ways)

    def shape(self, shape: Shape) -> list[Node]:
        """The ways to write a value of that shape; empty if there is no such value."""
        dialect = self.dialect
        if shape.kind in {"literal", *CONSTANTS}:
            values = CONSTANTS.get(shape.kind, shape.values)
            return [way for value in values if (way := dialect.literal(value)) is not None]
        if shape.kind == "object":
            members = self.schemas.members(shape)
            return [] if members is None else [self.object(members, shape.path)]
        if shape.kind == "array":
            return self._array(shape)
        if shape.kind == "string":
            return [dialect.string(shape.schema, shape.path, self.schemas.notes)]
        return self._number(shape)

    def anything(self) -> Node:
        """Any value."""
        return self.rules.ref((self.dialect.name, "anything"), lambda: self._value({}, ""))

    # -- containers ----------------------------------------------------------------------------------------------------

    def object(
        self,
        members: Members,
        path: str,
        *,
        keys: Dialect | None = None,
        value: Callable[[str, Any, str], Node] | None = None,
    ) -> Node:
        """An object with these members.

        Args:
            members: the members.
            path: the path of the schema.
            keys: the dialect of its keys and brackets, if that is another one.
            value: the value of a listed member, given its name, its schema and that one's path, if not as elsewhere.
        """
        dialect = keys or self.dialect
        write = value or (lambda _, schema, path: self.value(schema, path))
        items = [
            (needed, seq(dialect.key(name), write(name, schema, f"{path}.properties.{name}")))
            for name, schema, needed in members.members
        ]
        other = None
        if members.others is not NEVER:
            key = self._other_key(dialect, members, path)
            other = seq(key, self.value(members.others, f"{path}.additionalProperties"))
        return members.written(items, dialect.comma, self.rules, other, dialect.object_brackets)

    def _other_key(self, dialect: Dialect, members: Members, path: str) -> Node:
        excluded = getattr(dialect, "excluded", "")
        if path and any(map(str.isalnum, excluded)):  # a marker of words (`END_ARG`)
            self.schemas.notes.add_narrowed(path, f"a name that is not listed may not contain any of {excluded!r}")
        ways: list[Node] = []
        if isinstance(members.names, Mapping):
            for shape in self.schemas.shapes(members.names, f"{path}.{members.named_by}"):
                ways += [dialect.key(each) for each in shape.values if isinstance(each, str)]
                ways += [dialect.key_of(shape.schema, shape.path, self.schemas.notes)] * (shape.kind == "string")
        return alt(*ways) if ways else dialect.other_key([name for name, _, _ in members.members])

    def _array(self, shape: Shape) -> list[Node]:
        first = shape.schema.get("prefixItems")
        items = shape.schema.get("items", True)
        least, most = counts(shape.schema, "Items")
        if isinstance(first, list) and first:
            return self._tuple(first, items, least, most, shape.path)
        if items is NEVER or (items is not True and not self.schemas.shapes(items, f"{shape.path}.items")):
            return [self.dialect.list_brackets[-1]] if least == 0 else []
        inner = self.value(items, f"{shape.path}.items")
        members = Members((), True, least, most)  # as an object has members of which none is listed
        return [members.written([], self.dialect.comma, self.rules, inner, self.dialect.list_brackets)]

    def _tuple(self, first: list[Any], others: Any, least: int, most: int | None, path: str) -> list[Node]:
        before, after, empty = self.dialect.list_brackets
        ways: list[Node] = [empty] if least == 0 else []
        size = len(first) if most is None else min(len(first), most)
        rest: Node = EMPTY
        if others is not NEVER and (most is None or most > size):
            more = seq(self.dialect.comma, self.value(others, f"{path}.items"))
            rest = repeat(more, max(least - size, 0), None if most is None else most - size)
        elif least > size or not size:
            return ways
        for at in reversed(range(1, size)):
            item = seq(self.dialect.comma, self.value(first[at], f"{path}.prefixItems.{at}"), rest)
            rest = item if at < least else opt(item)
        return [*ways, seq(before, self.value(first[0], f"{path}.prefixItems.0"), rest, after)]

    def _number(self, shape: Shape) -> list[Node]:
        schema = shape.schema
        if not are_supported(schema):
            self.schemas.notes.add_unsupported(
                shape.path, "its bounds are too large for a grammar, have too many digits, or are not numbers"
            )
            schema = {}
        found = number(schema, whole=shape.kind == "integer")
        return [] if found is None else [Terminal(found)]
