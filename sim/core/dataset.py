"""The two tables of a run as Parquet parts: one declared schema, one path scheme, one way to write them.

Rows stand in the order of play: rounds by (deal, round), goals by (deal, round, seat). A part is one row
group, so that the deal numbers get one dictionary of their own; with zstd level 5 this brings a round and
its four goal rows to about 10 bytes (20 in the row groups that Polars would choose). The same rows always
give the same bytes, whatever the number of threads.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import msgspec
import polars as pl

from sim.core.manifest import write_atomically, write_error

Table = Literal["rounds", "goals"]

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
    }
)
EXTRA_COLUMNS = {"tries": pl.UInt32(), "open": pl.String()}
"""Columns of some rounds, in this order: of runs under a condition, how many deals were tried for each round; of the policy
`open`, its verdict: won, lost or unknown."""


def rounds_schema(*, tries: bool = False, open: bool = False) -> pl.Schema:
    """Return the schema of rounds with the extra columns asked for."""
    wanted = {"tries": tries, "open": open}
    return pl.Schema({**ROUNDS_SCHEMA, **{name: dtype for name, dtype in EXTRA_COLUMNS.items() if wanted[name]}})


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
_ROUNDS = tuple(rounds_schema(tries=tries, open=open) for tries in (False, True) for open in (False, True))
_WRITTEN = (*_ROUNDS, GOALS_SCHEMA)
SCHEMAS: Mapping[Table, pl.Schema] = {"rounds": ROUNDS_SCHEMA, "goals": GOALS_SCHEMA}

_LEVEL = 5  # from 5 on the deal numbers of the goals compress as well as at 19, at the speed of 1


class PartSummary(msgspec.Struct, frozen=True):
    """What the deal numbers of a readable part say; `won` counts deals (0 for goals)."""

    rows: int
    deals: int
    first_deal: int
    last_deal: int
    won: int


def part_path(folder: Path, table: Table, chapter: str, players: int, policy: str, first_deal: int) -> Path:
    """Return where the part that begins with `first_deal` lies below the run's `folder`."""
    return cell_folder(folder, table, chapter, players, policy) / f"part-{first_deal:012d}.parquet"


def cell_folder(folder: Path, table: Table, chapter: str, players: int, policy: str) -> Path:
    """Return the folder of one cell's parts; names are percent-encoded as Hive partitions are."""
    return folder / table / f"chapter={quote(chapter, safe=' ')}" / f"players={players}" / f"policy={quote(policy, safe=' ')}"


def write_part(frame: pl.DataFrame, path: Path) -> None:
    """Write a rounds or goals frame (told apart by its columns) as one part, all of it or nothing.

    Raises TypeError when the frame has not exactly one of the declared schemas, UserError when the part
    cannot be written (full disk, read-only folder).
    """
    if frame.schema not in _WRITTEN:
        raise TypeError(f"{path}: neither a rounds nor a goals frame: {frame.schema}")
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", compression_level=_LEVEL, row_group_size=max(1, frame.height))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(path, error) from error
    write_atomically(path, buffer.getvalue())


def part_summary(path: Path, table: Table) -> PartSummary | None:
    """Return what a part holds, reading two columns at most; None when it is missing, truncated or wrong."""
    if not path.is_file():
        return None
    columns = ["deal", "won"] if table == "rounds" else ["deal"]
    try:
        scan = pl.scan_parquet(path, hive_partitioning=False, glob=False)
        found = scan.collect_schema()
        if found != SCHEMAS[table] and not (table == "rounds" and found in _ROUNDS):
            return None
        frame = scan.select(columns).collect()
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    deals = frame["deal"]
    if frame.is_empty() or not deals.is_sorted():
        return None
    number = 1 + int((deals != deals.shift(1)).sum())
    won = won_deals(frame) if table == "rounds" else 0
    return PartSummary(len(frame), number, int(deals[0]), int(deals[-1]), won)


def won_deals(rounds: pl.DataFrame) -> int:
    """Return the number of deals won: those whose last round is won (rows in the order of play)."""
    last = (pl.col("deal") != pl.col("deal").shift(-1)).fill_null(True)
    return int(rounds.lazy().select((pl.col("won") & last).sum()).collect().item())


def tried_deals(rounds: pl.DataFrame) -> tuple[int, int]:
    """Return how many rounds were dealt and how many deals were tried for them; (0, 0) where no condition was asked for."""
    return (rounds.height, int(rounds["tries"].sum())) if "tries" in rounds.columns else (0, 0)


def is_complete(folder: Path, chapter: str, players: int, policy: str, first_deal: int, deals: int) -> int | None:
    """Return the number of deals won when both parts of a chunk hold exactly its deals, None otherwise."""
    won = 0
    for table in SCHEMAS:
        part = part_summary(part_path(folder, table, chapter, players, policy, first_deal), table)
        if part is None or (part.deals, part.first_deal, part.last_deal) != (
            deals,
            first_deal,
            first_deal + deals - 1,
        ):
            return None
        won += part.won
    return won


def remove_leftovers(folder: Path, names: Iterable[str]) -> None:
    """Delete the temporary files that killed writers of the parts `names` left in one cell's folder."""
    wanted = set(names)
    for path in folder.glob(".part-*.tmp"):
        if path.name[1:].split(".parquet.")[0] + ".parquet" in wanted:
            path.unlink(missing_ok=True)


def scan_table(folder: Path, table: Table) -> pl.LazyFrame:
    """Return one table of a run as a LazyFrame over all its parts, in the declared schema."""
    parts = sorted((folder / table).glob("chapter=*/players=*/policy=*/part-*.parquet"))
    if not parts:
        return pl.LazyFrame(schema=SCHEMAS[table])
    return pl.scan_parquet(parts, schema=SCHEMAS[table], hive_partitioning=False, glob=False)
