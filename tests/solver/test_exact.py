"""The solver against trying everything: ends of rounds of the chapters, and whole short rounds of characters of all kinds."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from referee.endings import endings
from referee.referee import prepare, replay
from tables import can_be_won, table_before
from tricks.games import LATER, chapter, plain, play
from tricks.scenes import short, write
from tricks.test_bounds import COMPARED, KINDS, SETUPS, make_term

from sim.tricks.solver.deals import Solver
from sim.tricks.solver.search import LOST, WON

SEED = 77
SCENARIOS = 4
"""Made for each kind of goal term and number of players."""
TRIED: Counter[int] = Counter()
"""Positions of own characters by whether they can be won."""


def solved(solver: Solver, at: Any) -> int:
    """Return the verdict on the table of a replay, which must be decided."""
    verdict, _ = solver.position(at.public, at.privates, at.hidden, SEED, at.deal)
    assert verdict in (WON, LOST)
    return verdict


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("label", ["1", "2", "3", "4"])
def test_ends_of_rounds_are_decided_as_by_trying_everything(label: str, players: int) -> None:
    solver = Solver(chapter(label), players)
    found: Counter[int] = Counter()
    for deal in range(60):
        at = table_before(chapter(label), players, "script", deal, SEED, 4)
        if at is None or at.hidden.failed > 0:
            continue
        plainly = can_be_won(at.rules, at.public, at.privates, at.hidden)
        if plainly < 0:
            continue
        verdict = solved(solver, at)
        assert verdict == (WON if plainly else LOST), f"deal {deal}"
        found[verdict] += 1
    assert sum(found.values()) >= 10, found


ENDS: Counter[int] = Counter()
"""Endings of later chapters by whether they can be won."""


def ends(label: str, players: int, policy: str, deals: int, spare: int = 0) -> Counter[int]:
    """Compare the solver with trying everything on endings of a chapter; returns how many can be won and how many cannot."""
    solver = Solver(chapter(label), players)
    found: Counter[int] = Counter()
    for deal in range(deals):
        for to_go in (4, 3, 2):
            at = table_before(chapter(label), players, policy, deal, SEED, to_go)
            if at is None or at.hidden.failed > spare:
                continue
            at.public.spare = spare
            plainly = can_be_won(at.rules, at.public, at.privates, at.hidden, 50_000)
            if plainly >= 0:
                assert solved(solver, at) == (WON if plainly else LOST), f"{policy}, deal {deal}, {to_go} to go"
                found[plainly] += 1
    return found


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("label", LATER)
def test_ends_of_later_chapters_are_decided_as_by_trying_everything(label: str, players: int) -> None:
    found = ends(label, players, "script", 8) + ends(label, players, "random", 8)
    assert sum(found.values()) >= 4
    ENDS.update(found)


def test_enough_ends_of_later_chapters_were_tried() -> None:
    if not ENDS:
        pytest.skip("runs after the others")
    assert ENDS[0] > 300
    assert ENDS[1] > 300


@pytest.mark.parametrize(
    ("label", "players", "name", "option"),
    [
        ("5", 3, "A6", "after_trick"),
        ("5", 4, "A16", "left"),
        ("12", 3, "A3", "no"),
        ("12", 2, "A10", "after_trick"),
        ("14-bridge_of_khazad_dum", 3, "A6", "after_trick"),
        ("15", 3, "A19", "no"),
        ("9", 3, "A9", "private"),
        ("14-long_dark", 4, "A20", "owner_too"),
    ],
)
def test_assumptions_that_change_play_are_known(label: str, players: int, name: str, option: str) -> None:
    scenario = chapter(label, ((name, option),))
    solver = Solver(scenario, players)
    found: Counter[int] = Counter()
    for deal in range(25):
        for to_go in (4, 3):
            at = table_before(scenario, players, "script", deal, SEED, to_go)
            if at is not None and at.hidden.failed == 0:
                plainly = can_be_won(at.rules, at.public, at.privates, at.hidden, 50_000)
                if plainly >= 0:
                    assert solved(solver, at) == (WON if plainly else LOST), f"deal {deal}"
                    found[plainly] += 1
    assert sum(found.values()) >= 4


@pytest.mark.parametrize(("label", "players"), [("2", 1), ("2", 3), ("3", 2), ("13", 4), ("14-bridge_of_khazad_dum", 3)])
def test_where_one_goal_may_fail_all_ways_of_it_are_tried(label: str, players: int) -> None:
    found = ends(label, players, "random", 25, spare=1)
    assert found[1] > ends(label, players, "random", 25)[1]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("label", ["1", "2", "3", "4"])
def test_the_referee_agrees_on_the_last_tricks(label: str, players: int) -> None:
    solver = Solver(chapter(label), players)
    for deal in range(12):
        to_go = 2 if deal else 3
        at = table_before(chapter(label), players, "random", deal, SEED, to_go)
        if at is None:
            continue
        record = plain(play(chapter(label), players, "random", deal, SEED).record)
        position = replay(record, chapter(label), prepare(record, chapter(label), {}, []), [])[len(record["tricks"]) - to_go]
        assert (solved(solver, at) == WON) == any(all(verdicts) for verdicts in endings(position)), f"deal {deal}"


def scenario_of(kind: str, players: int, number: int, folder: Path) -> Any:
    """Return a scenario whose four characters have goals of a kind, not far from what random play brings."""
    chance = random.Random(f"{kind} {players} {number}")
    make = write if players == 2 else short
    names = [f"hero{index}" for index in range(4)]
    setups = chance.choices(["idle", "taker", "drawer", "giver"], weights=[3, 2, 2, 1 if players > 1 else 0], k=4)
    easy = {"measure": "tricks", "at_least": 0}
    cast: dict[str, dict[str, Any]] = {
        name: {"goal": [easy], "setup": SETUPS[setup]} for name, setup in zip(names, setups, strict=True)
    }
    if kind == "lent":
        cast["hero0"]["lends"] = [{"to": "hero1", "cards": "R1-3"}]
    path = folder / f"{kind}{players}n{number}.toml"
    scenario = make(path, names, cast, threats=[1, 2, 3, 4, 5, 6])
    first = play(scenario, players, "random", number)
    for seat, entry in enumerate(first.record["seats"]):
        wanted = "cards" if kind == "lent" and entry["character"] != "hero1" else kind
        terms = [wanted] if number % 2 else [wanted, chance.choice(KINDS[:8])]
        cast[entry["character"]]["goal"] = [make_term(one, chance, seat, first, scenario) for one in terms]
    return make(path, names, cast, threats=[1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", [*KINDS, *COMPARED])
def test_rounds_of_own_characters_are_decided_as_by_trying_everything(kind: str, players: int, tmp_path: Path) -> None:
    found: Counter[int] = Counter()
    for number in range(SCENARIOS):
        scenario = scenario_of(kind, players, number, tmp_path)
        solver = Solver(scenario, players)
        for deal in range(12):
            # Whole rounds of the short deck but for a trick at the most, and their ends.
            for to_go in (5, 4, 2):
                at = table_before(scenario, players, "random", deal, SEED, to_go)
                if at is None or at.hidden.failed > 0:
                    continue
                plainly = can_be_won(at.rules, at.public, at.privates, at.hidden, 200_000)
                if plainly >= 0:
                    assert solved(solver, at) == (WON if plainly else LOST), f"number {number}, deal {deal}, {to_go} to go"
                    found[plainly] += 1
    TRIED.update(found)


def test_enough_rounds_of_own_characters_were_tried() -> None:
    if not TRIED:
        pytest.skip("runs after the others")
    assert TRIED[0] > 300
    assert TRIED[1] > 300
