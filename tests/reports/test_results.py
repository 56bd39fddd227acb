"""Win rates side by side: every cell of every policy stands in the table, and only between its lines of the page."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import scenarios
from reports.results import insert, long_chapters, markdown, results, results_of
from scenarios.errors import UserError
from sim.core.numbers import parse_span


def balance_of(*rows: tuple[str, int, str, float, float, float]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["chapter", "players", "policy", "rate", "low", "high"], orient="row")


def test_a_row_per_cell_and_a_column_per_policy_weakest_first() -> None:
    table = results(
        balance_of(
            ("1", 3, "team", 0.96, 0.955, 0.9649), ("1", 3, "random", 0.1, 0.09, 0.11), ("2", 3, "team", 0.5, 0.4, 0.6),
            ("2", 4, "mine", 0.25, 0.2, 0.3),
        )
    )  # fmt: skip
    assert table.columns == ["chapter", "players", "random", "team", "mine"]
    assert table.rows() == [
        ("1", 3, "10.0 (9.0-11.0)", "96.0 (95.5-96.5)", ""),
        ("2", 3, "", "50.0 (40.0-60.0)", ""),
        ("2", 4, "", "", "25.0 (20.0-30.0)"),
    ]
    assert markdown(table, "made").splitlines()[2] == "| 1 | 3 | 10.0 (9.0-11.0) | 96.0 (95.5-96.5) |  |"


CELLS = balance_of(
    ("1", 1, "team", 0.8, 0.7, 0.9), ("1", 2, "team", 0.9, 0.8, 0.95), ("1", 2, "random", 0.1, 0.0, 0.2),
    ("9", 2, "team", 0.03, 0.01, 0.05), ("9", 2, "random", 0.0, 0.0, 0.01),
)  # fmt: skip


def test_one_policy_has_a_column_for_each_number_of_players() -> None:
    table = results_of(CELLS, "team", names={"1": "Party", "9": "Ford"}, long=["9"])
    assert table.columns == ["chapter", "name", "deal", "1 player", "2 players"]
    assert table.rows() == [
        ("1", "Party", "round", "80.0 (70.0-90.0)", "90.0 (80.0-95.0)"),
        ("9", "Ford", "attempt", "", "3.0 (1.0-5.0)"),
    ]
    assert markdown(table, "made").splitlines()[0] == "| chapter |  | a deal is | 1 player | 2 players |"
    with pytest.raises(UserError, match="--policy 'temm': allowed are random, team, which played .did you mean 'team'"):
        results_of(CELLS, "temm")


def test_an_attempt_of_a_long_chapter_is_named_so() -> None:
    table = results(CELLS, names={"1": "Party"}, long=["9"])
    assert table.columns == ["chapter", "name", "deal", "players", "random", "team"]
    assert [row[:3] for row in table.rows()] == [("1", "Party", "round"), ("1", "Party", "round"), ("9", "", "attempt")]


def test_a_chapter_is_long_when_some_deal_has_a_second_round() -> None:
    rows = [("1", 3, "team", 1, True), ("1", 3, "team", 1, False), ("9", 3, "random", 1, False), ("9", 3, "team", 1, True)]
    schema = ["chapter", "players", "policy", "round", "won"]
    assert long_chapters(pl.DataFrame(rows, schema=schema, orient="row")) == []
    assert long_chapters(pl.DataFrame([*rows, ("9", 3, "team", 2, True)], schema=schema, orient="row")) == ["9"]


def test_make_results_plays_the_whole_library() -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text()
    asked = parse_span(next(line.partition(" = ")[2] for line in makefile.splitlines() if line.startswith("LIBRARY = ")))
    whole = [scenarios.load(label) for label in scenarios.chapters()]
    assert asked == [name for one in whole for name in (one.name, *(kind.name for kind in one.rounds.values()))]


def test_insert_replaces_what_stands_between_the_lines_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- results -->\nold\n<!-- /results -->\nafter\n")
    insert(page, "results", "new")
    insert(page, "results", "newer")
    assert page.read_text() == "before\n<!-- results -->\nnewer\n<!-- /results -->\nafter\n"


def test_insert_says_what_the_page_lacks_and_leaves_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no lines\n")
    with pytest.raises(UserError, match="<!-- results -->"):
        insert(page, "results", "new")
    assert page.read_text() == "no lines\n"
    with pytest.raises(UserError, match="No such file"):
        insert(tmp_path / "none.md", "results", "new")
