# What this file knows: every history that the types allow, as far as the wires can write it.
# What it must not know: what a wire makes of one.
"""Histories, made by Hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from toolglean.conversation import (
    ContentPartOther,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    Message,
    Role,
)

TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.sampled_from(["", " ", "null", "1", "[]", "{}", '"x"', "NaN", "1e999", '{"a": 1}', "<tool_call>", "0x1", "-0"]),
)
SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**40, -(10**40)]),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2), max_leaves=4
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=2)
NAMES = st.sampled_from(["get_weather", "add", "a.b-c", "größe"])
IDS = st.sampled_from([None, "", "call_0", "call_1", "functions.add:0", "x"])
UNREAD = st.sampled_from(["", "", "", "{", '{"a": ', "[1]", "7", '{"a": 1}', "null", "  ", "x = 1"])

texts = st.builds(ContentPartText, TEXTS)
reasonings = st.builds(ContentPartReasoning, TEXTS)
calls = st.builds(ContentPartToolCall, NAMES, OBJECTS, IDS, UNREAD)
results = st.builds(ContentPartToolResult, NAMES, VALUES, IDS)
others = {
    "openai": st.sampled_from([
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        {"type": "refusal", "refusal": "No."},
        {"type": "text", "text": "read as text"},
        {"type": "text", "text": ""},
    ]),
    "ollama": st.sampled_from([{"type": "image", "image": "AA=="}, {"type": "image", "image": "BB=="}]),
    "neutral": st.sampled_from([
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "text", "text": "read as text"},
    ]),
}  # fmt: skip


def messages(wire: str) -> st.SearchStrategy[Message]:
    """One message, of any role, also an empty one."""
    other = st.builds(ContentPartOther, others[wire])

    def of(role: Role, *parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Message]:
        return st.builds(Message, st.just(role), st.lists(st.one_of(*parts), max_size=4))

    return st.one_of(
        of(Role.SYSTEM, texts),
        of(Role.USER, texts, other),
        of(Role.MODEL, texts, reasonings, calls, other),
        of(Role.MODEL, calls),
        of(Role.TOOL, results),
    )


def histories(wire: str) -> st.SearchStrategy[History]:
    """Any history that can be written for that wire."""
    return st.builds(
        History,
        system_message=st.none() | TEXTS,
        context=st.none() | TEXTS,
        conversation=st.lists(messages(wire), max_size=5),
    )
