# A user's program, for the type checkers only: what a partial view may be given to. Never run.
# Each `ignore` here must be needed: where a checker does not refuse the line, the comment itself is an error.
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""Partial objects, as type checkers see them."""

from typing import Any, assert_type

from pydantic import BaseModel

from toolglean import Event
from toolglean.llm import Partial, Partials, StreamingObjectProcessor


class Album(BaseModel):
    """An album."""

    name: str


def sell(album: Album) -> None:
    """Wants a whole one."""
    album.name.upper()


def show(partial: Partial[BaseModel]) -> None:
    """Takes a part of anything."""
    partial.to_dict()


processor = StreamingObjectProcessor(Album, allow_parallel_tool_calls=False, tool_name="Album", content=True)
events: list[Event] = []
partials = processor.feed('{"name": "Hor')
assert_type(partials, Partials[Album])
assert_type(partials[0], Partial[Album])
assert_type(partials[:1], list[Partial[Album]])
assert_type(partials[0].set_fields, tuple[str, ...])
assert_type(partials[0].complete, bool)
assert_type(partials[0].model_class, type[Album] | None)
assert_type(partials[0].name, Any)
assert_type(processor.process(events, partials)[0], Partial[Album])
show(partials[0])

sell(partials[0])  # type: ignore[arg-type]
album: Album = partials[0]  # type: ignore[assignment]
albums: list[Album] = list(partials)  # type: ignore[arg-type]

for whole in processor.finish():
    assert_type(whole, Album)
    sell(whole)
