# Invariant: arguments that were written are never dropped. For a call that is `ok`, every value written between its
# opener and its end is in its arguments, or a problem reports it; and no value anywhere becomes markup.
#
# Every value of a case is a token that comes once: a word or a number of five digits. So the oracle, `verdict`, is a
# search for strings. A token of a call's text is accounted for if it is in
#
#   the call       its arguments, its name or its id
#   a problem      its text or its reason; or a problem names one of the keys under which the token was written, as that
#                  about a key that is left out does. A key that came twice is in the text of the arguments twice
#   aside          under `id`, `call_id`, `type` or `index`, which the rules leave out without a word; in the word for a
#                  type, or in a key, which are not values
#
# Tokens after the call's end are content, reasoning or another call's: all but markup.
"""`python -m fuzz.dropped [--count N] [--seed N] [--format NAME]`: arguments that were written and are not there."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from fuzz.mutation import mutant
from fuzz.reading import calls_of, labels, problems_of, read
from fuzz.runner import Found, Fuzzer, judged
from fuzz.shrink import smallest
from fuzz.turns import all_markers, every_format
from toolglean import Parser, ParserOptions, Problem, ToolSet, UsageError
from toolglean.formats.registry import all_formats, find_format
from toolglean.formats.render import render
from toolglean.formats.spec import Format

__all__ = ["FUZZER", "Case", "case", "verdict"]

TOKEN = re.compile(r"(?<![A-Za-z0-9])(?:v[0-9]{5}|[1-9][0-9]{4})(?![A-Za-z0-9])")
RENAMED = ("params", "kwargs", "tool_args", "arguments_", "inputs", "data", "Arguments", "args", "input", "parameters")
EXTRA = ("dry_run", "cancelled", "note", "params", "arguments", "parameters", "args", "kwargs", "extra", "name", "days")
ASIDE = re.compile(
    r"""["'](?:id|call_id|tool_call_id|type|index)["']\s*:\s*(?:["'](?:[^"'\\]|\\.)*)?\Z"""
    r"""|\b(?:string|type|index)=["']?[^"'>]*\Z"""
)
KEY = re.compile(r"""[^"'{}\[\],]*["']\s*:""")
NAMING_KEYS = frozenset({"duplicate-key", "repeated-call-key", "ignored-keys"})
OWN = frozenset(
    ["arguments", "parameters", "parameter", "name", "call", "key", "a", "of", "the", "was", "expected", "in"]
)
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "code": {"type": "string"},
        "units": {"type": "array"},
        "at": {"type": "object"},
    },
}
_tools = ToolSet([{"name": "send", "parameters": SCHEMA}, {"name": "look", "parameters": SCHEMA}, "note"])


@dataclass(frozen=True)
class Case:
    """A turn with calls whose values are tokens.

    Attributes:
        name: what reads it: a format, or `auto`.
        text: the turn.
        ways: how the calls were spoilt.
        repair: whether calls are repaired.
    """

    name: str
    text: str
    ways: tuple[str, ...] = ()
    repair: bool = True


# -- the oracle --------------------------------------------------------------------------------------------------------


def verdict(case: Case) -> tuple[str, str] | None:
    """What was dropped, and both sides of it for people; None if nothing was."""
    events = read(Parser(_tools, format=case.name, options=ParserOptions(markup=True, repair=case.repair)), case.text)
    problems = problems_of(events)
    told = "\n".join(f"{each.reason} {each.text}" for each in problems)
    for call in calls_of(events):
        if call.status != "ok":
            continue
        there = f"{json.dumps(call.arguments, ensure_ascii=False)} {call.name} {call.id} {told}"
        if any(each.code == "duplicate-key" for each in problems):
            there += call.arguments_text
        for found in _values(case.text, *call.span):
            if found[0] not in there and not _is_told(case.text[call.span[0] : found.start()], problems):
                return "a value of a call that runs", f"  {found[0]} is not in {call!r}\n  problems {told!r}"
    kinds = labels(events, len(case.text))
    for found in TOKEN.finditer(case.text):
        if "m" in kinds[found.start() : found.end()] and found[0] not in told:
            return "a value that is markup", f"  {found[0]}\n  problems {told!r}"
    return None


def _values(text: str, begin: int, end: int) -> Iterator[re.Match[str]]:
    for found in TOKEN.finditer(text, begin, end):
        if not ASIDE.search(text, begin, found.start()) and not KEY.match(text, found.end()):
            yield found


def _is_told(before: str, problems: Sequence[Problem]) -> bool:
    # Whether a problem names one of the keys, from the outermost one down, in which what follows that text is.
    named = set(re.split(r"\W+", " ".join(each.text for each in problems))) - OWN
    named |= {word for each in problems if each.code in NAMING_KEYS for word in re.split(r"\W+", each.text)}
    keys = re.finditer(r"""["'=\s<]?([A-Za-z_]\w*)["']?\s*[:=>]""", before)
    return any(found[1] in named and _is_open(before[found.end() :]) for found in keys)


def _is_open(text: str) -> bool:
    # Whether the value that begins this text is still open at its end.
    depth = 0
    for char in re.sub(r'"(?:[^"\\]|\\.)*"', "", text):
        depth += (char in "{[(") - (char in "}])")
        if depth < 0 or (depth == 0 and char == ","):
            return False
    return True


# -- the cases ---------------------------------------------------------------------------------------------------------


@dataclass
class _Tokens:
    rng: random.Random
    last: int = 10_000

    def word(self) -> str:
        self.last += self.rng.randint(1, 60)
        return f"v{self.last}"

    def number(self) -> int:
        self.last += self.rng.randint(1, 60)
        return self.last

    def value(self) -> str:
        """A value of JSON, as text."""
        made: tuple[Callable[[], Any], ...] = (
            self.word, self.word, self.number, lambda: {"k": self.word()}, lambda: [self.number(), self.word()],
            lambda: {"path": self.word(), "n": {"m": self.number()}},
        )  # fmt: skip
        return json.dumps(self.rng.choice(made)())


def _arguments(rng: random.Random, tokens: _Tokens) -> dict[str, Any]:
    made: dict[str, Callable[[], Any]] = {
        "city": tokens.word,
        "days": tokens.number,
        "code": lambda: f"{tokens.word()} is\n{tokens.word()}",
        "units": lambda: [tokens.word(), tokens.number()],
        "at": lambda: {"x": tokens.number(), "arguments": {"y": tokens.word()}},
        "other": tokens.word,
    }
    return {key: made[key]() for key in rng.sample(sorted(made), rng.choice((0, 1, 1, 2, 3)))}


def _call(rng: random.Random, declared: Format, tokens: _Tokens) -> str:
    for _ in range(6):
        try:
            return render(declared, [(rng.choice(("send", "look")), _arguments(rng, tokens))], tools=_tools)
        except UsageError:
            continue
    return f'<tool_call>{{"name": "send", "arguments": {{"city": "{tokens.word()}"}}}}</tool_call>'


Way = Callable[[random.Random, str, _Tokens, Format], str]
_KEY = re.compile(r'"(?:arguments|parameters|args|input)"|\b(?:arguments|parameters|args|input)\b(?=\s*[:=])')
_WRITTEN = re.compile(r'"(?:arguments|parameters|args|input)": (\{.*\})', re.DOTALL)


def _rename(rng: random.Random, text: str, tokens: _Tokens, declared: Format) -> str:
    del tokens, declared
    return _KEY.sub(f'"{rng.choice(RENAMED)}"', text, count=1)


def _flat(rng: random.Random, text: str, tokens: _Tokens, declared: Format) -> str:
    # {"name": …, "arguments": {"x": 1}} → {"name": …, "x": 1}
    del rng, tokens, declared
    found = re.search(r'"(?:arguments|parameters|args|input)": \{', text)
    if not found:
        return text
    rest = text[found.end() :]
    return text[: found.start()] + rest.replace("}", "", 1) if not rest.startswith("}") else text


def _first(rng: random.Random, text: str, tokens: _Tokens, declared: Format) -> str:
    # The arguments before the name.
    del rng, tokens, declared
    return re.sub(r'("(?:name|tool_name)": "\w+"), ("\w+": \{.*?\})\}', r"\2, \1}", text, count=1, flags=re.DOTALL)


def _beside(rng: random.Random, text: str, tokens: _Tokens, declared: Format) -> str:
    # One more key at any place where a key may be.
    del declared
    places = [found.end() for found in re.finditer(r"\{(?=\")|, (?=\")", text)]
    ends = [found.start() for found in re.finditer(r"\}", text)]
    key, value = rng.choice((*EXTRA, "id", "type")), tokens.value()
    if places and rng.random() < 0.6:
        place = rng.choice(places)
        return f'{text[:place]}"{key}": {value}, {text[place:]}'
    if not ends:
        return text
    place = rng.choice(ends)
    comma = "" if text[:place].rstrip().endswith("{") else ", "
    return f'{text[:place]}{comma}"{key}": {value}{text[place:]}'


def _anywhere(rng: random.Random, text: str, tokens: _Tokens, declared: Format) -> str:
    # A value that nothing introduces, or a comment.
    word = tokens.word()
    marks = (*declared.markers, *'{}[]()<>",:\n')
    places = [found.start() + len(mark) * rng.randint(0, 1) for mark in marks for found in _all(mark, text)]
    place = rng.choice(places) if places and rng.random() < 0.9 else rng.randint(0, len(text))
    frame = rng.choice((" {} ", "{}", "\n{}\n", '"{}"', " // {}\n", "<!-- {} -->", "/* {} */", ", {}", '{{"k": "{}"}}'))
    return text[:place] + frame.format(word) + text[place:]


def _all(mark: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(re.escape(mark), text) if mark else iter(())


def _again(rng: random.Random, text: str, tokens: _Tokens, declared: Format) -> str:
    # What lies between two marks once more, with values of its own: a parameter, a pair, an object of arguments.
    del declared
    ends = [0, *(found.end() for found in re.finditer(r"[>})\]]\n?|, ", text))]
    if len(ends) < 3:
        return text
    begin, end = sorted(rng.sample(ends, 2))
    piece = TOKEN.sub(lambda found: tokens.word() if found[0][0] == "v" else str(tokens.number()), text[begin:end])
    return text[:end] + piece + text[end:]


def _without(rng: random.Random, text: str, tokens: _Tokens, declared: Format) -> str:
    # A marker is missing, or is there twice.
    del tokens
    found = [(each.start(), mark) for mark in declared.markers for each in _all(mark, text)]
    if not found:
        return text
    place, mark = rng.choice(found)
    return text[:place] + rng.choice(("", mark * 2)) + text[place + len(mark) :]


def _element(rng: random.Random, text: str, tokens: _Tokens, declared: Format) -> str:
    # Elements, attributes and keywords that the format does not have.
    made = (
        f"<other>{tokens.word()}</other>", f'<parameter name="other">{tokens.word()}</parameter>',
        f"<parameter=other>{tokens.word()}</parameter>", f"<args>{tokens.word()}</args>", f", other={tokens.number()}",
        f'"{tokens.word()}", ', f"<value>{tokens.word()}</value>", f"{{{json.dumps(tokens.word())}: {tokens.value()}}}",
    )  # fmt: skip
    marks = [
        place for mark in (*declared.markers, ")", "(", "}") for found in _all(mark, text) for place in found.span()
    ]
    place = rng.choice(marks or [len(text)])
    return text[:place] + rng.choice(made) + text[place:]


def _spoil(rng: random.Random, text: str, tokens: _Tokens, declared: Format) -> str:
    del tokens
    return mutant(rng, [text], declared.markers or all_markers())


WAYS: dict[str, Way] = {
    "renamed": _rename, "flat": _flat, "arguments first": _first, "beside": _beside, "anywhere": _anywhere,
    "again": _again, "without a marker": _without, "element": _element, "spoilt": _spoil,
}  # fmt: skip


@lru_cache(maxsize=1)
def _weights() -> tuple[str, ...]:
    return (*WAYS, "beside", "anywhere", "anywhere", "again", "element")


def case(name: str, seed: int) -> Case:
    """The case of that number."""
    rng = random.Random(f"dropped {name} {seed}")
    declared, tokens = find_format(name) or rng.choice(all_formats()), _Tokens(rng)
    calls = [_call(rng, declared, tokens) for _ in range(rng.choice((1, 1, 1, 2)))]
    text, ways = rng.choice(("", "\n", " ")).join(calls), []
    for _ in range(rng.choice((1, 1, 2, 3))):
        way = rng.choice(_weights())
        ways.append(way)
        text = WAYS[way](rng, text, tokens, declared)
    return Case(name, text[:3000], tuple(ways), rng.random() < 0.8)


@dataclass(frozen=True)
class Broken(Found):
    """A breach of this law, and its case."""

    case: Case


def _tried(tried: Case) -> Broken | None:
    law, found = judged("nothing dropped", verdict, tried)
    if found is None:
        return None
    what, detail = found
    if law == "nothing dropped":
        what = f"{what} ({tried.ways[-1]})"
    return Broken(
        tried.name, law, what, tried.text, f"{detail}\n  {', '.join(tried.ways)}; repair={tried.repair}", tried
    )


def look(name: str, seed: int) -> Broken | str:
    """Try the case of that number."""
    tried = case(name, seed)
    return _tried(tried) or "nothing dropped"


def smaller(found: Broken) -> Broken:
    """The same with less text."""
    return smallest(found, lambda text: _tried(replace(found.case, text=text)), tries=600, words=True)


names = partial(every_format, 10)
FUZZER: Fuzzer[Broken] = Fuzzer("dropped", "Arguments that are not there.", "calls", names, look, smaller)


if __name__ == "__main__":
    sys.exit(FUZZER.main())
