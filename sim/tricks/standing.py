"""Where one round of an attempt begins: what earlier rounds of the deal have completed, and the kind of round that is due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from scenarios.drawing import drawn
from scenarios.errors import UserError
from scenarios.model import Scenario
from sim.tricks.attempts import open_round, shuffle_number
from sim.tricks.batch import GOAL_COLUMNS, ROUND_COLUMNS, check_tries, start_deals
from sim.tricks.plan import MOST_ATTEMPTS, kinds_of
from sim.tricks.search import DEFAULT_PLAYOUTS
from sim.tricks.where import EVERY_DEAL, Where


@dataclass(frozen=True)
class Standing:
    """The moment before a round: its scenario and rules (record RULES), its number among the deal's shuffles, and of the table
    what the chapter says (masks over the round's roster, goals that may fail, curse and gifts; see PUBLIC)."""

    scenario: Scenario
    rules: Any
    attempt: int
    number: int
    shuffle: int
    completed: int
    sought: int
    spare: int
    curse_due: int
    fetches: int
    frees: int


def standing(
    scenario: Scenario,
    players: int,
    policy: str,
    seed: int,
    deal: int,
    attempt: int,
    number: int,
    retry: str = "none",
    playouts: int = DEFAULT_PLAYOUTS,
    inference: bool = False,
    where: Where = EVERY_DEAL,
) -> Standing:
    """Play a deal up to the round `number` of an `attempt` (both from 1) and return where that round begins.

    Raises UserError when the deal has no such round under this policy.
    """
    if attempt > 1 and retry == "none":
        raise UserError(f"--attempt {attempt}: needs --retry fresh or --retry keep, as the run had it")
    if attempt > MOST_ATTEMPTS:
        raise UserError(f"--attempt {attempt}: at most {MOST_ATTEMPTS:_} are allowed")
    scenario = drawn(scenario, players, seed, deal)
    deals = start_deals(scenario, players, policy, seed, deal, 1, False, playouts, None, inference, retry, attempt, where)
    course = deals.course
    rounds = np.zeros(1, ROUND_COLUMNS).view(np.recarray)
    goals = np.zeros((1, deals.seats), GOAL_COLUMNS).view(np.recarray)
    while course.deal != course.end and (int(course.attempt), int(course.number)) != (attempt, number):
        deals.play(rounds, goals)
        if where:
            check_tries(scenario, players, where, seed, rounds.deal, rounds.tries)
    if course.deal == course.end:
        last = rounds[0]
        came = f"it {'is won' if last.won else 'is lost'} in round {int(last.number)} of attempt {int(last.attempt)}"
        raise UserError(f"--attempt {attempt} --round {number}: deal {deal} does not come to it under {policy}, {came}")
    kind = int(course.kind)
    rules, public = deals.rules[kind], deals.public
    open_round(deals.plan, course, rules, public)
    return Standing(
        scenario=kinds_of(scenario)[kind],
        rules=rules,
        attempt=attempt,
        number=number,
        shuffle=int(shuffle_number(course)),
        completed=int(public.completed),
        sought=int(public.sought),
        spare=int(public.spare),
        curse_due=int(public.curse_due),
        fetches=int(public.fetches),
        frees=int(public.frees),
    )
