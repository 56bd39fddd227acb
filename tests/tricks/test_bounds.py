"""Verdicts on goals against every way in which the round can still go on.

A goal that the engine calls lost is lost in every ending, one that it calls met is met in every ending. Each round is
played at random, then the goals are set close to what came out, so that they are decided late.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from referee.endings import reachable
from referee.goals import Finished

from scenarios import Scenario
from scenarios.cards import select
from scenarios.model import Term
from sim.tricks.table import FAILED, MET

from .games import CHAPTERS, PLAYERS, Round, chapter, plain, play, rounds
from .scenes import short, write

GAMES = 3
"""Rounds tried out per kind of term and number of players."""
LOOSE: Counter[tuple[str, bool]] = Counter()
"""How often a goal whose verdict can be but one before the end was called open (True) or sealed (False), by kind of term."""

SETUPS: dict[str, list[dict[str, Any]]] = {
    "idle": [],
    "taker": [{"do": "take_lost"}],
    "drawer": [{"do": "draw_threat"}],
    "giver": [{"do": "give_each"}],
}
MASKS = ["all", "R", "H", "M2-3", "*1", "*4", "HF", ["H1", "M2", "R3"], "R1"]
ABSOLUTE = ("tricks", "cards", "tricks_with", "tricks_without", "streak", "distinct_ranks", "same_rank", "run", "last_card")
KINDS = [*ABSOLUTE, "kept_suit", "leads", "late", "threat", "rank_of_threat"]
COMPARED = ["fewest_tricks", "most_tricks", "between", "fewest_cards", "most_cards", "each_tricks", "each_cards", "lent"]
TAKES_CARDS = {"cards", "tricks_with", "tricks_without", "distinct_ranks", "same_rank", "run", "last_card", "leads"}


def sound(played: Round, scenario: Scenario, last: int, kinds: list[str]) -> None:
    """Assert that the verdicts before the last tricks of a round are true of all its endings."""
    end = len(played.record["tricks"])
    for trick in range(max(0, end - last), end + 1):
        can_be = reachable(plain(played.record), trick, scenario)
        for seat, (verdict, endings) in enumerate(zip(played.verdicts[trick], can_be, strict=True)):
            told = f"after trick {trick}, seat {seat} ({played.record['seats'][seat]['character']}, {kinds[seat]})"
            if verdict == FAILED:
                assert endings == {False}, f"{told}: called lost, but it can be met"
            elif verdict == MET:
                assert endings == {True}, f"{told}: called met, but it can be lost"
            if len(endings) == 1 and trick < end:
                LOOSE[kinds[seat], verdict not in (FAILED, MET)] += 1


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("label", CHAPTERS)
def test_the_verdicts_of_the_chapters_are_true_of_every_ending(label: str, players: int) -> None:
    for deal, played in enumerate(rounds(label, players, "random", 60)[:8]):
        kinds = [entry["character"] for entry in played.record["seats"]]
        sound(played, chapter(label), 3 if deal == 0 else 2, kinds)


# Characters made for the purpose.


def value_of(term: Term, seat: int, played: Round, scenario: Scenario) -> int:
    """Return what a term counted for a seat in a finished round (0 for a streak that was broken)."""
    return finished(played, scenario).measure(term, seat, seat) or 0


def finished(played: Round, scenario: Scenario) -> Finished:
    """Return a finished round as the referee sees it."""
    seats = played.record["seats"]
    return Finished(
        players=played.record["players"],
        characters=[scenario.characters[entry["character"]] for entry in seats],
        keys=[entry["character"] for entry in seats],
        threats=[entry["threat"] for entry in seats],
        tricks=played.record["tricks"],
        left=played.record["left"],
    )


def near(chance: random.Random, actual: int, most: int) -> dict[str, int]:
    """Return a target of at most `most` that `actual` just meets or just misses."""
    low, same, high = max(0, actual - 1), actual, min(actual + 1, most)
    return chance.choice(
        [
            {"at_least": chance.choice([same, high])},
            {"at_most": chance.choice([low, same])},
            {"exactly": chance.choice([low, same, high])},
            {"at_least": low, "at_most": same},
        ]
    )


def make_term(kind: str, chance: random.Random, seat: int, played: Round, scenario: Scenario) -> dict[str, Any]:
    """Return a term of a kind whose target is close to what came out for a seat."""
    cards = chance.choice(MASKS)
    threat = played.record["seats"][seat]["threat"]
    if kind == "threat" and threat is not None:
        return {"measure": "tricks", chance.choice(["exactly", "at_least", "at_most"]): chance.choice(["threat", "threat-1"])}
    if kind == "rank_of_threat" and threat is not None:
        return {"measure": "cards", "cards": chance.choice(["*{threat}", "HM{threat}"]), "at_least": chance.choice([1, 2])}
    if kind in ("fewest_tricks", "most_tricks"):
        return {"measure": "tricks", "compare": kind.split("_")[0], "ties": chance.random() < 0.5}
    if kind == "between":
        return {"measure": "tricks", "compare": "between"}
    if kind in ("fewest_cards", "most_cards"):
        return {"measure": "cards", "cards": cards, "compare": kind.split("_")[0], "ties": chance.random() < 0.5}
    if kind in ("each_tricks", "each_cards"):
        term: dict[str, Any] = {"measure": kind.split("_")[1], "of": chance.choice(["each", "each_other"])}
        if kind == "each_cards":
            term["cards"] = chance.choice(["all", "R", "H", "*1", "F1-2"])
        asked = Term(**term, at_least=0)
        values = [finished(played, scenario).measure(asked, other, seat) or 0 for other in range(len(played.record["seats"]))]
        return term | chance.choice([{"at_least": max(1, min(values))}, {"at_most": max(values)}, {"exactly": values[0]}])
    term = {"measure": "cards" if kind == "lent" else kind}
    if kind in ("late", "threat", "rank_of_threat"):
        term = {"measure": "tricks", "last": chance.choice([1, 2, 3])}
    if term["measure"] in TAKES_CARDS:
        term["cards"] = "R" if kind == "lent" else cards
    there = len(select(term["cards"], scenario.cards)) if term["measure"] == "cards" else 99
    return term | near(chance, value_of(Term(**term, at_least=0), seat, played, scenario), there)


def try_out(kind: str, players: int, number: int, folder: Path, terms: int = 1) -> None:
    """Play a short round, set its characters goals of a kind close to what came out, play it again and judge its end."""
    chance = random.Random(f"{kind} {players} {number}")
    setups = chance.choices(["idle", "taker", "drawer", "giver"], weights=[3, 2, 2, 1 if players > 1 else 0], k=4)
    names = [f"hero{index}" for index in range(4)]
    make = write if players == 2 else short
    more = {"threats": [1, 2, 3, 4, 5, 6]}
    easy = {"measure": "tricks", "at_least": 0}
    cast = {name: {"goal": [easy], "setup": SETUPS[setup]} for name, setup in zip(names, setups, strict=True)}
    if kind == "lent":
        cast["hero0"]["lends"] = [{"to": "hero1", "cards": chance.choice(["R", "R1-3"])}]
    path = folder / f"{kind}{players}n{number}.toml"
    scenario = make(path, names, cast, **more)
    first = play(scenario, players, "random", number)
    kinds = {}
    for seat, entry in enumerate(first.record["seats"]):
        name = entry["character"]
        wanted = kind
        if kind == "lent" and name != "hero1":
            wanted = "cards"
        kinds[name] = wanted
        cast[name]["goal"] = [
            make_term(wanted if index == 0 else chance.choice(KINDS[:8]), chance, seat, first, scenario) for index in range(terms)
        ]
    scenario = make(path, names, cast, **more)
    second = play(scenario, players, "random", number)
    assert [trick["plays"] for trick in second.record["tricks"]] == [trick["plays"] for trick in first.record["tricks"]]
    exact = [kinds[entry["character"]] for entry in second.record["seats"]]
    assert finished(second, scenario).verdicts() == second.record["goals"], (path, second.record["seats"])
    sound(second, scenario, 3 if players != 2 and number % 3 == 0 else 2, exact)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("kind", [*KINDS, *COMPARED])
def test_the_verdicts_of_own_characters_are_true_of_every_ending(kind: str, players: int, tmp_path: Path) -> None:
    for number in range(GAMES):
        try_out(kind, players, number, tmp_path)


@pytest.mark.parametrize("players", PLAYERS)
def test_the_verdicts_of_goals_of_several_terms_are_true_of_every_ending(players: int, tmp_path: Path) -> None:
    for number in range(len(KINDS)):
        try_out(KINDS[number % len(KINDS)], players, number + 100, tmp_path, terms=2 + number % 2)
