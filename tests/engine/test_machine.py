# Invariant: that of fuzz/machine.py, for a few games with a fixed seed; and that of fuzz/laws.py, for the corpus that
# `python -m fuzz.coverage` left.
"""Parsers in any order of calls, and the corpus of the fuzzer."""

from __future__ import annotations

import json
import zlib

import pytest

from fuzz import cases, machine
from fuzz.laws import broken
from tests.support import depth
from toolglean import Parser, UsageError


def test_any_order_of_calls_gives_what_the_whole_text_gives() -> None:
    machine.run(200 if depth.is_full() else 2, 40 if depth.is_full() else 8, random=False)


def test_a_fork_that_shares_its_state_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Parser, "fork", lambda self: self)
    with pytest.raises((AssertionError, UsageError)):
        machine.run(50, 20, random=False)


def test_no_case_of_the_corpus_breaks_a_law() -> None:
    found = cases.corpus()
    assert len(found) >= 100
    for data in depth.chosen(found, 6, key=repr):
        subject, text = cases.case(data)
        assert broken(subject, text, seed=zlib.crc32(data)) is None, cases.written


def test_bytes_are_cases() -> None:
    subject, text = cases.case(bytes([255, 3, 0, 1]) + "<think>é".encode())
    assert (subject.name, subject.limits, subject.repair, text) == ("auto", (), True, "<think>é")
    assert cases.case(b"")[1] == ""
    assert cases.case(b"abcd\xff\xfe")[1] == "\ufffd\ufffd"
    assert cases.case(b"abcd\xed\xa0\x80")[1] == "\ud800"
    row = {"head": "ff030001", "text": "\ud800<"}
    assert cases.case(cases.written(json.loads(json.dumps(row))))[1] == row["text"]


def test_a_broken_law_is_told_with_its_case(monkeypatch: pytest.MonkeyPatch) -> None:
    def feed(self: Parser, chunk: str) -> None:
        raise IndexError(self, chunk)

    monkeypatch.setattr(Parser, "feed", feed)
    with pytest.raises(AssertionError, match=r'no exception: IndexError in feed[\s\S]*"text": "x"'):
        cases.one(b"\xff\x03\x00\x01x")


def test_the_dictionary_has_every_marker() -> None:
    lines = cases.dictionary().splitlines()
    assert r'"\x3c\x74\x6f\x6f\x6c\x5f\x63\x61\x6c\x6c\x3e"' in lines  # <tool_call>
    assert '""' not in lines
