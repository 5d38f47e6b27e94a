# How the values of a Go template look in Python, and what Go's templates need to know about them: truth, the name of a
# type. Does not depend on how values are printed or compared, or on which types a program has.
#
#   Go                            here
#   nil, no value                 None
#   bool int float64 complex128   bool int float complex (all of Go's integers are `int`)
#   string                        str; bytes that are not UTF-8 (half a character, cut by `slice`) are lone surrogates
#   slice                         list, or a subclass that prints in its own way
#   map[string]T                  dict, or a subclass
#   struct                        `Struct`, of a `StructType`
"""Values of Go templates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "GoError",
    "JsonList",
    "JsonMap",
    "Member",
    "Struct",
    "StructType",
    "Text",
    "byte_length",
    "bytes_of",
    "is_true",
    "text_of",
    "type_name",
    "zero_of",
]


class GoError(Exception):
    """An error that Go's own functions return; the caller knows the place in the template."""


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a struct type.

    Attributes:
        name: its name.
        key: its key in JSON.
        decode: its value, given the one that JSON has under its key; None if it has none.
        omitted: whether JSON leaves it out if it is empty.
        hidden_if_nil: whether it is not printed if it is nil, because Ollama's versions differ in such fields.
    """

    name: str
    key: str
    decode: Callable[[Any], Any] = lambda value: value
    omitted: bool = False
    hidden_if_nil: bool = False


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct type: its name, its fields, whether it prints as JSON, and its methods without arguments."""

    name: str
    members: tuple[Member, ...]
    prints_json: bool = False
    methods: dict[str, Callable[[Struct], Any]] = field(default_factory=dict)


class Struct:
    """A struct: its type and its fields' values by name."""

    __slots__ = ("type", "values")

    def __init__(self, kind: StructType, **values: Any) -> None:
        self.type = kind
        self.values = values


class JsonMap(dict[str, Any]):
    """A map type that prints as JSON. `zero` is the value of a missing key; a nil map is null in JSON and prints {}."""

    zero: Callable[[], Any] | None = None
    nil: bool = False


class JsonList(list[Any]):
    """A slice type that prints as JSON; a nil slice is null in JSON."""

    nil: bool = False


class Text(list[str]):
    """A slice of strings that prints as its only element, and is written as that element in JSON."""


def zero_of(values: dict[str, Any]) -> Any:
    """The value of a missing key: the zero value of the map's elements, or nil if those may be of any type."""
    return values.zero() if isinstance(values, JsonMap) and values.zero else None


def is_true(value: Any) -> bool:
    """Go's truth: not the zero value, not empty; a struct is always true."""
    return True if isinstance(value, Struct) else bool(value)


def type_name(value: Any) -> str:
    """The name of a value's type, as in Go's error messages."""
    if isinstance(value, Struct):
        return value.type.name
    return _NAMES.get(type(value)) or ("map[string]interface {}" if isinstance(value, dict) else "[]interface {}")


_NAMES: dict[type[Any], str] = {
    type(None): "nil",
    bool: "bool",
    int: "int",
    float: "float64",
    complex: "complex128",
    str: "string",
    JsonMap: "template.templateArgs",
    JsonList: "template.templateTools",
    Text: "api.PropertyType",
}


# --- strings are bytes in Go ---------------------------------------------------------------------------------------


def bytes_of(text: str) -> bytes:
    """The bytes of a string."""
    return text.encode("utf-8", "surrogateescape")


def text_of(data: bytes) -> str:
    """The string of these bytes, which may begin or end within a character."""
    return data.decode("utf-8", "surrogateescape")


def byte_length(text: str) -> int:
    """The length of a string, which Go counts in bytes."""
    return len(text) if text.isascii() else len(bytes_of(text))
