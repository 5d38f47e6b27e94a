# VLLM's serving layer, from the names of parsers to the fields of an answer, and turns whose right
# answer is known because `render` wrote them.
# Does not depend on how either side reads.
#
#   python serving.py [file]    the table; the file gets each wrong answer of vLLM's own parsers
#
# vLLM's own rows are no verdict on vLLM: the tokenizers are stand-ins, and some of its parsers want more of them.
"""Turns through vLLM's serving layer, with toolglean's parsers and with vLLM's own."""

from __future__ import annotations

import collections
import json
import logging
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import offline_tokenizers

offline_tokenizers.install()
logging.disable(logging.CRITICAL)

from vllm.entrypoints.openai.chat_completion.message_assembly import assemble_chat_message_fields
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.entrypoints.openai.chat_completion.stream_processor import ChatStreamProcessor
from vllm.parser.parser_manager import ParserManager
from vllm.plugins import load_general_plugins
from vllm.reasoning import _REASONING_PARSERS_TO_REGISTER as REASONINGS
from vllm.tool_parsers import _TOOL_PARSERS_TO_REGISTER as TOOLS_OF_VLLM
from vllm.tool_parsers import ToolParserManager

from toolglean import ToolSet, render
from toolglean.errors import ToolgleanError
from toolglean.formats.registry import find_format

PROMPT = "user: hi\nassistant:"
WAYS = ("whole", "token", "1-6 tokens", "one delta")


def _tool(name: str, required: list[str], **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


TEXT, WHOLE, YES = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
TOOLS = [
    _tool("get_weather", ["city"], city=TEXT, unit=TEXT, days=WHOLE),
    _tool("write_file", ["path", "text"], path=TEXT, text=TEXT, force=YES, lines={"type": "array", "items": WHOLE}),
]
CALLS: list[list[tuple[str, dict[str, Any]]]] = [
    [("get_weather", {"city": "Oslo"})],
    [("get_weather", {"city": "a \"b\" 'c' <d> 3 < 4", "days": -12})],
    [
        (
            "write_file",
            {"path": "x.py", "text": 'def f(a):\n    return a < 3 and "q\\n"', "force": True, "lines": [1, 2]},
        )
    ],
    [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome", "days": 1})],
]


class Answer(NamedTuple):
    """What a client gets."""

    content: str
    reasoning: str
    calls: list[tuple[str, str]]


class Turn(NamedTuple):
    """A turn, and the answer that is right."""

    text: str
    calls: list[tuple[str, dict[str, Any]]]
    content: str
    reasoning: str


def turns_of(declared: Any, *, reasons: bool) -> Iterator[Turn]:
    """Turns of that format: calls with and without text before them, after reasoning if the format has it."""
    for calls in CALLS:
        for content in ("", "I will look."):
            reasoning = "Let me see." if reasons else ""
            try:
                text = render(declared, calls, content=content, reasoning=reasoning, tools=ToolSet(TOOLS))
            except ToolgleanError:
                continue
            yield Turn(text, calls, content, reasoning)


def deltas_of(tokenizer: Any, text: str, way: str) -> Iterator[tuple[str, list[int]]]:
    """The text as the detokenizer delivers it: a character whose bytes are cut waits for the rest of them."""
    ids = tokenizer.encode(text, add_special_tokens=False)
    luck, place, sent = random.Random(5), 0, ""
    waiting: list[int] = []
    while place < len(ids):
        step = {"token": 1, "1-6 tokens": luck.randint(1, 6)}.get(way, len(ids))
        waiting += ids[place : place + step]
        place += step
        now = tokenizer.decode(ids[:place], skip_special_tokens=False)
        if now.endswith("\ufffd") and place < len(ids):
            continue
        yield now[len(sent) :], waiting
        sent, waiting = now, []


def streamed(parser_class: Any, tokenizer: Any, request: Any, text: str, way: str) -> Answer:
    """The answer of a stream."""
    parser = parser_class(tokenizer, request.tools, chat_template_kwargs={}, model_config=None)
    processor = ChatStreamProcessor(request, parser, enable_auto_tools=True, parser_cls=parser_class)
    prompt = tokenizer.encode(PROMPT, add_special_tokens=False)
    content, reasoning = "", ""
    calls: dict[int, list[str]] = {}
    deltas = list(deltas_of(tokenizer, text, way))
    for number, (piece, ids) in enumerate(deltas, 1):
        delta = processor.step(piece, ids, "stop" if number == len(deltas) else None, prompt).delta
        if delta is None:
            continue
        content += delta.content or ""
        reasoning += delta.reasoning or ""
        for part in delta.tool_calls:
            call = calls.setdefault(part.index, ["", ""])
            call[0] += part.function.name or ""
            call[1] += part.function.arguments or ""
    return Answer(content, reasoning, [(name, arguments) for _, (name, arguments) in sorted(calls.items())])


def whole(parser_class: Any, tokenizer: Any, request: Any, text: str) -> Answer:
    """The answer of a request that does not stream."""
    parser = parser_class(tokenizer, request.tools, chat_template_kwargs={}, model_config=None)
    parser.set_prompt_token_ids(tokenizer.encode(PROMPT, add_special_tokens=False))
    ids = tokenizer.encode(text, add_special_tokens=False)
    reasoning, content, calls = parser.parse(text, request, enable_auto_tools=True, model_output_token_ids=ids)
    fields = assemble_chat_message_fields(
        request, reasoning, content, calls, enable_auto_tools=True, parser_cls=parser_class
    )
    named = [(call.function.name, call.function.arguments) for call in fields.tool_calls]
    return Answer(fields.content or "", fields.reasoning or "", named)


def verdict(answer: Answer, turn: Turn) -> str:
    """What is wrong with an answer; "" if it is right. White space at the edges is each engine's own policy."""
    try:
        calls = [(name, json.loads(arguments)) for name, arguments in answer.calls]
    except ValueError:
        return "arguments"
    if calls != turn.calls:
        return "calls"
    if answer.content.strip() != turn.content.strip():
        return "content"
    return "" if answer.reasoning.strip() == turn.reasoning.strip() else "reasoning"


def answer_of(parser_class: Any, tokenizer: Any, text: str, way: str, **more: Any) -> Answer:
    """The answer to a request with the tools."""
    request = ChatCompletionRequest(
        model="m", messages=[{"role": "user", "content": "hi"}], tools=TOOLS, **{"tool_choice": "auto", **more}
    )
    if way == "whole":
        return whole(parser_class, tokenizer, request, text)
    return streamed(parser_class, tokenizer, request, text, way)


def pairs() -> Iterator[tuple[str, Any, str | None]]:
    """The tool parsers of vLLM that read a format of the library, with the reasoning parser of the same family."""
    for name in TOOLS_OF_VLLM:
        declared = find_format(name)
        if declared is not None:
            same = (each for each in REASONINGS if find_format(each) is declared)
            yield name, declared, name if name in REASONINGS else next(same, None)


def parser_of(tool_name: str, reasoning_name: str | None, tokenizer: Any) -> Any:
    """The class that a server makes of these flags; None where it would not start."""
    try:
        return ParserManager.get_parser(
            tool_parser_name=tool_name,
            reasoning_parser_name=reasoning_name,
            enable_auto_tools=True,
            tokenizer=tokenizer,
        )
    except (TypeError, ImportError):  # the tokenizer lacks something, or a package is missing
        return None


def table() -> tuple[dict[tuple[str, str], collections.Counter[str]], list[str]]:
    """How many answers were right, by side and way; and the wrong ones."""
    counts: dict[tuple[str, str], collections.Counter[str]] = collections.defaultdict(collections.Counter)
    wrong: list[str] = []
    for name, declared, reasoning in pairs():
        tokenizer = offline_tokenizers.tokenizer_of(name)
        reasons = bool(reasoning and declared.reasoning[0])
        ours = f"toolglean-{declared.name}"
        sides = {"toolglean": (ours, ours if reasons else None), "vLLM": (name, reasoning if reasons else None)}
        for side, flags in sides.items():
            parser_class = parser_of(*flags, tokenizer)
            if parser_class is None:
                wrong.append(f"{side} {name}: the server does not start")
                continue
            for turn in turns_of(declared, reasons=reasons):
                for way in WAYS:
                    try:
                        answer = answer_of(parser_class, tokenizer, turn.text, way)
                        said = verdict(answer, turn)
                    except Exception as error:  # noqa: BLE001  # what a parser raises is its answer
                        answer, said = None, type(error).__name__
                    counts[side, way]["right" if not said else "wrong"] += 1
                    if said:
                        wrong.append(f"{side} {name} {way}: {said}: {turn.text!r:.300} -> {answer!r:.300}")
    return counts, wrong


def cost() -> None:
    """Microseconds a delta, one token each, both sides in turn: the shortest of five runs."""
    words = " ".join(f"word{number} is < {number} and" for number in range(400))
    for name, reasoning in (("hermes", "qwen3"), ("qwen3_coder", "qwen3"), ("llama3_json", None), ("pythonic", None)):
        declared = find_format(name)
        tokenizer = offline_tokenizers.tokenizer_of(name)
        size = 1000 if name == "pythonic" else 10000
        call = [("write_file", {"path": "x", "text": words[:size]})]
        text = render(declared, call, tools=ToolSet(TOOLS))
        ours = f"toolglean-{declared.name}"
        shown = []
        for flags in ((ours, ours if reasoning else None), (name, reasoning)):
            parser_class = parser_of(*flags, tokenizer)
            shown.append(min(_timed(parser_class, tokenizer, text) for _ in range(1 if name == "llama3_json" else 3)))
        print(f"{name:12} {len(text):6} characters  toolglean {shown[0]:8.1f}  vLLM {shown[1]:8.1f} µs a delta")


def _timed(parser_class: Any, tokenizer: Any, text: str) -> float:
    # Deltas of four characters, about a token each; the detokenizer's work is not counted.
    request = ChatCompletionRequest(
        model="m", messages=[{"role": "user", "content": "hi"}], tools=TOOLS, tool_choice="auto"
    )
    parser = parser_class(tokenizer, request.tools, chat_template_kwargs={}, model_config=None)
    processor = ChatStreamProcessor(request, parser, enable_auto_tools=True, parser_cls=parser_class)
    pieces = [text[place : place + 4] for place in range(0, len(text), 4)]
    begin = time.process_time()
    for number, piece in enumerate(pieces, 1):
        processor.step(piece, [5], "stop" if number == len(pieces) else None, [6])
    return (time.process_time() - begin) / len(pieces) * 1e6


def load() -> None:
    """Load plugins as vLLM does, by their entry points."""
    load_general_plugins()
    assert "toolglean" in ToolParserManager.list_registered(), "the entry point of toolglean is not installed"


def main() -> int:
    """The table; 1 if an answer of toolglean's was wrong."""
    load()
    if sys.argv[1:] == ["cost"]:
        cost()
        return 0
    counts, wrong = table()
    print("| | " + " | ".join(WAYS) + " |\n|---|" + "---|" * len(WAYS))
    for side in ("toolglean", "vLLM"):
        cells = [f"{counts[side, way]['right']} of {counts[side, way].total()}" for way in WAYS]
        print(f"| {side} | " + " | ".join(cells) + " |")
    ours = [each for each in wrong if each.startswith("toolglean")]
    print("\n".join(ours))
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text("\n".join(wrong), encoding="utf-8")
    return 1 if ours else 0


if __name__ == "__main__":
    sys.exit(main())
