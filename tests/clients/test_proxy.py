"""The proxy: a real server in front of a real server, and what each side of it may do wrong."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.answers import KINDS, PATHS, answer, asked, events, pieces, said
from tests.clients.each import both, kinds
from tests.clients.families import TOOLS
from tests.clients.proxies import serving, until
from tests.support.loopback import Cut, Loopback, Slow, Status, Turn, serve
from tests.support.loopback.raw import RawServer, head, raw_server
from toolglean import ParserOptions

pytest.importorskip("uvicorn", reason="needs toolglean[proxy]")
pytest.importorskip("starlette", reason="needs toolglean[proxy]")
httpx = pytest.importorskip("httpx", reason="needs toolglean[proxy]")

from toolglean.clients.proxy import Upstream, application  # noqa: E402
from toolglean.clients.proxy.history import as_text  # noqa: E402
from toolglean.clients.proxy.upstream import PathError  # noqa: E402
from toolglean.clients.repair import Kind, Repair  # noqa: E402
from toolglean.errors import UsageError  # noqa: E402

HERMES = 'Look. <tool_call>\n{"name": "get_weather", "arguments": {"city": "Tromsø"}}\n</tool_call>'
LEAK = Turn(pieces(HERMES))
CALLS = [("get_weather", {"city": "Tromsø"})]
SSE = "Content-Type: text/event-stream"


@pytest.fixture(scope="module")
def upstream() -> Iterator[Loopback]:
    with serve() as found:
        yield found


@pytest.fixture(scope="module")
def proxy(upstream: Loopback) -> Iterator[str]:
    with serving(
        application(f"{upstream.url}/v1", Repair(options=ParserOptions(id_prefix="p")), body_limit=100_000)
    ) as url:
        yield url


@pytest.fixture
def raw() -> Iterator[RawServer]:
    with raw_server() as found:
        yield found


@pytest.fixture
def before_raw(raw: RawServer) -> Iterator[str]:
    with serving(application(raw.url, Repair(options=ParserOptions(id_prefix="p")))) as url:
        yield url


@pytest.fixture
def client() -> Iterator[Any]:
    with httpx.Client(timeout=30, trust_env=False) as found:
        yield found


def body(**more: Any) -> dict[str, Any]:
    return asked("chat", TOOLS, messages=[{"role": "user", "content": "Is it cold?"}], **more)


def metric(client: Any, proxy: str, name: str) -> int:
    lines = client.get(f"{proxy}/metrics").text.splitlines()
    return int(next((line.rpartition(" ")[2] for line in lines if line.startswith(name)), "0"))


# -- what goes through -------------------------------------------------------------------------------------------------


@kinds
@both
def test_leaked_calls_are_where_the_api_has_them(
    kind: Kind, stream: bool, upstream: Loopback, proxy: str, client: Any
) -> None:
    upstream.play(LEAK)
    request = asked(kind, TOOLS, stream=stream)
    found = said(kind, client.post(proxy + PATHS[kind], json=request).content, request)
    assert (found.text.strip(), found.calls) == ("Look.", CALLS)
    assert upstream.requests[-1] == (PATHS[kind], request)  # as it came


def test_an_answer_without_calls_is_the_same_bytes(upstream: Loopback, proxy: str, client: Any) -> None:
    for stream in (True, False):
        upstream.play(*[Turn(["a < b", " <tool", "x"])] * 2)
        direct = client.post(f"{upstream.url}/v1/chat/completions", json=body(stream=stream))
        found = client.post(f"{proxy}/v1/chat/completions", json=body(stream=stream))
        assert found.content == direct.content
        assert found.headers["content-type"] == direct.headers["content-type"]


def test_other_requests_pass(upstream: Loopback, proxy: str, client: Any) -> None:
    assert client.get(f"{proxy}/v1/models").json() == client.get(f"{upstream.url}/v1/models").json()
    assert client.get(f"{proxy}/models").json()["data"][0]["id"] == "loopback"
    assert client.get(f"{proxy}/v1/nothing").status_code == 404
    upstream.play(Turn(["<b>"]))
    assert client.post(f"{proxy}/v1/chat/completions", json={"model": "m"}).json()["choices"][0]["message"] == {
        "role": "assistant",
        "content": "<b>",
        "refusal": None,
    }


def test_headers_and_queries(raw: RawServer, before_raw: str, client: Any) -> None:
    raw.answer = (
        # It closes after one answer, and says so: else the proxy may use the connection again before it sees the end.
        head(
            "200 OK",
            "Content-Length: 2",
            "Connection: close",
            "Set-Cookie: a=1",
            "Set-Cookie: b=2",
            "X-Own: 1",
            "Date: then",
        )
        + b"ok"
    )
    headers = {
        "Authorization": "Bearer secret",
        "Accept-Encoding": "br, gzip",
        "Connection": "x-hop",
        "X-Hop": "1",
        "User-Agent": "mine",
    }
    found = client.get(f"{before_raw}/v1/a%2Fb?x=1&y=%20", headers=headers)
    sent = raw.asked[0].decode().lower()
    assert sent.startswith("get /v1/a%2fb?x=1&y=%20 http/1.1\r\n")
    assert "authorization: bearer secret" in sent
    assert "accept-encoding: identity\r\n" in sent
    assert "br" not in sent
    assert "x-hop" not in sent
    assert sent.count("user-agent: mine") == 1
    assert f"host: {raw.url.removeprefix('http://')}" in sent
    assert found.headers.get_list("set-cookie") == ["a=1", "b=2"]
    assert (found.headers["x-own"], found.headers["date"], found.text) == ("1", "then", "ok")
    client.cookies.clear()
    client.get(f"{before_raw}/v1/again")
    assert b"cookie" not in raw.asked[1].lower()  # one caller's never reaches another


def test_headers_about_other_bytes(raw: RawServer, before_raw: str, client: Any) -> None:
    """A client that compares the digest would refuse the repaired answer."""
    sums = ["ETag: x", "Content-MD5: x", "Digest: md5=x", "Content-Digest: md5=:x:", "Repr-Digest: md5=:x:"]
    data = answer("chat", Turn([HERMES]), body(stream=False))
    sized = f"Content-Length: {len(data)}"
    raw.answer = head("200 OK", sized, "Connection: close", "Content-Type: application/json", "X-Own: 1", *sums) + data
    for path, kept in (("chat/completions", 0), ("embeddings", 5)):
        found = client.post(f"{before_raw}/v1/{path}", json=body(stream=False))
        names = {each.partition(":")[0].lower() for each in sums}
        assert len(names & found.headers.keys()) == kept
        assert found.headers["x-own"] == "1"


# -- an upstream that does other things --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind", "data"),
    [
        ("401 Unauthorized", "application/json", b'{"error": {"message": "bad key", "code": 401}}'),
        ("500 Internal Server Error", "application/json", b'{"error": {"message": "no memory"}}'),
        ("200 OK", "text/html", b"<html><body>Sign in</body></html>"),
        ("307 Temporary Redirect", "text/plain", b""),
        ("200 OK", "application/json", b'{"choices": "none"}'),
    ],
)
def test_what_is_no_answer_passes(
    status: str, kind: str, data: bytes, raw: RawServer, before_raw: str, client: Any
) -> None:
    raw.answer = (
        head(status, f"Content-Type: {kind}", f"Content-Length: {len(data)}", "Location: http://127.0.0.1:9/") + data
    )
    found = client.post(f"{before_raw}/v1/chat/completions", json=body())
    assert (found.status_code, found.content, found.headers["content-type"]) == (int(status[:3]), data, kind)


@both
def test_compressed_answers_although_none_was_asked_for(
    stream: bool, raw: RawServer, before_raw: str, client: Any
) -> None:
    request = body(stream=stream)
    data = gzip.compress(answer("chat", LEAK, request))
    kind = SSE if stream else "Content-Type: application/json"
    raw.answer = (
        head("200 OK", kind, "Connection: close", "Content-Encoding: gzip", f"Content-Length: {len(data)}") + data
    )
    found = client.post(f"{before_raw}/v1/chat/completions", json=request)
    assert said("chat", found.content, request).calls == CALLS
    assert "content-encoding" not in found.headers
    # What is not repaired stays compressed, and an encoding that cannot be read is not touched.
    found = client.post(f"{before_raw}/v1/completions", json=request)
    assert (found.headers["content-encoding"], found.content) == ("gzip", gzip.decompress(data))
    raw.answer = head("200 OK", kind, "Content-Encoding: own", "Content-Length: 3") + b"\x00\x01\x02"
    found = client.post(f"{before_raw}/v1/chat/completions", json=request)
    assert (found.headers["content-encoding"], found.content) == ("own", b"\x00\x01\x02")


def test_an_upstream_that_is_not_there(client: Any, caplog: pytest.LogCaptureFixture) -> None:
    with raw_server() as gone:
        url = gone.url
    with serving(application(url)) as proxy:
        found = client.post(f"{proxy}/v1/chat/completions", json=body())
        assert (found.status_code, found.json()["error"]["code"]) == (502, "upstream_unreachable")
        assert set(found.json()["error"]) == {"message", "type", "param", "code"}
        assert metric(client, proxy, "toolglean_upstream_errors_total") == 1
    assert f"the upstream {url} did not answer: ConnectError" in caplog.messages


def test_an_upstream_that_dies_before_its_first_byte(raw: RawServer, before_raw: str, client: Any) -> None:
    assert client.post(f"{before_raw}/v1/chat/completions", json=body()).status_code == 502
    assert raw.asked


def broken_off(client: Any, url: str) -> bytes:
    """What comes of a stream before it breaks off."""
    found: list[bytes] = []
    path = f"{url}/v1/chat/completions"
    with client.stream("POST", path, json=body()) as stream, pytest.raises(httpx.RemoteProtocolError):
        found.extend(stream.iter_bytes())
    return b"".join(found)


def test_an_upstream_that_dies_in_the_middle(upstream: Loopback, proxy: str, client: Any) -> None:
    upstream.play(Turn(["Hello, ", "a <tool_", "x"], faults=[Cut(3)]))
    data = broken_off(client, proxy)
    assert b'"a <tool_"' in data  # what was held back
    assert json.loads(data.rstrip().rpartition(b"data: ")[2])["error"]["code"] == "upstream_disconnected"
    # A call that the upstream did not finish is never seen.
    upstream.play(Turn(LEAK.chunks, faults=[Cut(len(LEAK.chunks) - 3)]))
    data = broken_off(client, proxy)
    assert b"tool_calls" not in data
    assert b"get_weather" in data


@pytest.mark.parametrize("cut", ['"choi', "\\nHm", "é", "finish"])
def test_an_upstream_that_dies_inside_an_event(cut: str, raw: RawServer, before_raw: str, client: Any) -> None:
    """The half event got an end, so the client's package raised a JSONDecodeError, and never saw ours."""
    chunk = {"choices": [{"index": 0, "delta": {"content": "a <\nHm. é"}, "finish_reason": None}]}
    event = b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"
    half = event[: event.index(cut.encode()) + 1]
    raw.answer = head("200 OK", SSE, "Content-Length: 9999") + event + half
    first, last = events(broken_off(client, before_raw))
    assert (first, last["error"]["code"]) == (chunk, "upstream_disconnected")


# -- a caller that does other things -----------------------------------------------------------------------------------


def test_a_caller_that_leaves_in_the_middle(upstream: Loopback, proxy: str, client: Any) -> None:
    more = threading.Event()
    before, left = metric(client, proxy, "toolglean_callers_left_total"), len(upstream.left)
    upstream.play(Turn(["Hello, "] * 2000, faults=[Slow(5, until=more)]))
    with client.stream("POST", f"{proxy}/v1/chat/completions", json=body()) as stream:
        assert next(stream.iter_bytes())
    until(lambda: metric(client, proxy, "toolglean_callers_left_total") == before + 1)
    more.set()
    until(lambda: len(upstream.left) == left + 1)
    until(lambda: metric(client, proxy, "toolglean_open_requests ") == 0)


def test_a_caller_that_leaves_while_the_upstream_says_nothing(raw: RawServer, before_raw: str) -> None:
    raw.then_hang = True
    with httpx.Client(trust_env=False, timeout=0.3) as hasty, pytest.raises(httpx.ReadTimeout):
        hasty.post(f"{before_raw}/v1/chat/completions", json=body())
    until(raw.gone.is_set)


def test_a_body_that_is_too_long(upstream: Loopback, proxy: str, client: Any) -> None:
    count = len(upstream.requests)
    found = client.post(f"{proxy}/v1/chat/completions", content=b"x" * 100_001)
    assert (found.status_code, found.json()["error"]["code"]) == (413, "body_too_large")
    found = client.post(f"{proxy}/v1/chat/completions", content=iter([b"x" * 60_000] * 2))
    assert found.status_code == 413
    with socket.create_connection((httpx.URL(proxy).host, httpx.URL(proxy).port), timeout=10) as announced:
        announced.sendall(b"POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n")
        assert announced.recv(100).startswith(b"HTTP/1.1 413 ")  # before any of it is sent
    assert len(upstream.requests) == count


# -- our own paths -----------------------------------------------------------------------------------------------------


def test_health_and_counters(upstream: Loopback, client: Any) -> None:
    repair = Repair(format="hermes")
    with serving(application(f"{upstream.url}/v1/", repair)) as proxy:
        assert client.get(f"{proxy}/healthz").text == "ok\n"
        broken = Turn([HERMES.replace('"}}', '", x: 1}}')])
        upstream.play(LEAK, LEAK, broken, Turn(faults=[Status(500)]))
        for _ in range(4):
            client.post(f"{proxy}/v1/chat/completions", json=body())
        client.get(f"{proxy}/v1/models")
        found = client.get(f"{proxy}/metrics")
    assert found.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = found.text.splitlines()
    assert 'toolglean_requests_total{api="chat"} 4' in lines
    assert 'toolglean_requests_total{api="other"} 1' in lines
    assert "toolglean_leaked_calls_total 2" in lines
    assert "toolglean_open_requests 0" in lines
    assert any(line.startswith('toolglean_problems_total{code="malformed-arguments"}') for line in lines)
    names = {line.split("{")[0].split(" ")[0] for line in lines if not line.startswith("#")}
    assert names <= {line.split()[2] for line in lines if line.startswith("# TYPE")}


def test_a_request_without_tools_is_counted_and_the_first_one_logged(
    upstream: Loopback, client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    # It passed in silence, and whoever writes the tools into the prompt saw calls in the text.
    upstream.play(*[Turn(["Hi."])] * 4)
    with serving(application(upstream.url)) as proxy:
        for request in (body(), {"model": "m"}, {"model": "m", "tools": []}, body(tool_choice="none")):
            client.post(f"{proxy}/v1/chat/completions", json=request)
        client.get(f"{proxy}/v1/models")
        assert metric(client, proxy, 'toolglean_unread_requests_total{reason="no-tools"}') == 2
    assert len([each for each in caplog.messages if "has no tools" in each]) == 1


@pytest.mark.parametrize(
    ("upstream_url", "path", "expected"),
    [
        ("http://h:1/v1", b"/v1/models", "http://h:1/v1/models"),
        ("http://h:1/v1/", b"/models", "http://h:1/v1/models"),
        ("http://h:1", b"/v1/models", "http://h:1/v1/models"),
        ("https://h/api/v1", b"/v1/models", "https://h/api/v1/models"),
        ("https://h/api/v1", b"/api/v1/models", "https://h/api/v1/models"),
        ("http://h:1/v1", b"/api/chat", "http://h:1/api/chat"),
        ("http://h:1", b"/api/chat", "http://h:1/api/chat"),
        ("http://h:1/own", b"/v1/models", "http://h:1/own/v1/models"),
        ("http://h:1/v1", b"/", "http://h:1/v1/"),
        ("http://h:1/v1", b"/v1", "http://h:1/v1"),
        ("http://h:1/api/v1", b"/v1-admin/models", "http://h:1/api/v1/v1-admin/models"),
        ("http://h:1/v1", b"/v1/a%2Fb", "http://h:1/v1/a%2Fb"),
        ("http://h:1/v1", b"/v1/a..b/.well-known/...", "http://h:1/v1/a..b/.well-known/..."),
    ],
)
def test_where_a_request_goes(upstream_url: str, path: bytes, expected: str) -> None:
    found = Upstream.of(upstream_url)
    assert found.origin + found.target_of(path, b"").decode() == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/team/v1", "/team/v1/chat/completions"),
        ("/team", "/team/v1/chat/completions"),
        ("/api/paas/v4", "/api/paas/v4/chat/completions"),
        ("/v1beta/openai", "/v1beta/openai/chat/completions"),
    ],
)
def test_where_the_chat_api_is(path: str, expected: str) -> None:
    """Behind a path with a version it was looked for at /v1, and not found."""
    assert Upstream.of(f"http://h:1{path}").chat.decode() == expected


WAYS_OUT = [
    b"/v1/../x", b"/v1/..", b"/../x", b"/v1/./x", b"/v1/%2e%2e/x", b"/v1/%2E./x", b"/v1/.%2e%2fx", b"/v1/..%2Fx",
    b"/v1/%252e%252e/x", b"/v1/..;/x", b"/v1/..;a=1/x", b"/v1\\..\\x", b"/v1/..%5cx", b"/v1%5c..%5cx",
    b"/api/../admin", b"//elsewhere/x", b"/\\elsewhere/x", b"/%5celsewhere/x", b"/%2felsewhere/x",
    b"/%2F%2Felsewhere/x", b"x", b"*", b"", b"http://elsewhere/x", b"/v1/a%00b", b"/v1/a%0d%0aHost:%20elsewhere",
    b"/v1/a b", b"/v1/\xff",
]  # fmt: skip
"""Paths that some server could take for a way out of the upstream's."""


@pytest.mark.parametrize("path", WAYS_OUT, ids=repr)
@pytest.mark.parametrize("url", ["http://h:1/team/v1", "http://h:1/v1", "http://h:1"])
def test_a_way_out_of_the_upstreams_path_is_refused(url: str, path: bytes) -> None:
    with pytest.raises(PathError):
        Upstream.of(url).target_of(path, b"")


def test_a_refused_path_reaches_nobody(raw: RawServer, before_raw: str) -> None:
    host, _, port = before_raw.removeprefix("http://").partition(":")
    for path in (b"/v1/../x", b"/v1/%2e%2e/x", b"//elsewhere/x", b"/v1/..%5cx"):
        with socket.create_connection((host, int(port)), timeout=10) as caller:
            caller.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            found = b"".join(iter(lambda: caller.recv(65536), b""))
        assert found.startswith(b"HTTP/1.1 400 ")
        assert json.loads(found.partition(b"\r\n\r\n")[2])["error"]["code"] == "path_refused"
    assert not raw.asked


def test_a_path_that_is_too_long_is_refused(raw: RawServer, before_raw: str) -> None:
    host, _, port = before_raw.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as caller:
        caller.sendall(b"GET /v1/" + b"x" * 65_600 + b" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        found = b"".join(iter(lambda: caller.recv(65536), b""))
    assert found.startswith(b"HTTP/1.1 414 ")
    assert json.loads(found.partition(b"\r\n\r\n")[2])["error"]["code"] == "path_refused"
    assert not raw.asked


def test_a_query_is_quoted() -> None:
    assert Upstream.of("http://h").target_of(b"/v1/x", b"a=1&b=%20\xff c#'") == b"/v1/x?a=1&b=%20%FF%20c#'"


# -- many tools --------------------------------------------------------------------------------------------------------


def tools_named(names: Iterator[str] | list[str]) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": name}} for name in names]


@pytest.mark.parametrize(
    ("names", "is_read"),
    [
        (["f" * 256], True),
        (["f" * 257], False),
        (["f" * 1_000_000], False),
        (["f" * 1_000_000, "get_weather"], True),
        ([f"tool_{number}" for number in range(4096)], True),
        ([f"tool_{number}" for number in range(4097)], False),
        ([f"tool_{number}" for number in range(32_000)], False),
        ([f"{number:0240}" for number in range(600)], False),
    ],
    ids=["256", "257", "1 MB", "1 MB and another", "4096 tools", "4097 tools", "32,000 tools", "long names"],
)
def test_how_many_tools_are_looked_for(names: list[str], is_read: bool) -> None:
    repair = Repair()
    found = repair.exchange("POST", "/v1/chat/completions", json.dumps(body() | {"tools": tools_named(names)}).encode())
    assert (found is not None) is is_read
    skipped = len(names) > 4096 or (sum(map(len, names)) > 128 * 1024 and len(names[0]) < 257)
    assert repair.counts.problems.total() == int(skipped)
    assert found is None or all(len(tool.name) <= 256 for tool in found.tools)


def test_many_tools_do_not_keep_others_waiting(upstream: Loopback) -> None:
    upstream.play(Turn(["Hi"]))
    request = body() | {"tools": tools_named([f"look_up_the_number_{number}" for number in range(3000)])}
    waited: list[float] = []
    with serving(application(f"{upstream.url}/v1")) as url, httpx.Client(timeout=60, trust_env=False) as other:
        other.get(f"{url}/healthz")
        thread = threading.Thread(
            target=lambda: httpx.post(f"{url}/v1/chat/completions", json=request, timeout=60, trust_env=False)
        )
        began = time.monotonic()
        thread.start()
        while thread.is_alive():
            asked_at = time.monotonic()
            assert other.get(f"{url}/healthz").text == "ok\n"
            waited.append(time.monotonic() - asked_at)
        took = time.monotonic() - began
    assert max(waited) < took / 2 or took < 0.5  # on the loop itself, one of them would wait all that time


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8000", "ftp://x", "http://", "http://u:secret@h", "http://h:x", "http://h?a=1", "http://[::1"],
)
def test_wrong_upstreams_are_refused(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        application(url)
    assert "secret" not in str(caught.value)


def test_other_wrong_arguments_are_refused() -> None:
    wrong: Any = "none"
    with pytest.raises(UsageError, match="history='none' is not valid: pass 'messages' or 'text'"):
        application("http://h", history=wrong)
    with pytest.raises(UsageError, match=r"nothing=1 is an unknown argument: pass format, .*, or leave it out"):
        Repair(nothing=1)  # type: ignore[call-arg]


# -- histories as text -------------------------------------------------------------------------------------------------

HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Is it cold?"},
    {
        "role": "assistant",
        "content": "Look.",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "3 degrees"},
    {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "rain"}]},
    {"role": "user", "content": "Thanks."},
]
ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "Is it cold?"},
    {"type": "function_call", "call_id": "a", "name": "get_weather", "arguments": '{"city": "Oslo"}'},
    {"type": "function_call_output", "call_id": "a", "output": "3 degrees"},
]


def test_a_history_as_text(upstream: Loopback, client: Any) -> None:
    with serving(application(f"{upstream.url}/v1", history="text")) as proxy:
        glm = "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Tromsø</arg_value>\n</tool_call>"
        upstream.play(Turn([glm]), LEAK, LEAK)
        request = body(stream=False, tool_choice="auto") | {"messages": HISTORY, "model": "zai-org/GLM-4.5"}
        found = client.post(f"{proxy}/v1/chat/completions", json=request)
        assert said("chat", found.content, request).calls == CALLS
        sent = upstream.requests[-1][1]
        assert {"tools", "tool_choice"}.isdisjoint(sent)
        system, *others = sent["messages"]
        assert system["content"].startswith("Be kind.\n\n")
        assert "get_time" in system["content"]
        assert "<arg_key>name_of_a_parameter</arg_key>" in system["content"]  # as this model writes
        assert others[0] == HISTORY[1]
        assert others[1]["role"] == "assistant"
        assert others[1]["content"].startswith("Look.\n<tool_call>get_weather")
        assert others[2] == {
            "role": "user",
            "content": "<tool_response>\n3 degrees\n</tool_response>\n<tool_response>\nrain\n</tool_response>\nThanks.",
        }
        assert len(others) == 3  # many templates take no two messages of the user in a row

        request = asked("responses", TOOLS, stream=False, input=ITEMS)
        assert said("responses", client.post(f"{proxy}/v1/responses", json=request).content, request).calls == CALLS
        sent = upstream.requests[-1][1]
        assert "tools" not in sent
        assert [each["role"] for each in sent["input"]] == ["system", "user", "assistant", "user"]
        assert '"name": "get_weather"' in sent["input"][2]["content"]

        upstream.play(LEAK)
        call = {"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}
        results = [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_name": "get_weather", "content": "3"},
        ]
        request = asked("ollama", TOOLS, stream=False, messages=results)
        assert said("ollama", client.post(f"{proxy}/api/chat", json=request).content, request).calls == CALLS
        sent = upstream.requests[-1][1]
        assert "tools" not in sent
        assert [each["role"] for each in sent["messages"]] == ["system", "assistant", "user"]

        plain = {"model": "m", "messages": [HISTORY[1]]}
        client.post(f"{proxy}/v1/chat/completions", json=plain)
        assert upstream.requests[-1][1] == plain


def rewritten(kind: Kind, request: dict[str, Any]) -> Any:
    return as_text(kind, request, Repair(format="hermes"))


def test_values_are_written_as_the_tools_schema_says() -> None:
    """The schema was not asked, so a call with a number was written as another family's."""
    pay = {"name": "pay", "parameters": {"type": "object", "properties": {"cents": {"type": "integer"}}}}
    call = {"id": "a", "type": "function", "function": {"name": "pay", "arguments": '{"cents": 5}'}}
    messages = [HISTORY[1], {"role": "assistant", "content": None, "tool_calls": [call]}]
    request: dict[str, Any] = {"messages": messages, "tools": [{"type": "function", "function": pay}]}
    for choice in ("auto", "none"):
        found = as_text("chat", request | {"tool_choice": choice}, Repair(format="qwen3-coder"))["messages"][-1]
        assert "<function=pay>\n<parameter=cents>\n5\n</parameter>" in found["content"]


def test_tools_that_are_not_to_be_called_are_no_field_either() -> None:
    request: dict[str, Any] = {"model": "m", "messages": [HISTORY[1]]}
    assert rewritten("chat", {**request, "tools": TOOLS, "tool_choice": "none"}) == request


def test_results_stand_in_the_order_of_their_calls() -> None:
    calls = [{"id": each, "function": {"name": "get_weather", "arguments": "{}"}} for each in "abc"]
    results = [{"role": "tool", "tool_call_id": each, "content": each} for each in ("c", "a", "?", "b")]
    messages = [{"role": "assistant", "content": None, "tool_calls": calls}, *results]
    found = rewritten("chat", {"messages": messages})["messages"]
    assert found[1]["content"].replace("tool_response", "").split("\n")[1::3] == ["a", "b", "c", "?"]
    items = [{"type": "function_call", "call_id": each, "name": "get_time", "arguments": "{}"} for each in "ab"]
    items += [{"type": "function_call_output", "call_id": each, "output": each} for each in "ba"]
    found = rewritten("responses", {"input": items})["input"]
    assert found[1]["content"].replace("tool_response", "").split("\n")[1::3] == ["a", "b"]


def test_a_call_with_text_of_its_own() -> None:
    """OpenAI's custom tools take text, not JSON."""
    patch = {"name": "patch", "input": "*** Begin\n+ a"}
    custom = {"id": "a", "type": "custom", "custom": patch}
    messages = [{"role": "assistant", "tool_calls": [custom]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]
    found = rewritten("chat", {"messages": messages})["messages"]
    items = [{"type": "custom_tool_call", "call_id": "a", **patch}]
    items += [{"type": "custom_tool_call_output", "call_id": "a", "output": "ok"}]
    assert [each["content"] for each in found] == ["patch: *** Begin\n+ a", "<tool_response>\nok\n</tool_response>"]
    assert rewritten("responses", {"input": items})["input"] == found


def test_a_type_may_be_any_value() -> None:
    values: tuple[Any, ...] = ([], {}, None, 3)
    asked = {"messages": [{"role": "user", "content": "x", "type": value} for value in values]}
    assert rewritten("chat", asked) == asked


def test_contents_of_several_parts() -> None:
    part = {"type": "text", "text": "Be kind."}
    call = {"id": "a", "function": {"name": "get_time", "arguments": "{}"}}
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    messages = [
        {"role": "system", "content": [part]},
        {"role": "user", "content": [part, image]},
        {"role": "assistant", "content": [part], "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": [part, image]},
        {"role": "user", "content": [image]},
    ]
    system, user, model, last = rewritten("chat", {"messages": messages, "tools": TOOLS})["messages"]
    assert system["content"][0] == part
    assert "get_time" in system["content"][1]["text"]
    assert user == messages[1]
    assert model["content"].startswith("Be kind.\n<tool_call>")
    assert last["content"][0]["text"] == "<tool_response>\nBe kind.[image_url]\n</tool_response>"
    assert last["content"][1] == image


def test_the_texts_of_a_block_are_lines() -> None:
    """They were one word."""
    call = {"type": "tool_use", "id": "a", "name": "get_time", "input": {}}
    texts = [{"type": "text", "text": text} for text in ("one", "two")]
    result = {"type": "tool_result", "tool_use_id": "a", "content": texts}
    messages = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    found = rewritten("messages", {"messages": messages})["messages"][-1]["content"]
    assert found[0]["text"] == "<tool_response>\none\ntwo\n</tool_response>"


def test_what_one_speaker_says_is_one_message() -> None:
    said_part = {"type": "output_text", "text": "Look."}
    items = [
        {"role": "user", "content": "Is it cold?"},
        {"type": "message", "role": "assistant", "content": [said_part]},
        {"type": "function_call", "call_id": "a", "name": "get_time", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": None},
        {"role": "user", "content": "And now?"},
    ]
    flat = [{"type": "function", **TOOLS[0]["function"]}]
    found = rewritten("responses", {"instructions": "Be brief.", "input": items, "tools": flat})
    assert found["instructions"].startswith("Be brief.\n\nYou may call")
    assert [each["role"] for each in found["input"]] == ["user", "assistant", "user"]
    assert [part["type"] for part in found["input"][1]["content"]] == ["output_text", "output_text"]
    assert found["input"][2]["content"] == "<tool_response>\n\n</tool_response>\nAnd now?"


def test_blocks_as_text() -> None:
    def use(name: str) -> dict[str, Any]:
        return {"type": "tool_use", "id": name, "name": "get_weather", "input": {"city": name}}

    def result(name: str, content: Any) -> dict[str, Any]:
        return {"type": "tool_result", "tool_use_id": name, "content": content}

    look, more = {"type": "text", "text": "Look."}, {"type": "text", "text": "Thanks."}
    messages = [
        {"role": "user", "content": "Is it cold?"},
        {"role": "assistant", "content": [look, use("Oslo"), use("Rome")]},
        {"role": "user", "content": [result("Rome", [{"type": "text", "text": "warm"}]), result("Oslo", "cold"), more]},
    ]
    request = {**asked("messages", TOOLS, messages=messages), "tool_choice": {"type": "auto"}, "max_tokens": 9}
    for system in ("Be brief.", [{"type": "text", "text": "Be brief."}], None):
        found = rewritten("messages", request if system is None else request | {"system": system})
        assert {"tools", "tool_choice"}.isdisjoint(found)
        user, model, results = found["messages"]
        assert user == messages[0]
        assert [block["text"].split("\n")[0] for block in model["content"]] == ["Look.", "<tool_call>", "<tool_call>"]
        assert [block["text"].split("\n")[1] for block in results["content"][:2]] == ["cold", "warm"]
        assert results["content"][2] == more
        told = found["system"] if isinstance(found["system"], str) else found["system"][-1]["text"]
        assert '"parameters": {"type": "object"' in told
        assert system is None or "Be brief." in json.dumps(found["system"])
    assert rewritten("messages", request | {"tool_choice": {"type": "none"}}).keys() == {
        "model",
        "stream",
        "messages",
        "max_tokens",
    }


def test_odd_histories_never_raise() -> None:
    repair = Repair()
    odd: list[Any] = [
        None,
        7,
        "x",
        [],
        [None, 7, {}],
        [{"role": "tool"}],
        [{"role": "assistant", "tool_calls": [None, 7, {"function": {"name": 3}}]}],
    ]
    odd += [
        [{"role": "assistant", "content": 7, "function_call": {"name": "f", "arguments": "{"}}],
        [{"type": "function_call"}],
        [{"role": "tool", "content": "x", "tool_call_id": []}, {"role": "user", "content": 7}],
        [{"role": "assistant", "content": 7}, {"type": "function_call"}, {"role": "system"}],
        [{"role": "system", "content": 7}, {"role": [], "content": []}],
        [{"role": "tool", "content": [None, {"text": 3}, {"type": []}]}],
    ]
    declared: tuple[Any, ...] = (TOOLS, 7, [None, {"type": "x"}, {"type": []}], None)
    odd += [
        [{"role": "assistant", "content": [None, 7, {"type": "tool_use", "id": [], "input": 7}, {"type": []}]}],
        [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": {}, "content": 7}]}],
    ]
    for kind in KINDS:
        for messages in odd:
            for tools in declared:
                request = {"messages": messages, "input": messages, "tools": tools, "system": 7}
                assert json.dumps(as_text(kind, request, repair))
        for asked_for in ({}, {"messages": 7, "input": 7}):
            assert as_text(kind, asked_for, repair) is asked_for
