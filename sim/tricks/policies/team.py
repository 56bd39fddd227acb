"""`team`: one step of looking ahead over generic features, scored by small nets learned from `search`.

Each kind of decision has a net of its own: score = linear(x) + second(relu(first(x))). The weights are data
(`team.npz`, made by `ringsim tune`, with the record of how they came about). Numbers are float32 and summed in a fixed
order, so that a decision is the same on every machine.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from sim.core.jit import ONE, ZERO, bit, kernel, lowest
from sim.tricks.engine import CARD, CHARACTER, DECLARE, EXCHANGER, GIVEN, PARTNER, RETURNED, TAKE
from sim.tricks.needs import find_needs
from sim.tricks.policies import features
from sim.tricks.policies.features import F0, WIDTH
from sim.tricks.table import NOBODY, new_record

VERSION = 1
WEIGHTS = Path(__file__).with_name("team.npz")

HIDDEN_UNITS = 32
NETS = 5
NET_CARD = 0
NET_CHARACTER = 1
NET_GIVEN = 2
NET_RETURNED = 3
NET_PARTNER = 4
SIZES = (
    features.CARD_FEATURES,
    features.CHARACTER_FEATURES,
    features.PASS_FEATURES,
    features.PASS_FEATURES,
    features.PARTNER_FEATURES,
)
"""Number of features of each net."""

BRAIN = np.dtype(
    [
        ("units", np.int64),
        ("inputs", np.int64, (NETS,)),
        ("linear", np.float32, (NETS, WIDTH)),
        ("first", np.float32, (NETS, WIDTH, HIDDEN_UNITS)),
        ("bias", np.float32, (NETS, HIDDEN_UNITS)),
        ("second", np.float32, (NETS, HIDDEN_UNITS)),
    ]
)
"""The weights of all nets: features beyond a net's `inputs` and units beyond `units` are not used."""


def blank_brain() -> np.record:
    """Return a record BRAIN of zeros: every option scores alike."""
    brain = new_record(BRAIN)
    brain.units = HIDDEN_UNITS
    for net, size in enumerate(SIZES):
        brain.inputs[net] = size
    return brain


@functools.cache
def load_brain(path: str = "") -> np.record:
    """Return the weights of a file (default: those shipped) as a record BRAIN."""
    brain = blank_brain()
    file = Path(path) if path else WEIGHTS
    if not file.exists() and not path:
        return brain
    with np.load(file) as data:
        brain.units = data["bias"].shape[1]
        for name in ("linear", "first", "bias", "second"):
            values = data[name]
            target = getattr(brain, name)
            target[tuple(slice(0, n) for n in values.shape)] = values
    return brain


@kernel
def score(view, brain, net):
    """Return the net's score of the features in view.x."""
    x = view.x
    h = view.h
    units = brain.units
    for j in range(units):
        h[j] = brain.bias[net, j]
    total = F0
    for i in range(brain.inputs[net]):
        value = x[i]
        if value != F0:
            total += value * brain.linear[net, i]
            for j in range(units):
                h[j] += value * brain.first[net, i, j]
    for j in range(units):
        if h[j] > F0:
            total += h[j] * brain.second[net, j]
    return total


@kernel
def prepare(rules, public, view):
    """Work out what the decision's options share."""
    if view.pending == CARD or view.pending == DECLARE:
        if view.prepared != public.trick:
            find_needs(rules, public, view)
            view.prepared = public.trick
        view.unseen = features.out_of_sight(rules, public, view)
        view.chance_best = NOBODY


@kernel
def rate(rules, public, view, brain, option):
    """Return the score of one option of the decision in `view`; its features stay in view.x."""
    kind = view.pending
    if kind == CARD:
        features.card_features(rules, public, view, option, False)
        points = score(view, brain, NET_CARD)
        if bit(option) == rules.declaring and not rules.declare_after:
            features.card_features(rules, public, view, option, True)
            declared = score(view, brain, NET_CARD)
            if declared >= points:
                return declared
            features.card_features(rules, public, view, option, False)
        return points
    if kind == DECLARE:
        features.card_features(rules, public, view, public.trick_card[view.seat], option == 1)
        return score(view, brain, NET_CARD)
    if kind == CHARACTER:
        features.character_features(rules, public, view, option)
        return score(view, brain, NET_CHARACTER)
    if kind == GIVEN:
        features.pass_features(rules, public, view, option)
        return score(view, brain, NET_GIVEN)
    if kind == RETURNED:
        features.pass_features(rules, public, view, option)
        return score(view, brain, NET_RETURNED)
    if kind == PARTNER or kind == EXCHANGER:
        features.partner_features(rules, public, view, option)
        return score(view, brain, NET_PARTNER)
    if kind == TAKE:
        # One more card to choose from is taken whenever it may be.
        return np.float32(option)
    return F0


@kernel
def choose(rules, public, view, brain):
    """Return the option with the highest score (the lowest one of equals)."""
    prepare(rules, public, view)
    best = lowest(view.options)
    most = np.float32(-1e30)
    rest = view.options
    while rest != ZERO:
        option = lowest(rest)
        rest &= rest - ONE
        points = rate(rules, public, view, brain, option)
        if points > most:
            most = points
            best = option
    return best
