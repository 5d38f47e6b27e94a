# What shows that a call which ends is damaged: a marker of its family is broken, and stayed in a value. Does not depend
# on how a value is read (values.py), or on what is said of a damaged call (calls.py).
#
# Such a call must not run: its value is not what was meant, or it lacks a parameter. A value may quote markers, so only
# what quotes them whole, each closed, is taken for a quotation.
"""Calls that are damaged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from toolglean.engine.matcher.swallowed_markers import swallowed_markers_of
from toolglean.formats.parameters import heads_of_parameter, rest_of_closer
from toolglean.scan.json import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from toolglean.engine.matcher.reading import Reading
    from toolglean.engine.turn import Turn
    from toolglean.formats.spec import Format

__all__ = ["MOST_AT_END", "ends_nearly", "lost_parameter"]

MOST_AT_END = 128  # characters at the end of a value: a marker or a tag, and the white space behind it

LEAST = 6  # characters of a marker of which one may be wrong
MOST_BEHIND = 96  # characters behind a closing marker in which a broken opener is looked for

_last_word = re.compile(r"\w*>?\Z").search
_ends_in_tag = re.compile(r"</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?>\Z").search
_tag = re.compile(r"</?[A-Za-z][\w:.-]*>").fullmatch
_BEGIN = "<[‹"
_AFTER_OPENER = "= \n>\"'"


def ends_nearly(value: Any, end: str) -> bool:
    """Whether a value with that end has there what is its closing marker but for a sign or two: `<parameter>`,
    `/parameter>`, `</parameter/>`. White space may follow it, as JSON writes it.
    """
    closer = value.seen.closers_of(value.slot.terminals)[-1].strip()
    if closer[-1:] != ">":
        return False
    end = _breaks_at_end(end)
    if closer[0] != "<" and end.endswith("</"):  # the format's markers have no signs, and here one has
        return True
    if closer[:2] == "</" and end.endswith((f"<{closer[2:-1]}/>", f"<\\\\{closer[2:]}")):
        return True
    tails = (end.replace('\\"', '"')[-size:] for size in _sizes(closer))
    if any(closer not in tail and _is_nearly(closer, tail) and not _is_other_tag(closer, tail) for tail in tails):
        return True
    rest = rest_of_closer(closer)  # behind a blank, it is a word of the text: `a parameter>`
    half = end.casefold().endswith(rest.casefold()) and end[: len(end) - len(rest)][-1:] != " "
    return half and (closer[:2] != "</" or _ends_in_tag(end) is None)


def _is_other_tag(closer: str, tail: str) -> bool:
    return tail != f"<{closer[2:]}" and _tag(tail) is not None


def _sizes(marker: str) -> range:
    # How long that may be which is the marker, but for a character.
    return range(len(marker) - 2, len(marker) + 2)


def _is_nearly(marker: str, text: str) -> bool:
    # Whether the text is that marker, but for a character that is another one or too many, or one or two that are lost.
    if text[:1] not in _BEGIN or len(marker) < LEAST or len(text) not in _sizes(marker):
        return False
    least, lost = min(len(marker), len(text)), len(marker) - len(text)
    same = next((i for i in range(least) if marker[i] != text[i]), least)
    if lost > 0:
        return text[same:] == marker[same + lost :]
    return text[same + 1 :] == marker[same + 1 + lost :]


def _breaks_at_end(text: str) -> str:
    # JSON text of a string, without the white space at its end.
    while text.endswith((" ", "\\n", "\\r", "\\t")):
        text = text[:-1] if text[-1] == " " else text[:-2]
    return text


def lost_parameter(turn: Turn, reading: Reading) -> bool:
    """Whether a text begins with its own opening tag, which it does not close. Or it has swallowed a parameter whose
    opener is broken: the call lacks one that it requires, or behind a closing tag, which nothing has opened, comes the
    beginning of that tag, or another parameter's name; or behind a closing marker, the opener without its first sign.
    """
    resumed, written, damage = reading.call.resumed, turn.emit.call.arguments, _damage_of(reading)
    closers = swallowed_markers_of(reading.walk.program, reading.call.format).of_values
    goes_on = any(rest in written for rest in damage.rests)
    if not (resumed or goes_on or any(f'"<{closer[2:]}' in written for closer in closers)):
        return False
    values: dict[str, Any] = decode(written)[0]
    more = "|".join(re.escape(key) for key in turn.names.keys_of(reading.call.name) or () if key not in values)
    names_key = re.compile(_NAMED.format(more) if more else "(?!)").match
    texts = [each for each in values.values() if isinstance(each, str)]
    for closer in closers:
        if any(text.startswith(f"<{closer[2:]}") and closer not in text for text in texts):
            return True
        if (
            resumed
            and any(closer in text for text in texts)
            and turn.names.lacks_arguments(turn.emit.call.name, written)
        ):
            return True
    return any(names_key(behind) or damage.opens(behind) for text in texts for behind in damage.behind(text))


# What is left of an opener, and the key of a parameter.
_NAMED = r"[</>\"]{{0,3}}[\w|｜:<>\n]{{0,24}}(?:[ =>]|name=|key=|\"){{0,4}}(?:{0})(?!\w)[\"'=<>/｜|]"


class _Damage(NamedTuple):
    # A format's closing markers of values, and what is left of them without their first signs; with what a parameter
    # begins, and what finds that without its signs. What finds what opens a value, or closes it.
    closers: tuple[str, ...]
    rests: tuple[str, ...]
    openers: tuple[str, ...]
    word: Callable[[str], object]
    markers: Callable[[str], Iterator[re.Match[str]]]

    def behind(self, text: str) -> Iterator[str]:
        # What follows each closing marker that nothing has opened.
        depth = 0
        for found in self.markers(text):
            depth = max(depth, 0) + (1 if found["opener"] is not None else -1)
            if depth < 0:
                yield text[found.end() : found.end() + MOST_BEHIND].lstrip()

    def opens(self, behind: str) -> bool:
        # Whether that begins like a parameter.
        if behind[:1] not in _BEGIN or behind.startswith(self.closers):
            return self.word(behind.lstrip("|｜ ")) is not None
        behind = behind.casefold()
        return any(
            _is_nearly(each, behind[:size]) and (each[-1] == ">" or behind[size : size + 1] in _AFTER_OPENER)
            for each in self.openers
            for size in _sizes(each)
            if size < len(behind)
        )


def _damage_of(reading: Reading) -> _Damage:
    program, number = reading.walk.program, reading.call.format
    key = "damage", number
    if key not in program.kept:
        program.kept[key] = _damage(swallowed_markers_of(program, number).all_of_values, program.formats[number])
    found: _Damage = program.kept[key]
    return found


def _damage(closers: Iterable[str], declared: Format) -> _Damage:
    whole = tuple(each for each in closers if each[0] == "<" and any(map(str.isalnum, each)))
    rests = tuple(dict.fromkeys(map(rest_of_closer, whole)))
    heads = (head.rstrip("= \n") for head in heads_of_parameter(declared) if head[0] == "<")
    openers = tuple(each for each in dict.fromkeys(heads) if any(map(str.isalnum, each)))
    of_values = tuple(f"<{each[2:-1]}" for each in whole if each[:2] == "</")
    opened, closed = _either(of_values or openers), _either(rests)
    markers = re.compile(rf"(?i:(?P<opener>{opened})|{closed})").finditer
    return _Damage(whole, rests, openers + of_values, _unsigned(openers), markers)


def _either(texts: Iterable[str]) -> str:
    return "|".join(map(re.escape, texts)) or "(?!)"


def _unsigned(openers: Iterable[str]) -> Callable[[str], object]:
    # What finds the beginning of a parameter without its signs, or with its last word alone: `parameter=`, `arg_key>`.
    ways: dict[str, str] = {}
    for opener in openers:
        behind = "" if opener[-1] == ">" else r"(?:=|\s+\w+=)"
        ways |= {each: behind for each in (opener.lstrip("<|｜ "), _last_word(opener)[0]) if each}  # type: ignore[index]  # it matches the empty string
    return re.compile(
        "(?i:" + ("|".join(re.escape(each) + behind for each, behind in ways.items()) or "(?!)") + ")"
    ).match
