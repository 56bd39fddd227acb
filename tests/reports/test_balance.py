from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import by_cell, frames, make_rows, newcombe_by_hand, wilson_by_hand, write_run

from reports import balance, open_run, player_gaps
from scenarios.errors import UserError
from sim.core.dataset import won_deals


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_balance_agrees_with_counting_by_hand(seed: int, rounds_to_a_deal: int) -> None:
    rows, _ = make_rows(seed, rounds_to_a_deal=rounds_to_a_deal)
    frame = balance(frames(rows, [])[0])
    assert frame.height == len(by_cell(rows))
    for row in frame.iter_rows():
        last = {played["deal"]: played["won"] for played in by_cell(rows)[row[:3]]}
        won = sum(last.values())
        expected = (len(last), won, won / len(last), *wilson_by_hand(won, len(last)))
        assert row[3:] == pytest.approx(expected, abs=1e-9)


def test_balance_counts_the_deals_that_a_run_counts_as_won(tmp_path: Path) -> None:
    rows = make_rows(11, rounds_to_a_deal=3)
    run = open_run(write_run(tmp_path / "run", *rows))
    for key, played in by_cell(rows[0]).items():
        expected = won_deals(frames(played, [])[0].collect())
        row = pl.col("chapter").cast(pl.String) == key[0], pl.col("policy") == key[2]
        assert balance(run.round_cells).filter(*row)["won"].item() == expected
    assert balance(run.round_cells).equals(balance(run.rounds, chapters=run.chapters))


def test_columns_and_dtypes() -> None:
    frame = balance(frames(*make_rows(1))[0])
    assert frame.schema == {
        "chapter": pl.Enum(["2", "10", "my"]),
        "players": pl.UInt8,
        "policy": pl.String,
        "deals": pl.Int64,
        "won": pl.Int64,
        "rate": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
    }
    shares = ["rate", "other_rate", "gap", "gap_low", "gap_high", "simultaneous_low", "simultaneous_high"]
    assert player_gaps(frame).schema == {
        "chapter": pl.Enum(["2", "10", "my"]),
        "policy": pl.String,
        "players": pl.UInt8,
        "other_players": pl.UInt8,
    } | dict.fromkeys(shares, pl.Float64)


def test_gaps_are_of_every_pair_and_widen_when_they_hold_together() -> None:
    cells = [(chapter, players, "script") for chapter in ("2", "10") for players in (1, 3, 4)]
    frame = balance(frames(*make_rows(5, [*cells, ("2", 1, "team"), ("11", 2, "script")]))[0])
    counts = {row[:3]: row[3:5] for row in frame.iter_rows()}
    gaps = player_gaps(frame, confidence=0.9)
    pairs = [(1, 3), (1, 4), (3, 4)]
    assert gaps.select("chapter", "policy", "players", "other_players").rows() == [
        (chapter, "script", *pair) for chapter in ("2", "10") for pair in pairs
    ]
    for row in gaps.iter_rows(named=True):
        deals, won = counts[row["chapter"], row["players"], "script"]
        other_deals, other_won = counts[row["chapter"], row["other_players"], "script"]
        assert row["gap"] == pytest.approx(other_won / other_deals - won / deals)
        sides = other_won, other_deals, won, deals
        assert (row["gap_low"], row["gap_high"]) == pytest.approx(newcombe_by_hand(*sides, 0.9), abs=1e-9)
        together = row["simultaneous_low"], row["simultaneous_high"]
        assert together == pytest.approx(newcombe_by_hand(*sides, 1 - 0.1 / 3), abs=1e-9)


def test_a_single_pair_needs_no_correction() -> None:
    gaps = player_gaps(balance(frames(*make_rows(7, [("1", 3, "script"), ("1", 4, "script")]))[0]))
    assert gaps["gap_low"].to_list() == pytest.approx(gaps["simultaneous_low"].to_list(), abs=1e-12)


def test_what_is_missing_is_named() -> None:
    rounds, _ = frames(*make_rows(9))
    with pytest.raises(UserError, match="the frame has no column 'won'"):
        balance(rounds.drop("won"))
    with pytest.raises(UserError, match="--confidence 0.1"):
        player_gaps(balance(rounds), confidence=0.1)


def test_no_rows_give_empty_reports() -> None:
    frame = balance(frames([], [])[0])
    assert frame.is_empty()
    assert player_gaps(frame).is_empty()
