# The course of a call whose parameters are written one by one, with their keys in tags. See steps.py.
"""The course of a call with tagged parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.straight.steps import (
    ENDS,
    TEXT,
    VALUE,
    VALUE_ENDS,
    WORD,
    Course,
    Spelling,
    Step,
    around,
    first_marker,
    section_of,
    spelt,
    turned,
)
from toolglean.formats.parameters import heads_of_parameter, rest_of_closer
from toolglean.formats.spec import Slot, Space, literals_in, tokens_of

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.formats.words import Token

__all__ = ["tagged_course"]

BREAKS = frozenset({"", "\n"})
"""The white space that may be around a value."""


class _Parameter:
    """The pattern of a parameter, in pieces.

    Attributes:
        before: the pattern before the key; `closer`: the marker after the value, `rest` the pattern after it.
        between: the texts between key and value, or between key, type and value.
        lead, trail: the white space around the value.
    """

    def __init__(self, pattern: str) -> None:
        tokens = tokens_of(pattern)
        self.before, rest = around(pattern, "key")
        middle, after = around(rest, "value")
        place = tokens.index(Slot("value"))
        self.lead, self.trail = _space(tokens, place - 1), _space(tokens, place + 1)
        self.between = tuple(map(spelt, middle.removesuffix(self.lead).split("{type}")))
        self.closer = next(iter(literals_in(tokens[place + 1 :])), "")
        gap, whole = spelt(after)[0], self.trail + self.closer
        self.rest = gap.removeprefix(whole) if gap.startswith(whole) else "{"
        self._slots = [token.name for token in tokens if isinstance(token, Slot)]

    @property
    def can_be_followed(self) -> bool:
        """Whether only `<` may be where the value ends, and the line breaks around it come in pairs."""
        breaks = {self.lead, self.trail}
        return (
            self._slots in (["key", "value"], ["key", "type", "value"])
            and self.before[:1] == "<"
            and self.closer[:1] == "<"
            and self.rest != "{"
            and all(text and text == text.strip() for texts in self.between for text in texts)
            and breaks <= BREAKS
            and len(breaks) == 1
        )


def _space(tokens: tuple[Token, ...], place: int) -> str:
    token = tokens[place] if place < len(tokens) else None
    return token.text if isinstance(token, Space) else ""


def tagged_course(declared: Format) -> Course | None:
    """The course; None if its values end in another way."""
    pattern = declared.parameters[0]
    if not ("{key}" in pattern and "{value}" in pattern) or declared.parameter_separator:
        return None
    parameter = _Parameter(pattern)
    before, rest = around(declared.call, "name")
    between, after = around(rest, "parameters")
    if not (before.strip()[:1] == "<" and after.lstrip()[:1] == "<" and parameter.can_be_followed):
        return None
    heads = spelt(before)
    first, opening, value = Step(TEXT), Step(TEXT), Step(VALUE, lead=parameter.lead, trail=parameter.trail)
    the_name, the_key = Step(WORD, word="name"), Step(WORD, word="key")
    first.spell(Spelling(text + head) for text in section_of(declared) for head in heads)
    opening.spell(Spelling(text) for text in spelt(between + parameter.before))
    following = _following(declared, after, heads, parameter)
    for step, next_step in ((first, the_name), (the_name, opening), (opening, the_key), (value, following)):
        step.lead_to(next_step)
    following.lead_to(the_key, the_name)
    _link(the_key, parameter, value)
    shows_id = "{id}" not in "".join(declared.calls)
    probe = _probe(first, opening, declared, after, parameter)
    rest = rest_of_closer(parameter.closer)
    return Course(declared, first, begins_late=True, shows_id=shows_id, probe=probe, rest=rest)


def _link(the_key: Step, parameter: _Parameter, value: Step) -> None:
    # What is between a key and its value.
    texts = [Step(TEXT, tuple(map(Spelling, spellings))) for spellings in parameter.between]
    the_key.lead_to(texts[0])
    if len(texts) > 1:
        the_type = Step(WORD, word="type")
        texts[0].lead_to(the_type)
        the_type.lead_to(texts[1])
    texts[-1].lead_to(value)


def _following(declared: Format, after: str, heads: tuple[str, ...], parameter: _Parameter) -> Step:
    # What follows a value: its closer, and then another parameter or the end of the call.
    closer = parameter.trail + parameter.closer
    ends: frozenset[str] = frozenset()
    spellings = []
    for gap in spelt(parameter.rest + parameter.before):
        mark = len(closer) + first_marker(parameter.before, gap)
        spellings.append(Spelling(closer + gap, VALUE_ENDS, mark, len(closer), len(closer)))
    for gap in dict.fromkeys((*spelt(parameter.rest), "")) if parameter.rest else ("",):
        found, ending = turned(declared, after, heads, before=closer + gap, mark=first_marker)
        for text, land, opener in found:
            spellings.append(Spelling(text, ENDS, _shows(declared, after, text, land), land, len(closer), opener))
        ends |= ending
    return Step(TEXT, tuple(spellings), ends)


def _shows(declared: Format, after: str, text: str, closed: int) -> int:
    # Where it shows in the text behind the call's closer, which ends at `closed`, that no parameter follows.
    if not (declared.section[1] or after.rstrip()[first_marker(after, after.rstrip()) :]):
        return closed
    rest = text[closed:].lstrip()
    heads = heads_of_parameter(declared)
    shown = (i for i in range(1, len(rest)) if not any(head.startswith(rest[:i].casefold()) for head in heads))
    return len(text) - len(rest) + next(shown, len(rest))


def _probe(first: Step, opening: Step, declared: Format, after: str, parameter: _Parameter) -> tuple[str, str, int]:
    middle = declared.types.get("string", "string").join(spellings[0] for spellings in parameter.between)
    tag = "text" + middle + parameter.lead + "a" + parameter.trail + parameter.closer + spelt(parameter.rest)[0]
    ending = spelt(after)[0]
    closed = first_marker(after, ending)
    shown = _shows(declared, after, ending + declared.section[1], closed)
    call = opening.spellings[0].text + tag + (ending + declared.section[1])[:shown]
    return first.spellings[0].text, call, shown - closed
