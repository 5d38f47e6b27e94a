"""The version, in the one place that the build reads."""

__version__ = "1.0.0rc2"
"""The version of toolglean, as PEP 440 spells it."""
