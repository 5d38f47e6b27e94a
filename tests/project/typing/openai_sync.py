# A user's program, for the type checkers only: a wrapped client of the openai package. Never run.
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""OpenAI's API, synchronously."""

from typing import assert_type

import openai
from openai import OpenAI, Stream
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionToolParam
from openai.types.responses import Response

from toolglean import ParserOptions
from toolglean.clients.openai import OpenAIClient, chat_chunks, chat_completion
from toolglean.clients.repair import Counts

TOOLS: list[ChatCompletionToolParam] = [{"type": "function", "function": {"name": "get_weather", "parameters": {}}}]

client = OpenAIClient(OpenAI(base_url="http://localhost:8000/v1", api_key="none"), format="hermes", whole_calls=False)
as_own: openai.OpenAI = client
assert_type(client.counts, Counts)
assert_type(client.with_options(timeout=5, max_retries=0), OpenAIClient)

answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}], tools=TOOLS)
assert_type(answer, ChatCompletion)
for call in answer.choices[0].message.tool_calls or ():
    if call.type == "function":
        assert_type(call.function.arguments, str)

stream = client.chat.completions.create(model="m", messages=[], tools=TOOLS, stream=True)
assert_type(stream, Stream[ChatCompletionChunk])
for chunk in stream:
    assert_type(chunk.choices[0].delta.content, str | None)

assert_type(client.responses.create(model="m", input="Hi"), Response)
assert_type([model.id for model in client.models.list()], list[str])

plain = OpenAI()
for chunk in chat_chunks(plain.chat.completions.create(model="m", messages=[], stream=True), ["f"], model="qwen3:8b"):
    assert_type(chunk, ChatCompletionChunk)
options = ParserOptions(id_prefix="call_")
assert_type(chat_completion(answer, ["f"], options=options, single_call=True), ChatCompletion)

client.chat.complete()  # type: ignore[attr-defined]
OpenAIClient(plain, formt="hermes")  # type: ignore[call-arg]
OpenAIClient("http://localhost")  # type: ignore[arg-type]
chat_completion(stream)  # type: ignore[arg-type]
