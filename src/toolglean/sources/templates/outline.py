# What a template writes, in order, as far as that is known without running it. Does not depend on the language of the
# template, or on how a tag is chosen.
"""The outline of what a template writes: texts, placeholders, and choices between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

__all__ = [
    "AroundCall",
    "Calls",
    "Choice",
    "Item",
    "Outline",
    "Placeholder",
    "around_call",
    "has_call",
    "literals",
    "size",
]


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A value that is known only when the template runs. `call`: whether it is made from a tool call."""

    call: bool


@dataclass(slots=True, eq=False)
class Choice:
    """One of several branches; an empty branch means that nothing may be written.

    `call` and `size` are computed once: outlines share their parts, and may be far larger than the parts themselves.
    """

    branches: tuple[Outline, ...]
    call: bool = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.call = any(has_call(each) for branch in self.branches for each in branch)
        self.size = 1 + sum(size(branch) for branch in self.branches)


@dataclass(slots=True, eq=False)
class Calls:
    """What is written for each of the calls. `call` and `size`: as in a `Choice`."""

    body: Outline
    call: bool = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.call = any(map(has_call, self.body))
        self.size = 1 + size(self.body)


Item: TypeAlias = str | Placeholder | Choice | Calls
Outline: TypeAlias = tuple[Item, ...]


def literals(outline: Outline) -> list[str]:
    """All texts of an outline, in order, in whichever branch they are."""
    found: list[str] = []
    pending: list[Item] = list(reversed(outline))
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, Calls):
            pending.extend(reversed(item.body))
        elif isinstance(item, Choice):
            pending.extend(each for branch in reversed(item.branches) for each in reversed(branch))
    return found


def has_call(item: Item) -> bool:
    """Whether the item may write a value that is made from a tool call."""
    return not isinstance(item, str) and item.call


def size(outline: Outline) -> int:
    """How many items an outline has, nested ones included."""
    return sum(item.size if isinstance(item, Choice | Calls) else 1 for item in outline)


# --- the first call ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AroundCall:
    """The texts around the first call, up to anything unknown.

    Attributes:
        before: the text before the first value of the call.
        after_call: the text after the last value of the call.
        after_calls: the text after everything that is written for the calls; "" if the calls are not a loop.
    """

    before: str
    after_call: str
    after_calls: str


class _Mark(Enum):
    CALL = auto()  # a value of the call
    GAP = auto()  # something unknown that is not part of it
    LOOP = auto()  # the beginning of what is written for each call
    END = auto()  # the end of it


_Path: TypeAlias = list[str | _Mark]


def around_call(outline: Outline) -> AroundCall | None:
    """What is written around the first call; None if no call is written."""
    path = _path_through(outline)
    if _Mark.CALL not in path:
        return None
    first = path.index(_Mark.CALL)
    before = "".join(reversed(list(_texts(reversed(path[:first])))))
    opened = [mark for mark in path[:first] if mark in {_Mark.LOOP, _Mark.END}]
    if not opened or opened[-1] is _Mark.END:
        return AroundCall(before, "".join(_texts(path[first + 1 :])), "")
    end = path.index(_Mark.END, first)
    last = max(at for at in range(first, end) if path[at] is _Mark.CALL)
    return AroundCall(before, "".join(_texts(path[last + 1 : end])), "".join(_texts(path[end + 1 :])))


def _texts(items: Iterable[str | _Mark]) -> Iterable[str]:
    for item in items:
        if item in {_Mark.CALL, _Mark.GAP}:
            return
        if isinstance(item, str):
            yield item


def _path_through(outline: Outline) -> _Path:
    """One path through an outline: of a choice, the first branch with a call, or else a gap."""
    path: _Path = []
    for item in outline:
        if isinstance(item, str):
            path.append(item)
        elif isinstance(item, Placeholder):
            path.append(_Mark.CALL if item.call else _Mark.GAP)
        elif isinstance(item, Calls):
            path += [_Mark.LOOP, *_path_through(item.body), _Mark.END]
        else:
            branch = next((each for each in item.branches if any(map(has_call, each))), None)
            if branch is not None:
                path += _path_through(branch)
            elif not _is_blank(item):
                path.append(_Mark.GAP)
    return path


def _is_blank(choice: Choice) -> bool:
    """Whether every branch writes only white space."""
    return all(
        (isinstance(item, str) and not item.strip()) or (isinstance(item, Choice) and _is_blank(item))
        for branch in choice.branches
        for item in branch
    )
