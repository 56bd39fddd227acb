"""`ringsim check` on rounds that two other implementations played: it agrees, but for faults of theirs that we name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from referee.recorded import EVERYTHING, SELECTION, files, records

from sim.tricks.adjudicate import check_files

from .games import check, rounds

FAULTS = {
    # Goldberry's goal is called met as soon as three tricks in a row are won, though she may win a fourth.
    ("ttcg_p4.jsonl", 29): ("seat 3 (goldberry)", "met for good after trick 6", "not before trick 9"),
    ("ttcg_p4.jsonl", 122): ("seat 1 (goldberry)", "met for good after trick 6", "not before trick 9"),
    # One card is there twice.
    ("ttcg_p4.jsonl", 413): ("hands", "F4 twice", "every card once"),
}
LATER = [f"ch{chapter:02}_p{players}.jsonl" for chapter in range(5, 19) for players in (1, 2, 3, 4)]
ASSUMED = {"A3": "no", "A7": "after", "A13": "left_of_holder", "A22": "no"}
"""How clash-of-soldiers reads what the sources leave open."""
READ_OTHERWISE = [
    # Two exchanges of the Long Dark meet at the pyramid: it fills the gaps in the order in which cards arrive.
    ("trick 3", "seat 2 plays M5", "may play S6"),
    ("trick 3", "seat 2 may play M3 M4 M5", "S6"),
]
READINGS = {("ch14_p2.jsonl", 29): READ_OTHERWISE}
SELECTED_READINGS = {("ch14_p2.jsonl", 2): READ_OTHERWISE}


def agrees(path: Path) -> int:
    """Assert that check finds nothing in a file but the faults that we name; return the number of records."""
    count = 0
    for _, line, differences in check_files([path]):
        count += 1
        found = [(difference.where, difference.record, difference.rules) for difference in differences]
        expected = FAULTS.get((path.name, line))
        assert found == ([] if expected is None else [expected]), f"{path.name}: line {line}"
    return count


@pytest.mark.parametrize("path", files(SELECTION), ids=lambda path: path.stem)
def test_check_agrees_with_the_selection(path: Path) -> None:
    assert agrees(path) in (6, 150)


@pytest.mark.skipif(not EVERYTHING.exists(), reason="the whole collection of recorded games is not beside the repository")
@pytest.mark.parametrize("path", files(EVERYTHING), ids=lambda path: path.stem)
def test_check_agrees_with_the_whole_collection(path: Path) -> None:
    assert agrees(path) in (36, 500)


def agrees_later(path: Path, whole: bool) -> int:
    """Assert the same of a file of chapters 5 to 18; return the number of records."""
    count = 0
    for _, line, differences in check_files([path], ASSUMED):
        count += 1
        found = [(difference.where, difference.record, difference.rules) for difference in differences]
        assert found == (READINGS if whole else SELECTED_READINGS).get((path.name, line), []), f"{path.name}: line {line}"
    return count


@pytest.mark.parametrize("name", LATER)
def test_check_agrees_with_the_selection_of_later_chapters(name: str) -> None:
    assert agrees_later(SELECTION / "cos" / name, False) == 2


@pytest.mark.skipif(not EVERYTHING.exists(), reason="the whole collection of recorded games is not beside the repository")
@pytest.mark.parametrize("name", LATER)
def test_check_agrees_with_the_whole_collection_of_later_chapters(name: str) -> None:
    assert agrees_later(EVERYTHING / "cos" / name, True) == 36


@pytest.mark.parametrize(("chapter", "assumption", "usual"), [(12, "A3", "yes"), (13, "A22", "yes"), (15, "A13", "holder")])
def test_without_the_assumption_the_records_differ(chapter: int, assumption: str, usual: str) -> None:
    paths = [SELECTION / "cos" / f"ch{chapter}_p{players}.jsonl" for players in (1, 2, 3, 4)]
    assert any(differences for _, _, differences in check_files(paths, ASSUMED | {assumption: usual}))


def test_the_differences_name_file_line_place_and_source(tmp_path: Path) -> None:
    record: dict[str, Any] = json.loads(json.dumps(rounds("1", 3, "random", 60)[0].record))
    trick = record["tricks"][4]
    right = trick["winner"]
    trick["winner"] = (right + 1) % 3
    first = check([record], tmp_path)[0][0]
    assert (first.line, first.where, first.record, first.rules) == (
        1, "trick 5", f"seat {trick['winner']} wins", f"seat {right} wins",
    )  # fmt: skip
    assert first.file.endswith("games.jsonl")
    assert "[seed]" in first.source


OPTIONAL = [
    "selection", "ring_holder", "solo_exchanger", "lost_at_play", "draw_order", "left", "won", "round", "event", "assumptions",
    "policy", "seed", "deal", "failed_event", "stopped_early", "sealed",
]  # fmt: skip
FROM_HANDS = ["setup", "lost", "dealt"]
"""Without one of these a round is judged from the hands at play on."""


def without(record: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a record that lacks a field."""
    short = json.loads(json.dumps(record))
    for place in (short, *short["seats"]):
        place.pop(name, None)
    return short


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("name", OPTIONAL + FROM_HANDS)
def test_what_a_record_leaves_out_is_not_checked(name: str, players: int, tmp_path: Path) -> None:
    for label in ("1", "4"):
        played = rounds(label, players, "random", 60)[:3]
        assert check([without(one.record, name) for one in played], tmp_path) == [[]] * 3


def test_the_selection_is_whole() -> None:
    assert sum(len(records(path)) for path in files(SELECTION)) == 396
