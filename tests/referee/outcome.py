"""A round that is over: who won which trick and which cards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(kw_only=True)
class Outcome:
    """Its tricks in order, the cards left in each seat's hand, who sat where with which number."""

    players: int
    keys: list[str]
    threats: list[int | None]
    tricks: list[dict[str, Any]]
    """Each has `leader`, `plays` (pairs of seat and card, in order) and `winner`: a seat, or None when an event took it."""
    left: list[list[str]]
    declared: list[Any] = field(default_factory=list)
    """What a seat said in setup: `more`, `fewer`, or a pair of numbers."""

    @property
    def seats(self) -> range:
        """The seats."""
        return range(len(self.keys))

    def others(self, seat: int) -> list[int]:
        """Return all other seats."""
        return [other for other in self.seats if other != seat]

    def tricks_won(self, seat: int) -> list[int]:
        """Return the numbers (from 0) of the tricks that a seat won."""
        return [number for number, trick in enumerate(self.tricks) if trick["winner"] == seat]

    def count(self, seat: int) -> int:
        """Return how many tricks a seat won."""
        return len(self.tricks_won(seat))

    def cards_of(self, number: int) -> list[str]:
        """Return the cards of a trick."""
        return [card for _, card in self.tricks[number]["plays"]]

    def cards_won(self, seat: int) -> list[str]:
        """Return all cards that a seat won."""
        return [card for number in self.tricks_won(seat) for card in self.cards_of(number)]

    def won_of(self, seat: int, letter: str) -> list[str]:
        """Return the cards of a suit that a seat won."""
        return [card for card in self.cards_won(seat) if card[0] == letter]

    def tricks_with(self, seat: int, letter: str) -> int:
        """Return how many of a seat's tricks contain a suit; a trick with two such cards counts once."""
        return len([number for number in self.tricks_won(seat) if any(card[0] == letter for card in self.cards_of(number))])
