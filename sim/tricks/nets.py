"""The nets of `team` as floating-point numbers: scores of options, softmax over each decision's, and gradients.

A net is a mapping of weights: linear (features,), first (features, units), bias and second (units,); options stand in rows,
decision by decision.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def groups(size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (first row of each decision, decision of each row) for decisions of `size` options."""
    start = np.concatenate([[0], np.cumsum(size.astype(np.int64))])[:-1]
    return start, np.repeat(np.arange(len(size)), size)


def rows_of(decisions: np.ndarray, size: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows of some decisions (indices), and `groups` of them; size, start: of all decisions."""
    sizes = size[decisions].astype(np.int64)
    begin, belongs = groups(sizes)
    return np.repeat(start[decisions] - begin, sizes) + np.arange(sizes.sum()), begin, belongs


def softmax(values: np.ndarray, start: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Return the share of each row in its decision, by the exponential of its value; start, owner: see `groups`."""
    top = np.maximum.reduceat(values, start)
    grown = np.exp(values - top[owner])
    return grown / np.add.reduceat(grown, start)[owner]


def scores_of(net: Mapping[str, np.ndarray], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (score of each row of features, its hidden units before they are cut off at 0)."""
    hidden = x @ net["first"] + net["bias"]
    return x @ net["linear"] + np.maximum(hidden, 0) @ net["second"], hidden


def gradients(net: Mapping[str, np.ndarray], x: np.ndarray, hidden: np.ndarray, slope: np.ndarray) -> dict[str, np.ndarray]:
    """Return the gradient of sum(slope * score) by each weight; hidden: as `scores_of` returns it."""
    back = np.outer(slope, net["second"]) * (hidden > 0)
    return {"linear": x.T @ slope, "first": x.T @ back, "bias": back.sum(0), "second": np.maximum(hidden, 0).T @ slope}
