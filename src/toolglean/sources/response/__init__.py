# Hugging Face's response templates, version 1: how they are read, and how a format is written as one. Does not depend
# on chat templates.
#
#   spec.py      the keys of a template, checked
#   patterns.py  patterns of literals, white space and words; regexes.py: all other regular expressions; marks.py: both
#   calls.py     how the calls of a field are laid out in its region
#   fields.py    what opens and closes each field; plan.py: the same, in the form in which the machine asks for it
#   text.py      regions of text; region.py: regions of calls; tags.py: regions of parameters
#   values.py    the value of a region's text; message.py: the dict of transformers
#   convert.py   the format that reads the same; export.py: from a format to a response template
"""Reads, streams and writes response templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolglean.sources.response.convert import to_format
from toolglean.sources.response.export import export
from toolglean.sources.response.message import message
from toolglean.sources.response.plan import ResponsePlan, prompt_of, response_plan

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan

__all__ = ["ResponsePlan", "export", "message", "plan_of", "prompt_of", "to_format"]


def plan_of(template: Mapping[str, Any]) -> Plan:
    """The plan for a response template: that of a format if one reads the same, otherwise one of regions.

    Args:
        template: a response template, version 1.

    Raises:
        FormatError: the template is wrong; the message names the field and the key.
        UsageError: a pattern needs the extra [regex].
    """
    from toolglean.engine.matcher.payload import FormatPlan  # noqa: PLC0415
    from toolglean.formats.compile import compiled  # noqa: PLC0415  # only for templates that become a format

    found = to_format(template)
    return FormatPlan(compiled((found,))) if found is not None else response_plan(template)
