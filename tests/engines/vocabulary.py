# A vocabulary of our making, and detokenizers as engines have them: what a token wrote is known for each character.
# Does not depend on what toolglean makes of it.
"""Token ids and the text that they write, with the truth about each character."""

from __future__ import annotations

import codecs
import random
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["MARKERS", "ORDINARY", "TEMPLATE", "Delta", "decode", "deltas", "ids_of", "random_ids", "truth", "written"]

MARKERS: dict[int, str] = {
    1000: "<tool_call>",
    1001: "</tool_call>",
    1002: "<|im_end|>",
    1003: "<think>",
    1004: "[TOOL_CALLS]",
    1005: "<|pad|>",
}
TEMPLATE = (
    "{%- for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{%- for c in m.tool_calls or [] %}<tool_call>\n"
    '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}'
    "<|im_end|>\n{%- endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_PIECES = [
    *("<", "</", "tool", "_call", ">", ">\n", "<tool", "_call>", "<|", "im", "_end", "|>", "[", "TOOL_CALLS", "]", "]["),
    *(" ", "  ", "\n", " b", "Hello", " world", "{", "}", '"', "<b>", "</b>", "<think", "think>", "<tool_call"),
    *sorted(set(string.ascii_letters + string.digits + string.punctuation) - set('<>[]{}"')),
]  # fmt: skip
ORDINARY: dict[int, bytes] = {
    **{number: piece.encode() for number, piece in enumerate(_PIECES)},
    **{500 + number: bytes([byte]) for number, byte in enumerate("é€😀".encode())},  # bytes of characters
}


def written(number: int) -> bytes:
    """What a token writes."""
    return MARKERS[number].encode() if number in MARKERS else ORDINARY[number]


def decode(ids: Sequence[int], *, strips: bool = False) -> str:
    """The text of several ordinary tokens; `strips`: without a blank at its beginning, as SentencePiece decodes."""
    assert not any(each in MARKERS for each in ids)
    text = b"".join(map(written, ids)).decode(errors="replace")
    return text.removeprefix(" ") if strips else text


def ids_of(*parts: str | int) -> list[int]:
    """The ids of these parts: a marker's id, or text in the longest ordinary tokens."""
    found: list[int] = []
    for part in parts:
        if isinstance(part, int):
            found.append(part)
            continue
        rest = part.encode()
        while rest:
            number = max((each for each in ORDINARY if rest.startswith(ORDINARY[each])), key=lambda n: len(ORDINARY[n]))
            found.append(number)
            rest = rest[len(ORDINARY[number]) :]
    return found


def truth(ids: Sequence[int], *, skip: frozenset[int] = frozenset()) -> tuple[str, list[bool]]:
    """The whole text, and whether a special token wrote each character of it.

    Args:
        ids: the tokens.
        skip: tokens that are left out of the text.
    """
    text = ""
    special: list[bool] = []
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    for number in ids:
        if number in MARKERS:
            more = decoder.decode(b"", final=True)
            decoder.reset()
            text, special = text + more, special + [False] * len(more)
            if number not in skip:
                text, special = text + MARKERS[number], special + [True] * len(MARKERS[number])
        else:
            more = decoder.decode(ORDINARY[number])
            text, special = text + more, special + [False] * len(more)
    more = decoder.decode(b"", final=True)
    return text + more, special + [False] * len(more)


@dataclass
class Delta:
    """What an engine sends at once.

    Attributes:
        text: its text.
        ids: the tokens generated since the last one.
        special: the truth about each character.
    """

    text: str
    ids: list[int]
    special: list[bool]


def deltas(
    ids: Sequence[int], sizes: Iterator[int], *, hold: int = 0, skip: frozenset[int] = frozenset(), lead: str = ""
) -> Iterator[Delta]:
    """The deltas of a turn.

    Args:
        ids: its tokens.
        sizes: how many tokens each delta has.
        hold: how many characters are held back until the end, as for stop strings.
        skip: tokens that are left out of the text.
        lead: what a detokenizer puts before the first text.
    """
    place = sent = 0
    while place < len(ids):
        size = next(sizes)
        now = ids[place : place + size]
        place += size
        done = place >= len(ids)
        text, special = truth(ids[:place], skip=skip)
        text, special = lead + text, [False] * len(lead) + special
        end = len(text) if done else max(len(text.rstrip("\ufffd")) - hold, sent)
        yield Delta(text[sent:end], list(now), special[sent:end])
        sent = end


def random_ids(luck: random.Random, length: int) -> list[int]:
    """Tokens such as a model may write, with many markers, whole and spelled out."""
    found: list[int] = []
    while len(found) < length:
        kind = luck.random()
        if kind < 0.25:
            found.append(luck.choice([*MARKERS]))
        elif kind < 0.45:
            found += ids_of(luck.choice([*MARKERS.values()]))
        elif kind < 0.55:
            found += ids_of(luck.choice("é€😀"))
        else:
            found.append(luck.choice([*ORDINARY]) if kind > 0.9 else luck.randrange(len(_PIECES)))
    return found
