# Which tool a written name means, and which names make another, unknown tool.
# Does not depend on how any format writes its calls.
"""Names, and namespaces before them."""

from __future__ import annotations

import json

import pytest

from tests.support.chunkings import calls_of, codes_of, content_of, events_of, read_with, reasoning_of
from toolglean import CallStart, Format, Parser, Problem, ToolSet, parse

TOOLS = ToolSet(["delete_all", "github.search", "fetch", "a.b", "web.fetch", "tools/fetch"])

# what is written, the tool that it means
MEANT = {
    "the name itself": ("delete_all", "delete_all"),
    "functions": ("functions.delete_all", "delete_all"),
    "tools": ("tools.delete_all", "delete_all"),
    "default_api": ("default_api.delete_all", "delete_all"),
    "with a colon": ("default_api:delete_all", "delete_all"),
    "with a slash": ("functions/delete_all", "delete_all"),
    "a namespace of another tool": ("github.fetch", "fetch"),
    "its own name as a namespace (Muse)": ("fetch.fetch", "fetch"),
    "a tool's own namespace": ("github.search", "github.search"),
    "a namespace before a namespace of its own": ("functions.github.search", "github.search"),
    "a name with a dot": ("functions.a.b", "a.b"),
    "an id of Kimi's, as clients write it": ("functions_delete_all_0", "delete_all"),
    "as Markdown escapes it": ("delete\\_all", "delete_all"),
}
OTHERS = {
    "a word before it": "dry_run.delete_all",
    "a word after a namespace": "functions.undo.delete_all",
    "a word before a namespace": "undo.functions.delete_all",
    "two namespaces": "functions.tools.delete_all",
    "a word with a colon": "never:delete_all",
    "a word with a slash": "not/delete_all",
    "no word": ".delete_all",
    "capitals": "Functions.delete_all",
    "no tool after the namespace": "functions.b",
    "a namespace and a number without signs": "functionsfetch0",
    "another tool's name, with another sign": "web/fetch",
    "the same, with a dot for it": "tools.fetch",
}


def _hermes(name: str) -> str:
    return f'<tool_call>{{"name": {json.dumps(name)}, "arguments": {{"x": 1}}}}</tool_call>'


@pytest.mark.parametrize(("written", "tool"), MEANT.values(), ids=list(MEANT))
def test_a_namespace_is_left_out(written: str, tool: str) -> None:
    events = read_with(TOOLS, _hermes(written), format="hermes")
    assert calls_of(events) == [(tool, {"x": 1})]


@pytest.mark.parametrize("written", OTHERS.values(), ids=list(OTHERS))
def test_any_other_word_makes_another_tool(written: str) -> None:
    output = parse(_hermes(written), TOOLS, format="hermes")
    assert [(call.name, call.known) for call in output.calls] in ([(written, False)], [])


@pytest.mark.parametrize("name", ["auto", "pythonic", "raven", "hermes", "lfm2"])
@pytest.mark.parametrize("text", ["dry_run.delete_all()", "[functions.undo.delete_all()]"])
def test_without_a_marker_an_unknown_name_is_content(name: str, text: str) -> None:
    events = read_with(TOOLS, text, format=name)
    assert calls_of(events) == []
    assert content_of(events) == text


def test_discovery_knows_the_same_namespaces() -> None:
    def read(payload: str) -> object:
        return calls_of(read_with(TOOLS, f"<call>{payload}</call>", format=Format.from_tag("<call>")))

    assert read('functions.delete_all {"x": 1}') == [("delete_all", {"x": 1})]
    assert read('dry_run.delete_all {"x": 1}') == []


MISSED = '<tool_call>{"name": "undo.delete_all"}</tool_call>'


def test_a_missed_call_of_another_namespace_is_visible() -> None:
    events = read_with(TOOLS, MISSED, format="hermes")
    assert calls_of(events) == []
    assert [event.reason for event in events if isinstance(event, Problem)]


# -- the server of a tool ------------------------------------------------------------------------------------------------

# the server that is written, the tools: the tool that is called, and the problems
SERVERS: dict[str, tuple[str, list[str] | None, str, list[str]]] = {
    "part of the tool's name": ("db", ["db__read", "read"], "db__read", []),
    "part of the name, as Claude's clients write it": ("db", ["mcp__db__read"], "mcp__db__read", []),
    "a namespace that is left out before any tool": ("tools", ["read"], "read", []),
    "a namespace of another tool": ("web", ["read", "web.open"], "read", []),
    "a tool without a server": ("db", ["read"], "read", ["ignored-server: db"]),
    "an unknown tool": ("db", ["write"], "read", ["ignored-server: db"]),
    "no tools are known": ("db", None, "read", ["ignored-server: db"]),
    "in quotes": ('"db"', ["db__read", "read"], "read", ['ignored-server: "db"']),
    "nothing": ("", ["read"], "read", []),
}


@pytest.mark.parametrize(("server", "tools", "name", "problems"), SERVERS.values(), ids=list(SERVERS))
@pytest.mark.parametrize("named", ["mcp-tags", "auto"])
def test_the_server_of_a_tool_is_used_or_reported(
    named: str, server: str, tools: list[str] | None, name: str, problems: list[str]
) -> None:
    """It was left out without a word."""
    text = (
        f"<use_mcp_tool>\n<server_name>{server}</server_name>\n<tool_name>read</tool_name>\n<arguments>\n"
        '{"x": 1}\n</arguments>\n</use_mcp_tool>'
    )
    events = read_with(tools, text, format=named)
    assert calls_of(events) == [(name, {"x": 1})]
    assert [f"{event.code}: {event.text}" for event in events if isinstance(event, Problem)] == problems


def test_a_name_that_has_its_server_already() -> None:
    text = "<use_mcp_tool><server_name>db</server_name><tool_name>db-read</tool_name><arguments>{}</arguments></use_mcp_tool>"
    output = parse(text, ["db-read"], format="mcp-tags")
    assert [call.name for call in output.calls] == ["db-read"]
    assert output.problems == []


# -- names that documents leave open ------------------------------------------------------------------------------------

OPEN = [
    "NAME",
    "TOOL_NAME",
    "your_tool",
    "your_function_here",
    "function_name",
    "tool-name",
    "functionName",
    "the_function_name",
]


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize(
    ("named", "call"),
    [
        ("hermes", '<tool_call>{{"name": "{0}", "arguments": {{"x": "..."}}}}</tool_call>'),
        ("glm-4.5", "<tool_call>{0}\n<arg_key>x</arg_key>\n<arg_value>...</arg_value>\n</tool_call>"),
        ("mistral-v13", '[TOOL_CALLS]{0}[ARGS]{{"x": "..."}}'),
        ("functionary-v3.1", '<function={0}>{{"x": "..."}}</function>'),
        ("auto", '<|tool_calls|>[{{"name": "{0}", "arguments": {{}}}}]'),
    ],
)
def test_a_name_left_open_is_content_where_tools_are_known(named: str, call: str, name: str) -> None:
    text = f"The form is {call.format(name)} for all."
    events = read_with(TOOLS, text, format=named)
    assert calls_of(events) == []
    assert content_of(events) == text


@pytest.mark.parametrize("name", ["DELETE_ALL", "delete_everything", "name_of_user", "functions.gone", "toolbox"])
def test_any_other_unknown_name_is_the_call_of_an_unknown_tool(name: str) -> None:
    output = parse(_hermes(name), TOOLS, format="hermes")
    assert [(call.name, call.known) for call in output.calls] == [(name, False)]


def test_a_tool_may_have_such_a_name() -> None:
    assert [call.known for call in parse(_hermes("NAME"), ["NAME"], format="hermes").calls] == [True]


# -- calls of unknown tools in prose -------------------------------------------------------------------------------------

FORMS = {
    "hermes": '<tool_call>\n{"name": "get_stock", "arguments": {"x": 1}}\n</tool_call>',
    "mistral-v13": '[TOOL_CALLS]get_stock[ARGS]{"x": 1}',
    "glm-4.5": "<tool_call>get_stock\n<arg_key>x</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
    "functionary-v3.1": '<function=get_stock>{"x": 1}</function>',
}


@pytest.mark.parametrize(("name", "call"), FORMS.items(), ids=list(FORMS))
def test_in_the_middle_of_a_line_the_call_of_an_unknown_tool_is_an_example(name: str, call: str) -> None:
    for declared in (name, "auto"):
        events = read_with(TOOLS, f"So {call} is it.", format=declared)
        assert calls_of(events) == []
        assert content_of(events) == f"So {call} is it."
        assert codes_of(events) == ["unknown-tool"]


@pytest.mark.parametrize(("name", "call"), FORMS.items(), ids=list(FORMS))
def test_elsewhere_it_is_the_call_of_an_unknown_tool(name: str, call: str) -> None:
    for text in (call, f"Let me see. {call}", f"Let me see.\n{call}", f"Let me see. {call}\nDone.", f"{call} Done."):
        found = parse(text, TOOLS, format=name)
        assert [(made.name, made.known) for made in found.calls] == [("get_stock", False)], text


@pytest.mark.parametrize(("name", "call"), FORMS.items(), ids=list(FORMS))
def test_the_call_of_a_known_tool_counts_in_the_middle_of_a_line(name: str, call: str) -> None:
    text = f"It is so. {call.replace('get_stock', 'fetch')} Now wait."
    events = read_with(TOOLS, text, format=name)
    assert [made for made, _ in calls_of(events)] == ["fetch"]


@pytest.mark.parametrize("name", ["hyperclovax-think", "hermes", "kimi-k3"])
@pytest.mark.parametrize("recipient", ["self", "user"])
def test_a_message_to_nobody_but_the_model_or_the_user_is_no_call(name: str, recipient: str) -> None:
    """Muse Spark's headers say so, also where another format is named."""
    text = f" to={recipient}<|message|>It is 5 degrees.<|eom|>"
    events = read_with(TOOLS, text, format=name)
    assert not any(isinstance(event, CallStart) for event in events)
    assert "It is 5 degrees." in content_of(events)


@pytest.mark.parametrize("name", ["auto", "muse", "hermes", "beam", "harmony", "llm-jp-harmony"])
def test_a_call_in_what_the_model_says_to_itself_is_reasoning(name: str) -> None:
    """Fixed bug: it ran where the format's own header begins as Muse's does."""
    call = '<atem:function_calls>\n<atem:invoke name="fetch">\n</atem:invoke>\n</atem:function_calls>'
    text = f"<|start|>assistant to=self<|message|>I could: to=fetch<|message|>{call}<|eom|>"
    events = read_with(TOOLS, text, format=name)
    assert (calls_of(events), codes_of(events)) == ([], ["call-in-reasoning"])


@pytest.mark.parametrize("name", ["auto", "muse", "hermes", "beam", "harmony", "llm-jp-harmony"])
@pytest.mark.parametrize(
    ("mention", "code"),
    [
        ("Use ` to=self<|message|>`:\n```\nCALL\n```\n", "quoted-call"),
        ("Use `<|start|>assistant to=self<|message|>`:\n```\nCALL\n```\n", "quoted-call"),
        ("Write to=self<|message|> first, then CALL ok.", "call-in-line"),
        ("Write <|start|>assistant to=self<|message|> first, then CALL ok.", "call-in-line"),
    ],
)
def test_a_header_that_is_mentioned_opens_no_reasoning(name: str, mention: str, code: str) -> None:
    """Fixed bug: the text behind it was reasoning, which the next header ended, in a fence too, and the call ran."""
    call = '<|start|>assistant to=functions.fetch<|channel|>commentary json<|message|>{"x": 1}<|call|>'
    events = read_with(TOOLS, mention.replace("CALL", call), format=name)
    assert (calls_of(events), reasoning_of(events)) == ([], "")
    assert code in codes_of(events)


@pytest.mark.parametrize("name", ["react", "auto", "hermes"])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_name_with_blanks_that_ends_with_its_line(name: str, gap: str) -> None:
    """Fixed bug: LangChain's tools have such names, and nothing was read or told."""
    tools = ["Calculator Tool", "Calculator"]
    text = f'Thought: I count.\nAction: Calculator Tool{gap}Action Input: {{"code": "1"}}'
    assert calls_of(events_of(lambda: Parser(tools, format=name), text)) == [("Calculator Tool", {"code": "1"})]
    other = text.replace("Calculator Tool", "Calculator or else")
    assert calls_of(events_of(lambda: Parser(tools, format=name), other)) == []
