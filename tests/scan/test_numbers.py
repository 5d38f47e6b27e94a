"""Lists of numbers, which are read in runs where the text is long enough: the same, however the text is cut."""

from __future__ import annotations

import json
import random

import pytest

from tests.support.reader_cuts import read_all
from toolglean.scan.json import JsonScanner
from toolglean.scan.python import KeywordsReader
from toolglean.scan.scanner import CLOSE, FAIL, MAX_DIGITS, NEED, SHORT, Token
from toolglean.scan.tokens import JsonTokens

LONG = "9" * MAX_DIGITS
FILL = "1, " * SHORT  # so that the rest of the text is not short either


def read(pieces: list[str], depth: int = 8) -> tuple[int, Token, str, str]:
    """Where a value ends or is refused, and what was read, by the scanner's `skim`."""
    scanner, done, written = JsonScanner(depth), 0, ""
    for piece in pieces:
        end = scanner.skim(piece, 0, 0)
        written += scanner.written(piece, 0, end)
        if scanner.token:
            return done + end, scanner.token, scanner.fault, written
        done += end
    return done, scanner.token, scanner.fault, written


def by_token(text: str) -> tuple[int, Token, str, str]:
    scanner, pos = JsonScanner(8), 0
    while pos < len(text):
        pos = scanner.step(text, pos)
        if scanner.token is FAIL or (scanner.token and not scanner.stack):
            break
    done = scanner.token is FAIL or not scanner.stack
    return pos, scanner.token if done else NEED, scanner.fault, text[:pos]


# title, what comes after some numbers of a list
ROWS = [
    ("integers", "0, -0, 12, -345]"),
    ("floats", "0.5, -1.25e3, 1E-2, 2e+10, 0e0]"),
    ("white space", "1 ,2\n,\t3 , 4\r]"),
    ("no white space", "1,2,3,4]"),
    ("nothing but the numbers before", "1]"),
    ("other values between", '1, "a", 2, [3, 4, []], {"b": 5}, null, 6]'),
    ("lists in lists", "1, [2, 3], [4, [5, 6]], 7]"),
    ("long numbers", f"{'1' * 99}, {'1' * 100}, {'1' * 101}, 0.{'1' * 300}, 0.{'1' * 301}]"),
    ("the longest integer", f"{LONG}, 1]"),
    ("powers", "1e99, 1e100, 1e308, -1e-99, 1e-400]"),
    ("a leading zero", "1, 01, 2]"),
    ("a sign alone", "1, -, 2]"),
    ("a plus", "1, +1, 2]"),
    ("a point at the end", "1, 2., 3]"),
    ("a point at the beginning", "1, .5, 3]"),
    ("two points", "1, 2.3.4, 5]"),
    ("an exponent without digits", "1, 2e, 3]"),
    ("an exponent with a sign alone", "1, 2e+, 3]"),
    ("two commas", "1,, 2]"),
    ("a comma at the end", "1, 2, ]"),
    ("no comma", "1 2, 3]"),
    ("the wrong bracket", "1, 2}"),
    ("too large for a float", "1, 1e400, 2]"),
    ("too small for a float", "1, 1e-400, 2]"),
    ("too small for a float, many digits", f"1, 0.{'0' * 299}1e-99, 2]"),
    ("too large for a float, many digits", f"1, {'9' * 400}.5, 2]"),
    ("too long an integer", f"1, {LONG}9, 2]"),
    ("digits that are not ASCII", "1, ٣, 2]"),
    ("a control character", "1, \x0c2]"),
    ("a letter after a number", "1, 2x, 3]"),
    ("cut off", "1, 2, 3"),
    ("cut off after a comma", "1, 2, "),
    ("too deep", "1, " + "[" * 8 + "1"),
]


@pytest.mark.parametrize("text", [row[1] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_cut_changes_nothing(text: str) -> None:
    text = f"[{FILL}{text}"
    expected = read([*text])
    assert read([text]) == expected
    assert by_token(text) == expected
    for cut in range(1, min(len(text), 200)):
        assert read([text[:cut], text[cut:]]) == expected
    if expected[1] == CLOSE:
        assert json.loads(expected[3]) == json.loads(text)


def test_random_lists() -> None:
    rng = random.Random(24)
    parts = ["0", "1", "12", "-3", "4.5", "1e5", "-0.5E-3", "01", "-", "1.", "1e", "1e400", *",,,[] "]
    for _ in range(3000):
        text = "[" + FILL * rng.randrange(2) + ", ".join(rng.choices(parts, k=rng.randrange(30)))
        cut = rng.randrange(len(text))
        assert read([text]) == read([*text]) == read([text[:cut], text[cut:]]) == by_token(text)


def test_the_text_of_a_value() -> None:
    text = f'[{FILL}2.5, "a", {FILL}3]'
    tokens = JsonTokens()
    pos, _ = tokens.read_token(text, 0)
    tokens.begin_value()
    assert tokens.read_value(text, pos) == len(text)
    assert tokens.take_collected() == text


@pytest.mark.parametrize(
    "numbers",
    ["1, 2", "1 ,2\n,\t3,", "-0.5e3, 00, 1_0, 0xff, .5, 1., +2", "'a', 2, (3, 4), [5, 6]", "1e99, " + "9" * 150, ""],
)
def test_python_lists(numbers: str) -> None:
    text = f"a=[{FILL}{numbers}], b={{1, 2}}, c=({FILL}3), d={{5: [{FILL}6]}})"
    found = read_all(KeywordsReader, text + " rest)")
    values = eval(f"dict({text}")  # noqa: S307  # of this file
    assert found.value == {
        "a": json.loads(json.dumps(values["a"])),
        "b": [1, 2],
        "c": [*values["c"]],
        "d": {"5": values["d"][5]},
    }


@pytest.mark.parametrize("rest", ["1, 2x, 3])", "1,, 2])", "1 2])", "1e400, 2])"])
def test_a_fault_in_a_python_list_is_at_its_place(rest: str) -> None:
    whole, cut = KeywordsReader(), KeywordsReader()
    place, _, token = whole.read(text := f"a=[{FILL}{rest}", 0)
    assert token is FAIL
    assert place == next(at for at, char in enumerate(text) if cut.read(char, 0)[2] is FAIL)
    assert whole.fault == cut.fault
