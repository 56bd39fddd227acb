"""Which goals are sealed when every card is known: the bounds of the goal terms, and what only open hands tell.

Known here, and of no use to `tricks.judge`: which cards a hand will draw (solo) and a pyramid can play last; that the
tricks that all goals take together add up to the length of the round; that who neither leads nor can beat a led card wins
nothing; what will be turned up for the tricks to come.

Some mechanisms take a reason away. Where nobody may win a trick, tricks add up to no more than the length of the round.
Who may come to lead otherwise than by winning, who holds a trump, and who plays ahead, may win without beating a led card.
Who need not follow suit is never stuck with one.
"""

from __future__ import annotations

from sim.core.jit import ONE, ZERO, bit, count, inlined, kernel, lowest
from sim.tricks import goals
from sim.tricks.rules import (
    ABSOLUTE,
    CARDS,
    DISTINCT_RANKS,
    FEWEST,
    KEPT_SUIT,
    LAST_CARD,
    LATE_TRICKS,
    OF_EACH_OTHER,
    OF_SELF,
    RANKS,
    RUN,
    SAME_RANK,
    STREAK,
    TEST_SUM,
    TRICKS,
    TRICKS_WITH,
    TRICKS_WITHOUT,
)
from sim.tricks.table import FAILED, MET, NOBODY, OPEN, at_left
from sim.tricks.tricks import cards_aside


@kernel
def future_hand(public, privates, hidden, seat):
    """Return all cards that a seat still comes to play or keep: its hand, what lies aside for it and what it will draw."""
    cards = privates.hand[seat] | cards_aside(public, privates, seat)
    if public.draws_left[seat] == 0:
        return cards
    place = hidden.next_draw
    for turn in range(public.draws_left[seat]):
        for other in range(public.seats):
            if public.draws_left[other] > turn:
                if other == seat:
                    cards |= bit(hidden.order[place])
                place += 1
    return cards


@kernel
def find_futures(public, privates, hidden, work):
    """Write every seat's future hand into `work`."""
    for seat in range(public.seats):
        work.future[seat] = future_hand(public, privates, hidden, seat)


@inlined
def asked_for(rules, public, hidden, later):
    """Return what the cards add up to that are turned up for the trick `later` tricks after the one that is due."""
    if public.revealed > 0:
        if later == 0:
            return public.revealed
        later -= 1
    place = hidden.reveal_next + later * rules.reveal_each
    total = 0
    for card in range(rules.reveal_each):
        total += rules.reveal_rank[hidden.reveal_order[place + card]]
    return total


@kernel
def _sums_fall_short(rules, public, hidden, work):
    """Return whether the tricks left cannot all reach the sums asked for, however the cards are spread over them.

    The greatest sums, as many as you like, are reached at best with each seat's highest cards.
    """
    left = public.tricks - public.trick
    for later in range(left):
        # Insertion into descending order.
        total = asked_for(rules, public, hidden, later)
        place = later
        while place > 0 and work.asked[place - 1] < total:
            work.asked[place] = work.asked[place - 1]
            place -= 1
        work.asked[place] = total
        work.brought[later] = 0
    for seat in range(public.seats):
        plays = public.plays_left[seat]
        played = 0
        total = 0
        for step in range(RANKS):
            rank = RANKS - 1 - step
            for _ in range(count(work.future[seat] & rules.rank_mask[rank])):
                if played < plays:
                    total += rank
                    work.brought[played] += total
                    played += 1
        for later in range(played, left):
            work.brought[later] += total
    total = 0
    for later in range(left):
        total += work.asked[later]
        if work.brought[later] < total:
            return True
    return False


@kernel
def _last_of_pyramid(rules, public, privates, hidden):
    """Return the cards that a pyramid can play last: those that lie on no other."""
    cards = hidden.loose | cards_aside(public, privates, public.pyramid)
    covering = ZERO
    for slot in range(rules.pyramid):
        if hidden.slot_card[slot] != NOBODY:
            covering |= rules.pyramid_cover[slot]
    for slot in range(rules.pyramid):
        if hidden.slot_card[slot] != NOBODY and not covering & bit(slot):
            cards |= bit(hidden.slot_card[slot])
    return cards


@kernel
def _most_of_one_rank(rules, won):
    """Return how many of the cards `won` are of the rank of which there are most."""
    most = 0
    for rank in range(RANKS):
        most = max(most, count(won & rules.rank_mask[rank]))
    return most


@kernel
def _cards_missing(rules, public, seat, term):
    """Return how many more cards a term asks a seat at least to win."""
    measure = public.measure[seat, term]
    low = public.low[seat, term]
    won = public.won[seat] & public.term_cards[seat, term]
    if measure == CARDS:
        return low - goals.cards_won(public, seat, public.term_cards[seat, term])
    if measure == DISTINCT_RANKS:
        for rank in range(RANKS):
            if won & rules.rank_mask[rank]:
                low -= 1
        return low
    if measure == SAME_RANK:
        return low - _most_of_one_rank(rules, won)
    if measure == RUN:
        return low - count(won)
    if measure == KEPT_SUIT:
        most = 0
        for suit in range(rules.suits):
            most = max(most, count(public.won[seat] & rules.suit_mask[suit]))
        return low - most
    return 0


@kernel
def _find_limits(rules, public, work):
    """Write into `work` how many tricks each seat has won at least and at most by the end, if all goals are to be met."""
    players = 0
    for seat in range(public.seats):
        work.least[seat] = public.tricks_won[seat]
        work.most[seat] = public.tricks_won[seat] + public.plays_left[seat]
        if public.plays_left[seat] > 0:
            players += 1
    players = max(players, 1)
    for seat in range(public.seats):
        won = public.tricks_won[seat]
        for term in range(public.terms[seat]):
            measure = public.measure[seat, term]
            compare = public.compare[seat, term]
            low = public.low[seat, term]
            if public.scope[seat, term] != OF_SELF:
                for other in range(public.seats):
                    if other == seat and public.scope[seat, term] == OF_EACH_OTHER:
                        continue
                    if measure == TRICKS:
                        work.least[other] = max(work.least[other], low)
                        work.most[other] = min(work.most[other], public.high[seat, term])
                    elif low > 0:
                        missing = low - count(public.won[other] & public.term_cards[seat, term])
                        work.least[other] = max(work.least[other], public.tricks_won[other] + (missing + players - 1) // players)
            elif compare == FEWEST:
                if measure == TRICKS:
                    # Whoever has the fewest has no more than an even share.
                    work.most[seat] = min(work.most[seat], public.tricks // public.seats)
            elif compare != ABSOLUTE:
                continue
            elif measure == TRICKS:
                work.least[seat] = max(work.least[seat], low)
                work.most[seat] = min(work.most[seat], public.high[seat, term])
            elif measure == STREAK:
                work.least[seat] = max(work.least[seat], low)
                work.most[seat] = min(work.most[seat], public.high[seat, term])
            elif measure == TRICKS_WITH or measure == LATE_TRICKS:
                work.least[seat] = max(work.least[seat], won + low - public.counter[seat, term])
            elif measure == TRICKS_WITHOUT:
                inside = count(public.term_cards[seat, term] & goals.unplayed(rules, public))
                work.most[seat] = min(work.most[seat], won + public.high[seat, term] - public.counter[seat, term] + inside)
            elif public.lender[seat] == NOBODY and low > 0:
                missing = _cards_missing(rules, public, seat, term)
                work.least[seat] = max(work.least[seat], won + (missing + players - 1) // players)


@kernel
def _tricks_do_not_add_up(rules, public, work):
    """Return whether no sharing out of the tricks left can suit the goals."""
    _find_limits(rules, public, work)
    least = 0
    most = 0
    total = public.tricks - public.trick
    for seat in range(public.seats):
        if work.least[seat] > work.most[seat]:
            return True
        total += public.tricks_won[seat]
        least += work.least[seat]
        most += work.most[seat]
    # (Some of the tricks so far may have been won by nobody, and so may some of the others.)
    return least > total or (most < total and not public.may_lapse)


@kernel
def find_claims(rules, public, hidden, work):
    """Write into `work` the cards that must go to one seat if all goals are to be met: claimed, by seat."""
    unseen = goals.unplayed(rules, public)
    for seat in range(public.seats):
        work.claimed[seat] = ZERO
        if hidden.verdict[seat] != OPEN or public.lender[seat] != NOBODY:
            continue
        for term in range(public.terms[seat]):
            if public.measure[seat, term] != CARDS or public.scope[seat, term] != OF_SELF:
                continue
            if public.compare[seat, term] == ABSOLUTE:
                cards = public.term_cards[seat, term]
                missing = public.low[seat, term] - count(public.won[seat] & cards)
                if missing > 0 and missing == count(cards & unseen):
                    work.claimed[seat] |= cards & unseen


@inlined
def lead_may_pass(rules, public, seat):
    """Return whether `seat` may come to lead without winning.

    Because a hand on its right runs out of cards, because somebody names who leads, or after a trick that nobody won.
    """
    if public.may_lapse and rules.lost_trick_left:
        return True
    if rules.leader_namers:
        for other in range(public.seats):
            if other != seat and rules.leader_namers & bit(public.character[other]):
                return True
    left = public.tricks - public.trick
    for other in range(public.seats):
        if other == seat or public.plays_left[other] == left:
            continue
        for step in range(1, public.seats):
            heir = at_left(other, step, public.seats)
            if heir == seat:
                return True
            if public.plays_left[heir] == left:
                break
    return False


@kernel
def can_win(rules, public, privates, work, seat):
    """Return whether a seat that does not lead can win another trick without taking a card that another seat must win.

    Winning begins with a card that another hand leads and the seat beats in suit. A third hand that holds that suit, but
    nothing below, has to rid itself of it first: one card a trick.
    """
    if public.leader == seat or lead_may_pass(rules, public, seat):
        return True
    if work.future[seat] & (rules.declaring | rules.trumps) or (public.ahead_by == seat and public.ahead):
        return True
    barred = ZERO
    for other in range(public.seats):
        if other != seat:
            barred |= work.claimed[other]
    before = public.plays_left[seat] - 1
    rest = work.future[seat] & ~barred
    while rest != ZERO:
        card = rest & (~rest + ONE)
        rest &= ~card
        suit_cards = rules.suit_mask[rules.suit_of[lowest(card)]]
        below = suit_cards & (card - ONE)
        for leader in range(public.seats):
            if leader == seat or work.future[leader] & below & ~barred == ZERO:
                continue
            possible = True
            for third in range(public.seats):
                if third != seat and third != leader and third != public.free:
                    holds = public.uncovered if third == public.pyramid else privates.hand[third]
                    stuck = count(holds & suit_cards) > before and public.plays_left[third] > before
                    if stuck and work.future[third] & below == ZERO:
                        possible = False
            if possible:
                return True
    return False


@kernel
def _verdict(rules, public, privates, hidden, work, seat):
    """Return the verdict on an open goal (FAILED also when it can be met only at the cost of another)."""
    verdict = goals.verdict(rules, public, seat, work.future[seat])
    if verdict != OPEN or public.plays_left[seat] == 0:
        return verdict
    # What others win, or what is played last, may hang on the plays of a seat that wins nothing.
    alone = public.lender[seat] == NOBODY
    for term in range(public.terms[seat]):
        measure = public.measure[seat, term]
        if measure == LAST_CARD or measure == KEPT_SUIT:
            alone = False
        elif measure != TRICKS and (public.scope[seat, term] != OF_SELF or public.compare[seat, term] != ABSOLUTE):
            alone = False
        # (With cards to keep, what covers others may stay.)
        if measure == LAST_CARD and seat == public.pyramid and public.low[seat, term] > 0 and public.retained[seat] == 0:
            if not public.term_cards[seat, term] & _last_of_pyramid(rules, public, privates, hidden):
                return FAILED
    if alone and not can_win(rules, public, privates, work, seat):
        # It wins nothing more, as if it had nothing more to play.
        plays = public.plays_left[seat]
        public.plays_left[seat] = 0
        without = goals.verdict(rules, public, seat, work.future[seat])
        public.plays_left[seat] = plays
        if without == FAILED:
            return FAILED
    return OPEN


@kernel
def judge(rules, public, privates, hidden, work):
    """Seal every open goal that open hands decide, and count in hidden.failed and hidden.met.

    Sound for the question whether all goals can be met: a goal counts as failed too when only that is impossible.
    """
    find_futures(public, privates, hidden, work)
    find_claims(rules, public, hidden, work)
    failed = 0
    met = 0
    for seat in range(public.seats):
        if hidden.verdict[seat] == OPEN:
            hidden.verdict[seat] = _verdict(rules, public, privates, hidden, work, seat)
        if hidden.verdict[seat] == FAILED:
            failed += 1
        elif hidden.verdict[seat] == MET:
            met += 1
    if failed == 0 and met < public.seats and _tricks_do_not_add_up(rules, public, work):
        failed = 1
    if rules.reveal_test == TEST_SUM and failed == 0:
        if public.event_failed > 0 or _sums_fall_short(rules, public, hidden, work):
            failed = 1
    hidden.failed = failed
    hidden.met = met
