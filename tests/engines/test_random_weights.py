"""Engines end to end: a model with random weights, held to our grammar, and read by our parser.

`python -m tests.engines.random_weights` is the long version. Both need `nox -s random_weights`.
"""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="torch is not installed: nox -s random_weights")
pytest.importorskip("transformers", reason="transformers is not installed: nox -s random_weights")
pytest.importorskip("xgrammar", reason="xgrammar is not installed: nox -s random_weights")
pytest.importorskip("llguidance", reason="llguidance is not installed: nox -s random_weights")
pytest.importorskip("jsonschema", reason="jsonschema is not installed: nox -s random_weights")

from tests.engines.random_weights.__main__ import tried
from tests.engines.random_weights.engines import BACK_ENDS, Model
from tests.engines.random_weights.vocabulary import FAMILIES
from tests.support import depth

REQUESTS = 12
MANY = 96


@pytest.fixture(scope="module", params=FAMILIES)
def model(request: pytest.FixtureRequest) -> Model:
    return Model(FAMILIES[request.param])


def test_markers_are_one_token_and_can_be_spelled_out(model: Model) -> None:
    for marker in (*model.family.atomic, model.family.end):
        assert model.tokenizer.encode(marker, add_special_tokens=False) == [model.atomic[marker]]
    assert len(model.spelled) > 1
    assert model.tokenizer.decode(model.spelled) == model.family.openers[0]


@pytest.mark.parametrize("engine", BACK_ENDS)
def test_what_is_generated_is_read(model: Model, engine: str) -> None:
    counts, faults = tried(model, engine, MANY if depth.is_full() else REQUESTS)
    assert faults == []
    if engine != "none":
        enforced = counts["required"] + counts["named"]
        assert enforced["ended"]
        assert enforced["calls"] >= enforced["ended"]
