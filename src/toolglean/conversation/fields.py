# What this file knows: how to read a field of a dict or of a client's object, and how JSON is written in strings.
# Does not depend on the fields of any one wire, or on what a message is.
"""Fields and JSON text: what all wire formats have in common."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolglean.errors import MessageError, shown
from toolglean.scan.nested import json_text

__all__ = [
    "NO_JSON",
    "arguments_of",
    "as_mapping",
    "can_be_sent",
    "field",
    "id_of",
    "is_object",
    "json_of",
    "listed",
    "never_whole",
    "refused_end",
    "result_of",
    "result_text",
    "text_in",
    "text_of",
    "unrunnable",
    "written",
    "written_arguments",
]


NO_JSON: Any = object()
"""What `json_of` returns for text that is not JSON: None is a JSON value."""

_PLAIN = frozenset({str, bytes, list, tuple, set, int, float, bool})
"""Types whose attributes are not fields (`list.index`): a server may send such a value instead of an object."""


def field(holder: Any, name: str) -> Any:
    """The field of a dict, or the attribute of a client's object; None if it is missing."""
    if type(holder) is dict or isinstance(holder, Mapping):  # to ask for the first is much faster
        return holder.get(name)
    return None if type(holder) in _PLAIN else getattr(holder, name, None)


def is_object(value: Any) -> bool:
    """Whether it has fields: a dict, or a client's object."""
    return isinstance(value, Mapping) or (value is not None and type(value) not in _PLAIN)


def as_mapping(value: Any) -> Mapping[str, Any] | None:
    """A dict, or the fields that are set in a client's object; None if it is something else."""
    dump = getattr(value, "model_dump", None)
    found = dump(exclude_unset=True) if callable(dump) else value
    return found if isinstance(found, Mapping) else None


def id_of(wire: Any, *names: str) -> str | None:
    """The id in the first of these fields that is present ("id" by default); None if there is none.

    Some servers send numbers as ids; they are returned as text.
    """
    found = next((each for name in names or ("id",) if (each := field(wire, name)) is not None), None)
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return found or None if isinstance(found, str) else None


def text_of(content: Any, kind: str = "text") -> str:
    """The text in a chunk's `content`: a string, or a list of parts (Mistral's server), whose texts are joined. `kind`:
    the type of the parts that have text.

    "" if there is none.
    """
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    return "".join(text_in(part, "text") for part in parts if field(part, "type") == kind)


def text_in(holder: Any, name: str) -> str:
    """The text of that field; "" if it is missing, or a server put something else there."""
    found = field(holder, name)
    return found if isinstance(found, str) else ""


def listed(holder: Any, name: str) -> Sequence[Any]:
    """The items of that field; () if it is missing, or a server put something else there."""
    found = field(holder, name)
    return found if isinstance(found, list | tuple) else ()


# -- JSON in strings ---------------------------------------------------------------------------------------------------


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


def json_of(text: str) -> Any:
    """The JSON value of the text; `NO_JSON` if it is not JSON (`NaN` and numbers too large for a float are not)."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return NO_JSON


_lone = re.compile("[\ud800-\udfff]").sub


def written(value: Any) -> str:
    """The value as JSON text that every wire can carry: a lone surrogate, which none can, is escaped.

    Raises:
        TypeError, ValueError, RecursionError: it is not a JSON value.
    """
    text = json_text(value)
    return text if can_be_sent(text) else _lone(lambda found: f"\\u{ord(found[0]):04x}", text)


def can_be_sent(text: str) -> bool:
    """Whether a wire can carry the text: not if it contains a lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# -- arguments and results ---------------------------------------------------------------------------------------------


def arguments_of(found: Any) -> tuple[dict[str, Any], str]:
    """The arguments of a call, and their text if they cannot be read.

    Args:
        found: JSON text, an object, or None, which means no arguments, as does blank text.

    Returns:
        The arguments and ""; or {} and the text, if it is not a JSON object.
    """
    if isinstance(found, Mapping):
        return {key if isinstance(key, str) else str(key): value for key, value in found.items()}, ""
    if found is None:
        return {}, ""
    text = found if isinstance(found, str) else shown(found, 200)
    if not text.strip():
        return {}, ""
    value = json_of(text)
    if isinstance(value, dict):
        return value, ""
    return ({}, "") if value is None else ({}, text)


def unrunnable(text: Any, status: str) -> str:
    """The arguments of an unfinished call as text that is never a JSON object, for a form that cannot mark the call.

    Args:
        text: what was written. It may be a whole object, or nothing, which means no arguments: either could be run. So
            the status is added to it.
        status: why the call must not be run, such as "incomplete".
    """
    text = text if isinstance(text, str) else ""
    return text if arguments_of(text)[1] else f"{text}<{status}>"


def never_whole(status: str) -> str:
    """What, added to half an object, makes it one that no client can complete; `status`: as for `unrunnable`.

    Clients complete the half of an object, and the half of a string in it, and ignore what follows a whole one. After a
    comma, nothing but a key can follow; so the first word is an error outside of a string, the second one inside.
    """
    return f',<{status}>",<{status}>'


def refused_end(text: str, status: str) -> str:
    """The last piece of the arguments of a call that must not be run, after those that were sent; "" if none is needed.

    Args:
        text: what was sent.
        status: as for `unrunnable`. More may follow a malformed call, also one that is right: its half is never whole.
    """
    broken = unrunnable(text, status)[len(text) :]
    return broken or (never_whole(status) if status == "malformed" else "")


def _written_by(what: str, value: Any, error: type[Exception] = MessageError) -> str:
    try:
        return written(value)
    except (TypeError, ValueError, RecursionError) as reason:
        raise error(f"{what}, {shown(value)}, cannot be written as JSON ({reason}): pass JSON values") from reason


def written_arguments(name: str, arguments: Any, error: type[Exception] = MessageError) -> str:
    """The arguments of a call of the tool `name` as JSON text.

    Raises:
        MessageError, or the given `error`: they are not JSON.
    """
    return _written_by(f"the arguments of {name!r}", arguments, error)


def result_text(value: Any, name: str) -> str:
    """The result of the tool `name` as text: a string as it is unless it would be read as another value, else JSON.

    Raises:
        MessageError: the result is not a JSON value.
    """
    as_it_is = isinstance(value, str) and result_of(value) == value and can_be_sent(value)
    return value if as_it_is else _written_by(f"the result of {name!r}", value)


def result_of(content: Any, between: str = "") -> Any:
    """The result that `result_text` wrote, from text, from a list of text parts, or from nothing, which is "".

    `between`: what the parts are joined with. Parts of the chat API may be pieces of one text. Blocks are texts of
    their own (an MCP server writes one for each element of a list): each begins a line, as in `ToolResultContent.text`.

    Text becomes a value only if it is written exactly as that value would be: "0.10" may be a version, and a file of
    JSON has a layout, so they stay text.
    """
    if not isinstance(content, str | None) and isinstance(content, Iterable) and not isinstance(content, Mapping):
        texts = [field(part, "text") for part in content]
        if any(not isinstance(text, str) for text in texts):
            return content
        content = between.join(texts)
    if not isinstance(content, str):
        return "" if content is None else content
    found = json_of(content)
    return found if found is not NO_JSON and result_text(found, "") == content else content
