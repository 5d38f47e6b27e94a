# The files of cases in ../shared, what each origin means by its fields, and when an answer of ours
# is the one that a case expects.
# Does not depend on why we disagree with a case (tests/disagreements).
"""Cases of other projects, read as one kind of case, and judged.

Each case is run whole, character by character, and with random cuts. The verdict is

- `right`: calls, content and reasoning are those of the case, as far as it says anything about them;
- `calls`, `content`, `reasoning`: the first of these that differs;
- `cuts`: the events differ by chunking, or do not account for every character;
- `error`: an exception came out.

Content and reasoning are compared stripped: white space at their edges is each engine's own policy.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.support.chunkings import account, reasoning_of, some_chunkings
from tests.support.shared import FIXTURES, SHARED, rows
from toolglean import CallEnd, Content, Event, Markup, Parser, ParserOptions, Reasoning, ToolCall, join
from toolglean.formats.registry import get_format

WIRE = ("generated", "vllm", "sglang", "llama.cpp", "dynamo", "rust-tool-parser", "sglang-reasoning")
RANDOM_CUTS = 2

# vLLM's tests put these two tokens of a made-up tokenizer into the turn, after its first token too; its engine never
# shows a special token.
MOCK_TOKENS = re.compile("<bos>|<eos>")


@dataclass
class Case:
    """One turn, and what another project's parser makes of it.

    Attributes:
        id: origin and number of the row.
        label: what the data calls the format.
        raw_content: whether the content holds what we take out of it (calls, or markers of reasoning).
        prefix: text that belongs to the content and was in the prompt.
        loose: whether white space does not count in content and reasoning.
        failed: whether the other parser failed.
    """

    id: str
    label: str
    tools: list[Any]
    text: str
    calls: list[dict[str, Any]] | None
    content: str | None
    reasoning: str | None
    start: Literal["content", "reasoning"] = "content"
    prompt: str = ""
    raw_content: bool = False
    prefix: bool = False
    loose: bool = False
    failed: bool = False
    chunks: list[str] = field(default_factory=list)


@functools.cache
def labels() -> dict[str, str | None]:
    """The format that each label of the data means."""
    found: dict[str, str | None] = json.loads((FIXTURES / "labels.json").read_text(encoding="utf-8"))
    return found


def wire_cases(origin: str) -> Iterator[Case]:
    """The cases of a file in vectors/wire."""
    for number, row in enumerate(rows(SHARED / "vectors" / "wire" / f"{origin}.jsonl")):
        case = Case(
            id=f"{origin}:{number}",
            label=row["format"] or f"reasoning:{row['reasoning']}",
            tools=row["tools"],
            text=row["output"],
            calls=row["expected_calls"],
            content=row["expected_content"] or "",
            reasoning=row.get("expected_reasoning"),
            chunks=row.get("chunks") or [],
        )
        _READ.get(origin, _as_it_stands)(case, row)
        if case.reasoning and not case.prompt and not _opens_reasoning(case):
            case.start = "reasoning"  # the prompt, which was not recorded, had opened it
        yield case


def _opens_reasoning(case: Case) -> bool:
    name = labels().get(case.label)
    return name is None or any(_words(opener) in _words(case.text) for opener, _ in get_format(name).all_reasonings)


def _words(text: str) -> str:
    return "".join(text.split())


def _as_it_stands(case: Case, row: dict[str, Any]) -> None:
    del row
    if case.label.startswith("reasoning:"):  # calls were not looked for
        case.calls, case.raw_content = None, True


def _vllm(case: Case, row: dict[str, Any]) -> None:
    case.text = MOCK_TOKENS.sub("", case.text)
    begins = (row["state"] or {}).get("init") == "REASONING"
    # `extract_tool_calls` is given what its caller took for the content.
    if begins and row["mode"] != "extract_tool_calls":
        case.start = "reasoning"
    if row["mode"] == "extract_reasoning":
        case.calls, case.raw_content = None, True
    else:
        case.raw_content = case.reasoning is None
    if case.reasoning is None and row["reasoning"] is not None and row["mode"] != "extract_tool_calls":
        case.reasoning = ""


def _llama_cpp(case: Case, row: dict[str, Any]) -> None:
    options = row["options"]
    case.prompt = row["prompt_suffix"]
    case.prefix = "continue_final_message" in options
    if options["reasoning_format"] == "none":
        case.raw_content = True


def _rust(case: Case, row: dict[str, Any]) -> None:
    if not row["content_asserted"]:
        case.content = None


def _forced(case: Case, row: dict[str, Any]) -> None:
    _as_it_stands(case, row)
    if row.get("options", {}).get("force_reasoning"):
        case.start = "reasoning"
    if case.reasoning is None and case.label.startswith("reasoning:"):
        case.reasoning = ""


_READ = {
    "vllm": _vllm,
    "llama.cpp": _llama_cpp,
    "rust-tool-parser": _rust,
    "dynamo": _forced,
    "sglang-reasoning": _forced,
}


# Parsers of Ollama that begin in the model's reasoning: by default, and where `think` is asked for.
REASONS_BY_DEFAULT = frozenset(
    {"qwen3-thinking", "qwen3-vl-thinking", "qwen3.5", "nemotron-3-nano", "glm-4.7", "olmo3-think", "cohere"}
)
REASONS_IF_ASKED = frozenset({"cogito", "deepseek3", "gemma4", "laguna", "poolside-v1"})


def ollama_begins(parser: str, row: dict[str, Any]) -> Literal["content", "reasoning"]:
    """Where that parser of Ollama begins."""
    asked = row.get("thinking")
    goes_on = (row.get("last_message") or {}).get("content") and parser != "poolside-v1"
    if goes_on or "<|channel>" in "".join(row["chunks"]):  # an answer that has begun; Gemma's prompt opens nothing
        return "content"
    reasons = (parser in REASONS_BY_DEFAULT and asked is not False) or (parser in REASONS_IF_ASKED and asked is True)
    return "reasoning" if reasons else "content"


def ollama_cases() -> Iterator[Case]:
    """The cases of vectors/ollama/parsers_tests.jsonl that a parser stands for."""
    for number, row in enumerate(rows(SHARED / "vectors" / "ollama" / "parsers_tests.jsonl")):
        if row.get("parser") is None:
            continue
        steps = row["expect"]["steps"]
        yield Case(
            id=f"ollama:{number}",
            label=row["parser"],
            tools=row["tools"],
            text="".join(row["chunks"]),
            calls=[call for step in steps for call in step["calls"] or []],
            content="".join(step["content"] for step in steps),
            reasoning="".join(step["thinking"] for step in steps),
            start=ollama_begins(row["parser"], row),
            loose=True,  # Ollama's parsers trim it
            failed=any(step["error"] for step in steps),
            chunks=row["chunks"],
        )


def template_cases() -> Iterator[tuple[str, Case]]:
    """What templates write for fixed calls, each with the template's name and the case: renders, and streams."""
    formats = json.loads((SHARED / "renders" / "wire_formats.json").read_text(encoding="utf-8"))
    label_of = {
        (kind, name): row["format"] for row in formats for kind in ("jinja", "go") for name in row[f"templates_{kind}"]
    }
    tools = json.loads((SHARED / "renders" / "inputs.json").read_text(encoding="utf-8"))["tools"]
    for kind in ("jinja", "go"):
        for number, row in enumerate(rows(SHARED / "renders" / f"{kind}.jsonl.gz")):
            label = label_of.get((kind, row["template"]))
            if row["args_mode"] == "object" and label is not None:  # without a label: templates that write no calls
                turn = row["rendered_assistant_turn"]
                yield f"{row['template']}/{row['case']}", _made(f"{kind}:{number}", label, row["tools"], turn, row)
    for number, row in enumerate(rows(SHARED / "streams" / "token_streams.jsonl.gz")):
        turn = "".join(row["tokens"])
        yield f"{row['template']}/{row['case']}", _made(f"streams:{number}", row["format"], tools, turn, row)


def _made(where: str, label: str, tools: list[Any], turn: str, row: dict[str, Any]) -> Case:
    return Case(where, label, tools, turn, row["calls"], content=None, reasoning=None, chunks=row.get("tokens", []))


@dataclass
class Answer:
    """What we make of a case."""

    verdict: str
    events: list[Event]
    detail: str = ""

    @property
    def calls(self) -> list[ToolCall]:
        """The calls, also unfinished ones."""
        return [event.call for event in self.events if isinstance(event, CallEnd)]


def judge(case: Case, name: str) -> Answer:
    """Run a case through the format of that name, in every way, and compare."""
    declared = get_format(name)

    def run(chunks: list[str]) -> list[Event]:
        parser = Parser(
            case.tools, format=declared, start=case.start, prompt=case.prompt, options=ParserOptions(markup=True)
        )
        events: list[Event] = []
        for chunk in chunks:
            events += parser.feed(chunk)
        return join(events + parser.finish())

    try:
        whole = run([case.text])
    except Exception as error:  # noqa: BLE001  # a report says what came out
        return Answer("error", [], repr(error))
    for chunks in (*some_chunkings(case.text, RANDOM_CUTS), *([case.chunks] if case.chunks else [])):
        other = run(chunks)
        if other != whole and "".join(chunks) == case.text:
            return Answer("cuts", whole, f"{chunks!r}: {other}")
    try:
        account([event for event in whole if not case.prompt or event.start >= 0], case.text)
    except AssertionError as error:
        if not case.prompt:
            return Answer("cuts", whole, str(error))
    verdict, detail = compare(case, whole, declared.all_reasonings)
    return Answer(verdict, whole, detail)


def compare(case: Case, events: list[Event], markers: tuple[tuple[str, str], ...]) -> tuple[str, str]:
    """The verdict on the events of the whole turn, and what differs."""
    calls = [event.call for event in events if isinstance(event, CallEnd)]
    if case.calls is not None and not _same_calls(case.calls, calls):
        found = [(call.name, call.arguments if call.status == "ok" else {}, call.status) for call in calls]
        return "calls", f"{found} for {[(each['name'], each['arguments']) for each in case.calls]}"
    content = "".join(event.text for event in events if isinstance(event, Content))
    if case.content is not None and not _same_content(case, events, content, markers):
        return "content", f"{content!r} for {case.content!r}"
    reasoning = reasoning_of(events)
    if case.reasoning is not None and not _same_text(case, case.reasoning, reasoning):
        return "reasoning", f"{reasoning!r} for {case.reasoning!r}"
    return "right", ""


def _same_calls(expected: list[dict[str, Any]], calls: list[ToolCall]) -> bool:
    if any(each["arguments"] is None and "arguments_paths" not in each for each in expected):
        # The arguments as the engine streamed them are no JSON: we say that the call is not finished.
        return [each["name"] for each in expected] == [call.name for call in calls]
    found = [call for call in calls if call.status == "ok"]
    return len(expected) == len(found) and all(map(same_call, expected, found))


def same_call(expected: dict[str, Any], call: ToolCall) -> bool:
    if expected["name"] != call.name:
        return False
    if "arguments_paths" in expected:  # only these were asserted
        return all(_same_json(at(call.arguments, each["path"]), each["value"]) for each in expected["arguments_paths"])
    return _same_json(expected["arguments"], call.arguments)


def at(value: Any, path: list[Any]) -> Any:
    """What stands there, or None."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _same_json(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same_json, one, other))
    return bool(one == other)


def _same_text(case: Case, expected: str, found: str) -> bool:
    expected, found = expected.strip(), found.strip()
    if expected == found or (case.loose and _words(expected) == _words(found)):
        return True
    return case.prefix and expected.endswith(found) and expected.removesuffix(found).strip() in case.prompt


def _same_content(case: Case, events: list[Event], content: str, markers: tuple[tuple[str, str], ...]) -> bool:
    expected = case.content or ""
    if _same_text(case, expected, content):
        return True
    if not case.raw_content:
        return False
    # Other things that the engine may have left in the content: calls, and markers of reasoning.
    words = sorted({word for pair in markers for marker in pair for word in marker.split()}, key=len, reverse=True)
    marker = re.compile("|".join(map(re.escape, words)) or "(?!)")
    texts: dict[str, list[str]] = {"calls": [], "markers": [], "all but reasoning": []}
    for event in events:
        if isinstance(event, CallEnd):
            texts["calls"].append(case.text[slice(*event.call.span)])
            texts["all but reasoning"].append(case.text[slice(*event.call.span)])
        elif isinstance(event, Content | Markup | Reasoning):
            if not isinstance(event, Reasoning):
                texts["all but reasoning"].append(event.text)
            if isinstance(event, Markup):
                texts["calls"].append(marker.sub("", event.text))
                texts["markers"] += marker.findall(event.text)
            else:
                texts["markers"].append(event.text)
                texts["calls"].append(event.text if isinstance(event, Content) else "")
    without = marker.sub("", "".join(texts["all but reasoning"]))
    if _same_text(case, _words(marker.sub("", expected)), _words(without)):
        return True
    found = ["".join(each) for each in texts.values()] + (
        [case.prompt + "".join(texts["markers"])] if case.prompt else []
    )
    return any(_same_text(case, expected, each) or _words(expected) == _words(each) for each in found)
