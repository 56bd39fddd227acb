"""The table during play: hands, pyramid, cards laid aside, refills; what may be led, played, and who wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from .assumptions import DEFAULTS
from .cards import rank, suit
from .chapters import Chapter
from .outcome import Outcome
from .roles import Role

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

    chapter: Chapter
    keys: list[str]
    threats: list[int | None]
    hands: list[Hand]
    retained: list[int]
    """Cards that each seat has left at the end."""
    tucked: list[str | None]
    draw_deck: list[str]
    first_leader: int
    settings: Mapping[str, str] = field(default_factory=lambda: DEFAULTS)
    declared: list[Any] = field(default_factory=list)
    reserved: list[str | None] = field(default_factory=list)
    """Radagast: the card that he plays last."""
    preplayed: list[str | None] = field(default_factory=list)
    """Radagast: the card that already lies in the first trick."""
    forest: list[str] = field(default_factory=list)
    """What is left of Old Man Willow's deck."""
    cursed_goals: bool = True
    """Whether a curse counts among the goals; a record that lists its curses apart has bare goals."""
    tricks: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Fill in what most tables do not have."""
        self.declared = self.declared or [None] * len(self.keys)
        self.reserved = self.reserved or [None] * len(self.keys)
        self.preplayed = self.preplayed or [None] * len(self.keys)

    @property
    def players(self) -> int:
        """The number of people."""
        return self.chapter.players

    @property
    def declaring(self) -> str:
        """The card that may be declared to win."""
        return self.chapter.declaring

    @property
    def seats(self) -> range:
        """The seats, clockwise."""
        return range(len(self.hands))

    def role(self, seat: int) -> Role:
        """Return a seat's character."""
        return self.chapter.roles[self.keys[seat]]

    def left(self, seat: int) -> list[str]:
        """Return all cards that a seat holds, those laid aside too."""
        aside = [self.tucked[seat], self.reserved[seat], self.preplayed[seat]]
        return self.hands[seat].everything() + [card for card in aside if card]

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

        Bilbo Baggins, when he would lead after winning, may name anybody. When Old Man Willow took the trick, its leader
        leads again (A16: his left neighbour).
        """
        if not self.tricks:
            turn = self.clockwise(self.first_leader)
        elif self.tricks[-1]["winner"] is None:
            turn = self.clockwise(self.tricks[-1]["leader"] + (self.settings["A16"] == "left"))
        else:
            winner = self.tricks[-1]["winner"]
            if self.role(winner).names_leader and not self.out(winner):
                return [seat for seat in self.seats if not self.out(seat)]
            turn = self.clockwise(winner)
        return [next(seat for seat in turn if not self.out(seat))]

    def turn_order(self, leader: int) -> list[int]:
        """Return who plays in the next trick, in order; a card that lies there already comes first."""
        laid = [seat for seat in self.seats if self.preplayed[seat]]
        return laid + [seat for seat in self.clockwise(leader) if not self.out(seat) and seat not in laid]

    def must_untuck(self, seat: int) -> bool:
        """Return whether a seat has to take its tucked card back: its hand is empty."""
        return self.tucked[seat] is not None and not self.hands[seat].everything()

    def untuck(self, seat: int) -> None:
        """Take the tucked card back."""
        card = self.tucked[seat]
        assert card is not None
        self.hands[seat].put(card)
        self.tucked[seat] = None

    def led(self, plays: list[tuple[int, str]]) -> str | None:
        """Return the suit that has to be followed after these plays; None for the leader."""
        if plays and self.preplayed[plays[0][0]] and self.settings["A3"] == "no":
            plays = plays[1:]
        return suit(plays[0][1]) if plays else None

    def legal(self, seat: int, plays: list[tuple[int, str]]) -> list[str]:
        """Return what a seat may play after the plays of this trick."""
        laid, kept = self.preplayed[seat], self.reserved[seat]
        if laid:
            return [laid]
        cards = self.hands[seat].uncovered()
        if not cards and kept:
            return [kept]
        if self.role(seat).free_play:
            return cards
        led = self.led(plays)
        if led is not None:
            following = [card for card in cards if suit(card) == led]
            return following or cards
        shown = {suit(card) for trick in self.tricks for _, card in trick["plays"]} | {suit(card) for _, card in plays}
        free = [card for card in cards if suit(card) not in self.chapter.locked - shown]
        return free or cards

    def highest(self, plays: Iterable[tuple[int, str]], one_ring_wins: bool) -> tuple[int, str]:
        """Return the play that beats the others: a declared 1 of Rings, the highest trump, the highest of the suit led."""
        plays = list(plays)
        if one_ring_wins:
            return next((seat, card) for seat, card in plays if card == self.declaring)
        led = self.led(plays)
        best = [play for play in plays if suit(play[1]) in self.chapter.trumps]
        best = best or [play for play in plays if suit(play[1]) == led]
        return max(best, key=lambda play: rank(play[1]))

    def winner(self, plays: Iterable[tuple[int, str]], one_ring_wins: bool, reveal: str | None = None) -> int | None:
        """Return who wins a trick; None when Old Man Willow takes it, whose card `reveal` is."""
        seat, card = self.highest(plays, one_ring_wins)
        if reveal is not None and not one_ring_wins and rank(card) < rank(reveal):
            return None
        return seat

    def finish_trick(
        self, plays: list[tuple[int, str]], winner: int | None, reveal: list[str] | None = None, leader: int | None = None
    ) -> list[tuple[int, str]]:
        """Move a trick's cards to its winner and refill the hands; return what was drawn, in order."""
        for seat, card in plays:
            if self.preplayed[seat] == card:
                self.preplayed[seat] = None
            elif self.reserved[seat] == card:
                self.reserved[seat] = None
            else:
                self.hands[seat].remove(card)
        for card in reveal or []:
            if card in self.forest:
                self.forest.remove(card)
        self.tricks.append({"leader": plays[0][0] if leader is None else leader, "plays": plays, "winner": winner})
        drawn = []
        for seat in self.seats:
            if self.players == 1 and self.draw_deck and self.role(seat).solo_refill:
                card = self.draw_deck.pop(0)
                self.hands[seat].put(card)
                drawn.append((seat, card))
        return drawn

    def copy(self) -> Table:
        """Return a table that can be played on without changing this one."""
        lists = ("tricks", "tucked", "draw_deck", "reserved", "preplayed", "forest")
        other = {name: value for name, value in vars(self).items() if name != "hands" and name not in lists}
        return Table(**other, hands=deepcopy(self.hands), **{name: list(getattr(self, name)) for name in lists})

    def outcome(self) -> Outcome:
        """Return the round so far."""
        left = [self.left(seat) for seat in self.seats]
        return Outcome(
            players=self.players, keys=self.keys, threats=self.threats, tricks=self.tricks, left=left, declared=self.declared
        )

    def verdicts(self) -> list[bool]:
        """Return every seat's goal, when the round has ended."""
        outcome = self.outcome()
        broken = {seat for seat, _, _ in self.curses_broken()} if self.cursed_goals else set()
        return [self.role(seat).goal(outcome, seat) and seat not in broken for seat in self.seats]

    def curses_broken(self) -> list[tuple[int, str, int]]:
        """Return whom a curse made fail, which curse, and after which trick (from 1) at first."""
        found: dict[int, tuple[int, str, int]] = {}
        for number, trick in enumerate(self.tricks, start=1):
            for seat, key in enumerate(self.keys):
                curse = self.chapter.curses.get(key)
                led = [suit(card) for player, card in trick["plays"] if player == seat == trick["leader"]]
                won = [rank(card) for _, card in trick["plays"] if trick["winner"] == seat]
                broken = (
                    (curse == "black_breath" and 8 in won)
                    or (curse == "morgul_knife" and led == ["R"])
                    or (curse == "terror" and led == ["H"])
                )
                if broken and curse is not None:
                    found.setdefault(seat, (seat, curse, number))
        return list(found.values())
