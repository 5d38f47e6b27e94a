"""`python -m benchmarks.objects` measures what it claims: each way reads the whole object."""

from __future__ import annotations

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

from benchmarks.objects import PAYLOADS, Album, works


@pytest.mark.parametrize("payload", PAYLOADS)
def test_each_way_gives_the_same_object(payload: str) -> None:
    text = PAYLOADS[payload](1_000)
    chunks = [text[begin : begin + 4] for begin in range(0, len(text), 4)]
    for name, work in works().items():
        assert work(chunks) == Album.model_validate_json(text), name
