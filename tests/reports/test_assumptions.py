from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from synthetic_run import Cell, Row, frames, make_rows, outcomes_by_hand, paired_by_hand
from typer.testing import CliRunner

from cli.main import app
from reports import Alternative, Played, assumptions, traces
from reports.assumptions import COLUMNS
from scenarios.errors import UserError

CELL: Cell = ("2", 3, "script")


def played(rounds: list[Row], goals: list[Row]) -> Played:
    lazy = frames(rounds, goals)
    return Played(lazy[0].collect(), lazy[1].collect())


def alternative(option: str, deals: Played | None, no_effect: str = "") -> Alternative:
    return Alternative(*CELL, "A10", option, "at_play", deals, no_effect)


@given(st.integers(0, 10**6), st.integers(1, 3))
def test_statistics_agree_with_pairing_by_hand(seed: int, rounds_to_a_deal: int) -> None:
    base, other = (make_rows(seed + step, [CELL], rounds_to_a_deal=rounds_to_a_deal) for step in range(2))
    frame = assumptions({CELL: traces(played(*base))}, [alternative("after_trick", played(*other))], confidence=0.9)
    a, b = outcomes_by_hand(base[0], CELL), outcomes_by_hand(other[0], CELL)
    pairs = [(a[deal]["won"], b[deal]["won"]) for deal in a]
    both, only_a, only_b, neither = (pairs.count((x, y)) for x in (True, False) for y in (True, False))
    (row,) = frame.iter_rows(named=True)
    assert (row["both"], row["only_a"], row["only_b"], row["neither"], row["deals"]) == (both, only_a, only_b, neither, 40)
    assert row["difference"] == pytest.approx((only_b - only_a) / 40)
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(paired_by_hand(both, only_b, only_a, neither, 0.9))
    exact = only_a + only_b < 25
    assert row["p_value"] == pytest.approx(mcnemar([[both, only_a], [only_b, neither]], exact=exact, correction=False).pvalue)

    def came_to(rows: tuple[list[Row], list[Row]], deal: int) -> list[Row]:
        unseen = {"open", "first_lost"}
        return [{n: v for n, v in row.items() if n not in unseen} for table in rows for row in table if row["deal"] == deal]

    differing = sum(came_to(base, deal) != came_to(other, deal) for deal in range(40))
    assert row["changed"] == pytest.approx(differing / 40)


def test_what_is_equal_but_for_one_threat_is_seen() -> None:
    rounds, goals = make_rows(3, [CELL])
    other = [dict(row) for row in goals]
    row = next(row for row in other if row["threat"] is not None)
    row["threat"] += 1
    base = {CELL: traces(played(rounds, goals))}
    frame = assumptions(base, [alternative("x", played(rounds, other)), alternative("y", played(rounds, goals))])
    assert frame["changed"].to_list() == [pytest.approx(1 / 40), 0]
    assert frame["discordant"].to_list() == [0, 0]
    assert frame["p_value"].to_list() == [1, 1]


def test_what_was_not_played_has_no_figures_and_is_no_question_asked() -> None:
    base, other = make_rows(1, [CELL]), make_rows(2, [CELL])
    rows = [alternative("b", played(*other)), alternative("c", None, "no such card")]
    frame = assumptions({CELL: traces(played(*base))}, rows)
    assert frame.columns == list(COLUMNS)
    assert frame["deals"].to_list() == [40, 0]
    assert frame["no_effect"].to_list() == [None, "no such card"]
    assert frame.row(1, named=True) | {"no_effect": ""} == frame.clear(1).row(0, named=True) | {
        **{name: frame[name][1] for name in ("chapter", "players", "policy", "assumption", "option", "instead_of")},
        **dict.fromkeys(("deals", "both", "only_a", "only_b", "neither"), 0),
        "no_effect": "",
    }
    assert frame["p_adjusted"][0] == frame["p_value"][0]


def test_deals_that_the_default_lacks_are_refused() -> None:
    base, other = make_rows(1, [CELL], deals=30), make_rows(2, [CELL])
    with pytest.raises(UserError, match="^chapter 2, 3 players, script: the option has deals that the default has not"):
        assumptions({CELL: traces(played(*base))}, [alternative("b", played(*other))])
    with pytest.raises(UserError, match="the default was not played"):
        assumptions({}, [alternative("b", played(*other))])


# The command, with the engine.


def report(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["report", "assumptions", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


ASKED = ("2", "--players", "1,3", "--policy", "script", "--deals", "60", "--seed", "7", "--quiet")


def test_the_command_plays_what_runs_play(tmp_path: Path) -> None:
    import sim

    rows = list(csv.DictReader(io.StringIO(report(*ASKED, "--format", "csv"))))
    assert [(row["players"], row["assumption"], row["option"]) for row in rows] == [
        (players, name, option)
        for players in "13"
        for name, option in (
            ("A10", "after_trick"),
            ("A12", "optional"),
            ("A12", "group"),
            ("A13", "left_of_holder"),
            ("A14", "shuffled_back"),
            ("A21", "required_first"),
        )
    ]
    won = {
        (name, players): sim.simulate(2, players=players, policy="script", deals=60, seed=7, assume={"A10": name}).rounds["won"]
        for name in ("at_play", "after_trick")
        for players in (1, 3)
    }
    for row in rows:
        if row["assumption"] == "A10":
            assert float(row["rate_a"]) == pytest.approx(won["at_play", int(row["players"])].mean())
            assert float(row["rate_b"]) == pytest.approx(won["after_trick", int(row["players"])].mean())
        assert (row["deals"] == "0") == bool(row["no_effect"]) == (row["rate_a"] == "")


def test_every_format(tmp_path: Path) -> None:
    options = (*ASKED, "--only", "A10,A13")
    for suffix in ("csv", "json", "parquet", "md", "txt", "html", "svg", "png"):
        assert report(*options, "--out", tmp_path / f"report.{suffix}") == ""
    parquet = pl.read_parquet(tmp_path / "report.parquet")
    assert parquet.columns == list(COLUMNS)
    assert json.loads((tmp_path / "report.json").read_text()) == parquet.to_dicts()
    from sim.tricks.library import VERSIONS

    heading = f"policy script (version {VERSIONS['script']}) | seed 0x7 | 60 deals each"
    assert heading in (tmp_path / "report.md").read_text()
    assert (tmp_path / "report.png").read_bytes()[:4] == b"\x89PNG"
    assert "The option less the default" in (tmp_path / "report.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "which chapters?"),
        (["1", "--only", "A99"], "--only A99: unknown assumption; allowed are A"),
        (["1", "--policy", "tem"], "--policy 'tem': allowed are"),
        (["1", "--deals", "0"], "--deals 0: must be at least 1"),
        (["1", "--format", "svgg"], "--format svgg: must be one of"),
        (["99"], "chapter '99': allowed are"),
    ],
)
def test_one_clear_line(arguments: list[str], message: str) -> None:
    with pytest.raises(UserError) as caught:
        report(*arguments)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
