"""Whether it matters where one sits: by seat, by order of choice, by who leads first."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reports.counting import Frames, chapter_order
from reports.dataset import CELL
from reports.intervals import check_confidence, share, wilson
from reports.seated import count_seated

COLUMNS = (
    "chapter",
    "players",
    "policy",
    "counted",
    "place",
    "rounds",
    "failures",
    "rate",
    "low",
    "high",
    "simultaneous_low",
    "simultaneous_high",
)
COUNTED = ("seat", "order", "leader")


def seats(goals: Frames, rounds: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter, players, policy, `counted` and `place` (columns: COLUMNS, see docs/reports.md).

    `counted` says what `place` is and what fails: "seat", the seat (from 0), and the goal of whoever sits there is not met;
    "order", the place clockwise from the seat that leads first (from 1), and the goal is not met; "leader", the seat
    that leads first, and the round is not won. `rate` is failures / rounds with its Wilson interval;
    `simultaneous_low`..`simultaneous_high` hold for all places of one `counted` in a cell together (Bonferroni). Undecided
    goals count in `rounds` only. Both tables are frames or cell scans; `chapters` orders the chapters. Raises
    UserError for a confidence out of range, missing columns, tables that do not fit each other and unreadable parts.
    """
    check_confidence(confidence)
    counts = [pl.len().alias("rounds"), (~pl.col("met")).sum().alias("failures"), (~pl.col("won")).sum().alias("lost")]
    counted = count_seated(goals, rounds, ["seat", "first_leader", "seats"], counts, columns=["met"])
    order = (pl.col("seat").cast(pl.Int16) + pl.col("seats") - pl.col("first_leader")) % pl.col("seats") + 1
    leads = pl.col("seat") == pl.col("first_leader")
    sides = [
        counted.with_columns(pl.col("seat").alias("place")),
        counted.with_columns(order.cast(pl.UInt8).alias("place")),
        counted.filter(leads).with_columns(pl.col("seat").alias("place"), pl.col("lost").alias("failures")),
    ]
    table = pl.concat(
        side.group_by(*CELL, "place").agg(pl.col("rounds", "failures").sum()).with_columns(pl.lit(name).alias("counted"))
        for name, side in zip(COUNTED, sides, strict=True)
    )
    jointly = table.select((1 - (1 - confidence) / pl.len().over(*CELL, "counted")).alias("jointly"))["jointly"]
    low, high = wilson(table["failures"], table["rounds"], confidence=confidence)
    joint_low, joint_high = wilson(table["failures"], table["rounds"], confidence=jointly)
    return (
        table.with_columns(
            pl.col("chapter").cast(chapter_order(goals, counted["chapter"], chapters)),
            pl.col("counted").cast(pl.Enum(COUNTED)),
            share("failures", "rounds").alias("rate"),
            low,
            high,
            joint_low.alias("simultaneous_low"),
            joint_high.alias("simultaneous_high"),
        )
        .select(COLUMNS)
        .sort(*CELL, "counted", "place")
    )
