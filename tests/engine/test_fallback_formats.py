# That the name of a format is advice: which calls are read beside it, which never are, and which of
# several arguments counts.
# Does not depend on how fallback formats are found (formats/fallback_formats.py).
"""A name is advice, not blinkers."""

from __future__ import annotations

import pickle
import time
from typing import Any

import pytest

from tests.support import depth
from tests.support.chunkings import calls_of, codes_of, content_of, ended_calls, read_with, reasoning_of
from toolglean import (
    CallEnd,
    CallStart,
    Format,
    FormatError,
    Limits,
    Parser,
    ParserOptions,
    Problem,
    TemplateError,
    UsageError,
    choose_format,
    parse,
)

TOOLS: list[Any] = [
    {"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}, "s": {"type": "string"}}}},
    "get_weather",
]
CALL = [("f", {"x": 1})]
JSON_CALL = '{"name": "f", "arguments": {"x": 1}}'
XML_CALL = "<function=f>\n<parameter=x>\n1\n</parameter>\n</function>"
GLM_CALL = "<tool_call>f\n<arg_key>x</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"
V3_CALL = '<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"x": 1}\n```<｜tool▁call▁end｜>'
V31_CALL = '<｜tool▁call▁begin｜>f<｜tool▁sep｜>{"x": 1}<｜tool▁call▁end｜>'
SECTION = "<｜tool▁calls▁begin｜>{}<｜tool▁calls▁end｜>"
DSML_CALL = (
    '<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="x" string="false">1</｜DSML｜parameter>\n</｜DSML｜invoke>'
)

# format, turn, content
FALLBACK_FORMATS = {
    "bare JSON": ("hermes", JSON_CALL, ""),
    "bare JSON, and the closer of the format": ("hermes", f"{JSON_CALL}\n</tool_call>", ""),
    "bare JSON after reasoning": ("hermes", f"<think>\nHm.\n</think>\n\n{JSON_CALL}", ""),
    "bare JSON after white space": ("kimi-k2", f"\n\n{JSON_CALL}", "\n\n"),
    "a list": ("mistral-v13", f"[{JSON_CALL}]", ""),
    "fenced JSON": ("llama3-json", f"```json\n{JSON_CALL}\n```", ""),
    "a pythonic list": ("hermes", "[f(x=1)]", ""),
    "a pythonic call": ("hermes", "f(x=1)", ""),
    "a pythonic call, with a namespace": ("hermes", "default_api.f(x=1)", ""),
    "a pythonic call, with its own name as a namespace": ("hermes", "f.f(x=1)", ""),
    "a word that opens a call": ("hermes", f"functools[{JSON_CALL}]", ""),
    "Qwen3-Coder's calls between the tags of Hermes": (
        "hermes",
        f"Well.\n<tool_call>\n{XML_CALL}\n</tool_call>",
        "Well.\n",
    ),
    "Qwen3-Coder's calls without tags": ("hermes", f"Well.\n{XML_CALL}\n</tool_call>", "Well.\n"),
    "GLM's calls between the tags of Hermes": ("hermes", f"{GLM_CALL} Done.", " Done."),
    "JSON between the tags of GLM": ("glm-4.5", f"<tool_call>{JSON_CALL}</tool_call>", ""),
    "JSON between the tags of Seed": ("seed-oss", f"I look.\n<tool_call>{JSON_CALL}</tool_call>", "I look.\n"),
    "DeepSeek V3 in V3.1": ("deepseek-v3.1", SECTION.format(V3_CALL), ""),
    "DeepSeek V3.1 in V3": ("deepseek-v3", SECTION.format(V31_CALL), ""),
    "DSML of V3.2 in V4": ("deepseek-v4", f"<｜DSML｜function_calls>\n{DSML_CALL}\n</｜DSML｜function_calls>", ""),
    "DSML in V3": ("deepseek-v3", f"Hm. {DSML_CALL}", "Hm. "),
    "functions in Llama": ("llama3-json", '<function=f>{"x": 1}</function>', ""),
    "Mistral's marker in harmony": ("harmony", 'Hi [TOOL_CALLS]f[ARGS]{"x": 1}', "Hi "),
    "the tool's name as a tag": ("hermes", "Hi\n<f>\n<x>1</x>\n</f>", "Hi\n"),
    "XML in the format of a user": (Format("own", call="<call>{call}</call>"), f"{XML_CALL}</tool_call>", ""),
}


@pytest.mark.parametrize(("declared", "turn", "content"), FALLBACK_FORMATS.values(), ids=list(FALLBACK_FORMATS))
def test_fallback_formats_are_read(declared: str | Format, turn: str, content: str) -> None:
    events = read_with(TOOLS, turn, format=declared)
    assert calls_of(events) == CALL
    assert content_of(events) == content
    assert not [event for event in events if isinstance(event, Problem)]


@pytest.mark.parametrize(("declared", "turn", "content"), FALLBACK_FORMATS.values(), ids=list(FALLBACK_FORMATS))
def test_strict_reads_the_named_format_alone(declared: str | Format, turn: str, content: str) -> None:
    del content
    events = read_with(TOOLS, turn, format=declared, strict=True)
    # DeepSeek V4 reads the same calls, but not the section of V3.2.
    assert calls_of(events) == ([] if declared != "deepseek-v4" else CALL)


@pytest.mark.sampled(10)
@pytest.mark.parametrize(("declared", "turn", "content"), FALLBACK_FORMATS.values(), ids=list(FALLBACK_FORMATS))
def test_calls_to_unknown_tools_are_those_of_auto(declared: str | Format, turn: str, content: str) -> None:
    del content
    found, auto = (ended_calls(read_with(["other"], turn, format=each)) for each in (declared, None))
    assert found == auto
    assert not any(call.known for call in found)


@pytest.mark.parametrize(("declared", "turn", "content"), FALLBACK_FORMATS.values(), ids=list(FALLBACK_FORMATS))
def test_without_tools_the_named_format_is_read_alone(declared: str | Format, turn: str, content: str) -> None:
    del content
    found = ended_calls(read_with(None, turn, format=declared))
    assert found == ended_calls(read_with(None, turn, format=declared, strict=True))


@pytest.mark.sampled(10)
@pytest.mark.parametrize(("declared", "turn", "content"), FALLBACK_FORMATS.values(), ids=list(FALLBACK_FORMATS))
def test_the_format_goes_on_after_a_fallback_format(declared: str | Format, turn: str, content: str) -> None:
    from toolglean.formats.registry import get_format  # noqa: PLC0415
    from toolglean.stream import render  # noqa: PLC0415

    del content
    format_of = get_format(declared) if isinstance(declared, str) else declared
    if format_of.name == "llama3-json":
        pytest.skip("its calls come at the start of the turn")
    own = render(declared, [("get_weather", {"city": "Oslo"})], tools=TOOLS)
    # On a line of its own: a call without a marker shares its lines with nothing.
    events = read_with(TOOLS, f"{turn}\nAnd: {own}", format=declared)
    assert calls_of(events) == [*CALL, ("get_weather", {"city": "Oslo"})]
    parser = Parser(TOOLS, format=declared)
    parser.add(turn)
    assert parser.format == format_of


def test_a_model_s_name_and_a_template_are_advice_too() -> None:
    assert calls_of(read_with(TOOLS, JSON_CALL, model="qwen2.5-coder:7b")) == CALL
    pytest.importorskip("jinja2")
    template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>\n"
        '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}'
        "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    turn = f"<tool_call>\n{XML_CALL}\n</tool_call>"
    assert calls_of(read_with(TOOLS, turn, template=template)) == CALL
    assert calls_of(read_with(TOOLS, turn, template=template, strict=True)) == []


# -- what stays as it was ----------------------------------------------------------------------------------------------

CONTENT = {
    "JSON that is no call": '{"answer": 42, "f": [1, 2]}',
    "JSON whose strings quote a call": '{"note": "<tool_call>{\\"name\\": \\"f\\"}</tool_call>", "more": "<function=f>{}</function>"}',
    "JSON of an unknown tool": '{"name": "other", "arguments": {}}',
    "a link": "[f](https://example.org) says so",
    "a list of numbers": "[1, 2, 3]",
    "a name alone": "f",
    "a name in prose": "f is the name of a function",
    "the beginning of one": "get_w",
    "the beginning of a fence": "``",
    "a fence with something else": "```json\n[1, 2]\n```",
    "bare JSON of an unknown tool after text": 'So: {"name": "other", "arguments": {}}',
    "a fence after text": 'So:\n```json\n{"name": "other", "arguments": {}}\n```',
    "a marker in prose": "Write [TOOL_CALLS] or <function= before it, and [/TOOL_CALLS] after it.",
    "an unknown word of a fallback format": "<function=a tool>\n<parameter=x>\n1\n</parameter>\n</function>",
}


@pytest.mark.parametrize("text", CONTENT.values(), ids=list(CONTENT))
@pytest.mark.parametrize("name", ["hermes", "glm-4.5", "kimi-k2"])
def test_what_is_no_call_is_content(name: str, text: str) -> None:
    events = read_with(TOOLS, text, format=name)
    assert content_of(events) == text
    assert not [event for event in events if isinstance(event, CallStart | Problem)]


@pytest.mark.parametrize("name", ["hermes", "glm-4.5", "kimi-k2"])
def test_a_pythonic_call_after_text_is_told(name: str) -> None:
    events = read_with(TOOLS, text := "So: [f(x=1)]", format=name)
    assert (content_of(events), codes_of(events)) == (text, ["unread-call"])


# Reasoning of other families is reasoning (test_reasoning.py).
FRAMES = {
    "headers, and the end of a turn": ("<|START_TEXT|> <|channel|>final<|message|> x[/THINK] <|eom|>", "x"),
    "nothing but an end": ("<|end_of_text|>", ""),
    "ends of two families": ("x<|im_end|></s>", "x"),
    "text for the user alone": (
        f"<|start|>assistant to=user<|message|>Hi. <tool_call>{JSON_CALL}</tool_call>",
        f"Hi. <tool_call>{JSON_CALL}</tool_call>",
    ),
}


@pytest.mark.parametrize(("text", "content"), FRAMES.values(), ids=list(FRAMES))
@pytest.mark.parametrize("name", ["hermes", "glm-4.5", "kimi-k2", "auto"])
def test_what_other_families_write_around_calls_is_markup(name: str, text: str, content: str) -> None:
    events = read_with(TOOLS, text, format=name)
    assert (content_of(events), calls_of(events)) == (content, [])
    if name != "auto":
        alone = read_with(TOOLS, text, format=name, strict=True)
        assert content_of(alone) != content or name == "hermes"


def test_a_long_json_answer_goes_out_and_the_turn_goes_on() -> None:
    answer = '{"answer": "' + "word " * 1_000 + '"}\n'
    turn = f"{answer}<tool_call>\n{JSON_CALL}\n</tool_call>"
    events = read_with(TOOLS, turn, format="hermes")
    assert calls_of(events) == CALL
    assert content_of(events).strip() == answer.strip()
    assert not [event for event in events if isinstance(event, Problem)]


def test_a_small_limit_gives_a_fallback_format_up_and_nothing_else() -> None:
    turn = f'{{"a": "{"x" * 80}"}} <tool_call>{JSON_CALL}</tool_call>'
    events = read_with(TOOLS, turn, format="hermes", limits=Limits(held=60))
    assert calls_of(events) == CALL


def test_plain_text_is_not_held_back() -> None:
    parser = Parser(TOOLS, format="hermes")
    assert [parser.add(word).content for word in ("Hello", ", wor", "ld")] == ["Hello", ", wor", "ld"]


def test_in_reasoning_the_format_s_own_markers_count_alone() -> None:
    turn = f"<think>\nPerhaps {XML_CALL} or [TOOL_CALLS]f[ARGS]{{}}?\n</think>\n\nNo."
    events = read_with(TOOLS, turn, format="hermes")
    assert calls_of(events) == []
    assert content_of(events) == "No."
    assert "<function=f>" in reasoning_of(events)


def test_an_unknown_tool_of_the_format_itself_is_its_call() -> None:
    turn = "<tool_call>\n<function=other>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>"
    events = read_with(TOOLS, turn, format="qwen3-coder")
    assert calls_of(events) == [("other", {"x": "1"})]


def test_a_tag_and_auto_are_not_advised() -> None:
    turn = f"<tool_call>\n{XML_CALL}\n</tool_call>"
    ways: list[dict[str, Any]] = [{"tag": "<tool_call>"}, {"format": "auto"}]
    for options in ways:
        loose = read_with(TOOLS, turn, **options)
        strict = read_with(TOOLS, turn, **options, strict=True)
        assert loose == strict


# -- nothing runs that was not written ---------------------------------------------------------------------------------

QUOTED = {
    "in a string of a call": '<tool_call>{"name": "f", "arguments": {"s": "<function=get_weather>{}</function> [TOOL_CALLS]get_weather{}"}}</tool_call>',
    "in a string of a bare call": '{"name": "f", "arguments": {"s": "<tool_call>{}</tool_call><function=get_weather>{}</function>"}}',
    "in the arguments of a broken call": '<tool_call>{"arguments": {"s": "<function=get_weather>{}</function>"} oops, "name": "f"}</tool_call>',
    "after a call that breaks": '<tool_call>{"name": "f", "arguments": {"s": "a" "<function=get_weather>{}</function>"}}',
    "in a list that a bare call holds": '[{"name": "f", "arguments": {"s": "[get_weather()]"}}]',
}


@pytest.mark.parametrize("turn", QUOTED.values(), ids=list(QUOTED))
@pytest.mark.parametrize("name", ["hermes", "glm-4.5", "qwen3-coder", "mistral-v3"])
def test_quoted_calls_never_run(name: str, turn: str) -> None:
    events = read_with(TOOLS, turn, format=name)
    assert "get_weather" not in [found for found, _ in calls_of(events)]


def test_a_fallback_format_s_call_after_a_malformed_one_is_distrusted() -> None:
    turn = f'<tool_call>{{"name": "f", "arguments": {{"s": oops <tool_call>{XML_CALL}'
    events = read_with(TOOLS, turn, format="hermes")
    assert calls_of(events) == []
    assert [event.call.status for event in events if isinstance(event, CallEnd)] != []


# -- forks, pickles, cost ----------------------------------------------------------------------------------------------


def test_strict_survives_forks_and_pickles() -> None:
    for strict in (False, True):
        parser = Parser(TOOLS, format="hermes", options=ParserOptions(strict=strict))
        parser.feed("\n")
        for twin in (parser.fork(), pickle.loads(pickle.dumps(parser))):
            calls = [*twin.add(JSON_CALL + "\n").calls, *twin.close().calls]
            assert [call.name for call in calls] == ([] if strict else ["f"])


def test_openers_without_end_take_linear_time() -> None:
    def seconds(unit: str, chars: int) -> float:
        turn, parser = unit * (chars // len(unit)), Parser(TOOLS, format="hermes")
        begin = time.process_time()
        parser.feed(turn)
        parser.finish()
        return time.process_time() - begin

    units = ["<function=g>", "<tool_call>{", '<tool_call>{"a": "', "[TOOL_CALLS]f", "<f>", "<tool_call>g\n<arg_key>"]
    for unit in depth.chosen(units, 2, key=str):
        few, many = (4_000, 40_000) if depth.is_full() else (500, 5_000)
        seconds(unit, few)
        most = 30 * min(seconds(unit, few) for _ in range(3)) + 0.05
        assert any(seconds(unit, many) < most for _ in range(2))


def test_strict_must_be_a_bool() -> None:
    with pytest.raises(UsageError, match="strict=1 is not valid: pass True or False"):
        Parser(options=ParserOptions(strict=1))  # type: ignore[arg-type]


def test_parse_passes_strict_on() -> None:
    assert parse(JSON_CALL, TOOLS, format="hermes").calls
    assert not parse(JSON_CALL, TOOLS, format="hermes", options=ParserOptions(strict=True)).calls


# -- which of several arguments counts ---------------------------------------------------------------------------------

GO = (
    "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}{{ if .ToolCalls }}{{ range .ToolCalls }}<tool_call>\n"
    '{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}\n</tool_call>{{ end }}{{ end }}<|im_end|>\n'
    "{{ end }}<|im_start|>assistant\n"
)
NO_CALLS = "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"
BROKEN = "{{ range .Messages }}"
MODEL = "zai-org/GLM-4.6"


@pytest.mark.parametrize(
    ("options", "name", "argument", "passed_over"),
    [
        ({"model": MODEL}, "glm-4.5", "model", []),
        ({"model": MODEL, "template": GO}, "hermes", "template", ["model"]),
        ({"model": "nobody/knows-it", "template": GO}, "hermes", "template", ["model"]),
        ({"model": MODEL, "template": NO_CALLS}, "glm-4.5", "model", ["template"]),
        ({"model": MODEL, "template": BROKEN}, "glm-4.5", "model", ["template"]),
        ({"model": MODEL, "tokenizer_config": {}}, "glm-4.5", "model", ["tokenizer_config"]),
        ({"template": NO_CALLS, "tokenizer_config": {"chat_template": GO}}, "hermes", "tokenizer_config", ["template"]),
        ({"format": "kimi-k2", "model": MODEL, "template": GO}, "kimi-k2", "format", ["template", "model"]),
    ],
)
def test_the_first_that_is_known_counts(
    options: dict[str, Any], name: str, argument: str, passed_over: list[str]
) -> None:
    pytest.importorskip("jinja2")
    choice = choose_format(**options)
    assert choice.how == "format"
    assert choice.format is not None
    assert (choice.format.name, choice.argument) == (name, argument)
    assert [each.argument for each in choice.passed_over] == passed_over
    assert all(each.reason for each in choice.passed_over)
    assert str(choice).startswith(f"format {name}: ")
    parser = Parser(TOOLS, format=choice.format)
    assert parser.format is not None
    assert parser.format.name == name


def test_nothing_given_is_auto() -> None:
    choice = choose_format()
    assert (choice.how, choice.format, choice.argument, choice.passed_over) == ("auto", None, "", ())
    assert choice.advice
    assert choose_format(format="auto", model="nobody").how == "auto"
    found = choose_format(tag="<call>").format
    assert found is not None
    assert found.tag == "<call>"


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"model": "nobody"}, UsageError, "unknown model 'nobody'"),
        ({"model": "nobody", "template": BROKEN}, TemplateError, None),
        ({"model": "nobody", "tokenizer_config": {}}, TemplateError, None),
        ({"model": MODEL, "tokenizer_config": "no such file"}, UsageError, "no such file"),
        ({"template": 5}, UsageError, "5"),
        ({"format": "hermez"}, UsageError, "hermez"),
        (
            {"response_template": {"fields": {"a": {"content": "nonsense"}}}, "model": MODEL},
            FormatError,
            "response template",
        ),
    ],
)
def test_where_nothing_is_known_it_is_an_error(
    options: dict[str, Any], error: type[Exception], said: str | None
) -> None:
    with pytest.raises(error, match=said):
        choose_format(**options)
    if options.keys() <= {"format", "model", "template"}:
        with pytest.raises(error, match=said):
            Parser(**options)


def test_an_opener_that_a_longer_one_begins_with() -> None:
    # "<functioncall" begins so too: what was found must be passed over, or it would be found again for ever.
    for text in ("Hm <functions.f(x)", 'Hm <function=f>{"x": 1}</function>'):
        events = read_with(["f"], text, format="kimi-k2")
        assert len(calls_of(events)) == ("=f>" in text)


@pytest.mark.parametrize("label", ["functions -> ", "Calling:", "tool->", "functions_f_0:"])
def test_a_label_before_a_tag_is_no_beginning_of_a_call(label: str) -> None:
    """Where the tag was in the same chunk, the label alone was looked at, and the line was kept as a call."""
    text = f"{label}<f>\n<x>1</x>\n</f>\n"
    for name in ("harmony", "auto"):  # to `auto`, "function" may be a marker, and was looked at alone in every chunk
        events = read_with(TOOLS, text, format=name)
        assert calls_of(events) == []
        assert content_of(events) == text


FIRST_CALL = '<function=f>{"x": 1}</function>'
INNER = '<function=f>{"x": 2}</function>'
LATER = {
    # After the first call, the format of `later` is ruled out. If it were only text, what its value quotes would run.
    "its opener begins as that of the first": (f"<function=g>\n<parameter=s>\n{INNER}\n</parameter>\n</function>", []),
    "in a frame of its own": (f'<invoke name="g">\n<parameter name="s">{INNER}</parameter>\n</invoke>', [("g", {"s": INNER})]),
    "in JSON": (f'<tool_call>\n{{"name": "g", "arguments": {{"s": {INNER!r}}}}}\n</tool_call>'.replace("'", '"').replace('{"x": 2}', "{x: 2}"), [("g", {"s": INNER.replace('"', "")})]),
    "of a tool that is not known": (f'<invoke name="h">\n<parameter name="s">{INNER}</parameter>\n</invoke>', []),
    "a mention": ("Then <invoke> comes, and [TOOL_CALLS].", []),
}  # fmt: skip


@pytest.mark.parametrize(("later", "calls"), LATER.values(), ids=LATER)
def test_what_another_family_quotes_after_the_first_call_does_not_run(later: str, calls: list[Any]) -> None:
    string = {"type": "object", "properties": {"s": {"type": "string"}}}
    tools = [*TOOLS, {"name": "g", "parameters": string}]
    events = read_with(tools, f"{FIRST_CALL}\n\n{later}")
    ran = [each for each in calls_of(events) if each != ("h", {"s": INNER})]
    assert ran == [("f", {"x": 1}), *calls]


@pytest.mark.parametrize("marker", ["<|end_message|>", "<|im_end|>"])
@pytest.mark.parametrize("name", ["hermes", "hunyuan-a13b", "auto"])
def test_an_opener_that_only_lines_begin_with_stays_so_behind_another_family_s_marker(name: str, marker: str) -> None:
    """It was read anywhere from there on: here, behind backticks that may have closed code."""
    tool = {"name": "pay", "parameters": {"type": "object", "properties": {"to": {"type": "string"}}}}
    call = '@pay(call_0): {"to": "Ann"}'
    for before, count in (("`", 0), ("so ", 0), ("", 1)):
        events = read_with([tool], f"It`s so.{marker}\n{before}{call}{before.strip()}", format=name)
        assert len(calls_of(events)) == count, before
