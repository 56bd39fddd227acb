"""``ringsim bench``: how fast this machine plays, as ratios to a bare C loop measured in the same run."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import parse_choice

EPILOG = "Example: ringsim bench"


def bench(
    format_: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the deals: rougher figures in a few seconds.")] = False,
) -> None:
    """Measure deals per second of every policy and chapter on one core, start-up times and a whole run."""
    shape = parse_choice(format_, "--format", ("table", "json"))
    from sim.bench import measure, print_figures

    print_figures(measure(quick=quick), shape)
