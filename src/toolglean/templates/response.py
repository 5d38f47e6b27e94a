# What this file knows: the module in which response templates used to be.
# What it must not know: anything else.
"""The same as `toolglean.response`."""

from __future__ import annotations

from toolglean.response import ResponsePlan, export, message, plan_of, prompt_of, to_format

__all__ = ["ResponsePlan", "export", "message", "plan_of", "prompt_of", "to_format"]
