from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import Row, assert_same, cell_of, frames, make_rows, newcombe_by_hand, share_by_hand, tables

from reports import characters
from scenarios.errors import UserError


def characters_by_hand(rounds: list[Row], goals: list[Row]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    expected = {}
    for cell in {cell_of(row) for row in rounds}:
        mine = [(row, seats) for row, seats in tables(rounds, goals) if cell_of(row) == cell]
        played = [(row["won"], {goal["character"] for goal in seats}) for row, seats in mine]
        everybody = set().union(*(names for _, names in played))
        sometimes = sum(any(name not in names for _, names in played) for name in everybody)
        for name in everybody:
            with_it = [won for won, names in played if name in names]
            without = [won for won, names in played if name not in names]
            versus = (sum(with_it), len(with_it), sum(without), len(without))
            chosen = share_by_hand(len(with_it), len(played))
            won = share_by_hand(sum(with_it), len(with_it))
            compared: tuple[float | None, ...] = (None,) * 6
            if without:
                rate = sum(without) / len(without)
                joint = newcombe_by_hand(*versus, 1 - 0.05 / sometimes)
                compared = (rate, won[0] - rate, *newcombe_by_hand(*versus), *joint)
            expected[(*cell, name)] = (len(played), len(with_it), *chosen, sum(with_it), *won, *compared)
    return expected


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 3))
def test_characters_agree_with_counting_by_hand(seed: int, early: bool, rounds_to_a_deal: int) -> None:
    rows = make_rows(seed, early=early, rounds_to_a_deal=rounds_to_a_deal)
    rounds, goals = frames(*rows)
    assert_same(characters(goals, rounds), 4, characters_by_hand(*rows))


def test_who_is_always_chosen_is_compared_with_nothing() -> None:
    rows = make_rows(2, [("1", 3, "script")])
    for row in rows[1]:
        row["character"] = f"seat_{row['seat']}"
    rounds, goals = frames(*rows)
    frame = characters(goals, rounds)
    assert frame["choice_rate"].to_list() == [1.0] * 3
    assert frame.select("other_rate", "difference", "difference_low", "simultaneous_high").null_count().row(0) == (3, 3, 3, 3)


def test_wrong_confidence_is_named() -> None:
    rounds, goals = frames(*make_rows(2))
    with pytest.raises(UserError, match="--confidence 2"):
        characters(goals, rounds, confidence=2)
