# What this file knows: what the statements of a Jinja template write for an assistant's message with one tool call.
# What it must not know: expressions in detail; jinja2 itself (nodes are told apart by the names of their classes).
#
# A condition that is known is followed; of an unknown one both ways are taken, and the outline gets a choice. A loop is
# walked once. What the template raises ends the way that leads there.
"""A dry run of a Jinja template: its outline, without running anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from toolglean.templates.dryrun.expressions import DeadEnd, evaluate
from toolglean.templates.dryrun.values import CALL, NOTHING, OTHER, Value, constant, joined, merged
from toolglean.templates.outline import Calls, Choice, Item, Outline

__all__ = ["DryRun"]

MAX_STEPS = 20_000
"""Nodes of macros' bodies that are walked: macros that call each other twice would take for ever."""


@dataclass(slots=True)
class DryRun:
    """One dry run.

    Attributes:
        names: the values of names, and of namespaces as "name.attribute".
        macros: the macro nodes by name.
        prompts: what the template writes for `add_generation_prompt`: the header of an assistant's message.
        open: the macros that are being walked; none of them is walked again within itself.
        steps: nodes of macros seen so far.
    """

    names: dict[str, Value] = field(default_factory=dict)
    macros: dict[str, Any] = field(default_factory=dict)
    prompts: list[Outline] = field(default_factory=list)
    open: set[str] = field(default_factory=set)
    steps: int = 0

    def step(self) -> None:
        """Count a node."""
        self.steps += bool(self.open)

    def walk(self, nodes: Iterable[Any]) -> Outline:
        """What statements write, one after the other.

        Raises:
            DeadEnd: the template raises.
        """
        items: list[Item] = []
        for node in nodes:
            self.step()
            rule = _RULES.get(type(node).__name__)
            items.extend(rule(self, node) if rule else self.walk(getattr(node, "body", ())))
        return tuple(items)

    def macro(self, name: str, arguments: list[Value], named: dict[str, Value]) -> Value | None:
        """What the macro of that name writes; None if there is none, or we do not want to know."""
        node = self.macros.get(name)
        if node is None or name in self.open or self.steps > MAX_STEPS:
            return None
        outer, self.names = self.names, dict(self.names)
        self.open.add(name)
        parameters = [each.name for each in node.args]
        self.names.update(dict.fromkeys(parameters, OTHER))
        for parameter, default in zip(reversed(parameters), reversed(node.defaults), strict=False):
            self.names[parameter] = evaluate(default, self)
        self.names.update(zip(parameters, arguments, strict=False))
        self.names.update(named)
        try:
            return joined(self.walk(node.body))
        finally:
            self.open.discard(name)
            # What a macro sets is gone when it ends, but not what it sets in a namespace.
            self.names = outer | {key: value for key, value in self.names.items() if "." in key}

    # --- statements ---

    def output(self, node: Any) -> Outline:
        return tuple(item for each in node.nodes for item in self._printed(each))

    def _printed(self, node: Any) -> Outline:
        if type(node).__name__ == "CondExpr" and _asks_for_prompt(node.test):
            self.prompts.append(evaluate(node.expr1, self).writes)
            return ()
        return evaluate(node, self).writes

    def condition(self, node: Any) -> Outline:
        if _asks_for_prompt(node.test):
            names = dict(self.names)
            self.prompts.append(self._branch(node.body) or ())
            self.names = names
            return self.walk(node.else_)
        ways, likely = [], []
        settled = False
        for test, body in [(each.test, each.body) for each in (node, *node.elif_)] + [(None, node.else_)]:
            truth = True if test is None else evaluate(test, self).truth
            ways.append(body)
            if truth is not False and not settled:
                likely.append(body)
            settled = settled or truth is True
        # What we know comes of a conversation of one message. If the template refuses that, any other way will do.
        taken = self._choice(likely)
        taken = self._choice(ways) if taken is None else taken
        if taken is None:
            raise DeadEnd
        return taken

    def _choice(self, ways: list[list[Any]]) -> Outline | None:
        """What one of these ways writes; None if the template raises on all of them."""
        before = self.names
        branches, after = [], []
        for nodes in ways:
            self.names = dict(before)
            written = self._branch(nodes)
            if written is not None:
                branches.append(written)
                after.append(self.names)
        self.names = _merged_names(after) if after else before
        if len(branches) < 2:
            return branches[0] if branches else None
        return (Choice(tuple(branches)),)

    def _branch(self, nodes: Iterable[Any]) -> Outline | None:
        try:
            return self.walk(nodes)
        except DeadEnd:
            return None

    def loop(self, node: Any) -> Outline:
        over = evaluate(node.iter, self)
        element = CALL if over.call else OTHER
        if over.calls:
            element = Value(CALL.writes, truth=True, call=True)
            self.names |= {"loop.first": constant(True), "loop.index0": constant(0), "loop.index": constant(1)}
        else:
            for name in ("loop.first", "loop.index0", "loop.index"):
                self.names.pop(name, None)
        self._assign(node.target, element)
        body = self.walk(node.body)
        return (Calls(body),) if over.calls else body

    def assign(self, node: Any) -> Outline:
        if type(node.node).__name__ == "Call" and getattr(node.node.node, "name", "") == "namespace":
            for each in node.node.kwargs:
                self.names[f"{node.target.name}.{each.key}"] = evaluate(each.value, self)
        self._assign(node.target, evaluate(node.node, self))
        return ()

    def assign_block(self, node: Any) -> Outline:
        self._assign(node.target, joined(self.walk(node.body)))
        return ()

    def _assign(self, target: Any, value: Value) -> None:
        kind = type(target).__name__
        if kind == "Name":
            self.names[target.name] = value
        elif kind == "NSRef":
            self.names[f"{target.name}.{target.attr}"] = value
        else:
            for each in target.items:
                self._assign(each, CALL if value.call else OTHER)

    def define(self, node: Any) -> Outline:
        self.macros[node.name] = node
        return ()

    def call_block(self, node: Any) -> Outline:
        return (*evaluate(node.call, self).writes, *self.walk(node.body))

    def do(self, node: Any) -> Outline:
        evaluate(node.node, self)
        return ()


def _asks_for_prompt(test: Any) -> bool:
    if type(test).__name__ == "Name":
        return bool(test.name == "add_generation_prompt")
    if type(test).__name__ in {"And", "Or"}:
        return _asks_for_prompt(test.left) or _asks_for_prompt(test.right)
    return False


def _merged_names(ways: list[dict[str, Value]]) -> dict[str, Value]:
    names = ways[0]
    for other in ways[1:]:
        names = {name: merged(names.get(name, NOTHING), other.get(name, NOTHING)) for name in names | other}
    return names


_RULES: dict[str, Callable[[DryRun, Any], Outline]] = {
    "Assign": DryRun.assign,
    "AssignBlock": DryRun.assign_block,
    "CallBlock": DryRun.call_block,
    "ExprStmt": DryRun.do,
    "For": DryRun.loop,
    "If": DryRun.condition,
    "Macro": DryRun.define,
    "Output": DryRun.output,
}
