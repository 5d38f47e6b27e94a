"""Calls that leak into the text of the Responses API."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from tests.clients.each import LEAKS, each_leak, each_other_leak
from tests.clients.families import TOOLS, Leak
from tests.support.chunkings import chunkings
from tests.support.loopback import Call, Cut, Loopback, Malformed, Turn, serve

openai = pytest.importorskip("openai", reason="needs toolglean[openai]")

from toolglean.clients.openai import (  # noqa: E402
    aresponse_events,
    dict_response,
    dict_response_events,
    response,
    response_events,
)

FLAT: Any = [{"type": "function", **tool["function"]} for tool in TOOLS]


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with serve() as found:
        yield found


@pytest.fixture(scope="module")
def client(server: Loopback) -> Iterator[Any]:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0) as found:
        yield found


def create(client: Any) -> Any:
    return client.responses.create(model="m", input="Is it cold?", tools=FLAT, stream=True)


def outcome(events: Iterable[Any]) -> tuple[str, list[tuple[str, Any]]]:
    """Text and calls, which every account of the stream must agree on."""
    found = [event if isinstance(event, dict) else event.model_dump() for event in events]
    assert [event["sequence_number"] for event in found] == list(range(len(found)))
    text = "".join(event["delta"] for event in found if event["type"] == "response.output_text.delta")
    output = found[-1]["response"]["output"]
    calls = [item for item in output if item["type"] == "function_call"]
    spoken = [part["text"] for item in output if item["type"] == "message" for part in item["content"]]
    assert "".join(spoken) == text
    added = {event["output_index"]: event["item"] for event in found if event["type"] == "response.output_item.added"}
    done = {event["output_index"]: event["item"] for event in found if event["type"] == "response.output_item.done"}
    assert sorted(added) == sorted(done) == list(range(len(output)))
    assert [done[place] for place in sorted(done)] == output
    pieces: dict[str, str] = {}
    for event in found:
        if event["type"] == "response.function_call_arguments.delta":
            pieces[event["item_id"]] = pieces.get(event["item_id"], "") + event["delta"]
        if event["type"] == "response.function_call_arguments.done":
            assert pieces[event["item_id"]] == event["arguments"]
    assert {item["id"]: item["arguments"] for item in calls} == pieces
    assert len({item["call_id"] for item in calls}) == len(calls)
    return text.strip(), [(item["name"], json.loads(item["arguments"])) for item in calls]


@pytest.mark.sampled(4)
@each_leak
def test_a_leaked_call_is_what_a_structured_server_sends(leak: Leak, server: Loopback, client: Any) -> None:
    structured = Turn([leak.content or "x"], [Call(name, arguments) for name, arguments in leak.calls])
    server.play(structured, structured, Turn(list(leak.text)))
    given = outcome(create(client))
    assert outcome(response_events(create(client), TOOLS)) == given == (leak.content or "x", leak.calls)
    assert outcome(response_events(create(client), TOOLS)) == (leak.content, leak.calls)


@each_other_leak
def test_the_same_for_every_chunking(leak: Leak, server: Loopback, client: Any) -> None:
    server.play(Turn(["|"]))
    head, delta, *tail = split(list(create(client)))
    for chunks in chunkings(leak.text):
        events = head + [{**delta, "delta": chunk} for chunk in chunks] + tail[0]
        for place, event in enumerate(events := [dict(event) for event in events]):
            event["sequence_number"] = place
        assert outcome(dict_response_events(events, TOOLS)) == (leak.content, leak.calls), chunks


def split(events: list[Any]) -> tuple[list[Any], Any, list[Any]]:
    dicts = [event.model_dump() for event in events]
    place = next(i for i, event in enumerate(dicts) if event["type"] == "response.output_text.delta")
    return dicts[:place], dicts[place], dicts[place + 1 :]


async def test_async(server: Loopback) -> None:
    server.play(Turn(list(LEAKS[0].text)))

    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0) as own:
        found = [event async for event in aresponse_events(await create(own), TOOLS)]
    assert outcome(found) == (LEAKS[0].content, LEAKS[0].calls)


def test_plain_text_passes(server: Loopback, client: Any) -> None:
    server.play(Turn(["It is ", "cold."]), Turn(["It is ", "cold."]))
    given = [event.model_dump() for event in create(client)]
    found = [event.model_dump() for event in response_events(create(client), TOOLS)]
    assert [event["type"] for event in found] == [event["type"] for event in given]
    assert outcome(found) == outcome(given)


def test_a_call_that_is_cut_off_is_incomplete(server: Loopback, client: Any) -> None:
    text = '<tool_call>{"name": "get_weather", "arguments": {"city": "T'
    server.play(Turn(list(text)), Turn(list(text)))
    assert outcome(response_events(create(client), TOOLS, whole_calls=True)) == (text, [])
    found = [event.model_dump() for event in response_events(create(client), TOOLS)]
    item = next(item for item in found[-1]["response"]["output"] if item["type"] == "function_call")
    assert (item["status"], item["arguments"]) == ("incomplete", '{"city": "T')
    assert not [event for event in found if event["type"] == "response.function_call_arguments.done"]


# -- responses that were not streamed ----------------------------------------------------------------------------------


def whole(client: Any) -> Any:
    return client.responses.create(model="m", input="Is it cold?", tools=FLAT)


def said(found: Any) -> tuple[str, list[tuple[str, Any]]]:
    calls = [item for item in found.output if item.type == "function_call"]
    assert len({call.call_id for call in calls}) == len({call.id for call in calls}) == len(calls)
    return found.output_text.strip(), [(call.name, json.loads(call.arguments)) for call in calls]


@each_leak
def test_a_whole_response_is_what_a_structured_server_sends(leak: Leak, server: Loopback, client: Any) -> None:
    structured = Turn([leak.content or "x"], [Call(name, arguments) for name, arguments in leak.calls])
    server.play(structured, Turn([leak.text]))
    parsed, leaked = whole(client), whole(client)
    assert response(parsed, TOOLS) is parsed
    before = leaked.model_dump()
    found: Any = response(leaked, TOOLS)
    assert said(found) == (leak.content, leak.calls)
    assert said(parsed)[1] == said(found)[1]
    assert leaked.model_dump() == before
    assert {type(item) for item in found.output} <= {type(item) for item in parsed.output}


def test_odd_whole_responses_pass() -> None:
    part: dict[str, Any] = {"type": "output_text", "text": None}
    output: list[Any] = [
        None,
        {},
        {"type": "message"},
        {"type": "message", "content": [None, part, {"type": "refusal"}]},
    ]
    assert dict_response({"output": output}, TOOLS)["output"][3] == output[3]
    odd: Any
    for odd in ({"output": None, "id": "r"}, {}):
        assert dict_response(odd, TOOLS) == odd


# -- what is around the text -------------------------------------------------------------------------------------------


def message(text: str, place: int = 0, *, named: str = "", left_out: str = "") -> list[dict[str, Any]]:
    """The events of one message, its text character by character."""
    own = {"item_id": f"m{place}", "output_index": place, "content_index": 0}
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"id": named or f"m{place}", "type": "message", "role": "assistant", "content": [part]}
    events: list[dict[str, Any]] = [
        {"type": "response.output_item.added", "output_index": place, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **own, "part": {**part, "text": ""}},
        *({"type": "response.output_text.delta", **own, "delta": char} for char in text),
        {"type": "response.output_text.done", **own, "text": text},
        {"type": "response.content_part.done", **own, "part": part},
        {"type": "response.output_item.done", "output_index": place, "item": item},
    ]
    return [event for event in events if not left_out or not event["type"].endswith(left_out)]


def numbered(*messages: list[dict[str, Any]], end: str = "completed") -> list[dict[str, Any]]:
    """The events of a response."""
    output = [event["item"] for events in messages for event in events if event["type"].endswith("output_item.done")]
    events = [each for events in messages for each in events]
    events = [*events, {"type": f"response.{end}", "response": {"id": "r", "output": output}}]
    return [event | {"sequence_number": place} for place, event in enumerate(events)]


HERMES = '<tool_call>{"name": "get_weather", "arguments": {"city": "x"}}</tool_call>'


def test_reasoning_becomes_an_item() -> None:
    text = f"<think>Hm, <b>.</think>Yes. {HERMES}"
    for cut in (numbered(message(text)), numbered(message(text), end="incomplete")):
        found = list(dict_response_events(cut, TOOLS, format="hermes"))
        assert outcome(found) == ("Yes.", [("get_weather", {"city": "x"})])
        kinds = [item["type"] for item in found[-1]["response"]["output"]]
        assert kinds == ["reasoning", "message", "function_call"]  # OpenAI's order
        assert found[-1]["response"]["output"][0]["content"] == [{"type": "reasoning_text", "text": "Hm, <b>."}]
        thoughts = [event for event in found if event["type"].startswith("response.reasoning_text")]
        assert "".join(event["delta"] for event in thoughts[:-1]) == thoughts[-1]["text"] == "Hm, <b>."


@pytest.mark.parametrize("left_out", ["", "output_text.done", "content_part.done", "output_item.done"])
def test_text_that_waits_comes_before_the_message_is_closed(left_out: str) -> None:
    events = numbered(message("Is a <", left_out=left_out))
    found = list(dict_response_events(events, TOOLS))
    assert "".join(event.get("delta", "") for event in found) == "Is a <"
    last = max(place for place, event in enumerate(found) if "delta" in event)
    closed = [place for place, event in enumerate(found) if event["type"].endswith(".done")]
    assert not closed or last < closed[0]


def test_several_messages_have_calls_with_ids_of_their_own() -> None:
    found = list(dict_response_events(numbered(message(HERMES), message(HERMES, 1)), TOOLS))
    assert outcome(found) == ("", [("get_weather", {"city": "x"})] * 2)
    assert [item["type"] for item in found[-1]["response"]["output"]] == ["function_call"] * 2


@pytest.mark.parametrize("whole_calls", [True, False])
def test_messages_that_are_written_at_the_same_time_are_one_text(whole_calls: bool) -> None:
    """Each piece was a text of its own: a call in a quotation ran, if another message came between its marks."""
    begun, other = message("Write `")[:-3], message("Hm.", 1)
    rest = [event for event in message(f"{HERMES}` here.") if event["type"].endswith("text.delta")]
    ends = message(f"Write `{HERMES}` here.")[-3:]
    found = list(
        dict_response_events(numbered([*begun, *other[:-3], *rest, *other[-3:], *ends]), TOOLS, whole_calls=whole_calls)
    )
    texts = ["", ""]
    for event in found:
        if event["type"] == "response.output_text.delta":
            texts[event["output_index"]] += event["delta"]
    assert texts == [f"Write `{HERMES}` here.", "Hm."]
    assert not [event for event in found if event.get("item", {}).get("type") == "function_call"]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ('<tool_call>\n{"name": "get_weather", "arguments": {"city": "x"}} // cancelled\n</tool_call>', "<malformed>"),
        ('<tool_call>\n{"name": "get_weather", "arguments": {"city": "x"}', "<incomplete>"),
        ('<tool_call>\n{"name": "get_weather", "arguments": {"city": "x", y}}\n</tool_call>', ',<malformed>",<malformed>'),
        ('<tool_call>\n{"name": "get_weather", "arguments": {"city": "x', ""),  # nothing may follow it
    ],
)  # fmt: skip
def test_a_client_that_joins_the_pieces_of_a_refused_call_has_no_json(text: str, last: str) -> None:
    # Only the item had the mark. The pieces before it were complete arguments, or half of an object.
    found = list(dict_response_events(numbered(message(text)), TOOLS, whole_calls=False, format="hermes"))
    deltas = [each["delta"] for each in found if each["type"] == "response.function_call_arguments.delta"]
    [item] = [each for each in found[-1]["response"]["output"] if each["type"] == "function_call"]
    assert (item["arguments"], item["status"]) == ("".join(deltas), "incomplete")
    assert "".join(deltas).endswith(last)
    with pytest.raises(json.JSONDecodeError):
        json.loads("".join(deltas))
    assert not [each for each in found if each["type"] == "response.function_call_arguments.done"]


def test_a_message_of_which_nothing_remains_is_left_out() -> None:
    for text, kinds in (
        (HERMES, ["function_call"]),
        (f"{HERMES}\nDone.", ["function_call", "message"]),
        ("", ["message"]),
    ):
        found = list(dict_response_events(numbered(message(text)), TOOLS, format="hermes"))
        assert [item["type"] for item in found[-1]["response"]["output"]] == kinds
        added = [event["item"]["type"] for event in found if event["type"] == "response.output_item.added"]
        assert added == kinds
        whole = dict_response(numbered(message(text))[-1]["response"], TOOLS, format="hermes")
        assert sorted(item["type"] for item in whole["output"]) == sorted(kinds)


def of_call(place: int, *, ends: bool = True) -> list[dict[str, Any]]:
    """The events of a call that the server has parsed, the same as `HERMES`."""
    item = {"id": f"f{place}", "type": "function_call", "call_id": "c", "name": "get_weather", "arguments": ""}
    at = {"output_index": place}
    done = {**item, "arguments": '{"city": "x"}', "status": "completed"}
    pieces = [{"item_id": item["id"], **at, "delta": each} for each in ('{"city"', ': "x"}')]
    return [
        {"type": "response.output_item.added", **at, "item": item},
        *({"type": "response.function_call_arguments.delta", **each} for each in pieces),
        *([{"type": "response.output_item.done", **at, "item": done}] if ends else []),
    ]


@pytest.mark.parametrize("whole_calls", [True, False])
def test_what_follows_a_call_that_came_both_ways_has_the_next_index(whole_calls: bool) -> None:
    """Two items of the server were left out and one of ours was sent: the next one had the index 2 after 0, and the
    openai package, which puts items where they say they are, raised an IndexError.
    """
    time = {"type": "function_call", "id": "t", "call_id": "t", "name": "get_time", "arguments": "{}"}
    other = [{"type": f"response.output_item.{kind}", "output_index": 2, "item": time} for kind in ("added", "done")]
    for text in (HERMES, f"<think>Hm</think>{HERMES}", f"Look. {HERMES}"):
        for last in (other, message("Done.", 2), message(HERMES.replace('"x"', '"y"'), 2)):
            sent = numbered(message(text), of_call(1), last)
            found = list(dict_response_events(sent, TOOLS, format="hermes", whole_calls=whole_calls))
            added = [each["output_index"] for each in found if each["type"] == "response.output_item.added"]
            assert added == list(range(len(found[-1]["response"]["output"])))


@pytest.mark.parametrize("whole_calls", [True, False])
def test_a_server_that_does_not_end_its_call(whole_calls: bool) -> None:
    """What is in the text, too, is one call. If it came first, it was two; if it came last, its text was lost."""
    for events in ([*message(HERMES), *of_call(1, ends=False)], [*of_call(0, ends=False), *message(HERMES, 1)]):
        found = list(dict_response_events(numbered(events), TOOLS, whole_calls=whole_calls))
        added = [each["item"]["type"] for each in found if each["type"].endswith("output_item.added")]
        text = "".join(each["delta"] for each in found if each["type"] == "response.output_text.delta")
        first = events[0]["item"]["type"] == "function_call"
        assert (added, text) == ((["function_call", "message"], HERMES) if first else (["function_call"], ""))


def test_a_server_that_begins_a_call_twice() -> None:
    """The first one has not ended, and is not complete either: the second one does not wait for that."""
    events, read = numbered([*of_call(0, ends=False)[:2], *of_call(0)]), []

    def sent() -> Iterator[dict[str, Any]]:
        for event in events:
            read.append(event)
            yield event

    assert [(event, len(read)) for event in dict_response_events(sent(), TOOLS)] == list(
        zip(events, range(1, len(events) + 1), strict=True)
    )


def test_a_server_that_names_the_message_anew_at_its_end() -> None:
    found = list(dict_response_events(numbered(message(HERMES, named="other")), TOOLS))
    assert outcome(found) == ("", [("get_weather", {"city": "x"})])


@pytest.mark.parametrize("kind", ["message", "reasoning"])
def test_items_with_the_same_id_keep_their_texts(kind: str) -> None:
    """The second one's text replaced the first one's, even without any call."""
    part = {"type": "output_text" if kind == "message" else "reasoning_text", "text": "Two."}
    first, second = message("One."), message(f"Two.{HERMES}", 1)
    output = [first[-1]["item"], {"id": "m0", "type": kind, "content": [part]}]
    assert dict_response({"output": output}, TOOLS) == {"output": output}
    events = json.loads(json.dumps(numbered(first, second)).replace('"m1"', '"m0"'))
    assert outcome(dict_response_events(events, TOOLS)) == ("One.Two.", [("get_weather", {"city": "x"})])
    # An id alone tells them apart, if a server does not count.
    events = json.loads(json.dumps(numbered(first, second)).replace('"output_index": 1', '"output_index": 0'))
    output = list(dict_response_events(events, TOOLS))[-1]["response"]["output"]
    assert [part["text"] for item in output if item["type"] == "message" for part in item["content"]] == [
        "One.",
        "Two.",
    ]


def test_odd_events_pass() -> None:
    late = {"type": "response.output_text.delta", "item_id": "m0", "output_index": 0, "content_index": 0, "delta": "x"}
    odd: list[dict[str, Any]] = [{}, {"type": None}, {"type": ["x"]}, {"type": "response.completed"}, {"delta": "<"}]
    odd += [{"type": "response.output_item.done", "item": None}, {"type": "response.output_text.delta", "delta": None}]
    found = list(dict_response_events([*message("a"), late, *odd], TOOLS))
    assert found[-len(odd) - 1 :] == [late, *odd]


def test_events_that_only_one_server_knows_are_numbered_and_no_more(server: Loopback, client: Any) -> None:
    events = numbered(message(HERMES))
    own = {"type": "vendor.progress", "percent": [7], "output_index": [], "sequence_number": 0}
    server.play(Turn(raw=[*events[:-1], own, events[-1]]))
    found: list[Any] = list(response_events(create(client), TOOLS))
    told = next(event for event in found if event.type == "vendor.progress")
    assert told.model_dump(exclude_unset=True, warnings=False) == own | {"sequence_number": told.sequence_number}
    assert [event.sequence_number for event in found] == list(range(len(found)))


@pytest.mark.sampled(5)
@each_other_leak
def test_the_package_itself_can_join_what_comes(leak: Leak, server: Loopback, client: Any) -> None:
    from openai.lib.streaming.responses._responses import ResponseStreamState  # noqa: PLC0415  # no public way in

    server.play(Turn(list(leak.text)))
    state: Any = ResponseStreamState(input_tools=FLAT, text_format=openai.NOT_GIVEN)
    arguments: list[str] = []
    for event in response_events(create(client), TOOLS):
        for told in state.handle_event(event):
            arguments += [told.arguments] if told.type == "response.function_call_arguments.done" else []
    assert [json.loads(text) for text in arguments] == [arguments for _, arguments in leak.calls]


@pytest.mark.parametrize("fault", [Cut(5), Malformed(5)], ids=["cut", "malformed"])
def test_text_that_waited_comes_before_the_error(fault: Any, server: Loopback, client: Any) -> None:
    server.play(Turn(["It is <tool_c", "x"], faults=[fault]))
    found = []
    with pytest.raises(Exception, match=r".") as caught:  # noqa: PT012
        for event in response_events(create(client), TOOLS):
            found += [event.delta] if event.type == "response.output_text.delta" else []
    assert "".join(found) == "It is <tool_c"
    assert not isinstance(caught.value, AssertionError)


# -- servers that number their items in another way --------------------------------------------------------------------

CITY = {"city": "x"}
LOOK = f"Look. {HERMES}"
Heard = tuple[str, list[tuple[str, Any]]]


def parsed(place: int, name: str = "get_weather", arguments: Any = CITY) -> dict[str, Any]:
    """A call that the server has parsed."""
    named = {"id": f"f{place}", "call_id": f"c{place}", "name": name}
    return {**named, "type": "function_call", "arguments": json.dumps(arguments), "status": "completed"}


def of_parsed(item: dict[str, Any], place: int) -> list[dict[str, Any]]:
    """The events of an item that comes in one piece."""
    at = {"item_id": item["id"], "output_index": place}
    given = {"arguments": item.get("arguments")}
    pieces = [("delta", {"delta": item.get("arguments")}), ("done", given)] if "arguments" in item else []
    return [
        {"type": "response.output_item.added", "output_index": place, "item": {**item, "arguments": ""}},
        *({"type": f"response.function_call_arguments.{kind}", **at, **piece} for kind, piece in pieces),
        {"type": "response.output_item.done", "output_index": place, "item": item},
    ]


def thought(text: str = "Hm.") -> dict[str, Any]:
    return {"id": "r", "type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": text}]}


def spoken(text: str, name: str = "m0") -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": name, "type": "message", "role": "assistant", "content": [part]}


def text_and_calls(items: Iterable[Any]) -> Heard:
    given = list(items)
    text = "".join(part["text"] for item in given if item["type"] == "message" for part in item["content"])
    return text.strip(), [
        (item["name"], json.loads(item["arguments"])) for item in given if item["type"] == "function_call"
    ]


def heard(events: Iterable[Any], *, whole_calls: bool = False) -> Heard:
    """Text and calls: the same by the pieces, by the items that ended, and in the whole response."""
    found = list(dict_response_events(events, TOOLS, whole_calls=whole_calls))
    output = found[-1]["response"]["output"]
    said = text_and_calls(output)
    assert text_and_calls(event["item"] for event in found if event["type"].endswith("output_item.done")) == said
    assert "".join(event["delta"] for event in found if event["type"].endswith("output_text.delta")).strip() == said[0]
    assert len({item["call_id"] for item in output if item["type"] == "function_call"}) == len(said[1])
    return said


def by_llama_cpp(pieces: list[str], calls: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """As llama.cpp sends them: no index, no id but the call_id for a call, and all ends at the end."""
    bare = [{key: value for key, value in call.items() if key != "id"} for call in calls]
    text = "".join(pieces)
    items = [thought(), *([spoken(text)] if text else []), *bare]
    for item in items:
        empty: dict[str, Any] = {"arguments": ""} if item["type"] == "function_call" else {"content": []}
        yield {"type": "response.output_item.added", "item": {**item, **empty}}
        if item["type"] == "reasoning":
            yield {"type": "response.reasoning_text.delta", "item_id": "r", "delta": "Hm."}
        elif item["type"] == "message":
            part = {"type": "output_text", "text": ""}
            yield {"type": "response.content_part.added", "item_id": "m0", "part": part}
            yield from ({"type": "response.output_text.delta", "item_id": "m0", "delta": each} for each in pieces)
        else:
            at = {"item_id": item["call_id"]}
            yield from (
                {"type": "response.function_call_arguments.delta", **at, "delta": each} for each in item["arguments"]
            )
    for item in items:
        if item["type"] == "message":
            yield {"type": "response.output_text.done", "item_id": "m0", "text": text}
            yield {"type": "response.content_part.done", "item_id": "m0", "part": item["content"][0]}
        yield {"type": "response.output_item.done", "item": item}
    yield {"type": "response.completed", "response": {"id": "r", "output": items}}


@pytest.mark.parametrize("whole_calls", [True, False])
def test_a_server_without_any_index(whole_calls: bool) -> None:
    """A call that llama.cpp had also parsed ran twice, and the markup stayed in the message that had ended."""
    time = parsed(2, "get_time", {})
    both = [("get_weather", CITY), ("get_time", {})]
    for text, calls, expected in (
        (LOOK, [], ("Look.", both[:1])),
        (LOOK, [parsed(1)], ("Look.", both[:1])),
        (HERMES, [parsed(1), time], ("", both)),
        (LOOK, [time], ("Look.", both)),
        ("Look.", [parsed(1), time], ("Look.", both)),
    ):
        for pieces in chunkings(text):
            events = list(by_llama_cpp(pieces, calls))
            assert heard(events, whole_calls=whole_calls) == expected, pieces
            assert text_and_calls(dict_response(events[-1]["response"], TOOLS)["output"]) == expected
    # Ours are counted with those that the server does not count.
    found = list(dict_response_events(by_llama_cpp([LOOK], []), TOOLS, whole_calls=whole_calls))
    assert {event["output_index"] for event in found if "output_index" in event} == {2}


def by_old_vllm(pieces: list[str], output: list[dict[str, Any]], *, thinks: bool) -> list[dict[str, Any]]:
    """As vLLM 0.10 to 0.12 sends them: content_index grows with every piece, and after reasoning the message is added
    with the id and the index of that.
    """
    events: list[dict[str, Any]] = []
    part = {"type": "output_text", "text": "", "annotations": []}
    for index, texts in enumerate([["H", "m."], pieces] if thinks else [pieces]):
        kind = "output_text" if texts is pieces else "reasoning_text"
        item = spoken("".join(texts), f"u{index}") if texts is pieces else {**thought(), "id": "u0"}
        at = {"output_index": index, "item_id": f"u{index}"}
        empty = {**item, "id": "u0", "content": []}
        events += [
            {"type": "response.output_item.added", "output_index": 0, "item": empty},
            {"type": "response.content_part.added", **at, "content_index": 0, "part": part},
        ]
        for count, piece in enumerate(texts):
            events.append({"type": f"response.{kind}.delta", **at, "content_index": count + 1, "delta": piece})
        last = len(texts) + 1
        events.append({"type": f"response.{kind}.done", **at, "content_index": last, "text": "".join(texts)})
        if texts is pieces:
            done = {"content_index": last + 1, "part": item["content"][0]}
            events.append({"type": "response.content_part.done", **at, **done})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": {"id": "r", "output": output}})
    return [event | {"sequence_number": place} for place, event in enumerate(events)]


@pytest.mark.parametrize("thinks", [True, False])
@pytest.mark.parametrize("whole_calls", [True, False])
def test_content_indexes_that_grow_with_every_piece(whole_calls: bool, thinks: bool) -> None:
    """Each piece was a text of its own: no call was found, and one in a code block ran if it came in one piece."""
    before = [{**thought(), "id": "rs"}] if thinks else []
    quoted = ["Never do it like this:\n```xml\n", HERMES, "\n```\nDone."]
    found = heard(by_old_vllm(quoted, [*before, spoken("".join(quoted), "x")], thinks=thinks), whole_calls=whole_calls)
    assert found == ("".join(quoted), [])
    for text, content in ((LOOK, "Look."), (HERMES, ""), ("Look.", "Look.")):
        calls = [("get_weather", CITY)] if HERMES in text else []
        for pieces in chunkings(text):
            events = by_old_vllm(pieces, [*before, spoken(text, "x")], thinks=thinks)
            assert heard(events, whole_calls=whole_calls) == (content, calls), pieces
            assert text_and_calls(dict_response(events[-1]["response"], TOOLS)["output"]) == (content, calls)


@pytest.mark.parametrize("whole_calls", [True, False])
def test_a_call_that_is_parsed_only_in_the_whole_response(whole_calls: bool) -> None:
    """It was there twice, or another call was lost that had the index of the message."""
    for thinks in (True, False):
        before = [{**thought(), "id": "rs"}] if thinks else []
        for text, output in (
            (LOOK, [*before, spoken("Look. ", "x"), parsed(9)]),
            (HERMES, [*before, parsed(9)]),
            (LOOK + HERMES, [*before, spoken("Look. ", "x"), parsed(8), parsed(9)]),
        ):
            for pieces in chunkings(text):
                events = by_old_vllm(pieces, output, thinks=thinks)
                assert heard(events, whole_calls=whole_calls) == text_and_calls(output), pieces
                assert text_and_calls(dict_response({"output": output}, TOOLS)["output"]) == text_and_calls(output)
        events = by_old_vllm([HERMES], [*before, parsed(9, "get_time", {})], thinks=thinks)
        found = list(dict_response_events(events, TOOLS, whole_calls=whole_calls))
        calls = text_and_calls(found[-1]["response"]["output"])[1]
        assert sorted(name for name, _ in calls) == ["get_time", "get_weather"]


@pytest.mark.parametrize("whole_calls", [True, False])
@pytest.mark.parametrize("ids", ["", "other"])
def test_items_that_have_another_place_in_the_whole_response(ids: str, whole_calls: bool) -> None:
    """The place in the list was taken for the index: a call that was left out came back, and another one was lost."""
    same, other = parsed(2), parsed(3, arguments={"city": "y"})
    events = numbered(of_parsed(thought(), 0), message(LOOK, 1), of_parsed(same, 2), of_parsed(other, 3))
    calls = [{**call, "id": f"{ids}{call['id']}", "call_id": f"{ids}{call['call_id']}"} for call in (same, other)]
    for output in ([spoken(LOOK, "m1"), *calls], [*calls, spoken(LOOK, "m1")], [*calls, thought()]):
        events[-1]["response"]["output"] = output
        found = list(dict_response_events(events, TOOLS, whole_calls=whole_calls))
        text, kept = text_and_calls(found[-1]["response"]["output"])
        assert text == ("" if output[-1]["type"] == "reasoning" else "Look.")
        assert sorted(arguments["city"] for _, arguments in kept) == ["x", "y"]


def by_ollama(pieces: list[str], calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As Ollama sends them: the first call has the index of the message, which does not end if there are calls."""
    events = [event for event in message("".join(pieces))[:2] if pieces]
    at = {"item_id": "m0", "output_index": 0, "content_index": 0}
    events += [{"type": "response.output_text.delta", **at, "delta": piece} for piece in pieces]
    events += [event for place, call in enumerate(calls) for event in of_parsed(call, place)]
    events.append({"type": "response.completed", "response": {"id": "r", "output": calls}})
    return [event | {"sequence_number": place} for place, event in enumerate(events)]


@pytest.mark.parametrize("whole_calls", [True, False])
def test_a_call_with_the_index_of_the_message_before_it(whole_calls: bool) -> None:
    """The call was taken for the message, of which nothing remained, and was left out of the whole response."""
    other, time = parsed(0, arguments={"city": "y"}), parsed(1, "get_time", {})
    for text in (HERMES, LOOK):
        for own, expected in (
            ([other, time], [("get_weather", CITY), ("get_weather", {"city": "y"}), ("get_time", {})]),
            ([parsed(0), time], [("get_weather", CITY), ("get_time", {})]),
        ):
            for pieces in chunkings(text):
                found = list(dict_response_events(by_ollama(pieces, own), TOOLS, whole_calls=whole_calls))
                done = [event["item"] for event in found if event["type"].endswith("item.done")]
                assert text_and_calls(done)[1] == expected, pieces
                assert found[-1]["response"]["output"] == done
                added = [event["output_index"] for event in found if event["type"].endswith("item.added")]
                assert added == list(range(len(added)))


def moved(item: dict[str, Any], places: Iterator[int], names: Iterator[str]) -> list[dict[str, Any]]:
    """The events of a call, each with the next id and the next index."""
    events = json.loads(json.dumps(of_parsed(item, 0)))
    for event in events:
        event["output_index"] = next(places)
        holder, names_of = (event["item"], ["id", "call_id"]) if "item" in event else (event, ["item_id"])
        holder |= {name: next(names) for name in names_of}
    return list(events)


@pytest.mark.parametrize("whole_calls", [True, False])
@pytest.mark.parametrize("text", ["", "Look.", LOOK, HERMES + HERMES.replace('"x"', '"y"')])
def test_a_call_that_is_renamed_and_moved_with_every_event(text: str, whole_calls: bool) -> None:
    """Of a call that the text had given, too, the end was another call: it ran twice."""
    same, other = parsed(1), parsed(2, arguments={"city": "y"})
    for calls in ([same], [same, other], [other, same], [same, same]):
        for ids in (["a"], ["a", "b"], [f"i{count}" for count in range(99)]):
            for step in (0, 1):
                places, names = itertools.count(1, step), itertools.cycle(ids)
                spoke = message(text) if text else []
                sent = [moved(call, places, names) for call in calls]
                if step == 0 and len(ids) < 3 and len(calls) > 1:
                    continue  # nobody can tell them apart
                events = numbered(spoke, *sent)
                last = [{**call, "id": next(names), "call_id": next(names)} for call in calls]
                events[-1]["response"]["output"] = [*([spoken(text)] if text else []), *last]
                found = list(dict_response_events(events, TOOLS, whole_calls=whole_calls))
                given = [call["arguments"] for call in calls]
                leaked = {json.dumps(CITY): text.count('"x"'), json.dumps({"city": "y"}): text.count('"y"')}
                expected = sorted(text for text in leaked for _ in range(max(given.count(text), leaked[text])))
                done = [event["item"] for event in found if event["type"].endswith("item.done")]
                for items in (done, found[-1]["response"]["output"]):
                    assert sorted(json.dumps(arguments) for _, arguments in text_and_calls(items)[1]) == expected
                added = [event["output_index"] for event in found if event["type"].endswith("item.added")]
                assert not expected or len(added) == len(done)
