"""Before play: the deal, who may take which character, and the setup actions, replayed entry by entry."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import Any

from .cards import rank, suit
from .chapters import Chapter
from .roles import Action, Role
from .table import Hand

Record = Mapping[str, Any]


class DifferenceError(Exception):
    """The record says something else than the rules, and what follows it cannot be judged."""


def holder_of(record: Record, chapter: Chapter) -> int | None:
    """Return the seat that was dealt the 1 of Rings (or the card that takes its place), None when that is not told."""
    for seat, entry in enumerate(record["seats"]):
        if chapter.holder_card in entry.get("dealt", []):
            return seat
    return record.get("ring_holder")


def token_of(record: Record, chapter: Chapter) -> int | None:
    """Return who has the Ring token when play starts: in chapter 16 the 1 of Rings may be passed on or lost (section 21)."""
    if not (chapter.mirror and chapter.players != 1):
        return holder_of(record, chapter)
    holder = next((seat for seat, entry in enumerate(record["seats"]) if chapter.declaring in entry.get("dealt", [])), None)
    if holder is None:
        frodo = next((seat for seat, entry in enumerate(record["seats"]) if entry["character"] == "frodo"), None)
        return frodo if chapter.declaring in record.get("lost", []) else record.get("ring_holder")
    for entry in record.get("setup", []):
        if entry["action"] == "mirror_pass":
            for receiver, card in entry["gave"].get(str(holder), {}).items():
                if card == chapter.declaring:
                    holder = int(receiver)
                    break
    return holder


def check_seats(record: Record) -> None:
    """Raise DifferenceError where the record names a seat or a partner that is not at the table, or forgets one."""
    seats = range(len(record["seats"]))
    named = [("first_leader", record["first_leader"])]
    if record.get("ring_holder") is not None:
        named.append(("ring_holder", record["ring_holder"]))
    for entry in record.get("setup", []):
        named += [(f"setup, {entry}", entry[key]) for key in ("seat", "with", "to", "chosen") if isinstance(entry.get(key), int)]
    for number, trick in enumerate(record["tricks"], start=1):
        winner = [] if trick["winner"] is None else [trick["winner"]]
        named += [(f"trick {number}", seat) for seat in (trick["leader"], *winner, *(seat for seat, _ in trick["plays"]))]
    for where, seat in named:
        if seat not in seats:
            raise DifferenceError(f"{where}: {seat} is no seat; the seats are {list(seats)}")
    for key in ("goals", "sealed", "left"):
        if key in record and len(record[key]) != len(seats):
            raise DifferenceError(f"{key}: {len(record[key])} entries for {len(seats)} seats")


def check_deal(record: Record, chapter: Chapter) -> list[str]:
    """Return what is wrong with the deal."""
    found = []
    seats = record["seats"]
    if len(seats) != chapter.seats:
        raise DifferenceError(f"deal: {len(seats)} seats; the rules say {chapter.seats}")
    lost, draw_order, barrow = record.get("lost"), record.get("draw_order"), record.get("barrow")
    dealt = [entry.get("dealt") for entry in seats]
    for seat, cards in enumerate(dealt):
        if cards is not None and len(cards) != chapter.hand:
            found.append(f"deal, seat {seat}: {len(cards)} cards; the rules say {chapter.hand}")
    if lost is not None:
        if len(lost) != chapter.lost:
            found.append(f"deal: {len(lost)} lost cards; the rules say {chapter.lost}")
        found += [f"deal: {card} is lost; it is never lost" for card in lost if card in chapter.never_lost]
    if draw_order is not None and len(draw_order) != chapter.draw_deck:
        found.append(f"deal: draw deck of {len(draw_order)} cards; the rules say {chapter.draw_deck}")
    if barrow is not None and len(barrow) != chapter.barrow:
        found.append(f"deal: barrow of {len(barrow)} cards; the rules say {chapter.barrow}")
    if barrow is not None:
        found += [f"deal: {card} is in the barrow; Rings never are" for card in barrow if suit(card) == "R"]
    told = [*dealt, lost, draw_order if chapter.draw_deck else [], barrow if chapter.barrow else []]
    if all(cards is not None for cards in told):
        everything = [card for cards in told for card in cards]  # type: ignore[union-attr]
        for card in sorted({*everything, *chapter.deck}):
            if everything.count(card) != chapter.deck.count(card):
                times = f"{everything.count(card)} times; the deck has {chapter.deck.count(card)}"
                found.append(f"deal: {card} is there {times}")
    if record["players"] == 1 and all(cards is not None for cards in dealt) and chapter.declaring:
        if not any(chapter.declaring in cards for cards in dealt):
            found.append(f"deal: {chapter.declaring} is in no hand; it is set aside for one of them")
    holder = token_of(record, chapter)
    if "ring_holder" in record and record["ring_holder"] != holder:
        found.append(f"deal: ring_holder is {record['ring_holder']}; the 1 of Rings was dealt to seat {holder}")
    return found + check_pyramid_seat(record, chapter, holder)


def check_pyramid_seat(record: Record, chapter: Chapter, holder: int | None) -> list[str]:
    """Return what is wrong with who is the pyramid and who plays it (section 5)."""
    found = []
    pyramid_seat = 2 if record["players"] == 2 else None
    if chapter.mirror and pyramid_seat is not None and chapter.declaring in record.get("lost", []):
        holder = pyramid_seat  # nobody holds the card: as if the pyramid held it (the rules say nothing)
    for seat, entry in enumerate(record["seats"]):
        if entry.get("pyramid", seat == pyramid_seat) != (seat == pyramid_seat):
            found.append(f"seat {seat}: pyramid is {entry['pyramid']}; the pyramid is seat {pyramid_seat}")
        if pyramid_seat is not None and holder is not None and entry.get("controller") is not None:
            own = seat if seat != pyramid_seat else (holder if holder != pyramid_seat else 1)
            if entry["controller"] != own:
                found.append(f"seat {seat}: controlled by {entry['controller']}; the rules say {own}")
    return found


def check_cards_beside(record: Record, chapter: Chapter) -> list[str]:
    """Return what is wrong with curses, gifts, event and group."""
    found = []
    for seat, entry in enumerate(record["seats"]):
        key = entry["character"]
        if "curse" in entry and entry["curse"] != chapter.curses.get(key):
            found.append(f"seat {seat} ({key}): curse is {entry['curse']}; the rules say {chapter.curses.get(key)}")
        if "gifts" in entry and sorted(entry["gifts"]) != chapter.gifts.get(key, []):
            found.append(f"seat {seat} ({key}): gifts are {entry['gifts']}; the rules say {chapter.gifts.get(key, [])}")
    return found


def check_pyramid_dealt(record: Record, chapter: Chapter) -> list[str]:
    """Return what is wrong with the pyramid as dealt."""
    places = {(entry["row"], entry["col"]): entry for entry in record["pyramid_dealt"]}
    expected = {(row, col) for row, length in enumerate(chapter.pyramid) for col in range(length)}
    if set(places) != expected:
        raise DifferenceError(f"pyramid_dealt: places {sorted(places)}; the rules say {sorted(expected)}")
    found = []
    for (row, col), entry in sorted(places.items()):
        if "up" in entry and entry["up"] != (col in chapter.face_up[row]):
            found.append(f"pyramid_dealt, row {row}, place {col}: face up is {entry['up']}; the rules say {not entry['up']}")
    cards = [entry["card"] for entry in places.values()]
    if "dealt" in record["seats"][2] and sorted(cards) != sorted(record["seats"][2]["dealt"]):
        found.append(f"pyramid_dealt: {sorted(cards)}; dealt were {sorted(record['seats'][2]['dealt'])}")
    return found


def check_selection(record: Record, chapter: Chapter, settings: Mapping[str, str]) -> list[str]:
    """Return what is wrong with the choice of characters: holder of the 1 of Rings first, then clockwise."""
    found: list[str] = []
    seats = [entry["character"] for entry in record["seats"]]
    required = chapter.starred
    unclaimed = [name for name, _ in chapter.roster]
    unknown = [name for name in seats if name not in unclaimed]
    if unknown:
        raise DifferenceError(f"selection: {unknown[0]} is not in the roster")
    found += [f"selection: {name} is required; nobody took it" for name in required if name not in seats]
    holder = holder_of(record, chapter)
    if chapter.mirror and chapter.players != 1:
        holder = None  # the characters are dealt at random
    if holder is None:
        return found + [f"selection: {name} is there twice" for name in set(seats) if seats.count(name) > 1]
    order = [(holder + step) % len(seats) for step in range(len(seats))]
    listed = record.get("selection") or None
    if listed is not None and [entry["seat"] for entry in listed] != order:
        found.append(f"selection: order {[entry['seat'] for entry in listed]}; the rules say {order}")
        listed = None
    for position, seat in enumerate(order):
        options = selectable(chapter, unclaimed, seat, seat == holder, order[position + 1 :], settings)
        if seats[seat] not in options:
            found.append(f"selection, seat {seat}: {seats[seat]}; the options are {sorted(options)}")
        if listed is not None:
            entry = listed[position]
            if entry["chosen"] != seats[seat]:
                found.append(f"selection, seat {seat}: chosen is {entry['chosen']}; the seat plays {seats[seat]}")
            if "options" in entry and sorted(entry["options"]) != sorted(options):
                found.append(f"selection, seat {seat}: options {sorted(entry['options'])}; the rules say {sorted(options)}")
        if seats[seat] in unclaimed:
            unclaimed.remove(seats[seat])
    return found


def selectable(
    chapter: Chapter, unclaimed: list[str], seat: int, holds: bool, later: list[int], settings: Mapping[str, str]
) -> list[str]:
    """Return whom a seat may choose: it `holds` the 1 of Rings or not, the seats of `later` choose after it (section 2.2)."""
    bound = [name for name in unclaimed if chapter.roles[name].of_holder]
    if holds and bound and not chapter.holder_is_free:
        return bound

    def may_take(who: int, name: str) -> bool:
        return not (chapter.players == 2 and who == 2 and name in chapter.never_pyramid)

    def others_can_cover(name: str) -> bool:
        needed = [need for need in chapter.starred if need in unclaimed and need != name]
        ways = permutations(later, len(needed))
        return any(all(may_take(who, need) for who, need in zip(way, needed, strict=True)) for way in ways)

    options = [name for name in unclaimed if (holds or name not in bound) and may_take(seat, name) and others_can_cover(name)]
    still_required = [name for name in options if name in chapter.starred]
    if chapter.players == 1 and settings["A21"] == "required_first" and still_required:
        options = still_required
    return options


class Setup:
    """The setup actions of a round, replayed from the cards as dealt.

    `run` raises DifferenceError at the first entry that the rules do not allow: every later hand would follow from it.
    """

    def __init__(self, record: Record, chapter: Chapter, settings: Mapping[str, str]) -> None:
        """Lay out the cards as dealt."""
        self.record = record
        self.chapter = chapter
        self.settings = settings
        self.players: int = record["players"]
        self.keys: list[str] = [entry["character"] for entry in record["seats"]]
        self.roles: list[Role] = [chapter.roles[key] for key in self.keys]
        self.hands = [Hand(list(entry["dealt"])) for entry in record["seats"]]
        if record.get("pyramid_dealt"):
            places = {(entry["row"], entry["col"]): entry["card"] for entry in record["pyramid_dealt"]}
            self.hands[2] = Hand([], places)
        self.lost: list[str] = list(record["lost"])
        self.barrow: list[str] | None = list(record["barrow"]) if "barrow" in record else None
        self.draw_deck: list[str] = list(record.get("draw_order") or [])
        self.threat_deck: list[int] = list(chapter.threats)
        self.threats: list[int | None] = [None] * len(self.keys)
        self.declared: list[Any] = [None] * len(self.keys)
        self.tucked: list[str | None] = [None] * len(self.keys)
        self.reserved: list[str | None] = [None] * len(self.keys)
        self.preplayed: list[str | None] = [None] * len(self.keys)
        self.preplay_wins = False
        self.retained = [0] * len(self.keys)
        self.planned: list[tuple[int, list[int]]] = []
        """The Long Dark: who exchanges, with whom he may."""
        self.entries: list[Mapping[str, Any]] = list(record["setup"])
        self.exchanger: int | None = record.get("solo_exchanger")
        self.holder = holder_of(record, chapter)

    # Reading the entries.

    def next_is(self, action: str, seat: int | None = None) -> bool:
        """Return whether the next entry is this action (of this seat)."""
        if not self.entries or self.entries[0]["action"] != action:
            return False
        return seat is None or self.entries[0].get("seat") == seat

    def expect(self, action: str, seat: int | None = None) -> Mapping[str, Any]:
        """Take the next entry, which has to be this action."""
        if not self.next_is(action, seat):
            there = self.entries[0] if self.entries else "the end of setup"
            who = "" if seat is None else f"seat {seat} ({self.keys[seat]}): "
            raise DifferenceError(f"setup, {who}{action} is due; the record has {there}")
        return self.entries.pop(0)

    def skip(self, action: str, seat: int) -> None:
        """Take the next entry if it is this remark, which a record may leave out."""
        if self.next_is(action, seat):
            self.entries.pop(0)

    # Who may give what to whom.

    @property
    def seats(self) -> range:
        """The seats."""
        return range(len(self.keys))

    def identity(self, seat: int) -> str:
        """Return the name that exchange partners match."""
        return self.roles[seat].identity or self.keys[seat]

    def curse(self, seat: int) -> str | None:
        """Return a seat's curse."""
        return self.chapter.curses.get(self.keys[seat])

    def passable(self, seat: int) -> list[str]:
        """Return the cards that a seat may pass."""
        return [card for card in self.hands[seat].open_in_setup() if card not in self.roles[seat].keeps]

    def partners(self, seat: int, action: Action) -> list[int]:
        """Return the seats that may be partners of an exchange; the Wraith (chapter 9) neither starts one nor is a partner."""
        if self.curse(seat) == "wraith":
            return []
        return [
            other
            for other in self.seats
            if other != seat
            and self.curse(other) != "wraith"
            and (action.with_ == ("any",) or self.identity(other) in action.with_)
            and self.identity(other) not in action.except_
        ]

    def order(self) -> list[int]:
        """Return the order of acting: from the left of Frodo; without him from the holder of the 1 of Rings (or his left)."""
        bound = [seat for seat, role in enumerate(self.roles) if role.of_holder]
        if bound:
            start = bound[0] + 1
        else:
            start = (self.holder or 0) + (self.settings["A13"] == "left_of_holder")
        return [(start + step) % len(self.keys) for step in self.seats]

    def run(self) -> None:
        """Replay all of setup; raise DifferenceError where the record leaves the rules."""
        if self.chapter.mirror and self.players != 1:
            self.mirror()
        self.before()
        for seat in self.order():
            for action in self.roles[seat].setup:
                getattr(self, f"do_{action.do}")(seat, action)
            if not any(action.do in ("exchange", "swap_lost") for action in self.roles[seat].setup):
                self.skip("no_exchange", seat)
        if self.planned:
            self.long_dark()
        if self.chapter.horn:
            self.horn()
        if self.entries:
            raise DifferenceError(f"setup: {self.entries[0]} is not due")

    def before(self) -> None:
        """Solo: the extra cards, and the choice of the one character that exchanges."""
        if self.players != 1:
            if self.exchanger is not None:
                raise DifferenceError(f"setup: solo_exchanger is {self.exchanger}; {self.players} people all exchange")
            return
        waiting = {seat: role.solo_extra for seat, role in enumerate(self.roles) if role.solo_extra}
        while self.next_is("solo_full_hand") or self.next_is("choose_solo_exchanger"):
            entry = self.entries.pop(0)
            if entry["action"] == "solo_full_hand":
                if entry["seat"] not in waiting:
                    raise DifferenceError(f"setup: {entry} is not due")
                self.extra_cards(entry["seat"], waiting.pop(entry["seat"]), entry["cards"])
            elif entry["chosen"] != self.exchanger:
                raise DifferenceError(f"setup: {entry['chosen']} is chosen to exchange; solo_exchanger is {self.exchanger}")
            elif sorted(entry["options"]) != self.solo_options():
                raise DifferenceError(f"setup: {entry['options']} may exchange; the rules say {self.solo_options()}")
        for seat, count in waiting.items():
            self.extra_cards(seat, count, None)
        options = self.solo_options()
        if (self.exchanger is None) != (not options) or (options and self.exchanger not in options):
            raise DifferenceError(f"setup: solo_exchanger is {self.exchanger}; the rules say one of {options}")

    def solo_options(self) -> list[int]:
        """Return the seats whose character has an exchange and a partner for it."""
        found = []
        for seat, role in enumerate(self.roles):
            for action in role.setup:
                swaps = action.do == "swap_lost" and self.settings["galadriel_solo"] == "exchange" and bool(self.lost)
                if swaps or (action.do in ("exchange", "swap_lost") and self.partners(seat, action)):
                    found.append(seat)
        return sorted(set(found))

    def extra_cards(self, seat: int, count: int, told: list[str] | None) -> None:
        """Move the next cards of the draw deck to a hand."""
        cards, self.draw_deck = self.draw_deck[:count], self.draw_deck[count:]
        if told is not None and list(told) != cards:
            raise DifferenceError(f"setup, seat {seat}: gets {told} from the draw deck; next there are {cards}")
        for card in cards:
            self.hands[seat].put(card)

    # What comes before and after the seats' turns.

    def mirror(self) -> None:
        """Section 21: four cards, one passed to each other player at once; four more, again; then the rest."""
        people = [seat for seat in self.seats if self.players != 2 or seat != 2]
        to_come = {seat: list(self.hands[seat].cards) for seat in people}
        for seat in people:
            self.hands[seat].cards = []
        for stage in (1, 2):
            for seat in people:
                self.hands[seat].cards += to_come[seat][:4]
                to_come[seat] = to_come[seat][4:]
            entry = self.expect("mirror_pass")
            if entry.get("stage", stage) != stage:
                raise DifferenceError(f"setup: stage {entry['stage']} of the Mirror; due is {stage}")
            moves = [(int(giver), int(to), card) for giver, cards in entry["gave"].items() for to, card in cards.items()]
            self.move_at_once(moves, [(giver, to) for giver in people for to in people if to != giver])
        for seat in people:
            self.hands[seat].cards += to_come[seat]

    def long_dark(self) -> None:
        """Section 19: all name partner and card, all addressed choose returns, then everything moves."""
        entry = self.expect("long_dark")
        if [plan[0] for plan in entry["plans"]] != [seat for seat, _ in self.planned]:
            due = [seat for seat, _ in self.planned]
            raise DifferenceError(f"setup: {[plan[0] for plan in entry['plans']]} exchange in the dark; the rules say {due}")
        for (seat, other, _), (_, partners) in zip(entry["plans"], self.planned, strict=True):
            if other not in partners:
                raise DifferenceError(f"setup, seat {seat}: exchanges with seat {other}; partners are {partners}")
        pairs = [(other, seat) for seat, other, _ in entry["plans"]]
        if [(giver, to) for giver, to, _ in entry["returns"]] != pairs:
            raise DifferenceError(f"setup: returns go {[r[:2] for r in entry['returns']]}; the rules say {pairs}")
        moves = [(giver, to, card) for giver, to, card in [*entry["plans"], *entry["returns"]]]
        count = len(entry["plans"])
        if self.settings["dark_places"] == "own":
            answers = [(at + count) % (2 * count) for at in range(2 * count)]
        else:
            answers = [
                [given for given, move in enumerate(moves) if move[0] == to][sum(earlier[1] == to for earlier in moves[:at])]
                for at, (_, to, _) in enumerate(moves)
            ]
        self.move_at_once(moves, None, answers)

    def horn(self) -> None:
        """Section 3, gifts: Boromir names the suits of which he holds most; not when he is the pyramid."""
        for seat in self.seats:
            if self.keys[seat] != "boromir" or self.hands[seat].rows is not None:
                continue
            entry = self.expect("horn", seat)
            suits = [suit(card) for card in self.hands[seat].cards]
            most = sorted({letter for letter in suits if suits.count(letter) == max(suits.count(other) for other in suits)})
            if sorted(entry["suits"]) != most:
                raise DifferenceError(f"setup, seat {seat}: the horn names {entry['suits']}; most cards are of {most}")

    # One method for each action.

    def do_take_lost(self, seat: int, action: Action) -> None:
        """Take all cards that are still lost."""
        if not self.lost:
            return
        if self.settings["A12"] == "optional" and not self.next_is("take_lost", seat):
            self.skip("decline_lost", seat)
            return
        entry = self.expect("take_lost", seat)
        if sorted(entry["cards"]) != sorted(self.lost):
            raise DifferenceError(f"setup, seat {seat}: takes {entry['cards']}; lost are {self.lost}")
        for card in self.lost:
            self.hands[seat].put(card)
        self.retained[seat] += len(self.lost)
        self.lost = []

    def do_take_barrow(self, seat: int, action: Action) -> None:
        """Take five cards of the barrow (section 11)."""
        if self.settings["A12"] == "optional" and not self.next_is("take_barrow", seat):
            return
        cards = self.expect("take_barrow", seat)["cards"]
        there = self.barrow if self.barrow is not None else cards
        if len(cards) != 5 or len(set(cards)) != 5 or any(card not in there for card in cards):
            raise DifferenceError(f"setup, seat {seat}: takes {cards}; five of the barrow are due, which is {there}")
        for card in cards:
            self.hands[seat].put(card)
        self.retained[seat] += 5

    def do_draw_threat(self, seat: int, action: Action) -> None:
        """Draw threats, again when the card is lost; of several keep one. With Meriadoc one may draw once more."""
        kept = []
        for _ in range(action.draw):
            kept.append(self.draw_one(seat, action))
        if len(kept) > action.keep:
            entry = self.expect("keep_threat", seat)
            if sorted(entry["options"]) != sorted(kept) or entry["value"] not in kept:
                raise DifferenceError(f"setup, seat {seat}: keeps {entry['value']} of {entry['options']}; drawn are {kept}")
            kept = [entry["value"]]
        self.threats[seat] = kept[0]
        if any(role.grants_redraw for role in self.roles):
            self.redraw(seat, action)

    def draw_one(self, seat: int, action: Action) -> int:
        """Draw one number; those whose card is lost are put away."""
        entry = self.expect("threat", seat)
        for value in entry.get("rejected") or []:
            self.take_threat(seat, value)
            if not self.is_void(value, action):
                raise DifferenceError(f"setup, seat {seat}: threat {value} is drawn again, but lost are {self.lost}")
            if self.settings["A14"] == "shuffled_back":
                self.threat_deck.append(value)
        self.take_threat(seat, entry["value"])
        if self.is_void(entry["value"], action):
            raise DifferenceError(f"setup, seat {seat}: threat {entry['value']} has to be drawn again; lost are {self.lost}")
        return entry["value"]

    def redraw(self, seat: int, action: Action) -> None:
        """Meriadoc: the number may be drawn once more; the old one is put away."""
        if self.expect("redraw", seat)["accepted"]:
            self.threats[seat] = self.draw_one(seat, action)

    def do_choose_threat(self, seat: int, action: Action) -> None:
        """Choose a threat of those that are left."""
        entry = self.expect("choose_threat", seat)
        if "options" in entry and sorted(entry["options"]) != sorted(self.threat_deck):
            raise DifferenceError(f"setup, seat {seat}: chooses of {entry['options']}; left are {sorted(self.threat_deck)}")
        self.take_threat(seat, entry["value"])
        self.threats[seat] = entry["value"]

    def take_threat(self, seat: int, value: int) -> None:
        """Take a number out of the threat deck."""
        if value not in self.threat_deck:
            raise DifferenceError(f"setup, seat {seat}: threat {value} is not in the deck; left are {sorted(self.threat_deck)}")
        self.threat_deck.remove(value)

    def is_void(self, value: int, action: Action) -> bool:
        """Return whether a lost card makes a threat impossible: it has the rank and a suit that the goal names."""
        return any(rank(card) == value and suit(card) in action.redraw_if_lost for card in self.lost)

    def do_declare(self, seat: int, action: Action) -> None:
        """Strider: more or fewer tricks than the number."""
        value = self.expect("declare", seat)["value"]
        if value not in ("more", "fewer"):
            raise DifferenceError(f"setup, seat {seat}: declares {value}; more or fewer are the choices")
        self.declared[seat] = value

    def do_sword(self, seat: int, action: Action) -> None:
        """The Sword That Was Broken: a pair of numbers instead of a threat."""
        entry = self.expect("sword", seat)
        pairs = [[1, 2], [3, 4], [5, 6]]
        if entry["value"] not in pairs or sorted(entry.get("options", pairs)) != pairs:
            raise DifferenceError(f"setup, seat {seat}: the sword is {entry}; the pairs are {pairs}")
        self.declared[seat] = entry["value"]

    def excluded(self, seat: int) -> bool:
        """Return whether a seat's exchange falls away because another one has the only exchange of a solo game."""
        return self.players == 1 and seat != self.exchanger

    def do_exchange(self, seat: int, action: Action) -> None:
        """Exchange with one partner (several times, or with all of them at once)."""
        partners = self.partners(seat, action)
        if self.excluded(seat) or not partners or not self.passable(seat):
            self.skip("no_exchange", seat)
            return
        if self.chapter.simultaneous:
            self.planned.append((seat, partners))
            return
        if action.each:
            self.exchange_with_each(seat, partners)
            return
        for _ in range(action.times):
            entry = self.expect("exchange", seat)
            other, gave, got = entry["with"], entry["gave"], entry["got"]
            if other not in partners:
                raise DifferenceError(f"setup, seat {seat}: exchanges with seat {other}; partners are {partners}")
            if "targets" in entry and sorted(entry["targets"]) != partners:
                raise DifferenceError(f"setup, seat {seat}: targets {entry['targets']}; partners are {partners}")
            if gave not in self.passable(seat):
                raise DifferenceError(f"setup, seat {seat}: gives {gave}; it may give {self.passable(seat)}")
            back = [*self.passable(other), *([] if action.simultaneous else [gave])]
            if got not in back:
                raise DifferenceError(f"setup, seat {seat}: gets {got} back; seat {other} may give {back}")
            if got == gave:
                continue
            mine, theirs = self.hands[seat].remove(gave), self.hands[other].remove(got)
            self.hands[seat].put(got, mine)
            self.hands[other].put(gave, theirs)

    def exchange_with_each(self, seat: int, partners: list[int]) -> None:
        """Exchange one card with every partner, all chosen before any card moves."""
        entry = self.expect("simultaneous_exchange", seat)
        if sorted(entry["with"]) != partners:
            raise DifferenceError(f"setup, seat {seat}: exchanges with {entry['with']}; partners are {partners}")
        pairs = [(seat, other) for other in partners] + [(other, seat) for other in partners]
        moves = [(int(giver), int(to), card) for giver, cards in entry["gave"].items() for to, card in cards.items()]
        self.move_at_once(moves, pairs)

    def do_pass_right(self, seat: int, action: Action) -> None:
        """Everybody passes one card to the right at once."""
        entry = self.expect("pass_right")
        count = len(self.keys)
        moves = [(int(giver), int(to), card) for giver, cards in entry["gave"].items() for to, card in cards.items()]
        self.move_at_once(moves, [(giver, (giver - 1) % count) for giver in range(count)])

    def move_at_once(
        self, moves: list[tuple[int, int, str]], pairs: list[tuple[int, int]] | None, answers: list[int] | None = None
    ) -> None:
        """Move a card for every (giver, receiver, card); what a seat gets takes the place of what it gave.

        `pairs`: the givers and receivers that the rules ask for. `answers`: for every move the number of the one that answers
        it; without them the card that goes the other way, or any that its receiver gave.
        """
        told = [(giver, to) for giver, to, _ in moves]
        if pairs is not None and sorted(told) != sorted(pairs):
            raise DifferenceError(f"setup: cards go {sorted(told)}; the rules say {sorted(pairs)}")
        for giver in self.seats:
            cards = [card for source, _, card in moves if source == giver]
            if len(set(cards)) != len(cards) or any(card not in self.passable(giver) for card in cards):
                raise DifferenceError(f"setup, seat {giver}: gives {cards}; it may give {self.passable(giver)}")
        places = [self.hands[giver].remove(card) for giver, _, card in moves]
        for at, (giver, to, card) in enumerate(moves):
            if answers is not None:
                back = places[answers[at]]
            elif (to, giver) in told:
                back = places[told.index((to, giver))]
            else:
                back = next((place for place, (source, _) in zip(places, told, strict=True) if source == to), None)
            self.hands[to].put(card, back)

    def do_give_each(self, seat: int, action: Action) -> None:
        """Give one card to every other seat."""
        waiting = [other for other in self.seats if other != seat]
        while waiting:
            entry = self.expect("donate", seat)
            if entry["to"] not in waiting:
                raise DifferenceError(f"setup, seat {seat}: gives to seat {entry['to']}; still waiting are {waiting}")
            if entry["card"] not in self.passable(seat):
                raise DifferenceError(f"setup, seat {seat}: gives {entry['card']}; it may give {self.passable(seat)}")
            waiting.remove(entry["to"])
            self.hands[seat].remove(entry["card"])
            self.hands[entry["to"]].put(entry["card"])

    def do_show_hand(self, seat: int, action: Action) -> None:
        """Lay the hand open: nothing changes."""
        self.skip("reveal_hand", seat)

    def do_tuck(self, seat: int, action: Action) -> None:
        """Lay a card under the character."""
        self.tucked[seat] = self.lay_aside(seat, self.expect("tuck", seat)["card"], "tucks")

    def do_set_aside(self, seat: int, action: Action) -> None:
        """Radagast: a card for the last trick, then one that already lies in the first."""
        self.reserved[seat] = self.lay_aside(seat, self.expect("reserve", seat)["card"], "sets aside")
        entry = self.expect("preplay", seat)
        self.preplayed[seat] = self.lay_aside(seat, entry["card"], "plays")
        self.preplay_wins = bool(entry.get("one_ring_wins"))
        if self.preplay_wins and entry["card"] != self.chapter.declaring:
            raise DifferenceError(f"setup, seat {seat}: declares {entry['card']} to win; only {self.chapter.declaring} can be")

    def lay_aside(self, seat: int, card: str, what: str) -> str:
        """Take a card out of a hand and return it."""
        if card not in self.passable(seat):
            raise DifferenceError(f"setup, seat {seat}: {what} {card}; it has {self.passable(seat)}")
        self.hands[seat].remove(card)
        return card

    def do_swap_lost(self, seat: int, action: Action) -> None:
        """Galadriel: change a card with the lost one, or exchange with Gandalf."""
        if self.excluded(seat) and self.settings["galadriel_solo"] == "exchange":
            self.skip("no_exchange", seat)
            return
        if self.next_is("exchange", seat):
            self.do_exchange(seat, Action("exchange", ("gandalf",)))
            return
        if not self.lost or (self.settings["A12"] == "optional" and not self.next_is("exchange_lost", seat)):
            self.skip("no_exchange", seat)
            return
        entry = self.expect("exchange_lost", seat)
        if entry["gave"] not in self.buriable(seat) or entry["got"] not in self.lost:
            raise DifferenceError(
                f"setup, seat {seat}: changes {entry['gave']} for {entry['got']}; "
                f"it may give {self.buriable(seat)} and lost are {self.lost}"
            )
        place = self.hands[seat].remove(entry["gave"])
        self.lost[self.lost.index(entry["got"])] = entry["gave"]
        self.hands[seat].put(entry["got"], place)

    def buriable(self, seat: int) -> list[str]:
        """Return the cards that Galadriel may leave lost; in chapter 16 none that a number drawn so far needs (section 21)."""
        needed = []
        if self.chapter.nothing_needed_buried:
            for other, value in enumerate(self.threats):
                suits = "".join(action.redraw_if_lost for action in self.roles[other].setup)
                needed += [f"{letter}{value}" for letter in suits if value is not None]
        return [card for card in self.passable(seat) if card not in needed]
