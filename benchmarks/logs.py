# Makes a log of any length, has it parsed by several processes, killed on the way and resumed, and checks that nothing
# was lost or came twice. Does not depend on how any of this is done.
#
#   python -m benchmarks.logs                   a million turns, two processes, a kill half-way
#   python -m benchmarks.logs --smoke           only to see that it runs
#   python -m benchmarks.logs --turns 20000 --figures    rows a second: one process, two, parse_batch
"""A million turns, killed half-way."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from toolglean import parse
from toolglean.kit.demo import load_streams, load_tools

TEXTS = ["".join(stream.tokens) for stream in load_streams()]


def write_log(path: Path, turns: int) -> None:
    """The shipped turns again and again, each with a number of its own in `id`."""
    texts = [json.dumps(text) for text in TEXTS]
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f'{{"id": {place}, "content": {texts[place % len(texts)]}}}\n' for place in range(turns))


def expected() -> list[dict[str, Any]]:
    """What `parse` makes of each of the texts."""
    found = []
    for text in TEXTS:
        output = parse(text, load_tools())
        found.append({"content": output.content, "names": [each.name for each in output.calls]})
    return found


def check(output: Path, turns: int) -> None:
    """Each turn is there once, in order, with the right content."""
    wanted = expected()
    with output.open(encoding="utf-8") as file:
        for place, line in zip_longest(range(turns), file):
            assert line is not None, f"turn {place} is missing"
            assert place is not None, f"a row too many: {line[:80]}"
            row = json.loads(line)
            assert (row["id"], row["line"]) == (place, place + 1), f"row {place + 1} is {line[:80]}"
            is_right = wanted[place % len(wanted)]
            assert (row["content"], [each["name"] for each in row["calls"]]) == (is_right["content"], is_right["names"])
            assert not row["problems"]


def lines_in(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def command(log: Path, output: Path, tools: Path, jobs: int) -> list[str]:
    options = ["--output", str(output), "--tools", str(tools), "--jobs", str(jobs)]
    return [sys.executable, "-m", "toolglean", "parse", str(log), *options]


def killed_and_resumed(folder: Path, turns: int, jobs: int) -> None:
    log, output, tools = folder / "log.jsonl", folder / "rows.jsonl", folder / "tools.json"
    write_log(log, turns)
    tools.write_text(json.dumps(load_tools()), encoding="utf-8")
    print(f"{log.name}: {turns:,} turns, {log.stat().st_size:,} bytes")
    began = time.perf_counter()
    process = subprocess.Popen(command(log, output, tools, jobs))
    half = log.stat().st_size  # a row of output takes twice as much as a row of this log
    while process.poll() is None and not (output.exists() and output.stat().st_size > half):
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    code = process.wait()
    left = output.read_bytes()[-1:] if turns < 100_000 else b"?"
    print(
        f"killed with SIGKILL after {time.perf_counter() - began:.0f} s (exit code {code}): {output.name} holds "
        f"{lines_in(output):,} whole lines{' and a torn one' if left not in {b'?', chr(10).encode()} else ''}"
    )
    with output.open("ab") as file:  # as if the kill had come in the middle of a write
        file.write(b'{"id": "torn", "line": 9')
    began = time.perf_counter()
    done = subprocess.run([*command(log, output, tools, jobs), "--resume"], stdout=subprocess.PIPE, check=True)
    print(f"a torn line added, then resumed: done after {time.perf_counter() - began:.0f} s")
    print(done.stdout.decode().strip())
    check(output, turns)
    print(
        f"checked: {lines_in(output):,} rows, ids 0 to {turns - 1:,}, each once and in order, each as `parse` reads it"
    )


# -- figures -----------------------------------------------------------------------------------------------------------


def ways(folder: Path, turns: int) -> Iterator[tuple[str, Callable[[], object]]]:
    log, tools = folder / "log.jsonl", folder / "tools.json"
    write_log(log, turns)
    tools.write_text(json.dumps(load_tools()), encoding="utf-8")

    def by_command(jobs: int) -> None:
        output = folder / "rows.jsonl"
        output.unlink(missing_ok=True)
        subprocess.run(command(log, output, tools, jobs), stdout=subprocess.DEVNULL, check=True)

    yield "toolglean parse --jobs 1", lambda: by_command(1)
    yield "toolglean parse --jobs 2", lambda: by_command(2)
    try:
        import pyarrow as pa  # noqa: PLC0415  # an extra

        from toolglean.batch import parse_batch  # noqa: PLC0415  # the same
    except ImportError:
        return
    texts = [TEXTS[place % len(TEXTS)] for place in range(turns)]
    batch = pa.RecordBatch.from_pydict({"content": texts})
    yield "parse_batch", lambda: parse_batch(batch, tools=load_tools())


def figures(folder: Path, turns: int, rounds: int) -> None:
    found: dict[str, tuple[float, float]] = {}
    for _ in range(rounds):  # in turn, so that a busy moment of the machine does not fall on one alone
        for name, run in ways(folder, turns):
            began, used = time.perf_counter(), processor_time()
            run()
            took = time.perf_counter() - began, processor_time() - used
            found[name] = min(found.get(name, took), took, key=lambda each: each[1])
    for name, (seconds, used) in found.items():
        print(f"{name:28}{turns / seconds:8,.0f} rows a second{turns / used:8,.0f} for each second of a processor")


def processor_time() -> float:
    """Of this process and those that it has waited for: it is also right if others use the machine."""
    return sum(os.times()[:4])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--figures", action="store_true", help="rows a second, instead of the kill")
    parser.add_argument("--smoke", action="store_true", help="only to see that it runs")
    args = parser.parse_args()
    turns = 2000 if args.smoke else args.turns
    with tempfile.TemporaryDirectory() as folder:
        if args.figures or args.smoke:
            figures(Path(folder), turns, 1 if args.smoke else args.rounds)
            (Path(folder) / "rows.jsonl").unlink()
        if not args.figures:
            killed_and_resumed(Path(folder), turns, args.jobs)


if __name__ == "__main__":
    main()
