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

EPILOG = "Example: ringsim tune 1-4 --players 1,2,3,4 --iterations 3 --deals 200 --out my-team.npz"


def tune(
    chapters: Chapters = None,
    players: Players = None,
    out: Annotated[Path, typer.Option("--out", help="File of weights to write (.npz), with a record beside it (.json).")] = Path(
        "team.npz"
    ),
    iterations: Annotated[str, typer.Option("--iterations", help="Rounds of search, imitation and measuring.")] = "3",
    deals: Annotated[str, typer.Option("--deals", help="Deals of each chapter and player count that search plays.")] = "200",
    playouts: Annotated[str, typer.Option("--playouts", help="Worlds imagined for each decision.")] = "32",
    units: Annotated[str, typer.Option("--units", help="Hidden units of each net, at most 32.")] = "16",
    practice: Annotated[
        str, typer.Option("--practice", help="Steps of practice afterwards: team reinforces by itself what wins.")
    ] = "500",
    test_deals: Annotated[str, typer.Option("--test-deals", help="Held-out deals of each cell.")] = "2_000",
    start: Annotated[Path | None, typer.Option("--start", help="Weights to go on from, instead of the policy script.")] = None,
    seed: Seed = None,
    workers: Workers = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the files at --out.")] = False,
    quiet: Quiet = False,
) -> None:
    """Let search play, imitate its choices, let it play on with the new policy, and so on; keep the best by held-out deals."""
    from sim.core.numbers import parse_count, parse_index, parse_players, parse_span
    from sim.core.seed import parse_seed

    if not chapters:
        raise UserError("which chapters? Write numbers (1-4 or 1,3) or the name of a scenario file")
    labels = [label for text in chapters for label in parse_span(text)]
    numbers = parse_players(players or "1,2,3,4")
    rounds, lessons = parse_index(iterations, "--iterations"), parse_count(deals, "--deals")
    worlds, held_out = parse_count(playouts, "--playouts"), parse_count(test_deals, "--test-deals")
    width = parse_count(units, "--units")
    steps = parse_index(practice, "--practice")
    if not rounds and start is None:
        raise UserError("--iterations 0: needs weights to start from (--start)")
    if not rounds and not steps:
        raise UserError("--iterations 0 and --practice 0: nothing to do")
    if width > 32:
        raise UserError(f"--units {units}: at most 32")
    if out.suffix != ".npz":
        raise UserError(f"--out {out}: must end in .npz")
    if out.exists() and not force:
        raise UserError(f"--out {out}: exists; choose another name or use --force")
    if not out.parent.is_dir():
        raise UserError(f"--out {out}: the folder {out.parent} does not exist")
    if start is not None and not start.is_file():
        raise UserError(f"--start {start}: there is no such file")
    drawn = parse_seed(seed) & ((1 << 62) - 1)
    # One thread: the matrices are small, and sums come out the same on machines with any number of cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import scenarios
    from sim.core.workers import usable_cpus
    from sim.tricks.batch import warm_up
    from sim.tricks.rules import compile_rules
    from sim.tricks.tune import tune as make

    loaded = [scenarios.load(label) for label in labels]
    cells = [(kind, number) for whole in loaded for kind in (whole.rounds.values() or [whole]) for number in numbers]
    for scenario, number in cells:
        compile_rules(scenario, number)
    began = time.perf_counter()

    def tell(line: str) -> None:
        say(f"{time.perf_counter() - began:6.0f} s  {line}")

    warm_up()
    tell(f"seed {drawn}, {len(cells)} cells")
    count = parse_count(workers, "--workers") if workers else usable_cpus()
    record = make(
        cells, seed=drawn, deals=lessons, worlds=worlds, iterations=rounds, units=width, test_deals=held_out, out=out,
        workers=count, say=tell, start=str(start) if start else "", practice_steps=steps,
    )  # fmt: skip
    best = max([step["mean"] for step in record["iterations"]] + [record["practice"]["mean"]] * ("practice" in record))
    print(f"{out}: team wins {best:.1%} of held-out deals on average")
