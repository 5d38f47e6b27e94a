# Every way in which a template can be broken: the template, with `§` before the character that the error must point at,
# and a part of the reason. Line and column follow from the mark.
"""Tests of what is said of a broken template."""

from __future__ import annotations

import pytest

from toolglean.errors import TemplateError
from toolglean.sources.templates import parse_tag, tag_of

GO = {
    # actions (test_golang_lexer.py has every fault of them, and test_golang_literals.py those of literals)
    "a\nb §{{.C": "unclosed action",
    "{{/* a */§ }}": "comment ends before",
    # literals
    '{{§"\\q"}}': "unknown escape",
    "{{§99999999999999999999}}": "integer overflow",
    '{{define §"\\q"}}{{end}}': "unknown escape",
    # pipelines
    "{{§}}": "missing value for command",
    "{{if§}}{{end}}": "missing value for if",
    "{{range .A}}{{with§}}{{end}}{{end}}": "missing value for with",
    "{{print (§)}}": "missing value for parenthesized pipeline",
    "{{§| print}}": "unexpected '|' in command",
    "{{.A | §| .B}}": "unexpected '|' in command",
    "{{.A | §1}}": "non executable command in pipeline stage 2",
    "{{.A | print | §nil}}": "non executable command in pipeline stage 3",
    "{{.A§(.B)}}": "unexpected '(' in operand",
    "{{.A §, .B}}": "unexpected ',' in operand",
    "{{.A §:= 1}}": "unexpected ':=' in operand",
    "{{§1.5.A}}": "unexpected . after a value",
    '{{§"a".B}}': "unexpected . after a value",
    "{{§nil.A}}": "unexpected . after a value",
    "{{print §if}}": "unexpected {{if}} in operand",
    # names
    "a\n  {{ §now }}": "function 'now' not defined",
    "{{§$x}}": "undefined variable '$x'",
    "{{if .A}}{{$x := 1}}{{end}}{{§$x}}": "undefined variable '$x'",
    '{{$x := 1}}{{block "a" .}}{{§$x}}{{end}}': "undefined variable '$x'",
    "{{$x := 1}}{{define `a`}}{{§$x}}{{end}}": "undefined variable '$x'",
    "{{with $x§, $y := .A}}{{end}}": "too many declarations in with",
    "{{range $x, $y§, $z := .A}}{{end}}": "too many declarations in range",
    "{{range $x, §.A}}{{end}}": "range can only initialize variables",
    # blocks
    "a\n{{§end}}": "unexpected {{end}}",
    "{{§else}}": "unexpected {{else}}",
    "{{if .A}}{{else}}{{§else}}{{end}}": "unexpected {{else}}",
    "{{if .A}}{{else}}{{§else if .B}}{{end}}": "unexpected {{else}}",
    "{{range .A}}{{else §if .B}}{{end}}": "unexpected {{if}} in else",
    "{{if .A}}{{else §with .B}}{{end}}": "unexpected {{with}} in else",
    "{{define `a`}}{{§else}}{{end}}": "unexpected {{else}}",
    "{{if .A}}{{end §.B}}": "unexpected '.B' in end",
    "{{§if .A}}": "{{if}} has no {{end}}",
    "a\n{{if .A}}{{§range .B}}\nc": "{{range}} has no {{end}}",
    "{{if .A}}{{else §if .B}}": "{{if}} has no {{end}}",
    "{{§define `a`}}": "{{define}} has no {{end}}",
    "{{§break}}": "{{break}} outside {{range}}",
    "{{range .A}}{{else}}{{§continue}}{{end}}": "{{continue}} outside {{range}}",
    "{{range .A}}{{block `a` .}}{{§break}}{{end}}{{end}}": "{{break}} outside {{range}}",
    "{{range .A}}{{break §1}}{{end}}": "unexpected '1' in {{break}}",
    # templates
    "{{template §.A}}": "unexpected '.A' in template clause",
    "{{define §}}{{end}}": "unexpected '}}' in define clause",
    "{{define `a` §.}}{{end}}": "unexpected '.' in define clause",
    "{{block `a`§}}{{end}}": "missing value for block clause",
    "{{if .A}}{{§define `a`}}{{end}}{{end}}": "{{define}} within another block",
    "{{define `a`}}x{{end}}{{§define `a`}}y{{end}}": "multiple definition of template 'a'",
}


@pytest.mark.parametrize("marked", GO)
def test_a_broken_go_template_says_where(marked: str) -> None:
    source = marked.replace("§", "")
    pos = marked.index("§")
    with pytest.raises(TemplateError) as caught:
        parse_tag(source)
    error = caught.value
    assert GO[marked] in error.reason
    before = source[:pos].split("\n")
    assert (error.line, error.column) == (len(before), len(before[-1]) + 1)
    assert error.text == source.split("\n")[error.line - 1]


JINJA = {
    "{% if a %}": (1, "Unexpected end of template"),
    "a\n\n{{ b": (3, "unexpected end of template"),
    "{% endif %}": (1, "unknown tag 'endif'"),
    "a\r\n{{ 'b }}": (2, "unexpected char"),
    "{% for %}": (1, "Expected an expression"),
    "{% generation %}a": (1, "Unexpected end of template"),
    "{{ " + "9" * 5_000 + " }}": (1, "Exceeds the limit"),
    "{{ x" + "(" * 2_000 + ")" * 2_000 + " }}": (1, "nested too deeply"),
    "{{ 'a'" + " + 'a'" * 2_000 + " }}{% if b %}{% endif %}": (1, "nested too deeply"),
}


@pytest.mark.parametrize("source", JINJA, ids=lambda source: source[:20])
def test_a_broken_jinja_template_says_in_which_line(source: str) -> None:
    pytest.importorskip("jinja2")
    line, reason = JINJA[source]
    with pytest.raises(TemplateError, match=reason) as caught:
        tag_of(source, "jinja")
    assert (caught.value.line, caught.value.column) == (line, 0)  # Jinja tells no column
    assert caught.value.text == source.replace("\r\n", "\n").split("\n")[line - 1]
