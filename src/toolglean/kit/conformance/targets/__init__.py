# The targets that `--target` knows by name: toolglean's own two, and the parsers of other projects that the kit brings
# an adapter for. Imports none of them: an adapter is a file that runs in the Python of its project.
#
#   flags.py              one table of formats: their markers, and how other projects name what they have for them
#   tokens.py             what adapters of servers have in common, and what a token is, where no tokenizer is at hand
#   one file each         an adapter: what it maps to what, and the versions that it was tried with, are at its head
#   build_llama_cpp.py    the program of llama_cpp.py, from llama_chat.cpp
"""The shipped targets of `toolglean conformance --target`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

__all__ = ["TARGETS", "ShippedTarget"]

HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class ShippedTarget:
    """A parser with the adapter that runs it.

    Attributes:
        name: what `--target` takes.
        adapter: the file or the module of the adapter, and the name of its class or function, with a colon between.
        package: the distribution whose version is that of the target; "" for toolglean itself.
        install: what to install, and how, in one or two sentences.
    """

    name: str
    adapter: str
    package: str
    install: str


def _target(name: str, attribute: str, install: str = "", *, package: str = "") -> ShippedTarget:
    package = package or name
    adapter = f"{HERE / name.replace('-', '_')}.py:{attribute}"
    return ShippedTarget(name, adapter, package, install or f"Install it with `pip install {package}`.")


_ALL: Final = (
    _target(
        "ai-sdk",
        "AiSdk",
        "Run `npm install @ai-sdk-tool/parser` in a folder, and set TOOLGLEAN_AI_SDK to it.",
        package="@ai-sdk-tool/parser",
    ),
    _target("instructor", "md_json"),
    _target("json-repair", "json_repair"),
    _target(
        "llama-cpp",
        "LlamaCpp",
        "It needs the source of llama.cpp and a C++ compiler: run `python -m "
        "toolglean.kit.conformance.targets.build_llama_cpp FOLDER`, and set TOOLGLEAN_LLAMA_CPP to the folder.",
        package="llama-cpp-python",
    ),
    _target("mlx-lm", "MlxLm", "Install it with `pip install mlx-lm`; on Linux, `pip install mlx-lm 'mlx[cpu]'`."),
    _target(
        "openai-harmony",
        "OpenaiHarmony",
        "Install it with `pip install openai-harmony`. It fetches its vocabulary, unless TIKTOKEN_ENCODINGS_BASE is a "
        "folder with o200k_base.tiktoken.",
    ),
    _target("partial-json-parser", "partial_json"),
    _target(
        "sglang",
        "Sglang",
        "Install it with `pip install sglang`; without a GPU, unpack its wheel and install what its parsers import.",
    ),
    _target("smg", "smg"),
    ShippedTarget("toolglean", "toolglean.kit.conformance.own:Own", "", ""),
    ShippedTarget("toolglean-auto", "toolglean.kit.conformance.own:Auto", "", ""),
    _target("transformers", "Transformers"),
    _target(
        "vllm",
        "Vllm",
        "Install it with `pip install vllm`; without a GPU, unpack its source and install requirements/common.txt.",
    ),
)
"""toolglean with the format of each case, and without; of a project, which interfaces are used is told by its file."""

TARGETS: Final[Mapping[str, ShippedTarget]] = MappingProxyType({each.name: each for each in _ALL})
"""By name, in alphabetical order."""
