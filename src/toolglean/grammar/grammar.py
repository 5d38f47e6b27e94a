# The public face: a format, tools and a choice become a grammar in three notations. Does not depend on how any of it is
# made.
"""Grammars of calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolglean.errors import UsageError
from toolglean.formats.registry import get_format
from toolglean.formats.spec import Format
from toolglean.grammar.gbnf import gbnf, structural_tag
from toolglean.grammar.lark import lark
from toolglean.grammar.nodes import Node, Rules
from toolglean.grammar.schema_check import check
from toolglean.grammar.shapes import Notes
from toolglean.grammar.turns import Turn
from toolglean.tools import ToolLike, ToolSet

__all__ = ["CHOICES", "Grammar", "grammar_of"]

CHOICES = ("auto", "required", "none")
"""The values of `choice=`, named as for `tool_choice`: text or calls, at least one call, no call."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The texts that a model may write, for an engine that constrains decoding.

    Attributes:
        format: the name of the format.
        choice: as passed to `grammar_of`.
        notes: the differences between the grammar and the tools' schemas; each begins with the path of the schema.
    """

    format: str
    choice: str
    notes: tuple[str, ...]
    _root: Node = field(repr=False)
    _rules: Rules = field(repr=False, compare=False)

    def structural_tag(self) -> dict[str, Any]:
        """A structural tag, which is a JSON object, for xgrammar, vLLM and SGLang."""
        return structural_tag(self._root, self._rules)

    def lark(self, special_tokens: Mapping[str, int] | None = None) -> str:
        """A grammar in llguidance's Lark.

        Args:
            special_tokens: the tokenizer's special tokens that occur in the format's markers (`Format.markers`), with
                their ids. llguidance identifies them by id only: without this mapping, a model whose markers are
                special tokens cannot write them.

        Returns:
            The grammar's text.

        Raises:
            UsageError: an id is not an integer.
        """
        given: dict[Any, Any] = dict(special_tokens or {})
        for text, number in given.items():
            if not isinstance(text, str) or not isinstance(number, int) or isinstance(number, bool):
                raise UsageError(
                    f"special_tokens[{text!r}]={number!r} is not valid: pass a mapping of texts to token ids (integers)"
                )
        return lark(self._root, self._rules, special_tokens)

    def gbnf(self) -> str:
        """A grammar in GBNF, for llama.cpp; xgrammar reads it as EBNF."""
        return gbnf(self._root, self._rules)


def grammar_of(
    format: str | Format,  # noqa: A002  # the field's own word for it
    tools: Iterable[ToolLike] | ToolSet,
    *,
    choice: str = "auto",
    parallel: bool = True,
    reasoning: bool = False,
    strict: bool = True,
) -> Grammar:
    """The grammar of the turns that a model may write in a format.

    A parser with the same format and tools reads whatever the grammar accepts, as calls that meet the tools' schemas,
    with nothing left over. The grammar accepts what `render` writes for such calls, with the arguments in the order of
    the schema.

    Args:
        format: a `Format`, the name of one, or `Parser(template=…).format`.
        tools: the tools that the model may call, as for `Parser`.
        choice: "auto": text, or calls, with text before them if the format's calls have a marker; "required": only
            calls; a tool's name: only calls of that tool; "none": only text, without any call.
        parallel: whether one turn may contain several calls.
        reasoning: whether the turn may begin with reasoning, between the format's markers.
        strict: whether a schema that the grammar cannot fully support is an error. If not, the grammar allows more
            there, and `Grammar.notes` lists what.

    Returns:
        The grammar.

    Raises:
        UsageError: the format or the choice is unknown; a schema is not supported (the message begins with its path);
            or the format cannot be enforced with these tools (the message says why).
        ToolError: an entry of `tools` is not a tool.
        FormatError: the declaration is wrong.
    """
    declared = get_format(format) if isinstance(format, str) else format
    if not isinstance(declared, Format):
        raise UsageError(f"format={format!r:.80} is not a format: pass a Format, or the name of one")
    declared = declared.declared("make a grammar")
    given = tools if isinstance(tools, ToolSet) else ToolSet(tools)
    if choice not in CHOICES and choice not in given:
        raise UsageError(
            f"choice={choice!r} is not valid: pass {', '.join(map(repr, CHOICES))} or the name of a tool "
            f"({', '.join(map(repr, given.names)) or 'tools is empty'})"
        )
    if not len(given) and choice == "required":
        raise UsageError("choice='required' needs tools, but tools is empty: pass at least one tool")
    for tool in given:
        check(tool.parameters, f"tools.{tool.name}.parameters")
    notes = Notes()
    turn = Turn(declared, given, notes)
    root = turn.whole(choice, parallel=parallel, reasoning=reasoning)
    if strict and notes.unsupported:
        first = next(iter(notes.unsupported))
        more = f" (and {len(notes.unsupported) - 1} more)" if len(notes.unsupported) > 1 else ""
        raise UsageError(
            f"{first}{more}. This applies to structural tags, Lark and GBNF. Change the schema, or pass strict=False "
            "(`--loose` on the command line) to let the grammar allow more there"
        )
    return Grammar(declared.name, choice, (*notes.unsupported, *notes.narrowed), root, turn.rules)
