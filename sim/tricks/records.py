"""Game records (docs/records.md): their shape, and reading them with one clear line for whatever is no record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from scenarios.errors import UserError


class Sealed(Struct):
    """After which trick a goal was lost or met for good; null: never before the end."""

    failed_after: int | None = None
    met_after: int | None = None


class Seat(Struct):
    """One place at the table."""

    character: str
    hand: list[str]
    dealt: list[str] | None = None
    tucked: str | None = None
    reserved: str | None = None
    preplayed: str | None = None
    threat: int | None = None
    declared: str | list[int] | None = None
    curse: str | None = None
    pyramid: bool = False


class Step(Struct):
    """One action in setup."""

    action: str
    seat: int | None = None
    """Missing where all act at once."""
    with_: int | list[int] | None = field(default=None, name="with")
    to: int | None = None
    gave: str | dict[str, dict[str, str]] | None = None
    """A card; or giver -> receiver -> card, where several change hands at once."""
    got: str | None = None
    card: str | None = None
    cards: list[str] = []
    value: int | str | list[int] | None = None
    rejected: list[int] = []
    accepted: bool = False
    chosen: int | None = None
    suits: list[str] = []
    stage: int = 0
    one_ring_wins: bool = False
    plans: list[tuple[int, int, str]] = []
    returns: list[tuple[int, int, str]] = []


class Selection(Struct):
    """A seat's choice of a character."""

    seat: int
    chosen: str
    options: list[str] | None = None


class Slot(Struct):
    """A card of the pyramid: row from the bottom (-1: beside it), column."""

    row: int
    col: int
    card: str


class Fetch(Struct):
    """A card given for the lost one before a trick, or to the seat that took it."""

    seat: int
    gave: str
    got: str
    with_: int | None = field(default=None, name="with")
    """Whom with; missing: the lost card."""


class Trick(Struct):
    """One trick: who led, what was played in order, who won."""

    leader: int
    plays: list[tuple[int, str]]
    winner: int | None
    one_ring_wins: bool = False
    legal: list[list[str]] | None = None
    draws: list[tuple[int, str]] | None = None
    reveal: list[str] = []
    """Cards that an event turned up for the trick."""
    untuck: int | None = None
    """The seat that takes its tucked card back before the trick."""
    pass_lead: list[int] | None = None
    """Who lets whom lead."""
    fetch: Fetch | None = None
    """What a gift swaps before the trick."""
    free: int | None = None
    """The seat that need not follow suit, in the first trick."""


class CurseFailure(Struct):
    """A curse that struck."""

    seat: int
    curse: str
    trick: int


class GameRecord(Struct):
    """One round. Fields beyond these are not looked at; optional ones that are missing are not checked."""

    game: str
    players: int
    seats: list[Seat]
    first_leader: int
    tricks: list[Trick]
    goals: list[bool]
    chapter: int | str | None = None
    seed: Any = None
    deal: Any = None
    """With the seed: which characters a chapter that is drawn has."""
    assumptions: dict[str, str] = {}
    lost: list[str] | None = None
    lost_at_play: list[str] | None = None
    ring_holder: int | None = None
    selection: list[Selection] | None = None
    setup: list[Step] | None = None
    event: str | None = None
    kind: str | None = None
    group: str | None = None
    barrow: list[str] | None = None
    curse_failures: list[CurseFailure] | None = None
    """Where this stands, `goals` are those of the characters alone, without curses and events."""
    failed_event: str | None = None
    event_failed_at: int | None = None
    balrog_failed_tricks: list[int] | None = None
    draw_order: list[str] | None = None
    pyramid_dealt: list[Slot] | None = None
    pyramid_at_play: list[Slot] | None = None
    sealed: list[Sealed] | None = None
    stopped_early: bool = False


def read_records(path: Path) -> Iterator[tuple[int, GameRecord]]:
    """Yield (line number, record) of a JSON-lines file; UserError naming file, line and field when a line is no record."""
    decoder = msgspec.json.Decoder(GameRecord)
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    found = decoder.decode(line)
                except msgspec.DecodeError as error:
                    text = str(error).replace("Object missing", "missing").replace("`", "'").replace("$.", "")
                    raise UserError(f"{path}: line {number}: not a game record: {text}") from None
                _check_shape(found, f"{path}: line {number}")
                yield number, found
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _check_shape(found: GameRecord, where: str) -> None:
    if found.game != "fellowship":
        raise UserError(f"{where}: game = '{found.game}': allowed is fellowship")
    seats = {1: 4, 2: 3, 3: 3, 4: 4}.get(found.players)
    if seats is None:
        raise UserError(f"{where}: players = {found.players}: must be 1 to 4")
    for name in ("seats", "goals", "sealed"):
        entries: Any = getattr(found, name)
        if entries is not None and len(entries) != seats:
            raise UserError(f"{where}: {name} has {len(entries)} entries; {found.players} players have {seats} seats")
    numbers = [found.first_leader, *(play[0] for trick in found.tricks for play in trick.plays)]
    numbers += [trick.leader for trick in found.tricks] + [trick.winner for trick in found.tricks if trick.winner is not None]
    fetches = [trick.fetch for trick in found.tricks if trick.fetch is not None]
    numbers += [place for fetch in fetches for place in (fetch.seat, fetch.with_) if place is not None]
    numbers += [trick.free for trick in found.tricks if trick.free is not None]
    numbers += [step.to for step in found.setup or [] if step.action == "curse" and step.to is not None]
    numbers += [step.seat for step in found.setup or [] if step.seat is not None] + [pick.seat for pick in found.selection or []]
    for number in numbers:
        if not 0 <= number < seats:
            raise UserError(f"{where}: seat {number}: seats are 0 to {seats - 1}")
