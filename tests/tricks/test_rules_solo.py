"""Examples of the solo rules: four open hands, refills, one character's exchange a round, Fatty's nine cards."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from .games import CHAPTERS, Record, chapter, check, judge, play, rounds

DEALS = 60


@pytest.mark.parametrize("label", CHAPTERS)
def test_four_hands_of_four_the_one_ring_in_one_and_twenty_to_draw(label: str) -> None:
    holders = set()
    for played in rounds(label, 1, "random", DEALS):
        record = played.record
        assert [len(entry["dealt"]) for entry in record["seats"]] == [4, 4, 4, 4]
        assert (len(record["draw_order"]), len(record["lost"])) == (20, 1)
        cards = [*chain(*(entry["dealt"] for entry in record["seats"])), *record["draw_order"], *record["lost"]]
        assert sorted(cards) == sorted(chapter(label).cards)
        holders.add(record["ring_holder"])
    assert holders == {0, 1, 2, 3}


@pytest.mark.parametrize("label", CHAPTERS)
def test_one_character_exchanges_in_a_round(label: str, tmp_path: Path) -> None:
    chosen = set()
    for played in rounds(label, 1, "random", DEALS):
        steps = played.record["setup"]
        exchanging = {step["seat"] for step in steps if step["action"] == "exchange"}
        assert exchanging <= {played.record["solo_exchanger"]}
        assert len(exchanging) == (played.record["solo_exchanger"] is not None)
        chosen |= {played.record["seats"][seat]["character"] for seat in exchanging}
    assert len(chosen) >= 2


def test_a_second_character_may_not_exchange(tmp_path: Path) -> None:
    for deal in range(20):
        record = play(chapter("2"), 1, "random", deal).record
        idle = [step for step in record["setup"] if step["action"] == "no_exchange"]
        exchange = next(step for step in record["setup"] if step["action"] == "exchange")
        at = record["setup"].index(idle[-1])
        seat = idle[-1]["seat"]
        name = record["seats"][seat]["character"]
        if name == "gandalf" or at < record["setup"].index(exchange):
            continue
        other = record["ring_holder"]
        card = next(c for c in record["seats"][seat]["hand"] if c not in (exchange["gave"], exchange["got"]))
        record["setup"][at] = {"seat": seat, "action": "exchange", "with": other, "gave": card, "got": card}
        found = check([record], tmp_path)[0]
        assert [difference.rules for difference in found] == [f"seat {exchange['seat']} has used the round's exchange"]
        assert judge(record, chapter("2")) != []
        return
    raise AssertionError("no deal has a character that exchanges after the chosen one")


def refills(record: Record) -> list[list[tuple[int, str]]]:
    """Return what was drawn after each trick."""
    return [[(seat, card) for seat, card in entry.get("draws", [])] for entry in record["tricks"]]


@pytest.mark.parametrize("label", ["1", "2", "3"])
def test_every_hand_draws_a_card_after_a_trick_while_there_are_some(label: str) -> None:
    for played in rounds(label, 1, "random", DEALS):
        drawn = refills(played.record)
        assert [[seat for seat, _ in one] for one in drawn] == [[0, 1, 2, 3]] * 5 + [[]] * 4
        assert [card for _, card in chain(*drawn)] == played.record["draw_order"]


def test_fatty_gets_five_cards_before_setup_and_none_later() -> None:
    for played in rounds("4", 1, "random", DEALS):
        record = played.record
        fatty = [entry["character"] for entry in record["seats"]].index("fatty_bolger")
        steps = [step for step in record["setup"] if step["action"] not in ("choose_solo_exchanger",)]
        assert (steps[0]["action"], steps[0]["seat"], len(steps[0]["cards"])) == ("solo_full_hand", fatty, 5)
        assert sorted(steps[0]["cards"]) == sorted(record["draw_order"][:5])
        assert [len(entry["hand"]) for seat, entry in enumerate(record["seats"]) if seat == fatty] == [6]
        assert [len(entry["hand"]) for seat, entry in enumerate(record["seats"]) if seat != fatty] == [5, 5, 5]
        others = [seat for seat in range(4) if seat != fatty]
        assert [[seat for seat, _ in one] for one in refills(record)] == [others] * 5 + [[]] * 5
        assert [card for _, card in chain(*refills(record))] == record["draw_order"][5:]


def test_gifts_and_threats_go_on_though_one_character_only_exchanges() -> None:
    for played in rounds("4", 1, "random", DEALS):
        actions = [step["action"] for step in played.record["setup"]]
        assert actions.count("donate") == 3
        drawing = [entry["character"] == "sam" for entry in played.record["seats"]]
        assert actions.count("threat") == sum(drawing)


@pytest.mark.parametrize("label", CHAPTERS)
def test_required_characters_come_first_where_that_is_assumed(label: str) -> None:
    required = {entry.character for entry in chapter(label).roster if entry.required}
    anywhere = 0
    for assume in ((), (("A21", "required_first"),)):
        for played in rounds(label, 1, "random", DEALS, assume):
            holder = played.record["ring_holder"]
            order = [played.record["seats"][(holder + step) % 4]["character"] for step in range(4)]
            first = set(order[: len(required)]) == required
            assert first or not assume
            anywhere += not first
    assert anywhere > 0


def test_frodo_needs_four_rings_alone() -> None:
    for played in rounds("1", 1, "random", DEALS):
        record = played.record
        frodo = record["ring_holder"]
        won = [card for entry in record["tricks"] if entry["winner"] == frodo for _, card in entry["plays"]]
        assert record["goals"][frodo] is (len([card for card in won if card[0] == "R"]) >= 4)
