"""Confidence intervals for shares and for differences of shares, over whole columns at once."""

from __future__ import annotations

import numpy as np
import polars as pl

from scenarios.errors import UserError

CONFIDENCE_RANGE = (0.5, 0.9999)


def check_confidence(confidence: float) -> float:
    """Return `confidence` if it is a share from 0.5 to 0.9999, else raise UserError."""
    low, high = CONFIDENCE_RANGE
    if low <= confidence <= high:
        return confidence
    hint = f" ({confidence:g} % is {confidence / 100:g})" if low <= confidence / 100 <= high else ""
    raise UserError(f"--confidence {confidence:g}: must be a share from {low} to {high}{hint}")


def wilson(successes: pl.Series, trials: pl.Series, *, confidence: float = 0.95) -> tuple[pl.Series, pl.Series]:
    """Return the Wilson score interval (low, high) of each share successes / trials, as Float64 shares.

    0/n gives exactly 0 as low, n/n exactly 1 as high, and no trials null. Raises ValueError for impossible
    counts.
    """
    from statsmodels.stats.proportion import proportion_confint  # takes a second to import

    count, total = _counts(successes, trials)
    some = total > 0
    low, high = np.full(count.shape, np.nan), np.full(count.shape, np.nan)
    low[some], high[some] = proportion_confint(count[some], total[some], alpha=_alpha(confidence), method="wilson")
    low = np.where(some & (count == 0), 0.0, np.clip(low, 0, 1))
    high = np.where(some & (count == total), 1.0, np.clip(high, 0, 1))
    return pl.Series("low", low, nan_to_null=True), pl.Series("high", high, nan_to_null=True)


def newcombe(
    successes: pl.Series,
    trials: pl.Series,
    other_successes: pl.Series,
    other_trials: pl.Series,
    *,
    confidence: float | pl.Series = 0.95,
) -> tuple[pl.Series, pl.Series]:
    """Return Newcombe's interval (low, high) of successes / trials - other_successes / other_trials.

    The two samples must be independent. The interval is built from the two Wilson intervals (Newcombe 1998,
    method 10), so it is of use at 0/n and n/n too; Float64 shares within -1..1, null when either side has
    no trials. `confidence` may be a column, one level per row. Raises ValueError for impossible counts.
    """
    from statsmodels.stats.proportion import confint_proportions_2indep

    count, total = _counts(successes, trials)
    other_count, other_total = _counts(other_successes, other_trials)
    some = (total > 0) & (other_total > 0)
    levels = confidence if isinstance(confidence, pl.Series) else pl.repeat(confidence, len(count), eager=True)
    low, high = np.full(count.shape, np.nan), np.full(count.shape, np.nan)
    for level in levels.unique():
        rows = some & (levels == level).to_numpy()
        low[rows], high[rows] = confint_proportions_2indep(
            count[rows],
            total[rows],
            other_count[rows],
            other_total[rows],
            method="newcomb",
            compare="diff",
            alpha=_alpha(level),
        )
    low, high = np.clip(low, -1, 1), np.clip(high, -1, 1)
    return pl.Series("low", low, nan_to_null=True), pl.Series("high", high, nan_to_null=True)


def _alpha(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}, expected a share between 0 and 1")
    return 1 - confidence


def _counts(successes: pl.Series, trials: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    count, total = (series.cast(pl.Int64).to_numpy() for series in (successes, trials))
    if not ((0 <= count) & (count <= total)).all():
        raise ValueError("successes must lie between 0 and trials")
    return count, total


def share(successes: str, trials: str) -> pl.Expr:
    """Return successes / trials as Float64, null without trials (never NaN)."""
    return pl.when(pl.col(trials) > 0).then(pl.col(successes) / pl.col(trials)).otherwise(None).cast(pl.Float64)
