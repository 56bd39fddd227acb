"""Counter-based random numbers: Philox4x64-10, bit-identical to numpy.random.Philox.

The key is the seed (128 bits), the counter is (block, stream, round, deal). So deal 123 of a seed can be rebuilt
from NumPy alone: `Philox(key=seed, counter=[0, stream, round, deal]).random_raw()` gives the words in our order
(NumPy counts up before each block, so the first block is number 1). Each stream serves one source of luck, so that
no decision can change a deal. Algorithm: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import LOW32, ONE, THIRTY_TWO, ZERO, inlined, kernel, multiply_high, nth
from sim.core.jit import count as count_bits

DEAL_FORMAT = 1
"""Version of the way from random words to deals; a change of it changes every deal."""

STREAM_DEAL = np.uint64(0)
STREAM_LOST = np.uint64(1)
STREAM_THREATS = np.uint64(2)
STREAM_EVENTS = np.uint64(3)
STREAM_CHOICES = np.uint64(4)
STREAM_SEARCH = np.uint64(5)
STREAM_PILE = np.uint64(6)
STREAM_CAST = np.uint64(7)
STREAM_GIVEN = np.uint64(8)

SOURCE = np.dtype(
    [("key", np.uint64, (2,)), ("counter", np.uint64, (4,)), ("words", np.uint64, (4,)), ("next", np.int64)],
)
"""One stream's state: key, the counter of the last block, its four words, and the next 32-bit half (8: none left)."""

_M0 = np.uint64(0xD2E7470EE14C6C93)
_M1 = np.uint64(0xCA5A826395121157)
_W0 = np.uint64(0x9E3779B97F4A7C15)
_W1 = np.uint64(0xBB67AE8584CAA73B)


def new_source() -> np.record:
    """Return an unseeded source, a record of dtype SOURCE."""
    return np.zeros(1, SOURCE).view(np.recarray)[0]


@kernel
def start(source, seed_low, seed_high, stream, round_number, deal):
    """Point a source at the beginning of a stream of one deal."""
    source.key[0] = seed_low
    source.key[1] = seed_high
    source.counter[0] = ZERO
    source.counter[1] = stream
    source.counter[2] = round_number
    source.counter[3] = deal
    source.next = 8


@kernel
def _next_block(source):
    source.counter[0] += ONE
    c0 = source.counter[0]
    c1 = source.counter[1]
    c2 = source.counter[2]
    c3 = source.counter[3]
    k0 = source.key[0]
    k1 = source.key[1]
    for _ in range(10):
        high0 = multiply_high(_M0, c0)
        low0 = _M0 * c0
        high1 = multiply_high(_M1, c2)
        low1 = _M1 * c2
        c0 = high1 ^ c1 ^ k0
        c1 = low1
        c2 = high0 ^ c3 ^ k1
        c3 = low0
        k0 += _W0
        k1 += _W1
    source.words[0] = c0
    source.words[1] = c1
    source.words[2] = c2
    source.words[3] = c3
    source.next = 0


@inlined
def draw32(source):
    """Return 32 random bits as uint64: the halves of the words in order, the low half first."""
    if source.next == 8:
        _next_block(source)
    word = source.words[source.next >> 1]
    if source.next & 1:
        word >>= THIRTY_TWO
    source.next += 1
    return word & LOW32


@inlined
def below(source, n):
    """Return a uniform integer in 0..n-1 (n from 1 to 2**32 - 1), without bias (Lemire 2019, with rejection)."""
    size = np.uint64(n)
    product = draw32(source) * size
    fraction = product & LOW32
    if fraction < size:
        threshold = (LOW32 - size + ONE) % size
        while fraction < threshold:
            product = draw32(source) * size
            fraction = product & LOW32
    return np.int64(product >> THIRTY_TWO)


@inlined
def pick(source, mask):
    """Return a uniformly drawn slot of `mask` (uint64, not 0); no number is drawn when there is no choice."""
    n = count_bits(mask)
    if n == 1:
        return nth(mask, 0)
    return nth(mask, below(source, n))
