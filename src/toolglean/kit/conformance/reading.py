# The protocol in which a parser under test answers, and how its answers become one reading. Does not depend on which
# answer would be right (judge.py).
#
# An answer is a dict, or None for nothing:
#
#   {"content": str, "reasoning": str, "calls": [...], "unfinished": [...]}    each may be left out
#
# A call has `name` and `arguments`. Arguments as a dict are complete; as text they are JSON, or a piece of it. Calls
# with the same `index` are one, and their pieces are joined, as in OpenAI's streams. `unfinished` lists calls that a
# client must not run, as text or in any other form: only their text is used.
"""A parser's reading of a turn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["AnswerError", "Reading", "call_text", "folded"]


class AnswerError(ValueError):
    """A parser under test returned something that is not an answer."""


@dataclass(slots=True)
class Reading:
    """A parser's reading of a turn.

    Attributes:
        content, reasoning: the text.
        calls: the calls that a client would run, as dicts with `name` and `arguments`.
        unfinished: the text of the calls that a client would not run.
    """

    content: str = ""
    reasoning: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text of the reading, wherever it is."""
        calls = [f"{call['name']} {json.dumps(call['arguments'], ensure_ascii=False)}" for call in self.calls]
        return "\n".join([self.reasoning, self.content, *calls, *self.unfinished])

    def as_dict(self) -> dict[str, Any]:
        """The fields, as JSON values."""
        return {name: getattr(self, name) for name in ("content", "reasoning", "calls", "unfinished")}


def call_text(call: Mapping[str, Any]) -> str:
    """A call, for people: its name, with its arguments in parentheses."""
    return f"{call['name']}({json.dumps(call['arguments'], ensure_ascii=False)})"


def folded(answers: Iterable[object]) -> Reading:
    """The answers to the chunks of a turn, as one reading.

    Raises:
        AnswerError: one of them is not an answer. The message shows it.
    """
    reading = Reading()
    calls: dict[object, dict[str, Any]] = {}
    for answer in answers:
        if answer is None:
            continue
        if not isinstance(answer, Mapping):
            raise AnswerError(f"{answer!r:.200} is not an answer; expected a dict, such as {{'calls': […]}}, or None")
        reading.content += _text(answer, "content")
        reading.reasoning += _text(answer, "reasoning")
        for call in _list(answer, "calls"):
            _add(calls, call)
        reading.unfinished += [
            each if isinstance(each, str) else json.dumps(each, ensure_ascii=False, default=str)
            for each in _list(answer, "unfinished")
        ]
    for call in calls.values():
        _close(reading, call)
    return reading


def _text(answer: Mapping[str, Any], name: str) -> str:
    found = answer.get(name)
    if not isinstance(found, str | None):
        raise AnswerError(f"{name}={found!r:.200} is not text")
    return found or ""


def _list(answer: Mapping[str, Any], name: str) -> list[Any]:
    found = answer.get(name)
    if not isinstance(found, list | tuple | None):
        raise AnswerError(f"{name}={found!r:.200} is not a list")
    return list(found or ())


def _add(calls: dict[object, dict[str, Any]], call: object) -> None:
    if not isinstance(call, Mapping):
        raise AnswerError(f"{call!r:.200} is not a call; expected a dict with name and arguments")
    index = call.get("index")
    if not isinstance(index, int | str | None):
        raise AnswerError(f"index={index!r:.200} is not a number or text")
    known = calls.setdefault(("alone", len(calls)) if index is None else index, {"name": "", "arguments": ""})
    known["name"] += _text(call, "name")
    arguments = call.get("arguments")
    if isinstance(arguments, Mapping):
        known["arguments"] = dict(arguments)
    elif not isinstance(arguments, str | None) or not isinstance(known["arguments"], str):
        raise AnswerError(f"arguments={arguments!r:.200}: expected a dict or a piece of JSON text")
    else:
        known["arguments"] += arguments or ""


def _close(reading: Reading, call: dict[str, Any]) -> None:
    # Clients read "" as no arguments (`json.loads(text or "{}")`), and can only run a JSON object: NaN is not JSON.
    arguments = call["arguments"]
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}", parse_constant=_refused)
        except (ValueError, RecursionError):
            arguments = None
    if call["name"] and isinstance(arguments, dict):
        reading.calls.append({"name": call["name"], "arguments": arguments})
    else:
        reading.unfinished.append(f"{call['name']} {call['arguments']}")


def _refused(constant: str) -> None:
    raise ValueError(constant)
