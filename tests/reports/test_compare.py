from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from synthetic_run import Cell, Row, make_rows, outcomes_by_hand, paired_by_hand, write_run

from reports import compare, differing_deals, open_run, pair_runs, pairs
from reports.compare import COLUMNS, DEAL_COLUMNS
from scenarios.errors import UserError

PLACES = [("2", 3), ("10", 4), ("10", 1)]
CELLS: list[Cell] = [(*place, policy) for place in PLACES for policy in ("script", "team")]


def cells_of(policy: str) -> list[Cell]:
    return [(*place, policy) for place in PLACES]


def two_by_two(a: dict[int, Row], b: dict[int, Row]) -> tuple[int, int, int, int]:
    played = [(a[deal]["won"], b[deal]["won"]) for deal in a.keys() & b.keys()]
    return tuple(played.count(fields) for fields in ((True, True), (True, False), (False, True), (False, False)))  # type: ignore[return-value]


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 40))
def test_compare_agrees_with_pairing_by_hand(
    tmp_path_factory: pytest.TempPathFactory, seed: int, rounds_to_a_deal: int, shared: int
) -> None:
    rounds, goals = make_rows(seed, CELLS, rounds_to_a_deal=rounds_to_a_deal)
    rounds, goals = ([row for row in table if row["policy"] == "script" or row["deal"] < shared] for table in (rounds, goals))
    run = open_run(write_run(tmp_path_factory.mktemp("runs") / "run", rounds, goals, cells=CELLS))
    frame = compare(pair_runs(run, run, policy_a="script", policy_b="team"), confidence=0.9)
    assert frame.select("chapter", "players").rows() == sorted(PLACES, key=lambda place: (int(place[0]), place[1]))
    p_values = []
    for row in frame.iter_rows(named=True):
        place = row["chapter"], row["players"]
        fields = two_by_two(outcomes_by_hand(rounds, (*place, "script")), outcomes_by_hand(rounds, (*place, "team")))
        both, only_a, only_b, neither = fields
        assert (row["both"], row["only_a"], row["only_b"], row["neither"]) == fields
        assert row["deals"] == sum(fields) == shared
        assert row["rate_a"] == pytest.approx((both + only_a) / shared)
        assert row["rate_b"] == pytest.approx((both + only_b) / shared)
        assert row["difference"] == pytest.approx((only_b - only_a) / shared)
        assert row["discordant"] == pytest.approx((only_a + only_b) / shared)
        interval = paired_by_hand(both, only_b, only_a, neither, 0.9)
        assert (row["difference_low"], row["difference_high"]) == pytest.approx(interval, abs=1e-9)
        exact = only_a + only_b < 25
        assert row["test"] == ("exact" if exact else "chi2")
        table = [[both, only_a], [only_b, neither]]
        p_values.append(mcnemar(table, exact=exact, correction=False).pvalue)
        assert row["p_value"] == pytest.approx(p_values[-1])
    p_values.sort()
    for row in frame.iter_rows(named=True):
        above = [p * len(p_values) / rank for rank, p in enumerate(p_values, 1) if p >= row["p_value"] - 1e-12]
        assert row["p_adjusted"] == pytest.approx(min(1, *above, 1))
        assert row["significant"] == (row["p_adjusted"] <= 0.1)


def test_columns_and_dtypes(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", *make_rows(1, CELLS), cells=CELLS))
    paired = pair_runs(run, run, policy_a="script", policy_b="team")
    what = {
        "chapter": pl.Enum(["2", "10"]),
        "chapter_b": pl.String,
        "players": pl.UInt8,
        "policy_a": pl.String,
        "policy_b": pl.String,
    }
    shares = ["rate_a", "rate_b", "difference", "difference_low", "difference_high", "discordant"]
    expected: dict[str, Any] = what | {"deals": pl.Int64} | dict.fromkeys(shares, pl.Float64)
    expected |= dict.fromkeys(["both", "only_a", "only_b", "neither"], pl.Int64)
    expected |= {"test": pl.String, "p_value": pl.Float64, "p_adjusted": pl.Float64, "significant": pl.Boolean}
    frame = compare(paired)
    assert frame.schema == expected
    assert list(COLUMNS) == frame.columns == list(expected)
    deals = differing_deals(paired)
    assert deals.schema == what | {"deal": pl.UInt64, "won_a": pl.Boolean, "won_b": pl.Boolean}
    assert list(DEAL_COLUMNS) == deals.columns


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_deals_that_differ_are_listed_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    rounds, goals = make_rows(12, CELLS, rounds_to_a_deal=2)
    run = open_run(write_run(tmp_path / "run", rounds, goals, cells=CELLS))
    paired = pair_runs(run, run, policy_a="team", policy_b="script")
    whole = compare(paired)
    monkeypatch.setattr(pairs, "BLOCK", block)
    assert compare(paired).equals(whole)
    expected = []
    for place in sorted(PLACES, key=lambda place: (int(place[0]), place[1])):
        a, b = (outcomes_by_hand(rounds, (*place, policy)) for policy in ("team", "script"))
        differ = [deal for deal in sorted(a) if a[deal]["won"] != b[deal]["won"]]
        expected += [(*place, deal, a[deal]["won"], b[deal]["won"]) for deal in differ[:3]]
    assert len(expected) > 3
    listed = differing_deals(paired, first=3)
    assert listed.select("chapter", "players", "deal", "won_a", "won_b").rows() == expected


def test_two_runs_are_matched_by_chapter_and_players(tmp_path: Path) -> None:
    rounds, goals = make_rows(3, CELLS)
    other: list[Cell] = [("10", 4, "script"), ("10", 2, "script"), ("3", 3, "script")]
    a = open_run(write_run(tmp_path / "a", rounds, goals, cells=CELLS))
    b = open_run(write_run(tmp_path / "b", *make_rows(4, other), cells=other, cell={"assumptions": {"A10": "after_trick"}}))
    paired = pair_runs(a, b, policy_a="team")
    frame = compare(paired)
    assert frame.select("chapter", "chapter_b", "players", "policy_a", "policy_b").rows() == [("10", "10", 4, "team", "script")]
    assert paired.left_out == (
        "chapter 2, 3 players: only in A",
        "chapter 10, 1 players: only in A",
        "chapter 10, 2 players: only in B",
        "chapter 3, 3 players: only in B",
    )


def test_chapters_with_other_names_are_matched_as_told(tmp_path: Path) -> None:
    ours: list[Cell] = [("5", 3, "script"), ("my", 3, "script"), ("6", 3, "script")]
    theirs: list[Cell] = [("my", 3, "script"), ("6", 3, "script"), ("5", 3, "script")]
    a = open_run(write_run(tmp_path / "a", *make_rows(5, ours), cells=ours))
    b = open_run(write_run(tmp_path / "b", *make_rows(6, theirs), cells=theirs))
    paired = pair_runs(a, b, chapters={"5": "my"})
    assert compare(paired).select("chapter", "chapter_b").rows() == [("5", "my"), ("6", "6")]
    assert paired.left_out == ("chapter my, 3 players: only in A", "chapter 5, 3 players: only in B")
    for chapters, line in (
        ({"7": "my"}, f"--match 7=my: {a.path} has no chapter '7'; its chapters are 5, my, 6"),
        ({"5": "mine"}, f"--match 5=mine: {b.path} has no chapter 'mine'; its chapters are my, 6, 5"),
        ({"5": "6", "my": "6"}, "--match 5=6: chapter 6 can be matched once only"),
    ):
        with pytest.raises(UserError) as caught:
            pair_runs(a, b, chapters=chapters)
        assert str(caught.value).split(" (did")[0] == line


def test_a_run_against_itself_shows_no_difference(tmp_path: Path) -> None:
    cells = cells_of("script")
    run = open_run(write_run(tmp_path / "run", *make_rows(7, cells), cells=cells))
    frame = compare(pair_runs(run, run))
    assert frame["difference"].to_list() == [0.0] * 3
    assert frame["p_adjusted"].to_list() == [1.0] * 3
    assert differing_deals(pair_runs(run, run)).is_empty()


def test_no_deals_in_common_give_null(tmp_path: Path) -> None:
    cells = cells_of("script")
    rows = make_rows(8, cells)
    halves = [
        open_run(
            write_run(tmp_path / name, *([row for row in table if (row["deal"] < 15) is early] for table in rows), cells=cells)
        )
        for name, early in (("a", True), ("b", False))
    ]
    frame = compare(pair_runs(*halves))
    assert frame["deals"].to_list() == [0, 0, 0]
    for name in (
        "rate_a",
        "rate_b",
        "difference",
        "difference_low",
        "difference_high",
        "discordant",
        "test",
        "p_value",
        "p_adjusted",
    ):
        assert frame[name].null_count() == 3
    assert frame["significant"].null_count() == 3


def test_other_deals_are_refused(tmp_path: Path) -> None:
    cells = cells_of("script")
    rows = make_rows(9, cells)
    a, seed, format_ = (
        open_run(write_run(tmp_path / name, *rows, cells=cells, **more))
        for name, more in (("a", {}), ("seed", {"seed": "0x7"}), ("format", {"deal_format": 2}))
    )
    with pytest.raises(UserError) as caught:
        pair_runs(a, seed)
    assert (
        str(caught.value)
        == f"{a.path} and {seed.path} have different seeds (0x2a and 0x7): only runs of one seed share their deals"
    )
    with pytest.raises(UserError) as caught:
        pair_runs(a, format_)
    assert (
        str(caught.value) == f"{a.path} and {format_.path} have different deal formats (1 and 2): the same number is another deal"
    )


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    a = open_run(write_run(tmp_path / "a", *make_rows(10, CELLS), cells=CELLS))
    other: list[Cell] = [("3", 3, "script"), ("2", 4, "script")]
    b = open_run(write_run(tmp_path / "b", *make_rows(10, other), cells=other))
    for options, line in (
        ({}, f"{a.path}: holds the policies script, team; choose with --policy"),
        (
            {"policy_a": "teem"},
            f"--policy teem: {a.path} holds no deals of it, only of script, team (did you mean 'team'?)",
        ),
        (
            {"policy_a": "team"},
            f"{a.path} and {b.path} have no chapter and number of players in common: A has chapter 2 for 3; chapter 10 for 4, 1, "
            "B has chapter 3 for 3; chapter 2 for 4; --match 5=my matches other names",
        ),
    ):
        with pytest.raises(UserError) as caught:
            pair_runs(a, b, **options)
        assert str(caught.value) == line
