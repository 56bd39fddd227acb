"""``ringsim campaign``: all chapters of the book in a row, each repeated until it is won."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from scenarios.errors import UserError
from sim.core.numbers import parse_count, parse_players
from sim.core.seed import parse_seed

if TYPE_CHECKING:
    from sim.core.manifest import Manifest

EPILOG = "Example: ringsim campaign --players 3 --deals 1000 --seed 7 --out campaign.csv"
DEFAULT_CAMPAIGNS = "1_000"
DEFAULT_RETRY = "keep"


def campaign(
    players: Annotated[
        str | None, typer.Option("--players", help="Numbers of people, such as 3 or 1,2,3,4 or 2-4.", show_default=False)
    ] = None,
    deals: Annotated[
        str | None, typer.Option("--deals", help="Campaigns, each of one deal of every chapter.", show_default=DEFAULT_CAMPAIGNS)
    ] = None,
    policy: Policy = None,
    retry: Annotated[
        str | None,
        typer.Option(
            "--retry", help="After a lost attempt: fresh, all over again; keep, with what was completed.", show_default="keep"
        ),
    ] = None,
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
    resume: Annotated[
        bool, typer.Option("--resume", help="Complete the rounds in --run; what is not given is taken from them.")
    ] = False,
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
    players: str | None,
    deals: str | None,
    policy: str | None,
    retry: str | None,
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
    check_options(format, out, force, confidence)
    if resume and run is None:
        raise UserError("--resume: needs --run with the folder of the rounds")
    earlier = _recorded(run) if resume and run is not None else None
    before = earlier.request if earlier is not None else None
    if players is None and before is None:
        raise UserError("--players: is missing, such as --players 3")
    again = parse_choice(retry or (before.retry if before else "") or DEFAULT_RETRY, "--retry", ("fresh", "keep"))
    most = parse_count(attempts, "--attempts") if attempts is not None else before.attempts if before else 0
    numbers = before.players if before is not None and players is None else parse_players(players or "")
    policies = parse_names(policy or DEFAULT_POLICY, "--policy") if policy is not None or before is None else before.policies
    count = parse_count(deals or (earlier.deals if earlier else DEFAULT_CAMPAIGNS), "--deals")
    number = parse_count(workers, "--workers") if workers is not None else None
    sampled = parse_count(playouts, "--playouts") if playouts is not None else before.playouts if before else 0
    weighed = (
        parse_choice(inference, "--inference", ("on", "off")) if inference is not None else before.inference if before else ""
    )
    the_seed = parse_seed(earlier.seed if earlier is not None and seed is None else seed)
    chosen = parse_assume(assume) if assume or before is None else before.assume
    check_for_search(playouts, inference, policies)

    import scenarios
    from reports import open_run, pool
    from reports.sheets import campaign_sheet
    from sim.core.manifest import Request
    from sim.core.random import DEAL_FORMAT
    from sim.core.runs import RunSpec, default_chunk, execute
    from sim.tricks.library import build_cells

    chapters = list(scenarios.chapters())
    cells = build_cells(chapters, numbers, policies, chosen, sampled, weighed, again, most)
    parts = earlier.chunk if earlier is not None else default_chunk(cells)
    spec = RunSpec(seed=the_seed, deals=count, chunk=parts, cells=cells, deal_format=DEAL_FORMAT)
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


def _recorded(folder: Path) -> Manifest:
    """Return the manifest of the rounds that are to be completed."""
    from sim.core.manifest import MANIFEST_NAME, read_manifest

    if not (folder / MANIFEST_NAME).is_file():
        raise UserError(f"--resume: there is no run in {folder}")
    found = read_manifest(folder / MANIFEST_NAME)
    if found.request is None or found.request.retry not in ("fresh", "keep"):
        raise UserError(f"--resume: the run in {folder} is no campaign's; complete it with ringsim run --resume --out {folder}")
    return found
