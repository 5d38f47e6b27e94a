# The port answers as Ollama's Go parser did. Four kinds of proof, from the closest to the widest:
#   recorded   what the Go parser answered: a slice in fixtures/, and all of ../shared where that is at hand
#   by the book   a slow parser below, written from the rules alone, must agree on streams made up on the spot
#   state      a fork, copy or pickle at every chunk changes nothing
#   cost       the characters that are looked at, counted: their number grows with the text, not with its square
"""Tests of toolglean.ollama."""

from __future__ import annotations

import copy
import gzip
import json
import math
import pickle
import random
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import depth
from toolglean.errors import ToolError, UsageError
from toolglean.ollama import (
    Added,
    Call,
    Parser,
    State,
    arguments,
    content,
    done,
    find_arguments,
    find_tag,
    find_tool,
    gojson,
    names,
    parse_tag,
    parser,
    scan,
)
from toolglean.scan.nested import without_halves
from toolglean.tools import Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "vectors" / "ollama"


def shared_rows(name: str) -> list[dict[str, Any]]:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"../shared is not here: vectors/ollama/{name} may not be committed")
    return rows_of(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())


def rows_of(data: bytes) -> list[dict[str, Any]]:
    # Not splitlines: the streams are full of other line breaks.
    return [json.loads(line) for line in data.decode().split("\n") if line]


RANDOM = rows_of((ROOT / "fixtures" / "ollama" / "random.jsonl").read_bytes())


def canonical(value: Any) -> str:
    """Text that is equal where the answers are: numbers as floats, no order of keys, but `1` is not `true`."""
    return json.dumps(_as_floats(value), sort_keys=True)


def _as_floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_floats(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_floats(each) for each in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) + 0.0  # -0.0 was recorded as 0
    return value


def plain(calls: Iterable[Call]) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": call.arguments, "index": call.index} for call in calls]


def chunks_of(row: dict[str, Any]) -> list[str]:
    text: str = row["text"]
    if row["cuts"] == "chars":
        return list(text)
    edges = [0, *row["cuts"], len(text)]
    return [text[begin:end] for begin, end in pairwise(edges)]


def answer(parser: Any, chunks: Iterable[str], between: Callable[[Any], Any] = lambda parser: parser) -> dict[str, Any]:
    events = []
    for number, chunk in enumerate(chunks):
        text, calls = parser.add(chunk)
        if text or calls:
            events.append([number, text, plain(calls)])
        parser = between(parser)
    return {
        "events": events,
        "final_content": parser.content(),
        "final_buffer": parser.buffer,
        "state": int(parser.state),
    }


def agrees(row: dict[str, Any]) -> bool:
    got = canonical(answer(Parser(row["tools"], row["tag"]), chunks_of(row)))
    allowed = [row["expect"], *(row.get("alternatives", []) if row.get("nondeterministic") else [])]
    return got in map(canonical, allowed)


# --- recorded -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", RANDOM, ids=lambda row: row["id"])
def test_random_streams(row: dict[str, Any]) -> None:
    assert agrees(row)


def test_all_random_streams() -> None:
    rows = shared_rows("tools_random.jsonl.gz")
    assert len(rows) == 2500
    some = depth.chosen(rows, 160, key=lambda row: row["id"])
    assert [row["id"] for row in some if not agrees(row)] == []


def test_slice_is_of_all_random_streams() -> None:
    rows = {row["id"]: row for row in shared_rows("tools_random.jsonl.gz")}
    assert [row["id"] for row in RANDOM if rows[row["id"]] != row] == []


def upstream(row: dict[str, Any]) -> Any:
    operation = row.get("op")
    if operation == "parseTag":
        return parse_tag(row["template"])
    if operation == "findTag":
        i, found = find_tag(row["buffer"], row["tag"])
        return {"found": found, "i": in_bytes(row["buffer"], i)}
    if operation == "findArguments":
        decoded, end = find_arguments(row["tool"] or None, row["buffer"])
        return {"arguments": decoded, "end": in_bytes(row["buffer"], end)}
    if operation == "done":
        return {"done": done(row["tag"], row["buffer"])}
    if operation == "content":
        return {"content": content(row["tag"], row["buffer"], row["n"])}
    assert operation is None
    subject = Parser.from_template(row["tools"] or [], row["template"])
    assert subject.tag == row["tag"]
    return steps(subject, row["chunks"])


def in_bytes(text: str, pos: int) -> int:
    return len(text[:pos].encode()) if pos >= 0 else pos


def steps(subject: Parser, chunks: list[str]) -> dict[str, Any]:
    added = [subject.add(chunk) for chunk in chunks]
    return {
        "steps": [{"content": text, "calls": plain(calls)} for text, calls in added],
        "final_content": subject.content(),
        "final_buffer": subject.buffer,
        "state": int(subject.state),
    }


def test_upstream_cases() -> None:
    rows = shared_rows("tools_tests.jsonl")
    assert len(rows) == 124
    assert [row["id"] for row in rows if canonical(upstream(row)) != canonical(row["expect"])] == []


def test_known_defects_are_kept() -> None:
    rows = [row for row in shared_rows("defects.jsonl") if "tag" in row]
    assert len(rows) == 30
    wrong = []
    for row in rows:
        subject = Parser(row["tools"], row["tag"])
        expect = {key: row["oracle"][key] for key in ("steps", "final_content", "final_buffer", "state")}
        if canonical(steps(subject, row["chunks"])) != canonical(expect):
            wrong.append(row["id"])
    assert wrong == []


# --- by the book ----------------------------------------------------------------------------------------------------


class ByTheBook:
    """The rules of src/toolglean/ollama/__init__.py, read out: everything from the buffer's start, at every chunk."""

    def __init__(self, tools: Sequence[str], tag: str) -> None:
        self.tools, self.tag = tools, tag
        self.buffer, self.state, self.n = "", State.LookingForTag, 0

    def content(self) -> str:
        return self.buffer if self.n == 0 and self.tag in ("{", "[") else ""

    def add(self, s: str) -> tuple[str, list[Call]]:
        if self.state is State.Done:
            return s, []
        self.buffer += s
        text = ""
        if self.state == State.LookingForTag:
            at = self.buffer.find(self.tag)
            found = at != -1
            if not found:
                ends = range(max(0, len(self.buffer) - len(self.tag) + 1), len(self.buffer))
                at = next((i for i in ends if self.tag.startswith(self.buffer[i:])), len(self.buffer))
            text, self.buffer = self.buffer[:at], self.buffer[at:]
            if self.tag in ("{", "[") and any(not c.isspace() or c in "\x1c\x1d\x1e\x1f" for c in text):
                self.state = State.Done
                return text + self.buffer, []
            if not found:
                return text, []
            self.state = State.ToolCalling
        calls: list[Call] = []
        while (call := self.call()) is not None:
            calls.append(call)
        if self.tag in ("{", "[") and self.balanced():
            self.state, text, self.buffer = State.Done, self.buffer, ""
        return text, calls

    def call(self) -> Call | None:
        begun = {name[:size] for name in self.tools for size in range(1, len(name))}
        if not self.buffer or any(self.buffer.endswith(beginning) for beginning in begun):
            return None
        places = [(self.buffer.find(name), -len(name), name) for name in self.tools if name in self.buffer]
        if not places:
            return None
        place, _, name = min(places)
        found, brace = self.object()
        decided = None if found is None else self.decide(found, name)
        if not isinstance(decided, dict):
            return None
        self.buffer = self.buffer[max(place + len(name), brace) :]
        self.n += 1
        return Call(name, decided, self.n - 1)

    def outside(self) -> Iterable[tuple[int, str]]:
        in_string = escaped = False
        for i, c in enumerate(self.buffer):
            if escaped:
                escaped = False
            elif c == "\\":
                escaped = True
            elif c == '"':
                in_string = not in_string
            elif not in_string:
                yield i, c

    def object(self) -> tuple[dict[str, Any] | None, int]:
        depth, start = 0, -1
        for i, c in self.outside():
            if c == "{":
                start = i if depth == 0 else start
                depth += 1
            elif c == "}" and depth:
                depth -= 1
                if depth == 0 and (found := self.decoded(self.buffer[start : i + 1])) is not None:
                    return found, i
        return None, 0

    def balanced(self) -> bool:
        depth = 0
        closer = "}" if self.tag == "{" else "]"
        for _, c in self.outside():
            depth += (c == self.tag) - (c == closer)
            if c == closer and depth == 0:
                return True
        return False

    @staticmethod
    def decoded(text: str) -> Any:
        def number(text: str) -> float:
            if math.isinf(float(text)) or "I" in text or "N" in text:
                raise ValueError(text)
            return float(text)

        try:
            return json.loads(text, parse_int=number, parse_float=number, parse_constant=number)
        except ValueError:
            return None

    def decide(self, holder: dict[str, Any], name: str, top: bool = True) -> Any:  # noqa: FBT002
        def at(key: str) -> Any:
            value = holder.get(key)
            if isinstance(value, str):
                value = None if value.strip() == "null" else self.decoded(value) or value
            elif value is None:
                return False
            return value if value is None or isinstance(value, dict) else False

        if "name" in holder:
            found = at("arguments") if "arguments" in holder else False
            return found if found is not False else at("parameters")
        if (found := at(name)) is not False:
            return found
        for value in holder.values():
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, dict) and (found := self.decide(child, name, top=False)) is not False:
                    return found
        return holder if top else False


WORDS = [
    *'{}[]{}[]{}""\\:, a', '{"a": 1}', '"name": "get",', '"arguments": {"x": [1]}', '"arguments": "{}"',
    '"parameters": {"p": {}}', '"parameters": "null"', '{"get_weather": {"c": "\\"}"}}',
    '{"name": "get_weather", "arguments": {"c": 2}}', '{"name": "get", "parameters": "{\\"c\\": 2}"}',
    '{"function": {"name": "get", "arguments": {}}}',
    '{"l": [[{"name": "get"}], {"name": 1, "arguments": {"deep": 1e9}}]}', '{"name": "get"}', '{"a": 1,}',
    '{"a": NaN}', '{"a": 1e400}', "get", "get_weather", "ge", "g", "_weather", "<tool_call>", "<tool",
    "</tool_call>", "\x1c", "\u2003", "\n", "天",
]  # fmt: skip


@pytest.mark.parametrize("tag", ["<tool_call>", "{", "[", "aab", ""])
def test_agrees_with_the_book(tag: str) -> None:
    dice = random.Random(f"ollama {tag}")
    tool_lists = [["get", "get_weather"], ["get_weather"], ["a"], ["天气", "g", "get"], ["", "get"], ["{"], ["}x"], []]
    for _ in range(1500 if depth.is_full() else 80):
        tools = dice.choice(tool_lists)
        words = [dice.choice(WORDS) for _ in range(dice.randint(0, 14))]
        if dice.random() < 0.7:
            words.insert(dice.randint(0, min(2, len(words))), tag)
        text = "".join(words)
        step = dice.choice([1, 2, 4, 9, 1000])
        chunks = [text[i : i + step] for i in range(0, len(text), step)]
        if dice.random() < 0.2:
            chunks.insert(dice.randint(0, len(chunks)), "")
        expect = answer(ByTheBook(tools, tag), chunks)
        assert canonical(answer(Parser(tools, tag), chunks)) == canonical(expect), (tools, chunks)


# --- state ----------------------------------------------------------------------------------------------------------


def disturbed(copied: Callable[[Parser], Parser]) -> Callable[[Parser], Parser]:
    def between(old: Parser) -> Parser:
        new = copied(old)
        old.add('\\"}{[]{"name": "get", "arguments": {}} get_weather {}')
        return new

    return between


@pytest.mark.parametrize(
    "copied",
    [Parser.fork, copy.copy, copy.deepcopy, lambda old: pickle.loads(pickle.dumps(old))],
    ids=["fork", "copy", "deepcopy", "pickle"],
)
def test_copies_go_on_alike(copied: Callable[[Parser], Parser]) -> None:
    for row in depth.chosen(RANDOM, 16, key=lambda row: row["id"]):
        chunks = chunks_of(row)
        expect = answer(Parser(row["tools"], row["tag"]), chunks)
        assert answer(Parser(row["tools"], row["tag"]), chunks, disturbed(copied)) == expect, row["id"]


def test_pickled_state_of_another_layout_is_refused() -> None:
    state = Parser(["f"], "{").__getstate__()
    with pytest.raises(UsageError, match="layout 0"):
        object.__new__(Parser).__setstate__((0, *state[1:]))


# --- the door -------------------------------------------------------------------------------------------------------


def test_what_add_returns() -> None:
    subject = Parser(["f"], "<t>")
    added = subject.add('a <t>f {"n": 1}')
    assert added == Added("a ", [Call("f", {"n": 1.0}, 0)])
    assert added.content == "a "
    assert type(added.calls[0].arguments["n"]) is float
    assert subject.state is State.ToolCalling
    assert subject.buffer == "}"
    assert repr(subject) == "Parser(['f'], '<t>'): ToolCalling, 1 calls"


def test_tools_in_every_shape() -> None:
    tools = ["", "get", Tool("b"), {"type": "function", "function": {"name": "c"}}, "get", {"name": ""}]
    subject = Parser(tools, "")
    assert repr(subject).startswith("Parser(['', 'get', 'b', 'c', 'get', ''], '')")


def test_template() -> None:
    template = '{{ if .ToolCalls }}<call>{{ range .ToolCalls }}{"name": "{{ .Function.Name }}"}{{ end }}{{ end }}'
    assert Parser.from_template(["f"], template).tag == "<call>"
    with pytest.raises(UsageError, match=r"template=\['f'\] is not the text of a template: pass the tools first"):
        Parser.from_template(template, ["f"])  # type: ignore[arg-type]  # the order of 1.0.0rc1


@pytest.mark.parametrize("tools", ["get", {"name": "get"}, None, 1, [None], [{"name": None}], [1]])
def test_tools_that_cannot_be_understood(tools: Any) -> None:
    with pytest.raises(ToolError):
        Parser(tools, "{")


def test_tag_must_be_text() -> None:
    with pytest.raises(UsageError, match="tag"):
        Parser([], b"{")  # type: ignore[arg-type]


@pytest.mark.parametrize("ended", [False, True])
def test_chunks_must_be_text(ended: bool) -> None:
    subject = Parser([], "{")
    if ended:
        subject.add("text")
    with pytest.raises(UsageError, match=r"s=b'{' is not text: pass text"):
        subject.add(b"{")  # type: ignore[arg-type]


def test_find_tool() -> None:
    assert find_tool(["get", "get_weather"], "x get_weather get") == (None, 0)
    assert find_tool(["get", "get_weather"], "x get_weather get ") == ("get_weather", 13)
    assert find_tool(["b", "ab"], "xab") == ("ab", 3)
    assert find_tool(["", "get"], "") == (None, 0)
    assert find_tool(["", "get"], "x") == ("", 0)
    assert find_tool(["", "get"], "get") == ("get", 3)
    assert find_tool([], "get") == (None, 0)


# --- Go's JSON ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' {"a": [1, -0.5e1, true, false, null, ""]}\n', {"a": [1.0, -5.0, True, False, None, ""]}),
        ("null", None),
        ('{"a": 1, "b": 2, "a": 3}', {"a": 3.0, "b": 2.0}),
        ('{"a": 9007199254740993}', {"a": 9007199254740992.0}),
        ('{"a": 1e-400}', {"a": 0.0}),
        ('{"a": 0.' + "3" * 5000 + "}", {"a": 1 / 3}),
        ('{"a": ' + "1" * 300 + "}", {"a": float("1" * 300)}),
        (r'{"a": "\ud83d"}', {"a": "\ufffd"}),
        (r'{"a": "\ud83dx\uDE00"}', {"a": "\ufffdx\ufffd"}),
        (r'{"a": "\ud83d\ude00"}', {"a": "😀"}),
        (r'{"a": "\ud83d\ud83d\ude00"}', {"a": "\ufffd😀"}),
        (r'{"a": "\ud83d\u0041\n"}', {"a": "\ufffdA\n"}),
        (r'{"a": "\\ud83d"}', {"a": r"\ud83d"}),
        (r'{"\ud800": 1, "\udfff": 2}', {"\ufffd": 2.0}),
        ('{"a": "x\udc80"}', {"a": "x\ufffd"}),
        ('{"a": "\x7f\u2028"}', {"a": "\x7f\u2028"}),
        (r'{"a": "\u0000"}', {"a": "\0"}),
    ],
)
def test_go_json(text: str, value: Any) -> None:
    assert gojson.decode_object(text) == (value, True)
    if value is not None:  # deep texts are containers
        assert gojson._decode_deep(without_halves(text)) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "1",
        '"{}"',
        "{",
        "{]",
        "{,}",
        '{"a"}',
        '{"a":}',
        '{"a":,}',
        '{"a" 1}',
        '{"a": 1,}',
        '{"a": 1 "b": 2}',
        '{"a": [1,]}',
        '{"a": [,1]}',
        '{"a": [1 2]}',
        '{"a": [1}}',
        '{"a": 1}}',
        '{"a": 1} x',
        "{a: 1}",
        "{1: 1}",
        "{'a': 1}",
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e400}',
        '{"a": ' + "1" * 5000 + "}",
        '{"a": 01}',
        '{"a": .5}',
        '{"a": 1.}',
        '{"a": +1}',
        '{"a": ١}',
        '{"a": "\n"}',
        '{"a": "\x1f"}',
        r'{"a": "\x41"}',
        r'{"a": "\u12g4"}',
        r'{"a": "\ud8"}',
        '{"a": "\\',
        '\ufeff{"a": 1}',
        '{"a":\xa01}',
    ],
)
def test_go_refuses(text: str) -> None:
    assert gojson.decode_object(text) == (None, False)
    try:
        value = gojson._decode_deep(text)
    except ValueError:
        return
    assert not isinstance(value, dict)


def nested(levels: int, value: str = "1") -> str:
    """So many objects and arrays within each other."""
    lists = (levels - 1) // 2
    return '{"a":' * (levels - lists) + "[" * lists + value + "]" * lists + "}" * (levels - lists)


@pytest.mark.parametrize("levels", [100, 199, 201, 1000, 9999, 10_000])
def test_deep_json(levels: int) -> None:
    value, fine = gojson.decode_object(nested(levels))
    assert fine
    for _ in range(levels):
        value = value["a"] if isinstance(value, dict) else value[0]  # type: ignore[index]
    assert value == 1.0  # type: ignore[comparison-overlap]


def test_too_deep_json() -> None:
    assert gojson.decode_object(nested(10_001)) == (None, False)
    assert gojson.decode_object(nested(10_001, "{}")) == (None, False)
    assert gojson.decode_object(nested(9_999, "{}"))[1]
    assert not gojson.decode_object(nested(300, ","))[1]


def test_wide_json_is_not_deep() -> None:
    text = '{"a": [' + '{"b": "]}"}, ' * 500 + "{}]}"
    value, fine = gojson.decode_object(text)
    assert fine
    assert value == {"a": [{"b": "]}"}] * 500 + [{}]}


def test_deep_json_is_never_on_the_stack_of_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a thread with a small one, and a high limit of recursion, the C decoder ends the process."""
    monkeypatch.delattr(json.JSONDecoder, "decode")
    assert [gojson.decode_object(nested(levels))[1] for levels in (201, 9_999)] == [True, True]


def test_call_from_near_the_end_of_the_stack() -> None:
    # The caller may stand so deep that the C decoder gives up on what is shallow. (The iterative one needs ten frames.)
    text = nested(150)

    def down(levels: int) -> bool:
        try:
            return down(levels + 1)
        except RecursionError:
            return gojson.decode_object(text)[1] if levels % 30 == 0 else _raise()

    def _raise() -> bool:
        raise RecursionError

    assert down(0)


def test_deep_arguments_in_a_stream() -> None:
    deep = nested(9_990)
    subject = Parser(["f"], "<t>")
    text = f'<t>{{"name": "f", "arguments": {deep}}}'
    calls = [call for i in range(0, len(text), 999) for call in subject.add(text[i : i + 999]).calls]
    assert [call.name for call in calls] == ["f"]
    # Objects to look through for a call, each in the last: no call there, so the whole is the arguments.
    assert [call.name for call in Parser(["f"], "<t>").add(f"<t>f{deep}").calls] == ["f"]


# --- cost -----------------------------------------------------------------------------------------------------------


def hermes(n: int) -> str:
    return f'Hi <tool_call>{{"name": "get", "arguments": {{"x": "{"text " * (n // 5)}"}}}}</tool_call>'


def escapes(n: int) -> str:
    return hermes(n).replace("text ", r"\"\\a")


TEXTS: dict[str, tuple[str, Callable[[int], str]]] = {
    "plain text": ("<tool_call>", lambda n: "just text " * (n // 10)),
    "almost a tag": ("<tool_call>", lambda n: "<tool_cal" * (n // 9)),
    "one long string": ("<tool_call>", hermes),
    "one long string, bare": ("{", lambda n: hermes(n)[14:]),
    "escapes": ("<tool_call>", escapes),
    "arguments as text": ("<tool_call>", lambda n: "<tool_call>get" + json.dumps({"get": '{"x":"' + "y" * n + '"}'})),
    "unknown tool": ("<tool_call>", lambda n: hermes(n).replace("get", "none").replace("text", "food")),
    "object before the name": ("<tool_call>", lambda n: "<tool_call>" + '{"x": {}} ' * (n // 10) + "get"),
    "openers": ("<tool_call>", lambda n: "<tool_call>get" + "{" * n),
    "openers and closers": ("<tool_call>", lambda n: "<tool_call>get" + "{" * (n // 2) + "}" * (n // 2)),
    "lists that open": ("[", lambda n: "[" * n),
    "closers": ("[", lambda n: "[get" + "}" * n),
    "objects that fail": ("<tool_call>", lambda n: "<tool_call>get" + "{x} " * (n // 4)),
    "no object": ("<tool_call>", lambda n: "<tool_call>get" + " and " * (n // 5)),
    "wedged": ("<tool_call>", lambda n: '<tool_call>{"name": "get"}' + '{"x": 1} get ' * (n // 13)),
    "wedged, bare list": ("[", lambda n: '[{"name": "get"}' + '{"x": 1} get ' * (n // 13)),
    "many calls": ("<tool_call>", lambda n: '<tool_call>{"name": "get", "arguments": {}}' * (n // 43)),
    "many calls, bare": ("[", lambda n: "[" + '{"name": "get", "arguments": {}},' * (n // 33)),
    "names after objects": ("<tool_call>", lambda n: "<tool_call>" + "{}get " * (n // 6)),
    "always the beginning of a name": ("<tool_call>", lambda n: "<tool_call>" + "g_g" * 10 + "get g" * (n // 5)),
    "beginnings, then calls": ("<tool_call>", lambda n: "<tool_call>_" + "get{}_ g" * (n // 8) + "."),
    "quotes": ("<tool_call>", lambda n: "<tool_call>get" + '"' * n),
    "backslashes": ("{", lambda n: "{get" + '\\"' * (n // 2)),
    "escapes outside of strings": ("<tool_call>", lambda n: "<tool_call>get" + "{" * 300 + '\\"' * n + "}" * 300),
}


class Count:
    """The characters that are looked at, or copied, by any of the functions that do so."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.characters = 0
        self.patch = patch
        self._watch(scan, "jump", lambda result, _, __, pos: result - pos + 1)
        self._watch(names.Names, "begins_in", lambda _, __, tail: len(tail))
        self._watch(names.Names, "search", self._searched)
        self._watch(arguments, "decode_object", lambda _, text: len(text))
        self._watch(parser, "find_tag", lambda _, buffer, __: len(buffer))
        self._watch(parser, "joined", lambda result, _: len(result))

    def _watch(self, owner: Any, name: str, cost: Callable[..., int]) -> None:
        original = getattr(owner, name)

        def watched(*values: Any) -> Any:
            result = original(*values)
            self.characters += 1 + cost(result, *values)
            return result

        self.patch.setattr(owner, name, watched)

    @staticmethod
    def _searched(result: Any, _: Any, text: str, pos: int) -> int:
        return (result.end() if result else len(text)) - pos


def cost(monkeypatch: pytest.MonkeyPatch, tag: str, text: str, step: int) -> float:
    with monkeypatch.context() as patch:
        count = Count(patch)
        subject = Parser(["get", "get_weather"], tag)
        for i in range(0, len(text), step):
            subject.add(text[i : i + step])
        return count.characters / len(text)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("step", [4, 1, 1_000_000])
@pytest.mark.parametrize("title", TEXTS)
def test_cost_grows_with_the_text_only(monkeypatch: pytest.MonkeyPatch, title: str, step: int) -> None:
    tag, text = TEXTS[title]
    small = cost(monkeypatch, tag, text(1_000), step)
    large = cost(monkeypatch, tag, text(16_000 if depth.is_full() else 4_000), step)
    assert large <= 1.3 * small
    assert large <= 30  # in fact 21 at most: many short calls, each character a chunk
