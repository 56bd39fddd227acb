"""From files to scenarios: find the files, put together what they refer to."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from scenarios import cards as notation
from scenarios.checks import check_scenario
from scenarios.errors import UserError, nearest
from scenarios.model import Assumption, Book, Chapter, Character, DealSize, HouseRules, Scenario
from scenarios.reading import among, convert, read_toml

DATA = Path(__file__).parent / "data"


def books() -> list[str]:
    """Return the names of the books of the library."""
    return sorted(path.parent.name for path in DATA.glob("*/book.toml"))


@functools.cache
def load_book(name: str) -> Book:
    """Return a book of the library; UserError when there is none of that name."""
    among(name, books(), "book")
    path = DATA / name / "book.toml"
    return convert(read_toml(path), Book, str(path))


@functools.cache
def load_characters(book: str) -> dict[str, Character]:
    """Return the characters of a book by their keys; UserError when there is no such book."""
    path = DATA / load_book(book).name / "characters.toml"
    return {key: convert(table, Character, path.name, key) for key, table in read_toml(path).items()}


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


def load(chapter: str | int | Path, assume: Mapping[str, str] | None = None) -> Scenario:
    """Return a chapter of the library (by number) or of a user's TOML file, resolved under `assume`.

    What `assume` chooses goes before the file's own [rules], and these before the book's.
    Raises UserError with one line for an unknown chapter, an unknown assumption, or a file that does not fit.
    """
    text = str(chapter)
    library = chapters()
    if text.endswith(".toml"):
        path, label, where = Path(text), Path(text).stem, text
        if label in library:
            raise UserError(f"{path}: a file named like chapter {label} of the library; give it a name of its own")
    elif text in library:
        path, label, where = library[text], text, library[text].name
    else:
        have = ", ".join(library)
        raise UserError(f"chapter '{text}': allowed are {have}, or a scenario file ending in .toml{nearest(text, library)}")
    content = convert(read_toml(path), Chapter, where)
    among(content.book, books(), f"{where}: book")
    return _resolve(content, label, where, dict(assume or {}))


def _resolve(content: Chapter, label: str, where: str, assume: dict[str, str]) -> Scenario:
    book = load_book(content.book)
    library = load_characters(content.book) | content.characters
    rules = _house_rules(content, book, assume, where)
    deck = _deck(content, book, where)
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
        roster=tuple(content.roster),
        characters=_roster(content, library, where),
        rules=rules,
        assumptions=_options_in_force(content.book, rules),
        based_on=content.based_on,
        notes=tuple(content.notes),
        sources=book.sources,
        source=content.source,
    )
    check_scenario(scenario, library, where)
    return scenario


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


def _roster(content: Chapter, library: Mapping[str, Character], where: str) -> dict[str, Character]:
    chosen: dict[str, Character] = {}
    for index, entry in enumerate(content.roster):
        key, name = f"{where}: roster[{index}].character", entry.character
        if name not in library:
            raise UserError(f"{key} = '{name}': there is no such character{nearest(name, library)}")
        if name in chosen:
            raise UserError(f"{key} = '{name}': is in the roster twice")
        chosen[name] = library[name]
    return chosen


def _house_rules(content: Chapter, book: Book, assume: Mapping[str, str], where: str) -> HouseRules:
    """Return the house rules in force: those of the book, over them the file's, over them the chosen assumptions'."""
    values: dict[str, Any] = msgspec.to_builtins(book.rules)
    rules = convert(values | content.rules, HouseRules, where, "rules")
    if not assume:
        return rules
    known = load_assumptions(content.book)
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
