"""What `team` makes of cards that it sees in other hands, and of who will want a trick: features behind those of `features`.

A solo round, the pyramid and a hand laid open show what can still be played to a trick, which cards beat which, and what lies
where before characters and exchanges are chosen. A hidden hand that can take a trick is expected to do so only where that
helps more than leaving it. Nets without weights for these features never have them worked out (`BRAIN.wide`).
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, highest, inlined, kernel, lowest
from sim.tricks.policies.features import (
    CHARACTER_FEATURES,
    MOST_HAND,
    MOST_HIGHER,
    PARTNER_FEATURES,
    PASS_FEATURES,
    ROLE_KINDS,
    UNIT,
    masters_of,
    mean_power,
    open_hand,
    out_of_sight,
    outcome,
    role_cards,
    role_kinds,
    total_of,
)
from sim.tricks.rules import ABSOLUTE, OF_SELF, SEATS, TRICKS, TRICKS_WITH
from sim.tricks.table import NOBODY

UNWILLING = 26
"""How often a hidden hand wins a trick that it could leave and that helps nobody, in 128ths."""
FATAL_WEIGHT = 4
FIRST_OF_CHARACTER = CHARACTER_FEATURES
FIRST_OF_PASS = PASS_FEATURES
FIRST_OF_PARTNER = PARTNER_FEATURES
"""These features stand behind the others of their kind of decision; those of a card from 64 on."""
CARD_END = 96
CHARACTER_END = FIRST_OF_CHARACTER + 4 * ROLE_KINDS + 3
PASS_END = FIRST_OF_PASS + 4 * ROLE_KINDS + 11
PARTNER_END = FIRST_OF_PARTNER + 4 * ROLE_KINDS + 7
"""How many features a decision of each kind has, with these."""


@kernel
def look_at_hands(rules, public, view):
    """Write to view.sight what the person sees in every other hand, and to view.in_sight all of it."""
    me = view.seat
    view.in_sight = ZERO
    for seat in range(public.seats):
        cards = ZERO
        if seat != me:
            cards = public.shown[seat]
            if me == public.pyramid and seat == public.controller[me]:
                cards = view.hand
        view.sight[seat] = cards
        view.in_sight |= cards


@kernel
def tricks_lacking(public):
    """Return how many tricks all seats together still need."""
    lacking = 0
    for seat in range(public.seats):
        most = 0
        for term in range(public.terms[seat]):
            if public.measure[seat, term] == TRICKS and public.compare[seat, term] == ABSOLUTE:
                if public.scope[seat, term] == OF_SELF:
                    most = max(most, public.low[seat, term] - public.tricks_won[seat])
            elif public.measure[seat, term] == TRICKS_WITH:
                most = max(most, public.low[seat, term] - public.counter[seat, term])
        lacking += most
    return lacking


@kernel
def prepare_card(rules, public, view):
    """Work out what the options of a decision on a card share, after `features.prepare_card`."""
    look_at_hands(rules, public, view)
    me = view.seat
    if public.pyramid != NOBODY and public.pyramid != me:
        # Covered cards cannot be played yet.
        view.sight[public.pyramid] = public.uncovered
    for seat in range(public.seats):
        view.stakes[seat] = view.need[seat] - view.soft[seat] - FATAL_WEIGHT * view.fatal[seat]
    if view.lacking == NOBODY:
        view.lacking = tricks_lacking(public)
    view.foreseen = NOBODY
    view.lead_of = NOBODY
    x = view.x
    x[84] = masters_of(rules, view.held, view.unseen | view.in_sight) * 32
    x[83] = UNIT // max(1, public.plays_left[me])
    x[85] = (public.tricks - public.trick - view.lacking) * 32


@inlined
def worth(view, seat, cards):
    """Return what it is worth to the group that `seat` wins a trick of `cards` (mask)."""
    points = view.stakes[seat]
    if cards & view.special != ZERO:
        points += view.value[seat] * count(cards & view.wanted[seat])
        if cards & view.hated[seat] != ZERO:
            points -= FATAL_WEIGHT * UNIT
        if view.inside[seat] != ZERO:
            points += view.within[seat] if cards & view.inside[seat] != ZERO else view.without[seat]
    return points


@inlined
def chance_of(brain, public, view, other, cards):
    """Return the chance that the hidden hand of `other` holds one of `cards` (mask) at least."""
    n = min(count(cards & view.unseen), MOST_HIGHER)
    return int(np.int64(brain.chances[n, min(public.cards_left[other], MOST_HAND), total_of(view)]))


@kernel
def find_will(rules, public, view, brain, cards, best, winner, led_cards):
    """Write to view.will how likely each seat wins the trick `cards` that `best` leads for `winner`, given what each wants."""
    for seat in range(public.seats):
        view.will[seat] = 0
    suit_cards = rules.suit_mask[rules.suit_of[best]]
    higher = suit_cards & ~((bit(best) << ONE) - ONE)
    lower = suit_cards & (bit(best) - ONE)
    trumps = rules.trumps & ~led_cards
    here = worth(view, winner, cards)
    stays = UNIT
    for index in range(view.later_seats):
        other = view.later[index]
        willing = worth(view, other, cards) > here
        wins = 0
        seen = view.sight[other]
        if seen != ZERO:
            follows = seen & led_cards
            if follows == ZERO or other == public.free:
                follows = seen
            better = follows & higher
            if bit(best) & trumps == ZERO:
                better |= follows & trumps
            if better != ZERO and (willing or follows & ~better == ZERO):
                wins = UNIT
        elif view.known[other] & higher != ZERO:
            wins = UNIT if willing or view.known[other] & lower == ZERO else UNWILLING
        elif public.voids[other] & suit_cards == ZERO:
            wins = chance_of(brain, public, view, other, higher)
            if not willing:
                has_lower = chance_of(brain, public, view, other, lower)
                wins = (wins * (UNIT * UNIT - has_lower * (UNIT - UNWILLING))) >> 14
        elif trumps & view.unseen != ZERO and willing:
            wins = chance_of(brain, public, view, other, trumps)
        view.will[other] = (wins * stays) >> 7
        stays -= view.will[other]
    view.will[winner] += stays


@kernel
def look_at_lead(rules, public, view, leader):
    """Write to view.x what the person sees that `leader` could do with the next lead, and must do, when it wins this trick.

    The best that the lead may bring: that the leader wins with a card that nobody can beat, or another seat with a higher
    one; and how much harm its own unbeatable cards do to it.
    """
    me = view.seat
    hand = view.held if leader == me else view.sight[leader]
    x = view.x
    x[94] = 0
    x[95] = 0
    if hand == ZERO:
        return
    masters = masters_of(rules, hand, (view.unseen | view.in_sight | view.held) & ~hand)
    best = -8 * UNIT
    if masters > 0:
        best = max(best, view.stakes[leader])
    for suit in range(rules.suits):
        suit_cards = rules.suit_mask[suit]
        mine = hand & suit_cards
        if mine == ZERO:
            continue
        least = mine & (ZERO - mine)
        above = suit_cards & ~((least << ONE) - ONE)
        for other in range(public.seats):
            seen = view.held if other == me else view.sight[other]
            if other != leader and seen & above != ZERO:
                best = max(best, view.stakes[other])
    x[94] = best
    x[95] = (min(-view.stakes[leader], 4 * UNIT) * masters) // count(hand) if view.stakes[leader] < 0 else 0


@kernel
def expect(public, view, cards):
    """Write to view.x what to expect of the trick `cards` with the chances in view.will."""
    need = 0
    fatal = 0
    soft = 0
    for seat in range(SEATS):
        p = view.will[seat]
        need += p * view.need[seat]
        fatal += p * view.fatal[seat]
        soft += p * view.soft[seat]
    gains = 0
    lost = 0
    killed = 0
    hated = 0
    inside = 0
    asked = cards & view.special != ZERO
    if asked or view.any_inside:
        for seat in range(public.seats):
            p = view.will[seat]
            if p > 0:
                gained, away, dead, spoiled, within = outcome(public, view, seat, cards, asked)
                gains += p * gained
                lost += p * away
                killed += p * dead
                hated += p * spoiled
                inside += p * within
    x = view.x
    x[64] = need >> 7
    x[65] = fatal >> 7
    x[66] = soft >> 7
    x[67] = gains >> 7
    x[68] = lost >> 7
    x[69] = killed >> 7
    x[70] = hated
    x[71] = inside >> 7


@kernel
def expect_more(public, view, cards, likely, led_cards):
    """Write to view.x what later seats that the person sees can add to the trick `cards` for `likely`, who will win it."""
    theirs = ZERO
    value = 0
    for seat in range(public.seats):
        if seat != likely and view.card[seat] > 0:
            theirs |= view.wanted[seat]
            value = max(value, view.value[seat])
    adds = 0
    spoils = 0
    wastes = 0
    opens = 0
    for index in range(view.later_seats):
        other = view.later[index]
        may = view.sight[other]
        if may == ZERO:
            continue
        if may & led_cards != ZERO and other != public.free:
            may &= led_cards
        if may & view.wanted[likely] != ZERO:
            adds += view.value[likely]
        if may & ~view.hated[likely] == ZERO:
            spoils += UNIT
        if view.inside[likely] & may != ZERO and view.inside[likely] & cards == ZERO:
            opens += view.within[likely] - view.without[likely]
        if may & ~theirs == ZERO:
            wastes += value
    x = view.x
    x[74] = adds
    x[75] = spoils
    x[76] = wastes
    x[77] = opens


@kernel
def foresee(rules, public, view, brain, cards, led_cards, sure):
    """Write to view.x what to expect of the trick `cards` led by view.best; `sure`: nobody can take it from view.winner."""
    if sure:
        for seat in range(public.seats):
            view.will[seat] = 0
        view.will[view.winner] = UNIT
    else:
        find_will(rules, public, view, brain, cards, view.best, view.winner, led_cards)
    expect(public, view, cards)
    likely = view.winner
    for seat in range(public.seats):
        if view.will[seat] > view.will[likely]:
            likely = seat
    view.likely = likely
    if view.in_sight != ZERO:
        expect_more(public, view, cards, likely, led_cards)
    if view.lead_of != likely:
        look_at_lead(rules, public, view, likely)
        view.lead_of = likely
    view.x[72] = view.will[view.seat]
    view.x[73] = view.will[view.winner]
    view.x[93] = view.value[likely] if likely != view.seat else 0


@kernel
def card_features(rules, public, view, brain, slot, declared):
    """Write these features of playing `slot` (declared or not) to view.x, after `features.card_features`."""
    x = view.x
    me = view.seat
    card = bit(slot)
    cards = public.in_trick | card
    suit = rules.suit_of[slot]
    led = public.led_suit if public.led_suit != NOBODY else suit
    led_cards = rules.suit_mask[led]
    sure = declared or public.declared != NOBODY or cards & led_cards == ZERO
    # A card that does not lead the trick, and that no goal asks about, changes nothing of what will become of it.
    plain = card & view.special == ZERO and not sure
    if not plain or view.foreseen != view.best:
        foresee(rules, public, view, brain, cards, led_cards, sure)
        view.foreseen = view.best if plain else NOBODY
    likely = view.likely
    own_suit = rules.suit_mask[suit]
    higher = own_suit & ~((card << ONE) - ONE)
    above = higher & view.in_sight
    master = higher & (view.in_sight | view.unseen) == ZERO
    x[78] = count(above) * 32
    x[79] = count(own_suit & (card - ONE) & view.in_sight) * 32
    x[80] = UNIT if master else 0
    x[82] = view.need[me] if master else 0
    x[88] = count(own_suit & (view.in_sight | view.unseen)) * 8
    x[92] = UNIT if card & view.wanted[likely] != ZERO and likely != me else 0
    if view.in_sight == ZERO:
        return
    needs = 0
    beaten = 0
    void = 0
    if above != ZERO:
        top = bit(highest(above))
        for seat in range(public.seats):
            if view.sight[seat] & top != ZERO:
                needs = view.stakes[seat]
    if x[23] != 0:
        for index in range(view.later_seats):
            seen = view.sight[view.later[index]]
            if seen != ZERO:
                if seen & own_suit == ZERO:
                    void += 43
                elif seen & own_suit & ~higher == ZERO:
                    beaten += 43
    x[81] = max(-8 * UNIT, needs)
    x[86] = void
    x[87] = beaten
    x[89] = count(view.in_sight & own_suit & view.wanted[me]) * 32
    mine_too = ZERO
    if public.pyramid != NOBODY:
        if me == public.pyramid:
            mine_too = view.hand
        elif public.controller[public.pyramid] == me:
            mine_too = public.uncovered
    x[90] = count(mine_too & own_suit) * 16
    x[91] = UNIT if mine_too & higher != ZERO else 0


@kernel
def character_features(rules, public, view, role):
    """Write these features of taking the character `role`: the hand against those that others will choose for.

    `look_at_hands` went before, as for all setup decisions.
    """
    x = view.x
    power, low = mean_power(rules, view.held)
    named = role_cards(rules, public, NOBODY, role)
    mine = count(view.held & named)
    hands = 0
    power_there = 0
    low_there = 0
    named_there = 0
    most = 0
    for seat in range(public.seats):
        cards = view.sight[seat]
        if cards != ZERO and public.character[seat] == NOBODY:
            hands += 1
            there, few = mean_power(rules, cards)
            power_there += there
            low_there += few
            named_there += count(cards & named)
            most = max(most, count(cards & named))
    if hands == 0:
        power_there = power
        low_there = low
    else:
        power_there //= hands
        low_there //= hands
    kinds = role_kinds(rules, role)
    for kind in range(ROLE_KINDS):
        on = kinds >> kind & 1
        place = FIRST_OF_CHARACTER + 4 * kind
        x[place] = on * (power - power_there)
        x[place + 1] = on * (low - low_there)
        x[place + 2] = on * 32 * (mine - most if hands else 0)
        x[place + 3] = on * 32 * count(named & (view.in_sight | view.held))
    place = FIRST_OF_CHARACTER + 4 * ROLE_KINDS
    x[place] = 32 * named_there
    x[place + 1] = UNIT * hands // 4
    x[place + 2] = 32 * mine


@kernel
def prepare_pass(rules, public, view):
    """Work out what the cards that may be passed share, after `features.prepare_pass`."""
    look_at_hands(rules, public, view)
    view.unseen = out_of_sight(rules, public, view)


@kernel
def pass_features(rules, public, view, slot):
    """Write these features of passing the card `slot` from view.seat to view.partner."""
    x = view.x
    card = bit(slot)
    suit_cards = rules.suit_mask[rules.suit_of[slot]]
    higher = suit_cards & ~((card << ONE) - ONE)
    out = view.unseen | view.in_sight
    master = higher & out & ~card == ZERO
    partner = view.sight[view.partner]
    only = view.held & suit_cards & ~card == ZERO
    # The features of other kinds of goals stay at 0.
    mine = view.kinds[0]
    while mine != ZERO:
        place = FIRST_OF_PASS + 4 * lowest(mine)
        mine &= mine - ONE
        x[place] = UNIT if master else 0
        x[place + 2] = UNIT if only else 0
    theirs = view.kinds[1]
    while theirs != ZERO:
        place = FIRST_OF_PASS + 4 * lowest(theirs)
        theirs &= theirs - ONE
        x[place + 1] = UNIT if master else 0
        x[place + 3] = 16 * count(partner & suit_cards)
    place = FIRST_OF_PASS + 4 * ROLE_KINDS
    x[place] = UNIT if partner != ZERO else 0
    x[place + 1] = UNIT if partner != ZERO and partner & suit_cards == ZERO else 0
    x[place + 2] = 16 * count(higher & out)
    x[place + 3] = 16 * count(suit_cards & (card - ONE) & out)
    x[place + 4] = UNIT if view.held & higher == ZERO else 0
    x[place + 5] = UNIT if view.held & suit_cards & (card - ONE) == ZERO else 0
    x[place + 6] = 32 * count(view.held & view.named[0] & ~card) if card & view.named[0] != ZERO else 0
    x[place + 7] = 32 * count(partner & view.named[1])
    x[place + 8] = UNIT if card & view.named[1] != ZERO and partner & higher == ZERO else 0
    x[place + 9] = UNIT if view.named[1] & suit_cards != ZERO and card & view.named[1] == ZERO and master else 0
    x[place + 10] = UNIT if view.named[0] & suit_cards != ZERO and card & view.named[0] == ZERO and master else 0


@kernel
def partner_features(rules, public, view, other):
    """Write these features of exchanging between view.seat and `other`, or of letting `other` exchange (solo)."""
    x = view.x
    me = view.seat
    hand = open_hand(public, view, me)
    power, low = mean_power(rules, hand)
    seen = view.sight[other]
    if other == me:
        seen = hand
    power_there, low_there = mean_power(rules, seen)
    mine = role_kinds(rules, public.character[me])
    theirs = role_kinds(rules, public.character[other])
    for kind in range(ROLE_KINDS):
        place = FIRST_OF_PARTNER + 4 * kind
        x[place] = power if mine >> kind & 1 else 0
        x[place + 1] = power if theirs >> kind & 1 else 0
        x[place + 2] = power_there if theirs >> kind & 1 else 0
        x[place + 3] = low_there if theirs >> kind & 1 else 0
    place = FIRST_OF_PARTNER + 4 * ROLE_KINDS
    my_cards = role_cards(rules, public, me, public.character[me])
    their_cards = role_cards(rules, public, other, public.character[other])
    x[place] = 32 * count(my_cards & hand)
    x[place + 1] = 32 * count(my_cards & seen & ~hand)
    x[place + 2] = 32 * count(my_cards & (view.in_sight & ~seen))
    x[place + 3] = 32 * count(their_cards & seen)
    x[place + 4] = 32 * count(their_cards & hand & ~seen)
    x[place + 5] = 32 * count(their_cards & view.in_sight & ~seen)
    x[place + 6] = low
