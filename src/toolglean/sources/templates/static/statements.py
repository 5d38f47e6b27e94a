# What the statements of a Jinja template write for an assistant's message with one tool call. Does not depend on the
# details of expressions, or on jinja2 itself: nodes are distinguished by the names of their classes.
#
# If a condition is known, only its branch is followed. If not, both are, and the outline gets a choice. A loop is
# walked once. Where the template raises, that path ends.
"""Static analysis of a Jinja template: its outline, without running anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from toolglean.sources.templates.outline import Calls, Choice, Item, Outline
from toolglean.sources.templates.static.expressions import DeadEnd, evaluate
from toolglean.sources.templates.static.values import CALL, NOTHING, OTHER, Names, Value, constant, joined, merged

__all__ = ["StaticAnalysis"]

MAX_STEPS = 20_000
"""How many nodes in the bodies of macros are followed: macros that call each other twice would never end."""

LOOP = {"loop.first": constant(True), "loop.index0": constant(0), "loop.index": constant(1)}
"""What is known in a loop over the calls, which is followed for the first of them."""


@dataclass(slots=True)
class StaticAnalysis:
    """One analysis of a template.

    Attributes:
        names: the known values of names.
        macros: the macro nodes by name.
        prompts: what the template writes for `add_generation_prompt`: the header of an assistant's message.
        open: the macros that are being followed; a macro is not followed again within itself.
        steps: how many nodes of macros have been seen.
    """

    names: Names = field(default_factory=Names)
    macros: dict[str, Any] = field(default_factory=dict)
    prompts: list[Outline] = field(default_factory=list)
    open: set[str] = field(default_factory=set)
    steps: int = 0

    def step(self) -> None:
        """Count a node."""
        self.steps += bool(self.open)

    def walk(self, nodes: Iterable[Any]) -> Outline:
        """What a list of statements writes.

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
        """What the macro of that name writes; None if there is none, or it is not followed."""
        node = self.macros.get(name)
        if node is None or name in self.open or self.steps > MAX_STEPS:
            return None
        parameters = [each.name for each in node.args]
        defaults = dict(zip(reversed(parameters), reversed(node.defaults), strict=False))
        given = dict(zip(parameters, arguments, strict=False)) | named
        self.open.add(name)
        self.names.begin()
        for parameter in parameters:
            default = defaults.get(parameter)
            self.names.set(parameter, given.get(parameter) or (evaluate(default, self) if default else OTHER))
        try:
            return joined(self.walk(node.body))
        finally:
            self.open.discard(name)
            for key, value in self.names.end().items():
                if "." in key:  # what a macro sets is lost when it ends, unless it is in a namespace
                    self.names.set(key, value)

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
            self.names.begin()
            self.prompts.append(self._branch(node.body) or ())
            self.names.end()
            return self.walk(node.else_)
        likely: list[list[Any]] = []
        unlikely: list[list[Any]] = []
        settled = False
        for test, body in [(each.test, each.body) for each in (node, *node.elif_)] + [(None, node.else_)]:
            truth = True if test is None else evaluate(test, self).truth
            (unlikely if settled or truth is False else likely).append(body)
            settled = settled or truth is True
        # The analysis assumes a conversation of one message. If the template refuses that, any other branch will do.
        taken = self._choice(likely)
        taken = self._choice(unlikely) if taken is None else taken
        if taken is None:
            raise DeadEnd
        return taken

    def _choice(self, bodies: list[list[Any]]) -> Outline | None:
        """What one of these branches writes; None if the template raises in all of them."""
        branches, changes = [], []
        for nodes in bodies:
            self.names.begin()
            written = self._branch(nodes)
            changed = self.names.end()
            if written is not None:
                branches.append(written)
                changes.append(changed)
        for name in {name: None for changed in changes for name in changed}:
            before = self.names.get(name)
            self.names.set(name, reduce(merged, [changed.get(name, before) or NOTHING for changed in changes]))
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
        for name, value in LOOP.items():
            self.names.set(name, value if over.calls else None)
        self._assign(node.target, element)
        body = self.walk(node.body)
        return (Calls(body),) if over.calls else body

    def assign(self, node: Any) -> Outline:
        made = node.node if type(node.node).__name__ == "Call" and type(node.target).__name__ == "Name" else None
        if made is not None and getattr(made.node, "name", "") == "namespace":
            for each in made.kwargs:
                self.names.set(f"{node.target.name}.{each.key}", evaluate(each.value, self))
        self._assign(node.target, evaluate(node.node, self))
        return ()

    def assign_block(self, node: Any) -> Outline:
        self._assign(node.target, joined(self.walk(node.body)))
        return ()

    def _assign(self, target: Any, value: Value) -> None:
        kind = type(target).__name__
        if kind == "Name":
            self.names.set(target.name, value)
        elif kind == "NSRef":
            self.names.set(f"{target.name}.{target.attr}", value)
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


_RULES: dict[str, Callable[[StaticAnalysis, Any], Outline]] = {
    "Assign": StaticAnalysis.assign,
    "AssignBlock": StaticAnalysis.assign_block,
    "CallBlock": StaticAnalysis.call_block,
    "ExprStmt": StaticAnalysis.do,
    "For": StaticAnalysis.loop,
    "If": StaticAnalysis.condition,
    "Macro": StaticAnalysis.define,
    "Output": StaticAnalysis.output,
}
