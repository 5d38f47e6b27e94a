# What a user of vLLM gains: its own parsers and the plugin of toolglean through the same layer, as its server calls it,
# beside the layer without a parser and toolglean without the layer. Does not depend on what is right.
#
# A server passes tokens: each delta is the text of one token, with its id. So these readers cut the turn anew, into the
# tokens of the stand-in tokenizer, in which each marker is one: parsers that look for ids find them.
"""toolglean inside vLLM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.peers import with_toolglean
from benchmarks.peers.with_vllm import Timed, TimedPlugin, bare_maker, maker_of, stepping

__all__ = [
    "alone_maker",
    "alone_reader",
    "bare_maker",
    "bare_reader",
    "own_maker",
    "own_reader",
    "plugin_maker",
    "plugin_reader",
]

Dicts = list[dict[str, Any]]
Read = Callable[[], Any]


def own_maker(format: str, tools: Dicts) -> Read:
    """What makes vLLM's own parser."""
    return maker_of(Timed(tools, format))


def plugin_maker(format: str, tools: Dicts) -> Read:
    """What makes toolglean's in vLLM."""
    return maker_of(TimedPlugin(tools, format))


def alone_maker(format: str, tools: Dicts) -> Read:
    """What makes toolglean's without vLLM."""
    return with_toolglean.maker(format, tools)


def own_reader(format: str, tools: Dicts, chunks: Sequence[str], reasons: bool) -> Read:
    """vLLM's own parsers."""
    made = Timed(tools, format, reasons=reasons)
    return stepping(maker_of(made), made, made.pieces("".join(chunks)))


def plugin_reader(format: str, tools: Dicts, chunks: Sequence[str], reasons: bool) -> Read:
    """toolglean's plugin."""
    made = TimedPlugin(tools, format, reasons=reasons)
    return stepping(maker_of(made), made, made.pieces("".join(chunks)))


def bare_reader(format: str, tools: Dicts, chunks: Sequence[str], reasons: bool) -> Read:
    """The layer alone."""
    made = Timed(tools, format, reasons=reasons)
    return stepping(bare_maker(format, tools), made, made.pieces("".join(chunks)))


def alone_reader(format: str, tools: Dicts, chunks: Sequence[str], reasons: bool) -> Read:
    """toolglean without vLLM, on the same tokens."""
    made = Timed(tools, format, reasons=reasons)
    return with_toolglean.reader(format, tools, made.pieces("".join(chunks)), reasons)
