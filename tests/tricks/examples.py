"""Worked examples, written down card by card: short records, and the end of a round for one goal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scenarios import Scenario
from sim.tricks import goals, setup
from sim.tricks.rules import compile_rules
from sim.tricks.table import MET, new_table

from .games import Record, check, judge


def mask(scenario: Scenario, cards: str) -> np.uint64:
    """Return cards such as `H1 M3` as a mask."""
    return np.uint64(sum(1 << scenario.cards.index(card) for card in cards.split()))


def trick(text: str, legal: Sequence[str] = ()) -> Record:
    """Return a trick written as `0: H1 H2 R1! > 2`: the leader, the cards clockwise, the winner, `!` after a declared card.

    A seat without a card plays `-`. `legal`: for every seat in turn what it may play.
    """
    leader, _, rest = text.partition(":")
    cards, _, winner = rest.partition(">")
    names = cards.split()
    plays = [[(int(leader) + step) % len(names), name.rstrip("!")] for step, name in enumerate(names) if name != "-"]
    found: Record = {"leader": int(leader), "plays": plays, "one_ring_wins": "!" in cards, "winner": int(winner)}
    if legal:
        found["legal"] = [entry.split() for entry in legal]
    return found


def told(
    scenario: Scenario | None,
    players: int,
    seats: Iterable[tuple[str, str]],
    tricks: Sequence[Record],
    goals: Sequence[bool] | None = None,
    **more: Any,
) -> Record:
    """Return a record of (character, hand) seats; without goals it is one that was stopped after the tricks."""
    entries: list[Record] = [{"character": name, "hand": hand.split()} for name, hand in seats]
    record: Record = {
        "game": "fellowship",
        "players": players,
        "seats": entries,
        "first_leader": tricks[0]["leader"] if tricks else 0,
        "tricks": list(tricks),
        "goals": list(goals) if goals is not None else [False] * len(entries),
    }
    if scenario is not None:
        record["chapter"] = int(scenario.label) if scenario.label.isdigit() else scenario.label
    if goals is None:
        record["stopped_early"] = True
    for name, value in more.items():
        if name in ("dealt", "threat"):
            for entry, own in zip(entries, value, strict=True):
                entry[name] = own.split() if name == "dealt" else own
        else:
            record[name] = value
    return json.loads(json.dumps(record))


def differences(record: Record, scenario: Scenario | None, folder: Path, file: Path | None = None) -> list[str]:
    """Return what `ringsim check` finds, after asserting that the referee finds something just when it does.

    `file`: the scenario file of the record. What is said of the goals of a stopped round is left out.
    """
    written = record if file is None else record | {"chapter": str(file)}
    engine = [f"{d.where}: {d.record} / {d.rules}" for d in check([written], folder)[0]]
    independent = judge(record, scenario)
    if record.get("stopped_early"):
        engine = [line for line in engine if "): goal " not in line]
        independent = [line for line in independent if not line.startswith(("goals, seat", "stopped_early"))]
    assert bool(engine) == bool(independent), (engine, independent)
    return engine


def fill(scenario: Scenario, hands: Sequence[str], sizes: Sequence[int], lost: str) -> list[str]:
    """Return hands filled up to their sizes with the rest of the deck, in its order."""
    named = {card for hand in hands for card in hand.split()} | set(lost.split())
    rest = [card for card in scenario.cards if card not in named]
    full = []
    for hand, size in zip(hands, sizes, strict=True):
        missing = size - len(hand.split())
        full.append(" ".join([*hand.split(), *rest[:missing]]))
        rest = rest[missing:]
    return full


def goal_met(
    scenario: Scenario,
    players: int,
    cast: Sequence[str],
    *,
    tricks: Sequence[int] = (0, 0, 0, 0),
    won: Sequence[str] = ("", "", "", ""),
    last: Sequence[str | None] = (None, None, None, None),
    threats: Sequence[int] = (0, 0, 0, 0),
) -> list[bool]:
    """Return every seat's verdict at the end of a round: tricks won, cards won, cards played to the last trick, by seat."""
    rules = compile_rules(scenario, players)
    public, _, _ = new_table()
    names = [entry.character for entry in scenario.roster]
    public.seats = len(cast)
    for seat, name in enumerate(cast):
        public.character[seat] = names.index(name)
        public.threat[seat] = threats[seat]
        public.tricks_won[seat] = tricks[seat]
        public.won[seat] = mask(scenario, won[seat])
        public.last_card[seat] = -1 if last[seat] is None else scenario.cards.index(last[seat])  # type: ignore[arg-type]
        public.lender[seat] = -1
    public.played = rules.deck
    public.trick = public.tricks = sum(tricks) or 12
    setup.bind_goals(rules, public)
    return [int(goals.verdict(rules, public, seat, np.uint64(0))) == MET for seat in range(len(cast))]
