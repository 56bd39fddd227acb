"""Every measure and comparison of the goals, on rounds small enough to judge by eye."""

from __future__ import annotations

import pytest

from scenarios import load_characters
from scenarios.model import Character, Term

from .goals import Finished, named_by

LIBRARY = load_characters("fellowship")
Trick = tuple[int, str]
"""The winner, and the cards in the order of the seats, seat 0 leading."""


def finished(goals: list[Character], tricks: list[Trick], threats: list[int | None] | None = None, **changes: object) -> Finished:
    """Return a round that is over."""
    played = [{"leader": 0, "plays": list(enumerate(cards.split())), "winner": winner} for winner, cards in tricks]
    values: dict = {
        "players": len(goals),
        "characters": goals,
        "keys": [character.name.lower().replace(" ", "_") for character in goals],
        "threats": threats or [None] * len(goals),
        "tricks": played,
        "left": [[] for _ in goals],
    }
    return Finished(**values | changes)


def reaches(term: dict, tricks: list[Trick], threat: int | None = None, **changes: object) -> bool:
    """Return whether seat 0 of three meets a goal of one term."""
    hero = Character(name="Hero", goal=[Term(**term)])
    other = Character(name="Other", goal=[Term(measure="tricks", at_least=0)])
    return finished([hero, other, other], tricks, [threat, None, None], **changes).verdicts()[0]


HILLS = "H1 H2 H3"
SHADOWS = "S3 S4 S5"
MIXED = "M3 R3 F3"


@pytest.mark.parametrize(
    ("cards", "card", "threat", "inside"),
    [
        ("all", "R5", None, True),
        ("H", "H3", None, True),
        ("H", "M3", None, False),
        ("HS", "S8", None, True),
        ("R1", "R1", None, True),
        ("R1", "R2", None, False),
        ("F1-4", "F4", None, True),
        ("F1-4", "F5", None, False),
        ("*8", "M8", None, True),
        ("*8", "M7", None, False),
        ("H{threat}", "H3", 3, True),
        ("H{threat}", "S3", 3, False),
        ("*{threat}", "R3", 3, True),
        ("*{threat}", "R3", None, False),
        (["H1", "S"], "S2", None, True),
        (["H1", "S"], "H2", None, False),
        ([], "H2", None, False),
    ],
)
def test_card_sets(cards: str | list[str], card: str, threat: int | None, inside: bool) -> None:
    assert named_by(cards, card, threat) is inside


@pytest.mark.parametrize(
    ("term", "tricks", "met"),
    [
        ({"measure": "tricks", "at_least": 2}, [(0, HILLS), (0, MIXED), (1, SHADOWS)], True),
        ({"measure": "tricks", "at_least": 2}, [(0, HILLS), (2, MIXED), (1, SHADOWS)], False),
        ({"measure": "tricks", "at_least": 1, "at_most": 2}, [(0, HILLS)] * 3, False),
        ({"measure": "tricks", "exactly": 0}, [(1, HILLS)], True),
        ({"measure": "tricks", "exactly": "threat"}, [(0, HILLS), (0, MIXED)], True),
        ({"measure": "tricks", "at_least": "threat+1"}, [(0, HILLS), (0, MIXED)], False),
        ({"measure": "tricks", "at_most": "threat-1"}, [(0, HILLS), (1, MIXED)], True),
        ({"measure": "tricks", "at_least": {"1": 9, "2": 9, "3": 2, "4": 1}}, [(0, HILLS), (1, MIXED)], False),
        ({"measure": "tricks", "at_least": {"1": 9, "2": 9, "3": 1, "4": 9}}, [(0, HILLS), (1, MIXED)], True),
        ({"measure": "tricks", "last": 1, "at_least": 1}, [(0, HILLS), (1, MIXED)], False),
        ({"measure": "tricks", "last": 2, "at_least": 1}, [(0, HILLS), (1, MIXED)], True),
        ({"measure": "tricks", "compare": "fewest", "ties": True}, [(1, HILLS), (2, HILLS), (0, HILLS)], True),
        ({"measure": "tricks", "compare": "fewest"}, [(1, HILLS), (2, HILLS), (0, HILLS)], False),
        ({"measure": "tricks", "compare": "fewest"}, [(1, HILLS), (2, HILLS)], True),
        ({"measure": "tricks", "compare": "most"}, [(0, HILLS), (0, HILLS), (1, HILLS)], True),
        ({"measure": "tricks", "compare": "most"}, [(0, HILLS), (1, HILLS)], False),
        ({"measure": "tricks", "compare": "most", "ties": True}, [(0, HILLS), (1, HILLS)], True),
        ({"measure": "tricks", "compare": "between"}, [(0, HILLS), (1, HILLS), (1, HILLS)], True),
        ({"measure": "tricks", "compare": "between"}, [(0, HILLS), (1, HILLS), (2, HILLS)], False),
        ({"measure": "tricks", "of": "each_other", "at_least": 1}, [(1, HILLS), (2, HILLS)], True),
        ({"measure": "tricks", "of": "each_other", "at_least": 1}, [(1, HILLS), (1, HILLS)], False),
        ({"measure": "tricks", "of": "each", "at_least": 1}, [(1, HILLS), (2, HILLS)], False),
        ({"measure": "cards", "cards": "H", "at_least": 3}, [(0, HILLS), (1, MIXED)], True),
        ({"measure": "cards", "cards": "*{threat}", "at_least": 2}, [(0, HILLS), (0, "M2 F5 S6")], True),
        ({"measure": "cards", "cards": "H{threat}", "at_least": 1}, [(1, HILLS), (0, "M2 F2 S2")], False),
        ({"measure": "cards", "cards": "R3", "at_most": 0}, [(0, HILLS), (0, MIXED)], False),
        ({"measure": "cards", "cards": "H", "compare": "most"}, [(0, HILLS), (1, "H4 H5 F1")], True),
        ({"measure": "cards", "cards": "H", "compare": "most"}, [(0, HILLS), (1, "H4 H5 H6")], False),
        ({"measure": "cards", "cards": "R", "of": "each", "at_least": 1}, [(0, MIXED), (1, MIXED)], False),
        ({"measure": "cards", "cards": "R", "of": "each", "at_least": 1}, [(0, MIXED), (1, MIXED), (2, MIXED)], True),
        ({"measure": "tricks_with", "cards": "H", "exactly": 1}, [(0, HILLS), (0, MIXED), (1, "H5 H6 H7")], True),
        ({"measure": "tricks_without", "cards": "H", "at_most": 0}, [(0, HILLS), (0, MIXED)], False),
        ({"measure": "tricks_without", "cards": "H", "at_most": 0}, [(0, HILLS), (1, MIXED)], True),
        ({"measure": "streak", "exactly": 2}, [(1, HILLS), (0, HILLS), (0, HILLS)], True),
        ({"measure": "streak", "exactly": 2}, [(0, HILLS), (1, HILLS), (0, HILLS)], False),
        ({"measure": "streak", "exactly": 2}, [(0, HILLS), (0, HILLS), (0, HILLS)], False),
        ({"measure": "distinct_ranks", "cards": "all", "at_least": 5}, [(0, HILLS), (0, SHADOWS)], True),
        ({"measure": "distinct_ranks", "cards": "H", "at_least": 4}, [(0, HILLS), (0, SHADOWS)], False),
        ({"measure": "same_rank", "cards": "all", "at_least": 3}, [(0, MIXED)], True),
        ({"measure": "same_rank", "cards": "all", "at_least": 3}, [(0, HILLS), (0, SHADOWS)], False),
        ({"measure": "run", "cards": "HS", "at_least": 5}, [(0, HILLS), (0, SHADOWS)], True),
        ({"measure": "run", "cards": "H", "at_least": 3}, [(0, "H1 H3 H4")], False),
        ({"measure": "last_card", "cards": "F", "at_least": 1}, [(0, "F1 H1 H2")], True),
        ({"measure": "last_card", "cards": "F", "at_least": 1}, [(0, "F1 H1 H2"), (0, "H3 F2 F3")], False),
        ({"measure": "leads", "cards": "H", "at_most": 0}, [(1, HILLS)], False),
        ({"measure": "leads", "cards": "H", "at_most": 0}, [(1, MIXED)], True),
    ],
)
def test_terms(term: dict, tricks: list[Trick], met: bool) -> None:
    assert reaches(term, tricks, threat=2) is met


def test_a_kept_card_of_a_suit_won_often_enough() -> None:
    term = {"measure": "kept_suit", "at_least": 3}
    assert reaches(term, [(0, HILLS)], left=[["H8"], [], []])
    assert not reaches(term, [(0, HILLS)], left=[["M8"], [], []])
    assert not reaches(term, [(1, HILLS)], left=[["H8"], [], []])
    assert not reaches(term, [(0, HILLS)])


def test_samwise_lends_his_rings_to_frodo_only() -> None:
    party = [LIBRARY["frodo"], LIBRARY["samwise_gamgee"], LIBRARY["elrond"]]
    rings = [(0, "R1 R2 R3"), (1, "R4 H1 S1"), (0, "H3 M3 F3")]
    assert finished(party, rings, [None, 1, None]).verdicts() == [True, True, False]
    party[1] = LIBRARY["sam"]
    assert finished(party, rings, [None, 1, None]).verdicts() == [False, True, False]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_frodo_needs_fewer_rings_with_four_people(players: int) -> None:
    party = [LIBRARY["frodo"], LIBRARY["pippin"], LIBRARY["bilbo"]]
    tricks = [(0, "R1 R2 H1")]
    assert finished(party, tricks, players=players).verdicts()[0] is (players == 4)
