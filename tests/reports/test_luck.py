from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_run import Cell, Row, make_rows, outcomes_by_hand, part, wilson_by_hand, write_run

from reports import luck, open_run, pairs, pool
from reports.luck import COLUMNS, FATES, unplayed
from scenarios.errors import UserError

PLACES = [("2", 3), ("10", 4), ("my", 1)]
POLICIES = ("team", "search", "open")
CELLS: list[Cell] = [(*place, policy) for place in PLACES for policy in POLICIES]
Table = tuple[list[Row], list[Row]]


def make(seed: int, cells: list[Cell] = CELLS, *, verdicts: bool = True, **options: Any) -> Table:
    """Return rows whose rounds of `open` may hold a verdict."""
    rounds, goals = make_rows(seed, cells, **options)
    draw = random.Random(seed)
    for row in rounds if verdicts else []:
        if row["policy"] == "open":
            row["open"] = "won" if row["won"] else draw.choice(["lost", "unknown"])
    return rounds, goals


def only(rows: Table, keep: Any) -> Table:
    rounds, goals = rows
    return [row for row in rounds if keep(row)], [row for row in goals if keep(row)]


def fates_by_hand(rounds: list[Row], place: tuple[str, int]) -> dict[str, int]:
    fast, strong, open_ = (outcomes_by_hand(rounds, (*place, policy)) for policy in POLICIES)
    counts = dict.fromkeys((*FATES, "contradicted"), 0)
    for deal in fast.keys() & strong.keys() & open_.keys():
        verdict = open_[deal]["open"] or ("won" if open_[deal]["won"] else "lost")
        if fast[deal]["won"]:
            fate = "won"
        elif strong[deal]["won"]:
            fate = "haste"
        else:
            fate = {"won": "hidden", "lost": "luck", "unknown": "unknown"}[verdict]
        counts[fate] += 1
        counts["contradicted"] += verdict == "lost" and fate in ("won", "haste")
    return counts


def write(folder: Path, rows: Table, cells: list[Cell] = CELLS, **options: Any) -> Path:
    return write_run(folder, *rows, cells=cells, **options)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 3), st.booleans())
def test_luck_agrees_with_sorting_deals_by_hand(
    tmp_path_factory: pytest.TempPathFactory, seed: int, rounds_to_a_deal: int, verdicts: bool
) -> None:
    rows = make(seed, rounds_to_a_deal=rounds_to_a_deal, verdicts=verdicts)
    frame = luck(open_run(write(tmp_path_factory.mktemp("runs") / "run", rows)), confidence=0.9)
    assert frame.select("chapter", "players").rows() == PLACES
    for row in frame.iter_rows(named=True):
        counts = fates_by_hand(rows[0], (row["chapter"], row["players"]))
        assert row["deals"] == sum(counts[fate] for fate in FATES) == 40
        assert sum(row[fate] for fate in FATES) == pytest.approx(1)
        assert row["contradicted"] == counts["contradicted"]
        for fate in FATES:
            expected = counts[fate] / 40, *wilson_by_hand(counts[fate], 40, 0.9)
            assert (row[fate], row[f"{fate}_low"], row[f"{fate}_high"]) == pytest.approx(expected, abs=1e-9)


def test_columns_and_dtypes(tmp_path: Path) -> None:
    frame = luck(open_run(write(tmp_path / "run", make(1))))
    shares = [f"{fate}{side}" for fate in ("luck", "hidden", "haste", "won", "unknown") for side in ("", "_low", "_high")]
    expected = {"chapter": pl.Enum(["2", "10", "my"]), "players": pl.UInt8, "deals": pl.Int64}
    expected |= dict.fromkeys(shares, pl.Float64) | {"contradicted": pl.Int64}
    expected |= dict.fromkeys(["fast", "strong", "open"], pl.String)
    expected |= dict.fromkeys(["fast_deals", "strong_deals", "open_deals"], pl.Int64)
    assert frame.schema == expected
    assert list(COLUMNS) == frame.columns == list(expected)
    assert frame.select("fast", "strong", "open").unique().rows() == [POLICIES]


def test_only_deals_that_all_three_played_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = make(2)
    few = only(rows, lambda row: row["policy"] != "search" or row["deal"] < 7)
    few = only(few, lambda row: row["policy"] != "open" or row["deal"] >= 3)
    folders = [
        write(tmp_path / policy, only(few, lambda row, policy=policy: row["policy"] == policy), [*cells])
        for policy, cells in ((policy, [cell for cell in CELLS if cell[2] == policy]) for policy in POLICIES)
    ]
    frame = luck(pool([open_run(folder) for folder in folders]))
    assert frame.select("deals", "fast_deals", "strong_deals", "open_deals").unique().rows() == [(4, 40, 7, 37)]
    for row in frame.iter_rows(named=True):
        counts = fates_by_hand(few[0], (row["chapter"], row["players"]))
        assert [row[fate] * 4 for fate in FATES] == pytest.approx([counts[fate] for fate in FATES])
    monkeypatch.setattr(pairs, "BLOCK", 5)
    assert luck(pool([open_run(folder) for folder in folders])).equals(frame)


def test_deals_of_different_seeds_do_not_meet(tmp_path: Path) -> None:
    first, second = make(3), make(4)
    a = write(tmp_path / "a", first)
    b = write(tmp_path / "b", only(second, lambda row: row["policy"] != "team"), CELLS, seed="0x1")
    alone = luck(open_run(a))
    together = luck(pool([open_run(a), open_run(b)]))
    assert together.drop("strong_deals", "open_deals").equals(alone.drop("strong_deals", "open_deals"))
    assert together["strong_deals"].unique().to_list() == [80]
    c = write(
        tmp_path / "c",
        only(second, lambda row: row["policy"] == "team"),
        [cell for cell in CELLS if cell[2] == "team"],
        seed="0x1",
    )
    whole = luck(pool([open_run(folder) for folder in (a, b, c)]))
    for row in whole.iter_rows(named=True):
        place = row["chapter"], row["players"]
        counts = [fates_by_hand(rounds, place) for rounds in (first[0], second[0])]
        assert row["deals"] == 80
        assert [row[fate] * 80 for fate in FATES] == pytest.approx([sum(some[fate] for some in counts) for fate in FATES])


def test_any_policies_can_stand_for_the_three(tmp_path: Path) -> None:
    run = open_run(write(tmp_path / "run", make(5)))
    frame = luck(run, fast="search", strong="search")
    assert frame.select("fast", "strong", "open").unique().rows() == [("search", "search", "open")]
    assert frame["haste"].to_list() == [0, 0, 0]


def test_places_that_a_policy_did_not_play_are_left_out_and_named(tmp_path: Path) -> None:
    cells = [cell for cell in CELLS if cell not in [("10", 4, "search"), ("10", 4, "open"), ("my", 1, "team")]]
    run = open_run(write(tmp_path / "run", make(6, cells), cells))
    assert luck(run).select("chapter", "players").rows() == [("2", 3)]
    assert unplayed(run, POLICIES) == [
        "chapter 10, 4 players: not played by search, open",
        "chapter my, 1 players: not played by team",
    ]


def test_no_deals_in_common_give_null(tmp_path: Path) -> None:
    rows = only(make(7), lambda row: (row["deal"] < 15) == (row["policy"] == "team"))
    frame = luck(open_run(write(tmp_path / "run", rows)))
    assert frame.select("deals", "luck", "luck_low", "won_high").unique().rows() == [(0, None, None, None)]


def test_what_cannot_be_joined_is_refused(tmp_path: Path) -> None:
    rows = make(8)
    run = open_run(write(tmp_path / "run", rows))
    with pytest.raises(UserError) as caught:
        luck(run, fast="teem")
    line = "--fast teem: there are no deals of it; the policies played are team, search, open (did you mean 'team'?)"
    assert str(caught.value) == line
    cells: list[Cell] = [("2", 3, "team"), ("2", 4, "search"), ("2", 3, "open")]
    apart = open_run(write(tmp_path / "apart", make(8, cells), cells))
    with pytest.raises(UserError) as caught:
        luck(apart)
    assert str(caught.value) == "no chapter was played by all of team, search and open for the same number of people"
    with pytest.raises(UserError, match="--confidence 2"):
        luck(run, confidence=2)


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [("scenario_hash", "sha256:1", "scenario hash"), ("assumptions", {"A10": "after_trick"}, "assumptions")],
)
def test_other_rules_are_refused(tmp_path: Path, field: str, value: Any, named: str) -> None:
    rows = make(9)
    teams, others = ([cell for cell in CELLS if (cell[2] == "team") is wanted] for wanted in (True, False))
    a = write(tmp_path / "a", only(rows, lambda row: row["policy"] == "team"), teams)
    b = write(tmp_path / "b", only(rows, lambda row: row["policy"] != "team"), others, cell={field: value})
    with pytest.raises(UserError) as caught:
        luck(pool([open_run(a), open_run(b)]))
    line = f"{a} and {b} differ in {named} for chapter 2, 3 players: luck needs the same rules for all policies"
    assert str(caught.value) == line


def test_a_part_damaged_inside_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", make(10))
    file = part(folder, "rounds", CELLS[4], 15)
    content = bytearray(file.read_bytes())
    footer = int.from_bytes(content[-8:-4], "little") + 8
    content[4:-footer] = bytes(len(content) - footer - 4)
    file.write_bytes(content)
    with pytest.raises(UserError) as caught:
        luck(open_run(folder))
    assert str(caught.value).startswith(f"{file}: cannot be read, it is damaged or cut short (")
