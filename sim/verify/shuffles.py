"""Where cards go: lost card, positions of the shuffle, seats, pyramid slots, and that the lost card tells nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats

import scenarios
from sim.core.jit import ONE, ZERO, bit, kernel, lowest
from sim.core.jit import count as count_bits
from sim.core.random import new_source
from sim.tricks.batch import split_seed
from sim.tricks.engine import deal_round
from sim.tricks.rules import PYRAMID_SLOTS, SEATS, SUITS, compile_rules
from sim.tricks.table import new_table
from sim.verify.check import Array, Check, Line, Panel, chi_square, combined, ratio_row, z_scores

CARDS = 64
CHAPTER = "1"
"""Chapters share deck and deal sizes; this one has no threats."""


@dataclass
class Counts:
    """What happened to the cards in `deals` deals. Arrays are int64; cards and positions as in the deal format.

    lost: (cards,); first: (cards, cards) by lost card and first card of the shuffle; positions: (cards, positions of
    the shuffle); places: (cards, seats + 1), the last column the draw deck; slots: (cards, pyramid slots);
    suits: (seats, suits, n) hands with n cards of a suit; bottom: (suits, n) the same of the pyramid's bottom row.
    """

    players: int
    deals: int
    cards: tuple[str, ...]
    suits_of_deck: str
    holder: int
    seats: int
    hand: int
    bottom_slots: int
    lost: Array
    first: Array
    positions: Array
    places: Array
    slots: Array
    suits: Array
    bottom: Array

    @property
    def losable(self) -> Array:
        """Return which cards may be the lost one (all but the 1 of Rings), shape (cards,), bool."""
        return np.arange(len(self.cards)) != self.holder

    @property
    def shuffled(self) -> Array:
        """Return which cards are shuffled: one person's 1 of Rings is set aside before. Shape (cards,), bool."""
        return self.losable if self.players == 1 else np.ones(len(self.cards), bool)


@kernel
def count_deals(
    rules, public, privates, hidden, luck, choices, low, high, first_deal, deals,
    lost, first, positions, places, slots, suits, bottom,
):  # fmt: skip
    """Deal `deals` deals of a seed from `first_deal` (uint64) on and add what came of them to the count arrays.

    The arrays are those of Counts, with leading sizes for every deck: 64 cards, 4 seats, 8 suits.
    """
    for i in range(deals):
        deal_round(rules, public, privates, hidden, luck, choices, low, high, ONE, first_deal + np.uint64(i))
        gone = lowest(public.first_lost)
        lost[gone] += 1
        first[gone, hidden.order[0]] += 1
        for position in range(hidden.draw_end):
            positions[hidden.order[position], position] += 1
        for seat in range(rules.seats):
            hand = privates.hand[seat]
            for suit in range(rules.suits):
                suits[seat, suit, count_bits(hand & rules.suit_mask[suit])] += 1
            while hand != ZERO:
                places[lowest(hand), seat] += 1
                hand &= hand - ONE
        for position in range(hidden.next_draw, hidden.draw_end):
            places[hidden.order[position], rules.seats] += 1
        row = ZERO
        for slot in range(rules.pyramid):
            slots[hidden.slot_card[slot], slot] += 1
            if rules.pyramid_bottom & bit(slot):
                row |= bit(hidden.slot_card[slot])
        for suit in range(rules.suits):
            bottom[suit, count_bits(row & rules.suit_mask[suit])] += 1


def count(players: int, deals: int, seed: int) -> Counts:
    """Return the counts of `deals` deals of a seed; each number of players has deals of its own, since shuffles are shared."""
    scenario = scenarios.load(CHAPTER)
    rules = compile_rules(scenario, players)
    n, seats = len(scenario.cards), int(rules.seats)
    lost, first = np.zeros(CARDS, np.int64), np.zeros((CARDS, CARDS), np.int64)
    positions, places = np.zeros((CARDS, CARDS), np.int64), np.zeros((CARDS, SEATS + 1), np.int64)
    slots, suits = np.zeros((CARDS, PYRAMID_SLOTS), np.int64), np.zeros((SEATS, SUITS, CARDS), np.int64)
    bottom = np.zeros((SUITS, CARDS), np.int64)
    count_deals(
        rules, *new_table(), new_source(), new_source(), *split_seed(seed), np.uint64(players * deals), deals,
        lost, first, positions, places, slots, suits, bottom,
    )  # fmt: skip
    size = scenario.deals[players]
    letters = "".join(letter for letter in scenario.suits if any(card.startswith(letter) for card in scenario.cards))
    shuffled = n - 1 - (players == 1)
    return Counts(
        players=players,
        deals=deals,
        cards=scenario.cards,
        suits_of_deck=letters,
        holder=scenario.cards.index(scenario.declaring),
        seats=seats,
        hand=size.hand,
        bottom_slots=int(rules.pyramid_bottom).bit_count(),
        lost=lost[:n],
        first=first[:n, :n],
        positions=positions[:n, :shuffled],
        places=places[:n, : seats + 1],
        slots=slots[:n, : int(rules.pyramid)],
        suits=suits[:seats, : len(letters)],
        bottom=bottom[: len(letters)],
    )


def people(counts: Counts) -> str:
    """Return `1 player`, `2 players`, ..."""
    return f"{counts.players} player{'s' if counts.players > 1 else ''}"


def lost_card(counted: Mapping[int, Counts]) -> Check:
    """The lost card is uniform over all cards but the 1 of Rings."""
    check = Check(
        "lost-card",
        "The lost card",
        "Right: every point inside its grey bar. Wrong: points outside.",
    )
    for counts in counted.values():
        may = counts.losable
        wanted = np.where(may, counts.deals / may.sum(), 0)
        p = chi_square(counts.lost, wanted)
        shares = counts.lost[may] / counts.deals
        check.lines.append(
            Line(
                f"lost card, {people(counts)}",
                f"each of {may.sum()} cards {1 / may.sum():.3%}, {counts.cards[counts.holder]} never",
                f"{shares.min():.3%} to {shares.max():.3%}, {counts.cards[counts.holder]} {counts.lost[counts.holder]} times",
                1,
                p,
            )
        )
        rows = [
            ratio_row(card, counts.lost[i], wanted[i], counts.deals, may.sum() * len(counted))
            for i, card in enumerate(counts.cards)
            if may[i]
        ]
        check.panels.append(Panel(people(counts), "ratios", rows, x="lost card"))
    return check


def positions(counted: Mapping[int, Counts]) -> Check:
    """Every card is equally often at every position of the shuffle, and every position holds every card."""
    check = Check(
        "positions",
        "Cards by position in the shuffle",
        "Right: pale noise everywhere. Wrong: stripes, blocks or dark cells (a naive shuffle shows diagonals).",
    )
    for counts in counted.values():
        inside, table = counts.shuffled, counts.positions
        size = table.shape[1]
        rows = table[inside]
        of_cards = [chi_square(row, np.full(size, row.sum() / size)) for row in rows]
        share = _share_of_deck(counts)[inside]
        of_positions = [chi_square(column, share / size * counts.deals) for column in rows.T]
        tests, p = combined(of_cards + of_positions + [0.0] * int(table[~inside].any()))
        expected = np.where(inside, _share_of_deck(counts), 0)[:, None] / size * counts.deals
        z = z_scores(table, np.broadcast_to(expected, table.shape), counts.deals)
        check.lines.append(
            Line(
                f"cards by position, {people(counts)}",
                f"each card at each of {size} positions {1 / size:.3%}",
                _range(rows / rows.sum(axis=1, keepdims=True)),
                tests,
                p,
            )
        )
        labels = [str(i + 1) for i in range(size)]
        check.panels.append(_map(people(counts), counts.cards, labels, z, "position in the shuffle", inside))
    return check


def _share_of_deck(counts: Counts) -> Array:
    """Return the chance that a card is in the shuffle at all (not lost), shape (cards,)."""
    return np.where(counts.losable, 1 - 1 / counts.losable.sum(), 1.0)


def seats(counted: Mapping[int, Counts]) -> Check:
    """Every card comes to every seat (and, with one person, to the draw deck) as often as its hand is large."""
    check = Check(
        "seats",
        "Cards by seat",
        "Right: every point inside its grey bar. Wrong: points outside.",
        columns=1,
    )
    for counts in counted.values():
        chances = seat_chances(counts)
        given = counts.places.sum(axis=1, keepdims=True)
        tests, p = combined(
            chi_square(row, chance * n) for row, chance, n in zip(counts.places, chances, given[:, 0], strict=True)
        )
        deck = ", the draw deck 57.143 %" if counts.players == 1 else ""
        own = counts.places[counts.holder, : counts.seats] / counts.deals
        check.lines.append(
            Line(
                f"cards by seat, {people(counts)}",
                f"each card at each seat {chances[0, 0]:.3%}{deck}; {counts.cards[counts.holder]} {1 / counts.seats:.3%}",
                f"{_range((counts.places / given)[counts.losable, : counts.seats])}; {counts.cards[counts.holder]} {_range(own)}",
                tests,
                p,
            )
        )
        marked = [
            ratio_row(card, counts.places[i, seat], chances[i, seat] * given[i, 0], given[i, 0], counts.places.size * 4)
            | {"group": f"seat {seat}" if seat < counts.seats else "draw deck"}
            for i, card in enumerate(counts.cards)
            for seat in range(counts.seats + 1)
            if chances[i, seat] > 0
        ]
        check.panels.append(Panel(people(counts), "ratios", marked, x="card"))
    return check


def seat_chances(counts: Counts) -> Array:
    """Return the chance of every place for each card that is not lost, shape (cards, seats + 1)."""
    chances = np.zeros_like(counts.places, float)
    chances[:, : counts.seats] = 1 / counts.seats
    if counts.players == 1:
        shuffled = len(counts.cards) - 2
        chances[counts.losable, : counts.seats] = (counts.hand - 1 / counts.seats) / shuffled
        chances[counts.losable, counts.seats] = (shuffled - counts.seats * counts.hand + 1) / shuffled
    return chances


def pyramid(counted: Mapping[int, Counts]) -> Check:
    """Every card lies equally often in every slot of the pyramid."""
    counts = counted[2]
    table, size = counts.slots, counts.slots.shape[1]
    of_cards = [chi_square(row, np.full(size, row.sum() / size)) for row in table]
    share = _share_of_deck(counts) / (len(counts.cards) - 1)
    of_slots = [chi_square(column, share * counts.deals) for column in table.T]
    tests, p = combined(of_cards + of_slots)
    z = z_scores(table, np.broadcast_to(share[:, None] * counts.deals, table.shape), counts.deals)
    holder = counts.cards[counts.holder]
    line = Line(
        "cards by pyramid slot, 2 players",
        f"each card in each of {size} slots {share[0]:.3%}, {holder} {share[counts.holder]:.3%}",
        f"{_range(table[counts.losable] / counts.deals)}, {holder} {_range(table[counts.holder] / counts.deals)}",
        tests,
        p,
    )
    labels = [f"{row} {i + 1}" for row, width in (("bottom", 5), ("middle", 4), ("top", 3)) for i in range(width)]
    return Check(
        "pyramid",
        "Cards by slot of the pyramid",
        "Right: pale noise everywhere. Wrong: stripes, blocks or dark cells.",
        [line],
        [_map(people(counts), counts.cards, labels, z, "slot", np.ones(len(counts.cards), bool))],
    )


def lost_and_first(counted: Mapping[int, Counts]) -> Check:
    """The lost card tells nothing about the shuffle: the first card is uniform over the rest, whichever card is lost."""
    check = Check(
        "lost-and-first",
        "The lost card against the first card of the shuffle",
        "Right: pale noise everywhere. Wrong: a pattern (streams that depend on each other).",
    )
    for counts in counted.values():
        may, inside = counts.losable, counts.shuffled
        size = counts.positions.shape[1]
        rows = counts.first[may][:, inside]
        chance = np.where(np.eye(len(counts.cards), dtype=bool), 0, 1 / size)[may][:, inside]
        wanted = rows.sum(axis=1, keepdims=True) * chance
        possible = wanted > 0
        if rows[~possible].any():
            p = 0.0
        else:
            statistic = ((rows - wanted)[possible] ** 2 / wanted[possible]).sum()
            p = float(stats.chi2.sf(statistic, possible.sum() - len(rows)))
        z = z_scores(rows, wanted, rows.sum(axis=1, keepdims=True))
        check.lines.append(
            Line(
                f"first card given the lost card, {people(counts)}",
                f"each of the other cards {1 / size:.3%}, the lost card never",
                f"{_range((rows / rows.sum(axis=1, keepdims=True))[possible])}, the lost card {int(rows[~possible].sum())} times",
                1,
                p,
            )
        )
        cards = [card for card, ok in zip(counts.cards, may, strict=True) if ok]
        firsts = [card for card, ok in zip(counts.cards, inside, strict=True) if ok]
        panel = _map(people(counts), cards, firsts, np.where(possible, z, np.nan), "first card", np.ones(len(cards), bool))
        panel.y = "lost card"
        check.panels.append(panel)
    return check


def _range(shares: Array) -> str:
    return f"{shares.min():.3%} to {shares.max():.3%}"


def _map(title: str, cards: list[str] | tuple[str, ...], labels: list[str], z: Array, x: str, shown: Array) -> Panel:
    rows = [
        {"card": card, "at": label, "z": float(z[i, j])}
        for i, card in enumerate(cards)
        if shown[i]
        for j, label in enumerate(labels)
        if not np.isnan(z[i, j])
    ]
    return Panel(title, "map", rows, x=x, y="card", order=labels)
