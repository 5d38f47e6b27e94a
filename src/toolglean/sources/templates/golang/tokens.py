# How the parsers look at the next token, and how a fault becomes a TemplateError. Does not depend on the grammar.
"""The parsers' view of the tokens of a template."""

from __future__ import annotations

from typing import NoReturn

from toolglean.errors import TemplateError
from toolglean.sources.templates.golang.lexer import Kind, Token, lex

__all__ = ["Tokens"]


class Tokens:
    """The tokens of one template, with a current position.

    Args:
        source: the template.
        functions: the names that it may call.
    """

    __slots__ = ("_index", "_tokens", "functions", "source")

    def __init__(self, source: str, functions: frozenset[str]) -> None:
        self.source = source
        self.functions = functions
        self._tokens = lex(source, functions)
        self._index = 0

    def peek(self) -> Token:
        """The next token, which is not consumed.

        Raises:
            TemplateError: the lexer found a fault there.
        """
        token = self._tokens[self._index]
        if token.kind is Kind.ERROR:
            self.fail(token.text, token.pos)
        return token

    def next(self) -> Token:
        """Consume the next token. EOF is never consumed."""
        token = self.peek()
        if token.kind is not Kind.EOF:
            self._index += 1
        return token

    def after_next(self) -> Token:
        """The token after the next one, or the last one again; a fault there is not reported yet."""
        return self._tokens[min(self._index + 1, len(self._tokens) - 1)]

    def expect(self, kind: Kind, context: str) -> Token:
        """Consume the next token, which must be of that kind."""
        token = self.next()
        if token.kind is not kind:
            self.unexpected(token, context)
        return token

    def unexpected(self, token: Token, context: str) -> NoReturn:
        """Refuse a token that must not appear at its place."""
        self.fail(f"unexpected {_shown(token)} in {context}", token.pos)

    def fail(self, reason: str, pos: int) -> NoReturn:
        """Refuse the template because of the text at `pos`."""
        raise TemplateError.at(reason, self.source, pos)


def _shown(token: Token) -> str:
    if token.kind is Kind.EOF:
        return "end of template"
    if token.kind is Kind.KEYWORD:
        return f"{{{{{token.text}}}}}"
    text = token.text if len(token.text) <= 20 else token.text[:20] + "…"
    return repr(text)
