"""A game that is no card game: a hash of (seed, deal) decides everything. For tests of the batch machinery.

The cell's `scenario` may hold ``pause`` (seconds per 1000 deals), ``rounds`` (rounds per deal), ``stubborn``
(SIGTERM is ignored) and ``fail`` / ``die`` / ``user_error`` (a deal at which the worker raises, is killed, or complains).
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import polars as pl

from scenarios.errors import UserError
from sim.core.dataset import GOALS_SCHEMA, ROUNDS_SCHEMA
from sim.core.runs import Cell, RunSpec

SIMULATE = "coin_game:simulate_chunk"
CARDS = [f"{suit}{rank}" for suit in "HMFS" for rank in range(1, 9)] + [f"R{rank}" for rank in range(2, 6)]
CHARACTERS = ["frodo", "pippin", "merry", "sam", "gandalf", "aragorn"]


def cell(chapter: str = "4", players: int = 4, policy: str = "script", **scenario: object) -> Cell:
    return Cell(
        chapter=chapter,
        title="Coins",
        players=players,
        policy=policy,
        policy_version=1,
        scenario_hash="sha256:00",
        assumptions={"A10": "at_play"},
        scenario=scenario,
    )


def spec(*cells: Cell, deals: int = 1000, chunk: int = 100, seed: int = 7, **more: object) -> RunSpec:
    return RunSpec(seed=seed, deals=deals, chunk=chunk, cells=list(cells) or [cell()], **more)


def files(folder: Path) -> dict[str, bytes]:
    """The bytes of every part below a run's folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.parquet"))}


def simulate_chunk(cell: Cell, seed: int, first_deal: int, count: int, stop: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    options = cell.scenario
    last = first_deal + count
    for name, act in (("fail", _fail), ("die", _die), ("user_error", _complain)):
        if first_deal <= options.get(name, -1) < last:
            act()
    if options.get("stubborn"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(options.get("pause", 0) * count / 1000)
    number, seats = options.get("rounds", 1), 4 if cell.players in (1, 4) else 3
    deal = np.repeat(np.arange(first_deal, last, dtype=np.uint64), number)
    rounds = np.tile(np.arange(1, number + 1, dtype=np.uint8), count)
    # One column of draws per decision: its number, the seed and the deal alone decide the value.
    draw = lambda column, sides: _mix(deal * np.uint64(64) + rounds, seed + column) % np.uint64(sides)  # noqa: E731
    met = np.stack([draw(10 + seat, 10) < 7 for seat in range(seats)], axis=1)
    lost_after = np.stack([draw(20 + seat, 9) for seat in range(seats)], axis=1)
    earliest = np.where(met, 99, lost_after).min(axis=1, keepdims=True)
    won = met.all(axis=1)
    constants = {"chapter": pl.lit(cell.chapter), "players": pl.lit(cell.players), "policy": pl.lit(cell.policy)}
    rounds_frame = pl.DataFrame(
        {
            "deal": deal,
            "attempt": np.ones_like(rounds),
            "round": rounds,
            "lost": np.array(CARDS)[draw(1, 36).astype(int)],
            "first_leader": draw(2, seats),
            "tricks": np.where(won, 9, 3 + draw(3, 7)),
            "won": won,
        }
    ).with_columns(event=None, **constants)
    seat = np.tile(np.arange(seats), len(deal))
    goals_frame = (
        pl.DataFrame(
            {
                "deal": np.repeat(deal, seats),
                "attempt": np.repeat(np.ones_like(rounds), seats),
                "round": np.repeat(rounds, seats),
                "seat": seat,
                "character": np.array(CHARACTERS)[_flat([draw(30 + one, 6) for one in range(seats)]).astype(int)],
                "threat": _flat([draw(40 + one, 15) for one in range(seats)]),
                "tricks": _flat([draw(50 + one, 5) for one in range(seats)]),
                "met": met.ravel(),
                "lost_after": lost_after.ravel(),
                "first_lost": (~met & (lost_after == earliest)).ravel(),
            }
        )
        .with_columns(curse=None, **constants)
        .with_columns(
            pl.when(pl.col.threat.is_between(1, 7)).then("threat"),
            pl.when(~pl.col.met).then("lost_after"),
        )
    )
    return (
        rounds_frame.select(pl.col(name).cast(dtype) for name, dtype in ROUNDS_SCHEMA.items()),
        goals_frame.select(pl.col(name).cast(dtype) for name, dtype in GOALS_SCHEMA.items()),
    )


def _flat(columns: list[np.ndarray]) -> np.ndarray:
    return np.stack(columns, axis=1).ravel()


def _mix(counter: np.ndarray, key: int) -> np.ndarray:
    """SplitMix64's finalizer over counters."""
    mixed = counter * np.uint64(0x9E3779B97F4A7C15) + np.uint64(key * 0xD1342543DE82EF95 % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


def _fail() -> None:
    raise ValueError("the coin fell on its edge")


def _complain() -> None:
    raise UserError("--policy coin: no such coin")


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
