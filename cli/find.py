"""`ringsim find`: the deals of a run that went a certain way, each with the command that replays it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import parse_choice, parse_names
from cli.replaying import replay_command
from cli.report import Force, Format, Out, Runs, assumption_defaults, check_options, write_report
from scenarios.errors import UserError
from sim.core.numbers import parse_count, parse_index, parse_players, parse_span

if TYPE_CHECKING:
    import polars as pl

    from reports.dataset import Pool

EPILOG = "Example: ringsim find runs/first --lost-by pippin --after-trick 11 --limit 5"

TITLES = {
    "won_by": "won by\npolicies",
    "policies": "of",
    "goals_lost": "goals\nlost",
    "lost_after": "first lost\nafter trick",
    "first": "first lost",
    "lost": "lost\ncard",
}


def _verdict(policy: str, words: str = "won or lost") -> typer.models.OptionInfo:
    return typer.Option(f"--{policy}", metavar="VERDICT", help=f"What {policy} made of the deal: {words}.", show_default=False)


def find(
    runs: Runs,
    chapter: Annotated[
        str | None, typer.Option("--chapter", help="Only these chapters, such as 1-4 or my.", show_default=False)
    ] = None,
    players: Annotated[
        str | None, typer.Option("--players", help="Only these numbers of people, such as 3 or 3,4.", show_default=False)
    ] = None,
    policy: Annotated[
        str | None, typer.Option("--policy", help="Only rounds that these policies played.", show_default=False)
    ] = None,
    won: Annotated[bool, typer.Option("--won", help="Rounds that were won.")] = False,
    lost: Annotated[bool, typer.Option("--lost", help="Rounds that were lost.")] = False,
    lost_by: Annotated[
        str | None,
        typer.Option(
            "--lost-by", metavar="CHARACTER", help="Rounds in which this character's goal was not met.", show_default=False
        ),
    ] = None,
    after_trick: Annotated[
        str | None,
        typer.Option(
            "--after-trick",
            metavar="N",
            help="Its goal (without --lost-by: any) was lost for good after this trick, or these: 9-11.",
            show_default=False,
        ),
    ] = None,
    lost_card: Annotated[str | None, typer.Option("--lost-card", metavar="CARD", help="Such as H3.", show_default=False)] = None,
    character: Annotated[str | None, typer.Option("--character", help="Rounds with this character.", show_default=False)] = None,
    threat: Annotated[
        str | None,
        typer.Option("--threat", help="Threat of --character, else of --lost-by, else of anybody.", show_default=False),
    ] = None,
    random: Annotated[str | None, _verdict("random")] = None,
    script: Annotated[str | None, _verdict("script")] = None,
    team: Annotated[str | None, _verdict("team")] = None,
    search: Annotated[str | None, _verdict("search")] = None,
    open: Annotated[str | None, _verdict("open", "won, lost or unknown")] = None,
    limit: Annotated[str, typer.Option("--limit", metavar="N", help="List so many.")] = "20",
    format: Format = None,
    out: Out = None,
    force: Force = False,
) -> None:
    """List deals of a run that went a certain way, each with the command that replays it; the easiest come first.

    Easiest are the deals won by most of the policies that played them, then those with the fewest goals lost, then those
    lost latest. Verdicts of several policies (--open won --team lost) need runs in which all of them played the deals.
    """
    if won and lost:
        raise UserError("--won and --lost exclude each other")
    if lost_card is not None and not re.fullmatch(r"[A-Z][0-9]{1,2}", lost_card):
        raise UserError(f"--lost-card {lost_card}: must be a suit letter and a rank, such as H3")
    count = parse_count(limit, "--limit")
    named = {"random": random, "script": script, "team": team, "search": search, "open": open}
    verdicts = {
        name: parse_choice(text, f"--{name}", ("won", "lost", "unknown") if name == "open" else ("won", "lost"))
        for name, text in named.items()
        if text is not None
    }
    check_options(format, out, force, 0.95)

    import reports
    from reports.find import Wanted
    from reports.sheets import Sheet

    wanted = Wanted(
        chapters=tuple(parse_span(chapter)) if chapter is not None else (),
        players=tuple(parse_players(players)) if players is not None else (),
        policies=tuple(parse_names(policy, "--policy")) if policy is not None else (),
        won=True if won else False if lost else None,
        lost_by=lost_by,
        after=_tricks(after_trick) if after_trick is not None else None,
        character=character,
        threat=parse_count(threat, "--threat") if threat is not None else None,
        lost_card=lost_card,
        verdicts=verdicts,
    )
    read = reports.pool([reports.open_run(run) for run in runs])
    found, total = reports.find(read, wanted, limit=count)
    rounds = "1 round" if total == 1 else f"{total:_} rounds"
    shown = f", the {found.height:_} easiest of them here" if found.height < total else ""
    once = [name for name in ("attempt", "round") if not (found[name] > 1).any()]
    frame = _with_commands(read, found)
    sheet = Sheet(
        "find",
        "Deals that went this way, the easiest first",
        frame,
        titles=TITLES,
        notes=[f"{rounds} found{shown}"],
        hide=["seed", *once],
    )
    write_report(read.runs, sheet, format, out, force, 0.95)


def _tricks(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    low = parse_index(first, "--after-trick")
    high = parse_index(last, "--after-trick") if dash else low
    if low > high:
        raise UserError(f"--after-trick {text}: the range runs backwards; write {high}-{low}")
    return low, high


def _with_commands(read: Pool, found: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    defaults = assumption_defaults()
    texts = []
    names = ("chapter", "players", "policy", "seed", "deal", "attempt", "round")
    for chapter, players, policy, seed, deal, attempt, round_ in found.select(names).iter_rows():
        key = (chapter, players, policy)
        run = next(
            run
            for run in read.runs
            if run.manifest["seed"] == seed and any((c.chapter, c.players, c.policy) == key for c in run.round_cells)
        )
        place = "" if attempt == round_ == 1 else f" --attempt {attempt} --round {round_}"
        texts.append(f"{replay_command(run, key, defaults)} {deal}{place}")
    return found.with_columns(pl.Series("replay", texts, dtype=pl.String))
