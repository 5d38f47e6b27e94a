"""The command as a whole, `toolglean demo` and `toolglean bench`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import toolglean
from tests.cli.test_parse import toolglean as ran
from toolglean.cli import main
from toolglean.cli.measure import best_times
from toolglean.cli.output import Paint
from toolglean.kit.demo import load_streams

ESCAPE = "\x1b["
STREAMS = Path(__file__).parents[2] / "fixtures" / "streams"


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"toolglean {toolglean.__version__}\n"


def test_a_command_is_loaded_when_it_is_asked_for() -> None:
    # (tests/project/test_loaded_modules.py has what --version and --help load.)
    code = (
        "import sys, toolglean.cli as cli\n"
        "cli.main(['formats'])\n"
        "print(*(each for each in cli.COMMANDS if f'toolglean.cli.{each}' in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.split() == ["formats"]


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("toolglean.cli.demo.load_tools", interrupt)
    assert main(["demo"]) == 130


# -- demo ------------------------------------------------------------------------------------------------------------


def test_demo_shows_every_token_and_what_came_of_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    assert main(["demo"]) == 0
    assert not any(waits)  # nobody waits where nobody looks
    shown = capsys.readouterr().out
    assert ESCAPE not in shown
    rows = shown.split("\n")
    assert "parser = Parser(tools)" in rows
    assert " weather                content     weather" in rows
    assert "<tool_call>             ..." in rows
    place = rows.index('",                      format     hermes')
    assert rows[place + 1] == "                        call       get_weather"
    assert '                        ready      get_weather {"location": "Paris", "unit": "celsius"}' in rows
    assert "content    I will check the weather now.↵" in rows
    assert max(map(len, rows)) <= 120


def test_demo_rows_are_the_tokens_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    main(["demo", "--delay", "0"])
    table = capsys.readouterr().out.partition("by now\n")[2].partition("\nthe whole turn")[0]
    cells = [row[:22].rstrip() for row in table.split("\n")]
    tokens = [token.replace("\n", "↵").rstrip() for token in load_streams()[0].tokens]
    assert [cell for cell in cells if cell] == tokens


def test_demo_all_and_one(capsys: pytest.CaptureFixture[str]) -> None:
    main(["demo", "--list"])
    listed = capsys.readouterr().out.splitlines()
    main(["demo", "--all"])
    everything = capsys.readouterr().out
    assert [row.split()[0] for row in listed] == [stream.name for stream in load_streams()]
    for stream in load_streams():
        main(["demo", stream.name])
        one = capsys.readouterr().out.partition(f"\n\n{len(load_streams())} streams")[0]
        assert one in everything
        assert one.startswith(stream.name)
        assert one.count("ready") == len(stream.calls)
        assert f" format     {stream.name}\n" in one
        table, _, turn = one.partition("\nthe whole turn\n")
        assert ("reasoning  " in table) == ("reasoning  " in turn) == bool(stream.reasoning)


def test_demo_shows_ids_of_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    main(["demo", "kimi-k2"])
    assert 'call       get_weather (id functions.get_weather:1) {"location": "Tokyo"' in capsys.readouterr().out


def test_demo_delay(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("toolglean.cli.demo.time.sleep", waited.append)
    main(["demo", "--delay", "0.25"])
    assert waited == [0.25] * len(load_streams()[0].tokens)
    waited.clear()
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    main(["demo"])
    assert set(waited) == {0.08}
    waited.clear()
    main(["demo", "--delay", "0"])
    assert not any(waited)
    capsys.readouterr()


@pytest.mark.parametrize(
    ("terminal", "env", "wanted", "colour"),
    [
        (True, {}, True, True),
        (True, {"NO_COLOR": ""}, True, True),  # empty counts as not set
        (True, {"NO_COLOR": "1"}, True, False),
        (True, {"TERM": "dumb"}, True, False),
        (True, {}, False, False),
        (False, {}, True, False),
    ],
)
def test_colour(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, env: dict[str, str], wanted: bool, colour: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert Paint(wanted=wanted).on == colour
    assert Paint(wanted=wanted)("x", "1", "32") == ("\x1b[1;32mx\x1b[0m" if colour else "x")


@pytest.mark.parametrize(
    ("args", "colour"),
    [
        (["demo", "--delay", "0"], True),
        (["explain", "hermes"], True),
        (["formats"], True),
        (["formats", "hermes"], False),  # to be pasted
    ],
)
def test_commands_have_colours_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], args: list[str], colour: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    shown = []
    for is_terminal, more in ((False, []), (True, ["--color", "never"]), (True, [])):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)  # noqa: B023
        main([*args, *more])
        shown.append(ESCAPE in capsys.readouterr().out)
    assert shown == [False, False, colour]


def test_demo_on_a_terminal_that_knows_no_unicode() -> None:
    done = ran("demo", "--all", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


# -- bench -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_round(works: dict[str, object], **_: object) -> dict[str, float]:
        return best_times(works, rounds=1, sample=0.0)  # type: ignore[arg-type]

    monkeypatch.setattr("toolglean.cli.bench.best_times", one_round)


@pytest.mark.usefixtures("quick")
def test_bench_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["toolglean"] == toolglean.__version__
    assert found["python"].split()[1] == ".".join(map(str, sys.version_info[:3]))
    assert [(each["stream"], each["method"]) for each in found["figures"]] == [
        (stream.name, method) for stream in load_streams() for method in ("feed", "add")
    ]
    for each in found["figures"]:
        seconds = each["ns_per_chunk"] * each["chunks"] / 1e9
        assert each["characters"] / seconds == pytest.approx(each["characters_per_second"], rel=0.01)
        assert each["ns_per_chunk"] / each["baseline_ns_per_chunk"] == pytest.approx(each["times_baseline"], rel=0.01)


@pytest.mark.usefixtures("quick")
def test_bench_own_stream(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(STREAMS / "hermes.jsonl")
    assert main(["bench", path, "--tag", "<tool_call>"]) == 0
    shown = capsys.readouterr().out
    assert f"toolglean {toolglean.__version__}" in shown
    assert re.search(rf"^{re.escape(path)}\s+feed\s+33\s+133 ", shown, re.MULTILINE)
    for options in (["--tag", "<tool_call>"], ["--format", "hermes"], ["--model", "qwen3:8b"], []):
        main(["bench", path, *options, "--chunk", "4", "--json"])
        assert json.loads(capsys.readouterr().out)["figures"][0]["chunks"] == 34


def test_best_times_tell_slow_from_fast() -> None:
    best = best_times({"fast": lambda: sum(range(100)), "slow": lambda: sum(range(10_000))}, rounds=3, sample=0.001)
    assert 0 < best["fast"] * 10 < best["slow"]


def test_demo_plays_an_agent(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--agent"]) == 0
    rows = capsys.readouterr().out.split("\n")
    assert 'call       get_weather {"location": "Paris", "unit": "celsius"}' in rows
    result = '{"location": "Paris", "temperature": 7, "unit": "celsius"}'
    assert f"result     {result}" in rows
    request = [json.loads(row) for row in rows if row.startswith("{")]
    assert [message["role"] for message in request] == ["system", "user", "assistant", "tool"]
    assert request[2]["content"] == "I will check the weather now.\n"
    assert request[3]["content"] == result
    assert "text       Done: see what the tools said." in rows


@pytest.mark.parametrize("stream", [stream.name for stream in load_streams()])
def test_demo_agent_runs_every_call(stream: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", stream, "--agent"]) == 0
    shown = capsys.readouterr().out
    calls = next(each.calls for each in load_streams() if each.name == stream)
    assert shown.count("\nresult ") == len(calls)
    assert "Tool '" not in shown
    assert "failed" not in shown
