# What Ollama gives to a template, shown by templates of our own that print it; and the proof with real templates, against
# what Go wrote for them (../shared/renders), where that is there.
"""Tests of Ollama's way of running Go templates."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.shared import SHARED, shared_rows
from toolglean.errors import UsageError
from toolglean.sources.templates import renderer

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
TOOL = {
    "type": "function",
    "function": {
        "name": "f",
        "description": "does <f>",
        "parameters": {
            "type": "object",
            "properties": {
                "n": {"type": "integer", "description": "a number", "enum": [1, 2]},
                "a": {"type": ["string", "null"]},
                "o": {"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]},
                "u": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "number"}]},
                "e": {},
            },
            "required": ["n"],
        },
    },
}
JSON = (
    '{"type":"function","function":{"name":"f","description":"does \\u003cf\\u003e","parameters":{"type":"object",'
    '"required":["n"],"properties":{"a":{"type":["string","null"]},"e":{},'
    '"n":{"type":"integer","description":"a number","enum":[1,2]},'
    '"o":{"type":"object","properties":{"x":{"type":"boolean"}},"required":["x"]},'
    '"u":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"number"}]}}}}}'
)


def call(arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments, **more}}


USER = {"role": "user", "content": "hi"}
CALLS = {"role": "assistant", "content": None, "tool_calls": [call({"b": 2, "a": [1.5, "<"]}), call('{"n": 10000000}')]}


def rendered(source: str, messages: list[dict[str, Any]], tools: Any = None, **variables: Any) -> str:
    return renderer(source, "go", now=NOW).render(messages, tools, **variables)


ROWS: list[tuple[str, list[dict[str, Any]], str]] = [
    # messages
    ("{{range .Messages}}{{.Role}}:{{.Content}};{{end}}", [USER], "user:hi;"),
    ("{{range .Messages}}{{.Role}}:{{.Content}};{{end}}", [USER, USER], "user:hi\n\nhi;"),
    ("{{range .Messages}}{{.Role}};{{end}}", [USER, {"role": "tool", "content": "1"}, {"role": "tool", "content": "2"}], "user;tool;tool;"),
    ("{{.System}}|{{len .Messages}}", [{"role": "system", "content": "s"}, USER, {"role": "system", "content": "t"}], "s\n\nt|3"),
    ("{{range .Messages}}{{.Thinking}}{{end}}", [{"role": "assistant", "reasoning_content": "r"}], "r"),
    ("{{range .Messages}}{{.Thinking}}{{end}}", [{"role": "assistant", "thinking": "t"}], "t"),
    ("{{range .Messages}}{{.ToolName}}{{.ToolCallID}}{{end}}", [{"role": "tool", "content": "", "name": "f", "tool_call_id": "i"}], "fi"),
    ("{{range .Messages}}{{.Content}}{{end}}", [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}], "ab"),
    ("{{range .Messages}}{{len .Images}}{{end}}", [USER], "0"),
    ("{{range .Messages}}{{.Content}}{{end}}", [{"role": "user", "content": "a\ud800b"}], "a\ufffdb"),
    ("{{json .Messages}}", [USER], '[{"Role":"user","Content":"hi","Thinking":"","Images":[],"ToolCalls":[],"ToolName":"","ToolCallID":""}]'),
    # calls
    ("{{range .Messages}}{{range .ToolCalls}}{{.ID}} {{.Function.Name}} {{.Function.Index}} {{.Function.Arguments}};{{end}}{{end}}", [CALLS],
     'call_1 f 0 {"a":[1.5,"\\u003c"],"b":2};call_1 f 1 {"n":10000000};'),
    ("{{range .Messages}}{{range .ToolCalls}}{{json .Function.Arguments}}{{.Function.Arguments.n}};{{end}}{{end}}", [CALLS],
     '{"a":[1.5,"\\u003c"],"b":2}<no value>;{"n":10000000}1e+07;'),
    ("{{range .Messages}}{{range .ToolCalls}}{{range $k, $v := .Function.Arguments}}{{$k}}={{$v}},{{end}}{{end}}{{end}}", [CALLS], "a=[1.5 <],b=2,n=1e+07,"),
    ("{{range .Messages}}{{range .ToolCalls}}{{.Function.Arguments}}{{.Function}}{{end}}{{end}}", [{"role": "assistant", "tool_calls": [call("", index=7)]}], "{}{7 f {}}"),
    # nothing there
    ("{{.Nothing}}{{if .Tools}}a{{end}}{{.Tools}}{{json .Tools}}{{range .Messages}}{{end}}", [USER], "<no value>nullnull"),
    # thinking
    ("{{.Think}}{{.ThinkLevel}}{{.IsThinkSet}}{{range .Messages}}{{end}}", [USER], "falsefalse"),
    # templates without messages: turn by turn, and nothing after the answer
    ("{{.System}}[{{.Prompt}}]{{.Response}};", [USER], "[hi]"),
    ("{{.System}}[{{.Prompt}}]", [USER], "[hi]"),
    ("{{if .System}}S{{.System}}{{end}}[{{.Prompt}}]{{if true}}{{.Response}}!{{else}}?{{end}};", [{"role": "system", "content": "s"}, USER, {"role": "assistant", "content": "a"}, USER], "Ss[hi]a!;[hi]"),
    ("{{.System}}[{{.Prompt}}]{{.Response}};", [USER, {"role": "system", "content": "s"}, USER], "[hi];s[hi]"),
    ("{{.Prompt}}{{.Response}};", [USER, {"role": "assistant", "content": "a"}], "hia"),
    ("{{if .Prompt}}{{template `p` .}}{{end}}{{.Response}}{{define `p`}}<{{.Prompt}}>{{end}}", [USER], "<hi>"),
    ("{{.Prompt}}{{printf `%s` (print .Response)}}.", [USER], "hi"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "messages", "text"), ROWS)
def test_what_a_template_sees(source: str, messages: list[dict[str, Any]], text: str) -> None:
    assert rendered(source, messages) == text


TOOLS = {
    "{{.Tools}}": f"[{JSON}]",
    "{{range .Tools}}{{.}}{{end}}": JSON,
    "{{json (index .Tools 0)}}": JSON,
    "{{slice .Tools 0 1}}": f"[{JSON}]",
    "{{range .Tools}}{{.Type}} {{.Function.Name}} {{.Function.Description}}{{end}}": "function f does <f>",
    "{{range .Tools}}{{with .Function.Parameters}}{{.Type}}{{.Required}}{{len .Properties}}{{end}}{{end}}": "object[n]5",
    "{{range .Tools}}{{range $k, $p := .Function.Parameters.Properties}}{{$k}}:{{$p.Type}}/{{toTypeScriptType $p}};{{end}}{{end}}": "a:[string null]/string | null;e:/any;n:integer/number;o:object/Record<string, any>;u:/any[] | number;",
    "{{range .Tools}}{{.Function.Parameters.Properties.zz.Type}}{{len .Function.Parameters.Properties.n.Enum}}{{end}}": "2",
    "{{range .Tools}}{{(index .Function.Parameters.Properties `n`).ToTypeScriptType}}{{end}}": "number",
    "{{range .Tools}}{{.Function.Parameters.Properties.o}}{{end}}": '{[] object <nil>  [] {"x":{"type":"boolean"}} [x]}',
}


@pytest.mark.parametrize("source", TOOLS)
def test_tools(source: str) -> None:
    assert rendered(source + "{{range .Messages}}{{end}}", [USER], [TOOL]) == TOOLS[source]


def test_variables() -> None:
    source = "{{.Think}} {{.ThinkLevel}} {{.IsThinkSet}}{{range .Messages}}{{end}}"
    assert rendered(source, [USER], think=True) == "true  true"
    assert rendered(source, [USER], think="high") == "true high true"
    assert rendered(source, [USER], enable_thinking=False) == "false  true"
    assert rendered("<P>{{.Prompt}}<S>{{.Suffix}}<M>", [], prompt="a", suffix="b", other="x") == "<P>a<S>b<M>"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("hi", r"messages\[0\]=.* is not a message: pass a dict with a role"),
        ({"content": "hi"}, r"messages\[0\]=.* is not a message: pass a dict with a role"),
        ({"role": "user", "content": 1}, "content=1 of a message is not valid: pass text or a list of parts"),
        ({"role": "assistant", "tool_calls": [call("[1]")]}, r"arguments=\[1\] of a tool call are not a JSON object"),
        ({"role": "assistant", "tool_calls": [call("{")]}, "arguments='{' of a tool call are not a JSON object"),
        ({"role": "assistant", "tool_calls": [call({"a": {1, 2}})]}, "contain a value of type set: pass only JSON values"),
        ({"role": "assistant", "tool_calls": [call({"a": 10**400})]}, "too large for the float"),
    ],
)  # fmt: skip
def test_wrong_messages_are_the_callers_fault(message: Any, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        rendered("{{range .Messages}}{{end}}", [message])


def test_values_nested_too_deeply() -> None:
    value: Any = 1
    for _ in range(300):
        value = [value]
    with pytest.raises(UsageError, match="nested more than 256 levels deep"):
        rendered("{{range .Messages}}{{end}}", [{"role": "assistant", "tool_calls": [call({"a": value})]}])


def test_messages_stay_as_they_were() -> None:
    messages = [dict(USER), dict(USER)]
    prompt = renderer("{{range .Messages}}{{.Content}}{{end}}", "go")
    assert prompt.render(messages) == prompt.render(messages) == "hi\n\nhi"
    assert messages == [USER, USER]


def test_real_templates_as_go_rendered_them() -> None:
    rows = shared_rows("renders/full_go.jsonl.gz")
    inputs = json.loads((SHARED / "renders" / "inputs.json").read_text(encoding="utf-8"))
    prompts = {}
    wrong = []
    for row in rows:
        name = row["template"]
        if name not in prompts:
            source = (SHARED / "templates" / "go" / f"{name}.gotmpl").read_bytes().decode()
            prompts[name] = renderer(source, "go", now=NOW)
        case = inputs["cases"][row["case"]]
        calls = [
            {"id": f"call{at:05}", "type": "function", "function": each} for at, each in enumerate(case["calls"], 1)
        ]
        turn = {"role": "assistant", "content": case["content"], "thinking": case["reasoning"], "tool_calls": calls}
        for key, messages in (
            ("full_render", [inputs["user"], turn]),
            ("full_render_followed", [inputs["user"], turn, inputs["user"]]),
        ):
            if prompts[name].render(messages, inputs["tools"]) != row[key]:
                wrong.append((name, row["case"], key))
    assert wrong == []
    assert len(rows) == 284
