from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import Row, assert_same, by_cell, frames, make_rows, share_by_hand

from reports import tricks


def tricks_by_hand(goals: list[Row]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    expected = {}
    for key, rows in by_cell(goals, "character").items():
        missed = Counter(row["tricks"] for row in rows if row["met"] is False)
        for number, count in Counter(row["tricks"] for row in rows).items():
            distributed, failed = share_by_hand(count, len(rows)), share_by_hand(missed[number], count)
            expected[(*key, number)] = (count, *distributed, missed[number], *failed)
    return expected


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 3))
def test_tricks_agree_with_counting_by_hand(seed: int, early: bool, rounds_to_a_deal: int) -> None:
    rows = make_rows(seed, early=early, rounds_to_a_deal=rounds_to_a_deal)
    assert_same(tricks(frames(*rows)[1]), 5, tricks_by_hand(rows[1]))


def test_no_rows_give_an_empty_report() -> None:
    assert tricks(frames([], [])[1]).is_empty()
