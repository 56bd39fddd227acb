"""The state of one round: what all see, what each person sees, and what lies hidden.

Separate records, so that a policy cannot see more than its seat: a decision gets PUBLIC and a VIEW with its person's part
of PRIVATES, never HIDDEN and never PRIVATES itself. A table is copied with one assignment per record. Records and not
arrays are handed from kernel to kernel: an array argument costs two atomic reference counts a call.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ZERO, inlined, kernel
from sim.tricks.rules import PYRAMID_SLOTS, REVEALS, SEATS, TERMS

MAX_PILE = 16
PLAN = 12
"""Cards that change hands at once at most."""

NOBODY = -1
OPEN = 0
MET = 1
FAILED = 2

PUBLIC = np.dtype(
    [
        ("seats", np.int64),
        ("holder", np.int64),
        ("first", np.int64),
        ("pyramid", np.int64),
        ("controller", np.int64, (SEATS,)),
        ("character", np.int64, (SEATS,)),
        ("threat", np.int64, (SEATS,)),
        ("lost", np.uint64),
        ("first_lost", np.uint64),
        ("shown", np.uint64, (SEATS,)),
        ("uncovered", np.uint64),
        ("cards_left", np.int64, (SEATS,)),
        ("plays_left", np.int64, (SEATS,)),
        ("draws_left", np.int64, (SEATS,)),
        ("retained", np.int64, (SEATS,)),
        ("trick", np.int64),
        ("tricks", np.int64),
        ("opening_leader", np.int64),
        ("leader", np.int64),
        ("led_suit", np.int64),
        ("in_trick", np.uint64),
        ("trick_card", np.int64, (SEATS,)),
        ("declared", np.int64),
        ("played", np.uint64),
        ("unlocked", np.int64),
        ("voids", np.uint64, (SEATS,)),
        ("won", np.uint64, (SEATS,)),
        ("tricks_won", np.int64, (SEATS,)),
        ("last_winner", np.int64),
        ("streak_broken", np.int64, (SEATS,)),
        ("led", np.uint64, (SEATS,)),
        ("last_card", np.int64, (SEATS,)),
        ("uneven", np.int64),
        ("counting", np.int64),
        ("terms", np.int64, (SEATS,)),
        ("measure", np.int64, (SEATS, TERMS)),
        ("term_cards", np.uint64, (SEATS, TERMS)),
        ("low", np.int64, (SEATS, TERMS)),
        ("high", np.int64, (SEATS, TERMS)),
        ("window", np.int64, (SEATS, TERMS)),
        ("compare", np.int64, (SEATS, TERMS)),
        ("ties", np.int64, (SEATS, TERMS)),
        ("scope", np.int64, (SEATS, TERMS)),
        ("lender", np.int64, (SEATS,)),
        ("lent", np.uint64, (SEATS,)),
        ("counter", np.int64, (SEATS, TERMS)),
        ("way", np.int64, (SEATS,)),
        ("secret", np.uint64),
        ("untold", np.uint64),
        ("announced", np.uint64),
        ("open_hands", np.uint64),
        ("free", np.int64),
        ("blind", np.int64),
        ("blind_suit", np.int64),
        ("tucked", np.int64),
        ("under", np.uint64),
        ("reserved_by", np.int64),
        ("reserved", np.uint64),
        ("ahead_by", np.int64),
        ("ahead", np.uint64),
        ("longest_of", np.int64),
        ("longest", np.uint64),
        ("longest_played", np.uint64),
        ("pile", np.int64),
        ("revealed", np.int64),
        ("revealed_out", np.uint64),
        ("event_failed", np.int64),
        ("may_lapse", np.int64),
        ("cursed", np.int64),
        ("claimant", np.int64),
        ("taker", np.int64),
        ("fetcher", np.int64),
        ("unsure", np.uint64),
        ("completed", np.uint64),
        ("sought", np.uint64),
        ("spare", np.int64),
        ("curse_due", np.int64),
        ("fetches", np.int64),
        ("frees", np.int64),
    ],
)
"""What everybody at the table sees.

holder: seat that was dealt the holder card. pyramid: seat of the open pyramid or -1. controller: the seat whose person
decides for a seat. character: roster index or -1; threat: face-up number or 0. lost: face-up lost cards nobody has taken;
first_lost: as dealt. shown: face-up cards of a seat's hand; uncovered: the pyramid's playable cards. cards_left: cards in
hand; plays_left: tricks in which the seat still plays; draws_left: cards still to be drawn (solo); retained: cards that
stay in hand at the end. opening_leader, leader: seats that lead the first and the next trick. trick: number of finished
tricks; tricks: length of the round; trick_card: slot played to the current trick or -1; declared: seat that declared or
-1; unlocked: whether locked suits may be led; voids: masks of cards that a seat has shown not to hold by not following.
won: cards won; led: cards led; last_card: slot played to the last trick or -1. uneven: whether some seats play in fewer
tricks than others. counting: whether a goal has a term with a counter. terms ... scope: the goals with threats filled in;
lender/lent: a seat whose won cards in the mask count for this seat too. counter: tricks that a term counts (with, without,
late). Masks are uint64 over card slots.

first: the seat from which selection and setup count clockwise. way: FEWER or MORE, as declared, or 0. secret: seats (mask)
whose threat or declaration the others do not see: `threat` and `way` are 0 then, and of the goal only the other terms stand
here, except while that seat's own person decides (`view.look`), unless untold; announced: those that said it is met.
open_hands: seats (mask) whose hand lies open. free: seat that need not follow suit and may lead anything. blind: seat that
plays face down, its card in `trick_card` being FACE_DOWN; blind_suit: the suit (index) it named, or -1. tucked: seat with a
card under its character; under: that card, when all saw it. reserved: face-up card of `reserved_by` for the last trick; ahead:
face-up card that `ahead_by` plays to the first one. longest: all cards of the suits that `longest_of` announced as its longest
before play, longest_played: the cards it has played since. pile: cards still set aside face down. revealed: what the cards
turned up for this trick add up to (0: none yet); revealed_out: their deck's cards (by index) that are gone until it is
shuffled; event_failed: the trick (from 1) at which the event failed everybody, or 0; may_lapse: whether a trick may be won by
nobody. cursed: seat that bears the wandering curse; claimant: seat that may touch the lost card, where the group says which;
taker: seat that took it; fetcher: seat that may swap for it before a trick; unsure: while goals are judged, the seats (mask)
whose hands may change so. Seats are -1 when there is none.

Of the chapter (`sim.tricks.attempts`; 0 in single rounds, and not cleared by a deal): completed, sought: characters (mask over
the roster) that earlier rounds completed, and those that the group's plan wants in this one; spare: goals that may fail;
curse_due: whether the wandering curse must still be borne; fetches, frees: how often the gifts may still be used that swap for
the lost card and that free a seat in the first trick.
"""

PRIVATES = np.dtype(
    [
        ("hand", np.uint64, (SEATS,)),
        ("known", np.uint64, (SEATS, SEATS)),
        ("out", np.uint64, (SEATS,)),
        ("threat", np.int64, (SEATS,)),
        ("way", np.int64, (SEATS,)),
        ("tucked", np.int64),
    ]
)
"""What the persons see, by seat: the hand (for the pyramid all its cards, which no policy gets), and known[person, owner]:
cards that a person knows to lie in another hand; out: cards that it knows to lie out of the round; threat and way, also
where others do not see them; tucked: the card (slot) under the character of seat public.tucked, or -1. The engine alone
holds this record; a policy gets its seat's part in a VIEW."""

HIDDEN = np.dtype(
    [
        ("order", np.int64, (64,)),
        ("next_draw", np.int64),
        ("draw_end", np.int64),
        ("slot_card", np.int64, (PYRAMID_SLOTS,)),
        ("loose", np.uint64),
        ("threats_left", np.uint64),
        ("threats_out", np.uint64),
        ("drawn", np.uint64),
        ("redrawn", np.int64),
        ("exchanger", np.int64),
        ("stage", np.int64),
        ("step", np.int64),
        ("action", np.int64),
        ("part", np.int64),
        ("pending", np.int64),
        ("actor", np.int64),
        ("options", np.uint64),
        ("partner", np.int64),
        ("given", np.int64),
        ("given_slot", np.int64),
        ("eligible", np.uint64),
        ("asked_declare", np.int64),
        ("stop_early", np.int64),
        ("tries", np.int64),
        ("failed", np.int64),
        ("met", np.int64),
        ("verdict", np.int64, (SEATS,)),
        ("lost_after", np.int64, (SEATS,)),
        ("met_after", np.int64, (SEATS,)),
        ("blind_card", np.int64),
        ("pile", np.uint64),
        ("pile_order", np.int8, (MAX_PILE,)),
        ("reveal_order", np.int8, (REVEALS,)),
        ("reveal_next", np.int64),
        ("between", np.int64),
        ("ahead_wins", np.int64),
        ("fetching", np.int64),
        ("step_dealt", np.int64),
        ("plan", np.int64),
        ("plan_at", np.int64),
        ("plan_why", np.int64),
        ("plan_from", np.int8, (PLAN,)),
        ("plan_to", np.int8, (PLAN,)),
        ("plan_card", np.int8, (PLAN,)),
        ("committed", np.uint64),
    ],
)
"""What nobody sees, and where the round stands.

order, next_draw, draw_end: the draw deck; slot_card, loose: the pyramid's slots (card or -1) and the cards beside it;
threats_left: threats not drawn; exchanger: the seat that may exchange in a solo round. stage, step, action, part: the
engine's position; pending, actor, options, partner, given, given_slot, eligible, asked_declare: the decision that is due;
stop_early: whether the round ends once decided; tries: deals tried for one that fits the condition, 0 where there is none, where
none was found, and in imagined rounds. verdict, lost_after, met_after: the truth about each goal and after which
trick it was sealed (-1: not sealed); failed, met: how many.

threats_out: threats that were drawn face up and are out of the round; drawn: threats drawn of which one is kept; redrawn:
whether the seat that acts has drawn again. blind_card: the card (slot) that lies face down in the trick, or -1. pile,
pile_order: cards set aside, in the order in which they are taken. reveal_order, reveal_next: the deck turned up for tricks
(indices), shuffled several times over. between: what was settled between two tricks. ahead_wins: whether the card played ahead
was declared. fetching: 1 and 2 while a card is given and returned for the lost one before a trick. step_dealt: steps of the
deal done. plan ... committed: cards that change hands at once: how many are planned, the one that is chosen next, why
(LOG_PASSED), from, to, card (slot or -1), and all cards chosen so far.
"""

LOG_WIDTH = 7
LOG_LENGTH = 256

LOG = np.dtype([("on", np.int64), ("rows", np.int64), ("row", np.uint64, (LOG_LENGTH, LOG_WIDTH))])
"""What happened, for transcripts: whether it is written, rows used, rows."""

# Rows of the log: [event, seat, a, b, c, d, e] as uint64.
LOG_CHOSE = 1  # seat, character, options
LOG_EXCHANGER = 2  # seat chosen, options
LOG_TOOK = 3  # seat, cards
LOG_DECLINED = 4  # seat, cards
LOG_THREAT = 5  # seat, value, rejected values
LOG_EXCHANGE = 6  # seat, partner, given, returned, partners possible
LOG_NO_EXCHANGE = 7  # seat, why (1: solo, another character's; 2: no partner)
LOG_GAVE = 8  # seat, to, card
LOG_EXTRA = 9  # seat, cards
LOG_PLAY = 10  # seat, card, legal cards
LOG_DECLARE = 11  # seat, declared
LOG_TRICK = 12  # winner plus one (0: nobody), leader
LOG_DRAW = 13  # seat, card
LOG_START = 14  # leader of the first trick
LOG_CAST = 15  # seat, character dealt to it
LOG_PASSED = 16  # seat, to, card, why (PASS_...), how many cards change hands together, whether it is of their second half
LOG_PICKED = 17  # seat, threat chosen, options
LOG_KEPT = 18  # seat, threat kept, options
LOG_AGAIN = 19  # seat, whether it draws a threat again
LOG_WAY = 20  # seat, FEWER or MORE
LOG_PILE = 21  # seat, card of the pile
LOG_TUCKED = 22  # seat, card
LOG_UNTUCKED = 23  # seat, card
LOG_RESERVED = 24  # seat, card
LOG_AHEAD = 25  # seat, card, whether declared
LOG_SWAPPED = 26  # seat, card given, cards got
LOG_SHOWED = 27  # seat, its cards
LOG_LONGEST = 28  # seat, cards of the suits
LOG_REVEAL = 29  # index of the card turned up
LOG_NAMED = 30  # seat, leader that it named
LOG_EVENT_FAILED = 31  # trick
LOG_CURSED = 32  # seat that gets the wandering curse plus one (0: nobody in this round), options
LOG_CLAIMED = 33  # seat that may touch the lost card, options
LOG_FETCHED = 34  # seat, partner (itself: the lost card), card given, card got
LOG_FREED = 35  # seat that need not follow in the first trick

# Why cards change hands at once.
PASS_EACH = 1  # an exchange with every partner
PASS_RIGHT_ALL = 2  # everybody passes to the right
PASS_STEP = 3  # after a step of the deal
PASS_TOGETHER = 4  # all exchanges of the round


def new_record(dtype: np.dtype) -> np.record:
    """Return a zeroed record of `dtype` that kernels and plain Python can write to."""
    return np.zeros(1, dtype).view(np.recarray)[0]


def new_table() -> tuple[np.record, np.record, np.record]:
    """Return empty records (public, privates, hidden)."""
    return new_record(PUBLIC), new_record(PRIVATES), new_record(HIDDEN)


def new_log(on: bool) -> np.record:
    """Return an empty record LOG, written to when `on`."""
    log = new_record(LOG)
    log.on = on
    return log


@inlined
def note(log, event, seat, a, b, c):
    """Append a row to the log when it is on."""
    if log.on:
        row = log.rows
        log.rows = row + 1
        log.row[row, 0] = np.uint64(event)
        log.row[row, 1] = np.uint64(seat)
        log.row[row, 2] = a
        log.row[row, 3] = b
        log.row[row, 4] = c


@inlined
def at_left(seat, steps, seats):
    """Return the seat `steps` places (fewer than `seats`) clockwise of `seat`."""
    other = seat + steps
    # A comparison, since a division takes as long as all the rest of a play.
    return other - seats if other >= seats else other


@kernel
def clear(public, privates, hidden):
    """Reset the records of a table to the moment before a deal."""
    public.holder = NOBODY
    public.first = NOBODY
    public.pyramid = NOBODY
    public.lost = ZERO
    public.first_lost = ZERO
    public.uncovered = ZERO
    public.trick = 0
    public.tricks = 0
    public.leader = NOBODY
    public.led_suit = NOBODY
    public.in_trick = ZERO
    public.declared = NOBODY
    public.played = ZERO
    public.unlocked = 0
    public.last_winner = NOBODY
    public.secret = ZERO
    public.untold = ZERO
    public.announced = ZERO
    public.open_hands = ZERO
    public.free = NOBODY
    public.blind = NOBODY
    public.blind_suit = NOBODY
    public.tucked = NOBODY
    public.under = ZERO
    public.reserved_by = NOBODY
    public.reserved = ZERO
    public.ahead_by = NOBODY
    public.ahead = ZERO
    public.longest_of = NOBODY
    public.longest = ZERO
    public.longest_played = ZERO
    public.pile = 0
    public.revealed = 0
    public.revealed_out = ZERO
    public.event_failed = 0
    public.may_lapse = 0
    public.cursed = NOBODY
    public.claimant = NOBODY
    public.taker = NOBODY
    public.fetcher = NOBODY
    public.unsure = ZERO
    privates.tucked = NOBODY
    hidden.blind_card = NOBODY
    hidden.pile = ZERO
    hidden.reveal_next = 0
    hidden.between = 0
    hidden.ahead_wins = 0
    hidden.fetching = 0
    hidden.step_dealt = 0
    hidden.plan = 0
    hidden.plan_at = 0
    hidden.committed = ZERO
    hidden.threats_out = ZERO
    hidden.drawn = ZERO
    hidden.redrawn = 0
    hidden.next_draw = 0
    hidden.draw_end = 0
    hidden.loose = ZERO
    hidden.exchanger = NOBODY
    hidden.stage = 0
    hidden.step = 0
    hidden.action = 0
    hidden.part = 0
    hidden.pending = 0
    hidden.actor = NOBODY
    hidden.options = ZERO
    hidden.partner = NOBODY
    hidden.given = NOBODY
    hidden.asked_declare = 0
    hidden.failed = 0
    hidden.met = 0
    for seat in range(SEATS):
        public.controller[seat] = seat
        public.character[seat] = NOBODY
        public.threat[seat] = 0
        public.way[seat] = 0
        privates.threat[seat] = 0
        privates.way[seat] = 0
        privates.out[seat] = ZERO
        public.shown[seat] = ZERO
        public.cards_left[seat] = 0
        public.plays_left[seat] = 0
        public.draws_left[seat] = 0
        public.retained[seat] = 0
        public.trick_card[seat] = NOBODY
        public.voids[seat] = ZERO
        public.won[seat] = ZERO
        public.tricks_won[seat] = 0
        public.streak_broken[seat] = 0
        public.led[seat] = ZERO
        public.last_card[seat] = NOBODY
        public.terms[seat] = 0
        public.lender[seat] = NOBODY
        for term in range(TERMS):
            public.counter[seat, term] = 0
        privates.hand[seat] = ZERO
        for other in range(SEATS):
            privates.known[seat, other] = ZERO
        hidden.verdict[seat] = OPEN
        hidden.lost_after[seat] = NOBODY
        hidden.met_after[seat] = NOBODY
