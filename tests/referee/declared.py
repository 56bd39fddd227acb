"""Which chapter a record is judged by: one of ours, or one that a test made up, read from its declared data by field names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .assumptions import chosen
from .chapters import Chapter, chapter, no_chapter
from .goals import Finished, named_by
from .outcome import Outcome
from .roles import Action, Goal, Role

HOUSE_RULES = {
    "take_lost": "A12",
    "first_without_bearer": "A13",
    "rejected_threat": "A14",
    "solo_selection": "A21",
}
"""How a scenario's house rules are called here."""


def settings_of(record: Mapping[str, Any], scenario: Any, assume: Mapping[str, str]) -> dict[str, str]:
    """Return the options in force: of the scenario, changed by the record's, changed by the caller's."""
    told = dict(record.get("assumptions") or {})
    if scenario is None:
        return chosen(told, assume)
    if ours(scenario):
        return chosen(scenario.assumptions, told, assume)
    rules = {name: getattr(scenario.rules, field) for field, name in HOUSE_RULES.items()}
    return chosen(rules, told, assume)


def ours(scenario: Any) -> bool:
    """Return whether a scenario stands for a chapter of the book, which we know by ourselves."""
    return scenario.label.isdigit()


def chapter_of(record: Mapping[str, Any], scenario: Any, settings: Mapping[str, str]) -> Chapter:
    """Return the chapter of a record. `scenario` only says which one, unless it is a made-up one."""
    players = record["players"]
    number = record.get("chapter")
    if scenario is not None and not ours(scenario):
        return made_up(scenario, players)
    if scenario is not None:
        number = int(scenario.label)
    if number is None:
        return no_chapter(len(record["seats"]), players)
    names = [entry["character"] for entry in record["seats"]]
    group = "first_group" if "frodo" in names else "second_group"
    return chapter(int(number), players, settings, record.get("event") if number == 14 else None, group)


def made_up(scenario: Any, players: int) -> Chapter:
    """Return a scenario of a test's own as a chapter."""
    size = scenario.deals[players]
    rows, face_up = ([], [])
    if size.pyramid:
        layout = scenario.pyramids[size.pyramid]
        rows, face_up = list(layout.rows), [list(row) for row in layout.face_up]
    return Chapter(
        None,
        players,
        seats=size.seats,
        hand=size.hand,
        lost=size.lost,
        draw_deck=size.draw_deck,
        deck=list(scenario.cards),
        roles={name: role_of(scenario, name) for name in scenario.characters},
        roster=[(entry.character, entry.required) for entry in scenario.roster],
        threats=list(scenario.threats),
        never_lost=list(scenario.never_lost),
        pyramid=rows,
        face_up=face_up,
        declaring=scenario.declaring,
        holder_card=next((c.taken_with for c in scenario.characters.values() if c.taken_with), "") or scenario.declaring,
        locked={letter for letter, told in scenario.suits.items() if told.lead_locked},
    )


def role_of(scenario: Any, name: str) -> Role:
    """Return a declared character as a role."""
    character = scenario.characters[name]
    return Role(
        goal=goal_of(scenario, name),
        setup=tuple(action_of(action) for action in character.setup),
        identity=character.identity,
        of_holder=bool(character.taken_with),
        keeps=tuple(card for card in scenario.cards if named_by(character.keeps, card, None)),
        leads_first=character.leads_first,
        names_leader=character.names_leader,
        solo_extra=character.solo.extra_cards,
        solo_refill=character.solo.refill,
    )


def action_of(action: Any) -> Action:
    """Return a declared setup action as ours."""
    partners = (action.with_,) if isinstance(action.with_, str) else tuple(action.with_)
    return Action(
        action.do,
        partners,
        tuple(action.except_),
        action.times,
        action.simultaneous,
        action.each,
        action.redraw_if_lost,
        action.draw,
        action.keep,
    )


def goal_of(scenario: Any, name: str) -> Goal:
    """Return the goal that the declared terms make up."""

    def met(round_: Outcome, seat: int) -> bool:
        characters = [scenario.characters[key] for key in round_.keys]
        finished = Finished(**vars(round_), characters=characters)
        return all(finished.term_met(term, seat) for term in scenario.characters[name].goal)

    return met
