"""The rounds of a chapter: which kinds there are, who has to be completed, and what a group may do once it has lost.

A short chapter is one round. A long one goes on, round after round, until each of its kinds of round has been won and each
character that has to be completed was in a round that was won; a lost round ends the attempt. `compile_plan` is the only way
from scenario to kernels.
"""

from __future__ import annotations

import numpy as np

from scenarios.errors import UserError
from scenarios.model import Scenario
from sim.tricks.condition import compile_condition
from sim.tricks.rules import ROSTER, RULES, compile_rules
from sim.tricks.table import new_record
from sim.tricks.where import EVERY_DEAL, Where

KINDS = 8
MOST_ROUNDS = 255
"""Rounds of an attempt at most: who has not finished by then has lost it (a group that chooses with any plan needs six)."""
MOST_ATTEMPTS = 65_535

RETRIES = ("none", "fresh", "keep")
"""After a lost attempt: the deal is over; a new attempt from the beginning; one that keeps what was completed."""

PLAN = np.dtype(
    [
        ("kinds", np.int64),
        ("long", np.int64),
        ("everyone", np.int64, (KINDS, ROSTER)),
        ("required_roles", np.uint64, (KINDS,)),
        ("required", np.uint64, (KINDS,)),
        ("members", np.uint64, (KINDS,)),
        ("free", np.int64, (KINDS,)),
        ("must", np.uint64),
        ("after", np.uint64, (KINDS,)),
        ("again", np.uint64),
        ("closing", np.uint64),
        ("saves", np.uint64),
        ("curse", np.int64),
        ("fetches", np.int64),
        ("frees", np.int64),
        ("first", np.int64),
        ("attempts", np.int64),
        ("keep", np.int64),
    ]
)
"""The rounds of one chapter for one number of players.

kinds: how many kinds of round (1 when all are alike); long: whether the chapter takes several. everyone: a kind's roster index
-> the character's index in the chapter; required_roles: who is in every round of a kind, by roster index; required, members,
must: who is in every round of a kind, who may be chosen in it, who has to be completed (masks over the chapter's characters);
free: seats that required characters leave. after: kinds that come first; again: kinds that may be won more than once; closing:
the kind that comes after all others; saves: kinds in which a gift lets one goal fail (masks over kinds). curse: whether a
wandering curse must be borne once; fetches, frees: how often in an attempt the gifts may be used that swap for the lost card,
and that free a seat in the first trick. first: the kind of the first round. attempts: most attempts at a deal; keep: whether a
new one keeps what was completed.
"""

COURSE = np.dtype(
    [
        ("deal", np.uint64),
        ("end", np.uint64),
        ("attempt", np.int64),
        ("number", np.int64),
        ("kind", np.int64),
        ("completed", np.uint64),
        ("done", np.uint64),
        ("saved", np.int64),
        ("borne", np.int64),
        ("fetches", np.int64),
        ("frees", np.int64),
    ]
)
"""How far the deals `deal` .. `end` - 1 are played: the attempt and, in it, the number of the round that is due (from 1), the
kind of that round, the characters completed (mask over the chapter's), the kinds of round won, whether the gift that saves a goal
is used up; whether the wandering curse was borne in a round that was won, and how often the other gifts may still be used."""


def kinds_of(scenario: Scenario) -> list[Scenario]:
    """Return the scenario of each kind of round; the chapter itself when all rounds are alike."""
    return list(scenario.rounds.values()) or [scenario]


def is_long(scenario: Scenario) -> bool:
    """Return whether the deals of a scenario take several rounds. A single kind of round of a long chapter does not."""
    return scenario.length == "long" and not scenario.kind


def everybody_in(scenario: Scenario) -> list[str]:
    """Return the characters of a chapter, those of all its kinds of round, each once."""
    return list(dict.fromkeys(entry.character for kind in kinds_of(scenario) for entry in kind.roster))


def compile_plan(
    scenario: Scenario, players: int, retry: str = "none", attempts: int = 1, where: Where = EVERY_DEAL
) -> tuple[np.ndarray, np.record]:
    """Return the rules of each kind of round (array of dtype RULES, shape (kinds,), not linked yet: `link.link`) and the PLAN.

    The rules are for one user: kernels write to them, since in a chapter's last round the characters still open are required.
    retry: one of RETRIES; attempts: most attempts at a deal, 1 without retry; where: what the deal of every round must fit.
    Raises UserError as `compile_rules` and `compile_condition` do, for too many kinds of round, and for characters that no
    order of rounds can complete.
    """
    kinds = kinds_of(scenario)
    if len(kinds) > KINDS:
        raise UserError(f"chapter {scenario.label}: rounds: {len(kinds)} kinds; at most {KINDS} are allowed")
    keys = [kind.kind for kind in kinds]
    rules = np.zeros(len(kinds), RULES).view(np.recarray)
    for index, key in enumerate(keys):
        rules[index] = compile_rules(scenario, players, key if scenario.rounds else "")
        if where:
            rules[index].condition = compile_condition(where, kinds[index], rules[index]).address
    plan, names = new_record(PLAN), everybody_in(scenario)
    if len(names) > 64:
        raise UserError(f"chapter {scenario.label}: rounds: {len(names)} characters; at most 64 are allowed")
    plan.kinds, plan.long, plan.first = len(kinds), is_long(scenario), -1
    plan.attempts, plan.keep = (1 if retry == "none" else attempts), retry == "keep"
    must: set[str] = set()
    plan.curse = any(int(one.bearers) for one in rules)
    plan.fetches, plan.frees = any(int(one.fetcher) >= 0 for one in rules), any(int(one.first_free) >= 0 for one in rules)
    for index, kind in enumerate(kinds):
        roster = [names.index(entry.character) for entry in kind.roster]
        plan.everyone[index, : len(roster)] = roster
        plan.required_roles[index] = rules[index].required
        plan.required[index] = _mask(names.index(entry.character) for entry in kind.roster if entry.required)
        plan.members[index] = _mask(roster)
        plan.free[index] = int(rules[index].seats) - sum(entry.required for entry in kind.roster)
        if not plan.long:
            continue
        must |= {entry.character for entry in kind.roster if entry.complete}
        plan.after[index] = _mask(keys.index(before) for before in kind.after)
        if kind.times == "any" or len(kinds) == 1:
            plan.again |= np.uint64(1 << index)
        if len(kinds) > 1 and set(keys) - {kind.kind} <= set(kind.after):
            plan.closing |= np.uint64(1 << index)
        if saves_goal(kind):
            plan.saves |= np.uint64(1 << index)
    plan.must = _mask(names.index(name) for name in must)
    plan.first = next((index for index, kind in enumerate(kinds) if not kind.after or not plan.long), -1)
    _check_plan(scenario, kinds, plan, sorted(must))
    return rules, plan


def single_rounds(plan: np.record) -> None:
    """Make every deal of a plan a single round of its first kind, in which nobody has to be completed and no goal is saved."""
    plan.kinds, plan.first, plan.long = 1, 0, 0
    plan.must = plan.closing = plan.saves = np.uint64(0)


def saves_goal(kind: Scenario) -> bool:
    """Return whether one goal may fail in a round, by a gift whose owner is in it; UserError when the owner need not be."""
    required = {entry.character for entry in kind.roster if entry.required}
    for name, gift in kind.gifts.items():
        if gift.saves_goal and gift.owner not in required:
            raise UserError(f"chapter {kind.name}: gifts: {name} is {gift.owner}'s, who must be in every round (required = true)")
    return any(gift.saves_goal for gift in kind.gifts.values())


def _check_plan(scenario: Scenario, kinds: list[Scenario], plan: np.record, must: list[str]) -> None:
    """Raise UserError when some chapter could never be finished."""
    if plan.first < 0:
        raise UserError(f"chapter {scenario.label}: rounds: none of them may come first (after)")
    if not plan.long or plan.again:
        return
    in_it = {entry.character for kind in kinds for entry in kind.roster if entry.required}
    left = [name for name in must if name not in in_it]
    if left:
        raise UserError(
            f"chapter {scenario.label}: {left[0]} has to be completed, but no kind of round may be won more than once; "
            "set times = 'any' for one of them, or complete = false for the character"
        )


def _mask(indices: object) -> np.uint64:
    return np.uint64(sum({1 << index for index in indices}))  # type: ignore[attr-defined]
