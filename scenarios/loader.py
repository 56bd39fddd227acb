"""From files to scenarios: find, read, validate, resolve. Every mistake in a file is one line."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

import msgspec

from scenarios import cards as notation
from scenarios.errors import UserError, nearest
from scenarios.model import (
    Assumption,
    Book,
    Chapter,
    Character,
    Deal,
    DealSize,
    HouseRules,
    Scenario,
    Term,
)

DATA = Path(__file__).parent / "data"
MAX_SLOTS = 64
MAX_ROSTER = 16
COMPARABLE = ("tricks", "cards")
NEEDS_CARDS = ("cards", "tricks_with", "tricks_without", "distinct_ranks", "same_rank", "run", "last_card", "leads")


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file; UserError when it is missing or is not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: is not valid TOML ({error})") from None


def _struct_at(kind: Any, path: list[str]) -> Any:
    """Return the type that lies at `path` below the type `kind`, or None."""
    for step in path:
        while kind is not None and not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
            inner = [a for a in get_args(kind) if a is not type(None)]
            structs = [a for a in inner if "msgspec" in str(getattr(a, "__mro__", "")) or get_args(a)]
            kind = structs[-1] if structs else None
        if kind is None or step.startswith("["):
            continue
        names = {info.encode_name: info.name for info in msgspec.structs.fields(kind)}
        kind = get_type_hints(kind).get(names.get(step, step))
    return kind


def _leaf_struct(kind: Any) -> Any:
    while kind is not None and not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        inner = [a for a in get_args(kind) if a is not type(None)]
        kind = inner[-1] if inner else None
    return kind


def _literals(kind: Any) -> list[str]:
    if getattr(kind, "__origin__", None) is Literal:
        return [str(a) for a in get_args(kind)]
    return [value for inner in get_args(kind) for value in _literals(inner)]


def convert(raw: Any, kind: Any, where: str, key: str = "") -> Any:
    """Return `raw` as `kind`; UserError with one line `where: key = value: what is allowed` when it does not fit."""
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        steps = re.findall(r"\.(\w+)|(\[[^\]]*\])", place.rstrip("`"))
        path = [a or b for a, b in steps if (a or b) != "key"]
        value = raw
        for step in path:
            if step.startswith("[") and step[1:-1].isdigit():
                value = value[int(step[1:-1])]
            elif isinstance(value, Mapping):
                value = value.get(step)
        full = key + "".join(s if s.startswith("[") else f".{s}" for s in path)
        full = full.lstrip(".") or "the file"
        unknown = re.search(r"unknown field `(\w+)`", message)
        missing = re.search(r"missing required field `(\w+)`", message)
        at = _struct_at(kind, path)
        if unknown or missing:
            struct = _leaf_struct(at)
            allowed = [f.encode_name for f in msgspec.structs.fields(struct)] if struct else []
            name = (unknown or missing)[1]  # type: ignore[index]
            if missing:
                line = f"{where}: {full}: the key '{name}' is missing"
            else:
                line = f"{where}: {full}: unknown key '{name}'; allowed are {', '.join(allowed)}{nearest(name, allowed)}"
        else:
            allowed = _literals(at)
            line = f"{where}: {full} = {value!r}: "
            line += f"allowed are {', '.join(allowed)}{nearest(str(value), allowed)}" if allowed else message[0].lower() + message[1:]
        raise UserError(line) from None


@functools.cache
def load_book(name: str) -> Book:
    """Return a book of the library; UserError when there is none of that name."""
    books = sorted(p.parent.name for p in DATA.glob("*/book.toml"))
    if name not in books:
        raise UserError(f"book '{name}': allowed are {', '.join(books)}{nearest(name, books)}")
    path = DATA / name / "book.toml"
    return convert(read_toml(path), Book, str(path))


@functools.cache
def load_characters(book: str) -> dict[str, Character]:
    """Return the characters of a book by their keys."""
    path = DATA / book / "characters.toml"
    return {key: convert(table, Character, path.name, key) for key, table in read_toml(path).items()}


@functools.cache
def load_assumptions(book: str) -> dict[str, Assumption]:
    """Return the assumptions of a book by their names."""
    path = DATA / book / "assumptions.toml"
    return {key: convert(table, Assumption, path.name, key) for key, table in read_toml(path).items()}


@functools.cache
def chapters() -> dict[str, Path]:
    """Return the chapters of the library: label -> file, in the order of their numbers."""
    found = {str(int(path.stem)): path for path in DATA.glob("*/chapters/*.toml")}
    return dict(sorted(found.items(), key=lambda item: int(item[0])))


def choose_assumptions(book: str, chosen: Mapping[str, str]) -> dict[str, str]:
    """Return every assumption of the book with the chosen option or its default; UserError for unknown names."""
    known = load_assumptions(book)
    for name, option in chosen.items():
        if name not in known:
            raise UserError(f"--assume {name}={option}: unknown assumption; allowed are {', '.join(known)}{nearest(name, known)}")
        options = known[name].options
        if option not in options:
            raise UserError(
                f"--assume {name}={option}: allowed are {', '.join(options)}{nearest(option, options)} ({known[name].question})"
            )
    return {name: chosen.get(name, assumption.default) for name, assumption in known.items()}


def load(chapter: str | int | Path, assume: Mapping[str, str] | None = None) -> Scenario:
    """Return a chapter of the library (by number) or of a user's TOML file, resolved under `assume`.

    Raises UserError with one line for an unknown chapter, an unknown assumption, or a file that does not fit.
    """
    text = str(chapter)
    library = chapters()
    if text.endswith(".toml"):
        path, label = Path(text), Path(text).stem
        if label in library:
            raise UserError(f"{path}: a file named like chapter {label} of the library; give it a name of its own")
    elif text in library:
        path, label = library[text], text
    else:
        have = ", ".join(library)
        raise UserError(f"chapter '{text}': allowed are {have}, or a scenario file ending in .toml{nearest(text, library)}")
    raw = read_toml(path)
    own = raw.pop("characters", {})
    where = str(path) if text.endswith(".toml") else path.name
    content: Chapter = convert(raw, Chapter, where)
    characters = dict(load_characters(content.book))
    if not isinstance(own, dict):
        raise UserError(f"{where}: characters: must be tables, such as [characters.my_hero]")
    for key, table in own.items():
        characters[key] = convert(table, Character, where, f"characters.{key}")
    return _resolve(content, characters, label, where, dict(assume or {}))


def _resolve(content: Chapter, library: dict[str, Character], label: str, where: str, assume: dict[str, str]) -> Scenario:
    book = load_book(content.book)
    suits = list(book.suits)
    deck_name = content.deck if isinstance(content.deck, str) else ""
    if deck_name and deck_name not in book.decks:
        raise UserError(f"{where}: deck = '{deck_name}': allowed are {', '.join(book.decks)}{nearest(deck_name, book.decks)}")
    try:
        deck = notation.expand_deck(book.decks[deck_name].cards if deck_name else content.deck, suits)
    except ValueError as error:
        raise UserError(f"{where}: deck: {error}") from None
    if len(deck) > MAX_SLOTS:
        raise UserError(f"{where}: deck: {len(deck)} cards; at most {MAX_SLOTS} are allowed")
    deals = _deals(content, book, len(deck), where)
    threats: tuple[int, ...] = ()
    if isinstance(content.threats, str):
        if content.threats not in book.threats:
            allowed = ", ".join(book.threats)
            raise UserError(f"{where}: threats = '{content.threats}': allowed are {allowed}{nearest(content.threats, book.threats)}")
        threats = tuple(book.threats[content.threats].values)
    elif content.threats:
        threats = tuple(content.threats)
        if len(set(threats)) != len(threats):
            raise UserError(f"{where}: threats: {list(threats)} names a number twice")
    for card in content.never_lost:
        if card not in deck:
            raise UserError(f"{where}: never_lost: '{card}' is not in the deck{nearest(card, deck)}")
    known = assumption_rules(content.book, assume)
    values = msgspec.to_builtins(book.rules) | content.rules | known
    rules: HouseRules = convert(values, HouseRules, where, "rules")
    characters = _roster(content, library, deals, deck, suits, threats, where)
    return Scenario(
        label=label,
        title=content.title,
        book=book.name,
        book_title=book.title,
        length=content.length,
        suits=book.suits,
        cards=deck,
        declaring=book.declaring if book.declaring in deck else "",
        deals=deals,
        pyramids=book.pyramids,
        threats=threats,
        never_lost=tuple(content.never_lost),
        roster=tuple(content.roster),
        characters=characters,
        rules=rules,
        assumptions=choose_assumptions(content.book, assume),
        notes=tuple(content.notes),
        sources=book.sources,
        source=content.source,
    )


def assumption_rules(book: str, assume: Mapping[str, str]) -> dict[str, str]:
    """Return the house rules that the assumptions chosen by name set (defaults stay with book and chapter)."""
    choose_assumptions(book, assume)
    known = load_assumptions(book)
    return {rule: value for name, option in assume.items() for rule, value in known[name].options[option].items()}


def _deals(content: Chapter, book: Book, cards: int, where: str) -> dict[int, DealSize]:
    if isinstance(content.deal, str):
        if content.deal not in book.deals:
            raise UserError(f"{where}: deal = '{content.deal}': allowed are {', '.join(book.deals)}{nearest(content.deal, book.deals)}")
        deal: Deal = book.deals[content.deal]
    else:
        deal = Deal(players=content.deal)
    sizes: dict[int, DealSize] = {}
    for players, size in deal.players.items():
        if players not in ("1", "2", "3", "4"):
            raise UserError(f"{where}: deal.{players}: the number of players must be 1 to 4")
        count = int(players)
        if size.seats != (4 if count in (1, 4) else 3):
            raise UserError(f"{where}: deal.{players}.seats = {size.seats}: one and four players take 4 seats, two and three take 3")
        total = size.seats * size.hand + size.lost + size.draw_deck
        if total != cards:
            raise UserError(
                f"{where}: deal.{players}: {size.seats} hands of {size.hand}, {size.lost} lost and {size.draw_deck} to draw "
                f"are {total} cards; the deck has {cards}"
            )
        if (count == 2) != bool(size.pyramid) or (count == 1) != bool(size.draw_deck):
            raise UserError(f"{where}: deal.{players}: two players need a pyramid, one player a draw deck, others neither")
        if size.pyramid:
            if size.pyramid not in book.pyramids:
                allowed = ", ".join(book.pyramids)
                raise UserError(f"{where}: deal.{players}.pyramid = '{size.pyramid}': allowed are {allowed}{nearest(size.pyramid, book.pyramids)}")
            rows = sum(book.pyramids[size.pyramid].rows)
            if rows != size.hand:
                raise UserError(f"{where}: deal.{players}.pyramid = '{size.pyramid}': has {rows} cards; the hand has {size.hand}")
        sizes[count] = size
    if not sizes:
        raise UserError(f"{where}: deal: no number of players is given")
    return dict(sorted(sizes.items()))


def _roster(
    content: Chapter,
    library: dict[str, Character],
    deals: dict[int, DealSize],
    deck: tuple[str, ...],
    suits: list[str],
    threats: tuple[int, ...],
    where: str,
) -> dict[str, Character]:
    chosen: dict[str, Character] = {}
    if len(content.roster) > MAX_ROSTER:
        raise UserError(f"{where}: roster: {len(content.roster)} characters; at most {MAX_ROSTER} are allowed")
    for index, entry in enumerate(content.roster):
        name = entry.character
        if name not in library:
            raise UserError(f"{where}: roster[{index}].character = '{name}': there is no such character{nearest(name, library)}")
        if name in chosen:
            raise UserError(f"{where}: roster[{index}].character = '{name}': is in the roster twice")
        chosen[name] = library[name]
    required = sum(entry.required for entry in content.roster)
    for players, size in deals.items():
        if required > size.seats:
            raise UserError(f"{where}: roster: {required} characters are required, but {players} players have {size.seats} seats")
        if len(content.roster) < size.seats:
            raise UserError(f"{where}: roster: {len(content.roster)} characters, but {players} players have {size.seats} seats")
    bound = [name for name, character in chosen.items() if character.taken_with]
    if len(bound) > 1:
        raise UserError(f"{where}: roster: {' and '.join(bound)} are both taken with a card; one at most is allowed")
    identities = {character.identity or name for name, character in library.items()}
    drawing = 0
    for name, character in chosen.items():
        key = f"characters.{name}"
        if character.taken_with and character.taken_with not in deck:
            raise UserError(f"{where}: {key}.taken_with = '{character.taken_with}': is not in the deck")
        if character.taken_with and character.taken_with not in content.never_lost:
            raise UserError(f"{where}: never_lost: must name {character.taken_with}, the card that {name} is taken with")
        if character.taken_with and not next(e for e in content.roster if e.character == name).required:
            raise UserError(f"{where}: roster: {name} is taken with {character.taken_with}, so required = true must stand with it")
        draws = False
        for action in character.setup:
            partners = [] if action.with_ in ("", "any") else [action.with_] if isinstance(action.with_, str) else action.with_
            for partner in [*partners, *action.except_]:
                if partner not in identities:
                    raise UserError(f"{where}: {key}.setup: exchange partner '{partner}' is no character{nearest(partner, identities)}")
            if action.do == "exchange" and not action.with_:
                raise UserError(f"{where}: {key}.setup: an exchange needs with = [names] or with = \"any\"")
            draws |= action.do in ("draw_threat", "choose_threat")
        drawing += draws
        for number, term in enumerate(character.goal):
            _check_term(term, suits, draws, f"{where}: {key}.goal[{number}]")
        if draws and not threats:
            raise UserError(f"{where}: threats: {name} draws a threat, but the chapter has no threat deck")
    if threats:
        seats = max(size.seats for size in deals.values())
        lost = max(size.lost for size in deals.values())
        need = min(drawing, seats) + lost
        if drawing and len(threats) < need:
            raise UserError(f"{where}: threats: {len(threats)} numbers; {need} may be drawn in one round (redraws for lost cards included)")
    return chosen


def _check_term(term: Term, suits: list[str], draws: bool, where: str) -> None:
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
    if (term.measure in NEEDS_CARDS) != (term.cards is not None):
        raise UserError(f"{where}.cards: the measure {term.measure} {'needs' if term.measure in NEEDS_CARDS else 'takes no'} cards")
    if term.last and term.measure != "tricks":
        raise UserError(f"{where}.last: allowed with the measure tricks")
    if term.of != "self" and term.measure not in ("tricks", "cards"):
        raise UserError(f"{where}.of = '{term.of}': allowed with the measures tricks and cards")
    if term.cards is not None:
        try:
            notation.select(term.cards, [], None)
        except ValueError as error:
            raise UserError(f"{where}.cards: {error}") from None
        unknown = [c for c in notation.suits_of(term.cards, suits) if c not in suits]
        if unknown:
            raise UserError(f"{where}.cards: '{unknown[0]}' is no suit; allowed are {', '.join(suits)}")
    needs_threat = notation.by_threat(term.cards)
    for name in targets:
        value = getattr(term, name)
        if isinstance(value, str):
            if value not in ("threat", "threat+1", "threat-1"):
                raise UserError(f"{where}.{name} = '{value}': allowed are a number, threat, threat+1, threat-1")
            needs_threat = True
        elif isinstance(value, dict):
            if sorted(value) != ["1", "2", "3", "4"]:
                raise UserError(f"{where}.{name}: a table by players needs the keys 1, 2, 3 and 4")
    if needs_threat and not draws:
        raise UserError(f"{where}: uses the threat, but the character's setup draws none")
