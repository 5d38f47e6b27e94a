# Passes over JSON that is data: up to its last bracket it is text, and so is what its strings quote. Notices an object
# inside it that would be a call elsewhere. Does not depend on why it is data (data.py, document.py).
#
# If it breaks off, it was no JSON: then what was in its strings has opened quotations as any other text does. A copy of
# the judge's policy reads along for that.
"""JSON that is text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.reasons import not_a_call
from toolglean.engine.turn import Payload
from toolglean.scan import data
from toolglean.scan.json import END, LIST
from toolglean.scan.names import ARGUMENT_KEYS, KNOWN_NAME_KEYS, NAME_KEYS
from toolglean.scan.plain import Plain
from toolglean.scan.scanner import CLOSE, FAIL, KEY, NEED, OPEN, STRING
from toolglean.scan.tokens import token_text

if TYPE_CHECKING:
    from toolglean.engine.document import Document
    from toolglean.engine.judge.code import Quotes
    from toolglean.engine.names import Names
    from toolglean.engine.turn import Turn
    from toolglean.scan.tokens import JsonTokens

__all__ = ["Passing", "pass_over"]

NONE = ("", 0)  # no bracket waits
_NAMES = NAME_KEYS | KNOWN_NAME_KEYS


def pass_over(turn: Turn, scanner: JsonTokens, document: Document) -> None:
    """What was read of the region is JSON that is data: it is text, and so is the rest of it."""
    text, start = turn.take_region()
    if scanner.token is FAIL:
        turn.leave(text_follows=True)
        turn.say(text, start)
        return
    if document.reason:
        turn.emit.problem(not_a_call(document.reason), document.name, document.start)
    size = document.start - start
    turn.say(text[:size], start)
    name = document.written if turn.names.known(document.written) else ""
    payload = Passing(scanner, turn.judge.code and turn.judge.code.without_json(), name, told=bool(document.reason))
    turn.pass_payload(payload)
    if scanner.state == END:
        turn.leave(text_follows=True)
    payload.say(turn, text[size:], document.start)


class Passing(Plain, Payload):
    """What passes over one JSON value.

    Args:
        scanner: what has just read a token.
        code: what finds quotations, as if it were no JSON; None if that does not matter.
        name: the tool that the innermost object has named.
        told: whether an apparent call was reported.
    """

    __slots__ = ("_ahead", "_bracket", "_code", "_open", "_scanner", "_told", "_unsure")
    owned = ("_code", "_open", "_scanner")

    def __init__(self, scanner: JsonTokens, code: Quotes | None, name: str, *, told: bool) -> None:
        self._scanner, self._code = scanner, code
        self._told, self._unsure, self._bracket = told, True, NONE
        self._ahead: tuple[int, str] | None = None  # what `pass_data` has read, and `read` must go on with
        # For each open object: its last key, the tool that it names, and whether it has arguments; None for an object
        # whose own key names the tool.
        self._open: list[tuple[str, str, bool | None]] = [("", "", False)] * len(scanner.stack)
        if self._open:
            self._open[-1] = "", name, None if scanner.token is OPEN else False

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read on."""
        scanner, ahead = self._scanner, self._ahead
        if scanner.token is FAIL and ahead is None:
            return self._break_off(turn, text, i)
        while True:
            begun, (i, missed), self._ahead = i, ahead or self._read_tokens(turn.names, text, i), None
            if not missed:
                break
            self.say(turn, text[begun:i], turn.tape.base + begun)
            reason = data.INSIDE if len(self._open) > 2 else data.OTHER_KEY
            turn.emit.problem(not_a_call(reason), missed, turn.tape.base + i - len(self._bracket[0]))
            ahead, self._told = None, True
        if scanner.state == END:
            self._leave(turn)
        self.say(turn, text[begun:i], turn.tape.base + begun)
        return self._break_off(turn, text, i) if scanner.token is FAIL else i

    def _read_tokens(self, names: Names, text: str, i: int) -> tuple[int, str]:
        # Up to the end of the text, or of the JSON; or up to an apparent call that must be reported, and its name.
        scanner = self._scanner
        while i < len(text) and scanner.state != END and scanner.token is not FAIL:
            if self._told:
                i = scanner.step(text, i)
                scanner.fixes.clear()
            else:
                i, raw = scanner.read_token(text, i)
                if scanner.token is not NEED and (missed := self._watch(names, raw)):
                    return i, missed
        return i, ""

    def _leave(self, turn: Turn) -> None:
        last = turn.last_text
        turn.leave(text_follows=True)
        turn.remember(last)  # wherever the text was cut, what follows is behind the same text

    def _break_off(self, turn: Turn, text: str, i: int) -> int:
        # It is no JSON. A marker of reasoning may have begun with the last bracket: all others are text behind one.
        (mark, place), thoughts = self._bracket, turn.rules.thoughts
        while mark and mark not in thoughts and any(each.startswith(mark) for each in thoughts):
            if i == len(text):
                self._bracket = mark, place
                return i
            mark += text[i]
            i += 1
        self._leave(turn)
        said, self._bracket = 0 if mark in thoughts else 1, NONE
        self.say(turn, mark[:said], place, is_over=True)
        turn.judge.was_text(self._code)
        turn.tape.read_instead(mark[said:], place + said)
        return i

    def say(self, turn: Turn, text: str, start: int, *, is_over: bool = False) -> None:
        """That part of the JSON is content. Unless `is_over`, a bracket at its end waits: it may begin a marker."""
        text, start = self._bracket[0] + text, start - len(self._bracket[0])
        waits = not is_over and self._scanner.state == LIST and text.endswith("[")
        self._bracket = ("[", start + len(text) - 1) if waits else NONE
        text = text[: len(text) - waits]
        self._unsure = self._unsure and not text.strip("[")  # brackets alone may be no JSON after all
        turn.say(text, start, is_data=True, unsure=self._unsure)
        if self._code is not None and text:
            self._code.scan(text, start)

    def is_data(self) -> bool:
        """See `Payload`."""
        return not (self._unsure or self._bracket[0])

    def pass_data(self, turn: Turn, text: str) -> bool:
        """See `Payload`."""
        scanner = self._scanner
        ahead = self._read_tokens(turn.names, text, 0)
        if ahead[1] or scanner.token is FAIL or scanner.state == END:
            self._ahead = ahead
            return False
        return True

    def data_passed(self, turn: Turn, text: str, start: int) -> None:
        """See `Payload`."""
        turn.pass_data(text)
        if self._code is not None:
            self._code.scan(text, start)

    def _watch(self, names: Names, raw: str) -> str:
        # The tool that an object names next to its arguments; "" until there is one.
        token, frames = self._scanner.token, self._open
        if token is CLOSE and frames:
            frames.pop()
        if token is CLOSE or token is FAIL or not frames:
            return ""
        key, name, has_arguments = frames[-1]
        if token is KEY:
            key = token_text(raw)
            if has_arguments is None and names.has_parameter(name, key):
                has_arguments = True
        elif key in ARGUMENT_KEYS:
            has_arguments = True
        elif token is STRING and key in _NAMES:
            name = names.resolve(token_text(raw)) or ""
        elif token is STRING and not name and names.tools is not None:  # under any key
            word = raw[raw.find('"') + 1 : -1]
            name = word if word in names.tools else ""
        frames[-1] = key, name, has_arguments
        if token is OPEN:
            known = names.tools is not None and key in names.tools
            frames.append(("", key, None) if known else ("", "", False))
        return name if has_arguments else ""

    def finish(self, turn: Turn) -> None:
        """The turn is over: a bracket that waits is content."""
        turn.leave(text_follows=True)
        bracket, place = self._bracket
        if bracket:
            turn.say(bracket, place, is_data=True)
