"""Changing good records, so that the referee has something to find."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

from .play import play
from .recorded import PEER_SETTINGS, judge, with_chapter, without_chapter

Record = dict[str, Any]
Change = Callable[[Record, random.Random], str | None]
"""Changes a record in place and returns a part of what the referee has to say; None when the record does not lend itself."""


def pick(record: Record, chance: random.Random) -> tuple[int, Record]:
    """Return the number (from 1) and the entry of some trick."""
    number = chance.randrange(len(record["tricks"]))
    return number + 1, record["tricks"][number]


def setup_entries(record: Record, action: str) -> list[Record]:
    """Return the setup entries of an action."""
    return [entry for entry in record.get("setup", []) if entry["action"] == action]


def seat_of(record: Record, character: str) -> int | None:
    """Return who plays a character."""
    return next((seat for seat, entry in enumerate(record["seats"]) if entry["character"] == character), None)


def rename(value: Any, names: dict[str, str]) -> Any:
    """Return a record with cards called otherwise."""
    if isinstance(value, dict):
        return {key: rename(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [rename(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value


@cache
def good_lines() -> list[str]:
    """Return records with which the referee agrees, as text."""
    chosen = with_chapter() + without_chapter()[::4]
    return [json.dumps(record) for record in chosen if not judge(record)]


@cache
def more_lines(number: int, rounds: int = 60) -> list[str]:
    """Return the good records of a chapter, and as many random rounds for 1 to 4 people in turn as are asked for."""
    found = [line for line in good_lines() if json.loads(line).get("chapter") == number]
    for at in range(rounds):
        record = play(number, 1 + at % 4, random.Random(f"{number} {at}"), assume=PEER_SETTINGS)
        assert judge(record) == []
        found.append(json.dumps(record))
    return found


def is_found(name: str, change: Change, least: int, numbers: tuple[int, ...] = ()) -> None:
    """Assert that the referee finds a change in every record that lends itself to it, and that enough do.

    With `numbers` the records are the good ones and random rounds of these chapters, else the good ones alone.
    """
    chance = random.Random(name)
    tried = 0
    for line in [line for number in numbers for line in more_lines(number)] or good_lines():
        record = json.loads(line)
        expected = change(record, chance)
        if expected is not None:
            tried += 1
            found = judge(record)
            assert any(expected in difference for difference in found), (expected, found)
    assert tried >= least, f"only {tried} records lend themselves to {name}"
