# What this file knows: from what the user has (a tag, a template) to what the machine reads; the precedence, in one
# place.
# What it must not know: how anything is read.
"""The parser that users make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from toolglean.discovery import TagPlan
from toolglean.errors import UsageError
from toolglean.limits import Limits
from toolglean.machine import Machine
from toolglean.tag import Tag
from toolglean.tools import ToolLike, ToolSet

__all__ = ["Parser"]


class Parser(Machine):
    """Turns one turn of a model, chunk by chunk, into content and tool calls.

    Args:
        tools: what the model was told that it may call: names, `Tool` objects or tool dicts; a `ToolSet`; or None where
            that is not known.
        tag: the marker that starts a call, such as `<tool_call>`; `{` or `[` for bare JSON at the start of the turn.
        closer: the marker that ends what the tag started; None: read from the template, or derived from the tag.
        template: the model's chat template (Go or Jinja), from which the tag is read. Jinja needs `toolglean[jinja]`.
        unknown_tools: what becomes of a call to a tool that is not in `tools`: "call" reports it with `known=False`,
            "content" gives its text back.
        markup: report the format's own text outside calls as `Markup`, so that the events tile the turn.
        id_prefix: ids of calls are this and the index, where the model writes none of its own.
        limits: how much a turn may ask for.

    Raises:
        UsageError: an argument is wrong, or neither a tag nor a template was given.
        ToolError: an entry of `tools` is no tool.
        TemplateError: the template cannot be read.
    """

    __slots__ = ()

    def __init__(
        self,
        tools: Iterable[ToolLike] | ToolSet | None = None,
        *,
        tag: str | None = None,
        closer: str | None = None,
        template: str | None = None,
        unknown_tools: Literal["call", "content"] = "call",
        markup: bool = False,
        id_prefix: str = "call_",
        limits: Limits | None = None,
    ) -> None:
        if unknown_tools not in {"call", "content"}:
            raise UsageError(f"unknown_tools must be 'call' or 'content', not {unknown_tools!r}")
        known = tools if tools is None or isinstance(tools, ToolSet) else ToolSet(tools)
        super().__init__(
            TagPlan(_tag(tag, closer, template)),
            known,
            unknown_tools=unknown_tools,
            markup=markup,
            id_prefix=id_prefix,
            limits=limits or Limits(),
        )


def _tag(tag: str | None, closer: str | None, template: str | None) -> Tag:
    if tag is not None:
        return Tag.of(tag, closer)
    if template is None:
        raise UsageError("give a tag (the marker that starts a call, '{' for bare JSON) or the model's chat template")
    from toolglean.templates import tag_of  # noqa: PLC0415  # only those who have a template pay for its import

    found = tag_of(template)
    return Tag.of(found.tag, closer if closer is not None else found.closer or None)
