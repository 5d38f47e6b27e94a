# What this file knows: what is kept while the end of a call that cannot be read as written is awaited.
# What it must not know: what is made of it (mender.py).
"""A call that may have to be mended."""

from __future__ import annotations

from typing import Any

from toolglean.scan.rope import Rope, flat

__all__ = [
    "AGAIN", "BRACKETS", "CLOSER", "EXTRA", "FAULT", "OFF", "ON", "PYTHON", "QUOTE", "QUOTES", "REGION", "TRIAL",
    "UNCLOSED", "Mending",
]  # fmt: skip

# The names of the repairs, as `ToolCall.repairs` has them.
BRACKETS = "closing brackets"
PYTHON = "python literals"
CLOSER = "parameter closer"
AGAIN = "extra closer"
QUOTE = "quote marker"
EXTRA = "extra brackets"

# Whether a turn mends.
OFF = 0
ON = 1
TRIAL = 2  # it is a copy that reads what may have been meant: missing closers of parameters are put in as it reads

# What cannot be read as written.
FAULT = 0  # a character of the open call's arguments
REGION = 1  # a character of what is not a call yet
QUOTES = 2  # a value that may lack its quote markers
UNCLOSED = 3  # a text value that may lack its closing marker


class Mending:
    """What is kept until the call's end shows what was meant.

    Attributes:
        kind: what cannot be read (see above).
        before: the turn (of turn.py, which stands above) just before that character. It is never fed: copies of it are.
        reason, text, place: of the problem; of UNCLOSED, `text` is the closing marker that may be missing, and `reason`
            the marker before which it is.
        raw: the text from `place` on. `edge`: its end, where that may begin a marker.
        trial: of UNCLOSED: the copy that reads on with the closing marker put in; `ended`: where its call ended, or -1.
        skip: of UNCLOSED: how many characters at `place` are the closing marker in another spelling.
        final: whether the marker last put in stands before the call's own closers; `first_final`: the same of the first
            one.
    """

    __slots__ = (
        "before",
        "edge",
        "ended",
        "final",
        "first_final",
        "kind",
        "place",
        "raw",
        "reason",
        "skip",
        "text",
        "trial",
    )

    def __init__(  # it is all that there is
        self, kind: int, before: Any, reason: str, text: str, place: int, *, final: bool = False, skip: int = 0
    ) -> None:
        self.skip = skip
        self.kind, self.before, self.reason, self.text, self.place = kind, before, reason, text, place
        self.raw: Rope = ()
        self.edge = ""
        self.trial: Any = None
        self.ended = -1
        self.final = self.first_final = final

    def copy(self) -> Mending:
        """The same; what is only read is shared."""
        twin = Mending(self.kind, self.before, self.reason, self.text, self.place)
        twin.raw, twin.edge, twin.ended = self.raw, self.edge, self.ended
        twin.skip = self.skip
        twin.final, twin.first_final = self.final, self.first_final
        if self.trial is not None:
            twin.trial = self.trial.copy()
            twin.trial.payload = self.trial.payload and self.trial.payload.copy()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {slot: getattr(self, slot) for slot in self.__slots__} | {"raw": flat(self.raw)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for slot, value in state.items():
            setattr(self, slot, value)
