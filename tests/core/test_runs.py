from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import coin_game
import msgspec
import polars as pl
import pytest
from coin_game import SIMULATE, cell, files, spec

from scenarios.errors import UserError
from sim.core import runs
from sim.core.dataset import scan_table
from sim.core.manifest import MANIFEST_NAME, read_manifest
from sim.core.runs import RunResult, RunSpec, default_chunk, simulate_frames
from sim.core.workers import WorkerDiedError


def execute(run: RunSpec, out: Path, **options: Any) -> RunResult:
    return runs.execute(run, out, **({"simulate": SIMULATE, "quiet": True, "workers": 1} | options))


def rows(folder: Path, table: Any) -> pl.DataFrame:
    return scan_table(folder, table).collect().sort("chapter", "players", "policy", "deal", "round", maintain_order=True)


MATRIX = [cell(), cell(players=3), cell("my house"), cell(policy="random", rounds=3)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An uninterrupted run of the matrix in one process."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    execute(spec(*MATRIX, deals=1050), folder)
    return folder


class TestDeterminism:
    def test_two_workers_give_the_same_bytes(self, whole: Path, tmp_path: Path) -> None:
        result = execute(spec(*MATRIX, deals=1050), tmp_path / "run", workers=2)
        assert result.played == 4 * 1050
        assert files(tmp_path / "run") == files(whole)

    @pytest.mark.parametrize("chunk", [7, 333, 5000])
    def test_chunk_sizes_give_the_same_rows(self, whole: Path, tmp_path: Path, chunk: int) -> None:
        execute(spec(*MATRIX[2:], deals=1050, chunk=chunk), tmp_path)
        for table in ("rounds", "goals"):
            cells = rows(whole, table).filter((pl.col("chapter") == "my house") | (pl.col("policy") == "random"))
            assert rows(tmp_path, table).equals(cells)

    def test_frames_in_memory_are_the_rows_on_disk(self, whole: Path) -> None:
        in_memory = simulate_frames(spec(*MATRIX, deals=1050), simulate=SIMULATE)
        for table, frame in zip(("rounds", "goals"), in_memory, strict=True):
            assert frame.sort("chapter", "players", "policy", "deal", "round", maintain_order=True).equals(rows(whole, table))

    def test_frames_from_two_workers(self) -> None:
        one, two = (simulate_frames(spec(*MATRIX), simulate=SIMULATE, workers=workers) for workers in (1, 2))
        assert one[0].equals(two[0])
        assert one[1].equals(two[1])

    def test_another_seed_gives_other_rows(self, whole: Path) -> None:
        rounds, _ = simulate_frames(spec(*MATRIX, deals=1050, seed=8), simulate=SIMULATE)
        assert rounds.height == rows(whole, "rounds").height
        assert not rounds.equals(scan_table(whole, "rounds").collect())


class TestManifest:
    def test_counts(self, whole: Path) -> None:
        manifest = read_manifest(whole / MANIFEST_NAME)
        assert (manifest.status, manifest.seed, manifest.chunk, manifest.shard) == ("complete", "0x7", 100, None)
        assert [record.parts for record in manifest.cells] == [record.done for record in manifest.cells] == [11] * 4
        assert [record.deals_done for record in manifest.cells] == [1050] * 4
        last = rows(whole, "rounds").group_by("chapter", "players", "policy", "deal").agg(pl.col("won").last())
        for record in manifest.cells:
            mine = last.filter(
                (pl.col("chapter") == record.chapter)
                & (pl.col("players") == record.players)
                & (pl.col("policy") == record.policy)
            )
            assert record.won == mine["won"].sum()
        assert manifest.peak_memory_mib is not None
        assert manifest.seconds > 0

    def test_default_chunk_is_what_the_slowest_cell_asks_for(self) -> None:
        slow = msgspec.structs.replace(cell(policy="search"), chunk=250)
        assert default_chunk([cell()]) == 50_000
        assert default_chunk([cell(), slow]) == 250


class TestFolder:
    def test_another_run(self, whole: Path) -> None:
        with pytest.raises(UserError, match="holds another run; use --resume to complete it or choose another --out"):
            execute(spec(*MATRIX, deals=1050), whole)

    def test_other_files(self, tmp_path: Path) -> None:
        (tmp_path / "letter.txt").write_text("dear Frodo")
        for resume in (False, True):
            with pytest.raises(UserError, match="holds other files and no run"):
                execute(spec(), tmp_path, resume=resume)
        assert os.listdir(tmp_path) == ["letter.txt"]

    def test_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("")
        with pytest.raises(UserError, match="^--out .*: not a folder"):
            execute(spec(), tmp_path / "out")

    def test_nothing_to_resume(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match="^--resume: there is no run in"):
            execute(spec(), tmp_path / "new", resume=True)
        assert not (tmp_path / "new").exists()

    def test_an_empty_folder_is_new(self, tmp_path: Path) -> None:
        assert execute(spec(deals=100), tmp_path).played == 100

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"seed": 8}, "--seed 0x7, not 0x8"),
            ({"deals": 2000}, "--deals 1050, not 2000"),
            ({"chunk": 50}, "--chunk 100, not 50"),
            ({"stop": "early"}, "--stop full, not early"),
            ({"deal_format": 2}, "deal format 1, not 2"),
            (
                {"cells": [*MATRIX[:3], cell(players=1)]},
                "cells chapter 4 with 4 players and random, not chapter 4 with 1 players",
            ),
            ({"cells": MATRIX[:3]}, "cells chapter 4 with 4 players and random, not .no others"),
            ({"policy_version": 2}, "policy version of chapter 4 with 4 players and script 1, not 2"),
            ({"scenario_hash": "sha256:11"}, "scenario hash of chapter 4 .* sha256:00, not sha256:11"),
            ({"assumptions": {"A10": "no"}}, "assumption A10 of chapter 4 .* at_play, not no"),
        ],
    )
    def test_resume_names_what_differs(self, whole: Path, changes: dict[str, Any], words: str) -> None:
        run = spec(*MATRIX, deals=1050)
        if changes.keys() <= set(RunSpec.__struct_fields__):
            run = msgspec.structs.replace(run, **changes)
        else:
            run = msgspec.structs.replace(run, cells=[msgspec.structs.replace(MATRIX[0], **changes), *MATRIX[1:]])
        with pytest.raises(UserError, match=f"was started with {words}"):
            execute(run, whole, resume=True)

    def test_resuming_a_complete_run_does_nothing(self, whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
        before = {path: path.stat().st_mtime_ns for path in whole.rglob("*") if path.is_file()}
        result = execute(spec(*MATRIX, deals=1050), whole, resume=True, quiet=False)
        assert result.played == 0
        assert result.manifest.cells[0].deals_done == 1050
        assert "is complete (44 of 44 parts); nothing to do" in capsys.readouterr().err
        assert {path: path.stat().st_mtime_ns for path in whole.rglob("*") if path.is_file()} == before

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"deals": 0}, "^--deals 0"),
            ({"chunk": 0}, "^--chunk 0"),
            ({"seed": -1}, "^--seed -1"),
            ({"stop": "soon"}, "^--stop soon"),
            ({"shard": (5, 4)}, "^--shard 5/4"),
            ({"cells": []}, "^nothing to run"),
            ({"cells": [cell(), cell()]}, "named twice"),
        ],
    )
    def test_a_spec_that_cannot_be_played(self, tmp_path: Path, changes: dict[str, Any], words: str) -> None:
        with pytest.raises(UserError, match=words):
            execute(msgspec.structs.replace(spec(), **changes), tmp_path / "run")
        assert not (tmp_path / "run").exists()


class TestResume:
    @pytest.mark.parametrize("workers", [1, 2])
    def test_lost_and_damaged_parts_come_back_with_the_same_bytes(self, whole: Path, tmp_path: Path, workers: int) -> None:
        folder = tmp_path / "run"
        shutil.copytree(whole, folder)
        parts = sorted((folder / "rounds").rglob("*.parquet")) + sorted((folder / "goals").rglob("*.parquet"))
        parts[0].unlink()
        parts[50].unlink()
        parts[20].write_bytes(parts[20].read_bytes()[:-1])
        parts[60].write_bytes(b"")
        parts[70].write_bytes(parts[71].read_bytes())
        kept = parts[30].stat().st_mtime_ns
        leftover = parts[3].with_name(f".{parts[3].name}.99-ff.tmp")
        leftover.write_text("half a part")
        result = execute(spec(*MATRIX, deals=1050), folder, resume=True, workers=workers)
        assert 300 <= result.played <= 500
        assert files(folder) == files(whole)
        assert parts[30].stat().st_mtime_ns == kept
        assert not leftover.exists()
        before, after = (read_manifest(place / MANIFEST_NAME) for place in (whole, folder))
        assert after.cells == before.cells
        assert after.created == before.created
        assert after.status == "complete"

    def test_a_run_whose_parent_was_killed_after_the_last_part(self, whole: Path, tmp_path: Path) -> None:
        shutil.copytree(whole, tmp_path / "run")
        path = tmp_path / "run" / MANIFEST_NAME
        path.write_bytes(path.read_bytes().replace(b'"complete"', b'"running"'))
        assert execute(spec(*MATRIX, deals=1050), tmp_path / "run", resume=True).manifest.status == "complete"


class TestShards:
    def test_shards_in_one_folder_make_the_whole(self, whole: Path, tmp_path: Path) -> None:
        run = spec(*MATRIX, deals=1050)
        for number in (3, 1, 2):
            execute(msgspec.structs.replace(run, shard=(number, 3)), tmp_path)
            manifest = read_manifest(tmp_path / MANIFEST_NAME)
            assert manifest.shard == {3: "3/3", 1: "1,3/3", 2: None}[number]
        assert files(tmp_path) == files(whole)
        assert manifest.status == "complete"
        assert manifest.cells == read_manifest(whole / MANIFEST_NAME).cells

    def test_shards_in_folders_of_their_own(self, whole: Path, tmp_path: Path) -> None:
        found: dict[str, bytes] = {}
        for number in range(1, 5):
            execute(spec(*MATRIX, deals=1050, shard=(number, 4)), tmp_path / str(number))
            mine = files(tmp_path / str(number))
            assert not found.keys() & mine.keys()
            found |= mine
        assert found == files(whole)

    def test_a_shard_without_chunks(self, tmp_path: Path) -> None:
        result = execute(spec(deals=150, shard=(3, 3)), tmp_path)
        assert (result.played, result.manifest.status, result.manifest.cells[0].parts) == (0, "complete", 0)

    def test_a_shard_is_resumed_alone(self, tmp_path: Path) -> None:
        for number in (1, 2):
            execute(spec(shard=(number, 2)), tmp_path)
        before = files(tmp_path)
        for path in (tmp_path / "goals").rglob("part-*.parquet"):
            path.unlink()
        with pytest.raises(UserError, match="holds another run; use --resume"):
            execute(spec(shard=(1, 2)), tmp_path)
        assert execute(spec(shard=(1, 2)), tmp_path, resume=True).played == 500
        assert execute(spec(shard=(2, 2)), tmp_path, resume=True).played == 500
        assert files(tmp_path) == before

    def test_what_does_not_belong_together(self, whole: Path, tmp_path: Path) -> None:
        execute(spec(shard=(1, 2)), tmp_path)
        with pytest.raises(UserError, match="--shard 1/2, not 1/3"):
            execute(spec(shard=(1, 3)), tmp_path)
        with pytest.raises(UserError, match="--seed 0x7, not 0x8"):
            execute(spec(shard=(2, 2), seed=8), tmp_path)
        with pytest.raises(UserError, match="holds shards of a run; name yours, as in --shard 1/2"):
            execute(spec(), tmp_path)
        with pytest.raises(UserError, match="holds a run that is not sharded"):
            execute(spec(*MATRIX, deals=1050, shard=(1, 2)), whole)

    def test_a_shard_that_starts_while_the_first_has_only_made_its_folder(self, tmp_path: Path) -> None:
        (tmp_path / "shards").mkdir()
        (tmp_path / "shards" / ".1-of-2.json.7-ab.tmp").write_text("")
        assert execute(spec(shard=(2, 2)), tmp_path).played == 500


class TestFailure:
    @pytest.mark.parametrize("workers", [1, 2])
    def test_an_exception_leaves_the_finished_parts(self, tmp_path: Path, workers: int) -> None:
        with pytest.raises(ValueError, match="fell on its edge"):
            execute(spec(cell(fail=850)), tmp_path, workers=workers)
        manifest = read_manifest(tmp_path / MANIFEST_NAME)
        assert manifest.status == "failed"
        assert 7 <= manifest.cells[0].done <= 9
        assert len(files(tmp_path)) >= 2 * manifest.cells[0].done
        assert execute(spec(cell()), tmp_path, resume=True).manifest.status == "complete"
        assert len(files(tmp_path)) == 20

    def test_a_users_mistake_found_by_a_worker(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match="^--policy coin: no such coin$"):
            execute(spec(cell(user_error=850)), tmp_path, workers=2)

    def test_a_killed_worker(self, tmp_path: Path) -> None:
        with pytest.raises(WorkerDiedError) as caught:
            execute(spec(cell(die=850)), tmp_path, workers=2)
        done = read_manifest(tmp_path / MANIFEST_NAME).cells[0].done
        assert "exit code -9" in str(caught.value)
        assert f"{done} of 10 parts are kept, complete the run with: ringsim run --resume --out {tmp_path}" in str(caught.value)
        assert not list(tmp_path.rglob("*.tmp"))
        assert execute(spec(cell()), tmp_path, resume=True).played == 1000 - 100 * done

    def test_a_disk_that_fills_up(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write, left = os.write, [40_000]

        def until_full(handle: int, data: Any) -> int:
            if os.readlink(f"/proc/self/fd/{handle}").startswith(str(tmp_path)):
                left[0] -= len(data)
                if left[0] < 0:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(handle, data)

        monkeypatch.setattr(os, "write", until_full)
        with pytest.raises(UserError, match="^cannot write .*no space left on device; free some space, then .*--resume$"):
            execute(spec(), tmp_path / "run")
        monkeypatch.undo()
        assert not list(tmp_path.rglob("*.tmp"))
        kept = files(tmp_path / "run")
        assert 2 <= len(kept) < 20
        result = execute(spec(), tmp_path / "run", resume=True)
        assert result.manifest.status == "complete"
        assert kept.items() <= files(tmp_path / "run").items()

    def test_a_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        try:
            if os.access(tmp_path, os.W_OK):
                pytest.skip("permission bits do not bind this user")
            with pytest.raises(UserError, match="^cannot write .*permission denied; choose another --out$"):
                execute(spec(), tmp_path / "run")
        finally:
            tmp_path.chmod(0o700)

    def test_a_read_only_file_system(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_args: object, **_kwargs: object) -> None:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

        monkeypatch.setattr(os, "mkdir", refuse)
        with pytest.raises(UserError, match="^cannot write .*run: read-only file system; choose another --out$"):
            execute(spec(), tmp_path / "run")

    def test_an_engine_that_returns_other_columns(self, tmp_path: Path) -> None:
        with pytest.raises(TypeError, match="test_runs:narrow_chunk returned"):
            execute(spec(), tmp_path, simulate="test_runs:narrow_chunk")


def narrow_chunk(*arguments: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    rounds, goals = coin_game.simulate_chunk(*arguments)
    return rounds, goals.drop("met")


class TestProgress:
    def test_plain_lines_when_stderr_is_no_terminal(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(runs, "_LINE_SECONDS", 0.0)
        execute(spec(deals=200), tmp_path / "loud", quiet=False)
        lines = capsys.readouterr().err.splitlines()
        assert lines[0].startswith("100 of 200 deals (50%), ")
        assert "won 2" in lines[1]
        assert len(lines) == 2
        execute(spec(deals=200), tmp_path / "quiet")
        assert capsys.readouterr() == ("", "")

    def test_one_bar_on_a_terminal(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        execute(spec(deals=200), tmp_path, quiet=False)
        shown = capsys.readouterr().err
        assert "deals/s" in shown
        assert "won " in shown
        assert "100%" in shown


class TestDask:
    def test_a_missing_package_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(UserError, match=r"pip install ringsim\[dask\]"):
            execute(spec(), tmp_path, executor="dask", scheduler="tcp://127.0.0.1:1")

    def test_a_scheduler_is_needed(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match="^--executor dask: needs --scheduler"):
            execute(spec(), tmp_path, executor="dask")

    def test_a_cluster_gives_the_same_bytes(self, whole: Path, tmp_path: Path) -> None:
        distributed = pytest.importorskip("distributed")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp"
        ) as cluster:
            address = cluster.scheduler_address
            result = execute(spec(*MATRIX, deals=1050), tmp_path / "run", executor="dask", scheduler=address)
            assert files(tmp_path / "run") == files(whole)
            assert result.manifest.cells == read_manifest(whole / MANIFEST_NAME).cells
            with pytest.raises(ValueError, match="fell on its edge"):
                execute(spec(cell(fail=850)), tmp_path / "failed", executor="dask", scheduler=address)
