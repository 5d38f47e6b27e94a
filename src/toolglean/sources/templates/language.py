# How to tell a Go template from a Jinja template, and what is read from either: the tag and its closer. Does not depend
# on how a template is parsed.
"""The tag of a template in either language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolglean.errors import UsageError
from toolglean.sources.templates.go_tag import calls_test, tag_in
from toolglean.sources.templates.golang import parse
from toolglean.sources.templates.golang.nodes import Field, If, Node, Range, Text
from toolglean.sources.templates.golang.scope import KNOWN
from toolglean.sources.templates.markers import GENERIC, closer_for, tag_before

__all__ = ["Language", "TemplateTag", "tag_of", "template_language"]

Language: TypeAlias = Literal["go", "jinja"]
"""The languages of chat templates: Ollama uses Go's, Hugging Face uses Jinja."""

_WORDS = "|".join(
    ["if", "range", "with", "end", "else", "define", "template", "block", "break", "continue", *sorted(KNOWN)]
)
# The text after the first brace tells them apart: {% and {# are Jinja's; {{.A}} {{$x}} {{/* {{if … are Go's. Otherwise,
# a name that is not a Go function is Jinja's; a string, a number or a parenthesis decides nothing.
_SIGNS = re.compile(
    r"\{(?:(?P<jinja>[%#])"
    rf"|\{{-?\s*(?:(?P<go>\.(?!\d)|\$|/\*|(?:{_WORDS})(?![\w.(|]))|(?P<name>[A-Za-z_])))",
)


@dataclass(frozen=True, slots=True)
class TemplateTag:
    """What a template shows of the beginning and the end of a tool call.

    Attributes:
        tag: the text that starts a call, or the section of calls; "{" if the template has none.
        closer: the text that ends what the tag started; "" if the template does not show it clearly.
        language: the language of the template.
    """

    tag: str
    closer: str
    language: Language


def template_language(source: str) -> Language:
    """The language of the template `source`, judged by its first action. Text without any action is a Go template."""
    sign = _SIGNS.search(source)
    return "go" if sign is None or sign["go"] else "jinja"


def tag_of(template: str, language: str | None = None) -> TemplateTag:
    """The tag of a chat template, and its closer.

    For a Go template, the tag is the one that Ollama finds, right or wrong. For a Jinja template, it is found by
    following what the template writes for a message with a tool call. The template is not run.

    Args:
        template: the template's text.
        language: "go" or "jinja"; None: detected from the text.

    Raises:
        TemplateError: the template cannot be read.
        UsageError: the language is unknown, or jinja2 is not installed.
    """
    if language is None:
        language = template_language(template)
    if language == "go":
        return _of_go(template)
    if language == "jinja":
        return _of_jinja(template)
    raise UsageError(f"language={language!r} is not valid: pass 'go' or 'jinja'")


def _of_jinja(template: str) -> TemplateTag:
    from toolglean.sources.templates import jinja  # noqa: PLC0415  a Go template does not need jinja2

    around, headers = jinja.read(template)
    if around is None:
        return TemplateTag(GENERIC, "", "jinja")
    tag = tag_before(around.before, headers)
    closer = closer_for(tag, around.after_calls) or closer_for(tag, around.after_call)
    return TemplateTag(tag, closer, "jinja")


def _of_go(template: str) -> TemplateTag:
    test = calls_test(parse(template).root)
    tag = tag_in(test)
    return TemplateTag(tag, _go_closer(tag, test) if test else "", "go")


def _go_closer(tag: str, test: If) -> str:
    """The closer after the loop over the calls, or at the end of the loop, if the loop is in the test itself."""
    for at, node in enumerate(test.body):
        if isinstance(node, Range) and _over_calls(node):
            return closer_for(tag, _text_at(test.body, at + 1)) or closer_for(tag, _text_at(node.body, -1))
    return ""


def _over_calls(node: Range) -> bool:
    arguments = [argument for command in node.pipe.commands for argument in command.args]
    return any(isinstance(each, Field) and "ToolCalls" in each.names for each in arguments)


def _text_at(nodes: list[Node], at: int) -> str:
    node = nodes[at] if -len(nodes) <= at < len(nodes) else None
    return node.text if isinstance(node, Text) else ""
