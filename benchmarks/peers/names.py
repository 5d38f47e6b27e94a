# Which peers there are, at which version, and how each is run.
# Does not depend on what comes out.
#
# Each peer runs in a Python of its own: `TOOLGLEAN_PEER_VLLM=/path/to/python`, and so on; `nox -s peers` sets them.
"""The peers."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

__all__ = ["INSIDE", "PEERS", "Peer"]


@dataclass(frozen=True, slots=True)
class Peer:
    """One peer.

    Attributes:
        name: as in the tables.
        version: the release that `nox -s peers` installs.
        module: in `benchmarks.peers`.
        kit: the target of the conformance kit, by its name in `toolglean conformance --target`, or `module:name`. "" for
            what is timed only.
        environment: the variable that says which Python runs it, or the folder with it; "": this Python runs it.
        is_folder: whether the variable names a folder: this Python runs it, too.
        reader: what times a turn, in `module`; beside it, a name that ends with `maker` times the construction. "": the peer
            is not timed.
        caveat: what a reader of the tables must know.
    """

    name: str
    version: str
    module: str
    kit: str
    environment: str = ""
    reader: str = "reader"
    caveat: str = ""
    is_folder: bool = False

    @property
    def python(self) -> str | None:
        """The Python that runs it; None if the environment does not say."""
        found = os.environ.get(self.environment) if self.environment else sys.executable
        return sys.executable if found and self.is_folder else found


PEERS = (
    Peer("toolglean", "", "with_toolglean", "toolglean", caveat="It gets the format of each case, as a server does."),
    Peer(
        "toolglean auto",
        "",
        "with_toolglean",
        "toolglean-auto",
        reader="auto_reader",
        caveat="It gets no format, so it can read fewer turns without markers (bare JSON of an unknown shape).",
    ),
    Peer(
        "vLLM",
        "0.33.0",
        "with_vllm",
        "vllm",
        "TOOLGLEAN_PEER_VLLM",
        caveat="Through `ParserManager` and `ChatStreamProcessor`, on a stand-in tokenizer in which each marker is one "
        "special token. It drops the text after calls by design; here that is lost text. Its parsers for "
        "Cohere (they need another package) and harmony (it reads ids of its own vocabulary) were left out. At the "
        "end of a cut-off turn it returns the reason (`length`): a client that checks it runs nothing.",
    ),
    Peer(
        "vLLM with toolglean",
        "0.33.0",
        "with_vllm",
        "benchmarks.peers.with_vllm:Plugin",
        "TOOLGLEAN_PEER_VLLM",
        reader="",
        caveat="toolglean's plugin instead of vLLM's own parsers: the same layer, requests and tokenizer. What was streamed of "
        "a call cannot be taken back: as with vLLM, a client that checks the reason at the end of a cut-off turn runs nothing.",
    ),
    Peer(
        "vLLM without a parser",
        "0.33.0",
        "with_vllm",
        "",
        environment="TOOLGLEAN_PEER_VLLM",
        reader="bare_reader",
        caveat="The same layer with no parser at all: the part of vLLM's time that is not spent in its parser.",
    ),
    Peer(
        "SGLang",
        "0.5.23",
        "with_sglang",
        "sglang",
        "TOOLGLEAN_PEER_SGLANG",
        caveat="Through `FunctionCallParser` and `ReasoningParser`, with what its server does at the end of a stream. Its "
        "`hermes` and `qwen` parsers need the line breaks that Qwen's template writes. harmony was left out. As with vLLM, "
        "a client that checks the reason at the end of a cut-off turn runs nothing.",
    ),
    Peer(
        "transformers",
        "5.23.0",
        "with_transformers",
        "transformers",
        "TOOLGLEAN_PEER_TRANSFORMERS",
        caveat="`ResponseParser` with the templates of `transformers serve` for Qwen 3, Qwen 3.5 and Gemma 4. By design "
        "it raises an error for a call that is not JSON; here that is a crash.",
    ),
    Peer(
        "mlx-lm",
        "0.32.2",
        "with_mlx",
        "mlx-lm",
        "TOOLGLEAN_PEER_MLX",
        caveat="Its state machine and its tool parsers, combined as in its server. By design it leaves out a call that it cannot read, and does not stream arguments.",
    ),
    Peer(
        "llama.cpp",
        "of llama-cpp-python 0.3.36",
        "",
        "llama-cpp",
        "TOOLGLEAN_LLAMA_CPP",
        reader="",
        is_folder=True,
        caveat="The parsers of its server, which infer from a template of its own how calls are written, without a model. Its "
        "server holds a model to a grammar once it has begun a call, so damaged calls are rarer there; a whole turn that does "
        "not match raises an error by design: here that is a crash.",
    ),
    Peer(
        "SMG",
        "1.13.0",
        "",
        "smg",
        "TOOLGLEAN_PEER_GATEWAYS",
        reader="",
        caveat="Shepherd Model Gateway, whole turns through its gateway (`--parser legacy`); its parser Symphony and streams "
        "need a worker.",
    ),
    Peer(
        "AI SDK's middleware",
        "4.1.26",
        "",
        "ai-sdk",
        "TOOLGLEAN_AI_SDK",
        reader="",
        is_folder=True,
        caveat="`@ai-sdk-tool/parser` in node, by the protocol that a model of the format would be given; the text is given "
        "without its reasoning, which another middleware takes out.",
    ),
    Peer(
        "json-repair",
        "0.64.5",
        "with_repair",
        "json-repair",
        "TOOLGLEAN_PEER_LIBRARIES",
        caveat="It reads JSON, not turns: a regular expression finds `<tool_call>…</tool_call>` first.",
    ),
    Peer(
        "partial-json-parser",
        "0.2.1.1.post7",
        "with_repair",
        "partial-json-parser",
        "TOOLGLEAN_PEER_LIBRARIES",
        reader="partial_reader",
        caveat="As for json-repair. In the speed table it reads the call again at each chunk, which is its purpose.",
    ),
    Peer(
        "instructor",
        "1.17.0",
        "",
        "instructor",
        "TOOLGLEAN_PEER_LIBRARIES",
        reader="",
        caveat="Mode `MD_JSON`, with a schema of one call: it reads one object, and returns no other text. Its tool "
        "modes read what a server has parsed. `python -m benchmarks.objects` compares its partial objects.",
    ),
)


def _inside(name: str, reader: str) -> Peer:
    return Peer(name, "0.33.0", "inside_vllm", "", environment="TOOLGLEAN_PEER_VLLM", reader=reader)


INSIDE = (
    _inside("toolglean alone", "alone_reader"),
    _inside("vLLM without a parser", "bare_reader"),
    _inside("vLLM", "own_reader"),
    _inside("vLLM with toolglean", "plugin_reader"),
)
"""What takes turns inside vLLM."""
