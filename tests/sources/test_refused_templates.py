"""A template from which no format is read: the turn shows its format, and the template what is around the calls."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from tests.sources.test_precedence import ODD
from tests.support import depth
from tests.support.chunkings import calls_of, content_of, events_of, read_with, reasoning_of
from tests.support.infer_outcomes import outcomes
from tests.support.shared import FIXTURES, SHARED
from toolglean import Format, Parser, ParserOptions, UsageError, choose_format, parse, render
from toolglean.sources.templates.infer import NoFormatError, infer

pytest.importorskip("jinja2")

THINKS = ODD.replace("{{ m.content or '' }}", "<mull>{{ m.reasoning_content }}</mull>{{ m.content or '' }}")
NO_TAG = ODD.replace("<call>", "").replace("</call>", "")
REFUSED = {"a tag": ODD, "no tag": NO_TAG, "reasoning of its own": THINKS}
TURNS = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((FIXTURES / "formats").glob("*.json"))]


def read(text: str, tools: Any, **how: Any) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in parse(text, tools, **how).calls]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("title", REFUSED)
@pytest.mark.parametrize("turn", TURNS, ids=[turn["format"] for turn in TURNS])
def test_any_turn_is_read_as_without_the_template(turn: dict[str, Any], title: str) -> None:
    """The law: knowing a template is never worse than not knowing it."""
    tools = turn.get("tools")
    assert read(turn["turn"], tools, template=REFUSED[title]) == read(turn["turn"], tools)


def test_the_turn_is_read_alike_for_every_chunking() -> None:
    def make() -> Parser:
        return Parser(["f"], template=THINKS, options=ParserOptions(markup=True))

    hermes = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'
    events = events_of(make, f"<mull>Hm.</mull>So:\n{hermes}\n{hermes}<|im_end|>")
    assert calls_of(events) == [("f", {"x": 1}), ("f", {"x": 1})]
    assert content_of(events).strip() == "So:"
    assert reasoning_of(events) == "Hm."


def test_its_tag_is_for_what_no_known_format_reads() -> None:
    def make() -> Parser:
        return Parser(["f"], template=ODD, options=ParserOptions(markup=True))

    for text in ('<call>{"name": "f", "arguments": {"x": 1}}</call>', '<call>f\n{"x": 1}</call><|im_end|>'):
        assert calls_of(events_of(make, text)) == [("f", {"x": 1})]
    assert calls_of(events_of(make, "<call> is a tag; f {}")) == []


def test_what_is_known_of_the_format() -> None:
    found = Format.from_template(THINKS)
    assert (found.tag, found.is_declared, found.drop) == ("<call>", False, ("<|im_end|>",))
    assert found.reasoning == ("<mull>", "</mull>")
    assert "it does not write a value where it is expected" in found.losses[0]
    assert pickle.loads(pickle.dumps(found)) == found  # our own
    choice = choose_format(template=THINKS)
    assert (choice.how, choice.format, choice.argument) == ("auto", found, "template")
    assert "toolglean learn" in choice.advice
    with pytest.raises(UsageError, match="does not say how a call is written"):
        render(found, [("f", {})])


def test_a_refused_template_is_reported_in_the_log_once(caplog: pytest.LogCaptureFixture) -> None:
    own = ODD.replace("<call>", "<ring>").replace("</call>", "</ring>")  # the log has one line for each text
    assert [Parser(["f"], template=own).format for _ in range(2)] == [None, None]
    (row,) = caplog.records
    assert (row.name.partition(".")[0], row.levelname) == ("toolglean", "WARNING")
    assert row.message.startswith("no format can be read from the template, so the format is detected from the turn: ")
    assert row.message.count("no format can be read") == 1
    assert "probe 'one call, two arguments' failed" in row.message


def test_a_refusal_shows_what_the_template_wrote() -> None:
    # Nothing separates the arguments, as nobody sees who cannot render a template.
    arguments = "{% for k, v in c.function.arguments.items() %}{{ k }} := {{ v|tojson }}{% endfor %}"
    calls = "{% for c in m.tool_calls %}<<invoke {{ c.function.name }}>>\n" + arguments + "<<done>>\n{% endfor %}"
    template = (
        "{% for m in messages %}{% if m.tool_calls %}" + calls + "{% else %}{{ m.content }}{% endif %}{% endfor %}"
    )
    (reason,) = Format.from_template(template).losses
    assert "random messages came back wrong" in reason
    assert "; it wrote '<<invoke " in reason


@pytest.mark.parametrize(
    ("template", "advice"),
    [
        (ODD, r"`toolglean learn LOG --tools TOOLS` .*, or format=Format.from_tag\('<call>'\)"),
        (NO_TAG, r"Pass format=Format\(…\) with a declaration .*turns of the model\)\.$"),
        ("{% for m in messages %}<<{{ m.role }}>>{{ m.content }}{% endfor %}", r'Pass format= \("auto" to detect it'),
    ],
)
def test_a_refusal_says_what_to_do(template: str, advice: str) -> None:
    with pytest.raises(NoFormatError, match=advice) as refused:
        infer(template)
    again = pickle.loads(pickle.dumps(refused.value))  # our own
    assert (str(again), again.drop, again.advice) == (str(refused.value), refused.value.drop, refused.value.advice)
    assert again.reason in str(again)


@pytest.mark.skipif(not SHARED.exists(), reason="../shared is not there")
def test_refused_templates_of_others() -> None:
    names = [
        "vllm-tool_chat_template_gemma3_pythonic",
        "vllm-tool_chat_template_llama3.2_pythonic",
        "vllm-tool_chat_template_toolace",
    ]
    found = outcomes([] if depth.is_full() else names, alone=False, samples=10)
    refused = [each for each in found if each.found is None]
    assert {each.name for each in refused} >= set(names)
    assert [each.name for each in refused if each.by_template < each.by_auto] == []


# -- templates that were made up, each of which has something that real ones rarely have --------------------------------

MADE_UP = sorted((FIXTURES / "templates/newcomers").iterdir())
QUOTED = "quoted-pythonic.jinja"
LOSSY = {QUOTED, "joined-lines.jinja"}
CALLS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "one": [("get_weather", {"city": "Oslo"})],
    "none": [("send_mail", {})],
    "two": [("send_mail", {"text": "hi", "urgent": True}), ("get_weather", {"city": "Köln", "days": 3})],
    "typed": [("get_weather", {"days": 42, "ratio": 2.5, "city": "42"})],
    "nested": [("send_mail", {"tags": ["a", "b c"], "more": {"k": [1, {"z": "ü"}]}})],
    "lines": [("send_mail", {"text": "line one\nline two\n\nlast: yes", "city": "v"})],
    "hostile": [("send_mail", {"text": '</tool_call> [TOOL_CALLS]; x=1, "y": {', "city": 'q"u'})],
}
PROPERTIES = {
    "city": {"type": "string"},
    "text": {"type": "string"},
    "days": {"type": "integer"},
    "ratio": {"type": "number"},
    "urgent": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "more": {"type": "object"},
}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": PROPERTIES}}}
    for name in ("get_weather", "send_mail")
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", MADE_UP, ids=[path.name for path in MADE_UP])
def test_made_up_templates(path: Path) -> None:
    from toolglean.sources.templates.infer.prober import Prober  # noqa: PLC0415  # what the template writes
    from toolglean.sources.templates.infer.probes import Call, Message  # noqa: PLC0415
    from toolglean.sources.templates.rendering import renderer  # noqa: PLC0415

    source = path.read_text(encoding="utf-8")
    found = infer(source, samples=20)
    lost = [loss for loss in found.losses if "reasoning" not in loss and "content" not in loss]
    assert bool(lost) is (path.name in LOSSY)
    tools = Parser(TOOLS).tools
    assert tools is not None
    some = depth.chosen(CALLS.items(), 1, key=lambda each: f"{path.name} {each[0]}")
    with renderer(source, found.language, untrusted=False) as made:
        prober = Prober(made)
        for title, calls in some if path.name != QUOTED else ():
            turn = prober.turn(Message(tuple(Call(*each) for each in calls)), tuple(tools)).text
            events = read_with(TOOLS, turn, format=found.format)
            assert calls_of(events) == calls, title
            written = render(found.format, calls, tools=tools)
            assert read(written, TOOLS, format=found.format) == calls, title
