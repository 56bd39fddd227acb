"""A scenario for one number of players as flat arrays: the record that every kernel reads.

Cards are slots of the deck in its order (by suit, then by rank), so that inside a suit a higher bit is a higher rank.
Characters are indices into the chapter's roster. `compile_rules` is the only way from scenario to kernel.
"""

from __future__ import annotations

import functools

import numpy as np

from scenarios.cards import by_threat, parse_card, select, suits_of
from scenarios.checks import MAX_REVEALED, bearers, revealed_cards
from scenarios.errors import UserError, nearest
from scenarios.model import CardSet, Character, Scenario, Target, Term

SEATS = 4
ROSTER = 16
TERMS = 3
ACTIONS = 4
SUITS = 8
RANKS = 17
PYRAMID_SLOTS = 16
FACE_DOWN = 63
"""The slot that stands for a card played face down."""
NO_LIMIT = 1000
"""Above every measure: the bound of a term that has none."""

# Setup actions that the engine performs.
TAKE_LOST = 1
DRAW_THREAT = 2
EXCHANGE = 3
GIVE_EACH = 4
CHOOSE_THREAT = 5
PASS_RIGHT = 6
SHOW_HAND = 7
TUCK = 8
SET_ASIDE = 9
PLAY_AHEAD = 10
SWAP_LOST = 11
DECLARE_WAY = 12
TAKE_PILE = 13
EXCHANGE_EACH = 14
_ACTIONS = {
    "take_lost": TAKE_LOST,
    "draw_threat": DRAW_THREAT,
    "exchange": EXCHANGE,
    "give_each": GIVE_EACH,
    "choose_threat": CHOOSE_THREAT,
    "pass_right": PASS_RIGHT,
    "show_hand": SHOW_HAND,
    "tuck": TUCK,
    "set_aside": SET_ASIDE,
    "play_ahead": PLAY_AHEAD,
    "swap_lost": SWAP_LOST,
    "declare": DECLARE_WAY,
    "take_pile": TAKE_PILE,
}

# What is declared of the number of tricks, before play.
FEWER = 1
MORE = 2
_WAYS = {"": 0, "fewer": FEWER, "more": MORE}

# How cards turned up for a trick are compared with it.
NO_TEST = 0
TEST_WINNER = 1
TEST_SUM = 2
_TESTS = {"winner": TEST_WINNER, "sum": TEST_SUM}
REVEALS = 48
"""Cards turned up in a round at most: the deck is shuffled ahead for as many."""
# Kernels that are called through their address (`sim.tricks.link`).
FAR_PREPARE = 0
FAR_READY = 1
FAR_APPLY = 2
FAR_BETWEEN = 3
FAR_TEST = 4
FAR_SCRIPT = 5
FAR_TEAM = 6
FAR_RATE = 7
FAR_IMAGINE = 8
FAR_SEARCH = 9
FAR_GIVEN = 10
FAR_KERNELS = 11
STEPS = 4
"""Most steps in which the cards of a round are dealt."""

# Measures of goal terms.
TRICKS = 0
CARDS = 1
TRICKS_WITH = 2
TRICKS_WITHOUT = 3
STREAK = 4
DISTINCT_RANKS = 5
SAME_RANK = 6
RUN = 7
LAST_CARD = 8
KEPT_SUIT = 9
LEADS = 10
LATE_TRICKS = 11
"""Tricks won among the last so many."""
_MEASURES = {
    "tricks": TRICKS,
    "cards": CARDS,
    "tricks_with": TRICKS_WITH,
    "tricks_without": TRICKS_WITHOUT,
    "streak": STREAK,
    "distinct_ranks": DISTINCT_RANKS,
    "same_rank": SAME_RANK,
    "run": RUN,
    "last_card": LAST_CARD,
    "kept_suit": KEPT_SUIT,
    "leads": LEADS,
}

# Comparisons and scopes of goal terms.
ABSOLUTE = 0
FEWEST = 1
MOST = 2
BETWEEN = 3
_COMPARE = {None: ABSOLUTE, "fewest": FEWEST, "most": MOST, "between": BETWEEN}
OF_SELF = 0
OF_EACH_OTHER = 1
OF_EACH = 2
_SCOPES = {"self": OF_SELF, "each_other": OF_EACH_OTHER, "each": OF_EACH}

RULES = np.dtype(
    [
        ("players", np.int64),
        ("seats", np.int64),
        ("cards", np.int64),
        ("hand", np.int64),
        ("lost", np.int64),
        ("solo", np.int64),
        ("deck", np.uint64),
        ("never_lost", np.uint64),
        ("declaring", np.uint64),
        ("holder_card", np.uint64),
        ("bound", np.int64),
        ("locked", np.uint64),
        ("suits", np.int64),
        ("suit_mask", np.uint64, (SUITS,)),
        ("suit_starts", np.uint64),
        ("rank_mask", np.uint64, (RANKS,)),
        ("suit_of", np.int64, (64,)),
        ("rank_of", np.int64, (64,)),
        ("roster", np.int64),
        ("required", np.uint64),
        ("bearer", np.int64),
        ("keeps", np.uint64, (ROSTER,)),
        ("leads_first", np.int64, (ROSTER,)),
        ("lends_to", np.int64, (ROSTER,)),
        ("lends", np.uint64, (ROSTER,)),
        ("solo_extra", np.int64, (ROSTER,)),
        ("solo_refill", np.int64, (ROSTER,)),
        ("actions", np.int64, (ROSTER,)),
        ("action", np.int64, (ROSTER, ACTIONS)),
        ("partners", np.uint64, (ROSTER, ACTIONS)),
        ("redraw_suits", np.uint64, (ROSTER, ACTIONS)),
        ("amount", np.int64, (ROSTER, ACTIONS)),
        ("among", np.uint64, (ROSTER,)),
        ("terms", np.int64, (ROSTER,)),
        ("measure", np.int64, (ROSTER, TERMS)),
        ("term_cards", np.uint64, (ROSTER, TERMS)),
        ("by_threat", np.int64, (ROSTER, TERMS)),
        ("low", np.int64, (ROSTER, TERMS)),
        ("low_threat", np.int64, (ROSTER, TERMS)),
        ("high", np.int64, (ROSTER, TERMS)),
        ("high_threat", np.int64, (ROSTER, TERMS)),
        ("window", np.int64, (ROSTER, TERMS)),
        ("compare", np.int64, (ROSTER, TERMS)),
        ("ties", np.int64, (ROSTER, TERMS)),
        ("scope", np.int64, (ROSTER, TERMS)),
        ("term_way", np.int64, (ROSTER, TERMS)),
        ("of_curse", np.int64, (ROSTER, TERMS)),
        ("term_beside", np.uint64, (ROSTER, TERMS)),
        ("term_unless", np.uint64, (ROSTER, TERMS)),
        ("threats", np.uint64),
        ("pyramid", np.int64),
        ("pyramid_bottom", np.uint64),
        ("pyramid_up", np.uint64),
        ("pyramid_cover", np.uint64, (PYRAMID_SLOTS,)),
        ("declare_after", np.int64),
        ("take_optional", np.int64),
        ("take_by_group", np.int64),
        ("holder_first", np.int64),
        ("rejected_back", np.int64),
        ("required_first", np.int64),
        ("trumps", np.uint64),
        ("not_pyramid", np.uint64),
        ("secret_roles", np.uint64),
        ("secret_ways", np.uint64),
        ("from_owner", np.int64),
        ("announcer", np.int64),
        ("free_role", np.int64),
        ("redrawer", np.int64),
        ("leader_namers", np.uint64),
        ("face_down", np.int64),
        ("suit_named", np.int64),
        ("ahead_leads", np.int64),
        ("simultaneous", np.int64),
        ("pass_with_controller", np.int64),
        ("cast", np.int64),
        ("steps", np.int64),
        ("step_cards", np.int64, (STEPS,)),
        ("pile", np.int64),
        ("pile_not", np.uint64),
        ("pile_chosen", np.int64),
        ("reveal_test", np.int64),
        ("reveal_each", np.int64),
        ("reveal_cards", np.int64),
        ("reveal_rank", np.int64, (MAX_REVEALED,)),
        ("reveal_after", np.int64),
        ("lost_trick_left", np.int64),
        ("bearers", np.uint64),
        ("curse_row", np.int64),
        ("curse_terms", np.int64),
        ("curse_parts", np.int64),
        ("curse_hides", np.int64),
        ("fetcher", np.int64),
        ("first_free", np.int64),
        ("between", np.int64),
        ("plain", np.int64),
        ("look_aside", np.int64),
        ("guess", np.int64),
        ("condition", np.int64),
        ("far", np.int64, (FAR_KERNELS,)),
    ],
)
"""One chapter for one number of players.

Masks over cards are uint64 (`deck`, `suit_mask`, `suit_starts`: the lowest of each suit, ...), masks over the roster too
(`required`, `partners`); a term's bounds are `low + low_threat * threat` and `high + high_threat * threat`. `pyramid` is the
number of slots, 0 without one; slot masks (`pyramid_*`) number the slots from the bottom row's left. `holder_card` is the card
whose holder chooses first (and takes the `bearer`, a roster index or -1; `bound`: must take it). amount: cards of a pile,
threats drawn, size of a group of numbers, or whether wanted cards are spared; among: the lowest numbers of the groups to choose
from. term_way: the declaration for which a term holds (0: any); of_curse: whether a term is a curse's.

Events and abilities, mostly 0: trumps: cards; not_pyramid, leader_namers, secret_roles (threat hidden from others, from_owner
too), secret_ways (declaration hidden): masks over the roster; announcer, free_role, redrawer, face_down: a roster index or -1.
cast: characters are dealt; steps, step_cards: dealing in steps. pile: cards set aside, none of `pile_not`. reveal_*: the deck
turned up for tricks, by index. bearers: who may get the wandering curse; its terms, so many, stand in row curse_row (behind the
roster's) of the terms; curse_parts: whether it parts its bearer from exchanges, curse_hides: whether it hides its threat.
fetcher, first_free: who may swap for the lost card before a trick, and who may be free in the first one (a roster index or -1).
take_by_group: whether the group says who may touch the lost card. term_beside, term_unless: roster masks; a term counts with
one of the first in the round (0: always), and with none of the second. between: whether something may happen between tricks;
plain: whether tricks are the plain ones that the solver knows; look_aside: whether a view holds more than hand and knowledge;
guess: whether more is hidden than hands, draw deck and pyramid. condition: address of what deals must fit
(`sim.tricks.condition`), or 0. far: addresses of kernels (`sim.tricks.link`). Sources of the values: the scenario's files.
"""


def _mask(slots: list[int]) -> int:
    return sum(1 << slot for slot in slots)


def _target(value: Target | None, players: int, default: int) -> tuple[int, int]:
    """Return (constant, multiple of the threat) of a target."""
    if value is None:
        return default, 0
    if isinstance(value, dict):
        return value[str(players)], 0
    if isinstance(value, str):
        return int(value.removeprefix("threat") or "0"), 1
    return value, 0


def _fill_term(rules: np.record, role: int, index: int, term: Term, scenario: Scenario, players: int) -> None:
    late = term.measure == "tricks" and term.last is not None
    rules.measure[role, index] = LATE_TRICKS if late else _MEASURES[term.measure]
    cards: CardSet = term.cards if term.cards is not None else []
    if by_threat(term.cards):
        if isinstance(term.cards, list) and not all(by_threat(one) for one in term.cards):
            raise UserError(f"goal term {term.measure}: cards = {term.cards} mixes {{threat}} with fixed cards; use two terms")
        # The rank comes with the threat in setup; here stand the suits in which it counts.
        rules.by_threat[role, index] = 1
        cards = list(suits_of(cards, tuple(scenario.suits)))
    rules.term_cards[role, index] = np.uint64(_mask(select(cards, scenario.cards))) & rules.deck
    rules.low[role, index], rules.low_threat[role, index] = _target(
        term.exactly if term.exactly is not None else term.at_least, players, -NO_LIMIT
    )
    rules.high[role, index], rules.high_threat[role, index] = _target(
        term.exactly if term.exactly is not None else term.at_most, players, NO_LIMIT
    )
    rules.term_way[role, index] = _WAYS[term.declared]
    rules.window[role, index] = term.last or 0
    rules.compare[role, index] = _COMPARE[term.compare]
    rules.ties[role, index] = term.ties
    rules.scope[role, index] = _SCOPES[term.of]


def fill_role(rules: np.record, role: int, character: Character, scenario: Scenario, players: int, names: list[str]) -> None:
    """Write one character's goal, setup and abilities into the rules record at roster index `role`.

    Raises UserError for a goal of too many terms.
    """
    curse = scenario.curses.get(names[role])
    burden = curse[1].terms if curse is not None and players in curse[1].players else []
    terms = [(term, False) for term in character.goal] + [(term, True) for term in burden]
    if len(terms) > TERMS:
        raise UserError(f"characters.{names[role]}.goal: {len(terms)} terms, with its curse; at most {TERMS} are allowed")
    wandering = scenario.wandering[1] if scenario.wandering is not None and players in scenario.wandering[1].players else None
    if wandering is not None and len(terms) + len(wandering.terms) > TERMS and not character.burdened:
        most = TERMS - len(wandering.terms)
        raise UserError(
            f"characters.{names[role]}.goal: {len(terms)} terms; beside the wandering curse at most {most} are allowed"
        )
    hidden = hides_threat(scenario, names[role], players) or (wandering is not None and wandering.hides_threat)
    if hidden or scenario.rules.direction == "private":
        # Terms that others do not see come last, so that the places of the rest are the same for all.
        terms.sort(key=lambda entry: _depends(entry[0]))
    rules.terms[role] = len(terms)
    for index, (term, of_curse) in enumerate(terms):
        _fill_term(rules, role, index, term, scenario, players)
        rules.of_curse[role, index] = of_curse
        rules.term_beside[role, index] = _condition(term.beside, names)
        rules.term_unless[role, index] = _condition(term.unless, names) if term.unless in names else 0
    rules.keeps[role] = _mask(select(character.keeps, scenario.cards))
    rules.leads_first[role] = character.leads_first
    rules.lends_to[role] = -1
    if len(character.lends) > 1:
        raise UserError(f"characters.{names[role]}.lends: {len(character.lends)} tables; the engine plays one")
    for lending in character.lends:
        if lending.to in names:
            rules.lends_to[role] = names.index(lending.to)
            rules.lends[role] = _mask(select(lending.cards, scenario.cards))
    rules.solo_extra[role] = character.solo.extra_cards
    rules.solo_refill[role] = character.solo.refill


def _condition(name: str, names: list[str]) -> int:
    """Return the roster mask of a character on which a term depends; a bit that nobody has for one who cannot be there."""
    return 0 if not name else 1 << (names.index(name) if name in names else 63)


def hides_threat(scenario: Scenario, name: str, players: int) -> bool:
    """Return whether the others do not see the threat of a character."""
    event, curse = scenario.event, scenario.curses.get(name)
    if event is not None and event.hidden_threats and players in event.players:
        return True
    return curse is not None and curse[1].hides_threat and players in curse[1].players


def _depends(term: Term) -> bool:
    """Return whether a term depends on the threat or on what is declared."""
    targets = (term.at_least, term.at_most, term.exactly)
    return by_threat(term.cards) or bool(term.declared) or any(isinstance(target, str) for target in targets)


def _fill_setup(rules: np.record, role: int, character: Character, scenario: Scenario, names: list[str]) -> None:
    steps = [action for action in character.setup for _ in range(action.times)]
    if len(steps) > ACTIONS:
        raise UserError(f"characters.{names[role]}.setup: {len(steps)} actions; at most {ACTIONS} are allowed")
    exchanges = {
        name: name not in scenario.curses
        or scenario.curses[name][1].exchanges
        or int(rules.players) not in scenario.curses[name][1].players
        for name in names
    }
    rules.actions[role] = len(steps)
    for index, action in enumerate(steps):
        rules.action[role, index] = EXCHANGE_EACH if action.do == "exchange" and action.each else _ACTIONS[action.do]
        if action.do == "draw_threat":
            rules.amount[role, index] = action.draw
        elif action.do == "take_pile":
            rules.amount[role, index] = action.cards
        elif action.do == "swap_lost":
            rules.amount[role, index] = action.spares_wanted
        elif action.among:
            rules.amount[role, index] = len(action.among[0])
            rules.among[role] = _mask([group[0] for group in action.among])
        partners = [action.with_] if isinstance(action.with_, str) else action.with_
        for other, name in enumerate(names):
            identity = scenario.characters[name].identity or name
            wanted = "any" in partners or identity in partners
            able = exchanges[name] and exchanges[names[role]]
            if other != role and able and wanted and identity not in action.except_:
                rules.partners[role, index] |= np.uint64(1 << other)
        if action.redraw_if_lost:
            rules.redraw_suits[role, index] = _mask(select(list(action.redraw_if_lost), scenario.cards))


def fill_deck(rules: np.record, scenario: Scenario, players: int) -> None:
    """Write the deck: masks of suits and ranks, suit and rank of every slot, locked suits, the declaring card."""
    deck = scenario.cards
    letters = [letter for letter in scenario.suits if any(parse_card(card)[0] == letter for card in deck)]
    if len(letters) > SUITS:
        raise UserError(f"suits: {len(letters)}; at most {SUITS} are allowed")
    there = _mask(list(range(len(deck)))) & ~_mask(select(scenario.deals[players].without, deck))
    rules.cards = there.bit_count()
    rules.deck = there
    rules.suits = len(letters)
    for slot, card in enumerate(deck):
        suit, rank = parse_card(card)
        rules.suit_of[slot] = letters.index(suit)
        rules.rank_of[slot] = rank
        rules.rank_mask[rank] |= np.uint64(there & 1 << slot)
    for index, letter in enumerate(letters):
        suit_cards = there & _mask(select(letter, deck))
        rules.suit_mask[index] = suit_cards
        rules.suit_starts |= np.uint64(suit_cards & -suit_cards)
        if scenario.suits[letter].lead_locked:
            rules.locked |= rules.suit_mask[index]
    rules.declaring = _mask(select([scenario.declaring] if scenario.declaring else [], deck))


def blank_rules() -> np.record:
    """Return an empty rules record (a view, so that fields can be assigned in kernels and in Python)."""
    return np.zeros(1, RULES).view(np.recarray)[0]


@functools.lru_cache(maxsize=256)
def _compiled(key: str, players: int) -> np.record:
    return _compile(_BY_KEY[key], players)


def _compile(scenario: Scenario, players: int) -> np.record:
    rules = blank_rules()
    size = scenario.deals[players]
    fill_deck(rules, scenario, players)
    rules.players, rules.seats, rules.hand, rules.lost = players, size.seats, size.hand, size.lost
    rules.solo = players == 1
    rules.never_lost = _mask(select(list(scenario.never_lost), scenario.cards))
    names = [entry.character for entry in scenario.roster]
    rules.roster = len(names)
    rules.required = _mask([role for role, entry in enumerate(scenario.roster) if entry.required])
    rules.bearer = -1
    rules.holder_card = rules.declaring
    for role, name in enumerate(names):
        character = scenario.characters[name]
        fill_role(rules, role, character, scenario, players, names)
        _fill_setup(rules, role, character, scenario, names)
        if character.taken_with:
            rules.bearer = role
            rules.bound = scenario.roster[role].required
            rules.holder_card = _mask(select(character.taken_with, scenario.cards))
    rules.threats = _mask(list(scenario.threats))
    if size.pyramid:
        _fill_pyramid(rules, scenario.pyramids[size.pyramid].rows, scenario.pyramids[size.pyramid].face_up)
    house = scenario.rules
    rules.declare_after = house.declare == "after_trick"
    rules.take_optional = house.take_lost != "compulsory"
    rules.take_by_group = house.take_lost == "group"
    rules.holder_first = house.first_without_bearer == "holder"
    rules.rejected_back = house.rejected_threat == "shuffled_back"
    rules.required_first = house.solo_selection == "required_first"
    _fill_abilities(rules, scenario, players, names)
    _fill_event(rules, scenario, players, names)
    _fill_wandering(rules, scenario, players, names)
    gifted = rules.fetcher >= 0 or rules.first_free >= 0
    aside = {TUCK, SET_ASIDE, PLAY_AHEAD} & set(rules.action.flat)
    rules.between = bool(rules.reveal_test or rules.leader_namers or rules.face_down >= 0 or gifted or aside)
    secret = rules.secret_roles or rules.secret_ways or rules.curse_hides
    rules.plain = not (rules.between or secret or rules.trumps or rules.free_role >= 0)
    rules.look_aside = rules.between or secret or rules.pile_chosen
    together = {EXCHANGE_EACH, PASS_RIGHT} & set(rules.action.flat)
    rules.guess = bool(not rules.plain or rules.pile or rules.steps or rules.simultaneous or together)
    if rules.simultaneous and {EXCHANGE_EACH, PASS_RIGHT} & set(rules.action.flat):
        raise UserError(f"event '{scenario.event_key}': simultaneous does not go with exchanges with each or pass_right")
    return rules


def _fill_abilities(rules: np.record, scenario: Scenario, players: int, names: list[str]) -> None:
    """Write what single characters may do or must hide."""
    characters = [scenario.characters[name] for name in names]
    rules.free_role = next((role for role, one in enumerate(characters) if one.free_play), -1)
    rules.redrawer = next((role for role, one in enumerate(characters) if one.redraws), -1)
    rules.leader_namers = _mask([role for role, one in enumerate(characters) if one.names_leader])
    owners = [gift.owner for gift in scenario.gifts.values() if gift.announces]
    rules.announcer = names.index(owners[0]) if owners and players > 1 else -1
    rules.secret_roles = _mask([role for role, name in enumerate(names) if hides_threat(scenario, name, players)])
    if scenario.rules.direction == "private":
        declaring = [role for role, one in enumerate(characters) if any(action.do == "declare" for action in one.setup)]
        rules.secret_ways = _mask(declaring)
    rules.from_owner = scenario.rules.hidden_threat == "owner_too"
    fetching = [gift.owner for gift in scenario.gifts.values() if gift.fetches_lost]
    freed = [gift.owner for gift in scenario.gifts.values() if gift.frees_first]
    rules.fetcher = names.index(fetching[0]) if fetching and fetching[0] in names else -1
    rules.first_free = names.index(freed[0]) if freed and freed[0] in names else -1


def _fill_wandering(rules: np.record, scenario: Scenario, players: int, names: list[str]) -> None:
    """Write the curse that the group gives to one character in a round, in a row of terms behind those of the roster."""
    if scenario.wandering is None or players not in scenario.wandering[1].players:
        return
    curse = scenario.wandering[1]
    if len(names) >= ROSTER:
        raise UserError(f"wandering_curse: {len(names)} characters; beside it at most {ROSTER - 1} are allowed")
    if len(curse.terms) > TERMS:
        raise UserError(f"curses.{scenario.wandering[0]}.terms: {len(curse.terms)} terms; at most {TERMS} are allowed")
    rules.bearers = _mask([names.index(name) for name in bearers(curse, scenario.characters)])
    rules.curse_row, rules.curse_terms = len(names), len(curse.terms)
    for index, term in enumerate(curse.terms):
        _fill_term(rules, len(names), index, term, scenario, players)
    rules.curse_parts, rules.curse_hides = not curse.exchanges, curse.hides_threat


def _fill_event(rules: np.record, scenario: Scenario, players: int, names: list[str]) -> None:
    """Write the mechanisms of the round's event."""
    house, event = scenario.rules, scenario.event
    rules.face_down = -1
    rules.suit_named = house.face_down == "suit_named"
    rules.ahead_leads = house.play_ahead == "leads"
    rules.pass_with_controller = house.pyramid_pass == "with_controller"
    rules.pile_chosen = house.pile == "chosen"
    rules.reveal_after = house.reveal == "after_trick"
    rules.lost_trick_left = house.lost_trick == "left_of_leader"
    if event is None:
        return
    rules.trumps = np.uint64(_mask(select(event.trumps, scenario.cards))) & rules.deck if event.trumps else 0
    rules.cast = event.cast == "random"
    if event.pile is not None:
        rules.pile = event.pile.cards[str(players)]
        rules.pile_not = _mask(select(event.pile.without, scenario.cards))
    if event.reveal is not None:
        rules.reveal_test = _TESTS[event.reveal.test]
        rules.reveal_each = event.reveal.each[str(players)]
        ranks = [parse_card(card)[1] for card in revealed_cards(event)]
        rules.reveal_cards = len(ranks)
        rules.reveal_rank[: len(ranks)] = ranks
        most = int(rules.hand) + int(scenario.deals[players].draw_deck) // int(rules.seats) + 2
        if most * rules.reveal_each > REVEALS // len(ranks) * len(ranks):
            raise UserError(f"event '{scenario.event_key}': reveal.each: too many cards for a round of up to {most} tricks")
    if players not in event.players:
        return
    rules.simultaneous = event.simultaneous
    if event.face_down in names:
        rules.face_down = names.index(event.face_down)
        rules.not_pyramid = 1 << int(rules.face_down)
        if len(scenario.cards) > FACE_DOWN:
            raise UserError(
                f"event '{scenario.event_key}': face_down: {len(scenario.cards)} cards; at most {FACE_DOWN} are allowed"
            )
    if event.deal_steps:
        if len(event.deal_steps) > STEPS:
            raise UserError(f"event '{scenario.event_key}': deal_steps: {len(event.deal_steps)}; at most {STEPS} are allowed")
        rules.steps = len(event.deal_steps)
        rules.step_cards[: rules.steps] = event.deal_steps
    if rules.cast and players > 1:
        rules.bound = 0


def _fill_pyramid(rules: np.record, rows: list[int], face_up: list[list[int]]) -> None:
    if sum(rows) > PYRAMID_SLOTS:
        raise UserError(f"pyramid: {sum(rows)} cards; at most {PYRAMID_SLOTS} are allowed")
    rules.pyramid = sum(rows)
    rules.pyramid_bottom = _mask(list(range(rows[0])))
    first = 0
    for row, width in enumerate(rows):
        for column in range(width):
            if column in face_up[row]:
                rules.pyramid_up |= np.uint64(1 << (first + column))
            if row:
                below = first - rows[row - 1]
                rules.pyramid_cover[first + column] = _mask([below + c for c in (column, column + 1) if c < rows[row - 1]])
        first += width


_BY_KEY: dict[str, Scenario] = {}


def compile_rules(scenario: Scenario, players: int, kind: str = "") -> np.record:
    """Return the rules of `scenario` for `players` people (dtype RULES), cached.

    kind: the kind of round, in a chapter that has several. Raises UserError when the scenario has no deal for that number,
    when it has no such kind of round, or when it asks for more than fits into the record.
    """
    if scenario.draw is not None:
        raise UserError(
            f"chapter {scenario.label}: its characters are drawn for each deal, and this looks at one chapter; "
            f"ringsim new my.toml --from {scenario.label} --players {players} --seed 7 writes a pool of it as a file"
        )
    if kind or scenario.rounds:
        if kind not in scenario.rounds:
            names = list(scenario.rounds) or ["none"]
            raise UserError(f"chapter {scenario.label}: round '{kind}': allowed are {', '.join(names)}{nearest(kind, names)}")
        scenario = scenario.rounds[kind]
    if players not in scenario.deals:
        allowed = ", ".join(map(str, scenario.deals))
        raise UserError(f"--players {players}: chapter {scenario.label} has deals for {allowed} players")
    if scenario.pool is not None:
        # Pools come by the thousand, and hardly one twice.
        return _compile(scenario, players)
    key = scenario.hash
    _BY_KEY[key] = scenario
    return _compiled(key, players)
