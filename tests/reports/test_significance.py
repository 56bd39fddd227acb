from __future__ import annotations

from math import comb

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.contingency_tables import mcnemar as reference

from reports.significance import FEW, adjusted, mcnemar, normal_two_sided


@pytest.mark.parametrize(
    ("only_a", "only_b", "test", "p_value"),
    [
        (12, 2, "exact", 0.0129),  # Armitage and Berry 1994, p. 127: two culture media
        (1, 7, "exact", 0.0703),  # Bentur et al. 2009: airways before and after
        (150, 86, "chi2", 0.0000310),  # Agresti 2002, table 10.1: approval of a prime minister, z squared 17.36
    ],
)
def test_published_examples(only_a: int, only_b: int, test: str, p_value: float) -> None:
    tests, p_values = mcnemar(pl.Series([only_a]), pl.Series([only_b]))
    assert tests.to_list() == [test]
    assert p_values[0] == pytest.approx(p_value, rel=5e-3)


@settings(deadline=None)
@given(st.one_of(st.integers(0, 30), st.integers(0, 10**7)), st.one_of(st.integers(0, 30), st.integers(0, 10**7)))
def test_mcnemar_is_that_of_statsmodels(only_a: int, only_b: int) -> None:
    tests, p_values = mcnemar(pl.Series([only_a]), pl.Series([only_b]))
    exact = only_a + only_b < FEW
    assert tests[0] == ("exact" if exact else "chi2")
    expected = reference([[0, only_a], [only_b, 0]], exact=exact, correction=False).pvalue if only_a + only_b else 1.0
    assert p_values[0] == pytest.approx(expected, rel=1e-8, abs=1e-300)


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (5, 5), (0, 1), (3, 9), (24, 0)])
def test_few_pairs_are_counted_out(only_a: int, only_b: int) -> None:
    pairs = only_a + only_b
    far = [k for k in range(pairs + 1) if abs(2 * k - pairs) >= abs(only_a - only_b)]
    _, p_values = mcnemar(pl.Series([only_a]), pl.Series([only_b]))
    assert p_values[0] == pytest.approx(sum(comb(pairs, k) for k in far) / 2**pairs)


def test_columns_and_refusals() -> None:
    tests, p_values = mcnemar(pl.Series([], dtype=pl.Int64), pl.Series([], dtype=pl.Int64))
    assert (tests.dtype, p_values.dtype, len(tests)) == (pl.String, pl.Float64, 0)
    with pytest.raises(ValueError, match="must not be negative"):
        mcnemar(pl.Series([1]), pl.Series([-1]))
    assert normal_two_sided(0) == 1
    assert normal_two_sided(-1.959963984540054) == pytest.approx(0.05)


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), st.sampled_from([0.0, 0.01, 0.02, 0.5, 1.0]), st.floats(0, 1)), max_size=12))
def test_adjusted_is_that_of_scipy(p_values: list[float | None]) -> None:
    result = adjusted(pl.Series(p_values, dtype=pl.Float64))
    asked = [p for p in p_values if p is not None]
    expected = iter(false_discovery_control(asked, method="bh").tolist() if asked else [])
    assert result.to_list() == pytest.approx([None if p is None else next(expected) for p in p_values])
    assert result.name == "p_adjusted"
