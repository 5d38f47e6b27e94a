"""Formats read from chat templates: small templates of our own, one for each way to write a call; the shared ones."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from tests.support import depth
from tests.support.infer_outcomes import outcomes
from tests.support.shared import SHARED
from toolglean import Format, Parser, parse
from toolglean.cli.formats import declaration
from toolglean.errors import FormatError, TemplateError
from toolglean.formats.spec import Quoted, Tree
from toolglean.sources.templates.infer import Inference, NoFormatError, infer
from toolglean.sources.templates.infer.parameter import _type_words
from toolglean.sources.templates.infer.texts import (
    common_prefix,
    common_suffix,
    last_marker,
    markers_of,
    snapped,
    turn_ends,
)

pytest.importorskip("jinja2")

HEAD = """{%- for m in messages %}{%- if m.role == 'user' %}<<user>>{{ m.content }}<<end>>
{% else %}<<bot>>
"""
THINK = "{%- if m.reasoning_content %}<mull>{{ m.reasoning_content }}</mull>{% endif %}"
TAIL = "<<end>>\n{% endif %}{% endfor %}{% if add_generation_prompt %}<<bot>>\n{% endif %}"


def chat(calls: str, *, head: str = HEAD + THINK, content: str = "{{ m.content or '' }}", tail: str = TAIL) -> str:
    """A chat template whose calls are written that way; `c` is the call."""
    return f"{head}{content}{calls}{tail}"


def each(text: str) -> str:
    """The calls, one after the other."""
    return f"{{%- for c in m.tool_calls or [] %}}{text}{{% endfor %}}"


PARAMETERS = "{% for k, v in c.function.arguments.items() %}%s{% endfor %}"
VALUE = "{{ v if v is string else v | tojson }}"
WHOLE = '{"tool": {{ c.function.name | tojson }}, "input": {{ c.function.arguments | tojson }}}'

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "whole": (each("<go>\n" + WHOLE.replace("tool", "name") + "\n</go>"), {"call": "<go>\n{call}\n</go>", "keys": ("name", "input")}),
    "list": (
        "{% if m.tool_calls %}<go>["
        + each(WHOLE.replace("tool", "name") + "{{ ', ' if not loop.last }}")
        + "]</go>{% endif %}",
        {"call": "<go>{calls}</go>", "section": ("", "")},
    ),
    "row": (
        "{% if m.tool_calls %}<go>\n" + each(WHOLE.replace("tool", "name") + "\n") + "</go>{% endif %}",
        {"call": "{call}", "section": ("<go>", "</go>")},
    ),
    "keyed": (
        "{% if m.tool_calls %}<go>["
        + each("{ {{- c.function.name | tojson }}: {{ c.function.arguments | tojson }}}{{ ', ' if not loop.last }}")
        + "]</go>{% endif %}",
        {"call": '{"{name}": {arguments}}', "section": ("<go>[", "]</go>"), "separator": ", "},
    ),
    "arguments": (each("<go>{{ c.function.name }}<with>{{ c.function.arguments | tojson }}</go>"), {"call": "<go>{name}<with>{arguments}</go>"}),
    "index and id": (
        each(
            "<go n='{{ loop.index0 }}' id='{{ c.id }}'>{{ c.function.name }}<with>"
            "{{ c.function.arguments | tojson }}</go>"
        ),
        {"call": "<go n='{index}' id='{id}'>{name}<with>{arguments}</go>"},
    ),
    # A separator was read from the id of the first call, and no format from a number that only a closer has.
    "id behind the arguments": (
        each("<go>{{ c.function.name }}<with>{{ c.function.arguments | tojson }}<id>{{ c.id }}</id></go>"),
        {"call": "<go>{name}<with>{arguments}<id>{id}</id></go>", "separator": ""},
    ),
    "index in the closer alone": (
        each("<go>{{ c.function.name }}<with>{{ c.function.arguments | tojson }}</go n='{{ loop.index }}'>"),
        {"call": "<go>{name}<with>{arguments}</go n='{index}'>"},
    ),
    "parameters": (
        each(
            "<go={{ c.function.name }}>\n" + PARAMETERS.replace("%s", "<p={{ k }}>\n" + VALUE + "\n</p>\n") + "</go>\n"
        ),
        {"call": "<go={name}>\n{parameters}</go>", "parameter": ("<p={key}>\n{value}\n</p>\n",)},
    ),
    "typed parameters": (
        each(
            '<go name="{{ c.function.name }}">'
            + PARAMETERS.replace(
                "%s", "<p name=\"{{ k }}\" text=\"{{ 'yes' if v is string else 'no' }}\">" + VALUE + "</p>"
            )
            + "</go>"
        ),
        {
            "parameter": ('<p name="{key}" text="{type}">{value}</p>',),
            "types": {"string": "yes", "*": "no"},
        },
    ),
    "separated parameters": (
        each(
            "<go>{{ c.function.name }}: "
            + PARAMETERS.replace("%s", "<a {{ k }}>" + VALUE + "</a>{{ ', ' if not loop.last }}")
            + "</go>"
        ),
        {"call": "<go>{name}: {parameters}</go>", "parameter": ("<a {key}>{value}</a>",), "parameter_separator": ", "},
    ),
    "JSON parameters": (
        each("<go={{ c.function.name }}>" + PARAMETERS.replace("%s", "<a={{ k }}>{{ v | tojson }}</a>") + "</go>"),
        {"call": "<go={name}>{parameters}</go>", "parameter": ("<a={key}>{json}</a>",)},
    ),
    "lines": (
        each("<go>\n{{ c.function.name }}\n" + PARAMETERS.replace("%s", "{{ k }}: " + VALUE + "\n") + "</go>"),
        {"call": "<go>\n{name}\n{parameters}</go>", "parameter": ("{key}: {value}\n",)},
    ),
    "one-sided line break": (
        each("<go={{ c.function.name }}>" + PARAMETERS.replace("%s", "<a={{ k }}>" + VALUE + "\n</a>") + "</go>"),
        {"call": "<go={name}>{parameters}</go>", "parameter": ("<a={key}>{value}\n</a>",)},
    ),
    "children": (
        each("<go={{ c.function.name }}>" + PARAMETERS.replace("%s", "<{{ k }}>" + VALUE + "</{{ k }}>") + "</go>"),
        {"call": "<go={name}>{parameters}</go>", "parameter": ("<{key}>{value}</{key}>",)},
    ),
    "numbers in closers": (
        each("<go-{{ loop.index }}:{{ c.function.name }}>{{ c.function.arguments | tojson }}</go-{{ loop.index }}>"),
        {"call": "<go-{index}:{name}>{arguments}</go-{index}>"},
    ),
    "names in closers": (
        each("<do:{{ c.function.name }}>{{ c.function.arguments | tojson }}</do:{{ c.function.name }}>"),
        {"call": "<do:{name}>{arguments}</do:{name}>", "registered_only": True},
    ),
    "keywords": (
        "{% if m.tool_calls %}<go>["
        + each(
            "{{ c.function.name }}("
            + PARAMETERS.replace("%s", "{{ k }}={{ v | tojson }}{{ ', ' if not loop.last }}")
            + "){{ ', ' if not loop.last }}"
        )
        + "]</go>{% endif %}",
        {"call": "{name}({keywords})", "section": ("<go>[", "]</go>"), "separator": ", "},
    ),
    "quoted": (
        "{% macro q(v) %}{% if v is string %}<q>{{ v }}<q>{% elif v is mapping %}{{ '{' }}"
        "{% for k, w in v.items() %}{{ k }}:{{ q(w) }}{{ ',' if not loop.last }}{% endfor %}{{ '}' }}"
        "{% elif v is iterable %}[{% for w in v %}{{ q(w) }}{{ ',' if not loop.last }}{% endfor %}]"
        "{% else %}{{ v | tojson }}{% endif %}{% endmacro %}"
        + each("<go>run:{{ c.function.name }}{{ q(c.function.arguments) }}</go>"),
        {"call": "<go>run:{name}{arguments}</go>", "arguments": Quoted("<q>")},
    ),
    "tree": (
        "{% macro t(v) %}{% if v is mapping %}{% for k, w in v.items() %}@<{{ k }}>{{ t(w) }}@</{{ k }}>{% endfor %}"
        "{% elif v is iterable and v is not string %}{% for w in v %}@<item>{{ t(w) }}@</item>{% endfor %}"
        "{% elif v is string %}{{ v }}{% else %}{{ v | tojson }}{% endif %}{% endmacro %}"
        + each('<go name="{{ c.function.name }}">{{ t(c.function.arguments) }}@</go>'),
        {"arguments": Tree("@")},
    ),
}  # fmt: skip


def inferred(source: str) -> Inference:
    return infer(source, recognise=False, samples=40)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CASES)
def test_ways_to_write_a_call(name: str) -> None:
    calls, wanted = CASES[name]
    found = inferred(chat(calls))
    for key, value in wanted.items():
        assert getattr(found.format, key) == value
    assert found.recognised is None
    assert found.format.reasoning == ("<mull>", "</mull>")
    assert found.format.drop == ("<<end>>",)
    assert found.confidence > 0.8


def test_the_format_reads_what_the_model_writes() -> None:
    found = inferred(chat(CASES["whole"][0]))
    text = '<mull>Hm.</mull>Look:<go>{"name":"f","input":{"a":1}}</go>done<<end>>'
    output = parse(text, ["f"], format=found.format)
    assert (output.reasoning, output.content) == ("Hm.", "Look:done")
    assert [(call.name, call.arguments) for call in output.calls] == [("f", {"a": 1})]


def test_go() -> None:
    source = (
        "{{ range .Messages }}<<{{ .Role }}>>{{ .Content }}"
        '{{ range .ToolCalls }}<go>{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}</go>{{ end }}'
        "<<end>>{{ end }}<<assistant>>"
    )
    found = inferred(source)
    assert (found.language, found.format.call) == ("go", "<go>{call}</go>")
    assert found.format.drop == ("<<end>>",)


def test_a_known_format_is_recognised() -> None:
    calls = each(
        '<tool_call>\n{"name": {{ c.function.name | tojson }}, "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>'
    )
    found = infer(chat(calls, head=HEAD).replace("<<end>>", "<|im_end|>"), samples=20)
    assert found.recognised == "hermes"
    assert found.format.name == "hermes"
    extended = infer(chat(calls, head=HEAD), samples=20)
    assert "<<end>>" in extended.format.drop
    with pytest.raises(TemplateError):
        infer("{% for m in messages %}{% if")


def test_losses_are_named() -> None:
    calls = each("<go={{ c.function.name }}>" + PARAMETERS.replace("%s", "<p={{ k }}>{{ v }}</p>") + "</go>")
    found = inferred(chat(calls, head=HEAD, content="{% if not m.tool_calls %}{{ m.content }}{% endif %}"))
    lines = "\n".join(found.losses)
    assert "probe 'null': the argument None came back as 'None'" in lines
    assert "probe 'content and call': the template does not write the content" in lines
    assert "probe 'reasoning': the template does not write the reasoning" in lines
    assert found.confidence < 1


FIRST_ONLY = CASES["whole"][0].replace("m.tool_calls or []", "(m.tool_calls or [])[:1]")
REFUSES_TWO = (
    "{% if m.tool_calls and m.tool_calls | length > 1 %}{{ raise_exception('one at a time') }}{% endif %}" + FIRST_ONLY
)


@pytest.mark.parametrize(
    ("calls", "pattern", "loss"),
    [
        (FIRST_ONLY, "<go>\n{call}\n</go>", "probe 'two calls': the template does not write more than 1 of 2 calls"),
        (REFUSES_TWO, "<go>\n{call}\n</go>", "one at a time"),
        (
            each("<go>{{ c.function.name }}<with>{{ c.function.arguments + '' }}</go>"),
            "<go>{name}<with>{arguments}</go>",
            "only as a JSON string",
        ),
        (
            each('<go>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments }}}</go>'),
            "<go>{call}</go>",
            "only as a JSON string",  # a dict that comes out as Python's repr is no way of asking
        ),
        (
            each("<go>{{ c.function.name }}<with>{{ (c.function.arguments | tojson | from_json) | tojson }}</go>"),
            "<go>{name}<with>{arguments}</go>",
            "only in engines that let templates change lists",
        ),
    ],
)
def test_what_a_template_takes_alone_is_a_loss(calls: str, pattern: str, loss: str) -> None:
    found = inferred(chat(calls))
    assert found.format.call == pattern
    assert any(loss in line for line in found.losses)


def test_reasoning_that_the_prompt_opens() -> None:
    head = HEAD + "<mull>{{ m.reasoning_content or '' }}</mull>"
    tail = TAIL.replace("add_generation_prompt %}<<bot>>\n", "add_generation_prompt %}<<bot>>\n<mull>")
    found = inferred(chat(CASES["whole"][0], head=head, tail=tail))
    assert found.starts_reasoning
    output = Parser(["f"], format=found.format, start="reasoning").add("Hm.</mull>Yes")
    assert (output.reasoning, output.content) == ("Hm.", "Yes")


def test_names_in_ids() -> None:
    calls = each("<go>{{ c.id }}<with>{{ c.function.arguments | tojson }}</go>")
    found = inferred(chat(calls))
    assert found.format.call == "<go>functions.{name}:{index}<with>{arguments}</go>"
    assert found.format.id == "functions.{name}:{index}"


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ("", "probe 'one call' failed: it does not write tool calls"),
        ("{% if m.tool_calls %}{{ raise_exception('no calls here') }}{% endif %}", "no calls here"),
        (each("<go>{{ c.function.name }}: " + PARAMETERS.replace("%s", "{{ v }} = {{ k }}; ") + "</go>"), "does not write"),
        (each("<go>{{ c.function.name }}: " + PARAMETERS.replace("%s", "{{ '{x}' }}{{ k }}={{ v }};") + "</go>"), "{x}"),
        (each("<go>{{ c.function.name }}" + PARAMETERS.replace("%s", " {{ k }} {{ v }}")) + "</go>", "value of a parameter ends"),
        (each("<go>{{ c.function.arguments | tojson }} -> {{ c.function.name }}</go>"), "write the name first"),
        (
            each("<go={{ c.function.name }}>" + PARAMETERS.replace("%s", "<p={{ k }}>{{ v | length }}</p>") + "</go>"),
            "probe 'one call'",
        ),
    ],
)  # fmt: skip
def test_refusal_names_the_probe(calls: str, reason: str) -> None:
    with pytest.raises(FormatError, match="probe") as refused:
        inferred(chat(calls))
    assert reason in str(refused.value)


LIST = '{"tool": {{ c.function.name | tojson }}, "in": {{ c.function.arguments | tojson }}}'


@pytest.mark.parametrize(
    ("calls", "pattern"),
    [
        (each("[[{{ c.function.name }}]]{{ c.function.arguments | tojson }}[[/]]"), "[[{name}]]{arguments}[[/]]"),
        (each("[!{{ c.function.name }}!]{{ c.function.arguments | tojson }}[!!]"), "[!{name}!]{arguments}[!!]"),
        (each("%%{{ c.function.name }}%%{{ c.function.arguments | tojson }}%%end%%"), "%%{name}%%{arguments}%%end%%"),
        ("{% if m.tool_calls %}TOOLS=[" + each(LIST + "{{ ', ' if not loop.last }}") + "]{% endif %}", "TOOLS={calls}"),
        ('{% if m.tool_calls %}<x>{"calls": [' + each(LIST + "{{ ', ' if not loop.last }}") + "]}</x>{% endif %}", '<x>{"calls": {calls}}</x>'),
        # Fixed: `end` was found within the name `send_note`.
        (each("run {{ c.function.name }}\n" + PARAMETERS.replace("%s", "- {{ k }} = {{ v | tojson }}\n") + "end\n"), "run {name}\n{parameters}end"),
    ],
)  # fmt: skip
def test_closers_like_openers_and_wrappers(calls: str, pattern: str) -> None:
    found = inferred(chat(calls))
    assert found.format.call.startswith(pattern)
    assert not any("random messages" in line for line in found.losses)


@pytest.mark.usefixtures("impatient")
def test_hostile_templates_are_held() -> None:
    loops = "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}"
    with pytest.raises(FormatError, match="no format"):
        infer(loops, language="jinja", untrusted=True)


def test_declarations() -> None:
    found = inferred(chat(CASES["quoted"][0])).format
    space: dict[str, Any] = {}
    exec(declaration(found), space)  # noqa: S102  # our own text
    assert space["INFERRED"] == found
    codec = {"codec": "Quoted", "quote": "<q>", "all": False, "commas": False}
    assert json.loads(found.to_json())["arguments"] == codec


# -- the pieces --------------------------------------------------------------------------------------------------------


def test_texts() -> None:
    assert common_prefix("\n</parameter>\n</function>", "\n</parameter>\n<parameter=") == "\n</parameter>\n"
    assert common_prefix("<|end|><|begin|>", "<|end|><|close|>") == "<|end|>"
    assert common_suffix("<a><calls_begin>", "<b><call_begin>") == ""
    assert common_suffix("x<call>", "y<call>") == "<call>"
    assert snapped("assistant\n<tool", 14) == 10
    assert snapped("abcdef", 3) == 0
    assert markers_of("a <b> [INST] c") == ["<b>", "[INST]"]
    assert markers_of(" plain ") == ["plain"]
    assert markers_of("  ") == []
    assert last_marker("<a><b>\n") == "<b>\n"
    assert last_marker("<a> b") == ""
    assert turn_ends("<|end|>\n<eos><|start|>user") == ["<|end|>", "<eos>"]
    assert turn_ends("words <|end|>") == []


def test_type_words() -> None:
    texts = {"string": '" type="string">x', "integer": '" type="int">3', "boolean": '" type="bool">true'}
    middle, words = _type_words('" type="string">', texts) or ("", {})
    assert middle == '" type="{type}">'
    assert words == {"string": "string", "integer": "int", "boolean": "bool", "*": "object"}
    assert _type_words("=", {"string": "=x", "integer": "=3"}) is None
    assert _type_words("=(", {"string": "=(x", "integer": "=3"}) is None


# -- the shared templates ----------------------------------------------------------------------------------------------

SOME = [
    "Qwen-Qwen3-0.6B",
    "GLM-4.7-Flash",
    "Kimi-K2-Thinking",
    "MiniMax-M1",
    "deepseek-ai-DeepSeek-V3.2",
    "unsloth-phi_4_mini",
]


@pytest.mark.skipif(not (SHARED / "templates").exists(), reason="../shared is not here (see fixtures/README.md)")
@pytest.mark.parametrize("alone", [False, True])
def test_some_shared_templates(alone: bool) -> None:
    some = depth.chosen(SOME, 1, key=lambda each: f"{each} {alone}")
    found = outcomes(some, alone=alone, samples=20)
    assert len(found) == len(some)
    for outcome in found:
        assert outcome.found is not None, outcome.error
        assert not outcome.wrong
        assert outcome.how == ("inferred" if alone else outcome.how)


# -- thinking ---------------------------------------------------------------------------------------------------------

PROMPT = "{% if add_generation_prompt %}<<bot>>\n{% endif %}"


@pytest.mark.parametrize(
    ("condition", "variables", "starts", "warned"),
    [
        ("enable_thinking", None, False, True),
        ("thinking", None, False, True),
        ("enable_thinking", {"enable_thinking": True, "thinking": True}, True, False),
        ("enable_thinking", {"enable_thinking": False, "thinking": False}, False, False),
        ("enable_thinking is not defined or enable_thinking", None, True, False),
    ],
)
def test_where_the_answer_depends_on_thinking_nothing_is_concluded(
    condition: str, variables: dict[str, Any] | None, starts: bool, warned: bool
) -> None:
    opening = "{% if add_generation_prompt %}<<bot>>\n{% if " + condition + " %}<mull>{% endif %}{% endif %}"
    found = infer(chat(CASES["whole"][0]).replace(PROMPT, opening), samples=20, variables=variables)
    assert found.starts_reasoning is starts
    assert (
        any(loss.startswith("probe 'without") and "ends its prompt differently" in loss for loss in found.losses)
        is warned
    )


def test_calls_that_depend_on_thinking_are_a_loss() -> None:
    calls = each(
        "{% if thinking %}<think-go>{% endif %}<go>{{ c.function.name }}<with>{{ c.function.arguments | tojson }}</go>"
    )
    found = infer(chat(calls), samples=20)
    assert any("writes calls differently" in loss for loss in found.losses)


def test_where_the_model_s_message_begins() -> None:
    found = infer(chat(CASES["whole"][0]), samples=20)
    assert found.marks == ("<<end>>\n<<bot>>", "<<end>>")


def test_what_a_refusal_still_knows() -> None:
    with pytest.raises(NoFormatError, match="does not write tool calls") as refused:
        infer(chat(""), samples=20)
    again = pickle.loads(pickle.dumps(refused.value))
    for error in (refused.value, again):
        assert error.drop == ("<<end>>",)
        assert error.marks == ("<<end>>\n<<bot>>", "<<end>>")
        assert "does not write tool calls" in str(error)


@pytest.mark.skipif(not SHARED.exists(), reason="../shared is not there")
@pytest.mark.parametrize(
    ("name", "family"), [("GLM-4.7-Flash", "glm-4.7"), ("xinf-GLM-4.6", "glm-4.5"), ("Spark2.5", "spark-2.5")]
)
def test_of_families_that_write_the_same_the_template_s_own_is_named(name: str, family: str) -> None:
    # GLM's were called Spark's, because that declares fewer markers, of which most are in any template.
    source = (SHARED / "templates/jinja" / f"{name}.jinja").read_text(encoding="utf-8")
    assert infer(source, samples=5).recognised == family


def test_words_that_begin_the_next_message_are_no_marker() -> None:
    """Fixed bug: `ASSISTANT:`, which a template always writes last, was taken out of answers."""
    template = (
        "{% for m in messages %}{{ m['role'] | upper }}: {{ m['content'] or '' }}"
        "{% for call in m['tool_calls'] or [] %}<tool>{{ call['function'] | tojson }}</tool>{% endfor %}\n{% endfor %}"
        "ASSISTANT:"
    )
    found = Format.from_template(template)
    assert "ASSISTANT:" not in found.drop
    said = "He said ASSISTANT: hello."
    assert parse(said, ["f"], format=found).content == said


def test_a_template_that_refuses_a_plain_reply() -> None:
    """The end of the turn was the closer of its only call, and stayed in the content of other turns."""
    template = (
        "{% for m in messages %}{% if m.role == 'user' %}<|user|>{{ m.content }}<|end|>\n"
        "{% elif m.role == 'assistant' %}{% if not m.tool_calls %}{{ raise_exception('only calls') }}{% endif %}<|assistant|>"
        "@@{{ m.tool_calls[0].function.name }} {{ m.tool_calls[0].function.arguments | tojson }}<|end|>\n"
        "{% endif %}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
    )
    found = Format.from_template(template)
    assert (found.call, found.drop) == ("@@{name} {arguments}", ("<|end|>",))
    assert parse("Hi.<|end|>", ["f"], format=found).content == "Hi."
