# Values that are written in a way that changes what they mean. Does not depend on how a value's end is found.
"""A CDATA section is its inside, in every format like XML."""

from __future__ import annotations

import pytest

from tests.support.chunkings import calls_of, read_with
from toolglean import CallEnd, ToolSet, render

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}, "required": ["q"]}
TOOLS = ToolSet([{"type": "function", "function": {"name": "find", "description": "-", "parameters": SCHEMA}}])
FORMATS = ("anthropic", "deepseek-v3.2", "qwen3-coder", "minimax-m2", "glm-4.7", "tool-tags", "seed-oss")


def call_with(name: str, value: str) -> str:
    return render(name, [("find", {"q": "QQQ", "n": 7})], tools=TOOLS).replace("QQQ", value)


@pytest.mark.sampled(1, each="value")
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("<![CDATA[latest tides]]>", "latest tides"),
        ("<![CDATA[a < b && c]]>", "a < b && c"),
        ("<![CDATA[]]>", ""),
        ("<![CDATA[a]]> and <![CDATA[b]]>", "<![CDATA[a]]> and <![CDATA[b]]>"),
        ("<![CDATA[a]]> b", "<![CDATA[a]]> b"),
        ("<!-- x -->", "<!-- x -->"),
        ("<!", "<!"),
        ("<b>x</b>", "<b>x</b>"),
        ("see <![CDATA[a]]>", "see <![CDATA[a]]>"),
        # Whether white space before it made a section depended on where the text was cut.
        ("\n\n<![CDATA[a<b>]]>\n", "a<b>"),
        (" \t<![CDATA[a]]>", "a"),
        (" " * 70 + "<![CDATA[a]]>", " " * 70 + "<![CDATA[a]]>"),  # so much white space belongs to a text
    ],
)
def test_a_value_that_is_one_cdata_section_is_its_inside(name: str, value: str, meant: str) -> None:
    for named in (name, None):
        calls = calls_of(read_with(TOOLS, call_with(name, value), format=named))
        assert calls == [("find", {"q": meant, "n": 7})]


@pytest.mark.parametrize("name", ["anthropic", "qwen3-coder", "minimax-m2", "glm-4.7", "auto"])
def test_a_number_between_quotes_is_the_number(name: str) -> None:
    """Fixed bug: a text with its quotes ran where the schema allows none."""
    text = call_with("qwen3-coder" if name == "auto" else name, "x").replace("7", '"7"')
    assert calls_of(read_with(TOOLS, text, format=name)) == [("find", {"q": "x", "n": 7})]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("value", ["<！[CDATA[a]]>", "<! [CDATA[a]]>", "<![ CDATA [a]]>", "<![cdata[a]]>"])
def test_a_section_with_a_broken_opener_never_runs(name: str, value: str) -> None:
    events = read_with(TOOLS, call_with(name, value), format=name)
    assert calls_of(events) == []
    assert [each.call.status for each in events if isinstance(each, CallEnd)] in (["malformed"], [])


def test_sections_in_a_spelling_that_nobody_declared() -> None:
    text = "<act do='find'>\n<q><![CDATA[a < b]]></q>\n<n><![CDATA[7]]></n>\n</act>"
    assert calls_of(read_with(TOOLS, text, format=None)) == [("find", {"q": "a < b", "n": 7})]
    assert calls_of(read_with(TOOLS, text.replace("<![CDATA[a", "<！[CDATA[a"), format=None)) == []


NEARLY = {
    "qwen3-coder": "<tool_call>\n<function=find>\n<parameter=q>\nx{}\n</parameter>\n</function>\n</tool_call>",
    "anthropic": '<invoke name="find">\n<parameter name="q">x{}</parameter>\n</invoke>',
    "minimax-m2": '<minimax:tool_call>\n<invoke name="find">\n<parameter name="q">x{}</parameter>\n</invoke>\n</minimax:tool_call>',
}


@pytest.mark.parametrize("name", NEARLY)
@pytest.mark.parametrize("end", ["<parameter>", "\n<parameter>", "<parameter/>", "</parameter"])
def test_a_closer_that_is_nearly_right_is_never_part_of_a_value(name: str, end: str) -> None:
    for named in (name, None):
        assert calls_of(read_with(TOOLS, NEARLY[name].format(end), format=named)) == []


@pytest.mark.parametrize("name", NEARLY)
@pytest.mark.parametrize("value", ["<parameter> y", "<param>", "see <parameters>", "a parameter>"])
def test_other_tags_in_a_value_are_its_text(name: str, value: str) -> None:
    assert calls_of(read_with(TOOLS, NEARLY[name].format(value), format=name)) == [("find", {"q": f"x{value}"})]
