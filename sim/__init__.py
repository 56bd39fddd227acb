"""How the games are played: engines, policies, batches, datasets.

`simulate` plays deals in memory and returns Polars frames; `ringsim run` is the same into a folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import polars as pl


class Simulation(NamedTuple):
    """What came of the deals: one row per round, and one row per round and character (docs/reports.md has the columns)."""

    rounds: pl.DataFrame
    goals: pl.DataFrame
    seed: int


def simulate(
    chapters: str | int | Sequence[str | int],
    *,
    players: int | Sequence[int] = (1, 2, 3, 4),
    policy: str | Sequence[str] = "team",
    deals: int = 1000,
    seed: int | None = None,
    assume: Mapping[str, str] | None = None,
    playouts: int = 0,
    inference: str = "",
    where: str = "",
    tries: int = 0,
    stop: Literal["full", "early"] = "full",
    workers: int | None = None,
) -> Simulation:
    """Play deals 0 to deals - 1 of every chapter x players x policy and return (rounds, goals, seed).

    `chapters`: numbers of the library or paths of scenario files. `seed`: up to 128 bits, drawn when None. `stop`: play
    rounds out, or end them at the first goal lost for good or when all are met. `where`: a condition that all deals fit
    (docs/conditions.md), with at most `tries` deals tried for each (0: a million); `rounds` then has a column `tries`. The
    result depends on chapters, assumptions, policy, playouts (worlds a decision of `search`; 0: 64), inference (on or off),
    condition, seed and deals only, never on workers.

    Raises UserError (scenarios.UserError) for unknown names, values out of range, and a condition that no deal fits.
    """
    from sim.core.runs import RunSpec, simulate_frames
    from sim.core.seed import parse_seed
    from sim.tricks.library import build_cells
    from sim.tricks.where import asked_for

    listed = [chapters] if isinstance(chapters, str | int) else list(chapters)
    numbers = [players] if isinstance(players, int) else list(players)
    policies = [policy] if isinstance(policy, str) else list(policy)
    drawn = parse_seed(seed)
    spec = RunSpec(
        seed=drawn,
        deals=deals,
        stop=stop,
        cells=build_cells(
            [str(c) for c in listed],
            numbers,
            policies,
            dict(assume or {}),
            playouts,
            inference,
            where=asked_for(where, tries),
        ),
    )
    rounds, goals = simulate_frames(spec, workers=workers)
    return Simulation(rounds, goals, drawn)


__all__ = ["Simulation", "simulate"]
