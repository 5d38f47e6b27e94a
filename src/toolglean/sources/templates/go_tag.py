# Ollama's rule for the tag of a Go template (its parseTag), defects included. Other rules, and what is made of a tag,
# are in `language.py`.
#
# The rule: take the first {{if}}, in the order of the text, that tests a field called ToolCalls itself (not a
# variable's field, not one in parentheses). The tag is the first text in its body that is not blank, up to the first
# `{`, if no action comes before it. If nothing is found, the tag is "{", so that every object is tried. Templates that
# a template defines are not searched.
"""Reads the tag that starts a tool call from a Go template, as Ollama does."""

from __future__ import annotations

from toolglean.sources.templates.golang import parse
from toolglean.sources.templates.golang.nodes import Action, Branching, Field, If, Node, Pipe, Text, walk
from toolglean.sources.templates.markers import GENERIC

__all__ = ["calls_test", "has_calls", "parse_tag", "tag_in"]

# The characters that Go trims: Unicode's White_Space, without the separators U+001C to U+001F, which Python trims too.
_SPACES = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"


def parse_tag(template: str) -> str:
    """The tag of a Go template, exactly as Ollama finds it.

    Args:
        template: the template's text.

    Returns:
        The tag; "{" if the template has none.

    Raises:
        TemplateError: the template cannot be read.
    """
    return tag_in(calls_test(parse(template).root))


def calls_test(nodes: list[Node]) -> If | None:
    """The first `If`, in the order of the text, whose pipeline has an argument like `.ToolCalls`."""
    return next((node for node in walk(nodes) if isinstance(node, If) and has_calls(node.pipe)), None)


def tag_in(test: If | None) -> str:
    """The tag in the body of that test."""
    text = _first_text(test.body) if test else ""
    return text.replace("\r\n", "\n").partition("{")[0].strip(_SPACES) or GENERIC


def has_calls(pipe: Pipe) -> bool:
    """Whether a pipeline has an argument like `.ToolCalls`."""
    return any(
        isinstance(argument, Field) and "ToolCalls" in argument.names
        for command in pipe.commands
        for argument in command.args
    )


def _first_text(nodes: list[Node]) -> str:
    """The text of the first list that leads to one: only the first relevant node of each list is followed."""
    pending = [nodes]
    while pending:
        node = next(filter(_counts, pending.pop()), None)
        if isinstance(node, Text):
            return node.text
        if isinstance(node, Branching):
            pending += [node.otherwise or [], node.body]  # the body first
    return ""


def _counts(node: Node) -> bool:
    # Calls of templates, breaks and continues are passed over. An action is not, and leads to no text.
    return isinstance(node, Action | Branching) or (isinstance(node, Text) and bool(node.text.strip(_SPACES)))
