# What this file knows: the defaults.
# Does not depend on what they are used for.
"""Defaults for the whole program."""

from __future__ import annotations

from typing import Any, ClassVar

__all__ = ["Configs"]


class Configs:
    """Defaults for the whole program: `Configs.llm = Ollama(model=...)`."""

    llm: ClassVar[Any] = None
    """The language model of orchestrators that are created without one."""
