"""From a policy's number to its decisions.

A policy gets the rules, what all see (PUBLIC) and the decision as its person sees it (VIEW: question, options, own hand and
knowledge); never a hidden record, never another person's hand. `choices` is the policy's own random stream.
"""

from __future__ import annotations

from sim.core.jit import kernel
from sim.tricks.policies import random, script

RANDOM = 0
SCRIPT = 1

POLICIES = {"random": RANDOM, "script": SCRIPT}
"""Policy name -> number."""
VERSIONS = {"random": random.VERSION, "script": script.VERSION}
"""A policy's version changes with any of its decisions, and is recorded in every run."""


@kernel
def choose(policy, rules, public, view, choices):
    """Return the policy's choice among view.options: a roster index, a seat, a card, or 1 for yes and 0 for no."""
    if policy == SCRIPT:
        return script.choose(rules, public, view)
    return random.choose(view.options, choices)
