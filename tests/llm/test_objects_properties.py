"""Laws of partial objects, over cuts.

- The final object is what pydantic makes of the whole text, wherever it was cut.
- Views are monotone: a field that is set stays set, a complete field never changes, a string only grows.
- A view never changes.
- Work is linear: the cost of a step depends on its chunk, not on the text before it. It is counted, not timed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

from hypothesis import given
from hypothesis import strategies as st

from tests.llm.models import Album, Everything, Open, Tree
from tests.support import depth
from tests.support.work import calls_made
from toolglean import CallDelta, CallStart
from toolglean.llm import Partial, PartialDict, PartialList, StreamingObjectProcessor
from toolglean.llm.objects.tree import Builder

texts = st.text(max_size=8)
integers = st.integers(-(10**20), 10**20)
songs = st.fixed_dictionaries({"title": texts}, optional={"seconds": integers | st.none()})
pets = st.fixed_dictionaries({"kind": st.just("cat"), "lives": integers}) | st.fixed_dictionaries(
    {"kind": st.just("dog"), "tricks": st.lists(texts, max_size=2)}
)
trees: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries({"label": texts}),
    lambda inner: st.fixed_dictionaries({"label": texts, "children": st.lists(inner, max_size=2)}),
    max_leaves=3,
)
values = st.recursive(
    st.none() | st.booleans() | integers | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
objects = st.fixed_dictionaries(
    {},
    optional={
        "text": texts | st.none(),
        "number": integers | st.floats(allow_nan=False, allow_infinity=False),
        "flag": st.booleans(),
        "mood": st.sampled_from(["glad", "sad"]),
        "size": st.sampled_from(["small", "large"]),
        "day": st.dates().map(str),
        "songs": st.lists(songs, max_size=2),
        "grid": st.lists(st.lists(integers, max_size=2), max_size=2),
        "counts": st.dictionaries(texts, integers, max_size=2),
        "by_name": st.dictionaries(texts, songs, max_size=2),
        "pair": st.tuples(integers, texts),
        "tags": st.lists(texts, max_size=2),
        "pet": pets | st.none(),
        "shape": st.fixed_dictionaries({"radius": integers}) | st.fixed_dictionaries({"side": integers}),
        "tree": trees,
        "anything": values,
        "either": integers | texts,
    },
)


def written(value: Any, draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    return json.dumps(value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))


def cut(text: str, seed: int) -> list[str]:
    rng = random.Random(seed)
    if seed % 3 == 0:
        return list(text)
    cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randint(1, 20)))
    return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(st.data(), st.integers(0, 1000))
def test_the_end_is_what_pydantic_makes_of_the_whole(data: st.DataObject, seed: int) -> None:
    found = data.draw(st.lists(objects, min_size=1, max_size=3))
    lines = [written(each, data.draw) for each in found]
    processor = StreamingObjectProcessor(Everything)
    for chunk in cut("\n".join(lines), seed):
        processor.feed(chunk)
    assert processor.finish() == [Everything.model_validate_json(line) for line in lines]
    assert processor.problems == []


def frozen(value: Any) -> Any:
    """A copy of everything that a view shows."""
    if isinstance(value, Partial):
        fields = {name: (frozen(value[name]), value.is_complete(name)) for name in value.set_fields}
        return "object", value.complete, fields
    if isinstance(value, PartialDict):
        return "object", value.complete, {key: (frozen(each), None) for key, each in value.items()}
    if isinstance(value, PartialList):
        return "list", value.complete, [frozen(each) for each in value]
    return value


def grows(before: Any, after: Any, place: str = "") -> None:
    """`after` has everything that `before` has, and perhaps more."""
    if isinstance(before, str):
        assert isinstance(after, str), place
        assert after.startswith(before), place
    elif not isinstance(before, tuple):
        assert after == before, place
    else:
        assert after[0] == before[0], place
        assert after[1] or not before[1], place
        if before[1]:
            assert after == before, f"{place} was whole, and changed"
        elif before[0] == "list":
            assert len(after[2]) >= len(before[2])
            for index, each in enumerate(before[2]):
                grows(each, after[2][index], f"{place}[{index}]")
        else:
            for key, (value, whole) in before[2].items():
                later, later_whole = after[2][key]
                assert not whole or (later_whole and later == value), f"{place}.{key} was whole, and changed"
                grows(value, later, f"{place}.{key}")


@given(st.data(), st.integers(0, 1000))
def test_views_are_monotone_and_show_their_own_moment(data: st.DataObject, seed: int) -> None:
    text = written(data.draw(objects), data.draw)
    processor = StreamingObjectProcessor(Everything)
    moments = []
    for chunk in cut(text, seed):
        partials = processor.feed(chunk)
        if partials:
            moments.append((partials[0], frozen(partials[0])))
    for (_, before), (_, after) in pairwise(moments):
        grows(before, after)
    assert all(frozen(view) == seen for view, seen in moments)


@given(st.data(), st.integers(0, 1000))
def test_mutants_end_as_pydantic_says_or_as_an_error(data: st.DataObject, seed: int) -> None:
    # We accept what pydantic accepts, with the same result, except that the scanner rejects NaN and accepts raw line breaks.
    text = written(data.draw(objects), data.draw)
    place = data.draw(st.integers(0, len(text)))
    mutant = text[:place] + data.draw(st.sampled_from(["", "}", '"', ",", "\\", "x", "1"])) + text[place + 1 :]
    one, other = Builder(), Builder()
    one.feed_all(mutant, 1)
    for time, chunk in enumerate(cut(mutant, seed)):
        other.feed_all(chunk, time)
    assert (one.fault, one.done, one.text) == (other.fault, other.done, other.text)
    assert not one.fault or one.place == other.place
    assert one.text == mutant
    assert [(each.text, each.start) for each in one.problems] == [(each.text, each.start) for each in other.problems]
    try:
        json.loads(mutant, strict=False)
    except ValueError:
        assert one.fault or not one.done
    else:
        assert one.done


# -- work --------------------------------------------------------------------------------------------------------------


def long_text(size: int) -> str:
    return json.dumps({"name": "x" * size})


def many_items(size: int) -> str:
    return json.dumps({"name": "x", "songs": [{"title": f"song {number}"} for number in range(size // 20)]})


def many_keys(size: int) -> str:
    return json.dumps({"counts": {f"key {number}": number for number in range(size // 16)}})


def many_escapes(size: int) -> str:
    return '{"name": "' + "\\u00e9" * (size // 6) + '"}'


def backslashes(size: int) -> str:
    return '{"name": "' + "\\\\" * (size // 2) + '"}'


def many_objects(size: int) -> str:
    return '{"name": "x"} ' * (size // 14)


def braces(size: int) -> str:
    return "{ " * (size // 2)


def same_key(size: int) -> str:
    return "{" + ", ".join(['"name": "x"'] * (size // 13)) + "}"


KINDS = [long_text, many_items, many_keys, many_escapes, backslashes, many_objects, braces, same_key]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("chunk", [4, 10**9])
def test_reading_is_linear(kind: Callable[[int], str], chunk: int) -> None:
    def work(text: str) -> Callable[[], None]:
        pieces = [text[begin : begin + chunk] for begin in range(0, len(text), chunk)]

        def feed() -> None:
            processor = StreamingObjectProcessor(Everything if kind is many_keys else Album)
            for piece in pieces:
                for partial in processor.feed(piece)[-1:]:
                    partial.is_set("text" if kind is many_keys else "name")
            processor.results()

        return feed

    size = 2_000 if depth.is_full() else 500
    short, long = kind(size), kind(8 * size)
    work(short)()
    each = calls_made(work(short)) / len(short)
    assert calls_made(work(long)) / len(long) <= each * 1.1


def test_a_step_costs_the_same_however_much_there_was_before() -> None:
    processor = StreamingObjectProcessor(Album)
    processor.feed(CallStart(0, None, "Album", True, 0))
    processor.feed(CallDelta(0, '{"name": "', 0))
    event = CallDelta(0, "abcd", 0)
    processor.feed(event)
    first = calls_made(lambda: processor.feed(event)[0])
    for _ in range(5_000):
        processor.feed(event)
    assert calls_made(lambda: processor.feed(event)[0]) == first


def test_reading_a_field_costs_that_field() -> None:
    def costs(size: int) -> int:
        processor = StreamingObjectProcessor(Album)
        processor.feed(many_items(size)[:-2])
        processor.partials[0].songs[0]
        return calls_made(lambda: (processor.partials[0].name, processor.partials[0].songs[5].title))

    assert costs(16_000) <= costs(2_000) + 10  # a search among items: three more halvings


def test_text_that_is_read_at_each_step_joins_only_what_is_new() -> None:
    def work(count: int) -> Callable[[], None]:
        def read() -> None:
            processor = StreamingObjectProcessor(Album)
            processor.feed('{"name": "')
            for _ in range(count):
                processor.feed("abcd")[0].name  # noqa: B018

        return read

    assert calls_made(work(4_000)) / calls_made(work(500)) <= 8.1


def test_counting_keys_costs_the_same_however_many_there_are() -> None:
    def steps(count: int) -> Callable[[], None]:
        text = ", ".join(f'"k{number}": {{"a": [{number}]}}' for number in range(count))
        processor = StreamingObjectProcessor(Open)
        partial = processor.feed(f'{{"rest": {{{text}, "k1": tr')[0]
        assert (
            len(partial["rest"]) == len(list(partial["rest"])) == count - 1
        )  # half a `true` hides the value before it

        def count_often() -> None:
            for _ in range(50):
                len(partial["rest"])

        return count_often

    assert calls_made(steps(1000)) < calls_made(steps(100)) * 1.5


def test_depth_is_limited() -> None:
    processor = StreamingObjectProcessor(Tree)
    processor.feed('{"label": "x", "children": [' + '{"children": [' * 100_000)
    (error,) = processor.results()
    assert "depth" in str(error)
    assert repr(processor.partials).startswith("[Partial[Tree](label='x', children=[Partial[Tree](children=[")
    assert processor.partials[0].to_dict()["label"] == "x"
