"""Processor time inside a kernel: deals are solved in microseconds, too short to be timed from outside."""

from __future__ import annotations

import sys
import time
from typing import Any

from sim.core.jit import COMPILED, inlined

if COMPILED and sys.platform != "win32":
    from numba import types

    _clock: Any = types.ExternalFunction("clock", types.int64())
elif COMPILED:
    # There the C library counts milliseconds, which would say nothing.
    @inlined
    def _clock():
        return 0

else:

    def _clock() -> int:
        return time.process_time_ns() // 1000


@inlined
def microseconds():
    """Return the processor time of this process in microseconds (0 where it cannot be told)."""
    return _clock()
