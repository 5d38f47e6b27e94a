"""The programs of examples/engines that read token ids: on stand-ins, and in the real packages where they are installed.

What needs transformers and mlx-lm is run by `nox -s small_engines`, on the processor and without weights.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.engines.programs import load
from tests.engines.vocabulary import MARKERS, ORDINARY, TEMPLATE, decode, ids_of
from tests.support.stand_in import stand_in
from toolglean import Event, fold
from toolglean.engines import SpecialTokens

OPEN, CLOSE, END = list(MARKERS)[:3]
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"n": {"type": "integer"}}}}}]
BODY = '\n{"name": "f", "arguments": {"n": 3}}\n'
SPELLED = f"<tool_call>{BODY}</tool_call>"
TURN: list[str | int] = ["So: ", SPELLED, " Now: ", OPEN, BODY, CLOSE, END]
"""A spelled-out call in prose, then one whose markers their ids wrote."""


def check(events: list[Event]) -> None:
    output = fold(events)
    assert output.content == f"So: {SPELLED} Now: "
    assert [(call.name, call.arguments) for call in output.calls] == [("f", {"n": 3})]


# -- on stand-ins ------------------------------------------------------------------------------------------------------


class Tokenizer:
    """A tokenizer of transformers, as much as is asked of it."""

    chat_template = TEMPLATE
    added_tokens_decoder = MARKERS

    def apply_chat_template(self, messages: Any, **asked: Any) -> str:
        assert asked == {"tools": TOOLS, "add_generation_prompt": True, "tokenize": False}
        assert messages
        return "<|im_start|>assistant\n"

    def decode(self, ids: list[int], *, skip_special_tokens: bool, clean_up_tokenization_spaces: bool = False) -> str:
        assert not skip_special_tokens
        assert not clean_up_tokenization_spaces
        return "".join(MARKERS[each] if each in MARKERS else decode([each]) for each in ids)


class TextStreamer:
    """The class of transformers: prints up to the last blank."""

    def __init__(self, tokenizer: Any, skip_prompt: bool, **how: Any) -> None:
        self.tokenizer, self.how, self.next_tokens_are_prompt = tokenizer, how, skip_prompt
        self.token_cache: list[int] = []
        self.sent = 0

    def put(self, value: Any) -> None:
        if self.next_tokens_are_prompt:
            self.next_tokens_are_prompt = False
            return
        self.token_cache += value.tolist()
        text = self.tokenizer.decode(self.token_cache, **self.how)
        end = max(text.rfind(" ") + 1, self.sent)
        self.sent, begin = end, self.sent
        self.on_finalized_text(text[begin:end])

    def end(self) -> None:
        self.on_finalized_text(self.tokenizer.decode(self.token_cache, **self.how)[self.sent :], stream_end=True)

    def on_finalized_text(self, text: str, stream_end: Any = 0) -> None:
        raise NotImplementedError


class Tensor(list[int]):
    """A tensor of one dimension, as much as is asked of it."""

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    def flatten(self) -> Tensor:
        return self

    def tolist(self) -> list[int]:
        return list(self)


def put_all(streamer: Any, ids: list[int], make: Callable[[list[int]], Any] = Tensor) -> list[Event]:
    found: list[Event] = []
    streamer.on_events = found.extend
    streamer.put(make([1, 2, 3]))  # the prompt
    for each in ids:
        streamer.put(make([each]))
    streamer.end()
    return found


@pytest.fixture
def jinja() -> None:
    pytest.importorskip("jinja2", reason="needs toolglean[jinja]")


@pytest.mark.usefixtures("jinja")
def test_the_streamer(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "transformers", TextStreamer=TextStreamer)
    streamer = load("transformers_streamer").CallStreamer(Tokenizer(), TOOLS)
    check(put_all(streamer, ids_of(*TURN)))


def test_the_streamer_prints_the_content_and_keeps_the_calls(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in(monkeypatch, "transformers", TextStreamer=TextStreamer)
    streamer = load("transformers_streamer").CallStreamer(Tokenizer(), TOOLS, format="hermes", template=None)
    streamer.put(Tensor([1]))
    streamer.put(Tensor(ids_of("Hello world ", OPEN, BODY, CLOSE, END)))
    streamer.end()
    assert capsys.readouterr().out == "Hello world "
    assert [call.arguments for call in streamer.calls] == [{"n": 3}]


@pytest.mark.usefixtures("jinja")
def test_mlx_lm(monkeypatch: pytest.MonkeyPatch) -> None:
    def stream_generate(model: Any, tokenizer: Any, prompt: str, *, max_tokens: int) -> Iterator[Any]:
        assert (model, prompt, max_tokens) == ("model", "<|im_start|>assistant\n", 99)
        *ids, end = ids_of(*TURN)
        for each in ids:
            yield SimpleNamespace(token=each, text=tokenizer.decode([each], skip_special_tokens=False))
        yield SimpleNamespace(token=end, text="")  # mlx-lm leaves its text out

    stand_in(monkeypatch, "mlx_lm", stream_generate=stream_generate)
    program = load("mlx_tokens")
    check(list(program.events("model", Tokenizer(), [{"role": "user", "content": "?"}], TOOLS, max_tokens=99)))


class Llama:
    """A `llama_cpp.Llama`, as much as is asked of it."""

    metadata: dict[str, str] = {"tokenizer.chat_template": TEMPLATE}  # noqa: RUF012
    typed = True

    def __init__(self) -> None:
        self._model = SimpleNamespace(token_get_attr=lambda each: 8 if self.typed and each in MARKERS else 4)

    def n_vocab(self) -> int:
        return 1006

    def token_eos(self) -> int:
        return END

    def tokenize(self, text: bytes, *, special: bool) -> list[int]:
        assert special
        return list(text)

    def generate(self, tokens: list[int], *, temp: float) -> Iterator[int]:
        assert tokens == list(b"<|im_start|>assistant\n")
        assert temp == 0
        yield from ids_of("é", *TURN)
        raise AssertionError("the end of the turn was not seen")

    def detokenize(self, ids: list[int], *, special: bool) -> bytes:
        assert special
        return b"".join(MARKERS[each].encode() if each in MARKERS else ORDINARY.get(each, b"?") for each in ids)


class Formatter:
    def __init__(self, template: str, *, eos_token: str, bos_token: str) -> None:
        assert (template, eos_token, bos_token) == (TEMPLATE, "", "")

    def __call__(self, *, messages: Any, tools: Any) -> Any:
        assert messages
        assert tools is TOOLS
        return SimpleNamespace(prompt="<|im_start|>assistant\n")


@pytest.mark.usefixtures("jinja")
@pytest.mark.parametrize("typed", [True, False], ids=["token types", "a file without them"])
def test_llama_cpp_python(typed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "llama_cpp", Llama=Llama)
    stand_in(monkeypatch, "llama_cpp.llama_chat_format", Jinja2ChatFormatter=Formatter)
    monkeypatch.setattr(Llama, "typed", typed)
    messages = [{"role": "user", "content": "?"}]
    output = fold(list(load("llama_tokens").events(Llama(), messages, TOOLS, temp=0)))
    assert output.content.startswith("éSo: ")
    assert len(output.calls) == (1 if typed else 2)  # by the text alone, the spelled-out one is a call as well


# -- with transformers and mlx-lm --------------------------------------------------------------------------------------


def bytes_tokenizer() -> Any:
    """Byte-level BPE, as Qwen's: single bytes and the pieces of `vocabulary.py`."""
    tokenizers = pytest.importorskip("tokenizers", reason="needs mlx-lm: nox -s small_engines")
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary, merges = {each: place for place, each in enumerate(alphabet)}, []
    for piece in ("<tool", "_call", ">Ċ", "Ġworld", "Hello"):
        for end in range(2, len(piece) + 1):
            if piece[:end] not in vocabulary:
                vocabulary[piece[:end]] = len(vocabulary)
                merges.append((piece[: end - 1], piece[end - 1]))
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, merges))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    return with_markers(made)


def sentence_tokenizer() -> Any:
    """SentencePiece's BPE with bytes, as Llama 2's: a blank is `▁`, and the first one is left out of a text."""
    tokenizers = pytest.importorskip("tokenizers", reason="needs mlx-lm: nox -s small_engines")
    pieces = ["<unk>", *(f"<0x{each:02X}>" for each in range(256)), "▁", *"<>/_tolcaHewrd[]|ims{}:.?"]
    made = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            {each: place for place, each in enumerate(pieces)}, [], unk_token=pieces[0], byte_fallback=True
        )
    )
    steps = tokenizers.normalizers
    made.normalizer = steps.Sequence([steps.Prepend("▁"), steps.Replace(" ", "▁")])
    steps = tokenizers.decoders
    made.decoder = steps.Sequence([steps.Replace("▁", " "), steps.ByteFallback(), steps.Fuse(), steps.Strip(" ", 1, 0)])
    return with_markers(made)


def with_markers(made: Any) -> Any:
    import tokenizers  # noqa: PLC0415

    markers = [
        tokenizers.AddedToken(each, special=each != "<tool_call>", normalized=False) for each in MARKERS.values()
    ]
    made.add_tokens(markers)
    transformers = pytest.importorskip("transformers", reason="needs mlx-lm: nox -s small_engines")
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, clean_up_tokenization_spaces=False, eos_token=MARKERS[END], chat_template=TEMPLATE
    )


def random_turn(tokenizer: Any, luck: random.Random) -> tuple[list[int], str, list[bool]]:
    """Tokens, their text, and whether a special token wrote each of its characters."""
    added = {token.content: number for number, token in tokenizer.added_tokens_decoder.items()}
    plain = tokenizer.backend_tokenizer
    ids: list[int] = []
    for _ in range(luck.randint(1, 12)):
        text = luck.choice(["Hello world", " ", "<", ">\n", "a é b", "😀", *MARKERS.values(), *MARKERS.values()])
        if text in added and luck.random() < 0.6:
            ids.append(added[text])
        else:  # spelled out: the tokenizer would use the marker
            pieces = [each for char in text for each in plain.encode(char, add_special_tokens=False).ids]
            ids += pieces
    special: list[bool] = []
    for end in range(1, len(ids) + 1):
        if ids[end - 1] in added.values() or end == len(ids):
            whole = len(tokenizer.decode(ids[:end], skip_special_tokens=False))
            own = len(tokenizer.added_tokens_decoder[ids[end - 1]].content) if ids[end - 1] in added.values() else 0
            special += [False] * (whole - own - len(special)) + [True] * own
    return ids, tokenizer.decode(ids, skip_special_tokens=False), special


def by_decode_stream(tokenizer: Any, ids: list[int]) -> Iterator[tuple[str, list[int]]]:
    """As vLLM detokenizes."""
    from tokenizers.decoders import DecodeStream  # noqa: PLC0415

    stream = DecodeStream(skip_special_tokens=False)
    for each in ids:
        yield stream.step(tokenizer.backend_tokenizer, each) or "", [each]


def by_mlx(name: str) -> Callable[[Any, list[int]], Iterator[tuple[str, list[int]]]]:
    def found(tokenizer: Any, ids: list[int]) -> Iterator[tuple[str, list[int]]]:
        utils = pytest.importorskip("mlx_lm.tokenizer_utils", reason="needs mlx-lm: nox -s small_engines")
        detokenizer = getattr(utils, name)(tokenizer)
        detokenizer.reset()
        for each in ids:
            detokenizer.add_token(each)
            yield detokenizer.last_segment, [each]
        detokenizer.finalize()
        yield detokenizer.last_segment, []

    return found


def by_streamer(tokenizer: Any, ids: list[int]) -> Iterator[tuple[str, list[int]]]:
    transformers = pytest.importorskip("transformers", reason="needs mlx-lm: nox -s small_engines")
    deltas: list[tuple[str, list[int]]] = []
    waiting: list[int] = []

    class Streamer(transformers.TextStreamer):  # type: ignore[misc, name-defined]
        def on_finalized_text(self, text: str, stream_end: Any = 0) -> None:  # noqa: ARG002
            deltas.append((text, waiting.copy()))
            waiting.clear()

    streamer = Streamer(tokenizer, skip_special_tokens=False)
    for each in ids:
        waiting.append(each)
        streamer.put(Tensor([each]))
    streamer.end()
    yield from deltas


WAYS: dict[str, tuple[Callable[[], Any], Any, float]] = {
    "bytes, as vLLM detokenizes": (bytes_tokenizer, by_decode_stream, 0.99),
    "bytes, as mlx-lm does": (bytes_tokenizer, by_mlx("BPEStreamingDetokenizer"), 0.99),
    "bytes, as mlx-lm does for others": (bytes_tokenizer, by_mlx("NaiveStreamingDetokenizer"), 0.99),
    "bytes, as transformers' streamer does": (bytes_tokenizer, by_streamer, 0.95),
    "SentencePiece, as vLLM detokenizes": (sentence_tokenizer, by_decode_stream, 0.9),
    "SentencePiece, as mlx-lm does": (sentence_tokenizer, by_mlx("SPMStreamingDetokenizer"), 0.5),
    "SentencePiece, as transformers' streamer does": (sentence_tokenizer, by_streamer, 0.5),
}
"""A tokenizer, a detokenizer, and the share of deltas about which something must be known."""


@pytest.mark.parametrize("way", WAYS)
def test_the_spans_of_real_tokenizers_are_the_truth_or_not_known(way: str) -> None:
    make, detokenize, share = WAYS[way]
    tokenizer = make()
    special = SpecialTokens.from_tokenizer(tokenizer)
    assert special is not None
    assert special.atomic == set(MARKERS.values())
    luck, known, all_of_them = random.Random(way), 0, 0
    for _ in range(150):
        ids, text, truth = random_turn(tokenizer, luck)
        turn, place = special.turn(), 0
        deltas = list(detokenize(tokenizer, ids))
        if "".join(each for each, _ in deltas) != text:
            continue  # this detokenizer writes other blanks, so the truth about its characters is not known
        for piece, now in deltas:
            found = turn.spans(piece, now)
            right, place = truth[place : place + len(piece)], place + len(piece)
            all_of_them += bool(piece)
            if found is None or not piece:
                continue
            known += 1
            spans = [(0, len(piece))] if found is True else found or []
            assert right == [any(begin <= at < end for begin, end in spans) for at in range(len(piece))], (ids, piece)
    assert all_of_them > 100
    assert known >= share * all_of_them
