"""Histories in the wire formats: how each is written, and what is read from what other programs write."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conversation.laws import CONVERTERS
from toolglean import MessageError, Parser, UsageError, parse
from toolglean.conversation import (
    AnthropicChunkWrapper,
    AnthropicHistoryConverter,
    ChunkWrapper,
    ContentPart,
    ContentPartOther,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    HistoryConverter,
    Message,
    NeutralHistoryConverter,
    OllamaHistoryConverter,
    OllamaResponseChunkWrapper,
    OpenAIChunkWrapper,
    OpenAIHistoryConverter,
    OpenAIResponseChunkWrapper,
    Role,
    message_of_output,
)
from toolglean.events import Content

CALL = ContentPartToolCall("get_weather", {"location": "San Francisco", "unit": "celsius"}, "call_123")
RESULT = ContentPartToolResult("get_weather", {"temperature": 22}, "call_123")

# A conversation with every kind of part.
CONVERSATION = History(
    system_message="You are a helpful assistant.",
    context="Project context here",
    conversation=[
        Message(Role.USER, [ContentPartText("Hello, who are you?")]),
        Message(Role.MODEL, [ContentPartText("I'm an AI assistant.")]),
        Message(Role.MODEL, [CALL]),
        Message(Role.TOOL, [RESULT]),
    ],
)


@pytest.mark.parametrize("converter", CONVERTERS.values())
def test_the_context_is_read_back_as_the_first_message(converter: Any) -> None:
    """No API has a field for it; what is sent is the same."""
    back = converter().to_history(converter().from_history(CONVERSATION))
    assert (back.context, back.conversation[0].content) == (None, [ContentPartText("Project context here")])
    assert back.messages[:4] == CONVERSATION.messages[:4]
    assert converter().from_history(back) == converter().from_history(CONVERSATION)


def test_a_whole_conversation_for_openai() -> None:
    call = {"name": "get_weather", "arguments": '{"location": "San Francisco", "unit": "celsius"}'}
    assert OpenAIHistoryConverter().from_history(CONVERSATION) == [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": "Project context here"},
        {"role": "user", "content": "Hello, who are you?"},
        {"role": "assistant", "content": "I'm an AI assistant."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_123", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": "call_123", "name": "get_weather", "content": '{"temperature": 22}'},
    ]


def test_a_whole_conversation_for_ollama() -> None:
    call = {"name": "get_weather", "arguments": {"location": "San Francisco", "unit": "celsius"}}
    assert OllamaHistoryConverter().from_history(CONVERSATION) == [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": "Project context here"},
        {"role": "user", "content": "Hello, who are you?"},
        {"role": "assistant", "content": "I'm an AI assistant."},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "call_123", "function": call}]},
        {"role": "tool", "tool_name": "get_weather", "content": '{"temperature": 22}', "tool_call_id": "call_123"},
    ]


def test_a_whole_conversation_for_anthropic() -> None:
    converter = AnthropicHistoryConverter()
    call = {"type": "tool_use", "id": "call_123", "name": "get_weather"}
    text = {"type": "text", "text": '{"temperature": 22}'}
    request = converter.to_request(CONVERSATION)
    assert request == {
        "system": "You are a helpful assistant.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Project context here"}]},
            {"role": "user", "content": [{"type": "text", "text": "Hello, who are you?"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "I'm an AI assistant."}]},
            {"role": "assistant", "content": [{**call, "input": {"location": "San Francisco", "unit": "celsius"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_123", "content": [text]}]},
        ],
    }
    assert converter.from_history(CONVERSATION)[0] == {"role": "system", "content": "You are a helpful assistant."}
    assert converter.of_request(request) == converter.canonical(CONVERSATION)
    blocks = [{"type": "text", "text": "You are a helpful"}, {"type": "text", "text": "assistant."}]
    assert converter.of_request(request | {"system": blocks}).system_message == "You are a helpful\nassistant."
    assert "system" not in converter.to_request(History())


def test_anthropics_reasoning_keeps_its_signature() -> None:
    wire: list[Any] = [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "Hi"},
    ]
    for converter in (AnthropicHistoryConverter(), NeutralHistoryConverter()):
        history = converter.to_history([{"role": "assistant", "content": wire}])
        assert history.conversation[0].content[0] == ContentPartReasoning("Hm.", "c2ln")
        assert converter.from_history(history) == [{"role": "assistant", "content": wire}]
    unsigned = History(conversation=[Message(Role.MODEL, [ContentPartReasoning("Hm.")])])
    assert AnthropicHistoryConverter().from_history(unsigned)[0]["content"][0]["signature"] == ""


@pytest.mark.parametrize("converter", CONVERTERS.values())
@pytest.mark.parametrize(
    "value", [[1, {"a": None}], 7, 0.5, True, None, "text", "7", "[1]", '"x"', "", " 1 ", "NaN", {"a": [1]}]
)
def test_results_of_every_kind_survive(converter: Any, value: Any) -> None:
    # Results may be lists, not only dicts.
    call = Message(Role.MODEL, [ContentPartToolCall("f", {}, "a")])
    history = History(conversation=[call, Message(Role.TOOL, [ContentPartToolResult("f", value, "a")])])
    found = converter().to_history(converter().from_history(history)).conversation[1].content[0]
    assert (repr(found.content), found.id, found.name) == (repr(value), "a", "f")


@pytest.mark.parametrize("converter", CONVERTERS.values())
def test_all_results_of_one_message_survive(converter: Any) -> None:
    # All results are converted, not only the first.
    calls: Any = [ContentPartToolCall("f", {}, f"c{place}") for place in range(3)]
    results: Any = [ContentPartToolResult("f", place, f"c{place}") for place in range(3)]
    item = converter().to_history_item(results)
    assert item == Message(Role.TOOL, results)
    history = History(conversation=[Message(Role.MODEL, calls), item])
    back = converter().to_history(converter().from_history(history))
    assert [part for message in back.conversation for part in message.content] == calls + results


@pytest.mark.parametrize("converter", [OpenAIHistoryConverter, OllamaHistoryConverter])
@pytest.mark.parametrize("text", ["{", "[1]", "7", '{"a": NaN}', "[" * 100_000])
def test_arguments_that_cannot_be_read_do_not_raise(converter: Any, text: str) -> None:
    wire = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": text}}],
    }
    part = converter().to_history([wire]).conversation[0].content[0]
    assert part == ContentPartToolCall("f", {}, "a", text)
    written = converter().from_history(History(conversation=[Message(Role.MODEL, [part])]))[0]["tool_calls"][0]
    expected = text if converter is OpenAIHistoryConverter else {"raw": text}
    assert written["function"]["arguments"] == expected


def test_openai_gets_ids_and_results_find_their_calls() -> None:
    calls: Any = [ContentPartToolCall("f"), ContentPartToolCall("g", {}, "call_0"), ContentPartToolCall("f")]
    results: Any = [ContentPartToolResult("f", 1), ContentPartToolResult("f", 2), ContentPartToolResult("h", 3)]
    history = History(conversation=[Message(Role.MODEL, calls), Message(Role.TOOL, results)])
    wire = OpenAIHistoryConverter().from_history(history)
    assert [call["id"] for call in wire[0]["tool_calls"]] == ["call_1", "call_0", "call_2"]
    assert [message["tool_call_id"] for message in wire[1:]] == ["call_1", "call_2", "call_3"]


@pytest.mark.parametrize("converter", [OpenAIHistoryConverter, OllamaHistoryConverter])
def test_names_of_results_are_found_by_their_ids(converter: Any) -> None:
    wire = converter().from_history(CONVERSATION)
    for message in wire:
        message.pop("name", None)
        message.pop("tool_name", None)
    assert converter().to_history(wire).conversation[-1].content == [RESULT]
    unknown = converter().to_history([{"role": "tool", "tool_call_id": "x", "content": "1"}])
    assert unknown.conversation[0].content == [ContentPartToolResult("", 1, "x")]


def test_what_other_programs_write_for_openai() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    wire: Any = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "a"}, image, "b"]},
        {"role": "assistant", "content": None, "refusal": "No.", "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "1"},
        {"role": "assistant", "reasoning": "Hm.", "content": ""},
        {
            "role": "tool",
            "tool_call_id": "x",
            "content": [{"type": "text", "text": "[1, "}, {"type": "text", "text": "2]"}],
        },
        {"role": "system", "content": "Go on."},
    ]
    found = OpenAIHistoryConverter().to_history(wire)
    assert found.system_message == "Be brief."
    assert [(message.role.value, message.content) for message in found.conversation] == [
        ("user", [ContentPartText("a"), ContentPartOther(image), ContentPartText("b")]),
        ("model", [ContentPartOther({"type": "refusal", "refusal": "No."}), ContentPartToolCall("f")]),
        ("tool", [ContentPartToolResult("f", 1)]),
        ("model", [ContentPartReasoning("Hm.")]),
        ("tool", [ContentPartToolResult("", [1, 2], "x")]),
        ("system", [ContentPartText("Go on.")]),
    ]


@pytest.mark.parametrize(
    "text",
    ['{\n  "version": 1.10\n}\n', '{"a": 1, "a": 2}', "[1,2]", '{"b": 1e2}', '{"a": "\\u00e9"}', "0.10", ' {"a": 1}'],
)
@pytest.mark.parametrize("converter", [OpenAIHistoryConverter, OllamaHistoryConverter, AnthropicHistoryConverter])
def test_a_result_that_is_a_file_of_json_stays_as_it_is(converter: Any, text: str) -> None:
    """A model that edits the file must see its layout."""
    said = History(conversation=[Message(Role.TOOL, [ContentPartToolResult("f", text, "x")])])
    wire = converter().from_history(said)
    assert repr(text) in repr(wire)
    (found,) = converter().to_history(wire).conversation[0].content
    assert found.content == text


def test_results_of_parallel_calls_are_one_message_of_anthropics() -> None:
    # Each was a message of its own, which Anthropic's API accepts, and by which a model unlearns parallel calls.
    calls = [{"id": each, "type": "function", "function": {"name": "f", "arguments": "{}"}} for each in "ab"]
    wire = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": each, "content": each.upper()} for each in "ab"),
        {"role": "user", "content": "Go on."},
        {"role": "tool", "tool_call_id": "a", "content": "late"},
    ]
    found = AnthropicHistoryConverter().from_history(OpenAIHistoryConverter().to_history(wire))
    ids = [[block.get("tool_use_id") for block in message["content"]] for message in found]
    assert ids == [[None, None], ["a", "b"], [None], ["a"]]
    assert [each["role"] for each in found] == ["assistant", "user", "user", "user"]


@pytest.mark.parametrize(
    ("converter", "kept"),
    [
        (AnthropicHistoryConverter, True),
        (NeutralHistoryConverter, True),
        (OpenAIHistoryConverter, False),
        (OllamaHistoryConverter, False),
    ],
)
def test_a_result_that_is_an_error(converter: Any, kept: bool) -> None:
    failed = {"type": "tool_result", "tool_use_id": "a", "content": "no file", "is_error": True}
    other = {"type": "tool_result", "tool_use_id": "b", "content": "x", "is_error": False}
    history = AnthropicHistoryConverter().to_history([{"role": "user", "content": [failed, other]}])
    assert [each.is_error for each in history.conversation[0].results] == [True, False]
    again = converter().to_history(converter().from_history(history))
    assert [each.is_error for message in again.conversation for each in message.results] == [kept, False]
    assert again == converter().canonical(history)


REFUSED: dict[str, tuple[Any, Any, str]] = {
    # It became a call of "" without arguments.
    "a call of a custom tool": (
        OpenAIHistoryConverter,
        {"tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "f", "input": "raw text"}}]},
        "'raw text'.* is not a call of a function",
    ),
    "a call that is no object": (OpenAIHistoryConverter, {"tool_calls": ["f"]}, "'f' is not a call of a function"),
    "a call without a function": (OllamaHistoryConverter, {"tool_calls": [{"name": "f"}]}, "is not a call of a function"),
    "no list of calls": (OpenAIHistoryConverter, {"tool_calls": 5}, "tool_calls=5 is not a list: pass a list"),
    "the same for Ollama": (OllamaHistoryConverter, {"tool_calls": 5}, "tool_calls=5 is not a list: pass a list"),
    # These were left out without a word.
    "audio": (OpenAIHistoryConverter, {"audio": {"id": "a"}}, "audio=.* has no place in a history"),
    "the name of a speaker": (OpenAIHistoryConverter, {"role": "user", "name": "bob"}, "name='bob' has no place in a history"),
}  # fmt: skip


@pytest.mark.parametrize(("converter", "wire", "words"), REFUSED.values(), ids=REFUSED)
def test_what_a_history_has_no_place_for_is_refused(converter: Any, wire: dict[str, Any], words: str) -> None:
    with pytest.raises(MessageError, match=f"message 1: .*{words}"):
        converter().to_history([{"role": "user", "content": "x"}, {"role": "assistant", "content": "x", **wire}])


def test_empty_fields_that_a_history_has_no_place_for() -> None:
    wire = {"role": "assistant", "content": "x", "audio": None, "name": "", "tool_calls": None, "function_call": None}
    [message] = OpenAIHistoryConverter().to_history([wire]).conversation
    assert message == Message(Role.MODEL, [ContentPartText("x")])


@pytest.mark.parametrize("converter", [OpenAIHistoryConverter, OllamaHistoryConverter])
@pytest.mark.parametrize(("given", "kept"), [(7, "7"), (0, "0"), ("x", "x"), ("", None), ([], None), ({"a": 1}, None)])
def test_ids_are_text(converter: Any, given: Any, kept: Any) -> None:
    # A server whose ids are numbers; one that sends a list instead.
    call = {"id": given, "type": "function", "function": {"name": "f", "arguments": {}}}
    wire = [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": given, "content": "1"}]
    found = converter().to_history(wire)
    assert [part.id for message in found.conversation for part in message.content] == [kept, kept]
    converter().from_history(found)


@pytest.mark.parametrize("converter", CONVERTERS.values())
@pytest.mark.parametrize(
    "wire",
    [{}, {"role": None}, {"role": "nobody", "content": ""}, {"role": "user", "content": 5}, {"role": ["user"]}],
    ids=["empty", "none", "nobody", "number", "list"],
)
def test_messages_that_cannot_be_understood(converter: Any, wire: Any) -> None:
    with pytest.raises(MessageError, match="message 1: "):
        converter().to_history([{"role": "user", "content": "x"}, wire])


@pytest.mark.parametrize(
    ("converter", "message", "words"),
    [
        (OpenAIHistoryConverter, Message(Role.USER, [CALL]), "ContentPartToolCall cannot be written in a message of role 'user'"),
        (OllamaHistoryConverter, Message(Role.TOOL, [ContentPartText("x")]), "ContentPartText cannot be written"),
        (NeutralHistoryConverter, Message(Role.SYSTEM, [RESULT]), "ContentPartToolResult cannot be written"),
        (OllamaHistoryConverter, Message(Role.USER, [ContentPartOther({"type": "file"})]), "other parts must be images"),
        (OpenAIHistoryConverter, Message(Role.TOOL, [ContentPartToolResult("f", {1, 2}, "a")]), "cannot be written as JSON"),
        (OpenAIHistoryConverter, Message(Role.MODEL, [ContentPartToolCall("f", {"a": object()})]), "the arguments of 'f', .*, cannot be written as JSON"),
    ],
)  # fmt: skip
def test_parts_that_cannot_be_written(converter: Any, message: Message, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        converter().from_history(History(conversation=[message]))


def test_histories_are_filled_by_role() -> None:
    history = History()
    history.add_message(Role.USER, "Hi")
    history.add_message("model", [ContentPartText("Hello")])
    assert [message.role for message in history.conversation] == [Role.USER, Role.MODEL]
    with pytest.raises(
        ValueError, match="role='assistant' is not valid: pass one of 'system', 'user', 'model', 'tool'"
    ):
        history.add_message("assistant", "x")
    with pytest.raises(UsageError):
        history.add_message(None, "x")  # type: ignore[arg-type]


HALF = json.loads(r'"\ud83d"')


@pytest.mark.parametrize("converter", CONVERTERS.values())
def test_half_a_surrogate_pair_can_be_sent(converter: Any) -> None:
    # A model that is cut off inside an escape: no wire format can carry this unchanged.
    call, result = ContentPartToolCall("f", {"a": HALF}, "1"), ContentPartToolResult("f", HALF, "1")
    history = History(conversation=[Message(Role.MODEL, [call]), Message(Role.TOOL, [result])])
    wire = converter().from_history(history)
    if converter is OpenAIHistoryConverter:
        json.dumps(wire, ensure_ascii=False).encode()
    found = converter().to_history(wire)
    assert [part.content for part in found.conversation[1].content] == [HALF]
    assert found.conversation[0].content[0].arguments == {"a": HALF}


@pytest.mark.parametrize("converter", [OpenAIHistoryConverter, OllamaHistoryConverter])
@pytest.mark.parametrize(
    "text", ["0.10", "1e5", '"quoted"', "007", "1.0", " 5", "NaN", "", "yes", "-0", '"a', "5", "null"]
)
def test_results_stay_as_they_were_written(converter: Any, text: str) -> None:
    wire = [{"role": "tool", "tool_call_id": "c", "name": "f", "tool_name": "f", "content": text}]
    again = converter().from_history(converter().to_history(wire))
    assert again[0]["content"] == text


def test_the_protocols_can_be_asked_for() -> None:
    assert isinstance(OllamaResponseChunkWrapper({}), ChunkWrapper)
    assert isinstance(OpenAIResponseChunkWrapper({}), ChunkWrapper)
    assert isinstance(AnthropicChunkWrapper({}), ChunkWrapper)
    for converter in CONVERTERS.values():
        assert isinstance(converter(), HistoryConverter)
        assert not isinstance(object(), HistoryConverter)


def test_events_are_the_chunks_of_the_neutral_form() -> None:
    converter = NeutralHistoryConverter()
    turn = '<think>Hm.</think>Yes. <tool_call>{"name": "f", "arguments": {}}</tool_call>'
    wrappers = [converter.create_chunk_wrapper(event) for event in Parser(["f"], format="hermes").feed(turn)]
    assert "".join(each.get_text() for each in wrappers) == "Yes. "
    assert "".join(each.get_reasoning() for each in wrappers) == "Hm."
    assert [call for each in wrappers for call in each.get_tool_calls()] == [ContentPartToolCall("f", {}, "call_0")]
    assert converter.to_history_item(wrappers) == converter.to_history_item([each.raw for each in wrappers])


# -- streams -----------------------------------------------------------------------------------------------------------


def test_ollama_chunks() -> None:
    call = {"function": {"name": "f", "arguments": {"a": 1}}}
    chunks: list[Any] = [
        {"message": {"content": "Hi ", "thinking": "Hm"}},
        {"message": {"content": None, "tool_calls": [call, call]}},
        {"response": "raw", "thinking": None},
        {},
    ]
    wrappers = [OllamaResponseChunkWrapper(chunk) for chunk in chunks]
    assert [wrapper.get_text() for wrapper in wrappers] == ["Hi ", "", "raw", ""]
    assert [len(wrapper.get_tool_calls()) for wrapper in wrappers] == [0, 2, 0, 0]
    assert wrappers[0].raw is chunks[0]
    item = OllamaHistoryConverter().to_history_item([*wrappers[:2], *chunks[2:]])
    twice = [ContentPartToolCall("f", {"a": 1})] * 2
    assert item == Message(Role.MODEL, [ContentPartReasoning("Hm"), ContentPartText("Hi raw"), *twice])


def test_openai_chunks() -> None:
    def chunk(**delta: Any) -> dict[str, Any]:
        return {"choices": [{"index": 0, "delta": delta}]}

    chunks: list[Any] = [
        chunk(role="assistant", content="Hi "),
        chunk(reasoning_content="Hm", content="you"),
        chunk(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"a"'}}]),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": ": 1}"}}]),
        {"choices": []},
        {},
    ]
    converter = OpenAIHistoryConverter()
    wrappers = [converter.create_chunk_wrapper(each) for each in chunks]
    assert "".join(wrapper.get_text() for wrapper in wrappers) == "Hi you"
    assert wrappers[2].get_tool_calls() == [ContentPartToolCall("f", {}, "a", '{"a"')]
    assert converter.to_history_item(wrappers) == Message(
        Role.MODEL, [ContentPartReasoning("Hm"), ContentPartText("Hi you"), ContentPartToolCall("f", {"a": 1}, "a")]
    )
    whole = OpenAIChunkWrapper({"choices": [{"message": {"content": "x", "tool_calls": None}}]})
    assert (whole.get_text(), whole.get_tool_calls()) == ("x", [])


def anthropic_events(end: int | None = None) -> list[dict[str, Any]]:
    """The events of a message with a thinking, a text and a call."""
    blocks: list[tuple[Any, list[dict[str, Any]]]] = [
        (
            {"type": "thinking", "thinking": "", "signature": ""},
            [{"type": "thinking_delta", "thinking": "Hm"}, {"type": "signature_delta", "signature": "c2ln"}],
        ),
        ({"type": "text", "text": ""}, [{"type": "text_delta", "text": each} for each in ("Hi ", "you")]),
        (
            {"type": "tool_use", "id": "a", "name": "f", "input": {}},
            [{"type": "input_json_delta", "partial_json": each} for each in ("", '{"a"', ": 1}")],
        ),
    ]
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"content": []}}, {"type": "ping"}]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    events += [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}, {}]
    return events[:end]


@pytest.mark.parametrize(
    ("delta", "reasoning"),
    [
        ({"reasoning_content": "Hm"}, "Hm"),
        ({"reasoning": "Hm"}, "Hm"),
        ({"reasoning_content": "Hm", "reasoning": "Hm"}, "Hm"),
        # Fixed: a server that sends both fields, one of them empty, lost its reasoning.
        ({"reasoning_content": "", "reasoning": "Hm"}, "Hm"),
        ({"reasoning_content": None, "reasoning": None}, ""),
    ],
)
def test_the_reasoning_is_in_either_field(delta: dict[str, Any], reasoning: str) -> None:
    assert OpenAIChunkWrapper({"choices": [{"delta": delta}]}).get_reasoning() == reasoning


def test_anthropic_events() -> None:
    converter = AnthropicHistoryConverter()
    wrappers = [converter.create_chunk_wrapper(each) for each in anthropic_events()]
    assert "".join(wrapper.get_text() for wrapper in wrappers) == "Hi you"
    assert "".join(wrapper.get_reasoning() for wrapper in wrappers) == "Hm"
    calls = [call for wrapper in wrappers for call in wrapper.get_tool_calls()]
    assert [(call.name, call.arguments) for call in calls] == [("f", {}), ("", {}), ("", {}), ("", {})]
    assert all(call.unread for call in calls)  # nothing can be run before the end
    call = ContentPartToolCall("f", {"a": 1}, "a")
    expected: list[ContentPart] = [ContentPartReasoning("Hm", "c2ln"), ContentPartText("Hi you"), call]
    assert converter.to_history_item(wrappers) == Message(Role.MODEL, expected)
    whole = {
        "content": [
            {"type": "thinking", "thinking": "Hm", "signature": "c2ln"},
            {"type": "text", "text": "Hi you"},
            {"type": "tool_use", "id": "a", "name": "f", "input": {"a": 1}},
        ]
    }
    assert converter.to_history_item([whole]) == Message(Role.MODEL, expected)
    assert converter.create_chunk_wrapper(whole).get_tool_calls() == [call]


def test_a_call_of_anthropic_that_is_cut_off_cannot_be_run() -> None:
    for end in range(len(anthropic_events()) - 4):
        item = AnthropicHistoryConverter().to_history_item(anthropic_events(end))
        assert not item or all(call.unread and not call.arguments for call in item.calls), end


@pytest.mark.parametrize("converter", CONVERTERS.values())
def test_of_nothing_comes_no_message(converter: Any) -> None:
    assert converter().to_history_item([]) is None


def test_a_parsed_turn_is_a_message() -> None:
    text = '<think>Hm</think>Hi <tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call><tool_call>{"name": "f"'
    message = message_of_output(parse(text, ["f"], format="hermes"))
    assert message == Message(
        Role.MODEL, [ContentPartReasoning("Hm"), ContentPartText("Hi "), ContentPartToolCall("f", {"a": 1}, "call_0")]
    )
    assert message_of_output(parse("")) is None
    neutral = NeutralHistoryConverter().to_history_item([Content("Hi", 0)])
    assert neutral == Message(Role.MODEL, [ContentPartText("Hi")])


# -- the clients' own objects --------------------------------------------------------------------------------------------


def test_ids_survive_the_ollama_package() -> None:
    ollama = pytest.importorskip("ollama", reason="needs toolglean[ollama]")
    history = History(
        "Be brief.",
        None,
        [
            Message(Role.USER, [ContentPartText("x")]),
            Message(Role.MODEL, [ContentPartToolCall("f", {"a": 1}, "one"), ContentPartToolCall("f", {"a": 1}, "two")]),
            Message(Role.TOOL, [ContentPartToolResult("f", 1, "one")]),
            Message(Role.TOOL, [ContentPartToolResult("f", [2], "two")]),
            Message(Role.MODEL, [ContentPartToolCall("g", {})]),
        ],
    )
    converter = OllamaHistoryConverter()
    objects = [ollama.Message.model_validate(message) for message in converter.from_history(history)]
    assert not any(hasattr(call, "id") for message in objects for call in message.tool_calls or ())
    assert converter.to_history(objects) == history
    # Ids of another history are not given to calls of other tools.
    other = [ollama.Message(role="assistant", tool_calls=[{"function": {"name": "h", "arguments": {}}}])]
    assert converter.to_history(other).conversation[0].content == [ContentPartToolCall("h")]


def test_the_openai_packages_objects() -> None:
    chat = pytest.importorskip("openai.types.chat", reason="needs toolglean[openai]")
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    message = chat.ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": "Hi", "tool_calls": [call], "reasoning_content": "Hm"}
    )
    assert OpenAIHistoryConverter().to_history([message]).conversation[0].content == [
        ContentPartReasoning("Hm"),
        ContentPartText("Hi"),
        ContentPartToolCall("f", {"a": 1}, "a"),
    ]


# -- events as deltas ----------------------------------------------------------------------------------------------------
