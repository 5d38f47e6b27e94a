# What this file knows: which kind of view the annotation of a field asks for.
# What it must not know: JSON text, and how views are read.
#
#   the class says                        a string grows      an object is             a list is
#   str, Any, nothing known               yes                 a mapping                a sequence
#   enum, Literal, date, number, …        no: whole, or unset a mapping                a sequence
#   a model                               no                  a Partial of it          a sequence
#   dict[str, X]                          no                  a mapping of X           a sequence
#   list[X], set[X], tuple[X, Y], …       no                  a mapping                a sequence of X (or X, Y)
#   a union                               if one of them does the model that fits      of the first that is a list
#
# Which model of a union an object is: the one whose discriminator is written; else the one left whose fields include
# all keys so far. While several are left, it is a view without a class, read by the keys as written.
"""Shapes: what a class says of the values in an object that is being written."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, ForwardRef, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

from pydantic import AliasChoices, AliasPath, BaseModel, RootModel
from pydantic.fields import FieldInfo

__all__ = ["ANY", "LEAF", "ModelShape", "Path", "Shape", "Shapes"]

Path: TypeAlias = tuple[str | int, ...]

_SEQUENCES = (list, set, frozenset, tuple, Sequence, AbstractSet, Iterable)
_MAPPINGS = (dict, Mapping)
_TEXTS = (Any, object, str)  # compared by identity: not every annotation has a hash


class Shape:
    """What is known of a value.

    Attributes:
        grows: whether a half-written string is shown.
        models: the models that an object may be.
        discriminator: the JSON keys under which an object says which of them it is.
        values: the shape of the values of a mapping.
        items: the shapes of the first items of a list; `rest` is that of the others.
    """

    __slots__ = ("discriminator", "grows", "items", "models", "rest", "values")

    def __init__(self, *, grows: bool = False) -> None:
        self.grows = grows
        self.models: tuple[ModelShape, ...] = ()
        self.discriminator: tuple[str, ...] = ()
        self.values: Shape = self if grows else ANY
        self.items: tuple[Shape, ...] = ()
        self.rest: Shape = self if grows else ANY

    def item(self, index: int) -> Shape:
        """The shape of an item of a list."""
        return self.items[index] if index < len(self.items) else self.rest


ANY = Shape(grows=True)
LEAF = Shape()


class ModelShape(Shape):
    """The shape of a model: for each field the paths under which JSON may hold it, and the shape of its value."""

    __slots__ = ("_fields", "_shapes", "_tags", "keys", "model", "paths")

    def __init__(self, model: type[BaseModel], shapes: Shapes) -> None:
        super().__init__()
        self.model = model
        self.models = (self,)
        self.paths: dict[str, tuple[Path, ...]] = {
            name: _paths(name, info, model) for name, info in model.model_fields.items()
        }
        self.keys = frozenset(path[0] for paths in self.paths.values() for path in paths)
        self._shapes = shapes
        self._fields: dict[str, Shape] = {}
        self._tags: dict[str, frozenset[Any]] = {}

    def field(self, name: str) -> Shape:
        """The shape of a field's value. Made when it is first asked for: a model may hold itself."""
        if name not in self._fields:
            info = self.model.model_fields[name]
            self._fields[name] = self._shapes.of(info.annotation, [info, *info.metadata])
        return self._fields[name]

    def fits(self, keys: Iterable[str]) -> bool:
        """Whether an object with these keys may be meant for this model."""
        return self.model.model_config.get("extra") == "allow" or self.keys.issuperset(keys)

    def tags(self, key: str) -> frozenset[Any]:
        """The values that a discriminator's key may have in this model; none where it says nothing."""
        if key not in self._tags:
            names = [name for name, paths in self.paths.items() if (key,) in paths]
            self._tags[key] = frozenset(tag for name in names for tag in _literals(self.model.model_fields[name]))
        return self._tags[key]


class Shapes:
    """Makes shapes; each model once."""

    def __init__(self) -> None:
        self._models: dict[type[BaseModel], ModelShape] = {}

    def model(self, model: type[BaseModel]) -> ModelShape:
        """The shape of a model."""
        if model not in self._models:
            self._models[model] = ModelShape(model, self)
        return self._models[model]

    def of(self, annotation: Any, metadata: Sequence[Any] = ()) -> Shape:
        """The shape of a value of that type."""
        annotation, metadata = _bare(annotation, metadata)
        if any(annotation is each for each in _TEXTS) or isinstance(annotation, TypeVar | ForwardRef | str):
            return ANY
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin in {Union, types.UnionType}:
            return self._union(arguments, metadata)
        kind = annotation if origin is None else origin
        if not isinstance(kind, type):
            return LEAF
        return self._class(kind, annotation if isinstance(annotation, type) else kind, arguments)

    def _class(self, kind: type, annotation: type, arguments: tuple[Any, ...]) -> Shape:
        if issubclass(annotation, RootModel):
            root = annotation.model_fields["root"]
            return self.of(root.annotation, [root, *root.metadata])
        if issubclass(annotation, BaseModel):
            return self.model(annotation)
        shape = Shape()
        if kind in _MAPPINGS:
            shape.values = self.of(arguments[1]) if len(arguments) == 2 else ANY
        elif kind is tuple and arguments[1:] != (...,):
            shape.items = tuple(self.of(each) for each in arguments)
        elif kind in _SEQUENCES:
            shape.rest = self.of(arguments[0]) if arguments else ANY
        return shape

    def _union(self, arms: Iterable[Any], metadata: Sequence[Any]) -> Shape:
        # The arms are laid upon each other; of two that say something of lists, or of mappings, the first counts.
        found = [self.of(arm) for arm in arms]
        shape = Shape(grows=any(each.grows for each in found))
        shape.models = tuple(dict.fromkeys(model for each in found for model in each.models))
        shape.values = next((each.values for each in found if each.values is not ANY), ANY)
        listed = next((each for each in found if each.items or each.rest is not ANY), ANY)
        shape.items, shape.rest = listed.items, listed.rest if listed is not shape else ANY
        inner = [key for each in found for key in each.discriminator]
        shape.discriminator = tuple(dict.fromkeys([*_discriminator(shape.models, metadata), *inner]))
        return shape


def _bare(annotation: Any, metadata: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    # Without what is around a type: Annotated, `type X = …`, NewType.
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *more = get_args(annotation)
            metadata = [*metadata, *more]
        elif hasattr(annotation, "__value__"):
            annotation = annotation.__value__
        elif hasattr(annotation, "__supertype__"):
            annotation = annotation.__supertype__
        else:
            return annotation, metadata


def _discriminator(models: Iterable[ModelShape], metadata: Iterable[Any]) -> tuple[str, ...]:
    # A callable discriminator needs the whole object: the keys decide while it is being written.
    names = {found for each in metadata if isinstance(found := getattr(each, "discriminator", None), str)}
    paths = [path for model in models for name in names for path in model.paths.get(name, ())]
    return tuple(dict.fromkeys(path[0] for path in paths if len(path) == 1 and isinstance(path[0], str)))


def _literals(info: FieldInfo) -> Iterable[Any]:
    annotation, _ = _bare(info.annotation, ())
    if get_origin(annotation) is Literal:
        return [getattr(each, "value", each) for each in get_args(annotation)]
    return ()


def _paths(name: str, info: FieldInfo, model: type[BaseModel]) -> tuple[Path, ...]:
    # In the order in which pydantic looks.
    config = model.model_config
    alias = info.validation_alias if info.validation_alias is not None else info.alias
    by_alias = config.get("validate_by_alias", True) is not False
    by_name = bool(config.get("populate_by_name") or config.get("validate_by_name"))
    found = _alias_paths(alias) if alias is not None and by_alias else []
    return tuple([*found, (name,)] if by_name or alias is None or not by_alias else found)


def _alias_paths(alias: str | AliasPath | AliasChoices) -> list[Path]:
    if isinstance(alias, str):
        return [(alias,)]
    if isinstance(alias, AliasPath):
        return [tuple(alias.path)]
    return [path for each in alias.choices for path in _alias_paths(each)]
