"""Rounds that the referee plays at random are legal by its own rules; and it imports nothing of the engine."""

from __future__ import annotations

import ast
import json
import random
from pathlib import Path

import pytest

from .assumptions import DEFAULTS, OPTIONS, chosen
from .chapters import FORCED, GROUPS
from .play import play
from .referee import referee
from .roles import ROLES

ROUNDS = 12


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("number", range(1, 19))
def test_random_rounds_are_right_under_any_assumptions(number: int, players: int) -> None:
    for at in range(ROUNDS):
        chance = random.Random(f"{number} {players} {at}")
        assume = {name: chance.choice(options) for name, options in OPTIONS.items()} if at % 2 else {}
        record = json.loads(json.dumps(play(number, players, chance, assume=assume)))
        assert referee(record, playouts=1) == [], (at, assume)


def test_random_rounds_meet_and_fail_every_goal_and_show_every_event() -> None:
    met: set[str] = set()
    failed: set[str] = set()
    events: set[str] = set()
    actions: set[str] = set()
    for number in range(1, 19):
        for at in range(60):
            record = play(number, 3 + at % 2, random.Random(f"{number} {at}"))
            for entry, goal in zip(record["seats"], record["goals"], strict=True):
                (met if goal else failed).add(entry["character"])
            events |= {str(record["event"]), str(record["group"])} | {c["curse"] for c in record["curse_failures"]}
            events |= {"willow"} if any(trick["winner"] is None for trick in record["tricks"]) else set()
            events |= {str(record["failed_event"])} | ({"mithril"} if record["mithril"] else set())
            actions |= {entry["action"] for entry in record["setup"]}
    # All Shadows, just three tricks in a row, the last trick and no Ring: hardly ever met by chance.
    assert set(ROLES) - met <= {"glorfindel", "goldberry", "boromir_son_of_denethor"}
    assert failed == set(ROLES) - {"gandalf_servant"}
    assert events >= {*FORCED, *GROUPS, "willow", "balrog", "mithril", "black_breath", "morgul_knife", "terror"}
    assert actions >= {"take_barrow", "mirror_pass", "long_dark", "redraw", "keep_threat", "horn", "sword", "preplay", "tuck"}


@pytest.mark.parametrize("name", ["A1", "A2", "A3", "A4", "A5", "A8", "A16"])
def test_an_assumption_that_shows_is_read_from_the_record(name: str) -> None:
    """Without its assumption some random round of a chapter that it concerns is wrong."""
    numbers = {"A1": 9, "A2": 13, "A3": 12, "A4": 18, "A5": 14, "A8": 5, "A16": 5}
    wrong = 0
    for option in OPTIONS[name][1:]:
        for at in range(60):
            event = "bridge_of_khazad_dum" if numbers[name] == 14 else None
            players = 2 if name == "A8" else 4
            record = play(numbers[name], players, random.Random(f"{name} {option} {at}"), event, assume={name: option})
            assert record["assumptions"] == {name: option}
            assert referee(record) == []
            wrong += bool(referee(record, assume={name: DEFAULTS[name]}))
    assert wrong > 0


def test_an_option_that_is_unknown_is_refused() -> None:
    with pytest.raises(ValueError, match="assumption A3: perhaps; the referee knows yes, no"):
        chosen({"A3": "perhaps"})


def test_the_referee_imports_nothing_of_what_it_judges() -> None:
    for path in Path(__file__).parent.glob("*.py"):
        if path.name.startswith("test_"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            else:
                continue
            assert not any(name.split(".")[0] in ("sim", "scenarios", "reports", "cli", "numba", "numpy") for name in names)
