# Tokenizers as vLLM passes them, and questions about a sequence of token ids.
# Does not depend on what the text means, except for the markers of reasoning and the headers of messages.
#
# vLLM may ask after each piece of a stream how many tokens the reasoning took, with all ids so far: those that were
# read before are not read again.
"""Token ids as text, and how many of them the reasoning took."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolglean.engines.special_tokens import SpecialTokens, decoded
from toolglean.engines.syntax import ModelSyntax, syntax_of
from toolglean.events import Event, Reasoning
from toolglean.formats.headers import HEADERS, own_part
from toolglean.parser import Parser

__all__ = ["TAIL", "ReasoningCount", "Tokens", "reasoning_is_over", "special_tokens_of"]

UNKNOWN = "\ufffd"
"""The text of a token whose text is not known."""

TAIL = 64
"""How many tokens are read at first, if the end of a long sequence of ids decides."""


_known: weakref.WeakKeyDictionary[Any, SpecialTokens | None] = weakref.WeakKeyDictionary()
_log = logging.getLogger(__name__)


def special_tokens_of(tokenizer: Any) -> SpecialTokens | None:
    """The special tokens of one of vLLM's tokenizers; None if it does not tell. Looked up once for each tokenizer."""
    try:
        if tokenizer not in _known:
            _known[tokenizer] = SpecialTokens.from_tokenizer(tokenizer)
        return _known[tokenizer]
    except Exception as error:  # noqa: BLE001  # calls are read without them as well
        _log.debug("the special tokens of the tokenizer are not known: %s", error)
        return None


class Tokens:
    """A tokenizer, which may only be able to encode.

    Args:
        tokenizer: one of vLLM's.
    """

    __slots__ = ("_decode", "_rows", "_tokenizer", "_words")

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._decode = getattr(tokenizer, "decode", None)
        self._words: dict[int, str] = {}
        self._rows: dict[tuple[int, ...], str] = {}  # if the tokenizer cannot decode: the ids of whole markers

    def syntax(self, format_name: str) -> ModelSyntax:
        """How the model of this tokenizer writes."""
        found = syntax_of(format_name, self._tokenizer)
        self.learn(marker for pair in found.pairs for marker in pair)
        return found

    def text(self, ids: Iterable[Any]) -> str:
        """The text of these ids, including special tokens. Tokens in place of ids are their own text."""
        given = list(ids)
        if not given:
            return ""
        if self._decode is None or any(isinstance(each, str) for each in given):
            return "".join(self.texts(given))
        return decoded(self._decode, given)

    def texts(self, ids: Iterable[Any]) -> list[str]:
        """The text of each id. If the tokenizer cannot decode, a marker of several ids is the text of the last one."""
        given = list(ids)
        if self._decode is not None:
            return [each if isinstance(each, str) else self.text([each]) for each in given]
        found: list[str] = []
        while len(found) < len(given):
            place = len(found)
            row = next((row for row in self._rows if tuple(given[place : place + len(row)]) == row), None)
            if row is None:
                found.append(given[place] if isinstance(given[place], str) else self._words.get(given[place], UNKNOWN))
            else:
                found += [""] * (len(row) - 1) + [self._rows[row]]
        return found

    def learn(self, markers: Iterable[str]) -> None:
        """Remember the ids of these markers, if the tokenizer cannot decode: some stand-ins only encode."""
        encode = getattr(self._tokenizer, "encode", None)
        if self._decode is not None:
            return
        vocabulary: dict[str, int] = self._tokenizer.get_vocab()
        self._words = {number: word for word, number in vocabulary.items()}
        for marker in filter(None, markers):
            row = tuple(encode(marker)) if callable(encode) and marker not in vocabulary else ()
            if row:
                self._rows[row] = marker


def reasoning_is_over(
    tokens: Tokens, ids: Sequence[Any], syntax: ModelSyntax, *, expected: bool = True, whole: bool = True
) -> bool:
    """Whether no reasoning is open, or to be expected, after these ids: those of a prompt, or of an answer as well.

    The last marker decides, or the header of the model's message. After the header the model may still open its
    reasoning, unless it does not reason at all.

    Args:
        tokens: reads the ids.
        ids: the ids.
        syntax: how the model writes.
        expected: whether the request lets the model reason.
        whole: whether to read further back if the last ids do not decide.
    """
    if not syntax.pairs:
        return True
    waits = syntax.reasons and expected
    size = TAIL
    while True:
        text = tokens.text(ids[-size:])
        own = own_part(text, HEADERS)
        part = text if own is None else own
        opened = max((part.rfind(opener) for opener, _ in syntax.pairs if opener), default=-1)
        closed = max((part.rfind(closer) for _, closer in syntax.pairs if closer), default=-1)
        if opened >= 0 or closed >= 0:
            return closed > opened
        if own is not None:
            begun = own.strip()
            return not waits or bool(begun and not any(mark.startswith(begun) for mark, _ in syntax.pairs))
        if size >= len(ids) or not whole:
            return not waits
        size *= 2


class ReasoningCount:
    """Counts the tokens of one answer.

    Args:
        syntax: how the model writes.
        begin: where the answer begins: `prompt` or `in_reasoning`, as for `TurnReader`.
    """

    __slots__ = ("_certain", "_last", "_parser", "_places", "_read", "_seen")

    def __init__(self, syntax: ModelSyntax, begin: Mapping[str, Any]) -> None:
        start: Any = "reasoning" if begin.get("in_reasoning") else None
        self._parser = Parser(start=start, prompt=begin.get("prompt", ""), **syntax.arguments)
        self._places: list[int] = []  # where the tokens begin that are not yet known to be one or the other
        self._seen = 0  # the end of the text that was read
        self._read = 0  # how many ids were read
        self._last: Any = None
        self._certain = 0

    def goes_on(self, ids: Sequence[Any]) -> bool:
        """Whether these ids continue the last ones."""
        return len(ids) >= self._read and (not self._read or ids[self._read - 1] == self._last)

    def read(self, tokens: Tokens, ids: Sequence[Any]) -> int:
        """How many of these ids belong to the reasoning. Those that were read before are not read again."""
        for text in tokens.texts(ids[self._read :]):
            self._places.append(self._seen)
            self._seen += len(text)
            self._certain += self._counted(self._parser.feed(text))
        self._read = len(ids)
        self._last = ids[-1] if len(ids) else None
        held = self._places.copy()
        found = self._certain + self._counted(self._parser.fork().finish())
        self._places = held
        return found

    def _counted(self, events: Iterable[Event]) -> int:
        found = 0
        for event in events:
            end = event.start
            if type(event) is Reasoning:
                end += len(event.text)
                found += sum(event.start <= place < end for place in self._places)
            self._places = [place for place in self._places if place >= end]
        return found
