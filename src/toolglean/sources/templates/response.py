# What this file knows: the module in which response templates used to be.
# What it must not know: anything else.
"""The same as `toolglean.sources.response`."""

from __future__ import annotations

from toolglean.sources.response import ResponsePlan, export, message, plan_of, prompt_of, to_format

__all__ = ["ResponsePlan", "export", "message", "plan_of", "prompt_of", "to_format"]
