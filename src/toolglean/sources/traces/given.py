# What a user gives: turns, tools, and perhaps the calls of each turn. Does not depend on how anything is learnt.
"""Turns to learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from toolglean.errors import FormatError, UsageError, shown
from toolglean.tools import ToolLike, ToolSet

__all__ = ["FEWEST", "MOST", "Answer", "Given", "given"]

FEWEST = 3
MOST = 100
"""How many turns are learnt from."""

Made = TypeVar("Made")
Answer = tuple[str, Mapping[str, Any]]
"""A call that a turn is known to make: the tool's name and the arguments."""


@dataclass(frozen=True)
class Given:
    """What is learnt from.

    Attributes:
        turns: the turns.
        tools: the tools.
        answers: the calls of each turn; None if they are not known.
        numbers: which of the user's turns each is, counted from 0.
        memory: what was read, so that nothing is read twice; shared with `only`.
    """

    turns: tuple[str, ...]
    tools: ToolSet
    answers: tuple[tuple[Answer, ...], ...] | None = None
    numbers: tuple[int, ...] = ()
    memory: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, key: Any, make: Callable[[], Made]) -> Made:
        """What `make` returns: made once, and remembered under that key."""
        if key not in self.memory:
            self.memory[key] = make()
        found: Made = self.memory[key]
        return found

    def only(self, kept: Iterable[int]) -> Given:
        """Those turns, in their order."""
        chosen = sorted(frozenset(kept))
        answers = None if self.answers is None else tuple(self.answers[number] for number in chosen)
        turns, numbers = zip(*((self.turns[each], self.numbers[each]) for each in chosen), strict=True)
        return Given(turns, self.tools, answers, numbers, self.memory)


def given(turns: Iterable[str], tools: Iterable[ToolLike] | ToolSet, answers: Iterable[Iterable[Any]] | None) -> Given:
    """The turns, checked.

    Raises:
        UsageError: an argument has the wrong type; or there are more turns than MOST.
        FormatError: there are too few turns, or no tool has a schema with parameters.
    """
    if isinstance(turns, str | Mapping) or not isinstance(turns, Iterable):
        raise UsageError(
            f"turns={shown(turns)} is not a list of turns: pass what the model wrote, a text for each turn"
        )
    texts = tuple(turns)
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise UsageError(f"turn {number} is {shown(text)}: pass the text that the model wrote")
    known = tools if isinstance(tools, ToolSet) else ToolSet(tools)
    if len(texts) < FEWEST:
        raise FormatError(
            f"no format can be learnt from {len(texts)} turn{'' if len(texts) == 1 else 's'}: pass at least {FEWEST}, "
            "with calls of different tools"
        )
    if len(texts) > MOST:
        raise UsageError(
            f"turns: {len(texts)} are too many: pass at most {MOST}, with as many different calls as possible"
        )
    if not any(known.get(name).properties for name in known.names):  # type: ignore[union-attr]
        raise FormatError(
            "no format can be learnt without the tools' parameters: pass tools whose schemas have properties"
        )
    return Given(texts, known, None if answers is None else _answers(answers, len(texts)), tuple(range(len(texts))))


def _answers(answers: Iterable[Iterable[Any]], count: int) -> tuple[tuple[Answer, ...], ...]:
    rows = tuple(tuple(map(_answer, row)) for row in answers)
    if len(rows) != count:
        raise UsageError(
            f"answers: {len(rows)} for {count} turns: pass a list of calls for each turn, [] where it has none"
        )
    return rows


def _answer(call: Any) -> Answer:
    inner = call.get("function", call) if isinstance(call, Mapping) else call
    if isinstance(inner, Mapping) and isinstance(inner.get("name"), str):
        arguments = inner.get("arguments", {})
        if isinstance(arguments, Mapping):
            return inner["name"], arguments
    if isinstance(inner, Sequence) and len(inner) == 2 and isinstance(inner[0], str) and isinstance(inner[1], Mapping):
        return inner[0], inner[1]
    raise UsageError(f"answers: {shown(call)} is not a call: pass {{'name': …, 'arguments': {{…}}}}")
