# How an untrusted template renders in a child process: how the child is started, asked, timed, killed and cleaned up.
# Does not depend on what the child does with the template, or on the limits that it sets itself (child.py).
#
#   ChildTemplate ──▶ child      {"source": …}                     one line of JSON each
#                 ◀──            {"memory": true}
#                 ──▶            {"messages": …, "tools": …}       as often as the caller likes
#                 ◀──            {"text": …}, or an error with its place
#
# The time limit is kept on this side (_child.py). A child that was killed, or died, is replaced at the next rendering.
# No child outlives its ChildTemplate or this process: without us its input ends, and a busy one runs out of processor
# time.
"""Renders an untrusted template in a separate process."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from toolglean._child import ChildError, LineChild
from toolglean.errors import TemplateError, UsageError
from toolglean.sources.templates.time_budget import TimeBudget

__all__ = ["ChildTemplate"]

SECONDS: Final = 5.0
"""How many seconds a rendering may take."""

START_SECONDS: Final = 30.0
"""How many seconds a child may take to start on a busy machine, before it is sent a template."""

MAX_REPLY: Final = 64 * 1024 * 1024
"""The most bytes of an answer: enough for the longest output, however it is encoded."""

# The child uses the same toolglean and jinja2 as this process, wherever they were loaded from: a checkout, a zip, an
# editable install. -I keeps out the environment, the working directory and the user's own packages.
_START = (
    "import json, sys; first, rest = json.loads(sys.argv[1]); sys.path.insert(0, first); "
    "sys.path += [path for path in rest if path not in sys.path]; "
    "from toolglean.sources.templates.child import main; main()"
)
_PASSED_ON = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # a template must not find secrets


class ChildTemplate:
    """A Jinja template that renders in a child process.

    Args:
        source: its text.
        lax: see `JinjaTemplate`.
        seconds: how many seconds one rendering may take.
        time_budget: how long all of them may take together; None: any time.

    Raises:
        TemplateError: the template is broken, or passes a limit while it is compiled.
        UsageError: jinja2 is not installed, or no process can be started.
    """

    def __init__(
        self, source: str, *, lax: bool = False, seconds: float = SECONDS, time_budget: TimeBudget | None = None
    ) -> None:
        self.source = source
        self._lax = lax
        self._seconds = seconds
        self._time_budget = time_budget or TimeBudget(math.inf)
        self._worked = 0.0  # of the processor's time, by the child
        self._lock = threading.Lock()
        self._child: LineChild | None = None
        self._cleaning: weakref.finalize[..., Any] | None = None
        with self._lock:
            self._start()

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None,
        variables: Mapping[str, Any],
        now: datetime,
    ) -> str:
        """What the template writes; see `JinjaTemplate.render`.

        Raises:
            TemplateError: the template refuses, fails or passes a limit.
            UsageError: a value cannot be written as JSON.
        """
        request = {
            "messages": list(messages),
            "tools": None if tools is None else list(tools),
            "variables": dict(variables),
            "now": now.isoformat(),
        }
        try:
            line = json.dumps(request)
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(
                "messages, tools and variables must be JSON values, because an untrusted template renders in another "
                f"process: {error}"
            ) from error
        with self._lock:
            if self._time_budget.exceeded:
                raise TemplateError.at(f"its renderings together take {self._time_budget.exceeded}", self.source, 0)
            if self._child is None:
                self._start()
            return str(self._ask(line, min(self._seconds, max(self._time_budget.left, 0.1)))["text"])

    def close(self) -> None:
        """End the child. A later rendering starts another one."""
        with self._lock:
            self._stop()

    # --- the child's life ---

    def _start(self) -> None:
        if not sys.executable:
            raise UsageError(
                "untrusted=True starts a Python process, but sys.executable is not set: set it, or pass "
                "untrusted=False if you trust the template"
            )
        paths = [str(Path(__file__).parents[3]), [path for path in sys.path if path]]
        try:
            self._child = LineChild(  # our own code; the template comes as data
                [sys.executable, "-I", "-c", _START, json.dumps(paths)],
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise UsageError(f"untrusted=True starts a Python process, which failed here: {error}") from error
        self._cleaning = weakref.finalize(self, self._child.close)
        self._worked = 0.0
        if not self._ask("{}", START_SECONDS)["memory"]:
            warnings.warn(
                "this platform cannot limit a process's memory: an untrusted template is limited in time only",
                stacklevel=4,
            )
        self._ask(json.dumps({"source": self.source, "lax": self._lax}), self._seconds)

    def _stop(self) -> None:
        if self._cleaning is not None:
            self._cleaning()
        self._child = self._cleaning = None

    def _ask(self, line: str, seconds: float) -> dict[str, Any]:
        """Send a line and read the answer."""
        assert self._child is not None
        try:
            answer = self._child.ask(line, seconds, MAX_REPLY)
        except BaseException as error:
            self._child = None
            if not isinstance(error, ChildError):
                raise
            self._time_budget.add_cpu(seconds)  # it can no longer report its own figure
            raise TemplateError.at(_reason(error, seconds), self.source, 0) from None
        found: dict[str, Any] = json.loads(answer)
        self._time_budget.add_cpu(max(found["worked"] - self._worked, 0.0))
        self._worked = found["worked"]
        if "usage" in found:
            self._stop()
            raise UsageError(found["usage"])
        if "reason" in found:
            raise TemplateError(found["reason"], found["line"], found["column"], found["at"])
        return found


def _reason(error: ChildError, seconds: float) -> str:
    if error.late:
        return f"it takes longer than {seconds:g} seconds"
    if error.flooded:
        return f"it writes more than {MAX_REPLY >> 20} MiB"
    return f"{error}: most likely it ran out of memory or time"
