"""Opening the folder of a run: the manifest and lazy scans over its finished parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import polars as pl

from scenarios.errors import UserError

SCHEMA_VERSIONS = (1, 2)  # 2 has the column `attempt`
UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)  # what a damaged part makes Polars raise
CELL = ("chapter", "players", "policy")
OPTIONAL: dict[str, Any] = {"tries": None, "open": None, "attempt": 1}
"""Columns that a part may lack (version 1 had no attempts) -> what is read in their place."""
NEWER_FIELDS = {"retry": "none", "attempts": 1, "where": "", "weights": ""}
"""What the cells of an older manifest do not say -> what they mean."""
SAID = {"where": "the condition on their deals (--where)"}
"""Fields of cells that users know by another name."""

ROUNDS_SCHEMA = pl.Schema(
    {
        "chapter": pl.String(),
        "players": pl.UInt8(),
        "policy": pl.String(),
        "deal": pl.UInt64(),
        "attempt": pl.UInt16(),
        "round": pl.UInt8(),
        "lost": pl.String(),
        "event": pl.String(),
        "first_leader": pl.UInt8(),
        "tricks": pl.UInt8(),
        "won": pl.Boolean(),
        "tries": pl.UInt32(),
        "open": pl.String(),
    }
)
GOALS_SCHEMA = pl.Schema(
    {
        "chapter": pl.String(),
        "players": pl.UInt8(),
        "policy": pl.String(),
        "deal": pl.UInt64(),
        "attempt": pl.UInt16(),
        "round": pl.UInt8(),
        "seat": pl.UInt8(),
        "character": pl.String(),
        "threat": pl.UInt8(),
        "curse": pl.String(),
        "tricks": pl.UInt8(),
        "met": pl.Boolean(),
        "lost_after": pl.UInt8(),
        "first_lost": pl.Boolean(),
    }
)


@dataclass(frozen=True)
class CellScan:
    """The finished parts of one table of one cell (chapter x players x policy), scanned lazily."""

    chapter: str
    players: int
    policy: str
    files: tuple[Path, ...]
    frame: pl.LazyFrame

    def literals(self) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
        """Return the cell's columns as constants."""
        return (
            pl.lit(self.chapter, dtype=pl.String).alias("chapter"),
            pl.lit(self.players, dtype=pl.UInt8).alias("players"),
            pl.lit(self.policy, dtype=pl.String).alias("policy"),
        )


@dataclass(frozen=True)
class Run:
    """A run on disk: `rounds` and `goals` scan all finished parts, the `_cells` the same cell by cell."""

    path: Path
    manifest: dict[str, Any]
    rounds: pl.LazyFrame
    goals: pl.LazyFrame
    round_cells: tuple[CellScan, ...]
    goal_cells: tuple[CellScan, ...]

    @property
    def chapters(self) -> tuple[str, ...]:
        """The chapters in the order of the manifest."""
        return tuple(dict.fromkeys(cell["chapter"] for cell in self.manifest["cells"]))


@dataclass(frozen=True)
class Pool:
    """Several runs read as one."""

    runs: tuple[Run, ...]
    rounds: pl.LazyFrame
    goals: pl.LazyFrame
    round_cells: tuple[CellScan, ...]
    goal_cells: tuple[CellScan, ...]

    @property
    def chapters(self) -> tuple[str, ...]:
        """The chapters in the order of the manifests."""
        return tuple(dict.fromkeys(chapter for run in self.runs for chapter in run.chapters))


class _Cell(msgspec.Struct):
    chapter: str
    players: int
    policy: str
    policy_version: int
    scenario_hash: str
    assumptions: dict[str, Any]
    parts: int
    done: int
    based_on: str = ""
    weights: str = ""
    playouts: int = 0
    inference: str = ""
    retry: str = "none"
    attempts: int = 1
    where: str = ""
    tries: int = 0
    chance: float | None = None
    after_setup: bool = False
    dealt: int = 0
    tried: int = 0


class _Request(msgspec.Struct):
    chapters: list[str]
    assume: dict[str, str] = {}


class _Manifest(msgspec.Struct):
    """What the reports rely on in a manifest; more may stand there."""

    ringsim: str
    deal_format: int
    status: str
    seed: str
    deals: int
    chunk: int
    stop: str
    cells: list[_Cell]
    request: _Request | None = None


def open_run(path: Path | str) -> Run:
    """Open the run in the folder `path`.

    A chunk counts as finished when its part of rounds and its part of goals are both there; a run that
    still goes on, or was interrupted, is read as far as it came. Raises UserError, naming folder or file,
    for a folder that is not a run, a broken manifest, another schema version, no finished parts, and a part
    that is truncated or has other columns.
    """
    folder = Path(path)
    manifest = _read_manifest(folder)
    cells = list(dict.fromkeys(_key(cell) for cell in manifest["cells"]))
    _refuse_strangers(folder, cells)

    round_cells, goal_cells = [], []
    for cell in cells:
        rounds, goals = (_parts(_cell_folder(folder, table, cell)) for table in ("rounds", "goals"))
        finished = sorted(rounds.keys() & goals.keys())
        if finished:
            round_cells.append(_scan(cell, [rounds[name] for name in finished], ROUNDS_SCHEMA))
            goal_cells.append(_scan(cell, [goals[name] for name in finished], GOALS_SCHEMA))
    if not round_cells:
        raise UserError(f"{folder}: no finished parts yet (status: {manifest['status']})")
    return Run(
        path=folder,
        manifest=manifest,
        rounds=_scan_files((file for cell in round_cells for file in cell.files), ROUNDS_SCHEMA),
        goals=_scan_files((file for cell in goal_cells for file in cell.files), GOALS_SCHEMA),
        round_cells=tuple(round_cells),
        goal_cells=tuple(goal_cells),
    )


def pool(runs: Sequence[Run]) -> Pool:
    """Put runs together (shards of one seed, or several seeds).

    Raises UserError when a cell would be counted wrongly: the same deals of the same seed twice, or one
    cell played under different policy versions, playouts, scenarios or assumptions.
    """
    for second, run in enumerate(runs):
        for other in runs[:second]:
            _refuse_mixture(other, run)
    return Pool(
        runs=tuple(runs),
        rounds=pl.concat([run.rounds for run in runs]),
        goals=pl.concat([run.goals for run in runs]),
        round_cells=tuple(cell for run in runs for cell in run.round_cells),
        goal_cells=tuple(cell for run in runs for cell in run.goal_cells),
    )


def unreadable_part(scans: Iterable[CellScan], error: BaseException) -> UserError:
    """Return the error that names the part which cannot be read, found by reading all one by one."""
    for scan in scans:
        for file in scan.files:
            try:
                pl.read_parquet(file, glob=False, hive_partitioning=False)
            except UNREADABLE as cause:
                return _broken(file, cause)
    return UserError(f"the dataset cannot be read: {_first_line(error)}")


def _read_manifest(folder: Path) -> dict[str, Any]:
    if not folder.exists():
        raise UserError(f"{folder}: no such folder")
    file = folder / "manifest.json"
    if not file.is_file():
        raise UserError(f"{folder}: not a run, it holds no manifest.json")
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise UserError(f"{file}: not valid JSON: {_first_line(error)}") from error
    if not isinstance(manifest, dict):
        raise UserError(f"{file}: must be an object, not {type(manifest).__name__}")
    version = manifest.get("schema_version")
    if version not in SCHEMA_VERSIONS:
        raise UserError(f"{file}: schema_version is {version!r}, this ringsim reads {' and '.join(map(str, SCHEMA_VERSIONS))}")
    try:
        seed = msgspec.convert(manifest, _Manifest).seed
    except msgspec.ValidationError as error:
        raise UserError(f"{file}: {_first_line(error)}") from error
    try:
        int(seed, 16)
    except ValueError:
        raise UserError(f"{file}: seed is {seed!r}, must be a hexadecimal number such as '0x2a'") from None
    return manifest


def _refuse_strangers(folder: Path, cells: list[tuple[str, int, str]]) -> None:
    known = {_cell_folder(folder, table, cell) for table in ("rounds", "goals") for cell in cells}
    for table in ("rounds", "goals"):
        for file in (folder / table).rglob("part-*.parquet"):
            if file.parent not in known:
                raise UserError(f"{file.parent}: holds parts, but the manifest has no such cell")


def _cell_folder(folder: Path, table: str, cell: tuple[str, int, str]) -> Path:
    chapter, players, policy = cell
    # Names are percent-encoded as Hive partitions are.
    chapter, policy = quote(chapter, safe=" "), quote(policy, safe=" ")
    return folder / table / f"chapter={chapter}" / f"players={players}" / f"policy={policy}"


def _parts(folder: Path) -> dict[str, Path]:
    return {file.name: file for file in folder.glob("part-*.parquet")}


def _scan(cell: tuple[str, int, str], files: list[Path], schema: pl.Schema) -> CellScan:
    for file in files:
        _check_part(file, schema)
    return CellScan(*cell, files=tuple(files), frame=_scan_files(files, schema))


def _scan_files(files: Iterable[Path], schema: pl.Schema) -> pl.LazyFrame:
    # The declared schema holds for every file: inferred, the first file's or the folder's name would win.
    frame = pl.scan_parquet(list(files), schema=schema, glob=False, hive_partitioning=False, missing_columns="insert")
    return frame.with_columns(pl.col("attempt").fill_null(OPTIONAL["attempt"]))


def _check_part(file: Path, schema: pl.Schema) -> None:
    try:
        found = pl.read_parquet_schema(file)
    except UNREADABLE as error:
        raise _broken(file, error) from error
    for name, dtype in schema.items():
        if name not in found:
            if name in OPTIONAL:
                continue
            raise UserError(f"{file}: column '{name}' is missing")
        if found[name] != dtype:
            raise UserError(f"{file}: column '{name}' is {found[name]}, must be {dtype}")
    for name in found:
        if name not in schema:
            raise UserError(f"{file}: unknown column '{name}'")


def _refuse_mixture(first: Run, second: Run) -> None:
    described = {_key(cell): cell for cell in first.manifest["cells"]}
    for cell in second.manifest["cells"]:
        other = described.get(_key(cell))
        if other is None:
            continue
        name = "chapter {}, {} players, {}".format(*_key(cell))
        for field in (
            "policy_version", "weights", "playouts", "inference", "retry", "attempts", "where", "scenario_hash", "assumptions",
        ):  # fmt: skip
            usual = NEWER_FIELDS.get(field, 0)
            if cell.get(field, usual) != other.get(field, usual):
                both = f"{first.path} and {second.path}"
                raise UserError(f"{both} differ in {SAID.get(field, field.replace('_', ' '))} for {name}: report them apart")
    if int(first.manifest["seed"], 16) != int(second.manifest["seed"], 16):
        return
    spans = {_scan_key(scan): _spans(first, scan) for scan in first.round_cells}
    for scan in second.round_cells:
        spots = sorted(spans.get(_scan_key(scan), []) + _spans(second, scan))
        for (_, end), (start, _) in zip(spots, spots[1:], strict=False):
            if start < end:
                name = "chapter {}, {} players, {}".format(*_scan_key(scan))
                raise UserError(
                    f"{first.path} and {second.path} both hold deal {start} of seed {first.manifest['seed']} "
                    f"({name}): leave one of them out"
                )


def _spans(run: Run, scan: CellScan) -> list[tuple[int, int]]:
    chunk, deals = run.manifest["chunk"], run.manifest["deals"]
    starts = (int(file.stem.removeprefix("part-")) for file in scan.files)
    return [(start, max(start + 1, min(start + chunk, deals))) for start in starts]


def _key(cell: dict[str, Any]) -> tuple[str, int, str]:
    return cell["chapter"], cell["players"], cell["policy"]


def _scan_key(scan: CellScan) -> tuple[str, int, str]:
    return scan.chapter, scan.players, scan.policy


def _broken(file: Path, error: BaseException) -> UserError:
    return UserError(f"{file}: cannot be read, it is damaged or cut short ({_first_line(error)})")


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0]
