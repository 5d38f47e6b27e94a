# The check of a template: random tools and calls go through it and back, in random chunks. If something does not come
# back, the smallest example is returned. Does not depend on how examples are shown (cli/fuzz.py).
"""Round trips through a template."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from toolglean.errors import TemplateError
from toolglean.formats.spec import Format
from toolglean.kit.testing.strategies import messages, tools
from toolglean.sources.templates.infer import Inference, infer
from toolglean.sources.templates.infer.prober import Prober
from toolglean.sources.templates.infer.probes import Message
from toolglean.sources.templates.infer.verify import chunkings, difference, read
from toolglean.sources.templates.language import template_language
from toolglean.sources.templates.rendering import renderer
from toolglean.tools import Tool, ToolSet

__all__ = ["Failure", "RoundTrip", "check_template"]

SHRINK_SECONDS = 4.0
"""How long Hypothesis may shrink an example."""
PROOF = 40  # random messages of the inference: few, because the fuzzing tries more


@dataclass(frozen=True)
class Failure:
    """The smallest message that did not come back.

    Attributes:
        said: the message that was given to the template.
        tools: the tools.
        turn: what the template wrote.
        chunks: the turn as it was cut.
        found: what came back, as an `Output`.
        difference: the difference, in words.
    """

    said: Message
    tools: tuple[Tool, ...]
    turn: str
    chunks: tuple[str, ...]
    found: Any
    difference: str


class RoundTrip:
    """A template and its format, ready to be tested.

    Args:
        source: the template's text.
        format: the format that it should write; None: read from the template.
        untrusted: render in a child process.
        variables: what is passed to the template besides the messages.

    Raises:
        FormatError, TemplateError, UsageError: as for `infer`.
    """

    def __init__(
        self,
        source: str,
        *,
        format: Format | None = None,  # noqa: A002  # the field's own word for it
        untrusted: bool = False,
        variables: Mapping[str, Any] | None = None,
    ) -> None:
        self.inference: Inference | None = None
        if format is None:
            self.inference = infer(source, untrusted=untrusted, samples=PROOF, variables=variables)
            format = self.inference.format  # noqa: A001
        self.format = format
        self._renderer = renderer(source, template_language(source), untrusted=untrusted)
        self._prober = Prober(self._renderer, source, variables)
        lost = " ".join(self.inference.losses) if self.inference is not None else ""
        self._content = "probe 'content and call'" not in lost
        self._reasoning = "probe 'reasoning and call'" not in lost
        self._most = 1 if "probe 'two calls" in lost else 3
        self.tried = 0

    def find_failure(
        self, *, examples: int = 200, seed: int | None = None, progress: Callable[[int], None] | None = None
    ) -> Failure | None:
        """Try that many random messages.

        Args:
            examples: how many.
            seed: the seed of the random messages; None for different ones each time.
            progress: called after each message with the number tried so far.

        Returns:
            The smallest message that does not come back; None if all do.
        """
        failures: list[Failure] = []
        until = [0.0]  # when shrinking ends

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )
        @given(st.data())
        def trip(data: Any) -> None:
            if failures and time.monotonic() > until[0]:
                return
            known = data.draw(tools())
            said = data.draw(messages(known, content=self._content, reasoning=self._reasoning, max_calls=self._most))
            failure = self._tried(said, tuple(known), data.draw(st.integers(0, 2**16)))
            self.tried += 1
            if progress is not None:
                progress(self.tried)
            if failure is not None:
                until[0] = until[0] or time.monotonic() + SHRINK_SECONDS
                failures.append(failure)
                raise AssertionError(failure.difference)

        run = seeded(seed)(trip) if seed is not None else trip
        try:
            run()
        except (AssertionError, Flaky):  # Flaky: failures after the time for shrinking were not reported
            return min(failures, key=_size)
        return None

    def _tried(self, said: Message, known: tuple[Tool, ...], cut: int) -> Failure | None:
        try:
            turn = self._prober.turn(said, known)
        except TemplateError:
            reject()
        listed = ToolSet(known)
        for chunks in chunkings(turn.text, random.Random(cut)):  # noqa: S311  cuts, not secrets
            found = read(self.format, listed, chunks, turn.prompt)
            wrong = difference(said, found)
            if wrong:
                return Failure(said, known, turn.text, tuple(chunks), found, wrong)
        return None

    def close(self) -> None:
        """Stop the template's process."""
        self._renderer.close()


def _size(failure: Failure) -> tuple[int, int]:
    return len(failure.said.calls), len(failure.turn)


def check_template(
    source: str,
    *,
    format: Format | None = None,  # noqa: A002  # the field's own word for it
    examples: int = 200,
    seed: int | None = None,
    untrusted: bool = False,
    variables: Mapping[str, Any] | None = None,
) -> RoundTrip:
    """Assert that random tools and calls come back through a template, in your own test suite.

    Args:
        source: the template's text.
        format: the format that it should write; None: read from the template.
        examples: how many messages are tried.
        seed: the seed of the random messages; None for different ones each time.
        untrusted: render in a child process with limits on time and memory.
        variables: what is passed to the template besides the messages.

    Returns:
        The round trip, with the format and, if it was read from the template, the `Inference`.

    Raises:
        AssertionError: a message does not come back; the text shows the smallest one, and the turn.
        FormatError, TemplateError, UsageError: as for `infer`.
    """
    trip = RoundTrip(source, format=format, untrusted=untrusted, variables=variables)
    try:
        failure = trip.find_failure(examples=examples, seed=seed)
    finally:
        trip.close()
    if failure is not None:
        raise AssertionError(f"{failure.difference}\nsaid: {failure.said}\nturn: {failure.turn!r}")
    return trip
