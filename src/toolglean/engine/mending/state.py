# The names by which engine/places/ still asks for repairs; they are in engine/repair/. To be deleted with the renames.
"""Old names of engine/repair/."""

from __future__ import annotations

from toolglean.engine.repair.candidates import AGAIN, CLOSER, PYTHON
from toolglean.engine.repair.suspended import OFF, ON, TRIAL, Fault, Kind, Put

__all__ = ["AGAIN", "OFF", "ON", "PYTHON", "QUOTES", "REGION", "TRIAL", "UNCLOSED", "Mending"]

_, REGION, QUOTES, UNCLOSED = Kind


def Mending(  # noqa: N802
    kind: Kind, before: None, reason: str, text: str, place: int, *, final: bool = False, skip: int = 0
) -> Fault:
    """What cannot be read as written. Of UNCLOSED, `text` is the marker that is missing, and `reason` what follows."""
    del before
    if kind == UNCLOSED:
        return Fault(kind, "", reason, place, CLOSER, Put(text, skip, final=final))
    return Fault(kind, reason, text, place)
