from __future__ import annotations

import csv
import io
import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from synthetic_run import CARDS, Cell, Row, frames, make_rows, write_run
from typer.testing import CliRunner

from cli.main import app
from reports import effects, open_run, pool
from reports.effects import CALIBRATION_COLUMNS, COLUMNS, MODEL_COLUMNS, Effects
from reports.sheets import every_sheet
from scenarios.errors import UserError

CELL: Cell = ("2", 3, "script")
OPTIONAL = ["merry", "pippin", "sam"]


def played(chance: Any, deals: int = 3000, seed: int = 1, cards: list[str] = CARDS) -> tuple[list[Row], list[Row]]:
    """Return rounds of frodo, gandalf (who has a threat) and one of three others, won by `chance` of what there is."""
    random_ = random.Random(seed)
    keys = dict(zip(("chapter", "players", "policy"), CELL, strict=True))
    rounds, goals = [], []
    for deal in range(deals):
        third = random_.choices(OPTIONAL, [1, 2, 3])[0]
        seats = random_.sample(["frodo", "gandalf", third], 3)
        threat, lost, leader = random_.randint(1, 4), random_.choice(cards), random_.randrange(3)
        won = random_.random() < chance(third, threat, lost, leader)
        rounds.append(
            keys
            | {
                "deal": deal,
                "round": 1,
                "lost": lost,
                "event": None,
                "first_leader": leader,
                "tricks": 9,
                "won": won,
                "open": None,
            }
        )
        goals += [
            keys
            | {"deal": deal, "round": 1, "seat": seat, "character": name, "threat": threat if name == "gandalf" else None}
            | {"curse": None, "tricks": 1, "met": won, "lost_after": None if won else 3, "first_lost": not won}
            for seat, name in enumerate(seats)
        ]
    return rounds, goals


def fitted(rows: tuple[list[Row], list[Row]], confidence: float = 0.95) -> Effects:
    rounds, goals = frames(*rows)
    return effects(goals, rounds, confidence=confidence)


def logistic(*parts: float) -> float:
    return 1 / (1 + math.exp(-sum(parts)))


def known(third: str, threat: int, lost: str, leader: int) -> float:
    rank = int(lost[1:])
    return logistic(
        0.4,
        {"merry": 0.5, "pippin": -0.7, "sam": 0.0}[third],
        -0.3 * threat,
        0.15 * rank,
        -1.0 * (lost[0] == "R"),
        0.6 * (leader == 2),
    )


def by_rows(rows: tuple[list[Row], list[Row]]) -> Any:
    """Fit the same model to single rounds, with columns made by hand: name -> (odds ratio, error)."""
    rounds, goals = rows
    threats = {goal["deal"]: goal["threat"] for goal in goals if goal["character"] == "gandalf"}
    present = {(goal["deal"], goal["character"]) for goal in goals}
    columns = {
        **{("lost suit", suit): [float(row["lost"][0] == suit) for row in rounds] for suit in "MFSR"},
        ("lost rank", "per rank"): [float(row["lost"][1:]) for row in rounds],
        ("threat of gandalf", "per step"): [float(threats[row["deal"]]) for row in rounds],
        **{("leads first", f"seat {seat}"): [float(row["first_leader"] == seat) for row in rounds] for seat in (1, 2)},
        **{("character", name): [float((row["deal"], name) in present) for row in rounds] for name in ("merry", "pippin")},
    }
    design = sm.add_constant(np.array(list(columns.values())).T)
    model = sm.Logit(np.array([float(row["won"]) for row in rounds]), design).fit(disp=0)
    return {name: (model.params[1 + i], model.bse[1 + i]) for i, name in enumerate(columns)}, model


def test_counts_give_what_single_rounds_give() -> None:
    rows = played(known)
    found, (expected, model) = fitted(rows, 0.9), by_rows(rows)
    table = found.effects
    assert table.columns == list(COLUMNS)
    estimated = {row["factor"]: row for row in table.iter_rows(named=True)}
    assert set(estimated) == {"lost suit", "lost rank", "threat of gandalf", "leads first", "character"}
    rows_with = [row for row in table.iter_rows(named=True) if row["odds_ratio"] is not None]
    assert {(row["factor"], row["level"]) for row in rows_with} == set(expected)
    for row in rows_with:
        b, error = expected[row["factor"], row["level"]]
        assert math.log(row["odds_ratio"]) == pytest.approx(b, abs=1e-5)
        assert math.log(row["odds_low"]) == pytest.approx(b - 1.6448536 * error, abs=1e-4)
        assert math.log(row["odds_high"]) == pytest.approx(b + 1.6448536 * error, abs=1e-4)
        assert row["p_adjusted"] >= row["p_value"]
        assert row["significant"] == (row["p_adjusted"] <= 1 - 0.9 + 1e-12)
    (last,) = (row for row in table.iter_rows(named=True) if row["odds_ratio"] is None)
    assert (last["level"], last["note"]) == ("sam", "no odds ratio: follows from the others: the reference")
    (about,) = found.models.iter_rows(named=True)
    assert about["explained"] == pytest.approx(model.prsquared, abs=1e-6)
    assert (about["rounds"], about["used"], about["terms"], about["note"]) == (3000, 3000, len(expected), None)


def test_what_was_put_in_comes_out() -> None:
    table = fitted(played(known, 15_000)).effects
    true = {
        "merry": 0.5,
        "pippin": -0.7,
        "R": -1.0,
        "per rank": 0.15,
        "per step": -0.3,
        "seat 2": 0.6,
        "M": 0,
        "F": 0,
        "S": 0,
        "seat 1": 0,
    }
    rows = table.filter(pl.col("odds_ratio").is_not_null())
    assert set(rows["level"]) == set(true)
    for row in rows.iter_rows(named=True):
        error = (math.log(row["odds_high"]) - math.log(row["odds_low"])) / 3.92
        assert abs(math.log(row["odds_ratio"]) - true[row["level"]]) < 4 * error
    assert set(rows.filter("significant")["level"]) >= {"merry", "pippin", "R", "per rank", "per step", "seat 2"}


def test_calibration_is_of_the_other_half() -> None:
    good = fitted(played(known, 10_000)).calibration
    assert good.columns == list(CALIBRATION_COLUMNS)
    assert good["group"].to_list() == list(range(1, 11))
    assert good["rounds"].sum() == 10_000
    assert good["predicted"].is_sorted()
    assert (good["rate"] - good["predicted"]).abs().max() < 0.06
    # What depends on an interaction that the model lacks shows: chances are pushed to the middle or off the line.
    crossed = fitted(played(lambda third, threat, lost, leader: 0.9 if (threat > 2) == (leader == 2) else 0.1, 5_000))
    assert crossed.models["explained"][0] < 0.2
    # Pure chance: what the model makes of one half means nothing in the other.
    chance = fitted(played(lambda *_: 0.5, 2000)).calibration
    assert chance["predicted"].max() - chance["predicted"].min() > 0.1
    assert abs(chance["rate"].tail(3).mean() - chance["rate"].head(3).mean()) < 0.1  # type: ignore[operator]


def test_separated_levels_are_left_out_with_their_rounds() -> None:
    rows = played(
        lambda third, threat, lost, leader: 0.0 if third == "merry" or lost[0] == "R" else known(third, threat, lost, leader)
    )
    found = fitted(rows)
    table = {row["level"]: row for row in found.effects.iter_rows(named=True)}
    merry = [goal["deal"] for goal in rows[1] if goal["character"] == "merry"]
    assert table["merry"]["note"] == f"no finite odds ratio: all {len(merry)} rounds lost"
    assert (table["merry"]["rate"], table["merry"]["odds_ratio"], table["merry"]["p_value"]) == (0.0, None, None)
    assert table["R"]["note"].startswith("no finite odds ratio: all ")
    left = [row for row in rows[0] if row["deal"] not in set(merry) and row["lost"][0] != "R"]
    assert found.models["used"][0] == len(left) < 3000
    assert found.models["note"][0] == f"{3000 - len(left):_} rounds of levels without a finite odds ratio left out".replace(
        "_", "_"
    )
    # What is left is as if these rounds had never been.
    deals = {row["deal"] for row in left}
    again = fitted((left, [goal for goal in rows[1] if goal["deal"] in deals]))
    odds = {row["level"]: row["odds_ratio"] for row in again.effects.iter_rows(named=True)}
    for level in ("M", "F", "S", "per rank", "per step", "seat 1", "seat 2", "pippin"):
        assert table[level]["odds_ratio"] == pytest.approx(odds[level], rel=1e-4)


def test_separation_by_a_slope_is_no_number() -> None:
    # Won below a rank and lost above it: no finite slope.
    found = fitted(played(lambda third, threat, lost, leader: float(int(lost[1:]) < 4)))
    row = next(row for row in found.effects.iter_rows(named=True) if row["factor"] == "lost rank")
    assert (row["odds_ratio"], row["note"]) == (None, "no finite estimate: the rounds won and lost are separated")
    for other in found.effects.filter(pl.col("odds_ratio").is_not_null()).iter_rows(named=True):
        assert 1e-3 < other["odds_ratio"] < 1e3


@pytest.mark.parametrize(("chance", "note"), [(1.0, "no model: all rounds were won"), (0.0, "no model: no round was won")])
def test_without_a_choice_there_is_no_model(chance: float, note: str) -> None:
    found = fitted(played(lambda *_: chance, 50))
    assert found.effects["note"].unique().to_list() == found.models["note"].to_list() == [note]
    assert found.effects["odds_ratio"].is_null().all()
    assert found.calibration.is_empty()


def test_what_never_differs_is_said_to_be_so() -> None:
    found = fitted(played(known, 1500, cards=["H4"]))
    rank = next(row for row in found.effects.iter_rows(named=True) if row["factor"] == "lost rank")
    assert (rank["odds_ratio"], rank["note"]) == (None, "no odds ratio: never differs")
    assert "lost suit" not in found.effects["factor"].to_list()
    assert found.models["terms"][0] == 5


def test_any_run_gives_figures_or_notes() -> None:
    cells: list[Cell] = [
        (chapter, players, policy) for chapter in ("2", "my") for players in (3, 4) for policy in ("script", "team")
    ]
    for seed in range(8):
        rows = make_rows(seed, cells, deals=60, early=seed % 2 == 1, rounds_to_a_deal=1 + seed % 3)
        found = fitted(rows)
        assert found.models.height == len(cells)
        table = found.effects
        assert table.select((pl.col("odds_ratio").is_null() == pl.col("note").is_not_null()).all()).item()
        numbers = table.select("odds_ratio", "odds_low", "odds_high").drop_nulls()
        assert numbers.select(pl.all_horizontal(pl.all().is_finite()).all()).item() in (True, None)
        assert set(table["rate"].drop_nulls() <= 1) <= {True}


def test_the_first_deals_alone_are_fitted_when_asked() -> None:
    rounds, goals = frames(*played(known, 2000))
    few = effects(goals, rounds, deals=900)
    assert few.models["rounds"].to_list() == [900]
    again = effects(goals.filter(pl.col("deal") < 900), rounds.filter(pl.col("deal") < 900))
    assert few.effects.equals(again.effects)
    assert few.calibration.equals(again.calibration)


# The command.


def report(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["report", "effects", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = played(known, 1200)
    return write_run(tmp_path_factory.mktemp("runs") / "run", *rows, cells=[CELL], deals=1200, chunk=500)


def test_the_command_writes_every_format(folder: Path, tmp_path: Path) -> None:
    for suffix in ("csv", "json", "parquet", "md", "txt", "html", "svg", "png"):
        assert report(folder, "--out", tmp_path / f"e.{suffix}") == ""
    run = open_run(folder)
    found = effects(run.goal_cells, run.round_cells)
    assert pl.read_parquet(tmp_path / "e.parquet").equals(found.effects)
    assert json.loads((tmp_path / "e.json").read_text()) == found.effects.to_dicts()
    text = (tmp_path / "e.md").read_text()
    assert "these models describe how the policies named here play, not the game" in text
    assert "Calibration: rounds won by predicted chance" in text

    svg = (tmp_path / "e.svg").read_text()
    assert "predicted chance" in svg
    assert "odds ratio" in svg


def test_the_other_tables_for_programs(folder: Path) -> None:
    for option, columns in (("--models", MODEL_COLUMNS), ("--calibration", CALIBRATION_COLUMNS)):
        (first, *_) = csv.reader(io.StringIO(report(folder, option, "--format", "csv")))
        assert first == list(columns)
    with pytest.raises(UserError, match="^--models and --calibration are two tables: choose one$"):
        report(folder, "--models", "--calibration")


def test_all_reports_say_when_they_fit_to_fewer_deals(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = pool([open_run(folder)])

    def notes() -> str:
        return "\n".join(next(sheet for sheet in every_sheet(read, 0.95) if sheet.name == "effects").notes)

    assert "fitted to" not in notes()
    monkeypatch.setattr("reports.sheets.EFFECTS_DEALS", 500)
    assert "fitted to the first 500 deals of each; ringsim report effects takes all" in notes()
