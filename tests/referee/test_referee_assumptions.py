"""Assumptions, records that leave something out, and rounds stopped early."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scenarios import load

from .endings import reachable
from .preparation import DifferenceError, Setup, rules_of
from .recorded import SELECTION, records, scenario_of, with_chapter
from .referee import prepare, referee, replay

Record = dict[str, Any]


def copy(record: Record) -> Record:
    """Return a record that can be changed."""
    return json.loads(json.dumps(record))


def first(**wanted: Any) -> Record:
    """Return the first record with chapter and players as wanted and, for `action`, such a setup entry."""
    action = wanted.pop("action", None)
    for record in with_chapter():
        entries = [entry for entry in record["setup"] if entry["action"] == action]
        if all(record[key] == value for key, value in wanted.items()) and (action is None or entries):
            return record
    raise AssertionError(f"no record with {wanted}")


def test_what_is_missing_is_not_checked() -> None:
    names = ["selection", "ring_holder", "solo_exchanger", "pyramid_dealt", "pyramid_at_play", "lost", "lost_at_play", "setup"]
    names += ["draw_order", "left", "won", "engine_stop", "stopped_early", "event", "group"]
    for record in with_chapter():
        short = copy(record)
        for name in names:
            if name == "pyramid_at_play":
                continue  # without it nobody knows which cards lie uncovered
            short.pop(name, None)
        for entry in short["seats"]:
            for name in ("dealt", "controller", "retained"):
                del entry[name]
        for trick in short["tricks"]:
            del trick["legal"]
        assert referee(short, scenario_of(short)) == []


def test_a_record_without_setup_is_judged_by_its_hands() -> None:
    for record in with_chapter()[::5]:
        short = copy(record)
        del short["setup"]
        assert referee(short, scenario_of(short)) == []
        if short["players"] != 2:
            short["seats"][0]["hand"] = short["seats"][0]["hand"][1:]
            assert referee(short, scenario_of(short))


def test_the_lost_card_may_stay_where_that_is_assumed() -> None:
    record = copy(first(chapter=1, players=4, action="take_lost"))
    at = next(n for n, entry in enumerate(record["setup"]) if entry["action"] == "take_lost")
    del record["setup"][at]
    compulsory, optional = load(1), load(1, {"A12": "optional"})
    assert "take_lost is due" in referee(record, compulsory)[0]
    # The rest of the record still says that Gandalf has the card: what differs is that, not the missing entry.
    for scenario, assume in ((optional, {}), (compulsory, {"A12": "optional"})):
        assert "take_lost is due" not in str(referee(record, scenario, assume=assume))
    record["assumptions"] = {"A12": "optional"}
    assert "take_lost is due" not in str(referee(record, compulsory))


def test_a_rejected_threat_is_out_or_comes_back() -> None:
    record = copy(first(chapter=3, players=4))
    record["setup"] = [
        {"seat": 0, "action": "threat", "value": 2, "rejected": [4]},
        {"seat": 1, "action": "threat", "value": 4, "rejected": []},
    ]
    seats = ["sam", "farmer_maggot", "gildor_inglorion", "frodo"]
    for entry, character in zip(record["seats"], seats, strict=True):
        entry["character"] = character
    record["lost"] = ["H4"]
    for assume, value in (({}, "threat 4 is not in the deck"), ({"A14": "shuffled_back"}, None)):
        scenario = load(3, assume)
        setup = Setup(record, scenario, rules_of(record, scenario, {}))
        sam, maggot = (setup.characters[seat].setup[0] for seat in (0, 1))
        setup.do_draw_threat(0, sam)
        if value is None:
            setup.do_draw_threat(1, maggot)
            assert setup.threats[:2] == [2, 4]
        else:
            with pytest.raises(DifferenceError, match=value):
                setup.do_draw_threat(1, maggot)


def test_solo_selection_may_be_read_strictly() -> None:
    strict = {"A21": "required_first"}
    agree = 0
    for record in with_chapter():
        if record["players"] != 1:
            continue
        required = [entry.character for entry in scenario_of(record).roster if entry.required]  # type: ignore[union-attr]
        holder = record["ring_holder"]
        chosen = [record["seats"][(holder + step) % 4]["character"] for step in range(4)]
        in_front = sorted(chosen[: len(required)]) == sorted(required)
        bare = copy(record)
        del bare["selection"]
        assert (referee(bare, scenario_of(bare), assume=strict) == []) is in_front
        agree += in_front
    assert agree > 0


def test_when_the_declaration_is_made_does_not_show() -> None:
    for record in with_chapter()[::9]:
        assert referee(record, scenario_of(record), assume={"A10": "after_trick"}) == []


def test_without_a_bound_character_the_holder_or_his_left_begins(tmp_path: Any) -> None:
    path = tmp_path / "inn.toml"
    roster = ["barliman_butterbur", "pippin", "merry", "bilbo"]
    entries = "".join(f'[[roster]]\ncharacter = "{name}"\n' for name in roster)
    path.write_text(f'schema = 1\ntitle = "The inn"\n{entries}')
    seats = [
        {"character": "barliman_butterbur", "dealt": ["H1", "H2"]},
        {"character": "pippin", "dealt": ["R1", "M2"]},
        {"character": "merry", "dealt": ["S1", "S2"]},
    ]
    exchanges = {
        0: {"seat": 0, "action": "exchange", "with": 1, "gave": "H1", "got": "R1"},
        1: {"seat": 1, "action": "exchange", "with": 2, "gave": "M2", "got": "M2"},
        2: {"seat": 2, "action": "exchange", "with": 1, "gave": "S1", "got": "S1"},
    }
    for option, order in (("holder", [1, 2, 0]), ("left_of_holder", [2, 0, 1])):
        record: Record = {"players": 3, "seats": seats, "lost": ["H5"], "setup": [exchanges[seat] for seat in order]}
        scenario = load(path, {"A13": option})
        setup = Setup(record, scenario, rules_of(record, scenario, {}))
        setup.run()
        assert [sorted(hand.everything()) for hand in setup.hands] == [["H2", "R1"], ["H1", "M2"], ["S1", "S2"]]


def stopped(record: Record, after: int) -> Record:
    """Return a record that ends after a trick, with the goals that are decided by then."""
    scenario = scenario_of(record)
    short = copy(record)
    short["tricks"] = short["tricks"][:after]
    short["stopped_early"] = True
    for name in ("left", "won", "sealed"):
        short.pop(name, None)
    short["goals"] = [verdicts.pop() if len(verdicts) == 1 else None for verdicts in reachable(record, after, scenario)]
    return short


def test_a_round_stopped_early_has_goals_that_nothing_changes() -> None:
    tried = 0
    for record in with_chapter()[::3]:
        after = len(record["tricks"]) - 2
        short = stopped(record, after)
        if False not in short["goals"] and None in short["goals"]:
            assert referee(short, scenario_of(short)) == ["stopped_early: no goal is failed and not all are met"]
            continue
        tried += 1
        assert referee(short, scenario_of(short)) == []
        if None in short["goals"]:
            short["goals"][short["goals"].index(None)] = False
            assert "it can still be met" in str(referee(short, scenario_of(short), playouts=60))
    assert tried > 5


def test_a_seal_that_comes_too_early_is_found_by_playing_on() -> None:
    goldberry = records(SELECTION / "ttcg_p4.jsonl")[121]
    assert referee(goldberry, None) == []
    assert "after trick 6 it can still be failed" in str(referee(goldberry, None, playouts=20))
    position = replay(goldberry, None, prepare(goldberry, None, {}, []), [])[6]
    assert "goldberry" in position.keys
