# How a choice of the precedence is reported to a user: what is read, why, and what was passed over.
# Does not depend on how it was made (precedence.py).
"""What a parser would read, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from toolglean.sources.choose.arguments import check_sources
from toolglean.sources.choose.precedence import Given, choose

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.sources.choose.precedence import Choice, Passed

__all__ = ["FormatChoice", "PassedOver", "choose_format"]

How: TypeAlias = Literal["format", "tag", "response_template", "auto"]


@dataclass(frozen=True, slots=True)
class PassedOver:
    """An argument that was given and not used.

    Attributes:
        argument: its name.
        reason: why it was not, in one sentence.
    """

    argument: str
    reason: str


@dataclass(frozen=True, slots=True)
class FormatChoice:
    """How a model writes, as far as its name, its template and the like show it.

    Attributes:
        how: "format" (its calls are declared), "tag" (only their tag is known), "response_template", or "auto" (the
            format is detected from the turn).
        format: the format, for `Parser(format=…)`; None if nothing that was given shows how the model writes.
        argument: the argument that was used: "format", "tag", "response_template", "template", "tokenizer_config" or
            "model"; "" where none was given.
        reason: why, in one sentence.
        passed_over: the arguments that were given and not used, each with its reason.
        advice: what to do for a better reading; "" where nothing is needed.
    """

    how: How
    format: Format | None
    argument: str
    reason: str
    passed_over: tuple[PassedOver, ...] = ()
    advice: str = ""

    def __str__(self) -> str:
        name = "" if self.format is None or self.how == "response_template" else self.format.tag or self.format.name
        lines = [f"{self.how} {name}".rstrip() + f": {self.reason}"]
        lines += [f"passed over {each.argument}: {each.reason}" for each in self.passed_over]
        return "\n".join([*lines, self.advice] if self.advice else lines)


def choose_format(
    *,
    format: str | Format | Sequence[str | Format] | None = None,  # noqa: A002  # the field's own word for it
    model: str | None = None,
    template: str | PathLike[str] | None = None,
    variables: Mapping[str, Any] | None = None,
    tokenizer_config: Mapping[str, Any] | str | PathLike[str] | None = None,
    response_template: Mapping[str, Any] | None = None,
    tag: str | None = None,
    closer: str | None = None,
    untrusted: bool = False,
) -> FormatChoice:
    """How a model writes, and why we think so: for adapters that pass on whatever they know of a model.

    The first argument that is known is used, in this order: `format` or `tag`; `response_template`; `template`;
    `tokenizer_config`; `model`. Reading a template takes about a second, once for each text.

    Args:
        format, model, template: as for `Parser`.
        variables, untrusted: as for `Format.from_template`.
        tokenizer_config, response_template: as for `Format.from_tokenizer_config`, `Format.from_response_template`.
        tag, closer: as for `Format.from_tag`.

    Returns:
        The choice. `str` of it is a short report, a line for each argument.

    Raises:
        UsageError: an argument is wrong, a file cannot be read, or `model` was given alone and is not known: give
            another argument too, or `format="auto"`.
        FormatError: the declaration of a format is wrong, or nothing that was given shows how the model writes.
        TemplateError: `template` is not a chat template, or cannot be rendered, and nothing else is known.
    """
    given = Given(format, model, template, variables, tokenizer_config, response_template, tag, closer, untrusted)
    check_sources(**given._asdict())
    return _told(choose(given), given)


_HOW: Mapping[str, How] = {"TagOnly": "tag", "ResponseTemplate": "response_template", "AnyFormat": "auto"}


def _told(choice: Choice, given: Given) -> FormatChoice:
    found = choice.formats[0] if choice.formats is not None else None
    how: How = "auto"
    if found is not None:
        how = "format"
        if found.reads is not None:
            how = _HOW[type(found.reads).__name__]
    return FormatChoice(
        how,
        found,
        choice.argument,
        _reason(choice, found),
        tuple(PassedOver(each.argument, _why(each)) for each in choice.passed) + _unread(choice, given),
        _advice(choice, how),
    )


def _reason(choice: Choice, found: Format | None) -> str:
    if not choice.argument:
        return "nothing that was given shows how the model writes, so the format is detected from the turn"
    if choice.argument in {"format", "tag", "response_template"}:
        return f"you passed {choice.argument}, which is used before all else"
    return found.reason if found is not None else ""


def _why(passed: Passed) -> str:
    if passed.argument == "model":
        return str(passed.error).rpartition(": ")[0]
    return str(getattr(passed.error, "reason", passed.error))


def _unread(choice: Choice, given: Given) -> tuple[PassedOver, ...]:
    # What was not even looked at, because something before it is used.
    seen = {choice.argument, *(each.argument for each in choice.passed)}
    order = ("format", "tag", "response_template", "template", "tokenizer_config", "model")
    return tuple(
        PassedOver(argument, f"{choice.argument} is used before it")
        for argument in order
        if getattr(given, argument) is not None and argument not in seen
    )


_ADVICE = (
    "Pass format= if you know the family, or a declaration: `toolglean learn LOG --tools TOOLS` makes one from turns "
    "of the model."
)


def _advice(choice: Choice, how: str) -> str:
    if how == "auto" and choice.argument:
        return _ADVICE
    if how == "auto":
        return "Pass model=, format= or template= if you know one: families that share markers are then distinguished."
    return ""
