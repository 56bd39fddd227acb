"""The referee: `referee(record)` returns every difference between a recorded round and the rules.

A record is one JSON line, a dict: who sat where, the cards as dealt and at play, the setup entries, the tricks,
the goals. What a record leaves out is not checked. Nothing here is fast, and nothing is shared with the engine.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from .cards import rank, suit
from .chapters import FORCED, Chapter
from .declared import chapter_of, settings_of
from .preparation import (
    DifferenceError,
    Record,
    Setup,
    check_cards_beside,
    check_deal,
    check_pyramid_dealt,
    check_seats,
    check_selection,
    token_of,
)
from .table import Hand, Table

DRAWS = ("draw_threat", "choose_threat")


def referee(record: Record, scenario: Any = None, assume: Mapping[str, str] | None = None, playouts: int = 0) -> list[str]:
    """Return the differences between a record and the rules, one line each; empty when they agree.

    The chapter is the record's own; without one it is judged from the hands at play on. `scenario`: a declared scenario
    instead, of which only the number counts unless it is a made-up one. `assume` sets assumptions over those of the
    record and the scenario. `playouts`: how many random continuations from each sealed goal's trick must agree with the
    seal (and, for a round stopped early, with its goals).
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


def prepare(record: Record, scenario: Any, assume: Mapping[str, str], found: list[str]) -> Table:
    """Return the table at the first trick; differences of deal, selection and setup are added to `found`."""
    seats = record["seats"]
    keys = [entry["character"] for entry in seats]
    settings = settings_of(record, scenario, assume)
    if record.get("chapter") == 14 and record.get("event") not in (None, *FORCED):
        raise DifferenceError(f"event: {record['event']}; chapter 14 has {', '.join(FORCED)}")
    chapter = chapter_of(record, scenario, settings)
    if not chapter.bare:
        found += check_deal(record, chapter)
        found += check_selection(record, chapter, settings)
        found += check_cards_beside(record, chapter)
        if record.get("pyramid_dealt"):
            found += check_pyramid_dealt(record, chapter)
    unknown = [key for key in keys if key not in chapter.roles]
    if unknown:
        raise DifferenceError(f"character {unknown[0]} is not known")
    threats = [entry.get("threat") for entry in seats]
    for seat, key in enumerate(keys):
        draws = any(action.do in DRAWS for action in chapter.roles[key].setup)
        if draws != (threats[seat] is not None):
            found.append(f"seat {seat} ({key}): threat is {threats[seat]}; the character draws {'one' if draws else 'none'}")
    hands = [Hand(list(entry["hand"])) for entry in seats]
    if record.get("pyramid_at_play"):
        hands[2] = pyramid_hand(record["pyramid_at_play"], seats[2]["hand"], found)
    table = Table(
        chapter=chapter,
        keys=keys,
        threats=threats,
        hands=hands,
        retained=[0] * len(keys),
        tucked=[entry.get("tucked") for entry in seats],
        draw_deck=[card for trick in record["tricks"] for _, card in trick.get("draws", [])],
        first_leader=record["first_leader"],
        settings=settings,
        declared=[entry.get("declared") for entry in seats],
        reserved=[entry.get("reserved") for entry in seats],
        preplayed=[entry.get("preplayed") for entry in seats],
        forest=list(chapter.forest),
        cursed_goals="curse_failures" not in record,
    )
    whole = not chapter.bare and "setup" in record and "lost" in record and all("dealt" in entry for entry in seats)
    if whole:
        setup = Setup(record, chapter, settings)
        setup.run()
        found += compare_setup(record, setup)
        table.hands, table.retained = setup.hands, setup.retained
        table.tucked, table.reserved, table.preplayed = setup.tucked, setup.reserved, setup.preplayed
        table.threats, table.declared = setup.threats, setup.declared
        if record["players"] != 1 or "draw_order" in record:
            table.draw_deck = setup.draw_deck
        if any(setup.preplayed) and record["tricks"] and setup.preplay_wins != bool(record["tricks"][0].get("one_ring_wins")):
            first = record["tricks"][0]
            if setup.preplay_wins or chapter.declaring in setup.preplayed:
                found.append(f"trick 1: one_ring_wins is {first.get('one_ring_wins')}; setup declared {setup.preplay_wins}")
    else:
        found += check_threats(record, chapter)
        table.retained = check_hands(record, table, found)
    for seat, entry in enumerate(seats):
        if "retained" in entry and entry["retained"] != table.retained[seat]:
            found.append(f"seat {seat}: keeps {entry['retained']} cards; the rules say {table.retained[seat]}")
    return table


def pyramid_hand(entries: list[Mapping[str, Any]], hand: list[str], found: list[str]) -> Hand:
    """Return a pyramid from its record: row -1 are loose cards, removed ones are gone.

    Loose cards that stand in the hand alone (those of a barrow) are loose as well.
    """
    there = [entry for entry in entries if not entry.get("removed")]
    rows = {(entry["row"], entry["col"]): entry["card"] for entry in there if entry["row"] >= 0}
    told = [entry["card"] for entry in there]
    if any(told.count(card) > hand.count(card) for card in told):
        found.append(f"pyramid_at_play: {sorted(told)}; the hand is {sorted(hand)}")
    return Hand([card for card in hand if card not in rows.values()], rows)


def compare_setup(record: Record, setup: Setup) -> list[str]:
    """Return where the cards after setup are not those of the record."""
    found = []
    for seat, entry in enumerate(record["seats"]):
        if sorted(entry["hand"]) != sorted(setup.hands[seat].everything()):
            derived = sorted(setup.hands[seat].everything())
            found.append(f"seat {seat}: hand at play {sorted(entry['hand'])}; after setup it is {derived}")
        for name in ("threat", "tucked", "declared", "reserved", "preplayed"):
            after = getattr(setup, {"threat": "threats"}.get(name, name))[seat]
            if entry.get(name) != after:
                found.append(f"seat {seat}: {name} is {entry.get(name)}; after setup it is {after}")
    if "lost_at_play" in record and sorted(record["lost_at_play"]) != sorted(setup.lost):
        found.append(f"lost_at_play: {record['lost_at_play']}; after setup it is {setup.lost}")
    if record.get("pyramid_at_play"):
        told, derived = pyramid_hand(record["pyramid_at_play"], record["seats"][2]["hand"], []), setup.hands[2]
        loose = [entry["card"] for entry in record["pyramid_at_play"] if entry["row"] < 0]
        barrow = "take_barrow" in [entry["action"] for entry in record["setup"]]
        all_told = barrow or sorted(loose) == sorted(derived.cards)
        if told.rows != derived.rows or not set(loose) <= set(derived.cards) or not all_told:
            found.append(f"pyramid_at_play: rows {told.rows}, loose {loose}; after setup {derived.rows}, loose {derived.cards}")
        found += check_facing(record, setup)
    return found


def check_facing(record: Record, setup: Setup) -> list[str]:
    """Return which cards of the pyramid lie the wrong way at play.

    As dealt, but what setup uncovered is open, and so are all cards of Goldberry (section 11).
    """
    found = []
    free = setup.hands[2].uncovered()
    for entry in record["pyramid_at_play"]:
        row, col = entry["row"], entry["col"]
        if "up" in entry and not entry.get("removed"):
            up = entry["card"] in free or setup.keys[2] == "goldberry" or col in setup.chapter.face_up[row]
            if entry["up"] != up:
                found.append(f"pyramid_at_play, row {row}, place {col}: face up is {entry['up']}; the rules say {up}")
    return found


def check_threats(record: Record, chapter: Chapter) -> list[str]:
    """Return what is wrong with the threats of a record without setup: the same twice, or one whose card is lost."""
    found = []
    seats = record["seats"]
    values = [entry["threat"] for entry in seats if entry.get("threat") is not None]
    found += [f"threat {value} was drawn twice" for value in sorted(set(values)) if values.count(value) > 1]
    found += [f"threat {value} is not in the threat deck" for value in values if value not in chapter.threats]
    roles = [chapter.roles[entry["character"]] for entry in seats]
    # After a swap with the lost card, what is lost at play was not lost at the draw.
    if not any(action.do == "swap_lost" for role in roles for action in role.setup):
        for seat, role in enumerate(roles):
            for action in role.setup:
                for card in record.get("lost_at_play", []):
                    if rank(card) == seats[seat].get("threat") and suit(card) in action.redraw_if_lost:
                        found.append(f"seat {seat}: threat {rank(card)} has to be drawn again; {card} is lost")
    return found


def check_hands(record: Record, table: Table, found: list[str]) -> list[int]:
    """Judge the hands at play of a record without setup; return how many cards each seat keeps at the end."""
    seats, chapter = record["seats"], table.chapter
    held = [table.left(seat) for seat in table.seats]
    if "lost_at_play" in record and record["players"] != 1:
        everything = [card for cards in [*held, record["lost_at_play"]] for card in cards]
        for card in sorted({*everything, *chapter.deck}):
            there, due = everything.count(card), chapter.deck.count(card)
            if there > due or (there < due and not chapter.barrow):
                found.append(f"hands at play: {card} is there {there} times")
    givers = [any(action.do == "give_each" for action in table.role(seat).setup) for seat in table.seats]
    retained = []
    for seat in table.seats:
        expected = chapter.hand - givers[seat] * (len(seats) - 1) + sum(givers) - givers[seat]
        expected += table.role(seat).solo_extra if record["players"] == 1 else 0
        extra = len(held[seat]) - expected
        taker = any(action.do in ("take_lost", "take_barrow") for action in table.role(seat).setup)
        if extra < 0 or (extra > 0 and not taker):
            key = seats[seat]["character"]
            found.append(f"seat {seat} ({key}): {len(held[seat])} cards at play; {expected} are due")
        retained.append(max(extra, 0) if taker else 0)
    return retained


def first_leaders(record: Record, table: Table) -> list[int]:
    """Return who may lead the first trick: the character whose card says so, else Frodo, else the holder of the 1 of Rings."""
    bound = [seat for seat in table.seats if table.role(seat).of_holder]
    if table.chapter.bare and bound:
        return bound
    stated = [seat for seat in table.seats if table.role(seat).leads_first and seat not in bound]
    holder = None if table.chapter.bare else token_of(record, table.chapter)
    return stated or bound or ([holder] if holder is not None else list(table.seats))


def replay(record: Record, scenario: Any, table: Table, found: list[str]) -> list[Table]:
    """Play the record's tricks on `table`; return the positions before each trick and at the end."""
    if table.first_leader not in first_leaders(record, table):
        found.append(f"first_leader: {table.first_leader}; the rules say {first_leaders(record, table)}")
    positions = [table.copy()]
    balrog: list[str] = []
    for number, trick in enumerate(record["tricks"], start=1):
        balrog = check_reveal(table, trick, f"trick {number}", balrog, found)
        play_trick(table, trick, f"trick {number}", found)
        positions.append(table.copy())
    if not table.over() and not record.get("stopped_early"):
        raise DifferenceError(f"the record ends after {len(table.tricks)} tricks; cards are left to play")
    return positions


def check_reveal(table: Table, trick: Mapping[str, Any], where: str, balrog: list[str], found: list[str]) -> list[str]:
    """Judge the cards that an event showed for a trick; return what is left of the Balrog deck afterwards.

    The Balrog deck is shuffled again, all nine cards, when it runs out in the middle of a draw or after one.
    """
    chapter = table.chapter
    reveal = trick.get("reveal")
    if reveal is None:
        return balrog
    due = chapter.balrog_reveals or (1 if chapter.forest else 0)
    if len(reveal) != due:
        raise DifferenceError(f"{where}: {len(reveal)} cards are revealed; the rules say {due}")
    for card in reveal:
        if chapter.forest and card not in table.forest:
            found.append(f"{where}: {card} is revealed; left of the Old Forest are {table.forest}")
        if chapter.balrog:
            balrog = balrog or list(chapter.balrog)
            if card not in balrog:
                found.append(f"{where}: {card} is revealed; left of the Balrog deck are {balrog}")
            balrog = [left for left in balrog if left != card]
    return balrog


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
        elif trick.get("untuck") == seat:
            found.append(f"{where}: seat {seat} takes a tucked card back; it has none")
    leader = trick["leader"]
    check_leader(table, trick, where, found)
    order = table.turn_order(leader)
    if [seat for seat, _ in plays] != order:
        raise DifferenceError(f"{where}: seats {[seat for seat, _ in plays]} play; the rules say {order}")
    for position, (seat, card) in enumerate(plays):
        legal = table.legal(seat, plays[:position])
        if card not in table.left(seat) or card == table.tucked[seat]:
            raise DifferenceError(f"{where}, seat {seat}: plays {card}; it is not in the hand")
        if card not in legal:
            found.append(f"{where}, seat {seat}: plays {card}; legal are {sorted(legal)}")
        if "legal" in trick and sorted(trick["legal"][position]) != sorted(legal):
            found.append(f"{where}, seat {seat}: legal is {sorted(trick['legal'][position])}; the rules say {sorted(legal)}")
    declared = bool(trick.get("one_ring_wins"))
    if declared and table.declaring not in [card for _, card in plays]:
        raise DifferenceError(f"{where}: one_ring_wins, but {table.declaring} is not in the trick")
    reveal = trick.get("reveal") or []
    winner = table.winner(plays, declared, reveal[0] if reveal and table.chapter.forest else None)
    if table.chapter.forest and not reveal and trick["winner"] is None and not declared:
        winner = None  # without the revealed card nobody can tell
    if trick["winner"] != winner:
        found.append(f"{where}: winner {trick['winner']}; the rules say {winner}")
    drawn = table.finish_trick(plays, winner, reveal, leader)
    if "draws" in trick and [(seat, card) for seat, card in trick["draws"]] != drawn:
        found.append(f"{where}: draws {trick['draws']}; the rules say {drawn}")


def check_leader(table: Table, trick: Mapping[str, Any], where: str, found: list[str]) -> None:
    """Judge who leads, and who gave the lead away."""
    leader = trick["leader"]
    if leader not in table.leaders():
        found.append(f"{where}: seat {leader} leads; the rules say {table.leaders()}")
    if table.out(leader):
        raise DifferenceError(f"{where}: seat {leader} leads without cards")
    if trick.get("pass_lead"):
        giver, named = trick["pass_lead"]
        winner = table.tricks[-1]["winner"] if table.tricks else None
        if giver != winner or not table.role(giver).names_leader or named != leader or named == giver:
            found.append(f"{where}: seat {giver} passes the lead to {named}; {winner} won and {leader} leads")


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
    found += check_events(record, table)
    found += check_won(record, table, early)
    return found + check_seals(record, table, positions, playouts, early)


def balrog_failures(record: Record, table: Table) -> list[int]:
    """Return the tricks (from 1) whose ranks sum to less than those of the revealed Balrog cards."""
    if not table.chapter.balrog:
        return []
    return [
        number
        for number, trick in enumerate(record["tricks"], start=1)
        if sum(rank(card) for _, card in trick["plays"]) < sum(rank(card) for card in trick.get("reveal") or [])
    ]


def check_events(record: Record, table: Table) -> list[str]:
    """Return what is wrong with Balrog failures and curses."""
    found = []
    failures = balrog_failures(record, table)
    if "failed_event" in record and (record["failed_event"] is not None) != bool(failures):
        found.append(f"failed_event: {record['failed_event']}; the rules say that the Balrog wins after {failures}")
    if record.get("balrog_failed_tricks") is not None and record["balrog_failed_tricks"] != failures:
        found.append(f"balrog_failed_tricks: {record['balrog_failed_tricks']}; the rules say {failures}")
    if "curse_failures" in record:
        told = sorted((entry["seat"], entry["curse"], entry["trick"]) for entry in record["curse_failures"])
        if told != sorted(table.curses_broken()):
            found.append(f"curse_failures: {told}; the rules say {sorted(table.curses_broken())}")
    return found


def check_won(record: Record, table: Table, early: bool) -> list[str]:
    """Return what is wrong with `won` and with the offers of the Mithril Shirt (section 3, gifts; A15)."""
    found = []
    goals = record["goals"]
    failed = [seat for seat, goal in enumerate(goals) if goal is not True]
    offers = record.get("mithril")
    broken = bool(balrog_failures(record, table)) or bool("curse_failures" in record and table.curses_broken())
    for offer in offers or []:
        seat, after = offer["seat"], offer["after_trick"]
        told = f"mithril, seat {seat}: offered after trick {after}"
        if not table.chapter.mithril or "frodo" not in table.keys:
            found.append(f"{told}; nobody has the Mithril Shirt")
        if goals[seat] is True:
            found.append(f"{told}; its goal is met")
        if not 0 <= after <= len(table.tricks) or (offer["final"] and after != len(table.tricks)):
            found.append(f"{told}; there are {len(table.tricks)} tricks")
        if offer["final"] and failed != [seat] and table.settings["A15"] == "unusable":
            found.append(f"{told}; {len(failed)} goals failed")
    if offers is not None and len(offers) > 1:
        found.append(f"mithril: offered {len(offers)} times in a round")
    usable = table.chapter.mithril and "frodo" in table.keys and len(failed) == 1 and not broken and not early
    if offers == [] and usable:
        found.append(f"mithril: not offered; seat {failed[0]} alone failed")
    saved = [offer["seat"] for offer in offers or [] if offer["accept"]]
    won = not broken and all(seat in saved for seat in failed)
    unknown = offers is None and usable  # whether the gift was used is not told
    if "won" in record and record["won"] != won and not (unknown and record["won"]):
        found.append(f"won: {record['won']}; the goals are {goals}, the rules say {won}")
    return found


def check_seals(record: Record, table: Table, positions: list[Table], playouts: int, early: bool) -> list[str]:
    """Return what is wrong with the tricks after which goals are said to be decided."""
    found = []
    goals = record["goals"]
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
    stops = stops_of(record, table, found)
    seals += [(seat, False, trick, False) for seat, trick in stops]
    chance = random.Random(f"{record['first_leader']}{record['seats'][0]['hand']}")
    for seat, stopped, trick, verdict in seals:
        for _ in range(max(playouts, 8) if stopped else playouts):
            if play_on(positions[trick], chance).verdicts()[seat] is not verdict:
                what = "goals" if stopped else "sealed"
                other = "failed" if verdict else "met"
                found.append(f"{what}, seat {seat} ({table.keys[seat]}): after trick {trick} it can still be {other}")
                break
    return found


def stops_of(record: Record, table: Table, found: list[str]) -> list[tuple[int, int]]:
    """Return which goals another implementation called lost after which trick; what is wrong with that goes to `found`."""
    seals = [(offer["seat"], offer["after_trick"]) for offer in record.get("mithril") or [] if not offer["final"]]
    stop = record.get("engine_stop")
    if stop is not None:
        broken = {"curse_lead": ("morgul_knife", "terror"), "curse_won8": ("black_breath",)}.get(stop["reason"], ())
        if broken:
            told = {(seat, trick) for seat, curse, trick in table.curses_broken() if curse in broken}
            wrong = [seat for seat in stop["failed"] if (seat, stop["trick"]) not in told]
        elif stop["reason"] == "balrog":
            wrong = [] if balrog_failures(record, table)[:1] == [stop["trick"]] else ["the Balrog"]
        else:
            wrong = [seat for seat in stop["failed"] if record["goals"][seat] is True]
            seals += [(seat, stop["trick"]) for seat in stop["failed"] if seat not in wrong]
        if wrong:
            found.append(f"engine_stop: {stop}; not so for {wrong}")
    return [(seat, trick) for seat, trick in seals if 0 <= trick <= len(table.tricks)]


def play_on(position: Table, chance: random.Random) -> Table:
    """Return the end of a round that goes on at random from a position."""
    table = position.copy()
    while not table.over():
        for seat in table.seats:
            if table.must_untuck(seat) or (table.tucked[seat] is not None and chance.random() < 0.2):
                table.untuck(seat)
        reveal = [chance.choice(table.forest)] if table.forest else []
        leader = chance.choice(table.leaders())
        plays: list[tuple[int, str]] = []
        for seat in table.turn_order(leader):
            plays.append((seat, chance.choice(table.legal(seat, plays))))
        declared = table.declaring in [card for _, card in plays] and chance.random() < 0.5
        table.finish_trick(plays, table.winner(plays, declared, reveal[0] if reveal else None), reveal, leader)
    return table
