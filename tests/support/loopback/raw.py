# A server that sends the bytes that a test gives it, whatever they are, and closes when it is told.
# Does not depend on HTTP, beyond where the head of a request ends.
"""A server of bytes, for what no good server sends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["RawServer", "head", "raw_server"]

WAIT_AT_MOST = 10.0


def head(status: str, *headers: str) -> bytes:
    """The head of an answer."""
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode()


class RawServer:
    """Answers each connection with the same bytes.

    Attributes:
        answer: what is sent once a request is there.
        then_hang: whether the connection then stays open until the other side leaves.
        then_drop: whether the connection then stays open until a second request has come, and closes without an answer.
        asked: the requests, as bytes.
        gone: set once a connection that hung was left by the other side.
    """

    def __init__(self) -> None:
        self.answer = b""
        self.then_hang = self.then_drop = False
        self.asked: list[bytes] = []
        self.gone = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def serve(self) -> None:
        """Answer connections until it is closed."""
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        connection.settimeout(WAIT_AT_MOST)
        with connection, suppress(OSError):
            self._read(connection)
            connection.sendall(self.answer)
            if self.then_drop:
                self._read(connection)
            if self.then_hang and connection.recv(1) == b"":
                self.gone.set()

    def _read(self, connection: socket.socket) -> None:
        asked = b""
        while not _whole(asked):
            if not (data := connection.recv(65536)):
                return
            asked += data
        self.asked.append(asked)

    def close(self) -> None:
        """Stop."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def _whole(asked: bytes) -> bool:
    before, found, body = asked.partition(b"\r\n\r\n")
    lengths = [line.partition(b":")[2] for line in before.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return bool(found) and len(body) >= int(lengths[0] if lengths else 0)


@contextmanager
def raw_server() -> Iterator[RawServer]:
    """A server, as long as the block lasts."""
    server = RawServer()
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join(WAIT_AT_MOST)
