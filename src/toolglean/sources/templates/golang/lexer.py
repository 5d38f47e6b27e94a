# How the text of a Go template is split into tokens. Does not depend on the order in which tokens may appear.
#
# A state is a function that reads from the lexer's position and returns the next state, or None at the end:
#
#   lex_text ──▶ lex_left ──▶ lex_action ◀──▶ lex_space, lex_word, lex_field, lex_number, lex_quoted …
#      ▲            └──▶ lex_comment             │
#      └──────────────┴───────── lex_right ◀─────┘
#
# White space within an action separates arguments (`.A .B` is two, `.A.B` one), so every token says whether white space
# came before it; there are no tokens for white space. A fault becomes the last token, of kind ERROR, so that anything
# that the parser refuses before it is reported first.
"""Tokens of Go's `text/template`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

__all__ = ["KEYWORDS", "Kind", "Token", "lex"]

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


@dataclass(slots=True)
class Lexer:
    """The state of the lexer.

    Attributes:
        source: the template.
        names: keywords that are functions here and so read as identifiers (only `break` and `continue` can be).
        pos: offset of the next character to read.
        tokens: the tokens read so far.
        opened: offset of the open action's `{{`.
        parens: offsets of the open parentheses.
        spaced: white space was skipped since the last token.
    """

    source: str
    names: frozenset[str] = frozenset()
    pos: int = 0
    tokens: list[Token] = field(default_factory=list)
    opened: int = 0
    parens: list[int] = field(default_factory=list)
    spaced: bool = False

    def emit(self, kind: Kind, end: int) -> None:
        """Add the token that ends before `end`, and move there."""
        self.tokens.append(Token(kind, self.source[self.pos : end], self.pos, self.spaced))
        self.pos = end
        self.spaced = False

    def fail(self, reason: str, pos: int) -> State:
        """Add the fault at `pos`; no state follows."""
        self.tokens.append(Token(Kind.ERROR, reason, pos))
        return lex_nothing


State: TypeAlias = Callable[[Lexer], "State | None"]


def lex(source: str, names: frozenset[str] = frozenset()) -> list[Token]:
    """All tokens of a template. The last one is EOF or ERROR.

    Args:
        source: the template.
        names: extra functions; one called `break` or `continue` replaces the keyword.
    """
    lexer = Lexer(source, names)
    state: State | None = lex_text
    while state is not None:
        state = state(lexer)
    return lexer.tokens


# --- outside actions -----------------------------------------------------------------------------------------------


def lex_text(lexer: Lexer) -> State:
    """Up to the next `{{`, or to the end. `{{- ` removes the white space before it."""
    source = lexer.source
    begin, left = lexer.pos, source.find("{{", lexer.pos)
    end = len(source) if left == -1 else left
    text = source[begin:end]
    if left != -1 and _trims_left(source, left + 2):
        text = text.rstrip(SPACES)
    if text:
        lexer.tokens.append(Token(Kind.TEXT, text, begin))
    lexer.pos = end
    if left == -1:
        lexer.tokens.append(Token(Kind.EOF, "", end))
    return lex_nothing if left == -1 else lex_left


def lex_nothing(_: Lexer) -> None:
    """After the last token."""


def lex_left(lexer: Lexer) -> State:
    """At `{{`: a comment, or the beginning of an action."""
    lexer.opened = lexer.pos
    inside = lexer.pos + (4 if _trims_left(lexer.source, lexer.pos + 2) else 2)
    if lexer.source.startswith("/*", inside):
        lexer.pos = inside
        return lex_comment
    lexer.tokens.append(Token(Kind.LEFT, "{{", lexer.pos))
    lexer.pos = inside
    lexer.parens.clear()
    lexer.spaced = False
    return lex_action


def lex_comment(lexer: Lexer) -> State:
    """At `/*`: up to `*/`, which the delimiter must follow immediately."""
    end = lexer.source.find("*/", lexer.pos + 2)
    if end == -1:
        return lexer.fail("unclosed comment", lexer.opened)
    lexer.pos = end + 2
    if not _right_length(lexer.source, lexer.pos):
        return lexer.fail("comment ends before closing delimiter", lexer.pos)
    _leave(lexer)
    return lex_text


# --- within actions ------------------------------------------------------------------------------------------------


def lex_action(lexer: Lexer) -> State:
    """Between two tokens of an action: the next character tells which token follows."""
    source, pos = lexer.source, lexer.pos
    if _right_length(source, pos):
        return lex_right
    char = source[pos : pos + 1]
    if not char:
        return lexer.fail("unclosed action", lexer.opened)
    if char in SPACES:
        return lex_space
    if char == "." and (source[pos + 1 : pos + 2] or "x") not in DIGITS:
        return lex_field
    if char in "+-." or char in DIGITS:
        return lex_number
    return _STATES.get(char) or (lex_word if _is_word(char) else lex_sign)


def lex_space(lexer: Lexer) -> State:
    """At white space: skip it, except the last one if that belongs to ` -}}`."""
    source, end = lexer.source, lexer.pos + 1
    while end < len(source) and source[end] in SPACES:
        end += 1
    lexer.spaced = True
    lexer.pos = end - 1 if source.startswith("-}}", end) else end
    return lex_action


def lex_right(lexer: Lexer) -> State:
    """At `}}` or ` -}}`, which removes the white space after it."""
    if lexer.parens:
        return lexer.fail("unclosed left paren", lexer.parens[-1])
    lexer.tokens.append(Token(Kind.RIGHT, "}}", lexer.pos, lexer.spaced))
    _leave(lexer)
    return lex_text


def lex_word(lexer: Lexer) -> State:
    """At a letter, an underscore or a digit that is not ASCII: a keyword, a boolean or the name of a function."""
    end = _word_end(lexer.source, lexer.pos)
    word = lexer.source[lexer.pos : end]
    if word in KEYWORDS and not (word in {"break", "continue"} and word in lexer.names):
        kind = Kind.KEYWORD
    else:
        kind = Kind.BOOL if word in {"true", "false"} else Kind.IDENTIFIER
    return _terminated(lexer, kind, end)


def lex_field(lexer: Lexer) -> State:
    """At a dot that does not begin a number: `.Name`, or dot itself."""
    end = _word_end(lexer.source, lexer.pos + 1)
    return _terminated(lexer, Kind.DOT if end == lexer.pos + 1 else Kind.FIELD, end)


def lex_variable(lexer: Lexer) -> State:
    """At a dollar sign: `$` alone or `$name`."""
    return _terminated(lexer, Kind.VARIABLE, _word_end(lexer.source, lexer.pos + 1))


def lex_quoted(lexer: Lexer) -> State:
    """At `"` or `'`: up to the same quote on the same line; a backslash escapes the next character."""
    pattern, kind, name = _QUOTED[lexer.source[lexer.pos]]
    match = pattern.match(lexer.source, lexer.pos)
    if match is None:
        return lexer.fail(f"unterminated {name}", lexer.pos)
    lexer.emit(kind, match.end())
    return lex_action


def lex_raw(lexer: Lexer) -> State:
    """At a backtick: up to the next one, across line breaks too."""
    end = lexer.source.find("`", lexer.pos + 1)
    if end == -1:
        return lexer.fail("unterminated raw quoted string", lexer.pos)
    lexer.emit(Kind.STRING, end + 1)
    return lex_action


def lex_number(lexer: Lexer) -> State:
    """At a digit, a sign or `.5`: text that looks like a number; literals.py decides whether it is one."""
    source = lexer.source
    end = _number_end(source, lexer.pos)
    if source[end : end + 1] in {"+", "-"}:  # 1+2i: no spaces, the second half is imaginary
        end = _number_end(source, end)
        if source[end - 1] != "i":
            return _bad_number(lexer, end)
    if end < len(source) and _is_word(source[end]):
        return _bad_number(lexer, end + 1)
    lexer.emit(Kind.NUMBER, end)
    return lex_action


def lex_colon(lexer: Lexer) -> State:
    """At a colon: only `:=` begins with one."""
    if not lexer.source.startswith(":=", lexer.pos):
        return lexer.fail("expected :=", lexer.pos)
    lexer.emit(Kind.DECLARE, lexer.pos + 2)
    return lex_action


def lex_open(lexer: Lexer) -> State:
    """At a left parenthesis."""
    lexer.parens.append(lexer.pos)
    lexer.emit(Kind.OPEN, lexer.pos + 1)
    return lex_action


def lex_close(lexer: Lexer) -> State:
    """At a right parenthesis, which must have a left one."""
    if not lexer.parens:
        return lexer.fail("unexpected right paren", lexer.pos)
    lexer.parens.pop()
    lexer.emit(Kind.CLOSE, lexer.pos + 1)
    return lex_action


def lex_sign(lexer: Lexer) -> State:
    """At any other character: `=`, `|`, the comma of a range, or one that the parser will refuse."""
    char = lexer.source[lexer.pos]
    if not (char.isascii() and char.isprintable()):
        return lexer.fail(f"unrecognized character in action: U+{ord(char):04X}", lexer.pos)
    lexer.emit({"=": Kind.ASSIGN, "|": Kind.PIPE}.get(char, Kind.SIGN), lexer.pos + 1)
    return lex_action


_STATES: dict[str, State] = {
    '"': lex_quoted,
    "'": lex_quoted,
    "`": lex_raw,
    "$": lex_variable,
    ":": lex_colon,
    "(": lex_open,
    ")": lex_close,
}
_QUOTED = {
    '"': (re.compile(r'"(?:[^"\\\n]|\\[^\n])*+"'), Kind.STRING, "quoted string"),
    "'": (re.compile(r"'(?:[^'\\\n]|\\[^\n])*+'"), Kind.CHARACTER, "character constant"),
}
# The base decides which digits and which exponent may follow. Possessive, so that nothing is searched twice.
_NUMBER = re.compile(
    r"[+-]?+(?:"
    r"0[xX][0-9a-fA-F_]*+(?:\.[0-9a-fA-F_]*+)?+(?:[pP][+-]?+[0-9_]*+)?+"
    r"|0[oO][0-7_]*+(?:\.[0-7_]*+)?+"
    r"|0[bB][01_]*+(?:\.[01_]*+)?+"
    r"|[0-9_]*+(?:\.[0-9_]*+)?+(?:[eE][+-]?+[0-9_]*+)?+"
    r")i?+",
)


def _number_end(source: str, pos: int) -> int:
    match = _NUMBER.match(source, pos)
    return match.end() if match else pos


def _bad_number(lexer: Lexer, end: int) -> State:
    return lexer.fail(f"bad number syntax: {_shown(lexer.source[lexer.pos : end])}", lexer.pos)


def _terminated(lexer: Lexer, kind: Kind, end: int) -> State:
    # A name must be followed by something that can end it: `.Name"x"` is a mistake, not two arguments.
    source = lexer.source
    char = source[end : end + 1]
    if char and char not in " \t\r\n.,|:()" and not source.startswith("}}", end):
        return lexer.fail(f"bad character U+{ord(char):04X} {char!r}", end)
    lexer.emit(kind, end)
    return lex_action


def _leave(lexer: Lexer) -> None:
    # After the delimiter, and after the white space that a trim marker removes.
    source, length = lexer.source, _right_length(lexer.source, lexer.pos)
    lexer.pos += length
    if length > 2:
        while lexer.pos < len(source) and source[lexer.pos] in SPACES:
            lexer.pos += 1


def _trims_left(source: str, pos: int) -> bool:
    # `{{-3}}` is a number: only white space makes the minus a marker.
    return source.startswith(("- ", "-\t", "-\r", "-\n"), pos)


def _right_length(source: str, pos: int) -> int:
    if source.startswith("}}", pos):
        return 2
    return 4 if source.startswith((" -}}", "\t-}}", "\r-}}", "\n-}}"), pos) else 0


def _is_word(char: str) -> bool:
    # Go's letters and digits, without superscripts and vulgar fractions, which isalnum() accepts.
    return char == "_" or char.isalpha() or char.isdecimal()


def _word_end(source: str, pos: int) -> int:
    while pos < len(source) and _is_word(source[pos]):
        pos += 1
    return pos


def _shown(text: str, limit: int = 40) -> str:
    return repr(text if len(text) <= limit else text[:limit] + "…")
