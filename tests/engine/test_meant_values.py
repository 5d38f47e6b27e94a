# Values that are written in a way that changes what they mean. Does not depend on how a value's end is found.
"""A CDATA section is its inside, in every format like XML."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.chunkings import calls_of, events_of
from tests.support.face import faced
from toolglean import CallEnd, Parser, ToolSet, render

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}, "required": ["q"]}
TOOLS = ToolSet([{"type": "function", "function": {"name": "find", "description": "-", "parameters": SCHEMA}}])
FORMATS = ("anthropic", "deepseek-v3.2", "qwen3-coder", "minimax-m2", "glm-4.7", "tool-tags", "seed-oss")


def read(text: str, name: str | None) -> list[Any]:
    return events_of(lambda: Parser(TOOLS, format=name, **faced(markup=True)), text)


def call_with(name: str, value: str) -> str:
    return render(name, [("find", {"q": "QQQ", "n": 7})], tools=TOOLS).replace("QQQ", value)


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
    ],
)
def test_a_value_that_is_one_cdata_section_is_its_inside(name: str, value: str, meant: str) -> None:
    for named in (name, None):
        calls = calls_of(read(call_with(name, value), named))
        assert calls == [("find", {"q": meant, "n": 7})]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("value", ["<！[CDATA[a]]>", "<! [CDATA[a]]>", "<![ CDATA [a]]>", "<![cdata[a]]>"])
def test_a_section_with_a_broken_opener_never_runs(name: str, value: str) -> None:
    events = read(call_with(name, value), name)
    assert calls_of(events) == []
    assert [each.call.status for each in events if isinstance(each, CallEnd)] in (["malformed"], [])


def test_sections_in_a_spelling_that_nobody_declared() -> None:
    text = "<act do='find'>\n<q><![CDATA[a < b]]></q>\n<n><![CDATA[7]]></n>\n</act>"
    assert calls_of(read(text, None)) == [("find", {"q": "a < b", "n": 7})]
    assert calls_of(read(text.replace("<![CDATA[a", "<！[CDATA[a"), None)) == []
