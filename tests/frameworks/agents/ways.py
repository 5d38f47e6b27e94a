# How each agent is told of a server, asked one question, and what its tool for commands is called.
# Does not depend on what the server says.
"""Coding agents: their files, their commands, their tools."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["AGENTS", "COMMAND", "MODEL", "Agent", "installed"]

MODEL = "qwen3"
COMMAND = "echo yes > ran.txt"
"""What the model wants to run: whether it did can be seen in the folder."""
QUESTION = "Run the command."


@dataclass(frozen=True)
class Agent:
    """One agent.

    Attributes:
        program: its command.
        tool: its tool for commands, and the arguments of one call.
        args: those of its command.
        env: its environment, besides HOME; {url} is the server, {home} the folder of HOME.
        files: in HOME, by their names, for a server at an URL.
        before: arguments of a command that comes first.
    """

    program: str
    tool: tuple[str, Mapping[str, Any]]
    args: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Callable[[str], Mapping[str, str]] = lambda _: {}
    before: tuple[str, ...] = ()


def _codex(url: str) -> dict[str, str]:
    provider = f'[model_providers.local]\nname = "local"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
    return {".codex/config.toml": f'model = "{MODEL}"\nmodel_provider = "local"\n\n{provider}'}


def _opencode(url: str) -> dict[str, str]:
    local = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "local"},
        "models": {MODEL: {"tool_call": True, "limit": {"context": 32768, "output": 8192}}},
    }
    return {"opencode.json": json.dumps({"provider": {"local": local}, "autoupdate": False, "share": "disabled"})}


def _crush(url: str) -> dict[str, str]:
    model = {"id": MODEL, "name": MODEL, "context_window": 32768, "default_max_tokens": 8192}
    local = {"type": "openai-compat", "base_url": f"{url}/v1", "api_key": "local", "models": [model]}
    chosen = {"model": MODEL, "provider": "local"}
    found = {"providers": {"local": local}, "models": {"large": chosen, "small": chosen}}
    return {".config/crush/crush.json": json.dumps({**found, "options": {"disable_provider_auto_update": True}})}


AGENTS = {
    "Claude Code": Agent(
        "claude",
        ("Bash", {"command": COMMAND, "description": "Run it"}),
        ("-p", QUESTION, "--model", MODEL, "--allowedTools", "Bash"),
        {"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "local", "DISABLE_AUTOUPDATER": "1",
         "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
    ),
    "Codex CLI": Agent(
        "codex",
        ("exec_command", {"cmd": COMMAND}),
        ("exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", QUESTION),
        files=_codex,
    ),
    "opencode": Agent(
        "opencode",
        ("bash", {"command": COMMAND, "description": "Run it"}),
        ("run", "--model", f"local/{MODEL}", QUESTION),
        {"OPENCODE_CONFIG": "{home}/opencode.json", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
        files=_opencode,
    ),
    "Cline": Agent(
        "cline",
        ("run_commands", {"commands": [COMMAND]}),
        ("--data-dir", "{home}/data", "--timeout", "60", QUESTION),
        before=("auth", "openai", "-k", "local", "-m", MODEL, "-b", "{url}/v1", "--data-dir", "{home}/data"),
    ),
    "Crush": Agent(
        "crush",
        ("bash", {"command": COMMAND, "description": "Run it"}),
        ("run", "--quiet", QUESTION),
        files=_crush,
    ),
}  # fmt: skip


def installed(agent: Agent) -> bool:
    """Whether its command can be found."""
    return shutil.which(agent.program) is not None


def write_files(agent: Agent, url: str, home: Path) -> None:
    """Write its files."""
    for name, text in agent.files(url).items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
