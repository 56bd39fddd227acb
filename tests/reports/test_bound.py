from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import Cell, Row, assert_same, frames, make_rows, outcomes_by_hand, share_by_hand, write_run

from reports import bound, open_run

CELLS: list[Cell] = [("2", 3, "team"), ("2", 3, "open"), ("10", 4, "open")]


def bound_by_hand(rounds: list[Row]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    expected = {}
    for cell in CELLS[1:]:
        verdicts = [row["open"] for row in outcomes_by_hand(rounds, cell).values() if row["open"]]
        won, lost, unknown = (verdicts.count(name) for name in ("won", "lost", "unknown"))
        if verdicts:
            expected[cell[:2]] = (len(verdicts), won, lost, unknown, *share_by_hand(won + unknown, len(verdicts)))
    return expected


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_the_bound_agrees_with_counting_by_hand(seed: int, rounds_to_a_deal: int) -> None:
    rows = make_rows(seed, CELLS, rounds_to_a_deal=rounds_to_a_deal, verdicts=True)
    assert_same(bound(frames(*rows)[0]), 2, bound_by_hand(rows[0]))


def test_runs_without_verdicts_have_no_bound(tmp_path: Path) -> None:
    rows = make_rows(1)
    assert bound(frames(*rows)[0]).is_empty()
    assert bound(open_run(write_run(tmp_path / "run", *rows)).round_cells).is_empty()
