"""Made-up rounds and goals as lists of plain rows, as frames, and as the folder of a run."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

import polars as pl
import pytest

from reports.dataset import GOALS_SCHEMA, ROUNDS_SCHEMA

Row = dict[str, Any]
Cell = tuple[str, int, str]

CARDS = [f"{suit}{rank}" for suit in "HMFS" for rank in range(1, 9)] + [f"R{rank}" for rank in range(2, 6)]
CHARACTERS = ["frodo", "gandalf", "merry", "pippin", "bilbo_baggins", "sam_gamgee"]
EVENTS = [None, "rain", "orcs"]
CELLS: list[Cell] = [("2", 3, "script"), ("10", 4, "script"), ("10", 4, "team"), ("my", 1, "script")]


def make_rows(
    seed: int,
    cells: Sequence[Cell] = CELLS,
    *,
    deals: int = 40,
    early: bool = False,
    rounds_to_a_deal: int = 1,
    cards: Sequence[str] = CARDS,
    verdicts: bool = False,
    attempts: int = 1,
) -> tuple[list[Row], list[Row]]:
    """Return (rounds, goals) in the order of play; with `early`, goals of a lost round may be undecided.

    Rounds have events where a deal may have several; with `verdicts`, those of the policy "open" have one, or none; with
    `attempts`, a deal has up to so many, each of up to `rounds_to_a_deal` rounds.
    """
    random_ = random.Random(seed)
    more = random.Random(seed + 1)  # apart, so that the rest does not depend on what only some reports look at
    rounds, goals = [], []
    for cell in cells:
        keys = dict(zip(("chapter", "players", "policy"), cell, strict=True))
        chance = random_.choice([0.0, 0.5, 0.9, 1.0])
        threatened = more.sample(CHARACTERS, 2)
        for deal in range(deals):
            places = [
                (attempt, number)
                for attempt in range(1, (more.randint(1, attempts) if attempts > 1 else 1) + 1)
                for number in range(1, random_.randint(1, rounds_to_a_deal) + 1)
            ]
            for attempt, number in places:
                seats = random_.sample(CHARACTERS, 4 if cell[1] in (1, 4) else 3)
                met: list[bool | None] = [random_.random() < chance for _ in seats]
                lost_after = [None if is_met else random_.randint(0, 4) for is_met in met]
                if early and False in met:
                    met = [None if is_met and random_.random() < 0.5 else is_met for is_met in met]
                first = min((trick for trick in lost_after if trick is not None), default=None)
                lost = random_.sample(list(cards), min(len(cards), random_.choice([0, 1, 1, 2])))
                rounds.append(
                    keys
                    | {
                        "deal": deal,
                        "attempt": attempt,
                        "round": number,
                        "lost": " ".join(lost),
                        "event": more.choice(EVENTS) if rounds_to_a_deal > 1 else None,
                        "first_leader": random_.randrange(len(seats)),
                        "tricks": 9,
                        "won": all(is_met is True for is_met in met),
                        "tries": None,
                        "open": more.choice(["won", "lost", "unknown", None]) if cell[2] == "open" and verdicts else None,
                    }
                )
                goals += [
                    keys
                    | {
                        "deal": deal,
                        "attempt": attempt,
                        "round": number,
                        "seat": seat,
                        "character": seats[seat],
                        "threat": more.randint(1, 4) if seats[seat] in threatened else None,
                        "curse": None,
                        "tricks": more.randint(0, 4),
                        "met": met[seat],
                        "lost_after": lost_after[seat],
                        "first_lost": lost_after[seat] is not None and lost_after[seat] == first,
                    }
                    for seat in range(len(seats))
                ]
    return rounds, goals


def frames(rounds: list[Row], goals: list[Row]) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Return both tables in the declared schemas."""
    return pl.LazyFrame(rounds, schema=ROUNDS_SCHEMA), pl.LazyFrame(goals, schema=GOALS_SCHEMA)


def part(folder: Path, table: str, cell: Cell, first_deal: int) -> Path:
    """Return the path of a part."""
    chapter, players, policy = cell
    return folder / table / f"chapter={chapter}" / f"players={players}" / f"policy={policy}" / f"part-{first_deal:012d}.parquet"


def write_run(
    folder: Path,
    rounds: list[Row],
    goals: list[Row],
    *,
    cells: Sequence[Cell] = CELLS,
    chunk: int = 15,
    deals: int = 40,
    cell: Row | None = None,
    **manifest: Any,
) -> Path:
    """Write a run with `cells` in the manifest's order and return its folder; keywords replace manifest entries.

    Parts without a verdict lack the column `open`, as most runs do, and those without a condition `tries`.
    """
    for table, rows, schema in (("rounds", rounds, ROUNDS_SCHEMA), ("goals", goals, GOALS_SCHEMA)):
        chunks: dict[tuple[Cell, int], list[Row]] = {}
        for row in rows:
            key = (row["chapter"], row["players"], row["policy"]), row["deal"] // chunk * chunk
            chunks.setdefault(key, []).append(row)
        for (name, first_deal), chosen in chunks.items():
            path = part(folder, table, name, first_deal)
            path.parent.mkdir(parents=True, exist_ok=True)
            frame = pl.DataFrame(chosen, schema=schema)
            if table == "rounds":
                frame = frame.drop(name for name in ("tries", "open") if frame[name].is_null().all())
            frame.write_parquet(path)
    parts = -(-deals // chunk)
    described = [
        {
            "chapter": chapter,
            "title": f"Chapter {chapter}",
            "players": players,
            "policy": policy,
            "policy_version": 1,
            "scenario_hash": "sha256:0",
            "assumptions": {"A10": "at_play"},
            "parts": parts,
            "done": parts,
            "deals_done": deals,
            "won": sum(row["won"] for row in rounds if row["chapter"] == chapter),
        }
        | (cell or {})
        for chapter, players, policy in cells
    ]
    content = {
        "schema_version": 1,
        "ringsim": "0.1.0",
        "deal_format": 1,
        "kind": "run",
        "status": "complete",
        "created": "2026-01-01T00:00:00+00:00",
        "command": ["ringsim", "run"],
        "seed": "0x2a",
        "deals": deals,
        "chunk": chunk,
        "stop": "full",
        "shard": None,
        "cells": described,
        "environment": {},
        "seconds": 1.0,
        "peak_memory_mib": 100,
    } | manifest
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def outcomes_by_hand(rows: list[Row], cell: Cell) -> dict[int, Row]:
    """Return the last round of each deal of a cell."""
    return {row["deal"]: row for row in rows if (row["chapter"], row["players"], row["policy"]) == cell}


def by_cell(rows: list[Row], *more: str) -> dict[tuple[Any, ...], list[Row]]:
    """Return the rows of each chapter, players, policy (and `more` columns)."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in ("chapter", "players", "policy", *more)), []).append(row)
    return groups


def wilson_by_hand(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the roots of (p - rate)^2 = z^2 p (1 - p) / n."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    middle = (successes + z * z / 2) / (trials + z * z)
    half = z / (trials + z * z) * (successes * (trials - successes) / trials + z * z / 4) ** 0.5
    return middle - half, middle + half


def newcombe_by_hand(a: int, m: int, b: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Newcombe's interval of a/m - b/n from the Wilson limits of both."""
    (low, high), (other_low, other_high) = wilson_by_hand(a, m, confidence), wilson_by_hand(b, n, confidence)
    p, q = a / m, b / n
    below = ((p - low) ** 2 + (other_high - q) ** 2) ** 0.5
    above = ((high - p) ** 2 + (q - other_low) ** 2) ** 0.5
    return p - q - below, p - q + above


def paired_by_hand(both: int, only_first: int, only_other: int, neither: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Newcombe's interval (1998, paired data, method 10) of first - other."""
    n = both + only_first + only_other + neither
    p, q = (both + only_first) / n, (both + only_other) / n
    low, high = wilson_by_hand(both + only_first, n, confidence)
    other_low, other_high = wilson_by_hand(both + only_other, n, confidence)
    margins = [both + only_first, only_other + neither, both + only_other, only_first + neither]
    phi = 0.0
    if all(margins):
        cross = both * neither - only_first * only_other
        if cross > 0:
            cross = max(cross - n / 2, 0)
        phi = cross / (margins[0] * margins[1] * margins[2] * margins[3]) ** 0.5
    below = (p - low) ** 2 - 2 * phi * (p - low) * (other_high - q) + (other_high - q) ** 2
    above = (high - p) ** 2 - 2 * phi * (high - p) * (q - other_low) + (q - other_low) ** 2
    return max(-1, p - q - max(below, 0) ** 0.5), min(1, p - q + max(above, 0) ** 0.5)


def cell_of(row: Row) -> tuple[Any, ...]:
    """Return the chapter, players and policy of a row."""
    return row["chapter"], row["players"], row["policy"]


def tables(rounds: list[Row], goals: list[Row]) -> list[tuple[Row, list[Row]]]:
    """Return each round with the goals of its seats."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for goal in goals:
        found.setdefault((*cell_of(goal), goal["deal"], goal["attempt"], goal["round"]), []).append(goal)
    return [(row, found[(*cell_of(row), row["deal"], row["attempt"], row["round"])]) for row in rounds]


def assert_same(frame: pl.DataFrame, keys: int, expected: dict[tuple[Any, ...], tuple[Any, ...]]) -> None:
    """Assert that the first `keys` columns and all others are what `expected` maps them to, floats to 1e-9."""
    assert {row[:keys] for row in frame.iter_rows()} == set(expected)
    assert frame.height == len(expected)
    for row in frame.iter_rows():
        for name, found, right in zip(frame.columns[keys:], row[keys:], expected[row[:keys]], strict=True):
            assert found == pytest.approx(right, abs=1e-9), (row[:keys], name)


def share_by_hand(part: int, whole: int, confidence: float = 0.95) -> tuple[float, float, float]:
    """Return the share and its Wilson interval."""
    return part / whole, *wilson_by_hand(part, whole, confidence)
