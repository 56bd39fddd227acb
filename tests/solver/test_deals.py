"""What the solver says of whole deals: lines that win, deals that nobody wins, the same verdicts in any order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tricks.games import LATER, chapter, check, judge

from sim.core.jit import COMPILED, kernel
from sim.core.random import new_source
from sim.tricks.engine import advance, apply
from sim.tricks.link import link
from sim.tricks.plan import compile_plan
from sim.tricks.policies.dispatch import RANDOM, SCRIPT, TEAM
from sim.tricks.policies.team import load_brain, weights_of
from sim.tricks.replay import record
from sim.tricks.round import finish
from sim.tricks.search import new_worlds, search_choice
from sim.tricks.solver.deals import Solver, play_open, solve_deals
from sim.tricks.solver.replay import OpenReplay
from sim.tricks.solver.search import LOST, UNKNOWN, WON
from sim.tricks.table import LOG_NAMED, LOG_UNTUCKED, MET, new_log, new_record, new_table
from sim.tricks.view import VIEW, look

SEED = 7
CELLS = [(label, players) for label in ("1", "2", "3", "4") for players in (1, 2, 3, 4)]
LATER_CELLS = [(label, players) for label in LATER for players in (1, 2, 3, 4)]
LONG = ("9", "13", "14", "17")


def told(answers: np.recarray) -> list[tuple[int, ...]]:
    """Return the verdicts without the time they took."""
    return [tuple(int(row[name]) for name in ("verdict", "nodes", "tricks", "setup")) for row in answers]


@pytest.mark.parametrize(("label", "players"), CELLS)
def test_a_winning_line_is_a_round_by_the_rules(label: str, players: int, tmp_path: Path) -> None:
    verdicts = solve_deals(chapter(label), players, SEED, 0, 12).verdict
    records = []
    for deal in np.flatnonzero(verdicts == WON)[:6]:
        entry = record(OpenReplay(chapter(label), players, SEED, int(deal)))
        assert entry["policy"] == "open"
        assert entry["won"]
        assert all(entry["goals"])
        assert judge({k: v for k, v in entry.items() if not (k.startswith("pyramid_") and v == [])}, chapter(label)) == []
        records.append(entry)
    assert records
    assert check(records, tmp_path) == [[]] * len(records)


@pytest.mark.parametrize(("label", "players"), LATER_CELLS)
def test_a_winning_line_of_a_later_chapter_is_a_round_by_the_rules(label: str, players: int, tmp_path: Path) -> None:
    won = np.flatnonzero(solve_deals(chapter(label), players, SEED, 0, 4, "team", 5_000).verdict == WON)
    records = [record(OpenReplay(chapter(label), players, SEED, int(deal), "team", 5_000)) for deal in won[:2]]
    assert records
    for entry in records:
        assert entry["won"]
        assert all(entry["goals"])
        assert judge({k: v for k, v in entry.items() if not (k.startswith("pyramid_") and v == [])}, chapter(label)) == []
    assert check(records, tmp_path) == [[]] * len(records)


def test_lines_name_leaders_and_take_cards_back() -> None:
    for label, players, step in (("10", 3, LOG_NAMED), ("10", 1, LOG_NAMED), ("12", 3, LOG_UNTUCKED)):
        rows = 0
        for deal in range(15):
            replay = OpenReplay(chapter(label), players, SEED, deal, "team")
            replay.set_up()
            replay.play()
            rows += sum(row[0] == step for row in replay.events())
            assert int(replay.hidden.met) == int(replay.rules.seats) or replay.answer.verdict != WON
        assert rows > 0


def test_a_line_may_declare_after_the_trick(tmp_path: Path) -> None:
    scenario = chapter("2", (("A10", "after_trick"),))
    solver = Solver(scenario, 4)
    verdicts = solver.answers(SEED, 0, 200).verdict
    records = [record(OpenReplay(scenario, 4, SEED, int(deal))) for deal in np.flatnonzero(verdicts == WON)[:40]]
    assert any(trick["one_ring_wins"] for entry in records for trick in entry["tricks"])
    assert all(entry["won"] for entry in records)
    assert check(records, tmp_path) == [[]] * len(records)


@pytest.mark.parametrize(("label", "players"), CELLS)
def test_rounds_under_open(label: str, players: int) -> None:
    answers = solve_deals(chapter(label), players, SEED, 50, 40)
    rounds, goals, verdicts = play_open(chapter(label), players, SEED, 50, 40)
    assert ((verdicts == WON) == rounds.won).all()
    assert ((goals.verdict == MET).all(axis=1) == rounds.won).all()
    # A deal that is given up may still be won by the policy that plays on.
    assert (verdicts[answers.verdict != UNKNOWN] == answers.verdict[answers.verdict != UNKNOWN]).all()
    early, _, again = play_open(chapter(label), players, SEED, 50, 40, stop_early=True)
    assert (again == verdicts).all()
    assert (early.tricks <= rounds.tricks).all()


@pytest.mark.parametrize(
    ("label", "players"), [("5", 1), ("6", 3), ("12", 4), ("14-bridge_of_khazad_dum", 2), ("16", 4), ("17", 3)]
)
def test_rounds_of_later_chapters_under_open(label: str, players: int) -> None:
    rounds, goals, verdicts = play_open(chapter(label), players, SEED, 0, 30, setup_policy="team", budget=5_000)
    if label in LONG:
        rounds, goals, verdicts = (column[rounds.number == 1] for column in (rounds, goals, verdicts))
    assert ((verdicts == WON) == rounds.won).all()
    assert ((goals.verdict == MET).all(axis=1) == rounds.won).all()
    assert rounds.won.sum() > 15


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("label", LONG)
def test_attempts_at_long_chapters_go_on_as_long_as_rounds_are_won(label: str, players: int) -> None:
    rounds, goals, verdicts = play_open(chapter(label), players, SEED, 3, 12, setup_policy="team", budget=5_000)
    assert ((verdicts == WON) == rounds.won).all()
    must = compile_plan(chapter(label), players)[1].must
    everyone = compile_plan(chapter(label), players)[1].everyone
    finished = 0
    for deal in range(3, 15):
        here = np.flatnonzero(rounds.deal == deal)
        assert rounds.number[here].tolist() == list(range(1, len(here) + 1))
        assert rounds.won[here[:-1]].all()
        done = 0
        for row in here[rounds.won[here]]:
            for role in goals.character[row]:
                done |= 1 << int(everyone[rounds.kind[row], role])
        whole = int(must) & ~done == 0 and set(rounds.kind[here]) == set(range(len(chapter(label).rounds) or 1))
        assert whole == bool(rounds.won[here[-1]])
        finished += whole
        # A saved goal counts as met, and says when it was lost: at most once in an attempt.
        assert (goals.lost_after[here[rounds.won[here]]] < 255).sum() <= 1
    assert finished > 0
    assert len(rounds) > 12


@kernel
def wins_by_play(rules, public_0, privates_0, hidden_0, public, privates, hidden, view, brain, luck, chance, log, n):
    """Return how often `n` continuations of a table meet all goals: one by `script`, one by `team`, the others at random."""
    total = 0
    for i in range(n):
        public[0] = public_0
        privates[0] = privates_0
        hidden[0] = hidden_0
        who = SCRIPT if i == 0 else TEAM if i == 1 else RANDOM
        total += finish(rules, public[0], privates[0], hidden[0], view, brain, luck, chance, who, log)
    return total


@kernel
def wins_by_search(
    rules, public, privates, hidden, view, brain, luck, source, policy, worlds, publics, privates2, hiddens, world_view, wins,
    history, pasts, log, off,
):  # fmt: skip
    """Return whether `search` meets all goals from where the table stands."""
    view.prepared = -1
    log.rows = 0
    history.choices = 0
    while advance(rules, public, privates, hidden, luck, log):
        look(rules, public, privates, hidden, view)
        choice = search_choice(
            rules, public, hidden, view, brain, source, policy, worlds, publics, privates2, hiddens, world_view, wins, history,
            pasts, log, off,
        )  # fmt: skip
        apply(rules, public, privates, hidden, choice, log)
    return hidden.met == public.seats


LOST_OF_10_000: list[int] = []


@pytest.mark.parametrize(("label", "players"), CELLS)
def test_no_deal_called_lost_is_won_by_any_policy(label: str, players: int) -> None:
    # Set up by chance: after a good setup hardly a deal is lost.
    solver = Solver(chapter(label), players, policy="random")
    link(solver.rules, searching=True)
    lost = np.flatnonzero(solver.answers(SEED, 0, 10_000 // len(CELLS)).verdict == LOST)
    LOST_OF_10_000.append(len(lost))
    tables = [np.zeros(1, record.dtype).view(np.recarray) for record in new_table()]
    view, brain, luck, chance = new_record(VIEW), load_brain(), new_source(), new_source()
    for deal in lost:
        solver.deal(SEED, int(deal), new_log(False))
        table = solver.public, solver.privates, solver.hidden
        wins = wins_by_play(solver.rules, *table, *tables, view, brain, luck, chance, new_log(False), 1000)
        assert wins == 0, f"deal {deal}"
        assert not wins_by_search(solver.rules, *table, view, brain, luck, chance, TEAM, 8, *new_worlds(True)), f"deal {deal}"


LOST_LATER: list[int] = []


@pytest.mark.parametrize(("label", "players"), LATER_CELLS)
def test_no_deal_of_a_later_chapter_called_lost_is_won_by_any_policy(label: str, players: int) -> None:
    solver = Solver(chapter(label), players, "random", 1_000)
    lost = np.flatnonzero(solver.answers(SEED, 0, 100).verdict == LOST)
    LOST_LATER.append(len(lost))
    tables = [np.zeros(1, record.dtype).view(np.recarray) for record in new_table()]
    view, brain, luck, chance = new_record(VIEW), weights_of(chapter(label), players), new_source(), new_source()
    for deal in lost[:20]:
        solver.deal(SEED, int(deal), new_log(False))
        table = solver.public, solver.privates, solver.hidden
        wins = wins_by_play(solver.rules, *table, *tables, view, brain, luck, chance, new_log(False), 150)
        assert wins == 0, f"deal {deal}"


def test_enough_lost_deals_of_later_chapters_were_tried() -> None:
    if len(LOST_LATER) < len(LATER_CELLS):
        pytest.skip("needs every cell of the test above")
    assert sum(LOST_LATER) > 100


def test_enough_lost_deals_were_tried() -> None:
    if len(LOST_OF_10_000) < len(CELLS):
        pytest.skip("needs every cell of the test above")
    assert sum(LOST_OF_10_000) > 100


@pytest.mark.parametrize(("label", "players"), [("1", 4), ("2", 3), ("3", 2), ("4", 1)])
def test_a_verdict_depends_on_its_deal_alone(label: str, players: int) -> None:
    whole = told(solve_deals(chapter(label), players, SEED, 0, 60, budget=2_000))
    solver = Solver(chapter(label), players, budget=2_000)
    parts = {first: told(solver.answers(SEED, first, size)) for first, size in ((37, 23), (0, 5), (5, 32), (0, 5))}
    assert parts[0] + parts[5] + parts[37] == whole
    assert told(solve_deals(chapter(label), players, SEED + 1, 0, 60, budget=2_000)) != whole


@pytest.mark.parametrize(("label", "players"), [("1", 4), ("4", 4), ("3", 1)])
def test_a_larger_budget_decides_more_and_nothing_otherwise(label: str, players: int) -> None:
    few = solve_deals(chapter(label), players, SEED, 0, 150, budget=30)
    many = solve_deals(chapter(label), players, SEED, 0, 150, budget=3_000)
    assert (few.nodes <= 30).all()
    assert ((few.verdict == UNKNOWN) | (few.verdict == many.verdict)).all()
    assert (many.verdict != UNKNOWN).sum() > (few.verdict != UNKNOWN).sum()


def test_other_setups_win_lost_deals(tmp_path: Path) -> None:
    one = solve_deals(chapter("3"), 2, SEED, 0, 60)
    more = solve_deals(chapter("3"), 2, SEED, 0, 60, setups=10)
    assert (more.verdict[one.verdict == WON] == WON).all()
    assert not (more.verdict == LOST).any()
    found = np.flatnonzero(more.setup * (more.verdict == WON))
    assert len(found) > 0
    entry = record(OpenReplay(chapter("3"), 2, SEED, int(found[0]), setups=10))
    assert entry["won"]
    assert check([entry], tmp_path) == [[]]


PROGRAM = """
import scenarios
from sim.tricks.solver.deals import solve_deals
for label in ("1", "2", "3", "4", "5", "10", "12", "14-bridge_of_khazad_dum", "17"):
    for players in (1, 2, 3, 4) if label < "5" and len(label) == 1 else (3,):
        answers = solve_deals(scenarios.load(label), players, 5, 0, 2, budget=25)
        print(label, players, answers.verdict, answers.nodes, answers.tricks)
"""


@pytest.mark.skipif(not COMPILED, reason="this is plain Python already")
def test_verdicts_are_the_same_compiled_and_as_plain_python() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", PROGRAM], env=os.environ | more, capture_output=True, text=True, check=True
        ).stdout
        for more in ({}, {"NUMBA_DISABLE_JIT": "1"})
    ]
    assert said[0] == said[1] != ""
