"""The shipped adapters, as far as they can be tested without the projects that they adapt: `nox -s targets` runs those."""

from __future__ import annotations

import ast
import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.shared import ROOT
from tests.support.stand_in import stand_in
from toolglean.cli import main
from toolglean.formats.registry import find_format
from toolglean.kit.conformance import load_cases
from toolglean.kit.conformance.targets import TARGETS, build_llama_cpp
from toolglean.kit.conformance.targets.between_markers import read
from toolglean.kit.conformance.targets.tokens import ENDS, MARKERS, Tokens

FOLDER = Path(build_llama_cpp.__file__).parent
PACKAGE = "toolglean.kit.conformance.targets"
PEERS = (
    *("instructor", "json_repair", "mlx_lm", "openai_harmony", "partial_json_parser", "sglang", "smg", "transformers"),
    "vllm",
)
CASES = load_cases()
PROJECTS = {name: target for name, target in TARGETS.items() if target.package}
"""All targets but toolglean itself."""


# -- all of them -------------------------------------------------------------------------------------------------------


def test_each_target_names_a_class_or_function_of_its_file() -> None:
    assert list(TARGETS) == sorted(TARGETS)
    for name, target in PROJECTS.items():
        path, _, attribute = target.adapter.rpartition(":")
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
        assert (target.name, re.fullmatch(r"[a-z0-9-]+", name) is not None) == (name, True)
        assert attribute in defined
        assert target.package
        assert target.install.endswith(".")


def test_the_page_and_the_session_know_every_target() -> None:
    page = (ROOT / "docs" / "how-to" / "conformance.md").read_text(encoding="utf-8")
    nox = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    for name in PROJECTS:
        assert f"`{name}`" in page
        assert f'"{name}": ' in nox


def test_an_adapter_imports_of_toolglean_only_what_is_beside_it() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            ours = [name for name in names if name and name.startswith("toolglean")]
            assert all(name.startswith((PACKAGE, "toolglean._child")) for name in ours), path


@pytest.mark.parametrize("name", PROJECTS)
def test_a_project_that_is_not_installed_is_told_with_how_to_install_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for peer in PEERS:  # also where they are installed
        (tmp_path / f"{peer}.py").write_text(f'raise ImportError("No module named {peer!r}")', encoding="utf-8")
    # The Python of a project may have another toolglean, as a plugin.
    (tmp_path / "toolglean").mkdir()
    (tmp_path / "toolglean" / "__init__.py").write_text('raise RuntimeError("another version")', encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.delenv("TOOLGLEAN_LLAMA_CPP", raising=False)
    monkeypatch.delenv("TOOLGLEAN_AI_SDK", raising=False)
    assert main(["conformance", "--target", name, "--only", "written/prose"]) == 2
    found = " ".join(capsys.readouterr().err.split())
    if name == "llama-cpp":  # which is a folder, and not a package of that Python
        assert "TOOLGLEAN_LLAMA_CPP='' is not the folder of llama.cpp" in found
        assert "does not have" not in found
        return
    if name == "ai-sdk":
        assert "TOOLGLEAN_AI_SDK is not set; run `npm install @ai-sdk-tool/parser` in a folder" in found
        return
    assert TARGETS[name].package in found
    assert TARGETS[name].install in found


# -- tokens ------------------------------------------------------------------------------------------------------------


def test_the_markers_of_a_format_are_tokens() -> None:
    marker = re.compile(r"<[^<>\s=\"']{2,60}>?|\[/?[A-Z_]{3,40}\]")
    for name in {case.format for case in CASES if case.format}:
        declared = find_format(name)
        assert declared is not None
        tokens = " ".join(Tokens(name).markers)
        missing = [each for text in declared.markers for each in marker.findall(text) if each not in tokens]
        assert not missing, f"{name}: MARKERS lacks {missing}"
        assert name in MARKERS


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_only_the_token_that_ends_a_turn_is_left_out(case: Any) -> None:
    tokens = Tokens(case.format, case.special, case.atomic)
    passed = "".join(tokens.pieces(case.text))
    rest = case.text.removeprefix(passed)
    assert passed + rest == case.text
    assert not rest or re.fullmatch(rf"(?:(?:{'|'.join(map(re.escape, ENDS))})\s*)+", rest)
    assert tokens.passed(case.text) == passed
    assert tokens.passed("a<|im_end|>") == "a<|im_end|>"  # a chunk of it


def test_a_marker_that_was_spelled_out_is_cut_like_text() -> None:
    text = "`<tool_call>` <tool_call>x"
    assert Tokens("hermes").split(text)[1] == ("<tool_call>", True)
    known = Tokens("hermes", [[14, 25]])
    assert ("<tool_call>", True) not in known.split(text[:13])
    assert [place for place, piece in enumerate(known.split(text)) if piece[1]] == [len(known.split(text)) - 2]
    assert known.split("<tool_call>x", [[0, 11]])[0] == ("<tool_call>", True)


def test_a_case_may_know_its_vocabulary() -> None:
    assert Tokens("hermes", None, ["<call>"]).pieces("<call><tool_call>")[0] == "<call>"
    assert Tokens(None, None, []).markers == ()
    assert "".join(Tokens(None, None, []).pieces("a <b> c")) == "a <b> c"


def test_what_the_prompt_wrote_is_not_passed_on() -> None:
    tokens = Tokens("muse")
    tokens.prompt = "<|start|>assistant"
    assert tokens.passed("<|start|>assistant to=f<|eot|>") == " to=f"
    assert tokens.passed(" to=f") == " to=f"


def test_an_end_that_was_spelled_out_is_text() -> None:
    assert Tokens("hermes", []).passed("It is <|im_end|>") == "It is <|im_end|>"
    assert Tokens("hermes", [[6, 16]]).passed("It is <|im_end|>") == "It is "


# -- the adapters, with stand-ins for what they adapt --------------------------------------------------------------------


def test_calls_between_markers() -> None:
    def loads(body: str) -> Any:
        return json.loads(body) if body.startswith("{") else body

    text = (
        "<think>Hm.</think>Look: "
        '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call><tool_call>no</tool_call>'
        '<tool_call>{"name": "g", "arguments": []}</tool_call><tool_call>{"name": "h", "arguments": {}}'
    )
    assert read(text, loads) == {
        "content": 'Look: <tool_call>{"name": "h", "arguments": {}}',
        "reasoning": "Hm.",
        "calls": [{"name": "f", "arguments": {"a": 1}}],
    }


def adapter(monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    monkeypatch.delitem(sys.modules, f"{PACKAGE}.{name}", raising=False)
    module = importlib.import_module(f"{PACKAGE}.{name}")
    monkeypatch.delitem(sys.modules, f"{PACKAGE}.{name}")
    return module


class Streaming:
    """As transformers' ResponseParser: a call is a region whose value comes when it closes."""

    def __init__(self, template: Any, *, prefix: str, tools: Any) -> None:
        assert template == {"start_anchor": ["<a>", "<b>"]}
        assert prefix == "<a><think>\n"
        assert tools == []

    def feed(self, text: str) -> list[dict[str, Any]]:
        value = {"function": {"name": "f", "arguments": {"a": text}}}
        return [
            {"type": "region_open", "field": "reasoning_content"},
            {"type": "region_chunk", "field": "reasoning_content", "text": text},
            {"type": "region_chunk", "field": "content", "text": text},
            {"type": "region_chunk", "field": "tool_calls", "text": text, "dirty": True},
            {"type": "region_close", "field": "tool_calls", "value": value},
        ]

    def finalize(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        raise ValueError("the region is not JSON")


def test_transformers_streams_what_its_server_streams(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cli" / "serving").mkdir(parents=True)
    table = '_RESPONSE_TEMPLATE_FALLBACKS = {("qwen3",): {"start_anchor": ["<a>", "<b>"]}}\n'
    (tmp_path / "cli" / "serving" / "utils.py").write_text(f"import torch\n{table}", encoding="utf-8")
    (tmp_path / "__init__.py").touch()
    for name in ("transformers", "transformers.utils"):
        stand_in(monkeypatch, name)
    stand_in(monkeypatch, "transformers.utils.chat_parsing", ResponseParser=Streaming)
    module = adapter(monkeypatch, "transformers")
    spec = importlib.util.spec_from_file_location("transformers", tmp_path / "__init__.py")
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda _: spec)
    parser = module.Transformers([], "hermes", "reasoning")
    assert parser.feed("x") == {"content": "x", "reasoning": "x", "calls": [{"name": "f", "arguments": '{"a": "x"}'}]}
    assert parser.finish() == {"content": "", "reasoning": "", "calls": []}  # the server drops it as well
    with pytest.raises(ValueError, match="is not JSON"):  # but a whole turn fails
        module.Transformers([], "hermes", "reasoning").whole("x")
    with pytest.raises(NotImplementedError, match="no response template for kimi-k2"):
        module.Transformers([], "kimi-k2")


class Message:
    """As openai-harmony's."""

    def __init__(self, recipient: str | None, text: str) -> None:
        self.recipient = recipient
        self.content = [type("Text", (), {"text": text})()]


class Streamable:
    """As openai-harmony's StreamableParser, for tokens that are texts: `>` before a header, `=` after it, `.` the end."""

    def __init__(self, encoding: Any, role: str) -> None:
        assert (encoding, role) == (Encoding, "assistant")
        self.messages: list[Message] = []
        self.tokens: list[str] = []
        self.last_content_delta: str | None = None
        self.current_channel: str | None = None
        self.current_recipient: str | None = None
        self._text = ""

    def process(self, token: str) -> None:
        self.tokens.append(token)
        self.last_content_delta = None
        if token.startswith(">"):
            self.current_channel, _, recipient = token[1:].partition(" to=")
            self.current_recipient = recipient or None
        elif token == ".":  # noqa: S105  # a token of text
            self.process_eos()
        else:
            self.last_content_delta = token
            self._text += token

    def process_eos(self) -> None:
        if self._text:
            self.messages.append(Message(self.current_recipient, self._text))
        self._text = ""


class Encoding:
    @staticmethod
    def encode(text: str, **options: Any) -> list[str]:
        assert options == {"allowed_special": "all" if text.startswith("<|") else set(), "disallowed_special": ()}
        names = {
            "<|channel|>": ">analysis",
            "<|message|>": "",
            "<|call|>": ".",
            "<|start|>": ">commentary to=functions.f",
        }
        return [each for each in [names.get(text, "" if text == "analysis" else text)] if each]


def test_openai_harmony_tells_its_messages_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    names = type("Names", (), {"HARMONY_GPT_OSS": "gpt-oss"})
    role = type("Role", (), {"ASSISTANT": "assistant"})
    stand_in(
        monkeypatch,
        "openai_harmony",
        HarmonyEncodingName=names,
        Role=role,
        StreamableParser=Streamable,
        load_harmony_encoding=lambda name: Encoding if name == "gpt-oss" else None,
    )
    module = adapter(monkeypatch, "openai_harmony")
    parser = module.OpenaiHarmony([], "harmony", "reasoning")
    assert parser.pieces("<|start|>assistant<|channel|>x") == ["<|channel|>", "x"]
    assert parser.feed("Hm") == {"content": "", "reasoning": "Hm", "calls": []}
    call = {"name": "f", "arguments": "{}"}
    assert parser.feed("<|call|><|start|>{}<|call|>") == {"content": "", "reasoning": "", "calls": [call]}
    parser.feed("<|start|>{")
    assert parser.finish() == {"calls": [], "unfinished": [str({"name": "f", "arguments": "{"})]}
    with pytest.raises(NotImplementedError, match="reads harmony, not hermes"):
        module.OpenaiHarmony([], "hermes")


def test_without_its_vocabulary_openai_harmony_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    # Where it could not be fetched, its one case was a crash, and a fault of the project.
    def fetch(_: str) -> None:
        raise OSError("failed to download or load vocab file")

    names = type("Names", (), {"HARMONY_GPT_OSS": "gpt-oss"})
    absent = {"Role": None, "StreamableParser": None}
    stand_in(monkeypatch, "openai_harmony", HarmonyEncodingName=names, load_harmony_encoding=fetch, **absent)
    with pytest.raises(OSError, match="failed to download"):
        adapter(monkeypatch, "openai_harmony")


def test_smg_is_asked_for_reasoning_then_for_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    module = adapter(monkeypatch, "smg")
    asked = []

    def ask(path: str, **given: Any) -> dict[str, Any]:
        asked.append((path, given["text"]))
        if path == "/parse/reasoning":
            return {"normal_text": "rest", "reasoning_text": "Hm."}
        return {"remaining_text": "", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}

    monkeypatch.setattr(module, "_ask", ask)
    answer = module.smg("<think>Hm.</think>rest<|im_end|>", [], format="hermes", reasons=True)
    assert answer == {"content": "", "reasoning": "Hm.", "calls": [{"name": "f", "arguments": "{}"}]}
    assert module.smg("a", [], format="hermes")["reasoning"] == ""
    assert asked == [
        ("/parse/reasoning", "<think>Hm.</think>rest"),
        ("/parse/function_call", "rest"),
        ("/parse/function_call", "a"),
    ]
    for given, why in (
        ({"format": "jamba"}, "no parser for jamba"),
        ({"format": "hermes", "start": "reasoning"}, "has opened the reasoning"),
        ({"format": "pythonic", "reasons": True}, "no parser of reasoning for pythonic"),
    ):
        with pytest.raises(NotImplementedError, match=why):
            module.smg("a", [], **given)


PROGRAM = """\
#!{python}
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "open" in asked and asked["tools"]:
        answer = {{"unclaimed": "its template has no reasoning"}}
    elif "open" in asked:
        answer = {{"generation_prompt": "<|start|>assistant"}}
    elif "whole" in asked:
        answer = {{"message": {{"content": asked["whole"], "reasoning": "", "calls": []}}}}
    elif "feed" in asked:
        answer = {{"deltas": [{{"content": asked["feed"], "reasoning": "r"}}, {{"content": "", "reasoning": "", "index": 0}}]}}
    else:
        answer = {{"error": "does not match"}}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def llama(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The adapter, with a program that answers like llama_chat.cpp, and a source tree that came with llama-cpp-python."""
    source = tmp_path / "vendor" / "llama.cpp"
    folder = source / build_llama_cpp.FOLDER
    folder.mkdir(parents=True)
    (folder / build_llama_cpp.PROGRAM).write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
    (folder / build_llama_cpp.PROGRAM).chmod(0o755)
    (source / "models" / "templates").mkdir(parents=True)
    (source / "models" / "templates" / "muse-glimmer.jinja").write_text("{{ messages }}", encoding="utf-8")
    (tmp_path / "PKG-INFO").write_text("Name: llama_cpp_python\nVersion: 1.2.3\n", encoding="utf-8")
    monkeypatch.setenv(build_llama_cpp.VARIABLE, str(source))
    module = adapter(monkeypatch, "llama_cpp")
    yield module
    module.program().close()


def test_llama_cpp_passes_turns_to_the_program(llama: Any) -> None:
    assert llama.version() == "llama-cpp-python 1.2.3"
    parser = llama.LlamaCpp([], "muse")
    assert parser.whole("<|start|>assistant to=f<|eot|>")["content"] == " to=f"
    parser.pieces("xy")
    assert parser.feed("") is None
    assert parser.feed("x") == {
        "content": "x",
        "reasoning": "r",
        "calls": [{"content": "", "reasoning": "", "index": 0}],
    }
    with pytest.raises(ValueError, match="does not match"):
        parser.finish()


def test_llama_cpp_says_what_it_does_not_claim(llama: Any) -> None:
    for arguments, said in (
        ({"format": "mimo"}, "brings no template for mimo"),
        ({}, "brings no template for unknown formats"),
        ({"format": "granite-3"}, "renders no calls"),
        ({"format": "command-a", "id": "templates/command-a/typed"}, "other line breaks"),
        ({"tools": [1], "format": "muse"}, "muse-glimmer: its template has no reasoning"),
    ):
        with pytest.raises(NotImplementedError, match=said):
            llama.LlamaCpp(**{"tools": [], **arguments})


# -- the program of llama.cpp --------------------------------------------------------------------------------------------

COMPILER = """\
#!/bin/sh
echo "$@" >> {log}
for last; do if [ "$before" = -o ]; then touch "$last"; fi; before="$last"; done
exit ${{FAILS:-0}}
"""


def test_the_program_is_built_of_what_is_newer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("chat.h", "chat.cpp", "chat-peg-parser.cpp", "parsers/a.cpp", "jinja/b.cpp", "arg.cpp"):
        path = tmp_path / "common" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    log, compiler = tmp_path / "log", tmp_path / "c++"
    compiler.write_text(COMPILER.format(log=log), encoding="utf-8")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    assert build_llama_cpp.main([str(tmp_path)]) == 0
    assert f"TOOLGLEAN_LLAMA_CPP={tmp_path}" in capsys.readouterr().out
    lines = log.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6  # four files of common, ours, and the program
    assert not any("arg.cpp" in line for line in lines)
    assert build_llama_cpp.main([str(tmp_path)]) == 0
    assert len(log.read_text(encoding="utf-8").splitlines()) == 7  # linked again
    monkeypatch.setenv("FAILS", "3")
    assert build_llama_cpp.main([str(tmp_path)]) == 1
    assert "failed with exit status 3" in capsys.readouterr().err


def test_the_builder_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build_llama_cpp.main([]) == 2
    assert "usage" in capsys.readouterr().err
    assert build_llama_cpp.main([str(tmp_path)]) == 2
    assert "is not the source of llama.cpp" in capsys.readouterr().err
