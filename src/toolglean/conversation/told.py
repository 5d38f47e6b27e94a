# What a system message tells a model about its tools, where its server does not; and how several become one.
# Does not depend on where the message goes, or on how any family writes its calls (`render` does that).
"""Tools, and how to call them, as text for a model."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from toolglean.errors import ToolgleanError
from toolglean.formats.render import render
from toolglean.formats.spec import Format
from toolglean.tools import ToolSet

__all__ = ["described", "with_one_system_message", "written_call"]

FALLBACK = "hermes"
"""The format that a model is asked to write if its own is not known: most models have seen this one."""
TOLD = """You may call these functions:

{tools}

To call one, write exactly this, once for each call, and nothing after it:

{example}"""
# `toolglean.render` would refuse it, because its parser takes these words for no call.
EXAMPLE = ("name_of_the_function", {"name_of_a_parameter": "its value"})


def written_call(
    format: Format | None,  # noqa: A002  # the field's own word
    name: str,
    arguments: dict[str, Any],
    tools: ToolSet | None = None,
) -> str | None:
    """A call as a model would write it; None if no format can.

    Args:
        format: that of the model; None: it is not known.
        name: the tool.
        arguments: the arguments.
        tools: as for `render`.
    """
    for each in (format, FALLBACK):
        try:
            if each is not None:
                return render(each, [(name, arguments)], tools=tools)
        except ToolgleanError:  # this format cannot write the value
            continue
    return None


def described(functions: Iterable[Any], format: Format | None) -> str:  # noqa: A002
    """The text about these tools.

    Args:
        functions: their names, descriptions and parameters, as JSON values.
        format: as for `written_call`.
    """
    tools = "\n".join(json.dumps(each, ensure_ascii=False) for each in functions)
    return TOLD.format(tools=tools, example=written_call(format, *EXAMPLE))


def with_one_system_message(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages, with the system messages at the beginning joined: most templates accept only one."""
    heads = [message["content"] for message in messages if message["role"] == "system"]
    begin = next((place for place, message in enumerate(messages) if message["role"] != "system"), len(messages))
    if begin < 2:
        return messages
    return [{"role": "system", "content": "\n\n".join(heads[:begin])}, *messages[begin:]]
