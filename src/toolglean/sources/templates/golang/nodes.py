# The tree of a Go template. Does not depend on how the tree is read from text, or run.
#
# Every node has `pos`, its offset in the source, so that errors can show the place. White space that a trim marker
# removes is already gone from `Text`; comments leave no node. Walk the tree with a list of your own instead of a
# recursive function: a template may be nested MAX_DEPTH levels deep, which is deeper than Python's call stack.
"""The nodes of a parsed Go template, and `Template`, which contains them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "MAX_DEPTH",
    "Action",
    "Argument",
    "Bool",
    "Break",
    "Chain",
    "Command",
    "Continue",
    "Dot",
    "Field",
    "Function",
    "If",
    "Nil",
    "Node",
    "Number",
    "Pipe",
    "Range",
    "String",
    "Template",
    "TemplateCall",
    "Text",
    "Variable",
    "With",
]

MAX_DEPTH = 1_000
"""How deep a template may nest blocks and parentheses; more is a `TemplateError`."""


# --- parts of a pipeline -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Dot:
    """`.`: the current value of the block."""

    pos: int


@dataclass(slots=True)
class Nil:
    """`nil`."""

    pos: int


@dataclass(slots=True)
class Bool:
    """`true` or `false`."""

    pos: int
    value: bool


@dataclass(slots=True)
class Number:
    """A number, or a character constant (its code point). `text` is the literal as written."""

    pos: int
    text: str
    value: int | float | complex


@dataclass(slots=True)
class String:
    """A quoted or raw string: `text` with its quotes, `value` without."""

    pos: int
    text: str
    value: str


@dataclass(slots=True)
class Field:
    """`.A.B`: names ("A", "B") below dot."""

    pos: int
    names: tuple[str, ...]


@dataclass(slots=True)
class Variable:
    """`$x.A.B`: the variable's name with its dollar sign ("$x", or "$" alone) and the names below it."""

    pos: int
    name: str
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class Function:
    """The name of a function: the first argument of a command calls it."""

    pos: int
    name: str


@dataclass(slots=True)
class Chain:
    """`(pipeline).A.B`: names below a value that is neither a field nor a variable."""

    pos: int
    base: Argument
    names: tuple[str, ...]


@dataclass(slots=True)
class Command:
    """One stage of a pipeline: a value, or a function and its arguments."""

    pos: int
    args: list[Argument]


@dataclass(slots=True)
class Pipe:
    """A pipeline: `$a, $b := first | second`.

    Attributes:
        pos: where it begins.
        variables: names that it declares, or assigns, with their dollar signs; two only in a range.
        assigns: the variables exist already (`=`, not `:=`).
        commands: its stages, in the order in which they run.
    """

    pos: int
    variables: list[str] = field(default_factory=list)
    assigns: bool = False
    commands: list[Command] = field(default_factory=list)


Argument: TypeAlias = Dot | Nil | Bool | Number | String | Field | Variable | Function | Chain | Pipe


# --- parts of a template -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Text:
    """Text outside actions, trimmed as the neighbouring actions require. Never empty."""

    pos: int
    text: str


@dataclass(slots=True)
class Action:
    """`{{pipeline}}`: prints its value, unless it declares or assigns."""

    pos: int
    pipe: Pipe


@dataclass(slots=True)
class _Branching:
    """An action with two bodies."""

    pos: int
    pipe: Pipe
    body: list[Node] = field(default_factory=list)
    otherwise: list[Node] | None = None


class If(_Branching):
    """`{{if pipe}} body {{else}} otherwise {{end}}`; an `{{else if}}` is an `If` alone in `otherwise`."""

    __slots__ = ()


class Range(_Branching):
    """`{{range pipe}} body {{else}} otherwise {{end}}`."""

    __slots__ = ()


class With(_Branching):
    """`{{with pipe}} body {{else}} otherwise {{end}}`; an `{{else with}}` is a `With` alone in `otherwise`."""

    __slots__ = ()


@dataclass(slots=True)
class TemplateCall:
    """`{{template "name" pipe}}`; a `{{block}}` leaves one in its place, too."""

    pos: int
    name: str
    pipe: Pipe | None


@dataclass(slots=True)
class Break:
    """`{{break}}`, which occurs only within a range."""

    pos: int


@dataclass(slots=True)
class Continue:
    """`{{continue}}`, which occurs only within a range."""

    pos: int


Node: TypeAlias = Text | Action | If | Range | With | TemplateCall | Break | Continue


@dataclass(slots=True)
class Template:
    """A parsed template.

    Attributes:
        source: its text, to which all `pos` refer.
        name: its own name; Ollama uses "".
        trees: the nodes of each template by name: its own, and those of `{{define}}` and `{{block}}`.
    """

    source: str
    name: str
    trees: dict[str, list[Node]]

    @property
    def root(self) -> list[Node]:
        """The nodes of the template itself."""
        return self.trees[self.name]
