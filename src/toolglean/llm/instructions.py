# What this file knows: what a system message tells a model, and how the system messages of a request are joined.
# Does not depend on any server.
"""System messages."""

from __future__ import annotations

from typing import Any

from toolglean.conversation.told import described
from toolglean.formats.spec import Format
from toolglean.llm.types import Message, MessageList, Role

__all__ = ["with_one_system_message", "with_tools_described"]


def with_tools_described(messages: MessageList, tools: list[dict[str, Any]], written: Format | None) -> MessageList:
    """The messages after a system message that describes the tools.

    Args:
        messages: the conversation.
        tools: the tools in OpenAI's form.
        written: the format in which the model writes calls; None: it is not known.
    """
    text = described((tool["function"] for tool in tools), written)
    return MessageList([Message.from_str(text, Role.SYSTEM), *messages])


def with_one_system_message(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages, with the system messages at the beginning joined: most templates accept only one."""
    heads = [message["content"] for message in messages if message["role"] == "system"]
    begin = next((place for place, message in enumerate(messages) if message["role"] != "system"), len(messages))
    if begin < 2:
        return messages
    return [{"role": "system", "content": "\n\n".join(heads[:begin])}, *messages[begin:]]
