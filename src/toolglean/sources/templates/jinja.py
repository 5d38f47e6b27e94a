# jinja2 as Hugging Face sets it up for chat templates: its extensions and its white space rules. Does not depend on
# what a tag is.
#
# jinja2 is imported only in files named jinja*. This one parses; it never runs a template, because templates come from
# strangers.
"""Reads Jinja chat templates: their syntax tree, and what they write around a tool call."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from toolglean._install import needs
from toolglean.errors import TemplateError, UsageError
from toolglean.sources.templates.outline import AroundCall, Outline, around_call, literals
from toolglean.sources.templates.static.expressions import DeadEnd
from toolglean.sources.templates.static.statements import StaticAnalysis

__all__ = ["at_line", "parse", "read"]

_LINE_BREAK = re.compile(r"\r\n|\r|\n")  # the line breaks that jinja2 counts


def parse(source: str) -> Any:
    """The syntax tree of a Jinja template, as jinja2 builds it.

    Raises:
        TemplateError: the template is broken.
        UsageError: jinja2 is not installed.
    """
    environment, syntax_error = _environment()
    try:
        return environment.parse(source)
    except syntax_error as error:
        raise at_line(error.message or "broken template", source, error.lineno) from error
    except RecursionError as error:
        raise TemplateError.at("nested too deeply for jinja2", source, 0) from error
    except Exception as error:  # whatever fails in jinja2, the template is at fault
        raise TemplateError.at(f"jinja2 cannot parse it: {error}", source, 0) from error


def read(source: str) -> tuple[AroundCall | None, list[str]]:
    """What a Jinja template writes around a tool call, and the texts with which it begins an assistant's message.

    Raises:
        TemplateError: the template is broken, or nested too deeply.
        UsageError: jinja2 is not installed.
    """
    tree = parse(source)
    analysis = StaticAnalysis()
    try:
        around = around_call(_outline(analysis, tree.body))
        return around, [text for prompt in analysis.prompts for text in literals(prompt)]
    except RecursionError as error:
        raise TemplateError.at("nested too deeply", source, 0) from error


def _outline(analysis: StaticAnalysis, body: list[Any]) -> Outline:
    try:
        return analysis.walk(body)
    except DeadEnd:  # the template raises on every path, so nothing is known
        return ()


@cache
def _environment() -> tuple[Any, type[Any]]:
    """The environment, and the class of its syntax errors."""
    try:
        import jinja2  # noqa: PLC0415  the extra is needed here only
        import jinja2.ext  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(needs("Jinja templates need jinja2", "jinja")) from error

    class Generation(jinja2.ext.Extension):
        """`{% generation %}…{% endgeneration %}` marks the model's text in training data. Its body is read as usual."""

        tags = {"generation"}  # noqa: RUF012  jinja2 requires it

        def parse(self, parser: Any) -> Any:
            parser.stream.expect("name:generation")
            return parser.parse_statements(["name:endgeneration"], drop_needle=True)

    extensions: list[str | type[jinja2.ext.Extension]] = ["jinja2.ext.loopcontrols", Generation]
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, extensions=extensions)  # noqa: S701  never renders
    return environment, jinja2.TemplateSyntaxError


def at_line(reason: str, source: str, line: int) -> TemplateError:
    """The error for a line of a template, as jinja2 counts them."""
    lines = _LINE_BREAK.split(source)
    line = max(1, min(line, len(lines)))
    return TemplateError(reason, line, 1, lines[line - 1])
