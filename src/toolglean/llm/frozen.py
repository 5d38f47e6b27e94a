# What this file knows: dicts that cannot be changed.
# Does not depend on what they contain.
"""Read-only dicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Frozen"]


class Frozen(dict[str, Any]):
    """A read-only dict; the dicts in it are read-only too."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__((key, _frozen(value)) for key, value in given.items())

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("the fields of a model are frozen: make a copy with model_copy(update=...)")

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> Any:
        return Frozen, (dict(self),)

    def __copy__(self) -> Frozen:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Frozen:
        return self


def _frozen(value: Any) -> Any:
    return Frozen(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value
