"""Rounds that the engine plays for these tests, and what the rules say of a record: `ringsim check` and the referee."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from referee.referee import referee

from scenarios import Scenario, chapters, load
from sim.tricks.adjudicate import Difference, check_files
from sim.tricks.replay import Replay, record
from sim.tricks.table import FAILED, MET, OPEN

PLAYOUTS = 3
"""Worlds that `search` imagines for a decision."""
CHAPTERS = ("1", "2", "3", "4")
LATER = tuple(
    scenario.name
    for label in chapters()
    if int(label) > 4
    for whole in [load(label)]
    for scenario in whole.rounds.values() or [whole]
)
"""Chapters 5 to 18, with a name for each kind of round."""
PLAYERS = (1, 2, 3, 4)
SEED = 0x9E3779B97F4A7C15F39CC0605CEDC835
Record = dict[str, Any]


@dataclass(frozen=True)
class Round:
    """A replayed deal: its record, and every seat's verdict (OPEN, MET, FAILED) after setup and after each trick."""

    record: Record
    verdicts: list[list[int]]


@cache
def chapter(label: str, assume: tuple[tuple[str, str], ...] = ()) -> Scenario:
    """Return a chapter of the library under assumptions."""
    return load(label, dict(assume))


def play(scenario: Scenario, players: int, policy: str, deal: int, seed: int = SEED) -> Round:
    """Play one deal to its end."""
    written = json.loads(json.dumps(record(Replay(scenario, players, policy, seed, deal, playouts=PLAYOUTS))))
    verdicts = [[verdict(sealed, trick) for sealed in written["sealed"]] for trick in range(len(written["tricks"]) + 1)]
    return Round(written, verdicts)


def verdict(sealed: Mapping[str, int | None], trick: int) -> int:
    """Return how a goal stands after a trick, when it is known after which one it was sealed."""
    for word, sealed_as in (("failed_after", FAILED), ("met_after", MET)):
        after = sealed[word]
        if after is not None and after <= trick:
            return sealed_as
    return OPEN


@cache
def rounds(label: str, players: int, policy: str, deals: int, assume: tuple[tuple[str, str], ...] = ()) -> list[Round]:
    """Return the first `deals` deals of a cell. They are shared: do not change them."""
    return [play(chapter(label, assume), players, policy, deal) for deal in range(deals)]


def check(records: Iterable[Record], folder: Path, assume: Mapping[str, str] | None = None) -> list[list[Difference]]:
    """Return what `ringsim check` finds in each record."""
    path = folder / "games.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in records), encoding="utf-8")
    return [differences for _, _, differences in check_files([path], assume)]


def plain(entry: Record) -> Record:
    """Return a record without the remark that a lost card was left, which the referee does not read."""
    if "setup" not in entry:
        return entry
    return entry | {"setup": [step for step in entry["setup"] if step["action"] != "decline_lost"]}


def judge(entry: Record, scenario: Scenario | None, **options: Any) -> list[str]:
    """Return what the referee finds in a record."""
    return referee(plain(entry), scenario, **options)
