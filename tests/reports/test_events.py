from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import Row, assert_same, by_cell, frames, make_rows, share_by_hand, wilson_by_hand

from reports import events
from reports.events import has_events


def events_by_hand(rounds: list[Row]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    groups = by_cell(rounds, "round", "event")
    expected = {}
    for key, rows in groups.items():
        won = sum(row["won"] for row in rows)
        together = sum(other[:3] == key[:3] for other in groups)
        joint = wilson_by_hand(won, len(rows), 1 - 0.05 / together)
        expected[key] = (len(rows), won, *share_by_hand(won, len(rows)), *joint)
    return expected


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_events_agree_with_counting_by_hand(seed: int, rounds_to_a_deal: int) -> None:
    rounds, goals = make_rows(seed, rounds_to_a_deal=rounds_to_a_deal)
    frame = events(frames(rounds, goals)[0])
    assert_same(frame, 5, events_by_hand(rounds))
    assert has_events(frame) == any(row["event"] or row["round"] > 1 for row in rounds)
