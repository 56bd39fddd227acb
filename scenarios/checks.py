"""What has to agree between the parts of a scenario: deck, deals, threats, roster, goals, setup. Each mistake is one line."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios import cards as notation
from scenarios.errors import UserError, nearest
from scenarios.model import CardSet, Character, DealSize, Scenario, SetupAction, Target, Term

MAX_SLOTS = 64
MAX_ROSTER = 16
COMPARABLE = ("tricks", "cards")
NEEDS_CARDS = ("cards", "tricks_with", "tricks_without", "distinct_ranks", "same_rank", "run", "last_card", "leads")
FIELDS_OF_ACTIONS = {
    "with_": ("exchange",),
    "except_": ("exchange",),
    "times": ("exchange",),
    "simultaneous": ("exchange",),
    "each": ("exchange",),
    "redraw_if_lost": ("draw_threat",),
    "keep": ("draw_threat",),
    "draw": ("draw_threat",),
}
"""Which setup actions a field is for; it would be passed over in silence with another one."""


def check_scenario(scenario: Scenario, library: Mapping[str, Character], where: str) -> None:
    """Raise UserError for the first thing that does not fit; `library` holds the characters that may be named."""
    if len(scenario.cards) > MAX_SLOTS:
        raise UserError(f"{where}: deck: {len(scenario.cards)} cards; at most {MAX_SLOTS} are allowed")
    _check_deals(scenario, where)
    if len(set(scenario.threats)) != len(scenario.threats):
        raise UserError(f"{where}: threats: {list(scenario.threats)} names a number twice")
    _check_never_lost(scenario, where)
    _check_roster(scenario, where)
    _check_threats(scenario, where)
    for name, character in scenario.characters.items():
        _check_abilities(name, character, scenario, library, f"{where}: characters.{name}")
        _check_setup(character, scenario, library, f"{where}: characters.{name}.setup")
        for number, term in enumerate(character.goal):
            _check_term(term, scenario, _drawn(character) > 0, f"{where}: characters.{name}.goal[{number}]")


def people(players: int) -> str:
    """Return `1 player has` or `3 players have`."""
    return "1 player has" if players == 1 else f"{players} players have"


# Deck and deals.


def _check_deals(scenario: Scenario, where: str) -> None:
    if not scenario.deals:
        raise UserError(f"{where}: deal: no number of players is given")
    for players, size in scenario.deals.items():
        key = f"{where}: deal.{players}"
        seats = 4 if players in (1, 4) else 3
        if size.seats != seats:
            raise UserError(f"{key}.seats = {size.seats}: {people(players)} {seats} seats")
        total = size.seats * size.hand + size.lost + size.draw_deck
        if total != len(scenario.cards):
            raise UserError(
                f"{key}: {size.seats} hands of {size.hand}, {size.lost} lost and {size.draw_deck} to draw "
                f"are {total} cards; the deck has {len(scenario.cards)}"
            )
        if (players == 2) != bool(size.pyramid) or (players == 1) != bool(size.draw_deck):
            raise UserError(f"{key}: two players need a pyramid, one player a draw deck, others neither")
        if size.pyramid:
            _check_pyramid(size, scenario, f"{key}.pyramid = '{size.pyramid}'")


def _check_pyramid(size: DealSize, scenario: Scenario, where: str) -> None:
    if size.pyramid not in scenario.pyramids:
        allowed = ", ".join(scenario.pyramids)
        raise UserError(f"{where}: allowed are {allowed}{nearest(size.pyramid, scenario.pyramids)}")
    rows = sum(scenario.pyramids[size.pyramid].rows)
    if rows != size.hand:
        raise UserError(f"{where}: has {rows} cards; the hand has {size.hand}")


def _check_never_lost(scenario: Scenario, where: str) -> None:
    kept = scenario.never_lost
    for card in kept:
        if card not in scenario.cards:
            raise UserError(f"{where}: never_lost: '{card}' is not in the deck{nearest(card, scenario.cards)}")
        if kept.count(card) > 1:
            raise UserError(f"{where}: never_lost: names {card} twice")
    # One player's four hands: the card that decides who begins is dealt before the lost one.
    bound = [character.taken_with for character in scenario.characters.values() if character.taken_with]
    for players, size in scenario.deals.items():
        first = (bound or [scenario.declaring])[:1] if players == 1 else []
        left = len(set(scenario.cards) - set(kept) - set(first))
        if left < size.lost:
            raise UserError(f"{where}: never_lost: leaves {left} cards that may be lost; deal.{players} loses {size.lost}")


# Roster.


def _check_roster(scenario: Scenario, where: str) -> None:
    roster, characters = scenario.roster, scenario.characters
    if len(roster) > MAX_ROSTER:
        raise UserError(f"{where}: roster: {len(roster)} characters; at most {MAX_ROSTER} are allowed")
    required = [entry.character for entry in roster if entry.required]
    for players, size in scenario.deals.items():
        if len(required) > size.seats:
            raise UserError(f"{where}: roster: {len(required)} characters are required, but {people(players)} {size.seats} seats")
        if len(roster) < size.seats:
            raise UserError(f"{where}: roster: {len(roster)} characters, but {people(players)} {size.seats} seats")
        extra = sum(sorted(characters[entry.character].solo.extra_cards for entry in roster)[-size.seats :])
        if players == 1 and extra > size.draw_deck:
            raise UserError(f"{where}: roster: solo.extra_cards may take {extra} cards; the draw deck has {size.draw_deck}")
    bound = [name for name, character in characters.items() if character.taken_with]
    if len(bound) > 1:
        raise UserError(f"{where}: roster: {' and '.join(bound)} are both taken with a card; one at most is allowed")
    leading = [name for name, character in characters.items() if character.leads_first and not character.taken_with]
    if len(leading) > 1:
        raise UserError(f"{where}: roster: {' and '.join(leading)} both lead first; one at most is allowed")
    for name in bound:
        card = characters[name].taken_with
        if card not in scenario.cards:
            raise UserError(f"{where}: characters.{name}.taken_with = '{card}': is not in the deck")
        if card not in scenario.never_lost:
            raise UserError(f"{where}: never_lost: must name {card}, the card that {name} is taken with")
        if name not in required:
            raise UserError(f"{where}: roster: {name} is taken with {card}, so required = true must stand with it")


# Characters.


def _check_abilities(name: str, character: Character, scenario: Scenario, library: Mapping[str, Character], where: str) -> None:
    check_cards(character.keeps, scenario, f"{where}.keeps")
    for number, lending in enumerate(character.lends):
        key = f"{where}.lends[{number}]"
        if lending.to not in library:
            raise UserError(f"{key}.to = '{lending.to}': there is no such character{nearest(lending.to, library)}")
        if lending.to == name:
            raise UserError(f"{key}.to = '{lending.to}': is the character itself")
        if not lending.cards:
            raise UserError(f"{key}.cards: names no card")
        check_cards(lending.cards, scenario, f"{key}.cards")


def check_cards(cards: CardSet, scenario: Scenario, where: str, *, may_use_threat: bool = False) -> None:
    """Raise UserError unless each part of a card set names a card of the deck (for some threat, where it may use that)."""
    for text in [cards] if isinstance(cards, str) else cards:
        try:
            chosen = notation.select(text, scenario.cards)
        except ValueError as error:
            raise UserError(f"{where}: {error}") from None
        unknown = [letter for letter in notation.suits_of(text, list(scenario.suits)) if letter not in scenario.suits]
        if unknown:
            raise UserError(f"{where}: '{unknown[0]}' is no suit; allowed are {', '.join(scenario.suits)}")
        if notation.by_threat(text):
            if not may_use_threat:
                raise UserError(f"{where}: '{text}': the threat stands in goals only")
            chosen = [
                slot for threat in scenario.threats or range(1, 16) for slot in notation.select(text, scenario.cards, threat)
            ]
        if not chosen:
            raise UserError(f"{where}: '{text}' names no card of the deck")


def _check_setup(character: Character, scenario: Scenario, library: Mapping[str, Character], where: str) -> None:
    identities = {other.identity or name for name, other in library.items()}
    usual = SetupAction(do="exchange")
    for number, action in enumerate(character.setup):
        key = f"{where}[{number}]"
        for field, actions in FIELDS_OF_ACTIONS.items():
            if action.do not in actions and getattr(action, field) != getattr(usual, field):
                raise UserError(f"{key}.{field.rstrip('_')}: is for {' and '.join(actions)}, not for {action.do}")
        if action.do == "exchange" and not action.with_:
            raise UserError(f'{key}: an exchange needs with = [names] or with = "any"')
        partners = [action.with_] if isinstance(action.with_, str) else action.with_
        for partner in [*partners, *action.except_]:
            if partner not in ("", "any") and partner not in identities:
                raise UserError(f"{key}: exchange partner '{partner}' is no character{nearest(partner, identities)}")
        for letter in action.redraw_if_lost:
            if letter not in scenario.suits:
                raise UserError(f"{key}.redraw_if_lost: '{letter}' is no suit; allowed are {', '.join(scenario.suits)}")
        if action.keep > action.draw:
            raise UserError(f"{key}.keep = {action.keep}: more than the {action.draw} drawn (draw)")


# Goals.


def _check_term(term: Term, scenario: Scenario, draws: bool, where: str) -> None:
    _check_comparison(term, where)
    if (term.measure in NEEDS_CARDS) != (term.cards is not None):
        raise UserError(
            f"{where}.cards: the measure {term.measure} {'needs' if term.measure in NEEDS_CARDS else 'takes no'} cards"
        )
    if term.last and term.measure != "tricks":
        raise UserError(f"{where}.last: allowed with the measure tricks")
    if term.last and term.of != "self":
        raise UserError(f'{where}.last: allowed for the character itself (of = "self")')
    if term.of != "self" and term.measure not in COMPARABLE:
        raise UserError(f"{where}.of = '{term.of}': allowed with the measures {' and '.join(COMPARABLE)}")
    targets = {"at_least": term.at_least, "at_most": term.at_most, "exactly": term.exactly}
    for name, value in targets.items():
        if isinstance(value, dict) and sorted(value) != ["1", "2", "3", "4"]:
            raise UserError(f"{where}.{name}: a table by players needs the keys 1, 2, 3 and 4")
    if not draws and (notation.by_threat(term.cards) or any(isinstance(value, str) for value in targets.values())):
        raise UserError(f"{where}: uses the threat, but the character's setup draws none")
    if term.cards is not None:
        if not term.cards:
            raise UserError(f"{where}.cards: names no card")
        check_cards(term.cards, scenario, f"{where}.cards", may_use_threat=True)
    _check_reach(term, scenario, where)


def _check_comparison(term: Term, where: str) -> None:
    targets = [name for name in ("at_least", "at_most", "exactly") if getattr(term, name) is not None]
    if term.compare and targets:
        raise UserError(f"{where}: compare = '{term.compare}' and {targets[0]} exclude each other")
    if not term.compare and not targets:
        raise UserError(f"{where}: one of at_least, at_most, exactly or compare is needed")
    if "exactly" in targets and len(targets) > 1:
        raise UserError(f"{where}: exactly and {targets[0]} exclude each other")
    if term.compare and (term.measure not in COMPARABLE or term.last or term.of != "self"):
        raise UserError(f"{where}: compare: allowed with the measures {' and '.join(COMPARABLE)} of the character itself")
    if term.compare == "between" and term.measure != "tricks":
        raise UserError(f"{where}: compare = 'between': allowed with the measure tricks")
    if term.ties and term.compare not in ("fewest", "most"):
        raise UserError(f"{where}.ties: allowed with compare = 'fewest' and 'most'")


def _check_reach(term: Term, scenario: Scenario, where: str) -> None:
    """Raise UserError for targets that nobody can meet, whatever the threat."""
    threats = scenario.threats or (0,)
    for players in scenario.deals:
        low, high = term.at_least, term.at_most
        if low is not None and high is not None:
            if all(_number(low, players, threat) > _number(high, players, threat) for threat in threats):
                low, high = (value[str(players)] if isinstance(value, dict) else value for value in (low, high))
                raise UserError(f"{where}: at_least = {low} is more than at_most = {high}: nobody can meet that")
        wanted = term.at_least if term.exactly is None else term.exactly
        if term.measure == "cards" and term.cards is not None and wanted is not None:
            there = max(len(notation.select(term.cards, scenario.cards, threat)) for threat in threats)
            least = min(_number(wanted, players, threat) for threat in threats)
            if least > there:
                raise UserError(f"{where}: asks for {least} cards; the deck has {there} of them")


def _number(target: Target, players: int, threat: int) -> int:
    """Return a target as a number, once the threat is drawn."""
    if isinstance(target, dict):
        return target[str(players)]
    return threat + int(target.removeprefix("threat") or 0) if isinstance(target, str) else target


# Threats.


def _drawn(character: Character) -> int:
    """Return how many threats a character's setup turns up."""
    return sum(
        action.draw if action.do == "draw_threat" else 1
        for action in character.setup
        if action.do in ("draw_threat", "choose_threat")
    )


def _check_threats(scenario: Scenario, where: str) -> None:
    """Raise UserError when one round may need more threats than there are."""
    for name, character in scenario.characters.items():
        if _drawn(character) and not scenario.threats:
            raise UserError(f"{where}: threats: {name} draws a threat, but the chapter has no threat deck")
    required = [entry.character for entry in scenario.roster if entry.required]
    others = sorted((_drawn(c) for name, c in scenario.characters.items() if name not in required), reverse=True)
    again = any(action.redraw_if_lost for character in scenario.characters.values() for action in character.setup)
    for players, size in scenario.deals.items():
        need = sum(_drawn(scenario.characters[name]) for name in required) + sum(others[: size.seats - len(required)])
        if again and need:
            # Each lost card makes one number void at most.
            need += size.lost
        if need > len(scenario.threats):
            have = f"{len(scenario.threats)} number{'' if len(scenario.threats) == 1 else 's'}"
            more = "; redraws for lost cards included" if again else ""
            raise UserError(f"{where}: threats: {have}; {need} may be drawn in one round (deal.{players}{more})")
