"""How hard each chapter is, and whether it is as hard for every number of players."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reports.counting import Frames, chapter_order, count_groups
from reports.dataset import CELL
from reports.intervals import check_confidence, newcombe, share, wilson

COLUMNS = ("chapter", "players", "policy", "deals", "won", "rate", "low", "high")
GAP_COLUMNS = (
    "chapter",
    "policy",
    "players",
    "other_players",
    "rate",
    "other_rate",
    "gap",
    "gap_low",
    "gap_high",
    "simultaneous_low",
    "simultaneous_high",
)


def balance(rounds: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter, players and policy (columns: COLUMNS, see docs/reports.md).

    A deal is won when its last round is: a long chapter has several rounds to a deal, perhaps several attempts, in the
    order of play and numbered from 1. `rate` is won / deals with its Wilson interval `low`..`high`. `rounds` is a LazyFrame or
    cell scans; `chapters` orders the chapters, the default is the scans' order, or numbers before names.
    Raises UserError for a confidence out of range, missing columns and unreadable parts.
    """
    check_confidence(confidence)
    counts = [pl.col("first").sum().alias("deals"), (pl.col("won") & pl.col("last")).sum().alias("won")]
    counted = count_groups(rounds, [], counts, needs=["round", "won"], prepare=mark_last)
    low, high = wilson(counted["won"], counted["deals"], confidence=confidence)
    return (
        counted.with_columns(
            pl.col("chapter").cast(chapter_order(rounds, counted["chapter"], chapters)),
            share("won", "deals").alias("rate"),
            low,
            high,
        )
        .select(COLUMNS)
        .sort(CELL)
    )


def mark_last(rounds: pl.LazyFrame) -> pl.LazyFrame:
    """Add `first` and `last`: whether a round, in the order of play, is the first and the last one of its deal."""
    # The last round of a deal is followed by the first of another; to compare deal numbers would mean to decode them.
    first = first_of_deal(rounds)
    return rounds.with_columns(first.alias("first"), first.shift(-1, fill_value=True).alias("last"))


def first_of_deal(rounds: pl.LazyFrame) -> pl.Expr:
    """Return whether a round is the first of its deal: round 1 of attempt 1 (the only one in frames without attempts)."""
    first = pl.col("round") == 1
    return first & (pl.col("attempt") == 1) if "attempt" in rounds.collect_schema().names() else first


def player_gaps(balance: pl.DataFrame, *, confidence: float = 0.95) -> pl.DataFrame:
    """Return one row per chapter, policy and pair of player counts (columns: GAP_COLUMNS, see docs/reports.md).

    `gap` is the win rate with `other_players` less the win rate with `players` (the smaller count), with
    Newcombe's interval `gap_low`..`gap_high`. The same seed shuffles alike for every number of players, but
    the hands that people get differ, so the two are treated as independent samples.
    `simultaneous_low`..`simultaneous_high` hold for all pairs of the chapter and policy together
    (Bonferroni: an error of (1 - confidence) / pairs each). `balance` is what `balance()` returns. Raises
    UserError for a confidence out of range.
    """
    check_confidence(confidence)
    group = ["chapter", "policy"]
    side = balance.select(*group, "players", "deals", "won", "rate")
    pairs = (
        side.join(side.rename(lambda name: name if name in group else f"other_{name}"), on=group)
        .filter(pl.col("players") < pl.col("other_players"))
        .with_columns(
            (pl.col("other_rate") - pl.col("rate")).alias("gap"),
            (1 - (1 - confidence) / pl.len().over(group)).alias("jointly"),
        )
    )
    counts = pairs["other_won"], pairs["other_deals"], pairs["won"], pairs["deals"]
    low, high = newcombe(*counts, confidence=confidence)
    joint_low, joint_high = newcombe(*counts, confidence=pairs["jointly"])
    return (
        pairs.with_columns(
            low.alias("gap_low"),
            high.alias("gap_high"),
            joint_low.alias("simultaneous_low"),
            joint_high.alias("simultaneous_high"),
        )
        .select(GAP_COLUMNS)
        .sort(*group, "players", "other_players")
    )
