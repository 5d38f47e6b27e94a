"""Which text special tokens wrote: never wrong, and known wherever text and ids tell it.

The vocabulary is of our making (`vocabulary.py`), so the truth about each character is known. Real tokenizers are
looked at by `nox -s small_engines`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from tests.engines.vocabulary import MARKERS, ORDINARY, decode, deltas, ids_of, random_ids
from toolglean import UsageError
from toolglean.engines import SpecialTokens
from toolglean.engines.token_spans import SpecialText

OPEN, CLOSE, END, THINK, CALLS, PAD = MARKERS
SPECIAL = SpecialTokens(MARKERS, decode)


def spans_of(*given: tuple[str, Sequence[int] | None]) -> list[SpecialText]:
    turn = SPECIAL.turn()
    return [turn.spans(text, ids) for text, ids in given]


ROWS: dict[str, tuple[list[tuple[str, Sequence[int] | None]], list[SpecialText]]] = {
    "ordinary text": ([("Hello", ids_of("Hello")), (" world", ids_of(" world"))], [False, False]),
    "a marker alone": ([("<tool_call>", [OPEN])], [True]),
    "a marker in a delta": (
        [("Hello<tool_call>{", [*ids_of("Hello"), OPEN, *ids_of("{")])],
        [((5, 16),)],
    ),
    "several tokens in a delta: all of them markers": ([("<think><tool_call>", [THINK, OPEN])], [True]),
    "spelled out": ([(part, ids_of(part)) for part in ("<", "tool", "_call", ">")], [False] * 4),
    "spelled out, with the line break in its last token": (
        [("<tool_call", ids_of("<tool_call")), (">\n", ids_of(">\n"))],
        [False, False],
    ),
    "written by its id, with a line break after it": ([("<tool_call>\n", [OPEN, *ids_of("\n")])], [((0, 11),)]),
    "the same marker twice in a delta: spelled out, then by its id": (
        [("<tool_call><tool_call>", [*ids_of("<tool_call>"), OPEN])],
        [((11, 22),)],
    ),
    "the same marker twice in a delta: by its id, then spelled out": (
        [("<tool_call>a<tool_call>", [OPEN, *ids_of("a<tool_call>")])],
        [((0, 11),)],
    ),
    "held back: a marker comes after its id": (
        [("", [OPEN]), ("<tool_call>", ids_of("{")), ("{", [])],
        [False, True, False],
    ),
    "held back: a marker comes in pieces": (
        [("<to", [OPEN]), ("ol_call", ids_of("{")), (">{", [])],
        [True, True, ((0, 1),)],
    ),
    "held back: a marker that is spelled out comes in one piece": (
        [("", ids_of("<tool")), ("", ids_of("_call")), ("<tool_call>", ids_of(">"))],
        [False, False, False],
    ),
    "held back: the bytes of a character": (
        [("", ids_of("é")[:1]), ("é<tool_call>", [ids_of("é")[1], OPEN])],
        [False, ((1, 12),)],
    ),
    "a stop string inside a marker ends the text": ([("Hello<tool", [*ids_of("Hello"), OPEN])], [((5, 10),)]),
    "a marker without text at the end": ([("Hello", [*ids_of("Hello"), END])], [False]),
    "markers are left out of the text: the rest is not known": (
        [("Hello", [*ids_of("Hello"), OPEN]), ("{", ids_of("{")), ("<tool_call>", [OPEN])],
        [False, None, None],
    ),
    "left out, or held back? what follows may be either": ([("", [OPEN]), ("<", ids_of("<b>"))], [False, None]),
    "left out, and then spelled out": ([("<tool_call>", [OPEN, *ids_of("<tool_call>")])], [None]),
    "other text than the ids write": ([("Hello", ids_of("Hello")), ("<b>", ids_of("a"))], [False, None]),
    "text without ids": ([("Hello", [])], [None]),
    "no ids from some delta on": ([("Hello", ids_of("Hello")), ("<tool_call>", None), ("a", ids_of("a"))], [False, None, None]),
    "ids after their text": ([("<tool_call>", ids_of("a")), ("a", [OPEN])], [None, None]),
    "all ids at once": ([("Hello", [*ids_of("Hello"), OPEN]), ("<tool_call>", [])], [False, True]),
    "an id that the tokenizer does not know": ([("a", [5000]), ("<tool_call>", [OPEN])], [False, None]),
    "no text": ([("", []), ("", [OPEN])], [False, False]),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_what_special_tokens_wrote(row: str) -> None:
    given, right = ROWS[row]
    assert spans_of(*given) == right


def test_a_blank_that_the_tokenizer_leaves_out() -> None:
    """SentencePiece decodes `▁Hello` alone as `Hello`; in the middle of a text it is ` Hello`."""
    turn = SpecialTokens(MARKERS, lambda ids: decode(ids, strips=True)).turn()
    world = ids_of(" world")
    assert turn.spans("<think>", [THINK]) is True
    assert turn.spans(" world<tool_call>", [*world, OPEN]) == ((6, 17),)
    assert turn.spans(" world", world) is False
    assert turn.spans("<tool_call>", [OPEN]) is True


def _per_character(special: SpecialText, length: int) -> list[bool] | None:
    if special is None or isinstance(special, bool):
        return None if special is None else [special] * length
    found = [False] * length
    for begin, end in special:
        assert 0 <= begin < end <= length
        found[begin:end] = [True] * (end - begin)
    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(8))
def test_the_spans_are_the_truth_or_not_known(seed: int) -> None:
    """Random tokens, deltas, text held back, and markers left out of the text."""
    luck = random.Random(seed)
    answers, plain = [0, 0], [0, 0]
    for _ in range(150):
        ids = random_ids(luck, luck.choice([3, 8, 30]))
        strips, hold = luck.random() < 0.3, luck.choice([0, 0, 0, 1, 5, 12])
        skip = frozenset(luck.sample([*MARKERS], luck.choice([0, 0, 0, 1, 3, 6])))
        lead, most = luck.choice(["", "", " "]) if strips else "", luck.choice([1, 1, 2, 5, 40])
        special = SpecialTokens(MARKERS, partial(decode, strips=strips))
        turn = special.turn()
        sizes = iter(partial(luck.randint, 1, most), 0)
        for delta in deltas(ids, sizes, hold=hold, skip=skip, lead=lead):
            twin = turn.fork()
            found = turn.spans(delta.text, delta.ids)
            assert twin.spans(delta.text, delta.ids) == found
            known = _per_character(found, len(delta.text))
            assert known is None or known == delta.special, (delta, found)
            for counts in (answers, plain) if not (skip or strips or hold) else (answers,):
                counts[known is not None] += 1
    assert answers[True] > answers[False]
    assert plain[True] > 100 * plain[False]  # some deltas can be read in two ways


@pytest.mark.parametrize("fault", ["late", "missing", "twice", "stopped"])
def test_ids_that_do_not_keep_to_the_rules_never_lead_to_a_wrong_answer(fault: str) -> None:
    """Ids after their text, ids left out or repeated; and a text that a stop string has cut off."""
    luck, known = random.Random(fault), 0
    for _ in range(300):
        ids, turn = random_ids(luck, luck.choice([3, 8, 30])), SPECIAL.turn()
        found = list(
            deltas(ids, iter(partial(luck.randint, 1, luck.choice([1, 2, 5])), 0), hold=luck.choice([0, 0, 5]))
        )
        late: list[int] = []
        for delta in found:
            text, now, spoiled = delta.text, delta.ids, luck.random() < 0.15
            if fault == "late":
                now, late = late, now
            elif fault == "stopped" and delta is found[-1]:
                text = text[: luck.randint(0, len(text))]
            elif fault in {"missing", "twice"} and spoiled:
                now = now[:-1] if fault == "missing" else now + now[-1:]
            answer = _per_character(turn.spans(text, now), len(text))
            assert answer is None or answer == delta.special[: len(text)]
            known += bool(text) and answer is not None
    assert known > 20


def test_each_id_is_decoded_about_once() -> None:
    """Even if every delta has a character with which markers begin, and some text is always held back."""
    decoded = 0

    def counting(ids: Sequence[int]) -> str:
        nonlocal decoded
        decoded += len(ids)
        return decode(ids)

    ids = ids_of("<b>", "Hello", OPEN, "é") * 2000
    for hold in (0, 7):
        decoded, text, turn = 0, "", SpecialTokens(MARKERS, counting).turn()
        sent = 0
        for number in ids:
            text += MARKERS[number] if number in MARKERS else ORDINARY[number].decode("latin-1")
            text = text.replace("Ã©", "é")
            end = max(len(text.removesuffix("Ã")) - hold, sent)
            assert turn.spans(text[sent:end], [number]) is not None
            sent = end
        assert decoded < 3 * len(ids)


# -- vocabularies ------------------------------------------------------------------------------------------------------


class Fast:
    """A tokenizer of transformers, as much as is asked of it."""

    added_tokens_decoder: Any = {  # noqa: RUF012
        1000: SimpleNamespace(content="<tool_call>", special=False),
        1002: SimpleNamespace(content="<|im_end|>", special=True),
        1006: SimpleNamespace(content="    ", special=False),
    }

    def decode(self, ids: list[int], *, skip_special_tokens: bool, clean_up_tokenization_spaces: bool) -> str:
        assert not skip_special_tokens
        assert not clean_up_tokenization_spaces
        return decode(ids)


class Slow(Fast):
    """One without the argument for blanks, with plain text for its tokens."""

    added_tokens_decoder: Any = {1000: "<tool_call>", 1002: "<|im_end|>"}  # noqa: RUF012

    def decode(self, ids: list[int], *, skip_special_tokens: bool) -> str:  # type: ignore[override]
        assert not skip_special_tokens
        return decode(ids)


class Listing:
    """One that only lists its added and its special tokens."""

    all_special_ids = [1002]  # noqa: RUF012
    all_special_tokens = ["<|im_end|>"]  # noqa: RUF012

    def get_added_vocab(self) -> dict[str, int]:
        return {"<tool_call>": 1000}

    def decode(self, ids: list[int]) -> str:
        return decode(ids)


class Rust:
    """One of the package tokenizers."""

    def get_added_tokens_decoder(self) -> Any:
        return Fast.added_tokens_decoder

    def decode(self, ids: list[int], *, skip_special_tokens: bool = True) -> str:
        assert not skip_special_tokens
        return decode(ids)


@pytest.mark.parametrize("tokenizer", [Fast(), Slow(), Listing(), Rust()], ids=lambda each: type(each).__name__)
def test_the_markers_of_a_tokenizer(tokenizer: Any) -> None:
    """All added tokens, "special" or not; a run of blanks is no marker."""
    special = SpecialTokens.from_tokenizer(tokenizer)
    assert special is not None
    assert special.atomic == {"<tool_call>", "<|im_end|>"}
    assert special.turn().spans("a<tool_call>", [*ids_of("a"), 1000]) == ((1, 12),)


@pytest.mark.parametrize(
    "tokenizer",
    [None, SimpleNamespace(), SimpleNamespace(decode=decode), SimpleNamespace(added_tokens_decoder={1: "<a>"})],
)
def test_a_tokenizer_that_does_not_tell(tokenizer: Any) -> None:
    assert SpecialTokens.from_tokenizer(tokenizer) is None


class Gguf:
    """A `llama_cpp.Llama`, as much as is asked of it."""

    def __init__(self, *, typed: bool) -> None:
        self.typed = typed
        self._model = SimpleNamespace(token_get_attr=self.attribute)

    def attribute(self, number: int) -> int:
        return {1000: 16, 1002: 8}.get(number, 4) if self.typed else 4

    def n_vocab(self) -> int:
        return 1003

    def detokenize(self, ids: list[int], *, special: bool) -> bytes:
        assert special
        return b"".join(MARKERS[each].encode() if each in MARKERS else ORDINARY[each] for each in ids)


def test_the_markers_of_a_gguf_file() -> None:
    special = SpecialTokens.from_llama_cpp(Gguf(typed=True))
    assert special is not None
    assert special.atomic == {"<tool_call>", "<|im_end|>"}
    assert special.turn().spans("é<tool_call>", [*ids_of("é"), 1000]) == ((1, 12),)


def test_a_gguf_file_without_token_types_tells_nothing() -> None:
    assert SpecialTokens.from_llama_cpp(Gguf(typed=False)) is None


@pytest.mark.parametrize("texts", [None, ["<a>"], {"<a>": 1}, {1: b"<a>"}], ids=repr)
def test_wrong_texts_are_refused(texts: Any) -> None:
    with pytest.raises(UsageError, match="texts="):
        SpecialTokens(texts, decode)
