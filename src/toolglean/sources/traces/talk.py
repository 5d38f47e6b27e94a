# What is around the calls of a turn and is neither a call nor prose: the markers of reasoning, and those that end a
# turn. Does not depend on how calls are written.
#
# Reasoning begins a turn with a marker that other turns begin with as well, contains words, and ends with a marker that
# all of these turns have before their first call. A marker that ends all turns, with and without calls, ends a turn.
"""The markers of reasoning, and of the end of a turn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolglean.sources.templates.markers import is_pair
from toolglean.sources.traces.texts import MARKER, common_end, is_markup, markers_in

__all__ = ["THOUGHT", "Talk", "talk_of", "thinks"]

_lead = re.compile(rf"{MARKER}|[^\w\s]{{1,8}}\w{{2,30}}[^\w\s]{{0,8}}(?=\s)|[^\w\s]{{2,8}}(?=[\s\w])").match
THOUGHT = (
    r"think|thought|reason|muse|mull|ponder|reflect|plan|scratch|analysis|inner|consider|delib|brood|hmm|notes?\b|mind"
)
thinks = re.compile(THOUGHT, re.IGNORECASE).search
"""Whether a marker is named as one of reasoning."""
_says = re.compile(r"say|answer|respon|reply|content|messag|final|speak|output|utter|prose|text", re.IGNORECASE).search
_ends = re.compile(r"end|eot|eos|eom|stop|done|over|fin|turn|</s>|halt|bye|⏹|∎", re.IGNORECASE).search
_words = re.compile(r"\w{2,}\s+\w{2,}").search
_edges = str.maketrans("<>[](){}‹›«»⟨⟩⟪⟫【】⟦⟧「」『』", "><][)(}{›‹»«⟩⟨⟫⟪】【⟧⟦」「』『")


@dataclass(frozen=True, slots=True)
class Talk:
    """The markers around prose.

    Attributes:
        reasoning: those before and after reasoning, with the white space that is next to them in every turn.
        content: those before and after content.
        end: what ends a turn.
    """

    reasoning: tuple[str, str] = ("", "")
    content: tuple[str, str] = ("", "")
    end: str = ""

    def before_call(self, text: str) -> str:
        """The text before the first call, without reasoning and markers of content."""
        for opener, closer in (self.reasoning, self.content):
            if opener and text.lstrip().startswith(opener.strip()):
                _, found, rest = text.partition(closer.strip())
                text = rest if found else text
        return text

    def after_call(self, text: str) -> str:
        """The text after the last call, without the end of the turn."""
        return text.rstrip().removesuffix(self.end) if self.end else text


def talk_of(befores: Sequence[str], afters: Sequence[str], plain: Sequence[str]) -> Talk:
    """What the turns show.

    Args:
        befores: of turns with calls, the text before the first one.
        afters: of these, the text after the last one.
        plain: turns without calls.
    """
    end = _end(afters, plain)
    talk = [text.rstrip().removesuffix(end) if end else text for text in (*befores, *plain)]
    reasoning = _pair(talk, says=False)
    rests = [Talk(reasoning).before_call(text) for text in talk]
    return Talk(reasoning, _pair(rests, says=True), end)


def _end(afters: Sequence[str], plain: Sequence[str]) -> str:
    tails = [text.rstrip() for text in afters]
    ended = [text.rstrip() for text in plain if is_markup(common_end([*tails, text.rstrip()]).text)]
    # Of the turns without a call, a few may be of another format.
    tails += ended if len(ended) * 2 > len(plain) else (text.rstrip() for text in plain)
    found = common_end(tails).text.strip() if len(tails) > 1 else ""
    if not found or not is_markup(found):
        return ""
    if plain:
        return found
    markers = markers_in(found)
    last = markers[-1] if markers else ""
    # Without a turn that has no call, only its name tells the end of a turn from that of a call.
    is_end = last and _ends(last) and not last.startswith(("</", "[/", "[[/")) and found.endswith(last)
    return last if is_end and any(text.strip() != last for text in tails) else ""


def _pair(texts: Sequence[str], *, says: bool) -> tuple[str, str]:
    best, most = ("", ""), 0
    for lead in _lead_candidates(texts):
        led = [text.lstrip() for text in texts if text.lstrip().startswith(lead)]
        wanted = bool(_says(lead)) and not thinks(lead)
        if wanted != says:
            continue
        alone = len(led) < 2 and not (thinks(lead) or says)
        for closer in _closers(lead, led[0][len(lead) :]):
            if alone and not is_pair(lead, closer):
                continue
            insides = [text[len(lead) :].partition(closer) for text in led]
            if all(found and _words(inside) for inside, found, _ in insides) and len(led) > most:
                best, most = _spaced(lead, closer, insides), len(led)
                break
    return best


def _lead_candidates(texts: Sequence[str]) -> list[str]:
    found = filter(None, (_lead(text.lstrip()) for text in texts))
    return [lead for lead, _ in Counter(match.group() for match in found).most_common()]


def _closers(lead: str, rest: str) -> Iterator[str]:
    # The lead with a slash; a marker with the same letters; a word for the end after its signs; the lead mirrored; any
    # marker.
    words = re.search(r"[\w-]+", lead)
    if words is not None:
        before, word = lead[: words.start()], words.group()
        yield from (each for each in (before + "/" + lead[words.start() :],) if each in rest)
        yield from (each for each in markers_in(rest) if is_pair(lead, each))
        yield from (each for each in re.findall(rf"(?<=\s){re.escape(before)}\w+", rest) if before and _ends(each))
        turned = word + before[::-1].translate(_edges)
        yield from (turned for found in (re.search(rf"(?<=\s){re.escape(turned)}", rest),) if found)
    mirrored = lead[::-1].translate(_edges)
    yield from (each for each in (mirrored, lead) if each in rest)
    yield from (each for each in markers_in(rest) if each != lead)


def _spaced(lead: str, closer: str, insides: Sequence[tuple[str, str, str]]) -> tuple[str, str]:
    opener = lead + ("\n" if all(inside.startswith("\n") for inside, _, _ in insides) else "")
    before = "\n" if all(inside.endswith("\n") for inside, _, _ in insides) else ""
    after = "\n" if all(rest.startswith("\n") for _, _, rest in insides) else ""
    return opener, before + closer + after
