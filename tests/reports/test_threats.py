from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, false_discovery_control, fisher_exact
from synthetic_run import Row, assert_same, by_cell, cell_of, frames, make_rows, newcombe_by_hand, share_by_hand, tables

from reports import threats


def two_shares_by_hand(k: int, n: int, other_k: int, other_n: int) -> tuple[str | None, float | None]:
    if not other_n:
        return None, None
    table = [[k, n - k], [other_k, other_n - other_k]]
    whole = n + other_n
    least = min(size * part / whole for size in (n, other_n) for part in (k + other_k, whole - k - other_k))
    if least < 5:
        return "fisher", fisher_exact(table).pvalue
    return "z", chi2_contingency(table, correction=False).pvalue


def threats_by_hand(rounds: list[Row], goals: list[Row]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    won = {id(goal): row["won"] for row, seats in tables(rounds, goals) for goal in seats}
    expected = {}
    for key, rows in by_cell([row for row in goals if row["threat"] is not None], "character").items():
        tested = {}
        for threat in {row["threat"] for row in rows}:
            mine, others = ([row for row in rows if (row["threat"] == threat) is same] for same in (True, False))
            failed, other_failed = (sum(row["met"] is False for row in side) for side in (mine, others))
            tested[threat] = mine, failed, (failed, len(mine), other_failed, len(others))
        tests = {threat: two_shares_by_hand(*versus) for threat, (_, _, versus) in tested.items()}
        asked = [threat for threat, (_, p) in tests.items() if p is not None]
        p_adjusted = dict(zip(asked, false_discovery_control([tests[t][1] for t in asked]), strict=True)) if asked else {}
        for threat, (mine, failed, versus) in tested.items():
            rate = share_by_hand(failed, len(mine))
            compared: tuple[Any, ...] = (None,) * 8
            if versus[3]:
                other = versus[2] / versus[3]
                p = float(p_adjusted[threat])
                compared = (other, rate[0] - other, *newcombe_by_hand(*versus), *tests[threat], p, p <= 0.05)
            wins = sum(won[id(row)] for row in mine)
            expected[(*key, threat)] = (len(mine), failed, *rate, *compared, wins, *share_by_hand(wins, len(mine)))
    return expected


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 3), st.sampled_from([10, 60]))
def test_threats_agree_with_counting_by_hand(seed: int, early: bool, rounds_to_a_deal: int, deals: int) -> None:
    rows = make_rows(seed, early=early, rounds_to_a_deal=rounds_to_a_deal, deals=deals)
    rounds, goals = frames(*rows)
    assert_same(threats(goals, rounds), 5, threats_by_hand(*rows))


def test_a_threat_that_decides_is_significant_and_one_alone_is_not_tested() -> None:
    rows = make_rows(3, [("1", 3, "script")], deals=80)
    for row in rows[1]:
        row |= {"threat": 1 + row["deal"] % 2 if row["seat"] == 0 else (7 if row["seat"] == 1 else None)}
        row |= {"character": f"seat_{row['seat']}", "met": row["threat"] != 1}
    rounds, goals = frames(*rows)
    frame = threats(goals, rounds)
    assert frame.select("character", "threat", "rate", "significant").rows() == [
        ("seat_0", 1, 1.0, True),
        ("seat_0", 2, 0.0, True),
        ("seat_1", 7, 0.0, None),
    ]
    assert frame["difference"].to_list()[:2] == pytest.approx([1, -1])
    assert cell_of(frame.row(0, named=True)) == ("1", 3, "script")
