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
    spec = composed(title, notes, figures, chapters)
    if format == "svg":
        return bytes(vl_convert.vegalite_to_svg(spec), "utf-8")
    return vl_convert.vegalite_to_png(spec, scale=1.5)


def composed(title: str, notes: Sequence[str], figures: Sequence[Figure], chapters: Mapping[str, str]) -> dict[str, Any]:
    """Return the Vega-Lite spec of all pictures together; `notes` stand below the title."""
    lines = [line for note in notes for line in textwrap.wrap(note, 150)]
    return {
        "title": {"text": title, "subtitle": lines, "fontSize": 18, "subtitleFontSize": 11, "offset": 16},
        "vconcat": [row for figure in figures for row in _rows(figure, chapters)],
        "spacing": 30,
        "padding": 20,
        "config": painted(CONFIG, "light"),
    }


def _rows(figure: Figure, chapters: Mapping[str, str]) -> list[dict[str, Any]]:
    groups: dict[tuple[str | None, str | None], list[Picture]] = {}
    for picture in figure.pictures:
        groups.setdefault((picture.chapter, picture.policy), []).append(picture)
    rows = []
    for (chapter, policy), pictures in groups.items():
        name = f": {chapters[chapter]}" if chapter is not None and chapters.get(chapter) else ""
        place = [f"chapter {chapter}{name}"] if chapter is not None else []
        heading = ", ".join([figure.title, *place, *([policy] if policy else [])])
        lines = max(len(_lines(picture)) for picture in pictures)
        rows.append(
            {
                "title": {"text": heading, "fontSize": 14, "offset": 12},
                "concat": [_one(picture, lines) for picture in pictures],
                "columns": COLUMNS,
                "spacing": 36,
                "resolve": {"scale": {"color": "independent", "stroke": "independent"}},
            }
        )
    return rows


def _one(picture: Picture, lines: int) -> dict[str, Any]:
    said = _lines(picture)
    return {
        **painted(picture.spec, "light"),
        # As many lines for each of a row, so that the pictures stand level.
        "title": {"text": picture.title, "subtitle": [*said, *[" "] * (lines - len(said))]},
        "width": WIDTHS[picture.size],
        "height": picture.height,
        "data": {"values": list(picture.rows)},
    }


def _lines(picture: Picture) -> list[str]:
    return textwrap.wrap(picture.says, round(WIDTHS[picture.size] / LETTER))
