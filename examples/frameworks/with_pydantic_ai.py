"""pydantic-ai on a server that leaves tool calls in the text.

    python examples/frameworks/with_pydantic_ai.py http://localhost:8000/v1 MODEL

Needs the extra [httpx] (`python -m pip install '.[httpx]' 'pydantic-ai-slim[openai]'` in a checkout).
"""

import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from toolglean.clients.httpx import toolglean_async_client


def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"It is sunny in {city}."


def main(url: str = "http://localhost:8000/v1", model: str = "qwen3") -> None:
    """Print the answer to a question that needs the tool."""
    provider = OpenAIProvider(base_url=url, api_key="none", http_client=toolglean_async_client())
    agent = Agent(OpenAIChatModel(model, provider=provider), tools=[get_weather])
    print(agent.run_sync("Is it sunny in Oslo and in Rome?").output)


if __name__ == "__main__":
    main(*sys.argv[1:])
