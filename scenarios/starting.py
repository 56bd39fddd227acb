"""A scenario file to start from: a chapter with all characters and events that it uses, to be changed."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import msgspec

from scenarios.drawing import POOL_FORMAT, drawn
from scenarios.errors import UserError, nearest
from scenarios.loader import DATA, library, load, load_book, load_characters
from scenarios.model import Chapter, Draw, HouseRules
from scenarios.reading import convert, read_toml

OWN_TABLES = {"characters": "characters.toml", "events": "events.toml"}
"""Tables of a chapter that may hold its own versions of what a file of the book holds."""
_HEADER = re.compile(r"^(\[{1,2})([A-Za-z0-9_.-]+)(\]{1,2})", re.MULTILINE)


@dataclass(frozen=True)
class Pool:
    """A pool of a chapter that is drawn: see `scenarios.drawing`."""

    players: int
    seed: int
    number: int


def starting_text(chapter: str, name: str, pool: Pool | None = None) -> str:
    """Return the text of a scenario file that plays as `chapter` does (a name of the library or a scenario file).

    `name` is the file's name, for its comments. The chapter's own text is kept; characters and events of the book that it uses
    follow, to be changed; house rules stand in comments. pool: of a chapter that is drawn, what is to be written in place of
    its [draw]. Raises UserError for a chapter that there is not, and for a pool of one that is not drawn or not for so many.
    """
    path, label = _source(chapter)
    raw, text = read_toml(path), path.read_text(encoding="utf-8")
    book = raw.get("book", "fellowship")
    first = _HEADER.search(text)
    top, tables = (text[: first.start()], text[first.start() :]) if first else (text, "")
    said = ""
    if pool is not None:
        raw, tables, said = _fixed(chapter, raw, tables, pool)
    parts = [_introduction(raw, label, name), *_top(top, raw, label, book, said)]
    if "rules" not in raw:
        parts += ["", *_rules(book)]
    parts += ["", "# Who may be chosen; those required are in every round.", tables.strip()]
    for table, file in OWN_TABLES.items():
        source = DATA / book / file
        used = [key for key in _used(raw, table) if key not in raw.get(table, {})]
        if source.is_file() and used and table in Chapter.__struct_fields__:
            parts += ["", *_comment(_SAID[table])]
            parts += [f"\n{_own(block, table)}" for key in used if (block := _block(source.read_text(encoding="utf-8"), key))]
    others = [key for key in load_characters(book) if key not in _used(raw, "characters")]
    parts += ["", *_comment(f"Other characters of the book, for the roster: {', '.join(others)}.")]
    return "\n".join(parts).strip() + "\n"


def _fixed(chapter: str, raw: dict[str, Any], tables: str, pool: Pool) -> tuple[dict[str, Any], str, str]:
    """Return a chapter's content and its tables' text with a pool in place of what is drawn, and where the pool comes from."""
    scenario = load(chapter)
    if scenario.draw is None:
        raise UserError(f"--players {pool.players}: chapter {scenario.label} draws no characters; leave it out")
    if pool.players not in scenario.deals:
        allowed = ", ".join(map(str, scenario.deals))
        raise UserError(f"--players {pool.players}: chapter {scenario.label} has deals for {allowed} players")
    found = drawn(scenario, pool.players, pool.seed, pool.number)
    people = f"{pool.players} player{'s' if pool.players > 1 else ''}"
    said = f"Drawn for {people} with the seed {pool.seed:#x}: pool {pool.number} (pool format {POOL_FORMAT})."
    content = {key: value for key, value in raw.items() if key != "draw"}
    content["roster"] = [{"character": entry.character} for entry in found.roster]
    if found.wandering is not None:
        content["wandering_curse"] = found.wandering[0]
    headers = [*_HEADER.finditer(tables)]
    ends = [*(header.start() for header in headers[1:]), len(tables)]
    kept = [
        tables[header.start() : end]
        for header, end in zip(headers, ends, strict=True)
        if header[2] != "draw" and not header[2].startswith("draw.")
    ]
    for entry in found.roster:
        if entry.character in scenario.draw.names:
            kept.append(f"[[roster]]\ncharacter = {_quoted(entry.character)}\nsource = {_quoted(entry.source)}\n")
    return content, "".join(kept), said


def write_start(path: Path, chapter: str, pool: Pool | None = None) -> None:
    """Write `starting_text` to the new file `path`.

    Raises UserError for a name that is no scenario file's or a chapter's, a file that exists, a folder that does not.
    """
    if path.suffix != ".toml":
        raise UserError(f"{path}: must end in .toml, such as {path.stem or 'my'}.toml")
    if path.stem in library():
        raise UserError(f"{path}: a file named like chapter {path.stem} of the library; give it a name of its own")
    text = starting_text(chapter, path.name, pool)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UserError(f"{path}: exists already; choose another name") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror})") from None


def _source(chapter: str) -> tuple[Path, str]:
    known = library()
    if chapter.endswith(".toml"):
        return Path(chapter), Path(chapter).stem
    if chapter not in known:
        have = ", ".join(known)
        raise UserError(f"--from {chapter}: allowed are {have}, or a scenario file ending in .toml{nearest(chapter, known)}")
    return known[chapter], chapter


def _introduction(raw: dict[str, Any], label: str, name: str) -> str:
    stem = Path(name).stem
    return "\n".join(
        [
            *_comment(
                f"{raw['title']} (chapter {label}), to be changed. What is left as it is plays as there. Every key is explained "
                "in docs/scenarios.md; a mistake is answered with one line that says what is allowed:"
            ),
            f"#   ringsim show {name}",
            f"#   ringsim run {name} --seed 7 --out runs/{stem}",
            f"#   ringsim run {label} --seed 7 --out runs/{stem}-before",
            f"#   ringsim compare runs/{stem}-before runs/{stem}",
            "# `ringsim schema` writes a JSON schema for editors that know TOML.",
            "",
        ]
    )


def _top(text: str, raw: dict[str, Any], label: str, book: str, said: str = "") -> Iterator[str]:
    """Yield the keys before the first table, those that name something of the book with what they stand for.

    said: where a pool comes from; it becomes the first of the notes.
    """
    shared = load_book(book)
    if said and "notes" not in raw:
        yield f"notes = [{_quoted(said)}]"
    for line in text.strip().splitlines():
        key = line.partition("=")[0].strip()
        value = raw.get(key)
        if key in ("number", "based_on") or (said and key == "wandering_curse"):
            continue
        if key == "notes" and said:
            head, bracket, rest = line.partition("[")
            yield f"{head}{bracket}{_quoted(said)}, {rest}" if rest.strip() else f"{line}\n  {_quoted(said)},"
        elif key == "title":
            yield f"title = {_quoted(raw['title'] + (', a pool' if said else ', changed'))}"
            yield "# The chapter that `ringsim compare` sets beside this one."
            yield f"based_on = {_quoted(label)}"
        elif key == "deck" and isinstance(value, str):
            yield f"{line}  # or your own: {msgspec.json.encode(shared.decks[value].cards).decode()}"
        elif key == "threats" and isinstance(value, str):
            yield f"{line}  # or your own: {shared.threats[value].values}"
        elif key == "deal" and isinstance(value, str):
            yield f"{line}  # or your own tables [deal.1] to [deal.4]"
        else:
            yield line
    if said and "wandering_curse" in raw:
        yield f"wandering_curse = {_quoted(raw['wandering_curse'])}"


def _rules(book: str) -> Iterator[str]:
    yield from _comment("House rules, as the book has them; take the # away to change one.")
    yield "# [rules]"
    usual = load_book(book).rules
    kinds = {field.name: get_args(field.type) for field in msgspec.structs.fields(HouseRules)}
    for rule in HouseRules.__struct_fields__:
        value = getattr(usual, rule)
        others = [option for option in kinds[rule] if option != value]
        yield f"# {rule} = {_quoted(value)}" + (f"  # or {', '.join(map(_quoted, others))}" if others else "")


_SAID = {
    "characters": "The characters, as the book has them. A goal is met when all its terms hold; setup is done in its order.",
    "events": "The events, as the book has them.",
}


def _used(raw: dict[str, Any], table: str) -> list[str]:
    """Return the characters, or events, that a chapter names, in its order."""
    name = table.removesuffix("s")
    found: list[str] = []

    def look(value: Any, key: str) -> None:
        if isinstance(value, dict):
            for inner, content in value.items():
                # What the file itself defines is not looked into: names there are those of partners.
                if inner not in OWN_TABLES:
                    look(content, inner)
        elif isinstance(value, list):
            for content in value:
                look(content, key)
        elif key == name and isinstance(value, str) and value:
            found.append(value)

    look(raw, "")
    if table == "characters" and "draw" in raw:
        found += convert(raw["draw"], Draw, "draw").names
    return list(dict.fromkeys(found))


def _block(text: str, key: str) -> str:
    """Return the table `key` of a file, with its inner tables, as it stands there."""
    headers = list(_HEADER.finditer(text))
    for place, header in enumerate(headers):
        if header[2] == key:
            after = (other.start() for other in headers[place + 1 :] if not other[2].startswith(f"{key}."))
            block = text[header.start() : next(after, len(text))]
            # Comments at the end are about what follows.
            return re.sub(r"(\n\s*#[^\n]*|\s)+\Z", "", block)
    return ""


def _own(block: str, table: str) -> str:
    return _HEADER.sub(lambda header: f"{header[1]}{table}.{header[2]}{header[3]}", block)


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 118, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False, break_long_words=False)


def _quoted(text: str) -> str:
    # A JSON string is a TOML string.
    return msgspec.json.encode(text).decode()
