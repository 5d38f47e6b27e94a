# What is used when a user gives several things, and what a template alone leads to. Does not depend on how a format is
# read from a template.
"""The precedence."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from tests.support.chunkings import calls_of, content_of, events_of
from tests.support.own_template import ANSWERS, TEMPLATE
from toolglean import Format, FormatError, Parser, ParserOptions, TemplateError, UsageError, choose_format

pytest.importorskip("jinja2")

# A made-up template, of a format that is in no library.
TURN = 'I look.<do>get_weather ~ {"city": "Oslo"}</do>\n'
GO = (
    "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}{{ if .ToolCalls }}{{ range .ToolCalls }}<tool_call>\n"
    '{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}\n</tool_call>{{ end }}{{ end }}<|im_end|>\n'
    "{{ end }}<|im_start|>assistant\n"
)
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
    parser = Parser(
        ["get_weather"], format=Format.from_tokenizer_config(tmp_path / "tokenizer_config.json" if as_path else config)
    )
    assert calls(parser, TURN) == [("get_weather", {"city": "Oslo"})]


def test_a_response_template_comes_before_the_chat_template() -> None:
    parser = Parser(
        ["f"], format=Format.from_tokenizer_config({"chat_template": TEMPLATE, "response_template": ANSWERS})
    )
    assert calls(parser, CALL) == [("f", {"x": 1})]
    assert calls(Parser(["f"], format=Format.from_response_template(ANSWERS), template=TEMPLATE), CALL) == [
        ("f", {"x": 1})
    ]
    assert calls(Parser(["f"], format=Format.from_tokenizer_config({"response_template": ANSWERS})), CALL) == [
        ("f", {"x": 1})
    ]


def test_what_the_user_says_comes_first() -> None:
    own = Format("own", call="<call>{call}</call>")
    assert calls(Parser(["f"], format=own, template=TEMPLATE, model="qwen3:8b"), CALL) == [("f", {"x": 1})]
    assert calls(Parser(["f"], format=Format.from_tag("<call>"), template=TEMPLATE), CALL) == [("f", {"x": 1})]


def test_the_model_s_name_comes_after_the_template() -> None:
    assert calls(Parser(["get_weather"], template=TEMPLATE, model="qwen3:8b"), TURN) == [
        ("get_weather", {"city": "Oslo"})
    ]
    no_calls = "{% for m in messages %}{{ m.content }}{% endfor %}"
    parser = Parser(["f"], template=no_calls, model="qwen3:8b")
    assert parser.format is not None
    assert parser.format.name == "hermes"


def test_only_a_tag() -> None:
    # No format reads its calls, but it writes a tag before them.
    found = Format.from_template(ODD)
    assert found.tag == "<call>"
    assert not found.is_declared
    [passed] = [each for each in choose_format(template=ODD, model="nobody:8b").passed_over if each.argument == "model"]
    assert passed.reason == "unknown model 'nobody:8b'"  # a colon in the name does not cut it off


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"template": "{% if %}"}, TemplateError),
        ({"template": "{{ messages | nofilter }}"}, TemplateError),
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
        choose_format(**options)


# -- what is no template, what cannot be rendered, and what a template is given ----------------------------------------

PYTHON = 'import re\n\nPATTERN = f"{{{re.escape(x)}}}"\n\n\ndef f(x: int) -> dict:\n    return {"a": {1: x}}\n'
NO_CALLS = "{% for m in messages %}<<{{ m.role }}>>{{ m.content }}{% endfor %}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chat_template.jinja", "template='chat_template.jinja' is not a chat template, .* has nothing between .* path object"),
        ("Qwen/Qwen3-8B", "model="),
        ("", "template='' is not"),
        ("FROM qwen3\nPARAMETER temperature 0\n", "it has nothing between"),
        ("import os\n\nprint({1: {2: 3}})\n", "it has nothing between"),
        (3, "template=3 is not a chat template: pass .* path object of its file"),
    ],
)  # fmt: skip
def test_text_that_is_no_template(text: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Parser(["f"], template=text)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (PYTHON, (TemplateError, FormatError), "."),
        ("{{ 'a' }} is said, and nothing else", FormatError, "not a chat template"),
        ("{% for m in messages %}{{ m.content | nofilter }}{% endfor %}", TemplateError, "nofilter"),
        ("{% for m in messages %}{{ raise_exception('never') }}{% endfor %}", FormatError, "never"),
        ("{{ range .Messages }}{{ .Nothing }}{{ end }}", FormatError, "no format can be read"),
        (NO_CALLS, FormatError, "does not write tool calls.*format="),
    ],
)
def test_a_template_that_shows_no_way_of_writing_calls(text: str, error: Any, message: str) -> None:
    """Never silently the tag `{`."""
    for untrusted in (False, True):
        with pytest.raises(error, match=message):
            Parser(["f"], format=Format.from_template(text, untrusted=untrusted))


def test_a_path_object(tmp_path: Path) -> None:
    path = tmp_path / "chat_template.jinja"
    path.write_text(TEMPLATE, encoding="utf-8")
    assert calls(Parser(["get_weather"], template=path), TURN) == [("get_weather", {"city": "Oslo"})]
    path.write_bytes(b"\xff\xfe\x00GGUF")
    for wrong in (path, tmp_path / "missing.jinja", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            Parser(["get_weather"], template=wrong)


# Its calls no format says, but its turns end with a marker, and begin with a header.
ODD = """{% for m in messages %}<|{{ m.role }}|>
{{ m.content or '' }}{% if m.tool_calls %}<call>{% for c in m.tool_calls %}{{ c.function.name }}: {% for k, v in
c.function.arguments.items() %}{{ v }} as {{ k }}, {% endfor %}{% endfor %}</call>{% endif %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|robot|>
{% endif %}"""


def test_a_fall_back_to_the_tag_keeps_what_ends_a_turn() -> None:
    def make() -> Parser:
        return Parser(["f"], template=ODD, options=ParserOptions(markup=True))

    found = Format.from_template(ODD)
    assert found.reason
    assert found.losses
    assert found.tag == "<call>"
    for text in ("Hello.<|im_end|>", "Hello.<|im_end|>\n"):
        assert content_of(events_of(make, text)) == "Hello."
    events = events_of(make, 'Hi <call>{"name": "f", "arguments": {"x": 1}}</call><|im_end|>')
    assert calls_of(events) == [("f", {"x": 1})]
    assert content_of(events).strip() == "Hi"
    events = events_of(make, "<call> is not <|im_end|> written")
    assert content_of(events).split() == ["<call>", "is", "not", "written"]


def test_a_fall_back_to_the_tag_keeps_the_header() -> None:
    prompt = '<|user|>\nsay <call>{"name": "f", "arguments": {"x": 2}<|im_end|>\n<|robot|>\n'
    parser = Parser(["f"], template=ODD, prompt=prompt)
    assert calls(parser, '<call>{"name": "f", "arguments": {"x": 1}}</call>') == [("f", {"x": 1})]


SWITCHED = TEMPLATE.replace(
    "{% if add_generation_prompt %}<|assistant|>\n",
    "{% if add_generation_prompt %}<|assistant|>\n{% if thinking %}<mull>{% endif %}",
).replace(
    "{% if m.content %}",
    "{% if m.reasoning_content %}<mull>{{ m.reasoning_content }}</mull>{% endif %}{% if m.content %}",
)


def test_variables_say_whether_the_model_thinks() -> None:
    # Without them nothing is concluded: a client that says nothing gets a prompt that opens no reasoning.
    for variables, reasoning in (
        (None, ""),
        ({"thinking": True, "enable_thinking": True}, "Hm."),
        ({"thinking": False, "enable_thinking": False}, ""),
    ):
        output = Parser(["get_weather"], format=Format.from_template(SWITCHED, variables=variables)).add(
            "Hm.</mull>Hello."
        )
        assert output.reasoning == reasoning
    assert (
        Parser(["get_weather"], template=SWITCHED, prompt="<|user|>\nhi<|stop|>\n<|assistant|>\n<mull>")
        .add("Hm.")
        .reasoning
        == "Hm."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variables": {"a": 1}}, "pass template"),
        ({"variables": 3, "template": TEMPLATE}, "mapping"),
        ({"variables": {"a": object()}, "template": TEMPLATE}, "cannot be written as JSON .*: pass only JSON values"),
    ],
)
def test_wrong_variables(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        choose_format(**options)


def test_equal_formats_that_were_found_otherwise_stay_apart() -> None:
    """They share a program; the first of them was the format of all parsers."""
    named, of_model = Parser(["f"], format="hermes"), Parser(["f"], model="Qwen/Qwen3-8B")
    assert named.format is not None
    assert of_model.format is not None
    assert (named.format.reason, of_model.format.reason != "") == ("", True)
    assert pickle.loads(pickle.dumps(of_model)).format.reason == of_model.format.reason
