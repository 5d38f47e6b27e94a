# The shapes in which people pass tools, and the JSON schema of each tool. Does not depend on how calls are written or
# read.
#
# Accepted shapes, in the order in which they are tried:
#   "get_weather"                                                     a name, with unknown parameters
#   Tool(...)                                                         ours
#   {"type": "function", "function": {"name": …, "parameters": …}}    OpenAI's chat API, Ollama
#   {"name": …, "parameters" | "input_schema" | "inputSchema": …}     OpenAI's Responses API, Anthropic, MCP
#   an object with such attributes                                    the clients' own classes
#   an object with `metadata` that has them                           toolglean.llm's CallableTool
#   a pydantic class                                                  its name, its docstring, its schema
#   a function                                                        its name, its docstring, its parameters
"""Tools: what the model may call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, Required, TypeAlias, TypedDict

from toolglean.errors import ToolError, UsageError, shown
from toolglean.scan.names import namespaces_of

__all__ = ["FunctionDict", "Tool", "ToolDict", "ToolLike", "ToolNames", "ToolSet", "as_tool", "tool_names"]

SHOWN = 200  # characters of a wrong tool in a message
MOST_NAMES = 2048  # sets of names that are kept
SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")


class FunctionDict(TypedDict, total=False):
    """The function of a `ToolDict`.

    Attributes:
        name: the tool's name.
        description: what the model is told about it.
        parameters: JSON schema of the arguments.
        strict: whether the server must make the model keep to the schema.
    """

    name: Required[str]
    description: str
    parameters: dict[str, Any]
    strict: bool | None


class ToolDict(TypedDict):
    """A tool as OpenAI's chat API and Ollama accept it in a request: the client's own types accept it too.

    Attributes:
        type: "function".
        function: the tool.
    """

    type: Literal["function"]
    function: FunctionDict


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        name: the name by which the model calls it.
        parameters: JSON schema of the arguments, an object schema; empty if it is not known.
        description: what the model was told about it.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""

    @property
    def properties(self) -> Mapping[str, Any]:
        """The schema of each parameter by name."""
        return _properties(self.parameters)

    def to_openai(self) -> ToolDict:
        """The tool in the form that OpenAI's chat API and Ollama accept in a request."""
        function: FunctionDict = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
        return {"type": "function", "function": function}


ToolLike: TypeAlias = str | Tool | Mapping[str, Any] | Any
"""What is accepted as a tool: a name, a `Tool`, a tool dict (OpenAI, Ollama, Anthropic, MCP), an object with such
attributes, a function, a pydantic class.
"""


class ToolNames:
    """The names of some tools, and what follows from them alone. Made by `tool_names`, and never changed.

    What a parser looks for depends on the tools' names, not on their schemas. So what is made for some names is found
    again by this object, even if every request has tool dicts of its own.

    Attributes:
        names: the names, in the order given.
        namespaces: the words that a model may write before a name and a dot without meaning another tool.
        spaced: whether any name contains white space.
        beginnings: the first three characters of the names and namespaces, and their first two, and first one.
        short: the names and namespaces of fewer than three characters.
    """

    __slots__ = ("beginnings", "names", "namespaces", "short", "spaced")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.namespaces = namespaces_of(names)
        self.spaced = any(any(map(str.isspace, name)) for name in names)
        every = (*names, *self.namespaces)
        self.beginnings = frozenset(each[:size] for each in every for size in (1, 2, 3))
        self.short = tuple(each for each in every if len(each) < len("abc"))

    def __reduce__(self) -> tuple[Any, ...]:
        return tool_names, (self.names,)


@lru_cache(maxsize=MOST_NAMES)
def tool_names(names: tuple[str, ...]) -> ToolNames:
    """What follows from these names: the same object for the same names, as long as it is kept."""
    return ToolNames(names)


class ToolSet:
    """The tools of one conversation, by name, in the order given. If two have the same name, the first one is used.

    Make one, and share it among the parsers of all turns.

    Args:
        tools: names, `Tool` objects, tool dicts (OpenAI, Ollama, Anthropic, MCP), objects with such attributes,
            functions, pydantic classes, `toolglean.llm.CallableTool`s.

    Attributes:
        names: the names, in the order given.
        has_parameters: whether the schema of any tool is known.
        namespaces, spaced: see `ToolNames`.
        known: the names, and what follows from them alone.

    Raises:
        ToolError: `tools` is one tool instead of a list, or an entry has none of these shapes. The message shows it.
        UsageError: `tools` is not iterable, or the parameters of a function cannot be read.
    """

    __slots__ = ("_described", "_tools", "has_parameters", "known", "names", "namespaces", "spaced")

    def __init__(self, tools: Iterable[ToolLike] = ()) -> None:
        if isinstance(tools, str | Mapping):
            keys = ", or its keys if they are the names of the tools" if isinstance(tools, Mapping) else ""
            raise ToolError(f"tools={shown(tools, SHOWN)} is not a list of tools: pass it in a list{keys}")
        if not isinstance(tools, Iterable):
            raise UsageError(
                f"tools={shown(tools, SHOWN)} is not a list of tools: "
                "pass a list of names, Tools, tool dicts or functions"
            )
        # Servers pass tool dicts with each request, and a turn calls few of the tools. So of a plain dict only the
        # schema and the description are kept, and a `Tool` is made of them when it is asked for (0.2 µs, at once 2.3).
        self._tools: dict[str, Tool | tuple[dict[str, Any], Any]] = {}
        self.has_parameters = False
        self._described: frozenset[str] | None = None
        for each in tools:
            if type(each) is dict and type(function := each.get("function", each)) is dict:
                name, schema = function.get("name"), function.get("parameters")
                if type(name) is str and type(schema) is dict:
                    if name not in self._tools:
                        self._tools[name] = schema, function.get("description")
                        if schema:
                            self.has_parameters = True
                    continue
            tool = as_tool(each)
            if tool.name not in self._tools:
                self._tools[tool.name] = tool
                self.has_parameters = self.has_parameters or bool(tool.parameters)
        self.known = tool_names(tuple(self._tools))
        self.names, self.namespaces, self.spaced = self.known.names, self.known.namespaces, self.known.spaced

    @property
    def described(self) -> frozenset[str]:
        """The names of the tools whose schema has parameters."""
        if self._described is None:
            self._described = frozenset(name for name, found in self._tools.items() if _properties(_schema(found)))
        return self._described

    def get(self, name: str) -> Tool | None:
        """The tool of that name, or None."""
        found = self._tools.get(name)
        if not isinstance(found, tuple):
            return found
        schema, description = found
        tool = self._tools[name] = Tool(name, schema, description if isinstance(description, str) else "")
        return tool

    def to_openai(self) -> list[ToolDict]:
        """The tools in the form that OpenAI's chat API and Ollama accept in a request."""
        return [each.to_openai() for each in self]

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[Tool]:
        return (tool for name in self.names if (tool := self.get(name)) is not None)

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"ToolSet({list(self._tools)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolSet) and {each.name: each for each in self} == {each.name: each for each in other}

    __hash__ = None  # type: ignore[assignment]  # schemas are dicts


def _schema(found: Tool | tuple[dict[str, Any], Any]) -> Mapping[str, Any]:
    return found[0] if isinstance(found, tuple) else found.parameters


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def as_tool(value: ToolLike) -> Tool:
    """One tool from any accepted shape.

    Args:
        value: a name, a `Tool`, a tool dict (OpenAI, Ollama, Anthropic, MCP), an object with such attributes, a
            function, or a pydantic class.

    Raises:
        ToolError: the value has none of these shapes, or no name. Correct the entry that the message shows.
        UsageError: it is a function without a name, or with parameters that cannot be read.
    """
    if isinstance(value, Tool):
        return value
    if isinstance(value, str):
        return Tool(value)
    if callable(value) and not isinstance(value, Mapping):
        return _of_callable(value)
    inner = _field(value, "function")
    return _from_fields(value if inner is None else inner, value)


def _of_callable(value: Any) -> Tool:
    metadata: Any = getattr(value, "metadata", None)
    schema = getattr(metadata, "get_parameters_dict", None)
    if callable(schema):
        return Tool(metadata.name, schema() if metadata.fn_schema is not None else {}, metadata.description)
    schema = getattr(value, "model_json_schema", None)
    if isinstance(value, type) and callable(schema):
        return Tool(value.__name__, schema(), (value.__doc__ or "").strip())
    if isinstance(getattr(value, "name", None), str):  # an object of a client's class that happens to be callable
        return _from_fields(value, value)
    from toolglean._functions import described  # noqa: PLC0415  # `inspect` is slow to import, and few need it

    return Tool(*described(value))


def _from_fields(holder: Any, whole: Any) -> Tool:
    name = _field(holder, "name")
    if not isinstance(name, str):
        raise ToolError(
            f"{shown(whole, SHOWN)} is not a tool: pass a name, a Tool, a function, or a dict or object with a name"
        )
    schema: Any = next((found for key in SCHEMA_KEYS if (found := _field(holder, key)) is not None), {})
    if not isinstance(schema, Mapping):
        schema = _dumped(schema, name)
    description = _field(holder, "description")
    return Tool(name, schema, description if isinstance(description, str) else "")


def _field(holder: Any, key: str) -> Any:
    return holder.get(key) if isinstance(holder, Mapping) else getattr(holder, key, None)


def _dumped(schema: Any, name: str) -> Mapping[str, Any]:
    # The clients' classes are pydantic models; by_alias and exclude_none give the schema as the client sends it.
    dump = getattr(schema, "model_dump", None)
    found = dump(by_alias=True, exclude_none=True) if callable(dump) else None
    if not isinstance(found, Mapping):
        raise ToolError(
            f"the parameters of tool {name!r} are {shown(schema, SHOWN)}: pass a JSON schema of type object, as a dict"
        )
    return found
