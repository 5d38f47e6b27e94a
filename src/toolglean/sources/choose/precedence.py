# From what the user has (a name, a template, a tag) to the format that the parser reads: the precedence, in one place.
# Does not depend on how any of it is found.
#
#   1  the user's own word: `format` or `tag`
#   2  `response_template`
#   3  `template`: a known format that reads what it writes, else one that is inferred and proven
#   4  `tokenizer_config`: its response template, else its chat template as in 3
#   5  the model's name
#   6  a chat template that writes calls in no way that 3 to 5 know: the format is detected from the turn, and what
#      ends a turn, the reasoning and the tag are those of the template
#   7  without any of these, the format is detected from the turn
#
# Of 3 to 5 the first that is *known* is used: what is not is passed over, and choice.py reports it. Where something was
# given and nothing of it is known, that is an error, and `auto` is never used silently: a misspelt name would go
# unnoticed, and a user who wants `auto` can pass it. So a template that shows no calls at all is an error, too.
"""Which format it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from toolglean.errors import FormatError, TemplateError, UsageError, shown
from toolglean.sources.choose.plans import plan_for
from toolglean.tools import tool_names

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan
    from toolglean.formats.spec import Format
    from toolglean.sources.templates.infer import Inference
    from toolglean.sources.templates.source import TemplateSource
    from toolglean.tools import ToolSet

__all__ = ["Choice", "Given", "Passed", "choose", "choose_for_parser"]

NO_NAMES = tool_names(())
SAMPLES = 40  # random messages of the proof, where a parser is made; `toolglean inspect` takes more


class Given(NamedTuple):
    """What the user has given: see `choose_format`."""

    format: str | Format | Sequence[str | Format] | None = None
    model: str | None = None
    template: str | PathLike[str] | None = None
    variables: Mapping[str, Any] | None = None
    tokenizer_config: Mapping[str, Any] | str | PathLike[str] | None = None
    response_template: Mapping[str, Any] | None = None
    tag: str | None = None
    closer: str | None = None
    untrusted: bool = False


class Passed(NamedTuple):
    """An argument that was given and does not tell how the model writes.

    Attributes:
        argument: its name.
        error: why.
        source: the chat template, as far as it could be read.
    """

    argument: str
    error: FormatError | TemplateError | UsageError
    source: TemplateSource | None = None


class Choice(NamedTuple):
    """What is read.

    Attributes:
        formats: the formats, the first comes first; None: all that are known ("auto").
        argument: the argument that was used; "" where nothing was given.
        passed: the arguments that were given and passed over.
    """

    formats: tuple[Format, ...] | None
    argument: str = ""
    passed: tuple[Passed, ...] = ()

    @property
    def starts_reasoning(self) -> bool:
        """Whether the template's prompt opens the reasoning."""
        return self.formats is not None and self.formats[0].origin.starts_reasoning

    def plan(self, tools: ToolSet | None, *, strict: bool) -> Plan:
        """What a machine reads, for these tools: see `plan_for`."""
        return plan_for(self.formats, NO_NAMES if tools is None else tools.known, strict=strict)

    def own_prompt(self, prompt: str, plan: Plan) -> tuple[str, bool | None]:
        """The model's own part of a prompt: see prompts.py."""
        from toolglean.sources.choose.prompts import own_prompt  # noqa: PLC0415  # only for those with a prompt

        return own_prompt(prompt, None if self.formats is None else self.formats[0], plan.formats)


NOTHING_GIVEN = Choice(None)


def choose(given: Given) -> Choice:
    """Choose what to read: the first of format or tag, response template, template, tokenizer_config and model.

    Raises:
        UsageError: an argument is wrong, or nothing is known about the model.
        FormatError: a declaration or a response template is wrong.
        TemplateError: the chat template cannot be read.
    """
    if given.closer is not None and given.tag is None:
        raise UsageError(f"closer={given.closer!r} needs a tag: pass the tag too")
    if given.variables is not None:
        _check_variables(given)
    if given.format is not None:
        if given.tag is not None:
            raise UsageError(
                f"tag={given.tag!r} cannot be combined with format={shown(given.format)}: pass one of them"
            )
        return Choice(_named(given.format), "format")
    if given.tag is not None:
        return Choice((_of_tag(given.tag, given.closer),), "tag")
    if given.response_template:
        return Choice((_of_answers(given.response_template),), "response_template")
    return _first_known(given)


def choose_for_parser(
    format: str | Format | Sequence[str | Format] | None,  # noqa: A002
    model: str | None,
    template: str | PathLike[str] | None,
) -> Choice:
    """The same for the arguments of a parser. One of a format's name is found again."""
    if type(format) is str:
        from toolglean.formats.registry import registered  # noqa: PLC0415  # a tag does without formats

        return _of_name(format, registered())
    return NOTHING_GIVEN if format is model is template is None else choose(Given(format, model, template))


@lru_cache(maxsize=256)
def _of_name(name: str, _: object) -> Choice:
    # The second argument identifies the formats that are registered: it is another object when they change.
    return Choice(_named(name), "format")


def _named(format: str | Format | Sequence[str | Format]) -> tuple[Format, ...] | None:  # noqa: A002
    if isinstance(format, str):
        if format == "auto":
            return None
        from toolglean.formats.registry import get_format  # noqa: PLC0415  # `auto`, and a tag, do without it here

        return (get_format(format),)
    from toolglean.formats.spec import Format  # noqa: PLC0415

    return (format,) if isinstance(format, Format) else _in_order(format)


def _in_order(formats: Sequence[str | Format]) -> tuple[Format, ...]:
    from toolglean.formats.registry import formats_of_auto, get_format  # noqa: PLC0415

    found: dict[str, Format] = {}
    for each in formats:
        several = formats_of_auto() if each == "auto" else (get_format(each) if isinstance(each, str) else each,)
        for one in several:
            if one.reads is not None:
                raise UsageError(f"format {one.name!r} cannot be part of a list: pass it alone")
            found.setdefault(one.name, one)
    return tuple(found.values())


def _first_known(given: Given) -> Choice:
    passed: list[Passed] = []
    for argument, way in _WAYS.items():
        if getattr(given, argument) is not None:
            found = way(given, passed)
            if not isinstance(found, Passed):
                return Choice((found,), argument, tuple(passed))
            passed.append(found)
    return _by_frame(given, passed) if passed else Choice(None)


def _check_variables(given: Given) -> None:
    if not isinstance(given.variables, Mapping):
        raise UsageError(f"variables={shown(given.variables)} is not a mapping: pass a mapping of names to values")
    if given.template is None and given.tokenizer_config is None:
        raise UsageError(f"variables={shown(given.variables)} needs a template: pass template or tokenizer_config too")


def _by_template(given: Given, _: list[Passed]) -> Format | Passed:
    from toolglean.sources.templates.source import checked, template_in, template_text  # noqa: PLC0415

    assert given.template is not None
    try:
        source = checked(template_in(template_text(given.template)))
    except TemplateError as error:
        return Passed("template", error)
    return _from_source("template", source, given)


def _by_config(given: Given, _: list[Passed]) -> Format | Passed:
    from toolglean.sources.templates.source import TemplateSource, checked, in_config  # noqa: PLC0415

    config = given.tokenizer_config
    assert config is not None
    config = config if isinstance(config, Mapping) else _read(config)
    if "chat_template" not in config and isinstance(config.get("response_template"), Mapping):
        source = TemplateSource("", response_template=config["response_template"])
    else:
        try:
            source = in_config(config)
            source = source if source.response_template is not None else checked(source)
        except TemplateError as error:
            return Passed("tokenizer_config", error)
    return _from_source("tokenizer_config", source, given)


def _by_model(given: Given, passed: list[Passed]) -> Format | Passed:
    from toolglean.formats.registry import format_of_model, unknown_model  # noqa: PLC0415

    assert given.model is not None
    found = format_of_model(given.model)
    if found is None:
        return Passed("model", unknown_model(given.model))
    marks = next((marks for each in passed if (marks := getattr(each.error, "marks", ()))), ())
    return _written_by(found, given.model, marks)


@lru_cache(maxsize=256)
def _written_by(found: Format, model: str, marks: tuple[str, ...]) -> Format:
    # Always the same object for a name, because plans are found by identity.
    return _found(found, f"models named like {model!r} write it", prompt_marks=marks)


_WAYS: Mapping[str, Callable[[Given, list[Passed]], Format | Passed]] = {
    "template": _by_template,
    "tokenizer_config": _by_config,
    "model": _by_model,
}
_NAMES = {"template": "the template", "tokenizer_config": "the chat template in tokenizer_config"}


def _read(path: str | PathLike[str]) -> Mapping[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  # pathlib is slow to import
            config = _json(file.read())
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"tokenizer_config={path!r} cannot be read: {error}") from error
    if not isinstance(config, dict):
        raise UsageError(
            f"tokenizer_config={path!r} does not contain a JSON object: pass the path of a tokenizer_config.json"
        )
    return config


def _of_answers(answers: Mapping[str, Any], reason: str = "") -> Format:
    from toolglean.formats.origin import Origin, ResponseTemplate  # noqa: PLC0415
    from toolglean.formats.spec import Format  # noqa: PLC0415
    from toolglean.sources.response import plan_of, to_format  # noqa: PLC0415

    reads, origin = ResponseTemplate(answers), Origin(reason)
    plan_of(answers)  # raises an error if the template is wrong
    found = to_format(answers)
    if found is not None:
        return replace(found, reads=reads, origin=origin)
    return Format(reads.name, call="", reads=reads, origin=origin)


def _of_tag(tag: str, closer: str | None) -> Format:
    from toolglean.formats.origin import TagOnly  # noqa: PLC0415
    from toolglean.formats.spec import Format  # noqa: PLC0415

    reads = TagOnly(tag, closer)
    return Format(reads.name, call="", reads=reads)


def _found(found: Format, reason: str, **origin: Any) -> Format:
    from toolglean.formats.origin import Origin  # noqa: PLC0415

    return replace(found, origin=Origin(reason, **origin))


def _from_source(argument: str, source: TemplateSource, given: Given) -> Format | Passed:
    if source.response_template is not None:
        return _of_answers(source.response_template, f"{argument} contains a response template")
    variables = {**source.variables, **(given.variables or {})}
    found = _inferred(source.text, _key_of(variables), given.untrusted)
    return (
        Passed(argument, found, source) if isinstance(found, FormatError | TemplateError) else _proven(found, argument)
    )


def _by_frame(given: Given, passed: list[Passed]) -> Choice:
    from toolglean.sources.choose.frame import any_format  # noqa: PLC0415  # only those with such a template pay for it

    for number, (argument, error, source) in enumerate(passed):
        found = None if source is None else any_format(_NAMES[argument], error)
        if found is not None:
            return Choice((found,), argument, (*passed[:number], *passed[number + 1 :]))
    error = passed[0].error
    raise error if isinstance(error, UsageError) or passed[0].source is None else _advised(error, given.model)


def _advised(error: FormatError | TemplateError, model: str | None) -> FormatError | TemplateError:
    # A tag that would be found in any JSON tells nothing: report why the template shows no other.
    if isinstance(error, TemplateError):
        return error
    ways, unknown = (", model=", "") if model is None else ("", f"; the model {model!r} is unknown")
    reason = getattr(error, "reason", error)
    return FormatError(f'{reason}. Pass format= ("auto" to detect it){ways} or Format.from_tag(…) instead{unknown}.')


def _key_of(variables: Mapping[str, Any]) -> str:
    import json  # noqa: PLC0415  # only users with a template pay for it

    try:
        return json.dumps(variables, sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"variables={shown(variables)} cannot be written as JSON ({error}): pass only JSON values"
        ) from error


@lru_cache(maxsize=64)
def _inferred(template: str, variables: str, untrusted: bool) -> Inference | FormatError | TemplateError:  # noqa: FBT001
    # Once for each template, because it is rendered many times. An error: no format gives back what it writes, and why.
    from toolglean.sources.templates.infer import infer  # noqa: PLC0415

    try:
        return infer(template, untrusted=untrusted, samples=SAMPLES, variables=_json(variables))
    except (FormatError, TemplateError) as error:
        return error.with_traceback(None)


@lru_cache(maxsize=64)
def _proven(found: Inference, argument: str) -> Format:
    # Always the same object, because plans are found by identity.
    source = _NAMES[argument]
    reason = f"it gives back what {source} writes"
    if not found.recognised:
        reason = f"it was read from {source}, and gives back what that writes"
    return _found(
        found.format,
        reason,
        losses=found.losses,
        starts_reasoning=found.starts_reasoning,
        prompt_marks=found.marks,
    )


def _json(text: str) -> Any:
    import json  # noqa: PLC0415  # only users with a path pay for it

    return json.loads(text)
