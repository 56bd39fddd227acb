"""``ringsim replay``: one deal, trick by trick, or as a game record."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import (
    Assume,
    Inference,
    Playouts,
    Policy,
    Quiet,
    Retry,
    Seed,
    Tries,
    Where,
    check_for_search,
    join_conditions,
    parse_assume,
    parse_choice,
)
from cli.writing import Force, Out, choose_shape, complete_shape, write_text
from scenarios.errors import UserError
from sim.core.messages import say

EPILOG = "Example: ringsim replay 4 --players 3 --seed 7 --deal 123 --policy script --explain"


def replay(
    chapter: Annotated[
        str, typer.Argument(help="A chapter's number (14-long_dark: one kind of its rounds) or a scenario file (my.toml).")
    ],
    players: Annotated[str, typer.Option("--players", help="Number of people, 1 to 4.")] = "3",
    seed: Seed = None,
    deal: Annotated[str, typer.Option("--deal", help="Deal number, from 0.")] = "0",
    attempt: Annotated[str, typer.Option("--attempt", help="Number of the attempt, with the --retry of the run.")] = "1",
    round_: Annotated[str, typer.Option("--round", help="Number of the round in the attempt, in a long chapter.")] = "1",
    retry: Retry = None,
    policy: Policy = None,
    playouts: Playouts = None,
    inference: Inference = None,
    where: Where = None,
    tries: Tries = None,
    assume: Assume = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="table (transcript) or json (docs/records.md). Default: what the suffix of --out says, else table.",
            show_default=False,
            autocompletion=complete_shape,
        ),
    ] = None,
    out: Out = None,
    force: Force = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why at every decision (policies script, team and search).")
    ] = False,
    knowledge: Annotated[
        bool, typer.Option("--knowledge", help="Say at every decision what the seat held and knew of the other cards.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Show one round of a run: deal, setup and every trick with the state of all goals."""
    from sim.core.numbers import parse_count, parse_index, parse_players
    from sim.core.seed import parse_seed, seed_hex

    shape = choose_shape(format, out, force)
    numbers = parse_players(players)
    if len(numbers) != 1:
        raise UserError(f"--players {players}: one number, such as 3")
    number = parse_index(deal, "--deal")
    sampled = parse_count(playouts, "--playouts") if playouts is not None else 0
    weighed = parse_choice(inference, "--inference", ("on", "off")) if inference is not None else "off"
    the_seed = parse_seed(seed)
    which, later = parse_count(attempt, "--attempt"), parse_count(round_, "--round")
    again = parse_choice(retry or "none", "--retry", ("none", "fresh", "keep"))
    condition = join_conditions(where or [])
    at_most = parse_count(tries, "--tries") if tries is not None else 0
    if at_most and not condition:
        raise UserError(f"--tries {tries}: needs --where with a condition")
    import scenarios
    from cli.options import DEFAULT_POLICY

    scenario = scenarios.load(chapter, parse_assume(assume or []))
    from sim.tricks.batch import warm_up
    from sim.tricks.library import check_policy
    from sim.tricks.plan import is_long
    from sim.tricks.replay import Replay, record
    from sim.tricks.search import DEFAULT_PLAYOUTS
    from sim.tricks.standing import standing
    from sim.tricks.where import asked_for

    chosen = check_policy(policy or DEFAULT_POLICY)
    if chosen == "open":
        raise UserError(f"--policy open: ringsim solve {chapter} --line {deal} shows how a deal is won with open hands")
    if explain:
        from sim.tricks.policies.reasons import check_explaining

        check_explaining(chosen)
    if shape == "json" and (explain or knowledge):
        told = "--explain: reasons stand" if explain else "--knowledge: what was known stands"
        raise UserError(f"{told} in the transcript only; leave out --format json")
    check_for_search(playouts, inference, [chosen])
    if seed is None:
        say(f"seed {seed_hex(the_seed)}")
    fitting = asked_for(condition, at_most)
    warm_up(chosen == "search")
    place = None
    worlds, inferring = sampled or DEFAULT_PLAYOUTS, weighed == "on"
    if is_long(scenario) or (which, later) != (1, 1):
        place = standing(scenario, numbers[0], chosen, the_seed, number, which, later, again, worlds, inferring, fitting)
    playing = Replay(
        scenario, numbers[0], chosen, the_seed, number, playouts=worlds, inference=inferring, standing=place, where=fitting,
        explain=explain, knowledge=knowledge,
    )  # fmt: skip
    if shape == "json":
        import json

        write_text(json.dumps(record(playing)), out)
        return
    from cli.colours import write_transcript
    from sim.tricks.transcript import transcript

    write_transcript(transcript(playing), scenario, out)
