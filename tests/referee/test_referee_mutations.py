"""A referee that agrees with everything is worth nothing: every change of a good record has to be found.

Here are changes that any chapter knows; those of single events and characters stand in `test_referee_mutations_events`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .changes import Change, Record, good_lines, is_found, pick, rename, seat_of, setup_entries
from .recorded import chapter_played, judge
from .roles import ROLES

CHANGES: dict[str, Change] = {}


def change(function: Change) -> Change:
    """Add a change to those that are tried."""
    CHANGES[function.__name__] = function
    return function


def free(record: Record, seat: int) -> bool:
    """Return whether a seat plays otherwise than others: cards laid aside, no need to follow."""
    return record.get("chapter") == 12 or record["seats"][seat]["character"] in ("shadowfax", "gandalf_servant")


@change
def wrong_winner(record: Record, chance: random.Random) -> str | None:
    """Another seat wins a trick."""
    number, trick = pick(record, chance)
    trick["winner"] = chance.choice([seat for seat, _ in trick["plays"] if seat != trick["winner"]])
    return f"trick {number}: winner {trick['winner']}"


@change
def illegal_card(record: Record, chance: random.Random) -> str | None:
    """A seat discards although it can follow: it plays a later card first."""
    plays = [(n, position) for n, trick in enumerate(record["tricks"]) for position in range(1, len(trick["plays"]))]
    chance.shuffle(plays)
    for n, position in plays:
        seat, card = record["tricks"][n]["plays"][position]
        led = record["tricks"][n]["plays"][0][1][0]
        for later in record["tricks"][n + 1 :]:
            for play in later["plays"]:
                held = record["players"] not in (1, 2) and not free(record, seat)
                if held and play[0] == seat and card[0] == led and play[1][0] != led:
                    record["tricks"][n]["plays"][position][1], play[1] = play[1], card
                    return f"trick {n + 1}, seat {seat}: plays {record['tricks'][n]['plays'][position][1]}; legal are"
    return None


@change
def rings_led_too_early(record: Record, chance: random.Random) -> str | None:
    """The first leader leads a Ring that he plays later on."""
    trick = record["tricks"][0]
    leader = trick["leader"]
    if record["players"] in (1, 2) or free(record, leader):
        return None
    for later in record["tricks"][1:]:
        for play in later["plays"]:
            if play[0] == leader and play[1][0] == "R":
                play[1], trick["plays"][0][1] = trick["plays"][0][1], play[1]
                return f"trick 1, seat {leader}: plays R"
    return None


@change
def wrong_goal(record: Record, chance: random.Random) -> str | None:
    """A goal is said to be the other way round."""
    seat = chance.randrange(len(record["goals"]))
    record["goals"][seat] = not record["goals"][seat]
    return f"goal of seat {seat}"


@change
def card_played_twice(record: Record, chance: random.Random) -> str | None:
    """A seat plays a card again that it has played before."""
    number, trick = pick(record, chance)
    seat, card = trick["plays"][0]
    for later in record["tricks"][number:]:
        for play in later["plays"]:
            if play[0] == seat:
                play[1] = card
                return f"seat {seat}: plays {card}; it is not in the hand"
    return None


@change
def another_ones_card(record: Record, chance: random.Random) -> str | None:
    """Two seats play each other's cards in a trick."""
    number, trick = pick(record, chance)
    first, second = trick["plays"][:2]
    first[1], second[1] = second[1], first[1]
    return f"trick {number}, seat {first[0]}: plays {first[1]}; it is not in the hand"


@change
def hands_changed(record: Record, chance: random.Random) -> str | None:
    """Two seats hold each other's cards at play."""
    one, other = record["seats"][0]["hand"], record["seats"][1]["hand"]
    one[0], other[0] = other[0], one[0]
    return "seat 0: hand at play" if "setup" in record else "seat "


@change
def card_dealt_twice(record: Record, chance: random.Random) -> str | None:
    """A card lies in two hands, another in none."""
    name = "dealt" if "dealt" in record["seats"][0] else "hand"
    record["seats"][0][name][0] = record["seats"][1][name][0]
    return f"{record['seats'][1][name][0]} is there 2 times"


@change
def lost_ring(record: Record, chance: random.Random) -> str | None:
    """The 1 of Rings is the lost card."""
    if not record.get("lost") or (record["chapter"] == 16 and record["players"] != 1):
        return None
    record["lost"] = ["R1"]
    return "R1 is lost; it is never lost"


@change
def wrong_first_leader(record: Record, chance: random.Random) -> str | None:
    """Somebody else than Frodo is said to lead first."""
    record["first_leader"] = (record["first_leader"] + 1) % len(record["seats"])
    return "first_leader"


@change
def wrong_leader(record: Record, chance: random.Random) -> str | None:
    """A trick is led by somebody who did not win the last one."""
    trick = record["tricks"][1]
    if "bilbo_baggins" in [entry["character"] for entry in record["seats"]]:
        return None
    trick["leader"] = (trick["leader"] + 1) % len(record["seats"])
    return "trick 2: seat"


@change
def turn_left_out(record: Record, chance: random.Random) -> str | None:
    """A seat does not play to a trick."""
    number, trick = pick(record, chance)
    del trick["plays"][-1]
    return f"trick {number}: seats"


@change
def trick_too_few(record: Record, chance: random.Random) -> str | None:
    """The last trick is missing."""
    del record["tricks"][-1]
    return "cards are left to play"


@change
def trick_too_many(record: Record, chance: random.Random) -> str | None:
    """There is a trick after the last one."""
    record["tricks"].append(record["tricks"][-1])
    return "the round is over"


@change
def declared_without_the_card(record: Record, chance: random.Random) -> str | None:
    """The 1 of Rings is said to win a trick in which it is not."""
    number, trick = pick(record, chance)
    if "R1" in [card for _, card in trick["plays"]]:
        return None
    trick["one_ring_wins"] = True
    return f"trick {number}: one_ring_wins"


@change
def legal_card_left_out(record: Record, chance: random.Random) -> str | None:
    """The list of legal cards is short of one."""
    number, trick = pick(record, chance)
    if "legal" not in trick:
        return None
    del trick["legal"][0][0]
    return f"trick {number}, seat {trick['leader']}: legal is"


@change
def refills_in_another_order(record: Record, chance: random.Random) -> str | None:
    """Two hands draw each other's cards."""
    draws = record["tricks"][0].get("draws")
    if not draws:
        return None
    draws[0][1], draws[1][1] = draws[1][1], draws[0][1]
    return "trick 1: draws"


@change
def exchange_with_a_wrong_partner(record: Record, chance: random.Random) -> str | None:
    """An exchange goes to somebody whom the card does not name."""
    for entry in setup_entries(record, "exchange"):
        others = set(range(len(record["seats"]))) - {entry["seat"], *entry["targets"]}
        if others:
            entry["with"] = min(others)
            return f"exchanges with seat {entry['with']}"
    return None


@change
def exchange_left_out(record: Record, chance: random.Random) -> str | None:
    """A character that has a partner does not exchange."""
    entries = setup_entries(record, "exchange")
    if not entries:
        return None
    record["setup"].remove(entries[-1])
    return "exchange is due"


@change
def ring_given_away(record: Record, chance: random.Random) -> str | None:
    """Frodo gives the 1 of Rings back in an exchange."""
    frodo = seat_of(record, "frodo")
    for entry in setup_entries(record, "exchange"):
        if entry["with"] == frodo:
            entry["got"] = "R1"
            return f"gets R1 back; seat {frodo} may give"
    return None


@change
def covered_card_exchanged(record: Record, chance: random.Random) -> str | None:
    """The pyramid gives a card of its middle row."""
    for entry in setup_entries(record, "exchange"):
        if record["players"] == 2 and entry["seat"] == 2:
            covered = next(place["card"] for place in record["pyramid_dealt"] if place["row"] == 1)
            entry["gave"] = covered
            return f"gives {covered}; it may give"
    return None


@change
def covered_card_played(record: Record, chance: random.Random) -> str | None:
    """The pyramid plays the card of its top row first."""
    if record["players"] != 2:
        return None
    top = next(place["card"] for place in record["pyramid_at_play"] if place["row"] == 2)
    play = next(play for play in record["tricks"][0]["plays"] if play[0] == 2)
    later = next((play for trick in record["tricks"] for play in trick["plays"] if play[1] == top), None)
    if later is None:  # kept to the end
        return None
    play[1], later[1] = later[1], play[1]
    return f"trick 1, seat 2: plays {top}; legal are"


@change
def received_card_in_another_place(record: Record, chance: random.Random) -> str | None:
    """Two cards of the pyramid changed places during setup."""
    if record["players"] != 2:
        return None
    places = record["pyramid_at_play"]
    places[0]["card"], places[5]["card"] = places[5]["card"], places[0]["card"]
    return "pyramid_at_play: rows"


@change
def wrong_controller(record: Record, chance: random.Random) -> str | None:
    """The pyramid is played by the wrong person."""
    if record["players"] != 2:
        return None
    record["seats"][2]["controller"] = 1 - record["seats"][2]["controller"]
    return "seat 2: controlled by"


@change
def gift_to_oneself_twice(record: Record, chance: random.Random) -> str | None:
    """Fatty gives two cards to one seat and none to another."""
    entries = setup_entries(record, "donate")
    if not entries:
        return None
    entries[0]["to"] = entries[1]["to"]
    return f"gives to seat {entries[0]['to']}; still waiting"


@change
def lost_card_left_lying(record: Record, chance: random.Random) -> str | None:
    """Gandalf does not take the lost card."""
    entries = setup_entries(record, "take_lost")
    if not entries:
        return None
    record["setup"].remove(entries[0])
    return "take_lost is due"


@change
def two_exchange_in_solo(record: Record, chance: random.Random) -> str | None:
    """Another character than the chosen one exchanges."""
    for entry in setup_entries(record, "choose_solo_exchanger"):
        others = [seat for seat in entry["options"] if seat != entry["chosen"]]
        if others:
            entry["chosen"] = record["solo_exchanger"] = others[0]
            return "setup"
    return None


@change
def threat_that_had_to_be_drawn_again(record: Record, chance: random.Random) -> str | None:
    """Sam keeps a threat whose Hill is lost."""
    sam = seat_of(record, "sam")
    gandalf = seat_of(record, "gandalf")
    drawn_again = any(entry["rejected"] for entry in setup_entries(record, "threat"))
    swapped = bool(setup_entries(record, "exchange_lost"))
    if sam is None or gandalf is not None or swapped or drawn_again or not record.get("lost_at_play"):
        return None
    card, lost = f"H{record['seats'][sam]['threat']}", record["lost_at_play"][0]
    renamed = rename(record, {card: lost, lost: card})
    record.clear()
    record.update(renamed)
    return "has to be drawn again"


@change
def threat_drawn_again_for_nothing(record: Record, chance: random.Random) -> str | None:
    """Farmer Maggot rejects a threat."""
    for entry in setup_entries(record, "threat"):
        if not entry["rejected"] and record["seats"][entry["seat"]]["character"] == "farmer_maggot":
            drawn = [other["value"] for other in setup_entries(record, "threat")]
            entry["rejected"] = [next(value for value in (1, 2, 3, 4) if value not in drawn)]
            return f"threat {entry['rejected'][0]} is drawn again, but lost are"
    return None


@change
def threat_drawn_twice(record: Record, chance: random.Random) -> str | None:
    """Two characters draw the same number."""
    seats = [entry for entry in record["seats"] if entry.get("threat") is not None]
    more = ("choose_threat", "redraw", "keep_threat")
    if len(seats) < 2 or any(setup_entries(record, action) for action in more):
        return None
    for entry in setup_entries(record, "threat"):
        entry["value"] = seats[0]["threat"]
    value = seats[1]["threat"] = seats[0]["threat"]
    return f"threat {value}"


@change
def character_that_cannot_be_chosen(record: Record, chance: random.Random) -> str | None:
    """A seat takes a character although later seats cannot cover the required ones any more."""
    if record.get("chapter") != 1 or len(record["seats"]) != 3:
        return None
    seat = next(seat for seat, entry in enumerate(record["seats"]) if entry["character"] == "bilbo")
    free = ({"gandalf", "pippin"} - {entry["character"] for entry in record["seats"]}).pop()
    record["seats"][seat]["character"] = free
    return "selection: bilbo is required; nobody took it"


@change
def frodo_for_another_seat(record: Record, chance: random.Random) -> str | None:
    """Frodo is taken by somebody who does not hold the 1 of Rings."""
    frodo, seats = seat_of(record, "frodo"), record["seats"]
    if frodo is None or record.get("chapter") in (None, 16):
        return None
    other = (frodo + 1) % len(seats)
    seats[frodo]["character"], seats[other]["character"] = seats[other]["character"], "frodo"
    return f"selection, seat {frodo}"


@change
def option_left_out(record: Record, chance: random.Random) -> str | None:
    """The options of a choice are short of one."""
    if not record.get("selection"):
        return None
    entry = record["selection"][1]
    entry["options"] = entry["options"][1:]
    return f"selection, seat {entry['seat']}: options"


@change
def wrong_seal(record: Record, chance: random.Random) -> str | None:
    """A goal is said to be lost for good though it is met at the end, or the other way round."""
    seat = chance.randrange(len(record["goals"]))
    verdict = record["goals"][seat]
    sealed = {"failed_after": 2 if verdict else None, "met_after": None if verdict else 2}
    record["sealed"] = record.get("sealed") or [
        {"failed_after": None if goal else len(record["tricks"]), "met_after": len(record["tricks"]) if goal else None}
        for goal in record["goals"]
    ]
    record["sealed"][seat] = sealed
    return f"sealed, seat {seat}"


@change
def wrong_won(record: Record, chance: random.Random) -> str | None:
    """The round is said to be won though it is lost, or lost though it is won."""
    if "won" not in record:
        return None
    record["won"] = not record["won"]
    return "won: "


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_record_is_found(name: str) -> None:
    is_found(name, CHANGES[name], least=6)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all values in a record."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, (*path, number))
    else:
        yield path


# Values that stand beside the rules: remarks, what an event happened to show, and who names the solo exchanger.
REMARKS = {"game", "chapter", "players", "event", "group", "why", "engine_stop", "rejected_actions", "failed_event", "applies"}
REMARKS |= {"stopped_early", "removed", "col", "row", "one_ring_wins", "reveal", "mithril", "repaired"}


def judged(record: Record, path: tuple[Any, ...]) -> bool:
    """Return whether a value of a record is one on which the rules speak."""
    if REMARKS & set(path) or path[-1] == "controller":
        return False
    if path[0] == "setup":
        entry = record["setup"][path[1]]
        # In a solo game one person names the exchanger; which seat stands there says nothing.
        if entry["action"] in ("choose_solo_exchanger", "no_exchange"):
            return path[-1] == "chosen"
        if entry["action"] == "reveal_hand":
            return False
        # A card that comes straight back may have gone to any of the partners.
        if path[2] == "with" and "got" in entry and entry["gave"] == entry["got"]:
            return False
    return True


CHARACTERS = sorted(ROLES)


@settings(max_examples=300)
@given(st.data())
def test_any_other_value_of_a_record_is_found(data: st.DataObject) -> None:
    record = json.loads(data.draw(st.sampled_from([line for line in good_lines() if '"chapter"' in line])))
    path = data.draw(st.sampled_from([path for path in leaves(record) if judged(record, path)]))
    holder = record
    for step in path[:-1]:
        holder = holder[step]
    old = holder[path[-1]]
    cards = chapter_played(record).deck
    new: Any = st.integers(0, 9)
    if isinstance(old, bool):
        new = st.just(not old)
    elif isinstance(old, str):
        new = st.sampled_from(cards if old in cards else CHARACTERS)
    holder[path[-1]] = data.draw(new)
    assume(holder[path[-1]] != old)
    assert judge(record), (path, old, holder[path[-1]])
