# The names that a server's flags accept, and which format each of them means. Does not load any format: an engine
# registers these names in each of its processes, and should not wait for the library. So the names are a copy, which
# `python -m tests.support.engine_names` makes from the declarations; a test compares the two.
"""The names of toolglean's parsers in an engine."""

from __future__ import annotations

from typing import Any

__all__ = ["ANY", "FORMATS", "PREFIX", "classes_of", "format_of", "parser_names"]

ANY = "toolglean"
"""The parser that learns the format from the model: from its chat template or its name, otherwise from each turn."""

PREFIX = "toolglean-"
"""The prefix of the name of a parser for one format: `toolglean-hermes`."""

FORMATS: tuple[str, ...] = tuple(
    """
    hermes qwen3-coder mimo seed-oss doubao-seed longcat apriel llama3-json llama4 llama4-pythonic pythonic
    functionary-v2 functionary-v3.1 functionary-v3.2 firefunction nemotron nemotron-mini muse deepseek-v3
    deepseek-v3.1 cogito deepseek-v3.2 deepseek-v4 deepseek-v4.1 dsml-ascii glm-4 glm-4.5 glm-4.7 glm-5.3-flash
    ling-3 laguna spark-2.5 spark-x2.5 telechat-4 iquest-q1 iquest-coder-v2 hunyuan-3 hunyuan-3-opensource
    hunyuan-4 k2-horizon anthropic anthropic-antml litellm minimax-m1 minimax-m2 minimax-m3 minimax-arrows kimi-k2
    kimi-k2-stripped kimi-k3 mistral-v13 mistral-v11 mistral-v3 gemma-4 gemma-verbal functiongemma call-record
    tool-code harmony llm-jp-harmony beam command-a command-r granite-3 granite-20b-fc granite-pythonic granite-4
    apertus dots ernie-4.5 cwm gigachat-3 gigachat-3.1 gigachat-3.5 hunyuan-a13b hunyuan-dense hyperclovax-think
    inkling internlm jamba lfm2 minicpm-3 minicpm-5 olmo-3 pangu-embedded phi-4-mini plamo-3 rwkv sarashina solar
    solar-open2 step-3 step-audio-2 step-3.5 xlam xlam-object raven tool-tags mcp-tags continue gptme lm-studio
    json-input prompt-tags bracket-calls bracket-records react qwen-agent ui-tars tool-call-pythonic localai
    react-call tool-call-fence escaped-markup lost-brackets lost-openers
    """.split()  # noqa: SIM905  # a hundred names, with quotes around each, are a hundred lines
)
"""The formats of the library."""


def parser_names() -> tuple[str, ...]:
    """All names: `toolglean`, and `toolglean-<format>` for each format of the library."""
    return (ANY, *(PREFIX + name for name in FORMATS))


def classes_of(base: type[Any]) -> dict[str, type[Any]]:
    """A class for each name, with its format in `format_name`: some engines make a parser from its class alone.

    Args:
        base: the class of all these parsers.
    """
    own = {"__module__": base.__module__}
    return {name: type(base.__name__, (base,), {"format_name": format_of(name), **own}) for name in parser_names()}


def format_of(parser_name: str) -> str:
    """The format in a parser's name; "" for `toolglean`, which learns it from the model.

    Args:
        parser_name: one of `parser_names`, or `toolglean-` and the name of one of your own formats.
    """
    return parser_name.removeprefix(PREFIX) if parser_name.startswith(PREFIX) else ""
