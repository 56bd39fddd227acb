"""A scenario for one number of players as flat arrays: the record that every kernel reads.

Cards are slots of the deck in its order (by suit, then by rank), so that inside a suit a higher bit is a higher rank.
Characters are indices into the chapter's roster. `compile_rules` is the only way from scenario to kernel.
"""

from __future__ import annotations

import functools

import numpy as np

from scenarios.cards import by_threat, parse_card, select, suits_of
from scenarios.errors import UserError
from scenarios.model import CardSet, Character, Scenario, Target, Term

SEATS = 4
ROSTER = 16
TERMS = 3
ACTIONS = 4
SUITS = 8
RANKS = 17
PYRAMID_SLOTS = 16
NO_LIMIT = 1000
"""Above every measure: the bound of a term that has none."""

# Setup actions that the engine performs.
TAKE_LOST = 1
DRAW_THREAT = 2
EXCHANGE = 3
GIVE_EACH = 4
_ACTIONS = {"take_lost": TAKE_LOST, "draw_threat": DRAW_THREAT, "exchange": EXCHANGE, "give_each": GIVE_EACH}

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
        ("locked", np.uint64),
        ("suits", np.int64),
        ("suit_mask", np.uint64, (SUITS,)),
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
        ("threats", np.uint64),
        ("pyramid", np.int64),
        ("pyramid_bottom", np.uint64),
        ("pyramid_up", np.uint64),
        ("pyramid_cover", np.uint64, (PYRAMID_SLOTS,)),
        ("declare_after", np.int64),
        ("take_optional", np.int64),
        ("holder_first", np.int64),
        ("rejected_back", np.int64),
        ("required_first", np.int64),
    ],
)
"""One chapter for one number of players.

Masks over cards are uint64 (`deck`, `suit_mask`, ...), masks over the roster too (`required`, `partners`); a term's
bounds are `low + low_threat * threat` and `high + high_threat * threat`. `pyramid` is the number of slots, 0 without one;
slot masks (`pyramid_*`) number the slots from the bottom row's left. `holder_card` is the card whose holder chooses
first (and takes the `bearer`, a roster index or -1). Sources of the values: the scenario's files.
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
    rules.term_cards[role, index] = _mask(select(cards, scenario.cards))
    rules.low[role, index], rules.low_threat[role, index] = _target(
        term.exactly if term.exactly is not None else term.at_least, players, -NO_LIMIT
    )
    rules.high[role, index], rules.high_threat[role, index] = _target(
        term.exactly if term.exactly is not None else term.at_most, players, NO_LIMIT
    )
    rules.window[role, index] = term.last or 0
    rules.compare[role, index] = _COMPARE[term.compare]
    rules.ties[role, index] = term.ties
    rules.scope[role, index] = _SCOPES[term.of]


def fill_role(rules: np.record, role: int, character: Character, scenario: Scenario, players: int, names: list[str]) -> None:
    """Write one character's goal, setup and abilities into the rules record at roster index `role`.

    Raises UserError for a goal of too many terms.
    """
    if len(character.goal) > TERMS:
        raise UserError(f"characters.{names[role]}.goal: {len(character.goal)} terms; at most {TERMS} are allowed")
    rules.terms[role] = len(character.goal)
    for index, term in enumerate(character.goal):
        _fill_term(rules, role, index, term, scenario, players)
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


def _fill_setup(rules: np.record, role: int, character: Character, scenario: Scenario, names: list[str]) -> None:
    steps = [action for action in character.setup for _ in range(action.times)]
    if len(steps) > ACTIONS:
        raise UserError(f"characters.{names[role]}.setup: {len(steps)} actions; at most {ACTIONS} are allowed")
    if character.names_leader:
        raise UserError(f"characters.{names[role]}.names_leader: the engine does not play this ability yet")
    rules.actions[role] = len(steps)
    for index, action in enumerate(steps):
        plain = not (action.simultaneous or action.each or action.draw > 1)
        if action.do not in _ACTIONS or not plain:
            raise UserError(
                f"characters.{names[role]}.setup: the engine does not play {action.do!r}"
                f"{'' if plain else ' in this form'} yet; it plays {', '.join(_ACTIONS)}"
            )
        rules.action[role, index] = _ACTIONS[action.do]
        partners = [action.with_] if isinstance(action.with_, str) else action.with_
        for other, name in enumerate(names):
            identity = scenario.characters[name].identity or name
            wanted = "any" in partners or identity in partners
            if other != role and wanted and identity not in action.except_:
                rules.partners[role, index] |= np.uint64(1 << other)
        if action.redraw_if_lost:
            rules.redraw_suits[role, index] = _mask(select(list(action.redraw_if_lost), scenario.cards))


def fill_deck(rules: np.record, scenario: Scenario) -> None:
    """Write the deck: masks of suits and ranks, suit and rank of every slot, locked suits, the declaring card."""
    letters = list(scenario.suits)
    if len(letters) > SUITS:
        raise UserError(f"suits: {len(letters)}; at most {SUITS} are allowed")
    deck = scenario.cards
    rules.cards = len(deck)
    rules.deck = _mask(list(range(len(deck))))
    rules.suits = len(letters)
    for slot, card in enumerate(deck):
        suit, rank = parse_card(card)
        rules.suit_of[slot] = letters.index(suit)
        rules.rank_of[slot] = rank
        rules.rank_mask[rank] |= np.uint64(1 << slot)
    for index, letter in enumerate(letters):
        rules.suit_mask[index] = _mask(select(letter, deck))
        if scenario.suits[letter].lead_locked:
            rules.locked |= rules.suit_mask[index]
    rules.declaring = _mask(select([scenario.declaring] if scenario.declaring else [], deck))


def blank_rules() -> np.record:
    """Return an empty rules record (a view, so that fields can be assigned in kernels and in Python)."""
    return np.zeros(1, RULES).view(np.recarray)[0]


@functools.lru_cache(maxsize=256)
def _compiled(key: str, players: int) -> np.record:
    scenario = _BY_KEY[key]
    rules = blank_rules()
    size = scenario.deals[players]
    fill_deck(rules, scenario)
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
            rules.holder_card = _mask(select(character.taken_with, scenario.cards))
    rules.threats = _mask(list(scenario.threats))
    if size.pyramid:
        _fill_pyramid(rules, scenario.pyramids[size.pyramid].rows, scenario.pyramids[size.pyramid].face_up)
    house = scenario.rules
    rules.declare_after = house.declare == "after_trick"
    rules.take_optional = house.take_lost == "optional"
    rules.holder_first = house.first_without_bearer == "holder"
    rules.rejected_back = house.rejected_threat == "shuffled_back"
    rules.required_first = house.solo_selection == "required_first"
    return rules


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


def compile_rules(scenario: Scenario, players: int) -> np.record:
    """Return the rules of `scenario` for `players` people (dtype RULES), cached.

    Raises UserError when the scenario has no deal for that number or uses an action that the engine does not play.
    """
    if players not in scenario.deals:
        allowed = ", ".join(map(str, scenario.deals))
        raise UserError(f"--players {players}: chapter {scenario.label} has deals for {allowed} players")
    key = scenario.hash
    _BY_KEY[key] = scenario
    return _compiled(key, players)
