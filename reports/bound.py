"""How many deals can be won at all, with all hands open."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reports.balance import mark_last
from reports.counting import Frames, chapter_order, count_groups
from reports.intervals import check_confidence, share, wilson

COLUMNS = ("chapter", "players", "deals", "winnable", "lost", "unknown", "rate", "low", "high")


def bound(rounds: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter and players whose rounds hold verdicts of open hands (columns: COLUMNS, see docs/reports.md).

    A deal counts by the verdict of its last round: `winnable`, `lost`, or `unknown` (none was found). `rate` is the share that
    is not lost: with what is unknown an upper bound; `low`..`high` is its Wilson interval. `rounds` is a frame or cell scans;
    `chapters` orders the chapters. Raises UserError for a confidence out of range, missing columns and unreadable parts.
    """
    check_confidence(confidence)
    verdicts = {"winnable": "won", "lost": "lost", "unknown": "unknown"}
    counts = [((pl.col("open") == verdict) & pl.col("last")).sum().alias(name) for name, verdict in verdicts.items()]
    counted = count_groups(rounds, [], counts, needs=["round", "open"], prepare=mark_last)
    counted = (
        counted.group_by("chapter", "players")
        .agg(pl.col(*verdicts).sum())
        .with_columns(pl.sum_horizontal(*verdicts).alias("deals"), (pl.col("winnable") + pl.col("unknown")).alias("not_lost"))
        .filter(pl.col("deals") > 0)
    )
    low, high = wilson(counted["not_lost"], counted["deals"], confidence=confidence)
    return (
        counted.with_columns(
            pl.col("chapter").cast(chapter_order(rounds, counted["chapter"], chapters)),
            share("not_lost", "deals").alias("rate"),
            low,
            high,
        )
        .select(COLUMNS)
        .sort("chapter", "players")
    )
