from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import Row, assert_same, by_cell, cell_of, frames, make_rows, tables, write_run

from reports import failures, first_losses, open_run
from reports.dataset import CELL


def first_losses_by_hand(rounds: list[Row], goals: list[Row]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    counts: Counter[tuple[Any, ...]] = Counter()
    for row, seats in tables(rounds, goals):
        first = [goal["character"] for goal in seats if goal["met"] is False and goal["first_lost"]]
        name = first[0] if len(first) == 1 else "several" if first else None
        for goal in seats:
            if goal["met"] is False:
                counts[(*cell_of(row), goal["character"], name)] += 1
    played = {key: len(rows) for key, rows in by_cell(goals, "character").items()}
    return {key: (played[key[:4]], count, count / played[key[:4]]) for key, count in counts.items()}


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 3))
def test_first_losses_agree_with_counting_by_hand(seed: int, early: bool, rounds_to_a_deal: int) -> None:
    rows = make_rows(seed, early=early, rounds_to_a_deal=rounds_to_a_deal)
    rounds, goals = frames(*rows)
    assert_same(first_losses(goals, rounds), 5, first_losses_by_hand(*rows))


def test_the_shares_add_up_to_the_failures(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", *make_rows(4)))
    added = first_losses(run.goal_cells, run.round_cells).group_by(*CELL, "character").agg(pl.col("share").sum())
    rates = failures(run.goal_cells).filter(pl.col("failures") > 0)
    both = rates.join(added, on=[*CELL, "character"], how="left")
    assert both["share"].to_list() == pytest.approx(both["rate"].to_list())
