# Declarations that nobody has made, in the shapes that calls are followed in. Does not depend on how formats are read.
#
# Calls are followed by the shape of a declaration, not by its name. So the library's formats are only examples: a
# marker that begins like another one, or has a line break in it, or none at its end, may make a course too simple.
"""Made-up formats for the law of the straight way."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import lru_cache
from typing import Any

from toolglean import Format, FormatError, UsageError

__all__ = ["made_format"]

WORDS = ("call", "tool", "t", "fn", "call_fn", "callx", "act", "args", "name", "ns:call", "工具")
SPACES = ("", "", "", "\n", " ", "\n\n")
KEYS = (("name", "arguments"), ("name", "parameters"), ("fn", "kw"), ("tool", "input"), ("function", "args"))


@lru_cache(maxsize=256)
def made_format(number: int) -> Format:
    """The format of that number."""
    for attempt in range(100):
        with suppress(FormatError, UsageError):
            return _made(random.Random(f"format {number} {attempt}"), number)
    raise AssertionError(f"no format has the number {number}")


def _made(rng: random.Random, number: int) -> Format:
    shape = rng.choice((_object, _object, _list, _named, _named, _indexed, _tagged, _tagged, _tagged))
    more: dict[str, Any] = shape(rng)
    if "section" not in more and rng.random() < 0.4:
        opener, closer = _markers(rng)
        more["section"] = opener + rng.choice(SPACES), rng.choice(SPACES) + closer
    if rng.random() < 0.3:
        more["separator"] = rng.choice(("\n", "", " ", ",", "<sep>", "\n\n"))
    if rng.random() < 0.3:
        more["reasoning"] = ("<think>", "</think>")
    if rng.random() < 0.3:
        more["drop"] = ("<|im_end|>",)
    return Format(f"made:{number}", **more)


def _markers(rng: random.Random) -> tuple[str, str]:
    word = rng.choice(WORDS)
    return rng.choice(
        (
            (f"<{word}>", f"</{word}>"),
            (f"<|{word}|>", f"<|/{word}|>"),
            (f"<|{word}_begin|>", f"<|{word}_end|>"),
            (f"[{word.upper()}]", f"[/{word.upper()}]"),
            (f"<{word}>", "<end>"),
            (f"<|{word}|>", ""),
            (f"{word} =>", "<eot>"),
            (f"<{word}><", "></>"),
            (f"@@{word}", "@@"),
        )
    )


def _object(rng: random.Random) -> dict[str, Any]:
    opener, closer = _markers(rng)
    call = opener + rng.choice(SPACES) + "{call}" + rng.choice(SPACES) + closer
    return {"call": call, "keys": rng.choice(KEYS)}


def _list(rng: random.Random) -> dict[str, Any]:
    opener, closer = _markers(rng)
    return {"call": "{calls}", "section": (opener + rng.choice(SPACES), closer), "keys": rng.choice(KEYS)}


def _named(rng: random.Random) -> dict[str, Any]:
    opener, closer = _markers(rng)
    between = rng.choice(("\n", "<sep>", "<|args|>", " ", ": ", "[ARGS]", "\n<args>\n"))
    call = opener + rng.choice(SPACES) + "{name}" + between + "{arguments}" + rng.choice(SPACES) + closer
    return {"call": call}


def _indexed(rng: random.Random) -> dict[str, Any]:
    opener, closer = _markers(rng)
    lead = rng.choice(("", "functions."))
    call_id = f"{lead}{{name}}:{{index}}"
    return {"call": f"{opener}{call_id}<|args|>{{arguments}}{closer}", "id": call_id}


def _tagged(rng: random.Random) -> dict[str, Any]:
    opener, closer = _markers(rng)
    name = rng.choice(
        (f"{opener}{{name}}", f"{opener}\n<f={{name}}>", f'{opener}<invoke name="{{name}}">', "<f={name}>")
    )
    name += "" if name.endswith(">") else rng.choice(("\n", "<sep>", ">"))
    slot = rng.choice(("{value}", "{value}", "\n{value}\n", "{json}"))
    parameter = rng.choice(
        (
            f"<p={{key}}>{slot}</p>",
            f'<p name="{{key}}">{slot}</p>',
            f"<k>{{key}}</k>{rng.choice(SPACES)}<v>{slot}</v>",
            f"<|k|>{{key}}<|v|>{slot}<|e|>",
            f"<{{key}}>{slot}</{{key}}>",
        )
    )
    space = rng.choice(SPACES)
    return {"call": f"{name}{space}{{parameters}}{closer or '</f>'}", "parameter": parameter + space}
