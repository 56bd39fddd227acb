"""`search`: sampled hidden hands and playouts of `team`, at every decision.

The person imagines worlds that agree with everything it knows: hand sizes, voids shown, cards exchanged or seen, face-up
cards, the pyramid's visible part, the holder's card. In each world every option is played out by a fast policy, and the
option that wins most rounds for the group is taken (of equals the one that the fast policy likes best). The random numbers
come from a stream of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.core.jit import ONE, ZERO, bit, call_far, count, far, inlined, kernel, lowest, merged
from sim.core.random import STREAM_SEARCH, below, pick, start
from sim.tricks import guesses
from sim.tricks.decisions import CARD, CHARACTER, CURSED
from sim.tricks.engine import advance, apply, prepare
from sim.tricks.inference import likelihood, new_history, remember
from sim.tricks.policies import dispatch, team
from sim.tricks.policies.equal import unlike
from sim.tricks.policies.planning import bearable, choosable
from sim.tricks.round import finish, is_won
from sim.tricks.rules import FAR_IMAGINE, FAR_SEARCH
from sim.tricks.table import HIDDEN, NOBODY, OPEN, PRIVATES, PUBLIC, clear, new_log, new_record
from sim.tricks.view import VIEW, look, sees_hand

VERSION = 5
DEFAULT_PLAYOUTS = 64
"""Worlds that are imagined for each decision."""
DEFAULT_INFERENCE = "off"
"""It costs more time than the wins it brings are worth (docs/policies.md)."""
CANDIDATES = 4
"""Worlds imagined for each one that is played out, with inference."""
FINE = np.uint64(1 << 30)
"""Steps of a random share."""
TRIES = 30
"""How often hands are dealt anew before voids shown are given up (they can always be met; this bounds bad luck)."""


def new_worlds(inference: bool) -> tuple[Any, ...]:
    """Return the scratch of `search_choice`, in its order from `publics` on.

    publics, privates, hiddens: arrays of two imagined tables (the sampled one, and the one played out); world_view: a view for
    playouts; wins: float64 (64,); history, pasts: see `inference.new_history`; log, on with inference; off, a log that is not.
    """
    tables = [np.zeros(2, kind).view(np.recarray) for kind in (PUBLIC, PRIVATES, HIDDEN)]
    for place in range(2):
        clear(*(table[place] for table in tables))
    return *tables, new_record(VIEW), np.zeros(64), *new_history(inference), new_log(inference), new_log(False)


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
        # What must lie face down there (the holder's card) may lie in any of the slots.
        bound = privates.hand[public.pyramid] & ~public.shown[public.pyramid]
        free = 0
        for slot in range(rules.pyramid):
            there = hidden.slot_card[slot]
            if there != NOBODY and not public.shown[public.pyramid] & bit(there):
                free += 1
        for slot in range(rules.pyramid):
            there = hidden.slot_card[slot]
            if there != NOBODY and not public.shown[public.pyramid] & bit(there):
                if bound != ZERO and below(source, free) < count(bound):
                    card_slot = pick(source, bound)
                    bound &= ~bit(card_slot)
                elif pool != ZERO:
                    card_slot = pick(source, pool)
                    pool &= ~bit(card_slot)
                else:
                    break
                hidden.slot_card[slot] = card_slot
                privates.hand[public.pyramid] |= bit(card_slot)
                free -= 1
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
    # Nobody at the table knows of a condition: an imagined round need not fit it.
    hidden.tries = 0
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
    return 0


far(FAR_IMAGINE, imagine)


@inlined
def imagine_far(rules, public, view, privates, hidden, source):
    """`imagine`, called far."""
    call_far(rules.far[FAR_IMAGINE], (rules, public, view, privates, hidden, source))


@merged
def narrow(rules, public, view):
    """Leave of the options of a decision on a card one of each lot that does the same, and of choices in a chapter the plan's."""
    if view.pending == CARD:
        view.options = unlike(rules, public, view)
    elif view.pending == CHARACTER:
        view.options = choosable(rules, public, view)
    elif view.pending == CURSED:
        view.options = bearable(rules, public, view)


@merged
def likely_world(rules, public, hidden, view, brain, source, publics, privates, hiddens, world_view, history, pasts, log):
    """Imagine some worlds and keep one, the likelier the more often, in place 0 of the tables; returns their mean likelihood.

    To imagine a world and judge it costs little beside playing it out; so few playouts are spent on unlikely ones.
    """
    person = public.controller[view.seat]
    total = 0.0
    for _ in range(CANDIDATES):
        publics[1] = public
        hiddens[1] = hidden
        imagine_far(rules, publics[1], view, privates[1], hiddens[1], source)
        weight = likelihood(rules, public, privates[1], history, pasts, log, world_view, brain, person)
        total += weight
        if np.float64(below(source, FINE)) * total < weight * np.float64(FINE):
            publics[0] = publics[1]
            privates[0] = privates[1]
            hiddens[0] = hiddens[1]
    return total / CANDIDATES


@merged
def weigh(
    rules, public, hidden, view, brain, source, policy, worlds, publics, privates, hiddens, world_view, wins, history, pasts,
    log, off,
):  # fmt: skip
    """Write to wins[option] in how many of `worlds` imagined worlds the group wins after each option of the decision.

    With inference a world counts as much as the others' choices so far are likely in it.
    """
    options = view.options
    for option in range(64):
        wins[option] = 0.0
    if options & (options - ONE) == ZERO:
        return
    for _ in range(worlds):
        weight = 1.0
        if history.on:
            weight = likely_world(
                rules, public, hidden, view, brain, source, publics, privates, hiddens, world_view, history, pasts, log
            )
        else:
            publics[0] = public
            hiddens[0] = hidden
            imagine_far(rules, publics[0], view, privates[0], hiddens[0], source)
        rest = options
        while rest != ZERO:
            option = lowest(rest)
            rest &= rest - ONE
            publics[1] = publics[0]
            privates[1] = privates[0]
            hiddens[1] = hiddens[0]
            apply(rules, publics[1], privates[1], hiddens[1], option, off)
            if finish(rules, publics[1], privates[1], hiddens[1], world_view, brain, source, source, policy, off):
                wins[option] += weight


@merged
def best_option(rules, public, view, brain, wins):
    """Return the option with the most wins; of equals the one that `team` likes best."""
    best = lowest(view.options)
    if view.options & (view.options - ONE) == ZERO:
        return best
    team.prepare(rules, public, view, brain)
    most = -1.0
    liked = np.int64(-(1 << 62))
    rest = view.options
    while rest != ZERO:
        option = lowest(rest)
        rest &= rest - ONE
        points = dispatch.rate(rules, public, view, brain, option)
        if wins[option] > most or (wins[option] == most and points > liked):
            most = wins[option]
            liked = points
            best = option
    return best


@kernel
def search_choice(
    rules, public, hidden, view, brain, source, policy, worlds, publics, privates, hiddens, world_view, wins, history, pasts,
    log, off,
):  # fmt: skip
    """Return what `search` chooses of the decision in `view` (which keeps the options that are unlike), and remember it.

    policy: number of the fast policy that plays worlds out; worlds: samples a decision; publics, privates, hiddens,
    world_view, wins, history, pasts, off: see `new_worlds`; log: what happened in the round, on when inference is.
    """
    if history.tries != hidden.tries:
        # The round was dealt anew: what was chosen before never happened.
        history.tries = hidden.tries
        history.choices = 0
    narrow(rules, public, view)
    weigh(
        rules, public, hidden, view, brain, source, policy, worlds, publics, privates, hiddens, world_view, wins, history, pasts,
        log, off,
    )  # fmt: skip
    choice = best_option(rules, public, view, brain, wins)
    remember(history, pasts, public, view, log, choice)
    return choice


far(FAR_SEARCH, search_choice)


@merged
def play_round_by_search(
    rules, public, privates, hidden, view, brain, luck, source, policy, worlds, publics, privates2, hiddens, world_view, wins,
    history, pasts, log, off, seed_low, seed_high, round_number, deal_number, stop_early,
):  # fmt: skip
    """Play a round of a deal under `search` and return whether it was won: arguments of `search_choice` and `play_round`."""
    prepare(rules, public, privates, hidden, luck, source, seed_low, seed_high, round_number, deal_number)
    start(source, seed_low, seed_high, STREAM_SEARCH, round_number, deal_number)
    hidden.stop_early = stop_early
    view.prepared = -1
    log.rows = 0
    history.choices = 0
    for place in range(2):
        # Nothing of another deal's imagined worlds is left.
        clear(publics[place], privates2[place], hiddens[place])
    while advance(rules, public, privates, hidden, luck, log):
        look(rules, public, privates, hidden, view)
        choice = call_far(
            rules.far[FAR_SEARCH],
            (
                rules, public, hidden, view, brain, source, policy, worlds, publics, privates2, hiddens, world_view, wins,
                history, pasts, log, off,
            ),
        )  # fmt: skip
        apply(rules, public, privates, hidden, choice, log)
    return is_won(public, hidden)
