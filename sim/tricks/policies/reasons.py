"""Why a policy decides as it does, in words: the rule of thumb of `script`, the best options of `team` and of `search`."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from scenarios.errors import UserError
from scenarios.model import Scenario
from sim.core.jit import compiling, is_warm, mark_warm
from sim.tricks import decisions
from sim.tricks.own_weights import base_of, brain_of
from sim.tricks.policies import plain, script, team
from sim.tricks.policies.equal import stands_for, unlike
from sim.tricks.rules import MORE
from sim.tricks.table import new_record

EXPLAINING = ("script", "team", "search")
"""Policies that can say why."""
CARDS = (
    decisions.CARD,
    decisions.GIVEN,
    decisions.RETURNED,
    decisions.FROM_PILE,
    decisions.TUCKED,
    decisions.RESERVED,
    decisions.AHEAD,
)
"""Decisions whose options are cards."""
NO_EXCHANGE = "no exchange"
SHOWN = 3
"""How many options of `team` and `search` are told."""


@dataclass(frozen=True)
class Reason:
    """Why a decision was taken.

    kind: kind of decision (`sim.tricks.engine`); seat: seat decided for; trick: number of finished tricks; playing: whether play
    has begun; chosen: what was chosen, in words; why: the reason in words.
    """

    kind: int
    seat: int
    trick: int
    playing: bool
    chosen: str
    why: str


def check_explaining(policy: str) -> None:
    """Raise UserError when `policy` cannot say why it decides as it does."""
    if base_of(policy) not in EXPLAINING:
        raise UserError(f"--explain: the policy {policy} gives no reasons; {', '.join(EXPLAINING)} do")


@functools.cache
def _account() -> Any:
    return new_record(script.ACCOUNT)


def option_in_words(scenario: Scenario, public: Any, kind: int, option: int) -> str:
    """Return an option of a kind of decision as text: a card, a character, a seat's character, a number, yes or no."""
    if kind in CARDS:
        return scenario.cards[option]
    if kind == decisions.CHARACTER:
        return scenario.roster[option].character
    if kind in (decisions.CURSED, decisions.FETCH) and option == decisions.NOT_NOW:
        return "nobody" if kind == decisions.CURSED else NO_EXCHANGE
    if kind in (
        decisions.PARTNER, decisions.EXCHANGER, decisions.LEADER, decisions.CURSED, decisions.CLAIM, decisions.FETCH,
    ):  # fmt: skip
        return scenario.roster[int(public.character[option])].character
    if kind in (decisions.THREAT, decisions.KEPT):
        return str(option)
    if kind == decisions.WAY:
        return "more" if option == MORE else "fewer"
    return "yes" if option else "no"


def explain(policy: str, scenario: Scenario, players: int, rules: Any, public: Any, view: Any) -> Reason:
    """Return the reason for the decision in `view` (a record VIEW), which `policy` is about to take.

    `search` knows its reason only when it has searched: `explain_search`. Raises UserError for a policy that gives no reasons.
    """
    check_explaining(policy)
    kind = int(view.pending)
    brain = brain_of(policy, scenario, players) if base_of(policy) == "team" else None
    if kind >= decisions.CURSED or (kind > decisions.DECLARE and (brain is None or not team.knows_rare(brain))):
        choice = plain.choose(rules, public, view)
        why = plain.ADVICE[kind]
    elif policy == "script":
        cold = not is_warm("reasons")
        with compiling(cold, "the reasons"):
            choice, rule = script.explain(rules, public, view, _account())
        if cold:
            mark_warm("reasons")
        fired = script.RULES_OF_THUMB[int(rule)]
        why = f"rule {fired.number}, {fired.name}: {fired.advice}"
    else:
        choice = team.choose(rules, public, view, brain)
        team.prepare(rules, public, view, brain)
        options = [option for option in range(64) if int(view.options) >> option & 1]
        # Cards that do the same score as the one of them that is looked at.
        kept = unlike(rules, public, view) if kind == decisions.CARD else view.options
        looked_at = {option: int(stands_for(np.uint64(kept), option)) for option in options}
        scores = {option: int(team.rate(rules, public, view, brain, looked_at[option])) / team.POINT for option in options}
        # The choice first, for it is the lowest of equals.
        order = sorted(options, key=lambda option: (-scores[option], option))
        told = [f"{option_in_words(scenario, public, kind, option)} {scores[option]:.2f}" for option in order[:SHOWN]]
        why = "best of " + ", ".join(told)
    view.prepared = np.int64(-1)
    playing = int(public.tricks) > 0
    return Reason(kind, int(view.seat), int(public.trick), playing, option_in_words(scenario, public, kind, int(choice)), why)


def explain_search(scenario: Scenario, public: Any, view: Any, wins: Any, choice: int, worlds: int, weighed: bool) -> Reason:
    """Return the reason for what `search` chose, from what it wrote to `wins`, before the choice is carried out.

    view: the record VIEW with the options that were looked at; wins: float64 (64,), by option in how many of `worlds` imagined
    worlds the group wins, or when `weighed` the sum of the likelihoods of those.
    """
    kind = int(view.pending)
    options = [option for option in range(64) if int(view.options) >> option & 1]
    if len(options) == 1:
        why = "the other options do the same"
    else:
        order = sorted(options, key=lambda option: (option != choice, -float(wins[option]), option))
        told = [
            f"{option_in_words(scenario, public, kind, option)} {f'{wins[option]:.1f}' if weighed else f'{wins[option]:.0f}'}"
            for option in order[:SHOWN]
        ]
        imagined = "imagined worlds won, weighed by likelihood" if weighed else f"of {worlds} imagined worlds won"
        why = f"best of {', '.join(told)} {imagined}"
    playing = int(public.tricks) > 0
    return Reason(kind, int(view.seat), int(public.trick), playing, option_in_words(scenario, public, kind, choice), why)
