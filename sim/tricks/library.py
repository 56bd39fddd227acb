"""From names to cells: which chapters, numbers of players, policies and assumptions a run is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import scenarios
from scenarios.errors import UserError, nearest
from scenarios.model import Scenario
from sim.core.runs import DEFAULT_CHUNK, Cell
from sim.tricks import search, solver
from sim.tricks.condition import Condition, compile_condition
from sim.tricks.own_weights import PREFIX, base_of, fingerprint, place_of
from sim.tricks.plan import MOST_ATTEMPTS, RETRIES, compile_plan, kinds_of
from sim.tricks.policies.dispatch import VERSIONS as FAST
from sim.tricks.rules import compile_rules
from sim.tricks.where import EVERY_DEAL, Where

PLAYING = {**FAST, "search": search.VERSION}
"""Policies that decide from what a seat sees -> their versions."""
VERSIONS = {**PLAYING, "open": solver.VERSION}
"""Every policy of runs -> its version. `open` knows all hands: a bound, and no player."""
CHUNKS = {"search": 250, "open": 2_000}
"""Deals a part under slow policies: some ten seconds of play."""
DEFAULT_ATTEMPTS = 100
"""Attempts at a deal at most, with a retry."""
RETRIED_CHUNK = 2_000
"""Deals a part with a retry, or with a condition that deals are tried for: each may take hundreds of rounds, or of deals."""

DRAWN_CHUNK = 1_000
"""Deals a part where each has characters of its own: to draw them and to compile their rules takes milliseconds."""


def check_policy(policy: str) -> str:
    """Return `policy`; UserError with the nearest name when there is none of that name, or no weights where it says."""
    if policy.startswith(PREFIX):
        place_of(policy)
    elif policy not in VERSIONS:
        raise UserError(f"--policy '{policy}': allowed are {', '.join(VERSIONS)}{nearest(policy, VERSIONS)}")
    return policy


def build_cells(
    chapters: Sequence[str],
    players: Sequence[int],
    policies: Sequence[str],
    assume: Mapping[str, str] | None = None,
    playouts: int = 0,
    inference: str = "",
    retry: str = "none",
    attempts: int = 0,
    where: Where = EVERY_DEAL,
) -> list[Cell]:
    """Return one cell per chapter, number of players and policy; `playouts` (0: its default) and `inference`
    (on, off, or empty: its default) are for `search`; `retry` (`plan.RETRIES`) says what follows a lost attempt, up to
    `attempts` of them (0: the default); `where`: what the deal of every round must fit.

    A chapter of several kinds of round has cells for each kind, of single rounds. Raises UserError for an unknown chapter,
    policy or assumption, a scenario file that does not fit, or a number of players that a scenario has no deal for.
    """
    for policy in policies:
        check_policy(policy)
    if retry not in RETRIES:
        raise UserError(f"--retry {retry}: must be {' or '.join(RETRIES)}{nearest(retry, RETRIES)}")
    if attempts and retry == "none":
        raise UserError(f"--attempts {attempts}: needs --retry fresh or --retry keep")
    if attempts > MOST_ATTEMPTS:
        raise UserError(f"--attempts {attempts}: at most {MOST_ATTEMPTS:_} are allowed")
    if "open" in policies and retry != "none":
        raise UserError("--retry: --policy open bounds single attempts; leave one of them out")
    most = 1 if retry == "none" else attempts or DEFAULT_ATTEMPTS
    cells: list[Cell] = []
    for chapter in chapters:
        scenario = scenarios.load(chapter, assume)
        if where and scenario.draw is not None:
            raise UserError(f"--where: chapter {scenario.label} draws its characters for each deal; ringsim new writes a pool")
        if "open" in policies and scenario.draw is not None:
            raise UserError(
                f"--policy open: chapter {scenario.label} draws its characters for each deal; ringsim new writes a pool"
            )
        for number in players:
            if number not in scenario.deals:
                allowed = ", ".join(map(str, scenario.deals))
                raise UserError(f"--players {number}: chapter {scenario.label} has deals for {allowed} players")
            compile_plan(scenarios.drawn(scenario, number, 0, 0), number, where=where)
            conditions = [_condition(kind, number, where) for kind in kinds_of(scenario)] if where else []
            chances = {condition.chance for condition in conditions}
            tested = not all(condition.drawn for condition in conditions)
            cells += [
                Cell(
                    chapter=scenario.name,
                    title=scenario.title + (f": {scenario.kind_title}" if scenario.kind else ""),
                    players=number,
                    policy=policy,
                    policy_version=VERSIONS[base_of(policy)],
                    weights=fingerprint(policy, kinds_of(scenario), number),
                    scenario_hash=scenario.hash,
                    assumptions=scenario.assumptions,
                    based_on=scenario.based_on,
                    playouts=(playouts or search.DEFAULT_PLAYOUTS) if policy == "search" else 0,
                    inference=(inference or search.DEFAULT_INFERENCE) if policy == "search" else "",
                    retry=retry,
                    attempts=most,
                    where=where.text,
                    tries=where.tries if where else 0,
                    chance=next(iter(chances)) if len(chances) == 1 else None,
                    after_setup=any(condition.after_setup for condition in conditions),
                    chunk=min(
                        CHUNKS.get(policy, DEFAULT_CHUNK),
                        RETRIED_CHUNK if retry != "none" or tested else DEFAULT_CHUNK,
                        DRAWN_CHUNK if scenario.draw is not None else DEFAULT_CHUNK,
                    ),
                    scenario=scenario,
                )
                for policy in policies
            ]
    return cells


def _condition(kind: Scenario, players: int, where: Where) -> Condition:
    return compile_condition(where, kind, compile_rules(kind, players, kind.kind if kind.rounds else ""))
