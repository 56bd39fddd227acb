from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer
from synthetic_run import Cell, make_rows, write_run
from typer.testing import CliRunner

from cli.main import app
from reports import compare as compare_runs
from reports import open_run, pair_runs
from reports.compare import COLUMNS, DEAL_COLUMNS
from scenarios.errors import UserError

CELLS: list[Cell] = [(chapter, 3, policy) for chapter in ("2", "my") for policy in ("script", "team")]
ROWS = make_rows(12, CELLS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", *ROWS, cells=CELLS)


def compare(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["compare", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def refusal(*arguments: object) -> str:
    with pytest.raises(UserError) as caught:
        compare(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def commands(*arguments: object) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO(compare(*arguments, "--format", "csv"))))


def test_csv_holds_exactly_the_columns_of_the_frame(folder: Path) -> None:
    text = compare(folder, "--policy", "script,team", "--format", "csv", "--confidence", 0.9)
    run = open_run(folder)
    frame = compare_runs(pair_runs(run, run, policy_a="script", policy_b="team"), confidence=0.9)
    assert text == frame.write_csv()
    assert text.splitlines()[0] == ",".join(COLUMNS)


@pytest.mark.parametrize("deals", [[], ["--deals", 2]])
def test_every_format_goes_to_a_file(folder: Path, tmp_path: Path, deals: list[object]) -> None:
    outs = {suffix: tmp_path / f"report.{suffix}" for suffix in ("csv", "json", "parquet", "md", "txt")}
    for out in outs.values():
        assert compare(folder, "--policy", "script,team", *deals, "--out", out) == ""
    parquet = pl.read_parquet(outs["parquet"])
    assert parquet.columns == ([*DEAL_COLUMNS, "replay_a", "replay_b"] if deals else list(COLUMNS))
    assert pl.read_csv(io.StringIO(outs["csv"].read_text()), schema=parquet.schema).equals(parquet)
    assert json.loads(outs["json"].read_text()) == parquet.to_dicts()
    for suffix in ("md", "txt"):
        text = outs[suffix].read_text()
        assert f"A: {folder}, policy script | B: {folder}, policy team" in text
        assert "chapter of B" not in " ".join(text.split())
    assert "exists already" in refusal(folder, "--policy", "script,team", "--out", outs["csv"])


def test_two_runs_are_named_in_the_heading(folder: Path, tmp_path: Path) -> None:
    cells: list[Cell] = [("2", 3, "script"), ("9", 2, "script")]
    other = write_run(tmp_path / "other", *make_rows(13, cells), cells=cells, cell={"assumptions": {"A10": "after_trick"}})
    text = compare(folder, other, "--policy", "script")
    assert f"A: {folder}, policy script | B: {other}, policy script" in text
    assert (
        f"{other}: policy script (version 1) | seed 0x2a | 40 deals per cell | ringsim 0.1.0 | assumptions: A10=after_trick"
        in text
    )
    assert "left out: chapter my, 3 players: only in A" in text
    assert "left out: chapter 9, 2 players: only in B" in text
    assert "40" in compare(folder, other, "--policy", "team,script")
    assert "of B" in compare(folder, other, "--policy", "team,script", "--match", "my=2")


def test_replay_commands_are_ready(folder: Path, tmp_path: Path) -> None:
    rows = commands(folder, "--policy", "script,team", "--deals", 2)
    assert 2 < len(rows) <= 4
    for row in rows:
        for side, policy in (("a", "script"), ("b", "team")):
            words = f"ringsim replay {row['chapter']} --players 3 --seed 0x2a --policy {policy} --deal {row['deal']}"
            assert row[f"replay_{side}"] == words
        assert row["won_a"] != row["won_b"]


def test_replay_commands_say_what_was_asked_for(tmp_path: Path) -> None:
    cells: list[Cell] = [("my", 3, "script"), ("my", 3, "search")]
    chapters = ["2", str(tmp_path / "a folder" / "my.toml")]
    rules = {"A10": "after_trick", "A2": "x"}
    asked = {"chapters": chapters, "players": [3], "policies": ["script"], "assume": {"A10": "at_play"}, "playouts": 0}
    run = write_run(tmp_path / "run", *make_rows(12, cells), cells=cells, cell={"assumptions": rules}, request=asked)
    (row, *_) = commands(run, "--policy", "script,search", "--deals", 1)
    words = shlex.split(row["replay_a"])
    assert words[:3] == ["ringsim", "replay", chapters[1]]
    assert words[words.index("--assume") + 1] == "A10=at_play"
    replay = typer.main.get_command(app).commands["replay"]  # type: ignore[attr-defined]
    read = replay.make_context("replay", words[2:])
    assert (read.params["chapter"], read.params["deal"], read.params["assume"]) == (chapters[1], row["deal"], ["A10=at_play"])

    plain = write_run(
        tmp_path / "plain", *make_rows(12, cells), cells=cells, cell={"assumptions": rules | {"A10": "at_play"}, "playouts": 64}
    )
    (row, *_) = commands(plain, "--policy", "script,search", "--deals", 1)
    assert row["replay_b"] == (
        f"ringsim replay my --players 3 --seed 0x2a --policy search --playouts 64 --assume A2=x --deal {row['deal']}"
    )


def test_mistakes_are_named(folder: Path, tmp_path: Path) -> None:
    missing = tmp_path / "none"
    assert refusal(missing, missing) == f"{missing}: no such folder"
    alone = f"{folder}: to compare within one run, choose two with --policy A,B (it holds script, team)"
    assert refusal(folder) == refusal(folder, "--policy", "team") == alone
    assert refusal(folder, folder) == f"{folder}: holds the policies script, team; choose with --policy"
    assert refusal(folder, folder, folder) == f"two runs can be compared, not 3; the third is {folder}"
    assert refusal(folder, "--policy", "a,b,c") == "--policy a,b,c: two policies can be compared, not 3"
    assert refusal(folder, "--policy", "script,teem").endswith("only of script, team (did you mean 'team'?)")
    assert refusal(folder, folder, "--match", "5") == "--match 5: must be a chapter of A = a chapter of B, such as 5=my"
    assert refusal(folder, "--match", "2=my", "--match", "2=2") == "--match 2=2: chapter 2 was already matched with my"
    assert refusal(folder, "--deals", "0") == "--deals 0: must be at least 1"
    assert refusal(missing, "--policy", "a,b", "--format", "cvs").startswith("--format cvs: must be one of table, csv")
    assert refusal(missing, "--policy", "a,b", "--confidence", "95").startswith("--confidence 95: must be a share")


def test_help_has_an_example_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(CliRunner().invoke(app, ["compare", "--help"], env={"COLUMNS": "200"}).stdout.split())
    example = text.split("Example: ringsim compare ")[1].split()
    monkeypatch.chdir(tmp_path)
    write_run(Path("runs/first"), *ROWS, cells=CELLS)
    compare(*example)


def based(folder: Path, cells: list[Cell], rows: Any, of: dict[str, str]) -> Path:
    """Write a run whose chapters say which others they are versions of."""
    write_run(folder, *rows, cells=cells)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    for cell in manifest["cells"]:
        cell["based_on"] = of.get(cell["chapter"], "")
    path.write_text(json.dumps(manifest))
    return folder


def test_a_file_is_paired_with_the_chapter_it_is_based_on(tmp_path: Path) -> None:
    chapter, mine, other = ([(name, 3, "script")] for name in ("2", "my", "yours"))
    a = write_run(tmp_path / "a", *make_rows(1, chapter), cells=chapter)
    b = based(tmp_path / "b", mine, make_rows(2, mine), {"my": "2"})
    assert pairs_of(compare(a, b, "--format", "csv")) == [("2", "my")]
    assert pairs_of(compare(b, a, "--format", "csv")) == [("my", "2")]
    # One run that holds both.
    both = based(tmp_path / "both", [*chapter, *mine], make_rows(3, [*chapter, *mine]), {"my": "2"})
    assert pairs_of(compare(both, "--format", "csv")) == [("2", "my")]
    assert "left out" not in compare(both)
    assert pairs_of(compare(both, "--match", "my=2", "--format", "csv")) == [("my", "2")]
    # The same name on both sides comes first.
    assert pairs_of(compare(a, both, "--format", "csv")) == [("2", "2")]
    # Two versions of one chapter: which, must be said.
    two = based(tmp_path / "two", [*mine, *other], make_rows(4, [*mine, *other]), {"my": "2", "yours": "2"})
    with pytest.raises(UserError, match="have no chapter and number of players in common"):
        compare(a, two)
    assert pairs_of(compare(a, two, "--match", "2=yours", "--format", "csv")) == [("2", "yours")]


def pairs_of(text: str) -> list[tuple[str, str]]:
    return [(row["chapter"], row["chapter_b"]) for row in csv.DictReader(io.StringIO(text))]
