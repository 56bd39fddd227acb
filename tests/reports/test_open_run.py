from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from synthetic_run import CELLS, Row, by_cell, make_rows, part, write_run

from reports import balance, failures, open_run, pool
from reports.dataset import GOALS_SCHEMA, ROUNDS_SCHEMA, SCHEMA_VERSIONS
from scenarios.errors import UserError
from sim.core import dataset, manifest


@pytest.fixture
def rows() -> tuple[list[Row], list[Row]]:
    return make_rows(1)


@pytest.fixture
def folder(tmp_path: Path, rows: tuple[list[Row], list[Row]]) -> Path:
    return write_run(tmp_path / "run", *rows)


def line_of(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        open_run(path)
    line = str(caught.value)
    assert "\n" not in line
    return line


def test_what_the_simulator_writes_is_what_the_reports_read() -> None:
    assert dataset.rounds_schema(tries=True, open=True) == ROUNDS_SCHEMA
    assert GOALS_SCHEMA == dataset.GOALS_SCHEMA
    assert SCHEMA_VERSIONS[-1] == manifest.SCHEMA_VERSION


def test_a_run_holds_its_rows_in_the_order_of_the_manifest(folder: Path, rows: tuple[list[Row], list[Row]]) -> None:
    run = open_run(folder)
    assert run.path == folder
    assert run.manifest["seed"] == "0x2a"
    assert run.chapters == ("2", "10", "my")
    assert run.rounds.collect_schema() == ROUNDS_SCHEMA
    assert run.goals.collect_schema() == GOALS_SCHEMA
    assert run.rounds.collect().to_dicts() == rows[0]
    assert run.goals.collect().to_dicts() == rows[1]
    assert [(scan.chapter, scan.players, scan.policy) for scan in run.goal_cells] == CELLS
    assert pl.concat([scan.frame for scan in run.goal_cells]).collect().to_dicts() == rows[1]


def test_names_of_folders_are_encoded_as_the_simulator_encodes_them(tmp_path: Path) -> None:
    cell = ("a/b=c [1] \u00e9", 3, "script")
    rounds, goals = (
        pl.DataFrame(table, schema)
        for table, schema in zip(make_rows(1, [cell]), (dataset.ROUNDS_SCHEMA, dataset.GOALS_SCHEMA), strict=True)
    )
    folder = write_run(tmp_path / "run", [], [], cells=[cell])
    dataset.write_part(rounds, dataset.part_path(folder, "rounds", *cell, 0))
    dataset.write_part(goals, dataset.part_path(folder, "goals", *cell, 0))
    run = open_run(folder)
    assert run.rounds.select(rounds.columns).collect().equals(rounds)
    assert run.goal_cells[0].frame.collect().equals(goals)


def test_parts_with_and_without_the_verdict_are_read_together(tmp_path: Path) -> None:
    rounds, goals = make_rows(1)
    for row in rounds:
        if 15 <= row["deal"] < 30:
            row["open"] = "won" if row["won"] else "unknown"
    run = open_run(write_run(tmp_path / "run", rounds, goals))
    held = ["open" in pl.read_parquet_schema(file) for file in run.round_cells[0].files]
    assert held == [False, True, False]
    assert run.rounds.collect().to_dicts() == rounds
    assert pl.concat([scan.frame for scan in run.round_cells]).collect().to_dicts() == rounds
    file = part(tmp_path / "run", "rounds", CELLS[0], 15)
    pl.read_parquet(file, hive_partitioning=False).with_columns(open=pl.lit(1)).write_parquet(file)
    assert line_of(tmp_path / "run") == f"{file}: column 'open' is Int32, must be String"


def test_temporary_files_and_unfinished_chunks_are_left_out(folder: Path, rows: tuple[list[Row], list[Row]]) -> None:
    part(folder, "goals", CELLS[0], 15).rename(part(folder, "goals", CELLS[0], 15).with_suffix(".parquet.tmp"))
    part(folder, "rounds", CELLS[1], 0).unlink()
    for name in (".part-000000000030.parquet.1-abc.tmp", "part-000000000045.tmp", "notes.txt"):
        (part(folder, "goals", CELLS[0], 0).parent / name).write_text("no part")
    kept = [
        row
        for row in rows[1]
        if not (row["chapter"] == "2" and 15 <= row["deal"] < 30)
        and not (row["policy"] == "script" and row["chapter"] == "10" and row["deal"] < 15)
    ]
    run = open_run(folder)
    assert run.goals.collect().to_dicts() == kept
    assert balance(run.round_cells)["deals"].to_list() == [25, 25, 40, 40]


def test_a_cell_without_finished_parts_is_left_out(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", *make_rows(1, CELLS[:2])))
    assert balance(run.round_cells).height == 2
    assert run.chapters == ("2", "10", "my")


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    assert line_of(tmp_path / "none") == f"{tmp_path / 'none'}: no such folder"
    assert line_of(tmp_path) == f"{tmp_path}: not a run, it holds no manifest.json"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", "not valid JSON: Expecting property name"),
        ("", "not valid JSON: Expecting value"),
        ("[]", "must be an object, not list"),
        ("{}", "schema_version is None, this ringsim reads 1 and 2"),
        ('{"schema_version": 3}', "schema_version is 3, this ringsim reads 1 and 2"),
        ('{"schema_version": 1}', "missing required field"),
    ],
)
def test_a_broken_manifest_is_refused(folder: Path, text: str, line: str) -> None:
    (folder / "manifest.json").write_text(text)
    assert line_of(folder).startswith(f"{folder / 'manifest.json'}: ")
    assert line in line_of(folder)


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("seed", "forty-two", "seed is 'forty-two', must be a hexadecimal number such as '0x2a'"),
        ("deal_format", None, "Expected `int`, got `null` - at `$.deal_format`"),
        ("chunk", "50", "Expected `int`, got `str` - at `$.chunk`"),
        ("cells", {}, "Expected `array`, got `object` - at `$.cells`"),
    ],
)
def test_a_wrong_entry_is_named(folder: Path, field: str, value: Any, line: str) -> None:
    file = folder / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {field: value}))
    assert line_of(folder) == f"{file}: {line}"


def test_a_run_without_finished_parts_is_refused(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", [], [], status="running")
    assert line_of(folder) == f"{folder}: no finished parts yet (status: running)"


def test_parts_of_a_cell_that_the_manifest_does_not_name_are_refused(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", *make_rows(1), cells=CELLS[:3])
    assert line_of(folder) == f"{part(folder, 'rounds', CELLS[3], 0).parent}: holds parts, but the manifest has no such cell"


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.99])
@pytest.mark.parametrize("table", ["rounds", "goals"])
def test_a_truncated_part_is_named(folder: Path, table: str, keep: float) -> None:
    file = part(folder, table, CELLS[1], 15)
    content = file.read_bytes()
    file.write_bytes(content[: int(keep * len(content))])
    assert line_of(folder).startswith(f"{file}: cannot be read, it is damaged or cut short (")


def test_a_part_damaged_inside_is_named_when_it_is_read(folder: Path) -> None:
    file = part(folder, "goals", CELLS[1], 15)
    content = bytearray(file.read_bytes())
    footer = int.from_bytes(content[-8:-4], "little") + 8
    content[4:-footer] = bytes(len(content) - footer - 4)
    file.write_bytes(content)
    run = open_run(folder)
    with pytest.raises(UserError) as caught:
        failures(run.goal_cells, rounds=run.round_cells)
    assert str(caught.value).startswith(f"{file}: cannot be read, it is damaged or cut short (")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (pl.col("won").cast(pl.UInt8), "column 'won' is UInt8, must be Boolean"),
        (pl.lit(1).alias("luck"), "unknown column 'luck'"),
    ],
)
def test_a_part_with_other_columns_is_named(folder: Path, change: pl.Expr, line: str) -> None:
    file = part(folder, "rounds", CELLS[0], 0)
    frame = pl.read_parquet(file, hive_partitioning=False)
    frame.with_columns(change).write_parquet(file)
    assert line_of(folder) == f"{file}: {line}"
    frame.drop("won").write_parquet(file)
    assert line_of(folder) == f"{file}: column 'won' is missing"


def test_shards_and_other_seeds_are_read_as_one(tmp_path: Path) -> None:
    rounds, goals = rows = make_rows(1)
    other = make_rows(2)
    shards = [
        write_run(
            tmp_path / f"shard-{shard}",
            *([row for row in table if row["deal"] // 15 % 2 == shard] for table in rows),
            shard=f"{shard + 1}/2",
        )
        for shard in (0, 1)
    ]
    more = write_run(tmp_path / "more", *other, seed="0x2b")
    read = pool([open_run(path) for path in (*shards, more)])
    assert read.chapters == ("2", "10", "my")
    assert balance(read.round_cells)["deals"].to_list() == [80] * 4
    won = {cell: sum(row["won"] for row in played) for cell, played in by_cell(rounds + other[0]).items()}
    assert {row[:3]: row[4] for row in balance(read.round_cells).iter_rows()} == won
    assert balance(read.rounds, chapters=read.chapters).equals(balance(read.round_cells))
    report = failures(read.goal_cells, rounds=read.round_cells)
    assert report["rounds"].sum() == len(goals + other[1])
    assert report.equals(failures(read.goals, chapters=read.chapters))


def test_the_same_deals_are_not_counted_twice(tmp_path: Path, folder: Path, rows: tuple[list[Row], list[Row]]) -> None:
    first = open_run(folder)
    with pytest.raises(UserError, match="both hold deal 0 of seed 0x2a .chapter 2, 3 players, script.: leave one of them out"):
        pool([first, first])
    late = tuple([row for row in table if row["deal"] >= 36] for table in rows)
    second = open_run(write_run(tmp_path / "late", *late, chunk=9, seed="0x002A"))
    with pytest.raises(UserError, match=f"{folder} and {tmp_path / 'late'} both hold deal 36 of seed 0x2a"):
        pool([first, second])


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("policy_version", 2, "policy version"),
        ("playouts", 64, "playouts"),
        ("scenario_hash", "sha256:1", "scenario hash"),
        ("assumptions", {"A10": "after_trick"}, "assumptions"),
    ],
)
def test_cells_that_differ_are_not_read_as_one(
    tmp_path: Path, folder: Path, rows: tuple[list[Row], list[Row]], field: str, value: Any, named: str
) -> None:
    other = write_run(tmp_path / "other", *rows, seed="0x1", cell={field: value})
    line = f"{folder} and {other} differ in {named} for chapter 2, 3 players, script: report them apart"
    with pytest.raises(UserError) as caught:
        pool([open_run(folder), open_run(other)])
    assert str(caught.value) == line
