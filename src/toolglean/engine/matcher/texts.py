# How words and text values are read: only a marker after them shows that they are complete. Does not depend on which
# markers a family has (swallowed_markers.py), or on how values become JSON (engine/parameters.py).
#
# A word (a name, id, index, key or type) is short, and is read character by character. A value is text up to its
# closing marker, which is accepted only if it is followed by what may follow it. So a value whose closing marker was
# read is kept in the call, and continues if something else follows. If it lacks its closing marker, or has another
# spelling of it, a marker of its family appears where it can only come after the value, and a repair is tried.
"""Words and text values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.matcher.calls import no_call
from toolglean.engine.matcher.literals import accept, arrived
from toolglean.engine.matcher.reading import NOWHERE, Description, Field
from toolglean.engine.matcher.swallowed_markers import MISSING, TEXT, WAIT, has_marker, opens_tag, swallowed_markers_of
from toolglean.engine.names import contains_markup
from toolglean.engine.parameters import Parameters, pass_value
from toolglean.engine.reasons import malformed_call
from toolglean.engine.repair.candidates import CLOSER
from toolglean.engine.repair.suspended import TRIAL, Fault, Kind, Put
from toolglean.formats.parameters import KEY_CHARS
from toolglean.formats.spellings import can_close
from toolglean.scan.names import NAME_CHARS
from toolglean.scan.nested import whole_characters
from toolglean.scan.reader import string_text

if TYPE_CHECKING:
    from toolglean.engine.matcher.reading import Call, Reading
    from toolglean.engine.matcher.swallowed_markers import Spelling
    from toolglean.engine.matcher.walk import OpenSlot
    from toolglean.engine.turn import Stops, Turn
    from toolglean.scan.text import Finder

__all__ = ["Value", "Word"]

WORD_CHARS = 4096  # characters of a key, or of any word with the white space around it

_letters = re.compile("[A-Za-z0-9_]*").match
_plain = re.compile("[A-Za-z0-9_.-]*").fullmatch
_index_body = re.compile(r"\d*").match
_id_body = re.compile(r"[^\s`(<\[]*").match  # with code or a marker in it, it is what follows a call that was cut
_word_body = re.compile(r"[\w.-]*").match
_other_body = re.compile(r"\S*").match


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
        place = word.rfind(marker[0])
        begun = len(word) - place if place >= 0 and marker.startswith(word[place:]) else 0
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
            return len(self._word) <= WORD_CHARS  # white space matters: it is examined later
        line = word.partition("\n")[0] if edge.kind == "name" and not edge.word and turn.names.spaced else ""
        if line and line == word:
            return len(word) <= NAME_CHARS
        body = _index_body if edge.kind == "index" else _word_body if edge.word else _other_body
        body = _id_body if edge.kind == "id" and not edge.word else body
        is_named = line and turn.names.resolve(line.rstrip()) is not None
        end = len(line) if is_named else body(word).end()  # type: ignore[union-attr]  # they match the empty string
        if edge.kind == "name" and edge.doubtful and not word[:end].isascii() and not turn.names.may_begin(word):
            return False  # prose without spaces, for example in Chinese, must not wait for a bracket that never comes
        rest = word[end:].lstrip()
        if rest and edge.kind == "name" and edge.word and turn.region.bare and not turn.accepts(word[:end]):
            return False
        if end > NAME_CHARS + max(map(len, literals), default=0) or (edge.word and rest and not end):
            return False
        return not rest or any(literal.lstrip().startswith(rest) for literal in literals)  # ` json` begins with a blank

    def _refuse(self, turn: Turn, reading: Reading, char: str, i: int) -> int:
        if turn.emit.open:
            turn.give_up(malformed_call(self.expected()), char, turn.tape.base + i - 1)
        elif reading.walk.pending_action is not None:
            accept(turn, reading)
        else:
            no_call(turn, reading, awaits=(reading.call.name or self._named_on_line(turn), self.slot.formats))
        return i

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


def _expected(kind: str) -> str:
    return f"{'an' if kind in {'id', 'index'} else 'a'} {kind} was expected"


class Value(Field):
    """The text of a parameter.

    Attributes:
        parameters: the parameters of the call, which turn it into JSON.
        seen: the markers that it may have swallowed.
        finder: finds what may end it; None until it is needed.
        start: the place of its first character; -1 before it.
        key: that of the parameter, if its own tag may close the value; "" if not, or if the value opens that tag.
        quoted: whether an opener of a parameter is in it, so that a closing marker may belong to that.
        opened: how many parameters were opened in it and not closed: a closing marker may be theirs.
        stray: whether closing markers follow the one that ends it.
        misspelt: the place after the last closing marker in another spelling that stayed in it, and after the white
            space that follows: if the value ends there, the call must not run. -1 if there is none.
    """

    __slots__ = ("finder", "key", "misspelt", "opened", "parameters", "quoted", "seen", "start", "stray")

    within = "value"

    def __init__(self, turn: Turn, reading: Reading, slot: OpenSlot) -> None:
        assert reading.call.parameters is not None  # a key is before each value
        self.slot, self.parameters = slot, reading.call.parameters
        self.seen = swallowed_markers_of(reading.walk.program, reading.call.format)
        self.finder: Finder | None = None
        key, keys = self.parameters.key, turn.names.keys_of(reading.call.name)
        self.key = key if keys and key in keys and can_close(key) else ""
        self.start, self.misspelt, self.opened, self.quoted, self.stray = -1, NOWHERE, 0, False, False
        trail = slot.trail if self.seen.knows_openers else ""  # a value of several lines may have swallowed parameters
        turn.delta(self.parameters.begin_value(slot.lead, trail), reading.walk.pending_start)

    def copy_for(self, call: Call) -> Self:
        """See `Stage`."""
        twin = super().copy_for(call)
        assert call.parameters is not None
        twin.parameters = call.parameters
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"finder": None}

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        parameters = self.parameters
        if parameters.lead:
            i, passed = parameters.read_lead(text, i)
            if passed is not None:
                self._pass_on(turn, passed, turn.tape.base + i)
            if parameters.lead:
                return i
        place, found = (self.finder or self._finder()).find(text, i)
        if not (parameters.paired or parameters.has_lines) and (line := text.find("\n", i, place)) >= 0:
            self._pass_on(turn, text[i : line + 1], turn.tape.base + i)
            return line + 1  # from here on, the finder looks for something else: see `_finder`
        if place > i:
            self._pass_on(turn, text[i:place], turn.tape.base + i)
        if not found:
            return turn.hold(text, place)
        if found.lstrip() not in self.slot.terminals.literals:
            return self._swallowed(turn, reading, text, place, found)
        # If a closing marker contains white space, only its first part is found: another spelling may follow.
        other = self._spelling(turn, reading, text, place, found) if self.seen.is_parted(found) else None
        if other is not None and self._misspelt(turn, reading, text, place, other):
            return turn.hold(text, place) if turn.reading_call else place
        self._close(reading, turn.tape.base + place, found)
        return place + len(found)

    def stops(self) -> Stops | None:
        """See `Payload`."""
        parameters = self.parameters
        if not parameters.passes:
            return None
        if parameters.paired or parameters.has_lines:
            return self._finder().search, string_text
        return self.seen.finder(self.slot.terminals, "", lines=True, first_line=True, key=self.key).search, string_text

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        if not (self.parameters.paired or self.parameters.has_lines) and "\n" in text:
            return None  # that is noted, and the finder looks for something else from there on
        return pass_value(turn, self.finder or self._finder(), text)

    def _finder(self) -> Finder:
        # Finds what may be after the value, with its white space, and what it may have swallowed. It is unclear whether
        # a value of several lines ends with a line break if its pattern has none before it.
        if self.finder is None:
            trail = self.parameters.as_before(self.slot.trail)
            lines = self.parameters.paired or not self.parameters.has_lines
            self.finder = self.seen.finder(self.slot.terminals, trail, lines=lines, key=self.key)
        return self.finder

    def _pass_on(self, turn: Turn, text: str, start: int) -> None:
        parameters = self.parameters
        had_lines = parameters.has_lines
        if self.start < 0:
            self.start = start
        begun = self.start if parameters.is_section is None else start  # what has waited comes with it
        turn.delta(parameters.text(text), begun)
        self.finder = self.finder if parameters.has_lines == had_lines else None

    # -- its end -------------------------------------------------------------------------------------------------------

    def _close(self, reading: Reading, start: int, found: str) -> None:
        # Its closing marker was read, but not yet what follows it.
        trail = self.parameters.as_before(self.slot.trail)
        with_trail = trail and found.startswith(trail) and found not in self.slot.terminals.literals
        reading.walk.close_slot(self.slot, found, start, len(trail) if with_trail else 0)
        reading.call.close_value(self, start + len(found))
        self.stray = False
        reading.go_on()

    def is_closed_again(self, turn: Turn) -> bool:
        """Its closing marker came again. Returns whether that may be an extra one.

        If the value contains an opener, the marker may belong to that; and if another closing marker was inserted, to
        the value that lacked it.
        """
        self.stray = not self.quoted and turn.repair is not TRIAL
        return self.stray

    def resume(self, turn: Turn, reading: Reading) -> None:
        """What looked like its closing marker is not followed by what may follow it, so it is text of the value."""
        pending, start = reading.walk.unsettled
        reading.call.decide_value(resumed=not self.opened)
        reading.walk.settle_all()
        reading.read_as(self)
        self.opened = max(self.opened - 1, 0)
        text = pending[:1] if turn.read_again(pending[1:], start + 1) else pending
        self._pass_on(turn, text, start)

    # -- markers of its own family in it -------------------------------------------------------------------------------

    def _swallowed(self, turn: Turn, reading: Reading, text: str, place: int, found: str) -> int:
        # A marker of its own family that does not end the value: the value's closing marker may be missing, or be there
        # in another spelling.
        parameters, seen, terminals, call = self.parameters, self.seen, self.slot.terminals, reading.call
        self.quoted = self.quoted or seen.is_opener(found)
        start = turn.tape.base + place
        opens = seen.opens(text, place, found)
        if opens is None:
            return turn.hold(text, place)
        spelling = self._spelling(turn, reading, text, place, found)
        if spelling is not None:
            if self._misspelt(turn, reading, text, place, spelling):
                return turn.hold(text, place) if turn.reading_call else place
        elif not call.doubtful and start > call.as_written:
            before = parameters.last_char(turn.emit.call.arguments_end)
            exact = not seen.lines or not (before.isspace() or (parameters.has_lines and not parameters.paired))
            keys = turn.names.keys_of(call.name)
            kind = seen.kind(text, place, found, before, exact=exact, paired=parameters.paired, keys=keys)
            if kind == WAIT:
                return turn.hold(text, place)
            closer, final = seen.closers_of(terminals)[-1], found.lstrip() in seen.closers
            if kind == MISSING and (turn.may_repair() or turn.repair is TRIAL):
                _suspend(turn, reading, found.lstrip(), start, Put(closer, final=final))
                return place
            call.take_as_written(call.as_written, doubtful=kind != TEXT and not final)
        self.opened += opens
        self._pass_on(turn, found, start)
        return place + len(found)

    def _spelling(self, turn: Turn, reading: Reading, text: str, place: int, found: str) -> Spelling | None:
        keys = turn.names.keys_of(reading.call.name)
        return self.seen.spelling(self.slot.terminals, text, place, found, keys, self.key)

    def _misspelt(self, turn: Turn, reading: Reading, text: str, place: int, spelling: Spelling) -> bool:
        # The closing marker may be there in another spelling. False: it is text of the value.
        start, call = turn.tape.base + place, reading.call
        if spelling.kind != MISSING:
            return spelling.kind == WAIT
        if self.key and self.key in text[place : spelling.end] and opens_tag(turn.emit.call.arguments, self.key):
            self.key, self.finder = "", None  # the value has opened that tag itself
            return False
        if start > call.as_written and not call.doubtful and (turn.may_repair() or turn.repair is TRIAL):
            closer, written = self.seen.closers_of(self.slot.terminals)[-1], text[place : spelling.end]
            _suspend(turn, reading, written, start, Put(closer, len(written), final=spelling.final))
            return True
        self.misspelt = turn.tape.base + spelling.after_space
        return False


def _suspend(turn: Turn, reading: Reading, found: str, place: int, put: Put) -> None:
    # The closing marker may be missing there; if it is inserted, `found` is what follows it.
    turn.suspend(Fault(Kind.UNCLOSED, None, found, place, CLOSER, put), reading.copy())
