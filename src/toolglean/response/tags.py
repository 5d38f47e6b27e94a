# What this file knows: which tag patterns of xml-inline are a head with the key, a value, and a literal behind it.
# What it must not know: how the tags are read.
#
#     <parameter=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</parameter>
#     └────────────── head ────────┘  └── value ──┘   └── tail ──┘
"""Tags of xml-inline."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from toolglean.response.marks import Marker, Marks
from toolglean.response.patterns import Element, Lit, Reduced, Sequence, Space, Until, reduce

__all__ = ["Tag", "tag_of"]


@dataclass(frozen=True)
class Tag:
    """A tag pattern that needs no regular expressions.

    Attributes:
        head: what stands before the value; it captures `key`.
        lead: the white space that is taken off before the value, None for none.
        trail: the white space that is taken off behind it.
        tail: the literal behind the value.
    """

    head: Sequence
    lead: Space | None
    trail: Space | None
    tail: str

    @property
    def marker(self) -> Marker:
        """The head as a marker."""
        return Marker(Reduced((self.head,)))

    @cached_property
    def heads(self) -> Marks:
        """Finds the head."""
        return Marks([(0, self.marker)])

    def trimmed(self, value: str) -> str:
        """The value without the white space that the pattern takes off."""
        if self.lead is not None:
            value = value[value[:1].isspace() :] if self.lead.one else value.lstrip()
        if self.trail is not None:
            value = value[: len(value) - value[-1:].isspace()] if self.trail.one else value.rstrip()
        return value


@lru_cache(maxsize=64)
def tag_of(pattern: str) -> Tag | None:
    """The tag of that pattern; None where it is a real regular expression."""
    found = reduce(pattern)
    if found is None or len(found.alternatives) != 1 or found.ahead or found.far or found.at_start:
        return None
    elements = found.alternatives[0]
    place = next((i for i, each in enumerate(elements) if isinstance(each, Until) and each.name == "value"), 0)
    if not place or not isinstance(elements[-1], Lit):
        return None
    head, lead = _without_space(elements[:place])
    rest = elements[place + 1 : -1]
    trail = rest[0] if rest and isinstance(rest[0], Space) else None
    if len(rest) > (trail is not None) or not isinstance(head[-1], Lit) or any(isinstance(e, Until) for e in head):
        return None
    return Tag(head, lead, trail, elements[-1].text)


def _without_space(elements: tuple[Element, ...]) -> tuple[Sequence, Space | None]:
    last = elements[-1]
    return (elements[:-1], last) if isinstance(last, Space) else (elements, None)
