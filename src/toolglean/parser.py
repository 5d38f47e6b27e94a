# What this file knows: from what the user has (a tag, a template) to what the machine reads; the precedence, in one
# place.
# What it must not know: how anything is read.
"""The parser that users make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from toolglean.errors import UsageError
from toolglean.limits import Limits
from toolglean.machine import Machine
from toolglean.tools import ToolLike, ToolSet

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.plan import Plan

__all__ = ["Parser"]


class Parser(Machine):
    """Turns one turn of a model, chunk by chunk, into content, reasoning and tool calls.

    Args:
        tools: what the model was told that it may call: names, `Tool` objects or tool dicts; a `ToolSet`; or None (or
            nothing) where that is not known.
        format: a `Format`, the name of one (`toolglean formats` lists them), or "auto": the openers of all formats are
            looked for at once. Given nothing else, this is what happens.
        model: a model's name, such as `Qwen/Qwen3-8B` or `qwen3:8b`, whose format is known.
        template: the model's chat template (Go or Jinja), from which the tag is read. Jinja needs `toolglean[jinja]`.
        tag: the marker that starts a call, such as `<tool_call>`; `{` or `[` for bare JSON at the start of the turn.
        closer: the marker that ends what the tag started; None: read from the template, or derived from the tag.
        start: "content", or "reasoning" where the prompt has opened the reasoning.
        prompt: the end of the prompt, from which that is read; its events are dropped, and places count from its end.
        unknown_tools: what becomes of a call to a tool that is not in `tools`: "call" reports it with `known=False`,
            "content" gives its text back.
        coerce: whether values written as text are typed by the tool's JSON schema; False: they stay text.
        markup: report the format's own text outside calls as `Markup`, so that the events tile the turn.
        id_prefix: ids of calls are this and the index, where the model writes none of its own.
        limits: how much a turn may ask for.

    Raises:
        UsageError: an argument is wrong, or a name is not known.
        FormatError: the declaration of a format is wrong.
        ToolError: an entry of `tools` is no tool.
        TemplateError: the template cannot be read.
    """

    def __init__(
        self,
        tools: Iterable[ToolLike] | ToolSet | None = None,
        *,
        format: str | Format | None = None,  # noqa: A002  # the field's own word for it
        model: str | None = None,
        template: str | None = None,
        tag: str | None = None,
        closer: str | None = None,
        start: Literal["content", "reasoning"] = "content",
        prompt: str = "",
        unknown_tools: Literal["call", "content"] = "call",
        coerce: bool = True,
        markup: bool = False,
        id_prefix: str = "call_",
        limits: Limits | None = None,
    ) -> None:
        if unknown_tools not in {"call", "content"}:
            raise UsageError(f"unknown_tools must be 'call' or 'content', not {unknown_tools!r}")
        if start not in {"content", "reasoning"}:
            raise UsageError(f"start must be 'content' or 'reasoning', not {start!r}")
        known = (tools if tools is None or isinstance(tools, ToolSet) else ToolSet(tools)) or None
        super().__init__(
            _plan(known, format, model, template, tag, closer),
            known,
            unknown_tools=unknown_tools,
            coerce=coerce,
            markup=markup,
            id_prefix=id_prefix,
            limits=limits or Limits(),
        )
        if start == "reasoning":
            self.begin_reasoning()
        if prompt:
            self.read_prompt(prompt)

    @property
    def format(self) -> Format | None:
        """The format: the one that was given, or with "auto" the one that the turn has shown; None while not known."""
        formats: tuple[Format, ...] = getattr(self.plan, "formats", ())
        if len(formats) == 1:
            return formats[0]
        return formats[self.only[0]] if formats and self.only else None

    @property
    def tag(self) -> str | None:
        """The tag for which the parser looks, where only a tag is known."""
        found: str | None = getattr(self.plan, "tag_text", None)
        return found


def _plan(
    tools: ToolSet | None,
    named: str | Format | None,
    model: str | None,
    template: str | None,
    tag: str | None,
    closer: str | None,
) -> Plan:
    # The precedence, in one place: what the user says of the format himself, then the template, then the model's name.
    if closer is not None and tag is None and (template is None or named is not None):
        raise UsageError("a closer belongs to a tag: give the tag too")
    if named is not None:
        if tag is not None:
            raise UsageError("give a format or a tag, not both")
        return _format_plan(named, tools)
    if tag is not None:
        return _tag_plan(tag, closer)
    if template is not None:
        from toolglean.templates import tag_of  # noqa: PLC0415  # only those who have a template pay for its import

        found = tag_of(template)
        return _tag_plan(found.tag, closer if closer is not None else found.closer or None)
    return _model_plan(model, tools) if model is not None else _format_plan("auto", tools)


def _tag_plan(tag: str, closer: str | None) -> Plan:
    from toolglean.discovery import TagPlan  # noqa: PLC0415  # a parser for a format does without it
    from toolglean.tag import Tag  # noqa: PLC0415

    return TagPlan(Tag.of(tag, closer))


def _format_plan(named: str | Format, tools: ToolSet | None) -> Plan:
    from toolglean.formats.compile import compiled  # noqa: PLC0415  # a parser for a tag does without them
    from toolglean.formats.registry import all_formats, get_format  # noqa: PLC0415
    from toolglean.places.walk import FormatPlan  # noqa: PLC0415

    formats = all_formats() if named == "auto" else (get_format(named) if isinstance(named, str) else named,)
    names = () if tools is None else tools.names
    fixed = tuple(each for each in formats if not each.is_for_tools)
    written_out = (each.for_tools(names) for each in formats if each.is_for_tools)
    return FormatPlan(compiled((*fixed, *(each for each in written_out if each is not None))))


def _model_plan(model: str, tools: ToolSet | None) -> Plan:
    from toolglean.formats.registry import format_of_model  # noqa: PLC0415

    found = format_of_model(model)
    if found is None:
        raise UsageError(f"no format is known for the model {model!r}: give `format`, `template` or `tag`")
    return _format_plan(found, tools)
