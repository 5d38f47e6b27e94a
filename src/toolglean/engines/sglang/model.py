# What SGLang tells a parser about the model: at most its tokenizer. Does not depend on what is read.
"""The served model, as SGLang shows it."""

from __future__ import annotations

from typing import Any

from toolglean.engines.syntax import ModelSyntax, model_syntax

__all__ = ["syntax_of", "template_of"]


def template_of(tokenizer: Any) -> str:
    """The chat template of a tokenizer; "" if it has none. Of several named templates, the one for tools."""
    template = getattr(tokenizer, "chat_template", None)
    if isinstance(template, dict):
        template = template.get("tool_use") or template.get("default")
    return template if isinstance(template, str) else ""


def syntax_of(format_name: str, tokenizer: Any) -> ModelSyntax:
    """How the model writes.

    Args:
        format_name: the format in the parser's name, or "".
        tokenizer: the model's tokenizer, or None.
    """
    name = getattr(tokenizer, "name_or_path", None)
    return model_syntax(format_name, name if isinstance(name, str) else "", template_of(tokenizer))
