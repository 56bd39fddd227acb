"""``ringsim check``: adjudicate recorded games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import Assume, Quiet, parse_assume
from cli.writing import Force, Out, Shape, choose_shape, write_text
from sim.core.messages import say

if TYPE_CHECKING:
    from sim.tricks.adjudicate import Difference

EPILOG = "Example: ringsim check games.jsonl --assume A10=after_trick"


def check(
    files: Annotated[list[Path], typer.Argument(help="Files of game records, one JSON object a line (docs/records.md).")],
    assume: Assume = None,
    format: Shape = None,
    out: Out = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Check recorded games: deal, setup, legal cards, winners, goals.

    Every difference names file, line, place, what the record says, what the rules say and the rule's source. Exit code 0
    without differences, 1 with, 2 for a file that holds no records.
    """
    chosen = parse_assume(assume or [])
    shape = choose_shape(format, out, force)
    import json
    from dataclasses import asdict

    from sim.tricks.adjudicate import check_files

    records = wrong = 0
    found = []
    for _, _, differences in check_files(files, chosen):
        records += 1
        wrong += bool(differences)
        found += differences
        if shape == "table" and out is None:
            # At once: thousands of records take a while.
            for difference in differences:
                print(_line(difference))
    if shape == "json":
        write_text(json.dumps([asdict(difference) for difference in found], indent=1, ensure_ascii=False), out)
    elif out is not None:
        write_text("\n".join(map(_line, found)), out)
    what = "1 round" if records == 1 else f"{records} rounds"
    say(f"{what} checked, {wrong} with differences ({len(found)} in all)")
    if found:
        raise typer.Exit(1)


def _line(found: Difference) -> str:
    said = f"record: {found.record}; rules: {found.rules}; source: {found.source or 'none given'}"
    return f"{found.file}:{found.line}: {found.where}: {said}"
