"""Which assumptions bear on a chapter: by the chapters that they name, and by what their house rules are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from scenarios.loader import library
from scenarios.model import Assumption, Character, Scenario

Reason = Callable[[Scenario, int], str]


def _characters(scenario: Scenario) -> Iterator[Character]:
    """Yield the characters of all kinds of round, as events and gifts leave them."""
    for kind in (scenario, *scenario.rounds.values()):
        yield from kind.characters.values()


def _declare(scenario: Scenario, players: int) -> str:
    return "" if scenario.declaring else "no card of the deck may be declared to win"


def _take_lost(scenario: Scenario, players: int) -> str:
    takes = any(action.do in ("take_lost", "swap_lost") for character in _characters(scenario) for action in character.setup)
    return "" if takes else "no character takes the lost card"


def _first_without_bearer(scenario: Scenario, players: int) -> str:
    kinds = list(scenario.rounds.values()) or [scenario]
    bound = [[character for character in kind.characters.values() if character.taken_with] for kind in kinds]
    return f"{bound[0][0].name} is in every round and acts first" if all(bound) else ""


def _rejected_threat(scenario: Scenario, players: int) -> str:
    again = any(action.redraw_if_lost for character in _characters(scenario) for action in character.setup)
    return "" if again else "no threat is ever drawn again"


def _solo_selection(scenario: Scenario, players: int) -> str:
    return "" if players == 1 else "it is about one person"


REASONS: Mapping[str, Reason] = {
    "declare": _declare,
    "take_lost": _take_lost,
    "first_without_bearer": _first_without_bearer,
    "rejected_threat": _rejected_threat,
    "solo_selection": _solo_selection,
}
"""House rule -> why it cannot change a scenario for a number of players ("": it may). Rules not named here always may."""


def concerns(assumption: Assumption, label: str) -> bool:
    """Return whether an assumption names the chapter; one without chapters names all, and files of one's own may be any."""
    return not assumption.chapters or label not in library() or label in map(str, assumption.chapters)


def no_effect(scenario: Scenario, players: int, assumption: Assumption, option: str) -> str:
    """Return why an option cannot change how the scenario is played by so many people, "" where it may.

    `scenario` is the one that is compared with, under its own house rules.
    """
    if not concerns(assumption, scenario.label):
        return f"it is about {assumption.affects}"
    changed = [rule for rule, value in assumption.options[option].items() if getattr(scenario.rules, rule) != value]
    if not changed:
        return "its house rules are in force anyway"
    reasons = [REASONS[rule](scenario, players) if rule in REASONS else "" for rule in changed]
    return "; ".join(dict.fromkeys(reasons)) if all(reasons) else ""
