"""Goals and actions in words."""

from __future__ import annotations

from typing import get_args

import pytest

from scenarios import load_book, load_characters
from scenarios.model import Action, Character, Measure, SetupAction, Term
from scenarios.wording import action_in_words, goal_in_words

LIBRARY = load_characters("fellowship")
NAMES = {key: character.name for key, character in LIBRARY.items()}
SUITS = {letter: suit.name for letter, suit in load_book("fellowship").suits.items()}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("frodo", "cards won of R: at least 4 (1, 2, 3 players) or 2 (4 players)"),
        ("merry", "tricks won: at least 1, at most 2"),
        ("pippin", "tricks won: fewer than every other character, ties allowed"),
        ("aragorn", "tricks won: exactly the threat"),
        ("barliman_butterbur", "tricks won among the last 3: at least 1"),
        ("bilbo_baggins", "tricks won: at least 3; cards won of R1: at most 0"),
        ("celeborn", "cards of one rank won in the deck: at least 3"),
        ("elrond", "every character: cards won of R: at least 1"),
        ("galadriel", "tricks won: neither fewest nor most"),
        ("gwaihir", "tricks won with a card of M: at least 2"),
        ("peregrin_took", "tricks won: at most 0; every other character: tricks won: at least 1"),
    ],
)
def test_goals(name: str, words: str) -> None:
    assert goal_in_words(LIBRARY[name]) == words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sam", ["draw a threat, again when the card of its rank in Hills is lost", "exchange with Frodo, Merry or Pippin"]),
        ("aragorn_son_of_arathorn", ["draw 2 threats and keep 1", "exchange with any other character"]),
        ("bill_the_pony", ["exchange with Frodo and Sam, all at once"]),
        ("boromir", ["exchange with any other character but Frodo"]),
        ("gwaihir", ["exchange with Gandalf, 2 times"]),
        ("fatty_bolger", ["give one card to every other character"]),
    ],
)
def test_setup_actions(name: str, words: list[str]) -> None:
    assert [action_in_words(action, NAMES, SUITS) for action in LIBRARY[name].setup] == words


@pytest.mark.parametrize("measure", get_args(Measure))
def test_every_measure_has_words(measure: str) -> None:
    assert goal_in_words(Character(name="x", goal=[Term(measure=measure, cards="H", exactly="threat-1")])).endswith(
        ": exactly the threat - 1"
    )


@pytest.mark.parametrize("action", get_args(Action))
def test_every_action_has_words(action: str) -> None:
    assert action_in_words(SetupAction(do=action, with_="any"), NAMES, SUITS)
