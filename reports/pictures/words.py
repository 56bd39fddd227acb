"""Sentences about numbers that claim no more than the intervals do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from reports.intervals import wilson

Counted = tuple[str, int, int]
"""A name, how often it happened, in how many."""


@dataclass(frozen=True)
class Extreme:
    """What has the highest (or lowest) share: `names` are all that cannot be told from it, itself first."""

    names: tuple[str, ...]
    share: float
    low: float
    high: float
    all_equal: bool

    @property
    def clear(self) -> bool:
        """Whether one stands out from all others."""
        return len(self.names) == 1


def extreme(counted: Iterable[Counted], *, confidence: float, lowest: bool = False) -> Extreme:
    """Return what has the highest share, by intervals that hold for all shares together (Bonferroni).

    Two whose intervals do not meet differ, whether or not they were counted in the same rounds. `all_equal` says that nothing
    stands out from anything. Raises ValueError when nothing was counted.
    """
    rows = [row for row in counted if row[2]]
    if not rows:
        raise ValueError("nothing was counted")
    lows, highs = wilson(
        pl.Series([row[1] for row in rows]),
        pl.Series([row[2] for row in rows]),
        confidence=1 - (1 - confidence) / len(rows),
    )
    shares = [row[1] / row[2] for row in rows]
    order = sorted(range(len(rows)), key=lambda place: (shares[place] if lowest else -shares[place], place))
    best = order[0]
    meets = [place for place in order if place == best or (lows[place] <= highs[best] if lowest else highs[place] >= lows[best])]
    overlap = max(lows) <= min(highs)
    names = tuple(rows[place][0] for place in meets)
    return Extreme(names, shares[best], lows[best], highs[best], all_equal=bool(overlap) and len(rows) > 1)


def percent(share: float) -> str:
    """Return a share as text: "12.3 %"."""
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def span(low: float, high: float) -> str:
    """Return the interval of a share as text: "12.0 to 12.6 %"."""
    return f"{100 * low:.1f} to {100 * high:.1f}\N{NO-BREAK SPACE}%"


def points(low: float, high: float, *, sign: int = 1) -> str:
    """Return the interval of a difference as text, in points; with `sign` -1 that of the opposite difference."""
    ends = sorted((100 * sign * low, 100 * sign * high))
    return f"{ends[0]:z.1f} to {ends[1]:z.1f}"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Return names as a list in words: "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def person(character: str) -> str:
    """Return a character's name as it is written."""
    return character.replace("_", " ").title()


def people(players: int) -> str:
    """Return "1 player" or "3 players"."""
    return f"{players} player{'s' if players != 1 else ''}"


def sentence(*parts: str) -> str:
    """Return the parts as one sentence."""
    text = "; ".join(part for part in parts if part)
    return text[0].upper() + text[1:] + "."
