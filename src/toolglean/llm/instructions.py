# What this file knows: what a system message tells a model, and how the system messages of a request are joined.
# Does not depend on any server.
"""System messages."""

from __future__ import annotations

import json
from typing import Any

from toolglean.llm.types import Message, MessageList, Role

__all__ = ["PROMPT", "with_one_system_message", "with_tools_described"]

PROMPT = """You may call these functions:

{tools}

To call one, write this and nothing after it, once for each call:

{example}"""
"""The description of the tools for models whose template does not support tools."""
EXAMPLE = """<tool_call>
{"name": "the function's name", "arguments": {"a parameter": "its value"}}
</tool_call>"""


def with_tools_described(messages: MessageList, tools: list[dict[str, Any]], example: str | None = None) -> MessageList:
    """The messages after a system message that describes the tools.

    Args:
        messages: the conversation.
        tools: the tools in OpenAI's form.
        example: a call as the model writes it; None: in the most common format.
    """
    listed = "\n".join(json.dumps(tool["function"]) for tool in tools)
    text = PROMPT.format(tools=listed, example=example or EXAMPLE)
    return MessageList([Message.from_str(text, Role.SYSTEM), *messages])


def with_one_system_message(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages, with the system messages at the beginning joined: most templates accept only one."""
    heads = [message["content"] for message in messages if message["role"] == "system"]
    begin = next((place for place, message in enumerate(messages) if message["role"] != "system"), len(messages))
    if begin < 2:
        return messages
    return [{"role": "system", "content": "\n\n".join(heads[:begin])}, *messages[begin:]]
