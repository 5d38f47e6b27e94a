# Go's literals and what they are worth. Rows that are wrong name the reason.
"""Tests of the literals of Go templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


READERS: dict[str, tuple[Callable[[str], Any], dict[str, Any], list[str], str]] = {
    # what reads it, what is read, what is wrong, and how that is said
    "string": (string, STRINGS, WRONG_STRINGS, r"does not fit a byte|unknown escape"),
    "character": (character, CHARACTERS, WRONG_CHARACTERS, r"escape|malformed"),
    "number": (number, NUMBERS, WRONG_NUMBERS, r"syntax|overflow"),
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, row in READERS.items() for text in row[1]])
def test_a_literal(kind: str, text: str) -> None:
    read, values, _, _ = READERS[kind]
    assert (read(text), type(read(text))) == (values[text], type(values[text]))


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, row in READERS.items() for text in row[2]])
def test_no_literal(kind: str, text: str) -> None:
    with pytest.raises(ValueError, match=READERS[kind][3]):
        READERS[kind][0](text)
