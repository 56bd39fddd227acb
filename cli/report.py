"""`ringsim report`: what the deals of one run, or of several, say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from reports.dataset import Pool, Run

app = typer.Typer(no_args_is_help=True, help="Report on runs: failures, lost-card, balance, luck.")

Runs = Annotated[
    list[Path],
    typer.Argument(metavar="RUN...", help="Folders of runs; several (shards, or other seeds) are read as one."),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="table, csv, parquet, json or md. Default: what the suffix of --out says, else table.",
        show_default=False,
    ),
]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Write there, not to stdout.", show_default=False)]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
Confidence = Annotated[float, typer.Option(metavar="SHARE", help="Level of the intervals, 0.5 to 0.9999.")]

TITLES = {
    "first_lost": "first\nlost",
    "mean_lost_after": "lost after\ntrick (mean)",
    "lost_card": "lost\ncard",
    "other_rate": "other\ndeals",
    "difference_low": "low",
    "difference_high": "high",
    "p_adjusted": "p\n(adjusted)",
    "other_players": "and",
    "gap_low": "low",
    "gap_high": "high",
    "simultaneous_low": "low\n(all pairs)",
    "simultaneous_high": "high\n(all pairs)",
} | {f"{fate}_{side}": side for fate in ("luck", "hidden", "haste", "won", "unknown") for side in ("low", "high")}


@app.command("failures", epilog="Example: ringsim report failures runs/first --out failures.csv")
def failures_command(
    runs: Runs,
    format: Format = None,
    out: Out = None,
    force: Force = False,
    confidence: Confidence = 0.95,
) -> None:
    """Say how often each character's goal is not met, and how early it is lost."""
    import reports

    read = _open(runs, format, out, force, confidence)
    frame = reports.failures(read.goal_cells, rounds=read.round_cells, confidence=confidence)
    write_report(
        read.runs,
        frame,
        format,
        out,
        force,
        title=f"Goals not met, with {100 * confidence:g} % Wilson intervals",
        titles={"rate": "not met"},
        hide=[] if frame["undecided"].sum() else ["undecided"],
    )


@app.command("lost-card", epilog="Example: ringsim report lost-card runs/first --confidence 0.99")
def lost_card_command(
    runs: Runs,
    format: Format = None,
    out: Out = None,
    force: Force = False,
    confidence: Confidence = 0.95,
) -> None:
    """Say what each lost card does to the chance to win, against all other deals."""
    import reports

    read = _open(runs, format, out, force, confidence)
    frame = reports.lost_card(read.round_cells, confidence=confidence)
    significant = f"* where p (Benjamini-Hochberg) <= {1 - confidence:.4g}"
    write_report(
        read.runs,
        frame,
        format,
        out,
        force,
        title=f"Deals won by lost card, with {100 * confidence:g} % intervals; differences in points",
        titles={"rate": "won\nof deals"},
        hide=["test", "p_value"],
        appendix=[(f"{grid.title}: difference in points, {significant}", grid.table) for grid in reports.lost_card_grids(frame)],
    )


@app.command("balance", epilog="Example: ringsim report balance runs/first runs/second --format md")
def balance_command(
    runs: Runs,
    format: Format = None,
    out: Out = None,
    force: Force = False,
    confidence: Confidence = 0.95,
    gaps: Annotated[bool, typer.Option("--gaps", help="Only the gaps between player counts (table and md show both).")] = False,
) -> None:
    """Say how many deals are won in each chapter, and how that differs between player counts."""
    import reports

    read = _open(runs, format, out, force, confidence)
    frame = reports.balance(read.round_cells, confidence=confidence)
    between = reports.player_gaps(frame, confidence=confidence)
    gap_title = f"Gaps between player counts in points, with {100 * confidence:g} % Newcombe intervals"
    if gaps:
        write_report(read.runs, between, format, out, force, title=gap_title, titles={})
        return
    write_report(
        read.runs,
        frame,
        format,
        out,
        force,
        title=f"Deals won, with {100 * confidence:g} % Wilson intervals",
        titles={"rate": "won\nof deals"},
        appendix=[] if between.is_empty() else [(gap_title, between)],
    )


@app.command("luck", epilog="Example: ringsim report luck runs/first --fast team --strong search --open open")
def luck_command(
    runs: Runs,
    format: Format = None,
    out: Out = None,
    force: Force = False,
    confidence: Confidence = 0.95,
    fast: Annotated[str, typer.Option("--fast", metavar="POLICY", help="Plays as people do.")] = "team",
    strong: Annotated[str, typer.Option("--strong", metavar="POLICY", help="Plays as well as closed hands allow.")] = "search",
    open_: Annotated[str, typer.Option("--open", metavar="POLICY", help="Plays with open hands.")] = "open",
) -> None:
    """Say what lost deals are lost to (luck, hidden information, haste), from three policies on the same deals."""
    import reports
    from reports.luck import unplayed

    read = _open(runs, format, out, force, confidence)
    frame = reports.luck(read, fast=fast, strong=strong, open=open_, confidence=confidence)
    all_same = all((frame[f"{role}_deals"] == frame["deals"]).all() for role in ("fast", "strong", "open"))
    write_report(
        read.runs,
        frame,
        format,
        out,
        force,
        title=f"What deals come to, with {100 * confidence:g} % Wilson intervals",
        titles={f"{role}_deals": f"deals of\n{name}" for role, name in (("fast", fast), ("strong", strong), ("open", open_))}
        | {"contradicted": f"won, though\n{open_} says lost"},
        notes=[
            f"luck: {open_} loses too | hidden: of the three only {open_} wins | haste: {strong} wins, {fast} does not | "
            f"won: {fast} wins | unknown: {fast} and {strong} lose, {open_} has no verdict",
            f"counted are the deals that {fast}, {strong} and {open_} all played; {open_} plays after its own setup",
            *(f"left out: {line}" for line in unplayed(read, [fast, strong, open_])),
        ],
        hide=[
            *("fast", "strong", "open"),
            *(["fast_deals", "strong_deals", "open_deals"] if all_same else []),
            *([] if frame["contradicted"].sum() else ["contradicted"]),
        ],
    )


def check_options(format: str | None, out: Path | None, force: bool, confidence: float) -> None:
    """Refuse wrong options before a run is opened; raises UserError."""
    from reports.intervals import check_confidence
    from reports.output import check_target, choose_format

    check_confidence(confidence)
    check_target(choose_format(format, out), out, force=force)


def write_report(
    runs: Sequence[Run],
    frame: pl.DataFrame,
    format: str | None,
    out: Path | None,
    force: bool,
    *,
    title: str,
    titles: dict[str, str],
    notes: Sequence[str] = (),
    hide: Sequence[str] = (),
    appendix: Sequence[tuple[str, pl.DataFrame]] = (),
) -> None:
    """Write a report with the heading of its runs, then `notes`; raises UserError as `reports.write` does."""
    from reports.output import choose_format, heading, write

    write(
        frame,
        choose_format(format, out),
        out,
        title=title,
        notes=[*heading(runs, defaults=assumption_defaults()), *notes],
        titles=TITLES | titles,
        hide=hide,
        appendix=appendix,
        force=force,
    )


def assumption_defaults() -> dict[str, str]:
    """Return the default option of every assumption of every book."""
    from scenarios import chapters, load_assumptions

    books = {path.parent.parent.name for path in chapters().values()}
    return {name: known.default for book in sorted(books) for name, known in load_assumptions(book).items()}


def _open(runs: list[Path], format: str | None, out: Path | None, force: bool, confidence: float) -> Pool:
    check_options(format, out, force, confidence)
    from reports import open_run, pool

    return pool([open_run(run) for run in runs])
