"""Rules that are ready to be played with: those of a scenario, with the addresses of the kernels that are called far.

The setup of a round, what is rare in play, and the policies that think are large, and called seldom beside the rest. Calling
them through an address keeps LLVM from optimising them again in every kernel that drives rounds: a third of the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scenarios.model import Scenario
from sim.core.jit import COMPILED, address_of
from sim.core.random import SOURCE
from sim.tricks import engine
from sim.tricks.policies import dispatch
from sim.tricks.policies.team import BRAIN
from sim.tricks.rules import (
    FAR_APPLY,
    FAR_BETWEEN,
    FAR_CHOOSE,
    FAR_KERNELS,
    FAR_PREPARE,
    FAR_READY,
    FAR_TEST,
    RULES,
    compile_rules,
)
from sim.tricks.table import HIDDEN, LOG, PRIVATES, PUBLIC
from sim.tricks.view import VIEW

_ADDRESSES: list[int] = []
_LOADED = engine, dispatch
"""The modules that say which kernels are called far."""


def addresses() -> list[int]:
    """Return the addresses of all kernels that are called far, compiling or loading them the first time."""
    if _ADDRESSES:
        return _ADDRESSES
    if not COMPILED:
        _ADDRESSES.extend(range(FAR_KERNELS))
        return _ADDRESSES
    from numba import from_dtype, int64, uint64

    rules, public, privates, hidden, luck, log, view, brain = (
        from_dtype(kind) for kind in (RULES, PUBLIC, PRIVATES, HIDDEN, SOURCE, LOG, VIEW, BRAIN)
    )
    table = rules, public, privates, hidden
    arguments = {
        FAR_PREPARE: (*table, luck, luck, uint64, uint64, uint64, uint64),
        FAR_READY: (*table, luck, log),
        FAR_APPLY: (*table, int64, log),
        FAR_BETWEEN: (*table, log),
        FAR_TEST: (rules, public, hidden, log),
        FAR_CHOOSE: (int64, rules, public, view, brain, luck),
    }
    _ADDRESSES.extend(address_of(number, *arguments[number]) for number in range(FAR_KERNELS))
    return _ADDRESSES


def load_rules(scenario: Scenario, players: int, kind: str = "") -> Any:
    """Return `compile_rules(scenario, players, kind)` ready for play (record RULES); raises UserError as that does."""
    rules = compile_rules(scenario, players, kind)
    rules.far[:] = np.array(addresses(), np.int64)
    return rules
