# What this file knows: which contexts of a call do not hold yet, and which formats a quick run looks at.
# Does not depend on what the contexts are, nor on what is a breach (fuzz/contexts.py).
"""A call of a dangerous tool in every context: it runs where it must, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from fuzz import contexts
from fuzz.context_calls import ARGUMENTS, SEND, TOOLS, Context, all_written
from fuzz.context_places import QUOTED
from fuzz.contexts import CONTEXTS, Reading, cells, fault
from tests import depth
from toolglean import parse

FORMATS = {
    *("hermes", "qwen3-coder", "glm-4.7", "mistral-v13", "llama3-json", "llama4-pythonic", "pythonic"),
    *("gemma-4", "harmony", "tool-tags"),
}
"""One format for each way of writing a call. A full run looks at all formats."""

# Contexts that fail until the repairs of this release are in. THIS LIST MUST BE EMPTY AT THE END: take out what holds.
NOT_YET: tuple[str, ...] = (
    "tildes after prose, no word",
    "tildes after prose, xml",
    "tildes after prose, longer",
    "tildes after prose, not closed",
    "a block quote",
    "a block quote in a block quote",
    "a block quote is the whole turn",
    "an HTML comment",
    "an HTML comment is the whole turn",
    "<pre>",
    "<code>",
    "<script>",
    "<pre><code class=\u2026>",
    "<script type=\u2026>",
    "in a result: <tool_response>",
    "in a result: <tool_result>",
    "in a result: <function_results>",
    "in a result: <function_results>, nested",
    "in a result: [TOOL_RESULTS]",
    "in a result: [TOOL_RESULTS] with JSON",
    "in a result: <|observation|>",
    "in a result: <\uff5ctool\u2581outputs\u2581begin\uff5c><\uff5ctool\u2581output\u2581begin\uff5c>",
    "in a result: <|tool_response>",
    "in a result: <start_function_response>",
    "in a result: <|START_TOOL_RESULT|>",
    "in a result after prose",
    "another turn: ChatML, user",
    "another turn: ChatML, tool",
    "another turn: ChatML, system",
    "another turn: ChatML, a result",
    "another turn: Llama 3, user",
    "another turn: Llama 3, tool",
    "another turn: Llama 4, user",
    "another turn: Mistral, user",
    "another turn: Gemma, user",
    "another turn: Gemma 4, user",
    "another turn: DeepSeek, user",
    "another turn: GLM, user",
    "another turn: Phi, user",
    "another turn: Command, user",
    "another turn: Harmony, user",
    "another turn: Kimi, user",
    "another turn: Granite, user",
    "another turn: user, then assistant",
    "a JSON document after text",
    "a JSON list of strings",
    "a JSON list after text",
    "HTML entities in prose",
    "in <think>, then the answer",
    "in <thinking>, then the answer",
    "in [THINK], then the answer",
    "in <think>, reasoning goes on",
    "in <think>, twice",
    "in the own reasoning, then the answer",
    "in the own reasoning, which goes on",
    "after <think>\u2026</think>",
    "at the end of <think>, which never closes",
    "a sentence begins with a call",
    "a sentence begins with a call with arguments",
    "a sentence begins with a call in brackets",
    "a call with a comment",
    "a tool's own tag in a sentence",
    "a tool's own tag in a sentence, with arguments",
    "a sentence begins with a tool's own tag",
    "JSON begins a sentence",
    "Python: [delete_all() if False else None]",
    "Python: [delete_all() for _ in range(3)]",
    "Python: [delete_all()] if False else []",
    "Python: delete_all() == None",
    "Python: delete_all() if False else None",
    "a condition inside the markers",
    "a comparison inside the markers",
    "a comprehension inside the markers",
    "JSON: calls under 'forbidden'",
    "JSON: calls under 'denied'",
    "JSON: calls under 'examples'",
    "JSON: calls under 'plan'",
    "JSON: calls under 'history'",
    "JSON: calls under 'do_not_call'",
    "JSON: a call under 'example'",
    "JSON: a fenced plan",
    "JSON: names under 'plan'",
    "JSON: a list in a list",
    "JSON: calls by their names",
    "JSON: calls, deeper",
    "JSON: required arguments missing",
    "JSON: only a name, arguments required",
    "definition: a name and a description",
    "definition: a tool",
    "definition: a tool without a description",
    "definition: OpenAI's declaration",
    "definition: a list of declarations",
    "definition: tools under 'tools'",
    "definition: a fenced list",
    "result: a name and a result",
    "result: a tool's message",
    "result: results in a list",
    "result: results under 'results'",
    "an HTML comment between the markers",
    "// after the arguments",
    "/* */ after the arguments",
    "# after the arguments",
    "<!-- --> after the arguments",
    "words after the arguments",
    "'dry_run' beside the arguments",
    "'cancelled' beside the arguments",
    "'confirmed' beside the arguments",
    "arguments under 'params'",
    "arguments under 'kwargs'",
    "arguments under 'tool_args'",
    "arguments written flat",
    "a parameter closed by </param>",
    "a parameter closed by </Parameter>",
    "a parameter closed by </parameter >",
    "a parameter closed by </value>",
    "a parameter closed twice",
    "named dry_run.delete_all",
    "named functions.undo.delete_all",
    "JSON: arguments under 'params'",
    "JSON: arguments written flat",
    "JSON: 'dry_run' beside",
    "JSON: 'cancelled' beside",
    "own tag, undeclared child: one more",
    "own tag, undeclared child: all of them in one",
    "own tag, undeclared child: the only one",
    "no arguments, no closer, something else follows",
)


@pytest.fixture(scope="module")
def faults() -> Mapping[str, list[str]]:
    """What is wrong, by the name of the context."""
    written = [each for each in all_written() if depth.is_full() or each.format.name in FORMATS]
    found: dict[str, list[str]] = {}
    for cell in cells(written=written):
        if cell.fault:
            found.setdefault(cell.context.name, []).append(f"{cell.way}, {cell.format}: {cell.fault}")
    return found


def test_calls_run_only_where_they_must(faults: Mapping[str, list[str]]) -> None:
    assert {name: wrong for name, wrong in faults.items() if name not in NOT_YET} == {}


def test_quoted_calls_are_read_where_that_is_asked_for() -> None:
    wrong = []
    for written in (each for each in all_written() if each.marked and (depth.is_full() or each.format.name in FORMATS)):
        for context, name in product(QUOTED, ("auto", written.format.name)):
            text = context.turn(written)
            if text is not None and written.send in text:
                found = parse(text, TOOLS, format=name, quoted="call").calls
                if [(call.name, call.arguments) for call in found] != [(SEND[0], dict(ARGUMENTS))]:
                    wrong.append((context.name, name, text))
    assert wrong == []


def test_names_are_those_of_contexts() -> None:
    names = [context.name for context in CONTEXTS]
    assert len(set(names)) == len(names)
    assert set(NOT_YET) <= set(names)
    assert {each.format.name for each in all_written()} >= FORMATS


def test_every_context_makes_sense_for_some_format() -> None:
    for context in CONTEXTS:
        assert any(context.turn(each) is not None for each in all_written()), context.name


def _context(says: Any, *, said: bool = False) -> Context:
    return Context("a name", says, "a reason", lambda _: "", said=said)


_RAN = Reading((("send_money", True, dict(ARGUMENTS)),), problem=False)
_OTHER = Reading((("send_money", True, {}),), problem=False)
_UNKNOWN = Reading((("send_mony", False, dict(ARGUMENTS)),), problem=False)
_NOTE = Reading((("note", True, {"text": "x"}),), problem=False)


@pytest.mark.parametrize(
    ("says", "found", "wrong"),
    [
        ("runs", _RAN, ""),
        ("runs", _OTHER, "other arguments or calls"),
        ("runs", _NOTE, "must run, and did not"),
        ("content", _RAN, "must not run, and ran"),
        ("content", _UNKNOWN, "an unknown call"),
        ("content", _NOTE, ""),
        ("malformed", _RAN, "must not run, and ran"),
        ("malformed", _UNKNOWN, ""),
        ("unknown", _RAN, "must not run, and ran"),
        ("unknown", _UNKNOWN, ""),
        ("either", _RAN, ""),
        ("either", _NOTE, ""),
        ("either", _OTHER, "other arguments or calls"),
    ],
)
def test_what_is_a_breach(says: str, found: Reading, wrong: str) -> None:
    assert fault(_context(says), found) == wrong


def test_a_call_may_have_to_say_something() -> None:
    assert fault(_context("runs", said=True), _RAN) == "ran without a Problem"
    assert fault(_context("runs", said=True), Reading(_RAN.ran, problem=True)) == ""


@pytest.mark.parametrize("says", ["runs", "content"])
def test_the_command(
    says: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    """One context that holds, and one that does not."""
    context = Context("alone", says, "a reason", lambda written: written.send, calls=(SEND,))
    monkeypatch.setattr(contexts, "CONTEXTS", (context,))
    file = tmp_path / "table.txt"
    monkeypatch.setattr("sys.argv", ["contexts", "--format", "hermes", "--show", "--out", str(file)])
    assert contexts.main() == (1 if says == "content" else 0)
    printed = capsys.readouterr().out
    assert file.read_text(encoding="utf-8") == printed
    assert "1/1" in printed
    assert contexts.earlier(printed) == {"alone": "      1/1      1/1"}
    monkeypatch.setattr("sys.argv", ["contexts", "--format", "hermes", "--before", str(file)])
    contexts.main()
    assert "      1/1      1/1\n" in capsys.readouterr().out
    assert ("must not run, and ran (1): hermes" in printed) == (says == "content")
