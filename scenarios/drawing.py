"""What a chapter that is drawn at random is played with: characters and curse of one pool, from the seed and its number.

A pool depends on the seed, the number of players and its own number only; groups of as many seats get the same characters when
the tables give them as many. Numbers come from Philox4x64-10 (`numpy.random.Philox`), key = seed, counter = (block, STREAM,
seats, pool): a stream of its own beside those of the deals (`sim.core.random`), so that no deal changes a pool. Of each group
so many characters are drawn, then those that are turned, then the curse. Rules: the chapter's file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from scenarios.checks import bearers
from scenarios.model import Scenario

STREAM = 64
"""The number of this stream; the deals have those below."""
POOL_FORMAT = 1
"""Version of the way from random words to pools; a change of it changes every pool."""
T = TypeVar("T")
_LOW32 = (1 << 32) - 1


def drawn(scenario: Scenario, players: int, seed: int, pool: int) -> Scenario:
    """Return the scenario of a pool (numbered from 0) for `players` people; a scenario without [draw] is returned as it is.

    `scenario` is one that `scenarios.load` made, and has a deal for so many; seed: up to 128 bits; pool: below 2 ** 64.
    """
    draw = scenario.draw
    if draw is None:
        return scenario
    words = _halves(seed, scenario.deals[players].seats, pool)
    chosen = [name for group in draw.groups.values() for name in _some(group.among, group.count[str(players)], words)]
    if draw.turning is not None:
        sides = draw.turning.sides
        turned = _some([name for name in chosen if name in sides], draw.turning.count, words)
        chosen = [sides[name] if name in turned else name for name in chosen]
    there = {*chosen, *(entry.character for entry in scenario.roster if entry.character not in draw.names)}
    roster = tuple(entry for entry in scenario.roster if entry.character in there)
    characters = {entry.character: scenario.characters[entry.character] for entry in roster}
    curses = _some(list(scenario.drawn_curses), len(scenario.drawn_curses), words)
    fitting = [
        name
        for name in curses
        if players in scenario.drawn_curses[name].players and bearers(scenario.drawn_curses[name], characters)
    ]
    return msgspec.structs.replace(
        scenario,
        draw=None,
        drawn_curses={},
        pool=pool,
        roster=roster,
        characters=characters,
        wandering=(fitting[0], scenario.drawn_curses[fitting[0]]) if fitting else None,
    )


def _halves(seed: int, seats: int, pool: int) -> Iterator[int]:
    """Yield the 32-bit halves of the words of a pool's stream, the low half of each first."""
    # Here, because the commands that only show chapters draw none.
    import numpy as np

    source = np.random.Philox(key=seed, counter=[0, STREAM, seats, pool])
    while True:
        for word in source.random_raw(16).tolist():
            yield word & _LOW32
            yield word >> 32


def _below(words: Iterator[int], n: int) -> int:
    """Return a uniform integer in 0..n-1, without bias (Lemire 2019, with rejection)."""
    product = next(words) * n
    while product & _LOW32 < (_LOW32 + 1 - n) % n:
        product = next(words) * n
    return product >> 32


def _some(among: Sequence[T], number: int, words: Iterator[int]) -> list[T]:
    """Return `number` of the elements, in the order drawn, each set of them as likely as any other."""
    rest = list(among)
    return [rest.pop(_below(words, len(rest))) for _ in range(number)]
