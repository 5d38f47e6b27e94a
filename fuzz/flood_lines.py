# Invariant: a long text of lines of one kind, in one chunk or in many, takes time in proportion to its length. A line
# is looked at for more than other text is: it may begin a call in an undeclared spelling, a fence, a quotation, a tag.
# The search for floods (floods.py) has few whole lines; this has each kind of them, and an opener of every format.
"""`python -m fuzz.flood_lines [--reader NAME] [--opener TEXT] [--only kinds]`: what lines cost, from 4 KB to 64 KB."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from benchmarks.floods import SLIGHT, reads, time_of

__all__ = [
    "BEFORE",
    "CHUNK",
    "KINDS",
    "LARGE",
    "MOST",
    "READERS",
    "SMALL",
    "Lines",
    "Measured",
    "cost",
    "floods",
    "main",
]

SMALL, LARGE = 4096, 65_536
CHUNK = 4
MOST = 1.2
"""Of the exponent with which time grows with length."""
TRIES = 5
READERS = ("auto", "hermes", "qwen3-coder", "mistral-v13", "glm-4.5", "llama3-json", "deepseek-v4", "harmony", "react")
BEFORE = {"text": "Hi.\n", "the start": "", "reasoning": "<think>\n", "a backtick": "It`s so.\n"}
_SIGNS = (
    *("<", "[", "{", "(", "|", "`", "~", "#", "@", "@@ ", "%", "=", "==> ", ":", "::", "!", "$", "&", "^", "\\", ";;"),
    *(
        "->",
        "--> ",
        "--- ",
        "*** ",
        "+++ ",
        "→ ",
        "【",
        "「",
        "«",
        "⟦",
        "❯ ",
        ">",
        "> ",
        ">>> ",
        "- ",
        "* ",
        "+ ",
        "1. ",
    ),
    *("<<", "<|", "[[", "[/", "{{", "{%", "{#", "<!--", "<!", "<?", "</", "|x", "'", '"', "“", "*", "_", "\t", "    "),
)
KINDS: dict[str, str] = {
    "a tag and a word": "<foo>\nbar\n",
    "a tag and its end": "<foo>bar</foo>\n",
    "an open tag on each line": "<foo>\n",
    "a tag with attributes": '<foo a="b" c="d">\n',
    "an empty tag": "<foo/>\n",
    "pom.xml": (
        "<dependency>\n  <groupId>org.example</groupId>\n  <artifactId>a</artifactId>\n  <version>1.0</version>\n"
        "</dependency>\n"
    ),
    "XML that nests": "<a>\n <b>\n  <c>x</c>\n </b>\n</a>\n",
    "HTML": '<p class="a">Text <b>bold</b> &amp; more</p>\n<br>\n',
    "comments": "<!-- a -->\n",
    "a label and a tool": "Tool: f\n",
    "a label and another name": "Tool: g\n",
    "a label, a tool, arguments": "Action: f\ns: y\n",
    "capitals": "TOOL: f\nEND TOOL\n",
    "a tool's name": "f\n",
    "a tool's name and pairs": 'get_weather s="y" n=7\n',
    "a function": "f(s='y', n=7)\n",
    "a label, a tool, pairs, an end": "CALL f s=y n=7 END\n",
    "a list of Lisp": '(call f (s "y") (n 7))\n',
    "the query of a URL": "tool://f?s=y&n=7\n",
    "a call of Ruby": "call :f, s: 'y', n: 7\n",
    "a call of Lua": 'tools.f{s="y", n=7}\n',
    "a call of PHP": "call('f', ['s' => 'y', 'n' => 7]);\n",
    "an emoji and a tool": "🔧 f\ns: y\n",
    "words without blanks": "调用工具：f\ns：y\n",
    "brackets that open": "((((\n",
    "a tool's own tag": "<f>\n<s>y</s>\n</f>\n",
    "a tool's own tag, open": "<f>\n",
    "a tool in an attribute": '<use tool="f" s="y"/>\n',
    "a table": "| key | value |\n",
    "a narrow table": "|a|b|\n",
    "a list": "- item\n",
    "a list with tools": "- f: text\n",
    "numbers": "1. item\n",
    "headings": "### Title\n",
    "a line under a title": "Title\n=====\n",
    "quotations": "> text\n",
    "deep quotations": "> > > text\n",
    "fences": "```\nx\n```\n",
    "fences of a language": "```python\nx = 1\n```\n",
    "fences of a tool": "```f\ns: y\n```\n",
    "open fences": "```json\n",
    "fences of tildes": "~~~\nx\n~~~\n",
    "one backtick": "`\n",
    "runs of backticks": "``a`b```c\n",
    "an open run and an empty line": "``a\n\n",
    "inline code": "the `code` and `more`\n",
    "inline calls": '`<tool_call>{"name": "f"}</tool_call>`\n',
    "a bracket": "[\n",
    "a brace": "{\n",
    "a bracket and a word": "[foo]\n",
    "brackets that close": "[]\n",
    "a line of JSON": '{"a": 1}\n',
    "a line of JSON with a tool": '{"name": "f", "value": 1}\n',
    "a line of JSON, open": '{"name": "f",\n',
    "calls in JSON": '{"name": "f", "arguments": {"s": "y"}}\n',
    "a role in JSON": '{"role": "tool", "content": "x"}\n',
    "a list of JSON": '[{"a": 1}, 2]\n',
    "YAML": "- name: f\n  args: {s: y}\n",
    "a section": '[f]\ns = "y"\n',
    "log lines": "10:00:01 INFO tool=f s=y\n",
    "a diff": "-f(s='y')\n+f(s='z')\n",
    "a prompt": "$ f --s y\n",
    "prose": "This is a line of text, and nothing else.\n",
    "prose with `<`": "It is 3 < 4 and a <b.\n",
    "a colon": "So:\n\n",
    "empty lines": "\n",
    "blanks": "    \n",
    "carriage returns": "\r\n",
    "a mention": 'Never write <tool_call>{"name": "f", "arguments": {}}</tool_call> here.\n',
    "an open mention": "Never write <tool_call> here.\n",
    "escaped tags": "&lt;tool_call&gt;\n",
    "CDATA": "<![CDATA[\n",
    **{f"{sign!r} and a word": f"{sign}word\n" for sign in _SIGNS},
    **{f"{sign!r} and a tool": f"{sign}f\n" for sign in _SIGNS},
    **{f"{sign!r} alone": f"{sign}\n" for sign in _SIGNS},
}
"""Lines, by what they are."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What reads, what comes before the lines, the lines, and the length of the chunks (0: one chunk)."""

    reader: str
    before: str
    kind: str
    unit: str
    chunk: int


@dataclass(frozen=True, slots=True)
class Measured:
    """The processor time of 4 KB and of 64 KB, in seconds."""

    small: float
    large: float

    @property
    def exponent(self) -> float:
        """With which power of the length time grows; 1 where it is too short to tell."""
        if self.large < SLIGHT:
            return 1.0
        return math.log(self.large / max(self.small, 1e-6)) / math.log(LARGE / SMALL)

    @property
    def linear(self) -> bool:
        """Whether it grows as the length does."""
        return self.exponent <= MOST


def cost(each: Lines) -> Measured:
    """What it costs. The small text is read as often as makes the large one, next to it: a machine that becomes slower
    does so for both. What is too much is measured again: another process may have been in the way.
    """
    time = partial(time_of, reads(each.reader).parser, BEFORE[each.before], each.unit, "", chunk=each.chunk, tries=1)
    found = Measured(0, 0)
    for _ in range(TRIES):
        large = time(LARGE)
        found = Measured(fmean(time(SMALL) for _ in range(LARGE // SMALL)), large)
        if found.linear:
            break
    return found


def floods(reader: str, *, opener: str = "", kinds: bool = True, openers: bool = True) -> Iterator[Lines]:
    """The floods of that reader: each kind of line, and lines that begin with each of its markers.

    Args:
        reader: a name of `benchmarks.floods.readers`.
        opener: only lines with that text in them.
        kinds, openers: which of the two.
    """
    units = dict(KINDS) if kinds else {}
    for marker in reads(reader).markers if openers else ():
        units |= {f"{marker!r}, a line": f"{marker}\nbar\n", f"{marker!r} and text": f"{marker} bar\n"}
        units |= {f"text and {marker!r}": f"bar {marker}\n", f"most of {marker!r}": f"{marker[:-1]}\n"}
    for kind, unit in units.items():
        if opener in unit:
            yield from (Lines(reader, before, kind, unit, 0) for before in BEFORE)
            yield Lines(reader, "text", kind, unit, CHUNK)


def main() -> int:
    """Measure, and print what is not linear, and the worst of each reader; 1 if anything is not."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.flood_lines", description="What lines cost.")
    parser.add_argument("--reader", action="append", metavar="NAME", help="what reads; default: a dozen of them")
    parser.add_argument("--opener", default="", metavar="TEXT", help="only lines with that in them")
    parser.add_argument("--only", choices=("kinds", "openers"), help="kinds of lines only, or the markers of formats")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each so many of the floods")
    options = parser.parse_args()
    print(f"{'':14}{'behind':12}{'unit':38}{'fed':>8}{SMALL:>9,}{LARGE:>10,}{'exponent':>10}")
    wrong = count = 0
    for reader in options.reader or READERS:
        possible = floods(
            reader, opener=options.opener, kinds=options.only != "openers", openers=options.only != "kinds"
        )
        chosen = list(possible)[:: options.every]
        measured = [(each, cost(each)) for each in chosen]
        count += len(measured)
        bad = [pair for pair in measured if not pair[1].linear]
        wrong += len(bad)
        worst = sorted(measured, key=lambda pair: -pair[1].exponent)[:3]
        slowest = sorted(measured, key=lambda pair: -pair[1].large)[:3]
        for each, found in dict.fromkeys([*bad, *worst, *slowest]):
            print_row(each, found)
    print(f"{count} floods, {wrong} of them not linear")
    return 1 if wrong else 0


def print_row(each: Lines, found: Measured) -> None:
    """One line of the table."""
    fed = f"by {each.chunk}" if each.chunk else "whole"
    times = f"{found.small * 1000:7.1f}ms{found.large * 1000:8.1f}ms"
    verdict = "" if found.linear else "  NOT LINEAR"
    print(
        f"{each.reader:14}{each.before:12}{each.kind[:36]:38}{fed:>8}{times}{found.exponent:10.2f}{verdict}", flush=True
    )


if __name__ == "__main__":
    sys.exit(main())
