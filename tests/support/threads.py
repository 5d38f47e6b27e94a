# Many parsers at once, in a process in which nothing has been made yet: what parsers share is made when it is first used,
# so threads must meet while it is made. Does not depend on what a right answer is: the test compares two of these runs.
#   python -m tests.support.threads THREADS [EACH]    prints the events of each turn, as JSON; of the turns without the name of
#                                                     their format, every EACHth
"""One turn of each format, read by many threads at the same time."""

from __future__ import annotations

import json
import pickle
import sys
import threading
from pathlib import Path

from toolglean import Format, Parser, ParserOptions, Tool, ToolSet, join

FORMATS = Path(__file__).parents[2] / "fixtures" / "formats"
PIECES = (1, 3, 7, 1000)
"""Characters in a chunk: threads that cut a turn differently are in different places when they meet."""
OPTIONS = ParserOptions(markup=True)

Case = tuple[str, dict[str, object], str, ToolSet]


def cases(each: int = 1) -> list[Case]:
    """The name of each case, how its parser is made, its turn, and the tools, which all of its parsers share.

    Args:
        each: of the turns that are read without the name of their format, how many there are for one case.
    """
    found: list[Case] = []
    turns = []
    for path in sorted(FORMATS.glob("*.json")):
        given = json.loads(path.read_text(encoding="utf-8"))
        tools = ToolSet([Tool(call["name"], {"type": "object"}) for call in given["calls"]])
        turns.append((given["format"], given["turn"], tools))
        found.append((path.stem, {"format": given["format"]}, given["turn"], tools))
    found += [(f"auto: {name}", {}, turn, tools) for name, turn, tools in turns[::each]]
    tag = Format.from_tag("<tool_call>")
    found += [
        (f"tag: {name}", {"format": tag}, turn, tools) for name, turn, tools in turns[::each] if "<tool_call>" in turn
    ]
    return found


def read(case: Case, number: int) -> str:
    """The events, as text, as thread `number` reads them: with its own cuts, and through a copy and a pickle."""
    _, made, turn, tools = case
    parser = Parser(tools, options=OPTIONS, **made)  # type: ignore[arg-type]
    events, size = [], PIECES[number % len(PIECES)]
    for start in range(0, len(turn), size):
        events += parser.feed(turn[start : start + size])
        if start // size == 1:
            parser = parser.fork() if number % 2 else pickle.loads(pickle.dumps(parser))  # our own
    return "\n".join(map(repr, join([*events, *parser.finish()])))


def main(threads: int, each: int = 1) -> int:
    """Read each case in that many threads at once."""
    told: dict[str, str] = {}
    todo, failed = cases(each), []
    answers: list[dict[str, str]] = [{} for _ in range(threads)]
    gate = threading.Barrier(threads)

    def run(number: int) -> None:
        try:
            for case in todo:
                gate.wait(120)
                answers[number][case[0]] = read(case, number)
        except BaseException as error:  # noqa: BLE001  # it is told below, and the others need not wait
            failed.append(f"{type(error).__name__}: {error}")
            gate.abort()

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    for name, *_ in todo:
        given = {answer.get(name, "no answer") for answer in answers}
        told[name] = given.pop() if len(given) == 1 else f"{len(given)} answers"
    sys.stdout.write(json.dumps({"events": told, "failed": failed}) + "\n")
    return 0


if __name__ == "__main__":
    sys.setswitchinterval(1e-5)
    sys.exit(main(*map(int, sys.argv[1:])))
