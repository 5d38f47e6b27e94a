# Where OpenAI's chat API, as servers have extended it, puts the reasoning. Does not depend on what is found in it.
"""The reasoning of a chat's delta or message that the server has taken out of the text itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolglean.conversation.openai import CUT_OFF, REASONING_FIELDS
from toolglean.events import Event, Reasoning

__all__ = ["DEFAULT", "in_fields", "was_cut", "without_calls"]

DEFAULT = REASONING_FIELDS[:1]
"""The field for reasoning that is found in the text, if the server has shown no other."""


def was_cut(reason: Any) -> bool:
    """Whether a turn that ended for this reason was cut off."""
    return isinstance(reason, str) and reason in CUT_OFF  # a server may send any value


def in_fields(deltas: Iterable[dict[str, Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """The deltas, with their reasoning in the fields of these names."""
    (own,) = DEFAULT
    return [dict.fromkeys(names, each[own]) if names != DEFAULT and own in each else each for each in deltas]


def without_calls(events: Iterable[Event], names: tuple[str, ...]) -> dict[str, str]:
    """The fields of a message whose calls have been taken out.

    Args:
        events: those of the reasoning.
        names: of the fields.
    """
    return dict.fromkeys(names, "".join(event.text for event in events if type(event) is Reasoning))
