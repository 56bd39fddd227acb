"""Goals that a test's own scenario declares, straight from their terms: what the chapters themselves need stands in `roles`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .cards import rank, suit
from .outcome import Outcome

Term = Any
"""A term of a goal; it is read by the names of its fields alone."""


def named_by(cards: str | Sequence[str], card: str, threat: int | None) -> bool:
    """Return whether a card set of the data (`R`, `H3`, `F1-8`, `*8`, `HS{threat}`, `all`, or a list) names `card`."""
    if not isinstance(cards, str):
        return any(named_by(part, card, threat) for part in cards)
    if cards == "all":
        return True
    letters, rest = re.fullmatch(r"(\*|[A-Z]+)(.*)", cards).groups()  # type: ignore[union-attr]
    if letters != "*" and suit(card) not in letters:
        return False
    if rest == "":
        return True
    if rest == "{threat}":
        return rank(card) == threat
    low, _, high = rest.partition("-")
    return int(low) <= rank(card) <= int(high or low)


@dataclass(kw_only=True)
class Finished(Outcome):
    """A round that is over, with characters as a scenario declares them: they have `goal`, `identity` and `lends`."""

    characters: list[Any]

    def identity(self, seat: int) -> str:
        """Return the name by which others know a seat's character."""
        return self.characters[seat].identity or self.keys[seat]

    def measure(self, term: Term, seat: int, owner: int) -> int | None:
        """Return what `term` counts for `seat`; the threat is that of `owner`. None: no number, and no target is reached."""
        threat = self.threats[owner]
        won = self.tricks_won(seat)

        def wanted(cards: Sequence[str]) -> list[str]:
            return [card for card in cards if named_by(term.cards or [], card, threat)]

        match term.measure:
            case "tricks":
                return len([number for number in won if number >= len(self.tricks) - (term.last or len(self.tricks))])
            case "cards":
                return len(wanted(self.cards_won(seat)))
            case "tricks_with":
                return len([number for number in won if wanted(self.cards_of(number))])
            case "tricks_without":
                return len([number for number in won if not wanted(self.cards_of(number))])
            case "streak":
                # One unbroken row of tricks and nothing besides; two rows are no streak of any length.
                unbroken = all(later == earlier + 1 for earlier, later in zip(won, won[1:], strict=False))
                return len(won) if unbroken else None
            case "distinct_ranks":
                return len({rank(card) for card in wanted(self.cards_won(seat))})
            case "same_rank":
                ranks = [rank(card) for card in wanted(self.cards_won(seat))]
                return max((ranks.count(value) for value in ranks), default=0)
            case "run":
                ranks = {rank(card) for card in wanted(self.cards_won(seat))}
                longest = 0
                for start in ranks:
                    length = 0
                    while start + length in ranks:
                        length += 1
                    longest = max(longest, length)
                return longest
            case "last_card":
                return len(wanted([card for player, card in self.tricks[-1]["plays"] if player == seat]))
            case "kept_suit":
                suits_won = [suit(card) for card in self.cards_won(seat)]
                return max((suits_won.count(suit(card)) for card in self.left[seat]), default=0)
            case "leads":
                return len(wanted([trick["plays"][0][1] for trick in self.tricks if trick["leader"] == seat]))
        raise AssertionError(f"measure {term.measure}")

    def borrowed(self, term: Term, seat: int) -> int:
        """Return how many cards won by others count for a `cards` term of `seat` as well."""
        count = 0
        for other, character in enumerate(self.characters):
            for lending in character.lends:
                if other != seat and term.measure == "cards" and lending.to in (self.identity(seat), self.keys[seat]):
                    for card in self.cards_won(other):
                        if named_by(lending.cards, card, None) and named_by(term.cards or [], card, self.threats[seat]):
                            count += 1
        return count

    def target(self, value: int | str | dict[str, int], seat: int) -> int | None:
        """Return a target as a number: a number, a table by players, or by the threat."""
        if isinstance(value, dict):
            return value[str(self.players)]
        if isinstance(value, str):
            threat = self.threats[seat]
            return None if threat is None else threat + {"threat": 0, "threat+1": 1, "threat-1": -1}[value]
        return value

    def term_met(self, term: Term, seat: int) -> bool:
        """Return whether one part of a seat's goal is met."""
        others = [other for other in range(len(self.characters)) if other != seat]
        if term.compare is not None:
            mine = self.measure(term, seat, seat)
            theirs = [self.measure(term, other, seat) for other in others]
            assert mine is not None
            if term.compare == "between":
                return any(value < mine for value in theirs) and any(value > mine for value in theirs)  # type: ignore[operator]
            if term.compare == "fewest":
                return all(mine < value or (term.ties and mine == value) for value in theirs)  # type: ignore[operator]
            return all(mine > value or (term.ties and mine == value) for value in theirs)  # type: ignore[operator]
        looked_at = {"self": [seat], "each_other": others, "each": [*others, seat]}[term.of]
        for looked in looked_at:
            value = self.measure(term, looked, seat)
            if value is None:
                return False
            if term.of == "self":
                value += self.borrowed(term, seat)
            for wanted, holds in (
                (term.at_least, lambda a, b: a >= b),
                (term.at_most, lambda a, b: a <= b),
                (term.exactly, lambda a, b: a == b),
            ):
                if wanted is not None:
                    number = self.target(wanted, seat)
                    if number is None or not holds(value, number):
                        return False
        return True

    def verdicts(self) -> list[bool]:
        """Return for every seat whether its goal is met."""
        return [all(self.term_met(term, seat) for term in character.goal) for seat, character in enumerate(self.characters)]
