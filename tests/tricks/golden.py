"""The golden transcripts: one round of every chapter of the library for every number of players, played by `random`.

`python tests/tricks/golden.py` writes them anew (and removes those of chapters that are gone). Look at the difference
before committing it: a transcript changes with the deal, the rules, the policy `random` and the wording.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import scenarios
from sim.tricks.replay import Replay
from sim.tricks.transcript import transcript

FOLDER = Path(__file__).parents[1] / "golden"
COMMAND = "python tests/tricks/golden.py"
SEED = 7


def cells() -> Iterator[tuple[str, int]]:
    """Yield every chapter of the library with every number of players it has a deal for."""
    for label in scenarios.chapters():
        for players in scenarios.load(label).deals:
            yield label, players


def path_of(label: str, players: int) -> Path:
    """Return where a transcript lies."""
    return FOLDER / f"chapter-{int(label):02}-players-{players}.txt"


def text_of(label: str, players: int) -> str:
    """Return a transcript as it is now."""
    return "\n".join(transcript(Replay(scenarios.load(label), players, "random", SEED, 0))) + "\n"


def write_all() -> None:
    """Write every transcript."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for label, players in cells():
        path_of(label, players).write_text(text_of(label, players), encoding="utf-8")


if __name__ == "__main__":
    write_all()
