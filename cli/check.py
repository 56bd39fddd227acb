"""``ringsim check``: adjudicate recorded games."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.options import Assume, parse_assume, parse_choice

EPILOG = "Example: ringsim check games.jsonl --assume A10=after_trick"


def check(
    files: Annotated[list[Path], typer.Argument(help="Files of game records, one JSON object a line (docs/records.md).")],
    assume: Assume = None,
    format_: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
) -> None:
    """Check recorded games: deal, setup, legal cards, winners, goals.

    Every difference names file, line, place, what the record says, what the rules say and the rule's source. Exit code 0
    without differences, 1 with, 2 for a file that holds no records.
    """
    chosen = parse_assume(assume or [])
    shape = parse_choice(format_, "--format", ("table", "json"))
    import json
    from dataclasses import asdict

    from sim.tricks.adjudicate import check_files

    records = wrong = 0
    found = []
    for _, _, differences in check_files(files, chosen):
        records += 1
        wrong += bool(differences)
        found += differences
        if shape == "table":
            for d in differences:
                print(f"{d.file}:{d.line}: {d.where}: record: {d.record}; rules: {d.rules}; source: {d.source or 'none given'}")
    if shape == "json":
        print(json.dumps([asdict(difference) for difference in found], indent=1, ensure_ascii=False))
    what = "1 round" if records == 1 else f"{records} rounds"
    print(f"{what} checked, {wrong} with differences ({len(found)} in all)", file=sys.stderr)
    if found:
        raise typer.Exit(1)
