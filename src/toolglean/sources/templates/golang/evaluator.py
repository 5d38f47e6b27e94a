# The value of a pipeline: commands, arguments, fields, variables, calls. Does not depend on blocks, or on what becomes
# of the value.
#
# Each pipeline in parentheses is a nested Python call, so their depth is limited: no template can exhaust the stack.
"""Evaluates the pipelines of a Go template."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from toolglean.errors import TemplateError
from toolglean.sources.templates.golang import nodes as tree
from toolglean.sources.templates.golang.budget import Budget
from toolglean.sources.templates.golang.builtins import GoFunction
from toolglean.sources.templates.golang.values import GoError, Struct, is_true, type_name, zero_of

__all__ = ["Evaluator"]

MISSING: Final = object()  # the previous stage passes no value, which differs from a nil value
_LARGEST = 2**63 - 1


class Evaluator:
    """The variables of one rendering, and the evaluation of pipelines.

    Args:
        source: the template's text, for errors.
        functions: the functions that it may call.
        budget: how much it may do.
    """

    __slots__ = ("budget", "depth", "functions", "source", "variables")

    def __init__(self, source: str, functions: dict[str, GoFunction], budget: Budget) -> None:
        self.source = source
        self.functions = functions
        self.budget = budget
        self.variables: list[tuple[str, Any]] = []
        self.depth = 0

    def pipeline(self, pipe: tree.Pipe, dot: Any) -> Any:
        """The value of a pipeline; its variables are declared."""
        self.depth += 1
        if self.depth > self.budget.limits.parentheses:
            self.fail(f"parentheses nested deeper than {self.budget.limits.parentheses} levels", pipe.pos)
        value: Any = MISSING
        for command in pipe.commands:
            self.budget.step()
            value = self.command(command, dot, value)
        for name in pipe.variables:
            if pipe.assigns:
                self.assign(name, value)
            else:
                self.variables.append((name, value))
        self.depth -= 1
        return value

    def assign(self, name: str, value: Any) -> None:
        """Assign a value to the innermost declared variable of that name."""
        at = self.place(name)
        if at is not None:
            self.variables[at] = (name, value)

    def place(self, name: str) -> int | None:
        """The index of the innermost variable of that name."""
        last = len(self.variables) - 1
        for at in range(last, -1, -1):
            if self.variables[at][0] == name:
                self.budget.step((last - at) >> 5)  # searching thousands of variables costs steps too
                return at
        return None

    def fail(self, reason: str, pos: int) -> NoReturn:
        """Raise the error for a place in the template."""
        raise TemplateError.at(reason, self.source, pos)

    # --- commands and terms ---

    def command(self, command: tree.Command, dot: Any, final: Any) -> Any:
        """A stage of a pipeline. `final` is the value of the previous stage, or MISSING."""
        first, args = command.args[0], command.args[1:]
        if isinstance(first, tree.Function):
            return self.call(first, args, dot, final)
        if isinstance(first, tree.Literal) and first.value is None:
            self.fail("nil is not a command", first.pos)
        value = self.term(first, dot)
        if args or final is not MISSING:
            named = isinstance(first, tree.Field | tree.Chain) or (isinstance(first, tree.Variable) and first.names)
            self.fail("no method: it takes no arguments" if named else "can't give argument to non-function", first.pos)
        return value

    def term(self, node: tree.Argument, dot: Any) -> Any:
        """An argument, or a command that is a value."""
        match node:
            case tree.Dot():
                return dot
            case tree.Literal(_, text, int() as value) if value > _LARGEST:
                self.fail(f"{text} overflows int", node.pos)
            case tree.Literal():
                return node.value
            case tree.Field():
                return self.fields(dot, node.names, node.pos)
            case tree.Variable():
                return self.fields(self.value_of(node), node.names, node.pos)
            case tree.Chain():
                return self.fields(self.term(node.base, dot), node.names, node.pos)
            case tree.Function():
                return self.call(node, [], dot, MISSING)
        return self.pipeline(node, dot)

    def value_of(self, node: tree.Variable) -> Any:
        """The value of a variable, without the names below it."""
        at = self.place(node.name)
        if at is None:
            self.fail(f"undefined variable {node.name!r}", node.pos)
        return self.variables[at][1]

    # --- fields ---

    def fields(self, value: Any, names: tuple[str, ...], pos: int) -> Any:
        """The value to which the names lead. A name below no value gives no value; below a missing key, an error."""
        if value is None:
            return None
        for at, name in enumerate(names):
            if value is None and at:
                self.fail(f"nil pointer evaluating interface {{}}.{name}", pos)
            value = self.field(value, name, pos)
        return value

    def field(self, value: Any, name: str, pos: int) -> Any:
        """A method's result, a struct's field or a map's entry."""
        if isinstance(value, dict):
            return value[name] if name in value else zero_of(value)
        if isinstance(value, Struct) and name in value.type.methods:
            return value.type.methods[name](value)
        if not isinstance(value, Struct) or name not in value.values:
            self.fail(f"can't evaluate field {name} in type {type_name(value)}", pos)
        return value.values[name]

    # --- calls ---

    def call(self, node: tree.Function, args: list[tree.Argument], dot: Any, final: Any) -> Any:
        """The result of a function."""
        if node.name in {"and", "or"}:
            return self.logic(node, args, dot, final)
        function = self.functions[node.name]  # the parser knows the names of all
        self.check_count(node, len(args) + (final is not MISSING), function.least, function.most)
        values = [self.term(arg, dot) for arg in args]
        if final is not MISSING:
            values.append(final)
        self.check_strings(node, function.strings, args, values)
        try:
            self.budget.step(len(values))
            for value in values:
                if isinstance(value, str):
                    self.budget.read(len(value))
            return function.run(values, self.budget)
        except GoError as error:
            self.fail(f"error calling {node.name}: {error}", node.pos)

    def logic(self, node: tree.Function, args: list[tree.Argument], dot: Any, final: Any) -> Any:
        """`and`, `or`: the first value that decides, or the last; values after it are not evaluated."""
        self.check_count(node, len(args) + (final is not MISSING), 1, None)
        value: Any = None
        for arg in args:
            self.budget.step()
            value = self.term(arg, dot)
            if is_true(value) == (node.name == "or"):
                return value
        return value if final is MISSING else final

    def check_count(self, node: tree.Function, count: int, least: int, most: int | None) -> None:
        """Refuse too few or too many arguments."""
        if count < least or (most is not None and count > most):
            wanted = f"at least {least}" if most is None else str(most)
            self.fail(f"wrong number of args for {node.name}: want {wanted} got {count}", node.pos)

    def check_strings(self, node: tree.Function, count: int, args: list[tree.Argument], values: list[Any]) -> None:
        """Refuse a value that is not a string where only a string is allowed."""
        for at, value in enumerate(values if count < 0 else values[:count]):
            if not isinstance(value, str):
                pos = args[at].pos if at < len(args) else node.pos
                self.fail(f"wrong type for value; expected string; got {type_name(value)}", pos)
