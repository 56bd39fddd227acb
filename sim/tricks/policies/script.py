"""`script`: cooperative rules of thumb that a designer can read.

Every rule gives points to every option; the option with the most is taken. The rules speak of kinds of goal terms, never of
characters or chapters, and are listed with their advice in RULES_OF_THUMB, so that a transcript can quote the one that
tipped the scales (`explain`). Who will win the trick and what that means to everybody's goal is worked out in `judgement`.
It looks at its own hand, face-up and known cards and public play only, and draws no random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, highest, inlined, kernel, lowest
from sim.tricks.decisions import CARD, CHARACTER, DECLARE, EXCHANGER, GIVEN, PARTNER, RETURNED, TAKE
from sim.tricks.policies import judgement
from sim.tricks.policies.judgement import CERTAIN, foresee, look_round, share_out, weigh_goals, weigh_table
from sim.tricks.rules import ABSOLUTE, CARDS, FEWEST, LAST_CARD, LATE_TRICKS, NO_LIMIT, RANKS, SEATS, STREAK, TRICKS
from sim.tricks.table import NOBODY, at_left

VERSION = 2


@dataclass(frozen=True)
class Rule:
    """A rule of thumb: its number, a short name, and one sentence of advice."""

    number: int
    name: str
    advice: str


NO_RULE = 0
GIVE_TRICK = 1
SPARE = 2
FEED = 3
HOLD_BACK = 4
SAVE = 5
SHED = 6
EMPTY_SUIT = 7
LAST_SUIT = 8
DECLARE_LATE = 9
LURE = 10
TABOO = 11
HAND_FITS = 12
NAMED_FITS = 13
DIFFERENT = 14
STRONG_CARD = 15
NAMED_CARD = 16
LAST_CARDS = 17
EXCHANGE_EARLY = 18
TAKE_CARD = 19

RULES_OF_THUMB = (
    Rule(NO_RULE, "all alike", "No rule prefers one option: take the lowest."),
    Rule(GIVE_TRICK, "give the trick", "Let the seat win that still needs tricks, first the one that needs most of those left."),
    Rule(SPARE, "spare the shy", "Keep the trick from a seat that has won enough or must win the fewest."),
    Rule(FEED, "feed the collector", "Put cards that a goal collects into tricks that their collector will win."),
    Rule(HOLD_BACK, "hold wanted cards back", "Do not play a wanted card to a trick that somebody else will win."),
    Rule(SAVE, "save high cards", "Who needs tricks, or cards in them, wastes no high card on a trick of others."),
    Rule(SHED, "shed high cards", "Who wants no more tricks gets rid of high cards on tricks of others."),
    Rule(EMPTY_SUIT, "empty a suit", "Play the last card of a suit, to be free in it from then on."),
    Rule(LAST_SUIT, "keep for the last trick", "Keep cards of which one must be played last, the fewer the more."),
    Rule(DECLARE_LATE, "save the winning card", "Keep the card that wins when declared for a trick that is worth it."),
    Rule(LURE, "lure wanted cards", "Lead a suit with wanted cards out when their collector will win, and else not."),
    Rule(TABOO, "do not lead that", "Do not lead what one's goal forbids to lead."),
    Rule(HAND_FITS, "match goal and hand", "Take a goal that needs tricks with high cards, one that avoids them with low ones."),
    Rule(NAMED_FITS, "hold what the goal names", "Take a goal whose last card or collected cards are in hand already."),
    Rule(DIFFERENT, "trade with the opposite", "Exchange with the seat whose use for high cards differs most from one's own."),
    Rule(STRONG_CARD, "high cards to who needs them", "Pass high cards to goals that need tricks, low ones to others."),
    Rule(NAMED_CARD, "place the named cards", "Pass one of many collected cards to its collector, a single one away from it."),
    Rule(LAST_CARDS, "cards for the last trick", "Pass a card that can be played last to who must, and keep one's own."),
    Rule(EXCHANGE_EARLY, "exchange in turn", "When only one may exchange, let it be the first on the holder's left."),
    Rule(TAKE_CARD, "take the lost card", "Take a lost card whenever one may: it is one more to choose from."),
)  # fmt: skip
"""The rules of thumb, by number."""
RULES = len(RULES_OF_THUMB)
NOT_YET = 10**9

# Points of the rules in play, and (a rank, or a card) in setup: tuned by playing (docs/policies.md).
SLOPE = np.array([1, -40, -76, -36, 12, 8, -34], np.int64)
ALONE_LED = 26
ALONE = 28
KEEP_ONE = 2400
KEEP_TWO = 600
KEEP_THREE = 12
DECLARER = 800
LURED = 330
LURED_AWAY = 500
WANTED_ELSEWHERE = 85
RANK_USE = np.array([-140, 0, 55, 18, 40, -3, 40], np.int64)
TRADED_RANKS = 3
LAST_USE = 170
MANY_USE = 60
ONE_COST = 650
FIT = np.array([-36, 1, 120, 100, 24, 0, 5], np.int64)
FIT_START = np.array([95, 24, -110, -32, -65, -57, 16], np.int64)
FIT_LAST = 60
FIT_NAMED = 7
# End of points.

# Kinds of goals in setup: by what a hand is worth to them.
WINS_FEWEST = 0
WINS_SOME = 1
WINS_MANY = 2
COLLECTS_MANY = 3
COLLECTS_ONE = 4
PLAYS_LAST = 5
WINS_ONE = 6


@inlined
def thrift(rules, j, slot, mine):
    """Return the points for rank: of a card that loses the trick, by what its seat does with high cards (SAVE, SHED)."""
    return (rules.rank_of[slot] * SLOPE[j.own_mode] * (CERTAIN - mine)) >> 10


@inlined
def emptying(rest, leading):
    """Return the points for playing the last card of a suit; `rest`: the suit's other cards in hand."""
    points = ALONE_LED if leading else ALONE
    return points if rest == ZERO else 0


@inlined
def last_suit(j, card, keeping):
    """Return the points for playing one of the cards `keeping`, of which one must be played last."""
    if card & keeping:
        kept = count((j.hand | card) & keeping)
        if kept == 1:
            return -KEEP_ONE
        if kept == 2:
            return -KEEP_TWO
        if kept == 3:
            return -KEEP_THREE
    return 0


@inlined
def held(j, slot):
    """Return the points for letting a card go that others want: what it costs when they do not win it."""
    points = 0
    if bit(slot) & j.loved:
        for seat in range(SEATS):
            points -= 4 * j.price[seat] if bit(slot) & j.wanted[seat] else 0
        points -= WANTED_ELSEWHERE if bit(slot) & j.theirs else 0
    return points


@inlined
def lure(j, suit_cards):
    """Return the points for leading a suit in which wanted cards are out: who will get them."""
    points = 0
    out = j.unseen & suit_cards & j.loved
    if out:
        for seat in range(SEATS):
            tempting = j.chance[seat] * (LURED + LURED_AWAY) - CERTAIN * LURED_AWAY
            points += (j.card[seat] * count(out & j.wanted[seat]) * tempting) >> 17
    return points


@inlined
def side(rules, public, view, slot, leading):
    """Return the points of an option that do not hang on who wins, but for rank; j.chance must be worked out."""
    j = view.judgement
    me = view.seat
    card = bit(slot)
    own = rules.suit_mask[rules.suit_of[slot]]
    rest = j.hand & own & ~card
    points = thrift(rules, j, slot, j.chance[me]) + emptying(rest, leading)
    points += last_suit(j, card, j.kept[me]) + held(j, slot)
    if card == rules.declaring:
        points -= DECLARER
    if leading:
        points += lure(j, own)
        if card & j.taboo[me]:
            points -= 4 * judgement.HATED
    return points


@kernel
def top_trump(rules, public):
    """Return (top, holder) of the highest trump that lies in the trick, or -1 twice."""
    top = NOBODY
    holder = NOBODY
    if rules.trumps & public.in_trick:
        top = highest(rules.trumps & public.in_trick)
        for seat in range(SEATS):
            holder = seat if public.trick_card[seat] == top else holder
    return top, holder


@kernel
def expected(rules, public, view, slot, declared, suit, top, holder):
    """Return the points to expect from the trick when `slot` is played (or lies there), declared or not, times 4.

    suit: mask of the led suit; top, holder: the card that wins so far and its seat, or -1. view.judgement must have been
    prepared with `look_round` and `share_out`.
    """
    j = view.judgement
    card = bit(slot)
    if rules.trumps & (card | public.in_trick):
        suit = rules.trumps
        top, holder = top_trump(rules, public)
    special = card & j.loved & ~public.in_trick
    if special:
        weigh_table(j, public.in_trick | card)
    if declared or public.declared != NOBODY:
        winner = view.seat if declared else public.declared
        for seat in range(SEATS):
            j.chance[seat] = 0
        j.chance[winner] = CERTAIN
        points = 4 * j.worth[winner]
    else:
        beats = slot >= top and card & suit != ZERO
        points = foresee(public, view, slot if beats else top, view.seat if beats else holder, suit)
    if special:
        weigh_table(j, public.in_trick)
    return points


@inlined
def lying(rules, public):
    """Return (top, holder): the card that wins the trick so far and its seat, or -1 twice."""
    top = NOBODY
    holder = NOBODY
    if public.led_suit != NOBODY:
        lying_suit = public.in_trick & rules.suit_mask[public.led_suit]
        if lying_suit == ZERO:
            # The card that leads lies face down: it is taken to be the best.
            return highest(rules.suit_mask[public.led_suit]), public.leader
        top = highest(lying_suit)
        for seat in range(SEATS):
            holder = seat if public.trick_card[seat] == top else holder
    return top, holder


@inlined
def alike(j, me, card, own):
    """Return the cards of a suit (mask) that matter to everybody just as `card` does."""
    same = own
    if own & j.loved:
        for seat in range(SEATS):
            same &= ~(j.wanted[seat] ^ (~ZERO if card & j.wanted[seat] else ZERO))
            same &= ~(j.hated[seat] ^ (~ZERO if card & j.hated[seat] else ZERO))
            same &= ~(j.inside[seat] ^ (~ZERO if card & j.inside[seat] else ZERO))
    same &= ~(j.kept[me] ^ (~ZERO if card & j.kept[me] else ZERO))
    same &= ~(j.taboo[me] ^ (~ZERO if card & j.taboo[me] else ZERO))
    return same


@kernel
def choose_card(rules, public, view):
    """Return the card with the most points; of cards that win or lose alike only the one of the better rank is looked at."""
    j = view.judgement
    leading = public.led_suit == NOBODY
    rising = SLOPE[j.own_mode] > 0
    top, holder = lying(rules, public)
    losing = ZERO
    suit_cards = ZERO
    lost = 0
    if not leading:
        suit_cards = rules.suit_mask[public.led_suit]
        # Cards that cannot win: all the same to the trick, unless somebody wants them.
        losing = (~suit_cards | (bit(top) - ONE)) & ~rules.trumps
        if j.voids & suit_cards:
            share_out(public, view, suit_cards)
        j.chance[view.seat] = 0
        if view.options & (j.loved | ~losing | rules.declaring):
            lost = NOT_YET
    best = NOBODY
    most = -NOT_YET
    rest = view.options
    while rest != ZERO:
        slot = lowest(rest)
        card = bit(slot)
        rest &= rest - ONE
        own = rules.suit_mask[rules.suit_of[slot]]
        same = rest & own
        if same and card != rules.declaring:
            same &= alike(j, view.seat, card, own) & ~rules.declaring
            between = j.out & own & ~((card << ONE) - ONE)
            reach = losing if card & losing else (between & (~between + ONE)) - ONE
            same &= reach
            rest &= ~same
            slot = highest(same) if rising and same else slot
            card = bit(slot)
        if rest == ZERO and best == NOBODY:
            return slot
        if leading:
            suit_cards = own
            if j.voids:
                share_out(public, view, own)
        if card & losing & ~j.loved:
            if lost == NOT_YET:
                lost = expected(rules, public, view, slot, False, suit_cards, top, holder)
            j.chance[view.seat] = 0
            points = lost + side(rules, public, view, slot, False)
        else:
            points = expected(rules, public, view, slot, False, suit_cards, top, holder)
            points += side(rules, public, view, slot, leading)
        if card == rules.declaring and not rules.declare_after:
            declared = expected(rules, public, view, slot, True, suit_cards, top, holder)
            points = max(points, declared + side(rules, public, view, slot, leading))
        if points > most:
            most = points
            best = slot
    return best


@kernel
def rate(rules, public, view, slot, declared):
    """Return the points of playing `slot` (a legal card, or the one just played), declared or not."""
    top, holder = lying(rules, public)
    suit = rules.suit_mask[rules.suit_of[slot] if public.led_suit == NOBODY else public.led_suit]
    share_out(public, view, suit)
    leading = public.led_suit == NOBODY or public.leader == view.seat
    return expected(rules, public, view, slot, declared, suit, top, holder) + side(rules, public, view, slot, leading)


@kernel
def choose_declare(rules, public, view):
    """Return 1 when declaring brings more points than leaving it."""
    slot = public.trick_card[view.seat]
    return 1 if rate(rules, public, view, slot, True) > rate(rules, public, view, slot, False) else 0


# Setup --------------------------------------------------------------------------------------------------------------


@kernel
def goal_kind(rules, role):
    """Return the kind of a character's goal, by its first term that says something about the hand."""
    for term in range(rules.terms[role]):
        measure = rules.measure[role, term]
        low = rules.low[role, term]
        if measure == TRICKS:
            if rules.compare[role, term] == FEWEST:
                return WINS_FEWEST
            if rules.high[role, term] < NO_LIMIT:
                return WINS_SOME
            return WINS_ONE if low == 1 else WINS_MANY
        if measure == STREAK:
            return WINS_SOME
        if measure == LATE_TRICKS:
            return WINS_ONE
        if measure == LAST_CARD:
            return PLAYS_LAST
        if measure == CARDS and rules.compare[role, term] == ABSOLUTE and low > 0:
            return COLLECTS_MANY if low > 1 else COLLECTS_ONE
    return WINS_MANY


@inlined
def named(rules, public, seat, role, measure):
    """Return the cards that a character's terms of a measure ask for; none by threat while it is unknown."""
    cards = ZERO
    for term in range(rules.terms[role]):
        if rules.measure[role, term] == measure and (measure == LAST_CARD or rules.low[role, term] > 0):
            if not rules.by_threat[role, term]:
                cards |= rules.term_cards[role, term]
            elif seat != NOBODY and public.threat[seat] > 0:
                cards |= rules.term_cards[role, term] & rules.rank_mask[public.threat[seat]]
    return cards


@inlined
def strength(rules, hand):
    """Return the ranks above 4 of a hand's cards, per 100 cards."""
    power = 0
    for rank in range(5, RANKS):
        power += (rank - 4) * count(hand & rules.rank_mask[rank])
    return 100 * power // max(1, count(hand))


@inlined
def fit_of_rank(rules, power, role):
    """Return the points of a character for a hand of that strength."""
    kind = goal_kind(rules, role)
    return FIT[kind] * power + 100 * FIT_START[kind]


@inlined
def fit_of_cards(rules, public, hand, role):
    """Return the points of a character for cards in hand that its goal names."""
    points = 100 * FIT_LAST * count(hand & named(rules, public, NOBODY, role, LAST_CARD))
    return points + 100 * FIT_NAMED * count(hand & named(rules, public, NOBODY, role, CARDS))


@kernel
def choose_character(rules, public, view):
    """Return the character that the hand fits best."""
    hand = view.judgement.hand
    power = strength(rules, hand)
    best = lowest(view.options)
    most = -(10**9)
    rest = view.options
    while rest != ZERO:
        role = lowest(rest)
        rest &= rest - ONE
        points = fit_of_rank(rules, power, role) + fit_of_cards(rules, public, hand, role)
        if points > most:
            most = points
            best = role
    return best


@inlined
def gain_of_trade(rules, public, view, other):
    """Return what an exchange with a seat brings: by how much the two differ in their use for high cards."""
    one = RANK_USE[goal_kind(rules, public.character[view.seat])]
    two = RANK_USE[goal_kind(rules, public.character[other])]
    return TRADED_RANKS * max(one - two, two - one)


@inlined
def gain_of_named(rules, public, view, other):
    """Return what an exchange with a seat brings by a card in hand that its goal names."""
    role = public.character[other]
    hand = view.judgement.hand & ~rules.keeps[public.character[view.seat]]
    points = 0
    cards = named(rules, public, other, role, CARDS)
    if hand & cards and cards & (cards - ONE):
        points += MANY_USE
    if hand & named(rules, public, other, role, LAST_CARD):
        points += LAST_USE
    return points


@kernel
def choose_partner(rules, public, view):
    """Return the partner with whom an exchange brings most."""
    best = lowest(view.options)
    most = -1
    rest = view.options
    while rest != ZERO:
        other = lowest(rest)
        rest &= rest - ONE
        points = gain_of_trade(rules, public, view, other) + gain_of_named(rules, public, view, other)
        if points > most:
            most = points
            best = other
    return best


@inlined
def slope_of_pass(rules, public, me, partner):
    """Return the points per rank of a card that goes from `me` to `partner`."""
    return RANK_USE[goal_kind(rules, public.character[partner])] - RANK_USE[goal_kind(rules, public.character[me])]


@inlined
def collected(card, cards):
    """Return the points of a card in the hand of who collects `cards`."""
    if not card & cards:
        return 0
    return MANY_USE if cards & (cards - ONE) else -ONE_COST


@kernel
def choose_passed(rules, public, view):
    """Return the card that gains most by going from view.seat to view.partner, be it given or given back."""
    me = view.seat
    slope = slope_of_pass(rules, public, me, view.partner)
    roles = public.character[me], public.character[view.partner]
    my_last = named(rules, public, me, roles[0], LAST_CARD)
    my_cards = named(rules, public, me, roles[0], CARDS)
    their_last = named(rules, public, view.partner, roles[1], LAST_CARD)
    their_cards = named(rules, public, view.partner, roles[1], CARDS)
    special = my_last | my_cards | their_last | their_cards
    best = lowest(view.options)
    most = -(10**9)
    for suit in range(rules.suits):
        rest = view.options & rules.suit_mask[suit]
        plain = rest & ~special
        if plain:
            # Of plain cards of a suit one end is the best.
            slot = highest(plain) if slope > 0 else lowest(plain)
            rest = (rest & special) | bit(slot)
        while rest != ZERO:
            slot = lowest(rest)
            card = bit(slot)
            rest &= rest - ONE
            points = slope * rules.rank_of[slot]
            points += collected(card, their_cards) - collected(card, my_cards)
            if card & their_last:
                points += LAST_USE
            if card & my_last:
                points -= LAST_USE
            if points > most:
                most = points
                best = slot
    return best


@kernel
def choose_exchanger(rules, public, view):
    """Solo: let the first character on the holder's left exchange that may."""
    for step in range(1, rules.seats + 1):
        seat = at_left(public.holder, step, rules.seats)
        if view.options & bit(seat):
            return seat
    return lowest(view.options)


@inlined
def prepare(rules, public, view):
    """Work out what the options of a decision share."""
    kind = view.pending
    if kind == CARD or kind == DECLARE:
        if view.prepared != public.trick:
            weigh_goals(rules, public, view)
            view.prepared = public.trick
        look_round(rules, public, view)
    else:
        view.judgement.hand = public.shown[view.seat] if public.shown[view.seat] else view.hand


@kernel
def choose(rules, public, view):
    """Return the choice among view.options."""
    prepare(rules, public, view)
    kind = view.pending
    if kind == CARD:
        return choose_card(rules, public, view)
    if kind == DECLARE:
        return choose_declare(rules, public, view)
    if kind == CHARACTER:
        return choose_character(rules, public, view)
    if kind == EXCHANGER:
        return choose_exchanger(rules, public, view)
    if kind == PARTNER:
        return choose_partner(rules, public, view)
    if kind == TAKE:
        return 1
    return choose_passed(rules, public, view)


# Why ----------------------------------------------------------------------------------------------------------------

ACCOUNT = np.dtype([("points", np.int64, (RULES,)), ("rest", np.int64, (RULES,))])
"""Points by rule: of an option, and of the one that it is compared with."""


@kernel
def account_for_card(rules, public, view, slot, declared, account):
    """Write the points of a card by rule to account.points; their sum is `rate` but for rounding."""
    j = view.judgement
    points = account.points
    card = bit(slot)
    own = rules.suit_mask[rules.suit_of[slot]]
    rest = j.hand & own & ~card
    leading = public.led_suit == NOBODY or public.leader == view.seat
    for rule in range(RULES):
        points[rule] = 0
    rate(rules, public, view, slot, declared)
    weigh_table(j, public.in_trick | card)
    for seat in range(SEATS):
        chance = j.chance[seat]
        points[GIVE_TRICK if j.trick[seat] > 0 else SPARE] += (chance * j.trick[seat]) >> 8
        bonus = j.worth[seat] - j.trick[seat]
        points[FEED if bonus > 0 else HOLD_BACK] += (chance * bonus) >> 8
    weigh_table(j, public.in_trick)
    points[SHED if SLOPE[j.own_mode] > 0 else SAVE] += thrift(rules, j, slot, j.chance[view.seat])
    points[EMPTY_SUIT] += emptying(rest, leading)
    points[LAST_SUIT] += last_suit(j, card, j.kept[view.seat])
    points[HOLD_BACK] += held(j, slot)
    if card == rules.declaring:
        points[DECLARE_LATE] -= DECLARER
    if leading:
        points[LURE] += lure(j, own)
        if card & j.taboo[view.seat]:
            points[TABOO] -= 4 * judgement.HATED


@kernel
def account_for_pass(rules, public, view, slot, account):
    """Write the points of a card given or returned by rule to account.points."""
    points = account.points
    me = view.seat
    card = bit(slot)
    mine = public.character[me]
    theirs = public.character[view.partner]
    points[STRONG_CARD] = slope_of_pass(rules, public, me, view.partner) * rules.rank_of[slot]
    points[NAMED_CARD] = collected(card, named(rules, public, view.partner, theirs, CARDS))
    points[NAMED_CARD] -= collected(card, named(rules, public, me, mine, CARDS))
    points[LAST_CARDS] = LAST_USE if card & named(rules, public, view.partner, theirs, LAST_CARD) else 0
    points[LAST_CARDS] -= LAST_USE if card & named(rules, public, me, mine, LAST_CARD) else 0


@kernel
def account_for(rules, public, view, option, account):
    """Write an option's points by rule to account.points (record ACCOUNT) and return their sum; see `prepare`."""
    points = account.points
    for rule in range(RULES):
        points[rule] = 0
    kind = view.pending
    hand = view.judgement.hand
    if kind == CARD:
        declared = False
        if bit(option) == rules.declaring and not rules.declare_after:
            declared = rate(rules, public, view, option, True) > rate(rules, public, view, option, False)
        account_for_card(rules, public, view, option, declared, account)
    elif kind == DECLARE:
        account_for_card(rules, public, view, public.trick_card[view.seat], option == 1, account)
    elif kind == CHARACTER:
        points[HAND_FITS] = fit_of_rank(rules, strength(rules, hand), option)
        points[NAMED_FITS] = fit_of_cards(rules, public, hand, option)
    elif kind == PARTNER:
        points[DIFFERENT] = gain_of_trade(rules, public, view, option)
        points[NAMED_CARD] = gain_of_named(rules, public, view, option)
    elif kind == GIVEN or kind == RETURNED:
        account_for_pass(rules, public, view, option, account)
    elif kind == EXCHANGER:
        points[EXCHANGE_EARLY] = 1 if option == choose_exchanger(rules, public, view) else 0
    elif kind == TAKE:
        points[TAKE_CARD] = option
    total = 0
    for rule in range(RULES):
        total += points[rule]
    return total


@kernel
def explain(rules, public, view, account):
    """Return (choice, rule): what `choose` returns, and the rule that speaks most for it.

    That is the rule that puts the choice furthest ahead of the next best option; NO_RULE when no option has fewer points.
    account: record ACCOUNT, scratch.
    """
    choice = choose(rules, public, view)
    best = account_for(rules, public, view, choice, account)
    next_best = NOBODY
    most = -NOT_YET
    rest = view.options & ~bit(choice)
    while rest != ZERO:
        option = lowest(rest)
        rest &= rest - ONE
        total = account_for(rules, public, view, option, account)
        if most < total < best:
            most = total
            next_best = option
    why = NO_RULE
    if next_best != NOBODY:
        account_for(rules, public, view, next_best, account)
        for rule in range(RULES):
            account.rest[rule] = account.points[rule]
        account_for(rules, public, view, choice, account)
        ahead = 0
        for rule in range(RULES):
            if account.points[rule] - account.rest[rule] > ahead:
                ahead = account.points[rule] - account.rest[rule]
                why = rule
    return choice, why
