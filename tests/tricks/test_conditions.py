"""Deals under conditions: exactly the deals that fit, each as likely as it is among them."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import scenarios
from scenarios import Scenario
from scenarios.errors import UserError
from sim import simulate
from sim.core.jit import COMPILED, ONE
from sim.core.random import new_source
from sim.tricks.batch import play_columns, split_seed
from sim.tricks.condition import compile_condition
from sim.tricks.engine import deal_round
from sim.tricks.link import load_rules
from sim.tricks.replay import Replay, record
from sim.tricks.rules import compile_rules
from sim.tricks.shapes import can_count, count_shapes
from sim.tricks.solver.deals import Solver
from sim.tricks.solver.replay import OpenReplay
from sim.tricks.table import new_table
from sim.tricks.where import EVERY_DEAL, Where, read

from .games import PLAYOUTS, SEED, Record, chapter

MANY = 1 if COMPILED else 100
"""Plain Python deals so many times fewer deals."""
UNLIKELY = 1e-4

SMALL = """schema = 1
title = "Small"
deck = ["H1-3", "S1-3", "R1-2"]
never_lost = {never_lost}
event = "{event}"
threats = [1, 2, 3]
[deal]
3 = {{ seats = 3, hand = 2, lost = {lost} }}
1 = {{ seats = 4, hand = 1, lost = 1, draw_deck = {draw} }}
[[roster]]
character = "frodo"
required = true
[[roster]]
character = "sam"
required = true
[[roster]]
character = "pippin"
required = true
[[roster]]
character = "merry"
[characters.frodo]
name = "Frodo"
{taken}
goal = [{{ measure = "tricks", at_least = 1 }}]
[events.aside]
name = "Aside"
[events.aside.pile]
cards = {{ 3 = 1, 1 = 1 }}
without = "R"
"""


@dataclass(frozen=True)
class State:
    """A deal: lost cards, pile, hands by seat, draw deck, all as sets of card names."""

    lost: frozenset[str]
    pile: frozenset[str]
    hands: tuple[frozenset[str], ...]
    deck: frozenset[str]

    @property
    def holder(self) -> int:
        """The seat that was dealt R1, else the first."""
        return next((seat for seat, hand in enumerate(self.hands) if "R1" in hand), 0)

    def at(self, steps: int) -> frozenset[str]:
        return self.hands[(self.holder + steps) % len(self.hands)]


def suit(cards: Iterable[str], letter: str) -> int:
    return sum(card[0] == letter for card in cards)


Fits = Callable[[State], bool]


@cache
def small(tmp: Path, kind: str) -> Scenario:
    """Return a scenario of eight cards: `plain`, one with a pile, or one in which R1 may be lost too."""
    path = tmp / f"{kind}.toml"
    lost = 1 if kind == "pile" else 2
    # A card that binds a character is never lost.
    never, taken = ('["R1"]', 'taken_with = "R1"') if kind == "plain" else ("[]", "")
    path.write_text(
        SMALL.format(
            never_lost=never, event="aside" if kind == "pile" else "", lost=lost, draw=3 - (kind == "pile"), taken=taken
        ),
        encoding="utf-8",
    )
    return scenarios.load(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("small")


def picks(cards: frozenset[str], sizes: list[int]) -> Iterator[list[frozenset[str]]]:
    """Yield all ways to deal hands of these sizes."""
    if not sizes:
        yield []
        return
    for hand in itertools.combinations(sorted(cards), sizes[0]):
        for more in picks(cards - set(hand), sizes[1:]):
            yield [frozenset(hand), *more]


def all_deals(scenario: Scenario, players: int) -> dict[State, Fraction]:
    """Return every deal with its probability, as deal format 1 says in words: lost cards, pile, hands, one after the other."""
    size = scenario.deals[players]
    deck = frozenset(scenario.cards)
    aside = 1 if scenario.event is not None and scenario.event.pile is not None else 0
    apart = frozenset(["R1"]) if players == 1 else frozenset()
    found: dict[State, Fraction] = {}
    losable = deck - apart - set(scenario.never_lost)
    for lost in map(frozenset, itertools.combinations(sorted(losable), size.lost)):
        ready = frozenset(card for card in deck - apart - lost if card[0] != "R")
        for pile in map(frozenset, itertools.combinations(sorted(ready), aside)):
            chance = Fraction(1, comb(len(losable), size.lost) * comb(len(ready), aside))
            rest = deck - apart - lost - pile
            for holder in range(size.seats) if apart else [-1]:
                sizes = [size.hand - (seat == holder) for seat in range(size.seats)]
                ways = list(picks(rest, sizes))
                share = chance / len(ways) / (size.seats if apart else 1)
                for hands in ways:
                    own = tuple(hand | apart if seat == holder else hand for seat, hand in enumerate(hands))
                    left = rest.difference(*hands)
                    found[State(lost, pile, own, left)] = share
    assert sum(found.values()) == 1
    return found


def sample(
    scenario: Scenario, players: int, where: Where, deals: int, first: int = 0, seed: int = SEED
) -> Iterator[tuple[State, int]]:
    """Yield deals as the engine deals them, and how many were tried."""
    rules = load_rules(scenario, players, where=where)
    public, privates, hidden = new_table()
    luck, choices = new_source(), new_source()
    names = np.array(scenario.cards)

    def cards(mask: int) -> frozenset[str]:
        return frozenset(scenario.cards[slot] for slot in range(len(scenario.cards)) if int(mask) >> slot & 1)

    for deal in range(deals):
        deal_round(rules, public, privates, hidden, luck, choices, *split_seed(seed), ONE, np.uint64(deal))
        hands = tuple(cards(privates.hand[seat]) for seat in range(int(rules.seats)))
        left = frozenset(names[hidden.order[int(hidden.next_draw) : int(hidden.draw_end)]].tolist())
        pile = frozenset(names[hidden.pile_order[: int(rules.pile)]].tolist())
        yield State(cards(public.lost), pile, hands, left), int(hidden.tries)


def chi_square(found: Counter, wanted: dict[State, Fraction]) -> float:
    """Return the p value of counts against probabilities that are not 0."""
    assert set(found) <= set(wanted)
    total = sum(found.values())
    expected = np.array([float(share) * total for share in wanted.values()])
    counted = np.array([found[state] for state in wanted])
    return float(stats.chi2.sf(((counted - expected) ** 2 / expected).sum(), len(wanted) - 1))


SMALL_CASES: list[tuple[str, int, str, Fits]] = [
    ("plain", 3, "lost is R2, H1", lambda s: s.lost <= {"R2", "H1"}),
    ("plain", 3, "lost has any H; lost is not rank 3", lambda s: suit(s.lost, "H") > 0 and not s.lost & {"H3", "S3"}),
    ("plain", 3, "holder has H1", lambda s: "H1" in s.at(0)),
    ("plain", 3, "frodo: R2; left: no H", lambda s: "R2" in s.at(0) and not suit(s.at(1), "H")),
    ("plain", 3, "left has no S and right has no H", lambda s: not suit(s.at(1), "S") and not suit(s.at(2), "H")),
    ("plain", 3, "seat 1 has exactly 1 of S; left has any H", lambda s: suit(s.hands[1], "S") == 1 and suit(s.at(1), "H") > 0),
    ("plain", 3, "somebody has exactly 2 S", lambda s: any(suit(hand, "S") == 2 for hand in s.hands)),
    ("plain", 3, "nobody has exactly 2 S; lost has S2", lambda s: all(suit(h, "S") < 2 for h in s.hands) and "S2" in s.lost),
    ("plain", 3, "left has S1 or right has S1 and lost has any H",
     lambda s: "S1" in s.at(1) or ("S1" in s.at(2) and suit(s.lost, "H") > 0)),
    ("plain", 3, "not (seat 0 has any R or lost has R2)", lambda s: not (suit(s.hands[0], "R") or "R2" in s.lost)),
    ("pile", 3, "pile is void in H", lambda s: not suit(s.pile, "H")),
    ("pile", 3, "seat 0 has no R", lambda s: not suit(s.hands[0], "R")),
    ("pile", 3, "lost is R; seat 2 has any H", lambda s: suit(s.lost, "R") > 0 and suit(s.hands[2], "H") > 0),
    ("pile", 3, "left has H1; seat 1 has any S", lambda s: "H1" in s.at(1) and suit(s.hands[1], "S") > 0),
    ("unlost", 3, "lost has R1", lambda s: "R1" in s.lost),
    ("unlost", 3, "left has no H", lambda s: not suit(s.at(1), "H")),
    ("plain", 1, "deck has all H1-2", lambda s: {"H1", "H2"} <= s.deck),
    ("plain", 1, "left has any S; deck has at most 1 H", lambda s: suit(s.at(1), "S") > 0 and suit(s.deck, "H") < 2),
    ("plain", 1, "seat 2 has R1", lambda s: "R1" in s.hands[2]),
    ("plain", 1, "seat 2 has no R; lost is not R", lambda s: not suit(s.hands[2], "R") and "R2" not in s.lost),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "players", "text", "fits"), SMALL_CASES, ids=[f"{c[0]}-{c[1]}-{c[2]}" for c in SMALL_CASES])
def test_small_decks_have_the_conditional_distribution(folder: Path, kind: str, players: int, text: str, fits: Fits) -> None:
    scenario = small(folder, kind)
    every = all_deals(scenario, players)
    chance = sum(share for state, share in every.items() if fits(state))
    wanted = {state: share / chance for state, share in every.items() if fits(state)}
    assert 0 < len(wanted) < len(every)
    where = Where(text)
    condition = compile_condition(where, scenario, compile_rules(scenario, players))
    if condition.drawn:
        assert condition.chance == pytest.approx(float(chance), rel=1e-12)
    dealt, tries = zip(*sample(scenario, players, where, max(2_000, 12 * len(wanted)) // MANY), strict=True)
    assert all(fits(state) for state in dealt)
    if condition.drawn:
        assert set(tries) == {1}
    else:
        # The accepted share estimates what the rejected part lets pass.
        low, high = stats.binomtest(len(tries), sum(tries)).proportion_ci(1 - UNLIKELY)
        assert low * condition.chance <= chance <= high * condition.chance
    if COMPILED:
        assert chi_square(Counter(dealt), wanted) > UNLIKELY


def test_the_chances_of_shapes_are_those_of_all_deals(folder: Path) -> None:
    for kind, players, text, fits in SMALL_CASES:
        scenario = small(folder, kind)
        rules = compile_rules(scenario, players)
        trees = read(text, scenario, rules)
        if all(can_count(tree, rules) for tree in trees):
            wanted = sum(share for state, share in all_deals(scenario, players).items() if fits(state))
            assert count_shapes(trees, rules).chance == wanted, text


def test_both_ways_of_dealing_are_tried(folder: Path) -> None:
    drawn = Counter(
        compile_condition(Where(text), small(folder, kind), compile_rules(small(folder, kind), players)).drawn
        for kind, players, text, _ in SMALL_CASES
    )
    assert drawn[True] >= 10
    assert drawn[False] >= 2


LARGE_CASES: list[tuple[str, int, str, Fits]] = [
    ("2", 3, "frodo has any R4-5; left has at most 2 H", lambda s: bool(s.at(0) & {"R4", "R5"}) and suit(s.at(1), "H") <= 2),
    ("2", 4, "left has at least 3 H; lost is not S", lambda s: suit(s.at(1), "H") >= 3 and not suit(s.lost, "S")),
    ("2", 2, "pyramid has R1", lambda s: "R1" in s.hands[2]),
    ("2", 2, "row 0 has any R; left has any R5", lambda s: "R5" in s.at(1)),
    ("6", 3, "pile has at least 4 H; seat 1 has any R2", lambda s: suit(s.pile, "H") >= 4 and "R2" in s.hands[1]),
    ("2", 1, "holder has any R2-5; deck has at least 5 H", lambda s: suit(s.at(0), "R") > 1 and suit(s.deck, "H") > 4),
    ("16", 3, "seat 0 has at most 2 H; seat 1 has any R1", lambda s: True),
]


def features(state: State) -> list[tuple]:
    """Return what is compared of a deal: each a value among few."""
    return [
        (state.holder,),
        tuple(sorted(card[0] for card in state.lost)),
        tuple(suit(hand, "H") for hand in state.hands)[:2],
        (suit(state.at(1), "R"), suit(state.at(0), "S") // 2),
        (len(state.deck & {"F1", "F2", "F3"}), suit(state.pile, "M")),
    ]


def same(ours: list[tuple], theirs: list[tuple]) -> float:
    """Return the p value of two samples of one distribution (chi-square of homogeneity, rare values together)."""
    counts = Counter(ours), Counter(theirs)
    values = [value for value in {*ours, *theirs} if sum(count[value] for count in counts) >= 20]
    rare = [[value for value in sample_ if value not in values] for sample_ in (ours, theirs)]
    table = np.array([[count[value] for value in values] + [len(other)] for count, other in zip(counts, rare, strict=True)])
    table = table[:, table.sum(axis=0) > 0]
    return float(stats.chi2_contingency(table).pvalue) if table.shape[1] > 1 else 1.0


@pytest.mark.skipif(not COMPILED, reason="plain Python is too slow to reject by the thousand")
@pytest.mark.parametrize(("label", "players", "text", "fits"), LARGE_CASES, ids=[f"{c[0]}-{c[1]}-{c[2]}" for c in LARGE_CASES])
def test_chapters_are_dealt_as_rejection_would(label: str, players: int, text: str, fits: Fits) -> None:
    where, scenario = Where(text), chapter(label)
    replays = "row" in text or label == "16"
    deals = 600 if replays else 4_000
    if replays:
        # The pyramid's rows, and cards dealt in steps, stand in the replay.
        ours, theirs = [], []
        for fitting, found in ((where, ours), (EVERY_DEAL, theirs)):
            for deal in itertools.count():
                replay = Replay(scenario, players, "random", SEED + len(fitting.text), deal, where=fitting)
                hands = tuple(frozenset(hand) for hand in replay.dealt)
                state = State(frozenset(replay.cards(replay.public.first_lost)), frozenset(), hands, frozenset())
                row = [card["card"] for card in replay.pyramid_dealt if card["row"] == 0]
                if label == "16":
                    good = suit(hands[0], "H") <= 2 and "R1" in hands[1]
                else:
                    good = fits(state) and any(card[0] == "R" for card in row)
                assert good or not fitting
                if good:
                    found.append((state, tuple(sorted(card[0] for card in row if card[0] == "R"))))
                if len(found) == deals:
                    break
        pairs = [([one[1] for one in ours], [one[1] for one in theirs])] + list(
            zip(*([[features(s)[k] for s, _ in found] for k in range(5)] for found in (ours, theirs)), strict=True)
        )
    else:
        given = [state for state, _ in sample(scenario, players, where, deals)]
        assert all(fits(state) for state in given)
        plain: list[State] = []
        for state, _ in sample(scenario, players, EVERY_DEAL, 400_000, seed=SEED + 1):
            if fits(state):
                plain.append(state)
            if len(plain) == deals:
                break
        pairs = list(zip(*([[features(s)[k] for s in found] for k in range(5)] for found in (given, plain)), strict=True))
    assert min(same(a, b) for a, b in pairs) > UNLIKELY


@pytest.mark.skipif(not COMPILED, reason="plain Python is too slow to reject by the thousand")
@pytest.mark.parametrize("policy", ["random", "script"])
def test_what_setup_decides_is_met_as_rejection_would(policy: str) -> None:
    scenario = chapter("2")
    names = [entry.character for entry in scenario.roster]

    def fits(goals: np.ndarray) -> np.ndarray:
        sam = ((goals.character == names.index("sam")) & (goals.threat == 3)).any(axis=1)
        return sam & (goals.character == names.index("gandalf")).any(axis=1)

    where = Where("threat of sam is 3; gandalf is in")
    rounds, goals = play_columns(scenario, 4, policy, SEED, 0, 6_000, False, where=where)
    assert fits(goals).all()
    assert (rounds.tries > 1).any()
    plain, plain_goals = play_columns(scenario, 4, policy, SEED + 1, 0, 60_000, False)
    kept = fits(plain_goals)
    # The share that is accepted is the share that fits.
    low, high = stats.binomtest(len(rounds), int(rounds.tries.sum())).proportion_ci(1 - UNLIKELY)
    assert low - 0.005 < kept.mean() < high + 0.005
    played = [(rounds, goals), (plain[kept], plain_goals[kept])]
    assert same(*([(bool(r.won), int(r.first_leader)) for r in rows] for rows, _ in played)) > UNLIKELY
    assert same(*([(int(r.lost).bit_length(),) for r in rows] for rows, _ in played)) > UNLIKELY
    for name in ("threat", "tricks", "verdict", "character"):
        assert same(*([tuple(row.tolist()) for row in table[name][:, :2]] for _, table in played)) > UNLIKELY


def left(played: Record) -> Record:
    return played["seats"][(played["ring_holder"] + 1) % len(played["seats"])]


def sams_threat(played: Record) -> int:
    return next(seat["threat"] for seat in played["seats"] if seat["character"] == "sam")


SAID: list[tuple[str, int, str, str, Callable[[Record], bool]]] = [
    ("2", 4, "random", "sam has at least 3 H; left is sam", lambda r: left(r)["character"] == "sam"),
    ("2", 4, "team", "pippin is in; merry has any H1",
     lambda r: "H1" in next(s["dealt"] for s in r["seats"] if s["character"] == "merry")),
    ("2", 4, "random", "first leader is not left", lambda r: r["first_leader"] != (r["ring_holder"] + 1) % 4),
    ("2", 3, "random", "threat of sam is 2, 4", lambda r: sams_threat(r) in (2, 4)),
    ("2", 2, "random", "shown has R5; row 2 has any H",
     lambda r: "R5" in [p["card"] for p in r["pyramid_dealt"] if p["up"]]),
    ("16", 3, "random", "frodo has R5", lambda r: "R5" in next(s["dealt"] for s in r["seats"] if s["character"] == "frodo")),
    ("16", 2, "random", "holder has at least 3 S",
     lambda r: suit(r["seats"][r["ring_holder"]]["dealt"], "S") >= 3),
    ("7", 3, "random", "first leader is mr_underhill",
     lambda r: r["seats"][r["first_leader"]]["character"] == "mr_underhill"),
    ("14-long_dark", 4, "random", "left has no R; lost is not F", lambda r: r["lost"][0][0] != "F"),
    ("2", 3, "search", "threat of sam is 3; left is sam", lambda r: sams_threat(r) == 3),
]  # fmt: skip


@pytest.mark.parametrize(("label", "players", "policy", "text", "fits"), SAID, ids=[c[3] for c in SAID])
def test_a_replayed_deal_fits_and_is_the_deal_of_the_run(
    label: str, players: int, policy: str, text: str, fits: Callable
) -> None:
    if policy in ("search", "team") and not COMPILED:
        pytest.skip("plain Python is too slow")
    where, scenario = Where(text, 5_000), scenarios.load(label)
    deals = 4 if policy == "search" else 12
    rounds, goals = play_columns(scenario, players, policy, SEED, 0, deals, False, PLAYOUTS, where=where)
    for deal in range(deals):
        replay = Replay(scenario, players, policy, SEED, deal, playouts=PLAYOUTS, where=where)
        played = record(replay)
        assert fits(played), played["seats"]
        assert replay.tries == rounds[deal].tries
        assert played["won"] == rounds[deal].won
        assert played["first_leader"] == rounds[deal].first_leader
        assert [s["character"] for s in played["seats"]] == [scenario.roster[int(c)].character for c in goals[deal].character]
        hands = sorted(card for seat in played["seats"] for card in seat["dealt"])
        assert len(hands) == len(set(hands)) == int(replay.rules.seats) * int(replay.rules.hand)
        assert not set(hands) & {*played["lost"], *played.get("barrow", [])}


def test_a_deal_that_fits_anyway_stays_what_it_was_where_nothing_is_dealt_outright() -> None:
    scenario, where = chapter("2"), Where("row 0 has R1")
    found = 0
    for deal in range(60):
        plain = Replay(scenario, 2, "random", SEED, deal)
        if any(card["card"] == "R1" for card in plain.pyramid_dealt if card["row"] == 0):
            given = Replay(scenario, 2, "random", SEED, deal, where=where)
            assert (given.tries, given.dealt, given.pyramid_dealt) == (1, plain.dealt, plain.pyramid_dealt)
            found += 1
    assert found > 2


CUT = [("2", 3, "frodo: R4 R5; left: no Hills"), ("2", 4, "threat of sam is 3"), ("2", 2, "row 0 has R1 or left has no H")]


@pytest.mark.parametrize(("label", "players", "text"), CUT)
def test_a_run_in_pieces_is_the_run_in_one(label: str, players: int, text: str) -> None:
    def rows(first: int, count: int) -> list[bytes]:
        rounds, goals = play_columns(chapter(label), players, "random", SEED, first, count, False, where=Where(text))
        return [np.asarray(rounds[i]).tobytes() + np.asarray(goals[i]).tobytes() for i in range(count)]

    whole = rows(0, 40)
    assert [row for a, b in ((0, 1), (1, 7), (7, 40)) for row in rows(a, b - a)] == whole
    assert len(set(whole)) == 40


def test_workers_change_nothing() -> None:
    asked = {"players": [3, 4], "policy": ["random"], "deals": 60, "seed": SEED, "where": "threat of sam is 3; left has no H"}
    one, two = (simulate(2, workers=workers, **asked) for workers in (1, 2))
    assert one.rounds.equals(two.rounds)
    assert one.goals.equals(two.goals)
    assert (one.rounds["tries"] >= 1).all()
    assert "tries" not in simulate(2, players=3, policy="random", deals=3, seed=1).rounds.columns


def test_policies_get_the_same_deals_when_the_condition_looks_at_the_deal_alone() -> None:
    where = Where("left has at least 4 H or row 0 has any R; lost is not S")
    policies = ("random", "script", "team") if COMPILED else ("random", "script")
    for deal in range(8):
        first, *others = [Replay(chapter("2"), 2, policy, SEED, deal, where=where).dealt for policy in policies]
        assert all(other == first for other in others)


def test_every_round_of_a_long_chapter_fits() -> None:
    scenario, where = chapter("9"), Where("lost is R; left has no H")
    rounds, _ = play_columns(scenario, 3, "script", SEED, 0, 20 // (1 if COMPILED else 4), False, where=where)
    rings = sum(1 << slot for slot, card in enumerate(scenario.cards) if card[0] == "R")
    assert (rounds.number > 1).any()
    assert all(int(lost) & rings for lost in rounds.lost)


PROGRAM = """
import hashlib
from sim.tricks.batch import play_columns
from sim.tricks.where import Where
import scenarios
digest = hashlib.sha256()
for label, players, text in {cases}:
    for policy in ("random", "script"):
        for columns in play_columns(scenarios.load(label), players, policy, 5, 0, 4, False, where=Where(text)):
            digest.update(columns.tobytes())
print(digest.hexdigest())
"""


@pytest.mark.skipif(not COMPILED, reason="this is plain Python already")
def test_conditioned_deals_are_the_same_compiled_and_as_plain_python() -> None:
    cases = [*CUT, ("6", 3, "pile has at least 3 H"), ("16", 3, "holder has R5"), ("2", 1, "deck has R2; sam is in")]
    import os

    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM.format(cases=cases)],
            env=os.environ | extra, capture_output=True, text=True, check=True,
        ).stdout
        for extra in ({}, {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"})
    }  # fmt: skip
    assert len(outputs) == 1


NEVER = [
    ("2", 3, "lost is R1", "it never holds in chapter 2 with 3 players"),
    ("2", 3, "left has R1", "it never holds in chapter 2 with 3 players"),
    ("2", 3, "lost is H3; left has H3", "its parts never hold together in chapter 2 with 3 players"),
    ("2", 3, "left has any H; seat 1 has at least 9 H", "'seat 1 has at least 9 H' never holds in chapter 2 with 3 players"),
    ("2", 1, "deck has R1", "it never holds in chapter 2 with 1 player"),
    ("6", 3, "pile has any R", "it never holds in chapter 6 with 3 players"),
]


@pytest.mark.parametrize(("label", "players", "text", "said"), NEVER)
def test_what_can_never_hold_is_said_before_a_deal_is_tried(label: str, players: int, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said.replace("'", ".")):
        load_rules(chapter(label), players, where=Where(text))


@pytest.mark.parametrize("text", ["row 0 has R1; row 1 has R1", "threat of sam is 3; threat of sam is 2"])
def test_too_many_tries_are_said_with_the_deal(text: str) -> None:
    where, scenario = Where(text, 50), chapter("2")
    with pytest.raises(UserError, match="none of 50 deals tried fits .chapter 2, 2 players, deal 5 of seed 0x7.; --tries"):
        play_columns(scenario, 2, "random", 7, 5, 3, False, where=where)
    with pytest.raises(UserError, match="none of 50 deals tried fits"):
        record(Replay(scenario, 2, "random", 7, 5, where=where))


def test_the_solver_solves_the_deals_of_the_condition() -> None:
    where, scenario = Where("threat of sam is 3; left has no H"), chapter("2")
    answers = Solver(scenario, 3, "script", 200, where=where).answers(SEED, 0, 3)
    rounds, _ = play_columns(scenario, 3, "script", SEED, 0, 3, False, where=where)
    assert answers.tries.tolist() == rounds.tries.tolist()
    shown = OpenReplay(scenario, 3, SEED, 1, "script", 200, where=where)
    shown.set_up()
    assert shown.dealt == _dealt(Replay(scenario, 3, "script", SEED, 1, where=where))
    with pytest.raises(UserError, match="leave out --over-setup"):
        Solver(scenario, 3, "script", 200, 5, where)


def _dealt(replay: Replay) -> list[list[str]]:
    replay.set_up()
    return replay.dealt


def test_reasons_are_those_of_the_round_that_was_played() -> None:
    where = Where("threat of sam is 3")
    for deal in range(6):
        replay = Replay(chapter("2"), 3, "script", SEED, deal, where=where, explain=True)
        record(replay)
        again = Replay(chapter("2"), 3, "script", SEED, deal, where=where)
        decisions = record(again)
        assert len(replay.reasons) <= len(decisions["selection"]) + len(decisions["setup"]) * 3 + 36
        if replay.tries > 1:
            return
    pytest.fail("no deal was tried twice")
