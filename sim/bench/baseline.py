"""The yardstick: a bare loop in C (baseline.c), or the same in Python where there is no C compiler."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("baseline.c")
SEED = 7
_SUITS = [0xFF, 0xFF << 8, 0xFF << 16, 0xFF << 24, 0x1F << 32]
_ONE_RING = 32


@dataclass(frozen=True)
class Baseline:
    """A loop to compare with: `measure(deals)` plays so many and returns deals per second of CPU time."""

    name: str
    note: str
    measure: Callable[[int], float]
    warm_deals: int
    """A number of deals that takes a few milliseconds."""


def build(folder: Path, *flags: str) -> Path:
    """Compile baseline.c into `folder` with gcc -O3 and more flags; OSError or subprocess.CalledProcessError when it fails."""
    program = folder / "-".join(["baseline", *(flag.strip("-=").replace("=", "-") for flag in flags)])
    subprocess.run(["gcc", "-O3", *flags, "-o", str(program), str(SOURCE)], check=True, capture_output=True, text=True)
    return program


def dealt(program: Path, seed: int) -> list[int]:
    """Return the lost card and the four hands of deal 0 of a seed as the program deals them, as masks."""
    return [int(mask) for mask in _call(program, seed, 0)]


def _call(program: Path, seed: int, deals: int) -> list[str]:
    return subprocess.run([str(program), str(seed), str(deals)], check=True, capture_output=True, text=True).stdout.split()


def baselines(folder: Path) -> list[Baseline]:
    """Return the yardsticks of this machine, the first one being that of all ratios. Programs are built in `folder`."""
    if shutil.which("gcc") is None:
        return [_python("there is no gcc here")]
    try:
        plain = build(folder)
        native = build(folder, "-march=native")
    except (OSError, subprocess.CalledProcessError) as error:
        return [_python(f"gcc fails: {(getattr(error, 'stderr', '') or str(error)).strip().splitlines()[0]}")]
    work = "same shuffle, uniform legal play, no setup, no goals"
    return [
        Baseline("C loop, gcc -O3", work, lambda deals: float(_call(plain, SEED, deals)[0]), 20_000),
        Baseline("C loop, gcc -O3 -march=native", work, lambda deals: float(_call(native, SEED, deals)[0]), 20_000),
    ]


def _python(why: str) -> Baseline:
    def measure(deals: int) -> float:
        began = time.thread_time()
        for deal in range(deals):
            play_in_python(SEED, deal)
        return deals / (time.thread_time() - began)

    return Baseline("Python loop", f"{why}: pure Python and NumPy's Philox do what the C loop would do", measure, 5)


def play_in_python(seed: int, deal: int) -> tuple[int, list[int]]:
    """Play one deal as baseline.c does and return the lost card and the tricks won by each seat."""

    def numbers(stream: int):
        words = np.random.Philox(key=seed, counter=[0, stream, 1, deal])
        for _ in itertools.count():
            word = int(words.random_raw())
            yield word & 0xFFFFFFFF
            yield word >> 32

    def below(luck, n: int) -> int:
        product = next(luck) * n
        while product % 2**32 < 2**32 % n:
            product = next(luck) * n
        return int(product >> 32)

    def pick(luck, cards: list[int]) -> int:
        return cards[0] if len(cards) == 1 else cards[below(luck, len(cards))]

    lost = pick(numbers(1), [card for card in range(37) if card != _ONE_RING])
    order = [card for card in range(37) if card != lost]
    luck, choices = numbers(0), numbers(4)
    for i in range(35, 0, -1):
        j = below(luck, i + 1)
        order[i], order[j] = order[j], order[i]
    hands = [sorted(order[9 * seat : 9 * seat + 9]) for seat in range(4)]
    leader = next(seat for seat in range(4) if _ONE_RING in hands[seat])
    tricks = [0] * 4
    for _ in range(9):
        laid: dict[int, int] = {}
        led = 0
        for seat in (leader, *((leader + step) % 4 for step in (1, 2, 3))):
            options = [card for card in hands[seat] if led >> card & 1] or hands[seat]
            card = pick(choices, options)
            led = led or _SUITS[card >> 3]
            hands[seat].remove(card)
            laid[card] = seat
        leader = laid[max(card for card in laid if led >> card & 1)]
        tricks[leader] += 1
    return lost, tricks
