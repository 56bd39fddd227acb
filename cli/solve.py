"""``ringsim solve``: which deals can be won at all, all hands open."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Assume, Chapters, Players, Quiet, Seed, Tries, Where, join_conditions, parse_assume
from cli.report import Force, Format, Out, check_options, write_report
from cli.writing import choose_shape, write_text
from scenarios.errors import UserError
from sim.core.numbers import parse_count, parse_index, parse_players, parse_span, wilson_interval
from sim.core.seed import parse_seed, seed_hex

if TYPE_CHECKING:
    from reports.sheets import Sheet
    from scenarios.model import Scenario

EPILOG = "Example: ringsim solve 2 --players 3 --seed 7 --deals 10_000"
BLOCK = 500
"""Deals between two steps of the progress bar."""
MOST_SETUPS = 60_000


def solve(
    chapters: Chapters = None,
    players: Players = None,
    deals: Annotated[str, typer.Option("--deals", help="Deals per chapter and number of people.")] = "10_000",
    seed: Seed = None,
    policy: Annotated[str, typer.Option("--policy", help="Who decides in setup; the cards are the solver's.")] = "script",
    budget: Annotated[str, typer.Option("--budget", help="Positions looked at before a deal is unknown.")] = "100_000",
    over_setup: Annotated[
        str | None,
        typer.Option("--over-setup", help="Try so many setups of a deal, the first by --policy, the others by chance."),
    ] = None,
    line: Annotated[
        str | None, typer.Option("--line", help="Show how this deal is won, trick by trick; json: as a game record.")
    ] = None,
    where: Where = None,
    tries: Tries = None,
    assume: Assume = None,
    format: Format = None,
    out: Out = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Say of every deal whether all goals can be met when all hands are open: won, lost or, the budget spent, unknown.

    Won and lost are exact for the setup that was played; of a long chapter one round of each kind is looked at. With
    --over-setup won is exact for the deal, and the share of won deals is a lower bound, for not all setups are tried. With
    --line the exit code is 1 when the deal has no winning line.
    """
    shape = choose_shape(format, out, force) if line is not None else ""
    if line is None:
        check_options(format, out, force, 0.95)
    if not chapters:
        raise UserError("which chapters? Write numbers (1-4 or 1,3) or the name of a scenario file")
    labels = [label for text in chapters for label in parse_span(text)]
    numbers = parse_players(players or "3")
    count, nodes = parse_count(deals, "--deals"), parse_count(budget, "--budget")
    setups = parse_count(over_setup, "--over-setup") if over_setup is not None else 1
    if setups > MOST_SETUPS:
        raise UserError(f"--over-setup {over_setup}: at most {MOST_SETUPS:_}")
    deal = parse_index(line, "--line") if line is not None else None
    one_round = "--line: needs one chapter and one number of people"
    if deal is not None and len(labels) * len(numbers) != 1:
        raise UserError(one_round)
    the_seed = parse_seed(seed)
    condition = join_conditions(where or [])
    at_most = parse_count(tries, "--tries") if tries is not None else 0
    if at_most and not condition:
        raise UserError(f"--tries {tries}: needs --where with a condition")
    import scenarios
    from sim.tricks.rules import compile_rules
    from sim.tricks.solver.deals import Solver, check_condition, check_setup_policy, warm_up
    from sim.tricks.where import asked_for

    check_setup_policy(policy)
    fitting = asked_for(condition, at_most)
    loaded = [scenarios.load(label, parse_assume(assume or [])) for label in labels]
    cells = [(kind, number) for whole in loaded for kind in (whole.rounds.values() or [whole]) for number in numbers]
    if deal is not None and len(cells) != 1:
        kinds = ", ".join(scenario.name for scenario, _ in cells)
        raise UserError(f"{one_round}, and of chapter {labels[0]} one of {kinds}")
    for scenario, number in cells:
        check_condition(fitting, scenario, compile_rules(scenario, number), setups)
    if seed is None:
        print(f"seed {seed_hex(the_seed)}", file=sys.stderr)
    warm_up()
    if deal is not None:
        _show_line(*cells[0], the_seed, deal, policy, nodes, setups, fitting, shape, out)
        return
    rows = []
    for scenario, number in cells:
        solver = Solver(scenario, number, policy, nodes, setups, fitting)
        rows.append(_row(scenario, number, count, _answers(solver, the_seed, count, quiet)))
    tried = [f"best of {setups:_} setups: the share won is a lower bound"] if over_setup is not None else []
    notes = [f"setup by {policy} | seed {seed_hex(the_seed)} | at most {nodes:_} positions a deal", *tried]
    write_report([], _sheet(rows, notes), format, out, force, 0.95)


def _answers(solver: Any, seed: int, count: int, quiet: bool) -> Any:
    import numpy as np
    from tqdm import tqdm

    name = f"chapter {solver.scenario.name}, {solver.players} players"
    with tqdm(total=count, unit=" deals", desc=name, leave=False, disable=quiet or not sys.stderr.isatty()) as bar:

        def blocks() -> Iterator[Any]:
            for first in range(0, count, BLOCK):
                yield solver.answers(seed, first, min(BLOCK, count - first))
                bar.update(min(BLOCK, count - first))

        return np.concatenate(list(blocks()))


def _row(scenario: Scenario, players: int, count: int, answers: Any) -> dict[str, Any]:
    """Return the figures of one chapter and number of people."""
    import numpy as np

    from sim.tricks.solver.deals import VERDICTS

    row: dict[str, Any] = {"chapter": scenario.name, "players": players, "deals": count}
    for verdict, name in sorted(VERDICTS.items(), key=lambda pair: ("won", "lost", "unknown").index(pair[1])):
        found = int(np.count_nonzero(answers["verdict"] == verdict))
        low, high = wilson_interval(found, count)
        row |= {name: found, f"{name}_share": found / count, f"{name}_low": low, f"{name}_high": high}
    times = answers["microseconds"]
    row |= {"median_ms": float(np.median(times)) / 1000, "mean_ms": float(times.mean()) / 1000}
    return row | {"median_nodes": float(np.median(answers["nodes"])), "mean_nodes": float(answers["nodes"].mean())}


def _sheet(rows: list[dict[str, Any]], notes: list[str]) -> Sheet:
    """Return the figures as they are shown: shares with their intervals; the counts are for programs."""
    import polars as pl

    from reports.sheets import Sheet

    titles = {f"{name}_share": name for name in ("won", "lost", "unknown")}
    titles |= {f"{name}_{side}": side for name in ("won", "lost", "unknown") for side in ("low", "high")}
    return Sheet(
        "solve",
        "Deals that can be won with open hands, with 95 % Wilson intervals",
        pl.DataFrame(rows),
        titles=titles | {"median_ms": "median\nms", "mean_ms": "mean\nms", "mean_nodes": "positions\n(mean)"},
        notes=notes,
        hide=["won", "lost", "unknown", "median_nodes"],
    )


def _show_line(
    scenario: Scenario,
    players: int,
    seed: int,
    deal: int,
    policy: str,
    budget: int,
    setups: int,
    where: Any,
    shape: str,
    out: Path | None,
) -> None:
    from sim.tricks.solver.deals import VERDICTS
    from sim.tricks.solver.replay import OpenReplay

    playing = OpenReplay(scenario, players, seed, deal, policy, budget, setups, where)
    verdict = VERDICTS[int(playing.answer.verdict)]
    if verdict != "won":
        looked = f"{int(playing.answer.nodes):_} positions"
        why = "no line of play wins it" if verdict == "lost" else f"no winning line was found among {looked}"
        print(f"deal {deal} is {verdict}: {why}", file=sys.stderr)
        raise typer.Exit(1)
    if shape == "json":
        import json

        from sim.tricks.replay import record

        write_text(json.dumps(record(playing)), out)
        return
    from cli.colours import write_transcript
    from sim.tricks.transcript import transcript

    write_transcript(transcript(playing), scenario, out)
