"""`OpenAICompatible(grammar=…)`: the request makes the server write calls that can be read and match the schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")


from tests.llm.models import Cold
from tests.support.loopback import Loopback, Turn
from toolglean.errors import UsageError
from toolglean.grammar import grammar_of
from toolglean.llm import ConfigurationError, Message, OpenAICompatible, ToolOrchestratingLLM

HI = [Message.from_str("Is it cold?")]
GLM = "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>"


def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"cold in {city}"


SCHEMA: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def new(server: Loopback, grammar: Any, **fields: Any) -> OpenAICompatible:
    return OpenAICompatible("zai-org/GLM-4.5", base_url=f"{server.url}/v1", grammar=grammar, **fields)


def asked(server: Loopback) -> dict[str, Any]:
    found: dict[str, Any] = server.requests[-1][1]
    return found


@pytest.mark.parametrize("grammar", ["vllm", "sglang"])
@pytest.mark.parametrize("stream", [True, False])
def test_a_structural_tag_beside_tools(grammar: str, stream: bool, server: Loopback) -> None:
    server.play(Turn(list(GLM)))
    with new(server, grammar) as llm:
        answers = list(llm.stream_chat(HI, tools=[SCHEMA])) if stream else [llm.chat(HI, tools=[SCHEMA])]
    assert [(call.name, call.arguments) for call in answers[-1].tool_calls] == [("get_weather", {"city": "Oslo"})]
    body = asked(server)
    assert body["response_format"] == grammar_of("glm-4.5", [SCHEMA["function"]]).structural_tag()
    assert (body["tools"], body["tool_choice"], body["skip_special_tokens"]) == ([SCHEMA], "none", False)


def test_gbnf_and_the_tools_in_the_prompt(server: Loopback) -> None:
    server.play(Turn([GLM]))
    with new(server, "llama.cpp") as llm:
        found = llm.predict_and_call([get_weather], HI, tool_choice="required")
    assert found.parse_tool_outputs() == "cold in Oslo"
    body = asked(server)
    expected = grammar_of("glm-4.5", [_tool()], choice="required", parallel=False)
    assert body["grammar"] == expected.gbnf()
    assert not {"tools", "tool_choice", "response_format", "skip_special_tokens"} & body.keys()
    told = body["messages"][0]["content"]
    assert '"get_weather"' in told
    assert "<arg_key>name_of_a_parameter</arg_key>" in told  # as this model writes a call


def _tool() -> dict[str, Any]:
    from toolglean.llm import CallableTool  # noqa: PLC0415

    return dict(CallableTool.from_function(get_weather).metadata.to_openai_tool()["function"])


@pytest.mark.parametrize(
    ("choice", "more", "expected"),
    [
        (None, {}, {"choice": "auto"}),
        ("auto", {"parallel_tool_calls": False}, {"choice": "auto", "parallel": False}),
        ("required", {}, {"choice": "required"}),
        ({"type": "function", "function": {"name": "get_weather"}}, {}, {"choice": "get_weather"}),
        ({"type": "function", "name": "get_weather"}, {}, {"choice": "get_weather"}),
        ("required", {"single_call": True}, {"choice": "required", "parallel": False}),
    ],
    ids=str,
)
def test_the_choice_of_tools_is_in_the_grammar(choice: Any, more: Any, expected: Any, server: Loopback) -> None:
    server.play(Turn([GLM]))
    with new(server, "vllm") as llm:
        llm.chat(HI, tools=[SCHEMA], **({} if choice is None else {"tool_choice": choice}), **more)
    tag = grammar_of("glm-4.5", [SCHEMA["function"]], **expected).structural_tag()
    assert asked(server)["response_format"] == tag
    assert "parallel_tool_calls" not in asked(server)


def test_options_of_the_grammar(server: Loopback) -> None:
    server.play(Turn([GLM]))
    with new(server, "sglang", grammar_options={"reasoning": True}, parser={"format": "qwen3-coder"}) as llm:
        llm.chat(HI, tools=[SCHEMA])
    tag = grammar_of("qwen3-coder", [SCHEMA["function"]], reasoning=True).structural_tag()
    assert json.dumps(asked(server)["response_format"]) == json.dumps(tag)


def test_without_tools_nothing_is_constrained(server: Loopback) -> None:
    server.play(*[Turn(["Yes."])] * 3)
    with new(server, "vllm", response_format=Cold) as llm:
        llm.chat(HI)
        assert asked(server)["response_format"]["type"] == "json_schema"
        llm.chat(HI, tools=[SCHEMA], tool_choice="none", response_format=None)
        assert "response_format" not in asked(server)
        assert asked(server)["tool_choice"] == "none"


def test_objects_are_enforced(server: Loopback) -> None:
    server.play(Turn(["<tool_call>Cold\n<arg_key>cold</arg_key>\n<arg_value>true</arg_value>\n</tool_call>"]))
    with new(server, "vllm") as llm:
        assert ToolOrchestratingLLM(Cold, "Is it?", llm, tool_choice="required")() == Cold(cold=True)
    assert asked(server)["response_format"]["type"] == "structural_tag"


# -- what is not possible ----------------------------------------------------------------------------------------------


def test_a_format_must_be_known() -> None:
    with pytest.raises(
        ConfigurationError, match=r"grammar='vllm' needs the format in which 'm' writes its calls.*parser="
    ):
        OpenAICompatible("m", grammar="vllm")
    with pytest.raises(ConfigurationError, match="grammar"):
        OpenAICompatible("qwen3:8b", grammar="tgi")
    with pytest.raises(ConfigurationError, match="'parallel' is unknown: pass 'reasoning' or 'strict'"):
        OpenAICompatible("qwen3:8b", grammar="vllm", grammar_options={"parallel": True})


@pytest.mark.parametrize(
    ("fields", "asked_for", "said"),
    [
        ({"response_format": Cold}, {}, "response_format=.* and grammar='vllm' exclude each other"),
        ({"json_mode": True}, {}, "json_mode and grammar='vllm' exclude each other in a chat with tools: leave one out"),
        ({}, {"tool_choice": "get_time"}, "grammar='vllm': choice='get_time' is not valid: pass .* or the name of a tool"),
    ],
    ids=str,
)  # fmt: skip
def test_what_excludes_itself(fields: Any, asked_for: Any, said: str, server: Loopback) -> None:
    with new(server, "vllm", **fields) as llm, pytest.raises(UsageError, match=said) as caught:
        llm.chat(HI, tools=[SCHEMA], **asked_for)
    assert isinstance(caught.value, ConfigurationError)
    assert server.requests == []


def test_a_schema_that_no_grammar_can_express(server: Loopback) -> None:
    function = SCHEMA["function"] | {
        "parameters": {"type": "object", "properties": {"city": {"type": "string", "pattern": "^(?=O).*$"}}}
    }
    tools = [{"type": "function", "function": function}]
    with new(server, "vllm") as llm, pytest.raises(ConfigurationError, match=r"grammar='vllm': .*city.*strict=False"):
        llm.chat(HI, tools=tools)
    server.play(Turn([GLM]))
    with new(server, "vllm", grammar_options={"strict": False}) as llm:
        assert llm.chat(HI, tools=tools).tool_calls
