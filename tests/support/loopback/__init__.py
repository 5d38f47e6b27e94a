"""A server on 127.0.0.1 that speaks as Ollama, OpenAI and Anthropic do, and plays the turns that a test gives it.

with serve() as server:
    server.play(Turn(["It is ", "cold."]))
    client = ollama.Client(server.url)                            # or: OpenAI(base_url=server.url + "/v1", api_key="x")
    ...
server.requests                                                   # [("/api/chat", {"model": …}), …]
"""

from tests.support.loopback.server import Loopback, serve
from tests.support.loopback.turns import Call, Cut, ErrorLine, Fault, Malformed, Slow, Status, Thought, Turn, recorded

__all__ = [
    "Call",
    "Cut",
    "ErrorLine",
    "Fault",
    "Loopback",
    "Malformed",
    "Slow",
    "Status",
    "Thought",
    "Turn",
    "recorded",
    "serve",
]
