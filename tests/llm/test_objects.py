"""Partial views: what is shown of an object at each moment. The processor, its order and its errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

from pydantic import BaseModel, ValidationError, create_model

from tests.llm.models import Album, Aliased, Awkward, Cat, Dog, Everything, Open, Song, Step, Tree
from tests.support.chunkings import chunkings
from toolglean import CallDelta, CallEnd, CallStart, Content, Event, Parser, Problem, Reasoning, ToolCall, UsageError
from toolglean.llm.errors import (
    ConfigurationError,
    IncompleteObjectError,
    InvalidObjectError,
    LLMError,
    MalformedObjectError,
    UnsetFieldError,
)
from toolglean.llm.objects.final import object_of
from toolglean.llm.objects.partial import Partial, PartialDict, PartialList
from toolglean.llm.objects.processor import StreamingObjectProcessor
from toolglean.llm.types import ChatResponse, Message, Role, TextChunk, ToolCallChunk

HORSES = '{"name": "Horses", "songs": [{"title": "Gloria", "seconds": 354}]}'


def fed(model: type[BaseModel], *pieces: Any, **options: Any) -> StreamingObjectProcessor[Any]:
    processor = StreamingObjectProcessor(model, **options)
    for piece in pieces:
        processor.feed(piece)
    return processor


def partial_of(model: type[BaseModel], *chunks: str) -> Partial[Any]:
    return fed(model, *chunks).partials[0]


# -- what is shown -----------------------------------------------------------------------------------------------------

STORIES: dict[str, tuple[type[BaseModel], list[Step]]] = {
    "a string grows": (
        Album,
        [
            Step('{"name": "Ho', {"name": "Ho"}, (), "name"),
            Step("rs", {"name": "Hors"}, (), "name"),
            Step('es"', {"name": "Horses"}, ("name",)),
            Step("}", {"name": "Horses"}, ("name",)),
        ],
    ),
    "half a character is not seen": (
        Album,
        [
            Step('{"name": "a\\', {"name": "a"}, (), "name"),
            Step("u00", {"name": "a"}, (), "name"),
            Step("e9", {"name": "aé"}, (), "name"),
            Step("\\ud83d", {"name": "aé"}, (), "name"),
            Step("\\ude0", {"name": "aé"}, (), "name"),
            Step("0\\\\ud83d", {"name": "aé😀\\ud83d"}, (), "name"),
            Step('\\ud83d"', {"name": "aé😀\\ud83d\ufffd"}, ("name",)),
        ],
    ),
    "a number, true, false and null are seen whole": (
        Everything,
        [
            Step('{"number": 19', {}, (), "number"),
            Step("75", {}, (), "number"),
            Step(', "flag": tr', {"number": 1975}, ("number",), "flag"),
            Step("ue", {"number": 1975, "flag": True}, ("number", "flag")),
            Step(', "text": nul', {"number": 1975, "flag": True}, ("number", "flag"), "text"),
            Step("l", {"text": None, "number": 1975, "flag": True}, ("text", "number", "flag")),
        ],
    ),
    "what is no free text is seen whole": (
        Everything,
        [
            Step('{"mood": "gl', {}, (), "mood"),
            Step('ad", "size": "la', {"mood": "glad"}, ("mood",), "size"),
            Step('rge", "day": "1975-1', {"mood": "glad", "size": "large"}, ("mood", "size"), "day"),
        ],
    ),
    "an integer or a text": (
        Everything,
        [Step('{"either": "1', {"either": "1"}, (), "either"), Step('2"', {"either": "12"}, ("either",))],
    ),
    "lists": (
        Everything,
        [
            Step('{"grid": [[1, 2', {"grid": [[1]]}, (), "grid"),
            Step("], [", {"grid": [[1, 2], []]}, (), "grid"),
            Step("3]]", {"grid": [[1, 2], [3]]}, ("grid",)),
            Step(', "pair": [1, "x', {"grid": [[1, 2], [3]], "pair": [1, "x"]}, ("grid",), "pair"),
        ],
    ),
    "mappings": (
        Everything,
        [
            Step('{"counts": {"a": 1, "b": 2', {"counts": {"a": 1}}, (), "counts"),
            Step('}, "by_name": {"x": {"ti', {"counts": {"a": 1, "b": 2}, "by_name": {"x": {}}}, ("counts",), "by_name"),
            Step('tle": "G', {"counts": {"a": 1, "b": 2}, "by_name": {"x": {"title": "G"}}}, ("counts",), "by_name"),
        ],
    ),
    "anything": (
        Everything,
        [
            Step('{"anything": {"a": ["b', {"anything": {"a": ["b"]}}, (), "anything"),
            Step('c", 1, null]}', {"anything": {"a": ["bc", 1, None]}}, ("anything",)),
        ],
    ),
    "a root model is its content": (
        Everything,
        [Step('{"tags": ["a", "b', {"tags": ["a", "b"]}, (), "tags")],
    ),
    "a model that contains itself": (
        Tree,
        [
            Step(
                '{"label": "a", "children": [{"label": "b", "children": [{"label": "c',
                {"label": "a", "children": [{"label": "b", "children": [{"label": "c"}]}]},
                ("label",),
                "children",
            ),
        ],
    ),
    "aliases": (
        Aliased,
        [
            Step('{"fullName": "Patti', {"name": "Patti"}, (), "name"),
            Step(' Smith", "parts": ["Pat', {"name": "Patti Smith", "first": "Pat"}, ("name",), "first"),
            Step(
                'ti"], "address": {"city": "New Y',
                {"name": "Patti Smith", "first": "Patti", "town": "New Y"},
                ("name", "first"),
                "town",
            ),
        ],
    ),
    "a field by its name": (Aliased, [Step('{"name": "Pat', {"name": "Pat"}, (), "name")]),
    "more than the class says": (Album, [Step('{"name": "x", "year": 1975, ', {"name": "x"}, ("name",))]),
    "more, where the class allows it": (
        Open,
        [Step('{"name": "x", "year": 1975, "label": "Ar', {"name": "x", "year": 1975, "label": "Ar"}, ("name", "year"), "label")],
    ),
    "another type than the class says": (
        Everything,
        [Step('{"text": {"a": [1, ', {"text": {"a": [1]}}, (), "text")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("story", STORIES)
def test_what_is_seen_at_each_moment(story: str) -> None:
    model, steps = STORIES[story]
    processor = StreamingObjectProcessor(model)
    moments: list[tuple[Partial[Any], Step]] = []
    for step in steps:
        moments.append((processor.feed(step.chunk)[0], step))
        for partial, seen in moments:  # a view never changes
            assert partial.to_dict() == seen.seen
            assert partial.complete_fields == seen.whole
            assert partial.writing == seen.writing
            assert set(partial.set_fields) == set(seen.seen)


def test_a_field_that_was_not_begun_raises() -> None:
    partial = partial_of(Album, '{"name": "x", "art')
    with pytest.raises(UnsetFieldError, match="Album has no artist yet") as caught:
        partial.artist  # noqa: B018  # although it has a default
    assert (caught.value.name, caught.value.model_name) == ("artist", "Album")
    assert isinstance(caught.value, AttributeError)
    assert isinstance(caught.value, LLMError)
    assert not hasattr(partial, "artist")
    assert not partial.is_set("artist")
    assert getattr(partial, "artist", "?") == "?"


@pytest.mark.parametrize(
    "ask", [lambda p: p.artst, lambda p: p["artst"], lambda p: p.is_set("artst"), lambda p: p.is_complete("artst")]
)
def test_a_field_that_the_class_has_not_is_a_mistake(ask: Any) -> None:
    with pytest.raises(AttributeError, match="Album has no field 'artst'") as caught:
        ask(partial_of(Album, '{"name": "x"'))
    assert not isinstance(caught.value, UnsetFieldError)


def test_a_partial_is_no_model_and_nothing_takes_it_for_one() -> None:
    for text in ('{"name": "x', '{"name": "x"}'):  # not even when it is complete
        partial = partial_of(Album, text)
        given: Any = partial
        assert not isinstance(given, BaseModel | dict)
        with pytest.raises(ValidationError):
            Album.model_validate(partial)
        with pytest.raises(TypeError):
            Album(**given)
        with pytest.raises(TypeError):
            json.dumps(partial)
        with pytest.raises(AttributeError):
            given.name = "y"


def test_nested_views_are_typed() -> None:
    partial = partial_of(Album, '{"name": "Horses", "songs": [{"title": "Glo')
    assert partial.model_class is Album
    assert isinstance(partial.songs, PartialList)
    assert isinstance(partial.songs[0], Partial)
    assert partial.songs[0].model_class is Song
    assert partial.songs[-1].title == "Glo"
    assert [song.title for song in partial.songs[:1]] == ["Glo"]
    with pytest.raises(IndexError):
        partial.songs[1]
    with pytest.raises(UnsetFieldError):
        partial.songs[0].seconds  # noqa: B018
    assert not partial.songs.complete
    assert isinstance(partial_of(Everything, '{"counts": {').counts, PartialDict)


def test_fields_with_the_names_of_methods_are_read_by_item() -> None:
    partial = partial_of(Awkward, '{"complete": "no", "writing": 1, ')
    assert (partial["complete"], partial["writing"]) == ("no", 1)
    assert partial.complete is False


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"pet": {"kind": "ca', None),
        ('{"pet": {"kind": "cat"', Cat),
        ('{"pet": {"kind": "dog", "lives": 1', Dog),  # its value is used, not its keys
        ('{"pet": {"lives": 1', Cat),
        ('{"shape": {', None),
        ('{"shape": {"si', None),
        ('{"shape": {"side": 1', "Square"),
        ('{"shape": {"corners": 4', None),
    ],
)
def test_which_model_of_a_union_it_is(text: str, found: Any) -> None:
    partial = partial_of(Everything, text)
    view = partial.pet if partial.is_set("pet") else partial.shape
    if found is None:
        assert isinstance(view, Partial | PartialDict)
        assert getattr(view, "model_class", None) is None
    else:
        assert view.model_class.__name__ == getattr(found, "__name__", found)


def test_how_it_is_printed() -> None:
    assert repr(partial_of(Album, '{"name": "Hor')) == "Partial[Album](name='Hor'…, …)"
    shown = "Partial[Album](name='Horses', songs=[Partial[Song](title='Gloria', seconds=354)])"
    assert repr(partial_of(Album, HORSES)) == shown
    assert repr(partial_of(Everything, '{"counts": {"a": 1, ')) == "Partial[Everything](counts={'a': 1, …}, …)"


def test_a_key_that_comes_twice() -> None:
    processor = StreamingObjectProcessor(Album)
    before = processor.feed('{"name": "a", ')[0]
    after = processor.feed('"name": "b"}')[0]
    assert (before.name, after.name) == ("a", "b")
    assert processor.problems == [Problem("duplicate-key", "duplicate key", "name", 14)]
    assert processor.finish() == [Album(name="b")]


# -- the end -----------------------------------------------------------------------------------------------------------


WRONG: list[tuple[str, type[BaseModel], str, type[Exception], str | None]] = [
    # description, class, text, error, the text at the span
    ("cut off", Album, '{"name": "Hor', IncompleteObjectError, '{"name": "Hor'),
    ("cut off after a comma", Album, '{"name": "x", ', IncompleteObjectError, '{"name": "x", '),
    ("cut off at once", Album, "{", IncompleteObjectError, "{"),
    ("a comma at the end", Album, '{"name": "x",}', MalformedObjectError, "}"),
    ("no quotes", Album, '{"name": x}', MalformedObjectError, "x"),
    ("not a number", Album, '{"name": NaN}', MalformedObjectError, "N"),
    ("a bad escape", Album, '{"name": "\\x"}', MalformedObjectError, "x"),
    ("a field is missing", Album, '{"artist": "x"}', InvalidObjectError, '{"artist": "x"}'),
    ("a wrong type", Album, '{"name": 7}', InvalidObjectError, "7"),
    ("within", Album, '{"name": "x", "songs": [{"title": "a"}, {"title": null}]}', InvalidObjectError, "null"),
    ("missing within", Album, '{"name": "x", "songs": [{"title": "a"}, {"x": 1}]}', InvalidObjectError, '{"x": 1}'),
    ("by its alias", Aliased, '{"fullName": {"a": 1}}', InvalidObjectError, '{"a": 1}'),
    ("in a union", Everything, '{"pet": {"kind": "cat", "lives": "x"}}', InvalidObjectError, '"x"'),
    ("in a mapping", Everything, '{"counts": {"a": 1, "b": []}}', InvalidObjectError, "[]"),
    ("of no such member", Everything, '{"mood": "grim"}', InvalidObjectError, '"grim"'),
]  # fmt: skip


@pytest.mark.parametrize(("model", "text", "kind", "place"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_an_error_has_the_text_and_the_place(
    model: type[BaseModel], text: str, kind: type[Exception], place: str | None
) -> None:
    for chunks in [[text], *chunkings(text)]:
        end = call(0, text)[-1:] if kind is InvalidObjectError else []
        processor = fed(model, CallStart(0, None, "x", True, 0), *(CallDelta(0, chunk, 0) for chunk in chunks), *end)
        (error,) = processor.results()
        assert type(error) is kind
        assert isinstance(error, IncompleteObjectError | MalformedObjectError | InvalidObjectError)
        assert error.text == text
        assert text[slice(*error.span)] == place
        with pytest.raises(kind):
            processor.finish()


def test_an_invalid_object_carries_pydantics_error() -> None:
    text = '{"name": 1, "songs": 2}'
    with pytest.raises(InvalidObjectError) as caught:
        object_of(Album, text)
    error = caught.value
    assert isinstance(error.validation_error, ValidationError)
    assert error.__cause__ is error.validation_error
    assert [entry["loc"] for entry in error.errors()] == [("name",), ("songs",)]
    assert [text[slice(*span)] for span in error.spans] == ["1", "2"]
    assert "name: Input should be a valid string (characters 9 to 10)" in str(error)
    with pytest.raises(ValueError, match="Album is not valid"):
        raise error


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", IncompleteObjectError),
        ("[]", MalformedObjectError),
        ("7", MalformedObjectError),
        ('{"name": "x"} {}', MalformedObjectError),
        (' {"name": "x"} \n', None),
    ],
)
def test_one_object_and_nothing_else(text: str, kind: type[Exception] | None) -> None:
    if kind is None:
        assert object_of(Album, text) == Album(name="x")
    else:
        with pytest.raises(kind):
            object_of(Album, text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"name": "a\nb\tc"}', "a\nb\tc"),
        ('{"name": "\\ud83d"}', "\ufffd"),
        ('{"name": "\ud83d"}', "\ufffd"),
        ('{"name": "\\ud83d\\ude00"}', "😀"),
    ],
)
def test_what_the_scanner_accepts_is_escaped_for_pydantic(text: str, name: str) -> None:
    for chunks in [[text], list(text)]:
        assert partial_of(Album, *chunks).name == name
    assert object_of(Album, text).name == name


def test_the_partial_of_a_broken_object_is_in_the_error() -> None:
    with pytest.raises(IncompleteObjectError, match="Album is cut off after 13 characters") as caught:
        fed(Album, '{"name": "Hor').finish()
    assert caught.value.partial.name == "Hor"


# -- calls -------------------------------------------------------------------------------------------------------------


def call(index: int, text: str, status: Any = "ok", name: str = "Album", *, deltas: bool = True) -> list[Event]:
    arguments = json.loads(text) if status == "ok" else {}
    end = CallEnd(index, ToolCall(f"c{index}", index, name, True, arguments, text, (0, 0), status), 0)
    pieces: list[Event] = [CallDelta(index, char, 0) for char in text] if deltas else []
    return [CallStart(index, None, name, True, 0), *pieces, end]


@pytest.mark.parametrize("deltas", [True, False])
def test_parallel_calls_keep_their_order_and_shorter_ones_count(deltas: bool) -> None:
    texts = [HORSES, '{"name": "b"}', HORSES, '{"name": "b"}']  # identical objects are two
    processor = StreamingObjectProcessor(Album)
    for index, text in enumerate(texts):
        for event in call(index, text, deltas=deltas):
            partials = processor.feed(event)
            assert len(partials) in {index, index + 1}
    assert [each.name for each in processor.partials] == ["Horses", "b", "Horses", "b"]
    assert processor.finish() == [Album.model_validate_json(text) for text in texts]


def test_calls_that_are_written_at_the_same_time_keep_their_order() -> None:
    processor = StreamingObjectProcessor(Album)
    processor.feed([CallStart(0, None, "Album", True, 0), CallStart(1, None, "Album", True, 0)])
    assert list(processor.feed(CallDelta(1, '{"name": "b"}', 0))) == []  # a comes first, and is not visible yet
    assert [each.name for each in processor.feed(CallDelta(0, '{"name": "a', 0))] == ["a", "b"]
    processor.feed(call(1, '{"name": "b"}')[-1])
    processor.feed([CallDelta(0, '"}', 0), call(0, '{"name": "a"}')[-1]])
    assert [each.name for each in processor.finish()] == ["a", "b"]


def test_an_empty_call_does_not_hide_those_after_it() -> None:
    processor = StreamingObjectProcessor(Album)
    processor.feed(call(0, "", "incomplete"))
    assert [each.name for each in processor.feed(call(1, '{"name": "b"}'))] == ["b"]
    first, second = processor.results()
    assert isinstance(first, IncompleteObjectError)
    assert second == Album(name="b")


def test_one_object_is_asked_for_and_several_come() -> None:
    processor = fed(Album, call(0, '{"name": "a"}') + call(1, HORSES), allow_parallel_tool_calls=False)
    assert processor.finish() == [Album(name="a")]
    assert processor.ignored == ["Album"]


def test_calls_of_other_tools_do_not_count() -> None:
    processor = fed(Album, call(0, '{"x": 1}', name="search") + call(1, '{"name": "a"}'), tool_name="Album")
    assert processor.finish() == [Album(name="a")]
    assert processor.ignored == ["search"]


@pytest.mark.parametrize(
    ("text", "status", "kind"),
    [('{"name": "a", "so', "incomplete", IncompleteObjectError), ('{"name": "a", "so', "malformed", MalformedObjectError), ('{"name": 1}', "ok", InvalidObjectError)],
)  # fmt: skip
def test_a_broken_call_has_an_error_of_its_own_and_the_others_are_there(text: str, status: Any, kind: Any) -> None:
    processor = fed(Album, call(0, '{"name": "x"}') + call(1, text, status) + call(2, '{"name": "y"}'))
    with pytest.raises(kind) as caught:
        processor.finish()
    assert caught.value.index == 1
    assert caught.value.partial.is_set("name")
    assert [getattr(each, "name", type(each)) for each in processor.results()] == ["x", kind, "y"]


def test_closed_brackets_do_not_end_a_call() -> None:
    for events in (call(0, HORSES)[:-1], [*call(0, HORSES)[:-1], *call(0, HORSES, "incomplete")[-1:]]):
        with pytest.raises(IncompleteObjectError) as caught:
            fed(Album, events).finish()
        assert caught.value.text == HORSES


def test_no_arguments_are_an_empty_object() -> None:
    processor = fed(Everything, call(0, "{}"))
    end = call(1, "{}")[-1]
    assert isinstance(end, CallEnd)
    end.call.arguments_text = ""
    assert len(processor.feed(end)) == 2
    assert processor.finish() == [Everything(), Everything()]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_leaked_calls_become_objects(size: int) -> None:
    turn = f'Sure. <tool_call>{{"name": "Album", "arguments": {HORSES}}}</tool_call> Done.'
    parser = Parser(["Album"], format="hermes")
    processor = StreamingObjectProcessor(Album)
    seen = []
    for begin in range(0, len(turn), size):
        partials = processor.feed(parser.feed(turn[begin : begin + size]))
        seen += [each.name for each in partials if each.is_set("name")]
    processor.feed(parser.finish())
    assert processor.finish() == [Album.model_validate_json(HORSES)]
    assert seen[-1] == "Horses"
    assert size > 1 or seen[:7] == ["", "H", "Ho", "Hor", "Hors", "Horse", "Horses"]


def test_a_turn_without_objects() -> None:
    processor = StreamingObjectProcessor(Album)
    nothing: list[Event] = [Content("{}", 0), Reasoning("{}", 2), Problem("cut-off", "x", "y", 4)]
    assert list(processor.feed(nothing)) == []
    assert processor.finish() == []


# -- text --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names", "outside"),
    [
        ('{"name": "a"}', ["a"], []),
        (' {"name": "a"}\n{"name": "b"} ', ["a", "b"], []),
        ('[{"name": "a"}, {"name": "b"}]', ["a", "b"], []),
        ('```json\n{"name": "a"}\n```', ["a"], []),
        ('Here: {"name": "a"} Enjoy!', ["a"], [("Here: ", 0), (" Enjoy!", 19)]),
        ('As {name}: {"name": "a"}', ["a"], [("As {name}: ", 0)]),
        ('{ {"name": "a"}', ["a"], [("{ ", 0)]),
        ("no object", [], [("no object", 0)]),
        ("", [], []),
    ],
)
def test_objects_in_text(text: str, names: list[str], outside: list[tuple[str, int]]) -> None:
    for chunks in [[text], *chunkings(text)]:
        for content in (False, True):
            processor = fed(Album, *(Content(chunk, 0) if content else chunk for chunk in chunks), content=content)
            assert [each.name for each in processor.finish()] == names
            assert [(each.text, each.start) for each in processor.problems] == outside


def test_text_that_breaks_in_an_object_is_its_own_error() -> None:
    first, second = fed(Album, '{"name": "a"}{"name": "b" oops ', '{"name": "c"}').results()
    assert first == Album(name="a")
    assert isinstance(second, MalformedObjectError)
    assert second.text == '{"name": "b" oops {"name": "c"}'
    assert second.text[slice(*second.span)] == "o"


# -- responses, and `process` -----------------------------------------------------------------------------------------


def response_of(*objects: dict[str, Any], text: str = "", **more: Any) -> ChatResponse:
    calls = [ToolCallChunk(name="Album", arguments=each) for each in objects]
    return ChatResponse(message=Message(role=Role.MODEL, chunks=[TextChunk(content=text), *calls]), **more)


def test_responses_with_events() -> None:
    processor = StreamingObjectProcessor(Album)
    found = [processor.feed(response_of(events=[event])) for event in call(0, '{"name": "ab"}')]
    assert [each[0].name for each in found if each and each[0].is_set("name")][:3] == ["", "a", "ab"]
    assert processor.finish() == [Album(name="ab")]


def test_responses_without_events_repeat_all_calls_so_far() -> None:
    processor, one = StreamingObjectProcessor(Album), {"name": "a"}
    counts = [len(processor.feed(response_of(*objects))) for objects in ([], [one], [one], [one, one])]
    assert counts == [0, 1, 1, 2]
    assert processor.finish() == [Album(name="a"), Album(name="a")]


def test_unfinished_calls_of_the_last_response_are_errors() -> None:
    lost = ToolCallChunk(name="Album", unread='{"name": "b')
    processor = fed(Album, response_of({"name": "a"}), response_of({"name": "a"}, unfinished=[lost]))
    found = processor.results()
    assert [type(each) for each in found] == [Album, IncompleteObjectError]
    assert processor.results() == found


def test_a_model_that_answers_in_text() -> None:
    given = [response_of(text="ignored", delta=delta) for delta in ('{"na', 'me": "x"}')]
    assert fed(Album, *given, content=True).finish() == [Album(name="x")]
    assert fed(Album, response_of(delta="{}")).finish() == []


def test_responses_without_events_may_change_what_they_said() -> None:
    processor = StreamingObjectProcessor(Album, allow_parallel_tool_calls=False)
    seen = None
    for response in (response_of({"name": "a"}), response_of({"name": "ab", "year": 1}), response_of({"name": "c"})):
        seen = processor.process(response, seen)
    assert [each.name for each in seen or ()] == ["c"]
    assert processor.finish() == [Album(name="c")]


def test_responses_without_events_show_calls_that_are_being_written() -> None:
    processor = StreamingObjectProcessor(Album)
    for text in ('{"name": "a', '{"name": "ab"', '{"name": "ab", "songs": ['):
        begun = ToolCallChunk(name="Album", unread=text)
        partials = processor.feed(response_of(unfinished=[begun]))
    assert (partials[0].name, partials[0].writing) == ("ab", "songs")
    processor.feed(response_of({"name": "abc"}))
    assert processor.finish() == [Album(name="abc")]


def test_responses_without_deltas_are_read_by_what_they_have_grown() -> None:
    given = [response_of(text=text) for text in ('{"na', '{"name": "a"', '{"name": "a"}')]
    assert fed(Album, *given, content=True).finish() == [Album(name="a")]


def test_process_sees_progress_in_every_object() -> None:
    processor = StreamingObjectProcessor(Album)
    seen: Any = None
    for event in (
        CallStart(0, "a", "Album", None, 0),
        CallDelta(0, '{"name": "a', 0),
        CallStart(1, "b", "Album", None, 0),
        CallDelta(1, '{"name": "z', 0),
    ):
        seen = processor.process(event, seen)
    later = processor.process(CallDelta(0, "bc", 0), seen)
    assert later is not seen
    assert [each.name for each in later] == ["abc", "z"]
    assert processor.process(Reasoning("Hm.", 0), later) is later


def test_process_gives_back_what_it_got_where_nothing_was_added() -> None:
    processor = StreamingObjectProcessor(Album)
    nothing = processor.process(response_of(delta="Well, "))
    assert list(nothing) == []
    first = processor.process(CallStart(0, None, "Album", True, 0), nothing)
    second = processor.process(CallDelta(0, '{"name": "a', 0), first)
    assert second is not first
    assert processor.process(Content("x", 0), second) is second
    assert processor.process(response_of(), second) is second
    assert processor.process(CallDelta(0, "b", 0), second)[0].name == "ab"
    assert second[0].name == "a"


# -- mistakes of the caller --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [dict, "Album", None, Album(name="x")])
def test_the_class_must_be_a_model(given: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"output_cls=.* is not a pydantic class") as caught:
        StreamingObjectProcessor(given)
    assert caught.value.field == "output_cls"


def test_the_class_must_be_whole() -> None:
    fields: dict[str, Any] = {"other": ("Nowhere", ...)}
    lost = create_model("Lost", **fields)
    with pytest.raises(ConfigurationError, match="Lost refers to an unknown type") as caught:
        StreamingObjectProcessor(lost)
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize("given", [[7], [None], ["text"]])
def test_pieces_are_text_events_or_responses(given: Any) -> None:
    with pytest.raises(
        UsageError, match=r"^piece=.* cannot be read: pass text, an event, a list of events or a ChatResponse"
    ):
        StreamingObjectProcessor(Album).feed(given)


def test_a_turn_ends_once() -> None:
    processor = fed(Album, '{"name": "x"}')
    assert processor.finish() == processor.finish()
    assert processor.finish()[0] is processor.finish()[0]
    with pytest.raises(UsageError, match="make a new one"):
        processor.feed("{}")
