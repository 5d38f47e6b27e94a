# Invariant: data is not a call. Of a JSON document that is the whole turn, alone, in a fence, or after reasoning, a
# call comes only where the written rules say so.
#
# The rules, as the oracle has them (`allowed`). An object is a call only if
#
#   place       it is the turn's own value: at the top, in the list at the top, or there under one of the WRAPPERS
#   name        a tool's name is the value of `name` or `tool_name`; or of `tool`, `function`, `action` or
#               `function_name`, beside a name of arguments; or it is the object's only key
#   arguments   they are in the same object: under one of the names of arguments, else the only other object in it; a
#               string is one if it contains an object; `{}` only if nothing else is there. They have all keys that the
#               schema requires
#   definition  there is no `description` beside the name, and what is under a name of arguments is not a JSON schema
#
# What is allowed need not come. `due` says what must: the spellings that the big APIs document, with nothing beside
# them.
# Both read the document with `json.loads`; they share no code with the parser.
"""`python -m fuzz.documents [--count N] [--seed N] [--format NAME]`: JSON documents that are not calls."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from fuzz.reading import calls_of, read
from fuzz.runner import Found, Fuzzer, raised
from fuzz.turns import every_format
from toolglean import Parser, ParserOptions, ToolSet

__all__ = ["FUZZER", "allowed", "breach", "due", "ran"]

WRAPPERS = frozenset({"tool_calls", "toolcalls", "function_call", "function", "tool_call", "call", "tool", "command"})
NAMES = frozenset({"name", "tool_name"})
WITH_ARGUMENTS = frozenset({"tool", "function", "action", "call", "function_name"})
ARGUMENTS = frozenset({"arguments", "parameters", "params", "args", "input", "tool_input", "tool_args", "action_input"})
ASIDE = frozenset({"id", "type", "index", "call_id"})


def _tool(name: str, required: tuple[str, ...], **kinds: str) -> dict[str, Any]:
    properties = {key: {"type": kind} for key, kind in kinds.items()}
    return {"name": name, "parameters": {"type": "object", "properties": properties, "required": [*required]}}


TOOLS = (
    _tool("read", ("path",), path="string", lines="integer"),
    _tool("delete_all", ()),
    _tool("Blue", (), seats="integer"),
    _tool("send_money", ("to", "amount"), to="string", amount="number"),
    _tool("get_weather", ("city",), city="string"),
)
REQUIRED = {tool["name"]: tool["parameters"]["required"] for tool in TOOLS}
_tools = ToolSet(TOOLS)

# -- the oracle --------------------------------------------------------------------------------------------------------


def allowed(document: Any) -> list[tuple[str, Any]]:
    """The calls that may run: names, and for each the arguments that it may have."""
    return [found for each in _places(document) if isinstance(each, dict) for found in _calls(each)]


def _places(value: Any) -> Iterator[Any]:
    # The turn's own values. A wrapper may contain a list or an object, and may be in another one, as in OpenAI's API.
    if isinstance(value, list):
        for each in value:
            yield from _places(each) if isinstance(each, dict) else ()
    elif isinstance(value, dict):
        yield value
        for key in WRAPPERS & value.keys():
            yield from _places(value[key])


def _calls(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    keys = NAMES | WITH_ARGUMENTS if ARGUMENTS & value.keys() else NAMES
    names = [name for key in keys & value.keys() if isinstance(name := value[key], str) and name in REQUIRED]
    if names and "description" not in value:
        known = [_object(value[key]) for key in ARGUMENTS & value.keys()]
        others = [each for key, each in value.items() if key not in keys | ARGUMENTS | ASIDE]
        objects = [each for each in others if isinstance(each, dict)]
        found = known or (objects if len(objects) == 1 else []) or ([] if others else [{}])
        if not any(_is_schema(each) for each in known):
            yield from ((name, each) for name in names for each in found if _is_enough(name, each))
    if len(value) == 1:
        [(name, each)] = value.items()
        if name in REQUIRED and _is_enough(name, each) and not _is_schema(each):
            yield name, each


def _object(value: Any) -> Any:
    if isinstance(value, str):
        with suppress(ValueError):
            return json.loads(value)
    return {} if value is None else value


def _is_enough(name: str, arguments: Any) -> bool:
    return isinstance(arguments, dict) and all(key in arguments for key in REQUIRED[name])


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict) and "type" in value and "properties" in value


def due(document: Any) -> list[tuple[str, Any]]:
    """The calls that must run: documented spellings, alone."""
    if isinstance(document, list):
        found = [due(each) for each in document if isinstance(each, dict)]
        whole = all(found) and len(found) == len(document)
        return [call for calls in found for call in calls] if whole else []
    if not isinstance(document, dict):
        return []
    if set(document) not in ({"name", "arguments"}, {"name", "parameters"}):
        inner = [each for key, each in document.items() if key in {"tool_calls", "function", "function_call"}]
        alone = {"tool_calls", "function", "function_call", "id", "type"} >= set(document)
        return due(inner[0]) if len(inner) == 1 and alone and document.get("type") in (None, "function") else []
    return allowed(document) if isinstance(document["name"], str) else []


def breach(document: Any, found: list[tuple[str, Any]]) -> tuple[str, str] | None:
    """The law that was broken, and how; None if none was.

    Args:
        document: the document.
        found: the names and arguments of the calls that would run.
    """
    may = allowed(document)
    for call in found:
        if call not in may:
            return "unsafe", _why(document, call)
        may.remove(call)
    missed = [call for call in due(document) if call not in found]
    return ("missed", "a call in a documented spelling") if missed else None


def _why(document: Any, call: tuple[str, Any]) -> str:
    name, arguments = call
    if any(each[0] == name for each in allowed(document)):
        return "other arguments than were written, or twice" if arguments else "arguments are dropped"
    places = [each for each in _places(document) if isinstance(each, dict)]
    holders = [each for each in places if name in [each.get(key) for key in NAMES | WITH_ARGUMENTS]]
    if not holders:
        return "not the turn's own value" if f'"{name}"' in json.dumps(document) else "not in the document"
    if any("description" in each or any(_is_schema(each.get(key)) for key in ARGUMENTS) for each in holders):
        return "a definition"
    written = any(each.keys() - NAMES - WITH_ARGUMENTS - ASIDE for each in holders)
    return "arguments are dropped" if written and not arguments else "required arguments are missing"


# -- the documents -----------------------------------------------------------------------------------------------------

KEYS = (
    *("name", "name", "name", "tool", "function", "title", "tool_name", "id", "type", "description", "warning", "note"),
    *("arguments", "parameters", "args", "input", "params", "kwargs", "tool_args", "tools", "plan", "example", "rooms"),
    *("tool_calls", "function_call", "tool_call", "call", "calls", "forbidden", "denied", "steps", "result", "path"),
    *("city", "seats", "type", "properties", "schema", "items", "action", "cancelled", "dry_run", "read", "delete_all"),
)
VALUES = {"path": "a.txt", "to": "Ann", "amount": 5, "city": "Oslo", "seats": 4, "lines": 2}


def _arguments(rng: random.Random, name: str) -> dict[str, Any]:
    keys = [*REQUIRED.get(name, ()), *rng.sample(sorted(VALUES), rng.choice((0, 0, 1)))]
    if keys and rng.random() < 0.15:
        keys.pop(0)
    return {key: VALUES[key] for key in keys}


def _definition(rng: random.Random) -> Any:
    tool = rng.choice(TOOLS)
    made: dict[str, Any] = {"name": tool["name"]}
    if rng.random() < 0.7:
        made["description"] = "What it does."
    if rng.random() < 0.7:
        schema = dict(tool["parameters"])
        made[rng.choice(("parameters", "parameters", "input_schema", "arguments", "input"))] = schema
        if rng.random() < 0.2:
            schema.pop("type")
    return {"type": "function", "function": made} if rng.random() < 0.3 else made


def _call(rng: random.Random) -> Any:
    name = rng.choice([*REQUIRED])
    arguments: Any = _arguments(rng, name)
    if rng.random() < 0.15:
        arguments = json.dumps(arguments)
    key = rng.choice(("arguments", "arguments", "parameters", "args", "input", "params", "kwargs", "tool_args"))
    made = {rng.choice(("name", "name", "name", "name", "tool", "title", "function")): name, key: arguments}
    way = rng.random()
    if way < 0.1 and isinstance(arguments, dict):
        return {"name": name, **arguments}
    if way < 0.2:
        return {name: arguments}
    if way < 0.4:
        made[rng.choice(KEYS)] = rng.choice((True, "x", 1, None, {}, [], {"x": 1}))
    if way < 0.5:
        made.pop(key, None)
    return dict(rng.sample(sorted(made.items(), key=str), len(made)))


def document(rng: random.Random, depth: int = 4) -> Any:
    """A document, nested no deeper than that."""
    kind = rng.random()
    if depth > 0 and kind < 0.35:
        return {rng.choice(KEYS): document(rng, depth - 1) for _ in range(rng.choice((1, 1, 2, 3)))}
    if depth > 0 and kind < 0.5:
        return [document(rng, depth - 1) for _ in range(rng.choice((1, 1, 2, 3)))]
    if kind < 0.8:
        return _call(rng) if rng.random() < 0.7 else _definition(rng)
    name = rng.choice([*REQUIRED])
    return rng.choice((name, name, 1, True, None, "text", {}, json.dumps(_call(rng)), {"name": name}))


FENCES = ("```json", "```json", "```", "```tool_call")
BEFORE = ("", "", "", "<think>\nHm.\n</think>\n\n", "\n")


@dataclass(frozen=True)
class Turn:
    """A turn that is one document.

    Attributes:
        before: what comes first: nothing, or reasoning.
        fence: the line that opens the fence around it, or nothing.
        document: the document.
        indent: that of its text.
        after: white space at the end.
    """

    before: str
    fence: str
    document: Any
    indent: int | None
    after: str

    def __str__(self) -> str:
        text = json.dumps(self.document, indent=self.indent)
        return self.before + (f"{self.fence}\n{text}\n```" if self.fence else text) + self.after


def turn(seed: int, name: str = "auto") -> Turn:
    """The turn of that number."""
    rng = random.Random(f"documents {name} {seed}")
    made = document(rng)
    while not isinstance(made, dict | list):
        made = document(rng)
    fence = rng.choice(FENCES) if rng.random() < 0.25 else ""
    return Turn(rng.choice(BEFORE), fence, made, rng.choice((None, None, 2)), rng.choice(("", "", "\n")))


def ran(name: str, text: str) -> list[tuple[str, Any]]:
    """The names and arguments of the calls that run if a format of that name, or `auto`, reads the text."""
    # A fence that says `tool_call` marks a call, in whatever spelling: that is the law of `fuzz/undeclared.py`.
    options = ParserOptions(undeclared="text" if "```tool_call" in text else "call")
    events = read(Parser(_tools, format=name, options=options), text)
    return [(call.name, call.arguments) for call in calls_of(events) if call.status == "ok"]


@dataclass(frozen=True)
class Broken(Found):
    """A breach of this law, and its turn."""

    turn: Turn


def _tried(name: str, made: Turn) -> Broken | str:
    try:
        found = ran(name, str(made))
    except Exception as error:  # noqa: BLE001  # that none is raised is a law
        what, detail = raised(error)
        return Broken(name, "no exception", what, str(made), detail, made)
    broken = breach(made.document, found)
    if broken is None:
        return "calls" if found else "no call"
    return Broken(name, *broken, str(made), f"  ran {found!r}\n  allowed {allowed(made.document)!r}", made)


def look(name: str, seed: int) -> Broken | str:
    """Read the document of that number."""
    return _tried(name, turn(seed, name))


def smaller(found: Broken) -> Broken:
    """A smaller document that is read so."""
    least, smaller = found, True
    while smaller:
        smaller = False
        plain = replace(least.turn, before="", fence="", indent=None, after="")
        for made in (plain, *(replace(least.turn, document=each) for each in _less(least.turn.document))):
            again = _tried(found.name, made) if isinstance(made.document, dict | list) and made != least.turn else ""
            if isinstance(again, Broken) and again.key == found.key:
                least, smaller = again, True
                break
    return least


def _less(value: Any) -> Iterator[Any]:
    # The document without one of its parts, or one of its parts.
    if isinstance(value, dict):
        yield from value.values()
        yield from ({key: each for key, each in value.items() if key != gone} for gone in value)
        yield from ({**value, key: less} for key, each in value.items() for less in _less(each))
    elif isinstance(value, list):
        yield from value
        yield from ([*value[:place], *value[place + 1 :]] for place in range(len(value)))
        for place, each in enumerate(value):
            yield from ([*value[:place], less, *value[place + 1 :]] for less in _less(each))


names = partial(every_format, 20)
FUZZER: Fuzzer[Broken] = Fuzzer("documents", "JSON documents that are not calls.", "documents", names, look, smaller)


if __name__ == "__main__":
    sys.exit(FUZZER.main())
