# The columns of parsed turns, and how they are built. Does not depend on where the turns come from.
#
# Arrays are built from one list for each field. Building them from a dict for each call takes several times as long.
"""Columns of parsed turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

from toolglean.events import Output, Problem, ToolCall
from toolglean.scan.nested import json_text, whole_characters

__all__ = ["SCHEMA", "columns_of"]

CALL = pa.struct(
    [
        ("id", pa.string()),
        ("index", pa.int64()),
        ("name", pa.string()),
        ("known", pa.bool_()),
        ("arguments", pa.string()),
        ("arguments_text", pa.string()),
        ("span", pa.list_(pa.int64())),
        ("status", pa.string()),
        ("repairs", pa.list_(pa.string())),
    ]
)
PROBLEM = pa.struct([("code", pa.string()), ("reason", pa.string()), ("text", pa.string()), ("start", pa.int64())])

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("content", pa.string()),
        ("reasoning", pa.string()),
        ("calls", pa.list_(CALL)),
        ("unfinished", pa.list_(CALL)),
        ("problems", pa.list_(PROBLEM)),
        ("format", pa.string()),
    ]
)
"""The columns that `parse_batch` returns. `id` has the type that it has in the input, if that has such a column.

A call has the fields of `ToolCall`. Arrow needs one type for all arguments, so `arguments` is JSON text; it is null
if a call is unfinished, because its arguments must not be used.
"""


def columns_of(outputs: Sequence[Output], formats: Sequence[str | None]) -> list[Any]:
    """The columns of SCHEMA after `id`."""
    return [
        _texts([each.content for each in outputs]),
        _texts([each.reasoning for each in outputs]),
        _lists([each.calls for each in outputs], _calls),
        _lists([each.unfinished for each in outputs], _calls),
        _lists([each.problems for each in outputs], _problems),
        pa.array(formats, pa.string()),
    ]


def _texts(values: Sequence[str | None]) -> Any:
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:  # half of a surrogate pair, written as an escape
        return pa.array([None if each is None else whole_characters(each) for each in values], pa.string())


def _lists(lists: Sequence[Sequence[Any]], build: Callable[[list[Any]], Any]) -> Any:
    offsets = pa.array(accumulate(map(len, lists), initial=0), pa.int32())
    return pa.ListArray.from_arrays(offsets, build(list(chain.from_iterable(lists))))


def _calls(calls: list[ToolCall]) -> Any:
    fields = [
        _texts([each.id for each in calls]),
        pa.array([each.index for each in calls], pa.int64()),
        _texts([each.name for each in calls]),
        pa.array([each.known for each in calls], pa.bool_()),
        _texts([json_text(each.arguments) if each.status == "ok" else None for each in calls]),
        _texts([each.arguments_text for each in calls]),
        _lists([each.span for each in calls], _numbers),
        pa.array([each.status for each in calls], pa.string()),
        _lists([each.repairs for each in calls], _texts),
    ]
    return pa.StructArray.from_arrays(fields, fields=list(CALL))


def _problems(problems: list[Problem]) -> Any:
    fields = [
        _texts([each.code for each in problems]),
        _texts([each.reason for each in problems]),
        _texts([each.text for each in problems]),
        _numbers(each.start for each in problems),
    ]
    return pa.StructArray.from_arrays(fields, fields=list(PROBLEM))


def _numbers(values: Iterable[int]) -> Any:
    return pa.array(values, pa.int64())
