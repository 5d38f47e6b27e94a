# What users may ask of a tag.
# Does not depend on how a payload after a tag is read (engine/discovery.py).
"""Tags: the literals that start a call, if nothing more of the format is known."""

from __future__ import annotations

from toolglean.engine.tag import derived_closer

__all__ = ["derived_closer"]
