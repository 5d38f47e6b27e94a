# Closing markers of a value that come twice, or in another spelling, and values that markup got into: for every format
# that writes its parameters one by one, and the same for every chunking.
"""No value swallows markup and passes."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.floods import cost_of
from tests.support import depth
from tests.support.chunkings import calls_of, codes_of, content_of, ended_calls, read_with
from tests.support.own_formats import own_format
from toolglean import Event, Parser, ParserOptions, Problem, ToolSet, UsageError, parse, render
from toolglean.formats import get_format
from toolglean.formats.registry import all_formats
from toolglean.formats.render import render as unproven
from toolglean.formats.spec import Literal, Slot, Space, tokens_of

PROPERTIES = {"a": {"type": "string"}, "b": {"type": "string"}, "n": {"type": "integer"}, "l": {"type": "array"}}
TOOLS = [
    {"name": "f", "parameters": {"type": "object", "properties": PROPERTIES}},
    {"name": "shell", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}},
    {"name": "list_files", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}},
    {"name": "now", "parameters": {"type": "object", "properties": {}}},
]
KNOWN = ToolSet(TOOLS)
QWEN = "<tool_call>\n<function=f>\n{}\n</function>\n</tool_call>"
MINIMAX = '<minimax:tool_call>\n<invoke name="f">\n{}\n</invoke>\n</minimax:tool_call>'

EXTRA, CLOSER = "extra closer", "parameter closer"


def closer_of(name: str) -> str:
    """The closing marker of a value in that format, as it is declared."""
    tokens = tokens_of(get_format(name).parameters[0].strip())
    after = tokens[tokens.index(Slot("value")) + 1 :]
    after = after[1:] if isinstance(after[0], Space) else after
    return "".join(each.text for each in after if isinstance(each, Literal | Space))


FORMATS = [each.name for each in all_formats() if each.parameters and "{value}" in each.parameters[0]]


def read(declared: str, text: str, *, repair: bool = True) -> list[Event]:
    return read_with(TOOLS, text, format=declared, repair=repair)


def written(name: str, arguments: dict[str, Any]) -> str:
    # Without what `toolglean.render` adds: it reads the call back, and each of them is read here anyway.
    return unproven(get_format(name), [("f", arguments)], tools=KNOWN)


def closers_in(name: str, text: str) -> list[int]:
    closer, places = closer_of(name), []
    place = text.find(closer)
    while place >= 0:
        places.append(place)
        place = text.find(closer, place + 1)
    return places


ARGUMENTS = {"a": "x y", "n": 5}
OTHER = {"n": 5, "a": "x y"}
BY_PARAMETERS = [name for name in FORMATS if len(closers_in(name, written(name, ARGUMENTS))) == 2]


def broken(name: str, arguments: dict[str, Any], which: int, instead: str) -> str:
    """A call, one of whose values ends with that text instead of its closing marker."""
    text = written(name, arguments)
    place = closers_in(name, text)[which]
    return text[:place] + instead + text[place + len(closer_of(name)) :]


def misspelt(closer: str) -> list[str]:
    """Other spellings of that closing marker."""
    found = [closer.upper(), closer.title(), closer.replace("a", "A"), closer.replace("parameter", "param")]
    found += [closer.replace("arg_value", "value"), closer.replace("argument", "arg")]
    if closer.startswith("</"):
        found += [f"{closer[:-1]} >", f"</ {closer[2:]}", f"{closer[:-1]}=n>"]
    return [each for each in dict.fromkeys(found) if each != closer]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("qwen3-coder", QWEN.format("<parameter=a>\nls") + "\nSo.", ["missing-closer"]),
        ("glm-4.5", "<tool_call>f<arg_key>a</arg_key><arg_value>Oslo</tool_call>\nSo.", ["missing-closer"]),
        ("minimax-m2", MINIMAX.format('<parameter name="a">ls</p>') + "\nSo.", ["missing-closer"]),
        ("qwen3-coder", "<tool_call>\n<function=f>\n<parameter=a>\nls\n", []),
        (
            "qwen3-coder",
            "<tool_call>\n<function=f>\n<parameter=a>\nwrite </tool_call> here\n</parameter>\n<parameter=b>\nls",
            [],
        ),
    ],
)
def test_a_value_in_which_the_call_was_closed_is_told(name: str, text: str, told: list[str]) -> None:
    """The value may be meant so, and go on: so it is told only if the turn ends in it."""
    for own in (name, "auto"):
        events = read(own, text)
        assert [call.status for call in ended_calls(events)] == ["incomplete"]
        assert codes_of(events) == told


def test_nearly_all_formats_with_parameters_are_tried() -> None:
    assert len(BY_PARAMETERS) > 25  # the others write JSON where they can


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", BY_PARAMETERS)
def test_a_closer_that_comes_twice_is_left_out(name: str) -> None:
    closer = closer_of(name)
    for arguments in (ARGUMENTS, OTHER):
        for which in (0, 1):
            for space in ("", "\n"):
                text = broken(name, arguments, which, closer + space + closer)
                [call] = parse(text, TOOLS, format=name).calls
                assert (call.arguments, call.repairs) == (arguments, (EXTRA,)), text
                assert parse(text, TOOLS, format="auto").calls[0].arguments == arguments
                assert parse(text, TOOLS, format=name, options=ParserOptions(repair=False)).calls == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", BY_PARAMETERS)
def test_a_closer_in_another_spelling_is_one_or_the_call_does_not_run(name: str) -> None:
    closer, repaired = closer_of(name), 0
    for arguments in (ARGUMENTS, OTHER):
        for which in (0, 1):
            for other in misspelt(closer):
                own = "".join(other.split()).casefold().startswith("".join(closer.split()).casefold().rstrip(">"))
                # Another word before the right closer is text: `<param …></param>` is HTML.
                for instead in (other, other + closer, f"{other}\n{closer}") if own else (other,):
                    text = broken(name, arguments, which, instead)
                    for declared in (name, "auto"):
                        for call in parse(text, TOOLS, format=declared).calls:
                            assert (call.arguments, call.repairs) == (arguments, (CLOSER,)), text
                            repaired += 1
                        assert parse(text, TOOLS, format=declared, options=ParserOptions(repair=False)).calls == [], (
                            text
                        )
    assert repaired > 0


def halves(closer: str) -> list[str]:
    """What is left of that closing marker without its first signs."""
    rest = closer[2:] if closer.startswith("</") else closer.partition(">")[2]
    return [closer[1:], rest] if rest else []


FEWER = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", BY_PARAMETERS)
def test_half_a_marker_in_a_value_is_no_text(name: str) -> None:
    closer, texts = closer_of(name), []
    for arguments in (ARGUMENTS, OTHER):
        text = written(name, arguments)
        texts += [broken(name, arguments, which, half) for which in (0, 1) for half in halves(closer)]
        end = closers_in(name, text)[0] + len(closer)
        before, sign, behind = text[end:].partition("<")
        if text[end:].lstrip().startswith("<"):  # the next parameter's opener
            lost = [before + behind, before + "< " + behind]
            texts += [text[: end - len(closer)] + half + each for half in (closer, *halves(closer)) for each in lost]
        del sign
    for text in texts:
        for tools in (TOOLS, FEWER, None):
            for call in parse(text, tools, format=name).calls:
                assert call.arguments == ARGUMENTS, text


CALLS = [
    # why, format, text, arguments or None, repairs
    ("a number, twice", "qwen3-coder", QWEN.format("<parameter=n>\n5\n</parameter>\n</parameter>"), {"n": 5}, (EXTRA,)),
    ("a string, three times", "auto", QWEN.format("<parameter=a>\nx\n</parameter>\n</parameter></parameter>"), {"a": "x"}, (EXTRA,)),
    ("in the middle", "minimax-m2", MINIMAX.format('<parameter name="a">x</parameter></parameter>\n<parameter name="n">5</parameter>'), {"a": "x", "n": 5}, (EXTRA,)),
    ("text after the second", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</parameter>\n</parameter>\ny\n</parameter>"), {"a": "x\n</parameter>\n</parameter>\ny"}, ()),
    ("a mention in the middle", "qwen3-coder", QWEN.format("<parameter=a>\nclose it with </parameter> or </param>, then go on\n</parameter>"), {"a": "close it with </parameter> or </param>, then go on"}, ()),
    ("another spelling, and the call's closers, in the middle", "qwen3-coder", QWEN.format("<parameter=a>\n</param>\n</function>\n</tool_call>\nand so on\n</parameter>"), {"a": "</param>\n</function>\n</tool_call>\nand so on"}, ()),
    ("a value that quotes a parameter of another tool", "qwen3-coder", QWEN.format("<parameter=a>\n<parameter=zz>\ny\n</parameter>\n</parameter>"), {"a": "<parameter=zz>\ny\n</parameter>"}, ()),
    ("HTML", "minimax-m2", MINIMAX.format('<parameter name="a"><p>x</p></pre></parameter>'), {"a": "<p>x</p></pre>"}, ()),
    ("HTML that ends like a short form", "qwen3-coder", QWEN.format('<parameter=a>\n<param name="x">\n</param>\n</parameter>'), {"a": '<param name="x">\n</param>'}, ()),
    ("what has no prefix is another language", "deepseek-v4", '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">x</parameter></｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>', {"a": "x</parameter>"}, ()),
    ("another spelling", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</param>"), {"a": "x"}, (CLOSER,)),
    ("the key's own tag", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</a>"), {"a": "x"}, (CLOSER,)),
    ("the key's own tag, before another parameter", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</a>\n<parameter=b>\ny\n</parameter>"), {"a": "x", "b": "y"}, (CLOSER,)),
    ("the key's own tag, which the value opens", "qwen3-coder", QWEN.format("<parameter=a>\n<a>x</a>\n</parameter>"), {"a": "<a>x</a>"}, ()),
    ("the key's own tag, in another case", "qwen3-coder", QWEN.format("<parameter=a>\nx</A>\n</parameter>"), {"a": "x</A>"}, ()),
    ("the key's own tag, before the right one", "qwen3-coder", QWEN.format("<parameter=a>\nx</a></a></a></a></parameter>"), {"a": "x</a></a></a></a>"}, ()),
    ("the key's own tag, four times", "qwen3-coder", QWEN.format("<parameter=a>\nx</a></a></a></a>"), {"a": "x"}, (CLOSER,)),
    ("the key's own tag, opened in another case", "qwen3-coder", QWEN.format("<parameter=a>\n<A>x</a>\n</parameter>"), {"a": "<A>x</a>"}, ()),
    ("the key's own tag, in a text", "qwen3-coder", QWEN.format("<parameter=a>\nx</a> y\n</parameter>"), {"a": "x</a> y"}, ()),
    ("another spelling, another parameter", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</Parameter>\n<parameter=n>\n5\n</parameter >"), {"a": "x", "n": 5}, (CLOSER,)),
    ("the key comes again", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</parameter=a>"), {"a": "x"}, (CLOSER,)),
    ("without the prefix", "deepseek-v4", '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">x</parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>', {"a": "x"}, (CLOSER,)),
    ("another spelling before the right one", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</Parameter>\n</parameter>"), {"a": "x"}, (CLOSER,)),
    ("another spelling after the right one", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</parameter>\n</param>"), None, ()),
    ("another spelling, twice", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</param>\n</param>"), {"a": "x"}, (CLOSER,)),
    ("a letter is missing", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</paramter>"), {"a": "x"}, (CLOSER,)),
    ("a letter too many", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</parameters>\n<parameter=n>\n5\n</parameter1>"), {"a": "x", "n": 5}, (CLOSER,)),
    ("a slash behind it", "minimax-m2", MINIMAX.format('<parameter name="a">x</parameter/>'), {"a": "x"}, (CLOSER,)),
    ("two letters are wrong", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</paremeters>"), None, ()),
    ("a letter is missing, and text follows", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</paramter> y\n</parameter>"), {"a": "x\n</paramter> y"}, ()),
    ("a tag like it, before the right one", "qwen3-coder", QWEN.format("<parameter=a>\n<parameters>\n</parameters>\n</parameter>"), {"a": "<parameters>\n</parameters>"}, ()),
    ("half of it", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</parameter"), {"a": "x"}, (CLOSER,)),
    ("half of it, before the right one", "qwen3-coder", QWEN.format("<parameter=a>\nx\n/parameter>\n</parameter>"), None, ()),
    ("half of it, in another case", "qwen3-coder", QWEN.format("<parameter=a>\nx\n/Parameter>\n</parameter>"), None, ()),
    ("half of it, behind a sign", "minimax-m2", MINIMAX.format('<parameter name="a">if (x < y)\n< /parameter></parameter>'), None, ()),
    ("half of it, behind CDATA", "qwen3-coder", QWEN.format("<parameter=a>\n<![CDATA[x]]>/parameter>\n</parameter>"), None, ()),
    ("the beginning of a closer", "qwen3-coder", QWEN.format("<parameter=a>\n<a></\n</parameter>"), {"a": "<a></"}, ()),
    ("attributes that end as DSML's", "deepseek-v4", '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true"><i x="1" />\n<param name="q"></｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>', {"a": '<i x="1" />\n<param name="q">'}, ()),
    ("white space around a key", "qwen3-coder", QWEN.format("<parameter= a >\nx\n</parameter>"), {"a": "x"}, ()),
    ("a key of white space", "qwen3-coder", QWEN.format("<parameter=  >\nx\n</parameter>"), None, ()),
    ("a tag that ends like it", "qwen3-coder", QWEN.format("<parameter=a>\n<x-parameter>\n</parameter>"), {"a": "<x-parameter>"}, ()),
    ("the word behind a closer", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</parameter>\nparameter names\n</parameter>"), {"a": "x\n</parameter>\nparameter names"}, ()),
    ("an opener without its sign", "minimax-m2", MINIMAX.format('<parameter name="a">x</parameter>\nparameter name="z">y</parameter>'), None, ()),
    ("an opener with another word", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</parameter>\n<param=z>\ny\n</parameter>"), None, ()),
    ("a key between quotation marks", "qwen3-coder", QWEN.format("<parameter=\"a\">\nx\n</parameter>\n<parameter='n'>\n5\n</parameter>"), {"a": "x", "n": 5}, ()),
    ("another key between them", "qwen3-coder", QWEN.format('<parameter="z">\nx\n</parameter>'), None, ()),
    ("a key with the opener in it", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</parameter>\n<parameter=parameter=n>\n5\n</parameter>"), None, ()),
    ("a value in the place of the key", "qwen3-coder", QWEN.format("<parameter=a=x>\n</parameter>"), None, ()),
    ("no key", "minimax-m2", MINIMAX.format('<parameter name="a">x</parameter>\n<parameter name="">y</parameter>'), None, ()),
    ("no key, by itself", "glm-4.7", "<tool_call>f<arg_key></arg_key><arg_value>x</arg_value></tool_call>", None, ()),
    ("markup in a number", "qwen3-coder", QWEN.format("<parameter=n>\n<b>5</b>\n</parameter>"), None, ()),
    ("a marker in a number", "glm-4.7", "<tool_call>f<arg_key>n</arg_key><arg_value>5</arg_key></arg_value></tool_call>", None, ()),
    ("markup in a list", "qwen3-coder", QWEN.format("<parameter=l>\n[1, 2]</item>\n</parameter>"), None, ()),
    ("markup in a list's strings", "qwen3-coder", QWEN.format('<parameter=l>\n["</parameter>", "<b>"]\n</parameter>'), {"l": ["</parameter>", "<b>"]}, ()),
    ("text that is not a number", "qwen3-coder", QWEN.format("<parameter=n>\nfive\n</parameter>"), {"n": "five"}, ()),
    ("a tag that no parameter has", "auto", "<list_files><args><file><path>.</path></file></args></list_files>", None, ()),
    ("another one", "auto", "<list_files><dir>.</dir></list_files>", None, ()),
    ("by name", "tool-tags", "<list_files>\n<path>.</path>\n<dir>.</dir>\n</list_files>", None, ()),
    ("one that it has", "auto", "<list_files>\n<path>.</path>\n</list_files>", {"path": "."}, ()),
    ("another family's parameters in it", "auto", "<list_files>\n<parameter=path>\n.\n</parameter>\n</list_files>", {"path": "."}, ()),
    ("the same with names", "auto", '<list_files><parameter name="path" string="true">a </parameter> b</parameter></list_files>', None, ()),
    ("the same, with names, on a line", "tool-tags", '<list_files><parameter name="path" string="true">\n\na\n</parameter></list_files>', {"path": "\na"}, ()),
    ("the same, of a key that it has not", "auto", "<list_files>\n<parameter=dir>\n.\n</parameter>\n</list_files>", None, ()),
    ("the same, a tag that does not end", "tool-tags", "<list_files>\n<parameter=path\n.\n</parameter>\n</list_files>", None, ()),
    ("an opener in the place of another", "auto", "<tool_call>shell<tool_call>command</arg_key><arg_value>make</arg_value></tool_call>", None, ()),
    ("the same by name", "glm-4.5", "<tool_call>shell\n<tool_call>command</arg_key><arg_value>make</arg_value></tool_call>", None, ()),
    ("a call without arguments, in place of its closer the next", "glm-4.5", "<tool_call>now\n<tool_call>now\n</tool_call>", {}, ()),
    ("a comment before the parameters", "qwen3-coder", QWEN.format("<!-- no\n<parameter=a>\nx\n</parameter>\n-->"), None, ()),
    ("a comment after the parameters", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</parameter>\n<!-- cancelled -->"), None, ()),
    ("a word after the parameters", "qwen3-coder", QWEN.format("<parameter=a>\nx\n</parameter>\ncancelled"), None, ()),
    ("a comment in a number", "gemma-4", "<|tool_call>call:f{a:<|\"|>x<|\"|>,n:1 // no\n}<tool_call|>", None, ()),
    ("a space in a marker: what follows is another marker", "deepseek-v4.1", '<｜DSML｜ calls>\n<｜DSML｜ invoke name="f">\n<｜DSML｜ parameter name="a" string="true">x</｜DSML｜ parameter>\n</｜DSML｜ other>\n', None, ()),
]  # fmt: skip


@pytest.mark.parametrize(("why", "declared", "text", "arguments", "repairs"), CALLS, ids=[each[0] for each in CALLS])
def test_calls(why: str, declared: str, text: str, arguments: dict[str, Any] | None, repairs: tuple[str, ...]) -> None:
    events = read(declared, text)
    ok = [call for call in ended_calls(events) if call.status == "ok"]
    assert [(call.arguments, call.repairs) for call in ok] == ([] if arguments is None else [(arguments, repairs)]), why
    found = [event.reason for event in events if isinstance(event, Problem) and event.code == "repaired"]
    assert found == [f"repaired: {each}" for each in repairs]
    if repairs or arguments is None:
        assert calls_of(read(declared, text, repair=False)) == [], why


WORDS = [
    # A format's own markers in a name, a key or a type word, without tools: no call has such a name.
    ("mistral-v13", '[TOOL_CALLS]f[TOOL_CALLS]g[ARGS]{"a": "x"}', "f"),
    ("kimi-k2", '<|tool_call_begin|>functions.f<|tool_call_begin|>:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|>', "f"),
    ("glm-4.5", "<tool_call>f</arg_key>\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>\n</tool_call>", "f"),
    ("qwen3-coder", QWEN.format("<parameter=a<parameter=b>\nx\n</parameter>"), "f"),
    ("solar-open2", "<|tool_call:start|>f\n<|tool_arg:start|>a<|tool_arg:start|>b<|tool_arg:value|>x<|tool_arg:end|>\n<|tool_call:end|>", "f"),
    ("deepseek-v4", '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="<｜DSML｜">x</｜DSML｜parameter>\n</｜DSML｜invoke>\n', "f"),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "text", "name"), WORDS, ids=[each[0] for each in WORDS])
def test_a_marker_in_a_word(declared: str, text: str, name: str) -> None:
    for tools in (None, [name]):
        calls = calls_of(read_with(tools, text, format=declared))
        assert all("[" not in each and "<" not in each and each != name for each, _ in calls)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "unit",
    [
        "</parameter>",
        "</parameter>\n",
        "</param>",
        "</param>\n",
        "</par",
        "</parameter ",
        "<parameter=zz>\ny\n</parameter>\n",
    ],
)
def test_a_flood_of_closers_takes_linear_time(unit: str) -> None:
    before = "<tool_call>\n<function=f>\n<parameter=a>\nx"
    for after in ("", "x\n</parameter>\n</function>\n</tool_call>"):
        for chars in (False, True):
            size = (1000 if chars else 10_000) // (1 if depth.is_full() else 2)
            cost = cost_of(lambda: Parser(TOOLS, format="qwen3-coder"), before, unit, size, chars=chars, after=after)
            assert cost.linear, (unit, after, chars, cost)


def test_an_undeclared_child_of_a_tools_own_tag_is_not_written_either() -> None:
    with pytest.raises(UsageError, match="argument 'dir'"):
        render("tool-tags", [("list_files", {"dir": "."})], tools=TOOLS)
    open_schema = {"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": True}
    tools = [{"name": "list_files", "parameters": open_schema}]
    text = render("tool-tags", [("list_files", {"dir": "."})], tools=tools)
    assert calls_of(read_with(tools, text, format="tool-tags")) == [("list_files", {"dir": "."})]


JSON_CALLS = {
    "kimi-k2": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}{after}"
        "<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "deepseek-v3.1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}{after}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "harmony": "<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}{after}<|call|>",
    "functionary-v3.1": "<function=now>{}{after}</function>",
    "hermes": '<tool_call>\n{"name": "now", "arguments": {}{after}}\n</tool_call>',
}


@pytest.mark.parametrize("name", JSON_CALLS)
@pytest.mark.parametrize(
    ("after", "status"),
    [("", "ok"), (" ", "ok"), ("\n", "ok")]
    + [(each, "malformed") for each in (" // no", "/* no */", " # no", " <!-- no -->", " cancelled", " (an example)")],
)
def test_what_follows_the_arguments_may_take_the_call_back(name: str, after: str, status: str) -> None:
    assert [call.status for call in ended_calls(read(name, JSON_CALLS[name].replace("{after}", after)))] == [status]


WHOLE_OBJECTS = ("hermes", "longcat", "granite-4", "internlm", "nemotron-mini")
WITHOUT_CLOSER = ("mistral-v13", "mistral-v11", "functionary-v3.2", "granite-20b-fc")
COMMENTS = (" // no", "/* no */", " # no", " <!-- no -->", " -- no")


@pytest.mark.sampled(14)
@pytest.mark.parametrize("by_name", [True, False], ids=["by name", "auto"])
@pytest.mark.parametrize(
    ("name", "after", "status"),
    [(name, each, "malformed") for name in WHOLE_OBJECTS for each in (*COMMENTS, " (an example)", "} // no")]
    + [(name, each, "malformed") for name in WITHOUT_CLOSER for each in COMMENTS]
    + [
        (name, each, "ok")
        for name in (*WHOLE_OBJECTS, *WITHOUT_CLOSER)
        for each in ("", " ", "\n", "\n// no", " I look.")
    ],
)
def test_a_comment_after_the_whole_object_takes_the_call_back(
    name: str, after: str, status: str, by_name: bool
) -> None:
    whole = render(name, [("now", {})])
    place = whole.rindex("}") + 1
    assert [
        call.status for call in ended_calls(read(name if by_name else "auto", whole[:place] + after + whole[place:]))
    ] == [status]


@pytest.mark.parametrize("junk", [".", ";", '"', "}", " ,"])
@pytest.mark.parametrize(("words", "status"), [("", "ok"), (" not now", "malformed")])
def test_punctuation_after_the_arguments_does_not_hide_words(junk: str, words: str, status: str) -> None:
    text = JSON_CALLS["kimi-k2"].replace("{after}", junk + words)
    assert [call.status for call in ended_calls(read("kimi-k2", text))] == [status]


def test_text_on_the_next_line_follows_a_call_without_its_closer() -> None:
    text = JSON_CALLS["kimi-k2"].partition("{after}")[0] + "\nI look."
    assert [call.status for call in ended_calls(read("kimi-k2", text))] == ["ok"]


def test_a_closing_tag_that_nothing_opened_is_not_swallowed_by_a_repair() -> None:
    text = QWEN.format("<parameter=a>\nx</value>\n<parameter=b>\ny\n</parameter>")
    assert [call.status for call in ended_calls(read("qwen3-coder", text))] == ["malformed"]
    text = QWEN.format("<parameter=a>\n<p>x</p>\n<parameter=b>\ny\n</parameter>")
    assert [call.repairs for call in ended_calls(read("qwen3-coder", text))] == [(CLOSER,)]


def test_a_tool_without_parameters_takes_no_child() -> None:
    assert [call.status for call in ended_calls(read("auto", "<now><path>/tmp</path></now>"))] == ["malformed"]
    assert [call.status for call in ended_calls(read("auto", "<now></now>"))] == ["ok"]


def test_a_key_that_the_json_of_a_value_has_twice_is_told() -> None:
    events = read("qwen3-coder", QWEN.format('<parameter=l>\n[{"x": 1, "x": 2}]\n</parameter>'))
    assert [(each.code, each.text) for each in events if isinstance(each, Problem)] == [("duplicate-key", "x")]


# -- a value that quotes a call ----------------------------------------------------------------------------------------


def _quoted(name: str, tool: str, key: str) -> str:
    schema = {"type": "object", "properties": {key: {"type": "string"}}}
    return render(get_format(name), [(tool, {key: "1"})], tools=[{"name": tool, "parameters": schema}]).strip()


# The markers of lost-brackets are words, which nothing shows in a value.
QUOTING = [each for each in FORMATS if "{parameters}" in get_format(each).calls[0] and each != "lost-brackets"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", QUOTING)
@pytest.mark.parametrize("tool", ["my_tool", "get_stock", "shell"])
def test_no_call_that_a_value_quotes_runs_and_no_value_is_cut(name: str, tool: str) -> None:
    """Text values are not escaped: a closer in one may be that of a parameter which it quotes, of whatever tool."""
    value = f"One:\n{_quoted(name, tool, 'x')}\nTwo:\n{_quoted(name, tool, 'x')}\nThree:\n{_quoted(name, 'shell', 'command')}\nEnd."
    text = render(get_format(name), [("f", {"a": "y", "b": "@@"})], tools=TOOLS).replace("@@", value)
    for given in (name, "auto"):
        found = [(call.name, dict(call.arguments)) for call in ended_calls(read(given, text)) if call.status == "ok"]
        assert found in ([], [("f", {"a": "y", "b": value})])


GLM = "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>{}</arg_value>\n</tool_call>"
BROKEN = [  # the opener of the second parameter, or the only one's
    (GLM, "x</arg_value>\nn</arg_key>\n<arg_value>5"),
    (GLM, "x</arg_value>\n<arg_value>5"),
    (GLM, "x</arg_value>\n<key>n</arg_key>\n<arg_value>5"),
    (GLM, "<arg_value>x"),
    (GLM, "x</arg_value></arg_key>n</arg_key>\n<arg_value>5"),
    (QWEN, "<parameter=a>\nx\n</parameter>\n</parameter=n>\n5\n</parameter>"),
    (QWEN, "<parameter=a>\nx\n</parameter>\n<par ameter=q>\n5\n</parameter>"),
    (MINIMAX, '<parameter name="a">x</parameter>\n</parameter name="n">5</parameter>'),
    (QWEN, '<parameter=a>\nx\n</parameter>\n<parameter name="n">\n5\n</parameter>'),
    (QWEN, "<parameter=a>\nx\n</parameter>\nparameter=n>\n5\n</parameter>"),
    (QWEN, "<parameter=a>\nx\n</parameter>\n<param=n>\n5\n</parameter>"),
    (MINIMAX, '<parameter name="a">x</parameter>\nparameter name="n">5</parameter>'),
    ("<f>\n{}\n</f>", "<a>x</a>\n</a>\n<n>5</n>"),
]


@pytest.mark.parametrize(("call", "inside"), BROKEN)
def test_a_value_that_swallows_a_broken_opener_is_malformed(call: str, inside: str) -> None:
    """Fixed bug: the call ran with the markers in the value before, and without the parameter. The next one runs."""
    good = {GLM: "x", QWEN: "<parameter=a>\nx\n</parameter>", MINIMAX: '<parameter name="a">x</parameter>'}
    text = call.format(inside) + "\n" + call.format(good.get(call, "<a>x</a>"))
    events = read_with(TOOLS, text)
    assert [found.status for found in ended_calls(events)] == ["malformed", "ok"]


EDITS = ("", *'/<>"| -')
SIGNED = [name for name in BY_PARAMETERS if closer_of(name)[0] == "<"]  # a word that closes may be one of the text


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", SIGNED)
def test_one_wrong_sign_leaves_no_marker_in_a_value(name: str) -> None:
    """Fixed bug: `</parameter/>` was part of the value, and `</parameter=n>` behind it, with the value of `n`."""
    text = written(name, {"a": "x", "b": "z", "n": 5})
    for place in range(0, len(text), 1 if depth.is_full() else 23):
        for instead in EDITS:  # one character less, or one more
            edited = text[:place] + instead + text[place + (not instead) :]
            for call in parse(edited, KNOWN, format=name).calls:
                values = [str(each) for each in call.arguments.values()]
                values = [each for each in values if not each.startswith(" string=")]  # behind a tag that is closed
                assert call.status != "ok" or max(map(len, values), default=0) <= 3, (edited, call.arguments)


@pytest.mark.parametrize("name", ["own:children", "own:child lines", "own:one-sided", "own:signs"])
@pytest.mark.parametrize("value", ["<b>x</b>", "x </ y", "a > b", "</ >", "</a b>"])
def test_other_tags_are_text_in_formats_of_ones_own(name: str, value: str) -> None:
    """Fixed bug: a closer of which only the signs are the format's (`</{key}>`) has no letters."""
    declared = own_format(name)
    assert declared is not None
    text = unproven(declared, [("f", {"a": "@@", "n": 5})], tools=KNOWN).replace("@@", value)
    found = calls_of(read_with(TOOLS, text, format=declared))
    assert found == [("f", {"a": value, "n": 5})]


EARLY = {  # the call's closer before its second parameter, and before its first
    "qwen3-coder": (QWEN, "<parameter=a>\nx\n</parameter>\n", "</function>\n", "<parameter=n>\n5\n</parameter>"),
    "minimax-m2": (MINIMAX, '<parameter name="a">x</parameter>\n', "</invoke>", '<parameter name="n">5</parameter>'),
    "anthropic": (
        '<function_calls>\n<invoke name="f">\n{}\n</invoke>\n</function_calls>',
        *('<parameter name="a">x</parameter>\n', "</invoke>\n", '<parameter name="n">5</parameter>'),
    ),
}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", EARLY)
def test_a_call_that_is_closed_before_its_last_parameter_is_malformed(name: str, *, first: bool) -> None:
    """Fixed bug: it ran without that parameter, which was content. The next call runs."""
    call, one, closer, other = EARLY[name]
    text = f"Yes.\n{call.format((one if first else '') + closer + other)}\n{call.format(other)}"
    for given in (name, "auto"):
        found = read(given, text)
        assert [call.status for call in ended_calls(found)] == ["malformed", "ok"]


BEHIND = {  # what a closer is followed by, and whether the call runs
    '<parameter name="n">5</parameter>\n</function>\n</tool_call>': False,
    "<Parameter=n>\n5\n</parameter>": False,
    "<parameter\n=n>": False,
    "<param=n>5": False,
    "<par": True,  # a cut takes nothing back
    "": True,
    "<parameters>\n</tool_call>": True,
    "<parameter> begins one": True,
    "</tool_call>\n<parameter=n>": True,
}


@pytest.mark.parametrize("behind", BEHIND)
def test_what_follows_a_closer_within_its_section(behind: str) -> None:
    text = QWEN.format("<parameter=a>\nx\n</parameter>").removesuffix("</tool_call>") + behind
    for given in ("qwen3-coder", "auto"):
        assert bool(calls_of(read(given, text))) is BEHIND[behind]


@pytest.mark.parametrize("inside", ['<parameter name="x">5</parameter>', "<parameter\n>5</parameter>"])
def test_a_closer_that_an_opener_in_another_spelling_has_is_not_extra(inside: str) -> None:
    """Fixed bug: the call ran without the closing marker that its value had."""
    events = read("qwen3-coder", QWEN.format(f"<parameter=a>\n{inside}</parameter>"))
    assert [call.status for call in ended_calls(events)] == ["malformed"]


@pytest.mark.parametrize("behind", ["</f>", "\n<now></now>", ""])
def test_a_closing_tag_that_comes_twice_loses_nothing(behind: str) -> None:
    """Only where another parameter follows has it ended the call too early."""
    events = read_with(TOOLS, f"<f>\n<a>x</a></a>{behind}")
    assert calls_of(events)[0] == ("f", {"a": "x"})


def test_a_value_that_swallows_what_the_call_requires_is_malformed() -> None:
    schema = {"type": "object", "properties": PROPERTIES, "required": ["a", "b"]}
    text = GLM.format("x</arg_value> and then 5")
    for tools, status in (([{"name": "f", "parameters": schema}], "malformed"), (TOOLS, "ok")):
        events = read_with(tools, text)
        assert [found.status for found in ended_calls(events)] == [status]


@pytest.mark.parametrize(
    "value",
    [
        "A\n<parameter=city>\nOslo\n</parameter>\nB",
        "Use <parameter=x> for each.",
        "`<parameter=x>` is",
        '<parameter name="x" value="5"/>',
        "<config>\n<parameter name='x'>1</parameter>\n</config>",
        "<a><parameter>1</parameter></a>",
        "Write </parameter> to close it.",
    ],
)
@pytest.mark.parametrize("name", ["qwen3-coder", "anthropic", "minimax-m2", "auto"])
def test_a_value_that_closes_what_it_opens_is_read(name: str, value: str) -> None:
    text = written("qwen3-coder" if name == "auto" else name, {"a": "@@"}).replace("@@", value)
    assert calls_of(read(name, text)) == [("f", {"a": value})]


@pytest.mark.parametrize("name", ["auto", "glm-4.5", "glm-4.7"])
@pytest.mark.parametrize(
    ("behind", "calls", "content"),
    [
        ("</tool_call>\n<tool_call>now</tool_call>", [("now", {})], ""),
        ("<tool_call>now</tool_call>", [], ""),
        ('":"ls"}</tool_call>\nThat is it.', [], "\nThat is it."),
    ],
)
def test_a_key_ends_before_the_end_of_its_call(
    name: str, behind: str, calls: list[tuple[str, Any]], content: str
) -> None:
    """Fixed bug: a key without its closer took the rest of the turn, and nothing was said of it."""
    events = read(name, f"<tool_call>shell<arg_key>command{behind}")
    assert calls_of(events) == calls
    assert content_of(events) == content
    assert codes_of(events)[0] == "malformed-call"


@pytest.mark.parametrize("name", ["auto", "react", "react-call"])
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Action: now()\nAction Input: {}", "malformed"),
        ("Action: shell()\nAction Input: make", "malformed"),
        ('Action: shell\nAction Input: {"command": "ls"}\nAction Input: {"command": "ls"}', "ok"),
        ("Action: now()\nAction", "ok"),
        ("Action: now()\n", "ok"),
    ],
)
def test_an_input_on_the_next_line_takes_the_call_back(name: str, text: str, status: str) -> None:
    """Fixed bug: `Action: f()` ran without the arguments that followed it as `Action Input:`."""
    assert [call.status for call in ended_calls(read(name, text))] == [status]


@pytest.mark.parametrize("name", ["auto", "react"])
def test_a_made_up_result_ends_a_malformed_call(name: str) -> None:
    """Fixed bug: the answer behind it was part of the call. A call behind it does not run, as behind any result."""
    begin = 'Thought: x\nAction: shell\nAction Input: "ls"'
    behind = "\nObservation: a.md\nFinal Answer: one file"
    events = read(name, begin + behind)
    assert [call.status for call in ended_calls(events)] == ["malformed"]
    assert content_of(events) == "Thought: x\n" + behind
    assert calls_of(read(name, f"{begin}{behind}\nAction: now\nAction Input: {{}}")) == []


def test_what_takes_a_call_back_is_content() -> None:
    text = "Action: now()\nAction Input: {}\n\nThe answer is 3."
    assert content_of(read("react", text)) == "\nAction Input: {}\n\nThe answer is 3."
