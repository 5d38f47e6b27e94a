# How to tell a Go template from a Jinja template. Does not depend on how a template is parsed.
"""The languages of chat templates."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from toolglean.sources.templates.golang.builtins import KNOWN
from toolglean.sources.templates.golang.lexer import KEYWORDS

__all__ = ["Language", "advice_in", "template_language"]

Language: TypeAlias = Literal["go", "jinja"]
"""The languages of chat templates: Ollama uses Go's, Hugging Face uses Jinja."""

_WORDS = "|".join(sorted((KEYWORDS | KNOWN) - {"nil"}))
# The text after the first brace tells them apart: {% and {# are Jinja's; {{.A}} {{$x}} {{/* {{if … are Go's. Otherwise,
# a name that is not a Go function is Jinja's; a string, a number or a parenthesis decides nothing.
_SIGNS = re.compile(
    r"\{(?:(?P<jinja>[%#])"
    rf"|\{{-?\s*(?:(?P<go>\.(?!\d)|\$|/\*|(?:{_WORDS})(?![\w.(|]))|(?P<name>[A-Za-z_])))",
)

_IN_GO = {
    "write the arguments in their own order: |tojson without sort_keys, |items without |dictsort": "no Go template can "
    "keep their order, so allow this loss (--allow-loss order)",
    "|tojson": "{{ json … }}",
    ": without |e, and with autoescape off": "",
    "message.tool_calls": ".ToolCalls",
    "message.reasoning_content": ".Thinking",
    "message.content": ".Content",
}
"""What advice about Jinja templates is for Go's, by its words."""


def advice_in(language: Language, advice: str) -> str:
    """Advice about a template in that language: `advice`, which is written for Jinja."""
    for words, own in _IN_GO.items() if language == "go" else ():
        advice = advice.replace(words, own)
    return advice


def template_language(source: str) -> Language:
    """The language of the template `source`, judged by its first action. Text without any action is a Go template."""
    sign = _SIGNS.search(source)
    return "go" if sign is None or sign["go"] else "jinja"
