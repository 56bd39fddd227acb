"""`ringsim report`: what the deals of one run, or of several, say."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reports.dataset import Pool, Run
    from reports.sheets import Sheet

app = typer.Typer(
    no_args_is_help=True,
    help="Report on runs: failures, lost-card, balance, luck, characters, threats, seats, tricks, when, events, attempts, "
    "effects, campaign, or all; on chapters: assumptions.",
)

Runs = Annotated[
    list[Path],
    typer.Argument(metavar="RUN...", help="Folders of runs; several (shards, or other seeds) are read as one."),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="table, csv, parquet, json, md, html, png or svg. Default: what the suffix of --out says, else table.",
        show_default=False,
    ),
]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Write there, not to stdout.", show_default=False)]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]


def _level(text: str | float) -> float:
    """Return a level of confidence: as a share, or in percent with its sign; whether it is in range is asked with the report."""
    if isinstance(text, float):
        return text
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        from scenarios.errors import UserError

        raise UserError(f"--confidence {text}: must be a share from 0.5 to 0.9999") from None


Confidence = Annotated[float, typer.Option(metavar="SHARE", parser=_level, help="Level of the intervals, 0.5 to 0.9999.")]


@dataclass(frozen=True)
class Wanted:
    """What all reports are asked with."""

    runs: Runs
    format: Format = None
    out: Out = None
    force: Force = False
    confidence: Confidence = 0.95

    def read(self) -> Pool:
        """Open the runs."""
        from reports import open_run, pool

        return pool([open_run(run) for run in self.runs])


def report(name: str, example: str) -> Callable[[Callable[..., Sheet]], Callable[..., None]]:
    """Make a sub-command of a function that takes `Wanted` and options of its own, and returns the report."""

    def decorate(make: Callable[..., Sheet]) -> Callable[..., None]:
        def command(wanted: Wanted, **own: Any) -> None:
            check_options(wanted.format, wanted.out, wanted.force, wanted.confidence)
            read = wanted.read()
            write_report(read.runs, make(wanted, read, **own), wanted.format, wanted.out, wanted.force, wanted.confidence)

        return app.command(name, epilog=f"Example: ringsim report {example}", help=make.__doc__)(_with_shared(command, make))

    return decorate


def _with_shared(command: Callable[..., None], make: Callable[..., Any]) -> Callable[..., None]:
    """Return `command` with the options of `Wanted`, then those of `make` beyond its first two, as Typer is to see them."""
    shared = _parameters(Wanted)
    own = _parameters(make)[2:]

    def called(**given: Any) -> None:
        wanted = Wanted(**{parameter.name: given.pop(parameter.name) for parameter in shared})
        command(wanted, **given)

    called.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in (*shared, *own)}
    return called


def _parameters(of: Callable[..., Any]) -> list[inspect.Parameter]:
    hints = {name: hint for name, hint in vars(inspect.getmodule(of)).items() if not name.startswith("__")}
    resolved = get_type_hints(of, {**hints, "Pool": Any, "Sheet": Any, "Wanted": Any}, include_extras=True)
    return [
        parameter.replace(annotation=resolved[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in inspect.signature(of).parameters.values()
    ]


@report("failures", "failures runs/first --out failures.csv")
def failures(
    wanted: Wanted,
    read: Pool,
    first: Annotated[bool, typer.Option("--first", help="Only whose goal of the round was lost first.")] = False,
) -> Sheet:
    """Say how often each character's goal is not met, and how early it is lost."""
    from reports import sheets

    return (sheets.first_losses_sheet if first else sheets.failures_sheet)(read, wanted.confidence)


@report("lost-card", "lost-card runs/first --confidence 0.99")
def lost_card(wanted: Wanted, read: Pool) -> Sheet:
    """Say what each lost card does to the chance to win, against all other deals."""
    from reports import sheets

    return sheets.lost_card_sheet(read, wanted.confidence)


@report("balance", "balance runs/first runs/second --format md")
def balance(
    wanted: Wanted,
    read: Pool,
    gaps: Annotated[bool, typer.Option("--gaps", help="Only the gaps between player counts (table and md show both).")] = False,
    bound: Annotated[bool, typer.Option("--bound", help="Only the bound of open hands (needs the policy open).")] = False,
) -> Sheet:
    """Say how many deals are won in each chapter, and how that differs between player counts."""
    from reports import sheets
    from scenarios.errors import UserError

    if gaps and bound:
        raise UserError("--gaps and --bound are two tables: choose one")
    make = sheets.gaps_sheet if gaps else sheets.bound_sheet if bound else sheets.balance_sheet
    return make(read, wanted.confidence)


@app.command("results", epilog="Example: ringsim report results runs/first --policy team --format md")
def results(
    runs: Runs,
    policy: Annotated[
        str | None,
        typer.Option("--policy", help="Only this policy, with a column per number of players.", show_default=False),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Put the table, as md, between the lines <!-- results --> and <!-- /results --> of this page.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="md, table, csv, parquet, json or html. Default: what the suffix of --out says, else md.",
            show_default=False,
        ),
    ] = None,
    out: Out = None,
    force: Force = False,
    confidence: Confidence = 0.95,
) -> None:
    """Set win rates side by side: a row per chapter and number of players, a column per policy."""
    import sys

    import reports
    from reports import results as tables
    from reports.output import deliver
    from reports.sheets import Sheet, chapter_titles
    from scenarios.errors import UserError

    check_options(format, out, force, confidence)
    if into is not None and (format, out) != (None, None):
        raise UserError("--into: puts Markdown into a page; leave out --format and --out")
    found = Wanted(runs).read()
    rates = reports.balance(found.round_cells, confidence=confidence, chapters=found.chapters)
    names, long = chapter_titles(found.runs), tables.long_chapters(found.round_cells)
    if policy is not None:
        table = tables.results_of(rates, policy, names=names, long=long)
    else:
        table = tables.results(rates, names=names, long=long)
    shape = "md" if format is None and out is None else format
    if shape == "md" or (format is None and out is not None and out.suffix.lower() == ".md"):
        text = tables.markdown(table, tables.made_by(found.runs, confidence, long, ["ringsim", *sys.argv[1:]]))
        if into is None:
            deliver(f"{text}\n".encode(), out)
        else:
            tables.insert(into, "results", text)
            print(into)
        return
    title = f"Percent of deals won, with {100 * confidence:g} % Wilson intervals"
    write_report(found.runs, Sheet("results", title, table, titles=tables.TITLES), shape, out, force, confidence)


@report("luck", "luck runs/first --fast team --strong search --open open")
def luck(
    wanted: Wanted,
    read: Pool,
    fast: Annotated[str, typer.Option("--fast", metavar="POLICY", help="Plays as people do.")] = "team",
    strong: Annotated[str, typer.Option("--strong", metavar="POLICY", help="Plays as well as closed hands allow.")] = "search",
    open: Annotated[str, typer.Option("--open", metavar="POLICY", help="Plays with open hands.")] = "open",
) -> Sheet:
    """Say what lost deals are lost to (luck, hidden information, haste), from three policies on the same deals."""
    from reports import sheets

    return sheets.luck_sheet(read, wanted.confidence, fast=fast, strong=strong, open=open)


@report("characters", "characters runs/first")
def characters(wanted: Wanted, read: Pool) -> Sheet:
    """Say who is chosen how often, and how rounds with and without each character go."""
    from reports import sheets

    return sheets.characters_sheet(read, wanted.confidence)


@report("threats", "threats runs/first --out threats.svg")
def threats(wanted: Wanted, read: Pool) -> Sheet:
    """Say how often goals are not met under each threat."""
    from reports import sheets

    return sheets.threats_sheet(read, wanted.confidence)


@report("seats", "seats runs/first")
def seats(wanted: Wanted, read: Pool) -> Sheet:
    """Say what is missed by seat and order of choice, and lost by who leads first."""
    from reports import sheets

    return sheets.seats_sheet(read, wanted.confidence)


@report("tricks", "tricks runs/first")
def tricks(wanted: Wanted, read: Pool) -> Sheet:
    """Say how many tricks each character wins, and how its goal fares with so many."""
    from reports import sheets

    return sheets.tricks_sheet(read, wanted.confidence)


@report("when", "when runs/first --out when.png")
def when(wanted: Wanted, read: Pool) -> Sheet:
    """Say after which trick goals are lost for good."""
    from reports import sheets

    return sheets.when_sheet(read, wanted.confidence)


@report("events", "events runs/first")
def events(wanted: Wanted, read: Pool) -> Sheet:
    """Say how rounds go, by number of the round and by event."""
    from reports import sheets

    return sheets.events_sheet(read, wanted.confidence)


@report("attempts", "attempts runs/first --ends")
def attempts(
    wanted: Wanted,
    read: Pool,
    progress: Annotated[bool, typer.Option("--progress", help="Only the distributions: won by attempt, by round.")] = False,
    ends: Annotated[bool, typer.Option("--ends", help="Only where attempts are lost (table and md show it too).")] = False,
) -> Sheet:
    """Say how many attempts and rounds it takes to win, and where attempts are lost."""
    from reports import sheets
    from scenarios.errors import UserError

    if progress and ends:
        raise UserError("--progress and --ends are two tables: choose one")
    make = sheets.progress_sheet if progress else sheets.ends_sheet if ends else sheets.attempts_sheet
    return make(read, wanted.confidence)


@report("campaign", "campaign runs/book")
def campaign(wanted: Wanted, read: Pool) -> Sheet:
    """Say how many attempts and rounds a whole book takes (a run of its chapters with --retry; see ringsim campaign)."""
    from reports import sheets

    return sheets.campaign_sheet(read, wanted.confidence)


@report("effects", "effects runs/first --out effects.html")
def effects(
    wanted: Wanted,
    read: Pool,
    models: Annotated[bool, typer.Option("--models", help="Only what each model is made of and explains.")] = False,
    calibration: Annotated[bool, typer.Option("--calibration", help="Only the calibration (table and md show all).")] = False,
) -> Sheet:
    """Say what goes with winning, all things together: a logistic model of lost card, threats, characters and first seat."""
    from reports import sheets
    from scenarios.errors import UserError

    if models and calibration:
        raise UserError("--models and --calibration are two tables: choose one")
    return sheets.effects_sheet(read, wanted.confidence, only="models" if models else "calibration" if calibration else "")


@app.command("all", epilog="Example: ringsim report all runs/first --out report.html")
def all_reports(
    runs: Runs,
    format: Format = None,
    out: Annotated[
        Path | None, typer.Option(metavar="PATH", help="File, or folder for csv, parquet, png, svg.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file, or files in a folder.")] = False,
    confidence: Confidence = 0.95,
) -> None:
    """Write all reports: one HTML page, one text, or a folder with a file for each."""
    from reports.intervals import check_confidence
    from reports.output import FOLDERS, check_folder, check_target, choose_format, write_all
    from reports.sheets import every_sheet

    check_confidence(confidence)
    format = choose_format(format, out)
    (check_folder if format in FOLDERS else check_target)(format, out, force=force)
    read = Wanted(runs).read()
    sheets = every_sheet(read, confidence)
    write_all(sheets, read.runs, format, out, confidence=confidence, defaults=assumption_defaults(), force=force)


def check_options(format: str | None, out: Path | None, force: bool, confidence: float) -> None:
    """Refuse wrong options before a run is opened; raises UserError."""
    from reports.intervals import check_confidence
    from reports.output import check_target, choose_format

    check_confidence(confidence)
    check_target(choose_format(format, out), out, force=force)


def write_report(runs: Sequence[Run], sheet: Sheet, format: str | None, out: Path | None, force: bool, confidence: float) -> None:
    """Write a report with the heading of its runs; raises UserError as `reports.output.write_sheet` does."""
    from reports.output import choose_format, write_sheet

    chosen = choose_format(format, out)
    write_sheet(sheet, runs, chosen, out, confidence=confidence, defaults=assumption_defaults(), force=force)


def assumption_defaults() -> dict[str, str]:
    """Return the default option of every assumption of every book."""
    from scenarios import library, load_assumptions

    books = {path.parent.parent.name for path in library().values()}
    return {name: known.default for book in sorted(books) for name, known in load_assumptions(book).items()}
