"""When goals are lost for good: trick by trick."""

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
    "lost_after",
    "rounds",
    "lost",
    "lost_first",
    "share",
    "share_low",
    "share_high",
    "lost_by_then",
    "by_then",
    "by_then_low",
    "by_then_high",
)
WHO = (*CELL, "character")


def when(goals: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter, players, policy, character and trick (columns: COLUMNS, see docs/reports.md).

    `lost` counts the character's rounds in which its goal was lost for good after the trick `lost_after` (0: before the
    first), `lost_first` those of them in which no goal was lost earlier, `lost_by_then` those up to this trick. `share` and
    `by_then` are shares of the character's `rounds` with Wilson intervals. Every trick from 0 to the last after which any
    goal of the cell was lost has a row. `goals` is a frame or cell scans; `chapters` orders the chapters. Raises UserError
    for a confidence out of range, missing columns and unreadable parts.
    """
    check_confidence(confidence)
    lost = ~pl.col("met") & pl.col("lost_after").is_not_null()
    counts = [
        pl.len().alias("rounds"),
        lost.sum().alias("lost"),
        (lost & pl.col("first_lost")).sum().alias("lost_first"),
    ]
    counted = count_groups(
        goals, ["character", "lost_after"], counts, needs=["character", "lost_after", "met", "first_lost"]
    ).with_columns(pl.when(pl.col("lost") > 0).then("lost_after").alias("lost_after"))
    played = counted.group_by(WHO).agg(pl.col("rounds").sum())
    last = counted.group_by(CELL).agg(pl.col("lost_after").max().alias("last"))
    rows = (
        played.join(last, on=CELL)
        .with_columns(pl.int_ranges(0, pl.col("last").cast(pl.Int64) + 1, dtype=pl.UInt8).alias("lost_after"))
        .drop("last")
        .filter(pl.col("lost_after").is_not_null())
        .explode("lost_after")
        .join(counted.drop("rounds").filter(pl.col("lost") > 0), on=[*WHO, "lost_after"], how="left")
        .with_columns(pl.col("lost", "lost_first").fill_null(0))
        .sort(*WHO, "lost_after")
        .with_columns(pl.col("lost").cum_sum().over(WHO).alias("lost_by_then"))
    )
    share_low, share_high = wilson(rows["lost"], rows["rounds"], confidence=confidence)
    then_low, then_high = wilson(rows["lost_by_then"], rows["rounds"], confidence=confidence)
    return (
        rows.with_columns(
            pl.col("chapter").cast(chapter_order(goals, counted["chapter"], chapters)),
            share("lost", "rounds").alias("share"),
            share_low.alias("share_low"),
            share_high.alias("share_high"),
            share("lost_by_then", "rounds").alias("by_then"),
            then_low.alias("by_then_low"),
            then_high.alias("by_then_high"),
        )
        .select(COLUMNS)
        .sort(*WHO, "lost_after")
    )
