"""What a check says: lines of expected against observed with a p-value, and the numbers of its plot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy import stats

LEVEL = 1e-6
"""Chance that right kernels are rejected at all, split evenly over the lines (Bonferroni)."""

Array = np.ndarray[Any, Any]


@dataclass
class Line:
    """One tested statement. `p` is already corrected for the `tests` behind it (Bonferroni)."""

    what: str
    expected: str
    observed: str
    tests: int
    p: float


@dataclass
class Panel:
    """One picture of a check's plot: rows of a long table and how to draw them (`sim.verify.plots`)."""

    title: str
    kind: Literal["map", "ratios", "bars", "square"]
    rows: list[dict[str, Any]]
    x: str = ""
    y: str = ""
    order: list[str] = field(default_factory=list)
    """Maps: the columns from left to right."""


@dataclass
class Check:
    """One idea tested, possibly for several numbers of players."""

    name: str
    title: str
    right: str
    """How the plot looks when all is well, and when it is not."""
    lines: list[Line] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)
    columns: int = 2


def combined(values: Iterable[float]) -> tuple[int, float]:
    """Return (number of p-values, the smallest corrected for their number)."""
    listed = [float(value) for value in values]
    return len(listed), min(1.0, min(listed) * len(listed))


def chi_square(observed: Array, expected: Array) -> float:
    """Return the p-value of counts against expected counts of the same total; 0.0 when something impossible happened.

    Cells expected less than 5 times are pooled.
    """
    seen, wanted = np.asarray(observed, float).ravel(), np.asarray(expected, float).ravel()
    if seen[wanted == 0].sum() > 0:
        return 0.0
    seen, wanted = seen[wanted > 0], wanted[wanted > 0]
    rare = wanted < 5
    if rare.any():
        seen = np.append(seen[~rare], seen[rare].sum())
        wanted = np.append(wanted[~rare], wanted[rare].sum())
    if len(seen) < 2:
        return 1.0
    return float(stats.chisquare(seen, wanted, sum_check=False).pvalue)


def z_scores(observed: Array, expected: Array, trials: Array | float) -> Array:
    """Return how many standard errors each count of `trials` lies from its expected value (0 where it is certain)."""
    share = expected / trials
    error = np.sqrt(np.maximum(expected * (1 - share), 1e-300))
    return np.where(expected > 0, (observed - expected) / error, np.where(observed > 0, np.inf, 0.0))


def ratio_row(label: str, observed: float, expected: float, trials: float, tests: int) -> dict[str, Any]:
    """Return a row of a `ratios` panel: observed / expected, and the band in which all `tests` points lie with 99.9 %."""
    z = stats.norm.isf(0.0005 / max(1, tests))
    share = expected / trials
    half = z * np.sqrt(share * (1 - share) / trials) / share
    return {"label": label, "ratio": observed / expected, "low": 1 - half, "high": 1 + half}


def rejected(checks: Sequence[Check]) -> list[Line]:
    """Return the lines that are rejected at LEVEL over all checks together."""
    lines = [line for check in checks for line in check.lines]
    return [line for line in lines if line.p < LEVEL / len(lines)]
