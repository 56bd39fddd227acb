"""Deals to look at: those of a run that went a certain way, the easiest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from reports.dataset import CELL, CellScan, Pool, Run
from reports.pairs import blocks, collect, condition_of, outcomes, shuffled_by
from reports.seated import SeatedCell, seated_cells, wide_rounds
from scenarios.errors import UserError, nearest

COLUMNS = (*CELL, "deal", "attempt", "round", "seed", "lost", "won", "won_by", "policies", "goals_lost", "lost_after", "first")
VERDICTS = ("won", "lost", "unknown")
_GOALS = ("character", "threat", "met", "lost_after", "first_lost")
_FOUND = {
    "deal": pl.UInt64,
    "attempt": pl.UInt16,
    "round": pl.UInt8,
    "lost": pl.String,
    "won": pl.Boolean,
    "won_by": pl.Int64,
    "policies": pl.Int64,
}
_FOUND |= {"goals_lost": pl.Int64, "lost_after": pl.UInt8, "first": pl.String}
EASIEST = (
    pl.col("won_by") / pl.col("policies"),
    -pl.col("goals_lost"),
    pl.col("lost_after").fill_null(255),
    -pl.col("deal").cast(pl.Int64),
)
"""Greatest first: won by most of the policies that played it, fewest goals lost, the first lost latest; then by number."""


@dataclass(frozen=True)
class Wanted:
    """What a deal must be like; what is empty or None is not asked.

    `won`: how the round came out. `lost_by`: whose goal was not met; `after` (first, last): after which trick it was lost for
    good (anybody's without `lost_by`). `character` is in the round; `threat` is that of `character`, else of `lost_by`, else
    anybody's. `lost_card` is among the lost cards. `verdicts`: policy -> won, lost or (open) unknown, on the same deal.
    """

    chapters: tuple[str, ...] = ()
    players: tuple[int, ...] = ()
    policies: tuple[str, ...] = ()
    won: bool | None = None
    lost_by: str | None = None
    after: tuple[int, int] | None = None
    character: str | None = None
    threat: int | None = None
    lost_card: str | None = None
    verdicts: Mapping[str, str] = field(default_factory=dict)


def find(read: Pool, wanted: Wanted, *, limit: int = 20) -> tuple[pl.DataFrame, int]:
    """Return the `limit` easiest rounds that are as wanted (columns: COLUMNS, see docs/reports.md), and how many there are.

    A row is a round as one policy played it: those of `wanted.policies`, or, where verdicts are wanted, the policy that is to
    lose (else the first named), or all. Raises UserError for names that the runs do not hold and for unreadable parts.
    """
    _check(read, wanted)
    listed = wanted.policies or _told_by(wanted.verdicts)
    tables, total = [], 0
    for run in read.runs:
        for goals, rounds in zip(run.goal_cells, run.round_cells, strict=True):
            if _asked_for(rounds, wanted) and (not listed or rounds.policy in listed):
                others = _same_deals(read, run, rounds)
                if wanted.verdicts.keys() <= {scan.policy for scan in others}:
                    for cell in seated_cells([goals], [rounds]):
                        table, number = _of_cell(cell, others, wanted, limit)
                        named = table.select(*rounds.literals(), pl.lit(run.manifest["seed"]).alias("seed"), pl.all())
                        tables.append(named.select(COLUMNS))
                        total += number
    if not tables or not total:
        _check_character(read, wanted)
    if not tables:
        empty = {name: pl.String for name in COLUMNS} | _FOUND | {"players": pl.UInt8}
        return pl.DataFrame(schema={name: empty[name] for name in COLUMNS}), 0
    found = pl.concat(tables).sort(EASIEST, descending=True, maintain_order=True).head(limit)
    return found.with_columns(pl.col("chapter").cast(pl.Enum(read.chapters))), total


def _told_by(verdicts: Mapping[str, str]) -> tuple[str, ...]:
    """Return whose rounds tell of these verdicts: who is to lose, and plays; else who plays; else the only one."""
    order = sorted(verdicts, key=lambda policy: (policy == "open", verdicts[policy] != "lost"))
    return tuple(order[:1])


def _asked_for(scan: CellScan, wanted: Wanted) -> bool:
    return (not wanted.chapters or scan.chapter in wanted.chapters) and (not wanted.players or scan.players in wanted.players)


def _same_deals(read: Pool, run: Run, scan: CellScan) -> list[CellScan]:
    """Return the rounds of every policy on the deals of a cell; of its own alone where setup decides which deals those are."""
    condition = condition_of(run, scan)
    return [
        other
        for second in read.runs
        if shuffled_by(second) == shuffled_by(run)
        for other in second.round_cells
        if (other.chapter, other.players) == (scan.chapter, scan.players)
        and condition_of(second, other) == condition
        and (other.policy == scan.policy or not condition[1])
    ]


def _of_cell(cell: SeatedCell, others: list[CellScan], wanted: Wanted, limit: int) -> tuple[pl.DataFrame, int]:
    policies: dict[str, list[CellScan]] = {}
    for scan in others:
        policies.setdefault(scan.policy, []).append(scan)
    found, total = pl.DataFrame(schema=_FOUND), 0
    for block in blocks([cell.rounds]):
        frame = _fitting(cell, wanted, block)
        for policy, scans in policies.items():
            told = outcomes(scans, block).select("deal", _verdict(policy).alias(f"verdict of {policy}"))
            frame = frame.join(told, on="deal", how="inner" if policy in wanted.verdicts else "left")
            if policy in wanted.verdicts:
                frame = frame.filter(pl.col(f"verdict of {policy}") == wanted.verdicts[policy])
        verdicts = [pl.col(f"verdict of {policy}") for policy in policies]
        frame = frame.with_columns(
            pl.sum_horizontal((verdict == "won").fill_null(False) for verdict in verdicts).cast(pl.Int64).alias("won_by"),
            pl.sum_horizontal(verdict.is_not_null() for verdict in verdicts).cast(pl.Int64).alias("policies"),
        ).select(*_FOUND)
        best = frame.sort(EASIEST, descending=True).head(limit)
        files = [cell.goals, cell.rounds, *others]
        table, number = collect([best, frame.select(pl.len())], files)
        found.vstack(table, in_place=True)
        total += number.item()
    return found, total


def _verdict(policy: str) -> pl.Expr:
    """Return what came of a deal; `open` may have said more than its round shows."""
    came_to = pl.when("won").then(pl.lit("won")).otherwise(pl.lit("lost"))
    return pl.coalesce("open", came_to) if policy == "open" else came_to


def _fitting(cell: SeatedCell, wanted: Wanted, block: tuple[int, int]) -> pl.LazyFrame:
    """Return the rounds of a block that fit by themselves, with what their goals came to."""
    inside = (pl.col("deal") >= block[0]) & (pl.col("deal") < block[1])
    seats = range(cell.seats)
    frame = wide_rounds(cell, _GOALS, ("attempt", "round", "lost", "won"), inside)

    def some(condition: list[pl.Expr]) -> pl.Expr:
        return pl.any_horizontal(expression.fill_null(False) for expression in condition)

    def has(seat: int, character: str | None, threat: int | None) -> pl.Expr:
        fits = pl.lit(True)
        if character is not None:
            fits &= pl.col(f"character_{seat}") == character
        return fits if threat is None else fits & (pl.col(f"threat_{seat}") == threat)

    conditions = []
    of_loser = wanted.threat if wanted.lost_by is not None and wanted.character is None else None
    if wanted.lost_by is not None or wanted.after is not None:
        first, last = wanted.after or (0, 255)
        conditions.append(
            some(
                [
                    has(seat, wanted.lost_by, of_loser)
                    & ~pl.col(f"met_{seat}")
                    & pl.col(f"lost_after_{seat}").is_between(first, last)
                    for seat in seats
                ]
            )
        )
    if wanted.character is not None or (wanted.threat is not None and of_loser is None):
        conditions.append(some([has(seat, wanted.character, wanted.threat) for seat in seats]))
    if wanted.won is not None:
        conditions.append(pl.col("won") == wanted.won)
    if wanted.lost_card is not None:
        conditions.append(pl.col("lost").str.split(" ").list.contains(wanted.lost_card))
    firsts = [pl.when(pl.col(f"first_lost_{seat}")).then(pl.col(f"character_{seat}")) for seat in seats]
    return frame.filter(*conditions).select(
        "deal",
        "attempt",
        "round",
        "lost",
        "won",
        pl.sum_horizontal((~pl.col(f"met_{seat}")).fill_null(False) for seat in seats).cast(pl.Int64).alias("goals_lost"),
        pl.min_horizontal(f"lost_after_{seat}" for seat in seats).alias("lost_after"),
        pl.concat_str(firsts, separator=" ", ignore_nulls=True).alias("first"),
    )


def _check(read: Pool, wanted: Wanted) -> None:
    held = {
        "--chapter": list(dict.fromkeys(scan.chapter for scan in read.round_cells)),
        "--players": list(dict.fromkeys(str(scan.players) for scan in read.round_cells)),
        "--policy": list(dict.fromkeys(scan.policy for scan in read.round_cells)),
    }
    asked = {"--chapter": wanted.chapters, "--players": map(str, wanted.players), "--policy": wanted.policies}
    for option, names in asked.items():
        for name in names:
            if name not in held[option]:
                raise UserError(f"{option} {name}: no deals of it here, only of {_these(held[option], name)}")
    for run in read.runs if len(wanted.verdicts) > 1 else ():
        for scan in run.round_cells:
            condition, after_setup = condition_of(run, scan)
            if after_setup and _asked_for(scan, wanted):
                told = " ".join(f"--{policy} {verdict}" for policy, verdict in wanted.verdicts.items())
                why = f"where '{condition}' depends on setup, so that policies play different deals of one number"
                raise UserError(f"{told}: {run.path}: {why}")
    for policy, verdict in wanted.verdicts.items():
        if policy not in held["--policy"]:
            raise UserError(f"--{policy} {verdict}: no deals of this policy here, only of {_these(held['--policy'], policy)}")


def _check_character(read: Pool, wanted: Wanted) -> None:
    """Raise UserError where nothing was found because the runs know no such character."""
    for option, name in (("--lost-by", wanted.lost_by), ("--character", wanted.character)):
        if name is not None:
            scans = [scan for scan in read.goal_cells if _asked_for(scan, wanted)]
            tables = collect([scan.frame.select(pl.col("character").unique()) for scan in scans], scans)
            known = sorted({found for table in tables for found in table["character"]})
            if name not in known:
                raise UserError(f"{option} {name}: plays in none of these deals, only {_these(known, name)}")


def _these(names: list[str], name: str) -> str:
    return ", ".join(names) + nearest(name, names)
