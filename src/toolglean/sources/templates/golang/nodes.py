# The tree of a Go template. Does not depend on how the tree is read from text, or run.
#
# White space that a trim marker removes is already gone from `Text`; comments leave no node. Walk the tree with `walk`
# or a list of your own instead of a recursive function: a template may be nested MAX_DEPTH levels deep, which is deeper
# than Python's call stack.
"""The nodes of a parsed Go template, and `Template`, which contains them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "MAX_DEPTH",
    "Action",
    "Argument",
    "Branching",
    "Chain",
    "Command",
    "Dot",
    "Field",
    "Function",
    "If",
    "Jump",
    "Literal",
    "Node",
    "Pipe",
    "Range",
    "Template",
    "TemplateCall",
    "Text",
    "Variable",
    "With",
    "walk",
]

MAX_DEPTH = 1_000
"""How deep a template may nest blocks and parentheses; more is a `TemplateError`."""


@dataclass(slots=True)
class _Placed:
    """A node. `pos`: its offset in the source, so that errors can show the place."""

    pos: int


# --- parts of a pipeline -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Dot(_Placed):
    """`.`: the current value of the block."""


@dataclass(slots=True)
class Literal(_Placed):
    """`nil`, `true` or `false`, a number, a character constant (its code point), or a string; `text`: as written."""

    text: str
    value: bool | int | float | complex | str | None


@dataclass(slots=True)
class Field(_Placed):
    """`.A.B`: names ("A", "B") below dot."""

    names: tuple[str, ...]


@dataclass(slots=True)
class Variable(_Placed):
    """`$x.A.B`: the variable's name with its dollar sign ("$x", or "$" alone) and the names below it."""

    name: str
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class Function(_Placed):
    """The name of a function: the first argument of a command calls it."""

    name: str


@dataclass(slots=True)
class Chain(_Placed):
    """`(pipeline).A.B`: names below a value that is neither a field nor a variable."""

    base: Argument
    names: tuple[str, ...]


@dataclass(slots=True)
class Command(_Placed):
    """One stage of a pipeline: a value, or a function and its arguments."""

    args: list[Argument]


@dataclass(slots=True)
class Pipe(_Placed):
    """A pipeline: `$a, $b := first | second`.

    Attributes:
        variables: names that it declares, or assigns, with their dollar signs; two only in a range.
        assigns: the variables exist already (`=`, not `:=`).
        commands: its stages, in the order in which they run.
    """

    variables: list[str] = field(default_factory=list)
    assigns: bool = False
    commands: list[Command] = field(default_factory=list)


Argument: TypeAlias = Dot | Literal | Field | Variable | Function | Chain | Pipe


# --- parts of a template -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Text(_Placed):
    """Text outside actions, trimmed as the neighbouring actions require. Never empty."""

    text: str


@dataclass(slots=True)
class Action(_Placed):
    """`{{pipeline}}`: prints its value, unless it declares or assigns."""

    pipe: Pipe


@dataclass(slots=True)
class Branching(_Placed):
    """An action with two bodies."""

    pipe: Pipe
    body: list[Node] = field(default_factory=list)
    otherwise: list[Node] | None = None


class If(Branching):
    """`{{if pipe}} body {{else}} otherwise {{end}}`; an `{{else if}}` is an `If` alone in `otherwise`."""

    __slots__ = ()


class Range(Branching):
    """`{{range pipe}} body {{else}} otherwise {{end}}`."""

    __slots__ = ()


class With(Branching):
    """`{{with pipe}} body {{else}} otherwise {{end}}`; an `{{else with}}` is a `With` alone in `otherwise`."""

    __slots__ = ()


@dataclass(slots=True)
class TemplateCall(_Placed):
    """`{{template "name" pipe}}`; a `{{block}}` leaves one in its place, too."""

    name: str
    pipe: Pipe | None


@dataclass(slots=True)
class Jump(_Placed):
    """`{{break}}` or `{{continue}}`, by its `word`, which occurs only within a range."""

    word: str


Node: TypeAlias = Text | Action | If | Range | With | TemplateCall | Jump


@dataclass(slots=True)
class Template:
    """A parsed template.

    Attributes:
        source: its text, to which all `pos` refer.
        trees: the nodes of each template by name: its own, "", and those of `{{define}}` and `{{block}}`.
    """

    source: str
    trees: dict[str, list[Node]]

    @property
    def root(self) -> list[Node]:
        """The nodes of the template itself."""
        return self.trees[""]


def walk(nodes: list[Node]) -> Iterator[Node]:
    """All nodes in the order of the text, including those in blocks."""
    left = [iter(nodes)]
    while left:
        node = next(left[-1], None)
        if node is None:
            left.pop()
            continue
        yield node
        if isinstance(node, Branching):
            left += [iter(node.otherwise or []), iter(node.body)]
