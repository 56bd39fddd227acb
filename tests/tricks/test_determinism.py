"""The same deals give the same rows, however they are cut up, and no policy changes what is dealt."""

from __future__ import annotations

import numpy as np
import pytest

from sim import simulate
from sim.tricks.batch import play_columns
from sim.tricks.library import PLAYING
from sim.tricks.replay import Replay

from .games import CHAPTERS, PLAYERS, PLAYOUTS, SEED, chapter

DEALS = 120
FAST = [policy for policy in PLAYING if policy != "search"]
CELLS = [(label, players) for label in CHAPTERS for players in PLAYERS]


def columns(label: str, players: int, policy: str, first: int, count: int, early: bool = False, seed: int = SEED) -> list[bytes]:
    """Return the columns of deals as bytes, one entry a deal."""
    rounds, goals = play_columns(chapter(label), players, policy, seed, first, count, early, PLAYOUTS)
    return [np.asarray(rounds[i]).tobytes() + np.asarray(goals[i]).tobytes() for i in range(count)]


@pytest.mark.parametrize("policy", FAST)
@pytest.mark.parametrize(("label", "players"), CELLS)
def test_a_run_in_pieces_is_the_run_in_one(label: str, players: int, policy: str) -> None:
    whole = columns(label, players, policy, 0, DEALS)
    cuts = [0, 1, 7, 57, DEALS]
    pieces = [row for a, b in zip(cuts, cuts[1:], strict=False) for row in columns(label, players, policy, a, b - a)]
    assert pieces == whole
    assert columns(label, players, policy, 0, DEALS) == whole
    assert len(set(whole)) > DEALS // 4


@pytest.mark.parametrize("players", PLAYERS)
def test_a_search_in_pieces_is_the_search_in_one(players: int) -> None:
    whole = columns("2", players, "search", 0, 6)
    assert columns("2", players, "search", 0, 2) + columns("2", players, "search", 2, 4) == whole


@pytest.mark.parametrize("policy", FAST)
@pytest.mark.parametrize(("label", "players"), CELLS)
def test_a_round_stopped_early_goes_as_far_as_it_goes_like_the_full_one(label: str, players: int, policy: str) -> None:
    full_rounds, full_goals = play_columns(chapter(label), players, policy, SEED, 0, DEALS, False)
    early_rounds, early_goals = play_columns(chapter(label), players, policy, SEED, 0, DEALS, True)
    for name in ("lost", "first_leader", "won"):
        assert (full_rounds[name] == early_rounds[name]).all()
    assert (early_rounds.tricks <= full_rounds.tricks).all()
    assert (early_rounds.tricks < full_rounds.tricks).any()
    for name in ("character", "threat"):
        assert (full_goals[name] == early_goals[name]).all()
    decided = early_goals.verdict != 0
    assert (early_goals.verdict[decided] == full_goals.verdict[decided]).all()
    assert (early_goals.lost_after[decided] == full_goals.lost_after[decided]).all()
    assert (early_goals.first_lost == full_goals.first_lost).all()


def dealt(label: str, players: int, policy: str, seed: int, deal: int) -> tuple:
    """Return hands, lost cards and draw deck as dealt."""
    replay = Replay(chapter(label), players, policy, seed, deal)
    return replay.dealt, replay.cards(replay.public.lost), replay.draw_order, replay.pyramid_dealt


@pytest.mark.parametrize(("label", "players"), CELLS)
def test_no_policy_changes_the_deal(label: str, players: int) -> None:
    for deal in range(30):
        first, *others = [dealt(label, players, policy, SEED, deal) for policy in PLAYING]
        assert all(other == first for other in others)


def test_all_chapters_with_the_same_deck_have_the_same_deals() -> None:
    for players in PLAYERS:
        for deal in range(10):
            assert dealt("1", players, "random", SEED, deal) == dealt("4", players, "random", SEED, deal)


@pytest.mark.parametrize("players", PLAYERS)
def test_the_whole_seed_and_the_whole_deal_number_matter(players: int) -> None:
    seeds = [1, 1 + (1 << 32), 1 + (1 << 63), 1 + (1 << 64), 1 + (1 << 127), (1 << 128) - 1]
    deals = [5, 5 + (1 << 31), 5 + (1 << 32), 5 + (1 << 53), 5 + (1 << 63)]
    found = [dealt("1", players, "random", seed, deal) for seed in seeds for deal in deals]
    assert all(one not in found[:number] for number, one in enumerate(found))


@pytest.mark.parametrize("first", [(1 << 32) - 2, (1 << 53) - 2, (1 << 63) - 2, (1 << 64) - 4])
def test_deals_of_large_numbers_are_those_that_a_replay_shows(first: int) -> None:
    scenario = chapter("1")
    rounds, _ = play_columns(scenario, 3, "random", SEED, first, 4, False)
    one_by_one = [row for deal in range(first, first + 4) for row in columns("1", 3, "random", deal, 1)]
    assert columns("1", 3, "random", first, 4) == one_by_one
    for index in range(4):
        lost = Replay(scenario, 3, "random", SEED, first + index).public.lost
        assert int(rounds[index].lost) == int(lost)


def test_what_is_played_depends_on_the_deal_and_not_on_its_neighbours() -> None:
    assert columns("2", 4, "random", 50, 10) == columns("2", 4, "random", 0, 60)[50:]


def test_workers_and_runs_of_several_cells_change_nothing() -> None:
    together = simulate([1, 4], players=[1, 3], policy=["random", "script"], deals=40, seed=SEED, workers=1)
    alone = simulate(4, players=3, policy="script", deals=40, seed=SEED)
    again = simulate([1, 4], players=[1, 3], policy=["random", "script"], deals=40, seed=SEED, workers=2)
    assert together.rounds.equals(again.rounds)
    assert together.goals.equals(again.goals)
    mine = together.rounds.filter(chapter="4", players=3, policy="script")
    assert mine.equals(alone.rounds.select(mine.columns))
