"""`random`: uniform over what is allowed, in every decision. The floor, and the player of conformance runs."""

from __future__ import annotations

from sim.core.jit import kernel
from sim.core.random import below, pick

VERSION = 1


@kernel
def choose(choices, options):
    """Return a uniformly drawn member of the mask `options`: a character, a seat or a card."""
    return pick(choices, options)


@kernel
def flip(choices):
    """Return a fair yes or no."""
    return below(choices, 2) == 1
