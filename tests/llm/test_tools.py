"""Tools: functions and classes as tools, and how their calls are run."""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Annotated, Any, Literal

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

from pydantic import BaseModel, Field

from toolglean.llm import (
    AgentChatResponse,
    CallableTool,
    ConfigurationError,
    InvalidObjectError,
    StreamingObjectProcessor,
    ToolCallChunk,
    ToolExecutionError,
    ToolExecutor,
    ToolMetadata,
    ToolSchemaError,
    UnknownToolError,
)


class Song(BaseModel):
    """A song."""

    title: str
    seconds: int = Field(gt=0)


def weather(city: str, unit: Literal["c", "f"] = "c", *, days: list[int] | None = None, **more: Any) -> str:
    """The weather.

    It may rain.

    Args:
        city: where,
            in full
        unit (str): how it is measured
        days: which

    Returns:
        A text: not an argument.
    """
    return f"{city} {unit} {days} {more}"


async def later(text: str) -> str:
    """Say it later."""
    await asyncio.sleep(0)
    return text


def test_a_function_describes_itself() -> None:
    function = CallableTool.from_function(weather).metadata.to_openai_tool()["function"]
    assert (function["name"], function["description"]) == ("weather", "The weather.\n\nIt may rain.")
    properties = function["parameters"]["properties"]
    assert {name: each.get("description") for name, each in properties.items()} == {
        "city": "where, in full",
        "unit": "how it is measured",
        "days": "which",
    }
    assert properties["unit"]["enum"] == ["c", "f"]
    assert function["parameters"]["required"] == ["city"]
    named = CallableTool.from_function(weather, name="other", description="Else.").metadata
    assert (named.name, named.description) == ("other", "Else.")


def google(city: str) -> None:
    """The weather.

    Arguments:
        city (str): where,
            in full
    """


def sphinx(city: str) -> None:
    """The weather.

    :param city: where,
        in full
    :returns: nothing
    """


def numpy(city: str) -> None:
    """The weather.

    Parameters
    ----------
    city : str
        where,
        in full
    """


def annotated(city: Annotated[str, "where, in full"]) -> None:
    """The weather."""


def fields(city: Annotated[str, Field(description="where, in full")]) -> None:
    """The weather.

    Args:
        city: what the annotation says goes first
    """


@pytest.mark.parametrize("fn", [google, sphinx, numpy, annotated, fields], ids=lambda fn: fn.__name__)
def test_the_customs_of_describing_a_parameter(fn: Any) -> None:
    function = CallableTool.from_function(fn).metadata.to_openai_tool()["function"]
    assert function["description"] == "The weather."
    assert function["parameters"]["properties"]["city"]["description"] == "where, in full"


class Adder:
    """Adds."""

    def __init__(self, to: int) -> None:
        self.to = to

    def __call__(self, number: int) -> int:
        return self.to + number

    def method(self, number: int) -> int:
        return self.to + number

    async def later(self, number: int) -> int:
        return self.to + number


class Later(Adder):
    async def __call__(self, number: int) -> int:  # type: ignore[override]
        return self.to + number


def placed(first: int, /, number: int, *, odd: int = 0) -> int:
    return first + number + odd


def with_field(number: int, to: int = Field(1, ge=1)) -> int:
    return to + number


@pytest.mark.parametrize(
    ("fn", "name"),
    [
        (Adder(1), "Adder"),
        (Later(1), "Later"),
        (Adder(1).method, "method"),
        (Adder(1).later, "later"),
        (functools.partial(placed, 1), "placed"),
        (with_field, "with_field"),
    ],
)
def test_whatever_can_be_called(fn: Any, name: str) -> None:
    tool = CallableTool.from_function(fn)
    assert tool.metadata.name == name
    assert tool.call(number="2").raw_output == asyncio.run(tool.acall(number=2)).raw_output == 3
    assert tool.call(number="x").is_error


def test_parameters_that_take_no_name() -> None:
    tool = CallableTool.from_function(placed)
    assert tool.call(first=1, number=2).raw_output == tool.call(number=2, first=1, odd=0).raw_output == 3
    assert tool(1, number=2) == 3


def odd_names(json: str, copy: int = 1, model_extra: int = 2, _x: int = 3, self: int = 4, **more: int) -> list[Any]:
    return [json, copy, model_extra, _x, self, more]


def test_parameters_may_have_any_name() -> None:
    # A pydantic class cannot have fields with some of these names, and `self` is also a parameter of methods.
    tool = CallableTool.from_function(odd_names)
    assert list(tool.metadata.get_parameters_dict()["properties"]) == ["json", "copy", "model_extra", "_x", "self"]
    given: dict[str, Any] = {"json": "a", "copy": "5", "model_extra": 6, "_x": 7, "self": 8, "func": 9, "argument_0": 9}
    for found in (tool.call(**given), asyncio.run(tool.acall(**given))):
        assert found.raw_output[:5] == ["a", 5, 6, 7, 8]
        assert found.raw_output[5]["func"] == 9


@pytest.mark.parametrize("key", ["self", "made", "fn", "cls", "args", "arguments", "name"])
def test_keys_that_a_model_makes_up_are_invalid_arguments(key: str) -> None:
    for tool in (CallableTool.from_model(Song), CallableTool.from_function(later)):
        call = ToolCallChunk(name=tool.metadata.name, arguments={key: 1}, id="c")
        (found,) = ToolExecutor([tool]).execute([call])
        assert isinstance(found.error, InvalidObjectError)


def stops() -> int:
    return next(iter([]))


def unprintable() -> Any:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("it cannot even say what it is")

    return Odd()


@pytest.mark.parametrize("fn", [stops, unprintable], ids=lambda fn: fn.__name__)
def test_whatever_a_tool_does_is_an_output(fn: Any) -> None:
    tool = CallableTool.from_function(fn)
    assert tool.call().is_error
    assert asyncio.run(asyncio.wait_for(tool.acall(), 10)).is_error


async def waits(json: int, /) -> int:
    return json


@pytest.mark.parametrize(("fn", "given"), [(later, {"text": "x"}), (waits, {"json": 1})])
def test_asynchronous_functions_stay_asynchronous(fn: Any, given: dict[str, Any]) -> None:
    tool = CallableTool.from_function(fn)
    assert tool.is_async
    assert [tool.call(**given).raw_output, asyncio.run(tool.acall(**given)).raw_output] == [*given.values()] * 2

    async def within_a_loop() -> None:
        tool.call(**given)

    with pytest.raises(ConfigurationError, match="use acall"):
        asyncio.run(within_a_loop())


def test_arguments_may_come_as_a_mapping() -> None:
    tool = CallableTool.from_model(Song)
    given = {"title": "x", "seconds": 1}
    for found in (tool.call(given), asyncio.run(tool.acall(given)), asyncio.run(tool.acall(**given))):
        assert found.raw_output == Song(title="x", seconds=1)
    outputs = AgentChatResponse(sources=[tool.call(given), tool.call(given)])
    assert outputs.parse_tool_outputs(allow_parallel=True) == outputs.parse_tool_outputs(allow_parallel_tool_calls=True)
    assert outputs.parse_tool_outputs(allow_parallel=False) == Song(title="x", seconds=1)


@pytest.mark.parametrize(
    ("fn", "words"), [(lambda x: x, "pass a named function"), (max, "parameters of function .* cannot be read")]
)
def test_functions_that_say_too_little(fn: Any, words: str) -> None:
    with pytest.raises(ToolSchemaError, match=words):
        CallableTool.from_function(fn)
    assert CallableTool.from_function(lambda x: x, name="same").call(x=1).raw_output == 1


def test_a_class_describes_itself() -> None:
    metadata = CallableTool.from_model(Song).metadata
    assert (metadata.name, metadata.description, metadata.fn_schema) == ("Song", "A song.", Song)
    assert CallableTool.from_model(Song)(title="x", seconds=1) == Song(title="x", seconds=1)


def test_calls() -> None:
    tool = CallableTool.from_function(weather)
    assert tool(city="Oslo") == "Oslo c None {}"
    found = tool.call(city="Oslo", days="[1, 2]", wind=True)
    assert (found.content, found.tool_name) == ("Oslo c [1, 2] {'wind': True}", "weather")
    assert (found.raw_input, found.raw_output, found.is_error) == (
        {"city": "Oslo", "days": "[1, 2]", "wind": True},
        found.content,
        False,
    )
    song = CallableTool.from_model(Song).call(title="x", seconds="7")
    assert (song.raw_output, song.content) == (Song(title="x", seconds=7), '{"title":"x","seconds":7}')


def test_a_tool_is_run_once_whatever_it_raises() -> None:
    # A failed call must not be repeated with the arguments in another form.
    seen: list[str] = []

    def once(text: str) -> None:
        seen.append(text)
        raise TypeError("this is the tool's own")

    found = CallableTool.from_function(once).call(text="x")
    assert seen == ["x"]
    assert isinstance(found.error, ToolExecutionError)
    assert isinstance(found.error.__cause__, TypeError)
    assert (found.error.tool_name, found.error.arguments, found.error.output) == ("once", {"text": "x"}, found)
    assert found.raw_output is None


@pytest.mark.parametrize("arguments", [{}, {"title": "x", "seconds": 0}, {"title": None, "seconds": 1}])
def test_arguments_that_are_not_valid(arguments: dict[str, Any]) -> None:
    for found in (
        CallableTool.from_model(Song).call(**arguments),
        asyncio.run(CallableTool.from_model(Song).acall(**arguments)),
    ):
        assert found.is_error
        assert isinstance(found.error, InvalidObjectError)
        assert found.raw_output is None
        assert "not valid" in found.content


def test_interruptions_go_through() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CallableTool.from_function(stop).call()


def calls(*names: str) -> list[ToolCallChunk]:
    return [ToolCallChunk(name=name, arguments={"text": f"{place}"}) for place, name in enumerate(names)]


def run(tools: list[CallableTool], wanted: Any, *, asynchronous: bool, **options: Any) -> Any:
    executor = ToolExecutor(tools, **options)
    return asyncio.run(executor.aexecute(wanted)) if asynchronous else executor.execute(wanted)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_outputs_are_in_the_order_of_the_calls(asynchronous: bool, caplog: pytest.LogCaptureFixture) -> None:
    async def slow(text: str) -> str:
        await asyncio.sleep(0.02)
        return f"slow {text}"

    tools = [CallableTool.from_function(each) for each in (slow, later)]
    with caplog.at_level(logging.INFO, "toolglean.llm"):
        found = run(tools, calls("slow", "later", "later", "nope"), asynchronous=asynchronous, verbose=True)
    assert [output.content for output in found[:3]] == ["slow 0", "1", "2"]
    assert isinstance(found[3].error, UnknownToolError)
    assert found[3].error.known == ("slow", "later")
    assert len(caplog.records) == 4
    with pytest.raises(UnknownToolError):
        run(tools, calls("nope"), asynchronous=asynchronous, raise_on_error=True)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_only_finished_calls_are_run(asynchronous: bool) -> None:
    seen: list[str] = []
    tool = CallableTool.from_function(seen.append, name="later")
    [partial] = StreamingObjectProcessor(Song).feed('{"title": "x"')
    for wrong in (ToolCallChunk(name="later", unread='{"text": '), partial, {"name": "later"}):
        with pytest.raises(
            ConfigurationError, match=r"calls contain .*, which is not finished: pass only complete calls"
        ):
            run([tool], [*calls("later"), wrong], asynchronous=asynchronous)
    assert seen == []


def test_what_cannot_be_described() -> None:
    with pytest.raises(ToolSchemaError, match="no schema"):
        ToolMetadata(name="x").to_openai_tool()
    long = ToolMetadata(name="x", description="y" * 1025, fn_schema={})
    with pytest.raises(ToolSchemaError, match="1025 characters; shorten it to 1024"):
        long.to_openai_tool()
    assert long.to_openai_tool(skip_length_check=True)["function"]["parameters"] == {}

    def unknown(x: NoSuchType) -> None:  # type: ignore[name-defined]  # noqa: F821
        """Odd."""

    with pytest.raises(ToolSchemaError, match="NoSuchType"):
        CallableTool.from_function(unknown)
