# What shows that a call which ends is damaged: a marker of its family is broken, and stayed in a value. Does not depend
# on how a value is read (texts.py), or on what is said of a damaged call (calls.py).
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
    from collections.abc import Callable, Iterable

    from toolglean.engine.matcher.reading import Reading
    from toolglean.engine.turn import Turn
    from toolglean.formats.spec import Format

__all__ = ["MOST_AT_END", "ends_nearly", "lost_parameter"]

MOST_AT_END = 128  # characters at the end of a value: a marker or a tag, and the white space behind it

_last_word = re.compile(r"\w*>?\Z").search
_ends_in_tag = re.compile(r"</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?>\Z").search


def ends_nearly(value: Any, end: str) -> bool:
    """Whether a value with that end has there what is its closing marker but for a sign or two: `<parameter>`,
    `/parameter>`. White space may follow it, as JSON writes it.
    """
    closer = value.seen.closers_of(value.slot.terminals)[-1].strip()
    if closer[-1:] != ">":
        return False
    end = _breaks_at_end(end)
    if closer[:2] == "</" and end.endswith((f"<{closer[2:]}", f"<{closer[2:-1]}/>", f"<\\\\{closer[2:]}", closer[:-1])):
        return True
    if closer[0] != "<" and end.endswith("</"):  # the format's markers have no signs, and here one has
        return True
    rest = rest_of_closer(closer)  # behind a blank, it is a word of the text: `a parameter>`
    half = end.casefold().endswith(rest.casefold()) and end[: len(end) - len(rest)][-1:] != " "
    return half and (closer[:2] != "</" or _ends_in_tag(end) is None)


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
    named = rf'|<?[\w|｜]{{0,24}}(?:[ =>]|name=|"){{0,4}}(?:{more})(?!\w)' if more else ""
    texts = [each for each in values.values() if isinstance(each, str)]
    if goes_on and any(map(damage.goes_on, texts)):
        return True
    for closer in closers:
        opener = re.escape(f"<{closer[2:-1]}")
        tags = re.compile(rf"{opener}|{re.escape(closer)}(?P<more>\s*(?={opener}{named}))?").finditer
        if any(text.startswith(f"<{closer[2:]}") and closer not in text for text in texts):
            return True
        if (
            resumed
            and any(closer in text for text in texts)
            and turn.names.lacks_arguments(turn.emit.call.name, written)
        ):
            return True
        if any(_goes_on_behind(closer, tags(text)) for text in texts):
            return True
    return False


def _goes_on_behind(closer: str, tags: Iterable[re.Match[str]]) -> bool:
    # Whether a closing tag that none of these has opened is not the end.
    depth = 0
    for found in tags:
        depth = max(depth, 0) + (-1 if found[0].startswith(closer) else 1)
        if depth < 0 and found["more"] is not None:
            return True
    return False


class _Damage(NamedTuple):
    # What is left of a format's closing markers of values; and what finds such a rest, or a whole one, before a
    # parameter's opener that lacks its first sign, has a blank behind it, or another word.
    rests: tuple[str, ...]
    goes_on: Callable[[str], object]


def _damage_of(reading: Reading) -> _Damage:
    program, number = reading.walk.program, reading.call.format
    key = "damage", number
    if key not in program.kept:
        program.kept[key] = _damage(swallowed_markers_of(program, number).all_of_values, program.formats[number])
    found: _Damage = program.kept[key]
    return found


def _damage(closers: Iterable[str], declared: Format) -> _Damage:
    rests = tuple(dict.fromkeys(rest_of_closer(each) for each in closers if each[0] == "<"))
    openers = list(dict.fromkeys(head.rstrip("= \n") for head in heads_of_parameter(declared) if head[0] == "<"))
    ways = []
    for opener in openers:
        word: str = _last_word(opener)[0]  # type: ignore[index]  # it matches the empty string
        signs = re.escape(opener.removesuffix(word))
        end = "" if opener[-1] == ">" else r"(?:=|\s+\w+=)"
        ways.append(rf"(?!{re.escape(openers[0])})[\s{signs}]{{0,32}}{re.escape(word)}{end}")
    behind = "|".join(map(re.escape, rests)) or "(?!)"
    return _Damage(rests, re.compile(rf"(?i:(?:{behind})\s*+(?:{'|'.join(ways) or '(?!)'}))").search)
