# The parsers of llama.cpp's server (common/chat), through a small program of ours that is linked with them. Runs in any
# Python; it needs the source of llama.cpp and a C++ compiler, but no model. Tried with the llama.cpp of
# llama-cpp-python 0.3.36.
#
#   python -m toolglean.kit.conformance.targets.build_llama_cpp ~/llama.cpp     once; some minutes
#   TOOLGLEAN_LLAMA_CPP=~/llama.cpp toolglean conformance --target llama-cpp
#
#   a stream      common_chat_parse of all that was written so far, for each chunk, and compute_diffs, as the server
#                 does
#   a whole turn  common_chat_parse of the whole turn
#   format        a chat template of models/templates, from which llama.cpp infers the parser (flags.json); the prompt
#                 opens the reasoning if the case says so, and otherwise not
#
# Not claimed: formats without a template there. The server holds a model to a grammar once it has begun a call, so
# turns with damaged calls are rarer there than here; a whole turn that does not match raises an error by design. Does
# not depend on what is right.
"""`toolglean conformance --target llama-cpp`."""

from __future__ import annotations

import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from toolglean._child import LineChild
from toolglean.kit.conformance.targets.build_llama_cpp import FOLDER, PROGRAM, VARIABLE
from toolglean.kit.conformance.targets.flags import row_of
from toolglean.kit.conformance.targets.tokens import SECONDS, Adapter

__all__ = ["LlamaCpp", "version"]

THINKING = {"qwen3-coder": "Qwen3.5-4B"}
"""Templates for turns with reasoning, where that of the table has none."""


@cache
def source() -> Path:
    """The folder of llama.cpp."""
    named = os.environ.get(VARIABLE, "")
    if not named or not (Path(named) / FOLDER / PROGRAM).exists():
        raise FileNotFoundError(
            f"{VARIABLE}={named!r} is not the folder of llama.cpp with the program; build it with `python -m "
            "toolglean.kit.conformance.targets.build_llama_cpp FOLDER`, and set the variable to the folder"
        )
    return Path(named)


@cache
def program() -> LineChild:
    """The program, which reads one turn after the other."""
    return LineChild([str(source() / FOLDER / PROGRAM)])


def version() -> str:
    """That of llama.cpp: a tag or commit, or the release of llama-cpp-python that the source came with."""
    package = source().parent.parent / "PKG-INFO"
    if package.exists():
        found = re.search(r"^Version: (.+)$", package.read_text(encoding="utf-8"), re.MULTILINE)
        return f"llama-cpp-python {found[1]}" if found else ""
    command = ["git", "-C", str(source()), "describe", "--tags", "--always"]
    described = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # only a folder
    return described.stdout.strip()


def ask(**request: Any) -> dict[str, Any]:
    """The program's answer to a request.

    Raises:
        ValueError: what llama.cpp raised.
    """
    answer: dict[str, Any] = json.loads(program().ask(json.dumps(request), SECONDS))
    if "error" in answer:
        raise ValueError(answer["error"])
    return answer


source()  # a target that is not installed is refused when it is imported


class LlamaCpp(Adapter):
    """A turn, read as `llama-server --jinja` reads it."""

    def open(self) -> None:
        """See `Adapter`."""
        name = row_of("llama-cpp", self.format, self.id)
        name = (self.reasons and THINKING.get(self.format or "")) or name
        if not name:
            raise NotImplementedError(f"llama.cpp brings no template for {self.format or 'unknown formats'}")
        template = (source() / "models" / "templates" / f"{name}.jinja").read_text(encoding="utf-8")
        opened = ask(
            open=template, tools=self.tools, start="reasoning" if self.opened else "content", reasons=self.reasons
        )
        if "unclaimed" in opened:
            raise NotImplementedError(f"{name}: {opened['unclaimed']}")
        self._tokens.prompt = opened["generation_prompt"]

    def whole(self, text: str) -> dict[str, Any]:
        """The answer to a whole turn."""
        found: dict[str, Any] = ask(whole=self._tokens.passed(text))["message"]
        return found

    def feed(self, chunk: str) -> dict[str, Any] | None:
        """The answer to a chunk."""
        chunk = self._tokens.passed(chunk)
        return _joined(ask(feed=chunk)["deltas"]) if chunk else None

    def finish(self) -> dict[str, Any]:
        """The answer to the end."""
        return _joined(ask(finish=True)["deltas"])


def _joined(deltas: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "content": "".join(delta["content"] for delta in deltas),
        "reasoning": "".join(delta["reasoning"] for delta in deltas),
        "calls": [delta for delta in deltas if "index" in delta],
    }
