# Each repair of engine/repair by name: what it repairs, what must stay as it is, and the same for every chunking.
"""Calls that can be meant in one way only are repaired, and reported; no others are."""

from __future__ import annotations

import math
import random
import time

import pytest

from fuzz import repairs
from tests.support import depth
from tests.support.chunkings import calls_of, content_of, ended_calls, read_with
from tests.support.shared import ROOT
from toolglean import (
    CallDelta,
    CallEnd,
    CallStart,
    Event,
    Parser,
    ParserOptions,
    Problem,
    ToolSet,
    UsageError,
    render,
)
from toolglean.engine.repair.candidates import REPAIRS
from toolglean.formats import all_formats, get_format
from toolglean.formats.compile import compiled

SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "string"},
        "b": {"type": "string"},
        "n": {"type": "integer"},
        "l": {"type": "array"},
        "o": {"type": "object", "properties": {"x": {"type": "integer"}}},
    },
    "required": ["a"],
}
TOOLS = [{"name": "f", "parameters": SCHEMA}, {"name": "g"}]

HERMES = '<tool_call>\n{{"name": "f", "arguments": {}\n</tool_call>'
KIMI = "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>"
QWEN = "<tool_call>\n<function=f>\n{}\n</function>\n</tool_call>"
GLM = "<tool_call>f{}</tool_call>"
MINIMAX = '<minimax:tool_call>\n<invoke name="f">\n{}\n</invoke>\n</minimax:tool_call>'
DSML = '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n{}\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>'
GEMMA = "<|tool_call>call:f{}<tool_call|>"

BRACKETS, PYTHON, CLOSER = "closing brackets", "python literals", "parameter closer"
QUOTE, EXTRA, TRAILING, COMMA = "quote marker", "extra brackets", "trailing comma", "extra comma"
KEYS, QUOTES, DOUBLED = "key quotes", "string quotes", "doubled braces"
OPENER, NAME, QUOTED, BACKSLASH = "value opener", "name quote", "quoted value", "lone backslash"

MENDED = [
    # format, text, arguments, repairs
    ("hermes", HERMES.format('{"a": "x"}'), {"a": "x"}, (BRACKETS,)),
    ("hermes", HERMES.format('{"a": "x", "l": [1, 2}}'), {"a": "x", "l": [1, 2]}, (BRACKETS,)),
    ("hermes", HERMES.format('{"a": "x", "n": 12'), {"a": "x", "n": 12}, (BRACKETS,)),
    ("hermes", HERMES.format('{"a": "</tool_call>", "o": {"x": 1}'), {"a": "</tool_call>", "o": {"x": 1}}, (BRACKETS,)),
    ("kimi-k2", KIMI.format('{"a": "x"'), {"a": "x"}, (BRACKETS,)),
    ("jamba", '<tool_calls>[{"name": "f", "arguments": {"a": "x"</tool_calls>', {"a": "x"}, (BRACKETS,)),
    ("gemma-4", GEMMA.format('{a:<|"|>x<|"|>,n:5'), {"a": "x", "n": 5}, (BRACKETS,)),
    ("gemma-4", GEMMA.format('{a:<|"|>x<|"|>,l:[{k:<|"|>v<|"|>}]'), {"a": "x", "l": [{"k": "v"}]}, (BRACKETS,)),
    ("lfm2", "<|tool_call_start|>[f(a='x', l=[1, 2)]<|tool_call_end|>", {"a": "x", "l": [1, 2]}, (BRACKETS,)),
    ("lfm2", "<|tool_call_start|>[f(a='x', n=1]<|tool_call_end|>", {"a": "x", "n": 1}, (BRACKETS,)),
    ("hermes", "<tool_call>{'name': 'f', 'arguments': {'a': 'it\\'s', 'l': [True, None]}}</tool_call>", {"a": "it's", "l": [True, None]}, (PYTHON,)),
    ("auto", "<tool_call>\n{'name': 'f', 'arguments': {'a': 'x'}}\n</tool_call>", {"a": "x"}, (PYTHON,)),
    ("auto", "{'id': 'c1', 'function': {'name': 'f', 'arguments': {'a': 'x'}}}", {"a": "x"}, (PYTHON,)),
    ("hermes", HERMES.format("{\"a\": \"True\", 'l': [False, \"it's\"]}}"), {"a": "True", "l": [False, "it's"]}, (PYTHON,)),
    ("mistral-v13", "[TOOL_CALLS]f[ARGS]{'a': 'x', 'n': 1}", {"a": "x", "n": 1}, (PYTHON,)),
    ("hermes", HERMES.format("{'a': 'x'}"), {"a": "x"}, (PYTHON, BRACKETS)),
    ("deepseek-v4", DSML.format('<｜DSML｜parameter name="a" string="true">x</｜DSML｜parameter>\n<｜DSML｜parameter name="l" string="false">[1, True]</｜DSML｜parameter>'), {"a": "x", "l": [1, True]}, (PYTHON,)),
    ("qwen3-coder", QWEN.format("<parameter=a>\nx\n<parameter=b>\ny\n</parameter>"), {"a": "x", "b": "y"}, (CLOSER,)),
    ("qwen3-coder", QWEN.format("<parameter=a>\nx\n<parameter=b>\ny"), {"a": "x", "b": "y"}, (CLOSER,)),
    ("qwen3-coder", QWEN.format("<parameter=a>\nx\n<parameter=n>\n5\n<parameter=b>\ny"), {"a": "x", "n": 5, "b": "y"}, (CLOSER,)),
    ("auto", QWEN.format("<parameter=a>\none\n  two\n<parameter=b>\ny\n</parameter>"), {"a": "one\n  two", "b": "y"}, (CLOSER,)),
    ("qwen3-coder", QWEN.format("<parameter=a>\nx") + "<|im_end|>", {"a": "x"}, (CLOSER,)),
    ("qwen3-coder", "<tool_call><function=f><parameter=a>x<parameter=b>y</parameter></function></tool_call>", {"a": "x", "b": "y"}, (CLOSER,)),
    ("glm-4.7", GLM.format("<arg_key>a</arg_key><arg_value>x<arg_key>b</arg_key><arg_value>y"), {"a": "x", "b": "y"}, (CLOSER,)),
    ("minimax-m2", MINIMAX.format('<parameter name="a">Rome\n<parameter name="b">y'), {"a": "Rome", "b": "y"}, (CLOSER,)),
    ("gemma-4", GEMMA.format('{a:Bergen, Norway<|"|>,n:5}'), {"a": "Bergen, Norway", "n": 5}, (QUOTE,)),
    ("gemma-4", GEMMA.format("{a:Bergen, Norway,n:5}"), {"a": "Bergen, Norway", "n": 5}, (QUOTE,)),
    ("gemma-4", GEMMA.format("{a:`.x {\n  y: 1;\n}\n`}"), {"a": ".x {\n  y: 1;\n}\n"}, (QUOTE,)),
    ("gemma-4", GEMMA.format("{a:`x {}, y`,b:`u, v`,n:4}"), {"a": "x {}, y", "b": "u, v", "n": 4}, (QUOTE,)),
    ("gemma-4", GEMMA.format("{a:\u201cx, y\u201d}"), {"a": "x, y"}, (QUOTE,)),
    ("hermes", HERMES.format('{"a": "x"}]}'), {"a": "x"}, (EXTRA,)),
    ("auto", HERMES.format('{"a": "x"})\n}'), {"a": "x"}, (EXTRA,)),
    ("hermes", HERMES.format('{"a": "x",}}'), {"a": "x"}, (TRAILING,)),
    ("hermes", HERMES.format('{"a": "x", "l": [1, 2 , ],\n  }\n}'), {"a": "x", "l": [1, 2]}, (TRAILING,)),
    ("hermes", HERMES.format('{"a": ",}", "b": "</tool_call>",},}'), {"a": ",}", "b": "</tool_call>"}, (TRAILING,)),
    ("hermes", HERMES.format('{"o": {"x": 1,}, "a": "x"}}'), {"o": {"x": 1}, "a": "x"}, (TRAILING,)),
    ("hermes", '<tool_call>{"arguments": {"a": "x",}, "name": "f",}</tool_call>', {"a": "x"}, (TRAILING,)),
    ("auto", '<tool_call>\n{"name": "f", "arguments": {"a": "x"},}', {"a": "x"}, (TRAILING,)),
    ("kimi-k2", KIMI.format('{"a": "x", }'), {"a": "x"}, (TRAILING,)),
    ("hermes", '<tool_call>{"function": {"name": "f", "arguments": {"a": "x",}}}</tool_call>', {"a": "x"}, (TRAILING,)),
    ("mistral-v13", '[TOOL_CALLS]f[ARGS]{"a": "x", "n": 1,}', {"a": "x", "n": 1}, (TRAILING,)),
    ("jamba", '<tool_calls>[{"name": "f", "arguments": {"a": "x",}},]</tool_calls>', {"a": "x"}, (TRAILING,)),
    ("hermes", HERMES.format('{"a": "x",, "n": 1}}'), {"a": "x", "n": 1}, (COMMA,)),
    ("hermes", HERMES.format('{"a": "x" , ,\n, "n": 1}}'), {"a": "x", "n": 1}, (COMMA,)),
    ("hermes", HERMES.format('{, "a": "x", "o": {"x": 1,, "y": 2}}}'), {"a": "x", "o": {"x": 1, "y": 2}}, (COMMA,)),
    ("kimi-k2", KIMI.format('{, "a": "x"}'), {"a": "x"}, (COMMA,)),
    ("auto", '<tool_call>{, "name": "f",, "arguments": {"a": "x"}}</tool_call>', {"a": "x"}, (COMMA,)),
    ("hermes", '<tool_call>{"arguments": {"a": "x",, "n": 1}, "name": "f"}</tool_call>', {"a": "x", "n": 1}, (COMMA,)),
    ("kimi-k2", KIMI.format('{"a": "x",, "n": 1,}'), {"a": "x", "n": 1}, (COMMA, TRAILING)),
    ("glm-4.7", GLM.format("<arg_key>a</arg_key>x</arg_value><arg_key>n</arg_key><arg_value>5</arg_value>"), {"a": "x", "n": 5}, (OPENER,)),
    ("glm-4.7", GLM.format("<arg_key>a</arg_key>a < b</arg_value><arg_key>n</arg_key>5</arg_value>"), {"a": "a < b", "n": 5}, (OPENER,)),
    ("glm-4.5", "<tool_call>f\n<arg_key>a</arg_key>\nsummer hours</arg_value>\n</tool_call>", {"a": "summer hours"}, (OPENER,)),
    ("qwen3-coder", "<tool_call>\n<function=f>\n<parameter=a\nx > y\n</parameter>\n<parameter=n\n5\n</parameter>\n</function>\n</tool_call>", {"a": "x > y", "n": 5}, (OPENER,)),
    ("auto", "<tool_call>\n<function=f\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>", {"a": "x"}, (OPENER,)),
    ("qwen3-coder", "<function=f\n<parameter=a\nx\n</parameter>\n</function>", {"a": "x"}, (OPENER,)),
    ("auto", "<function=f\n<parameter=a\nx\n</parameter>\n</function>", {"a": "x"}, (OPENER,)),
    ("qwen3-coder", "<function=f>\n<parameter=a=create</parameter>\n<parameter=n>5</parameter>\n</function>", {"a": "create", "n": 5}, (OPENER,)),
    ("auto", "<seed:tool_call>\n<function=f>\n<parameter=a \n  x\n</parameter>\n</function>\n</seed:tool_call>", {"a": "  x"}, (OPENER,)),
    ("hermes", HERMES.format('{a: "x", n: 1}}'), {"a": "x", "n": 1}, (KEYS,)),
    ("hermes", "<tool_call>\n{name: 'f', arguments: {a: 'x', l: [true, null,],},}\n</tool_call>", {"a": "x", "l": [True, None]}, (KEYS,)),
    ("kimi-k2", KIMI.format('{a: "it\'s: {b: 1}", "o": {x: 1}}'), {"a": "it's: {b: 1}", "o": {"x": 1}}, (KEYS,)),
    ("auto", HERMES.format('{"a": \u201cx\u201d, \u201cn\u201d: 1}}'), {"a": "x", "n": 1}, (QUOTES,)),
    ("kimi-k2", KIMI.format("{\u201ca\u201d: \u201cit's\u201d}"), {"a": "it's"}, (QUOTES,)),
    ("hermes", '<tool_call>{{"name": "f", "arguments": {{"a": "{{x}}", "o": {{"x": 1}}}}}}</tool_call>', {"a": "{{x}}", "o": {"x": 1}}, (DOUBLED,)),
    ("auto", '<tool_call>\n{{"name": "f", "arguments": {"a": "x"}}}\n</tool_call>', {"a": "x"}, (DOUBLED,)),
    ("kimi-k2", KIMI.format('{{"a": "x"}}'), {"a": "x"}, (DOUBLED,)),
    ("gemma-4", GEMMA.format('({"a": "x", "o": {"x": 1}})'), {"a": "x", "o": {"x": 1}}, (DOUBLED,)),
    ("hermes", HERMES.format("{'a': 'x', 'l': [1, 2,],},\n}"), {"a": "x", "l": [1, 2]}, (PYTHON,)),
    ("mistral-v13", "[TOOL_CALLS]f[ARGS]{'a': 'x'}\n\n", {"a": "x"}, (PYTHON,)),
    ("react", "Action: f\nAction Input: {'a': 'x', 'n': 1}\n", {"a": "x", "n": 1}, (PYTHON,)),
    ("hermes", HERMES.format('"{\'a\': \'x\', \'l\': [True]}"}'), {"a": "x", "l": [True]}, (PYTHON,)),
    ("granite-4", '<tool_call>\n{"arguments": "{\'a\': \'it is\'}", "name": "f"}\n</tool_call>', {"a": "it is"}, (PYTHON,)),
    # Qwen 3.6, and other models of about that time.
    ("hermes", '<tool_call>{"name="f", "arguments": {"a": "x"}}</tool_call>', {"a": "x"}, (NAME,)),
    ("auto", '<tool_call>\n{ "name="f","arguments":{"a":"x","n":1,}}\n</tool_call>', {"a": "x", "n": 1}, (NAME, TRAILING)),
    ("hermes", '<tool_call>{"arguments": {"a": "x"}, "name="f"}</tool_call>', {"a": "x"}, (NAME,)),
    ("hermes", '<tool_call>{"id": "c1", "name="f", "arguments": {"a": "x"}}', {"a": "x"}, (NAME,)),
    ("auto", GLM.format("<arg_key>n</arg_key><arg_value>5</arg_value><arg_key>a</arg_key>x</arg_value>"), {"n": 5, "a": "x"}, (OPENER,)),
    # Eight public threads report agents that loop because their tool refuses a list written as a string.
    ("hermes", HERMES.format(r'{"a": "x", "l": "[{\"t\": 1}]"}}'), {"a": "x", "l": [{"t": 1}]}, (QUOTED,)),
    ("hermes", HERMES.format(r'{"o": "{\"x\": \"]\"}", "a": "[1]"}}'), {"o": {"x": "]"}, "a": "[1]"}, (QUOTED,)),
    ("hermes", '<tool_call>{"arguments": {"n" : " -7 ", "a": "x"}, "name": "f"}</tool_call>', {"n": -7, "a": "x"}, (QUOTED,)),
    ("hermes", HERMES.format(r'"{\"a\": \"x\", \"n\": \"5\"}"}'), {"a": "x", "n": 5}, (QUOTED,)),
    ("hermes", HERMES.format('{"n": "5", "a": "x",}}'), {"n": 5, "a": "x"}, (QUOTED, TRAILING)),
    ("kimi-k2", KIMI.format(r'{"a": "x", "l": "[\n  \"y\"\n]"}'), {"a": "x", "l": ["y"]}, (QUOTED,)),
    ("mistral-v13", '[TOOL_CALLS]f[ARGS]{"n": "5", "a": "x"}', {"n": 5, "a": "x"}, (QUOTED,)),
    ("auto", '{"name": "f", "arguments": {"a": "x", "n": "5"}}', {"a": "x", "n": 5}, (QUOTED,)),
    ("apertus", '<|tools_prefix|>[{"f": {"a": "x", "n": "5"}}]<|tools_suffix|>', {"a": "x", "n": 5}, (QUOTED,)),
    # What a JSON reader refuses most often.
    ("hermes", HERMES.format(r'{"a": "\d+\.\w", "b": "\"y\" \s"}}'), {"a": r"\d+\.\w", "b": r'"y" \s'}, (BACKSLASH,)),
    ("hermes", HERMES.format(r'{"a": "C:\Users\Me",}}'), {"a": r"C:\Users\Me"}, (BACKSLASH, TRAILING)),
    ("hermes", r'<tool_call>{"arguments": {"a": "x", "l": ["\S"]}, "name": "f"}</tool_call>', {"a": "x", "l": [r"\S"]}, (BACKSLASH,)),
    ("kimi-k2", KIMI.format(r'{"a": "x", "o": {"x": "\(y\)"}}'), {"a": "x", "o": {"x": r"\(y\)"}}, (BACKSLASH,)),
    ("mistral-v13", r'[TOOL_CALLS]f[ARGS]{"a": "\d"}', {"a": r"\d"}, (BACKSLASH,)),
]  # fmt: skip

# What must not be repaired: it could be meant otherwise, or the model stopped. All of it ends without a call that runs.
LEFT = [
    ("two keys behind a line's end", "qwen3-coder", QWEN.format("<parameter=a\nx\n<parameter=n\n5\n</parameter>")),
    ("one of them behind its sign", "auto", QWEN.format("<parameter=a\nx\n<parameter=n=5</parameter>")),
    ("in a quoted line", "auto", "> <tool_call>\n<function=f\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>"),
    ("another key behind a line's end", "qwen3-coder", QWEN.format("<parameter=a\nx\n<parameter=n>\n5\n</parameter>")),
    ("a tag of the value that is closed", "qwen3-coder", QWEN.format("<parameter=a>\n<param>\n1\n</param>")),
    ("the same on one line, and another parameter", "auto", QWEN.format("<parameter=a>\n<param>1</param>\n<parameter=n>\n5\n</parameter>")),
    ("an attribute", "qwen3-coder", QWEN.format('<parameter=a="x"</parameter>')),
    ("a sign on the next line", "qwen3-coder", QWEN.format("<parameter=a\n>x\n</parameter>")),
    ("a mention without its sign", "qwen3-coder", "Use <function=f\n<parameter=a>x</parameter> so."),
    ("a parameter that no tool has", "qwen3-coder", QWEN.format("<parameter=a>\nx\n<parameter=zz>\ny\n</parameter>")),
    ("a text that stops", "hermes", HERMES.format('{"a": "x", "n": 1')[: -len("\n</tool_call>")]),
    ("a string without its end", "hermes", HERMES.format('{"a": "x}}')),
    ("a backslash beside an escape for another character", "hermes", HERMES.format(r'{"a": "C:\new\dir"}}')),
    ("a backslash, and such an escape in another string", "hermes", HERMES.format(r'{"a": "\d", "b": "C:\temp"}}')),
    ("a backslash beside one that is escaped", "hermes", HERMES.format(r'{"a": "\\server\Share"}}')),
    ("a backslash beside a slash that is", "hermes", HERMES.format(r'{"a": "^\/api\/\d+$"}}')),
    ("a backslash beside a quotation mark that may end the string", "hermes", HERMES.format(r'{"a": "\D\", ", "b": "x"}}')),
    ("a backslash beside a character by its number", "hermes", HERMES.format(r'{"a": "\d\U0001F600"}}')),
    ("an escape of another language", "hermes", HERMES.format(r'{"a": "\x1b[0m"}}')),
    ("a quotation mark that needs no escape", "hermes", HERMES.format(r'{"a": "it\'s"}}')),
    ("a sign that Markdown escapes", "hermes", HERMES.format(r'{"a": "get\_weather"}}')),
    ("a number that breaks off", "hermes", HERMES.format(r'{"a": "\u12\d"}}')),
    ("a backslash in a text that stops", "hermes", HERMES.format(r'{"a": "\d')),
    ("a backslash before the quotation mark", "hermes", HERMES.format(r'{"a": "C:\dir\", "b": "x"}}')),
    ("a backslash in JSON without a marker", "auto", r'{"name": "f", "arguments": {"a": "\d"}}'),
    ("an unescaped quote", "hermes", HERMES.format('{"a": "She said "yes" at once"}}')),
    ("a comma before the closer", "hermes", HERMES.format('{"a": "x",')),
    ("a value that is missing", "hermes", HERMES.format('{"a": "x", "n":')),
    ("half a word", "hermes", HERMES.format('{"a": "x", "l": [tru')),
    ("what a nested object holds may be a parameter", "hermes", HERMES.format('{"a": "x", "o": {"x": 1, "n": 2}}')),
    ("a parameter that is required", "hermes", HERMES.format('{"n": 1}')),
    ("a key that the schema does not know", "hermes", HERMES.format('{"a": "x", "z": 1}')),
    ("an apostrophe in Python's quotes", "hermes", "<tool_call>{'name': 'f', 'arguments': {'a': 'it's'}}</tool_call>"),
    ("Python's dict, of no tool", "hermes", "<tool_call>{'name': 'h', 'arguments': {'a': 'x'}}</tool_call>"),
    ("Python's dict that stops", "hermes", "<tool_call>{'name': 'f', 'arguments': {'a': 'x'"),
    ("Python's dict, and words", "mistral-v13", "[TOOL_CALLS]f[ARGS]{'a': 'x'} is what I would call"),
    ("Python's dict, and a comment", "mistral-v13", "[TOOL_CALLS]f[ARGS]{'a': 'x'} # not this one\n"),
    ("Python's dict without a marker, and words", "auto", "{'name': 'f', 'arguments': {'a': 'x'}}\n\nThis is the form."),
    ("a string with Python's dict, and words", "hermes", HERMES.format('"{\'a\': \'x\'} or not"}')),
    ("a string with Python's dict, and a key that the schema does not know", "hermes", HERMES.format('"{\'a\': \'x\', \'z\': 1}"}')),
    ("a string with an expression", "hermes", HERMES.format('"{\'a\': \'x\' + y}"}')),
    ("keys without quotes, without a marker", "auto", '{name: "f", arguments: {a: "x"}}'),
    ("keys without quotes, in a fence", "auto", '```js\n{name: "f", arguments: {a: "x"}}\n```'),
    ("keys without quotes, and a comment", "hermes", HERMES.format('{a: "x" /* not this one */}}')),
    ("keys without quotes, and no closer", "hermes", '<tool_call>{"name": "f", "arguments": {a: "x"}}'),
    ("keys without quotes, where no closer is due", "mistral-v13", '[TOOL_CALLS]f[ARGS]{a: "x"}'),
    ("keys without quotes, of no tool", "hermes", '<tool_call>{name: "h", arguments: {a: "x"}}</tool_call>'),
    ("a key without quotes that the schema does not know", "hermes", HERMES.format('{a: "x", z: 1}}')),
    ("a value without quotes", "hermes", HERMES.format("{a: x}}")),
    ("keys without quotes, and the call stops", "hermes", '<tool_call>{name: "f", arguments: {a: "x"'),
    ("typographic quotes in the string", "hermes", HERMES.format('{"a": \u201cShe said \u201cyes\u201d\u201d}}')),
    ("a typographic quote, and another", "hermes", HERMES.format('{"a": \u201cx"}}')),
    ("typographic quotes without a marker", "auto", "{\u201cname\u201d: \u201cf\u201d, \u201carguments\u201d: {\u201ca\u201d: \u201cx\u201d}}"),
    ("doubled braces, and a comment", "hermes", '<tool_call>{{"name": "f", "arguments": {{"a": "x"}}}} // no</tool_call>'),
    ("doubled braces without a marker", "auto", '{{"name": "f", "arguments": {{"a": "x"}}}}'),
    ("an expression", "hermes", HERMES.format("{'a': 'x' + 'y'}}")),
    # Text after the arguments may take the call back, so that it is not left out any more.
    ("text after the object", "hermes", HERMES.format('{"a": "x"} That is it.}')),
    ("a comment after the object", "auto", HERMES.format('{"a": "x"} // cancelled\n}')),
    ("another comment after the object", "hermes", HERMES.format('{"a": "x"} <!-- not this one -->}')),
    ("a comment in the object", "hermes", HERMES.format('{"a": "x" /* not this one */}}')),
    ("a comment in Python's dict", "hermes", HERMES.format("{'a': 'x'} # not this one\n}")),
    ("a comment in Python's arguments", "lfm2", "<|tool_call_start|>[f(a='x' # not this one\n)]<|tool_call_end|>"),
    ("data after the object", "hermes", HERMES.format('{"a": "x"} "b": "y"}')),
    ("a value that quotes a parameter", "qwen3-coder", QWEN.format("<parameter=a>\nx\n<parameter=b>\ny\n</parameter>\n</parameter>")),
    ("a parameter that came already", "qwen3-coder", QWEN.format("<parameter=a>\nx\n<parameter=a>\ny\n</parameter>")),
    ("a blank line before the opener", "qwen3-coder", QWEN.format("<parameter=a>\nx\n\n<parameter=b>\ny\n</parameter>")),
    ("lines that may end with a line break", "minimax-m2", MINIMAX.format('<parameter name="a">x\ny\n<parameter name="b">z</parameter>')),
    ("an empty value", "qwen3-coder", QWEN.format("<parameter=a>\n<parameter=b>\ny\n</parameter>")),
    ("the call's closer, and text after it", "qwen3-coder", QWEN.format("<parameter=a>\nx") + "\nand on it goes"),
    ("the call's closer twice", "minicpm-5", '<function name="f"><param name="a">see </function></function>'),
    ("half of the call's closer", "qwen3-coder", QWEN.format("<parameter=a>\nx")[: -len("</tool_call>")]),
    ("a parameter's opener that stops", "glm-4.7", "<tool_call>f<arg_key>a</arg_key><arg_value>x<arg_key>b</arg_key>"),
    ("JSON that broke", "deepseek-v4", DSML.format('<｜DSML｜parameter name="a" string="true">x</｜DSML｜parameter>\n<｜DSML｜parameter name="o" string="false">{"x": 1</｜DSML｜parameter>')),
    ("a backtick that is not closed", "gemma-4", GEMMA.format("{a:`x {} y}")),
    ("a backtick that may close in two places", "gemma-4", "<|tool_call>call:g{q:`a,`,r:`b`,s:1}<tool_call|>"),
    ("bare text, and a parameter that the tool does not have", "gemma-4", GEMMA.format("{n:1,a:Bergen, fjord: no}")),
    ("the same, and one that it has", "gemma-4", GEMMA.format("{a:Bergen, fjord: no,n:1}")),
    ("a quote that is not closed", "gemma-4", GEMMA.format('{a:<|"|>x}')),
    ("a comma, and the call stops", "hermes", '<tool_call>{"name": "f", "arguments": {"a": "x",}'),
    ("a comma, and a bracket too few", "hermes", HERMES.format('{"a": "x",}')),
    ("a comma, and a comment", "hermes", HERMES.format('{"a": "x",} // not this one\n}')),
    ("a comma, and no bracket in Python", "olmo-3", "<function_calls>f(a='x', </function_calls>"),
    ("a comma, and no parenthesis in a list of Python", "lfm2", "<|tool_call_start|>[f(a='x',]<|tool_call_end|>"),
    ("a comma, and text after the object", "kimi-k2", KIMI.format('{"a": "x",} or not')),
    ("a comma, and a parameter that is required", "hermes", HERMES.format('{"n": 1,}}')),
    ("a comma, and a key that the schema does not know", "hermes", HERMES.format('{"z": 1, "a": "x",}}')),
    ("a comma, of no tool", "hermes", '<tool_call>{"name": "h", "arguments": {"a": "x",}}</tool_call>'),
    ("a comma, and arguments that did not come", "hermes", '<tool_call>{"name": "g",}</tool_call>'),
    ("a comma, and arguments that came too late", "hermes", '<tool_call>{"name": "g", }}"arguments": {"a": "x"}}</tool_call>'),
    ("a comma, brackets, and another member", "kimi-k2", KIMI.format('{"a": "x", }}}"n": 1}')),
    ("a comma, and a bracket too many", "hermes", HERMES.format('{"a": "x",}}}')),
    ("a comma, and another member after the object", "kimi-k2", KIMI.format('{"a": "x", } "n": 1}')),
    ("commas, and arguments that did not come", "hermes", '<tool_call>{"name": "g",,}</tool_call>'),
    ("a comma in the place of a value", "hermes", HERMES.format('{"a": "x", "n": ,}}')),
    ("a comma in the place of the last value", "hermes", HERMES.format('{"a": "x", "n":,}}')),
    ("commas in the place of items", "hermes", HERMES.format('{"a": "x", "l": [1,,]}}')),
    ("a comma in an empty list", "hermes", HERMES.format('{"a": "x", "l": [,]}}')),
    ("a comma in an empty object", "hermes", HERMES.format('{"a": "x", "o": {,}}}')),
    ("a comma where a bracket may be missing", "hermes", HERMES.format('{"a": "x", "o": {, "n": 1}}}')),
    ("a comma where a bracket may be missing", "kimi-k2", KIMI.format('{"a": "x", "o": {, "n": 1}}')),
    ("a comma where a bracket may be missing", "apertus", '<|tools_prefix|>[{"f": {"a": "x", "o": {, "n": 1}}]<|tools_suffix|>'),
    ("commas between items", "hermes", HERMES.format('{"a": "x", "l": [1,, 2]}}')),
    ("a comma before the first item", "hermes", HERMES.format('{"a": "x", "l": [, 2]}}')),
    ("commas, and no key", "hermes", HERMES.format('{"a": "x",, 5}}')),
    ("commas, and a key that the schema does not know", "hermes", HERMES.format('{"a": "x",, "z": 5}}')),
    ("commas in JSON without a marker", "auto", '{"name": "f", "arguments": {"a": "x",, "n": 1}}'),
    ("a comma in JSON without a marker", "auto", '{"name": "f", "arguments": {"a": "x",}}'),
    ("a comma in JSON in a fence", "auto", '```json\n{"name": "f", "arguments": {"a": "x",}}\n```'),
    ("neither opener nor closer", "glm-4.7", GLM.format("<arg_key>a</arg_key>x")),
    ("an opener here, a closer there", "glm-4.7", GLM.format("<arg_key>a</arg_key>x</arg_value><arg_key>b</arg_key><arg_value>y")),
    ("no opener, and the next parameter", "glm-4.7", GLM.format("<arg_key>a</arg_key>x<arg_key>b</arg_key><arg_value>y</arg_value>")),
    ("no opener, and the call stops", "glm-4.7", "<tool_call>f<arg_key>a</arg_key>x</arg_value>"),
    ("no opener, and no value", "glm-4.7", GLM.format("<arg_key>a</arg_key></arg_value>")),
    ("a value that begins as the opener", "glm-4.7", GLM.format("<arg_key>a</arg_key><arg x</arg_value>")),
    ("half of the opener", "glm-4.7", GLM.format("<arg_key>a</arg_key>arg_value>x</arg_value>")),
    ("the end of the opener", "glm-4.7", GLM.format("<arg_key>a</arg_key>)lue>x</arg_value>")),
    ("the opener's word", "glm-4.7", GLM.format("<arg_key>a</arg_key>arg_value x</arg_value>")),
    ("no opener, and a key that the schema does not know", "glm-4.7", GLM.format("<arg_key>z</arg_key>x</arg_value>")),
    ("no opener, and a value of another type", "glm-4.7", GLM.format("<arg_key>a</arg_key>x</arg_value><arg_key>n</arg_key><b>5</b></arg_value>")),
    ("a name as an attribute, of no tool", "hermes", '<tool_call>{"name="h", "arguments": {"a": "x"}}</tool_call>'),
    ("a name as an attribute, without its end", "hermes", '<tool_call>{"name="f, "arguments": {"a": "x"}}</tool_call>'),
    ("a name as an attribute, and the call stops", "hermes", '<tool_call>{"name="f", "arguments": {"a": "x"}'),
    ("a name as an attribute, in JSON without a marker", "auto", '{"name="f", "arguments": {"a": "x"}}'),
    ("a parameter as an attribute", "hermes", HERMES.format('{"a="x"}}')),
    ("another key as an attribute", "hermes", '<tool_call>{"name": "f", "arguments="{"a": "x"}}</tool_call>'),
    ("a list that may have swallowed a parameter", "gemma-4", GEMMA.format('{a:<|"|>x<|"|>,l:[<|"|>y<|"|>,n:3}')),
]  # fmt: skip

# What a model plainly wrote is read as it is, also beside what could be repaired.
AS_WRITTEN = [
    ("a string that is no whole value of the type", "hermes", HERMES.format(r'{"a": "x", "n": "five", "l": "[1] or so", "o": "[1]"}}'), {"a": "x", "n": "five", "l": "[1] or so", "o": "[1]"}),
    ("a fraction for an integer", "hermes", HERMES.format('{"a": "x", "n": "1.5"}}'), {"a": "x", "n": "1.5"}),
    ("a parameter's name within another value", "hermes", HERMES.format('{"a": "x", "l": [{"n": "5"}], "o": {"n": "5"}}}'), {"a": "x", "l": [{"n": "5"}], "o": {"n": "5"}}),
    ("a parameter's name in a string", "hermes", HERMES.format(r'{"a": "{\"n\": \"5\"}", "b": "\"n\": "}}'), {"a": '{"n": "5"}', "b": '"n": '}),
    ("a mention in a line", "qwen3-coder", QWEN.format("<parameter=a>\nuse <parameter=b> here\n</parameter>"), {"a": "use <parameter=b> here"}),
    ("the call's closers in a value", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</function>\n</tool_call>\ny\n</parameter>"), {"a": "x\n</function>\n</tool_call>\ny"}),
    ("bare text of a string", "gemma-4", GEMMA.format("{a:Bergen,n:5}"), {"a": "Bergen", "n": 5}),
    ("a backtick inside bare text", "gemma-4", GEMMA.format("{a:x `y` z}"), {"a": "x `y` z"}),
    ("a word that is no JSON, where the schema allows text", "deepseek-v4", DSML.format('<｜DSML｜parameter name="a" string="false">hello</｜DSML｜parameter>'), {"a": "hello"}),
]  # fmt: skip


def read(declared: str, text: str, *, repair: bool = True) -> list[Event]:
    return read_with(TOOLS, text, format=declared, repair=repair)


def told(events: list[Event]) -> list[str]:
    return [event.reason for event in events if isinstance(event, Problem) and event.code == "repaired"]


@pytest.mark.parametrize(("declared", "text", "arguments", "names"), MENDED)
def test_repaired(declared: str, text: str, arguments: dict[str, object], names: tuple[str, ...]) -> None:
    events = read(declared, text)
    [call] = ended_calls(events)
    assert (call.status, call.name, call.arguments, call.repairs) == ("ok", "f", arguments, names)
    assert told(events) == [f"repaired: {name}" for name in names]
    assert content_of(events).strip() == ""


@pytest.mark.parametrize(("declared", "text", "arguments", "names"), MENDED)
def test_without_repair_none_of_them_runs(
    declared: str, text: str, arguments: dict[str, object], names: tuple[str, ...]
) -> None:
    del arguments
    events = read(declared, text, repair=False)
    if QUOTED in names and len(names) == 1:  # the string is what was written
        assert [call.status for call in ended_calls(events)] == ["ok"]
        assert told(events) == []
        return
    assert calls_of(events) == []
    assert told(events) == []
    assert content_of(events) or [call.status for call in ended_calls(events)] in (["malformed"], ["incomplete"])


@pytest.mark.parametrize(("why", "declared", "text"), LEFT)
@pytest.mark.parametrize("repair", [True, False])
def test_left(why: str, declared: str, text: str, *, repair: bool) -> None:
    events = read(declared, text, repair=repair)
    assert calls_of(events) == [], why
    assert told(events) == []
    assert all(call.repairs == () for call in ended_calls(events))


@pytest.mark.parametrize(("why", "declared", "text", "arguments"), AS_WRITTEN)
@pytest.mark.parametrize("repair", [True, False])
def test_as_written(why: str, declared: str, text: str, arguments: dict[str, object], *, repair: bool) -> None:
    events = read(declared, text, repair=repair)
    [call] = ended_calls(events)
    assert (call.status, call.arguments, call.repairs) == ("ok", arguments, ()), why
    assert told(events) == []


def test_text_on_the_next_line_follows_a_repaired_call_that_needs_no_closer() -> None:
    events = read("react", "Action: f\nAction Input: {'a': 'x'}\nObservation: none")
    assert calls_of(events) == [("f", {"a": "x"})]
    assert content_of(events).strip() == "Observation: none"


def test_the_call_after_a_repaired_one_is_read_too() -> None:
    text = QWEN.format("<parameter=a>\nx") + "\n" + QWEN.replace("=f>", "=g>").format("<parameter=q>\ny\n</parameter>")
    events = read("qwen3-coder", text + "\nDone.")
    assert calls_of(events) == [("f", {"a": "x"}), ("g", {"q": "y"})]
    assert [call.repairs for call in ended_calls(events)] == [(CLOSER,), ()]
    assert content_of(events) == "\nDone."


def test_several_calls_are_repaired_in_one_turn() -> None:
    events = read(
        "hermes", HERMES.format('{"a": "x"}') + "\n" + HERMES.format("{'a': 'y'}}") + HERMES.format('{"a": ,}}')
    )
    assert [(call.status, call.repairs) for call in ended_calls(events)] == [
        ("ok", (BRACKETS,)),
        ("ok", (PYTHON,)),
        ("malformed", ()),
    ]


@pytest.mark.parametrize("name", ["glm-4.7", "hunyuan-3", "kimi-k3"])
@pytest.mark.parametrize("mention", ["", " x"])
def test_a_mention_of_closer_and_opener_is_not_ended_by_the_next_call(name: str, mention: str) -> None:
    # The next call begins with a tool's name: after the mention there is none, and the one that follows later is not
    # what the mention opens.
    declared = get_format(name)
    closers, openers = compiled((declared,)).ends(0)
    tools = ToolSet(TOOLS)
    for closer in closers:
        for opener in openers:
            value = f"see {closer}{opener}{mention}"
            text = render(declared, [("f", {"a": value}), ("f", {"a": "y"})], tools=tools)
            events = read_with(TOOLS, text, format=declared)
            assert calls_of(events) == [("f", {"a": value}), ("f", {"a": "y"})], text
            assert told(events) == []


def test_what_was_handed_out_stays() -> None:
    """The pieces of the arguments before the fault came out before it; the call goes on from there."""
    parser = Parser(TOOLS, format="hermes")
    before = parser.feed('<tool_call>{"name": "f", "arguments": {"a": "x"')
    assert any(isinstance(event, CallStart) for event in before)
    assert parser.feed("</tool_") == []
    [problem, *_, end] = parser.feed("call>")
    assert isinstance(problem, Problem)
    assert problem.start == len('<tool_call>{"name": "f", "arguments": {"a": "x"')
    assert isinstance(end, CallEnd)
    assert (end.call.arguments, end.call.span) == ({"a": "x"}, (0, problem.start))


def test_every_call_of_a_list_is_repaired_by_itself() -> None:
    text = '<tool_calls>[{"name": "f", "arguments": {"a": "x",}}, {"name": "f", "arguments": {"a": "y"}},]</tool_calls>'
    events = read("jamba", text + " Done.")
    assert calls_of(events) == [("f", {"a": "x"}), ("f", {"a": "y"})]
    assert [call.repairs for call in ended_calls(events)] == [(TRAILING,), ()]
    assert content_of(events) == " Done."


def test_a_repair_says_where_it_was_made() -> None:
    [problem] = [each for each in read("hermes", HERMES.format('{"a": "x", }}')) if isinstance(each, Problem)]
    assert (problem.code, problem.reason, problem.text, problem.start) == (
        "repaired",
        "repaired: trailing comma",
        "}",
        50,
    )


def test_a_comma_waits_for_what_follows_it() -> None:
    """A repair may take it back. In a string, and in valid JSON when all is read, nothing shows of that."""
    parser = Parser(TOOLS, format="hermes")
    pieces = ['<tool_call>{"name": "f", "arguments": {"a": "x,', ' y", ', " ", '"n": 1, ', ' "l": [1,', " 2]", "}}"]
    handed_out = ["".join(each.text for each in parser.feed(piece) if isinstance(each, CallDelta)) for piece in pieces]
    assert handed_out == ['{"a": "x,', ' y"', "", ',  "n": 1', ',  "l": [1', ", 2]", "}"]


@pytest.mark.parametrize("end", [True, False])
def test_a_comma_that_nothing_follows_goes_out(*, end: bool) -> None:
    parser = Parser(TOOLS, format="hermes")
    events = parser.feed('<tool_call>{"name": "f", "arguments": {"a": "x", ')
    events += parser.finish() if end else parser.feed(" \n" * 200)
    assert "".join(each.text for each in events if isinstance(each, CallDelta)).rstrip() == '{"a": "x",'


def test_a_prompt_that_ends_in_a_call_is_not_repaired() -> None:
    parser = Parser(TOOLS, format="hermes", prompt='<tool_call>{"name": "f", "arguments": {"a": "x", ')
    assert parser.add("'n': 1}}</tool_call>").calls[0].arguments == {"a": "x", "n": 1}
    parser = Parser(TOOLS, format="hermes", prompt='<tool_call>{"name": "f", "arguments": {\'a\': ')
    assert parser.add("'x'}}</tool_call>").calls == []


def test_no_value_waits_for_a_closer_that_is_only_mentioned() -> None:
    """What follows the mention shows that it is text: from there on the value streams again."""
    parser = Parser(TOOLS, format="qwen3-coder")
    parser.feed("<tool_call>\n<function=f>\n<parameter=a>\nx\n</function>\n")
    assert parser.feed("y") != []


def test_the_table_in_the_documentation_is_that_of_the_code() -> None:
    page = (ROOT / "docs/explanation/repairs.md").read_text(encoding="utf-8")
    rows = [f"| `{each.name}` | {each.wrong} | {each.needed} |" for each in REPAIRS]
    assert [line for line in page.splitlines() if line.startswith("| `")] == rows


def test_repair_must_be_a_flag() -> None:
    with pytest.raises(UsageError, match="repair='yes' is not valid: pass True or False"):
        Parser(options=ParserOptions(repair="yes"))  # type: ignore[arg-type]


@pytest.mark.parametrize("repair", repairs.BREAKERS)
def test_no_generated_call_is_repaired_wrong(repair: str) -> None:
    right, enough = 0, math.inf if depth.is_full() else 3
    names = [each.name for each in all_formats() if not each.is_for_tools]
    random.Random(repair).shuffle(names)
    for name in names:
        found, wrong = repairs.count_of(repair, name, 12 if depth.is_full() else 1)
        assert wrong is None
        right += found[repairs.RIGHT]
        if right >= enough:
            return
    assert right > 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "unit",
    ["<parameter=b>\n", "\n</function>\n", "</function>\n</tool_call>\n", "\n<parameter=zz>\n", "<parameter=", "\n"],
)
def test_a_flood_of_markers_in_a_value_takes_linear_time(unit: str) -> None:
    def seconds(count: int) -> float:
        parser = Parser(TOOLS, format="qwen3-coder")
        text = "<tool_call>\n<function=f>\n<parameter=a>\nx" + unit * count
        begin = time.process_time()
        for place in range(0, len(text), 7):
            parser.feed(text[place : place + 7])
        parser.finish()
        return time.process_time() - begin

    few = 1000 if depth.is_full() else 250
    once = min(seconds(few) for _ in range(3))
    assert any(seconds(8 * few) < 24 * once + 0.05 for _ in range(2))


def test_a_copy_looks_for_the_same_after_a_line_break() -> None:
    # A closer inside a value contains the value's first line break.
    text = '<invoke name="f">\n<parameter name="x">\n</invoke>\n'
    for repair in (True, False):
        events = read_with(["f"], text, format="anthropic-antml", repair=repair)
        assert not calls_of(events)


def test_a_key_that_a_repair_goes_on_with_is_whole() -> None:
    """What came before the wrong sign, in the same piece of text, was lost: what was left was no JSON, and raised."""
    text = '<tool_call>\n{"name": "f", "ar>\n\\\'"\''
    for cut in range(len(text)):
        parser = Parser(["f"])
        events = [*parser.feed(text[:cut]), *parser.feed(text[cut:]), *parser.finish()]
        assert [call.status for call in ended_calls(events)] == ["malformed"]
