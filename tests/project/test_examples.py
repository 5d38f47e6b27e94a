"""The examples run, as a user runs them, against servers on loopback."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import depth
from tests.support.loopback import Turn, serve

ROOT = Path(__file__).parents[2]
UTF8 = {"PYTHONIOENCODING": "utf-8"}
AGENT = ROOT / "examples" / "leaky_model_to_mcp.py"

pytest.importorskip("openai", reason="needs toolglean[openai]")
pytest.importorskip("mcp", reason="needs toolglean[mcp]")

from tests.clients.mcp_ways import on_http  # noqa: E402

HERMES = 'I will add. <tool_call>\n{"name": "add", "arguments": {"a": 2, "b": "3"}}\n</tool_call>'
QWEN = "<tool_call>\n<function=add>\n<parameter=a>\n2\n</parameter>\n<parameter=b>\n3\n</parameter>\n</function>\n</tool_call>"


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        (
            "album.py",
            "Album: Album(name='Under the Eaves', artist='The Gutters', songs=[Song(title='First Drop', seconds=184)",
        ),
        ("extract.py", '{"name":"Charles Babbage","born":1792,"city":"London"}\n'),
    ],
)
def test_objects_are_filled_without_a_server(program: str, printed: str, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tenacity", reason="needs toolglean[llm]")
    code, out, err = run(ROOT / "examples" / program, "--replay", capfd=capfd, alone=program == "album.py")
    assert (code, err) == (0, "")
    assert printed in out


@pytest.mark.parametrize("program", ["album.py", "extract.py"])
def test_where_no_server_answers_the_programs_say_so(
    program: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tenacity", reason="needs toolglean[llm]")
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    code, _, err = run(ROOT / "examples" / program, capfd=capfd)
    assert code == 1
    assert f"Without a server: python examples/{program} --replay" in err
    assert "Traceback" not in err


def test_the_agent_is_short() -> None:
    assert len(AGENT.read_text(encoding="utf-8").splitlines()) < 60


def run(program: Path, *args: str, capfd: pytest.CaptureFixture[str], alone: bool = False) -> tuple[int, str, str]:
    """Code, output and errors of a program: in a process of its own at full depth, or where that is asked."""
    if alone or depth.is_full():
        command = [sys.executable, "-W", "error", str(program), *args]
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False, env=os.environ | UTF8
        )
        return done.returncode, done.stdout, done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [str(program), *args])
        patch.setattr("time.sleep", lambda _: None)  # before it is asked again
        try:
            runpy.run_path(str(program), run_name="__main__")
        except SystemExit as ended:
            code = int(ended.code or 0)
        else:
            code = 0
    return (code, *capfd.readouterr())


@pytest.fixture(scope="module")
def mcp_url() -> Iterator[str]:
    with on_http() as (url, _):
        yield url


@pytest.mark.parametrize(
    "turn", [HERMES, QWEN, HERMES + "\n" + HERMES.partition(". ")[2]], ids=["hermes", "qwen", "two"]
)
def test_the_agent_runs_the_leaked_call_on_a_real_mcp_server(
    turn: str, mcp_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with serve() as server:
        server.play(Turn(list(turn)), Turn(["It is ", "5."]))
        asked = (f"{server.url}/v1", "m", mcp_url, "How much is 2 + 3?")
        code, out, err = run(AGENT, *asked, capfd=capfd)
        assert (code, err) == (0, "")
        calls = turn.count("<tool_call>")
        assert out.count("[add {'a': 2, 'b': ") == calls
        assert out.count("-> 5]") == calls
        assert out.endswith("It is 5.\n")
        (_, first), (_, second) = server.requests
        assert {tool["function"]["name"] for tool in first["tools"]} >= {"add"}
        roles = [message["role"] for message in second["messages"]]
        assert roles == ["system", "user", "assistant"] + ["tool"] * calls
        ids = [call["id"] for call in second["messages"][2]["tool_calls"]]
        assert [message["tool_call_id"] for message in second["messages"][3:]] == ids
        assert len(set(ids)) == calls
        assert "<tool_call>" not in str(second["messages"])


def test_the_agent_answers_without_tools_and_stops_a_model_that_never_does(capfd: pytest.CaptureFixture[str]) -> None:
    with serve() as server, on_http() as (url, _):
        server.play(Turn(["Hello."]))
        asked = (f"{server.url}/v1", "m", url, "Hi")
        assert run(AGENT, *asked, capfd=capfd) == (0, "Hello.\n", "")
        server.play(*[Turn([HERMES])] * 12)
        code, out, _ = run(AGENT, *asked, capfd=capfd)
        assert code == 0
        assert out.count("-> 5]") == 10
