"""Calls in a server's own reasoning field: they are drafts, as in any reasoning, at every door, whole and streamed."""

from __future__ import annotations

import json
import random
from typing import Any, NamedTuple

import pytest

from tests.clients.answers import answer, asked, events, fed, joined, random_sizes, reader, repaired, said
from tests.clients.each import both, kinds
from tests.clients.families import CALLS, TOOLS
from tests.clients.families import HERMES as CALL
from tests.support import depth
from tests.support.chunkings import chunkings
from tests.support.loopback import Call, Thought, Turn
from toolglean import ParserOptions, ToolSet, fold
from toolglean.clients.chat.reader import StreamReader
from toolglean.clients.messages import dict_message, dict_message_events
from toolglean.clients.repair import Counts, Kind
from toolglean.conversation.reading.chat_events import ChatEvents

CUTS = range(5 if depth.is_full() else 3)
UNKNOWN = CALL.replace("get_weather", "delete_all")
HARMONY = '<|channel|>commentary to=functions.get_weather<|message|>{"city": "Oslo"}<|call|>'
[FOUND] = CALLS
OTHER = Call("get_time", {})


class Row(NamedTuple):
    """The server's reasoning, what comes after it, and what a client then reads."""

    thinking: str
    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""
    options: dict[str, Any] = {}  # noqa: RUF012
    left: str = ""
    found: tuple[tuple[str, Any], ...] = ()


ROWS: dict[str, Row] = {
    "at the end": Row(f"Let me look.\n{CALL}", left="Let me look.\n", found=(FOUND,)),
    "alone": Row(CALL, found=(FOUND,)),
    "two at the end": Row(f"Both. {CALL}\n{CALL}\n", left="Both. ", found=(FOUND, FOUND)),
    "in another format": Row(f"Let me look.{HARMONY}", left="Let me look.", found=(FOUND,)),
    "before more reasoning": Row(f"Maybe {CALL} or not.", left=f"Maybe {CALL} or not."),
    "a draft, then one at the end": Row(f"Maybe {CALL} or {CALL}", left=f"Maybe {CALL} or ", found=(FOUND,)),
    "before content": Row(f"Let me look.\n{CALL}", "It is sunny.", left=f"Let me look.\n{CALL}"),
    "before white space": Row(f"Let me look.\n{CALL}", "\n\n", left=f"Let me look.\n{CALL}"),
    "before a call in the content": Row(f"Maybe {CALL}", CALL, left=f"Maybe {CALL}", found=(FOUND,)),
    "before a call of the server": Row(f"Maybe {CALL}", calls=(OTHER,), left=f"Maybe {CALL}", found=(("get_time", {}),)),
    "before the same call of the server": Row(f"Maybe {CALL}", calls=(Call("get_weather", {"city": "Oslo"}),), left=f"Maybe {CALL}", found=(FOUND,)),
    "cut off after it": Row(f"Maybe {CALL}", finish="length", left=f"Maybe {CALL}"),
    "cut off inside it": Row(f"Maybe {CALL[:50]}", finish="length", left=f"Maybe {CALL[:50]}"),
    "not finished": Row(f"Maybe {CALL[:50]}", left=f"Maybe {CALL[:50]}"),
    "only an opener": Row("Maybe <tool_call>", left="Maybe <tool_call>"),
    "a mention": Row("I write <tool_call> and stop <", left="I write <tool_call> and stop <"),
    "its own markers": Row("<think>Hm.</think>", "Hi.", left="<think>Hm.</think>"),
    "an unknown tool": Row(f"Let me {UNKNOWN}", left=f"Let me {UNKNOWN}"),
    "an unknown tool, wanted": Row(f"Let me {UNKNOWN}", options={"unknown_tools": "call"}, left="Let me ", found=(("delete_all", FOUND[1]),)),
    "an unknown tool, then a known one": Row(f"So {UNKNOWN}{CALL}", left=f"So {UNKNOWN}", found=(FOUND,)),
    "never": Row(f"Let me look.\n{CALL}", options={"calls_in_reasoning": "text"}, left=f"Let me look.\n{CALL}"),
    "at once": Row(f"Maybe {CALL} or not.", "So.", options={"calls_in_reasoning": "call"}, left="Maybe  or not.", found=(FOUND,)),
    "at once, before content": Row(f"Maybe {CALL}", "So.", options={"calls_in_reasoning": "call"}, left="Maybe ", found=(FOUND,)),
    "at once, cut off": Row(
        f"Maybe {CALL}{CALL[:50]}",
        finish="length",
        options={"calls_in_reasoning": "call"},
        left=f"Maybe {CALL[:50]}",
        found=(FOUND,),
    ),
    "with a tag alone": Row(f"Look. {CALL}", options={"tag": "<tool_call>"}, left="Look. ", found=(FOUND,)),
}  # fmt: skip
rows = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)


def turn_of(row: Row, size: int = 5, **more: Any) -> Turn:
    def cut(text: str) -> list[str]:
        return [text[begin : begin + size] for begin in range(0, len(text), size)]

    return Turn(cut(row.text), row.calls, cut(row.thinking), row.finish, **more)


def check(kind: Kind, row: Row, data: bytes, request: dict[str, Any]) -> None:
    found = said(kind, data, request)
    own = [("get_weather", FOUND[1]) if each == FOUND else each for each in row.found]
    text = row.text.replace(CALL, "").strip()  # a message of white space alone has no text
    assert (found.reasoning, found.calls, found.text) == (row.left, own, text)
    if kind == "chat":
        assert found.reason == (row.finish or ("tool_calls" if row.found else "stop"))


@pytest.mark.sampled(24)
@rows
@kinds
@both
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_what_a_client_reads(row: Row, kind: Kind, stream: bool, size: int) -> None:
    request = asked(kind, TOOLS, stream=stream)
    check(kind, row, repaired(kind, turn_of(row, size), request, **row.options), request)


@pytest.mark.sampled(1, each="row")
@rows
@kinds
def test_the_same_for_all_cuts_of_the_bytes_and_no_byte_changes_without_a_call(row: Row, kind: Kind) -> None:
    request = asked(kind, TOOLS)
    data = answer(kind, turn_of(row), request)
    found = {fed(lambda: reader(kind, request, **row.options), data, random_sizes(seed)) for seed in CUTS}
    assert len(found) == 1
    if not row.found and not row.text.isspace():
        assert found == {data}


@pytest.mark.sampled(12)
@rows
def test_the_same_for_every_chunking(row: Row) -> None:
    seen = set()
    for chunks in chunkings(row.thinking):
        turn = Turn([row.text] if row.text else [], row.calls, chunks, row.finish)
        request = asked("chat", TOOLS)
        check("chat", row, repaired("chat", turn, request, **row.options), request)
        seen.add(len(chunks))
    assert len(seen) > 1


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
@both
def test_the_field_keeps_its_name(key: str, stream: bool) -> None:
    request = asked("chat", TOOLS, stream=stream)
    data = repaired("chat", turn_of(ROWS["at the end"], reasoning_key=key), request)
    assert (b'"reasoning":' in data) == (key == "reasoning")
    assert said("chat", data, request).calls == [FOUND]


def test_reasoning_that_is_written_twice_is_read_once() -> None:
    found = StreamReader(TOOLS, {})
    delta = {"reasoning": f"So {CALL}", "reasoning_content": f"So {CALL}"}
    chunks = found.read({"choices": [{"index": 0, "delta": delta}]})
    chunks += found.read({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    for key in ("reasoning", "reasoning_content"):
        assert "".join(delta.get(key, "") for delta in deltas) == "So "
    assert sum("tool_calls" in delta for delta in deltas) == 2


@kinds
def test_a_connection_that_breaks_runs_nothing_and_loses_nothing(kind: Kind) -> None:
    row, request = ROWS["at the end"], asked(kind, TOOLS)
    whole, end = answer(kind, turn_of(row), request), b"\n" if kind == "ollama" else b"\n\n"
    blocks = whole.split(end)
    for count in range(len(blocks) - {"chat": 2, "responses": 1, "messages": 2, "ollama": 1}[kind]):
        data = end.join(blocks[:count]) + end if count else b""
        assert fed(lambda: reader(kind, request), data, random_sizes(1)) == data


@kinds
def test_a_call_that_is_wanted_at_once_also_runs_if_the_connection_breaks_behind_it(kind: Kind) -> None:
    """In the Responses API it was lost as a call: the last piece of it waits for what follows."""
    request, end = asked(kind, TOOLS), b"\n" if kind == "ollama" else b"\n\n"
    blocks = answer(kind, turn_of(Row(f"Maybe {HARMONY[:-8]}")), request).split(end)
    count = len(blocks) - {"chat": 3, "responses": 2, "messages": 3, "ollama": 2}[kind]  # without what ends the answer
    data = end.join(blocks[:count]) + end
    found = fed(lambda: reader(kind, request, calls_in_reasoning="call"), data, random_sizes(1))
    assert b'"name":"get_weather"' in found


@both
def test_choices_are_read_apart(stream: bool) -> None:
    request = asked("chat", TOOLS, stream=stream, n=2)
    turn = turn_of(ROWS["at the end"], choices=[turn_of(ROWS["before content"])])
    data = repaired("chat", turn, request)
    assert said("chat", data, request, 0).calls == [FOUND]
    assert said("chat", data, request, 1) == (*("It is sunny.", ROWS["before content"].left, [], "stop"),)


@kinds
def test_reasoning_between_the_content(kind: Kind) -> None:
    request = asked(kind, TOOLS)
    turn = Turn([Thought(f"One {CALL}"), "Two.", Thought(f"Three {CALL}")])
    found = said(kind, repaired(kind, turn, request), request)
    assert tuple(found[:3]) == ("Two.", f"One {CALL}Three ", [FOUND])


def test_one_call_where_one_is_allowed() -> None:
    request = asked("chat", TOOLS, parallel_tool_calls=False)
    found = said("chat", repaired("chat", Turn(thinking=[f"Two: {CALL}{CALL}"]), request), request)
    assert (found.reasoning, found.calls) == (f"Two: {CALL}", [FOUND])


def test_what_was_found_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    counts = Counts()
    request = asked("chat", TOOLS)
    repaired("chat", turn_of(ROWS["an unknown tool, then a known one"]), request, counts=counts)
    assert (counts.calls, dict(counts.problems)) == (1, {"unknown-tool": 1})
    assert ["delete_all" in each.message for each in caplog.records] == [True]


@rows
def test_events_say_the_same(row: Row) -> None:
    options = {name: value for name, value in row.options.items() if name != "tag"}
    request = asked("chat", TOOLS)
    found = ChatEvents(ToolSet(TOOLS), {"options": ParserOptions(**options)})
    seen = []
    for line in answer("chat", turn_of(row), request).decode().split("\n\n"):
        if line.startswith("data: {"):
            seen += found.read(json.loads(line[6:]))
    output = fold(seen + found.finish())
    calls = [(call.name, call.arguments) for call in output.calls]
    assert (output.reasoning, calls) == (row.left, list(row.found))
    assert len({call.id for call in output.calls}) == len(calls)


@both
@pytest.mark.parametrize("thinking", [f"Let me look. {CALL}", CALL, f"Both. {CALL}\n{CALL}\n"])
def test_what_is_signed_is_not_changed(thinking: str, stream: bool) -> None:
    """Anthropic's API refused the next request: the signature was that of another text. vLLM sends a UUID as one."""
    request = asked("messages", TOOLS, stream=stream)
    data = answer("messages", Turn(thinking=[thinking[at : at + 7] for at in range(0, len(thinking), 7)]), request)
    real, made_up = (data.replace(b"c2lnbmVk", each) for each in (b"EqQB" * 50 + b"==", b"0f" * 16))
    for seed in CUTS:
        assert fed(lambda: reader("messages", request), real, random_sizes(seed)) == real
        found = said("messages", fed(lambda: reader("messages", request), made_up, random_sizes(seed)), request)
        assert found.calls == [FOUND] * thinking.count(CALL)


@pytest.mark.parametrize("signed_first", [True, False])
@pytest.mark.parametrize("size", [3, 1000])
def test_a_signed_block_beside_one_that_is_not(signed_first: bool, size: int) -> None:
    """A call in the signed one stays there, and shows that one before it was a draft."""
    signed = {"type": "thinking", "thinking": f"Maybe {CALL}", "signature": "EqQB" * 50}
    plain = {"type": "thinking", "thinking": f"So {CALL}", "signature": ""}
    content = [signed, plain] if signed_first else [plain, signed]
    message = {"content": content, "stop_reason": "end_turn"}
    left = [{**plain, "thinking": "So "}, {"type": "tool_use"}] if signed_first else [plain]
    expected = [signed, *left] if signed_first else [*left, signed]
    stream: list[dict[str, Any]] = []
    for index, block in enumerate(content):
        text, at = block["thinking"], {"index": index}
        start = {"content_block": {**block, "thinking": "", "signature": ""}}
        deltas = [{"type": "thinking_delta", "thinking": text[k : k + size]} for k in range(0, len(text), size)]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        stream.append({"type": "content_block_start", **at, **start})
        stream += [{"type": "content_block_delta", **at, "delta": delta} for delta in deltas]
        stream.append({"type": "content_block_stop", **at})
    stream.append({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
    read = joined([dict(each) for each in dict_message_events(stream, TOOLS)])["content"]
    for found in (read, dict_message(message, TOOLS)["content"]):
        assert [each if each["type"] == "thinking" else {"type": each["type"]} for each in found] == expected


def test_the_items_of_a_response_come_one_after_the_other() -> None:
    request = asked("responses", TOOLS)
    data = repaired("responses", Turn(thinking=["So ", CALL[:20], CALL[20:]]), request)
    found = [each for each in events(data) if each["type"].startswith("response.output_item.")]
    kinds = [(each["type"].rpartition(".")[2], each["output_index"], each["item"]["type"]) for each in found]
    assert kinds == [
        ("added", 0, "reasoning"), ("done", 0, "reasoning"), ("added", 1, "function_call"), ("done", 1, "function_call")
    ]  # fmt: skip
    assert found[1]["item"]["content"] == [{"type": "reasoning_text", "text": "So "}]


PARTS = (
    CALL,
    UNKNOWN,
    CALL[:30],
    " ",
    "\n",
    "Hm ",
    "Hi < there",
    "<think>",
    "</think>",
    "<tool_call>",
    "`",
    "<|im_end|>",
    "so",
)
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"calls_in_reasoning": "call"},
    {"calls_in_reasoning": "text"},
    {"unknown_tools": "call"},
)


def random_pieces(rng: random.Random) -> list[Any]:
    found: list[Any] = []
    for _ in range(rng.randint(1, 5)):
        text = "".join(rng.choices(PARTS, k=rng.randint(1, 3)))
        size, what = rng.choice([1, 3, 7, 100]), rng.random()
        cut = [text[at : at + size] for at in range(0, len(text), size)]
        found += map(Thought, cut) if what < 0.5 else cut if what < 0.85 else [OTHER]
    return found


@pytest.mark.sampled(1, each="kind")
@kinds
@both
def test_any_order_of_reasoning_content_and_calls(kind: Kind, stream: bool) -> None:
    """Nothing raises, the cuts do not matter, no word is lost, and no unknown tool is called. With full depth, 500."""
    rng = random.Random(25)
    for _ in range(500 if depth.is_full() else 8):
        turn = Turn(random_pieces(rng), finish=rng.choice(["", "stop", "length"]))
        how, request = rng.choice(WAYS), asked(kind, TOOLS, stream=stream)
        data = answer(kind, turn, request)
        found = {fed(lambda: reader(kind, request, **how), data, random_sizes(seed)) for seed in range(3)}  # noqa: B023
        assert len(found) == 1, turn
        before, after = (said(kind, each, request) for each in (data, found.pop()))
        for word in ("Hm", "Hi", "so"):
            assert f"{after.text}{after.reasoning}".count(word) == f"{before.text}{before.reasoning}".count(word), turn
        assert len(after.calls) >= len(before.calls)
        assert "unknown_tools" in how or "delete_all" not in dict(after.calls)
