# Compiles llama_chat.cpp with the files of llama.cpp that it needs: those that render chat templates and read what a
# model writes. What they would need of a model is left unresolved, because nothing calls it: so neither ggml nor a
# model is built, which saves a quarter of an hour. Does not depend on how the program is used (llama_cpp.py).
"""`python -m toolglean.kit.conformance.targets.build_llama_cpp FOLDER`: the program for `--target llama-cpp`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

__all__ = ["FOLDER", "PROGRAM", "VARIABLE", "build", "main"]

VARIABLE: Final = "TOOLGLEAN_LLAMA_CPP"
"""The environment variable that names the folder of llama.cpp."""

FOLDER: Final = "build-toolglean"
"""Where the program is built, in the folder of llama.cpp."""

PROGRAM: Final = "llama-chat"
OWN = Path(__file__).with_name("llama_chat.cpp")
NEEDED = (
    *("chat*.cpp", "parsers/*.cpp", "jinja/*.cpp", "peg-parser.cpp", "json*.cpp", "unicode.cpp", "trie.cpp"),
    *("log.cpp", "common.cpp"),
)
INCLUDED = ("common", "include", "ggml/include", "vendor")
UNRESOLVED = ("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ()
UNRESOLVED = UNRESOLVED or ("-no-pie", "-Wl,--unresolved-symbols=ignore-all")


def build(source: Path) -> Path:
    """Compile the program, with as many processes as there are processors. What is there and newer is kept.

    Args:
        source: the folder of llama.cpp.

    Returns:
        The program.

    Raises:
        FileNotFoundError: this is not the source of llama.cpp, or there is no compiler (the variable CXX names it).
        subprocess.CalledProcessError: the compiler failed; what it says went to standard error.
    """
    if not (source / "common" / "chat.h").exists():
        raise FileNotFoundError(f"{source} is not the source of llama.cpp: common/chat.h is not there")
    files = [OWN, *_files(source)]
    folder = source / FOLDER
    folder.mkdir(exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda path: _compiled(path, source, folder), files))
    program = folder / PROGRAM
    _run("-o", program, *objects, *UNRESOLVED, "-lpthread")
    return program


def _files(source: Path) -> Iterator[Path]:
    for pattern in NEEDED:
        yield from sorted((source / "common").glob(pattern))


def _compiled(path: Path, source: Path, folder: Path) -> Path:
    made = folder / f"{path.parent.name}-{path.stem}.o"
    if not made.exists() or made.stat().st_mtime < path.stat().st_mtime:
        included = (f"-I{source / each}" for each in INCLUDED)
        _run("-std=c++17", "-O2", "-w", *included, "-c", path, "-o", made)
    return made


def _run(*arguments: str | Path) -> None:
    command: Iterable[str | Path] = (os.environ.get("CXX", "g++"), *arguments)
    subprocess.run(list(command), check=True)  # noqa: S603  # the user asked for it


def main(arguments: Sequence[str]) -> int:
    """Build, and say how to use it. Returns 2 for wrong arguments, 1 if the compiler failed."""
    if len(arguments) != 1:
        print("usage: python -m toolglean.kit.conformance.targets.build_llama_cpp FOLDER", file=sys.stderr)
        return 2
    source = Path(arguments[0]).expanduser().resolve()
    try:
        program = build(source)
    except FileNotFoundError as error:
        print(f"build_llama_cpp: {error}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as error:
        print(f"build_llama_cpp: {error.cmd[0]} failed with exit status {error.returncode}", file=sys.stderr)
        return 1
    print(f"{program} is built. Now run: {VARIABLE}={source} toolglean conformance --target llama-cpp")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
