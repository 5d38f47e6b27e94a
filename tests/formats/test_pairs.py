"""Arguments as pairs of key and value, and as objects of JavaScript or Python."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.chunkings import calls_of, events_of
from toolglean import (
    Format,
    FormatError,
    Pairs,
    Parser,
    ParserOptions,
    ScriptObject,
    Tool,
    ToolSet,
    UsageError,
    parse,
    render,
)
from toolglean.grammar import grammar_of

TOOL = Tool(
    "f",
    {
        "properties": {
            "a": {"type": "string"},
            "ab": {"type": "integer"},
            "c": {"type": "array"},
            "d": {"type": "boolean"},
            "e": {},
        }
    },
)
TOOLS = ToolSet([TOOL])
OPTIONS = ParserOptions(strict=True, markup=True)

LINES = Format("lines", call="@{name}\n{arguments}\n@end", arguments=Pairs("{key}: {value}", "\n"))
FLAGS = Format("flags", call="<<{name} {arguments}>>", arguments=Pairs("--{key} {value}", quoted=True))
ARROWS = Format("arrows", call="<<{name} {arguments}>>", arguments=Pairs("{key} => {value}", ", ", quoted=True))
KEYED = Format("keyed", call="<<{name}>>{arguments}<</>>", arguments=Pairs("[{key}]{value}[/{key}]", ""))
OPEN = Format("open", call="<<{name}{arguments}>>", arguments=Pairs("|{key}={value}", ""))
BULLETS = Format("bullets", call="<<{name}\n- {arguments}\n>>", arguments=Pairs("{key}: {value}", "\n- "))
SCRIPT = Format("script", call="<<{name} {arguments}>>", arguments=ScriptObject())


@pytest.mark.parametrize(
    ("declared", "turn", "arguments"),
    [
        (LINES, "@f\na: x: y\nab: 3\n@end", {"a": "x: y", "ab": 3}),
        # A key of another tool, a key that was given, and a key within a line are text.
        (LINES, "@f\na: one\nz: two\na: three ab: 4\n@end", {"a": "one\nz: two\na: three ab: 4"}),
        (LINES, "@f\na: the @end of it\nd: true\n@end", {"a": "the @end of it", "d": True}),
        (LINES, "@f\na:\nab: 3\n@end", {"a": "", "ab": 3}),
        (LINES, "@f\nc: [1,\n ab: 2]\n@end", None),
        (LINES, '@f\nc: ["ab: 2",\n "x"]\nd: false\n@end', {"c": ["ab: 2", "x"], "d": False}),
        (LINES, "@f\n@end", {}),
        (FLAGS, '<<f --a "x --ab 3 >>" --ab 3>>', {"a": "x --ab 3 >>", "ab": 3}),
        (FLAGS, "<<f --a 'it\\'s' --c ['x', \"y\"] --d True>>", {"a": "it's", "c": ["x", "y"], "d": True}),
        (FLAGS, "<<f --a bare words --ab 3>>", {"a": "bare words", "ab": 3}),
        (FLAGS, '<<f --ab "3">>', {"ab": 3}),
        (FLAGS, '<<f --a "x" y --ab 3>>', None),
        (FLAGS, '<<f --a "x', None),
        (FLAGS, '<<f --ab x <<f --a "y">>', None),  # it has swallowed a call: nobody knows where it ends
        (FLAGS, '<<f --ab x << f --a "y">>', None),
        (FLAGS, '<<f --a "x <<f" --ab 3>>', {"a": "x <<f", "ab": 3}),
        (ARROWS, '<<f a => "x, ab => 3", ab => 4, e => {"k": [1]}>>', {"a": "x, ab => 3", "ab": 4, "e": {"k": [1]}}),
        (ARROWS, '<<f a=>"x",ab=>4>>', {"a": "x", "ab": 4}),
        (KEYED, "<<f>>[a]x[/ab] [b]y[/b][/a][ab]3[/ab]<</>>", {"a": "x[/ab] [b]y[/b]", "ab": 3}),
        (OPEN, "<<f|a=x|y|ab=3>>", {"a": "x|y", "ab": 3}),
        (OPEN, "<<f>>", {}),
        (BULLETS, "<<f\n- a: one\n- two\n- ab: 3\n>>", {"a": "one\n- two", "ab": 3}),
        (SCRIPT, "<<f {a: 'x >> {', ab: 3, c: [None, 'y',], d: True}>>", {"a": "x >> {", "ab": 3, "c": [None, "y"], "d": True}),
        (SCRIPT, '<<f {"a": "\\u00e9\\/", "d": false}>>', {"a": "é/", "d": False}),
        (SCRIPT, "<<f {'a': 'it\\'s'}>>", {"a": "it's"}),
        (SCRIPT, "<<f {}>>", {}),
        (SCRIPT, '<<f {"e": 1e309}>>', None),
        (SCRIPT, '<<f {"e": NaN}>>', None),
        (FLAGS, "<<f --e [1e309]>>", None),
        (SCRIPT, "<<f {a: [1}>>", None),
        (SCRIPT, "<<f {a: f(x)}>>", None),
    ],
)  # fmt: skip
def test_turns(declared: Format, turn: str, arguments: Any) -> None:
    events = events_of(lambda: Parser(TOOLS, format=declared, options=OPTIONS), turn)
    assert calls_of(events) == ([] if arguments is None else [("f", arguments)])


@pytest.mark.parametrize("declared", [LINES, FLAGS, ARROWS, KEYED, OPEN, BULLETS, SCRIPT], ids=lambda each: each.name)
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"a": "x"},
        {"a": "", "ab": 0},
        {"a": 'quotes "and" it\'s', "ab": -3, "c": ["x", {"k": None}], "d": True, "e": "3"},
        {"c": [], "d": False},
        {"a": "<b>&amp;</b> {x} [y]", "e": "text"},
    ],
)
def test_what_is_written_is_read(declared: Format, arguments: dict[str, Any]) -> None:
    text = render(declared, [("f", arguments), ("f", {"ab": 1})], tools=TOOLS)
    found = parse(text, TOOLS, format=declared, options=OPTIONS)
    assert [call.arguments for call in found.calls] == [arguments, {"ab": 1}]


def test_what_would_be_read_differently_is_not_written() -> None:
    with pytest.raises(UsageError, match="argument 'a'"):
        render(LINES, [("f", {"a": "x\nab: 3"})], tools=TOOLS)


def test_the_markers_of_pairs_are_markers_of_the_format() -> None:
    """Fixed bug: a server's tokenizer could skip them. Signs like `--` are no tokens."""
    for pattern, marker in (("<|arg {key}|>{value}", ["<|arg"]), ("--{key} {value}", [])):
        declared = Format("own", call="<|call|>{name}{arguments}<|done|>", arguments=Pairs(pattern))
        assert [each for each in declared.markers if each not in {"<|call|>", "<|done|>"}] == marker


def test_depth_is_limited() -> None:
    for declared, turn in ((SCRIPT, "<<f {a: " + "[" * 300), (FLAGS, "<<f --c " + "[" * 300)):
        found = parse(turn, TOOLS, format=declared, options=OPTIONS)
        assert [call.status for call in found.unfinished] == ["malformed"]


@pytest.mark.parametrize("codec", [Pairs("{key}"), Pairs("{value}"), Pairs("{key}{value}"), Pairs("{key}={value}", "")])
def test_pairs_need_a_sign_and_an_end(codec: Pairs) -> None:
    with pytest.raises(FormatError, match="pair"):
        Format("x", call="<<{name} {arguments}>>", arguments=codec)
    with pytest.raises(FormatError, match="nothing shows where"):
        Format("x", call="<<{name} {arguments}", arguments=Pairs("{key}={value}"))


def test_a_grammar_says_that_it_has_no_pairs() -> None:
    with pytest.raises(UsageError, match="cannot express its pairs"):
        grammar_of(FLAGS, TOOLS)
