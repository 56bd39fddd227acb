"""Rules that are ready to be played with: those of a scenario, with the addresses of the kernels that are called far.

The setup of a round, what is rare in play, and the policies that think are large, and called seldom beside the rest. Calling
them through an address keeps LLVM from optimising them again in every kernel that drives rounds: a third of the time.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from scenarios.model import Scenario
from sim.core.jit import CACHE_FOLDER, COMPILED, address_of
from sim.core.random import SOURCE
from sim.core.workers import usable_cpus
from sim.tricks import engine, search
from sim.tricks.condition import compile_condition
from sim.tricks.inference import HISTORY
from sim.tricks.policies import dispatch
from sim.tricks.policies.team import BRAIN
from sim.tricks.rules import (
    FAR_APPLY,
    FAR_BETWEEN,
    FAR_GIVEN,
    FAR_IMAGINE,
    FAR_KERNELS,
    FAR_PREPARE,
    FAR_RATE,
    FAR_READY,
    FAR_SCRIPT,
    FAR_SEARCH,
    FAR_TEAM,
    FAR_TEST,
    RULES,
    compile_rules,
)
from sim.tricks.table import HIDDEN, LOG, PRIVATES, PUBLIC
from sim.tricks.view import VIEW
from sim.tricks.where import EVERY_DEAL, Where

_ADDRESSES = [0] * FAR_KERNELS
_LOADED = engine, dispatch, search
"""The modules that say which kernels are called far."""
_OF_SEARCH = (FAR_IMAGINE, FAR_SEARCH)
_BESIDE = (FAR_TEAM, FAR_RATE, *_OF_SEARCH)
"""About half of the work of compiling."""


def addresses(searching: bool) -> list[int]:
    """Return the addresses of all kernels that are called far, compiling or loading them the first time.

    Those of `search` take longest to load, and are 0 until somebody is `searching`.
    """
    if not COMPILED:
        return list(range(FAR_KERNELS))
    wanted = [number for number in range(FAR_KERNELS) if not _ADDRESSES[number] and (searching or number not in _OF_SEARCH)]
    if wanted:
        signatures = far_signatures()
        for number in wanted:
            _ADDRESSES[number] = address_of(number, *signatures[number])
    return _ADDRESSES


def compile_some(numbers: Iterable[int]) -> None:
    """Compile kernels that are called far into the cache."""
    signatures = far_signatures()
    for number in numbers:
        address_of(number, *signatures[number])


def compile_all() -> None:
    """Compile all kernels that are called far, half of them in a second process where there is a second processor."""
    if not COMPILED:
        return
    beside = None
    if CACHE_FOLDER is not None and usable_cpus() > 1:
        order = f"from sim.tricks import link; link.compile_some({_BESIDE})"
        beside = subprocess.Popen([sys.executable, "-P", "-c", order], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        compile_some(number for number in range(FAR_KERNELS) if beside is None or number not in _BESIDE)
    except BaseException:
        if beside is not None:
            beside.terminate()
        raise
    if beside is not None:
        # Should it have failed, what is missing is compiled here.
        beside.wait()
    addresses(True)


def far_signatures() -> dict[int, tuple[Any, ...]]:
    """Return the argument types of every kernel that is called far, by number."""
    from numba import float64, from_dtype, int64, uint64

    rules, public, privates, hidden, source, log, view, brain, history = (
        from_dtype(kind) for kind in (RULES, PUBLIC, PRIVATES, HIDDEN, SOURCE, LOG, VIEW, BRAIN, HISTORY)
    )
    table = rules, public, privates, hidden
    worlds = public[::1], privates[::1], hidden[::1], view, float64[::1], history, public[::1]
    return {
        FAR_PREPARE: (*table, source, source, uint64, uint64, uint64, uint64),
        FAR_READY: (*table, source, log),
        FAR_APPLY: (*table, int64, log),
        FAR_BETWEEN: (*table, log),
        FAR_TEST: (rules, public, hidden, log),
        FAR_SCRIPT: (rules, public, view),
        FAR_TEAM: (rules, public, view, brain),
        FAR_RATE: (rules, public, view, brain, int64),
        FAR_IMAGINE: (rules, public, view, privates, hidden, source),
        FAR_GIVEN: (*table, source, uint64, uint64, uint64, uint64),
        FAR_SEARCH: (rules, public, hidden, view, brain, source, int64, int64, *worlds, log, log),
    }


def link(rules: Any, searching: bool = False) -> None:
    """Make rules (a record RULES or an array of them) ready for play; searching: whether `search` is going to play."""
    rules.far[:] = np.array(addresses(searching), np.int64)


def load_rules(scenario: Scenario, players: int, kind: str = "", searching: bool = False, where: Where = EVERY_DEAL) -> Any:
    """Return `compile_rules(scenario, players, kind)`, linked (record RULES), for deals that fit a condition.

    Raises UserError as `compile_rules` and `compile_condition` do.
    """
    rules = compile_rules(scenario, players, kind)
    link(rules, searching)
    if where:
        # The cached record is everybody's.
        whole = np.zeros(1, RULES).view(np.recarray)
        whole[0] = rules
        own: Any = whole[0]
        own.condition = compile_condition(where, scenario.rounds[kind] if kind else scenario, rules).address
        return own
    return rules
