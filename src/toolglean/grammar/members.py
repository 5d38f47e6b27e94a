# Which members an object may have by its schema: listed ones, ones whose names match a pattern, and others. Does not
# depend on references and unions (shapes.py), or on how a dialect writes a member.
"""The members of an object."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from toolglean.grammar.merge import NEVER
from toolglean.grammar.nodes import EMPTY, Node, Rules, alt, repeat, seq
from toolglean.grammar.patterns import pattern
from toolglean.scan.schema_faults import matches

__all__ = ["Members", "members_of"]

MOST_COUNTED = 100
"""The most members of an object that counts them: it needs a rule for each combination of member and count."""

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


def members_of(
    schema: Mapping[str, Any],
    is_met: Callable[[Any, str], bool],
    is_valid: Callable[[Any, Any], bool],
    report: Callable[[str, str], None],
) -> Members | None:
    """The members of an object; None if nothing meets its schema.

    Args:
        schema: the keywords for objects, without references and unions.
        is_met: whether any value meets a schema; its second argument is the path of that schema.
        is_valid: whether a value meets a schema.
        report: is called with each keyword that is not supported, and why.
    """
    given, names = schema.get("properties"), schema.get("propertyNames", True)
    listed = dict(given) if isinstance(given, Mapping) else {}
    required = [each for each in schema.get("required") or () if isinstance(each, str)]
    others = schema.get("additionalProperties", NEVER if isinstance(given, Mapping) else True)
    patterns = schema.get("patternProperties")
    if isinstance(patterns, Mapping) and patterns:
        others, names = _of_patterns(schema, patterns, [*listed, *required], report)
    for name in required:
        listed.setdefault(name, others if names is True or is_valid(name, names) else NEVER)
    found = []
    for name, inner in listed.items():
        if not is_met(inner, f"properties.{name}") or not (patterns or is_valid(name, names)):
            if name in required:
                return None
            continue
        found.append((name, inner, name in required))
    others = others if is_met(others, "additionalProperties") else NEVER
    if names is not True and found and others is not NEVER and not patterns:
        report("propertyNames", "if there are properties, only their own names are checked")
        names = True
    least, most = schema.get("minProperties", 0), schema.get("maxProperties")
    named_by = "patternProperties" if patterns else "propertyNames"
    members = Members(tuple(found), others, int(least), None if most is None else int(most), names, named_by)
    if members.is_counted and len(found) > MOST_COUNTED:
        report(
            "minProperties" if members.least else "maxProperties", f"a grammar can count at most {MOST_COUNTED} members"
        )
        members = replace(members, least=0, most=None)
    return None if _is_impossible(members) else members


def _is_impossible(members: Members) -> bool:
    needed = sum(must for _, _, must in members.members)
    too_few = members.others is NEVER and members.least > len(members.members)
    return too_few or (members.most is not None and members.most < max(needed, members.least))


def _of_patterns(
    schema: Mapping[str, Any], patterns: Mapping[str, Any], listed: list[str], report: Callable[[str, str], None]
) -> tuple[Any, Any]:
    # The schema of further members, and of their names. Patterns list all members, as properties do: unless the schema
    # mentions others, there are none.
    others = schema.get("additionalProperties", NEVER)
    same = len({json.dumps(each, sort_keys=True, default=str) for each in patterns.values()}) == 1
    sayable = all(pattern(each) is not None for each in patterns)
    matched = sayable and any(matches(each, name) for each in patterns for name in listed)
    if same and sayable and not matched and others is NEVER and "propertyNames" not in schema:
        return next(iter(patterns.values())), {"type": "string", "pattern": "|".join(patterns)}
    report(
        "patternProperties",
        "a grammar supports only patterns that have the same schema, match no listed name, and leave no other members",
    )
    return others if others is not NEVER or listed else True, True
