from __future__ import annotations

from math import comb
from pathlib import Path
from statistics import NormalDist

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import (
    CARDS,
    CELLS,
    Row,
    by_cell,
    frames,
    make_rows,
    newcombe_by_hand,
    wilson_by_hand,
    write_run,
)

from reports import lost_card, lost_card_grids, open_run
from scenarios.errors import UserError

Counts = tuple[int, int, int, int]  # won and deals with the card lost, won and deals of all others


def two_sided_by_hand(won: int, deals: int, other_won: int, other_deals: int) -> tuple[str, float]:
    total, wins = deals + other_deals, won + other_won
    expected = [side * part / total for side in (deals, other_deals) for part in (wins, total - wins)]
    if min(expected) >= 5:
        pooled = wins / total
        z = (won / deals - other_won / other_deals) / (pooled * (1 - pooled) * (1 / deals + 1 / other_deals)) ** 0.5
        return "z", 2 * NormalDist().cdf(-abs(z))
    # Fisher: all tables with the same margins that are at most as likely as this one.
    ways = {k: comb(wins, k) * comb(total - wins, deals - k) for k in range(min(wins, deals) + 1)}
    return "fisher", sum(way for way in ways.values() if way <= ways[won]) / comb(total, deals)


def adjusted_by_hand(p_values: list[float]) -> list[float]:
    ordered = sorted(p_values)
    return [
        min(min(1, ordered[place] * len(ordered) / (place + 1)) for place in range(ordered.index(p), len(ordered)))
        for p in p_values
    ]


def counts_by_hand(rounds: list[Row]) -> dict[tuple[object, ...], Counts]:
    table = {}
    for cell, rows in by_cell(rounds).items():
        for card in {card for row in rows for card in row["lost"].split()}:
            here = [row["won"] for row in rows if card in row["lost"].split()]
            others = [row["won"] for row in rows if card not in row["lost"].split()]
            table[(*cell, card)] = sum(here), len(here), sum(others), len(others)
    return table


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from([20, 300]), st.sampled_from([CARDS, CARDS[:3]]))
def test_lost_cards_agree_with_counting_by_hand(seed: int, deals: int, cards: list[str]) -> None:
    rounds, _ = make_rows(seed, CELLS[:2], deals=deals, cards=cards)
    report = lost_card(frames(rounds, [])[0], confidence=0.9)
    expected = counts_by_hand(rounds)
    assert report.height == len(expected)
    p_values: dict[tuple[object, ...], list[float]] = {}
    for row in report.iter_rows(named=True):
        key = row["chapter"], row["players"], row["policy"], row["lost_card"]
        counts = won, here, other_won, others = expected[key]
        assert (row["deals"], row["won"], row["rate"]) == (here, won, won / here)
        assert (row["low"], row["high"]) == pytest.approx(wilson_by_hand(won, here, 0.9), abs=1e-9)
        assert row["other_rate"] == other_won / others
        assert row["difference"] == pytest.approx(won / here - other_won / others, abs=1e-12)
        interval = row["difference_low"], row["difference_high"]
        assert interval == pytest.approx(newcombe_by_hand(*counts, 0.9), abs=1e-9)
        test, p_value = two_sided_by_hand(*counts)
        if other_won + won in (0, here + others):
            assert row["p_value"] == 1
        else:
            assert row["test"] == test
            assert row["p_value"] == pytest.approx(p_value, rel=1e-6, abs=1e-12)
        p_values.setdefault(key[:3], []).append(row["p_value"])
    for key, values in p_values.items():
        cell = report.filter(pl.col("chapter").cast(pl.String) == key[0])
        assert cell["p_adjusted"].to_list() == pytest.approx(adjusted_by_hand(values), rel=1e-9)
        assert cell["significant"].to_list() == [value <= 1 - 0.9 for value in cell["p_adjusted"]]


def rounds_of(*played: tuple[str, bool]) -> pl.LazyFrame:
    rows, _ = make_rows(1, [CELLS[0]], deals=len(played))
    for row, (lost, won) in zip(rows, played, strict=True):
        row |= {"lost": lost, "won": won}
    return frames(rows, [])[0]


def test_a_deal_with_several_lost_cards_counts_once_for_each() -> None:
    report = lost_card(rounds_of(("H3 M5", True), ("M5", False), ("", True), ("M5 M5", True)))
    assert report.select("lost_card", "deals", "won", "other_rate").rows() == [("H3", 1, 1, 2 / 3), ("M5", 3, 2, 1.0)]


def test_a_card_lost_in_every_deal_has_nothing_to_compare_with() -> None:
    report = lost_card(rounds_of(("R2", True), ("R2 H1", False)))
    row = report.row(1, named=True)
    assert (row["lost_card"], row["deals"], row["rate"]) == ("R2", 2, 0.5)
    empty = ["other_rate", "difference", "difference_low", "difference_high", "test", "p_value", "p_adjusted", "significant"]
    assert {name: row[name] for name in empty} == dict.fromkeys(empty)
    assert report["p_adjusted"].to_list() == report["p_value"].to_list()
    assert lost_card_grids(report)[0].table.row(4) == ("R", *[""] * 8)


def test_a_run_without_lost_cards_gives_no_rows() -> None:
    report = lost_card(rounds_of(("", True), ("", False)))
    assert report.is_empty()
    assert lost_card_grids(report) == []
    assert lost_card(frames([], [])[0]).is_empty()


def test_columns_and_dtypes_and_the_order_of_cards(tmp_path: Path) -> None:
    rows = make_rows(2, CELLS[:2], deals=500)
    run = open_run(write_run(tmp_path / "run", *rows, cells=[CELLS[1], CELLS[0]], deals=500, chunk=100))
    report = lost_card(run.round_cells)
    assert report.schema == {
        "chapter": pl.Enum(["10", "2"]),
        "players": pl.UInt8,
        "policy": pl.String,
        "lost_card": pl.String,
        "deals": pl.Int64,
        "won": pl.Int64,
        "rate": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "other_rate": pl.Float64,
        "difference": pl.Float64,
        "difference_low": pl.Float64,
        "difference_high": pl.Float64,
        "test": pl.String,
        "p_value": pl.Float64,
        "p_adjusted": pl.Float64,
        "significant": pl.Boolean,
    }
    assert report["lost_card"].to_list() == CARDS + CARDS
    assert report.equals(lost_card(run.rounds, chapters=run.chapters))


def test_the_grid_shows_points_by_suit_and_rank_and_marks_what_is_significant() -> None:
    played = [("H3", False)] * 200 + [("M8 V7", True), ("F9", False)] * 100
    grid = lost_card_grids(lost_card(rounds_of(*played)))[0]
    assert grid.title == "chapter 2, 3 players, script"
    assert grid.table.columns == ["suit", *"123456789"]
    assert grid.table["suit"].to_list() == [*"HMFSR", "V"]
    fields = {(row[0], rank): text for row in grid.table.iter_rows() for rank, text in enumerate(row) if rank and text}
    assert fields == {("H", 3): "*-50.0", ("M", 8): "*+100.0", ("F", 9): "*-33.3", ("V", 7): "*+100.0"}


def test_what_is_missing_is_named() -> None:
    with pytest.raises(UserError, match="the frame has no column 'lost'"):
        lost_card(rounds_of(("H1", True)).drop("lost"))
    with pytest.raises(UserError, match="--confidence 95"):
        lost_card(rounds_of(("H1", True)), confidence=95)
