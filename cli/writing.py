"""`--format` and `--out` of the commands that write text: a file's suffix says the format, and no file is lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cli.options import parse_choice
from scenarios.errors import UserError

SUFFIXES = {".txt": "table", ".json": "json", ".jsonl": "json"}


def complete_shape(incomplete: str) -> list[str]:
    """Return the formats of text that may be meant."""
    return [shape for shape in ("table", "json") if shape.startswith(incomplete)]


Shape = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="table or json. Default: what the suffix of --out says, else table.",
        show_default=False,
        autocompletion=complete_shape,
    ),
]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write there, not to stdout.", show_default=False)]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]


def choose_shape(format: str | None, out: Path | None, force: bool, allowed: Sequence[str] = ("table", "json")) -> str:
    """Return the format of a text, before anything is worked out for it.

    Raises UserError for one that is not allowed, and for a file that cannot be written or exists without --force.
    """
    shape = parse_choice(format, "--format", allowed) if format is not None else "table"
    if out is not None:
        # Only here: what reports need takes a while to load.
        from reports.output import FORMATS, check_target

        suffix = out.suffix.lower()
        if format is None:
            shape = SUFFIXES.get(suffix, "table")
            if suffix.removeprefix(".") in {*FORMATS} - {*allowed}:
                raise UserError(f"--out {out}: this is written as {' or '.join(allowed)}; --format chooses one")
        check_target(shape, out, force=force)
    return shape


def write_text(text: str, out: Path | None) -> None:
    """Write text to a file, which appears whole or not at all, or to stdout; a line end is added."""
    if out is None:
        print(text)
        return
    from reports.output import deliver

    deliver(f"{text}\n".encode(), out)
