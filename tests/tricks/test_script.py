"""Every rule of thumb of `script` fires in a scene made for it, and what `script` chooses has the most points by its rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scenarios
from scenarios import Scenario
from sim.core.jit import COMPILED
from sim.tricks import engine, play, setup
from sim.tricks.batch import play_columns
from sim.tricks.policies import script
from sim.tricks.policies.script import RULES_OF_THUMB, account_for, explain
from sim.tricks.replay import Replay
from sim.tricks.rules import compile_rules
from sim.tricks.table import clear, new_record, new_table
from sim.tricks.view import VIEW, look

from .examples import mask
from .games import CHAPTERS, PLAYERS, SEED
from .scenes import write

ME = 1
"""The seat that decides in every scene; it sits left of seat 0."""
GOALS: dict[str, dict[str, Any]] = {
    "taker": {"goal": [{"measure": "tricks", "at_least": 3}]},
    "shy": {"goal": [{"measure": "tricks", "compare": "fewest", "ties": True}]},
    "some": {"goal": [{"measure": "tricks", "at_least": 1, "at_most": 2}]},
    "hills": {"goal": [{"measure": "cards", "cards": "H5", "at_least": 1}]},
    "rings": {"goal": [{"measure": "cards", "cards": "R", "at_least": 2}]},
    "last": {"goal": [{"measure": "last_card", "cards": "F", "at_least": 1}]},
    "no_hill": {"goal": [{"measure": "leads", "cards": "H", "at_most": 0}]},
    "free": {"goal": [{"measure": "tricks", "at_least": 0}]},
}
"""Characters of one term each."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    """A chapter with a character for every kind of goal."""
    more = {"deck": ["H1-8", "M1-8", "F1-8", "S1-8", "R1-5"], "deal": {3: {"seats": 3, "hand": 12, "lost": 1}}}
    return write(tmp_path_factory.mktemp("script") / "world.toml", list(GOALS), GOALS, **more)


class Scene:
    """A table in the middle of a round at which seat ME decides."""

    def __init__(self, world: Scenario, cast: str, hand: str, *, left: int = 6, pending: int = engine.CARD) -> None:
        self.world = world
        self.rules = compile_rules(world, 3)
        self.public, self.privates, self.hidden = new_table()
        self.view = new_record(VIEW)
        clear(self.public, self.privates, self.hidden)
        names = [entry.character for entry in world.roster]
        public = self.public
        public.seats, public.holder, public.leader, public.tricks, public.trick = 3, 0, ME, 12, 12 - left
        for seat, name in enumerate(cast.split()):
            public.character[seat] = names.index(name)
            public.cards_left[seat] = public.plays_left[seat] = left
        self.privates.hand[ME] = mask(world, hand)
        self.hidden.pending, self.hidden.actor = pending, ME
        self.hidden.options = mask(world, hand)
        setup.bind_goals(self.rules, public)

    def lies(self, leader: int, cards: str) -> Scene:
        """Lay cards on the table, from seat `leader` on; the options are then what may be played."""
        self.public.leader = leader
        for step, card in enumerate(cards.split()):
            play.put(self.rules, self.public, (leader + step) % 3, self.world.cards.index(card))
        self.hidden.options = play.legal(self.rules, self.public, ME, self.privates.hand[ME])
        return self

    def gone(self, cards: str, won: dict[int, int] | None = None) -> Scene:
        """Take cards out of the round, and note tricks won by seat."""
        self.public.played = mask(self.world, cards)
        for seat, tricks in (won or {}).items():
            self.public.tricks_won[seat] = tricks
        return self

    def ask(self) -> tuple[int, str]:
        """Return what is chosen (a card's slot, or another number), and the name of the rule that fired."""
        look(self.rules, self.public, self.privates, self.hidden, self.view)
        self.view.prepared = -1
        choice, rule = explain(self.rules, self.public, self.view, new_record(script.ACCOUNT))
        return int(choice), RULES_OF_THUMB[int(rule)].name

    def card(self) -> tuple[str, str]:
        """Return the card chosen and the rule's name."""
        choice, name = self.ask()
        return self.world.cards[choice], name


def test_a_seat_that_needs_tricks_takes_them(world: Scenario) -> None:
    assert Scene(world, "free taker free", "H3 H8").lies(2, "H5 H6").card() == ("H8", "give the trick")


def test_a_trick_is_left_to_the_partner_that_needs_it(world: Scenario) -> None:
    assert Scene(world, "taker free free", "H3 H8").lies(2, "H2 H6").card() == ("H3", "give the trick")


def test_a_seat_that_must_win_the_fewest_stays_below(world: Scenario) -> None:
    card, name = Scene(world, "free shy free", "H3 H8").lies(2, "H5 H6").card()
    assert (card, name) == ("H3", "spare the shy")


def test_a_seat_with_enough_tricks_is_not_given_another(world: Scenario) -> None:
    scene = Scene(world, "some free free", "H3 H8").lies(2, "H5 H6").gone("", {0: 2})
    assert scene.card() == ("H8", "spare the shy")


def test_wanted_cards_go_to_their_collector(world: Scenario) -> None:
    assert Scene(world, "hills free free", "H5 M4").lies(2, "S2 S8").card() == ("H5", "feed the collector")


def test_wanted_cards_are_kept_from_others(world: Scenario) -> None:
    assert Scene(world, "hills free free", "H5 M4").lies(2, "S8 S2").card() == ("M4", "hold wanted cards back")


def test_high_cards_are_saved_by_who_needs_tricks(world: Scenario) -> None:
    scene = Scene(world, "free taker free", "M2 M7 S3 S7").lies(2, "H5 H6")
    card, name = scene.card()
    assert card in ("M2", "S3")
    assert name == "save high cards"


def test_high_cards_are_shed_by_who_must_not_win(world: Scenario) -> None:
    assert Scene(world, "free shy free", "H2 H3 H4").lies(2, "H5 H6").card()[0] == "H4"
    assert Scene(world, "free shy free", "M2 M3 S6 S7").lies(2, "H5 H6").card() == ("S7", "shed high cards")


def test_the_last_card_of_a_suit_is_played(world: Scenario) -> None:
    assert Scene(world, "free free free", "M3 S3 S2").lies(2, "H5 H6").card() == ("M3", "empty a suit")


def test_a_card_for_the_last_trick_is_kept(world: Scenario) -> None:
    assert Scene(world, "free last free", "F8 M2").lies(2, "H5 H6").card() == ("M2", "keep for the last trick")


def test_the_card_that_wins_when_declared_is_saved(world: Scenario) -> None:
    assert Scene(world, "free free free", "M4 R1 R3 M3").lies(2, "H5 H6").card()[0] != "R1"
    assert Scene(world, "free free free", "R1 M1").lies(2, "H5 H6").card() == ("M1", "save the winning card")


def test_it_is_played_and_declared_for_a_trick_that_is_worth_it(world: Scenario) -> None:
    scene = Scene(world, "free rings free", "M4 R1").lies(2, "R4 H6")
    scene.hidden.options = mask(world, "M4 R1")
    scene.public.led_suit = 0
    assert scene.card() == ("R1", "feed the collector")
    after = Scene(world, "free rings free", "M4", pending=engine.DECLARE).lies(2, "R4 R5 R1")
    after.hidden.options = engine.YES_OR_NO
    assert after.ask() == (1, "feed the collector")


def test_it_is_not_declared_for_nothing(world: Scenario) -> None:
    scene = Scene(world, "taker free free", "M4", pending=engine.DECLARE).lies(2, "H3 H8 R1")
    scene.hidden.options = engine.YES_OR_NO
    assert scene.ask() == (0, "give the trick")


def test_a_wanted_card_is_lured_by_who_will_win_it(world: Scenario) -> None:
    assert Scene(world, "free hills free", "H8 M8").card() == ("H8", "lure wanted cards")


def test_a_forbidden_lead_is_not_made(world: Scenario) -> None:
    card, name = Scene(world, "free no_hill free", "H3 M3").card()
    assert (card, name) == ("M3", "do not lead that")


def test_between_equal_cards_no_rule_fires(world: Scenario) -> None:
    scene = Scene(world, "free free free", "M3 S3", left=2).lies(2, "H5 H6")
    assert scene.card() == ("M3", "all alike")


def chooses(world: Scenario, hand: str, roles: str) -> tuple[str, str]:
    """Return the character that a hand takes of `roles`, and the rule's name."""
    names = [entry.character for entry in world.roster]
    scene = Scene(world, "free free free", hand, pending=engine.CHARACTER)
    scene.hidden.options = np.uint64(sum(1 << names.index(role) for role in roles.split()))
    choice, name = scene.ask()
    return names[choice], name


def test_the_character_fits_the_hand(world: Scenario) -> None:
    assert chooses(world, "H8 H7 M8 F8 S8 S7", "taker shy") == ("taker", "match goal and hand")
    assert chooses(world, "H1 H2 M1 F2 S2 S3", "taker shy") == ("shy", "match goal and hand")
    assert chooses(world, "F1 F2 F3 F4 F8 S8", "last free")[0] == "last"


def test_a_goal_is_taken_whose_cards_are_in_hand(world: Scenario) -> None:
    assert chooses(world, "F1 F2 F3 F4 F5 S1", "last shy") == ("last", "hold what the goal names")


def passes(world: Scenario, cast: str, hand: str, pending: int = engine.GIVEN) -> tuple[str, str]:
    """Return the card that seat ME passes to seat 2, and the rule's name."""
    scene = Scene(world, cast, hand, pending=pending)
    scene.hidden.partner = 2
    return scene.card()


def test_high_cards_go_to_who_needs_tricks(world: Scenario) -> None:
    assert passes(world, "free shy taker", "H2 H8 M2 M3") == ("H8", "high cards to who needs them")
    assert passes(world, "free taker shy", "H2 H8 M1 M3") == ("M1", "high cards to who needs them")


def test_named_cards_are_placed(world: Scenario) -> None:
    assert passes(world, "free some rings", "H2 H3 R3 M1 M2") == ("R3", "place the named cards")
    assert passes(world, "free hills free", "H5 H3 M1 M2") == ("H5", "place the named cards")


def test_cards_for_the_last_trick_go_to_who_needs_them(world: Scenario) -> None:
    assert passes(world, "free free last", "H3 M3 F3") == ("F3", "cards for the last trick")


def test_the_partner_is_the_one_that_differs_most(world: Scenario) -> None:
    scene = Scene(world, "some shy taker", "H2 H8", pending=engine.PARTNER)
    scene.hidden.options = np.uint64(0b101)
    assert scene.ask() == (2, "trade with the opposite")


def test_of_many_exchangers_it_is_the_first_after_the_holder(world: Scenario) -> None:
    scene = Scene(world, "free free free", "H2 H8", pending=engine.EXCHANGER)
    scene.hidden.options = np.uint64(0b110)
    assert scene.ask() == (1, "exchange in turn")


def test_a_lost_card_is_taken(world: Scenario) -> None:
    scene = Scene(world, "free free free", "H2 H8", pending=engine.TAKE)
    scene.hidden.options = engine.YES_OR_NO
    assert scene.ask() == (1, "take the lost card")


def test_rules_are_numbered_and_told_in_a_sentence() -> None:
    assert [rule.number for rule in RULES_OF_THUMB] == list(range(len(RULES_OF_THUMB)))
    assert len({rule.name for rule in RULES_OF_THUMB}) == len(RULES_OF_THUMB)
    for rule in RULES_OF_THUMB:
        assert rule.advice[0].isupper()
        assert rule.advice.endswith(".")


def test_the_documentation_lists_the_rules() -> None:
    text = (Path(__file__).parents[2] / "docs" / "policies.md").read_text(encoding="utf-8")
    for rule in RULES_OF_THUMB[1:]:
        assert f"| {rule.number} | {rule.name} | {rule.advice} |" in text


MEASURES: dict[str, dict[str, Any]] = {
    "fewest cards": {"measure": "cards", "cards": "S", "compare": "fewest"},
    "most cards": {"measure": "cards", "cards": "F", "compare": "most"},
    "most tricks": {"measure": "tricks", "compare": "most"},
    "between": {"measure": "tricks", "compare": "between"},
    "streak": {"measure": "streak", "exactly": 3},
    "late": {"measure": "tricks", "last": 3, "at_least": 1},
    "tricks with": {"measure": "tricks_with", "cards": "M", "at_least": 3},
    "tricks without": {"measure": "tricks_without", "cards": "R", "at_most": 0},
    "run": {"measure": "run", "cards": "M", "at_least": 4},
    "distinct ranks": {"measure": "distinct_ranks", "cards": "all", "at_least": 8},
    "same rank": {"measure": "same_rank", "cards": "all", "at_least": 3},
    "kept suit": {"measure": "kept_suit", "at_least": 3},
    "of each": {"measure": "cards", "cards": "R", "of": "each", "at_least": 1},
    "of each other": {"measure": "tricks", "of": "each_other", "at_least": 3},
    "no 8": {"measure": "cards", "cards": "*8", "at_most": 0},
    "no lead": {"measure": "leads", "cards": "H", "at_most": 0},
    "last card": {"measure": "last_card", "cards": "F", "at_least": 1},
}
"""A goal of every measure."""


@pytest.mark.skipif(not COMPILED, reason="hundreds of rounds")
@pytest.mark.parametrize("name", MEASURES)
def test_goals_of_every_measure_are_played_for(tmp_path: Path, name: str) -> None:
    hero: dict[str, Any] = {"goal": [MEASURES[name]]}
    if name == "kept suit":
        hero["setup"] = [{"do": "take_lost"}]
    others = {"taker": GOALS["taker"], "one": {"goal": [{"measure": "tricks", "at_least": 1}]}}
    more = {"deck": ["H1-8", "M1-8", "F1-8", "S1-8", "R1-5"], "deal": {3: {"seats": 3, "hand": 12, "lost": 1}}}
    scenario = write(tmp_path / "hero.toml", ["hero*", "taker*", "one*"], {"hero": hero, **others}, **more)
    won = {policy: play_columns(scenario, 3, policy, SEED, 0, 600, True)[0].won.sum() for policy in ("random", "script")}
    assert won["script"] > won["random"] + 40, won


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("label", CHAPTERS)
def test_what_is_chosen_has_the_most_points(label: str, players: int) -> None:
    """Cards that are alike are looked at once: never at the cost of a better one."""
    account = new_record(script.ACCOUNT)
    for deal in range(2):
        game = Replay(scenarios.load(label), players, "script", SEED, deal)
        table = game.rules, game.public, game.privates, game.hidden
        game._view.prepared = -1
        while engine.advance(*table, game._luck, game.log):
            look(*table, game._view)
            choice, rule = explain(game.rules, game.public, game._view, account)
            assert int(choice) == int(script.choose(game.rules, game.public, game._view))
            options = [option for option in range(64) if int(game._view.options) >> option & 1]
            points = {o: int(account_for(game.rules, game.public, game._view, o, account)) for o in options}
            # Each rule rounds for itself.
            assert points[int(choice)] >= max(points.values()) - 8, (game._view.pending, points)
            assert 0 <= rule < script.RULES
            engine.apply(*table, int(choice), game.log)
