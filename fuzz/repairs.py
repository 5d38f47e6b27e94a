# Invariant: no call that was broken in a known way is repaired into another call.
#
# For each repair and each format that it concerns, calls are made, rendered and broken as models break them: only the
# text that the repair is for is removed or changed. What was meant is known, so each result is right (the call that was
# meant), left (no call runs: it stays malformed, or its text is content), wrong (repaired into another call), or read:
# nothing was repaired, because the broken text can be read as it is, as another call. Some cases can be meant in two
# ways, on purpose: a value that contains markers, quotes, or blank lines at its end. The law is that none is repaired
# wrongly; how many are repaired correctly is reported, not judged.
"""`python -m fuzz.repairs [--count N] [--seed N] [--repair NAME] [--format NAME]`: calls broken in known ways."""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fuzz.runner import fresh_seed
from toolglean import Parser, ToolSet, UsageError, fold
from toolglean.engine.repair.candidates import (
    AGAIN,
    BACKSLASH,
    BRACKETS,
    CLOSER,
    COMMA,
    DOUBLED,
    EXTRA,
    KEYS,
    NAME,
    OPENER,
    PYTHON,
    QUOTE,
    QUOTED_VALUE,
    QUOTES,
    TRAILING,
)
from toolglean.formats.registry import all_formats, get_format
from toolglean.formats.render import render
from toolglean.formats.spec import Format, Literal, Quoted, Slot, Tree, tokens_of
from toolglean.scan.coerce import json_text

__all__ = ["LEFT", "READ", "RIGHT", "WRONG", "Case", "cases", "count_of", "families", "main"]

RIGHT, LEFT, READ, WRONG = "right", "left", "read", "wrong"

WORDS = ("Oslo", "Bergen, Norway", "a b", "x", "naïve", "it's", "C:\\dir", "2", "true", "{x}", "[1]", 'say "hi"', "")
LINES = (
    "if a < b:\n    print({1: [2]})\n",
    "one\ntwo",
    "</p>\n<p>",
    "a\n\n",
    "- `x`, y: `z`",
    "see <parameter=city> or </function>",
)
BACKSLASHES = (r"\d+\.\w", 'say "\\d"', "C:\\dir", "C:\\dir\\", r"C:\new\Users")
"""Values that only the repair of backslashes needs: others have few."""
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "code": {"type": "string"},
        "days": {"type": "integer"},
        "exact": {"type": "boolean"},
        "units": {"type": "array", "items": {"type": "string"}},
        "at": {"type": "object", "properties": {"x": {"type": "number"}, "tags": {"type": "array"}}},
    },
    "required": ["city"],
}
TOOLS = ToolSet([{"name": "get_weather", "parameters": SCHEMA}, {"name": "note"}])


@dataclass(frozen=True)
class Case:
    """A call, what was made of it, and how it was broken."""

    repair: str
    format: str
    arguments: dict[str, Any]
    text: str


def arguments(rng: random.Random) -> dict[str, Any]:
    """Arguments of `get_weather`: the city always, the rest now and then, in any order."""
    made: dict[str, Callable[[], Any]] = {
        "code": lambda: rng.choice((*WORDS, *LINES)),
        "days": lambda: rng.randint(-5, 500),
        "exact": lambda: rng.random() < 0.5,
        "units": lambda: [rng.choice(WORDS) for _ in range(rng.randint(0, 3))],
        "at": lambda: {"x": rng.randint(0, 9), "tags": ["a", {"b": 1, "days": 2}]} if rng.random() < 0.7 else {},
    }
    keys = ["city", *rng.sample(sorted(made), rng.randint(0, 4))]
    rng.shuffle(keys)
    return {key: rng.choice((*WORDS, *LINES)) if key == "city" else made[key]() for key in keys}


# -- how models break calls: each takes the text, and gives it broken, or None where there is nothing to break ---------

Breaker = Callable[[random.Random, Format, str, dict[str, Any]], "str | None"]


def without_brackets(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """Some of the brackets in front of the closer, or one of a list inside, are missing."""
    del given
    found = _before_closer(declared, text)
    if found is None or isinstance(declared.arguments, Tree):
        return None
    body, after = found
    quote = re.escape(declared.arguments.quote) if isinstance(declared.arguments, Quoted) else '"'
    strings = (
        [range(*found.span()) for found in re.finditer(rf"{quote}.*?{quote}", body, re.DOTALL)] if quote != '"' else []
    )
    strings += [range(*found.span()) for found in re.finditer(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', body)]
    inner = [found.start() for found in re.finditer(r"[\]}](?=\s*[,}\]])", body)]
    inner = [place for place in inner if not any(place in each for each in strings)]
    if inner and rng.random() < 0.3:
        place = rng.choice(inner)
        return body[:place] + body[place + 1 :] + after
    ends = re.search(r"[}\])]+\s*\Z", body)
    if ends is None:
        return None
    size = rng.randint(1, len(ends[0].rstrip()))
    return body.rstrip()[:-size] + after


def as_python(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """The arguments, or all of the JSON, as Python writes a dict."""
    written = _find(text, given)
    if written is None:
        return None
    if rng.random() < 0.5 and "{call}" in declared.call:
        whole = re.search(r"\{.*\}", text, re.DOTALL)
        if whole:
            with suppress(ValueError):
                return text[: whole.start()] + repr(json.loads(whole[0])) + text[whole.end() :]
    return text.replace(written, repr(given), 1)


def without_closer(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """One closing marker of a parameter is missing, or all of them are, with or without the line breaks beside it."""
    del given
    closer = _parameter_closer(declared)
    places = [found.start() for found in re.finditer(re.escape(closer), text)] if closer else []
    if not places:
        return None
    chosen = places if rng.random() < 0.2 else [rng.choice(places)]
    way = rng.choice(("marker", "marker", "before", "behind"))
    for place in reversed(chosen):
        begin, end = place, place + len(closer)
        if way == "before" and text[begin - 1] == "\n" and "\n" + closer in declared.parameters[0]:
            begin -= 1
        if way == "behind" and text[end : end + 1] == "\n":
            end += 1
        text = text[:begin] + text[end:]
    return text


def without_opener(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """The marker before one value is missing, or before all of them; now and then the one after one of them too. Or
    the `>` of a tag at the end of its line is.
    """
    del given
    tokens = tokens_of(declared.parameters[0]) if declared.parameters else []
    names = [each.name if isinstance(each, Slot) else "" for each in tokens]
    if "key" not in names or "value" not in names:
        return None
    between = [each.text for each in tokens[names.index("key") + 1 : names.index("value")] if isinstance(each, Literal)]
    if between == [">"]:
        signs = [found.end() - 1 for found in re.finditer(r"<\w+=[^<>\n]*>(?=\n)", text)]
        if not signs:
            return None
        for place in sorted(rng.sample(signs, rng.choice((1, 1, len(signs)))), reverse=True):
            text = text[:place] + rng.choice(("", "", " ")) + text[place + 1 :]
        return text
    places = [found.start() for found in re.finditer(re.escape(between[-1]), text)] if len(between) == 2 else []
    if not places:
        return None
    if rng.random() < 0.1:
        text = text.replace(_parameter_closer(declared), "", 1) if rng.random() < 0.5 else text
        places = [found.start() for found in re.finditer(re.escape(between[-1]), text)]
    for place in sorted(rng.sample(places, rng.choice((1, 1, len(places)))), reverse=True):
        text = text[:place] + rng.choice(("", "", "", "\n", " ")) + text[place + len(between[-1]) :]
    return text


def with_odd_closer(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """The closing marker of a parameter comes twice, or has another spelling, with the right one after it or not."""
    del given
    closer = _parameter_closer(declared)
    places = [found.start() for found in re.finditer(re.escape(closer), text)] if closer else []
    if not places:
        return None
    place, space = rng.choice(places), rng.choice(("", "\n"))
    others = [
        closer.upper(),
        closer.title(),
        closer.replace("parameter", "param"),
        closer.replace("arg_value", "value"),
    ]
    others += [f"{closer[:-1]} >", f"{closer[:-1]}=city>"] if closer.startswith("</") else []
    other = rng.choice(others)
    odd = rng.choice((closer + space + closer, closer + space + closer, other, other, other + space + closer))
    return text[:place] + odd + text[place + len(closer) :]


def without_quote(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """The marker before a string is missing, both are, or other quotes are in their place."""
    del given
    quote = declared.arguments.quote if isinstance(declared.arguments, Quoted) else ""
    values = [
        *re.finditer(
            rf"(city|code):{re.escape(quote)}((?:(?!{re.escape(quote)}).)*){re.escape(quote)}", text, re.DOTALL
        )
    ]
    if not values:
        return None
    value = rng.choice(values)
    opener, closer = rng.choice((("", quote), ("", ""), ("`", "`"), ("\u201c", "\u201d"), ("'", "'")))
    if not closer and not opener and (value[2] != value[2].strip() or value[2][:1] in {"[", "{", '"'}):
        return None  # white space around bare text is never a part of it, and what begins as a list is one
    return f"{text[: value.start(2) - len(quote)]}{opener}{value[2]}{closer}{text[value.end() :]}"


def with_extra(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """Brackets that nothing opened follow the arguments' object, or other text, after which no call may run."""
    written = _find(text, given)
    if written is None or "{call}" not in declared.call:
        return None
    extra = rng.choice((")", "]", ")]", " )", "\n]", " ok", "\n```", ";", " // Oslo", " # no", "<!-- not this -->"))
    return text.replace(written, written + extra, 1)


def with_trailing_comma(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """Before some of the brackets, or all of them, is a comma."""
    return _with_commas(rng, declared, text, given, r"(?<=[^\s{\[])(?=\s*[}\]])")


def with_extra_comma(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """Before some of the keys, or all of them, is another comma."""
    return _with_commas(rng, declared, text, given, r'(?<=[{,\s])(?="(?:[^"\\]|\\.)*":)')


def with_name_attribute(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """The name is written as an attribute of a tag is."""
    del rng, given
    found = re.search(r'"(name|tool_name)": ?"', text) if "{call}" in declared.call else None
    return found and text[: found.start()] + f'"{found[1]}="' + text[found.end() :]


def _with_commas(rng: random.Random, declared: Format, text: str, given: dict[str, Any], where: str) -> str | None:
    # Commas in JSON at places outside its strings.
    written = _find(text, given)
    if written is None:
        return None
    begin, end = text.index(written), text.index(written) + len(written)
    whole = re.search(r"\{.*\}", text, re.DOTALL) if "{call}" in declared.call else None
    if whole is not None and rng.random() < 0.5:
        begin, end = whole.span()
    strings = [range(*found.span()) for found in re.finditer(r'"(?:[^"\\]|\\.)*"', text[begin:end])]
    found = [each.start() for each in re.finditer(where, text[begin:end])]
    places = [begin + place for place in found if not any(place in each and place != each.start for each in strings)]
    if not places:
        return None
    for place in sorted(rng.sample(places, rng.choice((1, 1, len(places)))), reverse=True):
        text = text[:place] + rng.choice((",", ",", ", ", " ,", ",\n")) + text[place:]
    return text


def _with_tokens(change: Callable[[re.Match[str]], str]) -> Breaker:
    # Strings, keys and braces of the JSON in other spellings, which `change` writes.
    def broken(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
        written = _find(text, given)
        if written is None:
            return None
        whole = re.search(r"\{.*\}", text, re.DOTALL) if "{call}" in declared.call and rng.random() < 0.5 else None
        begin, end = whole.span() if whole else (text.index(written), text.index(written) + len(written))
        return text[:begin] + re.sub(r'"((?:[^"\\]|\\.)*)"(:?)|[{}]', change, text[begin:end]) + text[end:]

    return broken


with_bare_keys = _with_tokens(lambda token: f"{token[1]}:" if token[2] else token[0])
with_odd_quotes = _with_tokens(lambda token: f"\u201c{token[1]}\u201d{token[2]}" if token[1] else token[0])
with_doubled_braces = _with_tokens(lambda token: token[0] if token[1] is not None else token[0] * 2)


def with_quoted_values(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """Some values that are not strings, or all of them, are written as strings."""
    del declared
    written = _find(text, given)
    others = [key for key, value in given.items() if not isinstance(value, str)]
    if written is None or not others:
        return None
    for key in rng.sample(others, rng.choice((1, len(others)))):
        given = given | {key: json.dumps(given[key], ensure_ascii=False)}
    return text.replace(written, json.dumps(given, ensure_ascii=False))


def with_lone_backslashes(rng: random.Random, declared: Format, text: str, given: dict[str, Any]) -> str | None:
    """Some backslashes, or all of them, are not escaped."""
    del declared
    written, share = _find(text, given), rng.choice((0.5, 1))
    return written and text.replace(written, re.sub(r"\\\\", lambda each: each[0][rng.random() < share :], written))


BREAKERS: dict[str, Breaker] = {
    BRACKETS: without_brackets,
    PYTHON: as_python,
    CLOSER: without_closer,
    OPENER: without_opener,
    AGAIN: with_odd_closer,
    QUOTE: without_quote,
    EXTRA: with_extra,
    TRAILING: with_trailing_comma,
    COMMA: with_extra_comma,
    NAME: with_name_attribute,
    KEYS: with_bare_keys,
    QUOTES: with_odd_quotes,
    DOUBLED: with_doubled_braces,
    QUOTED_VALUE: with_quoted_values,
    BACKSLASH: with_lone_backslashes,
}


def _before_closer(declared: Format, text: str) -> tuple[str, str] | None:
    # The text up to the first marker after the arguments, and the rest.
    tokens = tokens_of(declared.call)
    holes = [place for place, each in enumerate(tokens) if isinstance(each, Slot) and each.name != "ws"]
    hole = tokens[holes[-1]]
    if not isinstance(hole, Slot) or hole.name not in {"call", "calls", "arguments", "keywords"}:
        return None
    closers = [each.text for each in tokens[holes[-1] + 1 :] if isinstance(each, Literal)]
    closers += [each.text for each in tokens_of(declared.section[1]) if isinstance(each, Literal)]
    closer = next((each for each in closers if any(char.isalnum() for char in each)), "")
    place = text.rfind(closer) if closer else -1
    return None if place < 0 else (text[:place], text[place:])


def _find(text: str, given: dict[str, Any]) -> str | None:
    return next((each for each in (json_text(given), json.dumps(given)) if each in text), None)


def _parameter_closer(declared: Format) -> str:
    for pattern in declared.parameters[:1]:
        tokens = tokens_of(pattern)
        following = [each.text for each in tokens[tokens.index(Slot("value")) + 1 :] if isinstance(each, Literal)]
        return "".join(following[:1]) if len(following) == 1 else ""
    return ""


# -- what becomes of them ----------------------------------------------------------------------------------------------


def cases(repair: str, name: str, count: int, seed: int = 0) -> Iterator[Case]:
    """That many broken calls, or none where the repair does not concern the format."""
    declared = get_format(name)
    for number in range(seed, seed + count):
        rng = random.Random(f"{repair} {name} {number}")
        given = arguments(rng)
        if repair == BACKSLASH:
            given["city"] = rng.choice(BACKSLASHES)
        try:
            text = render(declared, [("get_weather", given)], tools=TOOLS)
        except UsageError:  # the format cannot express it
            continue
        broken = BREAKERS[repair](rng, declared, text, given)
        if broken is not None and broken != text:
            yield Case(repair, name, given, broken)


def verdict(case: Case) -> str:
    """What became of the call: RIGHT, LEFT, READ or WRONG."""
    parser = Parser(TOOLS, format=case.format)
    output = fold(parser.feed(case.text) + parser.finish())
    if not output.calls:
        return LEFT
    [call, *more] = output.calls
    if not more and call.name == "get_weather" and json_text(call.arguments) == json_text(case.arguments):
        return RIGHT
    return WRONG if any(each.repairs for each in output.calls) else READ


def count_of(repair: str, name: str, count: int, seed: int = 0) -> tuple[Counter[str], Case | None]:
    """How many came out how, and the first that came out wrong."""
    found: Counter[str] = Counter()
    wrong = None
    for case in cases(repair, name, count, seed):
        answer = verdict(case)
        found[answer] += 1
        if answer == WRONG and wrong is None:
            wrong = case
    return found, wrong


@lru_cache(maxsize=8)
def families(repair: str) -> list[str]:
    """The formats that a repair concerns: those of which it breaks a call."""
    names = (each.name for each in all_formats() if not each.is_for_tools)
    return [name for name in names if next(cases(repair, name, 4), None) is not None]


def main() -> int:
    """Run, and print a table. 1 if any was repaired wrong."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.repairs", description="Calls broken in known ways.")
    parser.add_argument("--count", type=int, default=1000, help="calls for each repair and format (default: 1,000)")
    parser.add_argument("--seed", type=int, help="the number of the first one (default: a fresh one, printed)")
    parser.add_argument("--repair", choices=sorted(BREAKERS), help="one repair; default: all of them")
    parser.add_argument("--format", help="one format; default: all that the repair concerns")
    options = parser.parse_args()
    seed = fresh_seed() if options.seed is None else options.seed
    print(f"python -m fuzz.repairs --count {options.count} --seed {seed}", flush=True)
    failed = 0
    print(f"{'repair':24}{'format':22}{'right':>8}{'left':>8}{'read':>8}{'wrong':>8}")
    for repair in [options.repair] if options.repair else list(BREAKERS):
        for name in [options.format] if options.format else families(repair):
            found, wrong = count_of(repair, name, options.count, seed)
            print(f"{repair:24}{name:22}{found[RIGHT]:>8}{found[LEFT]:>8}{found[READ]:>8}{found[WRONG]:>8}", flush=True)
            failed += found[WRONG]
            if wrong is not None:
                print(f"    meant {wrong.arguments!r}\n    wrote {wrong.text!r}")
    print(f"mended wrong: {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
