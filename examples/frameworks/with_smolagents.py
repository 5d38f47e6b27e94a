"""smolagents on a server that leaves tool calls in the text.

    python examples/frameworks/with_smolagents.py http://localhost:8000/v1 MODEL

Needs the extra [httpx] (`python -m pip install '.[httpx]' smolagents openai` in a checkout).
"""

import sys

from smolagents import LogLevel, OpenAIServerModel, ToolCallingAgent, tool

from toolglean.clients.httpx import toolglean_client


@tool
def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: the city
    """
    return f"It is sunny in {city}."


def main(url: str = "http://localhost:8000/v1", model: str = "qwen3") -> None:
    """Print the answer to a question that needs the tool."""
    http_client = toolglean_client()
    chat = OpenAIServerModel(model, api_base=url, api_key="none", client_kwargs={"http_client": http_client})
    agent = ToolCallingAgent(tools=[get_weather], model=chat, verbosity_level=LogLevel.OFF)
    print(agent.run("Is it sunny in Oslo and in Rome?"))


if __name__ == "__main__":
    main(*sys.argv[1:])
