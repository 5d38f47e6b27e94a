# How one parameter is written, what is between two of them, and whether the format names the type of a value. Does not
# depend on the rest of a call.
#
#   name ... head  KEY  middle  VALUE  between  KEY  middle  VALUE  post ...
#
# Opener, closer and separator of a parameter are those of `around_items`. A value is JSON if a string is in quotation
# marks, and an integer, in the same place, is not.
"""The pattern of a parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from os.path import commonprefix
from typing import TYPE_CHECKING

from toolglean.errors import FormatError
from toolglean.sources.templates.infer.probes import TYPED, Call, Message
from toolglean.sources.templates.infer.texts import around_items

if TYPE_CHECKING:
    from toolglean.sources.templates.infer.prober import Prober

__all__ = ["Parameter", "parameter_of", "types_of"]

HOSTILE = "zqxone <b> & zqxtwo"


@dataclass(frozen=True, slots=True)
class Parameter:
    """How one parameter is written.

    Attributes:
        opener, middle, closer: the text before the key, between key and value, and after the value.
        separator: the text between two parameters.
        is_json: whether the value is JSON.
    """

    opener: str
    middle: str
    closer: str
    separator: str = ""
    is_json: bool = False

    @property
    def pattern(self) -> str:
        """The parameter's pattern."""
        value = "{json}" if self.is_json else "{value}"
        return f"{self.opener}{{key}}{self.middle}{value}{self.closer}"


def parameter_of(head: str, middle: str, between: str, post: str, typed: Mapping[str, str]) -> Parameter:
    """The parameter with these texts around its key and its value.

    Args:
        head, middle, between, post: see above, with `{key}` for a key in the last two.
        typed: see `call_syntax_of`.

    Raises:
        FormatError: nothing shows where the value ends.
    """
    is_json = _is_json(middle, between, typed)
    if is_json:
        middle, between, post = middle[:-1], between[1:], post[1:]
    # A value that is JSON ends by itself: what opens a marker belongs to the next key.
    opener, closer, separator = around_items(head, between, post, whole=is_json)
    if closer and not closer.strip() and "\n" not in closer:
        closer, separator = "", closer + separator  # white space within a line ends no value
    if not closer and not opener.strip():
        opener, separator = "", separator + opener
    if separator.strip():
        separator, opener = separator + opener[: len(opener) - len(opener.lstrip())], opener.lstrip()
    if closer.strip() and not separator.strip():
        closer, separator = closer + separator, ""
    if not is_json and not closer.strip() and not (middle.strip() and (closer or separator)):
        raise FormatError(
            "nothing shows where the key or the value of a parameter ends: write the value with |tojson, or a marker "
            "after it"
        )
    return Parameter(opener, middle, closer, separator, is_json)


def _is_json(middle: str, between: str, typed: Mapping[str, str]) -> bool:
    if not middle.endswith('"') or not between.startswith('"'):
        return False
    for kind, written in (("integer", "70411"), ("boolean", "true"), ("object", "{")):
        text = typed.get(kind, "")
        if text and f"{TYPED[kind][0]}{middle[:-1]}{written}" not in text:
            return False
    return bool(typed.get("integer"))


# -- types -------------------------------------------------------------------------------------------------------------


def types_of(prober: Prober, parameter: Parameter) -> tuple[tuple[str, ...], dict[str, str]]:
    """The patterns of parameters, and the words for `{type}` by JSON type."""
    if parameter.is_json or not parameter.closer.strip():
        return (parameter.pattern,), {}
    middles = {kind: text for kind in TYPED if (text := _middle(prober, kind, parameter)) is not None}
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
