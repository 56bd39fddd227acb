"""`ringsim replay` writes what `ringsim check` and the referee accept; `check` finds what is wrong with a record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from invocation import PEER, SCENARIO, mistake, output, ringsim
from referee.referee import referee

from scenarios import load, load_characters
from sim.tricks.policies.script import RULES_OF_THUMB

pytestmark = pytest.mark.usefixtures("engine")


@pytest.fixture
def record() -> dict[str, Any]:
    """A round of chapter 4 with three people, played elsewhere."""
    return json.loads((PEER / "ch04_p3.jsonl").read_text().splitlines()[0])


def write(path: Path, *records: dict[str, Any]) -> Path:
    """Write records as lines of a file, after a good round and an empty line."""
    good = (PEER / "ch01_p3.jsonl").read_text().splitlines()[0]
    path.write_text("\n".join([good, "", *map(json.dumps, records)]) + "\n")
    return path


# replay


ROUNDS = [("1", "1", "random"), ("2", "2", "script"), ("3", "4", "random"), ("4", "3", "script")]
SEED = ("--seed", "0x7", "--deal", "123")


@pytest.fixture(scope="module")
def replayed() -> list[str]:
    """The records of four rounds, as `ringsim replay` writes them."""
    return [
        output("replay", chapter, "--players", players, "--policy", policy, *SEED, "--format", "json")
        for chapter, players, policy in ROUNDS
    ]


def test_replayed_records_are_right(tmp_path: Path, replayed: list[str]) -> None:
    for line, (chapter, players, policy) in zip(replayed, ROUNDS, strict=True):
        found = json.loads(line)
        told = [found[name] for name in ("chapter", "players", "policy", "seed", "deal")]
        assert told == [int(chapter), int(players), policy, "0x7", 123]
        # What does not apply is an empty list; the referee takes a pyramid for one that was dealt.
        judged = {name: value for name, value in found.items() if not (name.startswith("pyramid_") and value == [])}
        assert referee(judged, load(chapter)) == []
    path = tmp_path / "games.jsonl"
    path.write_text("".join(replayed))
    done = ringsim("check", path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "4 rounds checked, 0 with differences (0 in all)\n")


def test_a_round_to_read(replayed: list[str]) -> None:
    text = output("replay", "4", "--players", "3", "--policy", "script", *SEED)
    found = json.loads(replayed[3])
    assert "chapter 4: Conspiracy in Crickhollow, 3 players" in text
    for entry in found["seats"]:
        assert load_characters("fellowship")[entry["character"]].text in text
    for number, trick in enumerate(found["tricks"], 1):
        assert f"{number:2}. {found['seats'][trick['leader']]['character']} {trick['plays'][0][1]} " in text
    assert ("is won" in text) == found["won"]


@pytest.mark.parametrize("policy", ["script", "team"])
def test_a_round_with_reasons(policy: str) -> None:
    asked = ("replay", "2", "--players", "4", "--policy", policy, *SEED)
    plain, told = output(*asked).splitlines(), output(*asked, "--explain").splitlines()
    reasons = [line for line in told if line not in plain]
    # Every other line stands as without reasons, in the same order.
    assert [line for line in told if line in plain] == plain
    assert len(reasons) > 15
    quoted = {f"rule {rule.number}, {rule.name}: {rule.advice}" for rule in RULES_OF_THUMB}
    for line in reasons:
        assert line.startswith("    ")
        what, _, why = line.strip().partition(": ")
        if policy == "script":
            assert why in quoted, line
        else:
            scores = [float(option.rpartition(" ")[2]) for option in why.removeprefix("best of ").split(", ")]
            assert scores == sorted(scores, reverse=True)
            assert 2 <= len(scores) <= 3
            best = why.removeprefix("best of ").split(", ")[0].rpartition(" ")[0]
            assert best in what or what.endswith(("declares", "declare")), line
    if policy == "script":
        assert len({line.partition(": ")[2] for line in reasons}) > 5


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--policy", "random"), "--explain: the policy random gives no reasons; script, team, search do"),
        (("--policy", "script", "--format", "json"), "--explain: reasons stand in the transcript only; leave out --format json"),
    ],
)
def test_reasons_that_cannot_be_given(asked: tuple[str, ...], told: str) -> None:
    assert mistake("replay", "2", "--explain", *asked) == told


def test_a_round_of_ones_own_file_and_a_drawn_seed(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SCENARIO)
    done = ringsim("replay", "mine.toml", "--format", "json", cwd=tmp_path)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert done.stderr == f"seed {found['seed']}\n"
    assert found["assumptions"]["A10"] == "after_trick"
    assert "hero" in [entry["character"] for entry in found["seats"]]


# check


def test_rounds_played_elsewhere_are_right() -> None:
    # How that implementation reads what the sources leave open.
    assume = [word for option in ("A3=no", "A7=after", "A13=left_of_holder", "A22=no") for word in ("--assume", option)]
    done = ringsim("check", *sorted(PEER.glob("*.jsonl")), *assume, "--format", "json")
    # One record differs: two exchanges of the Long Dark meet at a pyramid, where the rules leave the order open.
    found = [(Path(one["file"]).name, one["line"], one["where"], one["rules"]) for one in json.loads(done.stdout)]
    assert found == [("ch14_p2.jsonl", 2, "trick 3", "may play S6"), ("ch14_p2.jsonl", 2, "trick 3", "S6")]
    assert done.returncode == 1
    assert done.stderr == "208 rounds checked, 1 with differences (2 in all)\n"


def test_differences_are_named(tmp_path: Path, record: dict[str, Any]) -> None:
    trick = record["tricks"][2]
    true, false = trick["winner"], (trick["winner"] + 1) % 3
    trick["winner"] = false
    path = write(tmp_path / "games.jsonl", record)
    done = ringsim("check", path)
    assert done.returncode == 1
    first = done.stdout.splitlines()[0]
    assert first.startswith(f"{path}:3: trick 3")
    said, ruled = first.partition("record: ")[2].split("; rules: ")
    assert str(false) in said
    assert str(true) in ruled
    assert "; source: [" in ruled
    assert done.stderr.startswith("2 rounds checked, 1 with differences (")


def test_differences_as_json(tmp_path: Path, record: dict[str, Any]) -> None:
    record["goals"][1] = not record["goals"][1]
    path = write(tmp_path / "games.jsonl", record)
    done = ringsim("check", path, "--format", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert [sorted(difference) for difference in found] == [["file", "line", "record", "rules", "source", "where"]] * len(found)
    assert (found[0]["file"], found[0]["line"]) == (str(path), 3)
    assert found[0]["where"].startswith("seat 1")
    assert found[0]["source"].startswith("[")


def missing_leader(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "first_leader"}


def unknown_chapter(record: dict[str, Any]) -> dict[str, Any]:
    return record | {"chapter": 44}


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (missing_leader, ["'first_leader'"]),
        (unknown_chapter, ["chapter '44'", "did you mean '4'?"]),
    ],
)
def test_records_that_are_none(tmp_path: Path, record: dict[str, Any], change, parts: list[str]) -> None:
    path = write(tmp_path / "games.jsonl", change(record))
    done = ringsim("check", path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {path}: line 3: ")
    assert [part for part in parts if part not in line] == []


def test_lines_that_are_no_records(tmp_path: Path) -> None:
    path = write(tmp_path / "games.jsonl")
    path.write_text(path.read_text() + "not JSON\n")
    done = ringsim("check", path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {path}: line 3: not a game record: ")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = ringsim("check", "none.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "error: none.jsonl: there is no such file\n")
