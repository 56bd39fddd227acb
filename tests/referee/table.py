"""The table during play: hands, pyramid, tucked cards, refills; what may be led, played, and who wins."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from scenarios.model import Character

from .goals import Finished, suit

Place = tuple[int, int]


@dataclass
class Hand:
    """A seat's cards: a plain list, and for a pyramid also the cards that lie in its rows (bottom row 0)."""

    cards: list[str] = field(default_factory=list)
    """The cards of a plain hand; the loose cards of a pyramid."""
    rows: dict[Place, str] | None = None

    def everything(self) -> list[str]:
        """Return all cards, covered ones too."""
        return [*(self.rows or {}).values(), *self.cards]

    def covered(self, place: Place) -> bool:
        """Return whether a place of the pyramid lies under a card."""
        row, col = place
        return (row - 1, col) in (self.rows or {}) or (row - 1, col + 1) in (self.rows or {})

    def uncovered(self) -> list[str]:
        """Return the cards that can be played."""
        return [card for place, card in (self.rows or {}).items() if not self.covered(place)] + self.cards

    def open_in_setup(self) -> list[str]:
        """Return the cards that can be passed in setup: of a pyramid those of the bottom row and the loose ones."""
        return [card for (row, _), card in (self.rows or {}).items() if row == 0] + self.cards

    def remove(self, card: str) -> Place | None:
        """Take a card away and return its place in the pyramid, None when it lay in none."""
        for place, lying in list((self.rows or {}).items()):
            if lying == card:
                del self.rows[place]  # type: ignore[index]
                return place
        self.cards.remove(card)
        return None

    def put(self, card: str, place: Place | None = None) -> None:
        """Add a card, at a place of the pyramid or loose."""
        if place is None or self.rows is None:
            self.cards.append(card)
        else:
            self.rows[place] = card


@dataclass
class Table:
    """A round from the first trick on."""

    players: int
    keys: list[str]
    characters: list[Character]
    threats: list[int | None]
    hands: list[Hand]
    retained: list[int]
    """Cards that each seat has left at the end."""
    tucked: list[str | None]
    draw_deck: list[str]
    locked: set[str]
    """Suits that cannot be led until one of their cards was played."""
    declaring: str
    first_leader: int
    tricks: list[dict[str, Any]] = field(default_factory=list)

    @property
    def seats(self) -> range:
        """The seats, clockwise."""
        return range(len(self.hands))

    def left(self, seat: int) -> list[str]:
        """Return all cards that a seat holds, the tucked one too."""
        tucked = self.tucked[seat]
        return self.hands[seat].everything() + ([tucked] if tucked else [])

    def out(self, seat: int) -> bool:
        """Return whether a seat has nothing to play any more."""
        return len(self.left(seat)) <= self.retained[seat]

    def over(self) -> bool:
        """Return whether the round has ended."""
        return all(self.out(seat) for seat in self.seats)

    def clockwise(self, seat: int) -> list[int]:
        """Return all seats in turn, from `seat`."""
        return [(seat + step) % len(self.hands) for step in self.seats]

    def leaders(self) -> list[int]:
        """Return who may lead the next trick: the winner, or the next on his left who has cards.

        Bilbo Baggins, when he would lead after winning, may name anybody.
        """
        if not self.tricks:
            turn = self.clockwise(self.first_leader)
        else:
            winner = self.tricks[-1]["winner"]
            if self.keys[winner] == "bilbo_baggins":
                return [seat for seat in self.seats if not self.out(seat)]
            turn = self.clockwise(winner)
        return [next(seat for seat in turn if not self.out(seat))]

    def turn_order(self, leader: int) -> list[int]:
        """Return who plays in the next trick, in order."""
        return [seat for seat in self.clockwise(leader) if not self.out(seat)]

    def must_untuck(self, seat: int) -> bool:
        """Return whether a seat has to take its tucked card back: its hand is empty."""
        return self.tucked[seat] is not None and not self.hands[seat].everything()

    def untuck(self, seat: int) -> None:
        """Take the tucked card back."""
        card = self.tucked[seat]
        assert card is not None
        self.hands[seat].put(card)
        self.tucked[seat] = None

    def legal(self, seat: int, led: str | None) -> list[str]:
        """Return what a seat may play: `led` is the suit of the trick, None for the leader."""
        cards = self.hands[seat].uncovered()
        if led is not None:
            following = [card for card in cards if suit(card) == led]
            return following or cards
        shown = {suit(card) for trick in self.tricks for _, card in trick["plays"]}
        free = [card for card in cards if suit(card) not in self.locked - shown]
        return free or cards

    def winner(self, plays: Iterable[tuple[int, str]], one_ring_wins: bool) -> int:
        """Return who wins a trick."""
        plays = list(plays)
        if one_ring_wins:
            return next(seat for seat, card in plays if card == self.declaring)
        led = suit(plays[0][1])
        return max((int(card[1:]), seat) for seat, card in plays if suit(card) == led)[1]

    def finish_trick(self, plays: list[tuple[int, str]], winner: int) -> list[tuple[int, str]]:
        """Move a trick's cards to its winner and refill the hands; return what was drawn, in order."""
        for seat, card in plays:
            self.hands[seat].remove(card)
        self.tricks.append({"leader": plays[0][0], "plays": plays, "winner": winner})
        drawn = []
        for seat in self.seats:
            if self.players == 1 and self.draw_deck and self.characters[seat].solo.refill:
                card = self.draw_deck.pop(0)
                self.hands[seat].put(card)
                drawn.append((seat, card))
        return drawn

    def copy(self) -> Table:
        """Return a table that can be played on without changing this one."""
        return Table(
            **{name: value for name, value in vars(self).items() if name not in ("hands", "tricks", "tucked", "draw_deck")},
            hands=deepcopy(self.hands),
            tricks=list(self.tricks),
            tucked=list(self.tucked),
            draw_deck=list(self.draw_deck),
        )

    def verdicts(self) -> list[bool]:
        """Return every seat's goal, when the round has ended."""
        left = [self.left(seat) for seat in self.seats]
        return Finished(self.players, self.characters, self.keys, self.threats, self.tricks, left).verdicts()
