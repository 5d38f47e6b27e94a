# The cases recorded from SGLang's tests, how its server calls a parser and ends a stream, and when
# an answer is the one that a case expects.
# Does not depend on why an answer differs (tests/support/disagreements/sglang.toml).
#
#   nox -s sglang -- report        the table: SGLang's own parsers and ours
"""SGLang's recorded cases through its own `FunctionCallParser` and `ReasoningParser`."""

from __future__ import annotations

import json
import logging
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.support.shared import SHARED, rows
from tests.support.vectors import labels
from toolglean.engines.sglang import register

__all__ = ["STREAMED", "WAYS", "Verdict", "calls_verdicts", "reasoning_verdicts"]

WAYS = ("whole", "characters", "random", "one chunk")
STREAMED = WAYS[1:]
WIRE = SHARED / "vectors" / "wire"
THINK = ("<think>", "</think>")


class Verdict(NamedTuple):
    """What came of one case, in one way.

    Attributes:
        case: its row in the file, from 0.
        way: how it was cut.
        parser: "sglang" or "toolglean".
        right: whether the answer is the one that the case expects.
        answer: what came, for a report.
    """

    case: int
    way: str
    parser: str
    right: bool
    answer: Any


def cut(text: str, way: str) -> list[str]:
    """The text as a stream has it."""
    if way == "one chunk":
        return [text]
    if way == "characters":
        return list(text)
    chance, found = random.Random(3), []
    while text:
        size = chance.randint(1, 12)
        found.append(text[:size])
        text = text[size:]
    return found


# -- calls -----------------------------------------------------------------------------------------------------------


def calls_verdicts() -> Iterator[Verdict]:
    """Each case with tools, in each way, by SGLang's parser and by ours."""
    from sglang.srt.entrypoints.openai.protocol import Tool  # noqa: PLC0415
    from sglang.srt.function_call.function_call_parser import FunctionCallParser  # noqa: PLC0415

    register()
    own = {kind.__name__: name for name, kind in reversed(FunctionCallParser.ToolCallParserEnum.items())}
    for number, row in enumerate(rows(WIRE / "sglang.jsonl")):
        tools = [Tool.model_validate(tool) for tool in row["tools"]]
        if row["model_or_template"] not in own or not tools:
            continue  # the reader of its JSON lists, which no flag names
        for parser, name in (
            ("sglang", own[row["model_or_template"]]),
            ("toolglean", f"toolglean-{labels()[row['format']]}"),
        ):
            for way in WAYS:
                make = lambda name=name, tools=tools: FunctionCallParser(tools, name)  # noqa: E731
                answer = attempt(whole_calls if way == "whole" else streamed_calls, make, row["output"], way)
                yield Verdict(number, way, parser, same_calls(answer, row["expected_calls"]), answer)


def attempt(read: Callable[..., Any], make: Callable[[], Any], text: str, way: str) -> Any:
    try:
        return read(make(), text, way)
    except Exception as error:  # noqa: BLE001  # SGLang's own may raise
        return repr(error)


def whole_calls(parser: Any, text: str, _: str) -> list[tuple[str, str]]:
    return [(call.name, call.parameters) for call in parser.parse_non_stream(text)[1]]


def streamed_calls(parser: Any, text: str, way: str) -> list[tuple[str, str]]:
    """What a client has at the end of a stream, with what the server adds there."""
    calls: dict[int, list[str]] = {}
    for chunk in [*cut(text, way), None]:
        _, items = parser.parse_stream_end() if chunk is None else parser.parse_stream_chunk(chunk)
        for item in items:
            call = calls.setdefault(item.tool_index, ["", ""])
            call[0] = item.name or call[0]
            call[1] += item.parameters or ""
    read, sent = parser.detector.prev_tool_call_arr, parser.detector.streamed_args_for_tool
    last = len(read) - 1
    if 0 <= last < len(sent) and last in calls:
        arguments = read[last].get("arguments", {})
        expected = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        calls[last][1] += expected[len(sent[last]) :] if expected.startswith(sent[last]) else ""
    return [(name, arguments) for _, (name, arguments) in sorted(calls.items())]


def same_calls(answer: Any, expected: list[dict[str, Any]]) -> bool:
    if isinstance(answer, str) or len(answer) != len(expected):
        return False
    for (name, arguments), want in zip(answer, expected, strict=True):
        if name != want["name"]:
            return False
        if want.get("arguments") is None:  # the case does not say
            continue
        try:
            if json.loads(arguments or "{}") != want["arguments"]:
                return False
        except ValueError:
            return False
    return True


# -- reasoning -------------------------------------------------------------------------------------------------------


def reasoning_verdicts() -> Iterator[Verdict]:
    """Each case of reasoning whose parser a flag names, likewise."""
    from sglang.srt.parser.reasoning_parser import ReasoningParser  # noqa: PLC0415

    register()
    own = {kind.__name__: name for name, kind in reversed(ReasoningParser.DetectorMap.items())}
    own["BaseReasoningFormatDetector"] = "nemotron_3"  # <think>, and nothing else
    for number, row in enumerate(rows(WIRE / "sglang-reasoning.jsonl")):
        declared, options = labels().get(row["format"]), row.get("options") or {}
        marks = (options.get("start", THINK[0]), options.get("end", THINK[1]))
        if declared is None or row["model_or_template"] not in own or marks != THINK:
            continue
        force = options.get("force_reasoning")
        for parser, name in (("sglang", own[row["model_or_template"]]), ("toolglean", f"toolglean-{declared}")):
            for way in WAYS:
                make = lambda name=name, force=force: ReasoningParser(name, force_reasoning=force)  # noqa: E731
                answer = attempt(whole_reasoning if way == "whole" else streamed_reasoning, make, row["output"], way)
                want = ((row["expected_reasoning"] or "").strip(), (row["expected_content"] or "").strip())
                yield Verdict(number, way, parser, answer == want, answer)


def whole_reasoning(parser: Any, text: str, _: str) -> tuple[str, str]:
    reasoning, content = parser.parse_non_stream(text)
    return (reasoning or "").strip(), (content or "").strip()


def streamed_reasoning(parser: Any, text: str, way: str) -> tuple[str, str]:
    parts = [parser.parse_stream_chunk(chunk) for chunk in cut(text, way)]
    parts.append(parser.parse_stream_end())
    return "".join(part[0] or "" for part in parts).strip(), "".join(part[1] or "" for part in parts).strip()


# -- report ----------------------------------------------------------------------------------------------------------


def main() -> int:
    """Print the table, and our misses."""
    logging.disable(logging.CRITICAL)
    for title, verdicts in (("calls", list(calls_verdicts())), ("reasoning", list(reasoning_verdicts()))):
        right = Counter((each.parser, each.way) for each in verdicts if each.right)
        cases = len({each.case for each in verdicts})
        print(f"| {title}: right of {cases} | {' | '.join(WAYS)} |\n|{'---|' * (len(WAYS) + 1)}")
        for parser in ("toolglean", "sglang"):
            print(f"| {parser} | {' | '.join(str(right[parser, way]) for way in WAYS)} |")
        for each in verdicts:
            if each.parser == "toolglean" and not each.right:
                print(f"{title}:{each.case} {each.way}: {each.answer!r:.200}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
