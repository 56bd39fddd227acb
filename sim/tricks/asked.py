"""What is asked of a deal, as kernels read it: the record of a condition and the numbers that stand for its words.

`sim.tricks.condition` fills it, `sim.tricks.given` deals by it.
"""

from __future__ import annotations

import numpy as np

from sim.tricks.rules import SEATS

# Where a test looks; `index` of the test says which one.
SEAT = 0  # the hand dealt to a seat
STEP = 1  # the hand dealt so many seats clockwise of the holder
ROLE = 2  # the hand dealt to the seat that took a character
LOST = 3
PILE = 4
DECK = 5
SLOTS = 6  # slots of the pyramid
THREAT = 7  # number of a character, as a mask
SEAT_ROLE = 8  # character of a seat, as a mask over the roster
STEP_ROLE = 9
ROLES = 10  # characters in the round
LEADER_SEAT = 11  # first leader: its seat, its steps from the holder, its character, as masks
LEADER_STEP = 12
LEADER_ROLE = 13
MOST = 64
"""Above every count."""

PLACE_LOST = SEATS
PLACE_PILE = SEATS + 1
PLACE_DECK = SEATS + 2
PLACES = SEATS + 3
"""Seats 0 to 3, lost cards, pile, draw deck."""
CLASSES = 12
ROWS = 4096
TESTS = 64
WORDS = 192
AND = -1
OR = -2
NOT = -3

CONDITION = np.dtype(
    [
        ("tries", np.int64),
        ("rows", np.int64),
        ("classes", np.int64),
        ("cards", np.uint64, (CLASSES,)),
        ("upto", np.uint64, (ROWS,)),
        ("source", np.int64, (TESTS,)),
        ("index", np.int64, (TESTS,)),
        ("mask", np.uint64, (TESTS,)),
        ("low", np.int64, (TESTS,)),
        ("high", np.int64, (TESTS,)),
        ("slots", np.uint64, (TESTS,)),
        ("words", np.int64, (2,)),
        ("word", np.int64, (2, WORDS)),
        ("holder", np.int8, (ROWS,)),
        ("named", np.uint8, (ROWS,)),
        ("counts", np.int8, (ROWS, PLACES, CLASSES)),
    ]
)
"""A condition on the deals of one cell.

tries: deals dealt for one that fits, at most. rows: shapes, 0 when nothing is dealt outright; upto: the first number, of 64
bits, that no longer stands for the row (the last row takes the rest); holder: the holder card's seat, dealt apart, or -1;
named: places that the shape speaks of, as bits (PLACES); counts: cards of each class in them; classes, cards: how many
classes, and their cards. source ... slots: the tests (`where.Test`). word: what must hold besides, on the deal (0) and after
setup (1), in postfix order: a test's number, AND, OR or NOT; words: how many, 0 when nothing.
"""
