# What adapters of servers have in common: how they are made for a turn, and what a token is. Does not depend on any
# peer, or on toolglean's own formats: adapters run in another Python, and import the standard library, the files beside
# them, `toolglean._child` and the peer.
#
# No weights and no real tokenizer are at hand, so this stands in for one: each marker of a model's format is one token,
# as in the model's own vocabulary (a table, because a marker that is cut would be unfair to most peers), and the text
# between them is cut about as byte-pair encodings cut it. A case may know better: `atomic` replaces the table, and
# where `special` is known, a marker outside its spans was spelled out by the model in ordinary tokens, and is cut like
# text.
"""Stand-ins for the tokenizers of models."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from toolglean.kit.conformance.targets.flags import named

__all__ = ["ENDS", "MARKERS", "SECONDS", "Adapter", "Spans", "Tokens"]

THINK = ("<think>", "</think>")
SECONDS = 600.0
"""How long a peer that is another program may take to answer: the kit itself ends a turn that takes too long."""

MARKERS = named("markers")
MARKERS |= {"deepseek-v3.1": MARKERS["deepseek-v3"], "gigachat-3.1": MARKERS["gigachat-3"]}
MARKERS |= {"glm-4.7": MARKERS["glm-4.5"], "llama4-pythonic": MARKERS["llama4"], "qwen3-coder": MARKERS["mimo"]}
MARKERS |= dict.fromkeys(("mistral-v11", "mistral-v13"), MARKERS["mistral-v3"])
"""For each format: the markers that are one token, or what precedes a name in them, separated by spaces. `<think>` and
`</think>` are tokens everywhere."""

_ENDS = (
    "</assistant> </s> <SPECIAL_12> <end_of_sentence> <end_of_turn> <eos> <seed:eos> <turn|> <|END_OF_TURN_TOKEN|> "
    "<|EOT|> <|assistant_end|> <|calls|> <|call|> <|content_model_end_sampling|> <|end_of_msg|> <|end_of_sentence|> "
    "<|end_of_text|> <|endofassistant|> <|endoftext|> <|end|> <|eom_id|> <|eot_id|> <|eot|> <|im_end|> "
    "<|message_sep|> <|plamo:eos|> <|return|> <|role_end|> <|start_header_id|>assistant<|end_header_id|> "
    "<|tool_response> <｜end▁of▁sentence｜> <｜hy_eos:opensource｜> <｜hy_eos｜> [e~["
)
ENDS = frozenset(_ENDS.split())
"""The tokens at which generation stops: a server does not pass their text on to its parser. One is the header of the
next turn, which some templates write after the end."""

_TEXT = re.compile(r" ?[^\W\d_]{1,8}|\d{1,3}| ?[^\s\w]{1,3}|\s|.", re.DOTALL)
"""Part of a word, digits, some signs, white space."""

Spans = Sequence[Sequence[int]]


class Tokens:
    """The tokens of one turn.

    Args:
        name: the format.
        special: the spans of the turn that special tokens wrote; None: not known, so each marker is one.
        atomic: the markers that are one token; None: those of the table.

    Attributes:
        prompt: the end of the prompt, which some cases repeat at their beginning; empty until an adapter sets it.
    """

    def __init__(self, name: str | None, special: Spans | None = None, atomic: Iterable[str] | None = None) -> None:
        known = {*THINK, *MARKERS.get(name or "", "").split()} if atomic is None else set(atomic)
        self.markers = tuple(sorted(known, key=lambda marker: (-len(marker), marker)))
        self._special = special
        self.prompt = ""
        self._whole: str | None = None
        self._marker = re.compile("|".join(map(re.escape, self.markers)) or r"(?!)")

    def split(self, text: str, special: Spans | None = None) -> list[tuple[str, bool]]:
        """The tokens of a text, each with whether it is a marker.

        Args:
            text: the turn, or a chunk of it that does not cut a token.
            special: the spans of this text that special tokens wrote; None: as in the constructor.
        """
        spans = self._special if special is None else special
        found: list[tuple[str, bool]] = []
        place = 0
        for match in self._marker.finditer(text):
            if spans is None or any(begin < match.end() and match.start() < end for begin, end in spans):
                found += [(piece, False) for piece in _TEXT.findall(text[place : match.start()])]
                found.append((match[0], True))
                place = match.end()
        return found + [(piece, False) for piece in _TEXT.findall(text[place:])]

    def pieces(self, text: str) -> list[str]:
        """The tokens of a turn, as text: those that a server passes on."""
        self._whole = text
        return [piece for piece, _ in self.split(self._passed(text))]

    def passed(self, text: str) -> str:
        """What a server passes on of a turn, without what the prompt wrote and the token that ends it.

        Args:
            text: the whole turn, or a chunk that was made of `pieces`, which is returned as it is.
        """
        return text if self._whole not in {None, text} else self._passed(text)

    def _passed(self, text: str) -> str:
        if self._special is not None:
            return self._up_to_end(text)
        return self._up_to_end(text.removeprefix(self.prompt))

    def _up_to_end(self, text: str) -> str:
        rest = text.rstrip()
        end = next((marker for marker in ENDS if rest.endswith(marker)), None)
        if end is None:
            return text
        begin = len(rest) - len(end)
        if self._special is not None and all(span[1] <= begin for span in self._special):
            return text  # it was spelled out
        return self._up_to_end(text[:begin])


class Adapter(ABC):
    """A turn, read as a server reads it.

    Args:
        tools: the tools of the request.
        format: the case's format.
        start: "reasoning": the prompt has opened the reasoning.
        special, atomic: what the case knows of its tokens; see `Tokens`.
        reasons: whether the turn has reasoning, so that the server is started with a parser of reasoning too.
        ended: the reason for the end of the turn, "stop" or "length".
        id: the case's id, for other spellings of a format, and for what is not claimed.

    Raises:
        NotImplementedError: the server does not claim the case.
    """

    def __init__(
        self,
        tools: list[dict[str, Any]],
        format: str | None = None,
        start: str | None = None,
        special: Spans | None = None,
        atomic: list[str] | None = None,
        reasons: bool = False,
        ended: str = "stop",
        id: str = "",
    ) -> None:
        self.tools, self.format, self.id = tools, format, id
        self.opened, self.reasons, self.ended = start == "reasoning", reasons, ended
        self._tokens = Tokens(format, special, atomic)
        self.open()

    @abstractmethod
    def open(self) -> None:
        """Make the server's parsers for the turn, or refuse the case."""

    def pieces(self, text: str) -> list[str]:
        """The tokens of the turn."""
        return self._tokens.pieces(text)
