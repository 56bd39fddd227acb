"""The JSON schema of scenario files, made from the structs that read them."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from scenarios.loader import chapters, load_book, load_characters
from scenarios.model import Chapter


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
        "based_on": list(chapters()),
        "deck": list(book.decks),
        "deal": list(book.deals),
        "threats": list(book.threats),
    }
    for key, examples in names.items():
        chapter["properties"][key]["examples"] = examples
    definitions["RosterEntry"]["properties"]["character"]["examples"] = list(load_characters(book.name))
    for definition in definitions.values():
        # What `scenarios.variants` settles before the structs are read.
        if definition.get("additionalProperties") is False:
            when = {"type": "object", "description": "house rules under which this table holds"}
            variant = {"type": "object", "required": ["when"], "properties": {"when": when}}
            definition["properties"] |= {"when": when, "variants": {"type": "array", "items": variant}}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "ringsim scenario file"}
    return head | found
