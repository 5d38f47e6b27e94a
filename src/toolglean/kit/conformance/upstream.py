# A server that responds like one without a parser, whose model writes a given text. Does not depend on who asks, or on
# what happens to the response.
"""The model of a case, as a server."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from toolglean.errors import UsageError

__all__ = ["Upstream"]

POLL_SECONDS: Final = 0.05
"""How soon it stops when asked to."""


class Upstream:
    """A server with OpenAI's API whose model writes the chunks given to `play`.

    Args:
        host, port: where it listens; port 0: any free one.
        model: the name of its model.

    Raises:
        UsageError: it cannot listen there.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0, *, model: str = "conformance") -> None:
        self.chunks: Sequence[str] = ()
        self.asked = 0
        """How many requests there were since `play`."""
        try:
            self._server = ThreadingHTTPServer((host, port), _handler(self, model))
        except OSError as error:
            raise UsageError(f"listen={host}:{port} cannot be used: {error}; pass another address") from error
        self._server.daemon_threads = True
        self.url = f"http://{host}:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()

    def play(self, chunks: Sequence[str]) -> None:
        """From now on, the model writes these chunks."""
        self.chunks = chunks
        self.asked = 0

    def close(self) -> None:
        """Stop it."""
        self._server.shutdown()
        self._server.server_close()


def _handler(upstream: Upstream, model: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(json.dumps({"object": "list", "data": [{"id": model, "object": "model"}]}), "application/json")

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            upstream.asked += 1
            name = asked.get("model", model)
            if asked.get("stream"):
                events = [*_events(name, upstream.chunks), "[DONE]"]
                self._send("".join(f"data: {event}\n\n" for event in events), "text/event-stream")
            else:
                message = {"role": "assistant", "content": "".join(upstream.chunks)}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                self._send(_dumped(name, "chat.completion", choice), "application/json")

        def _send(self, text: str, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name that http.server gives it
            """Log nothing."""

    return Handler


def _events(model: str, chunks: Sequence[str]) -> list[str]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": chunk} for chunk in chunks)]
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    return [_dumped(model, "chat.completion.chunk", choice) for choice in choices]


def _dumped(model: str, kind: str, choice: dict[str, Any]) -> str:
    # ASCII: a lone surrogate of a case must not break the stream.
    return json.dumps({"id": "conformance", "object": kind, "created": 1, "model": model, "choices": [choice]})
