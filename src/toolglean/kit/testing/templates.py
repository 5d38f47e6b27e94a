# The check of a template: random tools and calls go through it and back, in random chunks. If something does not come
# back, the smallest example is returned. Does not depend on how examples are shown (cli/fuzz.py), on what else a
# template loses (losses.py), or on which values it can carry (carrying.py).
"""Round trips through a template."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from toolglean.batch.lines import values_in
from toolglean.errors import TemplateError
from toolglean.events import fold
from toolglean.formats.spec import Format
from toolglean.kit.testing.carrying import Uncarried, uncarried
from toolglean.kit.testing.losses import Loss, losses
from toolglean.kit.testing.strategies import messages, tools
from toolglean.sources.reading import alone, events_by
from toolglean.sources.templates.infer import Inference, infer
from toolglean.sources.templates.infer.prober import Prober
from toolglean.sources.templates.infer.probes import Message
from toolglean.sources.templates.infer.verify import chunkings, difference
from toolglean.sources.templates.language import advice_in, template_language
from toolglean.sources.templates.rendering import renderer
from toolglean.tools import Tool, ToolSet

__all__ = ["Failure", "Report", "RoundTrip", "check_template"]

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


@dataclass(frozen=True)
class Report:
    """What is known of a template once it was tried.

    Attributes:
        tried: how many random messages were tried.
        counts: how many of them had what: calls, several calls, content, reasoning, values that are not text, text
            before calls.
        failure: the smallest message that did not come back; None if all did.
        losses: what the template does not write.
        uncarried: texts that the template cannot carry in a call, the shortest of each kind.
    """

    tried: int
    counts: Mapping[str, int]
    failure: Failure | None
    losses: tuple[Loss, ...]
    uncarried: tuple[Uncarried, ...]

    def faults(self, allow: Collection[str] = ()) -> tuple[str, ...]:
        """Everything that is wrong, one sentence each.

        Args:
            allow: names of losses, and kinds of values, that do not count.
        """
        found = []
        if self.failure is not None:
            found.append(f"{self.failure.difference}\nsaid: {self.failure.said}\nturn: {self.failure.turn!r}")
        found += [f"{each.name}: {each}" for each in self.losses if each.name not in allow]
        return (*found, *(f"{each.kind}: {each}" for each in self.uncarried if each.kind not in allow))

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        failure = self.failure and {
            "difference": self.failure.difference,
            **values_in(self.failure.said, ("calls", "content", "reasoning")),
            "turn": self.failure.turn,
        }
        return {**values_in(self, ("tried", "counts")), "failure": failure, **values_in(self, ("losses", "uncarried"))}


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
        self._prober = Prober(self._renderer, variables)
        lost = " ".join(self.inference.losses) if self.inference is not None else ""
        self._content = "probe 'content and call'" not in lost
        self._reasoning = "probe 'reasoning and call'" not in lost
        self._most = 1 if "probe 'two calls" in lost else 3
        self.tried = 0
        self._counts: Counter[str] = Counter()

    def report(self, failure: Failure | None = None) -> Report:
        """What is known of the template: see `Report`.

        Args:
            failure: what `find_failure` returned.
        """
        lost, language = losses(self._prober, self.format), self._renderer.language
        changed = uncarried(self._written, self.format, lambda mend: advice_in(language, mend))
        return Report(self.tried, dict(self._counts), failure, lost, changed)

    def _written(self, message: Message, known: tuple[Tool, ...]) -> tuple[str, str]:
        turn = self._prober.turn(message, known)
        return turn.text, turn.prompt

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
            self._counts.update(_traits(said))
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
        machine = alone(self.format, ToolSet(known), turn.prompt)
        for chunks in chunkings(turn.text, random.Random(cut)):  # noqa: S311  cuts, not secrets
            found = fold(events_by(machine, chunks))
            wrong = difference(said, found)
            if wrong:
                return Failure(said, known, turn.text, tuple(chunks), found, wrong)
        return None

    def close(self) -> None:
        """Stop the template's process."""
        self._renderer.close()


def _traits(said: Message) -> Iterator[str]:
    values = [value for call in said.calls for value in call.arguments.values()]
    traits = {
        "calls": said.calls,
        "several calls": len(said.calls) > 1,
        "content": said.content,
        "reasoning": said.reasoning,
        "text before calls": said.content and said.calls,
        "values that are not text": any(not isinstance(value, str) for value in values),
    }
    return (name for name, has in traits.items() if has)


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
    allow_loss: Collection[str] = (),
) -> RoundTrip:
    """Assert, in your own test suite, that a template writes all of a message, and that all of it comes back.

    Args:
        source: the template's text.
        format: the format that it should write; None: read from the template.
        examples: how many random messages are tried.
        seed: the seed of the random messages; None for different ones each time.
        untrusted: render in a child process with limits on time and memory.
        variables: what is passed to the template besides the messages.
        allow_loss: what may be lost: names of losses (`reasoning`, `several-calls`, …), and kinds of values that the
            template need not carry whatever their text (`value`, `list`, `object`, `key`, `parameter`).

    Returns:
        The round trip, with the format and, if it was read from the template, the `Inference`.

    Raises:
        AssertionError: something is lost; the text has a sentence for each thing, and what to do about it.
        FormatError, TemplateError, UsageError: as for `infer`.
    """
    trip = RoundTrip(source, format=format, untrusted=untrusted, variables=variables)
    try:
        report = trip.report(trip.find_failure(examples=examples, seed=seed))
    finally:
        trip.close()
    if faults := report.faults(allow_loss):
        raise AssertionError("\n".join(faults))
    return trip
