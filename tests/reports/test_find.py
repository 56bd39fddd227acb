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
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import CHARACTERS, Cell, Row, cell_of, make_rows, tables, write_run
from typer.testing import CliRunner

from cli.main import app
from reports import Wanted, find, open_run, pairs, pool
from reports.find import COLUMNS
from scenarios.errors import UserError

POLICIES = ("script", "team", "open")
CELLS: list[Cell] = [(chapter, players, policy) for chapter, players in (("2", 3), ("my", 4)) for policy in POLICIES]


def outcomes(rounds: list[Row]) -> dict[tuple[Any, ...], str]:
    """Return what each policy made of each deal."""
    made = {}
    for row in rounds:
        verdict = "won" if row["won"] else "lost"
        made[*cell_of(row), row["deal"]] = (row["open"] or verdict) if row["policy"] == "open" else verdict
    return made


def fits(row: Row, goals: list[Row], wanted: Wanted, made: dict[tuple[Any, ...], str]) -> bool:
    first, last = wanted.after or (0, 255)
    threat_of_loser = wanted.lost_by is not None and wanted.character is None

    def losing(goal: Row) -> bool:
        return (
            goal["met"] is False
            and first <= goal["lost_after"] <= last
            and wanted.lost_by in (None, goal["character"])
            and (not threat_of_loser or wanted.threat in (None, goal["threat"]))
        )

    asked = [
        wanted.won in (None, row["won"]),
        wanted.lost_card is None or wanted.lost_card in row["lost"].split(),
        all(
            made.get((row["chapter"], row["players"], name, row["deal"])) == verdict for name, verdict in wanted.verdicts.items()
        ),
    ]
    if wanted.lost_by or wanted.after:
        asked.append(any(losing(goal) for goal in goals))
    if wanted.character or (wanted.threat and not threat_of_loser):
        asked.append(
            any(wanted.character in (None, goal["character"]) and wanted.threat in (None, goal["threat"]) for goal in goals)
        )
    return all(asked)


def by_hand(rounds: list[Row], goals: list[Row], wanted: Wanted, listed: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Return the rounds as wanted, the easiest first, as rows of COLUMNS without the seed."""
    made = outcomes(rounds)
    found = []
    for row, seats in tables(rounds, goals):
        if row["policy"] in listed and fits(row, seats, wanted, made):
            verdicts = [made.get((row["chapter"], row["players"], policy, row["deal"])) for policy in POLICIES]
            won_by, played = verdicts.count("won"), sum(verdict is not None for verdict in verdicts)
            lost = sum(goal["met"] is False for goal in seats)
            latest = min((goal["lost_after"] for goal in seats if goal["lost_after"] is not None), default=None)
            firsts = " ".join(goal["character"] for goal in seats if goal["first_lost"])
            ease = (-won_by / played, lost, -(255 if latest is None else latest), row["deal"])
            keys = (*cell_of(row), row["deal"], row["attempt"], row["round"], row["lost"], row["won"])
            found.append((ease, (*keys, won_by, played, lost, latest, firsts)))
    return [values for _, values in sorted(found, key=lambda pair: pair[0])]


WANTED = st.builds(
    Wanted,
    won=st.sampled_from([None, True, False]),
    lost_by=st.sampled_from([None, *CHARACTERS[:3]]),
    after=st.sampled_from([None, (0, 0), (2, 3), (4, 4)]),
    character=st.sampled_from([None, *CHARACTERS[:3]]),
    threat=st.sampled_from([None, 1, 2]),
    lost_card=st.sampled_from([None, "H3"]),
    verdicts=st.dictionaries(st.sampled_from(POLICIES), st.sampled_from(["won", "lost"]), max_size=2),
)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 3), st.booleans(), WANTED)
def test_find_agrees_with_looking_at_every_round(
    tmp_path_factory: pytest.TempPathFactory, seed: int, rounds_to_a_deal: int, early: bool, wanted: Wanted
) -> None:
    rounds, goals = make_rows(
        seed, CELLS, early=early, rounds_to_a_deal=rounds_to_a_deal, verdicts=True, cards=["H3", "H4", "S1"]
    )
    rounds, goals = ([row for row in table if row["policy"] != "open" or row["deal"] < 25] for table in (rounds, goals))
    run = open_run(write_run(tmp_path_factory.mktemp("runs") / "run", rounds, goals, cells=CELLS))
    order = sorted(wanted.verdicts, key=lambda policy: (policy == "open", wanted.verdicts[policy] != "lost"))
    expected = by_hand(rounds, goals, wanted, tuple(order[:1]) or POLICIES)
    frame, total = find(pool([run]), wanted, limit=10_000)
    assert total == frame.height == len(expected)
    assert frame.columns == list(COLUMNS)
    assert set(frame["seed"]) <= {"0x2a"}
    rows = frame.drop("seed").rows()
    assert sorted(rows, key=repr) == sorted(expected, key=repr)
    few, total = find(pool([run]), wanted, limit=7)
    assert (few.height, total) == (min(7, len(expected)), len(expected))

    def ease(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return row[8] / row[9], -row[10], 255 if row[11] is None else row[11], -row[3]

    assert [ease(row) for row in rows] == [ease(row) for row in expected]
    assert [ease(row) for row in few.drop("seed").rows()] == [ease(row) for row in expected[:7]]


def test_blocks_of_deals_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = make_rows(5, CELLS, rounds_to_a_deal=2)
    read = pool([open_run(write_run(tmp_path / "run", *rows, cells=CELLS))])
    whole = find(read, Wanted(won=False), limit=9)
    monkeypatch.setattr(pairs, "BLOCK", 7)
    again = find(read, Wanted(won=False), limit=9)
    assert whole[1] == again[1]
    assert whole[0].equals(again[0])


def test_verdicts_may_lie_in_another_run_of_the_same_seed(tmp_path: Path) -> None:
    cells = [[cell for cell in CELLS if (cell[2] == "open") == slow] for slow in (False, True)]
    rows = make_rows(9, CELLS, verdicts=True)
    runs = []
    for number, ours in enumerate(cells):
        mine = [[row for row in table if cell_of(row) in ours] for table in rows]
        runs.append(open_run(write_run(tmp_path / str(number), *mine, cells=ours)))
    frame, total = find(pool(runs), Wanted(verdicts={"open": "won", "team": "lost"}), limit=1000)
    assert frame.drop("seed").rows() == by_hand(*rows, Wanted(verdicts={"open": "won", "team": "lost"}), ("team",))
    assert total > 0
    alone = open_run(tmp_path / "0")
    other = open_run(write_run(tmp_path / "other", *make_rows(5, cells[1]), cells=cells[1], seed="0x7"))
    assert find(pool([alone, other]), Wanted(verdicts={"open": "won", "team": "lost"}))[1] == 0


# The command.

ROWS = make_rows(12, CELLS, verdicts=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", *ROWS, cells=CELLS)


def found(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["find", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_row_has_a_command_that_can_be_given(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(found(folder, "--lost", "--limit", 1000, "--format", "csv"))))
    assert {row["policy"] for row in rows} == set(POLICIES)
    for row in rows:
        words = shlex.split(row["replay"])
        command = typer.main.get_command(app).commands[words[1]]  # type: ignore[attr-defined]
        read = command.make_context(words[1], words[2:])
        number = {"replay": "deal", "solve": "line"}[words[1]]
        assert (words[1] == "solve") == (row["policy"] == "open")
        assert read.params[number] == row["deal"]
        assert read.params["policy"] == ("team" if row["policy"] == "open" else row["policy"])
        assert (read.params["players"], read.params["seed"]) == (row["players"], "0x2a")


def test_every_format(folder: Path, tmp_path: Path) -> None:
    for suffix in ("csv", "json", "parquet", "md", "txt", "html"):
        assert found(folder, "--won", "--policy", "script", "--chapter", "2", "--out", tmp_path / f"f.{suffix}") == ""
    parquet = pl.read_parquet(tmp_path / "f.parquet")
    assert parquet.columns == [*COLUMNS, "replay"]
    assert json.loads((tmp_path / "f.json").read_text()) == parquet.to_dicts()
    assert "seed" not in (tmp_path / "f.txt").read_text().splitlines()[3]


def test_how_many_there_are_is_said(folder: Path) -> None:
    total = sum(row["won"] for row in ROWS[0] if row["policy"] == "script")
    text = found(folder, "--policy", "script", "--won", "--limit", "3")
    assert f"{total} rounds found, the 3 easiest of them here" in text
    assert "0 rounds found" in found(folder, "--after-trick", "12")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--won", "--lost"], "--won and --lost exclude each other"),
        (["--lost-card", "3H"], "--lost-card 3H: must be a suit letter and a rank, such as H3"),
        (["--after-trick", "11-9"], "--after-trick 11-9: the range runs backwards; write 9-11"),
        (["--after-trick", "x"], "--after-trick 'x': not a number"),
        (["--team", "unknown"], "--team unknown: must be won or lost"),
        (["--search", "won"], "--search won: no deals of this policy here, only of script, team, open"),
        (["--lost-by", "pipin"], "--lost-by pipin: plays in none of these deals, only bilbo_baggins, frodo"),
        (["--character", "sauron"], "--character sauron: plays in none of these deals, only"),
        (["--chapter", "mi"], "--chapter mi: no deals of it here, only of 2, my (did you mean 'my'?)"),
        (["--players", "2"], "--players 2: no deals of it here, only of 3, 4"),
        (["--policy", "tem"], "--policy tem: no deals of it here, only of script, team, open (did you mean 'team'?)"),
        (["--limit", "0"], "--limit 0: must be at least 1"),
    ],
)
def test_one_clear_line(folder: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(UserError) as caught:
        found(folder, *arguments)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
