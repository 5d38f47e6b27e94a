"""The chat handler for llama-cpp-python: on stand-ins, and on a real `Llama` whose weights are random.

With random weights a model writes noise, unless a grammar leaves it nothing but calls: so what it writes under
`tool_choice="required"` shows that llama.cpp enforces the grammar, and that the handler reads the call.
What needs llama-cpp-python is run by `nox -s llama_cpp`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines.programs import load
from tests.engines.vocabulary import TEMPLATE
from tests.support.stand_in import stand_in
from toolglean import Content
from toolglean.engines import SpecialTokens

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"unit": "C", "days": 3}}\n</tool_call>'
SAID = f"I will look.\n{CALL}"
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {"unit": {"enum": ["C", "F"]}, "days": {"type": "integer", "minimum": 1, "maximum": 9}},
                "required": ["unit", "days"],
                "additionalProperties": False,
            },
        },
    }
    for name in ("get_weather", "get_tide")
]
NAMED = {"type": "function", "function": {"name": "get_tide"}}


class FakeLlama:
    """What the handler asks of a model."""

    metadata: dict[str, str] = {"tokenizer.chat_template": TEMPLATE}  # noqa: RUF012

    def token_eos(self) -> int:
        return 1

    def token_bos(self) -> int:
        return -1

    def detokenize(self, tokens: list[int], *, special: bool) -> bytes:
        assert special
        return b"<|im_end|>" * len(tokens)


class FakeFormatter:
    """The handler of a template: what it was asked, and an answer."""

    asked: dict[str, Any]

    def __init__(self, template: str, eos: str, bos: str, *, stop_token_ids: list[int]) -> None:
        assert (template, eos, bos, stop_token_ids) == (TEMPLATE, "<|im_end|>", "", [1])

    def to_chat_handler(self) -> Any:
        def answer(*, stream: bool, **asked: Any) -> Any:
            FakeFormatter.asked = asked
            if not stream:
                return {"choices": [{"index": 0, "message": {"content": SAID}, "finish_reason": "stop"}]}
            return self.chunks()

        return answer

    @staticmethod
    def chunks() -> Iterator[dict[str, Any]]:
        for at in range(0, len(SAID), 5):
            yield {"choices": [{"index": 0, "delta": {"content": SAID[at : at + 5]}, "finish_reason": None}]}
        yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


class FakeGrammar:
    @staticmethod
    def from_string(text: str) -> str:
        return text


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("jinja2", reason="needs toolglean[jinja]")
    stand_in(monkeypatch, "llama_cpp", Llama=FakeLlama, LlamaGrammar=FakeGrammar)
    stand_in(monkeypatch, "llama_cpp.llama_chat_format", Jinja2ChatFormatter=FakeFormatter)
    return load("llama_handler").handler


def test_a_whole_answer_has_its_call(handler: Any) -> None:
    [choice] = handler(llama=FakeLlama(), messages=[], tools=TOOLS)["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["content"] == "I will look.\n"
    [call] = choice["message"]["tool_calls"]
    assert call["function"] == {"name": "get_weather", "arguments": '{"unit": "C", "days": 3}'}
    assert FakeFormatter.asked["grammar"] is None


def test_a_stream_has_it_too(handler: Any) -> None:
    choices = [each["choices"][0] for each in handler(llama=FakeLlama(), messages=[], tools=TOOLS, stream=True)]
    assert "".join(each["delta"].get("content") or "" for each in choices) == "I will look.\n"
    calls = [call["function"] for each in choices for call in each["delta"].get("tool_calls", ())]
    assert calls == [{"name": "get_weather", "arguments": ""}, {"arguments": '{"unit": "C", "days": 3}'}]
    assert choices[-1]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("asked", [{}, {"tools": []}, {"tools": TOOLS, "tool_choice": "none"}], ids=str)
def test_without_tools_the_answer_is_the_models(asked: dict[str, Any], handler: Any) -> None:
    [choice] = handler(llama=FakeLlama(), messages=[], **asked)["choices"]
    assert choice["message"] == {"content": SAID}


@pytest.mark.parametrize(("choice", "names"), [("required", {"get_weather", "get_tide"}), (NAMED, {"get_tide"})])
def test_a_required_call_is_enforced(choice: Any, names: set[str], handler: Any) -> None:
    handler(llama=FakeLlama(), messages=[], tools=TOOLS, tool_choice=choice)
    grammar = FakeFormatter.asked["grammar"]
    assert grammar.startswith("root ::=")
    assert {name for name in ("get_weather", "get_tide") if name in grammar} == names
    assert FakeFormatter.asked["tool_choice"] is None


# -- with llama-cpp-python ---------------------------------------------------------------------------------------------

SPECIAL = ["<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"]


def tiny_model(path: Path) -> None:
    """A GGUF file of a llama with one layer and random weights, whose tokens are the bytes and four special ones."""
    gguf = pytest.importorskip("gguf", reason="needs llama-cpp-python and gguf: nox -s llama_cpp")
    numpy = pytest.importorskip("numpy")
    random = numpy.random.default_rng(7)
    tokens = [*byte_tokens(), *SPECIAL]
    kinds = [gguf.TokenType.NORMAL] * 256 + [gguf.TokenType.CONTROL] * len(SPECIAL)
    wide = 64
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(2048)
    writer.add_embedding_length(wide)
    writer.add_block_count(1)
    writer.add_feed_forward_length(wide)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(wide // 2)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(["a b"])
    writer.add_eos_token_id(257)
    writer.add_bos_token_id(256)
    writer.add_chat_template(TEMPLATE)
    shapes = {
        "token_embd.weight": (len(tokens), wide),
        "output_norm.weight": (wide,),
        "output.weight": (len(tokens), wide),
        "blk.0.attn_norm.weight": (wide,),
        "blk.0.ffn_norm.weight": (wide,),
    }
    shapes |= {f"blk.0.attn_{each}.weight": (wide, wide) for each in ("q", "k", "v", "output")}
    shapes |= {f"blk.0.ffn_{each}.weight": (wide, wide) for each in ("gate", "up", "down")}
    for name, shape in shapes.items():
        writer.add_tensor(name, random.normal(0, 0.3, shape).astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def byte_tokens() -> list[str]:
    """The 256 bytes as GPT-2 writes them: the printable ones as themselves, the others from U+0100 on."""
    plain = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(each if each in plain else next(others)) for each in range(256)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    library = pytest.importorskip("llama_cpp", reason="needs llama-cpp-python: nox -s llama_cpp")
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    tiny_model(path)
    made = library.Llama(str(path), n_ctx=2048, verbose=False, chat_handler=load("llama_handler").handler)
    made.detokenize = with_special_tokens(made.detokenize)  # as the page says
    return made


def with_special_tokens(detokenize: Any) -> Any:
    def special(tokens: list[int], prev_tokens: list[int] | None = None, *, special: bool = True) -> bytes:
        found: bytes = detokenize(tokens, prev_tokens=prev_tokens, special=special)
        return found

    return special


ASKED: dict[str, Any] = {
    "messages": [{"role": "user", "content": "?"}],
    "tools": TOOLS,
    "max_tokens": 400,
    "temperature": 1.5,
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("choice", "names"), [("required", {"get_weather", "get_tide"}), (NAMED, {"get_tide"})])
def test_a_real_model_cannot_but_call(choice: Any, names: set[str], seed: int, model: Any) -> None:
    answer = model.create_chat_completion(**ASKED, tool_choice=choice, seed=seed)
    check(answer["choices"][0]["message"].get("tool_calls"), names)


@pytest.mark.parametrize("seed", range(5))
def test_and_its_stream_is_the_same_calls(seed: int, model: Any) -> None:
    chunks = list(model.create_chat_completion(**ASKED, tool_choice="required", seed=seed, stream=True))
    fragments = [call for each in chunks for call in each["choices"][0]["delta"].get("tool_calls") or ()]
    calls: dict[int, dict[str, Any]] = {}
    for each in fragments:
        function = calls.setdefault(each["index"], {"function": {"name": "", "arguments": ""}})["function"]
        function["name"] += each["function"].get("name") or ""
        function["arguments"] += each["function"].get("arguments") or ""
    check(list(calls.values()), {"get_weather", "get_tide"})


def check(calls: Any, names: set[str]) -> None:
    assert calls
    for call in calls:
        assert call["function"]["name"] in names
        arguments = json.loads(call["function"]["arguments"])
        assert arguments["unit"] in {"C", "F"}
        assert arguments["days"] in range(1, 10)


def test_the_file_says_which_tokens_are_markers(model: Any) -> None:
    special = SpecialTokens.from_llama_cpp(model)
    assert special is not None
    assert special.atomic == set(SPECIAL)
    place = 256 + SPECIAL.index("<tool_call>")
    assert special.turn().spans("a<tool_call>", [ord("a"), place]) == ((1, 12),)


def test_a_turn_is_read_by_its_token_ids(model: Any) -> None:
    """It is noise: no text of it is lost."""
    read = load("llama_tokens").events(model, ASKED["messages"], TOOLS, max_tokens=60, temp=1.5)
    assert "".join(event.text for event in read if isinstance(event, Content))


def test_without_tools_it_writes_noise(model: Any) -> None:
    """The check is checked: nothing but the grammar makes it call."""
    answer = model.create_chat_completion(messages=ASKED["messages"], max_tokens=100, seed=1)
    assert not answer["choices"][0]["message"].get("tool_calls")
