# What this file knows: the parser's arguments that users mistype, wherever a client or a handler takes them.
# Does not depend on what any of them reads.
"""Arguments of the parser are checked when a client is made, not when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

import ollama

from toolglean.clients.chat import dict_chunks
from toolglean.clients.ollama import AsyncOllamaClient, OllamaClient, chat_chunks, chat_events
from toolglean.clients.repair import Repair
from toolglean.conversation import ApiHandlerOptions
from toolglean.errors import UsageError
from toolglean.llm import Ollama, OpenAICompatible

MAKERS: dict[str, Callable[[Any], Any]] = {
    "Repair": lambda given: Repair(**given),
    "OllamaClient": lambda given: OllamaClient(ollama.Client(), **given),
    "AsyncOllamaClient": lambda given: AsyncOllamaClient(ollama.AsyncClient(), **given),
    "ApiHandlerOptions": lambda given: ApiHandlerOptions(parser=given),
    "Ollama": lambda given: Ollama("m", parser=given),
    "OpenAICompatible": lambda given: OpenAICompatible("m", parser=given),
}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a typo": ({"fromat": "hermes"}, "fromat='hermes' is an unknown argument"),
    "an unknown format": ({"format": "nope"}, "unknown format 'nope'"),
    "an unknown model": ({"model": "nope-7b"}, "unknown model 'nope-7b'"),
    "another type": ({"options": 3}, "options=3 is not a ParserOptions"),
    "another word": ({"start": "middle"}, "start='middle' is not valid"),
    "the tools": ({"tools": ["f"]}, "tools=['f'] is an unknown argument"),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize(("given", "said"), WRONG.values(), ids=WRONG)
def test_a_wrong_argument_is_refused_when_the_client_is_made(
    make: Callable[[Any], Any], given: dict[str, Any], said: str
) -> None:
    # Fixed bug: the clients and models of Ollama, and the handlers, raised a TypeError or UsageError at the first chat.
    with pytest.raises(UsageError) as caught:
        make(given)
    assert said in str(caught.value)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_right_arguments_are_accepted(make: Callable[[Any], Any]) -> None:
    assert make({"format": "hermes", "model": None, "start": "reasoning"}) is not None
    assert make({}) is not None


def test_a_function_that_reads_a_stream_names_an_unknown_argument() -> None:
    # Fixed bug: a TypeError named `Parser.__init__()`, which the user had not called.
    typo: Any = {"fromat": "hermes"}
    for read in (chat_chunks, chat_events, dict_chunks):
        with pytest.raises(UsageError, match="fromat='hermes' is an unknown argument"):
            read([], ["f"], **typo)


@pytest.mark.parametrize("given", ["hermes", [("format", "hermes")]])
@pytest.mark.parametrize("make", [MAKERS["ApiHandlerOptions"], MAKERS["Ollama"]])
def test_arguments_that_are_not_a_dict_are_refused(make: Callable[[Any], Any], given: Any) -> None:
    with pytest.raises(UsageError, match="parser="):
        make(given)
