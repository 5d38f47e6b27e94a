# What this file knows: what counts where a user gives several things, and what a template alone leads to.
# What it must not know: how a format is read from a template.
"""The precedence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolglean import Format, FormatError, Parser, TemplateError, UsageError

pytest.importorskip("jinja2")

# A made-up template, of a format that is in no library.
TEMPLATE = """{% for m in messages %}<|{{ m.role }}|>
{% if m.content %}{{ m.content }}{% endif %}{% if m.tool_calls %}{% for c in m.tool_calls %}<do>{{ c.function.name }} ~ {{ c.function.arguments | tojson }}</do>
{% endfor %}{% endif %}<|stop|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>
{% endif %}"""
TURN = 'I look.<do>get_weather ~ {"city": "Oslo"}</do>\n'
GO = (
    "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}{{ if .ToolCalls }}{{ range .ToolCalls }}<tool_call>\n"
    '{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}\n</tool_call>{{ end }}{{ end }}<|im_end|>\n'
    "{{ end }}<|im_start|>assistant\n"
)
ANSWERS: dict[str, Any] = {
    "start_anchor": "<|assistant|>",
    "fields": {
        "content": {"content": "text"},
        "tool_calls": {
            "open": "<call>",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
    },
}
CALL = '<call>{"name": "f", "arguments": {"x": 1}}</call>'


def calls(parser: Parser, turn: str) -> list[tuple[str, dict[str, Any]]]:
    outputs = [parser.add(turn), parser.close()]
    return [(call.name, call.arguments) for output in outputs for call in output.calls]


def test_a_format_that_nobody_has_told_us_of() -> None:
    parser = Parser(["get_weather"], template=TEMPLATE)
    assert calls(parser, TURN) == [("get_weather", {"city": "Oslo"})]


def test_a_known_format_is_recognised() -> None:
    parser = Parser(["f"], template=GO)
    assert parser.format is not None
    assert parser.format.name == "hermes"
    assert calls(parser, '<tool_call>{"name": "f", "arguments": {}}</tool_call>') == [("f", {})]


def test_a_modelfile() -> None:
    parser = Parser(["f"], template=f'FROM some.gguf\nTEMPLATE """{GO}"""\nPARAMETER temperature 0\n')
    assert parser.format is not None
    assert parser.format.name == "hermes"


@pytest.mark.parametrize("as_path", [False, True])
def test_a_tokenizer_config(tmp_path: Path, as_path: bool) -> None:
    config = {"chat_template": TEMPLATE, "eos_token": "<|stop|>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    parser = Parser(["get_weather"], tokenizer_config=tmp_path / "tokenizer_config.json" if as_path else config)
    assert calls(parser, TURN) == [("get_weather", {"city": "Oslo"})]


def test_a_response_template_comes_before_the_chat_template() -> None:
    parser = Parser(["f"], tokenizer_config={"chat_template": TEMPLATE, "response_template": ANSWERS})
    assert calls(parser, CALL) == [("f", {"x": 1})]
    assert calls(Parser(["f"], response_template=ANSWERS, template=TEMPLATE), CALL) == [("f", {"x": 1})]
    assert calls(Parser(["f"], tokenizer_config={"response_template": ANSWERS}), CALL) == [("f", {"x": 1})]


def test_what_the_user_says_comes_first() -> None:
    own = Format("own", call="<call>{call}</call>")
    assert calls(Parser(["f"], format=own, template=TEMPLATE, model="qwen3:8b"), CALL) == [("f", {"x": 1})]
    assert calls(Parser(["f"], tag="<call>", template=TEMPLATE), CALL) == [("f", {"x": 1})]


def test_the_model_s_name_comes_behind_the_template() -> None:
    assert calls(Parser(["get_weather"], template=TEMPLATE, model="qwen3:8b"), TURN) == [
        ("get_weather", {"city": "Oslo"})
    ]
    no_calls = "{% for m in messages %}{{ m.content }}{% endfor %}"
    parser = Parser(["f"], template=no_calls, model="qwen3:8b")
    assert parser.format is not None
    assert parser.format.name == "hermes"


def test_only_a_tag() -> None:
    # It cannot be rendered, but its tag can be read.
    broken = (
        "{% for m in messages %}{% if m.tool_calls %}<call>{% for c in m.tool_calls %}{{ c.function.name | nofilter }}"
        "{% endfor %}</call>{% endif %}{% endfor %}"
    )
    assert Parser(["f"], template=broken).tag == "<call>"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"template": "{% if %}"}, TemplateError),
        ({"tokenizer_config": {}}, TemplateError),
        ({"tokenizer_config": "no such file"}, UsageError),
        ({"response_template": {"fields": {"a": {"content": "nonsense"}}}}, FormatError),
        ({"model": "nobody/knows-it"}, UsageError),
        ({"closer": "</call>"}, UsageError),
        ({"format": "hermes", "closer": "</call>"}, UsageError),
        ({"format": "hermes", "tag": "<call>"}, UsageError),
    ],
)
def test_wrong_arguments(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Parser(["f"], **options)
