"""The referee: `referee(record, scenario)` returns every difference between a recorded round and the rules.

A record is one JSON line, a dict: who sat where, the cards as dealt and at play, the setup entries, the tricks,
the goals. What a record leaves out is not checked. Nothing here is fast, and nothing is shared with the engine.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from scenarios import Scenario, load_book, load_characters
from scenarios.model import Character

from .goals import rank, suit
from .preparation import (
    DifferenceError,
    Record,
    Setup,
    check_deal,
    check_pyramid_dealt,
    check_seats,
    check_selection,
    holder_of,
    rules_of,
)
from .table import Hand, Table

BOOK = "fellowship"
HAND_SIZES = {3: 12, 4: 9}


def referee(record: Record, scenario: Scenario | None, assume: Mapping[str, str] | None = None, playouts: int = 0) -> list[str]:
    """Return the differences between a record and the rules, one line each; empty when they agree.

    `scenario` is the chapter; None for a record without one, which is judged from the hands at play on.
    `assume` sets assumptions over those of the record and the scenario. `playouts`: how many random continuations
    from each sealed goal's trick must agree with the seal (and, for a round stopped early, with its goals).
    """
    found: list[str] = []
    try:
        check_seats(record)
        table = prepare(record, scenario, assume or {}, found)
        positions = replay(record, scenario, table, found)
        found += check_end(record, table, positions, playouts)
    except DifferenceError as difference:
        found.append(str(difference))
    return found


def prepare(record: Record, scenario: Scenario | None, assume: Mapping[str, str], found: list[str]) -> Table:
    """Return the table at the first trick; differences of deal, selection and setup are added to `found`."""
    seats = record["seats"]
    keys = [entry["character"] for entry in seats]
    hands = [Hand(list(entry["hand"])) for entry in seats]
    threats = [entry.get("threat") for entry in seats]
    tucked = [entry.get("tucked") for entry in seats]
    if scenario is None:
        library: Mapping[str, Character] = load_characters(BOOK)
        book = load_book(BOOK)
        suits, declaring = book.suits, book.declaring
    else:
        library, suits, declaring = scenario.characters, scenario.suits, scenario.declaring
        rules = rules_of(record, scenario, assume)
        found += check_deal(record, scenario)
        found += check_selection(record, scenario, rules)
        if "pyramid_dealt" in record:
            found += check_pyramid_dealt(record, scenario)
    characters = [library[key] for key in keys]
    for seat, (key, character) in enumerate(zip(keys, characters, strict=True)):
        draws = any(action.do in ("draw_threat", "choose_threat") for action in character.setup)
        if draws != (threats[seat] is not None):
            found.append(f"seat {seat} ({key}): threat is {threats[seat]}; the character draws {'one' if draws else 'none'}")
    if "pyramid_at_play" in record:
        hands[2] = pyramid_hand(record["pyramid_at_play"])
        if sorted(hands[2].everything()) != sorted(seats[2]["hand"]):
            found.append(f"pyramid_at_play: {sorted(hands[2].everything())}; the hand is {sorted(seats[2]['hand'])}")
    whole = scenario is not None and "setup" in record and "lost" in record and all("dealt" in entry for entry in seats)
    if whole:
        setup = Setup(record, scenario, rules)  # type: ignore[arg-type]
        setup.run()
        found += compare_setup(record, setup)
        hands, retained, tucked, draw_deck = setup.hands, setup.retained, setup.tucked, setup.draw_deck
        threats = setup.threats
        if record["players"] == 1 and "draw_order" not in record:
            draw_deck = [card for trick in record["tricks"] for _, card in trick.get("draws", [])]
    else:
        found += check_threats(record, characters, scenario)
        draw_deck = [card for trick in record["tricks"] for _, card in trick.get("draws", [])]
        retained = check_hands(record, scenario, characters, found)
    for seat, entry in enumerate(seats):
        if "retained" in entry and entry["retained"] != retained[seat]:
            found.append(f"seat {seat}: keeps {entry['retained']} cards; the rules say {retained[seat]}")
    return Table(
        players=record["players"],
        keys=keys,
        characters=characters,
        threats=threats,
        hands=hands,
        retained=retained,
        tucked=tucked,
        draw_deck=draw_deck,
        locked={letter for letter, told in suits.items() if told.lead_locked},
        declaring=declaring,
        first_leader=record["first_leader"],
    )


def pyramid_hand(entries: list[Mapping[str, Any]]) -> Hand:
    """Return a pyramid from its record: row -1 are loose cards, removed ones are gone."""
    there = [entry for entry in entries if not entry.get("removed")]
    rows = {(entry["row"], entry["col"]): entry["card"] for entry in there if entry["row"] >= 0}
    return Hand([entry["card"] for entry in there if entry["row"] < 0], rows)


def compare_setup(record: Record, setup: Setup) -> list[str]:
    """Return where the cards after setup are not those of the record."""
    found = []
    for seat, entry in enumerate(record["seats"]):
        if sorted(entry["hand"]) != sorted(setup.hands[seat].everything()):
            derived = sorted(setup.hands[seat].everything())
            found.append(f"seat {seat}: hand at play {sorted(entry['hand'])}; after setup it is {derived}")
        for name, derived in (("threat", setup.threats[seat]), ("tucked", setup.tucked[seat])):
            if entry.get(name) != derived:
                found.append(f"seat {seat}: {name} is {entry.get(name)}; after setup it is {derived}")
    if "lost_at_play" in record and sorted(record["lost_at_play"]) != sorted(setup.lost):
        found.append(f"lost_at_play: {record['lost_at_play']}; after setup it is {setup.lost}")
    if "pyramid_at_play" in record:
        told, derived = pyramid_hand(record["pyramid_at_play"]), setup.hands[2]
        if told.rows != derived.rows or sorted(told.cards) != sorted(derived.cards):
            found.append(
                f"pyramid_at_play: rows {told.rows}, loose {told.cards}; after setup {derived.rows}, loose {derived.cards}"
            )
    return found


def check_threats(record: Record, characters: list[Character], scenario: Scenario | None) -> list[str]:
    """Return what is wrong with the threats of a record without setup: the same twice, or one whose card is lost."""
    found = []
    seats = record["seats"]
    values = [entry["threat"] for entry in seats if entry.get("threat") is not None]
    deck = scenario.threats if scenario is not None else load_book(BOOK).threats["numbered"].values
    found += [f"threat {value} was drawn twice" for value in sorted(set(values)) if values.count(value) > 1]
    found += [f"threat {value} is not in the threat deck" for value in values if value not in deck]
    # After a swap with the lost card, what is lost at play was not lost at the draw.
    if not any(action.do == "swap_lost" for character in characters for action in character.setup):
        for seat, character in enumerate(characters):
            for action in character.setup:
                for card in record.get("lost_at_play", []):
                    if rank(card) == seats[seat].get("threat") and suit(card) in action.redraw_if_lost:
                        found.append(f"seat {seat}: threat {rank(card)} has to be drawn again; {card} is lost")
    return found


def check_hands(record: Record, scenario: Scenario | None, characters: list[Character], found: list[str]) -> list[int]:
    """Judge the hands at play of a record without setup; return how many cards each seat keeps at the end."""
    seats = record["seats"]
    size = HAND_SIZES[len(seats)] if scenario is None else scenario.deals[record["players"]].hand
    deck = scenario.cards if scenario is not None else [f"{s}{r}" for s in "HMFSR" for r in range(1, 6 if s == "R" else 9)]
    held = [[*entry["hand"], *([entry["tucked"]] if entry.get("tucked") else [])] for entry in seats]
    if "lost_at_play" in record and record["players"] != 1:
        everything = [card for cards in [*held, record["lost_at_play"]] for card in cards]
        for card in sorted({*everything, *deck}):
            if everything.count(card) != list(deck).count(card):
                found.append(f"hands at play: {card} is there {everything.count(card)} times")
    givers = [any(action.do == "give_each" for action in character.setup) for character in characters]
    retained = []
    for seat, character in enumerate(characters):
        expected = size - givers[seat] * (len(seats) - 1) + sum(givers) - givers[seat]
        expected += character.solo.extra_cards if record["players"] == 1 else 0
        extra = len(held[seat]) - expected
        taker = any(action.do == "take_lost" for action in character.setup)
        if extra < 0 or (extra > 0 and not taker):
            key = seats[seat]["character"]
            found.append(f"seat {seat} ({key}): {len(held[seat])} cards at play; {expected} are due")
        retained.append(max(extra, 0) if taker else 0)
    return retained


def first_leaders(record: Record, scenario: Scenario | None, table: Table) -> list[int]:
    """Return who may lead the first trick: the character whose card says so, else Frodo, else the holder of the 1 of Rings."""
    bound = [seat for seat in table.seats if table.characters[seat].taken_with]
    if scenario is None and bound:
        return bound
    stated = [seat for seat in table.seats if table.characters[seat].leads_first and seat not in bound]
    holder = None if scenario is None else holder_of(record, scenario)
    return stated or bound or ([holder] if holder is not None else list(table.seats))


def replay(record: Record, scenario: Scenario | None, table: Table, found: list[str]) -> list[Table]:
    """Play the record's tricks on `table`; return the positions before each trick and at the end."""
    if table.first_leader not in first_leaders(record, scenario, table):
        found.append(f"first_leader: {table.first_leader}; the rules say {first_leaders(record, scenario, table)}")
    positions = [table.copy()]
    for number, trick in enumerate(record["tricks"], start=1):
        play_trick(table, trick, f"trick {number}", found)
        positions.append(table.copy())
    if not table.over() and not record.get("stopped_early"):
        raise DifferenceError(f"the record ends after {len(table.tricks)} tricks; cards are left to play")
    return positions


def play_trick(table: Table, trick: Mapping[str, Any], where: str, found: list[str]) -> None:
    """Judge one trick and move its cards."""
    if table.over():
        raise DifferenceError(f"{where}: the round is over")
    plays = [(seat, card) for seat, card in trick["plays"]]
    for seat in table.seats:
        told = trick.get("untuck") == seat and table.tucked[seat] is not None
        # Records without `untuck`: playing the tucked card shows that it was taken back.
        if told or table.must_untuck(seat) or (seat, table.tucked[seat]) in plays:
            table.untuck(seat)
    leader = trick["leader"]
    if leader not in table.leaders():
        found.append(f"{where}: seat {leader} leads; the rules say {table.leaders()}")
    if table.out(leader):
        raise DifferenceError(f"{where}: seat {leader} leads without cards")
    order = table.turn_order(leader)
    if [seat for seat, _ in plays] != order:
        raise DifferenceError(f"{where}: seats {[seat for seat, _ in plays]} play; the rules say {order}")
    led = None
    for position, (seat, card) in enumerate(plays):
        legal = table.legal(seat, led)
        if card not in table.hands[seat].everything():
            raise DifferenceError(f"{where}, seat {seat}: plays {card}; it is not in the hand")
        if card not in legal:
            found.append(f"{where}, seat {seat}: plays {card}; legal are {sorted(legal)}")
        if "legal" in trick and sorted(trick["legal"][position]) != sorted(legal):
            found.append(f"{where}, seat {seat}: legal is {sorted(trick['legal'][position])}; the rules say {sorted(legal)}")
        led = led or suit(card)
    declared = bool(trick.get("one_ring_wins"))
    if declared and table.declaring not in [card for _, card in plays]:
        raise DifferenceError(f"{where}: one_ring_wins, but {table.declaring} is not in the trick")
    winner = table.winner(plays, declared)
    if trick["winner"] != winner:
        found.append(f"{where}: winner {trick['winner']}; the rules say {winner}")
    drawn = table.finish_trick(plays, winner)
    if "draws" in trick and [(seat, card) for seat, card in trick["draws"]] != drawn:
        found.append(f"{where}: draws {trick['draws']}; the rules say {drawn}")


def check_end(record: Record, table: Table, positions: list[Table], playouts: int) -> list[str]:
    """Return what is wrong with goals, what is left in the hands, `won` and `sealed`."""
    found = []
    goals = record["goals"]
    early = bool(record.get("stopped_early")) and not table.over()
    if not early:
        for seat, verdict in enumerate(table.verdicts()):
            if goals[seat] is not verdict:
                found.append(f"goal of seat {seat} ({table.keys[seat]}): {goals[seat]}; the rules say {verdict}")
        if "left" in record:
            for seat in table.seats:
                if sorted(record["left"][seat]) != sorted(table.left(seat)):
                    found.append(f"seat {seat}: left are {record['left'][seat]}; the rules say {table.left(seat)}")
    elif None in goals and False not in goals:
        found.append("stopped_early: no goal is failed and not all are met")
    if "won" in record and record["won"] != all(goal is True for goal in goals):
        found.append(f"won: {record['won']}; the goals are {goals}")
    seals = [(seat, True, len(table.tricks), bool(goal)) for seat, goal in enumerate(goals) if early and goal is not None]
    for seat, sealed in enumerate(record.get("sealed", [])):
        told = {False: sealed.get("failed_after"), True: sealed.get("met_after")}
        marks = {verdict: trick for verdict, trick in told.items() if trick is not None}
        if len(marks) > 1:
            found.append(f"sealed, seat {seat} ({table.keys[seat]}): both failed and met, {sealed}")
        if not marks and "chapter" in record and not early:
            found.append(f"sealed, seat {seat} ({table.keys[seat]}): neither failed nor met when the round was over")
        for verdict, trick in marks.items():
            if goals[seat] is not verdict:
                found.append(
                    f"sealed, seat {seat} ({table.keys[seat]}): {'met' if verdict else 'failed'} after trick {trick}, "
                    f"but the goal is {goals[seat]}"
                )
            if not 0 <= trick <= len(table.tricks):
                found.append(f"sealed, seat {seat}: trick {trick} of {len(table.tricks)}")
            elif not early or trick < len(table.tricks):
                seals.append((seat, False, trick, verdict))
    chance = random.Random(f"{record['first_leader']}{record['seats'][0]['hand']}")
    for seat, stopped, trick, verdict in seals:
        for _ in range(max(playouts, 8) if stopped else playouts):
            if play_on(positions[trick], chance).verdicts()[seat] is not verdict:
                what = "goals" if stopped else "sealed"
                other = "failed" if verdict else "met"
                found.append(f"{what}, seat {seat} ({table.keys[seat]}): after trick {trick} it can still be {other}")
                break
    return found


def play_on(position: Table, chance: random.Random) -> Table:
    """Return the end of a round that goes on at random from a position."""
    table = position.copy()
    while not table.over():
        for seat in table.seats:
            if table.must_untuck(seat) or (table.tucked[seat] is not None and chance.random() < 0.2):
                table.untuck(seat)
        plays: list[tuple[int, str]] = []
        for seat in table.turn_order(chance.choice(table.leaders())):
            plays.append((seat, chance.choice(table.legal(seat, suit(plays[0][1]) if plays else None))))
        declared = table.declaring in [card for _, card in plays] and chance.random() < 0.5
        table.finish_trick(plays, table.winner(plays, declared))
    return table
