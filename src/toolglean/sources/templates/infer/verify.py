# How a format is proven: messages go through the template, are read at several chunkings, and must equal what went in.
# Does not depend on how the format was found.
#
# First, one message for each trait that may get lost (messages.py): each failure is a loss, named after the trait. A
# format that fails a core trait is not accepted. Then several hundred random messages without the lost traits: a
# failure there shows that the format is wrong in a way that has no name, and lowers the confidence.
"""The proof of a format."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from toolglean.errors import FormatError, TemplateError, shown
from toolglean.events import Output, fold
from toolglean.formats.words import opening
from toolglean.formats.write_values import same
from toolglean.sources.reading import alone, events_by
from toolglean.sources.templates.infer.messages import CORE, TOOLS, checks, samples
from toolglean.sources.templates.infer.probes import Call, Message
from toolglean.tools import ToolSet

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.sources.templates.infer.prober import Prober, Turn

__all__ = ["ESCAPED", "Proof", "check_proof", "chunkings", "difference", "entities", "prove", "read", "score"]

SEED = 20260115
ENOUGH_WRONG = 12  # the proof ends when this many random messages have failed
SHOWN = 240  # characters of what the template wrote that a refusal shows
FEWEST_SAMPLES = 20  # with so many it also ends when half of an untrusted template's time is used


@dataclass
class Proof:
    """What the messages showed.

    Attributes:
        passed, failed: the labels of the checks; for a failed one, how it failed.
        unwritten: what the template left out of a check, or why it wrote no turn; everything else came back.
        tried, wrong: how many random messages were tried, and how many of them did not come back.
        example: the first random message that did not come back, and how.
        written: what the template wrote for that message, or for the first core check that failed.
    """

    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    unwritten: dict[str, str] = field(default_factory=dict)
    tried: int = 0
    wrong: int = 0
    example: str = ""
    written: str = ""

    @property
    def lost(self) -> frozenset[str]:
        """The labels of everything that did not come back."""
        return frozenset(self.failed) | frozenset(self.unwritten)

    @property
    def core_failure(self) -> str:
        """The first core check that failed, and how; "" if none did."""
        return next((f"{label!r} failed: {self.failed[label]}" for label in self.failed if label in CORE), "")

    @property
    def confidence(self) -> float:
        """The share of checks that passed, multiplied by the share of random messages that came back."""
        checked = len(self.passed) + len(self.failed)
        right = len(self.passed) / checked if checked else 0.0
        return round(right * (1 - self.wrong / self.tried if self.tried else 1.0), 3)


def score(prober: Prober, declared: Format) -> Proof:
    """The checks alone, at one chunking."""
    proof = Proof()
    for message in checks():
        _check(prober, declared, message, proof, None)
        if proof.core_failure:
            break  # the format is refused: further failures do not matter
    return proof


def prove(prober: Prober, declared: Format, count: int) -> Proof:
    """Checks and `count` random messages, each at several chunkings."""
    proof = Proof()
    rng = random.Random(SEED)  # noqa: S311  a proof must be repeatable
    for message in checks():
        _check(prober, declared, message, proof, rng)
    for message in samples(count, SEED, proof.lost):
        if proof.wrong >= ENOUGH_WRONG or (prober.is_short_of_time and proof.tried >= FEWEST_SAMPLES):
            break
        wrong = _wrong(prober, declared, message, rng)
        if wrong is None:
            continue
        if wrong and (why := _after_content(prober, declared, message, rng)):
            proof.unwritten["content and call"] = why
            continue
        proof.tried += 1
        proof.wrong += bool(wrong)
        if wrong and not proof.example:
            proof.example = f"{message.label}: {wrong}"
            proof.written = proof.written or prober.turn(message, TOOLS).text
    return proof


def _check(prober: Prober, declared: Format, message: Message, proof: Proof, rng: random.Random | None) -> None:
    try:
        turn = prober.turn(message, TOOLS)
    except TemplateError as error:
        proof.unwritten[message.label] = f"the template refuses it: {error.reason}"
        return
    written, left_out = what_is_written(message, turn.text)
    prober.check_time()
    wrong = difference_of(turn, declared, written, rng)
    if wrong and not difference_of(turn, declared, in_quotes(written, turn.text), rng):
        proof.unwritten[message.label] = QUOTED
    elif wrong and not any(each.arguments for each in message.calls) and _without_object(turn.text):
        proof.unwritten[message.label] = NO_OBJECT
    elif wrong and _is_spelled_otherwise(declared, written, turn, rng):
        proof.unwritten[message.label] = SPELLED
    elif wrong and (why := _after_content(prober, declared, written, rng)):
        proof.unwritten[message.label] = why
    elif wrong:
        proof.written = proof.written or turn.text
        entity = next((each for each in entities(turn.text) if each not in repr(message)), "")
        proof.failed[message.label] = wrong + (
            f"; the template writes {entity!r} for a character: {ESCAPED}" * bool(entity)
        )
    elif left_out:
        proof.unwritten[message.label] = left_out
    else:
        proof.passed.append(message.label)


def _wrong(prober: Prober, declared: Format, message: Message, rng: random.Random | None) -> str | None:
    try:
        turn = prober.turn(message, TOOLS)
    except TemplateError:
        return None
    prober.check_time()
    return difference_of(turn, declared, message, rng)


def _after_content(prober: Prober, declared: Format, message: Message, rng: random.Random | None) -> str:
    # Whether nothing is wrong but that content is before the call, and why that matters.
    if not message.content or not message.calls:
        return ""
    if _wrong(prober, declared, replace(message, content=message.content + "\n"), rng) == "":
        return GLUED
    is_bare = not (opening(declared.section[0]) or opening(declared.call))
    return BARE if is_bare and _wrong(prober, declared, replace(message, content=""), rng) == "" else ""


def difference_of(turn: Turn, declared: Format, message: Message, rng: random.Random | None) -> str:
    """How the message differs after a round trip through the template; "" if it does not.

    Raises:
        FormatError: the format does not compile.
    """
    # The header of the model's message is not read here, and may look like text before a call.
    prompts = dict.fromkeys((turn.prompt, turn.prompt.rpartition("\n")[2], ""))
    found = ""
    for prompt in prompts:
        machine = alone(declared, ToolSet(TOOLS), prompt)
        cuts = chunkings(turn.text, rng) if rng is not None else iter([[turn.text]])
        outputs = (fold(events_by(machine, chunks)) for chunks in cuts)
        found = next(filter(None, (difference(message, output) for output in outputs)), "")
        if not found:
            break
    return found


def what_is_written(message: Message, text: str) -> tuple[Message, str]:
    """The part of the message that the template wrote, and what it left out, in words ("" for nothing)."""
    left_out = []
    if message.content and message.content.strip() not in text:
        message = replace(message, content="")
        left_out.append("the content")
    if message.reasoning and message.reasoning.strip() not in text:
        message = replace(message, reasoning="")
        left_out.append("the reasoning")
    here = count = 0
    for each in message.calls:
        here = text.find(each.name, here) + 1
        if not here:
            break
        count += 1
    if count < len(message.calls):
        left_out.append(f"more than {count} of {len(message.calls)} calls")
        message = replace(message, calls=message.calls[:count])
    return message, f"the template does not write {' and '.join(left_out)}" if left_out else ""


ESCAPED = "write it as it is: without |e, and with autoescape off"
entities = re.compile("&#?[a-z0-9]+;").findall
NO_OBJECT = "the template writes nothing, and not {}, for a call without arguments, so it is not read"
_without_object = re.compile(r'"\w+":\s*[,}]').search
WHOLE = "write the arguments with |tojson, between markers of their own"
GLUED = (
    "a call is not found if the content before it ends with a letter or a sign of its opener: write a line break "
    "between the two"
)
BARE = "a call that no marker begins is not read after content: write a marker before each call"
QUOTED = "the template writes values that are not text in quotation marks, so they come back as text"


SPELLED = "the template writes lists and objects neither as JSON nor as Python, so they come back as text"


def _is_spelled_otherwise(declared: Format, message: Message, turn: Turn, rng: random.Random | None) -> bool:
    # Whether nothing is wrong but lists and objects, of which the template writes a text that nobody can read.
    values = [value for each in message.calls for value in each.arguments.values()]
    if not declared.parameters or not any(isinstance(value, list | dict) for value in values):
        return False
    found = read(declared, ToolSet(TOOLS), [turn.text], turn.prompt).calls
    if len(found) != len(message.calls):
        return False
    calls = [_as_text(each, call.arguments) for each, call in zip(message.calls, found, strict=True)]
    return not difference_of(turn, declared, replace(message, calls=tuple(calls)), rng)


def _as_text(call: Call, found: Mapping[str, Any]) -> Call:
    # The call, with a text that came back instead of a list or object, unless that text is JSON or Python.
    arguments = dict(call.arguments)
    for key, value in arguments.items():
        text = found.get(key)
        if isinstance(value, list | dict) and isinstance(text, str) and text not in {str(value), json.dumps(value)}:
            arguments[key] = text
    return replace(call, arguments=arguments)


def in_quotes(message: Message, text: str) -> Message:
    """The message, with the text of each value that is not text, but is in quotation marks in what was written."""
    calls = tuple(
        replace(each, arguments={key: _quoted(value, text) for key, value in each.arguments.items()})
        for each in message.calls
    )
    return replace(message, calls=calls)


def _quoted(value: Any, text: str) -> Any:
    if isinstance(value, str):
        return value
    spelled = (str(value), json.dumps(value, ensure_ascii=False), json.dumps(value))
    return next((each for each in spelled if any(f"{mark}{each}{mark}" in text for mark in "\"'")), value)


def check_proof(proof: Proof, *, known: bool) -> None:
    """Raises FormatError if the format is not accepted. A known one may misread content that its template changes."""
    if not known and "content" in proof.failed:
        why = f"probe 'content' failed: {proof.failed['content']}"
    elif proof.core_failure:
        why = f"probe {proof.core_failure}" + ("" if ESCAPED in proof.core_failure else f"; {WHOLE}")
    elif proof.tried and proof.wrong > proof.tried // 20:
        why = f"{proof.wrong} of {proof.tried} random messages came back wrong; {proof.example}"
    else:
        return
    raise FormatError(f"no format can be read from the template: {why}; it wrote {shown(proof.written, SHOWN)}")


# -- reading a turn back --------------------------------------------------------------------------------------------

EVERY_CHARACTER = 4_000  # turns up to this length are also read character by character


def read(declared: Format, tools: ToolSet, chunks: list[str], prompt: str = "") -> Output:
    """The turn, read with the format. Raises FormatError if the format does not compile."""
    return fold(events_by(alone(declared, tools, prompt), chunks))


def chunkings(text: str, rng: random.Random) -> Iterator[list[str]]:
    """The whole text, the text character by character, and the text cut at random."""
    yield [text]
    if len(text) <= EVERY_CHARACTER:
        yield list(text)
    cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randint(1, 12)))
    yield [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def difference(message: Message, found: Output) -> str:
    """How the turn that was read differs from the message; "" if it does not. Texts may differ in outer white space."""
    if found.unfinished:
        return f"a call came back {found.unfinished[0].status}"
    if len(found.calls) != len(message.calls):
        return f"{len(found.calls)} calls came back instead of {len(message.calls)}"
    for given, call in zip(message.calls, found.calls, strict=True):
        if call.name != given.name:
            return f"the name {given.name!r} came back as {call.name!r}"
        if call.arguments.keys() != given.arguments.keys():
            return f"the arguments {list(given.arguments)} came back as {list(call.arguments)}"
        for key, value in given.arguments.items():
            if not same(value, call.arguments[key]):
                return f"the argument {value!r} came back as {call.arguments[key]!r}"
    for what, given_text, text in (
        ("content", message.content, found.content),
        ("reasoning", message.reasoning, found.reasoning),
    ):
        if given_text.strip() != text.strip():
            return f"the {what} {given_text!r} came back as {text!r}"
    return ""
