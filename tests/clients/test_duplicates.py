"""A call that comes both ways, parsed by the server and in the text: it is one call, whichever comes first."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tests.clients.answers import answer, asked, events, fed, pieces, random_sizes, reader, repaired, said
from tests.clients.each import both, kinds
from tests.clients.families import TOOLS
from tests.support import depth
from tests.support.loopback import Call, Turn
from toolglean.clients import chat
from toolglean.clients.repair import Kind
from toolglean.conversation.reading import duplicates as of_turn
from toolglean.conversation.reading.duplicates import DuplicateFilter
from toolglean.conversation.reading.server_turn import ServerTurn
from toolglean.events import fold
from toolglean.formats.write_values import same as same_values

dict_chunks: Any = chat.dict_chunks


def leak(city: str) -> str:
    return f'<tool_call>\n{{"name": "get_weather", "arguments": {{"city": "{city}"}}}}\n</tool_call>'


def own(city: str, **more: Any) -> Call:
    return Call("get_weather", {"city": city}, **more)


OSLO, ROME = leak("Oslo"), leak("Rome")
ROWS: dict[str, tuple[list[Any], list[str], str]] = {
    # what the server sends, the cities that the tool must be called with, a text that must stay
    "theirs first": ([own("Oslo"), *pieces(OSLO)], ["Oslo"], "Oslo"),
    "ours first": ([*pieces(OSLO), own("Oslo")], ["Oslo"], ""),
    "ours first, in one piece": ([OSLO, own("Oslo", cut=1000)], ["Oslo"], ""),
    "ours first, then text": ([*pieces(f"Look. {OSLO} Wait."), own("Oslo")], ["Oslo"], "Wait."),
    "ours, theirs, then text": ([*pieces(OSLO), own("Oslo"), " Wait."], ["Oslo"], "Wait."),
    "two of ours, both of them theirs": ([*pieces(OSLO + ROME), own("Oslo"), own("Rome")], ["Oslo", "Rome"], ""),
    "two of ours, theirs in another order": ([*pieces(OSLO + ROME), own("Rome"), own("Oslo")], ["Oslo", "Rome"], ""),
    "two of ours, one of them theirs": ([*pieces(OSLO + ROME), own("Rome")], ["Oslo", "Rome"], ""),
    "one of ours, theirs another": ([*pieces(OSLO), own("Rome")], ["Oslo", "Rome"], ""),
    "one of ours, theirs two": ([*pieces(OSLO), own("Oslo"), own("Rome")], ["Oslo", "Rome"], ""),
    "written once, parsed twice": ([*pieces(OSLO), own("Oslo"), own("Oslo")], ["Oslo", "Oslo"], ""),
    "written twice, parsed twice": ([*pieces(OSLO + OSLO), own("Oslo"), own("Oslo")], ["Oslo", "Oslo"], ""),
    "in turn": ([*pieces(OSLO), own("Oslo"), *pieces(ROME), own("Rome")], ["Oslo", "Rome"], ""),
    "another tool of theirs": ([*pieces(OSLO), Call("get_time", {})], ["Oslo", ""], ""),
}


def cities(calls: list[tuple[str, Any]]) -> list[str]:
    return sorted(arguments.get("city", "") for _, arguments in calls)


@pytest.mark.sampled(1, each="row")
@kinds
@pytest.mark.parametrize("row", ROWS)
def test_nobody_runs_it_twice(row: str, kind: Kind) -> None:
    sent, expected, text = ROWS[row]
    request = asked(kind, TOOLS)
    data = answer(kind, Turn(sent), request)
    for seed in range(4):
        found = said(kind, fed(lambda: reader(kind, request), data, random_sizes(seed)), request)
        assert cities(found.calls) == sorted(expected)
        assert text in found.text


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("kind", ["chat", "responses", "messages"])
def test_nor_where_arguments_stream(row: str, kind: Kind) -> None:
    sent, expected, _ = ROWS[row]
    request = asked(kind, TOOLS)
    data = repaired(kind, Turn(sent), request, whole_calls=False)
    assert cities(said(kind, data, request).calls) == sorted(expected)
    if kind == "responses":
        well_formed(events(data))


def well_formed(stream: list[dict[str, Any]]) -> None:
    """Numbers count on; every item is begun once, and is in the response at its place."""
    numbers = [each["sequence_number"] for each in stream]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    begun = [each["item"]["id"] for each in stream if each["type"] == "response.output_item.added"]
    assert len(set(begun)) == len(begun)
    ended = {each["output_index"]: each["item"] for each in stream if each["type"] == "response.output_item.done"}
    assert [ended[place] for place in sorted(ended)] == stream[-1]["response"]["output"]


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("kind", ["chat", "ollama"])
def test_a_whole_answer_is_a_stream_whose_text_comes_first(kind: Kind, row: str, single: bool) -> None:
    """It kept the markup of a call that the server had parsed."""
    parts, expected, _ = ROWS[row]
    parts = sorted(parts, key=lambda each: not isinstance(each, str))
    more = {"parallel_tool_calls": not single} if len(expected) == 1 else {}
    found = []
    for stream in (True, False):
        request = asked(kind, TOOLS, stream=stream, **more)
        found.append(said(kind, repaired(kind, Turn(parts), request), request))
    streamed, whole = found
    assert (whole.text, cities(whole.calls), whole.reason) == (streamed.text, cities(streamed.calls), streamed.reason)
    assert "<tool_call>" not in whole.text


@pytest.mark.parametrize("row", ROWS)
def test_the_events_of_a_response_fit_together(row: str) -> None:
    request = asked("responses", TOOLS)
    well_formed(events(repaired("responses", Turn(ROWS[row][0]), request)))


# -- a chat server that parses while it forwards -----------------------------------------------------------------------


def delta(reason: str | None = None, index: int = 0, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": fields, "finish_reason": reason}]}


def fragment(arguments: str, name: str | None = None, index: int = 0) -> dict[str, Any]:
    head = {} if name is None else {"id": f"own{index}", "type": "function"}
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {"tool_calls": [{"index": index, **head, "function": function}]}


def calls_of(chunks: list[dict[str, Any]]) -> list[tuple[int, str, Any]]:
    found: dict[int, list[str]] = {}
    for chunk in chunks:
        for each in chunk["choices"][0]["delta"].get("tool_calls") or ():
            parts = found.setdefault(each["index"], ["", ""])
            parts[0] += each["function"].get("name") or ""
            parts[1] += each["function"].get("arguments") or ""
    return [(index, name, json.loads(arguments or "{}")) for index, (name, arguments) in sorted(found.items())]


@pytest.mark.parametrize("whole_calls", [True, False])
def test_text_and_fragments_in_every_order(whole_calls: bool) -> None:
    """The two go side by side, shifted against each other by any number of pieces."""
    text = pieces(f"Look. {OSLO} Yes.", 4)
    theirs = [fragment("", "get_weather"), *map(fragment, pieces('{"city": "Oslo"}', 3))]
    for shift in range(-len(theirs), len(text) + 1):
        rows: dict[int, list[dict[str, Any]]] = {}
        for place, piece in enumerate(text):
            rows.setdefault(place, []).append(delta(content=piece))
        for place, fields in enumerate(theirs):
            rows.setdefault(place + shift, []).append(delta(**fields))
        stream = [each for place in sorted(rows) for each in rows[place]] + [delta("tool_calls")]
        found = list(dict_chunks(stream, TOOLS, whole_calls=whole_calls))
        assert calls_of(found) == [(0, "get_weather", {"city": "Oslo"})], shift
        shown = "".join(each["choices"][0]["delta"].get("content") or "" for each in found)
        assert shown.replace(OSLO, "").split() == ["Look.", "Yes."]  # where theirs came first, ours stays text
        assert found[-1]["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("end", ["", " Yes.", "\n\nYes.", "<|im_end|>", f"\n{ROME}"])
@pytest.mark.parametrize("parsed", [True, False], ids=["parsed, too", "a second one"])
def test_what_stays_text_keeps_its_closing_marker(parsed: bool, end: str) -> None:
    """Its text ended with its last brace, and `</tool_call>` was lost. In a whole answer, nothing of it stays."""
    text = ("" if parsed else ROME) + OSLO
    expected = {"": OSLO, "<|im_end|>": OSLO, f"\n{ROME}": f"{OSLO}\n{'' if parsed else ROME}"}.get(end, OSLO + end)
    theirs = [fragment('{"city": "Oslo"}', "get_weather")] if parsed else []
    message = {"content": text + end, "tool_calls": [{**each["tool_calls"][0], "id": "own"} for each in theirs]}
    whole: Any = chat.dict_completion(
        {"choices": [{"message": message, "finish_reason": "stop"}]}, TOOLS, single_call=not parsed
    )
    left = (end if "Yes." in end else None) if parsed else expected
    assert whole["choices"][0]["message"]["content"] == left
    for size in depth.chosen(range(1, len(text + end) + 1), 6, key=lambda each: f"{each} {text}{end}"):
        stream = [*(delta(**each) for each in theirs), *(delta(content=each) for each in pieces(text + end, size))]
        for whole_calls in (True, False):
            found = list(dict_chunks([*stream, delta("stop")], TOOLS, whole_calls=whole_calls, single_call=not parsed))
            assert "".join(each["choices"][0]["delta"].get("content") or "" for each in found) == expected


def test_both_in_one_chunk() -> None:
    both = delta(content=OSLO, **fragment('{"city": "Oslo"}', "get_weather"))
    assert len(calls_of(list(dict_chunks([both, delta("stop")], TOOLS)))) == 1


def test_a_name_in_pieces() -> None:
    theirs = [fragment("", "get_"), fragment("", "weather"), fragment('{"city": "Oslo"}')]
    for more in theirs[1:]:
        more["tool_calls"][0] |= {"id": "own0"}
    stream = [delta(content=OSLO), *(delta(**each) for each in theirs), delta("tool_calls")]
    assert calls_of(list(dict_chunks(stream, TOOLS))) == [(0, "get_weather", {"city": "Oslo"})]


def test_what_waited_for_its_arguments_goes_out_at_the_end() -> None:
    for ending in ([delta("length")], []):
        stream = [delta(content=OSLO), delta(**fragment("", "get_weather")), delta(**fragment('{"city": "Os'))]
        found = list(dict_chunks([*stream, *ending], TOOLS, whole_calls=True))
        fragments = [call for each in found for call in each["choices"][0]["delta"].get("tool_calls") or ()]
        assert [call["index"] for call in fragments] == [0, 0, 1, 1]
        assert "".join(call["function"]["arguments"] for call in fragments[2:]) == '{"city": "Os'


def test_a_call_without_arguments_both_ways() -> None:
    text = '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'
    for arguments in ("", "{}"):
        stream = [delta(content=text), delta(**fragment(arguments, "get_time")), delta("tool_calls")]
        assert calls_of(list(dict_chunks(stream, TOOLS))) == [(0, "get_time", {})]
        turned = [delta(**fragment(arguments, "get_time")), delta(content=text), delta("tool_calls")]
        assert calls_of(list(dict_chunks(turned, TOOLS))) == [(0, "get_time", {})]


def test_choices_do_not_meet() -> None:
    stream = [delta(content=OSLO), delta(index=1, **fragment('{"city": "Oslo"}', "get_weather")), delta("stop")]
    stream += [delta("tool_calls", index=1)]
    found = list(dict_chunks(stream, TOOLS, whole_calls=True))
    assert sum(bool(each["choices"][0]["delta"].get("tool_calls")) for each in found) == 3


def test_servers_that_give_every_call_the_index_0() -> None:
    theirs = [fragment('{"city": "Oslo"}', "get_weather"), fragment('{"city": "Rome"}', "get_weather")]
    theirs[1]["tool_calls"][0]["id"] = "own1"
    stream = [delta(content=OSLO), *(delta(**each) for each in theirs), delta("tool_calls")]
    found = list(dict_chunks(stream, TOOLS, whole_calls=True))
    sent = [call for each in found for call in each["choices"][0]["delta"].get("tool_calls") or ()]
    assert [json.loads(call["function"]["arguments"] or "{}").get("city") for call in sent] == [None, "Oslo", "Rome"]


def test_each_call_meets_one() -> None:
    rng = random.Random(3)
    duplicates = DuplicateFilter()
    for number in range(300):
        duplicates.add_written("f", {"n": number})
    order = list(range(300))
    rng.shuffle(order)
    assert all(duplicates.was_written("f", {"n": number}) for number in order)
    assert not duplicates.any_written
    assert duplicates.was_written("f", {"n": 1}) is False


@pytest.mark.parametrize("parsed_first", [True, False])
def test_other_calls_of_the_same_tool_are_not_compared(parsed_first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand calls in the text, and a thousand others of the server, took two seconds: each was compared to all."""
    compared: list[Any] = []

    def equal(one: Any, other: Any) -> bool:
        compared.append(one)
        return bool(one == other)

    monkeypatch.setattr(of_turn, "_equal", equal)
    calls = DuplicateFilter()
    for number in range(300):
        add, was = (calls.add_parsed, calls.was_parsed) if parsed_first else (calls.add_written, calls.was_written)
        add("f", {"n": number})
        assert was("f", {"n": -1 - number}) is False
        assert was("f", {"n": number - 10}) is (number >= 10)
    assert len(compared) < 300 * 2


VALUES: list[Any] = [
    5,
    5.0,
    "5",
    " 5",
    '"5"',
    True,
    "true",
    "True",
    1,
    "1",
    [5],
    ["5"],
    "[5]",
    "['5']",
    None,
    "null",
    "x",
]
VALUES += [{"a": 5}, '{"a": "5"}', "{a: 5}", "", [], {}, "[]", float("nan"), [[5]], "1e400", float("inf"), 10**30, 1e30]


@pytest.mark.parametrize("seed", range(30))
def test_the_first_that_is_the_same_is_matched(seed: int) -> None:
    """Whatever the order: as if all calls of the other source were compared one by one."""
    rng = random.Random(seed)
    values = rng.sample(VALUES, 4) if seed % 2 else VALUES[:6]
    calls, given, open_calls = DuplicateFilter(), list[Any](), list[Any]()
    for _ in range(200):
        name, value = rng.choice("fg"), rng.choice([None, *({"v": each} for each in values)])
        step = rng.randrange(4)
        if step == 0:
            sent = calls.add_written(name, value)
            given.append([name, value, sent])
            open_calls += [given[-1]] if value is None else []
        elif step == 1 and open_calls:
            call = open_calls.pop(rng.randrange(len(open_calls)))
            if value is None:
                calls.drop(call[2])
                given.remove(call)
            else:
                calls.know(call[2], value)
                call[1] = value
        elif step > 1:
            alike = [call for call in given if call[0] == name]
            first = next((call for call in alike if value and call[1] and alike_values(call[1], value)), None)
            unsure = any(value is None or call[1] is None for call in alike)
            assert calls.was_written(name, value) is (True if first else None if unsure else False)
            given = [call for call in given if call is not first]
        assert calls.any_written is bool(given)


def alike_values(one: Any, other: Any) -> bool:
    return same_values(one, other, of_turn._equal)


# -- a turn as events --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(len(OSLO) + 1))
def test_events_of_a_call_that_comes_both_ways(at: int) -> None:
    """The server's call, whole, somewhere in the text of the same call."""
    for given, expected in (("Oslo", ["Oslo"]), ("Rome", ["Oslo", "Rome"])):
        turn = ServerTurn(TOOLS, {"format": "hermes"})
        found = [*turn.text(OSLO[:at]), *turn.call("get_weather", {"city": given}), *turn.text(OSLO[at:])]
        output = fold([*found, *turn.finish()])
        assert cities([(call.name, call.arguments) for call in output.calls]) == expected
        assert sorted(call.index for call in output.calls) == list(range(len(expected)))
        assert not output.unfinished


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"n": 5}, {"n": "5"}, True),  # what the schema types, a server may leave as text
        ({"n": [1, {"on": True}]}, {"n": '[1, {"on": true}]'}, True),
        ({"n": [1, {"on": True}]}, {"n": ["1", {"on": "True"}]}, True),
        ({"n": None}, {"n": "null"}, True),
        ({"n": 1}, {"n": 1.0}, True),
        ({"n": True}, {"n": 1}, False),
        ({"n": [0]}, {"n": [False]}, False),
        ({"n": "5"}, {"n": "05"}, False),
        ({"n": 5}, {"n": "five"}, False),
        ({"n": 5}, {"n": 5, "m": 1}, False),
    ],
)
def test_which_values_are_the_same(one: Any, other: Any, *, same: bool) -> None:
    for sent, arrived in ((one, other), (other, one)):
        calls = DuplicateFilter()
        calls.add_parsed("f", sent)
        assert calls.was_parsed("f", arrived) is same


# -- two calls with one id ---------------------------------------------------------------------------------------------

KIMI_ID = "functions.get_weather:0"
KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    '{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>'
)


def ids_of(kind: Kind, data: bytes, *, stream: bool) -> list[str]:
    """The id of each call, once for each time that it is written."""
    if kind == "ollama":
        lines = [json.loads(line) for line in data.splitlines()]
        return [call["id"] for line in lines for call in line["message"].get("tool_calls") or ()]
    found = events(data) if stream else [json.loads(data)]
    if kind == "chat":
        said_in = [choice["delta" if stream else "message"] for each in found for choice in each["choices"]]
        return [call["id"] for each in said_in for call in each.get("tool_calls") or () if call.get("id")]
    if kind == "messages":
        blocks = [each.get("content_block", {}) for each in found] if stream else found[0]["content"]
        return [block["id"] for block in blocks if block.get("type") == "tool_use"]
    output = found[-1]["response"]["output"] if stream else found[0]["output"]
    for name in ("added", "done") if stream else ():
        sent = [each["item"] for each in found if each["type"] == f"response.output_item.{name}"]
        assert [item.get("call_id") for item in sent] == [item.get("call_id") for item in output]
    return [item["call_id"] for item in output if item["type"] == "function_call"]


@pytest.mark.parametrize("prefix", ["p", "functions.get_weather:"])
@pytest.mark.parametrize("whole_calls", [True, False])
@both
@kinds
def test_each_call_has_an_id_of_its_own(kind: Kind, stream: bool, whole_calls: bool, prefix: str) -> None:
    """Both kept the id, so a client could not say to which of the two a result belongs."""
    request = asked(kind, TOOLS, stream=stream)
    theirs = own("Rome", id=KIMI_ID)
    for turn in (Turn([theirs, *pieces(KIMI)]), Turn([*pieces(KIMI), theirs])):
        data = answer(kind, turn, request)
        for seed in range(3):
            new = lambda: reader(kind, request, format="kimi-k2", whole_calls=whole_calls, id_prefix=prefix)  # noqa: E731
            found = fed(new, data, random_sizes(seed))
            ids = ids_of(kind, found, stream=stream)
            assert (len(ids), len(set(ids)), KIMI_ID in ids) == (2, 2, True)
            assert cities(said(kind, found, request).calls) == ["Oslo", "Rome"]


@pytest.mark.parametrize("whole_calls", [True, False])
def test_a_server_that_repeats_the_id_of_its_call(whole_calls: bool) -> None:
    theirs = [fragment('{"city": ', "get_weather"), fragment('"Rome"}', "get_weather")]
    for each in theirs:
        each["tool_calls"][0]["id"] = KIMI_ID
    stream = [delta(content=KIMI), *(delta(**each) for each in theirs), delta("tool_calls")]
    found = list(dict_chunks(stream, TOOLS, whole_calls=whole_calls, format="kimi-k2"))
    sent = [call for each in found for call in each["choices"][0]["delta"].get("tool_calls") or () if "id" in call]
    assert [call["index"] for call in sent] == [0, 1, 1]
    assert sent[0]["id"] == KIMI_ID != sent[1]["id"] == sent[2]["id"]


@kinds
def test_a_server_whose_own_calls_have_one_id_is_not_corrected(kind: Kind) -> None:
    request = asked(kind, TOOLS)
    data = answer(kind, Turn([own("Rome", id="x"), own("Bern", id="x"), "Done."]), request)
    assert fed(lambda: reader(kind, request), data, random_sizes(1)) == data
