"""What a person knew when it decided, in words: its cards, cards placed in other hands, voids shown, and what is not seen.

All of it comes from PUBLIC and VIEW, which is all that a policy gets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from scenarios.model import Scenario
from sim.tricks import table as t
from sim.tricks.rules import FACE_DOWN


@dataclass(frozen=True)
class Knowledge:
    """What was known at a decision.

    kind: kind of decision (`sim.tricks.decisions`); seat: seat decided for; trick: number of finished tricks; hand: cards of
    the person's own hand; facts: the rest, in words.
    """

    kind: int
    seat: int
    trick: int
    hand: list[str]
    facts: list[str]


def known_to(scenario: Scenario, rules: Any, public: Any, view: Any, events: Iterable[list[int]]) -> Knowledge:
    """Return what the person knows who takes the decision in `view` (a record VIEW); events: rows of the log so far."""
    seat = int(view.seat)
    person = int(public.controller[seat])
    passed = _passes(events)
    hand = int(view.hand)
    placed = hand | int(view.tucked) | int(view.face_down) | int(view.out)
    facts = _own(scenario, public, view, passed, person, hand)
    offered = 0
    if int(view.received) != t.NOBODY:
        # The card that one is passed lies in no hand until the answer.
        offered = 1 << int(view.received)
        facts.append(f"is passed {' '.join(_cards(scenario, offered))} by {_name(scenario, public, int(view.partner))}")
    # What was known to lie in a hand may have been played or laid aside since.
    gone = offered | int(public.played) | int(public.in_trick) | int(public.lost) | int(public.reserved) | int(public.ahead)
    placed |= gone
    for owner in range(int(public.seats)):
        if owner == person:
            continue
        shown = int(public.shown[owner])
        known = int(view.known[owner]) & ~shown & ~gone
        placed |= shown | known
        facts += _of_another(scenario, public, owner, person, shown, known, int(public.voids[owner]), passed)
    unseen = _cards(scenario, int(rules.deck) & ~placed)
    facts.append(f"not seen: {' '.join(unseen) or 'nothing'}")
    return Knowledge(int(view.pending), seat, int(public.trick), _cards(scenario, hand), facts)


def _own(scenario: Scenario, public: Any, view: Any, passed: list[tuple[int, int, int]], person: int, hand: int) -> list[str]:
    facts = []
    for other in range(int(public.seats)):
        got = sum({card for giver, to, card in passed if (giver, to) == (other, person) and card & hand})
        if got:
            facts.append(f"got {' '.join(_cards(scenario, got))} from {_name(scenario, public, other)}")
    for word, mask in (("tucked", view.tucked), ("face down", view.face_down), ("out of the round", view.out)):
        if int(mask):
            facts.append(f"{word}: {' '.join(_cards(scenario, int(mask)))}")
    for own in range(int(public.seats)):
        if int(public.secret) >> own & 1 and int(view.threat[own]):
            facts.append(f"hidden threat of {_name(scenario, public, own)}: {int(view.threat[own])}")
    return facts


def _of_another(
    scenario: Scenario,
    public: Any,
    owner: int,
    person: int,
    shown: int,
    known: int,
    voids: int,
    passed: list[tuple[int, int, int]],
) -> list[str]:
    """Return what a person knows of the hand of another seat, as one text or none."""
    parts = []
    if shown:
        parts.append(f"shows {' '.join(_cards(scenario, shown))}")
    given = sum({card for giver, to, card in passed if (giver, to) == (person, owner) and card & known})
    hides = owner == int(public.blind) and int(public.trick_card[owner]) == FACE_DOWN
    holds = "holds, or has laid face down," if hides else "holds"
    if given:
        parts.append(f"{holds} {' '.join(_cards(scenario, given))} (passed to it)")
    if known & ~given:
        parts.append(f"{holds} {' '.join(_cards(scenario, known & ~given))}")
    if voids and int(public.cards_left[owner]):
        # Voids are whole suits; a card that lies open, such as one kept for the last trick, may be of one.
        suits = [suit for suit in scenario.suits if _suit(scenario, suit) & voids]
        parts.append(f"has no {'other ' if voids & shown else ''}{' '.join(suits)}")
    return [f"{_name(scenario, public, owner)} {', '.join(parts)}"] if parts else []


def _passes(events: Iterable[list[int]]) -> list[tuple[int, int, int]]:
    """Return the cards that were passed so far: (giver, receiver, card as a mask)."""
    found = []
    for event, seat, a, b, c, *_ in events:
        if event == t.LOG_EXCHANGE:
            found += [(seat, a, b), (a, seat, c)]
        elif event in (t.LOG_GAVE, t.LOG_PASSED):
            found.append((seat, a, b))
    return found


def _name(scenario: Scenario, public: Any, seat: int) -> str:
    """Return the character of a seat, or the seat while it has none."""
    role = int(public.character[seat])
    return scenario.roster[role].character if role >= 0 else f"seat {seat}"


def _cards(scenario: Scenario, mask: int) -> list[str]:
    return [card for slot, card in enumerate(scenario.cards) if mask >> slot & 1]


def _suit(scenario: Scenario, suit: str) -> int:
    return sum(1 << slot for slot, card in enumerate(scenario.cards) if card[0] == suit)
