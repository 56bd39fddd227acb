"""The deal format, from NumPy alone: nothing here but numpy and what sim/tricks/deal.py and sim/core/random.py document."""

import json
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import scenarios
from sim.core import random as ours
from sim.tricks.batch import split_seed
from sim.tricks.replay import Replay, record

DEAL, LOST = 0, 1
DECK = [f"{suit}{rank}" for suit, ranks in (("H", 8), ("M", 8), ("F", 8), ("S", 8), ("R", 5)) for rank in range(1, ranks + 1)]
ROWS = [5, 4, 3]
SEEDS = [0, 7, 2**64 - 1, 2**64, 2**64 + 7, 0xDEADBEEF_00000000_12345678_9ABCDEF0, 2**128 - 1]


def halves(seed: int, stream: int, round_number: int, deal: int) -> Iterator[int]:
    """The 32-bit halves of NumPy's Philox words, low half first."""
    words = np.random.Philox(key=seed, counter=[0, stream, round_number, deal])
    while True:
        word = int(words.random_raw())
        yield word & 0xFFFFFFFF
        yield word >> 32


def below(numbers: Iterator[int], n: int) -> int:
    """Lemire's bounded draw with rejection."""
    product = next(numbers) * n
    while product % 2**32 < 2**32 % n:
        product = next(numbers) * n
    return product >> 32


class NumpyDeal:
    """A deal of the standard deck with one lost card, for a number of players."""

    def __init__(self, players: int, seed: int, deal: int) -> None:
        seats, size = {1: (4, 4), 2: (3, 12), 3: (3, 12), 4: (4, 9)}[players]
        rest = [card for card in DECK if players > 1 or card != "R1"]
        may_be_lost = [card for card in rest if card != "R1"]
        self.lost = may_be_lost[below(halves(seed, LOST, 1, deal), len(may_be_lost))]
        rest.remove(self.lost)
        numbers = halves(seed, DEAL, 1, deal)
        holder = below(numbers, seats) if players == 1 else None
        for i in range(len(rest) - 1, 0, -1):
            j = below(numbers, i + 1)
            rest[i], rest[j] = rest[j], rest[i]
        self.hands = []
        for seat in range(seats):
            block = size - (seat == holder)
            cards, rest = rest[:block], rest[block:]
            self.pyramid = cards
            self.hands.append(sorted(cards + ["R1"] * (seat == holder), key=DECK.index))
        self.draw_deck = rest

    def pyramid_places(self) -> list[tuple[int, int, str]]:
        places = [(row, column) for row, width in enumerate(ROWS) for column in range(width)]
        return [(*place, card) for place, card in zip(places, self.pyramid, strict=True)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_numpy_alone_rebuilds_deals(players, seed):
    for chapter in ("1", "2", "4"):
        for deal in (0, 1, 123, 2**32 + 5, 10**12 - 1):
            wanted = NumpyDeal(players, seed, deal)
            replay = Replay(scenarios.load(chapter), players, "random", seed, deal)
            assert replay.dealt == wanted.hands
            assert replay.draw_order == wanted.draw_deck
            shown = record(replay)
            assert shown["lost"] == [wanted.lost]
            assert [seat["dealt"] for seat in shown["seats"]] == wanted.hands
            assert shown.get("draw_order", []) == wanted.draw_deck
            if players == 2:
                assert [(p["row"], p["col"], p["card"]) for p in shown["pyramid_dealt"]] == wanted.pyramid_places()


def test_the_command_shows_the_same_deal():
    seed, deal = 2**100 + 3, 42
    command = [
        "replay",
        "2",
        "--players",
        "2",
        "--seed",
        str(seed),
        "--deal",
        str(deal),
        "--policy",
        "random",
        "--format",
        "json",
    ]
    done = subprocess.run([sys.executable, "-m", "cli.main", *command], capture_output=True, text=True, check=True)
    shown, wanted = json.loads(done.stdout), NumpyDeal(2, seed, deal)
    assert shown["lost"] == [wanted.lost]
    assert [seat["dealt"] for seat in shown["seats"]] == wanted.hands
    assert [(p["row"], p["col"], p["card"]) for p in shown["pyramid_dealt"]] == wanted.pyramid_places()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("stream", "round_number", "deal"), [(0, 1, 0), (5, 3, 2**63 + 9), (2**64 - 1, 2**64 - 1, 2**64 - 1)])
def test_words_equal_numpy_bit_for_bit(seed, stream, round_number, deal):
    source = ours.new_source()
    ours.start(source, *split_seed(seed), np.uint64(stream), np.uint64(round_number), np.uint64(deal))
    drawn = [int(ours.draw32(source)) for _ in range(2000)]
    # NumPy turns a list with numbers from 2**63 on into floats, an array it takes as it is.
    counter = np.array([0, stream, round_number, deal], np.uint64)
    words = np.random.Philox(key=seed, counter=counter).random_raw(1000)
    assert drawn == [half for word in words.tolist() for half in (word & 0xFFFFFFFF, word >> 32)]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 36, 2**31, 2**31 + 1, 3 * 2**30, 2**32 - 1])
def test_bounded_draws_are_lemire_with_rejection(n):
    source = ours.new_source()
    ours.start(source, *split_seed(2**77 + 1), np.uint64(4), np.uint64(1), np.uint64(6))
    numbers = halves(2**77 + 1, 4, 1, 6)
    assert [int(ours.below(source, n)) for _ in range(500)] == [below(numbers, n) for _ in range(500)]
