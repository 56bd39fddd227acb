"""The language of conditions: what is understood, and what is said to what is not."""

from __future__ import annotations

import random

import pytest

import scenarios
from scenarios.errors import UserError
from sim.tricks import where
from sim.tricks.rules import compile_rules
from sim.tricks.where import asked_for, holds, read

from .games import chapter


def trees(text: str, label: str = "2", players: int = 3) -> list:
    return read(text, chapter(label), compile_rules(chapter(label), players))


def cards(text: str, label: str = "2") -> int:
    """Return the mask of cards written one by one."""
    return sum(1 << chapter(label).cards.index(card) for card in text.split())


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("lost is Hills 3", "lost is H3"),
        ("LOST IS hills 3", "lost is H3"),
        ("frodo: R4 R5", "holder has R4, R5"),
        ("left is void in Hills", "left has no H"),
        ("left is not void in H", "left has any H"),
        ("left has exactly 2 Hills 1-4", "left has exactly 2 H1-4"),
        ("left has any rank 8", "left has any *8"),
        ("left has at least 3 of H", "left has at least 3 Hills"),
        ("lost is not rank 7-8", "lost has no *7-8"),
        ("lost is H", "lost has only Hills"),
        ("(left has R2)", "left has R2"),
        ("left has R2; right has R3", "left has R2 and right has R3"),
        ("threat of sam is 3 or 4", "threat of sam is 3-4"),
        ("threat of sam is at least 3", "threat of sam is 3-63"),
    ],
)
def test_ways_to_say_the_same(text: str, same: str) -> None:
    found, wanted = trees(text), trees(same)
    places = [[(test.source, test.index) for tree in one for test in where.tests_of(tree)] for one in (found, wanted)]
    assert places[0] == places[1]
    source = random.Random(1)
    for _ in range(500):
        # Other words may be other tests: they hold of the same cards.
        there = source.getrandbits(37) & source.getrandbits(37) & source.choice([-1, source.getrandbits(37), 7, 24])
        truths = [
            all(holds(tree, lambda test, there=there: (test.mask & there).bit_count()) for tree in one) for one in (found, wanted)
        ]
        assert truths[0] == truths[1]


def test_and_binds_closer_than_or_and_not_closer_than_both() -> None:
    (tree,) = trees("left has H1 or right has H2 and not holder has H3")
    names = {cards("H1"): "a", cards("H2"): "b", cards("H3"): "c"}
    for a in (0, 1):
        for b in (0, 1):
            for c in (0, 1):
                truth = {"a": a, "b": b, "c": c}
                assert holds(tree, lambda test, truth=truth: truth[names[test.mask]]) == (a or (b and not c))


def test_somebody_nobody_and_everybody_are_said_of_all_hands() -> None:
    for word, wanted in (("somebody", any), ("nobody", lambda found: not any(found)), ("everybody", all)):
        (tree, *more) = trees(f"{word} has any Hills")
        for hands in range(8):
            found = [hands >> seat & 1 for seat in range(3)]
            assert all(holds(one, lambda test, found=found: found[test.index]) for one in (tree, *more)) == wanted(found)


def test_a_character_stands_for_its_seat_where_the_deal_decides_who_takes_it() -> None:
    assert trees("frodo has R2") == trees("holder has R2")
    assert trees("sam has R2") != trees("holder has R2")
    # Where characters are dealt, the holder card binds nobody.
    assert trees("frodo has R2", "16") != trees("holder has R2", "16")


@pytest.mark.parametrize(
    ("text", "players", "said"),
    [
        ("lef has H3", 3, "'lef': no condition begins so"),
        ("lef has H3", 3, "(did you mean 'left'?)"),
        ("left has Hils", 3, "(did you mean 'hills'?)"),
        ("left has", 3, "the end after 'has': a card (H3, Hills 3), a suit (Hills, Mountains, Forests, Shadows, Rings)"),
        ("left has Hills", 3, "'Hills' is 8 cards: say how many, with no, any, all, only, at least, at most, exactly"),
        ("left has H9", 3, "'H9': no such card; the deck of chapter 2 is H1-8, M1-8, F1-8, S1-8, R1-5"),
        ("left has H8-2", 3, "'H8-2' runs backwards"),
        ("left has Q3", 3, "'Q3': the suits are Hills (H), Mountains (M), Forests (F), Shadows (S), Rings (R)"),
        ("left has at least Hills", 3, "'Hills' after 'least': a number must stand here"),
        ("left is in", 3, "'in': the characters of chapter 2 are frodo, sam, merry, gandalf, pippin"),
        ("left", 3, "the end after 'left': must be has, is or :"),
        ("left holds H3", 3, "'holds' after 'left': must be has, is or : (did you mean 'has'?)"),
        ("(left has R2", 3, "a ) is missing"),
        ("left has R2 nd right has R3", 3, "must be and, or, ; or the end (did you mean 'and'?)"),
        ("seat 3 has R2", 3, "seat 3: the seats are 0 to 2 with 3 players"),
        ("opposite has R2", 3, "nobody sits opposite of the holder at 3 seats"),
        ("row 0 has R2", 3, "row: two people alone have a pyramid in chapter 2 with 3 players"),
        ("row 3 has R2", 2, "row 3: the rows are 0 (bottom) to 2"),
        ("deck has R2", 3, "deck: one person alone has a draw deck"),
        ("pile has R2", 3, "pile: no pile is set aside in chapter 2 with 3 players"),
        ("threat of san is 1", 3, "(did you mean 'sam'?)"),
        ("threat of sam is 9", 3, "threat 9: the threats are 1, 2, 3, 4 in chapter 2"),
        ("threat sam is 3", 3, "write threat of a character"),
        (
            "pippin is in",
            3,
            "pippin: never in a round of chapter 2 with 3 players, where all seats are taken by frodo, sam, merry",
        ),
        ("sam is merry", 3, "a character is no other"),
        ("first leader is nobody", 3, "a seat or a character must stand here"),
        ("lost is H3 or left has R4 or R5", 3, "'R5' after 'or': no condition begins so"),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(text: str, players: int, said: str) -> None:
    with pytest.raises(UserError) as error:
        trees(text, "2", players)
    assert said in str(error.value)
    assert str(error.value).startswith(f"--where '{text}': ")
    assert "\n" not in str(error.value)


def test_cards_that_stay_in_the_box_are_none_of_the_deck() -> None:
    with pytest.raises(UserError, match="'V7': no such card"):
        trees("left has V7", "18-first_group", 3)
    assert trees("deck has V7", "18-first_group", 1)


def test_there_is_no_lost_card_to_ask_for_where_none_is_lost() -> None:
    with pytest.raises(UserError, match="lost: no card is lost in chapter 6"):
        trees("lost is H3", "6")


def test_blanks_do_not_count() -> None:
    assert asked_for("  lost   is H3 ;left has  R4 ") == asked_for("lost is H3; left has R4")
    assert not asked_for("")


@pytest.mark.parametrize("label", scenarios.chapters())
def test_every_chapter_understands_seats_and_cards(label: str) -> None:
    whole = chapter(label)
    for scenario in whole.rounds.values() or [whole]:
        for players in scenario.deals:
            rules = compile_rules(scenario, players)
            assert read("left has no Rings; seat 1 has at most 5 H, M; everybody has any *1-8", scenario, rules)
