# The two laws of `toolglean anonymize`: the user's words do not survive, and the shape does. Does not depend on which word
# replaces which.
"""Turns for reports."""

from __future__ import annotations

import json
import random
import re
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.test_parse import lines, toolglean
from tests.support import depth
from toolglean import Parser
from toolglean.kit.anonymize import Anonymizer, shape_of
from toolglean.kit.anonymize.preserved import KEYS, LITERALS, preserved
from toolglean.kit.demo import load_streams, load_tools

FIXTURES = Path(__file__).parents[2] / "fixtures"
Turn = tuple[str, str, Any]


def turns() -> list[Turn]:
    """Names of turns, their texts and tools: of all formats, and as models really wrote them."""
    found = [(f"stream {each.name}", "".join(each.tokens), load_tools()) for each in load_streams()]
    tools = json.loads((FIXTURES / "renders" / "inputs.json").read_text("utf-8"))["tools"]
    with (FIXTURES / "renders" / "turns.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    found += [(f"{row['template']} {row['case']}", row["turn"], tools) for row in rows]
    with (FIXTURES / "wild.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return found + [(row["id"], row["text"], row["tools"]) for row in rows]


TURNS = turns()
SOME = depth.chosen(TURNS, 16, key=lambda each: each[0])


def words(text: str) -> set[str]:
    """The words of four letters or more; an escape is not a word."""
    return set(re.findall(r"[^\W\d_]{4,}", re.sub(r"\\+u[0-9a-fA-F]{4}|\\+[a-zA-Z]", " ", text)))


def allowed(word: str) -> bool:
    """Whether a word is of a marker, of a key, or of JSON."""
    is_format = preserved().is_word(word) or preserved().is_preserved(word, "<", ">")  # also one that is misspelled
    return is_format or word in LITERALS or any(word in key.split("_") for key in KEYS)


def anonymous(text: str, tools: Any, *, wide: bool = False) -> tuple[str, Any]:
    made = Anonymizer([text], tools, wide=wide)
    return made.text(text), made.tools(tools)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("text", "tools"), [each[1:] for each in SOME], ids=[each[0] for each in SOME])
def test_the_laws(text: str, tools: Any) -> None:
    """It is read alike, and no word of it is left that is not the format's."""
    found, own = anonymous(text, tools)
    assert shape_of(found, Parser(own)) == shape_of(text, Parser(tools))
    left = words(text) & words(found)
    assert not {word for word in left if not allowed(word)}
    names = {each if isinstance(each, str) else each.get("function", each)["name"] for each in tools or ()}
    assert not {name for name in names if len(name) > 3 and name in found and not allowed(name)}


@given(
    st.text(alphabet=string.ascii_letters + "éЖ李 \n'\"\\{}<>:,.&;019_-", min_size=1, max_size=40),
    st.sampled_from([each[1] for each in TURNS]),
    st.integers(0, 1 << 16),
)
def test_nothing_leaks_from_prose_and_values(secret: str, text: str, place: int) -> None:
    """Any text anywhere in a turn: only the format's own words are left, and lengths and punctuation stay."""
    place %= len(text) + 1
    whole = text[:place] + secret + text[place:]
    found, _ = anonymous(whole, None)
    assert len(found) == len(whole)
    assert not {word for word in words(whole) & words(found) if not allowed(word)}
    for one, other in zip(whole, found, strict=True):
        if one.isascii() and not one.isalnum():
            assert one == other
        elif one.isascii():
            assert (one.isdecimal(), one.isalpha()) == (other.isdecimal(), other.isalpha())


@given(st.sampled_from(SOME), st.randoms(use_true_random=False))
def test_broken_turns_are_read_alike(turn: Turn, dice: random.Random) -> None:
    """Cut off, or with a character less: at the latest with the words of markers kept everywhere."""
    _, text, tools = turn
    begin = dice.randrange(len(text) + 1)
    text = text[:begin] if dice.random() < 0.5 else text[:begin] + text[begin + 1 :]
    wanted = shape_of(text, Parser(tools))
    shapes = []
    for wide in (False, True):
        found, own = anonymous(text, tools, wide=wide)
        shapes.append(shape_of(found, Parser(own)))
    # A key that the fault has torn apart becomes a word of its own, so where the reading broke off may differ.
    assert wanted in shapes or wanted.calls in [each.calls for each in shapes]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<tool_call>", "<tool_call>"),
        ("</tool_cal>", "</tool_cal>"),  # misspelled
        ("<parametre=x>", "<parametre=k>"),
        ("<tool_ca", "<tool_ca"),  # broken off
        ("tool_calls_begin", "tool_calls_begin"),  # its brackets were taken
        ("functions_find_3", "functions_hmcl_6"),
        ('functools[{"name": "f"}]', 'functools[{"name": "k"}]'),
        ("The final answer of the assistant", "Vgng"),
        ("[send_message(x=1)]", "[hmcl"),
        ('"C:\\\\temp\\\\dir"', "\\\\t"),
        (r'"\u0041\u00e9\u003c\n\ud83d\ude00"', r'"\u0071\u00e9\u003c\n\ud83d\ude00"'),
        ("&lt;a&gt; &#65;", "&lt;"),
        ("1 10 0.50 007 -3.0 1e400 1e5 2E-12", "4 "),
    ],
)
def test_what_stays(text: str, found: str) -> None:
    made, _ = anonymous(text, [{"name": "send_message"}])
    assert len(made) == len(text)
    if len(found) == len(text):  # all of it is shown
        stays = re.sub(r"(?<![A-Za-z])[a-z0-9](?![A-Za-z])|hmcl|find", "?", found)
        assert re.sub(r"(?<![A-Za-z])[a-z0-9](?![A-Za-z])|(?<=functions_)[a-z]{4}", "?", made) == stays
    assert not {word for word in words(text) & words(made) if not allowed(word)}


def test_numbers_stay_as_valid_and_as_large() -> None:
    for number in ("1", "10", "0.50", "-3.0", "1e5", "2E-12", "1e308", "123456789012345678901234567890", "0", "4.0"):
        made, _ = anonymous(f'{{"x": {number}}}', None)
        [value] = json.loads(made).values()
        before = json.loads(number)
        assert type(value) is type(before)
        assert (value == int(value)) >= (before == int(before))
    assert json.loads(anonymous("1e400", None)[0]) == float("inf")
    assert anonymous("007", None)[0].startswith("00")


def test_equal_words_stay_equal_and_others_do_not() -> None:
    text = "Oslo oslo OSLO Oslos Bergen a b c 1 2 3 1"
    made = anonymous(text, None)[0].split()
    assert made[0].casefold() == made[1].casefold() == made[2].casefold() != made[3].casefold()
    assert (made[0].istitle(), made[1].islower(), made[2].isupper()) == (True, True, True)
    assert made[8] == made[11]
    assert len(set(made)) == len(set(text.split()))
    key = anonymous("sk-aBcDeFgHiJ sk-aBcDeFgHiJ sk-abCDEfghIJ", None)[0].split()
    assert key[0] == key[1] != key[2]
    assert key[0].islower()  # where its capitals stood is not told


def test_tools_keep_their_schema() -> None:
    tools = [
        {
            "type": "function",
            "function": {
                "name": "book_flight",
                "description": "Books a flight.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "type": {"type": "string", "enum": ["cheap", "fast"]},
                        "seats": {"type": ["integer", "null"], "minimum": 12},
                        "who": {"$ref": "#/$defs/Person"},
                    },
                    "required": ["seats", "type"],
                    "$defs": {"Person": {"type": "object", "properties": {"age": {"type": "integer"}}}},
                },
            },
        }
    ]
    text = '<tool_call>{"name": "book_flight", "arguments": {"type": "cheap", "seats": 12}}</tool_call>'
    made, own = anonymous(text, tools)
    schema = own[0]["function"]["parameters"]
    call = json.loads(made.removeprefix("<tool_call>").removesuffix("</tool_call>"))
    assert call["name"] == own[0]["function"]["name"]
    kind, seats, who = schema["properties"]
    assert [seats, kind] == schema["required"] == [*call["arguments"]][::-1]
    assert schema["properties"][kind] == {
        "type": "string",
        "enum": [call["arguments"][kind], *schema["properties"][kind]["enum"][1:]],
    }
    assert schema["properties"][seats]["type"] == ["integer", "null"]
    [person] = schema["$defs"]
    assert schema["properties"][who] == {"$ref": f"#/$defs/{person}"}
    left = words(json.dumps(tools)) & words(json.dumps(own))
    assert left <= {"type", "function", "name", "description", "parameters", "object", "properties", "string", "enum"} | {
        "integer", "null", "minimum", "required", "defs"
    }  # fmt: skip


# -- the command -------------------------------------------------------------------------------------------------------

CALL = '<tool_call>{"name": "book_flight", "arguments": {"city": "Bergen"}}</tool_call>'


def test_the_command_prints_a_turn(tmp_path: Path) -> None:
    tools, own = tmp_path / "tools.json", tmp_path / "own.json"
    tools.write_text(json.dumps([{"name": "book_flight", "parameters": {"properties": {"city": {}}}}]), "utf-8")
    options = ("--tools", str(tools), "--tools-output", str(own))
    done = toolglean("anonymize", *options, stdin=f"For Bergen.\n{CALL}".encode())
    assert (done.returncode, done.stderr) == (0, b"")
    printed = done.stdout.decode()
    assert len(printed) == len(f"For Bergen.\n{CALL}")
    [tool] = json.loads(own.read_text("utf-8"))
    [row] = lines(toolglean("parse", "--tools", str(own), stdin=done.stdout))
    [call] = row["calls"]
    assert (call["known"], call["name"], [*call["arguments"]]) == (
        True,
        tool["name"],
        [*tool["parameters"]["properties"]],
    )
    assert not {"Bergen", "book", "flight", "city"} & words(printed + own.read_text("utf-8"))


def test_the_command_prints_a_log() -> None:
    rows = [
        {"id": "acme-1", "content": CALL, "customer": "Acme"},
        {"id": "b", "choices": [{"message": {"role": "assistant", "content": CALL}, "finish_reason": "stop"}]},
        {"messages": [{"role": "user", "content": "Bergen?"}, {"role": "assistant", "content": CALL}]},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "book_flight", "arguments": {"city": 3}}}],
        },
        {"error": {"message": "Bergen is overloaded"}},
    ]
    done = toolglean("anonymize", "--turns", stdin="".join(f"{json.dumps(row)}\n" for row in rows).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    made = lines(done)
    assert "Bergen" not in done.stdout.decode()
    first, second, third, fourth, _ = made
    assert [*first][:2] == ["id", "content"]
    assert "customer" not in first
    assert second["choices"][0]["message"] == {"role": "assistant", "content": first["content"]}
    assert third["messages"][1] == {"role": "assistant", "content": first["content"]}
    call = json.loads(first["content"].removeprefix("<tool_call>").removesuffix("</tool_call>"))
    assert fourth["tool_calls"][0]["function"]["name"] == call["name"]
    assert [*fourth["tool_calls"][0]["function"]["arguments"]] == [*call["arguments"]]


def test_a_stream_becomes_its_turn() -> None:
    chunks = "".join(f"{json.dumps(CALL[place : place + 5])}\n" for place in range(0, len(CALL), 5))
    assert (
        toolglean("anonymize", "--stream", stdin=chunks.encode()).stdout
        == toolglean("anonymize", stdin=CALL.encode()).stdout
    )


def test_what_is_read_differently_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Anonymizer, "text", lambda _self, text: "x" * len(text))
    done = toolglean("anonymize", stdin=CALL.encode()) if not depth.is_full() else None
    if done is not None:
        assert done.returncode == 1
        assert b"the turn is read differently now: say so in the report" in done.stderr
