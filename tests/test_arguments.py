# What a wrong argument is told, argument by argument.
# Does not depend on how anything is read.
"""At the door: bad arguments fail at once, by name, with what to do."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.face import faced
from toolglean import (
    Content,
    Format,
    Output,
    Parser,
    ParserOptions,
    Tool,
    ToolError,
    ToolgleanError,
    ToolSet,
    UsageError,
    aiter_events,
    fold,
    iter_events,
    parse,
)
from toolglean.conversation import ChunkWrapper, History, HistoryConverter

ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"format": 3}, r"format=3 .*Format.*toolglean formats"),
    ({"format": []}, r"format=\[\] .*list of these"),
    ({"format": ["hermes", 3]}, r"format=.* contains 3, which is not a format: pass a Format"),
    ({"options": {"repair": False}}, r"options=.*ParserOptions"),
    ({"tools": 3}, r"tools=3 .*list"),
    ({"tools": [3]}, r"^3 is not a tool: pass a name"),
    ({"tools": [lambda city: city]}, r"<lambda>.*no name.*Tool"),
    ({"limits": 3}, r"limits=3 .*toolglean\.Limits"),
    ({"limits": {"depth": 3}}, r"limits=\{'depth': 3\} .*toolglean\.Limits"),
    ({"id_prefix": 3}, r"id_prefix=3 .*text"),
    ({"model": 3}, r"model=3 .*name"),
    ({"tag": 3}, r"tag=3 .*marker"),
    ({"tag": b"<t>"}, r"tag=b'<t>' .*marker"),
    ({"tag": "<x>", "closer": 3}, r"closer=3 .*marker"),
    ({"prompt": None}, r"prompt=None .*text"),
    ({"start": 3}, r"start=3 is not valid: pass 'content' or 'reasoning'"),
    ({"start": []}, r"start=\[\] is not valid: pass 'content' or 'reasoning'"),
    ({"unknown_tools": False}, r"unknown_tools=False is not valid: pass 'call' or 'content'"),
    ({"quoted": None}, r"quoted=None is not valid: pass 'content' or 'call'"),
    ({"coerce": "no"}, r"coerce='no' is not valid: pass True or False"),
    ({"markup": 1}, r"markup=1 is not valid: pass True or False"),
    ({"template": "{{ x }}", "variables": {}, "untrusted": None}, r"untrusted=None is not valid: pass True or False"),
    ({"response_template": "{}"}, r"response_template='\{\}' .*dict"),
    ({"tokenizer_config": 3}, r"tokenizer_config=3 .*path"),
]


@pytest.mark.parametrize(
    ("given", "message"), ARGUMENTS, ids=[str(row[0]).partition(" at 0x")[0][:40] for row in ARGUMENTS]
)
def test_a_wrong_argument_is_named(given: dict[str, Any], message: str) -> None:
    for use in (Parser, partial(parse, "")):
        with pytest.raises(ToolgleanError, match=message) as caught:
            use(**faced(**given))
        assert isinstance(caught.value, UsageError | ToolError)


CHUNKS: list[tuple[Any, str]] = [
    (b"Hi", r"chunk=b'Hi' is bytes: .*iter_events"),
    (bytearray(b"Hi"), r"is bytes: .*iter_events"),
    (["a"], r"chunk=\['a'\] is a list: .*one by one"),
    (["<"], r"is a list"),
    ([], r"is a list"),
    (("a",), r"is a tuple"),
    ({"a": 1}, r"is not text: .*delta\.content"),
    (3, r"chunk=3 is not text"),
    (Content("a", 0), r"is not text"),
]
MAKES: list[Any] = [
    lambda: Parser(["f"], format="hermes"),
    Parser,
    lambda: Parser(format="harmony", options=ParserOptions(markup=True)),
    lambda: Parser(format=Format.from_tag("{")),
]


# Row "feed takes text only" of adversary.py: the fast path passed any container, also when the turn was over.
@pytest.mark.parametrize(("chunk", "message"), CHUNKS, ids=[repr(row[0]) for row in CHUNKS])
@pytest.mark.parametrize("before", ["", "Hi", '<tool_call>{"name": "f", "arguments": {"a": "', "<think>", "finish"])
def test_only_text_is_fed(chunk: Any, message: str, before: str) -> None:
    for make in MAKES:
        parser = make()
        if before == "finish":
            parser.finish()
        else:
            parser.feed(before)
        for feed in (parser.feed, parser.add):
            with pytest.raises(UsageError, match=message):
                feed(chunk)
        if before != "finish":
            parser.feed("<")  # and nothing of it has stayed
            parser.finish()


def test_none_is_no_text() -> None:
    for make in MAKES:
        parser = make()
        assert parser.add(None) == Output() == make().add("")
        assert parser.feed(None) == []
        assert fold(parser.feed("a") + parser.feed(None) + parser.finish()).content == "a"
        for feed in (parser.feed, parser.add):
            with pytest.raises(UsageError, match="turn is over"):
                feed(None)


def test_a_kind_of_text_is_text() -> None:
    class Kind(str):
        __slots__ = ()

    for chunk in (Kind("Hi"), Kind("Hi <tool_call>")):
        (event,) = Parser(["f"], format="hermes").feed(chunk)[:1]
        assert isinstance(event, Content)
        assert type(event.text) is str


def test_streams_may_hold_none_and_nothing_else() -> None:
    assert fold(iter_events(["a", None, "b"], Parser())).content == "ab"
    assert fold(iter_events([b"\xc3", None, b"\xa9"], Parser())).content == "é"
    assert fold(iter_events([memoryview(b"\xc3"), bytearray(b"\xa9")], Parser())).content == "é"  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="is not text"):
        list(iter_events([io.StringIO("a")], Parser()))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="is a list"):
        parse(["a"])  # type: ignore[arg-type]


@pytest.mark.parametrize("parser", [None, "hermes", Parser, parse, {"format": "hermes"}])
@pytest.mark.parametrize("read", [iter_events, aiter_events])
def test_a_stream_needs_a_parser(read: Any, parser: Any) -> None:
    with pytest.raises(UsageError, match=r"^parser=.* is not a parser: pass a toolglean\.Parser\(") as caught:
        read([], parser)
    assert ("It is the class: call it." in str(caught.value)) is (parser is Parser)


def get_weather(city: str, days: int = 1) -> str:
    """The weather of a city."""
    return f"{city} {days}"


def test_functions_are_tools() -> None:
    (tool,) = ToolSet([get_weather])
    assert tool == Tool(
        "get_weather",
        {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
        "The weather of a city.",
    )
    turn = "<tool_call>\n<function=get_weather>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>"
    assert parse(turn, [get_weather], format="qwen3-coder").calls[0].arguments == {"days": 2}
    with pytest.raises(UsageError, match="positional only"):
        ToolSet([len])


def test_callable_tools_and_classes_are_tools() -> None:
    llm = pytest.importorskip("toolglean.llm")
    pydantic = pytest.importorskip("pydantic")
    album = pydantic.create_model("Album", name=(str, ...))
    tools = ToolSet([llm.CallableTool.from_function(get_weather), llm.CallableTool.from_model(album)])
    assert tools.names == ("get_weather", "Album")
    assert [list(each.properties) for each in tools] == [["city", "days"], ["name"]]
    assert list(ToolSet([album]).get("Album").properties) == ["name"]  # type: ignore[union-attr]


def test_a_path_is_a_tokenizer_config(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        Parser(format=Format.from_tokenizer_config(tmp_path / "none.json"))


def test_incomplete_converters_and_wrappers_are_refused() -> None:
    class Half(HistoryConverter):
        def from_history(self, history: History) -> list[dict[str, Any]]:
            return [{} for _ in history.conversation]

    class Wrapped(ChunkWrapper[str]):
        def get_text(self) -> str:
            return ""

    for kind in (Half, Wrapped):
        with pytest.raises(TypeError, match="abstract"):
            kind()  # type: ignore[abstract]


def test_the_openai_adapter_refuses_what_is_of_another_kind() -> None:
    openai = pytest.importorskip("openai")
    ours = pytest.importorskip("toolglean.clients.openai")
    types = pytest.importorskip("openai.types.chat")
    whole = types.ChatCompletion.construct(id="c", choices=[], created=0, model="m", object="chat.completion")
    client = openai.OpenAI(api_key="none", base_url="http://127.0.0.1:9")
    helper = client.chat.completions.stream(model="m", messages=[])

    async def achunks() -> Any:
        yield None

    rows = [
        (ours.chat_chunks, whole, "is a whole response, not a stream: use chat_completion"),
        (ours.chat_chunks, achunks(), "is an asynchronous stream, not a stream: use achat_chunks"),
        (ours.chat_chunks, helper, r"\.stream\(\) helper.*create\(\.\.\., stream=True\)"),
        (ours.achat_chunks, iter([]), "is a stream, not an asynchronous stream: use chat_chunks"),
        (ours.chat_completion, iter([]), "is a stream, not a whole response: use chat_chunks"),
        (ours.chat_completion, 3, "is not a whole response"),
        (ours.response_events, whole, "is a whole response, not a stream: use response"),
        (ours.response, iter([]), "use response_events"),
    ]
    for function, given, message in rows:
        with pytest.raises(UsageError, match=message):
            function(given)


def test_an_ollama_client_takes_a_client() -> None:
    package = pytest.importorskip("ollama")
    ours = pytest.importorskip("toolglean.clients.ollama")
    rows = [
        (ours.OllamaClient, "http://localhost:11434", r"client='http.*is text: .*ollama\.Client\(host="),
        (ours.OllamaClient, package.AsyncClient(), "is an ollama.AsyncClient: .*AsyncOllamaClient"),
        (ours.AsyncOllamaClient, package.Client(), "is an ollama.Client: .*OllamaClient"),
        (ours.OllamaClient, 3, "client=3 has no method chat"),
    ]
    for kind, given, message in rows:
        with pytest.raises(UsageError, match=message):
            kind(given)
