"""How many tricks each character wins, and how its goal fares with so many."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reports.counting import Frames, chapter_order, count_groups
from reports.dataset import CELL
from reports.intervals import check_confidence, share, wilson

COLUMNS = (
    "chapter",
    "players",
    "policy",
    "character",
    "tricks",
    "rounds",
    "share",
    "share_low",
    "share_high",
    "failures",
    "rate",
    "low",
    "high",
)


def tricks(goals: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter, players, policy, character and number of tricks (columns: COLUMNS, see docs/reports.md).

    `share` is the share of the character's rounds in which it won so many `tricks`, and `rate` the share of these in which
    its goal was not met, each with its Wilson interval. Undecided goals count in `rounds` only. `goals` is a frame or cell
    scans; `chapters` orders the chapters. Raises UserError for a confidence out of range, missing columns and unreadable parts.
    """
    check_confidence(confidence)
    counts = [pl.len().alias("rounds"), (~pl.col("met")).sum().alias("failures")]
    counted = count_groups(goals, ["character", "tricks"], counts, needs=["character", "tricks", "met"])
    counted = counted.with_columns(pl.col("rounds").sum().over(*CELL, "character").alias("played"))
    share_low, share_high = wilson(counted["rounds"], counted["played"], confidence=confidence)
    low, high = wilson(counted["failures"], counted["rounds"], confidence=confidence)
    return (
        counted.with_columns(
            pl.col("chapter").cast(chapter_order(goals, counted["chapter"], chapters)),
            share("rounds", "played").alias("share"),
            share_low.alias("share_low"),
            share_high.alias("share_high"),
            share("failures", "rounds").alias("rate"),
            low,
            high,
        )
        .select(COLUMNS)
        .sort(*CELL, "character", "tricks")
    )
