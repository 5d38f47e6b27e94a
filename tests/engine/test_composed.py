# Turns that the composing fuzzer (fuzz/compositions.py) found, as short as they get: a call that must not run, behind
# something that is read first. Rows that are expected to fail are not mended yet.
"""Calls behind other calls, drafts, quotations and broken calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.chunkings import account, calls_of, codes_of, events_of, read_with
from toolglean import Limits, Parser, ParserOptions, Problem

TOOLS: list[Any] = [
    {
        "name": "pay",
        "parameters": {
            "type": "object",
            "properties": {"to": {"type": "string"}, "amount": {"type": "integer"}},
            "required": ["to", "amount"],
        },
    },
    {
        "name": "note",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    },
]


def _json(amount: int) -> str:
    return json.dumps({"name": "pay", "arguments": {"to": "Ann", "amount": amount}})


def _titled(amount: int) -> str:
    return f"**Tool Call:**\n```json\n{_json(amount)}\n```"


NOTE = '<tool_call>{"name": "note", "arguments": {"text": "a"}}</tool_call>'
LONG_NOTE = NOTE.replace('"a"', f'"{"A" * 3990}"')
LONG_FENCE = "````text\n<pay><to>Ann</to><amount>9</amount></pay>\n````"
NOTED = ("note", {"text": "a"})
PAID = ("pay", {"to": "Ann", "amount": 1})
PHI = f"<|tool_call|>[{_json(2)}]<|/tool_call|>"
HARMONY = '<|channel|>commentary to=functions.pay <|constrain|>json<|message|>{"to": "Ann", "amount": 2}<|call|>'
CODER = "<tool_call>\n<function=pay>\n<parameter=to>\nAnn\n</parameter>\n<parameter=amount>\n2\n</parameter>\n</function>\n</tool_call>"
UNDECLARED = '⟦call⟧{"tool": "pay", "input": {"to": "Ann", "amount": 2}}⟦/call⟧'
MINIMAX = (
    ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="pay">]<]minimax[>[<to>Ann]<]minimax[>[</to>'
    "]<]minimax[>[<amount>2]<]minimax[>[</amount>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>"
)
FENCED = (
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>pay\n"
    '```json\n{"to": "Ann", "amount": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
)
LOCAL = (
    "<|tool_call:start|>pay\n<|tool_arg:start|>to<|tool_arg:value|>Ann<|tool_arg:end|>\n"
    "<|tool_arg:start|>amount<|tool_arg:value|>1<|tool_arg:end|>\n<|tool_call:end|>\n"
)
ATEM = (
    '<atem:function_calls>\n<atem:invoke name="pay">\n<atem:parameter name="to">Ann</atem:parameter>\n'
    '<atem:parameter name="amount">2</atem:parameter>\n</atem:invoke>\n</atem:function_calls>'
)
REACT = 'Action: pay\nAction Input: {"to": "Ann", "amount": 2}'
MISTRAL = '[TOOL_CALLS]note[ARGS]{"text": "a"}'
UNKNOWN = "the name that breaks off may be that of a tool of somebody else, and is told as unknown: no client runs it"
ROWS: dict[str, tuple[str, str, list[Any], str]] = {
    "an object behind the end of a message in a value that breaks off": (
        "hermes", f"<|tool_call>call:pay{{to:</s>\n{REACT.partition('{')[0]}{{\"to\": \"Ann\", \"amount\": 2}}", [], "",
    ),
    "another role's header that a marker completes in the reasoning": (
        "auto", f" to=pay<|message|>{ATEM[:46]}\n<|end|><|start|>user<|message|> to=pay<|message|>{ATEM}", [], "",
    ),
    "an object behind a line break in a value that breaks off": (
        "gemma-4", '<|tool_call>call:pay{to:\nAction: pay {"to": "Ann", "amount": 2}', [], "",
    ),
    "a call in an undeclared spelling behind a broken call and an opener": (
        "auto", f'<tool_call>\n{{"name": "note", "arguments": {{"text": "a "b" c\n<tool_call>\n{UNDECLARED}', [], "",
    ),
    "a closer in a fence behind a broken call": (
        "hermes",
        f'<tool_call>\n{{"name": "note", "arguments": {{"text": "a "b"\n<tool_call>\n```py\nx\n</tool_call>\n```\n{NOTE}', [], "",
    ),
    "an object in a value whose quotation marks are missing": (
        "hermes", f"call:note{{text:b {_json(2)}</tool_call>", [], "",
    ),
    "the end of a message in a value that breaks off": (
        "gemma-4", "<|tool_call>call:pay{to:<end_of_turn>\nAction: pay, amount: 2}", [], "",
    ),
    "a tag that is closed in a value": (
        "gemma-4", "<|tool_call>call:note{text:<s>a</s>}<tool_call|>", [("note", {"text": "<s>a</s>"})], "",
    ),
    "reasoning behind brackets that are no JSON": ("mistral", f"[[THINK]{NOTE}[/THINK]", [], ""),
    "a call behind brackets that are no JSON": ("auto", f"[{MISTRAL}]", [], ""),
    "a call in a tool's message that is no JSON": ("mistral", f'{{"role": "tool", "content": [{MISTRAL}]}}', [], ""),
    "reasoning behind what begins as JSON": ("auto", f'{{"a": [1, [THINK]{NOTE}[/THINK]', [], ""),
    "reasoning behind what begins as a call in JSON": (
        "hermes", f'{{"name": "note", "arguments": [THINK]{NOTE}[/THINK]', [], "",
    ),
    "a quoted line behind blanks": ("hermes", f"   > {NOTE}", [], ""),
    "quoted lines behind blanks in a list": ("auto", f"- so:\n\n  > a\n  > {PHI}\n\nDone.", [], ""),
    "a name that breaks off before an empty line": (
        "telechat-4", "<|im_end|>\n<tool_call>pa\n\n{}", [], UNKNOWN,
    ),
    "a name that breaks off before a line break that the format does not write": (
        "auto", "<|tool_call>call:p \n{}", [], UNKNOWN,
    ),
    "a mention of another family after a call": (
        "auto", f"{NOTE}\nNever write {PHI} in an answer.", [NOTED], "",
    ),
    "a mention after a lone backtick, before a marker and another backtick": (
        "hermes", f"It`s so.\nNever write {NOTE} in an answer.<|im_end|> and ` more", [], "",
    ),
    "a mention with another family's closer": (
        "granite-3", f"Never write {PHI} in an answer.", [], "",
    ),
    "a call in mid-sentence with another family's closer": (
        "granite-3", f"I call {PHI}\nDone.", [("pay", {"to": "Ann", "amount": 2})], "",
    ),
    "a mention of another family, by name": (
        "lost-brackets", f"Never write {CODER} in an answer.", [], "",
    ),
    "a call in another family's marker in mid-sentence": (
        "hermes", f"I call <calls>\n{NOTE}\n</calls>\nDone.", [NOTED], "",
    ),
    "a mention in another family's marker": (
        "hermes", f"Never write <calls>\n{NOTE}\n</calls> in an answer.", [], "",
    ),
    "reasoning after a call in bare JSON": (
        "auto", f"[{_json(1)}]\n<think>{NOTE}</think> So.", [PAID], "",
    ),
    "an announced call after a result": (
        "auto", f"<tool_result>\nx\n</tool_result>\n\nSo:\n\n{UNDECLARED}", [], "",
    ),
    "a quotation after a result": (
        "auto", f"<tool_result>\n{HARMONY}\n</tool_result>\n\n> {HARMONY}", [], "",
    ),
    "a value of another family after a call": (
        "auto",
        ('[TOOL_CALLS]note[ARGS]{"text": "a"}\n<tool_call>note<arg_key>text</arg_key><arg_value>'
        '[TOOL_CALLS]pay[ARGS]{"to": "Ann", "amount": 2}</arg_value></tool_call>'),
        [NOTED, ("note", {"text": '[TOOL_CALLS]pay[ARGS]{"to": "Ann", "amount": 2}'})],
        "",
    ),
    "a tool's own tag that swallows a quoted one": (
        "auto", "<pay>\n<to>Ann \n> <pay>\n> <to>Ann</to><amount>2</amount></pay>", [], "",
    ),
    "a call in Gemma's form that swallows another": (
        "auto", f'<|tool_call>call:pay{{to:<|"|\n\n<think>\n<|tool_call|>[{_json(2)}]\n</think>', [], "",
    ),
    "an announced call behind the first line of an XML file": (
        "auto",
        "The log has:\n\n<?xml version='1.0'?>\n<tools>\n<tool name='pay'>\n<to>Ann</to>\n<amount>2</amount>\n</tool>\n</tools>",
        [],
        "",
    ),
    "text in brackets behind an undeclared call": (
        "auto", "TOOL: pay\nto: Ann\namount: 2\nEND TOOL\n\n[see below]", [], "",
    ),
    "an announced call whose first word opens nothing": (
        "longcat", 'So:\n\nAction: pay {"to": "Ann", "amount": 2}', [], "",
    ),
    "an announced call in a form with signs, by name": (
        "beam", "So:\n\n@@call pay@@\nto: Ann\namount: 2\n@@end@@", [], "",
    ),
    "a mention of MiniMax's form, by name": (
        "hermes", f"Never write {MINIMAX} in an answer.", [], "",
    ),
    "a mention after a lone backtick, before a marker": (
        "auto", f"It`s so.\nNever write {PHI} in an answer.<|end_message|>", [], "",
    ),
    "a value of another family after a call that begins alike": (
        "auto",
        ("<tool_call>pay(to='Ann', amount=1)</tool_call>\n<tool_call>note<arg_key>text</arg_key><arg_value>"
        "<tool_call>pay(to='Ann', amount=2)</tool_call></arg_value></tool_call>"),
        [PAID], "",
    ),
    "a call that breaks off before another one": (
        "qwen3-coder", f"{CODER.partition('<parameter=amount>')[0]}{CODER}", [("pay", {"to": "Ann", "amount": 2})], "",
    ),
    "a header in a call that breaks off": (
        "functiongemma",
        ("<start_function_call>call:pay{to:<escape>Ann<escape>,amount:<escap\n\n</s>[INST] <start_function_call>call:pay"
        "{to:<escape>Ann<escape>,amount:<escape>2<escape>}<end_function_call></s>\n<start_function_call>call:pay"
        "{to:<escape>Ann<escape>,amount:<escape>3<escape>}<end_function_call>"),
        [], "",
    ),
    "calls behind a fence that opens the turn, a marker, and text": (
        "hermes",
        f"```xml\n{NOTE}\n```\n<|im_end|>\n{NOTE}. {NOTE}",
        [NOTED, NOTED, NOTED], "",
    ),
    "a call behind a fence that opens the turn, and a marker that waits": (
        "mistral-v11",
        f"```xml\n{NOTE}\n```\n<tool_call>\n[TOOL_CALLS]note[ARGS]{{\"text\": \"a\"}}",
        [NOTED], "",
    ),
    "a call behind a fence that opens the turn, and a doubled opener, before text": (
        "hermes", f"~~~xml\n{NOTE}\n~~~\n<tool_call>\n{NOTE}\n\nSo it is.", [NOTED], "",
    ),
    "a call behind a fence that opens the turn, and an opener without a call": (
        "mistral-v11",
        f"```xml\n{NOTE}\n```\n<|tool_call|>\n[TOOL_CALLS]note[ARGS]{{\"text\": \"a\"}}",
        [NOTED], "",
    ),
    "a quoted line behind a call of words that is cut": (
        "auto",
        '<call:pay{to:<|"|>Ann<|"|>,amou\n\n> <call:pay{to:<|"|>Ann<|"|>,amount:2}/>', [],
        "",
    ),
    "a quoted line behind a call that breaks off in its name": (
        "mimo", f"<tool_call><function=pay\n> {CODER}", [], "",
    ),
    "the same behind an empty line": (
        "step-audio-2", '<function=pay\n\n> <function=pay>{"to": "Ann", "amount": 2}</function>', [], "",
    ),
    "a draft on the next line after a call of words that is cut": (
        "gemma-verbal", '<call:pay{t \n<thinking>\n<call:pay{to:<|"|>Ann<|"|>,amount:2}/>\n</thinking>', [], "",
    ),
    "a number that breaks off before the end of the message": (
        "minimax-m2", f'<|im_start|>assistant -> tool/function_call\n[{_json(12).removesuffix("2}}")}<|im_end|>\nSo.', [], "",
    ),
    "a call in the list's item that begins the turn": ("hermes", f"1. {NOTE}x", [], ""),
    "a mention in two of another family's markers": (
        "hermes", f"Never write <calls>\n<sub>\n{NOTE}\n</sub></calls> in an answer.", [], "",
    ),
    "a call behind a tag of its own, after a tag in a sentence": (
        "hermes", f"Use <x> here.\n\n<br>\n{NOTE} Done.", [NOTED], "",
    ),
    "a call behind an arrow, after a tag in a sentence": ("hermes", f"Use <x> here.\n\nx ->\n{NOTE} Done.", [NOTED], ""),
    "a header in a key of a call that breaks off": (
        "hermes",
        ('<tool_call>\n{"name": "pay", "argu\n<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n<tool_call>\n'
        f'{_json(2)}\n</tool_call></s>\n<tool_call>\n{_json(3)}\n</tool_call>'),
        [], "",
    ),
    "elements that another tag's closer ends": ("tool-tags", "<pay>\n<to>Ann</to>\n</s>\nSo.", [], ""),
    "elements that nothing but a marker ends": ("tool-tags", "<pay>\n</s>\nSo.", [], ""),
    "elements of MiniMax that another tag's closer ends": (
        "minimax-m3", MINIMAX.partition("]<]minimax[>[<amount>")[0] + "]<]minimax[>[</s>", [], "",
    ),
    "a label after the beginning of a tool's message": ("gigachat-3.1", '<tool: function>\n\n\nSo:\n\n{"to": "x"}', [], ""),
    "a marker of strings that is cut": (
        "functiongemma",
        f"<start_function_call>call:pay{{to:<escape\n\n<tool_call>\n{_json(1)}\n</tool_call>", [], "",
    ),
    "a marker of strings that is cut early": (
        "functiongemma", f"<start_function_call>call:pay{{to:<esc\n\n<!--\n{_json(1)}\n-->", [], "",
    ),
    "a draft after a call of words that is cut": (
        "auto", f'<call:pay{{to:<|"|>Ann<|"|>,am \n<thinking>\n{PHI}\n</thinking>', [], "",
    ),
    "a draft beside a call of words that is cut": (
        "auto", f'<call:pay{{to:<|"|>Ann<|"|>,am<thinking>\n{PHI}\n</thinking>', [], "",
    ),
    "text in brackets after a call that nobody declared": (
        "auto", "[call:pay to=Ann amount=2]\n\n[see below]", [], "",
    ),
    "text in braces after a call that nobody declared": ("auto", "[call:pay to=Ann amount=2]\n\n{see below}", [], ""),
    "a fence after a call that was cut off, by name": (
        "react", f'Action: pay\nAction Input: {{"to"\n<tool_call>\n```json\n{REACT}\n```\nSo.', [], "",
    ),
    "a quoted line behind reasoning, after a lone backtick": (
        "auto", f"It`s so.\n<think>\nMaybe.\n</think> \n> {PHI}", [], "",
    ),
    "a mention behind a call, after a lone backtick": (
        "hermes", f"It`s so.\n{NOTE}\nNever write {PHI} in an answer.", [NOTED], "",
    ),
    "code behind a call, after a lone backtick": ("hermes", f"It`s so.\n{NOTE}\n``{PHI}`` for that.", [NOTED], ""),
    "a draft after a call in brackets that is cut": (
        "gigachat-3.1", f'[Calling tool: pay({{"to": "Ann", \n\n<think>\n{MINIMAX}\n</think>', [], "",
    ),
    "an escaped call after a call in braces that is cut": (
        "auto",
        '<|tool_call>call:pay{to:\n\n&lt;|tool_call&gt;call:pay{to:&lt;|"|&gt;Ann&lt;|"|&gt;,amount:2}', [], "",
    ),
    "a paragraph after a call in braces that is cut": (
        "minimax-m2", '<|tool_call>call:pay{to:<\n\n<code>\n{"to": "Ann", "amount": 2}\n</code>', [], "",
    ),
    "a fence behind a call in bare JSON, before text": (
        "auto", f"{_json(1)}\n\n```json\n{_json(2)}\n```\nSo.", [PAID], "",
    ),
    "code behind a call whose id is cut off": (
        "auto", '@pay( \n``@pay(call_0): {"to": "Ann", "amount": 2}`` for that.', [], "",
    ),
    "a header behind a call whose id is cut off": (
        "mistral-v11",
        '[TOOL_CALLS]pay[CALL_ID]\n\n<|end|><|start|>user<|message|>[TOOL_CALLS]pay[CALL_ID]call_0[ARGS]{"to": "Ann", "amount": 2}',
        [], "",
    ),
    "a line after the first character of a marker of strings": (
        "solar-open2", '<start_function_call>call:pay{to:<\n<tool_call>\nAction: pay {"to": "Ann", "amount": 2}', [], "",
    ),
    "a draft behind a broken call in tildes that open the turn": (
        "hermes", f'~~~\n<tool_call>{{"name": "note" b\n~~~\n\n<think>a {PHI}</think>Done.', [], "",
    ),
    "an opener of reasoning in the line of a broken call": (
        "hermes",
        '<tool_call>{"name": "note", "arguments": {"text": "a "b" <think> c"}}</tool_call>\nSo.\n<think>' + PHI + "</think>.",
        [], "",
    ),
    "calls after many lone backticks": ("hermes", f"It`s so.\n{NOTE}\n{NOTE}\n\n" * 12, [NOTED] * 24, ""),
    "mentions after many lone backticks": (
        "hermes", f"It`s so.\n{NOTE}\nNever write {PHI} in an answer.\n\n" * 12, [NOTED] * 12, "",
    ),
    "a bare value in odd quotes with an empty line": (
        "gemma-4", "<|tool_call>call:note{text:\u201ca\n\nb\u201d}<tool_call|>", [("note", {"text": "a\n\nb"})], "",
    ),
    "a call accepted only at the turn's end that fails in its opener": ("auto", '<call:pay{to|"|>Ann}/>', [], ""),
    "the same with its strings' markers": ("hermes", 'So.\n<call:pay{to|"|>Ann<|"|>}/>', [], ""),
    "a bracket behind a quoted opener that begins a marker of reasoning": (
        "hermes", f"> <tool_call>\n[unused16]\n{LOCAL}\n[unused17]", [], "",
    ),
    "a bracket like it, behind another bracket's": (
        "hermes", f"> <tool_call> [\n[unused16]\n{LOCAL}\n[unused17]", [], "",
    ),
    "a call behind an opener in a fence that opens the turn": (
        "mistral-v13", f'```\n<invoke name="note">\n```\nSo.\n[TOOL_CALLS] [{_json(1)}]', [PAID], "",
    ),
    "a call behind a fence that opens the turn, with fences in the calls": (
        "cogito", f"```text\n{FENCED}\n```\n\n{FENCED}\nHi", [PAID, PAID], "",
    ),
    "a longer fence around calls with fences, before calls": (
        "auto",
        f"````bash\n{_titled(9)}\n````\n\n{_titled(1)}\n<|end_message|>\n{_titled(1)}\n{LONG_FENCE}\n<|im_end|>\nHi.",
        [PAID, PAID], "",
    ),
    "a result whose closer looks like an opener is over": (
        "mistral-v3",
        f"<start_function_response>[TOOL_CALLS] [{_json(2)}]<end_function_response>[TOOL_CALLS] [{_json(1)}]. So",
        [PAID], "",
    ),
    "a result behind a header that waits": (
        "hermes",
        f' to=pay<|message|><atem:function_calls>\n<atem:invoke name=" \n<function_results>\n{LOCAL}</function_results>',
        [], "",
    ),
    "a fence behind a lone tag": ("hermes", f"Like this:\n<tool_call>\n```json\n{_json(1)}\n```", [], ""),
    "a list in a fence behind a lone tag": ("auto", f"So.\n<tool_call>\n```json\n[{_json(1)}]\n```", [], ""),
    "a wrapped call in a fence behind a lone tag": (
        "hermes", f'So.\n<tool_call>\n```json\n{{"tool_calls": [{_json(1)}]}}\n```\nNever.', [], "",
    ),
    "a name alone in a fence behind a lone tag": ("qwen3-coder", 'So.\n<tool_call>\n```json\n{"name": "pay"}\n```', [], ""),
    "an open fence behind a lone tag": ("hermes", f"So.\n<tool_call>\n```json\n{_json(1)}, {_json(2)}", [], ""),
    "two fences, each behind a lone tag": (
        "hermes", f"So.\n<tool_call>\n```json\n{_json(1)}\n```\n\n<tool_call>\n```json\n{_json(2)}\n```<|im_end|>", [], "",
    ),
    "a list in a fence within a tag": ("auto", f"<tool_call>\n```json\n[{_json(1)}]\n```\n</tool_call>\n\n", [PAID], ""),
    "the same, and text": ("auto", f"<tool_call>\n```json\n[{_json(1)}]\n```\n</tool_call>\n\nNever.", [], ""),
    "a fence that begins the turn behind a lone tag, before a result": (
        "auto", f"\n<tool_call>\n```json\n{_json(1)}\n```\n</s>\n[TOOL_RESULTS]{PHI}[/TOOL_RESULTS]", [], "",
    ),
    "a word for a marker between quotes": (
        "hermes", 'I write "<start_function_call>pay{to:1}<end_function_call>" to pay.', [], "",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "which",
    [
        pytest.param(which, marks=[pytest.mark.xfail(strict=True, reason=why)] if why else [])
        for which, (*_, why) in ROWS.items()
    ],
)
def test_what_must_not_run_does_not(which: str) -> None:
    name, text, expected, _ = ROWS[which]
    events = read_with(TOOLS, text, format=name)
    assert calls_of(events) == expected
    account(events, text)


@pytest.mark.parametrize("name", ["auto", "tool-tags", "minimax-m3"])
@pytest.mark.parametrize(
    "text",
    [
        "<now>\n</p>\nThat is HTML.",
        "<now></now_then>",
        ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="now">]<]minimax[>[</p>',
    ],
)
def test_a_tool_without_parameters_is_not_called_by_a_tag_that_another_tags_closer_ends(text: str, name: str) -> None:
    events = read_with([{"name": "now"}], text, format=name)
    assert calls_of(events) == []
    account(events, text)


def test_a_closer_behind_a_call_of_another_family_is_read_alike_however_it_is_cut() -> None:
    """What follows a call on the straight way is what follows it in the loop, where the turn is narrowed, too."""
    events = read_with(TOOLS, f"{CODER}. {PHI}")
    assert len(calls_of(events)) == 2


@pytest.mark.parametrize(
    "between",
    [
        "\n&lt;|im_start|&gt;assistant -&gt; tool/function_call",
        "send\n&lt;|message_sep|&gt;\n\nfunction call&lt;|role_sep|&gt;",
    ],
)
@pytest.mark.parametrize("name", ["auto", "plamo-3"])
def test_json_behind_what_began_no_call_is_told_however_it_is_cut(name: str, between: str) -> None:
    events = events_of(lambda: Parser(TOOLS, format=name), f"<tool_call>{between}\n[{_json(1)}]")
    assert codes_of(events) == ["unread-call"]


@pytest.mark.parametrize(
    "call", ["<tool_call>function\nnote\n\n{}</tool_call>", ">>>note\n\n{}", "<|tool_call>call:note\n\n{}<tool_call|>"]
)
def test_an_empty_line_may_follow_the_name(call: str) -> None:
    text = call.replace("{}", '{"text": "a"}' if "call:" not in call else '{text:<|"|>a<|"|>}')
    assert calls_of(read_with(TOOLS, text)) == [NOTED]


@pytest.mark.parametrize("end", ["````", "`````", "```````", "```````xml\nMore."])
def test_the_end_of_a_fence_is_read_alike_however_it_is_cut(end: str) -> None:
    read_with(TOOLS, f"````text\n```tool_call\n{_json(1)}\n```\n{end}")


@pytest.mark.parametrize("name", ["kimi-k2", "lfm2"])
@pytest.mark.parametrize("before", ["", "<|im_end|>\n"])
def test_a_problem_comes_behind_the_text_before_it_however_that_is_cut(before: str, name: str) -> None:
    text = (
        f"{before}<|tool_calls_section_begin|><|tool_call_begin|>functi<|end_message|>\n"
        + '&lt;invoke name="pay"&gt;\n' * 4
    )
    read_with(TOOLS, text, format=name)


def test_tags_in_data_are_noted_however_they_are_cut() -> None:
    """So closers at the turn's end are text in both cases: something may have opened them."""
    text = '{"a": "<b>"}\n\n<tool_call>\n{"name": "pay", "arguments": {"to":</parameter>\n</function>'
    read_with(TOOLS, text, format="hermes")


CUTS = {
    "closers of two lines behind an open list": ("qwen3-coder", "[pay(</function>\n</tool_call>."),
    "a line that ends behind no tag": ("hunyuan-dense", '`<tool_call>pay```json\n""```</tool_call></.\ntool_call>'),
    "what is no tag behind a mention": (
        "harmony",
        HARMONY.replace("<|channel|>commentary ", "I ").replace("<|call|>", "<|cSee `<|channel|>x"),
    ),
    "a problem about text that waits": (
        "step-3",
        '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=""""""f"><steptml:parameter name="x">y</',
    ),
    "a quoted call behind a marker that waits": (
        "pangu-embedded",
        f"</s>\n<|tool_call_start|>\n\nI will look.\n````xml\n```\n<TOOLCALL>[{_json(1)}]</TOOLCALL>\n````",
    ),
    "a long name that begins within reach of its line": (
        "dsml-ascii",
        f"<tool_call>\n{{ \n<!--\n{HARMONY.replace('functions.pay', 'functions_of_the_bank.pay')}\n-->\n<tool_call>\n<!--\nfunctools[{_json(2)}]\n-->",
    ),
    "a bracket at the beginning of a line in the string of data": (
        "auto",
        '{"tool_calls": [{"name":  \n{"tool_\n<tool_call>\n<tool_response>\n[call:pay to=Ann amount=2]\n</tool_response>',
    ),
    "a tag behind brackets, where nothing is read by schema": (
        "minimax-m3",
        '</mm:think>[>[<o>\n]<]minimax[>[<invokename="s">]<]minimax[>[<x>]<]minimax[>[</x>]<]minimax[>[</',
    ),
    "a line that may begin a call behind one that cannot any more": (
        "hermes",
        f"<tool>\n<?{'A' * 160}>\n\nTOOL: note\ntext",
    ),
    "an instruction of XML behind a tag in a sentence": ("hermes", 'o <b><?><toolcall>{"name":"note","":true}}'),
    "tags in the strings of data": ("hermes", '["ok", "<b>"]\n\nSo it is.\n</parameter>'),
    "a late closer behind the beginning of another": (
        "hunyuan-dense",
        "<tool_call>a```json{```</tool_call>```\n```</</tool_calls>",
    ),
    "the line before a draft that is kept while a repair of its call is tried": (
        "gemma-4",
        "It`s so.\n<|tool_call>call:pay{to:a\n\nb,amount:5}<tool_call|>",
    ),
    "text before a draft that is kept while a repair waits": (
        "hermes",
        """(<tool_call>{"name":"lookup","arguments":{}}</tool_call><tool_call>{'name':'note','arguments':{'text':'a'}}</tool_call>""",
    ),
    "text before a draft that is kept for its length while a repair waits": (
        "hermes",
        f"`{LONG_NOTE}<tool_call>{{'name': 'note', 'arguments': {{'text': 'x'}}}}</tool_call>",
    ),
    "a long line of a fence": ("auto", f"So:\n```a{' ' * 128}\n{UNDECLARED}"),
    "backticks in whose line others come, which names no tool": (
        "auto",
        f"So:\n\n````b`\n\\n~~~\n<!--\n- </pre><|START_TOOL_RESULT|>> <function=pay>\n\n{MISTRAL}, <|END_TOOL_RESULT|>\n- \n~~~<|im_end|>\n```",
    ),
    "a fence with words in its line": ("auto", f"Ok.\n{_json(1)}\n\n```xml x = 1\n\n{_json(2)}"),
    "a tag that would go on behind a fence": ("firefunction", "<a\n~~~\n~~~\n>\n<tool>pay|to amount"),
    "white space before a marker that may begin a line": (
        "minicpm-5",
        f'{NOTE}\n<tool_call>\n<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n{{"tool_calls": [{_json(1)}]}}',
    ),
}


@pytest.mark.parametrize("which", CUTS)
def test_a_problem_has_one_place_however_the_text_is_cut(which: str) -> None:
    name, text = CUTS[which]
    read_with(TOOLS, text, format=name)
    read_with(["pay"], text, format=name)


def test_a_line_that_a_marker_would_end_begins_alike_however_it_is_cut() -> None:
    text = '<｜DSML｜invokename="e"><｜DSML｜parametername=""x\n<<think>'
    read_with(TOOLS, text, format="deepseek-v3.2", repair=False)


@pytest.mark.parametrize("held", [3, 10])
def test_the_line_of_a_fence_is_short_enough_to_be_held(held: int) -> None:
    options = ParserOptions(markup=True, limits=Limits(held=held))
    events = events_of(lambda: Parser(TOOLS, options=options), f"o```{'p' * 20}\nf")
    assert not any(isinstance(event, Problem) for event in events)


def test_a_word_that_begins_a_call_behind_a_prompt_is_read_alike_however_it_is_cut() -> None:
    text = 'Functioncall:{"name": "note", "arguments": {"text": "a"}}\n'
    options = ParserOptions(markup=True, quoted="call")
    events = events_of(lambda: Parser(format="localai", prompt="So: ", options=options), text)
    assert calls_of(events) == [NOTED]


def test_a_limit_behind_a_fence_is_exceeded_alike_however_the_text_is_cut() -> None:
    text = '{"name": "a.b.c"input": {"city": "Paris"\n~~~xml\n "days\n```json\n": "3"}}\n{"name": "`f`", "input": '
    options = ParserOptions(markup=True, limits=Limits(calls=1, held=54, depth=3, call_chars=96))
    events_of(lambda: Parser(["a.b.c", "f"], format="json-input", options=options), text)


def test_a_limit_behind_text_that_ends_a_call_is_exceeded_alike_however_the_text_is_cut() -> None:
    text = f'{_json(1)}\n{_json(2)}<tool_response>"<tool_response><tool_response>'
    options = ParserOptions(markup=True, limits=Limits(held=64, call_chars=len(text) - 2))
    events_of(lambda: Parser(TOOLS, format="llama3-json", options=options), text)
