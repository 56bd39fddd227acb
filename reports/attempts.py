"""How long a group needs for a chapter, in attempts and rounds, and where its attempts end."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, sqrt
from statistics import NormalDist
from typing import Any

import polars as pl

from reports.balance import mark_last
from reports.counting import Frames, chapter_order, count_groups
from reports.dataset import CELL
from reports.intervals import check_confidence, share, wilson
from reports.seated import count_rounds

MEASURES = ("attempts", "rounds")
STATISTICS = ("mean", "mean_low", "mean_high", "median", "median_low", "median_high", "p10", "p90")
COLUMNS = (
    *("chapter", "players", "policy", "deals", "won", "not_won", "not_won_low", "not_won_high"),
    *(f"{measure}_{statistic}" for measure in MEASURES for statistic in STATISTICS),
)
PROGRESS_COLUMNS = (
    *("chapter", "players", "policy", "measure", "number", "won", "won_by_then", "deals"),
    *("by_then", "by_then_low", "by_then_high"),
)
ENDS_COLUMNS = (
    *("chapter", "players", "policy", "round", "event", "reached", "lost", "first", "losses"),
    *("rate", "low", "high", "share", "share_low", "share_high"),
)
SEVERAL = "several"
Lengths = pl.DataFrame


def lengths(rounds: Frames) -> Lengths:
    """Return how many `deals` of each cell took so many `attempts` and `rounds`, won or not (`won`).

    `rounds` is a frame or cell scans, in the order of play; a deal is won when its last round is. Frames without a column
    `attempt` hold single attempts. Raises UserError for missing columns and unreadable parts.
    """

    def ends(frame: pl.LazyFrame) -> pl.LazyFrame:
        if "attempt" not in frame.collect_schema().names():
            frame = frame.with_columns(pl.lit(1, pl.UInt16).alias("attempt"))
        numbered = mark_last(frame).with_row_index("row").filter("last")
        # Rows between two last ones: joins and groups by deal would hold a whole run in memory.
        return numbered.with_columns(
            (pl.col("row").cast(pl.Int64) - pl.col("row").cast(pl.Int64).shift(1, fill_value=-1)).alias("rounds"),
            pl.col("attempt").cast(pl.Int64).alias("attempts"),
        )

    return count_groups(
        rounds, ["won", "attempts", "rounds"], [pl.len().alias("deals")], needs=["round", "won"], prepare=ends
    )  # fmt: skip


def attempts(rounds: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter, players and policy (columns: COLUMNS, see docs/reports.md).

    `not_won` is the share of deals not won, with its Wilson interval: given up after the last attempt that was allowed. Of
    attempts and of rounds until won, the mean is that of the deals won, with a normal interval (null for fewer than two); the
    median, its interval by order statistics, `p10` and `p90` are those of all deals, and null where they lie beyond what was
    played. `rounds` is a frame or cell scans; `chapters` orders the chapters. Raises UserError for a confidence out of range,
    missing columns and unreadable parts.
    """
    check_confidence(confidence)
    counted = lengths(rounds)
    return summary(counted, confidence=confidence).with_columns(
        pl.col("chapter").cast(chapter_order(rounds, counted["chapter"], chapters))
    ).sort(CELL)  # fmt: skip


def summary(counted: Lengths, *, confidence: float) -> pl.DataFrame:
    """Return the rows of `attempts` for what `lengths` counted (columns: COLUMNS)."""
    rows = []
    for cell, group in counted.group_by(CELL, maintain_order=True):
        deals, won = int(group["deals"].sum()), int(group.filter("won")["deals"].sum())
        row = dict(zip(CELL, cell, strict=True)) | {"deals": deals, "won": won, "lost": deals - won}
        for measure in MEASURES:
            found = group.filter("won").group_by(measure).agg(pl.col("deals").sum()).sort(measure)
            statistics = _statistics(found[measure].to_list(), found["deals"].to_list(), deals, confidence)
            row |= {f"{measure}_{name}": value for name, value in statistics.items()}
        rows.append(row)
    kinds: dict[str, Any] = {name: counted.schema[name] for name in CELL} | {"deals": pl.Int64, "won": pl.Int64, "lost": pl.Int64}
    numbers: dict[str, Any] = {name: pl.Float64 if "mean" in name else pl.Int64 for name in COLUMNS[8:]}
    frame = pl.DataFrame(rows, schema=pl.Schema(kinds | numbers))
    low, high = wilson(frame["lost"], frame["deals"], confidence=confidence)
    return frame.with_columns(
        share("lost", "deals").alias("not_won"), low.alias("not_won_low"), high.alias("not_won_high")
    ).select(COLUMNS)  # fmt: skip


def _statistics(values: list[int], counts: list[int], deals: int, confidence: float) -> dict[str, float | int | None]:
    """Return the statistics of values that so many deals took, smallest first; all other deals took more than any of them."""
    won, z = sum(counts), NormalDist().inv_cdf(0.5 + confidence / 2)
    found: dict[str, float | int | None] = dict.fromkeys(STATISTICS)
    if won:
        found["mean"] = mean = sum(value * count for value, count in zip(values, counts, strict=True)) / won
        if won > 1:
            squares = sum(count * (value - mean) ** 2 for value, count in zip(values, counts, strict=True))
            half = z * sqrt(squares / (won - 1) / won)
            found["mean_low"], found["mean_high"] = mean - half, mean + half

    def ranked(rank: int) -> int | None:
        """Return the value at a rank, from 1; None when that deal was not won."""
        below = 0
        for value, count in zip(values, counts, strict=True):
            below += count
            if below >= rank:
                return value
        return None

    half = z * sqrt(deals) / 2
    ranks = {"median": ceil(deals / 2), "median_low": floor(deals / 2 - half), "median_high": ceil(deals / 2 + half) + 1}
    ranks |= {"p10": ceil(deals * 0.1), "p90": ceil(deals * 0.9)}
    return found | {name: ranked(min(max(rank, 1), deals)) for name, rank in ranks.items()}


def progress(rounds: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter, players, policy, measure (attempts, rounds) and number (columns: PROGRESS_COLUMNS).

    `won` counts the deals won with just that number of attempts or rounds, `won_by_then` those won with that or fewer;
    `by_then` is won_by_then / deals, with its Wilson interval. Numbers with which no deal was won are left out. Arguments and
    errors are those of `attempts`.
    """
    check_confidence(confidence)
    counted = lengths(rounds)
    deals = counted.group_by(CELL).agg(pl.col("deals").sum().alias("all"))
    table = pl.concat(
        counted.filter("won")
        .group_by(*CELL, measure)
        .agg(pl.col("deals").sum().alias("won"))
        .select(*CELL, pl.lit(measure).alias("measure"), pl.col(measure).alias("number"), "won")
        for measure in MEASURES
    ).sort(*CELL, "measure", "number")
    table = table.join(deals, on=CELL, maintain_order="left").with_columns(
        pl.col("won").cum_sum().over(*CELL, "measure").alias("won_by_then"), pl.col("all").alias("deals")
    )
    low, high = wilson(table["won_by_then"], table["deals"], confidence=confidence)
    return (
        table.with_columns(
            pl.col("chapter").cast(chapter_order(rounds, counted["chapter"], chapters)),
            share("won_by_then", "deals").alias("by_then"),
            low.alias("by_then_low"),
            high.alias("by_then_high"),
        )
        .select(PROGRESS_COLUMNS)
        .sort(*CELL, "measure", "number")
    )


def ends(goals: Frames, rounds: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return where attempts are lost: one row per chapter, players, policy, round, event and `first` (columns: ENDS_COLUMNS).

    Of the attempts that came to a round of that number and event (`reached`), `lost` ended there, and in `losses` of them the
    goal of the character `first` was lost before all others (SEVERAL: of several together; null: none was lost before the round
    ended). `rate` is losses / reached, `share` is losses / all attempts of the cell that were lost; both with Wilson intervals.
    Both tables are frames or cell scans; `chapters` orders the chapters. Raises UserError for a confidence out of range, missing
    columns, tables that do not fit each other and unreadable parts.
    """
    check_confidence(confidence)
    counted = count_rounds(goals, rounds, ["character", "first_lost"], ["round", "event", "won"])
    if counted.is_empty():
        return pl.DataFrame(schema=dict.fromkeys(ENDS_COLUMNS, pl.String))
    place = [*CELL, "round", "event"]
    reached = counted.group_by(place).agg(
        pl.col("rounds").sum().alias("reached"), (pl.col("rounds") * ~pl.col("won")).sum().alias("lost")
    )
    lost = (
        counted.filter(~pl.col("won"))
        .with_row_index("group")
        .explode("character", "first_lost")
        .group_by("group", *place, "rounds", maintain_order=True)
        .agg(pl.col("character").filter("first_lost").alias("firsts"))
        .with_columns(
            pl.when(pl.col("firsts").list.len() > 1).then(pl.lit(SEVERAL)).otherwise(pl.col("firsts").list.first()).alias("first")
        )
        .group_by(*place, "first")
        .agg(pl.col("rounds").sum().alias("losses"))
    )
    table = lost.join(reached, on=place, nulls_equal=True).with_columns(pl.col("losses").sum().over(CELL).alias("all"))
    low, high = wilson(table["losses"], table["reached"], confidence=confidence)
    share_low, share_high = wilson(table["losses"], table["all"], confidence=confidence)
    return (
        table.with_columns(
            pl.col("chapter").cast(chapter_order(rounds, counted["chapter"], chapters)),
            share("losses", "reached").alias("rate"),
            low,
            high,
            share("losses", "all").alias("share"),
            share_low.alias("share_low"),
            share_high.alias("share_high"),
        )
        .select(ENDS_COLUMNS)
        .sort(*CELL, "round", "event", "first")
    )


def has_attempts(report: pl.DataFrame) -> bool:
    """Return whether there is more to say of what `attempts()` returned than `balance()` does: a deal of several rounds."""
    return bool((report["rounds_p90"].fill_null(0) > 1).any() or (report["rounds_mean"].fill_null(1) > 1).any())
