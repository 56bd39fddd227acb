"""Bad input: one line that starts with `error: `, exit code 2, no traceback, and the nearest name where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest
from invocation import SCENARIO, mistake, output, ringsim

from scenarios.errors import parts

MISTAKES = {
    "unknown command": (["chapter"], "No such command 'chapter' (did you mean 'chapters'?); see ringsim --help"),
    "unknown report": (["report", "failure", "x"], "(did you mean 'failures'?); see ringsim report --help"),
    "unknown option": (["run", "1", "--polic", "x"], "--polic: there is no such option (did you mean '--policy'?)"),
    "unknown option of show": (["show", "1", "--player", "3"], "(did you mean '--players'?); see ringsim show --help"),
    "option without a value": (["run", "1", "--deals"], "'--deals' requires an argument"),
    "no chapter to show": (["show"], "Missing argument 'chapter'; see ringsim show --help"),
    "no chapter to run": (["run"], "which chapters?"),
    "no file to check": (["check"], "Missing argument"),
    "one argument too many": (["show", "1", "2"], "unexpected extra argument"),
    "unknown chapter to show": (["show", "44"], "chapter '44': allowed are 1, 2, 3, 4"),
    "unknown chapter to run": (["run", "19"], "chapter '19': allowed are 1, 2, 3, 4"),
    "unknown format": (["show", "1", "--format", "jsn"], "--format jsn: must be table or json (did you mean 'json'?)"),
    "unknown format of chapters": (["chapters", "--format", "tabel"], "(did you mean 'table'?)"),
    "unknown format of check": (["check", "x", "--format", "xml"], "--format xml: must be table or json"),
    "unknown policy": (["run", "1", "--policy", "scrip", "--deals", "1e6"], "(did you mean 'script'?)"),
    "unknown policy of a replay": (["replay", "1", "--policy", "rondom", "--seed", "1"], "(did you mean 'random'?)"),
    "a round that never was": (
        ["replay", "14", "--seed", "1", "--policy", "random", "--round", "9"],
        "--attempt 1 --round 9: deal 0 does not come to it under random, it is lost in round 1 of attempt 1",
    ),
    "an attempt without a retry": (["replay", "14", "--seed", "1", "--attempt", "2"], "--attempt 2: needs --retry fresh or"),
    "retry of one's own": (["run", "9", "--retry", "kept", "--seed", "1"], "--retry kept: must be none or fresh or keep"),
    "attempts of one": (["run", "9", "--attempts", "5", "--seed", "1"], "--attempts 5: needs --retry fresh or --retry keep"),
    "an open campaign": (["campaign", "--players", "3", "--policy", "open"], "--policy open bounds single attempts"),
    "unknown kind of round": (["replay", "14-bridge", "--seed", "1"], "chapter '14-bridge': allowed are 14-doors_of_durin"),
    "five players": (["run", "1", "--players", "5"], "--players 5: players must be 1 to 4"),
    "five players to show": (["show", "1", "--players", "5"], "--players 5: players must be 1 to 4"),
    "no player": (["show", "1", "--players", ""], "--players"),
    "two numbers of players to replay": (["replay", "1", "--players", "2,3"], "--players 2,3: one number"),
    "no deals": (["run", "1", "--deals", "0"], "--deals 0: must be at least 1"),
    "half a deal": (["run", "1", "--deals", "1.5"], "--deals 1.5: must be a whole number"),
    "deals in words": (["run", "1", "--deals", "many"], "--deals 'many': not a number"),
    "long seed": (["run", "1", "--seed", hex(1 << 199)], "must be from 0 to 2**128 - 1"),
    "long seed of a replay": (["replay", "1", "--seed", str(1 << 199)], "must be from 0 to 2**128 - 1"),
    "seed in words": (["run", "1", "--seed", "lucky"], "--seed 'lucky': must be a whole number"),
    "assumption without a value": (["run", "1", "--assume", "A10"], "--assume A10: must be NAME=VALUE, such as A10=after_trick"),
    "unknown assumption": (["show", "1", "--assume", "A99=x"], "--assume A99=x: unknown assumption; allowed are A1, A2"),
    "unknown option of an assumption": (
        ["show", "1", "--assume", "A10=after_trik"],
        "--assume A10=after_trik: allowed are at_play, after_trick (did you mean 'after_trick'?)",
    ),
    "assumption twice": (
        ["show", "1", "--assume", "A10=at_play", "--assume", "A10=after_trick"],
        "A10 was already set to at_play",
    ),
    "no file": (["run", "none.toml"], "none.toml: there is no such file"),
    "no file to show": (["show", "none.toml"], "none.toml: there is no such file"),
    "no TOML": (["show", "broken.toml"], "broken.toml: is not valid TOML ("),
    "more characters than seats": (
        ["show", "crowd.toml", "--players", "3"],
        "crowd.toml: roster: 4 characters are required, but 2 players have 3 seats",
    ),
    "players without a deal": (["show", "three.toml", "--players", "4"], "--players 4: chapter three has deals for 3"),
    "worlds without search": (
        ["run", "1", "--playouts", "5", "--policy", "team,script"],
        "--playouts 5: is for the policy search, which is not among team, script",
    ),
    "inference without search": (["replay", "1", "--inference", "on", "--seed", "1"], "--inference on: is for the policy search"),
    "confidence in words": (["report", "failures", "x", "--confidence", "high"], "--confidence high: must be a share from 0.5"),
    "Dask nowhere": (["run", "1", "--seed", "1", "--executor", "dask"], "--executor dask: needs --scheduler ADDRESS"),
    "weights into no folder": (["tune", "1", "--out", "none/x.npz"], "--out none/x.npz: the folder none does not exist"),
    "a folder is no record": (["check", "."], ".: cannot be read (Is a directory)"),
    "a picture of the chapters": (["chapters", "--out", "x.svg"], "--out x.svg: this is written as table or json"),
    "a file that exists": (["show", "1", "--out", "three.toml"], "--out three.toml: exists already; give --force to replace it"),
    "no run to report on": (["report", "failures", "nothing"], "nothing"),
}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with some scenario files."""
    (tmp_path / "broken.toml").write_text("schema = 1\ntitle =")
    (tmp_path / "crowd.toml").write_text(
        SCENARIO.replace('"pippin"', '"pippin"\nrequired = true').replace('"gandalf"', '"gandalf"\nrequired = true')
    )
    (tmp_path / "three.toml").write_text(SCENARIO.replace("[rules]", "[deal.3]\nseats = 3\nhand = 12\n[rules]"))
    return tmp_path


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line(name: str, here: Path) -> None:
    arguments, part = MISTAKES[name]
    before = sorted(here.rglob("*"))
    line = mistake(*arguments, cwd=here)
    assert part in line
    assert len(line) < 300
    if line.startswith("--") and "; see ringsim" not in line:
        assert line.startswith(str(parts(line)["option"]))
    assert ("did you mean" in line) == ("nearest" in parts(line))
    assert sorted(here.rglob("*")) == before


@pytest.mark.usefixtures("engine")
def test_a_folder_that_holds_another_run(tmp_path: Path) -> None:
    options = ("run", "1", "--players", "3", "--deals", "1e2", "--out", "first")
    table = output(*options, "--seed", "1", "--quiet", cwd=tmp_path)
    assert table.splitlines()[1].split()[:4] == ["1", "3", "team", "100"]
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = ringsim(*options, "--seed", "2", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert "first" in line
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
