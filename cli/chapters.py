"""``ringsim chapters``: what is in the library."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cli.options import parse_choice

EPILOG = "Example: ringsim chapters"


def chapters(format_: Annotated[str, typer.Option("--format", help="table or json.")] = "table") -> None:
    """List the chapters: characters (required ones with a star), tricks, threats, open questions."""
    shape = parse_choice(format_, "--format", ("table", "json"))
    import scenarios

    loaded = [scenarios.load(label) for label in scenarios.chapters()]
    if shape == "json":
        import json

        rows = [
            {
                "chapter": s.label,
                "title": s.title,
                "book": s.book,
                "length": s.length,
                "players": list(s.deals),
                "required": [e.character for e in s.roster if e.required],
                "optional": [e.character for e in s.roster if not e.required],
                "threats": list(s.threats),
                "assumptions": s.assumptions,
                "source": s.source,
            }
            for s in loaded
        ]
        print(json.dumps(rows, indent=1))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("chapter", "title", "length", "players", "characters", "threats", "sources"):
        table.add_column(heading, justify="right" if heading == "chapter" else "left")
    for s in loaded:
        names = ", ".join(s.characters[e.character].name + ("*" if e.required else "") for e in s.roster)
        threats = f"{min(s.threats)}-{max(s.threats)}" if s.threats else "none"
        tags = "".join(part for part in s.source.split() if part.startswith("["))
        table.add_row(s.label, s.title, s.length, " ".join(map(str, s.deals)), names, threats, tags)
    width = None if sys.stdout.isatty() else 200
    Console(markup=False, highlight=False, width=width).print(table)
    known = scenarios.load_assumptions("fellowship")
    print("\nAssumptions (questions on which the sources disagree; choose with --assume NAME=OPTION):")
    for name, assumption in known.items():
        options = ", ".join(f"{o} (default)" if o == assumption.default else o for o in assumption.options)
        print(f"  {name}: {assumption.question} {options}. Affects {assumption.affects}.")
