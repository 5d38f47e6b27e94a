"""openai-agents on a server that leaves tool calls in the text.

    python examples/frameworks/with_openai_agents.py http://localhost:8000/v1 MODEL

Needs the extra [httpx] (`python -m pip install '.[httpx]' openai-agents` in a checkout).
"""

import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

from toolglean.clients.httpx import toolglean_async_client


@function_tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"It is sunny in {city}."


def main(url: str = "http://localhost:8000/v1", model: str = "qwen3") -> None:
    """Print the answer to a question that needs the tool."""
    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=url, api_key="none", http_client=toolglean_async_client())
    chat = OpenAIChatCompletionsModel(model=model, openai_client=client)
    agent = Agent(name="weather", model=chat, tools=[get_weather])
    print(Runner.run_sync(agent, "Is it sunny in Oslo and in Rome?").final_output)


if __name__ == "__main__":
    main(*sys.argv[1:])
