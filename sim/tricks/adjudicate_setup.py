"""Deal, selection and setup of a recorded round, step by step against the rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.tricks import actions, events, moves, pyramid, rules, setup
from sim.tricks import table as t
from sim.tricks.adjudicate_bench import Bench, StopError
from sim.tricks.decisions import bearer_plays, first_seat
from sim.tricks.records import Slot, Step

WALKS = {
    rules.CHOOSE_THREAT: "_choose_threat",
    rules.DECLARE_WAY: "_declare",
    rules.SHOW_HAND: "_show",
    rules.TAKE_PILE: "_take_pile",
    rules.TUCK: "_put_down",
    rules.SET_ASIDE: "_put_down",
    rules.PLAY_AHEAD: "_put_down",
    rules.PASS_RIGHT: "_pass_right",
    rules.EXCHANGE_EACH: "_exchange_each",
    rules.SWAP_LOST: "_swap",
}
"""Setup action -> the method that follows it in a record."""


class SetupWalk(Bench):
    """The way of a record up to the first lead."""

    def _seat_characters(self) -> None:
        names = self.names if self.found.chapter is None else [entry.character for entry in self.scenario.roster]
        for number, seat in enumerate(self.found.seats):
            if seat.character not in names:
                allowed = ", ".join(names)
                self.differ(f"seat {number}", seat.character, f"a character of the chapter: {allowed}", self.scenario.source)
                raise StopError
            self.public.character[number] = names.index(seat.character)
            self._tell_number(number, seat.threat, seat.declared)
        self.public.first = first_seat(self.rules, self.public)

    def _tell_number(self, seat: int, threat: int | None, declared: str | list[int] | None) -> None:
        """Write a threat, a group of numbers (its lowest one), and what was declared."""
        self.public.threat[seat] = declared[0] if isinstance(declared, list) else threat or 0
        self.public.way[seat] = {"fewer": rules.FEWER, "more": rules.MORE}.get(str(declared), 0)

    def _aside(self, seat: Any) -> list[str]:
        """Return the cards of a recorded seat that lie outside its hand at play."""
        return [card for card in (seat.tucked, seat.reserved, seat.preplayed) if card]

    def _lay_aside(self) -> None:
        """Put cards under the character, aside for the last trick, and ahead for the first, as the record has them."""
        for number, seat in enumerate(self.found.seats):
            if seat.tucked:
                self.public.tucked, self.privates.tucked = number, self.slots[seat.tucked]
            if seat.reserved:
                self.public.reserved_by, self.public.reserved = number, self.card(seat.reserved, "reserved")
            if seat.preplayed:
                self.public.ahead_by, self.public.ahead = number, self.card(seat.preplayed, "preplayed")

    def _take_hands(self) -> None:
        together = self.mask(
            [c for seat in self.found.seats for c in seat.hand + self._aside(seat)] + (self.found.lost_at_play or []),
            "hands",
        )
        whole = self.found.players > 1 and self.found.lost_at_play is not None and not self.rules.pile
        if whole and together != int(self.rules.deck):
            missing = " ".join(self.cards(int(self.rules.deck) & ~together))
            self.differ("hands", f"cards missing: {missing}", "the whole deck", "deal")
        for number, seat in enumerate(self.found.seats):
            # Without a chapter it is not told when a tucked card comes back: it counts as held.
            hand = seat.hand + (self._aside(seat) if self.found.chapter is None else [])
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
            aside = len(self._aside(self.found.seats[number])) if self.found.chapter is not None else 0
            self.public.retained[number] = int(self.public.cards_left[number]) + aside - plays
            takes = any(
                a.do in ("take_lost", "swap_lost", "take_pile")
                for a in self.scenario.characters[self.found.seats[number].character].setup
            )
            if self.public.retained[number] != 0 and not (takes and self.public.retained[number] > 0):
                self.differ(f"seat {number}", f"{self.public.cards_left[number]} cards", f"{plays} cards", "deal")
                raise StopError
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
            self._lay_aside()
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
        dealt_cards = [c for seat in found.seats for c in seat.dealt or []]
        self.mask(dealt_cards + (found.lost or []) + (found.draw_order or []) + (found.barrow or []), "deal")
        self._set_pile_aside(found.barrow)
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
        if self.public.holder == t.NOBODY and self.rules.steps and lost & int(self.rules.holder_card):
            # A lost holder card leaves its token with the character it would have bound.
            self.public.holder = [seat.character for seat in found.seats].index(self.bearer_name())
        if self.public.holder == t.NOBODY:
            self.differ("deal", "nobody holds it", f"{self.scenario.declaring} is dealt to a hand", "deal")
            raise StopError
        if self.rules.solo:
            extra = [card for step in found.setup if step.action == "solo_full_hand" for card in step.cards]
            order = found.draw_order or extra + [card for trick in found.tricks for _, card in trick.draws or []]
            self.mask(order, "draw deck")
            for index, card in enumerate(order):
                self.hidden.order[index] = self.slots[card]
            self.hidden.draw_end = len(order)
        if self.rules.pyramid:
            self._lay_pyramid(found.pyramid_dealt or [])
        if not self.rules.cast:
            self._selection()
        self._seat_characters()
        self.hidden.stage = 0
        steps = [step for step in found.setup if step.action != "choose_solo_exchanger"]
        if self.rules.steps:
            self._deal_steps([step for step in steps if step.action == "mirror_pass"])
            steps = [step for step in steps if step.action != "mirror_pass"]
        self._actions(steps)
        for number, seat in enumerate(found.seats):
            hand = int(self.privates.hand[number])
            if hand != self.mask(seat.hand, f"seat {number}"):
                self.differ(f"seat {number}", "hand at play " + " ".join(seat.hand), " ".join(self.cards(hand)), "setup")
                raise StopError
        if found.lost_at_play is not None and self.mask(found.lost_at_play, "lost cards") != int(self.public.lost):
            self.differ("lost cards", found.lost_at_play, self.cards(self.public.lost), "take_lost")
        if self.rules.pyramid:
            pyramid.uncover(self.rules, self.public, self.hidden)

    def bearer_name(self) -> str:
        """Return the character that the holder card binds."""
        return self.scenario.roster[int(self.rules.bearer)].character

    def _set_pile_aside(self, barrow: list[str] | None) -> None:
        self.public.pile = self.rules.pile
        if barrow is None:
            return
        if len(barrow) != self.rules.pile:
            self.differ("pile", f"{len(barrow)} cards", f"{self.rules.pile} cards", "deal")
        pile = self.mask(barrow, "pile")
        if pile & int(self.rules.pile_not):
            self.differ("pile", " ".join(barrow), f"none of {' '.join(self.cards(self.rules.pile_not))}", "deal")
        self.hidden.pile = np.uint64(pile)

    def _deal_steps(self, steps: list[Step]) -> None:
        """Follow the deal in steps: what was passed must have been dealt by then."""
        people = [seat for seat in range(int(self.rules.seats)) if seat != self.public.pyramid]
        if len(steps) != int(self.rules.steps):
            self.differ("deal", f"{len(steps)} times passed", f"{self.rules.steps} times", "mirror")
            raise StopError
        held: dict[int, set[str]] = {seat: set() for seat in people}
        done = 0
        for number, step in enumerate(steps):
            size = int(self.rules.step_cards[number])
            for seat in people:
                held[seat] |= set((self.found.seats[seat].dealt or [])[done : done + size])
            done += size
            passes = self._passes(step, [(giver, to) for giver in people for to in people if giver != to])
            for giver, _, card in passes:
                kept = int(self.rules.keeps[self.public.character[giver]])
                if card not in held[giver] or self.mask([card], "deal") & kept:
                    self.differ(f"seat {giver}", f"passes {card}", f"may pass of {sorted(held[giver])}", "mirror")
                    raise StopError
                held[giver].discard(card)
            for _, to, card in passes:
                held[to].add(card)
        for seat in people:
            hand = held[seat] | set((self.found.seats[seat].dealt or [])[done:])
            self.privates.hand[seat] = np.uint64(self.mask(sorted(hand), f"seat {seat}"))
        holding = [seat for seat in range(int(self.rules.seats)) if int(self.privates.hand[seat]) & int(self.rules.holder_card)]
        if holding:
            self.public.holder = holding[0]

    def _passes(self, step: Step, wanted: list[tuple[int, int]]) -> list[tuple[int, int, str]]:
        """Return the passes of a step in which cards change hands at once; they must be the `wanted` ones (from, to)."""
        gave = step.gave if isinstance(step.gave, dict) else {}
        given = {(int(giver), int(to)): card for giver, cards in gave.items() for to, card in cards.items()}
        if set(given) != set(wanted):
            self.differ(step.action, f"passes {sorted(given)}", f"passes {sorted(wanted)}", "exchange")
            raise StopError
        return [(giver, to, given[giver, to]) for giver, to in wanted]

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
                raise StopError
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
                raise StopError
            options = int(setup.may_take(self.rules, self.public, np.uint64(taken), step))
            allowed = [n for role, n in enumerate(names) if options >> role & 1]
            if name not in allowed:
                self.differ(f"seat {seat}", f"takes {name}", f"may take {', '.join(allowed)}", "selection")
                raise StopError
            if recorded is not None and sorted(recorded) != sorted(allowed):
                self.differ(f"seat {seat}", f"options {recorded}", f"options {allowed}", "selection")
            if name != self.found.seats[seat].character:
                self.differ(f"seat {seat}", f"plays {self.found.seats[seat].character}", f"took {name}", "selection")
            taken |= 1 << names.index(name)

    def _actions(self, steps: list[Step]) -> None:
        """Walk through the actions that the rules expect and match each with what the record has for it."""
        waiting = list(steps)
        seats = int(self.rules.seats)
        self._curse(waiting)
        if self.rules.solo:
            for seat in range(seats):
                extra = int(self.rules.solo_extra[self.public.character[seat]])
                if extra:
                    step = self._next(waiting, seat, "solo_full_hand")
                    top = [self.scenario.cards[int(self.hidden.order[int(self.hidden.next_draw) + i])] for i in range(extra)]
                    if step.cards != top:
                        self.differ(f"seat {seat}", f"gets {step.cards}", f"gets {top} from the draw deck", "solo")
                        raise StopError
                    for card in top:
                        self._receive(seat, self.card(card, f"seat {seat}"), t.NOBODY)
                    self.hidden.next_draw += extra
        self._claim(waiting)
        self.exchanged_by: int | None = None
        left_first = bearer_plays(self.rules, self.public) or not self.rules.holder_first
        first = int(self.public.first) + (1 if left_first else 0)
        self.together: list[tuple[int, int]] = []
        for turn in range(seats):
            seat = (first + turn) % seats
            role = int(self.public.character[seat])
            self.public.threat[seat] = 0
            for index in range(int(self.rules.actions[role])):
                self._action(waiting, seat, role, index)
        if self.rules.simultaneous:
            self._exchange_together(waiting)
        self._announcement(waiting)
        if waiting:
            self.differ(f"seat {waiting[0].seat}", f"setup action {waiting[0].action}", "no such action is due", "setup_order")
            raise StopError

    def _curse(self, waiting: list[Step]) -> None:
        """Let the seat bear the wandering curse that the record says."""
        if not waiting or waiting[0].action != "curse":
            return
        to = waiting.pop(0).to
        if to is None:
            return
        allowed = int(setup.curse_options(self.rules, self.public))
        if not allowed >> to & 1:
            seats = [seat for seat in range(int(self.rules.seats)) if allowed >> seat & 1]
            self.differ(f"seat {to}", "gets the wandering curse", f"it is for seats {seats}", "wandering_curse")
            raise StopError
        self.public.cursed = to

    def _claim(self, waiting: list[Step]) -> None:
        """Let the seat touch the lost card that the group chose."""
        if not self.rules.take_by_group or not waiting or waiting[0].action != "claim_lost":
            return
        seat = waiting.pop(0).seat
        # One person may choose the character whose exchange a swap is.
        self.hidden.exchanger = seat if seat is not None else t.NOBODY
        if seat is None or not int(setup.claimants(self.rules, self.public, self.hidden)) >> seat & 1:
            self.differ(f"seat {seat}", "may touch the lost card", "its character takes or swaps none", "take_lost")
            raise StopError
        self.public.claimant = seat

    def _next(self, waiting: list[Step], seat: int, *actions: str) -> Step:
        if not waiting or waiting[0].seat not in (seat, None) or waiting[0].action not in actions:
            there = f"seat {waiting[0].seat} does {waiting[0].action}" if waiting else "no further setup action"
            self.differ(f"seat {seat}", there, f"seat {seat} does {' or '.join(actions)}", "setup_order")
            raise StopError
        return waiting.pop(0)

    def _receive(self, seat: int, card: np.uint64, slot: int) -> None:
        setup.receive(self.rules, self.public, self.privates, self.hidden, seat, card, slot)

    def _give(self, seat: int, card: np.uint64, extra: int = 0) -> int:
        allowed = int(setup.passable(self.rules, self.public, self.privates, self.hidden, seat)) | extra
        if not int(card) & allowed:
            name = self.cards(card)[0]
            self.differ(f"seat {seat}", f"passes {name}", f"may pass {' '.join(self.cards(allowed))}", "exchange")
            raise StopError
        return int(setup.give_away(self.rules, self.public, self.privates, self.hidden, seat, card))

    def _action(self, waiting: list[Step], seat: int, role: int, index: int) -> None:
        kind = int(self.rules.action[role, index])
        where = f"seat {seat}"
        if kind == rules.TAKE_LOST:
            if not self.public.lost or not setup.may_touch(self.rules, self.public, seat):
                return
            optional = ("decline_lost",) if self.rules.take_optional else ()
            if self.rules.take_optional and (not waiting or waiting[0].seat != seat or waiting[0].action != "take_lost"):
                if waiting and waiting[0].seat == seat and waiting[0].action == "decline_lost":
                    waiting.pop(0)
                return
            step = self._next(waiting, seat, "take_lost", *optional)
            if self.mask(step.cards, where) != int(self.public.lost):
                self.differ(where, f"takes {step.cards}", f"takes {self.cards(self.public.lost)}", "take_lost")
                raise StopError
            for taken in step.cards:
                self._receive(seat, self.card(taken, where), t.NOBODY)
                self.public.retained[seat] += 1
            self.public.lost, self.public.taker = np.uint64(0), seat
        elif kind == rules.DRAW_THREAT:
            self._draw(waiting, seat, role, index)
        elif kind == rules.GIVE_EACH:
            given = set()
            for _ in range(int(self.rules.seats) - 1):
                step = self._next(waiting, seat, "donate")
                card = self.card(step.card, where)
                if step.to in given or step.to == seat or step.to is None:
                    self.differ(where, f"gives to seat {step.to}", "one card to each other seat", "gifts")
                    raise StopError
                given.add(step.to)
                self._give(seat, card)
                self._receive(step.to, card, t.NOBODY)
        elif kind == rules.EXCHANGE:
            self._exchange(waiting, seat, index)
        else:
            getattr(self, WALKS[kind])(waiting, seat, role, index)

    # The rarer actions -----------------------------------------------------------------------------------------------

    def _draw(self, waiting: list[Step], seat: int, role: int, index: int) -> None:
        drawn = []
        for _ in range(int(self.rules.amount[role, index])):
            self._threat(self._next(waiting, seat, "threat"), seat, role, index)
            drawn.append(int(self.public.threat[seat]))
        if len(drawn) > 1:
            step = self._next(waiting, seat, "keep_threat")
            if step.value not in drawn:
                self.differ(f"seat {seat}", f"keeps threat {step.value}", f"drew {drawn}", "keep")
                raise StopError
            self.public.threat[seat] = step.value
        elif actions.redraws(self.rules, self.public) and self.hidden.threats_left:
            if self._next(waiting, seat, "redraw").accepted:
                self._threat(self._next(waiting, seat, "threat"), seat, role, index)

    def _choose_threat(self, waiting: list[Step], seat: int, role: int, index: int) -> None:
        step = self._next(waiting, seat, "choose_threat", "sword")
        size = int(self.rules.amount[role, index])
        grouped = int(self.rules.among[role])
        if grouped:
            allowed: list[Any] = [list(range(n, n + size)) for n in range(64) if grouped >> n & 1]
        else:
            allowed = [n for n in range(64) if int(self.hidden.threats_left) >> n & 1]
        if step.value not in allowed:
            self.differ(f"seat {seat}", f"chooses {step.value}", f"may choose {allowed}", "choose_threat")
            raise StopError
        self.public.threat[seat] = step.value[0] if isinstance(step.value, list) else step.value
        if not grouped:
            self.hidden.threats_left &= ~np.uint64(1 << int(self.public.threat[seat]))

    def _declare(self, waiting: list[Step], seat: int, role: int, index: int) -> None:
        step = self._next(waiting, seat, "declare")
        if step.value not in ("more", "fewer"):
            self.differ(f"seat {seat}", f"declares {step.value}", "declares more or fewer", "declare_direction")
            raise StopError
        self.public.way[seat] = rules.MORE if step.value == "more" else rules.FEWER

    def _show(self, waiting: list[Step], seat: int, role: int, index: int) -> None:
        self._next(waiting, seat, "reveal_hand")
        self.public.open_hands |= np.uint64(1 << seat)
        self.public.shown[seat] = self.privates.hand[seat]

    def _take_pile(self, waiting: list[Step], seat: int, role: int, index: int) -> None:
        step = self._next(waiting, seat, "take_barrow")
        size = int(self.rules.amount[role, index])
        pile = self.cards(self.hidden.pile) if self.found.barrow is not None else step.cards
        due = self.found.barrow[:size] if self.found.barrow is not None and not self.rules.pile_chosen else step.cards
        if len(step.cards) != size or not set(step.cards) <= set(pile) or set(step.cards) != set(due):
            self.differ(f"seat {seat}", f"takes {step.cards}", f"takes {size} of {due}", "pile_taken")
            raise StopError
        for card in step.cards:
            self._receive(seat, self.card(card, f"seat {seat}"), t.NOBODY)
            self.public.retained[seat] += 1
        self.public.pile -= size

    def _put_down(self, waiting: list[Step], seat: int, role: int, index: int) -> None:
        kind = int(self.rules.action[role, index])
        step = self._next(waiting, seat, {rules.TUCK: "tuck", rules.SET_ASIDE: "reserve", rules.PLAY_AHEAD: "preplay"}[kind])
        card = self.card(step.card, f"seat {seat}")
        self._give(seat, card, 0 if seat == self.public.pyramid else int(self.privates.hand[seat]))
        if kind == rules.TUCK:
            self.public.tucked, self.privates.tucked = seat, self.slots[str(step.card)]
        elif kind == rules.SET_ASIDE:
            self.public.reserved_by, self.public.reserved = seat, card
        else:
            self.public.ahead_by, self.public.ahead = seat, card
            self.hidden.ahead_wins = step.one_ring_wins
            if step.one_ring_wins and card != self.rules.declaring:
                self.differ(f"seat {seat}", f"declares {step.card}", f"only {self.scenario.declaring} can be declared", "declare")

    def _move(self, step: Step, wanted: list[tuple[int, int]]) -> None:
        """Let cards change hands at once."""
        self._move_all(self._passes(step, wanted))

    def _move_all(self, passes: list[tuple[int, int, str]]) -> None:
        for giver, to, name in passes:
            card = self.card(name, f"seat {giver}")
            allowed = int(moves.offered(self.rules, self.public, self.privates, self.hidden, giver))
            if not int(card) & allowed:
                self.differ(f"seat {giver}", f"passes {name}", f"may pass {' '.join(self.cards(allowed))}", "exchange")
                raise StopError
            moves.plan(self.hidden, giver, to)
            moves.commit(self.hidden, self.slots[name])
        moves.carry_out(self.rules, self.public, self.privates, self.hidden, self.log)

    def _pass_right(self, waiting: list[Step], seat: int, role: int, index: int) -> None:
        seats = int(self.rules.seats)
        self._move(self._next(waiting, seat, "pass_right"), [(giver, (giver - 1) % seats) for giver in range(seats)])

    def _exchange_each(self, waiting: list[Step], seat: int, role: int, index: int) -> None:
        eligible = int(setup.partners(self.rules, self.public, seat, index))
        others = [other for other in range(int(self.rules.seats)) if eligible >> other & 1]
        if not others or (self.rules.solo and waiting and waiting[0].action == "no_exchange"):
            if waiting and waiting[0].seat == seat and waiting[0].action == "no_exchange":
                waiting.pop(0)
            return
        step = self._next(waiting, seat, "simultaneous_exchange")
        self._only_one(seat)
        self._move(step, [(seat, other) for other in others] + [(other, seat) for other in others])

    def _only_one(self, seat: int) -> None:
        """One person: one character's exchanges a round."""
        if self.rules.solo:
            if self.exchanged_by not in (None, seat):
                self.differ(f"seat {seat}", "exchanges", f"seat {self.exchanged_by} has used the round's exchange", "solo")
                raise StopError
            self.exchanged_by = seat

    def _swap(self, waiting: list[Step], seat: int, role: int, index: int) -> None:
        # What a kernel returns is a Python integer: as a mask it goes back as uint64.
        hand = np.uint64(setup.passable(self.rules, self.public, self.privates, self.hidden, seat))
        touches = setup.may_touch(self.rules, self.public, seat)
        allowed = int(actions.swappable(self.rules, self.public, seat, hand, index)) if touches else 0
        eligible = int(setup.partners(self.rules, self.public, seat, index))
        skips = ["no_exchange"] if self.rules.solo or not (allowed or eligible) else []
        skips += ["decline_lost"] if self.rules.take_optional and allowed else []
        if not allowed and not eligible and (not waiting or waiting[0].seat != seat):
            return
        step = self._next(waiting, seat, *skips, *(["exchange_lost"] if allowed else []), *(["exchange"] if eligible else []))
        if step.action == "decline_lost" and eligible:
            step = self._next(waiting, seat, "exchange")
        if step.action == "exchange":
            waiting.insert(0, step)
            self._exchange(waiting, seat, index)
        elif step.action == "exchange_lost":
            self._only_one(seat)
            gave, got = self.card(str(step.gave), f"seat {seat}"), self.card(step.got, f"seat {seat}")
            if not int(gave) & allowed:
                self.differ(f"seat {seat}", f"loses {step.gave}", f"may lose {' '.join(self.cards(allowed))}", "swap_lost")
                raise StopError
            if got != self.public.lost:
                self.differ(f"seat {seat}", f"gets {step.got}", f"gets {' '.join(self.cards(self.public.lost))}", "swap_lost")
                raise StopError
            actions.swap(self.rules, self.public, self.privates, self.hidden, seat, self.slots[str(step.gave)], self.log)

    def _exchange_together(self, waiting: list[Step]) -> None:
        """Follow the exchanges of a round in which all are made at once."""
        if not self.together:
            return
        seat = self.together[0][0]
        step = self._next(waiting, seat, "long_dark")
        initiators = [giver for giver, _, _ in step.plans]
        if initiators != [giver for giver, _ in self.together]:
            self.differ("exchanges", f"of seats {initiators}", f"of seats {[giver for giver, _ in self.together]}", "setup_order")
            raise StopError
        for (giver, to, _), (_, index) in zip(step.plans, self.together, strict=True):
            if not int(setup.partners(self.rules, self.public, giver, index)) >> to & 1:
                self.differ(f"seat {giver}", f"exchanges with seat {to}", "no partner of its card", "exchange")
                raise StopError
        if [(to, giver) for giver, to, _ in step.plans] != [(giver, to) for giver, to, _ in step.returns]:
            self.differ("exchanges", f"returns {step.returns}", "an answer to every exchange", "exchange")
            raise StopError
        self._move_all([*step.plans, *step.returns])

    def _announcement(self, waiting: list[Step]) -> None:
        events.start(self.rules, self.public, self.privates, self.hidden, self.log)
        seat = int(self.public.longest_of)
        if seat == t.NOBODY:
            return
        step = self._next(waiting, seat, "horn")
        longest = sorted({card[0] for card in self.cards(self.public.longest)})
        if sorted(step.suits) != longest:
            self.differ(f"seat {seat}", f"announces {step.suits}", f"announces {longest}", "announce")

    # Threats and exchanges -------------------------------------------------------------------------------------------

    def _threat(self, step: Step, seat: int, role: int, index: int) -> None:
        lost = int(self.public.lost) & int(self.rules.redraw_suits[role, index])
        void = {int(self.rules.rank_of[slot]) for slot in self.slots.values() if lost >> slot & 1}
        left = {value for value in range(64) if int(self.hidden.threats_left) >> value & 1}
        for value in [*step.rejected, step.value]:
            if value not in left:
                self.differ(f"seat {seat}", f"draws threat {value}", f"threats left: {sorted(left)}", "threat")
                raise StopError
            if (value in void) == (value == step.value):
                ruled = "draws again: the card is lost" if value in void else "keeps it: no lost card makes it void"
                self.differ(f"seat {seat}", f"threat {value}", ruled, "threat")
                raise StopError
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
        if self.rules.simultaneous:
            self.together.append((seat, index))
            return
        if self.rules.solo:
            step = self._next(waiting, seat, "exchange", "no_exchange")
            if step.action == "no_exchange":
                return
            self._only_one(seat)
        else:
            step = self._next(waiting, seat, "exchange")
        partner = step.with_
        if not isinstance(partner, int) or not eligible >> partner & 1:
            seats = [other for other in range(int(self.rules.seats)) if eligible >> other & 1]
            self.differ(where, f"exchanges with seat {partner}", f"may exchange with seats {seats}", "exchange")
            raise StopError
        gave, got = self.card(str(step.gave), where), self.card(step.got, where)
        seat_slot = self._give(seat, gave)
        if got != gave:
            partner_slot = self._give(partner, got)
            self._receive(partner, gave, partner_slot)
        self._receive(seat, got, seat_slot)
