"""The JSON schema of scenario files, made from the structs that read them."""

from __future__ import annotations

import json
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from scenarios.loader import library, load_book, load_characters
from scenarios.model import Chapter, HouseRules


def schema_text() -> str:
    """Return the schema of a chapter file as JSON text (draft 2020-12)."""
    return json.dumps(chapter_schema(), indent=1, ensure_ascii=False)


def chapter_schema() -> dict[str, Any]:
    """Return the schema of a chapter file; names of the book are offered as examples, for files may have their own."""
    found = msgspec.json.schema(Chapter)
    definitions = found["$defs"]
    chapter, book = definitions["Chapter"], load_book("fellowship")
    names = {
        "book": [book.name],
        "based_on": list(library()),
        "deck": list(book.decks),
        "deal": list(book.deals),
        "threats": list(book.threats),
    }
    for key, examples in names.items():
        chapter["properties"][key]["examples"] = examples
    definitions["RosterEntry"]["properties"]["character"]["examples"] = list(load_characters(book.name))
    # What `scenarios.variants` settles before the structs see it.
    when = {"type": "object", "additionalProperties": False, "properties": _rules()}
    for definition in definitions.values():
        if definition.get("type") == "object":
            variant = {"type": "object", "required": ["when"], "properties": {"when": when}}
            definition["properties"] |= {"when": when, "variants": {"type": "array", "items": variant}}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "ringsim scenario file"}
    return head | found


def _rules() -> dict[str, Any]:
    """Return, of every house rule, a value or a list of values."""
    found = {}
    for name, kind in get_type_hints(HouseRules).items():
        if get_origin(kind) is Literal:
            value = {"enum": list(get_args(kind))}
            found[name] = {"anyOf": [value, {"type": "array", "items": value}]}
    return found
