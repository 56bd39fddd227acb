"""Messages on stderr: said unless the user asked for silence (`--quiet`)."""

from __future__ import annotations

import sys

_silent = False


def silence(on: bool) -> None:
    """Say nothing from now on, or again something."""
    global _silent
    _silent = on


def is_silent() -> bool:
    """Return whether messages are not wanted."""
    return _silent


def say(line: str) -> None:
    """Print a line on stderr unless messages are not wanted."""
    if not _silent:
        print(line, file=sys.stderr, flush=True)
