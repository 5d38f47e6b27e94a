"""docs/how-to/coding-agents.md shows what the agents were tried with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.frameworks.agents.__main__ import TWELVE, cases
from tests.frameworks.agents.ways import AGENTS, MODEL, QUESTION

HOW_TO = Path(__file__).parents[3] / "docs" / "how-to"
PAGE = (HOW_TO / "coding-agents.md").read_text(encoding="utf-8")
URL = "http://127.0.0.1:8001"


def section(name: str) -> str:
    return re.split(r"^## ", PAGE.partition(f"\n## {name}\n")[2], flags=re.MULTILINE)[0]


def block(name: str) -> str:
    found = re.search(r"^```\w*\n(.*?)^```$", section(name), re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_files() -> None:
    (codex,) = AGENTS["Codex CLI"].files(URL).values()
    assert block("Codex CLI") == codex
    for name in ("opencode", "Crush"):
        (text,) = AGENTS[name].files(URL).values()
        assert json.loads(block(name)) == json.loads(text), name
        assert next(iter(AGENTS[name].files(URL))) in section(name).replace("~/", "")
    assert json.loads(block("Zed"))["language_models"]["openai_compatible"]["local"]["api_url"] == f"{URL}/v1"


def test_commands() -> None:
    assert " ".join(("opencode", *AGENTS["opencode"].args)).replace(QUESTION, '"…"') in section("opencode")
    auth = " ".join(AGENTS["Cline"].before[:8]).format(url=URL)
    assert block("Cline").splitlines()[0] == f"cline {auth}"
    claude = (HOW_TO / "claude-code.md").read_text(encoding="utf-8")
    assert f"ANTHROPIC_BASE_URL={URL}" in claude
    assert f"-m {MODEL} " in block("Cline")


@pytest.mark.parametrize("name", AGENTS)
def test_what_they_are_told(name: str) -> None:
    found = list(cases(AGENTS[name]))
    assert [case.name for case in found if case.runs] == [*TWELVE, "after <think>"]
    assert all(AGENTS[name].tool[0] in case.text for case in found)
    assert f"[{name}]" in PAGE
