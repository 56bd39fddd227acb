"""Which characters are chosen, and how rounds with them go compared with rounds without."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reports.counting import Frames, chapter_order
from reports.dataset import CELL
from reports.intervals import check_confidence, newcombe, share, wilson
from reports.seated import count_seated

COLUMNS = (
    "chapter",
    "players",
    "policy",
    "character",
    "rounds",
    "chosen",
    "choice_rate",
    "choice_low",
    "choice_high",
    "won",
    "rate",
    "low",
    "high",
    "other_rate",
    "difference",
    "difference_low",
    "difference_high",
    "simultaneous_low",
    "simultaneous_high",
)


def characters(goals: Frames, rounds: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter, players, policy and character (columns: COLUMNS, see docs/reports.md).

    `choice_rate` is the share of the cell's `rounds` in which the character is played, with its Wilson interval; `rate`
    is the share won of these, `other_rate` of all others, `difference` their difference with Newcombe's interval.
    `simultaneous_low`..`simultaneous_high` hold for all characters of the cell that are sometimes chosen, together
    (Bonferroni). Who is chosen goes by the hands, so a difference is not the character's effect. Always chosen:
    `other_rate` and all after it are null. Both tables are frames or cell scans; `chapters` orders the chapters. Raises
    UserError for a confidence out of range, missing columns, tables that do not fit each other and unreadable parts.
    """
    check_confidence(confidence)
    counts = [pl.len().alias("chosen"), pl.col("won").sum(), (pl.col("seat") == 0).sum().alias("rounds")]
    # A round has one row of seat 0, whoever sits there: its rows and wins, summed over characters, count the rounds.
    counts.append((pl.col("won") & (pl.col("seat") == 0)).sum().alias("won_rounds"))
    counted = count_seated(goals, rounds, ["character"], counts, columns=["character"])
    counted = counted.with_columns(pl.col("rounds", "won_rounds").sum().over(CELL)).with_columns(
        (pl.col("rounds") - pl.col("chosen")).alias("others"), (pl.col("won_rounds") - pl.col("won")).alias("others_won")
    )
    compared = (pl.col("others") > 0).sum().over(CELL).clip(1)
    jointly = counted.select((1 - (1 - confidence) / compared).alias("jointly"))["jointly"]
    choice_low, choice_high = wilson(counted["chosen"], counted["rounds"], confidence=confidence)
    low, high = wilson(counted["won"], counted["chosen"], confidence=confidence)
    versus = counted["won"], counted["chosen"], counted["others_won"], counted["others"]
    difference_low, difference_high = newcombe(*versus, confidence=confidence)
    joint_low, joint_high = newcombe(*versus, confidence=jointly)
    return (
        counted.with_columns(
            pl.col("chapter").cast(chapter_order(goals, counted["chapter"], chapters)),
            share("chosen", "rounds").alias("choice_rate"),
            choice_low.alias("choice_low"),
            choice_high.alias("choice_high"),
            share("won", "chosen").alias("rate"),
            low,
            high,
            share("others_won", "others").alias("other_rate"),
            difference_low.alias("difference_low"),
            difference_high.alias("difference_high"),
            joint_low.alias("simultaneous_low"),
            joint_high.alias("simultaneous_high"),
        )
        .with_columns((pl.col("rate") - pl.col("other_rate")).alias("difference"))
        .select(COLUMNS)
        .sort(*CELL, "character")
    )
