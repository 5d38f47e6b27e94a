# What must be true of a grammar and a text: the law, in both directions. Does not depend on engines, or on how grammars
# are made.
"""The law of grammars: what is accepted is read, and meets the schemas."""

from __future__ import annotations

from collections.abc import Sequence

import jsonschema

from tests.grammar.cases import GOOD, texts
from toolglean import Output, ToolSet, parse
from toolglean.formats import Format
from toolglean.formats.compile import compiled

ALLOWED = frozenset({"duplicate-key"})
"""Problems that a grammar cannot rule out: a member that comes again in an object of any members."""

ADVERSE = (
    *(" ", "\n", '"', "'", "`", "```\n", "`a`", ", ", ": ", "{", "}", "[", "]", "</", "<", "\\", "\\u", "\\ud800", "é"),
    *("1e999", "1e5", "-0", "0", "7", "1.5", "true", "null", "None", "}}", '"}', '"]', '"},', '"}}', "<b>", "Hi. "),
    *('{"name": "get_weather", "arguments": {}}', "get_weather", "now(", "functions.now"),
)
"""Pieces of text that a sampler tries out wherever it is."""


def fault(declared: Format, tools: ToolSet, choice: str, text: str) -> str:
    """How a text that the grammar accepts is misread; "" where it is read as it must be."""
    output = parse(text, tools, format=declared)
    if output.unfinished:
        return f"unfinished: {output.unfinished[0].name}, {output.problems[:1]}"
    for call in output.calls:
        tool = tools.get(call.name)
        if tool is None:
            return f"no such tool: {call.name!r}"
        wrong = next(iter(jsonschema.Draft202012Validator(dict(tool.parameters)).iter_errors(call.arguments)), None)
        if wrong is not None:
            return f"{call.name}: {wrong.message}"
    return _fault_of_choice(output, tools, choice)


def _fault_of_choice(output: Output, tools: ToolSet, choice: str) -> str:
    must = choice == "required" or choice in tools
    if must and not output.calls:
        return "no call"
    if must and output.content.strip():
        return f"content is left: {output.content!r:.60}"
    if choice in tools and any(call.name != choice for call in output.calls):
        return "another tool"
    if choice == "none" and output.calls:
        return "a call"
    if any(each.code not in ALLOWED for each in output.problems) and output.calls:
        return f"a problem: {output.problems[0]}"
    return ""


def snippets(declared: Format, more: Sequence[str] = ()) -> list[str]:
    """What a sampler tries out: markers, closers, whole turns and their ends."""
    found = [*ADVERSE, *declared.markers, *declared.markers, *more]
    for calls in GOOD[:4]:
        text = texts(declared, calls)
        if text is not None:
            found += [text, text[len(text) // 2 :], text[-len(text) // 3 :], text[-8:], text[-15:]]
    closers, openers = compiled((declared.for_tools(["now"]) if declared.is_for_tools else declared,)).ends(0)
    found += [closer + opener for closer in closers for opener in openers]
    for pattern in declared.parameters:
        found += [pattern.partition("{value}")[2]] * 4 + [pattern.partition("{key}")[0]]
    return [each for each in found if each]
