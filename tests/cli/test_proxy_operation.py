"""`toolglean proxy`, as operators run it: a file of options, several processes, an orderly end, logs."""

from __future__ import annotations

import http.client
import json
import os
import signal
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_proxy import HERMES, answering, post, running
from tests.clients.answers import asked, said
from tests.clients.families import TOOLS
from tests.clients.proxies import until
from tests.support import depth
from tests.support.loopback import Loopback, Slow, Turn
from tests.support.loopback.raw import head, raw_server
from toolglean.cli import _parser, main

pytest.importorskip("uvicorn", reason="needs toolglean[proxy]")

REQUEST = asked("chat", TOOLS)
CALLS = [("get_weather", {"city": "Oslo"})]
posix = pytest.mark.skipif(sys.platform == "win32", reason="one port for several processes, and signals")


def metrics(url: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{url}/metrics", timeout=30) as answer:  # noqa: S310  # on loopback
        lines = answer.read().decode().splitlines()
    return {name: int(count) for name, _, count in (each.rpartition(" ") for each in lines if each[0] != "#")}


# -- a file of options -------------------------------------------------------------------------------------------------


def test_a_file_of_options(server: Loopback, tmp_path: Path) -> None:
    broken = HERMES.replace('"city": "Oslo"', "'city': 'Oslo'")
    file = tmp_path / "proxy.toml"
    file.write_text(f'upstream = "{server.url}/v1"\nformat = "hermes"\nno-repair = true\ndrain = 3\n', encoding="utf-8")
    with answering("--config", str(file)) as url:
        server.play(Turn([broken]))
        assert said("chat", post(f"{url}/v1/chat/completions", REQUEST), REQUEST).calls == []
    # What the command line says comes first, wherever it is.
    file.write_text('upstream = "http://127.0.0.1:9"\nno-repair = false\n', encoding="utf-8")
    with answering("--upstream", server.url, "--config", str(file)) as url:
        server.play(Turn([broken]))
        assert said("chat", post(f"{url}/v1/chat/completions", REQUEST), REQUEST).calls == CALLS


def test_the_file_of_the_page(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "proxy.md").read_text(encoding="utf-8")
    file = tmp_path / "proxy.toml"
    file.write_text(page.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    args = _parser("proxy").parse_args(["proxy", "--config", str(file), "--workers", "2"])
    assert (args.upstream, args.workers, args.request_limit) == ("http://localhost:8000/v1", 2, 200)
    assert (args.drain, args.silence_limit, args.log_format, args.no_repair) == (60, 300, "json", False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('upstraem = "http://h"', "unknown key 'upstraem'; did you mean upstream?"),
        ("body_limit = 3", "unknown key 'body_limit'; did you mean body-limit?"),
        ("[own]\nport = 1", "unknown key 'own'; its keys are the names of the options"),
        ('config = "x"', "unknown key 'config'"),
        ("no-repair = 1", "no-repair = 1: expected true or false"),
        ("port = true", "port = True: expected a string or a number"),
        ('set = "a=1"', "set = 'a=1': expected a list of strings"),
        ("upstream = ", "not valid TOML: Invalid value"),
        ('quoted = "no"', "argument --quoted: invalid choice: 'no'"),
        ("workers = 0", "argument --workers: invalid value '0': expected 1 or more"),
    ],
)
def test_what_is_wrong_in_a_file(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proxy.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["proxy", "--upstream", "http://h", "--config", str(file)])
    told = capsys.readouterr().err
    assert (ended.value.code, message in told) == (2, True), told
    assert ("argument --" in message) or f"error: {file}: " in told


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    for args, message in ((["--config", "no.toml"], "no.toml: No such file"), (["--config"], "expected one argument")):
        with pytest.raises(SystemExit):
            main(["proxy", *args])
        assert message in capsys.readouterr().err


# -- several processes, and the end ------------------------------------------------------------------------------------


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return [each for each in map(int, text.split()) if b"resource_tracker" not in _command_of(each)]


def _command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it ended just now: it was a child when the list was read
        return b""


@posix
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_several_processes_count_together_are_replaced_and_do_not_outlive_the_first(server: Loopback) -> None:
    with running("--upstream", f"{server.url}/v1", "--workers", "2") as (process, url):
        server.play(*[Turn(list(HERMES))] * 20)

        def ask(count: int) -> None:
            for _ in range(count):
                assert said("chat", post(f"{url}/v1/chat/completions", REQUEST), REQUEST).calls == CALLS

        ask(8)
        for _ in range(8):  # whichever answers
            found = metrics(url)
            assert found["toolglean_leaked_calls_total"] == found['toolglean_requests_total{api="chat"}'] == 8
            assert found["toolglean_open_requests"] == 0
        before = children(process.pid)
        assert len(before) == 2
        for each, end in zip(before, (signal.SIGKILL, signal.SIGTERM), strict=True):
            os.kill(each, end)
        until(lambda: len(set(children(process.pid)) | set(before)) == 4)
        ask(4)
        assert metrics(url)["toolglean_leaked_calls_total"] == 12  # those of the dead one, too
        left = children(process.pid)
        process.kill()
        process.wait(30)
        until(lambda: not any(Path(f"/proc/{each}/cmdline").exists() for each in left))


@posix
@pytest.mark.parametrize(
    ("workers", "drain"), [("1", "20"), ("2", "1"), *([("1", "1"), ("2", "20")] if depth.is_full() else [])]
)
def test_open_answers_end_after_sigterm_and_nothing_new_begins(server: Loopback, workers: str, drain: str) -> None:
    args = ("--workers", workers, "--drain", drain, "--log-format", "json")
    with running("--upstream", f"{server.url}/v1", *args) as (process, url):
        more = threading.Event()
        server.play(Turn(list(HERMES), faults=[Slow(5, until=more)]))
        request = urllib.request.Request(  # noqa: S310
            f"{url}/v1/chat/completions", json.dumps(REQUEST).encode(), {"Content-Type": "application/json"}
        )
        found: list[Any] = []

        def read() -> None:
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
                    found.append(answer.read())
            except (OSError, http.client.IncompleteRead) as error:
                found.append(error)

        reading = threading.Thread(target=read)
        reading.start()
        until(lambda: metrics(url)["toolglean_open_requests"] == 1)
        process.send_signal(signal.SIGTERM)
        until(lambda: is_refused(url))
        if drain == "1":
            assert process.wait(15) == 0  # the limit of its patience
        more.set()
        reading.join(20)
        if drain == "20":
            assert said("chat", found[0], REQUEST).calls == CALLS
            assert process.wait(15) == 0
        else:
            assert isinstance(found[0], http.client.IncompleteRead)
            assert b"get_weather" not in found[0].partial
        assert process.stderr is not None
        logged = [json.loads(line) for line in process.stderr.read().splitlines()]
        assert all(each["time"] for each in logged)
        # An answer that is cut at the end was a traceback of uvicorn's, and its own record did not say so.
        assert not any("exception" in each for each in logged)
        (of_request,) = [each for each in logged if each.get("path") == "/v1/chat/completions"]
        assert of_request.get("error") == (None if drain == "20" else "stopped")


def is_refused(url: str) -> bool:
    try:
        metrics(url)
    except OSError:
        return True
    return False


# -- traces ------------------------------------------------------------------------------------------------------------


def test_traces_are_sent_to_the_endpoint_of_the_environment(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="needs toolglean[otel]")
    with raw_server() as collector:
        collector.answer = head("200 OK", "Content-Length: 0", "Connection: close")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        with running("--upstream", f"{server.url}/v1", "--otel", "--log-format", "json") as (process, url):
            server.play(Turn(list(HERMES)))
            post(f"{url}/v1/chat/completions", REQUEST)
            process.send_signal(signal.SIGTERM)  # what was not sent yet is sent at the end
            assert process.wait(30) == 0
            assert process.stderr is not None
            (line,) = process.stderr.read().splitlines()
        sent = {each.split(b" ")[1]: each for each in collector.asked}
        assert set(sent) == {b"/v1/traces", b"/v1/metrics"}
        assert b"toolglean-proxy" in sent[b"/v1/traces"]
        assert bytes.fromhex(json.loads(line)["trace"]) in sent[b"/v1/traces"]
        assert b"gen_ai.client.operation.duration" in sent[b"/v1/metrics"]


def test_who_has_not_installed_the_extra_is_told_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.delitem(sys.modules, "toolglean.clients.proxy.telemetry", raising=False)
    assert main(["proxy", "--upstream", "http://h", "--otel"]) == 2
    told = capsys.readouterr().err
    assert "`toolglean proxy --otel` needs opentelemetry" in told
    assert ".[otel]" in told


# -- logs --------------------------------------------------------------------------------------------------------------


def test_lines_of_json_without_keys(server: Loopback) -> None:
    with running("--upstream", f"{server.url}/v1", "--log-format", "json") as (process, url):
        server.play(Turn(list(HERMES)), Turn(list(HERMES.replace("get_weather", "delete_all"))))
        for _ in range(2):
            request = urllib.request.Request(  # noqa: S310
                f"{url}/v1/chat/completions?key=secret",
                json.dumps({**REQUEST, "model": "m", "user": "secret"}).encode(),
                {"Content-Type": "application/json", "Authorization": "Bearer secret", "X-Api-Key": "secret"},
            )
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
                assert answer.read()
        process.send_signal(signal.SIGINT)
        process.wait(30)
        assert process.stderr is not None
        text = process.stderr.read()
    lines = [json.loads(line) for line in text.splitlines()]
    assert "secret" not in text
    assert "Oslo" not in text
    first, warning, second = lines
    assert first | {"time": 0, "took_seconds": 0, "first_seconds": 0} == {
        "time": 0,
        "level": "info",
        "logger": "toolglean.proxy.requests",
        "message": "POST /v1/chat/completions: 200",
        "api": "chat",
        "method": "POST",
        "path": "/v1/chat/completions",
        "model": "m",
        "streamed": True,
        "status": 200,
        "first_seconds": 0,
        "took_seconds": 0,
        "calls": 1,
    }
    assert (warning["level"], "delete_all" in warning["message"]) == ("warning", True)
    assert (second["calls"], second["problems"]) == (0, {"unknown-tool": 1})
