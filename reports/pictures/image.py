"""The pictures of a report as one image, PNG or SVG, without a browser."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import vl_convert

from reports.pictures.figure import Figure, Picture
from reports.pictures.theme import CONFIG, painted

WIDTHS = {"small": 270, "medium": 360, "wide": 620}
LETTER = 5.6
"""Width of a letter of a sentence, about."""
COLUMNS = 4


def image(title: str, notes: Sequence[str], figures: Sequence[Figure], chapters: Mapping[str, str], format: str) -> bytes:
    """Return all pictures as one "png" or "svg", on white: a row for each chapter and policy, sentences above the pictures."""
    parts = [part for figure in figures for part in _rows(figure, chapters)]
    spec = {
        "title": {"text": title, "subtitle": _lines(notes), "fontSize": 18, "subtitleFontSize": 11, "offset": 16},
        "vconcat": parts,
        "spacing": 30,
        "padding": 20,
        "config": CONFIG,
    }
    spec = painted(spec, "light")
    _fill(spec["vconcat"], [picture for figure in figures for picture in figure.pictures])
    if format == "svg":
        return bytes(vl_convert.vegalite_to_svg(spec), "utf-8")
    return vl_convert.vegalite_to_png(spec, scale=1.5)


def _rows(figure: Figure, chapters: Mapping[str, str]) -> list[dict[str, Any]]:
    groups: dict[tuple[str | None, str | None], list[Picture]] = {}
    for picture in figure.pictures:
        groups.setdefault((picture.chapter, picture.policy), []).append(picture)
    rows = []
    for (chapter, policy), pictures in groups.items():
        name = f": {chapters[chapter]}" if chapter is not None and chapters.get(chapter) else ""
        place = [f"chapter {chapter}{name}"] if chapter is not None else []
        row = {
            "title": {"text": ", ".join([figure.title, *place, *([policy] if policy else [])]), "fontSize": 14, "offset": 12},
            "concat": [_one(picture) for picture in pictures],
            "columns": COLUMNS,
            "spacing": 36,
            "resolve": {"scale": {"color": "independent"}},
        }
        rows.append(row)
    return rows


def _one(picture: Picture) -> dict[str, Any]:
    width = WIDTHS[picture.size]
    title = {"text": picture.title, "subtitle": textwrap.wrap(picture.says, round(width / LETTER))}
    return {**picture.spec, "title": title, "width": width, "height": picture.height}


def _fill(rows: Sequence[dict[str, Any]], pictures: Sequence[Picture]) -> None:
    # After painting: a name among the data is no name of a colour.
    waiting = iter(pictures)
    for row in rows:
        for one in row["concat"]:
            one["data"] = {"values": list(next(waiting).rows)}


def _lines(notes: Sequence[str]) -> list[str]:
    return [line for note in notes for line in textwrap.wrap(note, 150)]
