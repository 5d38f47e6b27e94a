# What this file knows: what has been seen of closing markers in the text value that is read.
# Does not depend on how they are written (formats/spellings.py), or on what is done then (engine/places/).
"""How a value ends."""

from __future__ import annotations

__all__ = ["Ending"]


class Ending:
    """What has been seen of markers in the value that is read.

    Attributes:
        quoted: whether an opener of a parameter stands in the value, so that a closing marker may belong to that.
        stray: whether closing markers follow the one that ends the value.
        misspelt: behind the last closing marker in another spelling that stayed in the value, and the white space
            after it: if the value ends there, the call must not run. -1 where there is none.
    """

    __slots__ = ("misspelt", "quoted", "stray")

    def __init__(self) -> None:
        self.begin_value()

    def begin_value(self) -> None:
        """Another value begins."""
        self.quoted, self.stray, self.misspelt = False, False, -1

    def copy(self) -> Ending:
        """The same."""
        twin = Ending()
        twin.quoted, twin.stray, twin.misspelt = self.quoted, self.stray, self.misspelt
        return twin
