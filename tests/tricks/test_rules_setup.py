"""Examples of deal, selection and setup: who may take which character, the lost card, threats, exchanges, gifts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.tricks import setup
from sim.tricks.rules import compile_rules

from .examples import differences, fill, told
from .games import CHAPTERS, PLAYERS, Record, chapter, play, rounds


def prepared(
    label: str, cast: list[str], dealt: list[str], at_play: list[str], steps: list[dict[str, Any]], lost: str, **more: Any
) -> Record:
    """Return a record that ends before the first trick. Seat 0 is Frodo; hands are filled up with the rest of the deck.

    `dealt` and `at_play` name the cards that matter; what a seat names in neither lies where it was dealt.
    """
    scenario = chapter(label)
    players = len(cast)
    size = scenario.deals[players].hand
    # What moves in setup must not be filled in elsewhere.
    full = fill(scenario, dealt, [size] * players, lost)
    hands = []
    for whole, before, after in zip(full, dealt, at_play, strict=True):
        hands.append(" ".join([card for card in whole.split() if card not in before.split()] + after.split()))
    record = told(scenario, players, zip(cast, hands, strict=True), [], None, dealt=full, lost=lost.split(), setup=steps, **more)
    record["ring_holder"] = 0
    return record


def faults(folder: Path, label: str, record: Record) -> list[str]:
    """Return what check (and the referee) find."""
    return differences(record, chapter(label), folder)


def gets(seat: int, value: int, *rejected: int) -> dict[str, Any]:
    """Return the entry of a drawn threat."""
    return {"seat": seat, "action": "threat", "value": value, "rejected": list(rejected)}


def swap(seat: int, other: int, gave: str, got: str) -> dict[str, Any]:
    """Return the entry of an exchange."""
    return {"seat": seat, "action": "exchange", "with": other, "gave": gave, "got": got}


# Selection.


def options(label: str, players: int, taken: str, seats_after: int) -> set[str]:
    """Return who may be chosen when some characters are taken and so many seats choose later."""
    scenario = chapter(label)
    names = [entry.character for entry in scenario.roster]
    chosen = sum(1 << names.index(name) for name in taken.split())
    found = int(setup.selectable(compile_rules(scenario, players), np.uint64(chosen), seats_after))
    return {name for role, name in enumerate(names) if found >> role & 1}


@pytest.mark.parametrize(
    ("label", "players", "taken", "later", "allowed"),
    [
        ("1", 3, "frodo", 1, {"bilbo", "gandalf", "pippin"}),
        ("1", 3, "frodo gandalf", 0, {"bilbo"}),
        ("1", 3, "frodo bilbo", 0, {"gandalf", "pippin"}),
        ("1", 4, "frodo gandalf", 1, {"bilbo", "pippin"}),
        ("1", 4, "frodo gandalf pippin", 0, {"bilbo"}),
        ("2", 3, "frodo", 1, {"sam", "merry"}),
        ("2", 3, "frodo merry", 0, {"sam"}),
        ("2", 4, "frodo", 2, {"sam", "merry", "gandalf", "pippin"}),
        ("2", 4, "frodo pippin", 1, {"sam", "merry"}),
        ("2", 4, "frodo sam", 1, {"merry", "gandalf", "pippin"}),
        ("2", 4, "frodo sam merry", 0, {"gandalf", "pippin"}),
        ("3", 3, "frodo", 1, {"farmer_maggot", "gildor_inglorion"}),
        ("3", 4, "frodo sam", 1, {"farmer_maggot", "gildor_inglorion"}),
        ("4", 4, "frodo merry fatty_bolger", 0, {"sam", "pippin"}),
    ],
)
def test_a_character_may_be_taken_while_later_seats_can_cover_the_required_ones(
    label: str, players: int, taken: str, later: int, allowed: set[str]
) -> None:
    assert options(label, players, taken, later) == allowed


@pytest.mark.parametrize("label", CHAPTERS)
@pytest.mark.parametrize("players", PLAYERS)
def test_the_holder_of_the_one_ring_is_frodo_and_required_characters_are_there(label: str, players: int) -> None:
    required = {entry.character for entry in chapter(label).roster if entry.required}
    for played in rounds(label, players, "random", 60):
        seats = played.record["seats"]
        assert [entry["character"] == "frodo" for entry in seats] == ["R1" in entry["dealt"] for entry in seats]
        assert required <= {entry["character"] for entry in seats}
        assert played.record["first_leader"] == played.record["ring_holder"]


# Threats.

CAST2 = ["frodo", "sam", "merry"]
SILENT = [swap(1, 0, "F1", "F1"), swap(2, 0, "F2", "F2")]
DEALT2 = ["R1", "F1", "F2"]


def drawn(folder: Path, lost: str, value: int, *rejected: int) -> list[str]:
    """Return what is wrong with Sam's draw in chapter 2 when a card is lost."""
    steps = [gets(1, value, *rejected), *SILENT]
    return faults(folder, "2", prepared("2", CAST2, DEALT2, DEALT2, steps, lost, threat=[None, value, None]))


def test_sam_draws_again_when_the_hill_of_his_threat_is_lost(tmp_path: Path) -> None:
    assert drawn(tmp_path, "H3", 1, 3) == []
    assert drawn(tmp_path, "H3", 2) == []
    assert drawn(tmp_path, "H3", 3) == ["seat 1: threat 3 / draws again: the card is lost"]


@pytest.mark.parametrize("lost", ["M3", "F3", "S3", "R3", "H4"])
def test_sam_keeps_his_threat_when_another_card_is_lost(lost: str, tmp_path: Path) -> None:
    assert drawn(tmp_path, lost, 3) == []
    assert drawn(tmp_path, lost, 1, 3) == ["seat 1: threat 3 / keeps it: no lost card makes it void"]


def test_a_threat_drawn_again_is_out_of_the_round(tmp_path: Path) -> None:
    cast = ["frodo", "sam", "farmer_maggot", "gildor_inglorion"]
    dealt = ["R1", "F1", "F2", "F3"]
    steps = [gets(1, 1, 3), swap(1, 0, "F1", "F1"), gets(2, 3), swap(3, 0, "F3", "F3")]
    record = prepared("3", cast, dealt, dealt, steps, "H3", threat=[None, 1, 3, None])
    assert faults(tmp_path, "3", record) == ["seat 2: draws threat 3 / threats left: [2, 4]"]
    record["assumptions"] = {"A14": "shuffled_back"}
    assert faults(tmp_path, "3", record) == []


@pytest.mark.parametrize("lost", ["H3", "M3", "R3"])
def test_maggot_never_draws_again(lost: str, tmp_path: Path) -> None:
    cast = ["frodo", "farmer_maggot", "gildor_inglorion"]
    dealt = ["R1", "F1", "F2"]
    for rejected, found in (([], []), ([3], ["seat 1: threat 3 / keeps it: no lost card makes it void"])):
        value = 1 if rejected else 3
        steps = [gets(1, value, *rejected), swap(2, 0, "F2", "F2")]
        record = prepared("3", cast, dealt, dealt, steps, lost, threat=[None, value, None])
        assert faults(tmp_path, "3", record) == found


TAKEN = {"seat": 1, "action": "take_lost", "cards": ["H3"]}


def test_a_lost_card_that_gandalf_has_taken_makes_no_threat_void(tmp_path: Path) -> None:
    cast = ["frodo", "gandalf", "sam", "merry"]
    dealt, at_play = ["R1", "F1", "F2", "F3"], ["R1", "F1 H3", "F2", "F3"]
    steps = [TAKEN, swap(1, 0, "F1", "F1"), gets(2, 3), swap(2, 0, "F2", "F2"), swap(3, 0, "F3", "F3")]
    assert faults(tmp_path, "2", prepared("2", cast, dealt, at_play, steps, "H3", threat=[None, None, 3, None])) == []


def test_a_lost_card_that_gandalf_takes_later_makes_a_threat_void(tmp_path: Path) -> None:
    cast = ["frodo", "sam", "gandalf", "merry"]
    dealt, at_play = ["R1", "F1", "F2", "F3"], ["R1", "F1", "F2 H3", "F3"]
    steps = [swap(1, 0, "F1", "F1"), TAKEN | {"seat": 2}, swap(2, 0, "F2", "F2"), swap(3, 0, "F3", "F3")]
    for draw, found in ((gets(1, 1, 3), []), (gets(1, 3), ["seat 1: threat 3 / draws again: the card is lost"])):
        record = prepared("2", cast, dealt, at_play, [draw, *steps], "H3", threat=[None, draw["value"], None, None])
        assert faults(tmp_path, "2", record) == found


# The lost card and exchanges.

CAST1 = ["frodo", "gandalf", "bilbo", "pippin"]


def test_gandalf_takes_the_lost_card_before_he_exchanges(tmp_path: Path) -> None:
    dealt = ["R1 R2", "F1", "F2", "F3"]
    last = swap(3, 0, "F3", "F3")
    steps = [TAKEN, swap(1, 0, "H3", "R2"), last]
    assert faults(tmp_path, "1", prepared("1", CAST1, dealt, ["R1 H3", "F1 R2", "F2", "F3"], steps, "H3")) == []
    kept = [swap(1, 0, "F1", "R2"), last]
    record = prepared("1", CAST1, dealt, ["R1 F1", "R2", "F2", "F3"], kept, "H3")
    assert faults(tmp_path, "1", record) == ["seat 1: seat 1 does exchange / seat 1 does take_lost"]
    record["assumptions"] = {"A12": "optional"}
    assert faults(tmp_path, "1", record) == []


@pytest.mark.parametrize("players", PLAYERS)
def test_gandalf_holds_a_card_at_the_end(players: int) -> None:
    seen = 0
    for played in rounds("1", players, "random", 60):
        for entry, left in zip(played.record["seats"], played.record["left"], strict=True):
            assert len(left) == (entry["character"] == "gandalf")
            seen += len(left)
        assert len(played.record["tricks"]) == (9 if players in (1, 4) else 12)
    assert seen > 10


def test_gandalf_who_leaves_the_lost_card_holds_none_at_the_end() -> None:
    scenario = chapter("1", (("A12", "optional"),))
    taken = set()
    for deal in range(20):
        record = play(scenario, 4, "random", deal).record
        seat = [entry["character"] for entry in record["seats"]].index("gandalf")
        took = any(step["action"] == "take_lost" for step in record["setup"])
        assert (len(record["left"][seat]), record["lost_at_play"]) == ((1, []) if took else (0, record["lost"]))
        taken.add(took)
    assert taken == {True, False}


def test_frodo_does_not_pass_the_one_ring(tmp_path: Path) -> None:
    steps = [swap(1, 0, "F1", "R1"), swap(2, 0, "F2", "F2")]
    record = prepared("2", CAST2, DEALT2, ["F1", "R1", "F2"], [gets(1, 1), *steps], "M8", threat=[None, 1, None])
    found = faults(tmp_path, "2", record)
    assert len(found) == 1
    assert found[0].startswith("seat 0: passes R1 / may pass ")


def test_the_receiver_may_pass_the_same_card_back_or_any_other(tmp_path: Path) -> None:
    for back, after in (("F1", DEALT2), ("R5", ["R1 F1", "R5", "F2"])):
        dealt = ["R1 R5", "F1", "F2"]
        at_play = [after[0] if back == "R5" else "R1 R5", *after[1:]]
        steps = [gets(1, 1), swap(1, 0, "F1", back), swap(2, 0, "F2", "F2")]
        assert faults(tmp_path, "2", prepared("2", CAST2, dealt, at_play, steps, "M8", threat=[None, 1, None])) == []


def test_exchanges_go_to_the_partners_of_the_card_only(tmp_path: Path) -> None:
    cast = ["frodo", "gandalf", "bilbo", "pippin"]
    dealt = ["R1", "F1", "F2", "F3"]
    steps = [TAKEN, swap(1, 2, "F1", "F1"), swap(3, 0, "F3", "F3")]
    record = prepared("1", cast, dealt, ["R1", "F1 H3", "F2", "F3"], steps, "H3")
    assert faults(tmp_path, "1", record) == ["seat 1: exchanges with seat 2 / may exchange with seats [0]"]


def test_maggot_has_nobody_to_exchange_with_among_three() -> None:
    for players in (2, 3):
        for played in rounds("3", players, "random", 60):
            seats = [entry["character"] for entry in played.record["seats"]]
            maggot = seats.index("farmer_maggot")
            actions = [step["action"] for step in played.record["setup"] if step["seat"] == maggot]
            assert actions == ["threat", "no_exchange"]


# Fatty's gifts.


@pytest.mark.parametrize(("players", "tricks", "fattys"), [(1, 10, 6), (2, 13, 10), (3, 13, 10), (4, 10, 6)])
def test_fattys_gifts_make_the_round_longer_and_his_part_of_it_shorter(players: int, tricks: int, fattys: int) -> None:
    for played in rounds("4", players, "random", 60):
        record = played.record
        fatty = [entry["character"] for entry in record["seats"]].index("fatty_bolger")
        assert len(record["tricks"]) == tricks
        there = [number for number, entry in enumerate(record["tricks"]) if fatty in [seat for seat, _ in entry["plays"]]]
        assert there == list(range(fattys))
        gifts = [(step["to"], step["card"]) for step in record["setup"] if step["action"] == "donate"]
        assert sorted(to for to, _ in gifts) == [seat for seat in range(len(record["seats"])) if seat != fatty]
        assert all(not left for left in record["left"])


def test_the_lead_of_a_fatty_without_cards_goes_to_his_left() -> None:
    passed = 0
    for players in (3, 4):
        for played in rounds("4", players, "random", 60):
            record = played.record
            seats = len(record["seats"])
            fatty = [entry["character"] for entry in record["seats"]].index("fatty_bolger")
            last = max(number for number, entry in enumerate(record["tricks"]) if fatty in [seat for seat, _ in entry["plays"]])
            if record["tricks"][last]["winner"] == fatty:
                assert record["tricks"][last + 1]["leader"] == (fatty + 1) % seats
                passed += 1
    assert passed > 3
