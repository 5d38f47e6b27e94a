# SMG (Shepherd Model Gateway), through its gateway: it is started in the Python that has it, without a worker, on a
# port of this machine, and asked what it makes of a whole turn. Tried with smg 1.13.0.
#
#   reasoning     POST /parse/reasoning
#   calls         POST /parse/function_call with what remains
#   format        the names of the two parsers (flags.json)
#
# Not claimed: formats without a parser, and prompts that have opened the reasoning, because the endpoints cannot be
# told. These are the parsers for each model (`--parser legacy`). SMG's other parser, Symphony, and streams need a
# worker that is reached by gRPC. Does not depend on what is right.
"""`toolglean conformance --target smg`."""

from __future__ import annotations

import atexit
import json
import socket
import subprocess
import sys
import time
from functools import cache
from http.client import HTTPConnection
from typing import Any

from toolglean.kit.conformance.targets.flags import parsers_of
from toolglean.kit.conformance.targets.tokens import Spans, Tokens

__all__ = ["smg"]

SECONDS = 30
"""How long the gateway may take to start."""


@cache
def _port() -> int:
    # The port of a gateway that is ready.
    ports = []
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    where = ("--host", "127.0.0.1", "--port", str(ports[0]), "--prometheus-port", str(ports[1]))
    command = [sys.executable, "-m", "smg", "launch", *where]
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    atexit.register(started.kill)
    latest = time.monotonic() + SECONDS
    while time.monotonic() < latest:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", ports[0])) == 0:
                return int(ports[0])
        time.sleep(0.1)
    raise RuntimeError(f"the gateway did not start within {SECONDS} seconds: {' '.join(command)}")


def _ask(path: str, **given: Any) -> dict[str, Any]:
    connection = HTTPConnection("127.0.0.1", _port(), timeout=SECONDS)
    try:
        connection.request("POST", path, json.dumps(given), {"Content-Type": "application/json"})
        answer: dict[str, Any] = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    if not answer.get("success"):
        raise RuntimeError(json.dumps(answer))
    return answer


def smg(
    text: str,
    tools: list[dict[str, Any]],
    *,
    format: str | None = None,
    start: str | None = None,
    special: Spans | None = None,
    atomic: list[str] | None = None,
    reasons: bool = False,
) -> dict[str, Any]:
    """The gateway's reading of a whole turn."""
    name, reasoning = parsers_of("smg", "SMG", format, reasons=reasons and start != "reasoning")
    if start == "reasoning":
        raise NotImplementedError("the endpoint cannot be told that the prompt has opened the reasoning")
    text, thought = Tokens(format, special, atomic).passed(text), ""
    if reasons:
        found = _ask("/parse/reasoning", text=text, reasoning_parser=reasoning)
        text, thought = found["normal_text"], found["reasoning_text"]
    found = _ask("/parse/function_call", text=text, tools=tools, tool_call_parser=name)
    calls = [each["function"] for each in found["tool_calls"]]
    return {
        "content": found["remaining_text"],
        "reasoning": thought,
        "calls": [{"name": each["name"], "arguments": each["arguments"]} for each in calls],
    }
