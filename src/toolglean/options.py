# The options of a parser: what is done with calls that could be read in more than one way, how much is repaired, and
# how much a turn may use. Does not depend on how any of it is done, or on how the model writes.
"""How careful a parser is: one value, in one place, for parsers, clients, the proxy, plugins and commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from toolglean.errors import UsageError, shown
from toolglean.limits import Limits

__all__ = ["CallsInReasoning", "ParserOptions", "QuotedCalls", "TrailingJson", "UndeclaredCalls", "UnknownTools"]

UnknownTools: TypeAlias = Literal["call", "content"]
"""What to do with a call to an unknown tool: see `ParserOptions`."""
CallsInReasoning: TypeAlias = Literal["draft", "call", "text"]
"""What to do with a call inside the reasoning: see `ParserOptions`."""
QuotedCalls: TypeAlias = Literal["content", "call"]
"""What to do with a call in a quotation: see `ParserOptions`."""
UndeclaredCalls: TypeAlias = Literal["call", "text"]
"""What to do with a call in a spelling that no format declares: see `ParserOptions`."""
TrailingJson: TypeAlias = Literal["call", "content"]
"""What to do with a call in JSON after other text: see `ParserOptions`."""

WORDS: dict[str, tuple[str, ...]] = {
    "unknown_tools": get_args(UnknownTools),
    "calls_in_reasoning": get_args(CallsInReasoning),
    "quoted": get_args(QuotedCalls),
    "undeclared": get_args(UndeclaredCalls),
    "trailing_json": get_args(TrailingJson),
}
"""The options that are one of several words, and these words: for parsers, commands and plugins."""
_MAY_BE_NONE = frozenset({"trailing_json", "unknown_tools"})
_FLAGS = ("strict", "repair", "coerce", "markup")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserOptions:
    """How a parser treats what a model writes. Make one, and share it among the parsers of all turns.

    Attributes:
        unknown_tools: what to do with a call to a tool that is not in `tools`: "call" reports it with `known=False`;
            "content" reads it as a call too, but returns all of its text as content when it has ended, with a `Problem`
            (code "unknown-tool"). None: "call" in a parser; "content" in whatever hands calls to a program that may
            fail on an unknown name: clients, the transport, the proxy, the plugins. Without `tools`, no tool is
            unknown.
        calls_in_reasoning: what to do with calls inside the reasoning. "draft" holds them back, up to
            `limits.call_chars`: if more reasoning follows, or the marker that closes it, they are reasoning; if the
            turn ends, they are calls. "call" returns them at once, "text" never.
        quoted: what to do with calls in quotations: between backticks, in a fence that opened after other text, in a
            line that begins with `>`, in an HTML comment, CDATA, `pre`, `code`, `script`, `blockquote` or `<example>`,
            in a parameter's tag that no call has opened, or in a tool's result that the model made up. "content"
            returns them as content, "call" reads them. A fence that opens the turn, and contains calls, is markup.
        undeclared: what to do with calls in a spelling that no format declares. "call" reads one that ends the turn, if
            it names one of `tools` exactly and all its arguments fit that tool's schema; a `Problem` with the code
            "undeclared-spelling" says so. Up to `limits.held` characters that may be such a call are held back for it.
            "text" never reads one; neither does a parser with `strict`, or without `repair`. Tools without parameters
            are never called like this.
        trailing_json: what to do with JSON without a marker that follows other text and ends the turn. "call" reads it
            as calls if it is nothing but calls of tools with a schema, and all arguments fit; a `Problem` with the code
            "undeclared-spelling" says so. It must begin a line or follow a sentence, outside quotations. Content is
            held back from its bracket on, up to `limits.held` characters. "content" never reads it; neither does a
            parser with `strict`. None: "content" in a parser; "call" in the clients and handlers for Ollama. JSON that
            is the whole turn does not depend on this.
        repair: whether to repair malformed calls that can be meant in one way only. `ToolCall.repairs` names what was
            repaired, and a `Problem` says where. If False, such calls stay "malformed".
        coerce: whether values written as text are typed by the tool's JSON schema; if False, they stay text.
        markup: whether to report the format's own text outside calls as `Markup`. The events then cover every
            character of the turn.
        strict: whether only the format that was given is read. By default its calls come first, and what it does not
            read is read as another known format, or as bare or fenced JSON at the start of the turn, if that is a call
            of one of `tools`. "auto" and a tag are not affected.
        id_prefix: the beginning of a call's id, before its index, if the model writes no ids. None: "call_" in a
            parser; in clients, the proxy and the plugins, a beginning that no other turn has.
        limits: how much a turn may use.

    Raises:
        UsageError: an option is not one of the values above. The message names it and shows the value.
    """

    unknown_tools: UnknownTools | None = None
    calls_in_reasoning: CallsInReasoning = "draft"
    quoted: QuotedCalls = "content"
    undeclared: UndeclaredCalls = "call"
    trailing_json: TrailingJson | None = None
    repair: bool = True
    coerce: bool = True
    markup: bool = False
    strict: bool = False
    id_prefix: str | None = None
    limits: Limits = Limits()  # noqa: RUF009  # frozen: one for all

    def __post_init__(self) -> None:
        for name, words in WORDS.items():
            value = getattr(self, name)
            if (not isinstance(value, str) or value not in words) and not (value is None and name in _MAY_BE_NONE):
                raise UsageError(f"{name}={shown(value)} is not valid: pass {' or '.join(map(repr, words))}")
        for name in _FLAGS:
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise UsageError(f"{name}={shown(value)} is not valid: pass True or False")
        if not isinstance(self.id_prefix, str | None):
            raise UsageError(f"id_prefix={shown(self.id_prefix)} is not text: pass text, such as 'call_'")
        if not isinstance(self.limits, Limits):
            raise UsageError(f"limits={shown(self.limits)} is not a Limits: pass toolglean.Limits(call_chars=..., ...)")

    def __repr__(self) -> str:
        changed = (
            f"{each.name}={getattr(self, each.name)!r}"
            for each in fields(self)
            if getattr(self, each.name) != getattr(DEFAULT, each.name)
        )
        return f"ParserOptions({', '.join(changed)})"


DEFAULT = ParserOptions()
"""The options of a parser that was given none."""


def options_of(given: Any) -> ParserOptions:
    """The options that were given, or the default ones for None.

    Raises:
        UsageError: `given` is something else.
    """
    if given is None:
        return DEFAULT
    if not isinstance(given, ParserOptions):
        raise UsageError(
            f"options={shown(given)} is not a ParserOptions: pass toolglean.ParserOptions(repair=..., ...)"
        )
    return given


def with_defaults(parsing: Mapping[str, Any], **defaults: Any) -> Any:
    """The arguments of a parser, with these for options that the user has left open (None)."""
    chosen = options_of(parsing.get("options"))
    left = {name: value for name, value in defaults.items() if getattr(chosen, name) is None}
    return {**parsing, "options": changed(chosen, **left)}


def changed(given: ParserOptions | None, **changes: Any) -> ParserOptions:
    """The options that were given, or the default ones for None, with these changes.

    Raises:
        UsageError: a value is wrong.
    """
    return replace(options_of(given), **changes)
