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
from sim.tricks.attempts import close_round, new_course, open_round, shuffle_number
from sim.tricks.decisions import CARD, CHARACTER, CURSED, TAKE
from sim.tricks.engine import advance, apply, prepare
from sim.tricks.lessons import net_of
from sim.tricks.link import link
from sim.tricks.nets import gradients, groups, rows_of, scores_of, softmax
from sim.tricks.plan import COURSE, KINDS, compile_plan
from sim.tricks.policies import dispatch, plain, team
from sim.tricks.policies.equal import unlike
from sim.tricks.policies.features import UNIT, WIDTH
from sim.tricks.policies.planning import choosable
from sim.tricks.round import is_won
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
SURE = 0.125
"""A choice that was likelier than 1 - SURE teaches little: of those only a share is noted, which counts for all of them."""
LEAST_NOTED = 0.02
"""The least such share."""
FINE = 1 << 30


@kernel
def try_out(rules, public, view, brain, source, x, row, odds):
    """Write the features of the decision's options to x from `row` on, and draw one of them.

    Returns (the option, its index, number of options, how likely it was).
    """
    if view.pending >= CURSED:
        return plain.choose(rules, public, view), 0, 1, 1.0
    if view.pending == CHARACTER:
        view.options = choosable(rules, public, view)
    rest = view.options
    if view.pending == CARD:
        rest = unlike(rules, public, view)
    if rest & (rest - ONE) == ZERO:
        return lowest(rest), 0, 1, 1.0
    team.prepare(rules, public, view, brain)
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
    return lowest(options), index, n, odds[index] / total


@kernel
def practise(
    rules, plan, courses, public, privates, hidden, view, brains, luck, source, log, odds, seed, early, won, met, kinds, x,
    net, size, taken, round_of, counts,
):  # fmt: skip
    """Play won.shape[0] rounds on from courses[0], each won.shape[1] times; returns how many (decisions, rows) were noted.

    rules, plan: see `plan.compile_plan`; courses: records COURSE, shape (2,), the second one scratch; brains: weights by kind of
    round; early: 1 ends rounds once they are lost; met: goals met of a round, uint8 as `won`; kinds: each round's kind, uint8
    (rounds,); x: int16 (rows, 96); net, size, taken: uint8 (decisions,), taken being the index of the option drawn; round_of:
    int32 (decisions,), index into won.ravel(); counts: float32 (decisions,), for how many such decisions one stands. What no
    longer fits is left out (won keeps its result). An attempt goes on from the first time that its round is won, so that later
    rounds are practised as often as they come up.
    """
    course = courses[0]
    decisions = 0
    rows = 0
    for deal in range(won.shape[0]):
        here = rules[course.kind]
        brain = brains[course.kind]
        number = shuffle_number(course)
        kinds[deal] = course.kind
        wins = 0
        for repeat in range(won.shape[1]):
            open_round(plan, course, here, public)
            prepare(here, public, privates, hidden, luck, source, seed, ZERO, number, course.deal)
            start(source, seed, np.uint64(repeat + 1), STREAM_SEARCH, number, course.deal)
            hidden.stop_early = early
            view.prepared = -1
            while advance(here, public, privates, hidden, luck, log):
                look(here, public, privates, hidden, view)
                kind = view.pending
                choice, index, n, likely = try_out(here, public, view, brain, source, x, min(rows, x.shape[0] - 64), odds)
                share = min(1.0, max(LEAST_NOTED, (1 - likely) / SURE))
                noted = n > 1 and kind != TAKE and below(source, FINE) < share * FINE
                if noted and rows + n <= x.shape[0] - 64 and decisions < net.shape[0]:
                    counts[decisions] = 1 / share
                    net[decisions] = net_of(kind)
                    size[decisions] = n
                    taken[decisions] = index
                    round_of[decisions] = deal * won.shape[1] + repeat
                    decisions += 1
                    rows += n
                apply(here, public, privates, hidden, choice, log)
            won[deal, repeat] = is_won(public, hidden)
            met[deal, repeat] = hidden.met
            if won[deal, repeat] and wins == 0:
                wins = 1
                courses[1] = course
                close_round(plan, courses[1], public, hidden, True)
        if wins > 0:
            courses[0] = courses[1]
        else:
            close_round(plan, course, public, hidden, False)
    return decisions, rows


Weights = Mapping[str, np.ndarray]


class Lane:
    """One cell's table and notes, kept from step to step."""

    def __init__(self, scenario: Scenario, players: int, deals: int) -> None:
        self.rules, self.plan = compile_plan(scenario, players, "none", 1)
        link(self.rules, False)
        self.courses = np.zeros(2, COURSE).view(np.recarray)
        self.courses[0] = new_course(self.plan, 0, 1 << 62)
        self.table, self.view, self.log = new_table(), new_record(VIEW), new_log(False)
        self.luck, self.source, self.odds = new_source(), new_source(), np.zeros(64)
        rounds = deals * REPEATS
        self.won = np.zeros((deals, REPEATS), np.bool_)
        self.met = np.zeros((deals, REPEATS), np.uint8)
        self.kinds = np.zeros(deals, np.uint8)
        self.share = -1.0
        self.x = np.zeros((rounds * ROWS + 64, WIDTH), np.int16)
        self.net, self.size, self.taken = (np.zeros(rounds * 80, np.uint8) for _ in range(3))
        self.round_of = np.zeros(rounds * 80, np.int32)
        self.counts = np.zeros(rounds * 80, np.float32)

    def gradient(self, brains: Any, weights: Sequence[Weights], seed: int) -> tuple[list[dict[str, np.ndarray]], float]:
        """Return the gradient of what rounds are worth by all weights (shapes as theirs), and the share of rounds won.

        weights: of each kind of round, or one set for all kinds; brains: the same as records BRAIN, by kind.
        """
        credit = CREDIT * max(0.0, 1 - self.share / ENOUGH) if self.share >= 0 else 0.0
        decisions, _ = practise(
            self.rules, self.plan, self.courses, *self.table, self.view, brains, self.luck, self.source, self.log,
            self.odds, np.uint64(seed), int(credit == 0), self.won, self.met, self.kinds, self.x, self.net, self.size, self.taken,
            self.round_of, self.counts,
        )  # fmt: skip
        won = float(self.won.mean())
        self.share = won if self.share < 0 else 0.9 * self.share + 0.1 * won
        worth = self.won + np.float32(credit / self.rules[0].seats) * self.met
        # Each round against the mean of the others of its deal.
        worth = ((worth - worth.mean(1, keepdims=True)) * (REPEATS / (REPEATS - 1))).ravel()
        worth_of = worth[self.round_of[:decisions]] * self.counts[:decisions]
        kind_of = self.kinds[self.round_of[:decisions] // REPEATS]
        size = self.size[:decisions]
        start, _ = groups(size)
        found = []
        for kind, mine_weights in enumerate(weights):
            sums = {name: np.zeros_like(value) for name, value in mine_weights.items()}
            ours = (worth_of != 0) & (kind_of == kind if len(weights) > 1 else True)
            for net in range(len(mine_weights["linear"])):
                mine = np.flatnonzero((self.net[:decisions] == net) & ours)
                if len(mine) == 0:
                    continue
                rows, begin, belongs = rows_of(mine, size, start)
                here = {name: value[net] for name, value in mine_weights.items()}
                x = self.x[rows, : len(here["linear"])].astype(np.float32) * np.float32(1 / UNIT)
                scores, hidden = scores_of(here, x)
                slope = -softmax(scores * BOLDNESS, begin, belongs)
                slope[begin + self.taken[mine]] += 1
                slope *= worth_of[mine][belongs] * np.float32(BOLDNESS)
                for name, grad in gradients(here, x, hidden, slope).items():
                    sums[name][net] += grad
            found.append({name: value / self.won.size for name, value in sums.items()})
        return found, won


def complete(weights: Weights, seed: int, wide: bool = False, units: int = 0) -> dict[str, np.ndarray]:
    """Return weights with a net for every kind of decision: what is missing begins with small random numbers.

    wide: with weights for the features of `foresight`; units: hidden units of each net at least.
    """
    now = {name: np.array(value, np.float32) for name, value in weights.items()}
    rng = np.random.default_rng(seed)
    nets, features, width = now["first"].shape
    more = WIDTH - features if wide else 0
    if more > 0:
        now["linear"] = np.concatenate([now["linear"], np.zeros((nets, more))], 1)
        now["first"] = np.concatenate([now["first"], np.zeros((nets, more, width))], 1)
    for net in range(nets if wide else 0):
        blank = now["first"][net, team.SIZES[net] : team.ALL_SIZES[net]]
        if not blank.any():
            blank[:] = rng.normal(0, 0.03, blank.shape)
    features += more
    if units > width:
        new = rng.normal(0, 0.12, (nets, features, units - width))
        now["first"] = np.concatenate([now["first"], new], 2)
        now["bias"] = np.concatenate([now["bias"], np.zeros((nets, units - width))], 1)
        signs = np.where(rng.random((nets, units - width)) < 0.5, -0.03, 0.03)
        now["second"] = np.concatenate([now["second"], signs], 1)
    missing = team.NETS - nets
    if missing > 0:
        units = now["bias"].shape[1]
        signs = np.where(rng.random((missing, units)) < 0.5, -0.05, 0.05)
        new_nets = {
            "linear": np.zeros((missing, features)), "first": rng.normal(0, 0.12, (missing, features, units)),
            "bias": np.zeros((missing, units)), "second": signs,
        }  # fmt: skip
        now = {name: np.concatenate([value, new_nets[name]]) for name, value in now.items()}
    return {name: value.astype(np.float32) for name, value in now.items()}


def practice(
    cells: Sequence[tuple[Scenario, int]],
    weights: Sequence[Weights],
    *,
    seed: int,
    steps: int,
    deals: int,
    rate: float,
    workers: int,
    say: Callable[[str], None],
) -> list[dict[str, np.ndarray]]:
    """Return the weights after `steps` steps of Adam, each from `deals` rounds of every cell, played REPEATS times each.

    weights: of each kind of round (of a chapter with several), or one set for all kinds of all cells, with all nets (`complete`).
    A cell that is a long chapter is practised along its attempts. rate: the step size at the start, falling to a tenth; workers:
    threads. The mean weights of the last quarter of the steps are returned, which are steadier than the last ones.
    """
    now = [{name: np.array(value, np.float32) for name, value in each.items()} for each in weights]
    lanes = [Lane(scenario, players, deals) for scenario, players in cells]
    first, second = ([{name: np.zeros_like(value) for name, value in each.items()} for each in now] for _ in range(2))
    mean = [{name: np.zeros_like(value, np.float64) for name, value in each.items()} for each in now]
    kept, shares = 0, np.zeros(len(cells))
    with ThreadPoolExecutor(workers) as pool:
        for step in range(steps):
            brains = team.side_by_side([team.to_brain(each) for each in now] * (KINDS if len(now) == 1 else 1))
            jobs = [pool.submit(lane.gradient, brains, now, seed) for lane in lanes]
            found = [job.result() for job in jobs]
            shares = 0.9 * shares + 0.1 * np.array([share for _, share in found]) if step else np.array([s for _, s in found])
            pace = rate * (1 - 0.9 * step / steps)
            for k, each in enumerate(now):
                for name, value in each.items():
                    grad = sum(gradient[k][name] for gradient, _ in found) / len(found)
                    first[k][name] += 0.1 * (grad - first[k][name])
                    second[k][name] += 0.01 * (grad * grad - second[k][name])
                    scale = np.sqrt(second[k][name] / (1 - 0.99 ** (step + 1))) + 1e-8
                    value += (pace / (1 - 0.9 ** (step + 1))) * first[k][name] / scale
            if step >= steps - max(1, steps // 4):
                kept += 1
                for k, each in enumerate(now):
                    for name, value in each.items():
                        mean[k][name] += value
            if (step + 1) % max(1, steps // 20) == 0:
                say(f"practice: step {step + 1} of {steps}, {shares.mean():.2%} of rounds won while trying out")
    return [{name: (value / kept).astype(np.float32) for name, value in each.items()} for each in mean]
