# Where a chat template is found in what people have: on its own, in an Ollama Modelfile, or in Hugging Face's
# tokenizer_config.json. Does not depend on what a template contains.
"""Extracts chat templates from the files that contain them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from toolglean.errors import TemplateError, UsageError

__all__ = ["TemplateSource", "checked", "in_config", "template_in", "template_text"]

_FROM = re.compile(r"^[ \t]*FROM[ \t]+\S", re.IGNORECASE | re.MULTILINE)
_TEMPLATE = re.compile(
    r'^[ \t]*TEMPLATE[ \t]+(?:"""(?P<long>.*?)"""|"(?P<quoted>[^"\n]*)"|(?P<line>[^\n]*))',
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token")


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """A chat template, and what came with it.

    Attributes:
        text: the template.
        variables: the tokens that it may use (`eos_token`, …).
        response_template: the response template in `tokenizer_config.json`; None if there is none.
    """

    text: str
    variables: Mapping[str, str] = field(default_factory=dict)
    response_template: Mapping[str, Any] | None = None


def template_text(given: str | PathLike[str]) -> str:
    """The text itself, or the text of the file at that path.

    Raises:
        UsageError: `given` is neither text nor a path object, or the file cannot be read.
    """
    if isinstance(given, str):
        return given
    if not isinstance(given, PathLike):
        raise UsageError(f"template={given!r:.80} is not a chat template: pass its text, or a path object of its file")
    try:
        return Path(given).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"template={str(given)!r} cannot be read: {error}. Pass the path of a text file.") from error


def checked(source: TemplateSource) -> TemplateSource:
    """The source itself, if its text may be a chat template.

    Raises:
        UsageError: it has no action of a template, so it is a name, a file's path, or some other text.
    """
    if "{{" not in source.text and "{%" not in source.text:
        raise UsageError(
            f"template={source.text[:60]!r} is not a chat template, because it has nothing between {{{{ }}}} or "
            "{% %}: pass the template's text, a path object of its file (pathlib.Path), or model= for a name"
        )
    return source


def template_in(text: str) -> TemplateSource:
    """The chat template in a text: the text itself, or the template in a Modelfile or a tokenizer_config.json.

    Raises:
        TemplateError: it is a tokenizer_config.json without a chat template.
    """
    if text.lstrip()[:1] == "{" and text.lstrip()[:2] not in {"{{", "{%", "{#"}:
        try:
            config = json.loads(text)
        except (ValueError, RecursionError):
            config = None
        if isinstance(config, dict):
            return in_config(config)
    found = _TEMPLATE.search(text) if _FROM.search(text) else None
    if found is None:
        return TemplateSource(text)
    return TemplateSource(next(each for each in found.groups() if each is not None))


def in_config(config: Mapping[str, Any]) -> TemplateSource:
    """The chat template in a Hugging Face `tokenizer_config.json`; if there are several, the one for tools.

    Raises:
        TemplateError: it contains no template.
    """
    given = config.get("chat_template")
    if isinstance(given, list):
        named = {each.get("name"): each.get("template") for each in given if isinstance(each, Mapping)}
        given = named.get("tool_use") or named.get("default") or next(iter(named.values()), None)
    if not isinstance(given, str) and "toolglean_format" in config:
        raise TemplateError("this is a format as data, not a template: read turns with `--format FILE`")
    if not isinstance(given, str):
        raise TemplateError("the tokenizer_config.json has no chat_template: pass the template itself")
    variables = {name: text for name in TOKENS if (text := _token(config.get(name)))}
    answers = config.get("response_template")
    return TemplateSource(given, variables, answers if isinstance(answers, Mapping) else None)


def _token(value: Any) -> str:
    value = value.get("content") if isinstance(value, Mapping) else value
    return value if isinstance(value, str) else ""
