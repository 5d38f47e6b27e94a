# A turn read while it is written, token by token, and read whole; and what must hold of both. Does not depend on the
# model or on engines.
"""What is read of a turn, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jsonschema
from tokenizers.decoders import DecodeStream
from transformers.generation.streamers import BaseStreamer

from tests.engines.random_weights.requests import Request
from tests.grammar.laws import fault
from tests.support.chunkings import account, events_of
from toolglean import Event, Output, Parser, ParserOptions, ToolCall, join, parse
from toolglean.engines import SpecialTokens
from toolglean.events import fold
from toolglean.formats import get_format

__all__ = ["Streamed", "Turn", "faults_of_constrained", "faults_of_free", "read"]

HIDDEN = frozenset({"call-in-json-string", "another-message"})
"""Problems of calls that a reader takes for text, because of the text before them: it leaves a string of a JSON document
open, or contains the header of another message."""
ALLOWED = frozenset({"duplicate-key", "leftover-marker", *HIDDEN})
"""Problems that a grammar does not rule out: the above, a member that comes again in an object of any members, and a
marker of no call in the text before a call."""
OPTIONS = ParserOptions(markup=True)


class Streamed(BaseStreamer):  # type: ignore[misc, unused-ignore]
    """A streamer for `generate`: each token's text goes to two parsers at once, of which one is told the special tokens.

    Args:
        tokenizer: of transformers.
        special: its special tokens.
        family: the name of the format.
        request: what was asked.
    """

    def __init__(self, tokenizer: Any, special: SpecialTokens, family: str, request: Request) -> None:
        self._tokenizer = tokenizer.backend_tokenizer
        self._stream = DecodeStream(skip_special_tokens=False)
        self._parser = Parser(request.tools, format=family, options=OPTIONS)
        self._by_ids = Parser(request.tools, format=family, options=OPTIONS, atomic=special.atomic)
        self._spans = special.turn()
        self._ids: list[int] = []
        self._is_prompt = True
        self._done: list[ToolCall] = []
        self.chunks: list[tuple[str, Any]] = []
        """Each chunk, and what special tokens wrote of it."""
        self.events: list[Event] = []
        self.by_ids: list[Event] = []
        """The events of the parser that is told the special tokens."""
        self.if_cut: list[list[ToolCall]] = []
        """For each token, the calls that the turn would have if it ended there."""

    def put(self, value: Any) -> None:
        """Take the next token, or, the first time, the prompt."""
        if self._is_prompt:
            self._is_prompt = False
            return
        for token in value.flatten().tolist():
            self._ids.append(token)
            text = self._stream.step(self._tokenizer, token)
            if text is not None:
                self._feed(text)
            self.if_cut.append([*self._done, *self._parser.fork().close().calls])

    def end(self) -> None:
        """The turn has ended. Bytes of a character that is not whole are left: `read` gives them."""

    def finish(self, rest: str) -> None:
        """End the turn, with the text that the decoder still held."""
        if rest:
            self._feed(rest)
        self.events += self._parser.finish()
        self.by_ids += self._by_ids.finish()

    def _feed(self, text: str) -> None:
        spans = self._spans.spans(text, self._ids)
        self._ids = []
        self.chunks.append((text, spans))
        events = self._parser.feed(text)
        self.events += events
        self._done += fold(events).calls
        self.by_ids += self._by_ids.feed(text, spans)


@dataclass
class Turn:
    """A turn that was generated, and what was read of it.

    Attributes:
        request: what was asked.
        text: the turn, decoded as a whole.
        is_cut: whether the token limit ended it.
        written: how its markers were written: "by ids", "spelled", or "both".
        streamed: the events of the stream, joined.
        by_ids: the same of the parser that was told the special tokens.
        chunks: each chunk, and what special tokens wrote of it.
        whole: the output of the whole text.
        if_cut: for each token, the calls that the turn would have if it ended there.
        faults: what is wrong.
    """

    request: Request
    text: str
    is_cut: bool
    written: str
    streamed: list[Event]
    by_ids: list[Event]
    chunks: list[tuple[str, Any]]
    whole: Output
    if_cut: list[list[ToolCall]]
    faults: list[str] = field(default_factory=list)

    @property
    def has_problem(self) -> bool:
        """Whether the turn ended and was read, with a problem."""
        return bool(self.whole.problems and not self.is_cut)

    @property
    def is_hidden(self) -> bool:
        """Whether a call was taken for text, because of the text before it."""
        return any(each.code in HIDDEN for each in self.whole.problems)

    @property
    def is_doubted(self) -> bool:
        """Whether it is another turn for the parser that was told the special tokens."""
        return _seen(fold(self.by_ids)) != _seen(self.whole)

    @property
    def may_be_doubted(self) -> bool:
        """Whether a reader that is told the special tokens may give another answer than one that is not.

        So it is where markers were written in both ways, where a call that is spelled out was cut off, and where a call
        is hidden to one that is not told.
        """
        return self.written == "both" or (self.written == "spelled" and self.is_cut) or self.is_hidden

    @property
    def calls(self) -> list[ToolCall]:
        """The calls that may be run."""
        return self.whole.calls


def read(model: Any, request: Request, tokens: Sequence[int], streamed: Streamed) -> Turn:
    """What was read of the tokens that `streamed` was given, against the same text read whole."""
    text = model.tokenizer.decode(tokens, skip_special_tokens=False)
    so_far = "".join(chunk for chunk, _ in streamed.chunks)
    streamed.finish(text[len(so_far) :] if text.startswith(so_far) else "")
    whole = parse(text, request.tools, format=model.family.name, options=OPTIONS)
    is_cut = not tokens or tokens[-1] != model.end
    turn = Turn(
        request,
        text,
        is_cut,
        written=_written(model, tokens, text),
        streamed=join(streamed.events),
        by_ids=join(streamed.by_ids),
        chunks=streamed.chunks,
        whole=whole,
        if_cut=streamed.if_cut,
    )
    if not text.startswith(so_far):
        turn.faults.append(f"the decoder's stream is another text: {so_far!r}")
    return turn


def _written(model: Any, tokens: Sequence[int], text: str) -> str:
    numbers = {number: marker for marker, number in model.atomic.items() if number != model.end}
    by_id = sum(token in numbers for token in tokens)
    if by_id == sum(map(text.count, numbers.values())):
        return "by ids"
    return "both" if by_id else "spelled"


def faults_of_free(turn: Turn, special: SpecialTokens) -> Iterator[str]:
    """What is wrong with any turn: something was lost, or depends on how the text was cut."""
    yield from turn.faults
    whole = join(turn.whole.events)
    request = turn.request
    yield from _faults_by_ids(turn, special)
    try:
        cut = events_of(lambda: Parser(request.tools, format=request.grammar.format, options=OPTIONS), turn.text)
        if cut != whole:
            yield f"made by hand {cut}, by parse {whole}"
    except AssertionError as error:
        yield f"in other pieces: {error}"
    if turn.streamed != whole:
        yield f"streamed {turn.streamed}, whole {whole}"
    elif _seen(fold(turn.streamed)) != _seen(turn.whole):
        yield "folded in another way"


def _faults_by_ids(turn: Turn, special: SpecialTokens) -> Iterator[str]:
    if any(spans is None for _, spans in turn.chunks):
        yield f"not known what special tokens wrote: {turn.chunks}"
        return
    try:
        account(turn.by_ids, turn.text)
    except AssertionError as error:
        yield f"by ids, not accounted for: {error}"
    parser = Parser(turn.request.tools, format=turn.request.grammar.format, options=OPTIONS, atomic=special.atomic)
    events: list[Event] = []
    for chunk, spans in turn.chunks:
        for place, char in enumerate(chunk):
            by_special = spans if isinstance(spans, bool) else any(start <= place < end for start, end in spans)
            events += parser.feed(char, by_special)
    if join(events + parser.finish()) != turn.by_ids:
        yield "by ids, character by character, it differs"


def faults_of_constrained(turn: Turn, special: SpecialTokens) -> Iterator[str]:
    """What is wrong with a turn that was held to a grammar, besides the above."""
    yield from faults_of_free(turn, special)
    request = turn.request
    if not turn.is_cut:
        wrong = fault(get_format(request.grammar.format), request.tools, request.asked, turn.text)
        if wrong and not wrong.startswith("a problem"):
            yield wrong
        yield from (f"a problem: {each}" for each in turn.whole.problems if each.code not in ALLOWED)
    for call in turn.whole.unfinished:
        if call.status != "incomplete":
            yield f"{call.name}: {call.status}, {turn.whole.problems[:1]}"
    for number, calls in enumerate(turn.if_cut):
        if [_call(each) for each in calls] != [_call(each) for each in turn.calls[: len(calls)]]:
            yield f"cut after {number + 1} tokens, it has the calls {calls}"
            break
    by_ids = fold(turn.by_ids)
    if turn.is_doubted and not turn.may_be_doubted:
        yield f"by ids, it is {_seen(by_ids)}"
    read_by_text = [(each.name, each.arguments_text) for each in turn.calls]
    if not turn.is_hidden and any((each.name, each.arguments_text) not in read_by_text for each in by_ids.calls):
        yield f"by ids, it has other calls: {by_ids.calls}"
    yield from (f"{call.name}: {wrong}" for call in (*turn.calls, *by_ids.calls) if (wrong := _wrong(request, call)))


def _wrong(request: Request, call: ToolCall) -> str:
    tool = request.tools.get(call.name)
    if tool is None:
        return "no such tool"
    if request.asked not in {"auto", "required", call.name}:
        return "another tool than the one that was named"
    schema = jsonschema.Draft202012Validator(dict(tool.parameters))
    return next((error.message for error in schema.iter_errors(call.arguments)), "")


def _call(call: ToolCall) -> tuple[Any, ...]:
    return call.name, call.arguments_text, call.span[0]


def _seen(output: Output) -> tuple[Any, ...]:
    calls = [(_call(each), each.id, each.status) for each in (*output.calls, *output.unfinished)]
    return output.content, output.reasoning, calls
