# What a template shows of a call without its arguments: the tag and its closer. Does not depend on how a template is
# parsed or rendered.
#
# For a Go template, the rule is Ollama's (its parseTag), defects included: take the first {{if}}, in the order of the
# text, that tests a field called ToolCalls itself (not a variable's field, not one in parentheses). The tag is the
# first text in its body that is not blank, up to the first `{`, if no action comes before it. If nothing is found, the
# tag is "{", so that every object is tried. Templates that a template defines are not searched.
"""The tag of a template in either language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from toolglean.errors import FormatError, UsageError
from toolglean.sources.templates.golang import parse
from toolglean.sources.templates.golang.nodes import Action, Branching, Field, If, Node, Pipe, Range, Text, walk
from toolglean.sources.templates.language import Language, template_language
from toolglean.sources.templates.markers import GENERIC, closer_for

__all__ = ["TemplateTag", "go_tag_of", "parse_tag", "tag_of"]

# The characters that Go trims: Unicode's White_Space, without the separators U+001C to U+001F, which Python trims too.
_SPACES = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"


@dataclass(frozen=True, slots=True)
class TemplateTag:
    """What a template shows of the beginning and the end of a tool call.

    Attributes:
        tag: the text that starts a call, or the section of calls; "{" if the template has none.
        closer: the text that ends what the tag started; "" if the template does not show it clearly.
        language: the language of the template.
    """

    tag: str
    closer: str
    language: Language


def tag_of(template: str, language: str | None = None, *, untrusted: bool = False) -> TemplateTag:
    """The tag of a chat template, and its closer.

    For a Go template, the tag is the one that Ollama finds, right or wrong, and nothing is run. A Jinja template is
    rendered: its tag is in the text that it writes before a call.

    Args:
        template: the template's text.
        language: "go" or "jinja"; None: detected from the text.
        untrusted: render a Jinja template in a child process, with limits on time and memory.

    Returns:
        The tag. If a Jinja template cannot be rendered with a call, or does not write it, the tag is "{".

    Raises:
        TemplateError: the template is broken.
        UsageError: the language is unknown, or jinja2 is not installed.
    """
    if language is None:
        language = template_language(template)
    if language == "go":
        return go_tag_of(template)
    if language == "jinja":
        return _of_jinja(template, untrusted=untrusted)
    raise UsageError(f"language={language!r} is not valid: pass 'go' or 'jinja'")


def _of_jinja(template: str, *, untrusted: bool) -> TemplateTag:
    # A Go template renders nothing.
    from toolglean.sources.templates.infer.prober import CPU_SECONDS, WALL_SECONDS, Prober, shown_tag  # noqa: PLC0415
    from toolglean.sources.templates.rendering import renderer  # noqa: PLC0415
    from toolglean.sources.templates.time_budget import TimeBudget  # noqa: PLC0415

    time_budget = TimeBudget(WALL_SECONDS, CPU_SECONDS if untrusted else None)
    with renderer(template, "jinja", untrusted=untrusted, lax=True, time_budget=time_budget) as made:
        probers = partial(Prober, made, time_budget=time_budget)
        try:
            calling = probers()
        except FormatError:
            calling = None
        tag, closer = shown_tag(calling, partial(probers, calls=False))
    return TemplateTag(tag, closer, "jinja")


# -- Go ----------------------------------------------------------------------------------------------------------------


def parse_tag(template: str) -> str:
    """The tag of a Go template, exactly as Ollama finds it.

    Args:
        template: the template's text.

    Returns:
        The tag; "{" if the template has none.

    Raises:
        TemplateError: the template cannot be read.
    """
    return go_tag_of(template).tag


def go_tag_of(template: str) -> TemplateTag:
    """The tag of a Go template, as Ollama finds it, and its closer. Raises TemplateError."""
    tests = (node for node in walk(parse(template).root) if isinstance(node, If) and _has_calls(node.pipe))
    test = next(tests, None)
    if test is None:
        return TemplateTag(GENERIC, "", "go")
    tag = _first_text(test.body).replace("\r\n", "\n").partition("{")[0].strip(_SPACES) or GENERIC
    return TemplateTag(tag, _go_closer(tag, test), "go")


def _go_closer(tag: str, test: If) -> str:
    """The closer after the loop over the calls, or at the end of the loop, if the loop is in the test itself."""
    for at, node in enumerate(test.body):
        if isinstance(node, Range) and _has_calls(node.pipe):
            return closer_for(tag, _text_at(test.body, at + 1)) or closer_for(tag, _text_at(node.body, -1))
    return ""


def _text_at(nodes: list[Node], at: int) -> str:
    node = nodes[at] if -len(nodes) <= at < len(nodes) else None
    return node.text if isinstance(node, Text) else ""


def _has_calls(pipe: Pipe) -> bool:
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
