"""From a prompt to a typed object: `ToolOrchestratingLLM` and `TextCompletionLLM`, whole and in streams."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any
from unittest.mock import MagicMock

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

from pydantic import BaseModel, ConfigDict, Field, create_model

from tests.llm.both import KINDS, WAYS, ask, new
from tests.support import depth
from tests.support.chunkings import chunkings
from tests.support.loopback import Call, Cut, Loopback, Status, Turn
from tests.support.work import calls_made
from toolglean.llm import (
    AgentChatResponse,
    ChatPromptTemplate,
    ChatResponse,
    Configs,
    ConfigurationError,
    FunctionCallingLLM,
    IncompleteObjectError,
    InvalidObjectError,
    MalformedObjectError,
    Message,
    Metadata,
    MissingLLMError,
    MissingVariablesError,
    NoToolCallError,
    Ollama,
    OtherChunk,
    OutputError,
    ParseError,
    Partial,
    PromptError,
    PromptTemplate,
    PydanticParser,
    Role,
    ServerError,
    StreamInterruptedError,
    TextChunk,
    TextCompletionLLM,
    ToolOrchestratingLLM,
    ToolSchemaError,
    UnknownToolError,
)
from toolglean.llm.served import Served


class Song(BaseModel):
    """A song."""

    title: str
    seconds: int = Field(gt=0)


class Album(BaseModel):
    """An album with its songs."""

    name: str
    songs: list[Song] = []


HORSES = {"name": "Horses", "songs": [{"title": "Gloria", "seconds": 357}, {"title": "Land", "seconds": 555}]}
SHORT = {"name": "Easter", "songs": []}
EXPECTED = Album.model_validate(HORSES)


def pieces(text: str) -> list[str]:
    """Chunks of a stream. (test_objects_cuts.py cuts objects everywhere.)"""
    return [text[at : at + 7] for at in range(0, len(text), 7)]


def leaked(*values: dict[str, Any]) -> str:
    return "".join(f"<tool_call>{json.dumps({'name': 'Album', 'arguments': value})}</tool_call>" for value in values)


# Both with `--depth full`: the orchestrators do not depend on the server, and tests/llm/test_both.py has some of these.
@pytest.fixture(params=KINDS if depth.is_full() else KINDS[:1])
def llm(request: pytest.FixtureRequest, server: Loopback) -> Iterator[Served]:
    with new(request.param, server.url) as found:
        yield found


# -- objects ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "turn",
    [Turn(["Well: "], [Call("Album", HORSES)]), Turn(["Well: ", *pieces(leaked(HORSES))])],
    ids=["server", "leaked"],
)
def test_an_object(turn: Turn, way: str, llm: Served, server: Loopback) -> None:
    server.play(turn)
    found = ask(ToolOrchestratingLLM(Album, "An album of {artist}", llm), server.url, way, artist="Patti Smith")
    assert found == EXPECTED
    assert type(found) is Album
    body = server.requests[-1][1]
    assert body["messages"][-1] == {"role": "user", "content": "An album of Patti Smith"}
    assert body["tools"][0]["function"]["description"] == "An album with its songs."


@pytest.mark.parametrize("way", WAYS)
def test_parallel_objects(way: str, llm: Served, server: Loopback) -> None:
    # A later, shorter object, and two identical ones: both must be kept.
    server.play(Turn(pieces(leaked(HORSES, SHORT, SHORT))))
    function = ToolOrchestratingLLM(Album, "Albums", llm, allow_parallel_tool_calls=True)
    assert ask(function, server.url, way) == [EXPECTED, Album(name="Easter"), Album(name="Easter")]


@pytest.mark.parametrize("way", WAYS)
def test_one_call_may_differ_from_the_others(way: str, llm: Served, server: Loopback) -> None:
    server.play(*[Turn(pieces(leaked(HORSES, SHORT)))] * 2)
    function = ToolOrchestratingLLM(Album, "Albums", llm)
    assert ask(function, server.url, way, allow_parallel_tool_calls=True) == [EXPECTED, Album(name="Easter")]
    assert ask(function, server.url, way) == EXPECTED  # of several objects the first counts


def test_the_object_fills_itself(llm: Served, server: Loopback) -> None:
    for chunks in list(chunkings(leaked(HORSES)))[: 3 if depth.is_full() else 1]:
        server.play(Turn(chunks))
        *partials, last = ToolOrchestratingLLM(Album, "An album", llm).stream_call()
        assert last == EXPECTED
        names = [each.name for each in partials if isinstance(each, Partial) and each.is_set("name")]
        assert all("Horses".startswith(name) for name in names)
        assert not any(isinstance(each, BaseModel) for each in partials)


# -- the seven boundaries ------------------------------------------------------------------------------------------------


class NoFunctions(FunctionCallingLLM):
    """A model that cannot call functions, or behaves as the test needs."""

    def __init__(self, response: Any = None, *, calls: bool = False) -> None:
        self.response = response
        self.calls = calls
        self.asked: list[dict[str, Any]] = []

    @property
    def metadata(self) -> Metadata:
        return Metadata(is_chat_model=False, is_function_calling_model=self.calls)

    def chat(self, messages: Any, **kwargs: Any) -> Any:
        self.asked.append({"messages": messages, **kwargs})
        return self.response

    async def achat(self, messages: Any, **kwargs: Any) -> Any:
        return self.chat(messages, **kwargs)

    def stream_chat(self, messages: Any, **kwargs: Any) -> Any:
        return iter([self.chat(messages, **kwargs)])

    async def astream_chat(self, messages: Any, **kwargs: Any) -> Any:
        yield self.chat(messages, **kwargs)


def test_1_it_is_made_of_the_right_things(llm: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingLLMError) as missing:
        ToolOrchestratingLLM(Album, "x")
    assert isinstance(missing.value, AssertionError)
    with pytest.raises(ConfigurationError, match="cannot call functions") as wrong:
        ToolOrchestratingLLM(Album, "x", NoFunctions())
    assert isinstance(wrong.value, ValueError)
    odd: Any = 5
    for made in (
        lambda: ToolOrchestratingLLM(Album, odd, llm),
        lambda: TextCompletionLLM(output_parser=PydanticParser(Album), prompt=odd, llm=llm),
    ):
        with pytest.raises(ConfigurationError, match=r"prompt=.* is not a prompt: pass text or a prompt template"):
            made()
    with pytest.raises(ConfigurationError, match=r"output_cls=.* is not a pydantic class"):
        ToolOrchestratingLLM(odd, "x", llm)
    monkeypatch.setattr(Configs, "llm", llm)
    function = ToolOrchestratingLLM(Album, "x", tool_choice="any", verbose=True)
    assert (function._llm, function.output_cls, function._tool_choice, function._verbose) == (llm, Album, "any", True)
    function.prompt = "{y}"
    assert isinstance(function.prompt, PromptTemplate)
    for name in ("output_cls", "llm"):
        if isinstance(getattr(type(function), name, None), property):
            with pytest.raises(AttributeError):
                setattr(function, name, None)


def test_2_the_class_must_have_a_schema(llm: Served) -> None:
    class Odd(BaseModel):
        model_config = {"arbitrary_types_allowed": True}
        thing: Loopback

    with pytest.raises(ToolSchemaError, match="Odd") as caught:
        ToolOrchestratingLLM(Odd, "x", llm)()
    assert caught.value.__cause__ is not None
    long: Any = create_model("Long", x=(int, ...), __doc__="x" * 1025)
    with pytest.raises(ToolSchemaError, match="1025 characters; shorten it to 1024"):
        ToolOrchestratingLLM(long, "x", llm)()


def test_3_the_prompt_must_be_filled(llm: Served, server: Loopback) -> None:
    with pytest.raises(MissingVariablesError, match="has no value for: b, c") as caught:
        ToolOrchestratingLLM(Album, "{a} {b} {c}", llm)(a=1)
    assert caught.value.missing == ("b", "c")
    assert isinstance(caught.value, KeyError)
    for broken in ("{a", "{}", "{a!x}", "{a[0]}"):
        with pytest.raises(PromptError):
            PromptTemplate(broken).format(a=1)
    assert server.requests == []


@pytest.mark.parametrize("way", WAYS)
def test_4_the_server_fails(way: str, llm: Served, server: Loopback) -> None:
    function = ToolOrchestratingLLM(Album, "x", llm)
    if "stream" in way:
        server.play(Turn(list(leaked(HORSES)), faults=[Cut(60)]))
        with pytest.raises(StreamInterruptedError) as caught:
            ask(function, server.url, way)
        assert caught.value.partial.unfinished[0].name == "Album"
    server.play(Turn([], faults=[Status(500)]))
    with pytest.raises(ServerError) as failed:
        ask(function, server.url, way)
    assert failed.value.status == 500


GOOD = leaked(HORSES)
BAD = GOOD.replace('"name": "Horses"', '"name": Horses')
BROKEN: dict[str, Any] = {"index": 0, "text": '{"name": ', "span": (9, 9)}
UNTIMELY = {"name": "x", "songs": [{"title": "y", "seconds": -1}]}
OTHER, OURS = Call("Other", {"name": "x"}), Call("Album", HORSES)
WRONG: dict[str, tuple[Turn, bool, type[Exception], dict[str, Any]]] = {
    # the turn, whether several objects are asked for, the error, and what it carries
    "no call": (Turn(["There is ", "no album."]), False, NoToolCallError, {}),
    "cut off": (Turn(pieces(GOOD[:70])), False, IncompleteObjectError, {}),
    "malformed later": (Turn(pieces(GOOD.replace('"songs": [', '"songs": ]'))), False, MalformedObjectError, {}),
    "another tool": (Turn([], [OTHER]), False, UnknownToolError, {"name": "Other", "known": ("Album",)}),
    "another tool first": (Turn([], [OTHER, OURS]), False, UnknownToolError, {"name": "Other", "known": ("Album",)}),
    "another tool last": (Turn([], [OURS, OTHER]), True, UnknownToolError, {"name": "Other", "known": ("Album",)}),
    "malformed": (Turn(pieces(BAD)), False, MalformedObjectError, BROKEN),
    "malformed first": (Turn(pieces(BAD + GOOD)), False, MalformedObjectError, BROKEN),
    "malformed first of two": (Turn(pieces(BAD + GOOD)), True, MalformedObjectError, BROKEN),
    "malformed last of two": (Turn(pieces(GOOD + BAD)), True, MalformedObjectError, BROKEN | {"index": 1}),
    # The error's text, or an object of another class, must never be returned as the object.
    "not valid": (Turn(pieces(leaked(UNTIMELY))), False, InvalidObjectError, {"text": json.dumps(UNTIMELY)}),
}


@pytest.mark.sampled(7, each="way")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("turn", "parallel", "kind", "carries"), WRONG.values(), ids=WRONG)
def test_5_the_same_error_every_way(
    way: str, turn: Turn, parallel: bool, kind: Any, carries: dict[str, Any], llm: Served, server: Loopback
) -> None:
    server.play(turn)
    function = ToolOrchestratingLLM(Album, "x", llm, allow_parallel_tool_calls=parallel)
    with pytest.raises(kind) as caught:
        ask(function, server.url, way)
    error: Any = caught.value
    assert {name: getattr(error, name) for name in carries} == carries
    if kind is NoToolCallError:
        assert error.response.message.content == "There is no album."
        assert "no album" in str(error)
    if kind is IncompleteObjectError:
        assert error.text.startswith('{"name": "Horses"')
    if kind is InvalidObjectError:
        assert error.errors()[0]["loc"] == ("songs", 0, "seconds")
        assert error.text[slice(*error.spans[0])] == "-1"


class Disc(BaseModel):
    name: str
    songs: list[Song]
    year: int | None = None


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)

    day: date
    pair: tuple[int, str]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("output_cls", "arguments"),
    [
        (Disc, {"name": "a", "songs": '[{"title": "x", "seconds": 1}]', "year": "null"}),
        (Strict, {"day": "2020-01-01", "pair": [1, "a"]}),
    ],
    ids=["texts", "strict"],
)
def test_6_objects_are_validated_alike_every_way(
    way: str, output_cls: Any, arguments: Any, llm: Served, server: Loopback
) -> None:
    server.play(Turn([], [Call(output_cls.__name__, arguments)]))
    assert type(ask(ToolOrchestratingLLM(output_cls, "x", llm), server.url, way)) is output_cls


def test_options_of_its_own_are_no_options_of_the_model(llm: Served, server: Loopback) -> None:
    for way in WAYS:
        server.play(Turn([], [Call("Album", HORSES)]))
        own = {"verbose": True, "error_on_tool_error": False, "error_on_no_tool_call": False, "seed": 1}
        assert ask(ToolOrchestratingLLM(Album, "x", llm), server.url, way, llm_kwargs=own) == EXPECTED
        sent = server.requests[-1][1]
        options = {name: value for name, value in sent.items() if name in {"temperature", "seed", "verbose"}}
        assert (sent["options"] if isinstance(llm, Ollama) else options) == {"temperature": 0.75, "seed": 1}


def test_7_there_is_an_output_to_take() -> None:
    with pytest.raises(OutputError) as caught:
        AgentChatResponse(response="x").parse_tool_outputs()
    assert isinstance(caught.value, IndexError | ValueError)
    with pytest.raises(OutputError):
        AgentChatResponse().parse_tool_outputs(allow_parallel_tool_calls=True)


def test_arguments_of_the_model_are_passed_on_and_left_alone() -> None:
    given = {"temperature": 0.5}
    answer = ChatResponse(message=Message.from_str("no", "assistant"))
    model = NoFunctions(answer, calls=True)
    function = ToolOrchestratingLLM(Album, "An album of {artist}", model, tool_choice="any")
    for way in (function, function.stream_call):
        with pytest.raises(NoToolCallError):
            list(way(llm_kwargs=given, artist="x"))
    with pytest.raises(NoToolCallError):
        asyncio.run(function.acall(llm_kwargs=given, artist="x"))
    assert given == {"temperature": 0.5}
    for asked in model.asked:
        assert (asked["temperature"], asked["tool_choice"], asked["single_call"]) == (0.5, "any", True)


@pytest.mark.parametrize("kind", ["Ollama", "OpenAICompatible"])
def test_system_prompts_are_sent_in_every_form(kind: str, server: Loopback) -> None:
    # In the asynchronous form too.
    for way in WAYS:
        server.play(Turn([], [Call("Album", HORSES)]))
        with new(kind, server.url, system_prompt="Be brief.") as llm:
            ask(ToolOrchestratingLLM(Album, "x", llm), server.url, way)
        assert server.requests[-1][1]["messages"][0] == {"role": "system", "content": "Be brief."}


# -- objects in text -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["call", "acall"])
def test_text_completion(way: str, llm: Served, server: Loopback) -> None:
    server.play(Turn(["Here it is:\n```json\n", json.dumps(HORSES), "\n```\nEnjoy {it}!"]), Turn(["No."]))
    prompt = ChatPromptTemplate([("system", "Be brief."), ("user", "An album of {artist}")])
    function = TextCompletionLLM(output_parser=PydanticParser(Album), prompt=prompt, llm=llm)
    assert ask(function, server.url, way, artist="x") == EXPECTED
    sent = server.requests[-1][1]["messages"]
    assert sent[0] == {"role": "system", "content": "Be brief."}
    assert sent[1]["content"].startswith("An album of x\n")
    assert '"songs"' in sent[1]["content"]
    with pytest.raises(ParseError, match=r"no JSON object for Album in: 'No\.'"):
        ask(function, server.url, way, artist="x")


def test_line_breaks_in_strings_are_taken() -> None:
    assert PydanticParser(Album).parse('{"name": "a\nb"}') == Album(name="a\nb")


def test_text_completion_without_chat() -> None:
    model = NoFunctions(ChatResponse(message=Message.from_str(json.dumps(HORSES), "assistant")))
    function = TextCompletionLLM(output_parser=PydanticParser(Album), prompt="x", llm=model)
    assert function() == EXPECTED
    assert asyncio.run(function.acall()) == EXPECTED
    assert function.output_cls is Album


@pytest.mark.parametrize(
    "text",
    [
        "{}", "{json}", "```json\n{}\n```", "An album {of}: {json}.", '{"a": {"b": 1}} {json}', "[{json}]",
        "x {json", "{json}{json}", 'The character {" opens an object. {json}', '{" { {json}',
        '<think>{"name": "a draft"}</think>{json}', '{"name": "a draft"}, or so.</think>\n{json}',
        "<think>{json}</think>So it is.",
    ],
)  # fmt: skip
def test_objects_are_found_in_text(text: str) -> None:
    text = text.replace("{json}", json.dumps(HORSES)).replace("{json", json.dumps(HORSES)[:-1])
    parser = PydanticParser(Album)
    if json.dumps(HORSES) in text:
        assert parser.parse(text) == EXPECTED
    else:
        with pytest.raises(ParseError) as caught:
            parser.parse(text)
        assert caught.value.text == text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("piece", ["{", '{"', '{"a', '{"a": {', '{"a": "{', "{}", '{" {'])
def test_objects_are_looked_for_in_linear_time(piece: str) -> None:
    def search(count: int) -> Callable[[], None]:
        def run() -> None:
            with contextlib.suppress(ParseError):
                PydanticParser(Album).parse(piece * count)

        return run

    size = 100 if depth.is_full() else 20
    assert calls_made(search(size * 10)) < calls_made(search(size)) * 11


def test_an_object_that_is_not_valid_is_the_cause() -> None:
    with pytest.raises(ParseError, match="no Album in the answer") as caught:
        PydanticParser(Album).parse('Here: {"name": 5}')
    cause = caught.value.__cause__
    assert isinstance(cause, InvalidObjectError)
    assert cause.text[slice(*cause.spans[0])] == "5"


def test_what_is_no_text_stays_in_the_prompt() -> None:
    llm = MagicMock()
    llm.chat.return_value = ChatResponse(message=Message.from_str('{"name": "a"}', Role.MODEL))
    image = OtherChunk(data={"type": "image"})
    prompt = ChatPromptTemplate([Message(chunks=[TextChunk(content="{x}"), image])])
    assert TextCompletionLLM(output_parser=PydanticParser(Album), prompt=prompt, llm=llm)(x="it") == Album(name="a")
    chunks = llm.chat.call_args.args[0][-1].chunks
    assert chunks[0].content.startswith("it")
    assert chunks[1:] == [image]


def test_jinja_may_have_defaults() -> None:
    for text, filled in (
        ("{{ x|default('d') }}", "d"),
        ("{% if x is defined %}{{ x }}{% endif %}.", "."),
        ("{{ b }}{{ a }}", None),
    ):
        template = PromptTemplate(text, template_format="jinja2")
        if filled is None:
            assert template.template_vars == ("b", "a")
            with pytest.raises(MissingVariablesError) as caught:
                template.format(a=1)
            assert caught.value.missing == ("b",)
        else:
            assert template.format() == filled


def test_formats_may_hold_variables() -> None:
    template = PromptTemplate("{x:>{width}}")
    assert (template.template_vars, template.format(x="a", width=3)) == (("x", "width"), "  a")
    other: Any = "mustache"
    with pytest.raises(PromptError, match="template_format='mustache' is not valid: pass 'f-string' or 'jinja2'"):
        PromptTemplate("{a}", template_format=other)


def test_templates() -> None:
    plain = PromptTemplate("{a} and {b:>3} and {{c}}", partial_variables={"a": 1})
    assert (plain.template_vars, plain.format(b="x"), plain.get_template()) == (
        ("a", "b"),
        "1 and   x and {c}",
        "{a} and {b:>3} and {{c}}",
    )
    assert plain.partial_format(b=2).format() == "1 and   2 and {c}"
    fancy = PromptTemplate("{% for x in xs %}{{ x }};{% endfor %}", template_format="jinja2")
    assert (fancy.template_vars, fancy.format(xs=[1, 2])) == (("xs",), "1;2;")
    assert fancy.format_messages(xs=[])[0].content == ""
    chat = ChatPromptTemplate([("system", "{a}"), Message.from_str("{b}")]).partial_format(a="s")
    assert [(each.role.value, each.content) for each in chat.format_messages(b="u")] == [("system", "s"), ("user", "u")]
    assert (chat.format(b="u"), chat.get_template()) == ("system: s\nuser: u", "system: {a}\nuser: {b}")
    with pytest.raises(PromptError, match="broken"):
        PromptTemplate("{% for %}", template_format="jinja2")
    with pytest.raises(PromptError, match="cannot be filled"):
        PromptTemplate("{a:d}").format(a="x")
    with pytest.raises(PromptError):
        PromptTemplate("{{ ''.__class__.__mro__ }}", template_format="jinja2").format()
