"""``ringsim verify``: are deals, draws and streams distributed as the rules say?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import Quiet, parse_choice
from cli.writing import complete_shape
from scenarios.errors import UserError
from sim.core.messages import say
from sim.core.numbers import parse_count
from sim.core.seed import parse_seed, seed_hex

if TYPE_CHECKING:
    from sim.verify import Check

EPILOG = "Example: ringsim verify --out runs/verify"
MINIMUM = 10_000
"""Fewer deals make expected counts too small for the tests."""


def verify(
    deals: Annotated[str, typer.Option("--deals", help="Deals, or draws, per check.")] = "1_000_000",
    seed: Annotated[
        str | None, typer.Option("--seed", help="Another seed, up to 128 bits.", show_default="the same for everybody")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write one plot per check there, as SVG and PNG.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that holds files.")] = False,
    format: Annotated[str, typer.Option(metavar="FORMAT", help="table or json.", autocompletion=complete_shape)] = "table",
    quiet: Quiet = False,
) -> None:
    """Check statistically that shuffles, lost cards, threats and random streams are fair.

    One line per statement: what, expected, observed, p-value (corrected for the tests behind it). Exit code 0 when
    nothing is rejected, 1 when something is.
    """
    shape = parse_choice(format, "--format", ("table", "json"))
    number = parse_count(deals, "--deals")
    if number < MINIMUM:
        raise UserError(f"--deals {deals}: at least {MINIMUM:_}, or the tests have nothing to go by")
    if out is not None:
        _open_folder(out, force)
    from sim.tricks.batch import warm_up
    from sim.verify import DEFAULT_SEED, LEVEL, rejected, run_checks

    the_seed = DEFAULT_SEED if seed is None else parse_seed(seed)
    say(f"{number:_} deals per check, seed {seed_hex(the_seed)}")
    warm_up()
    checks = []
    for check in run_checks(number, the_seed):
        checks.append(check)
        if shape == "table":
            _print_check(check)
    wrong = rejected(checks)
    lines = [line for check in checks for line in check.lines]
    if out is not None:
        from sim.verify.plots import save

        for check in checks:
            save(check, out, len(lines))
        say(f"{len(checks)} plots in {out}")
    if shape == "json":
        import json
        from dataclasses import asdict

        print(json.dumps([{"check": check.name} | asdict(line) for check in checks for line in check.lines], indent=1))
    for line in wrong:
        say(f"REJECTED: {line.what} (p {line.p:.2g})")
    verdict = f"{len(wrong)} rejected" if wrong else "none rejected"
    say(f"{len(lines)} statements, {verdict} at level {LEVEL:g} in all")
    if wrong:
        raise typer.Exit(1)


def _print_check(check: Check) -> None:
    for line in check.lines:
        tests = f" (smallest of {line.tests})" if line.tests > 1 else ""
        print(f"{line.what}: expected {line.expected}; observed {line.observed}; p = {line.p:.3g}{tests}", flush=True)


def _open_folder(out: Path, force: bool) -> None:
    if out.exists() and not out.is_dir():
        raise UserError(f"--out {out}: is no folder")
    if out.is_dir() and any(out.iterdir()) and not force:
        raise UserError(f"--out {out}: holds files; choose another folder, or --force to write into it")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--out {out}: cannot be made ({error.strerror})") from None
