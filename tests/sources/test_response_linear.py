# Floods that once cost quadratic time when response templates were read. Does not depend on how they are read.
"""Response templates in linear time: each flood at n and 4n, by processor time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from toolglean import Format, Parser, parse
from toolglean.sources.response.marks import Marks
from toolglean.sources.response.plan import response_plan
from toolglean.sources.response.values import content_value

MOST = 8  # times the time for four times the text: 4 is linear, 16 quadratic
TOO_SHORT = 0.05  # seconds, below which a clock says nothing


def cpu(work: Callable[[int], object], n: int, tries: int) -> float:
    """The shortest of so many runs, in seconds of processor time."""
    found = []
    for _ in range(tries):
        begin = time.process_time()
        work(n)
        found.append(time.process_time() - begin)
    return min(found)


def assert_linear(work: Callable[[int], object], n: int) -> None:
    one = four = 0.0
    for tries in (1, 2, 4):  # what is wrong is measured again: another process may have been in the way
        four = cpu(work, 4 * n, tries)
        if four < TOO_SHORT or four < MOST * (one := cpu(work, n, tries)):
            return
    pytest.fail(f"n={n}: {one:.3f} s, 4n: {four:.3f} s")


def template(**calls: Any) -> dict[str, Any]:
    call = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
    return {
        "version": 1,
        "start_anchor": "A:",
        "fields": {"content": {}, "tool_calls": {"close": "</tc>", "repeats": True, "transform": call} | calls},
    }


def json_template(**args: Any) -> dict[str, Any]:
    return template(open_pattern=r"<tc=(?P<name>\w+)>", content="json", content_args=args)


def tags_template(**args: Any) -> dict[str, Any]:
    tag = r"<p=(?P<key>[^>\n]+)>(?P<value>.*?)</p>"
    return template(open_pattern=r"<tc=(?P<name>\w+)>", content="xml-inline", content_args={"tag_pattern": tag, **args})


FLOODS: dict[str, tuple[dict[str, Any], str, int]] = {
    "string_delims never closed": (json_template(string_delims=[["<q>", "</q>"]]), "<q>", 8000),
    "two string_delims never closed": (json_template(string_delims=[["<q>", "</q>"], ["<r>", "</r>"]]), "<q><r>", 4000),
    "strings of JSON never closed": (json_template(string_delims=[["<q>", "</q>"]]), '"\\', 8000),
    "unquoted_keys": (json_template(unquoted_keys=True), "a ", 20000),
    "unquoted_keys and much white space": (json_template(unquoted_keys=True), "a" + " " * 50, 4000),
    "heads without tails": (tags_template(merge_duplicates=True), "<p=k>", 8000),
    "heads without an end": (tags_template(), "<p=", 8000),
    "one key again and again": (tags_template(merge_duplicates=True), "<p=k>1</p>", 3000),
    "heads within values": (tags_template(), "<p=k><p=l></p>", 2000),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", FLOODS)
def test_floods_in_a_region(name: str) -> None:
    given, unit, n = FLOODS[name]
    assert_linear(lambda n: parse("<tc=f>" + unit * n + "</tc>", ["f"], format=Format.from_response_template(given)), n)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("opener", "unit"),
    [
        (r"<(?:a|b)+(?P<name>[a-z]{1,3})>", "a"),
        (r"<(?:a|b)+(?P<name>[a-z]*)", "a"),
        (r"[ab<]+(?P<name>[a-z]{1,3})>", "a"),
        (r"(?:a|b)+(?P<name>[a-z]*)", "ab"),
        (r"<(?:a|b)+(?P<name>[a-z]{1,3})>", "<a"),
    ],
)
def test_a_real_expression_by_characters(opener: str, unit: str) -> None:
    pytest.importorskip("regex")
    given = template(open_pattern=opener, content="json")

    def work(n: int) -> None:
        parser = Parser(["f"], format=Format.from_response_template(given))
        for char in "<" + unit * (n // len(unit)):
            parser.feed(char)

    assert_linear(work, 2000)


def test_what_is_merged_stays_what_it_was() -> None:
    args = {"tag_pattern": r"<p=(?P<key>\w+)>(?P<value>.*?)</p>", "merge_duplicates": True}
    text = "".join(f"<p={key}>{value}</p>" for key, value in (("k", "[1, 2]"), ("k", "3"), ("l", "4"), ("k", "[5]")))
    inner = args | {"value_parser": {"name": "json"}}
    assert content_value("xml-inline", text, inner) == {"k": [1, 2, 3, [5]], "l": 4}
    assert content_value("xml-inline", text, args) == {"k": ["[1, 2]", "3", "[5]"], "l": "4"}


def test_a_closing_marker_that_came_once() -> None:
    args = {"string_delims": [["<q>", "</q>"]], "unquoted_keys": True}
    assert content_value("json", "{a : <q>x</q>, b: [<q>y</q>]}", args) == {"a": "x", "b": ["y"]}
    assert content_value("json", "{a: <q>x</q>, b: <q>y}", args | {"allow_non_json": True}) == "{a: <q>x</q>, b: <q>y}"


def test_openers_of_any_text_with_one_end_after_all() -> None:
    given = template(open_pattern=r"<tc (?P<name>.*?)>", content="json")
    assert_linear(lambda n: parse("<tc " * n + ">{}</tc>", ["f"], format=Format.from_response_template(given)), 20000)
    found = parse("<tc x" * 2000 + "<tc f>{}</tc>", ["f"], format=Format.from_response_template(given))
    assert [call.name for call in found.calls] == []  # it begins at the first one that ends within the bound
    found = parse("<tc " + "x" * 5000 + "<tc f>{}</tc>", ["f"], format=Format.from_response_template(given))
    assert [call.name for call in found.calls] == ["f"]


def test_all_marks_of_a_text_are_found_in_one_pass() -> None:
    plan = response_plan(tags_template())
    marks = plan.firsts[next(number for number, way in enumerate(plan.layouts) if way.tag is not None)]
    assert isinstance(marks, Marks)
    assert_linear(lambda n: marks.all_of("<p=k>" * n), 8000)
