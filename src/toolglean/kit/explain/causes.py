# The likely cause of a lost call, and how to say it. Does not depend on how the evidence was found.
"""The likely cause, in plain words."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from toolglean.events import ToolCall
from toolglean.kit.explain import near_misses
from toolglean.kit.explain.evidence import Evidence, Story
from toolglean.kit.explain.expected import KEYS, TOOL_NAME
from toolglean.kit.explain.explanation import Cause, Opener, Reach
from toolglean.kit.explain.reading import another_message
from toolglean.kit.explain.reasons import NOT_CLOSED, detail_of, limit_of
from toolglean.kit.explain.trials import shown_value

if TYPE_CHECKING:
    from toolglean.events import ProblemCode

__all__ = ["causes_of"]

MOST = 5  # causes that are named
LONG = 60  # characters of an argument that is shown
SHOWN = 12  # characters of the text at the place of a fault
NEAR = 0.85  # the least similarity of the name of a tool that is suggested: `select_all` is not `delete_all`

STRIPPED = (
    "The text does not show whether the server removed the special tokens that mark a call: if so, pass "
    "skip_special_tokens=False to vLLM, SGLang or transformers. `toolglean formats NAME` lists the markers that must "
    "stay."
)


def causes_of(found: Evidence) -> list[Cause]:
    """The likely causes, the likeliest first; empty if everything was read."""
    causes: dict[str, Cause] = {}
    for rule in _RULES:
        if rule is _nothing and causes:
            break
        for name, place, text in rule(found):
            causes.setdefault(name, Cause(name, text, place, *found.read.places.of(place)))
    return list(causes.values())[:MOST]


# -- calls that were not finished --------------------------------------------------------------------------------------


def _limits(found: Evidence) -> Iterator[Story]:
    for problem in found.read.problems:
        if name := limit_of(problem.code):
            yield Story(
                "limit",
                problem.start,
                f"The turn exceeded the limit {name!r}, so everything after that is content. If you expect such calls, "
                f"pass options=ParserOptions(limits=Limits({name}=…)) with a larger value.",
            )


def _unfinished(found: Evidence) -> Iterator[Story]:
    for call in found.read.calls:
        if call.status == "incomplete":
            yield next(near_misses.open_string(found, call), None) or _incomplete(found, call)
        elif call.status == "malformed":
            yield from _malformed(found, call)


def _incomplete(found: Evidence, call: ToolCall) -> Story:
    end = len(found.read.text)
    reach = _reach_at(found, call.span[0])
    declared = found.read.parser.format
    markers, pattern = ((), "") if declared is None else (declared.markers, declared.call.rstrip())
    ends = (">", "]", ")", "}", *filter(None, map(str.strip, markers)))
    if reach is not None and reach.within == "markers" and found.read.text.rstrip().endswith(ends):
        opens = ("'</", "'<|/")
        closers = (each for each in reach.expected if each.startswith(opens) or pattern.endswith(each[1:-1]))
        waits = next(closers, next(iter(reach.expected), "its closer"))
        return Story(
            "missing-closer",
            end,
            f"The call of {call.name!r} was never closed: the turn ends where {waits} was expected. Another parameter "
            "might have followed, so the call is incomplete. Check max_tokens, and that no stop string removes the "
            "closing marker.",
        )
    return _cut_off(end, f"the call of {call.name!r}")


def _cut_off(end: int, what: str) -> Story:
    return Story(
        "cut-off",
        end,
        f"The turn ends inside {what}. If the server says finish_reason 'length', max_tokens stopped the model: raise "
        "it. If not, the model or a stop string left out the rest: the text does not show which. A call that is cut "
        "off is never returned as complete.",
    )


def _malformed(found: Evidence, call: ToolCall) -> Iterator[Story]:
    start, end = call.span
    problem = next((each for each in found.read.problems if start <= each.start <= end), None)
    if problem is None or limit_of(problem.code):
        return
    if problem.code in NOT_CLOSED:
        yield Story(
            "missing-closer",
            problem.start,
            f"A closing marker is missing before the end of the call of {call.name!r}, or a value quotes a call: "
            f"{problem.reason}. The parser cannot tell which, so the call is malformed.",
        )
        return
    if not_object := list(near_misses.no_object(found.read.text, call.name, problem.start, problem.code)):
        yield from not_object
        return
    reach = _reach_at(found, start)
    kind = "json-broken" if reach is not None and reach.within == "JSON" else "arguments-malformed"
    what = "the JSON of its arguments" if kind == "json-broken" else "its arguments"
    if reach is not None and reach.outcome == "malformed" and reach.expected:
        place = reach.end
        said = _expected_but(found, reach)
    else:
        place, said = problem.start, detail_of(problem.reason)
    line, column = found.read.places.of(place)
    yield Story(
        kind,
        place,
        f"The call of {call.name!r} began, but {what} cannot be read: at line {line}, column {column}, {said}. "
        f"The model wrote it that way, so the call is malformed and must not run. {near_misses.RARER}",
    )


def _reach_at(found: Evidence, start: int) -> Reach | None:
    for opener in found.openers:
        if opener.start == start and opener.reaches:
            same = [each for each in opener.reaches if each.format == found.read.format]
            return (same or list(opener.reaches))[0]
    return None


# -- openers without a call --------------------------------------------------------------------------------------------


def _calls_elsewhere(found: Evidence) -> Iterator[Story]:
    """Whole calls that were read as text, because of where they are or how they are written."""
    for opener, reach in _lost(found):
        if reach.outcome not in {"call", "malformed"}:
            continue
        what = f"the call of {reach.name!r}" if reach.name else "a call"
        if reach.outcome == "malformed" and opener.quoted:
            continue
        if opener.read_as == "reasoning":
            yield Story(
                "in-reasoning",
                opener.start,
                f"The reasoning contains {what}. A call there is a draft, and stays reasoning. If the reasoning "
                "should have ended before it, its closing marker is missing, or the prompt did not open any reasoning.",
            )
        elif opener.quoted:
            yield _quoted(opener.start, what)
        elif found.asked.ways and found.read.format not in opener.formats:
            ways = ", ".join(f"{name}={_way(value)}" for name, value in found.asked.ways.items())
            yield Story(
                "other-dialect",
                opener.start,
                f"You passed {ways}, but {opener.text!r} begins {what} in another family's format "
                f"({', '.join(opener.formats[:3])}). Pass the format that the model really writes, or leave the "
                "argument out, so that the format is detected from the turn.",
            )
        elif reach.name and found.read.parser.tools is not None and reach.name not in found.read.parser.tools:
            yield _unknown(found, reach.name, opener.start, "so it is content")


def _way(value: Any) -> str:
    return shown_value(value) if isinstance(value, str) and len(value) <= LONG else "…"


def _quoted(start: int, what: str) -> Story:
    return Story(
        "quoted",
        start,
        f"{what[0].upper()}{what[1:]} is quoted: in code, in a quoted line or in a tool's result. That makes it an "
        "example, so it is content. Tell the model not to quote its calls.",
    )


_TOLD: Mapping[ProblemCode, Story] = {
    "not-a-call": Story(
        "data",
        0,
        "The JSON that names {text!r} is not a call but data, because {why}. So it is content. JSON without a marker "
        "is a call only if it is the whole answer, and has all required arguments and nothing else.",
    ),
    "call-in-json-string": Story(
        "in-json-string", 0, "What looks like a call is inside a string of a JSON document, so it is content."
    ),
    "call-to-user": Story(
        "addressed-to-user",
        0,
        "What looks like a call is in a message whose header addresses it to the user, so it is an example for the "
        "user, and content.",
    ),
    "leftover-marker": Story(
        "left-over", 0, "The marker {text!r} is left over next to a call. It is markup, and changes nothing."
    ),
}


def _told(found: Evidence) -> Iterator[Story]:
    """What the parser itself reports about calls that it did not return."""
    for problem in found.read.problems:
        if problem.code == "quoted-call":
            yield _quoted(problem.start, "a call")
        elif problem.code == "call-in-line":
            yield near_misses.in_line(problem.text, problem.start)
        elif problem.code == "unread-call":
            yield from near_misses.undeclared(found, problem.start)
        elif problem.code in _TOLD:
            name, _, text = _TOLD[problem.code]
            said = {"text": problem.text.strip()[:LONG], "why": detail_of(problem.reason)}
            yield Story(name, problem.start, text.format(**said))


def _openers_without_call(found: Evidence) -> Iterator[Story]:
    data = {each.start for each in found.read.problems if each.code == "not-a-call"}  # the parser reports why
    for opener, reach in _lost(found):
        if any(opener.start <= start <= reach.end for start in data):
            continue
        if opener.read_as == "reasoning" or reach.outcome == "call":
            continue
        if opener.quoted:
            yield _quoted(opener.start, "a marker of calls")
        elif reach.outcome == "unfinished":
            yield _cut_off(reach.end, f"what {opener.text!r} began")
        elif TOOL_NAME in reach.expected and reach.name:
            tools = found.read.parser.tools
            if tools is not None and reach.name in tools:
                yield near_misses.other_keys(opener, reach.name)
            else:
                yield _unknown(found, reach.name, opener.start, "so it is content")
        elif reach.within == "JSON":
            yield _no_json_call(found, opener, reach)
        elif reach.outcome == "none":
            yield Story(
                "no-call-after-marker",
                opener.start,
                f"{opener.text!r} is not followed by a call: at line {reach.line}, column {reach.column}, "
                f"{_expected_but(found, reach)}. In prose about tool calls that is normal; in a call, the model made a "
                "mistake.",
            )


def _no_json_call(found: Evidence, opener: Opener, reach: Reach) -> Story:
    if not reach.name and reach.expected[:1] in {(TOOL_NAME,), (KEYS,)}:
        return Story(
            "no-name",
            opener.start,
            f"{opener.text!r} is followed by JSON that is not a call: it has no key with the name of a tool, such as "
            '{"name": …, "arguments": …}.',
        )
    return Story(
        "json-broken",
        reach.end,
        f"{opener.text!r} is followed by JSON that breaks at line {reach.line}, column {reach.column}: "
        f"{_expected_but(found, reach)}. Up to there it was not certain to be a call, so the text is content.",
    )


def _lost(found: Evidence) -> Iterator[tuple[Opener, Reach]]:
    for opener in found.openers:
        if opener.reaches and opener.read_as != "call" and opener.kind != "reasoning":
            yield opener, opener.reaches[0]


# -- names -------------------------------------------------------------------------------------------------------------


def _unknown_calls(found: Evidence) -> Iterator[Story]:
    for call in found.read.calls:
        if call.known is False and call.status == "ok":
            yield _unknown(found, call.name, call.span[0], "so it has known=False")


def _unknown(found: Evidence, name: str, start: int, therefore: str) -> Story:
    tools = found.read.parser.tools
    known = {each.casefold(): each for each in (tools.names if tools is not None else ())}
    near = difflib.get_close_matches(name.casefold(), known, n=1, cutoff=NEAR)
    hint = f" Did the model mean {known[near[0]]!r}?" if near else ""
    return Story(
        "unknown-tool",
        start,
        f"{name!r} is not the name of any tool that you passed, {therefore}.{hint} Names must match exactly, "
        "including case. Pass every tool that the prompt lists.",
    )


# -- no opener ---------------------------------------------------------------------------------------------------------


def _reasoning(found: Evidence) -> Iterator[Story]:
    if another_message(found.read) is not None:
        return
    for opener in found.openers:
        if opener.kind == "end of reasoning" and found.asked.options.get("start") != "reasoning":
            yield Story(
                "reasoning-opened-by-prompt",
                opener.start,
                f"{opener.text!r} ends reasoning that did not begin in the turn: the chat template probably wrote the "
                'opening marker at the end of the prompt. Pass start="reasoning", or the end of the prompt as prompt=.',
            )


def _names_without_opener(found: Evidence) -> Iterator[Story]:
    for each in found.bare:
        span = found.read.span_at(each.start)
        if span is None or span.kind == "reasoning" or _is_told(found, each.start):
            continue
        if found.quotes.contains(each.start):
            yield _quoted(each.start, f"what looks like a call of {each.name!r}")
            continue
        ways = near_misses.misspelt, near_misses.in_sentence, near_misses.unmarked_json
        if nearly := next(filter(None, ([*way(found, each)] for way in ways)), None):
            yield from nearly
            continue
        certain = " Pass tools= too: without a marker, a call is certain only if it names a known tool."
        hint = certain if found.read.parser.tools is None else ""
        yield Story(
            "markers-stripped",
            each.start,
            f"{each.name!r} looks like the name of a call, but there is no marker before it. {STRIPPED}{hint}",
        )


def _is_told(found: Evidence, place: int) -> bool:
    # Whether the parser itself reported what is wrong with a call there.
    told = (each for each in found.read.problems if each.code in {"call-in-line", "unread-call"})
    return any(each.start <= place < each.start + len(each.text) for each in told)


def _closers_without_opener(found: Evidence) -> Iterator[Story]:
    # Its closer has an opener, which is misspelt.
    if any(list(near_misses.misspelt(found, each)) for each in found.bare):
        return
    for opener in found.openers:
        if opener.kind == "call" or found.read.calls:
            return
        if opener.kind == "end of call" and opener.read_as != "reasoning" and not opener.quoted:
            yield Story(
                "markers-stripped",
                opener.start,
                f"{opener.text!r} closes a call, but no call began before it. {STRIPPED} Otherwise the model "
                "forgot to write the opening marker.",
            )


def _nothing(found: Evidence) -> Iterator[Story]:
    if found.read.calls:
        return
    if found.openers or found.bare:
        yield Story(
            "mention",
            found.openers[0].start if found.openers else found.bare[0].start,
            "The text contains markers or names of calls, but nothing that reads like a whole call.",
        )
    else:
        yield Story(
            "no-opener",
            0,
            f"Nothing in the turn begins a call in any of the {found.known_formats} known formats. Check that the "
            "tools are in the prompt, that this text is what the model wrote (the server may have taken the calls out "
            "of it), and that the model's format is known (`toolglean formats`).",
        )


_RULES: tuple[Callable[[Evidence], Iterator[Story]], ...] = (
    _limits, _unfinished, near_misses.after_another_message, _reasoning, _calls_elsewhere, _unknown_calls, _told,
    _openers_without_call, _names_without_opener, _closers_without_opener, _nothing,
)  # fmt: skip


def _expected_but(found: Evidence, reach: Reach) -> str:
    wanted = " or ".join(reach.expected[:3]) or "a marker"
    shown = found.read.text[reach.end : reach.end + SHOWN]
    return f"expected {wanted}, but found {repr(shown) if shown else 'the end of the turn'}"
