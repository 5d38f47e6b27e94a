# What this file knows: how a tree at a given time is read as an unfinished model.
# Does not depend on JSON text, events, or validation.
#
# A view is a node, a shape and a time: creating one always costs the same, and reading a field costs only that field.
# Views share the tree, which only grows, and a view never changes.
#
# A view is neither a model nor a dict, nor a subclass of either: it is not accepted where a model is expected, and
# `**view` is a TypeError. Its values have not been validated: they are JSON values as written, and views of containers.
"""Partial views: what is set, what is complete, and what is still being written."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar, overload

from pydantic import BaseModel

from toolglean.llm.errors import UnsetFieldError
from toolglean.llm.objects.shapes import ANY, ModelShape, Path, Shape
from toolglean.llm.objects.tree import List, Node, Object, Scalar, Text

__all__ = ["Partial", "PartialDict", "PartialList"]

M_co = TypeVar("M_co", bound=BaseModel, covariant=True)


SHOWN_DEPTH: Final = 8
"""How many levels of nested views are printed."""


UNSET: Final[Any] = object()
"""What a field has whose value the model has not begun to write."""


class _View:
    """A node at one moment, read by a shape."""

    __slots__ = ("_node", "_shape", "_time")

    def __init__(self, node: Any, shape: Any, time: int) -> None:
        self._node = node
        self._shape = shape
        self._time = time

    @property
    def complete(self) -> bool:
        """Whether all of it has been written. An object may still be invalid."""
        return bool(self._node.whole(self._time))

    def __repr__(self) -> str:
        return self._show(SHOWN_DEPTH)

    def _show(self, depth: int) -> str:
        raise NotImplementedError

    def _listed(self, parts: Iterable[str]) -> str:
        return ", ".join([*parts, *([] if self.complete else ["…"])])


class Partial(_View, Generic[M_co]):
    """An object of the class `M` while a model writes it, at one moment.

    `partial.name`, or `partial["name"]` if a method has that name, is the value of a field: a string as far as it is
    written; a number, true, false or null once it is complete, and so are strings for enums, dates and the like; a
    `Partial` for a nested model; a `PartialList` or `PartialDict` for lists and mappings. A field that the model has
    not begun to write raises `UnsetFieldError`, which is an `AttributeError`; defaults are not filled in. Fields have
    the names of the class, even if JSON uses aliases.

    Values are as they were written: they are validated only at the end, when `StreamingObjectProcessor.finish` returns
    a real `M`. A view never changes, and later views only add to it: a complete field keeps its value, unless the model
    writes its key again (the last value is used, and a `Problem` reports it).

    Made by `StreamingObjectProcessor` and the stream calls.
    """

    __slots__ = ()

    # -- the fields ----------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # special methods, which copy and pickle look up
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        value = self._value(name)
        if value is UNSET:
            title = self._title
            raise UnsetFieldError(f"{title} has no {name} yet", name=name, model_name=title)
        return value

    def is_set(self, name: str) -> bool:
        """Whether the field `name` has a value, partial or complete."""
        return self._value(name) is not UNSET

    def is_complete(self, name: str) -> bool:
        """Whether the value of the field `name` is complete: it will not change."""
        node, _ = self._find(name)
        return node is not None and node.whole(self._time)

    @property
    def set_fields(self) -> tuple[str, ...]:
        """The fields with a value, in the order of the class."""
        return tuple(name for name in self._names() if self.is_set(name))

    @property
    def complete_fields(self) -> tuple[str, ...]:
        """The fields whose value is complete, in the order of the class."""
        return tuple(name for name in self._names() if self.is_complete(name))

    @property
    def writing(self) -> str | None:
        """The field that is being written, or None. It may have no value yet, as with half a number."""
        for name in self._names():
            node, _ = self._find(name)
            if node is not None and not node.whole(self._time):
                return name
        return None

    @property
    def model_class(self) -> type[M_co] | None:
        """The class; None in a union as long as it is undecided which member this is."""
        return self._shape.model if isinstance(self._shape, ModelShape) else None  # type: ignore[return-value]

    def to_dict(self) -> dict[str, Any]:
        """The fields that are set, by name, as plain JSON values, for display or logs."""
        return {name: _plain(self._value(name)) for name in self.set_fields}

    def _show(self, depth: int) -> str:
        parts = [f"{name}={_shown(self._value(name), self.is_complete(name), depth)}" for name in self.set_fields]
        return f"Partial[{self._title}]({self._listed(parts)})"

    # -- finding values ------------------------------------------------------------------------------------------------

    @property
    def _title(self) -> str:
        return self._shape.model.__name__ if isinstance(self._shape, ModelShape) else "BaseModel"

    def _names(self) -> Iterable[str]:
        shape = self._shape
        if not isinstance(shape, ModelShape):
            return list(_keys(self._node, self._time))
        if shape.model.model_config.get("extra") != "allow":
            return shape.paths
        return [*shape.paths, *(key for key in _keys(self._node, self._time) if key not in shape.keys)]

    def _value(self, name: str) -> Any:
        node, shape = self._find(name)
        return UNSET if node is None else view(node, shape, self._time)

    def _find(self, name: str) -> tuple[Node | None, Shape]:
        shape = self._shape
        if isinstance(shape, ModelShape) and name in shape.paths:
            found = (_walk(self._node, path, self._time) for path in shape.paths[name])
            return next((node for node in found if node is not None), None), shape.field(name)
        if isinstance(shape, ModelShape) and shape.model.model_config.get("extra") != "allow":
            raise AttributeError(f"{self._title} has no field {name!r}", name=name, obj=self)
        return self._node.at(name, self._time), ANY


class PartialList(_View, Sequence[Any]):
    """A list while a model writes it, at one moment: the items so far, as in `Partial`. Made by `Partial`."""

    __slots__ = ()

    def __len__(self) -> int:
        count = bisect_right(self._node.items, self._time, key=lambda node: node.born)
        # Only the last item can be without a value.
        return count - (count > 0 and self._item(count - 1) is UNSET)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._item(each) for each in range(len(self))[index]]
        return self._item(range(len(self))[index])

    def __iter__(self) -> Iterator[Any]:
        return map(self._item, range(len(self)))

    def _item(self, index: int) -> Any:
        return view(self._node.items[index], self._shape.item(index), self._time)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and not isinstance(other, str) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as a list

    def _show(self, depth: int) -> str:
        nodes = self._node.items
        parts = [_shown(self._item(at), nodes[at].whole(self._time), depth) for at in range(len(self))]
        return f"[{self._listed(parts)}]"


class PartialDict(_View, Mapping[str, Any]):
    """A mapping while a model writes it, at one moment: the values so far, as in `Partial`. Made by `Partial`."""

    __slots__ = ()

    def __getitem__(self, key: str) -> Any:
        node = self._node.at(key, self._time)
        value = UNSET if node is None else view(node, self._shape, self._time)
        if value is UNSET:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[str]:
        return (key for key in _keys(self._node, self._time) if key in self)

    def __len__(self) -> int:
        # Only the newest value can be unset.
        values = self._node.values
        begun = bisect_right(values, self._time, key=lambda node: node.born)
        unset = begun > 0 and view(values[begun - 1], self._shape, self._time) is UNSET
        return bisect_right(self._node.births, self._time) - unset

    def _show(self, depth: int) -> str:
        nodes = self._node.items
        parts = [f"{key!r}: {_shown(value, nodes[key].whole(self._time), depth)}" for key, value in self.items()]
        return f"{{{self._listed(parts)}}}"


def view(node: Node, shape: Shape, time: int) -> Any:
    """The value of the node at that time; `UNSET` if it has none yet."""
    if isinstance(node, Text):
        return node.text(time) if shape.grows or node.whole(time) else UNSET
    if isinstance(node, Scalar):
        return node.value if node.whole(time) else UNSET
    if isinstance(node, List):
        return PartialList(node, shape, time)
    assert isinstance(node, Object)
    if not shape.models:
        return PartialDict(node, shape.values, time)
    return Partial(node, _narrowed(node, shape, time), time)


def _narrowed(node: Object, shape: Shape, time: int) -> Shape:
    left = list(shape.models)
    for key in shape.discriminator:
        tag = node.at(key, time)
        if isinstance(tag, Text | Scalar) and tag.whole(time):
            value = tag.text(time) if isinstance(tag, Text) else tag.value
            left = [model for model in left if value in model.tags(key)] or left
    if len(left) > 1:
        keys = list(_keys(node, time))
        left = [model for model in left if model.fits(keys)] or left
    return left[0] if len(left) == 1 else ANY


def _keys(node: Object, time: int) -> Iterator[str]:
    # Keys are in the order in which they were first written.
    for key in node.items:
        if node.at(key, time) is None:
            return
        yield key


def _walk(node: Node | None, path: Path, time: int) -> Node | None:
    for step in path:
        if isinstance(node, Object) and isinstance(step, str):
            node = node.at(step, time)
        elif isinstance(node, List) and isinstance(step, int):
            node = _item(node, step, time)
        else:
            return None
    return node


def _item(node: List, index: int, time: int) -> Node | None:
    count = len(node.items)
    if index < 0 and not node.whole(time):  # the last item is not known yet
        return None
    found = node.items[index] if -count <= index < count else None
    return found if found is not None and found.born <= time else None


def _plain(value: Any) -> Any:
    if isinstance(value, Partial):
        return value.to_dict()
    if isinstance(value, PartialList):
        return [_plain(each) for each in value]
    return {key: _plain(each) for key, each in value.items()} if isinstance(value, PartialDict) else value


def _shown(value: Any, whole: bool, depth: int) -> str:  # noqa: FBT001
    if isinstance(value, Partial | PartialList | PartialDict):
        return value._show(depth - 1) if depth else "…"
    return repr(value) + ("…" if isinstance(value, str) and not whole else "")
