# What this file knows: the arguments that users of `toolglean.llm` give, and the results and errors that they get.
# Does not depend on how anything is read.
"""Arguments of `toolglean.llm`."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from tests.llm.models import Album
from toolglean.llm import NoToolCallError, Ollama, Partial, ReplayClient, ToolExecutor, ToolOrchestratingLLM
from toolglean.llm.types import ToolCallChunk

PLAIN = [
    '{"name": "Horses"}',
    ' {"name": "Horses"}\n',
    '```json\n{"name": "Horses"}\n```',
    '```\n{"name": "Horses"}\n```\n',
]
NONE = ["Horses", 'For example {"name": "Horses"}.', '{"name": 1}', '{"title": "Horses"}', '{"name": "Hor', "[1]"]


def asking(turn: str) -> ToolOrchestratingLLM[Album]:
    return ToolOrchestratingLLM(Album, "An album.", Ollama("any", client=ReplayClient([turn])))


@pytest.mark.parametrize("turn", PLAIN)
def test_the_object_itself_is_an_answer(turn: str) -> None:
    assert asking(turn)() == Album(name="Horses")
    assert asking(turn)(allow_parallel_tool_calls=True) == [Album(name="Horses")]
    last = list(asking(turn).stream_call())[-1]
    assert last == Album(name="Horses")
    assert not isinstance(last, Partial)


@pytest.mark.parametrize("turn", NONE)
def test_anything_else_is_no_answer(turn: str) -> None:
    with pytest.raises(NoToolCallError):
        asking(turn)()
    with pytest.raises(NoToolCallError):
        list(asking(turn).stream_call())


@pytest.mark.parametrize("given", [{"max_tokens": 7}, {"max_tokens": 7, "num_predict": 9}])
def test_max_tokens_reaches_the_server_under_its_name(given: dict[str, Any]) -> None:
    for model, more in ((Ollama, {}), (lambda name, **fields: Ollama(name, additional_kwargs=given, **fields), None)):
        client = ReplayClient(["Hi"])
        model("any", client=client).chat("Hi", **(given if more is not None else {}))
        options = client.requests[0]["options"]
        assert "max_tokens" not in options
        assert options["num_predict"] == given.get("num_predict", 7)


def test_fields_cannot_be_changed() -> None:
    given: dict[str, Any] = {"seed": 1, "more": {"a": [1]}}
    model = Ollama("any", additional_kwargs=given)
    given["seed"] = 2
    for change in (
        lambda: model.additional_kwargs.update(seed=3),
        lambda: model.additional_kwargs.__setitem__("seed", 3),
        lambda: model.additional_kwargs.pop("seed"),
        model.additional_kwargs["more"].clear,
    ):
        with pytest.raises(TypeError, match="are frozen"):
            change()
    assert model.additional_kwargs == {"seed": 1, "more": {"a": [1]}}
    assert json.loads(json.dumps(model.additional_kwargs)) == model.additional_kwargs
    for twin in (copy.deepcopy(model.additional_kwargs), pickle.loads(pickle.dumps(model.additional_kwargs))):
        assert twin == model.additional_kwargs
    assert model.model_copy(update={"additional_kwargs": {"seed": 5}}).additional_kwargs["seed"] == 5


def get_weather(city: str) -> str:
    """The weather."""
    return f"fine in {city}"


def test_functions_and_classes_are_tools() -> None:
    turn = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
    client = ReplayClient([turn])
    found = Ollama("any", client=client).predict_and_call([get_weather, Album], "Hi")
    assert found.response == "fine in Oslo"
    assert [each["function"]["name"] for each in client.requests[0]["tools"]] == ["get_weather", "Album"]
    (output,) = ToolExecutor([Album]).execute([ToolCallChunk(name="Album", arguments={"name": "Horses"})])
    assert output.raw_output == Album(name="Horses")
