"""Cards and sets of cards, as written in scenario files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.cards import by_threat, expand_deck, parse_card, select, suits_of

SUITS = ("H", "M", "F", "S", "R")
cards = st.builds("{}{}".format, st.sampled_from(SUITS), st.integers(1, 16))
decks = st.lists(cards, min_size=1, unique=True)


@given(cards)
def test_a_card_is_its_suit_and_rank(card: str) -> None:
    suit, rank = parse_card(card)
    assert f"{suit}{rank}" == card


@pytest.mark.parametrize("text", ["", "H", "3", "h3", "H123", "HM3", "H3 ", "H-1", "H3-4", "*3", "H{threat}"])
def test_what_is_no_card(text: str) -> None:
    with pytest.raises(ValueError, match="is no card"):
        parse_card(text)


@given(decks, st.randoms())
def test_a_deck_is_sorted_by_suit_and_rank_however_it_is_written(deck: list[str], chance) -> None:
    expected = sorted(deck, key=lambda card: (SUITS.index(card[0]), int(card[1:])))
    chance.shuffle(deck)
    assert list(expand_deck(deck, SUITS)) == expected
    assert expand_deck(expand_deck(deck, SUITS), SUITS) == tuple(expected)


@given(st.sampled_from(SUITS), st.integers(1, 16), st.integers(1, 16))
def test_a_range_is_the_cards_between_its_ends(suit: str, one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert expand_deck([f"{suit}{low}-{high}"], SUITS) == tuple(f"{suit}{rank}" for rank in range(low, high + 1))


@given(decks, st.data())
def test_a_card_that_is_there_twice_is_named(deck: list[str], data: st.DataObject) -> None:
    twice = data.draw(st.sampled_from(deck))
    with pytest.raises(ValueError, match=f"'{twice}' is in the deck twice"):
        expand_deck([*deck, twice], SUITS)


@pytest.mark.parametrize("text", ["H", "*3", "HM3", "Q3", "h3", "H{threat}", "H3-", "all", ""])
def test_what_is_no_part_of_a_deck(text: str) -> None:
    with pytest.raises(ValueError, match="is neither a card"):
        expand_deck([text], SUITS)


@pytest.mark.parametrize("text", ["H0", "H17", "H1-17", "H0-3"])
def test_ranks_end_at_sixteen(text: str) -> None:
    with pytest.raises(ValueError, match="ranks go from 1 to 16"):
        expand_deck([text], SUITS)


@given(decks, st.one_of(st.none(), st.integers(1, 15)))
def test_a_set_names_slots_of_the_deck(deck: list[str], threat: int | None) -> None:
    slots = range(len(deck))
    assert select("all", deck, threat) == list(slots)
    assert select([], deck, threat) == []
    for card in deck:
        assert select(card, deck, threat) == [deck.index(card)]
    for suit in SUITS:
        assert select(suit, deck, threat) == [slot for slot in slots if deck[slot][0] == suit]
        ranked = [slot for slot in slots if deck[slot] == f"{suit}{threat}"]
        assert select(f"{suit}{{threat}}", deck, threat) == ranked
    assert select("*{threat}", deck, threat) == [slot for slot in slots if int(deck[slot][1:]) == threat]
    assert select("*8", deck, threat) == [slot for slot in slots if deck[slot][1:] == "8"]
    assert select("HS", deck, threat) == sorted(select("H", deck, threat) + select("S", deck, threat))
    assert select(["H", "S", "H"], deck, threat) == select("HS", deck, threat)
    assert select("F1-4", deck, threat) == [slot for slot in slots if deck[slot] in ("F1", "F2", "F3", "F4")]


@pytest.mark.parametrize("text", ["h", "H1-", "H{thread}", "{threat}", "3", "H 3", "R1,R2", "ALL-1"])
def test_what_is_no_set(text: str) -> None:
    with pytest.raises(ValueError, match="is no card set"):
        select(text, [], None)


def test_the_suits_that_a_set_may_touch() -> None:
    assert suits_of("H{threat}", SUITS) == "H"
    assert suits_of(["HS", "S3"], SUITS) == "HS"
    assert suits_of("*8", SUITS) == suits_of("all", SUITS) == "HMFSR"


def test_sets_by_the_threat() -> None:
    assert by_threat("*{threat}")
    assert by_threat(["R", "H{threat}"])
    assert not by_threat(["R", "H3"])
    assert not by_threat(None)


@pytest.mark.parametrize("read", [lambda: expand_deck(["H8-1"], SUITS), lambda: select("H8-1", ["H3"])])
def test_a_range_from_high_to_low_is_an_error(read) -> None:
    with pytest.raises(ValueError, match="'H8-1' runs backwards"):
        read()
