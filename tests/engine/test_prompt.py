# What the end of a prompt tells about the turn that follows it. Does not depend on how the prompt is read.
"""`start` and `prompt`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.chunkings import calls_of, content_of, events_of, read_with, reasoning_of
from tests.support.depth import chosen
from tests.support.face import faced
from toolglean import CallEnd, CallStart, Format, Parser, ParserOptions, Problem, UsageError, join, render

TEXTS = {"x": {"type": "string"}, "y": {"type": "string"}}
TOOLS = [{"name": name, "parameters": {"type": "object", "properties": TEXTS}} for name in ("f", "g")]
CALL = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'


@pytest.mark.parametrize(
    "options",
    [{"start": "reasoning"}, {"prompt": "<|im_start|>assistant\n<think>\n"}, {"prompt": "Say </think> or <think>"}],
)
def test_the_prompt_has_opened_the_reasoning(options: dict[str, Any]) -> None:
    text = f"I should call f.\n</think>\n\nSure.\n{CALL}"
    events = read_with(None, text, format="hermes", **options)
    assert reasoning_of([*events]) == "I should call f."
    assert content_of(events) == "Sure.\n"
    assert calls_of(events) == [("f", {"x": 1})]


def test_a_prompt_with_calls_of_earlier_turns() -> None:
    prompt = f"<|im_start|>assistant\n{CALL}<|im_end|>\n<|im_start|>user\nAgain, with <tool_call>.<|im_end|>\n<|im_start|>assistant\n"
    events = read_with(None, CALL, format="hermes", prompt=prompt)
    assert [event.call.id for event in events if isinstance(event, CallEnd)] == ["call_0"]
    assert [event.call.span[0] for event in events if isinstance(event, CallEnd)] == [0]


def test_a_call_that_the_prompt_has_begun() -> None:
    prompt = '<|im_start|>assistant\n<tool_call>\n{"name": "f", "arguments": {'
    events = read_with(None, '"x": 1}}\n</tool_call>', format="hermes", prompt=prompt)
    assert calls_of(events) == [("f", {"x": 1})]


def test_the_first_character_behind_a_prompt_is_text_on_the_line_however_it_is_cut() -> None:
    prompt = ".<start_function_call>call:g{}<end_function_call><start"
    text = "e<start_function_call>call:v{x:<escape><escape>}<"
    read_with(TOOLS, text, format="functiongemma", prompt=prompt)


def test_the_header_of_another_message_in_a_document_does_not_end_the_turn_however_it_is_cut() -> None:
    text = '{"<|observation|>":"","":3}<|user|>'
    read_with(None, text, format="glm-4", prompt='"')


@pytest.mark.parametrize("name", ["hermes", "kimi-k2", "mistral-v13", "lfm2"])
def test_a_call_that_is_complete_in_the_prompt_is_not_the_turns(name: str) -> None:
    whole = render(name, [("f", {"x": "a"})])
    bracket = ")" if name == "lfm2" else "}"
    place = whole.rindex(bracket) + 1
    events = read_with(TOOLS, whole[place:], format=name, prompt=whole[:place])
    assert calls_of(events) == []
    assert content_of(events) == ""


def test_bare_json_after_a_prompt() -> None:
    prompt = "<|start_header_id|>assistant<|end_header_id|>\n\n"
    events = read_with(["f"], '{"name": "f", "arguments": {"x": 1}}', format=Format.from_tag("{"), prompt=prompt)
    assert calls_of(events) == [("f", {"x": 1})]


def test_a_tag_knows_no_reasoning() -> None:
    with pytest.raises(UsageError, match="reasoning"):
        Parser(format=Format.from_tag("<tool_call>"), start="reasoning")


PROMPTS = [
    # A call ends in the prompt, in the middle of a marker.
    ("minimax-m3", ']<]minimax[>[<invokename="b">]<]minimax[>[<x>]<]minimax[>[</x>]<]minimax[>', "[</"),
    # A region that the prompt began is read again from a hole that a marker had passed by.
    ("kimi-k2", "<think><|tool_call_begin|>f", ">"),
    ("harmony", "<|channel>to=f", "> x"),
    # A draft kept the prompt's last character back, because it may begin a marker of reasoning.
    ("tool-tags", "<think><f><x></x></<", ">"),
    # What the prompt had begun like a marker is another call of the section.
    ("pangu-embedded", '[unused11][{"name": "f", "arguments": {}}[un', "n"),
    # What waits at the prompt's end went out on the short way.
    ("firefunction", "<|eot_id|><|start_header_id|>assistant<", "fl"),
    # A payload that the prompt opened counts its calls from the turn on.
    ("tag:[TOOL_CALLS]", '[TOOL_CALLS]g{""[TOOL_CALLS]', '>g{"":""} x'),
]


@pytest.mark.parametrize(("name", "prompt", "text"), PROMPTS, ids=[each[0] for each in PROMPTS])
def test_nothing_of_the_turn_is_lost_where_the_prompt_ends(name: str, prompt: str, text: str) -> None:
    options: dict[str, Any] = {"tag": name[4:]} if name.startswith("tag:") else {"format": name}
    read_with(["f", "g"], text, prompt=prompt, **options)


HEADER = "<|im_start|>assistant\n"
PREFILLS = [
    # what the prompt has of the turn; the rest of the turn; the calls that are read
    ("Sure:\n```xml\n", f"{CALL}\n```\nThat is it.", 0),
    ("Sure:\n```", f"\n{CALL}\n```\nThat is it.", 0),
    ("Sure:\n~~~\n", f"{CALL}\n~~~\n{CALL}", 1),
    ("Write `", f"{CALL}` for it.", 0),
    ("Write `x` and ", f"{CALL} for it.", 0),
    ("Write it so: ", f"{CALL}", 1),
    ("> ", f"{CALL}\n{CALL}", 1),
    ("<pre>\n", f"{CALL}\n</pre>\n{CALL}", 1),
    ("<!-- ", f"{CALL} -->\n{CALL}", 1),
    ("[TOOL_RESULTS]", f"{CALL}[/TOOL_RESULTS]\n{CALL}", 1),
    ("````\n", f"Hi\n{CALL}\n````\n{CALL}", 1),
    ("```xml\n", f"{CALL}\n```", 1),  # a fence that opens the turn is markup, whoever wrote it
    ("```xml\n", f"{CALL}\n```\nNever send this.", 0),
    ("```xml\nx\n```\n", f"{CALL}", 1),
    ("", f"{CALL}", 1),
]


@pytest.mark.sampled(3, each="prefill")
@pytest.mark.parametrize(("prefill", "text", "count"), PREFILLS)
@pytest.mark.parametrize("name", ["hermes", "auto"])
@pytest.mark.parametrize("header", [HEADER, f"Use `x\n```\n{HEADER}", ""])
def test_a_prefill_is_read_as_if_the_model_had_written_it(
    name: str, header: str, prefill: str, text: str, count: int
) -> None:
    """It was forgotten what it had opened: a call in that quotation ran."""
    if not header and prefill.endswith("and "):  # it may be the user's words, which are no sentence of the model's
        count = 1
    options = ParserOptions(markup=True)
    events = events_of(lambda: Parser(TOOLS, format=name, prompt=header + prefill, options=options), text)
    assert [each[0] for each in calls_of(events)] == ["f"] * count


@pytest.mark.parametrize(
    "prompt", ["Q: how? <!-- like this?\nA: ", "Q: I wrote\n```py\nx\nA:", "Use C:\\", "### User: hi\n### Assistant:\n"]
)
def test_what_the_users_words_have_opened_quotes_nothing(prompt: str) -> None:
    for text in (CALL, '{"name": "f", "arguments": {"x": 1}}'):
        events = read_with(TOOLS, text, prompt=prompt)
        assert [each[0] for each in calls_of(events)] == ["f"]


def test_the_end_of_a_long_prompt_quotes_nothing() -> None:
    """Where nothing shows who wrote it, and it may begin within a quotation."""
    prompt = "I.\n```\nx\n```\n" * 300
    for cut in range(14):
        given = prompt[: len(prompt) - cut]
        options = ParserOptions(markup=True)
        events = events_of(lambda: Parser(TOOLS, format="hermes", prompt=given, options=options), CALL)  # noqa: B023
        assert calls_of(events) == [("f", {"x": 1})]


def test_a_call_that_the_prompt_has_begun_starts_first() -> None:
    """A delta went out before the start, where the first chunk could pass as it was."""

    def make() -> Parser:
        return Parser(
            ["f"],
            format="hermes",
            prompt='<tool_call>{"name": "f", "arguments": {"x": "a',
            options=ParserOptions(markup=True),
        )

    assert isinstance(make().feed("b")[0], CallStart)
    assert calls_of(events_of(make, 'bc"}}</tool_call>')) == [("f", {"x": "abc"})]


def test_a_problem_in_the_prompt_is_not_reported() -> None:
    events = read_with(["f"], "I look.", format="jamba", prompt="<tool_calls>[")
    assert content_of(events) == "I look."
    assert not [event for event in events if isinstance(event, Problem) and event.start < 0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name", ["hermes", "qwen3-coder", "harmony", "kimi-k2", "deepseek-v3.1", "pythonic", "gemma-4"]
)
def test_a_prompt_may_end_anywhere(name: str) -> None:
    text = render(name, [("f", {"x": "a"}), ("g", {"y": "b c"})], tools=TOOLS)
    for cut in chosen(range(len(text)), 14, key=str):
        read_with(TOOLS, text[cut:], format=name, prompt=text[:cut])


def test_views_of_one_turn_join_alike() -> None:
    """A turn that begins in the prompt is one turn, however it is cut."""
    options: dict[str, Any] = {
        "format": "qwen3-coder",
        "prompt": "<tool_call>\n<function=f>\n<parameter=x>\na\n</parameter>\n",
    }
    whole = Parser(TOOLS, **faced(**options))
    rest = "</function>\n</tool_call>"
    found = join(whole.feed(rest) + whole.finish())
    assert [(event.call.span, event.call.status) for event in found if isinstance(event, CallEnd)] == [((0, 0), "ok")]
