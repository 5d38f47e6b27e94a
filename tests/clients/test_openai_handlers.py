"""Handlers with the real openai client against the loopback server, wherever the text of a call is cut."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.chunkings import places
from tests.support.loopback import Call, Loopback, Turn, serve
from toolglean.conversation import ApiHandlerOptions, McpIntegration, OllamaHandler, OpenAiHandler
from toolglean.errors import UsageError

pytest.importorskip("openai", reason="needs toolglean[openai]")

from toolglean.clients.openai import ollama_handler, open_ai_handler

HISTORY = [{"role": "user", "content": [{"type": "text", "text": "Is it cold in Oslo?"}]}]
XML = "Let me see.\n<get_weather><city>Oslo</city></get_weather>"
JSON = '{"type": "tool_use", "id": "j1", "name": "get_weather", "input": {"city": "Oslo"}}'


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with serve() as found:
        yield found


class Spied:
    """A handler whose calls are noted."""

    def __init__(self, server: Loopback) -> None:
        mcp = McpIntegration()
        mcp.register_tool(self.get_weather)
        options = ApiHandlerOptions(ollama_base_url=server.url, ollama_model_id="m")
        self.handler = ollama_handler(options, mcp, max_retries=0)
        self.extracted: list[Any] = []
        self.processed: list[Any] = []
        extract, process = self.handler.open_ai_handler.extract_tool_calls, self.handler.process_tool_use

        def extract_tool_calls(delta: Any) -> list[Any]:
            self.extracted.append(delta)
            return extract(delta)

        async def process_tool_use(content: Any) -> Any:
            self.processed.append((content.name, content.input))
            return await process(content)

        self.handler.open_ai_handler.extract_tool_calls = extract_tool_calls  # type: ignore[method-assign]
        self.handler.process_tool_use = process_tool_use  # type: ignore[method-assign]

    @staticmethod
    def get_weather(city: str) -> str:
        return f"cold in {city}"

    def parts(self) -> list[dict[str, Any]]:
        async def run() -> list[dict[str, Any]]:
            async with self.handler.client:
                return [part async for part in self.handler.create_message("Be brief.", HISTORY)]

        return asyncio.run(run())


def results(parts: list[dict[str, Any]]) -> list[str]:
    return [part["content"]["content"][0]["text"] for part in parts if part["type"] == "tool_result"]


def text(parts: list[dict[str, Any]]) -> str:
    return "".join(part["text"] for part in parts if part["type"] == "text")


def cuts(turn: str) -> list[list[str]]:
    """The turn character by character, and cut in two at every place, or at a sample of them."""
    return [list(turn), *([turn[:cut], turn[cut:]] for cut in places(turn))]


# 5.2.1


def test_creates_an_openai_handler_with_the_right_options_in_its_constructor(server: Loopback) -> None:
    handler = Spied(server).handler
    assert isinstance(handler, OllamaHandler)
    assert isinstance(handler.open_ai_handler, OpenAiHandler)
    options = handler.open_ai_handler.options
    assert (options.open_ai_api_key, options.open_ai_model_id) == ("ollama", "m")
    assert options.open_ai_base_url == f"{server.url}/v1"
    assert str(handler.client.base_url) == f"{server.url}/v1/"
    assert handler.client.api_key == "ollama"


# 5.2.2


def test_uses_the_openai_handler_for_detection(server: Loopback) -> None:
    server.play(Turn(["Hello."]))
    spied = Spied(server)
    assert text(spied.parts()) == "Hello."
    assert spied.extracted
    path, body = server.requests[-1]
    assert (path, body["model"], body["messages"][0]) == (
        "/v1/chat/completions",
        "m",
        {"role": "system", "content": "Be brief."},
    )


def test_processes_openai_calls(server: Loopback) -> None:
    for cut in (1, 3, 100):
        server.play(Turn(["Let me see. "], [Call("get_weather", {"city": "Oslo"}, "c1", cut)]))
        spied = Spied(server)
        parts = spied.parts()
        assert spied.processed == [("get_weather", {"city": "Oslo"})]
        assert results(parts) == ["cold in Oslo"]
        assert [part["id"] for part in parts if part["type"] == "tool_result"] == ["c1"]
        assert text(parts) == "Let me see. "


@pytest.mark.parametrize(("turn", "said"), [(XML, "Let me see.\n"), (JSON, "")], ids=["xml", "json"])
def test_falls_back_to_xml_and_json(turn: str, said: str, server: Loopback) -> None:
    for chunks in cuts(turn):
        server.play(Turn(chunks))
        spied = Spied(server)
        parts = spied.parts()
        assert spied.processed == [("get_weather", {"city": "Oslo"})], chunks
        assert results(parts) == ["cold in Oslo"]
        assert text(parts) == said


async def test_an_openai_handler_has_a_client_of_its_own(server: Loopback) -> None:
    options = ApiHandlerOptions(open_ai_base_url=f"{server.url}/v1", open_ai_api_key="k", open_ai_model_id="m")
    handler = open_ai_handler(options, max_retries=0)
    server.play(Turn(["Hello."]))

    async with handler.client:
        assert text([part async for part in handler.create_message("", HISTORY)]) == "Hello."


@pytest.mark.parametrize("make", [ollama_handler, open_ai_handler, lambda it: OllamaHandler(it, client=None)])
def test_options_that_are_the_name_of_a_model(make: Any) -> None:
    """An AttributeError said that a str has no `ollama_base_url`."""
    with pytest.raises(UsageError, match=r"options='m' is not an ApiHandlerOptions: pass .*ollama_model_id"):
        make("m")
