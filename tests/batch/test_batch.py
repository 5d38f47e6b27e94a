# What `parse_batch` accepts and returns. Does not depend on the engines that call it (tables.py), or on how a turn is read.
"""Turns in a column of an Arrow table."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.cli.test_logs import TOOLS, XML
from tests.cli.test_turns import TEXT
from tests.support.face import faced
from toolglean import ParserOptions, ToolError, UsageError, parse
from toolglean.batch.pool import KEPT, ParserFactory
from toolglean.kit.demo import load_streams, load_tools

pa = pytest.importorskip("pyarrow", reason="needs toolglean[batch]")
batch = pytest.importorskip("toolglean.batch")

TEXTS = ["".join(stream.tokens) for stream in load_streams()]
BROKEN = '<tool_call>{"name": "f", "arguments": {"x": 1,}}</tool_call>'


def rows(found: Any) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = found.to_pylist()
    for row in turns:
        for call in (*row["calls"], *row["unfinished"]):
            call["arguments"] = None if call["arguments"] is None else json.loads(call["arguments"])
    return turns


def wanted(text: str, tools: Any = None, **options: Any) -> dict[str, Any]:
    output = parse(text, tools, **faced(**options))

    def call(each: Any) -> dict[str, Any]:
        names = ("id", "index", "name", "known", "arguments_text", "status")
        own = {name: getattr(each, name) for name in names} | {"span": [*each.span], "repairs": [*each.repairs]}
        return own | {"arguments": each.arguments if each.status == "ok" else None}

    return {
        "content": output.content,
        "reasoning": output.reasoning,
        "calls": [call(each) for each in output.calls],
        "unfinished": [call(each) for each in output.unfinished],
        "problems": [
            {"code": each.code, "reason": each.reason, "text": each.text, "start": each.start}
            for each in output.problems
        ],
    }


def test_each_row_is_what_parse_gives() -> None:
    texts = [*TEXTS, BROKEN, TEXT[:-20], "", "No call."]
    given = pa.RecordBatch.from_pydict({"id": [f"t{place}" for place in range(len(texts))], "content": texts})
    found = batch.parse_batch(given, tools=load_tools())
    assert isinstance(found, pa.RecordBatch)
    assert found.schema == batch.SCHEMA
    found.validate(full=True)
    for place, (row, text) in enumerate(zip(rows(found), texts, strict=True)):
        row.pop("format")
        assert row == {"id": f"t{place}", **wanted(text, load_tools())}
    assert found.column("format").to_pylist() == [
        *(each.name for each in load_streams()),
        "hermes",
        "hermes",
        None,
        None,
    ]


def test_options_are_those_of_a_parser() -> None:
    given = pa.RecordBatch.from_pydict({"said": [f"Hm.</think>{TEXT}"]})
    [row] = rows(
        batch.parse_batch(
            given, text="said", tools=["f"], format="hermes", start="reasoning", options=ParserOptions(id_prefix="x")
        )
    )
    assert (row["id"], row["reasoning"], row["format"]) == (None, "Hm.", "hermes")
    assert (row["calls"][0]["id"], row["calls"][0]["known"]) == ("x0", True)


KINDS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int32(), pa.large_string()),
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_kinds_of_strings(kind: Any) -> None:
    texts = pa.array([TEXT, None, TEXT, ""], pa.string()).cast(kind)
    whole = batch.parse_batch(pa.RecordBatch.from_arrays([texts], ["content"]))
    assert [len(row["calls"]) for row in rows(whole)] == [1, 0, 1, 0]
    assert [row["content"] for row in rows(whole)] == ["Hi. ", "", "Hi. ", ""]
    chunked = pa.table({"content": pa.chunked_array([texts[:1], texts[1:1], texts[1:]])})
    found = batch.parse_batch(chunked)
    assert isinstance(found, pa.Table)
    assert found.to_pylist() == whole.to_pylist()
    part = batch.parse_batch(pa.RecordBatch.from_arrays([texts], ["content"]).slice(2, 1))
    assert part.to_pylist() == whole.to_pylist()[2:3]


def test_nothing_at_all() -> None:
    for texts in (pa.nulls(2), pa.array([], pa.string())):
        found = batch.parse_batch(pa.RecordBatch.from_arrays([texts], ["content"]))
        assert found.schema == batch.SCHEMA
        assert [row["content"] for row in found.to_pylist()] == [""] * len(texts)


def test_other_columns_are_left_out_and_ids_stay_as_they_are() -> None:
    given = pa.RecordBatch.from_pydict({"user": ["a", "b"], "id": [3, None], "content": [TEXT, "Hi"]})
    found = batch.parse_batch(given)
    assert found.schema.names == batch.SCHEMA.names
    assert found.column("id").equals(given.column("id"))
    assert found.append_column("user", given.column("user")).to_pylist()[1]["user"] == "b"


def test_text_that_utf8_cannot_hold() -> None:
    """Half a surrogate pair, as an escape in the arguments, in the name, and in the text of a problem."""
    texts = ['<tool_call>{"name": "f", "arguments": {"x": "\\ud83d"}}</tool_call>']
    texts += [each.replace('"f"', '"f\\ud83d"') for each in texts]
    found = batch.parse_batch(pa.RecordBatch.from_pydict({"content": texts}))
    found.validate(full=True)
    assert rows(found)[0]["calls"][0]["arguments"] == {"x": "\ufffd"}


@pytest.mark.parametrize(
    ("values", "known"),
    [
        ([json.dumps(TOOLS), '["g"]', None], [True, False, None]),
        ([["f"], ["g"], []], [True, False, None]),
        ([[{"name": "f"}], [{"name": "g"}], None], [True, False, None]),
    ],
)
def test_tools_of_each_row(values: list[Any], known: list[Any]) -> None:
    given = pa.RecordBatch.from_pydict({"content": [TEXT] * 3, "may": values})
    found = rows(batch.parse_batch(given, tools_column="may"))
    assert [row["calls"][0]["known"] for row in found] == known
    found = rows(batch.parse_batch(given, tools_column="may", tools=["h"]))
    assert [row["calls"][0]["known"] for row in found] == [False] * 3


def test_tools_that_cannot_be_read_are_a_problem_of_their_row() -> None:
    given = pa.RecordBatch.from_pydict({"content": [TEXT, TEXT], "may": ["oops", '["f"]']})
    first, second = rows(batch.parse_batch(given, tools_column="may"))
    assert first["problems"][0]["reason"].startswith("tools ignored: the tools of a turn are not JSON")
    assert (first["calls"][0]["known"], second["calls"][0]["known"], second["problems"]) == (None, True, [])


def test_the_model_of_each_row() -> None:
    text = "[f(x=1)]"
    given = pa.RecordBatch.from_pydict({"content": [XML, text, text], "who": ["qwen3-coder:30b", "qwen3:8b", "nobody"]})
    found = rows(batch.parse_batch(given, model_column="who"))
    assert found[0]["format"] == "qwen3-coder"
    assert [row["format"] for row in rows(batch.parse_batch(given, model_column="who", format="hermes"))] == [
        "hermes"
    ] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "said"}, "text='said': no column has this name; pass one of 'content', 'n', 'n2', 'n2'"),
        ({"text": 3}, "text=3: no column has this name"),
        ({"text": "n2"}, "text='n2': several columns have this name; rename all but one of them"),
        ({"text": "n"}, "text='n': this column has type int64; pass a column of strings, or cast it to string"),
        ({"model_column": "n"}, "model_column='n': this column has type int64"),
        ({"tools_column": "x"}, "tools_column='x': no column has this name"),
        ({"format": "nobody"}, "unknown format 'nobody'"),
        ({"quoted": "yes"}, "quoted='yes' is not valid: pass"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    arrays = [pa.array(["Hi"]), pa.array([1]), pa.array([1]), pa.array([1])]
    with pytest.raises(UsageError, match=re.escape(message)):
        batch.parse_batch(pa.RecordBatch.from_arrays(arrays, ["content", "n", "n2", "n2"]), **faced(**options))


def test_what_is_no_batch() -> None:
    with pytest.raises(UsageError, match=r"batch=\['Hi'\] is not a table: pass a pyarrow.RecordBatch or"):
        batch.parse_batch(["Hi"])
    with pytest.raises(UsageError, match="has type binary; pass a column of strings"):
        batch.parse_batch(pa.RecordBatch.from_pydict({"content": [b"Hi"]}))
    with pytest.raises(UsageError, match="id='id': several columns have this name"):
        batch.parse_batch(pa.RecordBatch.from_arrays([pa.array(["Hi"])] * 3, ["content", "id", "id"]))
    with pytest.raises(ToolError):
        batch.parse_batch(pa.RecordBatch.from_pydict({"content": ["Hi"]}), tools=[3])


def test_the_function_travels_to_other_processes() -> None:
    assert pickle.loads(pickle.dumps(batch.parse_batch)) is batch.parse_batch


def test_fresh_parsers_are_kept_but_not_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many lists of tools a log has, memory stays what it is."""
    parsers = ParserFactory(format="hermes")
    made = 0
    make = ParserFactory._made

    def counted(self: ParserFactory, own: str, way: tuple[str, str] | None) -> Any:
        nonlocal made
        made += 1
        return make(self, own, way)

    monkeypatch.setattr(ParserFactory, "_made", counted)
    for _ in range(3):
        parsers.parser(["f"])
    assert made == 1
    for place in range(2 * KEPT):
        parsers.parser([f"f{place}"])
    assert (made, len(parsers._kept)) == (2 * KEPT + 1, KEPT)


def test_the_core_does_not_import_pyarrow() -> None:
    code = "import sys, toolglean, toolglean.cli, toolglean.batch.pool; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False\n"
