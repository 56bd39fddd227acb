"""Conditions on deals from the command line: runs, reports, replays, and what is said of bad ones."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from invocation import mistake, output, ringsim

RUN = ("run", "2", "--players", "3", "--policy", "script", "--seed", "7", "--workers", "1")
WHERE = "frodo: R4  R5; left: no Hills"
SETUP = "threat of sam is 3"


@pytest.fixture(scope="module")
def runs(engine: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of runs: `plain`, `deal` under a condition on the deal, `setup` under one on what setup decides."""
    folder = tmp_path_factory.mktemp("runs")
    output(*RUN, "--deals", "40", "--out", folder / "plain")
    output(*RUN, "--deals", "40", "--out", folder / "deal", "--where", WHERE)
    output(*RUN, "--policy", "script,random", "--deals", "40", "--out", folder / "setup", "--where", SETUP)
    return folder


def manifest(run: Path) -> dict:
    return json.loads((run / "manifest.json").read_text(encoding="utf-8"))


def test_a_run_says_how_rare_its_deals_are(runs: Path) -> None:
    (deal,) = manifest(runs / "deal")["cells"]
    assert deal["where"] == "frodo: R4 R5; left: no Hills"
    assert (deal["dealt"], deal["tried"], deal["after_setup"]) == (40, 40, False)
    assert 0.001 < deal["chance"] < 0.002
    setup = manifest(runs / "setup")["cells"]
    assert all(cell["dealt"] == 40 < cell["tried"] and cell["after_setup"] and cell["chance"] == 1 for cell in setup)
    (plain,) = manifest(runs / "plain")["cells"]
    assert (plain["where"], plain["dealt"], plain["tried"]) == ("", 0, 0)
    again = ringsim("run", "--resume", "--out", runs / "setup")
    assert again.returncode == 0, again.stderr
    heading, *lines = again.stdout.splitlines()
    assert heading.split()[-3:] == ["accepted", "of", "all"]
    for line, cell in zip(lines, setup, strict=True):
        share = f"{100 * cell['dealt'] / cell['tried']:.3g}%"
        assert line.split()[-2:] == [share, share]


def test_an_interrupted_run_counts_what_was_tried_before(runs: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    output(*RUN, "--deals", "40", "--chunk", "10", "--where", SETUP, "--out", run)
    whole = manifest(run)["cells"]
    parts = sorted((run / "rounds").rglob("part-*.parquet"))
    assert len(parts) == 4
    bytes_ = [part.read_bytes() for part in parts]
    parts[1].unlink()
    output("run", "--resume", "--out", run, "--workers", "2")
    assert manifest(run)["cells"] == whole
    assert [part.read_bytes() for part in parts] == bytes_
    assert whole[0]["tried"] == manifest(runs / "setup")["cells"][0]["tried"]


def test_another_condition_is_another_run(runs: Path) -> None:
    said = mistake(*RUN, "--quiet", "--deals", "40", "--resume", "--out", runs / "deal", "--where", "lost is H3")
    assert "was started with --where of chapter 2 with 3 players and script frodo: R4 R5; left: no Hills, not lost is H3" in said


def test_reports_name_the_condition(runs: Path) -> None:
    text = output("report", "failures", runs / "deal")
    assert "only deals where frodo: R4 R5; left: no Hills (0.15 % of all)" in text
    assert "only deals" not in output("report", "failures", runs / "plain")
    assert "threat of sam is 3" in output("report", "all", runs / "setup", "--format", "html")


def test_runs_of_different_conditions_are_neither_pooled_nor_compared(runs: Path) -> None:
    said = mistake("report", "failures", runs / "plain", runs / "deal")
    assert "differ in the condition on their deals (--where) for chapter 2, 3 players, script: report them apart" in said
    said = mistake("compare", runs / "plain", runs / "deal")
    assert "have different conditions on their deals (none and 'frodo: R4 R5; left: no Hills')" in said
    text = output("compare", runs / "setup", "--policy", "script,random")
    assert "where 'threat of sam is 3' depends on setup" in text
    said = mistake("find", runs / "setup", "--script", "won", "--random", "lost")
    assert "where 'threat of sam is 3' depends on setup, so that policies play different deals" in said


@pytest.mark.parametrize("name", ["deal", "setup"])
def test_the_command_that_find_names_replays_the_deal(runs: Path, name: str) -> None:
    found = json.loads(output("find", runs / name, "--policy", "script", "--limit", "3", "--format", "json"))
    assert len(found) == 3
    for row in found:
        command, *arguments = shlex.split(row["replay"])
        assert command == "ringsim"
        played = json.loads(output(*arguments, "--format", "json"))
        assert (played["won"], played["lost"]) == (row["won"], [row["lost"]])
        if name == "deal":
            holder = played["ring_holder"]
            assert {"R4", "R5"} <= set(played["seats"][holder]["dealt"])
            assert not any(card[0] == "H" for card in played["seats"][(holder + 1) % 3]["dealt"])
        else:
            assert [seat["threat"] for seat in played["seats"] if seat["character"] == "sam"] == [3]
            assert [step["action"] for step in played["setup"]].count("threat") == 1


def test_solve_looks_at_the_deals_of_the_condition(engine: None) -> None:
    asked = ("solve", "2", "--players", "3", "--seed", "7", "--where", "lost is H3")
    (row,) = json.loads(output(*asked, "--deals", "3", "--budget", "200", "--format", "json"))
    assert row["deals"] == row["won"] + row["lost"] + row["unknown"] == 3
    assert "leave out --over-setup" in mistake(*asked[:-1], SETUP, "--deals", "3", "--over-setup", "3")


BAD = {
    "a word that begins nothing": (("lef has H3",), "(did you mean 'left'?)"),
    "a part without words": (("lost is H3;",), "a condition is empty; write one such as 'lost is H3'"),
    "never": (("left has R1",), "it never holds in chapter 2 with 3 players"),
    "never together": (("lost is H3", "right has H3"), "its parts never hold together in chapter 2 with 3 players"),
}


@pytest.mark.parametrize(("where", "said"), BAD.values(), ids=list(BAD))
def test_a_bad_condition_is_one_line_and_nothing_is_written(tmp_path: Path, where: tuple[str, ...], said: str) -> None:
    options = [word for text in where for word in ("--where", text)]
    assert said in mistake(*RUN, "--deals", "5", "--out", tmp_path / "run", *options)
    assert not (tmp_path / "run").exists()


def test_too_few_tries_are_one_line(engine: None, tmp_path: Path) -> None:
    where = ("--where", "threat of sam is 3; threat of sam is 2", "--tries", "20")
    done = ringsim(*RUN, "--deals", "5", "--quiet", "--out", tmp_path / "run", *where)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "error: --where 'threat of sam is 3; threat of sam is 2': none of 20 deals tried fits (chapter 2, 3 players, deal 0 of "
        "seed 0x7); --tries allows more"
    ]
    assert "--tries 20: needs --where" in mistake(*RUN, "--tries", "20")
    assert "--tries 20: needs --where" in mistake("replay", "2", "--seed", "1", "--tries", "20")
    assert "--tries 20: needs --where" in mistake("solve", "2", "--seed", "1", "--tries", "20")


def test_help_shows_conditions() -> None:
    text = " ".join(output("run", "--help", COLUMNS="300").split())
    assert "frodo: R4 R5; left: no Hills" in text
