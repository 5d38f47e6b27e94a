# Spellings that models really write, one named row each: two calls with markup in a value, read in every chunking, by
# name, by a sibling's name and with `auto`; and texts that only look like them. Does not depend on how a declaration is
# read.
"""Spellings of calls, as they were met."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from tests.support.chunkings import calls_of, content_of, events_of
from toolglean import CallStart, Parser, ParserOptions, Tool, ToolSet, render
from toolglean.formats import library
from toolglean.formats.compile import compiled

TEXT = 'if a < b: "go" </p>'
CALLS = [("write", {"text": TEXT, "count": 3}), ("look", {"where": "x"})]
TOOLS = ToolSet(
    [
        Tool("write", {"type": "object", "properties": {"text": {"type": "string"}, "count": {"type": "integer"}}, "required": ["text"]}),
        Tool("look", {"type": "object", "properties": {"where": {"type": "string"}}, "required": ["where"]}),
    ]
)  # fmt: skip
UNTYPED = [("write", {"text": TEXT, "count": "3"}), ("look", {"where": "x"})]
"""The same calls where nothing but the schema shows that `count` is a number."""
FIRST, SECOND = json.dumps(CALLS[0][1]), json.dumps(CALLS[1][1])
PYTHON_FIRST = f"text={TEXT!r}, count=3"
PYTHON = repr([{"name": name, "arguments": given} for name, given in CALLS])


class Wire(NamedTuple):
    """A spelling.

    Attributes:
        name: what the row is called.
        format: the format that declares it.
        turn: the calls, as they are written.
        siblings: other formats under whose names it is read too.
        content: what is content.
        untyped: whether without tools numbers stay text.
        auto: whether it is read with `auto`.
        tools_only: whether nothing but the schema shows how a value ends.
    """

    name: str
    format: str
    turn: str
    siblings: tuple[str, ...] = ("hermes", "glm-4.5")
    content: str = ""
    untyped: bool = False
    auto: bool = True
    tools_only: bool = False


def _tagged(opener: str, parameter: str, closer: str, *, between: str = "\n") -> str:
    # `opener` has {}, the name; `parameter` has two, key and value.
    first = opener.format("write") + parameter.format("text", TEXT) + parameter.format("count", 3) + closer
    return first + between + opener.format("look") + parameter.format("where", "x") + closer


WIRES = [
    Wire(
        "TeleChat",
        "telechat-4",
        _tagged("<tool_call>{}", "<param_key>{}</param_key><param_value>{}</param_value>", "</tool_call>"),
        ("hermes", "qwen3-coder", "glm-4.7"),
        untyped=True,
    ),
    Wire(
        "TeleChat, lines",
        "telechat-4",
        _tagged("<tool_call>{}\n", "<param_key>{}</param_key>\n<param_value>{}</param_value>\n", "</tool_call>"),
        untyped=True,
    ),
    Wire("Sarashina", "sarashina", "<|tool_calls|>" + PYTHON, ("solar", "hermes")),
    Wire("Sarashina, marker taken out", "sarashina", PYTHON, ("solar", "hermes")),
    Wire(
        "Spark X",
        "spark-x2.5",
        _tagged("<|tool_call|>\n{}", "<arg_key>{}</arg_key><arg_value>{}</arg_value>", "\n<|/tool_call|>"),
        ("spark-2.5", "phi-4-mini", "granite-3", "hermes"),
        untyped=True,
    ),
    Wire(
        "Python in Hermes's tag",
        "tool-call-pythonic",
        f'<tool_call>write({PYTHON_FIRST})</tool_call>\n<tool_call>look(where="x")</tool_call>',
        ("hermes", "qwen3-coder", "glm-4.5", "granite-4"),
    ),
    Wire(
        "MCP",
        "mcp-tags",
        "\n".join(
            f"<use_mcp_tool>\n<server_name>s</server_name>\n<tool_name>{name}</tool_name>\n<arguments>\n{given}\n"
            "</arguments>\n</use_mcp_tool>"
            for name, given in (("write", FIRST), ("look", SECOND))
        ),
        ("tool-tags", "hermes"),
    ),
    Wire(
        "LiteLLM",
        "litellm",
        '<function_calls>\n<invoke>\n<tool_name>write</tool_name>\n<parameters>\n<text>if a < b: "go" <p></text>\n'
        "<count>3</count>\n</parameters>\n</invoke>\n<invoke>\n<tool_name>look</tool_name>\n<parameters>\n"
        "<where>x</where>\n</parameters>\n</invoke>\n</function_calls>".replace("<p>", "</p>"),
        ("anthropic", "hermes"),
        untyped=True,
    ),
    Wire(
        "MiniCPM 4",
        "minicpm-5",
        _tagged('<function name="{}"><arguments>', '<param name="{}">{}</param>', "</arguments></function>"),
        untyped=True,
    ),
    Wire(
        "Gemini's history",
        "call-record",
        _tagged('<call_record tool="{}">\n', '<parameter name="{}">{}</parameter>\n', "</call_record>"),
        ("anthropic", "gemma-4"),
        untyped=True,
    ),
    Wire(
        "LocalAI",
        "localai",
        "I write.\nFunction call:\n"
        + json.dumps(
            [{"id": "1", "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for n, a in CALLS]
        ),
        (),
        content="I write.\n",
    ),
    Wire(
        "LocalAI, one line",
        "localai",
        "Function call: "
        + json.dumps(
            [{"id": "1", "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for n, a in CALLS]
        ),
        ("hermes",),
    ),
    Wire("gptme", "gptme", f"I write.\n@write(call-1): {FIRST}\n@look(call-2): {SECOND}", (), content="I write.\n"),
    Wire(
        "Gemma, a tag around a call",
        "gemma-verbal",
        '<call:write{text:if a < b: "go" </p>,count:3}/>\n<call:look{where:x}/>',
        ("gemma-4", "hermes"),
        tools_only=True,
    ),
    Wire(
        "Gemini, a tag and a namespace",
        "gemma-verbal",
        '<call:default_api:write{text:if a < b: "go" </p>,count:3}>\n<call:default_api:look{where:x}>',
        ("gemma-4",),
        tools_only=True,
    ),
    Wire(
        "Gemini, a word and a namespace",
        "gemma-verbal",
        'thought:default_api:write{text:<|"|>if a < b: "go" </p><|"|>,count:3}\ndefault_api:look{where:x}',
        (),
        content="thought:",
    ),
    Wire(
        "Continue",
        "continue",
        f"```tool\nTOOL_NAME: write\nBEGIN_ARG: text\n{TEXT}\nEND_ARG\nBEGIN_ARG: count\n3\nEND_ARG\n```\n"
        "```tool\nTOOL_NAME: look\nBEGIN_ARG: where\nx\nEND_ARG\n```",
        ("tool-call-fence",),
        untyped=True,
    ),
    Wire(
        "ReAct, in bold",
        "react",
        f"**Thought:** I write.\n**Action:** write\n**Action Input:** {json.dumps({'text': TEXT, 'count': 3})}\n"
        '**Action**: look\n**Action Input**: {"where": "x"}',
        (),
        content="**Thought:** I write.\n",
    ),
    Wire(
        "UI-TARS",
        "ui-tars",
        f"Thought: I write.\nAction: write({PYTHON_FIRST})\nAction: look(where='x')",
        ("react",),
        content="Thought: I write.\n",
    ),
]  # fmt: skip


def _dsml(tag: str, section: str) -> str:
    return (
        f'<{tag}{section}>\n<{tag}invoke name="write">\n<{tag}parameter name="text" string="true">{TEXT}</{tag}parameter>\n'
        f'<{tag}parameter name="count" string="false">3</{tag}parameter>\n</{tag}invoke>\n<{tag}invoke name="look">\n'
        f'<{tag}parameter name="where" string="true">x</{tag}parameter>\n</{tag}invoke>\n</{tag}{section}>'
    )


DSML_WORDS = ("tool_calls", "function_calls", "calls", "tool_use", "toolcalls", "tool")
DSML_BARS = tuple(sign * count for sign in "｜|‖" for count in (1, 2))
WIRES += [
    Wire(f"DSML, {tag}{word}", "deepseek-v4", _dsml(tag, word), ("hermes",) if place % 3 == word_place % 3 else ())
    for place, bars in enumerate(DSML_BARS)
    for tag in (f"{bars}DSML{bars}", f"{bars}DSML{bars} ", f"{bars}DSML{bars}r:", f" {bars} DSML {bars} ")
    for word_place, word in enumerate(DSML_WORDS)
]
WIRES += [
    Wire(f"DSML, one call, {sibling}", "deepseek-v4", _dsml("‖DSML‖", "tool_calls"), (sibling,))
    for sibling in ("deepseek-v3.2", "deepseek-v4.1", "dsml-ascii", "qwen3-coder")
]

FIRST_MESSAGES = (
    f"<|channel|>commentary to=functions.write <|constrain|>json<|message|>{FIRST}<|call|>",
    f"<|start|>assistant to=functions.write<|channel|>commentary <|constrain|>json<|message|>{FIRST}<|call|>",
    f"<|channel|>commentary to=functions.write<|message|>{FIRST}<|call|>",
)
SECOND_HEADERS = (
    "assistant to=functions.look<|channel|>commentary <|constrain|>json",
    "assistant to=functions.look<|channel|>commentary",
    "assistant to=look<|channel|>analysis json",
    "assistant<|channel|>commentary to=functions.look <|constrain|>json",
)
WIRES += [
    Wire(
        f"harmony, second header {number}: {start}{header}",
        "harmony",
        f"{first}{start}{header}<|message|>{SECOND}<|call|>",
        (),
    )
    for number, first in enumerate(FIRST_MESSAGES)
    for start in ("<|start|>", "")
    for header in SECOND_HEADERS
]
WIRES += [
    Wire(
        f"LLM-jp, second header: {start}",
        "llm-jp-harmony",
        f"<|start|> assistant to=functions.write<|channel|> commentary <|constrain|> json<|message|> {FIRST}<|end|>"
        f"{start}assistant to=functions.look<|channel|> commentary <|constrain|> json<|message|> {SECOND}<|end|>",
        (),
    )
    for start in ("<|start|> ", "")
]


def parser(name: str | None, *, tools: bool = True) -> Parser:
    """A parser of that format."""
    return Parser(TOOLS if tools else None, format=name or "auto", options=ParserOptions(markup=True))


BY_NAME = [(wire, wire.format) for wire in WIRES] + [(wire, name) for wire in WIRES for name in wire.siblings]


@pytest.mark.sampled(60)
@pytest.mark.parametrize(("wire", "name"), BY_NAME, ids=[f"{wire.name}: {name}" for wire, name in BY_NAME])
def test_a_wire_is_read_by_a_name(wire: Wire, name: str) -> None:
    events = events_of(lambda: parser(name), wire.turn, one_of_many=True)
    assert calls_of(events) == CALLS
    assert content_of(events) == wire.content


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire.auto], ids=lambda wire: wire.name)
def test_a_wire_is_read_without_a_name(wire: Wire) -> None:
    events = events_of(lambda: parser(None), wire.turn, one_of_many=True)
    assert calls_of(events) == CALLS
    assert content_of(events) == wire.content


@pytest.mark.sampled(40)
@pytest.mark.parametrize("wire", [wire for wire in WIRES if not wire.tools_only], ids=lambda wire: wire.name)
def test_a_wire_is_read_without_tools(wire: Wire) -> None:
    events = events_of(lambda: parser(wire.format, tools=False), wire.turn, one_of_many=True)
    assert calls_of(events) == (UNTYPED if wire.untyped else CALLS)
    assert content_of(events) == wire.content


# -- what only looks like them -----------------------------------------------------------------------------------------

PROSE = {
    "TeleChat's tags are explained": "Write <param_key>k</param_key><param_value>v</param_value> for each parameter.",
    "Hermes's tag is mentioned": "Put write(text='x') between <tool_call> and </tool_call>.",
    "Hermes's tag around code": "<tool_call>print(write(text='x'))</tool_call>",
    "a button": "Action: click on the button.\nThen go on.",
    "an action, and prose after it": "Action: write(text='x')\nThat is how you write.",
    "an action in a line": "The Action: write(text='x')",
    "an action on its line, with prose": "Action: write(text='x') writes x.",
    "an action without its brackets": "Action: write",
    "an unknown action": "Action: click(x=1)",
    "an address": "Mail to me@write(1): no, to bob@look.org.",
    "a mention": "@look (the tool) looks.\n@write: please write.",
    "a decorator": "@app(1): {}\n@look('x')\ndef f(): ...",
    "a decorator with JSON": '@app(1): {"text": "x"}',
    "a mention with a number": "@look(1) and @write(2): both.",
    "a fence": "To call a tool:\n```tool\nTOOL_NAME: write\nBEGIN_ARG: text\nx\nEND_ARG\n```",
    "CSS in a line": "Use look{where:x} here.",
    "CSS alone": "a{color:red}",
    "a call's record is mentioned": "The <call_record tool=…> element has a tool.",
    "MCP's tag is mentioned": "Use <use_mcp_tool> with <server_name> and <tool_name>write</tool_name>.",
    "LiteLLM's tag is mentioned": "An <invoke> has a <tool_name>write</tool_name>.",
    "a function's call is announced": "Function call: see below.",
    "an array of something else": 'Function call: [{"name": "x", "age": 3}]',
    "objects of Python": "[{'name': 'write', 'age': 3}]",
    "objects of Python, and prose": f"{PYTHON} is what I would write.",
    "Sarashina's marker": "The marker <|tool_calls|> opens the list [{'name': 'write'}].",
    "DSML": "DSML's <｜DSML｜tool_calls> opens the calls, < | DSML | calls> too, and <｜DSML｜invoke too.",
    "bars": "a < | b | c and <|| d ||> or < || DSML",
    "an invocation in reasoning": "I call default_api:look{} now.",
}


@pytest.mark.sampled(1, each="name")
@pytest.mark.parametrize("name", PROSE)
@pytest.mark.parametrize("format", ["auto", "hermes", "gemma-4", "deepseek-v4", "ui-tars", "react", "gptme"])
def test_prose_is_content(name: str, format: str) -> None:  # noqa: A002
    text = PROSE[name]
    events = events_of(lambda: parser(format), text)
    assert not [event for event in events if isinstance(event, CallStart)]
    assert content_of(events) == text


@pytest.mark.parametrize("text", ["write(text='x') if sure else None", "write(text) is a function", "write(text=x)"])
@pytest.mark.parametrize("format", ["auto", "hermes", "tool-call-pythonic"])
def test_python_in_a_tag_that_is_no_plain_call_is_not_run(text: str, format: str) -> None:  # noqa: A002
    assert not calls_of(events_of(lambda: parser(format), f"<tool_call>{text}</tool_call>"))


@pytest.mark.parametrize(
    "text", ["assistant will look.", "assistant to=functions.look", "assistants to=functions.look {}"]
)
@pytest.mark.parametrize("format", ["auto", "harmony"])
def test_the_word_for_the_role_is_text_unless_a_call_follows(text: str, format: str) -> None:  # noqa: A002
    events = events_of(lambda: parser(format), FIRST_MESSAGES[0] + text)
    assert calls_of(events) == CALLS[:1]
    assert content_of(events) == text


# -- reasoning that is never closed ------------------------------------------------------------------------------------

MARKED = [
    declared.name
    for declared in library.formats()
    if not compiled(
        (declared.for_tools(["write", "look"]) or declared if declared.is_for_tools else declared,)
    ).has_bare
    and not declared.by_name_only
    and not declared.at_line_start
]


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", MARKED)
def test_calls_in_reasoning_that_never_closes_are_read_without_a_name(name: str) -> None:
    calls = [("write", {"text": "x"}), ("look", {"where": "x"})]
    turn = f"<think>I should write.\n{render(name, calls, tools=TOOLS)}"
    events = events_of(lambda: parser(None), turn, one_of_many=True)
    assert calls_of(events) == calls
    assert content_of(events) == ""


# -- line breaks beside a value ----------------------------------------------------------------------------------------


@pytest.mark.sampled(14)
@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("\nx\n", "x"),
        ("x", "x"),
        ("x\n", "x"),
        ("\nx", "x"),
        ("\n\nx\n\n", "\nx\n"),
        ("x\n\n", "x\n"),
        ("\n\nx", "\nx"),
        ("x\ny\n", "x\ny"),
        ("\n", ""),
        ("", ""),
        ("\n\n", ""),
    ],
)
@pytest.mark.parametrize("format", ["qwen3-coder", "seed-oss", "step-3.5", "auto"])
def test_one_line_break_on_each_side_of_a_value_is_markup(written: str, read: str, format: str) -> None:  # noqa: A002
    wrapper = "seed:tool_call" if format == "seed-oss" else "tool_call"
    turn = f"<{wrapper}>\n<function=write>\n<parameter=text>{written}</parameter>\n</function>\n</{wrapper}>"
    assert calls_of(events_of(lambda: parser(format), turn)) == [("write", {"text": read})]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("text:Oslo, Norway", {"text": "Oslo, Norway"}),
        ("text:Oslo, Norway,count:3", {"text": "Oslo, Norway", "count": 3}),
        ("count:3,text:a,b,c", {"count": 3, "text": "a,b,c"}),
        ("text:Oslo, Norway: the north", {"text": "Oslo, Norway: the north"}),
        ("text:Oslo, count:3", {"text": "Oslo", "count": 3}),
        ("text:Oslo,more:3", None),
        ("text:Oslo,", {"text": "Oslo"}),
        ('text:Oslo,"count":3', {"text": "Oslo", "count": 3}),
        ('text:Oslo,<|"|>count<|"|>:3', {"text": "Oslo", "count": 3}),
        ("text:,count:3", None),
        ("count:3,4", None),
    ],
)
def test_text_without_quotes_goes_on_to_the_next_key(written: str, read: dict[str, object] | None) -> None:
    events = events_of(lambda: parser(None), f"<call:write{{{written}}}/>")
    assert calls_of(events) == ([] if read is None else [("write", read)])


@pytest.mark.parametrize("format", ["auto", "gemma-4", "hermes"])
@pytest.mark.parametrize(
    "text", ["a{color:red}", "look{where:x}\nwrite{text:y}\nbody{color:red}", "Use look{where:x}."]
)
def test_rules_of_css_are_not_run(text: str, format: str) -> None:  # noqa: A002
    assert not calls_of(events_of(lambda: parser(format), text))
