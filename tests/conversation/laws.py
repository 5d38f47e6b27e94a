# What this file knows: the laws of histories and wire formats.
# Does not depend on how a wire format is written.
#
#   python -m tests.conversation.laws [--examples 10000] [--only ollama]
#
# runs each law for each wire format with this number of examples, and prints the number of counter-examples. The tests
# run the same laws with 500 at full depth, and with fewer by default.
"""The laws of `toolglean.conversation`, and the command that runs them at length."""

from __future__ import annotations

import argparse
import copy
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import HealthCheck, given, settings

from tests.conversation.strategies import histories
from toolglean.conversation import (
    AnthropicHistoryConverter,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    NeutralHistoryConverter,
    OllamaHistoryConverter,
    OpenAIHistoryConverter,
    Role,
)

CONVERTERS: dict[str, Callable[[], Any]] = {
    "openai": OpenAIHistoryConverter,
    "ollama": OllamaHistoryConverter,
    "anthropic": AnthropicHistoryConverter,
    "neutral": NeutralHistoryConverter,
}


def converter_is(converter: Any, *wires: str) -> bool:
    """Whether it is for one of these wire formats."""
    return type(converter) in {CONVERTERS[wire] for wire in wires}


def there_and_back(converter: Any, history: History) -> None:
    """A history that was written is read back in its normal form, also after a round trip through JSON."""
    wire = converter.from_history(history)
    assert same(converter.to_history(wire), converter.canonical(history))
    assert same(converter.to_history(json.loads(json.dumps(wire))), converter.canonical(history))


def normal_form(converter: Any, history: History) -> None:
    """The normal form is its own normal form and is written in the same way, and the history itself is not changed."""
    before = copy.deepcopy(history)
    normal = converter.canonical(history)
    assert same(converter.canonical(normal), normal)
    assert json.dumps(converter.from_history(normal)) == json.dumps(converter.from_history(history))
    assert same(history, before)


def nothing_lost(converter: Any, history: History) -> None:
    """Every text, call and result is kept, in order, with its id and its value."""
    normal = converter.canonical(history)
    assert said(normal) == said(history)
    for one, other in zip(parts_of(history, ContentPartToolCall), parts_of(normal, ContentPartToolCall), strict=True):
        assert other.name == one.name
        assert not one.id or other.id == one.id
        assert one.unread or same(other.arguments, one.arguments)
    ours, theirs = parts_of(history, ContentPartToolResult), parts_of(normal, ContentPartToolResult)
    names = {(call.id, call.name) for call in parts_of(normal, ContentPartToolCall)}
    for one, other in zip(ours, theirs, strict=True):
        if converter_is(converter, "anthropic"):  # it has no field for the name: the call has it
            assert other.name == "" or (other.id, other.name) in names
        else:
            assert other.name == one.name
        assert not one.id or other.id == one.id
        assert same(other.content, one.content)


def nothing_changed_without_need(converter: Any, history: History) -> None:
    """The order of roles is kept: the number of messages changes only for a tool message with several results or none,
    and for those that follow each other, which are one for Anthropic.
    """
    normal = converter.canonical(history)
    expected = ["user"] if history.context is not None else []
    for message in history.conversation:
        several = len(message.content) if message.role == Role.TOOL else 1
        expected += [message.role.value] * (several if converter_is(converter, "openai", "ollama") else min(several, 1))
    if history.system_message is None and normal.system_message is not None:
        assert expected.pop(0) == "system"
    if converter_is(converter, "anthropic"):
        expected = [
            each for each, before in zip(expected, ["", *expected], strict=False) if (each, before) != ("tool",) * 2
        ]
    assert [message.role.value for message in normal.conversation] == expected


def first_user_turn(converter: Any, history: History) -> None:
    """The first user message is never mistaken for the context, or lost."""
    turns = [message for message in history.conversation if message.role == Role.USER]
    back = converter.to_history(converter.from_history(history))
    found = [message for message in back.conversation if message.role == Role.USER]
    assert len(found) == len(turns) + (history.context is not None)
    assert back.context is None


def parts_of(history: History, kind: type) -> list[Any]:
    return [part for message in history.conversation for part in message.content if isinstance(part, kind)]


def said(history: History) -> tuple[str, str]:
    """All text, and all reasoning, each joined."""
    begin = (history.system_message or "") + (history.context or "")
    spoken = [(message.role, part) for message in history.conversation for part in message.content]
    texts = [text_of(part) for _, part in spoken]
    thoughts = [part.text for _, part in spoken if isinstance(part, ContentPartReasoning)]
    return begin + "".join(texts), "".join(thoughts)


def text_of(part: Any) -> str:
    if isinstance(part, ContentPartText):
        return part.text
    data = getattr(part, "data", {})
    return str(data.get("text", ""))


def same(one: Any, other: Any) -> bool:
    """Equal, with equal types at every level: 1 is not True or 1.0, and -0.0 is not 0.0."""
    return bool(one == other) and repr(one) == repr(other)


LAWS = (there_and_back, normal_form, nothing_lost, nothing_changed_without_need, first_user_turn)


def checks(examples: int) -> Iterator[tuple[str, Callable[[], None]]]:
    """Every law for every wire format, as a function that raises if there is a counter-example."""
    for wire in CONVERTERS:
        for law in LAWS:
            yield f"{law.__name__}, {wire}", _check(wire, law, examples)


def _check(wire: str, law: Callable[[Any, History], None], examples: int) -> Callable[[], None]:
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(histories(wire))
    def check(history: History) -> None:
        law(CONVERTERS[wire](), history)

    return check


def main() -> int:
    """Run the laws, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=10_000)
    parser.add_argument(
        "--only", default="", help="only the laws whose name contains this, such as that of a wire format"
    )
    given = parser.parse_args()
    examples: int = given.examples
    failed = 0
    for name, check in checks(examples):
        if given.only not in name:
            continue
        try:
            check()
        except Exception as error:  # noqa: BLE001  # a counter-example; Hypothesis has printed it
            failed += 1
            sys.stdout.write(f"{name}: COUNTER-EXAMPLE\n{error!r}\n{getattr(error, '__notes__', '')}\n")
        else:
            sys.stdout.write(f"{name}: {examples} examples, 0 counter-examples\n")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
