"""Deals until a win rate is known well enough, by a plan that is made before the deals that count most.

Whoever looks at an interval again and again and stops when it is short uses looks that the interval does not allow for.
So a cell is played in two fixed stages, and nothing is looked at in between: a first stage whose size depends on the
wanted half-width alone, and a second one whose size follows from the first by a rule. The second stage fills up to the
deals at which the interval is short enough even for the rate nearest to 1/2 that the first stage leaves open (its 99 %
interval), so that a lucky first stage cannot end the cell early, and the half-width is met but for once in five
hundred. (Stein 1945, Ann. Math. Stat. 16:243, has the idea for means.) Intervals that allow for any number of looks
(Pocock, alpha spending) were weighed: they cost twice the deals. With two stages the distribution of what comes out is
known, and the tests compute coverage and cost from it exactly.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Literal

import msgspec

from scenarios.errors import UserError
from sim.core.numbers import wilson_interval

FIRST_STAGE = 20
"""The first stage has this part of the deals that a rate of 1/2 needs."""
SURENESS = 0.99
"""Confidence of the interval of the first stage."""
PARTS = 40
"""A rate of 1/2 needs so many parts, or more: stages are whole parts."""
LEAST_PART = 500
HALFWIDTHS = (1e-6, 0.25)


class Precision(msgspec.Struct, kw_only=True, frozen=True):
    """The rule: `first` deals of each cell, then as many more as these show to be needed, at most `most` in all."""

    halfwidth: float
    confidence: float = 0.95
    first: int
    most: int
    method: Literal["two stages"] = "two stages"


def plan(halfwidth: float, *, chunk: int, cap: int | None = None, confidence: float = 0.95) -> Precision:
    """Return the rule for a half-width (a share); stages are whole chunks, and at most `cap` deals, where it is given.

    Raises UserError for a half-width out of range.
    """
    check_halfwidth(halfwidth)
    z = _quantile(confidence)
    most = deals_for(halfwidth, 0.5, z)
    first = _whole(max(deals_for(halfwidth, 0.0, z), most // FIRST_STAGE), chunk)
    most = _whole(most, chunk)
    limit = most if cap is None else min(most, cap)
    return Precision(halfwidth=halfwidth, confidence=confidence, first=min(first, limit), most=limit)


def second_stage(rule: Precision, won: int, chunk: int) -> int:
    """Return up to which deal a cell is played of which `won` of the first `rule.first` deals were won."""
    low, high = wilson_interval(won, rule.first, _quantile(SURENESS))
    widest = min(max(0.5, low), high)  # the rate of the interval that is nearest to 1/2
    need = _whole(deals_for(rule.halfwidth, widest, _quantile(rule.confidence)), chunk)
    return min(max(need, rule.first), rule.most)


def reached(rule: Precision, won: int, deals: int) -> float:
    """Return the half-width of the interval of a cell's win rate."""
    low, high = wilson_interval(won, deals, _quantile(rule.confidence))
    return (high - low) / 2


def fair_chunk(halfwidth: float) -> int:
    """Return the largest part for which the stages are not much rounded up."""
    return max(LEAST_PART, deals_for(halfwidth, 0.5, _quantile(0.95)) // PARTS)


def check_halfwidth(halfwidth: float) -> float:
    """Return `halfwidth` when it is a share that can be reached, else raise UserError."""
    low, high = HALFWIDTHS
    if not low <= halfwidth <= high:
        raise UserError(f"--until-halfwidth {100 * halfwidth:g}%: must be from {100 * low:g}% to {100 * high:g}%")
    return halfwidth


def deals_for(halfwidth: float, rate: float, z: float | None = None) -> int:
    """Return the least number of deals of which the Wilson interval around `rate` is at most `halfwidth` to either side.

    `z`: the quantile, that of 95 % when it is not given.
    """
    z = _quantile(0.95) if z is None else z
    z2, h2, spread = z * z, halfwidth * halfwidth, rate * (1 - rate)
    # z / (n + z2) * sqrt(n spread + z2 / 4) <= h: a quadratic in n; at a rate of 0 the interval is cut off at 0.
    if spread == 0:
        return max(1, math.ceil(z2 / (2 * halfwidth) - z2))
    b, c = 2 * z2 * h2 - z2 * spread, z2 * z2 * h2 - z2 * z2 / 4
    return max(1, math.ceil((-b + math.sqrt(b * b - 4 * h2 * c)) / (2 * h2)))


def _quantile(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def _whole(deals: int, chunk: int) -> int:
    return -(-deals // chunk) * chunk
