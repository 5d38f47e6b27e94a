# Go's literals and what they are worth. Rows that are wrong name the reason.
"""Tests of the literals of Go templates."""

from __future__ import annotations

import pytest

from toolglean.sources.templates.golang.literals import character, number, string

STRINGS = {
    '""': "",
    '"a b"': "a b",
    r'"\a\b\f\n\r\t\v\\\""': '\a\b\f\n\r\t\v\\"',
    r'"\x41\102\u00e9\U0001F600"': "ABé😀",
    r'"\xe2\x82\xac"': "€",  # bytes in a row are UTF-8
    r'"\342\202\254"': "€",
    r'"\xff"': "\ufffd",
    r'"\\x41"': "\\x41",  # an escaped backslash shields the x
    r'"\\\x41"': "\\A",
    "`a\\n\nb`": "a\\n\nb",
    "`a\r\nb`": "a\nb",
}
WRONG_STRINGS = [r'"\q"', r'"\x4"', r'"\400"', r'"\08"', r'"\u12"', r'"\ud800"', r'"\U00110000"', r'"\'"']

CHARACTERS = {"'a'": 97, "'é'": 0xE9, r"'\n'": 10, r"'\''": 39, r"'\\'": 92, r"'\xff'": 255, r"'\u20ac'": 0x20AC}
WRONG_CHARACTERS = ["''", "'ab'", r"'\"'", r"'\xe2\x82'", r"'\q'", r"'\400'"]

NUMBERS: dict[str, int | float | complex] = {
    "0": 0,
    "-42": -42,
    "+7": 7,
    "1_000": 1000,
    "017": 15,
    "0o17": 15,
    "0O1_7": 15,
    "0b1_01": 5,
    "0x_1F": 31,
    "-0xFF": -255,
    "18446744073709551615": 2**64 - 1,
    "-9223372036854775808": -(2**63),
    "1.5": 1.5,
    ".5": 0.5,
    "5.": 5.0,
    "1e3": 1000.0,
    "1_0.2_5e-1_0": 10.25e-10,
    "01.5": 1.5,
    "0x1p4": 16.0,
    "0x1.8p1": 3.0,
    "0x.8P-1": 0.25,
    "1i": 1j,
    "2.5i": 2.5j,
    "12i": 12j,
    "1+2i": 1 + 2j,
    "-1.5-2e1i": -1.5 - 20j,
    "1e+2-3e-1i": 100 - 0.3j,
}
WRONG_NUMBERS = [
    *("+", ".", "1__0", "1_", "0x", "08", "0b", "1._5", "1_.5", "0x1.8", "0x1i", "1e", "1+i"),
    *("18446744073709551616", "-9223372036854775809", "1e999", "0x1p9999", "9" * 5_000),
]


@pytest.mark.parametrize("text", STRINGS)
def test_a_string(text: str) -> None:
    assert string(text) == STRINGS[text]


@pytest.mark.parametrize("text", CHARACTERS)
def test_a_character(text: str) -> None:
    assert character(text) == CHARACTERS[text]


@pytest.mark.parametrize("text", NUMBERS)
def test_a_number(text: str) -> None:
    value = number(text)
    assert (value, type(value)) == (NUMBERS[text], type(NUMBERS[text]))


@pytest.mark.parametrize("text", WRONG_STRINGS)
def test_no_string(text: str) -> None:
    with pytest.raises(ValueError, match=r"does not fit a byte|unknown escape"):
        string(text)


@pytest.mark.parametrize("text", WRONG_CHARACTERS)
def test_no_character(text: str) -> None:
    with pytest.raises(ValueError, match=r"escape|malformed"):
        character(text)


@pytest.mark.parametrize("text", WRONG_NUMBERS)
def test_no_number(text: str) -> None:
    with pytest.raises(ValueError, match=r"syntax|overflow"):
        number(text)
