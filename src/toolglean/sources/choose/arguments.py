# Which kind each argument of a parser must be, and what a message says where one is not.
# Does not depend on what a parser does with them.
"""The arguments of a parser, looked at before anything is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolglean.errors import UsageError, shown
from toolglean.options import options_of

__all__ = ["atomic_of", "check_arguments", "check_sources", "text_of"]

_TEXTS = {
    "model": "a model's name, such as 'qwen3:8b'",
    "tag": "the marker that starts a call, such as '<tool_call>'",
    "closer": "the marker that ends a call, such as '</tool_call>'",
}


def check_arguments(*, format: Any, model: Any, start: Any, prompt: Any, options: Any) -> None:  # noqa: A002  # the field's own word
    """Whether each argument of `Parser` is of the kind that it must be.

    Raises:
        UsageError: one is wrong; the message names it, shows the value, and says what was expected.
    """
    if start is None is model and type(prompt) is str and options is None and (format is None or type(format) is str):
        return  # nearly always
    if start is not None and (not isinstance(start, str) or start not in {"content", "reasoning"}):
        raise UsageError(f"start={shown(start)} is not valid: pass 'content' or 'reasoning'")
    if not isinstance(prompt, str):
        raise UsageError(f"prompt={shown(prompt)} is not text: pass the prompt, or just its end, as text ('' for none)")
    options_of(options)
    check_sources(format=format, model=model)


def atomic_of(atomic: Any) -> frozenset[str]:
    """The markers that are one token, as a set.

    Raises:
        UsageError: it is not a collection of texts.
    """
    if isinstance(atomic, str | bytes) or not hasattr(atomic, "__iter__"):
        raise UsageError(f"atomic={shown(atomic)} is not a collection of markers: pass ['<tool_call>', ...]")
    markers = atomic if isinstance(atomic, frozenset) else tuple(atomic)
    if not all(isinstance(each, str) for each in markers):
        raise UsageError(f"atomic={shown(atomic)} contains something that is not text: pass markers as text")
    return frozenset(markers)


def check_sources(*, format: Any = None, **given: Any) -> None:  # noqa: A002
    """Whether each argument that says how a model writes is of the kind that it must be.

    Raises:
        UsageError: as for `check_arguments`.
    """
    for name, expected in _TEXTS.items():
        value = given.get(name)
        if value is not None and not isinstance(value, str):
            raise UsageError(f"{name}={shown(value)} is not text: pass {expected}")
    answers = given.get("response_template")
    if not isinstance(answers, Mapping | None):
        raise UsageError(f"response_template={shown(answers)} is not a dict: pass the template as a dict")
    config = given.get("tokenizer_config")
    if not isinstance(config, Mapping | str | None) and not hasattr(config, "__fspath__"):
        raise UsageError(
            f"tokenizer_config={shown(config)} is not a path or a dict: pass a path, or the contents as a dict"
        )
    if not isinstance(given.get("untrusted", False), bool):
        raise UsageError(f"untrusted={shown(given['untrusted'])} is not valid: pass True or False")
    if format is not None and type(format) is not str:
        _check_format(format)


def _check_format(value: Any) -> None:
    from toolglean.formats.spec import Format  # noqa: PLC0415  # only those who have one pay for it

    if isinstance(value, str | Format):
        return
    expected = "pass a Format, the name of one (`toolglean formats` lists them), or a list of these"
    if not isinstance(value, Sequence) or isinstance(value, bytes | bytearray | memoryview) or not value:
        raise UsageError(f"format={shown(value)} is not a format: {expected}")
    for each in value:
        if not isinstance(each, str | Format):
            raise UsageError(f"format={shown(value)} contains {shown(each)}, which is not a format: {expected}")


def text_of(chunk: object) -> str:
    """The text of a chunk: a subclass of `str` as plain text, None as "".

    Raises:
        UsageError: it is not text; the message says what to pass instead.
    """
    if chunk is None:
        return ""
    if isinstance(chunk, str):
        return str.__str__(chunk)
    if isinstance(chunk, bytes | bytearray | memoryview):
        raise UsageError(
            f"chunk={shown(chunk)} is bytes: pass text, or read the stream with iter_events, which decodes bytes"
        )
    if isinstance(chunk, list | tuple):
        raise UsageError(f"chunk={shown(chunk)} is a {type(chunk).__name__}: pass its pieces one by one, as text")
    raise UsageError(f"chunk={shown(chunk)} is not text: pass the text of the chunk, such as delta.content")
