"""Examples of the game for two: the open pyramid, what lies free, exchanges with it, who plays it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .examples import differences, fill, told, trick
from .games import CHAPTERS, Record, chapter, rounds

ROWS = ("H1 M1 F1 S1 H2", "H8 M8 F8 S8", "H7 R5 M7")
"""The pyramid of the examples, from the bottom row: what lies on two cards is covered by them."""
CAST = ("frodo", "merry", "sam")
"""Chapter 2: seat 2 is the pyramid, played by seat 0, who was dealt the 1 of Rings."""


def laid(rows: tuple[str, ...], beside: str = "") -> list[dict[str, Any]]:
    """Return a pyramid as the record has it (`-`: an empty place)."""
    up = {(0, col) for col in range(5)} | {(2, 0), (2, 2)}
    found = [
        {"row": row, "col": col, "card": card, "up": (row, col) in up}
        for row, cards in enumerate(rows)
        for col, card in enumerate(cards.split())
        if card != "-"
    ]
    return found + [{"row": -1, "col": col, "card": card, "up": True} for col, card in enumerate(beside.split())]


def game(hands: tuple[str, str], tricks: list[Record], exchange: tuple[str, str] | None = None, **more: Any) -> Record:
    """Return a record of two people who hold (among others) `hands`; the pyramid may have exchanged with Frodo.

    `exchange`: the card that the pyramid (Sam) gave to Frodo and the one that came back.
    """
    scenario = chapter("2")
    pyramid = " ".join(ROWS)
    gave, got = exchange or ("H2", "H2")
    full = fill(scenario, [*hands, pyramid], [12, 12, 12], "R2")
    at_play = [cards.split() for cards in full]
    places = ROWS
    if gave != got:
        at_play[0].remove(got)
        at_play[0].append(gave)
        at_play[2] = [got if card == gave else card for card in at_play[2]]
        places = tuple(row.replace(gave, got) for row in ROWS)
    steps = [
        {"seat": 1, "action": "exchange", "with": 0, "gave": full[1].split()[0], "got": full[1].split()[0]},
        {"seat": 2, "action": "threat", "value": 1, "rejected": []},
        {"seat": 2, "action": "exchange", "with": 0, "gave": gave, "got": got},
    ]
    return told(
        scenario,
        2,
        zip(CAST, [" ".join(cards) for cards in at_play], strict=True),
        tricks,
        dealt=full,
        threat=[None, None, 1],
        lost=["R2"],
        setup=steps,
        pyramid_dealt=laid(ROWS),
        pyramid_at_play=laid(places),
        ring_holder=0,
        **more,
    )


HANDS = ("R1 H5 M5 S5 F5", "H6 M6 S6 F6 R4")
"""Filled up with H3 H4 M2 M3 M4 F2 F3 and with F4 F7 S2 S3 S4 S7 R3."""
REST = "H6 F6 F7 S2 S3 S4 S6 S7 R3 R4"


def faults(folder: Path, record: Record) -> list[str]:
    """Return what check (and the referee) find."""
    return differences(record, chapter("2"), folder)


def test_only_free_cards_are_played_and_followed_with(tmp_path: Path) -> None:
    # Mountains are led: of the pyramid's M1, M7 and M8 only M1 lies free.
    assert faults(tmp_path, game(HANDS, [trick("0: M5 M6 M1 > 1")])) == []
    assert faults(tmp_path, game(HANDS, [trick("0: M5 M6 M8 > 2")])) == ["trick 1: seat 2 plays M8 / may play M1"]
    assert faults(tmp_path, game(HANDS, [trick("0: M5 M6 S1 > 1")])) == ["trick 1: seat 2 plays S1 / may play M1"]


def test_a_card_is_free_from_the_trick_after_both_cards_on_it_went(tmp_path: Path) -> None:
    # M8 lies under M1 and F1.
    first = [trick("0: M5 M6 M1 > 1"), trick("1: F4 F1 F5 > 0")]
    assert faults(tmp_path, game(HANDS, [*first, trick("0: M4 S2 M8 > 2", ["H3 H4 M2 M3 M4 F2 F3 H5 S5", REST, "M8"])])) == []
    assert faults(tmp_path, game(HANDS, [*first, trick("0: M4 S2 H1 > 0")])) == ["trick 3: seat 2 plays H1 / may play M8"]


def test_a_card_with_one_card_on_it_is_not_free_and_any_free_card_may_be_thrown_away(tmp_path: Path) -> None:
    first = [trick("0: M5 M6 M1 > 1"), trick("1: S2 S1 S5 > 0")]
    assert faults(tmp_path, game(HANDS, [*first, trick("0: M4 S3 F1 > 0")])) == []
    found = faults(tmp_path, game(HANDS, [*first, trick("0: M4 S3 M8 > 2")]))
    assert found == ["trick 3: seat 2 plays M8 / may play H1 H2 F1"]


def test_a_card_that_the_pyramid_gets_takes_the_place_of_the_one_it_gave(tmp_path: Path) -> None:
    # M4 now lies where H2 lay, on S8.
    swap = ("H2", "M4")
    assert faults(tmp_path, game(HANDS, [trick("0: M5 M6 M4 > 1")], swap)) == []
    assert faults(tmp_path, game(HANDS, [trick("0: M5 M6 H1 > 1")], swap)) == ["trick 1: seat 2 plays H1 / may play M1 M4"]
    covered = game(HANDS, [trick("0: S5 S6 S1 > 1"), trick("1: S2 S8 F2 > 2")], swap)
    assert faults(tmp_path, covered) == ["trick 2: seat 2 plays S8 / may play H1 M1 M4 F1"]
    gone = [trick("0: S5 S6 S1 > 1"), trick("1: F7 F1 F5 > 1"), trick("1: F6 F8 F2 > 2"), trick("2: M4 M5 M6 > 1")]
    assert faults(tmp_path, game(HANDS, [*gone, trick("1: S2 S8 F3 > 2")], swap)) == []


def test_the_pyramid_passes_cards_of_its_bottom_row_only(tmp_path: Path) -> None:
    found = faults(tmp_path, game(HANDS, [trick("0: M5 M6 M1 > 1")], ("M8", "M4")))
    assert found == ["seat 2: passes M8 / may pass H1 H2 M1 F1 S1"]


def test_a_lost_card_taken_by_the_pyramid_lies_free_beside_it() -> None:
    seen = 0
    for played in rounds("1", 2, "random", 60):
        record = played.record
        beside = [place["card"] for place in record["pyramid_at_play"] if place["row"] == -1]
        bottom = [place["card"] for place in record["pyramid_at_play"] if place["row"] == 0]
        assert len(beside) == (record["seats"][2]["character"] == "gandalf")
        assert len(bottom) == 5
        legal = dict(zip([seat for seat, _ in record["tricks"][0]["plays"]], record["tricks"][0]["legal"], strict=True))[2]
        led = record["tricks"][0]["plays"][0]
        free = [*bottom, *beside]
        if led[0] != 2:
            free = [card for card in free if card[0] == led[1][0]] or free
        else:
            free = [card for card in free if card[0] != "R"] or free
        assert sorted(legal) == sorted(free)
        seen += bool(beside)
    assert seen > 5


@pytest.mark.parametrize("label", CHAPTERS)
def test_the_holder_of_the_one_ring_plays_the_pyramid_or_the_person_on_its_right(label: str) -> None:
    held = set()
    for played in rounds(label, 2, "random", 60):
        record = played.record
        holder = record["ring_holder"]
        assert [entry["pyramid"] for entry in record["seats"]] == [False, False, True]
        assert [entry["controller"] for entry in record["seats"]] == [0, 1, 1 if holder == 2 else holder]
        assert (record["seats"][2]["character"] == "frodo") is (holder == 2)
        held.add(holder)
    assert held == {0, 1, 2}


@pytest.mark.parametrize("label", CHAPTERS)
def test_the_outer_cards_of_the_top_row_and_the_bottom_row_lie_face_up(label: str) -> None:
    for played in rounds(label, 2, "random", 60):
        up = {(place["row"], place["col"]) for place in played.record["pyramid_dealt"] if place["up"]}
        assert up == {(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (2, 0), (2, 2)}
