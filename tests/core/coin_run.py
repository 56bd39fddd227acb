"""``ringsim run`` with the coin game in the engine's place; a program of its own for tests with real signals.

Workers import this file again, so the coin game stands in the engine's place there too.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

import coin_game

from cli.main import main
from scenarios.errors import UserError, nearest
from sim.core.runs import Cell


def build_cells(chapters: list[str], players: list[int], policies: list[str], assume: dict[str, str], *_: object) -> list[Cell]:
    """Cells of the coin game; the environment variable COIN_PAUSE slows it down (seconds per 1000 deals)."""
    for policy in policies:
        if policy not in ("script", "team"):
            raise UserError(f"--policy {policy}: unknown{nearest(policy, ['script', 'team'])}")
    options = {"pause": float(os.environ.get("COIN_PAUSE", "0")), "stubborn": "COIN_STUBBORN" in os.environ}
    cells = [
        coin_game.cell(chapter.rpartition("/")[2].removesuffix(".toml"), number, policy, **options)
        for chapter in chapters
        for number in players
        for policy in policies
    ]
    for cell in cells:
        cell.assumptions.update(assume)
    return cells


def engine() -> dict[str, ModuleType]:
    library, batch = ModuleType("sim.tricks.library"), ModuleType("sim.tricks.batch")
    vars(library)["build_cells"] = build_cells
    vars(batch)["simulate_chunk"] = coin_game.simulate_chunk
    return {library.__name__: library, batch.__name__: batch}


if __name__ in ("__main__", "__mp_main__"):
    sys.modules |= engine()
if __name__ == "__main__":
    main()
