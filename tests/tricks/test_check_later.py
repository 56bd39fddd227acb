"""`ringsim check` notices what is wrong in a round of chapters 5 to 18: one thing is changed in a right record at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .games import Record, chapter, check, rounds

DEALS = 14


def step(record: Record, action: str) -> dict[str, Any] | None:
    """Return the first setup entry of an action."""
    return next((entry for entry in record["setup"] if entry["action"] == action), None)


def other_card(record: Record, seat: int, card: str) -> str:
    """Return a card that another seat was dealt."""
    return next(c for s, entry in enumerate(record["seats"]) if s != seat for c in entry["dealt"] if c != card)


def change(action: str, name: str, new: Callable[[Record, dict[str, Any]], Any]) -> Callable[[Record], bool]:
    """Return a mutation that gives an entry of an action another value."""

    def mutate(record: Record) -> bool:
        entry = step(record, action)
        if entry is None:
            return False
        value = new(record, entry)
        if value is None or value == entry[name]:
            return False
        entry[name] = value
        return True

    return mutate


def drop(action: str) -> Callable[[Record], bool]:
    """Return a mutation that leaves an action out."""

    def mutate(record: Record) -> bool:
        entry = step(record, action)
        if entry is not None:
            record["setup"].remove(entry)
        return entry is not None

    return mutate


def swap_passes(action: str) -> Callable[[Record], bool]:
    """Let a seat pass a card that it does not hold."""

    def mutate(record: Record) -> bool:
        entry = step(record, action)
        if entry is None:
            return False
        giver, given = next(iter(entry["gave"].items()))
        to = next(iter(given))
        entry["gave"][giver][to] = other_card(record, int(giver), given[to])
        return True

    return mutate


def reveal(new: Callable[[Record, int], list[str] | None]) -> Callable[[Record], bool]:
    """Turn other cards up for a trick."""

    def mutate(record: Record) -> bool:
        for number, trick in enumerate(record["tricks"]):
            if trick.get("reveal") and (cards := new(record, number)) is not None:
                trick["reveal"] = cards
                return True
        return False

    return mutate


def twice(record: Record, number: int) -> list[str] | None:
    return record["tricks"][number - 1]["reveal"] if number else None


def lapsed(record: Record) -> bool:
    """Give a trick that nobody won to its leader."""
    for trick in record["tricks"]:
        if trick["winner"] is None:
            trick["winner"] = trick["leader"]
            return True
    return False


def taken(record: Record) -> bool:
    """Say that nobody won a trick that was won by a declared card."""
    for trick in record["tricks"]:
        if trick["one_ring_wins"]:
            trick["winner"] = None
            return True
    return False


def untuck_somebody_else(record: Record) -> bool:
    for trick in record["tricks"]:
        if "untuck" in trick:
            trick["untuck"] = (trick["untuck"] + 1) % len(record["seats"])
            return True
    return False


def name_without_winning(record: Record) -> bool:
    trick = record["tricks"][0]
    trick["pass_lead"] = [trick["leader"], (trick["leader"] + 1) % len(record["seats"])]
    return True


def seat_of(record: Record, name: str) -> int:
    return [entry["character"] for entry in record["seats"]].index(name)


def first_reserved(record: Record) -> bool:
    """Play the card that is set aside for the last trick before it."""
    entry = step(record, "reserve")
    if entry is None:
        return False
    for trick in record["tricks"][1:-1]:
        for number, (seat, _) in enumerate(trick["plays"]):
            if seat == entry["seat"]:
                trick["plays"][number][1] = entry["card"]
                return True
    return False


def flip_goal(name: str) -> Callable[[Record], bool]:
    def mutate(record: Record) -> bool:
        names = [entry["character"] for entry in record["seats"]]
        if name not in names:
            return False
        record["goals"][names.index(name)] ^= True
        return True

    return mutate


def other_first(record: Record) -> bool:
    record["first_leader"] = (record["first_leader"] + 1) % len(record["seats"])
    return True


def no_failure(record: Record) -> bool:
    if not record["failed_event"]:
        return False
    record["failed_event"], record["event_failed_at"] = None, None
    return True


def late_failure(record: Record) -> bool:
    if not record["failed_event"]:
        return False
    record["event_failed_at"] += 1
    return True


MUTATIONS: dict[str, tuple[str, int, Callable[[Record], bool]]] = {
    "a lower card wins against the forest": ("5", 3, lapsed),
    "a declared card loses to the forest": ("5", 4, taken),
    "a forest card is turned up twice": ("5", 3, reveal(twice)),
    "two forest cards": ("5", 4, reveal(lambda record, number: ["F1", "F2"])),
    "Tom takes too few cards": ("6", 3, change("take_barrow", "cards", lambda record, entry: entry["cards"][:4])),
    "Tom takes the wrong cards": ("6", 3, change("take_barrow", "cards", lambda record, entry: record["barrow"][5:])),
    "a Ring in the barrow": ("6", 4, lambda record: bool(record["barrow"].__setitem__(0, "R2")) or True),
    "Goldberry hides her hand": ("6", 4, drop("reveal_hand")),
    "another leads first": ("7", 3, other_first),
    "Strider declares nothing": ("8", 3, drop("declare")),
    "Strider declares something else": ("8", 3, change("declare", "value", lambda record, entry: "as many")),
    "Strider's goal": ("8", 3, flip_goal("strider")),
    "Merry's goal and curse": ("8", 3, flip_goal("merry")),
    "a card that Glorfindel does not hold": ("9", 3, swap_passes("simultaneous_exchange")),
    "no exchange with each": ("9", 4, drop("simultaneous_exchange")),
    "a card that nobody passes": ("10", 3, swap_passes("pass_right")),
    "nobody passes": ("10", 4, drop("pass_right")),
    "Bilbo names a leader unasked": ("10", 3, name_without_winning),
    "other numbers": ("11", 3, change("sword", "value", lambda record, entry: [2, 3])),
    "other suits": ("11", 3, change("horn", "suits", lambda record, entry: ["H", "R"])),
    "no suits": ("11", 4, drop("horn")),
    "Radagast sets nothing aside": ("12", 4, drop("reserve")),
    "Radagast's card for the last trick comes early": ("12", 4, first_reserved),
    "Shadowfax tucks another's card": (
        "12", 3, change("tuck", "card", lambda record, entry: other_card(record, entry["seat"], entry["card"])),
    ),
    "another seat takes the tucked card back": ("12", 3, untuck_somebody_else),
    "a threat that is gone": ("14-long_dark", 4, change("choose_threat", "value", lambda record, entry: 9)),
    "exchanges one by one": ("14-long_dark", 3, drop("long_dark")),
    "no answer": ("14-long_dark", 3, change("long_dark", "returns", lambda record, entry: entry["returns"][1:])),
    "the Balrog fails nobody": ("14-bridge_of_khazad_dum", 3, no_failure),
    "the Balrog fails later": ("14-bridge_of_khazad_dum", 3, late_failure),
    "a Balrog card twice": ("14-bridge_of_khazad_dum", 3, reveal(twice)),
    "a passing is left out": ("16", 3, drop("mirror_pass")),
    "a card that was not dealt yet": ("16", 3, swap_passes("mirror_pass")),
    "Galadriel gets another card": (
        "16", 3, change("exchange_lost", "got", lambda record, entry: other_card(record, entry["seat"], entry["got"])),
    ),
    "a threat that was not drawn": ("18-first_group", 4, change("keep_threat", "value", lambda record, entry: 9)),
    "no word about drawing again": ("18-second_group", 4, drop("redraw")),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_change_is_noticed(name: str, tmp_path: Path) -> None:
    label, players, mutate = MUTATIONS[name]
    changed = []
    for played in rounds(label, players, "random", DEALS):
        record = json.loads(json.dumps(played.record))
        if mutate(record):
            changed.append(record)
    assert changed, "no deal has what is to be changed"
    assert all(check(changed, tmp_path))


def test_a_record_of_a_chapter_with_kinds_of_round_must_name_one(tmp_path: Path) -> None:
    from scenarios import UserError

    record = rounds("14-long_dark", 3, "random", 1)[0].record | {"kind": None, "event": "nothing"}
    with pytest.raises(UserError, match="doors_of_durin, balins_tomb, long_dark, bridge_of_khazad_dum"):
        check([record], tmp_path)


def test_the_curses_of_a_record_are_those_of_its_characters() -> None:
    for played in rounds("9", 4, "random", DEALS):
        for entry in played.record["seats"]:
            curse = chapter("9").curses.get(entry["character"])
            assert entry["curse"] == (curse[0] if curse else None)
    assert all(entry["curse"] != "unseen" for played in rounds("9", 1, "random", DEALS) for entry in played.record["seats"])
