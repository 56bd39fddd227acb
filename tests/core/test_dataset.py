from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import coin_game
import polars as pl
import pytest

from scenarios.errors import UserError
from sim.core.dataset import (
    GOALS_SCHEMA,
    ROUNDS_SCHEMA,
    is_complete,
    part_path,
    part_summary,
    remove_leftovers,
    scan_table,
    won_deals,
    write_part,
)

KEY = ("4", 4, "script")


def frames(count: int = 200, first: int = 1000, **scenario: object) -> tuple[pl.DataFrame, pl.DataFrame]:
    return coin_game.simulate_chunk(coin_game.cell(**scenario), 7, first, count, "full")


def paths(folder: Path, first: int = 1000) -> tuple[Path, Path]:
    return part_path(folder, "rounds", *KEY, first), part_path(folder, "goals", *KEY, first)


def test_paths_follow_the_contract(tmp_path: Path) -> None:
    rounds, _ = paths(tmp_path, 150_000)
    assert str(rounds.relative_to(tmp_path)) == "rounds/chapter=4/players=4/policy=script/part-000000150000.parquet"
    odd = part_path(tmp_path, "goals", "../a=b", 3, "script", 0)
    assert odd.resolve().is_relative_to(tmp_path.resolve() / "goals")
    assert odd.parent.parent.parent.name == "chapter=..%2Fa%3Db"


def test_round_trip_keeps_schema_and_rows(tmp_path: Path) -> None:
    rounds, goals = frames()
    for frame, path in zip((rounds, goals), paths(tmp_path), strict=True):
        write_part(frame, path)
        assert pl.read_parquet(path, hive_partitioning=False).equals(frame)
        assert os.listdir(path.parent) == [path.name]
    assert scan_table(tmp_path, "rounds").collect().equals(rounds)
    assert scan_table(tmp_path, "goals").collect().equals(goals)
    assert scan_table(tmp_path / "nothing", "goals").collect_schema() == GOALS_SCHEMA


def test_a_round_with_four_goals_takes_less_than_16_bytes(tmp_path: Path) -> None:
    count = 50_000
    size = 0
    for frame, path in zip(frames(count, 150_000), paths(tmp_path, 150_000), strict=True):
        write_part(frame, path)
        size += path.stat().st_size
    assert size / count < 12


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    """Whatever the chunks of the frame in memory and the number of Polars' threads."""
    _, goals = frames(20_000)
    _, whole = paths(tmp_path)
    write_part(goals, whole)
    pieces = pl.concat([goals[:777], goals[777:50_000], goals[50_000:]], rechunk=False)
    _, pieced = paths(tmp_path / "pieces")
    write_part(pieces, pieced)
    assert whole.read_bytes() == pieced.read_bytes()
    code = (
        "import sys, hashlib, coin_game; from pathlib import Path; from sim.core.dataset import write_part\n"
        "path = Path(sys.argv[1]); write_part(coin_game.simulate_chunk(coin_game.cell(), 7, 1000, 20_000, 'full')[1], path)\n"
        "print(hashlib.sha256(path.read_bytes()).hexdigest())"
    )
    environment = os.environ | {"POLARS_MAX_THREADS": "3", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(tmp_path / "other.parquet")]
    other = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == hashlib.sha256(whole.read_bytes()).hexdigest()


def test_a_frame_of_another_schema_is_refused(tmp_path: Path) -> None:
    rounds, _ = frames()
    for wrong in (
        rounds.drop("won"),
        rounds.with_columns(pl.col("deal").cast(pl.Int64)),
        rounds.select(reversed(rounds.columns)),
    ):
        with pytest.raises(TypeError, match="neither a rounds nor a goals frame"):
            write_part(wrong, tmp_path / "part.parquet")
    assert os.listdir(tmp_path) == []


def test_summary_counts_deals_not_rounds(tmp_path: Path) -> None:
    rounds, goals = frames(200, 1000, rounds=3)
    rounds_path, goals_path = paths(tmp_path)
    write_part(rounds, rounds_path)
    assert is_complete(tmp_path, *KEY, 1000, 200) is None
    write_part(goals, goals_path)
    summary = part_summary(rounds_path, "rounds")
    assert summary is not None
    assert (summary.rows, summary.deals, summary.first_deal, summary.last_deal) == (600, 200, 1000, 1199)
    expected = rounds.group_by("deal").agg(pl.col("won").sort_by("round").last())["won"].sum()
    assert summary.won == won_deals(rounds) == expected == is_complete(tmp_path, *KEY, 1000, 200)
    assert is_complete(tmp_path, *KEY, 1000, 201) is None
    assert is_complete(tmp_path, *KEY, 1200, 200) is None


def test_damaged_parts_are_no_parts(tmp_path: Path) -> None:
    rounds, _ = frames()
    path, _ = paths(tmp_path)
    assert part_summary(path, "rounds") is None
    write_part(rounds, path)
    assert part_summary(path, "goals") is None
    whole = path.read_bytes()
    for size in [0, 1, 4, 8, len(whole) // 2, len(whole) - 8, len(whole) - 1]:
        path.write_bytes(whole[:size])
        assert part_summary(path, "rounds") is None, size
    path.write_bytes(bytes(len(whole)))
    assert part_summary(path, "rounds") is None
    path.write_bytes(b"PAR1" + bytes(len(whole) - 8) + whole[-8:])
    assert part_summary(path, "rounds") is None
    write_part(rounds.with_columns(pl.lit("5").alias("chapter")).head(0), path)
    assert part_summary(path, "rounds") is None


@pytest.mark.parametrize(
    ("code", "words"), [(errno.ENOSPC, "no space left"), (errno.EROFS, "read-only"), (errno.EACCES, "permission denied")]
)
@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
def test_what_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str, call: str
) -> None:
    rounds, _ = frames()
    path, _ = paths(tmp_path)
    write_part(rounds, path)
    before = path.read_bytes()

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(UserError) as caught:
        write_part(rounds.head(10), path)
    monkeypatch.undo()
    assert str(path) in str(caught.value)
    assert words in str(caught.value)
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == before


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds, _ = frames()
    path, _ = paths(tmp_path)
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, bytes(data[:1000])))
    write_part(rounds, path)
    monkeypatch.undo()
    assert pl.read_parquet(path, hive_partitioning=False).equals(rounds)


def test_a_folder_where_a_file_stands(tmp_path: Path) -> None:
    (tmp_path / "rounds").write_text("")
    with pytest.raises(UserError, match="cannot write .*rounds"):
        write_part(frames()[0], paths(tmp_path)[0])


def test_leftovers_of_the_named_parts_only(tmp_path: Path) -> None:
    names = [".part-000000000000.parquet.12-ab.tmp", ".part-000000000100.parquet.13-cd.tmp", "part-000000000000.parquet"]
    for name in names:
        (tmp_path / name).write_text("")
    remove_leftovers(tmp_path, ["part-000000000000.parquet"])
    assert sorted(os.listdir(tmp_path)) == sorted(names[1:])


def test_schemas_are_narrow() -> None:
    assert ROUNDS_SCHEMA["deal"] == GOALS_SCHEMA["deal"] == pl.UInt64()
    assert not any(dtype in (pl.Int64(), pl.Float64()) for dtype in [*ROUNDS_SCHEMA.values(), *GOALS_SCHEMA.values()])
