"""``ringsim new``: a scenario file to start from."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from cli.options import Quiet
from sim.core.messages import say

EPILOG = "Example: ringsim new my.toml --from 2"


def new(
    file: Annotated[Path, typer.Argument(help="Scenario file to write (.toml).", show_default=False)],
    chapter: Annotated[
        str, typer.Option("--from", metavar="CHAPTER", help="A chapter's number or a scenario file.", show_default=False)
    ],
    quiet: Quiet = False,
) -> None:
    """Write a chapter as a scenario file of your own, with the characters and events it uses, to be changed."""
    import scenarios
    from scenarios.starting import write_start

    scenarios.load(chapter)
    write_start(file, chapter)
    say(f"{file}; next: change it, then ringsim show {shlex.quote(str(file))}")
