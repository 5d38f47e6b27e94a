"""The version, in the one place that the build reads."""

__version__ = "0.2.0"
"""The version of toolglean, as the package index has it."""
