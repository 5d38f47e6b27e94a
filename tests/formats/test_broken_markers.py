# Calls whose markers lost their beginning. Does not depend on how they are declared.
"""Markers without their beginning."""

from __future__ import annotations

import pytest

from tests.support.chunkings import calls_of, content_of, read_with

TOOLS = [
    {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    }
]
JSON_CALL = '{"name": "weather", "arguments": {"city": "Oslo"}}'

READ = {
    "invoke": ('invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>', "minimax-m2"),
    "invoke, and the section's end": ('invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</function_calls>', "anthropic"),
    "all angle brackets": (
        '<minimax:tool_call>\ninvoke name="weather">\nparameter name="city">Osloparameter>\ninvoke>\n</minimax:tool_call>',
        "minimax-m2",
    ),
    "function=": ("function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>", "qwen3-coder"),
    "function= in its wrapper": ("<tool_call>\nfunction=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>", "qwen3-coder"),
    "the name in the tag of a parameter": (
        "<tool_call>\n<parameter=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
        "qwen3-coder",
    ),
    "the name without a tag": ("<tool_call>\nweather\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>", "qwen3-coder"),
    "the name in a tag of its own": (
        "<tool_call>\n<tool_name>weather</tool_name>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
        "qwen3-coder",
    ),
    "a language before the JSON": (f"<tool_call>\njson\n{JSON_CALL}\n</tool_call>", "hermes"),
    "the arguments without a marker": ('<|tool_call_begin|>functions.weather:0{"city": "Oslo"}<|tool_call_end|>', "kimi-k2"),
    "a call of Python behind a marker": ('<|python_tag|>weather(city="Oslo")', "llama3-json"),
    "tool_call>": (f"tool_call>\n{JSON_CALL}\n</tool_call>", "hermes"),
    "tool_call> and keys": ("tool_call>weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>", "glm-4.7"),
    "<tool_call": (f"<tool_call\n{JSON_CALL}\n</tool_call>", "hermes"),
    "TOOL_CALLS]": ('TOOL_CALLS]weather[ARGS]{"city": "Oslo"}', "mistral-v13"),
    "TOOL_CALLS] and a list": (f"TOOL_CALLS][{JSON_CALL}]", "mistral-v3"),
    "tool_call_begin|>": ('tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|>', "kimi-k2"),
    "nothing before the name (GLM)": ("weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>", "glm-4.7"),
    "nothing before the name (DeepSeek)": ('weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>', "deepseek-v3.1"),
    "special tokens removed (DeepSeek)": ('function\nweather\n```json\n{"city": "Oslo"}\n```', "deepseek-v3"),
    "white space around the name (Mistral)": ('[TOOL_CALLS] weather [ARGS] {"city": "Oslo"}', "mistral-v13"),
    "white space around the name (Gemma)": ('<|tool_call>\ncall: weather{city: <|"|>Oslo<|"|>}\n<tool_call|>', "gemma-4"),
    "ReAct with parentheses": ('Action: weather ({"city": "Oslo"})', "react"),
}  # fmt: skip


def read(text: str, name: str) -> list[tuple[str, object]]:
    events = read_with(TOOLS, text, format=name)
    assert calls_of(events) == [] or content_of(events).strip() in {"", "I look."}, content_of(events)
    return calls_of(events)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ["auto", "xlam", "hermes", "llama3-json", "tool-call-fence"])
@pytest.mark.parametrize("word", ["", "json", "tool_call"])
def test_a_fence_that_opens_the_turn(word: str, name: str) -> None:
    assert read(f"```{word}\n{JSON_CALL}\n```\n", name) == [("weather", {"city": "Oslo"})]
    assert read(f"I look.\n```{word}\n{JSON_CALL}\n```\n", name) == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", READ)
@pytest.mark.parametrize("by_name", [True, False], ids=["by name", "auto"])
def test_read_at_the_start_of_the_turn(case: str, by_name: bool) -> None:
    text, name = READ[case]
    assert read(text, name if by_name else "auto") == [("weather", {"city": "Oslo"})]


@pytest.mark.parametrize("name", ["react", "lost-brackets", "auto"])
@pytest.mark.parametrize(
    "text",
    [
        'Write Action: weather\nAction Input: {"city": "Oslo"}',
        'Write invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>',
    ],
)
def test_text_in_the_middle_of_a_line(text: str, name: str) -> None:
    assert read(text, name) == []


@pytest.mark.parametrize("case", [case for case in READ if not case.startswith(("nothing", "special"))])
def test_read_at_the_beginning_of_a_line(case: str) -> None:
    assert read("I look.\n\n" + READ[case][0], "auto") == [("weather", {"city": "Oslo"})]


@pytest.mark.parametrize(
    "text",
    [
        'Write invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>',
        '`invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>`',
        'The form:\n\n```\ninvoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n```',
        'invoke name="wether">\n<parameter name="city">Oslo</parameter>\n</invoke>',
        'invoke name="weather">\n<parameter name="city">Os', "function=weather> is what stays of the tag.",
        "tool_call> weather", "weather < 5", "Use\nAction: weather (it takes a city)\nand wait.",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["auto", "anthropic", "qwen3-coder"])
def test_left(text: str, name: str) -> None:
    assert read(text, name) == []
