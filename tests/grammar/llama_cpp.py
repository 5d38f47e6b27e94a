# How llama.cpp's own GBNF reader is built from the sources in llama-cpp-python (llama_cpp.cpp), and how it is called. Does
# not depend on how grammars are made.
#
#   pip download --no-deps --no-binary :all: llama-cpp-python==0.3.36 && tar xzf llama_cpp_python-*.tar.gz
#   python -m tests.grammar.llama_cpp llama_cpp_python-0.3.36/vendor/llama.cpp [N]
#
# Three files of llama.cpp are compiled, no model is loaded, and texts are read by characters, as llama.cpp's own tests of
# grammars do. N: how many renders of random schemas are tried besides the table of all formats.
"""llama.cpp's own reader of GBNF."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import IO

from tests.grammar.proof_laws import renders
from tests.grammar.proof_table import table
from toolglean.grammar import Grammar

__all__ = ["LlamaCpp", "built"]

SOURCES = ("llama-grammar.cpp", "unicode.cpp", "unicode-data.cpp")
FOLDERS = ("src", "include", "ggml/include")


def built(sources: Path, target: Path) -> Path:
    """The program that reads grammars.

    Args:
        sources: the folder of llama.cpp.
        target: where the program is written.
    """
    includes = [f"-I{sources / each}" for each in FOLDERS]
    own = Path(__file__).with_suffix(".cpp")
    files = [str(own), *(str(sources / "src" / each) for each in SOURCES)]
    subprocess.run(["g++", "-O2", "-std=c++17", *includes, *files, "-o", str(target)], check=True)
    return target


class LlamaCpp:
    """An engine like those of engines.py, by that program."""

    notation = "gbnf, llama.cpp"

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._to: IO[bytes] = self.process.stdin
        self._from: IO[bytes] = self.process.stdout

    def _asked(self, kind: str, text: str) -> bool:
        data = text.encode()
        self._to.write(f"{kind} {len(data)}\n".encode() + data)
        self._to.flush()
        answer = self._from.readline()
        if not answer:
            raise RuntimeError("llama.cpp's reader ended: see standard error")
        return answer == b"yes\n"

    def acceptor(self, grammar: Grammar) -> Callable[[str], bool]:
        """Whether a text is a turn. The acceptor made last is the one that may be asked.

        Raises:
            ValueError: llama.cpp refuses the grammar.
        """
        if not self._asked("G", grammar.gbnf()):
            raise ValueError(f"llama.cpp refuses the grammar of {grammar.format!r}, choice {grammar.choice!r}")
        return lambda text: self._asked("T", text)

    def close(self) -> None:
        """End the program."""
        self._to.close()
        self._from.close()
        self.process.wait()


def main(arguments: list[str]) -> int:
    """Print the table, and what became of random renders; 1 where something did not hold."""
    with tempfile.TemporaryDirectory() as folder:
        engine = LlamaCpp(built(Path(arguments[0]), Path(folder, "reader")))
        held = table({engine.notation: engine})
        seen: Counter[str] = Counter()
        renders(int(arguments[1]) if len(arguments) > 1 else 500, {engine.notation: engine}, seen)
        engine.close()
    for key, number in sorted(seen.items()):
        print(f"{key:50}{number:8,}")
    return 0 if held and not any("MIS" in key for key in seen) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
