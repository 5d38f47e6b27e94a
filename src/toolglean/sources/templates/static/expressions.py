# What is known of a Jinja expression if the message is an assistant's and has one tool call. Does not depend on
# statements, or on jinja2 itself: nodes are distinguished by the names of their classes.
#
# Nothing that the template asks for is computed: no call, no attribute, no arithmetic. Only constants, conditions and
# concatenation are followed, because tags are written with them.
"""Static analysis of expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from toolglean.sources.templates.outline import Outline
from toolglean.sources.templates.static.values import (
    CALL,
    CALLS,
    NOTHING,
    OTHER,
    Names,
    Value,
    constant,
    joined,
    made_of,
    merged,
)

__all__ = ["Context", "DeadEnd", "evaluate"]

SAME_TEXT = {"trim", "string", "safe", "escape", "e", "indent", "strip", "lstrip", "rstrip"}
"""Filters and methods that do not change a text, except for white space and escapes."""

GIVEN = {"add_generation_prompt", "bos_token", "eos_token", "messages", "pad_token", "tools", "unk_token"}
"""Names that are always passed to a template. Others are options, which are assumed not to be set."""

ABSENT = Value(OTHER.writes, truth=False)

ROLE = constant("assistant")


class Context(Protocol):
    """What expressions need from the analysis."""

    names: Names

    def step(self) -> None: ...
    def macro(self, name: str, arguments: list[Value], named: dict[str, Value]) -> Value | None: ...


class DeadEnd(Exception):  # noqa: N818  not an error: the template itself refuses this path
    """The template raises here."""


def evaluate(node: Any, context: Context) -> Value:
    """What is known of an expression."""
    context.step()
    rule = _RULES.get(type(node).__name__)
    return rule(node, context) if rule else made_of(*(evaluate(each, context) for each in node.iter_child_nodes()))


# --- texts ---------------------------------------------------------------------------------------------------------


def _const(node: Any, _: Context) -> Value:
    return constant(node.value)


def _data(node: Any, _: Context) -> Value:
    return constant(node.data)


def _concat(node: Any, context: Context) -> Value:
    return joined(*(evaluate(each, context).writes for each in node.nodes))


def _add(node: Any, context: Context) -> Value:
    left, right = evaluate(node.left, context), evaluate(node.right, context)
    if left.calls or right.calls:
        return CALLS
    if any(value.known and not isinstance(value.constant, str) for value in (left, right)):
        return made_of(left, right)  # a sum of numbers or lists
    return joined(left.writes, right.writes)


def _mod(node: Any, context: Context) -> Value:
    left, right = evaluate(node.left, context), evaluate(node.right, context)
    if not isinstance(left.constant, str):
        return made_of(left, right)
    before, _, _ = left.constant.partition("%")  # "<call>%s</call>" % …
    return joined((before,), made_of(right).writes)


def _list(node: Any, context: Context) -> Value:
    values = [evaluate(each, context) for each in node.items]
    if all(value.known for value in values):
        return constant([value.constant for value in values])
    return made_of(*values)


def _join(node: Any, context: Context) -> Value:
    """`[a, b]|join("")`; of any other value, only what it is made of is known."""
    if type(node.node).__name__ not in {"List", "Tuple"}:
        return made_of(evaluate(node.node, context))
    return joined(*(evaluate(each, context).writes for each in node.node.items))


# --- names and attributes ------------------------------------------------------------------------------------------


def _name(node: Any, context: Context) -> Value:
    found = context.names.get(node.name)
    if found is None and node.name in {"true", "false", "none"}:
        return constant({"true": True, "false": False, "none": None}[node.name])
    if found is not None:
        return found
    return CALLS if node.name == "tool_calls" else OTHER if node.name in GIVEN else ABSENT


def _getattr(node: Any, context: Context) -> Value:
    return _attribute(node.node, node.attr, context)


def _getitem(node: Any, context: Context) -> Value:
    if type(node.arg).__name__ == "Const" and isinstance(node.arg.value, str):
        return _attribute(node.node, node.arg.value, context)
    value = evaluate(node.node, context)
    if type(node.arg).__name__ == "Slice" and value.call and not value.calls:
        return Value(value.writes, value.truth, call=True)  # text[1:-1]
    return CALL if value.call else OTHER


def _attribute(owner: Any, name: str, context: Context) -> Value:
    if type(owner).__name__ == "Name" and (found := context.names.get(f"{owner.name}.{name}")) is not None:
        return found
    value = evaluate(owner, context)
    if name == "tool_calls":
        return CALLS
    if value.call:
        return Value(CALL.writes, True if name in {"function", "name"} else None, call=True)
    return ROLE if name == "role" else OTHER


# --- calls and filters ---------------------------------------------------------------------------------------------


def _call(node: Any, context: Context) -> Value:
    arguments = [evaluate(each, context) for each in node.args]
    named = {each.key: evaluate(each.value, context) for each in node.kwargs}
    kind = type(node.node).__name__
    if kind == "Name":
        if node.node.name == "raise_exception":
            raise DeadEnd
        written = context.macro(node.node.name, arguments, named)
        return made_of(*arguments, *named.values()) if written is None else written
    if kind != "Getattr":
        return made_of(evaluate(node.node, context), *arguments)
    return _method(node.node, arguments, context)


def _method(node: Any, arguments: list[Value], context: Context) -> Value:
    name = node.attr
    if name == "get" and arguments and isinstance(arguments[0].constant, str):
        return _attribute(node.node, arguments[0].constant, context)
    owner = evaluate(node.node, context)
    if name in {"append", "extend", "update"}:
        if type(node.node).__name__ == "Name" and any(each.call for each in arguments):
            context.names.set(node.node.name, CALL)
        return NOTHING
    if name in SAME_TEXT:
        return owner
    if name == "format" and isinstance(owner.constant, str):
        return _formatted(owner.constant, arguments)
    return made_of(owner, *arguments)


def _formatted(text: str, arguments: list[Value]) -> Value:
    """`"<{}>".format(a)`: nothing is known after a field other than the plain `{}`."""
    first, *others = text.split("{}")
    if len(others) != len(arguments) or "{" in text.replace("{}", ""):
        return joined((text.partition("{")[0],), made_of(*arguments).writes)
    outlines: list[Outline] = [(first,)]
    for argument, rest in zip(arguments, others, strict=True):
        outlines += [argument.writes, (rest,)]
    return joined(*outlines)


def _filter(node: Any, context: Context) -> Value:
    if node.node is None:  # the body of a filter block is not its node
        return OTHER
    if node.name == "join":
        return _join(node, context)
    value = evaluate(node.node, context)
    if node.name in SAME_TEXT:
        return value
    if node.name in {"default", "d"} and (value.call or value.known):
        return value
    if node.name in {"length", "count"} and value.calls:
        return constant(1)
    if node.name in {"list", "reverse"}:
        return value
    return made_of(value)


# --- conditions ----------------------------------------------------------------------------------------------------


def _condition(node: Any, context: Context) -> Value:
    truth = evaluate(node.test, context).truth
    if truth is not None:
        chosen = node.expr1 if truth else node.expr2
        return NOTHING if chosen is None else evaluate(chosen, context)
    otherwise = NOTHING if node.expr2 is None else evaluate(node.expr2, context)
    return merged(evaluate(node.expr1, context), otherwise)


def _not(node: Any, context: Context) -> Value:
    truth = evaluate(node.node, context).truth
    return OTHER if truth is None else constant(not truth)


def _and(node: Any, context: Context) -> Value:
    left, right = evaluate(node.left, context), evaluate(node.right, context)
    if left.truth is False or right.truth is False:
        return left if left.truth is False else Value(OTHER.writes, truth=False)
    return right if left.truth else Value(made_of(left, right).writes, call=left.call or right.call)


def _or(node: Any, context: Context) -> Value:
    left, right = evaluate(node.left, context), evaluate(node.right, context)
    if left.truth or right.truth:
        return left if left.truth else Value(right.writes, True, right.call, right.calls)
    return right if left.truth is False else merged(left, right)


def _test(node: Any, context: Context) -> Value:
    value = evaluate(node.node, context)
    answer = _answer(node.name, value) if value is not ABSENT else {"defined": False, "undefined": True}.get(node.name)
    return OTHER if answer is None else constant(answer)


def _answer(name: str, value: Value) -> bool | None:
    if value.known:
        table: dict[str, bool] = {
            "defined": True,
            "undefined": False,
            "none": value.constant is None,
            "string": isinstance(value.constant, str),
            "true": value.constant is True,
            "false": value.constant is False,
        }
        return table.get(name)
    if value.calls:
        return {"defined": True, "iterable": True, "sequence": True}.get(name, False)
    if value.truth:
        return {"defined": True, "mapping": True, "none": False, "undefined": False, "string": False}.get(name)
    return {"defined": True, "undefined": False, "none": False}.get(name) if value.call else None


def _compare(node: Any, context: Context) -> Value:
    left = evaluate(node.expr, context)
    if len(node.ops) != 1:
        return OTHER
    right = evaluate(node.ops[0].expr, context)
    answer = _compared(node.ops[0].op, left, right)
    return OTHER if answer is None else constant(answer)


def _compared(operator: str, left: Value, right: Value) -> bool | None:
    if operator in {"in", "notin"} and not right.known:
        if left.constant not in ("tool_calls", "role") and not (left.constant in ("function", "name") and right.call):
            return None
        return operator == "in"
    if not (left.known and right.known):
        return None
    try:
        return bool(_OPERATORS[operator](left.constant, right.constant))
    except TypeError:
        return None


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "lt": lambda left, right: left < right,
    "lteq": lambda left, right: left <= right,
    "gt": lambda left, right: left > right,
    "gteq": lambda left, right: left >= right,
    "in": lambda left, right: left in right,
    "notin": lambda left, right: left not in right,
}
_RULES: dict[str, Callable[[Any, Context], Value]] = {
    "Add": _add,
    "And": _and,
    "Call": _call,
    "Compare": _compare,
    "Concat": _concat,
    "CondExpr": _condition,
    "Const": _const,
    "Filter": _filter,
    "Getattr": _getattr,
    "Getitem": _getitem,
    "List": _list,
    "Mod": _mod,
    "Name": _name,
    "Not": _not,
    "Or": _or,
    "TemplateData": _data,
    "Test": _test,
    "Tuple": _list,
}
