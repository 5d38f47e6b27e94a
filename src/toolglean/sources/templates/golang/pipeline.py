# The grammar within an action: declarations, stages, arguments, parentheses. Does not depend on blocks, or on the
# action that the pipeline belongs to (the word for the error text is passed in).
#
#   pipeline  = [ $a [, $b] ( := | = ) ] command { | command }
#   command   = argument { space argument }
#   argument  = ( . | .A | $x | literal | function | "(" pipeline ")" ) { .A, without space }
#
# A template may nest parentheses deeper than Python can recurse, so the open ones are a list.
"""Pipelines of a Go template."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toolglean.sources.templates.golang import literals
from toolglean.sources.templates.golang import nodes as tree
from toolglean.sources.templates.golang.builtins import KNOWN
from toolglean.sources.templates.golang.lexer import Kind, Token, Tokens
from toolglean.sources.templates.golang.scope import Scope

__all__ = ["literal_value", "parse_pipeline"]

IN_PARENTHESES = "parenthesized pipeline"
VALUES = (tree.Dot, tree.Literal)  # they cannot be called with the result of the previous stage


@dataclass(slots=True)
class _Open:
    """A pipeline that is being read. `command` is its open stage, or None where the next one may begin."""

    pipe: tree.Pipe
    context: str
    closer: Kind
    command: tree.Command | None = None


def parse_pipeline(tokens: Tokens, scope: Scope, context: str) -> tree.Pipe:
    """The pipeline at the next token, up to and with the action's closing delimiter.

    Args:
        tokens: positioned after the action's keyword.
        scope: the visible variables; declared ones are added.
        context: the word for error texts: "if", "range", "command" …

    Raises:
        TemplateError: there is no valid pipeline at that place.
    """
    outer = _begin(tokens, scope, context, Kind.RIGHT)
    stack = [outer]
    while stack:
        top = stack[-1]
        token = tokens.peek()
        if token.kind is Kind.OPEN:
            if len(stack) > tree.MAX_DEPTH:
                tokens.fail(f"parentheses nested deeper than {tree.MAX_DEPTH} levels", token.pos)
            _open_command(top, token)
            tokens.next()
            stack.append(_begin(tokens, scope, IN_PARENTHESES, Kind.CLOSE))
        elif token.kind is top.closer and top.command is None:
            tokens.next()
            _check(tokens, top, token)
            stack.pop()
            if stack:
                _argument(tokens, stack[-1], top.pipe)
        else:
            term = _term(tokens, scope)
            if term is None:
                tokens.unexpected(token, top.context)
            _open_command(top, token)
            _argument(tokens, top, term)
    return outer.pipe


def literal_value(tokens: Tokens, token: Token) -> Any:
    """The value of a string, a number or a character constant."""
    try:
        return _LITERALS[token.kind](token.text)
    except ValueError as error:
        tokens.fail(str(error), token.pos)


# --- declarations --------------------------------------------------------------------------------------------------


def _begin(tokens: Tokens, scope: Scope, context: str, closer: Kind) -> _Open:
    pipe = tree.Pipe(tokens.peek().pos)
    while tokens.peek().kind is Kind.VARIABLE:
        after = tokens.after_next()
        comma = after.kind is Kind.SIGN and after.text == ","
        if after.kind not in {Kind.DECLARE, Kind.ASSIGN} and not comma:
            break
        pipe.variables.append(tokens.next().text)
        scope.declare(pipe.variables[-1])
        tokens.next()
        pipe.assigns = after.kind is Kind.ASSIGN
        if not comma:
            break
        if context != "range" or len(pipe.variables) > 1:
            tokens.fail(f"too many declarations in {context}", after.pos)
        if tokens.peek().kind not in {Kind.VARIABLE, Kind.RIGHT, Kind.CLOSE}:
            tokens.fail("range can only initialize variables", tokens.peek().pos)
    return _Open(pipe, context, closer)


# --- stages --------------------------------------------------------------------------------------------------------


def _open_command(top: _Open, token: Token) -> None:
    if top.command is None:
        top.command = tree.Command(token.pos, [])
        top.pipe.commands.append(top.command)


def _argument(tokens: Tokens, top: _Open, term: tree.Argument) -> None:
    """Add a term, with the fields that belong to it, to the open stage; end the stage if it ends here."""
    assert top.command is not None
    top.command.args.append(_with_fields(tokens, term))
    token = tokens.peek()
    if token.kind is Kind.PIPE:
        tokens.next()
        top.command = None
    elif token.kind in {Kind.RIGHT, Kind.CLOSE}:
        top.command = None
    elif not token.spaced or not _begins_term(token):
        tokens.unexpected(token, "operand")


def _check(tokens: Tokens, top: _Open, closer: Token) -> None:
    if not top.pipe.commands:
        tokens.fail(f"missing value for {top.context}", closer.pos)
    for stage, command in enumerate(top.pipe.commands[1:], start=2):
        if isinstance(command.args[0], VALUES):
            tokens.fail(f"non executable command in pipeline stage {stage}", command.pos)


# --- arguments -----------------------------------------------------------------------------------------------------


def _with_fields(tokens: Tokens, term: tree.Argument) -> tree.Argument:
    names = []
    while (token := tokens.peek()).kind is Kind.FIELD and not token.spaced:
        names.append(tokens.next().text[1:])
    if not names:
        return term
    if isinstance(term, tree.Field):
        return tree.Field(term.pos, term.names + tuple(names))
    if isinstance(term, tree.Variable):
        return tree.Variable(term.pos, term.name, tuple(names))
    if isinstance(term, VALUES):
        tokens.fail("unexpected . after a value that has no fields", term.pos)
    return tree.Chain(term.pos, term, tuple(names))


def _begins_term(token: Token) -> bool:
    return token.kind is Kind.OPEN or token.kind in _TERMS or (token.kind is Kind.KEYWORD and token.text == "nil")


def _term(tokens: Tokens, scope: Scope) -> tree.Argument | None:
    """Read the term at the next token; None if no term begins there."""
    token = tokens.peek()
    if not _begins_term(token):
        return None
    tokens.next()
    if token.kind in _LITERALS:
        return tree.Literal(token.pos, token.text, literal_value(tokens, token))
    if token.kind is Kind.IDENTIFIER and token.text not in KNOWN:
        tokens.fail(f"function {token.text!r} not defined", token.pos)
    if token.kind is Kind.VARIABLE and token.text not in scope:
        tokens.fail(f"undefined variable {token.text!r}", token.pos)
    return _SIMPLE[token.kind](token)


_SIMPLE: dict[Kind, Callable[[Token], tree.Argument]] = {
    Kind.DOT: lambda token: tree.Dot(token.pos),
    Kind.FIELD: lambda token: tree.Field(token.pos, (token.text[1:],)),
    Kind.VARIABLE: lambda token: tree.Variable(token.pos, token.text),
    Kind.IDENTIFIER: lambda token: tree.Function(token.pos, token.text),
    Kind.BOOL: lambda token: tree.Literal(token.pos, token.text, token.text == "true"),
    Kind.KEYWORD: lambda token: tree.Literal(token.pos, token.text, None),
}
_LITERALS: dict[Kind, Callable[[str], Any]] = {
    Kind.CHARACTER: literals.character,
    Kind.NUMBER: literals.number,
    Kind.STRING: literals.string,
}
_TERMS = (_SIMPLE.keys() | _LITERALS.keys()) - {Kind.KEYWORD}
