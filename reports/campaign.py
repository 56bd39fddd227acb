"""How long a group needs for a whole book, chapter after chapter, each repeated until it is won."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

import polars as pl

from reports.attempts import COLUMNS, lengths, summary
from reports.balance import mark_last
from reports.dataset import CellScan
from reports.intervals import check_confidence
from reports.pairs import collect
from scenarios.errors import UserError

WHOLE = "all"


def campaign(rounds: Sequence[CellScan], *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return the rows of `attempts()` for every chapter, and for all of them in a row as the chapter `all`.

    A campaign is won when all its chapters are. As number k it takes another deal of each chapter: the same deal of two
    chapters is the same shuffle, so that a lucky one would count for both. The interval of the mean of all chapters takes
    account of that, by the sums over the chapters of each deal. `rounds` are cell scans, `chapters` (default: all of them, in
    the order of the scans) says which make up the book. Raises UserError for a confidence out of range, for cells that do not
    have the same deals of all chapters, and for unreadable parts.
    """
    check_confidence(confidence)
    wanted = list(chapters) if chapters is not None else list(dict.fromkeys(scan.chapter for scan in rounds))
    scans = [scan for scan in rounds if scan.chapter in wanted]
    frame = summary(lengths(scans), confidence=confidence)
    wholes = []
    for players, policy in dict.fromkeys((scan.players, scan.policy) for scan in scans):
        mine = [scan for scan in scans if (scan.players, scan.policy) == (players, policy)]
        wholes.append(_whole(_played(mine, wanted), players, policy, confidence))
    order = pl.Enum([*wanted, WHOLE])
    return pl.concat([frame, *wholes]).with_columns(pl.col("chapter").cast(order)).sort("players", "policy", "chapter")


def _played(scans: Sequence[CellScan], chapters: Sequence[str]) -> list[pl.DataFrame]:
    """Return per chapter one row per deal: its number, `won`, `attempts` and `rounds`; UserError when chapters lack deals."""
    found: dict[str, list[pl.DataFrame]] = {}
    frames = [
        mark_last(scan.frame)
        .with_row_index("row")
        .filter("last")
        .select(
            "deal",
            "won",
            pl.col("attempt").cast(pl.Int64).alias("attempts"),
            (pl.col("row").cast(pl.Int64) - pl.col("row").cast(pl.Int64).shift(1, fill_value=-1)).alias("rounds"),
        )
        for scan in scans
    ]
    for scan, table in zip(scans, collect(frames, scans), strict=True):
        found.setdefault(scan.chapter, []).append(table)
    # Runs of other seeds have deals of the same numbers: they follow each other, for every chapter in the same order.
    tables = {chapter: pl.concat(parts) for chapter, parts in found.items()}
    first = next(iter(tables.values()))
    who = f"{scans[0].players} players, {scans[0].policy}"
    for chapter in chapters:
        if chapter not in tables:
            raise UserError(f"the run lacks chapter {chapter} ({who}): a campaign goes through all of them")
        if not tables[chapter]["deal"].equals(first["deal"]):
            raise UserError(f"chapter {chapter} ({who}) has other deals than chapter {scans[0].chapter}: complete the run first")
    return [tables[chapter] for chapter in chapters]


def _whole(tables: Sequence[pl.DataFrame], players: int, policy: str, confidence: float) -> pl.DataFrame:
    """Return the row of all chapters together (columns: COLUMNS)."""
    deals = tables[0].height
    turn = max(1, deals // len(tables))

    def together(chosen: Sequence[pl.DataFrame]) -> pl.DataFrame:
        return pl.DataFrame(
            [
                pl.select(pl.all_horizontal([table["won"] for table in chosen]).alias("won")).to_series(),
                *(
                    pl.select(pl.sum_horizontal([table[name] for table in chosen]).alias(name)).to_series()
                    for name in ("attempts", "rounds")
                ),
            ]
        )

    shifts = [place * turn % deals for place in range(len(tables))]
    turned = [pl.concat([table.slice(shift), table.head(shift)]) for table, shift in zip(tables, shifts, strict=True)]
    cell = [pl.lit(WHOLE).alias("chapter"), pl.lit(players, pl.UInt8).alias("players"), pl.lit(policy).alias("policy")]
    counted = together(turned).group_by("won", "attempts", "rounds").agg(pl.len().cast(pl.Int64).alias("deals"))
    row = summary(counted.select(*cell, pl.all()), confidence=confidence)
    same = together(tables).filter("won")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    for measure in ("attempts", "rounds"):
        spread = same[measure].std()
        if isinstance(spread, float) and row[f"{measure}_mean"].item() is not None:
            half, mean = z * spread / sqrt(same.height), row[f"{measure}_mean"].item()
            row = row.with_columns(
                pl.lit(mean - half).alias(f"{measure}_mean_low"), pl.lit(mean + half).alias(f"{measure}_mean_high")
            )
    return row.select(COLUMNS)


def book_of(chapters: Sequence[str]) -> list[str]:
    """Return the chapters with plain numbers, in their order: the book that a run's single kinds of round are no part of."""
    return sorted((chapter for chapter in chapters if re.fullmatch("[0-9]+", chapter)), key=int)
