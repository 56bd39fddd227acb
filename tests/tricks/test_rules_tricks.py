"""Examples of the rules of tricks (rules of the book, "tricks", "the Rings suit"), on a deck of 17 cards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .examples import differences, told, trick
from .scenes import short

CAST = ("frodo", "bilbo", "gandalf")


def faults(folder: Path, hands: tuple[str, str, str], tricks: list[dict[str, Any]]) -> list[str]:
    """Return the differences of a game of three that begins with the tricks; seat 0 is Frodo and leads."""
    file = folder / "scene.toml"
    scenario = short(file, ["frodo*", "bilbo", "gandalf", "pippin"])
    return differences(told(scenario, 3, zip(CAST, hands, strict=True), tricks), scenario, folder, file)


HANDS = ("H1 H4 R1 R5 M1", "H2 M2 M3 R2 F1", "M4 F2 F3 R3 R4")


def test_the_highest_card_of_the_led_suit_wins_and_leads_next(tmp_path: Path) -> None:
    assert faults(tmp_path, HANDS, [trick("0: H1 H2 F3 > 1"), trick("1: M2 M4 M1 > 2"), trick("2: F2 H4 F1 > 2")]) == []
    assert faults(tmp_path, HANDS, [trick("0: H1 H2 F3 > 2")]) == ["trick 1: seat 2 wins / seat 1 wins"]


def test_no_ring_is_led_while_something_else_can_be_led(tmp_path: Path) -> None:
    assert faults(tmp_path, HANDS, [trick("0: H1 H2 M4 > 1", ["H1 H4 M1", "H2", HANDS[2]])]) == []
    assert faults(tmp_path, HANDS, [trick("0: R5 R2 R3 > 0")]) == ["trick 1: seat 0 plays R5 / may play H1 H4 M1"]


def test_a_leader_who_holds_only_rings_may_lead_one(tmp_path: Path) -> None:
    hands = ("R1 R2 R3 R4 R5", "H1 H2 H3 M1 M2", "F1 F2 F3 F4 M3")
    assert faults(tmp_path, hands, [trick("0: R4 H1 F1 > 0", [hands[0], hands[1], hands[2]])]) == []


def test_a_ring_thrown_away_lets_rings_be_led_from_the_next_trick_on(tmp_path: Path) -> None:
    first = trick("0: H1 H2 R3 > 1", ["H1 H4 M1", "H2", HANDS[2]])
    second = trick("1: R2 R4 R5 > 0", ["M2 M3 R2 F1", "R4", "R1 R5"])
    assert faults(tmp_path, HANDS, [first, second]) == []
    closed = [trick("0: H1 H2 F3 > 1"), trick("1: R2 R4 R5 > 0")]
    assert faults(tmp_path, HANDS, closed) == ["trick 2: seat 1 plays R2 / may play M2 M3 F1"]


def test_a_led_suit_has_to_be_followed_rings_too(tmp_path: Path) -> None:
    first = trick("0: H1 H2 R3 > 1")
    assert faults(tmp_path, HANDS, [trick("0: H1 M2 R3 > 0")]) == ["trick 1: seat 1 plays M2 / may play H2"]
    away = [first, trick("1: R2 F2 R5 > 0")]
    assert faults(tmp_path, HANDS, away) == ["trick 2: seat 2 plays F2 / may play R4"]


RING = ("H1 H4 R5 M1 R2", "R1 M2 M3 F1 F4", "H2 H3 F2 F3 R3")


def ring(folder: Path, hands: tuple[str, str, str], *texts: str) -> list[str]:
    """Return the differences of a game in which seat 1 is Frodo, who holds the 1 of Rings and leads the first trick."""
    file = folder / "ring.toml"
    scenario = short(file, ["frodo*", "bilbo", "gandalf", "pippin"])
    seats = zip(("bilbo", "frodo", "gandalf"), hands, strict=True)
    return differences(told(scenario, 3, seats, [trick(text) for text in texts]), scenario, folder, file)


@pytest.mark.parametrize(
    ("tricks", "found"),
    [
        # Declared, it beats every other card.
        (["1: M3 H3 M1 > 1", "1: M2 H2 R5 > 1", "1: R1! R3 R2 > 1"], []),
        (["1: M3 H3 M1 > 1", "1: M2 H2 R5 > 1", "1: R1! R3 R2 > 2"], ["trick 3: seat 2 wins / seat 1 wins"]),
        # Undeclared, it is a Ring of rank 1: led, it loses to every other Ring.
        (["1: M3 H3 M1 > 1", "1: M2 H2 R5 > 1", "1: R1 R3 R2 > 2"], []),
        (["1: M3 H3 M1 > 1", "1: M2 H2 R5 > 1", "1: R1 R3 R2 > 1"], ["trick 3: seat 1 wins / seat 2 wins"]),
    ],
)
def test_the_one_ring_led(tricks: list[str], found: list[str], tmp_path: Path) -> None:
    assert ring(tmp_path, RING, *tricks) == found


VOID = ("H1 H4 M4 R5 R2", "R1 M2 F1 F4 M3", "H2 M1 F2 F3 H3")


@pytest.mark.parametrize(
    ("last", "found"),
    [
        ("0: H1 R1! H3 > 1", []),  # later cards do not beat it
        ("0: H4 R1! H3 > 1", []),  # nor earlier ones
        ("0: H4 R1! H3 > 0", ["trick 2: seat 0 wins / seat 1 wins"]),
        ("0: H1 R1 H3 > 2", []),  # undeclared, it is a card of another suit
        ("0: H1 R1 H3 > 1", ["trick 2: seat 1 wins / seat 2 wins"]),
    ],
)
def test_the_one_ring_thrown_away(last: str, found: list[str], tmp_path: Path) -> None:
    assert ring(tmp_path, VOID, "1: M2 M1 M4 > 0", last) == found


def test_the_one_ring_follows_the_rules_of_following(tmp_path: Path) -> None:
    found = ring(tmp_path, VOID, "1: F1 F2 H1 > 2", "2: M1 M4 R1! > 1")
    assert found == ["trick 2: seat 1 plays R1 / may play M2 M3"]


def test_the_one_ring_undeclared_wins_when_it_is_the_only_ring_of_its_trick(tmp_path: Path) -> None:
    hands = ("H1 H4 M4 M1 H2", "R1 R2 R3 R4 R5", "M2 M3 F2 F3 H3")
    assert ring(tmp_path, hands, "1: R1 M2 H1 > 1") == []


def test_only_the_one_ring_can_be_declared(tmp_path: Path) -> None:
    found = ring(tmp_path, VOID, "1: M2! M1 M4 > 0")
    assert found == ["trick 1: the 1 of Rings wins / R1 is not in the trick"]


def test_an_emptied_hand_is_skipped_and_its_lead_goes_to_the_left(tmp_path: Path) -> None:
    """Fatty (seat 1) has given two of five cards away: he plays in three tricks of seven at most, the others in six."""
    file = tmp_path / "fatty.toml"
    scenario = short(file, ["frodo*", "fatty_bolger*", "merry*", "pippin"], deal={3: {"seats": 3, "hand": 5, "lost": 2}})
    seats = [("frodo", "R1 R2 H1 M1 F1 F2"), ("fatty_bolger", "H4 M4 F4"), ("merry", "H2 H3 M2 M3 F3 R3")]
    opening = [trick("0: H1 H4 H2 > 1"), trick("1: M4 M2 M1 > 1"), trick("1: F4 F3 F1 > 1")]
    ending = [trick("2: H3 F2 - > 2"), trick("2: M3 R2 - > 2"), trick("2: R3 R1 - > 2")]
    goals = [False, False, False]
    assert differences(told(scenario, 3, seats, opening + ending, goals), scenario, tmp_path, file) == []
    wrong = [*opening, trick("0: F2 - H3 > 0")]
    assert differences(told(scenario, 3, seats, wrong), scenario, tmp_path, file) == ["trick 4: seat 0 leads / seat 2 leads"]
