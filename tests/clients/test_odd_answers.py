"""Answers with more in them than text, and from servers with ways of their own: each row was wrong once, or nearly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.clients.answers import asked, fed, reader, repaired, said
from tests.clients.families import CALLS, TOOLS
from tests.clients.families import HERMES as LEAK
from tests.support.loopback import Turn
from tests.support.work import calls_made
from toolglean.clients import chat, responses

# Servers send fields that the types do not know; tests/project/typing checks the types.
dict_chunks: Any = chat.dict_chunks
dict_completion: Any = chat.dict_completion
dict_response: Any = responses.dict_response
dict_response_events: Any = responses.dict_response_events

[CALL] = CALLS


def delta(reason: str | None = None, index: int = 0, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": fields, "finish_reason": reason}]}


def choices(chunks: list[dict[str, Any]], index: int = 0) -> list[dict[str, Any]]:
    return [each for chunk in chunks for each in chunk["choices"] if each["index"] == index]


def calls_in(message: dict[str, Any]) -> list[tuple[str, Any]]:
    functions = [call["function"] for call in message.get("tool_calls") or ()]
    return [(each["name"], json.loads(each["arguments"])) for each in functions]


# -- the chat API ------------------------------------------------------------------------------------------------------


def test_whole_content_in_parts_is_read() -> None:
    """Mistral's server writes content as a list of parts, streamed and whole."""
    for parts in ([LEAK], ["Look. ", LEAK], [LEAK[:30], LEAK[30:]]):
        content = [{"type": "text", "text": part} for part in parts]
        answer = {
            "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]
        }
        found = dict_completion(answer, TOOLS)["choices"][0]
        assert calls_in(found["message"]) == [CALL]
        assert (found["message"]["content"] or "").strip() == "".join(parts).replace(LEAK, "").strip()
        assert found["finish_reason"] == "tool_calls"
    plain = {"choices": [{"index": 0, "message": {"content": [{"type": "text", "text": "a < b"}]}}]}
    assert dict_completion(plain, TOOLS) == plain


def test_parts_that_are_no_text_are_kept() -> None:
    content = [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": f"Look. {LEAK}"}]
    answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]}
    message = dict_completion(answer, TOOLS)["choices"][0]["message"]
    assert calls_in(message) == [CALL]
    assert message["content"] == [content[0], {"type": "text", "text": "Look. "}]
    # In a stream they were lost.
    for call in (0, 1):
        given = [delta(content=content[:call]), delta("stop", content=content[call:])]
        found = choices(list(dict_chunks(given, TOOLS)))
        assert [text for each in found if (text := each["delta"].get("content"))] == [content[:1], "Look. "]


def test_a_reason_that_comes_twice() -> None:
    """A client takes the last one; "stop" would tell it that there is no call to run."""
    found = list(dict_chunks([delta(content=LEAK), delta("stop"), delta("stop")], TOOLS))
    assert [each["finish_reason"] for each in choices(found)][-2:] == ["tool_calls", "tool_calls"]
    plain = [delta(content="Hi"), delta("stop"), delta("stop")]
    assert list(dict_chunks(plain, TOOLS)) == plain


def test_old_calls_that_come_both_ways() -> None:
    """Joined, two fragments with a name would be one call of `get_weatherget_weather`."""
    theirs = [delta(function_call={"name": "get_weather", "arguments": ""})]
    theirs += [delta(function_call={"arguments": part}) for part in ('{"city": ', '"Oslo"}')]
    for stream in ([delta(content=LEAK), *theirs], [*theirs, delta(content=LEAK)]):
        found = list(dict_chunks([*stream, delta("function_call")], TOOLS, legacy=True))
        pieces = [each["delta"]["function_call"] for each in choices(found) if "function_call" in each["delta"]]
        assert "".join(each.get("name", "") for each in pieces) == "get_weather"
        assert json.loads("".join(each.get("arguments", "") for each in pieces)) == {"city": "Oslo"}
        assert choices(found)[-1]["finish_reason"] == "function_call"


def test_choices_end_at_different_times() -> None:
    stream = [delta(content="a <to"), delta(index=1, content=LEAK), delta("stop"), delta(index=2, content="b <to")]
    stream += [delta("stop", index=1), delta("length", index=2)]
    found = list(dict_chunks(stream, TOOLS))
    shown = ["".join(each["delta"].get("content", "") for each in choices(found, index)) for index in range(3)]
    reasons = [[each["finish_reason"] for each in choices(found, index)][-1] for index in range(3)]
    assert (shown, reasons) == (["a <to", "", "b <to"], ["stop", "tool_calls", "length"])


def test_more_choices_than_a_request_may_ask_for_are_passed_through() -> None:
    # Each kept a parser, also if it said nothing: an event of 1.8 MB took 523 MiB and 10 s.
    def work(count: int) -> int:
        chunk = {"choices": [{"index": number} for number in range(count)]}
        return calls_made(lambda: [*dict_chunks([chunk], TOOLS)])

    work(10)
    assert work(10_000) < 20 * 10_000
    most = chat.reader.MOST_CHOICES
    chunks = [delta("stop", index, content=LEAK) for index in range(most + 2)]
    found = [*dict_chunks(chunks, TOOLS)]
    assert found[-2:] == chunks[-2:]
    assert [choices(found, index)[-1]["finish_reason"] for index in (0, most - 1, most)] == [
        *["tool_calls"] * 2,
        "stop",
    ]
    messages = [{"index": each, "message": {"content": LEAK}, "finish_reason": "stop"} for each in range(most + 2)]
    whole = dict_completion({"choices": messages}, TOOLS)["choices"]
    assert whole[-2:] == messages[-2:]
    assert calls_in(whole[most - 1]["message"]) == [CALL]


def test_an_event_costs_the_same_after_many_choices() -> None:
    # All choices were asked for each event: 4,000 took 12 s.
    def work(count: int) -> int:
        chunks = [delta(None, index, content="x") for index in range(count)]
        read = chat.reader.StreamReader(TOOLS, {})
        return calls_made(lambda: [(read.read(each), read.pristine, read.waits) for each in chunks])

    work(10)
    assert work(2000) < 6 * work(500)


@pytest.mark.parametrize(
    "more",
    [
        {"refusal": "no"},
        {"audio": {"id": "a", "data": "x"}},
        {"reasoning_content": "Hm", "reasoning": "Hm"},
        {"annotations": [{"type": "url_citation"}]},
        {"role": "assistant", "content": None},
    ],
    ids=str,
)
def test_what_stands_beside_a_leak_is_kept(more: dict[str, Any]) -> None:
    stream = [delta(content=f"Look. {LEAK[:20]}"), delta(**{"content": LEAK[20:], **more})]
    if more.get("content", "") is None:
        stream = [delta(**more), delta(content=f"Look. {LEAK}"), delta(content=None)]
    found = list(dict_chunks([*stream, delta("stop")], TOOLS))
    kept: dict[str, Any] = {}
    for each in choices(found):
        kept |= {name: value for name, value in each["delta"].items() if name in more and name != "content"}
    assert kept == {name: value for name, value in more.items() if name != "content"}
    assert any("tool_calls" in each["delta"] for each in choices(found))


def test_logprobs_and_usage_are_told_once() -> None:
    pieces = [LEAK[begin : begin + 11] for begin in range(0, len(LEAK), 11)]
    stream = [delta(content=piece) for piece in pieces] + [delta("stop")]
    for number, chunk in enumerate(stream):
        chunk["usage"] = {"total_tokens": number}
        chunk["choices"][0]["logprobs"] = {"content": [number]}
    found = list(dict_chunks([*stream, {"choices": [], "usage": {"total_tokens": 99}}], TOOLS))
    told = [each["logprobs"]["content"][0] for each in choices(found) if each.get("logprobs")]
    counted = [each["usage"]["total_tokens"] for each in found if each.get("usage")]
    assert (told, counted) == (list(range(len(stream))), [*range(len(stream)), 99])


def test_the_last_event_without_its_line_breaks() -> None:
    """Some servers end the connection right after their last event."""
    request = asked("chat", TOOLS)
    data = b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in (delta(content=LEAK), delta("stop")))
    for cut in (data.rstrip(b"\n"), data[:-1], data):
        assert said("chat", fed(lambda: reader("chat", request), cut, lambda: 9), request).calls == [CALL]


# -- the Responses API -------------------------------------------------------------------------------------------------


def message(text: str) -> dict[str, Any]:
    return {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def test_a_stream_that_says_all_at_its_end() -> None:
    end = {"type": "response.completed", "sequence_number": 1, "response": {"output": [message(LEAK)]}}
    begin = {"type": "response.created", "sequence_number": 0, "response": {"output": []}}
    found = list(dict_response_events([begin, end], TOOLS))[-1]["response"]["output"]
    assert [(item["type"], item.get("name")) for item in found] == [("function_call", "get_weather")]
    plain = {**end, "response": {"output": [message("Hi")]}}
    assert list(dict_response_events([begin, plain], TOOLS)) == [begin, plain]


def test_a_text_that_is_said_again_beside_the_items() -> None:
    whole = {"output": [message(f"Look. {LEAK}")], "output_text": f"Look. {LEAK}"}
    found = dict_response(whole, TOOLS)
    assert found["output_text"] == found["output"][0]["content"][0]["text"] == "Look. "
    request = asked("responses", TOOLS)
    data = repaired("responses", Turn([f"Look. {LEAK}"]), request)
    assert b"tool_call>" not in data


def test_a_response_that_is_not_ready() -> None:
    queued = {"id": "r", "status": "queued", "background": True, "output": []}
    assert dict_response(queued, TOOLS) == queued


def test_a_part_that_is_a_refusal_is_kept() -> None:
    refusal = {"type": "refusal", "refusal": "No."}
    given = message(LEAK)
    given["content"].append(refusal)
    found = dict_response({"output": [given]}, TOOLS)["output"]
    assert [item["type"] for item in found] == ["message", "function_call"]
    assert found[0]["content"][1] == refusal
