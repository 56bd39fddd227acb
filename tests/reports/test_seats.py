from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import Row, assert_same, cell_of, frames, make_rows, share_by_hand, tables, wilson_by_hand, write_run

from reports import characters, open_run, pool, seats
from scenarios.errors import UserError


def seats_by_hand(rounds: list[Row], goals: list[Row]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    failed: dict[tuple[Any, ...], list[bool]] = {}
    for row, seated in tables(rounds, goals):
        cell, leader = cell_of(row), row["first_leader"]
        failed.setdefault((*cell, "leader", leader), []).append(not row["won"])
        for goal in seated:
            failed.setdefault((*cell, "seat", goal["seat"]), []).append(goal["met"] is False)
            clockwise = [(leader + step) % len(seated) for step in range(len(seated))]
            failed.setdefault((*cell, "order", 1 + clockwise.index(goal["seat"])), []).append(goal["met"] is False)
    expected = {}
    for key, outcomes in failed.items():
        together = sum(other[:4] == key[:4] for other in failed)
        joint = wilson_by_hand(sum(outcomes), len(outcomes), 1 - 0.05 / together)
        expected[key] = (len(outcomes), sum(outcomes), *share_by_hand(sum(outcomes), len(outcomes)), *joint)
    return expected


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 3))
def test_seats_agree_with_counting_by_hand(seed: int, early: bool, rounds_to_a_deal: int) -> None:
    rows = make_rows(seed, early=early, rounds_to_a_deal=rounds_to_a_deal)
    rounds, goals = frames(*rows)
    assert_same(seats(goals, rounds), 5, seats_by_hand(*rows))
    assert seats(goals.reverse(), rounds).equals(seats(goals, rounds))  # frames are put in the order of play


def test_runs_on_disk_give_what_their_frames_give(tmp_path: Path) -> None:
    first, second = make_rows(1, rounds_to_a_deal=2), make_rows(2, rounds_to_a_deal=2)
    runs = [open_run(write_run(tmp_path / seed, *rows, seed=seed)) for seed, rows in (("0x1", first), ("0x2", second))]
    assert seats(runs[0].goal_cells, runs[0].round_cells).equals(seats(runs[0].goals, runs[0].rounds, chapters=runs[0].chapters))
    both = pool(runs)
    counted = seats(both.goal_cells, both.round_cells).group_by("counted").agg(pl.col("rounds").sum())
    sizes = {"seat": len(first[1]) + len(second[1]), "leader": len(first[0]) + len(second[0])}
    assert dict(counted.rows()) == sizes | {"order": sizes["seat"]}


def test_tables_that_do_not_fit_each_other_are_refused(tmp_path: Path) -> None:
    rows = make_rows(3)
    rounds, goals = frames(*rows)
    with pytest.raises(UserError, match="the rounds lack chapter 2, 3 players, script"):
        seats(goals, rounds.filter(pl.col("chapter") != "2"))
    with pytest.raises(UserError, match="chapter 10, 4 players, script: .* goals do not fit .* rounds: every round must"):
        seats(goals, rounds.filter(pl.col("deal") != 3))
    with pytest.raises(UserError, match="chapter 10, 4 players, script: goals and rounds are not in the same order of play"):
        seats(goals, rounds.with_columns(pl.col("deal") + 1))
    with pytest.raises(UserError, match="the frame has no column 'first_leader'"):
        seats(goals, rounds.drop("first_leader"))
    run = open_run(write_run(tmp_path / "run", *rows))
    with pytest.raises(UserError, match="the cells of goals and rounds are not in the same order"):
        characters(run.goal_cells, run.round_cells[::-1])


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", *make_rows(3)))
    file = run.round_cells[1].files[1]
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(UserError, match=f"{file}: cannot be read"):
        seats(run.goal_cells, run.round_cells)


def test_no_rows_give_an_empty_report() -> None:
    rounds, goals = frames([], [])
    assert seats(goals, rounds).is_empty()
    assert characters(goals, rounds).is_empty()
