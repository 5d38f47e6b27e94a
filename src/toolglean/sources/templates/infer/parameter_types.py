# How parameters of each JSON type are written, and whether the format names the type. Does not depend on the text
# around the parameters.
"""Parameters as text: their spellings, and the words for their types."""

from __future__ import annotations

import re
from os.path import commonprefix

from toolglean.sources.templates.infer.parameter import Parameter
from toolglean.sources.templates.infer.prober import Prober
from toolglean.sources.templates.infer.probes import TYPED, Call, Message

__all__ = ["types_of"]

HOSTILE = "zqxone <b> & zqxtwo"


def types_of(prober: Prober, parameter: Parameter) -> tuple[tuple[str, ...], dict[str, str]]:
    """The patterns of parameters, and the words for `{type}` by JSON type."""
    if parameter.is_json or not parameter.closer.strip():
        return (parameter.pattern,), {}
    words = {kind: _middle(prober, kind, parameter) for kind in TYPED}
    middles = {kind: text for kind, text in words.items() if text is not None}
    pattern = parameter.pattern
    types: dict[str, str] = {}
    found = _type_words(parameter.middle, middles)
    if found is not None:
        middle, types = found
        pattern = Parameter(parameter.opener, middle, parameter.closer).pattern
    other = _hostile_spelling(prober, parameter)
    return ((pattern, other) if other else (pattern,)), types


def _middle(prober: Prober, kind: str, parameter: Parameter) -> str | None:
    # The text after the key, including the value.
    key, text = TYPED[kind][0], prober.typed(kind)
    at = text.rfind(parameter.opener + key)
    if at == -1:
        return None
    text = text[at + len(parameter.opener) + len(key) :]
    closer = parameter.closer.replace("{key}", key).strip()
    return text.partition(closer)[0] if closer in text else None


def _type_words(middle: str, texts: dict[str, str]) -> tuple[str, dict[str, str]] | None:
    """The text between key and value with `{type}`, and the words; None if the text is always the same."""
    word_at = None
    words: dict[str, str] = {}
    for text in texts.values():
        if not text.startswith(middle):
            at = len(commonprefix([middle, text]))  # noqa: RUF071  # characters are meant
            while at and middle[at - 1].isalnum():
                at -= 1
            word_at = at
    if word_at is None:
        return None
    own = re.match(r"\w+", middle[word_at:])
    if own is None:
        return None
    left, right = middle[:word_at], middle[word_at + len(own.group()) :]
    for kind, text in texts.items():
        found = re.match(r"\w+", text[word_at:])
        if found is None or not text.startswith(left) or not text[word_at + len(found.group()) :].startswith(right):
            return None
        words[kind] = found.group()
    return f"{left}{{type}}{right}", _shortened(words)


def _shortened(words: dict[str, str]) -> dict[str, str]:
    others = {word for kind, word in words.items() if kind != "string"}
    if len(others) == 1:
        return {"string": words.get("string", "string"), "*": others.pop()}
    return words | {"*": words.get("object", "object")}


def _hostile_spelling(prober: Prober, parameter: Parameter) -> str | None:
    # Text with characters that have a meaning in XML may be written differently: <![CDATA[…]]>.
    key = TYPED["string"][0]
    text = prober.written(Message((Call("zqxtyped", {key: HOSTILE}),)))
    begin, at = text.find(parameter.opener + key), text.find(HOSTILE)
    if not -1 < begin < at:
        return None
    middle = text[begin + len(parameter.opener) + len(key) : at]
    after = text[at + len(HOSTILE) :]
    closer = parameter.closer.replace("{key}", key)
    if middle == parameter.middle or not middle.startswith(parameter.middle) or closer.strip() not in after:
        return None
    extra = after.partition(closer.strip())[0]
    return Parameter(parameter.opener, middle, extra + parameter.closer).pattern
