# What this file knows: what SGLang tells a parser of the model: at most its tokenizer.
# What it must not know: what is read.
"""The served model, as SGLang shows it."""

from __future__ import annotations

from typing import Any

from toolglean.engines.syntax import ModelSyntax, model_syntax

__all__ = ["syntax_of", "template_of"]


def template_of(tokenizer: Any) -> str:
    """The chat template that a tokenizer has; "" for none. Of several named ones it is the one for tools."""
    template = getattr(tokenizer, "chat_template", None)
    if isinstance(template, dict):
        template = template.get("tool_use") or template.get("default")
    return template if isinstance(template, str) else ""


def syntax_of(format_name: str, tokenizer: Any) -> ModelSyntax:
    """How the model writes.

    Args:
        format_name: the format that the parser's name names, or "".
        tokenizer: the model's, or None.
    """
    name = getattr(tokenizer, "name_or_path", None)
    return model_syntax(format_name, name if isinstance(name, str) else "", template_of(tokenizer))
