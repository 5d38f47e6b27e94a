# Which tool a written name means, and whether a call of that name is accepted.
# Does not depend on where names are written.
"""Names that the model writes, and the tools that they mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toolglean.scan.json import decode
from toolglean.scan.names import NAMESPACES, may_be_wrapped, without_namespace

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping

    from toolglean.tools import Tool, ToolSet

__all__ = ["Names", "contains_markup"]


def _of_id(name: str) -> str:
    # Kimi K2 writes "functions.f:0" for name and number. Clients replace characters that they do not allow in an id,
    # and the model, which sees the result in its history, writes "functions_f_0".
    found = _sanitised(name)
    return name if found is None else str(found[1])


_sanitised = re.compile(r"functions_(.+)_\d+").fullmatch

contains_markup = re.compile(r"[<>\"'`\n\r]").search
"""Finds what no name or key contains: if it does, it is the rest of a marker, broken or quoted."""

_COMBINED = frozenset({"$ref", "allOf", "anyOf", "oneOf"})  # what adds parameters to those of a schema
_left_open = re.compile(r"[{}]|^[.…]+$").search  # "{name}", "...": the form of a call, not a call
PLACEHOLDERS = frozenset(
    {"name", "tool", "function", "func", "fn", "toolname", "functionname", "funcname", "fnname", "nameofthetool"}
    | {"nameofthefunction", "nameoftool", "nameoffunction", "foo", "bar", "xxx"}
)
"""What documents write in place of a tool's name, without signs and articles: see `is_placeholder`."""

RECIPIENTS = frozenset({"self", "user"})
"""To whom a message is addressed that calls no tool: templates of Muse Spark."""

SERVER_SIGNS = ("__", ".", "/", ":", "-", "_")
"""What clients write between a server's name and that of its tool."""


def _before_names(server: str) -> tuple[str, ...]:
    # What the names of a server's tools may begin with.
    return tuple(f"{before}{server}{sign}" for before in ("", "mcp__") for sign in SERVER_SIGNS)


_article = re.compile("^(your|my|the|a|some|any|example|sample)(?=.)").sub
_sign = re.compile(r"[\W_]+").sub
_name = re.compile(r"[\w.:/-]*[^\W_][\w.:/-]*").fullmatch
_with_attribute = re.compile(r"([\w.-]+)([\"']?)\s+(?!name=)(\w+)=\2[^\"'<>=]*").fullmatch


def is_placeholder(name: str) -> bool:
    """Whether a name that no tool has is a placeholder: `NAME`, `your_tool`, `function_name`."""
    return name.isupper() or _article("", _sign("", name.lower()).removesuffix("here")) in PLACEHOLDERS


def is_form(name: str) -> bool:
    """Whether a name can only be a placeholder, even if no tools are known: `function_name`, `your_tool`."""
    plain = _sign("", name.lower())
    return plain.startswith("your") or (plain in PLACEHOLDERS and plain != "name" and "name" in plain)


class Names:
    """The tools of a turn, by the names that a model writes. Shared by forks, never changed.

    Attributes:
        tools: the tools; None if none were given.
        spaced: whether any tool's name contains white space.
    """

    __slots__ = ("spaced", "tools")

    def __init__(self, tools: ToolSet | None) -> None:
        self.tools = tools
        self.spaced = tools is not None and tools.spaced

    def resolve(self, name: str) -> str | None:
        """The tool that a written name means, with or without a namespace; None if it is not a tool's name."""
        tools = self.tools
        if tools is None:
            return None
        if name in tools:
            return name
        found = without_namespace(name, tools.namespaces, tools)
        if found is None and "\\_" in name:  # as Markdown escapes it
            return self.resolve(name.replace("\\_", "_"))
        if found is None and (of_id := _of_id(name)) in tools:
            return of_id
        return found

    def of_server(self, server: str, name: str) -> str:
        """The name of a server's tool: clients put the server before the name, or leave it out."""
        ways = (f"{each}{name}" for each in _before_names(server))
        return next((each for each in ways if self.tools is not None and each in self.tools), name)

    def shows_server(self, server: str, name: str) -> bool:
        """Whether nothing is lost if a call has that name: the server's name is part of it, or a namespace that may be
        left out.
        """
        namespaces = NAMESPACES if self.tools is None else self.tools.namespaces
        return server in namespaces or name.startswith(_before_names(server))

    def spelt(self, name: str) -> str:
        """The name of a call, as it is reported."""
        return self.resolve(name) or (_of_id(name) if self.tools is None else name)

    def tool(self, name: str) -> Tool | None:
        """The tool that a written name means, if it is one."""
        known = self.resolve(name)
        return None if known is None or self.tools is None else self.tools.get(known)

    def schema(self, name: str) -> Mapping[str, Any] | None:
        """The schema of the parameters of the tool that a written name means; None if it is not a tool's name."""
        tool = self.tool(name)
        return None if tool is None else tool.parameters

    def schema_of_values(self, name: str) -> Mapping[str, Any]:
        """The same if a parameter in it may allow no string; else {}: mostly all of them are plain strings."""
        tool = self.tool(name)
        if tool is None:
            return {}
        plain = all(type(each) is dict and each.get("type") == "string" for each in tool.properties.values())
        return {} if plain and _COMBINED.isdisjoint(tool.parameters) else tool.parameters

    def known(self, name: str) -> bool | None:
        """Whether the name is a tool's; None if no tools were given."""
        return None if self.tools is None else name in self.tools

    def is_part_of(self, word: str) -> bool:
        """Whether a word is a tool's name and a parameter of it, without what belongs between."""
        return any(
            word.startswith(tool.name) and word[len(tool.name) :].rstrip(":") in tool.properties
            for tool in self.tools or ()
        )

    def could_be_tool(self, word: str) -> bool:
        """Whether the word may be a tool's name: if no tools are known, any word may."""
        return self.tools is None or self.resolve(word) is not None

    def is_call_without_arguments(self, name: str) -> bool:
        """Whether a name without arguments is a call: a tool's name is; if no tools are known, any word that looks like
        one.

        Between two markers any other word is prose about the markers, more likely than a call.
        """
        return _name(name) is not None if self.tools is None else self.resolve(name) is not None

    def cannot_begin(self, text: str, i: int) -> bool | None:
        """Whether what is at `i` is certainly not the name of a tool, in any spelling, nor its beginning. False if no
        tools are known; None if more text is needed to tell.
        """
        if self.tools is None:
            return False
        known, begun = self.tools.known, text[i : i + 3]
        if text.startswith(known.short, i) or (begun in known.beginnings and len(begun) == len("abc")):
            return False
        return True if begun not in known.beginnings else None

    def may_begin(self, begun: str) -> bool:
        """Whether a tool's name begins with that text, without its namespace."""
        return any(tool.name.startswith(begun.rpartition(".")[2]) for tool in self.tools or ())

    def keys_of(self, name: str) -> Collection[str] | None:
        """The parameters of the tool that a written name means; None if they are not known."""
        tool = self.tool(name)
        return tool.properties if tool is not None and tool.properties else None

    def has_parameter(self, name: str, key: str) -> bool:
        """Whether the tool's schema has that parameter."""
        tool = self.tools.get(name) if self.tools is not None else None
        return tool is not None and key in tool.properties

    def key_meant(self, name: str, word: str, unescaped: str) -> str | None:
        """The key that is written as that word, also if one of the tool's is between quotation marks, or has attributes
        behind it; None if it is the rest of something else: a key is never empty, and neither markup nor the sign of an
        attribute is in it.
        """
        bare = word.strip()
        ways = [unescaped, bare, *([bare[1:-1]] if len(bare) > 1 and bare[0] == bare[-1] in {'"', "'"} else ())]
        other = None if not bare or "=" in word or contains_markup(word) is not None else unescaped
        attribute = _with_attribute(bare)  # `x" string="true`
        if attribute is not None and not self.has_parameter(name, attribute[3]):
            ways, other = [*ways, attribute[1]], attribute[1] if attribute[2] and self.keys_of(name) is None else None
        return next((each for each in ways if self.has_parameter(name, each)), other)

    def lacks_arguments(self, name: str, written: str) -> bool:
        """Whether these arguments, of a call that no closer ended, lack one that the tool requires."""
        return self.requires_arguments(name) and self.misses(name, decode(written or "{}")[0])

    def fault_of(self, name: str, written: str) -> str:
        """Why a call with these arguments, which are whole, must not run although it has a marker; "" if it may."""
        if '"type"' not in written and may_be_wrapped(written) is None:  # it is no definition of a tool
            return ""
        from toolglean.scan.data import fault_of_text  # noqa: PLC0415  # few calls need it

        return fault_of_text(written, self.schema(name), bare=False)

    def parameters_of(self, name: str) -> tuple[str, ...]:
        """The parameters in the tool's schema."""
        tool = self.tool(name)
        return () if tool is None else tuple(map(str, tool.properties))

    def requires_arguments(self, name: str) -> bool:
        """Whether the tool's schema has parameters that every call must have."""
        return self.misses(name, ())

    def misses(self, name: str, keys: Container[str]) -> bool:
        """Whether the tool's schema has a parameter that every call must have, and that is not one of these keys."""
        required = (self.schema(name) or {}).get("required")
        return isinstance(required, list) and any(isinstance(key, str) and key not in keys for key in required)

    def accepts(self, name: str, *, bare: bool) -> bool:
        """Whether a call of that name is accepted: a tool's name is, and one that looks like a name.

        `bare`: no marker comes before it. Then an unknown name is never accepted, because any JSON would be a call.
        """
        if not name:
            return False
        if self.tools is None:
            ends_as_name = not bare or name[-1].isalnum() or name[-1] == "_"  # not `Text.` before a bracket
            return ends_as_name and _left_open(name) is None and not is_form(name)
        if self.resolve(name) is not None:
            return True
        is_label = name[-1] == ":"  # `So:`
        is_other = bare or is_label or name in RECIPIENTS
        return not is_other and _name(name) is not None and not self.leaves_open(name)

    def leaves_open(self, name: str) -> bool:
        """Whether the name is a placeholder, so that its call is an example. It is not if a tool has that name, in
        capitals or not.
        """
        return self.tools is not None and is_placeholder(name) and self.resolve(name.lower()) is None
