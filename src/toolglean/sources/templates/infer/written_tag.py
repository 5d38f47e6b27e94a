# The tag of a Jinja template: what it writes immediately before a call, and the closer of that. Does not depend on what
# the call itself looks like.
"""The tag that a template writes."""

from __future__ import annotations

from collections.abc import Callable

from toolglean.errors import FormatError, TemplateError
from toolglean.sources.templates.infer.prober import Prober
from toolglean.sources.templates.infer.probes import Message, call
from toolglean.sources.templates.markers import GENERIC, closer_for, tag_before

__all__ = ["shown_tag"]


def shown_tag(calling: Prober | None, texts: Callable[[], Prober]) -> tuple[str, str]:
    """The tag and its closer; "{" and "" if the template writes none.

    Args:
        calling: renders calls; None: the template writes none of them whole.
        texts: makes the prober that is used then: what is before a call is of use even if its values are changed.
    """
    try:
        return _written(calling or texts())
    except (FormatError, TemplateError):
        return GENERIC, ""


def _written(prober: Prober) -> tuple[str, str]:
    probed = call(0)
    text = prober.turn(Message((probed,))).text
    leaves = [probed.name, *probed.arguments, *probed.arguments.values(), prober.style.id_of(probed, 0)]
    places = [(text.find(leaf), text.rfind(leaf) + len(leaf)) for leaf in leaves if leaf in text]
    if not places:
        return GENERIC, ""
    tag = tag_before(text[: min(first for first, _ in places)])
    return tag, closer_for(tag, text[max(last for _, last in places) :].lstrip("\"'})"))
