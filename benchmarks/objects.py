# The cost of looking at an object at every chunk while it is written, with toolglean and with others. Does not depend
# on how they do it.
#
#   python -m benchmarks.objects [--largest 100000]
#
# Others are measured where they are installed, in the same run: instructor's partial mode, and what it is on,
# pydantic_core's partial JSON, which reads all of the text again at each chunk.
"""Objects while they are written: time per character, by the length of the object."""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.metadata
import importlib.util
import json
import platform
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import pydantic_core
from pydantic import BaseModel

from toolglean import CallDelta, CallEnd, CallStart, Event, ToolCall
from toolglean.llm import StreamingObjectProcessor

__all__ = ["PAYLOADS", "SIZES", "Album", "works"]

SIZES = (1_000, 10_000, 100_000)
CHUNK = 4
REPEATS = 3
Work = Callable[[list[str]], Any]


class Song(BaseModel):
    """A song."""

    title: str
    seconds: int | None = None


class Album(BaseModel):
    """An album."""

    name: str
    notes: str = ""
    songs: list[Song] = []


def _one_text(size: int) -> str:
    return json.dumps({"name": "Horses", "notes": "jesus died for " * (size // 15)})


def _many_items(size: int) -> str:
    songs = [{"title": f"Gloria {number}", "seconds": number} for number in range(size // 36)]
    return json.dumps({"name": "Horses", "songs": songs})


PAYLOADS: dict[str, Callable[[int], str]] = {"one long text": _one_text, "many items": _many_items}


def works() -> dict[str, Work]:
    """By name: reads the chunks, looks at the object at each, and gives the object at the end."""
    found: dict[str, Work] = {"toolglean": _ours, "pydantic_core.from_json": _from_json}
    if importlib.util.find_spec("instructor") is not None:
        found[f"instructor {importlib.metadata.version('instructor')}"] = _instructor
    return found


def _ours(chunks: list[str]) -> Album:
    processor = StreamingObjectProcessor(Album)
    processor.feed(CallStart(0, None, "Album", True, 0))
    for chunk in chunks:
        for partial in processor.feed(CallDelta(0, chunk, 0)):
            partial.is_set("songs")
    text = "".join(chunks)
    end: Event = CallEnd(0, ToolCall("call_0", 0, "Album", True, json.loads(text), text, (0, len(text)), "ok"), 0)
    processor.feed(end)
    return processor.finish()[0]


def _from_json(chunks: list[str]) -> Album:
    text = ""
    for chunk in chunks:
        text += chunk
        pydantic_core.from_json(text, allow_partial="trailing-strings")
    return Album.model_validate_json(text)


def _instructor(chunks: list[str]) -> Album:
    instructor: Any = importlib.import_module("instructor")  # who does not have it measures the rest
    (last,) = deque(instructor.Partial[Album].model_from_chunks(iter(chunks)), maxlen=1)
    return Album.model_validate(last.model_dump())


def _microseconds(work: Work, chunks: list[str], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        gc.collect()
        begin = time.perf_counter()
        work(chunks)
        times.append(time.perf_counter() - begin)
    return min(times) * 1e6 / sum(map(len, chunks))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="characters of the largest object")
    sizes = [size for size in SIZES if size <= parser.parse_args().largest]
    print(f"Python {platform.python_version()}, chunks of {CHUNK} characters, microseconds a character\n")
    print(f"| object | by | {' | '.join(f'{size:,}' for size in sizes)} | growth |")
    print(f"|---|---|{'---:|' * (len(sizes) + 1)}")
    for payload, make in PAYLOADS.items():
        for name, work in works().items():
            row = []
            for size in sizes:
                text = make(size)
                chunks = [text[begin : begin + CHUNK] for begin in range(0, len(text), CHUNK)]
                row.append(_microseconds(work, chunks, REPEATS if size < SIZES[-1] or name == "toolglean" else 1))
            cells = " | ".join(f"{each:.2f}" for each in row)
            print(f"| {payload} | {name} | {cells} | × {row[-1] / row[0]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
