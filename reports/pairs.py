"""The same deals, played more than once: one row per deal and policy, to be joined by the deal's number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from reports.balance import mark_last
from reports.dataset import UNREADABLE, CellScan, Pool, Run, unreadable_part

Block = tuple[int, int]
BLOCK = 4_000_000  # a join holds the deals of one side in memory, 60 bytes each
NO_END = 2**63 - 1


def runs_of(read: Run | Pool) -> tuple[Run, ...]:
    """Return the runs that are read."""
    return read.runs if isinstance(read, Pool) else (read,)


def shuffled_by(run: Run) -> tuple[int, int]:
    """Return (seed, deal format): where both are equal, a deal's number stands for the same shuffle."""
    return int(run.manifest["seed"], 16), run.manifest["deal_format"]


def condition_of(run: Run, scan: CellScan) -> tuple[str, bool]:
    """Return (condition, whether setup decides it) of a cell; the condition is empty where all deals were played.

    What setup decides is asked of each policy's own deals, so that one number then stands for different deals.
    """
    key = scan.chapter, scan.players, scan.policy
    cell = next(cell for cell in run.manifest["cells"] if (cell["chapter"], cell["players"], cell["policy"]) == key)
    return cell.get("where", ""), cell.get("after_setup", False)


def blocks(scans: Sequence[CellScan]) -> Iterator[Block]:
    """Yield ranges of deal numbers (first, end) that together hold every deal of the scans."""
    # A part is named by its first deal; where the last one ends need not be known.
    latest = max(int(file.stem.removeprefix("part-")) for scan in scans for file in scan.files)
    for first in range(0, latest + 1, BLOCK):
        yield first, first + BLOCK if first + BLOCK <= latest else NO_END


def outcomes(scans: Sequence[CellScan], block: Block) -> pl.LazyFrame:
    """Return one row per deal of the block: its number `deal`, and of its last round `won` and `open` (null: no verdict).

    The scans must be of rounds in the order of play; a deal is won when its last round is.
    """
    inside = (pl.col("deal") >= block[0]) & (pl.col("deal") < block[1])
    return pl.concat([mark_last(scan.frame.filter(inside)).filter("last").select("deal", "won", "open") for scan in scans])


def collect(frames: Sequence[pl.LazyFrame], scans: Sequence[CellScan]) -> list[pl.DataFrame]:
    """Return the frames, read in one go; raises UserError that names the part of `scans` which cannot be read."""
    try:
        return pl.collect_all(frames, engine="streaming")
    except UNREADABLE as error:
        raise unreadable_part(scans, error) from error
