# A user's program, for the type checkers only: streams of the asynchronous client. Never run.
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""OpenAI's API, asynchronously."""

from typing import assert_type

from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import ResponseStreamEvent

from toolglean.clients.openai import AsyncOpenAIClient, OpenAIClient, achat_chunks, aresponse_events


async def answer(question: str) -> str:
    """Ask, and print the text as it comes."""
    texts: list[str] = []
    async with AsyncOpenAIClient(AsyncOpenAI(), model="Qwen/Qwen3-8B") as client:
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": question}], stream=True
        )
        assert_type(stream, AsyncStream[ChatCompletionChunk])
        async for chunk in stream:
            texts.append(chunk.choices[0].delta.content or "")
            for call in chunk.choices[0].delta.tool_calls or ():
                assert_type(call.index, int)
        whole = await client.with_options(timeout=9).chat.completions.create(model="m", messages=[])
        assert_type(whole, ChatCompletion)
    return "".join(texts)


async def events(client: AsyncOpenAI) -> None:
    """On streams of a client that is not wrapped."""
    stream = await client.chat.completions.create(model="m", messages=[], stream=True)
    async with achat_chunks(stream, ["get_weather"], whole_calls=True) as chunks:
        async for chunk in chunks:
            assert_type(chunk, ChatCompletionChunk)
    response = await client.responses.create(model="m", input="Hi", stream=True)
    async for event in aresponse_events(response, ["get_weather"]):
        checked: ResponseStreamEvent = event
        if checked.type == "response.function_call_arguments.delta":
            assert_type(checked.delta, str)


OpenAIClient(AsyncOpenAI())  # type: ignore[arg-type]
achat_chunks([])  # type: ignore[arg-type]
