# Tools with schemas, and valid arguments for them. Does not depend on the texts that they are put into.
"""Tools for texts that are near misses of calls."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

__all__ = ["About", "about"]

TYPES: dict[str, dict[str, Any]] = {
    "": {"type": "string"},
    "int": {"type": "integer"},
    "number": {"type": "number"},
    "bool": {"type": "boolean"},
    "list": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object"},
    "units": {"type": "string", "enum": ["metric", "imperial"]},
    "level": {"type": "string", "enum": ["info", "warning", "error"]},
    "status": {"type": "string", "enum": ["open", "paid", "sent"]},
}
# A word for each tool: its name, then `key:type`, with a `!` if the key is required. Some have names and keys that are
# words of prose, of configuration files and of HTML, or that are words after the fence of code.
TOOLS = (
    "get_weather city! days:int units:units",
    "search query! limit:int",
    "read_file path! start_line:int end_line:int",
    "write_file path! content!",
    "shell command! timeout:number",
    "bash command! description",
    "python code!",
    "sql query! database",
    "json path! pretty:bool",
    "send_email to! subject! body! urgent:bool",
    "create_event title! start! attendees:list",
    "listOrders customer! status:status limit:int",
    "build target! release:bool",
    "server host! port!:int",
    "note title body!",
    "config key! value!",
    "deploy service! version replicas:int dry_run:bool",
    "user name! email age:int",
    "image src! alt width:int",
    "link href! title",
    "log level!:level message!",
    "test file verbose:bool",
    "package name! version!",
    "http_get url! headers:object timeout:number",
    "translate-text text! target_language!",
    "mcp__files__read path!",
    "form action! method",
    "Read file_path! offset:int",
    "add a!:number b!:number",
    "get_time timezone",
)
STRINGS: dict[str, tuple[str, ...]] = {
    "city": ("Oslo", "Paris", "New York", "São Paulo"),
    "path": ("src/main.py", "/etc/hosts", "notes.txt"),
    "command": ("ls -la", "git status", "make test"),
    "code": ("print(1)", "x = 1", "import os"),
    "query": ("red shoes", "select 1", "how to knit"),
    "to": ("ann@example.org", "team@example.com"),
    "title": ("Lunch", "Release notes", "A: the first"),
    "host": ("localhost", "db.example.org", "127.0.0.1"),
    "url": ("https://example.org/a", "http://localhost:8080"),
    "href": ("https://example.org", "#top"),
    "src": ("a.png", "https://example.org/b.jpg"),
    "action": ("/login", "save"),
    "version": ("1.2.3", "2"),
    "email": ("bo@example.org",),
    "start": ("2026-11-25T10:00", "noon"),
}
WORDS = ("blue", "main", "hello world", "the first one", "x", "42", "true", "Ann", "it's done")


@dataclass(frozen=True)
class About:
    """What a text is about.

    Attributes:
        tools: the tools that the parser is given.
        name: the one of these that the text is about.
        given: valid arguments for it.
        required: those of its keys that are required.
    """

    tools: tuple[dict[str, Any], ...]
    name: str
    given: dict[str, Any]
    required: tuple[str, ...]


def _keys(line: str) -> tuple[str, dict[str, str], tuple[str, ...]]:
    name, *keys = line.split(" ")
    pairs = [each.partition(":")[::2] for each in keys]
    required = tuple(key.rstrip("!") for key, _ in pairs if key.endswith("!"))
    return name, {key.rstrip("!"): type_ for key, type_ in pairs}, required


def _tool(line: str) -> dict[str, Any]:
    name, keys, required = _keys(line)
    properties = {key: TYPES[type_] for key, type_ in keys.items()}
    return {"name": name, "parameters": {"type": "object", "properties": properties, "required": list(required)}}


def _value(rng: random.Random, key: str, type_: str) -> Any:
    if type_ == "":
        return rng.choice(STRINGS.get(key, WORDS))
    if "enum" in (schema := TYPES[type_]):
        return rng.choice(schema["enum"])
    values: dict[str, tuple[Any, ...]] = {
        "int": (3, 80, 0, 8080),
        "number": (2, 0.5, 30),
        "bool": (True, False),
        "list": (["ann"], ["ann", "bo"]),
        "object": ({"Accept": "text/html"},),
    }
    return rng.choice(values[type_])


def about(rng: random.Random) -> About:
    """Some tools, and valid arguments for one of them: all that it requires, and some of the others."""
    lines = rng.sample(TOOLS, rng.randint(1, 6))
    name, keys, required = _keys(lines[0])
    chosen = {key: type_ for key, type_ in keys.items() if key in required or rng.random() < 0.6} or keys
    given = {key: _value(rng, key, type_) for key, type_ in chosen.items()}
    return About(tuple(map(_tool, rng.sample(lines, len(lines)))), name, given, required)
