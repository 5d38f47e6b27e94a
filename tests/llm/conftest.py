# What the tests of `toolglean.llm` share.
"""The server of these tests knows a model that takes tools."""

from __future__ import annotations

import pytest

from tests.support.loopback import Loopback


@pytest.fixture
def server(server: Loopback) -> Loopback:
    """Ollama's clients look for a model's tools in its template."""
    server.template = "{{ .Tools }}"
    return server
