# Arguments in nested tags, as MiniMax-M3 writes them, and in plain XML. Does not depend on formats.
"""Laws of TreeReader: the schema tells objects, lists and scalars apart, strings stream, every cut is the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import examples
from tests.support.reader_cuts import read_all, read_pieces
from tests.support.work import calls_made
from toolglean.scan.scanner import DONE, FAIL
from toolglean.scan.tree import TreeReader

P = "]<]minimax[>["
STRING, INTEGER = {"type": "string"}, {"type": "integer"}
SCHEMAS: dict[str, Any] = {
    "s": STRING, "i": INTEGER, "b": {"type": "boolean"}, "z": {"type": ["string", "null"]}, "a": {"type": "array"}, "o": {"type": "object"},
    "strings": {"type": "array", "items": STRING},
    "address": {"type": "object", "properties": {"city": STRING, "zip": INTEGER, "more": {"type": "object"}}},
    "either": {"anyOf": [{"type": "array", "items": INTEGER}, STRING]},
    "both": {"type": ["array", "object"]},
    "map": {"type": "object", "additionalProperties": INTEGER},
    "things": {"type": "array", "items": {"type": "object", "properties": {"n": INTEGER}}},
    "n": {"$ref": "#/$defs/n"},
}  # fmt: skip
ROOT = {"properties": SCHEMAS, "$defs": {"n": INTEGER}}
CLOSER = f"{P}</invoke>"


def make() -> TreeReader:
    return TreeReader(P, SCHEMAS, root=ROOT)


def marked(text: str) -> str:
    """The text with the prefix where `<` begins a tag; `‹` is a `<` of the text."""
    return text.replace("<", P + "<").replace("‹", "<")


# title, the text before the caller's closing tag, the arguments
GOOD: list[tuple[str, str, Any]] = [
    ("nothing", "", {}),
    ("white space", " \n ", {}),
    ("one string", "<s>Paris</s>", {"s": "Paris"}),
    ("white space between tags", "\n<s>x</s>\n <i>1</i>\n", {"s": "x", "i": 1}),
    ("white space in strings", "<s>\n  x \n</s>", {"s": "\n  x \n"}),
    ("markup in strings", '<s>a ‹b> & "c" \\ ‹/s> ]‹] é</s>', {"s": 'a <b> & "c" \\ </s> ]<] é'}),
    ("scalars by schema", "<i> 7 </i><b>True</b><z>null</z><n>1</n>", {"i": 7, "b": True, "z": None, "n": 1}),
    ("strings that look otherwise", "<s>null</s><unknown>1</unknown>", {"s": "null", "unknown": "1"}),
    ("empty elements", "<s></s><a></a><o> </o><i></i><u></u><both></both>", {"s": "", "a": [], "o": {}, "i": "", "u": "", "both": ""}),
    ("a list", "<strings><item>1</item><item>b</item></strings>", {"strings": ["1", "b"]}),
    ("an object", "<address><city>S</city><zip>018956</zip><more><x>1</x></more></address>", {"address": {"city": "S", "zip": 18956, "more": {"x": "1"}}}),
    ("objects in a list", "<things>\n<item><n>1</n></item>\n<item><n>2</n><m>3</m></item></things>", {"things": [{"n": 1}, {"n": 2, "m": "3"}]}),
    ("a list in anyOf", "<either><item>1</item><item>2</item></either>", {"either": [1, 2]}),
    ("a string in anyOf", "<either>x</either>", {"either": "x"}),
    ("lists and objects may be both", "<both><item>1</item></both><both><x>1</x></both>", {"both": {"x": "1"}}),
    ("a map", "<map><x>1</x><item>2</item></map>", {"map": {"x": 1, "item": 2}}),
    ("no schema: items", "<u><item>1</item><item><x>2</x></item></u>", {"u": ["1", {"x": "2"}]}),
    ("no schema: no items", "<u><item>1</item><x>2</x></u>", {"u": {"item": "1", "x": "2"}}),
    ("names that come again", "<o><t>x</t><u>y</u><t>z</t><t>w</t></o>", {"o": {"t": ["x", "z", "w"], "u": "y"}}),
    ("a list whose items have other names", "<strings><tag>a</tag><tag>b</tag></strings>", {"strings": ["a", "b"]}),
    ("JSON in an element", '<o>{"a": [1]}</o><a>[1, {"x": null}]</a>', {"o": {"a": [1]}, "a": [1, {"x": None}]}),
    ("the caller's names within", "<o><tool_call>v</tool_call><invoke>w</invoke></o>", {"o": {"tool_call": "v", "invoke": "w"}}),
    ("odd names", "<a-b.c:d>1</a-b.c:d><größe>2</größe>", {"a-b.c:d": "1", "größe": "2"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in GOOD], ids=[row[0] for row in GOOD])
def test_good(text: str, value: Any) -> None:
    text = marked(text)
    found = read_all(make, text + CLOSER)
    assert found.value == value
    reader = make()
    place, _, _ = reader.read(text + CLOSER, 0)
    assert reader.rest == P + "</"
    assert place - len(reader.rest) == len(text)


# title, the text, the place of the character that is refused (in the text before the prefixes are put in), the fault
BAD = [
    ("text before a tag", "x<s>1</s>", "", "a tag"),
    ("text between tags", "<s>1</s>x<s>", "<s>1</s>", "a tag"),
    ("half a prefix", "]x", "]", "a tag"),
    ("text before a child", "<u>x<a>", "<u>x<", "the end of u"),
    ("text after a child", "<u><a>1</a>x</u>", "<u><a>1</a>", "a tag"),
    ("a child in a string", "<s><b>x", "<s><", "the end of s"),
    ("the wrong closing tag", "<s>1</i>", "<s>1</", "the end of s"),
    ("a longer closing tag", "<s>1</ss>", "<s>1</s", "the end of s"),
    ("the caller's closing tag too early", "<o><a>1</a></invoke>", "<o><a>1</a></", "the end of o"),
    ("an attribute", "<s a='1'>x", "<s", "the end of the tag"),
    ("the next call", '<invoke name="g">', "<invoke", "the end of the tag"),
    ("no name", "<>x", "<", "a name"),
    ("too long a name", "<" + "x" * 257 + ">", "<" + "x" * 256, "256"),
    ("closed at once", "<s/>", "<s", "the end of the tag"),
]


@pytest.mark.parametrize(("text", "before", "fault"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_bad(text: str, before: str, fault: str) -> None:
    found = read_all(make, marked(text))
    assert found.status == FAIL
    assert found.place == len(marked(before))
    assert fault in found.fault


def test_duplicates_are_both_written() -> None:
    assert read_all(make, marked("<i>1</i><i>2</i>") + CLOSER).text == '{"i": 1, "i": 2}'


def test_depth() -> None:
    found = read_all(lambda: TreeReader(P, None, 4), marked("<a>" * 9))
    assert (found.status, found.fault) == (FAIL, "depth")
    assert found.place == len(marked("<a>" * 3 + "<"))
    text = marked("<a>" * 255 + "x" + "</a>" * 255) + CLOSER
    reader = TreeReader(P)
    for place, char in enumerate(text):
        if place % 5 == 0:  # in each part of a tag
            reader.copy()
        assert reader.read(char, 0)[2] != FAIL
    assert read_pieces(TreeReader(P), [text]).text.count('{"a": ') == 255


def test_a_long_string_streams() -> None:
    reader = make()
    assert reader.read(marked("<s>12"), 0)[1:] == ('{"s": "12', 0)
    assert reader.read('3"\n]<', 0) == (5, '3\\"\\n', 0)
    assert reader.read("x]<]mini", 0) == (8, "]<x", 0)
    assert reader.read("max[>[</s>]", 0) == (11, '"', 0)


def plain() -> TreeReader:
    return TreeReader("", SCHEMAS)


PLAIN: list[tuple[str, str, Any]] = [
    ("strings", "<s>if a < b: <b>x</b></s> <i>1</i>", {"s": "if a < b: <b>x</b>", "i": 1}),
    ("unknown parameters", "<u>a < b</u><v><x>1</x></v>", {"u": "a < b", "v": "<x>1</x>"}),
    ("strings within", "<address><city>a<b></city><zip>1</zip></address><strings><item></items></item></strings>", {"address": {"city": "a<b>", "zip": 1}, "strings": ["</items>"]}),
    ("objects and lists", "<o><x>1</x></o><things><item><n>1</n></item></things>", {"o": {"x": "1"}, "things": [{"n": 1}]}),
    # As models write files: they began and ended with a line break that nobody meant.
    ("line breaks of the tags", "<s>\nx\n</s><u>\ny\n</u><address>\n<city>\na\n</city>\n</address>", {"s": "x", "u": "y", "address": {"city": "a"}}),
    ("one on each side", "<s>\n\n x\n\ny \n\n</s><u>x\n</u>", {"s": "\n x\n\ny \n", "u": "x"}),
    ("nothing but line breaks", "<s>\n</s><u>\n\n\n</u>", {"s": "", "u": "\n"}),
    ("a section is as it is written", "<s>\n<![CDATA[\nx\n]]>\n</s>", {"s": "\nx\n"}),
    ("line breaks of two characters", "<s>\r\nx\r\ny\r\n</s><u>\r\n\r\n</u>", {"s": "x\r\ny", "u": ""}),
    ("another line's end", "<s>\r\nx\r</s>", {"s": "x\r"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in PLAIN], ids=[row[0] for row in PLAIN])
def test_plain_xml(text: str, value: Any) -> None:
    found = read_all(plain, text + "</get_weather>")
    assert found.value == value
    assert found.place == len(text + "</")


VALUES = st.recursive(
    st.booleans() | st.integers() | st.text(st.sampled_from(']<m[>"\\\n a</s>é'), max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "item"]), inner, max_size=3),
    max_leaves=6,
)


def schema_of(value: Any) -> dict[str, Any]:
    match value:
        case dict():
            return {"type": "object", "properties": {key: schema_of(each) for key, each in value.items()}}
        case list():
            return {"type": "array", "items": {"type": "string"}}
        case bool():
            return {"type": "boolean"}
    return {"type": "integer" if isinstance(value, int) else "string"}


def written(value: Any) -> str:
    if isinstance(value, dict):
        return "".join(f"{P}<{key}>{written(each)}{P}</{key}>" for key, each in value.items())
    if isinstance(value, list):
        return "".join(f"{P}<item>{written(each)}{P}</item>" for each in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_text(value: Any) -> Any:
    # The items of a list differ in kind, and its schema here says string: scalars are text, and lists have a child.
    if isinstance(value, list):
        return [
            str(each).lower() if isinstance(each, bool) else str(each)
            for each in value
            if not isinstance(each, list | dict)
        ]
    return {key: as_text(each) for key, each in value.items()} if isinstance(value, dict) else value


@given(st.dictionaries(st.sampled_from("abc"), VALUES.map(as_text), max_size=3))
@settings(max_examples=examples(150))
def test_what_is_written_comes_back(arguments: dict[str, Any]) -> None:
    if P + "<" not in str(arguments):
        properties = schema_of(arguments)["properties"]
        assert read_all(lambda: TreeReader(P, properties), written(arguments) + CLOSER).value == arguments


@given(
    st.lists(
        st.sampled_from(
            [
                "<a>", "</a>", "<item>", "</item>", "<s>", "</s>", "<o>", "</o>", "<", "</", ">", P, "]<", "x",
                " ", "1", "[1]", "{",
            ]
        ),
        max_size=20,
    ),
    st.booleans(),
)  # fmt: skip
@settings(max_examples=examples(300))
def test_any_text(pieces: list[str], marks: bool) -> None:
    if marks:
        read_all(make, "".join(P + piece if piece[0] == "<" else piece for piece in pieces))
    else:
        read_all(plain, "".join(pieces))


# One source has the arguments of an unknown tool's list in another form: it keeps `item` as a name.
@pytest.mark.parametrize("text", [f"<s>{'x' * 8}", "<u>" + "x" * 8, "<a>" + "<item>1</item>" * 2])
def test_linear(text: str) -> None:
    counts = []
    for size in (2_000, 20_000):
        begin, unit = text[:3], text[3:]
        whole = marked(begin + unit * (size // len(marked(unit))) + "</" + begin[1:]) + CLOSER
        reader = make()

        def read(whole: str = whole, reader: TreeReader = reader) -> None:
            for place in range(0, len(whole), 4):
                _, _, status = reader.read(whole[place : place + 4], 0)
            assert status == DONE

        counts.append(calls_made(read) / len(whole))
    assert counts[1] < 1.3 * counts[0]
