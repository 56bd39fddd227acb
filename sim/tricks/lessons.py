"""Lessons for `team`: decisions as `search` sees them, with the share of worlds that each option wins."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
import numpy as np

from scenarios.model import Scenario
from sim.core.jit import ONE, ZERO, kernel, lowest
from sim.core.random import STREAM_SEARCH, new_source, start
from sim.tricks.decisions import CARD, CHARACTER, DECLARE, GIVEN, RETURNED
from sim.tricks.engine import advance, apply, prepare
from sim.tricks.inference import remember
from sim.tricks.link import load_rules
from sim.tricks.policies import dispatch, team
from sim.tricks.policies.features import WIDTH
from sim.tricks.search import best_option, narrow, new_worlds, weigh
from sim.tricks.table import new_record, new_table
from sim.tricks.view import VIEW, look

OPTIONS_A_DEAL = 260
"""Room for the options of one deal's decisions; further ones of the deal are left out."""


class Lessons(NamedTuple):
    """Options of decisions, one row each, grouped by decision.

    x: int16 (rows, 96), features in units of 1/128; wins: float32 (rows,), share of worlds won; net: uint8
    (decisions,), which net decides; size: uint8 (decisions,), number of options.
    """

    x: np.ndarray
    wins: np.ndarray
    net: np.ndarray
    size: np.ndarray


class LessonTask(msgspec.Struct, frozen=True, array_like=True):
    """Deals first .. first + count - 1 of a cell, to be played by search over `policy` with so many worlds a decision."""

    scenario: Scenario
    players: int
    policy: int
    worlds: int
    seed: int
    first: int
    count: int
    inference: bool = False


@kernel
def net_of(kind):
    """Return the net that decides decisions of a kind."""
    if kind == CARD or kind == DECLARE:
        return team.NET_CARD
    if kind > DECLARE:
        return team.NET_RARE
    if kind == CHARACTER:
        return team.NET_CHARACTER
    if kind == GIVEN:
        return team.NET_GIVEN
    if kind == RETURNED:
        return team.NET_RETURNED
    return team.NET_PARTNER


@kernel
def learn_deal(
    rules, public, privates, hidden, view, brain, luck, source, policy, worlds, publics, privates2, hiddens, world_view, wins,
    history, pasts, log, off, x, y, net, size,
):  # fmt: skip
    """Play a prepared deal by search and write its decisions that matter; returns (decisions, rows) written."""
    decisions = 0
    rows = 0
    view.prepared = -1
    log.rows = 0
    history.choices = 0
    while advance(rules, public, privates, hidden, luck, log):
        look(rules, public, privates, hidden, view)
        narrow(rules, public, view)
        if view.options & (view.options - ONE) == ZERO:
            apply(rules, public, privates, hidden, lowest(view.options), log)
            continue
        weigh(
            rules, public, hidden, view, brain, source, policy, worlds, publics, privates2, hiddens, world_view, wins, history,
            pasts, log, off,
        )  # fmt: skip
        low = 1e9
        high = -1.0
        n = 0
        rest = view.options
        while rest != ZERO:
            option = lowest(rest)
            rest &= rest - ONE
            low = min(low, wins[option])
            high = max(high, wins[option])
            n += 1
        if high > low and rows + n <= x.shape[0]:
            team.prepare(rules, public, view, brain)
            rest = view.options
            while rest != ZERO:
                option = lowest(rest)
                rest &= rest - ONE
                dispatch.rate(rules, public, view, brain, option)
                for i in range(WIDTH):
                    x[rows, i] = view.x[i]
                y[rows] = np.float32(wins[option] / worlds)
                rows += 1
            net[decisions] = net_of(view.pending)
            size[decisions] = n
            decisions += 1
        # A round that cannot be won any more teaches nothing.
        if high == 0.0:
            break
        choice = best_option(rules, public, view, brain, wins)
        remember(history, pasts, public, view, log, choice)
        apply(rules, public, privates, hidden, choice, log)
    return decisions, rows


@kernel
def begin(rules, public, privates, hidden, luck, source, seed, deal):
    """Deal, and start the search's stream."""
    one = np.uint64(1)
    prepare(rules, public, privates, hidden, luck, source, seed, ZERO, one, deal)
    start(source, seed, ZERO, STREAM_SEARCH, one, deal)
    hidden.stop_early = 1


def take_lessons(task: LessonTask, brain: Any = None) -> Lessons:
    """Return the decisions of a task's deals, as `brain` (default: the shipped weights) and search see them."""
    rules = load_rules(task.scenario, task.players, searching=True)
    weights = team.weights_of(task.scenario, task.players) if brain is None else brain
    table, view = new_table(), new_record(VIEW)
    luck, source = new_source(), new_source()
    worlds = new_worlds(task.inference)
    parts: list[Lessons] = []
    x = np.zeros((OPTIONS_A_DEAL, WIDTH), np.int16)
    y = np.zeros(OPTIONS_A_DEAL, np.float32)
    net, size = np.zeros(OPTIONS_A_DEAL, np.uint8), np.zeros(OPTIONS_A_DEAL, np.uint8)
    for deal in range(task.first, task.first + task.count):
        begin(rules, *table, luck, source, np.uint64(task.seed), np.uint64(deal))
        decisions, rows = learn_deal(
            rules, *table, view, weights, luck, source, task.policy, task.worlds, *worlds, x, y, net, size
        )
        parts.append(Lessons(x[:rows].copy(), y[:rows].copy(), net[:decisions].copy(), size[:decisions].copy()))
    return join(parts)


def join(parts: list[Lessons]) -> Lessons:
    """Return several lots of lessons as one."""
    return Lessons(*(np.concatenate([part[i] for part in parts]) for i in range(4)))
