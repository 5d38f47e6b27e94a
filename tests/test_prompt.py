# What this file knows: what the end of a prompt tells of the turn that follows it.
# What it must not know: how it is read.
"""`start` and `prompt`."""

from __future__ import annotations

import pytest

from tests.chunkings import calls_of, content_of, events_of
from toolglean import CallEnd, Parser, Reasoning, UsageError

CALL = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'


def reasoning_of(events: list[object]) -> str:
    return "".join(event.text for event in events if isinstance(event, Reasoning))


@pytest.mark.parametrize(
    "options",
    [{"start": "reasoning"}, {"prompt": "<|im_start|>assistant\n<think>\n"}, {"prompt": "Say </think> or <think>"}],
)
def test_the_prompt_has_opened_the_reasoning(options: dict[str, str]) -> None:
    text = f"I should call f.\n</think>\n\nSure.\n{CALL}"
    events = events_of(lambda: Parser(format="hermes", markup=True, **options), text)  # type: ignore[arg-type]
    assert reasoning_of([*events]) == "I should call f."
    assert content_of(events) == "Sure.\n"
    assert calls_of(events) == [("f", {"x": 1})]


def test_a_prompt_with_calls_of_earlier_turns() -> None:
    prompt = f"<|im_start|>assistant\n{CALL}<|im_end|>\n<|im_start|>user\nAgain, with <tool_call>.<|im_end|>\n<|im_start|>assistant\n"
    events = events_of(lambda: Parser(format="hermes", markup=True, prompt=prompt), CALL)
    assert [event.call.id for event in events if isinstance(event, CallEnd)] == ["call_0"]
    assert [event.call.span[0] for event in events if isinstance(event, CallEnd)] == [0]


def test_a_call_that_the_prompt_has_begun() -> None:
    prompt = '<|im_start|>assistant\n<tool_call>\n{"name": "f", "arguments": {'
    events = events_of(lambda: Parser(format="hermes", markup=True, prompt=prompt), '"x": 1}}\n</tool_call>')
    assert calls_of(events) == [("f", {"x": 1})]


def test_bare_json_behind_a_prompt() -> None:
    prompt = "<|start_header_id|>assistant<|end_header_id|>\n\n"
    events = events_of(
        lambda: Parser(["f"], tag="{", markup=True, prompt=prompt), '{"name": "f", "arguments": {"x": 1}}'
    )
    assert calls_of(events) == [("f", {"x": 1})]


def test_a_tag_knows_no_reasoning() -> None:
    with pytest.raises(UsageError, match="reasoning"):
        Parser(tag="<tool_call>", start="reasoning")
