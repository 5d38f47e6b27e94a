# The invariant, for any text, any tools and any way to name the format:
#
#   one answer     the same events whole, one character at a time, and at random cuts, with copies on the way
#   nothing lost   every character is in exactly one of content, reasoning, a call's span, or markup
#   no exception   whatever a model writes, also where the caller's stack is nearly used up
#   limits         no complete call is nested deeper, and there are no more of them, than the limits allow
#   characters     no name, id or argument of a call contains half of a surrogate pair
#   markup         without `markup`, the same events but for the markup
#   an end         no text of this size takes seconds
#
# `broken` returns the law that a text breaks, or None. It is fast if none is broken, which is nearly always so.
"""The laws that apply to any text."""

from __future__ import annotations

import copy
import pickle
import random
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tests.support.chunkings import account
from tests.support.face import faced
from tests.support.own_formats import own_format
from toolglean import CallEnd, Event, Limits, Markup, Parser, join
from toolglean.formats.registry import find_format

__all__ = [
    "LIMITS",
    "ODD_NAMES",
    "TOOLS",
    "WAYS",
    "Breach",
    "Subject",
    "broken",
    "by_characters",
    "can_reason",
    "first_difference",
]

RANDOM_CUTS = 2
SECONDS = 4.0
SECONDS_A_CHARACTER = 0.0005
COPIES = 2000  # copies of a parser on the way through a text, at most: of a long text's state each is dear
EVERY_CUT = 200  # while a text is made smaller, texts up to this length are cut at every place


def _typed(name: str) -> dict[str, Any]:
    kinds = {
        "x": "object",
        "city": ["string", "null"],
        "days": "integer",
        "code": "string",
        "units": "array",
        "exact": "boolean",
    }
    return {
        "name": name,
        "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in kinds.items()}},
    }


def _numbers(name: str) -> dict[str, Any]:
    # Kinds that text must be turned into, in every way that a schema can require it.
    kinds: dict[str, Any] = {
        "x": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "array"}]},
        "city": {"type": "integer"},
        "days": {"type": "number"},
        "code": {"type": ["integer", "null"]},
        "units": {"enum": ["a", 1, None]},
    }
    rest = {"type": "integer"}
    return {
        "name": name,
        "parameters": {"type": "object", "properties": kinds, "additionalProperties": rest, "$defs": {"n": rest}},
    }


ODD_NAMES = (
    *(".call", "f{", "function\ntyped", "a b", "<f>", "call", "name", "arguments", "</f>", "f(", "`f`", "gë", "函数"),
    *("tool_call", "think", "f", "-", "a.b.c", "functions.f", "<think>", "f" * 300),
)
"""Names that no API accepts, or that are words of the formats: a user may give any."""

TOOLS: dict[str, tuple[Any, ...] | None] = {
    "none": None,
    "one": ("f",),
    "many": ("f", "get_weather", "g", "a.b"),
    "spaced": ("get_weather", "get weather", "f"),
    "typed": tuple(map(_typed, ("f", "g", "get_weather"))),
    "numbers": tuple(map(_numbers, ("f", "g", "get_weather"))),
    "odd": ODD_NAMES,
    "odd typed": tuple(map(_typed, ODD_NAMES)),
}

LIMITS = ("call_chars", "depth", "calls", "held")
ROOM = 80  # frames that are left where the stack is nearly used up


@dataclass(frozen=True)
class Subject:
    """What reads the text.

    Attributes:
        name: the name of a format, of the library or of tests/support/own_formats.py, `auto`, or a tag in front of
            which stands `tag:`.
        tools: what the model may call: a key of TOOLS.
        known: whether calls of other tools are given back as text.
        limits: limits so small that they are passed: name and value of each.
        reasons: whether the prompt has opened the reasoning.
        prompt: what is before the turn.
        drafts, quoted: what is done with calls in the reasoning, and in code; "" as by default.
        repair: whether calls are repaired.
        trailing: whether JSON at the end is read.
    """

    name: str
    tools: str = "none"
    known: bool = False
    limits: tuple[tuple[str, int], ...] = ()
    reasons: bool = False
    prompt: str = ""
    drafts: str = ""
    quoted: str = ""
    repair: bool = True
    trailing: bool = False

    def parser(self, *, markup: bool = True) -> Parser:
        """A new parser. `markup`: whether it tells what is markup."""
        named = own_format(self.name) or self.name
        options: dict[str, Any] = {"tag": self.name[4:]} if self.name.startswith("tag:") else {"format": named}
        options["unknown_tools"] = "content" if self.known else "call"
        if self.drafts:
            options["calls_in_reasoning"] = self.drafts
        if self.quoted:
            options["quoted"] = self.quoted
        options |= {"prompt": self.prompt} if self.prompt else {"start": "reasoning" if self.reasons else "content"}
        options["repair"] = self.repair
        if self.trailing:
            options["trailing_json"] = "call"
        return Parser(TOOLS[self.tools], **faced(**options, markup=markup, limits=Limits(**dict(self.limits))))


def can_reason(name: str) -> bool:
    """Whether a prompt may open the reasoning of what that name reads."""
    declared = own_format(name) or find_format(name)
    return name == "auto" or (declared is not None and bool(declared.all_reasonings))


@dataclass(frozen=True)
class Breach:
    """A law that was broken.

    Attributes:
        law: which one.
        what: where: what tells this breach from others of the same law.
        chunks: the text, cut so that it shows.
        detail: what was found.
    """

    law: str
    what: str
    chunks: tuple[str, ...]
    detail: str


class _TooLongError(Exception):
    pass


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise _TooLongError

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def broken(subject: Subject, text: str, *, seed: int = 0, thorough: bool = False) -> Breach | None:
    """The first law that the text breaks, or None.

    Args:
        subject: what reads it.
        text: the turn.
        seed: of the random cuts.
        thorough: cut a short text at every place, and copy the parser at every character.
    """
    rng = random.Random(seed)
    whole: list[Event] = []
    for chunks in ([text], *_cuts(text, rng, thorough=thorough)):
        try:
            with _time_limit(SECONDS + len(text) * SECONDS_A_CHARACTER):
                found = _events(subject.parser(), chunks)
        except _TooLongError:
            return Breach("an end", "it takes too long", tuple(chunks), traceback.format_exc(limit=-6))
        except Exception as error:  # noqa: BLE001  # that none is raised is the law
            return Breach("no exception", _place(error), tuple(chunks), traceback.format_exc(limit=-4))
        if len(chunks) == 1 and not whole:
            whole = found
        elif found != whole:
            return Breach("one answer", first_difference(whole, found), tuple(chunks), _beside(whole, found))
    for law, often in ((_calls, 1), (_on_a_full_stack, 8), (_copies, 16), (_without_markup, 4)):
        breach = law(subject, text, whole) if thorough or seed % often == 0 else None
        if breach:
            return breach
    try:
        account(whole, text)
    except AssertionError as error:
        what = str(error).partition("\n")[0].partition("Content(")[0][:60]
        return Breach("nothing lost", what, (text,), f"{error}\n{_lines(whole)}")
    except Exception as error:  # noqa: BLE001
        return Breach("valid deltas", _place(error), (text,), f"{error!r}\n{_lines(whole)}")
    return None


def by_characters(subject: Subject, text: str) -> bool:
    """Whether the text is read otherwise one character at a time: of all that `broken` tries, the quickest."""
    with _time_limit(SECONDS + len(text) * SECONDS_A_CHARACTER):
        return _events(subject.parser(), [text]) != _events(subject.parser(), text)


def _cuts(text: str, rng: random.Random, *, thorough: bool) -> Iterator[list[str]]:
    yield list(text)
    if thorough and len(text) <= EVERY_CUT:
        yield from ([text[:cut], text[cut:]] for cut in range(1, len(text)))
    for _ in range(RANDOM_CUTS):
        cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randint(1, 8)))
        yield [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _events(parser: Parser, chunks: Iterable[str]) -> list[Event]:
    events: list[Event] = []
    for chunk in chunks:
        events += parser.feed(chunk)
    return join(events + parser.finish())


WAYS: tuple[Callable[[Parser], Parser], ...] = (
    lambda each: each.fork(),
    copy.copy,
    lambda each: pickle.loads(pickle.dumps(each)),  # noqa: S301  # our own
)


def _copies(subject: Subject, text: str, whole: list[Event]) -> Breach | None:
    # At each character, or each so many, another kind of copy goes on, and the original is fed something else, which
    # must not matter.
    events: list[Event] = []
    parser = subject.parser()
    step = len(text) // COPIES + 1
    try:
        for place in range(0, len(text), step):
            twin = WAYS[place // step % len(WAYS)](parser)
            parser.feed('}"]<x')
            parser = twin
            events += parser.feed(text[place : place + step])
        found = join(events + parser.finish())
    except Exception as error:  # noqa: BLE001
        return Breach("no exception", f"copy: {_place(error)}", tuple(text), traceback.format_exc(limit=-4))
    if found == whole:
        return None
    return Breach("one answer", f"copy: {first_difference(whole, found)}", tuple(text), _beside(whole, found))


def _calls(subject: Subject, text: str, whole: list[Event]) -> Breach | None:
    limits = Limits(**dict(subject.limits))
    ended = [each.call for each in whole if isinstance(each, CallEnd)]
    if len(ended) > limits.calls:
        return Breach("limits", "calls", (text,), f"{len(ended)} calls\n{_lines(whole)}")
    for call in ended:
        arguments = call.arguments if call.status == "ok" else {}
        if depth(arguments) > limits.depth:
            return Breach("limits", "depth", (text,), _lines(whole))
        try:
            f"{call.name}{call.id}{arguments if depth(arguments) < SHALLOW else ''}".encode()
        except UnicodeError:
            return Breach("characters", "half of a pair", (text,), _lines(whole))
    return None


def _without_markup(subject: Subject, text: str, whole: list[Event]) -> Breach | None:
    found = _events(subject.parser(markup=False), [text])
    wanted = join(each for each in whole if not isinstance(each, Markup))
    if found == wanted:
        return None
    return Breach("markup", first_difference(wanted, found), (text,), _beside(wanted, found))


SHALLOW = 100


def depth(value: Any) -> int:
    """How deep a value is nested, in containers."""
    found, todo = 0, [(value, 1)]
    while todo:
        each, here = todo.pop()
        if isinstance(each, dict | list):
            found = max(found, here)
            todo += [(inner, here + 1) for inner in (each.values() if isinstance(each, dict) else each)]
    return found


def _on_a_full_stack(subject: Subject, text: str, whole: list[Event]) -> Breach | None:
    # What is compiled and imported only once has been by now.
    used = len(traceback.extract_stack())

    def deeper(frames: int) -> list[Event]:
        return deeper(frames - 1) if frames > 0 else _events(subject.parser(), [text])

    try:
        found = deeper(sys.getrecursionlimit() - used - ROOM)
    except Exception as error:  # noqa: BLE001
        return Breach("no exception", f"full stack: {type(error).__name__}", (text,), traceback.format_exc(limit=-4))
    return None if found == whole else Breach("one answer", "full stack", (text,), _beside(whole, found))


def _place(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {frame.name}"


def first_difference(whole: list[Event], found: list[Event]) -> str:
    """The kinds of the first two events that differ."""
    for left, right in zip(whole, found, strict=False):
        if left != right:
            return f"{type(left).__name__} for {type(right).__name__}"
    return "one is longer"


def _beside(whole: list[Event], found: list[Event]) -> str:
    return f"whole:\n{_lines(whole)}\ncut:\n{_lines(found)}"


def _lines(events: Iterable[Event]) -> str:
    return "\n".join(f"    {event}" for event in events)
