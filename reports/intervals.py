"""Confidence intervals for shares and for differences of shares, over whole columns at once.

All have a closed form: to import statsmodels, or even NumPy, for them would take longer than a report does.
"""

from __future__ import annotations

from statistics import NormalDist

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


def wilson(successes: pl.Series, trials: pl.Series, *, confidence: float | pl.Series = 0.95) -> tuple[pl.Series, pl.Series]:
    """Return the Wilson score interval (low, high) of each share successes / trials, as Float64 shares.

    0/n gives exactly 0 as low, n/n exactly 1 as high, and no trials null. `confidence` may be a column, one level per
    row. Raises ValueError for impossible counts.
    """
    frame = _counts(successes, trials).with_columns(_quantiles(confidence, len(successes)))
    low, high = _wilson(pl.col("count"), pl.col("total"))
    frame = frame.select(low.alias("low"), high.alias("high"))
    return frame["low"], frame["high"]


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
    frame = pl.concat(
        [_counts(successes, trials), _counts(other_successes, other_trials).select(pl.all().name.prefix("other_"))],
        how="horizontal",
    ).with_columns(
        _quantiles(confidence, len(successes)),
        pl.lit(0.0).alias("correlation"),
    )
    return _square_and_add(frame)


def newcombe_paired(
    both: pl.Series,
    only_first: pl.Series,
    only_other: pl.Series,
    neither: pl.Series,
    *,
    confidence: float = 0.95,
) -> tuple[pl.Series, pl.Series]:
    """Return Newcombe's interval (low, high) of first - other, two shares of the same units.

    The counts are the fields of the 2 x 2 table: units that succeed both times, the first time only, the other time
    only, never. The interval is built from the two Wilson intervals and the correlation of the pairs, with its
    correction for continuity (Newcombe 1998, paired data, method 10); Float64 shares within -1..1, null without units.
    Raises ValueError for negative counts.
    """
    counts = {"yes_yes": both, "yes_no": only_first, "no_yes": only_other, "no_no": neither}
    fields = pl.DataFrame([column.cast(pl.Float64).alias(name) for name, column in counts.items()])
    if fields.select(pl.any_horizontal((pl.all() < 0).any())).item():
        raise ValueError("counts must not be negative")
    yes_yes, yes_no, no_yes, no_no = (pl.col(name) for name in counts)
    total = pl.sum_horizontal(*counts)
    cross = yes_yes * no_no - yes_no * no_yes
    cross = pl.when(cross > 0).then((cross - total / 2).clip(0)).otherwise(cross)
    spread = ((yes_yes + yes_no) * (no_yes + no_no)).sqrt() * ((yes_yes + no_yes) * (yes_no + no_no)).sqrt()
    return _square_and_add(
        fields.select(
            (yes_yes + yes_no).alias("count"),
            (yes_yes + no_yes).alias("other_count"),
            total.alias("total"),
            total.alias("other_total"),
            pl.lit(_quantile(confidence)).alias("z"),
            pl.when(spread > 0).then(cross / spread).otherwise(0.0).alias("correlation"),
        )
    )


def _wilson(count: pl.Expr, total: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    z = pl.col("z")
    middle = (count + z * z / 2) / (total + z * z)
    half = z / (total + z * z) * (count * ((total - count) / total) + z * z / 4).sqrt()
    some = pl.when(total > 0)
    low = some.then(pl.when(count == 0).then(0.0).otherwise((middle - half).clip(0, 1)))
    high = some.then(pl.when(count == total).then(1.0).otherwise((middle + half).clip(0, 1)))
    return low, high


def _square_and_add(frame: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    count, total, other_count, other_total = pl.col("count"), pl.col("total"), pl.col("other_count"), pl.col("other_total")
    (low, high), (other_low, other_high) = _wilson(count, total), _wilson(other_count, other_total)
    rate, other_rate = count / total, other_count / other_total
    below = _third_side(rate - low, other_high - other_rate)
    above = _third_side(high - rate, other_rate - other_low)
    frame = frame.select(
        (rate - other_rate - below).clip(-1, 1).alias("low"),
        (rate - other_rate + above).clip(-1, 1).alias("high"),
    )
    return frame["low"], frame["high"]


def _third_side(side: pl.Expr, other: pl.Expr) -> pl.Expr:
    # The square under the root is not negative but for rounding.
    return (side * side - 2 * pl.col("correlation") * side * other + other * other).clip(0).sqrt()


def _quantile(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}, expected a share between 0 and 1")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def _quantiles(confidence: float | pl.Series, rows: int) -> pl.Series:
    levels = confidence if isinstance(confidence, pl.Series) else [confidence] * rows
    known = {level: _quantile(level) for level in set(levels)}
    return pl.Series("z", [known[level] for level in levels], dtype=pl.Float64)


def _counts(successes: pl.Series, trials: pl.Series) -> pl.DataFrame:
    frame = pl.DataFrame([successes.cast(pl.Float64).alias("count"), trials.cast(pl.Float64).alias("total")])
    if not frame.select((pl.col("count") >= 0) & (pl.col("count") <= pl.col("total"))).to_series().all():
        raise ValueError("successes must lie between 0 and trials")
    return frame


def share(successes: str, trials: str) -> pl.Expr:
    """Return successes / trials as Float64, null without trials (never NaN)."""
    return pl.when(pl.col(trials) > 0).then(pl.col(successes) / pl.col(trials)).otherwise(None).cast(pl.Float64)
