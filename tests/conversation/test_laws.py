"""The laws of histories, up to 500 examples each; `python -m tests.conversation.laws` runs them at length."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conversation.laws import checks
from tests.support.depth import examples

CHECKS = dict(checks(examples(500)))


@pytest.mark.parametrize("name", CHECKS)
def test_law(name: str) -> None:
    check: Callable[[], None] = CHECKS[name]
    check()
