"""`ringsim` with a chapter that is drawn: run, replay, reports, a pool as a file, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from invocation import mistake, output, ringsim

pytestmark = pytest.mark.usefixtures("engine")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, engine: None) -> Path:
    """Return a folder with a run of the road in `road`."""
    folder = tmp_path_factory.mktemp("road")
    output(
        "run", "road", "--players", "1,2,3,4", "--deals", "40", "--seed", "7", "--policy", "script", "--out", "road", cwd=folder
    )
    return folder


def test_a_run_gives_each_deal_a_pool_of_its_own_and_reports_go_by_character(played: Path) -> None:
    rows = json.loads(output("report", "failures", "road", "--format", "json", cwd=played))
    rows = rows["rows"] if isinstance(rows, dict) else rows
    for players in (1, 2, 3, 4):
        names = {row["character"] for row in rows if row["players"] == players}
        # One pool has 9 or 13.
        assert len(names) > 20
        assert {"frodo", "gandalf"} <= {name.lower() for name in names}
    for report in ("characters", "attempts", "threats", "seats"):
        assert "road" in output("report", report, "road", "--format", "csv", cwd=played)


def test_replay_rebuilds_a_deal_of_the_run(played: Path) -> None:
    line = output("find", "road", "--players", "3", "--limit", "1", "--format", "csv", cwd=played).splitlines()[1]
    command = line[line.index("ringsim replay road") :].split()[1:]
    deal = int(re.search(r"--deal (\d+)", line)[1])
    text = output(*command)
    assert "The Road Goes Ever On, 3 players" in text
    shown = re.search(r"^drawn: (.*)$", text, re.MULTILINE)[1].split(", ")
    made = output("new", "pool.toml", "--from", "road", "--players", "3", "--seed", "7", "--deal", str(deal), cwd=played)
    assert made == ""
    content = (played / "pool.toml").read_text()
    assert f"seed 0x7: pool {deal}" in content
    assert re.findall(r'^character = "(.*)"$', content.partition("# The characters")[0], re.MULTILINE) == shown
    assert "draw" not in re.findall(r"^\[+([a-z]+)", content, re.MULTILINE)
    # The file plays as the deal that drew it.
    mine = output("replay", "pool.toml", "--players", "3", "--seed", "7", "--deal", str(deal), "--policy", "script", cwd=played)
    road = output("replay", "road", "--players", "3", "--seed", "7", "--deal", str(deal), "--policy", "script", cwd=played)
    assert mine.splitlines()[2:] == [row for row in road.splitlines()[2:] if not row.startswith("drawn: ")]


def test_a_copy_that_still_draws_plays_as_the_road(played: Path) -> None:
    output("new", "drawing.toml", "--from", "road", cwd=played)
    shown = ["--players", "4", "--seed", "7", "--deal", "9", "--policy", "script"]
    copy = output("replay", "drawing.toml", *shown, cwd=played)
    assert copy.splitlines()[1:] == output("replay", "road", *shown, cwd=played).splitlines()[1:]


def test_a_run_is_resumed_without_saying_anything_again(played: Path) -> None:
    part = next((played / "road").rglob("*.parquet"))
    before = part.read_bytes()
    part.unlink()
    done = ringsim("run", "--resume", "--out", "road", cwd=played)
    assert done.returncode == 0, done.stderr
    assert part.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["new", "road.toml", "--from", "road"], "a file named like chapter road of the library"),
        (["new", "p.toml", "--from", "2", "--players", "3"], "--players 3: chapter 2 draws no characters; leave it out"),
        (["new", "p.toml", "--from", "road", "--seed", "7"], "--seed: needs --players"),
        (["new", "p.toml", "--from", "road", "--deal", "7"], "--deal: needs --players"),
        (["new", "p.toml", "--from", "road", "--players", "3,4"], "--players 3,4: one number, such as 3"),
        (["new", "p.toml", "--from", "road", "--players", "3", "--deal", "-1"], "--deal -1: must be at least 0"),
        (["run", "rode", "--deals", "3"], "did you mean 'road'?"),
        (["run", "road", "--deals", "3", "--policy", "open"], "--policy open: chapter road draws its characters for each deal"),
        (["solve", "road"], "chapter road: its characters are drawn for each deal"),
        (["tune", "road", "--out", "x.npz"], "chapter road: its characters are drawn for each deal"),
        (["show", "road", "--assume", "A23=tow"], "--assume A23=tow: allowed are usual, two (did you mean 'two'?)"),
        (["campaign"], "--players: is missing"),
        (["campaign", "--resume"], "--resume: needs --run"),
        (["campaign", "--resume", "--run", "nowhere"], "--resume: there is no run in nowhere"),
        (["campaign", "--resume", "--run", "road"], "--resume: the run in road is no campaign's"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(played: Path, words: list[str], message: str) -> None:
    there = sorted(played.iterdir())
    assert message in mistake(*words, cwd=played)
    assert sorted(played.iterdir()) == there


def test_a_campaign_is_the_numbered_chapters_and_resumes_with_its_own_seed(tmp_path: Path) -> None:
    words = ["campaign", "--players", "3", "--deals", "2", "--policy", "script", "--attempts", "3", "--retry", "fresh"]
    first = ringsim(*words, "--seed", "5", "--run", "rounds", "--format", "csv", "--quiet", cwd=tmp_path)
    manifest = json.loads((tmp_path / "rounds" / "manifest.json").read_text())
    assert [cell["chapter"] for cell in manifest["cells"]] == [str(number) for number in range(1, 19)]
    part = next((tmp_path / "rounds").rglob("*.parquet"))
    content = part.read_bytes()
    part.unlink()
    again = ringsim("campaign", "--resume", "--run", "rounds", "--format", "csv", "--quiet", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (first.returncode, first.stdout)
    assert part.read_bytes() == content
    other = mistake("campaign", "--resume", "--run", "rounds", "--seed", "6", cwd=tmp_path)
    assert "seed" in other
