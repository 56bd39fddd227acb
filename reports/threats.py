"""What each threat does to the goal of the character who has it."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reports.counting import Frames, chapter_order
from reports.dataset import CELL
from reports.intervals import check_confidence, newcombe, share, wilson
from reports.seated import count_seated
from reports.significance import adjusted, two_shares

COLUMNS = (
    "chapter",
    "players",
    "policy",
    "character",
    "threat",
    "rounds",
    "failures",
    "rate",
    "low",
    "high",
    "other_rate",
    "difference",
    "difference_low",
    "difference_high",
    "test",
    "p_value",
    "p_adjusted",
    "significant",
    "won",
    "won_rate",
    "won_low",
    "won_high",
)
WHO = (*CELL, "character")


def threats(goals: Frames, rounds: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter, players, policy, character and threat (columns: COLUMNS, see docs/reports.md).

    `rate` is the share of the `rounds` with this threat in which the character's goal was not met, `other_rate` that with
    all other threats of the same character, `difference` their difference with Newcombe's interval; `test`, `p_value`,
    `p_adjusted` (over the threats of the character in the cell) and `significant` are those of `lost_card`. `won_rate` is
    the share of the rounds with this threat that were won. Goals left undecided by an early end count in `rounds` only.
    Characters without threats have no row. Both tables are frames or cell scans; `chapters` orders the chapters. Raises
    UserError for a confidence out of range, missing columns, tables that do not fit each other and unreadable parts.
    """
    check_confidence(confidence)
    counts = [pl.len().alias("rounds"), (~pl.col("met")).sum().alias("failures"), pl.col("won").sum()]
    counted = count_seated(goals, rounds, ["character", "threat"], counts, columns=["character", "threat", "met"])
    counted = counted.filter(pl.col("threat").is_not_null()).with_columns(
        (pl.col(name).sum().over(WHO) - pl.col(name)).alias(f"other_{name}") for name in ("rounds", "failures")
    )
    low, high = wilson(counted["failures"], counted["rounds"], confidence=confidence)
    won_low, won_high = wilson(counted["won"], counted["rounds"], confidence=confidence)
    versus = counted["failures"], counted["rounds"], counted["other_failures"], counted["other_rounds"]
    difference_low, difference_high = newcombe(*versus, confidence=confidence)
    test, p_value = two_shares(*versus)
    return (
        counted.with_columns(
            pl.col("chapter").cast(chapter_order(goals, counted["chapter"], chapters)),
            share("failures", "rounds").alias("rate"),
            low,
            high,
            share("other_failures", "other_rounds").alias("other_rate"),
            difference_low.alias("difference_low"),
            difference_high.alias("difference_high"),
            test,
            p_value,
            share("won", "rounds").alias("won_rate"),
            won_low.alias("won_low"),
            won_high.alias("won_high"),
        )
        .with_columns(
            (pl.col("rate") - pl.col("other_rate")).alias("difference"),
            pl.col("p_value").map_batches(adjusted, return_dtype=pl.Float64).over(WHO).alias("p_adjusted"),
        )
        .with_columns((pl.col("p_adjusted") <= 1 - confidence).alias("significant"))
        .select(COLUMNS)
        .sort(*WHO, "threat")
    )
