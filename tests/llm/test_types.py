"""Messages and responses: their content, and their conversion to `toolglean.conversation` and back without loss."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from toolglean import Content, Problem
from toolglean.conversation import ContentPartText, History
from toolglean.conversation import Message as NeutralMessage
from toolglean.llm import (
    ChatResponse,
    CompletionResponse,
    Message,
    MessageList,
    Metadata,
    OtherChunk,
    ReasoningChunk,
    Role,
    TextChunk,
    ToolCallChunk,
    ToolResultChunk,
)

texts = st.text(max_size=6)
values = st.recursive(st.none() | st.integers() | texts, lambda inner: st.lists(inner, max_size=2), max_leaves=3)
ids = st.none() | texts
chunks = (
    st.builds(TextChunk, content=texts)
    | st.builds(ReasoningChunk, content=texts)
    | st.builds(ToolCallChunk, name=texts, arguments=st.dictionaries(texts, values, max_size=2), id=ids, unread=texts)
    | st.builds(ToolResultChunk, name=texts, content=values, id=ids)
    | st.builds(OtherChunk, data=st.dictionaries(texts, values, max_size=2))
)
messages = st.builds(Message, role=st.sampled_from(Role), chunks=st.lists(chunks, max_size=4))


@given(st.lists(messages, max_size=4))
def test_messages_go_to_a_history_and_back(given_messages: list[Message]) -> None:
    found = MessageList(given_messages)
    assert MessageList.from_history(found.to_history()) == found


@given(messages)
def test_messages_go_to_json_and_back(message: Message) -> None:
    assert Message.model_validate_json(message.model_dump_json()) == message


def test_a_history_begins_with_its_system_message_and_its_context() -> None:
    history = History("Be kind.", "Python.", [NeutralMessage(Role.USER, [ContentPartText("Hi")])])
    found = MessageList.from_history(history)
    assert [(each.role, each.content) for each in found] == [
        (Role.SYSTEM, "Be kind."),
        (Role.USER, "Python."),
        (Role.USER, "Hi"),
    ]
    assert MessageList.from_history(History("", "")) == [Message.from_str("", "system"), Message.from_str("")]


def test_what_a_message_says() -> None:
    message = Message(
        role=Role.MODEL,
        chunks=[
            ReasoningChunk(content="Hm."),
            TextChunk(content="a"),
            ToolCallChunk(name="f", arguments={"x": 1}),
            TextChunk(content="b"),
            ToolCallChunk(name="f", arguments={"x": 1}),  # identical calls are two
            ToolCallChunk(name="f", unread='{"x"'),
        ],
    )
    assert (message.content, message.reasoning) == ("ab", "Hm.")
    assert [call.arguments for call in message.tool_calls] == [{"x": 1}, {"x": 1}]
    assert Message().content == ""
    assert Message().tool_calls == []


@pytest.mark.parametrize("role", ["assistant", "model", Role.MODEL])
def test_the_assistant_is_the_model(role: Any) -> None:
    assert Message(role=role).role is Role.MODEL
    assert Message.from_str("x", role).role is Role.MODEL


@pytest.mark.parametrize(
    "wrong",
    [
        {"role": "nobody"},
        {"chunks": [{"type": "text"}]},
        {"chunks": [{"type": "poem", "content": "x"}]},
        {"chunks": [{"type": "text", "content": "x", "more": 1}]},
    ],
)
def test_what_is_no_message(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        Message.model_validate(wrong)


@pytest.mark.parametrize(
    ("what", "count"), [("Hi", 1), (Message.from_str("Hi"), 1), ([Message.from_str("Hi")] * 2, 2), ((), 0)]
)
def test_what_people_give_as_messages(what: Any, count: int) -> None:
    found = MessageList.of(what)
    assert isinstance(found, MessageList)
    assert [each.content for each in found] == ["Hi"] * count


def test_a_response_as_a_completion() -> None:
    response = ChatResponse(
        message=Message(role=Role.MODEL, chunks=[TextChunk(content="ab")], additional_kwargs={"a": 1}),
        delta="b",
        raw={"x": 1},
        additional_kwargs={"tokens": 2},
        events=[Content("b", 1)],
        problems=[Problem("cut-off", "why", "text", 0)],
    )
    expected = CompletionResponse(text="ab", delta="b", raw={"x": 1}, additional_kwargs={"tokens": 2, "a": 1})
    assert response.to_completion_response() == expected
    assert str(expected) == "ab"
    assert str(response) == "model: ab"
    assert "events" not in response.model_dump()
    assert response.tool_calls == []


def test_metadata_does_not_change() -> None:
    metadata = Metadata(model_name="llama3.1")
    with pytest.raises(ValidationError):
        metadata.model_name = "other"
    with pytest.raises(ValidationError):
        Metadata(context_window=0)
