"""`endings` on tables small enough to count by hand; `reachable` on the ends of recorded rounds."""

from __future__ import annotations

import random

import pytest

from .chapters import no_chapter
from .endings import endings, reachable
from .recorded import PEER_SETTINGS, with_chapter, without_chapter
from .referee import play_on, prepare, replay
from .table import Hand, Table


def table(characters: list[str], hands: list[list[str]], players: int = 0, **changes: object) -> Table:
    """Return a table at which nothing was played yet."""
    values: dict = {
        "chapter": no_chapter(len(characters), players or len(characters)),
        "keys": characters,
        "threats": [None] * len(characters),
        "hands": [Hand(list(cards)) for cards in hands],
        "retained": [0] * len(characters),
        "tucked": [None] * len(characters),
        "draw_deck": [],
        "first_leader": 0,
    }
    return Table(**values | changes)


def can_be(position: Table) -> list[set[bool]]:
    """Return which verdicts occur for each seat."""
    return [set(verdicts) for verdicts in zip(*endings(position), strict=True)]


def test_a_forced_trick_ends_in_one_way() -> None:
    position = table(["gandalf", "merry", "pippin"], [["H5"], ["H7"], ["M8"]])
    assert list(endings(position)) == [[False, True, True]]


def test_the_declaration_is_tried_both_ways() -> None:
    position = table(["gandalf", "merry", "pippin"], [["H5"], ["H7"], ["R1"]])
    assert sorted(endings(position)) == [[False, False, False], [False, True, True]]


def test_suits_are_followed_and_every_order_is_tried() -> None:
    # Seat 0 leads either card; seat 1 must follow with Hills; seat 2 discards freely.
    position = table(["gandalf", "merry", "pippin"], [["H1", "H2"], ["H7", "H8"], ["M1", "S1"]])
    assert len(list(endings(position))) == 2 * 2 * 2
    assert can_be(position) == [{False}, {True}, {True}]


def test_rings_are_not_led_before_one_was_played() -> None:
    position = table(["gandalf", "merry", "pippin"], [["R5", "H1"], ["H2", "H3"], ["H4", "H5"]])
    assert can_be(position) == [{False}, {False}, {False}]  # H1 has to go first, and Pippin wins both tricks
    position.chapter.locked = set()
    assert can_be(position)[0] == {False, True}


def test_a_card_stays_in_hand() -> None:
    # Tom leads the Hill and keeps the Mountain, or wins three Hills with the Mountain and keeps a fourth.
    seats = ["tom_bombadil", "merry", "pippin", "sam"]
    position = table(seats, [["H8", "M1"], ["H7"], ["H6"], ["H5"]], retained=[1, 0, 0, 0], threats=[None, None, None, 5])
    assert sorted(endings(position)) == [[False, False, True, False], [True, False, True, False]]


def test_a_covered_card_turns_up_after_the_trick() -> None:
    pyramid = Hand([], {(0, 0): "M1", (0, 1): "M2", (1, 0): "S8"})
    plain = [Hand(["H1", "H2", "H3"]), Hand(["H4", "H5", "H6"])]
    position = table(["merry", "gandalf", "pippin"], [[], [], []])
    position.hands = [*plain, pyramid]
    chance = random.Random(3)
    for _ in range(20):
        assert (2, "S8") in play_on(position, chance).tricks[2]["plays"]
    assert pyramid.uncovered() == ["M1", "M2"]


def test_a_tucked_card_may_come_back_at_any_time() -> None:
    # With H8 tucked, Shadowfax may throw M1 away on a Hill, which he could not with H8 in hand.
    position = table(["gandalf", "shadowfax", "pippin"], [["H5", "H6"], ["M1"], ["H1", "H2"]], tucked=[None, "H8", None])
    assert can_be(position)[0] == {True, False}


def test_refills_come_in_seat_order() -> None:
    position = table(["frodo", "merry", "pippin", "sam"], [["H5"], ["H1"], ["M1"], ["H6"]], players=1, threats=[None] * 3 + [1])
    position.draw_deck = ["S1", "S2", "S3", "S4", "R1"]
    drawn = position.copy().finish_trick([(0, "H5"), (1, "H1"), (2, "M1"), (3, "H6")], 3)
    assert drawn == [(0, "S1"), (1, "S2"), (2, "S3"), (3, "S4")]


SOME = with_chapter()[::9] + without_chapter()[::75]


@pytest.mark.parametrize("record", SOME, ids=lambda record: f"{record.get('chapter')}-{record['players']}")
def test_what_can_still_happen_only_shrinks(record: dict) -> None:
    end = len(record["tricks"])
    assert reachable(record, end, None, PEER_SETTINGS) == [{goal} for goal in record["goals"]]
    last, before = (reachable(record, end - to_go, None, PEER_SETTINGS) for to_go in (1, 2))
    assert all(fewer <= more for fewer, more in zip(last, before, strict=True))
    position = replay(record, None, prepare(record, None, PEER_SETTINGS, []), [])[end - 2]
    chance = random.Random(1)
    for _ in range(20):
        for verdict, verdicts in zip(play_on(position, chance).verdicts(), before, strict=True):
            assert verdict in verdicts
