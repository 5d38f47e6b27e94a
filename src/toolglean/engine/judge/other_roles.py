# Finds the header of another role's message in the reasoning. Does not depend on calls, or on what becomes of them.
#
# A model that does not stop writes the next message too, even in the middle of its reasoning. Whatever calls are in
# that message, the model did not make them; but a model may also reason about headers, and then close its reasoning and
# answer. So nothing ends here: calls in the rest of the reasoning are text, and what follows the reasoning is read.
"""Other messages in the reasoning."""

from __future__ import annotations

from toolglean.engine.judge.signs import SIGNS, TOKEN, is_begun
from toolglean.scan.plain import Plain

__all__ = ["OtherRoles"]


class OtherRoles(Plain):
    """Tells whether the reasoning so far has the header of another role's message.

    Attributes:
        found: whether it has one.
    """

    __slots__ = ("_end", "_tail", "found")

    def __init__(self) -> None:
        self.found = False
        self._tail = ""  # the end of the text, which may be the beginning of a header
        self._end = 0  # the place after it

    @property
    def begun(self) -> bool:
        """Whether a header may have begun, so that the next text must be read, whatever it contains."""
        return self._tail != ""

    def read(self, text: str, start: int) -> None:
        """Read on: reasoning, which begins at `start`. Text without `<` and `[` may be left out unless one began."""
        follows, end = self._tail != "" and start == self._end, start + len(text)
        text = self._tail + text if follows else text
        self._tail, self._end = "", end
        if self.found or ("<" not in text and "[" not in text) or SIGNS.search(text) is None:
            return
        token = TOKEN.search(text, 0)
        while token is not None and token.lastgroup != "other":
            token = TOKEN.search(text, token.end())
        self.found = token is not None
        if not self.found:
            tail = is_begun(text, 0)
            self._tail = tail if tail[:1] in {"<", "["} else ""
