"""What `team` looks at: numbers about an option, made from goal terms and public play, never from characters' names.

A card option is described by who will probably win the trick (from unseen higher cards, hand sizes and shown voids) and what
that does to everybody's goal (`sim.tricks.needs`), then by what the card is and what it leaves in hand. Setup options are
described by kinds of goal terms crossed with properties of the hand or card. Numbers are float32 of about -1 to 1.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, highest, inlined, kernel, lowest
from sim.tricks.needs import FATAL
from sim.tricks.rules import (
    CARDS,
    FEWEST,
    GIVE_EACH,
    KEPT_SUIT,
    LAST_CARD,
    NO_LIMIT,
    STREAK,
    TAKE_LOST,
    TRICKS,
)
from sim.tricks.table import NOBODY, at_left

CARD_FEATURES = 58
ROLE_KINDS = 8
HAND_STATS = 7
CHARACTER_FEATURES = ROLE_KINDS * HAND_STATS
PASS_FEATURES = 2 * ROLE_KINDS * 2 + 12
PARTNER_FEATURES = 2 * ROLE_KINDS + 4
WIDTH = 64
"""Room for the longest list of features."""

F0 = np.float32(0.0)
F1 = np.float32(1.0)
EIGHTH = np.float32(0.125)
QUARTER = np.float32(0.25)
THIRD = np.float32(1.0 / 3.0)
PER_POINT = np.float32(1.0 / 200.0)
PER_MILLE = np.float32(0.001)


@kernel
def out_of_sight(rules, public, view):
    """Return the cards that the deciding person cannot place: not played, not lost, not in hand, not face up, not known."""
    cards = rules.deck & ~public.played & ~public.lost & ~public.in_trick & ~view.hand
    for other in range(public.seats):
        cards &= ~public.shown[other] & ~view.known[other]
    return cards


@kernel
def win_chances(rules, public, view, best, winner):
    """Write to view.chance how likely each seat is to win the trick when `best` (a slot) leads it for `winner` so far.

    Face-up and known cards count fully; unseen higher cards lie with equal chance in every hidden hand of a later seat that
    has not shown a void.
    """
    for other in range(public.seats):
        view.chance[other] = F0
    suit_cards = rules.suit_mask[rules.suit_of[best]]
    higher = suit_cards & ~((bit(best) << ONE) - ONE)
    unseen = view.unseen
    hidden_higher = count(higher & unseen)
    total = np.float32(max(1, count(unseen)))
    stays = F1
    weights = F0
    for step in range(1, public.seats):
        other = at_left(view.seat, step, public.seats)
        if public.trick_card[other] != NOBODY or public.plays_left[other] == 0:
            continue
        beats = F0
        open_cards = public.shown[other]
        if other == public.pyramid:
            open_cards = public.uncovered
        if open_cards != ZERO:
            follows = open_cards & suit_cards
            if follows & higher != ZERO:
                beats = F1 if follows & ~higher == ZERO else np.float32(0.6)
        elif view.known[other] & higher != ZERO:
            beats = np.float32(0.7)
        elif public.voids[other] & suit_cards == ZERO and hidden_higher > 0:
            misses = F1 - min(F1, np.float32(public.cards_left[other]) / total)
            keep = F1
            for _ in range(hidden_higher):
                keep *= misses
            beats = F1 - keep
        view.chance[other] = beats
        weights += beats
        stays *= F1 - beats
    if weights > F0:
        for other in range(public.seats):
            view.chance[other] *= (F1 - stays) / weights
    view.chance[winner] = stays


@inlined
def _need(view, seat):
    return np.float32(max(0, view.trick[seat])) * PER_POINT


@inlined
def _fatal(view, seat):
    return F1 if view.trick[seat] <= -FATAL // 2 else F0


@inlined
def _soft(view, seat):
    points = view.trick[seat]
    return np.float32(-points) * PER_POINT if -FATAL // 2 < points < 0 else F0


@kernel
def _taken(public, view, seat, cards):
    """Return (points, goals) that the others lose when `seat` wins the cards of a trick."""
    lost = F0
    killed = F0
    for other in range(public.seats):
        if other != seat and view.card[other] > 0:
            n = count(cards & view.wanted[other] & ~view.wanted[seat])
            if n > view.spare[other]:
                killed += F1
            elif n > 0:
                lost += np.float32(n * view.card[other]) * PER_POINT
    return lost, killed


@kernel
def card_features(rules, public, view, slot, declared):
    """Write the features of playing `slot` (declared or not) to view.x; the card may already lie on the table."""
    x = view.x
    me = view.seat
    card = bit(slot)
    cards = public.in_trick | card
    led = public.led_suit
    leading = led == NOBODY or (public.led[me] & card and public.trick_card[me] == slot)
    if led == NOBODY:
        led = rules.suit_of[slot]
    suit = rules.suit_of[slot]
    own_suit = rules.suit_mask[suit]
    suit_cards = rules.suit_mask[led]
    hidden_lead = cards & suit_cards == ZERO
    if declared or public.declared != NOBODY or hidden_lead:
        best = slot
        winner = me if declared else public.declared
        if hidden_lead and winner == NOBODY:
            # The card that leads lies face down.
            winner = public.leader
        for other in range(public.seats):
            view.chance[other] = F0
        view.chance[winner] = F1
        view.chance_best = NOBODY
    else:
        best = highest(cards & suit_cards)
        winner = me
        if best != slot:
            for other in range(public.seats):
                if public.trick_card[other] == best:
                    winner = other
        if view.chance_best != best:
            win_chances(rules, public, view, best, winner)
            view.chance_best = best
    need = F0
    fatal = F0
    soft = F0
    gains = F0
    lost = F0
    killed = F0
    hated = F0
    inside = F0
    idle = F0
    needy = F0
    needy_seat = NOBODY
    for seat in range(public.seats):
        p = view.chance[seat]
        wants = _need(view, seat)
        if seat != me and wants > needy:
            needy = wants
            needy_seat = seat
        if p > F0:
            need += p * wants
            fatal += p * _fatal(view, seat)
            soft += p * _soft(view, seat)
            gains += p * np.float32(view.card[seat] * count(cards & view.wanted[seat])) * PER_POINT
            away, dead = _taken(public, view, seat, cards)
            lost += p * away
            killed += p * dead
            if cards & view.hated[seat] != ZERO:
                hated += p
            if view.inside[seat] != ZERO:
                value = view.inside_value[seat] if cards & view.inside[seat] != ZERO else view.outside_value[seat]
                inside += p * np.float32(max(-200, value)) * PER_POINT
            if view.trick[seat] == 0 and view.card[seat] == 0:
                idle += p
    p_me = view.chance[me]
    x[0] = need
    x[1] = fatal
    x[2] = soft
    x[3] = gains
    x[4] = lost
    x[5] = killed
    x[6] = hated
    x[7] = inside
    x[8] = idle
    x[9] = view.chance[winner]
    x[10] = p_me
    x[11] = _need(view, winner)
    x[12] = _fatal(view, winner)
    x[13] = _soft(view, winner)
    x[14] = np.float32(view.card[winner] * count(cards & view.wanted[winner])) * PER_POINT
    x[15] = killed if view.chance[winner] == F1 else F0
    need_me = _need(view, me)
    shy_me = _soft(view, me) + _fatal(view, me)
    x[16] = p_me * need_me
    x[17] = p_me * _fatal(view, me)
    x[18] = p_me * _soft(view, me)
    x[19] = need_me
    x[20] = shy_me
    rank = np.float32(rules.rank_of[slot]) * EIGHTH
    higher = own_suit & ~((card << ONE) - ONE)
    lower = own_suit & (card - ONE)
    unseen = view.unseen
    above = count(higher & unseen)
    master = F1 if above == 0 else F0
    hand = view.hand
    if me == public.pyramid:
        hand = public.shown[me]
    in_suit = hand & own_suit & ~card
    x[21] = rank
    x[22] = master
    x[23] = F1 if leading else F0
    x[24] = F1 if not leading and card & suit_cards == ZERO else F0
    x[25] = F1 if in_suit == ZERO else F0
    x[26] = np.float32(count(in_suit)) * EIGHTH
    x[27] = F1 if in_suit & higher == ZERO else F0
    x[28] = F1 if in_suit & lower == ZERO else F0
    x[29] = rank * need_me
    x[30] = rank * shy_me
    x[31] = master * need_me
    x[32] = master * shy_me
    x[33] = F1 if best == slot else F0
    x[34] = rank if best != slot else F0
    x[35] = np.float32(view.card[me]) * PER_POINT if card & view.wanted[me] != ZERO else F0
    by_others = F0
    brings = F0
    misses = F0
    hate = F0
    led_wanted = F0
    for seat in range(public.seats):
        value = np.float32(view.card[seat]) * PER_POINT
        if card & view.wanted[seat] != ZERO:
            if seat != me:
                by_others = max(by_others, value)
            brings += value * view.chance[seat]
            misses += value * (F1 - view.chance[seat])
        if card & view.hated[seat] != ZERO:
            hate = F1
        if leading:
            led_wanted += value * np.float32(count(unseen & own_suit & view.wanted[seat]))
    x[36] = by_others
    x[37] = hate
    kept = F0
    other_card = F0
    for term in range(public.terms[me]):
        if public.measure[me, term] == LAST_CARD:
            if card & public.term_cards[me, term] != ZERO:
                kept = F1 / np.float32(max(1, count(hand & public.term_cards[me, term] | card)))
            else:
                other_card = F1
    x[38] = kept
    x[39] = other_card
    x[40] = F1 if card == rules.declaring else F0
    x[41] = F1 if declared else F0
    x[42] = np.float32(count(cards & rules.locked)) * QUARTER
    x[43] = F1 if card & rules.locked != ZERO and not public.unlocked else F0
    x[44] = led_wanted
    void = 0
    later = 0
    for step in range(1, public.seats):
        other = at_left(me, step, public.seats)
        if public.trick_card[other] == NOBODY and public.plays_left[other] > 0:
            later += 1
            if public.voids[other] & suit_cards != ZERO:
                void += 1
    x[45] = np.float32(void) * THIRD if leading else F0
    x[46] = np.float32(public.trick) / np.float32(public.tricks)
    x[47] = np.float32(later) * THIRD
    x[48] = np.float32(count(unseen & own_suit)) * EIGHTH
    x[49] = np.float32(above) * QUARTER
    x[50] = np.float32(count(lower & unseen)) * QUARTER
    x[51] = needy
    x[52] = p_me * needy
    x[53] = view.chance[needy_seat] if needy_seat != NOBODY else F0
    x[54] = brings
    x[55] = misses
    x[56] = F1 if later == 0 else F0
    x[57] = shy_me * rank if best != slot else F0


@kernel
def role_kinds(rules, role):
    """Return what a character's goal and setup are made of, as a mask of ROLE_KINDS bits."""
    kinds = 0
    for term in range(rules.terms[role]):
        measure = rules.measure[role, term]
        if measure == TRICKS:
            if rules.compare[role, term] == FEWEST:
                kinds |= 1
            elif rules.high[role, term] < NO_LIMIT and rules.high_threat[role, term] == 0:
                kinds |= 2
            else:
                kinds |= 4
        elif measure == STREAK:
            kinds |= 2
        elif measure == CARDS and rules.low[role, term] > 0:
            kinds |= 16 if rules.by_threat[role, term] else 8
        elif measure == LAST_CARD:
            kinds |= 32
        elif measure == KEPT_SUIT:
            kinds |= 8
        else:
            kinds |= 4
    for action in range(rules.actions[role]):
        if rules.action[role, action] == TAKE_LOST:
            kinds |= 64
        elif rules.action[role, action] == GIVE_EACH:
            kinds |= 128
    return kinds


@kernel
def role_cards(rules, public, seat, role):
    """Return the cards that a character's goal names, with its threat when it is known, as a mask."""
    cards = ZERO
    for term in range(rules.terms[role]):
        if rules.measure[role, term] == CARDS or rules.measure[role, term] == LAST_CARD:
            one = rules.term_cards[role, term]
            if rules.by_threat[role, term]:
                if seat != NOBODY and public.threat[seat] > 0:
                    one &= rules.rank_mask[public.threat[seat]]
                else:
                    one &= rules.rank_mask[1] | rules.rank_mask[2] | rules.rank_mask[3] | rules.rank_mask[4]
            cards |= one
    return cards


@kernel
def open_hand(public, view, seat):
    """Return the cards of `seat` that the deciding person sees: its face-up cards, or else the own hand."""
    if public.shown[seat] != ZERO:
        return public.shown[seat]
    return view.hand


@kernel
def character_features(rules, public, view, role):
    """Write the features of taking the character `role`: kinds of its goal crossed with properties of the hand."""
    x = view.x
    hand = open_hand(public, view, view.seat)
    size = np.float32(max(1, count(hand)))
    power = F0
    low = F0
    rest = hand
    while rest != ZERO:
        slot = lowest(rest)
        rest &= rest - ONE
        rank = rules.rank_of[slot]
        power += np.float32(max(0, rank - 4))
        if rank <= 3:
            low += F1
    longest = 0
    empty = 0
    for suit in range(rules.suits):
        length = count(hand & rules.suit_mask[suit])
        longest = max(longest, length)
        if length == 0:
            empty += 1
    kinds = role_kinds(rules, role)
    named = np.float32(count(hand & role_cards(rules, public, NOBODY, role))) / size
    locked = np.float32(count(hand & rules.locked)) / size
    for kind in range(ROLE_KINDS):
        on = F1 if kinds >> kind & 1 else F0
        base = kind * HAND_STATS
        x[base] = on
        x[base + 1] = on * power / size
        x[base + 2] = on * low / size
        x[base + 3] = on * np.float32(longest) / size
        x[base + 4] = on * np.float32(empty) * QUARTER
        x[base + 5] = on * named
        x[base + 6] = on * locked


@kernel
def pass_features(rules, public, view, slot):
    """Write the features of passing the card `slot` from view.seat to view.partner."""
    x = view.x
    me = view.seat
    card = bit(slot)
    suit_cards = rules.suit_mask[rules.suit_of[slot]]
    hand = open_hand(public, view, me)
    rank = np.float32(rules.rank_of[slot]) * EIGHTH
    mine = role_kinds(rules, public.character[me])
    theirs = role_kinds(rules, public.character[view.partner])
    for kind in range(ROLE_KINDS):
        on = F1 if mine >> kind & 1 else F0
        x[2 * kind] = on * rank
        x[2 * kind + 1] = on if card & rules.locked != ZERO else F0
        on = F1 if theirs >> kind & 1 else F0
        x[2 * ROLE_KINDS + 2 * kind] = on * rank
        x[2 * ROLE_KINDS + 2 * kind + 1] = on if card & rules.locked != ZERO else F0
    base = 4 * ROLE_KINDS
    for part in range(2):
        seat = me if part == 0 else view.partner
        named = role_cards(rules, public, seat, public.character[seat])
        x[base + 3 * part] = F1 if card & named != ZERO else F0
        x[base + 3 * part + 1] = F1 if card & named != ZERO and count(named) <= 2 else F0
        x[base + 3 * part + 2] = F1 if named & suit_cards != ZERO and card & named == ZERO else F0
    others = ZERO
    for seat in range(public.seats):
        if seat != me and seat != view.partner and public.character[seat] != NOBODY:
            others |= role_cards(rules, public, seat, public.character[seat])
    x[base + 6] = F1 if card & others != ZERO else F0
    in_suit = count(hand & suit_cards & ~card)
    x[base + 7] = F1 if in_suit == 0 else F0
    x[base + 8] = np.float32(in_suit) * EIGHTH
    x[base + 9] = F1 if slot == view.received else F0
    x[base + 10] = rank
    x[base + 11] = F1 if card & rules.locked != ZERO else F0


@kernel
def partner_features(rules, public, view, other):
    """Write the features of exchanging between view.seat and `other`, or of letting `other` exchange (solo)."""
    x = view.x
    me = view.seat
    mine = role_kinds(rules, public.character[me])
    theirs = role_kinds(rules, public.character[other])
    for kind in range(ROLE_KINDS):
        x[kind] = F1 if theirs >> kind & 1 else F0
        x[ROLE_KINDS + kind] = F1 if theirs >> kind & 1 and (mine & 7) != (theirs & 7) else F0
    base = 2 * ROLE_KINDS
    named = role_cards(rules, public, other, public.character[other])
    hand = open_hand(public, view, me)
    x[base] = np.float32(count(hand & named)) * QUARTER
    x[base + 1] = F1 if public.shown[other] != ZERO else F0
    x[base + 2] = F1 if other == public.holder else F0
    x[base + 3] = F1 if other == at_left(public.holder, 1, public.seats) else F0
