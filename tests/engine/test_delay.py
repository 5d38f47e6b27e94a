# Law: of an answer in Markdown that calls nothing, no more than 64 characters are held back at any time, and where a
# fence opens whose line names no tool, no more than 16. Does not depend on why anything is held back.
"""How late content is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.markdown import CODE, SECTIONS, fence, whole
from toolglean import Content, Markup, Parser, ParserOptions, Reasoning

MOST = 64
MOST_AT_A_FENCE = 16
FORMATS = ("auto", "hermes", "qwen3-coder", "mistral", "glm-4.5", "llama")
TYPES = {
    "get_weather": {"city": "string", "days": "integer"},
    "search": {"query": "string", "limit": "integer"},
    "read_file": {"path": "string", "start_line": "integer"},
    "write_file": {"path": "string", "content": "string"},
    "send_email": {"to": "string", "subject": "string", "urgent": "boolean"},
    "create_event": {"title": "string", "start": "string", "attendees": "array"},
    "http_get": {"url": "string", "headers": "object", "timeout": "number"},
    "translate-text": {"text": "string", "target_language": "string"},
    "listOrders": {"customer": "string", "limit": "integer"},
    "delete_all": {"really": "boolean"},
}
SCHEMAS: list[dict[str, Any]] = [
    {
        "name": name,
        "parameters": {
            "type": "object",
            "properties": {key: {"type": kind} for key, kind in keys.items()},
            "required": [next(iter(keys))],
        },
    }
    for name, keys in TYPES.items()
]
TOOLS = {"schemas": SCHEMAS, "no tools": None}


WAYS = [(name, tools) for name in FORMATS for tools in TOOLS]


def _row(*values: str, late: str | None = None) -> Any:
    marks = [pytest.mark.xfail(strict=True, reason=late)] if late else []
    return pytest.param(*values, marks=marks, id=", ".join(values))


ROWS = [_row(section, name, tools) for section in SECTIONS for name, tools in WAYS]
IN_JSON = "the name in the object may be a tool's, up to its end; but a fence after text quotes"
FENCES = [
    _row(language, name, tools, late=IN_JSON if (language, name, tools) == ("json", "auto", "schemas") else None)
    for language in CODE
    for name, tools in WAYS
]
LONG = [_row(name, tools) for name, tools in WAYS]


def held_back(text: str, name: str, tools: list[dict[str, Any]] | None) -> list[int]:
    """After each character, how many of those that were fed are in no event yet."""
    parser = Parser(tools, format=name, options=ParserOptions(markup=True))
    told, held = 0, []
    for fed, char in enumerate(text, 1):
        told += sum(len(each.text) for each in parser.feed(char) if isinstance(each, Content | Reasoning | Markup))
        held.append(fed - told)
    told += sum(len(each.text) for each in parser.finish() if isinstance(each, Content | Reasoning | Markup))
    assert told == len(text)
    return held


def where(text: str, held: list[int]) -> str:
    """What was held back when it was most."""
    place = held.index(max(held)) + 1
    return text[place - max(held) : place]


@pytest.mark.sampled(1, each="section")
@pytest.mark.parametrize(("section", "name", "tools"), ROWS)
def test_markdown_is_returned_as_it_comes(section: str, name: str, tools: str) -> None:
    for before in ("", "I will tell.\n\n", "<think>\nHm.\n</think>\n\n"):
        text = before + SECTIONS[section]
        held = held_back(text, name, TOOLS[tools])
        assert max(held) <= MOST, where(text, held)


@pytest.mark.sampled(3, each="language")
@pytest.mark.parametrize(("language", "name", "tools"), FENCES)
def test_a_fence_that_names_no_tool_is_returned_as_it_comes(language: str, name: str, tools: str) -> None:
    for before in ("It is so.\n\n", "It is this:\n\n", "It is so.\n"):
        text = before + fence(language) + "\nThat is all of it.\n"
        held = held_back(text, name, TOOLS[tools])
        assert max(held) <= MOST_AT_A_FENCE, where(text, held)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "tools"), LONG)
def test_a_long_answer_is_returned_as_it_comes(name: str, tools: str) -> None:
    held = held_back(whole(), name, TOOLS[tools])
    assert max(held) <= MOST, where(whole(), held)


def test_what_is_held_back_is_counted() -> None:
    call = '<tool_call>{"name": "search", "arguments": {"query": "a query that has more than a few characters"}}</tool_call>'
    held = held_back(f"Never write {call} in it.", "hermes", SCHEMAS)
    assert len(call) <= max(held) <= len(call) + 4
