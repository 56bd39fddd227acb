"""Goals with what their round came to: each goal's row beside the columns of its round.

A join by the deal's number holds a whole run in memory and takes ten times as long. The dataset needs none: both tables
stand in the order of play and every round of a cell has the same number of seats, so that the rounds, each repeated once
per seat, run beside the goals row by row. That they do is counted along and checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from reports.counting import Frames, count_groups
from reports.dataset import CELL, UNREADABLE, CellScan, unreadable_part
from scenarios.errors import UserError

GOAL_COLUMNS = ("deal", "round", "seat", "character", "threat", "met", "lost_after", "first_lost")
ROUND_COLUMNS = ("deal", "round", "first_leader", "won")


@dataclass(frozen=True)
class SeatedCell:
    """One cell: its scans of both tables and the number of its seats."""

    goals: CellScan
    rounds: CellScan
    seats: int


def seated_cells(goals: Frames, rounds: Frames) -> list[SeatedCell]:
    """Pair the goals of each cell with its rounds and find the number of seats.

    Both are cell scans in the same order (as a run or a pool has them), or frames with the cell's columns, which are
    sorted by deal, round and seat. Raises UserError for missing columns, cells that only one side has, and tables whose
    lengths do not fit each other.
    """
    pairs = list(_pairs(_scans(goals, GOAL_COLUMNS, ("seat",)), _scans(rounds, ROUND_COLUMNS, ())))
    try:
        lengths = [scan.frame.select(pl.len()).collect(engine="streaming") for pair in pairs for scan in pair]
    except UNREADABLE as error:
        raise unreadable_part([scan for pair in pairs for scan in pair], error) from error
    cells = []
    for (goal, round_), long, short in zip(pairs, lengths[::2], lengths[1::2], strict=True):
        rows, played = long.item(), short.item()
        if played and (rows == 0 or rows % played):
            raise UserError(f"{_name(goal)}: {rows} goals do not fit {played} rounds: every round must have the same seats")
        if played:
            cells.append(SeatedCell(goal, round_, rows // played))
    return cells


def count_seated(
    goals: Frames, rounds: Frames, by: Sequence[str], counts: Sequence[pl.Expr], *, columns: Sequence[str]
) -> pl.DataFrame:
    """Return one row per cell and `by` with the Int64 `counts`, over the goals' rows.

    Expressions may use the goals' `columns` and, of their round, `won`, `first_leader` and `seats`. Raises UserError as
    `seated_cells` does, for tables out of step and for unreadable parts.
    """
    scans = []
    for cell in seated_cells(goals, rounds):
        repeated = (
            cell.rounds.frame.select(
                pl.col("won", "first_leader").repeat_by(cell.seats),
                pl.col("deal").repeat_by(cell.seats).alias("deal_of_round"),
                pl.lit(list(range(cell.seats)), dtype=pl.List(pl.UInt8)).alias("seat_of_round"),
            )
            .explode("won", "first_leader", "deal_of_round", "seat_of_round")
            .with_columns(pl.lit(cell.seats, dtype=pl.UInt8).alias("seats"))
        )
        needed = list(dict.fromkeys(("deal", "seat", *columns)))
        frame = pl.concat([cell.goals.frame.select(needed), repeated], how="horizontal")
        name, files = cell.goals, (*cell.goals.files, *cell.rounds.files)
        scans.append(CellScan(name.chapter, name.players, name.policy, files, frame))
    astray = ((pl.col("deal") != pl.col("deal_of_round")) | (pl.col("seat") != pl.col("seat_of_round"))).sum().alias("astray")
    counted = _count(scans, by, [*counts, astray])
    return _in_step(counted)


def wide_rounds(cell: SeatedCell, columns: Sequence[str], by: Sequence[str], inside: pl.Expr | None = None) -> pl.LazyFrame:
    """Return one row per round: `by` (columns of the round) and `columns` of its goals by seat, as `tricks_0`, `tricks_1`, ...

    `inside` (on the deal's number) chooses rounds. Both tables must be in the order of play; `deal_of_goals` is there to look.
    """
    # The rows of a round's other seats follow that of seat 0.
    sides = [pl.col(name).shift(-seat).alias(f"{name}_{seat}") for name in columns for seat in range(cell.seats)]
    goals, rounds = cell.goals.frame, cell.rounds.frame
    if inside is not None:
        goals, rounds = goals.filter(inside), rounds.filter(inside)
    wide = goals.select("seat", pl.col("deal").alias("deal_of_goals"), *sides).filter(pl.col("seat") == 0).drop("seat")
    return pl.concat([rounds.select("deal", *by), wide], how="horizontal")


def count_rounds(goals: Frames, rounds: Frames, columns: Sequence[str], by: Sequence[str]) -> pl.DataFrame:
    """Return one row per cell, `by` (columns of the round) and what stood in its seats, with the number of `rounds`.

    Each of `columns` of the goals becomes a list, one item per seat. Raises UserError as `count_seated` does.
    """
    tables = []
    for cell in seated_cells(goals, rounds):
        frame = wide_rounds(cell, columns, by)
        scan = CellScan(cell.goals.chapter, cell.goals.players, cell.goals.policy, (*cell.goals.files, *cell.rounds.files), frame)
        groups = [f"{name}_{seat}" for name in columns for seat in range(cell.seats)]
        astray = pl.col("deal").ne_missing(pl.col("deal_of_goals")).sum().alias("astray")
        counted = _in_step(_count([scan], [*by, *groups], [pl.len().alias("rounds"), astray]))
        lists = [pl.concat_list([f"{name}_{seat}" for seat in range(cell.seats)]).alias(name) for name in columns]
        tables.append(counted.select(*CELL, *by, *lists, "rounds"))
    return pl.concat(tables) if tables else pl.DataFrame()


def _count(scans: Sequence[CellScan], by: Sequence[str], counts: Sequence[pl.Expr]) -> pl.DataFrame:
    if scans:
        return count_groups(scans, by, counts, needs=[])
    schema = {"chapter": pl.String, "players": pl.UInt8, "policy": pl.String, "seat": pl.UInt8, "first_leader": pl.UInt8}
    schema |= {"character": pl.String, "threat": pl.UInt8, "seats": pl.UInt8}
    return pl.DataFrame(schema={name: schema[name] for name in (*CELL, *by)} | {c.meta.output_name(): pl.Int64 for c in counts})


def _in_step(counted: pl.DataFrame) -> pl.DataFrame:
    if counted["astray"].sum():
        chapter, players, policy = counted.filter(pl.col("astray") > 0).select(CELL).sort(CELL).row(0)
        raise UserError(f"chapter {chapter}, {players} players, {policy}: goals and rounds are not in the same order of play")
    return counted.drop("astray")


def _scans(frames: Frames, needs: Sequence[str], last: Sequence[str]) -> list[CellScan]:
    if isinstance(frames, pl.DataFrame):
        frames = frames.lazy()
    if not isinstance(frames, pl.LazyFrame):
        return list(frames)
    found = frames.collect_schema().names()
    for name in (*CELL, *needs):
        if name not in found:
            raise UserError(f"the frame has no column '{name}'; needed are {', '.join((*CELL, *needs))}")
    cells = frames.select(CELL).unique().sort(CELL).collect(engine="streaming")
    scans = []
    for chapter, players, policy in cells.iter_rows():
        mine = frames.filter(pl.col("chapter") == chapter, pl.col("players") == players, pl.col("policy") == policy)
        order = [name for name in ("deal", "attempt", "round", *last) if name in found]
        scans.append(CellScan(chapter, players, policy, (), mine.sort(order)))
    return scans


def _pairs(goals: Sequence[CellScan], rounds: Sequence[CellScan]) -> Sequence[tuple[CellScan, CellScan]]:
    names = [[(scan.chapter, scan.players, scan.policy) for scan in scans] for scans in (goals, rounds)]
    if names[0] != names[1]:
        for ours, theirs, what in ((*names, "rounds"), (*names[::-1], "goals")):
            for name in ours:
                if name not in theirs:
                    raise UserError("the {} lack chapter {}, {} players, {}".format(what, *name))
        raise UserError("the cells of goals and rounds are not in the same order")
    return list(zip(goals, rounds, strict=True))


def _name(scan: CellScan) -> str:
    return f"chapter {scan.chapter}, {scan.players} players, {scan.policy}"
