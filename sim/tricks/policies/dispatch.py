"""From a policy's number to its decisions.

A policy gets the rules, what all see (PUBLIC), the decision as its person sees it (VIEW: question, options, own hand and
knowledge) and, for `team`, its weights; never a hidden record, never another person's hand. `choices` is the policy's own
random stream.
"""

from __future__ import annotations

from sim.core.jit import call_far, far, inlined, kernel
from sim.tricks.decisions import CHARACTER, CURSED, DECLARE
from sim.tricks.policies import plain, random, script, team
from sim.tricks.policies.planning import choosable
from sim.tricks.rules import FAR_RATE, FAR_SCRIPT, FAR_TEAM

RANDOM = 0
SCRIPT = 1
TEAM = 2

POLICIES = {"random": RANDOM, "script": SCRIPT, "team": TEAM}
"""Policy name -> number."""
VERSIONS = {"random": random.VERSION, "script": script.VERSION, "team": team.VERSION}
"""A policy's version changes with any of its decisions, and is recorded in every run."""


@kernel
def follow_script(rules, public, view):
    """Return the choice of `script`."""
    if view.pending == CHARACTER:
        view.options = choosable(rules, public, view)
    if view.pending > DECLARE:
        return plain.choose(rules, public, view)
    return script.choose(rules, public, view)


@kernel
def follow_team(rules, public, view, brain):
    """Return the choice of `team`."""
    if view.pending == CHARACTER:
        view.options = choosable(rules, public, view)
    if view.pending >= CURSED:
        return plain.choose(rules, public, view)
    return team.choose(rules, public, view, brain)


@kernel
def choose(policy, rules, public, view, brain, choices):
    """Return the policy's choice among view.options: a member of that mask (see `sim.tricks.decisions`)."""
    if policy == RANDOM:
        return random.choose(view.options, choices)
    if policy == SCRIPT:
        return call_far(rules.far[FAR_SCRIPT], (rules, public, view))
    return call_far(rules.far[FAR_TEAM], (rules, public, view, brain))


@inlined
def rate(rules, public, view, brain, option):
    """Return `team.rate` of one option, called far."""
    return call_far(rules.far[FAR_RATE], (rules, public, view, brain, option))


far(FAR_SCRIPT, follow_script)
far(FAR_TEAM, follow_team)
far(FAR_RATE, team.rate)
