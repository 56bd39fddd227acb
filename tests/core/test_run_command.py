from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import coin_run
import pytest
from coin_game import files
from typer.testing import CliRunner

from cli.main import app
from cli.options import parse_assume, parse_choice, parse_names
from scenarios.errors import UserError
from sim.core.manifest import MANIFEST_NAME, read_manifest

runner = CliRunner()


@pytest.fixture(autouse=True)
def _coin_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, module in coin_run.engine().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(tmp_path)


def ringsim(*arguments: str) -> tuple[str, str]:
    result = runner.invoke(app, ["run", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout, result.stderr


class TestRun:
    def test_the_matrix_and_its_table(self) -> None:
        stdout, stderr = ringsim(
            "1-2", "7", "--players", "3,4", "--policy", "script,team", "--deals", "1_000", "--seed", "0x2a", "--out", "runs/first"
        )
        lines = stdout.splitlines()
        assert lines[0].split() == ["chapter", "players", "policy", "deals", "won", "rate", "low", "high"]
        assert [line.split()[:4] for line in lines[1:]] == [
            [chapter, players, policy, "1_000"] for chapter in "127" for players in "34" for policy in ("script", "team")
        ]
        manifest = read_manifest(Path("runs/first") / MANIFEST_NAME)
        assert (manifest.seed, manifest.deals, manifest.chunk, manifest.stop) == ("0x2a", 1000, 50_000, "full")
        assert lines[1].split()[4] == str(manifest.cells[0].won)
        low, rate, high = (float(lines[1].split()[column].rstrip("%")) for column in (6, 5, 7))
        assert low < rate < high
        assert stderr.splitlines()[0] == "runs/first: 12 cells of 1_000 deals, seed 0x2a"
        assert stderr.splitlines()[-1] == "runs/first; next: ringsim report failures runs/first"

    def test_without_out_the_folder_is_named_after_chapters_and_seed(self) -> None:
        Path("my.toml").write_text("")
        ringsim("1-2", "my.toml", "--deals", "10", "--seed", "7", "--players", "3")
        assert (Path("runs/1-2+my-0x7") / MANIFEST_NAME).is_file()
        _, stderr = ringsim("3", "--deals", "10", "--quiet")
        (drawn,) = Path("runs").glob("3-0x*")
        assert stderr == f"{drawn}: 4 cells of 10 deals, seed {drawn.name[2:]}\n"

    def test_names_are_shown_whole_and_as_they_are(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "30")
        stdout, _ = ringsim("[red]moria :smile:", "--players", "3", "--deals", "10", "--out", "here", "--policy", "script")
        assert stdout.splitlines()[1].startswith("[red]moria :smile:        3  script     10 ")

    def test_quiet(self) -> None:
        stdout, stderr = ringsim("3", "--deals", "10", "--out", "here", "--quiet")
        assert len(stdout.splitlines()) == 5
        assert stderr == ""

    def test_resume_takes_what_is_not_given_from_the_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        Path("my.toml").write_text("")
        options = ["my.toml", "--players", "3", "--policy", "team", "--deals", "300", "--chunk", "100", "--stop", "early"]
        ringsim(*options, "--assume", "A10=no", "--assume", "A3=yes", "--out", "here")
        before = files(Path("here"))
        next(iter(Path("here").rglob("part-000000000100.parquet"))).unlink()
        monkeypatch.chdir("/")
        ringsim("--resume", "--out", str(tmp_path / "here"))
        assert files(tmp_path / "here") == before
        _, stderr = ringsim("--resume", "--out", str(tmp_path / "here"))
        assert "is complete (3 of 3 parts); nothing to do" in stderr
        manifest = read_manifest(tmp_path / "here" / MANIFEST_NAME)
        assert manifest.cells[0].assumptions == {"A10": "no", "A3": "yes"}

    def test_shards(self) -> None:
        options = ["4", "--players", "3", "--deals", "300", "--chunk", "100", "--seed", "7"]
        ringsim(*options, "--out", "whole")
        for number in (1, 2):
            ringsim(*options, "--out", "shards", "--shard", f"{number}/2")
            for part in Path("shards").rglob("part-000000000000.parquet"):
                part.unlink()
        ringsim("--resume", "--out", "shards", "--shard", "1/2")
        assert files(Path("shards")) == files(Path("whole"))

    def test_until_a_half_width(self) -> None:
        options = ["4", "--players", "3,4", "--policy", "team", "--seed", "7", "--until-halfwidth", "1%"]
        stdout, stderr = ringsim(*options, "--out", "here")
        assert stderr.splitlines()[0] == "here: 2 cells until ±1%, at most 10_000 deals each, seed 0x7"
        manifest = read_manifest(Path("here") / MANIFEST_NAME)
        assert manifest.precision is not None
        assert (manifest.precision.halfwidth, manifest.chunk) == (0.01, 500)
        for line, cell in zip(stdout.splitlines()[1:], manifest.cells, strict=True):
            deals, low, high = (line.split()[column].rstrip("%") for column in (3, 6, 7))
            assert int(deals) == cell.deals_done < 10_000
            assert float(high) - float(low) <= 2.01
        before = files(Path("here"))
        next(iter(Path("here").rglob("part-000000000500.parquet"))).unlink()
        ringsim("--resume", "--out", "here")
        assert files(Path("here")) == before
        _, stderr = ringsim(*options, "--deals", "1_000", "--out", "few")
        assert re.search(r"chapter 4, 3 players, team: known to ±2.\d+%, not ±1%, after 1_000 deals \(the most allowed", stderr)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "which chapters?"),
            (["4", "--until-halfwidth", "30%"], "--until-halfwidth 30%: must be from 0.0001% to 25%"),
            (["4", "--until-halfwidth", "x"], "--until-halfwidth 'x': must be a share such as 0.1% or 0.001"),
            (["4", "--until-halfwidth", "1%", "--shard", "1/2"], "--shard 1/2: a share of the deals cannot tell"),
            (["4", "--players", "5"], "--players 5: players must be 1 to 4"),
            (["4", "--deals", "0"], "--deals 0: must be at least 1"),
            (["4", "--deals", "1.5"], "--deals 1.5: must be a whole number"),
            (["4", "--chunk", "x"], "--chunk 'x': not a number"),
            (["4", "--workers", "0"], "--workers 0: must be at least 1"),
            (["4", "--seed", "x"], "--seed 'x': must be"),
            (["4", "--stop", "earlier"], "--stop earlier: must be full or early (did you mean 'early'?)"),
            (["4", "--shard", "3/2"], "--shard 3/2: must be i/n"),
            (["4", "--executor", "ray"], "--executor ray: must be local or dask"),
            (["4", "--executor", "dask"], "--executor dask: needs --scheduler"),
            (["4", "--scheduler", "tcp://x"], "--scheduler: needs --executor dask"),
            (["4", "--policy", "skript"], "--policy skript: unknown (did you mean 'script'?)"),
            (["4", "--assume", "A10"], "--assume A10: must be NAME=VALUE"),
            (["9-1"], "chapters 9-1: the range runs backwards"),
            (["--resume"], "--resume: needs --out"),
            (["--resume", "--out", "nowhere"], "--resume: there is no run in nowhere"),
        ],
    )
    def test_one_clear_line(self, arguments: list[str], message: str) -> None:
        with pytest.raises(UserError) as caught:
            ringsim(*arguments)
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)
        assert not Path("runs").exists()

    def test_another_seed_on_resume_is_named(self) -> None:
        ringsim("4", "--deals", "10", "--seed", "7", "--out", "here")
        with pytest.raises(UserError, match="^here was started with --seed 0x7, not 0x8"):
            ringsim("--resume", "--out", "here", "--seed", "8")


def test_the_module_loads_nothing_heavy() -> None:
    heavy = ["numpy", "numba", "polars", "rich.table", "tqdm", "multiprocess"]
    code = f"import sys, cli.run; print([name for name in {heavy} if name in sys.modules])"
    root = Path(__file__).parents[2]
    shown = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_assume() -> None:
    assert parse_assume(["A10=after_trick", " A3 = no "]) == {"A10": "after_trick", "A3": "no"}
    assert parse_assume([]) == {}
    for wrong in (["A10"], ["=no"], ["A10="], ["A10=yes", "A10=no"]):
        with pytest.raises(UserError, match="^--assume "):
            parse_assume(wrong)


def test_names_and_choices() -> None:
    assert parse_names("script, team,script", "--policy") == ["script", "team"]
    with pytest.raises(UserError, match="^--policy"):
        parse_names("script,,team", "--policy")
    assert parse_choice("full", "--stop", ("full", "early")) == "full"
