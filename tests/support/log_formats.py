# Logs as they are: thirty formats that no library declares, many turns of each, and what goes wrong in some of them.
# Does not depend on how a format is learnt.
#
# The formats differ in their opener, the place of the name, the form of the arguments, and the closer. The turns are
# made up by a seed, with the tools of trace_formats.py. A turn that is broken was cut, or lost a few characters of its
# call, or writes it in another way: in every case it has text that was meant for a call, and is none in its format.
"""Invented formats, logs of them, and broken turns."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.support.trace_formats import Arguments, Invented, Meant

__all__ = ["LOGGED", "broken", "meant_turns", "mixed"]

_j = json.dumps


def _raw(value: Any) -> str:
    return value if isinstance(value, str) else _j(value)


def _each(given: Arguments, write: Callable[[str, Any], str], between: str = "") -> str:
    return between.join(write(key, value) for key, value in given.items())


def _formats() -> Iterator[Invented]:  # one line for each
    def add(name: str, write: Callable[[int, str, Arguments], str], **around: Any) -> Invented:
        return Invented(name, write, **around)

    # JSON after the name
    yield add("angle", lambda _, f, a: f"<exec>{f}</exec><data>{_j(a)}</data>")
    yield add("slashes", lambda _, f, a: f"//{f}// {_j(a)} //end//", separator=" ")
    yield add("hashes", lambda _, f, a: f"##TOOL {f}\n{_j(a)}\n##END")
    yield add("bars", lambda _, f, a: f"||{f}||{_j(a)}||stop||", end="||eot||")
    yield add("square", lambda _, f, a: f"[ACT {f}]{_j(a)}[/ACT]", separator="\n\n")
    yield add("guillemet", lambda _, f, a: f"«do {f}»{_j(a)}«done»")
    yield add("tokens", lambda _, f, a: f"<|start_fn|>{f}<|fn_args|>{_j(a)}<|end_fn|>", end="<|eom|>")
    yield add("section", lambda _, f, a: f"{f}: {_j(a)}", section=("<todo>\n", "\n</todo>"))
    # JSON with the name in it
    yield add("whole", lambda _, f, a: f"<step>{_j({'op': f, 'params': a})}</step>")
    yield add("turned", lambda _, f, a: f"[[do]]{_j({'with': a, 'do': f})}[[/do]]")
    yield add("list", lambda _, f, a: _j({"run": f, "input": a}), section=("<list>[", "]</list>"), separator=", ")
    yield add("wide", lambda _, f, a: f"⟪{_j({'tool': f, 'args': a})}⟫")
    # Keywords
    yield add("python", lambda _, f, a: f"<py>{f}({_each(a, lambda k, v: f'{k}={v!r}', ', ')})</py>")
    yield add(
        "dollar",
        lambda _, f, a: f"$${f}({_each(a, lambda k, v: f'{k}={v!r}', ', ')})$$",
        reasoning=("$think ", " $end\n"),
    )
    # Attributes
    yield add("attributes", lambda _, f, a: f'<use fn="{f}" {_each(a, lambda k, v: f"{k}={_j(v)}", " ")} />')
    yield add("bracketed", lambda _, f, a: f"[use:{f} {_each(a, lambda k, v: f'{k}={_j(v)}', ' ')}]")
    yield add("percent", lambda _, f, a: f"%%{f} {_each(a, lambda k, v: f'@{k}={_j(v)}', ' ')} %%")
    # Elements
    yield add("elements", lambda _, f, a: f"<act><id>{f}</id>{_each(a, lambda k, v: f'<{k}>{_raw(v)}</{k}>')}</act>")
    yield add(
        "named",
        lambda _, f, a: f'<op name="{f}">{_each(a, lambda k, v: f"<in key=~{k}~>{_raw(v)}</in>")}</op>'.replace(
            "~", '"'
        ),
    )
    yield add("bars2", lambda _, f, a: f"<|op:{f}|>{_each(a, lambda k, v: f'<|{k}|>{_raw(v)}<|/{k}|>')}<|/op|>")
    yield add("corners", lambda _, f, a: f"【{f}】{_each(a, lambda k, v: f'〔{k}〕{_raw(v)}〔/〕')}【/】")
    yield add(
        "slots", lambda _, f, a: f"<fn {f}>\n{_each(a, lambda k, v: f'<set {k}>{_raw(v)}</set>', chr(10))}\n</fn>"
    )
    # Lines
    yield add("lines", lambda _, f, a: f"@call {f}\n{_each(a, lambda k, v: f'@{k} {_j(v)}', chr(10))}\n@end")
    yield add("colons", lambda _, f, a: f"=== {f} ===\n{_each(a, lambda k, v: f'{k}: {_j(v)}', chr(10))}\n=== end ===")
    yield add("arrows", lambda _, f, a: f"=>> {f}\n{_each(a, lambda k, v: f'  {k} -> {_j(v)}', chr(10))}\n<<")
    yield add("stars", lambda _, f, a: f"*run {f}*\n{_each(a, lambda k, v: f'* {k} = {_j(v)}', chr(10))}\n*ran*")
    # Flags, pairs between signs
    yield add("flags", lambda _, f, a: f"!exec {f} {_each(a, lambda k, v: f'--{k}={_j(v)}', ' ')} !!")
    yield add("commas", lambda _, f, a: f"~{f}~ {_each(a, lambda k, v: f'{k}={_j(v)}', ', ')} ~~~end")
    yield add("semis", lambda _, f, a: f"{{{{{f}: {_each(a, lambda k, v: f'{k}={_j(v)}', '; ')}}}}}")
    yield add(
        "thinking",
        lambda n, f, a: f'<job no="{n + 40}" what="{f}">{_j(a)}</job>',
        section=("<jobs>\n", "\n</jobs>"),
        reasoning=("<ponder>", "</ponder>\n"),
        end="<eot/>",
    )


LOGGED = tuple(_formats())

_words = (
    "rain", "north gate", "Ana", "the long report", "a < b", "it's late", 'say "hi"', "Köln", "x=1, y=2",
    "notes.txt",
)  # fmt: skip
_prose = ("Let me look.", "I will do that now.", "One moment, please.", "Sure.", "Two things, then I am done.", "")


def _value(rng: random.Random, kind: str) -> Any:
    text = f"{rng.choice(_words)} {rng.randint(1, 99)}"
    return {
        "string": text,
        "integer": rng.randint(0, 500),
        "number": rng.choice((0.5, 3, 12.25, 7)),
        "boolean": rng.random() < 0.5,
        "array": [text, "b"][: rng.randint(1, 2)],
        "object": {"deep": True, "ext": "py"},
    }[kind]


_tools: dict[str, tuple[tuple[str, str, bool], ...]] = {
    "get_weather": (("city", "string", True), ("days", "integer", False), ("metric", "boolean", False)),
    "send_note": (("to", "string", True), ("body", "string", True), ("tags", "array", False)),
    "set_level": (("level", "number", True), ("room", "string", False)),
    "find_files": (("query", "string", True), ("options", "object", False), ("limit", "integer", False)),
}


def _call(rng: random.Random) -> tuple[str, Arguments]:
    name = rng.choice(list(_tools))
    return name, {key: _value(rng, kind) for key, kind, needed in _tools[name] if needed or rng.random() < 0.5}


def meant_turns(count: int, seed: object) -> list[Meant]:
    """So many turns, one in eight without a call."""
    rng = random.Random(f"{seed}")
    found = []
    for number in range(count):
        if number % 8 == 5:
            found.append(Meant((), f"The weather is fine, and get_weather is not needed: {rng.choice(_words)}."))
            continue
        calls = tuple(_call(rng) for _ in range(rng.choice((1, 1, 1, 2, 3))))
        found.append(Meant(calls, rng.choice(_prose), "I think of " + rng.choice(_words) if rng.random() < 0.4 else ""))
    return found


def broken(invented: Invented, meant: Meant, rng: random.Random) -> str:
    """That turn, with its last call broken in one of five ways."""
    text = invented.turn(invented.without_reasoning(meant))
    name, given = meant.calls[-1]
    place = text.rindex(name)
    last = text.rfind(max(map(_raw, given.values()), key=len)[:8], place)
    stop = max(last, place + len(name) + 2)
    how = rng.randrange(5)
    if how == 0:  # cut in the arguments
        return text[: rng.randint(place + len(name) + 1, stop)]
    if how == 1:  # cut in the name
        return text[: place + len(name) // 2]
    if how == 2:  # characters after the name are lost
        return text[: place + len(name)] + text[place + len(name) + rng.randint(3, 5) :]
    if how == 3:  # written as code
        return f"{meant.content}\nreturn {name}({', '.join(f'{key}: {value}' for key, value in given.items())}"
    return (
        f"{meant.content}\n```json\n{_j({'name': name, 'arguments': given})[:-3]}\n```"  # as JSON, and not to its end
    )


def mixed(invented: Invented, count: int, share: float, seed: object) -> tuple[list[str], frozenset[int]]:
    """A log of so many turns, and the numbers of those that are broken, that share of them."""
    rng = random.Random(f"{invented.name} {seed}")
    meant = meant_turns(count, f"{invented.name} {seed}")
    called = [number for number, each in enumerate(meant) if each.calls]
    bad = frozenset(rng.sample(called, round(share * count)))
    return [
        broken(invented, each, rng) if number in bad else invented.turn(invented.without_reasoning(each))
        for number, each in enumerate(meant)
    ], bad
