"""Counting rows per cell in one streaming pass, whatever the length of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import polars as pl

from reports.dataset import CELL, UNREADABLE, CellScan, unreadable_part
from scenarios.errors import UserError

AT_ONCE = 8
"""So many cells are read together: Polars takes threads for each of them, and warns of a deadlock above 512."""

Frames = pl.DataFrame | pl.LazyFrame | Sequence[CellScan]


def count_groups(
    frames: Frames,
    by: Sequence[str],
    counts: Sequence[pl.Expr],
    *,
    needs: Sequence[str],
    prepare: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda frame: frame,
) -> pl.DataFrame:
    """Return one row per cell and `by` with the Int64 `counts`.

    `frames` is one frame (eager or lazy) with the cell's columns, or scans that each hold one cell: these are grouped by
    `by` alone and their counts added up, which halves the time (no cell column is decoded or hashed) and
    lets several runs meet. So `counts` must be additive. None of them may use `filter`: Polars then gathers
    whole groups in memory (14 GB for 80 M rows) where sums of booleans stream.

    Raises UserError for a column missing from a frame (`needs` lists those read) and a part of a scan that cannot be read.
    """
    whole = [count.cast(pl.Int64) for count in counts]
    if isinstance(frames, pl.DataFrame):
        frames = frames.lazy()
    if isinstance(frames, pl.LazyFrame):
        found = frames.collect_schema().names()
        for name in (*CELL, *needs):
            if name not in found:
                raise UserError(f"the frame has no column '{name}'; needed are {', '.join((*CELL, *needs))}")
        return prepare(frames).group_by(*CELL, *by).agg(whole).collect(engine="streaming")

    parts = []
    for scan in frames:
        frame = prepare(scan.frame)
        grouped = frame.group_by(by).agg(whole) if by else frame.select(whole)
        parts.append(grouped.select(*scan.literals(), pl.all()))
    try:
        tables = [
            pl.concat(parts[first : first + AT_ONCE]).collect(engine="streaming") for first in range(0, len(parts), AT_ONCE)
        ]
    except UNREADABLE as error:
        raise unreadable_part(frames, error) from error
    counted = pl.concat(tables)
    return counted.group_by(*CELL, *by).agg(pl.all().sum())


def chapter_order(frames: Frames, found: pl.Series, chapters: Sequence[str] | None) -> pl.Enum:
    """Return the chapters in order: as given, or as the scans come, or numbers ("2" < "10") before names."""
    if chapters is None and not isinstance(frames, pl.DataFrame | pl.LazyFrame):
        chapters = [scan.chapter for scan in frames]
    names = found.unique().to_list()
    rest = sorted(set(names) - set(chapters or ()), key=_natural)
    return pl.Enum(list(dict.fromkeys((*(chapters or ()), *rest))))


def _natural(name: str) -> tuple[bool, list[tuple[bool, int, str]]]:
    pieces = re.findall(r"[0-9]+|[^0-9]+", name)
    numbered = [piece[0] in "0123456789" for piece in pieces]
    return numbered != [True], [
        (False, int(piece), "") if number else (True, 0, piece) for piece, number in zip(pieces, numbered, strict=True)
    ]
