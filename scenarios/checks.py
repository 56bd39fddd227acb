"""What has to agree between the parts of a scenario: deck, deals, threats, roster, goals, setup. Each mistake is one line."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios import cards as notation
from scenarios.errors import UserError, nearest
from scenarios.model import CardSet, Chapter, Character, Curse, DealSize, Event, Scenario, SetupAction, Target, Term

MAX_SLOTS = 64
MAX_ROSTER = 16
COMPARABLE = ("tricks", "cards")
NEEDS_CARDS = ("cards", "tricks_with", "tricks_without", "distinct_ranks", "same_rank", "run", "last_card", "leads")
FIELDS_OF_ACTIONS = {
    "with_": ("exchange", "swap_lost"),
    "except_": ("exchange",),
    "times": ("exchange",),
    "simultaneous": ("exchange",),
    "each": ("exchange",),
    "redraw_if_lost": ("draw_threat",),
    "keep": ("draw_threat",),
    "draw": ("draw_threat",),
    "among": ("choose_threat",),
    "cards": ("take_pile",),
    "spares_wanted": ("swap_lost",),
}
"""Which setup actions a field is for; it would be passed over in silence with another one."""
AT_MOST_ONE = ("tuck", "set_aside", "play_ahead")
"""Setup actions that one character of a roster may have, and once."""
MAX_REVEALED = 16
MAX_PILE = 16


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
        declares = any(action.do == "declare" for action in character.setup)
        for number, term in enumerate(character.goal):
            key = f"{where}: characters.{name}.goal[{number}]"
            if term.declared and not declares:
                raise UserError(f"{key}.declared = '{term.declared}': the character's setup declares nothing (do = \"declare\")")
            for name_of in (term.beside, term.unless):
                if name_of and name_of not in library:
                    field = "beside" if name_of == term.beside else "unless"
                    raise UserError(f"{key}.{field} = '{name_of}': there is no such character{nearest(name_of, library)}")
            _check_term(term, scenario, _drawn(character) > 0, key)
    _check_abilities_of_all(scenario, where)
    if scenario.event is not None:
        _check_event(scenario, scenario.event, library, f"{where}: event '{scenario.event_key}'")
    for name, (curse, burden) in scenario.curses.items():
        for number, term in enumerate(burden.terms):
            _check_term(term, scenario, False, f"{where}: curses.{name} = '{curse}': terms[{number}]")
    for name, gift in scenario.gifts.items():
        if gift.owner not in scenario.characters:
            raise UserError(f"{where}: gifts: {name} is for {gift.owner}, who is not in the roster")
    wandering = [scenario.wandering] if scenario.wandering is not None else []
    for curse, burden in [*wandering, *scenario.drawn_curses.items()]:
        for number, term in enumerate(burden.terms):
            _check_term(term, scenario, False, f"{where}: wandering_curse = '{curse}': terms[{number}]")
    if scenario.wandering is not None and not bearers(scenario.wandering[1], scenario.characters):
        raise UserError(f"{where}: wandering_curse = '{scenario.wandering[0]}': is for nobody in the roster")


def bearers(curse: Curse, characters: Mapping[str, Character]) -> list[str]:
    """Return the characters that may get a wandering curse: none that is burdened already, and who draws a threat to hide one.

    Source: rule book, "The Road Goes Ever On" [seed][ttcg].
    """
    return [
        name
        for name, character in characters.items()
        if not character.burdened and (not curse.hides_threat or any(action.do == "draw_threat" for action in character.setup))
    ]


def check_draw(content: Chapter, library: Mapping[str, Character], curses: Mapping[str, Curse], where: str) -> None:
    """Raise UserError for the first thing of a chapter's [draw] that cannot be drawn."""
    draw = content.draw
    if draw is None:
        return
    if content.rounds:
        raise UserError(f"{where}: draw: does not go with kinds of round (rounds)")
    if content.wandering_curse and draw.curses:
        raise UserError(f"{where}: wandering_curse = '{content.wandering_curse}': is drawn (draw.curses); leave one of them out")
    fixed = [entry.character for entry in content.roster]
    seen: set[str] = set(fixed)
    most = len(fixed)
    for key, group in draw.groups.items():
        for index, name in enumerate(group.among):
            place = f"{where}: draw.groups.{key}.among[{index}] = '{name}'"
            if name not in library:
                raise UserError(f"{place}: there is no such character{nearest(name, library)}")
            if name in seen:
                raise UserError(f"{place}: is in the roster or in a group already")
            seen.add(name)
        for players, number in group.count.items():
            if players not in ("1", "2", "3", "4"):
                raise UserError(f"{where}: draw.groups.{key}.count.{players}: the number of players must be 1 to 4")
            if number > len(group.among):
                raise UserError(f"{where}: draw.groups.{key}.count.{players} = {number}: there are {len(group.among)} characters")
        if len(group.count) < 4:
            raise UserError(f"{where}: draw.groups.{key}.count: a table by players needs the keys 1, 2, 3 and 4")
        most += max(group.count.values())
    # A wandering curse takes a place of its own in the engine's tables.
    if most + 1 > MAX_ROSTER:
        raise UserError(f"{where}: draw: {most} characters; at most {MAX_ROSTER - 1} are allowed")
    if draw.turning is not None:
        _check_turning(content, library, where)
    for index, curse in enumerate(draw.curses):
        if curse not in curses:
            raise UserError(f"{where}: draw.curses[{index}] = '{curse}': allowed are {', '.join(curses)}{nearest(curse, curses)}")
    free = [curse for curse in draw.curses if not curses[curse].hides_threat and len(curses[curse].players) == 4]
    if draw.curses and not free:
        raise UserError(f"{where}: draw.curses: none of them is for every group; add one that hides no threat")


def _check_turning(content: Chapter, library: Mapping[str, Character], where: str) -> None:
    draw = content.draw
    if draw is None or draw.turning is None:
        return
    for name, other in draw.turning.sides.items():
        place = f"{where}: draw.turning.sides.{name} = '{other}'"
        drawable = [one for group in draw.groups.values() for one in group.among]
        if name not in drawable:
            raise UserError(f"{where}: draw.turning.sides.{name}: is in no group{nearest(name, drawable)}")
        if other not in library:
            raise UserError(f"{place}: there is no such character{nearest(other, library)}")
        if other in drawable or other in [entry.character for entry in content.roster]:
            raise UserError(f"{place}: is in the roster or in a group already")
    # However the draw falls, enough of those drawn must have another side.
    for players in ("1", "2", "3", "4"):
        least = sum(
            max(0, group.count[players] - sum(name not in draw.turning.sides for name in group.among))
            for group in draw.groups.values()
        )
        if least < draw.turning.count:
            raise UserError(
                f"{where}: draw.turning.count = {draw.turning.count}: as few as {least} characters drawn for {players} "
                "players may have another side"
            )


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
        check_cards(size.without, scenario, f"{key}.without")
        deck = len(scenario.cards) - len(notation.select(size.without, scenario.cards))
        pile = scenario.event.pile if scenario.event is not None else None
        aside = pile.cards.get(str(players), 0) if pile is not None else 0
        if total + aside != deck:
            also = f", {aside} set aside" if aside else ""
            raise UserError(
                f"{key}: {size.seats} hands of {size.hand}, {size.lost} lost{also} and {size.draw_deck} to draw "
                f"are {total + aside} cards; the deck has {deck}"
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
    if not roster:
        raise UserError(f"{where}: the key 'roster' is missing")
    limit = MAX_ROSTER - (scenario.wandering is not None)
    if scenario.draw is None and len(roster) > limit:
        raise UserError(f"{where}: roster: {len(roster)} characters; at most {limit} are allowed")
    required = [entry.character for entry in roster if entry.required]
    for players, size in scenario.deals.items():
        if len(required) > size.seats:
            raise UserError(f"{where}: roster: {len(required)} characters are required, but {people(players)} {size.seats} seats")
        drawn = sum(group.count[str(players)] for group in scenario.draw.groups.values()) if scenario.draw is not None else 0
        among = scenario.draw.names if scenario.draw is not None else {}
        if sum(entry.character not in among for entry in roster) + drawn < size.seats:
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
        dealt = scenario.event is not None and scenario.event.cast == "random"
        if card not in scenario.never_lost and not dealt:
            raise UserError(f"{where}: never_lost: must name {card}, the card that {name} is taken with")


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


def _check_abilities_of_all(scenario: Scenario, where: str) -> None:
    """Raise UserError for what only one character of a roster may have."""
    for name in AT_MOST_ONE:
        having = [key for key, one in scenario.characters.items() if any(action.do == name for action in one.setup)]
        if len(having) > 1:
            raise UserError(f"{where}: roster: {' and '.join(having)} both do {name}; one at most is allowed")
    free = [key for key, one in scenario.characters.items() if one.free_play]
    if len(free) > 1:
        raise UserError(f"{where}: roster: {' and '.join(free)} both have free_play; one at most is allowed")
    announcing = [name for name, gift in scenario.gifts.items() if gift.announces]
    if len(announcing) > 1:
        raise UserError(f"{where}: gifts: {' and '.join(announcing)} both announce suits; one at most is allowed")
    for what in ("fetches_lost", "frees_first"):
        having = [name for name, gift in scenario.gifts.items() if getattr(gift, what)]
        if len(having) > 1:
            raise UserError(f"{where}: gifts: {' and '.join(having)} both have {what}; one at most is allowed")


def _check_event(scenario: Scenario, event: Event, library: Mapping[str, Character], where: str) -> None:
    if event.trumps and event.trumps not in scenario.suits:
        raise UserError(f"{where}: trumps = '{event.trumps}': allowed are {', '.join(scenario.suits)}")
    if event.face_down and event.face_down not in library:
        raise UserError(
            f"{where}: face_down = '{event.face_down}': there is no such character{nearest(event.face_down, library)}"
        )
    if event.reveal is not None:
        try:
            cards = revealed_cards(event)
        except ValueError as error:
            raise UserError(f"{where}: reveal.cards: {error}") from None
        for players in scenario.deals:
            each = event.reveal.each.get(str(players), 0)
            if not 1 <= each <= len(cards) <= MAX_REVEALED:
                raise UserError(
                    f"{where}: reveal: {len(cards)} cards, {each} each trick with {players} players; "
                    f"1 to {MAX_REVEALED} cards are allowed, and no more each trick than there are"
                )
    if event.pile is not None:
        check_cards(event.pile.without, scenario, f"{where}: pile.without")
        for players in scenario.deals:
            if not 1 <= event.pile.cards.get(str(players), 0) <= MAX_PILE:
                raise UserError(f"{where}: pile.cards: needs a number from 1 to {MAX_PILE} for {players} players")
    for players, size in scenario.deals.items():
        if event.deal_steps and players in event.players and players > 1 and sum(event.deal_steps) > size.hand:
            raise UserError(f"{where}: deal_steps = {event.deal_steps}: more than the hand of {size.hand} (deal.{players})")


def revealed_cards(event: Event) -> list[str]:
    """Return the deck of an event that turns up cards for each trick; ValueError for what is no card or range."""
    cards = event.reveal.cards if event.reveal is not None else []
    letters = sorted({text[:1] for text in cards}, key=[text[:1] for text in cards].index)
    return list(notation.expand_deck(cards, letters))


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
        if action.draw > 2 or action.keep > 1:
            raise UserError(f"{key}: draw = {action.draw}, keep = {action.keep}: one threat of at most 2 may be kept")
        if action.simultaneous != action.each:
            raise UserError(f"{key}: simultaneous and each stand together: one card with every partner, all at once")
        for group in action.among:
            if group != list(range(group[0], group[0] + len(group))) or group[-1] > 15:
                raise UserError(f"{key}.among: {group}: numbers up to 15 that follow on each other")
        if len({len(group) for group in action.among}) > 1:
            raise UserError(f"{key}.among: all groups must be of one size")
        if (action.do == "take_pile") != (action.cards > 0):
            raise UserError(f"{key}.cards = {action.cards}: take_pile needs a number of cards")
        pile = scenario.event.pile if scenario.event is not None else None
        if action.do == "take_pile" and (pile is None or min(pile.cards.values()) < action.cards):
            raise UserError(f"{key}: takes {action.cards} cards of a pile; the event sets {'fewer' if pile else 'none'} aside")
    done: list[str] = [action.do for action in character.setup]
    for name in AT_MOST_ONE:
        if done.count(name) > 1:
            raise UserError(f"{where}: {name} is there {done.count(name)} times; once at most is allowed")
    if "set_aside" in done and {"take_lost", "take_pile"} & set(done):
        raise UserError(f"{where}: set_aside cannot stand beside a taking of cards, of which some stay in hand")


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
    """Return how many threats a character's setup gives it to look at, or groups of numbers in place of one."""
    return _from_deck(character) + sum(1 for action in character.setup if action.among)


def _from_deck(character: Character) -> int:
    """Return how many threats a character's setup takes from the deck."""
    return sum(
        action.draw if action.do == "draw_threat" else 1
        for action in character.setup
        if action.do == "draw_threat" or (action.do == "choose_threat" and not action.among)
    )


def _check_threats(scenario: Scenario, where: str) -> None:
    """Raise UserError when one round may need more threats than there are."""
    for name, character in scenario.characters.items():
        if _from_deck(character) and not scenario.threats:
            raise UserError(f"{where}: threats: {name} draws a threat, but the chapter has no threat deck")
    required = [entry.character for entry in scenario.roster if entry.required]
    others = sorted((_from_deck(c) for name, c in scenario.characters.items() if name not in required), reverse=True)
    again = any(action.redraw_if_lost for character in scenario.characters.values() for action in character.setup)
    for players, size in scenario.deals.items():
        need = sum(_from_deck(scenario.characters[name]) for name in required) + sum(others[: size.seats - len(required)])
        if again and need:
            # Each lost card makes one number void at most.
            need += size.lost
        if need > len(scenario.threats):
            have = f"{len(scenario.threats)} number{'' if len(scenario.threats) == 1 else 's'}"
            more = "; redraws for lost cards included" if again else ""
            raise UserError(f"{where}: threats: {have}; {need} may be drawn in one round (deal.{players}{more})")
