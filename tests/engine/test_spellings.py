# Spellings that servers, prompts, histories and strangers' dialects make of calls: each is read, and prose about it is not.
"""Tests of stripped, foreign and rare spellings, with `auto` and with the family's own format."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.support import depth
from tests.support.chunkings import calls_of, content_of, ended_calls, events_of, read_with
from toolglean import CallEnd, Parser, ParserOptions, Problem, parse
from toolglean.errors import FormatError
from toolglean.formats.spec import Format, JsonOrText


def _tool(name: str, required: list[str], **properties: str) -> dict[str, Any]:
    schema = {key: {"type": kind} for key, kind in properties.items()}
    return {"name": name, "parameters": {"type": "object", "properties": schema, "required": required}}


TOOLS = [
    _tool("look", ["city"], city="string", days="integer"),
    _tool("python", ["code"], code="string"),
    _tool("browser.search", ["query"], query="string", topn="integer"),
    _tool("now", []),
]
OSLO = ("look", {"city": "Oslo"})
BOTH = ("look", {"city": "Oslo", "days": 2})
NOW: tuple[str, dict[str, Any]] = ("now", {})
JSON = '{"city": "Oslo"}'
CALL = '{"name": "look", "arguments": {"city": "Oslo"}}'
BEGIN, ARGUMENTS, END = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"
INVOKE = '<invoke name="look">\n<parameter name="city" string="true">Oslo</parameter>\n<parameter name="days" string="false">2</parameter>\n</invoke>'
DSML = '<｜DSML｜invoke name="look">\n<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>'
V3 = "<｜tool▁calls▁begin｜>"
V3_CALL = f"<｜tool▁call▁begin｜>\nfunction<｜tool▁sep｜>look\n```json\n{JSON}\n```\n<｜tool▁call▁end｜>"
ATEM = '<atem:invoke name="look">\n<atem:parameter name="city">Oslo</atem:parameter>\n</atem:invoke>'

V31, V31_END = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>", "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"

Calls = list[tuple[str, dict[str, Any]]]

READ: dict[str, tuple[str, Calls, str]] = {
    # -- what Llama 3 makes of its own functions, and others of their openers
    "llama, no sign before the arguments": (f"So.\n\n<function=look{JSON}</function>", [OSLO], "So.\n\n"),
    "llama, in brackets": (f"<function=look({JSON})</function>", [OSLO], ""),
    "llama, another sign": (f"<function=look={JSON}</function><function=look,{JSON}</function>", [OSLO, OSLO], ""),
    "llama, a list": (f"<function=look[]{JSON}</function>", [OSLO], ""),
    "llama, no closer": (f"<function=look {JSON}", [OSLO], ""),
    "llama, a tag that closes itself": ("<function=now/>", [NOW], ""),
    "llama, the sign where it belongs": (f"<function=look>{JSON}</function>", [OSLO], ""),
    "gemma, one word for two": ('<tool_call:look{city:<|"|>Oslo<|"|>}<tool_call|>', [OSLO], ""),
    "gemma, and a sign more": ('<tool_call:look{city:<|"|>Oslo<|"|>}><tool_call|>', [OSLO], ""),
    "kimi, a whole call": (f"<|tool_calls_section_begin|>{BEGIN}{CALL}{END}<|tool_calls_section_end|>", [OSLO], ""),
    "minimax, one word": ('<minimax:toolcall>\n<invoke name="look">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</minimax:toolcall>', [OSLO], ""),
    "functiongemma, another closer": ("<start_function_call>call:now{}</end_function_call>", [NOW], ""),
    "python, in the namespace that kimi writes": ('functions.look(city="Oslo")', [OSLO], ""),
    "python, in it, and a list": ("[functions.now(), functions.look(city='Oslo')]", [NOW, OSLO], ""),
    "a fence in the tags": (f"<tool_call>\n```json\n{CALL}\n```\n</tool_call>", [OSLO], ""),
    "granite, with a closer": (f"<function_call>{CALL}</function_call>", [OSLO], ""),
    "the turn ends in a closer": (f"<tool_call>\n{CALL}\n</tool_c", [OSLO], ""),
    "deepseek-v3.1, narrow bars": (f"<|tool▁calls▁begin|><|tool▁call▁begin|>look<|tool▁sep|>{JSON}<|tool▁call▁end|><|tool▁calls▁end|>", [OSLO], ""),
    "deepseek-v3, narrow bars": (f"<|tool▁calls▁begin|><|tool▁call▁begin|>function<|tool▁sep|>look\n```json\n{JSON}\n```<|tool▁call▁end|><|tool▁calls▁end|>", [OSLO], ""),
    "minimax, JSON": (f"<minimax:tool_call>\n{CALL}\n</minimax:tool_call>", [OSLO], ""),
    "gemini's key": (f'{{"functionCall": {{"name": "look", "args": {JSON}}}}}', [OSLO], ""),
    "python, with its word and no fence": ("tool_code print(default_api.look(city='Oslo'))", [OSLO], ""),
    "a call under the word tool": (f'<tool_call>{{"tool": {CALL}}}</tool_call>', [OSLO], ""),
    "calls in one word": (f'{{"toolcalls": [{CALL}]}}', [OSLO], ""),
    "the name under the word call": (f'{{"call": "look", "arguments": {JSON}}}', [OSLO], ""),
    "thoughts in an object, the call under command": (f'{{"thoughts": {{"text": "a", "plan": ["b"], "n": 1}}, "command": {{"name": "look", "args": {JSON}}}}}', [OSLO], ""),
    "gemma, one token on both sides": (f"So. <|tool_call|>call:look{JSON}<|tool_call|>", [OSLO], "So. "),
    "gemma, one token on both sides of JSON": (f'<|tool_call|>call:{{"name": "look", "arguments": {JSON}}}<|tool_call|>', [OSLO], ""),
    "phi-4-mini, as another model's list": (f'<|tool_calls|>[{{"name": "look", "arguments": {JSON}}}]<|/tool_calls|>', [OSLO], ""),
    "deepseek-v3, no fence": (f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n{JSON}<｜tool▁call▁end｜>", [OSLO], ""),
    "glm, a marker twice": ("<tool_call>look<arg_key>city</arg_key></arg_key><arg_value>Oslo</arg_value></tool_call>", [OSLO], ""),
    "glm, another one twice": ("<tool_call>look<arg_key><arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>", [OSLO], ""),
    "glm, an opener for a closer": ("<tool_call>look\n<arg_key>city<arg_value>Oslo</arg_value>\n</tool_call>", [OSLO], ""),
    "anthropic, another prefix": ('<tml:function_calls>\n<invoke name="look">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</tml:function_calls>', [OSLO], ""),
    "muse, an object, and a line break behind it": (f'<atem:function_calls>\n<atem:invoke name="look">\n<atem:parameter>\n{JSON}</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eot|>', [OSLO], ""),
    "harmony, the recipient behind the kind": (f"<|channel|>commentary<|constrain|>json to=functions.look<|message|>{JSON}<|call|>", [OSLO], ""),
    "harmony, the kind of an answer": ("<|channel|>final <|constrain|>text<|message|>Hi.<|return|>", [], "Hi."),
    "thoughts in a list": (f'{{"thoughts": ["a", "b"], "headline": "c", "tool_name": "look", "tool_args": {JSON}}}', [OSLO], ""),
    "the opener lost behind a word": (f"leton\n{CALL}\n</tool_call>", [OSLO], "leton\n"),
    "the opener lost behind reasoning": (f"I look.\n</think>{CALL}\n</tool_call><|im_end|>", [OSLO], "I look.\n"),
    "a record of a history, with its id": (f"So.\n\n[Tool Call: look (ID: call_1)]\nArguments: {JSON}", [OSLO], "So.\n\n"),
    # -- markers that a server took out
    "harmony, the header is left": (f"assistant to=functions.look commentary json\n{JSON}", [OSLO], ""),
    "harmony, glued": (f"commentary to=functions.look json{JSON}", [OSLO], ""),
    "harmony, the role and the channel": (f"assistantcommentary to=functions.look json{JSON}", [OSLO], ""),
    "harmony, name and channel glued": (f"to=functions.lookcommentary json{JSON}", [OSLO], ""),
    "mistral": (f"look[ARGS]{JSON}", [OSLO], ""),
    "mistral, two": (f"look[ARGS]{JSON}now[ARGS]{{}}", [OSLO, NOW], ""),
    "mistral, with an id": (f"look[CALL_ID]abc[ARGS]{JSON}", [OSLO], ""),
    "kimi": (f"functions.look:0{ARGUMENTS}{JSON}{END}", [OSLO], ""),
    "kimi, after text": (f"So: functions.look:0{ARGUMENTS}{JSON}", [OSLO], "So: "),
    "kimi, no token left": (f"functions.look:0{JSON}functions.now:1{{}}", [OSLO, NOW], ""),
    "kimi, blanks": (f"<|tool_calls_section_begin|> {BEGIN} functions.look:0 {ARGUMENTS} {JSON} {END} <|tool_calls_section_end|>", [OSLO], ""),
    "kimi, the call's opener lost": (f"<|tool_calls_section_begin|>functions.look:0{ARGUMENTS}{JSON}{END}<|tool_calls_section_end|>", [OSLO], ""),
    "kimi, a number alone": (f"<|tool_calls_section_begin|>{BEGIN}0{ARGUMENTS}{JSON}{END}<|tool_calls_section_end|>", [OSLO], ""),
    "deepseek-v3.1, v3's fence": (f"{V31}look<｜tool▁sep｜>```json\n{JSON}\n```{V31_END}", [OSLO], ""),
    "deepseek-v3.1, v3's fence on a line": (f"{V31}look\n```json\n{JSON}\n```{V31_END}", [OSLO], ""),
    "deepseek-v3.1, v3's word": (f"{V31}function<｜tool▁sep｜>look<｜tool▁sep｜>{JSON}{V31_END}", [OSLO], ""),
    "deepseek-v3, markers on lines": (f"{V3}\n{V3_CALL}\n{V3_CALL}\n<｜tool▁calls▁end｜>", [OSLO, OSLO], ""),
    "gemma": ("call:look{city:Oslo,days:2}", [BOTH], ""),
    "gemma, quotes": ('call:look{city:"Oslo",days:2}', [BOTH], ""),
    "gemma, a colon before": ('<|tool_call>:call:look{city:<|"|>Oslo<|"|>}', [OSLO], ""),
    "gemma, keywords": ('<|tool_call>call:look(city="Oslo", days=2)', [BOTH], ""),
    "gemma, keywords, stripped": ("call:look(city='Oslo')", [OSLO], ""),
    "gemma, declaration": ("declaration:default_api:look{city:Oslo}", [OSLO], ""),
    "functionary": (f"look{JSON}</function>", [OSLO], ""),
    "inkling": ('look<|content_invoke_tool_json|>{"name": "look", "args": {"city": "Oslo"}}<|end_message|>', [OSLO], ""),
    "harmony, a line break in the header": (f"<|channel|>commentary to=functions.look\n<|constrain|>json\n<|message|>{JSON}\n<|call|>", [OSLO], ""),
    # -- markers that were mangled
    "dsml, bars of ASCII": ('<|DSML|invoke name="look">\n<|DSML|parameter name="city" string="true">Oslo</|DSML|parameter>\n</|DSML|invoke>', [OSLO], ""),
    "dsml, each bar twice": ('<｜｜DSML｜｜tool_calls>\n<｜｜DSML｜｜invoke name="look">\n<｜｜DSML｜｜parameter name="city" string="true">Oslo</｜｜DSML｜｜parameter>\n</｜｜DSML｜｜invoke>\n</｜｜DSML｜｜tool_calls>', [OSLO], ""),
    "llama, a tool it was trained with": ('<|python_tag|>browser.search.call(query="tides")', [("browser.search", {"query": "tides"})], ""),
    "a tokenizer's spaces": ('<function\u0120name="look"><param\u0120name="city">Oslo</param></function>', [OSLO], ""),
    "another tokenizer's spaces": (f"<tool_call>\u2581{CALL}</tool_call>", [OSLO], ""),
    "a template that escapes its closers": ("<tool_call>\n<function=look>\n<parameter=city>\nOslo\n&lt;/parameter&gt;\n<parameter=days>\n2\n&lt;/parameter&gt;\n</function>\n</tool_call>", [BOTH], ""),
    # -- dialects
    "muse, two calls in one block": (f"<atem:function_calls>\n{ATEM}\n{ATEM}\n</atem:function_calls>", [OSLO, OSLO], ""),
    "hunyuan-4, the tokens of the open checkpoint": ("<tool_calls:opensource><tool_call:opensource>look<arg_key:opensource>city</arg_key:opensource><arg_value:opensource>Oslo</arg_value:opensource></tool_call:opensource></tool_calls:opensource>", [OSLO], ""),
    "anthropic": (f"I look.\n<function_calls>\n{INVOKE}\n</function_calls>", [BOTH], "I look.\n"),
    "anthropic, bare": (INVOKE, [BOTH], ""),
    "anthropic, a call without its closer before another one": ('<invoke name="look">\n<parameter name="city">Oslo</parameter>\n<invoke name="now">\n</invoke>', [OSLO, NOW], ""),
    "tool_code": ('```tool_code\nlook(city="Oslo")\n```', [OSLO], ""),
    "tool_code, print": ('```tool_code\nprint(default_api.look(city="Oslo"))\nnow()\n```', [OSLO, NOW], ""),
    "tool_code, its tag": ('<tool_code>\nprint(default_api.look(city="Oslo"))\nnow()\n</tool_code>', [OSLO, NOW], ""),
    "tool_code, its tag, JSON": (f"So.\n<tool_code>\n{CALL}\n</tool_code>", [OSLO], "So.\n"),
    "lm-studio, line breaks": (f"So.\n[TOOL_REQUEST]\n{CALL}\n[END_TOOL_REQUEST]\nNow.", [OSLO], "So.\n\nNow."),
    "tool_call fence": (f"```tool_call\n{CALL}\n```", [OSLO], ""),
    "tools": (f"<tools>\n{CALL}\n</tools>", [OSLO], ""),
    "tool": (f"<tool>{CALL}</tool>", [OSLO], ""),
    "tool_call, with an end of its own": (f"I look.\n<|tool_call|>\n{CALL}\n<|tool_call_end|>", [OSLO], "I look.\n"),
    "toolcall and tool": (f"<toolcall><tool>{CALL}</tool></toolcall>", [OSLO], ""),
    "function, then JSON": (f"<tool_call>\n<function>look</function>\n{JSON}\n</tool_call>", [OSLO], ""),
    "function, alone": (f"<function>look</function>{JSON}", [OSLO], ""),
    "functioncall": (f"<functioncall {CALL}>", [OSLO], ""),
    "brackets": (f"[Calling tool: look({JSON})]", [OSLO], ""),
    "brackets, keywords": ('[Tool Use: look(city="Oslo")]', [OSLO], ""),
    "ReAct": (f"Thought: hm\nAction: look\nAction Input: {JSON}", [OSLO], "Thought: hm\n"),
    "ReAct, JSON": (f"Action:\n{CALL}", [OSLO], ""),
    "ReAct, a made-up result": (f"Action: look\nAction Input: {JSON}\nObservation: 12\nAction: now\nAction Input: {{}}", [OSLO], "\nObservation: 12\nAction: now\nAction Input: {}"),
    "key tool": (f'{{"tool": "look", "arguments": {JSON}}}', [OSLO], ""),
    "key function": (f'{{"function": "look", "parameters": {JSON}}}', [OSLO], ""),
    "key action": (f'{{"action": "look", "action_input": {JSON}}}', [OSLO], ""),
    "the arguments before the key": (f'{{"arguments": {JSON}, "tool": "look"}}', [OSLO], ""),
    "JSON in the tags of step-3.5": (f"<tool_call>{CALL}</tool_call>", [OSLO], ""),
    "step-3, short": ('<｜tool_calls_begin｜><｜tool_call_begin｜><steptml:invoke name="look"><steptml:parameter name="city">Oslo</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>', [OSLO], ""),
    "longcat, keys": ("<longcat_tool_call>look\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Oslo</longcat_arg_value>\n</longcat_tool_call>", [OSLO], ""),
    "k2-horizon, types": ("<ifm|tool_calls><ifm|tool_call>look<ifm|arg_key>city</ifm|arg_key>\n<ifm|arg_type>string</ifm|arg_type>\n<ifm|arg_value>Oslo</ifm|arg_value></ifm|tool_call></ifm|tool_calls>", [OSLO], ""),
    "iquest-q1, its end of turn": ("So.\n<iquest_tool_call>look<arg_key>city</arg_key><arg_value>Oslo</arg_value></iquest_tool_call><|iquest_end|>", [OSLO], "So.\n"),
    "k2-horizon, a type where the schema has none": ("<ifm|tool_call>look<ifm|arg_key>city</ifm|arg_key><ifm|arg_type>string</ifm|arg_type><ifm|arg_value>Oslo</ifm|arg_value><ifm|arg_key>hour</ifm|arg_key><ifm|arg_type>integer</ifm|arg_type><ifm|arg_value>7</ifm|arg_value></ifm|tool_call>", [("look", {"city": "Oslo", "hour": 7})], ""),
    "a wrapper in DSML": ('<｜DSML｜invoke name="look">\n<｜DSML｜parameter name="arguments" string="false">{"city": "Oslo"}</｜DSML｜parameter>\n</｜DSML｜invoke>', [OSLO], ""),
    "a wrapper as text": ('<｜DSML｜invoke name="look">\n<｜DSML｜parameter name="input" string="true">{"city": "Oslo"}</｜DSML｜parameter>\n</｜DSML｜invoke>', [OSLO], ""),
    "a wrapper in minicpm-5": ('<function name="look"><param name="arguments">{"city": "Oslo"}</param></function>', [OSLO], ""),
    "no wrapper: a key that is no parameter": ('<function name="look"><param name="input">{"town": "Oslo"}</param></function>', [("look", {"input": '{"town": "Oslo"}'})], ""),
    "no wrapper: another parameter follows": ('<function name="look"><param name="input">{"city": "A"}</param><param name="days">2</param></function>', [("look", {"input": '{"city": "A"}', "days": 2})], ""),
    # -- text for JSON
    "harmony, code": ("<|channel|>analysis to=python code<|message|>print({1})\n<|call|>", [("python", {"code": "print({1})\n"})], ""),
    "harmony, a built-in tool and JSON": ('<|channel|>commentary to=browser.search code<|message|>{"query": "x"}<|call|>', [("browser.search", {"query": "x"})], ""),
    "cwm": ('<tool: function>\npython find . -name "x"\n</tool>', [("python", {"code": 'find . -name "x"'})], ""),
    # -- what models make of another one's format
    "dsml, parameters without a closer": ('<｜DSML｜tool_calls>\n<｜DSML｜invoke name="look">\n<｜DSML｜parameter name="city" value="Oslo"/>\n<｜DSML｜parameter name="days" string="false" value="2" />\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>', [BOTH], ""),
    "a function without a closer": ("<function=now/>", [NOW], ""),
    "a function without a closer, in its tag": ("So.\n<tool_call>\n<function=now/>\n</tool_call>", [NOW], "So.\n"),
    "objects with semicolons": (f'{CALL}; {{"name": "now", "parameters": {{}}}}', [OSLO, NOW], ""),
    "key params": (f'{{"function": "look", "params": {JSON}}}', [OSLO], ""),
    "a function's attributes": (f"<tools><function name=\"look\" arguments='{JSON}'/></tools>", [OSLO], ""),
    "two functions' attributes": (f"<tools>\n<function name=\"look\" arguments='{JSON}'/>\n<function name=\"now\" arguments='{{}}'/>\n</tools>", [OSLO, NOW], ""),
    "gemma, JSON": (f"<|tool_call>call:look{JSON}<tool_call|>", [OSLO], ""),
    "gemma, JSON for all": (f"<|tool_call>call:{CALL}<tool_call|>", [OSLO], ""),
    "gemma, JSON for all, stripped": (f"call:{CALL}", [OSLO], ""),
    "ReAct, a fence": (f"Thought: hm\nAction: look\nAction Input: ```json\n{JSON}\n```", [OSLO], "Thought: hm\n"),
    "ReAct, a fence on its line, and a made-up result": (f"Action: look\nAction Input:\n```\n{JSON}\n```\nObservation: 12", [OSLO], "\nObservation: 12"),
    "hunyuan, dense": (f"<tool_calls><tool_call>look\n```json\n{JSON}\n```</tool_call></tool_calls>", [OSLO], ""),
    "hunyuan, dense, two": (f"<tool_calls>\n<tool_call>look\n```json\n{JSON}\n```</tool_call>\n<tool_call>now\n```json\n{{}}\n```</tool_call>\n</tool_calls>", [OSLO, NOW], ""),
    "step-audio": (f"<|CALL_START|>function\nlook\n{JSON}<|CALL_END|>", [OSLO], ""),
    "minimax, arrows": ('[TOOL_CALL]\n{tool => "look", args => {\n  --city "Oslo"\n  --days 2\n}}\n[/TOOL_CALL]', [BOTH], ""),
    "minimax, arrows, on one line": ("I look.\n[TOOL_CALL] {tool => 'look', args => {--city \"Oslo\"}} [/TOOL_CALL]", [OSLO], "I look.\n"),
    "minimax, arrows, two": ('[TOOL_CALL]\n{tool => "now", args => {\n}}\n[/TOOL_CALL]\n[TOOL_CALL]\n{tool => "look", args => {\n  --city "a }} [/TOOL_CALL]"\n}}\n[/TOOL_CALL]', [NOW, ("look", {"city": "a }} [/TOOL_CALL]"})], ""),
    "doubao": ('<seed:tool_call>\n  <function name="look">\n    <parameter name="city" string="true">Oslo</parameter>\n    <parameter name="days" string="false">2</parameter>\n  </function>\n</seed:tool_call>', [BOTH], ""),
    "doubao, without types": ('<seed:tool_call>\n<function name="look">\n<parameter name="city">Oslo</parameter>\n</function>\n</seed:tool_call>', [OSLO], ""),
    "qwen, the function's sign": ("<tool_call>\n<function_look>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>", [OSLO], ""),
    "qwen, a closer that nothing opened": ("<tool_call>\n<function=look>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</function_invocation>\n</tool_call>", [OSLO], ""),
    "qwen, the same behind the call": ("<tool_call>\n<function=look>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>\n</function_invocation>", [OSLO], ""),
    "dsml, the section's bracket is missing": (f"<｜DSML｜tool_calls\n{DSML}\n</｜DSML｜tool_calls>", [OSLO], ""),
    "dsml, a bar for the section's bracket": (f"<｜DSML｜tool_calls|\n{DSML}\n</｜DSML｜tool_calls>", [OSLO], ""),
    "dsml, the section of V3.2, its bracket is missing": (f"So.\n<｜DSML｜function_calls\n{DSML}\n</｜DSML｜function_calls>", [OSLO], "So.\n"),
    "invoke, in another one's section": ('<tool_code>\n<invoke name="look">\n<parameter name="city">Oslo</parameter>\n</invoke>\n<invoke name="now">\n</invoke>\n</tool_code>', [OSLO, NOW], ""),
    "invoke, a tag that closes itself": ('<function_calls>\n<invoke name="now"/>\n</function_calls>', [NOW], ""),
    "minimax, a tag that closes itself": ('<minimax:tool_call>\n<invoke name="now"/>\n</minimax:tool_call>', [NOW], ""),
    "a record of a history": (f"I look.\n[Tool Call] name=look id=3d4e5f6a-7b8c args={JSON}\n[Tool Call] name=now id=2 args={{}}", [OSLO, NOW], "I look.\n"),
    # -- a name that begins like a marker
    "step-audio-2": (f"<tool_call>function\nlook\n{JSON}</tool_call>", [OSLO], ""),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_spelling_is_read_however_it_is_cut(name: str) -> None:
    text, calls, content = READ[name]
    events = events_of(partial(Parser, TOOLS, options=ParserOptions(markup=True)), text)
    assert calls_of(events) == calls
    assert content_of(events) == content


OWN = {
    "a fence in the tags": "hermes",
    "granite, with a closer": "hermes",
    "minimax, JSON": "glm-4.5",
    "deepseek-v3, narrow bars": "deepseek-v3.1",
    "harmony, the header is left": "harmony",
    "harmony, glued": "harmony",
    "mistral": "mistral-v3",
    "mistral, two": "mistral-v13",
    "kimi": "kimi-k2",
    "kimi, no token left": "kimi-k2",
    "kimi, a number alone": "kimi-k2",
    "kimi, the call's opener lost": "kimi-k2",
    "gemma": "gemma-4",
    "gemma, keywords": "gemma-4",
    "gemma, declaration": "gemma-4",
    "functionary": "functionary-v3.1",
    "inkling": "inkling",
    "cwm": "cwm",
    "dsml, parameters without a closer": "deepseek-v4",
    "a function without a closer": "qwen3-coder",
    "a function without a closer, in its tag": "qwen3-coder",
    "objects with semicolons": "llama3-json",
    "key params": "hermes",
    "a function's attributes": "hermes",
    "two functions' attributes": "prompt-tags",
    "gemma, JSON": "gemma-4",
    "gemma, JSON for all": "gemma-4",
    "gemma, JSON for all, stripped": "gemma-4",
    "ReAct, a fence": "react",
    "ReAct, a fence on its line, and a made-up result": "react",
    "hunyuan, dense": "hunyuan-a13b",
    "hunyuan, dense, two": "hunyuan-a13b",
    "step-audio": "step-audio-2",
    "minimax, arrows": "minimax-m2",
    "doubao": "seed-oss",
    "qwen, the function's sign": "qwen3-coder",
    "qwen, a closer that nothing opened": "qwen3-coder",
    "qwen, the same behind the call": "qwen3-coder",
    "dsml, the section's bracket is missing": "deepseek-v4",
    "dsml, a bar for the section's bracket": "deepseek-v3.2",
    "dsml, the section of V3.2, its bracket is missing": "deepseek-v3.2",
    "invoke, in another one's section": "minimax-m2",
    "a record of a history": "hermes",
    "harmony, the recipient behind the kind": "harmony",
}


@pytest.mark.parametrize(("name", "own"), OWN.items())
def test_so_is_it_by_the_familys_name(name: str, own: str) -> None:
    text, calls, content = READ[name]
    events = events_of(partial(Parser, TOOLS, format=own, options=ParserOptions(markup=True)), text)
    assert (calls_of(events), content_of(events)) == (calls, content)


@pytest.mark.parametrize("before", ["", "Well.\n"])
def test_escaped_markup_is_text_unless_its_format_is_named(before: str) -> None:
    text = f"{before}&lt;tool_call&gt;\n{CALL}\n&lt;/tool_call&gt;"
    for name in ("auto", "hermes", "qwen3-coder"):
        events = events_of(partial(Parser, TOOLS, format=name, options=ParserOptions(markup=True)), text)
        assert (calls_of(events), content_of(events)) == ([], text)
    events = events_of(partial(Parser, TOOLS, format="escaped-markup", options=ParserOptions(markup=True)), text)
    assert (calls_of(events), content_of(events)) == ([OSLO], before)


CERTAIN_WITHOUT_ITS_NAME = {
    # whole frames: the call of an unknown tool, as in every format with markers
    *("granite, with a closer", "the turn ends in a closer", "minimax, JSON"),
    *("deepseek-v3.1, narrow bars", "deepseek-v3, narrow bars", "lm-studio, line breaks"),
    *("deepseek-v3.1, v3's fence", "deepseek-v3.1, v3's fence on a line", "deepseek-v3.1, v3's word"),
    *("gemma, keywords", "dsml, bars of ASCII", "a tokenizer's spaces", "another tokenizer's spaces", "anthropic", "anthropic, bare"),
    *("JSON in the tags of step-3.5", "step-3, short", "longcat, keys", "iquest-q1, its end of turn", "k2-horizon, types", "k2-horizon, a type where the schema has none", "step-audio-2", "harmony, code", "cwm"),
    *("harmony, a built-in tool and JSON", "a wrapper in DSML", "a wrapper as text", "a wrapper in minicpm-5"),
    *("no wrapper: a key that is no parameter", "no wrapper: another parameter follows", "kimi, blanks", "kimi, a number alone"),
    *("dsml, parameters without a closer", "gemma, JSON", "gemma, JSON for all", "hunyuan, dense", "hunyuan, dense, two", "step-audio", "tool_call, with an end of its own"),
    *("anthropic, a call without its closer before another one", "doubao", "doubao, without types", "qwen, a closer that nothing opened", "qwen, the same behind the call", "invoke, in another one's section"),
    *("dsml, the section's bracket is missing", "dsml, a bar for the section's bracket", "dsml, the section of V3.2, its bracket is missing"),
    *("deepseek-v3, markers on lines", "gemma, a colon before", "harmony, a line break in the header", "muse, two calls in one block", "muse, an object, and a line break behind it", "harmony, the recipient behind the kind", "hunyuan-4, the tokens of the open checkpoint", "gemma, one token on both sides of JSON", "phi-4-mini, as another model's list"),
    *("llama, no sign before the arguments", "llama, in brackets", "llama, another sign", "llama, a list", "llama, no closer", "llama, the sign where it belongs"),
    *("gemma, one word for two", "gemma, and a sign more", "kimi, a whole call", "minimax, one word", "a call under the word tool"),
    *("functiongemma, another closer", "gemma, one token on both sides", "deepseek-v3, no fence", "glm, a marker twice", "glm, another one twice", "glm, an opener for a closer", "anthropic, another prefix"),
    *("dsml, each bar twice", "llama, a tool it was trained with", "kimi, the call's opener lost", "harmony, the role and the channel", "harmony, name and channel glued", "harmony, glued", "inkling"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(READ.keys() - CERTAIN_WITHOUT_ITS_NAME))
def test_an_unknown_name_makes_no_call_of_it(name: str) -> None:
    events = events_of(partial(Parser, ["other"], options=ParserOptions(markup=True)), READ[name][0])
    assert calls_of(events) == []


PROSE = [
    'The page says: to reset it, use call:look{city:"Oslo"} in the console. I would not.',
    "It writes look[ARGS]{} there.",
    "One writes functions.look:0{} there.",
    "Write Action: look and then\nAction Input: {} on the next line.",
    "Then Action: look\nAction Input: {}",
    "- Action: look\n- Action Input: {}",
    "A tag like <tools> lists tools, and <tool>look</tool> names one.",
    '<tools>\n{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}\n</tools>',
    '<tool>{"name": "look", "description": "d", "parameters": {"type": "object"}}</tool>',
    "The history shows [Calling tool: look] and [Tool Use: look].",
    "It is &lt;tool_call&gt; and &lt;/tool_call&gt;.",
    "call: look at {city:Oslo}",
    "A tag like <function=now/> has no closer.",
    "Write <tools><function name=\"look\" arguments='{}'/></tools> there.",
    "<tools>\n<function name=\"look\" description='Looks.'/>\n</tools>",
    "It begins with <|CALL_START|>function and the name, look.",
    "**Tool Call:** look",
    "look at {this}",
    'assistant to=functions.look means the tool "look".',
    '{"function": "look", "city": "Oslo"}',
    '{"action": "look"}',
    '{"tool": {"name": "x"}, "city": "Oslo"}',
    "The text <function>look</function> is HTML of a kind.",
    "```tool_code\nx = 1\n```",
    'It writes [TOOL_CALL] {tool => "look", args => {--city "Oslo"}} [/TOOL_CALL] there.',
    '`[TOOL_CALL] {tool => "look", args => {--city "Oslo"}} [/TOOL_CALL]` is its spelling.',
    'A tag like <seed:tool_call> holds <function name="look">.',
    "A tag like <tool_call> holds <function_look> there.",
    "DeepSeek opens them with <｜DSML｜tool_calls and a bracket.",
    "The section <tool_code> holds Python.",
    'A log has lines like [Tool Call] name=look id=1 args={"city": "Oslo"} and so on.',
    'Such a line:\n[Tool Call] name=look id=1 args={"city": "Oslo"}\nis what it writes.',
]


@pytest.mark.parametrize("text", PROSE)
def test_prose_about_it_is_content(text: str) -> None:
    events = events_of(partial(Parser, TOOLS, options=ParserOptions(markup=True)), text)
    assert ended_calls(events) == []
    assert content_of(events) == text


@pytest.mark.sampled(1, each="text")
@pytest.mark.parametrize("text", [text for text in PROSE if not text.startswith("{")])
@pytest.mark.parametrize("own", ["gemma-4", "mistral-v13", "kimi-k2", "harmony", "functionary-v3.1", "inkling"])
def test_so_it_is_by_the_familys_name(own: str, text: str) -> None:
    events = events_of(partial(Parser, TOOLS, format=own, options=ParserOptions(markup=True)), text)
    assert (calls_of(events), content_of(events)) == ([], text)


@pytest.mark.parametrize("tool", ["look", "now", "nobody"])
def test_text_for_json_is_malformed_where_no_lone_parameter_takes_it(tool: str) -> None:
    tools = [_tool("look", ["city", "country"], city="string", country="string"), "now"]
    events = events_of(
        partial(Parser, tools, options=ParserOptions(markup=True)),
        f"<|channel|>analysis to={tool} code<|message|>x = 1<|call|>",
    )
    assert [event.call.status for event in events if isinstance(event, CallEnd)] == ["malformed"]
    assert content_of(events) == ""


@pytest.mark.parametrize("arguments", ['{"town": "Oslo"}', "{}"])
def test_a_number_for_a_name_that_could_be_any_tool_is_an_unknown_one(arguments: str) -> None:
    tools = [_tool("look", [], city="string"), _tool("see", [], city="string")]
    text = f"<|tool_calls_section_begin|>{BEGIN}0{ARGUMENTS}{arguments}{END}<|tool_calls_section_end|>"
    events = events_of(partial(Parser, tools, options=ParserOptions(markup=True)), text)
    calls = ended_calls(events)
    assert [(call.name, call.known) for call in calls] == [("0", False)]
    assert any(isinstance(event, Problem) and event.code == "numbered-call" for event in events)


def test_a_call_that_a_number_hides_does_not_run() -> None:
    quoted = f"{BEGIN}functions.now:0{ARGUMENTS}{{}}{END}"
    parsed = parse(f'{BEGIN}0{ARGUMENTS}{{"city": "{quoted}" oops}}', TOOLS)
    assert parsed.calls == []


STATES: dict[str, tuple[str, Callable[[], Parser]]] = {
    name: (READ[name][0], partial(Parser, TOOLS))
    for name in ("kimi, a number alone", "harmony, code", "cwm", "a wrapper in DSML", "ReAct, a made-up result", "key tool")
}  # fmt: skip


@pytest.mark.parametrize("name", STATES)
def test_its_state_forks_and_pickles_anywhere(name: str) -> None:
    text, make = STATES[name]
    whole = [(call.name, call.arguments) for call in parse(text, TOOLS).calls]
    for cut in depth.chosen(range(len(text)), 12, key=lambda each: f"{each} {text}"):
        parser = make()
        calls = parser.add(text[:cut]).calls
        for twin in (parser.fork(), pickle.loads(pickle.dumps(parser))):
            found = [*calls, *twin.add(text[cut:]).calls, *twin.close().calls]
            assert [(call.name, call.arguments) for call in found] == whole


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"without_special_tokens": ("{arguments}",)}, "a call pattern needs {name}"),
        ({"without_special_tokens": ["{name}{arguments}"]}, "without_special_tokens must be a tuple"),
        ({"headers": "<|header|>"}, "headers must be a tuple"),  # each letter of it was a header
        ({"user_only_markers": ["<|u|>"]}, "user_only_markers must be a tuple"),
        ({"reasoning": "<think>"}, "reasoning must be a tuple of two texts"),
        ({"section": "[["}, "section must be a tuple of two texts"),  # two letters were two markers
        ({"keys": "name"}, "keys must be a tuple of two texts"),
        ({"parameter": 5}, "parameter must be text, or a tuple of texts, not 5"),
        ({"parameter": "<{key}>{value}</{key}>"}, "no call pattern has {parameters}"),
        ({"end_markers": ("",)}, "a marker of end_markers is empty"),
        ({"wrappers": ("",)}, "a key of wrappers is empty"),
    ],
)
def test_wrong_words(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(FormatError, match=said.replace("{", r"\{")):
        Format("x", call="<c>{name}{arguments}</c>", **wrong)


def test_text_ends_at_its_closer_alone() -> None:
    declared = Format("x", call="<run {name}>\n{arguments}\n</run>", arguments=JsonOrText())
    text = "<run python>\na < b </ru\n\n</run>ok"
    events = events_of(partial(Parser, TOOLS, format=declared, options=ParserOptions(markup=True)), text)
    assert calls_of(events) == [("python", {"code": "a < b </ru\n"})]
    assert content_of(events) == "ok"


def test_text_for_a_tool_that_takes_none_is_refused() -> None:
    for text in ("<tool: function>\nf n", "<tool: function>\nf null\n</tool>", "<tool: function>\nf 12\n</tool>"):
        events = read_with(["f"], text, format="cwm")
        assert [event.call.status for event in events if isinstance(event, CallEnd)] == ["malformed"]
