# How Python keyword arguments are written, including by models. Does not depend on formats.
"""Laws of KeywordsReader: what Python reads, it reads as Python does; what it writes is JSON at every moment."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import examples
from tests.support.reader_cuts import read_all, read_pieces
from tests.support.work import reads_in_linear_time
from toolglean.scan.coerce import NO, from_text
from toolglean.scan.python import KeywordsReader, literal_text
from toolglean.scan.scanner import FAIL
from toolglean.scan.values import as_json

# title, the text after the opening parenthesis, the arguments
GOOD: list[tuple[str, str, Any]] = [
    ("nothing", ")", {}),
    ("only white space", " \n\t)", {}),
    ("one string", "city='Paris')", {"city": "Paris"}),
    ("both quotes", """a='x"y', b="x'y")""", {"a": 'x"y', "b": "x'y"}),
    ("quotes escaped", r"""s='it\'s', t="\"")""", {"s": "it's", "t": '"'}),
    ("a trailing comma", "n=3,)", {"n": 3}),
    ("white space everywhere", " a = 1 ,\n\tb = [ 1 , 2 ] , c = { 'x' : 1 } )", {"a": 1, "b": [1, 2], "c": {"x": 1}}),
    ("constants of Python and of JSON", "a=[True, False, None, true, false, null])", {"a": [True, False, None] * 2}),
    ("nested", 'deep={"a": [1, None, {"b": (1, 2)}]})', {"deep": {"a": [1, None, {"b": [1, 2]}]}}),
    ("tuples", "a=(), b=(1,), c=(1, 2), d=((1, 2), 3))", {"a": [], "b": [1], "c": [1, 2], "d": [[1, 2], 3]}),
    ("parentheses", "a=(1), b=((('x'))), c=([1]), d=({'k': (2)}))", {"a": 1, "b": "x", "c": [1], "d": {"k": 2}}),
    ("sets", "a={1}, b={1, 'x',}, c={(1, 2), 3}, d={[1]}, e={{1}})", {"a": [1], "b": [1, "x"], "c": [[1, 2], 3], "d": [[1]], "e": [[1]]}),
    ("empty braces are a dict", "a={}, b=[{}])", {"a": {}, "b": [{}]}),
    ("keys of other types", "a={1: 2, None: 3, True: 4, 1.5: 5, 'k': 6})", {"a": {"1": 2, "null": 3, "true": 4, "1.5": 5, "k": 6}}),
    ("a key in two pieces", "a={'x' 'y': 1, 'z' 'w': 2})", {"a": {"xy": 1, "zw": 2}}),
    ("strings side by side", "a='x' \"y\"\n'''z''' r'\\n' u'w', b=('p'\n 'q'))", {"a": "xyz\\nw", "b": "pq"}),
    ("the positional dict", '{"a": 1, "b": [2]})', {"a": 1, "b": [2]}),
    ("the positional dict, a comma", "{'a': {}},)", {"a": {}}),
    ("the positional dict, empty", "{} )", {}),
    ("names that are reserved, or no names", "from='x', a-b.c=1, _x=2, größe=3)", {"from": "x", "a-b.c": 1, "_x": 2, "größe": 3}),
    ("integers", "a=0, b=-7, c=+5, d=1_000, e=0xff, f=0o17, g=0b101, h=0X_F, i=-0x10)", {"a": 0, "b": -7, "c": 5, "d": 1000, "e": 255, "f": 15, "g": 5, "h": 15, "i": -16}),
    ("leading zeros", "month=07, day=00, x=-012, y=007.50)", {"month": 7, "day": 0, "x": -12, "y": 7.5}),
    ("numbers that are nearly zero, and zero", "a=1e-320, b=0e-999, c=-0.0E-400)", {"a": 1e-320, "b": 0.0, "c": -0.0}),
    ("floats", "a=1., b=.5, c=-1.5e3, d=1E-2, e=1_0.0_1, f=0e0, g=00.5, h=-.5)", {"a": 1.0, "b": 0.5, "c": -1500.0, "d": 0.01, "e": 10.01, "f": 0.0, "g": 0.5, "h": -0.5}),
    ("a large integer", "n=9007199254740993, m=" + "9" * 4300 + ")", {"n": 9007199254740993, "m": int("9" * 4300)}),
    ("escapes", r"s='\a\b\f\n\r\t\v\\\'\"')", {"s": "\a\b\f\n\r\t\v\\'\""}),
    ("escapes by number", r"s='\x41\u00e9\U0001F680\101\0\18\377')", {"s": "Aé🚀A\0\x018ÿ"}),
    ("escapes by name", r"s='\N{BULLET}\N{latin small letter e with acute}')", {"s": "•é"}),
    ("two halves of a pair", r"s='\ud83d\ude80')", {"s": "🚀"}),
    ("no escapes at all", r"s='\d\,\/\ ')", {"s": "\\d\\,\\/\\ "}),
    ("a line goes on", "s='a\\\nb\\\r\nc\\\rd')", {"s": "abcd"}),
    ("raw line breaks", "s='a\nb\r\n\tc')", {"s": "a\nb\r\n\tc"}),
    # A template wrote `C:\dir\x — b` unescaped, and the call was lost.
    ("escapes that are not whole", r"s='C:\dir\x — b', u='\u00g0\U00110000', n='\N{no such thing}\Nx\x4')", {"s": "C:\\dir\\x — b", "u": "\\u00g0\\U00110000", "n": "\\N{no such thing}\\Nx\\x4"}),
    ("raw strings", r"""a=r'\d\'\\', b=R"\n")""", {"a": r"\d\'\\", "b": "\\n"}),
    ("unicode strings", "a=u'x', b=U'y')", {"a": "x", "b": "y"}),
    ("three quotes", "a='''it's\n\"\"\" ''x''', b=\"\"\"\"q\" \"\"\")", {"a": "it's\n\"\"\" ''x", "b": '"q" '}),
    ("empty strings", "a='', b=\"\", c='''''', d='' '')", {"a": "", "b": "", "c": "", "d": ""}),
    ("brackets in strings", "s=')]}([{', t={')': '}'})", {"s": ")]}([{", "t": {")": "}"}}),
    ("characters of text", "s='東京 🚀 é \u2028')", {"s": "東京 🚀 é \u2028"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in GOOD], ids=[row[0] for row in GOOD])
def test_good(text: str, value: Any) -> None:
    found = read_all(KeywordsReader, text + " rest)")
    assert found.value == value
    assert found.place == len(text)


# title, the text, the place of the character that is refused, a piece of the fault
BAD = [
    ("a value without a name", "5)", 0, "name of a keyword"),
    ("a string without a name", "'x')", 0, "name of a keyword"),
    ("a second positional", "{}, {})", 4, ") was expected"),
    ("a keyword after the dict", "{'a': 1}, b=2)", 10, ") was expected"),
    ("a set as the positional", "{1, 2})", 2, "a colon was expected"),
    ("a list as the positional", "[1])", 0, "name of a keyword"),
    ("an argument unpacked", "**{'a': 1})", 0, "name of a keyword"),
    ("two commas", "a=1,,b=2)", 4, "name of a keyword"),
    ("a comma first", ",a=1)", 0, "name of a keyword"),
    ("no value", "a=)", 2, "a value"),
    ("no equals sign", "a 1)", 2, "= was expected"),
    ("a colon", "a: 1)", 1, "= was expected"),
    ("a lone name", "unit=celsius)", 5, "a value"),
    ("almost a constant", "a=Trie)", 4, "a value"),
    ("more than a constant", "a=Truest)", 6, "a value"),
    # The tab ran as a tab, although the backslash before the U was one.
    ("an escape that is not whole before another one", r"a='C:\Users\test')", 12, "escapes of one kind"),
    ("an escape that is not whole behind another one", r"a='C:\temp\Users')", 12, "escapes of one kind"),
    ("a backslash that is not doubled behind one that is", r"a='\\server\Users')", 13, "escapes of one kind"),
    ("NaN", "a=NaN)", 3, "a value"),
    ("infinity", "a=inf)", 2, "a value"),
    ("too large a float", "a=1e999)", 7, "a number that a float can contain"),
    ("too small a float", "a=1E-400)", 8, "a number that a float can contain"),
    ("too small a float, with a point", "a=-0.001e-322)", 13, "a number that a float can contain"),
    ("too long an integer", "a=" + "9" * 4301 + ")", 4302, "4,300 digits"),
    ("too long in base 16", "a=0x" + "f" * 4301 + ")", 3502, "4,300 digits"),
    ("a name after a number", "a=1x)", 3, "a comma or )"),
    ("an underscore twice", "a=1__0)", 4, "a digit"),
    ("an underscore last", "a=1_)", 4, "a digit"),
    ("no digits in base 16", "a=0x)", 4, "a digit"),
    ("8 in base 8", "a=0o8)", 4, "a digit"),
    ("only a point", "a=.)", 3, "a digit"),
    ("only a sign", "a=-)", 3, "a digit"),
    ("no exponent", "a=1e)", 4, "a digit"),
    ("a complex number", "a=1j)", 3, "a comma or )"),
    ("a sum", "a=1+1)", 3, "a comma or )"),
    ("a call", "a=f())", 3, "a value"),
    ("a comment", "a=1 # one\n)", 4, "a comma or )"),
    ("bytes", "a=b'x')", 2, "a value"),
    ("an f-string", "a=f'x')", 3, "a value"),
    ("raw bytes", "a=rb'x')", 3, "a value"),
    ("bytes after a string", "a='x' b'y')", 6, "a comma or )"),
    ("a prefix without a string", "a='x' r)", 7, "a quote"),
    ("a quote in a string", "a='sed -n '1,2p' f')", 11, "a comma or )"),
    ("the wrong bracket", "a=[1})", 4, "a comma or ]"),
    ("a bracket too many", "a=1])", 3, "a comma or )"),
    ("a list as a key", "a={1: 2, [1]: 3})", 9, "a key"),
    ("a tuple as a key", "a={(1, 2): 3})", 9, "a comma or }"),
    ("a key without a value", "a={'x': 1, 'y'})", 14, "a colon"),
    ("a colon in a list", "a=[1: 2])", 4, "a comma or ]"),
    ("a comma alone in a tuple", "a=(,))", 3, "a value"),
    ("no value after the colon", "a={1: })", 6, "a value"),
    ("too long a name", "x" * 257 + "=1)", 256, "256"),
]


@pytest.mark.parametrize(("text", "place", "fault"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_bad(text: str, place: int, fault: str) -> None:
    found = read_all(KeywordsReader, text)
    assert found.status == FAIL
    assert found.place == place
    assert fault in found.fault


def test_cut_off_is_not_refused() -> None:
    for title, text, _ in GOOD:
        for end in range(min(len(text), 200)):
            assert read_pieces(KeywordsReader(), [text[:end]]).status == 0, title


@pytest.mark.parametrize("text", ["a=" + "[" * 9, "a=" + "(" * 9, "a=" + "{1:" * 9, "{'a':" + "[" * 9])
def test_depth(text: str) -> None:
    found = read_all(lambda: KeywordsReader(4), text)
    assert (found.status, found.fault) == (FAIL, "depth")
    opened = text[: found.place].count("[") + text[: found.place].count("(") + text[: found.place].count("{")
    assert opened == (4 if text[0] == "{" else 3)


def test_duplicates_are_both_written() -> None:
    assert read_all(KeywordsReader, "a=1, a=2)").text == '{"a": 1, "a": 2}'


def test_a_long_string_streams() -> None:
    reader = KeywordsReader()
    assert reader.read("a='12", 0) == (5, '{"a": "12', 0)
    assert reader.read('3"\n\\', 0) == (4, '3\\"\\n', 0)
    assert reader.read("x4", 0) == (2, "", 0)
    assert reader.read("1'", 0) == (2, "A", 0)
    assert reader.read(", b", 0) == (3, '"', 0)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)
NAMES = st.from_regex(r"[a-z_][a-z0-9_.-]{0,8}", fullmatch=True)
HOSTILE = st.text(st.sampled_from("'\"\\\n\r\t(){}[],:=abr0uNx "), max_size=30)


@given(st.dictionaries(NAMES, VALUES | HOSTILE, max_size=4))
def test_what_repr_writes_comes_back(arguments: dict[str, Any]) -> None:
    text = ", ".join(f"{key}={value!r}" for key, value in arguments.items()) + ")"
    assert read_all(KeywordsReader, text).value == arguments


@given(st.dictionaries(NAMES, VALUES | HOSTILE, max_size=4), st.integers(1, 3))
def test_what_json_writes_comes_back(arguments: dict[str, Any], indent: int) -> None:
    # Half of a pair in JSON is an escape, as in Python.
    text = ",\n".join(f"{key} = {json.dumps(value, indent=indent)}" for key, value in arguments.items()) + ")"
    assert read_all(KeywordsReader, text).value == arguments


@given(st.text(st.sampled_from("ab=,:'\"\\\n(){}[]01.eE_-+xrTrueNone "), max_size=40))
@settings(max_examples=examples(300))
def test_any_text(text: str) -> None:
    read_all(KeywordsReader, text)


@given(st.text(st.sampled_from("'\"\\\nrRuUxN{}01789abcdefgABULET "), max_size=24))
@settings(max_examples=examples(300))
def test_strings_are_read_as_python_reads_them(text: str) -> None:
    try:
        wanted = ast.literal_eval(text.strip())
    except (SyntaxError, ValueError, MemoryError, SyntaxWarning, DeprecationWarning):
        return
    if isinstance(wanted, str) and "{" not in text.split("N", maxsplit=1)[0]:
        assert from_text(literal_text, text, 256) == wanted


@pytest.mark.parametrize("text", ["1, w=2", "1)", "", "[1", "'a", "f()", "1, 2", "{1:"])
def test_no_literal(text: str) -> None:
    assert literal_text(text)[0] is None
    assert from_text(literal_text, text, 256) is NO


@pytest.mark.parametrize(
    ("text", "value"),
    [("(1,)", [1]), (" [1, 'x',] ", [1, "x"]), ("{1: None}", {"1": None}), ("'a' 'b'", "ab"), ("-7", -7)],
)
def test_one_literal(text: str, value: Any) -> None:
    assert from_text(literal_text, text, 256) == value


# What these templates lose: the quotes of strings, the commas between keywords.
# And these render strings without escaping the quotes or the backslashes in them.
# Quotes within quotes: to guess which of them were meant is repair, not reading.
@pytest.mark.parametrize(
    "make", [lambda n: f"a='{'x' * n}')", lambda n: f"a=('{'x' * n}'))", lambda n: "a=[" + "(1)," * (n // 4) + "])"]
)
def test_linear(make: Any) -> None:
    assert reads_in_linear_time(KeywordsReader, make)


@pytest.mark.parametrize("end", ["", "\\", "x: 1}"])
def test_a_string_that_does_not_end_is_looked_for_once(end: str) -> None:
    """It was looked for from each quote in it, which took five minutes for these."""
    assert as_json("{a: " + '"' + '\\"' * 100_000 + end) == ""
    assert as_json("{a: \"\\\"x: 1\", 'b\\'': 2}") == '{"a": "\\"x: 1", "b\'": 2}'
