# Turns the pattern of a parameter into a path of an automaton. Does not depend on what is before and after the
# parameters of a call (builder.py).
"""From the pattern of a parameter to a path."""

from __future__ import annotations

from toolglean.errors import FormatError
from toolglean.formats.declaration import Declaration
from toolglean.formats.nfa import CLOSED_AGAIN, LITERAL, RAW_SPACES, Nfa
from toolglean.formats.parameters import Ending, ending_of, has_bare_key, parameter_tokens
from toolglean.formats.patterns import is_value, lead_at, space_at
from toolglean.formats.words import Literal, Slot, Space, Token, ends_line, literals_in, literals_of

__all__ = ["add_parameter", "end_of_name", "parting_space"]


def add_parameter(nfa: Nfa, declared: Declaration, pattern: str, begin: int, closing: int) -> int:
    """Add the path of a parameter, from the state `begin`; `closing`: the state before what follows all parameters.

    Returns:
        The state after the parameter, and after the separator, which may be missing.

    Raises:
        FormatError: nothing shows where the value ends.
    """
    tokens = parameter_tokens(pattern)
    value = next(place for place, token in enumerate(tokens) if token in {Slot("value"), Slot("json")})
    here = begin
    for place, token in enumerate(tokens[:value]):
        if isinstance(token, Literal):
            here = nfa.literal(here, token.text)
        elif isinstance(token, Slot):
            trail = space_at(tokens, place + 1) if token.name == "key" and not ends_line(tokens, place + 1) else ""
            here = nfa.slot(here, token.name, word=not place, trail=trail)
        elif ends_line(tokens, place):
            here = nfa.literal(here, "\n")
        elif not is_value([*tokens], place + 1):
            parts = tokens[place - 1 : place + 2 : 2] == (Slot("key"), Slot("json"))
            here = nfa.space(nfa.literal(here, token.text[0]) if parts else here)
    ending = ending_of(declared, pattern)
    if tokens[value] == Slot("json"):
        here = _rest(nfa, nfa.space(nfa.slot(nfa.space(here), "json")), tokens[value + 1 :], LITERAL)
    elif ending is None:
        here = _marked_value(nfa, declared, pattern, here, value)
    else:
        here = _open_value(nfa, declared, pattern, here, (ending, closing))
    return _separated(nfa, declared, here)


def end_of_name(nfa: Nfa, declared: Declaration, here: int, rest: tuple[Token, ...]) -> int:
    """After a name, before parameters: if one of them begins with its key, the white space there ends the name.

    So it does if a word ends the parameters: `end` is not found in `send`. `rest`: from that white space on.
    """
    if isinstance(rest[-1], Literal) and rest[-1].text[0].isalnum():
        return nfa.space(parting_space(nfa, here))
    spaced = nfa.space(here)
    text = rest[0].text if isinstance(rest[0], Space) else ""
    if any(map(has_bare_key, declared.parameters)):
        nfa.epsilon[nfa.literal(here, "\n" if "\n" in text else text[0])].append(spaced)
    return spaced


def parting_space(nfa: Nfa, here: int) -> int:
    """White space between a word and a name: without it, they are one longer word."""
    after = nfa.state()
    for char in (" ", "\n", *sorted(RAW_SPACES)):
        nfa.epsilon[nfa.literal(here, char, 0)].append(after)
    return after


def _marked_value(nfa: Nfa, declared: Declaration, pattern: str, here: int, value: int) -> int:
    tokens = [*parameter_tokens(pattern)]
    lead, trail = lead_at(tokens, value), space_at(tokens, value + 1)
    if value + 1 + bool(trail) >= len(tokens):
        raise _endless(declared, pattern)
    here = nfa.slot(here, "value", lead=lead, trail=trail)
    # What closes the value is not enough: what follows it decides.
    here = _rest(nfa, here, tuple(tokens[value + 1 + bool(trail) :]), 0)
    return _closed_again(nfa, tokens[value + 1 :], here)


def _open_value(nfa: Nfa, declared: Declaration, pattern: str, here: int, end: tuple[Ending, int]) -> int:
    tokens, (ending, closing) = parameter_tokens(pattern), end
    if not ending.text:
        raise _endless(declared, pattern)
    value = tokens.index(Slot("value"))
    target = nfa.slot(here, "open value", lead=lead_at(tokens, value), ending=ending)
    if ending.open:
        nfa.epsilon[target].append(closing)
    if ending.is_keyed:  # the key is not known here: the value ends after all of it
        return target
    rest = [token for token in tokens[value + 1 :] if not isinstance(token, Space)]
    return _rest(nfa, nfa.literal(target, ending.text), tuple(rest[1:]), LITERAL)


def _rest(nfa: Nfa, here: int, tokens: tuple[Token, ...], flag: int) -> int:
    for token in tokens:
        if isinstance(token, Literal):
            here = nfa.literal(here, token.text, flag)
        elif isinstance(token, Slot):
            here = nfa.slot(here, token.name)
        else:
            here = nfa.space(here)
    return here


def _closed_again(nfa: Nfa, following: list[Token], here: int) -> int:
    # A value's closing marker may come again.
    closer = literals_in(following)
    after = begin = nfa.space(here)
    for place, text in enumerate(closer, 1):
        begin = nfa.space(nfa.literal(begin, text, CLOSED_AGAIN if place == len(closer) else 0))
    nfa.epsilon[begin].append(after)
    return after


def _separated(nfa: Nfa, declared: Declaration, here: int) -> int:
    after = nfa.space(here)
    for text in literals_of(declared.parameter_separator):
        nfa.epsilon[nfa.literal(after, text)].append(after)
    return after


def _endless(declared: Declaration, pattern: str) -> FormatError:
    return FormatError(f"format {declared.name!r}: nothing shows where {{value}} ends in {pattern!r}")
