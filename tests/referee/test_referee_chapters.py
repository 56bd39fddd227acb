"""Worked examples of the rules' chapters: sizes, tricks, leaders, setup; each with the section that says so."""

from __future__ import annotations

import random
from typing import Any

import pytest

from .assumptions import DEFAULTS, chosen
from .chapters import FORCED, GROUPS, Chapter, chapter
from .play import play
from .preparation import DifferenceError, Setup
from .referee import check_reveal
from .table import Hand, Table

KINDS: list[tuple[int, str | None, str | None]] = [
    *[(number, None, None) for number in range(1, 18) if number != 14],
    *[(14, event, None) for event in FORCED],
    *[(18, None, group) for group in GROUPS],
]


@pytest.mark.parametrize(("number", "event", "group"), KINDS)
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_every_deal_divides_evenly(number: int, event: str | None, group: str | None, players: int) -> None:
    """Section 2.1, all rows."""
    sheet = chapter(number, players, DEFAULTS, event, group)
    assert len(sheet.deck) == sheet.seats * sheet.hand + sheet.lost + sheet.draw_deck + sheet.barrow
    assert sum(sheet.pyramid) == (sheet.hand if players == 2 else 0)
    assert len(sheet.starred) <= sheet.seats <= len(sheet.roster)


TRICKS = {
    # Section 2.1 and the sections of the chapters: tricks with one person, two, three, four.
    1: (9, 12, 12, 9),
    4: (10, 13, 13, 10),
    5: (7, 9, 9, 7),
    6: (8, 9, 9, 8),
    9: (9, 12, 12, 9),
    12: (9, 12, 12, 9),
    16: (9, 12, 12, 9),
    17: (11, 14, 14, 11),
    18: (11, 14, 14, 11),
}


@pytest.mark.parametrize("number", TRICKS)
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_how_many_tricks_a_round_has(number: int, players: int) -> None:
    for at in range(4):
        record = play(number, players, random.Random(f"{number} {players} {at}"))
        assert len(record["tricks"]) == TRICKS[number][players - 1]
        for seat, entry in enumerate(record["seats"]):
            played = sum(seat == player for trick in record["tricks"] for player, _ in trick["plays"])
            # Section 9: Fatty is in the first 10 tricks of three seats, the first 6 of four; alone he has 9 cards and gives 3.
            if entry["character"] == "fatty_bolger":
                assert played == {1: 6, 2: 10, 3: 10, 4: 6}[players]
            # Sections 10 and 11: Tom keeps the lost cards, or five.
            if entry["character"] == "tom_bombadil":
                assert len(record["left"][seat]) == (5 if number == 6 else {1: 1, 2: 2, 3: 2, 4: 1}[players])


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_bridge_is_short_and_gandalf_keeps_what_was_lost(players: int) -> None:
    """Section 19."""
    for at in range(4):
        record = play(14, players, random.Random(f"{players} {at}"), "bridge_of_khazad_dum")
        assert len(record["tricks"]) == (7 if players in (1, 4) else 9)
        gandalf = [entry["character"] for entry in record["seats"]].index("gandalf_servant")
        assert len(record["left"][gandalf]) == (1 if players in (1, 4) else 2)
        assert all(len(trick["reveal"]) == (3 if players in (1, 4) else 2) for trick in record["tricks"])


# Tricks.


def table(sheet: Chapter, names: list[str], hands: list[str], **more: Any) -> Table:
    """Return a table at which nothing was played yet."""
    count = len(names)
    values: dict[str, Any] = {
        "threats": [None] * count,
        "hands": [Hand(cards.split()) for cards in hands],
        "retained": [0] * count,
        "tucked": [None] * count,
        "draw_deck": [],
        "first_leader": 0,
        "forest": list(sheet.forest),
    }
    return Table(chapter=sheet, keys=names, **values | more)


def plays(cards: str) -> list[tuple[int, str]]:
    """Return plays from seat 0 on."""
    return list(enumerate(cards.split()))


FOREST = table(chapter(5, 3, DEFAULTS), ["frodo", "tom_bombadil", "sam"], ["", "", ""])
RIVER = table(chapter(17, 3, DEFAULTS), ["frodo", "sam", "merry"], ["V1 R2", "", ""])
LAST = table(chapter(18, 3, DEFAULTS), ["frodo", "samwise_gamgee", "boromir_son_of_denethor"], ["", "", ""])


@pytest.mark.parametrize(
    ("at", "cards", "declared", "reveal", "winner"),
    [
        # Section 10: as high as the revealed card is enough; lower is not.
        (FOREST, "H4 H5 M8", False, "F5", 1),
        (FOREST, "H4 H5 M8", False, "F6", None),
        (FOREST, "H4 H5 M8", False, "F1", 1),
        (FOREST, "H8 H5 M8", False, "F9", None),
        # A declared 1 of Rings is immune, an undeclared one is a 1.
        (FOREST, "H4 H5 R1", True, "F9", 2),
        (FOREST, "H4 H5 R1", False, "F4", 1),
        (FOREST, "R1 H5 M8", False, "F2", None),
        # Section 22: Rivers trump, the highest of them, whatever was led; only a declared 1 of Rings beats them.
        (RIVER, "H8 V1 H7", False, None, 1),
        (RIVER, "H8 V1 V3", False, None, 2),
        (RIVER, "V2 H8 V1", False, None, 0),
        (RIVER, "H8 V1 R1", True, None, 2),
        (RIVER, "H8 V1 R1", False, None, 1),
        # Section 23: no trump there.
        (LAST, "H2 V8 H1", False, None, 0),
        (LAST, "V2 H8 V3", False, None, 2),
        # Section 2.4: Rings 2 to 5 have no power; the declared 1 wins over what comes later too.
        (LAST, "H2 R5 H1", False, None, 0),
        (LAST, "H2 R1 H8", True, None, 1),
        (LAST, "H2 R1 H8", False, None, 2),
    ],
)
def test_who_wins_a_trick(at: Table, cards: str, declared: bool, reveal: str | None, winner: int | None) -> None:
    assert at.winner(plays(cards), declared, reveal) == winner


def test_rivers_may_be_led_at_once_and_rings_only_after_one_was_played() -> None:
    """Sections 22 and 2.4."""
    position = table(RIVER.chapter, RIVER.keys, ["V1 R2 H1", "R3", "H2"])
    assert position.legal(0, []) == ["V1", "H1"]
    position.finish_trick(plays("H1 R3 H2"), 0)
    assert position.legal(0, []) == ["V1", "R2"]
    only_rings = table(RIVER.chapter, RIVER.keys, ["R1 R2", "R3", "H2"])
    assert only_rings.legal(0, []) == ["R1", "R2"]


def test_rivers_need_not_be_played_on_other_suits_but_follow_each_other() -> None:
    """Section 22: to follow suit is unchanged."""
    position = table(RIVER.chapter, RIVER.keys, ["H8 V1", "H1 V2 M3", "V3 M4"])
    assert position.legal(1, [(0, "H8")]) == ["H1"]
    assert position.legal(1, [(0, "V1")]) == ["V2"]
    assert position.legal(2, [(0, "H8")]) == ["V3", "M4"]


@pytest.mark.parametrize(("option", "leader"), [("same", 1), ("left", 2)])
def test_who_leads_after_willow(option: str, leader: int) -> None:
    """Section 10; A16."""
    position = table(FOREST.chapter, FOREST.keys, ["H1 S1", "H2 S2", "H3 S3"], first_leader=1, settings=chosen({"A16": option}))
    position.finish_trick([(1, "H2"), (2, "H3"), (0, "H1")], None, ["F9"], 1)
    assert position.leaders() == [leader]
    assert "F9" not in position.forest


def test_the_next_on_the_left_leads_for_an_empty_hand() -> None:
    """Section 9: Fatty wins with his last card."""
    sheet = chapter(4, 4, DEFAULTS)
    position = table(sheet, ["frodo", "fatty_bolger", "merry", "sam"], ["H1 S1", "H8", "H2 S2", "H3 S3"])
    position.finish_trick(plays("H1 H8 H2 H3"), 1)
    assert position.leaders() == [2]
    assert position.turn_order(2) == [2, 3, 0]


def test_bilbo_baggins_names_who_leads_when_he_won() -> None:
    """Section 3."""
    sheet = chapter(10, 3, DEFAULTS)
    position = table(sheet, ["elrond", "bilbo_baggins", "gloin"], ["H1 S1", "H8 S8", "H2 S2"])
    position.finish_trick(plays("H1 H8 H2"), 1)
    assert position.leaders() == [0, 1, 2]
    position.finish_trick([(1, "S8"), (2, "S2"), (0, "S1")], 0)
    assert position.over()


def test_gandalf_on_the_bridge_plays_and_leads_anything() -> None:
    """Section 3."""
    sheet = chapter(14, 3, DEFAULTS, "bridge_of_khazad_dum")
    position = table(sheet, ["frodo", "gandalf_servant", "sam"], ["H1", "H8 R2 M3", "H2"])
    assert position.legal(1, [(0, "H1")]) == ["H8", "R2", "M3"]
    assert position.legal(1, []) == ["H8", "R2", "M3"]


@pytest.mark.parametrize(("option", "gandalf", "winner"), [("yes", ["F3"], 2), ("no", ["H8", "F3"], 0)])
def test_radagasts_first_card_and_the_suit_led(option: str, gandalf: list[str], winner: int) -> None:
    """Section 17; A3: it lies first; whether it has to be followed is the question."""
    sheet, names = chapter(12, 3, DEFAULTS), ["gandalf", "shadowfax", "radagast"]
    position = table(sheet, names, ["H8 F3", "H2 S1", "S5"], preplayed=[None, None, "F7"], reserved=[None, None, "R4"])
    position.settings = chosen({"A3": option})
    assert position.turn_order(0) == [2, 0, 1]
    assert position.legal(2, []) == ["F7"]
    assert position.legal(0, [(2, "F7")]) == gandalf
    led = gandalf[0]
    assert position.winner([(2, "F7"), (0, led), (1, "H2")], False) == winner
    position.finish_trick([(2, "F7"), (0, led), (1, "H2")], winner, None, 0)
    assert position.legal(2, []) == ["S5"]
    position.finish_trick([(2, "S5"), (0, position.hands[0].cards[0]), (1, "S1")], 2)
    assert position.legal(2, [(0, "H1")]) == ["R4"]


def test_a_ring_that_radagast_laid_opens_rings_for_gandalf() -> None:
    """Section 17: the token flips."""
    sheet, names = chapter(12, 3, DEFAULTS), ["gandalf", "shadowfax", "radagast"]
    for card, legal in (("R2", ["R5", "H1"]), ("H2", ["H1"])):
        position = table(sheet, names, ["R5 H1", "S1", "S2"], preplayed=[None, None, card], settings=chosen({"A3": "no"}))
        assert position.legal(0, [(2, card)]) == legal


# Curses (section 3) and the Balrog (section 19).


@pytest.mark.parametrize(
    ("number", "names", "tricks", "broken"),
    [
        (8, ["frodo", "merry", "strider"], [(1, "H1 H8 H2")], [(1, "black_breath", 1)]),
        (8, ["frodo", "merry", "strider"], [(0, "H8 H1 H2"), (1, "M1 M3 M2")], []),
        (8, ["frodo", "merry", "strider"], [(1, "H1 H3 H2"), (1, "M1 M2 F8")], [(1, "black_breath", 2)]),
        # A Ring that Frodo leads, not one that he plays; it is so also when he holds nothing else.
        (8, ["frodo", "merry", "strider"], [(0, "R2 H1 H2")], [(0, "morgul_knife", 1)]),
        (9, ["sam", "glorfindel", "strider"], [(1, "H1 H3 H2")], [(0, "terror", 1)]),
        (9, ["strider", "glorfindel", "sam"], [(2, "H1 H3 H5")], []),
        # Without the curse the same is nothing.
        (7, ["sam", "mr_underhill", "barliman_butterbur"], [(1, "H1 H3 H2")], []),
    ],
)
def test_curses(number: int, names: list[str], tricks: list[tuple[int, str]], broken: list[tuple[int, str, int]]) -> None:
    position = table(chapter(number, 3, DEFAULTS), names, [" ".join(t.split()[s] for _, t in tricks) for s in range(3)])
    for winner, cards in tricks:
        position.finish_trick(plays(cards), winner)
    assert position.curses_broken() == broken


def test_the_balrog_deck_is_shuffled_whole_when_it_runs_out() -> None:
    """Section 19: after four tricks of two cards one is left; the fifth shows it and one of nine again."""
    sheet = chapter(14, 3, DEFAULTS, "bridge_of_khazad_dum")
    position = table(sheet, ["frodo", "gandalf_servant", "sam"], ["", "", ""])
    found: list[str] = []
    left: list[str] = []
    for cards in ("S1 S2", "S3 S4", "S5 S6", "S7 S8", "B5 B5", "S1 S2"):
        left = check_reveal(position, {"reveal": cards.split()}, "trick", left, found)
    assert found == []
    check_reveal(position, {"reveal": ["B5", "S3"]}, "trick 7", left, found)
    assert found == ["trick 7: B5 is revealed; left of the Balrog deck are ['S3', 'S4', 'S5', 'S6', 'S7', 'S8']"]


# Setup.


def setup(
    number: int, players: int, names: list[str], dealt: list[str], lost: str, steps: list[dict[str, Any]], **more: Any
) -> Setup:
    """Return setup after all steps, of hands that need not be whole."""
    settings = chosen({"A13": "left_of_holder"})
    event = more.pop("event", None)
    group = more.pop("group", None)
    seats = [{"character": name, "dealt": cards.split()} for name, cards in zip(names, dealt, strict=True)]
    record = {"players": players, "seats": seats, "lost": lost.split(), "setup": steps, **more}
    done = Setup(record, chapter(number, players, settings, event, group), settings)
    done.run()
    return done


def test_elrond_has_cards_passed_to_the_right() -> None:
    """Section 15: the right neighbour is the seat before."""
    gave = {"0": {"2": "H1"}, "1": {"0": "M1"}, "2": {"1": "F1"}}
    steps = [{"action": "pass_right", "gave": gave}]
    done = setup(10, 3, ["elrond", "bilbo_baggins", "gandalf"], ["H1 R1", "M1", "F1"], "", steps)
    assert [hand.cards for hand in done.hands] == [["R1", "M1"], ["F1"], ["H1"]]


def test_a_card_that_gandalf_took_makes_no_number_void() -> None:
    """Section 2.6: the lost card counts at the moment of the draw."""
    names, hands = ["frodo", "gandalf", "sam"], ["R1 S1", "M1", "F1"]
    take = [
        {"seat": 1, "action": "take_lost", "cards": ["H3"]},
        {"seat": 1, "action": "exchange", "with": 0, "gave": "M1", "got": "M1"},
    ]
    exchange = [{"seat": 2, "action": "exchange", "with": 0, "gave": "F1", "got": "F1"}]
    kept, again = ({"seat": 2, "action": "threat", "value": value, "rejected": no} for value, no in ((3, []), (1, [3])))
    assert setup(2, 3, names, hands, "H3", [*take, kept, *exchange]).threats[2] == 3
    with pytest.raises(DifferenceError, match="threat 3 is drawn again, but lost are"):
        setup(2, 3, names, hands, "H3", [*take, again, *exchange])
    # Sam before Gandalf: the Hill still lies lost.
    other = ["frodo", "sam", "gandalf"]
    turned = [step | {"seat": 3 - step["seat"]} for step in (again, *exchange, *take)]
    assert setup(2, 3, other, ["R1 S1", "F1", "M1"], "H3", turned).threats[1] == 1
    turned[0] = kept | {"seat": 1}
    with pytest.raises(DifferenceError, match="threat 3 has to be drawn again"):
        setup(2, 3, other, ["R1 S1", "F1", "M1"], "H3", turned)


@pytest.mark.parametrize(("lost", "void"), [("H3", True), ("S3", True), ("M3", False), ("H4", False)])
def test_both_cards_of_the_burdened_samwise_have_to_be_there(lost: str, void: bool) -> None:
    """Section 2.6: rank and one of the suits that the goal names."""
    names, hands = ["frodo", "boromir_son_of_denethor", "samwise_gamgee"], ["R1 S1", "M1", "F1"]
    exchange = {"seat": 1, "action": "exchange", "with": 2, "gave": "M1", "got": "M1"}
    for value, rejected, right in ((3, [], not void), (1, [3], void)):
        steps = [exchange, {"seat": 2, "action": "threat", "value": value, "rejected": rejected}]
        if right:
            assert setup(18, 3, names, hands, lost, steps, group="first_group").threats[2] == value
        else:
            with pytest.raises(DifferenceError, match="drawn again"):
                setup(18, 3, names, hands, lost, steps, group="first_group")


def test_exchanges_in_the_dark_use_no_card_twice() -> None:
    """Section 19: what somebody only gets cannot be given."""
    names, hands = ["frodo", "aragorn", "sam"], ["R1 S1 S2", "M1 M2", "F1 F2"]
    steps: list[dict[str, Any]] = [
        {"seat": 1, "action": "choose_threat", "value": 2},
        {"seat": 2, "action": "threat", "value": 3, "rejected": []},
        {"action": "long_dark", "plans": [[1, 2, "M1"], [2, 0, "F1"]], "returns": [[2, 1, "F2"], [0, 2, "S2"]]},
    ]
    done = setup(14, 3, names, hands, "H8", steps, event="long_dark")
    assert [sorted(hand.cards) for hand in done.hands] == [["F1", "R1", "S1"], ["F2", "M2"], ["M1", "S2"]]
    steps[2]["returns"][0][2] = "M1"
    with pytest.raises(DifferenceError, match="seat 2: gives"):
        setup(14, 3, names, hands, "H8", steps, event="long_dark")


def test_the_mirror_shows_four_cards_at_a_time() -> None:
    """Section 21: one card to each other player, after four cards and after eight."""
    names = ["galadriel", "celeborn", "frodo"]
    hands = ["H1 H2 H3 H4 H5 H6 H7 H8 R2 R3 R4 R5", "M1 M2 M3 M4 M5 M6 M7 M8 F1 F2 F3 F4", "S1 S2 S3 R1 S5 S6 S7 S8 F5 F6 F7 F8"]
    first = {"0": {"1": "H1", "2": "H2"}, "1": {"0": "M1", "2": "M2"}, "2": {"0": "S1", "1": "S2"}}
    second = {"0": {"1": "M1", "2": "H8"}, "1": {"0": "M8", "2": "H1"}, "2": {"0": "S3", "1": "S8"}}
    steps: list[dict[str, Any]] = [
        {"action": "mirror_pass", "stage": 1, "gave": first},
        {"action": "mirror_pass", "stage": 2, "gave": second},
        {"seat": 0, "action": "exchange_lost", "gave": "R2", "got": "S4"},
        {"seat": 1, "action": "exchange", "with": 0, "gave": "F1", "got": "F1"},
    ]
    done = setup(16, 3, names, hands, "S4", steps)
    assert sorted(done.hands[0].cards) == sorted("H3 H4 H5 H6 H7 M8 S1 S3 R3 R4 R5 S4".split())
    assert sorted(done.hands[2].cards) == sorted("H1 H2 H8 M2 R1 S5 S6 S7 F5 F6 F7 F8".split())
    first["2"]["0"] = "R1"
    with pytest.raises(DifferenceError, match="seat 2: gives"):
        setup(16, 3, names, hands, "S4", steps)


def test_the_wraith_neither_asks_nor_is_asked() -> None:
    """Section 14: Pippin is left out of Glorfindel's exchange."""
    names, hands = ["glorfindel", "pippin", "merry"], ["S1 S2", "M1", "F1 R1"]
    gave = {"0": {"2": "S1"}, "2": {"0": "F1"}}
    steps: list[dict[str, Any]] = [
        {"seat": 0, "action": "take_lost", "cards": ["H8"]},
        {"seat": 0, "action": "simultaneous_exchange", "with": [2], "gave": gave},
    ]
    done = setup(9, 3, names, hands, "H8", steps)
    assert [sorted(hand.cards) for hand in done.hands] == [["F1", "H8", "S2"], ["M1"], ["R1", "S1"]]
    steps.append({"seat": 1, "action": "exchange", "with": 2, "gave": "M1", "got": "M1"})
    with pytest.raises(DifferenceError, match="is not due"):
        setup(9, 3, names, hands, "H8", steps)


def test_a_pyramid_of_nine_and_of_fourteen() -> None:
    """Section 5: a card is free when neither card below it is left."""
    for players, number, rows in ((2, 5, [4, 3, 2]), (2, 17, [5, 4, 3, 2]), (2, 1, [5, 4, 3])):
        sheet = chapter(number, players, DEFAULTS)
        assert sheet.pyramid == rows
        hand = Hand([], {(row, col): f"H{10 * row + col}" for row, length in enumerate(rows) for col in range(length)})
        assert hand.uncovered() == [f"H{col}" for col in range(rows[0])]
        hand.remove("H0")
        assert "H10" not in hand.uncovered()
        hand.remove("H1")
        assert "H10" in hand.uncovered()
