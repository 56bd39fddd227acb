"""From files to scenarios: find the files, put together what they refer to."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from scenarios import cards as notation
from scenarios.checks import check_draw, check_scenario
from scenarios.errors import UserError, nearest
from scenarios.model import (
    Assumption,
    Book,
    Change,
    Chapter,
    Character,
    Curse,
    DealSize,
    Event,
    Gift,
    HouseRules,
    RosterEntry,
    RoundKind,
    Scenario,
)
from scenarios.reading import among, convert, read_toml
from scenarios.variants import settle

DATA = Path(__file__).parent / "data"


def books() -> list[str]:
    """Return the names of the books of the library."""
    return sorted(path.parent.name for path in DATA.glob("*/book.toml"))


@functools.cache
def load_book(name: str, rules: HouseRules | None = None) -> Book:
    """Return a book of the library under house rules (its own when None); UserError when there is none of that name."""
    among(name, books(), "book")
    path = DATA / name / "book.toml"
    raw = read_toml(path)
    usual = convert(raw["rules"], HouseRules, str(path), "rules")
    return convert(settle(raw, rules or usual, path.name), Book, str(path))


def _load_tables(book: str, file: str, kind: type[Any], rules: HouseRules | None) -> dict[str, Any]:
    path = DATA / load_book(book).name / file
    if not path.exists():
        return {}
    raw = settle(read_toml(path), rules or load_book(book).rules, path.name)
    return {key: convert(table, kind, path.name, key) for key, table in raw.items()}


@functools.cache
def load_characters(book: str, rules: HouseRules | None = None) -> dict[str, Character]:
    """Return the characters of a book by their keys; UserError when there is no such book."""
    return _load_tables(book, "characters.toml", Character, rules)


@functools.cache
def load_events(book: str, rules: HouseRules | None = None) -> dict[str, Event]:
    """Return the events of a book by their keys; UserError when there is no such book."""
    return _load_tables(book, "events.toml", Event, rules)


@functools.cache
def load_curses(book: str, rules: HouseRules | None = None) -> dict[str, Curse]:
    """Return the curses of a book by their keys; UserError when there is no such book."""
    return _load_tables(book, "curses.toml", Curse, rules)


@functools.cache
def load_gifts(book: str, rules: HouseRules | None = None) -> dict[str, Gift]:
    """Return the gifts of a book by their keys; UserError when there is no such book."""
    return _load_tables(book, "gifts.toml", Gift, rules)


@functools.cache
def load_assumptions(book: str) -> dict[str, Assumption]:
    """Return the assumptions of a book by their names; UserError when there is no such book."""
    path = DATA / load_book(book).name / "assumptions.toml"
    return {key: convert(table, Assumption, path.name, key) for key, table in read_toml(path).items()}


@functools.cache
def chapters() -> dict[str, Path]:
    """Return the chapters of the library: label -> file, in the order of their numbers."""
    found = {str(int(path.stem)): path for path in DATA.glob("*/chapters/*.toml")}
    return dict(sorted(found.items(), key=lambda item: int(item[0])))


@functools.cache
def library() -> dict[str, Path]:
    """Return all that can be played by name: the chapters, and then what a book has beside them: label -> file."""
    return chapters() | {path.stem: path for path in sorted(DATA.glob("*/beside/*.toml"))}


def load(chapter: str | int | Path, assume: Mapping[str, str] | None = None) -> Scenario:
    """Return a chapter of the library (by number) or of a user's TOML file, resolved under `assume`.

    `14-long_dark` is one kind of round of a chapter that has several. What `assume` chooses goes before the file's own
    [rules], and these before the book's. Raises UserError with one line for an unknown chapter, an unknown assumption, or
    a file that does not fit.
    """
    text = str(chapter)
    known = library()
    number, _, kind = text.partition("-")
    if text.endswith(".toml"):
        path, label, where, kind = Path(text), Path(text).stem, text, ""
        if label in known:
            raise UserError(f"{path}: a file named like chapter {label} of the library; give it a name of its own")
    elif number in known:
        path, label, where = known[number], number, known[number].name
    else:
        have = ", ".join(known)
        raise UserError(f"chapter '{text}': allowed are {have}, or a scenario file ending in .toml{nearest(text, known)}")
    raw = read_toml(path)
    book = raw.get("book", "fellowship")
    among(str(book), books(), f"{where}: book")
    rules = _house_rules(
        convert(raw.get("rules", {}), dict[str, str], where, "rules"), load_book(book), dict(assume or {}), where
    )
    scenario = _resolve(convert(settle(raw, rules, where), Chapter, where), label, where, rules)
    if kind and kind not in scenario.rounds:
        names = [f"{label}-{name}" for name in scenario.rounds] or [label]
        raise UserError(f"chapter '{text}': allowed are {', '.join(names)}{nearest(text, names)}")
    return msgspec.structs.replace(scenario.rounds[kind], alone=True) if kind else scenario


def _resolve(content: Chapter, label: str, where: str, rules: HouseRules) -> Scenario:
    """Return the scenario of a chapter, with one of its own for each kind of round."""
    if not content.rounds:
        return _one_kind(content, label, where, rules)
    found = {}
    for kind, other in content.rounds.items():
        key = f"{where}: rounds.{kind}"
        for before in other.after:
            among(before, content.rounds, f"{key}.after")
        resolved = _one_kind(_chapter_of_kind(content, other, key), label, key, rules)
        found[kind] = msgspec.structs.replace(
            resolved, kind=kind, kind_title=other.title, times=other.times, after=tuple(other.after)
        )
    first = next(iter(found.values()))
    entries = {entry.character: entry for scenario in found.values() for entry in reversed(scenario.roster)}
    everybody = {name: character for scenario in found.values() for name, character in scenario.characters.items()}
    plain = _one_kind(msgspec.structs.replace(content, rounds={}), label, where, rules) if content.roster else first
    return msgspec.structs.replace(
        plain, kind="", kind_title="", times="once", after=(), rounds=found,
        roster=plain.roster if content.roster else tuple(entries[name] for name in everybody),
        characters=plain.characters if content.roster else everybody,
    )  # fmt: skip


def _chapter_of_kind(content: Chapter, other: RoundKind, where: str) -> Chapter:
    """Return a chapter as if all its rounds were of one kind."""
    roster = [*(content.roster if other.roster is None else other.roster), *other.add]
    names = [entry.character for entry in roster]
    for name in [*other.without, *other.require]:
        among(name, names, f"{where}: roster")
    return msgspec.structs.replace(
        content,
        rounds={},
        roster=[
            msgspec.structs.replace(entry, required=entry.required or entry.character in other.require)
            for entry in roster
            if entry.character not in other.without
        ],
        event=content.event if other.event is None else other.event,
        deck=content.deck if other.deck is None else other.deck,
        deal=content.deal if other.deal is None else other.deal,
        notes=[*content.notes, *other.notes],
        source=other.source or content.source,
    )


def _one_kind(content: Chapter, label: str, where: str, rules: HouseRules) -> Scenario:
    book = load_book(content.book, rules)
    library = load_characters(content.book, rules) | content.characters
    deck = _deck(content, book, where)
    events = load_events(content.book, rules) | content.events
    if content.event:
        among(content.event, events, f"{where}: event")
    event = events[content.event] if content.event else None
    known_gifts = load_gifts(content.book, rules)
    for index, name in enumerate(content.gifts):
        among(name, known_gifts, f"{where}: gifts[{index}]")
    gifts = {name: known_gifts[name] for name in content.gifts}
    known_curses = load_curses(content.book, rules)
    curses = {}
    for owner, name in content.curses.items():
        among(name, known_curses, f"{where}: curses.{owner}")
        if owner not in library:
            raise UserError(f"{where}: curses.{owner}: there is no such character{nearest(owner, library)}")
        curses[owner] = (name, known_curses[name])
    if content.wandering_curse:
        among(content.wandering_curse, known_curses, f"{where}: wandering_curse")
    if content.draw is not None:
        check_draw(content, library, known_curses, where)
    drawn = content.draw.names if content.draw is not None else {}
    roster = [*content.roster, *(RosterEntry(character=name, source=source) for name, source in drawn.items())]
    characters = _roster(roster, library, where)
    changes = [(gift.owner, gift.change) for gift in gifts.values() if gift.change]
    for name, change in [*(event.changes.items() if event else ()), *changes]:
        if name in characters:
            characters[name] = _changed(characters[name], change)
        elif name not in library:
            raise UserError(f"{where}: event: changes '{name}', but there is no such character{nearest(name, library)}")
    scenario = Scenario(
        label=label,
        title=content.title,
        book=book.name,
        book_title=book.title,
        length=content.length,
        suits=book.suits,
        cards=deck,
        declaring=book.declaring if book.declaring in deck else "",
        deals=_deals(content, book, where),
        pyramids=book.pyramids,
        threats=_threats(content, book, where),
        never_lost=tuple(content.never_lost),
        roster=tuple(roster),
        characters=characters,
        rules=rules,
        assumptions=_options_in_force(content.book, rules),
        event=event,
        event_key=content.event,
        curses={name: curse for name, curse in curses.items() if name in characters},
        wandering=(content.wandering_curse, known_curses[content.wandering_curse]) if content.wandering_curse else None,
        draw=content.draw,
        drawn_curses={name: known_curses[name] for name in content.draw.curses} if content.draw is not None else {},
        gifts=gifts,
        based_on=content.based_on,
        notes=tuple(content.notes),
        sources=book.sources,
        source=content.source,
    )
    check_scenario(scenario, library, where)
    return scenario


def _changed(character: Character, change: Change) -> Character:
    """Return a character as an event or a gift has it."""
    given: dict[str, Any] = {
        name: getattr(change, name) for name in ("goal", "setup", "leads_first") if getattr(change, name) is not None
    }
    if change.text or change.goal is not None:
        given["text"] = change.text
    if change.source:
        given["source"] = change.source
    return msgspec.structs.replace(character, **given)


def _deck(content: Chapter, book: Book, where: str) -> tuple[str, ...]:
    cards = content.deck
    if isinstance(cards, str):
        among(cards, book.decks, f"{where}: deck", ' or a list such as ["H1-8", "R1-5"]')
        cards = book.decks[cards].cards
    try:
        return notation.expand_deck(cards, list(book.suits))
    except ValueError as error:
        raise UserError(f"{where}: deck: {error}") from None


def _deals(content: Chapter, book: Book, where: str) -> dict[int, DealSize]:
    sizes = content.deal
    if isinstance(sizes, str):
        among(sizes, book.deals, f"{where}: deal")
        sizes = book.deals[sizes].players
    for players in sizes:
        if players not in ("1", "2", "3", "4"):
            raise UserError(f"{where}: deal.{players}: the number of players must be 1 to 4")
    return {int(players): size for players, size in sorted(sizes.items())}


def _threats(content: Chapter, book: Book, where: str) -> tuple[int, ...]:
    if isinstance(content.threats, str):
        among(content.threats, book.threats, f"{where}: threats", " or a list such as [1, 2, 3]")
        return tuple(book.threats[content.threats].values)
    return tuple(content.threats or ())


def _roster(roster: list[RosterEntry], library: Mapping[str, Character], where: str) -> dict[str, Character]:
    chosen: dict[str, Character] = {}
    for index, entry in enumerate(roster):
        key, name = f"{where}: roster[{index}].character", entry.character
        if name not in library:
            raise UserError(f"{key} = '{name}': there is no such character{nearest(name, library)}")
        if name in chosen:
            raise UserError(f"{key} = '{name}': is in the roster twice")
        chosen[name] = library[name]
    return chosen


def _house_rules(given: Mapping[str, str], book: Book, assume: Mapping[str, str], where: str) -> HouseRules:
    """Return the house rules in force: those of the book, over them the file's, over them the chosen assumptions'."""
    values: dict[str, Any] = msgspec.to_builtins(book.rules)
    rules = convert(values | dict(given), HouseRules, where, "rules")
    if not assume:
        return rules
    known = load_assumptions(book.name)
    values = msgspec.to_builtins(rules)
    for name, option in assume.items():
        if name not in known:
            raise UserError(f"--assume {name}={option}: unknown assumption; allowed are {', '.join(known)}{nearest(name, known)}")
        options = known[name].options
        if option not in options:
            allowed = ", ".join(options)
            raise UserError(f"--assume {name}={option}: allowed are {allowed}{nearest(option, options)} ({known[name].question})")
        values |= options[option]
    return convert(values, HouseRules, where, "rules")


def _options_in_force(book: str, rules: HouseRules) -> dict[str, str]:
    """Return of every assumption the option whose house rules are those in force (the default, if there are several)."""
    values = msgspec.to_builtins(rules).items()
    found: dict[str, str] = {}
    for name, assumption in load_assumptions(book).items():
        fitting = [option for option, sets in assumption.options.items() if sets.items() <= values]
        if fitting:
            found[name] = assumption.default if assumption.default in fitting else fitting[0]
    return found
