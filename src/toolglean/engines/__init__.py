# The engines that load toolglean as a plugin, each in the package of its name; what they share is in names.py,
# syntax.py, reading.py, special_tokens.py and token_spans.py.
# Does not depend on how calls are written or read. Nothing is imported before it is asked for, because an engine loads
# its plugins in each of its processes, most of which never parse.
"""toolglean inside engines: parsers for vLLM, SGLang and TensorRT-LLM, and the special tokens of a vocabulary."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolglean.engines.modules import EngineError
    from toolglean.engines.special_tokens import SpecialTokens

__all__ = ["EngineError", "SpecialTokens"]


_HOME_OF = {"EngineError": "modules", "SpecialTokens": "special_tokens"}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
