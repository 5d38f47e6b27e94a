# Tags, from the closest proof to the widest: rows made up for each rule; whole templates, also made up, in fixtures/;
# what Ollama's own parser answered, and 400 real templates with what they really write, where ../shared is at hand.
"""Tests of the tags of chat templates."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import depth
from tests.support.shared import FIXTURES, SHARED, shared_rows
from tests.support.work import calls_made
from toolglean.errors import TemplateError
from toolglean.sources.templates import TemplateTag, parse_tag, tag_of, template_language
from toolglean.sources.templates.markers import tag_before

# --- Ollama's rule -------------------------------------------------------------------------------------------------

OLLAMA = {
    "": "{",
    "<call>": "{",
    "{{if .ToolCalls}}<call>{{end}}": "<call>",
    # which test
    "{{if len .ToolCalls}}<call>{{end}}": "<call>",
    "{{if and .ToolCalls .Last}}<call>{{end}}": "<call>",
    "{{if .Message.ToolCalls}}<call>{{end}}": "<call>",
    "{{if .Messages | .ToolCalls}}<call>{{end}}": "<call>",
    "{{$m := .}}{{if $m.ToolCalls}}<call>{{end}}": "{",
    "{{if (len .ToolCalls)}}<call>{{end}}": "{",
    "{{if .Toolcalls}}<call>{{end}}": "{",
    "{{with .ToolCalls}}<call>{{end}}": "{",
    "{{range .ToolCalls}}<call>{{end}}": "{",
    "{{range .Messages}}{{if .ToolCalls}}<call>{{end}}{{end}}": "<call>",
    "{{with .A}}{{else}}{{if .ToolCalls}}<call>{{end}}{{end}}": "<call>",
    "{{if .A}}a{{else if .ToolCalls}}<call>{{end}}": "<call>",
    "{{if .ToolCalls}}<one>{{end}}{{if .ToolCalls}}<two>{{end}}": "<one>",
    "{{if .ToolCalls}}{{end}}{{if .ToolCalls}}<two>{{end}}": "{",  # the first test counts, text or not
    "{{if .A}}{{if .ToolCalls}}<in>{{end}}{{else}}{{if .ToolCalls}}<else>{{end}}{{end}}": "<in>",
    '{{define "a"}}{{if .ToolCalls}}<call>{{end}}{{end}}': "{",
    '{{block "a" .}}{{if .ToolCalls}}<call>{{end}}{{end}}': "{",
    # which text
    "{{if .ToolCalls}} \n\t{{range .ToolCalls}}<call>{{end}}{{end}}": "<call>",
    "{{if .ToolCalls}}{{.Content}}<call>{{end}}": "{",
    "{{if .ToolCalls}}{{$x := 1}}<call>{{end}}": "{",
    "{{if .ToolCalls}}{{/* a */}}<call>{{end}}": "<call>",
    '{{if .ToolCalls}}{{template "a"}}<call>{{end}}': "<call>",
    "{{if .ToolCalls}}{{if .A}}{{.B}}{{else}}<else>{{end}}<call>{{end}}": "<else>",
    "{{if .ToolCalls}}{{if .A}}{{end}}<call>{{end}}": "{",
    "{{if .ToolCalls}}{{range .A}}{{break}}{{end}}<call>{{end}}": "{",
    "{{if .ToolCalls}}{{with .A}}{{.}}{{end}}<call>{{end}}": "{",
    "{{if .ToolCalls}}{{else}}<else>{{end}}": "{",
    # what of it
    "{{if .ToolCalls}} <call> {{end}}": "<call>",
    '{{if .ToolCalls}}<call>{"name": "a{{end}}': "<call>",
    "{{if .ToolCalls}} {<call>{{end}}": "{",
    "{{if .ToolCalls}}Do:\r\n```json{{end}}": "Do:\n```json",
    "{{if .ToolCalls}}\u2003[CALLS] [\u00a0{{end}}": "[CALLS] [",
    "{{if .ToolCalls}}\x1c<call>{{end}}": "\x1c<call>",  # white space to Python, none to Go
    "{{if .ToolCalls -}}\n <call>{{end}}": "<call>",
}


def test_the_rule_of_ollama() -> None:
    assert {template: parse_tag(template) for template in OLLAMA} == OLLAMA


@pytest.mark.parametrize("name", ["tools_tests.jsonl", "tools_random.jsonl.gz"])
def test_the_tags_that_ollama_found(name: str) -> None:
    cases = [row for row in shared_rows(f"vectors/ollama/{name}") if row.get("template") is not None]
    assert len(cases) > 50
    assert [row["id"] for row in cases if parse_tag(row["template"]) != row["tag"]] == []


def test_a_deep_template_has_a_tag() -> None:
    deep = "{{if .A}}" * 998 + "{{if .ToolCalls}}{{if .B}}<call>{{end}}{{end}}" + "{{end}}" * 998
    assert parse_tag(deep) == "<call>"


# --- languages -----------------------------------------------------------------------------------------------------

LANGUAGES = {
    "": "go",
    "text { } only": "go",
    "{{ .Prompt }}": "go",
    "{{- .Prompt }}": "go",
    "{{.}}": "go",
    "a {{- range .Messages }}{{ end }}": "go",
    "{{ if true }}{{ end }}": "go",
    "{{$m := 1}}": "go",
    "{{/* {% a %} */}}": "go",
    "{{- /* c */ -}}": "go",
    "{{ json 1 }}": "go",
    '{{ template "a" }}': "go",
    "use {{ .A }} not {% if %}": "go",
    "{% if a %}": "jinja",
    "{#- c -#}": "jinja",
    "{{ messages[0].content }}": "jinja",
    "{{ bos_token }}{{ .A }}": "jinja",
    "{{ 'a' }}{% if b %}": "jinja",
    "{{ '{{ .A' }}": "go",  # no telling from a string; what is in it looks like Go
    "{{ range(3) }}": "jinja",
    "{{ not.a }}": "jinja",
    "{{ .5 }}{{ x }}": "jinja",
}


def test_languages() -> None:
    assert {source: template_language(source) for source in LANGUAGES} == LANGUAGES


# --- tag and closer ------------------------------------------------------------------------------------------------

FILES = {
    "tagged.jinja": TemplateTag("<call>", "</call>", "jinja"),
    "section.jinja": TemplateTag("<|calls_begin|>", "<|calls_end|>", "jinja"),
    "bare.jinja": TemplateTag("{", "", "jinja"),
    "tagged.gotmpl": TemplateTag("<call>", "</call>", "go"),
    "list.gotmpl": TemplateTag("[CALLS] [", "]", "go"),
}

GO = {
    "{{if .ToolCalls}}<a>{{range .ToolCalls}}{{.}}{{end}}</a>{{end}}": ("<a>", "</a>"),
    "{{if .ToolCalls}}{{range .ToolCalls}}<a>{{.}}\n</a>\n{{end}}<|over|>{{end}}": ("<a>", "</a>"),
    "{{if .ToolCalls}}<|a▁begin|>{{range .ToolCalls}}<|b▁begin|>{{.}}<|b▁end|>{{end}}<|a▁end|>{{end}}": ("<|a▁begin|>", "<|a▁end|>"),
    "{{if .ToolCalls}}[{{range .ToolCalls}}{{.}}{{end}}]{{end}}": ("[", "]"),
    "{{if .ToolCalls}}Do: ```json\n[{{range .ToolCalls}}{{.}}{{end}}]\n```{{end}}": ("Do: ```json\n[", "```"),
    # no closer is better than a wrong one
    "{{if .ToolCalls}}<a>{{range .ToolCalls}}{{.}}{{end}}<|over|>{{end}}": ("<a>", ""),
    "{{if .ToolCalls}}{{range .ToolCalls}}{{.}}{{end}}]{{end}}": ("{", ""),
    "{{if .ToolCalls}}<a>{{.ToolCalls}}</a>{{end}}": ("<a>", ""),
    "{{if .ToolCalls}}<a>{{end}}</a>": ("<a>", ""),
    "<a>{{range .ToolCalls}}{{.}}{{end}}</a>": ("{", ""),
}  # fmt: skip

NAME, ARGUMENTS = "{{ c.function.name }}", "{{ c.function.arguments | tojson }}"
CALL = '{"name": "' + NAME + '", "arguments": ' + ARGUMENTS + "}"
CALLS = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls %}"
ENDS = "{% endfor %}<|im_end|>\n{% endfor %}"
JINJA = {
    # where the call begins, and what follows it
    CALLS + "<a>" + CALL + "</a>" + ENDS: ("<a>", "</a>"),
    CALLS + "{% if loop.first %}<s>{% endif %}<a>" + CALL + "</a>{% if loop.last %}</s>{% endif %}" + ENDS: (
        "<s>",
        "</s>",
    ),
    CALLS + "[CALLS] [" + CALL + "]</s>" + ENDS: ("[CALLS]", ""),
    CALLS + "go[" + CALL + "]" + ENDS: ("go[", "]"),
    CALLS + '[f(x="' + NAME + ARGUMENTS + '")]' + ENDS: ('[f(x="', ""),
    CALLS + "<a>\n<b=" + NAME + ">\n" + ARGUMENTS + "</b>\n</a>" + ENDS: ("<a>", "</a>"),
    CALLS + '<f name="' + NAME + '">' + ARGUMENTS + "</f>" + ENDS: ('<f name="', "</f>"),
    CALLS + "<f=" + NAME + ">" + ARGUMENTS + "</f>" + ENDS: ("<f=", "</f>"),
    CALLS + "to=" + NAME + " " + ARGUMENTS + ENDS: ("to=", ""),
    CALLS + "Do:\n```json\n" + CALL + "\n```" + ENDS: ("Do:", ""),
    # templates that change what they are given, or read JSON, which only some engines let them
    CALLS + "{% set _ = messages.append(m) if 0 %}{% set a = c.function.arguments | from_json %}<a>" + NAME
    + "{{ a | tojson }}</a>" + ENDS: ("<a>", "</a>"),
    # calls that are changed, so that no format reads them
    CALLS + "<a>" + NAME + "{{ c.function.arguments | tojson | upper }}</a>" + ENDS: ("<a>", "</a>"),
    CALLS + "<a>" + NAME + "</a>" + ENDS: ("<a>", "</a>"),
    # bare, none, or never rendered
    CALLS + CALL + ENDS: ("{", ""),
    "{% for m in messages %}{{ m.content }}{% endfor %}": ("{", ""),
    "{{ raise_exception('never') }}": ("{", ""),
    "{% macro w(c) %}{{ w(c) }}{% endmacro %}" + CALLS + "<a>{{ w(c) }}" + CALL + ENDS: ("{", ""),
}  # fmt: skip

BEFORE = {
    # the header of the message, and what closes something else, are not part of a tag
    "<|im_start|>assistant\n<a>": "<a>",
    ">>bot:\n</c><a>": "<a>",
    "<|python_start|>I look.<|python_end|>": "{",
    "</think><a>": "<a>",
    "<think>\n\n</think>\n\n<a>\n": "<a>",
    "<|START_THINKING|>I look.<|END_THINKING|><|START_ACTION|>[\n": "<|START_ACTION|>",
    "<|end_header_id|>\n\n<a>": "<a>",
    # how much of it
    "<a>\n<b=": "<a>",
    '<a id="0"': '<a id="0"',
    "Do:\n```json\n": "Do:",
    '<a>{"name": "': "<a>",
    "go[": "go[",
    "[": "[",
    '{"name": "': "{",
    "prose " * 50: "{",
    "": "{",
}


@pytest.mark.parametrize("name", FILES)
def test_whole_templates(name: str) -> None:
    if name.endswith(".jinja"):
        pytest.importorskip("jinja2")
    assert tag_of((FIXTURES / "templates" / name).read_text(encoding="utf-8")) == FILES[name]


def test_go_closers() -> None:
    found = {template: tag_of(template, "go") for template in GO}
    assert {template: (each.tag, each.closer) for template, each in found.items()} == GO


@pytest.mark.parametrize("template", JINJA)
def test_jinja_tags(template: str) -> None:
    pytest.importorskip("jinja2")
    found = tag_of(template, "jinja")
    assert (found.tag, found.closer) == JINJA[template]


def test_the_text_before_a_call() -> None:
    assert {text: tag_before(text) for text in BEFORE} == BEFORE


# --- real templates ------------------------------------------------------------------------------------------------


def real_templates(folder: str) -> dict[str, str]:
    """Name and text of the templates in a folder of ../shared; the test is skipped where it is not there."""
    path = SHARED / "templates" / folder
    if not path.exists():
        pytest.skip(f"../shared is not here: templates/{folder} may not be committed")
    return {file.stem: file.read_bytes().decode() for file in sorted(path.iterdir())}


def test_real_go_templates_are_read() -> None:
    templates = real_templates("go")
    assert len(templates) > 190
    assert Counter(tag_of(text).language for text in templates.values()) == {"go": len(templates)}


def test_real_jinja_templates_start_their_calls_with_the_tag() -> None:
    pytest.importorskip("jinja2")
    templates = real_templates("jinja")
    turns: dict[str, list[dict[str, Any]]] = {}
    for row in shared_rows("renders/jinja.jsonl.gz"):
        if row["case"] in {"one", "two", "zero"} and row["template"] in templates:
            turns.setdefault(row["template"], []).append(row)
    triggers = {
        name: wire["trigger"]
        for wire in json.loads((SHARED / "renders/wire_formats.json").read_text(encoding="utf-8"))
        for name in wire["templates_jinja"]
    }
    names = depth.chosen(turns, 1, key=str, group=triggers.__getitem__)
    verdicts = {name: _verdict(tag_of(templates[name]).tag, triggers[name], turns[name]) for name in names}
    others = {name: verdict for name, verdict in verdicts.items() if verdict != "right"}
    assert others.items() <= {("meetkai-functionary-medium-v3.2", "generic")}


def _verdict(tag: str, trigger: str, rows: list[dict[str, Any]]) -> str:
    """Right: the tag is where every turn's call begins, as its label says, in part or whole."""
    start = _literal(trigger)
    places = [(row["rendered_assistant_turn"].find(tag), row["rendered_assistant_turn"].find(start)) for row in rows]
    if all(at == start_at != -1 for at, start_at in places):
        return "right"
    return "generic" if tag == "{" else "wrong"


def _literal(trigger: str) -> str:
    # Labels say NAME for the name, and explain themselves in parentheses: the literal part is what a turn begins with.
    spelled = trigger.partition("NAME")[0].partition(" (")[0].strip()
    return "to=functions." if spelled.endswith("to=functions.") else spelled


# --- anything at all -----------------------------------------------------------------------------------------------

# What actions are made of; ␣ is a space within a piece.
ACTIONS = """
{{ }} {{- -}} {% %} {# #} /* */ if else end endif range for␣c␣in with define block template break . .ToolCalls $x := =
, | ( ) ` " ' \\ 1 0x 1i + - nil true json tool_calls m.tool_calls loop.first set␣x macro␣w(c) endmacro endfor [ ] ~
is␣defined not and <call> {{␣.A␣}} {{␣c.name␣}} {%␣endif␣%} {{end}} generation endgeneration
raise_exception() é
"""
PIECES = [piece.replace("␣", " ") for piece in ACTIONS.split()] + [" ", "\n", "\r\n"]
SOUP = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join)


@given(SOUP, st.sampled_from([None, "go", "jinja"]))
def test_nothing_but_a_template_error_ever_comes(source: str, language: str | None) -> None:
    pytest.importorskip("jinja2")
    found = tag_or_error(source, language)
    if isinstance(found, TemplateError):
        assert 1 <= found.line <= len(re.split(r"\r\n|\r|\n", source))
        assert (language == "go") <= found.column <= len(found.text) + 1
        assert str(found)
    else:
        assert found.tag
        assert found.closer != found.tag


def tag_or_error(source: str, language: str | None = None) -> TemplateTag | TemplateError:
    try:
        return tag_of(source, language)
    except TemplateError as error:
        return error


DOUBLING = {
    "values": '{% set x = "a" %}' + "{% set x = x ~ x %}" * 100,
    "macros": "".join(f"{{% macro m{n}() %}}{{{{ m{n - 1}() }}}}{{{{ m{n - 1}() }}}}{{% endmacro %}}" for n in range(1, 50)) + "{{ m49() }}",
}  # fmt: skip


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", DOUBLING)
def test_nothing_doubles_without_end(name: str) -> None:
    pytest.importorskip("jinja2")
    # Doubled fifty times, it would never end: a child gives up.
    assert tag_of(DOUBLING[name] + CALLS + "<a>" + CALL + ENDS, untrusted=True).tag == "{"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "piece", ["{{if .A}}a{{end}}", "{{$x := 1}}{{$x}}\n", "{{/* a */}}", " \n{{- .A -}} ", "{{", "{{(", '{{"']
)
def test_the_work_grows_with_the_text(piece: str) -> None:
    pytest.importorskip("jinja2")
    tag_or_error(piece)  # what is made once is made before
    few, many = (calls_made(lambda size=size: tag_or_error(piece * size)) / size for size in (100, 800))  # type: ignore[misc]
    assert many < 1.3 * few
