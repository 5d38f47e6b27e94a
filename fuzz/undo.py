# Invariant: an undone reading leaves no trace. What follows a draft, a quotation, a mention, or a repair or a second
# reading that failed, is read as it is read after plain text.
#
# A case is a turn in three parts: what comes first, a region, and a tail. In the region is something that the parser
# begins to read as a call and gives back as text: a call, a broken call, an opener or a mention, in reasoning, in code
# or in prose. Its twin is the same turn with the region as plain text, of the same length: `plain` puts a letter for
# each character, and keeps white space, backticks and the word after a fence, so that lines and code are the same.
#
# One oracle, `verdict`, reads both. What it lets pass, and why:
#
#   not undone   the region did not come back as text: it became a call, or part of it is markup. Other laws decide
#                whether that is right; this one does not.
#   still open   what the region opened is still held back where it ends, so that what follows may belong to it: in
#                prose, and after a broken call, where a string or a text value may be open. (A closing marker in a
#                string is a part of it.) Whole calls, openers and mentions in reasoning and in code are over at the
#                closing marker, so there this does not pass, even if their text is still held back.
#                So does a region in which a quotation begins (`~~~`, `<pre>`, a string, a tool's result): it goes on;
#                one in reasoning whose closing marker closes calls of the format too (`<|end|>`), and so belongs to the
#                call; one behind which a call is said to follow a malformed one that was not closed, or would have to
#                be repaired, which is not tried there; one with a tag, if a closer that nothing opened follows, or a
#                call by schema, around which nothing may be open; and one after a lone backtick that spans lines: as
#                code, it ends at the next backtick.
#
# What comes first is whole: after a call that failed and lacks its closer, a closer in the region would end it. A
# backtick that nothing has closed needs no exception, because the twin has it as well. The budget of what is read
# again needs none because no case is as long as its first 4,096 characters.
"""`python -m fuzz.undo [--count N] [--seed N] [--format NAME]`: traces of undone readings."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from fuzz.laws import TOOLS, Subject
from fuzz.mutation import mutant
from fuzz.reading import calls_of, labels, problems_of
from fuzz.runner import Found, Fuzzer, judged
from fuzz.shrink import shrunk
from fuzz.turns import every_format
from toolglean import ToolCall, ToolSet, UsageError
from toolglean.engine.reasons import AFTER_UNCLOSED, ANOTHER_MESSAGE, LEFTOVER_MARKER, QUOTED, UNDECLARED, UNREAD
from toolglean.formats.patterns import first_literal
from toolglean.formats.registry import all_formats, find_format
from toolglean.formats.render import render
from toolglean.formats.spec import Format

__all__ = ["FUZZER", "NOT_UNDONE", "OPEN", "SAME", "Case", "case", "plain", "verdict"]

# What quotes, by the rules: a region in which it begins, or a lone brace of a JSON string, or a fence with a marker
# in its line, is not undone but open.
_quotes = re.compile(
    r"~~~|```<|<!(?:--|\[CDATA)|<(?:[|｜]DSML[|｜]\s?)?(?:pre|code|script|user|system|parameter|arg_key|arg_value)\b|[\[{]\"`|<[|a-z_]*tool_re[sp]|TOOL_RESULTS|function_result",
    re.IGNORECASE,
)
_quotes_line = re.compile(r"^ *>", re.MULTILINE).search
SAME, NOT_UNDONE, OPEN = "the same", "not undone", "still open"
NAMES = ("f", "g", "get_weather")
ARGUMENTS: tuple[dict[str, Any], ...] = (
    {}, {"days": 3}, {"city": "Oslo"}, {"days": -1, "code": "a < b"}, {"exact": True, "units": ["a", 1]},
    {"code": "one\ntwo", "city": "x"}, {"x": {"y": [1]}},
)  # fmt: skip
JOINTS = ("", "\n", " ", "\n\n")
CODE = re.compile(r"(\s+|```+[^\s`]*|`+)")


@dataclass(frozen=True)
class Case:
    """A turn with an undone reading.

    Attributes:
        subject: what reads it.
        kind: what the region is in: `reasoning`, `inline code`, `fence` or `prose`.
        of: what the region is.
        before, region, after, tail: the text.
    """

    subject: Subject
    kind: str
    of: str
    before: str
    region: str
    after: str
    tail: str

    @property
    def prefix(self) -> str:
        """The text up to the tail."""
        return self.before + self.region + self.after


def plain(text: str) -> str:
    """Plain text of the same length, with the same lines and the same marks of code."""
    return "".join(each if place % 2 else "z" * len(each) for place, each in enumerate(CODE.split(text)))


# -- the oracle --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class View:
    """What is known at the end of a prefix, and what is read after it.

    Attributes:
        prefix: what each character of the prefix became where plain text follows.
        known: how many of them were certain at its end.
        calls, tail, problems: of the whole turn, what comes after the prefix.
        is_over: whether the header of another message ended it.
    """

    prefix: str
    known: int
    calls: list[tuple[object, ...]]
    tail: str
    problems: list[tuple[str, int]]
    is_over: bool


def _view(subject: Subject, prefix: str, tail: str) -> View:
    parser, size = subject.parser(), len(prefix)
    events = parser.feed(prefix)
    known = len(labels(events, size).rstrip("?"))
    twin = parser.fork()
    read = events + twin.feed(" z.\n") + twin.finish()
    events += parser.feed(tail) + parser.finish()
    return View(
        labels(read, size + 4)[:size],
        known,
        [_shape(call, size) for call in calls_of(events)],
        labels(events, size + len(tail))[size:],
        [(each.reason, each.start - size) for each in problems_of(events) if each.start >= size],
        any(each.reason == ANOTHER_MESSAGE.text for each in problems_of(events)),
    )


def _shape(call: ToolCall, size: int) -> tuple[object, ...]:
    arguments = json.dumps(call.arguments) if call.status == "ok" else call.arguments_text
    begin, end = call.span
    return call.name, arguments, call.status, call.repairs, call.known, begin - size, end - size


def verdict(case: Case) -> tuple[str, str]:
    """How the case came out: SAME, NOT_UNDONE, OPEN, or what differs; and both readings, for people."""
    prefix = case.before + plain(case.region) + case.after
    undone, twin = _view(case.subject, case.prefix, case.tail), _view(case.subject, prefix, case.tail)
    begin = len(case.before)
    solid = [begin + place for place, char in enumerate(case.region) if not char.isspace()]
    if any(undone.prefix[place] != twin.prefix[place] for place in solid):
        return NOT_UNDONE, ""
    line = case.before[case.before.rfind("\n") + 1 :] + case.region + case.after
    in_string = "{" in case.region and case.region.count('"') % 2 == 1
    if (
        in_string
        or _quotes.search(case.region + case.after)
        or _quotes_line(line)
        or _is_shared(case)
        or _spans_lines(case)
    ):
        return OPEN, ""
    if undone.is_over and not twin.is_over:  # the region is a header, which a marker behind it completes
        return OPEN, ""
    if _is_tag(case, undone, twin) or any(each[0] == AFTER_UNCLOSED.text for each in undone.problems):
        return OPEN, ""
    is_held = undone.known < twin.known
    for part in ("calls", "tail", "problems"):
        left, right = getattr(undone, part), getattr(twin, part)
        if left != right:
            if is_held and (case.kind == "prose" or case.of == "a broken call"):
                return OPEN, ""
            if part == "calls" and case.of == "a mention" and any(each[3] for each in twin.calls):
                return OPEN, ""
            told = {each[0] for each in {*undone.problems} ^ {*twin.problems}}
            if part == "problems" and told <= _ONCE:
                return OPEN, ""
            what = _difference(part, undone, twin) + (", which is held back" if is_held else "")
            return what, f"  undone {left!r}\n  plain  {right!r}"
    return SAME, ""


_ONCE = {UNREAD.text, QUOTED.text}
"""What is told of all content when the turn is over, which that of the region is part of here, and not there."""


def _is_shared(case: Case) -> bool:
    # The marker after a region in reasoning closes calls of the format too: it belongs to what the region began.
    declared = find_format(case.subject.name)
    if case.kind != "reasoning":
        return False
    calls = [pattern for each in ((declared,) if declared else all_formats()) for pattern in each.calls]
    closers = {pattern[pattern.rindex("}") + 1 :].strip() for pattern in calls if "}" in pattern}
    return case.after.strip().startswith(tuple(each for each in closers if each))


def _spans_lines(case: Case) -> bool:
    # A call after a lone backtick may span lines: the next backtick closes the code. The twin's ended with its line.
    # And its last backtick may be one run with those that follow.
    if case.region.endswith("`") and case.after.startswith("`"):
        return True
    line = case.before[case.before.rfind("\n") + 1 :]
    return line.count("`") % 2 == 1 and re.search(r"\n[^`]*`", case.region + case.after) is not None


def _is_tag(case: Case, undone: View, twin: View) -> bool:
    # After a tag in the text, a closer that nothing opened is text as well (`Turn.has_tags`), and a call by schema is
    # none, which is told; so behind an opener that is a word with a colon, or with a bracket. The twin has none.
    said = {each for each in twin.problems if each[0] in {LEFTOVER_MARKER.text, UNDECLARED.text}}
    return re.search(r"<[\w/|]|\w:|\(", case.region) is not None and not said <= set(undone.problems)


def _difference(what: str, undone: View, twin: View) -> str:
    if what != "calls":
        return {"tail": "the text after it is read otherwise", "problems": "other problems"}[what]
    ran, due = ([call for call in each.calls if call[2] == "ok"] for each in (undone, twin))
    if len(ran) < len(due):
        return "a call after it is lost"
    return "a call after it runs" if len(ran) > len(due) else "a call after it is another"


# -- the cases ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _tools() -> ToolSet:
    return ToolSet(TOOLS["typed"] or ())


@lru_cache(maxsize=256)
def _openers(declared: Format) -> tuple[str, ...]:
    # What opens a call or a section, without what only opens a message.
    found = [first_literal(each) for each in (*declared.calls, *(opener for opener, _ in declared.all_sections))]
    return tuple(dict.fromkeys(each for each in found if len(each) > 1)) or ("<tool_call>",)


def call_of(rng: random.Random, declared: Format, name: str = "") -> str:
    """A call, as the format writes it."""
    for _ in range(8):
        with suppress(UsageError):
            return render(declared, [(name or rng.choice(NAMES), rng.choice(ARGUMENTS))], tools=_tools())
    return f'<tool_call>{{"name": "{name or rng.choice(NAMES)}", "arguments": {{}}}}</tool_call>'


def _broken(rng: random.Random, declared: Format) -> str:
    text = call_of(rng, declared)
    way = rng.randrange(6)
    if way == 0:  # cut
        return text[: rng.randint(1, len(text))]
    if way == 1:  # a bracket is missing: a repair may help
        places = [place for place, char in enumerate(text) if char in "]})>"] or [len(text)]
        place = rng.choice(places)
        return text[:place] + text[place + 1 :]
    if way == 2:  # Python's quotes: a repair may help
        return text.replace('"', "'")
    if way == 3:  # no value
        return re.sub(r"3|true|True|Oslo", "tr", text)
    if way == 4:  # a tool that does not exist
        return call_of(rng, declared).replace("f", "h").replace("get_weat", "nope")
    return mutant(rng, [text], declared.markers or ("<tool_call>",))[:600]


def _region(rng: random.Random, declared: Format) -> tuple[str, str]:
    # What is begun to be read as a call, by this format or by another one.
    if rng.random() < 0.25:
        declared = rng.choice(all_formats())
    opener = rng.choice(_openers(declared))
    made: dict[str, Callable[[], str]] = {
        "a call": lambda: call_of(rng, declared),
        "two calls": lambda: call_of(rng, declared) + rng.choice(("", "\n", " and then ")) + call_of(rng, declared),
        "a broken call": lambda: _broken(rng, declared),
        "an opener": lambda: opener,
        "a mention": lambda: opener + rng.choice((" ", "", "\n")) + rng.choice((*NAMES, "then", "is how", "{", "{}")),
        "an unknown call": lambda: call_of(rng, declared, "h"),
        "bare": lambda: rng.choice(('{"name": "f"', '{"name": "f", "arguments": {"days": 1}}', '{"f": 1}', "f(days=")),
    }
    of = rng.choice(["a call", "a broken call", *made])
    return of, made[of]()


def _wrapped(rng: random.Random, declared: Format, region: str) -> tuple[str, str, str, str]:
    # The kind, and what is before and after the region, which may change for it.
    kind = rng.choice(("reasoning", "reasoning", "inline code", "fence", "prose"))
    begin, end = rng.choice(("", "Hm. ", "I could write ", "So:\n")), rng.choice((" b", "", "\nno.", ", or not.\n"))
    if kind == "reasoning":
        opener, closer = rng.choice(declared.all_reasonings or (("<think>", "</think>"),))
        opener = opener or "<think>"
        return kind, opener + begin, region, end + (closer or "</think>") + rng.choice(JOINTS)
    if kind == "inline code":
        tick = "``" if "`" in region else "`"
        return kind, f"say {tick}", region.replace("\n", " "), f"{tick}{rng.choice((' then ', '.', ' x' + chr(10)))}"
    if kind == "fence":
        fence = "````" if "```" in region else "```"
        begin = f"say:\n{fence}{rng.choice(('', 'xml', 'json'))}\n"
        return kind, begin, region, f"\n{fence}\n{rng.choice(('', 'then '))}"
    return (
        kind,
        rng.choice(("say ", "say ", "say `")) + begin,
        region,
        rng.choice((" then ", ".\n", "\n\nThen:\n", " ends it.\n")),
    )


TAILS = (
    "call", "call", "two calls", "bare JSON", "fenced JSON", "fenced call", "brackets", "quotes", "sibling", "Python",
    "unknown", "late closer", "think again", "draft", "mention", "inline code", "fence", "text", "broken", "closers",
)  # fmt: skip


def _tail(rng: random.Random, declared: Format) -> str:
    call, kind = call_of(rng, declared), rng.choice(TAILS)
    opener, closer = rng.choice(declared.all_reasonings or (("<think>", "</think>"),))
    sibling = call_of(rng, rng.choice(all_formats()))
    found = {
        "call": call, "two calls": call + rng.choice(JOINTS) + call_of(rng, declared),
        "bare JSON": '{"name": "g", "arguments": {"days": 1}}',
        "fenced JSON": '```json\n{"name": "g", "arguments": {"days": 1}}\n```',
        "fenced call": f"```\n{call}\n```", "brackets": '<tool_call>{"name": "g", "arguments": {"days": 1}</tool_call>',
        "quotes": "<tool_call>{'name': 'g', 'arguments': {'days': 1}}</tool_call>", "sibling": sibling,
        "Python": rng.choice(("g(days=1)", "[g(days=1)]")), "unknown": call_of(rng, declared, "h"),
        "late closer": f"{rng.choice(declared.markers or ('</tool_call>',))} y", "text": "and that is all.",
        "think again": f"{opener}more{closer}{call}", "draft": f"{opener}more {call}",
        "mention": f"{rng.choice(_openers(declared))} then {call}", "inline code": f"`{call}` and {call}",
        "fence": f"\n```\n{call}\n```\n{call}", "broken": _broken(rng, declared) + call,
        "closers": f"{closer}{call}",
    }  # fmt: skip
    return rng.choice(JOINTS) + found[kind] + rng.choice(("", "", "\n", " Done."))


def case(name: str, seed: int) -> Case:
    """The case of that number."""
    rng = random.Random(f"undo {name} {seed}")
    declared = find_format(name) or rng.choice(all_formats())
    tools = rng.choice(("typed", "typed", "typed", "none"))
    subject = Subject(name, "typed" if name.startswith("lost-") else tools, rng.random() < 0.2)
    subject = replace(subject, repair=rng.random() < 0.85)
    of, region = _region(rng, declared)
    kind, begin, region, after = _wrapped(rng, declared, region)
    first = rng.choice(("", "", "", "Well. ", "Well.\n", call_of(rng, declared) + rng.choice(("\n", " x "))))
    if begin.startswith(" to="):  # the rest of a header, which opens nothing behind text
        first = ""
    return Case(subject, kind, of, first + begin, region, after, _tail(rng, declared))


def look(name: str, seed: int) -> Broken | str:
    """Try the case of that number."""
    return _found(case(name, seed))


def _found(tried: Case) -> Broken | str:
    law, (what, detail) = judged("no trace", verdict, tried)
    if what in {SAME, NOT_UNDONE, OPEN}:
        return what
    return Broken(tried.subject.name, law, f"{what} (in {tried.kind})", tried.prefix + tried.tail, detail, tried)


@dataclass(frozen=True)
class Broken(Found):
    """A breach of this law, and its case."""

    case: Case

    def __str__(self) -> str:
        each = self.case
        parts = " + ".join(map(repr, (each.before, each.region, each.after, each.tail)))
        return f"{super().__str__()}  {each.subject}\n  {each.of}: {parts}\n"


def smaller(found: Broken) -> Broken:
    """The same with less text. What is around the region stays: without it, the reading may not be over."""
    least = found
    for with_text, part in ((_with_tail, "tail"), (_with_region, "region"), (_with_tail, "tail")):
        less = partial(_less, with_text, least)
        text = shrunk(getattr(least.case, part), partial(_is_broken, less), tries=300, words=True)
        least = less(text) or least
    return least


def _less(with_text: Callable[[Case, str], Case], found: Broken, text: str) -> Broken | None:
    again = _found(with_text(found.case, text))
    return None if isinstance(again, str) or again.key != found.key else again


def _is_broken(less: Callable[[str], Broken | None], text: str) -> bool:
    return less(text) is not None


def _with_tail(made: Case, text: str) -> Case:
    return replace(made, tail=text)


def _with_region(made: Case, text: str) -> Case:
    return replace(made, region=text)


names = partial(every_format, 10)
FUZZER: Fuzzer[Broken] = Fuzzer("undo", "What an undone reading leaves behind.", "pairs", names, look, smaller)


if __name__ == "__main__":
    sys.exit(FUZZER.main())
