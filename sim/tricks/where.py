"""The language of conditions on deals (`--where`, docs/conditions.md): from a text to a tree of tests.

A test counts: so many of these cards lie in that place. Parts joined by `;` must all hold; inside a part `and` binds closer than
`or`, and `not` closer than both. Names are those of the scenario that the condition is read for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import msgspec

from scenarios.cards import parse_card, select
from scenarios.errors import UserError, nearest
from scenarios.model import Scenario
from sim.tricks.asked import (
    DECK,
    LEADER_ROLE,
    LEADER_SEAT,
    LEADER_STEP,
    LOST,
    MOST,
    PILE,
    ROLE,
    ROLES,
    SEAT,
    SEAT_ROLE,
    SLOTS,
    STEP,
    STEP_ROLE,
    THREAT,
)

AFTER_SETUP = frozenset((ROLE, THREAT, SEAT_ROLE, STEP_ROLE, ROLES, LEADER_SEAT, LEADER_STEP, LEADER_ROLE))
"""What only setup decides."""

DEFAULT_TRIES = 1_000_000


class Where(msgspec.Struct, frozen=True):
    """A condition as it was asked for; `tries`: deals that are dealt for one that fits, at most. Without a text it is none."""

    text: str = ""
    tries: int = DEFAULT_TRIES

    def __bool__(self) -> bool:
        return bool(self.text)


EVERY_DEAL = Where()


def asked_for(text: str, tries: int = 0) -> Where:
    """Return the condition of a text, its blanks put in order; tries: 0 stands for the default."""
    parts = (" ".join(part.split()) for part in text.split(";"))
    return Where("; ".join(part for part in parts if part), tries or DEFAULT_TRIES)


@dataclass(frozen=True)
class Test:
    """Whether `low` to `high` of the bits `mask` are in what `source` and `index` name (slots: the pyramid's, as a mask)."""

    source: int
    index: int
    mask: int
    low: int
    high: int
    slots: int = 0


@dataclass(frozen=True)
class Node:
    """`and`, `or` or `not` of its parts."""

    word: str
    parts: tuple[Any, ...]


Tree = Test | Node


def tests_of(tree: Tree) -> Iterator[Test]:
    """Yield the tests of a tree, from left to right."""
    if isinstance(tree, Test):
        yield tree
        return
    for part in tree.parts:
        yield from tests_of(part)


def holds(tree: Tree, count: Callable[[Test], int]) -> bool:
    """Return whether a tree holds where `count` says how many of a test's cards lie in its place."""
    if isinstance(tree, Test):
        return tree.low <= count(tree) <= tree.high
    if tree.word == "not":
        return not holds(tree.parts[0], count)
    return (all if tree.word == "and" else any)(holds(part, count) for part in tree.parts)


def read(text: str, scenario: Scenario, rules: Any) -> list[Tree]:
    """Return the conditions of a text that must all hold, each a tree; rules: those of the scenario (dtype RULES).

    Raises UserError for what cannot be read, and for names and places that the scenario lacks for this number of players.
    """
    return [_simple(tree) for part in text.split(";") for tree in _split(_Reader(part, text, scenario, rules).all())]


def _split(tree: Tree) -> list[Tree]:
    """Return the parts that a tree joins by `and`, itself when it joins none."""
    if isinstance(tree, Node) and tree.word == "and":
        return [one for part in tree.parts for one in _split(part)]
    return [tree]


def _simple(tree: Tree) -> Tree:
    """Return the tree without nodes of a single part."""
    if isinstance(tree, Test):
        return tree
    parts = tuple(_simple(part) for part in tree.parts)
    return parts[0] if len(parts) == 1 and tree.word != "not" else Node(tree.word, parts)


SOMEBODY = {"somebody": "or", "anybody": "or", "nobody": "or", "everybody": "and"}
STEPS = {"holder": 0, "left": 1, "opposite": 2, "right": -1}
STARTS = (
    *(
        "lost",
        "holder",
        "left",
        "right",
        "opposite",
        "seat",
        "somebody",
        "nobody",
        "everybody",
        "pyramid",
        "row",
        "shown",
        "deck",
    ),
    *("pile", "threat", "first leader", "not"),
)
AMOUNTS = ("no", "any", "all", "only", "at least", "at most", "exactly")
_CARD = re.compile(r"(\*|[A-Z]+)(?:\d{1,2}(?:-\d{1,2})?)?\Z")
_RANKS = re.compile(r"\d{1,2}(?:-\d{1,2})?\Z")


class _Reader:
    """Reads one part of a condition, word by word."""

    def __init__(self, part: str, whole: str, scenario: Scenario, rules: Any) -> None:
        self.words = re.findall(r"[(),:]|[^\s(),:]+", part)
        self.place = 0
        self.whole, self.scenario, self.rules = whole, scenario, rules
        self.players, self.seats = int(rules.players), int(rules.seats)
        self.deck = int(rules.deck)
        self.roster = [entry.character for entry in scenario.roster]
        self.suits = {
            suit.name.lower(): letter
            for letter, suit in scenario.suits.items()
            if any(parse_card(card)[0] == letter for card in scenario.cards)
        }

    # Words -----------------------------------------------------------------------------------------------------------

    @property
    def word(self) -> str:
        """The next word in small letters, empty at the end."""
        return self.words[self.place].lower() if self.place < len(self.words) else ""

    def next(self) -> str:
        self.place += 1
        return self.words[self.place - 1]

    def take(self, *words: str) -> bool:
        """Read `words` if they come next."""
        if [word.lower() for word in self.words[self.place : self.place + len(words)]] == list(words):
            self.place += len(words)
            return True
        return False

    def fail(self, reason: str) -> NoReturn:
        raise UserError(f"--where '{self.whole}': {reason}")

    def fail_at(self, wanted: str, allowed: Sequence[str] = ()) -> NoReturn:
        """Say what was expected instead of the next word."""
        found = f"'{self.words[self.place]}'" if self.word else "the end"
        after = f" after '{self.words[self.place - 1]}'" if self.place else ""
        self.fail(f"{found}{after}: {wanted}{nearest(self.word, allowed) if self.word else ''}")

    def number(self) -> int:
        if not re.fullmatch(r"\d{1,2}", self.word):
            self.fail_at("a number must stand here")
        return int(self.next())

    def so_many(self) -> int:
        """Read a number of cards, with or without `of`."""
        number = self.number()
        self.take("of")
        return number

    # Sentences -------------------------------------------------------------------------------------------------------

    def all(self) -> Tree:
        tree = self.either()
        if self.word:
            self.fail_at("must be and, or, ; or the end", ("and", "or"))
        return tree

    def either(self) -> Tree:
        parts = [self.both()]
        while self.take("or"):
            parts.append(self.both())
        return Node("or", tuple(parts))

    def both(self) -> Tree:
        parts = [self.single()]
        while self.take("and"):
            parts.append(self.single())
        return Node("and", tuple(parts))

    def single(self) -> Tree:
        if self.take("not"):
            return Node("not", (self.single(),))
        if self.take("("):
            tree = self.either()
            if not self.take(")"):
                self.fail_at("a ) is missing")
            return tree
        if self.take("threat"):
            return self.threat()
        if self.take("first", "leader"):
            return self.first_leader()
        return self.cards_or_role()

    def threat(self) -> Tree:
        if not self.take("of"):
            self.fail_at("write threat of a character, such as threat of sam is 3")
        role = self.role()
        self.expect_is()
        negative = self.take("not")
        allowed = [n for n in range(64) if int(self.rules.threats) >> n & 1]
        values = self.numbers()
        strange = [n for n in values if n not in allowed]
        if strange and len(values) == len(strange):
            known = f"the threats are {', '.join(map(str, allowed))}" if allowed else "there are no threats"
            self.fail(f"threat {strange[0]}: {known} in chapter {self.scenario.name}")
        test = Test(THREAT, role, sum(1 << n for n in values), 1, MOST)
        return Node("not", (test,)) if negative else test

    def numbers(self) -> list[int]:
        if self.take("at", "least"):
            return list(range(self.number(), 64))
        if self.take("at", "most"):
            return list(range(self.number() + 1))
        found: list[int] = []
        while True:
            if not _RANKS.match(self.word):
                self.fail_at("a number must stand here, such as 3, 3 or 4, 2-4, at least 3")
            low, _, high = self.next().partition("-")
            found += range(int(low), int(high or low) + 1)
            following = self.words[self.place + 1 : self.place + 2]
            if not (self.word in ("or", ",") and following and _RANKS.match(following[0])):
                return found
            self.place += 1

    def first_leader(self) -> Tree:
        self.expect_is()
        negative = self.take("not")
        where = self.seat()
        if where is not None:
            source, index, _ = where
            kind = {SEAT: LEADER_SEAT, STEP: LEADER_STEP, ROLE: LEADER_ROLE}[source]
            test = Test(kind, 0, 1 << index, 1, MOST)
            return Node("not", (test,)) if negative else test
        self.fail_at("a seat or a character must stand here", (*STEPS, "seat", *self.roster))

    def cards_or_role(self) -> Tree:
        if self.word in SOMEBODY:
            word = self.next().lower()
            start = self.place
            parts = []
            for seat in range(self.seats):
                self.place = start
                parts.append(self.predicate((SEAT, seat, 0)))
            tree = Node(SOMEBODY[word], tuple(parts))
            return Node("not", (tree,)) if word == "nobody" else tree
        named = self.word in self.roster
        place = self.subject()
        if place is None:
            starts = [*STARTS, *self.roster]
            self.fail_at(f"no condition begins so; it begins with {', '.join(STARTS[:-1])} or a character", starts)
        if named:
            role = self.roster.index(self.words[self.place - 1].lower())
            for words, negative in ((("is", "in"), False), (("is", "not", "in"), True)):
                if self.take(*words):
                    return Test(ROLES, 0, 1 << role, 0 if negative else 1, 0 if negative else MOST)
        return self.predicate(place)

    def predicate(self, place: tuple[int, int, int]) -> Tree:
        source, index, slots = place
        lost = source == LOST
        if self.take("has") or self.take(":"):
            if self.take("void", "in"):
                return Test(source, index, self.cards(), 0, 0, slots)
            return self.amount(place)
        if not self.take("is"):
            self.fail_at("must be has, is or :", ("has", "is"))
        negative = self.take("not")
        if self.take("void", "in"):
            mask = self.cards()
            return Test(source, index, mask, 1, MOST, slots) if negative else Test(source, index, mask, 0, 0, slots)
        if lost:
            mask = self.cards(joined=True)
            # All lost cards are of this set, or none is.
            return Test(source, index, mask if negative else self.deck & ~mask, 0, 0)
        if source in (SEAT, STEP, ROLE) and (self.word in self.roster or source != ROLE):
            role = self.role()
            if source == ROLE:
                self.fail(
                    f"'{self.roster[index]} is {self.roster[role]}': a character is no other; write 'left is sam' or 'sam is in'"
                )
            kind = SEAT_ROLE if source == SEAT else STEP_ROLE
            return Test(kind, index, 1 << role, 0 if negative else 1, 0 if negative else MOST)
        self.fail_at("must be 'void in', or after a character 'in'", ("void", "in"))

    def amount(self, place: tuple[int, int, int]) -> Test:
        source, index, slots = place
        if self.take("no"):
            low, high, mask = 0, 0, self.cards()
        elif self.take("any"):
            low, high, mask = 1, MOST, self.cards()
        elif self.take("all"):
            mask = self.cards()
            low, high = mask.bit_count(), MOST
        elif self.take("only"):
            low, high, mask = 0, 0, self.deck & ~self.cards()
        elif self.take("at", "least"):
            low, high, mask = self.so_many(), MOST, self.cards()
        elif self.take("at", "most"):
            low, high, mask = 0, self.so_many(), self.cards()
        elif self.take("exactly"):
            low = high = self.so_many()
            mask = self.cards()
        else:
            start = self.place
            mask = self.cards(single=True)
            low, high = mask.bit_count(), MOST
            assert self.place > start
        return Test(source, index, mask, low, high, slots)

    # Places ----------------------------------------------------------------------------------------------------------

    def subject(self) -> tuple[int, int, int] | None:
        """Return (source, index, slots) of the place that comes next, None when none does."""
        word = self.word
        if word == "lost":
            self.next()
            self.take("card") or self.take("cards")
            self.require(int(self.rules.lost) > 0, "lost", "no card is lost")
            return LOST, 0, 0
        if word == "pile":
            self.next()
            self.require(int(self.rules.pile) > 0, "pile", "no pile is set aside")
            return PILE, 0, 0
        if word == "deck":
            self.next()
            self.require(self.players == 1, "deck", "one person alone has a draw deck")
            return DECK, 0, 0
        if word in ("pyramid", "row", "shown"):
            self.next()
            self.require(int(self.rules.pyramid) > 0, word, "two people alone have a pyramid")
            if word == "pyramid":
                return SEAT, self.seats - 1, 0
            if word == "shown":
                return SLOTS, 0, int(self.rules.pyramid_up)
            return SLOTS, 0, self.row()
        return self.seat()

    def require(self, is_there: bool, word: str, why: str) -> None:
        if not is_there:
            self.fail(
                f"{word}: {why} in chapter {self.scenario.name} with {self.players} player{'s' if self.players > 1 else ''}"
            )

    def row(self) -> int:
        number = self.number()
        rows = self.scenario.pyramids[self.scenario.deals[self.players].pyramid].rows
        if number >= len(rows):
            self.fail(f"row {number}: the rows are 0 (bottom) to {len(rows) - 1}")
        return ((1 << rows[number]) - 1) << sum(rows[:number])

    def seat(self) -> tuple[int, int, int] | None:
        word = self.word
        if word == "seat":
            self.next()
            number = self.number()
            if number >= self.seats:
                self.fail(
                    f"seat {number}: the seats are 0 to {self.seats - 1} with {self.players} player{'s' * (self.players > 1)}"
                )
            return SEAT, number, 0
        if word in STEPS:
            self.next()
            if word == "opposite" and self.seats != 4:
                self.fail(f"opposite: nobody sits opposite of the holder at {self.seats} seats; write left or right")
            if int(self.rules.holder_card) == 0:
                self.fail(
                    f"{word}: chapter {self.scenario.name} has no card whose holder could be named; write seat 0, seat 1, ..."
                )
            return STEP, STEPS[word] % self.seats, 0
        if word.replace("-", "_") in self.roster:
            role = self.role()
            # Who must take the character bound to the holder card is known at the deal.
            if role == int(self.rules.bearer) and self.rules.bound and not self.rules.steps:
                return STEP, 0, 0
            return ROLE, role, 0
        return None

    def role(self) -> int:
        name = self.word.replace("-", "_")
        if name not in self.roster:
            found = f"'{self.words[self.place]}'" if self.word else "nothing"
            allowed = ", ".join(self.roster)
            self.fail(f"{found}: the characters of chapter {self.scenario.name} are {allowed}{nearest(name, self.roster)}")
        self.next()
        role, required = self.roster.index(name), int(self.rules.required)
        if required.bit_count() == self.seats and not required >> role & 1:
            there = ", ".join(other for index, other in enumerate(self.roster) if required >> index & 1)
            with_ = f"with {self.players} player{'s' if self.players > 1 else ''}"
            self.fail(f"{name}: never in a round of chapter {self.scenario.name} {with_}, where all seats are taken by {there}")
        return role

    def expect_is(self) -> None:
        if not self.take("is"):
            self.fail_at("must be is", ("is",))

    # Cards -----------------------------------------------------------------------------------------------------------

    def cards(self, single: bool = False, joined: bool = False) -> int:
        """Return the mask of the cards that come next; single: only cards one by one; joined: `or` may stand between them."""
        mask = self.card(single)
        while True:
            start = self.place
            if self.take(",") or (joined and self.take("or")):
                if self.starts_card():
                    mask |= self.card(single)
                    continue
                self.place = start
            elif self.starts_card():
                mask |= self.card(single)
                continue
            return mask

    def starts_card(self) -> bool:
        text = self.words[self.place] if self.place < len(self.words) else ""
        return (
            self.word in self.suits
            or self.word == "rank"
            or bool(_CARD.match(text))
            or bool(_CARD.match(text.upper()) and any(map(str.isdigit, text)))
        )

    def card(self, single: bool) -> int:
        if not self.starts_card():
            named = ", ".join(name.capitalize() for name in self.suits)
            amounts = f" or {', '.join(AMOUNTS)}" if single else ""
            wanted = f"a card (H3, Hills 3), a suit ({named}), a set (F1-4, *8, rank 8){amounts} must stand here"
            self.fail_at(wanted, (*self.suits, *(AMOUNTS if single else ()), "rank"))
        start = self.place
        if self.take("rank"):
            if not _RANKS.match(self.word):
                self.fail_at("a rank must stand here, such as rank 8")
            text = f"*{self.next()}"
        elif self.word in self.suits:
            text = self.suits[self.next().lower()]
            if _RANKS.match(self.word):
                text += self.next()
        else:
            text = self.next().upper()
        written = " ".join(self.words[start : self.place])
        try:
            chosen = sum(1 << slot for slot in select(text, self.scenario.cards)) & self.deck
        except ValueError as error:
            self.fail(str(error))
        letters = "".join(self.suits.values())
        if text[0] != "*" and any(letter.isalpha() and letter not in letters for letter in text):
            named = ", ".join(f"{name.capitalize()} ({letter})" for name, letter in self.suits.items())
            self.fail(f"'{written}': the suits are {named}")
        if chosen == 0:
            last = ", ".join(_span(letter, self.scenario, self.deck) for letter in self.suits.values())
            self.fail(f"'{written}': no such card; the deck of chapter {self.scenario.name} is {last}")
        if single and chosen.bit_count() > 1:
            self.fail(f"'{written}' is {chosen.bit_count()} cards: say how many, with {', '.join(AMOUNTS)}")
        return chosen


def _span(letter: str, scenario: Scenario, deck: int) -> str:
    ranks = [parse_card(card)[1] for slot, card in enumerate(scenario.cards) if card[0] == letter and deck >> slot & 1]
    return f"{letter}{ranks[0]}-{ranks[-1]}" if ranks else letter
