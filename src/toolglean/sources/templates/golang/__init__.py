"""Reads Go's `text/template`: `parse` returns a `Template`, a tree of the nodes in `nodes`."""

from __future__ import annotations

from toolglean.sources.templates.golang.nodes import MAX_DEPTH, Template
from toolglean.sources.templates.golang.parser import parse

__all__ = ["MAX_DEPTH", "Template", "parse"]
