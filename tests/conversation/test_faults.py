"""Tools, executors and requests that break the rules: each gets a clear result, and nothing raises."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import gc
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Literal, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conversation.tools import JUNK, WEATHER
from tests.support.depth import examples
from toolglean import ToolSet, UsageError
from toolglean.conversation import LocalTools, McpIntegration, ToolResultContent, ToolUseContent


class SilentError(Exception):
    def __str__(self) -> str:
        raise ValueError("not a word")


class Mute:
    def __repr__(self) -> str:
        raise ValueError("not a word")


def raises(error: BaseException) -> Callable[[], Any]:
    def tool() -> Any:
        raise error

    return tool


async def leaves() -> None:
    raise SystemExit(3)


def result_of(function: Callable[..., Any], **options: Any) -> ToolResultContent:
    mcp = McpIntegration(**options)
    mcp.register_tool(function, "f")
    found = asyncio.run(mcp.route_tool_use(ToolUseContent("f", "i")))
    assert isinstance(found, ToolResultContent)
    assert found.tool_use_id == "i"
    return found


# -- tools -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (raises(ValueError("bad")), "'f' failed: ValueError: bad"),
        (raises(KeyError()), "'f' failed: KeyError"),
        (raises(SilentError()), "'f' failed: SilentError"),
        # A tool cannot end the program.
        (raises(SystemExit(3)), "'f' failed: SystemExit: 3"),
        (leaves, "'f' failed: SystemExit: 3"),
        # A future does not accept a StopIteration: the loop would wait forever.
        (raises(StopIteration(3)), "'f' failed: RuntimeError: StopIteration: 3"),
        (raises(asyncio.CancelledError()), "'f' was cancelled"),
        (raises(ExceptionGroup("several", [ValueError("bad")])), "'f' failed: ExceptionGroup: several (1 sub-exception)"),
        (Mute, "'f' failed: ValueError: not a word"),
        (lambda missing: missing, "'f' failed: TypeError"),
    ],
)  # fmt: skip
def test_a_tool_that_raises_has_failed(function: Callable[..., Any], message: str) -> None:
    result = result_of(function, timeout=5)
    assert result.is_error
    assert result.error is not None
    assert result.error.code == "tool_failed"
    assert result.error.message.startswith(message)


def test_a_function_that_hangs_keeps_nobody() -> None:
    # It blocks neither the other tools (a pool of threads would be full with six) nor the end of the loop.
    release, late = threading.Event(), threading.Semaphore(0)

    def hang() -> None:
        release.wait(20)
        late.release()

    async def run() -> list[Any]:
        mcp = McpIntegration(timeout=0.02)
        mcp.register_tool(hang)
        mcp.register_tool(lambda: "here", "quick")
        hung = [await mcp.route_tool_use(ToolUseContent("hang")) for _ in range(40)]
        mcp.system.timeout = 10
        return [*hung, await mcp.route_tool_use(ToolUseContent("quick"))]

    *hung, quick = asyncio.run(run())
    assert not late.acquire(blocking=False)  # the loop has ended before any of them
    assert {result.error.code for result in hung} == {"timeout"}
    assert quick.text == "here"
    release.set()
    assert all(late.acquire(timeout=10) for _ in range(40))  # a late result does no harm


def gives_late(release: threading.Event) -> bool:
    return release.wait(10)


async def raises_late(_: threading.Event) -> None:
    try:
        await asyncio.sleep(10)
    except asyncio.CancelledError:
        raise ValueError("on the way out") from None


@pytest.mark.parametrize("tool", [gives_late, raises_late])
def test_what_a_tool_gives_or_raises_too_late_is_nobodys(tool: Callable[[threading.Event], Any]) -> None:
    gc.freeze()  # else all that the tests before have made would be looked through
    complaints: list[Any] = []

    async def run() -> str:
        asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what))
        mcp = McpIntegration(timeout=0.01)
        release = threading.Event()
        mcp.register_tool(functools.partial(tool, release), "late")
        result = await mcp.route_tool_use(ToolUseContent("late"))
        release.set()
        await asyncio.sleep(0.1)
        gc.collect()  # a task reports an unread exception when it is collected
        assert result.error is not None
        return str(result.error.code)

    assert asyncio.run(run()) == "timeout"
    assert not complaints


async def test_a_function_sees_the_context_of_its_caller() -> None:
    who = contextvars.ContextVar("who", default="nobody")

    mcp = McpIntegration()
    mcp.register_tool(who.get, "who")
    who.set("me")
    assert (await mcp.route_tool_use(ToolUseContent("who"))).text == "me"


def test_a_tool_that_gives_an_awaitable_is_waited_for() -> None:
    async def inner() -> str:
        return "x"

    assert result_of(lambda city=1: inner() if city else None).text == "x"


# -- executors ---------------------------------------------------------------------------------------------------------


class Executor:
    """One tool, run by the given function."""

    def __init__(self, run: Callable[..., Any], tools: Any = None) -> None:
        self.run = run
        self.given = ToolSet(["f"]) if tools is None else tools

    @property
    def tools(self) -> ToolSet:
        if isinstance(self.given, Exception):
            raise self.given
        found: ToolSet = self.given
        return found

    def execute_tool(self, name: str, input: dict[str, Any], *, tool_use_id: str = "") -> Any:  # noqa: A002
        del name, input, tool_use_id
        return self.run()


@pytest.mark.parametrize(
    ("executor", "message"),
    [
        (Executor(raises(ValueError("at once"))), "ValueError: at once"),
        (Executor(lambda: 5), "TypeError"),
        (Executor(lambda: 5, RuntimeError("closed")), "RuntimeError: closed"),
        (Executor(lambda: 5, 5), "AttributeError"),
    ],
)
@pytest.mark.parametrize("content", [ToolUseContent("f", "i"), {"id": "i", "name": "f"}])
def test_a_careless_executor_has_failed(content: Any, executor: Executor, message: str) -> None:
    found = asyncio.run(McpIntegration(executor).route_tool_use(content))
    result = found if isinstance(found, ToolResultContent) else ToolResultContent.from_dict(found)
    assert (result.tool_use_id, result.error and result.error.code) == ("i", "tool_failed")
    assert message in result.text


def test_results_that_are_no_json_are_failures_in_the_form_of_the_request() -> None:
    async def odd() -> ToolResultContent:
        return ToolResultContent("", [], {"x": object()})

    call = {"id": "c1", "function": {"name": "f", "arguments": "{}"}}
    message = asyncio.run(McpIntegration(Executor(odd)).route_tool_use(call))
    assert (message["role"], message["tool_call_id"]) == ("tool", "c1")
    assert '"code": "tool_failed"' in message["content"]


def test_what_an_executor_gives_is_not_changed() -> None:
    shared = ToolResultContent("theirs", [{"type": "text", "text": "x"}], is_error=True)

    async def give() -> ToolResultContent:
        return shared

    mcp = McpIntegration(Executor(give))
    results = [asyncio.run(mcp.route_tool_use(ToolUseContent("f", own))) for own in ("a", "b")]
    assert [result.tool_use_id for result in results] == ["a", "b"]
    assert (shared.tool_use_id, shared.error) == ("theirs", None)


# -- requests ----------------------------------------------------------------------------------------------------------


def weather() -> McpIntegration:
    mcp = McpIntegration()
    mcp.register_tool(lambda **given: given, WEATHER)
    return mcp


def test_of_several_calls_those_that_name_no_tool_are_answered_in_their_place() -> None:
    good = {"id": "c2", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
    calls = [{"id": "c1", "function": {}}, good, {"id": "c3", "custom": {"name": "get_weather"}}]
    found = asyncio.run(weather().route_tool_use({"tool_calls": calls}))
    assert [message["tool_call_id"] for message in found] == ["c1", "c2", "c3"]
    assert ['"bad_request"' in message["content"] for message in found] == [True, False, True]


def test_the_errors_of_openai_calls_carry_their_code() -> None:
    call = {"id": "c1", "function": {"name": "nope", "arguments": "{}"}}
    assert asyncio.run(weather().route_tool_use(call)) == {
        "role": "tool",
        "tool_call_id": "c1",
        "name": "nope",
        "content": '{"error": {"code": "unknown_tool", "message": '
        "\"Tool 'nope' not found. The tools are: get_weather\"}}",
    }


@pytest.mark.parametrize(
    ("content", "id"),
    [
        ({"id": 7, "name": "get_weather", "input": {"city": "Oslo"}}, "7"),
        ({"id": "x", "tool_calls": []}, "x"),
        (' {"id": "x", "type": "tool_use"} ', "x"),
        ({"type": "tool_use"}, "error"),
        ("{", "error"),
        (None, "error"),
    ],
)
def test_an_id_is_kept_where_there_is_one(content: Any, id: str) -> None:  # noqa: A002
    found = asyncio.run(weather().route_tool_use(content))
    assert found.get("tool_use_id", found.get("tool_call_id")) == id


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({}, "parameter 'city' is missing"),
        ({"city": 5}, "parameter 'city' must be string, not 5"),
        ({"city": "5", "days": True}, "parameter 'days' must be integer, not True"),
        ({"city": "5", "days": 1.5}, "parameter 'days' must be integer, not 1.5"),
        ({"city": None}, "parameter 'city' must be string, not None"),
        ({"days": "soon"}, "'city' is missing; parameter 'days' must be integer, not 'soon'"),
    ],
)
def test_wrong_arguments_are_named(arguments: Any, fault: str) -> None:
    result = asyncio.run(weather().route_tool_use(ToolUseContent("get_weather", "i", arguments)))
    assert result.error is not None
    assert result.error.code == "bad_arguments"
    assert fault in result.error.message


def test_what_programs_hand_in_fits_too() -> None:
    schema = {"properties": {"o": {"type": "object"}, "l": {"type": "array"}}, "required": [["odd"], "l"]}
    mcp = McpIntegration()
    mcp.register_tool(lambda **given: str(given["l"]), {"name": "f", "parameters": schema})
    found = asyncio.run(mcp.route_tool_use(ToolUseContent("f", "i", {"o": OrderedDict(a=1), "l": (1, 2)})))
    assert found.text == "(1, 2)"


ANY = st.one_of(JUNK, st.just(Mute()), st.binary(max_size=4), st.floats(), st.tuples(st.integers()))


@given(st.builds(ToolUseContent, ANY, ANY, ANY, ANY), JUNK)
@settings(max_examples=examples(200), deadline=None)
def test_no_request_and_no_schema_raises(content: Any, schema: Any) -> None:
    parameters = schema if isinstance(schema, dict) else {"properties": {"x": schema}, "required": schema}
    mcp = McpIntegration()

    async def f(**_: Any) -> str:
        return "x"

    mcp.register_tool(f, {"name": "get_weather", "parameters": parameters})
    assert isinstance(asyncio.run(mcp.route_tool_use(content)), ToolResultContent)


# -- functions that describe themselves --------------------------------------------------------------------------------


def test_annotations_become_a_schema() -> None:
    def f(
        a: list[int],
        b: int | None,
        c: Optional[str],  # noqa: UP045  # as users write it
        d: Literal["x", "y"],
        e: "dict[str, Any]",  # noqa: UP037
        g: Any,
        h: list[Any],
        i: int | complex = 1,
    ) -> str:
        return f"{a}{b}{c}{d}{e}{g}{h}{i}"

    null = {"type": "null"}
    assert LocalTools().add(f).properties == {
        "a": {"type": "array", "items": {"type": "integer"}},
        "b": {"anyOf": [{"type": "integer"}, null]},
        "c": {"anyOf": [{"type": "string"}, null]},
        "d": {"enum": ["x", "y"]},
        "e": {"type": "object"},
        "g": {},
        "h": {"type": "array"},
        "i": {},
    }


def test_an_object_that_can_be_called_describes_itself() -> None:
    class Weather:
        """The weather."""

        async def __call__(self, city: str) -> str:
            return f"cold in {city}"

    mcp = McpIntegration()
    assert mcp.register_tool(Weather()).properties == {"city": {"type": "string"}}
    found = asyncio.run(mcp.route_tool_use({"name": "Weather", "input": {"city": "Oslo"}}))
    assert found["content"] == [{"type": "text", "text": "cold in Oslo"}]


def test_a_partial_describes_what_is_left() -> None:
    def weather(city: str, days: int, unit: str = "c") -> str:
        """The weather."""
        return f"{city} {days} {unit}"

    mcp = McpIntegration()
    tool = mcp.register_tool(functools.partial(weather, "Oslo", unit="f"))
    assert (tool.name, tool.description) == ("weather", "The weather.")
    assert tool.parameters["required"] == ["days"]
    assert tool.properties == {"days": {"type": "integer"}, "unit": {"type": "string"}}
    assert (
        asyncio.run(mcp.route_tool_use({"name": "weather", "input": {"days": "2"}}))["content"][0]["text"] == "Oslo 2 f"
    )


def test_functions_that_cannot_be_called_by_name_are_refused() -> None:
    with pytest.raises(UsageError, match="positional only"):
        LocalTools().add(len)
    with pytest.raises(UsageError, match="pass a tool dict with a schema"):
        LocalTools().add(dict)
