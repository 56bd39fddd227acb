"""``ringsim warmup``: compile the kernels now, or clear the caches of all versions."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

EPILOG = "Example: ringsim warmup"


def warmup(clear: Annotated[bool, typer.Option("--clear", help="Remove all compiled kernels instead.")] = False) -> None:
    """Compile the engine, so that the next command starts at once."""
    from sim.core import jit

    if clear:
        import shutil

        shutil.rmtree(jit.cache_root(), ignore_errors=True)
        print(f"{jit.cache_root()}: cleared", file=sys.stderr)
        return
    from sim.tricks.batch import warm_up

    folder = jit.CACHE_FOLDER or "no folder (the cache cannot be written)"
    print(f"{'compiled into' if warm_up() else 'compiled before, in'} {folder}", file=sys.stderr)
