# What this file knows: when a call that the server has parsed and a call in the text are one and the same.
# What it must not know: any wire, how calls are found, what becomes of the one that is too much.
#
# Some servers parse a call and leave it in the text as well. Then it comes both ways, in either order, and nobody must
# run it twice: a call of the same name with equal arguments is the same call, once for each time that it was written.
# So the calls of one turn that went out are remembered by the way they came. Each meets at most one of the other way.
"""Calls that come both ways: parsed by the server, and in the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolglean.conversation.fields import arguments_of, field

__all__ = ["BothWays", "Met"]


@dataclass(slots=True, eq=False)
class Met:
    """A call that went out, or is going out.

    Attributes:
        name: of the tool.
        arguments: a dict; None while they are being written.
    """

    name: str
    arguments: Any = None


class BothWays:
    """The calls of one turn that went out, and came one way only so far."""

    __slots__ = ("_parsed", "_written")

    def __init__(self) -> None:
        self._parsed: list[Met] = []
        self._written: list[Met] = []

    def parsed(self, name: Any, arguments: Any = None) -> Met:
        """A call that the server has parsed goes out."""
        self._parsed.append(Met(name, arguments))
        return self._parsed[-1]

    def parsed_whole(self, call: Any) -> None:
        """The same for a call that came in one piece: what has its `name` and its `arguments`."""
        name, (arguments, unread) = field(call, "name"), arguments_of(field(call, "arguments"))
        if not unread:
            self.parsed(name, arguments)

    def written(self, name: str, arguments: Any = None) -> Met:
        """A call in the text goes out."""
        self._written.append(Met(name, arguments))
        return self._written[-1]

    def drop(self, met: Met) -> None:
        """That call came to nothing."""
        for calls in (self._parsed, self._written):
            if met in calls:
                calls.remove(met)

    @property
    def any_written(self) -> bool:
        """Whether a call in the text went out, and did not meet one of the server's."""
        return bool(self._written)

    def was_parsed(self, name: str, arguments: Any = None) -> bool | None:
        """Whether the server has sent this call of the text. If so, the two have met.

        Args:
            name: of the tool.
            arguments: a dict; None while they are not all known.

        Returns:
            None: that cannot be said yet, because the arguments of one of the two are not all known.
        """
        return _same(self._parsed, name, arguments)

    def was_written_whole(self, call: Any) -> bool:
        """The same for a call of the server's that came in one piece."""
        name, (arguments, unread) = field(call, "name"), arguments_of(field(call, "arguments"))
        return not unread and self.was_written(name, arguments) is True

    def was_written(self, name: Any, arguments: Any = None) -> bool | None:
        """Whether this call of the server stood in the text: see `was_parsed`."""
        return _same(self._written, name, arguments)


def _same(others: list[Met], name: Any, arguments: Any) -> bool | None:
    alike = [met for met in others if met.name == name]
    for met in alike:
        if arguments is not None and met.arguments == arguments:
            others.remove(met)
            return True
    unsure = any(arguments is None or met.arguments is None for met in alike)
    return None if unsure else False
