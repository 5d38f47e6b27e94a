# The lines of docs/how-to/logs.md for each engine, how to run them, and how long they take. Does not depend on what
# `parse_batch` does.
#
#   python -m tests.batch.tables [TURNS]     rows a second, each engine with one worker and with two
"""The engines of the page on logs, as the page uses them."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolglean.kit.demo import load_streams, load_tools

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "logs.md"
NAMES = {"Polars": "polars", "DuckDB": "duckdb", "Ray Data": "ray", "Spark": "pyspark"}
"""The headings of the page, and the packages."""
ONE_PROCESS = ("Polars", "DuckDB")


def lines_of(name: str) -> str:
    """The program under that heading, without its own tools."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n### {name}\n")[2]
    program = text.partition("```py\n")[2].partition("```\n")[0]
    found, count = re.subn(r"^tools = .*\n", "", program, flags=re.MULTILINE)
    assert count == 1
    return found


def write_turns(path: Path, count: int) -> None:
    from pyarrow import parquet, table  # noqa: PLC0415  # an extra

    texts = ["".join(stream.tokens) for stream in load_streams()]
    columns = {"id": [f"turn-{place}" for place in range(count)]}
    columns["content"] = [texts[place % len(texts)] for place in range(count)]
    parquet.write_table(table(columns), path, row_group_size=max(1, count // 4))


def wanted(path: Path) -> Any:
    from pyarrow import parquet  # noqa: PLC0415  # the same

    from toolglean.batch import parse_batch  # noqa: PLC0415  # the same

    return parse_batch(parquet.read_table(path), tools=load_tools())


def way(name: str, workers: int) -> Callable[[], Any]:
    """What runs the lines of the page in the current folder, and gives their table."""
    start(name, workers)

    def run() -> Any:
        names: dict[str, Any] = {"tools": load_tools(), "__name__": "__main__"}
        exec(compile(lines_of(name), str(PAGE), "exec"), names)  # noqa: S102  # that is what it is for
        return table_of(name, names["parsed"])

    return run


def start(name: str, workers: int) -> None:
    """A cluster of this machine, where the engine has one."""
    if name == "Ray Data":
        import ray  # noqa: PLC0415  # `nox -s batch` has it

        ray.shutdown()
        ray.init(num_cpus=workers, include_dashboard=False, logging_level="ERROR")
        ray.data.DataContext.get_current().enable_progress_bars = False
    if name == "Spark":
        from pyspark.sql import SparkSession  # noqa: PLC0415  # the same

        os.environ["PYSPARK_PYTHON"] = sys.executable
        if (running := SparkSession.getActiveSession()) is not None:
            running.stop()
        builder = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false")
        builder.config("spark.driver.host", "127.0.0.1").getOrCreate().sparkContext.setLogLevel("ERROR")


def table_of(name: str, parsed: Any) -> Any:
    if name == "Ray Data":
        import pyarrow as pa  # noqa: PLC0415  # an extra
        import ray  # noqa: PLC0415  # `nox -s batch` has it

        return pa.concat_tables(ray.get(parsed.to_arrow_refs()))
    if name == "Spark":
        return parsed.toArrow()
    return parsed.to_arrow() if name == "Polars" else parsed.read_all()


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_turns(Path("turns.parquet"), turns)
        ways = [(name, workers) for name in NAMES for workers in ((1,) if name in ONE_PROCESS else (1, 2))]
        for name, workers in ways:
            run = way(name, workers)
            run()  # once, so that its processes run
            began = time.perf_counter()
            found = run()
            seconds = time.perf_counter() - began
            assert len(found) == turns
            print(
                f"{name:10} {workers} {'worker ' if workers == 1 else 'workers'} {turns / seconds:8,.0f} rows a second"
            )
        began = time.perf_counter()
        wanted(Path("turns.parquet"))
        print(f"parse_batch alone    {turns / (time.perf_counter() - began):8,.0f} rows a second")


if __name__ == "__main__":
    main()
