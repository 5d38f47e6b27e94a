"""An agent whose model leaks its tool calls into the text: stream, parse, run tools of an MCP server, repeat.

    python examples/leaky_model_to_mcp.py http://localhost:11434/v1 qwen3:8b http://localhost:8000/mcp "Is it cold?"

Needs the extras [openai,mcp] (`python -m pip install '.[openai,mcp]'` in a checkout), a server with OpenAI's
chat API, and an MCP server.
"""

import asyncio
import sys
from typing import Any

from openai import AsyncOpenAI

from toolglean.clients.mcp import EmbeddedMcpServer
from toolglean.clients.openai import achat_chunks
from toolglean.conversation import History, McpIntegration, OpenAIHistoryConverter, Role

TURNS = 10  # a model that never stops calling tools is stopped here


async def answer(base_url: str, model: str, mcp_url: str, question: str) -> History:
    """The conversation, from the question to the answer."""
    wire = OpenAIHistoryConverter()
    history = History(system_message="Use the tools where they help.")
    history.add_message(Role.USER, question)
    async with AsyncOpenAI(base_url=base_url, api_key="none") as client, EmbeddedMcpServer(mcp_url) as server:
        router = McpIntegration(server)
        for _ in range(TURNS):
            messages, tools = wire.from_history(history), server.openai_tools
            request: Any = {"model": model, "messages": messages, "tools": tools, "stream": True}
            chunks = []
            stream = await client.chat.completions.create(**request)
            async for chunk in achat_chunks(stream, server.tools):  # leaked calls become tool_calls
                chunks.append(chunk)
                print(wire.create_chunk_wrapper(chunk).get_text(), end="", flush=True)
            message = wire.to_history_item(chunks)
            if message is None:
                break
            history.conversation.append(message)
            calls = [call for call in message.calls if not call.unread]
            for call in calls:
                result = await router.route_tool_use(call)
                print(f"\n[{call.name} {call.arguments} -> {result.text}]")
                history.add_message(Role.TOOL, [result.part(call)])
            if not calls:
                break
    print()
    return history


if __name__ == "__main__":
    asyncio.run(answer(*sys.argv[1:5]))
