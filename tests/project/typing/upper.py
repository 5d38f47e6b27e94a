# A user's program, for the type checkers only: clients, routing and the orchestration layer from outside. Never run.
# pyright: strict
"""The upper packages, as type checkers see them."""

from collections.abc import AsyncIterator, Iterator
from typing import Any, assert_type

import ollama
from pydantic import BaseModel

from toolglean import ToolCall
from toolglean.clients.ollama import AsyncOllamaClient, OllamaClient
from toolglean.conversation import ContentPartToolCall, McpIntegration, ToolResultContent, ToolUseContent
from toolglean.llm import ChatResponse, Ollama, OpenAICompatible, ToolOrchestratingLLM


class Album(BaseModel):
    """An album."""

    name: str


albums = ToolOrchestratingLLM(Album, "An album.")
assert_type(albums(), Album)
assert_type(albums(topic="sea", allow_parallel_tool_calls=False), Album)
assert_type(albums(allow_parallel_tool_calls=True), list[Album])

model = Ollama("m", parser={"format": "hermes"})
assert_type(model.chat("Hi"), ChatResponse)
assert_type(model.chat("Hi", stream=True), Iterator[ChatResponse])
assert_type(OpenAICompatible("m").chat("Hi", stream=False), ChatResponse)

client = OllamaClient()
assert_type(client.chat("m", []), ollama.ChatResponse)
assert_type(client.chat("m", [], stream=False), ollama.ChatResponse)
assert_type(client.chat("m", [], stream=True), Iterator[ollama.ChatResponse])


async def routed(mcp: McpIntegration, call: ToolCall, request: ToolUseContent, other: dict[str, Any]) -> None:
    """Objects in, objects out."""
    assert_type(await mcp.route_tool_use(ContentPartToolCall("f")), ToolResultContent)
    assert_type(await mcp.route_tool_use(call), ToolResultContent)
    assert_type(await mcp.route_tool_use(request), ToolResultContent)
    assert_type(await mcp.router.route_tool_use(request), ToolResultContent)
    assert_type(await mcp.route_tool_use(other), Any)
    assert_type(await albums.acall(), Album)
    own = AsyncOllamaClient()
    assert_type(await own.chat("m", []), ollama.ChatResponse)
    assert_type(await own.chat("m", [], stream=True), AsyncIterator[ollama.ChatResponse])
