# What this file knows: how JSON that is data is passed over: to its last bracket it is text, and so is what its strings
# quote; and how a call inside it is noticed, of which nothing comes.
# Does not depend on why it is data (data.py, document.py).
"""JSON that is text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglean.engine.turn import Payload
from toolglean.scan.json import CLOSE, END, FAIL, KEY, NEED, OPEN, STRING, JsonScanner, decode
from toolglean.scan.rope import Rope, flat, grown, joined
from toolglean.values import data
from toolglean.values.keys import ARGUMENT_KEYS, KNOWN_NAME_KEYS, NAME_KEYS

if TYPE_CHECKING:
    from toolglean.engine.document import Document
    from toolglean.engine.names import Names
    from toolglean.engine.turn import Turn

__all__ = ["Passing", "pass_over"]

_NAMES = NAME_KEYS | KNOWN_NAME_KEYS


def pass_over(turn: Turn, scanner: JsonScanner, document: Document) -> None:
    """The region is JSON that is data, as far as it was read: it is text, and so is what follows of it."""
    text, start = turn.take_region()
    if document.reason:
        turn.emit.problem(f"{data.NOT_A_CALL}: {document.reason}", document.name, document.start)
    size = document.start - start
    payload = Passing(scanner, told=bool(document.reason))
    turn.pass_payload(payload)
    if scanner.state == END:
        turn.leave(text_follows=True)
    turn.say(text[:size], start)
    turn.say_json(text[size:], document.start)


class Passing(Payload):
    """Where the passing over of one JSON value stands.

    Args:
        scanner: it stands behind a token.
        told: whether a call that did not count was reported.
    """

    def __init__(self, scanner: JsonScanner, *, told: bool) -> None:
        self._scanner = scanner
        self._told = told
        self._token: Rope = ()
        # For each open object: its last key, the tool that it names, and whether it holds arguments.
        self._open: list[tuple[str, str, bool]] = [("", "", False)] * len(scanner.stack)

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read on."""
        scanner, begun = self._scanner, i
        while i < len(text) and scanner.state != END and scanner.token != FAIL:
            j = scanner.step(text, i)
            scanner.fixes.clear()
            missed = "" if self._told else self._watch(turn.names, text[i:j])
            i = j
            if missed:
                turn.say_json(text[begun:i], turn.base + begun)
                turn.emit.problem(f"{data.NOT_A_CALL}: {data.INSIDE}", missed, turn.base + i)
                begun, self._told = i, True
        if scanner.state == END or scanner.token == FAIL:
            turn.leave(text_follows=True)
        turn.say_json(text[begun:i], turn.base + begun)
        return i

    def _watch(self, names: Names, piece: str) -> str:
        # The tool that an object names beside its arguments; "" while there is none.
        token, frames = self._scanner.token, self._open
        if token == NEED:
            self._token = grown(self._token, piece)
            return ""
        raw, self._token = joined(self._token) + piece, ()
        if token == CLOSE and frames:
            frames.pop()
        if token in {CLOSE, FAIL} or not frames:
            return ""
        key, name, holds = frames[-1]
        if token == KEY:
            key = _string(raw)
        elif key in ARGUMENT_KEYS:
            holds = True
        elif token == STRING and key in _NAMES:
            name = names.resolve(_string(raw)) or ""
        frames[-1] = key, name, holds
        if token == OPEN:
            frames.append(("", "", False))
        return name if holds else ""

    def skip(self, turn: Turn, text: str, i: int) -> int:
        """Never called: no call is open."""
        del turn, i
        return len(text)

    def finish(self, turn: Turn) -> None:
        """The turn is over: nothing waits."""
        turn.leave(text_follows=True)

    def copy(self) -> Passing:
        """The same place."""
        twin = Passing(self._scanner.copy(), told=self._told)
        twin._token, twin._open = self._token, list(self._open)
        return twin

    def __getstate__(self) -> tuple[Any, ...]:
        return self._scanner, self._told, flat(self._token), self._open

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._scanner, self._told, self._token, self._open = state


def _string(raw: str) -> str:
    found: str = decode(raw[raw.index('"') :])[0]
    return found
