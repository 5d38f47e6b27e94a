# What ends a parameter that no marker of its own ends, and what may follow it. Does not depend on how a value is read
# or written.
#
#   <arg={key}>{json}</arg>     JSON ends by itself
#   {key}: {value}\n            the value ends with its line, if a parameter or the end of the call follows
#   - {key}: {value}\n          the same, after a marker
#   {key}="{value}"             a key without a marker before it: the same, after the quotation mark
#   <{key}>{value}</{key}>      the value ends with a marker that repeats its key
#   {key}={value}               the value ends at the separator (`parameter_separator`), or at the end of the call
#
# Such a text may be part of the value, too. It ends the value only if what follows is the key of a parameter, as the
# format writes it, or what comes after all parameters. If the tool's schema is known, the key must be declared there: a
# line "Note: bring cake" is part of a letter.
"""Parameters that end where another one begins."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import NamedTuple

from toolglean.formats.declaration import Declaration
from toolglean.formats.words import Slot, Space, Token, ends_line, literals_in, literals_of, opening, tokens_of

__all__ = [
    "KEY_CHARS", "Ending", "Followers", "ending_of", "followers_of", "has_bare_key", "heads_of_parameter",
    "parameter_tokens", "rest_of_closer",
]  # fmt: skip

KEY_CHARS = 256
SPACE_CHARS = 64

_word = re.compile(r"(?:\w[\w.-]*)?").match
_last_word = re.compile(r"\w*\Z").search
_blank = re.compile(r"[ \t]*").match
_space = re.compile(r"\s*").match


class Ending(NamedTuple):
    """What ends a text value that no marker of its own ends.

    Attributes:
        text: the text that ends it if something may follow that; `{key}` stands for the parameter's key.
        open: whether what comes after all parameters ends it, too.
        trail: the white space before the text, which may be missing.
    """

    text: str
    open: bool = False
    trail: str = ""

    @property
    def is_keyed(self) -> bool:
        """Whether the text repeats the key."""
        return "{key}" in self.text

    def of(self, key: str) -> str:
        """The text for a parameter of that key."""
        return self.text.replace("{key}", key)


def parameter_tokens(pattern: str) -> tuple[Token, ...]:
    """The tokens of a parameter's pattern, without the white space around it; a line break after a value remains."""
    tokens = tokens_of(pattern.lstrip())
    last = tokens[-1] if tokens else None
    if isinstance(last, Space) and not ("\n" in last.text and tokens[-2] == Slot("value")):
        return tokens[:-1]
    return tokens


def has_bare_key(pattern: str) -> bool:
    """Whether a parameter begins with its key."""
    return parameter_tokens(pattern)[:1] == (Slot("key"),)


def heads_of_parameter(declared: Declaration) -> tuple[str, ...]:
    """With what a parameter begins, up to its key or its attributes, in lower case: also with another word for it, and
    with an attribute where the format writes none. () if no marker begins it, or only signs with which what follows a
    call begins, too: `<` of `<{key}>`.
    """
    opener = "".join(map(opening, declared.parameters[:1])).casefold()
    opener = (opener.rpartition(" ")[0] or opener).removesuffix("=")
    word = _last_word(opener)[0]  # type: ignore[index]  # it matches the empty string
    if not word:
        after = (*(closer for _, closer in declared.all_sections), *declared.calls, declared.separator)
        return (opener,) if opener and not any(each.lstrip().casefold().startswith(opener) for each in after) else ()
    lead = opener.removesuffix(word)
    words = dict.fromkeys((word, "parameter", "param") if lead else (word,))
    return tuple(f"{lead}{each}{end}" for each in words for end in "= \n")


def rest_of_closer(closer: str) -> str:
    """What is left of a value's closing marker without its first signs: `parameter>`."""
    return closer[2:] if closer[:2] == "</" else closer.partition(">")[2] or closer[1:]


def ending_of(declared: Declaration, pattern: str) -> Ending | None:
    """What ends the value of a parameter of that pattern; None if its own marker does, or its JSON.

    The text is "" if nothing does.
    """
    tokens = parameter_tokens(pattern)
    if Slot("value") not in tokens:
        return None
    rest = tokens[tokens.index(Slot("value")) + 1 :]
    if Slot("key") in rest:
        trail = rest[0].text if isinstance(rest[0], Space) else ""
        return Ending("".join(_spelled(token) for token in rest[bool(trail) :]), trail=trail)
    literal = next(iter(literals_in(rest)), "")
    if literal:
        return Ending(literal) if has_bare_key(pattern) else None
    if rest:
        return Ending("\n")
    separator = declared.parameter_separator
    return Ending(separator.strip() or ("\n" if "\n" in separator else separator[:1]), open=True)


@dataclass(frozen=True, slots=True)
class Followers:
    """What may follow such a value. Made once, shared.

    Attributes:
        heads: for each pattern, the literals before the key, and the one after it; "" if white space ends the key.
        closers: what comes after all parameters.
        openers: with what another call begins.
        separator: the literals between two parameters.
    """

    heads: tuple[tuple[tuple[str, ...], str], ...]
    closers: tuple[str, ...]
    openers: tuple[str, ...]
    separator: tuple[str, ...]

    def follow(self, text: str, place: int, ending: str, keys: Container[str] | None, *, at_end: bool) -> bool | None:
        """Whether one of them follows at that place, right after the ending.

        Args:
            text, place: the text, and the place.
            ending: the text before it.
            keys: the keys of the tool; None if they are not known.
            at_end: whether nothing follows the text.

        Returns:
            None: more text is needed.
        """
        found = [self._at(text, place, ending, head, keys) for head in self.heads]
        found += [_begins(text, _passed(text, place, ending), closer) for closer in self.closers]
        found += [_begins(text, _passed(text, place, ""), opener) for opener in self.openers]
        return True if True in found else None if None in found and not at_end else False

    def _at(
        self, text: str, place: int, ending: str, head: tuple[tuple[str, ...], str], keys: Container[str] | None
    ) -> bool | None:
        parts, after = head
        place = _passed(text, place, ending)
        if ending not in self.separator:
            for literal in self.separator:
                if text.startswith(literal, place):
                    place = _passed(text, place + len(literal), "")
                elif _begins(text, place, literal) is None:
                    return None
        for literal in parts:
            found = _begins(text, place, literal)
            if not found:
                return found
            place = _passed(text, place + len(literal), "")
        end = min(_word(text, place).end(), place + KEY_CHARS)  # type: ignore[union-attr]  # it matches ""
        key, place = text[place:end], _blank(text, end).end()  # type: ignore[union-attr]
        if end < len(text) and (not key or (keys is not None and key not in keys) or place - end > SPACE_CHARS):
            return False
        if end == len(text):
            return None
        return _begins(text, place, after) if after else text[end].isspace()


def followers_of(declared: Declaration) -> Followers:
    """What may follow a parameter of that format."""
    heads = []
    for pattern in declared.parameters:
        tokens = parameter_tokens(pattern)
        key = tokens.index(Slot("key"))
        parted = tokens[key + 2 : key + 3] == (Slot("json"),) and isinstance(tokens[key + 1], Space)
        parted = parted or ends_line(tokens, key + 1)
        heads.append((tuple(literals_in(tokens[:key])), "" if parted else next(iter(literals_in(tokens[key:])), "")))
    closers: dict[str, None] = {}
    for call in declared.spellings:
        closers |= dict.fromkeys(literals_of(call.partition("{parameters}")[2])[:1])
    for _, closer in declared.all_sections:
        closers |= dict.fromkeys(literals_of(closer)[:1])
    begins = (*(opener for opener, _ in declared.all_sections), *declared.calls)
    # Those that are markers with a word in them.
    openers = [first for each in begins if any(map(str.isalnum, first := opening(each))) and first not in closers]
    separator = tuple(literals_of(declared.parameter_separator))
    return Followers(tuple(heads), tuple(closers), tuple(dict.fromkeys(openers)), separator)


def _spelled(token: Token) -> str:
    return f"{{{token.name}}}" if isinstance(token, Slot) else token.text


def _passed(text: str, place: int, ending: str) -> int:
    # After the white space there, as far as it is markup: after a line, only that of the next one.
    match = _blank if "\n" in ending else _space
    return min(match(text, place).end(), place + SPACE_CHARS)  # type: ignore[union-attr]  # they match ""


def _begins(text: str, place: int, literal: str) -> bool | None:
    if text.startswith(literal, place):
        return True
    return None if literal.startswith(text[place:]) else False
