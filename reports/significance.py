"""P values over whole columns: tests for two shares, paired or not, and the correction for asking many questions at once."""

from __future__ import annotations

from math import comb, erfc, sqrt

import polars as pl

LEAST_EXPECTED = 5  # below this expected count in a field of the 2 x 2 table the z test is not to be trusted (Cochran)
FEW = 25  # with fewer discordant pairs the chi-square approximation is not to be trusted


def normal_two_sided(z: float) -> float:
    """Return the probability that a standard normal value lies as far from 0 as `z`, or further."""
    return erfc(abs(z) / sqrt(2))


def two_shares(
    successes: pl.Series, trials: pl.Series, other_successes: pl.Series, other_trials: pl.Series
) -> tuple[pl.Series, pl.Series]:
    """Return the test (`test`, `p_value`) of successes / trials against other_successes / other_trials, two-sided.

    The samples must be independent. `test` is "fisher" (exact) where an expected count is below LEAST_EXPECTED, else "z"
    (pooled); both are null without other trials, and p is 1 where all or none succeed.
    """
    tests, p_values = [], []
    for row in zip(successes, trials, other_successes, other_trials, strict=True):
        test, p_value = _two_shares(*row)
        tests.append(test)
        p_values.append(p_value)
    return pl.Series("test", tests, dtype=pl.String), pl.Series("p_value", p_values, dtype=pl.Float64)


def _two_shares(successes: int, trials: int, other_successes: int, other_trials: int) -> tuple[str | None, float | None]:
    if other_trials == 0:
        return None, None
    pooled = (successes + other_successes) / (trials + other_trials)
    few = min(trials, other_trials) * min(pooled, 1 - pooled) < LEAST_EXPECTED
    if pooled in (0, 1):
        return "fisher" if few else "z", 1.0  # nothing tells the two apart
    if few:
        from scipy.stats import fisher_exact  # takes a second to import

        table = [[successes, trials - successes], [other_successes, other_trials - other_successes]]
        return "fisher", fisher_exact(table).pvalue
    spread = sqrt(pooled * (1 - pooled) * (1 / trials + 1 / other_trials))
    return "z", normal_two_sided((successes / trials - other_successes / other_trials) / spread)


def mcnemar(only_a: pl.Series, only_b: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return McNemar's test (`test`, `p_value`), two-sided, of the discordant pairs of each row.

    `test` is "exact" (binomial) below FEW discordant pairs, else "chi2" (one degree of freedom, no correction for
    continuity). Without discordant pairs p is 1. Raises ValueError for negative counts.
    """
    tests, p_values = [], []
    for a, b in zip(only_a, only_b, strict=True):
        if min(a, b) < 0:
            raise ValueError("counts must not be negative")
        exact = a + b < FEW
        tests.append("exact" if exact else "chi2")
        p_values.append(_binomial_two_sided(min(a, b), a + b) if exact else normal_two_sided((a - b) / sqrt(a + b)))
    return pl.Series("test", tests, dtype=pl.String), pl.Series("p_value", p_values, dtype=pl.Float64)


def _binomial_two_sided(fewer: int, pairs: int) -> float:
    return min(1.0, 2 * sum(comb(pairs, k) for k in range(fewer + 1)) / 2**pairs)


def adjusted(p_values: pl.Series) -> pl.Series:
    """Return Benjamini and Hochberg's adjusted p values as Float64; null stays null and is no question asked."""
    # From the largest p value down, each times number / rank, and never more than one before it.
    step = (pl.col("p") * pl.col("p").count() / pl.col("p").rank("max")).sort_by("p", descending=True, nulls_last=True)
    frame = pl.DataFrame({"p": p_values.cast(pl.Float64)}).with_row_index("row")
    result = frame.select(
        pl.col("row").sort_by("p", descending=True, nulls_last=True), step.cum_min().clip(0, 1).alias("p_adjusted")
    )
    return result.sort("row")["p_adjusted"]
