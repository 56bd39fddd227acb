"""``ringsim run``: play chapters, player counts and policies into a folder."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from cli.options import (
    DEFAULT_DEALS,
    DEFAULT_PLAYERS,
    DEFAULT_POLICY,
    Assume,
    Attempts,
    Chapters,
    Deals,
    Inference,
    Out,
    Players,
    Playouts,
    Policy,
    Quiet,
    Retry,
    Seed,
    Tries,
    Where,
    Workers,
    check_for_search,
    join_conditions,
    parse_assume,
    parse_choice,
    parse_names,
)
from scenarios.errors import UserError
from sim.core.numbers import COUNT_LIMIT, parse_count, parse_players, parse_shard, parse_share, parse_span, wilson_interval
from sim.core.seed import parse_seed, seed_hex

if TYPE_CHECKING:
    from sim.core.manifest import CellRecord, Manifest, Request
    from sim.core.precision import Precision
    from sim.core.runs import RunSpec

EPILOG = "Example: ringsim run 1-4 --players 3,4 --policy script --deals 1_000_000 --seed 7 --out runs/first"


def run(
    chapters: Chapters = None,
    players: Players = None,
    policy: Policy = None,
    deals: Deals = None,
    seed: Seed = None,
    assume: Assume = None,
    playouts: Playouts = None,
    inference: Inference = None,
    retry: Retry = None,
    attempts: Attempts = None,
    where: Where = None,
    tries: Tries = None,
    out: Out = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Complete the run in --out; what is not given is taken from it.")
    ] = False,
    workers: Workers = None,
    until_halfwidth: Annotated[
        str | None,
        typer.Option(
            "--until-halfwidth",
            metavar="SHARE",
            help="Play each cell until its win rate is known to so much, such as 0.1%; --deals is then the most.",
            show_default=False,
        ),
    ] = None,
    chunk: Annotated[
        str | None,
        typer.Option("--chunk", help="Deals per part.", show_default="50_000, less for slow policies"),
    ] = None,
    stop: Annotated[
        str | None,
        typer.Option("--stop", help="Play rounds out (full) or end them once decided (early).", show_default="full"),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option("--shard", help="Play share i of n, for job arrays: 1/4.", show_default=False),
    ] = None,
    executor: Annotated[str, typer.Option("--executor", help="local or dask.")] = "local",
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", help="Address of the Dask scheduler.", show_default=False)
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Play chapters x players x policies and write every round to a folder of Parquet parts."""
    _run(
        chapters or [], players, policy, deals, seed, assume or [], playouts, inference, retry, attempts, where or [], tries,
        out, resume, workers, until_halfwidth, chunk, stop, shard, executor, scheduler, quiet,
    )  # fmt: skip


def _run(
    chapters: list[str],
    players: str | None,
    policy: str | None,
    deals: str | None,
    seed: str | None,
    assume: list[str],
    playouts: str | None,
    inference: str | None,
    retry: str | None,
    attempts: str | None,
    where: list[str],
    tries: str | None,
    out: Path | None,
    resume: bool,
    workers: str | None,
    until_halfwidth: str | None,
    chunk: str | None,
    stop: str | None,
    shard: str | None,
    executor: str,
    scheduler: str | None,
    quiet: bool,
) -> None:
    # Every text is read before anything heavy is imported: a typing error is answered at once.
    place = parse_choice(executor, "--executor", ("local", "dask"))
    number = parse_count(workers, "--workers") if workers is not None else None
    if scheduler is not None and place != "dask":
        raise UserError("--scheduler: needs --executor dask")
    earlier = _recorded(out, shard) if resume else None
    sampled = parse_count(playouts, "--playouts") if playouts is not None else 0
    weighed = parse_choice(inference, "--inference", ("on", "off")) if inference is not None else ""
    again = parse_choice(retry, "--retry", ("none", "fresh", "keep")) if retry is not None else ""
    again_at_most = parse_count(attempts, "--attempts") if attempts is not None else 0
    at_most = parse_count(tries, "--tries") if tries is not None else 0
    asked = _request(chapters, players, policy, assume, sampled, weighed, again, again_at_most, where, at_most, earlier)
    check_for_search(playouts, inference, asked.policies)
    before = earlier.seed if earlier else None
    the_seed = parse_seed(before if seed is None else seed)
    wanted = _wanted_halfwidth(until_halfwidth, earlier)
    given = deals or (earlier.deals if earlier else None if wanted else DEFAULT_DEALS)
    most = parse_count(given, "--deals") if given is not None else None
    the_chunk = parse_count(chunk, "--chunk") if chunk is not None else earlier.chunk if earlier else None
    the_stop = parse_choice(stop or (earlier.stop if earlier else "full"), "--stop", ("full", "early"))
    share = shard or (earlier.shard if earlier and "," not in (earlier.shard or "") else None)
    the_shard = parse_shard(share) if share else None
    folder = out or Path("runs") / f"{_folder_name(chapters)}-{seed_hex(the_seed)}"

    from sim.core.precision import fair_chunk, plan
    from sim.core.random import DEAL_FORMAT
    from sim.core.runs import RunSpec, default_chunk, execute
    from sim.tricks.library import build_cells
    from sim.tricks.where import asked_for

    cells = build_cells(
        asked.chapters, asked.players, asked.policies, asked.assume, asked.playouts, asked.inference, asked.retry or "none",
        asked.attempts, asked_for(asked.where, asked.tries),
    )  # fmt: skip
    parts = the_chunk or min(default_chunk(cells), fair_chunk(wanted) if wanted else COUNT_LIMIT)
    rule = plan(wanted, chunk=parts, cap=most) if wanted else None
    spec = RunSpec(
        seed=the_seed,
        deals=rule.most if rule else cast(int, most),
        precision=rule,
        chunk=parts,
        stop=cast(Literal["full", "early"], the_stop),
        shard=the_shard,
        cells=cells,
        deal_format=DEAL_FORMAT,
    )
    the_headline = _headline(spec, folder) if not quiet or out is None else ""
    result = execute(
        spec,
        folder,
        resume=resume,
        workers=number,
        executor=cast(Literal["local", "dask"], place),
        scheduler=scheduler,
        quiet=quiet,
        command=["ringsim", *sys.argv[1:]],
        request=asked,
        headline=the_headline,
    )
    _print_table(result.manifest.cells)
    if not quiet:
        if rule is not None:
            _print_unreached(result.manifest.cells, rule)
        if result.played:
            pace = result.played / max(result.seconds, 1e-9)
            print(f"{result.played:_} deals in {result.seconds:.1f} s ({pace:_.0f} deals/s)", file=sys.stderr)
        print(f"{folder}; next: ringsim report failures {shlex.quote(str(folder))}", file=sys.stderr)


def _wanted_halfwidth(text: str | None, earlier: Manifest | None) -> float | None:
    from sim.core.precision import check_halfwidth

    if text is not None:
        return check_halfwidth(parse_share(text, "--until-halfwidth"))
    return earlier.precision.halfwidth if earlier and earlier.precision else None


def _print_unreached(cells: list[CellRecord], rule: Precision) -> None:
    """Say on stderr which cells stayed short of the wanted half-width."""
    for cell in cells:
        if cell.halfwidth is not None and cell.halfwidth > rule.halfwidth:
            reached = f"\N{PLUS-MINUS SIGN}{100 * cell.halfwidth:.3g}%"
            end = " (the most allowed by --deals)" if cell.deals_done == rule.most else ""
            print(
                f"chapter {cell.chapter}, {cell.players} players, {cell.policy}: known to {reached}, "
                f"not \N{PLUS-MINUS SIGN}{100 * rule.halfwidth:g}%, after {cell.deals_done:_} deals{end}",
                file=sys.stderr,
            )


def _recorded(out: Path | None, shard: str | None) -> Manifest:
    """Return the manifest of the run to be resumed."""
    from sim.core.manifest import MANIFEST_NAME, read_manifest, shard_manifest_path

    if out is None:
        raise UserError("--resume: needs --out with the folder of the run")
    path = out / MANIFEST_NAME
    if shard is not None:
        parse_shard(shard)
        own = shard_manifest_path(out, shard)
        path = own if own.is_file() else path
    if not path.is_file():
        raise UserError(f"--resume: there is no run in {out}")
    return read_manifest(path)


def _request(
    chapters: list[str],
    players: str | None,
    policy: str | None,
    assume: list[str],
    playouts: int,
    inference: str,
    retry: str,
    attempts: int,
    where: list[str],
    tries: int,
    earlier: Manifest | None,
) -> Request:
    """Return what is asked for; what is not given comes from the run to be resumed."""
    from sim.core.manifest import Request

    recorded = earlier.request if earlier else None
    condition = join_conditions(where) or (recorded.where if recorded else "")
    if tries and not condition:
        raise UserError(f"--tries {tries}: needs --where with a condition")
    if earlier is not None and recorded is None and not chapters:
        raise UserError("--resume: the run was not started by this command; name its chapters, players and policies")
    if recorded is None and not chapters:
        raise UserError("which chapters? Write numbers (1-4 or 1,3) or the name of a scenario file")
    return Request(
        chapters=_chapters(chapters) if chapters or recorded is None else recorded.chapters,
        players=parse_players(players or DEFAULT_PLAYERS) if players or recorded is None else recorded.players,
        policies=parse_names(policy or DEFAULT_POLICY, "--policy") if policy or recorded is None else recorded.policies,
        assume=parse_assume(assume) if assume or recorded is None else recorded.assume,
        playouts=playouts or (recorded.playouts if recorded else 0),
        inference=inference or (recorded.inference if recorded else ""),
        retry=retry or (recorded.retry if recorded else ""),
        attempts=attempts or (recorded.attempts if recorded else 0),
        where=condition,
        tries=tries or (recorded.tries if recorded else 0),
    )


def _chapters(texts: list[str]) -> list[str]:
    chapters = [chapter for text in texts for chapter in parse_span(text)]
    # A file is recorded by its full path, so that the run can be resumed from anywhere.
    paths = {chapter: Path(chapter) for chapter in chapters}
    return [str(paths[chapter].resolve()) if paths[chapter].is_file() else chapter for chapter in paths]


def _folder_name(texts: list[str]) -> str:
    return "+".join(Path(text.strip()).stem if text.endswith(".toml") else text.strip() for text in texts)


def _headline(spec: RunSpec, folder: Path) -> str:
    cells = f"{len(spec.cells)} cell{'s' if len(spec.cells) > 1 else ''}"
    deals = f" of {spec.deals:_} deals"
    if spec.precision is not None:
        deals = f" until \N{PLUS-MINUS SIGN}{100 * spec.precision.halfwidth:g}%, at most {spec.deals:_} deals each"
    return f"{folder}: {cells}{deals}, seed {seed_hex(spec.seed)}"


def _print_table(cells: list[CellRecord]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    asked = any(cell.where for cell in cells)
    # Of the deals tried how many fit, and, with what was dealt outright, of all deals.
    more = ("accepted", "of all") if asked else ()
    for heading in ("chapter", "players", "policy", "deals", "won", "rate", "low", "high", *more):
        table.add_column(heading, justify="left" if heading in ("chapter", "policy") else "right", no_wrap=True)
    for cell in cells:
        low, high = wilson_interval(cell.won, cell.deals_done)
        rate = f"{cell.won / cell.deals_done:.2%}" if cell.deals_done else ""
        counts = (f"{cell.deals_done:_}", f"{cell.won:_}", rate, f"{low:.2%}", f"{high:.2%}")
        accepted = cell.dealt / cell.tried if cell.tried else None
        shares = (accepted, accepted * cell.chance if accepted is not None and cell.chance is not None else None) if asked else ()
        texts = ("" if share is None else f"{100 * share:.3g}%" for share in shares)
        table.add_row(cell.chapter, str(cell.players), cell.policy, *counts, *texts)
    # Names are no markup, and off a terminal nothing may be cut to 80 columns.
    width = None if sys.stdout.isatty() else 1000
    Console(markup=False, emoji=False, highlight=False, width=width).print(table)
