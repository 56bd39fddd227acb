"""Text that is wrapped at the width of the terminal, with the lines after the first set in."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap

WIDEST = 120


def text_width() -> int:
    """Return the columns for text: those of the terminal (or COLUMNS) from 40 to 120, 100 when there is no terminal."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS"):
        return 100
    return max(40, min(WIDEST, shutil.get_terminal_size().columns))


def paragraph(text: str, first: str = "", rest: str | None = None) -> list[str]:
    """Return `text` as lines that start with `first` and then with `rest` (spaces as wide as `first` when not given)."""
    return textwrap.wrap(
        text,
        text_width(),
        initial_indent=first,
        subsequent_indent=" " * len(first) if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
