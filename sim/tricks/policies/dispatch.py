"""From a policy's number to its decisions.

Every decision gets the rules, what all see (PUBLIC), what the deciding person sees (PRIVATE, the controller's) and the
options as a mask; never a hidden record, never another person's hand. `choices` is the policy's own random stream.
"""

from __future__ import annotations

from sim.core.jit import kernel
from sim.tricks.needs import find_needs
from sim.tricks.policies import random, script

RANDOM = 0
SCRIPT = 1

POLICIES = {"random": RANDOM, "script": SCRIPT}
"""Policy name -> number."""
VERSIONS = {"random": random.VERSION, "script": script.VERSION}
"""A policy's version changes with any of its decisions, and is recorded in every run."""


@kernel
def prepare_trick(policy, rules, public, needs):
    """Work out, once a trick and from what all see, what the policy's card decisions share."""
    if policy == SCRIPT:
        find_needs(rules, public, needs)


@kernel
def choose_character(policy, rules, public, mine, seat, options, choices):
    """Return the roster index that `seat` takes; `options` is a roster mask."""
    if policy == SCRIPT:
        return script.choose_character(rules, public, mine, seat, options)
    return random.choose(choices, options)


@kernel
def choose_exchanger(policy, rules, public, mine, options, choices):
    """Solo: return the seat whose exchange is used in this round; `options` is a mask of seats."""
    if policy == SCRIPT:
        return script.choose_exchanger(rules, public, mine, options)
    return random.choose(choices, options)


@kernel
def choose_take(policy, rules, public, mine, seat, choices):
    """Return whether `seat` takes the lost cards (asked only where that is optional)."""
    if policy == SCRIPT:
        return script.choose_take(rules, public, mine, seat)
    return random.flip(choices)


@kernel
def choose_partner(policy, rules, public, mine, seat, options, choices):
    """Return the seat with which `seat` exchanges; `options` is a mask of seats."""
    if policy == SCRIPT:
        return script.choose_partner(rules, public, mine, seat, options)
    return random.choose(choices, options)


@kernel
def choose_given(policy, rules, public, mine, seat, options, partner, choices):
    """Return the card that `seat` passes to `partner`; `options` is a mask of cards."""
    if policy == SCRIPT:
        return script.choose_given(rules, public, mine, seat, options, partner)
    return random.choose(choices, options)


@kernel
def choose_returned(policy, rules, public, mine, seat, options, partner, received, choices):
    """Return the card that `seat` passes back to `partner` for `received` (a slot, itself among the options)."""
    if policy == SCRIPT:
        return script.choose_returned(rules, public, mine, seat, options, partner, received)
    return random.choose(choices, options)


@kernel
def choose_card(policy, rules, public, mine, needs, seat, options, choices):
    """Return the card that `seat` plays to the current trick; `options` are its legal cards."""
    if policy == SCRIPT:
        return script.choose_card(rules, public, mine, needs, seat, options)
    return random.choose(choices, options)


@kernel
def choose_declare(policy, rules, public, mine, needs, seat, choices):
    """Return whether the declaring card, which `seat` has just played, wins the trick."""
    if policy == SCRIPT:
        return script.choose_declare(rules, public, mine, needs, seat)
    return random.flip(choices)
