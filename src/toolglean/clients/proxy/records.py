# What is known of one request, and who is told of it: logs (here), traces (telemetry.py).
# Does not depend on HTTP. A record contains no header, no query and no body, so no key.
"""One request, for logs and traces."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from toolglean.clients.repair import Counts, Kind
from toolglean.conversation.fields import text_in

__all__ = ["JsonLines", "Record", "RequestLog", "Watcher"]

log = logging.getLogger("toolglean.proxy.requests")

LONGEST = 256
"""Characters of a model's name that are kept."""


@dataclass(slots=True)
class Record:
    """One request.

    Attributes:
        api: "chat", "responses", "messages", "ollama", or "other".
        method, path: of the request; the path without its query, which may contain a key.
        model: that the request names; "" if it names none.
        streamed: whether it asked for a stream.
        status: of the answer; 0 if there is none.
        error: why the answer is not whole, in one word; "" if it is.
        toolless: whether it has no tools, so that its answer is not read.
        left: whether the caller disconnected before the end.
        counts: what was found in the answer.
        over: whether its answer is over, up to sending the end of it.
        begun: when it came, in seconds of `time.monotonic`.
        first, took: seconds until the first bytes of the answer's body, and until its end; None before that.
        trace: the id of its trace; "" without traces.
        headers: more headers for the upstream, by their names.
    """

    api: Kind | Literal["other"]
    method: str
    path: str
    model: str = ""
    streamed: bool = False
    status: int = 0
    error: str = ""
    toolless: bool = False
    left: bool = False
    counts: Counts = field(default_factory=Counts)
    over: bool = False
    begun: float = field(default_factory=time.monotonic)
    first: float | None = None
    took: float | None = None
    trace: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def name_model(self, asked: Mapping[str, Any]) -> None:
        """Note the model, and whether a stream is asked for.

        Args:
            asked: the fields of the request's body.
        """
        self.model = text_in(asked, "model")[:LONGEST].encode(errors="replace").decode()  # half a surrogate pair
        self.streamed = asked.get("stream", self.api == "ollama" and bool(asked)) is True

    def since(self) -> float:
        """Seconds since it came."""
        return time.monotonic() - self.begun


class Watcher(Protocol):
    """Is told of each request, twice."""

    def begin(self, record: Record, headers: dict[str, str]) -> None:
        """A request came.

        Args:
            record: what is known of it. The watcher may set its `trace` and its `headers`.
            headers: those of the request, keys among them.
        """
        ...

    def end(self, record: Record) -> None:
        """It was answered, or given up.

        Args:
            record: the same, complete.
        """
        ...


class RequestLog:
    """A `Watcher` that logs each request once it is over."""

    def begin(self, record: Record, headers: dict[str, str]) -> None:
        """Nothing is logged yet.

        Args:
            record, headers: as for `Watcher`.
        """

    def end(self, record: Record) -> None:
        """Log the request, with what `JsonLines` writes of it.

        Args:
            record: as for `Watcher`.
        """
        said = {
            **{name: getattr(record, name) for name in ("api", "method", "path", "model", "streamed", "status")},
            **{name: getattr(record, name) for name in ("error", "left", "trace") if getattr(record, name)},
            **{f"{name}_seconds": round(each, 4) for name in ("first", "took") if (each := getattr(record, name))},
            "calls": record.counts.calls,
            **{name: found for name in ("repairs", "problems") if (found := dict(getattr(record.counts, name)))},
        }
        log.info("%s %s: %d", record.method, record.path, record.status, extra={"said": said})


class JsonLines(logging.Formatter):
    """Writes each record of a log as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line: time, level, logger, message, and what `RequestLog` adds.

        Args:
            record: of the log.
        """
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "said", {}),
        }
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)
