# The arguments of the parser that might read a turn differently. Each is tried before it is named. Does not depend on
# why one of them helps (causes.py).
#
# To try another option of the parser, add it to `_OPTIONS`.
"""What to pass to read the turn differently."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from toolglean.errors import ToolgleanError
from toolglean.kit.explain.explanation import Advice, Opener
from toolglean.kit.explain.reading import Read, another_message, read_turn
from toolglean.options import changed, options_of

__all__ = ["Asked", "advice_for", "shown_value"]

MOST_FORMATS = 4  # that are tried
LONGEST_END = 64  # characters of markers that end a turn, after JSON
WAYS = ("format", "model", "template")


class Asked(NamedTuple):
    """What the user passed: the tools and the arguments of `Parser`."""

    tools: Any
    options: dict[str, Any]

    @property
    def ways(self) -> dict[str, Any]:
        """The arguments that say how the model writes; empty if it is detected from the turn."""
        found = {name: self.options[name] for name in WAYS if self.options.get(name) is not None}
        return {} if found == {"format": "auto"} else found


class _Change(NamedTuple):
    asked: Asked  # with the change
    changed: dict[str, Any]  # the options that are new
    text: str


def advice_for(asked: Asked, read: Read, openers: Sequence[Opener], names: Sequence[str]) -> list[Advice]:
    """Changes that read more: more complete calls to known tools, or reasoning that was content.

    Args:
        asked: what the user passed.
        read: the reading with it.
        openers: the markers that were seen.
        names: names that may be names of tools.
    """
    found: list[Advice] = []
    by_format: set[tuple[str, ...]] = set()  # of formats that read the same, one is enough
    most = 0  # calls that one change reads; two at once must read more
    for change in _changes(asked, read, openers, names):
        try:
            other = read_turn(read.text, *change.asked)
        except ToolgleanError:  # `start="reasoning"` for a format without reasoning, say
            continue
        gained = len(_good(other)) > max(len(_good(read)), most if len(change.changed) > 1 else 0)
        thinks = "start" in change.changed and _reasoning(other) > _reasoning(read)
        if gained or (thinks and len(_good(other)) >= len(_good(read))):
            calls, most = tuple(call.name for call in other.done), max(most, len(_good(other)))
            if change.changed.get("format") not in {None, "auto"}:
                if calls in by_format:
                    continue
                by_format.add(calls)
            found.append(
                Advice(change.changed, change.text, _effect(other, calls, thinks=thinks) + _known(read, other), calls)
            )
    return found


def _changes(asked: Asked, read: Read, openers: Sequence[Opener], names: Sequence[str]) -> Iterator[_Change]:
    if asked.ways:
        yield _by_format(asked, "auto")
    for name in list(_formats_of(openers))[:MOST_FORMATS]:
        if name != asked.options.get("format"):
            yield _by_format(asked, name)
    worth = [each for each in _OPTIONS if each.is_worth_a_try(asked, read, openers)]
    yield from (_with_option(asked, each.option, each.value) for each in worth)
    auto = _by_format(asked, "auto")
    for each in worth if asked.ways else ():
        both = _with_option(auto.asked, each.option, each.value)
        yield both._replace(changed={**auto.changed, **both.changed}, text=f"{auto.text}, {both.text}")
    tools = read.parser.tools
    more = [name for name in names if tools is None or name not in tools]
    if more:
        own = [] if tools is None else list(tools)
        text = ", ".join([*(["…"] if own else []), *map(shown_value, more)])
        changed = {"tools": [*(tools.names if tools is not None else ()), *more]}
        yield _Change(Asked([*own, *more], asked.options), changed, f"tools=[{text}]")


def _with_option(asked: Asked, name: str, value: Any) -> _Change:
    text = f"{name}={shown_value(value)}"
    if name == "start":
        return _Change(asked._replace(options={**asked.options, name: value}), {name: value}, text)
    options = {**asked.options, "options": changed(asked.options.get("options"), **{name: value})}
    return _Change(asked._replace(options=options), {name: value}, f"options=ParserOptions({text})")


def _by_format(asked: Asked, name: str) -> _Change:
    others = {each: value for each, value in asked.options.items() if each not in WAYS}
    return _Change(Asked(asked.tools, {**others, "format": name}), {"format": name}, f"format={shown_value(name)}")


def _formats_of(openers: Sequence[Opener]) -> dict[str, None]:
    reaches = (reach for opener in openers if opener.read_as != "reasoning" for reach in opener.reaches)
    return dict.fromkeys(reach.format for reach in reaches if reach.outcome == "call")


class _Option(NamedTuple):
    """An option of `Parser`, the value to try, and the sign that makes it worth a try."""

    option: str
    value: Any
    is_worth_a_try: Callable[[Asked, Read, Sequence[Opener]], bool]


def _loses(openers: Sequence[Opener], read_as: str) -> bool:
    # Whether a whole call was read as that.
    return any(each.read_as == read_as and any(one.outcome == "call" for one in each.reaches) for each in openers)


def _ends_reasoning(read: Read, openers: Sequence[Opener]) -> bool:
    # Reasoning does not open before the header of another message.
    return another_message(read) is None and any(each.kind == "end of reasoning" for each in openers)


def _ends_with_json(read: Read) -> bool:
    # Markers may follow it.
    return read.parser.tools is not None and any(sign in read.text[-LONGEST_END:] for sign in "}]")


_OPTIONS = (
    _Option("start", "reasoning", lambda _, read, openers: _ends_reasoning(read, openers)),
    _Option("start", "content", lambda asked, *_: asked.options.get("start") == "reasoning"),
    _Option(
        "unknown_tools", "call", lambda asked, *_: options_of(asked.options.get("options")).unknown_tools == "content"
    ),
    _Option("calls_in_reasoning", "call", lambda _, __, openers: _loses(openers, "reasoning")),
    _Option("quoted", "call", lambda _, __, openers: _loses(openers, "content")),
    _Option("trailing_json", "call", lambda _, read, __: _ends_with_json(read)),
)


def _good(read: Read) -> list[str]:
    return [call.name for call in read.done if call.known is not False]


def _reasoning(read: Read) -> int:
    return sum(span.end - span.start for span in read.spans if span.kind == "reasoning")


def _effect(read: Read, calls: tuple[str, ...], *, thinks: bool) -> str:
    shown = ", ".join(calls[:5]) + (", …" if len(calls) > 5 else "")
    said = f"{len(calls)} {'call' if len(calls) == 1 else 'calls'}: {shown}" if calls else "no call"
    return f"{_reasoning(read):,} characters of reasoning, {said}" if thinks else said


def _known(read: Read, other: Read) -> str:
    # The count alone would not show what is gained, if the calls were complete before.
    if len(other.done) > len(read.done) or len(_good(other)) <= len(_good(read)):
        return ""
    return ", now with known=True"


def shown_value(value: Any) -> str:
    """The value as code."""
    return f'"{value}"' if isinstance(value, str) and value.isprintable() and '"' not in value else repr(value)
