# The dialect of Gemma 4 and FunctionGemma, as their models write it. Does not depend on formats.
"""Laws of QuotedReader: strings are verbatim between markers, the schema types what is bare, every cut is the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import examples
from tests.support.reader_cuts import read_all, read_pieces
from tests.support.work import reads_in_linear_time
from toolglean.scan.quoted import QuotedReader
from toolglean.scan.scanner import DONE, FAIL

Q = '<|"|>'
ESCAPE = "<escape>"


def gemma() -> QuotedReader:
    return QuotedReader(Q)


def typed(properties: Mapping[str, Any]) -> QuotedReader:
    return QuotedReader(Q, properties=properties)


# title, the text, the arguments
GOOD: list[tuple[str, str, Any]] = [
    ("nothing", "{}", {}),
    ("only white space", "{ \n }", {}),
    ("one string", f"{{city:{Q}Paris{Q}}}", {"city": "Paris"}),
    ("scalars", "{i:42,n:-7,f:3.5,e:1.5e10,b:true,c:false,z:null,t:True,u:False,v:None}", {"i": 42, "n": -7, "f": 3.5, "e": 1.5e10, "b": True, "c": False, "z": None, "t": True, "u": False, "v": None}),
    ("nested", f"{{o:{{k:[1,2,{{z:{Q}y{Q}}}],e:{{}}}},l:[{Q}a{Q},{Q}b{Q},[]]}}", {"o": {"k": [1, 2, {"z": "y"}], "e": {}}, "l": ["a", "b", []]}),
    ("white space everywhere", f"\n{{ a : 1 ,\n  b : [ 1 , {Q} x {Q} ] , c : {{ }} }}", {"a": 1, "b": [1, " x "], "c": {}}),
    ("brackets, quotes, line breaks, backslashes in strings", f'{{s:{Q}}}]"\\\n,:{{<|{Q}}}', {"s": '}]"\\\n,:{<|'}),
    ("a marker begins, and begins again", f'{{s:{Q}<|<|"<|"|{Q}}}', {"s": '<|<|"<|"|'}),
    ("scalars between markers are text", f"{{n:{Q}1{Q},b:{Q}true{Q},z:{Q}null{Q}}}", {"n": "1", "b": "true", "z": "null"}),
    ("empty strings", f"{{s:{Q}{Q},l:[{Q}{Q}]}}", {"s": "", "l": [""]}),
    ("JSON strings", r'{a:"x\"y\n\u00e9\ud83d\ude80 \/",b:["<|",""]}', {"a": 'x"y\né🚀 /', "b": ["<|", ""]}),
    ("raw line breaks in JSON strings", '{a:"x\n\ty"}', {"a": "x\n\ty"}),
    ("keys in quotes", f'{{"a b":1,{Q}c:d{Q}:2,"e\\nf":3}}', {"a b": 1, "c:d": 2, "e\nf": 3}),
    ("odd bare keys", "{a-b.c_1:1, größe:2, two words :3, $x\n:4, 5:6}", {"a-b.c_1": 1, "größe": 2, "two words": 3, "$x": 4, "5": 6}),
    ("a marker inside a bare key", "{a<|b:1}", {"a<|b": 1}),
    ("parentheses outside", f"(a:1,b:{Q})){Q},c:x}})", {"a": 1, "b": "))", "c": "x}"}),
    ("bare text", "{a:Paris, b: San  Francisco ,c:http://x.y/z?q=(1),l:[red, light green]}", {"a": "Paris", "b": "San  Francisco", "c": "http://x.y/z?q=(1)", "l": ["red", "light green"]}),
    ("bare text that is almost something", "{a:02134,b:.5,c:1.,d:truest,e:nul,f:TRUE,g:<|x,h:-}", {"a": "02134", "b": ".5", "c": "1.", "d": "truest", "e": "nul", "f": "TRUE", "g": "<|x", "h": "-"}),
    ("bare text in single quotes", "{a:'abc',b:'it's',c:',d:''}", {"a": "abc", "b": "'it's'", "c": "'", "d": ""}),
    ("commas before the end", f"{{a:[1,],b:{Q}x{Q},}}", {"a": [1], "b": "x"}),
    ("large integers", "{n:9007199254740993,m:-" + "9" * 4299 + "}", {"n": 9007199254740993, "m": -int("9" * 4299)}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in GOOD], ids=[row[0] for row in GOOD])
def test_good(text: str, value: Any) -> None:
    found = read_all(gemma, text + "<tool_call|>")
    assert found.value == value
    assert found.place == len(text)


# title, the text, the place of the character that is refused, a piece of the fault
BAD = [
    ("no object", "[1]", 0, "an object"),
    ("no value", "{a:}", 3, "a value"),
    ("no value in a list", "{a:[1,,2]}", 6, "a value"),
    ("no colon", "{a}", 2, "a colon"),
    ("no colon after a key in quotes", '{"a" 1}', 5, "a colon"),
    ("no key", "{:1}", 1, "a key"),
    ("two commas", "{a:1,,b:2}", 5, "a key"),
    ("a key in single quotes", "{'a':1}", 1, "a key"),
    ("half a marker for a key", "{<|a:1}", 3, "a key"),
    ("text after a string", f"{{a:{Q}x{Q} y}}", 15, "a comma or }"),
    ("the wrong bracket", f"{{a:[{Q}1{Q}}}}}", 15, "a comma or ]"),
    ("a comma in bare text", "{a:San Francisco, CA}", 20, "a colon"),
    ("a marker in bare text", f"{{a:x{Q}}}", 9, "a value"),
    ("a string not closed", f"{{first:{Q}one,second:{Q}two{Q}}}", 28, "a comma or }"),
    ("an escape that JSON has not", r'{path:"C:\users"}', 11, "four hexadecimal digits"),
    ("another one", r'{path:"C:\Users"}', 10, "an escape"),
    ("NaN", "{a:NaN}", 6, "a value"),
    ("infinity", "{a:[-Infinity]}", 13, "a value"),
    ("too large a float", "{a:1e999}", 8, "a value"),
    ("too long an integer", "{a:" + "9" * 4301 + "}", 4304, "a value"),
    ("an equals sign behind another key", "{a=1}", 2, "a colon"),
    ("too long a key", "{" + "x" * 257 + ":1}", 257, "256"),
]


@pytest.mark.parametrize(("text", "place", "fault"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_bad(text: str, place: int, fault: str) -> None:
    found = read_all(gemma, text)
    assert found.status == FAIL
    assert found.place == place
    assert fault in found.fault


SCHEMAS = {
    "s": {"type": "string"}, "i": {"type": "integer"}, "b": {"type": "boolean"}, "n": {"type": "number"},
    "z": {"type": ["string", "null"]}, "l": {"type": "array"}, "o": {"type": "object"}, "e": {"enum": ["1", "a"]}, "x": {},
}  # fmt: skip

TYPED: list[tuple[str, str, Any]] = [
    ("a string wins over what the text looks like", "{s:true,x:true}", {"s": "true", "x": True}),
    # A string would be quoted, and no tool means the word by it.
    ("but not over null", "{s:null,x:null}", {"s": None, "x": None}),
    ("a number for a string", "{s:42,z:42,e:1,x:1}", {"s": "42", "z": "42", "e": "1", "x": 1}),
    ("null where it may be", "{z:null,i:null}", {"z": None, "i": None}),
    ("what is odd JSON", "{i:007,n:+.5,b:TRUE}", {"i": 7, "n": 0.5, "b": True}),
    ("what cannot be met", "{i:abc,b:7,n:true}", {"i": "abc", "b": 7, "n": True}),
    ("an equals sign behind a parameter", f'{{s={Q}a=b{Q},i=7,"b"=true,x:c=d}}', {"s": "a=b", "i": 7, "b": True, "x": "c=d"}),
    ("only the parameters themselves", "{o:{i:007,s:1},l:[007]}", {"o": {"i": "007", "s": 1}, "l": ["007"]}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in TYPED], ids=[row[0] for row in TYPED])
def test_the_schema_types_bare_text(text: str, value: Any) -> None:
    assert read_all(lambda: typed(SCHEMAS), text).value == value


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{s:hello, world: yes}", 15),
        ("{s:a,s2:null}", 7),
        ("{x:a,y:1}", 6),
        ('{s:a,"y":1}', 8),
        (f"{{s:a,{Q}y{Q}:1}}", 16),
        ("{s:a,y:{k:1}}", 6),
    ],
)
def test_a_key_that_the_tool_does_not_have_may_be_a_part_of_the_text_before_it(text: str, place: int) -> None:
    found = read_all(lambda: typed(SCHEMAS), text)
    assert (found.status, found.place) == (FAIL, place)
    assert found.fault == "a parameter of the tool was expected"
    assert read_all(gemma, text).status == DONE  # of a tool that is not known


@pytest.mark.parametrize(
    "text", ["{y:1,s:a}", "{i:1,y:2}", "{o:{k:a,j:b},i:1,y:2}", f"{{s:{Q}a{Q},y:1}}", "{s:a,i:1,y:2}"]
)
def test_a_key_that_the_tool_does_not_have_elsewhere(text: str) -> None:
    assert read_all(lambda: typed(SCHEMAS), text).status == DONE


@pytest.mark.parametrize("text", ["{i:1 // one}", "{i:1 <b>}", "{i:&lt;e&gt;1}", "{i:1\n\nIt is so.}"])
def test_what_cannot_be_a_number_and_shows_that_more_was_swallowed_is_refused(text: str) -> None:
    assert read_all(lambda: typed(SCHEMAS), text).fault


def all_quoted() -> QuotedReader:
    return QuotedReader(ESCAPE, all_quoted=True, properties=SCHEMAS)


def escaped(**values: str) -> str:
    return "{" + ",".join(f"{key}:{ESCAPE}{value}{ESCAPE}" for key, value in values.items()) + "}"


ALL_QUOTED: list[tuple[str, str, Any]] = [
    ("by schema", escaped(s="x", i="42", n="3.5", b="true", z="null"), {"s": "x", "i": 42, "n": 3.5, "b": True, "z": None}),
    ("strings that look otherwise", escaped(s="42", x="true", unknown="null"), {"s": "42", "x": "true", "unknown": "null"}),
    ("lists and objects", escaped(l='["a", 1]', o='{"k": [1, {"z": "<esc>"}]}'), {"l": ["a", 1], "o": {"k": [1, {"z": "<esc>"}]}}),
    ("what cannot be met", escaped(i="abc", l="{}", o="nothing"), {"i": "abc", "l": "{}", "o": "nothing"}),
    ("within lists and objects it is text", f"{{l:[{ESCAPE}1{ESCAPE}],o:{{i:{ESCAPE}1{ESCAPE}}}}}", {"l": ["1"], "o": {"i": "1"}}),
    ("bare, as some write it", "{i:1,b:true,s:2,x:3}", {"i": 1, "b": True, "s": "2", "x": 3}),
    ("a key between markers", f"{{{ESCAPE}i{ESCAPE}:{ESCAPE}7{ESCAPE}}}", {"i": 7}),
    ("a key in quotes, with an escape", f'{{"\\u0069":{ESCAPE}7{ESCAPE}}}', {"i": 7}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in ALL_QUOTED], ids=[row[0] for row in ALL_QUOTED])
def test_all_quoted(text: str, value: Any) -> None:
    assert read_all(all_quoted, text).value == value


def test_a_very_long_key_has_no_schema() -> None:
    reader = QuotedReader(ESCAPE, all_quoted=True, properties={"k" * 300: {"type": "integer"}})
    text = f'{{"{"k" * 300}":{ESCAPE}7{ESCAPE}}}'
    assert read_pieces(reader, list(text)).value == {"k" * 300: "7"}


def test_a_reference_in_a_schema() -> None:
    root = {"$defs": {"count": {"type": "integer"}}}
    reader = QuotedReader(ESCAPE, all_quoted=True, properties={"n": {"$ref": "#/$defs/count"}}, root=root)
    assert read_pieces(reader, [escaped(n="7")]).value == {"n": 7}


def test_depth() -> None:
    found = read_all(lambda: QuotedReader(Q, 3), "{a:[{b:[1]}]}")
    assert (found.status, found.fault, found.place) == (FAIL, "depth", 7)


def test_a_long_string_streams() -> None:
    reader = gemma()
    assert reader.read(f"{{a:{Q}12", 0) == (10, '{"a": "12', 0)
    assert reader.read('3"\n<|', 0) == (5, '3\\"\\n', 0)
    assert reader.read("x<", 0) == (2, "<|x", 0)
    assert reader.read('|"|>', 0) == (4, '"', 0)
    assert reader.read("}}", 0) == (1, "}", DONE)
    assert reader.read("}", 0) == (0, "", DONE)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.sampled_from('<|">\\\n{}[],:aé '), max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.sampled_from("ab_-. "), min_size=1, max_size=3).map(lambda key: f"k{key}k"), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip


def written(value: Any) -> str:
    match value:
        case str():
            return f"{Q}{value}{Q}"
        case dict():
            return "{" + ",".join(f"{key}:{written(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ",".join(written(each) for each in value) + "]"
    return (
        {True: "true", False: "false", None: "null"}[value] if value is None or isinstance(value, bool) else repr(value)
    )


@given(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3))
@settings(max_examples=examples(150))
def test_what_is_written_comes_back(arguments: dict[str, Any]) -> None:
    text = written(arguments)
    if text.count(Q) == sum(1 for _ in strings(arguments)) * 2:
        assert read_all(gemma, text).value == arguments


def strings(value: Any) -> Any:
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(each)


@given(
    st.lists(
        st.sampled_from(
            [
                "{", "}", "[", "]", ":", ",", Q, '"', "a", "1", "-", ".5", "e9", " ", "\n", "null", "\\", "<|",
                "(", ")", "'", "\\u00",
            ]
        ),
        max_size=24,
    ).map("".join)
)  # fmt: skip
@settings(max_examples=examples(300))
def test_any_text(text: str) -> None:
    for start in ("", "{", "{a:"):
        read_all(gemma, start + text)
        read_all(lambda: QuotedReader(Q, all_quoted=True, properties={"a": {"type": "integer"}}), start + text)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: f"{{a:{Q}{'x' * n}{Q}}}",
        lambda n: f"{{a:{Q}{'<|' * (n // 2)}{Q}}}",
        lambda n: "{a:" + "x" * n + "}",
        lambda n: "{a:[" + "1," * (n // 2) + "]}",
        lambda n: '{"' + "k" * n + '":1}',
    ],
)
def test_linear(make: Any) -> None:
    assert reads_in_linear_time(gemma, make)
