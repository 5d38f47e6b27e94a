# The child's side of process.py: the limits it sets itself, and the lines it reads and writes. Only process.py starts
# it.
#
# Where the platform has `resource`, the child may take MEMORY bytes of address space and a few seconds of processor
# time for each rendering, and may open no files once it is warm. Even a template that broke out of the sandbox could
# not.
"""A process that renders one template. `process.ChildTemplate` starts it and sends it lines."""

from __future__ import annotations

import codecs
import contextlib
import json
import sys
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from toolglean.errors import TemplateError, ToolgleanError

if TYPE_CHECKING:
    from toolglean.sources.templates.jinja_render import JinjaTemplate

__all__ = ["main"]

MEMORY: Final = 400 * 1024 * 1024
"""Bytes of address space."""

CPU_SECONDS: Final = 10
"""Seconds of processor time for one request. The parent's clock is stricter; this stops a child without a parent."""


def main() -> None:
    """Read a line and answer with a line, until the input ends."""
    limited = limit_memory()
    template: JinjaTemplate | None = None
    for line in sys.stdin.buffer:
        limit_time()
        answer: dict[str, Any]
        try:
            request = json.loads(line)
            if "messages" in request:
                assert template is not None
                now = datetime.fromisoformat(request["now"])
                answer = {"text": template.render(request["messages"], request["tools"], request["variables"], now)}
            elif "source" in request:
                from toolglean.sources.templates.jinja_render import JinjaTemplate  # noqa: PLC0415  after the limit

                template = JinjaTemplate(request["source"], lax=request["lax"])
                answer = {}
            else:
                answer = {"memory": limited} | warm()
            data = json.dumps(answer | {"worked": time.process_time()}).encode("ascii")
        except TemplateError as error:
            data = failure(error.reason, error.line, error.column, error.text)
        except MemoryError:
            data = failure(f"it uses more than {MEMORY >> 20} MiB of memory", 1, 1, "")
        sys.stdout.buffer.write(data + b"\n")
        sys.stdout.buffer.flush()


def failure(reason: str, line: int, column: int, text: str) -> bytes:
    """The line that tells what is wrong, and where."""
    # A template of one endless line is not sent back whole: the error shows only the text around the column.
    told = {"reason": reason, "line": line, "column": column, "at": text[:10_000], "worked": time.process_time()}
    return json.dumps(told).encode("ascii")


def warm() -> dict[str, str]:
    """Load everything that jinja2 would load later, then forbid opening files.

    Returns:
        {}, or {"usage": …} if jinja2 is missing.
    """
    from toolglean.sources.templates.jinja_render import JinjaTemplate  # noqa: PLC0415  after the limit of memory

    try:
        template = JinjaTemplate(
            "{{ x|wordwrap|pprint|urlize|tojson }}{{ x|striptags }}{{ lipsum(1) }}{{ raise_exception('a') }}"
        )
    except ToolgleanError as error:
        return {"usage": str(error)}
    for codec in ("ascii", "latin-1", "unicode-escape", "utf-8"):
        codecs.lookup(codec)
    with contextlib.suppress(TemplateError):  # this also loads its handling of errors
        template.render([], [], {"x": "a"}, datetime.now().astimezone())
    forbid_files()
    return {}


# --- limits --------------------------------------------------------------------------------------------------------


def limit_memory() -> bool:
    """Limit the address space; False if this platform cannot."""
    if sys.platform == "win32":
        return False
    import resource  # noqa: PLC0415  Windows does not have it

    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (OSError, ValueError):  # macOS has the limit but refuses to set it
        return False
    return sys.platform != "darwin"


def limit_time() -> None:
    """Limit the processor time of the next request."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415

        soft, hard = int(time.process_time()) + CPU_SECONDS, resource.getrlimit(resource.RLIMIT_CPU)[1]
        if hard == resource.RLIM_INFINITY or soft < hard:
            resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def forbid_files() -> None:
    """From now on, open and write no files, and leave no core dump."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415

        for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
            resource.setrlimit(which, (0, 0))  # lower limits can always be set
