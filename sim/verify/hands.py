"""What hands look like, against the hypergeometric distribution: cards of a suit, hands without one, the bottom row."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import stats

from sim.verify.check import Array, Check, Line, Panel, chi_square, combined, ratio_row
from sim.verify.shuffles import Counts, people

SHOWN_SUIT = "H"


def suit_chances(counts: Counts, suit: str, size: int, bottom: bool = False) -> Array:
    """Return the chance of 0, 1, ... 63 cards of a suit in a hand of `size` (or in the pyramid's bottom row).

    The lost card is uniform over all but the holder card (the 1 of Rings); what is left is dealt without regard to suits.
    With one person the holder card goes to one of the hands and counts as one of its cards.
    """
    n = np.arange(64)
    may = counts.losable
    own = np.array([card.startswith(suit) for card in counts.cards])
    out = (own & may).sum() / may.sum()
    solo = counts.players == 1
    cards = len(counts.cards) - 1 - solo
    of_suit = int(own.sum()) - int(solo and own[counts.holder])

    def drawn(number: int) -> Array:
        return out * stats.hypergeom(cards, of_suit - 1, number).pmf(n) + (1 - out) * stats.hypergeom(cards, of_suit, number).pmf(
            n
        )

    if not solo or bottom:
        return drawn(size)
    with_holder = drawn(size - 1)
    if own[counts.holder]:
        with_holder = np.roll(with_holder, 1)
    return with_holder / counts.seats + drawn(size) * (1 - 1 / counts.seats)


def suit_counts(counted: Mapping[int, Counts]) -> Check:
    """The number of cards of each suit in each hand is hypergeometric."""
    check = Check(
        "suit-counts",
        "Hills in the hand of seat 0",
        "Right: every bar ends at its black line (expected). Wrong: bars that miss it.",
    )
    for counts in counted.values():
        values = []
        for index, suit in enumerate(counts.suits_of_deck):
            wanted = suit_chances(counts, suit, counts.hand) * counts.deals
            values += [chi_square(counts.suits[seat, index], wanted) for seat in range(counts.seats)]
        tests, p = combined(values)
        shown = counts.suits_of_deck.index(SHOWN_SUIT)
        chances = suit_chances(counts, SHOWN_SUIT, counts.hand)
        seen = counts.suits[0, shown] / counts.deals
        n = np.arange(64)
        check.lines.append(
            Line(
                f"cards of a suit in a hand, {people(counts)}",
                f"hypergeometric; Hills at seat 0: mean {(chances * n).sum():.4f}, 3 or more {chances[3:].sum():.3%}",
                f"mean {(seen * n).sum():.4f}, 3 or more {seen[3:].sum():.3%}",
                tests,
                p,
            )
        )
        rows = [{"label": str(k), "observed": seen[k], "expected": chances[k]} for k in range(9) if chances[k] > 0]
        check.panels.append(Panel(people(counts), "bars", rows, x="Hills in hand", y="share of hands"))
    return check


def voids(counted: Mapping[int, Counts]) -> Check:
    """A given seat holds no card of a suit as often as the closed form says."""
    check = Check("voids", "Hands without a suit", "Right: every point inside its grey bar. Wrong: points outside.")
    for counts in counted.values():
        rows, values = [], []
        every = counts.seats * len(counts.suits_of_deck)
        for index, suit in enumerate(counts.suits_of_deck):
            chance = suit_chances(counts, suit, counts.hand)[0]
            for seat in range(counts.seats):
                seen = counts.suits[seat, index, 0]
                values.append(stats.binomtest(int(seen), counts.deals, chance).pvalue)
                rows.append(ratio_row(f"{suit}, seat {seat}", seen, chance * counts.deals, counts.deals, every * len(counted)))
        tests, p = combined(values)
        hills = suit_chances(counts, SHOWN_SUIT, counts.hand)[0]
        seen = counts.suits[0, counts.suits_of_deck.index(SHOWN_SUIT), 0] / counts.deals
        check.lines.append(
            Line(
                f"hands without a suit, {people(counts)}",
                f"closed form; no Hill at seat 0: {hills:.4%}",
                f"{seen:.4%}",
                tests,
                p,
            )
        )
        check.panels.append(Panel(people(counts), "ratios", rows, x="suit and seat"))
    return check


def bottom_row(counted: Mapping[int, Counts]) -> Check:
    """The 1 of Rings lies in the pyramid's bottom row in 5 of 36 deals, and suits there are hypergeometric."""
    counts = counted[2]
    size, others = counts.bottom_slots, len(counts.cards) - 1
    holder = counts.cards[counts.holder]
    seen = int(counts.slots[counts.holder, :size].sum())
    lines = [
        Line(
            f"{holder} in the pyramid's bottom row, 2 players",
            f"{size}/{others} = {size / others:.3%}",
            f"{seen / counts.deals:.3%}",
            1,
            stats.binomtest(seen, counts.deals, size / others).pvalue,
        )
    ]
    values, panels = [], []
    for index, suit in enumerate(counts.suits_of_deck):
        chances = suit_chances(counts, suit, size, bottom=True)
        values.append(chi_square(counts.bottom[index], chances * counts.deals))
        rows = [
            {"label": str(k), "observed": counts.bottom[index, k] / counts.deals, "expected": chances[k]} for k in range(size + 1)
        ]
        panels.append(Panel(f"suit {suit}", "bars", rows, x="cards in the bottom row", y="share of deals"))
    tests, p = combined(values)
    rings = counts.suits_of_deck.index(holder[0])
    chances = suit_chances(counts, holder[0], size, bottom=True)
    lines.append(
        Line(
            "suits in the pyramid's bottom row, 2 players",
            f"hypergeometric; no Ring: {chances[0]:.3%}",
            f"{counts.bottom[rings, 0] / counts.deals:.3%}",
            tests,
            p,
        )
    )
    return Check(
        "bottom-row",
        "Cards of a suit in the pyramid's bottom row",
        "Right: every bar ends at its black line (expected). Wrong: bars that miss it.",
        lines,
        panels,
        columns=3,
    )
