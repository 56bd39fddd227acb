"""From a policy's number to its decisions.

A policy gets the rules, what all see (PUBLIC), the decision as its person sees it (VIEW: question, options, own hand and
knowledge) and, for `team`, its weights; never a hidden record, never another person's hand. `choices` is the policy's own
random stream.
"""

from __future__ import annotations

from sim.core.jit import kernel
from sim.tricks.decisions import CHARACTER, DECLARE
from sim.tricks.policies import plain, random, script, team
from sim.tricks.policies.planning import choosable

RANDOM = 0
SCRIPT = 1
TEAM = 2

POLICIES = {"random": RANDOM, "script": SCRIPT, "team": TEAM}
"""Policy name -> number."""
VERSIONS = {"random": random.VERSION, "script": script.VERSION, "team": team.VERSION}
"""A policy's version changes with any of its decisions, and is recorded in every run."""


@kernel
def choose(policy, rules, public, view, brain, choices):
    """Return the policy's choice among view.options: a roster index, a seat, a card, or 1 for yes and 0 for no."""
    if view.pending == CHARACTER and policy != RANDOM:
        view.options = choosable(rules, public, view)
    if view.pending > DECLARE and policy != RANDOM:
        return plain.choose(rules, public, view)
    if policy == SCRIPT:
        return script.choose(rules, public, view)
    if policy == TEAM:
        return team.choose(rules, public, view, brain)
    return random.choose(view.options, choices)
