# The members that an object may have, and how they follow each other in a text: required ones, others, and as many as
# there may be. Does not depend on schemas (shapes.py), or on how a dialect writes a member.
"""The members of an object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from toolglean.grammar.merge import NEVER
from toolglean.grammar.nodes import EMPTY, Node, Rules, alt, repeat, seq

__all__ = ["Members"]

Items: TypeAlias = "list[tuple[bool, Node]]"


@dataclass(frozen=True, slots=True)
class Members:
    """The members of an object.

    Attributes:
        members: for each listed member, its name, its schema and whether it is required.
        others: the schema of any further member; NEVER: there are none.
        least, most: how many members there may be.
        names: the schema of the names of further members; True: any. `named_by`: the keyword that defines it.
    """

    members: tuple[tuple[str, Any, bool], ...]
    others: Any
    least: int = 0
    most: int | None = None
    names: Any = True
    named_by: str = "propertyNames"

    @property
    def is_counted(self) -> bool:
        """Whether the members must be counted: required ones may be too few, or possible ones too many."""
        needed = sum(must for _, _, must in self.members)
        return self.least > needed or (
            self.most is not None and (self.others is not NEVER or self.most < len(self.members))
        )

    @property
    def is_impossible(self) -> bool:
        """Whether no object has so many members."""
        needed = sum(must for _, _, must in self.members)
        too_few = self.others is NEVER and self.least > len(self.members)
        return too_few or (self.most is not None and self.most < max(needed, self.least))

    def arranged(self, items: Items, comma: Node, rules: Rules, more: Node | None) -> tuple[Node | None, bool]:
        """The members in order, separated by commas, as many as there may be.

        Args:
            items: for each member, whether it is required, and how it is written.
            comma: the separator.
            rules: the rules of the grammar; further ones are added to them.
            more: how any further member is written; None: there are none.

        Returns:
            One or more members (None if there are none to choose from), and whether there may be no member.
        """
        counted = self if self.is_counted else replace(self, least=0, most=None)
        # What may follow after so many members, up to `enough`: then it is the same for each number, or all that there
        # may be.
        enough = max(counted.least, 1) if counted.most is None else counted.most
        rests = [counted._last(count, comma, more) for count in range(min(len(items), enough) + 1)]
        for at, (needed, item) in reversed([*enumerate(items)]):
            after = [*rests[1:], rests[-1] if counted.most is None else None]
            found = []
            for count in range(min(at, enough) + 1):
                rest = after[count]
                ways = [] if rest is None else [seq(comma if count else EMPTY, item, rest)]
                ways += [] if needed or (skipped := rests[count]) is None else [skipped]
                found.append(rules.named(alt(*ways)) if ways else None)
            rests = found
        return rests[0], counted.least == 0 and not any(needed for needed, _ in items)

    def written(
        self, items: Items, comma: Node, rules: Rules, more: Node | None, around: tuple[Node, Node, Node]
    ) -> Node:
        """The members, in order, between brackets: see `arranged`.

        Args:
            items, comma, rules, more: as for `arranged`.
            around: what is before and after some members, and what is written where there is none.
        """
        before, after, empty = around
        some, may_be_empty = self.arranged(items, comma, rules, more)
        return alt(*([empty] if may_be_empty else []), *([] if some is None else [seq(before, some, after)]))

    def _last(self, count: int, comma: Node, more: Node | None) -> Node | None:
        # The text after all listed members.
        least, most = max(self.least - count, 0), None if self.most is None else self.most - count
        if more is None or most == 0:
            return EMPTY if least == 0 and count else None
        if count:
            return repeat(seq(comma, more), least, most)
        return seq(more, repeat(seq(comma, more), max(least - 1, 0), None if most is None else most - 1))
