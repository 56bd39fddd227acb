"""The golden transcripts: one round of all that the library can play, for every number of players, played by `random`.

A chapter of several kinds of round has one for each. `python tests/tricks/golden.py` writes them anew (and removes those of
chapters that are gone). Look at the difference before committing it: a transcript changes with the deal, the rules, the
policy `random` and the wording.
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
    """Yield what the library can play (`14-long_dark`: a kind of round) with every number of players that it has a deal for."""
    for label in scenarios.library():
        whole = scenarios.load(label)
        for scenario in whole.rounds.values() or [whole]:
            for players in scenario.deals:
                yield scenario.name, players


def path_of(name: str, players: int) -> Path:
    """Return where a transcript lies."""
    label, _, kind = name.partition("-")
    first = f"chapter-{int(label):02}" if label.isdigit() else label
    return FOLDER / f"{first}{'-' if kind else ''}{kind}-players-{players}.txt"


def text_of(name: str, players: int) -> str:
    """Return a transcript as it is now."""
    return "\n".join(transcript(Replay(scenarios.load(name), players, "random", SEED, 0))) + "\n"


def write_all() -> None:
    """Write every transcript."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, players in cells():
        path_of(name, players).write_text(text_of(name, players), encoding="utf-8")


if __name__ == "__main__":
    write_all()
