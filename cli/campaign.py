"""``ringsim campaign``: all chapters of the book in a row, each repeated until it is won."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from cli.options import (
    DEFAULT_POLICY,
    Assume,
    Attempts,
    Inference,
    Playouts,
    Policy,
    Quiet,
    Seed,
    Workers,
    check_for_search,
    parse_assume,
    parse_choice,
    parse_names,
)
from cli.report import Confidence, Force, Format, Out, check_options, write_report
from sim.core.numbers import parse_count, parse_players
from sim.core.seed import parse_seed

EPILOG = "Example: ringsim campaign --players 3 --deals 1000 --seed 7 --out campaign.csv"
DEFAULT_CAMPAIGNS = "1_000"


def campaign(
    players: Annotated[str, typer.Option("--players", help="Numbers of people, such as 3 or 1,2,3,4 or 2-4.")],
    deals: Annotated[
        str | None, typer.Option("--deals", help="Campaigns, each of one deal of every chapter.", show_default=DEFAULT_CAMPAIGNS)
    ] = None,
    policy: Policy = None,
    retry: Annotated[
        str, typer.Option("--retry", help="After a lost attempt: fresh, all over again; keep, with what was completed.")
    ] = "keep",
    attempts: Attempts = None,
    seed: Seed = None,
    assume: Assume = None,
    playouts: Playouts = None,
    inference: Inference = None,
    workers: Workers = None,
    run: Annotated[
        Path | None,
        typer.Option("--run", metavar="FOLDER", help="Keep the rounds there, as ringsim run does.", show_default=False),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Complete the rounds in --run.")] = False,
    format: Format = None,
    out: Out = None,
    force: Force = False,
    confidence: Confidence = 0.95,
    quiet: Quiet = False,
) -> None:
    """Say how many rounds and attempts a group needs for the whole book, chapter by chapter and in sum."""
    _campaign(
        players, deals, policy, retry, attempts, seed, assume or [], playouts, inference, workers, run, resume, format, out,
        force, confidence, quiet,
    )  # fmt: skip


def _campaign(
    players: str,
    deals: str | None,
    policy: str | None,
    retry: str,
    attempts: str | None,
    seed: str | None,
    assume: list[str],
    playouts: str | None,
    inference: str | None,
    workers: str | None,
    run: Path | None,
    resume: bool,
    format: str | None,
    out: Path | None,
    force: bool,
    confidence: float,
    quiet: bool,
) -> None:
    from scenarios.errors import UserError

    check_options(format, out, force, confidence)
    again = parse_choice(retry, "--retry", ("fresh", "keep"))
    most = parse_count(attempts, "--attempts") if attempts is not None else 0
    numbers, policies = parse_players(players), parse_names(policy or DEFAULT_POLICY, "--policy")
    count = parse_count(deals or DEFAULT_CAMPAIGNS, "--deals")
    number = parse_count(workers, "--workers") if workers is not None else None
    sampled = parse_count(playouts, "--playouts") if playouts is not None else 0
    weighed = parse_choice(inference, "--inference", ("on", "off")) if inference is not None else ""
    check_for_search(playouts, inference, policies)
    if resume and run is None:
        raise UserError("--resume: needs --run with the folder of the rounds")
    if resume and seed is None:
        raise UserError("--resume: needs the --seed that the rounds were started with")
    the_seed, chosen = parse_seed(seed), parse_assume(assume)

    import scenarios
    from reports import open_run, pool
    from reports.sheets import campaign_sheet
    from sim.core.manifest import Request
    from sim.core.random import DEAL_FORMAT
    from sim.core.runs import RunSpec, default_chunk, execute
    from sim.tricks.library import build_cells

    chapters = list(scenarios.chapters())
    cells = build_cells(chapters, numbers, policies, chosen, sampled, weighed, again, most)
    spec = RunSpec(seed=the_seed, deals=count, chunk=default_chunk(cells), cells=cells, deal_format=DEAL_FORMAT)
    asked = Request(
        chapters=chapters, players=numbers, policies=policies, assume=chosen, playouts=sampled, inference=weighed, retry=again,
        attempts=most,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="ringsim-campaign-") as scratch:
        folder = run if run is not None else Path(scratch) / "run"
        command = ["ringsim", *sys.argv[1:]]
        try:
            execute(spec, folder, resume=resume, workers=number, quiet=quiet, command=command, request=asked)
        except KeyboardInterrupt as stopped:
            if run is None:
                word = str(stopped).partition(":")[0] or "interrupted"
                stopped.args = (f"{word}; nothing is kept: with --run FOLDER finished rounds are, and --resume completes them",)
            raise
        read = pool([open_run(folder)])
        write_report(read.runs, campaign_sheet(read, confidence, chapters), format, out, force, confidence)
