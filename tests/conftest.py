# What this file knows: how much Hypothesis looks for, here and in CI.
"""Profiles of the property tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# The same examples every time in CI: a run there must not fail by chance. Elsewhere, new ones each time.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=100)
settings.register_profile("default", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", deadline=None, max_examples=5_000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))
