# What an engine can tell about the model that it serves (its name, its chat template) and about a request's tools, and
# the arguments of a parser that follow.
# Does not depend on any engine's classes: they are objects with attributes, or dicts.
"""How a served model writes, and its tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from toolglean.conversation.fields import field as field_of
from toolglean.conversation.fields import text_in
from toolglean.errors import ToolError, ToolgleanError, UsageError
from toolglean.events import Reasoning
from toolglean.formats.registry import get_format
from toolglean.formats.spec import Format
from toolglean.parser import Parser
from toolglean.sources.choose.choice import choose_format
from toolglean.tools import ToolSet, as_tool

__all__ = ["THINK", "ModelSyntax", "model_syntax", "opens_reasoning", "syntax_of", "template_of", "tools_of"]

THINK = ("<think>", "</think>")
"""The markers of reasoning that `auto` knows."""


@dataclass(frozen=True, slots=True)
class ModelSyntax:
    """How a model writes.

    Attributes:
        arguments: the arguments for `Parser`: `format`.
        format: the format, if it is one of the library or was inferred; None: it is detected from the turn, or only a
            tag is known.
        declared: the markers before and after its reasoning, as the format declares them.
        pairs: the same, without the white space around them.
        reasons: whether the model may reason: its format has markers for it, and its chat template, if that is known,
            names one of them.
        opens: whether its chat template opens the reasoning at the end of the prompt; None if that is not known.
        ends: markers that no client needs: the ends of messages, the frame of an answer.
    """

    arguments: Mapping[str, Any] = field(hash=False)
    format: Format | None = None
    declared: tuple[tuple[str, str], ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    reasons: bool = False
    opens: bool | None = None
    ends: tuple[str, ...] = ()


@lru_cache(maxsize=64)
def model_syntax(format_name: str = "", model: str = "", template: str = "") -> ModelSyntax:
    """How a model writes, from what the engine knows about it.

    Args:
        format_name: the name of its format; "": it is learned from the rest.
        model: its name, or the path from which it was loaded.
        template: its chat template, as text. It takes precedence over the name. Reading it takes about a second, once.

    Returns:
        How it writes. If neither the template nor the name shows it, it is detected in each turn, as with
        `format="auto"`.

    Raises:
        UsageError: there is no format with that name.
    """
    if format_name:
        declared = get_format(format_name)
        return _of(declared, {"format": declared}, template)
    try:
        found = choose_format(model=model or None, template=template or None).format
    except ToolgleanError:
        found = None
    if found is None:
        return _of(None, {"format": "auto"}, template)
    return _of(found if found.is_declared else None, {"format": found}, template)


def syntax_of(format_name: str, tokenizer: Any) -> ModelSyntax:
    """How a model writes of which an engine shows at most the tokenizer.

    Args:
        format_name: the format in the parser's name, or "".
        tokenizer: the model's tokenizer, or None.
    """
    return model_syntax(format_name, text_in(tokenizer, "name_or_path"), template_of(tokenizer))


def template_of(tokenizer: Any) -> str:
    """The chat template of a tokenizer; "" if it has none. Of several named templates, the one for tools."""
    template = getattr(tokenizer, "chat_template", None)
    if isinstance(template, dict):
        template = template.get("tool_use") or template.get("default")
    return template if isinstance(template, str) else ""


def _of(declared: Format | None, arguments: Mapping[str, Any], template: str) -> ModelSyntax:
    written = (THINK,) if declared is None else declared.all_reasonings
    pairs = tuple((opener.strip(), closer.strip()) for opener, closer in written)
    named = any(marker and marker in template for pair in pairs for marker in pair)
    plain = () if declared is None else {each.strip() for each in (*declared.drop, *declared.content_markers)}
    ends = tuple(sorted(plain, key=len, reverse=True))  # one may be the prefix of another
    reasons = bool(pairs) and (named or not template)
    return ModelSyntax(arguments, declared, written, pairs, reasons, opens_reasoning(template), ends)


def opens_reasoning(template: str, variables: Mapping[str, Any] | None = None) -> bool | None:
    """Whether the prompt that a chat template makes opens the reasoning; None if that cannot be known.

    Args:
        template: the chat template, as text; "" if it is not known.
        variables: as for `Parser`.
    """
    if not template:
        return None
    try:
        parser = Parser(format=Format.from_template(template, variables=variables))
    except ToolgleanError:
        return None
    return any(type(event) is Reasoning for event in parser.feed("x") + parser.finish())


def tools_of(given: Iterable[Any] | None) -> ToolSet | None:
    """The function tools of a request; None if it has none.

    Args:
        given: the request's tools: dicts or objects, as in OpenAI's chat API or its Responses API. A tool that is not a
            function (a search that the server runs, a tool with free text) is left out.
    """
    found = []
    for each in given or ():
        if field_of(each, "type") not in {None, "function"}:
            continue
        try:
            found.append(as_tool(each))
        except (ToolError, UsageError):
            continue  # the engine has checked the request, so this is not a function with a name
    return ToolSet(found) if found else None
