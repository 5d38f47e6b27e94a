"""mlx-lm with toolglean as its tool parser: the parser alone, and after mlx-lm's own loading, cutting and writing.

What needs mlx-lm is run by `nox -s small_engines`, on the processor.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.engines.programs import load

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
        },
    }
]
BODY = "\n<function=get_weather>\n<parameter=city>\n01\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n"
KIMI = '<|tool_call_begin|>functions.get_weather:{}<|tool_call_argument_begin|>{{"days": {}}}<|tool_call_end|>'


@pytest.fixture
def program() -> ModuleType:
    return load("mlx_server")


def test_a_call_has_the_form_that_mlx_lm_takes(program: ModuleType) -> None:
    """Typed by the schema: the city stays text. Without an id of the model's own, mlx-lm makes one."""
    assert program.parse_tool_call(BODY, TOOLS) == [
        {"id": None, "name": "get_weather", "arguments": {"city": "01", "days": 3}}
    ]


def test_calls_of_one_section_keep_their_own_ids(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "FORMAT", "kimi-k2")
    monkeypatch.setattr(program, "tool_call_start", "<|tool_calls_section_begin|>")
    monkeypatch.setattr(program, "tool_call_end", "<|tool_calls_section_end|>")
    calls = program.parse_tool_call(KIMI.format(0, 1) + KIMI.format(1, 2), TOOLS)
    assert [(call["id"], call["arguments"]) for call in calls] == [
        ("functions.get_weather:0", {"days": 1}),
        ("functions.get_weather:1", {"days": 2}),
    ]


@pytest.mark.parametrize("text", ["", "Hello.", BODY[:40], BODY[:-20]], ids=repr)
def test_what_is_no_whole_call_is_refused_as_mlx_lm_expects(text: str, program: ModuleType) -> None:
    with pytest.raises(ValueError, match="no call that can be run in "):
        program.parse_tool_call(text, TOOLS)


# -- with mlx-lm ------------------------------------------------------------------------------------------------------

TURN = f"I will look.\n<tool_call>{BODY}</tool_call>"


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    """A folder with a tokenizer of bytes, which names our parser."""
    tokenizers = pytest.importorskip("tokenizers", reason="needs mlx-lm: nox -s small_engines")
    pytest.importorskip("mlx_lm", reason="needs mlx-lm: nox -s small_engines")
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    model = tokenizers.models.BPE({each: place for place, each in enumerate(alphabet)}, [])
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    made.save(str(tmp_path / "tokenizer.json"))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "a", "tool_parser_type": "toolglean"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_mlx_lm_finds_the_parser_and_hands_it_the_call(
    size: int, model_folder: Path, program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlx_lm import server, tokenizer_utils  # noqa: PLC0415
    from mlx_lm.generate import TextStateMachine, make_text_state_machine  # noqa: PLC0415

    monkeypatch.setitem(sys.modules, "mlx_lm.tool_parsers.toolglean", program)
    tokenizer = tokenizer_utils.load(model_folder)
    assert tokenizer.tool_call_start == "<tool_call>"
    state = make_text_state_machine(tokenizer).make_state("normal")
    said: dict[str, str] = {"normal": "", "tool": ""}
    for at in range(0, len(TURN), size):
        state, segments = TextStateMachine.split(state, TURN[at : at + size])
        for name, text in segments:
            said[name] += text
    assert said == {"normal": "I will look.\n", "tool": BODY}
    [call] = server.ToolCallFormatter(tokenizer.tool_parser, TOOLS)([said["tool"]])
    assert call["function"] == {"name": "get_weather", "arguments": '{"city": "01", "days": 3}'}
    assert call["id"]
    assert server.ToolCallFormatter(tokenizer.tool_parser, TOOLS)([BODY[:40]]) == []  # logged, and dropped


def test_the_program_starts_mlx_lms_server(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mlx_lm", reason="needs mlx-lm: nox -s small_engines")
    import runpy  # noqa: PLC0415

    from tests.engines.programs import FOLDER  # noqa: PLC0415

    monkeypatch.setattr(sys, "argv", ["mlx_server.py", "--help"])
    monkeypatch.delitem(sys.modules, "mlx_lm.tool_parsers.toolglean", raising=False)
    with pytest.raises(SystemExit):
        runpy.run_path(str(FOLDER / "mlx_server.py"), run_name="__main__")
    assert "--model" in capsys.readouterr().out
    assert sys.modules["mlx_lm.tool_parsers.toolglean"].__name__ == "__main__"
