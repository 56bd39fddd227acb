"""Whom a group with a plan lets a seat choose in a long chapter: characters that bring it on, before those already completed.

No rule of the game (`random` knows nothing of it), but a habit that `script`, `team` and `search` share; they choose by the
hand among what it leaves. In single rounds nobody is sought, and it leaves all.
"""

from __future__ import annotations

from sim.core.jit import ZERO, bit, count, kernel


@kernel
def choosable(rules, public, view):
    """Return the options (mask over the roster) of a choice of character that do not make the chapter longer than it need be.

    Sought characters go first, and required ones with them, for they take a seat anyway. A character that only this seat may
    take is taken once all that are sought fit into the round: the other seats could not make up for it.
    """
    sought = view.options & public.sought
    if sought == ZERO:
        return view.options
    if rules.bearer >= 0 and sought & bit(rules.bearer) != ZERO:
        if count(public.sought) <= rules.seats - count(rules.required & ~public.sought):
            return bit(rules.bearer)
    return view.options & (public.sought | rules.required)
