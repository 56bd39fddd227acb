"""`random`: uniform over what is allowed, in every decision. The floor, and the player of conformance runs."""

from __future__ import annotations

from sim.core.jit import inlined
from sim.core.random import pick

VERSION = 1


@inlined
def choose(options, choices):
    """Return a uniformly drawn member of the mask `options`."""
    return pick(choices, options)
