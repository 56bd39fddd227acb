from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint
from synthetic_run import newcombe_by_hand, paired_by_hand, wilson_by_hand

from reports.intervals import check_confidence, newcombe, newcombe_paired, share, wilson
from scenarios.errors import UserError

COUNTS = st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LEVELS = st.sampled_from([0.5, 0.8, 0.95, 0.999, 0.9999])


def one(value: int) -> pl.Series:
    return pl.Series([value])


@pytest.mark.parametrize("n", [1, 2, 10, 1000, 10**9])
@pytest.mark.parametrize(("confidence", "z"), [(0.95, 1.959963984540054), (0.99, 2.5758293035489004)])
def test_wilson_has_its_closed_form_where_none_or_all_succeed(n: int, confidence: float, z: float) -> None:
    low, high = wilson(pl.Series([0, n]), pl.Series([n, n]), confidence=confidence)
    assert low[0] == 0
    assert high[0] == pytest.approx(z * z / (n + z * z), rel=1e-9)
    assert low[1] == pytest.approx(n / (n + z * z), rel=1e-9)
    assert high[1] == 1


@settings(deadline=None)
@given(st.lists(COUNTS, min_size=1, max_size=10), LEVELS)
def test_wilson_solves_its_equation(counts: list[tuple[int, int]], confidence: float) -> None:
    successes, trials = (pl.Series(column) for column in zip(*counts, strict=True))
    low, high = wilson(successes, trials, confidence=confidence)
    for place, (k, n) in enumerate(counts):
        assert (low[place], high[place]) == pytest.approx(wilson_by_hand(k, n, confidence), abs=1e-9)
        assert 0 <= low[place] <= k / n <= high[place] <= 1


@settings(deadline=None)
@given(COUNTS, COUNTS, LEVELS)
def test_the_closed_forms_are_those_of_statsmodels(first: tuple[int, int], second: tuple[int, int], confidence: float) -> None:
    alpha = 1 - confidence
    low, high = wilson(*map(one, first), confidence=confidence)
    assert (low[0], high[0]) == pytest.approx(proportion_confint(*first, alpha=alpha, method="wilson"), abs=1e-12)
    low, high = newcombe(*map(one, (*first, *second)), confidence=confidence)
    expected = confint_proportions_2indep(*first, *second, method="newcomb", compare="diff", alpha=alpha)
    assert (low[0], high[0]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("fields", "interval"),
    [
        ((14, 5, 0, 22), (0.011, 0.226)),  # Altman et al. 2000, table 6.2
        ((20, 12, 2, 16), (0.0562, 0.3290)),  # Armitage and Berry 1994, p. 127, as in Newcombe 1998
        ((1, 1, 7, 12), (-0.507, -0.026)),  # Bentur et al. 2009, as in Fagerland et al. 2014
    ],
)
def test_paired_newcombe_gives_published_intervals(fields: tuple[int, ...], interval: tuple[float, float]) -> None:
    low, high = newcombe_paired(*map(one, fields))
    assert (low[0], high[0]) == pytest.approx(interval, abs=5e-4)


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 60)] * 4), min_size=1, max_size=8), LEVELS)
def test_paired_newcombe_agrees_with_its_formula(tables: list[tuple[int, int, int, int]], confidence: float) -> None:
    low, high = newcombe_paired(*(pl.Series(column) for column in zip(*tables, strict=True)), confidence=confidence)
    turned = newcombe_paired(*(pl.Series([row[at] for row in tables]) for at in (0, 2, 1, 3)), confidence=confidence)
    for place, fields in enumerate(tables):
        expected = paired_by_hand(*fields, confidence) if sum(fields) else (None, None)
        assert (low[place], high[place]) == pytest.approx(expected, abs=1e-9)
        if sum(fields):
            assert (-turned[1][place], -turned[0][place]) == pytest.approx(expected, abs=1e-9)


def test_paired_newcombe_takes_large_and_refuses_negative_counts() -> None:
    many = newcombe_paired(*map(one, (4 * 10**11, 10**11, 10**11 + 10**6, 4 * 10**11)))
    assert -2e-6 < many[0][0] < -1e-6 < many[1][0] < 0
    with pytest.raises(ValueError, match="must not be negative"):
        newcombe_paired(*map(one, (1, 1, -1, 1)))


def test_no_trials_give_null() -> None:
    frame = pl.DataFrame({"k": [0, 1], "n": [0, 2]}).with_columns(share("k", "n").alias("rate"))
    low, high = wilson(frame["k"], frame["n"])
    assert frame["rate"].to_list() == [None, 0.5]
    assert (low[0], high[0]) == (None, None)
    assert low.null_count() == high.null_count() == 1
    low, high = newcombe(pl.Series([0, 1, 1]), pl.Series([0, 2, 2]), pl.Series([1, 0, 1]), pl.Series([2, 0, 2]))
    assert low.is_null().to_list() == high.is_null().to_list() == [True, True, False]


def test_empty_columns_give_empty_intervals() -> None:
    empty = pl.Series([], dtype=pl.Int64)
    of_four = *newcombe(*[empty] * 4), *newcombe_paired(*[empty] * 4)
    assert [len(side) for side in (*wilson(empty, empty), *of_four)] == [0] * 6


@pytest.mark.parametrize(("m", "n"), [(1, 1), (10, 20), (5000, 36)])
def test_newcombe_where_none_succeed_against_all(m: int, n: int) -> None:
    z2 = 1.959963984540054**2
    low, high = newcombe(one(0), one(m), one(n), one(n))
    assert low[0] == -1
    assert high[0] == pytest.approx(-1 + ((z2 / (m + z2)) ** 2 + (z2 / (n + z2)) ** 2) ** 0.5, rel=1e-9)
    low, high = newcombe(one(0), one(m), one(0), one(n))
    assert low[0] == pytest.approx(-z2 / (n + z2), rel=1e-9)
    assert high[0] == pytest.approx(z2 / (m + z2), rel=1e-9)


@settings(deadline=None)
@given(COUNTS, COUNTS, LEVELS)
def test_newcombe_is_made_of_two_wilson_intervals(first: tuple[int, int], second: tuple[int, int], confidence: float) -> None:
    low, high = newcombe(*map(one, (*first, *second)), confidence=confidence)
    assert (low[0], high[0]) == pytest.approx(newcombe_by_hand(*first, *second, confidence), abs=1e-9)
    back_low, back_high = newcombe(*map(one, (*second, *first)), confidence=confidence)
    assert (back_low[0], back_high[0]) == pytest.approx((-high[0], -low[0]), abs=1e-12)


def test_newcombe_takes_a_level_per_row() -> None:
    same = [pl.Series([value] * 2) for value in (3, 10, 6, 10)]
    low, high = newcombe(*same, confidence=pl.Series([0.9, 0.99]))
    for place, confidence in enumerate((0.9, 0.99)):
        assert (low[place], high[place]) == pytest.approx(newcombe_by_hand(3, 10, 6, 10, confidence), abs=1e-9)


@pytest.mark.parametrize(("successes", "trials"), [(3, 2), (-1, 2)])
def test_impossible_counts_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="between 0 and trials"):
        wilson(one(successes), one(trials))


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.9999])
def test_usual_levels_are_accepted(confidence: float) -> None:
    assert check_confidence(confidence) == confidence


@pytest.mark.parametrize(
    ("confidence", "line"),
    [
        (0.49, "--confidence 0.49: must be a share from 0.5 to 0.9999"),
        (1.0, "--confidence 1: must be a share from 0.5 to 0.9999"),
        (95.0, "--confidence 95: must be a share from 0.5 to 0.9999 (95 % is 0.95)"),
        (float("nan"), "--confidence nan: must be a share from 0.5 to 0.9999"),
    ],
)
def test_other_levels_are_refused(confidence: float, line: str) -> None:
    with pytest.raises(UserError) as caught:
        check_confidence(confidence)
    assert str(caught.value) == line
