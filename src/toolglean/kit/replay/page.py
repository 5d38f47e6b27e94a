# A recording becomes JSON; that, the player's markup, its style and its script become one HTML file. Does not depend on
# how the player shows it (player.js).
#
# The turn may be hostile. It is in the file only as JSON in a block of data, which browsers do not run, in ASCII, with
# every "<", ">" and "&" escaped: nothing in it can end the block, and a lone surrogate survives. The script adds text
# to the page only as text nodes. The page's policy allows only its own script and style, by their hashes, and no
# network.
"""One page that plays a turn."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from toolglean.events import CallDelta, CallEnd, CallStart, Event, Problem
from toolglean.kit.explain import Explanation, Opener, Reach
from toolglean.kit.explain.wording import fits, outcome, place, summary, troubles
from toolglean.kit.replay.parts import KINDS, Part, parts_of
from toolglean.kit.replay.recording import Recording

__all__ = ["html_page", "page_data"]

BOOT = "toolgleanReplay.start();"
MOST = 50  # problems
CALLS = 12  # calls that are named
TEXT = 120  # characters of a marker

_field = re.compile(r"\{\{(\w+)\}\}").sub
_NAMES = {"Content": "content", "Reasoning": "reasoning", "Markup": "markup"}


def page_data(recording: Recording) -> dict[str, Any]:
    """What the player needs, as JSON.

    Returns:
        title, notes, format: as in the recording.
        steps: how many there are: the chunks, and the end of the turn.
        kinds: the names of the kinds of parts.
        parts: [text, index of the kind, step fed, step given out, step of a problem, step unfinished, number of the
            quotation], without trailing zeros.
        quotations: what quotes each, in words.
        events: [step, name, …], with what `_event` adds for each kind.
        marks: [step, state, format], for each change of state or format.
        findings: what `explain` finds.
    """
    return {
        "title": recording.title,
        "notes": list(recording.notes),
        "format": recording.format,
        "steps": len(recording.steps),
        "kinds": list(KINDS),
        "parts": [_part(part) for part in parts_of(recording)],
        "quotations": [f"in {each.context} that opened at {each.since:,}" for each in recording.explanation.quotations],
        "events": [[number, *_event(event)] for number, step in enumerate(recording.steps, 1) for event in step.events],
        "marks": _marks(recording),
        "findings": _findings(recording.explanation),
    }


def _part(part: Part) -> list[Any]:
    row = [part.text, KINDS.index(part.kind), part.fed, part.given, part.problem, part.unfinished, part.quoted]
    while row[-1] == 0:
        row.pop()
    return row


def _event(event: Event) -> list[Any]:
    if isinstance(event, CallStart):
        return ["call_start", event.index, event.name, event.id, event.known]
    if isinstance(event, CallDelta):
        return ["call_delta", event.index, event.text]
    if isinstance(event, CallEnd):
        call = event.call
        return ["call_end", event.index, call.name, call.id, call.known, call.status, list(call.repairs)]
    if isinstance(event, Problem):
        return ["problem", event.reason, event.text]
    return [_NAMES[type(event).__name__], event.text]


def _marks(recording: Recording) -> list[list[Any]]:
    marks: list[list[Any]] = []
    for number, step in enumerate(recording.steps, 1):
        if not marks or marks[-1][1:] != [step.state, step.format]:
            marks.append([number, step.state, step.format])
    return marks


def _findings(found: Explanation) -> dict[str, Any]:
    # The explanation in plain words, with places as "line:column".
    return {
        "summary": f"{summary(found, CALLS)}.",
        "complete": found.complete,
        "causes": [{"name": cause.name, "at": place(cause), "text": cause.text} for cause in found.causes],
        "advice": [{"text": advice.text, "effect": advice.effect} for advice in found.advice],
        "problems": [{"at": place(each), "text": each.reason} for each in troubles(found)[:MOST]],
        "problems_left_out": max(0, len(troubles(found)) - MOST),
        "openers": [_opener(opener) for opener in found.openers],
        "openers_left_out": found.openers_left_out,
    }


def _opener(opener: Opener) -> dict[str, Any]:
    return {
        "at": place(opener),
        "text": opener.text[:TEXT],
        "kind": opener.kind,
        "read_as": f"{opener.read_as}, in code" if opener.quoted else opener.read_as,
        "fits": fits(opener),
        "best": _reach(opener.reaches[0]) if opener.reaches else "",
    }


def _reach(best: Reach) -> str:
    said, expected = outcome(best)
    far = "" if best.outcome in {"call", "marker"} else " came farthest"
    return f"{best.format}{far}: {said}" + (f"; expected {' or '.join(expected)}" if expected else "")


def html_page(recording: Recording) -> str:
    """One HTML page that plays the recording. It needs no network and no other file.

    Returns:
        The page, as text for a UTF-8 file. Its size is linear in that of the turn.
    """
    style, script = _read("player.css"), _read("player.js")
    return _filled(
        _read("page.html"),
        policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)} {_hash(BOOT)}; "
        "base-uri 'none'; form-action 'none'",
        title=html.escape(_printable(recording.title) or "a turn"),
        style=style,
        player=_read("player.html"),
        data=_data(page_data(recording)),
        script=script,
        boot=BOOT,
    )


def _filled(template: str, **texts: str) -> str:
    # One pass, so that fields inside the texts are not filled.
    return _field(lambda field: texts[field[1]], template)


@cache
def _read(name: str) -> str:
    return files(__name__.rpartition(".")[0]).joinpath(name).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def _data(value: dict[str, Any]) -> str:
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
