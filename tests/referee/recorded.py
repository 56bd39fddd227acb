"""The recorded games that the tests judge: a selection beside the tests, and all of them where they are at hand."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from .chapters import Chapter
from .declared import chapter_of, settings_of
from .referee import referee

HERE = Path(__file__)
SELECTION = HERE.parents[1] / "data" / "peer"
EVERYTHING = next(
    (folder / "shared" / "peer" for folder in HERE.parents[3:] if (folder / "shared" / "peer").exists()), SELECTION / "-"
)
CHAPTERS = ("01", "02", "03", "04")
"""The chapters of `files`."""
ALL_CHAPTERS = tuple(f"{number:02}" for number in range(1, 19))
PEER_SETTINGS = {"A3": "no", "A7": "after", "A13": "left_of_holder", "aragorn_in_13": "no", "dark_places": "in_order"}
"""The assumptions under which the games with a chapter were played."""


def files(folder: Path, chapters: tuple[str, ...] = CHAPTERS) -> list[Path]:
    """Return the files of some chapters and those without a chapter."""
    found = [path for number in chapters for path in sorted(folder.glob(f"cos/ch{number}_p*.jsonl"))]
    return found + sorted(folder.glob("*.jsonl"))


@cache
def lines(path: Path) -> list[str]:
    """Return the lines of a file."""
    return path.read_text(encoding="utf-8").splitlines()


def records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file, each a fresh copy."""
    return [json.loads(line) for line in lines(path)]


def with_chapter(chapters: tuple[str, ...] = ALL_CHAPTERS) -> list[dict[str, Any]]:
    """Return the selected records that have a chapter."""
    return [record for path in files(SELECTION, chapters) if path.parent.name == "cos" for record in records(path)]


def without_chapter() -> list[dict[str, Any]]:
    """Return the selected records from the hands at play on."""
    return [record for path in files(SELECTION) if path.parent.name != "cos" for record in records(path)]


def judge(record: dict[str, Any], playouts: int = 0, **assume: str) -> list[str]:
    """Return what the referee finds under the settings of the peer, changed by `assume`."""
    return referee(record, assume=PEER_SETTINGS | assume, playouts=playouts)


def chapter_played(record: dict[str, Any]) -> Chapter:
    """Return the chapter that a record was played in."""
    return chapter_of(record, None, settings_of(record, None, PEER_SETTINGS))
