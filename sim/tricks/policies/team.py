"""`team`: one step of looking ahead over generic features, scored by small nets learned from `search`.

Each kind of decision has a net of its own: score = linear(x) + second(relu(first(x))). The weights are data
(`team.npz`, made by `ringsim tune`, with the record of how they came about), fitted as floating-point numbers and played as
integers: an integer sum is the same in any order, so that a machine may take it with its widest vector instructions and
still decide as every other one does.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import scenarios
from scenarios.model import Scenario
from sim.core.dense import BLOCK, SHIFT, score
from sim.core.jit import ONE, ZERO, bit, inlined, kernel, lowest
from sim.core.lines import in_lines, lines_of
from sim.tricks.decisions import CARD, CHARACTER, CURSED, DECLARE, EXCHANGER, GIVEN, PARTNER, RETURNED, TAKE
from sim.tricks.policies import features, foresight, plain
from sim.tricks.policies.equal import unlike
from sim.tricks.policies.features import UNIT, WIDTH
from sim.tricks.table import new_record

VERSION = 5
WEIGHTS = Path(__file__).with_name("team.npz")
CHAPTERS = Path(__file__).with_name("weights")
"""A folder by book with weights by kind of round and number of people (see `names_of`)."""

HIDDEN_UNITS = 32
NETS = 6
NET_CARD = 0
NET_CHARACTER = 1
NET_GIVEN = 2
NET_RETURNED = 3
NET_PARTNER = 4
NET_RARE = 5
SIZES = (
    features.CARD_FEATURES,
    features.CHARACTER_FEATURES,
    features.PASS_FEATURES,
    features.PASS_FEATURES,
    features.PARTNER_FEATURES,
    features.RARE_FEATURES,
)
"""Number of features of each net, without those of `foresight`."""
ALL_SIZES = (
    foresight.CARD_END,
    foresight.CHARACTER_END,
    foresight.PASS_END,
    foresight.PASS_END,
    foresight.PARTNER_END,
    features.RARE_FEATURES,
)
"""Number of features of each net, with them."""

ARRAYS = ("linear", "first", "bias", "second")
"""What a file of weights holds (see `to_brain`)."""

WEIGHT_UNIT = 1 << SHIFT
"""1.0 as a weight; a weight is int16, so at most 16."""

POINT = WEIGHT_UNIT * UNIT
"""1.0 as a score."""

BRAIN = in_lines(
    [
        ("first", np.int16, (NETS, HIDDEN_UNITS // BLOCK, WIDTH // 2, BLOCK, 2)),
        ("bias", np.int32, (NETS, HIDDEN_UNITS // BLOCK, BLOCK)),
        ("second", np.int32, (NETS, HIDDEN_UNITS // BLOCK, BLOCK)),
        ("linear", np.int16, (NETS, WIDTH)),
        ("wide", np.int64, (NETS,)),
        ("blocks", np.int64, (NETS,)),
        ("chances", np.uint8, (features.MOST_HIGHER + 1, features.MOST_HAND + 1, features.MOST_UNSEEN + 1)),
    ]
)
"""The weights of all nets, in units of 1/2048 (bias: of 1/(2048 * 128)), in blocks of units of which `blocks` are used (see
`sim.core.dense`); wide: whether a net has weights for the features of `foresight`, which are worked out only then; and the table
of chances that the features look up (`features.chance_table`)."""


def blank_brain() -> np.record:
    """Return a record BRAIN of zeros: every option scores alike."""
    brain = new_record(BRAIN)
    brain.chances = features.chance_table()
    return brain


def whole(values: np.ndarray, dtype: type) -> np.ndarray:
    """Return floating-point weights in units of 1/2048 as integers, clipped to what `dtype` holds."""
    limits = np.iinfo(dtype)
    return np.clip(np.rint(np.asarray(values, np.float64) * WEIGHT_UNIT), limits.min, limits.max).astype(dtype)


def to_brain(arrays: Mapping[str, np.ndarray]) -> np.record:
    """Return fitted weights as a record BRAIN.

    arrays: linear (nets, features), first (nets, features, units), bias and second (nets, units), floating-point. Nets that
    they lack are left blank: decisions of that kind are taken by plain rules.
    """
    brain = blank_brain()
    for net in range(min(NETS, len(arrays["linear"]))):
        size = min(ALL_SIZES[net], arrays["linear"].shape[1])
        # Units that count for nothing are left out: a net may be narrower than the widest.
        used = np.flatnonzero(arrays["second"][net])
        brain.blocks[net] = -(-len(used) // BLOCK)
        brain.linear[net, :size] = whole(arrays["linear"][net, :size], np.int16)
        first = np.zeros((WIDTH, HIDDEN_UNITS), np.int16)
        first[:size, : len(used)] = whole(arrays["first"][net][:size, used], np.int16)
        brain.wide[net] = brain.linear[net, SIZES[net] :].any() or first[SIZES[net] :].any()
        brain.first[net] = first.reshape(WIDTH // 2, 2, -1, BLOCK).transpose(2, 0, 3, 1)
        brain.bias[net].reshape(-1)[: len(used)] = whole(arrays["bias"][net, used] * UNIT, np.int32)
        brain.second[net].reshape(-1)[: len(used)] = whole(arrays["second"][net, used], np.int16)
    return brain


@functools.cache
def load_brain(path: str = "") -> np.record:
    """Return the weights of a file (default: those shipped) as a record BRAIN; see `to_brain` for what the file holds."""
    file = Path(path) if path else WEIGHTS
    if not file.exists() and not path:
        return blank_brain()
    with np.load(file) as data:
        return to_brain({name: data[name] for name in ARRAYS})


def names_of(kind: Scenario, players: int) -> list[str]:
    """Return the names that a file of weights for a kind of round may have in a folder, the fittest first.

    A kind of round that is played by itself may have weights of its own beside those that attempts are played with.
    """
    name = f"{kind.name}-{players}.npz"
    return [f"{kind.name}-alone-{players}.npz", name] if kind.alone else [name]


def file_in(folder: Path, kind: Scenario, players: int) -> Path | None:
    """Return the fittest file of weights for a kind of round that a folder has."""
    return next((folder / name for name in names_of(kind, players) if (folder / name).is_file()), None)


def file_of(scenario: Scenario, players: int) -> Path:
    """Return the file of the weights that `team` plays a kind of round with: those practised on it, else general ones.

    A chapter of one's own is played with the general ones, whatever its name.
    """
    if scenario.label in scenarios.library():
        return file_in(CHAPTERS / scenario.book, scenario, players) or WEIGHTS
    return WEIGHTS


def weights_of(scenario: Scenario, players: int) -> np.record:
    """Return the weights that `team` plays a kind of round with (see `file_of`) as a record BRAIN."""
    file = file_of(scenario, players)
    return load_brain() if file == WEIGHTS else load_brain(str(file))


def side_by_side(brains: Sequence[np.record]) -> np.recarray:
    """Return weights for each kind of round (records BRAIN) as one array, shape (kinds,), as kernels take them."""
    result = lines_of(len(brains), BRAIN)
    result[:] = brains
    return result.view(np.recarray)


@kernel
def prepare(rules, public, view, brain):
    """Work out what the decision's options share."""
    kind = view.pending
    for i in range(WIDTH):
        view.x[i] = 0
    if kind == CARD or kind == DECLARE:
        features.prepare_card(rules, public, view)
        if brain.wide[NET_CARD]:
            foresight.prepare_card(rules, public, view)
    elif kind == CHARACTER:
        features.prepare_characters(rules, public, view)
        if brain.wide[NET_CHARACTER]:
            foresight.look_at_hands(rules, public, view)
    elif kind == GIVEN or kind == RETURNED:
        features.prepare_pass(rules, public, view)
        if brain.wide[NET_GIVEN] or brain.wide[NET_RETURNED]:
            foresight.prepare_pass(rules, public, view)
    elif kind > DECLARE:
        features.prepare_rare(rules, public, view)
    elif brain.wide[NET_PARTNER]:
        foresight.look_at_hands(rules, public, view)


@inlined
def knows_rare(brain):
    """Return whether the weights have a net for decisions that only some chapters ask; without it plain rules take them."""
    return brain.blocks[NET_RARE] != 0


@inlined
def card_points(rules, public, view, brain, slot, declared):
    """Return the score of playing a card, declared or not; its features stay in view.x."""
    features.card_features(rules, public, view, brain, slot, declared)
    if brain.wide[NET_CARD]:
        foresight.card_features(rules, public, view, brain, slot, declared)
    return score(view, brain, NET_CARD)


@kernel
def rate_card(rules, public, view, brain, slot):
    """Return the score of playing a card, with the better of declaring it or not when it is the one that may be declared."""
    points = card_points(rules, public, view, brain, slot, False)
    if bit(slot) == rules.declaring and not rules.declare_after:
        declared = card_points(rules, public, view, brain, slot, True)
        if declared >= points:
            return declared
        card_points(rules, public, view, brain, slot, False)
    return points


@kernel
def rate_other(rules, public, view, brain, option):
    """Return the score of an option of any decision but that on a card."""
    kind = view.pending
    if kind > DECLARE:
        if kind >= CURSED or not knows_rare(brain):
            return np.int64(option == plain.choose(rules, public, view))
        features.rare_features(rules, public, view, option)
        return score(view, brain, NET_RARE)
    if kind == DECLARE:
        return card_points(rules, public, view, brain, public.trick_card[view.seat], option == 1)
    if kind == CHARACTER:
        features.character_features(rules, public, view, option)
        if brain.wide[NET_CHARACTER]:
            foresight.character_features(rules, public, view, option)
        return score(view, brain, NET_CHARACTER)
    if kind == GIVEN or kind == RETURNED:
        net = NET_GIVEN if kind == GIVEN else NET_RETURNED
        features.pass_features(rules, public, view, option)
        if brain.wide[net]:
            foresight.pass_features(rules, public, view, option)
        return score(view, brain, net)
    if kind == PARTNER or kind == EXCHANGER:
        features.partner_features(rules, public, view, option)
        if brain.wide[NET_PARTNER]:
            foresight.partner_features(rules, public, view, option)
        return score(view, brain, NET_PARTNER)
    # One more card to choose from is taken whenever it may be (TAKE).
    return np.int64(option) if kind == TAKE else np.int64(0)


@kernel
def rate(rules, public, view, brain, option):
    """Return the score of one option of the decision in `view`; its features stay in view.x."""
    if view.pending == CARD:
        return rate_card(rules, public, view, brain, option)
    return rate_other(rules, public, view, brain, option)


@kernel
def choose(rules, public, view, brain):
    """Return the option with the highest score (the lowest one of equals)."""
    rest = view.options
    if view.pending == CARD:
        rest = unlike(rules, public, view)
    best = lowest(rest)
    if rest & (rest - ONE) == ZERO:
        return best
    prepare(rules, public, view, brain)
    most = -(1 << 62)
    while rest != ZERO:
        option = lowest(rest)
        rest &= rest - ONE
        points = rate(rules, public, view, brain, option)
        if points > most:
            most = points
            best = option
    return best
