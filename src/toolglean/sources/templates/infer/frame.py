# What this file knows: what stands around what a turn says: markers of reasoning, of content, and the end of the turn.
# What it must not know: how a call is written.
"""The frame of a turn."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from toolglean.errors import TemplateError
from toolglean.sources.templates.infer.probes import REPLY, THOUGHT, Said, call
from toolglean.sources.templates.infer.stage import Stage, Turn
from toolglean.sources.templates.infer.texts import common_suffix, last_marker, markers_of, turn_ends
from toolglean.sources.templates.markers import closer_for

__all__ = ["Frame", "frame_of"]


@dataclass
class Frame:
    """What stands around.

    Attributes:
        reasoning: the markers before and after reasoning.
        content_markers: markers before content.
        drop: markers that end a turn, and the like.
        ends: those of them that end a turn.
        end: what ends a turn.
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
        """The text without what ends a turn."""
        shared = common_suffix(text, self.end) if self.end.strip() else ""
        text = text[: len(text) - len(shared)] if shared.strip() else text
        for marker in self.drop:
            at = text.find(marker)
            if at != -1:
                text = text[:at]
        return text

    def without_reasoning(self, text: str) -> str:
        """The text without empty reasoning before it."""
        closer = self.reasoning[1].strip()
        return text[text.rfind(closer) + len(closer) :] if closer and closer in text else text


def frame_of(stage: Stage) -> Frame:
    """The frame, as plain replies and reasoning show it."""
    frame = Frame()
    before, behind = _around(stage, Said(content=REPLY), REPLY)
    _find_reasoning(stage, frame, before)
    _find_end(stage, frame, behind)
    before = frame.without_reasoning(before)
    if markers_of(before) and any(char in before for char in "<[|"):
        frame.content_markers = (before.strip(),)
        frame.evidence.append(f"a plain reply: content stands behind {before.strip()!r}")
    return frame


def _around(stage: Stage, said: Said, leaf: str) -> tuple[str, str]:
    try:
        text = stage.turn(said).text
    except TemplateError:
        return "", ""
    before, _, behind = text.partition(leaf)
    return (before, behind) if leaf in text else ("", "")


def _find_end(stage: Stage, frame: Frame, behind: str) -> None:
    end = behind
    try:
        whole = stage.followed(Said(content=REPLY))
        tail = whole.rpartition(REPLY)[2] if REPLY in whole else ""
        header = common_suffix(tail, stage.before_user())
        shorter = tail[: len(tail) - len(header)]
        end = end if end.strip() else shorter
    except TemplateError:
        pass
    frame.ends = tuple(turn_ends(end)) or tuple(each for each in (end.strip(),) if 0 < len(each) < 80)
    frame.drop += frame.ends
    frame.end = behind
    if frame.drop:
        frame.evidence.append(f"a plain reply: the turn ends with {' '.join(frame.drop)!r}")


def _find_reasoning(stage: Stage, frame: Frame, plain: str) -> None:
    for said in (Said(content=REPLY, reasoning=THOUGHT), Said((call(0),), reasoning=THOUGHT)):
        try:
            turn = stage.turn(said)
        except TemplateError:
            continue
        if THOUGHT not in turn.text:
            continue
        opener, _, rest = turn.text.partition(THOUGHT)
        follow = rest.partition(REPLY)[0] if said.content else rest
        opener = opener if opener.strip() else _opened(turn, follow)
        if _is_pair(frame, opener, follow, plain if said.content else ""):
            frame.evidence.append(f"reasoning: it stands between {frame.reasoning[0]!r} and {frame.reasoning[1]!r}")
            break
    else:
        _find_embedded(stage, frame)
    _find_start(stage, frame)


def _opened(turn: Turn, follow: str) -> str:
    # The prompt has opened the reasoning: its last marker, if that is a pair with what follows; or its last line.
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


def _find_embedded(stage: Stage, frame: Frame) -> None:
    # Templates that take reasoning out of a history's content know its markers.
    for opener, closer in (("<think>", "</think>"), ("[THINK]", "[/THINK]")):
        try:
            text = stage.turn(Said(content=f"{opener}{THOUGHT}{closer}{REPLY}")).text
            prompt = stage.prompt()
        except TemplateError:
            continue
        if (REPLY in text and THOUGHT not in text) or prompt.rstrip().endswith(opener):
            frame.reasoning = (opener, closer)
            frame.evidence.append(f"reasoning in the content: it is taken out from {opener!r} to {closer!r}")
            return


def _find_start(stage: Stage, frame: Frame) -> None:
    opener, closer = (each.strip() for each in frame.reasoning)
    prompt = stage.prompt()
    if opener and opener in prompt:
        frame.starts_reasoning = closer not in prompt.rpartition(opener)[2]
        if frame.starts_reasoning:
            frame.evidence.append("generation prompt: it opens the reasoning")
    with suppress(TemplateError):
        without = stage.prompt(thinking=False)
        if without != prompt:
            frame.evidence.append(f"generation prompt, thinking off: it ends with {without[-40:]!r}")
