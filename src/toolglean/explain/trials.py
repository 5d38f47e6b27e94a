# What this file knows: which arguments of the parser might read a turn otherwise, and that each is tried before it is
# named.
# What it must not know: why one of them helps (causes.py).
#
# An option of the parser is added to `_changes`, with the sign that makes it worth a try.
"""What to pass to read the turn otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from toolglean.errors import ToolgleanError
from toolglean.explain.shapes import Advice, Opener
from toolglean.explain.turn import Read, read_turn

__all__ = ["Asked", "advice_for"]

MOST_FORMATS = 4  # that are tried
WAYS = ("format", "model", "template", "variables", "tokenizer_config", "response_template", "tag", "closer")


class Asked(NamedTuple):
    """What the user has asked: the tools and the arguments of `Parser`."""

    tools: Any
    options: dict[str, Any]

    @property
    def ways(self) -> dict[str, Any]:
        """The arguments that say how the model writes."""
        return {name: self.options[name] for name in WAYS if self.options.get(name) is not None}


class _Change(NamedTuple):
    tools: Any
    options: dict[str, Any]  # all of them
    changed: dict[str, Any]  # those that are new
    text: str


def advice_for(asked: Asked, read: Read, openers: Sequence[Opener], names: Sequence[str]) -> list[Advice]:
    """What reads more than was read: more complete calls to known tools, or reasoning where there was none.

    Args:
        asked: what the user asked.
        read: what came of it.
        openers: the markers that were seen.
        names: names that may be tools'.
    """
    found: list[Advice] = []
    by_format: set[tuple[str, ...]] = set()  # formats that read the same: one of them is enough
    for change in _changes(asked, read, openers, names):
        try:
            other = read_turn(read.text, change.tools, change.options)
        except ToolgleanError:  # `start="reasoning"` for a format without reasoning, say
            continue
        gained = len(_good(other)) > len(_good(read))
        thinks = "start" in change.changed and _reasoning(other) > _reasoning(read)
        if gained or (thinks and len(_good(other)) >= len(_good(read))):
            calls = tuple(call.name for call in other.done)
            if change.changed.get("format") not in {None, "auto"}:
                if calls in by_format:
                    continue
                by_format.add(calls)
            found.append(Advice(change.changed, change.text, _effect(other, calls, thinks=thinks), calls))
    return found


def _changes(asked: Asked, read: Read, openers: Sequence[Opener], names: Sequence[str]) -> Iterator[_Change]:
    def change(**changed: Any) -> _Change:
        text = ", ".join(f"{name}={_shown(value)}" for name, value in changed.items())
        return _Change(asked.tools, {**asked.options, **changed}, changed, text)

    def by_format(name: str) -> _Change:
        others = {each: value for each, value in asked.options.items() if each not in WAYS}
        return _Change(asked.tools, {**others, "format": name}, {"format": name}, f"format={_shown(name)}")

    if asked.ways and asked.ways != {"format": "auto"}:
        yield by_format("auto")
    lost = [(opener, reach) for opener in openers for reach in opener.reaches if reach.outcome == "call"]
    formats = dict.fromkeys(reach.format for opener, reach in lost if opener.read_as != "reasoning")
    for name in list(formats)[:MOST_FORMATS]:
        if name != asked.options.get("format"):
            yield by_format(name)
    if any(opener.kind == "end of reasoning" for opener in openers):
        yield change(start="reasoning")
    if asked.options.get("start") == "reasoning":
        yield change(start="content")
    if any(opener.read_as == "reasoning" for opener, _ in lost):
        yield change(calls_in_reasoning="call")
    if asked.options.get("unknown_tools") == "content":
        yield change(unknown_tools="call")
    tools = read.parser.tools
    more = [name for name in dict.fromkeys(names) if tools is None or name not in tools]
    if more:
        own = [] if tools is None else list(tools)
        text = ", ".join([*(["…"] if own else []), *map(_shown, more)])
        yield _Change(
            [*own, *more], asked.options, {"tools": [*(tools.names if tools else ()), *more]}, f"tools=[{text}]"
        )


def _good(read: Read) -> list[str]:
    return [call.name for call in read.done if call.known is not False]


def _reasoning(read: Read) -> int:
    return sum(span.end - span.start for span in read.spans if span.kind == "reasoning")


def _effect(read: Read, calls: tuple[str, ...], *, thinks: bool) -> str:
    shown = ", ".join(calls[:5]) + (", …" if len(calls) > 5 else "")
    said = f"{len(calls)} {'call' if len(calls) == 1 else 'calls'}: {shown}" if calls else "no call"
    return f"{_reasoning(read):,} characters of reasoning, {said}" if thinks else said


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) and value.isprintable() and '"' not in value else repr(value)
