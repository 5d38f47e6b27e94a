# How the arguments of one tool are written in a format: as JSON, keywords, quoted values, elements, or parameters whose
# values are text. Does not depend on the text around the arguments of a call (turns.py).
#
# Where values are text, the reader uses the schema to decide what a text means (scan/coerce.py). So a text is allowed
# only if the value that the reader makes of it meets the schema. A text that the schema calls a string, but the reader
# would read as a number, is left out.
"""The arguments of one tool."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolglean.errors import UsageError
from toolglean.formats.parameters import ending_of, rest_of_closer
from toolglean.formats.spec import Format, Quoted, Slot, Token, Tree, literals_in, tokens_of
from toolglean.formats.write_values import json_text, type_word
from toolglean.grammar.dialects import (
    Dialect,
    JsonDialect,
    KeywordsDialect,
    PythonDialect,
    QuotedDialect,
    plain_key,
    raw_text,
)
from toolglean.grammar.members import Members
from toolglean.grammar.merge import NEVER
from toolglean.grammar.nodes import EMPTY, Lit, Node, Rules, Terminal, alt, between, opt, repeat, seq
from toolglean.grammar.shapes import Schemas, Shape, counts
from toolglean.grammar.texts import Avoid, Constraint, matches
from toolglean.grammar.untyped import Untyped, samples_of, text_of
from toolglean.grammar.values import Values
from toolglean.scan.coerce import properties

__all__ = ["Arguments"]


class Arguments:
    """The arguments of one tool in one format.

    Args:
        declared: the format.
        schemas: the tool's schemas.
        rules: the rules of the grammar; further ones are added to them.
        path: the path of the parameters, for messages.
        constraints: constraints on the text of every value.
    """

    def __init__(
        self, declared: Format, schemas: Schemas, rules: Rules, path: str, constraints: tuple[Constraint, ...]
    ) -> None:
        self.format, self.schemas, self.rules, self.path, self.constraints = declared, schemas, rules, path, constraints
        self.root: Mapping[str, Any] = schemas.root
        self.untyped = Untyped(schemas, rules)

    def _objects(self) -> list[tuple[Shape, Members]]:
        says_what = self.root.keys() & {"type", "$ref", "anyOf", "oneOf", "allOf"}
        whole = self.root if says_what else {**self.root, "type": "object"}
        shapes = [each for each in self.schemas.shapes(whole, self.path) if each.kind == "object"]
        found = [(shape, members) for shape in shapes if (members := self.schemas.members(shape)) is not None]
        if not found:
            raise UsageError(
                f"{self.path}: no object satisfies this schema, but arguments are always an object: correct the schema"
            )
        return found

    def _one(self) -> Members:
        # Where values are text, the reader knows only the parameters in the schema's own `properties`.
        found = self._objects()
        known = properties(self.root)
        whole = found[0][1]
        unseen = [name for name, _, _ in whole.members if name not in known]
        if len(found) > 1 or unseen:
            why = f"{unseen[0]!r} is not one of its `properties`" if unseen else "the schema allows several objects"
            raise UsageError(
                f"{self.path}: {why}, but the format {self.format.name!r} writes values as text, which is typed by the "
                "schema's own `properties`: list all parameters there, or use a format with JSON arguments"
            )
        return whole

    def _plainly_named(self, members: Members, path: str) -> Members:
        # The members, whose names are not restricted further: the format has keys of letters and digits.
        if members.names is not True and members.others is not NEVER:
            self.schemas.notes.add_unsupported(
                f"{path}.{members.named_by}", f"the format {self.format.name!r} allows only names of letters and digits"
            )
        return replace(members, names=True)

    def _uncounted(self, members: Members) -> Members:
        return self.schemas.uncounted(members, self.path, f"the format {self.format.name!r} does not count parameters")

    # -- JSON and Python -----------------------------------------------------------------------------------------------

    def nested(self, dialect: Dialect) -> Node:
        """The arguments as an object of JSON, or of another dialect that nests."""
        values = Values(dialect, self.schemas, self.rules)
        return self.rules.named(alt(*(values.object(members, shape.path) for shape, members in self._objects())))

    def keywords(self) -> Node:
        """Python keyword arguments, and the parenthesis after them."""
        values = Values(PythonDialect(), self.schemas, self.rules)
        ways: list[Node] = []
        for shape, members in self._objects():
            plain = tuple(each for each in members.members if _is_keyword(each[0]))
            if all(_is_keyword(name) or not needed for name, _, needed in members.members):
                keywords = self._plainly_named(replace(members, members=plain), shape.path)
                ways.append(values.object(keywords, shape.path, keys=KeywordsDialect()))
            if len(plain) < len(members.members):
                ways.append(seq(values.object(members, shape.path), Lit(")")))
        return self.rules.named(alt(*ways))

    def quoted(self, codec: Quoted) -> Node:
        """An object with bare keys, and strings between markers."""
        members = self._plainly_named(self._one(), self.path)
        values = Values(QuotedDialect(codec), self.schemas, self.rules)

        def value(name: str, schema: Any, path: str) -> Node:
            return self._ways([values.anything()] if schema is True else self._quoted(name, codec, values, path), name)

        if codec.all and members.others is not NEVER:
            members = replace(members, others={"type": "string"})
        return self.rules.named(values.object(members, self.path, value=value))

    def _quoted(self, name: str, codec: Quoted, values: Values, path: str) -> list[Node]:
        schema, quote = properties(self.root)[name], codec.quote
        shapes = self.schemas.shapes(schema, path)
        if codec.all:
            flat = [shape for shape in shapes if shape.kind not in {"array", "object"}]
            ways = [between(quote, way, quote) for way in self.untyped.ways(schema, flat, (Avoid((quote,)),))]
            return ways + [way for shape in shapes if shape not in flat for way in values.shape(shape)]
        ways = []
        for shape in shapes:
            bare = [(json_text(each), each) for each in samples_of(shape) if not isinstance(each, str)]
            if shape.kind in {"string", "array", "object"} or all(self.untyped.which_are_read(bare, schema)):
                ways += values.shape(shape)
        return ways

    def _ways(self, ways: Sequence[Node], name: str) -> Node:
        if not ways:
            raise UsageError(
                f"{self.path}.properties.{name}: the format {self.format.name!r} cannot write any text that is read "
                "back as such a value: use a plain type for the parameter"
            )
        return alt(*ways)

    # -- elements ------------------------------------------------------------------------------------------------------

    def elements(self, codec: Tree) -> Node:
        """An element for each argument."""
        members = self._uncounted(self._one())
        found = []
        for name, _, needed in members.members:
            inside = self._element(
                name, properties(self.root)[name], codec.prefix, f"{self.path}.properties.{name}", top=True
            )
            found.append(inside if needed else opt(inside))
        return seq(*found)

    def _element(self, name: str, schema: Any, prefix: str, path: str, *, top: bool) -> Node:
        key = ("element", prefix, name, top, id(self.schemas), json.dumps(schema, sort_keys=True, default=str))
        return self.rules.ref(key, lambda: self._element_of(name, schema, prefix, path, top=top))

    def _element_of(self, name: str, schema: Any, prefix: str, path: str, *, top: bool) -> Node:
        opener, closer = f"{prefix}<{name}>", f"{prefix}</{name}>"
        shapes = self.schemas.shapes({} if schema is True else schema, path)
        flat = [each for each in shapes if each.kind not in {"array", "object"}]
        raw = self.untyped.is_raw(schema, prefix, top=top)
        constraints = (Avoid((closer if raw else f"{prefix}<",)), *self.constraints)
        ways = [between("", way, closer) for way in self.untyped.ways(schema, flat, constraints)]
        alone = not flat and len(shapes) == 1
        for shape in shapes:
            if shape.kind in {"array", "object"} and self.untyped.knows(schema, shape.kind):
                inside = self._children(shape, prefix, constraints, alone=alone)
                ways += [seq(alt(*inside), Lit(closer))] if inside else []
        return seq(Lit(opener), self._ways(ways, name))

    def _children(self, shape: Shape, prefix: str, constraints: tuple[Constraint, ...], *, alone: bool) -> list[Node]:
        if shape.kind == "array":
            return self._items(shape, prefix, alone=alone)
        members = self.schemas.members(shape)
        if members is None:
            return []
        if not members.members:
            values = Values(JsonDialect(constraints), self.schemas, self.rules)
            self.schemas.notes.add_narrowed(
                shape.path, "an object with arbitrary members is written as JSON, not as elements"
            )
            return [] if members.others is NEVER else [values.object(members, shape.path)]
        found: list[Node] = []
        inside = [
            (needed, self._element(name, schema, prefix, f"{shape.path}.properties.{name}", top=False))
            for name, schema, needed in members.members
        ]
        some, may_be_empty = members.arranged(inside, EMPTY, self.rules, None)
        found += [some] if some is not None else []
        return [*found, EMPTY] if may_be_empty and alone else found

    def _items(self, shape: Shape, prefix: str, *, alone: bool) -> list[Node]:
        schema = shape.schema.get("items", True)
        least, most = counts(shape.schema, "Items")
        if shape.schema.get("prefixItems"):
            self.schemas.notes.add_unsupported(
                f"{shape.path}.prefixItems", "in this format, all items of a list have the same schema"
            )
        empty: list[Node] = [EMPTY] if least == 0 and alone else []
        if schema is NEVER or most == 0:
            return empty
        item = self._element("item", schema, prefix, f"{shape.path}.items", top=False)
        return [*empty, repeat(item, max(least, 1), most)]

    # -- parameters ----------------------------------------------------------------------------------------------------

    def parameters(self) -> Node:
        """The parameters, each in the format's first pattern that determines its value."""
        members = self._uncounted(self._plainly_named(self._one(), self.path))
        found = []
        for name, schema, needed in members.members:
            known = {} if schema is True else schema
            shapes = self.schemas.shapes(known, f"{self.path}.properties.{name}")
            ways = self._ways(self._parameter(Lit(self.format.escaped(name)), known, shapes), name)
            found.append((needed, self.rules.named(ways)))
        written: list[Node] = []
        if members.others is not NEVER:
            key = Terminal(plain_key(name for name, _, _ in members.members))
            shapes = self.schemas.shapes(members.others, f"{self.path}.additionalProperties")
            written = self._parameter(key, None, shapes)
        if self.format.parameter_separator:
            more, separator = alt(*written) if written else None, Lit(self.format.parameter_separator)
            return members.written(found, separator, self.rules, more, (EMPTY,) * 3)
        return seq(
            *(each if needed else opt(each) for needed, each in found), *([repeat(alt(*written))] if written else [])
        )

    def _parameter(self, key: Node, schema: Any, shapes: Sequence[Shape]) -> list[Node]:
        # `render` uses the first pattern that can express a value: if the text alone does not determine the value, that
        # is a pattern that also contains the type. `schema`: None for a parameter that the reader does not know.
        first, *more = self.format.parameters
        ways = self._written(first, key, schema, shapes)
        if self.format.types and "{type}" not in first and (schema is None or len(shapes) > 1):
            for pattern in [each for each in more if "{type}" in each][:1]:
                ways += self._written(pattern, key, schema, shapes)
        return ways

    def _written(self, pattern: str, key: Node, schema: Any, shapes: Sequence[Shape]) -> list[Node]:
        # The ways to write the parameter with that pattern.
        tokens, ending = tokens_of(pattern), ending_of(self.format, pattern)
        is_json = Slot("json") in tokens
        at = tokens.index(Slot("json") if is_json else Slot("value"))
        tail = "".join("" if isinstance(each, Slot) else each.text for each in tokens[at + 1 :])
        if is_json:
            values = Values(JsonDialect(), self.schemas, self.rules)
            here = _head(tokens[:at], key, "")
            return [seq(here, each, Lit(tail)) for shape in shapes for each in values.shape(shape)]
        if ending is not None and ending.open:
            raise UsageError(
                f"format {self.format.name!r}: a grammar cannot say where {{value}} ends in {pattern!r}: end the "
                "pattern with a marker or a line break, or write the value as {json}"
            )
        closer = next(iter(literals_in(tokens[at + 1 :])), "\n")
        if ending is not None and ending.is_keyed:
            if not isinstance(key, Lit):
                self.schemas.notes.add_unsupported(
                    self.path, f"in the format {self.format.name!r}, only declared parameters can be written"
                )
                return []
            closer, tail = ending.of(key.text), ending.trail + ending.of(key.text)
        half = rest_of_closer(closer) if closer[0] == "<" else closer  # readers take it for the closer, broken
        constraints = (Avoid((half or closer, *self._rivals(tokens[:at]))), *self.constraints)
        if Slot("type") in tokens:
            return self._typed(tokens[:at], key, shapes, tail, constraints)
        if schema is None:  # its value is text, whatever it looks like
            shapes = [each for each in shapes if each.kind == "string"]
        ways = [between("", way, tail) for way in self.untyped.ways(schema or {}, shapes, constraints)]
        return [seq(_head(tokens[:at], key, ""), alt(*ways))] if ways else []

    def _rivals(self, head: Sequence[Token]) -> list[str]:
        # The text before the value in other patterns that begin like this one: readers prefer a marker to a value.
        found = []
        for pattern in self.format.parameters[1:]:
            tokens = tokens_of(pattern)
            if Slot("value") not in tokens:
                continue
            before = tokens[: tokens.index(Slot("value"))]
            last, other = ("".join(literals_in(each)[-1:]) for each in (head, before))
            if len(before) == len(head) and other.startswith(last) and other != last:
                found.append(other[len(last) :])
        return found

    def _typed(
        self, head: Sequence[Token], key: Node, shapes: Sequence[Shape], tail: str, constraints: tuple[Constraint, ...]
    ) -> list[Node]:
        # The format writes the type, and a value that is not a string is JSON.
        values = Values(JsonDialect(constraints), self.schemas, self.rules)
        ways: list[Node] = []
        for shape in shapes:
            by_word: dict[str, list[Any]] = {}
            for each in samples_of(shape):
                by_word.setdefault(type_word(each, self.format.types), []).append(each)
            for word, samples in by_word.items():
                if shape.kind == "string":
                    found = [raw_text(shape.schema, constraints, shape.path, self.schemas.notes)]
                elif shape.kind == "literal":
                    found = [Lit(text) for text in map(text_of, samples) if matches(constraints, text)]
                else:
                    found = values.shape(shape)
                ways += [seq(_head(head, key, word), between("", way, tail)) for way in found]
        return ways


def _head(tokens: Sequence[Token], key: Node, word: str) -> Node:
    slots = {"key": key, "type": Lit(word)}
    return seq(*(slots[each.name] if isinstance(each, Slot) else Lit(each.text) for each in tokens))


def _is_keyword(name: str) -> bool:
    import keyword  # noqa: PLC0415  # only for formats that write Python

    plain = name.isascii() and name.replace(".", "_").replace("-", "_").isidentifier()
    return plain and len(name) <= 256 and not keyword.iskeyword(name)
