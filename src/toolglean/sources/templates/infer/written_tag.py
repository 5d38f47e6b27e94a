# The tag of a Jinja template: what it writes immediately before a call, and the closer of that. Does not depend on what
# the call itself looks like.
"""The tag that a template writes."""

from __future__ import annotations

from toolglean.sources.templates.infer.prober import Prober
from toolglean.sources.templates.infer.probes import Message, call
from toolglean.sources.templates.markers import closer_for, tag_before

__all__ = ["written_tag"]


def written_tag(prober: Prober) -> tuple[str, str]:
    """The tag and its closer; "{" and "" if the template writes none. Raises TemplateError."""
    probed = call(0)
    text = prober.turn(Message((probed,))).text
    leaves = [probed.name, *probed.arguments, *probed.arguments.values(), prober.id_of(probed, 0)]
    first = min(text.find(leaf) for leaf in leaves if leaf in text)
    last = max(text.rfind(leaf) + len(leaf) for leaf in leaves)
    tag = tag_before(text[:first])
    return tag, closer_for(tag, text[last:].lstrip("\"'})"))
