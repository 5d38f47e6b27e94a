# What Google's models write.
"""Gemma 4, FunctionGemma, the fences of Gemma 3 and Gemini."""

from __future__ import annotations

from toolglean.formats.spec import Format, Quoted

FORMATS = (
    Format(
        "gemma-4",
        call="<|tool_call>call:{name}{arguments}<tool_call|>",
        also=(
            *("<|tool_call>:{name}{arguments}<tool_call|>", "<|tool_call>{name}{arguments}<tool_call|>"),
            "<|tool_call>{ws}call:{ws}{name}{ws}{arguments}{ws}<tool_call|>",
            "<|tool_call>:call:{name}{arguments}<tool_call|>",
            "<|tool_call>call:{call}<tool_call|>",  # JSON, after another model's prompt
            *("<|tool_call|>call:{name}{arguments}<|tool_call|>", "<|tool_call|>call:{call}<|tool_call|>"),
            *("<tool_call:{name}{arguments}<tool_call|>", "<tool_call:{name}{arguments}><tool_call|>"),
        ),
        without_special_tokens=(
            *("call:{name}{arguments}", "call:default_api:{name}{arguments}", "call:{call}"),
            *("declaration:{name}{arguments}", "declaration:default_api:{name}{arguments}"),
        ),
        arguments=Quoted('<|"|>'),
        reasoning=("<|channel>thought\n", "<channel|>"),
        reasonings=(
            *(("<|channel>", "<channel|>"), ("<|channel><|channel>thought\n", "<channel|>")),
            ("<unused94>thought\n", "<unused95>"),
        ),
        drop=("<turn|>", "<|tool_response>", "<tool_response|>", "<eos>", "<|turn>model\n"),
        aliases=("gemma4", "gemma4-no-thinking"),
        models=(
            *("gemma-4", "darwin-4b-david", "darwin-4b-genesis", "darwin-31b"),
            *("otel-*-31b", "otel-*-e4b", "diffusion-gemma", "diffusiongemma"),
        ),
        source="chat template of google/gemma-4-31B-it",
    ),
    # What is left of such a call, or what Gemini writes in its place: words that only a known tool's name makes a
    # call. The word before `default_api:` may be anything.
    Format(
        "gemma-verbal",
        call="<call:{name}{arguments}/>",
        also=(
            "<call:{name}{arguments}>",
            *("<call:default_api:{name}{arguments}/>", "<call:default_api:{name}{arguments}>"),
            *("default_api:{name}{arguments}", "call:default_api:{name}{arguments}"),
        ),
        separator="\n",
        arguments=Quoted('<|"|>', commas=True),
        registered_only=True,
        at_turn_end=True,
        source="issue threads: Gemma 4 and Gemini",
    ),
    Format(
        "functiongemma",
        call="<start_function_call>call:{name}{arguments}<end_function_call>",
        also=("<start_function_call>call:{name}{arguments}</end_function_call>",),
        arguments=Quoted("<escape>", all=True),
        drop=("<end_of_turn>", "<start_of_turn>model\n", "<start_function_response>", "<eos>"),
        models=("functiongemma",),
        source="chat template of google/functiongemma-270m-it",
    ),
    # How a history is shown to Gemini 3, which it then writes itself.
    Format(
        "call-record",
        call='<call_record tool="{name}">\n{parameters}</call_record>',
        separator="\n",
        parameter='<parameter name="{key}">{value}</parameter>\n',
        source="issue threads: Gemini 3, after a history of calls written as text",
    ),
    # Python in a fence of its own: prompts ask for it, and models go on with it where nobody did.
    Format(
        "tool-code",
        section=("```tool_code\n", "\n```"),
        sections=(("<tool_code>\n", "\n</tool_code>"),),
        call="{name}({keywords})",
        also=("<tool_code>{call}</tool_code>",),
        without_special_tokens=(
            "print({name}({keywords}))",
            *("default_api.{name}({keywords})", "functions.{name}({keywords})"),
            "print(default_api.{name}({keywords}))",
            *("tool_code{ws}print(default_api.{name}({keywords}))", "tool_code{ws}print({name}({keywords}))"),
        ),
        separator="\n",
        drop=("<end_of_turn>", "<start_of_turn>model\n"),
        registered_only=True,
        source="https://ai.google.dev/gemma/docs/capabilities/function-calling; issue threads",
    ),
)
