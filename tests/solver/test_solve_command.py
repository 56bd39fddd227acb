"""`ringsim solve`: figures, lines, mistakes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tricks.games import check
from typer.testing import CliRunner

from cli.main import app
from scenarios.errors import UserError


def run(*arguments: str, code: int = 0) -> str:
    """Return what the command prints."""
    done = CliRunner().invoke(app, ["solve", *arguments])
    assert done.exit_code == code, done.output
    return done.stdout


def test_the_figures_add_up() -> None:
    rows = json.loads(run("2,3", "--players", "2,3", "--seed", "7", "--deals", "60", "--format", "json"))
    assert [(row["chapter"], row["players"]) for row in rows] == [("2", 2), ("2", 3), ("3", 2), ("3", 3)]
    for row in rows:
        assert row["won"] + row["lost"] + row["unknown"] == row["deals"] == 60
        assert row["won_low"] <= row["won_share"] <= row["won_high"]
        assert row["median_ms"] > 0
    text = run("2,3", "--players", "2,3", "--seed", "7", "--deals", "60", "--format", "csv")
    assert [(row["chapter"], int(row["won"])) for row in csv.DictReader(io.StringIO(text))] == [
        (row["chapter"], row["won"]) for row in rows
    ]
    table = run("2", "--players", "3", "--seed", "7", "--deals", "60")
    heading, notes, *_ = table.splitlines()
    assert heading == "Deals that can be won with open hands, with 95 % Wilson intervals"
    assert notes == "setup by script | seed 0x7 | at most 100_000 positions a deal"
    rate = f"{100 * next(row['won_share'] for row in rows if (row['chapter'], row['players']) == ('2', 3)):.1f} %"
    assert rate in table


def test_a_line_is_a_record_that_check_accepts(tmp_path: Path) -> None:
    entry = json.loads(run("2", "--players", "3", "--seed", "7", "--line", "5", "--format", "json"))
    assert (entry["policy"], entry["deal"], entry["won"]) == ("open", 5, True)
    assert check([entry], tmp_path) == [[]]
    text = run("2", "--players", "3", "--seed", "7", "--line", "5")
    assert "The round is won." in text


def test_a_deal_without_a_line() -> None:
    rows = json.loads(run("3", "--players", "2", "--seed", "7", "--deals", "4", "--format", "json"))
    assert rows[0]["lost"] == 1
    assert run("3", "--players", "2", "--seed", "7", "--line", "3", code=1) == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "which chapters"),
        (["2", "--policy", "skript"], "did you mean 'script'"),
        (["2", "--policy", "search"], "allowed are"),
        (["2", "--players", "5"], "players must be 1 to 4"),
        (["2", "--budget", "0"], "--budget 0: must be at least 1"),
        (["2", "--line", "3", "--players", "3,4"], "--line: needs one chapter and one number of people"),
        (["2", "--line", "-3"], "--line -3: must be at least 0"),
        (["2", "--over-setup", "1e9"], "--over-setup 1e9: at most 60_000"),
        (["2", "--format", "xml"], "--format xml: must be one of table, csv, parquet, json"),
    ],
)
def test_a_mistake_is_told_in_one_line(arguments: list[str], says: str) -> None:
    done = CliRunner().invoke(app, ["solve", *arguments])
    assert isinstance(done.exception, UserError)
    assert says in str(done.exception)
