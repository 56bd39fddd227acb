"""Scenario files made for a test: a short deck, characters of any goal, so that whole rounds can be tried out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scenarios import Scenario, load

SHORT_DECK = ["H1-4", "M1-4", "F1-4", "R1-5"]
"""17 cards: 3 hands of 5 and 2 lost, 4 hands of 4 and 1 lost, or (solo) 4 hands of 3, 4 to draw and 1 lost."""
SHORT_DEAL = {
    1: {"seats": 4, "hand": 3, "lost": 1, "draw_deck": 4},
    3: {"seats": 3, "hand": 5, "lost": 2},
    4: {"seats": 4, "hand": 4, "lost": 1},
}


def toml(value: Any) -> str:
    """Return a value as TOML text (tables inline)."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(str(key))} = {toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(inner) for inner in value) + "]"
    return json.dumps(value)


def write(path: Path, roster: list[str], characters: dict[str, dict[str, Any]] | None = None, **more: Any) -> Scenario:
    """Write a scenario file and load it.

    `roster`: names of characters, `*` after those that are required. `characters`: own ones, by name. `more`: further
    keys of the file; a key `assume` goes to the loader instead.
    """
    assume = more.pop("assume", None)
    table = {"schema": 1, "title": path.stem, "never_lost": ["R1"], **more}
    lines = [f"{key} = {toml(value)}" for key, value in table.items()]
    for name in roster:
        lines += ["[[roster]]", f"character = {toml(name.rstrip('*'))}", f"required = {toml(name.endswith('*'))}"]
    for name, character in (characters or {}).items():
        lines += [f"[characters.{name}]"]
        lines += [f"{key} = {toml(value)}" for key, value in {"name": name.title(), **character}.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return load(path, assume)


def short(path: Path, roster: list[str], characters: dict[str, dict[str, Any]] | None = None, **more: Any) -> Scenario:
    """Write a scenario with the short deck for 1, 3 and 4 players and load it."""
    return write(path, roster, characters, **{"deck": SHORT_DECK, "deal": SHORT_DEAL, "threats": [1, 2, 3, 4], **more})
