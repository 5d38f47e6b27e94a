# The call that is put into a context: how a format writes it, and where its parts begin and end.
# Does not depend on any context (context_places.py, context_forms.py), nor on how a turn is read (contexts.py).
"""A call of a dangerous tool, as a format writes it, and what a context is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from toolglean import ToolSet, UsageError
from toolglean.formats.registry import all_formats
from toolglean.formats.render import render
from toolglean.formats.spec import Format, tokens_of
from toolglean.formats.spec import Literal as LiteralToken

__all__ = ["ARGUMENTS", "DELETE", "SEND", "TOOLS", "Call", "Context", "Says", "Written", "all_written"]

Call: TypeAlias = tuple[str, Mapping[str, Any]]
Says: TypeAlias = Literal["runs", "content", "malformed", "unknown", "either"]

ARGUMENTS: Mapping[str, Any] = {"to": "Ann", "amount": 5}
SEND: Call = ("send_money", ARGUMENTS)
DELETE: Call = ("delete_all", {})
_PARAMETERS = {
    "send_money": {"to": {"type": "string"}, "amount": {"type": "integer"}},
    "delete_all": {},
    "note": {"text": {"type": "string"}},
}
TOOLS = ToolSet(
    [
        {"name": name, "parameters": {"type": "object", "properties": given, "required": list(given)}}
        for name, given in _PARAMETERS.items()
    ]
)
"""`send_money` and `delete_all` must not run without need; `note` takes any text and is harmless."""

_OWN_MARKER = 6  # characters, at least, of a marker that is not also a word or a bracket of prose


@dataclass(frozen=True)
class Written:
    """Calls that a format writes.

    Attributes:
        format: the format.
        send: a call of `send_money`.
        delete: a call of `delete_all`, which has no arguments.
        both: the two in one turn; empty where the format writes only one call.
    """

    format: Format
    send: str
    delete: str
    both: str

    @property
    def marked(self) -> bool:
        """Whether a special marker opens the call: then it may come after prose. Words, brackets and fences do not."""
        return self.opener.startswith(("<", "]<")) or (self.opener[:1] == "[" and self.opener[-1:] == "]")

    @property
    def opener(self) -> str:
        """The longest marker with which the call begins; may be empty."""
        found = [each for each in self.format.markers if self.send.startswith(each) and len(each) >= _OWN_MARKER]
        return max(found, key=len, default="")

    @property
    def closer(self) -> str:
        """The longest marker with which the call ends; may be empty."""
        found = [each for each in self.format.markers if self.send.endswith(each) and len(each) >= _OWN_MARKER]
        return max(found, key=len, default="")

    @property
    def fenced(self) -> bool:
        """Whether the call itself contains a fence."""
        return "```" in self.send

    @property
    def escaped(self) -> bool:
        """Whether the call is written with `&lt;`: such text is a call only where the format is named."""
        return "&lt;" in self.send

    @property
    def is_python(self) -> bool:
        """Whether the call is written as Python writes it."""
        return "delete_all()" in self.delete

    def named(self, name: str) -> str:
        """The call of `send_money` under another name."""
        return self.send.replace("send_money", name)

    def named_delete(self, name: str) -> str:
        """The call of `delete_all` under another name."""
        return self.delete.replace("delete_all", name)

    def arguments_key(self) -> str:
        """The key, in quotes, under which JSON has the arguments; "" if there is no such key."""
        found = re.search(r'"(arguments|parameters|args|input)": \{', self.send)
        return f'"{found[1]}"' if found else ""

    def arguments_end(self) -> int:
        """The place after the arguments, still inside the call; -1 where nothing of the call follows them."""
        last = self.send.rindex("5") + 1
        found = re.match(r"(<escape>)?[})]", self.send[last:])
        end = last + found.end() if found else self._after_parameter(last)
        rest = self.send[end:].strip() if end >= 0 else ""
        return end if rest and not rest.startswith("```") else -1

    def parameter_closer(self) -> str:
        """The marker after a parameter's value; "" if there is none."""
        for pattern in self.format.parameters[:1]:
            tokens = tokens_of(pattern)
            for place, token in enumerate(tokens):
                after = tokens[place + 1 :]
                if getattr(token, "name", "") == "value":
                    return next((each.text for each in after if isinstance(each, LiteralToken)), "")
        return ""

    def _after_parameter(self, place: int) -> int:
        closer = self.parameter_closer()
        found = self.send.find(closer, place) if closer else -1
        return found + len(closer) if found >= 0 else -1


@dataclass(frozen=True)
class Context:
    """What is written around a call, or instead of one.

    Attributes:
        name: what it is.
        says: what the rules say about it. `runs`: the calls run, with these arguments. `content`, `malformed`: no call
            runs. `unknown`: no tool that was given runs. `either`: the calls run with these arguments, or not at all.
        why: the decision, in a few words.
        turn: the turn that is made of what a format writes; None where that makes no sense for the format.
        calls: the calls that run, if any does.
        said: whether a call that runs must have a `Problem`.
        named_only: whether it matters only if the format is named.
    """

    name: str
    says: Says
    why: str
    turn: Callable[[Written], str | None]
    calls: tuple[Call, ...] = (SEND,)
    said: bool = False
    named_only: bool = False


@lru_cache(maxsize=1)
def all_written() -> tuple[Written, ...]:
    """The calls of every format of the library."""
    return tuple(_written(declared) for declared in all_formats())


def _written(declared: Format) -> Written:
    send, delete = (render(declared, [call], tools=TOOLS).strip("\n") for call in (SEND, DELETE))
    try:
        both = render(declared, [SEND, DELETE], tools=TOOLS).strip("\n")
    except UsageError:
        both = ""
    return Written(declared, send, delete, both)
