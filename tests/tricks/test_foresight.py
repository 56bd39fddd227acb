"""What `team` foresees of a trick from open hands: worked by hand on tables set up card by card, and against a slow recount."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.core.random import new_source
from sim.tricks.decisions import CHARACTER, GIVEN, PARTNER, RETURNED
from sim.tricks.engine import advance, apply, prepare
from sim.tricks.link import load_rules
from sim.tricks.policies import features, foresight, team
from sim.tricks.policies.features import UNIT
from sim.tricks.table import new_log, new_record, new_table
from sim.tricks.view import VIEW, look

from .games import chapter
from .open_table import table

NEED, WILL_ME = 64, 72


def wide_brain() -> Any:
    """Return weights that ask for every feature."""
    nets, units = team.NETS, 4
    ones = np.full((nets, features.WIDTH), 0.01)
    return team.to_brain(
        {"linear": ones, "first": np.zeros((nets, features.WIDTH, units)), "bias": np.ones((nets, units)),
         "second": np.ones((nets, units))}
    )  # fmt: skip


def weigh(rules: Any, public: Any, view: Any, needs: dict[int, int], card: str) -> Any:
    """Return the features of leading `card` when seats need the trick by so many 128ths (less: they would be hurt)."""
    brain = wide_brain()
    team.prepare(rules, public, view, brain)
    for seat in range(int(public.seats)):
        points = needs.get(seat, 0)
        view.need[seat], view.soft[seat] = max(0, points), max(0, -points)
        view.stakes[seat] = points
    slot = list(chapter("2").cards).index(card)
    features.card_features(rules, public, view, brain, np.int64(slot), False)
    foresight.card_features(rules, public, view, brain, np.int64(slot), False)
    return view.x


def test_who_wins_is_looked_at_as_the_next_leader() -> None:
    # Seat 2 will win this trick with H5 and then holds M8, which nobody beats, and M1, under which others may win.
    seats = ["H4 M2", "H2 M3", "H5 M8 M1"]
    x = weigh(*table(seats), {2: 100}, "H4")
    assert list(x[[94, 95]]) == [100, 0]
    # Where it only loses by winning it is better that others may win what it leads; two of its three cards win for sure.
    x = weigh(*table(seats), {2: -64}, "H4")
    assert list(x[[94, 95]]) == [0, 64 * 2 // 3]


def test_an_open_hand_takes_the_trick_only_if_that_is_worth_more() -> None:
    seats = ["H4 M1", "H2 H6 M2", "H1 H3 M3"]
    assert list(weigh(*table(seats), {1: 100}, "H4")[[NEED, WILL_ME]]) == [100, 0]
    # It has a lower Hill to play: the leader, who needs the trick more, keeps it.
    assert list(weigh(*table(seats), {0: 120, 1: 100}, "H4")[[NEED, WILL_ME]]) == [120, UNIT]


def test_an_open_hand_with_only_higher_cards_must_take_the_trick() -> None:
    x = weigh(*table(["H4 M1", "H6 H8 M2", "H1 H3 M3"]), {0: 120, 1: -60}, "H4")
    assert list(x[[NEED, WILL_ME]]) == [0, 0]
    assert x[66] == 60  # soft: it hurts


def test_an_open_hand_without_the_led_suit_cannot_take_the_trick() -> None:
    x = weigh(*table(["H4 M1", "M6 M8 F2", "S1 S3 M3"]), {1: 100, 2: 100}, "H4")
    assert x[WILL_ME] == UNIT
    assert x[86] == 2 * 43  # later seats that are void


def test_a_hidden_hand_takes_it_as_likely_as_it_holds_a_higher_card_when_it_wants_to() -> None:
    rules, public, view = table(["H4 M1", "H1 H2", "M3 M4"], "H8 F1")
    for seat in (1, 2):
        public.shown[seat] = np.uint64(0)
    public.plays_left[2] = public.cards_left[2] = 0
    public.played = np.uint64(int(public.played) | sum(1 << list(chapter("2").cards).index(card) for card in ("M3", "M4")))
    # Four cards are unseen (H1 H2 H8 F1), two lie with seat 1: it holds the 8 of Hills in one of two worlds.
    assert abs(int(weigh(rules, public, view, {1: 100}, "H4")[WILL_ME]) - UNIT // 2) <= 2
    assert int(weigh(rules, public, view, {0: 100}, "H4")[WILL_ME]) > UNIT // 2


@pytest.mark.parametrize(("label", "players"), [("2", 1), ("6", 2), ("12", 3), ("17", 1)])
def test_every_setup_decision_gets_features_behind_the_others_of_its_kind_and_of_their_size(label: str, players: int) -> None:
    rules, table, view, brain = load_rules(chapter(label), players), new_table(), new_record(VIEW), wide_brain()
    luck, source, log, first = new_source(), new_source(), new_log(False), np.uint64(0)
    behind = dict.fromkeys((CHARACTER, GIVEN, RETURNED, PARTNER), 0)
    size = {CHARACTER: features.CHARACTER_FEATURES, PARTNER: features.PARTNER_FEATURES}
    for deal in range(30):
        prepare(rules, *table, luck, source, np.uint64(5), first, np.uint64(1), np.uint64(deal))
        while advance(rules, *table, luck, log) and int(table[0].tricks) == 0:
            look(rules, *table, view)
            options = [option for option in range(64) if int(view.options) >> option & 1]
            kind = int(view.pending)
            if kind in behind:
                team.prepare(rules, table[0], view, brain)
                for option in options:
                    team.rate(rules, table[0], view, brain, np.int64(option))
                    assert (np.abs(view.x) < 16 * UNIT).all()
                    behind[kind] += bool(view.x[size.get(kind, features.PASS_FEATURES) :].any())
            apply(rules, *table, np.int64(options[deal % len(options)]), log)
    assert behind[CHARACTER] > 0
    assert sum(behind.values()) > 60


def test_weights_without_foresight_never_look_at_its_features() -> None:
    rules, public, view = table(["H4 M1", "H2 H6 M2", "H1 H3 M3"])
    narrow = team.to_brain(_near_only())
    assert not narrow.wide.any()
    team.prepare(rules, public, view, narrow)
    team.rate(rules, public, view, narrow, np.int64(list(chapter("2").cards).index("H4")))
    assert not view.x[features.NEAR :].any()


def _near_only() -> dict[str, np.ndarray]:
    nets, units = team.NETS, team.HIDDEN_UNITS
    linear = np.zeros((nets, features.WIDTH))
    for net, size in enumerate(team.SIZES):
        linear[net, :size] = 0.1
    first = np.repeat(linear[:, :, None], units, 2)
    return {"linear": linear, "first": first, "bias": np.zeros((nets, units)), "second": np.ones((nets, units))}
