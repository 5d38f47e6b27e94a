# What this file knows: which kind of view the annotation of a field requires.
# Does not depend on JSON text, or on how views are read.
#
#   annotation                            a partial string    an object is             a list is
#   str, Any, unknown                     is shown            a mapping                a sequence
#   enum, Literal, date, number, …        is unset            a mapping                a sequence
#   a model                               is unset            a Partial of it          a sequence
#   dict[str, X]                          is unset            a mapping of X           a sequence
#   list[X], set[X], tuple[X, Y], …       is unset            a mapping                a sequence of X (or X, Y)
#   a union                               is shown if one     the model that matches   as for its first list
#                                         of them shows it
#
# An object in a union is the model whose discriminator is written; otherwise the only model whose fields include all
# keys so far. While several models are possible, it is a view without a class, with the keys as written.
"""Shapes: what a class tells about the values in an object that is being written."""

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
    """What is known about a value.

    Attributes:
        grows: whether a partial string is shown.
        models: the models that an object may be.
        discriminator: the JSON keys whose values tell which of them it is.
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
    """The shape of a model: for each field, the paths at which JSON may contain it, and the shape of its value."""

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
        """The shape of a field's value. It is made when it is first needed, because a model may contain itself."""
        if name not in self._fields:
            info = self.model.model_fields[name]
            self._fields[name] = self._shapes.of(info.annotation, [info, *info.metadata])
        return self._fields[name]

    def fits(self, keys: Iterable[str]) -> bool:
        """Whether an object with these keys may be this model."""
        return self.model.model_config.get("extra") == "allow" or self.keys.issuperset(keys)

    def tags(self, key: str) -> frozenset[Any]:
        """The values that a discriminator's key may have in this model; empty if they are not literals."""
        if key not in self._tags:
            names = [name for name, paths in self.paths.items() if (key,) in paths]
            self._tags[key] = frozenset(tag for name in names for tag in _literals(self.model.model_fields[name]))
        return self._tags[key]


class Shapes:
    """Makes shapes, one for each model."""

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
        # The members are merged; for lists and for mappings, the first member with a type is used.
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
    # Unwraps Annotated, `type X = …` and NewType.
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
    # A callable discriminator needs the complete object; until then, the keys decide.
    names = {found for each in metadata if isinstance(found := getattr(each, "discriminator", None), str)}
    paths = [path for model in models for name in names for path in model.paths.get(name, ())]
    return tuple(dict.fromkeys(path[0] for path in paths if len(path) == 1 and isinstance(path[0], str)))


def _literals(info: FieldInfo) -> Iterable[Any]:
    annotation, _ = _bare(info.annotation, ())
    if get_origin(annotation) is Literal:
        return [getattr(each, "value", each) for each in get_args(annotation)]
    return ()


def _paths(name: str, info: FieldInfo, model: type[BaseModel]) -> tuple[Path, ...]:
    # In the order in which pydantic looks for them.
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
