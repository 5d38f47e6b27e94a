# What this file knows: of which kind each argument of a parser must be, and what to say where one is not.
# What it must not know: what a parser does with them.
"""The arguments of a parser, looked at before anything is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglean.errors import UsageError
from toolglean.limits import Limits

__all__ = ["check_arguments", "shown", "text_of"]

_TEXTS = {
    "model": "a model's name, such as 'qwen3:8b'",
    "tag": "the marker that starts a call, such as '<tool_call>'",
    "closer": "the marker that ends a call, such as '</tool_call>'",
    "prompt": "the end of the prompt as text, or ''",
    "id_prefix": "text, such as 'call_'",
}
_REQUIRED = frozenset({"prompt", "id_prefix"})
_WORDS = {"start": (None, "content", "reasoning"), "unknown_tools": ("call", "content")} | {
    "calls_in_reasoning": ("draft", "call", "text"),
    "quoted": ("content", "call"),
}
_FLAGS = ("strict", "repair", "coerce", "markup", "untrusted")


def check_arguments(
    *,
    format: Any,  # noqa: A002  # the field's own word
    model: Any,
    tokenizer_config: Any,
    response_template: Any,
    tag: Any,
    closer: Any,
    strict: Any,
    start: Any,
    prompt: Any,
    unknown_tools: Any,
    calls_in_reasoning: Any,
    quoted: Any,
    repair: Any,
    coerce: Any,
    markup: Any,
    id_prefix: Any,
    limits: Any,
    untrusted: Any,
) -> None:
    """Whether each argument of `Parser` is of the kind that it must be.

    Raises:
        UsageError: one is wrong; the message names it, shows the value, and says what was expected.
    """
    # What nearly all parsers are made with, in one look: the loops below take a tenth of the time of a whole `Parser`.
    if (
        (format is None or type(format) is str)
        and (model is None or type(model) is str)
        and tokenizer_config is None
        and response_template is None
        and (tag is None or type(tag) is str)
        and (closer is None or type(closer) is str)
        and (strict is True or strict is False)
        and start is None
        and type(prompt) is str
        and unknown_tools == "call"
        and calls_in_reasoning == "draft"
        and quoted == "content"
        and (repair is True or repair is False)
        and (coerce is True or coerce is False)
        and (markup is True or markup is False)
        and type(id_prefix) is str
        and (limits is None or type(limits) is Limits)
        and (untrusted is True or untrusted is False)
    ):
        return
    _check_each(
        format=format,
        model=model,
        tokenizer_config=tokenizer_config,
        response_template=response_template,
        tag=tag,
        closer=closer,
        strict=strict,
        start=start,
        prompt=prompt,
        unknown_tools=unknown_tools,
        calls_in_reasoning=calls_in_reasoning,
        quoted=quoted,
        repair=repair,
        coerce=coerce,
        markup=markup,
        id_prefix=id_prefix,
        limits=limits,
        untrusted=untrusted,
    )


def _check_each(**given: Any) -> None:
    for name, expected in _TEXTS.items():
        value = given[name]
        if not isinstance(value, str) and (value is not None or name in _REQUIRED):
            raise UsageError(f"{name}={shown(value)} cannot be read: give {expected}")
    for name, words in _WORDS.items():
        if given[name] not in words if isinstance(given[name], str | None) else True:
            allowed = " or ".join(repr(word) for word in words if word)
            raise UsageError(f"{name} must be {allowed}, not {shown(given[name])}")
    for name in _FLAGS:
        if not isinstance(given[name], bool):
            raise UsageError(f"{name} must be True or False, not {shown(given[name])}")
    if not isinstance(given["limits"], Limits | None):
        raise UsageError(f"limits={shown(given['limits'])} cannot be read: give toolglean.Limits(call_chars=..., ...)")
    if not isinstance(given["response_template"], Mapping | None):
        value = shown(given["response_template"])
        raise UsageError(f"response_template={value} cannot be read: give the template as a dict")
    config = given["tokenizer_config"]
    if not isinstance(config, Mapping | str | None) and not hasattr(config, "__fspath__"):
        raise UsageError(f"tokenizer_config={shown(config)} cannot be read: give its path, or what it holds as a dict")
    _check_format(given["format"])


def _check_format(value: Any) -> None:
    if value is None or isinstance(value, str):
        return
    from toolglean.formats.spec import Format  # noqa: PLC0415  # only those who have one pay for it

    if not isinstance(value, Format):
        raise UsageError(
            f"format={shown(value)} cannot be read: give a Format, or the name of one (`toolglean formats` lists them)"
        )


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
            f"chunk={shown(chunk)} is bytes: give text, or read the stream with iter_events, which decodes bytes"
        )
    if isinstance(chunk, list | tuple):
        raise UsageError(f"chunk={shown(chunk)} is a {type(chunk).__name__}: give its pieces one by one, as text")
    raise UsageError(f"chunk={shown(chunk)} is not text: give the text of the chunk, such as delta.content")


def shown(value: object, limit: int = 80) -> str:
    """The value, for a message; a long one is cut."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  # an object that cannot even be shown
        text = f"<{type(value).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"
