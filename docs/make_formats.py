# How docs/reference/formats.md, and the page of each family in docs/reference/formats/, are made from the declarations:
# run `python docs/make_formats.py`. Of a family it knows the title of its page, and nothing else.
"""Writes the pages of formats."""

from __future__ import annotations

import importlib
import json
import re
import shutil
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from toolglean import Tool, parse, render
from toolglean.formats import library
from toolglean.formats.spec import JSON, Format

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "formats.md"
FOLDER = PAGE.with_suffix("")
CARRIED = FOLDER.parent / "carried.json"
"""What docs/make_carried.py found."""

TITLES = {
    "qwen": "Hermes and Qwen",
    "llama": "Llama",
    "deepseek": "DeepSeek",
    "glm": "GLM",
    "anthropic": "Anthropic",
    "minimax": "MiniMax",
    "moonshot": "Kimi",
    "mistral": "Mistral",
    "google": "Gemma",
    "openai": "Harmony (gpt-oss)",
    "cohere": "Command",
    "ibm": "Granite",
    "others": "Other models",
    "clients": "Clients",
    "prompts": "Prompts",
    "broken": "Broken markers",
}
"""The title of the page of each module of the library: short, because the navigation lists them."""

MADE = """\
<!-- Made by `python docs/make_formats.py` from the declarations in src/toolglean/formats/library: do not edit. -->
"""

HEAD = """\
# Formats

{made}
{count} formats describe how model families write their calls and their reasoning. Each name leads to its patterns, an
example, its other names and its models.

{table}

## Names

`Parser(tools, format=NAME)` takes the name of a format, or one of its other names. `Parser(tools, model=…)` takes a
model's name, such as `Qwen/Qwen3-8B` or `qwen3:8b`. With neither, the parser detects the format. `toolglean formats
NAME` prints a declaration as Python, for you to change. [Choose a format](../how-to/choose-a-format.md#by-name)
explains how names are compared.

The other names include those of vLLM's, SGLang's and Ollama's parsers. The name of a reasoning parser (`deepseek_r1`,
`granite_thinking_parser`, `openai_gptoss`) is another name of the format of the models for which that parser was
made, because one declaration covers both calls and reasoning.

## Patterns

In the patterns,

- `{{name}}`, `{{id}}` and `{{index}}` are the tool's name, the call's id and its number;
- `{{server}}` is the name of the tool's server;
- `{{call}}` is a JSON object with name and arguments, or several of them, in a list or in a row;
- `{{arguments}}` are the arguments alone;
- `{{parameters}}` is any number of parameters, each with `{{key}}` and `{{value}}` (or `{{json}}`);
- `{{keywords}}` are Python keyword arguments;
- `{{_}}` is a blank that is part of a marker.

White space in a pattern matches any white space, or none. Next to `{{value}}` it must match exactly, and is
removed on each side on which it is there.

Below each pattern is a turn with one call, as `render` writes it, and what `parse` reads from it. The tool's
schema says that `city` is a string and `days` an integer.

Most formats write values so that any text comes back. {refusing} of them end a text value with a marker: a value that
contains this marker would be cut off, or be read as another argument or another call. `render` refuses such a value,
and the page of the family shows the shortest one that was found, for each place where a text may be.
[`toolglean fuzz`](cli.md#toolglean-fuzz-template) looks for them in your own template.

## Names without a format

| name | why |
|---|---|
{unsupported}"""

FAMILY = """\
# {title}

{made}
{about}

[Patterns](../formats.md#patterns) explains the words in braces; [formats](../formats.md) lists the other families.
"""

TOOLS = [
    Tool(
        "get_weather",
        {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
    )
]
CALL = ("get_weather", {"city": "Oslo", "days": 3})
REASONING = "The user asks for Oslo."

_tags = re.compile(r"</?\w[\w:.-]*(?: [\w-]+=\"[^\"<>]*\")*>").sub


def pages() -> dict[Path, str]:
    """Each page, as it should be."""
    families = {name: importlib.import_module(f"{library.__name__}.{name}") for name in library.MODULES}
    return {
        PAGE: HEAD.format(
            made=MADE,
            count=len(library.formats()),
            refusing=sum(bool(found) for found in _carried().values()),
            table="\n".join(_table(families)),
            unsupported="".join(f"| `{name}` | {reason} |\n" for name, reason in sorted(library.UNSUPPORTED.items())),
        ),
        **{FOLDER / f"{name}.md": _family(name, module) for name, module in families.items()},
    }


def _table(families: dict[str, ModuleType]) -> Iterator[str]:
    # Each name is an anchor too: until each family had its page, formats.md#NAME was where a format was described.
    yield "| family | formats |\n|---|---|"
    for name, module in families.items():
        links = [_link(name, each) for each in module.FORMATS]
        yield f"| [{TITLES[name]}](formats/{name}.md) | {' · '.join(links)} |"


def _link(family: str, declared: Format) -> str:
    anchor = _anchor(declared)
    return f'<span id="{anchor}"></span>[`{declared.name}`](formats/{family}.md#{anchor})'


def _anchor(declared: Format) -> str:
    return declared.name.replace(".", "")  # as GitHub and the site make it from the title


def _family(name: str, module: ModuleType) -> str:
    about = (module.__doc__ or "").strip()
    head = FAMILY.format(title=TITLES[name], made=MADE, about=about)
    return "\n".join([head, *("\n".join(_section(declared)) for declared in module.FORMATS)])


def _section(declared: Format) -> Iterator[str]:
    yield f"## {declared.name}\n"
    yield from _patterns(declared)
    yield from _example(declared)
    refused = _cannot_carry(declared)
    yield f"- values that `render` refuses, because they would not come back: {'; '.join(refused) or 'none'}"
    for label, texts in _details(declared):
        if texts:
            yield f"- {label}: {', '.join(texts)}"
    yield f"- read from: {declared.source}"
    yield ""


KINDS = {
    "value": "a value",
    "list": "a text in a list",
    "object": "a text in an object",
    "key": "the key of an object",
    "parameter": "the name of a parameter",
}


@lru_cache(maxsize=1)
def _carried() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = json.loads(CARRIED.read_text(encoding="utf-8"))
    return found


def _cannot_carry(declared: Format) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for kind, text in _carried()[declared.name]:
        kinds.setdefault(json.dumps(text, ensure_ascii=False), []).append(KINDS[kind])
    return [f"{_code(text)} in {', '.join(where)}" for text, where in kinds.items()]


def _patterns(declared: Format) -> Iterator[str]:
    before, after = declared.section
    yield from _block(before + declared.call + after)
    for number, pattern in enumerate(declared.parameters):
        yield "where a parameter is\n" if not number else "or\n"
        yield from _block(pattern.rstrip("\n"))


def _example(declared: Format) -> Iterator[str]:
    turn = render(declared, [CALL], reasoning=REASONING if declared.all_reasonings else "", tools=TOOLS)
    read = parse(turn, TOOLS, format=declared)
    calls = [(call.name, call.arguments) for call in read.calls]
    if calls != [CALL] or read.content or read.problems:  # the page shows no turn that does not come back
        raise ValueError(f"{declared.name}: {turn!r} is read as {read}")
    yield "for example\n"
    yield from _block(turn.rstrip("\n"))
    yield "which is read as\n"
    shown = [f"reasoning   {json.dumps(read.reasoning.strip(), ensure_ascii=False)}"] if read.reasoning else []
    yield from _block("\n".join([*shown, *(f"call        {name}  {json.dumps(given)}" for name, given in calls)]))


def _block(text: str) -> Iterator[str]:
    fence = "~~~" if "```" in text else "```"
    yield f"{fence}{_language(text)}\n{text}\n{fence}\n"


def _language(text: str) -> str:
    # What is written with tags alone is coloured as XML. Other markers would be marked as errors.
    signs = _tags("", text)
    return "xml" if signs != text and not {*signs} & {*"<>&"} else ""


def _details(declared: Format) -> Iterator[tuple[str, list[str]]]:
    codec = declared.arguments
    yield "also read", [*map(_code, declared.also), *(_code(f"{a} … {b}") for a, b in declared.sections)]
    yield "what is left if a server removes the special tokens", [*map(_code, declared.without_special_tokens)]
    yield "between calls", [_code(declared.separator)] if declared.separator.strip() else []
    yield "arguments", [] if codec == JSON else [_code(repr(codec))]
    yield "reasoning", [_code(f"{a}…{b}") for a, b in declared.all_reasonings]
    if declared.all_reasonings and declared.calls_in_reasoning:
        yield "calls inside the reasoning", ["returned at once"]
    yield "markers before text", [*map(_code, declared.content_markers)]
    yield "markup wherever it is", [*map(_code, declared.drop)]
    yield "markers after which everything is content", [*map(_code, declared.end_markers)]
    yield "a lone parameter that may contain all arguments", [*map(_code, declared.wrappers)]
    if declared.at_line_start:
        yield "accepted only", ["at the beginning of a line"]
    if declared.at_turn_end:
        yield "accepted only", ["at the end of the turn"]
    if declared.by_name_only:
        yield "read only", ["if the format is named; otherwise it is text"]
    if declared.registered_only:
        yield "accepted only", ["for known tools, if you pass any tools"]
    yield "other names", [*map(_code, declared.aliases)]
    yield "models", [*map(_code, declared.models)]


def _code(text: str) -> str:
    shown = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"')
    ticks = "``" if "`" in shown else "`"
    pad = " " if "`" in shown else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8", newline="\n")
