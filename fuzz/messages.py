# Invariant: whatever a server of the Messages API sends, and wherever it breaks off, what comes out of the repair
#
#   keeps the protocol (tests/support/message_protocol.py), however the bytes are cut
#   has no call but those that were written, each once, and none that is quoted or cut off
#   has every word, once
#   is the same bytes, if there is nothing to repair
#   says what a whole answer says, and what the chat API's answer says
#
# A case is a turn of pieces: prose, calls as one family writes them, whole, quoted, broken and cut; reasoning, in the
# text and beside it; calls that the server has parsed, some of them twice. The server has its own ways: it does not end
# blocks, ends them late, gives all the same index, or sends pings.
"""`python -m fuzz.messages [--count N] [--seed N]`: turns of the Messages API, and what breaks on them."""

from __future__ import annotations

import json
import logging
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from fuzz.runner import Found, Fuzzer, raised
from tests.clients.answers import Said, answer, asked, events, fed, random_sizes, reader, said
from tests.clients.families import BARE, FAMILIES, TOOLS
from tests.support.loopback import Call, Thought, Turn
from tests.support.loopback.turns import Piece
from tests.support.message_protocol import faults
from toolglean import ToolSet, render
from toolglean.clients.repair import Kind
from toolglean.clients.repair.answers import COMMENT

__all__ = ["FUZZER", "main"]

NAMES = (*FAMILIES, "kimi-k2", "minimax-m2")
KNOWN = ToolSet(TOOLS)
WORD = re.compile(r"w\d+x")
READ_IN_QUOTATIONS = {
    "harmony": "a header begins reasoning, also in a quotation, and a call at the end of the reasoning is the turn's",
    "deepseek-v3": "the fence inside of the call is taken for the end of the fence around it",
}
"""Families of which the parser itself runs some quoted calls, and why. What is tried here is what becomes of its
events.
"""
PLACES = 8
"""Places where the connection of one case breaks."""
PING = b'event: ping\ndata: {"type": "ping"}\n\n'
WAYS: tuple[dict[str, Any], ...] = (
    *({}, {}, {}, {"calls_in_reasoning": "call"}, {"calls_in_reasoning": "text"}, {"unknown_tools": "call"}),
)


class _Case:
    """A turn, and what is in it."""

    def __init__(self, name: str, seed: int) -> None:
        self.rng = random.Random(f"messages {name} {seed}")
        self.family = name
        self.words = 0
        self.written: Counter[str] = Counter()  # cities of whole calls, by how often each may run
        self.drafts: Counter[str] = Counter()  # the same of calls in reasoning that has an end
        self.leaks = self.odd = False
        self.pieces: list[Piece] = []
        for _ in range(self.rng.choice((1, 2, 2, 3, 3, 4, 6))):
            self._add()
        self.turn = Turn(self.pieces, finish=self.rng.choice(("", "", "", "stop", "length")))
        self.request = asked("messages", TOOLS)
        self.options = {"whole_calls": self.rng.random() < 0.7, **self.rng.choice(WAYS)}
        if self.options.get("calls_in_reasoning") == "call":
            self.written += self.drafts

    def _word(self) -> str:
        self.words += 1
        return f"w{self.words}x"

    def _call(self) -> tuple[str, str]:
        city = self._word()
        return city, render(self.family, [("get_weather", {"city": city})], tools=KNOWN)

    def _add(self) -> None:
        kind = self.rng.choice("ppppllllqqbcttTodd")
        city, call = self._call()
        text = ""
        if kind == "p":
            text = self.rng.choice(("{} sees.", "{} <", "a < b, {}\n\n", "{}:\n", "`{}` ")).format(city)
        elif kind == "l":
            self.written[city] += 1
            text = ("\n\n" if self.family in BARE else self.rng.choice(("", "\n", "Look: "))) + call
            text += self.rng.choice(("", "", "\n", f"\n{self._word()} then."))
        elif kind == "q":
            self._draft(city)
            text = self.rng.choice(("\n\nSo:\n\n```\n{}\n```\n", "\n> {}\n", "See `{}`. ")).format(call)
            text = text if "\n" not in call or "`" not in text or "```" in text else f"\n\nSo:\n\n```\n{call}\n```\n"
        elif kind in "bc":
            at = self.rng.randrange(max(call.find("<|message|>"), 0), len(call))  # a header that is cut off hides text
            if call.index(city) <= at < call.index(city) + len(city):
                at = len(call) - 1
            text = call[:at] if kind == "c" else call[:at] + self.rng.choice('"{}<') + call[at:]
            self.written[city] += 1  # it may be whole without its end
        elif kind == "t":
            self._draft(city)
            text = f"<think>{city} {call if self.rng.random() < 0.3 else ''}</think>"
        elif kind == "T":
            self.written[city] += 1
            self.pieces += map(Thought, self._cut(f"{city if self.rng.random() < 0.5 else 'Hm'} {call}"))
        else:
            self.written[city] += 1
            arguments = {"city": city}
            theirs = Call("get_weather", arguments, cut=self.rng.choice((1, 5, 99)))
            both: list[list[Piece]] = [[theirs], [*self._cut(f"\n{call}")] if kind == "d" else []]
            self.rng.shuffle(both)
            self.pieces += [each for part in both for each in part]
            self.leaks = self.leaks or kind == "d"
        self.leaks = self.leaks or kind not in "po"
        self.pieces += self._cut(text)

    def _draft(self, city: str) -> None:
        self.drafts[city] += 1
        self.written[city] += self.family in READ_IN_QUOTATIONS

    def _cut(self, text: str) -> list[str]:
        size = self.rng.choice((1, 3, 7, 100))
        return [text[at : at + size] for at in range(0, len(text), size)]

    def data(self) -> bytes:
        """The answer, as this server sends it."""
        blocks = answer("messages", self.turn, self.request).split(b"\n\n")[:-1]
        way = self.rng.choice(("", "", "no stops", "late stops", "one index", "no input"))
        self.odd = way not in {"", "no input"}
        found: list[bytes] = []
        late: list[bytes] = []
        for block in blocks:
            is_stop, is_start = b"event: content_block_stop" in block, b"event: content_block_start" in block
            if way == "no stops" and is_stop and self.rng.random() < 0.5:
                continue
            if way == "late stops" and is_stop:
                late.append(block)
                continue
            given = re.sub(rb'"index": \d+', b'"index": 0', block) if way == "one index" else block
            found.append(given.replace(b', "input": {}', b"") if way == "no input" else given)
            if late and (is_start or b"message_delta" in block):
                found[len(found) - (0 if is_start else 1) : len(found) - (0 if is_start else 1)] = late
                late = []
            if self.rng.random() < 0.03:
                found.append(PING.strip())
        return b"".join(each + b"\n\n" for each in found)


def _calls(stream: list[dict[str, Any]]) -> list[str]:
    """The cities of the calls that came to their end."""
    found: list[str] = []
    name, pieces, begun = "", [""], {}
    for event in stream:
        if event["type"] == "content_block_start":
            begun = event["content_block"]
            name, pieces = str(begun.get("name", "")) if begun["type"] == "tool_use" else "", []
        elif event["type"] == "content_block_delta" and name:
            pieces.append(event["delta"]["partial_json"])
        elif event["type"] == "content_block_stop" and name:
            arguments = json.loads("".join(pieces) or json.dumps(begun.get("input", {})))
            found += WORD.findall(str(arguments.get("city", "")))[:1]  # its key may be broken, or its end
            name = ""
    return found


def _words(stream: list[dict[str, Any]]) -> Counter[str]:
    """The words of text and reasoning."""
    deltas = [event["delta"] for event in stream if event["type"] == "content_block_delta"]
    return Counter(WORD.findall("".join(each.get("text", "") + each.get("thinking", "") for each in deltas)))


def _arguments(stream: list[dict[str, Any]]) -> str:
    return "".join(str(event["delta"].get("partial_json", "")) for event in stream if "delta" in event)


def _wrong(case: _Case) -> tuple[str, str] | None:
    data = case.data()

    def new() -> Any:
        return reader("messages", case.request, **case.options)

    seeds = [case.rng.randrange(1 << 30) for _ in range(3)]
    outputs = {fed(new, data, random_sizes(seed)) for seed in seeds} | {fed(new, data, lambda: 1 << 20)}
    if len(outputs) > 1:
        return "cuts", "answers"
    output = outputs.pop()
    if output.replace(COMMENT, b"") == data:
        return None
    stream, given = events(output), events(data)
    if not case.leaks and not case.odd:
        return "bytes", "changed"
    return _law(case, stream, given) or _broken_off(case, data, new) or _others(case)


def _faults(case: _Case, stream: list[dict[str, Any]], given: list[dict[str, Any]], *, ended: bool = True) -> list[str]:
    """What the repair has broken."""
    theirs = {each for each in faults(given, ended=ended) if not case.odd or each.startswith("end_turn")}
    if not case.options["whole_calls"]:
        theirs |= {"a call that is not complete, and ends", "end_turn, although there are calls"}
    if case.odd and not ended:
        theirs.add("a block begins within another")  # the call of a server that has not ended it
    return [each for each in faults(stream, ended=ended) if each not in theirs]


def _law(case: _Case, stream: list[dict[str, Any]], given: list[dict[str, Any]]) -> tuple[str, str] | None:
    if broken := _faults(case, stream, given):
        return "protocol", broken[0]
    if not case.options["whole_calls"]:
        return None
    calls = Counter(_calls(stream))
    if calls - case.written:
        return "calls", f"{'twice' if set(calls) <= set(case.written) else 'not written'}"
    words = _words(stream)
    arguments = set(WORD.findall(_arguments(stream)))
    lost = {word for word in _words(given) if word not in words and word not in arguments}
    return ("words", "lost") if lost else ("words", "twice") if words - _words(given) else None


def _broken_off(case: _Case, data: bytes, new: Callable[[], Any]) -> tuple[str, str] | None:
    """The connection breaks after an event."""
    blocks = data.split(b"\n\n")
    places = sorted(case.rng.sample(range(len(blocks)), min(len(blocks), PLACES)))
    for place in places:
        cut = b"".join(each + b"\n\n" for each in blocks[:place])
        output = fed(new, cut, lambda: 1 << 20)
        if output.replace(COMMENT, b"") == cut:
            continue
        stream = events(output)
        ended = b"message_stop" in cut
        if broken := _faults(case, stream, events(cut), ended=ended):
            return "broken off", broken[0]
        # A call at the end of the reasoning is the turn's, if the turn ends there.
        if case.options["whole_calls"] and Counter(_calls(stream)) - case.written - case.drafts:
            return "broken off", "calls"
    return None


def _others(case: _Case) -> tuple[str, str] | None:
    """Whole answers say the same; and so does the chat API, where all is text."""
    options = {**case.options, "whole_calls": True}

    def told(kind: Kind, request: dict[str, Any]) -> Said:
        data = answer(kind, case.turn, request)
        return said(kind, fed(lambda: reader(kind, request, **options), data, lambda: 99), request)

    found = [told("messages", {**case.request, "stream": way}) for way in (True, False)]
    if found[0] != found[1]:
        return "whole", "differs"
    is_text = all(isinstance(each, str) for each in case.pieces)
    differs = is_text and told("chat", asked("chat", TOOLS))[:3] != found[0][:3]
    return ("chat", "differs") if differs else None


def look(name: str, seed: int) -> Found | str:
    """Read the case of that number, with calls of that family."""
    case = _Case(name, seed)
    text = repr((case.pieces, case.turn.finish, case.options))
    try:
        wrong = _wrong(case)
    except Exception as error:  # noqa: BLE001  # whatever it is
        law, detail = raised(error)
        return Found(name, "raised", law, text, f"seed {seed}\n{detail}")
    return "read" if wrong is None else Found(name, *wrong, text, f"seed {seed}")


FUZZER = Fuzzer("messages", "Turns of the Messages API.", "turns", lambda: list(NAMES), look, count=10_000)


def main() -> int:
    """Run, and say how many laws were broken."""
    logging.getLogger("toolglean").setLevel(logging.ERROR)  # calls to unknown tools
    return FUZZER.main()


if __name__ == "__main__":
    sys.exit(main())
