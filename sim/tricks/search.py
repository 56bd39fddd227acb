"""`search`: sampled hidden hands and playouts of `team`, at every decision.

The person imagines worlds that agree with everything it knows: hand sizes, voids shown, cards exchanged or seen, face-up
cards, the pyramid's visible part, the holder's card. In each world every option is played out by a fast policy, and the
option that wins most rounds for the group is taken (of equals the one that the fast policy likes best). The random numbers
come from a stream of their own.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, kernel, lowest
from sim.core.random import STREAM_SEARCH, below, pick, start
from sim.tricks import guesses
from sim.tricks.engine import advance, apply, prepare
from sim.tricks.policies import team
from sim.tricks.round import finish
from sim.tricks.table import HIDDEN, NOBODY, OPEN, PRIVATES, PUBLIC, new_record
from sim.tricks.view import VIEW, look

VERSION = 1
DEFAULT_PLAYOUTS = 64
"""Worlds that are imagined for each decision."""
TRIES = 30
"""How often hands are dealt anew before voids shown are given up (they can always be met; this bounds bad luck)."""


def new_worlds() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.record]:
    """Return room for two imagined tables (the sampled one, and the one played out) and a view for playouts."""
    publics, privates, hiddens = (np.zeros(2, kind).view(np.recarray) for kind in (PUBLIC, PRIVATES, HIDDEN))
    return publics, privates, hiddens, new_record(VIEW)


@kernel
def sees_hand(public, view, seat):
    """Return whether the deciding person knows all cards of a seat: its own hand, or a solo hand lying open."""
    return seat == public.controller[view.seat] or (seat != public.pyramid and public.shown[seat] != ZERO)


@kernel
def deal_unknown(rules, public, view, privates, hidden, pool, source):
    """Deal the cards of the mask `pool` to the hidden places of the imagined table; returns whether voids were kept.

    Places: hidden hands, the pyramid's face-down slots, the draw deck; what is left over lies nowhere.
    """
    room_total = 0
    for seat in range(public.seats):
        if not sees_hand(public, view, seat) and seat != public.pyramid:
            room_total += public.cards_left[seat] - count(privates.hand[seat])
    kept = True
    # Cards that few hands may hold are dealt first.
    for allowed_by in range(1, 5):
        rest = pool
        while rest != ZERO:
            card = bit(pick(source, rest))
            rest &= ~card
            if not pool & card:
                continue
            takers = ZERO
            for seat in range(public.seats):
                if not sees_hand(public, view, seat) and seat != public.pyramid and not public.voids[seat] & card:
                    takers |= bit(seat)
            if count(takers) > allowed_by or (count(takers) < allowed_by and allowed_by > 1):
                continue
            if takers == ZERO:
                continue
            # Each open place is as likely as any other; face-down and draw-deck places take what is not dealt here.
            places = 0
            for seat in range(public.seats):
                if takers & bit(seat):
                    places += public.cards_left[seat] - count(privates.hand[seat])
            spare = count(pool) - room_total
            if places + spare <= 0:
                kept = False
                continue
            at = below(source, places + spare)
            if at >= places:
                continue
            for seat in range(public.seats):
                if takers & bit(seat):
                    free = public.cards_left[seat] - count(privates.hand[seat])
                    if at < free:
                        privates.hand[seat] |= card
                        pool &= ~card
                        room_total -= 1
                        break
                    at -= free
    # Hands that chance left short take from the rest, against their voids only when nothing else is left.
    for seat in range(public.seats):
        if sees_hand(public, view, seat) or seat == public.pyramid:
            continue
        while count(privates.hand[seat]) < public.cards_left[seat] and pool != ZERO:
            fitting = pool & ~public.voids[seat]
            if fitting == ZERO:
                fitting = pool
                kept = False
            card = bit(pick(source, fitting))
            privates.hand[seat] |= card
            pool &= ~card
    if public.pyramid != NOBODY:
        for slot in range(rules.pyramid):
            there = hidden.slot_card[slot]
            if there != NOBODY and not public.shown[public.pyramid] & bit(there) and pool != ZERO:
                card_slot = pick(source, pool)
                pool &= ~bit(card_slot)
                hidden.slot_card[slot] = card_slot
                privates.hand[public.pyramid] |= bit(card_slot)
    for index in range(hidden.next_draw, hidden.draw_end):
        if pool == ZERO:
            break
        card_slot = pick(source, pool)
        pool &= ~bit(card_slot)
        hidden.order[index] = card_slot
    return kept


@kernel
def imagine(rules, public, view, privates, hidden, source):
    """Fill an imagined table, whose public part and copy of the round's position are given, with a sample of what is hidden.

    `hidden` enters as a copy of the real record: all that is hidden in it is overwritten or reset here.
    """
    person = public.controller[view.seat]
    pool = rules.deck & ~public.played & ~public.in_trick & ~public.lost
    if view.received != NOBODY:
        pool &= ~bit(view.received)
    elif hidden.given != NOBODY:
        pool &= ~bit(hidden.given)
    if rules.guess:
        pool = guesses.without_aside(rules, public, view, privates, hidden, pool)
    else:
        privates.tucked = NOBODY
    for seat in range(public.seats):
        privates.threat[seat] = public.threat[seat]
        privates.way[seat] = public.way[seat]
        if seat == person:
            privates.hand[seat] = view.hand
        else:
            privates.hand[seat] = public.shown[seat] | (view.known[seat] if seat != public.pyramid else ZERO)
            if rules.guess:
                # What was known to lie there may have been played, passed on or laid aside since.
                privates.hand[seat] &= pool
            # The holder keeps the card while it may not pass it: as the bound character, or before it has chosen.
            keeps = public.character[seat] == rules.bearer or public.character[seat] == NOBODY
            if rules.bearer >= 0 and seat == public.holder and keeps and not sees_hand(public, view, seat):
                privates.hand[seat] |= rules.holder_card & pool
        pool &= ~privates.hand[seat]
        for other in range(public.seats):
            privates.known[seat, other] = view.known[other] if seat == person else ZERO
        hidden.verdict[seat] = OPEN
    hidden.failed = 0
    hidden.met = 0
    hidden.stop_early = 1
    if rules.guess:
        pool = guesses.guess_aside(rules, public, privates, hidden, pool, source)
        guesses.guess_numbers(rules, public, view, privates, hidden, pool, source)
    seen = ZERO
    for seat in range(public.seats):
        if sees_hand(public, view, seat) or seat == public.pyramid:
            seen |= bit(seat)
    known = privates.hand[0]
    known1 = privates.hand[1]
    known2 = privates.hand[2]
    known3 = privates.hand[3]
    for _ in range(TRIES):
        privates.hand[0] = known
        privates.hand[1] = known1
        privates.hand[2] = known2
        privates.hand[3] = known3
        rest = pool
        if rules.pile:
            rest = guesses.guess_bound(rules, public, view, privates, pool, seen, source)
        fits = deal_unknown(rules, public, view, privates, hidden, rest, source)
        if fits and guesses.fits_announcement(rules, public, privates):
            break
    if rules.guess:
        guesses.guess_rest(rules, public, view, privates, hidden, source)


@kernel
def weigh(rules, public, hidden, view, brain, source, policy, worlds, publics, privates, hiddens, world_view, log, wins):
    """Write to wins[option] in how many of `worlds` imagined worlds the group wins after each option of the decision."""
    options = view.options
    for option in range(64):
        wins[option] = 0.0
    for _ in range(worlds):
        publics[0] = public
        hiddens[0] = hidden
        imagine(rules, publics[0], view, privates[0], hiddens[0], source)
        rest = options
        while rest != ZERO:
            option = lowest(rest)
            rest &= rest - ONE
            publics[1] = publics[0]
            privates[1] = privates[0]
            hiddens[1] = hiddens[0]
            apply(rules, publics[1], privates[1], hiddens[1], option, log)
            if finish(rules, publics[1], privates[1], hiddens[1], world_view, brain, source, source, policy, log):
                wins[option] += 1.0


@kernel
def best_option(rules, public, view, brain, wins):
    """Return the option with the most wins; of equals the one that `team` likes best."""
    team.prepare(rules, public, view)
    best = lowest(view.options)
    most = -1.0
    liked = np.float32(-1e30)
    rest = view.options
    while rest != ZERO:
        option = lowest(rest)
        rest &= rest - ONE
        points = team.rate(rules, public, view, brain, option)
        if wins[option] > most or (wins[option] == most and points > liked):
            most = wins[option]
            liked = points
            best = option
    return best


@kernel
def play_round_by_search(
    rules, public, privates, hidden, view, brain, luck, source, policy, worlds, publics, privates2, hiddens, world_view, wins,
    seed_low, seed_high, round_number, deal_number, stop_early, log,
):  # fmt: skip
    """Play a round of a deal under `search` and return whether it was won.

    policy: number of the fast policy that plays worlds out; worlds: samples a decision; publics, privates2, hiddens: arrays
    of two records each; wins: float64 of shape (64,); log: a log that is off, since worlds are played into it too; the other
    arguments as in `round.play_round`.
    """
    prepare(rules, public, privates, hidden, luck, source, seed_low, seed_high, round_number, deal_number)
    start(source, seed_low, seed_high, STREAM_SEARCH, round_number, deal_number)
    hidden.stop_early = stop_early
    view.prepared = -1
    while advance(rules, public, privates, hidden, luck, log):
        look(rules, public, privates, hidden, view)
        weigh(rules, public, hidden, view, brain, source, policy, worlds, publics, privates2, hiddens, world_view, log, wins)
        apply(rules, public, privates, hidden, best_option(rules, public, view, brain, wins), log)
    return hidden.met == public.seats
