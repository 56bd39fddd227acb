"""How values are written for readers: percentages, points, names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

SHARES = {
    "rate",
    "low",
    "high",
    "other_rate",
    "first_lost",
    "rate_a",
    "rate_b",
    "discordant",
    "changed",
    "predicted",
    "explained",
}
SHARES |= {f"{fate}{side}" for fate in ("luck", "hidden", "haste", "won", "unknown") for side in ("", "_low", "_high")}
SHARES |= {"choice_rate", "choice_low", "choice_high", "share", "share_low", "share_high", "won_rate"}
SHARES |= {"by_then", "by_then_low", "by_then_high", "not_won", "not_won_low", "not_won_high"}
DIFFERENCES = {"difference", "difference_low", "difference_high", "gap", "gap_low", "gap_high"}
SIMULTANEOUS = {"simultaneous_low", "simultaneous_high"}
RATIOS = {"odds_ratio", "odds_low", "odds_high"}
SHARES |= {f"{verdict}_{side}" for verdict in ("won", "lost", "unknown") for side in ("share", "low", "high")}
MILLISECONDS = {"median_ms", "mean_ms"}
P_VALUES = {"p_value", "p_adjusted"}
NAMES = {"character", "first"}


def readable(frame: pl.DataFrame) -> list[tuple[str, ...]]:
    """Return the rows as text: null is empty, shares are percentages and differences points with one decimal."""
    # The limits of all together are differences where there is one, else shares.
    points = DIFFERENCES | (SIMULTANEOUS if {"difference", "gap"} & set(frame.columns) else set())
    columns = [["" if value is None else _shown(column, value, points) for value in column] for column in frame.iter_columns()]
    return list(zip(*columns, strict=True))


def column_title(name: str, titles: Mapping[str, str]) -> str:
    """Return the title of a column: the given one, or its name in words."""
    return titles.get(name, name.replace("_", " "))


def is_right(column: pl.Series) -> bool:
    """Return whether a column is set flush right: numbers, and the ranks of a grid."""
    return column.dtype.is_numeric() or column.name.isdigit()


def _shown(column: pl.Series, value: Any, points: set[str]) -> str:
    if column.name in points:
        return f"{100 * value:+z.1f}"
    # `won` is a share in one report, a count in others.
    if column.name in SHARES | SIMULTANEOUS and column.dtype.is_float():
        return f"{100 * value:.1f} %"
    if column.name in RATIOS:
        return f"{value:.2f}" if 0.1 <= value < 1000 else f"{value:.2g}"
    if column.name in P_VALUES:
        return f"{value:.4f}" if value >= 0.0001 else "<0.0001"
    if column.name in MILLISECONDS:
        return f"{value:.3f}"
    if column.name in NAMES:
        return value.replace("_", " ").title()
    if column.dtype == pl.Boolean:
        return "yes" if value else "no"
    if column.dtype.is_integer():
        return f"{value:_}"
    return f"{value:.1f}" if column.dtype.is_float() else str(value)
