"""``ringsim new``: a scenario file to start from."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from cli.options import Quiet
from scenarios.errors import UserError
from sim.core.messages import say

EPILOG = "Example: ringsim new my.toml --from 2"


def new(
    file: Annotated[Path, typer.Argument(help="Scenario file to write (.toml).", show_default=False)],
    chapter: Annotated[
        str,
        typer.Option("--from", metavar="CHAPTER", help="A chapter's number, road, or a scenario file.", show_default=False),
    ],
    players: Annotated[
        str | None,
        typer.Option(
            "--players", help="Draw the characters (road) for so many people, instead of a file that draws.", show_default=False
        ),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option("--seed", help="Of the draw: up to 128 bits, decimal or 0x hex.", show_default="drawn and recorded"),
    ] = None,
    deal: Annotated[
        str | None, typer.Option("--deal", help="The pool that a run draws for this deal, from 0.", show_default="0")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write a chapter as a scenario file of your own, with the characters and events it uses, to be changed."""
    from sim.core.numbers import parse_index, parse_players
    from sim.core.seed import parse_seed

    if players is None and (seed is not None or deal is not None):
        raise UserError(f"--{'seed' if seed is not None else 'deal'}: needs --players, for how many people to draw")
    numbers = parse_players(players) if players is not None else []
    if len(numbers) > 1:
        raise UserError(f"--players {players}: one number, such as 3")
    number = parse_index(deal, "--deal") if deal is not None else 0
    import scenarios
    from scenarios.starting import Pool, write_start

    scenarios.load(chapter)
    write_start(file, chapter, Pool(numbers[0], parse_seed(seed), number) if numbers else None)
    say(f"{file}; next: change it, then ringsim show {shlex.quote(str(file))}")
