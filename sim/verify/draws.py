"""The random numbers themselves: bounded draws without bias, and streams that have nothing to do with each other."""

from __future__ import annotations

import itertools

import numpy as np
from scipy import stats

from sim.core.jit import ONE, kernel
from sim.core.random import (
    STREAM_CHOICES,
    STREAM_DEAL,
    STREAM_EVENTS,
    STREAM_LOST,
    STREAM_SEARCH,
    STREAM_THREATS,
    below,
    draw32,
    new_source,
    start,
)
from sim.tricks.batch import LOW64, split_seed
from sim.verify.check import Array, Check, Line, Panel, chi_square, combined, ratio_row

BOUNDS = (3, 7, 36, 3 * 2**30, 2**31 + 1, 2**32 - 1)
"""Small ones as in play; large ones on which a draw without rejection, or one by remainder, goes wrong visibly."""
RANGES = 32
RESIDUES = 3
NIBBLE = 16


@kernel
def draw_many(source, n, values):
    """Fill `values` (int64) with draws below n."""
    for i in range(values.shape[0]):
        values[i] = below(source, n)


@kernel
def first_draws(source, low, high, stream, round_number, first_deal, values):
    """Fill `values` (uint64) with the first 32 bits of a stream for consecutive deals."""
    for i in range(values.shape[0]):
        start(source, low, high, stream, round_number, first_deal + np.uint64(i))
        values[i] = draw32(source)


def drawn(n: int, count: int, seed: int) -> Array:
    """Return `count` draws below n from one stream, int64."""
    source = new_source()
    start(source, *split_seed(seed), STREAM_SEARCH, ONE, np.uint64(n))
    values = np.zeros(count, np.int64)
    draw_many(source, n, values)
    return values


def bounded_line(n: int, values: Array) -> tuple[Line, Panel]:
    """Return what draws below n say: every value for a small n, else ranges of equal width and remainders by 3."""
    if values.min() < 0 or values.max() >= n:
        return Line(f"draws below {n:_}", f"0 to {n - 1:_}", f"{values.min():_} to {values.max():_}", 1, 0.0), Panel(
            "", "ratios", []
        )
    tables: list[tuple[str, Array, Array]] = []
    if n <= 64:
        tables.append(("", np.bincount(values, minlength=n), np.ones(n)))
    else:
        edges = [-(-n * k // RANGES) for k in range(RANGES + 1)]
        tables.append(("range ", np.bincount(values * RANGES // n, minlength=RANGES), np.diff(edges)))
        sizes = np.array([(n - r + RESIDUES - 1) // RESIDUES for r in range(RESIDUES)])
        tables.append(("mod 3 = ", np.bincount(values % RESIDUES, minlength=RESIDUES), sizes))
    every = sum(len(table[1]) for table in tables) * len(BOUNDS)
    p_values, rows, seen = [], [], []
    for name, found, sizes in tables:
        wanted = sizes / n * len(values)
        p_values.append(chi_square(found, wanted))
        seen.append(found / wanted)
        rows += [
            ratio_row(f"{name}{k}", count, expected, len(values), every)
            for k, (count, expected) in enumerate(zip(found, wanted, strict=True))
        ]
    tests, p = combined(p_values)
    what = "all values alike" if n <= 64 else f"{RANGES} ranges and remainders by {RESIDUES} alike"
    ratios = np.concatenate(seen)
    line = Line(f"draws below {n:_}", what, f"{ratios.min():.2%} to {ratios.max():.2%} of the expected counts", tests, p)
    return line, Panel(f"draws below {n:_}", "ratios", rows, x="value" if n <= 64 else "range of values, and remainder")


def bounded(count: int, seed: int) -> Check:
    """Draws below n are uniform, for small n and for n near the 32-bit limit."""
    check = Check(
        "bounded-draws",
        "Draws below n",
        "Right: every point inside its grey bar. Wrong: points outside (bias of remainders or of missing rejection).",
    )
    for n in BOUNDS:
        line, panel = bounded_line(n, drawn(n, count, seed))
        check.lines.append(line)
        check.panels.append(panel)
    return check


def stream_draws(count: int, seed: int) -> dict[str, Array]:
    """Return the first 32 bits of every stream for `count` deals, and of the deal stream one step aside in each direction."""
    low, high = split_seed(seed)
    one_up = (seed + 1) & LOW64
    source = new_source()
    wanted = {
        "deal": (low, high, STREAM_DEAL, 1, 0),
        "lost card": (low, high, STREAM_LOST, 1, 0),
        "threats": (low, high, STREAM_THREATS, 1, 0),
        "events": (low, high, STREAM_EVENTS, 1, 0),
        "choices": (low, high, STREAM_CHOICES, 1, 0),
        "search": (low, high, STREAM_SEARCH, 1, 0),
        "next deal": (low, high, STREAM_DEAL, 1, 1),
        "next round": (low, high, STREAM_DEAL, 2, 0),
        "seed + 1": (np.uint64(one_up), high, STREAM_DEAL, 1, 0),
        "seed + 2^64": (low, high + ONE, STREAM_DEAL, 1, 0),
    }
    drawn_by_name = {}
    for name, (key_low, key_high, stream, round_number, first) in wanted.items():
        values = np.zeros(count, np.uint64)
        first_draws(source, key_low, key_high, stream, np.uint64(round_number), np.uint64(first), values)
        drawn_by_name[name] = values
    return drawn_by_name


def streams(count: int, seed: int) -> Check:
    """No two streams, deals, rounds or seeds have anything to do with each other."""
    return streams_check(stream_draws(count, seed))


def streams_check(draws: dict[str, Array]) -> Check:
    """Return the check of first draws by name, uint64 below 2**32, all of the same length."""
    names = list(draws)
    table = np.array([draws[name] for name in names], float)
    count = table.shape[1]
    correlation = np.corrcoef(table)
    nibbles = [(values >> np.uint64(28)).astype(np.int64) for values in draws.values()]
    z_of, joint, rows, extremes = [], [], [], []
    for i, j in itertools.combinations(range(len(names)), 2):
        z = correlation[i, j] * np.sqrt(count)
        z_of.append(z)
        cells = np.bincount(nibbles[i] * NIBBLE + nibbles[j], minlength=NIBBLE * NIBBLE)
        joint.append(chi_square(cells, np.full(NIBBLE * NIBBLE, count / NIBBLE**2)))
        rows.append({"card": names[j], "at": names[i], "z": float(z)})
        extremes += [cells.min() / count, cells.max() / count]
    pairs, p_correlation = combined(2 * stats.norm.sf(np.abs(z_of)))
    _, p_joint = combined(joint)
    largest = np.abs(z_of).max() / np.sqrt(count)
    cell = 1 / NIBBLE**2
    lines = [
        Line("correlation between streams", f"0 for all {pairs} pairs", f"at most {largest:.5f} in size", pairs, p_correlation),
        Line(
            "leading 4 bits of two streams",
            f"each of 256 pairs of values {cell:.3%}",
            f"{min(extremes):.3%} to {max(extremes):.3%}",
            pairs,
            p_joint,
        ),
    ]
    return Check(
        "streams",
        "Correlation between streams, in standard errors",
        "Right: pale numbers within about 4. Wrong: dark cells with large numbers.",
        lines,
        [Panel(f"first draw of {count:_} deals", "square", rows)],
    )
