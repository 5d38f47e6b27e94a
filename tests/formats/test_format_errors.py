# Rows: declarations that are wrong, and the field or marker that the message must name. Wrong by themselves: found when
# the Format is made. Wrong together: found when its patterns are compiled, that is, when a parser is made.
"""What a wrong declaration of a format says."""

from __future__ import annotations

from typing import Any

import pytest

from toolglean import Format, FormatError, Parser, Quoted, Tree

CALL = {"call": "<f>{call}</f>"}
TEXT = {"call": "<f n={name}>{parameters}</f>", "parameter": "<p {key}>{value}</p>"}
IN_MARKER = "a section or marker must not have fields: "
NO_CALL = "a call pattern needs {name}, or one of {call} and {calls}: "

ROWS: list[tuple[str, dict[str, Any], str]] = [
    # title, declaration, message
    ("unknown field", {"call": "<f>{nam}{arguments}</f>"}, "unknown field {nam} in the call pattern '<f>{nam}{arguments}</f>'"),
    ("unknown field in `also`", CALL | {"also": ("<g>{value}</g>",)}, "unknown field {value} in the call pattern '<g>{value}</g>'"),
    ("unknown field in a parameter", TEXT | {"parameter": "<p {key}>{val}</p>"}, "unknown field {val} in the parameter pattern"),
    ("a call's field in a parameter", TEXT | {"parameter": "<p {name}{key}>{value}</p>"}, "unknown field {name} in the parameter"),
    ("a field in the section's opener", CALL | {"section": ("<s {name}>", "</s>")}, IN_MARKER + "'<s {name}>'"),
    ("a field in a reasoning marker", CALL | {"reasoning": ("<t {id}>", "</t>")}, IN_MARKER + "'<t {id}>'"),
    ("a field in a dropped marker", CALL | {"drop": ("<t {id}>",)}, IN_MARKER + "'<t {id}>'"),
    ("an escape of two characters", CALL | {"escapes": (("ab", "&ab;"),)}, "escapes: ('ab', '&ab;') is not a pair of a character"),
    ("an empty escape", CALL | {"escapes": (("a", ""),)}, "escapes: ('a', '') is not a pair of a character"),
    ("no name", {"call": "<f>{call}</f>", "name": ""}, "a format needs a name"),
    ("no call", {"call": ""}, NO_CALL + "''"),
    ("white space for a call", {"call": "\n"}, NO_CALL + "'\\n'"),
    ("no field", {"call": "<f></f>"}, NO_CALL + "'<f></f>'"),
    ("no field in `also`", CALL | {"also": ("<g></g>",)}, NO_CALL + "'<g></g>'"),
    ("arguments of nobody", {"call": "<f>{arguments}</f>"}, NO_CALL),
    ("empty marker of drop", CALL | {"drop": (" ",)}, "a marker of drop or content_markers is empty"),
    ("empty marker of content_markers", CALL | {"content_markers": ("",)}, "a marker of drop or content_markers is empty"),
    ("no closer of reasoning", CALL | {"reasoning": ("<t>", "")}, "a marker of reasoning is empty: ('<t>', '')"),
    ("no opener of reasoning", CALL | {"reasoning": ("", "</t>")}, "a marker of reasoning is empty: ('', '</t>')"),
    ("white space for reasoning", CALL | {"reasonings": (("\n", "\n"),)}, "a marker of reasoning is empty"),
    ("white space for a section", CALL | {"section": ("\n", "</s>")}, "a section needs a marker: '\\n'"),
    ("no parameter pattern", {"call": TEXT["call"]}, "{parameters} needs a parameter pattern: '<f n={name}>{parameters}</f>'"),
    ("no key", TEXT | {"parameter": "<p>{value}</p>"}, "a parameter pattern needs {key} and {value}: '<p>{value}</p>'"),
    ("no value", TEXT | {"parameter": "<p {key}/>"}, "a parameter pattern needs {key} and {value}: '<p {key}/>'"),
    ("a parameter without a marker", TEXT | {"parameter": "{type}={key}={value};"}, "a marker before its first field, unless"),
    ("a key, then a type", TEXT | {"parameter": "{key}:{type}={value};"}, "the value must come next: '{key}:{type}={value};'"),
    ("text and JSON", TEXT | {"parameter": "<p {key}>{value}={json}</p>"}, "a parameter pattern needs {key} and {value}"),
    ("two kinds of arguments", TEXT | {"call": "<f n={name}>{arguments}{parameters}</f>"}, "the arguments appear twice"),
    ("arguments beside keywords", {"call": "<f n={name}>{arguments}({keywords})</f>"}, "the arguments appear twice"),
    ("arguments beside a call", {"call": "<f>{call}{arguments}</f>"}, "the arguments appear twice in the pattern '<f>{call}"),
    ("call and calls", {"call": "<f>{call}{calls}</f>"}, NO_CALL),
    ("keywords without parenthesis", {"call": "<f n={name}>{keywords}</f>"}, "{keywords} needs a closing parenthesis after it"),
    ("a value at the end", TEXT | {"parameter": "<p {key}>{value}"}, "nothing shows where {value} ends in '<p {key}>{value}'"),
    ("a value and white space", TEXT | {"parameter": "<p {key}>{value} "}, "nothing shows where {value} ends"),
    ("a value without a marker", TEXT | {"parameter": "{key}={value}"}, "nothing shows where {value} ends in '{key}={value}'"),
    ("a name at the end", {"call": "<f>{arguments}{name}"}, "nothing shows where {name} ends: a marker must follow it"),
    ("a name and nothing else", {"call": "{name}"}, "nothing shows where {name} ends"),
    ("a name, then an id", {"call": "<f>{name}{id}>{arguments}</f>"}, "nothing shows where {name} ends"),
    ("a name, then a call", {"call": "<f>{name}{call}</f>"}, "nothing shows where {name} ends"),
    ("an id, then a name", {"call": "<f>{id}{name}>{arguments}</f>"}, "nothing shows where {id} ends"),
    ("an index, then a name", {"call": "<f>{index}{name}>{arguments}</f>"}, "nothing shows where {index} ends"),
    ("parameters without an end", TEXT | {"call": "{name}:{parameters}"}, "nothing shows where {parameters} end: '{name}:{parameters}'"),
    ("a field in the section's closer", CALL | {"section": ("<s>", "</s {name}>")}, "'</s {name}>'"),
    ("a field in the separator", CALL | {"separator": "{name}"}, "'{name}'"),
    ("an unknown field in the id", {"call": "<f {name}:{index}>{arguments}</f>", "id": "{nam}:{index}"}, "{nam}"),
    ("an id of fields that no call has", {"call": "<f {name}>{arguments}</f>", "id": "{name}:{index}"}, "{index}"),
    ("an empty quote", {"call": "<f>{name}{arguments}</f>", "arguments": Quoted("")}, "quote"),
    ("white space for a quote", {"call": "<f>{name}{arguments}</f>", "arguments": Quoted(" ")}, "quote"),
    ("white space before tags", {"call": "<f n={name}>{arguments}</f>", "arguments": Tree(" ")}, "prefix"),
    ("a key, then a value", TEXT | {"parameter": "<p {key}{value}</p>"}, "{key}"),
    ("a key, white space, a value", TEXT | {"parameter": "<p {key} {value}</p>"}, "{key}"),
    ("a key, white space, a type", TEXT | {"parameter": "<p {key} {type}>{value}</p>"}, "{key}"),
    ("a name, white space, an id", {"call": "<f>{name} {id}>{arguments}</f>"}, "{name}"),
    ("two values", TEXT | {"parameter": "<p {key}>{value}</p><q>{value}</q>"}, "{value}"),
    ("two calls", {"call": "<f>{call}{call}</f>"}, "{call}"),
    ("an id beside an object", {"call": "<f {id}>{call}</f>"}, "{id} cannot be beside a whole object in '<f {id}>{call}"),
    ("arguments twice", {"call": "<f n={name}>{arguments}{arguments}</f>"}, "the arguments appear twice"),
    ("anything without a marker", {"call": "{id}:{name}{arguments}"}, "{id}"),
    ("name or id", {"call": "<f>{name}:{arguments}</f>", "also": ("<f>{id}:{name}:{arguments}</f>",)}, "{id}"),
    ("arguments or a call", {"call": "<f n={name}>{arguments}</f>", "also": ("<f n={name}>{call}</f>",)}, "{call}"),
    ("key or type", TEXT | {"parameter": ("<p {key}>{value}</p>", "<p {type}>{key}={value}</p>")}, "{type}"),
    ("nested tags without an end", {"call": "<f n={name}>{arguments}", "arguments": Tree("~")}, "{arguments}"),
    ("one key for both", CALL | {"keys": ("tool", "tool")}, "keys ('tool', 'tool') are not the key of the name and"),
    ("no key for the name", CALL | {"keys": ("", "payload")}, "keys ('', 'payload') are not"),
    ("keys the wrong way round", CALL | {"keys": ("arguments", "payload")}, "under 'arguments', arguments is expected"),
    ("arguments under the name", CALL | {"keys": ("tool", "name")}, "under 'name', a name is expected"),
    ("arguments under the id", CALL | {"keys": ("tool", "call_id")}, "under 'call_id', an id or a type is expected"),
    ("one word for strings and others", TEXT | {"parameter": "<p {key}:{type}>{value}</p>", "types": {"string": "s", "*": "s"}}, "'s'"),
    ("a marker for a list of markers", CALL | {"drop": "<g>"}, "drop"),
]  # fmt: skip


def ids(rows: list[tuple[str, dict[str, Any], str]]) -> list[str]:
    return [title for title, _, _ in rows]


def made(declaration: dict[str, Any]) -> Parser:
    declaration = {"name": "wrong"} | declaration
    return Parser(format=Format(declaration.pop("name"), **declaration))


@pytest.mark.parametrize(("title", "declaration", "message"), ROWS, ids=ids(ROWS))
def test_a_wrong_declaration_says_what_is_wrong(title: str, declaration: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError) as found:
        made(declaration)
    assert message in str(found.value), title
    assert "format 'wrong': " in str(found.value) or title == "no name"


def test_one_wrong_format_is_named_among_others() -> None:
    with pytest.raises(FormatError, match="format 'second'"):
        Format("second", call="<f>{x}</f>")


RIGHT: list[tuple[str, dict[str, Any]]] = [
    ("a marker that is the beginning of another", CALL | {"also": ("<f><g>{call}</g></f>",)}),
    ("white space around fields", {"call": "<f>\n{call}\n</f>"}),
    ("a name and arguments that touch", {"call": "<f>{name}{arguments}</f>"}),
    ("a name that is a word, without a marker", {"call": "{name}({keywords})"}),
    ("no closer at all", {"call": "<f>{call}"}),
    ("parameters that end with the section", TEXT | {"call": "<f n={name}>{parameters}", "section": ("<s>", "</s>")}),
    ("parameters that end with the next call", TEXT | {"call": "<f n={name}>{parameters}"}),
    ("a marker that opens reasoning and calls", CALL | {"reasoning": ("<f>x", "</f>")}),
]


@pytest.mark.parametrize(("title", "declaration"), RIGHT, ids=[title for title, _ in RIGHT])
def test_these_are_right(title: str, declaration: dict[str, Any]) -> None:
    assert made(declaration).format is not None, title
