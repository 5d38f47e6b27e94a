# What this file knows: model classes of every kind of field, for the tests of objects.
# Does not depend on how they are filled.
"""Model classes for the tests."""

from __future__ import annotations

import datetime as dt
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, RootModel


class Mood(Enum):
    GLAD = "glad"
    SAD = "sad"


class Song(BaseModel):
    title: str
    seconds: int | None = None


class Album(BaseModel):
    """An album."""

    name: str
    artist: str = ""
    songs: list[Song] = []


class Cold(BaseModel):
    """Whether it is."""

    cold: bool


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str] = []


class Tags(RootModel[list[str]]):
    pass


class Tree(BaseModel):
    label: str
    children: list[Tree] = []


class Circle(BaseModel):
    radius: float


class Square(BaseModel):
    side: float


class Everything(BaseModel):
    """Fields of every kind, all optional, so that any of them can be read."""

    text: str | None = None
    number: int | float = 0
    flag: bool = False
    mood: Mood | None = None
    size: Literal["small", "large"] = "small"
    day: dt.date | None = None
    songs: list[Song] = []
    grid: list[list[int]] = []
    counts: dict[str, int] = {}
    by_name: dict[str, Song] = {}
    pair: tuple[int, str] | None = None
    tags: Tags | None = None
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    shape: Circle | Square | None = None
    tree: Tree | None = None
    anything: Any = None
    either: int | str = 0


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    name: str = Field(alias="fullName")
    first: str = Field(default="", validation_alias=AliasPath("parts", 0))
    town: str = Field(default="", validation_alias=AliasChoices("city", AliasPath("address", "city")))


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")

    name: str


class Awkward(BaseModel):
    """Fields with the names of the view's methods."""

    complete: str
    writing: int = 0


class Step(NamedTuple):
    """A table row: what is shown after a chunk."""

    chunk: str
    seen: dict[str, Any]
    whole: tuple[str, ...] = ()
    writing: str | None = None
