"""The recorded games that the tests judge: a selection beside the tests, and all of them where they are at hand."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from scenarios import Scenario, load

SELECTION = Path(__file__).parents[1] / "data" / "peer"
EVERYTHING = Path(__file__).parents[3] / "shared" / "peer"
CHAPTERS = ("01", "02", "03", "04")


def files(folder: Path) -> list[Path]:
    """Return the files of chapters 1 to 4 and those without a chapter."""
    chapters = [path for number in CHAPTERS for path in sorted(folder.glob(f"cos/ch{number}_p*.jsonl"))]
    return chapters + sorted(folder.glob("*.jsonl"))


@cache
def lines(path: Path) -> list[str]:
    """Return the lines of a file."""
    return path.read_text(encoding="utf-8").splitlines()


def records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file, each a fresh copy."""
    return [json.loads(line) for line in lines(path)]


def with_chapter() -> list[dict[str, Any]]:
    """Return the selected records that have a chapter."""
    return [record for path in files(SELECTION) if path.parent.name == "cos" for record in records(path)]


def without_chapter() -> list[dict[str, Any]]:
    """Return the selected records from the hands at play on."""
    return [record for path in files(SELECTION) if path.parent.name != "cos" for record in records(path)]


@cache
def chapter(number: int) -> Scenario:
    """Return a chapter of the library."""
    return load(number)


def scenario_of(record: dict[str, Any]) -> Scenario | None:
    """Return the chapter that a record was played in, None when it names none."""
    return chapter(record["chapter"]) if "chapter" in record else None
