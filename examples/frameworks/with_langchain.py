"""langchain-openai on a server that leaves tool calls in the text.

    python examples/frameworks/with_langchain.py http://localhost:8000/v1 MODEL

Needs the extra [httpx] (`python -m pip install '.[httpx]' langchain-openai` in a checkout).
"""

import sys

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from toolglean.clients.httpx import toolglean_async_client, toolglean_client


@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"It is sunny in {city}."


def main(url: str = "http://localhost:8000/v1", model: str = "qwen3") -> None:
    """Print the answer to a question that needs the tool."""
    chat = ChatOpenAI(
        model=model, base_url=url, api_key=SecretStr("none"),
        http_client=toolglean_client(), http_async_client=toolglean_async_client(),
    )  # fmt: skip
    with_tools = chat.bind_tools([get_weather])
    messages: list[BaseMessage] = [HumanMessage("Is it sunny in Oslo and in Rome?")]
    answer = with_tools.invoke(messages)
    while answer.tool_calls:
        messages += [answer, *map(get_weather.invoke, answer.tool_calls)]
        answer = with_tools.invoke(messages)
    print(answer.text)


if __name__ == "__main__":
    main(*sys.argv[1:])
