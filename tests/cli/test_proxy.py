"""`toolglean proxy`: the command, as a process."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.clients.answers import asked, said
from tests.clients.families import TOOLS
from tests.clients.proxies import serving
from tests.support import depth
from tests.support.loopback import Turn, serve
from toolglean.cli import _parser, main
from toolglean.cli.proxy import _application
from toolglean.kit.conformance import load_cases, run
from toolglean.kit.conformance.engines import Proxied
from toolglean.kit.conformance.upstream import Upstream

pytest.importorskip("uvicorn", reason="needs toolglean[proxy]")

CONFORMING = ("written/mention", "written/cut-off", "written/value", "written/two")
HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'


@contextmanager
def running(*args: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-W", "error", "-m", "toolglean", "proxy", "--port", "0", *args]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            assert found, line
            yield process, found[0]
        finally:
            process.kill()


@contextmanager
def answering(*args: str) -> Iterator[str]:
    """The URL of a proxy with these options: of the command at full depth, by default of its application in this process.

    To start a process takes longer than all that these tests ask of it. Those that end one start it.
    """
    if depth.is_full():
        with running(*args) as (_, url):
            yield url
    else:
        with serving(_application(_parser("proxy").parse_args(["proxy", *args]))) as url:
            yield url


def post(url: str, body: dict[str, Any]) -> bytes:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310  # on loopback
        found: bytes = answer.read()
        return found


def test_it_conforms() -> None:
    """The conformance kit is its model: what the proxy makes of leaked calls, whole and at cuts."""
    cases = [case for case in load_cases() if case.format == "hermes" and case.id.startswith(CONFORMING)]
    upstream = Upstream()
    with answering("--upstream", upstream.url, "--format", "hermes") as url:
        target = Proxied(url, upstream)
        report = run(target, cases, random_cuts=3 if depth.is_full() else 1)
        target.close()
    assert len(cases) > 10
    assert {result.case.id: result.findings for result in report.results if result.failed} == {}


def test_it_serves_until_it_is_interrupted_and_tells_of_calls_that_stay_content_alone() -> None:
    with serve() as server, running("--upstream", f"{server.url}/v1", "--format", "hermes") as (process, url):
        unknown, request = HERMES.replace("get_weather", "delete_all"), asked("chat", TOOLS)
        unread = '<step fn="get_weather">city=Oslo key=s3cret</step>'  # nothing was logged of it
        server.play(Turn(list(HERMES)), Turn(list(unknown)), Turn(list(unread)))
        found = said("chat", post(f"{url}/v1/chat/completions", request), request)
        assert (found.calls, found.reason) == ([("get_weather", {"city": "Oslo"})], "tool_calls")
        found = said("chat", post(f"{url}/v1/chat/completions", request), request)
        assert (found.calls, found.text, found.reason) == ([], unknown, "stop")
        found = said("chat", post(f"{url}/v1/chat/completions", request), request)
        assert (found.calls, found.text, found.reason) == ([], unread, "stop")
        with urllib.request.urlopen(f"{url}/metrics", timeout=30) as answer:  # noqa: S310  # on loopback
            counts = answer.read()
        assert b'toolglean_problems_total{code="unknown-tool"} 1' in counts
        assert b'toolglean_problems_total{code="unread-call"} 1' in counts
        process.send_signal(signal.SIGINT)
        assert process.wait(30) in {0, 130, -signal.SIGINT}
        assert process.stderr is not None
        told, more = process.stderr.read().splitlines()  # no bodies, nor anything else
        assert "a call to an unknown tool stays content: 'delete_all'" in told
        assert "a call was not read, and stays content: " in more
        assert not any(part in f"{told}{more}" for part in ("Oslo", "s3cret"))


UNKNOWN = HERMES.replace("get_weather", "delete_all")
BROKEN = HERMES.replace('"city": "Oslo"', "'city': 'Oslo'")
OPTIONS: dict[str, tuple[list[str], str, list[tuple[str, Any]]]] = {
    # what the command is given, what the model writes, and the calls that the client gets
    "its format": (["--format", "hermes"], HERMES, [("get_weather", {"city": "Oslo"})]),
    "one format, strictly": (["--format", "gemma-4", "--strict-format"], HERMES, []),
    "an unknown tool": (["--unknown-tools", "call"], UNKNOWN, [("delete_all", {"city": "Oslo"})]),
    "arguments that stream": (["--stream-arguments"], HERMES, [("get_weather", {"city": "Oslo"})]),
    "repaired": (["--format", "hermes"], BROKEN, [("get_weather", {"city": "Oslo"})]),
    "not repaired": (["--format", "hermes", "--no-repair"], BROKEN, []),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_what_the_options_change(name: str) -> None:
    args, text, calls = OPTIONS[name]
    with serve() as server, answering("--upstream", f"{server.url}/v1", *args) as url:
        server.play(Turn(list(text)))
        request = asked("chat", TOOLS)
        data = post(f"{url}/v1/chat/completions", request)
        with urllib.request.urlopen(f"{url}/metrics", timeout=30) as metrics:  # noqa: S310  # on loopback
            assert (b'toolglean_repairs_total{repair="' in metrics.read()) == (name == "repaired")
    found = said("chat", data, request)
    assert found.calls == calls
    assert calls or name == "not repaired" or found.text == text
    assert (data.count(b'"arguments":') > 10) == ("--stream-arguments" in args)


def test_the_benchmark_runs() -> None:
    pytest.importorskip("httpx", reason="needs toolglean[proxy]")
    from benchmarks.proxy import FAMILIES, cost, cuts  # noqa: PLC0415

    assert [(family, different) for family, _, different in cuts(2)] == [(family, 1) for family in FAMILIES]
    assert all(own > 0 and floor > 0 for _, own, floor in cost(50))


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])  # noqa: S104
def test_it_does_not_stand_before_itself(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert main(["proxy", "--upstream", f"http://localhost:{port}/v1", "--host", host, "--port", str(port)]) == 2
    assert "the proxy itself would listen there" in capsys.readouterr().err
