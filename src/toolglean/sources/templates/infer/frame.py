# The frame of a turn: the markers of reasoning and of content, the end of the turn, and the header with which the
# model's message begins in a prompt. Does not depend on how a call is written, or on how a prompt is cut
# (formats/headers.py).
"""The frame of a turn, and the header of the model's message."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from toolglean.errors import TemplateError
from toolglean.formats.headers import ENDS, HEADERS
from toolglean.sources.templates.infer.prober import Prober, Turn
from toolglean.sources.templates.infer.probes import REPLY, THOUGHT, Message, call
from toolglean.sources.templates.infer.texts import common_suffix, last_marker, markers_of, turn_ends
from toolglean.sources.templates.markers import closer_for

__all__ = ["Frame", "frame_of", "marks_of"]


@dataclass
class Frame:
    """The markers of a turn.

    Attributes:
        reasoning: the markers before and after reasoning.
        content_markers: the markers before content.
        drop: markers without a meaning for the parser, such as those that end a turn.
        ends: those of them that end a turn.
        end: all the text after a plain reply.
        starts_reasoning: whether the prompt opens the reasoning.
        evidence: which probe showed what.
    """

    reasoning: tuple[str, str] = ("", "")
    content_markers: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    end: str = ""
    starts_reasoning: bool = False
    evidence: list[str] = field(default_factory=list)

    def without_end(self, text: str) -> str:
        """The text without the end of the turn."""
        shared = common_suffix(text, self.end) if self.end.strip() else ""
        text = text[: len(text) - len(shared)] if shared.strip() else text
        for marker in self.drop:
            at = text.find(marker)
            if at != -1:
                text = text[:at]
        return text

    def without_reasoning(self, text: str) -> str:
        """The text without the empty reasoning at its beginning."""
        closer = self.reasoning[1].strip()
        return text[text.rfind(closer) + len(closer) :] if closer and closer in text else text


def frame_of(prober: Prober) -> Frame:
    """The frame, as shown by plain replies and reasoning."""
    frame = Frame()
    before, found, after = prober.written(Message(content=REPLY)).partition(REPLY)
    if not found:  # the template refuses a plain reply: then the user's message shows how one ends
        before = ""
        with suppress(TemplateError):
            after = "".join(turn_ends(prober.after_user()))
    _find_reasoning(prober, frame, before)
    _find_end(prober, frame, after)
    before = frame.without_reasoning(before)
    if markers_of(before) and any(char in before for char in "<[|"):
        frame.content_markers = (before.strip(),)
        frame.evidence.append(f"a plain reply: content comes after {before.strip()!r}")
    return frame


def _find_end(prober: Prober, frame: Frame, after: str) -> None:
    end = after
    with suppress(TemplateError):
        if not end.strip():
            tail = prober.followed(Message(content=REPLY)).partition(REPLY)[2]
            end = tail[: len(tail) - len(common_suffix(tail, prober.before_user()))]
    frame.ends = tuple(turn_ends(end)) or tuple(each for each in (end.strip(),) if 0 < len(each) < 80)
    frame.drop += frame.ends
    frame.end = after
    if frame.drop:
        frame.evidence.append(f"a plain reply: the turn ends with {' and '.join(map(repr, frame.drop))}")


def _find_reasoning(prober: Prober, frame: Frame, plain: str) -> None:
    for message in (Message(content=REPLY, reasoning=THOUGHT), Message((call(0),), reasoning=THOUGHT)):
        try:
            turn = prober.turn(message)
        except TemplateError:
            continue
        if THOUGHT not in turn.text:
            continue
        opener, _, rest = turn.text.partition(THOUGHT)
        follow = rest.partition(REPLY)[0] if message.content else rest
        opener = opener if opener.strip() else _opened(turn, follow)
        if _is_pair(frame, opener, follow, plain if message.content else ""):
            frame.evidence.append(f"reasoning: it is between {frame.reasoning[0]!r} and {frame.reasoning[1]!r}")
            break
    else:
        _find_embedded(prober, frame)
    _find_start(prober, frame)


def _opened(turn: Turn, follow: str) -> str:
    # The prompt has opened the reasoning, by its last marker, if that forms a pair with what follows, or its last line.
    opener = last_marker(turn.prompt)
    if opener and closer_for(opener.strip(), follow):
        return opener
    line = turn.prompt.rstrip("\n").rpartition("\n")[2]
    return turn.prompt[turn.prompt.rfind(line) :] if line and not markers_of(line)[0].startswith("<") else ""


def _is_pair(frame: Frame, before: str, follow: str, plain: str) -> bool:
    opener = before.lstrip() if "\n<" not in before.strip() else last_marker(before)
    markers = markers_of(follow) if any(char in follow for char in "<[|") else []
    if not opener.strip() or not markers:
        return False
    closer = follow[: follow.find(markers[0]) + len(markers[0])]
    frame.reasoning = (opener, closer)
    rest = follow[len(closer) :]
    shared = common_suffix(rest, plain) if plain else ""
    left = rest[: len(rest) - len(shared)].strip()
    if plain and left:
        frame.drop += (left,)
    return True


def _find_embedded(prober: Prober, frame: Frame) -> None:
    # Templates that remove reasoning from the content of a history contain its markers.
    for opener, closer in (("<think>", "</think>"), ("[THINK]", "[/THINK]")):
        try:
            text = prober.turn(Message(content=f"{opener}{THOUGHT}{closer}{REPLY}")).text
            prompt = prober.prompt()
        except TemplateError:
            continue
        if (REPLY in text and THOUGHT not in text) or prompt.rstrip().endswith(opener):
            frame.reasoning = (opener, closer)
            frame.evidence.append(f"reasoning in the content: it is removed, from {opener!r} to {closer!r}")
            return


def _find_start(prober: Prober, frame: Frame) -> None:
    opener, closer = (each.strip() for each in frame.reasoning)
    prompt = prober.prompt()
    if opener and opener in prompt:
        frame.starts_reasoning = closer not in prompt.rpartition(opener)[2]
        if frame.starts_reasoning:
            frame.evidence.append("generation prompt: it opens the reasoning")
    with suppress(TemplateError):
        without = prober.prompt(thinking=False)
        if without != prompt:
            frame.evidence.append(f"generation prompt, thinking off: it ends with {without[-40:]!r}")


# -- the header of the model's message -------------------------------------------------------------------------------
#
#   <<user>>WORDS<<end>>\n<<bot>>\n<mull>          after the user's words
#   <<tool>>RESULT<<end>>\n<<bot>>\n<mull>         after the result of a call
#                ──────────────── header
#                                 ─────── the model's reasoning, which is not part of it

MOST = 200  # characters of a header; a longer text contains tools or instructions

_word = re.compile(r"\w{2}").search


def marks_of(prober: Prober, frame: Frame, pairs: Iterable[tuple[str, str]] = ()) -> tuple[str, ...]:
    """The texts that may end before the model's message, which begins after the last of them; () if there are none.

    Args:
        prober: the template.
        frame: the markers of its turns.
        pairs: further markers of reasoning.
    """
    reasoning = (frame.reasoning, *pairs)
    try:
        after_user = _header(prober.prompt(), reasoning)
        off = _header(prober.prompt(thinking=False), reasoning)
    except TemplateError:
        return ()
    after_user = _shared(after_user, off) or after_user
    try:
        after_result = _header(prober.after_result(), reasoning)
    except TemplateError:
        after_result = ""
    shared = _shared(after_user, after_result)
    found = tuple(
        each for each in ((shared,) if shared else (after_user.strip(), after_result.strip())) if _shows(each)
    )
    if not found:
        return ()
    # If the end of a result is unknown, the marks of other templates are used.
    return tuple(dict.fromkeys((*found, *frame.ends, *(() if _shows(after_result) else (*HEADERS, *ENDS)))))


def _header(text: str, reasoning: Iterable[tuple[str, str]]) -> str:
    # Leave out reasoning that the prompt opens, or closes at its end (harmony's closer ends any message).
    pairs = [(opener.strip(), closer.strip()) for opener, closer in reasoning]
    text = text[: min((text.find(opener) for opener, _ in pairs if opener and opener in text), default=len(text))]
    for _, closer in pairs:
        text = text.rstrip().removesuffix(closer) if closer and _shows(text.rstrip().removesuffix(closer)) else text
    return text


def _shared(one: str, other: str) -> str:
    shared = common_suffix(one.rstrip(), other.rstrip()).strip()
    return shared if _shows(shared) else ""


def _shows(text: str) -> bool:
    # Brackets and white space alone occur in every text.
    return bool(text) and len(text) <= MOST and any(_word(each) for each in markers_of(text))
