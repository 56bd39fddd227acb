"""The options that several commands share, and how their texts are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from scenarios.errors import UserError, nearest
from sim.core.messages import silence

DEFAULT_PLAYERS = "1,2,3,4"
DEFAULT_POLICY = "team"
DEFAULT_DEALS = "100_000"

POLICIES = ("random", "script", "team", "search", "open")
"""The policies, for shells to complete; to ask the engine for them would take a second."""


def complete_policy(incomplete: str) -> list[str]:
    """Return the policies that may follow, also after a comma."""
    done, comma, begun = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in POLICIES if name.startswith(begun) and name not in done.split(",")]


def complete_chapter(incomplete: str) -> list[str]:
    """Return the chapters of the library, and the scenario files beside the one begun."""
    from scenarios import library

    begun = Path(incomplete)
    folder = begun if incomplete.endswith("/") else begun.parent
    files = sorted(str(file) for file in folder.glob("*.toml")) if folder.is_dir() else []
    return [name for name in (*library(), *files) if name.startswith(incomplete)]


Chapters = Annotated[
    list[str] | None,
    typer.Argument(
        help="Chapters: 1-4, 1,3, road or a scenario file of your own (my.toml).",
        show_default=False,
        autocompletion=complete_chapter,
    ),
]
Players = Annotated[
    str | None,
    typer.Option("--players", help="Numbers of people, such as 3 or 1,2,3,4 or 2-4.", show_default=DEFAULT_PLAYERS),
]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy",
        help="Who decides; several with commas: script,team. team:PLACE plays with weights of your own (ringsim tune).",
        show_default=DEFAULT_POLICY,
        autocompletion=complete_policy,
    ),
]
Deals = Annotated[
    str | None,
    typer.Option("--deals", help="Deals per cell: 1000, 1_000_000 or 1e6.", show_default=DEFAULT_DEALS),
]
Seed = Annotated[
    str | None,
    typer.Option("--seed", help="Up to 128 bits, decimal or 0x hex.", show_default="drawn and recorded"),
]
Assume = Annotated[
    list[str] | None,
    typer.Option("--assume", help="Choose an assumption, such as A10=after_trick; may be repeated.", show_default=False),
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder to write.", show_default=False)]
Workers = Annotated[
    str | None,
    typer.Option("--workers", help="Worker processes.", show_default="one per CPU, none for a small run"),
]
Playouts = Annotated[
    str | None,
    typer.Option("--playouts", help="Worlds that the policy search imagines for each decision.", show_default="64"),
]
Inference = Annotated[
    str | None,
    typer.Option(
        "--inference",
        help="Whether search weighs imagined worlds by how likely the others' choices are in them: on or off.",
        show_default="off",
    ),
]
Retry = Annotated[
    str | None,
    typer.Option(
        "--retry",
        help="After a lost attempt: none; fresh, all over again; keep, with what was completed.",
        show_default="none",
    ),
]
Attempts = Annotated[
    str | None,
    typer.Option("--attempts", help="Attempts at a deal at most, with --retry.", show_default="100"),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="CONDITION",
        help="Only deals that fit: 'lost is Hills 3', 'frodo: R4 R5; left: no Hills', 'somebody has at least 6 Hills', "
        "'threat of sam is 3' (docs/conditions.md). Several must all hold.",
        show_default=False,
    ),
]
Tries = Annotated[
    str | None,
    typer.Option("--tries", help="With --where: deals tried for one that fits, at most.", show_default="1_000_000"),
]


def _silence(on: bool) -> bool:
    silence(on)
    return on


Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no messages on stderr.", callback=_silence)]


def parse_assume(pairs: Iterable[str]) -> dict[str, str]:
    """Return the assumptions chosen by texts such as ``A10=no``; names are checked where they are known.

    Raises UserError for a text that is no pair and for one assumption with two values.
    """
    chosen: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = (piece.strip() for piece in pair.partition("="))
        if not (name and equals and value):
            raise UserError(f"--assume {pair}: must be NAME=VALUE, such as A10=after_trick")
        if chosen.setdefault(name, value) != value:
            raise UserError(f"--assume {pair}: {name} was already set to {chosen[name]}")
    return chosen


def check_for_search(playouts: str | None, inference: str | None, policies: Sequence[str]) -> None:
    """Raise UserError for options of the policy `search` where it does not play."""
    for option, text in (("--playouts", playouts), ("--inference", inference)):
        if text is not None and "search" not in policies:
            raise UserError(f"{option} {text}: is for the policy search, which is not among {', '.join(policies)}")


def join_conditions(texts: Sequence[str]) -> str:
    """Return one condition that asks for all of `texts`, empty when there are none; raises UserError when one is empty."""
    parts = [" ".join(part.split()) for text in texts for part in text.split(";")]
    if not all(parts):
        raise UserError(f"--where '{'; '.join(texts)}': a condition is empty; write one such as 'lost is H3'")
    return "; ".join(parts)


def parse_names(text: str, option: str) -> list[str]:
    """Return comma-separated names, each once, in the order given; raises UserError for an empty one."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UserError(f"{option} {text!r}: a name is empty; write one name, or several with commas")
    return list(dict.fromkeys(names))


def parse_choice(text: str, option: str, allowed: Sequence[str]) -> str:
    """Return `text` when it is allowed; raises UserError with the nearest allowed name."""
    if text not in allowed:
        raise UserError(f"{option} {text}: must be {' or '.join(allowed)}{nearest(text, allowed)}")
    return text
