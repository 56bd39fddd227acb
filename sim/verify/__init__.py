"""Verification apart from unit tests: are shuffles, draws, threats and streams distributed as the rules say?

Each check deals or draws with the real kernels, compares counts with closed forms, and has a plot in which right and
wrong look different. `ringsim verify` runs them all.
"""

from __future__ import annotations

from collections.abc import Iterator

from sim.verify.check import LEVEL, Check, rejected

__all__ = ["LEVEL", "Check", "rejected", "run_checks"]

DEFAULT_SEED = 20_260_101
"""A fixed seed: the same version gives the same answer everywhere."""


def run_checks(deals: int, seed: int = DEFAULT_SEED) -> Iterator[Check]:
    """Yield every check, each from `deals` deals (or as many draws) of `seed`."""
    from sim.verify import draws, hands, shuffles, threats

    counted = {players: shuffles.count(players, deals, seed) for players in (1, 2, 3, 4)}
    yield shuffles.lost_card(counted)
    yield shuffles.positions(counted)
    yield shuffles.seats(counted)
    yield shuffles.pyramid(counted)
    yield shuffles.lost_and_first(counted)
    yield hands.suit_counts(counted)
    yield hands.voids(counted)
    yield hands.bottom_row(counted)
    yield draws.bounded(deals, seed)
    yield draws.streams(deals, seed)
    yield threats.threats(deals, seed)
