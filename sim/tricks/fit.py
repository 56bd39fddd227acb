"""Fitting the nets of `team` to lessons: Adam on the cross entropy of softmax policies, in NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.tricks.lessons import Lessons
from sim.tricks.nets import gradients, groups, rows_of, scores_of, softmax
from sim.tricks.policies.features import UNIT
from sim.tricks.policies.team import HIDDEN_UNITS, SIZES

SHARPNESS = 12.0
"""The target of a decision is a softmax over options of this times their share of worlds won."""
BATCH = 1024
DECAY = 1e-6


def fit_net(
    lessons: Lessons, net: int, units: int, epochs: int, seed: int, say: Callable[[str], None] = lambda line: None
) -> dict[str, np.ndarray]:
    """Return the weights of one net (linear, first, bias, second; float32) fitted to its decisions.

    A tenth of the decisions is held out; the epoch that picks the best options there is kept. Loss: cross entropy towards
    the target, weighted by the spread of the options, less the expected share of worlds won.
    """
    width = SIZES[net]
    mine = lessons.net == net
    rows = np.repeat(mine, lessons.size)
    x = lessons.x[rows, :width].astype(np.float32) / UNIT
    y, size = lessons.wins[rows].astype(np.float32), lessons.size[mine]
    rng = np.random.default_rng(seed)
    weights = {
        "linear": np.zeros(width, np.float32),
        "first": rng.normal(0, 1 / np.sqrt(width), (width, units)).astype(np.float32),
        "bias": np.zeros(units, np.float32),
        "second": rng.normal(0, 0.3 / np.sqrt(units), units).astype(np.float32),
    }
    if len(size) < 200:
        return {name: np.zeros_like(value) for name, value in weights.items()}
    start, owner = groups(size)
    low, high = np.minimum.reduceat(y, start), np.maximum.reduceat(y, start)
    spread = high - low
    target = softmax(SHARPNESS * y, start, owner)
    order = rng.permutation(len(size))
    held, learning = order[: len(order) // 10], order[len(order) // 10 :]
    first = {name: np.zeros_like(value) for name, value in weights.items()}
    second = {name: np.zeros_like(value) for name, value in weights.items()}
    best, best_value, step = weights, -1.0, 0

    for epoch in range(epochs):
        rate = 2e-3 * (1 - epoch / epochs) + 1e-5
        rng.shuffle(learning)
        for at in range(0, len(learning), BATCH):
            decisions = learning[at : at + BATCH]
            index, begin, belongs = rows_of(decisions, size, start)
            xb = x[index]
            scores, hidden = scores_of(weights, xb)
            chosen = softmax(scores, begin, belongs)
            expected = np.add.reduceat(chosen * y[index], begin)
            slope = spread[decisions][belongs] * (chosen - target[index])
            slope -= chosen * (y[index] - expected[belongs])
            slope = (slope / len(decisions)).astype(np.float32)
            step += 1
            for name, grad in gradients(weights, xb, hidden, slope).items():
                grad = grad + DECAY * weights[name]
                first[name] += 0.1 * (grad - first[name])
                second[name] += 0.001 * (grad * grad - second[name])
                corrected = first[name] / (1 - 0.9**step)
                scale = np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8
                weights[name] = (weights[name] - rate * corrected / scale).astype(np.float32)
        index, begin, belongs = rows_of(held, size, start)
        scores, _ = scores_of(weights, x[index])
        top = np.maximum.reduceat(scores, begin)
        picked = np.zeros(len(held), np.float32)
        is_top = scores >= top[belongs]
        picked[belongs[is_top][::-1]] = y[index][is_top][::-1]
        value = float(picked.mean())
        if value > best_value:
            best_value, best = value, {name: array.copy() for name, array in weights.items()}
    ideal = float(high[held].mean())
    say(f"net {net}: {len(size)} decisions, held out: picks win {best_value:.4f} of worlds, the best options {ideal:.4f}")
    return best


def fit_brain(lessons: Lessons, units: int, epochs: int, seed: int, say: Callable[[str], None]) -> dict[str, np.ndarray]:
    """Return the weights of all nets as arrays of the shapes of `team.BRAIN`."""
    if units > HIDDEN_UNITS:
        raise ValueError(f"{units} hidden units; the net has room for {HIDDEN_UNITS}")
    width = max(SIZES)
    arrays = {
        "linear": np.zeros((len(SIZES), width), np.float32),
        "first": np.zeros((len(SIZES), width, units), np.float32),
        "bias": np.zeros((len(SIZES), units), np.float32),
        "second": np.zeros((len(SIZES), units), np.float32),
    }
    for net, size in enumerate(SIZES):
        for name, values in fit_net(lessons, net, units, epochs, seed + net, say).items():
            if name in ("linear", "first"):
                arrays[name][net, :size] = values
            else:
                arrays[name][net] = values
    return arrays
