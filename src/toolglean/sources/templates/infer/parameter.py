# How one parameter is written, and what is between two of them. Does not depend on the rest of a call, or on how types
# are written (parameter_types.py).
#
#   name ... head  KEY  middle  VALUE  between  KEY  middle  VALUE  post ...
#
#   closer of a parameter   the common beginning of `between` and `post`
#   opener of a parameter   the common end of `head` and the rest of `between`
#   separator               what remains of `between`
#
# A value is JSON if a string is in quotation marks, and an integer, in the same place, is not.
"""The pattern of a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolglean.errors import FormatError
from toolglean.sources.templates.infer.probes import TYPED
from toolglean.sources.templates.infer.texts import common_prefix, common_suffix, snapped

__all__ = ["Parameter", "parameter_of"]


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
    closer = common_prefix(between, post)
    if is_json:  # such a value ends by itself: what opens a marker belongs to the next key
        closer = closer[: snapped(between, len(closer))]
    rest = between[len(closer) :]
    opener = common_suffix(head, rest)
    separator = rest[: len(rest) - len(opener)]
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
