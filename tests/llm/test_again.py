"""Asking again: the model is told the error, and each attempt is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

from pydantic import BaseModel, Field

from tests.llm.both import KINDS, WAYS, ask, new
from tests.support.loopback import Loopback, Turn
from toolglean.llm import (
    Attempt,
    ConfigurationError,
    IncompleteObjectError,
    InvalidObjectError,
    NoToolCallError,
    Ollama,
    OpenAICompatible,
    ParseError,
    PydanticParser,
    TextCompletionLLM,
    ToolOrchestratingLLM,
    UnknownToolError,
)
from toolglean.llm.served import Served


class Album(BaseModel):
    """An album."""

    name: str
    year: int = Field(ge=1900)


GOOD = '<tool_call>{"name": "Album", "arguments": {"name": "Horses", "year": 1975}}</tool_call>'
OLD = GOOD.replace("1975", "75")
BAD = {
    "invalid": (OLD, InvalidObjectError),
    "no call": ("An album by Patti Smith.", NoToolCallError),
    "cut off": (GOOD[:-30], IncompleteObjectError),
    "unknown": (GOOD.replace("Album", "Disc"), UnknownToolError),
}


@pytest.fixture(params=KINDS)
def llm(request: pytest.FixtureRequest, server: Loopback) -> Iterator[Served]:
    with new(request.param, server.url) as own:
        yield own


def chats(server: Loopback) -> list[Any]:
    return [body for path, body in server.requests if "chat" in path]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("way", WAYS)
def test_a_second_answer_that_is_right(kind: str, way: str, llm: Served, server: Loopback) -> None:
    text, error = BAD[kind]
    server.play(Turn(list(text)), Turn(list(GOOD)))
    seen: list[Attempt] = []
    make = ToolOrchestratingLLM(Album, "An album of {artist}.", llm, max_retries=2, on_attempt=seen.append)
    assert ask(make, server.url, way, artist="Patti Smith") == Album(name="Horses", year=1975)
    assert [(each.number, type(each.error)) for each in seen] == [(1, error)]
    assert seen[0].response is not None
    first, second = chats(server)
    added = second["messages"][len(first["messages"]) :]
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert str(seen[0].error)[:40] in json.dumps(added, ensure_ascii=False).replace("\\\\", "\\").replace('\\"', '"')
    assert added[0]["role"] == "assistant"
    assert added[-1]["role"] == ("tool" if kind in {"invalid", "unknown"} else "user")


def test_no_more_than_was_allowed(llm: Served, server: Loopback) -> None:
    server.play(*[Turn(list(OLD))] * 3)
    make = ToolOrchestratingLLM(Album, "An album.", llm, max_retries=2)
    with pytest.raises(InvalidObjectError) as caught:
        make()
    assert [each.number for each in caught.value.failed_attempts] == [1, 2, 3]
    assert caught.value.failed_attempts[-1].error is caught.value
    assert len(chats(server)) == 3
    server.play(Turn(list(OLD)))
    with pytest.raises(InvalidObjectError) as caught:  # by default, never
        ToolOrchestratingLLM(Album, "An album.", llm)()
    assert len(chats(server)) == 4
    assert len(caught.value.failed_attempts) == 1


def test_objects_in_text(llm: Served, server: Loopback) -> None:
    seen: list[Attempt] = []
    make = TextCompletionLLM(
        output_parser=PydanticParser(Album), prompt="An album.", llm=llm, max_retries=1, on_attempt=seen.append
    )
    server.play(Turn(['{"name": "Horses", "year": 75}']), Turn(['{"name": "Horses", "year": 1975}']))
    assert make() == Album(name="Horses", year=1975)
    assert [type(each.error) for each in seen] == [ParseError]
    assert [message["role"] for message in chats(server)[-1]["messages"]] == ["user", "assistant", "user"]
    assert "greater than or equal to 1900" in chats(server)[-1]["messages"][-1]["content"]
    server.play(Turn(["No."]), Turn(["No."]))
    with pytest.raises(ParseError) as caught:
        ask(make, server.url, "acall")
    assert len(caught.value.failed_attempts) == 2


@pytest.mark.parametrize("given", [-1, 1.5, "2", True, None])
def test_wrong_numbers(given: Any) -> None:
    for make in (
        lambda: ToolOrchestratingLLM(Album, "x", OpenAICompatible("m"), max_retries=given),
        lambda: TextCompletionLLM(output_parser=PydanticParser(Album), prompt="x", llm=Ollama("m"), max_retries=given),
    ):
        with pytest.raises(ConfigurationError, match=r"max_retries=.* is not valid: pass an integer of 0 or more"):
            make()
