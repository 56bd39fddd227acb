"""Examples of the goals of chapters 1 to 4, and of bounds: what can be said of a goal before the round is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.errors import UserError
from sim.tricks.table import FAILED, MET, OPEN

from .examples import differences, goal_met, told, trick
from .games import chapter, play
from .scenes import short, write

FOUR = (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("tricks", "met"),
    [
        ((4, 4, 4), True),  # all the same
        ((4, 2, 2), False),
        ((2, 2, 8), True),  # shares the fewest
        ((3, 2, 7), False),
        ((1, 5, 6), True),
        ((0, 6, 6), True),
        ((0, 0, 12), True),
        ((12, 0, 0), False),
    ],
)
def test_pippin_wins_the_fewest_tricks_or_as_few(tricks: tuple[int, ...], met: bool) -> None:
    assert goal_met(chapter("2"), 3, ["pippin", "sam", "merry"], tricks=tricks, threats=(0, 1, 0))[0] is met


@pytest.mark.parametrize(("tricks", "met"), [(0, False), (1, True), (2, True), (3, False), (9, False)])
def test_merry_wins_one_trick_or_two(tricks: int, met: bool) -> None:
    assert goal_met(chapter("2"), 3, ["merry", "pippin", "gandalf"], tricks=(tricks, 12 - tricks, 0))[0] is met


@pytest.mark.parametrize(("tricks", "met"), [(0, False), (1, True), (2, False)])
def test_fatty_wins_exactly_one_trick(tricks: int, met: bool) -> None:
    assert goal_met(chapter("4"), 3, ["fatty_bolger", "merry", "pippin"], tricks=(tricks, 13 - tricks, 0))[0] is met


@pytest.mark.parametrize(("name", "enough"), [("bilbo", 3), ("gandalf", 1)])
def test_bilbo_wins_three_tricks_and_gandalf_one_at_least(name: str, enough: int) -> None:
    for tricks in range(12):
        met = goal_met(chapter("1"), 3, [name, "pippin", "frodo"], tricks=(tricks, 12 - tricks, 0))[0]
        assert met is (tricks >= enough)


@pytest.mark.parametrize(("players", "enough"), [(1, 4), (2, 4), (3, 4), (4, 2)])
def test_frodo_wins_four_rings_or_with_four_people_two(players: int, enough: int) -> None:
    cast = ["frodo", "bilbo", "gandalf", "pippin"][: 4 if players in (1, 4) else 3]
    for count in range(6):
        rings = " ".join(f"R{rank}" for rank in range(5, 5 - count, -1))
        won = (rings + " H8 M8", "", "", "")
        assert goal_met(chapter("1"), players, cast, won=won, tricks=(3, 3, 3, 3))[0] is (count >= enough), rings


@pytest.mark.parametrize(("last", "met"), [("F1", True), ("F8", True), ("H8", False), ("R1", False), (None, False)])
def test_gildor_plays_a_forest_to_the_last_trick_and_need_not_win_it(last: str | None, met: bool) -> None:
    cast = ["gildor_inglorion", "frodo", "farmer_maggot"]
    verdicts = goal_met(chapter("3"), 3, cast, tricks=(0, 12, 0), last=(last, "F7", "F2", None), threats=(0, 0, 1, 0))
    assert verdicts[0] is met


@pytest.mark.parametrize(
    ("won", "met"),
    [
        ("H3", False),
        ("H3 S3", True),
        ("R3 F3", True),  # Rings have ranks too
        ("R3", False),
        ("H3 M3 F3 S3 R3", True),
        ("H2 M2 F4 S8", False),
    ],
)
def test_maggot_wins_two_cards_of_his_threats_rank_in_any_suits(won: str, met: bool) -> None:
    cast = ["farmer_maggot", "frodo", "gildor_inglorion"]
    assert goal_met(chapter("3"), 3, cast, won=(won, "", "", ""), tricks=(4, 4, 4), threats=(3, 0, 0, 0))[0] is met


@pytest.mark.parametrize(("won", "met"), [("H3", True), ("M3 F3 S3 R3", False), ("H2 H4", False), ("H1 H2 H3 H4", True)])
def test_sam_wins_the_hill_of_his_threat(won: str, met: bool) -> None:
    assert goal_met(chapter("2"), 3, ["sam", "frodo", "merry"], won=(won, "", "", ""), threats=(3, 0, 0, 0))[0] is met


def test_a_goal_of_the_winner_of_the_round_is_not_the_round(tmp_path: Path) -> None:
    for deal in range(40):
        record = play(chapter("3"), 3, "random", deal).record
        assert record["won"] is all(record["goals"])


# Bounds, by example.


def test_pippin_who_cannot_fall_behind_any_more_has_met_his_goal_early() -> None:
    """A verdict stands once nothing can change it; before that it is open."""
    early = 0
    for deal in range(60):
        played = play(chapter("1"), 4, "random", deal)
        seat = [entry["character"] for entry in played.record["seats"]].index("pippin")
        winners = [entry["winner"] for entry in played.record["tricks"]]
        for number, verdicts in enumerate(played.verdicts):
            won = [winners[:number].count(other) for other in range(4)]
            left = len(winners) - number
            others = [count for other, count in enumerate(won) if other != seat]
            if sum(max(0, won[seat] - count) for count in others) > left:
                assert verdicts[seat] == FAILED
            elif won[seat] + left <= min(others):
                assert verdicts[seat] == MET
                early += left > 0
            else:
                assert verdicts[seat] == OPEN
    assert early > 0


def test_who_leads_in_forests_can_still_be_overtaken_in_one_trick(tmp_path: Path) -> None:
    """The elf has three Forests, the others none; the last trick holds three more, and they all go to the man: a tie."""
    file = tmp_path / "forests.toml"
    easy = {"goal": [{"measure": "tricks", "at_least": 0}]}
    most = {"goal": [{"measure": "cards", "cards": "F", "compare": "most"}]}
    scenario = write(
        file, ["elf", "dwarf", "man"], {"elf": most, "dwarf": easy, "man": easy},
        deck=["H1", "H3-4", "M1-4", "F1-7", "R1-3"], deal={3: {"seats": 3, "hand": 5, "lost": 2}},
    )  # fmt: skip
    seats = [("elf", "R1 H4 H3 M4 F5"), ("dwarf", "F1 R2 M1 M2 F6"), ("man", "F2 F3 M3 R3 F7")]
    tricks = ["0: H4 F1 F2 > 0", "0: H3 R2 F3 > 0", "0: M4 M1 M3 > 0", "0: R1! M2 R3 > 0", "0: F5 F6 F7 > 2"]
    record = told(scenario, 3, seats, [trick(text) for text in tricks], [False, True, True])
    assert differences(record, scenario, tmp_path, file) == []


def test_a_goal_over_kept_cards_is_decided_at_the_end_also_with_two_of_them(tmp_path: Path) -> None:
    keeper = {"goal": [{"measure": "kept_suit", "at_least": 2}], "setup": [{"do": "take_lost"}]}
    easy = {"goal": [{"measure": "tricks", "at_least": 0}]}
    cast = {"tom": keeper, "dick": easy, "harry": easy, "will": easy}
    scenario = short(tmp_path / "kept.toml", ["tom*", "dick", "harry", "will"], cast)
    for deal in range(30):
        played = play(scenario, 3, "random", deal)
        assert OPEN not in played.verdicts[-1]


def test_a_streak_that_may_still_be_broken_is_not_met(tmp_path: Path) -> None:
    keen = {"goal": [{"measure": "streak", "at_most": 9}]}
    scenario = short(tmp_path / "streak.toml", ["ann", "ben", "cy", "dan"], dict.fromkeys(["ann", "ben", "cy", "dan"], keen))
    for deal in range(30):
        played = play(scenario, 3, "random", deal)
        winners = [entry["winner"] for entry in played.record["tricks"]]
        for seat, goal in enumerate(played.record["goals"]):
            won = [number for number, winner in enumerate(winners) if winner == seat]
            assert goal is (won == list(range(won[0], won[-1] + 1)) if won else True)


def test_a_card_set_with_and_without_the_threat_is_refused_and_not_misread(tmp_path: Path) -> None:
    mixed = {
        "goal": [{"measure": "cards", "cards": ["H{threat}", "R1"], "at_least": 2}],
        "setup": [{"do": "draw_threat"}],
    }
    easy = {"goal": [{"measure": "tricks", "at_least": 0}]}
    cast = {"ann": mixed, "ben": easy, "cy": easy, "dan": easy}
    with pytest.raises(UserError, match="mixes .threat. with fixed cards"):
        play(short(tmp_path / "mixed.toml", ["ann*", "ben", "cy", "dan"], cast), 3, "random", 0)


def test_the_last_tricks_of_every_seat_are_refused_and_not_misread(tmp_path: Path) -> None:
    shared = {"goal": [{"measure": "tricks", "last": 3, "of": "each", "at_least": 1}]}
    easy = {"goal": [{"measure": "tricks", "at_least": 0}]}
    cast = {"ann": shared, "ben": easy, "cy": easy, "dan": easy}
    with pytest.raises(UserError, match="last: allowed for the character itself"):
        short(tmp_path / "shared.toml", ["ann*", "ben", "cy", "dan"], cast)
