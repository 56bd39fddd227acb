"""The Road Goes Ever On: drawn characters, a curse that wanders, a lost card for the group, gifts that help once."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from scenarios import Scenario, UserError, drawn, load
from scenarios.starting import Pool, write_start
from sim.tricks import decisions as d
from sim.tricks import goals, play, setup
from sim.tricks.batch import play_columns, to_frames
from sim.tricks.plan import compile_plan
from sim.tricks.replay import Replay, record
from sim.tricks.standing import standing
from sim.tricks.table import FAILED, MET, NOBODY, new_table
from sim.tricks.transcript import transcript

from .examples import mask
from .games import Record, check
from .scenes import write
from .worlds import Game

ROAD = load("road")
SEED = 7


@cache
def frames(players: int, policy: str, deals: int, retry: str = "none", attempts: int = 1) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return rounds and goals of the first deals of the road."""
    columns = play_columns(ROAD, players, policy, SEED, 0, deals, False, 2, None, False, retry, attempts)
    return to_frames(ROAD, players, policy, *columns)


def pool(players: int, deal: int) -> Scenario:
    """Return the pool of a deal."""
    return drawn(ROAD, players, SEED, deal)


# Whole deals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize(("policy", "deals"), [("random", 25), ("script", 15), ("team", 6)])
def test_every_deal_is_played_to_its_end_with_the_characters_of_its_pool(players: int, policy: str, deals: int) -> None:
    rounds, rows = frames(players, policy, deals, "keep", 3)
    assert rounds["deal"].unique().to_list() == list(range(deals))
    for deal in range(deals):
        there = {entry.character for entry in pool(players, deal).roster}
        of_deal = rows.filter(pl.col("deal") == deal)
        assert set(of_deal["character"]) <= there
        of_rounds = of_deal.group_by("attempt", "round").agg("character", "curse", "seat")
        for names, curses in of_rounds.select("character", "curse").iter_rows():
            assert "frodo" in names
            cursed = [(name, curse) for name, curse in zip(names, curses, strict=True) if curse is not None]
            assert len(cursed) <= 1
            for name, curse in cursed:
                assert curse == pool(players, deal).wandering[0]
                assert not ROAD.characters[name].burdened
                if curse == "unseen":
                    assert any(action.do == "draw_threat" for action in ROAD.characters[name].setup)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_frodo_always_leads_first(players: int) -> None:
    rounds, rows = frames(players, "random", 25, "keep", 3)
    frodo = rows.filter(pl.col("character") == "frodo").select("deal", "attempt", "round", "seat")
    both = rounds.join(frodo, on=["deal", "attempt", "round"], validate="1:1")
    assert both.height == rounds.height
    assert (both["first_leader"] == both["seat"]).all()
    leaders = {"glorfindel", "elrond"}
    assert leaders & set(rows["character"]), "somebody who leads first elsewhere was in a round"


@pytest.mark.parametrize("players", [3, 4])
def test_a_deal_is_won_once_all_have_succeeded_and_the_curse_was_borne(players: int) -> None:
    rounds, rows = frames(players, "script", 40, "keep", 12)
    ends = rounds.group_by("deal", maintain_order=True).last().filter("won")
    won = rows.join(rounds.filter("won").select("deal", "attempt", "round"), on=["deal", "attempt", "round"])
    for deal in rounds["deal"].unique():
        of_deal = won.filter(pl.col("deal") == deal)
        everybody = {entry.character for entry in pool(players, deal).roster}
        done = set(of_deal["character"]) == everybody and of_deal["curse"].is_not_null().any()
        assert done == (deal in ends["deal"].to_list())
        # Once borne in a round that was won, the curse is gone.
        assert of_deal["curse"].is_not_null().sum() <= 1
        if of_deal["curse"].is_not_null().any():
            order = pl.col("attempt").cast(pl.Int64) * 1000 + pl.col("round")
            first = of_deal.filter(pl.col("curse").is_not_null()).select(order).item()
            assert rows.filter(pl.col("deal") == deal, order > first)["curse"].is_null().all()
    assert ends.height > 0


def test_a_fresh_attempt_starts_with_the_curse_and_the_gifts_again() -> None:
    from sim.tricks.attempts import close_round, new_course, open_round

    rules, plan = compile_plan(pool(3, 0), 3, "fresh", 5)
    course, (public, _, hidden) = new_course(plan, 0, 1), new_table()
    public.seats, public.character[:3], hidden.met = 3, [0, 1, 2], 3
    open_round(plan, course, rules[0], public)
    assert (public.curse_due, public.fetches, public.frees) == (1, 1, 1)
    public.cursed, public.fetches = 2, 0
    assert close_round(plan, course, public, hidden, True)
    open_round(plan, course, rules[0], public)
    assert (public.curse_due, public.fetches, public.frees) == (0, 0, 1)
    assert not close_round(plan, course, public, hidden, False)
    open_round(plan, course, rules[0], public)
    assert (public.curse_due, public.fetches, public.frees) == (1, 1, 1)


def test_deals_do_not_depend_on_how_they_are_cut() -> None:
    whole = play_columns(ROAD, 3, "script", SEED, 0, 12, False)
    parts = [play_columns(ROAD, 3, "script", SEED, first, 4, False) for first in (0, 4, 8)]
    for side in (0, 1):
        assert whole[side].tobytes() == np.concatenate([part[side] for part in parts]).tobytes()


@pytest.mark.parametrize(("players", "deal"), [(3, 1), (4, 2), (2, 3), (1, 4)])
def test_a_pool_written_to_a_file_plays_as_the_deal_that_drew_it(tmp_path: Path, players: int, deal: int) -> None:
    path = tmp_path / "mine.toml"
    write_start(path, "road", Pool(players, SEED, deal))
    mine = load(path)
    assert f"seed 0x{SEED:x}: pool {deal}" in path.read_text()
    assert [entry.character for entry in mine.roster] == [entry.character for entry in pool(players, deal).roster]
    assert mine.wandering == pool(players, deal).wandering
    assert mine.based_on == "road"
    rounds, rows = to_frames(mine, players, "script", *play_columns(mine, players, "script", SEED, deal, 1, False))
    of_road, goals_of_road = to_frames(ROAD, players, "script", *play_columns(ROAD, players, "script", SEED, deal, 1, False))
    assert rounds.drop("chapter").equals(of_road.drop("chapter"))
    assert rows.drop("chapter").equals(goals_of_road.drop("chapter"))


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_replay_shows_what_the_batch_played(players: int) -> None:
    rounds, rows = frames(players, "script", 15, "keep", 3)
    for deal, attempt, number, won in rounds.select("deal", "attempt", "round", "won").head(12).iter_rows():
        place = standing(ROAD, players, "script", SEED, deal, attempt, number, "keep")
        shown = record(Replay(ROAD, players, "script", SEED, deal, standing=place))
        here = rows.filter(pl.col("deal") == deal, pl.col("attempt") == attempt, pl.col("round") == number)
        assert [seat["character"] for seat in shown["seats"]] == here["character"].to_list()
        assert [seat["curse"] for seat in shown["seats"]] == here["curse"].to_list()
        assert shown["won"] == won


def test_a_transcript_names_pool_and_curse() -> None:
    lines = list(transcript(Replay(ROAD, 3, "team", SEED, 1, explain=True)))
    assert lines[2] == "drawn: frodo, gandalf, meriadoc_brandybuck, aragorn, legolas, gimli, farmer_maggot, elrond, galadriel"
    assert lines[3].startswith("wandering curse: Wraith, ")
    assert any(line.startswith("the curse is for ") for line in lines)
    assert any(": plain rule: let it be borne" in line for line in lines)


def test_one_chapter_is_needed_where_one_is_looked_at() -> None:
    with pytest.raises(
        UserError, match=r"chapter road: its characters are drawn .* ringsim new my\.toml --from road --players 3"
    ):
        compile_plan(ROAD, 3)


# Scenes --------------------------------------------------------------------------------------------------------------


SIZES = {1: {"seats": 4, "hand": 4, "draw_deck": 20}, 3: {"seats": 3, "hand": 12}, 4: {"seats": 4, "hand": 9}}


def scene(tmp_path: Path, cast: str, players: int = 3, **more: Any) -> Scenario:
    """Return a chapter with just these characters for so many people, which has the road's rules."""
    text = {
        "threats": "numbered",
        "event": "road_goes_ever_on",
        "rules": {"take_lost": "group"},
        "deal": {players: SIZES[players]},
    }
    return write(tmp_path / "mine.toml", cast.split(), **(text | more))


def until(game: Game, kind: int, answers: dict[int, int] | None = None) -> Game:
    """Play on to a kind of decision, with these answers to other kinds and the policy's to the rest."""
    while game.advance():
        if game.view.pending == kind:
            return game
        game.apply(
            (answers or {}).get(int(game.view.pending), None) if int(game.view.pending) in (answers or {}) else game.ask().answer
        )
    raise AssertionError("no such decision came")


def seat_of(game: Game, name: str) -> int:
    """Return the seat of a character."""
    roster = [entry.character for entry in game.replay.scenario.roster]
    return [int(role) for role in game.public.character[: game.replay.seats]].index(roster.index(name))


def members(options: Any) -> list[int]:
    """Return the numbers of a mask."""
    return [number for number in range(64) if int(options) >> number & 1]


def test_the_group_says_who_may_touch_the_lost_card_and_that_one_may_leave_it(tmp_path: Path) -> None:
    scenario = scene(tmp_path, "frodo* gandalf* tom_bombadil*")
    for chosen, answer in (("tom_bombadil", 1), ("gandalf", 1), ("tom_bombadil", 0)):
        game = until(Game((scenario, 3, "random", 3, 0)), d.CLAIM)
        claimants = {seat_of(game, "gandalf"), seat_of(game, "tom_bombadil")}
        assert set(members(game.view.options)) == claimants
        assert int(game.view.seat) == seat_of(game, "frodo")
        lost = int(game.public.lost)
        game.apply(seat_of(game, chosen))
        until(game, d.TAKE)
        assert int(game.view.seat) == seat_of(game, chosen)
        game.apply(answer)
        while game.advance() and game.public.tricks == 0:
            # Nobody else is asked.
            assert game.view.pending != d.TAKE
            game.apply(game.ask().answer)
        retained = [int(count) for count in game.public.retained[:3]]
        assert int(game.public.lost) == (0 if answer else lost)
        assert sum(retained) == answer
        assert retained[seat_of(game, chosen)] == answer


def test_with_one_character_interested_nobody_has_to_say_who(tmp_path: Path) -> None:
    game = until(Game((scene(tmp_path, "frodo* gandalf* merry*"), 3, "random", 3, 0)), d.TAKE)
    assert int(game.view.seat) == seat_of(game, "gandalf")


def test_who_is_not_chosen_may_not_swap_for_the_lost_card(tmp_path: Path) -> None:
    scenario = scene(tmp_path, "frodo* galadriel* tom_bombadil*")
    game = until(Game((scenario, 3, "random", 3, 0)), d.CLAIM)
    game.apply(seat_of(game, "tom_bombadil"))
    while game.advance() and game.public.tricks == 0:
        if game.view.pending == d.TAKE:
            game.apply(0)
            continue
        assert game.view.seat != seat_of(game, "galadriel") or game.view.pending not in (d.PARTNER, d.GIVEN)
        game.apply(game.ask().answer)
    assert int(game.public.lost) == int(game.public.first_lost)


def cursed(tmp_path: Path, curse: str, cast: str, players: int = 3, deal: int = 0) -> Game:
    """Return a game in which it is to be said who bears a curse."""
    return until(Game((scene(tmp_path, cast, players, wandering_curse=curse), players, "random", 3, deal)), d.CURSED)


def test_the_wandering_curse_is_for_those_not_burdened_or_for_nobody_in_this_round(tmp_path: Path) -> None:
    game = cursed(tmp_path, "black_breath", "frodo* samwise_gamgee* merry*")
    assert set(members(game.view.options)) == {seat_of(game, "frodo"), seat_of(game, "merry"), d.NOT_NOW}
    assert int(game.view.seat) == seat_of(game, "frodo")
    game.apply(d.NOT_NOW)
    assert int(game.public.cursed) == NOBODY


def test_the_black_breath_adds_its_term_to_its_bearers_goal(tmp_path: Path) -> None:
    game = cursed(tmp_path, "black_breath", "frodo* sam* merry*")
    merry = seat_of(game, "merry")
    game.apply(merry)
    game.advance()
    public = game.public
    setup.bind_goals(game.rules, public)
    assert [int(public.terms[seat_of(game, name)]) for name in ("frodo", "sam", "merry")] == [1, 1, 2]
    public.trick = public.tricks = 12
    public.plays_left[:] = 0
    public.played = game.rules.deck
    public.tricks_won[merry] = 1
    for won, verdict in (("H7", MET), ("H8", FAILED)):
        public.won[merry] = mask(game.replay.scenario, won)
        assert int(goals.verdict(game.rules, public, merry, np.uint64(0))) == verdict


@pytest.mark.parametrize(("curse", "card"), [("morgul_knife", "R3"), ("terror", "H3")])
def test_knife_and_terror_forbid_to_lead_a_suit(tmp_path: Path, curse: str, card: str) -> None:
    game = cursed(tmp_path, curse, "frodo* sam* merry*")
    merry = seat_of(game, "merry")
    game.apply(merry)
    game.advance()
    public = game.public
    setup.bind_goals(game.rules, public)
    public.trick = public.tricks = 12
    public.plays_left[:] = 0
    public.played, public.tricks_won[merry] = game.rules.deck, 1
    for led, verdict in (("F3", MET), (card, FAILED)):
        public.led[merry] = mask(game.replay.scenario, led)
        assert int(goals.verdict(game.rules, public, merry, np.uint64(0))) == verdict


def test_the_wraith_parts_its_bearer_from_all_exchanges(tmp_path: Path) -> None:
    game = cursed(tmp_path, "wraith", "frodo* pippin* merry*")
    merry, pippin = seat_of(game, "merry"), seat_of(game, "pippin")
    assert members(setup.partners(game.rules, game.public, merry, 0)) == sorted([pippin, seat_of(game, "frodo")])
    game.apply(merry)
    assert members(setup.partners(game.rules, game.public, merry, 0)) == []
    assert members(setup.partners(game.rules, game.public, pippin, 0)) == [seat_of(game, "frodo")]


def test_unseen_is_for_who_draws_a_threat_and_hides_it_from_the_others(tmp_path: Path) -> None:
    game = cursed(tmp_path, "unseen", "frodo* sam* aragorn*")
    sam = seat_of(game, "sam")
    # Aragorn chooses his threat face up, and draws none.
    assert members(game.view.options) == sorted([sam, d.NOT_NOW])
    game.apply(sam)
    until(game, d.CARD)
    assert int(game.public.threat[sam]) == 0
    assert int(game.privates.threat[sam]) > 0
    assert members(game.public.secret) == [sam]
    while game.advance():
        assert int(game.view.threat[sam]) == (int(game.privates.threat[sam]) if game.view.seat == sam else 0)
        game.apply(game.ask().answer)
    assert int(game.public.threat[sam]) == int(game.privates.threat[sam])


def test_unseen_is_not_for_one_person(tmp_path: Path) -> None:
    scenario = scene(tmp_path, "frodo* sam* merry* pippin*", 1, wandering_curse="unseen")
    game = Game((scenario, 1, "random", 3, 0))
    with pytest.raises(AssertionError, match="no such decision"):
        until(game, d.CURSED)


# Gifts ---------------------------------------------------------------------------------------------------------------


def test_sting_swaps_for_the_lost_card_once_before_a_trick(tmp_path: Path) -> None:
    scenario = scene(tmp_path, "frodo* sam* merry*", gifts=["sting"])
    game = until(Game((scenario, 3, "script", 3, 0)), d.FETCH, {d.FETCH: d.NOT_NOW})
    frodo = seat_of(game, "frodo")
    assert members(game.view.options) == sorted([frodo, d.NOT_NOW])
    assert int(game.public.trick) == 0
    game.apply(d.NOT_NOW)
    until(game, d.FETCH)
    assert int(game.public.trick) == 1
    lost, before = int(game.public.lost), int(game.privates.hand[frodo])
    game.public.voids[frodo] = game.rules.deck
    game.apply(frodo)
    assert game.advance()
    assert (int(game.view.pending), int(game.view.seat), int(game.view.partner)) == (d.GIVEN, frodo, frodo)
    assert int(game.view.options) == before & ~int(game.rules.holder_card)
    card = members(game.view.options)[0]
    game.apply(card)
    assert int(game.public.lost) == 1 << card
    assert int(game.privates.hand[frodo]) == before & ~(1 << card) | lost
    # What came is seen by all: he may hold its suit again.
    suit = int(game.rules.suit_mask[int(game.rules.suit_of[members(lost)[0]])])
    assert int(game.public.voids[frodo]) == int(game.rules.deck) & ~suit
    game.public.voids[frodo] = np.uint64(0)
    while game.advance():
        assert game.view.pending != d.FETCH
        game.apply(game.ask().answer)
    assert [int(count) for count in game.public.cards_left[:3]] == [0, 0, 0]


def test_sting_exchanges_with_the_character_that_took_the_lost_card(tmp_path: Path) -> None:
    scenario = scene(tmp_path, "frodo* gandalf* merry*", gifts=["sting"])
    game = until(Game((scenario, 3, "script", 3, 0)), d.FETCH, {d.TAKE: 1})
    frodo, gandalf = seat_of(game, "frodo"), seat_of(game, "gandalf")
    assert members(game.view.options) == sorted([gandalf, d.NOT_NOW])
    game.apply(gandalf)
    assert game.advance()
    given = members(game.view.options)[0]
    assert (int(game.view.seat), int(game.view.partner)) == (frodo, gandalf)
    game.apply(given)
    hand = int(game.privates.hand[gandalf])
    assert game.advance()
    assert (int(game.view.pending), int(game.view.seat), int(game.view.partner)) == (d.RETURNED, gandalf, frodo)
    assert int(game.view.received) == given
    assert int(game.view.options) == hand | 1 << given
    back = members(hand)[0]
    game.apply(back)
    assert int(game.privates.hand[gandalf]) == hand & ~(1 << back) | 1 << given
    assert int(game.privates.hand[frodo]) >> back & 1
    assert int(game.privates.known[gandalf, frodo]) >> back & 1
    assert int(game.privates.known[frodo, gandalf]) >> given & 1
    while game.advance():
        assert game.view.pending != d.FETCH
        game.apply(game.ask().answer)
    assert game.public.retained[gandalf] == 1


def test_a_goal_that_the_lost_card_can_still_save_is_not_called_lost(tmp_path: Path) -> None:
    """Glorfindel needs all Shadows while one of them lies lost: with Sting it may come back, without it cannot."""
    for gifts, verdict in (([], FAILED), (["sting"], 0)):
        scenario = scene(tmp_path, "frodo* glorfindel* merry*", gifts=gifts)
        for deal in range(200):
            game = Game((scenario, 3, "script", 3, deal))
            if any(card.startswith("S") for card in game.replay.cards(game.public.first_lost)):
                break
        until(game, d.FETCH if gifts else d.CARD, {d.TAKE: 0})
        glorfindel = seat_of(game, "glorfindel")
        assert int(game.hidden.verdict[glorfindel]) == verdict
        if gifts:
            answers = {d.FETCH: d.NOT_NOW}
            with pytest.raises(AssertionError, match="no such decision"):
                until(game, d.THREAT, answers)
            assert int(game.hidden.verdict[glorfindel]) == FAILED
            assert int(game.public.lost) == int(game.public.first_lost)


def test_glamdring_frees_gandalf_from_following_in_the_first_trick_and_not_later(tmp_path: Path) -> None:
    scenario = scene(tmp_path, "frodo* gandalf* merry*", gifts=["glamdring"])
    for answer in (1, 0):
        free_in, bound_in = 0, 0
        for deal in range(12):
            game = until(Game((scenario, 3, "script", 3, deal)), d.FREED)
            gandalf = seat_of(game, "gandalf")
            assert int(game.view.seat) == gandalf
            assert int(game.public.trick) == 0
            assert not int(game.public.in_trick)
            game.apply(answer)
            while game.advance():
                if game.view.pending == d.CARD and game.view.seat == gandalf and game.public.leader != gandalf:
                    hand = game.privates.hand[gandalf]
                    led = int(hand) & int(game.rules.suit_mask[int(game.public.led_suit)])
                    legal = int(play.legal(game.rules, game.public, gandalf, hand))
                    if game.public.trick == 0 and answer:
                        assert legal == int(hand)
                        free_in += bool(led) and led != int(hand)
                    else:
                        assert legal == (led or int(hand))
                        bound_in += 1
                assert game.view.pending != d.FREED
                game.apply(game.ask().answer)
        assert bound_in > 0
        assert (free_in > 0) == bool(answer)


# A23 -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("option", "cast", "players", "needed"), [
    ("usual", "frodo* elrond* merry*", 3, 4), ("two", "frodo* elrond* merry*", 3, 2), ("two", "frodo* sam* merry* elrond", 3, 4),
    ("two", "frodo* elrond* merry* sam*", 4, 2), ("usual", "frodo* elrond* merry* sam*", 4, 2),
])  # fmt: skip
def test_how_many_rings_frodo_needs_beside_elrond(tmp_path: Path, option: str, cast: str, players: int, needed: int) -> None:
    scenario = scene(tmp_path, cast, players, assume={"A23": option})
    game = until(Game((scenario, players, "random", 3, 0)), d.CARD)
    frodo = seat_of(game, "frodo")
    assert int(game.public.terms[frodo]) == 1
    assert int(game.public.low[frodo, 0]) == needed


# Recorded games ------------------------------------------------------------------------------------------------------


@cache
def recorded(players: int, policy: str, deal: int) -> Record:
    """Return the record of a deal's first round. It is shared: do not change it."""
    return json.loads(json.dumps(record(Replay(ROAD, players, policy, SEED, deal))))


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("policy", ["random", "script"])
def test_check_finds_nothing_in_rounds_that_were_played(tmp_path: Path, players: int, policy: str) -> None:
    """One person's deal 0: Frodo gets Rings of other hands while a gift may still change his own."""
    assert check([recorded(players, policy, deal) for deal in range(12)], tmp_path) == [[]] * 12


def altered(what: str) -> tuple[Record, str]:
    """Return a record that breaks a rule of the road, and what is to be found in it."""
    for deal in range(200):
        entry = json.loads(json.dumps(recorded(3, "random", deal)))
        steps = {step["action"]: step for step in entry["setup"]}
        fetched = [number for number, trick in enumerate(entry["tricks"]) if "fetch" in trick]
        names = [seat["character"] for seat in entry["seats"]]
        burdened = [seat for seat, name in enumerate(names) if ROAD.characters[name].burdened]
        if what == "burdened" and burdened and "curse" in steps:
            steps["curse"]["to"] = burdened[0]
            return entry, "gets the wandering curse"
        if what == "claim" and "claim_lost" in steps:
            steps["claim_lost"]["seat"] = names.index("frodo")
            return entry, "its character takes or swaps none"
        if what == "twice" and fetched and fetched[0] + 1 < len(entry["tricks"]):
            entry["tricks"][fetched[0] + 1]["fetch"] = entry["tricks"][fetched[0]]["fetch"]
            return entry, "once, for the lost card or with who took it"
        if what == "card" and fetched and entry["tricks"][fetched[0]]["fetch"]["with"] is None:
            entry["tricks"][fetched[0]]["fetch"]["gave"] = "R1"
            return entry, "gives R1 for"
        if what == "free" and "gandalf" in names:
            entry["tricks"][1]["free"] = names.index("gandalf")
            return entry, "all follow suit"
        if what == "seed":
            del entry["seed"]
            return entry, "draws its characters for each deal; the record needs both"
    raise AssertionError("no such record")


@pytest.mark.parametrize("what", ["burdened", "claim", "twice", "card", "free"])
def test_check_finds_what_the_road_does_not_allow(tmp_path: Path, what: str) -> None:
    entry, found = altered(what)
    (differences,) = check([entry], tmp_path)
    assert any(found in f"{one.record} {one.rules}" for one in differences), differences


def test_a_record_of_the_road_needs_seed_and_deal(tmp_path: Path) -> None:
    entry, found = altered("seed")
    with pytest.raises(UserError, match=found):
        check([entry], tmp_path)
