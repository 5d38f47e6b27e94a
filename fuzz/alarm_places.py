# A call in a spelling that nobody declared, at a place or in a state in which no reader may take it for a call.
# Does not depend on how it is read.
"""Texts that look like calls and are not, because of where they are or what is wrong with them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace

from fuzz.alarm_spellings import spelled
from fuzz.alarm_tools import About

__all__ = ["AFTER", "LEADS", "PLACES", "sentence"]

LEADS = (
    "You could run:",
    "For example:",
    "Here is what that looks like:",
    "The model then writes this:",
    "It would be this.",
    "I'd do it like this:",
    "Try the following:",
    "Sure, here it is:",
    "One way to do it:",
    "The log shows a call:",
)
AFTER = (
    "That is all there is to it.",
    "Would you like me to do that?",
    "I have not run it.",
    "Nothing of this was sent.",
    "As you see, each key has its value.",
    "Then the server answers.",
    "Tell me if you want it.",
)
INFO_WORDS = """
    python py sh bash shell console zsh json jsonc yaml yml toml ini js ts javascript typescript jsx tsx go
    rust java c cpp csharp ruby php sql html xml css scss text txt plaintext plain diff patch http graphql csv
    markdown md dockerfile makefile cmake perl lua kotlin swift powershell ps1 bat cmd log properties env conf
    nginx hcl terraform r julia haskell elixir erlang scala dart groovy clojure lisp scheme elm zig nim ocaml
    fsharp fish nix vim asm solidity cypher prisma proto protobuf latex tex bibtex mermaid dot rst asciidoc
    wiki svg vue svelte jinja handlebars erb liquid ebnf regex pseudocode output result example terminal stdout
    json5 jsonl ndjson shell-session matlab fortran pascal vb objective-c postgresql mysql
"""
LANGUAGES = ("", *INFO_WORDS.split())
ENDED_BY_LINE = ("PERFORM:", "exec")
"""The spellings without a closer."""
ENDED_BY_KEY = ("<|use", "[TOOL", "Tool:", "%%")
"""The spellings whose values have no end of their own: a key that is not declared is a part of the value before it."""
CLOSERS = ("</call-it>", "⟦/do⟧", "}}", "}>>", "<|ok|>", "<|/use|>", "</step>", "[/run]", "/>", "/]", "}")
"""The ends of the spellings that may be on one line with the rest, the longer ones first."""
Place = Callable[[random.Random, About], str]


def sentence(rng: random.Random, about: About) -> str:
    """A sentence about a tool, or about nothing."""
    key = rng.choice(tuple(about.given))
    return rng.choice((
        f"The tool {about.name} takes {key}.",
        f"I would use {about.name} for that, with {key} set to {about.given[key]}.",
        f"`{about.name}` is what you need.",
        "That is easy to explain.",
        "There are two ways.",
        f"It depends on {key}: the rest can be left out.",
        "Let me show you how it works.",
    ))  # fmt: skip


def _lead(rng: random.Random, about: About) -> str:
    return rng.choice((rng.choice(LEADS), sentence(rng, about)))


def _prefixed(text: str, first: str, other: str) -> str:
    lines = text.split("\n")
    return "\n".join([first + lines[0], *((other + line).rstrip() for line in lines[1:])])


def _prose_after(rng: random.Random, about: About) -> str:
    gap = rng.choice(("\n", "\n\n"))
    return f"{_lead(rng, about)}{gap}{spelled(rng, about)}{gap}{rng.choice(AFTER)}"


def _inside_a_line(rng: random.Random, about: About) -> str:
    call = spelled(rng, about, one_line=True)
    forms = (
        "So it writes {0}",
        "{1} {0}",
        "x = {0}",
        "{0} is what it writes",
        "({0})",
        "“{0}”",
        "{0} # a call",
        "{0} {1}",
    )
    return rng.choice(forms).format(call, _lead(rng, about))


def _quoted(rng: random.Random, about: About) -> str:
    return f"{_lead(rng, about)}\n\n{_prefixed(spelled(rng, about), '> ', '> ')}"


def _in_a_list(rng: random.Random, about: About) -> str:
    mark = rng.choice(("- ", "* ", "1. ", "+ "))
    other = rng.choice((f"{mark}the first\n", ""))
    return f"{_lead(rng, about)}\n\n{other}{_prefixed(spelled(rng, about), mark, ' ' * len(mark))}"


def _in_a_table(rng: random.Random, about: About) -> str:
    call = spelled(rng, about, one_line=True)
    return f"{_lead(rng, about)}\n\n| what | how |\n|---|---|\n| {about.name} | {call} |\n"


def _in_a_fence(rng: random.Random, about: About) -> str:
    fence = rng.choice(("```", "```", "~~~"))
    return f"{_lead(rng, about)}\n\n{fence}{rng.choice(LANGUAGES)}\n{spelled(rng, about)}\n{fence}"


def _in_ticks(rng: random.Random, about: About) -> str:
    return f"{_lead(rng, about)}\n\n`{spelled(rng, about, one_line=True)}`"


def _in_markup(rng: random.Random, about: About) -> str:
    before, after = rng.choice(
        (("<!--\n", "\n-->"), ("<pre>\n", "\n</pre>"), ("<code>\n", "\n</code>"), ("<script>\n", "\n</script>"))
    )
    return f"{_lead(rng, about)}\n\n{before}{spelled(rng, about)}{after}"


def _in_a_result(rng: random.Random, about: About) -> str:
    before, after = rng.choice((
        ("<tool_response>\n", "\n</tool_response>"),
        ("<tool_result>\n", "\n</tool_result>"),
        ("[TOOL_RESULTS]\n", "\n[/TOOL_RESULTS]"),
        ("<function_results>\n", "\n</function_results>"),
    ))  # fmt: skip
    return f"{before}{spelled(rng, about)}{after}"


def _marked_lines(rng: random.Random, about: About) -> str:
    first, other = rng.choice(
        (("# ", "# "), ("// ", "// "), ("$ ", "> "), (">>> ", "... "), ("+", "+"), ("-", "-"), ("-- ", "-- "))
    )
    return f"{_lead(rng, about)}\n\n{_prefixed(spelled(rng, about), first, other)}"


def _numbered_lines(rng: random.Random, about: About) -> str:
    lines = spelled(rng, about).split("\n")
    mark = rng.choice((" | ", ": ", "\t"))
    return "\n".join(f"{number}{mark}{line}" for number, line in enumerate(lines, rng.randint(1, 90)))


def _in_json(rng: random.Random, about: About) -> str:
    made = {"id": rng.randint(1, 9), rng.choice(("example", "text", "prompt")): spelled(rng, about)}
    return json.dumps(made, ensure_ascii=False, indent=rng.choice((None, 2)))


def _in_yaml(rng: random.Random, about: About) -> str:
    return f"version: 2\nabout: {about.name}\nexample: |\n{_prefixed(spelled(rng, about), '  ', '  ')}\n"


def _indented(rng: random.Random, about: About) -> str:
    return f"{_lead(rng, about)}\n\n{_prefixed(spelled(rng, about), '    ', '    ')}\n"


def _other_name(rng: random.Random, about: About) -> str:
    name = about.name
    other = rng.choice(
        (name + "s", "old_" + name, name + "2", "my." + name, name.swapcase(), name[:-1], name + "_tool")
    )
    if any(other == tool["name"] for tool in about.tools):
        other = "not_" + name
    return f"{_lead(rng, about)}\n\n{spelled(rng, replace(about, name=other))}"


def _other_keys(rng: random.Random, about: About) -> str:
    given = dict(about.given)
    faults = [{**given, "zz_undeclared": "x"}, {"Zz": 1, **given}]
    if about.required:
        gone = rng.choice(about.required)
        left = {key: value for key, value in given.items() if key != gone}
        faults += [{**left, gone.upper() + "X": given[gone]}, {**left, f"the {gone}": given[gone]}]
        faults += [left] if left else []
    wrong = replace(about, given=rng.choice(faults))
    call = spelled(rng, wrong)
    while call.startswith(ENDED_BY_KEY):
        call = spelled(rng, wrong)
    return f"{_lead(rng, about)}\n\n{call}"


def _not_closed(rng: random.Random, about: About) -> str:
    call = spelled(rng, about)
    while call.startswith(ENDED_BY_LINE):
        call = spelled(rng, about)
    last = call.rpartition("\n")[2]
    closers = [each for each in CLOSERS if last.endswith(each)]
    gone = rng.choice((len(closers[0]), 1)) if closers else len(last) + 1
    after = rng.choice(("", "\n", "\n\n" + rng.choice(AFTER)))
    return f"{_lead(rng, about)}\n\n{call[:-gone]}{after}"


PLACES: dict[str, Place] = {
    "a call, and prose after it": _prose_after,
    "a call inside a line": _inside_a_line,
    "a call in a quotation": _quoted,
    "a call in a list": _in_a_list,
    "a call in a table": _in_a_table,
    "a call in a fence of a language": _in_a_fence,
    "a call in backticks": _in_ticks,
    "a call in a comment or pre": _in_markup,
    "a call in a tool's result": _in_a_result,
    "a call in marked lines": _marked_lines,
    "a call in numbered lines": _numbered_lines,
    "a call in a JSON value": _in_json,
    "a call in a YAML value": _in_yaml,
    "a call in indented code": _indented,
    "a call of another name": _other_name,
    "a call with other keys": _other_keys,
    "a call that is not closed": _not_closed,
}
"""How to make a text of each kind."""
