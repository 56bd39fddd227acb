"""What `team` looks at: numbers about an option, made from goal terms and public play, never from characters' names.

A card option is described by who will probably win the trick (from unseen higher cards, hand sizes and shown voids) and what
that does to everybody's goal (`sim.tricks.needs`), then by what the card is and what it leaves in hand. Setup options are
described by kinds of goal terms crossed with properties of the hand or card. Numbers are int16 in units of 1/128 (UNIT):
integers sum to the same on every machine, in whatever order its vector instructions take them.
"""

from __future__ import annotations

import functools
from math import comb

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, highest, inlined, kernel, lowest
from sim.tricks.decisions import AGAIN, AHEAD, AHEAD_WINS, FROM_PILE, KEPT, LEADER, RESERVED, THREAT, TUCKED, UNTUCK, WAY
from sim.tricks.goals import unplayed
from sim.tricks.needs import FATAL, find_needs, lacking
from sim.tricks.play import strongest
from sim.tricks.policies.plain import strong_cards
from sim.tricks.rules import (
    ABSOLUTE,
    CARDS,
    DISTINCT_RANKS,
    FEWEST,
    GIVE_EACH,
    KEPT_SUIT,
    LAST_CARD,
    LATE_TRICKS,
    LEADS,
    MORE,
    NO_LIMIT,
    RUN,
    SAME_RANK,
    SEATS,
    STREAK,
    TAKE_LOST,
    TEST_SUM,
    TEST_WINNER,
    TRICKS,
    TRICKS_WITH,
)
from sim.tricks.table import NOBODY, at_left

CARD_FEATURES = 64
ROLE_KINDS = 8
HAND_STATS = 7
CHARACTER_FEATURES = ROLE_KINDS * HAND_STATS
PASS_FEATURES = 2 * ROLE_KINDS * 2 + 12
PARTNER_FEATURES = 2 * ROLE_KINDS + 4
RARE_FEATURES = 56
NEAR = 64
"""Room for the longest list of these features; further ones stand behind it (`sim.tricks.policies.foresight`)."""
WIDTH = 96
"""Room for all features."""

UNIT = 128
"""1.0 as a feature; a chance of 1."""

MOST_HIGHER = 8
MOST_HAND = 14
MOST_UNSEEN = 47


@functools.cache
def chance_table() -> np.ndarray:
    """Return uint8 (9, 15, 48): the chance, in units of 1/128, that a hand of c of u unseen cards holds one of k of them."""
    table = np.zeros((MOST_HIGHER + 1, MOST_HAND + 1, MOST_UNSEEN + 1), np.uint8)
    for k in range(1, MOST_HIGHER + 1):
        for c in range(1, MOST_HAND + 1):
            for unseen in range(1, MOST_UNSEEN + 1):
                hand, wanted = min(c, unseen), min(k, unseen)
                table[k, c, unseen] = round(UNIT * (1 - comb(unseen - wanted, hand) / comb(unseen, hand)))
    return table


@inlined
def scaled(points):
    """Return points of `needs` in units of 1/128: 200 points are 1."""
    return (points * 41) >> 6


@inlined
def out_of_sight(rules, public, view):
    """Return the cards that the deciding person cannot place: not played, not lost, not in hand, not face up, not known."""
    placed = public.played | public.lost | public.in_trick | view.hand
    for other in range(SEATS):
        placed |= public.shown[other] | view.known[other]
    return rules.deck & ~placed


@kernel
def ranks_count(public):
    """Return whether some goal asks for ranks, so that neighbours in a suit are not alike."""
    for seat in range(public.seats):
        for term in range(public.terms[seat]):
            measure = public.measure[seat, term]
            if measure == SAME_RANK or measure == DISTINCT_RANKS or measure == RUN:
                return True
    return False


@kernel
def prepare_trick(rules, public, view):
    """Work out what all decisions of a trick share: everybody's needs and what the features make of them."""
    find_needs(rules, public, view)
    special = ZERO
    wanted = ZERO
    inside = ZERO
    named = ZERO
    for seat in range(public.seats):
        points = view.trick[seat]
        view.need[seat] = scaled(points) if points > 0 else 0
        view.fatal[seat] = UNIT if points <= -FATAL // 2 else 0
        view.soft[seat] = scaled(-points) if -FATAL // 2 < points < 0 else 0
        view.value[seat] = scaled(view.card[seat])
        view.idle[seat] = UNIT if points == 0 and view.card[seat] == 0 else 0
        view.within[seat] = scaled(max(-200, view.inside_value[seat]))
        view.without[seat] = scaled(max(-200, view.outside_value[seat]))
        if view.card[seat] != 0:
            wanted |= view.wanted[seat]
        special |= view.hated[seat]
        inside |= view.inside[seat]
        named |= view.wanted[seat]
    view.any_wanted = wanted
    view.special = special | wanted | inside
    view.any_inside = 1 if inside != ZERO else 0
    view.named_by_goals = view.special | named
    view.clock = public.trick * UNIT // public.tricks
    view.ranks_count = ranks_count(public)
    view.lacking = NOBODY
    view.prepared = public.trick


@inlined
def unbeaten(mine, theirs):
    """Return the cards of one suit (mask) that no card of `theirs`, of that suit, beats."""
    return mine if theirs == ZERO else mine & ~((bit(highest(theirs)) << ONE) - ONE)


@inlined
def masters_of(rules, hand, others):
    """Return how many cards of a hand (mask) no card of `others` (mask) beats in its suit."""
    masters = 0
    for suit in range(rules.suits):
        mine = hand & rules.suit_mask[suit]
        theirs = others & rules.suit_mask[suit]
        if mine != ZERO:
            masters += count(unbeaten(mine, theirs))
    return masters


@kernel
def best_suits(rules, public, view, low):
    """Return the cards in hand (mask) of the suits of which the seat needs the fewest more to have won `low`."""
    cards = ZERO
    fewest = NO_LIMIT
    unseen = unplayed(rules, public)
    for suit in range(rules.suits):
        suit_cards = rules.suit_mask[suit]
        mine = view.held & suit_cards
        # One of them is kept.
        missing = lacking(public, view.seat, suit_cards, low, count(unseen & suit_cards) - 1)
        if mine != ZERO and missing < NO_LIMIT and missing <= fewest:
            cards = mine if missing < fewest else cards | mine
            fewest = missing
    return cards


@kernel
def strongest_kept(rules, public, view):
    """Return the cards in hand (mask) that the fewest cards of others, as far as they may be, can beat."""
    others = view.unseen
    for seat in range(public.seats):
        if seat != view.seat:
            others |= public.shown[seat]
    cards = ZERO
    fewest = NO_LIMIT
    for suit in range(rules.suits):
        mine = view.held & rules.suit_mask[suit]
        if mine != ZERO:
            theirs = others & rules.suit_mask[suit]
            top = bit(highest(mine))
            above = count(theirs & ~((top << ONE) - ONE))
            if above < fewest:
                cards = ZERO
                fewest = above
            if above == fewest:
                cards |= top | unbeaten(mine, theirs)
    return cards


@kernel
def find_keep(rules, public, view):
    """Write to view.keep of which cards in hand one should stay to the end, and to view.shunned which must not be led."""
    me = view.seat
    view.keep = ZERO
    view.keeps = 0
    view.shunned = ZERO
    for term in range(public.terms[me]):
        measure = public.measure[me, term]
        if measure == LAST_CARD:
            view.keep |= public.term_cards[me, term]
            view.keeps = 1
        elif measure == KEPT_SUIT:
            view.keep |= best_suits(rules, public, view, public.low[me, term])
            view.keeps = 1
        elif measure == LATE_TRICKS:
            if public.counter[me, term] < public.low[me, term]:
                view.keep |= strongest_kept(rules, public, view)
                view.keeps = 1
        elif measure == LEADS:
            view.shunned |= public.term_cards[me, term]


@kernel
def prepare_card(rules, public, view):
    """Work out what the options of a decision on a card share."""
    if view.prepared != public.trick:
        prepare_trick(rules, public, view)
    view.unseen = out_of_sight(rules, public, view)
    view.chance_best = NOBODY
    view.expected_best = NOBODY
    me = view.seat
    hand = public.shown[me] if me == public.pyramid else view.hand
    view.held = hand
    masters = masters_of(rules, hand, view.unseen)
    view.masters = masters
    # Who still plays in this trick after the deciding seat.
    view.later_seats = 0
    for step in range(1, public.seats):
        other = at_left(me, step, public.seats)
        if public.trick_card[other] == NOBODY and public.plays_left[other] > 0:
            view.later[view.later_seats] = other
            view.later_seats += 1
    view.table_winner = NOBODY
    if public.led_suit != NOBODY:
        leading_card = strongest(rules, public.in_trick, rules.suit_mask[public.led_suit])
        for seat in range(public.seats):
            if public.trick_card[seat] == leading_card:
                view.table_winner = seat
    needy = 0
    view.needy_seat = NOBODY
    for seat in range(SEATS):
        if seat != me and view.need[seat] > needy:
            needy = view.need[seat]
            view.needy_seat = seat
    view.needy = needy
    view.shy = view.soft[me] + view.fatal[me]
    if view.without[me] < 0 and public.in_trick & view.inside[me] == ZERO:
        view.shy += UNIT
    find_keep(rules, public, view)
    view.lapses = 0
    if rules.reveal_test == TEST_SUM:
        # What the trick lacks of the sum that is asked for, with middling cards from those who still play.
        view.short = (public.revealed - 5 * view.later_seats) * 16
        rest = public.in_trick
        while rest != ZERO:
            view.short -= rules.rank_of[lowest(rest)] * 16
            rest &= rest - ONE
    leads = public.led_suit == NOBODY or public.leader == me
    x = view.x
    x[19] = view.need[me]
    x[20] = view.shy
    x[23] = UNIT if leads else 0
    x[46] = view.clock
    x[47] = view.later_seats * 43
    x[51] = needy
    x[56] = UNIT if view.later_seats == 0 else 0
    x[58] = masters * 32
    x[59] = UNIT if hand & rules.declaring != ZERO else 0
    x[61] = view.value[me]
    x[63] = UNIT if hand & view.hated[me] != ZERO else 0


@kernel
def with_trumps(rules, public, view, brain, best, other, led_cards, trumps, beats):
    """Return the chance that `other` beats `best` where a suit not led is trumps; `beats`: with a card of the suit of `best`."""
    better = trumps
    if bit(best) & trumps != ZERO:
        better &= ~((bit(best) << ONE) - ONE)
    open_cards = public.uncovered if other == public.pyramid else public.shown[other]
    if open_cards != ZERO:
        if open_cards & led_cards != ZERO and other != public.free:
            return 0 if bit(best) & trumps != ZERO else beats
        return UNIT if open_cards & better != ZERO else 0
    held = int(
        np.int64(
            brain.chances[min(count(better & view.unseen), MOST_HIGHER), min(public.cards_left[other], MOST_HAND), total_of(view)]
        )
    )
    if public.voids[other] & led_cards != ZERO:
        return held
    # Most follow suit: one in four has none of it, or so.
    return held >> 2 if bit(best) & trumps != ZERO else max(beats, held >> 2)


@inlined
def total_of(view):
    """Return how many cards are unseen, as far as the table of chances goes."""
    return min(count(view.unseen), MOST_UNSEEN)


@inlined
def reciprocal(weight):
    """Return r such that (n * r) >> 32 is n // weight for any n up to 128 * 128 and weight up to 4 * 128."""
    return (1 << 32) // weight + 1


@kernel
def win_chances(rules, public, view, brain, best, winner, led_cards):
    """Write to view.chance how likely each seat is to win the trick when `best` (a slot) leads it for `winner` so far.

    led_cards: the led suit (mask).

    Face-up and known cards count fully; unseen higher cards lie with equal chance in every hidden hand of a later seat that
    has not shown a void.
    """
    for other in range(public.seats):
        view.chance[other] = 0
    suit_cards = rules.suit_mask[rules.suit_of[best]]
    higher = suit_cards & ~((bit(best) << ONE) - ONE)
    hidden_higher = min(count(higher & view.unseen), MOST_HIGHER)
    total = total_of(view)
    trumps = rules.trumps & ~led_cards
    stays = UNIT
    weights = 0
    for index in range(view.later_seats):
        other = view.later[index]
        beats = 0
        open_cards = public.shown[other]
        if other == public.pyramid:
            open_cards = public.uncovered
        if open_cards != ZERO:
            follows = open_cards & suit_cards
            if follows & higher != ZERO:
                beats = UNIT if follows & ~higher == ZERO else 77
        elif view.known[other] & higher != ZERO:
            beats = 90
        elif public.voids[other] & suit_cards == ZERO:
            beats = int(np.int64(brain.chances[hidden_higher, min(public.cards_left[other], MOST_HAND), total]))
        if trumps != ZERO:
            beats = with_trumps(rules, public, view, brain, best, other, led_cards, trumps, beats)
        view.chance[other] = beats
        weights += beats
        stays = (stays * (UNIT - beats)) >> 7
    if weights > 0 and view.later_seats > 1:
        factor = (UNIT - stays) * reciprocal(weights)
        for index in range(view.later_seats):
            other = view.later[index]
            view.chance[other] = (view.chance[other] * factor) >> 32
    # A card turned up for the trick may rank above the best one: then nobody wins what this one wins.
    view.lapses = 1 if rules.reveal_test == TEST_WINNER and rules.rank_of[best] < public.revealed else 0
    view.chance[winner] = 0 if view.lapses else stays


@inlined
def taken(public, view, seat, cards):
    """Return (points, goals) that the others lose when `seat` wins the cards of a trick."""
    lost = 0
    killed = 0
    for other in range(public.seats):
        if other != seat and view.card[other] > 0:
            gone = cards & view.wanted[other] & ~view.wanted[seat]
            n = count(gone)
            if n > view.spare[other] or gone & view.urgent[other] != ZERO:
                killed += UNIT
            elif n > 0:
                lost += n * view.value[other]
    return lost, killed


@inlined
def outcome(public, view, seat, cards, asked):
    """Return (points gained, points the others lose, goals they lose, 1 when a hated card is won, points of cards inside).

    Of `seat` winning a trick of `cards` (mask); points and goals in units of 1/128. asked: whether to look for wanted cards; then
    a goal that is lost already counts as one they lose.
    """
    gains = 0
    away = 0
    dead = 0
    if asked:
        gains = view.value[seat] * count(cards & view.wanted[seat])
        away, dead = taken(public, view, seat, cards)
    hated = 1 if cards & view.hated[seat] != ZERO else 0
    inside = 0
    if view.inside[seat] != ZERO:
        inside = view.within[seat] if cards & view.inside[seat] != ZERO else view.without[seat]
    return gains, away, dead, hated, inside


@kernel
def expect(public, view, cards, winner):
    """Write to view.x what to expect of the trick `cards`, which `winner` leads, with the chances in view.chance."""
    need = 0
    fatal = 0
    soft = 0
    idle = 0
    # Over all four places, taken or not, so that the loop is unrolled: nobody wins from an empty one.
    for seat in range(SEATS):
        p = view.chance[seat]
        need += p * view.need[seat]
        fatal += p * view.fatal[seat]
        soft += p * view.soft[seat]
        idle += p * view.idle[seat]
    gains = 0
    lost = 0
    killed = 0
    hated = 0
    inside = 0
    if view.any_inside or cards & view.special != ZERO:
        asked = cards & view.any_wanted != ZERO
        for seat in range(public.seats):
            p = view.chance[seat]
            if p > 0:
                gained, away, dead, spoiled, within = outcome(public, view, seat, cards, asked)
                gains += p * gained
                lost += p * away
                killed += p * dead
                hated += p * spoiled
                inside += p * within
    x = view.x
    x[0] = need >> 7
    x[1] = fatal >> 7
    x[2] = soft >> 7
    x[3] = gains >> 7
    x[4] = lost >> 7
    x[5] = killed >> 7
    x[6] = hated
    x[7] = inside >> 7
    x[8] = idle >> 7
    me = view.seat
    p_me = view.chance[me]
    p_winner = view.chance[winner]
    x[9] = p_winner
    x[10] = p_me
    x[11] = view.need[winner]
    x[12] = view.fatal[winner]
    x[13] = view.soft[winner]
    x[14] = view.value[winner] * count(cards & view.wanted[winner])
    x[15] = x[5] if p_winner == UNIT else 0
    x[16] = (p_me * view.need[me]) >> 7
    x[17] = (p_me * view.fatal[me]) >> 7
    x[18] = (p_me * view.soft[me]) >> 7
    x[52] = (p_me * view.needy) >> 7
    x[53] = view.chance[view.needy_seat] if view.needy_seat != NOBODY else 0


@kernel
def card_features(rules, public, view, brain, slot, declared):
    """Write the features of playing `slot` (declared or not) to view.x; the card may already lie on the table."""
    x = view.x
    me = view.seat
    card = bit(slot)
    cards = public.in_trick | card
    led = public.led_suit
    leading = x[23] != 0
    suit = rules.suit_of[slot]
    if led == NOBODY:
        led = suit
    own_suit = rules.suit_mask[suit]
    suit_cards = rules.suit_mask[led]
    best = slot
    winner = me
    hidden_lead = cards & suit_cards == ZERO
    if declared or public.declared != NOBODY or hidden_lead:
        winner = me if declared else public.declared
        if hidden_lead and winner == NOBODY:
            # The card that leads lies face down.
            winner = public.leader
        for other in range(public.seats):
            view.chance[other] = 0
        view.chance[winner] = UNIT
        view.chance_best = NOBODY
        view.expected_best = NOBODY
        expect(public, view, cards, winner)
    else:
        best = strongest(rules, cards, suit_cards)
        if best != slot:
            winner = view.table_winner
        if view.chance_best != best:
            win_chances(rules, public, view, brain, best, winner, suit_cards)
            view.chance_best = best
            view.expected_best = NOBODY
        if card & view.special != ZERO:
            view.expected_best = NOBODY
            expect(public, view, cards, winner)
        elif view.expected_best != best:
            view.expected_best = best
            expect(public, view, cards, winner)
    view.best = best
    view.winner = winner
    need_me = view.need[me]
    shy_me = view.shy
    rank = rules.rank_of[slot] * 16
    higher = own_suit & ~((card << ONE) - ONE)
    lower = own_suit & (card - ONE)
    unseen = view.unseen
    above = count(higher & unseen)
    hand = view.held
    in_suit = hand & own_suit & ~card
    x[21] = rank
    x[22] = UNIT if above == 0 else 0
    x[24] = UNIT if not leading and card & suit_cards == ZERO else 0
    x[25] = UNIT if in_suit == ZERO else 0
    x[26] = count(in_suit) * 16
    x[27] = UNIT if in_suit & higher == ZERO else 0
    x[28] = UNIT if in_suit & lower == ZERO else 0
    x[29] = (rank * need_me) >> 7
    x[30] = (rank * shy_me) >> 7
    x[31] = UNIT if leading and card & view.shunned != ZERO else 0
    x[32] = UNIT if view.lapses else 0
    x[33] = UNIT if best == slot else 0
    x[34] = rank if best != slot else 0
    x[35] = view.value[me] if card & view.wanted[me] != ZERO else 0
    by_others = 0
    brings = 0
    misses = 0
    hate = 0
    spare = 0
    if card & view.special != ZERO:
        for seat in range(public.seats):
            value = view.value[seat]
            if card & view.wanted[seat] != ZERO:
                if seat != me:
                    by_others = max(by_others, value)
                brings += value * view.chance[seat]
                misses += value * (UNIT - view.chance[seat])
                spare = max(spare, UNIT - 32 * min(4, max(0, view.spare[seat])))
                if card & view.urgent[seat] != ZERO:
                    spare = UNIT
            if card & view.hated[seat] != ZERO:
                hate = UNIT
    x[36] = by_others
    x[37] = hate
    kept = 0
    other_card = 0
    if view.keeps:
        if card & view.keep != ZERO:
            kept = UNIT // max(1, count(hand & view.keep | card))
        else:
            other_card = UNIT
    x[38] = kept
    x[39] = other_card
    x[40] = UNIT if card == rules.declaring else 0
    x[41] = UNIT if declared else 0
    x[42] = count(cards & rules.locked) * 32
    x[43] = UNIT if card & rules.locked != ZERO and not public.unlocked else 0
    x[44] = view.short - rank if rules.reveal_test == TEST_SUM else 0
    void = 0
    if leading:
        for index in range(view.later_seats):
            if public.voids[view.later[index]] & suit_cards != ZERO:
                void += 43
    x[45] = void
    x[48] = UNIT if card & rules.trumps != ZERO else 0
    x[49] = above * 32
    x[50] = count(lower & unseen) * 32
    x[54] = brings >> 7
    x[55] = misses >> 7
    x[57] = (shy_me * rank) >> 7 if best != slot else 0
    x[60] = spare
    x[62] = count(hand & own_suit & view.wanted[me]) * 32 if leading else 0


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
        measure = rules.measure[role, term]
        # A goal that must not win cards names none in this sense.
        asks = rules.low[role, term] > 0 or rules.by_threat[role, term] or rules.compare[role, term] != ABSOLUTE
        if measure == LAST_CARD or ((measure == CARDS or measure == TRICKS_WITH or measure == RUN) and asks):
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


@inlined
def mean_power(rules, hand):
    """Return the mean of what each card of a hand (mask) has above 4, in units of 1/128, and the share of ranks up to 3."""
    power = 0
    low = 0
    rest = hand
    while rest != ZERO:
        rank = rules.rank_of[lowest(rest)]
        rest &= rest - ONE
        power += max(0, rank - 4)
        if rank <= 3:
            low += 1
    size = max(1, count(hand))
    return UNIT * power // size, UNIT * low // size


@kernel
def prepare_characters(rules, public, view):
    """Work out the properties of the hand that a character is chosen for."""
    hand = open_hand(public, view, view.seat)
    view.held = hand
    size = max(1, count(hand))
    power, low = mean_power(rules, hand)
    longest = 0
    empty = 0
    for suit in range(rules.suits):
        length = count(hand & rules.suit_mask[suit])
        longest = max(longest, length)
        if length == 0:
            empty += 1
    view.expected[0] = UNIT
    view.expected[1] = power
    view.expected[2] = low
    view.expected[3] = UNIT * longest // size
    view.expected[4] = 32 * empty
    view.expected[6] = UNIT * count(hand & rules.locked) // size
    view.expected[8] = size


@kernel
def character_features(rules, public, view, role):
    """Write the features of taking the character `role`: kinds of its goal crossed with properties of the hand."""
    x = view.x
    view.expected[5] = UNIT * count(view.held & role_cards(rules, public, NOBODY, role)) // view.expected[8]
    kinds = role_kinds(rules, role)
    for kind in range(ROLE_KINDS):
        on = kinds >> kind & 1
        for stat in range(HAND_STATS):
            x[kind * HAND_STATS + stat] = on * view.expected[stat]


@kernel
def prepare_pass(rules, public, view):
    """Work out what the cards that may be passed from view.seat to view.partner share."""
    me = view.seat
    view.held = open_hand(public, view, me)
    view.kinds[0] = np.uint64(role_kinds(rules, public.character[me]))
    view.kinds[1] = np.uint64(role_kinds(rules, public.character[view.partner]))
    view.named[0] = role_cards(rules, public, me, public.character[me])
    view.named[1] = role_cards(rules, public, view.partner, public.character[view.partner])
    others = ZERO
    for seat in range(public.seats):
        if seat != me and seat != view.partner and public.character[seat] != NOBODY:
            others |= role_cards(rules, public, seat, public.character[seat])
    view.named[2] = others


@kernel
def pass_features(rules, public, view, slot):
    """Write the features of passing the card `slot` from view.seat to view.partner; prepare left those of other kinds at 0."""
    x = view.x
    card = bit(slot)
    suit_cards = rules.suit_mask[rules.suit_of[slot]]
    rank = rules.rank_of[slot] * 16
    locked = UNIT if card & rules.locked != ZERO else 0
    base = 4 * ROLE_KINDS
    for part in range(2):
        kinds = view.kinds[part]
        while kinds != ZERO:
            place = 2 * (part * ROLE_KINDS + lowest(kinds))
            kinds &= kinds - ONE
            x[place] = rank
            x[place + 1] = locked
        named = view.named[part]
        x[base + 3 * part] = UNIT if card & named != ZERO else 0
        x[base + 3 * part + 1] = UNIT if card & named != ZERO and count(named) <= 2 else 0
        x[base + 3 * part + 2] = UNIT if named & suit_cards != ZERO and card & named == ZERO else 0
    x[base + 6] = UNIT if card & view.named[2] != ZERO else 0
    in_suit = count(view.held & suit_cards & ~card)
    x[base + 7] = UNIT if in_suit == 0 else 0
    x[base + 8] = in_suit * 16
    x[base + 9] = UNIT if slot == view.received else 0
    x[base + 10] = rank
    x[base + 11] = locked


@kernel
def partner_features(rules, public, view, other):
    """Write the features of exchanging between view.seat and `other`, or of letting `other` exchange (solo)."""
    x = view.x
    me = view.seat
    mine = role_kinds(rules, public.character[me])
    theirs = role_kinds(rules, public.character[other])
    for kind in range(ROLE_KINDS):
        on = UNIT if theirs >> kind & 1 else 0
        x[kind] = on
        x[ROLE_KINDS + kind] = on if (mine & 7) != (theirs & 7) else 0
    base = 2 * ROLE_KINDS
    named = role_cards(rules, public, other, public.character[other])
    hand = open_hand(public, view, me)
    x[base] = count(hand & named) * 32
    x[base + 1] = UNIT if public.shown[other] != ZERO else 0
    x[base + 2] = UNIT if other == public.holder else 0
    x[base + 3] = UNIT if other == at_left(public.holder, 1, public.seats) else 0


RARE_CARDS = (FROM_PILE, TUCKED, RESERVED, AHEAD)
"""Rare decisions on a card; each has eight features of its own."""


@kernel
def prepare_rare(rules, public, view):
    """Work out what the options of a decision that only some chapters ask share."""
    if view.prepared != public.trick and public.tricks > 0:
        prepare_trick(rules, public, view)
    view.held = open_hand(public, view, view.seat)
    view.expected[0] = 16 * strong_cards(rules, view.held)
    view.expected[1] = 16 * max(public.threat[view.seat], view.threat[view.seat])
    role = public.character[view.seat]
    inside = ZERO
    for term in range(rules.terms[role]):
        if rules.measure[role, term] == TRICKS_WITH:
            inside |= rules.term_cards[role, term]
    view.named[0] = role_cards(rules, public, view.seat, role)
    view.named[1] = inside
    view.named[2] = suits_by_threat(rules, role)


@kernel
def suits_by_threat(rules, role):
    """Return the cards (mask) of the suits in which a character's threat names its cards."""
    cards = ZERO
    for term in range(rules.terms[role]):
        if rules.by_threat[role, term]:
            cards |= rules.term_cards[role, term]
    return cards


@kernel
def rare_features(rules, public, view, option):
    """Write the features of an option of a decision that only some chapters ask: numbers, yes or no, cards, seats."""
    x = view.x
    for i in range(NEAR):
        x[i] = 0
    kind = view.pending
    me = view.seat
    strong = view.expected[0]
    threat = view.expected[1]
    if kind == THREAT or kind == KEPT:
        named = view.held & view.named[2] & rules.rank_mask[option]
        x[0] = 16 * option
        x[1] = 16 * option - strong
        x[2] = abs(16 * option - strong)
        x[3] = UNIT if named != ZERO else 0
        x[4] = UNIT if kind == KEPT else 0
    elif kind == AGAIN:
        if option == 1:
            x[5] = UNIT
            x[6] = threat
            x[7] = abs(threat - strong)
            x[8] = UNIT if view.held & view.named[0] != ZERO else 0
    elif kind == WAY:
        sign = 1 if option == MORE else -1
        x[9] = sign * UNIT
        x[10] = sign * (strong - threat)
        x[11] = sign * threat
    elif kind == UNTUCK:
        if option == 1:
            x[44] = UNIT
            x[45] = view.clock
            x[46] = UNIT if view.tucked & view.named[1] != ZERO else 0
            x[47] = view.need[me]
    elif kind == AHEAD_WINS:
        x[48] = UNIT * option
    elif kind == LEADER:
        x[49] = view.need[option]
        x[50] = view.soft[option] + view.fatal[option]
        x[51] = UNIT if option == me else 0
        x[52] = view.value[option]
        x[53] = view.idle[option]
        x[54] = view.need[me] if option == me else 0
        x[55] = 16 * public.cards_left[option]
    else:
        place = 12
        for index in range(4):
            if kind == RARE_CARDS[index]:
                place = 12 + 8 * index
        card = bit(option)
        in_suit = count(view.held & rules.suit_mask[rules.suit_of[option]] & ~card)
        x[place] = rules.rank_of[option] * 16
        x[place + 1] = in_suit * 16
        x[place + 2] = UNIT if in_suit == 0 else 0
        x[place + 3] = UNIT if card & view.named[0] != ZERO else 0
        x[place + 4] = UNIT if card & view.named[1] != ZERO else 0
        x[place + 5] = UNIT if card & rules.locked != ZERO else 0
        x[place + 6] = UNIT if card == rules.declaring else 0
        x[place + 7] = UNIT if card & rules.trumps != ZERO else 0
