"""What the compiled kernels work with: integers, booleans and records, and no floating-point number where none is meant."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest

import sim.core.random
import sim.tricks
from sim.core.jit import COMPILED
from sim.tricks.batch import play_columns
from sim.tricks.policies.dispatch import POLICIES
from sim.tricks.replay import Replay, record

from .games import PLAYERS, SEED, chapter

if not COMPILED:
    pytest.skip("kernels have types only when compiled", allow_module_level=True)

FLOATS_MEANT: tuple[str, ...] = ()
"""Modules (or `module.kernel`) whose kernels compute with floating-point numbers on purpose."""
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
    for policy in POLICIES:
        for players in PLAYERS:
            play_columns(chapter("4"), players, policy, SEED, 0, 2, True)
            record(Replay(chapter("1", (("A10", "after_trick"), ("A12", "optional"))), players, policy, SEED, 0))
    for _, kernel in kernels():
        index = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
        for key in index._load_index() if index is not None else ():
            kernel.compile(key[0])


def meant(name: str) -> bool:
    """Return whether floating-point numbers are meant in a kernel."""
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in FLOATS_MEANT)


def test_kernels_are_found_and_nearly_all_were_compiled() -> None:
    found = dict(kernels())
    compiled = [name for name, kernel in found.items() if kernel.signatures]
    assert len(found) > 100
    known = ("sim.core.random.below", "sim.tricks.play.legal", "sim.tricks.goals.verdict", "sim.tricks.batch.play_deals")
    assert set(known) <= set(compiled)
    assert len(compiled) > 0.9 * len(found), sorted(set(found) - set(compiled))


def test_arguments_and_results_are_no_floats() -> None:
    for name, kernel in kernels():
        for signature, overload in kernel.overloads.items():
            scalars = [str(part) for part in signature if not str(part).startswith(("Record", "unaligned", "Array", "array"))]
            told = f"{name}({', '.join(scalars)}) -> {overload.signature.return_type}"
            assert meant(name) or not FLOAT.search(told), told


def test_no_variable_is_a_float() -> None:
    for name, kernel in kernels():
        for overload in kernel.overloads.values():
            floats = [line.strip() for line in str(overload.type_annotation).splitlines() if FLOAT.search(line)]
            assert meant(name) or not floats, f"{name}: {floats[:3]}"


def test_records_hold_no_floats() -> None:
    """A record's fields are its own affair only where floating-point numbers are meant."""
    for name, kernel in kernels():
        for signature in kernel.overloads:
            records = [str(part) for part in signature if str(part).startswith("Record")]
            assert meant(name) or not any(FLOAT.search(text) for text in records), name


@pytest.mark.parametrize("name", ["lowest", "highest", "count", "bit", "nth"])
def test_bit_kernels_give_integers(name: str) -> None:
    kernel = getattr(sim.core.jit, name)
    results = {str(overload.signature.return_type) for overload in kernel.overloads.values()}
    assert results == ({"uint64"} if name == "bit" else {"int64"})
