# The warning about a template from which no format can be read. The parser then detects the format, so
# nothing else shows that the template did not help. Does not depend on why it was refused.
"""The warning about a template that was refused."""

from __future__ import annotations

import logging

__all__ = ["warn_of_refusal"]

log = logging.getLogger(__name__)


def warn_of_refusal(template: str, reason: str) -> None:
    """Log that no format can be read from the template.

    Args:
        template: which one: "the template", say.
        reason: why.
    """
    log.warning("no format can be read from %s, so the format is detected from the turn: %s", template, reason)
