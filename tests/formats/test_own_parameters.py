"""Parameters in JSON, and those that no marker of their own ends; keys of a call's own."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from tests.support import depth
from tests.support.chunkings import calls_of, content_of, events_of
from tests.support.own_formats import OWN_FORMATS, own_format
from toolglean import CallDelta, Format, FormatError, Pairs, Parser, ParserOptions, UsageError, join, parse, render
from toolglean.grammar import grammar_of
from toolglean.sources.response.export import export

PROPERTIES = {
    "city": {"type": "string"},
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "items": {"type": "array"},
}
TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": PROPERTIES}}]
ARGUMENTS: tuple[dict[str, Any], ...] = (
    {},
    {"city": "Paris", "count": 3},
    {"city": 'a; b"\nc'},
    {"city": "</c> x count: 3\ncount: 4"},
    {"text": "\nedge\n", "items": [1, "}]; count=3\n"]},
    {"city": "  edge ", "text": ""},
    {"city": "null", "text": "- count: 3"},
    {"text": "Dear all,\nNote: bring <b>cake</b> & tea\n\nx = 1"},
)


def made(declared: Format, tools: Any = TOOLS) -> Any:
    return lambda: Parser(tools, format=declared, options=ParserOptions(markup=True))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("declared", OWN_FORMATS, ids=lambda each: each.name)
def test_what_render_writes_is_read_back(declared: Format) -> None:
    """The law: what is read back otherwise is refused; and the same for every chunking."""
    written = 0
    for arguments in ARGUMENTS:
        for calls in (
            [("f", arguments)],
            [("f", {"count": 1}), ("f", arguments)],
            [("f", arguments), ("f", {"city": "x"})],
        ):
            try:
                text = render(declared, calls, tools=Parser(TOOLS).tools)
            except UsageError:
                continue
            written += 1
            assert calls_of(events_of(made(declared), text, one_of_many=True)) == calls
    assert written > len(ARGUMENTS)


ROWS: tuple[tuple[str, str, str, list[dict[str, Any]]], ...] = (
    # format, title, turn, arguments
    ("own:lines", "lines", "<tool>\nname: f\ncity: Paris\ncount: 3\n</tool>", [{"city": "Paris", "count": 3}]),
    ("own:lines", "other words with a colon", "<tool>\nname: f\ntext: a\nPS: b\n</tool>", [{"text": "a\nPS: b"}]),
    ("own:lines", "spaces before the colon", "<tool>\nname: f\ncity : Paris\n</tool>", [{"city": "Paris"}]),
    ("own:lines", "no arguments", "<tool>\nname: f\n</tool>", [{}]),
    ("own:lines", "prose", "<tool>\nname: f\nI want the weather\n</tool>", []),
    ("own:lines", "cut off", "<tool>\nname: f\ncity: Paris\n", []),
    ("own:json lines", "a string with a line", '<run f>\ntext: "a\\ncity: b"\n</run>', [{"text": "a\ncity: b"}]),
    ("own:json", "its closer in a string", '<call=f><arg=city>"</arg></call>"</arg></call>', [{"city": "</arg></call>"}]),
    ("own:json", "white space", "<call=f>\n<arg=count>\n 3 </arg>\n</call>", [{"count": 3}]),
    ("own:json", "no JSON", "<call=f><arg=city>Paris</arg></call>", []),
    ("own:json", "a quotation of a call", '<call=f><arg=text>"<call=f></call>"</arg></call>', [{"text": "<call=f></call>"}]),
    ("own:json or text", "text", "<do f><a city>Paris</a></do>", [{"city": "Paris"}]),
    ("own:semicolons", "semicolons in strings", '@call f city="a; b"; count=3;@end', [{"city": "a; b", "count": 3}]),
    ("own:separated", "separator in a value", "<c>f|city=a; b; count=3</c>", [{"city": "a; b", "count": 3}]),
    ("own:separated", "separator after the last", "<c>f|city=a; </c>", [{"city": "a"}]),
    ("own:attributes", "quotation mark in a value", '<use f city="a" b" count="3"/>', [{"city": 'a" b', "count": 3}]),
    ("own:one-sided", "with the line break", "<fn=f>\n<p=city>v\n</p>\n</fn>", [{"city": "v"}]),
    ("own:one-sided", "without it", "<fn=f>\n<p=city>v</p>\n</fn>", [{"city": "v"}]),
    ("own:children", "another closer in a value", "<do:f><text>a <b>c</b> d</text></do>", [{"text": "a <b>c</b> d"}]),
    ("own:children", "its own closer in a value", "<do:f><text>a</text> b</text></do>", [{"text": "a</text> b"}]),
    ("own:child lines", "line breaks", "<do f>\n<text>\na\n\n</text>\n</do>", [{"text": "a\n"}]),
    ("own:options", "options", '@run f --city "a --count 2" --count 3 @end', [{"city": "a --count 2", "count": 3}]),
    ("own:until next", "the next call ends one", "CALL f\ncity: a\n\nCALL f\ncity: b\n<eot>", [{"city": "a"}, {"city": "b"}]),
    ("own:keys", "keys", '<go>{"fn": "f", "kw": {"count": 1}}</go>', [{"count": 1}]),
    ("own:keys", "the common keys", '<go>{"name": "f", "arguments": {"count": 1}}</go>', [{"count": 1}]),
    ("own:bare keys", "without a marker", '{"tool": "f", "payload": {"count": 1}}', [{"count": 1}]),
    ("own:bare keys", "no tool", '{"tool": "hammer", "payload": {"count": 1}}', []),
)  # fmt: skip


@pytest.mark.parametrize(("name", "title", "turn", "wanted"), ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS])
def test_turns(name: str, title: str, turn: str, wanted: list[dict[str, Any]]) -> None:
    del title
    declared = own_format(name)
    assert declared is not None
    assert [arguments for _, arguments in calls_of(events_of(made(declared), turn))] == wanted


def test_values_are_streamed() -> None:
    for name, begun in (("own:lines", "<tool>\nname: f\ntext: It was "), ("own:json", '<call=f><arg=text>"It was ')):
        declared = own_format(name)
        assert declared is not None
        deltas = [each for each in made(declared)().feed(begun) if isinstance(each, CallDelta)]
        assert "".join(each.text for each in deltas) == '{"text": "It was '


def test_without_tools_any_key_ends_a_value() -> None:
    declared = own_format("own:lines")
    assert declared is not None
    turn = "<tool>\nname: f\ntext: a\nPS: b\n</tool> Done."
    events = events_of(made(declared, None), turn)
    assert calls_of(events) == [("f", {"text": "a", "PS": "b"})]
    assert content_of(events) == " Done."


def test_a_name_needs_an_end_before_a_key() -> None:
    with pytest.raises(FormatError, match=r"nothing shows where \{name\} ends: a marker or white space"):
        Format("x", call="<c {name}{parameters}>", parameter="{key}={json};")


# No pairs of key and value have a grammar: see test_pairs.py.
@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "declared", [each for each in OWN_FORMATS if not isinstance(each.arguments, Pairs)], ids=lambda each: each.name
)
def test_grammars_know_them_or_say_why_not(declared: Format) -> None:
    tools = Parser(TOOLS).tools
    assert tools is not None
    try:
        assert grammar_of(declared, tools).gbnf()
    except UsageError as error:
        assert "a grammar cannot say where {value} ends" in str(error)  # noqa: PT017
        assert "{json}" in str(error)  # noqa: PT017
        assert declared.name in {"own:separated", "own:joined lines"}


def test_response_templates_say_why_not() -> None:
    for name in ("own:lines", "own:json", "own:separated", "own:children"):
        declared = own_format(name)
        assert declared is not None
        with pytest.raises(FormatError, match=r"no marker is around each parameter|nothing like \{json\}"):
            export(declared)


def test_parsers_pickle_within_a_value() -> None:
    for declared in OWN_FORMATS:
        text = render(declared, [("f", {"text": "It was a night", "count": 3})], tools=Parser(TOOLS).tools)
        whole = join(made(declared)().feed(text))
        for cut in depth.chosen(range(len(text)), 6, key=lambda place: f"{text} {place}"):
            parser = made(declared)()
            events = parser.feed(text[:cut])
            assert join(events + pickle.loads(pickle.dumps(parser)).feed(text[cut:])) == whole
    assert parse("", format=OWN_FORMATS[0]).calls == []
