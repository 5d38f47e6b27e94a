# vLLM makes the two parsers of a request one right after the other, the reasoning parser first, from the same tokenizer
# (vllm/parser/abstract_parser.py, Parser.__init__). This file lets them find each other. Does not depend on what they
# do with each other.
#
# vLLM gives a turn to the reasoning parser first, and the rest to the tool parser. Only the tool parser gets the
# tools, and only the reasoning parser gets the prompt. But some turns must be read by one reader: a call inside
# reasoning that never closed is a call if the turn ends there, and a draft if it continues. So if both are toolglean's,
# the reasoning parser passes the turn on. If a later vLLM makes them in another order, they do not find each other, and
# each reads its part as vLLM has divided it.
"""The two parsers of one request."""

from __future__ import annotations

import threading
import weakref
from typing import Any

__all__ = ["has_foreign_partner", "introduce", "last_made"]

_made = threading.local()


def introduce(reasoning_parser: Any) -> None:
    """Remember the reasoning parser that was just made."""
    _made.last = weakref.ref(reasoning_parser)


def last_made(tokenizer: Any) -> Any:
    """The reasoning parser that was made last in this thread, once, if it has that tokenizer; otherwise None."""
    last = getattr(_made, "last", None)
    _made.last = None
    found = last() if last is not None else None
    return found if found is not None and found.model_tokenizer is tokenizer else None


def has_foreign_partner(compositions: type[Any], reasoning_class: type[Any], own: type[Any]) -> bool:
    """Whether this server reads calls with a parser that is not toolglean's.

    Args:
        compositions: the class whose subclasses vLLM makes, one for each pair of parsers that flags name.
        reasoning_class: our reasoning parser in them.
        own: toolglean's tool parser.
    """
    pairs = [(each.reasoning_parser_cls, each.tool_parser_cls) for each in compositions.__subclasses__()]
    return any(
        reasoning is reasoning_class and tool is not None and not issubclass(tool, own) for reasoning, tool in pairs
    )
