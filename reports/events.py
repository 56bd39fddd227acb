"""How the rounds of a chapter go, by number of the round and by event."""

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
    "round",
    "event",
    "rounds",
    "won",
    "rate",
    "low",
    "high",
    "simultaneous_low",
    "simultaneous_high",
)


def events(rounds: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter, players, policy, number of the round and event (columns: COLUMNS, see docs/reports.md).

    `rate` is the share won of these `rounds` with its Wilson interval; `simultaneous_low`..`simultaneous_high` hold for all
    rows of the cell together (Bonferroni). `event` is null where the chapter has none. `rounds` is a frame or cell scans;
    `chapters` orders the chapters. Raises UserError for a confidence out of range, missing columns and unreadable parts.
    """
    check_confidence(confidence)
    counts = [pl.len().alias("rounds"), pl.col("won").sum()]
    counted = count_groups(rounds, ["round", "event"], counts, needs=["round", "event", "won"])
    jointly = counted.select((1 - (1 - confidence) / pl.len().over(CELL)).alias("jointly"))["jointly"]
    low, high = wilson(counted["won"], counted["rounds"], confidence=confidence)
    joint_low, joint_high = wilson(counted["won"], counted["rounds"], confidence=jointly)
    return (
        counted.with_columns(
            pl.col("chapter").cast(chapter_order(rounds, counted["chapter"], chapters)),
            share("won", "rounds").alias("rate"),
            low,
            high,
            joint_low.alias("simultaneous_low"),
            joint_high.alias("simultaneous_high"),
        )
        .select(COLUMNS)
        .sort(*CELL, "round", "event")
    )


def has_events(report: pl.DataFrame) -> bool:
    """Return whether there is anything to compare in what `events()` returned: an event, or a second round."""
    return bool((report["event"].is_not_null() | (report["round"] > 1)).any())
