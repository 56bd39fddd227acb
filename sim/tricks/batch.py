"""Many deals of one cell: the batch kernel over preallocated columns, and the frames made from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.drawing import drawn
from scenarios.errors import UserError
from scenarios.model import Scenario
from sim.core.jit import is_warm, kernel, mark_warm
from sim.core.random import new_source
from sim.tricks.attempts import close_round, new_course, open_round, shuffle_number
from sim.tricks.link import compile_all, link
from sim.tricks.own_weights import base_of, brains_of
from sim.tricks.plan import compile_plan, kinds_of
from sim.tricks.policies.dispatch import POLICIES, TEAM
from sim.tricks.policies.team import BRAIN, side_by_side
from sim.tricks.round import play_round
from sim.tricks.search import DEFAULT_PLAYOUTS, new_worlds, play_round_by_search
from sim.tricks.table import FAILED, MET, new_log, new_record, new_table
from sim.tricks.view import VIEW
from sim.tricks.where import EVERY_DEAL, Where

if TYPE_CHECKING:
    import polars as pl

LOW64 = (1 << 64) - 1

ROUND_COLUMNS = np.dtype(
    [
        ("deal", np.uint64),
        ("lost", np.uint64),
        ("attempt", np.uint16),
        ("number", np.uint8),
        ("kind", np.uint8),
        ("first_leader", np.uint8),
        ("tricks", np.uint8),
        ("won", np.bool_),
        ("tries", np.uint32),
    ]
)
"""One round: its deal, lost cards as a mask, the attempt and the number of the round in it (from 1), kind of round (index), seat
that led first, tricks played, whether it was won, deals tried for it under a condition (0: none fits; all 0 without one)."""
GOAL_COLUMNS = np.dtype(
    [
        ("character", np.uint8),
        ("threat", np.uint8),
        ("tricks", np.uint8),
        ("verdict", np.uint8),
        ("lost_after", np.uint8),
        ("first_lost", np.bool_),
        ("cursed", np.uint8),
    ]
)
"""One seat's goal: index in the roster of the round's kind, threat (0: none; the lowest of the numbers chosen in place of one),
tricks won, verdict (OPEN, MET, FAILED), lost_after (255: not lost; of a goal that is met: saved by a gift), first_lost, cursed:
1 for the seat that bears the wandering curse, else 0 (in a chapter that is drawn: the number of the curse, from 1)."""
NOT_LOST = 255
ROWS = 1 << 16
"""Rounds that are played at a time where nobody knows how many there will be."""


@kernel
def write_row(public, hidden, won, rounds, goals, i):
    """Write a finished round to row `i` of the columns."""
    row = rounds[i]
    row.lost = public.first_lost
    row.first_leader = public.opening_leader
    row.tricks = public.trick
    row.won = won
    row.tries = hidden.tries
    earliest = 1000
    for seat in range(public.seats):
        if hidden.verdict[seat] == FAILED:
            earliest = min(earliest, hidden.lost_after[seat])
    for seat in range(public.seats):
        cell = goals[i, seat]
        cell.character = public.character[seat]
        cell.threat = public.threat[seat]
        cell.tricks = public.tricks_won[seat]
        lost = hidden.verdict[seat] == FAILED
        # In a won round, a lost goal is one that a gift saved: it counts as met, and says when it was lost.
        cell.verdict = MET if lost and won else hidden.verdict[seat]
        cell.lost_after = hidden.lost_after[seat] if lost else 255
        cell.first_lost = lost and not won and hidden.lost_after[seat] == earliest
        cell.cursed = 1 if public.cursed == seat else 0


def split_seed(seed: int) -> tuple[np.uint64, np.uint64]:
    """Return the low and the high 64 bits of a seed."""
    return np.uint64(seed & LOW64), np.uint64(seed >> 64)


@kernel
def write_place(course, rounds, i):
    """Write to row `i` which round it is."""
    row = rounds[i]
    row.deal = course.deal
    row.attempt = course.attempt
    row.number = course.number
    row.kind = course.kind


@kernel
def play_deals(
    rules,
    plan,
    course,
    public,
    privates,
    hidden,
    view,
    brains,
    luck,
    choices,
    policy,
    seed_low,
    seed_high,
    stop_early,
    log,
    rounds,
    goals,
):
    """Play on from where `course` stands until its deals are over or the rows are used up; returns how many rows were written.

    rules, plan: see `plan.compile_plan`; brains: weights by kind of round (records BRAIN, shape (kinds,)); rounds: array of
    dtype ROUND_COLUMNS, shape (n,); goals: array of dtype GOAL_COLUMNS, shape (n, seats). What a row holds does not depend on n.
    """
    i = 0
    while course.deal != course.end and i < rounds.shape[0]:
        here = rules[course.kind]
        brain = brains[course.kind]
        open_round(plan, course, here, public)
        won = play_round(
            here, public, privates, hidden, view, brain, luck, choices, policy, seed_low, seed_high, shuffle_number(course),
            course.deal, stop_early, log,
        )  # fmt: skip
        write_place(course, rounds, i)
        won = close_round(plan, course, public, hidden, won)
        write_row(public, hidden, won, rounds, goals, i)
        i += 1
    return i


@kernel
def play_deals_by_search(
    rules, plan, course, public, privates, hidden, view, brains, luck, source, policy, worlds, publics, privates2, hiddens,
    world_view, wins, history, pasts, log, off, seed_low, seed_high, stop_early, rounds, goals,
):  # fmt: skip
    """The same under `search`: see `search.play_round_by_search` for the further arguments."""
    i = 0
    while course.deal != course.end and i < rounds.shape[0]:
        here = rules[course.kind]
        brain = brains[course.kind]
        open_round(plan, course, here, public)
        won = play_round_by_search(
            here, public, privates, hidden, view, brain, luck, source, policy, worlds, publics, privates2, hiddens, world_view,
            wins, history, pasts, log, off, seed_low, seed_high, shuffle_number(course), course.deal, stop_early,
        )  # fmt: skip
        write_place(course, rounds, i)
        won = close_round(plan, course, public, hidden, won)
        write_row(public, hidden, won, rounds, goals, i)
        i += 1
    return i


@dataclass
class Deals:
    """Deals being played: the records that the batch kernels go on from. `play` moves them on."""

    rules: Any
    plan: Any
    course: Any
    public: Any
    seats: int
    play: Callable[[np.recarray, np.recarray], int]
    """Play until the deals are over or the rows (ROUND_COLUMNS, GOAL_COLUMNS) are used up; returns how many were written."""


def start_deals(
    scenario: Scenario,
    players: int,
    policy: str,
    seed: int,
    first_deal: int,
    count: int,
    stop_early: bool,
    playouts: int = DEFAULT_PLAYOUTS,
    brain: Any = None,
    inference: bool = False,
    retry: str = "none",
    attempts: int = 1,
    where: Where = EVERY_DEAL,
) -> Deals:
    """Return `count` deals that stand before their first round; arguments as in `play_columns`."""
    rules, plan = compile_plan(scenario, players, retry, attempts, where)
    link(rules, policy == "search")
    course, (public, privates, hidden) = new_course(plan, first_deal, count), new_table()
    low, high = split_seed(seed)
    kinds = kinds_of(scenario)
    if brain is None:
        weights = brains_of(policy, kinds, players)
    else:
        weights = side_by_side(list(np.broadcast_to(np.asarray(brain, BRAIN), len(kinds))))
    table = rules, plan, course, public, privates, hidden, new_record(VIEW), weights, new_source(), new_source()
    worlds = new_worlds(inference) if policy == "search" else ()
    log = new_log(False)

    def play(rounds: np.recarray, goals: np.recarray) -> int:
        if policy == "search":
            return play_deals_by_search(*table, TEAM, playouts, *worlds, low, high, stop_early, rounds, goals)
        return play_deals(*table, POLICIES[base_of(policy)], low, high, stop_early, log, rounds, goals)

    return Deals(rules, plan, course, public, int(rules[0].seats), play)


def play_columns(
    scenario: Scenario,
    players: int,
    policy: str,
    seed: int,
    first_deal: int,
    count: int,
    stop_early: bool,
    playouts: int = DEFAULT_PLAYOUTS,
    brain: Any = None,
    inference: bool = False,
    retry: str = "none",
    attempts: int = 1,
    where: Where = EVERY_DEAL,
) -> tuple[np.recarray, np.recarray]:
    """Return the columns of all rounds of `count` deals: record arrays ROUND_COLUMNS (rounds,) and GOAL_COLUMNS (rounds, seats).

    A deal of a short chapter is one round, one of a long chapter an attempt of several; with `retry` (`plan.RETRIES`) up to
    `attempts` attempts. `playouts`: worlds that `search` imagines for each decision; `brain`: weights of `team`, one set or one
    for each kind of round, the policy's own when None; `inference`: whether `search` weighs worlds by the others' choices;
    `where`: what every round's deal must fit.
    Raises UserError for a condition that does not fit the scenario, or that no deal fits within its tries.
    """
    if scenario.draw is not None:
        arguments = stop_early, playouts, brain, inference, retry, attempts
        return _play_pools(scenario, players, policy, seed, range(first_deal, first_deal + count), *arguments)
    deals = start_deals(
        scenario, players, policy, seed, first_deal, count, stop_early, playouts, brain, inference, retry, attempts, where
    )  # fmt: skip
    alone = not deals.plan.long and deals.plan.attempts == 1
    found: list[tuple[Any, Any]] = []
    while deals.course.deal != deals.course.end:
        rows = count if alone else min(ROWS, 4 * count)
        rounds = np.zeros(rows, ROUND_COLUMNS).view(np.recarray)
        goals = np.zeros((rows, deals.seats), GOAL_COLUMNS).view(np.recarray)
        played = deals.play(rounds, goals)
        if where:
            check_tries(scenario, players, where, seed, rounds.deal[:played], rounds.tries[:played])
        # A view would keep the rows that nobody needed.
        found.append((rounds, goals) if played == rows else (rounds[:played].copy(), goals[:played].copy()))
    return _joined(found)


def _joined(found: list[tuple[Any, Any]]) -> tuple[np.recarray, np.recarray]:
    if len(found) == 1:
        return found[0]
    whole: Any = tuple(np.concatenate([pair[side] for pair in found]).view(np.recarray) for side in (0, 1))
    return whole


def check_tries(scenario: Scenario, players: int, where: Where, seed: int, deals: Any, tries: Any) -> None:
    """Raise UserError for the first of `deals` for which no fitting one was found (tries, shape (deals,), is 0 there)."""
    if not tries.all():
        deal = int(deals[int(np.argmin(tries))])
        raise UserError(
            f"--where '{where.text}': none of {where.tries:_} deals tried fits (chapter {scenario.name}, {players} "
            f"player{'s' if players > 1 else ''}, deal {deal} of seed {seed:#x}); --tries allows more"
        )


def _play_pools(
    scenario: Scenario, players: int, policy: str, seed: int, deals: range, *arguments: Any
) -> tuple[np.recarray, np.recarray]:
    """Return the columns of deals that are played each with a pool of its own (`scenarios.drawing`), of the deal's number.

    Characters are indices in the roster of all who may be drawn, wandering curses numbers in the list of those that may.
    """
    place = {entry.character: index for index, entry in enumerate(scenario.roster)}
    curses = list(scenario.drawn_curses)
    found = []
    for deal in deals:
        pool = drawn(scenario, players, seed, deal)
        rounds, goals = play_columns(pool, players, policy, seed, deal, 1, *arguments)
        goals.character = np.array([place[entry.character] for entry in pool.roster], np.uint8)[goals.character]
        if pool.wandering is not None:
            goals.cursed[goals.cursed > 0] = 1 + curses.index(pool.wandering[0])
        found.append((rounds, goals))
    return _joined(found)


def lost_text(scenario: Scenario, mask: int) -> str:
    """Return lost cards as text, such as `H3`, or `H3 M5` when there are several."""
    return " ".join(card for slot, card in enumerate(scenario.cards) if mask >> slot & 1)


def to_frames(
    scenario: Scenario, players: int, policy: str, rounds: np.recarray, goals: np.recarray, tries: bool = False
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the columns as frames of the dataset's schemas (`sim.core.dataset`); tries: with the column of that name."""
    import polars as pl

    from sim.core.dataset import GOALS_SCHEMA, rounds_schema

    schema = rounds_schema(tries=tries)

    count, seats = goals.shape
    kinds = kinds_of(scenario)
    cell = [
        pl.lit(scenario.name).alias("chapter"), pl.lit(players, pl.UInt8).alias("players"), pl.lit(policy).alias("policy"),
    ]  # fmt: skip
    # Each kind of round has a deck and a roster of its own; a deal's lost cards are few different ones.
    kept, where = np.unique(np.stack([rounds.kind.astype(np.uint64), rounds.lost]), axis=1, return_inverse=True)
    texts = [lost_text(kinds[int(kind)], int(mask)) for kind, mask in kept.T]
    names = [pl.Series(names) for names in ([entry.character for entry in kind.roster] for kind in kinds)]
    curses = [[_curse(kind, entry.character, players) for entry in kind.roster] for kind in kinds]
    wandering = [None, *(scenario.drawn_curses or [scenario.wandering[0] if scenario.wandering is not None else ""])]
    starts = np.cumsum([0, *(len(of_kind) for of_kind in names[:-1])]).astype(np.uint32)
    round_frame = (
        pl.DataFrame({name: rounds[name] for name in ("deal", "attempt", "number", "first_leader", "tricks", "won", "tries")})
        .rename({"number": "round"})
        .with_columns(
            *cell,
            pl.Series("lost", texts, pl.String)[where.reshape(-1).astype(np.uint32)],
            pl.Series("event", [kind.kind or None for kind in kinds], pl.String)[rounds.kind.astype(np.uint32)],
        )
        .select(list(schema))
        .cast(schema)
    )
    flat: Any = goals.reshape(-1)
    roles = flat.character.astype(np.uint32) + np.repeat(starts[rounds.kind], seats)
    goal_frame = (
        pl.DataFrame(
            {name: np.repeat(rounds[name], seats) for name in ("deal", "attempt", "number")}
            | {name: flat[name] for name in ("threat", "tricks", "verdict", "lost_after", "first_lost")}
            | {"seat": np.tile(np.arange(seats, dtype=np.uint8), count)}
        )
        .rename({"number": "round"})
        .with_columns(
            *cell,
            pl.concat(names)[roles].alias("character"),
            pl.when(pl.Series(flat.cursed) > 0)
            .then(pl.Series(wandering, dtype=pl.String)[flat.cursed.astype(np.uint32)])
            .otherwise(pl.Series([curse for of_kind in curses for curse in of_kind], dtype=pl.String)[roles])
            .alias("curse"),
            pl.when(pl.col("threat") > 0).then("threat"),
            pl.when(pl.col("verdict") == MET).then(True).when(pl.col("verdict") == FAILED).then(False).alias("met"),
            pl.when(pl.col("lost_after") < NOT_LOST).then("lost_after"),
        )
        .select(list(GOALS_SCHEMA))
        .cast(GOALS_SCHEMA)
    )
    return round_frame, goal_frame


def _curse(kind: Scenario, character: str, players: int) -> str | None:
    key, curse = kind.curses.get(character, ("", None))
    return key if curse is not None and players in curse.players else None


def simulate_chunk(cell: Any, seed: int, first_deal: int, count: int, stop: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames of one chunk of a run's cell (`sim.core.runs.Cell`): a pure function of its arguments."""
    scenario: Scenario = cell.scenario
    early, where = stop == "early", Where(cell.where, cell.tries)
    if cell.policy == "open":
        import polars as pl

        from sim.tricks.solver.deals import VERDICTS, play_open

        rounds, goals, verdicts = play_open(scenario, cell.players, seed, first_deal, count, early, "team", where=where)
        frames = to_frames(scenario, cell.players, cell.policy, rounds, goals, bool(where))
        words = [VERDICTS[int(verdict)] for verdict in verdicts]
        return frames[0].with_columns(pl.Series("open", words, pl.String)), frames[1]
    playouts = cell.playouts or DEFAULT_PLAYOUTS
    rounds, goals = play_columns(
        scenario, cell.players, cell.policy, seed, first_deal, count, early, playouts, None, cell.inference == "on", cell.retry,
        cell.attempts, where,
    )  # fmt: skip
    return to_frames(scenario, cell.players, cell.policy, rounds, goals, bool(where))


def warm_up(search: bool = True) -> bool:
    """Compile every kernel that a run needs, or load it from the cache; returns whether it had to compile.

    `search` False loads no more than the fast policies need, once all was compiled.

    Says so on stderr when it compiles, with the seconds that went by on a terminal.
    """
    import scenarios
    from sim.core.jit import compiling

    cold = not is_warm()
    with compiling(cold):
        if cold:
            compile_all()
        chapter = scenarios.load("1")
        play_columns(chapter, 3, "random", 0, 0, 1, False)
        if search or cold:
            play_columns(chapter, 3, "search", 0, 0, 1, False, 1)
    if cold:
        mark_warm()
    return cold


def prepare(cells: Any) -> None:
    """Called once in the parent before workers start: compile, so that they only load."""
    warm_up(any(cell.policy == "search" for cell in cells))
    if any(cell.policy == "open" for cell in cells):
        from sim.tricks.solver.deals import warm_up as warm_up_solver

        warm_up_solver()
