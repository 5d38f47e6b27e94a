# What is installed is compared with pyproject.toml; what a turn was read as, with `explain` and `parse`, which have
# tests of their own.
"""`toolglean doctor`, as a user calls it."""

from __future__ import annotations

import io
import json
import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_parse import toolglean
from toolglean import FormatError, __version__
from toolglean.cli import installed, main
from toolglean.formats import registry
from toolglean.formats.spec import Format

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
CALL = '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'
BROKEN = 'Hi.\n<tool_call>{"name": "say", "arguments": {"text": "a "b" c"}}</tool_call>'
GEMMA = '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>}<tool_call|>'


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines are broken for a terminal of one width, whatever the tests run in."""
    monkeypatch.setenv("COLUMNS", "160")


def shown(*args: str, text: str) -> dict[str, list[str]]:
    """What is printed: the lines of each label, which a line without one continues."""
    found: dict[str, list[str]] = {}
    label = ""
    for line in toolglean("doctor", *args, stdin=text.encode()).stdout.decode().splitlines():
        label = line[:12].strip() or label
        found.setdefault(label, []).append(line[12:])
    return found


def told() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(toolglean("doctor", "--json").stdout)
    return found


def versions(monkeypatch: pytest.MonkeyPatch, **known: str) -> None:
    """Let only these packages, and toolglean itself, be installed."""
    own = {"toolglean": __version__, **known}

    def version(name: str) -> str:
        if name not in own:
            raise PackageNotFoundError(name)
        return own[name]

    monkeypatch.setattr(installed, "version", version)


# -- what is installed -------------------------------------------------------------------------------------------------


def test_every_extra_is_there_or_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = set(EXTRAS) - {"dev", "examples"}
    assert {*told()["extras"], *(each.partition(" ")[0] for each in told()["missing"])} == wanted
    versions(monkeypatch)
    found = told()
    assert (found["toolglean"], found["extras"], found["engines"]) == (__version__, [], [])
    assert found["missing"] == sorted(wanted)
    assert f"pip install '.[{','.join(sorted(wanted))}]'" in found["install"][0]


def test_an_extra_needs_all_of_its_packages_and_none_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    versions(monkeypatch, jinja2="3.2", openai="3.9.1", httpx="0.27", starlette="1.0", uvicorn="0.40rc1")
    found = told()
    assert found["extras"] == ["httpx", "jinja"]
    assert "openai (openai 3.9.1 is older than 3.50)" in found["missing"]
    assert "proxy (httpx 0.27 is older than 0.28)" in found["missing"]
    assert "mcp" in found["missing"]


def test_a_package_counts_only_for_the_pythons_that_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    versions(monkeypatch, pyarrow="18")
    for python, there in (((3, 13, 1), False), ((3, 14, 0), True)):
        monkeypatch.setattr(sys, "version_info", python)
        assert ("batch" in installed.installation()["extras"]) == there


def test_engines_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    versions(monkeypatch, vllm="0.33.0", xgrammar="0.2")
    assert told()["engines"] == ["vllm 0.33.0", "xgrammar 0.2"]


def test_run_from_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installed, "version", nothing)
    found = told()
    assert (found["extras"], found["missing"], found["install"]) == ([], [], [])
    assert "is not installed in this Python, but run from its source" in " ".join(found["faults"])


def test_formats_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    added = (Format("nova", call="1{call}1"),), {"lost": FormatError("no such thing")}
    monkeypatch.setattr(registry, "plugins", lambda: added)
    monkeypatch.setattr(installed, "plugins", lambda: added)
    found = shown(text="")
    assert found["plugins"] == ["nova"]
    assert "the entry point 'lost' failed: fix or remove its package (FormatError: no such thing)" in " ".join(
        found["faults"]
    )


def test_wrong_variables_of_the_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGLEAN_QUOTED", "perhaps")
    assert "quoted='perhaps' is not valid" in " ".join(shown(text="")["faults"])


# -- a turn ------------------------------------------------------------------------------------------------------------


def test_without_a_turn(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(text="")["turn"] == ["none: pipe what the model wrote into this command, or pass a file"]
    assert toolglean("doctor").returncode == 0
    assert told()["turn"] is None
    for terminal in (None, io.StringIO("what nobody has typed")):
        monkeypatch.setattr(sys, "stdin", terminal)
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False) if terminal else None
        assert main(["doctor"]) == 0
        assert "turn        none" in capsys.readouterr().out


def test_a_call_that_was_read() -> None:
    found = shown(text=f"Let me see. {CALL}")
    assert found["turn"] == ["standard input, 71 characters, read as hermes"]
    assert found["calls"] == ['f {"x": 1}']
    assert found["content"] == ["12 characters: 'Let me see. '"]
    assert "problems" not in found
    assert found["next step"] == ["none: every call was read"]


def test_a_call_that_is_broken() -> None:
    done = toolglean("doctor", stdin=BROKEN.encode())
    assert (done.returncode, done.stderr) == (1, b"")
    found = shown(text=BROKEN)
    assert found["calls"] == ["none"]
    assert found["not run"] == ['malformed: say {"text": "a "']
    assert "was expected (malformed-arguments), at 2:54" in " ".join(found["problems"])
    assert found["next step"][0].startswith("json-broken, at 2:54: The call of 'say' began")
    assert "toolglean explain" in " ".join(found["next step"][-2:])
    assert sum(map(len, found.values())) <= 24


def test_what_was_tried_is_a_next_step() -> None:
    text = " ".join(shown("--format", "hermes", text=GEMMA)["next step"])
    assert text.startswith("other-dialect, at 1:1: You passed")
    assert 'tried, and reads better: format="auto" (--format auto), which gives 1 call: get_weather' in text


def test_long_turns_fit_one_screen(tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text('["g"]', encoding="utf-8")
    call = CALL.replace("1}}", '"' + "long " * 500 + '"}}')
    found = shown("--tools", str(tools), text=f"{'So. ' * 500}\n" + call * 20 + BROKEN * 20)
    assert len(found["calls"]) <= 8
    assert found["calls"][-1] == "… and 17 more"
    assert found["calls"][0].startswith('f (not one of the tools) {"x": "long long ')
    assert sum(map(len, found.values())) <= 50


def test_a_line_of_a_log_with_what_the_server_has_read() -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": '{"x": 2}'}}
    row = {"role": "assistant", "content": "", "tool_calls": [call], "reasoning_content": "Hm."}
    found = shown("--turns", text=json.dumps(row))
    assert found["calls"] == ['f {"x": 2}']
    assert found["reasoning"] == ["3 characters: 'Hm.'"]
    assert "The server had already taken" in found["notes"][0]
    found = shown("--turns", text=json.dumps(row | {"content": "I check."}))
    assert found["next step"] == ["none: the server had already read the calls, and there is no other one in the text"]


def test_json_is_what_parse_and_explain_say() -> None:
    turn = json.loads(toolglean("doctor", "--json", stdin=BROKEN.encode()).stdout)["turn"]
    parsed = json.loads(toolglean("parse", stdin=BROKEN.encode()).stdout)
    explained = json.loads(toolglean("explain", "--json", stdin=BROKEN.encode()).stdout)
    assert turn == {**parsed, **{name: explained[name] for name in ("complete", "causes", "advice")}}


def test_what_is_installed_is_shown_before_an_error() -> None:
    done = toolglean("doctor", "--format", "hermez", stdin=b"Hi.")
    assert done.returncode == 2
    assert done.stdout.startswith(b"toolglean   ")
    assert done.stderr == b"toolglean: unknown format 'hermez'; did you mean hermes?\n"


# -- the way to it -----------------------------------------------------------------------------------------------------


def test_an_error_leads_to_it_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["parse", "nothing.txt"]) == 2
    alone = capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(["parse", "nothing.txt"]) == 2
    said = "toolglean: if something does not work, `toolglean doctor` shows what to do next\n"
    assert capsys.readouterr().err == alone + said
    assert main(["doctor", "nothing.txt"]) == 2
    assert "toolglean doctor" not in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "`toolglean doctor` shows what to do next" in capsys.readouterr().out
