"""``ringsim tune``: make the weights of the policy `team` from search."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from cli.options import Chapters, Players, Quiet, Seed, Workers
from scenarios.errors import UserError
from sim.core.messages import say

EPILOG = "Example: ringsim tune 12 --players 3,4 --foresight --out my-weights"
ITERATIONS = "3"


def tune(
    chapters: Chapters = None,
    players: Players = None,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="File of weights to write (.npz), with a record beside it (.json); or a folder, for weights of each kind of "
            "round and number of people, by practice alone.",
        ),
    ] = Path("team.npz"),
    iterations: Annotated[
        str | None,
        typer.Option("--iterations", help="Rounds of search, imitation and measuring; for a file.", show_default=ITERATIONS),
    ] = None,
    deals: Annotated[str, typer.Option("--deals", help="Deals of each chapter and player count that search plays.")] = "200",
    playouts: Annotated[str, typer.Option("--playouts", help="Worlds imagined for each decision.")] = "32",
    units: Annotated[str, typer.Option("--units", help="Hidden units of each net, at most 32.")] = "16",
    practice: Annotated[
        str, typer.Option("--practice", help="Steps of practice afterwards: team reinforces by itself what wins.")
    ] = "500",
    foresight: Annotated[
        bool,
        typer.Option(
            "--foresight/--no-foresight",
            help="Practise with what is seen in other hands, and who will want a trick: wins more, takes up to twice the time.",
        ),
    ] = False,
    test_deals: Annotated[str, typer.Option("--test-deals", help="Held-out deals of each cell.")] = "2_000",
    start: Annotated[
        Path | None,
        typer.Option(
            "--start", help="Weights to go on from: a file, or for a folder also a folder (default there: those that team has)."
        ),
    ] = None,
    seed: Seed = None,
    workers: Workers = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the files at --out.")] = False,
    quiet: Quiet = False,
) -> None:
    """Make weights for team, to be played as the policy team:PLACE.

    Into a folder: for each kind of round and number of people, by practice from those that team has. Into a file: one set for
    all, from nothing; search plays, its choices are imitated, search plays on with the new policy, and so on, then it practises.
    """
    from sim.core.numbers import parse_count, parse_index, parse_players, parse_span
    from sim.core.seed import parse_seed

    if not chapters:
        raise UserError("which chapters? Write numbers (1-4 or 1,3) or the name of a scenario file")
    labels = [label for text in chapters for label in parse_span(text)]
    numbers = parse_players(players or "1,2,3,4")
    each = out.suffix != ".npz"
    if each and iterations not in (None, "0"):
        raise UserError(f"--iterations {iterations}: is for a file (--out NAME.npz); a folder gets weights by practice alone")
    rounds = 0 if each else parse_index(iterations or ITERATIONS, "--iterations")
    lessons, steps = parse_count(deals, "--deals"), parse_index(practice, "--practice")
    worlds, held_out = parse_count(playouts, "--playouts"), parse_count(test_deals, "--test-deals")
    width = parse_count(units, "--units")
    if not rounds and start is None and not each:
        raise UserError("--iterations 0: needs weights to start from (--start)")
    if not rounds and not steps:
        raise UserError("--iterations 0 and --practice 0: nothing to do" if not each else "--practice 0: nothing to do")
    if width > 32:
        raise UserError(f"--units {units}: at most 32")
    if out.exists() and out.is_dir() != each:
        wrong = "is a file and no folder, and" if each else "is a folder, but"
        raise UserError(f"--out {out}: {wrong} {'must end in .npz' if each else 'a name in .npz is for a file'}")
    if each and out.suffix:
        raise UserError(f"--out {out}: must end in .npz, or name a folder")
    if out.is_file() and not force:
        raise UserError(f"--out {out}: exists; choose another name or use --force")
    if not out.parent.is_dir():
        raise UserError(f"--out {out}: the folder {out.parent} does not exist")
    if start is not None and not (start.is_file() or (each and start.is_dir())):
        raise UserError(f"--start {start}: there is no such file{' or folder' if each else ''}")
    drawn = parse_seed(seed) & ((1 << 62) - 1)
    # One thread: the matrices are small, and sums come out the same on machines with any number of cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import scenarios
    from sim.core.workers import usable_cpus
    from sim.tricks.batch import warm_up
    from sim.tricks.own_weights import read_weights
    from sim.tricks.plan import compile_plan, kinds_of
    from sim.tricks.policies.team import names_of
    from sim.tricks.tune import practise_each
    from sim.tricks.tune import tune as make

    loaded = [scenarios.load(label) for label in labels]
    cells = [(whole, number) for whole in loaded for number in numbers]
    for scenario, number in cells:
        if scenario.draw is not None:
            raise UserError(
                f"chapter {scenario.label}: its characters are drawn for each deal; ringsim new writes a pool to tune on"
            )
        compile_plan(scenario, number)
    if each:
        names = [names_of(kind, number)[0] for whole, number in cells for kind in kinds_of(whole)]
        there = next((name for name in names if (out / name).exists()), None)
        if there is not None and not force:
            raise UserError(f"--out {out}: has {there} already; choose another folder or use --force")
    if start is not None and start.is_file():
        read_weights(start, "--start")
    began = time.perf_counter()

    def tell(line: str) -> None:
        say(f"{time.perf_counter() - began:6.0f} s  {line}")

    warm_up()
    tell(f"seed {drawn}, {len(cells)} cells")
    count = parse_count(workers, "--workers") if workers else usable_cpus()
    if each:
        done = practise_each(
            cells, seed=drawn, steps=steps, test_deals=held_out, start=start, out=out, foresight=foresight, units=width,
            workers=count, say=tell,
        )  # fmt: skip
        better = sum(told["kept"] for told in done.values())
        print(f"{out}: weights for {len(done)} chapters and numbers of people; practice made {better} of them better")
        return
    record = make(
        cells, seed=drawn, deals=lessons, worlds=worlds, iterations=rounds, units=width, test_deals=held_out, out=out,
        workers=count, say=tell, start=str(start) if start else "", practice_steps=steps, foresight=foresight,
    )  # fmt: skip
    best = max([step["mean"] for step in record["iterations"]] + [record["practice"]["mean"]] * ("practice" in record))
    print(f"{out}: team wins {best:.1%} of held-out deals on average")
