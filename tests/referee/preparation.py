"""Before play: the deal, who may take which character, and the setup actions, replayed entry by entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios import Scenario, load_assumptions
from scenarios.model import Character, SetupAction

from .goals import named_by, rank, suit
from .table import Hand

Record = Mapping[str, Any]


class DifferenceError(Exception):
    """The record says something else than the rules, and what follows it cannot be judged."""


def rules_of(record: Record, scenario: Scenario, assume: Mapping[str, str]) -> dict[str, str]:
    """Return the house rules: of the scenario, changed by the record's assumptions, changed by the caller's."""
    rules = {name: getattr(scenario.rules, name) for name in scenario.rules.__struct_fields__}
    known = load_assumptions(scenario.book)
    for name, option in {**(record.get("assumptions") or {}), **assume}.items():
        if name in known:
            rules |= known[name].options[option]
    return rules


def holder_of(record: Record, scenario: Scenario) -> int | None:
    """Return the seat that was dealt the 1 of Rings (or the card that takes its place), None when that is not told."""
    card = next((c.taken_with for c in scenario.characters.values() if c.taken_with), "") or scenario.declaring
    for seat, entry in enumerate(record["seats"]):
        if card in entry.get("dealt", []):
            return seat
    return record.get("ring_holder")


def check_seats(record: Record) -> None:
    """Raise DifferenceError where the record names a seat or a partner that is not at the table, or forgets one."""
    seats = range(len(record["seats"]))
    named = [("first_leader", record["first_leader"])]
    if record.get("ring_holder") is not None:
        named.append(("ring_holder", record["ring_holder"]))
    for entry in record.get("setup", []):
        named += [(f"setup, {entry}", entry[key]) for key in ("seat", "with", "to", "chosen") if isinstance(entry.get(key), int)]
    for number, trick in enumerate(record["tricks"], start=1):
        named += [(f"trick {number}", seat) for seat in (trick["leader"], trick["winner"], *(seat for seat, _ in trick["plays"]))]
    for where, seat in named:
        if seat not in seats:
            raise DifferenceError(f"{where}: {seat} is no seat; the seats are {list(seats)}")
    for key in ("goals", "sealed", "left"):
        if key in record and len(record[key]) != len(seats):
            raise DifferenceError(f"{key}: {len(record[key])} entries for {len(seats)} seats")


def check_deal(record: Record, scenario: Scenario) -> list[str]:
    """Return what is wrong with the deal."""
    found = []
    size = scenario.deals[record["players"]]
    seats = record["seats"]
    if len(seats) != size.seats:
        raise DifferenceError(f"deal: {len(seats)} seats; the rules say {size.seats}")
    lost = record.get("lost")
    dealt = [entry.get("dealt") for entry in seats]
    for seat, cards in enumerate(dealt):
        if cards is not None and len(cards) != size.hand:
            found.append(f"deal, seat {seat}: {len(cards)} cards; the rules say {size.hand}")
    if lost is not None:
        if len(lost) != size.lost:
            found.append(f"deal: {len(lost)} lost cards; the rules say {size.lost}")
        found += [f"deal: {card} is lost; it is never lost" for card in lost if card in scenario.never_lost]
    draw_order = record.get("draw_order")
    if draw_order is not None and len(draw_order) != size.draw_deck:
        found.append(f"deal: draw deck of {len(draw_order)} cards; the rules say {size.draw_deck}")
    if lost is not None and all(cards is not None for cards in dealt) and (draw_order is not None or not size.draw_deck):
        everything = [card for cards in [*dealt, lost, draw_order or []] for card in cards]
        for card in sorted({*everything, *scenario.cards}):
            if everything.count(card) != scenario.cards.count(card):
                told = f"{everything.count(card)} times; the deck has {scenario.cards.count(card)}"
                found.append(f"deal: {card} is there {told}")
    if record["players"] == 1 and all(cards is not None for cards in dealt) and scenario.declaring:
        if not any(scenario.declaring in cards for cards in dealt):
            found.append(f"deal: {scenario.declaring} is in no hand; it is set aside for one of them")
    holder = holder_of(record, scenario)
    if "ring_holder" in record and record["ring_holder"] != holder:
        found.append(f"deal: ring_holder is {record['ring_holder']}; the 1 of Rings was dealt to seat {holder}")
    pyramid_seat = 2 if record["players"] == 2 else None
    for seat, entry in enumerate(seats):
        if entry.get("pyramid", seat == pyramid_seat) != (seat == pyramid_seat):
            found.append(f"seat {seat}: pyramid is {entry['pyramid']}; the pyramid is seat {pyramid_seat}")
        if pyramid_seat is not None and holder is not None and entry.get("controller") is not None:
            own = seat if seat != pyramid_seat else (holder if holder != pyramid_seat else 1)
            if entry["controller"] != own:
                found.append(f"seat {seat}: controlled by {entry['controller']}; the rules say {own}")
    return found


def check_pyramid_dealt(record: Record, scenario: Scenario) -> list[str]:
    """Return what is wrong with the pyramid as dealt."""
    layout = scenario.pyramids[scenario.deals[2].pyramid]
    places = {(entry["row"], entry["col"]): entry for entry in record["pyramid_dealt"]}
    expected = {(row, col) for row, length in enumerate(layout.rows) for col in range(length)}
    if set(places) != expected:
        raise DifferenceError(f"pyramid_dealt: places {sorted(places)}; the rules say {sorted(expected)}")
    found = []
    for (row, col), entry in sorted(places.items()):
        if "up" in entry and entry["up"] != (col in layout.face_up[row]):
            found.append(f"pyramid_dealt, row {row}, place {col}: face up is {entry['up']}; the rules say {not entry['up']}")
    cards = [entry["card"] for entry in places.values()]
    if "dealt" in record["seats"][2] and sorted(cards) != sorted(record["seats"][2]["dealt"]):
        found.append(f"pyramid_dealt: {sorted(cards)}; dealt were {sorted(record['seats'][2]['dealt'])}")
    return found


def check_selection(record: Record, scenario: Scenario, rules: Mapping[str, str]) -> list[str]:
    """Return what is wrong with the choice of characters: holder of the 1 of Rings first, then clockwise."""
    found: list[str] = []
    seats = [entry["character"] for entry in record["seats"]]
    required = [entry.character for entry in scenario.roster if entry.required]
    unclaimed = [entry.character for entry in scenario.roster]
    holder = holder_of(record, scenario)
    unknown = [name for name in seats if name not in unclaimed]
    if unknown:
        raise DifferenceError(f"selection: {unknown[0]} is not in the roster")
    for name in required:
        if name not in seats:
            found.append(f"selection: {name} is required; nobody took it")
    if holder is None:
        return found + [f"selection: {name} is there twice" for name in set(seats) if seats.count(name) > 1]
    order = [(holder + step) % len(seats) for step in range(len(seats))]
    listed = record.get("selection")
    if listed is not None and [entry["seat"] for entry in listed] != order:
        found.append(f"selection: order {[entry['seat'] for entry in listed]}; the rules say {order}")
        listed = None
    for position, seat in enumerate(order):
        later = len(order) - position - 1
        bound = [name for name in unclaimed if scenario.characters[name].taken_with]
        if seat == holder and bound:
            options = bound
        else:
            options = [
                name
                for name in unclaimed
                if name not in bound and len([need for need in required if need in unclaimed and need != name]) <= later
            ]
            still_required = [name for name in options if name in required]
            if record["players"] == 1 and rules["solo_selection"] == "required_first" and still_required:
                options = still_required
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


class Setup:
    """The setup actions of a round, replayed from the cards as dealt.

    `run` raises DifferenceError at the first entry that the rules do not allow: every later hand would follow from it.
    """

    def __init__(self, record: Record, scenario: Scenario, rules: Mapping[str, str]) -> None:
        """Lay out the cards as dealt."""
        self.record = record
        self.rules = rules
        self.players: int = record["players"]
        self.keys: list[str] = [entry["character"] for entry in record["seats"]]
        self.characters: list[Character] = [scenario.characters[key] for key in self.keys]
        self.hands = [Hand(list(entry["dealt"])) for entry in record["seats"]]
        if "pyramid_dealt" in record:
            places = {(entry["row"], entry["col"]): entry["card"] for entry in record["pyramid_dealt"]}
            self.hands[2] = Hand([], places)
        self.lost: list[str] = list(record["lost"])
        self.draw_deck: list[str] = list(record.get("draw_order") or [])
        self.threat_deck: list[int] = list(scenario.threats)
        self.threats: list[int | None] = [None] * len(self.keys)
        self.tucked: list[str | None] = [None] * len(self.keys)
        self.retained = [0] * len(self.keys)
        self.entries: list[Mapping[str, Any]] = list(record["setup"])
        self.exchanger: int | None = record.get("solo_exchanger")
        self.holder = holder_of(record, scenario)

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

    def identity(self, seat: int) -> str:
        """Return the name that exchange partners match."""
        return self.characters[seat].identity or self.keys[seat]

    def passable(self, seat: int) -> list[str]:
        """Return the cards that a seat may pass."""
        keeps = self.characters[seat].keeps
        return [card for card in self.hands[seat].open_in_setup() if not named_by(keeps, card, None)]

    def partners(self, seat: int, action: SetupAction) -> list[int]:
        """Return the seats that may be partners of an exchange."""
        names = [action.with_] if isinstance(action.with_, str) else list(action.with_)
        return [
            other
            for other in range(len(self.keys))
            if other != seat
            and (names == ["any"] or self.identity(other) in names)
            and self.identity(other) not in action.except_
        ]

    def order(self) -> list[int]:
        """Return the order of acting: from the left of the bound character; without one from the holder (or his left)."""
        bound = [seat for seat, character in enumerate(self.characters) if character.taken_with]
        if bound:
            start = bound[0] + 1
        else:
            start = (self.holder or 0) + (self.rules["first_without_bearer"] == "left_of_holder")
        return [(start + step) % len(self.keys) for step in range(len(self.keys))]

    def run(self) -> None:
        """Replay all of setup; raise DifferenceError where the record leaves the rules."""
        self.before()
        for seat in self.order():
            for action in self.characters[seat].setup:
                getattr(self, f"do_{action.do}")(seat, action)
            if not any(action.do == "exchange" for action in self.characters[seat].setup):
                self.skip("no_exchange", seat)
        if self.entries:
            raise DifferenceError(f"setup: {self.entries[0]} is not due")

    def before(self) -> None:
        """Solo: the extra cards, and the choice of the one character that exchanges."""
        if self.players != 1:
            if self.exchanger is not None:
                raise DifferenceError(f"setup: solo_exchanger is {self.exchanger}; {self.players} people all exchange")
            return
        waiting = {seat: c.solo.extra_cards for seat, c in enumerate(self.characters) if c.solo.extra_cards}
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
        return [
            seat
            for seat, character in enumerate(self.characters)
            if any(action.do == "exchange" and self.partners(seat, action) for action in character.setup)
        ]

    def extra_cards(self, seat: int, count: int, told: list[str] | None) -> None:
        """Move the next cards of the draw deck to a hand."""
        cards, self.draw_deck = self.draw_deck[:count], self.draw_deck[count:]
        if told is not None and list(told) != cards:
            raise DifferenceError(f"setup, seat {seat}: gets {told} from the draw deck; next there are {cards}")
        for card in cards:
            self.hands[seat].put(card)

    # One method for each action of the data.

    def do_take_lost(self, seat: int, action: SetupAction) -> None:
        """Take all cards that are still lost."""
        if not self.lost:
            return
        if self.rules["take_lost"] == "optional" and not self.next_is("take_lost", seat):
            self.skip("decline_lost", seat)
            return
        entry = self.expect("take_lost", seat)
        if sorted(entry["cards"]) != sorted(self.lost):
            raise DifferenceError(f"setup, seat {seat}: takes {entry['cards']}; lost are {self.lost}")
        for card in self.lost:
            self.hands[seat].put(card)
        self.retained[seat] += len(self.lost)
        self.lost = []

    def do_draw_threat(self, seat: int, action: SetupAction) -> None:
        """Draw threats, again when the card is lost; of several keep one."""
        kept = []
        for _ in range(action.draw):
            entry = self.expect("threat", seat)
            for value in entry.get("rejected") or []:
                self.take_threat(seat, value)
                if not self.is_void(value, action):
                    raise DifferenceError(f"setup, seat {seat}: threat {value} is drawn again, but lost are {self.lost}")
                if self.rules["rejected_threat"] == "shuffled_back":
                    self.threat_deck.append(value)
            self.take_threat(seat, entry["value"])
            if self.is_void(entry["value"], action):
                raise DifferenceError(f"setup, seat {seat}: threat {entry['value']} has to be drawn again; lost are {self.lost}")
            kept.append(entry["value"])
        if len(kept) > action.keep:
            entry = self.expect("keep_threat", seat)
            if sorted(entry["options"]) != sorted(kept) or entry["value"] not in kept:
                raise DifferenceError(f"setup, seat {seat}: keeps {entry['value']} of {entry['options']}; drawn are {kept}")
            kept = [entry["value"]]
        self.threats[seat] = kept[0]

    def do_choose_threat(self, seat: int, action: SetupAction) -> None:
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

    def is_void(self, value: int, action: SetupAction) -> bool:
        """Return whether a lost card makes a threat impossible."""
        return any(rank(card) == value and suit(card) in action.redraw_if_lost for card in self.lost)

    def do_exchange(self, seat: int, action: SetupAction) -> None:
        """Exchange with one partner (several times, or with all of them at once)."""
        partners = self.partners(seat, action)
        excluded = self.players == 1 and seat != self.exchanger
        if excluded or not partners or not self.passable(seat):
            self.skip("no_exchange", seat)
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
        self.move_at_once(entry["gave"], pairs)

    def do_pass_right(self, seat: int, action: SetupAction) -> None:
        """Everybody passes one card to the right at once."""
        entry = self.expect("pass_right")
        seats = len(self.keys)
        self.move_at_once(entry["gave"], [(giver, (giver - 1) % seats) for giver in range(seats)])

    def move_at_once(self, gave: Mapping[str, Mapping[str, str]], pairs: list[tuple[int, int]]) -> None:
        """Move one card for every pair (giver, receiver); a received card takes the place of the one given to that seat."""
        told = {(int(giver), int(receiver)): card for giver, cards in gave.items() for receiver, card in cards.items()}
        if set(told) != set(pairs):
            raise DifferenceError(f"setup: cards go {sorted(told)}; the rules say {sorted(pairs)}")
        for giver in self.record_seats():
            cards = [card for (source, _), card in told.items() if source == giver]
            if len(set(cards)) != len(cards) or any(card not in self.passable(giver) for card in cards):
                raise DifferenceError(f"setup, seat {giver}: gives {cards}; it may give {self.passable(giver)}")
        places = {pair: self.hands[pair[0]].remove(card) for pair, card in told.items()}
        for (giver, receiver), card in told.items():
            back = places.get((receiver, giver))
            if back is None:
                back = next((place for (source, _), place in places.items() if source == receiver), None)
            self.hands[receiver].put(card, back)

    def record_seats(self) -> range:
        """Return the seats."""
        return range(len(self.keys))

    def do_give_each(self, seat: int, action: SetupAction) -> None:
        """Give one card to every other seat."""
        waiting = [other for other in self.record_seats() if other != seat]
        while waiting:
            entry = self.expect("donate", seat)
            if entry["to"] not in waiting:
                raise DifferenceError(f"setup, seat {seat}: gives to seat {entry['to']}; still waiting are {waiting}")
            if entry["card"] not in self.passable(seat):
                raise DifferenceError(f"setup, seat {seat}: gives {entry['card']}; it may give {self.passable(seat)}")
            waiting.remove(entry["to"])
            self.hands[seat].remove(entry["card"])
            self.hands[entry["to"]].put(entry["card"])

    def do_show_hand(self, seat: int, action: SetupAction) -> None:
        """Lay the hand open: nothing changes."""
        self.skip("reveal_hand", seat)

    def do_tuck(self, seat: int, action: SetupAction) -> None:
        """Lay a card under the character."""
        card = self.expect("tuck", seat)["card"]
        if card not in self.passable(seat):
            raise DifferenceError(f"setup, seat {seat}: tucks {card}; it may tuck {self.passable(seat)}")
        self.hands[seat].remove(card)
        self.tucked[seat] = card

    def do_swap_lost(self, seat: int, action: SetupAction) -> None:
        """Change a card with the lost one, or exchange with Gandalf."""
        if self.next_is("exchange", seat):
            self.do_exchange(seat, SetupAction(do="exchange", with_=["gandalf"]))
            return
        if not self.lost:
            self.skip("no_exchange", seat)
            return
        entry = self.expect("exchange_lost", seat)
        if entry["gave"] not in self.passable(seat) or entry["got"] not in self.lost:
            raise DifferenceError(f"setup, seat {seat}: changes {entry['gave']} for {entry['got']}; lost are {self.lost}")
        place = self.hands[seat].remove(entry["gave"])
        self.lost[self.lost.index(entry["got"])] = entry["gave"]
        self.hands[seat].put(entry["got"], place)

    def do_set_aside(self, seat: int, action: SetupAction) -> None:
        """Radagast's two cards belong to a chapter whose records this referee does not judge."""
        raise DifferenceError(f"setup, seat {seat}: set_aside is not judged here")
