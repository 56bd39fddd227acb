"""Whose goal was lost first, in the rounds in which a character's goal was not met."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reports.counting import Frames, chapter_order
from reports.dataset import CELL
from reports.intervals import share
from reports.seated import count_rounds

COLUMNS = ("chapter", "players", "policy", "character", "first", "rounds", "failures", "share")
SEVERAL = "several"


def first_losses(goals: Frames, rounds: Frames, *, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter, players, policy, character and `first` (columns: COLUMNS, see docs/reports.md).

    `failures` counts the rounds in which the goal of `character` was not met and that of `first` was lost before all others;
    `first` is SEVERAL where goals were lost first together. `share` is failures / `rounds`, the rounds with the character:
    its shares add up to the rate of `failures()`. Both tables are frames or cell scans; `chapters` orders the chapters.
    Raises UserError for missing columns, tables that do not fit each other and unreadable parts.
    """
    counted = count_rounds(goals, rounds, ["character", "met", "first_lost"], [])
    if counted.is_empty():
        return pl.DataFrame(schema=dict.fromkeys(COLUMNS, pl.String))
    order = chapter_order(goals, counted["chapter"], chapters)
    alone = (
        counted.with_row_index("group")
        .explode("character", "met", "first_lost")
        .with_columns((pl.col("first_lost") & ~pl.col("met")).fill_null(False).alias("lost_first"))
        .with_columns(
            pl.when(pl.col("lost_first").sum().over("group") > 1)
            .then(pl.lit(SEVERAL))
            .otherwise(pl.col("character").filter("lost_first").first().over("group"))
            .alias("first")
        )
    )
    played = alone.group_by(*CELL, "character").agg(pl.col("rounds").sum())
    return (
        alone.filter(~pl.col("met"))
        .group_by(*CELL, "character", "first")
        .agg(pl.col("rounds").sum().alias("failures"))
        .join(played, on=[*CELL, "character"])
        .with_columns(pl.col("chapter").cast(order), share("failures", "rounds").alias("share"))
        .select(COLUMNS)
        .sort(*CELL, "character", "first")
    )
