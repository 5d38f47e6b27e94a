# How the figures are drawn, to be read on light and on dark pages: no background, colours of
# middle brightness, text as text.
# Does not depend on how anything was measured.
"""The plots of docs/explanation/figures.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.workloads import SIZES

__all__ = ["curves", "growth", "verdicts"]

INK = "#808890"
GOOD = "#3a9d5d"
BAD = ("#d64550", "#e0873f", "#9b6bd3", "#4f8fd0", "#c9a227", "#8a8f98")
LINES = ("#3a9d5d", "#7cc08f", "#d64550", "#b08d8f", "#e0873f", "#9b6bd3", "#4f8fd0", "#c9a227", "#8a8f98")

COLOURS = (GOOD, *BAD)


def _axes(width: float, height: float, rows: int = 1, columns: int = 1) -> tuple[Any, Any]:
    import matplotlib as mpl  # noqa: PLC0415  # of nox -s peers alone

    mpl.use("svg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "toolglean", "font.family": "sans-serif"})
    mpl.rcParams.update(dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), INK))
    mpl.rcParams.update({"axes.edgecolor": INK, "axes.spines.top": False, "axes.spines.right": False})
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(rows, columns, figsize=(width, height), layout="constrained")
    return figure, axes


def _save(figure: Any, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, transparent=True, metadata={"Date": None})
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line.rstrip() for line in lines) + "\n", encoding="utf-8")


def verdicts(path: Path, rows: Mapping[str, list[dict[str, Any]]], kinds: Mapping[str, Sequence[str]]) -> None:
    """A bar for each peer: the share of its cases that is right, and what was wrong with the others, worst first."""
    figure, axes = _axes(9, 0.45 * len(rows) + 1.4)
    names = list(rows)[::-1]
    left = [0.0] * len(names)
    parts = {"right": ("right",), **kinds}
    for (label, members), colour in zip(parts.items(), (GOOD, *BAD), strict=True):
        shares = []
        for name in names:
            counts = Counter(row["verdict"] for row in rows[name])
            shares.append(100 * sum(counts[each] for each in members) / len(rows[name]))
        axes.barh([f"{name} ({len(rows[name])})" for name in names], shares, left=left, color=colour, label=label)
        left = [sum(pair) for pair in zip(left, shares, strict=True)]
    axes.set_xlabel("% of the cases that the peer claims (their number in brackets)")
    axes.set_xlim(0, 100)
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    _save(figure, path)


def growth(path: Path, rows: Mapping[str, Any]) -> None:
    """A line for each peer: the time for one call by the length of its argument."""
    figure, axes = _axes(9, 5)
    for (name, row), colour in zip(rows.items(), LINES, strict=False):
        points = [(size, row["works"].get(f"argument of {size // 1000:,} KB")) for size in SIZES]
        known = [(size / 1000, seconds * 1000) for size, seconds in points if isinstance(seconds, float)]
        if known:
            style = {"linewidth": 2.5 if name == "toolglean" else 1.5, "marker": "o", "markersize": 4}
            axes.plot(*zip(*known, strict=True), label=name, color=colour, **style)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("length of the argument, KB")
    axes.set_ylabel("processor time for the turn, ms")
    axes.grid(color=INK, alpha=0.2)
    figure.legend(loc="outside right center", frameon=False)
    _save(figure, path)


def curves(path: Path, series: Mapping[str, Any]) -> None:
    """A plot for each series: multiples of the baseline by how many there are, both logarithmic."""
    figure, grid = _axes(10, 8, 2, 2)
    for axes, each in zip(grid.flat, series.values(), strict=True):
        for (name, values), colour in zip(each["lines"].items(), COLOURS, strict=False):
            axes.plot(each["sizes"], values, label=name, color=colour, marker="o", markersize=4, linewidth=1.5)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(each["what"])
        axes.set_ylabel(f"x baseline, {each['part']}")
        axes.grid(color=INK, alpha=0.2)
        axes.set_ylim(
            1, 20 * max(value for values in each["lines"].values() for value in values if not math.isnan(value))
        )
        axes.legend(frameon=False, fontsize="small", loc="upper center", ncols=2)
    _save(figure, path)
