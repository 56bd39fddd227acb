"""Adjudication of recorded games: legality, winners, goals, setup, each difference with the source of its rule.

The recorded cards are put through the same kernels that play simulated rounds. (An independent referee, in plain
lists, stands in the tests and agrees with both.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scenarios.checks import revealed_cards
from sim.tricks import actions, events, goals, play, setup, tricks
from sim.tricks import table as t
from sim.tricks.adjudicate_bench import Difference, StopError
from sim.tricks.adjudicate_setup import SetupWalk
from sim.tricks.decisions import first_seat
from sim.tricks.records import Trick, read_records


def check_files(paths: list[Path], assume: Mapping[str, str] | None = None) -> Iterator[tuple[Path, int, list[Difference]]]:
    """Yield (file, line, differences) for every record; UserError for a file that is not one of records."""
    for path in paths:
        for line, found in read_records(path):
            yield path, line, Adjudication(found, str(path), line, assume).run()


class Adjudication(SetupWalk):
    """One record against the rules."""

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
            events.start(self.rules, self.public, self.privates, self.hidden, self.log)
            self._begin_event()
            self._tricks()
            self._verdicts()
        except StopError:
            pass
        return self.differences

    # Play ------------------------------------------------------------------------------------------------------------

    def _first_leader(self) -> None:
        self.public.leader = self.found.first_leader
        if self.found.chapter is not None:
            if self.public.holder == t.NOBODY:
                for holder in range(int(self.rules.seats)):
                    if int(self.privates.hand[holder]) & int(self.rules.holder_card):
                        self.public.holder = holder
                self.public.first = first_seat(self.rules, self.public)
            ruled = int(setup.first_leader(self.rules, self.public))
            if ruled != self.found.first_leader:
                self.differ("first trick", f"seat {self.found.first_leader} leads", f"seat {ruled} leads", "first_leader")
        for number, seat in enumerate(self.found.seats):
            if seat.threat and int(self.public.threat[number]) != seat.threat:
                self.differ(f"seat {number}", f"threat {seat.threat}", f"threat {self.public.threat[number]}", "threat")

    def _begin_event(self) -> None:
        """Take the cards that are turned up for tricks from the record; those of a card played face down are known here."""
        self.public.blind = t.NOBODY
        self.struck: dict[int, int] = {}
        if not self.rules.reveal_test or self.scenario.event is None:
            return
        deck = revealed_cards(self.scenario.event)
        each, left = int(self.rules.reveal_each), list(deck)
        turned = [card for trick in self.found.tricks for card in trick.reveal]
        for number, trick in enumerate(self.found.tricks, 1):
            for card in trick.reveal:
                left = left or list(deck)
                if card not in left:
                    self.differ(f"trick {number}", f"{card} is turned up", f"one of {' '.join(left)}", "reveal_test")
                    raise StopError
                left.remove(card)
            if len(trick.reveal) != each:
                self.differ(f"trick {number}", f"{len(trick.reveal)} cards turned up", f"{each} cards", "reveal_test")
                raise StopError
        for index, card in enumerate(turned):
            self.hidden.reveal_order[index] = deck.index(card)

    def _between(self, trick: Trick, where: str) -> None:
        """Follow what happens before a trick."""
        tucked, reserved = int(self.public.tucked), int(self.public.reserved)
        if trick.untuck is not None and trick.untuck != tucked:
            self.differ(where, f"seat {trick.untuck} takes a card back", "it has none tucked", "tuck")
            raise StopError
        if self.found.chapter is not None and tucked != t.NOBODY:
            forced = self.public.cards_left[tucked] == 0 and not (reserved and int(self.public.reserved_by) == tucked)
            # A card that has to come back may do so without a word.
            if trick.untuck is not None or forced:
                events.untuck(self.rules, self.public, self.privates, self.hidden, self.log)
        leader = int(self.public.leader)
        if trick.pass_lead is not None:
            namer, named = trick.pass_lead
            may = self.public.last_winner == leader and int(self.rules.leader_namers) >> int(self.public.character[leader]) & 1
            if namer != leader or not may or self.public.plays_left[named] == 0:
                self.differ(where, f"seat {namer} lets seat {named} lead", f"seat {leader} leads", "names_leader")
            self.public.leader = named
        elif trick.leader != leader:
            named_by = self.scenario.characters[self.found.seats[int(self.public.last_winner)].character].names_leader
            if not (named_by and self.public.last_winner == leader and self.public.plays_left[trick.leader] > 0):
                self.differ(where, f"seat {trick.leader} leads", f"seat {leader} leads", "winner")
        self.public.leader = trick.leader
        tricks.begin_trick(self.public)
        # Everything else that is due needs no decision.
        self.hidden.between = events.RESERVE_DUE
        self.public.tucked, tucked = t.NOBODY, int(self.public.tucked)
        namers, self.rules.leader_namers = self.rules.leader_namers, np.uint64(0)
        fetches, self.public.fetches = int(self.public.fetches), 0
        events.between(self.rules, self.public, self.privates, self.hidden, self.log)
        self.public.tucked, self.rules.leader_namers, self.public.fetches = tucked, namers, fetches
        self._gifts(trick, where)

    def _gifts(self, trick: Trick, where: str) -> None:
        """Follow the gifts that are used before a trick."""
        if trick.free is not None:
            if int(self.public.trick) or int(self.public.character[trick.free]) != int(self.rules.first_free):
                self.differ(where, f"seat {trick.free} need not follow suit", "all follow suit", "free_first")
                raise StopError
            self.public.free = trick.free
        fetch = trick.fetch
        if fetch is None:
            return
        seat = fetch.seat
        lost, taker = int(self.public.lost), int(self.public.taker)
        other = None if lost else taker if taker not in (seat, int(self.public.pyramid)) else t.NOBODY
        if not self.public.fetches or seat != int(self.public.fetcher) or fetch.with_ != other:
            self.differ(where, f"seat {seat} exchanges by a gift", "once, for the lost card or with who took it", "fetch_lost")
            raise StopError
        self.public.fetches = 0
        gave, got = self.card(fetch.gave, where), self.card(fetch.got, where)
        if other is None:
            allowed = int(setup.passable(self.rules, self.public, self.privates, self.hidden, seat))
            if not int(gave) & allowed or int(got) != lost:
                ruled = f"gives one of {' '.join(self.cards(allowed))} for {' '.join(self.cards(lost))}"
                self.differ(where, f"seat {seat} gives {fetch.gave} for {fetch.got}", ruled, "fetch_lost")
                raise StopError
            actions.swap(self.rules, self.public, self.privates, self.hidden, seat, self.slots[fetch.gave], self.log)
            return
        self._give(seat, gave)
        if got != gave:
            self._give(other, got)
            self._receive(other, gave, t.NOBODY)
        self._receive(seat, got, t.NOBODY)

    def _tricks(self) -> None:
        # A gift that is never used saves no goal.
        self.public.fetches = any(trick.fetch is not None for trick in self.found.tricks)
        tricks.judge(self.rules, self.public, self.privates, self.hidden)
        tucked = {n: seat.tucked for n, seat in enumerate(self.found.seats) if seat.tucked and self.found.chapter is None}
        for number, trick in enumerate(self.found.tricks, 1):
            where = f"trick {number}"
            if int(self.public.trick) >= int(self.public.tricks):
                self.differ(where, f"{len(self.found.tricks)} tricks", f"{int(self.public.tricks)} tricks", "end")
                raise StopError
            self._between(trick, where)
            self._plays(trick, where, tucked)
            before = [int(self.privates.hand[seat]) for seat in range(int(self.rules.seats))]
            won = [int(n) for n in self.public.tricks_won]
            tricks.end_trick(self.rules, self.public, self.privates, self.hidden, self.log)
            ruled = next((seat for seat in range(int(self.rules.seats)) if self.public.tricks_won[seat] > won[seat]), None)
            if trick.winner != ruled:
                rule = "declare" if trick.one_ring_wins else "winner"
                told = [f"seat {seat} wins" if seat is not None else "nobody wins" for seat in (trick.winner, ruled)]
                self.differ(where, told[0], told[1], rule)
            self._draws(trick, where, before)
            tricks.judge(self.rules, self.public, self.privates, self.hidden)
            self._curses(number)
        if not self.found.stopped_early and int(self.public.trick) < int(self.public.tricks):
            self.differ("end", f"{len(self.found.tricks)} tricks", f"{int(self.public.tricks)} tricks", "end")
            raise StopError

    def _draws(self, trick: Trick, where: str, before: list[int]) -> None:
        if trick.draws is None or not self.rules.solo:
            return
        drawn = [
            [seat, self.cards(int(self.privates.hand[seat]) & ~before[seat])[0]]
            for seat in range(int(self.rules.seats))
            if int(self.privates.hand[seat]) & ~before[seat]
        ]
        if drawn != [list(draw) for draw in trick.draws]:
            self.differ(where, f"draws {trick.draws}", f"draws {drawn}", "refill")

    def _part(self, seat: int, of_curse: bool) -> int:
        """Return the verdict on a seat's own goal, or on its curse, alone."""
        role = int(self.public.character[seat])
        kinds = [
            bool(self.rules.of_curse[role, term])
            for term in range(int(self.rules.terms[role]))
            if (not self.rules.term_way[role, term] or self.rules.term_way[role, term] == self.public.way[seat])
            and setup.counts_here(self.rules, self.public, role, term)
        ]
        kinds += [True] * (int(self.rules.curse_terms) if self.public.cursed == seat else 0)
        own = tricks.own_cards(self.rules, self.public, self.privates.hand[seat], seat)
        own |= tricks.cards_aside(self.public, self.privates, seat)
        verdicts = [
            int(goals.term_verdict(self.rules, self.public, seat, term, own))
            for term, cursed in enumerate(kinds)
            if cursed == of_curse
        ]
        if t.FAILED in verdicts:
            return t.FAILED
        return t.OPEN if t.OPEN in verdicts else t.MET

    def _curses(self, number: int) -> None:
        """Note after which trick a curse struck."""
        for seat in range(int(self.rules.seats)):
            if seat not in self.struck and self._part(seat, True) == t.FAILED:
                self.struck[seat] = number

    def _plays(self, trick: Any, where: str, tucked: dict[int, str]) -> None:
        seats = int(self.rules.seats)
        ahead = [s for s in range(seats) if self.public.trick_card[s] != t.NOBODY]
        due = [
            s
            for step in range(seats)
            if self.public.plays_left[s := (trick.leader + step) % seats] > 0 and self.public.trick_card[s] == t.NOBODY
        ]
        if [seat for seat, _ in trick.plays] != ahead + due:
            self.differ(where, f"seats {[seat for seat, _ in trick.plays]} play", f"seats {ahead + due} play", "turn")
            raise StopError
        for index, (seat, name) in enumerate(trick.plays):
            card = int(self.card(name, where))
            if seat in ahead:
                if self.slots[name] != int(self.public.trick_card[seat]):
                    laid = self.scenario.cards[int(self.public.trick_card[seat])]
                    self.differ(where, f"seat {seat} plays {name}", f"plays {laid}, laid before play", "set_aside")
                    raise StopError
                continue
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
                    raise StopError
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
        apart = self.found.curse_failures is not None
        for seat, name in enumerate(names):
            character = self.scenario.characters[name]
            verdict = self._part(seat, False) if apart else int(self.hidden.verdict[seat])
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
        self._events_and_curses()

    def _events_and_curses(self) -> None:
        found = self.found
        if found.curse_failures is not None:
            told = {failure.seat: failure.trick for failure in found.curse_failures}
            if told != self.struck:
                self.differ("curses", f"strike {told}", f"strike {self.struck} (seat: trick)", "curse")
        failed = int(self.public.event_failed)
        said = found.event_failed_at or (found.balrog_failed_tricks or [0])[0]
        if found.failed_event is not None and not said:
            said = failed or 1
        if said != failed and not (found.stopped_early and not said):
            ruled = f"fails in trick {failed}" if failed else "does not fail"
            self.differ("event", f"fails in trick {said}" if said else "does not fail", ruled, "reveal_test")

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
