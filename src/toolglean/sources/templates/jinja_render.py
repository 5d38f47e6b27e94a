# jinja2 as Hugging Face sets it up to render chat templates, and how its errors become ours. Does not depend on what
# the rendered text means, or on processes.
#
# The sandbox keeps a template away from Python's internals, and this file stops the shortest bombs: repetition and
# powers are bounded, and output is counted. Nothing within one process can limit jinja2's time and memory, so templates
# of strangers render in a child process (process.py).
"""Renders Jinja chat templates."""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Final

from toolglean._install import needs
from toolglean.errors import TemplateError, UsageError

__all__ = ["MAX_OUTPUT", "JinjaTemplate"]

MAX_OUTPUT: Final = 4 * 1024 * 1024
"""The most characters of one rendering."""

MAX_REPEATED: Final = 4 * 1024 * 1024
"""The most characters or elements that `*` may create."""

MAX_BITS: Final = 65_536
"""The most bits of a number that `*` or `**` may create."""

_LINE_BREAK = re.compile(r"\r\n|\r|\n")  # the line breaks that jinja2 counts
_ENDS = ("<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|return|>", "<|end|>")


class JinjaTemplate:
    """A Jinja template, ready to render.

    Args:
        source: its text.
        lax: like some engines, let the template change the lists that are passed to it, provide `from_json`, and let
            `tojson` write any iterable as a list.

    Raises:
        TemplateError: the template is broken.
        UsageError: jinja2 is not installed.
    """

    __slots__ = ("_lax", "_template", "source")

    def __init__(self, source: str, *, lax: bool = False) -> None:
        self.source = source
        self._lax = lax
        environment = _environment(lax)
        with _faults(source):
            self._template = environment.from_string(source)

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None,
        variables: Mapping[str, Any],
        now: datetime,
    ) -> str:
        """What the template writes.

        Args:
            messages: the conversation, passed on unchanged.
            tools: the tools, passed on unchanged.
            variables: further variables; they override the defaults.
            now: the date and time for the template.

        Raises:
            TemplateError: the template refuses the messages, fails, or writes too much.
        """
        given = {**_defaults(self.source, now), "messages": messages, "tools": tools, **variables}
        if self._lax:
            given = copy.deepcopy(given)
        with _faults(self.source):
            return "".join(self._pieces(given))

    def _pieces(self, given: dict[str, Any]) -> Iterator[str]:
        left = MAX_OUTPUT
        for piece in self._template.generate(given):
            left -= len(piece)
            if left < 0:
                raise TemplateError.at(f"it writes more than {MAX_OUTPUT:,} characters", self.source, 0)
            yield piece


def _defaults(source: str, now: datetime) -> dict[str, Any]:
    def strftime_now(form: str) -> str:
        return now.strftime(form)

    return {
        "bos_token": "<s>",
        "eos_token": next((end for end in _ENDS if end in source), "</s>"),
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "documents": None,
        "add_generation_prompt": False,
        "raise_exception": _raise_exception,
        "strftime_now": strftime_now,
    }


class Refusal(Exception):  # noqa: N818  it is raised by the template
    """What a template raises with `raise_exception`."""


def _raise_exception(message: Any) -> None:
    raise Refusal(str(message))


def _tojson(
    value: Any,
    ensure_ascii: bool = False,  # noqa: FBT001, FBT002  templates also pass them by position
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,  # noqa: FBT001, FBT002
    *,
    default: Callable[[Any], Any] | None = None,
) -> str:
    default = default or _no_json
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys, default=default
    )


def _no_json(value: Any) -> None:
    # jinja2 names an undefined expression, where json would say that an `Undefined` is not serializable.
    if fail := getattr(value, "_fail_with_undefined_error", None):
        fail()
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


# --- errors --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _faults(source: str) -> Iterator[None]:
    """Turns every error inside its `with` block into a TemplateError, with the template's line if jinja2 knows it."""
    try:
        yield
    except TemplateError:
        raise
    except Exception as error:
        line = getattr(error, "lineno", None) or _line(error.__traceback__)
        lines = _LINE_BREAK.split(source)
        line = max(1, min(line, len(lines)))
        raise TemplateError(_reason(error), line, 0, lines[line - 1]) from error


def _reason(error: Exception) -> str:
    if isinstance(error, Refusal):
        return f"raised by the template: {error}"
    if isinstance(error, RecursionError):
        return "nested too deeply, or a recursion that never ends"
    if isinstance(error, MemoryError):
        return "it runs out of memory"
    return f"{type(error).__name__}: {error}"[:2_000]


def _line(trace: TracebackType | None) -> int:
    """The last line of the template in a traceback, in which jinja2 has put the template's own line numbers."""
    line = 1
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


# --- jinja2 --------------------------------------------------------------------------------------------------------


@functools.cache
def _environment(lax: bool) -> Any:  # noqa: FBT001  a key of the cache
    try:
        import jinja2.ext  # noqa: PLC0415  the extra is needed here only
        import jinja2.nodes  # noqa: PLC0415
        import jinja2.sandbox  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(needs("Jinja templates need jinja2", "jinja")) from error

    class Generation(jinja2.ext.Extension):
        """`{% generation %}…{% endgeneration %}`: renders its body, in a separate scope."""

        tags = {"generation"}  # noqa: RUF012  jinja2 requires it

        def parse(self, parser: Any) -> Any:
            line = parser.stream.expect("name:generation").lineno
            body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
            return jinja2.nodes.CallBlock(self.call_method("_within"), [], [], body).set_lineno(line)

        def _within(self, caller: Callable[[], str]) -> str:
            return caller()

    base = jinja2.sandbox.SandboxedEnvironment if lax else jinja2.sandbox.ImmutableSandboxedEnvironment

    class Sandbox(base):  # type: ignore[misc, valid-type]  # one of two
        """The sandbox, with limits on `*` and `**`, which are not folded at compile time either."""

        intercepted_binops = frozenset({"*", "**"})

        def call_binop(self, _context: Any, operator: str, left: Any, right: Any) -> Any:
            _check_size(operator, left, right)
            return left * right if operator == "*" else left**right

    environment = Sandbox(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", Generation])
    environment.filters["tojson"] = _tojson
    if lax:
        environment.filters["from_json"] = json.loads
        environment.filters["tojson"] = functools.partial(_tojson, default=list)
    return environment


def _check_size(operator: str, left: Any, right: Any) -> None:
    """Refuse an operation that would create a very long text or list, or a very large number."""
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length()
        if bits > MAX_BITS:
            raise OverflowError(f"{operator} would create a number of more than {MAX_BITS:,} bits")
        return
    for sequence, count in ((left, right), (right, left)):
        if isinstance(count, int) and hasattr(sequence, "__len__") and len(sequence) * count > MAX_REPEATED:
            raise OverflowError(f"* would create more than {MAX_REPEATED:,} characters or elements")
