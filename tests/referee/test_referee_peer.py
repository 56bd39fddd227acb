"""Rounds played by two other implementations: the referee agrees with every one, but for faults of theirs that we name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .assumptions import DEFAULTS
from .endings import reachable
from .recorded import ALL_CHAPTERS, EVERYTHING, PEER_SETTINGS, SELECTION, files, records
from .referee import referee

# Faults of the peers, by file and line: what the referee says of it.
# Goldberry's goal is called met as soon as three tricks in a row are won, though she may win a fourth
# (also in line 29 of ttcg_p4.jsonl, where few ways of playing on show it).
GOLDBERRY = "(goldberry): "
FAULTS = {
    ("ttcg_p4.jsonl", 122): [GOLDBERRY],
    ("ttcg_p4.jsonl", 343): [GOLDBERRY, GOLDBERRY, GOLDBERRY],
    ("ttcg_p4.jsonl", 405): [GOLDBERRY, GOLDBERRY, GOLDBERRY],
    # Bill holds a card more than his share, and one card is there twice.
    ("ttcg_p4.jsonl", 413): ["F4 is there 2 times", "10 cards at play; 9 are due", "cards are left to play"],
}
UNSEEN = "(strider): curse is unseen; the rules say None"
"""Chapter 9 alone: the peer gives Strider the Unseen, which the rules leave out of solo games. Nothing follows from it."""


def faults_of(path: Path, number: int, record: dict[str, Any]) -> list[str]:
    """Return what the referee will say of a record."""
    if path.name == "ch09_p1.jsonl":
        return [UNSEEN for entry in record["seats"] if entry["character"] == "strider"]
    return FAULTS.get((path.name, number), [])


def judge(path: Path, playouts: int) -> int:
    """Assert that the referee agrees with a file; return the number of records."""
    for number, record in enumerate(records(path), start=1):
        found = referee(record, assume=PEER_SETTINGS, playouts=playouts)
        expected = faults_of(path, number, record)
        assert len(found) == len(expected), (number, found)
        for line, part in zip(found, expected, strict=True):
            assert part in line
    return len(records(path))


@pytest.mark.parametrize("path", files(SELECTION, ALL_CHAPTERS), ids=lambda path: path.stem)
def test_agrees_with_the_selection(path: Path) -> None:
    assert judge(path, playouts=4) in (2, 6, 150)


@pytest.mark.skipif(not EVERYTHING.exists(), reason="the whole collection of recorded games is not beside the repository")
@pytest.mark.parametrize("path", files(EVERYTHING, ALL_CHAPTERS), ids=lambda path: path.stem)
def test_agrees_with_the_whole_collection(path: Path) -> None:
    assert judge(path, playouts=4) in (36, 500)


def test_the_selection_has_every_chapter_and_number_of_people() -> None:
    names = [path.name for path in files(SELECTION, ALL_CHAPTERS) if path.parent.name == "cos"]
    assert names == [f"ch{chapter:02}_p{players}.jsonl" for chapter in range(1, 19) for players in range(1, 5)]


def test_selection_is_part_of_the_whole_collection() -> None:
    if not EVERYTHING.exists():
        pytest.skip("the whole collection of recorded games is not beside the repository")
    for path in files(SELECTION, ALL_CHAPTERS):
        whole = (EVERYTHING / path.relative_to(SELECTION)).read_bytes().splitlines()
        assert [line for line in path.read_bytes().splitlines() if line not in whole] == []


# Which of the peer's settings shows in which chapters: without it the referee would find differences there and nowhere else.
SHOWN_BY = {
    "A3": {12},
    "A7": set(),
    "A13": {7, 10, 12, 15, 18, 9},
    "aragorn_in_13": {13},
    "dark_places": {14},
}


@pytest.mark.parametrize("name", PEER_SETTINGS)
def test_every_setting_of_the_peer_shows_where_it_matters(name: str) -> None:
    settings = PEER_SETTINGS | {name: DEFAULTS[name]}
    found = set()
    for path in files(SELECTION, ALL_CHAPTERS):
        for number, record in enumerate(records(path), start=1):
            if "chapter" in record and len(referee(record, assume=settings)) != len(faults_of(path, number, record)):
                found.add(record["chapter"])
    assert found == SHOWN_BY[name]


@pytest.mark.parametrize("path", files(SELECTION, ALL_CHAPTERS), ids=lambda path: path.stem)
def test_recorded_goals_and_seals_are_among_the_reachable_endings(path: Path) -> None:
    for record in records(path)[:: 1 if path.parent.name == "cos" else 10]:
        from_here = len(record["tricks"]) - 2
        can_be = reachable(record, from_here, assume=PEER_SETTINGS)
        assert all(goal in verdicts for goal, verdicts in zip(record["goals"], can_be, strict=True))
        for sealed, verdicts in zip(record.get("sealed", []), can_be, strict=False):
            if sealed["failed_after"] is not None and sealed["failed_after"] <= from_here:
                assert verdicts == {False}
        stop = record.get("engine_stop")
        if stop is not None and stop["reason"] == "goal" and stop["trick"] <= from_here:
            assert all(can_be[seat] == {False} for seat in stop["failed"])
