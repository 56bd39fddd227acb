"""Many deals of one cell: the batch kernel over preallocated columns, and the frames made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.model import Scenario
from sim.core.jit import is_warm, kernel, mark_warm
from sim.core.random import new_source
from sim.tricks.policies.dispatch import POLICIES, TEAM
from sim.tricks.policies.team import load_brain
from sim.tricks.round import play_round
from sim.tricks.rules import compile_rules
from sim.tricks.search import DEFAULT_PLAYOUTS, new_worlds, play_round_by_search
from sim.tricks.table import FAILED, MET, new_log, new_record, new_table
from sim.tricks.view import VIEW

if TYPE_CHECKING:
    import polars as pl

LOW64 = (1 << 64) - 1

ROUND_COLUMNS = np.dtype([("lost", np.uint64), ("first_leader", np.uint8), ("tricks", np.uint8), ("won", np.bool_)])
"""One round: lost cards as a mask, seat that led first, tricks played, whether it was won."""
GOAL_COLUMNS = np.dtype(
    [
        ("character", np.uint8),
        ("threat", np.uint8),
        ("tricks", np.uint8),
        ("verdict", np.uint8),
        ("lost_after", np.uint8),
        ("first_lost", np.bool_),
    ]
)
"""One seat's goal: roster index, threat (0: none), tricks won, verdict (OPEN, MET, FAILED), lost_after (255: not lost)."""
NOT_LOST = 255


@kernel
def write_row(public, hidden, won, rounds, goals, i):
    """Write a finished round to row `i` of the columns."""
    row = rounds[i]
    row.lost = public.first_lost
    row.first_leader = public.opening_leader
    row.tricks = public.trick
    row.won = won
    earliest = 1000
    for seat in range(public.seats):
        if hidden.verdict[seat] == FAILED:
            earliest = min(earliest, hidden.lost_after[seat])
    for seat in range(public.seats):
        cell = goals[i, seat]
        cell.character = public.character[seat]
        cell.threat = public.threat[seat]
        cell.tricks = public.tricks_won[seat]
        cell.verdict = hidden.verdict[seat]
        lost = hidden.verdict[seat] == FAILED
        cell.lost_after = hidden.lost_after[seat] if lost else 255
        cell.first_lost = lost and hidden.lost_after[seat] == earliest


@kernel
def play_deals(
    rules,
    public,
    privates,
    hidden,
    view,
    brain,
    luck,
    choices,
    policy,
    seed_low,
    seed_high,
    first_deal,
    stop_early,
    log,
    rounds,
    goals,
):
    """Play `rounds.shape[0]` deals from `first_deal` on and write them to the columns.

    rounds: array of dtype ROUND_COLUMNS, shape (n,); goals: array of dtype GOAL_COLUMNS, shape (n, seats).
    Returns the number of rounds won.
    """
    total = 0
    one = np.uint64(1)
    for i in range(rounds.shape[0]):
        deal = first_deal + np.uint64(i)
        won = play_round(
            rules, public, privates, hidden, view, brain, luck, choices, policy, seed_low, seed_high, one, deal, stop_early, log
        )
        total += won
        write_row(public, hidden, won, rounds, goals, i)
    return total


def split_seed(seed: int) -> tuple[np.uint64, np.uint64]:
    """Return the low and the high 64 bits of a seed."""
    return np.uint64(seed & LOW64), np.uint64(seed >> 64)


@kernel
def play_deals_by_search(
    rules, public, privates, hidden, view, brain, luck, source, policy, worlds, publics, privates2, hiddens, world_view, wins,
    history, pasts, log, off, seed_low, seed_high, first_deal, stop_early, rounds, goals,
):  # fmt: skip
    """The same under `search`: see `search.play_round_by_search` for the further arguments."""
    total = 0
    one = np.uint64(1)
    for i in range(rounds.shape[0]):
        deal = first_deal + np.uint64(i)
        won = play_round_by_search(
            rules, public, privates, hidden, view, brain, luck, source, policy, worlds, publics, privates2, hiddens, world_view,
            wins, history, pasts, log, off, seed_low, seed_high, one, deal, stop_early,
        )  # fmt: skip
        total += won
        write_row(public, hidden, won, rounds, goals, i)
    return total


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
) -> tuple[np.recarray, np.recarray]:
    """Return the columns of `count` deals: record arrays ROUND_COLUMNS of shape (n,) and GOAL_COLUMNS of shape (n, seats).

    `playouts`: worlds that `search` imagines for each decision; `brain`: weights of `team`, the shipped ones when None;
    `inference`: whether `search` weighs worlds by the others' choices.
    """
    rules = compile_rules(scenario, players)
    public, privates, hidden = new_table()
    rounds = np.zeros(count, ROUND_COLUMNS).view(np.recarray)
    goals = np.zeros((count, int(rules.seats)), GOAL_COLUMNS).view(np.recarray)
    low, high = split_seed(seed)
    weights = load_brain() if brain is None else brain
    table = rules, public, privates, hidden, new_record(VIEW), weights, new_source(), new_source()
    deals = low, high, np.uint64(first_deal), stop_early
    if policy == "search":
        play_deals_by_search(*table, TEAM, playouts, *new_worlds(inference), *deals, rounds, goals)
    else:
        play_deals(*table, POLICIES[policy], *deals, new_log(False), rounds, goals)
    return rounds, goals


def lost_texts(scenario: Scenario, masks: np.ndarray) -> list[str]:
    """Return the lost cards of each round as text, such as `H3`, or `H3 M5` when there are several."""
    texts = {
        int(mask): " ".join(card for slot, card in enumerate(scenario.cards) if int(mask) >> slot & 1)
        for mask in np.unique(masks)
    }
    return [texts[int(mask)] for mask in masks]


def to_frames(
    scenario: Scenario, players: int, policy: str, first_deal: int, rounds: np.recarray, goals: np.recarray
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the columns as frames of the dataset's schemas (`sim.core.dataset`)."""
    import polars as pl

    from sim.core.dataset import GOALS_SCHEMA, ROUNDS_SCHEMA

    count, seats = goals.shape
    deals = np.arange(first_deal, first_deal + count, dtype=np.uint64)
    masks, where = np.unique(rounds.lost, return_inverse=True)
    lost = pl.Series("lost", lost_texts(scenario, masks), pl.String)[where.astype(np.uint32)]
    cell = [
        pl.lit(scenario.label).alias("chapter"), pl.lit(players, pl.UInt8).alias("players"), pl.lit(policy).alias("policy"),
    ]  # fmt: skip
    round_frame = (
        pl.DataFrame(
            {"deal": deals, "lost": lost, "first_leader": rounds.first_leader, "tricks": rounds.tricks, "won": rounds.won}
        )
        .with_columns(*cell, pl.lit(1, pl.UInt8).alias("round"), pl.lit(None, pl.String).alias("event"))
        .select(list(ROUNDS_SCHEMA))
        .cast(ROUNDS_SCHEMA)
    )
    names = pl.Series("names", [entry.character for entry in scenario.roster], pl.String)
    flat: Any = goals.reshape(-1)
    goal_frame = (
        pl.DataFrame(
            {
                "deal": np.repeat(deals, seats),
                "seat": np.tile(np.arange(seats, dtype=np.uint8), count),
                "character": names[flat.character.astype(np.uint32)],
                "threat": flat.threat,
                "tricks": flat.tricks,
                "verdict": flat.verdict,
                "lost_after": flat.lost_after,
                "first_lost": flat.first_lost,
            }
        )
        .with_columns(
            *cell,
            pl.lit(1, pl.UInt8).alias("round"),
            pl.lit(None, pl.String).alias("curse"),
            pl.when(pl.col("threat") > 0).then("threat"),
            pl.when(pl.col("verdict") == MET).then(True).when(pl.col("verdict") == FAILED).then(False).alias("met"),
            pl.when(pl.col("lost_after") < NOT_LOST).then("lost_after"),
        )
        .select(list(GOALS_SCHEMA))
        .cast(GOALS_SCHEMA)
    )
    return round_frame, goal_frame


def simulate_chunk(cell: Any, seed: int, first_deal: int, count: int, stop: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames of one chunk of a run's cell (`sim.core.runs.Cell`): a pure function of its arguments."""
    scenario: Scenario = cell.scenario
    early = stop == "early"
    if cell.policy == "open":
        import polars as pl

        from sim.tricks.solver.deals import VERDICTS, play_open

        rounds, goals, verdicts = play_open(scenario, cell.players, seed, first_deal, count, early, "team")
        frames = to_frames(scenario, cell.players, cell.policy, first_deal, rounds, goals)
        words = [VERDICTS[int(verdict)] for verdict in verdicts]
        return frames[0].with_columns(pl.Series("open", words, pl.String)), frames[1]
    playouts = cell.playouts or DEFAULT_PLAYOUTS
    rounds, goals = play_columns(
        scenario, cell.players, cell.policy, seed, first_deal, count, early, playouts, inference=cell.inference == "on"
    )
    return to_frames(scenario, cell.players, cell.policy, first_deal, rounds, goals)


def warm_up(search: bool = True) -> bool:
    """Compile every kernel that a run needs, or load it from the cache; returns whether it had to compile.

    `search` False loads no more than the fast policies need, once all was compiled.

    Says so on stderr when it compiles, with the seconds that went by on a terminal.
    """
    import scenarios
    from sim.core.jit import compiling

    cold = not is_warm()
    with compiling(cold):
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
