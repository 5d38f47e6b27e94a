# How each framework is given an HTTP client, and how it asks, runs tools and asks again.
# Does not depend on the server, and what came of it.
#
# Nothing is imported before it is asked for: one environment does not hold all of them.
"""One question to a model, through eight frameworks."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from toolglean.clients.httpx import toolglean_async_client, toolglean_client, toolglean_transport

__all__ = ["FRAMEWORKS", "QUESTION", "Api", "Ask", "Framework", "installed"]

Api = Literal["chat", "responses"]
QUESTION = "Is it sunny in Oslo and in Rome?"


@dataclass
class Ask:
    """What is asked for.

    Attributes:
        url: the server's, or the proxy's.
        transport: whether the framework gets a client that repairs.
        api: which API.
        stream: whether the answers are streamed.
        calls: the cities that the tool was called with.
    """

    url: str
    transport: bool
    api: Api
    stream: bool
    calls: list[str]

    def client(self, library: Any = None, name: str = "http_client") -> dict[str, Any]:
        """A plain client under that name, if one is wanted."""
        return {name: toolglean_client(library)} if self.transport else {}

    def async_client(self, library: Any = None, name: str = "http_client") -> dict[str, Any]:
        """An asynchronous client under that name, if one is wanted."""
        return {name: toolglean_async_client(library)} if self.transport else {}

    def tool(self) -> Any:
        """The tool."""

        def get_weather(city: str) -> str:
            """The weather of a city.

            Args:
                city: the city
            """
            self.calls.append(city)
            return f"It is sunny in {city}."

        return get_weather


class Framework(NamedTuple):
    """A framework: the module that must be there, the APIs that it speaks, and how it is asked."""

    module: str
    apis: tuple[Api, ...]
    ask: Callable[[Ask], Awaitable[Any]]


async def _pydantic_ai(ask: Ask) -> Any:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=ask.url, api_key="x", **ask.async_client())
    kind = OpenAIChatModel if ask.api == "chat" else OpenAIResponsesModel
    agent = Agent(kind("m", provider=provider), tools=[ask.tool()])

    async def seen(_: Any, events: Any) -> None:
        async for _ in events:
            pass

    return (await agent.run(QUESTION, **({"event_stream_handler": seen} if ask.stream else {}))).output


async def _langchain(ask: Ask) -> Any:
    from langchain_core.messages import HumanMessage
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    clients = ask.async_client(name="http_async_client")
    own = tool(ask.tool())
    chat = ChatOpenAI(model="m", base_url=ask.url, api_key="x", use_responses_api=ask.api == "responses", **clients)
    bound = chat.bind_tools([own])
    messages: list[Any] = [HumanMessage(QUESTION)]
    for _ in range(3):
        answer = None
        if ask.stream:
            async for chunk in bound.astream(messages):
                answer = chunk if answer is None else answer + chunk
        else:
            answer = await bound.ainvoke(messages)
        if answer is None or not answer.tool_calls:
            return None if answer is None else answer.text
        messages += [answer, *map(own.invoke, answer.tool_calls)]
    return None


async def _openai_agents(ask: Ask) -> Any:
    from agents import (
        Agent,
        OpenAIChatCompletionsModel,
        OpenAIResponsesModel,
        Runner,
        function_tool,
        set_tracing_disabled,
    )
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    client = AsyncOpenAI(api_key="x", base_url=ask.url, **ask.async_client())
    kind = OpenAIChatCompletionsModel if ask.api == "chat" else OpenAIResponsesModel
    agent = Agent(name="a", model=kind(model="m", openai_client=client), tools=[function_tool(ask.tool())])
    if not ask.stream:
        return (await Runner.run(agent, QUESTION)).final_output
    run = Runner.run_streamed(agent, QUESTION)
    async for _ in run.stream_events():
        pass
    return run.final_output


async def _llama_index(ask: Ask) -> Any:
    import httpx
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.openai_like import OpenAILike

    clients = ask.async_client(httpx, "async_http_client") | ask.client(httpx)
    llm = OpenAILike(
        model="m", api_base=ask.url, api_key="x", is_chat_model=True, is_function_calling_model=True, **clients
    )
    agent = FunctionAgent(tools=[ask.tool()], llm=llm, streaming=ask.stream)
    return str(await agent.run(QUESTION))


async def _smolagents(ask: Ask) -> Any:
    from smolagents import LogLevel, OpenAIServerModel, ToolCallingAgent, tool

    more = {"client_kwargs": ask.client()} if ask.transport else {}
    model = OpenAIServerModel(model_id="m", api_base=ask.url, api_key="x", **more)
    agent = ToolCallingAgent(
        tools=[tool(ask.tool())], model=model, max_steps=2, verbosity_level=LogLevel.OFF, stream_outputs=ask.stream
    )
    return agent.run(QUESTION)


async def _litellm(ask: Ask) -> Any:
    import httpx
    import litellm
    from openai import AsyncOpenAI

    litellm.suppress_debug_info = True
    own = ask.tool()
    more = {}
    if ask.transport:
        more = {"client": AsyncOpenAI(api_key="x", base_url=ask.url, **ask.async_client(httpx))}
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    for _ in range(3):
        answer: Any = await litellm.acompletion(
            model="openai/m",
            api_base=ask.url,
            api_key="x",
            messages=messages,
            tools=[_SCHEMA],
            stream=ask.stream,
            **more,
        )
        if ask.stream:
            answer = litellm.stream_chunk_builder([chunk async for chunk in answer], messages=messages)
        message = answer.choices[0].message
        if not message.tool_calls:
            return message.content
        messages += [message.model_dump(), *_results(message.tool_calls, own)]
    return None


async def _haystack(ask: Ask) -> Any:
    import httpx
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage
    from haystack.tools import create_tool_from_function
    from haystack.utils import Secret

    more: dict[str, Any] = (
        {"http_client_kwargs": {"transport": toolglean_transport(library=httpx)}} if ask.transport else {}
    )
    own = create_tool_from_function(ask.tool())
    generator = OpenAIChatGenerator(
        model="m",
        api_base_url=ask.url,
        api_key=Secret.from_token("x"),
        tools=[own],
        streaming_callback=_nothing if ask.stream else None,
        **more,
    )
    messages = [ChatMessage.from_user(QUESTION)]
    for _ in range(3):
        reply = generator.run(messages)["replies"][0]
        if not reply.tool_calls:
            return reply.text
        results = [ChatMessage.from_tool(own.invoke(**call.arguments), origin=call) for call in reply.tool_calls]
        messages += [reply, *results]
    return None


def _nothing(_: Any) -> None:
    pass


async def _ag2(ask: Ask) -> Any:
    from ag2 import Agent
    from ag2.config import OpenAIConfig

    config = OpenAIConfig("m", base_url=ask.url, api_key="x", streaming=ask.stream, **ask.async_client())
    found: Any = await Agent("a", config=config, tools=[ask.tool()]).ask(QUESTION)
    return getattr(found, "body", None) or str(found)


_SCHEMA: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def _results(calls: Iterable[Any], own: Any) -> Iterator[dict[str, Any]]:
    for call in calls:
        result = own(**json.loads(call.function.arguments))
        yield {"role": "tool", "tool_call_id": call.id, "content": result}


FRAMEWORKS: Mapping[str, Framework] = {
    "pydantic-ai": Framework("pydantic_ai", ("chat", "responses"), _pydantic_ai),
    "langchain-openai": Framework("langchain_openai", ("chat", "responses"), _langchain),
    "openai-agents": Framework("agents", ("chat", "responses"), _openai_agents),
    "llama-index": Framework("llama_index.llms.openai_like", ("chat",), _llama_index),
    "smolagents": Framework("smolagents", ("chat",), _smolagents),
    "litellm": Framework("litellm", ("chat",), _litellm),
    "haystack": Framework("haystack", ("chat",), _haystack),
    "ag2": Framework("ag2", ("chat",), _ag2),
}


def installed(framework: Framework) -> bool:
    """Whether the framework is there."""
    try:
        return importlib.util.find_spec(framework.module) is not None
    except ModuleNotFoundError:
        return False
