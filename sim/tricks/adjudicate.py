"""Adjudication of recorded games: legality, winners, goals, setup, each difference with the source of its rule.

The recorded cards are put through the same kernels that play simulated rounds. (An independent referee, in plain
lists, stands in the tests and agrees with both.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import scenarios
from scenarios.errors import UserError, nearest
from scenarios.model import Scenario
from sim.tricks import play, pyramid, rules, setup, tricks
from sim.tricks import table as t
from sim.tricks.records import GameRecord, Slot, Step, read_records


@dataclass(frozen=True)
class Difference:
    """One point on which a record and the rules disagree."""

    file: str
    line: int
    where: str
    record: str
    rules: str
    source: str


class _StopError(Exception):
    """The record departs so far from the rules that the rest cannot be followed."""


def check_files(paths: list[Path], assume: Mapping[str, str] | None = None) -> Iterator[tuple[Path, int, list[Difference]]]:
    """Yield (file, line, differences) for every record; UserError for a file that is not one of records."""
    for path in paths:
        for line, found in read_records(path):
            yield path, line, Adjudication(found, str(path), line, assume).run()


class Adjudication:
    """One record against the rules."""

    def __init__(self, found: GameRecord, file: str, line: int, assume: Mapping[str, str] | None = None) -> None:
        self.found, self.file, self.line = found, file, line
        self.differences: list[Difference] = []
        self.where_from = f"{file}: line {line}"
        try:
            self.scenario = self._scenario(assume)
            self.rules = self._rules()
        except UserError as error:
            raise UserError(f"{self.where_from}: {error}") from None
        self.slots = {card: slot for slot, card in enumerate(self.scenario.cards)}
        self.public, self.privates, self.hidden = t.new_table()
        self.log = t.new_log(False)
        self.sources = scenarios.load_book(self.scenario.book).rules_source

    # The rules of this record ----------------------------------------------------------------------------------------

    def _scenario(self, assume: Mapping[str, str] | None) -> Scenario:
        known = scenarios.load_assumptions("fellowship")
        # An implementation may name assumptions that concern chapters we do not have.
        given = {name: option for name, option in self.found.assumptions.items() if name in known}
        given |= dict(assume or {})
        if self.found.chapter is not None:
            return scenarios.load(self.found.chapter, given)
        library = scenarios.load_characters("fellowship")
        for seat in self.found.seats:
            if seat.character not in library:
                raise UserError(f"character '{seat.character}' is unknown{nearest(seat.character, library)}")
        base = scenarios.load("1", given)
        names = {seat.character for seat in self.found.seats}
        import msgspec

        return msgspec.structs.replace(base, characters={n: library[n] for n in sorted(names)}, roster=())

    def _rules(self) -> Any:
        if self.found.chapter is not None:
            return rules.compile_rules(self.scenario, self.found.players)
        free = rules.blank_rules()
        size = self.scenario.deals[self.found.players]
        rules.fill_deck(free, self.scenario)
        free.players, free.seats, free.hand, free.lost = self.found.players, size.seats, size.hand, size.lost
        self.names = sorted(self.scenario.characters)
        for role, name in enumerate(self.names):
            rules.fill_role(free, role, self.scenario.characters[name], self.scenario, self.found.players, self.names)
        free.bearer = -1
        return free

    # Small helpers ---------------------------------------------------------------------------------------------------

    def differ(self, where: str, record: Any, ruled: Any, rule: str) -> None:
        """Note a difference; `rule` names the rule whose source is given."""
        source = self.sources.get(rule, rule)
        self.differences.append(Difference(self.file, self.line, where, str(record), str(ruled), source))

    def mask(self, cards: list[str], where: str) -> int:
        """Return cards as a mask; a card that the deck lacks, or one named twice, ends the adjudication."""
        total = 0
        for card in cards:
            if card not in self.slots:
                self.differ(where, card, "no card of this deck", "deal")
                raise _StopError
            if total >> self.slots[card] & 1:
                self.differ(where, f"{card} twice", "every card once", "deal")
                raise _StopError
            total |= 1 << self.slots[card]
        return total

    def cards(self, mask: Any) -> list[str]:
        """Return the cards of a mask."""
        return [card for card, slot in self.slots.items() if int(mask) >> slot & 1]

    def card(self, text: str | None, where: str) -> np.uint64:
        return np.uint64(self.mask([text or "nothing"], where))

    # The way through a record ----------------------------------------------------------------------------------------

    def run(self) -> list[Difference]:
        """Return the differences of the record, in the order of play."""
        try:
            t.clear(self.public, self.privates, self.hidden)
            self.public.seats = self.rules.seats
            if self.found.chapter is None:
                self._seat_characters()
                self._take_hands()
                self._count_free_plays()
            else:
                self._set_up()
                if self.public.tricks == 0:
                    setup.count_plays(self.rules, self.public, self.hidden)
            setup.bind_goals(self.rules, self.public)
            self._first_leader()
            self._tricks()
            self._verdicts()
        except _StopError:
            pass
        return self.differences

    def _seat_characters(self) -> None:
        names = self.names if self.found.chapter is None else [entry.character for entry in self.scenario.roster]
        for number, seat in enumerate(self.found.seats):
            if seat.character not in names:
                allowed = ", ".join(names)
                self.differ(f"seat {number}", seat.character, f"a character of the chapter: {allowed}", self.scenario.source)
                raise _StopError
            self.public.character[number] = names.index(seat.character)
            self.public.threat[number] = seat.threat or 0

    def _take_hands(self) -> None:
        together = self.mask(
            [c for seat in self.found.seats for c in seat.hand + ([seat.tucked] if seat.tucked else [])]
            + (self.found.lost_at_play or []),
            "hands",
        )
        if self.found.players > 1 and self.found.lost_at_play is not None and together != int(self.rules.deck):
            missing = " ".join(self.cards(int(self.rules.deck) & ~together))
            self.differ("hands", f"cards missing: {missing}", "the whole deck", "deal")
        for number, seat in enumerate(self.found.seats):
            hand = seat.hand + ([seat.tucked] if seat.tucked else [])
            self.privates.hand[number] = np.uint64(self.mask(hand, f"seat {number}"))
            self.public.cards_left[number] = len(hand)
        self.public.lost = np.uint64(self.mask(self.found.lost_at_play or [], "lost cards"))

    def _count_free_plays(self) -> None:
        """Settle the length of a round whose setup is not recorded: gifts make hands uneven, taken lost cards stay in hand."""
        givers = [
            number
            for number in range(self.public.seats)
            if any(a.do == "give_each" for a in self.scenario.characters[self.found.seats[number].character].setup)
        ]
        for number in range(self.public.seats):
            plays = int(self.rules.hand) + sum(1 if giver != number else 1 - int(self.public.seats) for giver in givers)
            self.public.plays_left[number] = plays
            self.public.retained[number] = int(self.public.cards_left[number]) - plays
            takes = any(
                a.do in ("take_lost", "swap_lost") for a in self.scenario.characters[self.found.seats[number].character].setup
            )
            if self.public.retained[number] != 0 and not (takes and self.public.retained[number] > 0):
                self.differ(f"seat {number}", f"{self.public.cards_left[number]} cards", f"{plays} cards", "deal")
                raise _StopError
        plays = self.public.plays_left[: self.public.seats]
        self.public.tricks = int(max(plays))
        self.public.uneven = int(min(plays) != max(plays))

    # Deal and setup --------------------------------------------------------------------------------------------------

    def _set_up(self) -> None:
        found = self.found
        lost = self.mask(found.lost or [], "lost cards")
        if found.setup is None or found.lost is None or any(seat.dealt is None for seat in found.seats):
            self._seat_characters()
            self._take_hands()
            if self.rules.solo:
                self._count_solo_plays()
            else:
                self._count_free_plays()
            if self.rules.pyramid:
                self._lay_pyramid(found.pyramid_at_play or [])
            return
        self.public.lost = self.public.first_lost = np.uint64(lost)
        self.hidden.threats_left = self.rules.threats
        if found.lost is not None:
            if len(found.lost) != self.rules.lost:
                self.differ("lost cards", found.lost, f"{self.rules.lost} lost cards", "deal")
            if lost & int(self.rules.never_lost):
                self.differ("lost cards", found.lost, "dealt again: it may not be lost", "deal")
        self.mask([c for seat in found.seats for c in seat.dealt or []] + (found.lost or []) + (found.draw_order or []), "deal")
        for number, seat in enumerate(found.seats):
            dealt = self.mask(seat.dealt or [], f"seat {number}")
            if len(seat.dealt or []) != self.rules.hand:
                self.differ(f"seat {number}", f"{len(seat.dealt or [])} cards dealt", f"{self.rules.hand} cards", "deal")
            self.privates.hand[number] = np.uint64(dealt)
            self.public.cards_left[number] = len(seat.dealt or [])
            if dealt & int(self.rules.holder_card):
                self.public.holder = number
            if self.rules.solo:
                self.public.shown[number] = np.uint64(dealt)
        if self.public.holder == t.NOBODY:
            self.differ("deal", "nobody holds it", f"{self.scenario.declaring} is dealt to a hand", "deal")
            raise _StopError
        if self.rules.solo:
            extra = [card for step in found.setup if step.action == "solo_full_hand" for card in step.cards]
            order = found.draw_order or extra + [card for trick in found.tricks for _, card in trick.draws or []]
            self.mask(order, "draw deck")
            for index, card in enumerate(order):
                self.hidden.order[index] = self.slots[card]
            self.hidden.draw_end = len(order)
        if self.rules.pyramid:
            self._lay_pyramid(found.pyramid_dealt or [])
        self._selection()
        self._seat_characters()
        self._actions([step for step in found.setup if step.action != "choose_solo_exchanger"])
        for number, seat in enumerate(found.seats):
            hand = int(self.privates.hand[number])
            if hand != self.mask(seat.hand, f"seat {number}"):
                self.differ(f"seat {number}", "hand at play " + " ".join(seat.hand), " ".join(self.cards(hand)), "setup")
                raise _StopError
        if found.lost_at_play is not None and self.mask(found.lost_at_play, "lost cards") != int(self.public.lost):
            self.differ("lost cards", found.lost_at_play, self.cards(self.public.lost), "take_lost")
        if self.rules.pyramid:
            pyramid.uncover(self.rules, self.public, self.hidden)

    def _count_solo_plays(self) -> None:
        """Take draws and plays of a solo round without setup from the record itself: what is missing is not checked."""
        drawn = [draw for trick in self.found.tricks for draw in trick.draws or []]
        for index, (_, card) in enumerate(drawn):
            self.hidden.order[index] = int(self.card(card, "draws")).bit_length() - 1
        self.hidden.draw_end = len(drawn)
        for seat in range(int(self.rules.seats)):
            plays = sum(one == seat for trick in self.found.tricks for one, _ in trick.plays)
            self.public.draws_left[seat] = sum(one == seat for one, _ in drawn)
            self.public.plays_left[seat] = plays
            self.public.retained[seat] = int(self.public.cards_left[seat]) + int(self.public.draws_left[seat]) - plays
            self.public.shown[seat] = self.privates.hand[seat]
        self.public.tricks = len(self.found.tricks)
        self.public.uneven = 1

    def _lay_pyramid(self, places: list[Slot]) -> None:
        name = self.scenario.deals[self.found.players].pyramid
        rows = self.scenario.pyramids[name].rows
        for slot in range(int(self.rules.pyramid)):
            self.hidden.slot_card[slot] = t.NOBODY
        for place in places:
            if place.row == -1:
                pyramid.place(self.hidden, self.slots[place.card], t.NOBODY)
                continue
            if not 0 <= place.row < len(rows) or not 0 <= place.col < rows[place.row]:
                self.differ("pyramid", f"row {place.row}, column {place.col}", f"rows of {rows}", "pyramid")
                raise _StopError
            self.hidden.slot_card[sum(rows[: place.row]) + place.col] = self.slots[place.card]
        if not places:
            # A record without the layout is judged as if every card of the pyramid could be played.
            self.hidden.loose = self.privates.hand[int(self.rules.seats) - 1]
        pyramid.open_pyramid(self.rules, self.public, self.hidden)

    def _selection(self) -> None:
        names = [entry.character for entry in self.scenario.roster]
        picks = self.found.selection
        if picks is None:
            order = [(int(self.public.holder) + step) % len(self.found.seats) for step in range(len(self.found.seats))]
            chosen: list[tuple[int, str, list[str] | None]] = [(seat, self.found.seats[seat].character, None) for seat in order]
        else:
            chosen = [(pick.seat, pick.chosen, pick.options) for pick in picks]
        taken = 0
        for step, (seat, name, recorded) in enumerate(chosen):
            expected = (int(self.public.holder) + step) % int(self.rules.seats)
            if seat != expected:
                self.differ(f"selection {step + 1}", f"seat {seat} chooses", f"seat {expected} chooses", "selection")
                raise _StopError
            if step == 0 and self.rules.bearer >= 0:
                options = 1 << int(self.rules.bearer)
            else:
                options = int(setup.selectable(self.rules, np.uint64(taken), int(self.rules.seats) - 1 - step))
            allowed = [n for role, n in enumerate(names) if options >> role & 1]
            if name not in allowed:
                self.differ(f"seat {seat}", f"takes {name}", f"may take {', '.join(allowed)}", "selection")
                raise _StopError
            if recorded is not None and sorted(recorded) != sorted(allowed):
                self.differ(f"seat {seat}", f"options {recorded}", f"options {allowed}", "selection")
            if name != self.found.seats[seat].character:
                self.differ(f"seat {seat}", f"plays {self.found.seats[seat].character}", f"took {name}", "selection")
            taken |= 1 << names.index(name)

    def _actions(self, steps: list[Step]) -> None:
        """Walk through the actions that the rules expect and match each with what the record has for it."""
        waiting = list(steps)
        seats = int(self.rules.seats)
        if self.rules.solo:
            for seat in range(seats):
                extra = int(self.rules.solo_extra[self.public.character[seat]])
                if extra:
                    step = self._next(waiting, seat, "solo_full_hand")
                    top = [self.scenario.cards[int(self.hidden.order[int(self.hidden.next_draw) + i])] for i in range(extra)]
                    if step.cards != top:
                        self.differ(f"seat {seat}", f"gets {step.cards}", f"gets {top} from the draw deck", "solo")
                        raise _StopError
                    for card in top:
                        self._receive(seat, self.card(card, f"seat {seat}"), t.NOBODY)
                    self.hidden.next_draw += extra
        self.exchanged_by: int | None = None
        first = int(self.public.holder) + (1 if self.rules.bearer >= 0 or not self.rules.holder_first else 0)
        for turn in range(seats):
            seat = (first + turn) % seats
            role = int(self.public.character[seat])
            self.public.threat[seat] = 0
            for index in range(int(self.rules.actions[role])):
                self._action(waiting, seat, role, index)
        if waiting:
            self.differ(f"seat {waiting[0].seat}", f"setup action {waiting[0].action}", "no such action is due", "setup_order")
            raise _StopError

    def _next(self, waiting: list[Step], seat: int, *actions: str) -> Step:
        if not waiting or waiting[0].seat != seat or waiting[0].action not in actions:
            there = f"seat {waiting[0].seat} does {waiting[0].action}" if waiting else "no further setup action"
            self.differ(f"seat {seat}", there, f"seat {seat} does {' or '.join(actions)}", "setup_order")
            raise _StopError
        return waiting.pop(0)

    def _receive(self, seat: int, card: np.uint64, slot: int) -> None:
        setup.receive(self.rules, self.public, self.privates, self.hidden, seat, card, slot)

    def _give(self, seat: int, card: np.uint64, extra: int = 0) -> int:
        allowed = int(setup.passable(self.rules, self.public, self.privates, self.hidden, seat)) | extra
        if not int(card) & allowed:
            name = self.cards(card)[0]
            self.differ(f"seat {seat}", f"passes {name}", f"may pass {' '.join(self.cards(allowed))}", "exchange")
            raise _StopError
        return int(setup.give_away(self.rules, self.public, self.privates, self.hidden, seat, card))

    def _action(self, waiting: list[Step], seat: int, role: int, index: int) -> None:
        kind = int(self.rules.action[role, index])
        where = f"seat {seat}"
        if kind == rules.TAKE_LOST:
            if not self.public.lost:
                return
            optional = ("decline_lost",) if self.rules.take_optional else ()
            if self.rules.take_optional and (not waiting or waiting[0].seat != seat or waiting[0].action != "take_lost"):
                if waiting and waiting[0].seat == seat and waiting[0].action == "decline_lost":
                    waiting.pop(0)
                return
            step = self._next(waiting, seat, "take_lost", *optional)
            if self.mask(step.cards, where) != int(self.public.lost):
                self.differ(where, f"takes {step.cards}", f"takes {self.cards(self.public.lost)}", "take_lost")
                raise _StopError
            for taken in step.cards:
                self._receive(seat, self.card(taken, where), t.NOBODY)
                self.public.retained[seat] += 1
            self.public.lost = np.uint64(0)
        elif kind == rules.DRAW_THREAT:
            self._threat(self._next(waiting, seat, "threat"), seat, role, index)
        elif kind == rules.GIVE_EACH:
            given = set()
            for _ in range(int(self.rules.seats) - 1):
                step = self._next(waiting, seat, "donate")
                card = self.card(step.card, where)
                if step.to in given or step.to == seat or step.to is None:
                    self.differ(where, f"gives to seat {step.to}", "one card to each other seat", "gifts")
                    raise _StopError
                given.add(step.to)
                self._give(seat, card)
                self._receive(step.to, card, t.NOBODY)
        elif kind == rules.EXCHANGE:
            self._exchange(waiting, seat, index)

    def _threat(self, step: Step, seat: int, role: int, index: int) -> None:
        lost = int(self.public.lost) & int(self.rules.redraw_suits[role, index])
        void = {int(self.rules.rank_of[slot]) for slot in self.slots.values() if lost >> slot & 1}
        left = {value for value in range(64) if int(self.hidden.threats_left) >> value & 1}
        for value in [*step.rejected, step.value]:
            if value not in left:
                self.differ(f"seat {seat}", f"draws threat {value}", f"threats left: {sorted(left)}", "threat")
                raise _StopError
            if (value in void) == (value == step.value):
                ruled = "draws again: the card is lost" if value in void else "keeps it: no lost card makes it void"
                self.differ(f"seat {seat}", f"threat {value}", ruled, "threat")
                raise _StopError
            if value == step.value or not self.rules.rejected_back:
                left.discard(value)
        self.hidden.threats_left = np.uint64(sum(1 << value for value in left))
        self.public.threat[seat] = step.value

    def _exchange(self, waiting: list[Step], seat: int, index: int) -> None:
        eligible = int(setup.partners(self.rules, self.public, seat, index))
        where = f"seat {seat}"
        can = eligible and int(setup.passable(self.rules, self.public, self.privates, self.hidden, seat))
        if not can:
            if waiting and waiting[0].seat == seat and waiting[0].action == "no_exchange":
                waiting.pop(0)
            return
        if self.rules.solo:
            step = self._next(waiting, seat, "exchange", "no_exchange")
            if step.action == "no_exchange":
                return
            if self.exchanged_by not in (None, seat):
                self.differ(where, "exchanges", f"seat {self.exchanged_by} has used the round's exchange", "solo")
                raise _StopError
            self.exchanged_by = seat
        else:
            step = self._next(waiting, seat, "exchange")
        partner = step.with_
        if partner is None or not eligible >> partner & 1:
            seats = [other for other in range(int(self.rules.seats)) if eligible >> other & 1]
            self.differ(where, f"exchanges with seat {partner}", f"may exchange with seats {seats}", "exchange")
            raise _StopError
        gave, got = self.card(step.gave, where), self.card(step.got, where)
        seat_slot = self._give(seat, gave)
        if got != gave:
            partner_slot = self._give(partner, got)
            self._receive(partner, gave, partner_slot)
        self._receive(seat, got, seat_slot)

    # Play ------------------------------------------------------------------------------------------------------------

    def _first_leader(self) -> None:
        self.public.leader = self.found.first_leader
        if self.found.chapter is not None:
            if self.public.holder == t.NOBODY:
                for holder in range(int(self.rules.seats)):
                    if int(self.privates.hand[holder]) & int(self.rules.holder_card):
                        self.public.holder = holder
            ruled = int(setup.first_leader(self.rules, self.public))
            if ruled != self.found.first_leader:
                self.differ("first trick", f"seat {self.found.first_leader} leads", f"seat {ruled} leads", "first_leader")
        for number, seat in enumerate(self.found.seats):
            if seat.threat and int(self.public.threat[number]) != seat.threat:
                self.differ(f"seat {number}", f"threat {seat.threat}", f"threat {self.public.threat[number]}", "threat")

    def _tricks(self) -> None:
        tricks.judge(self.rules, self.public, self.privates, self.hidden)
        tucked = {n: seat.tucked for n, seat in enumerate(self.found.seats) if seat.tucked}
        for number, trick in enumerate(self.found.tricks, 1):
            where = f"trick {number}"
            if int(self.public.trick) >= int(self.public.tricks):
                self.differ(where, f"{len(self.found.tricks)} tricks", f"{int(self.public.tricks)} tricks", "end")
                raise _StopError
            winner = int(self.public.last_winner)
            named = winner != t.NOBODY and self.scenario.characters[self.found.seats[winner].character].names_leader
            if trick.leader != int(self.public.leader) and not (named and self.public.plays_left[trick.leader] > 0):
                self.differ(where, f"seat {trick.leader} leads", f"seat {int(self.public.leader)} leads", "winner")
            self.public.leader = trick.leader
            tricks.begin_trick(self.public)
            self._plays(trick, where, tucked)
            ruled = int(play.winner(self.rules, self.public))
            if trick.winner != ruled:
                rule = "declare" if trick.one_ring_wins else "winner"
                self.differ(where, f"seat {trick.winner} wins", f"seat {ruled} wins", rule)
            before = [int(self.privates.hand[seat]) for seat in range(int(self.rules.seats))]
            tricks.end_trick(self.rules, self.public, self.privates, self.hidden, self.log)
            if trick.draws is not None and self.rules.solo:
                drawn = [
                    [seat, self.cards(int(self.privates.hand[seat]) & ~before[seat])[0]]
                    for seat in range(int(self.rules.seats))
                    if int(self.privates.hand[seat]) & ~before[seat]
                ]
                if drawn != [list(draw) for draw in trick.draws]:
                    self.differ(where, f"draws {trick.draws}", f"draws {drawn}", "refill")
            tricks.judge(self.rules, self.public, self.privates, self.hidden)
        if not self.found.stopped_early and int(self.public.trick) < int(self.public.tricks):
            self.differ("end", f"{len(self.found.tricks)} tricks", f"{int(self.public.tricks)} tricks", "end")
            raise _StopError

    def _plays(self, trick: Any, where: str, tucked: dict[int, str]) -> None:
        seats = int(self.rules.seats)
        due = [s for step in range(seats) if self.public.plays_left[s := (trick.leader + step) % seats] > 0]
        if [seat for seat, _ in trick.plays] != due:
            self.differ(where, f"seats {[seat for seat, _ in trick.plays]} play", f"seats {due} play", "turn")
            raise _StopError
        for index, (seat, name) in enumerate(trick.plays):
            card = int(self.card(name, where))
            hand = int(self.privates.hand[seat])
            legal = int(play.legal(self.rules, self.public, seat, np.uint64(hand)))
            allowed = legal
            if seat in tucked:
                # The record does not say when the tucked card comes back, so both readings of the hand are right.
                under = 1 << self.slots[tucked[seat]]
                if hand & ~under:
                    allowed |= int(play.legal(self.rules, self.public, seat, np.uint64(hand & ~under)))
            if not card & allowed:
                rule = "lead_lock" if index == 0 else "follow"
                self.differ(where, f"seat {seat} plays {name}", f"may play {' '.join(self.cards(allowed))}", rule)
                if not card & hand:
                    raise _StopError
            if trick.legal is not None and index < len(trick.legal) and self.mask(trick.legal[index], where) != legal:
                self.differ(where, f"seat {seat} may play {' '.join(trick.legal[index])}", " ".join(self.cards(legal)), "follow")
            if tucked.get(seat) == name:
                del tucked[seat]
            tricks.lay(self.rules, self.public, self.privates, self.hidden, seat, self.slots[name])
            if card == int(self.rules.declaring) and trick.one_ring_wins:
                self.public.declared = seat
        if trick.one_ring_wins and self.public.declared == t.NOBODY:
            self.differ(where, "the 1 of Rings wins", f"{self.scenario.declaring} is not in the trick", "declare")

    def _verdicts(self) -> None:
        names = [seat.character for seat in self.found.seats]
        for seat, name in enumerate(names):
            character = self.scenario.characters[name]
            verdict = int(self.hidden.verdict[seat])
            says = "met" if self.found.goals[seat] else "lost"
            if verdict == t.OPEN:
                if not self.found.stopped_early:
                    self.differ(f"seat {seat} ({name})", f"goal {says}", "still open", character.source)
                continue
            if (verdict == t.MET) != self.found.goals[seat]:
                ruled = "met" if verdict == t.MET else "lost"
                self.differ(f"seat {seat} ({name})", f"goal {says}", f"goal {ruled}: {character.text}", character.source)
            elif self.found.sealed is not None:
                self._sealed(seat, name, character.source)

    def _sealed(self, seat: int, name: str, source: str) -> None:
        theirs = self.found.sealed[seat] if self.found.sealed else None
        if theirs is None:
            return
        for word, ours, said in (
            ("lost", int(self.hidden.lost_after[seat]), theirs.failed_after),
            ("met", int(self.hidden.met_after[seat]), theirs.met_after),
        ):
            if said is not None and ours > said:
                self.differ(f"seat {seat} ({name})", f"{word} for good after trick {said}", f"not before trick {ours}", source)
