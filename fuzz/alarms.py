# Texts about tool calls that contain none (prose, code, documents), and the calls that are read from them.
#
# A call of a given tool that is written out plainly, in the middle of an answer and not in code, is a call: no parser
# can tell whether the model meant it. Such texts are not made here. If tools are given, a call of any other name is a
# false alarm too. Without tools, the name in an example cannot be distinguished from a tool's: these are counted
# separately.
"""`python -m fuzz.alarms [--count N] [--seed S]`: false alarms, by kind of text and by way of reading."""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from toolglean import CallEnd, Parser, ToolSet, UsageError, render
from toolglean.formats.registry import all_formats
from toolglean.formats.spec import Format

__all__ = ["GIVEN", "KINDS", "WAYS", "alarms", "main", "texts"]

ROOT = Path(__file__).parents[1]
TOOLS = ("get_weather", "shell", "search", "read_file", "json", "python", "f")
WORDS = (
    *("the model", "a parser", "the server", "each turn", "your client", "this marker", "the template", "an engine"),
    *(
        "writes",
        "reads",
        "closes",
        "skips",
        "opens",
        "shows",
        "keeps",
        "returns",
        "then",
        "and",
        "or",
        "never",
        "always",
    ),
    *(
        "get_weather",
        "shell",
        "search",
        "arguments",
        "name",
        "a call",
        "the reasoning",
        "twice",
        "in its answer",
        "first",
    ),
)
_tools = ToolSet(TOOLS)
PAGES = ("README.md", "CHANGELOG.md", "SECURITY.md", "docs/**/*.md")
EXAMPLE = re.compile(r"^for example\n.*?^which is read as$", re.MULTILINE | re.DOTALL)
"""In the page of formats, a turn written out plainly."""
WAYS: dict[str, Callable[[Format], Parser]] = {
    "auto": lambda _: Parser(_tools),
    "auto, no tools": lambda _: Parser(),
    "format": lambda declared: Parser(_tools, format=declared),
}
GIVEN = ("auto", "format")
"""The ways in which tools are given: any call is a breach there, whether its tool is known or not."""


def _sentence(rng: random.Random) -> str:
    words = " ".join(rng.choice(WORDS) for _ in range(rng.randint(3, 12)))
    return words[0].upper() + words[1:] + rng.choice((".", ".", ":", ", as said.", "?", "!"))


def _markers(declared: Format) -> list[str]:
    return [each for each in declared.markers if len(each) > 2 and any(map(str.isalnum, each))]


def _call(rng: random.Random, declared: Format) -> str:
    name = rng.choice(TOOLS)
    try:
        return render(declared, [(name, {"city": "Oslo", "x": rng.choice([1, "a b", None])})], tools=_tools).strip()
    except UsageError:
        return f'{{"name": "{name}", "arguments": {{}}}}'


def _mention(rng: random.Random, declared: Format) -> str:
    marker = rng.choice(_markers(declared) or ["<tool_call>"])
    return rng.choice(
        ("Write {0} first, and then the name.", "{0} opens a call.", "What is {0} for?", "See {0}")
    ).format(marker)


def _pair(rng: random.Random, declared: Format) -> str:
    markers = _markers(declared) or ["<tool_call>"]
    frame = rng.choice(("{0} and {1} stand around it.", "From {0} to {1}.", "{0}…{1}", "{0} ... {1}", "({0}, {1})"))
    return frame.format(rng.choice(markers), rng.choice(markers))


def _inline(rng: random.Random, declared: Format) -> str:
    text = _call(rng, declared) if rng.random() < 0.6 else rng.choice(_markers(declared) or ["<tool_call>"])
    tick = "``" if "`" in text else "`"
    return f"It writes {tick}{text}{tick} for that." if "```" not in text else "It writes a fence."


def _fenced(rng: random.Random, declared: Format) -> str:
    word = rng.choice(("", "xml", "json", "text", "python", "html", "tool_call"))
    fence = "````" if "```" in (call := _call(rng, declared)) else "```"
    return f"For example:\n\n{fence}{word}\n{call}\n{fence}\n"


def _code(rng: random.Random, declared: Format) -> str:
    marker = rng.choice(_markers(declared) or ["<tool_call>"])
    lines = (
        f'OPENER = "{marker}"',
        f"if text.startswith({marker!r}):\n    return parse(text)",
        f"assert {marker!r} in output",
        f"// the lexer stops at {marker}",
        f"pattern = re.compile(r'{re.escape(marker)}(.*?)')",
    )
    return "The code:\n```python\n" + "\n".join(rng.sample(lines, rng.randint(1, 4))) + "\n```\n"


def _plain_code(rng: random.Random, declared: Format) -> str:
    del declared
    return rng.choice(
        (
            'result = {"name": "get_weather", "city": "Oslo"}',
            "print(get_weather(city='Oslo'))",
            "def shell(command):\n    return run([command])",
            'const x = [{"name": "a", "value": 1}];',
            "SELECT name, arguments FROM calls WHERE name = 'shell';",
            "for f in search(q): f(x=1)",
        )
    )


def _template(rng: random.Random, declared: Format) -> str:
    # What a document writes for a call: names and values left open.
    name = rng.choice(("NAME", "...", "<name>", "{name}"))
    text = re.sub(r"get_weather|shell|search|read_file|python|json|\bf\b", name, _call(rng, declared))
    return rng.choice(("The form is {0} for all.", "{0}", "- {0}\n- and so on")).format(text.replace("Oslo", "..."))


def _table(rng: random.Random, declared: Format) -> str:
    markers = _markers(declared) or ["<tool_call>"]
    rows = "\n".join(f"| {declared.name} | `{rng.choice(markers)}` | {rng.choice(markers)} |" for _ in range(3))
    return f"| family | opener | closer |\n|---|---|---|\n{rows}\n"


def _page(rng: random.Random, declared: Format) -> str:
    del declared
    return rng.choice(_pages())


_read: list[str] = []


def _pages() -> list[str]:
    # Paragraphs of the project's own documents, with the fences that are in them.
    if not _read:
        for pattern in PAGES:
            for path in sorted(ROOT.glob(pattern)):
                text = EXAMPLE.sub("", path.read_text(encoding="utf-8"))
                _read.extend(each for each in re.split(r"\n(?=#)", text) if each.strip())
    return _read


KINDS: dict[str, Callable[[random.Random, Format], str]] = {
    "a marker in prose": _mention,
    "two markers in prose": _pair,
    "inline code": _inline,
    "a fence behind text": _fenced,
    "code about markers": _code,
    "other code": _plain_code,
    "a form with names left open": _template,
    "a table": _table,
    "our own documents": _page,
}


def texts(count: int, seed: int) -> Iterator[tuple[str, Format, str]]:
    """So many texts: of each, its kind, the format that it is about, and the text."""
    formats = [each for each in all_formats() if _markers(each)]
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        kind = list(KINDS)[number % len(KINDS)]
        declared = rng.choice(formats)
        about = KINDS[kind](rng, declared)
        before = (
            _sentence(rng) + rng.choice((" ", "\n", "\n\n"))
            if rng.random() < 0.9 or kind != "our own documents"
            else ""
        )
        yield kind, declared, before + about + rng.choice(("", "\n", "\n\n" + _sentence(rng), " " + _sentence(rng)))


def alarms(text: str, declared: Format, way: str) -> list[str]:
    """The names of the calls that would run, read in that way."""
    parser = WAYS[way](declared)
    events = parser.feed(text) + parser.finish()
    return [event.call.name for event in events if isinstance(event, CallEnd) and event.call.status == "ok"]


def _counts(count: int, seed: int, show: int) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    # How many texts there are of each kind, and by kind and column, in how many of them calls were found.
    made: Counter[str] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for kind, declared, text in texts(count, seed):
        made[kind] += 1
        for way in WAYS:
            names = alarms(text, declared, way)
            known = any(name in TOOLS for name in names)
            found[kind, f"{way}: known"] += known
            found[kind, f"{way}: unknown"] += bool(names) and not known
            if names and show:
                show -= 1
                sys.stdout.write(f"{kind}, {way}, {declared.name}: {names}\n    {text!r}\n")
    return made, found


def _print(made: Counter[str], found: Counter[tuple[str, str]], ways: Iterable[str]) -> int:
    # The table for some ways of reading. Returns the sum of all that was found.
    columns = [f"{way}: {tool}" for way in ways for tool in ("known", "unknown")]
    sys.stdout.write(f"{'kind':30}{'texts':>8}" + "".join(f"{column:>26}" for column in columns) + "\n")
    for kind, count in made.items():
        sys.stdout.write(f"{kind:30}{count:>8}" + "".join(f"{found[kind, column]:>26}" for column in columns) + "\n")
    sums = [sum(found[kind, column] for kind in made) for column in columns]
    sys.stdout.write(f"{'sum':30}{sum(made.values()):>8}" + "".join(f"{each:>26}" for each in sums) + "\n")
    return sum(sums)


def main() -> int:
    """Print the tables. Returns 1 if a call was found where tools were given, else 0."""
    options = argparse.ArgumentParser(prog="python -m fuzz.alarms", description=__doc__)
    options.add_argument("--count", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--show", type=int, default=0, help="so many texts in which calls were found")
    chosen = options.parse_args()
    made, found = _counts(chosen.count, chosen.seed, chosen.show)
    sys.stdout.write("tools given: texts with a call, of a known or only of an unknown tool\n")
    breaches = _print(made, found, GIVEN)
    sys.stdout.write("\nno tools given (not a breach): texts with a call of one of those names, or only of others\n")
    _print(made, found, [way for way in WAYS if way not in GIVEN])
    sys.stdout.write(f"\nseed {chosen.seed}: {breaches} breaches\n")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
