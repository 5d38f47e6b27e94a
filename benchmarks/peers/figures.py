# The page of figures, from what was measured.
# Does not depend on how anything was measured; how it is drawn (plots.py).
"""docs/explanation/figures.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers import plots
from benchmarks.peers.correctness import GROUPS, group_of
from benchmarks.peers.names import INSIDE, PEERS
from benchmarks.peers.speed import CONSTRUCTION
from benchmarks.peers.workloads import WORKLOADS
from toolglean.kit.conformance import WAYS, Results, Score
from toolglean.kit.conformance.tables import was_tried

__all__ = ["write"]

DOCS = Path(__file__).parents[2] / "docs"
OURS = "toolglean"
WORKS = (CONSTRUCTION, *(work.name for work in WORKLOADS))
NO_RIVALS = ("toolglean auto", "vLLM without a parser")
CLOSE = 0.95
"""What a peer's multiple must be below to be called faster."""
RAN = ("unsafe", "altered", "invented")
KINDS = {
    "ran what it should not": RAN,
    "lost text": ("lost",),
    "crashed": ("crash", "timeout"),
    "depends on the cuts": ("cuts",),
    "missed a call": ("missed",),
    "wrong text": ("text",),
}


def write(found: dict[str, Any]) -> None:
    """Write the page and its plots."""
    parts = [_introduction(found["heading"])]
    if "correctness" in found:
        results = {name: Results(data) for name, data in found["correctness"].items()}
        parts += list(_correctness(results))
        plots.verdicts(
            DOCS / "images" / "peers-correctness.svg", {name: _core(of) for name, of in results.items()}, KINDS
        )
    if "speed" in found:
        parts += list(_speed(found["speed"]))
        plots.growth(DOCS / "images" / "peers-speed.svg", found["speed"])
    if "inside" in found:
        parts += list(_inside(found["inside"]))
    if "proxy" in found:
        parts += list(_proxy(found["proxy"]))
    if "growth" in found:
        parts += list(_growth(found["growth"]))
        plots.curves(DOCS / "images" / "growth.svg", found["growth"])
    parts.append(_caveats(found))
    (DOCS / "explanation" / "figures.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _introduction(heading: dict[str, Any]) -> str:
    alone = {name: version for name, version in heading["versions"].items() if " with" not in name}
    versions = ", ".join(f"{name} {version}" for name, version in alone.items())
    return f"""# Figures: toolglean compared with other parsers

This page compares toolglean with the parsers of other projects, its *peers*: how many cases each reads correctly, and how fast.
`nox -s peers` writes it: it installs each peer in its own environment, runs it through the [conformance kit](../how-to/conformance.md), and
times it. The figures are not edited by hand, and the tables also show the cases that toolglean gets wrong. Read
[the caveats](#caveats) before you quote a figure.

Measured with toolglean {heading["toolglean"]} (commit {heading["commit"]}, {heading["date"]}) on {heading["python"]}, {heading["machine"]}. Another version
may be faster, slower, or read more: measure it as [shown below](#reproduce-these-figures). Peers: {versions}."""


# -- correctness -------------------------------------------------------------------------------------------------------


def _correctness(results: dict[str, Results]) -> Iterator[str]:
    ours = {row["id"]: row for row in results[OURS].rows}
    used = results[OURS].case_set
    yield f"""## Correctness

These are the results of `toolglean conformance --target NAME` on the cases {used["name"]} {used["version"]}, of {results[OURS].date[:10]}.
[The page of results](../reference/conformance-results.md) has every case. A *core* case has one sound answer; a *policy* case answers a
question on which sound parsers differ, and the figure shows how often a peer answers it as the cases expect. [The
reference](../reference/conformance.md) has the rule. Each peer gets only the cases whose wire format it claims, so the rows have
different cases; the last column shows toolglean on *the same* core cases.

*Whole*: the turn is read at once. *Pieces*: it is also read token by token, as a server sends it by default, and a few tokens at once, as
with speculative decoding or a streaming interval. *All*: also in one chunk, and at random cuts."""
    yield _table(
        ["core, % right", "cases", *WAYS, "toolglean, same cases", "policy, % as expected"],
        [[*_score_row(peer, found, ours)] for peer, found in results.items()],
    )
    yield "![For each peer, how many core cases were right, and what was wrong with the others](../images/peers-correctness.svg)"
    yield """The worst that happened to each core case, in any way, in % of the core cases. Most serious is a call that should not have run, ran
with wrong arguments, or names an unknown tool, because a program would execute it."""
    yield _table(
        ["", "right", *KINDS],
        [
            [peer, _percent(_count(found, ("right",)), len(found)), *(_of(found, each) for each in KINDS.values())]
            for peer, found in ((name, _core(each)) for name, each in results.items())
        ],
    )
    yield "The core cases by group: % right and, in brackets, toolglean on the same cases."
    yield _table(["", *GROUPS], [[peer, *_by_group(_core(found), ours)] for peer, found in results.items()])


def _core(results: Results) -> list[dict[str, Any]]:
    # The rows of the core score. A case whose only fault is one of policy is right there.
    return [
        row | {"verdict": "right" if row["core"] else row["verdict"]} for row in results.rows if row["core"] is not None
    ]


def _score_row(peer: str, results: Results, ours: dict[str, Any]) -> Iterator[str]:
    rows = _core(results)
    yield from (peer, f"{len(rows)}")
    yield from (_of_score(results.score("core", name)) if was_tried(results, name) else "–" for name in WAYS)
    yield from (_percent(_right(ours, rows), len(rows)), _of_score(results.score("policy")))


def _of_score(score: Score | None) -> str:
    return _percent(score.right, score.judged) if score and score.judged else "–"


def _right(ours: dict[str, Any], rows: list[dict[str, Any]]) -> int:
    return sum(ours[row["id"]]["core"] is not False for row in rows)


def _count(rows: list[dict[str, Any]], verdicts: Sequence[str]) -> int:
    counts = Counter(row["verdict"] for row in rows)
    return sum(counts[verdict] for verdict in verdicts)


def _of(rows: list[dict[str, Any]], verdicts: Sequence[str]) -> str:
    count = _count(rows, verdicts)
    return _percent(count, len(rows)) if count else "0"


def _by_group(rows: list[dict[str, Any]], ours: dict[str, Any]) -> Iterator[str]:
    for group in GROUPS:
        same = [row for row in rows if group_of(row["kind"]) == group]
        if not same:
            yield "–"
            continue
        share = _percent(_count(same, ("right",)), len(same))
        yield f"{share} ({_percent(_right(ours, same), len(same))}) of {len(same)}"


def _percent(count: int, total: int) -> str:
    # Rounded down, so that only a full score is 100.
    return f"{100 * count / total:.0f}" if count in {0, total} else f"{math.floor(1000 * count / total) / 10:.1f}"


# -- speed -------------------------------------------------------------------------------------------------------------


def _speed(rows: dict[str, Any]) -> Iterator[str]:
    others = [name for name in rows if name != OURS]
    yield """## Speed

Each turn is streamed in chunks of four characters through the interface that the peer documents; json-repair reads it once, at its end.
The peers took turns, and the best time of each is used. The first column is toolglean's time for the whole turn; the others are *multiples of
it*: 10 is ten times slower, 0.1 ten times faster."""
    yield _table(
        ["", f"{OURS}, µs", *others],
        [[work, *_ratios(work, rows, others)] for work in WORKS],
    )
    yield "![Time for one call by the length of its argument, for each peer](../images/peers-speed.svg)"
    yield "\n".join(
        ["Peers that are faster than toolglean, with their multiple of its time:", "", *(_slower(rows, others))]
    )
    notes = sorted({f"{name}: {note}" for name, row in rows.items() for note in _notes(row)})
    yield "\n".join(["A dash is a workload that was not measured:", "", *(f"- {note}." for note in notes)])
    yield """The processor time to import a peer's parser, the memory of its process after that, and the most memory that reading 100 KB of arguments adds (as
allocated by Python). A server has the import and most of that memory anyway."""
    yield _table(
        ["", "import, s", "process, MB", "reading 100 KB, KB"],
        [[name, *_memory(row)] for name, row in rows.items()],
    )


def _ratios(work: str, rows: dict[str, Any], others: list[str]) -> Iterator[str]:
    base = rows[OURS]["works"][work]
    yield f"{base * 1e6:,.0f}"
    for name in others:
        seconds = rows[name]["works"].get(work)
        if not isinstance(seconds, float):
            yield "–"
            continue
        ratio = seconds / base
        yield f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _notes(row: dict[str, Any]) -> Iterator[str]:
    for work, found in row["works"].items():
        if isinstance(found, str) and found != "does not do this":
            yield f"{work}: {found}"


def _memory(row: dict[str, Any]) -> list[str]:
    ready, peak = row["ready"], row.get("peak", {})
    return [
        f"{ready['import']:.2f}",
        f"{ready['memory'] / 1e6:,.0f}",
        f"{peak['peak'] / 1e3:,.0f}" if "peak" in peak else "–",
    ]


def _slower(rows: dict[str, Any], others: list[str]) -> Iterator[str]:
    # The workloads that a peer reads in less time, with its multiple of toolglean's.
    ours = rows[OURS]["works"]
    for name in (each for each in others if each not in NO_RIVALS):
        faster = [
            f"{work} ({seconds / ours[work]:.2g})"
            for work in WORKS
            if isinstance(seconds := rows[name]["works"].get(work), float) and seconds < CLOSE * ours[work]
        ]
        if faster:
            yield f"- {name}: {', '.join(faster)}."


# -- inside vLLM -------------------------------------------------------------------------------------------------------


def _inside(rows: dict[str, Any]) -> Iterator[str]:
    alone, bare, own, plugin = (rows[peer.name]["works"] for peer in INSIDE)
    table, slower = [], []
    for work in WORKS:
        known = isinstance(own.get(work), float)
        gain = own[work] / plugin[work] if known else 0.0
        cells = (
            f"{column[work] * 1e6:,.1f}" if isinstance(column.get(work), float) else "–"
            for column in (alone, bare, own, plugin)
        )
        table.append([work, *cells, f"{gain:.2g}" if known else "–"])
        if known and gain < 1:
            slower.append(f"{work} ({gain:.2g})")
    yield """## Inside vLLM

This is what a user of vLLM gains: vLLM's own parsers and [toolglean's plugin](../how-to/vllm.md) through the same layer (`ParserManager`,
`ChatStreamProcessor`), with the deltas that its server passes: one token each, with its id. Much of the time is that of the layer, which
makes a pydantic object for each delta; the layer without a parser shows how much. In µs for the whole turn; the last column is vLLM's time
with its own parser divided by its time with toolglean."""
    yield _table(["", *(f"{peer.name}, µs" for peer in INSIDE), "gain"], table)
    yield f"vLLM's own parser is faster for: {', '.join(slower) if slower else 'no workload'}."


# -- through the proxy -------------------------------------------------------------------------------------------------


def _proxy(rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield """## Through the proxy

What [the proxy](../how-to/proxy.md) adds to an event of a stream, without sockets: from its bytes to its bytes, four characters of text in
each, in µs. No peer mends the streams of other servers, so it stands beside what reading the event's JSON alone takes (`json.loads`)."""
    table = [[name, f"{whole:.1f}", f"{alone:.1f}", f"{whole / alone:.2g}"] for name, whole, alone in rows]
    yield _table(["the text, the format", "the proxy, µs", "`json.loads`, µs", "ratio"], table)


# -- growth ------------------------------------------------------------------------------------------------------------


def _growth(series: dict[str, Any]) -> Iterator[str]:
    yield """## Growth

How the cost of one part (a chunk, a tool, a format) changes with their number, as a multiple of the baseline: a loop that only builds one
event for each chunk. A line that does not rise is linear time; where it falls, a cost that occurs once is shared by more parts."""
    yield "![Cost of a part by the number of parts, for calls, argument lengths, tools and formats](../images/growth.svg)"
    for each in series.values():
        head = [f"{each['what']}: {each['part']}", *(f"{size:,}" for size in each["sizes"])]
        yield _table(head, [[name, *(_multiple(value) for value in values)] for name, values in each["lines"].items()])


def _multiple(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:,.1f}"


# -- the rest ----------------------------------------------------------------------------------------------------------


def _caveats(found: dict[str, Any]) -> str:
    measured = {*found.get("correctness", ()), *found.get("speed", ())}
    peers = [f"- **{peer.name}**: {peer.caveat}" for peer in PEERS if peer.name in measured and peer.caveat]
    return "\n".join(
        [
            "## Caveats",
            "",
            "- The cases were written by toolglean's authors, and so was the rule of what is core and what is policy. Both are in",
            "  [the reference](../reference/conformance.md); `toolglean conformance` shows the expected and the actual result;",
            "  and [anyone can dispute a case](../how-to/conformance.md#dispute-a-case).",
            "- toolglean was developed with most of these cases in sight. Its share would show a regression; it does not predict",
            "  how toolglean reads other turns.",
            "- No model was run. The texts are generated, rendered by chat templates, retold from issues, or written for this.",
            '- Arguments that are the empty text are read as `{}`, because clients read `json.loads(arguments or "{}")`.',
            "- A server's parser is a small part of a request. These times matter to those who parse logs, or serve many",
            "  streams from one process.",
            *peers,
            "",
            "## Reproduce these figures",
            "",
            "`nox -s peers` creates the environments (6 GB, mostly torch, in about 15 minutes), and then takes about an hour. To use existing",
            "environments, name their Pythons: `TOOLGLEAN_PEER_VLLM`, `TOOLGLEAN_PEER_SGLANG`, `TOOLGLEAN_PEER_TRANSFORMERS`, `TOOLGLEAN_PEER_MLX`,",
            "`TOOLGLEAN_PEER_LIBRARIES` and `TOOLGLEAN_PEER_GATEWAYS`; and the folders of the others: `TOOLGLEAN_LLAMA_CPP`, `TOOLGLEAN_AI_SDK`.",
            "`nox -s peers -- --only vLLM` compares one peer. `python -m benchmarks.growth` prints the tables of growth, and needs no peer.",
        ]
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
