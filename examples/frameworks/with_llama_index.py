"""llama-index on a server that leaves tool calls in the text.

    python examples/frameworks/with_llama_index.py http://localhost:8000/v1 MODEL

Needs the extra [httpx] (`python -m pip install '.[httpx]' llama-index-llms-openai-like` in a checkout).
"""

import asyncio
import sys

import httpx
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike

from toolglean.clients.httpx import toolglean_async_client, toolglean_client


def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"It is sunny in {city}."


async def main(url: str = "http://localhost:8000/v1", model: str = "qwen3") -> None:
    """Print the answer to a question that needs the tool."""
    llm = OpenAILike(
        model=model,
        api_base=url,
        api_key="none",
        is_chat_model=True,
        is_function_calling_model=True,
        http_client=toolglean_client(httpx),
        async_http_client=toolglean_async_client(httpx),
    )
    print(await FunctionAgent(tools=[get_weather], llm=llm).run("Is it sunny in Oslo and in Rome?"))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
