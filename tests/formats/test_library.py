# The declarations themselves: that each is whole, can be compiled, says where it is from, and reads its fixture.
"""Tests of toolglean.formats.library, and of the page that is made from it."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest

import toolglean
from tests.support.chunkings import calls_of, content_of, events_of, read_with, reasoning_of
from tests.support.shared import FIXTURES, ROOT, SHARED, rows
from tests.support.vectors import labels
from toolglean import CallDelta, CallStart, Content, Parser, ParserOptions, Reasoning, parse
from toolglean.errors import UsageError
from toolglean.formats import get_format, library
from toolglean.formats.compile import compiled
from toolglean.formats.registry import folded
from toolglean.formats.spec import Format

FORMATS = library.formats()
NAMES = [declared.name for declared in FORMATS]
WITHOUT_MARKERS = {"llama3-json", "xlam", "xlam-object", "json-input", "tool-call-fence"}
PAIRS = {"minimax-arrows"}  # a value is returned when it is whole
AT_TURN_END = {each.name for each in FORMATS if each.at_turn_end or each.name in {"continue", "tool-code"}}


def fixture_of(name: str) -> dict[str, Any]:
    """The fixture of that family."""
    found: dict[str, Any] = json.loads((FIXTURES / "formats" / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("declared", FORMATS, ids=NAMES)
def test_a_declaration_is_whole(declared: Format) -> None:
    compiled((declared,))
    assert re.fullmatch(r"[a-z0-9]+([-.][a-z0-9]+)*", declared.name)
    assert declared.source, "say where it was read from"
    assert len(set(declared.calls)) == len(declared.calls), "a spelling is listed twice"
    markers = [*declared.drop, *declared.content_markers]
    assert len(set(markers)) == len(markers), "a marker is listed twice"


def test_all_families_can_be_looked_for_at_once() -> None:
    compiled(FORMATS)


def test_each_module_is_data_with_a_head() -> None:
    folder = Path(library.__file__).parent
    assert sorted(each.stem for each in folder.glob("[!_]*.py")) == sorted(library.MODULES)
    for module in library.MODULES:
        text = (folder / f"{module}.py").read_text(encoding="utf-8")
        assert text.startswith("# ")
        assert re.findall(r"^(?:from|import) .*", text, re.MULTILINE) == [
            "from __future__ import annotations",
            *re.findall(r"^from toolglean\.formats\.spec import .*", text, re.MULTILINE),
        ]


def test_each_family_has_a_fixture_and_each_fixture_a_family() -> None:
    assert sorted(path.stem for path in (FIXTURES / "formats").glob("*.json")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_family_reads_its_fixture_however_it_is_cut(name: str) -> None:
    row = fixture_of(name)
    assert row["format"] == name
    assert row["from"]

    def make() -> Parser:
        return Parser(row["tools"], format=name, prompt=row.get("prompt", ""), options=ParserOptions(markup=True))

    # What the prompt has begun counts from before the turn: there the events do not tile it.
    events = make().feed(row["turn"]) if "prompt" in row else events_of(make, row["turn"], one_of_many=True)
    assert calls_of(events) == [(call["name"], call["arguments"]) for call in row["calls"]]
    assert content_of(events) == row["content"]
    assert reasoning_of(events) == row["reasoning"]


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT_MARKERS | AT_TURN_END | PAIRS])
def test_a_call_is_known_before_its_end_and_its_arguments_come_in_pieces(name: str) -> None:
    # 12 KB of text in one argument: the first piece must come long before the last character. JSON without a marker is
    # held instead, until it is clear that it is not data (docs/explanation/calls-in-json.md).
    row = fixture_of(name)
    values = [value for call in row["calls"] for value in call["arguments"].values() if isinstance(value, str)]
    once = [value for value in values if row["turn"].count(value) == 1]
    if not once:
        pytest.skip("no text of an argument stands in the turn as it is, and once")
    at = row["turn"].index(once[-1]) + len(once[-1])
    parser = Parser(row["tools"], format=name, prompt=row.get("prompt", ""))
    events = parser.feed(row["turn"][:at] + "x" * 12_000)
    assert any(isinstance(event, CallStart) for event in events)
    assert sum(len(event.text) for event in events if isinstance(event, CallDelta)) > 6_000


@pytest.mark.parametrize("name", sorted(AT_TURN_END))
def test_a_call_that_counts_only_at_the_end_of_the_turn_is_returned_there(name: str) -> None:
    row = fixture_of(name)
    parser = Parser(row["tools"], format=name)
    assert not any(isinstance(event, CallStart) for event in parser.feed(row["turn"]))
    assert calls_of(parser.finish()) == [(call["name"], call["arguments"]) for call in row["calls"]]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", NAMES)
def test_with_all_formats_at_once_the_fixture_gives_the_same_calls(name: str) -> None:
    row = fixture_of(name)
    if "prompt" in row:
        pytest.skip("the prompt's end belongs to one format")
    if get_format(name).by_name_only:
        assert not parse(row["turn"], row["tools"]).calls
        return
    parser = Parser(row["tools"], options=ParserOptions(markup=True))
    events = parser.feed(row["turn"]) + parser.finish()
    assert calls_of(events) == [(call["name"], call["arguments"]) for call in row["calls"]]


def test_names_without_a_format_are_no_formats_names() -> None:
    names = {folded(each) for declared in FORMATS for each in (declared.name, *declared.aliases)}
    for name, reason in library.UNSUPPORTED.items():
        assert folded(name) not in names
        assert reason
        with pytest.raises(UsageError, match=re.escape(reason)):
            Parser(["f"], format=name)


# -- labels ------------------------------------------------------------------------------------------------------------

# Labels that belong to no format, and why.
WITHOUT_A_FORMAT = {
    "content_only": "a template that knows no tools",
    "hf": "the format stands in the checkpoint",
    "reasoning:identity": "reads nothing",
    "reasoning:minimax_append_think": "leaves the reasoning in the content, and puts its opener to it",
    "reasoning:minimax_m2_append_think": "leaves the reasoning in the content, and puts its opener to it",
    "reasoning:MiniMaxAppendThink": "leaves the reasoning in the content, and puts its opener to it",
    # Families of the renders, whose templates write several formats: renders/wire_formats.json says which.
    "command-r/cohere": "command-r and command-a",
    "deepseek": "all versions from V2.5 to V3.1",
    "functionary": "all versions",
    "gemma": "pythonic and functiongemma",
    "gigachat": "3 and 3.1",
    "llama": "Go templates of many families",
    "llama4": "JSON, and pythonic",
    "minicpm": "3 and 5",
    "minimax": "M1, M2 and M3",
    "nemotron": "<TOOLCALL> and the format of qwen3-coder",
    "other": "many",
}


def test_labels_name_formats_or_say_why_not() -> None:
    assert {label for label, name in labels().items() if name is None} == set(WITHOUT_A_FORMAT)
    for name in labels().values():
        if name is not None:
            assert get_format(name).name == name, "a label maps to a format's own name"


@pytest.mark.skipif(not SHARED.exists(), reason="../shared is not here: it may not be committed")
def test_every_label_of_the_data_has_its_row() -> None:
    found: set[str] = set()
    for path in (SHARED / "vectors" / "wire").glob("*.jsonl"):
        found |= {row["format"] or f"reasoning:{row['reasoning']}" for row in rows(path)}
    for name in ("parsers_tests", "defects"):
        found |= {row["parser"] for row in rows(SHARED / "vectors" / "ollama" / f"{name}.jsonl") if row.get("parser")}
    found |= {row["format"] for row in rows(SHARED / "vectors" / "recorded.jsonl.gz") if row.get("format")}
    found |= {row["format"] for row in rows(SHARED / "streams" / "token_streams.jsonl.gz")}
    for kind in ("jinja", "go"):
        found |= {row["family"] for row in rows(SHARED / "renders" / f"{kind}.jsonl.gz")}
    found |= {row["format"] for row in json.loads((SHARED / "renders" / "wire_formats.json").read_text("utf-8"))}
    assert sorted(found - set(labels())) == []


# -- the pages ---------------------------------------------------------------------------------------------------------


def test_the_pages_of_formats_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("make_formats", ROOT / "docs" / "make_formats.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = {path: path.read_text(encoding="utf-8") for path in (module.PAGE, *module.FOLDER.iterdir())}
    assert found == module.pages(), "run `python docs/make_formats.py`"


# -- a family of one's own ---------------------------------------------------------------------------------------------

MADE_UP = toolglean.Format(
    "made-up",
    section=("@calls{", "}@"),
    call="@{name} {parameters};",
    parameter="-{key}={value}|",
    reasoning=("@hm", "@ok"),
    drop=("@over",),
)
FIXTURE = "@hm Let me see. @ok I will look. @calls{@look -where=the door|-times=2|;@wait ;}@ Done.@over"


def test_a_made_up_family_takes_one_declaration_and_one_fixture() -> None:
    tools = [{"name": "look", "parameters": {"type": "object", "properties": {"times": {"type": "integer"}}}}, "wait"]
    events = read_with(tools, FIXTURE, format=MADE_UP)
    assert calls_of(events) == [("look", {"where": "the door", "times": 2}), ("wait", {})]
    assert content_of(events) == "I will look.  Done."
    assert [event.text for event in events if isinstance(event, Reasoning)] == ["Let me see."]


@pytest.mark.parametrize("tools", [None, ["get_weather"]])
def test_prose_without_spaces_does_not_wait_for_a_bracket(tools: list[str] | None) -> None:
    # A bare call may begin with any name. Chinese has no spaces, so a whole sentence was held back as if it were one.
    parser = Parser(tools)
    assert [event for char in "这是一个句子" for event in parser.feed(char)] == [
        Content(char, place) for place, char in enumerate("这是一个句子")
    ]
    assert [call.name for call in parse("größe(x=1)", ["größe"]).calls] == ["größe"]
