"""The rarer setup actions: what each asks, and what its answers do. (The usual ones stand in `engine`.)

Sources: the characters' files; rule book, "setup" [seed]; assumptions A3, A9, A12, A18, A20.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, kernel, lowest
from sim.tricks import events, moves, setup
from sim.tricks.decisions import (
    AGAIN,
    AHEAD,
    AHEAD_WINS,
    CLAIM,
    CURSED,
    FETCH,
    FREED,
    FROM_PILE,
    GIVEN,
    KEPT,
    NOT_NOW,
    PARTNER,
    RESERVED,
    TAKE,
    THREAT,
    TUCKED,
    WAY,
    WHY_NO_PARTNER,
    WHY_SOLO,
    YES_OR_NO,
    ask,
    next_action,
)
from sim.tricks.rules import (
    CARDS,
    CHOOSE_THREAT,
    DECLARE_WAY,
    DRAW_THREAT,
    EXCHANGE_EACH,
    FEWER,
    MORE,
    PASS_RIGHT,
    PLAY_AHEAD,
    SET_ASIDE,
    SHOW_HAND,
    SWAP_LOST,
    TAKE_PILE,
    TUCK,
)
from sim.tricks.table import (
    LOG_AGAIN,
    LOG_AHEAD,
    LOG_CLAIMED,
    LOG_CURSED,
    LOG_FETCHED,
    LOG_FREED,
    LOG_KEPT,
    LOG_NO_EXCHANGE,
    LOG_PICKED,
    LOG_PILE,
    LOG_RESERVED,
    LOG_SHOWED,
    LOG_SWAPPED,
    LOG_TUCKED,
    LOG_WAY,
    NOBODY,
    PASS_EACH,
    PASS_RIGHT_ALL,
    note,
)

SWAPPING = 3
"""The part of `swap_lost` in which the card for the lost one is chosen."""


TAKEN = 1
DECLINED = 2
"""What hidden.redrawn says of the lost card, once a swap was asked for."""


@kernel
def redraws(rules, public):
    """Return whether a character in the round lets everybody draw a threat again."""
    for seat in range(rules.seats):
        if public.character[seat] == rules.redrawer:
            return True
    return False


@kernel
def wanted_cards(rules, public, seat):
    """Return the cards that the threats drawn so far ask other seats to win."""
    wanted = ZERO
    for other in range(rules.seats):
        if other != seat and public.threat[other] > 0:
            role = public.character[other]
            for term in range(rules.terms[role]):
                if rules.by_threat[role, term] and rules.measure[role, term] == CARDS and rules.low[role, term] > 0:
                    wanted |= rules.term_cards[role, term] & rules.rank_mask[public.threat[other]]
    return wanted


@kernel
def take_from_pile(rules, public, privates, hidden, seat, slot, log):
    """Take a card of the pile into the hand; as many cards stay in hand at the end."""
    hidden.pile &= ~bit(slot)
    public.pile -= 1
    setup.receive(rules, public, privates, hidden, seat, bit(slot), NOBODY)
    public.retained[seat] += 1
    note(log, LOG_PILE, seat, bit(slot), ZERO, ZERO)


@kernel
def put_down(rules, public, privates, hidden, seat, slot, face_up):
    """Take a card out of the hand without passing it; returns whether all see which one."""
    seen = face_up or public.shown[seat] & bit(slot) != ZERO
    setup.give_away(rules, public, privates, hidden, seat, bit(slot))
    for person in range(rules.seats):
        # Whoever does not see it can no longer be sure of any card there.
        privates.known[person, seat] &= ~bit(slot) if seen else ZERO
    return seen


@kernel
def act_rare(rules, public, privates, hidden, seat, kind, luck, log):
    """Perform one of the rarer actions up to its next decision; returns whether there is one."""
    role = public.character[seat]
    action = hidden.action
    hand = setup.passable(rules, public, privates, hidden, seat)
    everything = hand if seat == public.pyramid else privates.hand[seat]
    if hidden.plan > 0 and not rules.simultaneous:
        if moves.ask_next(rules, public, privates, hidden):
            return True
        moves.carry_out(rules, public, privates, hidden, log)
    elif kind == DRAW_THREAT:
        if hidden.part < rules.amount[role, action]:
            hidden.part += 1
            setup.draw_threat(rules, public, privates, hidden, seat, action, luck, log)
            return False
        if count(hidden.drawn) > 1:
            ask(hidden, KEPT, seat, hidden.drawn)
            return True
        if not hidden.redrawn and redraws(rules, public) and hidden.threats_left != ZERO:
            ask(hidden, AGAIN, seat, YES_OR_NO)
            return True
    elif kind == CHOOSE_THREAT:
        options = rules.among[role] if rules.among[role] != ZERO else hidden.threats_left
        if hidden.part == 0 and options != ZERO:
            ask(hidden, THREAT, seat, options)
            return True
    elif kind == DECLARE_WAY:
        if hidden.part == 0:
            ask(hidden, WAY, seat, bit(FEWER) | bit(MORE))
            return True
    elif kind == SHOW_HAND:
        note(log, LOG_SHOWED, seat, privates.hand[seat], ZERO, ZERO)
        public.shown[seat] = privates.hand[seat]
        public.open_hands |= bit(seat)
    elif kind == TAKE_PILE:
        if hidden.part < rules.amount[role, action] and hidden.pile != ZERO:
            if rules.pile_chosen:
                # Whoever chooses looks at them all.
                privates.out[public.controller[seat]] = hidden.pile
                ask(hidden, FROM_PILE, seat, hidden.pile)
                return True
            slot = np.int64(hidden.pile_order[rules.pile - public.pile])
            hidden.part += 1
            take_from_pile(rules, public, privates, hidden, seat, slot, log)
            return False
    elif kind == TUCK:
        if hidden.part == 0 and everything != ZERO:
            ask(hidden, TUCKED, seat, everything)
            return True
    elif kind == SET_ASIDE:
        if hidden.part == 0 and everything != ZERO:
            ask(hidden, RESERVED, seat, everything)
            return True
    elif kind == PLAY_AHEAD:
        if hidden.part == 0 and everything != ZERO:
            ask(hidden, AHEAD, seat, everything)
            return True
        if hidden.part == 1 and public.ahead & rules.declaring and not rules.declare_after:
            ask(hidden, AHEAD_WINS, seat, YES_OR_NO)
            return True
    elif kind == PASS_RIGHT:
        if hidden.part == 0:
            hidden.part = 1
            moves.plan_all(rules, public, hidden, PASS_RIGHT_ALL, seat, ZERO)
            return False
    elif kind == EXCHANGE_EACH:
        if hidden.part == 0:
            hidden.part = 1
            partners = setup.partners(rules, public, seat, action)
            solo = rules.solo and seat != hidden.exchanger
            if solo or partners == ZERO or hand == ZERO:
                why = WHY_SOLO if solo and partners != ZERO else WHY_NO_PARTNER
                note(log, LOG_NO_EXCHANGE, seat, np.uint64(why), ZERO, ZERO)
            else:
                moves.plan_all(rules, public, hidden, PASS_EACH, seat, partners)
                return False
    elif kind == SWAP_LOST:
        if hidden.part == 0:
            partners = setup.partners(rules, public, seat, action)
            touches = setup.may_touch(rules, public, seat)
            own = bit(seat) if touches and swappable(rules, public, seat, hand, action) != ZERO else ZERO
            if rules.solo and seat != hidden.exchanger:
                # For one person the swap is this character's exchange.
                note(log, LOG_NO_EXCHANGE, seat, np.uint64(WHY_SOLO), ZERO, ZERO)
            elif hidden.redrawn == 0 and rules.take_optional and own != ZERO:
                # Whether it wants the lost card at all is asked first (A12).
                ask(hidden, TAKE, seat, YES_OR_NO)
                return True
            else:
                hidden.eligible = partners
                options = partners if hidden.redrawn == DECLINED else partners | own
                if options != ZERO and hand != ZERO:
                    ask(hidden, PARTNER, seat, options)
                    return True
                if hidden.redrawn != DECLINED:
                    note(log, LOG_NO_EXCHANGE, seat, np.uint64(WHY_NO_PARTNER), ZERO, ZERO)
        elif hidden.part == SWAPPING:
            hidden.partner = seat
            ask(hidden, GIVEN, seat, swappable(rules, public, seat, hand, action))
            return True
    next_action(hidden)
    return False


@kernel
def swappable(rules, public, seat, hand, action):
    """Return the cards of the hand that may become the lost card."""
    if public.lost == ZERO:
        return ZERO
    if rules.amount[public.character[seat], action]:
        return hand & ~wanted_cards(rules, public, seat)
    return hand


@kernel
def apply_rare(rules, public, privates, hidden, choice, log):
    """Carry out one of the rarer decisions of setup."""
    kind = hidden.pending
    seat = hidden.actor
    if kind == THREAT:
        note(log, LOG_PICKED, seat, np.uint64(choice), hidden.options, ZERO)
        setup.set_threat(rules, public, privates, seat, choice, True)
        if rules.among[public.character[seat]] == ZERO:
            hidden.threats_left &= ~bit(choice)
        hidden.part = 1
    elif kind == KEPT:
        note(log, LOG_KEPT, seat, np.uint64(choice), hidden.options, ZERO)
        setup.set_threat(rules, public, privates, seat, choice, True)
        hidden.threats_out |= hidden.drawn & ~bit(choice)
        hidden.drawn = bit(choice)
        hidden.redrawn = 1
    elif kind == AGAIN:
        note(log, LOG_AGAIN, seat, np.uint64(choice), ZERO, ZERO)
        hidden.redrawn = 1
        if choice == 1:
            hidden.threats_out |= hidden.drawn
            hidden.drawn = ZERO
            hidden.part -= 1
    elif kind == WAY:
        note(log, LOG_WAY, seat, np.uint64(choice), ZERO, ZERO)
        privates.way[seat] = choice
        if rules.secret_ways & bit(public.character[seat]):
            public.secret |= bit(seat)
        else:
            public.way[seat] = choice
        hidden.part = 1
    elif kind == FROM_PILE:
        privates.out[public.controller[seat]] &= ~bit(choice)
        hidden.part += 1
        take_from_pile(rules, public, privates, hidden, seat, choice, log)
    elif kind == TUCKED:
        note(log, LOG_TUCKED, seat, bit(choice), ZERO, ZERO)
        seen = put_down(rules, public, privates, hidden, seat, choice, False)
        public.tucked = seat
        public.under = bit(choice) if seen else ZERO
        privates.tucked = choice
        hidden.part = 1
    elif kind == RESERVED:
        note(log, LOG_RESERVED, seat, bit(choice), ZERO, ZERO)
        put_down(rules, public, privates, hidden, seat, choice, True)
        public.reserved_by = seat
        public.reserved = bit(choice)
        hidden.part = 1
    elif kind == AHEAD:
        note(log, LOG_AHEAD, seat, bit(choice), ZERO, ZERO)
        put_down(rules, public, privates, hidden, seat, choice, True)
        public.ahead_by = seat
        public.ahead = bit(choice)
        hidden.part = 1
    elif kind == AHEAD_WINS:
        hidden.ahead_wins = choice
        note(log, LOG_AHEAD, seat, public.ahead, np.uint64(1 + choice), ZERO)
        hidden.part = 2
    elif kind == GIVEN:
        swap(rules, public, privates, hidden, seat, choice, log)
        next_action(hidden)


@kernel
def apply_later(rules, public, privates, hidden, choice, log):
    """Carry out the decisions about a wandering curse, the lost card of the group, and gifts that help before a trick."""
    kind = hidden.pending
    seat = hidden.actor
    if kind == CURSED:
        if choice != NOT_NOW:
            public.cursed = choice
        note(log, LOG_CURSED, seat, np.uint64(0 if choice == NOT_NOW else choice + 1), hidden.options, ZERO)
    elif kind == CLAIM:
        public.claimant = choice
        note(log, LOG_CLAIMED, choice, hidden.options, ZERO, ZERO)
    elif kind == FREED:
        if choice == 1:
            public.free = seat
            public.frees -= 1
            note(log, LOG_FREED, seat, ZERO, ZERO, ZERO)
    elif kind == FETCH:
        if choice != NOT_NOW:
            public.fetches -= 1
            hidden.partner = choice
            hidden.fetching = 1
            hidden.between = events.FETCH_DUE
    elif kind == GIVEN and hidden.partner == seat:
        got = public.lost
        swap(rules, public, privates, hidden, seat, choice, log)
        # All have seen which suits came.
        for suit in range(rules.suits):
            if rules.suit_mask[suit] & got:
                public.voids[seat] &= ~rules.suit_mask[suit]
        settle_fetch(rules, public, hidden)
    elif kind == GIVEN:
        hidden.given = choice
        hidden.given_slot = setup.give_away(rules, public, privates, hidden, seat, bit(choice))
        hidden.fetching = 2
        hidden.between = events.FETCH_DUE
    else:
        note(log, LOG_FETCHED, public.fetcher, np.uint64(seat), bit(hidden.given), bit(choice))
        setup.return_card(rules, public, privates, hidden, public.fetcher, seat, hidden.given, hidden.given_slot, choice)
        # Both may now hold suits that they have shown not to hold.
        public.voids[seat] = ZERO
        public.voids[public.fetcher] = ZERO
        settle_fetch(rules, public, hidden)
    return 0


@kernel
def settle_fetch(rules, public, hidden):
    """Go on before the trick once the exchange by a gift is made."""
    hidden.fetching = 0
    hidden.partner = NOBODY
    hidden.given = NOBODY


@kernel
def swap(rules, public, privates, hidden, seat, slot, log):
    """Swap a card of the hand for the lost ones; all see both."""
    note(log, LOG_SWAPPED, seat, bit(slot), public.lost, ZERO)
    got = public.lost
    place = setup.give_away(rules, public, privates, hidden, seat, bit(slot))
    public.lost = bit(slot)
    for person in range(rules.seats):
        privates.known[person, seat] &= ~bit(slot)
        if person != seat:
            privates.known[person, seat] |= got
    while got != ZERO:
        setup.receive(rules, public, privates, hidden, seat, bit(lowest(got)), place)
        place = NOBODY
        if got & (got - ONE):
            # With several lost cards the hand grows: as many cards stay at the end.
            public.retained[seat] += 1
        got &= got - ONE
