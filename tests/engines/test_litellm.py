"""The hook of litellm's proxy: on stand-ins for its objects, and in the proxy itself in front of a server that leaks.

What needs litellm is run by `nox -s small_engines`.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.engines.programs import FOLDER, load
from tests.support.loopback import Loopback, Turn, serve
from tests.support.stand_in import stand_in

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
LEAK = f"I will check.\n{CALL}"
TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}
]  # fmt: skip
WITH_TOOLS = {"model": "qwen3", "tools": TOOLS}
WITHOUT = [{"model": "qwen3"}, WITH_TOOLS | {"tool_choice": "none"}]


class Dumped:
    """An object of litellm: a model of pydantic, of which the hook uses this much."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return dict(self.__dict__)


class Whole(Dumped):
    choices: list[Any]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The hook, on stand-ins for litellm's classes."""
    stand_in(monkeypatch, "litellm.integrations.custom_logger", CustomLogger=object)
    stand_in(monkeypatch, "litellm.types.utils", ModelResponse=Whole, ModelResponseStream=Dumped)
    return load("litellm_hook")


def streamed(hook: ModuleType, asked: dict[str, Any], items: list[Any]) -> list[Any]:
    async def given() -> AsyncIterator[Any]:
        for item in items:
            yield item

    async def taken() -> list[Any]:
        return [each async for each in hook.toolglean.async_post_call_streaming_iterator_hook(None, given(), asked)]

    return asyncio.run(taken())


def chunk(delta: dict[str, Any], reason: str | None = None) -> Dumped:
    return Dumped(id="c", choices=[{"index": 0, "delta": delta, "finish_reason": reason}])


CHUNKS = [chunk({"content": LEAK[at : at + 5]}) for at in range(0, len(LEAK), 5)] + [chunk({}, "stop")]


def test_a_leaked_call_of_a_stream_is_moved(hook: ModuleType) -> None:
    choices = [each.choices[0] for each in streamed(hook, WITH_TOOLS, CHUNKS)]
    assert "".join(each["delta"].get("content", "") for each in choices) == "I will check.\n"
    calls = [call["function"] for each in choices for call in each["delta"].get("tool_calls", ())]
    assert calls == [{"name": "get_weather", "arguments": ""}, {"arguments": '{"city": "Oslo"}'}]
    assert choices[-1]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("asked", WITHOUT, ids=["no tools", "none"])
def test_without_tools_the_stream_is_the_same(asked: dict[str, Any], hook: ModuleType) -> None:
    assert streamed(hook, asked, CHUNKS) == CHUNKS


def test_events_of_other_apis_pass(hook: ModuleType) -> None:
    events = [b"event: message_start\n\n", b"data: {}\n\n"]
    assert streamed(hook, WITH_TOOLS, events) == events


def test_a_whole_answer_is_repaired(hook: ModuleType) -> None:
    answer = Whole(choices=[{"index": 0, "message": {"content": LEAK}, "finish_reason": "stop"}])
    asyncio.run(hook.toolglean.async_post_call_success_hook(WITH_TOOLS, None, answer))
    [choice] = answer.choices
    assert choice["message"]["content"] == "I will check.\n"
    assert choice["message"]["tool_calls"][0]["function"]["name"] == "get_weather"
    other = object()
    assert asyncio.run(hook.toolglean.async_post_call_success_hook(WITH_TOOLS, None, other)) is other


# -- with litellm's proxy ----------------------------------------------------------------------------------------------

CONFIG = """
model_list:
  - model_name: qwen3
    litellm_params: {{model: openai/qwen3, api_base: {url}/v1, api_key: none}}
litellm_settings:
  callbacks: litellm_hook.toolglean
"""


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


PORT = free_port()
MASTER_KEY = f"sk-{secrets.token_hex(32)}"
"""Without one, or with one that is easy to guess, the proxy does not start."""


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loopback]:
    """A server that leaks, behind litellm's proxy with the hook."""
    command = Path(sys.executable).with_name("litellm")
    if importlib.util.find_spec("litellm") is None or not command.exists():
        pytest.skip("needs litellm[proxy]: nox -s small_engines")
    folder = tmp_path_factory.mktemp("proxy")
    shutil.copy(FOLDER / "litellm_hook.py", folder)
    with serve() as server, (folder / "log").open("w", encoding="utf-8") as log:
        (folder / "config.yaml").write_text(CONFIG.format(url=server.url), encoding="utf-8")
        running = subprocess.Popen(
            [
                str(command),
                "--config",
                "config.yaml",
                "--host",
                "127.0.0.1",
                "--port",
                str(PORT),
                "--telemetry",
                "False",
            ],
            cwd=folder,
            env=os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": MASTER_KEY},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(running)
            yield server
        finally:
            running.terminate()
            running.wait()


def wait_for(running: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if running.poll() is not None:
            break
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health/liveliness", timeout=5).close()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
        else:
            return
    raise RuntimeError("litellm's proxy did not start")


def asked_of(server: Loopback, **fields: Any) -> list[dict[str, Any]]:
    """The proxy's answer to a question: one object, or the chunks of the stream."""
    server.play(Turn([LEAK[at : at + 5] for at in range(0, len(LEAK), 5)]))
    body = {"model": "qwen3", "messages": [{"role": "user", "content": "?"}], **fields}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {MASTER_KEY}"}
    url = f"http://127.0.0.1:{PORT}/v1/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=60) as answer:
        text = answer.read().decode()
    if not fields.get("stream"):
        return [json.loads(text)]
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in lines]


def test_the_proxy_moves_leaked_calls(upstream: Loopback) -> None:
    [answer] = asked_of(upstream, tools=TOOLS)
    [choice] = answer["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["content"] == "I will check.\n"
    assert choice["message"]["tool_calls"][0]["function"] == {"name": "get_weather", "arguments": '{"city": "Oslo"}'}


def test_the_proxy_moves_leaked_calls_of_streams(upstream: Loopback) -> None:
    choices = [choice for each in asked_of(upstream, tools=TOOLS, stream=True) for choice in each["choices"]]
    assert "".join(each["delta"].get("content") or "" for each in choices) == "I will check.\n"
    calls = [call["function"] for each in choices for call in each["delta"].get("tool_calls") or ()]
    assert "".join(call.get("name") or "" for call in calls) == "get_weather"
    assert json.loads("".join(call.get("arguments") or "" for call in calls)) == {"city": "Oslo"}
    assert [each["finish_reason"] for each in choices if each.get("finish_reason")] == ["tool_calls"]


@pytest.mark.parametrize("stream", [False, True])
def test_the_proxy_leaves_answers_to_requests_without_tools(stream: bool, upstream: Loopback) -> None:
    choices = [choice for each in asked_of(upstream, stream=stream) for choice in each["choices"]]
    said = [each["delta" if stream else "message"].get("content") or "" for each in choices]
    assert "".join(said) == LEAK
