# How Ollama runs a template: with a list of messages, turn by turn, or to fill in the middle. Does not depend on what
# messages and tools are made of (shapes.py), or on how a template runs (executor.py).
#
# The rules are those of Ollama's `template` package, with one exception: in the last turn of a template without
# messages, Ollama loses functions and defined templates. That defect is not reproduced.
"""Runs a chat template as Ollama does."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from toolglean.errors import TemplateError
from toolglean.sources.templates.golang import nodes as tree
from toolglean.sources.templates.golang.budget import Budget, RenderLimits
from toolglean.sources.templates.golang.executor import execute
from toolglean.sources.templates.golang.parser import parse
from toolglean.sources.templates.golang.shapes import chat_messages, chat_tools, text
from toolglean.sources.templates.golang.values import JsonList, Struct

__all__ = ["OllamaTemplate"]


# --- running -------------------------------------------------------------------------------------------------------


class OllamaTemplate:
    """A Go template as Ollama runs it, with the interface of a `JinjaTemplate`.

    Args:
        source: its text.

    Raises:
        TemplateError: it is broken.
    """

    __slots__ = ("_names", "source", "template")

    def __init__(self, source: str) -> None:
        self.source, self.template = source, parse(text(source))
        self._names = _names(self.template)
        if not self._names & {"messages", "response"}:  # it does not place the answer: it goes at the end
            end = len(self.template.source)
            response = tree.Command(end, [tree.Field(end, ("Response",))])
            self.template.root.append(tree.Action(end, tree.Pipe(end, commands=[response])))

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None,
        variables: Mapping[str, Any],
        now: datetime,
    ) -> str:
        """The text that Ollama would pass to the model.

        Args:
            messages: the conversation; adjacent messages of the same role become one message.
            tools: the tools.
            variables: `think` or `enable_thinking`, a bool or a level; `prompt` and `suffix`, a text to be completed.
                Others are not read, also not `add_generation_prompt`: Ollama's templates decide themselves.
            now: the date and time for the template.

        Raises:
            TemplateError: the template cannot be run with these arguments, or exceeds a limit.
        """
        try:
            return self._rendered(chat_messages(messages), chat_tools(tools), variables, now)
        except RecursionError as error:  # only if the caller's own stack is nearly used up
            raise TemplateError.at("nested too deeply", self.template.source, 0) from error

    def _rendered(self, messages: list[Struct], tools: JsonList, variables: Mapping[str, Any], now: datetime) -> str:
        budget = Budget(RenderLimits())
        run = functools.partial(execute, self.template, now=now, budget=budget)
        system, merged = _collate(messages)
        common = _thinking(variables.get("think", variables.get("enable_thinking")))
        prompt, suffix = (text(str(variables.get(name) or "")) for name in ("prompt", "suffix"))
        if prompt and suffix:
            return run(common | {"Prompt": prompt, "Suffix": suffix, "Response": ""})
        if "messages" in self._names:
            return run(common | {"System": system, "Messages": merged, "Tools": tools, "Response": ""})
        *turns, last = _turns(merged)
        parts = [run(common | turn) for turn in turns]
        parts.append(run(common | last, until=_response_place(self.template.root)))
        return "".join(parts)


def _thinking(think: bool | str | None) -> dict[str, Any]:  # noqa: FBT001  the user's own value
    level = think if isinstance(think, str) else ""
    return {"Think": bool(think), "ThinkLevel": level, "IsThinkSet": think is not None}


def _collate(messages: Iterable[Struct]) -> tuple[str, list[Struct]]:
    """All system texts as one, and the messages, adjacent ones of the same role joined (tool results stay separate)."""
    merged: list[Struct] = []
    for each in messages:
        if merged and merged[-1].values["Role"] == each.values["Role"] != "tool":
            merged[-1].values["Content"] += f"\n\n{each.values['Content']}"
        else:
            merged.append(each)
    return "\n\n".join(each.values["Content"] for each in merged if each.values["Role"] == "system"), merged


def _turns(messages: list[Struct]) -> Iterator[dict[str, str]]:
    """For templates without messages: system, prompt and response, turn by turn; the last turn may be incomplete."""
    turn = {"System": "", "Prompt": "", "Response": ""}
    for each in messages:
        role = each.values["Role"]
        is_full = role == "system" and (turn["Prompt"] or turn["Response"])
        if is_full or (role == "user" and turn["Response"]):
            yield turn
            turn = {"System": "", "Prompt": "", "Response": ""}
        place = {"system": "System", "user": "Prompt", "assistant": "Response"}.get(role)
        if place:
            turn[place] = each.values["Content"]
    yield turn


# --- what a template mentions --------------------------------------------------------------------------------------


def _names(template: tree.Template) -> set[str]:
    """The fields and variables that a template mentions, in lower case. Ollama does not look into chains."""
    every = (argument for nodes in template.trees.values() for _, argument in _arguments(nodes))
    named = (argument.names for argument in every if isinstance(argument, tree.Field | tree.Variable))
    return {name.lower() for names in named for name in names}


def _response_place(nodes: list[tree.Node]) -> int | None:
    """The place where the template first prints the response: the model must not read anything after it."""
    printed = (each for each in _arguments(nodes) if isinstance(each[0], tree.Action))
    return next((node.pos for node, each in printed if isinstance(each, tree.Field) and "Response" in each.names), None)


def _arguments(nodes: list[tree.Node]) -> Iterator[tuple[tree.Node, tree.Argument]]:
    """All arguments of the nodes' pipelines, including those in parentheses, each with its node."""
    for node in tree.walk(nodes):
        pipe = getattr(node, "pipe", None)
        left: list[tree.Argument] = [] if pipe is None else [pipe]
        while left:
            argument = left.pop()
            yield node, argument
            if isinstance(argument, tree.Pipe):
                left += [each for command in reversed(argument.commands) for each in reversed(command.args)]
