"""Deals from NumPy's own Philox: anybody can rebuild deal 123 of a seed without this engine (deal format 1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from sim.tricks.replay import Replay

from .games import PLAYERS, SEED, chapter

STREAM_DEAL, STREAM_LOST = 0, 1


def halves(seed: int, stream: int, deal: int) -> Iterator[int]:
    """Yield the 32-bit numbers of a stream: the halves of NumPy's words, the low one first."""
    words = np.random.Philox(key=seed, counter=[0, stream, 1, deal])
    while True:
        word = int(words.random_raw())
        yield word & 0xFFFFFFFF
        yield word >> 32


def below(numbers: Iterator[int], n: int) -> int:
    """Return a uniform number below n (Lemire 2019)."""
    while True:
        product = next(numbers) * n
        if product % 2**32 >= 2**32 % n:
            return product >> 32


def rebuilt(seed: int, deal: int, players: int) -> tuple[list[list[str]], list[str], list[str]]:
    """Return (hands, lost cards, draw deck) of the standard deck as the documentation of the deal format says."""
    deck = [f"{suit}{rank}" for suit in "HMFSR" for rank in range(1, 6 if suit == "R" else 9)]
    if players == 1:
        deck.remove("R1")
    losable = [card for card in deck if card != "R1"]
    lost = losable[below(halves(seed, STREAM_LOST, deal), len(losable))]
    deck.remove(lost)
    numbers = halves(seed, STREAM_DEAL, deal)
    seats, size = {1: (4, 4), 2: (3, 12), 3: (3, 12), 4: (4, 9)}[players]
    holder = below(numbers, 4) if players == 1 else None
    for last in range(len(deck) - 1, 0, -1):
        other = below(numbers, last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    hands = []
    for seat in range(seats):
        count = size - (seat == holder)
        hands.append(deck[:count] + (["R1"] if seat == holder else []))
        deck = deck[count:]
    return hands, [lost], deck


@pytest.mark.parametrize("players", PLAYERS)
def test_deals_can_be_rebuilt_with_numpy_alone(players: int) -> None:
    for seed in (0, 42, SEED, (1 << 128) - 1):
        for deal in (0, 1, 123, 1 << 40):
            replay = Replay(chapter("1"), players, "random", seed, deal)
            hands, lost, draw = rebuilt(seed, deal, players)
            assert [sorted(hand) for hand in replay.dealt] == [sorted(hand) for hand in hands]
            assert replay.cards(replay.public.lost) == lost
            if players == 1:
                assert replay.draw_order == draw
            if players == 2:
                assert [place["card"] for place in replay.pyramid_dealt] == hands[2]
