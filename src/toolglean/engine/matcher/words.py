# How words are read: names, ids, indexes, servers, keys, types. Only a marker after a word shows that it is complete. A
# word is short, and is read character by character. Does not depend on how values are read (values.py), or on which
# names are accepted (engine/names.py).
"""Words of a call."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from toolglean.engine.matcher.calls import no_call
from toolglean.engine.matcher.literals import accept, arrived
from toolglean.engine.matcher.reading import Description, Field
from toolglean.engine.matcher.swallowed_markers import has_marker
from toolglean.engine.names import contains_markup
from toolglean.engine.parameters import Parameters
from toolglean.engine.reasons import malformed_call
from toolglean.engine.repair.suspended import Kind, Refusal
from toolglean.formats.parameters import KEY_CHARS
from toolglean.scan.names import NAME_CHARS
from toolglean.scan.nested import whole_characters

if TYPE_CHECKING:
    from toolglean.engine.matcher.reading import Reading
    from toolglean.engine.matcher.walk import OpenSlot
    from toolglean.engine.repair.suspended import Put
    from toolglean.engine.turn import Turn

__all__ = ["Word"]

WORD_CHARS = 4096  # characters of a key, or of any word with the white space around it

_letters = re.compile("[A-Za-z0-9_]*").match
_plain = re.compile("[A-Za-z0-9_.-]*").fullmatch
_index_body = re.compile(r"\d*").match
_id_body = re.compile(r"[^\s`(<\[]*").match  # with code or a marker in it, it is what follows a call that was cut
_word_body = re.compile(r"[\w.-]*").match
_other_body = re.compile(r"\S*").match
# A word, what ends it, and the first characters behind that: in quotes, it may be an attribute.
_ended = re.compile(r"([^\n=]*)(\n\s*(?=[^\s>])|=(?=[^\s>\"']))(..?)").fullmatch


class Word(Field):
    """A name, id, index, server, key or type."""

    __slots__ = ("_word",)

    within = "name"

    def __init__(self, turn: Turn, reading: Reading, slot: OpenSlot) -> None:
        self.slot, self._word = slot, ""

    def expected(self) -> str:
        """See `Stage`."""
        return _expected(self.slot.kind)

    def describe(self, reading: Reading) -> Description:
        """See `Stage`."""
        return Description(self.within, reading.call.name, self.slot, self._word)

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        terminals = self.slot.terminals
        while i < len(text):
            if terminals.after_words and (j := self._inside(turn, text, i)) > i:
                i = j
                continue
            if terminals.marker and (j := self._along(turn, terminals.marker, text, i)) > i:
                i = j
                if self._word.endswith(terminals.marker):
                    return self._end(turn, reading, terminals.marker, i)
                continue
            char = text[i]
            if char in terminals.chars and self._word.strip():
                return self._end(turn, reading, "", i)
            self._word += char
            if turn.region.open:
                turn.region.keep(char)
            i += 1
            if self._word.endswith(terminals.literals):
                return self._end(
                    turn, reading, next(each for each in terminals.literals if self._word.endswith(each)), i
                )
            if not self._may_go_on(turn, terminals.literals):
                return self._refuse(turn, reading, char, i)
            if char == ">" and self.slot.kind == "key" and (marker := self._swallowed(reading)):
                return self._break_off(turn, reading, marker, i)
        return i

    def _swallowed(self, reading: Reading) -> str:
        # The marker with which the key ends so far, and which ends a call or begins one: no key contains it; else "".
        markers = (each for each in chain(*reading.walk.program.ends(self.slot.edges[0].format)) if each[-1:] == ">")
        found = max((each for each in markers if self._word.endswith(each)), key=len, default="")
        return f"<{found}" if found and self._word.endswith(f"<{found}") else found  # some lack their sign

    def _break_off(self, turn: Turn, reading: Reading, marker: str, i: int) -> int:
        # The call ends before that marker, which is read again.
        if not turn.emit.open:
            return self._refuse(turn, reading, ">", i)
        place = turn.tape.base + i - len(marker)
        turn.give_up(malformed_call(self.expected()), self._word, place)
        turn.read_again(marker, place, always=True)
        return i

    def _inside(self, turn: Turn, text: str, i: int) -> int:
        # Letters after letters: the word can neither end nor become wrong there, as long as it is not too long.
        end: int = _letters(text, i).end()  # type: ignore[union-attr]  # the pattern matches the empty string
        if end == i or self.slot.kind == "index" or len(self._word) + end - i > NAME_CHARS or not _plain(self._word):
            return i
        self._word += text[i:end]
        if turn.region.open:
            turn.region.keep(text[i:end])
        return end

    def _along(self, turn: Turn, marker: str, text: str, i: int) -> int:
        # As much of the marker after the word as the text has: nothing else can end there. What may come before its
        # last character may come before each of its characters.
        word = self._word
        begin = _begin_of(marker, word, len(word))
        begun = len(word) - begin if begin >= 0 else 0
        piece, bare = text[i : i + len(marker) - begun], turn.region.bare
        if len(piece) < 2 or bare or not marker.startswith(piece, begun) or len(word) + len(piece) > NAME_CHARS:
            return i
        self._word = word + (piece[:-1] if begun + len(piece) == len(marker) else piece)
        if not self._may_go_on(turn, (marker,)):
            self._word = word
            return i
        self._word = word + piece
        if turn.region.open:
            turn.region.keep(piece)
        return i + len(piece)

    def _may_go_on(self, turn: Turn, literals: tuple[str, ...]) -> bool:
        # Whether what was read can still become a word.
        edge, word = self.slot.edges[0], self._word.lstrip()
        if edge.kind == "key" and edge.word:  # no marker precedes it
            end: int = _word_body(word).end()  # type: ignore[union-attr]  # it matches the empty string
            rest = word[end:].lstrip(" \t")
            return 0 < end <= KEY_CHARS and (not rest or any(literal.startswith(rest) for literal in literals))
        if edge.kind in {"key", "type", "server"} or len(self._word) > WORD_CHARS:
            # White space matters: it is examined later.
            return len(self._word) <= WORD_CHARS and not self._lacking(turn)
        line = word.partition("\n")[0] if edge.kind == "name" and not edge.word and turn.names.spaced else ""
        if line and line == word:
            return len(word) <= NAME_CHARS
        body = _index_body if edge.kind == "index" else _word_body if edge.word else _other_body
        body = _id_body if edge.kind == "id" and not edge.word else body
        is_named = line and turn.names.resolve(line.rstrip()) is not None
        end = len(line) if is_named else body(word).end()  # type: ignore[union-attr]  # they match the empty string
        if edge.kind == "name" and edge.doubtful and not word[:end].isascii() and not turn.names.may_begin(word):
            return False  # prose without spaces, for example in Chinese, must not wait for a bracket that never comes
        if body is _id_body and end < len(word):  # the marker stops the id in its own middle: `c1"><name>`
            end = next((i for i in (_begin_of(each, word, end) for each in literals) if i >= 0), end)
        rest = word[end:].lstrip()
        if rest and edge.kind == "name" and edge.word and turn.region.bare and not turn.accepts(word[:end]):
            return False
        if end > NAME_CHARS + max(map(len, literals), default=0) or (edge.word and rest and not end):
            return False
        return not rest or any(literal.lstrip().startswith(rest) for literal in literals)  # ` json` begins with a blank

    def _lacking(self, turn: Turn) -> str:
        # The `>` of a tag and the break behind it, if a line, or a sign, ends a tool's name or a key instead; else "".
        found = _ended(self._word) if len(self._word) <= NAME_CHARS else None
        if found is None or ">" not in self.slot.terminals.literals:
            return ""
        word, sign, rest = found.groups()
        if self.slot.kind == "name":  # another tag must follow
            known = turn.region.open and sign != "=" and rest[0] == "<" and turn.names.resolve(word.strip()) is not None
        else:
            known = turn.emit.open and word.rstrip() in (turn.names.keys_of(turn.emit.call.name) or ())
        return f">{sign.removeprefix('=')}{rest[:-1]}" if known else ""

    def refusal(self, turn: Turn, reading: Reading, char: str) -> Refusal:
        """See `Payload`."""
        return Refusal(char, marker=self._lacking(turn))

    def put_in(self, put: Put) -> bool:
        """See `Stage`."""
        found = _ended(self._word)
        assert found is not None
        self._word = found[1].rstrip()
        return True

    def _refuse(self, turn: Turn, reading: Reading, char: str, i: int) -> int:
        if turn.emit.open:
            turn.give_up(malformed_call(self.expected()), char, turn.tape.base + i - 1)
            i -= turn.suspended is not None
        elif self._is_suspended(turn, char, turn.tape.base + i - 1):
            i -= 1
        elif reading.walk.pending_action is not None:
            accept(turn, reading)
        else:
            no_call(turn, reading, awaits=(reading.call.name or self._named_on_line(turn), self.slot.formats))
        return i

    def _is_suspended(self, turn: Turn, char: str, place: int) -> bool:
        # Whether what was refused may be repaired, though the call is not certain yet.
        if not self._lacking(turn):
            return False
        if turn.calls_ignored:
            turn.judge.refuse_quoted(place)
        broke_off = turn.last_text.rstrip().endswith(">")  # the tag before it, which may be quoted
        if broke_off or turn.repair_failed_at == turn.emit.index:
            return False
        turn.region.shorten(1)
        if turn.suspend_refused(Kind.REGION, None, char, place):
            return True
        turn.region.keep(char)
        return False

    def _named_on_line(self, turn: Turn) -> str:
        # The tool that is named between a whole marker and the line's end; or "".
        name, broken, _ = self._word.lstrip().partition("\n")
        known = broken and self.slot.kind == "name" and turn.names.resolve(name.rstrip()) is not None
        return name.rstrip() if known and turn.region.text[: -len(self._word)].rstrip()[-1:] in {">", "]"} else ""

    def _end(self, turn: Turn, reading: Reading, literal: str, i: int) -> int:
        # The literal that ends the word has been read, up to `i`.
        here = turn.tape.base + i
        word = self._word[: len(self._word) - len(literal)]
        if literal[:1] == ">" and "\n" in word[len(word.rstrip()) :]:  # it opens a quoted line
            return self._refuse(turn, reading, literal, i)
        if self._is_taken(turn, reading, word, here - len(self._word)):
            reading.walk.close_slot(self.slot, literal, here - len(literal))
            reading.go_on()
            if literal and reading.walk.states.flags:
                arrived(turn, reading, here)
        return i

    def _is_taken(self, turn: Turn, reading: Reading, word: str, start: int) -> bool:
        # The word is complete. False: it cannot be what it should be.
        kind = self.slot.kind
        if kind in {"key", "type"}:
            exact = kind == "key" and not (self.slot.edges[0].word or self.slot.edges[0].trail)
            return self._is_key(turn, reading, word if exact else word.strip(), start)
        if kind == "name":
            return self._is_name(turn, reading, word.strip())
        reading.call.take(kind, whole_characters(word.strip()))
        if kind == "id" and turn.emit.open:
            turn.emit.call.set_id(reading.call.id)
        return True

    def _is_name(self, turn: Turn, reading: Reading, word: str) -> bool:
        program, number = reading.walk.program, self.slot.edges[0].format
        strange = contains_markup(word) or (turn.region.bare and not turn.accepts(word))
        if not word or ((strange or has_marker(program, number, word)) and turn.names.resolve(word) is None):
            no_call(turn, reading)
            return False
        reading.call.take("name", whole_characters(program.formats[number].unescaped(word)))
        return True

    def _is_key(self, turn: Turn, reading: Reading, word: str, start: int) -> bool:
        call, formats, kind = reading.call, reading.walk.program.formats, self.slot.kind
        key = turn.names.key_meant(turn.emit.call.name, word, formats[self.slot.edges[0].format].unescaped(word))
        if contains_markup(word) if kind == "type" else key is None:
            turn.give_up(malformed_call(_expected(kind)), word, start)
            return False
        parameters = call.parameters
        if parameters is None:
            opened, tool, depth = formats[call.format], turn.names.tool(call.name), turn.limits.depth
            parameters = Parameters(tool, opened.types, depth, coerce=turn.rules.coerce, wrappers=opened.wrappers)
            call.begin_parameters(parameters)
        parameters.word(kind, word if kind == "type" or key is None else key)
        return True


def _begin_of(marker: str, word: str, end: int) -> int:
    # Where the marker begins in the word, before that place, if all of the word from there on is the marker's; else -1.
    place = word.rfind(marker[0], 0, end)
    return place if place >= 0 and marker.startswith(word[place:]) else -1


def _expected(kind: str) -> str:
    return f"{'an' if kind in {'id', 'index'} else 'a'} {kind} was expected"
