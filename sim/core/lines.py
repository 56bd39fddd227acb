"""Records that begin where a line of the cache does, so that no vector of them lies across two."""

from __future__ import annotations

from typing import Any

import numpy as np

LINE = 64
"""Bytes of a line."""


def in_lines(fields: list[tuple[Any, ...]]) -> np.dtype:
    """Return a record type of these fields, as for np.dtype, padded to whole lines."""
    plain = np.dtype(fields)
    names = list(plain.names or ())
    kinds = [plain.fields[name] for name in names] if plain.fields else []
    size = -(-plain.itemsize // LINE) * LINE
    return np.dtype(
        {"names": names, "formats": [kind[0] for kind in kinds], "offsets": [kind[1] for kind in kinds], "itemsize": size}
    )


def lines_of(count: int, dtype: np.dtype) -> np.ndarray:
    """Return zeroed records of a type that `in_lines` made, shape (count,), the first at the beginning of a line."""
    room = np.zeros(count * dtype.itemsize + LINE, np.uint8)
    skipped = -room.__array_interface__["data"][0] % LINE
    return room[skipped : skipped + count * dtype.itemsize].view(dtype)
