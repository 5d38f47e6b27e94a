# What this file knows: what users may ask of a tag.
# What it must not know: how a payload behind a tag is read (engine/discovery.py).
"""Tags: the literals that start a call, if nothing more of the format is known."""

from __future__ import annotations

from toolglean.engine.tag import derived_closer

__all__ = ["derived_closer"]
