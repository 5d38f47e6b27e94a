# Which texts of a parameter are read as values that meet its schema, in formats that write only text. Does not depend
# on formats, or on how a text is read: that is left to scan/coerce.py.
"""Values that are written as text and typed by the schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolglean.formats.write_values import json_text, same
from toolglean.grammar.dialects import JsonDialect, raw_text
from toolglean.grammar.nodes import Lit, Node, Rules
from toolglean.grammar.prose import ALL_SPACES
from toolglean.grammar.regexes import FirstChar
from toolglean.grammar.shapes import Schemas, Shape
from toolglean.grammar.texts import Constraint, matches
from toolglean.grammar.values import Values
from toolglean.scan.coerce import coerce_text, is_text, kinds_of, known
from toolglean.scan.nested import kinds_of_value

__all__ = ["Untyped", "samples_of", "text_of"]

FEW = 64
OF_OTHERS = frozenset({"$ref", "anyOf", "oneOf", "allOf", "const"})
_BEGINNINGS = {
    "object": "{[(",
    "array": "{[(",
    "integer": "+-.0123456789",
    "number": "+-.0123456789",
    "boolean": "tTfF",
}
_SAMPLES: dict[str, tuple[tuple[str, Any], ...]] = {
    "integer": (("7", 7),),
    "number": (("7", 7), ("1.5", 1.5)),
    "boolean": (("true", True), ("false", False)),
    "null": (("null", None),),
    "object": (('{"a": 1}', {"a": 1}),),
    "array": (("[1]", [1]),),
}


def samples_of(shape: Shape) -> list[Any]:
    """Values of that shape: of a literal all that there are, else some of its kind."""
    return (
        list(shape.values) if shape.kind == "literal" else [value for _, value in _SAMPLES.get(shape.kind, (("", ""),))]
    )


def text_of(value: Any) -> str:
    """The text that a format of texts writes for a value."""
    return value if isinstance(value, str) else json_text(value)


class Untyped:
    """The texts that a reader types by the schema.

    Args:
        schemas: the tool's schemas.
        rules: the rules of the grammar; further ones are added to them.
    """

    def __init__(self, schemas: Schemas, rules: Rules) -> None:
        self.schemas, self.rules = schemas, rules
        self.root: Mapping[str, Any] = schemas.root  # in which the reader looks up `$ref`

    def is_read(self, text: str, value: Any, schema: Any) -> bool:
        """Whether the text is read as that value."""
        return same(coerce_text(text, schema if isinstance(schema, Mapping) else None, self.root), value)

    def which_are_read(self, texts: Sequence[tuple[str, Any]], schema: Any) -> list[bool]:
        """The same for many members of one enum. One by one, the reader would check all members for each text."""
        if len(texts) <= FEW or not isinstance(schema, Mapping) or schema.keys() & OF_OTHERS or "enum" not in schema:
            return [self.is_read(text, value, schema) for text, value in texts]
        alike: dict[Any, list[Any]] = {}
        for each in schema["enum"]:
            for key in _keys(text_of(each)):
                alike.setdefault(key, []).append(each)
        words = [each for each in schema["enum"] if each is None or isinstance(each, bool)]
        found = []
        for text, value in texts:
            members = [each for key in _keys(text) for each in alike.get(key, ())]
            found.append(self.is_read(text, value, {**schema, "enum": [*members, *words]}))
        return found

    def is_raw(self, schema: Any, prefix: str, *, top: bool) -> bool:
        """Whether the element's text is ended only by its own closing tag (scan/tree.py)."""
        given = schema if isinstance(schema, Mapping) else None
        return is_text(given, self.root) and not prefix and (known(given, self.root) or top)

    def knows(self, schema: Any, kind: str) -> bool:
        """Whether the reader expects that kind of value."""
        return kind in kinds_of(schema if isinstance(schema, Mapping) else None, self.root)

    def ways(self, schema: Any, shapes: Sequence[Shape], constraints: tuple[Constraint, ...]) -> list[Node]:
        """The ways to write a value of one of these shapes."""
        values = Values(JsonDialect(constraints), self.schemas, self.rules)
        found: list[Node] = []
        seen = [shape for shape in shapes if self._is_seen(shape, schema)]
        for shape in seen:
            if shape.kind == "literal":
                found += self._literals(shape, schema, constraints)
            elif shape.kind == "string":
                found.append(self._string(shape, seen, constraints))
            else:
                found += values.shape(shape)
        return found

    def _is_seen(self, shape: Shape, schema: Any) -> bool:
        # Whether the reader also reads such a value as one of this kind.
        return all(self.is_read(text, value, schema) for text, value in _SAMPLES.get(shape.kind, ()))

    def _literals(self, shape: Shape, schema: Any, constraints: tuple[Constraint, ...]) -> list[Node]:
        texts = [(text_of(each), each) for each in shape.values]
        return [
            Lit(text)
            for (text, _), is_read in zip(texts, self.which_are_read(texts, schema), strict=True)
            if is_read and matches(constraints, text)
        ]

    def _string(self, shape: Shape, shapes: Sequence[Shape], constraints: tuple[Constraint, ...]) -> Node:
        # A text that looks like another allowed kind of value is read as that. If the result may be a value that the
        # schema does not allow, the text must not begin like one.
        beginnings = "".join(dict.fromkeys("".join(map(_risks, shapes))))
        first = (FirstChar(ALL_SPACES + beginnings),) if beginnings else ()
        if first:
            self.schemas.notes.add_narrowed(
                shape.path, f"a string may not begin with white space or one of {beginnings!r}"
            )
        return raw_text(shape.schema, constraints, shape.path, self.schemas.notes, *first)


def _keys(text: str) -> list[Any]:
    # Keys that are equal for texts that a reader could take for the same value.
    try:
        return [text.strip().lower(), float(text)]
    except ValueError:
        return [text.strip().lower()]


def _risks(shape: Shape) -> str:
    if shape.kind == "literal":
        return "".join(_BEGINNINGS.get(kind, "") for each in shape.values for kind in kinds_of_value(each)[:1])
    if shape.kind in {"string", "boolean", "null"}:
        return ""
    return _BEGINNINGS[shape.kind] if shape.schema or shape.kind == "object" else ""
