# Runs each agent that is installed, in a folder and a HOME of its own. Does not depend on how an agent is set up.
#
#   python -m tests.frameworks.agents [NAME …]      those on the PATH; some seconds for each answer
#
# The model is told nothing: its answer to a request with tools is what the table says, and "Done." once a result came.
"""What coding agents make of a server that leaks: directly, and behind the proxy."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.clients.families import BARE, FAMILIES
from tests.clients.proxies import serving
from tests.frameworks.agents.ways import AGENTS, Agent, installed, write_files
from tests.support.loopback import Loopback, Turn
from toolglean import ToolSet, render
from toolglean.clients.proxy import application

PATIENCE = 120
SIZE = 5
TWELVE = (*FAMILIES, "kimi-k2", "minimax-m2")
DONE = "All is done."


class Case(NamedTuple):
    """An answer of the model, and whether the command must run behind the proxy."""

    name: str
    text: str
    runs: bool


class Model(Loopback):
    """A server whose model answers with the same text until it gets a result."""

    text = ""

    def next_turn(self) -> Turn:
        """The answer to the last request."""
        _, body = self.requests[-1]
        said = self.text if body.get("tools") and not _has_result(body) else DONE
        return Turn([said[at : at + SIZE] for at in range(0, len(said), SIZE)])


def _has_result(body: dict[str, Any]) -> bool:
    messages = body.get("messages") or body.get("input") or ()
    kinds = {"function_call_output", "tool_result"}
    for each in messages if isinstance(messages, list) else ():
        content = each.get("content")
        inner = {part.get("type") for part in content} if isinstance(content, list) else set()
        if each.get("role") == "tool" or each.get("type") in kinds or inner & kinds:
            return True
    return False


def cases(agent: Agent) -> Iterator[Case]:
    """What the model says to it."""
    name, arguments = agent.tool
    schemas = {key: _schema(value) for key, value in arguments.items()}
    tools = ToolSet([{"name": name, "parameters": {"type": "object", "properties": schemas}}])
    for family in TWELVE:
        before = "" if family in BARE else "I will run it. "
        yield Case(family, render(family, [agent.tool], content=before, tools=tools), runs=True)
    hermes = render("hermes", [agent.tool], tools=tools)
    yield Case("after <think>", f"<think>Let me run it.</think>{hermes}", runs=True)
    yield Case("cut off", hermes[:-30], runs=False)
    yield Case("in a code fence", f"For example:\n\n```\n{hermes}\n```\n\nThat is all.", runs=False)


def _schema(value: Any) -> dict[str, Any]:
    return {"type": "string"} if isinstance(value, str) else {"type": "array", "items": {"type": "string"}}


def run(agent: Agent, url: str) -> tuple[bool, str]:
    """Ask it once: whether the command ran, and what it printed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home, work = Path(folder, "home"), Path(folder, "work")
        home.mkdir()
        work.mkdir()
        write_files(agent, url, home)
        told = {"url": url, "home": str(home)}
        env = {
            **os.environ,
            "HOME": str(home),
            "PWD": str(work),
            **{name: each.format(**told) for name, each in agent.env.items()},
        }
        printed = ""
        for args in filter(None, (agent.before, agent.args)):
            command = [agent.program, *(each.format(**told) for each in args)]
            try:
                done = subprocess.run(
                    command, cwd=work, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                    encoding="utf-8", timeout=PATIENCE, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return (work / "ran.txt").exists(), "timed out"
            printed = done.stdout + done.stderr
        return (work / "ran.txt").exists(), printed


@contextmanager
def servers() -> Iterator[tuple[Model, str]]:
    """The server, and the proxy in front of it."""
    with Model() as model:
        threading.Thread(target=model.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        with serving(application(model.url)) as proxy:
            yield model, proxy
        model.shutdown()


def main() -> int:
    """Print a table. 1 if something in it is wrong."""
    wrong = 0
    print("| agent | the model's answer | directly | behind the proxy |\n|---|---|---|---|")
    with servers() as (model, proxy):
        for name, agent in AGENTS.items():
            if not installed(agent) or (sys.argv[1:] and name not in sys.argv[1:]):
                continue
            for case in cases(agent):
                model.text = case.text
                direct = run(agent, model.url)[0] if case.name == "hermes" else None
                ran, printed = run(agent, proxy)
                is_right = ran == case.runs and not direct and (DONE in printed or not ran)
                wrong += not is_right
                cells = ["-" if direct is None else _told(direct), _told(ran) + ("" if is_right else " (WRONG)")]
                print(f"| {name} | {case.name} | {' | '.join(cells)} |", flush=True)
    return 1 if wrong else 0


def _told(ran: bool) -> str:
    return "runs" if ran else "does not run"


if __name__ == "__main__":
    sys.exit(main())
