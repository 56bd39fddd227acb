"""What the questions on which the sources disagree are worth: each option against the default, on the same deals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from reports.compare import with_statistics
from reports.dataset import CELL
from reports.intervals import check_confidence, share
from scenarios.errors import UserError

COLUMNS = (
    *CELL,
    "assumption",
    "option",
    "instead_of",
    "deals",
    "changed",
    "rate_a",
    "rate_b",
    "difference",
    "difference_low",
    "difference_high",
    "discordant",
    "both",
    "only_a",
    "only_b",
    "neither",
    "test",
    "p_value",
    "p_adjusted",
    "significant",
    "no_effect",
)
COUNTS = ("deals", "different", "both", "only_a", "only_b", "neither")
ROUND_TRACE = ("attempt", "round", "lost", "event", "first_leader", "tricks", "won")
GOAL_TRACE = ("seat", "character", "threat", "curse", "tricks", "met", "lost_after")


@dataclass(frozen=True)
class Played:
    """Deals of one chapter, number of players and policy under one choice: rounds and goals in the order of play."""

    rounds: pl.DataFrame
    goals: pl.DataFrame


@dataclass(frozen=True)
class Alternative:
    """One option of an assumption in one cell; `played` is None where `no_effect` says why it cannot change anything."""

    chapter: str
    players: int
    policy: str
    assumption: str
    option: str
    instead_of: str
    played: Played | None = None
    no_effect: str = ""


def assumptions(
    base: dict[tuple[str, int, str], pl.DataFrame],
    alternatives: Iterable[Alternative],
    *,
    confidence: float = 0.95,
    chapters: Sequence[str] | None = None,
) -> pl.DataFrame:
    """Return one row per alternative (columns: COLUMNS, see docs/reports.md), in their order.

    `base` holds, for each chapter, players and policy, what `traces` returns for the deals under the default; A in the names of
    columns is the default, B the option. Alternatives are taken one by one, so that they may be played one by one. Raises
    UserError for a confidence out of range and for deals that the default did not play.
    """
    check_confidence(confidence)
    rows = []
    for one in alternatives:
        cell = (one.chapter, one.players, one.policy)
        names = [one.assumption, one.option, one.instead_of]
        if one.played is not None and cell not in base:
            raise UserError("chapter {}, {} players, {}: the default was not played".format(*cell))
        counts = [0] * len(COUNTS) if one.played is None else _counts(base[cell], traces(one.played), cell)
        rows.append([*cell, *names, *counts, one.no_effect or None])
    schema = dict.fromkeys((*CELL, "assumption", "option", "instead_of"), pl.String) | dict.fromkeys(COUNTS, pl.Int64)
    counted = pl.DataFrame(rows, schema=schema | {"players": pl.UInt8, "no_effect": pl.String}, orient="row")
    order = list(dict.fromkeys([*(chapters or ()), *(cell[0] for cell in base), *counted["chapter"]]))
    return (
        with_statistics(counted, confidence=confidence)
        .with_columns(pl.col("chapter").cast(pl.Enum(order)), share("different", "deals").alias("changed"))
        .select(COLUMNS)
    )


def traces(played: Played) -> pl.DataFrame:
    """Return one row per deal: `deal`, `won` (its last round) and `trace`, equal where all that is recorded is the same."""
    rounds = played.rounds.select("deal", "won", pl.struct(ROUND_TRACE).hash().alias("hash"))
    goals = played.goals.select("deal", pl.struct(GOAL_TRACE).hash().alias("hash"))
    last = rounds.group_by("deal", maintain_order=True).agg(pl.col("won").last(), pl.col("hash").implode().alias("of_rounds"))
    seats = goals.group_by("deal", maintain_order=True).agg(pl.col("hash").implode().alias("of_goals"))
    return last.join(seats, on="deal", how="left", maintain_order="left").select(
        "deal", "won", pl.struct("of_rounds", "of_goals").alias("trace")
    )


def _counts(base: pl.DataFrame, other: pl.DataFrame, cell: tuple[str, int, str]) -> list[int]:
    pairs = base.join(other, on="deal", suffix="_b")
    if pairs.height != other.height:
        raise UserError("chapter {}, {} players, {}: the option has deals that the default has not".format(*cell))
    a, b = pl.col("won"), pl.col("won_b")
    sums = [(pl.col("trace") != pl.col("trace_b")).sum(), (a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()]
    counted = pairs.select(count.cast(pl.Int64).alias(str(place)) for place, count in enumerate(sums))
    return [pairs.height, *counted.row(0)]
