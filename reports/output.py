"""One way to give a report to people (table, md) and to programs (csv, parquet, json)."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from reports.dataset import Run
from scenarios.errors import UserError, nearest

FORMATS = ("table", "csv", "parquet", "json", "md")
SUFFIXES = {".txt": "table", ".csv": "csv", ".parquet": "parquet", ".json": "json", ".md": "md"}

SHARES = {"rate", "low", "high", "other_rate", "first_lost", "rate_a", "rate_b", "discordant"}
SHARES |= {f"{fate}{side}" for fate in ("luck", "hidden", "haste", "won", "unknown") for side in ("", "_low", "_high")}
DIFFERENCES = {
    "difference",
    "difference_low",
    "difference_high",
    "gap",
    "gap_low",
    "gap_high",
    "simultaneous_low",
    "simultaneous_high",
}
P_VALUES = {"p_value", "p_adjusted"}
NAMES = {"character"}

Section = tuple[str, pl.DataFrame]


def choose_format(format: str | None, out: Path | None) -> str:
    """Return `format`, or what the suffix of `out` says, or "table"; UserError for a format not known."""
    if format is None:
        return SUFFIXES.get(out.suffix.lower(), "table") if out else "table"
    if format not in FORMATS:
        raise UserError(f"--format {format}: must be one of {', '.join(FORMATS)}{nearest(format, FORMATS)}")
    return format


def check_target(format: str, out: Path | None, *, force: bool = False) -> None:
    """Raise UserError if a report in `format` cannot go to `out` (None: stdout); ask before a long scan."""
    if out is None:
        if format == "parquet" and sys.stdout.isatty():
            raise UserError("--format parquet: a terminal cannot show it; give --out FILE or a pipe")
        return
    if out.is_dir():
        raise UserError(f"--out {out}: is a folder; name a file")
    if out.exists() and not out.is_file():
        raise UserError(f"--out {out}: is no regular file; leave --out away and redirect stdout")
    if not out.parent.is_dir():
        raise UserError(f"--out {out}: the folder {out.parent} does not exist")
    if out.exists() and not force:
        raise UserError(f"--out {out}: exists already; give --force to replace it")


def write(
    frame: pl.DataFrame,
    format: str = "table",
    out: Path | None = None,
    *,
    title: str = "",
    notes: Sequence[str] = (),
    titles: Mapping[str, str] | None = None,
    hide: Collection[str] = (),
    appendix: Sequence[Section] = (),
    force: bool = False,
) -> None:
    """Write `frame` in `format` to the file `out`, or to stdout.

    csv, json (a list of row objects) and parquet hold the frame as it is: raw shares, null for what is not
    known, never NaN; parquet keeps `title` and `notes` as file metadata. table and md are to be read:
    title, notes, percentages with one decimal, differences in points, column `titles`, without the columns
    in `hide`, and then the `appendix` (pairs of title and frame). A file appears whole or not at all.
    Raises UserError as `choose_format` and `check_target` do, and for a file that cannot be written.
    """
    choose_format(format, out)
    check_target(format, out, force=force)
    frame = frame.with_columns(pl.selectors.float().fill_nan(None))
    sections = [(title, frame.drop(hide, strict=False)), *appendix]
    if out is None:
        if format == "table":
            _print_tables(sys.stdout, sections, notes, titles or {})
        elif format == "parquet":
            sys.stdout.buffer.write(_parquet(frame, title, notes))
        else:
            sys.stdout.write(_text(format, frame, sections, notes, titles or {}))
        sys.stdout.flush()
        return
    if format == "parquet":
        content = _parquet(frame, title, notes)
    elif format == "table":
        buffer = io.StringIO()
        _print_tables(buffer, sections, notes, titles or {})
        content = buffer.getvalue().encode()
    else:
        content = _text(format, frame, sections, notes, titles or {}).encode()
    draft = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    try:
        draft.write_bytes(content)
        os.replace(draft, out)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise UserError(f"--out {out}: cannot be written ({error.strerror})") from error


def heading(runs: Sequence[Run], *, defaults: Mapping[str, Any] | None = None) -> list[str]:
    """Return a line per run: policies and versions, seed, deals, what is missing, assumptions not at default.

    `defaults` maps an assumption to its default option; what it does not hold is always named.
    """
    return [_describe(run, defaults or {}, f"{run.path}: " if len(runs) > 1 else "") for run in runs]


def _describe(run: Run, defaults: Mapping[str, Any], prefix: str) -> str:
    manifest = run.manifest
    cells = manifest["cells"]
    policies = dict.fromkeys(_policy(cell) for cell in cells)
    facts = [
        f"policy {', '.join(policies)}",
        f"seed {manifest['seed']}",
        f"{manifest['deals']:_} deals per cell",
        f"ringsim {manifest['ringsim']}",
    ]
    if manifest.get("shard"):
        facts.append(f"shard {manifest['shard']}")
    finished, planned = sum(len(scan.files) for scan in run.goal_cells), sum(cell["parts"] for cell in cells)
    if finished < planned:
        facts.append(f"{manifest['status']}: {finished:_} of {planned:_} parts")
    if manifest["stop"] == "early":
        facts.append("rounds ended as soon as they were decided")
    chosen = {
        (name, value): None
        for cell in cells
        for name, value in cell["assumptions"].items()
        if name not in defaults or value != defaults[name]
    }
    in_order = sorted(chosen, key=lambda pair: (len(pair[0]), pair))
    assumed = ", ".join(f"{name}={value}" for name, value in in_order)
    return prefix + " | ".join([*facts, f"assumptions: {assumed or 'all at their defaults'}"])


def _policy(cell: Mapping[str, Any]) -> str:
    playouts = f", {cell['playouts']:_} playouts" if cell.get("playouts") else ""
    if cell.get("inference"):
        playouts += f", inference {cell['inference']}"
    return f"{cell['policy']} (version {cell['policy_version']}{playouts})"


def _parquet(frame: pl.DataFrame, title: str, notes: Sequence[str]) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata={"title": title, "notes": "\n".join(notes)})
    return buffer.getvalue()


def _text(
    format: str,
    frame: pl.DataFrame,
    sections: Sequence[Section],
    notes: Sequence[str],
    titles: Mapping[str, str],
) -> str:
    if format == "csv":
        return frame.write_csv()
    if format == "json":
        rows = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in frame.iter_rows(named=True)]
        return "[\n" + ",\n".join(rows) + "\n]\n" if rows else "[]\n"
    return _markdown(sections, notes, titles)


def _markdown(sections: Sequence[Section], notes: Sequence[str], titles: Mapping[str, str]) -> str:
    def line(fields: Sequence[str]) -> str:
        return "| " + " | ".join(field.replace("|", "\\|").replace("\n", " ") for field in fields) + " |"

    blocks = []
    for place, (title, frame) in enumerate(sections):
        blocks += [f"## {title}"] if title else []
        blocks += [*notes] if place == 0 else []
        if frame.is_empty():
            blocks.append("no rows")
            continue
        rule = ["---:" if _right(frame[name]) else "---" for name in frame.columns]
        rows = [line(row) for row in _readable(frame)]
        blocks.append("\n".join([line([_title(name, titles) for name in frame.columns]), line(rule), *rows]))
    return "\n\n".join(blocks) + "\n"


def _print_tables(file: Any, sections: Sequence[Section], notes: Sequence[str], titles: Mapping[str, str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    # As wide as need be: a narrow terminal folds long lines, where rich would cut digits off.
    console = Console(file=file, width=10_000, markup=False, highlight=False, emoji=False)
    for place, (title, frame) in enumerate(sections):
        if place:
            console.print()
        if title:
            console.print(title, style="bold")
        for note in notes if place == 0 else ():
            console.print(note, style="dim")
        if frame.is_empty():
            console.print("no rows")
            continue
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for name in frame.columns:
            table.add_column(
                _title(name, titles),
                justify="right" if _right(frame[name]) else "left",
                vertical="bottom",
                no_wrap=True,
            )
        for row in _readable(frame):
            table.add_row(*row)
        console.print(table)


def _title(name: str, titles: Mapping[str, str]) -> str:
    return titles.get(name, name.replace("_", " "))


def _right(column: pl.Series) -> bool:
    return column.dtype.is_numeric() or column.name.isdigit()


def _readable(frame: pl.DataFrame) -> list[tuple[str, ...]]:
    columns = [["" if value is None else _shown(column, value) for value in column] for column in frame.iter_columns()]
    return list(zip(*columns, strict=True))


def _shown(column: pl.Series, value: Any) -> str:
    if column.name in SHARES and column.dtype.is_float():  # `won` is a share in one report, a count in others
        return f"{100 * value:.1f} %"
    if column.name in DIFFERENCES:
        return f"{100 * value:+z.1f}"
    if column.name in P_VALUES:
        return f"{value:.4f}" if value >= 0.0001 else "<0.0001"
    if column.name in NAMES:
        return value.replace("_", " ").title()
    if column.dtype == pl.Boolean:
        return "yes" if value else "no"
    if column.dtype.is_integer():
        return f"{value:_}"
    return f"{value:.1f}" if column.dtype.is_float() else str(value)
