# One row for each form of the grammar: the template, and its tree as `shown` writes it:
#
#   'text'   [stage | stage] is a pipeline, in it `.A $x.B f "s" 1 (…)`   if [ … ] { … } else { … }
#
# The last tests compare the tree with its source: every place is in it, and the text there matches the node.
"""Tests of the parser of Go templates."""

from __future__ import annotations

from typing import Any

import pytest

from toolglean.errors import TemplateError
from toolglean.sources.templates.golang import MAX_DEPTH, nodes, parse

TREES = {
    "": "",
    "a": "'a'",
    "{{.}}": "[.]",
    "{{.A.B}}": "[.A.B]",
    "{{$}}{{$.A}}": "[$] [$.A]",
    "{{nil | print}}": "[nil | print]",
    "{{true}}{{false}}": "[True] [False]",
    "{{1}}{{'a'}}{{1.5}}{{2i}}": "[1] [97] [1.5] [2j]",
    '{{"a\\n"}}{{`b`}}': "['a\\n'] ['b']",
    "{{len .A | printf `%d` 1}}": "[len .A | printf '%d' 1]",
    "{{.A|json}}": "[.A | json]",
    "{{.A .B}}{{.A.B}}": "[.A .B] [.A.B]",
    "{{(.A).B}}{{(.A) .B}}": "[([.A]).B] [([.A]) .B]",
    "{{(index .A 0).B.C}}": "[([index .A 0]).B.C]",
    "{{json.A}}": "[(json).A]",
    "{{print (1 | print) ((.A))}}": "[print ([1 | print]) ([([.A])])]",
    "{{.A | }}": "[.A]",  # Go minds no empty last stage
    # variables
    "{{$x := 1}}{{$x}}": "[$x := 1] [$x]",
    "{{$x := 1}}{{$x = .A}}": "[$x := 1] [$x = .A]",
    "{{$m := .}}{{$m.ToolCalls}}": "[$m := .] [$m.ToolCalls]",
    "{{print ($x := 1) $x}}": "[print ([$x := 1]) $x]",
    "{{with $x := .A}}{{$x}}{{end}}": "with [$x := .A] { [$x] }",
    "{{if $x := .A}}a{{else}}{{$x}}{{end}}": "if [$x := .A] { 'a' } else { [$x] }",
    "{{if true}}{{$x := 1}}{{else}}{{$x}}{{end}}": "if [True] { [$x := 1] } else { [$x] }",  # as Go, odd as it is
    # blocks
    "{{if .A}}a{{end}}": "if [.A] { 'a' }",
    "{{if .A}}{{end}}": "if [.A] { }",
    "{{if .A}}a{{else}}b{{end}}": "if [.A] { 'a' } else { 'b' }",
    "{{if .A}}a{{else if .B}}b{{else}}c{{end}}d": "if [.A] { 'a' } else { if [.B] { 'b' } else { 'c' } } 'd'",
    "{{with .A}}a{{else with .B}}b{{end}}": "with [.A] { 'a' } else { with [.B] { 'b' } }",
    "{{if .A}}{{if .B}}b{{end}}{{else}}c{{end}}": "if [.A] { if [.B] { 'b' } } else { 'c' }",
    "{{range .A}}{{.}}{{end}}": "range [.A] { [.] }",
    "{{range .A}}a{{else}}b{{end}}": "range [.A] { 'a' } else { 'b' }",
    "{{range $x := .A}}{{$x}}{{end}}": "range [$x := .A] { [$x] }",
    "{{range $i, $x := .A}}{{$i}}{{$x}}{{end}}": "range [$i, $x := .A] { [$i] [$x] }",
    "{{range $i, $x = .A}}{{end}}": "range [$i, $x = .A] { }",
    "{{range .A}}{{break}}{{continue}}{{end}}": "range [.A] { break continue }",
    "{{range .A}}{{if .B}}{{break}}{{end}}{{end}}": "range [.A] { if [.B] { break } }",
    "{{range .A}}{{range .B}}{{else}}{{break}}{{end}}{{end}}": "range [.A] { range [.B] { } else { break } }",
    # templates
    '{{template "t"}}{{template `t` .A}}': "template 't' template 't' [.A]",
    # trimming
    "a \n {{- if .A -}} \n b {{- end -}} \n c": "'a' if [.A] { 'b' } 'c'",
    "a {{- /* no node */ -}} b": "'a' 'b'",
}

DEFINED = {
    '{{define "a"}}x{{end}}y': {"": "'y'", "a": "'x'"},
    '{{block "a" .B}}x{{end}}y': {"": "template 'a' [.B] 'y'", "a": "'x'"},
    '{{block "a" .}}{{block "b" .}}x{{end}}{{end}}': {"": "template 'a' [.]", "a": "template 'b' [.]", "b": "'x'"},
    '{{define "a"}}x{{end}}{{define "a"}} {{end}}': {"": "", "a": "'x'"},  # a blank one replaces none
    '{{define "a"}} {{end}}{{define "a"}}x{{end}}': {"": "", "a": "'x'"},
    '{{define ""}}x{{end}}': {"": "'x'"},  # its name is the root's, and the root is blank
}  # fmt: skip


def test_the_grammar() -> None:
    assert {source: shown(parse(source).root) for source in TREES} == TREES


def test_templates_that_a_template_defines() -> None:
    trees = {source: {name: shown(tree) for name, tree in parse(source).trees.items()} for source in DEFINED}
    assert trees == DEFINED


def test_other_functions_are_not_known() -> None:
    with pytest.raises(TemplateError, match="function 'now' not defined"):
        parse("{{now}}")


def test_the_functions_of_ollama_are_known() -> None:
    parse("{{json .}}{{toJson .}}{{currentDate}}{{yesterdayDate}}{{toTypeScriptType .}}{{slice . 1}}")


@pytest.mark.parametrize("opening", ["{{if .A}}", "{{range .A}}", "{{with .A}}", "{{if .A}}{{else}}{{with .B}}"])
def test_blocks_nest_up_to_the_limit(opening: str) -> None:
    times = MAX_DEPTH // opening.count(" ")
    parse(opening * times + "{{end}}" * MAX_DEPTH)
    with pytest.raises(TemplateError, match="nested deeper than 1000 levels"):
        parse(opening * (times + 1))


def test_an_else_if_is_a_level() -> None:
    parse("{{if .A}}" + "{{else if .B}}" * (MAX_DEPTH - 1) + "{{end}}")
    with pytest.raises(TemplateError, match="nested deeper than 1000 levels"):
        parse("{{if .A}}" + "{{else if .B}}" * MAX_DEPTH + "{{end}}")


def test_parentheses_nest_up_to_the_limit() -> None:
    parse("{{" + "(" * MAX_DEPTH + ".A" + ")" * MAX_DEPTH + "}}")
    with pytest.raises(TemplateError, match="nested deeper than 1000 levels") as caught:
        parse("{{" + "(" * (MAX_DEPTH + 1) + ".A" + ")" * (MAX_DEPTH + 1) + "}}")
    assert caught.value.column == MAX_DEPTH + 3


def test_every_node_knows_its_place() -> None:
    source = (
        'a{{if and .A (not $.B) -}} b {{range $i, $x := .C}}{{$x.D | printf "%s" 1.5}}{{break}}{{else}}c{{end}}'
        '{{end}}{{with nil}}{{end}}{{template "t" true}}{{block "u" .}}{{(json .).E}}{{end}}'
    )
    found = {(type(node).__name__, source[node.pos : node.pos + 4]) for node in every(parse(source))}
    assert found >= {
        *(("Text", "a{{i"), ("If", "if a"), ("Pipe", "and "), ("Command", "and "), ("Function", "and ")),
        *(("Field", ".A ("), ("Pipe", "not "), ("Variable", "$.B)"), ("Text", "b {{"), ("Range", "rang")),
        *(("Pipe", "$i, "), ("Variable", "$x.D"), ("Literal", '"%s"'), ("Literal", "1.5}"), ("Jump", "brea")),
        *(
            ("With", "with"),
            ("Literal", "nil}"),
            ("TemplateCall", "temp"),
            ("Literal", "true"),
            ("TemplateCall", "bloc"),
        ),
        *(("Chain", "json"), ("Dot", ".).E")),
    }


def every(template: nodes.Template) -> list[Any]:
    """All nodes of a template, commands and arguments too."""
    found = []
    pending: list[Any] = [node for tree in template.trees.values() for node in tree]
    while pending:
        node = pending.pop()
        found.append(node)
        for name in ("pipe", "base"):
            child = getattr(node, name, None)
            pending += [child] if child is not None else []
        for name in ("body", "otherwise", "commands", "args"):
            pending += getattr(node, name, None) or []
    return found


# --- how a tree is shown -------------------------------------------------------------------------------------------


def shown(tree: list[nodes.Node]) -> str:
    return " ".join(map(_node, tree))


def _node(node: nodes.Node) -> str:
    if isinstance(node, nodes.Text):
        return repr(node.text)
    if isinstance(node, nodes.Action):
        return _pipe(node.pipe)
    if isinstance(node, nodes.Jump):
        return node.word
    if isinstance(node, nodes.TemplateCall):
        return f"template {node.name!r}" + (f" {_pipe(node.pipe)}" if node.pipe else "")
    text = f"{type(node).__name__.lower()} {_pipe(node.pipe)} {_body(node.body)}"
    return text if node.otherwise is None else f"{text} else {_body(node.otherwise)}"


def _body(tree: list[nodes.Node]) -> str:
    return f"{{ {shown(tree)} }}" if tree else "{ }"


def _pipe(pipe: nodes.Pipe) -> str:
    stages = " | ".join(" ".join(map(_argument, command.args)) for command in pipe.commands)
    sign = "=" if pipe.assigns else ":="
    return f"[{', '.join(pipe.variables)} {sign} {stages}]" if pipe.variables else f"[{stages}]"


def _argument(node: nodes.Argument) -> str:
    if isinstance(node, nodes.Pipe):
        return f"({_pipe(node)})"
    if isinstance(node, nodes.Chain):
        return f"({_argument(node.base).removeprefix('(').removesuffix(')')})." + ".".join(node.names)
    if isinstance(node, nodes.Field):
        return "." + ".".join(node.names)
    if isinstance(node, nodes.Variable):
        return ".".join((node.name, *node.names))
    if isinstance(node, nodes.Function):
        return node.name
    if isinstance(node, nodes.Dot):
        return "."
    return "nil" if node.value is None else repr(node.value)
