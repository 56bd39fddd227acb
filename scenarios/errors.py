"""What the user is told when the input is wrong: one line, with the nearest valid name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(Exception):
    """A mistake in the input; the message is the one line that the user reads (exit code 2)."""


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the closest of `allowed`, or an empty string."""
    matches = get_close_matches(str(name), list(allowed), n=1, cutoff=0.5)
    return f" (did you mean '{matches[0]}'?)" if matches else ""
