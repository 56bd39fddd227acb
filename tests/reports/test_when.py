from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import Row, assert_same, by_cell, cell_of, frames, make_rows, share_by_hand

from reports import when


def when_by_hand(goals: list[Row]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    lost = [row for row in goals if row["met"] is False]
    expected = {}
    for key, rows in by_cell(goals, "character").items():
        last = max((row["lost_after"] for row in lost if cell_of(row) == key[:3]), default=None)
        for trick in range(last + 1) if last is not None else ():
            mine = [row for row in rows if row["met"] is False]
            now = [row for row in mine if row["lost_after"] == trick]
            by_then = sum(row["lost_after"] <= trick for row in mine)
            then = share_by_hand(by_then, len(rows))
            first = sum(row["first_lost"] for row in now)
            expected[(*key, trick)] = (len(rows), len(now), first, *share_by_hand(len(now), len(rows)), by_then, *then)
    return expected


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 3))
def test_when_agrees_with_counting_by_hand(seed: int, early: bool, rounds_to_a_deal: int) -> None:
    rows = make_rows(seed, early=early, rounds_to_a_deal=rounds_to_a_deal)
    assert_same(when(frames(*rows)[1]), 5, when_by_hand(rows[1]))


def test_a_cell_without_losses_has_no_rows() -> None:
    rows = make_rows(5, [("1", 3, "script"), ("2", 3, "script")])
    for row in rows[1]:
        lost = row["chapter"] == "2" and row["seat"] == 0
        row |= {"met": not lost, "lost_after": 2 if lost else None, "first_lost": lost}
    frame = when(frames(*rows)[1])
    assert frame["chapter"].unique().to_list() == ["2"]
    assert frame["lost_after"].unique().sort().to_list() == [0, 1, 2]
    assert when(frames(*rows)[1].filter(chapter="1")).is_empty()
