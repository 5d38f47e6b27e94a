# What the openai package reads, wrapped or behind the proxy, and what a program in JavaScript reads behind the proxy.
# Does not depend on what is right.
"""The answers of a server, as clients read them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.frameworks.leaks import Leak, Read

__all__ = [
    "NODE",
    "TOOLS",
    "has_package",
    "in_javascript",
    "in_python",
    "messages_in_javascript",
    "read_of",
    "request_of",
]

PROGRAM, MESSAGES = (Path(__file__).parent / name for name in ("client.cjs", "messages.cjs"))
PATIENCE = 60.0


def _node() -> str | None:
    """Node, if it is there and new enough to have `fetch`."""
    found = shutil.which("node")
    if found is None:
        return None
    done = subprocess.run([found, "-p", "typeof fetch"], capture_output=True, text=True, check=False, timeout=PATIENCE)
    return found if done.stdout.strip() == "function" else None


NODE = _node()
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]


def has_package(name: str = "openai") -> bool:
    """Whether node finds that package; if not, see NODE_PATH."""
    if NODE is None:
        return False
    program = f"require.resolve('{name}')"
    done = subprocess.run([NODE, "-e", program], capture_output=True, check=False, timeout=PATIENCE)
    return done.returncode == 0


def request_of(leak: Leak, *, stream: bool) -> dict[str, Any]:
    """What is asked for."""
    return {"stream": stream, **({"n": 2} if leak.second else {})}


def in_javascript(url: str, way: str, requests: Iterable[dict[str, Any]]) -> list[list[Read]]:
    """What a program in JavaScript reads: for each request, its choices."""
    return [
        [
            _read(each["content"], each["reasoning"], ((call["name"], call["arguments"]) for call in each["calls"]),
                  each["reason"])
            for each in answer
        ]
        for answer in _answers([str(PROGRAM), url, way], requests)
    ]  # fmt: skip


def messages_in_javascript(url: str, requests: Iterable[dict[str, Any]]) -> list[tuple[Read, str]]:
    """What the anthropic package of JavaScript reads, and a hash of the bytes: for each request."""
    return [
        (
            Read(each["content"].strip(), each["reasoning"].strip(), list(map(tuple, each["calls"])), each["reason"]),
            each["bytes"],
        )
        for each in _answers([str(MESSAGES), url], requests)
    ]


def _answers(command: list[str], requests: Iterable[dict[str, Any]]) -> Iterator[Any]:
    assert NODE is not None
    done = subprocess.run(
        [NODE, *command],
        input=json.dumps(list(requests)),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
        env={**os.environ, "NO_PROXY": "*"},
    )
    assert done.returncode == 0, done.stderr
    return map(json.loads, done.stdout.splitlines())


def in_python(client: Any, request: dict[str, Any]) -> list[Read]:
    """What the openai package's client reads: its choices. In a stream, by the package's own helper."""
    body: Any = {"model": "m", "messages": [{"role": "user", "content": "Is it sunny?"}], "tools": TOOLS, **request}
    streamed = body.pop("stream")
    if not streamed:
        return read_of(client.chat.completions.create(**body))
    thoughts: dict[int, str] = {}
    with client.chat.completions.stream(**body) as stream:
        for event in stream:
            for choice in event.chunk.choices if event.type == "chunk" else ():
                more = getattr(choice.delta, "reasoning_content", None) or ""
                thoughts[choice.index] = thoughts.get(choice.index, "") + more
        return read_of(stream.get_final_completion(), thoughts)


def read_of(completion: Any, thoughts: Mapping[int, str] = MappingProxyType({})) -> list[Read]:
    """What a completion of the package says: its choices.

    Args:
        completion: the completion.
        thoughts: the reasoning of each choice of a stream, which the package does not join.
    """
    return [_of(each.message, each.finish_reason, thoughts.get(each.index, "")) for each in completion.choices]


def _of(message: Any, reason: str, thoughts: str = "") -> Read:
    calls = [(call.function.name, call.function.arguments) for call in message.tool_calls or ()]
    return _read(message.content, getattr(message, "reasoning_content", None) or thoughts, calls, reason)


def _read(content: Any, reasoning: Any, calls: Iterable[tuple[str, str]], reason: str | None) -> Read:
    return Read(
        (content or "").strip(),
        (reasoning or "").strip(),
        [(name, json.loads(arguments)) for name, arguments in calls],
        reason,
    )
