# What tests of several APIs take turns with.
# Does not depend on any client.
"""Marks: for each leak, for each API, streamed and whole."""

from __future__ import annotations

import pytest

from tests.clients.answers import KINDS
from tests.clients.families import leaks

__all__ = ["LEAKS", "both", "each_leak", "each_other_leak", "kinds"]

LEAKS = leaks()
IDS = [f"{leak.family}-{len(leak.calls)}" for leak in LEAKS]
each_leak = pytest.mark.parametrize("leak", LEAKS, ids=IDS)
each_other_leak = pytest.mark.parametrize("leak", LEAKS[::2], ids=IDS[::2])
both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
kinds = pytest.mark.parametrize("kind", KINDS)
