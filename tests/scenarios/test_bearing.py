from __future__ import annotations

import pytest

import scenarios
from scenarios.bearing import REASONS, concerns, no_effect
from scenarios.model import Assumption, HouseRules

QUESTION = {"question": "?", "default": "a", "affects": "chapter 3", "source": ""}


def test_every_house_rule_named_exists() -> None:
    assert set(REASONS) <= set(HouseRules.__struct_fields__)


def test_an_assumption_touches_the_chapters_that_it_names() -> None:
    options = {"a": {}, "b": {"declare": "after_trick"}}
    named = Assumption(**QUESTION, options=options, chapters=[3])
    assert [concerns(named, label) for label in ("2", "3", "my")] == [False, True, True]
    assert no_effect(scenarios.load("2"), 3, named, "b") == "it is about chapter 3"
    assert no_effect(scenarios.load("3"), 3, named, "b") == ""
    assert concerns(Assumption(**QUESTION, options=options), "2")


@pytest.mark.parametrize(
    ("chapter", "players", "name", "option", "why"),
    [
        ("1", 3, "A10", "after_trick", ""),
        ("1", 3, "A10", "at_play", "its house rules are in force anyway"),
        ("1", 3, "A12", "optional", ""),
        ("3", 3, "A12", "optional", "no character takes the lost card"),
        ("16", 3, "A12", "optional", ""),
        ("7", 3, "A13", "left_of_holder", ""),
        ("1", 3, "A13", "left_of_holder", "Frodo is in every round and acts first"),
        ("1", 3, "A14", "shuffled_back", "no threat is ever drawn again"),
        ("2", 3, "A14", "shuffled_back", ""),
        ("1", 3, "A21", "required_first", "it is about one person"),
        ("1", 1, "A21", "required_first", ""),
    ],
)
def test_why_an_option_cannot_change_a_chapter(chapter: str, players: int, name: str, option: str, why: str) -> None:
    scenario = scenarios.load(chapter)
    assert no_effect(scenario, players, scenarios.load_assumptions(scenario.book)[name], option) == why
