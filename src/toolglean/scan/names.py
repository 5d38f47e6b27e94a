# How tools are named: the characters of a name, the namespaces that may come before it, and the keys under which JSON
# has the parts of a call. Does not depend on where names are written, or on what a call of them means.
#
# Templates and SDKs show tools in a namespace, and models write it before the name: `functions.f`, `default_api.f`.
# A namespace that appears in the tools' own names (`github.search`, with a tool `fetch`) is accepted as well, and so
# is the tool's own name (Muse writes `read.read`). Any other word before the name makes it another name:
# `dry_run.delete_all` is not `delete_all`.
"""The names of tools, and the keys of calls in JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping

__all__ = [
    "ARGUMENT_KEYS", "BESIDE_KEYS", "CALL_TYPES", "HOLDER_KEYS", "ID_KEYS", "KNOWN_HOLDER_KEYS", "KNOWN_NAME_KEYS",
    "NAMESPACES", "NAME_CHARS", "NAME_KEYS", "RESULT_KEYS", "THOUGHT_KEYS", "WORD_MARKS", "are_beside",
    "has_name_after", "is_word", "may_be_wrapped", "namespaces_of", "renamed_keys", "without_namespace",
]  # fmt: skip

NAME_KEYS = frozenset({"name", "tool_name"})
KNOWN_NAME_KEYS = frozenset({"tool", "function", "action", "call", "function_name", "recipient_name"})
"""Keys with many uses: they name a tool if it is a known one and an arguments key is next to them."""
ARGUMENT_KEYS = frozenset(
    ("arguments", "parameters", "params", "args", "input", "action_input", "tool_input", "tool_args")
)
may_be_wrapped = re.compile(rf'\{{\s*"(?:{"|".join(sorted(ARGUMENT_KEYS))})"\s*:\s*\{{').match
"""Whether JSON may be an object with the arguments under a key of theirs."""
ID_KEYS = frozenset({"id", "tool_call_id", "call_id"})
BESIDE_KEYS = ID_KEYS | {"type", "index"}
"""Keys that may be next to a name without being arguments."""
_beside = rf'"(?:{"|".join(sorted(BESIDE_KEYS))})"\s*:\s*(?:"[^"\\]{{0,128}}"|\d{{1,9}}|null)\s*'
are_beside = re.compile(rf"\s*{_beside}(?:,\s*{_beside})*\Z").match
"""Whether the text is nothing but such keys, each with a value."""
RESULT_KEYS = frozenset({"response", "result", "results", "output", "outputs", "observation", "error", "returns"})
"""Keys of what a tool has answered: what is under one of them is no call's arguments, whatever is around it."""
CALL_TYPES = frozenset({"function", "function_call", "tool_call", "tool_use", "call"})
"""What the `type` of a call may be."""
KNOWN_HOLDER_KEYS = frozenset({"tool", "command"})
"""Keys with many uses: their value is a call if a known tool and its arguments are in it."""
HOLDER_KEYS = KNOWN_HOLDER_KEYS.union(
    ("tool_calls", "toolcalls", "toolCalls", "function_call", "functionCall"),
    ("function", "tool_call", "call", "tool_uses"),
)
"""Keys whose value is a call, or a list of calls."""
THOUGHT_KEYS = frozenset({"thought", "thoughts", "reasoning", "reason", "explanation", "headline", "role", "content"})
"""Keys of text that may be next to a call in JSON without a marker."""

WORD_MARKS = frozenset("_-.")
NAME_CHARS = 256
"""The longest name of a tool, in characters."""
NAMESPACES = frozenset({"functions", "tools", "default_api"})

_spaces = re.compile(r"(?:\s|\\[nrt])*").match  # also as a JSON string has them


def renamed_keys(pairs: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """For a format's own keys for name and arguments: the common key that each one means."""
    found: dict[str, str] = {}
    for name, arguments in pairs:
        found |= {} if name in NAME_KEYS else {name: "name"}
        found |= {} if arguments in ARGUMENT_KEYS else {arguments: "arguments"}
    return found


_parting = re.compile("[.:/]").finditer


def is_word(char: str) -> bool:
    """Whether a tool's name may contain the character."""
    return char.isalnum() or char in WORD_MARKS


def namespaces_of(names: Iterable[str]) -> frozenset[str]:
    """The namespaces that may come before the names of these tools."""
    own = (name.rpartition(".")[0] for name in names if "." in name)
    return NAMESPACES.union(filter(None, own))


def without_namespace(name: str, namespaces: Container[str], names: Container[str]) -> str | None:
    """What follows a name's namespace, if that is one of the names, and both together are none; otherwise None."""
    for found in _parting(name):
        namespace, rest = name[: found.start()], name[found.end() :]
        if rest in names and (namespace in namespaces or namespace == rest):
            return None if any(f"{namespace}{sign}{rest}" in names for sign in ".:/") else rest
    return None


def has_name_after(text: str, literals: Iterable[str], is_name: Callable[[str], bool]) -> bool:
    """Whether the text contains one of the literals, followed by a name, with or without white space between them."""
    for literal in literals:
        place = text.find(literal)
        while place >= 0:
            place += len(literal)
            end = _spaces(text, place).end()  # type: ignore[union-attr]  # it matches the empty string
            word = text[end : place + NAME_CHARS]
            end = next((end for end, char in enumerate(word) if not is_word(char)), len(word))
            if end and is_name(word[:end]):
                return True
            place = text.find(literal, place)
    return False
