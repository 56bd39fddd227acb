"""Attempts and rounds until a deal is won, by hand from the rows; a whole book; runs of the time before attempts."""

from __future__ import annotations

from pathlib import Path
from statistics import NormalDist, mean, stdev
from typing import Any

import polars as pl
import pytest
from synthetic_run import CELLS, Row, by_cell, cell_of, frames, make_rows, part, tables, wilson_by_hand, write_run

from reports import attempts, balance, campaign, ends, failures, open_run, pool, progress
from reports.attempts import SEVERAL
from scenarios.errors import UserError

CONFIDENCE = 0.9


def deals_of(rounds: list[Row]) -> dict[tuple[Any, ...], list[tuple[bool, int, int]]]:
    """Return (won, attempts, rounds) of every deal of each cell."""
    found: dict[tuple[Any, ...], list[tuple[bool, int, int]]] = {}
    for key, rows in by_cell(rounds, "deal").items():
        found.setdefault(key[:3], []).append((rows[-1]["won"], max(row["attempt"] for row in rows), len(rows)))
    return found


def close(found: float | None, expected: float | None) -> bool:
    return found is None if expected is None else found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("tries", "rounds_to_a_deal"), [(1, 1), (1, 3), (5, 1), (4, 3)])
def test_attempts_are_those_counted_by_hand(seed: int, tries: int, rounds_to_a_deal: int) -> None:
    rounds, _ = make_rows(seed, rounds_to_a_deal=rounds_to_a_deal, attempts=tries)
    report = attempts(frames(rounds, [])[0], confidence=CONFIDENCE)
    expected = deals_of(rounds)
    assert report.height == len(expected)
    z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
    for row in report.iter_rows(named=True):
        deals = expected[row["chapter"], row["players"], row["policy"]]
        won = [deal for deal in deals if deal[0]]
        lost = len(deals) - len(won)
        assert (row["deals"], row["won"]) == (len(deals), len(won))
        assert row["not_won"] == pytest.approx(lost / len(deals))
        assert (row["not_won_low"], row["not_won_high"]) == pytest.approx(wilson_by_hand(lost, len(deals), CONFIDENCE))
        for place, name in ((1, "attempts"), (2, "rounds")):
            values = sorted(deal[place] for deal in won)
            assert close(row[f"{name}_mean"], mean(values) if values else None)
            half = z * stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
            assert close(row[f"{name}_mean_low"], mean(values) - half if half is not None else None)
            assert close(row[f"{name}_mean_high"], mean(values) + half if half is not None else None)
            ranked = [*values, *[None] * lost]
            assert row[f"{name}_median"] == ranked[-(-len(deals) // 2) - 1]
            assert row[f"{name}_p10"] == ranked[-(-len(deals) // 10) - 1]
            assert row[f"{name}_p90"] == ranked[-(-len(deals) * 9 // 10) - 1]
            low, high = row[f"{name}_median_low"], row[f"{name}_median_high"]
            if row[f"{name}_median"] is not None:
                assert low <= row[f"{name}_median"]
                assert high is None or row[f"{name}_median"] <= high


def test_the_interval_of_the_median_holds_as_often_as_it_says() -> None:
    # Attempts until heads with a chance of 0.3: the median is 2.
    import random

    luck, held = random.Random(3), 0
    for _ in range(300):
        rows = []
        for deal in range(60):
            tries = 1
            while luck.random() > 0.3:
                tries += 1
            rows += [
                {"chapter": "1", "players": 3, "policy": "p", "deal": deal, "attempt": i, "round": 1, "won": i == tries}
                for i in range(1, tries + 1)
            ]
        row = attempts(pl.DataFrame(rows), confidence=CONFIDENCE).row(0, named=True)
        held += row["attempts_median_low"] <= 2 <= row["attempts_median_high"]
    assert held / 300 >= CONFIDENCE - 0.03


@pytest.mark.parametrize("seed", range(3))
def test_progress_counts_what_was_won_by_then(seed: int) -> None:
    rounds, _ = make_rows(seed, rounds_to_a_deal=3, attempts=4)
    report = progress(frames(rounds, [])[0], confidence=CONFIDENCE)
    deals = deals_of(rounds)
    for row in report.iter_rows(named=True):
        place = {"attempts": 1, "rounds": 2}[row["measure"]]
        mine = deals[row["chapter"], row["players"], row["policy"]]
        assert row["won"] == sum(deal[0] and deal[place] == row["number"] for deal in mine) > 0
        assert row["won_by_then"] == sum(deal[0] and deal[place] <= row["number"] for deal in mine)
        interval = wilson_by_hand(row["won_by_then"], len(mine), CONFIDENCE)
        assert (row["by_then_low"], row["by_then_high"]) == pytest.approx(interval)
    assert report.filter(measure="rounds")["won"].sum() == sum(deal[0] for mine in deals.values() for deal in mine)


@pytest.mark.parametrize("seed", range(3))
def test_ends_count_every_lost_round_where_its_first_goal_was_lost(seed: int) -> None:
    rounds, goals = make_rows(seed, rounds_to_a_deal=3, attempts=3)
    report = ends(*frames(rounds, goals)[::-1], confidence=CONFIDENCE)
    losses: dict[tuple[Any, ...], int] = {}
    reached: dict[tuple[Any, ...], int] = {}
    for row, seated in tables(rounds, goals):
        place = (*cell_of(row), row["round"], row["event"])
        reached[place] = reached.get(place, 0) + 1
        if not row["won"]:
            firsts = [goal["character"] for goal in seated if goal["first_lost"]]
            key = (*place, firsts[0] if len(firsts) == 1 else SEVERAL)
            losses[key] = losses.get(key, 0) + 1
    keys = [
        (row["chapter"], row["players"], row["policy"], row["round"], row["event"], row["first"]) for row in report.to_dicts()
    ]
    assert dict(zip(keys, report["losses"], strict=True)) == losses
    for key, row in zip(keys, report.to_dicts(), strict=True):
        assert row["reached"] == reached[key[:-1]]
        assert (row["low"], row["high"]) == pytest.approx(wilson_by_hand(row["losses"], row["reached"], CONFIDENCE))
        lost = sum(count for other, count in losses.items() if other[:3] == key[:3])
        assert row["share"] == pytest.approx(row["losses"] / lost)


@pytest.mark.parametrize("seed", range(3))
def test_balance_and_failures_know_attempts(seed: int) -> None:
    rounds, goals = make_rows(seed, rounds_to_a_deal=2, attempts=4)
    deals = deals_of(rounds)
    for row in balance(frames(rounds, goals)[0]).iter_rows(named=True):
        mine = deals[row["chapter"], row["players"], row["policy"]]
        assert (row["deals"], row["won"]) == (len(mine), sum(deal[0] for deal in mine))
    alone, with_rounds = failures(frames(rounds, goals)[1]), failures(frames(rounds, goals)[1], rounds=frames(rounds, goals)[0])
    assert alone.equals(with_rounds)


def test_a_run_of_the_time_before_attempts_is_read_as_single_attempts(tmp_path: Path) -> None:
    rounds, goals = make_rows(4, rounds_to_a_deal=2)
    new = open_run(write_run(tmp_path / "new", rounds, goals, schema_version=2))
    old_folder = write_run(tmp_path / "old", rounds, goals)
    for file in old_folder.rglob("*.parquet"):
        pl.read_parquet(file).drop("attempt").write_parquet(file)
    old = open_run(old_folder)
    assert old.rounds.collect().equals(new.rounds.collect())
    assert old.goals.collect().equals(new.goals.collect())
    assert attempts(old.round_cells).equals(attempts(new.round_cells))
    assert part(old_folder, "rounds", CELLS[0], 0).exists()


def book(folder: Path, seed: int, **more: Any) -> tuple[Any, list[Row]]:
    cells = [("2", 3, "script"), ("10", 3, "script")]
    rounds, goals = make_rows(seed, cells, rounds_to_a_deal=2, attempts=4)
    return pool([open_run(write_run(folder, rounds, goals, cells=cells, **more))]), rounds


@pytest.mark.parametrize("seed", range(6))
def test_a_campaign_adds_up_its_chapters_and_takes_other_deals_of_each(tmp_path: Path, seed: int) -> None:
    read, rounds = book(tmp_path / "run", seed)
    report = campaign(read.round_cells, confidence=CONFIDENCE)
    assert report["chapter"].cast(pl.String).to_list() == ["2", "10", "all"]
    single = attempts(read.round_cells, confidence=CONFIDENCE)
    assert report.head(2).drop("chapter").equals(single.drop("chapter"))
    first, second = deals_of(rounds).values()
    turned = second[20:] + second[:20]
    whole = [(a[0] and b[0], a[2] + b[2]) for a, b in zip(first, turned, strict=True)]
    row = report.row(2, named=True)
    assert (row["deals"], row["won"]) == (40, sum(won for won, _ in whole))
    if row["won"]:
        assert row["rounds_mean"] == pytest.approx(mean(length for won, length in whole if won))
        same = [a[2] + b[2] for a, b in zip(first, second, strict=True) if a[0] and b[0]]
        if len(same) > 1:
            half = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2) * stdev(same) / len(same) ** 0.5
            assert row["rounds_mean_high"] - row["rounds_mean"] == pytest.approx(half)


def test_a_campaign_needs_all_chapters(tmp_path: Path) -> None:
    read, _ = book(tmp_path / "run", 1)
    with pytest.raises(UserError, match=r"the run lacks chapter 3 \(3 players, script\)"):
        campaign(read.round_cells, chapters=["2", "3", "10"])
    part(tmp_path / "run", "goals", ("10", 3, "script"), 15).unlink()
    with pytest.raises(UserError, match=r"chapter 10 .* has other deals than chapter 2: complete the run first"):
        campaign(open_run(tmp_path / "run").round_cells)
