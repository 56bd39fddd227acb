"""What the games are: chapters, characters and assumptions as data, with the source of each rule.

`load("4")` or `load("my.toml")` returns a validated `Scenario`; nothing here knows an engine.
"""

from scenarios.drawing import drawn
from scenarios.errors import UserError, nearest
from scenarios.loader import (
    chapters,
    library,
    load,
    load_assumptions,
    load_book,
    load_characters,
    load_curses,
    load_events,
    load_gifts,
)
from scenarios.model import Scenario

__all__ = [
    "Scenario", "UserError", "chapters", "drawn", "library", "load", "load_assumptions", "load_book", "load_characters",
    "load_curses", "load_events", "load_gifts", "nearest",
]  # fmt: skip
