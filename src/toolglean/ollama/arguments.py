# Which object in a text contains the arguments (rule 6 of `__init__.py`), and where in that object they are (rule 7).
# Does not depend on how the tool was found, or on what is consumed.
"""From text in pieces to the arguments of a call."""

from __future__ import annotations

from typing import Any

from toolglean.ollama.gojson import decode_object
from toolglean.ollama.scan import Brackets
from toolglean.scan.plain import Plain, Rope, grown, joined

__all__ = ["ObjectScan", "arguments_in", "find_arguments"]


class ObjectScan(Plain):
    """Finds the first object that can be decoded, in text that arrives in pieces."""

    __slots__ = ("_brackets", "_depth", "_open")
    owned = ("_brackets",)
    ropes = frozenset({"_open"})

    def __init__(self) -> None:
        self._brackets = Brackets("{")
        self._depth = 0
        self._open: Rope = ()  # the text of the open object

    def find(self, text: str, pos: int) -> tuple[dict[str, Any] | None, int]:
        """Read the next piece from `pos` to its end, or to the end of the object.

        Returns:
            The object and the position of its closing brace in `text`, or (None, -1).
        """
        start = pos  # where the open object begins in this piece
        at = pos - 1
        while (at := self._brackets.next(text, at + 1)) >= 0:
            if text[at] == "{":
                if self._depth == 0:
                    start = at
                self._depth += 1
            elif self._depth > 0:
                self._depth -= 1
                if self._depth == 0 and (found := self._decoded(text[start : at + 1])) is not None:
                    return found, at
        if self._depth > 0:
            self._open = grown(self._open, text[start:])
        return None, -1

    def _decoded(self, last_piece: str) -> dict[str, Any] | None:
        whole, self._open = joined(grown(self._open, last_piece)), ()
        return decode_object(whole)[0]


def arguments_in(found: dict[str, Any], tool: str | None) -> dict[str, Any] | None:
    """Rule 7: the arguments in a decoded object.

    Returns:
        The arguments; the object itself if nothing in it looks like a call; None if something looks like a call whose
        arguments cannot be read.
    """
    stack = [found]
    while stack:
        each = stack.pop()
        if "name" in each:
            known, arguments = _object_at(each, "arguments")
            return arguments if known else _object_at(each, "parameters")[1]
        if tool is not None:
            known, arguments = _object_at(each, tool)
            if known:
                return arguments
        stack.extend(reversed(_children(each)))  # an explicit stack: objects nest 10,000 deep
    return found


def _object_at(holder: dict[str, Any], key: str) -> tuple[bool, dict[str, Any] | None]:
    value = holder.get(key)
    if isinstance(value, dict):
        return True, value
    if isinstance(value, str):
        decoded, fine = decode_object(value)
        return fine, decoded  # the text "null" is accepted, and means no arguments
    return False, None


def _children(holder: dict[str, Any]) -> list[dict[str, Any]]:
    children: list[dict[str, Any]] = []
    for value in holder.values():
        if isinstance(value, dict):
            children.append(value)
        elif isinstance(value, list):
            children.extend(item for item in value if isinstance(item, dict))
    return children


def find_arguments(tool: str | None, buffer: str) -> tuple[dict[str, Any] | None, int]:
    """The arguments in a buffer: those of its first object that Go can decode.

    Args:
        tool: the tool's name; None if it is not known.
        buffer: any text, searched from its start.

    Returns:
        The arguments and the position of the closing brace of the object that contains them; (None, that position)
        for an object that names a tool but has no readable arguments; (None, 0) if there is no object.
    """
    found, at = ObjectScan().find(buffer, 0)
    return (None, 0) if found is None else (arguments_in(found, tool), at)
