"""Verdicts on goals from bounds: what a measure is at least and at most, whatever is still played.

A term is met when every value within its bounds satisfies it, failed when none does, open otherwise. Bounds use what lies
open (cards won, cards not yet played, tricks left) and the cards that the seat itself may still hold, so that the same
code serves the truth about a goal (the seat's real hand) and anybody's view of it (all cards out of sight). They are
sound: a goal that can still be met is never called failed, nor one that can still fail called met. At the end of the
round they coincide. Goals: rules of the scenario; method: design, "goals are terms with bounds".
"""

from __future__ import annotations

from sim.core.jit import ZERO, bit, count, inlined, kernel
from sim.tricks.rules import (
    ABSOLUTE,
    BETWEEN,
    CARDS,
    DISTINCT_RANKS,
    FEWEST,
    KEPT_SUIT,
    LAST_CARD,
    LATE_TRICKS,
    LEADS,
    MOST,
    NO_LIMIT,
    OF_EACH_OTHER,
    OF_SELF,
    RANKS,
    RUN,
    SAME_RANK,
    STREAK,
    TRICKS,
    TRICKS_WITH,
    TRICKS_WITHOUT,
)
from sim.tricks.table import FAILED, MET, NOBODY, OPEN


@inlined
def unplayed(rules, public):
    """Return the cards that were neither played nor lie lost, as a mask."""
    return rules.deck & ~public.played & ~public.lost


@inlined
def within(low, high, wanted_low, wanted_high):
    """Return the verdict on a measure that ends between `low` and `high` and should end within the wanted bounds."""
    if high < wanted_low or low > wanted_high:
        return FAILED
    if low >= wanted_low and high <= wanted_high:
        return MET
    return OPEN


@inlined
def forced_tricks(public, seat):
    """Return how many tricks a seat is sure to win because nobody else has cards left for them."""
    if not public.uneven or public.may_lapse:
        return 0
    most = 0
    for other in range(public.seats):
        if other != seat:
            most = max(most, public.plays_left[other])
    return max(0, public.plays_left[seat] - most)


@kernel
def gain(public, seat, cards, own):
    """Return an upper bound on the cards of the mask `cards` (all unplayed) that `seat` can still win.

    It wins at most plays_left tricks, each with one card of every seat that still plays; its own cards come from `own`.
    """
    tricks = public.plays_left[seat]
    if tricks == 0:
        return 0
    from_others = 0
    for other in range(public.seats):
        if other != seat:
            from_others += min(public.plays_left[other], tricks)
    mine = count(cards & own)
    # A hand that may still change holds any of its cards, or another seat does.
    if public.draws_left[seat] == 0 and not public.unsure & bit(seat):
        mine = min(mine, tricks)
    return min(mine + min(count(cards & ~own), from_others), tricks + from_others)


@kernel
def any_gain(public, seat, cards):
    """Return an upper bound on the cards of the mask `cards` (all unplayed) that `seat`, whose hand is not known, can win."""
    tricks = public.plays_left[seat]
    plays = 0
    for other in range(public.seats):
        plays += min(public.plays_left[other], tricks)
    return min(count(cards), plays)


@inlined
def cards_won(public, seat, cards):
    """Return how many cards of the mask count for `seat`: won by it, or by a seat that lends them."""
    total = count(public.won[seat] & cards)
    lender = public.lender[seat]
    if lender != NOBODY:
        total += count(public.won[lender] & cards & public.lent[seat])
    return total


@kernel
def cards_gain(public, seat, cards, own):
    """Return an upper bound on the cards of the mask that can still come to count for `seat`."""
    more = gain(public, seat, cards, own)
    lender = public.lender[seat]
    if lender != NOBODY:
        more = min(count(cards), more + any_gain(public, lender, cards & public.lent[seat]))
    return more


@inlined
def fewest_tricks(public, seat, ties):
    """Return the verdict on winning fewer tricks than every other seat (or as few, with ties)."""
    strict = 1 - ties
    left = public.tricks - public.trick
    mine = public.tricks_won[seat]
    sure = forced_tricks(public, seat)
    needed = 0
    met = True
    for other in range(public.seats):
        if other != seat:
            theirs = public.tricks_won[other]
            short = max(0, mine + sure + strict - theirs)
            if short > public.plays_left[other]:
                return FAILED
            needed += short
            if mine + public.plays_left[seat] + strict > theirs:
                met = False
    if needed > left - sure:
        return FAILED
    return MET if met else OPEN


@kernel
def most_of(public, seat, measure, cards, own, ties):
    """Return the verdict on having more (or as many, with ties) tricks or cards than every other seat."""
    strict = 1 - ties
    met = True
    for other in range(public.seats):
        if other != seat:
            if measure == TRICKS:
                low = public.tricks_won[seat] + forced_tricks(public, seat)
                high = public.tricks_won[seat] + public.plays_left[seat]
                their_low = public.tricks_won[other]
                their_high = their_low + public.plays_left[other]
            else:
                low = count(public.won[seat] & cards)
                unseen = cards & ~public.played & ~public.lost
                high = low + gain(public, seat, unseen, own)
                their_low = count(public.won[other] & cards)
                their_high = their_low + any_gain(public, other, unseen)
            if high < their_low + strict:
                return FAILED
            if low < their_high + strict:
                met = False
    return MET if met else OPEN


@kernel
def fewest_cards(public, seat, cards, own, ties):
    """Return the verdict on winning fewer (or as few, with ties) cards of the mask than every other seat."""
    strict = 1 - ties
    unseen = cards & ~public.played & ~public.lost
    low = count(public.won[seat] & cards)
    high = low + gain(public, seat, unseen, own)
    met = True
    for other in range(public.seats):
        if other != seat:
            their_low = count(public.won[other] & cards)
            if low + strict > their_low + any_gain(public, other, unseen):
                return FAILED
            if high + strict > their_low:
                met = False
    return MET if met else OPEN


@kernel
def between_tricks(public, seat):
    """Return the verdict on having some seat with fewer tricks and some with more.

    For every number of further tricks of the seat it is asked whether the rest can be shared so that it comes out right,
    and whether it can be shared so that it does not.
    """
    left = public.tricks - public.trick
    can_meet = False
    can_fail = False
    for extra in range(public.plays_left[seat] + 1):
        value = public.tricks_won[seat] + extra
        rest = left - extra
        missing = 0
        room = 0
        nobody_above = True
        for one in range(public.seats):
            if one == seat:
                continue
            theirs = public.tricks_won[one]
            missing += max(0, value - theirs)
            room += max(0, value - theirs)
            if theirs > value:
                nobody_above = False
            if theirs < value:
                for two in range(public.seats):
                    if two != seat and two != one:
                        if public.tricks_won[two] + min(rest, public.plays_left[two]) > value:
                            can_meet = True
        # A trick that nobody wins may take up what finds no room.
        if missing <= rest or (nobody_above and (room >= rest or public.may_lapse)):
            can_fail = True
    if not can_meet:
        return FAILED
    return OPEN if can_fail else MET


@kernel
def streak(public, seat, low, high):
    """Return the verdict on the number of tricks won when they must follow on each other."""
    won = public.tricks_won[seat]
    left = public.plays_left[seat]
    if public.streak_broken[seat] or won > high:
        return FAILED
    running = won > 0 and public.last_winner == seat
    if won == 0:
        return within(-1 if left >= 3 else 0, left, low, high)
    if running:
        return within(-1 if left >= 2 else won, won + left, low, high)
    return within(-1 if left >= 1 else won, won, low, high)


@kernel
def distinct_ranks(rules, public, seat, cards, own):
    """Return (low, high) of the number of ranks among the cards of the mask won by `seat`."""
    unseen = cards & unplayed(rules, public)
    more = gain(public, seat, unseen, own)
    low = 0
    open_ranks = 0
    for rank in range(RANKS):
        here = rules.rank_mask[rank] & cards
        if public.won[seat] & here:
            low += 1
        elif unseen & here:
            open_ranks += 1
    return low, low + min(open_ranks, more)


@kernel
def same_rank(rules, public, seat, cards, own):
    """Return (low, high) of the largest number of cards of one rank won by `seat`."""
    unseen = cards & unplayed(rules, public)
    low = 0
    high = 0
    for rank in range(RANKS):
        here = rules.rank_mask[rank] & cards
        have = count(public.won[seat] & here)
        low = max(low, have)
        high = max(high, have + gain(public, seat, unseen & here, own))
    return low, high


@kernel
def run(rules, public, seat, cards, own):
    """Return (low, high) of the longest run of consecutive ranks among the cards of the mask won by `seat`."""
    unseen = cards & unplayed(rules, public)
    more = gain(public, seat, unseen, own)
    low = 0
    high = 0
    for first in range(RANKS):
        missing = 0
        for rank in range(first, RANKS):
            here = rules.rank_mask[rank] & cards
            if not public.won[seat] & here:
                if not unseen & here or missing == more:
                    break
                missing += 1
            length = rank - first + 1
            high = max(high, length)
            if missing == 0:
                low = max(low, length)
    return low, high


@kernel
def last_card(public, seat, cards, own):
    """Return (low, high) of 1 or 0: whether the card that `seat` plays to the last trick is in the mask."""
    left = public.tricks - public.trick
    if left == 0:
        slot = public.last_card[seat]
        inside = 1 if slot != NOBODY and cards & bit(slot) != ZERO else 0
        return inside, inside
    if public.plays_left[seat] < left or own & cards == ZERO:
        return 0, 0
    return (1 if own & ~cards == ZERO else 0), 1


@kernel
def kept_suit(rules, public, seat, own):
    """Return (low, high) of the largest number of cards won in the suit of a card that `seat` keeps in hand."""
    if public.retained[seat] == 0:
        return 0, 0
    low = 64
    high = 0
    all_kept = count(own) == public.retained[seat]
    for suit in range(rules.suits):
        cards = rules.suit_mask[suit]
        if own & cards != ZERO:
            unseen = cards & unplayed(rules, public)
            have = count(public.won[seat] & cards)
            low = min(low, have)
            high = max(high, have + min(gain(public, seat, unseen, own), count(unseen) - 1))
    # Once all that is in hand will be kept, the best of its suits counts.
    return (high if all_kept and public.plays_left[seat] == 0 else min(low, high)), high


@inlined
def enough_cards(rules, public, seat, term, own):
    """Return the verdict on a number of cards won, the tight bound being worked out only where it can matter."""
    cards = public.term_cards[seat, term]
    have = cards_won(public, seat, cards)
    low = public.low[seat, term]
    high = public.high[seat, term]
    if high == NO_LIMIT:
        if have >= low:
            return MET
        there = count(cards & unplayed(rules, public))
        if have + there < low:
            return FAILED
        if low - have <= public.plays_left[seat] and not public.uneven:
            # A card a trick suffices, and the seat's own cards or the others' bring them.
            return OPEN
    return within(have, have + cards_gain(public, seat, cards & unplayed(rules, public), own), low, high)


@kernel
def measure_bounds(rules, public, seat, term, own):
    """Return (low, high) of a seat's measure for a term with targets of its own."""
    measure = public.measure[seat, term]
    cards = public.term_cards[seat, term]
    left = public.plays_left[seat]
    if measure == LAST_CARD:
        return last_card(public, seat, cards, own)
    if measure == TRICKS_WITH:
        have = public.counter[seat, term]
        return have, have + min(left, count(cards & unplayed(rules, public)))
    if measure == TRICKS_WITHOUT:
        return public.counter[seat, term], public.counter[seat, term] + left
    if measure == LATE_TRICKS:
        late = max(public.trick, public.tricks - public.window[seat, term])
        return public.counter[seat, term], public.counter[seat, term] + max(0, public.trick + left - late)
    if measure == DISTINCT_RANKS:
        return distinct_ranks(rules, public, seat, cards, own)
    if measure == SAME_RANK:
        return same_rank(rules, public, seat, cards, own)
    if measure == RUN:
        return run(rules, public, seat, cards, own)
    if measure == KEPT_SUIT:
        return kept_suit(rules, public, seat, own)
    if measure == LEADS:
        have = count(public.led[seat] & cards)
        return have, have + min(left, count(own & cards))
    return 0, 0


@kernel
def of_many(rules, public, seat, term):
    """Return the verdict on a term that every (other) seat has to reach: each alone, and all their shortfalls together."""
    cards = public.term_cards[seat, term]
    low = public.low[seat, term]
    high = public.high[seat, term]
    by_cards = public.measure[seat, term] == CARDS
    unseen = cards & unplayed(rules, public)
    available = count(unseen) if by_cards else public.tricks - public.trick
    missing = 0
    met = True
    for other in range(public.seats):
        if other == seat and public.scope[seat, term] == OF_EACH_OTHER:
            continue
        if by_cards:
            have = count(public.won[other] & cards)
            most = have + any_gain(public, other, unseen)
        else:
            have = public.tricks_won[other]
            most = have + public.plays_left[other]
        verdict = within(have, most, low, high)
        if verdict == FAILED:
            return FAILED
        if verdict == OPEN:
            met = False
        missing += max(0, low - have)
    if missing > available:
        return FAILED
    return MET if met else OPEN


@inlined
def term_verdict(rules, public, seat, term, own):
    """Return the verdict (OPEN, MET or FAILED) on one term of a seat's goal."""
    compare = public.compare[seat, term]
    measure = public.measure[seat, term]
    if public.scope[seat, term] != OF_SELF:
        return of_many(rules, public, seat, term)
    if compare == ABSOLUTE:
        # The measures of most goals first, without a call.
        if measure == TRICKS:
            have = public.tricks_won[seat]
            sure = have + forced_tricks(public, seat)
            return within(sure, have + public.plays_left[seat], public.low[seat, term], public.high[seat, term])
        if measure == CARDS:
            return enough_cards(rules, public, seat, term, own)
        if measure == STREAK:
            # A broken streak satisfies no target.
            return streak(public, seat, max(public.low[seat, term], 0), public.high[seat, term])
        low, high = measure_bounds(rules, public, seat, term, own)
        return within(low, high, public.low[seat, term], public.high[seat, term])
    if compare == BETWEEN:
        return between_tricks(public, seat)
    cards = public.term_cards[seat, term]
    if compare == MOST:
        return most_of(public, seat, measure, cards, own, public.ties[seat, term])
    if compare == FEWEST and measure == TRICKS:
        return fewest_tricks(public, seat, public.ties[seat, term])
    return fewest_cards(public, seat, cards, own, public.ties[seat, term])


@inlined
def verdict(rules, public, seat, own):
    """Return the verdict (OPEN, MET or FAILED) on a seat's goal between two tricks.

    `own` is the mask of cards that the seat may still hold: its real hand for the truth (and, with draws to come, what it
    may draw), all cards out of the viewer's sight for somebody else's view.
    """
    result = MET
    for term in range(public.terms[seat]):
        one = term_verdict(rules, public, seat, term, own)
        if one == FAILED:
            return FAILED
        if one == OPEN:
            result = OPEN
    return result


@kernel
def count_trick(rules, public, seat):
    """Update the counters of the winner's terms for the trick that lies on the table (before public.trick counts it)."""
    for term in range(public.terms[seat]):
        measure = public.measure[seat, term]
        hit = public.in_trick & public.term_cards[seat, term] != ZERO
        if measure == TRICKS_WITH and hit:
            public.counter[seat, term] += 1
        elif measure == TRICKS_WITHOUT and not hit:
            public.counter[seat, term] += 1
        elif measure == LATE_TRICKS and public.trick >= public.tricks - public.window[seat, term]:
            public.counter[seat, term] += 1
