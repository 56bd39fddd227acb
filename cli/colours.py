"""Transcripts in colour, where a terminal shows them: suits in colours, goals green or red, knowledge and reasons dim."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cli.writing import write_text

if TYPE_CHECKING:
    from rich.text import Text

    from scenarios import Scenario

SUIT_STYLES = ("yellow", "bright_red", "green", "bright_magenta", "bright_yellow", "cyan", "blue", "bright_white")
"""By place of the suit in the deck (Hills, Mountains, Forests, Shadows, Rings, Rivers)."""
STATES = {"met": "green", "lost": "bold red"}
"""On a goal board."""
LINES = (
    (r"chapter |seat \d |The round is |.* players?$", "bold"),
    (r"    (?!goals: |dealt |at play |draws: |turned up: ).*(: | held )", "dim"),
    (r"  \S.*: lost for good", "red"),
    (r"  \S.*: met ", "green"),
)
"""How lines begin (headings, reasons and knowledge, verdicts) and what they look like."""


def wants_colour() -> bool:
    """Return whether stdout is a terminal that shows colours, and nobody asked for none (NO_COLOR, see no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def write_transcript(lines: Iterable[str], scenario: Scenario, out: Path | None) -> None:
    """Write the lines of a transcript to a file or to stdout, in colour in a terminal; the text is the same without."""
    if out is not None or not wants_colour():
        write_text("\n".join(lines), out)
        return
    from rich.console import Console

    console = Console(markup=False, emoji=False, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(coloured(line, list(scenario.suits)))


def coloured(line: str, suits: list[str]) -> Text:
    """Return a line of a transcript with styles: of the whole line by what it is, of cards by their suit (`suits`: letters)."""
    from rich.text import Text

    text = Text(line, style=next((style for start, style in LINES if re.match(start, line)), ""))
    for suit, style in zip(suits, SUIT_STYLES, strict=False):
        text.highlight_regex(rf"\b{suit}[0-9]{{1,2}}\b", style)
    if "goals: " in line:
        for state, style in STATES.items():
            text.highlight_regex(rf" {state}(?=,|$)", style)
    text.highlight_regex(r"(?<=-> ).*$", "bold")
    return text
