# One row for each thing that the lexer distinguishes: the template, and its tokens as "KIND text". A token after white
# space within its action has a blank before its kind. Positions are tested for all rows at once: a token's text is the
# text at its place.
"""Tests of the lexer of Go templates."""

from __future__ import annotations

import pytest

from toolglean.sources.templates.golang.lexer import Kind, lex

L, R, EOF = "LEFT {{", "RIGHT }}", "EOF "

TOKENS = {
    "": [EOF],
    "text only\n": ["TEXT text only\n", EOF],
    "a{b}c } }} d": ["TEXT a{b}c } }} d", EOF],
    "a{{.B}}c": ["TEXT a", L, "FIELD .B", R, "TEXT c", EOF],
    "{{}}": [L, R, EOF],
    # trimming: only a minus with white space beside it is a marker
    "a \n{{- .B -}}\t c": ["TEXT a", L, "FIELD .B", R, "TEXT c", EOF],
    "a {{-3}} b": ["TEXT a ", L, "NUMBER -3", R, "TEXT  b", EOF],
    "a {{- 3 -}}": ["TEXT a", L, "NUMBER 3", R, EOF],
    "a {{-\n.B\n-}} c": ["TEXT a", L, "FIELD .B", R, "TEXT c", EOF],
    " {{- .A   -}} ": [L, "FIELD .A", " RIGHT }}", EOF],
    "\u00a0{{- .A -}}\u2003": ["TEXT \u00a0", L, "FIELD .A", R, "TEXT \u2003", EOF],  # Go's white space is ASCII
    "\v{{- .A}}": ["TEXT \v", L, "FIELD .A", R, EOF],
    # comments
    "a{{/* {{.B}} \n */}}c": ["TEXT a", "TEXT c", EOF],
    "a {{- /* b */ -}} c": ["TEXT a", "TEXT c", EOF],
    "a {{/* b */ -}} c": ["TEXT a ", "TEXT c", EOF],
    # names, fields, variables
    "{{.}}": [L, "DOT .", R, EOF],
    "{{.A.B_2}}": [L, "FIELD .A", "FIELD .B_2", R, EOF],
    "{{.A .B}}": [L, "FIELD .A", " FIELD .B", R, EOF],
    "{{.Größe.名}}": [L, "FIELD .Größe", "FIELD .名", R, EOF],
    "{{$}}": [L, "VARIABLE $", R, EOF],
    "{{$m.ToolCalls}}": [L, "VARIABLE $m", "FIELD .ToolCalls", R, EOF],
    "{{(.A).B}}": [L, "OPEN (", "FIELD .A", "CLOSE )", "FIELD .B", R, EOF],
    "{{json .A}}": [L, "IDENTIFIER json", " FIELD .A", R, EOF],
    "{{if true}}{{else}}{{end}}": [L, "KEYWORD if", " BOOL true", R, L, "KEYWORD else", R, L, "KEYWORD end", R, EOF],
    "{{break}}{{continue}}": [L, "KEYWORD break", R, L, "KEYWORD continue", R, EOF],
    "{{nil false}}": [L, "KEYWORD nil", " BOOL false", R, EOF],
    "{{iffy}}": [L, "IDENTIFIER iffy", R, EOF],
    # signs
    "{{$x := 1 | f}}": [L, "VARIABLE $x", " DECLARE :=", " NUMBER 1", " PIPE |", " IDENTIFIER f", R, EOF],
    "{{$x = 1}}": [L, "VARIABLE $x", " ASSIGN =", " NUMBER 1", R, EOF],
    "{{$i, $x}}": [L, "VARIABLE $i", "SIGN ,", " VARIABLE $x", R, EOF],
    "{{ % }}": [L, " SIGN %", " RIGHT }}", EOF],
    # literals
    '{{"a}}b\\"c"}}': [L, 'STRING "a}}b\\"c"', R, EOF],
    "{{`a\n\\`}}": [L, "STRING `a\n\\`", R, EOF],
    "{{'x' '\\'' '\\n'}}": [L, "CHARACTER 'x'", " CHARACTER '\\''", " CHARACTER '\\n'", R, EOF],
    "{{1 -2 +3 .5 6. 1e3 1_0}}": [
        *(L, "NUMBER 1", " NUMBER -2", " NUMBER +3", " NUMBER .5", " NUMBER 6.", " NUMBER 1e3", " NUMBER 1_0", R, EOF)
    ],
    "{{0x1F 0b11 0o17 017 0x1p-2 1i 1+2i}}": [
        *(L, "NUMBER 0x1F", " NUMBER 0b11", " NUMBER 0o17", " NUMBER 017", " NUMBER 0x1p-2", " NUMBER 1i"),
        *(" NUMBER 1+2i", R, EOF),
    ],
}

FAULTS = {
    "{{": ("unclosed action", 0),
    "a{{.B": ("unclosed action", 1),
    "a{{.B }": ("unclosed action", 1),
    "{{.A}}b{{- ": ("unclosed action", 7),
    "{{/* a": ("unclosed comment", 0),
    "{{/* a */ }}": ("comment ends before closing delimiter", 9),
    '{{"a': ("unterminated quoted string", 2),
    '{{"a\n"}}': ("unterminated quoted string", 2),
    '{{"a\\\n"}}': ("unterminated quoted string", 2),
    "{{'a": ("unterminated character constant", 2),
    "{{`a": ("unterminated raw quoted string", 2),
    "{{(.A}}": ("unclosed left paren", 2),
    "{{((.A)}}": ("unclosed left paren", 2),
    "{{.A)}}": ("unexpected right paren", 4),
    "{{3k}}": ("bad number syntax: '3k'", 2),
    "{{1.A}}": ("bad number syntax: '1.A'", 2),
    "{{1+2}}": ("bad number syntax: '1+2'", 2),
    "{{$x:}}": ("expected :=", 4),
    "{{.A=1}}": ("bad character U+003D '='", 4),
    "{{.A$}}": ("bad character U+0024", 4),
    "{{a%}}": ("bad character U+0025 '%'", 3),
    '{{.A"b"}}': ("bad character U+0022", 4),
    "{{print : 1}}": ("expected :=", 8),
    "{{\x00}}": ("unrecognized character in action: U+0000", 2),
    "{{ ² }}": ("unrecognized character in action: U+00B2", 3),
    "{{\u200b}}": ("unrecognized character in action: U+200B", 2),
}


@pytest.mark.parametrize("source", TOKENS)
def test_a_template_falls_into_tokens(source: str) -> None:
    tokens = lex(source)
    assert [f"{' ' * token.spaced}{token.kind.name} {token.text}" for token in tokens] == TOKENS[source]
    for token in tokens:
        if token.kind is not Kind.RIGHT:  # its place is that of the trim marker
            assert source.startswith(token.text, token.pos)


@pytest.mark.parametrize("source", FAULTS)
def test_a_fault_is_the_last_token(source: str) -> None:
    reason, pos = FAULTS[source]
    last = lex(source)[-1]
    assert (last.kind, last.pos) == (Kind.ERROR, pos)
    assert last.text.startswith(reason)
