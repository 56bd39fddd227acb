"""``ringsim bench``: how fast this machine plays, as ratios to a bare C loop measured in the same run."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import Quiet
from cli.writing import Force, Out, Shape, choose_shape, write_text

EPILOG = "Example: ringsim bench"


def bench(
    format: Shape = None,
    out: Out = None,
    force: Force = False,
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the deals: rougher figures in a few seconds.")] = False,
    quiet: Quiet = False,
) -> None:
    """Measure deals per second of every policy and chapter on one core, start-up times and a whole run."""
    shape = choose_shape(format, out, force)
    from sim.bench import figures_text, measure

    write_text(figures_text(measure(quick=quick), shape), out)
