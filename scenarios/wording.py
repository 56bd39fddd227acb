"""Goals and setup actions in words, made from the data: what `show` says of a character without a text of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scenarios.model import Character, Event, Scenario, SetupAction, Target, Term

_MEASURES = {
    "tricks": "tricks won",
    "cards": "cards won of {cards}",
    "tricks_with": "tricks won with a card of {cards}",
    "tricks_without": "tricks won without a card of {cards}",
    "streak": "tricks won, all in a row",
    "distinct_ranks": "ranks won in {cards}",
    "same_rank": "cards of one rank won in {cards}",
    "run": "ranks in a row won in {cards}",
    "last_card": "last card played, of {cards}",
    "kept_suit": "cards won of a suit that is left in hand",
    "leads": "tricks led with a card of {cards}",
}
_COMPARISONS = {
    "fewest": "fewer than every other character",
    "most": "more than every other character",
    "between": "neither fewest nor most",
}
_SCOPES = {"self": "", "each_other": "every other character: ", "each": "every character: "}
_ACTIONS = {
    "take_lost": "take the lost card",
    "choose_threat": "choose a threat",
    "give_each": "give one card to every other character",
    "pass_right": "everybody at once passes a card to the right",
    "show_hand": "lay the hand open",
    "declare": "declare to win more or fewer tricks than the threat says",
    "tuck": "tuck a card under the character, to be taken back between tricks",
    "set_aside": "set a card aside, face up, for the last trick",
    "play_ahead": "lay a card face up, to be played in the first trick",
}


def goal_in_words(character: Character) -> str:
    """Return a character's goal, all its terms, such as `tricks won: at least 1, at most 2`."""
    return "; ".join(_term(term) for term in character.goal) or "none"


def action_in_words(action: SetupAction, names: Mapping[str, str], suits: Mapping[str, str]) -> str:
    """Return a setup action, such as `exchange with Frodo or Sam`; `names` are those of identities, `suits` of suits."""
    if action.do == "exchange":
        return _exchange(action, names)
    if action.do == "draw_threat":
        drawn = "draw a threat" if action.draw == 1 else f"draw {action.draw} threats and keep {action.keep}"
        lost = [suits.get(letter, letter) for letter in action.redraw_if_lost]
        return drawn + (f", again when the card of its rank in {_either(lost)} is lost" if lost else "")
    if action.do == "choose_threat" and action.among:
        return "choose " + _either([" and ".join(map(str, group)) for group in action.among])
    if action.do == "take_pile":
        return f"take {action.cards} cards of the pile"
    if action.do == "swap_lost":
        swap = "swap a card for the lost one"
        if action.spares_wanted:
            swap += " (but none that a threat drawn so far asks for)"
        listed = [action.with_] if isinstance(action.with_, str) else action.with_
        return swap + (f", or exchange with {_either([names.get(name, name) for name in listed])}" if any(listed) else "")
    return _ACTIONS[action.do]


def draw_in_words(scenario: Scenario, players: Sequence[int] = (1, 2, 3, 4)) -> list[str]:
    """Return what is drawn for so many people, such as `4 of others: Elrond, ...`; nothing for a chapter that is not drawn."""
    draw = scenario.draw
    if draw is None:
        return []
    said = []
    for name, group in draw.groups.items():
        counts = _target({str(number): group.count[str(number)] for number in sorted(players)})
        names = ", ".join(scenario.characters[one].name for one in group.among)
        said.append(f"{counts} of {name}: {names}")
    if draw.turning is not None:
        names = ", ".join(scenario.characters[one].name for one in draw.turning.sides.values())
        said.append(f"{draw.turning.count} of them turned: {names}")
    if scenario.drawn_curses:
        said.append(f"one wandering curse: {', '.join(curse.name for curse in scenario.drawn_curses.values())}")
    return said


def event_in_words(event: Event) -> str:
    """Return what an event does, for one that has no text of its own."""
    said = []
    if event.reveal is not None:
        tests = {
            "winner": "a winning card of lower rank loses the trick to nobody",
            "sum": "a trick whose ranks add up to less fails all",
        }
        said.append(f"cards of {' '.join(event.reveal.cards)} are turned up for each trick: {tests[event.reveal.test]}")
    if event.pile is not None:
        said.append("cards lie aside, face down")
    if event.changes:
        said.append(f"other goals or setup for {', '.join(event.changes)}")
    if event.trumps:
        said.append(f"{event.trumps} are trumps")
    if event.cast == "random":
        said.append("characters are dealt at random")
    if event.deal_steps:
        said.append(f"cards are dealt in steps of {', '.join(map(str, event.deal_steps))} and passed on after each")
    if event.face_down:
        said.append(f"{event.face_down} plays face down")
    if event.hidden_threats:
        said.append("threats are hidden")
    if event.simultaneous:
        said.append("all exchanges are made at once")
    return "; ".join(said)


def _exchange(action: SetupAction, names: Mapping[str, str]) -> str:
    if action.with_ == "any":
        partners = "every other character" if action.each else "any other character"
    else:
        listed = [action.with_] if isinstance(action.with_, str) else action.with_
        named = [names.get(name, name) for name in listed]
        partners = " and ".join(named) if action.each else _either(named)
    but = f" but {_either([names.get(name, name) for name in action.except_])}" if action.except_ else ""
    often = f", {action.times} times" if action.times > 1 else ""
    return f"exchange with {partners}{but}{often}{', all at once' if action.simultaneous else ''}"


def _either(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _term(term: Term) -> str:
    cards = term.cards if isinstance(term.cards, str) else " ".join(term.cards or [])
    measure = _MEASURES[term.measure].format(cards="the deck" if cards == "all" else cards)
    if term.last:
        measure += f" among the last {term.last}"
    wanted = [_COMPARISONS[term.compare]] if term.compare else []
    if term.ties:
        wanted.append("ties allowed")
    for word, target in (("at least", term.at_least), ("at most", term.at_most), ("exactly", term.exactly)):
        if target is not None:
            wanted.append(f"{word} {_target(target)}")
    declared = f"when {term.declared} is declared, " if term.declared else ""
    declared += f"beside {term.beside}, " if term.beside else ""
    declared += f"without {term.unless}, " if term.unless else ""
    return f"{declared}{_SCOPES[term.of]}{measure}: {', '.join(wanted)}"


def _target(target: Target) -> str:
    """Return a target; of a table, each number with the players for whom it holds."""
    if not isinstance(target, dict):
        return {"threat": "the threat", "threat+1": "the threat + 1", "threat-1": "the threat - 1"}.get(str(target), str(target))
    players: dict[int, list[str]] = {}
    for number, value in target.items():
        players.setdefault(value, []).append(number)
    if len(players) == 1:
        return str(next(iter(players)))
    return " or ".join(
        f"{value} ({', '.join(numbers)} player{'' if numbers == ['1'] else 's'})" for value, numbers in players.items()
    )
