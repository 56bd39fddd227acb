"""From names to cells: which chapters, numbers of players, policies and assumptions a run is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import scenarios
from scenarios.errors import UserError, nearest
from sim.core.runs import DEFAULT_CHUNK, Cell
from sim.tricks import search
from sim.tricks.policies.dispatch import VERSIONS as FAST
from sim.tricks.rules import compile_rules

PLAYING = {**FAST, "search": search.VERSION}
"""Policies that decide from what a seat sees -> their versions."""
VERSIONS = {**PLAYING, "open": 1}
"""Every policy of runs -> its version. `open` knows all hands: a bound, and no player."""
CHUNKS = {"search": 250, "open": 2_000}
"""Deals a part under slow policies: some ten seconds of play."""


def check_policy(policy: str) -> str:
    """Return `policy`; UserError with the nearest name when there is none of that name."""
    if policy not in VERSIONS:
        raise UserError(f"--policy '{policy}': allowed are {', '.join(VERSIONS)}{nearest(policy, VERSIONS)}")
    return policy


def build_cells(
    chapters: Sequence[str],
    players: Sequence[int],
    policies: Sequence[str],
    assume: Mapping[str, str] | None = None,
    playouts: int = 0,
    inference: str = "",
) -> list[Cell]:
    """Return one cell per chapter, number of players and policy; `playouts` (0: its default) and `inference`
    (on, off, or empty: its default) are for `search`.

    Raises UserError for an unknown chapter, policy or assumption, a scenario file that does not fit, or a number of
    players that a scenario has no deal for.
    """
    for policy in policies:
        check_policy(policy)
    cells: list[Cell] = []
    for chapter in chapters:
        scenario = scenarios.load(chapter, assume)
        for number in players:
            compile_rules(scenario, number)
            cells += [
                Cell(
                    chapter=scenario.label,
                    title=scenario.title,
                    players=number,
                    policy=policy,
                    policy_version=VERSIONS[policy],
                    scenario_hash=scenario.hash,
                    assumptions=scenario.assumptions,
                    based_on=scenario.based_on,
                    playouts=(playouts or search.DEFAULT_PLAYOUTS) if policy == "search" else 0,
                    inference=(inference or search.DEFAULT_INFERENCE) if policy == "search" else "",
                    chunk=CHUNKS.get(policy, DEFAULT_CHUNK),
                    scenario=scenario,
                )
                for policy in policies
            ]
    return cells
