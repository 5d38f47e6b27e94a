"""The page: what is in it, whatever the turn contains. How it plays is tested in a browser (`nox -s browser`)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import toolglean.kit.replay.page as page_module
from docs.make_playground import LEFT_OUT, page, put_modules
from tests.support import depth
from toolglean import ParserOptions
from toolglean.kit.demo import load_streams, load_tools
from toolglean.kit.replay import cut_turn, html_page, record
from toolglean.kit.replay.page import page_data
from toolglean.kit.replay.request import about, answer, first_request

ROOT = Path(__file__).parents[2]
PLAYER = Path(page_module.__file__).parent
PLAYGROUND = ROOT / "docs" / "playground"
STYLE = (PLAYER / "player.css").read_text(encoding="utf-8")

HOSTILE = (
    "</script><script>alert(1)</script><!--<script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "]]>{{boot}}{{data}}</style></title>",
    "\u2028\u2029\u202e\u0000\ufeff",
    "\ud83d \ude00",
    "&lt;&amp;&#60;script&#62;",
)


class Tree(HTMLParser):
    """The elements of a page, and the text of its scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": [], "title": [], "h1": []}
        self.open = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open = tag
        if tag in self.texts:
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        del tag
        self.open = ""

    def handle_data(self, data: str) -> None:
        if self.open in self.texts:
            self.texts[self.open][-1] += data

    def values(self, attribute: str) -> list[str]:
        return [value for _, found in self.elements if (value := found.get(attribute)) is not None]


def page_of(turn: str, *, title: str = "a turn") -> Tree:
    return Tree(html_page(record(cut_turn(turn), ["f"], title=title)))


PLAIN = page_of("Hello.")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_turn_becomes_part_of_the_page(text: str) -> None:
    turn = f'{text}<tool_call>{{"name": "f", "arguments": {{"x": {json.dumps(text)}}}}}</tool_call>{text}'
    found = page_of(turn, title=text)
    assert found.elements == PLAIN.elements
    data, *scripts = found.texts["script"]
    assert scripts == PLAIN.texts["script"][1:]
    assert found.texts["style"] == PLAIN.texts["style"]
    assert data.isascii()
    assert not {*"<>&"} & {*data}
    assert "".join(part[0] for part in json.loads(data)["parts"]) == turn


def test_the_policy_allows_its_own_script_and_style_and_nothing_else() -> None:
    [policy] = [found["content"] for _, found in PLAIN.elements if "http-equiv" in found]
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"

    def hashes(texts: list[str]) -> set[str]:
        return {f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in texts}

    assert set(rules["script-src"].split()) == hashes(PLAIN.texts["script"][1:])
    assert set(rules["style-src"].split()) == hashes(PLAIN.texts["style"])
    assert not PLAIN.values("style")  # such a policy does not allow them
    assert not [name for _, found in PLAIN.elements for name in found if name.startswith("on")]


def test_the_page_needs_nothing_else() -> None:
    assert not PLAIN.values("src")
    assert not PLAIN.values("href")
    for text in (*PLAIN.texts["script"][1:], *PLAIN.texts["style"]):
        assert not re.search(
            r"https?:|url\(|@import|\bfetch\(|innerHTML|insertAdjacentHTML|document\.write|eval\(", text
        )


def test_names_for_screen_readers() -> None:
    ids = PLAIN.values("id")
    assert len(ids) == len(set(ids))
    for attribute in ("aria-labelledby", "aria-describedby", "for"):
        assert set(" ".join(PLAIN.values(attribute)).split()) <= set(ids)
    labelled = set(PLAIN.values("for"))
    for tag, found in PLAIN.elements:
        if tag in {"input", "select", "textarea"}:
            assert found["id"] in labelled
        if found.get("tabindex") is not None:
            assert found["role"] == "region"
            assert found["aria-label"]
    assert ("html", {"lang": "en"}) in PLAIN.elements
    assert any(found.get("aria-live") == "polite" and found.get("role") == "status" for _, found in PLAIN.elements)


def test_what_the_script_looks_for_is_there() -> None:
    script = (PLAYER / "player.js").read_text(encoding="utf-8")
    parts = set(PLAIN.values("data-part"))
    assert set(re.findall(r"boxes\.(\w+)", script)) | set(re.findall(r'boxes\["([\w-]+)"\]', script)) == parts
    for name in PLAIN.values("data-go"):
        assert f"{name}: () =>" in script


def test_the_data() -> None:
    chunks = ["Hi! ", '<tool_call>{"name": "f", "arguments": {"x": 1}}']
    data = page_data(record(chunks, ["f"], title="t", notes=["n"], format="hermes"))
    assert (data["title"], data["notes"], data["format"], data["steps"]) == ("t", ["n"], "hermes", 3)
    assert data["parts"] == [
        ["Hi! ", 0, 1, 1],
        ['<tool_call>{"name": "', 4, 2, 2],
        ["f", 2, 2, 2],
        ['", "arguments": ', 4, 2, 2],
        ['{"x": 1}', 3, 2, 2],
        ["}", 4, 2, 3],
    ]
    assert data["events"] == [
        [1, "content", "Hi! "],
        [2, "call_start", 0, "f", None, True],
        [2, "call_delta", 0, '{"x": 1}'],
        [3, "call_end", 0, "f", "call_0", True, "ok", []],
    ]
    assert data["marks"] == [
        [1, "LOOKING_FOR_TAG", "hermes"],
        [2, "TOOL_CALLING", "hermes"],
        [3, "LOOKING_FOR_TAG", "hermes"],
    ]
    assert data["findings"]["summary"] == "Read as hermes: 1 complete call (f)."


def test_what_is_quoted_has_a_ruler() -> None:
    data = page_data(record(["See:\n```\n", '<tool_call>{"name": "f"}', "\n```\nDone."], ["f"], format="hermes"))
    quoted = [(part[0], data["quotations"][part[6] - 1]) for part in data["parts"] if len(part) > 6]
    assert "".join(text for text, _ in quoted) == '```\n<tool_call>{"name": "f"}\n```'
    assert {why for _, why in quoted} == {"in a code fence that opened at 5"}


def test_findings() -> None:
    turn = 'Hi.\n<|tool_call>call:f{x:<|"|>1<|"|>}<tool_call|><tool_call>{"name": "f", "arguments": {"x": 1, y: 2}}'
    found = page_data(record(cut_turn(turn), ["f"], format="hermes", options=ParserOptions(strict=True)))["findings"]
    assert not found["complete"]
    assert {cause["name"] for cause in found["causes"]} >= {"json-broken", "other-dialect"}
    assert all(re.fullmatch(r"\d+:\d+", each["at"]) for each in found["causes"] + found["problems"] + found["openers"])
    assert found["openers"][0]["text"] == "<|tool_call>call:"
    assert found["openers"][0]["best"].startswith("gemma-4: a whole call of f, to 2:")


def test_the_size_is_linear() -> None:
    def size(count: int) -> int:
        return len(html_page(record(cut_turn("A few words, and more. " * count))))

    empty = size(0)
    assert size(400) - empty < 4.5 * (size(100) - empty)


# -- colours -----------------------------------------------------------------------------------------------------------


def colours(dark: bool) -> dict[str, str]:
    light_rules, _, dark_rules = STYLE.partition("@media (prefers-color-scheme: dark)")
    dark_rules = dark_rules.partition("* {")[0]
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", light_rules))
    return found | (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", dark_rules)) if dark else {})


def contrast(one: str, other: str) -> float:
    """As WCAG 2.2 defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast_is_that_of_level_aa(dark: bool) -> None:
    found = colours(dark)
    pairs = [(kind, f"{kind}-back") for kind in ("reasoning", "name", "arguments", "markup", "held", "unfinished")]
    pairs += [(text, back) for text in ("text", "quiet", "accent", "content", "future") for back in ("panel", "page")]
    pairs += [("on-accent", "accent"), ("held", "held-stripe"), ("unfinished", "panel"), ("text", "held-back")]
    pairs += [(kind, "panel") for kind in ("reasoning", "name", "arguments", "markup")]
    for text, back in pairs:
        assert contrast(found[text], found[back]) >= 4.5, (text, back)


def test_each_kind_has_a_pattern_of_its_own() -> None:
    kinds = ("reasoning", "name", "arguments", "markup", "unfinished")
    lines = {kind: re.search(rf"^\.{kind} {{[^}}]*underline (\w+)", STYLE, re.MULTILINE) for kind in kinds}
    assert len({line and line[1] for line in lines.values()}) == len(kinds)
    assert re.search(r"^\.held {[^}]*repeating-linear-gradient", STYLE, re.MULTILINE)


# -- the playground ----------------------------------------------------------------------------------------------------

ASKED: dict[str, Any] = {"turn": "", "tools": [], "own_tools": "", "format": "auto", "start": "content", "cut": None}


def asked(**fields: Any) -> Any:
    return json.loads(answer(json.dumps({**ASKED, **fields})))


def test_an_answer_for_the_playground() -> None:
    stream = load_streams()[0]
    data = asked(turn="".join(stream.tokens), tools=["get_weather"], cut=4)["data"]
    assert data == page_data(record(cut_turn("".join(stream.tokens), 4), load_tools()[:1]))
    assert next(event for event in data["events"] if event[1] == "call_start")[5] is True


def test_own_tools_and_the_start() -> None:
    data = asked(turn='Hm.</think><tool_call>{"name": "g", "arguments": {}}', own_tools='["g"]', start="reasoning")[
        "data"
    ]
    names = [event[1] for event in data["events"]]
    assert names[0] == "reasoning"
    assert "call_start" in names


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"own_tools": "[1"}, "own_tools", "This is not JSON: line 1, column 3: Expecting ',' delimiter."),
        ({"own_tools": '{"name": "f"}'}, "own_tools", "Expected a JSON list of tools, such as"),
        ({"own_tools": "[1]"}, "own_tools", "1 is not a tool: pass a name, "),
        ({"own_tools": '[{"name": "f", "parameters": 5}]'}, "own_tools", "the parameters of tool 'f' are 5: pass a JSON schema"),
        ({"own_tools": "[" * 100_000}, "own_tools", "This JSON is nested more than 64 levels deep; a list of tools never is."),
        ({"own_tools": "[1" + "0" * 5000 + "]"}, "own_tools", "This JSON cannot be read: Exceeds the limit"),
        ({"format": "nobody"}, "format", "unknown format 'nobody'"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_field(fields: dict[str, Any], field: str, message: str) -> None:
    error = asked(**fields)["error"]
    assert error["field"] == field
    assert error["message"].startswith(message)


def test_brackets_in_strings_are_not_nested() -> None:
    assert "data" in asked(own_tools=json.dumps(["[" * 100, '"' + "{" * 100]))


def test_a_long_turn_is_cut_into_larger_pieces() -> None:
    data = asked(turn="x" * 41_000, cut=1)["data"]
    assert data["steps"] == -(-41_000 // 3) + 1
    assert data["notes"] == ["The turn is long, so it was cut into pieces of 3 characters."]


def test_what_the_playground_offers() -> None:
    found = json.loads(about())
    assert "hermes" in found["formats"]
    assert [tool["name"] for tool in found["tools"]] == ["get_weather", "get_time", "send_message", "calc_sum"]
    assert found["streams"][0]["turn"] == "".join(load_streams()[0].tokens)


def test_the_playground_imports_nothing_that_is_left_out(tmp_path: Path) -> None:
    package = Path(page_module.__file__).parents[2]
    with zipfile.ZipFile(tmp_path / "whole.zip", "w") as whole:
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                whole.write(path, path.relative_to(package.parent).as_posix())
    assert all((package / each).is_dir() for each in LEFT_OUT)
    put_modules(tmp_path / "whole.zip", tmp_path / "toolglean.whl")
    streams = [
        ASKED | {"turn": "".join(each.tokens), "format": name}
        for each in depth.chosen(load_streams(), 2, key=lambda each: each.name)
        for name in ("auto", each.name)
    ]
    requests = [ASKED, *streams, ASKED | {"turn": 'So: <step fn="get_time"></step> `x` {"a": [1'}]
    (tmp_path / "requests.json").write_text(json.dumps(requests), encoding="utf-8")
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); from toolglean.kit.replay import request as r; "
        "print(json.dumps([r.about(), *(r.answer(json.dumps(each)) for each in json.load(open(sys.argv[2])))]))"
    )
    given = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        program,
        str(tmp_path / "toolglean.whl"),
        str(tmp_path / "requests.json"),
    ]
    done = subprocess.run(given, capture_output=True, check=True, encoding="utf-8")
    assert json.loads(done.stdout) == [about(), *(answer(json.dumps(each)) for each in requests)]


def test_the_playground_has_what_its_script_looks_for() -> None:
    text = page("../index.html", "0123")
    assert "docs/make_playground.py inserts" not in text
    tree = Tree(text)
    ids = tree.values("id")
    assert len(ids) == len(set(ids))
    script = (PLAYGROUND / "playground.js").read_text(encoding="utf-8")
    assert set(re.findall(r'get\("([\w-]+)"\)', script)) <= set(ids)
    assert set(ASKED) == set(re.findall(r'form\.get(?:All)?\("(\w+)"\)', script)) - {"tool"} | {"tools"}
    for path in [*tree.values("src"), *tree.values("href")]:
        assert path.startswith(("data:", "../")) or (PLAYGROUND / path).exists() or (PLAYER / path).exists()
    shown = json.loads(text.partition('id="first-answer">')[2].partition("</script>")[0])
    assert shown == {"about": json.loads(about()), "answer": json.loads(answer(first_request())), "digest": "0123"}
