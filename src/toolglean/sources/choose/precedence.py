# What this file knows: from what the user has (a name, a template, a tag) to what the machine reads: the precedence, in
# one place.
# What it must not know: how any of it is found.
#
#   1  the user's own word: `format` or `tag`
#   2  `response_template`
#   3  `template`: a known format that reads what it writes, else one that is inferred and proven
#   4  `tokenizer_config`: its response template, else its chat template as in 3
#   5  the model's name
#   6  the tag that a chat template shows, if 3 to 5 found nothing
#   7  without any of these, the turn shows its format
#
# Of 3 to 5 the first counts that is *known*: what is not is passed over, and said (choice.py). Where something was
# given and nothing of it is known, that is an error, and never `auto` behind the user's back: a name that is misspelt
# would not show, and whoever wants `auto` then can say so.
"""Which format it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from toolglean.errors import FormatError, TemplateError, UsageError

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan
    from toolglean.formats.spec import Format
    from toolglean.sources.templates.infer import Inference
    from toolglean.sources.templates.source import TemplateSource
    from toolglean.tools import ToolSet

__all__ = ["Choice", "Given", "Passed", "choose"]

PROMPT_CHARS = 2048  # how much is read of the end of a prompt that does not show where the model's message begins
SAMPLES = 40  # random messages of the proof, where a parser is made; `toolglean inspect` takes more


class Given(NamedTuple):
    """What the user has given: see `Parser`."""

    format: str | Format | None
    response_template: Mapping[str, Any] | None
    tokenizer_config: Mapping[str, Any] | str | PathLike[str] | None
    template: str | PathLike[str] | None
    variables: Mapping[str, Any] | None
    model: str | None
    tag: str | None
    closer: str | None
    strict: bool = False


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
    """The plan for the machine, and what is known about the prompt.

    Attributes:
        plan: what the machine reads.
        starts_reasoning: whether the prompt opens the reasoning.
        response_template: the response template that describes the turn, if there is one.
        marks: the texts after which the model's message begins in a prompt, as the chat template has shown.
        argument: the argument that counted; "" where nothing was given.
        known: the name of the known format that it led to; "" for another one, and where it is no format.
        passed: the arguments that were given and passed over.
    """

    plan: Plan
    starts_reasoning: bool = False
    response_template: Mapping[str, Any] | None = None
    marks: tuple[str, ...] = ()
    argument: str = ""
    known: str = ""
    passed: tuple[Passed, ...] = ()

    def prompt(self, prompt: str) -> str:
        """The model's own part of the prompt: the text after its header, and after the last message of others.

        If nothing shows where that begins, it is the end of the prompt, unchanged.
        """
        from toolglean.formats.headers import ENDS, HEADERS, own_part  # noqa: PLC0415  # only for those with a prompt

        formats: tuple[Format, ...] = getattr(self.plan, "formats", ())
        own = own_part(prompt, self.marks, formats)
        if own is not None:
            return own
        if self.response_template is not None:
            from toolglean.sources.response import prompt_of  # noqa: PLC0415  # only those who have one pay for it

            own = prompt_of(self.response_template, prompt)
        behind = prompt if own is None else own  # another's message may stand behind the last anchor, too
        declared = formats[0].drop if len(formats) == 1 and not _is_ours(formats[0]) else ()
        last = own_part(behind, (*HEADERS, *ENDS, *declared), formats)
        if last is not None:
            return last
        return prompt[-PROMPT_CHARS:] if own is None else own


def _is_ours(declared: Format) -> bool:
    # Whether it stands in the library: what ends a message there is known (headers.py), and not all that it drops does.
    from toolglean.formats.library import formats  # noqa: PLC0415

    return any(each.name == declared.name for each in formats())


def choose(given: Given, tools: ToolSet | None, *, untrusted: bool) -> Choice:
    """Choose what to read: the first of format or tag, response template, template, tokenizer_config and model.

    Args:
        given: what the user passed to `Parser`.
        tools: the tools that the model may call; None: not known.
        untrusted: whether to render the template in a child process with limits.

    Raises:
        UsageError: an argument is wrong, or nothing is known about the model.
        FormatError: a declaration or a response template is wrong.
        TemplateError: the chat template cannot be read.
    """
    if given.closer is not None and given.tag is None and given.template is None:
        raise UsageError("a closer needs a tag: give the tag too")
    if given.variables is not None:
        _check_variables(given)
    if given.format is not None:
        if given.tag is not None or given.closer is not None:
            raise UsageError("give a format or a tag, not both")
        return Choice(_format_plan(given.format, tools, strict=given.strict), argument="format")
    if given.tag is not None:
        return Choice(_tag_plan(given.tag, given.closer), argument="tag")
    if given.response_template:
        return _from_answers(given.response_template, tools)._replace(argument="response_template")
    return _first_known(given, tools, untrusted=untrusted)


def _first_known(given: Given, tools: ToolSet | None, *, untrusted: bool) -> Choice:
    passed: list[Passed] = []
    for argument, way in _WAYS.items():
        if getattr(given, argument) is not None:
            found = way(given, tools, passed, untrusted)
            if isinstance(found, Choice):
                return found._replace(argument=argument, passed=tuple(passed))
            passed.append(found)
    if not passed:
        return Choice(_format_plan("auto", tools, strict=given.strict))
    return _by_tag(given, passed)


def _check_variables(given: Given) -> None:
    if not isinstance(given.variables, Mapping):
        raise UsageError(f"variables must be a mapping of names to values, not {given.variables!r:.80}")
    if given.template is None and given.tokenizer_config is None:
        raise UsageError("variables need a template: give template or tokenizer_config too")


def _by_template(given: Given, tools: ToolSet | None, passed: list[Passed], untrusted: bool) -> Choice | Passed:  # noqa: FBT001
    from toolglean.sources.templates.source import checked, template_in, template_text  # noqa: PLC0415

    del passed
    assert given.template is not None
    try:
        source = checked(template_in(template_text(given.template)))
    except TemplateError as error:
        return Passed("template", error)
    return _from_source("template", source, given, tools, untrusted=untrusted)


def _by_config(given: Given, tools: ToolSet | None, passed: list[Passed], untrusted: bool) -> Choice | Passed:  # noqa: FBT001
    from toolglean.sources.templates.source import TemplateSource, checked, in_config  # noqa: PLC0415

    del passed
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
    return _from_source("tokenizer_config", source, given, tools, untrusted=untrusted)


def _by_model(given: Given, tools: ToolSet | None, passed: list[Passed], untrusted: bool) -> Choice | Passed:  # noqa: FBT001
    from toolglean.formats.registry import format_of_model  # noqa: PLC0415

    del untrusted
    assert given.model is not None
    found = format_of_model(given.model)
    if found is None:
        return Passed(
            "model", UsageError(f"no known format for the model {given.model!r}: give `format`, `template` or `tag`")
        )
    marks = next((marks for each in passed if (marks := getattr(each.error, "marks", ()))), ())
    return Choice(_format_plan(found, tools, strict=given.strict), marks=marks, known=found.name)


_WAYS: Mapping[str, Callable[[Given, ToolSet | None, list[Passed], bool], Choice | Passed]] = {
    "template": _by_template,
    "tokenizer_config": _by_config,
    "model": _by_model,
}


def _read(path: str | PathLike[str]) -> Mapping[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  # pathlib is slow to import
            config = _json(file.read())
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"tokenizer_config {path!r} cannot be read: {error}") from error
    if not isinstance(config, dict):
        raise UsageError(f"tokenizer_config {path!r} does not contain a JSON object")
    return config


def _from_answers(answers: Mapping[str, Any], tools: ToolSet | None) -> Choice:
    from toolglean.sources.response import plan_of  # noqa: PLC0415

    return Choice(plan_of(answers, tools), response_template=answers)


def _from_source(
    argument: str, source: TemplateSource, given: Given, tools: ToolSet | None, *, untrusted: bool
) -> Choice | Passed:
    if source.response_template is not None:
        return _from_answers(source.response_template, tools)
    variables = {**source.variables, **(given.variables or {})}
    found = _inferred(source.text, _key_of(variables), untrusted)
    if isinstance(found, FormatError | TemplateError):
        return Passed(argument, found, source)
    plan = _format_plan(found.format, tools, strict=given.strict)
    return Choice(plan, found.starts_reasoning, marks=found.marks, known=found.recognised or "")


def _by_tag(given: Given, passed: list[Passed]) -> Choice:
    for number, (argument, error, source) in enumerate(passed):
        if source is None:
            continue
        from toolglean.sources.templates import tag_of  # noqa: PLC0415
        from toolglean.sources.templates.markers import GENERIC  # noqa: PLC0415

        tag = tag_of(source.text)
        if tag.tag != GENERIC:
            drop, marks = getattr(error, "drop", ()), getattr(error, "marks", ())
            plan = _tag_plan(tag.tag, given.closer if given.closer is not None else tag.closer or None, drop)
            others = (*passed[:number], *passed[number + 1 :])
            return Choice(plan, marks=marks, argument=argument, passed=others)
    error = passed[0].error
    raise error if isinstance(error, UsageError) or passed[0].source is None else _advised(error, given.model)


def _advised(error: FormatError | TemplateError, model: str | None) -> FormatError | TemplateError:
    # A tag that would be found in any JSON says nothing. Why there is none is what there is to say.
    if isinstance(error, TemplateError):
        return error
    ways = "model= or tag=" if model is None else f"or tag= (the model {model!r} is not known)"
    return FormatError(f'{error}. Say how the model writes: format= ("auto": the turn shows it), {ways}.')


def _key_of(variables: Mapping[str, Any]) -> str:
    import json  # noqa: PLC0415  # only those who give a template pay for it

    try:
        return json.dumps(variables, sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"variables must be JSON values: {error}") from error


@lru_cache(maxsize=64)
def _inferred(template: str, variables: str, untrusted: bool) -> Inference | FormatError | TemplateError:  # noqa: FBT001
    # Once for each template: it is rendered many times. An error: no format gives back what it writes, and why.
    from toolglean.sources.templates.infer import infer  # noqa: PLC0415

    try:
        return infer(template, untrusted=untrusted, samples=SAMPLES, variables=_json(variables))
    except (FormatError, TemplateError) as error:
        return error.with_traceback(None)


def _tag_plan(tag: str, closer: str | None, drop: tuple[str, ...] = ()) -> Plan:
    from toolglean.engine.discovery import TagPlan  # noqa: PLC0415  # a parser for a format does without it
    from toolglean.engine.tag import Tag  # noqa: PLC0415

    return TagPlan(Tag.of(tag, closer), drop)


def _format_plan(named: str | Format, tools: ToolSet | None, *, strict: bool) -> Plan:
    from toolglean.sources.choose.plans import plan_for  # noqa: PLC0415  # a parser for a tag does without formats

    return plan_for(named, () if tools is None else tools.names, strict=strict)


def _json(text: str) -> Any:
    import json  # noqa: PLC0415  # only those who give a path pay for it

    return json.loads(text)
