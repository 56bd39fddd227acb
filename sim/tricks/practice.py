"""Practice for `team`: it plays deals several times and reinforces what won more often than the other times.

Imitating `search` teaches what is good when everybody searches; practice teaches what is good when everybody plays like
this, conventions included. It is the policy gradient (Williams 1992) with the mean of the same deal's other rounds as the
baseline, so that a lucky deal teaches nothing: gradient = (worth - mean) * d log p(choice). A round is worth 1 when won; where
hardly any round is won yet, goals met count for something too, the less the more rounds are won.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from scenarios.model import Scenario
from sim.core.jit import ONE, ZERO, kernel, lowest
from sim.core.random import STREAM_SEARCH, below, new_source, start
from sim.tricks.decisions import CARD, TAKE
from sim.tricks.engine import advance, apply, prepare
from sim.tricks.lessons import net_of
from sim.tricks.link import load_rules
from sim.tricks.nets import gradients, groups, rows_of, scores_of, softmax
from sim.tricks.policies import dispatch, team
from sim.tricks.policies.equal import unlike
from sim.tricks.policies.features import UNIT, WIDTH
from sim.tricks.table import new_log, new_record, new_table
from sim.tricks.view import VIEW, look

REPEATS = 8
"""Rounds of one deal."""
BOLDNESS = 2.0
"""Scores are multiplied by this before a choice is drawn from their softmax: the higher, the less is tried out."""
ROWS = 220
"""Room for the options of a round, on average."""
CREDIT = 0.5
"""What meeting all goals but winning nothing would be worth where no round is won; nothing from a win rate of `ENOUGH` on."""
ENOUGH = 0.25
FINE = 1 << 30


@kernel
def try_out(rules, public, view, brain, source, x, row, odds):
    """Write the features of the decision's options to x from `row` on; returns (option drawn, its index, number of options)."""
    rest = view.options
    if view.pending == CARD:
        rest = unlike(rules, public, view)
    if rest & (rest - ONE) == ZERO:
        return lowest(rest), 0, 1
    team.prepare(rules, public, view)
    most = -1e30
    n = 0
    options = rest
    while rest != ZERO:
        option = lowest(rest)
        rest &= rest - ONE
        odds[n] = dispatch.rate(rules, public, view, brain, option) * BOLDNESS / (1 << 18)
        for i in range(WIDTH):
            x[row + n, i] = view.x[i]
        most = max(most, odds[n])
        n += 1
    total = 0.0
    for i in range(n):
        odds[i] = np.exp(odds[i] - most)
        total += odds[i]
    left = total * below(source, FINE) / FINE
    index = 0
    while index + 1 < n and left >= odds[index]:
        left -= odds[index]
        index += 1
    for _ in range(index):
        options &= options - ONE
    return lowest(options), index, n


@kernel
def practise(
    rules, public, privates, hidden, view, brain, luck, source, log, odds, seed, first, early, won, met, x, net, size, taken,
    round_of,
):  # fmt: skip
    """Play won.shape[0] deals from `first`, each won.shape[1] times, and note the decisions; returns (decisions, rows) noted.

    early: 1 ends rounds once they are lost; met: goals met of a round, uint8 as `won`; x: int16 (rows, 64); net, size, taken:
    uint8 (decisions,), taken being the index of the option drawn; round_of: int32 (decisions,), index into won.ravel(). Rounds
    that no longer fit are left out (won keeps their result).
    """
    decisions = 0
    rows = 0
    one = np.uint64(1)
    for deal in range(won.shape[0]):
        for repeat in range(won.shape[1]):
            number = first + np.uint64(deal)
            prepare(rules, public, privates, hidden, luck, source, seed, ZERO, one, number)
            start(source, seed, np.uint64(repeat + 1), STREAM_SEARCH, one, number)
            hidden.stop_early = early
            view.prepared = -1
            while advance(rules, public, privates, hidden, luck, log):
                look(rules, public, privates, hidden, view)
                kind = view.pending
                choice, index, n = try_out(rules, public, view, brain, source, x, min(rows, x.shape[0] - 64), odds)
                if n > 1 and kind != TAKE and rows + n <= x.shape[0] - 64 and decisions < net.shape[0]:
                    net[decisions] = net_of(kind)
                    size[decisions] = n
                    taken[decisions] = index
                    round_of[decisions] = deal * won.shape[1] + repeat
                    decisions += 1
                    rows += n
                apply(rules, public, privates, hidden, choice, log)
            won[deal, repeat] = hidden.met == public.seats
            met[deal, repeat] = hidden.met
    return decisions, rows


Weights = Mapping[str, np.ndarray]


class Lane:
    """One cell's table and notes, kept from step to step."""

    def __init__(self, scenario: Scenario, players: int, deals: int) -> None:
        self.rules = load_rules(scenario, players)
        self.table, self.view, self.log = new_table(), new_record(VIEW), new_log(False)
        self.luck, self.source, self.odds = new_source(), new_source(), np.zeros(64)
        rounds = deals * REPEATS
        self.won = np.zeros((deals, REPEATS), np.bool_)
        self.met = np.zeros((deals, REPEATS), np.uint8)
        self.share = -1.0
        self.x = np.zeros((rounds * ROWS + 64, WIDTH), np.int16)
        self.net, self.size, self.taken = (np.zeros(rounds * 80, np.uint8) for _ in range(3))
        self.round_of = np.zeros(rounds * 80, np.int32)

    def gradient(self, brain: Any, weights: Weights, seed: int, first: int) -> tuple[dict[str, np.ndarray], float]:
        """Return the gradient of what rounds are worth by all weights (shapes as theirs), and the share of rounds won."""
        credit = CREDIT * max(0.0, 1 - self.share / ENOUGH) if self.share >= 0 else 0.0
        decisions, _ = practise(
            self.rules, *self.table, self.view, brain, self.luck, self.source, self.log, self.odds, np.uint64(seed),
            np.uint64(first), int(credit == 0), self.won, self.met, self.x, self.net, self.size, self.taken, self.round_of,
        )  # fmt: skip
        won = float(self.won.mean())
        self.share = won if self.share < 0 else 0.9 * self.share + 0.1 * won
        worth = self.won + np.float32(credit / self.rules.seats) * self.met
        # Each round against the mean of the others of its deal.
        worth = ((worth - worth.mean(1, keepdims=True)) * (REPEATS / (REPEATS - 1))).ravel()
        sums = {name: np.zeros_like(value) for name, value in weights.items()}
        worth_of = worth[self.round_of[:decisions]]
        size = self.size[:decisions]
        start, _ = groups(size)
        for net in range(len(weights["linear"])):
            mine = np.flatnonzero((self.net[:decisions] == net) & (worth_of != 0))
            if len(mine) == 0:
                continue
            rows, begin, belongs = rows_of(mine, size, start)
            here = {name: value[net] for name, value in weights.items()}
            x = self.x[rows, : len(here["linear"])].astype(np.float32) * np.float32(1 / UNIT)
            scores, hidden = scores_of(here, x)
            slope = -softmax(scores * BOLDNESS, begin, belongs)
            slope[begin + self.taken[mine]] += 1
            slope *= worth_of[mine][belongs] * np.float32(BOLDNESS)
            for name, grad in gradients(here, x, hidden, slope).items():
                sums[name][net] += grad
        rounds = self.won.size
        return {name: value / rounds for name, value in sums.items()}, won


def complete(weights: Weights, seed: int) -> dict[str, np.ndarray]:
    """Return weights with a net for every kind of decision: nets that are missing begin with small random numbers."""
    now = {name: np.array(value, np.float32) for name, value in weights.items()}
    missing = team.NETS - len(now["linear"])
    if missing > 0:
        rng = np.random.default_rng(seed)
        features, units = now["first"].shape[1:]
        signs = np.where(rng.random((missing, units)) < 0.5, -0.05, 0.05)
        new = {
            "linear": np.zeros((missing, features)), "first": rng.normal(0, 0.12, (missing, features, units)),
            "bias": np.zeros((missing, units)), "second": signs,
        }  # fmt: skip
        now = {name: np.concatenate([value, new[name]]).astype(np.float32) for name, value in now.items()}
    return now


def practice(
    cells: Sequence[tuple[Scenario, int]],
    weights: Weights,
    *,
    seed: int,
    steps: int,
    deals: int,
    rate: float,
    workers: int,
    say: Callable[[str], None],
) -> dict[str, np.ndarray]:
    """Return the weights after `steps` steps of Adam, each from `deals` fresh deals of every cell (REPEATS rounds a deal).

    rate: the step size at the start, falling to a tenth; workers: threads. The mean weights of the last quarter of the steps are
    returned, which are steadier than the last ones.
    """
    now = complete(weights, seed)
    lanes = [Lane(scenario, players, deals) for scenario, players in cells]
    first = {name: np.zeros_like(value) for name, value in now.items()}
    second = {name: np.zeros_like(value) for name, value in now.items()}
    mean = {name: np.zeros_like(value, np.float64) for name, value in now.items()}
    kept, shares = 0, np.zeros(len(cells))
    with ThreadPoolExecutor(workers) as pool:
        for step in range(steps):
            brain = team.to_brain(now)
            jobs = [pool.submit(lane.gradient, brain, now, seed, step * deals) for lane in lanes]
            found = [job.result() for job in jobs]
            shares = 0.9 * shares + 0.1 * np.array([share for _, share in found]) if step else np.array([s for _, s in found])
            pace = rate * (1 - 0.9 * step / steps)
            for name, value in now.items():
                grad = sum(gradient[name] for gradient, _ in found) / len(found)
                first[name] += 0.1 * (grad - first[name])
                second[name] += 0.01 * (grad * grad - second[name])
                scale = np.sqrt(second[name] / (1 - 0.99 ** (step + 1))) + 1e-8
                value += (pace / (1 - 0.9 ** (step + 1))) * first[name] / scale
            if step >= steps - max(1, steps // 4):
                kept += 1
                for name, value in now.items():
                    mean[name] += value
            if (step + 1) % max(1, steps // 20) == 0:
                say(f"practice: step {step + 1} of {steps}, {shares.mean():.2%} of rounds won while trying out")
    return {name: (value / kept).astype(np.float32) for name, value in mean.items()}
