"""``ringsim warmup``: compile the kernels now, or clear the caches of all versions."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import Quiet
from sim.core.messages import say

EPILOG = "Example: ringsim warmup"


def warmup(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all compiled kernels instead.")] = False,
    quiet: Quiet = False,
) -> None:
    """Compile the engine, so that the next command starts at once."""
    from sim.core import jit

    if clear:
        import shutil

        shutil.rmtree(jit.cache_root(), ignore_errors=True)
        say(f"{jit.cache_root()}: cleared")
        return
    from sim.tricks.batch import warm_up

    folder = jit.CACHE_FOLDER or "no folder (the cache cannot be written)"
    say(f"{'compiled into' if warm_up() else 'compiled before, in'} {folder}")
