# How the text of a Go template is split into tokens. Does not depend on the order in which tokens may appear.
#
# Outside actions there is text, and there are comments; within an action, one expression says which token begins with
# the next character. White space within an action separates arguments (`.A .B` is two, `.A.B` one), so every token says
# whether white space came before it; there are no tokens for white space. A fault becomes the last token, of kind
# ERROR, so that anything that the parser refuses before it is reported first. The parsers see them one after the other,
# as `Tokens`.
"""Tokens of Go's `text/template`."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import NoReturn

from toolglean.errors import TemplateError
from toolglean.sources.templates.golang.literals import cut

__all__ = ["KEYWORDS", "Kind", "Token", "Tokens", "lex"]

SPACES = " \t\r\n"  # Go's, also for trimming; other Unicode white space does not count
DIGITS = "0123456789"
KEYWORDS = frozenset(
    ["block", "break", "continue", "define", "else", "end", "if", "nil", "range", "template", "with"],
)


class Kind(Enum):
    """What a token is. A KEYWORD's text is the keyword itself, an ERROR's the reason."""

    TEXT = auto()
    LEFT = auto()  # {{
    RIGHT = auto()  # }}
    KEYWORD = auto()
    IDENTIFIER = auto()
    BOOL = auto()
    DOT = auto()
    FIELD = auto()  # .Name
    VARIABLE = auto()  # $ or $name
    NUMBER = auto()
    CHARACTER = auto()  # 'x'
    STRING = auto()  # "x" or `x`
    DECLARE = auto()  # :=
    ASSIGN = auto()  # =
    PIPE = auto()
    OPEN = auto()  # (
    CLOSE = auto()  # )
    SIGN = auto()  # any other printable ASCII character
    EOF = auto()
    ERROR = auto()


@dataclass(slots=True)
class Token:
    """One token: its kind, its text, its place, and whether white space within the action came before it."""

    kind: Kind
    text: str
    pos: int
    spaced: bool = False


class _Fault(Exception):  # noqa: N818  it becomes a token
    """What is wrong, and where."""

    def __init__(self, reason: str, pos: int) -> None:
        super().__init__(reason, pos)


def lex(source: str) -> list[Token]:
    """All tokens of a template. The last one is EOF or ERROR."""
    tokens: list[Token] = []
    try:
        for token in _tokens(source):
            tokens.append(token)  # noqa: PERF402  a fault must not lose those before it
    except _Fault as fault:
        tokens.append(Token(Kind.ERROR, *fault.args))
    return tokens


def _tokens(source: str) -> Iterator[Token]:
    pos = 0
    while (left := source.find("{{", pos)) != -1:
        # `{{-3}}` is a number: only white space makes the minus a marker, which removes the white space before it.
        trims = source.startswith(("- ", "-\t", "-\r", "-\n"), left + 2)
        yield from _text(source[pos:left].rstrip(SPACES) if trims else source[pos:left], pos)
        inside = left + (4 if trims else 2)
        if source.startswith("/*", inside):
            pos = _after_comment(source, inside, left)
        else:
            yield Token(Kind.LEFT, "{{", left)
            pos = yield from _action(source, inside, left)
    yield from _text(source[pos:], pos)
    yield Token(Kind.EOF, "", len(source))


def _text(text: str, pos: int) -> Iterator[Token]:
    if text:
        yield Token(Kind.TEXT, text, pos)


def _after_comment(source: str, pos: int, opened: int) -> int:
    """The place after a comment: it ends at `*/`, which the delimiter must follow immediately."""
    end = source.find("*/", pos + 2)
    if end == -1:
        raise _Fault("unclosed comment", opened)
    if not _right_length(source, end + 2):
        raise _Fault("comment ends before closing delimiter", end + 2)
    return _after_delimiter(source, end + 2)


def _right_length(source: str, pos: int) -> int:
    if source.startswith("}}", pos):
        return 2
    return 4 if source.startswith((" -}}", "\t-}}", "\r-}}", "\n-}}"), pos) else 0


def _after_delimiter(source: str, pos: int) -> int:
    # And after the white space that a trim marker removes.
    length = _right_length(source, pos)
    pos += length
    while length > 2 and pos < len(source) and source[pos] in SPACES:
        pos += 1
    return pos


# --- within actions ------------------------------------------------------------------------------------------------

# Which token begins with the next character, unless that is a letter: the groups are kinds, SPACE is none. For a field
# and a variable, the name comes after it. Possessive, so that nothing is searched twice.
_TOKEN = re.compile(
    r"(?P<SPACE>[ \t\r\n])"
    r'|(?P<STRING>"(?:[^"\\\n]|\\[^\n])*+"'
    r"|`[^`]*+`)"
    r"|(?P<CHARACTER>'(?:[^'\\\n]|\\[^\n])*+')"
    r"|(?P<DECLARE>:=)|(?P<ASSIGN>=)|(?P<PIPE>\|)|(?P<OPEN>\()|(?P<CLOSE>\))"
    r"|(?P<FIELD>\.(?![0-9]))|(?P<VARIABLE>\$)"
    # Text that looks like a number; literals.py decides whether it is one. The base decides which digits and which
    # exponent may follow.
    r"|(?P<NUMBER>(?=[-+.0-9])[+-]?+(?:"
    r"0[xX][0-9a-fA-F_]*+(?:\.[0-9a-fA-F_]*+)?+(?:[pP][+-]?+[0-9_]*+)?+"
    r"|0[oO][0-7_]*+(?:\.[0-7_]*+)?+"
    r"|0[bB][01_]*+(?:\.[01_]*+)?+"
    r"|[0-9_]*+(?:\.[0-9_]*+)?+(?:[eE][+-]?+[0-9_]*+)?+"
    r")i?+)"
    r"|(?P<SIGN>[!-~])",
)
# What is wrong where such a sign does not begin one of the tokens above.
_UNFINISHED = {
    '"': "unterminated quoted string",
    "'": "unterminated character constant",
    "`": "unterminated raw quoted string",
    ":": "expected :=",
}
_NAMED = frozenset({Kind.KEYWORD, Kind.BOOL, Kind.IDENTIFIER, Kind.DOT, Kind.FIELD, Kind.VARIABLE})


def _action(source: str, pos: int, opened: int) -> Generator[Token, None, int]:
    """The tokens of an action, up to its closing delimiter; returns the place after it."""
    parens: list[int] = []  # the places of the open ones
    spaced = False
    while not _right_length(source, pos):
        if pos == len(source):
            raise _Fault("unclosed action", opened)
        kind, end = _next(source, pos)
        if kind is Kind.OPEN:
            parens.append(pos)
        elif kind is Kind.CLOSE and not parens:
            raise _Fault("unexpected right paren", pos)
        elif kind is Kind.CLOSE:
            parens.pop()
        if kind is not None:
            yield Token(kind, source[pos:end], pos, spaced)
        spaced, pos = kind is None, end
    if parens:
        raise _Fault("unclosed left paren", parens[-1])
    yield Token(Kind.RIGHT, "}}", pos, spaced)
    return _after_delimiter(source, pos)


def _next(source: str, pos: int) -> tuple[Kind | None, int]:
    """The kind and the end of the token at that place; None: it is white space."""
    char = source[pos]
    found = None if _is_word(char) and char not in DIGITS else _TOKEN.match(source, pos)
    if found is None:
        kind, end = _word(source, pos)
    elif found.lastgroup == "SPACE":
        return None, found.end()
    else:
        kind, end = Kind[str(found.lastgroup)], found.end()
    if kind in {Kind.FIELD, Kind.VARIABLE}:
        end = _word_end(source, end)
        kind = Kind.DOT if source[pos:end] == "." else kind
    if kind in _NAMED:
        _check_end(source, end)
    elif kind is Kind.NUMBER:
        end = _number_end(source, pos, end)
    elif kind is Kind.SIGN and char in _UNFINISHED:
        raise _Fault(_UNFINISHED[char], pos)
    return kind, end


def _word(source: str, pos: int) -> tuple[Kind, int]:
    """A keyword, a boolean or the name of a function."""
    end = _word_end(source, pos)
    if end == pos:
        raise _Fault(f"unrecognized character in action: U+{ord(source[pos]):04X}", pos)
    word = source[pos:end]
    if word in KEYWORDS:
        return Kind.KEYWORD, end
    return Kind.BOOL if word in {"true", "false"} else Kind.IDENTIFIER, end


def _check_end(source: str, end: int) -> None:
    # A name must be followed by something that can end it: `.Name"x"` is a mistake, not two arguments.
    char = source[end : end + 1]
    if char and char not in " \t\r\n.,|:()" and not source.startswith("}}", end):
        raise _Fault(f"bad character U+{ord(char):04X} {char!r}", end)


def _number_end(source: str, pos: int, end: int) -> int:
    if source[end : end + 1] in {"+", "-"}:  # 1+2i: no spaces, the second half is imaginary
        second = _TOKEN.match(source, end)
        end = second.end() if second is not None else end
        if source[end - 1] != "i":
            raise _bad_number(source[pos:end], pos)
    if end < len(source) and _is_word(source[end]):
        raise _bad_number(source[pos : end + 1], pos)
    return end


def _bad_number(text: str, pos: int) -> _Fault:
    return _Fault(f"bad number syntax: {cut(text)!r}", pos)


def _is_word(char: str) -> bool:
    # Go's letters and digits, without superscripts and vulgar fractions, which isalnum() accepts.
    return char == "_" or char.isalpha() or char.isdecimal()


def _word_end(source: str, pos: int) -> int:
    while pos < len(source) and _is_word(source[pos]):
        pos += 1
    return pos


# --- for the parsers -----------------------------------------------------------------------------------------------


class Tokens:
    """The tokens of one template, with a current position.

    Args:
        source: the template.
    """

    __slots__ = ("_index", "_tokens", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self._tokens = lex(source)
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
        self.fail(f"unexpected {_told(token)} in {context}", token.pos)

    def fail(self, reason: str, pos: int) -> NoReturn:
        """Refuse the template because of the text at `pos`."""
        raise TemplateError.at(reason, self.source, pos)


def _told(token: Token) -> str:
    if token.kind is Kind.EOF:
        return "end of template"
    if token.kind is Kind.KEYWORD:
        return f"{{{{{token.text}}}}}"
    return repr(cut(token.text, 20))
