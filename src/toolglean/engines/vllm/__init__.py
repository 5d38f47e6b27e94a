# vLLM's interfaces for plugins, and how a turn that toolglean has read is expressed in them.
# Does not depend on how calls are written or read.
#
#   __init__.py           registers the names; vLLM calls it in each of its processes, by the entry point
#                         `vllm.general_plugins`
#   parsers.py            the classes by name, made when vLLM asks for one
#   tool_parser.py        calls and content
#   reasoning_parser.py   reasoning, and what follows it
#   pairing.py            how the two find each other, so that one reader reads the whole turn
#   tokens.py             ids and text
#   tags.py               structural tags
#   places.py             where the releases of vLLM keep what the parsers need
#   interface.py          these classes of vLLM
#
# Only __init__.py and places.py are imported when vLLM starts: the classes import those of vLLM, and the parser.
"""toolglean as the tool parser and the reasoning parser of vLLM."""

from __future__ import annotations

import logging
from typing import Any

from toolglean.engines.names import parser_names
from toolglean.engines.vllm.places import base_class, vllm_module

__all__ = ["APPEND_THINK", "register"]

APPEND_THINK = "toolglean-append-think"
"""The reasoning parser that leaves the reasoning in the content, after its opener."""

PARSERS = "toolglean.engines.vllm.parsers"


def register() -> None:
    """Make toolglean's parsers known to vLLM, by name: `toolglean`, and `toolglean-<format>` for each format.

    Never raises, because vLLM would not start: if this release cannot use them, a warning is logged, and says why.
    """
    try:
        tools: Any = vllm_module("tool parsers").ToolParserManager
        reasonings: Any = vllm_module("reasoning parsers").ReasoningParserManager
        base_class("tool parser")
        base_class("reasoning parser")
        for name in parser_names():
            tools.register_lazy_module(name, PARSERS, f"tool:{name}")
            reasonings.register_lazy_module(name, PARSERS, f"reasoning:{name}")
        reasonings.register_lazy_module(APPEND_THINK, PARSERS, f"reasoning:{APPEND_THINK}")
    except Exception as error:  # noqa: BLE001  # anything that another version of vLLM raises
        logging.getLogger(__name__).warning(
            "toolglean's parsers are not available in this vLLM: %s: %s", type(error).__name__, error
        )
