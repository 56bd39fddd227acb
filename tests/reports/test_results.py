"""Win rates side by side: every cell of every policy stands in the table, and only between its lines of the page."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from reports.results import insert, markdown, results
from scenarios.errors import UserError


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
