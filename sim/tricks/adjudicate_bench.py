"""What an adjudication works with: a record, its rules, a table, and the differences found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import scenarios
from scenarios.errors import UserError, nearest
from scenarios.model import Scenario
from sim.core.numbers import parse_index
from sim.core.seed import parse_seed
from sim.tricks import rules
from sim.tricks import table as t
from sim.tricks.link import link, load_rules
from sim.tricks.records import GameRecord


@dataclass(frozen=True)
class Difference:
    """One point on which a record and the rules disagree."""

    file: str
    line: int
    where: str
    record: str
    rules: str
    source: str


class StopError(Exception):
    """The record departs so far from the rules that the rest cannot be followed."""


class Bench:
    """A record, the rules that it should follow, and a table to follow it on."""

    def __init__(self, found: GameRecord, file: str, line: int, assume: Mapping[str, str] | None = None) -> None:
        self.found, self.file, self.line = found, file, line
        self.differences: list[Difference] = []
        self.where_from = f"{file}: line {line}"
        try:
            self.scenario = self._scenario(assume)
            self.rules = self._rules()
        except UserError as error:
            raise UserError(f"{self.where_from}: {error}") from None
        self.slots = {card: slot for slot, card in enumerate(self.scenario.cards)}
        self.public, self.privates, self.hidden = t.new_table()
        self.log = t.new_log(False)
        self.sources = scenarios.load_book(self.scenario.book).rules_source

    # The rules of this record ----------------------------------------------------------------------------------------

    def _scenario(self, assume: Mapping[str, str] | None) -> Scenario:
        known = scenarios.load_assumptions("fellowship")
        # An implementation may name assumptions that concern chapters we do not have.
        given = {name: option for name, option in self.found.assumptions.items() if name in known}
        given |= dict(assume or {})
        if self.found.chapter is not None:
            chapter = scenarios.load(self.found.chapter, given)
            if chapter.draw is not None:
                return self._pool(chapter)
            if not chapter.rounds:
                return chapter
            told = [kind for kind in (self.found.kind, self.found.event, self.found.group) if kind in chapter.rounds]
            if not told:
                names = ", ".join(chapter.rounds)
                raise UserError(f"kind = {self.found.kind!r}: chapter {chapter.label} has the kinds of round {names}")
            return chapter.rounds[told[0]]
        library = scenarios.load_characters("fellowship")
        for seat in self.found.seats:
            if seat.character not in library:
                raise UserError(f"character '{seat.character}' is unknown{nearest(seat.character, library)}")
        base = scenarios.load("1", given)
        cast = {seat.character for seat in self.found.seats}
        import msgspec

        return msgspec.structs.replace(base, characters={n: library[n] for n in sorted(cast)}, roster=())

    def _pool(self, chapter: Scenario) -> Scenario:
        """Return the pool of a record of a chapter that is drawn."""
        seed, deal = self.found.seed, self.found.deal
        if not isinstance(seed, str | int) or not isinstance(deal, int):
            raise UserError(f"seed, deal: chapter {chapter.label} draws its characters for each deal; the record needs both")
        return scenarios.drawn(chapter, self.found.players, parse_seed(seed), parse_index(deal, "deal"))

    def _rules(self) -> Any:
        if self.found.chapter is not None:
            return load_rules(self.scenario, self.found.players)
        free = rules.blank_rules()
        size = self.scenario.deals[self.found.players]
        rules.fill_deck(free, self.scenario, self.found.players)
        free.players, free.seats, free.hand, free.lost = self.found.players, size.seats, size.hand, size.lost
        self.names = sorted(self.scenario.characters)
        for role, name in enumerate(self.names):
            rules.fill_role(free, role, self.scenario.characters[name], self.scenario, self.found.players, self.names)
        link(free)
        free.bearer = free.free_role = free.redrawer = free.announcer = free.face_down = free.fetcher = free.first_free = -1
        return free

    # Small helpers ---------------------------------------------------------------------------------------------------

    def differ(self, where: str, record: Any, ruled: Any, rule: str) -> None:
        """Note a difference; `rule` names the rule whose source is given."""
        source = self.sources.get(rule, rule)
        self.differences.append(Difference(self.file, self.line, where, str(record), str(ruled), source))

    def mask(self, cards: list[str], where: str) -> int:
        """Return cards as a mask; a card that the deck lacks, or one named twice, ends the adjudication."""
        total = 0
        for card in cards:
            if card not in self.slots:
                self.differ(where, card, "no card of this deck", "deal")
                raise StopError
            if total >> self.slots[card] & 1:
                self.differ(where, f"{card} twice", "every card once", "deal")
                raise StopError
            total |= 1 << self.slots[card]
        return total

    def cards(self, mask: Any) -> list[str]:
        """Return the cards of a mask."""
        return [card for card, slot in self.slots.items() if int(mask) >> slot & 1]

    def card(self, text: str | None, where: str) -> np.uint64:
        return np.uint64(self.mask([text or "nothing"], where))
