"""The proxy: its limits, and what traces and metrics tell of a request."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.answers import KINDS, PATHS, asked, said
from tests.clients.families import HERMES, TOOLS
from tests.clients.proxies import serving, until
from tests.support.loopback import Cut, Loopback, Slow, Turn
from tests.support.loopback.raw import head, raw_server

pytest.importorskip("uvicorn", reason="needs toolglean[proxy]")
pytest.importorskip("starlette", reason="needs toolglean[proxy]")
httpx = pytest.importorskip("httpx", reason="needs toolglean[proxy]")

from toolglean.clients.proxy import application  # noqa: E402
from toolglean.clients.proxy.metrics import SLOT, Board, Metrics  # noqa: E402
from toolglean.clients.repair import Counts, Kind  # noqa: E402

REQUEST = asked("chat", TOOLS)


@pytest.fixture
def client() -> Iterator[Any]:
    with httpx.Client(timeout=30, trust_env=False) as found:
        yield found


def test_only_so_many_requests_are_open(server: Loopback, client: Any) -> None:
    more = threading.Event()
    server.play(Turn(["Hello"] * 9, faults=[Slow(3, until=more)]), Turn(["Hi"]))
    with serving(application(f"{server.url}/v1", request_limit=1)) as proxy:
        path = f"{proxy}/v1/chat/completions"
        with client.stream("POST", path, json=REQUEST) as stream:
            pieces = stream.iter_bytes()
            assert next(pieces)
            with httpx.Client(trust_env=False) as other:
                found = other.post(path, json=REQUEST)
                text = other.get(f"{proxy}/metrics").text
            more.set()
            assert b"[DONE]" in b"".join(pieces)
        assert (found.status_code, found.headers["retry-after"]) == (503, "1")
        assert found.json()["error"]["code"] == "too_many_requests"
        assert (found.json()["type"], found.json()["error"]["type"]) == ("error", "overloaded_error")
        assert "toolglean_refused_requests_total 1\n" in text
        until(lambda: client.post(path, json=REQUEST).status_code == 200)


DROPPED: dict[str, tuple[str, str, bool]] = {
    # whether a request is sent once more, if a kept connection ends before its answer
    "a turn": ("POST", "/v1/chat/completions", True),
    "a turn of the Messages API": ("POST", "/v1/messages", True),
    "a list": ("GET", "/v1/models", True),
    "a response, which the server stores": ("POST", "/v1/responses", False),
    "another request": ("POST", "/v1/files", False),
}


@pytest.mark.parametrize("row", DROPPED)
def test_a_kept_connection_that_has_ended(row: str, client: Any) -> None:
    """The server closes it while a request is on its way: the caller got status 502."""
    method, path, again = DROPPED[row]
    with raw_server() as raw, serving(application(raw.url)) as proxy:
        raw.answer, raw.then_drop = head("200 OK", "Content-Type: application/json", "Content-Length: 2") + b"{}", True
        for number in range(3):
            found = client.request(method, proxy + path, json=REQUEST)
            fails = number == 1 and not again  # the next request has a new connection
            assert found.status_code == (502 if fails else 200)
        assert len(raw.asked) == (4 if again else 3)


def test_a_new_connection_that_ends_is_no_reason_to_ask_again(client: Any) -> None:
    with raw_server() as raw, serving(application(raw.url)) as proxy:
        assert client.post(f"{proxy}/v1/chat/completions", json=REQUEST).status_code == 502
        assert len(raw.asked) == 1


def test_a_silent_upstream_is_given_up(client: Any) -> None:
    with raw_server() as raw, serving(application(raw.url, silence_limit=0.3)) as proxy:
        raw.then_hang = True
        found = client.post(f"{proxy}/v1/chat/completions", json=REQUEST)
        assert (found.status_code, "ReadTimeout" in found.text) == (502, True)
        raw.answer = head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        with pytest.raises(httpx.RemoteProtocolError):
            client.post(f"{proxy}/v1/chat/completions", json=REQUEST)
        until(raw.gone.is_set)


def test_bodies_that_are_no_request_pass_with_a_history_as_text(client: Any) -> None:
    with raw_server() as raw, serving(application(raw.url, history="text")) as proxy:
        raw.answer = head("200 OK", "Content-Length: 2", "Connection: close") + b"ok"
        for data in (b"{", b"[1]", b"[" * 5000, b'{"messages": 7}', b'{ "messages": [] }'):
            assert client.post(f"{proxy}/v1/chat/completions", content=data).text == "ok"
            assert raw.asked[-1].endswith(b"\r\n\r\n" + data)


# -- the counters of several processes ---------------------------------------------------------------------------------


def test_whichever_process_is_asked_answers_for_all() -> None:
    slots = [bytearray(SLOT) for _ in range(3)]
    for own in range(2):
        metrics = Metrics(Board(slots, own))
        metrics.count("requests", label="chat")
        metrics.count("open")
        found = Counts(calls=2)
        found.problems['a"b'] += 1
        metrics.found(found)
        metrics.publish()
    for own in range(3):
        text = Metrics(Board(slots, own)).text()
        assert 'toolglean_requests_total{api="chat"} 2\n' in text
        assert "toolglean_leaked_calls_total 4\n" in text
        assert 'toolglean_problems_total{code="a\\"b"} 2\n' in text
        # A process that takes the place of another has its counters, and none of its requests, as all others see.
        assert f"toolglean_open_requests {(1, 0, 0)[own]}\n" in text


def test_a_slot_that_is_being_written_is_not_read() -> None:
    slots = [bytearray(SLOT) for _ in range(2)]
    board = Board(slots, 0)
    board.write(b'{"calls": {"": 3}}')
    assert Board(slots, 1).read(0) == b'{"calls": {"": 3}}'
    board.write(b"x" * SLOT)  # does not fit: what was there stays
    assert Board(slots, 1).read(0) == b'{"calls": {"": 3}}'
    slots[0][10] = 0
    assert Board(slots, 1).read(0) == b""


# -- traces and metrics ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def told() -> Any:
    pytest.importorskip("opentelemetry.sdk", reason="needs toolglean[otel]")
    from opentelemetry import metrics, trace  # noqa: PLC0415
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: PLC0415
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415

    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider([reader]))
    return spans, reader


def watched(url: str) -> Any:
    from toolglean.clients.proxy.telemetry import Telemetry  # noqa: PLC0415

    return application(url, watchers=[Telemetry(url)])


TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.mark.parametrize("kind", KINDS)
def test_a_span_for_each_request_to_a_model(kind: Kind, told: Any, server: Loopback, client: Any) -> None:
    spans, reader = told
    spans.clear()
    request = {**asked(kind, TOOLS), "model": "qwen3"}
    with serving(watched(f"{server.url}/v1")) as proxy:
        server.play(Turn(list(HERMES)))
        headers = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01", "authorization": "Bearer secret"}
        found = client.post(proxy + PATHS[kind], json=request, headers=headers)
        assert said(kind, found.content, request).calls
        client.get(f"{proxy}/v1/models")  # no request to a model
        until(lambda: bool(spans.get_finished_spans()))
    (span,) = spans.get_finished_spans()
    providers = {"chat": "openai", "responses": "openai", "messages": "anthropic", "ollama": "ollama"}
    expected = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": providers[kind],
        "gen_ai.request.model": "qwen3",
        "gen_ai.request.stream": True,
        "server.address": "127.0.0.1",
        "server.port": httpx.URL(server.url).port,
        "http.response.status_code": 200,
        "toolglean.leaked_calls": 1,
    }
    assert (span.name, span.kind.name, span.status.status_code.name) == ("chat qwen3", "CLIENT", "UNSET")
    assert {name: span.attributes[name] for name in expected} == expected
    assert 0 < span.attributes["gen_ai.response.time_to_first_chunk"] < 30
    assert (f"{span.context.trace_id:032x}", f"{span.parent.span_id:x}") == (TRACE, "f067aa0ba902b7")
    assert "secret" not in span.to_json()
    assert "Oslo" not in span.to_json()
    names = {
        each.name for scope in reader.get_metrics_data().resource_metrics[0].scope_metrics for each in scope.metrics
    }
    assert names == {
        "gen_ai.client.operation.duration",
        "gen_ai.client.operation.time_to_first_chunk",
        "toolglean.leaked_calls",
    }


def test_names_of_models_cost_no_memory_and_harm_no_other_caller(told: Any) -> None:
    """Half a surrogate pair kept the batch with it from being sent, and each name was kept for good."""
    from toolglean.clients.proxy.metrics import MOST  # noqa: PLC0415
    from toolglean.clients.proxy.records import Record  # noqa: PLC0415
    from toolglean.clients.proxy.telemetry import Telemetry  # noqa: PLC0415

    spans, _ = told
    spans.clear()
    watcher = Telemetry("http://h:1")
    for name in ("\ud800", *(f"m{number}" for number in range(MOST)), "m0"):
        record = Record(method="POST", path="/v1/chat/completions", api="chat")
        record.name_model({"model": name})
        watcher.begin(record, {})
        watcher.end(record)
    names = [each.name for each in spans.get_finished_spans()]
    assert names[:2] + names[-2:] == ["chat ?", "chat m0", "chat other", "chat m0"]


def test_the_upstream_can_continue_the_trace(told: Any, client: Any) -> None:
    spans, _ = told
    spans.clear()
    with raw_server() as raw, serving(watched(raw.url)) as proxy:
        raw.answer = head("500 No", "Content-Length: 0", "Connection: close")
        client.post(f"{proxy}/v1/chat/completions", json=REQUEST, headers={"traceparent": f"00-{TRACE}-{1:016x}-01"})
        sent = raw.asked[0].decode().lower()
        until(lambda: bool(spans.get_finished_spans()))
    (span,) = spans.get_finished_spans()
    assert sent.count("traceparent:") == 1
    assert f"traceparent: 00-{TRACE}-{span.context.span_id:016x}-01" in sent
    assert (span.attributes["error.type"], span.status.status_code.name) == ("500", "ERROR")


def test_what_went_wrong(told: Any, server: Loopback, client: Any) -> None:
    spans, _ = told
    spans.clear()
    with serving(watched(server.url)) as proxy:
        server.play(Turn(list(HERMES), faults=[Cut(9)]))
        with pytest.raises(httpx.RemoteProtocolError):
            client.post(f"{proxy}/v1/chat/completions", json=REQUEST)
        until(lambda: bool(spans.get_finished_spans()))
    (span,) = spans.get_finished_spans()
    assert (span.attributes["error.type"], span.attributes["toolglean.leaked_calls"]) == ("RemoteProtocolError", 0)
