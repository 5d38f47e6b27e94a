# What this file knows: how a choice of the precedence is told to a user: what counts, why, and what was passed over.
# What it must not know: how it was made (precedence.py).
"""What a parser would read, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from toolglean.errors import TemplateError
from toolglean.sources.choose.arguments import check_arguments
from toolglean.sources.choose.precedence import Given, choose

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.sources.choose.precedence import Choice, Passed

__all__ = ["FormatChoice", "PassedOver", "choose_format"]


@dataclass(frozen=True, slots=True)
class PassedOver:
    """An argument that was given and did not count.

    Attributes:
        argument: its name.
        reason: why it did not, in one sentence.
    """

    argument: str
    reason: str


@dataclass(frozen=True, slots=True)
class FormatChoice:
    """What `Parser` reads if it is given the same arguments.

    Attributes:
        how: "format" (one format), "tag" (calls behind a tag), "response_template", or "auto" (the turn shows its
            format).
        format: the format; None with a tag, with "auto", and where no format says what a response template says.
        tag: the tag; None where one is not all that is known.
        argument: the argument that counted: "format", "tag", "response_template", "template", "tokenizer_config" or
            "model"; "" where none was given.
        reason: why, in one sentence.
        passed_over: the arguments that were given and did not count, each with its reason.
        advice: what to do for a better reading; "" where nothing is needed.
    """

    how: Literal["format", "tag", "response_template", "auto"]
    format: Format | None
    tag: str | None
    argument: str
    reason: str
    passed_over: tuple[PassedOver, ...] = ()
    advice: str = ""

    def __str__(self) -> str:
        what = self.format.name if self.format is not None else self.tag if self.tag is not None else ""
        lines = [f"{self.how} {what}".rstrip() + f": {self.reason}"]
        lines += [f"passed over {each.argument}: {each.reason}" for each in self.passed_over]
        return "\n".join([*lines, self.advice] if self.advice else lines)


def choose_format(
    *,
    format: str | Format | None = None,  # noqa: A002  # the field's own word for it
    model: str | None = None,
    template: str | PathLike[str] | None = None,
    variables: Mapping[str, Any] | None = None,
    tokenizer_config: Mapping[str, Any] | str | PathLike[str] | None = None,
    response_template: Mapping[str, Any] | None = None,
    tag: str | None = None,
    closer: str | None = None,
    untrusted: bool = False,
) -> FormatChoice:
    """What a `Parser` with these arguments reads, and why: for adapters that pass on whatever they know of a model.

    The first argument counts that is known, in this order: `format` or `tag`; `response_template`; `template`;
    `tokenizer_config`; `model`. Reading a template takes about a second, once for each text.

    Args:
        format, model, template, variables, tokenizer_config, response_template, tag, closer: as for `Parser`.
        untrusted: the same.

    Returns:
        The choice. `str` of it is a short report, a line for each argument.

    Raises:
        UsageError: an argument is wrong, a file cannot be read, or `model` was given alone and is not known: give
            another argument too, or `format="auto"`.
        FormatError: the declaration of a format is wrong, or nothing that was given tells how the model writes.
        TemplateError: `template` is not a chat template, or cannot be rendered, and nothing else is known.
    """
    check_arguments(
        format=format,
        model=model,
        tokenizer_config=tokenizer_config,
        response_template=response_template,
        tag=tag,
        closer=closer,
        strict=False,
        start=None,
        prompt="",
        unknown_tools="call",
        calls_in_reasoning="draft",
        quoted="content",
        repair=True,
        coerce=True,
        markup=False,
        id_prefix="",
        limits=None,
        untrusted=untrusted,
    )
    given = Given(format, response_template, tokenizer_config, template, variables, model, tag, closer)
    return _told(choose(given, None, untrusted=untrusted), given)


def _told(choice: Choice, given: Given) -> FormatChoice:
    formats: tuple[Format, ...] = getattr(choice.plan, "formats", ())
    declared = formats[0] if len(formats) == 1 else None
    tag: str | None = getattr(choice.plan, "tag_text", None)
    how: Literal["format", "tag", "response_template", "auto"] = "auto"
    if choice.response_template is not None:
        how = "response_template"
    elif tag is not None:
        how = "tag"
    elif declared is not None or given.format not in {None, "auto"}:
        how = "format"
    return FormatChoice(
        how,
        declared,
        tag,
        choice.argument,
        _reason(choice, given, how),
        tuple(PassedOver(each.argument, _why(each)) for each in choice.passed) + _unread(choice, given),
        _advice(choice, how),
    )


_NAMES = {"template": "the template", "tokenizer_config": "the chat template in tokenizer_config"}


def _reason(choice: Choice, given: Given, how: str) -> str:
    source = _NAMES.get(choice.argument, choice.argument)
    if not choice.argument:
        return "nothing was given that tells how the model writes, so the turn must show it"
    if choice.argument in {"format", "tag", "response_template"}:
        return f"you passed {choice.argument}, which counts before all else"
    if choice.argument == "model":
        return f"models named like {given.model!r} write it"
    if how == "response_template":
        return f"{choice.argument} contains one"
    if how == "tag":
        return f"{source} shows it, but no format can be read from it"
    if choice.known:
        return f"it gives back what {source} writes"
    return f"it was read from {source}, and gives back what that writes"


def _why(passed: Passed) -> str:
    if passed.argument == "model":
        return str(passed.error).partition(":")[0]
    return passed.error.reason if isinstance(passed.error, TemplateError) else str(passed.error)


def _unread(choice: Choice, given: Given) -> tuple[PassedOver, ...]:
    # What was not even looked at, because something before it counts.
    seen = {choice.argument, *(each.argument for each in choice.passed)}
    order = ("format", "tag", "response_template", "template", "tokenizer_config", "model")
    return tuple(
        PassedOver(argument, f"{choice.argument} counts before it")
        for argument in order
        if getattr(given, argument) is not None and argument not in seen
    )


def _advice(choice: Choice, how: str) -> str:
    if how == "tag" and choice.argument != "tag":
        return "Only JSON is read behind a tag: pass format= if you know the family."
    if how == "auto" and not choice.argument:
        return "Pass model=, format= or template= if you know one: families that share markers are then told apart."
    return ""
