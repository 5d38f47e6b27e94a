# Any number of results as paragraphs and tables of plain text. Does not depend on how they are written down (page.py).
#
# Targets are in alphabetical order, not in the order of their scores: the page is a record, not a contest. Results on
# different case sets are never in one table.
"""Results as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolglean.errors import UsageError
from toolglean.kit.conformance.cuts import WAYS, is_within
from toolglean.kit.conformance.judge import NEUTRAL, VERDICTS
from toolglean.kit.conformance.results import Results
from toolglean.kit.conformance.tiers import QUESTIONS, SAFETY, SOUND, Score

__all__ = ["NONE", "Column", "Group", "Table", "groups_of", "tables_of", "was_tried", "wrong_ids"]

NONE: Final = "–"
"""What is in a cell without a value."""


@dataclass(frozen=True, slots=True)
class Column:
    """The results of one target.

    Attributes:
        label: its name, with the version, and the date where that is not enough to tell it from another one.
        results: its results.
        by_id: its rows, by the id of the case.
    """

    label: str
    results: Results
    by_id: dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Group:
    """All results on one set of cases.

    Attributes:
        name: the name of the set, with its version.
        digest: its digest.
        columns: the results, in alphabetical order.
    """

    name: str
    digest: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        title: its heading.
        notes: paragraphs above it.
        head: the headings of its columns.
        rows: its rows; the first cell of each is the row's heading.
        of_cases: whether that heading is the id of a case.
    """

    title: str
    notes: tuple[str, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    of_cases: bool = False


def groups_of(results: Sequence[Results]) -> list[Group]:
    """The results, by set of cases.

    Raises:
        UsageError: there are no results.
    """
    if not results:
        raise UsageError("results=() is empty; pass at least one")
    sets: dict[str, list[Results]] = {}
    for each in results:
        sets.setdefault(str(each.case_set["digest"]), []).append(each)
    return [_group(digest, found) for digest, found in sorted(sets.items(), key=lambda pair: _named(pair[1][0]))]


def _group(digest: str, results: list[Results]) -> Group:
    ordered = sorted(results, key=lambda each: (each.target.name.casefold(), each.target.version or "", each.date))
    short = [" ".join(filter(None, [each.target.name, each.target.version])) for each in ordered]
    seen: Counter[str] = Counter()
    columns = []
    for each, name in zip(ordered, short, strict=True):
        label = name if short.count(name) == 1 else f"{name}, {each.date}"
        seen[label] += 1
        label += f" ({seen[label]})" if seen[label] > 1 else ""
        columns.append(Column(label, each, {row["id"]: row for row in each.rows}))
    return Group(_named(results[0]), digest, tuple(columns))


def _named(results: Results) -> str:
    found = results.case_set
    return " ".join(filter(None, [found["name"] or "cases without a name", found["version"]]))


def tables_of(group: Group) -> list[Table]:
    """The tables about a set of cases."""
    tables = [_scores(group), _verdicts(group), _kinds(group), _questions(group), _cases(group), _runs(group)]
    return [*tables, *_not_claimed(group)]


# -- scores ------------------------------------------------------------------------------------------------------------


_CORE_AND_POLICY: Final = (
    "Core: cases in which every sound parser gives the same result. Policy: cases that answer a question on which "
    "sound parsers differ, with the share of the answers that the case set expects. A policy case in which a call ran "
    "that should not, or ran with wrong arguments, counts as a core case that failed. Shares are rounded down."
)
_ABOUT_WAYS: Final = (
    "The columns of the core score differ in how the text arrived. Whole: only as a whole. Pieces: also token by token "
    "(or character by character) and a few at once, as servers send it. All: also in one chunk and at random cuts."
)
_ABOUT_ORDER: Final = (
    "Targets are in alphabetical order. They claim different formats, so their scores are about different cases."
)


def _scores(group: Group) -> Table:
    return Table(
        "Scores",
        (_CORE_AND_POLICY, SOUND, _ABOUT_WAYS, _ABOUT_ORDER),
        (
            "Target",
            *(f"Core, {name}" for name in WAYS),
            "Policy",
            "Unsafe or altered calls",
            "Cases judged",
            "Not claimed",
            "Date",
        ),
        tuple(tuple(_score_row(column)) for column in group.columns),
    )


def _score_row(column: Column) -> Iterator[str]:
    results = column.results
    judged = sum(row["core"] is not None or row["policy"] is not None for row in results.rows)
    part = f" (part of the set: {results.case_set['chosen']} of {results.case_set['cases']} cases)"
    yield column.label + ("" if results.case_set["chosen"] == results.case_set["cases"] else part)
    for name in WAYS:
        yield _shown(results.score("core", name) if was_tried(results, name) else None)
    yield _shown(results.score("policy"))
    yield str(sum(row["verdict"] in SAFETY and not row.get("disputed") for row in results.rows))
    yield f"{judged:,}"
    yield str(sum(row["verdict"] == "skipped" for row in results.rows))
    yield results.date[:10]


def was_tried(results: Results, name: str) -> bool:
    """Whether a set of ways has a score: a parser that reads only whole turns has none for streams."""
    before = list(WAYS)[: list(WAYS).index(name)]  # each contains those before it
    tried = results.data["deliveries"]["tried"]
    return not before or any(is_within(way, name) and not is_within(way, before[-1]) for way in tried)


def _shown(score: Score | None) -> str:
    if score is None or not score.judged:
        return NONE
    return f"{score.share} ({score.right} of {score.judged})"


def _verdicts(group: Group) -> Table:
    counted = [(column.label, Counter(row["verdict"] for row in column.results.rows)) for column in group.columns]
    used = [each for each in VERDICTS if any(counts[each] for _, counts in counted)]
    meanings = "; ".join(f"{each}: {VERDICTS[each]}" for each in used)
    return Table(
        "Verdicts",
        (f"The worst that was found in each case, in any way. {meanings}.",),
        ("Target", *used),
        tuple((label, *(str(counts[each]) for each in used)) for label, counts in counted),
    )


def _kinds(group: Group) -> Table:
    kinds = sorted({str(row["kind"]) for column in group.columns for row in column.results.rows})
    return Table(
        "Core score by kind of case",
        (),
        ("Kind", *(column.label for column in group.columns)),
        tuple(_by(group, kinds, lambda row: str(row["kind"]), "core")),
    )


def _questions(group: Group) -> Table:
    found = {_question(row) for column in group.columns for row in column.results.rows if row["policy"] is not None}
    ordered = [*(each for each in QUESTIONS if each in found), *sorted(found - QUESTIONS.keys())]
    rows = _by(group, ordered, _question, "policy")
    return Table(
        "Policy score by question",
        ("How often a target gives the answer that the case set expects. Another answer can be as sound.",),
        ("Question", *(column.label for column in group.columns)),
        tuple((_asked(name), *cells) for name, *cells in rows),
    )


def _asked(name: str) -> str:
    return f"{name}: {QUESTIONS[name]}" if name in QUESTIONS else name


def _question(row: dict[str, Any]) -> str:
    return row["question"] or "unread"


def _by(
    group: Group, names: Iterable[str], key: Callable[[dict[str, Any]], str], tier: str
) -> Iterator[tuple[str, ...]]:
    for name in names:
        cells = [name]
        for column in group.columns:
            judged = [row[tier] for row in column.results.rows if key(row) == name and row[tier] is not None]
            cells.append(f"{sum(judged)} of {len(judged)}" if judged else NONE)
        if any(cell != NONE for cell in cells[1:]):
            yield tuple(cells)


# -- cases and runs ----------------------------------------------------------------------------------------------------


def wrong_ids(group: Group) -> list[str]:
    """The ids of the cases that at least one target did not answer as expected, in alphabetical order."""
    return sorted(
        {row["id"] for column in group.columns for row in column.results.rows if row["verdict"] not in NEUTRAL}
    )


def _cases(group: Group) -> Table:
    return Table(
        "Cases that were not answered as expected",
        ("Every case with a verdict other than right, for at least one target.",),
        ("Case", "Kind", "Tier", *(column.label for column in group.columns)),
        tuple(_case_row(group, name) for name in wrong_ids(group)),
        of_cases=True,
    )


def _case_row(group: Group, name: str) -> tuple[str, ...]:
    rows = [column.by_id.get(name) for column in group.columns]
    first = next(row for row in rows if row is not None)
    tier = f"{first['tier']}: {first['question']}" if first["question"] else first["tier"]
    verdicts = (NONE if row is None else row["verdict"] for row in rows)
    return (name, first["kind"], tier + (", disputed" if first.get("disputed") else ""), *verdicts)


def _runs(group: Group) -> Table:
    def row(column: Column) -> Iterator[str]:
        results, target = column.results, column.results.target
        yield column.label
        yield results.date
        yield target.adapter or NONE
        yield (target.adapter_digest or NONE)[:19]
        yield target.python or NONE
        yield target.platform or NONE
        deliveries = results.data["deliveries"]
        yield f"{deliveries['ways']}, {deliveries['random_cuts']} random cuts"
        yield f"toolglean {results.data['toolglean']}, {results.data['python']}, {results.data['platform']}"

    return Table(
        "How each target was run",
        (f"The case set is {group.name}, with the digest {group.digest}.",),
        ("Target", "Date (UTC)", "Adapter", "Its digest", "Python", "Platform", "Ways", "Kit"),
        tuple(tuple(row(column)) for column in group.columns),
    )


def _not_claimed(group: Group) -> Sequence[Table]:
    rows = []
    for column in group.columns:
        reasons = Counter(
            row.get("reason") or "no reason given" for row in column.results.rows if row["verdict"] == "skipped"
        )
        rows += [(column.label, str(count), reason) for reason, count in sorted(reasons.items())]
    if not rows:
        return ()
    notes = ("Cases that a target, or its adapter, does not claim. They are not judged.",)
    return (Table("Cases that were not claimed", notes, ("Target", "Cases", "Reason"), tuple(rows)),)
