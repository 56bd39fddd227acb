"""What lost deals are lost to: luck, hidden information or haste, from several policies on the same deals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from reports.counting import chapter_order
from reports.dataset import SAID, CellScan, Pool, Run
from reports.intervals import check_confidence, share, wilson
from reports.pairs import Block, blocks, collect, outcomes, runs_of, shuffled_by
from scenarios.errors import UserError, nearest

FATES = ("luck", "hidden", "haste", "won", "unknown")
ROLES = ("fast", "strong", "open")
COLUMNS = (
    "chapter",
    "players",
    "deals",
    *(f"{fate}{side}" for fate in FATES for side in ("", "_low", "_high")),
    "contradicted",
    *ROLES,
    *(f"{role}_deals" for role in ROLES),
)

Place = tuple[str, int]
Shuffle = tuple[int, int]


def luck(
    read: Run | Pool, *, fast: str = "team", strong: str = "search", open: str = "open", confidence: float = 0.95
) -> pl.DataFrame:
    """Return one row per chapter and players with the fate of its deals (columns: COLUMNS, see docs/reports.md).

    Counted are the deals that all three policies played, joined by seed, deal format and number. Each has one fate,
    and the five shares add up to 1: `won` when `fast` wins; else `haste` when `strong` wins; else by the verdict of
    `open`, which plays with open hands after its own setup: "won" `hidden`, "lost" `luck`, all else `unknown`. The
    verdict is the column `open` of the last round, or what the round came to where a part has none. `contradicted`
    counts the deals won by `fast` or `strong` that `open` calls lost. Every share has its own Wilson interval.

    Chapters and players that one of the three did not play at all have no row (`unplayed` names them). Raises
    UserError for a confidence out of range, a policy that the runs do not hold, no row at all, policies that played
    by different rules, and unreadable parts.
    """
    check_confidence(confidence)
    policies = dict(zip(ROLES, (fast, strong, open), strict=True))
    _check_policies(read, policies)
    places = _places(read, list(policies.values()))
    played = {place: table for place, table in places.items() if not _missing(table, policies)}
    if not played:
        raise UserError(f"no chapter was played by all of {fast}, {strong} and {open} for the same number of people")
    _refuse_other_rules(read, played, set(policies.values()))

    rows = [{"chapter": place[0], "players": place[1]} | _count(table, policies) for place, table in played.items()]
    counts = ("deals", *FATES, "contradicted", *(f"{role}_deals" for role in ROLES))
    counted = pl.DataFrame(rows, schema={"chapter": pl.String, "players": pl.UInt8, **dict.fromkeys(counts, pl.Int64)})
    intervals = []
    for fate in FATES:
        low, high = wilson(counted[fate], counted["deals"], confidence=confidence)
        intervals += [low.alias(f"{fate}_low"), high.alias(f"{fate}_high")]
    chapters = [chapter for run in runs_of(read) for chapter in run.chapters]
    return (
        counted.with_columns(
            pl.col("chapter").cast(chapter_order(read.rounds, counted["chapter"], chapters)),
            *(share(fate, "deals").alias(fate) for fate in FATES),
            *intervals,
            *(pl.lit(policy).alias(role) for role, policy in policies.items()),
        )
        .select(COLUMNS)
        .sort("chapter", "players")
    )


def unplayed(read: Run | Pool, policies: Sequence[str]) -> list[str]:
    """Return a line for each chapter and number of players that some of `policies` played, and some did not."""
    lines = []
    for (chapter, players), table in _places(read, policies).items():
        missing = [policy for policy in dict.fromkeys(policies) if not any(policy in held for held in table.values())]
        if missing:
            lines.append(f"chapter {chapter}, {players} players: not played by {', '.join(missing)}")
    return lines


def _check_policies(read: Run | Pool, policies: Mapping[str, str]) -> None:
    found = list(dict.fromkeys(scan.policy for scan in read.round_cells))
    for role, policy in policies.items():
        if policy not in found:
            there = f"the policies played are {', '.join(found)}{nearest(policy, found)}"
            raise UserError(f"--{role} {policy}: there are no deals of it; {there}")


def _places(read: Run | Pool, policies: Sequence[str]) -> dict[Place, dict[Shuffle, dict[str, list[CellScan]]]]:
    places: dict[Place, dict[Shuffle, dict[str, list[CellScan]]]] = {}
    for run in runs_of(read):
        for scan in run.round_cells:
            if scan.policy in policies:
                table = places.setdefault((scan.chapter, scan.players), {})
                table.setdefault(shuffled_by(run), {}).setdefault(scan.policy, []).append(scan)
    return places


def _missing(table: Mapping[Shuffle, Mapping[str, Any]], policies: Mapping[str, str]) -> bool:
    return any(not any(policy in held for held in table.values()) for policy in policies.values())


def _refuse_other_rules(read: Run | Pool, played: Mapping[Place, Any], policies: set[str]) -> None:
    first: dict[Place, tuple[Run, dict[str, Any]]] = {}
    for run in runs_of(read):
        for cell in run.manifest["cells"]:
            place = cell["chapter"], cell["players"]
            if place not in played or cell["policy"] not in policies:
                continue
            other, known = first.setdefault(place, (run, cell))
            if cell.get("after_setup"):
                raise UserError(
                    f"{run.path}: where '{cell['where']}' depends on setup, so that policies play different deals of one number; "
                    "luck needs the same deals for all policies"
                )
            for field in ("scenario_hash", "assumptions", "where"):
                if cell.get(field, "") != known.get(field, ""):
                    rules = f"{SAID.get(field, field.replace('_', ' '))} for chapter {place[0]}, {place[1]} players"
                    raise UserError(f"{other.path} and {run.path} differ in {rules}: luck needs the same rules for all policies")


def _count(table: Mapping[Shuffle, Mapping[str, list[CellScan]]], policies: Mapping[str, str]) -> dict[str, int]:
    """Return the counts of one row, summed over seeds and blocks of deals."""
    totals = dict.fromkeys(("deals", *FATES, "contradicted"), 0)
    for held in table.values():
        scans = [scan for some in held.values() for scan in some]
        for block in blocks(scans):
            for frame in collect(_frames(held, policies, block), scans):
                for name, value in frame.row(0, named=True).items():
                    totals[name] = totals.get(name, 0) + value
    return totals


def _frames(held: Mapping[str, list[CellScan]], policies: Mapping[str, str], block: Block) -> list[pl.LazyFrame]:
    sides = {role: outcomes(held[policy], block) for role, policy in policies.items() if policy in held}
    frames = [side.select(pl.len().alias(f"{role}_deals")) for role, side in sides.items()]
    return [*frames, _join(**sides)] if len(sides) == len(ROLES) else frames


def _join(fast: pl.LazyFrame, strong: pl.LazyFrame, open: pl.LazyFrame) -> pl.LazyFrame:
    verdict = pl.coalesce("open", pl.when("won").then(pl.lit("won")).otherwise(pl.lit("lost"))).alias("verdict")
    joined = (
        fast.select("deal", pl.col("won").alias("fast"))
        .join(strong.select("deal", pl.col("won").alias("strong")), on="deal")
        .join(open.select("deal", verdict), on="deal")
    )
    beaten = ~pl.col("fast") & ~pl.col("strong")
    hidden, lost = pl.col("verdict") == "won", pl.col("verdict") == "lost"
    return joined.select(
        pl.len().alias("deals"),
        (beaten & lost).sum().alias("luck"),
        (beaten & hidden).sum().alias("hidden"),
        (~pl.col("fast") & pl.col("strong")).sum().alias("haste"),
        pl.col("fast").sum().alias("won"),
        (beaten & ~hidden & ~lost).sum().alias("unknown"),
        (~beaten & lost).sum().alias("contradicted"),
    )
