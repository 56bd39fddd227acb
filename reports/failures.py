"""Which characters' goals are not met, how often, and how early they are lost."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reports.counting import Frames, chapter_order, count_groups
from reports.dataset import CELL
from reports.intervals import check_confidence, share, wilson
from scenarios.errors import UserError

COLUMNS = (
    "chapter",
    "players",
    "policy",
    "character",
    "rounds",
    "failures",
    "rate",
    "low",
    "high",
    "first_lost",
    "mean_lost_after",
    "undecided",
)

PLACE = ("deal", "attempt", "round")
"""What a round is named by, in the order of play (frames of single attempts need not have all)."""


def failures(
    goals: Frames,
    *,
    rounds: Frames | None = None,
    confidence: float = 0.95,
    chapters: Sequence[str] | None = None,
) -> pl.DataFrame:
    """Return one row per chapter, players, policy and character (columns: COLUMNS, see docs/reports.md).

    `rate` is failures / rounds with its Wilson interval `low`..`high`; goals left undecided by an early end
    count in `rounds` and `undecided`, not in `failures`. `first_lost` is the share of the cell's lost
    rounds in which this goal was the first lost for good (ties count for each). `mean_lost_after` is the
    mean trick of that, over the failures.

    `rounds` (the rounds of the same cells) counts the lost rounds; without it they are counted from
    `goals`, whose rows must then be ordered by deal and round within a cell, as the dataset has them. Both
    may be a LazyFrame or cell scans. `chapters` orders the chapters; the default is the scans' order, or
    numbers before names. Raises UserError for a confidence out of range, missing columns, unreadable parts
    and goals out of order.
    """
    check_confidence(confidence)
    failed = ~pl.col("met")
    counted = count_groups(
        goals,
        ["character"],
        [
            pl.len().alias("rounds"),
            failed.sum().alias("failures"),
            (failed & pl.col("first_lost")).sum().alias("first"),
            pl.when(failed).then(pl.col("lost_after")).sum().alias("tricks"),
            (failed & pl.col("lost_after").is_not_null()).sum().alias("dated"),
            pl.col("met").is_null().sum().alias("undecided"),
        ],
        needs=["character", "met", "first_lost", "lost_after"],
    )
    if rounds is None:
        counted = counted.join(_lost_in_goals(goals), on=CELL, how="left").with_columns(pl.col("lost_rounds").fill_null(0))
    else:
        counted = counted.join(_lost_in_rounds(rounds), on=CELL, how="left")
        for cell in counted.filter(pl.col("lost_rounds").is_null()).select(CELL).iter_rows():
            raise UserError("the rounds lack chapter {}, {} players, {}, which the goals have".format(*cell))
    low, high = wilson(counted["failures"], counted["rounds"], confidence=confidence)
    return (
        counted.with_columns(
            pl.col("chapter").cast(chapter_order(goals, counted["chapter"], chapters)),
            share("failures", "rounds").alias("rate"),
            low,
            high,
            share("first", "lost_rounds").alias("first_lost"),
            share("tricks", "dated").alias("mean_lost_after"),
        )
        .select(COLUMNS)
        .sort(*CELL, "character")
    )


def _lost_in_rounds(rounds: Frames) -> pl.DataFrame:
    lost = (~pl.col("won")).sum().alias("lost_rounds")
    return count_groups(rounds, [], [lost], needs=["won"])


def _lost_in_goals(goals: Frames) -> pl.DataFrame:
    # Every lost round has a goal lost first. With the rows in order these stand together round by round, so
    # a lost round begins where such a row differs from the one before: exact, and it streams, where
    # grouping by deal would not.
    cell = pl.struct(CELL)

    def mark(frame: pl.LazyFrame) -> pl.LazyFrame:
        place = [name for name in PLACE if name in frame.collect_schema().names()]
        earlier = pl.lit(False)
        for name in reversed(place):
            here, before = pl.col(name), pl.col(name).shift()
            earlier = (here < before) | ((here == before) & earlier)
        round_ = pl.struct(place)
        return frame.filter(pl.col("first_lost") & ~pl.col("met")).select(
            *CELL,
            (cell.ne_missing(cell.shift()) | round_.ne_missing(round_.shift())).alias("begins"),
            (cell.eq_missing(cell.shift()) & earlier).alias("backwards"),
        )

    counts = [pl.col("begins").sum().alias("lost_rounds"), pl.col("backwards").sum()]
    lost = count_groups(goals, [], counts, needs=["deal", "round", "first_lost", "met"], prepare=mark)
    if lost["backwards"].sum():
        raise UserError("the goals are not ordered by deal and round: pass the rounds too")
    return lost.drop("backwards")
