"""Options that do the same as a lower one, against a slow recount; and a division by multiplication."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.core.random import new_source
from sim.tricks.decisions import CARD
from sim.tricks.engine import advance, apply, prepare
from sim.tricks.link import load_rules
from sim.tricks.policies import equal, features
from sim.tricks.table import new_log, new_record, new_table
from sim.tricks.view import VIEW, look

from .games import chapter


def slots(mask: int) -> list[int]:
    return [slot for slot in range(64) if mask >> slot & 1]


def told_apart(view: Any, seats: int, a: int, b: int) -> bool:
    """Return whether some goal tells two cards apart."""
    sets = [int(mask[seat]) for mask in (view.wanted, view.hated, view.inside) for seat in range(seats)]
    return any((mask >> a & 1) != (mask >> b & 1) for mask in sets)


def slowly_unlike(rules: Any, public: Any, view: Any) -> list[int]:
    """Return the options without those that do the same as the next lower one, card by card."""
    seats, me = int(public.seats), int(view.seat)
    elsewhere = int(public.in_trick)
    for seat in range(seats):
        elsewhere |= int(view.known[seat]) | (int(public.shown[seat]) if seat != me else 0)
    placed = int(public.played) | int(public.lost) | elsewhere | int(view.hand) | int(public.shown[me])
    others = elsewhere | (int(rules.deck) & ~placed)
    options = slots(int(view.options))
    kept = options[:1]
    for below, slot in zip(options[:-1], options[1:], strict=True):
        alike = rules.suit_of[below] == rules.suit_of[slot] and not any(others >> card & 1 for card in range(below + 1, slot))
        if not alike or 1 << below == int(rules.declaring) or told_apart(view, seats, below, slot):
            kept.append(slot)
    return kept


@pytest.mark.parametrize(
    ("label", "players"), [("1", 1), ("1", 4), ("2", 2), ("6", 3), ("7", 3), ("10", 2), ("13", 4), ("17", 3)]
)
def test_an_option_is_left_out_when_it_does_the_same_as_the_next_lower_one(label: str, players: int) -> None:
    rules, table, view = load_rules(chapter(label), players), new_table(), new_record(VIEW)
    luck, source, log, first = new_source(), new_source(), new_log(False), np.uint64(0)
    rng = np.random.default_rng(3)
    decisions = left_out = 0
    for deal in range(12):
        view.prepared = -1
        prepare(rules, *table, luck, source, np.uint64(5), first, np.uint64(1), np.uint64(deal))
        while advance(rules, *table, luck, log):
            look(rules, *table, view)
            options = slots(int(view.options))
            if int(view.pending) == CARD and len(options) > 1:
                kept = slots(int(equal.unlike(rules, table[0], view)))
                if rules.reveal_test or view.ranks_count:
                    assert kept == options
                else:
                    assert kept == slowly_unlike(rules, table[0], view)
                    decisions += 1
                    left_out += len(options) - len(kept)
            apply(rules, *table, np.int64(rng.choice(options)), log)
    assert decisions > 50
    assert left_out > 20


def test_a_reciprocal_divides_every_number_it_is_meant_for() -> None:
    numbers = np.arange(128 * 128 + 1)
    for weight in range(1, 4 * 128 + 1):
        assert ((numbers * features.reciprocal(weight) >> 32) == numbers // weight).all()
