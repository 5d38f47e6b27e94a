"""Frameworks behind a server that leaks: without us nothing runs, with us everything does. And the examples, as they are.

Every framework that is installed is tested; `nox -s frameworks` installs them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs toolglean[proxy]")

from tests.frameworks.runs import ANSWER, BROKEN, FINAL, LEAK, WAYS, Servers, Way, cases, run, servers
from tests.frameworks.ways import FRAMEWORKS, Api, installed
from tests.support.loopback import Turn, serve

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "frameworks"
PROGRAMS = {
    "with_pydantic_ai.py": "pydantic-ai",
    "with_langchain.py": "langchain-openai",
    "with_openai_agents.py": "openai-agents",
    "with_llama_index.py": "llama-index",
    "with_smolagents.py": "smolagents",
}
CASES = list(cases())

pytestmark = pytest.mark.filterwarnings("default")  # theirs


@pytest.fixture(scope="module")
def among() -> Iterator[Servers]:
    with servers() as found:
        yield found


@pytest.mark.skipif(not CASES, reason="no framework is installed: nox -s frameworks")
@pytest.mark.parametrize(("name", "api", "stream"), CASES)
@pytest.mark.parametrize("way", WAYS)
def test_tools_run(name: str, api: Api, stream: bool, way: Way, among: Servers) -> None:
    found = run(name, way, api, stream=stream, among=among)
    if way == "direct":
        assert found.calls == []
    else:
        assert found.right, found


@pytest.mark.skipif(not CASES, reason="no framework is installed: nox -s frameworks")
@pytest.mark.parametrize(("name", "api", "stream"), CASES)
def test_a_call_that_broke_off_never_runs(name: str, api: Api, stream: bool, among: Servers) -> None:
    """Some frameworks complete half of a call's arguments, or take none where they cannot read any, and run it."""
    for way in WAYS:
        assert run(name, way, api, stream=stream, among=among, first=BROKEN).calls == []


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS)
def test_examples_are_short(program: str) -> None:
    assert len((EXAMPLES / program).read_text(encoding="utf-8").splitlines()) <= 40


@pytest.mark.parametrize("program", PROGRAMS)
def test_examples_answer(program: str) -> None:
    name = PROGRAMS[program]
    if not installed(FRAMEWORKS[name]):
        pytest.skip(f"{name} is not installed: nox -s frameworks")
    second = FINAL if name == "smolagents" else ANSWER
    with serve() as server:
        server.play(*(Turn(list(text)) for text in (LEAK, second)))
        command = [sys.executable, str(EXAMPLES / program), f"{server.url}/v1", "m"]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, ANSWER), done.stderr
