# What this file knows: which texts show, in a prompt that this template writes, where the model's own message begins.
# What it must not know: how a prompt is cut (formats/headers.py), and how calls are written.
#
#   <<user>>WORDS<<end>>\n<<bot>>\n<mull>          behind the user's words
#   <<tool>>RESULT<<end>>\n<<bot>>\n<mull>         behind the result of a call
#                ──────────────── header
#                                 ─────── the model's reasoning: no part of it
"""The header of the model's message."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolglean.errors import TemplateError
from toolglean.formats.headers import ENDS, HEADERS
from toolglean.sources.templates.infer.frame import Frame
from toolglean.sources.templates.infer.prober import Prober
from toolglean.sources.templates.infer.texts import common_suffix, markers_of

__all__ = ["marks_of"]

MOST = 200  # characters of a header; what is longer holds tools or instructions

_word = re.compile(r"\w{2}").search


def marks_of(prober: Prober, frame: Frame, pairs: Iterable[tuple[str, str]] = ()) -> tuple[str, ...]:
    """The texts behind the last of which the model's message begins; () where the template shows none.

    Args:
        stage: the template.
        frame: what stands around its turns.
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
    # Where nothing is known of the end of a result, other templates' marks stand for this one's.
    return tuple(dict.fromkeys((*found, *frame.ends, *(() if _shows(after_result) else (*HEADERS, *ENDS)))))


def _header(text: str, reasoning: Iterable[tuple[str, str]]) -> str:
    # Without reasoning that the prompt opens, or closes at its end (harmony's closer ends any message).
    pairs = [(opener.strip(), closer.strip()) for opener, closer in reasoning]
    text = text[: min((text.find(opener) for opener, _ in pairs if opener and opener in text), default=len(text))]
    for _, closer in pairs:
        text = text.rstrip().removesuffix(closer) if closer and _shows(text.rstrip().removesuffix(closer)) else text
    return text


def _shared(one: str, other: str) -> str:
    shared = common_suffix(one.rstrip(), other.rstrip()).strip()
    return shared if _shows(shared) else ""


def _shows(text: str) -> bool:
    # Brackets and white space alone stand in every text.
    return bool(text) and len(text) <= MOST and any(_word(each) for each in markers_of(text))
