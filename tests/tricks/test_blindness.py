"""No policy sees what its seat does not see.

In a world that looks the same to the person it is handed the same, and does the same.
"""

from __future__ import annotations

import inspect
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from sim.core.jit import COMPILED
from sim.tricks import decisions, engine
from sim.tricks.library import PLAYING
from sim.tricks.policies import dispatch

from .games import CHAPTERS, LATER, PLAYERS, SEED, chapter
from .worlds import Decision, Game, Original, other_world, play_original

ASSUMED = (("A10", "after_trick"), ("A12", "optional"))
DEALS = 2
DECISIONS = 8
"""Decisions in play of a deal that are put into other worlds, and all of its setup."""
WORLDS = 2
TRIES = 12
"""How many worlds are drawn for one that fits what the person saw."""
KINDS = {
    engine.CHARACTER, engine.EXCHANGER, engine.TAKE, engine.PARTNER, engine.GIVEN, engine.RETURNED, engine.CARD, engine.DECLARE,
}  # fmt: skip
CELLS = [(policy, label, players) for policy in PLAYING for label in CHAPTERS for players in PLAYERS]
LATER_CELLS = [(policy, label, players) for policy in ("random", "script", "team") for label in LATER for players in PLAYERS]
LATER_CELLS += [("search", label, players) for label in ("6", "9", "12", "14-long_dark", "15", "16") for players in (2, 3)]
ROAD_CELLS = [(policy, "road", players) for policy in ("random", "script", "team") for players in PLAYERS]
ROAD_CELLS += [("search", "road", players) for players in (2, 3)]
ROAD_DEALS = (0, 3, 5)
"""Deals of the road: in the later two, several characters may touch the lost card."""
ROAD_KINDS = {decisions.CURSED, decisions.CLAIM, decisions.FETCH, decisions.FREED}
LATER_ASSUMED = (("A9", "private"), ("A10", "after_trick"), ("A12", "optional"), ("A18", "chosen"), ("A19", "no"))
LATER_KINDS = {
    decisions.THREAT, decisions.KEPT, decisions.AGAIN, decisions.WAY, decisions.FROM_PILE, decisions.TUCKED, decisions.UNTUCK,
    decisions.RESERVED, decisions.AHEAD, decisions.LEADER,
}  # fmt: skip


def deals_of(label: str) -> tuple[int, ...]:
    """Return the numbers of the deals that are looked at."""
    return ROAD_DEALS if label == "road" else tuple(range(DEALS))


@cache
def original(label: str, players: int, policy: str, deal: int) -> Original:
    """Return a deal as it was played (every second under other assumptions)."""
    assume = LATER_ASSUMED if label in LATER else ASSUMED[:1] if label == "road" else ASSUMED
    return play_original((chapter(label, assume if deal % 2 else ()), players, policy, SEED, deal))


def sample(one: Original, chance: random.Random) -> list[int]:
    """Return the numbers of decisions to look at: all of setup, and some of play."""
    kinds = [decision.key[0] for decision in one.decisions]
    cards = [number for number, kind in enumerate(kinds) if kind == engine.CARD]
    return [number for number, kind in enumerate(kinds) if kind != engine.CARD] + chance.sample(cards, min(len(cards), DECISIONS))


def worlds(policy: str, label: str, players: int) -> Iterator[tuple[Decision, Decision, bool]]:
    """Yield decisions of a cell, each with the same one in another world, and whether that world differs at all."""
    chance = random.Random(f"{policy} {label} {players}")
    for deal in deals_of(label):
        one = original(label, players, policy, deal)
        for number in sample(one, chance):
            for _ in range(WORLDS):
                drawn = (other_world(one, number, chance) for _ in range(TRIES))
                found = next((world for world in drawn if world is not None), None)
                if found is not None:
                    yield one.decisions[number], *found


@pytest.mark.parametrize(("policy", "label", "players"), CELLS + LATER_CELLS + ROAD_CELLS)
def test_decisions_are_the_same_in_every_world_that_looks_the_same(policy: str, label: str, players: int) -> None:
    differing = 0
    for here, there, differs in worlds(policy, label, players):
        differing += differs
        told = [name for name, value in here.handed.items() if there.handed[name] != value]
        assert told == [], f"{here.key}: tells what is hidden"
        assert there.answer == here.answer, here.key
    # One person sees all hands: only the draw deck can be another, and the event's cards.
    assert differing > (20 if label in CHAPTERS else 8)


@pytest.mark.parametrize(("policy", "label", "players"), CELLS + LATER_CELLS + ROAD_CELLS)
def test_nothing_that_an_earlier_decision_left_behind_changes_a_later_one(policy: str, label: str, players: int) -> None:
    for deal in deals_of(label):
        for decision in original(label, players, policy, deal).decisions:
            assert decision.answer == decision.answer_afresh, decision.key


def test_a_policy_is_handed_what_all_see_and_the_view_of_its_person_and_nothing_else() -> None:
    function = dispatch.choose.py_func if COMPILED else dispatch.choose
    assert list(inspect.signature(function).parameters) == ["policy", "rules", "public", "view", "brain", "choices"]
    game = Game((chapter("4"), 3, "team", SEED, 0))
    handed = [game.rules, game.public, game.view, game.choices]
    secret = [game.privates, game.hidden, game.log, game.luck]
    for record in handed:
        for other in secret:
            assert not np.shares_memory(np.frombuffer(memoryview(record), np.uint8), np.frombuffer(memoryview(other), np.uint8))


@pytest.mark.parametrize("policy", PLAYING)
def test_every_kind_of_decision_was_looked_at(policy: str) -> None:
    kinds: Counter[int] = Counter()
    for label in CHAPTERS:
        for players in PLAYERS:
            for deal in range(DEALS):
                kinds.update(decision.key[0] for decision in original(label, players, policy, deal).decisions)
    assert set(kinds) == KINDS


def test_every_kind_of_decision_of_later_chapters_was_looked_at() -> None:
    kinds: Counter[int] = Counter()
    for policy, label, players in LATER_CELLS:
        for deal in range(DEALS):
            kinds.update(decision.key[0] for decision in original(label, players, policy, deal).decisions)
    assert set(kinds) >= LATER_KINDS


def test_every_kind_of_decision_of_the_road_was_looked_at() -> None:
    kinds: Counter[int] = Counter()
    for policy, label, players in ROAD_CELLS:
        for deal in deals_of(label):
            kinds.update(decision.key[0] for decision in original(label, players, policy, deal).decisions)
    assert set(kinds) >= ROAD_KINDS


def test_the_card_played_ahead_is_declared_by_choice() -> None:
    """Rare: Radagast has to lay the 1 of Rings."""
    answers: set[int] = set()
    for deal in range(60):
        game = Game((chapter("12"), 1, "random", SEED, deal))
        while game.advance():
            decision = game.ask()
            if decision.key[0] == decisions.AHEAD_WINS:
                answers.add(decision.answer)
            if game.public.tricks > 0:
                break
            game.apply(decision.answer)
    assert answers == {0, 1}


def test_the_person_of_a_view_sees_its_own_hand_and_no_other() -> None:
    for label in CHAPTERS + LATER:
        for players in (2, 3, 4):
            game = Game((chapter(label), players, "random", SEED, 1))
            while game.advance():
                person = game.person(int(game.view.seat))
                assert int(game.view.hand) == int(game.privates.hand[person])
                for owner in range(int(game.public.seats)):
                    # What one knows to lie with somebody lies there, was played, or is just being passed.
                    known = int(game.view.known[owner]) & ~int(game.public.played) & ~int(game.public.in_trick)
                    if game.hidden.given >= 0 and game.hidden.pending == engine.RETURNED:
                        known &= ~(1 << int(game.hidden.given))
                    assert known & ~int(game.privates.hand[owner]) == 0
                game.apply(game.ask().answer)
