# What Go's `encoding/json` writes. Does not depend on who asks for it.
#
# This differs from Python's `json.dumps`: keys are sorted, < > & and two line separators are escaped, floats are
# written in Go's way, and structs have fields.
"""Go's `json.Marshal`."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any

from toolglean.sources.templates.golang.budget import Budget, Exceeded
from toolglean.sources.templates.golang.values import GoError, JsonList, JsonMap, Member, Struct, Text, bytes_of

__all__ = ["marshal_or_nothing"]

_ESCAPED = re.compile("[<>&\u2028\u2029]")
_QUOTE = json.JSONEncoder(ensure_ascii=False).encode


def marshal_or_nothing(value: Any, budget: Budget) -> str:
    """The JSON text of a value; "" for one that cannot be written, because Ollama drops the error.

    Only a number that is complex or not finite cannot be written.

    Raises:
        Exceeded: a limit is exceeded.
    """
    parts: list[str] = []
    try:
        _write(value, parts, budget)
    except Exceeded:
        raise
    except GoError:
        return ""
    return "".join(parts)


def _float_text(value: float) -> str:
    """A float as Go writes it in JSON: without an exponent from 1e-6 up to 1e21.

    Raises:
        GoError: it is not finite.
    """
    if not math.isfinite(value):
        raise GoError(f"json: unsupported value: {value}")
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        text = format(Decimal(repr(value)), "f")
        return text.removesuffix(".0")
    mantissa, exponent = repr(value).split("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"


def _write(value: Any, parts: list[str], budget: Budget) -> None:
    if isinstance(value, Struct):
        shown = [(each.key, value.values[each.name]) for each in value.type.members if _is_shown(each, value)]
        _write_object(shown, parts, budget)
    elif isinstance(value, JsonList | JsonMap) and value.nil:
        _add("null", parts, budget)
    elif isinstance(value, dict):
        _write_object(sorted(value.items()), parts, budget)
    elif isinstance(value, Text) and len(value) == 1:
        _add(_quoted(value[0]), parts, budget)
    elif isinstance(value, list):
        _add("[", parts, budget)
        for at, each in enumerate(value):
            _add("," if at else "", parts, budget)
            _write(each, parts, budget)
        _add("]", parts, budget)
    else:
        _add(_scalar(value), parts, budget)


def _write_object(items: list[tuple[Any, Any]], parts: list[str], budget: Budget) -> None:
    _add("{", parts, budget)
    for at, (key, value) in enumerate(items):
        _add(f"{',' if at else ''}{_quoted(key)}:", parts, budget)
        _write(value, parts, budget)
    _add("}", parts, budget)


def _is_shown(member: Member, struct: Struct) -> bool:
    value = struct.values[member.name]
    return not (member.omitted and not isinstance(value, Struct) and not value)


def _add(text: str, parts: list[str], budget: Budget) -> None:
    budget.step()
    budget.make(len(text))
    parts.append(text)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, int):
        return str(value)
    raise GoError("json: unsupported type: complex128")


def _quoted(text: str) -> str:
    if not text.isascii():
        text = bytes_of(text).decode("utf-8", "replace")
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", _QUOTE(text))
