"""One way to give a report to people (table, md, html, png, svg) and to programs (csv, parquet, json)."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from reports.dataset import Run
from reports.readable import column_title, is_right, readable
from reports.sheets import TITLES, Section, Sheet, chapter_titles, policies_of
from scenarios.errors import UserError, nearest

FORMATS = ("table", "csv", "parquet", "json", "md", "html", "png", "svg")
SUFFIXES = {".txt": "table", ".htm": "html"} | {f".{format}": format for format in FORMATS if format != "table"}
BINARY = {"parquet", "png"}
FOLDERS = {"csv", "parquet", "png", "svg"}
"""Formats whose files hold one report each: several are written into a folder."""


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
        if format in BINARY and sys.stdout.isatty():
            raise UserError(f"--format {format}: a terminal cannot show it; give --out FILE or a pipe")
        return
    if out.is_dir():
        raise UserError(f"--out {out}: is a folder; name a file")
    if out.exists() and not out.is_file():
        raise UserError(f"--out {out}: is no regular file; leave --out away and redirect stdout")
    if not out.parent.is_dir():
        raise UserError(f"--out {out}: the folder {out.parent} does not exist")
    if out.exists() and not force:
        raise UserError(f"--out {out}: exists already; give --force to replace it")


def check_folder(format: str, out: Path | None, *, force: bool = False) -> None:
    """Raise UserError if several reports in `format` cannot go into the folder `out`, which need not exist yet."""
    if out is None:
        raise UserError(f"--format {format}: all reports are several files; name a folder with --out")
    if out.exists() and not out.is_dir():
        raise UserError(f"--out {out}: all reports as {format} are several files; name a folder")
    if not out.parent.is_dir():
        raise UserError(f"--out {out}: the folder {out.parent} does not exist")
    if out.is_dir() and any(out.iterdir()) and not force:
        raise UserError(f"--out {out}: is not empty; give --force to replace the files of the same names")


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
    known, never NaN; parquet keeps `title` and `notes` as file metadata. table, md and html are to be read:
    title, notes, percentages with one decimal, differences in points, column `titles`, without the columns
    in `hide`, and then the `appendix` (pairs of title and frame). A file appears whole or not at all.
    Raises UserError as `choose_format` and `check_target` do, for png and svg (a frame alone has no picture), and for
    a file that cannot be written.
    """
    sheet = Sheet("report", title, frame, titles=titles or {}, notes=notes, hide=hide, appendix=appendix)
    write_sheet(sheet, (), choose_format(format, out), out, force=force)


def write_sheet(
    sheet: Sheet,
    runs: Sequence[Run],
    format: str,
    out: Path | None = None,
    *,
    confidence: float = 0.95,
    defaults: Mapping[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Write one report of `runs`, as `write` does; html, png and svg hold its pictures.

    `defaults`: see `heading`. Raises UserError as `write` does, png and svg when there is no picture.
    """
    check_target(format, out, force=force)
    deliver(_content([sheet], runs, format, confidence, defaults or {}), out)


def write_all(
    sheets: Sequence[Sheet],
    runs: Sequence[Run],
    format: str,
    out: Path | None = None,
    *,
    confidence: float = 0.95,
    defaults: Mapping[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Write several reports of `runs`: into one file, those of FOLDERS into the folder `out`, named after the reports.

    json is one object with a list of rows for each report. Reports without pictures have no png and svg. Raises UserError
    as `check_target`, `check_folder` and `write` do.
    """
    if format not in FOLDERS:
        check_target(format, out, force=force)
        deliver(_content(sheets, runs, format, confidence, defaults or {}), out)
        return
    check_folder(format, out, force=force)
    assert out is not None
    try:
        out.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(f"--out {out}: cannot be written ({error.strerror})") from error
    for sheet in sheets:
        if format in ("png", "svg") and not any(figure.pictures for figure in sheet.draw()):
            continue
        deliver(_content([sheet], runs, format, confidence, defaults or {}), out / f"{sheet.name}.{format}")


def _content(sheets: Sequence[Sheet], runs: Sequence[Run], format: str, confidence: float, defaults: Mapping[str, Any]) -> bytes:
    sheets = [replace(sheet, frame=sheet.frame.with_columns(pl.selectors.float().fill_nan(None))) for sheet in sheets]
    first, chapters = sheets[0], chapter_titles(runs)
    frame, notes = first.frame, [*heading(runs, defaults=defaults), *first.notes]
    if format == "csv":
        return frame.write_csv().encode()
    if format == "parquet":
        return _parquet(frame, first.title, notes)
    if format == "json":
        lists = {sheet.name: _json(sheet.frame) for sheet in sheets}
        if len(sheets) == 1:
            return f"{lists[first.name]}\n".encode()
        return ("{\n" + ",\n".join(f"{json.dumps(name)}: {rows}" for name, rows in lists.items()) + "\n}\n").encode()
    if format == "html":
        from reports.page import page

        title = first.title if len(sheets) == 1 else "Reports on " + ", ".join(str(run.path) for run in runs)
        described = [facts(run, defaults=defaults) for run in runs]
        policies = policies_of(runs)
        return page(title, described, sheets, confidence=confidence, chapters=chapters, policies=policies).encode()
    if format in ("png", "svg"):
        figures = first.draw()
        if not any(figure.pictures for figure in figures):
            others = ", ".join(name for name in FORMATS if name not in ("png", "svg"))
            raise UserError(f"--format {format}: there is no picture of this report; it can be written as {others}")
        from reports.pictures.image import image

        return image(first.title, notes, figures, chapters, format)
    texts = []
    for place, sheet in enumerate(sheets):
        sections = [(sheet.title, sheet.frame.drop(sheet.hide, strict=False)), *sheet.appendix]
        above = notes if place == 0 else sheet.notes
        titles = {**TITLES, **sheet.titles} if runs else sheet.titles
        texts.append((_tables if format == "table" else _markdown)(sections, above, titles))
    return "\n".join(texts).encode()


def deliver(content: bytes, out: Path | None) -> None:
    """Write to the file `out`, which appears whole or not at all, or to stdout; UserError for a file that cannot be written."""
    if out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
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


def facts(run: Run, *, defaults: Mapping[str, Any] | None = None) -> list[tuple[str, str]]:
    """Return (name, value) pairs that say what was played, by whom and with which command; `defaults` as in `heading`."""
    manifest = run.manifest
    stated = dict.fromkeys((name, value) for cell in manifest["cells"] for name, value in cell["assumptions"].items())
    chosen = _assumptions(manifest, defaults or {})
    others = [pair for pair in _in_order(stated) if pair not in chosen]
    told = [
        ", ".join(f"{name}={value}" for name, value in pairs) + f" ({what})"
        for pairs, what in ((chosen, "not the default"), (others, "default"))
        if pairs
    ]
    command = manifest.get("command") or []
    return [
        ("run", str(run.path)),
        ("policy", ", ".join(dict.fromkeys(policy_text(cell) for cell in manifest["cells"]))),
        ("deals", _deals(manifest)),
        ("seed", manifest["seed"]),
        ("ringsim", manifest["ringsim"]),
        ("deal format", str(manifest["deal_format"])),
        ("played", str(manifest.get("created", "unknown")).replace("T", " ")),
        *(("note", fact) for fact in limits(run)),
        ("assumptions", ", ".join(told) or "none"),
        ("command", shlex.join(command) if command else "not recorded"),
    ]


def _describe(run: Run, defaults: Mapping[str, Any], prefix: str) -> str:
    manifest = run.manifest
    policies = dict.fromkeys(policy_text(cell) for cell in manifest["cells"])
    described = [
        f"policy {', '.join(policies)}",
        f"seed {manifest['seed']}",
        _deals(manifest),
        f"ringsim {manifest['ringsim']}",
        *limits(run),
    ]
    assumed = ", ".join(f"{name}={value}" for name, value in _assumptions(manifest, defaults))
    return prefix + " | ".join([*described, f"assumptions: {assumed or 'all at their defaults'}"])


def _deals(manifest: Mapping[str, Any]) -> str:
    """Return how many deals each cell has, and why."""
    rule = manifest.get("precision")
    if not rule:
        return f"{manifest['deals']:_} deals per cell"
    played = sorted({cell["deals_done"] for cell in manifest["cells"]})
    span = f"{played[0]:_}" if len(played) == 1 else f"{played[0]:_} to {played[-1]:_}"
    wanted = f"\N{PLUS-MINUS SIGN}{100 * rule['halfwidth']:g} %"
    return f"{span} deals per cell (in two stages, until the win rate is known to {wanted})"


def limits(run: Run) -> list[str]:
    """Return what makes this more or less than a whole run of single attempts, played out."""
    manifest, limits = run.manifest, []
    if manifest.get("shard"):
        limits.append(f"shard {manifest['shard']}")
    finished, planned = sum(len(scan.files) for scan in run.goal_cells), sum(cell["parts"] for cell in manifest["cells"])
    if finished < planned:
        limits.append(f"{manifest['status']}: {finished:_} of {planned:_} parts")
    retries = dict.fromkeys(
        (cell["retry"], cell["attempts"]) for cell in manifest["cells"] if cell.get("retry", "none") != "none"
    )
    limits += conditions(manifest)
    limits += [f"retry {retry}, up to {attempts:_} attempts at a deal" for retry, attempts in retries]
    if manifest["stop"] == "early":
        limits.append("rounds ended as soon as they were decided")
    return limits


def conditions(manifest: Mapping[str, Any]) -> list[str]:
    """Return a line for each condition on the deals: what it is, and the share of all deals that fit it, where it is known."""
    shares: dict[str, list[float]] = {}
    for cell in manifest["cells"]:
        if cell.get("where"):
            found = shares.setdefault(cell["where"], [])
            if cell.get("tried") and cell.get("chance") is not None:
                found.append(100 * cell["chance"] * cell["dealt"] / cell["tried"])
    lines = []
    for where, found in shares.items():
        texts = list(dict.fromkeys(f"{share:.2g}" for share in (min(found), max(found)))) if found else []
        lines.append(f"only deals where {where}" + (f" ({' to '.join(texts)} % of all)" if texts else ""))
    return lines


def _assumptions(manifest: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the assumptions that are not at their default."""
    return _in_order(
        (name, value)
        for cell in manifest["cells"]
        for name, value in cell["assumptions"].items()
        if name not in defaults or value != defaults[name]
    )


def _in_order(assumptions: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return sorted(dict.fromkeys(assumptions), key=lambda pair: (len(pair[0]), pair))


def policy_text(cell: Mapping[str, Any]) -> str:
    playouts = f", {cell['playouts']:_} playouts" if cell.get("playouts") else ""
    if cell.get("inference"):
        playouts += f", inference {cell['inference']}"
    return f"{cell['policy']} (version {cell['policy_version']}{playouts})"


def _parquet(frame: pl.DataFrame, title: str, notes: Sequence[str]) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata={"title": title, "notes": "\n".join(notes)})
    return buffer.getvalue()


def _json(frame: pl.DataFrame) -> str:
    rows = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in frame.iter_rows(named=True)]
    return "[\n" + ",\n".join(rows) + "\n]" if rows else "[]"


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
        rule = ["---:" if is_right(frame[name]) else "---" for name in frame.columns]
        rows = [line(row) for row in readable(frame)]
        blocks.append("\n".join([line([column_title(name, titles) for name in frame.columns]), line(rule), *rows]))
    return "\n\n".join(blocks) + "\n"


def _tables(sections: Sequence[Section], notes: Sequence[str], titles: Mapping[str, str]) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    # As wide as need be: a narrow terminal folds long lines, where rich would cut digits off.
    file = io.StringIO()
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
                column_title(name, titles),
                justify="right" if is_right(frame[name]) else "left",
                vertical="bottom",
                no_wrap=True,
            )
        for row in readable(frame):
            table.add_row(*row)
        console.print(table)
    return file.getvalue()
