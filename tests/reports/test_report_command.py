from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from synthetic_run import CELLS, Cell, frames, make_rows, write_run
from typer.testing import CliRunner

from cli.report import app
from reports import balance, characters, events, failures, lost_card, luck, open_run, seats, threats, tricks, when
from reports.bound import COLUMNS as BOUND_COLUMNS
from reports.characters import COLUMNS as CHARACTERS_COLUMNS
from reports.events import COLUMNS as EVENTS_COLUMNS
from reports.first_losses import COLUMNS as FIRST_COLUMNS
from reports.luck import COLUMNS as LUCK_COLUMNS
from reports.seats import COLUMNS as SEATS_COLUMNS
from reports.threats import COLUMNS as THREATS_COLUMNS
from reports.tricks import COLUMNS as TRICKS_COLUMNS
from reports.when import COLUMNS as WHEN_COLUMNS
from scenarios.errors import UserError

COLUMNS = {
    "failures": [
        *("chapter", "players", "policy", "character", "rounds", "failures", "rate", "low", "high"),
        *("first_lost", "mean_lost_after", "undecided"),
    ],
    "lost-card": [
        *("chapter", "players", "policy", "lost_card", "deals", "won", "rate", "low", "high", "other_rate"),
        *("difference", "difference_low", "difference_high", "test", "p_value", "p_adjusted", "significant"),
    ],
    "balance": ["chapter", "players", "policy", "deals", "won", "rate", "low", "high"],
    "characters": list(CHARACTERS_COLUMNS),
    "threats": list(THREATS_COLUMNS),
    "seats": list(SEATS_COLUMNS),
    "tricks": list(TRICKS_COLUMNS),
    "when": list(WHEN_COLUMNS),
    "events": list(EVENTS_COLUMNS),
}
ROWS = make_rows(4, [*CELLS, ("2", 4, "script")], early=True)
THREE: list[Cell] = [("2", players, policy) for players in (3, 4) for policy in ("team", "search", "open")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", *ROWS, cells=[*CELLS, ("2", 4, "script")])


def report(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def refusal(*arguments: object) -> str:
    with pytest.raises(UserError) as caught:
        report(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("name", COLUMNS)
def test_csv_holds_exactly_the_columns_of_the_frame(folder: Path, name: str) -> None:
    rounds, goals = frames(*ROWS)
    frame = {
        "failures": lambda: failures(goals, rounds=rounds, confidence=0.9),
        "lost-card": lambda: lost_card(rounds, confidence=0.9),
        "balance": lambda: balance(rounds, confidence=0.9),
        "characters": lambda: characters(goals, rounds, confidence=0.9),
        "threats": lambda: threats(goals, rounds, confidence=0.9),
        "seats": lambda: seats(goals, rounds, confidence=0.9),
        "tricks": lambda: tricks(goals, confidence=0.9),
        "when": lambda: when(goals, confidence=0.9),
        "events": lambda: events(rounds, confidence=0.9),
    }[name]()
    text = report(name, folder, "--format", "csv", "--confidence", 0.9)
    assert text.splitlines()[0].split(",") == COLUMNS[name]
    assert text == frame.write_csv()


@pytest.mark.parametrize("name", COLUMNS)
def test_every_format_goes_to_a_file(folder: Path, tmp_path: Path, name: str) -> None:
    outs = {suffix: tmp_path / f"report.{suffix}" for suffix in ("csv", "json", "parquet", "md", "txt")}
    for out in outs.values():
        assert report(name, folder, "--out", out) == ""
    parquet = pl.read_parquet(outs["parquet"])
    assert parquet.columns == COLUMNS[name]
    assert pl.read_csv(io.StringIO(outs["csv"].read_text()), schema=parquet.schema).equals(parquet)
    assert json.loads(outs["json"].read_text()) == parquet.to_dicts()
    for suffix in ("md", "txt"):
        assert "policy script (version 1), team (version 1) | seed 0x2a | 40 deals per cell" in outs[suffix].read_text()
    assert "exists already" in refusal(name, folder, "--out", outs["csv"])
    report(name, folder, "--out", outs["csv"], "--force")
    if name == "events":  # one round to a deal and no events: nothing to draw
        assert "there is no picture of this report" in refusal(name, folder, "--out", tmp_path / "report.svg")
        return
    report(name, folder, "--out", tmp_path / "report.svg")
    assert (tmp_path / "report.svg").read_text().startswith("<svg")


def test_tables_name_people_and_hold_grids_and_gaps(folder: Path) -> None:
    assert "Bilbo Baggins" in report("failures", folder)
    assert report("lost-card", folder).count("players, ") == 5
    assert "Gaps between player counts" in report("balance", folder)


def test_gaps_alone(folder: Path) -> None:
    header, *rows = report("balance", folder, "--gaps", "--format", "csv").splitlines()
    assert header.startswith("chapter,policy,players,other_players,rate,other_rate,gap,gap_low,gap_high,")
    assert [row.split(",")[:4] for row in rows] == [["2", "script", "3", "4"]]


def test_tables_for_programs_that_stand_below_others_for_readers(folder: Path, tmp_path: Path) -> None:
    assert report("failures", folder, "--first", "--format", "csv").splitlines()[0].split(",") == list(FIRST_COLUMNS)
    cells: list[Cell] = [("2", 3, "open")]
    run = write_run(tmp_path / "open", *make_rows(4, cells, verdicts=True), cells=cells)
    assert report("balance", run, "--bound", "--format", "csv").splitlines()[0].split(",") == list(BOUND_COLUMNS)
    assert "open hands do not lose" in report("balance", run)
    assert "open hands" not in report("balance", folder)
    assert refusal("balance", run, "--bound", "--gaps") == "--gaps and --bound are two tables: choose one"


HEAVY = {"numpy", "polars", "scipy", "statsmodels", "numba", "reports", "altair", "great_tables"}
ALL = ["balance", "failures", "when", "tricks", "lost-card", "threats", "seats", "characters", "effects"]


def test_all_reports_go_into_one_file_or_one_folder(folder: Path, tmp_path: Path) -> None:
    assert list(json.loads(report("all", folder, "--format", "json"))) == ALL
    for format in ("table", "md"):
        text = report("all", folder, "--format", format)
        assert text.count("seed 0x2a") == 1
        assert "Tricks won, and goals not met" in text
    for format in ("csv", "parquet", "svg", "png"):
        out = tmp_path / format
        report("all", folder, "--format", format, "--out", out)
        assert sorted(file.name for file in out.iterdir()) == sorted(f"{name}.{format}" for name in ALL)
    csv = (tmp_path / "csv" / "seats.csv").read_text()
    assert csv == report("seats", folder, "--format", "csv")
    assert "is not empty" in refusal("all", folder, "--format", "csv", "--out", tmp_path / "csv")
    report("all", folder, "--format", "csv", "--out", tmp_path / "csv", "--force")
    assert refusal("all", folder, "--format", "csv").endswith("all reports are several files; name a folder with --out")
    report("all", folder, "--out", tmp_path / "all.html")
    assert "</html>" in (tmp_path / "all.html").read_text()
    assert "exists already" in refusal("all", folder, "--out", tmp_path / "all.html")
    assert "are several files; name a folder" in refusal("all", folder, "--format", "svg", "--out", tmp_path / "all.html")


def test_events_are_among_all_reports_where_there_are_some(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", *make_rows(4, rounds_to_a_deal=2))
    assert list(json.loads(report("all", run, "--format", "json"))) == [*ALL, "events", "attempts"]


def test_luck_is_written_in_every_format(tmp_path: Path) -> None:
    rounds, goals = make_rows(4, THREE)
    rounds, goals = ([row for row in table if row["policy"] != "search" or row["deal"] < 9] for table in (rounds, goals))
    rounds = [row | {"open": "won" if row["won"] else "unknown"} if row["policy"] == "open" else row for row in rounds]
    run = write_run(tmp_path / "run", rounds, goals, cells=THREE)
    text = report("luck", run, "--format", "csv", "--confidence", 0.9)
    assert text == luck(open_run(run), confidence=0.9).write_csv()
    assert text.splitlines()[0].split(",") == list(LUCK_COLUMNS)
    for suffix in ("json", "parquet", "md", "txt"):
        report("luck", run, "--out", tmp_path / f"luck.{suffix}")
    assert pl.read_parquet(tmp_path / "luck.parquet").to_dicts() == json.loads((tmp_path / "luck.json").read_text())
    for suffix in ("md", "txt"):
        shown = (tmp_path / f"luck.{suffix}").read_text()
        assert "of the three only open wins" in shown
        assert "%" in shown.splitlines()[-1]
        assert "contradicted" not in shown
    assert "deals of search" in " ".join((tmp_path / "luck.md").read_text().split())


def test_luck_names_the_policies_that_are_there(folder: Path, tmp_path: Path) -> None:
    assert refusal("luck", folder) == "--strong search: there are no deals of it; the policies played are script, team"
    assert refusal("luck", folder, "--fast", "skript").endswith("script, team (did you mean 'script'?)")
    cells: list[Cell] = [*THREE, ("10", 4, "team")]
    run = write_run(tmp_path / "three", *make_rows(4, cells), cells=cells)
    assert "left out: chapter 10, 4 players: not played by search, open" in report("luck", run)
    assert report("luck", run, "--strong", "team", "--format", "csv").count(",team,team,open,") == 2


def test_undecided_goals_are_shown_where_there_are_some(folder: Path, tmp_path: Path) -> None:
    assert "undecided" in report("failures", folder)
    decided = write_run(tmp_path / "decided", *make_rows(4))
    assert "undecided" not in report("failures", decided)
    assert "undecided" in report("failures", decided, "--format", "csv")


def test_several_runs_are_read_as_one(folder: Path, tmp_path: Path) -> None:
    other = write_run(tmp_path / "other", *ROWS, cells=[*CELLS, ("2", 4, "script")], seed="0x1")
    deals = json.loads(report("balance", folder, other, "--format", "json"))
    assert {row["deals"] for row in deals} == {80}
    assert "both hold deal 0" in refusal("balance", folder, folder)


def test_mistakes_are_named_before_anything_is_read(tmp_path: Path) -> None:
    missing = tmp_path / "none"
    assert refusal("balance", missing) == f"{missing}: no such folder"
    assert refusal("balance", missing, "--format", "cvs").startswith("--format cvs: must be one of table, csv")
    assert refusal("balance", missing, "--confidence", "95").startswith("--confidence 95: must be a share")
    assert refusal("balance", missing, "--out", tmp_path).endswith("is a folder; name a file")


@pytest.mark.parametrize("name", [*COLUMNS, "luck", "all"])
def test_help_has_an_example_that_works(folder: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"}).stdout.split())
    example = text.split("Example: ringsim report ")[1].split()
    monkeypatch.chdir(tmp_path)
    for number, run in enumerate(dict.fromkeys(word for word in example if word.startswith("runs/"))):
        cells = [*CELLS, *THREE]
        write_run(Path(run), *make_rows(4, cells), cells=cells, seed=hex(number))
    report(*example)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom cli.report import app\n"
        "try:\n    app(['failures', '--help'])\nexcept SystemExit:\n    pass\n"
        f"print(sorted({HEAVY} & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", ["failures", "balance", "luck", "seats", "when"])
def test_the_usual_reports_wait_for_no_statistics_package(tmp_path: Path, command: str) -> None:
    run = write_run(tmp_path / "run", *make_rows(4, THREE), cells=THREE)
    code = (
        "import sys\nfrom cli.report import app\n"
        f"try:\n    app([{command!r}, {str(run)!r}])\nexcept SystemExit as end:\n    assert not end.code\n"
        "print(sorted({'numpy', 'scipy', 'statsmodels', 'numba', 'pandas'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
