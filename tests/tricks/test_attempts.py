"""Long chapters: who has to be completed, which rounds come when, the Mithril Shirt, what a lost attempt leads to."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import scenarios
from scenarios.errors import UserError
from sim.core import dataset
from sim.core.runs import RunSpec, execute
from sim.tricks.batch import play_columns, to_frames
from sim.tricks.library import build_cells
from sim.tricks.plan import compile_plan
from sim.tricks.replay import Replay

from .attempts_table import Group

SEED = 11
LEAST = {"9": (3, 2), "13": (4, 3), "14": (5, 4), "17": (4, 3), "18": (2, 2)}
"""Rounds at least, with three seats and with four (derived in the chapters' notes)."""


def seats_of(players: int) -> int:
    return 4 if players in (1, 4) else 3


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("chapter", list(scenarios.chapters()))
def test_a_group_that_wins_everything_takes_no_more_rounds_than_it_must(chapter: str, players: int) -> None:
    least = LEAST.get(chapter, (1, 1))[seats_of(players) - 3]
    for luck in range(12 if chapter in LEAST else 1):
        assert Group(chapter, players, luck=luck).win_all() == least


@pytest.mark.parametrize(("players", "rounds"), [(1, 27), (2, 31), (3, 31), (4, 27)])
def test_the_book_takes_31_rounds_with_three_seats_and_27_with_four(players: int, rounds: int) -> None:
    assert sum(Group(chapter, players).win_all() for chapter in scenarios.chapters()) == rounds


def test_the_plan_is_no_rule_of_the_game() -> None:
    group = Group("13", 3)
    for _ in range(6):
        assert group.play(wanted=["frodo", "sam", "merry"])
    assert group.completed == {"frodo", "sam", "merry"}
    assert not group.over


@pytest.mark.parametrize("luck", range(8))
def test_frodo_succeeds_once_in_chapter_9(luck: int) -> None:
    group = Group("9", 3, luck=luck)
    group.win_all()
    casts = [set(cast) for cast in group.casts]
    assert all("glorfindel" in cast for cast in casts)
    assert sum("frodo" in cast for cast in casts) == 1
    # Nobody but the holder of the 1 of Rings takes Frodo: seat 0 here.
    assert all("frodo" not in cast[1:] for cast in group.casts)


def test_frodo_is_taken_when_the_others_can_wait_no_longer() -> None:
    group = Group("9", 3)
    assert group.play(wanted=["sam", "merry", "glorfindel"])
    assert group.play(wanted=["pippin", "strider", "glorfindel"])
    assert group.play()
    assert group.casts[-1][0] == "frodo"
    assert group.over


@pytest.mark.parametrize(("option", "rounds"), [("no", 4), ("yes", 5)])
def test_bill_the_pony_has_to_succeed_in_chapter_13_only_when_that_is_assumed(option: str, rounds: int) -> None:
    for luck in range(6):
        group = Group("13", 3, luck=luck, assume={"A11": option})
        assert group.win_all() == rounds
        assert any("bill_the_pony" in cast for cast in group.casts) == (option == "yes")


def test_the_mithril_shirt_saves_one_goal_once() -> None:
    group = Group("13", 3)
    assert group.play(failed=1, wanted=["frodo", "sam", "merry"])
    assert group.completed == {"frodo", "sam", "merry"}
    assert not group.play(failed=1)
    assert group.over


def test_the_mithril_shirt_saves_no_round_with_two_failed_goals_and_is_there_for_the_next_attempt() -> None:
    group = Group("13", 3, "keep", 3)
    assert not group.play(failed=2)
    assert group.course.attempt == 2
    assert group.play(failed=1)
    assert not group.play(failed=1)
    assert group.play(failed=1)
    assert not group.over


@pytest.mark.parametrize("chapter", ["9", "18", "1"])
def test_no_goal_is_saved_where_there_is_no_mithril_shirt(chapter: str) -> None:
    assert not Group(chapter, 3).play(failed=1)


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("luck", range(6))
def test_the_bridge_is_the_last_round_of_moria_and_only_the_long_dark_is_repeated(players: int, luck: int) -> None:
    group = Group("14", players, luck=luck)
    group.win_all()
    assert group.events[:3] == ["doors_of_durin", "balins_tomb", "long_dark"]
    assert set(group.events[3:-1]) <= {"long_dark"}
    assert group.events[-1] == "bridge_of_khazad_dum"
    for event, who in (("doors", "gandalf"), ("balins", "gimli"), ("long", "aragorn"), ("bridge", "gandalf_servant")):
        assert all(who in cast for cast, kind in zip(group.casts, group.events, strict=True) if kind.startswith(event))


def test_the_long_dark_goes_on_until_the_open_characters_fit_over_the_bridge_and_they_must_be_chosen_there() -> None:
    group = Group("14", 3)
    assert group.play(wanted=["frodo", "gandalf", "sam"])
    assert group.play(wanted=["frodo", "gimli", "sam"])
    for name in ("merry", "pippin", "legolas"):
        assert group.play(wanted=["frodo", "aragorn", name])
    assert group.events[2:] == ["long_dark"] * 3
    with pytest.raises(AssertionError, match="merry may not be chosen"):
        group.play(wanted=["frodo", "gandalf_servant", "merry"])
    assert group.play(wanted=["frodo", "gandalf_servant", "boromir"])
    assert group.events[-1] == "bridge_of_khazad_dum"
    assert group.over


@pytest.mark.parametrize("players", [3, 4])
def test_the_fellowship_breaks_in_exactly_two_rounds_one_for_each_group(players: int) -> None:
    for luck in range(4):
        group = Group("18", players, luck=luck)
        group.win_all()
        assert group.events == ["first_group", "second_group"]
        assert {"frodo", "boromir_son_of_denethor"} <= set(group.casts[0])
        assert {"meriadoc_brandybuck", "peregrin_took"} <= set(group.casts[1])


def test_a_lost_round_loses_the_attempt_and_with_it_the_deal() -> None:
    group = Group("9", 4)
    assert group.play()
    assert not group.play(failed=1)
    assert group.over


def test_a_fresh_attempt_completes_all_anew_and_keep_goes_on_where_it_was() -> None:
    rounds = {}
    for retry in ("fresh", "keep"):
        group = Group("14", 4, retry, 10)
        assert group.play()
        assert group.play()
        assert not group.play(failed=2)
        assert (group.completed == set()) == (retry == "fresh")
        assert (group.course.attempt, group.course.number) == (2, 1)
        group.events.clear()
        while not group.over:
            assert group.play()
        rounds[retry] = group.events
    assert rounds["fresh"] == ["doors_of_durin", "balins_tomb", "long_dark", "bridge_of_khazad_dum"]
    assert rounds["keep"] == ["long_dark", "bridge_of_khazad_dum"]


def test_a_deal_is_given_up_after_the_last_attempt_allowed() -> None:
    group = Group("4", 3, "fresh", 5)
    for _ in range(5):
        assert not group.over
        assert not group.play(failed=1)
    assert group.over


def test_a_chapter_that_no_order_of_rounds_could_finish_is_refused(tmp_path) -> None:
    text = scenarios.chapters()["18"].read_text().replace("number = 18\n", "").replace("complete = false\n", "")
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(
        UserError, match=r"chapter mine: aragorn.* has to be completed, but no kind of round may be won more than"
    ):
        compile_plan(scenarios.load(path), 3)


# Real rounds.


def rows(chapter: str, players: int, policy: str, first: int, count: int, retry: str = "keep", early: bool = False):
    return play_columns(scenarios.load(chapter), players, policy, SEED, first, count, early, 2, retry=retry, attempts=3)


@pytest.mark.parametrize("policy", ["random", "team"])
@pytest.mark.parametrize("chapter", ["4", "13", "14", "18"])
def test_attempts_in_pieces_are_the_attempts_in_one(chapter: str, policy: str) -> None:
    whole_rounds, whole_goals = rows(chapter, 3, policy, 0, 12)
    pieces = [rows(chapter, 3, policy, first, count) for first, count in ((0, 1), (1, 4), (5, 7))]
    assert np.concatenate([piece[0] for piece in pieces]).tobytes() == whole_rounds.tobytes()
    assert np.concatenate([piece[1] for piece in pieces]).tobytes() == whole_goals.tobytes()
    assert np.unique(whole_rounds.deal).tolist() == list(range(12))


def test_rows_do_not_depend_on_how_many_are_played_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rows("13", 4, "team", 0, 10)
    monkeypatch.setattr("sim.tricks.batch.ROWS", 3)
    parts = rows("13", 4, "team", 0, 10)
    assert [column.tobytes() for column in parts] == [column.tobytes() for column in whole]
    assert len(whole[0]) > 10


@pytest.mark.parametrize("chapter", ["13", "14"])
def test_every_round_of_an_attempt_is_a_shuffle_of_its_own(chapter: str) -> None:
    scenario = scenarios.load(chapter)
    rounds, goals = rows(chapter, 4, "random", 0, 8)
    kinds = list(scenario.rounds) or [""]
    assert rounds.attempt.max() == 3
    for i in range(len(rounds)):
        row = rounds[i]
        number = int(row.number) + 256 * (int(row.attempt) - 1)
        replayed = Replay(scenario, 4, "random", SEED, int(row.deal), number, kinds[int(row.kind)])
        assert int(replayed.public.first_lost) == int(row.lost)
    first = play_columns(scenario, 4, "random", SEED, 0, 8, False)[0]
    assert first["lost"].tolist() == rounds["lost"][(rounds.attempt == 1) & (rounds.number == 1)].tolist()


@pytest.mark.parametrize(("chapter", "policy"), [("13", "team"), ("17", "script")])
def test_rounds_end_early_where_no_goal_can_be_saved_and_come_to_the_same(chapter: str, policy: str) -> None:
    full, goals = rows(chapter, 4, policy, 0, 20)
    early, _ = rows(chapter, 4, policy, 0, 20, early=True)
    for name in ("deal", "attempt", "number", "won"):
        assert full[name].tolist() == early[name].tolist()
    assert (early.tricks < full.tricks).any()
    saved = (goals.verdict == 1) & (goals.lost_after < 255)
    assert saved.any()
    assert saved.any(axis=1)[~full.won].sum() == 0
    assert saved.sum(axis=1).max() == 1
    # Once an attempt.
    pairs = list(zip(full.deal[saved.any(axis=1)], full.attempt[saved.any(axis=1)], strict=True))
    assert len(pairs) == len(set(pairs))


def test_a_round_is_won_when_all_its_goals_are_met_and_attempts_end_with_a_lost_round_or_the_chapter() -> None:
    scenario = scenarios.load("14")
    rounds, goals = to_frames(scenario, 4, "team", *rows("14", 4, "team", 0, 30))
    assert rounds.schema == dataset.ROUNDS_SCHEMA
    assert goals.schema == dataset.GOALS_SCHEMA
    met = goals.group_by("deal", "attempt", "round").agg(pl.col("met").all())
    assert rounds.join(met, on=["deal", "attempt", "round"]).select((pl.col("met") == pl.col("won")).all()).item()
    for (_, _), table in rounds.group_by("deal", "attempt"):
        assert table["won"][:-1].all()
        assert table["round"].to_list() == list(range(1, table.height + 1))
    assert set(rounds["event"]) <= set(scenario.rounds)
    servants = goals.filter(pl.col("character") == "gandalf_servant").join(rounds, on=["deal", "attempt", "round"])
    assert set(servants["event"]) <= {"bridge_of_khazad_dum"}


def test_workers_chunks_and_resume_make_no_difference(tmp_path) -> None:
    cells = build_cells(["13", "2"], [3], ["script"], retry="fresh", attempts=4)

    def run(name: str, **options) -> dict[str, bytes]:
        spec = RunSpec(seed=5, deals=30, chunk=10, cells=cells)
        execute(spec, tmp_path / name, quiet=True, **options)
        return {str(path.relative_to(tmp_path / name)): path.read_bytes() for path in (tmp_path / name).rglob("*.parquet")}

    one = run("one", workers=1)
    assert run("two", workers=2) == one
    path = next((tmp_path / "one" / "goals").rglob("part-000000000010.parquet"))
    path.unlink()
    assert run("one", workers=1, resume=True) == one
    spec = RunSpec(seed=5, deals=30, chunk=10, cells=build_cells(["13", "2"], [3], ["script"], retry="keep", attempts=4))
    with pytest.raises(UserError, match=r"--retry of chapter 13 .* fresh, not keep"):
        execute(spec, tmp_path / "one", quiet=True, resume=True)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"retry": "kept"}, r"--retry kept: must be none or fresh or keep \(did you mean 'keep'\?\)"),
        ({"attempts": 3}, "--attempts 3: needs --retry fresh or --retry keep"),
        ({"retry": "keep", "attempts": 70_000}, "--attempts 70000: at most 65_535 are allowed"),
        ({"policies": ["open"], "retry": "keep"}, "--retry: --policy open bounds single attempts"),
    ],
)
def test_what_does_not_go_together_is_refused(asked: dict, message: str) -> None:
    options = {"policies": ["team"]} | asked
    with pytest.raises(UserError, match=message):
        build_cells(["9"], [3], **options)
