# What this file knows: the values that Ollama gives to a template, and how it runs one: with a list of messages, turn by
# turn, or to fill in the middle.
# What it must not know: how templates run, and other wire formats of messages: it takes `ChatMessage`s.
#
# Shapes and rules are those of Ollama's `template` and `api` packages. Not followed where that is a defect of the last
# turn of a template without messages: there Ollama loses functions and defined templates.
"""Ollama's way of running a chat template."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from toolglean.templates.golang.budget import Budget, RenderLimits
from toolglean.templates.golang.executor import execute
from toolglean.templates.golang.marshal import marshal
from toolglean.templates.golang.nodes import (
    Action,
    Argument,
    Command,
    Field,
    If,
    Node,
    Pipe,
    Range,
    Template,
    Variable,
    With,
)
from toolglean.templates.golang.parser import parse
from toolglean.templates.golang.values import JsonList, JsonMap, Member, Struct, StructType, Text

__all__ = ["ChatMessage", "OllamaTemplate", "Options", "tool_value"]


@dataclass(slots=True)
class ChatMessage:
    """A message of Ollama's API. `calls` are (id, name, arguments, index)."""

    role: str
    content: str = ""
    thinking: str = ""
    images: list[Any] = field(default_factory=list)
    calls: list[tuple[str, str, dict[str, Any], int]] = field(default_factory=list)
    tool_name: str = ""
    tool_call_id: str = ""


@dataclass(slots=True)
class Options:
    """What else a request says: whether and how hard to think (None: unsaid), and a text to be completed."""

    think: bool | str | None = None
    prompt: str = ""
    suffix: str = ""


# --- types ---------------------------------------------------------------------------------------------------------


def _typescript(kind: str) -> str:
    names = {"integer": "number", "array": "any[]", "object": "Record<string, any>"}
    return names.get(kind, kind if kind in {"string", "number", "boolean", "null"} else "any")


def _property_type(struct: Struct) -> str:
    """A property's type in TypeScript's words."""
    values = struct.values
    if values["AnyOf"]:
        return " | ".join(_property_type(each) for each in values["AnyOf"])
    return " | ".join(_typescript(each) for each in values["Type"]) or "any"


def _json_text(struct: Struct) -> str:
    return marshal(struct, Budget(RenderLimits()))


_PROPERTY = StructType(
    "api.ToolProperty",
    (
        Member("AnyOf", "anyOf", omitted=True),
        Member("Type", "type", omitted=True),
        Member("Items", "items", omitted=True),
        Member("Description", "description", omitted=True),
        Member("Enum", "enum", omitted=True),
        Member("Properties", "properties", omitted=True),
        Member("Required", "required", omitted=True, quiet=True),
    ),
    methods={"ToTypeScriptType": _property_type},
)
_PARAMETERS = StructType(
    "template.templateToolFunctionParameters",
    (
        Member("Type", "type"),
        Member("Defs", "$defs", omitted=True, quiet=True),
        Member("Items", "items", omitted=True, quiet=True),
        Member("Required", "required", omitted=True),
        Member("Properties", "properties"),
    ),
)
_TOOL_FUNCTION = StructType(
    "template.templateToolFunction",
    (Member("Name", "name"), Member("Description", "description"), Member("Parameters", "parameters")),
)
_TOOL = StructType(
    "template.templateTool",
    (Member("Type", "type"), Member("Items", "items", omitted=True, quiet=True), Member("Function", "function")),
    prints_json=True,
    methods={"String": _json_text},
)
_CALL_FUNCTION = StructType(
    "template.templateToolCallFunction",
    (Member("Index", "Index"), Member("Name", "Name"), Member("Arguments", "Arguments")),
)
_CALL = StructType("template.templateToolCall", (Member("ID", "ID"), Member("Function", "Function")))
_MESSAGE = StructType(
    "*template.templateMessage",
    tuple(
        Member(name, name)
        for name in ("Role", "Content", "Thinking", "Images", "ToolCalls", "ToolName", "ToolCallID")
    ),
)


class _Properties(JsonMap):
    """Properties of a schema by name."""

    @staticmethod
    def zero() -> Struct:
        """What a name has that is not there."""
        return _property({})


def tool_value(tool: dict[str, Any]) -> Struct:
    """A tool, from the dict that OpenAI's and Ollama's APIs take, its values already Go's."""
    function = _dict(tool.get("function"))
    parameters = _dict(function.get("parameters"))
    schema = Struct(
        _PARAMETERS,
        Type=_str(parameters.get("type")),
        Defs=parameters.get("$defs"),
        Items=parameters.get("items"),
        Required=_strings(parameters.get("required")),
        Properties=_properties(parameters.get("properties"), _no_properties()),
    )
    about = Struct(
        _TOOL_FUNCTION,
        Name=_str(function.get("name")),
        Description=_str(function.get("description")),
        Parameters=schema,
    )
    return Struct(_TOOL, Type=_str(tool.get("type")), Items=tool.get("items"), Function=about)


def _property(schema: dict[str, Any]) -> Struct:
    kinds = schema.get("type")
    choices = schema.get("anyOf")
    return Struct(
        _PROPERTY,
        AnyOf=[_property(_dict(each)) for each in choices] if isinstance(choices, list) else [],
        Type=Text([kinds] if isinstance(kinds, str) else _strings(kinds)),
        Items=schema.get("items"),
        Description=_str(schema.get("description")),
        Enum=schema["enum"] if isinstance(schema.get("enum"), list) else [],
        Properties=_properties(schema.get("properties"), None),
        Required=_strings(schema.get("required")) or None,
    )


def _properties(schemas: Any, missing: _Properties | None) -> _Properties | None:
    if not isinstance(schemas, dict):
        return missing
    return _Properties({name: _property(_dict(schema)) for name, schema in schemas.items()})


def _no_properties() -> _Properties:
    properties = _Properties()
    properties.nil = True
    return properties


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _str(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _strings(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _message_value(message: ChatMessage) -> Struct:
    calls = [
        Struct(_CALL, ID=each, Function=Struct(_CALL_FUNCTION, Index=index, Name=name, Arguments=JsonMap(arguments)))
        for each, name, arguments, index in message.calls
    ]
    return Struct(
        _MESSAGE,
        Role=message.role,
        Content=message.content,
        Thinking=message.thinking,
        Images=message.images,
        ToolCalls=calls,
        ToolName=message.tool_name,
        ToolCallID=message.tool_call_id,
    )


# --- running -------------------------------------------------------------------------------------------------------


class OllamaTemplate:
    """A Go template as Ollama runs it.

    Args:
        source: its text.
        limits: how much one rendering may do.

    Raises:
        TemplateError: it is broken.
    """

    __slots__ = ("_limits", "_names", "template")

    def __init__(self, source: str, limits: RenderLimits | None = None) -> None:
        self.template = parse(source)
        self._limits = limits or RenderLimits()
        self._names = _names(self.template)
        if not self._names & {"messages", "response"}:  # it says nowhere where the answer goes: at its end
            end = len(source)
            self.template.root.append(Action(end, _answer(end)))

    def render(
        self,
        messages: list[ChatMessage],
        tools: list[dict[str, Any]],
        options: Options,
        now: datetime,
    ) -> str:
        """What Ollama would hand to the model.

        Args:
            messages: the conversation; neighbours of one role become one message.
            tools: dicts of tools, their values already Go's.
            options: thinking, and a text to be completed.
            now: the date that the template is told.

        Raises:
            TemplateError: the template cannot be run with this, or passes a limit.
        """
        budget = Budget(self._limits)
        run = functools.partial(execute, self.template, now=now, budget=budget)
        system, merged = _collate(messages)
        common = _thinking(options)
        if options.prompt and options.suffix:
            return run(common | {"Prompt": options.prompt, "Suffix": options.suffix, "Response": ""})
        if "messages" in self._names:
            values = [_message_value(each) for each in merged]
            known = JsonList(tool_value(each) for each in tools)
            known.nil = not tools
            return run(common | {"System": system, "Messages": values, "Tools": known, "Response": ""})
        *turns, last = _turns(merged)
        parts = [run(common | turn) for turn in turns]
        parts.append(run(common | last, until=_response_place(self.template.root)))
        return "".join(parts)


def _thinking(options: Options) -> dict[str, Any]:
    level = options.think if isinstance(options.think, str) else ""
    return {"Think": bool(options.think), "ThinkLevel": level, "IsThinkSet": options.think is not None}


def _collate(messages: Iterable[ChatMessage]) -> tuple[str, list[ChatMessage]]:
    """All system texts in one, and the messages, neighbours of one role joined (results of tools stay apart)."""
    merged: list[ChatMessage] = []
    for each in messages:
        if merged and merged[-1].role == each.role != "tool":
            merged[-1].content += "\n\n" + each.content
        else:
            merged.append(each)
    return "\n\n".join(each.content for each in merged if each.role == "system"), merged


def _turns(messages: list[ChatMessage]) -> Iterator[dict[str, str]]:
    """For templates that know no messages: system, prompt and response, turn by turn; the last one may be incomplete."""
    turn = {"System": "", "Prompt": "", "Response": ""}
    for each in messages:
        is_full = each.role == "system" and (turn["Prompt"] or turn["Response"])
        if is_full or (each.role == "user" and turn["Response"]):
            yield turn
            turn = {"System": "", "Prompt": "", "Response": ""}
        place = {"system": "System", "user": "Prompt", "assistant": "Response"}.get(each.role)
        if place:
            turn[place] = each.content
    yield turn


def _answer(pos: int) -> Pipe:
    return Pipe(pos, commands=[Command(pos, [Field(pos, ("Response",))])])


# --- what a template mentions --------------------------------------------------------------------------------------


def _names(template: Template) -> set[str]:
    """The fields and variables that a template mentions, in lower case; chains are none to Ollama."""
    names: list[str] = []
    for nodes in template.trees.values():
        for node in _walk(nodes):
            for argument in _arguments(getattr(node, "pipe", None)):
                if isinstance(argument, Field | Variable):
                    names += argument.names
    return {name.lower() for name in names}


def _response_place(nodes: list[Node]) -> int | None:
    """Where the template first prints the response: behind that, nothing is for the model to read."""
    for node in _walk(nodes):
        if isinstance(node, Action):
            for argument in _arguments(node.pipe):
                if isinstance(argument, Field) and "Response" in argument.names:
                    return node.pos
    return None


def _walk(nodes: list[Node]) -> Iterator[Node]:
    """All nodes in the order of the text, those in blocks too."""
    left = [iter(nodes)]
    while left:
        node = next(left[-1], None)
        if node is None:
            left.pop()
            continue
        yield node
        if isinstance(node, If | Range | With):
            left += [iter(node.otherwise or []), iter(node.body)]


def _arguments(pipe: Pipe | None) -> Iterator[Argument]:
    """All arguments of a pipeline, those in parentheses too."""
    left: list[Argument] = [] if pipe is None else [pipe]
    while left:
        argument = left.pop()
        yield argument
        if isinstance(argument, Pipe):
            left += [each for command in reversed(argument.commands) for each in reversed(command.args)]
