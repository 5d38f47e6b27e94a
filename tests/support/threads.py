# Many parsers at once, in a process in which nothing has been made yet: what parsers share is made when it is first used,
# so threads must meet while it is made. Does not depend on what a right answer is: the test compares two of these runs.
#   python -m tests.support.threads THREADS [EACH]    prints the events of each turn, or of every EACHth, as JSON
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
        each: one turn in so many is read: by the name of its format, without it, and for a tag.
    """
    found: list[Case] = []
    turns = []
    for path in sorted(FORMATS.glob("*.json"))[::each]:
        given = json.loads(path.read_text(encoding="utf-8"))
        tools = ToolSet([Tool(call["name"], {"type": "object"}) for call in given["calls"]])
        turns.append((given["format"], given["turn"], tools))
        found.append((path.stem, {"format": given["format"]}, given["turn"], tools))
    found += [(f"auto: {name}", {}, turn, tools) for name, turn, tools in turns]
    tag = Format.from_tag("<tool_call>")
    found += [(f"tag: {name}", {"format": tag}, turn, tools) for name, turn, tools in turns if "<tool_call>" in turn]
    return found


def parser_of(case: Case) -> Parser:
    """A new parser for that turn."""
    return Parser(case[3], options=OPTIONS, **case[1])  # type: ignore[arg-type]


def halfway(case: Case, count: int) -> list[Parser]:
    """A parser that has read half of the turn, and its forks: so many in all, which share what they have not changed."""
    parser = parser_of(case)
    parser.feed(case[2][: len(case[2]) // 2])
    return [parser, *(parser.fork() for _ in range(count - 1))]


def read(case: Case, number: int) -> str:
    """The events, as text, as thread `number` reads them: with its own cuts, and through a pickle."""
    turn, size = case[2], PIECES[number % len(PIECES)]
    parser, events = parser_of(case), []
    for start in range(0, len(turn), size):
        events += parser.feed(turn[start : start + size])
        if start // size == 1:
            parser = pickle.loads(pickle.dumps(parser))  # our own
    return "\n".join(map(repr, join([*events, *parser.finish()])))


def read_on(case: Case, half: Parser) -> str:
    """The events, as text, of the second half of the turn."""
    return "\n".join(map(repr, join([*half.feed(case[2][len(case[2]) // 2 :]), *half.finish()])))


def read_alone(case: Case) -> str:
    """What each thread must tell of that case."""
    return f"{read(case, 3)}\n\n{read_on(case, halfway(case, 1)[0])}"


def main(threads: int, each: int = 1) -> int:
    """Read each case in that many threads at once."""
    told: dict[str, str] = {}
    todo, failed = cases(each), []
    answers: list[dict[str, str]] = [{} for _ in range(threads)]
    waiting = iter(todo)
    halves: list[Parser] = []

    def prepare() -> None:  # by one of the threads, while all others wait
        halves[:] = halfway(next(waiting), threads)

    begun, halved = threading.Barrier(threads), threading.Barrier(threads, prepare)

    def run(number: int) -> None:
        try:
            for case in todo:
                begun.wait(120)  # so that all of them make what nobody has made yet
                first = read(case, number)
                halved.wait(120)
                answers[number][case[0]] = f"{first}\n\n{read_on(case, halves[number])}"
        except BaseException as error:  # noqa: BLE001  # it is told below, and the others need not wait
            failed.append(f"{type(error).__name__}: {error}")
            begun.abort()
            halved.abort()

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
