# Invariant: whatever is done to a parser, in whatever order (feed, add, fork, copy, pickle, close), each gives the
# events of the text that it was fed, as if that had come whole; what is done to one does not show in another; after the
# end, nothing comes, and feeding is an error.
"""`python -m fuzz.machine [--examples N] [--steps N]`: Hypothesis plays with parsers, and shrinks what breaks."""

from __future__ import annotations

import argparse
import copy
import pickle
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule, run_state_machine_as_test

from fuzz.laws import TOOLS, Subject, can_reason
from fuzz.turns import all_markers, rendered_turns, stream_turns
from tests.support.chunkings import account
from toolglean import Event, Parser, State, UsageError, fold, join
from toolglean.formats.registry import all_formats

__all__ = ["Machine", "main"]

NAMES = (
    "hermes",
    "qwen3-coder",
    "harmony",
    "mistral-v13",
    "deepseek-v3.1",
    "gemma-4",
    "pythonic",
    "auto",
    "tag:{",
    "tag:<tool_call>",
)
PLAIN = (
    "a",
    " ",
    "\n",
    "\\",
    '"',
    "'",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "`",
    "```",
    "é",
    "😀",
    "\ud800",
    "f",
    "Oslo.\n",
)


WAYS: dict[str, Callable[[Parser], Parser]] = {
    "fork": Parser.fork,
    "copy": copy.copy,
    "pickle": lambda parser: pickle.loads(pickle.dumps(parser)),  # noqa: S301  # our own
}


@dataclass
class Player:
    """A parser, and what was done to it."""

    parser: Parser
    text: str = ""
    events: list[Event] = field(default_factory=list)


@lru_cache(maxsize=1)
def _markers() -> tuple[str, ...]:
    return (*all_markers(), *PLAIN)


@lru_cache(maxsize=1)
def _turns() -> tuple[str, ...]:
    return (*(turn for declared in all_formats() for turn in rendered_turns(declared)[:2]), *stream_turns())


def marker(number: int) -> str:
    """The marker of that number."""
    return _markers()[number % len(_markers())]


def part(place: tuple[int, int]) -> str:
    """The beginning of a marker."""
    whole = marker(place[0])
    return whole[: 1 + place[1] % max(1, len(whole))]


def piece(place: tuple[int, int, int]) -> str:
    """A piece of a turn: its number, where it begins, and its length."""
    turn = _turns()[place[0] % len(_turns())]
    return turn[place[1] % len(turn) :][: place[2]]


def pieces() -> st.SearchStrategy[str]:
    """What is fed: a character, a marker or a part of one, a piece of a turn, or any text."""
    number = st.integers(0, 5_000)
    return st.one_of(
        number.map(marker),
        st.tuples(number, number).map(part),
        st.tuples(number, number, st.integers(1, 60)).map(piece),
        st.text(max_size=8),
        st.just(""),
    )


class Machine(RuleBasedStateMachine):
    """Some parsers of one kind, on different texts."""

    playing = Bundle("playing")
    over = Bundle("over")

    @initialize(
        target=playing, name=st.sampled_from(NAMES), tools=st.sampled_from(sorted(TOOLS)), reasons=st.booleans()
    )
    def begin(self, name: str, tools: str, reasons: bool) -> Player:  # noqa: FBT001  # Hypothesis gives it
        self.subject = Subject(name, tools, reasons=reasons and can_reason(name))
        return Player(self.subject.parser())

    @rule(player=playing, chunk=pieces())
    def feed(self, player: Player, chunk: str) -> None:
        player.text += chunk
        player.events += player.parser.feed(chunk)

    @rule(player=playing, chunk=pieces())
    def add(self, player: Player, chunk: str) -> None:
        twin = player.parser.fork()
        player.text += chunk
        events = player.parser.feed(chunk)
        player.events += events
        assert twin.add(chunk) == fold(events)

    @rule(target=playing, player=playing, way=st.sampled_from(sorted(WAYS)))
    def twin(self, player: Player, way: str) -> Player:
        made = WAYS[way](player.parser)
        assert made.state is player.parser.state
        return Player(made, player.text, list(player.events))

    @rule(player=playing)
    def look(self, player: Player) -> None:
        before = player.parser.state, player.parser.format, repr(player.parser)
        assert isinstance(before[0], State)
        assert before == (player.parser.state, player.parser.format, repr(player.parser))

    @rule(target=over, player=playing, closing=st.booleans())
    def end(self, player: Player, closing: bool) -> Player:  # noqa: FBT001  # Hypothesis gives it
        last = player.parser.fork()
        whole = self.subject.parser()
        expected = join(whole.feed(player.text) + whole.finish())
        found = join(player.events + last.finish())
        assert found == expected
        account(found, player.text)
        if closing:
            assert player.parser.fork().close() == fold(player.parser.fork().finish())
        return Player(last, player.text)

    @rule(player=over)
    def after_the_end(self, player: Player) -> None:
        assert player.parser.finish() == []
        assert player.parser.close() == fold([])
        try:
            player.parser.feed("x")
        except UsageError:
            return
        raise AssertionError("a parser whose turn is over was fed")

    @rule(target=over, player=over)
    def twin_after_the_end(self, player: Player) -> object:
        return multiple(Player(player.parser.fork(), player.text), Player(copy.copy(player.parser), player.text))


def run(examples: int, steps: int, *, random: bool) -> None:
    """Play that many games of so many steps.

    Args:
        examples, steps: how many.
        random: whether to play other games each time, and to look for the shortest one that breaks the invariant.

    Raises:
        AssertionError: a game broke the invariant; a note tells its steps.
    """
    phases = (Phase.generate, Phase.shrink) if random else (Phase.generate,)
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            derandomize=not random,
            report_multiple_bugs=False,
            phases=phases,
            suppress_health_check=list(HealthCheck),
        ),
    )


def main() -> int:
    """Play."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.machine", description="Hypothesis plays with parsers.")
    parser.add_argument("--examples", type=int, default=2_000, help="how many games (default: 2,000)")
    parser.add_argument("--steps", type=int, default=40, help="the steps of a game (default: 40)")
    options = parser.parse_args()
    begin = time.perf_counter()
    run(options.examples, options.steps, random=True)
    seconds = time.perf_counter() - begin
    print(f"{options.examples:,} games of up to {options.steps} steps in {seconds:,.0f} s: nothing broke")
    return 0


if __name__ == "__main__":
    sys.exit(main())
