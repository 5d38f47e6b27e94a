# What `toolglean fuzz` says of templates: of good ones nothing, and of each that is broken in one way, that way. Does not
# depend on how the report is shown (tests/cli/test_templates.py).
"""The report of a template: what it does not write, and what it cannot carry."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from docs.make_carried import FILE, carried
from tests.support import depth
from toolglean import Format, FormatError
from toolglean.cli import main
from toolglean.formats import library
from toolglean.formats.registry import get_format
from toolglean.kit.testing import Report, RoundTrip, check_template
from toolglean.kit.testing.carrying import BECAME, KINDS, uncarried
from toolglean.sources.templates.infer.probes import Message

pytest.importorskip("jinja2")
pytestmark = pytest.mark.usefixtures("rendered_here")

HEAD = """{% for m in messages %}{% if m.role == 'user' %}<|im_start|>user
{{ m.content }}<|im_end|>
{% else %}<|im_start|>assistant
"""
TAIL = """<|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
THINK = "{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n\n{% endif %}"
CONTENT = "{{ m.content or '' }}"
NAME = '{"name": "{{ c.function.name }}", "arguments": '
JSON = "<go>" + NAME + "{{ c.function.arguments | tojson }}}</go>"


def each(text: str, calls: str = "m.tool_calls or []") -> str:
    return "{% for c in " + calls + " %}" + text + "{% endfor %}"


def chat(calls: str, content: str = THINK + CONTENT) -> str:
    return HEAD + content + calls + TAIL


def members(value: str) -> str:
    # The arguments as JSON that the template puts together itself.
    comma = "{{ ', ' if not loop.first }}"
    items = "{% for k, v in c.function.arguments.items() %}" + comma + '"{{ k }}": ' + value + "{% endfor %}"
    return "<go>" + NAME + "{{ '{' }}" + items + "}}</go>\n"


def parameters(text: str) -> str:
    return "<go={{ c.function.name }}>\n{% for k, v in c.function.arguments.items() %}" + text + "{% endfor %}</go>\n"


GOOD = chat(each(JSON + "\n"))
BROKEN = {
    "the first call only": (
        chat(each(JSON, "(m.tool_calls or [])[:1]")),
        "several-calls: the template does not write more than 1 of 2 calls: write each of message.tool_calls",
    ),
    "no escape": (chat(each(members('{% if v is string %}"{{ v }}"{% else %}{{ v | tojson }}{% endif %}'))), 'value: "\\"": the call is lost'),
    "sorted keys": (
        chat(each(JSON.replace("tojson", "tojson(sort_keys=true)"))),
        "order: the template sorts the keys of the arguments: write the arguments in their own order",
    ),
    "trimmed content": (
        chat(each(JSON + "\n"), THINK + "{{ (m.content or '') | trim }}"),
        "white-space: the template changes the white space of the content: write the content as it is, without |trim",
    ),
    "HTML escapes": (
        chat(each(parameters("<p={{ k }}>{{ (v if v is string else v | tojson) | e }}</p>\n"))),
        "write it as it is: without |e, and with autoescape off",
    ),
    "numbers as text": (
        chat(each(members('{% if v is number %}"{{ v }}"{% else %}{{ v | tojson }}{% endif %}'))),
        "numbers: the template writes numbers in quotation marks: write values that are not text with |tojson",
    ),
    "None": (
        chat(each(parameters("<p={{ k }}>\n{{ v if v is string or v is none else v | tojson }}\n</p>\n"))),
        "null: null: the argument None came back as 'None': write values that are not text with |tojson",
    ),
    "nested as repr": (
        chat(each(parameters("<p={{ k }}>\n{{ v if v is string or v is iterable else v | tojson }}\n</p>\n"))),
        "python: the template writes lists and objects as Python does: write values that are not text with |tojson",
    ),
    "keys with spaces": (
        chat(
            each(
                "<go {{ c.function.name }}{% for k, v in c.function.arguments.items() %} {{ k }}={{ v | tojson }}"
                "{% endfor %}/>\n"
            )
        ),
        'parameter: " x": the value is changed',
    ),
    "no closer after the last call": (
        chat(each(JSON.replace("</go>", "{% if not loop.last %}</go>\n{% endif %}"))),
        "closer: the last call of a turn has no '</go>': write the closer after each call",
    ),
    "no reasoning": (
        chat(each(JSON + "\n"), CONTENT),
        "reasoning: the template does not write the reasoning: write message.reasoning_content between",
    ),
    # Fixed: each of the next six had no fault, or one that does not tell what to do.
    "arguments as Python prints them": (
        chat(each(JSON.replace(" | tojson", "") + "\n")),
        "arguments-as-an-object: the template takes arguments only as a JSON string: write them with |tojson unless",
    ),
    "None in JSON": (
        chat(each(members("{{ 'None' if v is none else v | tojson }}"))),
        "null: the template writes null as Python does: write values that are not text with |tojson",
    ),
    "True in JSON": (
        chat(each(members("{{ v if v is boolean else v | tojson }}"))),
        "boolean: the template writes true and false as Python does: write values that are not text with |tojson",
    ),
    "no closer after the last call, with a name in brackets": (
        chat(
            each("[[do {{ c.function.name }}]] {{ c.function.arguments | tojson }}{{ ' [[/do]]\n' if not loop.last }}")
        ),
        "closer: the last call of a turn has no '[[/do]]': write the closer after each call",
    ),
    "content as parts only": (
        chat(each(JSON + "\n"), THINK + "{{ m.content[0].text }}").replace(
            "{{ m.content }}", "{{ m.content[0].text }}"
        ),
        "content-as-text: the template takes content only as a list of parts: accept text too",
    ),
    "calls in the past only": (
        chat("{% if not loop.last %}" + each(JSON + "\n") + "{% endif %}"),
        "calls-at-the-end: the template writes calls only if another message follows: write those of the last message",
    ),
    "a header between calls": (
        chat(each(JSON + "{% if not loop.last %}<|im_end|>\n<|im_start|>assistant\n{% endif %}")),
        "header: the template writes '<|im_end|>' between two calls: write all calls of a message before its end",
    ),
}  # fmt: skip


EXAMPLES = 10 if depth.is_full() else 2


def report_of(source: str, examples: int = EXAMPLES) -> Report:
    trip = RoundTrip(source)
    try:
        return trip.report(trip.find_failure(examples=examples, seed=0))
    finally:
        trip.close()


def test_a_good_template_has_no_faults() -> None:
    report = report_of(GOOD)
    assert report.faults() == ()
    assert report.tried >= EXAMPLES
    assert report.counts["calls"] == report.tried
    assert 0 < report.counts["several calls"] < report.tried


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", BROKEN)
def test_each_break_is_named(name: str, request: pytest.FixtureRequest) -> None:
    if name not in {"no escape", "keys with spaces"}:  # which only some values show
        request.getfixturevalue("few_signs")
    source, sentence = BROKEN[name]
    assert any(sentence in each for each in report_of(source).faults()), report_of(source).faults()


# One cause was told as several, with what to do about another: values that change at their edges were told as calls
# that are not all written, a closer that is missing too.
@pytest.mark.usefixtures("few_signs")
@pytest.mark.parametrize(
    ("name", "names"),
    [("no closer after the last call", ["closer"]), ("numbers as text", ["boolean", "numbers"]), ("None", ["null"])],
)
def test_each_cause_is_told_once(name: str, names: list[str]) -> None:
    assert [each.name for each in report_of(BROKEN[name][0], 1).losses] == names


@pytest.mark.usefixtures("few_signs")
def test_what_may_be_lost_is_no_fault() -> None:
    source, _ = BROKEN["no reasoning"]
    with pytest.raises(AssertionError, match="does not write the reasoning"):
        check_template(source, examples=2, seed=0)
    assert check_template(source, examples=2, seed=0, allow_loss=["reasoning"]).tried


GO = """{{- range .Messages }}<|im_start|>{{ .Role }}
{{ if .ToolCalls }}{{ range .ToolCalls }}CALL{{ end }}{{ else }}{{ .Content }}{{ end }}<|im_end|>
{{ end }}<|im_start|>assistant
"""
"""A template of Ollama's, which has its own words for what Jinja's are told to do."""


@pytest.mark.usefixtures("few_signs")
def test_a_go_template_is_told_in_words_of_go() -> None:
    parameter = "{{ range $k, $v := .Function.Arguments }}<p={{ $k }}>\n{{ $v }}\n</p>\n{{ end }}"
    faults = "\n".join(report_of(GO.replace("CALL", "<f={{ .Function.Name }}>\n" + parameter + "</f>"), 1).faults())
    assert "the template does not write the content: write .Content before the calls" in faults
    assert "write .Thinking between the markers of reasoning" in faults
    assert (
        "the template sorts the keys of the arguments: no Go template can keep their order, so allow this loss (--allow-loss order)"
        in faults
    )
    assert "write the value with {{ json … }}" in faults
    members = '{ {{- range $k, $v := .Function.Arguments }}"{{ $k }}": "{{ $v }}",{{ end }}"z": 1}'
    with pytest.raises(FormatError) as caught:
        report_of(GO.replace("CALL", '<go>{"name": "{{ .Function.Name }}", "arguments": ' + members + "}</go>"), 1)
    assert "write the arguments with {{ json … }}" in str(caught.value)
    assert not {word for word in ("tojson", "|items", "message.") if word in f"{faults}{caught.value}"}


def test_a_value_with_the_marks_of_the_format_is_an_injection() -> None:
    report = report_of(BROKEN["None"][0], examples=3)
    became = {each.became for each in report.uncarried if each.kind == "value"}
    assert {"another call is made", "another argument is set", "the value is changed"} <= became
    shortest = next(each for each in report.uncarried if (each.kind, each.became) == ("value", BECAME[3]))
    assert shortest.text == "</p>"
    assert "write the value with |tojson" in str(shortest)


@pytest.mark.usefixtures("few_signs")
def test_the_report_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "template.jinja"
    file.write_text(BROKEN["no reasoning"][0], encoding="utf-8")
    for allowed, code in (([], 1), (["--allow-loss", "reasoning"], 0)):
        assert main(["fuzz", str(file), "--json", "--examples", "1", *allowed]) == code
        found = json.loads(capsys.readouterr().out)
        assert [each["name"] for each in found["losses"]] == ["reasoning"]
        assert len(found["faults"]) == code
        assert found["failure"] is None
    assert main(["fuzz", str(file), "--examples", "1", "--allow-loss", "nonsense"]) == 1
    said = capsys.readouterr()
    assert "The template does not write:\n  reasoning " in said.out
    assert "--allow-loss nonsense: the template has no such loss" in said.err


@pytest.mark.usefixtures("few_signs")
def test_a_template_that_does_not_write_the_users_text(capsys: pytest.CaptureFixture[str]) -> None:
    """The prompt was its last character, ">", so the call was in a quoted line."""
    template = Path(__file__).parents[2] / "fixtures/templates/section.jinja"
    main(["fuzz", str(template), "--json", "--examples", "2"])
    assert json.loads(capsys.readouterr().out)["failure"] is None


# -- the formats of the library ----------------------------------------------------------------------------------------


def test_the_table_of_formats_has_each_of_them() -> None:
    table = json.loads(FILE.read_text(encoding="utf-8"))
    assert list(table) == [each.name for each in library.formats()]
    assert {kind for kinds in table.values() for kind, _ in kinds} <= KINDS.keys()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "mistral-v13"])
def test_the_table_of_formats_is_true(name: str) -> None:
    table = json.loads(FILE.read_text(encoding="utf-8"))
    assert [tuple(each) for each in table[name]] == carried(get_format(name)), "run `python -m docs.make_carried`"


def test_values_that_end_with_a_sign_are_split() -> None:
    # `{key}={value};`: 200 random messages came back, and `x;b=1` did not.
    declared = Format("pairs", call="<do {name}>{parameters}</do>", parameter="{key}={value};")
    found = uncarried(lambda message, _: (_written(message), ""), declared)
    assert any(each.kind == "value" and ";" in each.text for each in found)


def _written(message: Message) -> str:
    return "".join(
        f"<do {call.name}>{''.join(f'{key}={value};' for key, value in call.arguments.items())}</do>"
        for call in message.calls
    )


def test_without_hypothesis_the_extra_is_named() -> None:
    code = "import sys; sys.modules['hypothesis'] = None; import toolglean.kit.testing"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ImportError: toolglean.kit.testing needs Hypothesis" in done.stderr
    assert "[fuzz]" in done.stderr
