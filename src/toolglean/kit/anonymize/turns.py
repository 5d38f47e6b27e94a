# How a text is split, so that each letter and digit either belongs to the format or is replaced; and which parts of a
# log's row and of a tool's definition are text. Does not depend on which word replaces which (placeholders.py), or on
# what stays (preserved.py).
#
# The text is not parsed, because it may be broken in any way. It is a sequence of markers, escapes, entities, numbers,
# words and other characters. Escapes stay escapes, so that JSON is as valid as it was: after any number of backslashes
# the letter of an escape stays, and its digits are replaced by those of another character.
"""Anonymous turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.batch.turns import HOLDERS, ID_KEYS, REASONING_KEYS, TEXT_KEYS
from toolglean.kit.anonymize.placeholders import Placeholders, like_symbol, words_in
from toolglean.kit.anonymize.preserved import KEYS, LITERALS, preserved

__all__ = ["Anonymizer"]

PREFIX = "functions_"
"""What Kimi K2 writes before a name if a client has changed the id: a marker that no format declares."""
ESCAPES = "abfnrtvuxN"
NOT_ESCAPES = "qQ"

_piece = re.compile(
    r"(?P<escape>\\+(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|N\{[^{}\n]{1,64}\}|[0-7]{1,3}|[^\W\d_]))"
    r"|(?P<entity>&(?:[a-z]{2,4}|\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6});)"
    r"|(?P<number>(?<!\w)[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?!\w))"
    r"|(?P<word>\w+)"
    r"|(?P<symbol>[^\x00-\x7f])"
)
_run = re.compile(r"\w+")
_letters = re.compile(r"[^\W_]+")
_digits = re.compile(r"\d+")
ENTITIES = frozenset({"&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&nbsp;"})

SCHEMA = frozenset(
    """
    type properties required items enum const default description title anyOf oneOf allOf not format
    pattern minimum maximum minLength maxLength minItems maxItems additionalProperties prefixItems $ref
    $defs definitions nullable name function parameters inputSchema input_schema strict examples
    """.split()  # noqa: SIM905  # three dozen words
)
NAMED = frozenset({"properties", "$defs", "definitions", "patternProperties"})
"""The keys below these are the user's own."""
LOG = frozenset({*ID_KEYS, *TEXT_KEYS, *HOLDERS, *REASONING_KEYS}) | frozenset(
    """
    message messages choices index role tool_calls function name arguments input type finish_reason
    stop_reason done done_reason status refusal summary call_id function_call object request error tools
    functions model delta
    """.split()  # noqa: SIM905  # so many keys
)
"""The usual keys of logs."""
WORDS_OF_LOGS = frozenset(
    """
    assistant user system tool function model text thinking reasoning reasoning_text summary_text
    tool_use tool_call tool_calls function_call message output_text refusal stop length content_filter
    incomplete completed max_tokens end_turn chat.completion text_completion response
    """.split()  # noqa: SIM905  # so many words
)
"""Values that tell what a part of a log is."""
TELLS_KIND = frozenset({"role", "type", "finish_reason", "stop_reason", "done_reason", "status", "object"})


class Anonymizer:
    """Replaces names and values, always the same ones by the same others.

    Args:
        originals: all texts that will be replaced, or JSON values of them: their words are never used as placeholders.
        tools: the definitions of the tools, as JSON. Their names are replaced even where a marker could be.
        wide: whether the words of markers stay wherever they appear. Otherwise they stay only where markers can be:
            more is replaced, and a broken marker may be read differently from before.
    """

    def __init__(self, originals: Iterable[Any], tools: Any = None, *, wide: bool = False) -> None:
        self._preserved = preserved()
        self._wide = wide
        self._names = frozenset() if wide else frozenset(_run.findall("\n".join(_texts_in(tools)))) - KEYS
        words = {word for each in (*originals, tools) for text in _texts_in(each) for word in words_in(text)}
        self._placeholders = Placeholders(
            words, {word for word in words if self._preserved.is_word(word)} | KEYS | LITERALS
        )

    def text(self, text: str) -> str:
        """A turn, or a part of one, with other words: as long as before, with the same markers in the same places.

        Args:
            text: the turn, as the model wrote it.
        """
        found: list[str] = []
        place = 0
        for begin, end in self._preserved.markers(text):
            found += [self._between(text, place, begin), text[begin:end]]
            place = end
        found.append(self._between(text, place, len(text)))
        return "".join(found)

    def tools(self, tools: Any) -> Any:
        """Definitions of tools, with the same names as in the turns."""
        return self._schema(tools, is_named=False)

    def row(self, row: Any, key: str = "") -> Any:
        """A row of a log. The usual keys of logs stay, and so do the values that identify a part.

        Args:
            row: the row, or a part of one, as decoded JSON.
            key: the key of the part in its row.
        """
        if isinstance(row, Mapping):
            if key in {"arguments", "input"}:
                return {self._string(each): self.row(value, "arguments") for each, value in row.items()}
            return {
                each if each in LOG else self._string(each): self._in_row(each, value) for each, value in row.items()
            }
        if isinstance(row, list):
            return [self.row(each, key) for each in row]
        if isinstance(row, str):
            return row if key in TELLS_KIND and row in WORDS_OF_LOGS else self._string(row)
        return self._scalar(row)

    def _in_row(self, key: str, value: Any) -> Any:
        return self.tools(value) if key in {"tools", "functions"} else self.row(value, key)

    def _between(self, text: str, begin: int, end: int) -> str:
        found: list[str] = []
        place = begin
        for piece in _piece.finditer(text, begin, end):
            found += [text[place : piece.start()], self._replaced(piece, text)]
            place = piece.end()
        found.append(text[place:end])
        return "".join(found)

    def _replaced(self, piece: re.Match[str], text: str) -> str:
        written = piece[0]
        if piece["escape"]:
            return self._escape(written)
        if piece["entity"]:
            return written if written in ENTITIES else _like_entity(written)
        if piece["number"]:
            return self._placeholders.number(written)
        if piece["symbol"]:
            return written if written in self._preserved.symbols else like_symbol(written)
        before, after = text[piece.start() - 1 : piece.start()], text[piece.end() : piece.end() + 1]
        return self._word(written, before, after)

    def _word(self, word: str, before: str, after: str) -> str:
        if word not in self._names and self._preserved.is_preserved(word, before, after):
            return _digits.sub(self._part, word)
        prefix = PREFIX if word.startswith(PREFIX) else ""
        return prefix + _letters.sub(self._part, word.removeprefix(prefix))

    def _part(self, found: re.Match[str]) -> str:
        if self._wide and self._preserved.is_word(found[0]):
            return found[0]
        is_number = found[0].isdecimal() and found[0].isascii()
        return self._placeholders.number(found[0]) if is_number else self._placeholders.word(found[0])

    def _escape(self, written: str) -> str:
        slashes = written[: len(written) - len(written.lstrip("\\"))]
        rest = written[len(slashes) :]
        if rest[0] in "ux" and len(rest) > 1:
            return slashes + _like_code(rest)
        if len(rest) > 1 and rest[0] == "N":
            return slashes + "N{BULLET}"
        if rest[0].isdecimal():
            return slashes + "1" * len(rest)
        return written if rest in ESCAPES else slashes + NOT_ESCAPES[rest.isupper()]

    # -- JSON ----------------------------------------------------------------------------------------------------------

    def _string(self, text: str) -> str:
        # As if between quotes, so that a name in a definition gets the same placeholder as in a turn.
        return self.text(f'"{text}"')[1:-1]

    def _scalar(self, value: Any) -> Any:
        if isinstance(value, bool | None):
            return value
        if isinstance(value, int):
            return int(("-" if value < 0 else "") + self._placeholders.number(str(abs(value))))
        return float(self.text(repr(value))) if isinstance(value, float) else value

    def _schema(self, value: Any, *, is_named: bool) -> Any:
        if isinstance(value, list):
            return [self._schema(each, is_named=False) for each in value]
        if not isinstance(value, Mapping):
            return self._string(value) if isinstance(value, str) else self._scalar(value)
        found = {}
        for key, each in value.items():
            known = key in SCHEMA and not is_named
            if known and key == "type" and not isinstance(each, Mapping):
                found[key] = each
            elif known and key == "$ref" and isinstance(each, str):
                found[key] = "/".join(
                    part if part in {"#", *NAMED, "items"} else self._string(part) for part in each.split("/")
                )
            else:
                found[key if known else self._string(key)] = self._schema(each, is_named=known and key in NAMED)
        return found


def _like_code(code: str) -> str:
    # \u0041, \x41: control characters and ASCII punctuation stay, because they may be syntax.
    number = int(code[1:], 16)
    char = chr(number)
    if 0xD800 <= number < 0xDC00:
        return code[0] + "d83d"
    if 0xDC00 <= number < 0xE000:
        return code[0] + "de00"
    if char.isascii() and not char.isalnum():
        return code
    other = "00e9" if not char.isascii() else "0037" if char.isdigit() else "0071"
    return code[0] + other[-len(code) + 1 :]


def _like_entity(entity: str) -> str:
    digits = entity.strip("&;#xX")
    try:
        number = int(digits, 16 if entity[2] in "xX" else 10)
    except ValueError:
        return entity[0] + "q" * (len(entity) - 2) + ";"
    if number < 128 and not chr(number).isalnum():
        return entity
    return entity.replace(digits, "9" * len(digits))


def _texts_in(value: Any) -> Iterable[str]:
    todo = [value]
    while todo:
        each = todo.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, Mapping):
            todo += [*each, *each.values()]
        elif isinstance(each, list | tuple):
            todo += each
