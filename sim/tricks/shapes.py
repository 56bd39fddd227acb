"""Deals under a condition, counted: every way in which the named cards can lie in the named places, with its exact probability.

The cards are sorted into classes: cards that no test tells apart. A *shape* says how many cards of each class lie in each place
that a test looks at. Given its shape, a deal is uniform over all deals of that shape, since deal format 1 gives every deal with
the same lost cards and the same pile the same probability. So a shape drawn with its probability, its cards then drawn uniformly
class by class, and all other cards uniformly over what is left, is a deal of exactly the distribution that rejection would give.

The probability of a shape is the number of its deals, a product of multinomial coefficients, times the probability of one deal:
1 / (sets of lost cards * piles left to choose from * ways to deal the rest).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial, prod
from typing import Any

from sim.tricks.asked import (
    CLASSES,
    DECK,
    LOST,
    PILE,
    PLACE_DECK,
    PLACE_LOST,
    PLACE_PILE,
    PLACES,
    ROWS,
    SEAT,
    SLOTS,
    STEP,
)
from sim.tricks.rules import SEATS
from sim.tricks.where import AFTER_SETUP, Test, Tree, holds, tests_of

STEPS_OF_SEARCH = 60_000
"""Positions of the enumeration, at most: about a fifth of a second."""


@dataclass(frozen=True)
class Shape:
    """So many cards of each class in each place, () in a place that is dealt at random; holder: the holder card's seat, dealt
    apart from the classes, or -1."""

    holder: int
    counts: tuple[tuple[int, ...], ...]
    chance: Fraction


@dataclass(frozen=True)
class Shapes:
    """All shapes that fit a condition: the classes (masks) and the shapes. Their chances add up to that of the condition."""

    classes: tuple[int, ...]
    shapes: tuple[Shape, ...]

    @property
    def chance(self) -> Fraction:
        """Return the probability that a deal fits."""
        return sum((shape.chance for shape in self.shapes), Fraction(0))


class TooManyError(Exception):
    """There are more shapes than a table holds."""


def can_count(tree: Tree, rules: Any) -> bool:
    """Return whether shapes can tell if a deal fits: all tests are about hands, lost cards, pile and draw deck as dealt."""
    for test in tests_of(tree):
        if test.source in AFTER_SETUP or test.source == SLOTS:
            return False
        if test.source == STEP and (rules.steps or not _holder_in_hands(rules)):
            return False
    return True


def _holder_in_hands(rules: Any) -> bool:
    """Return whether the holder card is always dealt to a hand."""
    if rules.solo or not int(rules.holder_card):
        return bool(int(rules.holder_card))
    card, cards = int(rules.holder_card), int(rules.deck).bit_count()
    out = (rules.lost and not card & int(rules.never_lost)) or (rules.pile and not card & int(rules.pile_not))
    return not out and cards == int(rules.seats) * int(rules.hand) + int(rules.lost) + int(rules.pile)


def count_shapes(trees: Sequence[Tree], rules: Any) -> Shapes:
    """Return the shapes of all deals in which `trees` (each as `can_count` wants it) hold; rules: dtype RULES.

    Raises TooManyError when there are more than ROWS, or finding them would take too long.
    """
    return _Counting(trees, rules).all()


class _Counting:
    def __init__(self, trees: Sequence[Tree], rules: Any) -> None:
        self.trees = trees
        self.tests = [test for tree in trees for test in tests_of(tree)]
        self.seats, self.hand, self.lost, self.pile = (int(rules[name]) for name in ("seats", "hand", "lost", "pile"))
        self.solo, self.card = bool(rules.solo) and int(rules.holder_card) > 0, int(rules.holder_card)
        self.apart = self.solo or any(test.source == STEP for test in self.tests)
        deck = int(rules.deck)
        self.total = deck.bit_count()
        self.never_lost, self.pile_not = int(rules.never_lost), int(rules.pile_not)
        cards = deck & ~self.card if self.apart else deck
        sets = [test.mask for test in self.tests] + [self.never_lost, self.pile_not]
        found: dict[tuple[bool, ...], int] = {}
        for slot in range(cards.bit_length()):
            if cards >> slot & 1:
                sign = tuple(bool(one >> slot & 1) for one in sets)
                found[sign] = found.get(sign, 0) | 1 << slot
        self.classes = tuple(found.values())
        if len(self.classes) > CLASSES:
            raise TooManyError
        self.sizes = [mask.bit_count() for mask in self.classes]
        self.steps = 0

    def all(self) -> Shapes:
        shapes: list[Shape] = []
        for holder in range(self.seats) if self.apart else [-1]:
            for shape in self.of_holder(holder):
                shapes.append(shape)
                if len(shapes) > ROWS:
                    raise TooManyError
        return Shapes(self.classes, tuple(shapes))

    def place(self, test: Test, holder: int) -> int:
        if test.source == STEP:
            return (holder + test.index) % self.seats
        return {SEAT: test.index, LOST: PLACE_LOST, PILE: PLACE_PILE, DECK: PLACE_DECK}[test.source]

    def of_holder(self, holder: int) -> Iterator[Shape]:
        """Yield the shapes with the holder card dealt apart to the seat `holder` (-1: dealt as any other card)."""
        room = [self.hand - (seat == holder) if seat < self.seats else 0 for seat in range(SEATS)]
        left = self.total - self.apart - self.lost - self.pile - sum(room)
        room += [self.lost, self.pile, left]
        named = {self.place(test, holder) for test in self.tests}
        order = [p for p in range(PLACES) if p in named or (p in (PLACE_LOST, PLACE_PILE) and room[p])]
        needs = [{self.place(test, holder) for test in tests_of(tree)} for tree in self.trees]
        due = [[t for t, need in enumerate(needs) if need <= {*order[: i + 1]} and order[i] in need] for i in range(len(order))]
        counts: dict[int, tuple[int, ...]] = {}

        def count(test: Test) -> int:
            place = self.place(test, holder)
            own = place == holder and test.mask & self.card and self.apart
            return bool(own) + sum(n for n, mask in zip(counts[place], self.classes, strict=True) if mask & test.mask)

        def go(index: int, rest: tuple[int, ...]) -> Iterator[Shape]:
            if index == len(order):
                table = tuple(counts.get(place, ()) for place in range(PLACES))
                yield Shape(holder, table, self.chance(table, rest, room))
                return
            place = order[index]
            for here in self.fill(place, room[place], rest):
                counts[place] = here
                if all(holds(self.trees[t], count) for t in due[index]):
                    yield from go(index + 1, tuple(a - b for a, b in zip(rest, here, strict=True)))
            counts.pop(place, None)

        yield from go(0, tuple(self.sizes))

    def fill(self, place: int, room: int, rest: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Yield how many cards of each class may lie in a place of so much room."""
        barred = self.never_lost if place == PLACE_LOST else self.pile_not if place == PLACE_PILE else 0
        most = [0 if mask & barred else n for n, mask in zip(rest, self.classes, strict=True)]

        def go(index: int, room: int) -> Iterator[tuple[int, ...]]:
            self.steps += 1
            if self.steps > STEPS_OF_SEARCH:
                raise TooManyError
            if index == len(most):
                if room == 0:
                    yield ()
                return
            for n in range(max(0, room - sum(most[index + 1 :])), min(most[index], room) + 1):
                for more in go(index + 1, room - n):
                    yield (n, *more)

        yield from go(0, room)

    def chance(self, table: tuple[tuple[int, ...], ...], rest: tuple[int, ...], room: list[int]) -> Fraction:
        """Return the probability of a shape; rest: cards of each class in the places that no test looks at."""
        ways = 1
        for index, size in enumerate(self.sizes):
            here = [counts[index] for counts in table if counts] + [rest[index]]
            ways *= factorial(size) // prod(map(factorial, here))
        free = [size for size, counts in zip(room, table, strict=True) if not counts]
        ways *= factorial(sum(free)) // prod(map(factorial, free))
        # What one deal's probability is made of (see above); one person's holder card goes to a seat drawn before.
        away = self.card if self.solo else 0
        losable = [n for n, mask in zip(self.sizes, self.classes, strict=True) if not mask & self.never_lost]
        lost_sets = comb(sum(losable) + (self.apart and not self.solo and not self.card & self.never_lost), self.lost)
        piles = 1
        if self.pile:
            gone = table[PLACE_LOST] or (0,) * len(self.sizes)
            ready = [n - out for n, out, mask in zip(self.sizes, gone, self.classes, strict=True) if not mask & self.pile_not]
            piles = comb(sum(ready) + (self.apart and not self.solo and not self.card & self.pile_not), self.pile)
        blocks = [*room[:SEATS], room[PLACE_DECK]]
        if self.apart and not self.solo:
            # The holder card is one of the cards dealt then; which seat it came to is part of the shape.
            blocks = [self.hand] * self.seats + [room[PLACE_DECK]]
        deals = factorial(sum(blocks)) // prod(map(factorial, blocks))
        return Fraction(ways, lost_sets * piles * deals * (self.seats if away else 1))
