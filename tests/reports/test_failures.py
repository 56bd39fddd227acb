from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import CELLS, Row, by_cell, frames, make_rows, wilson_by_hand, write_run

from reports import failures, open_run
from scenarios.errors import UserError


def failures_by_hand(rounds: list[Row], goals: list[Row]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    lost_rounds = {cell: sum(not row["won"] for row in rows) for cell, rows in by_cell(rounds).items()}
    table = {}
    for key, rows in by_cell(goals, "character").items():
        failed = [row for row in rows if row["met"] is False]
        first = sum(row["first_lost"] for row in failed)
        table[key] = (
            len(rows),
            len(failed),
            len(failed) / len(rows),
            *wilson_by_hand(len(failed), len(rows)),
            first / lost_rounds[key[:3]] if lost_rounds[key[:3]] else None,
            sum(row["lost_after"] for row in failed) / len(failed) if failed else None,
            sum(row["met"] is None for row in rows),
        )
    return table


def assert_same(frame: pl.DataFrame, expected: dict[tuple[Any, ...], tuple[Any, ...]]) -> None:
    assert frame.height == len(expected)
    for row in frame.iter_rows():
        assert row[4:] == pytest.approx(expected[row[:4]], abs=1e-9), row[:4]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 3))
def test_failures_agree_with_counting_by_hand(seed: int, early: bool, rounds_to_a_deal: int) -> None:
    rows = make_rows(seed, early=early, rounds_to_a_deal=rounds_to_a_deal)
    rounds, goals = frames(*rows)
    assert_same(failures(goals, rounds=rounds), failures_by_hand(*rows))
    assert_same(failures(goals), failures_by_hand(*rows))


def test_columns_and_dtypes() -> None:
    rounds, goals = frames(*make_rows(1))
    assert failures(goals, rounds=rounds).schema == {
        "chapter": pl.Enum(["2", "10", "my"]),
        "players": pl.UInt8,
        "policy": pl.String,
        "character": pl.String,
        "rounds": pl.Int64,
        "failures": pl.Int64,
        "rate": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "first_lost": pl.Float64,
        "mean_lost_after": pl.Float64,
        "undecided": pl.Int64,
    }


def test_chapters_stand_in_order_of_number_or_as_told_or_as_the_run_has_them(tmp_path: Path) -> None:
    rows = make_rows(2, [("10", 3, "script"), ("9a", 3, "script"), ("2", 3, "script"), ("a", 3, "script")])
    rounds, goals = frames(*rows)
    order = failures(goals)["chapter"].unique(maintain_order=True).to_list()
    assert order == ["2", "10", "9a", "a"]
    told = failures(goals, chapters=["a", "10"])["chapter"].unique(maintain_order=True).to_list()
    assert told == ["a", "10", "2", "9a"]
    cells = [(name, 3, "script") for name in ("10", "a", "9a", "2")]
    run = open_run(write_run(tmp_path / "run", *rows, cells=cells))
    scanned = failures(run.goal_cells, rounds=run.round_cells)
    assert scanned["chapter"].unique(maintain_order=True).to_list() == ["10", "a", "9a", "2"]
    assert scanned.equals(failures(run.goals, rounds=run.rounds, chapters=run.chapters))


@pytest.mark.parametrize("early", [False, True])
def test_a_run_on_disk_gives_what_its_frames_give(tmp_path: Path, early: bool) -> None:
    rows = make_rows(3, early=early, rounds_to_a_deal=2)
    run = open_run(write_run(tmp_path / "run", *rows))
    by_cells = failures(run.goal_cells, rounds=run.round_cells)
    assert_same(by_cells, failures_by_hand(*rows))
    assert by_cells.equals(failures(run.goal_cells))
    assert by_cells.equals(failures(run.goals))


def test_an_undecided_goal_is_no_failure() -> None:
    rows = make_rows(4, [CELLS[0]], deals=2)
    rounds, goals = rows
    for row in goals:
        row |= {"character": f"seat_{row['seat']}", "met": None, "lost_after": None, "first_lost": False}
    goals[0] |= {"met": False, "lost_after": 0, "first_lost": True}
    rounds[0]["won"], rounds[1]["won"] = False, True
    for row in goals[3:]:
        row["met"] = True
    frame = failures(frames(*rows)[1])
    assert frame.select("rounds", "failures", "undecided", "first_lost", "mean_lost_after").rows() == [
        (2, 1, 0, 1.0, 0.0),
        (2, 0, 1, 0.0, None),
        (2, 0, 1, 0.0, None),
    ]


def test_ties_count_for_each_and_a_cell_without_losses_has_no_first() -> None:
    rows = make_rows(5, [("1", 3, "a"), ("1", 3, "b")], deals=1)
    for row in rows[1]:
        row |= {"character": f"seat_{row['seat']}"}
        lost = row["policy"] == "a" and row["seat"] < 2
        row |= {"met": not lost, "lost_after": 3 if lost else None, "first_lost": lost}
    for row in rows[0]:
        row["won"] = row["policy"] == "b"
    rounds, goals = frames(*rows)
    for frame in (failures(goals), failures(goals, rounds=rounds)):
        assert frame["first_lost"].to_list() == [1.0, 1.0, 0.0, None, None, None]


def test_confidence_is_that_of_the_interval() -> None:
    rounds, goals = frames(*make_rows(6))
    for row in failures(goals, confidence=0.8).iter_rows(named=True):
        by_hand = wilson_by_hand(row["failures"], row["rounds"], 0.8)
        assert (row["low"], row["high"]) == pytest.approx(by_hand, abs=1e-9)


def test_goals_out_of_order_are_refused_unless_the_rounds_are_there() -> None:
    rows = make_rows(8, [("1", 4, "script")], deals=60)
    for row in rows[1]:
        row |= {"met": False, "lost_after": 1, "first_lost": True}
    for row in rows[0]:
        row["won"] = False
    rounds, goals = frames(*rows)
    by_seat = goals.sort("seat", "deal")
    with pytest.raises(UserError, match="not ordered by deal and round: pass the rounds"):
        failures(by_seat)
    assert failures(by_seat, rounds=rounds).equals(failures(goals))


def test_what_is_missing_is_named() -> None:
    rounds, goals = frames(*make_rows(9))
    with pytest.raises(UserError, match="the frame has no column 'met'; needed are chapter, players, policy, character, met"):
        failures(goals.drop("met"))
    with pytest.raises(UserError, match="the rounds lack chapter 2, 3 players, script"):
        failures(goals, rounds=rounds.filter(pl.col("chapter") != "2"))
    with pytest.raises(UserError, match="--confidence 2"):
        failures(goals, confidence=2)


def test_no_rows_give_an_empty_report() -> None:
    assert failures(frames([], [])[1]).is_empty()
