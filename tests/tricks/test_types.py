"""What the compiled kernels work with: integers, booleans and records, and no floating-point number where none is meant."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numba import types

import sim.core.random
import sim.tricks
from sim.core.jit import COMPILED
from sim.core.random import SOURCE
from sim.tricks.batch import play_columns
from sim.tricks.library import PLAYING
from sim.tricks.replay import Replay, record
from sim.tricks.rules import RULES
from sim.tricks.table import HIDDEN, LOG, PRIVATES, PUBLIC

from .games import PLAYERS, PLAYOUTS, SEED, chapter

if not COMPILED:
    pytest.skip("kernels have types only when compiled", allow_module_level=True)

NETS = (
    "sim.tricks.search.",
    "sim.tricks.inference.",
    "sim.tricks.lessons.",
    "sim.tricks.practice.",
    "sim.tricks.batch.play_deals_by_search",
)
"""Kernels that compute with floating-point numbers on purpose: shares of worlds won, likelihoods."""
APART = ("sim.tricks.solver.", "sim.tricks.lessons.", "sim.tricks.practice.")
"""Modules that no round needs: their kernels are looked at where they were compiled before."""
FLOAT = re.compile(r"\b(float\d+|complex\d+)\b")


def kernels() -> Iterator[tuple[str, Any]]:
    """Yield (module.name, kernel) of every kernel of the engine."""
    names = ["sim.core.jit", "sim.core.random"]
    names += [found.name for found in pkgutil.walk_packages(sim.tricks.__path__, "sim.tricks.")]
    for name in names:
        module = importlib.import_module(name)
        for attribute, value in vars(module).items():
            if hasattr(value, "py_func") and value.py_func.__module__ == name and value.py_func.__name__ == attribute:
                yield f"{name}.{attribute}", value


@pytest.fixture(scope="module", autouse=True)
def everything_compiled() -> None:
    """Play with every policy, then load from the cache what its callers, loaded as a whole, did not ask for."""
    for policy in PLAYING:
        for players in PLAYERS:
            play_columns(chapter("4"), players, policy, SEED, 0, 2, True, PLAYOUTS)
            record(
                Replay(chapter("1", (("A10", "after_trick"), ("A12", "optional"))), players, policy, SEED, 0, playouts=PLAYOUTS)
            )
    for _, kernel in kernels():
        index = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
        for key in index._load_index() if index is not None else ():
            kernel.compile(key[0])


def meant(name: str) -> bool:
    """Return whether floating-point numbers are meant in a kernel."""
    return name.startswith(NETS)


def variables(overload: Any) -> Iterator[tuple[str, str]]:
    """Yield (line, type) of the variables of a compiled kernel that are no records."""
    for line in str(overload.type_annotation).splitlines():
        kind = line.rpartition("  :: ")[2]
        if "  :: " in line and "Record(" not in kind:
            yield line.strip(), kind


def test_kernels_are_found_and_nearly_all_were_compiled() -> None:
    found = dict(kernels())
    found = {name: kernel for name, kernel in found.items() if not name.startswith(APART)}
    compiled = [name for name, kernel in found.items() if kernel.signatures]
    assert len(found) > 80
    known = ("sim.core.random.below", "sim.tricks.play.legal", "sim.tricks.goals.verdict", "sim.tricks.batch.play_deals")
    assert set(known) <= set(compiled)
    assert len(compiled) > 0.9 * len(found), sorted(set(found) - set(compiled))


def test_arguments_and_results_are_no_floats() -> None:
    for name, kernel in kernels():
        for signature, overload in kernel.overloads.items():
            scalars = [str(part) for part in signature if not isinstance(part, types.Record | types.Array)]
            told = f"{name}({', '.join(scalars)}) -> {overload.signature.return_type}"
            assert meant(name) or not FLOAT.search(told), told


def test_no_variable_is_a_float() -> None:
    for name, kernel in kernels():
        for overload in kernel.overloads.values():
            floats = [line for line, kind in variables(overload) if FLOAT.search(kind)]
            assert meant(name) or not floats, f"{name}: {floats[:3]}"


def test_scores_are_computed_in_single_precision() -> None:
    """A number of double precision would widen all that it touches, and the sums of another machine could differ."""
    for name, kernel in kernels():
        if name.startswith("sim.tricks.policies."):
            for overload in kernel.overloads.values():
                # A constant is written in double precision and rounded on the spot.
                wide = [line for line, kind in variables(overload) if kind.startswith("float64") and " = const(" not in line]
                assert not wide, f"{name}: {wide[:3]}"


@pytest.mark.parametrize("dtype", [RULES, PUBLIC, PRIVATES, HIDDEN, LOG, SOURCE], ids=lambda dtype: ", ".join(dtype.names[:2]))
def test_the_records_of_rules_table_and_luck_hold_integers(dtype: np.dtype) -> None:
    kinds = {np.dtype(dtype[name]).base.kind for name in dtype.names or ()}
    assert kinds <= {"i", "u"}


@pytest.mark.parametrize("name", ["lowest", "highest", "count", "bit", "nth"])
def test_bit_kernels_give_integers(name: str) -> None:
    kernel = getattr(sim.core.jit, name)
    results = {str(overload.signature.return_type) for overload in kernel.overloads.values()}
    assert results == ({"uint64"} if name == "bit" else {"int64"})
