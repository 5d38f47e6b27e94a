# How a declaration is tried: it alone reads a turn, so that nothing else makes it seem right. Does not depend on where
# the declaration or the turn came from.
"""A turn, read by one declaration alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolglean.engine.machine import Machine
from toolglean.engine.matcher.payload import FormatPlan
from toolglean.formats.compile import compiled
from toolglean.options import ParserOptions

if TYPE_CHECKING:
    from toolglean.events import Event
    from toolglean.formats.spec import Format
    from toolglean.tools import ToolSet

__all__ = ["alone", "events_by"]

_ALONE = ParserOptions(undeclared="text")


def alone(declared: Format, tools: ToolSet, prompt: str = "") -> Machine:
    """A machine before a turn, which it reads by one declaration.

    Args:
        declared: what reads it.
        tools: the tools that may be called.
        prompt: what is before the turn.

    Raises:
        FormatError: the patterns cannot be put together.
    """
    spellings = declared.for_tools(tools.names) or declared
    return Machine(FormatPlan(compiled((spellings,))), tools, _ALONE, prompt=prompt)


def events_by(machine: Machine, chunks: Iterable[str]) -> list[Event]:
    """The events of a turn. The machine itself stays before it: a fork reads."""
    reader = machine.fork()
    return [event for chunk in chunks for event in reader.feed(chunk)] + reader.finish()
