# A long regular expression takes milliseconds to compile, which is more than the rest of a module's import takes. Most
# turns need few of them. Does not depend on what is searched for.
"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

__all__ = ["Expression"]


class Expression:
    """A regular expression that is compiled when it is first used. After that, it costs one look-up more than a method.

    Args:
        pattern: the pattern, or a function that returns it.
    """

    def __init__(self, pattern: str | Callable[[], str]) -> None:
        self._pattern = pattern

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression itself."""
        return re.compile(self._pattern if isinstance(self._pattern, str) else self._pattern())

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        """See `re.Pattern`."""
        return self.compiled.match

    @cached_property
    def fullmatch(self) -> Callable[..., re.Match[str] | None]:
        """See `re.Pattern`."""
        return self.compiled.fullmatch
