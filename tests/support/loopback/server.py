# HTTP: which path is which wire, chunked transfer, a connection that is cut.
# Does not depend on what the bodies hold.
#
# One thread per connection, on a port that the system chooses. Requests of the chat paths take the next turn in the
# queue, in the order of arrival; a request that finds none gets status 400 with a clear message.
"""The server."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, ClassVar

from tests.support.loopback import messages, ollama, openai, responses
from tests.support.loopback.turns import Status, Turn
from tests.support.loopback.wires import CutOff, dumped

__all__ = ["Loopback", "serve"]

NDJSON, SSE, JSON = "application/x-ndjson", "text/event-stream; charset=utf-8", "application/json; charset=utf-8"


class Loopback(ThreadingHTTPServer):
    """What a test holds.

    Attributes:
        requests: (path, body) of every request that came in, in that order; the body of a GET is None.
        left: the paths of the streams that the client left before their end.
        template: what /api/show answers; None: there is no such model.
        templates: the same for single models.
        models: the names that /api/tags and /v1/models list.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, Any]] = []
        self.left: list[str] = []
        self.template: str | None = "{{ .Prompt }}"
        self.templates: dict[str, str] = {}
        self.models = ["loopback"]
        self._turns: deque[Turn] = deque()

    def server_bind(self) -> None:
        # Not HTTPServer's: it looks its own name up, which may take seconds.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    @property
    def url(self) -> str:
        """Where it listens, without a slash at the end."""
        return f"http://127.0.0.1:{self.server_port}"

    def play(self, *turns: Turn) -> None:
        """Queue what the next requests get."""
        self._turns.extend(turns)

    def next_turn(self) -> Turn:
        """The turn for this request."""
        try:
            return self._turns.popleft()
        except IndexError:
            return Turn(faults=[Status(400, {"error": {"message": "the test has queued no turn for this request"}})])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Loopback

    def handle(self) -> None:
        with suppress(ConnectionError):  # a client may go when it likes, also between two requests
            super().handle()

    def do_GET(self) -> None:
        self.server.requests.append((self.path, None))
        if self.path == "/api/tags":
            self._json(200, ollama.tags(self.server.models))
        elif self.path == "/v1/models":
            self._json(200, openai.models(self.server.models))
        else:
            self._json(404, {"error": "not found"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"{}")
        self.server.requests.append((self.path, body))
        answer = self._PATHS.get(self.path.partition("?")[0])
        if answer is None:
            self._json(404, {"error": "not found"})
            return
        try:
            answer(self, body)
        except CutOff:
            self.close_connection = True
        except ConnectionError:
            self.server.left.append(self.path)
            self.close_connection = True

    # -- the paths -----------------------------------------------------------------------------------------------------

    def _show(self, body: dict[str, Any]) -> None:
        model = body.get("model") or body.get("name")
        template = self.server.templates.get(model or "", self.server.template)
        if template is None:
            self._json(404, {"error": f"model '{model}' not found"})
        else:
            self._json(200, ollama.show(template))

    def _ollama(self, body: dict[str, Any]) -> None:
        turn, chat = self.server.next_turn(), self.path == "/api/chat"
        if self._refused(turn, lambda code: {"error": f"status {code}"}):
            return
        if body.get("stream", True):  # Ollama streams unless told otherwise
            self._stream(NDJSON, ollama.lines(turn, body, chat=chat))
        else:
            self._json(200, ollama.whole(turn, body, chat=chat))

    def _sse(self, body: dict[str, Any]) -> None:
        wire: Any = self._WIRES[self.path.partition("?")[0]]
        turn = self.server.next_turn()
        own = messages if wire is messages else openai
        if self._refused(turn, lambda code: own.error_body(f"status {code}", code)):
            return
        if body.get("stream"):
            self._stream(SSE, wire.events(turn, body))
        else:
            self._json(200, wire.whole(turn, body))

    _WIRES: ClassVar[dict[str, Any]] = {
        "/v1/chat/completions": openai,
        "/v1/responses": responses,
        "/v1/messages": messages,
    }
    _PATHS: ClassVar[dict[str, Any]] = {
        "/api/show": _show,
        "/api/chat": _ollama,
        "/api/generate": _ollama,
        **dict.fromkeys(_WIRES, _sse),
    }

    # -- the transport -------------------------------------------------------------------------------------------------

    def _refused(self, turn: Turn, own: Any) -> bool:
        for fault in turn.faults:
            if isinstance(fault, Status):
                self._json(fault.code, own(fault.code) if fault.body is None else fault.body)
                return True
        return False

    def _json(self, code: int, value: Any) -> None:
        data = (value if isinstance(value, str) else dumped(value)).encode()
        self.send_response(code)
        self.send_header("Content-Type", JSON)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, kind: str, lines: Iterable[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in lines:
            data = line.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's own name
        del format, args  # a test's output is its own


@contextmanager
def serve() -> Iterator[Loopback]:
    """A server, as long as the block lasts."""
    with Loopback() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
