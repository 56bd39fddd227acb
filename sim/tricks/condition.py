"""A condition as kernels read it: the shapes that are dealt outright, and the tests that a deal must pass besides.

What shapes can count is dealt outright as far as the table holds it, the rarest conditions first. What is left is tested, on the
deal or after setup, and a deal that fails is dealt anew from the next random numbers. Both together give every deal that fits
the probability that it has among all that fit.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from scenarios.errors import UserError
from scenarios.model import Scenario
from sim.core.jit import pinned
from sim.tricks.asked import AND, CONDITION, NOT, OR, STEP, TESTS, WORDS
from sim.tricks.shapes import Shapes, TooManyError, can_count, count_shapes
from sim.tricks.where import AFTER_SETUP, Node, Test, Tree, Where, read, tests_of


@dataclass(frozen=True)
class Condition:
    """A compiled condition. address: of its record; chance: the share of all deals that fit what is dealt outright; drawn:
    whether no deal is ever dealt in vain; after_setup: whether it depends on what was decided in setup."""

    record: Any
    address: int
    chance: float
    drawn: bool
    after_setup: bool


def is_after_setup(tree: Tree, rules: Any) -> bool:
    """Return whether a tree can be judged after setup only."""
    return any(test.source in AFTER_SETUP or (test.source == STEP and bool(rules.steps)) for test in tests_of(tree))


@functools.lru_cache(maxsize=64)
def _compiled(key: str, players: int, where: Where) -> Condition:
    scenario, rules = _BY_KEY[key, players]
    trees = read(where.text, scenario, rules)
    chosen, shapes = _outright(where, [tree for tree in trees if can_count(tree, rules)], scenario, rules)
    tested = [tree for tree in trees if tree not in chosen]
    after = [tree for tree in tested if is_after_setup(tree, rules)]
    record = np.zeros(1, CONDITION).view(np.recarray)[0]
    record.tries = where.tries
    if shapes is not None:
        _fill_shapes(record, shapes)
    _fill_tests(record, [[tree for tree in tested if tree not in after], after], where)
    chance = float(shapes.chance) if shapes is not None else 1.0
    return Condition(record, pinned(record), chance, not tested, bool(after))


def _outright(where: Where, trees: list[Tree], scenario: Scenario, rules: Any) -> tuple[list[Tree], Shapes | None]:
    """Return the conditions that are dealt outright and their shapes; UserError when they never hold."""
    alone: list[tuple[Shapes, Tree]] = []
    for tree in trees:
        try:
            alone.append((count_shapes([tree], rules), tree))
        except TooManyError:
            continue
        if not alone[-1][0].shapes:
            raise UserError(f"--where '{where.text}': {_never(trees, tree, where)} {_cell(scenario, rules)}")
    chosen: list[Tree] = []
    shapes: Shapes | None = None
    for _, tree in sorted(alone, key=lambda pair: pair[0].chance):
        try:
            more = count_shapes([*chosen, tree], rules)
        except TooManyError:
            continue
        if not more.shapes:
            raise UserError(f"--where '{where.text}': its parts never hold together {_cell(scenario, rules)}")
        chosen, shapes = [*chosen, tree], more
    return chosen, shapes


def _never(trees: list[Tree], tree: Tree, where: Where) -> str:
    parts = where.text.split(";")
    if len(parts) == len(trees) > 1:
        return f"'{parts[trees.index(tree)].strip()}' never holds"
    return "it never holds"


def _cell(scenario: Scenario, rules: Any) -> str:
    players = int(rules.players)
    return f"in chapter {scenario.name} with {players} player{'s' if players > 1 else ''}"


def _fill_shapes(record: Any, shapes: Shapes) -> None:
    record.rows, record.classes = len(shapes.shapes), len(shapes.classes)
    record.cards[: len(shapes.classes)] = np.array(shapes.classes, np.uint64)
    whole, so_far = shapes.chance, Fraction(0)
    for row, shape in enumerate(shapes.shapes):
        so_far += shape.chance
        record.upto[row] = np.uint64(min(int(so_far / whole * (1 << 64)), (1 << 64) - 1))
        record.holder[row] = shape.holder
        for place, counts in enumerate(shape.counts):
            if counts:
                record.named[row] |= 1 << place
                record.counts[row, place, : len(counts)] = counts


def _fill_tests(record: Any, lists: list[list[Tree]], where: Where) -> None:
    tests = list(dict.fromkeys(test for trees in lists for tree in trees for test in tests_of(tree)))
    if len(tests) > TESTS:
        raise UserError(f"--where '{where.text}': {len(tests)} different tests; at most {TESTS} are allowed")
    for number, test in enumerate(tests):
        for name in ("source", "index", "mask", "low", "high", "slots"):
            record[name][number] = getattr(test, name)
    for moment, trees in enumerate(lists):
        words = _postfix(Node("and", tuple(trees)), tests) if trees else []
        if len(words) > WORDS:
            raise UserError(f"--where '{where.text}': too long: {len(words)} tests and words; at most {WORDS} are allowed")
        record.words[moment] = len(words)
        record.word[moment, : len(words)] = words


def _postfix(tree: Tree, tests: list[Test]) -> list[int]:
    if isinstance(tree, Test):
        return [tests.index(tree)]
    if tree.word == "not":
        return [*_postfix(tree.parts[0], tests), NOT]
    words = _postfix(tree.parts[0], tests)
    for part in tree.parts[1:]:
        words += [*_postfix(part, tests), AND if tree.word == "and" else OR]
    return words


_BY_KEY: dict[tuple[str, int], tuple[Scenario, Any]] = {}


def compile_condition(where: Where, scenario: Scenario, rules: Any) -> Condition:
    """Return a condition for the rounds of a scenario (of one kind), cached; rules: its record RULES.

    Raises UserError for a condition that cannot be read, that names what the scenario lacks, or that never holds.
    """
    key = scenario.hash, int(rules.players)
    _BY_KEY[key] = scenario, rules
    return _compiled(*key, where)
