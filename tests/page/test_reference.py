# Invariant: for each place of a text, the engine reads a call as the table of contexts says: it runs, or it is content.
# Where it does not yet, there is a row of differences.py, which fails as soon as it does.
# Hundreds of texts here, thousands at full depth; any number with `python -m fuzz.page`.
"""The reference for where in a text a place is, and the engine beside it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest

from fuzz import page
from fuzz.context_calls import TOOLS
from fuzz.runner import Found
from tests.page import known
from tests.page.compare import VALUE, differs, turn_of
from tests.page.contexts import CALL, ROWS, Context
from tests.page.differences import DIFFERENCES, MENDED, Difference
from tests.page.known import KNOWN, explained
from tests.page.paged import PAGE, paged, where_after
from tests.page.reference import CONTENT, EITHER, RUNS, contexts_of, says
from tests.page.texts import CLOSED, KINDS, composed, text_of
from tests.support import depth
from tests.support.chunkings import calls_of, events_of, read_with
from tests.support.work import calls_made
from toolglean import Parser, ParserOptions
from toolglean.engine.page.where import Where

RULERS = (
    # A text, and below each character what it is in.
    ("a `b` c", "..ccc.."),
    ("a `b c", "......"),
    ("a ``b`c`` d`", "..ccccccc..."),
    ("a `b\n\nc` d", ".........."),
    ("a `b\n- c` d", "..........."),
    ("a\n```\nb\n```\nc", "..fffffffff.."),
    ("a ```x\nb``` \nc", "..fffffffff..."),
    ("```js {1}\nb\n```", "fffffffffffffff"),
    ("a\n```\n'```'\n```", "..fffffffffffff"),
    ("a\n~~~\n```\n~~~~", "..ffffffffffff"),
    ("> a\nb > c", "qqq......"),
    ("a <!-- `b --> c`", "..mmmmmmmmmmm..."),
    ("a `<!--` b", "..cccccc.."),
    ("a `<!-- b", "...mmmmmm"),
    ("a ```b` `<!--`\n ```\n", "......cccmmmmmmmmmmm"),
    ("a <PRE class='b'>c</pre > d", "..eeeeeeeeeeeeeeeeeeeeeee.."),
    ("a <pre> tag", "..........."),
    ("<parameter=a>b</parameter>c", "pppppppppppppppppppppppppp."),
    ("<parameter=a>b</function>c", "ppppppppppppppppppppppppp."),
    ("<arg_key>a</arg_key> <arg_value>b</arg_value>c", "ppppppppppppppppppppppppppppppppppppppppppppp."),
    ("a<parameter>b", "............."),
    ('<parameter name="a" value="b">c', "..............................."),
    ("(<pre>) a", "........."),
    ("a[TOOL_RESULTS]b[/TOOL_RESULTS]c", ".rrrrrrrrrrrrrrrrrrrrrrrrrrrrrr."),
    ('a {"b": ["`", 1]} c', "..jsssjjjsssjjjjj.."),
    ('a {"b": c', "...sss..."),
    ('["    ~~~"]["', "jsssssssssj.s"),  # tildes in JSON that is complete open nothing, whatever line they end
    ("a [b](c)", "........"),
    ("a<think>`b</think>`c", ".ttttttttttttttttt.."),
    ("a<|user|>b\n`c`", ".ooooooooooooo"),
    ("a `<|user|>` b", "..cccccccccc.."),
    ("{code:a}\nb\n{code}\n{c", "bbbbbbbbbbbbbbbbb..."),
    ("<<EOF\na\nEOFb\nEOF\nc", "bbbbbbbbbbbbbbbb.."),
    ("a {code}\n[codes] [code] is", ".........................."),
)
SIGNS = {
    Context.PLAIN: ".", Context.CODE: "c", Context.FENCE: "f", Context.QUOTE: "q", Context.COMMENT: "m",
    Context.ELEMENT: "e", Context.RESULT: "r", Context.JSON: "j", Context.JSON_STRING: "s", Context.REASONING: "t",
    Context.OVER: "o", Context.PARAMETER: "p", Context.BLOCK: "b",
}  # fmt: skip
SAID = (
    # A text, and what becomes of its call.
    ("It is so. CALL", RUNS),
    ("It is CALL so.", EITHER),
    ("So: CALL so.", RUNS),
    ("```\nCALL\n```\n", RUNS),
    ("```\nCALL\n```\nDone.", CONTENT),
    ("<think>a</think>\n```\nCALL\n```\n", RUNS),
    ("<think>a</think>\n```\nCALL\n```<|im_end|>", EITHER),
    ("```\na CALL\n```", CONTENT),
    ("So:\n```\nCALL\n```", CONTENT),
    ("<think>a CALL", RUNS),
    ("<think>a CALL</think>", CONTENT),
    ("<think><|user|>\nCALL", CONTENT),
    ("a `CALL", CONTENT),
    ("a ` CALL", RUNS),
    ('So: {"a":\nCALL', RUNS),
    ('{"a": "\nCALL', EITHER),
    ("<|im_start|>assistant~~~\nCALL\n~~~", RUNS),
    ("<|start_header_id|>assistant<|end_header_id|>\n\n```\nCALL", RUNS),
    ("<|im_start|>user\n~~~\nCALL\n~~~", CONTENT),
)


@pytest.mark.parametrize(("text", "ruler"), RULERS)
def test_each_character_is_in_one_context(text: str, ruler: str) -> None:
    assert "".join(SIGNS[each] for each in contexts_of(text)) == ruler


@pytest.mark.parametrize(
    ("context", "before", "after"), [(context, *pair) for context, pairs in CLOSED.items() for pair in pairs]
)
def test_each_text_is_in_its_context_and_what_follows_is_not(context: Context, before: str, after: str) -> None:
    found = contexts_of(f"{before}x{after}\n\ny")
    assert (found[len(before)], found[-1]) == (context, Context.PLAIN)


@pytest.mark.parametrize(("text", "right"), SAID)
def test_what_becomes_of_a_call(text: str, right: str) -> None:
    assert says(text.replace("CALL", CALL)) == right


def test_every_context_has_a_row_a_text_and_a_ruler() -> None:
    assert {row.context for row in ROWS} | {Context.PLAIN} == set(Context)
    assert set(CLOSED) | {Context.JSON, Context.OVER} == set(Context)
    assert {sign for _, ruler in RULERS for sign in ruler} == set(SIGNS.values())


@pytest.mark.parametrize("name", ["contexts.py", "reference.py"])
def test_the_reference_does_not_use_the_engine(name: str) -> None:
    tree = ast.parse(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {each for each in imported if each and each.startswith("toolglean")} <= {"toolglean.engine.page.table"}


# -- the page ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "ruler"), RULERS)
def test_the_page_says_the_same(text: str, ruler: str) -> None:
    for cuts in ((), range(1, len(text)), *((cut,) for cut in range(1, len(text)))):
        assert "".join(SIGNS[each.context] for each in paged(text, cuts)) == ruler


def test_the_page_agrees_with_the_reference_for_every_character_and_every_cut() -> None:
    found = [page.look(page.PAGE, seed) for seed in range(5_000 if depth.is_full() else 50)]
    assert [each for each in found if isinstance(each, Found)] == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "unit",
    [
        "[",
        '["',
        "{",
        '{"a": [',
        "`",
        "` ``",
        "~~~\n",
        "```\n",
        "<pre>",
        "<!--",
        "<",
        "> a\n",
        "[1, ",
        '"',
        "\\",
        "a\n`",
        "0",
    ],
)
def test_the_page_reads_in_linear_time(unit: str) -> None:
    # What is counted is the steps: a step is a search from one place to the next.
    sizes = (2_000, 8_000) if depth.is_full() else (1_000, 4_000)
    costs = [_steps(f"a {unit * (size // len(unit))}", 4) for size in sizes]
    assert costs[1] < 6 * costs[0] + 500


def _steps(text: str, size: int) -> int:
    def read() -> None:
        where = Where()
        for start in range(0, len(text), size):
            where = PAGE.read(where, text[start : start + size], start)

    return calls_made(read)


def test_where_a_quotation_began_is_known() -> None:
    where = where_after("So it is.\n\n```xml\nx\n")
    assert (where.context, where.since, where.opener) == (Context.FENCE, 11, "```")
    where = where_after('So: {"a": "b')
    assert where.string is not None
    assert where.string.since == 10


INSIDE = [
    "x",
    "x[1]",
    'x ["',
    '{"a": "b',
    "<pre><x></pre>",
    "<!--<x>-->",
    "<tool_response>x</tool_response>",
    "<x> ~~~ >",
    "``",
]


@pytest.mark.parametrize("inside", INSIDE)
@pytest.mark.parametrize("ticks", ["`", "``"])
def test_code_leaves_the_same_however_it_is_cut(ticks: str, inside: str) -> None:
    """What opens and ends in code that is closed on its line, and may go on behind it, was lost where it came at once."""

    def after(text: str, cuts: Sequence[int] = ()) -> Where:
        where = where_after(text, cuts)  # a list of a few numbers is not told as JSON if it comes at once
        return where._replace(closed=tuple(each for each in where.closed if each[2] is not Context.JSON))

    for text in (f"a {ticks}{inside}{ticks} b", f"a ` {ticks}{inside}{ticks} b\n"):
        whole = after(text)
        assert all(after(text, [cut]) == whole for cut in range(1, len(text)))
        assert after(text, range(1, len(text))) == whole


# -- the engine --------------------------------------------------------------------------------------------------------


def _read(row: Difference) -> str:
    make = lambda: Parser(TOOLS, format=row.reads, options=ParserOptions(markup=True))  # noqa: E731
    calls = calls_of(events_of(make, turn_of(row.text, row.written)))
    return RUNS if ("note", {"text": VALUE}) in calls else CONTENT


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row.what, marks=pytest.mark.xfail(strict=True, raises=AssertionError, reason=row.why))
        for row in DIFFERENCES
    ],
)
def test_a_call_runs_only_where_it_must(row: Difference) -> None:
    assert _read(row) == row.must


@pytest.mark.parametrize("row", DIFFERENCES, ids=[row.what for row in DIFFERENCES])
def test_a_difference_is_one_and_is_recognised(row: Difference) -> None:
    assert says(row.text) == row.must
    found = differs(row.text, row.written, row.reads)
    assert found not in {"", row.must}
    assert KNOWN[row.kind](row.text, row.written, found)


@pytest.mark.parametrize(
    ("text", "written", "reads"),
    [
        # Whole, the call is in the middle of a sentence; by characters, it runs.
        ('["", CALL.', "hermes", "hermes"),
        ('{"a": "b", CALL:', "glm-4.5", "auto"),
        ("[[]CALL]", "qwen3-coder", "qwen3-coder"),
        # Whole, it runs, with a bracket of its opener as content; by characters, it is content.
        ("[CALL", "mistral-v13", "auto"),
    ],
)
def test_json_that_breaks_off_at_a_call_is_read_the_same_for_every_cut(text: str, written: str, reads: str) -> None:
    text = text.replace("CALL", CALL)
    read_with(TOOLS, turn_of(text, written), format=reads)


@pytest.mark.parametrize("row", MENDED, ids=[row.what for row in MENDED])
def test_what_was_mended_stays_so(row: Difference) -> None:
    assert says(row.text) == row.must
    assert _read(row) == row.must


def test_every_known_kind_has_a_row() -> None:
    assert {row.kind for row in DIFFERENCES} == set(KNOWN)


def test_the_engine_agrees_with_the_reference() -> None:
    assert [str(each) for each in page.FUZZER.run(20_000 if depth.is_full() else 60, seed=20)] == []


def test_a_difference_that_nobody_knows_is_found_and_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "KNOWN", {})
    text = f'{{"a": [[1, "b"], [\n{CALL}'
    found = page.compared(text, "mistral-v13", "mistral-v13")
    assert isinstance(found, Found)
    assert (found.law, found.what) == ("reference", "content in plain")
    assert len(page.smaller(found).text) < len(text)


def test_texts_are_of_every_kind_and_ask_about_every_context() -> None:
    texts = [text_of(seed) for seed in range(600 if depth.is_full() else 150)]
    assert all(text.count(CALL) == 1 for text in texts)
    assert {contexts_of(text)[text.index(CALL)] for text in texts} == set(Context) - {Context.JSON}
    assert {says(text) for text in texts} == {RUNS, CONTENT, EITHER}
    assert len(set(texts)) > 0.95 * len(texts)
    assert set(KINDS) >= {"row", "nested", "Markdown", "HTML", "JSON", "page"}


def test_the_reference_reads_a_context_after_another_one_as_alone() -> None:
    for seed in range(5_000 if depth.is_full() else 80):
        alone, text = composed(seed)
        assert says(text) == says(alone), (alone, text)


def test_explained_names_nothing_where_nothing_is_known() -> None:
    assert explained(f"So:\n\n`{CALL}`", "hermes", RUNS) == ""
