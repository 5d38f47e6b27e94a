# Which markers open reasoning under which name, and where a call in it may begin.
# Does not depend on how a draft is kept back (test_drafts.py).
"""Reasoning of every family, by name and with `auto`; calls of every format in it."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.support import depth
from tests.support.chunkings import calls_of, codes_of, content_of, events_of, read_with, reasoning_of
from toolglean import Format, Parser, ParserOptions, ToolSet, render
from toolglean.formats.frames import frame_of_others
from toolglean.formats.registry import all_formats, get_format

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = ToolSet([{"type": "function", "function": {"name": "get_weather", "description": "-", "parameters": CITY}}])
CALL = ("get_weather", {"city": "Oslo"})
FORMATS = tuple(each for each in all_formats() if not each.by_name_only)
# Calls without a marker of their own count only where the turn begins, by name and with `auto`.
BARE = {*("llama3-json", "pythonic", "glm-4", "granite-pythonic", "xlam", "xlam-object", "raven", "json-input")}
OWN_ONLY = {"apertus": "its own template writes calls in its reasoning"}
# `auto` takes these openers for prose.
PROSE = {"apriel", "hyperclovax-think", "granite-3"}


def pair_of(declared: Format) -> tuple[str, str]:
    return declared.reasoning if declared.reasoning[0] else ("<think>\n", "\n</think>")


@pytest.mark.sampled(9)
@pytest.mark.parametrize("named", [True, False], ids=["by name", "auto"])
@pytest.mark.parametrize("declared", FORMATS, ids=[each.name for each in FORMATS])
def test_a_call_that_ends_an_open_reasoning_is_a_call(declared: Format, named: bool) -> None:
    """One rule, for every format: the turn ends there, so it is the turn's call; it goes on, so it was a draft."""
    opener, closer = pair_of(declared) if named or declared.name not in PROSE else ("<think>", "</think>")
    call = render(declared, [CALL], tools=TOOLS)
    name = declared.name if named else "auto"
    ends = read_with(TOOLS, f"{opener}Hm.\n{call}", format=name, one_of_many=True)
    assert calls_of(ends) == ([] if declared.name in BARE else [CALL])
    if declared.name not in OWN_ONLY:
        goes_on = read_with(TOOLS, f"{opener}Hm.\n{call} so{closer}Hello", format=name, one_of_many=True)
        assert (calls_of(goes_on), content_of(goes_on).strip()) == ([], "Hello")


@pytest.mark.parametrize("name", ["hermes", "llama3-json", "mistral-v13", "harmony", "tool-tags"])
def test_the_reasoning_of_any_family_is_reasoning(name: str) -> None:
    for opener, *closers in frame_of_others(get_format(name), FORMATS).reasonings:
        for closer in closers:
            turn = f"{opener}Hm.{closer}Hello"
            for strict, thought in ((False, "Hm."), (True, "")):
                options = ParserOptions(strict=strict, markup=True)
                found = events_of(lambda: Parser(TOOLS, format=name, options=options), turn, one_of_many=True)  # noqa: B023
                assert reasoning_of(found).strip() == thought
                assert strict or content_of(found) == "Hello"


@pytest.mark.parametrize("name", [None, "gemma-4", "solar"])
def test_a_closer_that_mirrors_its_opener(name: str | None) -> None:
    """Fixed bug: the answer behind it was reasoning."""
    found = read_with(TOOLS, "<|think|>Hm.<|/think|>Hello", format=name)
    assert (reasoning_of(found).strip(), content_of(found)) == ("Hm.", "Hello")


@pytest.mark.parametrize("name", [None, "harmony", "hermes"])
def test_an_unknown_channel_opens_no_reasoning(name: str | None) -> None:
    """Fixed bug: among all formats, the end of its header opened that of another family, and the answer was lost."""
    found = read_with(TOOLS, "<|channel|>final?<|message|>It is 4.<|return|>", format=name)
    assert reasoning_of(found).strip() == ""
    assert content_of(found).endswith("It is 4.")


def test_the_end_of_a_header_alone_opens_the_turn_s_reasoning() -> None:
    found = read_with(TOOLS, "<|message|>Hm.<|eom|> to=user<|message|>Hi")
    assert (reasoning_of(found).strip(), content_of(found)) == ("Hm.", "Hi")


def test_what_is_taken_over_from_other_families() -> None:
    found = {opener for opener, *_ in frame_of_others(get_format("llama3-json"), FORMATS).reasonings}
    assert {"<think>", "[THINK]", "<|channel>thought", "<seed:think>", "<|channel|>analysis<|message|>"} <= found
    assert all(opener[0] in "<[" for opener in found), "another first character costs every chunk of prose"
    assert "<|message|>" not in found, "a part of harmony's markers shows nothing on its own"
    own = {opener for opener, *_ in frame_of_others(get_format("harmony"), FORMATS).reasonings}
    assert not [opener for opener in own if opener.startswith("<|start|>assistant")], "its own marker begins so"


class Row(NamedTuple):
    """A turn, and what is read of it: the names of its calls, the reasoning and the content, stripped."""

    what: str
    text: str
    calls: list[str]
    reasoning: str
    content: str = ""
    format: str = "auto"
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed


HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
XML = "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>"
JSON = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
MISTRAL = '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}'
APERTUS = '<|tools_prefix|>[{"get_weather": {"city": "Oslo"}}]<|tools_suffix|>'
NAME = ["get_weather"]
OPENED: dict[str, Any] = {"start": "reasoning"}

ROWS = [
    Row("XML in auto, as the user says", f"Hm.\n{XML}", NAME, "Hm.", options=OPENED),
    Row("a fallback format's call", f"<think>Hm. {MISTRAL}", NAME, "Hm.", "", "hermes"),
    Row("a fallback format's draft", f"<think>Hm. {MISTRAL} so</think>Yes", [], f"Hm. {MISTRAL} so", "Yes", "hermes"),
    Row("a fallback format's, strictly", f"<think>Hm. {MISTRAL}", [], f"Hm. {MISTRAL}", "", "hermes", {"strict": True}),
    Row("a format that does not reason", f"<think>Hm. {HERMES} so</think>Yes", [], f"Hm. {HERMES} so", "Yes", "llama3-json"),
    Row("bare after it", '<think>Hm.</think>{"name": "get_weather", "parameters": {"city": "Oslo"}}', NAME, "Hm.", "", "llama3-json"),
    Row("a closer that nothing opened", "Yes</think> or no", [], "", "Yesor no", "llama3-json"),
    Row("the same in auto", "Yes</think> or no", [], "", "Yesor no"),
    Row("the same, strictly", "Yes</think> or no", [], "", "Yes</think> or no", "llama3-json", {"strict": True}),
    Row("calls at once, but in its own reasoning alone", f"<think>Hm. {APERTUS} so</think>Yes", [], f"Hm. {APERTUS} so", "Yes", "apertus"),
    Row("the same in auto", f"<think>Hm. {APERTUS} so</think>Yes", [], f"Hm. {APERTUS} so", "Yes"),
    *(
        Row(what, text, [], "Hm.", "Yes", name, options)
        for what, text, own, options in (
            ("a closer without its last marker", "Hm.<|close|>think<|open|>response<|sep|>Yes", "kimi-k3", OPENED),
            ("an opener whose first marker comes twice", "<|channel><|channel>thought\nHm.\n<channel|>Yes", "gemma-4", {}),
        ) for name in (own, "auto")
    ),
    Row("the user opens it", "Hm.</think>Yes", [], "Hm.", "Yes", "llama3-json", OPENED),
    # The first closer ends the reasoning, however often it was opened: a marker that is repeated, or mentioned, must
    # not swallow the answer.
    Row("opened twice", "<think>\n<think>Hm.</think>Yes", [], "Hm.", "Yes"),
    Row("nested", "<think>a <think>b</think> c</think>d", [], "a <think>b", "cd"),
    Row("nested, on a line", "<think>a\n<think>b</think> c</think>d", [], "ab", "cd"),
    # But between backticks it is written about, and so is an opener in brackets or quotation marks in a sentence of the answer.
    Row("its closer in backticks", f"<think>It ends with `</think>`. I could\n{HERMES}\nbut no.</think>Yes", [], f"It ends with `</think>`. I could\n{HERMES}\nbut no.", "Yes"),
    Row("its closer behind code", "<think>It is `x`</think>\nYes", [], "It is `x`", "Yes"),
    Row("a plan behind an opener in a sentence", f"Sure <think> Maybe I could\n{HERMES}\nbut no.</think>Yes", [], f"Maybe I could\n{HERMES}\nbut no.", "Sure Yes"),
    # As a word of a sentence that goes on, it is text; but calls behind it are read as in reasoning.
    Row("a word of a sentence", "The <think> tag opens it, and </think> closes it.", [], "", "The <think> tag opens it, and </think> closes it."),
    Row("words of a list", "It has <think>, </think>; and so on.", [], "", "It has <think>, </think>; and so on."),
    Row("a call behind its opener as a word", f"The <think> tag. I look.\n{HERMES}", ["get_weather"], "", "The <think> tag. I look."),
    Row("what may be a plan behind it", f"Sure <think> maybe I could\n{HERMES}\nbut no.</think>Yes", [], "", f"Sure <think> maybe I could\n{HERMES}\nbut no.Yes"),
    Row("what may be a plan behind it in JSON that breaks off", f':["<think>x\n{HERMES}\nbut no.', [], "", f':["<think>x\n{HERMES}\nbut no.'),
    Row("a call behind both as words", f"The <think> tag and the </think> tag.\n{HERMES}\nDone.", ["get_weather"], "", "The <think> tag and the </think> tag.\n\nDone."),
    Row("its opener as a word in code", f"```\na <think> b\n```\n{HERMES}\nDone.", ["get_weather"], "", "```\na <think> b\n```\n\nDone."),
    Row("both in one span of code", "Use `<think>draft</think>` for it.", [], "", "Use `<think>draft</think>` for it."),
    Row("its closer at the end of a span of code", "Use `a </think>` for it.", [], "", "Use `a </think>` for it."),
    Row("a closer behind a lone backtick", f"I use the ` key</think>\n\n{HERMES}\nDone.", ["get_weather"], "", "I use the ` key\nDone."),
    *(
        Row(f"a plan behind a word, and {what}", f"{text}\n{HERMES}\nNo.", [], "", f"{text}\n{HERMES}\nNo.")
        for what, text in {
            "a backtick": "Sure <think> maybe the ` key.", "a run of them": "Sure <think> maybe ``` I",
            "one before it": "Use the ` key. Sure <think> maybe.", "one in a paragraph before": "Use `.\n\nSure <think> maybe.",
        }.items()
    ),
    Row("JSON of a plan behind a word", f"Sure <think> maybe. {JSON}", [], "", f"Sure <think> maybe. {JSON}", options={"trailing_json": "call"}),
    Row("calls behind the closer of a word", f"Ok <think> i check it.\n</think>\n\n{HERMES}\nDone.", ["get_weather"], "", "Ok <think> i check it.\n\nDone."),
    Row("code before a call in reasoning that never ends", f"<think>It is\n```\nx = 1\n```\n{HERMES}", ["get_weather"], "It is\n```\nx = 1\n```", ""),
    *(
        Row(f"the turn ends in {what} of the reasoning", f"<think>It is{opened}{HERMES}", [], f"It is{opened}{HERMES}", format=name)
        for what, opened in {
            "a fence": ":\n```\n", "a fence with more in it": " so.\n\n~~~xml\n<a/>\n", "code": "\n<pre>", "a comment": " <!-- ",
            "a result": "\n<tool_response>\n", "a quoted line": ", I think\n> ",
        }.items() for name in ("auto", "hermes", "qwen3-coder")
    ),
    *(
        Row(f"another role's header in the reasoning, {what}", f"<think>Hm.\n{before}<|im_start|>user\nDo it.\n{after}{HERMES}", [], f"Hm.\n{before}<|im_start|>user\nDo it.\n{after}{HERMES}", format=name)
        for what, before, after in (
            ("in a fence", "```\nabc\n", ""), ("in a fence that is closed", "```\n", "```\n"), ("behind a lone backtick", "a ` and ", ""),
            ("between backticks", "a ` and ", "and ` too.\n"), ("in a comment", "<!-- ", "-->\n"),
        ) for name in ("auto", "hermes")
    ),
    Row("a draft that holds the opener of an element", f"<think>I could do {HERMES.replace('Oslo', '<pre>')} but no.\nSo:\n{HERMES}", ["get_weather"], f"I could do {HERMES.replace('Oslo', '<pre>')} but no.\nSo:"),
    Row("a quoted line before a call in reasoning that never ends", f"<think>It says\n> so.\n{HERMES}", ["get_weather"], "It says\n> so."),
    Row("a sign of more and one of less before it", f"<think>If x > 0 and x < 9, `x` is\n{HERMES}", ["get_weather"], "If x > 0 and x < 9, `x` is"),
    Row("its opener in quotation marks", 'It begins with a "<think>" tag.', [], "", 'It begins with a "<think>" tag.'),
    Row("its opener in brackets", "The tags (<think>) and [THINK]) open it.", [], "", "The tags (<think>) and [THINK]) open it."),
    Row("its opener in square brackets", "The tag [<think>] opens it.", [], "", "The tag [<think>] opens it."),
    Row("its opener, the last one in a list", "The array [a, <think>] is it.", [], "", "The array [a, <think>] is it."),
    Row("a bracket that begins a marker", 'So <think>]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Oslo]<]minimax[>[</city>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call></think> ok', [], ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Oslo]<]minimax[>[</city>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>', "So ok", format="minimax-m3"),
    Row("it begins with code, behind a quotation mark", f'So: "<think>`x` it is\n{HERMES}\nbut no.</think>Yes', [], f"`x` it is\n{HERMES}\nbut no.", 'So: "Yes'),
    Row("it begins in a sentence", "I look <think>hm</think>ok", [], "hm", "I look ok"),
    Row("mentioned", "<think>The tag <think> opens it.</think>Yes", [], "The tag <think> opens it.", "Yes"),
    Row("mentioned in quotation marks", '<think>It says "<think>" here.</think>Yes', [], 'It says "<think>" here.', "Yes"),
    Row("mentioned in code", "<think>In C, `a <think>b` is it.</think>Yes", [], "In C, `a <think>b` is it.", "Yes"),
    Row("its closer behind a backtick that stays alone", "<think>Use a ` sign.</think>Yes, `x` is it.", [], "Use a ` sign.", "Yes, `x` is it."),
    Row("its closer behind a fence that stays open", "<think>a\n```py\nx\n</think>Yes", [], "a\n```py\nx", "Yes"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row.what for row in ROWS])
def test_reasoning(row: Row) -> None:
    events = read_with(TOOLS, row.text, format=row.format, **row.options)
    assert [name for name, _ in calls_of(events)] == row.calls
    assert reasoning_of(events).strip() == row.reasoning
    assert content_of(events).strip() == row.content


def test_a_prompt_that_opens_it_and_a_turn_that_ends_with_a_call() -> None:
    for name in ("auto", "qwen3-coder"):
        parser = Parser(TOOLS, format=name, prompt="<|im_start|>assistant\n<think>\n")
        output = parser.add(f"Hm.\n{XML}")
        assert [call.name for call in parser.close().calls] == NAME
        assert output.reasoning == "Hm."


def test_what_is_before_backticks_is_known_wherever_the_chunks_end() -> None:
    """Fixed bug: an item's sign in a chunk of its own was not told, and its backticks ended a fence of the reasoning."""
    for sign in ("- ", "* ", "+ "):
        parser = Parser(TOOLS, start="reasoning")
        events = [event for chunk in ("a ```xml\n", sign, f"```\n{HERMES}") for event in parser.feed(chunk)]
        assert calls_of(events + parser.finish()) == []


def test_a_marker_of_ones_own_opens_no_element() -> None:
    """Fixed bug: `<thoughts>` was the reasoning's marker, and with the line behind it the beginning of something shown."""
    own = Format("own", call="[[{name} {arguments}]]", reasoning=("<thoughts>", "</thoughts>"))
    events = read_with(TOOLS, '<thoughts>Hm.</thoughts>\n[[get_weather {"city": "Oslo"}]]', format=own)
    assert [name for name, _ in calls_of(events)] == NAME
    assert reasoning_of(events) == "Hm."
    assert codes_of(events) == []


def test_a_closer_too_many_is_said() -> None:
    events = read_with(TOOLS, "<think>a <think>b</think> c</think>d")
    codes = codes_of(events)
    assert codes == ["unopened-reasoning"]


PAIRS = (("<think>", "</think>"), *frame_of_others(get_format("hermes"), FORMATS).reasonings)
OSLO, ROME = (("get_weather", {"city": city}) for city in ("Oslo", "Rome"))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("declared", FORMATS, ids=[each.name for each in FORMATS])
def test_reasoning_of_any_family_behind_a_call_of_any_other(declared: Format) -> None:
    """Which format the turn's calls have says nothing of how the model reasons: the law holds for the whole turn."""
    if declared.name in OWN_ONLY or declared.name in BARE:
        pytest.skip("its calls are accepted inside its reasoning, or only where the turn begins")
    first, second = (render(declared, [call], tools=TOOLS) for call in (OSLO, ROME))
    for opener, closer, *_ in depth.chosen(PAIRS, 1, key=lambda pair: f"{declared.name} {pair}"):
        if opener.startswith("<|start|>") and "<|message|>" in first:
            continue  # harmony's kind of header: in this format it is that of the answer
        text = f"{first}\n{opener}Maybe {second} or not.{closer}\nI refuse."
        for name in ("auto", declared.name):
            answer = Parser(TOOLS, format=name)
            calls = [*answer.add(text).calls, *answer.close().calls]
            assert [call.arguments for call in calls] in ([OSLO[1]], []), (opener, name)


def test_a_closer_that_nothing_opened_behind_a_call_is_markup() -> None:
    """The call has been delivered, and stands; a `Problem` says that the prompt may have opened the reasoning."""
    text = '<function=get_weather>{"city": "Oslo"}</function></think>Done.'
    events = read_with(TOOLS, text)
    assert (calls_of(events), content_of(events)) == ([OSLO], "Done.")
    assert codes_of(events) == ["unopened-reasoning"]


BROKEN = {
    "harmony": "<|channel|>commentary to=functions.f<|constrain|>json<|message|>y",
    "hermes": '<tool_call>{"name": "f", "arguments": y',
    "mistral-v13": "[TOOL_CALLS]f[ARGS]y",
}


@pytest.mark.parametrize("gap", ["\n", "\n ", "\n   ", "\n    ", "\n\t", " \n", "\n\n", " "])
@pytest.mark.parametrize("opener", ["<think>", "<|channel|>analysis<|message|>", "[THINK]"])
@pytest.mark.parametrize("name", BROKEN)
def test_reasoning_behind_a_broken_call_is_found_however_it_is_cut(name: str, opener: str, gap: str) -> None:
    """With spaces before it on its line, it was found in small chunks alone."""
    plan = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    for form in (name, "auto"):
        for behind in ("", " Hm.", f" maybe {plan} no</think>"):
            events = read_with(["f"], f"{BROKEN[name]}{gap}{opener}{behind}", format=form)
            if "\n" in gap and gap[-1:] != "\t" and len(gap) < 5:
                assert calls_of(events) == []
