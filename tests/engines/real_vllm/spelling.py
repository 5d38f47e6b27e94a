# Turns in which a call is spelled out in ordinary tokens before one whose markers their tokens wrote, through vLLM's
# serving layer. By the text alone, both are calls.
# Does not depend on how either is read.
#
#   python spelling.py    the table; 1 if toolglean's parser took a spelled-out call for a call
"""Spelled-out calls in vLLM, told apart by token ids."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import serving
from serving import PROMPT, TOOLS, ChatCompletionRequest, ChatStreamProcessor, offline_tokenizers, parser_of

from toolglean import ToolSet, render
from toolglean.formats.registry import get_format

FAMILIES = (
    *("hermes", "qwen3-coder", "glm-4.5", "kimi-k2", "deepseek-v3.1", "minimax-m2", "granite-4", "longcat", "mimo"),
    *("seed-oss", "step-3.5", "ernie-4.5"),
)
WAYS = ("token", "1-6 tokens", "one delta")
CALL = ("get_weather", {"city": "Oslo"})


def deltas_of(tokenizer: Any, ids: list[int], way: str) -> Iterator[tuple[str, list[int]]]:
    """These tokens as the detokenizer delivers them: a character whose bytes are cut waits for the rest of them."""
    luck, place, sent = random.Random(5), 0, ""
    while place < len(ids):
        step = {"token": 1, "1-6 tokens": luck.randint(1, 6)}.get(way, len(ids))
        now = tokenizer.decode(ids[: place + step], skip_special_tokens=False).rstrip("\ufffd")
        yield now[len(sent) :], ids[place : place + step]
        sent, place = now, place + step


def read(parser_class: Any, tokenizer: Any, deltas: list[tuple[str, list[int]]]) -> tuple[str, int]:
    """The content of the answer, and how many calls it has."""
    request = ChatCompletionRequest(
        model="m", messages=[{"role": "user", "content": "hi"}], tools=TOOLS, tool_choice="auto"
    )
    parser = parser_class(tokenizer, request.tools, chat_template_kwargs={}, model_config=None)
    processor = ChatStreamProcessor(request, parser, enable_auto_tools=True, parser_cls=parser_class)
    prompt = tokenizer.encode(PROMPT, add_special_tokens=False)
    content, calls = "", set()
    for number, (piece, ids) in enumerate(deltas, 1):
        delta = processor.step(piece, ids, "stop" if number == len(deltas) else None, prompt).delta
        if delta is not None:
            content += delta.content or ""
            calls |= {part.index for part in delta.tool_calls}
    return content, len(calls)


def main() -> int:
    """The table."""
    serving.load()
    tokenizer = offline_tokenizers.tokenizer_of("m")
    plain = tokenizer.backend_tokenizer
    right: Counter[tuple[str, bool]] = Counter()
    for name in FAMILIES:
        call = render(get_format(name), [CALL], tools=ToolSet(TOOLS))
        spelled = [each for char in call for each in plain.encode(char, add_special_tokens=False).ids]
        parts = ("So one writes ", " in prose. Now I call:\n")
        before, between, written = (tokenizer.encode(each, add_special_tokens=False) for each in (*parts, call))
        ids = [*before, *spelled, *between, *written]
        parser_class = parser_of(f"toolglean-{name}", None, tokenizer)
        for way in WAYS:
            deltas = list(deltas_of(tokenizer, ids, way))
            for known in (True, False):
                given = deltas if known else [(text, [0]) for text, _ in deltas]  # ids that write another text
                content, calls = read(parser_class, tokenizer, given)
                fine = calls == 1 and content.startswith(f"{parts[0]}{call}{parts[1].rstrip()}")
                right[way, known] += fine
                if known and not fine:
                    print(f"{name}, {way}: {calls} calls, {content!r:.200}")
    print("| of 12 families | " + " | ".join(WAYS) + " |\n|---|" + "---|" * len(WAYS))
    for known, label in ((True, "with token ids"), (False, "by the text alone")):
        print(f"| {label} | " + " | ".join(str(right[way, known]) for way in WAYS) + " |")
    return 0 if all(right[way, True] == len(FAMILIES) for way in WAYS) else 1


if __name__ == "__main__":
    sys.exit(main())
